/* The optimiser against functions whose maximum is known, and against GSL's simplex on one whose is not. */
#include "priors/optimise.h"

#include <criterion/criterion.h>
#include <gsl/gsl_multimin.h>
#include <math.h>

/* Two peaks; the higher one at 3 with the value 2. */
static double two_peaks(const void *context, const double *x)
{
    const double height = *(const double *)context;

    return 2 * exp(-4 * (x[0] - 3) * (x[0] - 3)) + height * exp(-(x[0] + 2) * (x[0] + 2));
}

Test(optimise, one_variable_finds_the_higher_of_two_peaks)
{
    const double height = 1.5, none = 0;
    double at;

    cr_expect_float_eq(ldp_maximise_one(two_peaks, &height, -10, 10, 40, &at), 2, 1e-10);
    cr_expect_float_eq(at, 3, 1e-6);
    cr_expect_float_eq(ldp_maximise_one(two_peaks, &none, 3, 10, 4, &at), 2, 1e-12); /* at an end */
    cr_expect_float_eq(at, 3, 1e-6);
}

/* Rosenbrock's valley upside down, undefined beyond x = 2: the maximum 0 at (1, 1). */
static double valley(const void *context, const double *x)
{
    return x[0] > 2 ? -INFINITY : -100 * pow(x[1] - x[0] * x[0], 2) - pow(1 - x[0], 2);
}

Test(optimise, two_variables_along_a_curved_valley)
{
    double theta[2] = {-1.2, 1};
    const double step[2] = {0.5, 0.5};

    cr_expect_float_eq(ldp_maximise_two(valley, NULL, theta, step), 0, 1e-8);
    cr_expect_float_eq(theta[0], 1, 1e-3);
    cr_expect_float_eq(theta[1], 1, 1e-3);
}

/* The log likelihood of a gamma law with shape e^a, scale e^b for six numbers. */
static double likelihood(const void *context, const double *theta)
{
    static const double x[] = {0.3, 1.1, 2.7, 0.8, 5.2, 1.9};
    const double shape = exp(theta[0]), scale = exp(theta[1]);
    double sum = 0;

    for (int i = 0; i < 6; i++)
        sum += (shape - 1) * log(x[i]) - x[i] / scale - lgamma(shape) - shape * theta[1];
    return sum;
}

static double negative(const gsl_vector *v, void *parameters)
{
    return -likelihood(NULL, (const double[]){gsl_vector_get(v, 0), gsl_vector_get(v, 1)});
}

Test(optimise, two_variables_as_gsl)
{
    double theta[2] = {2, -2};
    const double step[2] = {1, 1};
    const double ours = ldp_maximise_two(likelihood, NULL, theta, step);
    gsl_multimin_fminimizer *const simplex = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, 2);
    gsl_vector *const start = gsl_vector_calloc(2), *const size = gsl_vector_alloc(2);

    gsl_vector_set_all(size, 0.5);
    gsl_multimin_function function = {negative, 2, NULL};
    gsl_multimin_fminimizer_set(simplex, &function, start, size);
    for (int i = 0; i < 500 && gsl_multimin_fminimizer_size(simplex) > 1e-10; i++)
        gsl_multimin_fminimizer_iterate(simplex);
    cr_expect_float_eq(ours, -gsl_multimin_fminimizer_minimum(simplex), 1e-9);
    gsl_multimin_fminimizer_free(simplex);
    gsl_vector_free(start);
    gsl_vector_free(size);
}

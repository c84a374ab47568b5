/* Projection onto the simplex: worked examples, optimality, and loops that are not projections. */
#include "ldp.h"
#include "numerics/simplex.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef void (*candidate)(const double *est, size_t d, double *out);

static void project(const double *est, size_t d, double *out)
{
    double *const work = malloc(d * sizeof *work);

    ldp_simplex_project(est, d, work, out);
    free(work);
}

/* Whether out is the projection of est, by its optimality conditions: some tau with est - out = tau where out > 0,
 * est <= tau elsewhere. */
static bool is_projection(const double *est, const double *out, size_t d)
{
    double sum = 0, least = INFINITY, most = -INFINITY, top = 0;

    for (size_t v = 0; v < d; v++) {
        if (!(out[v] >= 0))
            return false;
        sum += out[v];
        top = fabs(est[v]) > top ? fabs(est[v]) : top;
        if (out[v] > 0) {
            least = fmin(least, est[v] - out[v]);
            most = fmax(most, est[v] - out[v]);
        }
    }
    const double slack = 4 * (double)d * DBL_EPSILON * fmax(1, top);

    for (size_t v = 0; v < d; v++)
        if (out[v] == 0 && est[v] > least + slack)
            return false;
    return fabs(sum - 1) <= (double)d * DBL_EPSILON && most - least <= slack;
}

/* The projection must be right on the values of n = 1000 users, on random estimates whose positive parts sum to more
 * and to less than 1, and where none is positive. */
static bool projects(candidate projection)
{
    static const double users[] = {0.4, 0.25, 0.15, -0.03, -0.005}, below[] = {-0.3, -0.1, -0.1, -2};
    static const double small[] = {0.5, 0.3, -0.01, -0.05};
    enum { D = 300 };
    double out[D];

    projection(users, 5, out);
    bool right = true;
    right = right && is_projection(users, out, 5);
    projection(below, 4, out);
    right = right && is_projection(below, out, 4);
    projection(small, 4, out);
    right = right && is_projection(small, out, 4);
    struct ldp_rng rng = make_stream(1, "test_norm_sub", 0);
    for (int i = 0; i < 200; i++) {
        const double scale = pow(10, 6 * ldp_rng_uniform(&rng) - 4), shift = 2 * ldp_rng_uniform(&rng) - 1.5;
        const size_t d = 2 + (size_t)ldp_rng_below(&rng, D - 1);

        double est[D];
        for (size_t v = 0; v < d; v++)
            est[v] = scale * (ldp_rng_uniform(&rng) + ldp_rng_uniform(&rng) + shift);
        projection(est, d, out);
        right = right && is_projection(est, out, d);
    }
    return right;
}

Test(norm_sub, worked_examples)
{
    /* 400 + 250 + 150 - 30 - 5 = 765 of 1000 users: 47 more for each of the five. */
    static const double users[] = {0.4, 0.25, 0.15, -0.03, -0.005}, want[] = {0.447, 0.297, 0.197, 0.017, 0.042};
    /* 0.9 + 0.4 - 1 = 0.3, 0.15 less for each of two. */
    static const double more[] = {0.9, 0.4, 0.1, -0.5}, less[] = {0.75, 0.25, 0, 0};
    static const double small[] = {0.5, 0.3, -0.01, -0.05}, raised[] = {0.565, 0.365, 0.055, 0.015};
    double out[5];

    project(users, 5, out);
    for (size_t v = 0; v < 5; v++)
        cr_expect_float_eq(out[v], want[v], 1e-15);
    project(more, 4, out);
    for (size_t v = 0; v < 4; v++)
        cr_expect_float_eq(out[v], less[v], 1e-15);
    project(small, 4, out);
    for (size_t v = 0; v < 4; v++)
        cr_expect_float_eq(out[v], raised[v], 1e-15);
}

Test(norm_sub, extremes)
{
    static const double huge[] = {1e300, -1e300, 1e299}, spike[] = {0, 1, 0}, widest[] = {DBL_MAX, -DBL_MAX, 0};
    double out[3];

    project(huge, 3, out);
    cr_expect(out[0] == 1 && out[1] == 0 && out[2] == 0);
    project(spike, 3, out);
    cr_expect(out[0] == 0 && out[1] == 1 && out[2] == 0);
    project(widest, 3, out);
    cr_expect(out[0] == 1 && out[1] == 0 && out[2] == 0);
    project(huge, 1, out);
    cr_expect(out[0] == 1);
}

Test(norm_sub, is_the_projection)
{
    cr_assert(projects(project));
}

/* ---- Published mistakes ---- */

/* One pass: the missing mass is spread over the positive values, and negative results are clipped. */
static void one_pass(const double *est, size_t d, double *out)
{
    double sum = 0, positive = 0;

    for (size_t v = 0; v < d; v++) {
        sum += est[v] > 0 ? est[v] : 0;
        positive += est[v] > 0;
    }
    for (size_t v = 0; v < d; v++)
        out[v] = est[v] > 0 ? fmax(est[v] + (1 - sum) / positive, 0) : 0;
}

/* The loop over positive values until the sum is within `tolerance` of 1; at most 1000 times, since it need not end. */
static void loop(const double *est, size_t d, double tolerance, double *out)
{
    for (size_t v = 0; v < d; v++)
        out[v] = est[v];
    double sum = 0;
    for (int i = 0; i < 1000 && !(fabs(sum - 1) <= tolerance); i++) {
        sum = 0;
        double positive = 0;
        for (size_t v = 0; v < d; v++) {
            out[v] = out[v] > 0 ? out[v] : 0;
            sum += out[v];
            positive += out[v] > 0;
        }
        for (size_t v = 0; v < d; v++)
            out[v] += out[v] > 0 ? (1 - sum) / positive : 0;
        sum = 0;
        for (size_t v = 0; v < d; v++)
            sum += out[v] > 0 ? out[v] : 0;
    }
    for (size_t v = 0; v < d; v++)
        out[v] = fmax(out[v], 0);
}

static void loop_to_one_user(const double *est, size_t d, double *out)
{
    loop(est, d, 1e-3, out);
}

static void loop_to_the_end(const double *est, size_t d, double *out)
{
    loop(est, d, 1e-15, out);
}

Test(norm_sub, published_mistakes_are_caught)
{
    cr_expect_not(projects(one_pass));
    cr_expect_not(projects(loop_to_one_user));
    cr_expect_not(projects(loop_to_the_end));
}

/* npmle: optimality of the fit by the gradient in extended precision, against expectation maximisation, recovery of a
 * known prior, and what is defined at the edges. */
#include "ldp.h"
#include "numerics/simplex.h"
#include "priors/interior.h"
#include "priors/mixture.h"
#include "quick.h"
#include "setup.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The fit ---- */

static long double density(const struct ldp_mixture *mixture, long double y)
{
    long double f = 0;

    for (size_t j = 0; j < mixture->natoms; j++)
        f += mixture->w[j] * expl(-(y - mixture->t[j]) * (y - mixture->t[j]) / 2);
    return f;
}

/* D(t) for estimates y with weights c (NULL: equal); f their densities. */
static long double gradient(const double *y, const double *c, const long double *f, size_t d, long double t)
{
    long double sum = 0;

    for (size_t v = 0; v < d; v++)
        sum += (c ? c[v] : 1.L / (long double)d) * expl(-(y[v] - t) * (y[v] - t) / 2) / f[v];
    return sum;
}

/* What is wrong with a fit to y[d], NULL where nothing is. Between atoms 1/4 apart D exceeds their bound by a factor
 * of at most 1 / (1 - (1/8)^2 / 2) = 1.0079, since D'' >= -D; bins of 1/16 change it by less than 0.002. */
static const char *not_optimal(const struct ldp_mixture *mixture, const double *y, size_t d)
{
    long double *const f = malloc(d * sizeof *f);

    for (size_t i = 0; i < mixture->nrows; i++)
        f[i] = density(mixture, mixture->y[i]);
    long double sum = 0, mean = 0;
    const char *wrong = NULL;
    for (size_t j = 0; j < mixture->natoms; j++) {
        const long double D = gradient(mixture->y, mixture->c, f, mixture->nrows, mixture->t[j]);

        if (D > 1 + 1.01e-6L)
            wrong = "D exceeds 1 at an atom";
        if (mixture->w[j] < 0 || mixture->t[j] < 0 || mixture->t[j] > mixture->top)
            wrong = "an atom is out of range";
        sum += mixture->w[j];
        mean += mixture->w[j] * D;
    }
    if (fabsl(sum - 1) > 1e-12L || fabsl(mean - 1) > 1e-10L)
        wrong = "weights do not sum to 1";
    long double last = 0;
    for (size_t v = 0; v < d; v++) {
        f[v] = density(mixture, y[v]);
        last = fmaxl(last, y[v]);
    }
    for (long double t = 0; t <= fminl(last + 3, mixture->top) && !wrong; t += 0.0625L)
        if (gradient(y, NULL, f, d, t) > 1.01L)
            wrong = "D exceeds 1 off the atoms";
    free(f);
    return wrong;
}

enum { SAMPLES = 6, MOST = 600 };

/* Estimates in units of the noise; the name is for messages. */
static const char *sample(int which, double *y, size_t *d)
{
    static const char *const names[SAMPLES] = {"one level",         "two levels",     "power law",
                                               "lone and isolated", "even up to 250", "geometric"};
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);

    gsl_rng_set(rng, (unsigned long)statistics_seed(40 + (uint64_t)which));
    *d = which == 3 ? 40 : which == 4 ? MOST : 300;
    for (size_t v = 0; v < *d; v++) {
        const double rank = (double)v + 1;
        const double truth[SAMPLES] = {
            1, v % 3 ? 0 : 5, 200 * pow(rank, -1.5), rank * rank / 3, 250 * rank / (double)*d, 20 * pow(0.97, rank)};

        y[v] = truth[which] + gsl_ran_gaussian_ziggurat(rng, 1);
    }
    gsl_rng_free(rng);
    return names[which];
}

Test(npmle, gradient_condition, SLOW)
{
    void *const scratch = malloc(ldp_mixture_scratch(MOST));

    for (int which = 0; which < SAMPLES; which++)
        for (int bounded = 0; bounded < 2; bounded++) {
            double y[MOST];
            size_t d;
            const char *const name = sample(which, y, &d);

            struct ldp_mixture mixture;
            ldp_mixture_fit(y, d, bounded ? 3.7 : 1e6, scratch, &mixture);
            if (bounded)
                for (size_t v = 0; v < d; v++)
                    y[v] = fmin(y[v], 3.7 + 24);
            const char *const wrong = not_optimal(&mixture, y, d);
            cr_expect_null(wrong, "%s, up to %g: %s", name, mixture.top, wrong);
            if (which == 4 && !bounded)
                cr_expect_gt(mixture.placed, 900, "%zu atoms: one block", mixture.placed);
        }
    free(scratch);
}

/* ---- The continuous problem ---- */

/* A mixture whose atoms may stand anywhere: the fit, taken on by expectation maximisation of places and weights on the
 * estimates themselves, which only raises their likelihood. */
struct moved {
    size_t m;
    double t[2048], w[2048];
};

static double mean_at(const struct moved *moved, double y, double *density_at_y)
{
    double f = 0, sum = 0;

    for (size_t j = 0; j < moved->m; j++) {
        const double L = moved->w[j] * exp(-(y - moved->t[j]) * (y - moved->t[j]) / 2);

        f += L;
        sum += L * moved->t[j];
    }
    *density_at_y = f;
    return sum / f;
}

static void move(struct moved *moved, const double *y, size_t d)
{
    static double mass[2048], place[2048];

    memset(mass, 0, sizeof mass);
    memset(place, 0, sizeof place);
    for (size_t v = 0; v < d; v++) {
        double f;

        mean_at(moved, y[v], &f);
        for (size_t j = 0; j < moved->m; j++) {
            const double share = moved->w[j] * exp(-(y[v] - moved->t[j]) * (y[v] - moved->t[j]) / 2) / f;

            mass[j] += share / (double)d;
            place[j] += share / (double)d * y[v];
        }
    }
    for (size_t j = 0; j < moved->m; j++)
        if (mass[j] > 0) {
            moved->w[j] = mass[j];
            moved->t[j] = fmax(0, place[j] / mass[j]);
        }
}

/* What the grid of atoms and the bins cost against atoms anywhere; docs/methods.md has the numbers. */
Test(npmle, what_the_grid_costs, SLOW, .timeout = 1800)
{
    static double y[MOST];
    static struct moved moved;
    void *const scratch = malloc(ldp_mixture_scratch(MOST));
    double most_missing = 0, most_away = 0;

    for (int which = 0; which < SAMPLES; which++) {
        size_t d;
        const char *const name = sample(which, y, &d);

        if (which == 4) /* that many atoms take too long */
            continue;
        struct ldp_mixture mixture;
        ldp_mixture_fit(y, d, 1e6, scratch, &mixture);
        moved.m = 0;
        for (size_t j = 0; j < mixture.natoms; j++)
            if (mixture.w[j] > 1e-9) {
                moved.t[moved.m] = mixture.t[j];
                moved.w[moved.m++] = mixture.w[j];
            }
        double before = 0, f;
        for (size_t v = 0; v < d; v++) {
            mean_at(&moved, y[v], &f);
            before += log(f) / (double)d;
        }
        for (int round = 0; round < 3000; round++)
            move(&moved, y, d);
        double after = 0, away = 0;
        for (size_t v = 0; v < d; v++) {
            away = fmax(away, fabs(mean_at(&moved, y[v], &f) - ldp_mixture_mean(&mixture, y[v])));
            after += log(f) / (double)d;
        }
        cr_log_info("%s: %.2g nats a value missing, answers %.2g sigma away", name, after - before, away);
        most_missing = fmax(most_missing, after - before);
        most_away = fmax(most_away, away);
    }
    cr_log_info("at most %.2g nats a value, %.2g sigma", most_missing, most_away);
    cr_expect(most_missing < 4e-3, "%g nats a value", most_missing);
    cr_expect(most_away < 0.15, "%g sigma", most_away);
    free(scratch);
}

Test(npmle, planted_mistakes_of_the_fit_are_caught)
{
    void *const scratch = malloc(ldp_mixture_scratch(MOST));

    for (int mistake = 0; mistake < 4; mistake++) {
        double y[MOST];
        size_t d;
        sample(2, y, &d);
        if (mistake == 2) /* no atom below 1/2 */
            for (size_t v = 0; v < d; v++)
                y[v] -= 0.5;
        if (mistake == 3) /* the noise taken for 10 % less than it is */
            for (size_t v = 0; v < d; v++)
                y[v] *= 1.1;
        struct ldp_mixture mixture;
        ldp_mixture_fit(y, d, 1e6, scratch, &mixture);
        for (size_t j = 0; j < mixture.natoms; j++) {
            if (mistake == 0) /* not yet converged */
                mixture.w[j] = 0.9999 * mixture.w[j] + 0.0001 / (double)mixture.natoms;
            if (mistake == 1) /* weights that sum to less */
                mixture.w[j] *= 1 - 1e-5;
            if (mistake == 2)
                mixture.t[j] += 0.5;
            if (mistake == 3)
                mixture.t[j] /= 1.1;
        }
        for (size_t i = 0; i < mixture.nrows; i++)
            mixture.y[i] = mistake == 2 ? mixture.y[i] + 0.5 : mistake == 3 ? mixture.y[i] / 1.1 : mixture.y[i];
        sample(2, y, &d);
        cr_expect_not_null(not_optimal(&mixture, y, d), "mistake %d passes", mistake);
    }
    free(scratch);
}

/* ---- The two solvers ---- */

/* Rows at `rows` places from `from` on, `apart` from one to the next, and the atoms at multiples of 1/4 near them. */
static void block_new(struct ldp_interior *block, size_t rows, double from, double apart)
{
    *block = (struct ldp_interior){0};
    const double last = from + (double)(rows - 1) * apart;
    for (double t = floor(4 * (from - 1.5)) / 4; t <= last + 1.5; t += 0.25)
        if (t >= 0)
            block->t[block->natoms++] = t;
    double mass = 0;
    for (size_t i = 0; i < rows; i++) {
        const double y = from + (double)i * apart;
        block->c[i] = 1 + (double)(i * i % 7) + (i % 11 == 3 ? 20 : 0);
        mass += block->c[i];
        for (size_t j = 0; j < block->natoms; j++) {
            if (fabs(block->t[j] - y) > 9)
                continue;
            if (block->count[i] == 0)
                block->first[i] = j;
            block->L[i][block->count[i]++] = exp(-(y - block->t[j]) * (y - block->t[j]) / 2);
        }
    }
    for (size_t i = 0; i < rows; i++)
        block->c[i] /= mass;
    block->nrows = rows;
}

/* The mean log-likelihood, and the largest D. */
static long double likelihood_of(const struct ldp_interior *block, long double *most)
{
    long double sum = 0, D[LDP_INTERIOR_ATOMS] = {0};
    for (size_t i = 0; i < block->nrows; i++) {
        long double f = 0;
        for (size_t k = 0; k < block->count[i]; k++)
            f += (long double)block->w[block->first[i] + k] * block->L[i][k];
        sum += block->c[i] * logl(f);
        for (size_t k = 0; k < block->count[i]; k++)
            D[block->first[i] + k] += block->c[i] * block->L[i][k] / f;
    }
    *most = 0;
    for (size_t j = 0; j < block->natoms; j++)
        *most = fmaxl(*most, D[j]);
    return sum;
}

/* Steps on few atoms and the interior-point method end at the same likelihood, with the stated bound; also where there
 * are fewer rows than atoms, so that the model of a step has no single least. */
Test(npmle, exchange_and_interior_point_agree)
{
    static const struct {
        size_t rows;
        double from, apart;
    } cases[] = {{2, 5, 0.3}, {3, 0, 0.07}, {8, 3, 0.9}, {40, 20, 0.06}, {150, 2, 0.0625}, {200, 10, 0.29}};
    struct ldp_interior *const a = malloc(sizeof *a), *const b = malloc(sizeof *b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (double tolerance = 1e-9; tolerance < 2e-6; tolerance *= 1000) {
            block_new(a, cases[i].rows, cases[i].from, cases[i].apart);
            block_new(b, cases[i].rows, cases[i].from, cases[i].apart);
            cr_assert(ldp_exchange_fit(a, tolerance), "case %zu, %g: the steps did not get there", i, tolerance);
            ldp_interior_fit(b, tolerance);
            long double most_a, most_b;
            const long double la = likelihood_of(a, &most_a), lb = likelihood_of(b, &most_b);
            cr_expect(most_a <= 1 + (long double)tolerance, "case %zu, %g: D - 1 = %Lg", i, tolerance, most_a - 1);
            cr_expect(fabsl(la - lb) <= 2 * (long double)tolerance, "case %zu, %g: %Lg", i, tolerance, la - lb);
        }
    free(a);
    free(b);
}

/* The interior-point method takes over from steps that did not get there. */
Test(npmle, interior_point_after_steps_that_failed)
{
    struct ldp_interior *const a = malloc(sizeof *a), *const b = malloc(sizeof *b);
    block_new(a, 150, 2, 0.0625);
    block_new(b, 150, 2, 0.0625);
    cr_expect_not(ldp_exchange_fit(a, 0), "no fit has a gap of 0");
    ldp_interior_fit(a, 1e-9);
    cr_assert(ldp_exchange_fit(b, 1e-9));
    long double most_a, most_b;
    const long double la = likelihood_of(a, &most_a), lb = likelihood_of(b, &most_b);
    cr_expect(most_a <= 1 + 1e-9L && fabsl(la - lb) <= 2e-9L, "%Lg, %Lg", most_a - 1, la - lb);
    free(a);
    free(b);
}

/* Rows at random distances, of random weights, some of them heavy: nothing that the steps do not solve. */
Test(npmle, steps_get_there)
{
    struct ldp_interior *const block = malloc(sizeof *block);
    struct ldp_rng rng = make_stream(statistics_seed(1), "steps", 0);
    for (size_t i = 0; i < 400; i++) {
        const double apart = exp(-4 + 5 * ldp_rng_uniform(&rng)), room = 58 / apart;
        const size_t rows = 2 + (size_t)ldp_rng_below(&rng, (uint64_t)(room < 900 ? room : 900));
        block_new(block, rows, 30 * ldp_rng_uniform(&rng), apart);
        for (size_t j = 0; j < rows; j++)
            block->c[j] *= exp(6 * ldp_rng_uniform(&rng));
        cr_expect(ldp_exchange_fit(block, i % 2 ? 1e-6 : 1e-9), "%zu rows %g apart", rows, apart);
    }
    free(block);
}

/* Expectation maximisation on the multiples of 1/4, far and wide. */
Test(npmle, agrees_with_expectation_maximisation, SLOW)
{
    enum { D = 40, ATOMS = 61, PASSES = 20000 };
    static long double L[D][ATOMS];
    void *const scratch = malloc(ldp_mixture_scratch(D));
    double y[D];

    /* One estimate to a bin, so that bins change nothing. */
    for (size_t v = 0; v < D; v++)
        y[v] = v < 24 ? -2.03 + 0.17 * (double)v : -2.03 + 0.1 * (double)v + 0.006 * (double)(v * v);
    long double w[ATOMS];
    for (size_t j = 0; j < ATOMS; j++)
        w[j] = 1.L / ATOMS;
    for (size_t v = 0; v < D; v++)
        for (size_t j = 0; j < ATOMS; j++)
            L[v][j] = expl(-powl(y[v] - 0.25L * (long double)j, 2) / 2);
    long double f[D], D_j[ATOMS];
    for (int pass = 0; pass < PASSES; pass++) {
        memset(D_j, 0, sizeof D_j);
        for (size_t v = 0; v < D; v++) {
            f[v] = 0;
            for (size_t j = 0; j < ATOMS; j++)
                f[v] += w[j] * L[v][j];
            for (size_t j = 0; j < ATOMS; j++)
                D_j[j] += L[v][j] / f[v] / D;
        }
        if (pass + 1 < PASSES)
            for (size_t j = 0; j < ATOMS; j++)
                w[j] *= D_j[j];
    }
    struct ldp_mixture mixture;
    ldp_mixture_fit(y, D, 15, scratch, &mixture);
    cr_assert_eq(mixture.nrows, D);
    long double gap = 0;
    for (size_t j = 0; j < ATOMS; j++)
        gap = fmaxl(gap, D_j[j] - 1);
    cr_assert_lt(gap, 1e-4L);
    long double best = 0, ours = 0;
    for (size_t v = 0; v < D; v++) {
        best += logl(f[v]) / D;
        ours += logl(density(&mixture, y[v])) / D;
        long double moment = 0;
        for (size_t j = 0; j < ATOMS; j++)
            moment += w[j] * 0.25L * (long double)j * L[v][j] / f[v];
        cr_expect_float_eq(ldp_mixture_mean(&mixture, y[v]), (double)moment, 0.01, "at %g: %g, not %Lg", y[v],
                           ldp_mixture_mean(&mixture, y[v]), moment);
    }
    /* The two optima lie within each other's bound. */
    cr_expect(ours >= best - 1.01e-6L && ours <= best + gap + 1e-15L, "%.12Lg, not %.12Lg + %.3Lg", ours, best, gap);
    free(scratch);
}

/* ---- The method ---- */

typedef void (*rule)(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out);

static void run(const char *name, const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out)
{
    const struct ldp_method_spec spec = {.method = ldp_method_find(name)};
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, protocol->d));

    ldp_postprocess(&spec, &(struct ldp_collection){protocol, n, NULL, est}, scratch, out);
    free(scratch);
}

static void npmle(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out)
{
    run("npmle", protocol, n, est, out);
}

/* Noise of variance s1 instead of n s1. */
static void without_n(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out)
{
    run("npmle", protocol, 1, est, out);
}

/* No true count below half a standard deviation. */
static void above_zero(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out)
{
    const double least = ldp_sigma(protocol, n) / 2;
    double *const moved = malloc(protocol->d * sizeof *moved);

    for (size_t v = 0; v < protocol->d; v++)
        moved[v] = est[v] - least;
    run("npmle", protocol, n, moved, out);
    for (size_t v = 0; v < protocol->d; v++)
        out[v] += least;
    free(moved);
}

/* A third as much noise again as there is. */
static void too_much(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out)
{
    struct ldp_protocol other = *protocol;

    other.s1 *= 16. / 9;
    run("npmle", &other, n, est, out);
}

/* Three quarters of the values have nobody, one quarter 4 standard deviations: the mean squared distance from the
 * answers of one who knows that, in units of the noise's variance. */
static double regret(rule apply)
{
    enum { D = 8000 };
    static const uint64_t n = 1000000;
    const struct ldp_protocol protocol = default_protocol("oue", D, 1);
    const double sigma = ldp_sigma(&protocol, n);
    double *const est = malloc(D * sizeof *est), *const out = malloc(D * sizeof *out);
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);

    gsl_rng_set(rng, (unsigned long)statistics_seed(50));
    for (size_t v = 0; v < D; v++)
        est[v] = sigma * ((v % 4 ? 0 : 4) + gsl_ran_gaussian_ziggurat(rng, 1));
    apply(&protocol, n, est, out);
    double sum = 0;
    for (size_t v = 0; v < D; v++) {
        const double y = est[v] / sigma, odds = exp(4 * y - 8) / 3, known = 4 * odds / (1 + odds);

        sum += (out[v] / sigma - known) * (out[v] / sigma - known);
    }
    gsl_rng_free(rng);
    free(est);
    free(out);
    return sum / D;
}

/* The risk of the one who knows is 0.22 here: a hundredth of it. */
Test(npmle, recovers_two_points)
{
    cr_expect_lt(regret(npmle), 0.0022, "%g", regret(npmle));
    cr_expect_gt(regret(without_n), 0.03, "%g", regret(without_n));
    cr_expect_gt(regret(above_zero), 0.03, "%g", regret(above_zero));
    cr_expect_gt(regret(too_much), 0.03, "%g", regret(too_much));
}

/* More estimates that stand apart than there is room for thirteen atoms each of: the largest have one. */
Test(npmle, estimates_far_and_wide, SLOW)
{
    enum { D = 6000 };
    static double y[D];
    void *const scratch = malloc(ldp_mixture_scratch(D));

    for (size_t v = 0; v < D; v++)
        y[v] = v < D - 400 ? 2.9 * (double)v : 2.9 * (D - 400) + 0.05 * (double)(v - (D - 400));
    struct ldp_mixture mixture;
    ldp_mixture_fit(y, D, 1e6, scratch, &mixture);
    cr_expect_gt(mixture.placed, 10 * 4096, "%zu", mixture.placed);
    cr_expect_lt(mixture.placed, 12 * D, "%zu", mixture.placed);
    cr_expect_lt(mixture.natoms, mixture.placed, "%zu", mixture.natoms);
    double before = -1;
    for (size_t v = 0; v < D; v++) {
        const double mean = ldp_mixture_mean(&mixture, y[v]);

        cr_expect(mean >= before && fabs(mean - y[v]) < 12, "%zu: %g of %g after %g", v, mean, y[v], before);
        before = mean;
    }
    free(scratch);
}

Test(npmle, edges)
{
    const uint64_t n = 1000000;
    const struct ldp_protocol exact = default_protocol("exact", 4, 1), two = default_protocol("oue", 2, 1),
                              four = default_protocol("oue", 4, 1);
    const double sigma = ldp_sigma(&four, n);
    double out[4];

    run("npmle", &exact, n, (double[]){0.5, -0.1, 1.5, 0.25}, out);
    cr_expect_arr_eq(out, ((double[]){0.5, 0, 1, 0.25}), sizeof out);
    run("npmle", &four, n, (double[]){0.25, 0.25, 0.25, 0.25}, out);
    for (size_t v = 0; v < 4; v++)
        cr_expect_float_eq(out[v], 0.25, sigma / 100);
    run("npmle", &four, n, (double[]){-0.3, -0.1, -0.2, -0.4}, out);
    for (size_t v = 0; v < 4; v++)
        cr_expect(out[v] >= 0 && out[v] < sigma / 1000, "%g", out[v]);
    /* Isolated estimates are their own atoms; no count is above n. */
    run("npmle", &four, n, (double[]){0.123, 0.3, -1e300, 1e300}, out);
    cr_expect_float_eq(out[0], 0.123, 1e-15);
    cr_expect_float_eq(out[1], 0.3, 1e-15);
    cr_expect_eq(out[2], 0);
    cr_expect_float_eq(out[3], 1, 1e-15);
    run("npmle", &two, n, (double[]){0.6, 0.4}, out);
    cr_expect_float_eq(out[0], 0.6, 1e-15);
    cr_expect_float_eq(out[1], 0.4, 1e-15);
}

Test(npmle, projected)
{
    const struct ldp_protocol protocol = default_protocol("oue", 5, 1);
    static const double est[5] = {0.5, 0.3, 0.001, -0.002, 0.0005};
    double first[5];

    run("npmle", &protocol, 100000, est, first);
    double work[5], want[5];
    ldp_simplex_project(first, 5, work, want);
    double got[5];
    run("npmle_ns", &protocol, 100000, est, got);
    cr_expect_arr_eq(got, want, sizeof want);
}

/* Means of many estimates at once are those of each. */
Test(npmle, means_are_those_of_one)
{
    enum { D = 203 };
    void *const scratch = malloc(ldp_mixture_scratch(D));
    double y[D], means[D];
    struct ldp_rng rng = make_stream(6, "test_npmle", 0);
    for (size_t v = 0; v < D; v++)
        y[v] = v % 7 == 0 ? 200 * ldp_rng_uniform(&rng) : 6 * ldp_rng_uniform(&rng) - 3;
    y[0] = -1e9;
    y[1] = 1e9;
    struct ldp_mixture mixture;
    ldp_mixture_fit(y, D, 150, scratch, &mixture);
    ldp_mixture_means(&mixture, y, D, means);
    for (size_t v = 0; v < D; v++)
        cr_expect_eq(means[v], ldp_mixture_mean(&mixture, y[v]), "at %g", y[v]);
    ldp_mixture_means(&mixture, y, D, y);
    cr_expect_arr_eq(y, means, sizeof means);
    free(scratch);
}

/* The same bytes at every vector level; composite_mle has loops of that kind as well. */
Test(npmle, levels_agree)
{
    enum { D = 300 };
    static double est[D], first[D], out[D];
    const struct ldp_protocol protocol = default_protocol("oue", D, 1);
    const double sigma = ldp_sigma(&protocol, 100000);
    struct ldp_rng rng = make_stream(5, "test_npmle", 0);
    for (size_t v = 0; v < D; v++)
        est[v] = 0.3 * pow((double)v + 1, -1.5) + sigma * 4 * (ldp_rng_uniform(&rng) + ldp_rng_uniform(&rng) - 1);
    const char *const names[] = {"npmle", "composite_mle"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
            if (!ldp_simd_available(level))
                continue;
            ldp_simd_use(level);
            run(names[i], &protocol, 100000, est, level == LDP_SIMD_GENERIC ? first : out);
            cr_expect(level == LDP_SIMD_GENERIC || memcmp(first, out, sizeof out) == 0, "%s, %s", names[i],
                      ldp_simd_name(level));
        }
    ldp_simd_use(LDP_SIMD_LEVELS);
}

/* mix: likelihoods against the laws of supports, posterior means against sums in extended precision, errors beside
 * npmle_ns on the populations of studies/mix.md, vector levels, and what is defined at the edges. */
#include "laws/classes.h"
#include "ldp.h"
#include "priors/ensemble.h"
#include "quick.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct ldp_protocol protocol_of(const char *oracle, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(oracle)};
    ldp_params_default(spec.oracle->params, spec.param);
    struct ldp_protocol protocol;
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, d, epsilon, NULL), LDP_OK);
    return protocol;
}

static void run(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out)
{
    const struct ldp_method_spec spec = {.method = ldp_method_find("mix")}; /* 0: none is left out */
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, protocol->d));
    ldp_postprocess(&spec, &(struct ldp_collection){protocol, n, NULL, est}, scratch, out);
    free(scratch);
}

/* A lattice of est[d], to be freed with its row_of. */
static struct ldp_lattice *lattice_of(const struct ldp_protocol *protocol, uint64_t n, const double *est)
{
    struct ldp_lattice *const lattice = malloc(sizeof *lattice);
    lattice->row_of = malloc(protocol->d * sizeof *lattice->row_of);
    void *const scratch = malloc(ldp_classes_bytes(protocol->d));
    ldp_lattice_init(lattice, &(struct ldp_collection){protocol, n, NULL, est}, scratch);
    free(scratch);
    return lattice;
}

static void lattice_free(struct ldp_lattice *lattice)
{
    free(lattice->row_of);
    free(lattice);
}

/* Rows are in order, hold every value once, at the mean of estimates that lie close together: half as far from each
 * other where values are many. */
Test(mix, rows_hold_all_values)
{
    enum { MANY = 10000 };
    const uint64_t n = 1000000;
    static double est[MANY];
    for (size_t d = 500; d <= MANY; d += MANY - 500) {
        const struct ldp_protocol protocol = protocol_of("olh", d, 1);
        const double s = ldp_sigma(&protocol, n), wide = d < MANY ? 2 : 1;
        double count = 0;
        struct ldp_rng rng;
        ldp_rng_stream(&rng, 1, "test_mix", 0);
        for (size_t v = 0; v < d; v++)
            est[v] = s * (v % 5 ? 3 * ldp_rng_uniform(&rng) - 1.5 : 400 * ldp_rng_uniform(&rng));
        struct ldp_lattice *const lattice = lattice_of(&protocol, n, est);
        for (size_t i = 0; i < lattice->nrows; i++) {
            count += lattice->c[i];
            cr_expect(i == 0 || lattice->y[i] > lattice->y[i - 1]);
            cr_expect(i == 0 || lattice->first[i] >= lattice->first[i - 1]);
        }
        cr_expect_eq(count, (double)d);
        for (size_t v = 0; v < d; v++) {
            const double y = est[v] / s, row = lattice->y[lattice->row_of[v]];
            cr_expect_lt(fabs(y - row), wide * (y < 8 ? 1 / 16. : y < 64 ? 1 / 4. : 0.006 * y), "%g in row %g", y, row);
        }
        lattice_free(lattice);
    }
}

/* With grr and few reports of a value, the ratio of the likelihoods of two frequencies is that of the exact law of its
 * support, Bin(n f, p) + Bin(n - n f, q), nearly, and with olh that of a normal law of the exact variance. */
Test(mix, likelihoods_are_those_of_supports)
{
    const struct ldp_protocol grr = protocol_of("grr", 1000, 1);
    const uint64_t n = 2000;
    const double shift = grr.q / (grr.p - grr.q), unit = 1 / ((double)n * (grr.p - grr.q));
    double *const est = calloc(1000, sizeof *est);
    for (size_t v = 0; v < 1000; v++)
        est[v] = (double)(v % 12) * unit - shift; /* supports 0 .. 11 */
    struct ldp_lattice *const lattice = lattice_of(&grr, n, est);
    cr_assert_eq(lattice->nrows, 12);
    double *const at[2] = {malloc(lattice->nrows * sizeof(double)), malloc(lattice->nrows * sizeof(double))};
    static const double users[2] = {0, 200};
    for (size_t k = 0; k < 2; k++)
        ldp_lattice_likelihoods(lattice, users[k] / (double)n / lattice->s, at[k]);
    for (unsigned x = 0; x < 12; x++) {
        double law[2] = {0};
        for (size_t k = 0; k < 2; k++)
            for (unsigned kept = 0; kept <= x; kept++)
                law[k] += gsl_ran_binomial_pdf(kept, grr.p, (unsigned)users[k]) *
                          gsl_ran_binomial_pdf(x - kept, grr.q, (unsigned)(n - (unsigned)users[k]));
        cr_expect_float_eq(at[1][x] / at[0][x] / (law[1] / law[0]), 1, 0.02, "support %u: %g, law %g", x,
                           at[1][x] / at[0][x], law[1] / law[0]);
    }
    free(at[0]);
    free(at[1]);
    lattice_free(lattice);
    free(est);
}

/* Posterior mean and variance of a prior on single places, by sums of the definition. */
Test(mix, posterior_is_bayes)
{
    enum { D = 300 };
    const uint64_t n = 100000;
    const struct ldp_protocol protocol = protocol_of("oue", D, 3);
    const double s = ldp_sigma(&protocol, n), h = protocol.tf * s / protocol.s1;
    double est[D], w[LDP_LATTICE_WEIGHTS] = {0};
    for (size_t v = 0; v < D; v++)
        est[v] = s * (-4 + 10 * (double)v / D);
    struct ldp_lattice *const lattice = lattice_of(&protocol, n, est);
    for (size_t j = 0; j < 20; j++)
        w[j] = (double)(1 + j) / 210;
    struct ldp_posterior *const posterior = malloc(sizeof *posterior);
    ldp_lattice_posterior(lattice, w, posterior);
    for (size_t i = 0; i < lattice->nrows; i++) {
        long double f = 0, first = 0, second = 0;
        for (size_t j = 0; j < 20; j++) {
            const long double t = lattice->t[j], variance = 1 + h * t, y = lattice->y[i];
            const long double L = w[j] * expl(-(y - t) * (y - t) / (2 * variance)) / sqrtl(variance);
            f += L;
            first += L * t;
            second += L * t * t;
        }
        cr_expect_float_eq(posterior->m[i], (double)(first / f), 1e-9);
        cr_expect_float_eq(posterior->V[i], (double)(second / f - first / f * (first / f)), 1e-9);
    }
    free(posterior);
    lattice_free(lattice);
}

/* ---- Errors ---- */

enum { MOST_VALUES = 2048 };

/* The mean squared error of a method over that of another, of the same collections: over all values, or the k largest.
 */
static double quotient(const char *method, const char *rival, size_t k, const char *oracle, double epsilon,
                       const uint64_t *counts, size_t d, size_t repetitions)
{
    struct ldp_protocol protocol = protocol_of(oracle, d, epsilon);
    struct ldp_population *population;
    struct ldp_simulation simulation;
    struct ldp_evaluation *evaluation;
    struct ldp_method_spec methods[] = {{.method = ldp_method_find(method)}, {.method = ldp_method_find(rival)}};
    const double points[] = {(double)k};
    const struct ldp_query_spec query = {
        .query = ldp_query_find(k > 0 ? "top_k" : "full_domain"), .npoints = 1, .points = k > 0 ? points : NULL};
    for (size_t i = 0; i < 2; i++) {
        ldp_params_default(methods[i].method->params, methods[i].param);
        if (k > 0 && methods[i].method == ldp_method_find("mix_top"))
            methods[i].param[0] = (double)k;
    }
    double sum[2] = {0}, measured[2];
    cr_assert_eq(ldp_population_new(counts, d, &population), LDP_OK);
    cr_assert_eq(ldp_simulation_init(&simulation, &protocol, population, LDP_COUNTS), LDP_OK);
    cr_assert_eq(ldp_evaluation_new(methods, 2, &query, 1, d, &evaluation), LDP_OK);
    void *const scratch = malloc(simulation.scratch_bytes), *const decode = malloc(ldp_estimate_scratch(&protocol));
    double *const support = malloc(protocol.support_size * sizeof *support), *const est = malloc(d * sizeof *est);
    for (size_t r = 0; r < repetitions; r++) {
        struct ldp_rng rng;
        ldp_rng_stream(&rng, statistics_seed(7), "test_mix", r);
        ldp_simulate(&simulation, &rng, scratch, support);
        struct ldp_collection collection = {&protocol, population->n, support, est};
        ldp_estimate(&protocol, population->n, support, decode, est);
        const struct ldp_protocol observed = ldp_observed(&collection, decode);
        collection.protocol = &observed;
        ldp_evaluate(evaluation, &collection, population, &rng, measured);
        for (size_t i = 0; i < 2; i++)
            sum[i] += measured[i];
    }
    free(scratch);
    free(decode);
    free(support);
    free(est);
    ldp_evaluation_free(evaluation);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
    return sum[0] / sum[1];
}

static double beside_npmle(const char *oracle, double epsilon, const uint64_t *counts, size_t d, size_t repetitions)
{
    return quotient("mix", "npmle_ns", 0, oracle, epsilon, counts, d, repetitions);
}

/* Bounds are the prototype's ratios of combining.md and their spread; npmle_ns has 1. */
Test(mix, errors, SLOW)
{
    uint64_t zipf[1024], level[1024], sparse[1024], block[300], steep[1024];
    double total = 0;
    for (size_t v = 0; v < 1024; v++)
        total += pow((double)v + 1, -1.5);
    for (size_t v = 0; v < 1024; v++) {
        zipf[v] = (uint64_t)(1e6 * pow((double)v + 1, -1.5) / total);
        level[v] = 977;
        sparse[v] = v % 256 == 0 ? 100000 + 300 * v : 0;
        steep[v] = (uint64_t)(1e6 * pow((double)v + 1, -3) / 1.2);
    }
    for (size_t v = 0; v < 300; v++)
        block[v] = v % 5 ? 300 : 3000;
    const size_t m = statistics_repetitions(30, 10);
    double ratio = beside_npmle("olh", 1, zipf, 1024, m);
    cr_expect(ratio > 0.8 && ratio < 0.97, "Zipf 1.5: %g", ratio);
    ratio = beside_npmle("olh", 1, level, 1024, m);
    cr_expect_lt(ratio, 0.5, "uniform: %g", ratio);
    ratio = beside_npmle("olh", 2, sparse, 1024, m);
    cr_expect_lt(ratio, 1.05, "four of 1024: %g", ratio);
    ratio = beside_npmle("olh", 1, block, 300, m);
    cr_expect_lt(ratio, 1.1, "two levels: %g", ratio);
    /* The blocks of hr have variances of their own; the prototype, with one for all, had 1.4. */
    ratio = beside_npmle("hr", 4, steep, 1024, m);
    cr_expect_lt(ratio, 1.1, "Zipf 3 with hr: %g", ratio);
}

/* Counts of reports with mean 2: normal noise makes errors ten times those of npmle_ns, Poisson's a third. */
Test(mix, few_reports_of_a_value, SLOW)
{
    static uint64_t counts[MOST_VALUES];
    double total = 0;
    for (size_t v = 0; v < MOST_VALUES; v++)
        total += pow((double)v + 1, -1.2);
    for (size_t v = 0; v < MOST_VALUES; v++)
        counts[v] = (uint64_t)(5000 * pow((double)v + 1, -1.2) / total + 0.5);
    const double ratio = beside_npmle("grr", 1, counts, MOST_VALUES, statistics_repetitions(20, 5));
    cr_expect_lt(ratio, 0.9, "%g", ratio);
}

/* As many values are expected among the k largest as there are, though no law fits these counts: twenty large equal
 * ones before Zipf's law. */
Test(mix, k_values_are_among_the_k_largest)
{
    enum { D = 500 };
    const uint64_t n = 1000000;
    const struct ldp_protocol protocol = protocol_of("olh", D, 2);
    const double s = ldp_sigma(&protocol, n);
    double est[D];
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 3, "test_mix", 0);
    for (size_t v = 0; v < D; v++)
        est[v] = (v < 20 ? 0.03 : 0.4 / 6.8 / (double)(v + 1)) + s * sqrt(12) * (ldp_rng_uniform(&rng) - 0.5);
    void *const scratch = malloc(ldp_ensemble_bytes(D));
    for (size_t k = 1; k <= D; k = 3 * k + 2) {
        const struct ldp_ensemble *const ensemble =
            ldp_ensemble_of(&(struct ldp_collection){&protocol, n, NULL, est}, LDP_MEMBERS, k, scratch);
        double among = 0;
        for (size_t i = 0; i < ensemble->lattice.nrows; i++)
            among += ensemble->lattice.c[i] * ensemble->top.f[i];
        cr_expect_float_eq(among / (double)k, 1, 1e-9, "k = %zu: %.12g", k, among);
    }
    free(scratch);
}

/* For the list of the 32 most frequent values base, which has less error there than any method that uses a prior, is
 * beaten; on flat data the answer is the posterior mean. */
Test(mix, list_of_the_largest, SLOW)
{
    uint64_t zipf[1024], level[1024];
    double total = 0;
    for (size_t v = 0; v < 1024; v++)
        total += 1 / ((double)v + 1);
    for (size_t v = 0; v < 1024; v++) {
        zipf[v] = (uint64_t)(1e6 / ((double)v + 1) / total);
        level[v] = 977;
    }
    const size_t m = statistics_repetitions(20, 10);
    double ratio = quotient("mix_top", "base", 32, "olh", 1, zipf, 1024, m);
    cr_expect_lt(ratio, 0.9, "Zipf: %g of base", ratio);
    ratio = quotient("mix_top", "mix", 32, "olh", 1, zipf, 1024, m);
    cr_expect_lt(ratio, 0.6, "Zipf: %g of mix", ratio);
    ratio = quotient("mix_top", "npmle_ns", 32, "olh", 1, level, 1024, m);
    cr_expect_lt(ratio, 1.1, "uniform: %g of npmle_ns", ratio);
}

Test(mix, edges)
{
    const uint64_t n = 1000000;
    const struct ldp_protocol exact = protocol_of("exact", 4, 1), two = protocol_of("oue", 2, 1),
                              four = protocol_of("oue", 4, 1);
    double out[4];
    run(&exact, n, (double[]){0.5, 0.1, 0.15, 0.25}, out);
    cr_expect_float_eq(out[0], 0.5, 1e-15);
    run(&four, n, (double[]){0.25, 0.25, 0.25, 0.25}, out);
    for (size_t v = 0; v < 4; v++)
        cr_expect_float_eq(out[v], 0.25, 1e-9);
    run(&four, n, (double[]){-1e300, 1e300, 0, 0}, out);
    cr_expect(out[1] > 0.9 && out[0] >= 0, "%g %g", out[0], out[1]);
    run(&four, 1, (double[]){3, -2, 0.5, 0.1}, out);
    cr_expect_float_eq(out[0] + out[1] + out[2] + out[3], 1, 1e-12);
    run(&two, n, (double[]){0.6, 0.4}, out);
    cr_expect_float_eq(out[0], 0.6, 0.02);
}

/* Half of the values at 0 and half at ten standard deviations: two points explain the estimates by far better than any
 * log-normal law. Estimates by a log-normal law: that does by far better than two points. */
Test(mix, the_evidence_tells_families_apart)
{
    enum { D = 200 };
    const struct ldp_protocol protocol = protocol_of("oue", D, 1);
    const uint64_t n = (uint64_t)(protocol.s1 * 25 * D * D); /* 2 / D is ten standard deviations */
    const double sigma = ldp_sigma(&protocol, n);
    void *const scratch = malloc(ldp_ensemble_bytes(D));
    for (int law = 0; law < 2; law++) {
        double est[D];
        struct ldp_rng rng;
        ldp_rng_stream(&rng, 9, "test_mix", (uint64_t)law);
        for (size_t v = 0; v < D; v++) {
            const double normal = gsl_cdf_ugaussian_Pinv(((double)v + 0.5) / D), f = law     ? exp(normal - 0.5) / D
                                                                                     : v % 2 ? 2. / D
                                                                                             : 0;
            est[v] = f + sigma * gsl_cdf_ugaussian_Pinv(ldp_rng_uniform(&rng));
        }
        const struct ldp_ensemble *const ensemble =
            ldp_ensemble_of(&(struct ldp_collection){&protocol, n, NULL, est}, LDP_SHAPES | LDP_POINTS, 0, scratch);
        const double shapes = ensemble->of_family[0], points = ensemble->of_family[2];
        cr_expect(law ? shapes > 100 * points : points > 100 * shapes, "law %d: shapes %g, points %g", law, shapes,
                  points);
    }
    free(scratch);
}

struct small_stack {
    const struct ldp_protocol *protocol;
    uint64_t n;
    const double *est;
    double out[200];
};

static void *run_there(void *with)
{
    struct small_stack *const small = with;
    run(small->protocol, small->n, small->est, small->out);
    return NULL;
}

/* In a thread with 64 KB beside what the system needs; points among the priors. */
Test(mix, a_small_stack_suffices)
{
    enum { D = 200 };
    const struct ldp_protocol protocol = protocol_of("oue", D, 1);
    const uint64_t n = (uint64_t)(protocol.s1 * 25 * D * D); /* 2 / D is ten standard deviations */
    double est[D], here[D];
    for (size_t v = 0; v < D; v++)
        est[v] = v % 2 ? 2. / D : 0;
    struct small_stack small = {&protocol, n, est, {0}};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN + (1 << 16)), 0);
    cr_assert_eq(pthread_attr_setguardsize(&attributes, 1 << 20), 0); /* no frame reaches past it */
    cr_assert_eq(pthread_create(&thread, &attributes, run_there, &small), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    run(&protocol, n, est, here);
    cr_expect_arr_eq(small.out, here, sizeof here);
}

/* The same bytes at every vector level. */
Test(mix, levels_agree)
{
    enum { D = 300 };
    static double est[D], first[D], out[D];
    for (int which = 0; which < 2; which++) {
        const struct ldp_protocol protocol = protocol_of(which ? "grr" : "oue", D, 1);
        const uint64_t n = which ? 2000 : 100000;
        const double sigma = ldp_sigma(&protocol, n);
        struct ldp_rng rng;
        ldp_rng_stream(&rng, 5, "test_mix", 0);
        for (size_t v = 0; v < D; v++)
            est[v] = 0.3 * pow((double)v + 1, -1.5) + sigma * 4 * (ldp_rng_uniform(&rng) + ldp_rng_uniform(&rng) - 1);
        for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
            if (!ldp_simd_available(level))
                continue;
            ldp_simd_use(level);
            run(&protocol, n, est, level == LDP_SIMD_GENERIC ? first : out);
            cr_expect(level == LDP_SIMD_GENERIC || memcmp(first, out, sizeof out) == 0, "%s", ldp_simd_name(level));
        }
        ldp_simd_use(LDP_SIMD_LEVELS);
    }
}

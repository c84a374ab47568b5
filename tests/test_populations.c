/* test_populations.c - every oracle on populations that are flat, have a plateau, one value or two, with enough users
 * that a bias would be larger than the noise: each estimate and the total of half the domain are unbiased, errors are
 * as large as stated, and score intervals hold. */
#include "laws/interval.h"
#include "oracle_checks.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

enum { D = 64, R = 40, HALF = D / 2, N = 200000, FUNCTIONS = 100, SETTINGS = 16, POPULATIONS = 4, CHECKS = 20000 };

static void fill(size_t population, uint64_t counts[D])
{
    for (size_t v = 0; v < D; v++)
        counts[v] = population == 0   ? N / D
                    : population == 1 ? (v < D / 4 ? 4 * N / D : 0)
                    : population == 2 ? (v == 0 ? N : 0)
                    : v == 0          ? N * 3 / 5
                    : v == 1          ? N * 2 / 5
                                      : 0;
}

/* Defaults, each decoder, and, of what has thousands of functions, a hundred. */
static size_t settings_of(const struct ldp_oracle *oracle, struct ldp_oracle_spec list[SETTINGS])
{
    size_t count = 0;
    struct ldp_oracle_spec spec = {.oracle = oracle};
    ldp_params_default(oracle->params, spec.param);
    list[count++] = spec;
    for (size_t i = 0; oracle->params && oracle->params[i].name; i++) {
        const struct ldp_param *const param = &oracle->params[i];
        if (strcmp(param->name, "decode") == 0)
            for (size_t choice = 0; param->choices[choice] && count < SETTINGS; choice++) {
                list[count] = spec;
                list[count++].param[i] = (double)choice;
            }
        if (i == 0 && param->kind != LDP_CHOICE && param->fallback > 10 * FUNCTIONS && count < SETTINGS) {
            list[count] = spec;
            list[count++].param[i] = FUNCTIONS;
        }
    }
    return count;
}

/* Sums over collections of errors in standard deviations, and what is inside. */
struct seen {
    double error[D + 1], square[D + 1], mean, mean_square, inside, stated;
    bool has_intervals;
};

static struct seen see(const struct subject *subject)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = allocate(simulation.scratch_bytes + ldp_estimate_scratch(&protocol) + 1, 1);
    double *const support = allocate(protocol.support_size, sizeof *support), est[D], variance[D];
    struct ldp_rng rng = stream_of(subject, "populations");
    struct seen seen = {.has_intervals = true};
    const double n = (double)population->n;
    ldp_variance(&protocol, &population->histogram, variance);
    for (size_t v = 0; v < D; v++)
        seen.stated += variance[v] / n / n / D;
    for (size_t r = 0; r < R; r++) {
        ldp_simulate(&simulation, &rng, scratch, support);
        ldp_estimate(&protocol, population->n, support, scratch, est);
        const struct ldp_collection collection = {&protocol, population->n, support, est};
        const struct ldp_protocol observed = ldp_observed(&collection, scratch);
        seen.has_intervals &= ldp_interval_suits(ldp_interval_find("score"), &observed, 0.95, NULL) == LDP_OK;
        double mean = 0, half = 0, inside = 0;
        for (size_t v = 0; v < D; v++) {
            const double error = est[v] - population->f[v];
            const struct ldp_variance_terms spread = ldp_variance_terms_of(&observed, v);
            double low, high;
            ldp_score_interval(&spread, n, 1.959963985, est[v], &low, &high);
            inside += (low <= population->f[v] && population->f[v] <= high) / (double)D;
            half += v < HALF ? error : 0;
            mean += error * error / D;
            seen.error[v] += error / R;
            seen.square[v] += error * error / R;
        }
        seen.error[D] += half / R;
        seen.square[D] += half * half / R;
        seen.mean += mean / R;
        seen.mean_square += mean * mean / R;
        seen.inside += inside / R;
    }
    free(scratch);
    free(support);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
    return seen;
}

static struct verdict check(const struct subject *subject)
{
    struct ldp_protocol protocol;
    if (ldp_protocol_init(&protocol, &subject->spec, D, subject->epsilon, NULL) != LDP_OK ||
        protocol.flags & (LDP_ORACLE_BIASED | LDP_ORACLE_NOT_PRIVATE))
        return GOOD;
    const struct seen seen = see(subject);
    const double limit = statistics_z_bound(CHECKS);
    for (size_t v = 0; v <= D; v++) {
        /* Of R errors without bias, the mean over its own standard error is Student's. */
        const double error = sqrt(fmax(seen.square[v] - seen.error[v] * seen.error[v], 0) / (R - 1)),
                     bound = limit + limit * limit * limit / (4 * (R - 1));
        if (fabs(seen.error[v]) > bound * error + 1e-9)
            return BAD("%s %zu has bias %g, z = %.1f", v < D ? "value" : "half the domain, not value", v, seen.error[v],
                       seen.error[v] / error);
    }
    const double spread = sqrt(fmax(seen.mean_square - seen.mean * seen.mean, 0) / (R - 1)),
                 few = protocol.flags & LDP_ORACLE_PREDICTED ? 0.1 : 0;
    if (fabs(seen.mean - seen.stated) > limit * spread + few * seen.stated)
        return BAD("mean squared error %g, stated %g, z = %.1f", seen.mean, seen.stated,
                   (seen.mean - seen.stated) / spread);
    if (seen.has_intervals && seen.inside < 0.95 - limit * sqrt(0.05 * 0.95 / R / 8))
        return BAD("intervals of one value hold %.3f", seen.inside);
    return GOOD;
}

Test(populations, no_bias_and_the_stated_error, SLOW)
{
    static uint64_t counts[POPULATIONS][D];
    for (size_t i = 0; i < POPULATIONS; i++)
        fill(i, counts[i]);
    for (size_t o = 0; ldp_oracles[o]; o++) {
        struct ldp_oracle_spec list[SETTINGS];
        const size_t count = settings_of(ldp_oracles[o], list);
        for (size_t s = 0; s < count; s++)
            for (size_t i = 0; i < POPULATIONS; i++) {
                if (s > 0 && (s + i) % 2 && !statistics_verify())
                    continue; /* defaults with all populations, other settings with two in turn */
                const struct subject subject = {.spec = list[s], .epsilon = 2, .counts = counts[i], .d = D};
                const struct verdict verdict = check(&subject);
                cr_expect(verdict.good, "population %zu: %s", i, verdict.why);
            }
    }
}

/* test_oracles.c - what every frequency oracle of the registry must keep.
 *
 * Each check is a function from a subject (an oracle, its parameters, epsilon, a population) to a verdict, so that
 * oracles with known mistakes, planted at the end of this file, can be tested by the same checks.
 *
 * Thresholds: the suite makes fewer than COMPARISONS comparisons of a z-score or a p-value; statistics.h turns that
 * into bounds for the whole. */
#include "ldpbench.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARISONS = 200000, MAX_REPORTS = 4096, MAX_SUBJECTS = 4096, MAX_STATES = 50000 };

struct subject {
    struct ldp_oracle_spec spec;
    double epsilon;
    const uint64_t *counts;
    size_t d;
};

struct verdict {
    bool good;
    char why[240];
};

static const struct verdict GOOD = {.good = true};

#define BAD(...) bad(subject, __VA_ARGS__)

__attribute__((format(printf, 2, 3))) static struct verdict bad(const struct subject *subject, const char *format, ...)
{
    struct verdict verdict = {.good = false};
    const struct ldp_oracle_spec *const spec = &subject->spec;
    const int used = snprintf(verdict.why, sizeof verdict.why,
                              "%s(%g, %g, %g, %g, %g; %s) d = %zu, epsilon = %g: ", spec->oracle->name, spec->param[0],
                              spec->param[1], spec->param[2], spec->param[3], spec->param[4],
                              spec->inner ? spec->inner->oracle->name : "", subject->d, subject->epsilon);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict.why + used, sizeof verdict.why - (size_t)used, format, arguments);
    va_end(arguments);
    return verdict;
}

static uint64_t seed(void)
{
    static uint64_t cached;
    if (cached == 0)
        cached = statistics_seed(20200223);
    return cached;
}

/* The bound on z-scores. */
static double limit(void)
{
    static double cached;
    if (cached == 0)
        cached = statistics_z_bound(COMPARISONS);
    return cached;
}

static void *allocate(size_t count, size_t size)
{
    void *const block = calloc(count ? count : 1, size);
    cr_assert_not_null(block);
    return block;
}

static struct ldp_rng stream_of(const struct subject *subject, const char *purpose)
{
    char key[200];
    snprintf(key, sizeof key, "%s %s %g %g %g %zu %g", purpose, subject->spec.oracle->name, subject->spec.param[0],
             subject->spec.param[1], subject->spec.param[2], subject->d, subject->epsilon);
    struct ldp_rng rng;
    ldp_rng_stream(&rng, seed(), key, 0);
    return rng;
}

static struct ldp_protocol protocol_of(const struct subject *subject)
{
    struct ldp_protocol protocol;
    cr_assert_eq(ldp_protocol_init(&protocol, &subject->spec, subject->d, subject->epsilon, NULL), LDP_OK);
    protocol.public_seed = 99;
    return protocol;
}

static bool large_state(const struct subject *subject)
{
    return protocol_of(subject).state_bytes > 1 << 16;
}

static struct ldp_population *population_of(const struct subject *subject)
{
    struct ldp_population *population;
    cr_assert_eq(ldp_population_new(subject->counts, subject->d, &population), LDP_OK);
    return population;
}

/* Adds the reports to a fresh server; support[support_size]. */
static void support_of_reports(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, double *support)
{
    void *const state = allocate(protocol->state_bytes, 1);
    protocol->oracle->server(protocol, reports, m, state);
    protocol->oracle->support(protocol, state, m, support);
    free(state);
}

/* ---- Subjects ---- */

static const uint64_t two[] = {31, 9};
static const uint64_t five[] = {60, 0, 21, 8, 1};
static const uint64_t eight[] = {50, 3, 25, 0, 0, 12, 6, 4};
static const uint64_t six[] = {560, 130, 60, 30, 20, 0};
static const uint64_t forty[] = {70, 1, 35, 0, 23, 2, 17, 0, 14, 0, 11, 3, 10, 0, 8, 1, 7, 0, 7, 0,
                                 6,  0, 5,  4, 5,  0, 4,  1, 4,  0, 3,  0, 3,  2, 3, 0, 1, 0, 0, 0};

static const struct {
    const uint64_t *counts;
    size_t d;
    double epsilon[3];
} POPULATIONS[] = {
    {two, 2, {0.1, 1, 3}}, {five, 5, {0.1, 1, 3}},   {eight, 8, {0.3, 1, 2}},
    {six, 6, {0.1, 1, 3}}, {forty, 23, {0.1, 1, 3}}, {forty, 40, {0.5, 1, 4}},
};

/* Value i of a parameter: its default, then the first whole numbers of its range (of an oracle's first parameter four,
 * of the others two), all its choices, or ends and middle of a range of real numbers. False behind the last. */
static bool setting_of(const struct ldp_param *row, bool first, size_t i, double *value)
{
    const size_t whole = first ? 4 : 2;
    *value = row->fallback;
    if (i-- == 0)
        return true;
    size_t choices = 0;
    switch (row->kind) {
    case LDP_REAL: *value = row->min + (double)i / 2 * (row->max - row->min); return i < 3;
    case LDP_INTEGER: *value = row->min + (double)i; return i < whole && *value <= row->max;
    case LDP_FLAG: *value = (double)i; return i < 2;
    case LDP_CHOICE:
        while (row->choices[choices])
            choices++;
        *value = (double)i;
        return i < choices;
    }
    return false;
}

static size_t add_if_suitable(const struct subject *subject, struct subject *list, size_t count)
{
    cr_assert_lt(count, MAX_SUBJECTS);
    struct ldp_protocol protocol;
    if (ldp_protocol_init(&protocol, &subject->spec, subject->d, subject->epsilon, NULL) == LDP_OK)
        list[count++] = *subject;
    return count;
}

/* All settings of an oracle: every combination of its parameters' values that suits d and epsilon. */
static size_t add_settings_from(struct subject subject, size_t row, struct subject *list, size_t count)
{
    const struct ldp_param *const params = subject.spec.oracle->params;
    if (!params || !params[row].name)
        return add_if_suitable(&subject, list, count);
    double value;
    for (size_t i = 0; setting_of(&params[row], row == 0, i, &value); i++) {
        if (i > 0 && value == params[row].fallback)
            continue;
        subject.spec.param[row] = value;
        count = add_settings_from(subject, row + 1, list, count);
    }
    return count;
}

/* A sketch small enough to look at every cell: each parameter varied by itself, then each oracle in its rows. */
static size_t add_sketches(struct subject subject, struct subject *list, size_t count)
{
    enum { MOST = 8 };
    static struct ldp_oracle_spec row[MAX_SUBJECTS];
    const struct ldp_param *const params = subject.spec.oracle->params;
    for (size_t i = 0; params && params[i].name; i++)
        subject.spec.param[i] =
            params[i].kind == LDP_INTEGER && params[i].fallback > MOST ? params[i].min + 1 : params[i].fallback;
    count = add_if_suitable(&subject, list, count);
    for (size_t i = 0; params && params[i].name; i++) {
        struct subject varied = subject;
        for (size_t k = 1; setting_of(&params[i], true, k, &varied.spec.param[i]); k++)
            if (varied.spec.param[i] != subject.spec.param[i])
                count = add_if_suitable(&varied, list, count);
    }
    for (size_t i = 0; subject.spec.oracle->inner && ldp_oracles[i]; i++) {
        row[i] = (struct ldp_oracle_spec){.oracle = ldp_oracles[i]};
        ldp_params_default(row[i].oracle->params, row[i].param);
        subject.spec.inner = &row[i];
        count = add_if_suitable(&subject, list, count);
    }
    return count;
}

static size_t add_settings(const struct ldp_oracle *oracle, const uint64_t *counts, size_t d, double epsilon,
                           struct subject *list, size_t count)
{
    const struct subject subject = {.spec = {.oracle = oracle}, .epsilon = epsilon, .counts = counts, .d = d};
    return oracle->flags & LDP_ORACLE_SKETCH ? add_sketches(subject, list, count)
                                             : add_settings_from(subject, 0, list, count);
}

static size_t all_subjects(struct subject *list)
{
    size_t count = 0;
    for (size_t o = 0; ldp_oracles[o]; o++)
        for (size_t i = 0; i < sizeof POPULATIONS / sizeof *POPULATIONS; i++)
            for (size_t j = 0; j < 3; j++) {
                /* The domain of a sketch's rows is its cells. */
                if (ldp_oracles[o]->flags & LDP_ORACLE_SKETCH && (POPULATIONS[i].d != 5 || j == 0))
                    continue;
                count = add_settings(ldp_oracles[o], POPULATIONS[i].counts, POPULATIONS[i].d, POPULATIONS[i].epsilon[j],
                                     list, count);
            }
    cr_assert_gt(count, 50);
    return count;
}

/* ---- Samples ---- */

struct sample {
    size_t R, d;
    double *x; /* [R][d] */
    double *mean, *mean_error;
    double *cov, *cov_error; /* [d][d] */
};

static void sample_free(struct sample *sample)
{
    free(sample->x);
    free(sample->mean);
    free(sample->mean_error);
    free(sample->cov);
    free(sample->cov_error);
}

static struct sample sample_room(size_t R, size_t columns)
{
    return (struct sample){R,
                           columns,
                           allocate(R * columns, sizeof(double)),
                           allocate(columns, sizeof(double)),
                           allocate(columns, sizeof(double)),
                           allocate(columns * columns, sizeof(double)),
                           allocate(columns * columns, sizeof(double))};
}

/* Means and covariances with their standard errors, from the sample's own moments. */
static struct sample with_moments(struct sample s)
{
    const size_t R = s.R, columns = s.d;
    const double draws = (double)R;
    for (size_t i = 0; i < R; i++)
        for (size_t v = 0; v < columns; v++)
            s.mean[v] += s.x[i * columns + v] / draws;
    for (size_t i = 0; i < R; i++) {
        for (size_t v = 0; v < columns; v++)
            for (size_t w = 0; w <= v; w++) {
                const double product = (s.x[i * columns + v] - s.mean[v]) * (s.x[i * columns + w] - s.mean[w]);
                s.cov[v * columns + w] += product / draws;
                s.cov_error[v * columns + w] += product * product / draws;
            }
    }
    for (size_t v = 0; v < columns; v++) {
        for (size_t w = 0; w <= v; w++) {
            const double cov = s.cov[v * columns + w], square = s.cov_error[v * columns + w] - cov * cov;
            s.cov[v * columns + w] *= draws / (draws - 1);
            s.cov_error[v * columns + w] = sqrt(fmax(square, 0) / draws);
        }
        s.mean_error[v] = sqrt(s.cov[v * columns + v] / draws);
    }
    return s;
}

/* Supports of many collections. The last column is the total. */
static struct sample sample_by(const struct subject *subject, enum ldp_mode mode, bool at_once, size_t R)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    struct ldp_simulation simulation;
    cr_assert_eq(ldp_simulation_init(&simulation, &protocol, population, mode), LDP_OK);
    const size_t d = protocol.support_size, columns = d + 1;
    const struct sample s = sample_room(R, columns);
    void *const scratch = allocate(simulation.scratch_bytes, 1);
    struct ldp_rng rng = stream_of(subject, at_once ? "at once" : mode == LDP_COUNTS ? "counts" : "reports");
    for (size_t i = 0; i < R; i++) {
        double *const row = s.x + i * columns;
        if (at_once)
            ldp_collect(&protocol, &population->histogram, mode, &rng, scratch, row);
        else
            ldp_simulate(&simulation, &rng, scratch, row);
        for (size_t v = 0; v < d; v++)
            row[d] += row[v];
    }
    free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);

    return with_moments(s);
}

static struct sample sample_new(const struct subject *subject, enum ldp_mode mode, size_t R)
{
    return sample_by(subject, mode, false, R);
}

/* True if a difference is significant; `scale` is for rounding errors if there is no noise. */
static bool differs(double difference, double error, double scale)
{
    return !(fabs(difference) <= limit() * error + 1e-9 * scale);
}

/* ---- Checks ---- */

/* Unbiased, and the variance that is stated, value by value. */
static struct verdict check_moments(const struct subject *subject, const struct sample sample[2], enum ldp_mode mode)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    const struct sample s = sample[mode];
    if (protocol.flags & LDP_ORACLE_BIASED)
        return GOOD;
    const size_t d = subject->d;
    double *const variance = allocate(d, sizeof *variance), *const est = allocate(d, sizeof *est),
                  *const mean = allocate(d, sizeof *mean), *const square = allocate(d, sizeof *square),
                  *const fourth = allocate(d, sizeof *fourth);
    const double n = (double)population->n, R = (double)s.R;
    void *const scratch = allocate(ldp_estimate_scratch(&protocol), 1);

    ldp_variance(&protocol, &population->histogram, variance);
    for (size_t i = 0; i < s.R; i++) {
        ldp_estimate(&protocol, population->n, s.x + i * s.d, scratch, est);
        for (size_t v = 0; v < d; v++) {
            const double error = n * est[v] - (double)population->counts[v];
            mean[v] += error / R;
            square[v] += error * error / R;
            fourth[v] += error * error * error * error / R;
        }
    }
    struct verdict verdict = GOOD;
    for (size_t v = 0; v < d && verdict.good; v++) {
        const double error = sqrt(fmax(fourth[v] - square[v] * square[v], 0) / R);
        if (differs(mean[v], sqrt(variance[v] / R), n))
            verdict =
                BAD("mode %d: value %zu has bias %g, z = %.1f", mode, v, mean[v], mean[v] / sqrt(variance[v] / R));
        else if (differs(square[v] - variance[v], error, n))
            verdict = BAD("mode %d: value %zu has variance %g, stated %g, z = %.1f", mode, v, square[v], variance[v],
                          (square[v] - variance[v]) / error);
    }
    free(scratch);
    free(variance);
    free(est);
    free(mean);
    free(square);
    free(fourth);
    ldp_population_free(population);
    return verdict;
}

/* counts against reports: means, covariances, and the variance of the total. */
static struct verdict check_agreement(const struct subject *subject, const struct sample sample[2])
{
    const struct sample a = sample[LDP_COUNTS], b = sample[LDP_REPORTS];
    struct verdict verdict = GOOD;
    for (size_t v = 0; v < a.d && verdict.good; v++) {
        if (differs(a.mean[v] - b.mean[v], hypot(a.mean_error[v], b.mean_error[v]), fabs(a.mean[v])))
            verdict = BAD("mean of %zu: counts %g, reports %g", v, a.mean[v], b.mean[v]);
        for (size_t w = 0; w <= v && verdict.good; w++) {
            const size_t i = v * a.d + w;
            if (differs(a.cov[i] - b.cov[i], hypot(a.cov_error[i], b.cov_error[i]), fabs(a.mean[v])))
                verdict = BAD("covariance of %zu, %zu: counts %g, reports %g", v, w, a.cov[i], b.cov[i]);
        }
    }
    return verdict;
}

/* The estimates of a sample of supports, in counts. */
static struct sample estimates_of(const struct subject *subject, const struct sample *supports)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    const struct sample s = sample_room(supports->R, subject->d);
    void *const scratch = allocate(ldp_estimate_scratch(&protocol), 1);
    for (size_t i = 0; i < s.R; i++) {
        ldp_estimate(&protocol, population->n, supports->x + i * supports->d, scratch, s.x + i * s.d);
        for (size_t v = 0; v < s.d; v++)
            s.x[i * s.d + v] *= (double)population->n;
    }
    free(scratch);
    ldp_population_free(population);
    return with_moments(s);
}

/* counts against reports: means, variances and covariances of a sketch's estimates, which depend on its functions and
 * on all cells. Those of other oracles are linear in supports. */
static struct verdict check_estimates(const struct subject *subject, const struct sample sample[2])
{
    if (!(subject->spec.oracle->flags & LDP_ORACLE_SKETCH))
        return GOOD;
    struct sample estimates[2] = {estimates_of(subject, &sample[0]), estimates_of(subject, &sample[1])};
    const struct verdict verdict = check_agreement(subject, estimates);
    sample_free(&estimates[0]);
    sample_free(&estimates[1]);
    return verdict;
}

/* counts against reports: the whole law of each support and of the total, not only moments. */
static struct verdict check_laws(const struct subject *subject, const struct sample sample[2])
{
    const size_t R = sample[0].R, columns = sample[0].d;
    double *const column[2] = {allocate(R, sizeof(double)), allocate(R, sizeof(double))};
    struct verdict verdict = GOOD;
    for (size_t v = 0; v < columns && verdict.good; v++) {
        for (size_t mode = 0; mode < 2; mode++)
            for (size_t i = 0; i < R; i++)
                column[mode][i] = sample[mode].x[i * columns + v];
        const double p = statistics_kolmogorov_two(column[0], column[1], R);
        if (p < statistics_p_bound(COMPARISONS))
            verdict = BAD("law of support %zu: counts against reports, p = %g", v, p);
    }
    free(column[0]);
    free(column[1]);
    return verdict;
}

/* Points of a protocol of pgr, in all blocks. */
static double places_of(const struct ldp_protocol *pgr)
{
    const double q = pgr->param[0];
    return round((pow(q, pgr->param[1]) - 1) / (q - 1)) * pgr->param[2];
}

/* Per user of neither value, and of one of them, as subset selection of k among d has it. */
static double subset_covariance(double p, double q, double k, double d, double own, double rest)
{
    const double both = p * (k - 1) / (d - 1);
    const double neither = d > 2 ? (p * (k - 1) * (k - 2) + (1 - p) * k * (k - 1)) / ((d - 1) * (d - 2)) : 0;
    return own * (both - p * q) + rest * (neither - q * q);
}

/* Covariance of supports that theory states: 0 where the oracle is flagged independent, else
 * the literature's formula where there is one; NAN where there is none. */
static double stated_covariance(const struct ldp_protocol *protocol, const struct ldp_population *population, size_t a,
                                size_t b)
{
    const double p = protocol->p, q = protocol->q, d = (double)protocol->d, k = protocol->param[0],
                 own = (double)(population->counts[a] + population->counts[b]), rest = (double)population->n - own;
    if (protocol->flags & LDP_ORACLE_INDEPENDENT)
        return 0;
    if (strcmp(protocol->oracle->name, "grr") == 0)
        return -(own * p * q + rest * q * q);
    if (strcmp(protocol->oracle->name, "pi_rappor") == 0) { /* over placements, of the values on a line */
        const double g = protocol->param[0], points = pow(g, ceil(log(d - 0.5) / log(g)));
        return points > 2 ? rest * (p - q) * (g - 2) / (g * (points - 2)) : 0;
    }
    if (strcmp(protocol->oracle->name, "hm") == 0 || strcmp(protocol->oracle->name, "rhr") == 0)
        return 0; /* uncorrelated, for all that they depend on each other */
    if (strcmp(protocol->oracle->name, "flh") == 0) {
        /* Reports of a and of b to one function: both support the other, or neither, as the two collide or not. */
        const double g = round(1 / q);
        return (double)population->counts[a] * (double)population->counts[b] * (p - q) * (p - q) / (k * (g - 1));
    }
    if (strncmp(protocol->oracle->name, "ss", 2) == 0)
        return subset_covariance(p, q, k, d, own, rest);
    if (strcmp(protocol->oracle->name, "pgr") == 0 && protocol->param[2] == 1) {
        const double K = places_of(protocol);
        return subset_covariance(p, q, (K - 1) / protocol->param[0], K, own, rest); /* over placements */
    }
    if (strcmp(protocol->oracle->name, "hr") == 0 && protocol->param[0] == 1) {
        /* Z = 2 c - 1 for a single user: E Z_a Z_b = KAP where the columns' sum is the user's own, E Z_v = KAP. */
        const size_t sum = (a + 1) ^ (b + 1);
        const double kap = 2 * p - 1, share = sum - 1 < protocol->d ? (double)population->counts[sum - 1] : 0;
        return share * kap / 4;
    }
    return NAN;
}

static struct verdict check_covariances(const struct subject *subject, const struct sample sample[2],
                                        enum ldp_mode mode)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    struct verdict verdict = GOOD;
    const struct sample s = sample[mode];
    const size_t values = protocol.support_size == subject->d ? subject->d : 0; /* others are not of values */
    for (size_t v = 0; v < values && verdict.good; v++) {
        for (size_t w = 0; w < v && verdict.good; w++) {
            const double stated = stated_covariance(&protocol, population, v, w), cov = s.cov[v * s.d + w],
                         error = s.cov_error[v * s.d + w];
            if (!isnan(stated) && differs(cov - stated, error, s.mean[v]))
                verdict = BAD("mode %d: covariance of %zu, %zu is %g, stated %g, z = %.1f", mode, v, w, cov, stated,
                              (cov - stated) / error);
        }
    }
    ldp_population_free(population);
    return verdict;
}

/* Estimates sum to 1 in every collection where flagged, and not where not. */
static struct verdict check_sum(const struct subject *subject, const struct sample sample[2], enum ldp_mode mode)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    const struct sample s = sample[mode];
    uint64_t n = 0;
    for (size_t v = 0; v < subject->d; v++)
        n += subject->counts[v];
    double *const est = allocate(subject->d, sizeof *est), largest = 0;
    void *const scratch = allocate(ldp_estimate_scratch(&protocol), 1);
    for (size_t i = 0; i < s.R; i++) {
        ldp_estimate(&protocol, n, s.x + i * s.d, scratch, est);
        double sum = 0, size = 0;
        for (size_t v = 0; v < subject->d; v++) {
            sum += est[v];
            size += fabs(est[v]);
        }
        largest = fmax(largest, fabs(sum - 1) / (1 + size));
    }
    free(scratch);
    free(est);
    /* pgr has this property where values fill its space. */
    const bool flagged = (protocol.flags & LDP_ORACLE_SUMS_TO_ONE) != 0 ||
                         (strcmp(protocol.oracle->name, "pgr") == 0 && places_of(&protocol) == (double)protocol.d);
    if (flagged != (largest < 1e-10))
        return BAD("mode %d: sums of estimates are off 1 by up to %g, flag %d", mode, largest, flagged);
    return GOOD;
}

/* The same stream gives the same bytes, another repetition gives others. */
static struct verdict check_repeatable(const struct subject *subject)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    const size_t d = protocol.support_size;
    double *const support = allocate(3 * d, sizeof *support);
    struct verdict verdict = GOOD;
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS && verdict.good; mode++) {
        struct ldp_simulation simulation;
        cr_assert_eq(ldp_simulation_init(&simulation, &protocol, population, (enum ldp_mode)mode), LDP_OK);
        char *const scratch = allocate(simulation.scratch_bytes, 1);
        bool fresh = false;
        for (uint64_t i = 0; i < 8; i++) {
            for (uint64_t j = 0; j < 3; j++) {
                struct ldp_rng rng;
                ldp_rng_stream(&rng, 5, "repeatable", j == 2 ? i + 1 : i);
                memset(scratch, (int)(0x55 * j), simulation.scratch_bytes); /* what scratch held must not matter */
                ldp_simulate(&simulation, &rng, scratch, support + j * d);
            }
            if (memcmp(support, support + d, d * sizeof *support) != 0)
                verdict = BAD("mode %d: the same stream gave other supports", mode);
            fresh |= memcmp(support, support + 2 * d, d * sizeof *support) != 0;
        }
        if (verdict.good && !fresh && protocol.s1 > 0)
            verdict = BAD("mode %d: all repetitions are the same", mode);
        free(scratch);
        ldp_simulation_clear(&simulation);
    }
    free(support);
    ldp_population_free(population);
    return verdict;
}

/* Reports as keys: all that can occur (one word), or all that were seen (several). */
struct universe {
    size_t words, count;
    uint64_t *report; /* [MAX_REPORTS][words] */
    bool complete;    /* nothing that was seen is missing */
    uint64_t *seen;   /* [d][MAX_REPORTS] */
    uint64_t singles; /* reports seen once in all */
    size_t draws;     /* of each value */
};

static void universe_free(struct universe *universe)
{
    free(universe->report);
    free(universe->seen);
}

static bool possible(const struct ldp_protocol *protocol, const uint64_t *report)
{
    for (uint32_t v = 0; v < protocol->d; v++)
        if (protocol->oracle->log_likelihood(protocol, v, report) > -INFINITY)
            return true;
    return false;
}

static size_t find(struct universe *universe, const uint64_t *report, size_t *slot)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t w = 0; w < universe->words; w++)
        hash = (hash ^ report[w] ^ report[w] >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = (size_t)(hash >> 50);; i = (i + 1) % (4 * MAX_REPORTS)) {
        if (slot[i] == 0) {
            if (universe->count == MAX_REPORTS)
                return MAX_REPORTS;
            memcpy(universe->report + universe->count * universe->words, report, universe->words * sizeof *report);
            slot[i] = ++universe->count;
        }
        if (memcmp(universe->report + (slot[i] - 1) * universe->words, report, universe->words * sizeof *report) == 0)
            return slot[i] - 1;
    }
}

static struct universe universe_new(const struct subject *subject, const struct ldp_protocol *protocol, size_t draws)
{
    const size_t words = protocol->report_words, d = subject->d;
    struct universe u = {.words = words, .complete = true, .draws = draws};
    u.report = allocate(MAX_REPORTS * words, sizeof *u.report);
    u.seen = allocate(d * MAX_REPORTS, sizeof *u.seen);
    size_t *const slot = allocate((size_t)4 * MAX_REPORTS, sizeof *slot);
    if (words == 1 && protocol->oracle->log_likelihood)
        for (uint64_t report = 0; report < MAX_REPORTS; report++)
            if (possible(protocol, &report))
                find(&u, &report, slot);

    uint64_t *const reports = allocate(1000 * words, sizeof *reports);
    uint32_t *const values = allocate(1000, sizeof *values);
    struct ldp_rng rng = stream_of(subject, "client");
    for (uint32_t v = 0; v < d && u.complete; v++) {
        for (size_t i = 0; i < 1000; i++)
            values[i] = v;
        for (size_t done = 0; done < draws && u.complete; done += 1000) {
            protocol->oracle->client(protocol, values, 1000, &rng, reports);
            for (size_t i = 0; i < 1000 && u.complete; i++) {
                const size_t which = find(&u, reports + i * words, slot);
                u.complete = which < MAX_REPORTS;
                if (u.complete)
                    u.seen[v * MAX_REPORTS + which]++;
            }
        }
    }
    for (size_t i = 0; i < u.count; i++) {
        uint64_t total = 0;
        for (size_t v = 0; v < d; v++)
            total += u.seen[v * MAX_REPORTS + i];
        u.singles += total == 1;
    }
    free(slot);
    free(reports);
    free(values);
    return u;
}

/* Few enough reports to see them all: exact privacy of the stated likelihood, a client that follows it, and
 * no ratio of observed frequencies that is beyond e^epsilon, whatever the oracle states. */
static struct verdict check_small_privacy(const struct subject *subject, const struct ldp_protocol *protocol,
                                          const struct universe *u)
{
    const size_t d = subject->d;
    const double draws = (double)u->draws, e = exp(subject->epsilon);
    double (*const log_likelihood)(const struct ldp_protocol *, uint32_t, const uint64_t *) =
        protocol->oracle->log_likelihood;
    const bool private = !(protocol->flags & LDP_ORACLE_NOT_PRIVATE);

    for (size_t i = 0; i < u->count && private; i++)
        for (uint32_t v = 0; v < d; v++)
            for (uint32_t w = 0; w < d; w++) {
                const double a = (double)u->seen[v * MAX_REPORTS + i], b = (double)u->seen[w * MAX_REPORTS + i];
                /* At the limit b is binomial among a + b; here the comparisons are some 1e8. */
                if (a > e * b && gsl_cdf_binomial_P((unsigned)b, 1 / (1 + e), (unsigned)(a + b)) < 1e-15)
                    return BAD("report %zu was seen %g times from %u and %g times from %u: ratio above e^epsilon", i, a,
                               v, b, w);
            }
    if (!log_likelihood)
        return GOOD;

    const double missing = u->words == 1 ? 0 : 10 * ((double)u->singles + 1) / draws;
    for (uint32_t v = 0; v < d; v++) {
        double sum = 0, chi = 0, pooled_seen = 0, pooled = 0, seen = 0;
        size_t cells = 0;
        for (size_t i = 0; i < u->count; i++) {
            const double l = log_likelihood(protocol, v, u->report + i * u->words), P = exp(l),
                         count = (double)u->seen[v * MAX_REPORTS + i];
            sum += P;
            seen += count;
            for (uint32_t w = 0; w < d && private; w++) {
                const double other = log_likelihood(protocol, w, u->report + i * u->words);
                if (l > -INFINITY && !(l - other <= subject->epsilon + 1e-12))
                    return BAD("log ratio %.17g of report %zu between %u and %u", l - other, i, v, w);
            }
            if (P * draws >= 10) {
                chi += (count - P * draws) * (count - P * draws) / (P * draws);
                cells++;
            } else {
                pooled += P * draws;
                pooled_seen += count;
            }
        }
        if (!(sum <= 1 + 1e-9 && sum >= 1 - missing - 1e-9))
            return BAD("likelihoods given %u sum to %.12g", v, sum);
        if (pooled >= 10) {
            chi += (pooled_seen - pooled) * (pooled_seen - pooled) / pooled;
            cells++;
        } else if (pooled_seen > 60) {
            return BAD("the client sends %g impossible or rare reports of %u, expected %g", pooled_seen, v, pooled);
        }
        if (cells > 1 && gsl_cdf_chisq_Q(chi, (double)(cells - 1)) < statistics_p_bound(COMPARISONS))
            return BAD("the client's reports of %u do not follow their likelihood: chi-square %.1f in %zu cells", v,
                       chi, cells);
        if (seen != draws)
            return BAD("%g of %g reports are unknown", draws - seen, draws);
    }
    return GOOD;
}

/* Too many reports: the ratios of all that are drawn are bounded, and weighting a report of v by L_w / L_v must
 * turn its law into that of w, for the constant 1 and for the support of each value. */
static struct verdict check_large_privacy(const struct subject *subject, const struct ldp_protocol *protocol)
{
    enum { DRAWS = 5000, VALUES = 3 };
    const size_t d = subject->d, width = protocol->support_size, words = protocol->report_words,
                 values = d < VALUES ? d : VALUES;
    double (*const log_likelihood)(const struct ldp_protocol *, uint32_t, const uint64_t *) =
        protocol->oracle->log_likelihood;
    if (!log_likelihood)
        return BAD("too many reports to estimate their ratios: log_likelihood is needed");
    uint64_t *const reports = allocate(DRAWS * words, sizeof *reports);
    uint32_t *const own = allocate(DRAWS, sizeof *own);
    double *const support = allocate(values * DRAWS * width, sizeof *support), /* of each value's reports */
        *const ratio = allocate(values * values * DRAWS, sizeof *ratio);
    struct verdict verdict = GOOD;
    struct ldp_rng rng = stream_of(subject, "large");
    for (uint32_t v = 0; v < values && verdict.good; v++) {
        for (size_t i = 0; i < DRAWS; i++)
            own[i] = v;
        protocol->oracle->client(protocol, own, DRAWS, &rng, reports);
        for (size_t i = 0; i < DRAWS && verdict.good; i++) {
            const double l = log_likelihood(protocol, v, reports + i * words);
            support_of_reports(protocol, reports + i * words, 1, support + (v * DRAWS + i) * width);
            for (uint32_t w = 0; w < d; w++) {
                const double gain = log_likelihood(protocol, w, reports + i * words) - l;
                if (!(fabs(gain) <= subject->epsilon + 1e-12))
                    verdict = BAD("log ratio %.17g between %u and %u", gain, w, v);
                if (w < values)
                    ratio[(v * values + w) * DRAWS + i] = exp(gain);
            }
        }
    }
    for (size_t v = 0; v < values; v++) {
        for (size_t w = 0; w < values; w++) {
            for (size_t u = 0; u <= width && verdict.good; u++) {
                /* Second moments of the weighted from the law that they should have, where what is rare and heavy under
                 * v is common. */
                double a = 0, a2 = 0, b = 0, b2 = 0;
                for (size_t i = 0; i < DRAWS; i++) {
                    const double f = u == width ? 1 : support[(v * DRAWS + i) * width + u],
                                 h = u == width ? 1 : support[(w * DRAWS + i) * width + u];
                    a += f * ratio[(v * values + w) * DRAWS + i] / DRAWS;
                    a2 += h * h / ratio[(w * values + v) * DRAWS + i] / DRAWS;
                    b += h / DRAWS;
                    b2 += h * h / DRAWS;
                }
                if (differs(a - b, sqrt((fmax(a2 - b * b, 0) + fmax(b2 - b * b, 0)) / DRAWS), 1))
                    verdict =
                        BAD("reports of %zu, weighted, support %zu %g times; those of %zu %g times", v, u, a, w, b);
            }
        }
    }
    free(reports);
    free(own);
    free(support);
    free(ratio);
    return verdict;
}

/* Reports of d real numbers cannot be enumerated. The log ratio between two values is bounded by epsilon on a grid of
 * reports, all pairs of entries and random ones, and comes up to it: no less noise would do, nor is there more. */
static struct verdict check_real_privacy(const struct subject *subject, const struct ldp_protocol *protocol)
{
    static const double grid[] = {-1e3, -3, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 3, 1e3};
    enum { GRID = sizeof grid / sizeof *grid, RANDOM = 2000 };
    const size_t d = subject->d, reports = (size_t)GRID * GRID * d * (d - 1) + RANDOM;
    double (*const log_likelihood)(const struct ldp_protocol *, uint32_t, const uint64_t *) =
        protocol->oracle->log_likelihood;
    double *const report = allocate(d, sizeof *report), largest = 0;
    uint64_t *const words = allocate(d, sizeof *words);
    struct ldp_rng rng = stream_of(subject, "real");
    for (size_t i = 0; i < reports; i++) {
        if (i < RANDOM)
            for (size_t v = 0; v < d; v++)
                report[v] = grid[ldp_rng_below(&rng, GRID)] + (double)(i % 2) * (ldp_rng_uniform(&rng) - 0.5);
        else {
            const size_t pair = (i - RANDOM) / (GRID * GRID), v = pair / (d - 1), w = pair % (d - 1);
            memset(report, 0, d * sizeof *report);
            report[v] = grid[(i - RANDOM) % GRID];
            report[w + (w >= v)] = grid[(i - RANDOM) / GRID % GRID];
        }
        memcpy(words, report, d * sizeof *words);
        double least = INFINITY, most = -INFINITY;
        for (uint32_t v = 0; v < d; v++) {
            const double l = log_likelihood(protocol, v, words);
            least = fmin(least, l);
            most = fmax(most, l);
        }
        largest = fmax(largest, most - least);
    }
    free(report);
    free(words);
    if (fabs(largest - subject->epsilon) > 1e-8)
        return BAD("the largest log ratio is %.12g", largest);
    return GOOD;
}

static struct verdict check_privacy(const struct subject *subject)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    if (protocol.flags & LDP_ORACLE_REAL) {
        const struct verdict verdict = check_real_privacy(subject, &protocol);
        if (!verdict.good)
            return verdict;
    }
    struct universe u = universe_new(subject, &protocol, 10000);
    const struct verdict verdict = u.complete && u.count < MAX_REPORTS / 2 ? check_small_privacy(subject, &protocol, &u)
                                   : protocol.flags & LDP_ORACLE_NOT_PRIVATE || large_state(subject)
                                       ? GOOD /* settings with less state say the same */
                                       : check_large_privacy(subject, &protocol);
    universe_free(&u);
    return verdict;
}

/* All reports of one word with what each adds to the supports of values, or count = 0. */
struct table {
    size_t count;
    uint64_t *report;
    double *support; /* [count][d] */
};

static void table_fill(const struct ldp_protocol *protocol, struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        support_of_reports(protocol, &t->report[i], 1, t->support + i * protocol->d);
}

static struct table table_new(const struct ldp_protocol *protocol)
{
    struct table t = {0};
    if (protocol->report_words != 1 || !protocol->oracle->log_likelihood || protocol->support_size != protocol->d)
        return t;
    t.report = allocate(MAX_REPORTS, sizeof *t.report);
    double sum = 0;
    for (uint64_t report = 0; report < MAX_REPORTS; report++) {
        if (possible(protocol, &report))
            t.report[t.count++] = report;
        sum += exp(protocol->oracle->log_likelihood(protocol, 0, &report));
    }
    if (fabs(sum - 1) > 1e-9)
        t.count = 0; /* there are larger ones */
    t.support = allocate(t.count * protocol->d, sizeof *t.support);
    table_fill(protocol, &t);
    return t;
}

static void table_free(struct table *table)
{
    free(table->report);
    free(table->support);
}

/* The protocol's p and q are the probabilities that a report supports the own and another value: exactly; but where
 * they depend on public randomness (flh's functions), the mean over all values is right on average. */
static struct verdict check_pq(const struct subject *subject)
{
    enum { SEEDS = 400 };
    struct ldp_protocol protocol = protocol_of(subject);
    struct table t = table_new(&protocol);
    const size_t d = subject->d;
    double *const mean = allocate(d, sizeof *mean), sum[2] = {0}, square[2] = {0};
    bool exact = true;
    for (size_t seeds = 0; seeds < SEEDS && t.count > 0 && !(exact && seeds > 0); seeds++) {
        protocol.public_seed = 99 + seeds;
        table_fill(&protocol, &t);
        double off[2] = {0}; /* other values, the own */
        for (uint32_t v = 0; v < d; v++) {
            memset(mean, 0, d * sizeof *mean);
            for (size_t i = 0; i < t.count; i++) {
                const double P = exp(protocol.oracle->log_likelihood(&protocol, v, &t.report[i]));
                for (size_t w = 0; w < d; w++)
                    mean[w] += P * t.support[i * d + w];
            }
            for (size_t w = 0; w < d; w++) {
                const double difference = mean[w] - (v == w ? protocol.p : protocol.q);
                exact &= fabs(difference) <= 1e-11;
                off[v == w] += difference / (double)(v == w ? d : d * (d - 1));
            }
        }
        for (size_t own = 0; own < 2; own++) {
            sum[own] += off[own] / SEEDS;
            square[own] += off[own] * off[own] / SEEDS;
        }
    }
    free(mean);
    table_free(&t);
    for (size_t own = 0; own < 2 && !exact; own++)
        if (differs(sum[own], sqrt(fmax(square[own] - sum[own] * sum[own], 0) / SEEDS), 1e-2))
            return BAD("support of %s: off the stated probability by %g", own ? "the own value" : "others", sum[own]);
    return GOOD;
}

/* Supports may be fractions of one: the least number of parts of which all are made, up to 64. */
static size_t parts_of(const struct table *table, size_t d)
{
    size_t parts = 1;
    for (size_t i = 0; i < table->count * d && parts < 64;) {
        const double whole = (double)parts * table->support[i];
        if (fabs(whole - round(whole)) < 1e-9)
            i++;
        else {
            parts++;
            i = 0;
        }
    }
    return parts;
}

/* The joint law of all supports by counts, against the convolution of all users' reports, for a few users. */
static struct verdict check_joint_law(const struct subject *subject, bool planned)
{
    const size_t draws = statistics_repetitions(30000, 3000);
    const struct ldp_protocol protocol = protocol_of(subject);
    const struct ldp_oracle *const oracle = protocol.oracle;
    struct ldp_population *const population = population_of(subject);
    struct table t = table_new(&protocol);
    const size_t d = subject->d, parts = parts_of(&t, d), base = parts * (size_t)population->n + 1;
    struct verdict verdict = GOOD;
    size_t states = 1;
    for (size_t v = 0; v < d; v++)
        states *= base;
    if (states > MAX_STATES)
        states = t.count = 0;
    double *law = allocate(states, sizeof *law),
           *next = allocate(states, sizeof *next), *const support = allocate(d, sizeof *support);
    uint64_t *const seen = allocate(states, sizeof *seen);
    void *const plan = allocate(oracle->plan_bytes ? oracle->plan_bytes(&protocol, population) : 0, 1),
                *const scratch =
                    allocate(oracle->scratch_bytes ? oracle->scratch_bytes(&protocol, &population->histogram) : 0, 1);
    if (t.count == 0)
        goto out;

    law[0] = 1;
    for (uint32_t v = 0; v < d; v++) {
        for (uint64_t user = 0; user < population->counts[v]; user++) {
            memset(next, 0, states * sizeof *next);
            for (size_t i = 0; i < t.count; i++) {
                size_t shift = 0;
                for (size_t w = 0; w < d; w++)
                    shift = shift * base + (size_t)((double)parts * t.support[i * d + w] + 0.5);
                const double P = exp(oracle->log_likelihood(&protocol, v, &t.report[i]));
                for (size_t s = 0; s + shift < states; s++)
                    next[s + shift] += P * law[s];
            }
            double *const swap = law;
            law = next;
            next = swap;
        }
    }
    if (oracle->plan)
        oracle->plan(&protocol, population, plan);
    struct ldp_rng rng = stream_of(subject, planned ? "joint" : "joint, at once");
    for (size_t i = 0; i < draws; i++) {
        oracle->counts(&protocol, &population->histogram, planned ? plan : NULL, &rng, scratch, support);
        size_t s = 0;
        for (size_t w = 0; w < d; w++)
            s = s * base + (size_t)((double)parts * support[w] + 0.5);
        cr_assert_lt(s, states);
        seen[s]++;
    }
    double chi = 0, pooled = 0, pooled_seen = 0;
    size_t cells = 0;
    for (size_t s = 0; s < states; s++) {
        const double expected = (double)draws * law[s], count = (double)seen[s];
        if (expected < 1e-12 && count > 0 && verdict.good)
            verdict = BAD("an impossible vector of supports came %g times", count);
        if (expected >= 10) {
            chi += (count - expected) * (count - expected) / expected;
            cells++;
        } else {
            pooled += expected;
            pooled_seen += count;
        }
    }
    if (pooled >= 10) {
        chi += (pooled_seen - pooled) * (pooled_seen - pooled) / pooled;
        cells++;
    }
    if (verdict.good && cells > 1 && gsl_cdf_chisq_Q(chi, (double)(cells - 1)) < statistics_p_bound(COMPARISONS))
        verdict = BAD("joint law of supports: chi-square %.1f in %zu cells", chi, cells);
out:
    free(law);
    free(next);
    free(support);
    free(seen);
    free(plan);
    free(scratch);
    table_free(&t);
    ldp_population_free(population);
    return verdict;
}

static struct verdict check_joint(const struct subject *subject)
{
    const struct verdict verdict = check_joint_law(subject, true);
    return verdict.good ? check_joint_law(subject, false) : verdict;
}

/* Moments of fewer collections are not normal enough for bounds this far out. */
enum { COLLECTIONS_LEAST = 500, COLLECTIONS = 1500 };

/* How many collections to look at. A large state (flh with many functions) makes them expensive. */
static size_t collections_of(const struct subject *subject, size_t least)
{
    if (large_state(subject))
        return statistics_draws(50);
    return statistics_verify() ? statistics_draws(COLLECTIONS) : statistics_repetitions(COLLECTIONS, least);
}

/* A collection at once has the law of a prepared one; and its bytes, where nothing is prepared. */
static struct verdict check_at_once(const struct subject *subject)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    double *const support = allocate(2 * protocol.support_size, sizeof *support);
    struct verdict verdict = GOOD;
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS && verdict.good; mode++) {
        struct ldp_simulation simulation;
        struct ldp_rng first = stream_of(subject, "bytes"), second = first;
        cr_assert_eq(ldp_simulation_init(&simulation, &protocol, population, (enum ldp_mode)mode), LDP_OK);
        void *const scratch = allocate(simulation.scratch_bytes, 1);
        ldp_simulate(&simulation, &first, scratch, support);
        ldp_collect(&protocol, &population->histogram, (enum ldp_mode)mode, &second, scratch,
                    support + protocol.support_size);
        if (!simulation.plan &&
            memcmp(support, support + protocol.support_size, protocol.support_size * sizeof *support) != 0)
            verdict = BAD("mode %d: other supports at once", mode);
        free(scratch);
        ldp_simulation_clear(&simulation);
    }
    free(support);
    ldp_population_free(population);
    if (!verdict.good || !protocol.oracle->plan)
        return verdict;
    const size_t R = collections_of(subject, COLLECTIONS_LEAST);
    struct sample sample[2] = {sample_new(subject, LDP_COUNTS, R), sample_by(subject, LDP_COUNTS, true, R)};
    verdict = check_agreement(subject, sample);
    if (verdict.good)
        verdict = check_laws(subject, sample);
    sample_free(&sample[0]);
    sample_free(&sample[1]);
    return verdict;
}

/* ---- The registry against the checks ---- */

static void hold(struct verdict (*check)(const struct subject *))
{
    static struct subject list[MAX_SUBJECTS];
    const size_t count = all_subjects(list);
    for (size_t i = 0; i < count; i++) {
        const struct verdict verdict = check(&list[i]);
        cr_expect(verdict.good, "%s", verdict.why);
    }
}

enum {
    IN_MOMENTS_COUNTS = 1,
    IN_MOMENTS_REPORTS = 2,
    IN_AGREEMENT = 4,
    IN_COVARIANCES = 8,
    IN_SUM = 16,
    IN_REPEATABLE = 32,
    IN_PRIVACY = 64,
    IN_PQ = 128,
    IN_LAWS = 256
};

static unsigned note(unsigned bit, struct verdict verdict, bool complain)
{
    if (complain)
        cr_expect(verdict.good, "%s", verdict.why);
    return verdict.good ? 0 : bit;
}

/* What looks at the supports of many collections; a bit for each kind of finding. */
static unsigned examine_supports(const struct subject *subject, bool complain)
{
    const size_t R = collections_of(subject, complain ? COLLECTIONS_LEAST : COLLECTIONS);
    struct sample sample[2] = {sample_new(subject, LDP_COUNTS, R), sample_new(subject, LDP_REPORTS, R)};
    unsigned bits = note(IN_AGREEMENT, check_agreement(subject, sample), complain) |
                    note(IN_AGREEMENT, check_estimates(subject, sample), complain) |
                    note(IN_LAWS, check_laws(subject, sample), complain) |
                    note(IN_MOMENTS_COUNTS, check_moments(subject, sample, LDP_COUNTS), complain) |
                    note(IN_MOMENTS_REPORTS, check_moments(subject, sample, LDP_REPORTS), complain);
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++)
        bits |= note(IN_COVARIANCES, check_covariances(subject, sample, (enum ldp_mode)mode), complain) |
                note(IN_SUM, check_sum(subject, sample, (enum ldp_mode)mode), complain);
    sample_free(&sample[0]);
    sample_free(&sample[1]);
    return bits;
}

/* Unbiased, variance and covariances as stated, counts as reports, sums as flagged. */
Test(oracles, supports)
{
    static struct subject list[MAX_SUBJECTS];
    const size_t count = all_subjects(list);
    for (size_t i = 0; i < count; i++)
        examine_supports(&list[i], true);
}

Test(oracles, at_once_as_prepared)
{
    hold(check_at_once);
}

/* Sketches make reports of several rows at once unless clients use public randomness, which is each row's own. */
Test(oracles, public_randomness_is_flagged)
{
    enum { D = 5, USERS = 200 };
    uint32_t values[USERS];
    for (size_t i = 0; i < USERS; i++)
        values[i] = (uint32_t)(i % D);
    for (size_t o = 0; ldp_oracles[o]; o++) {
        struct subject list[64];
        const size_t count = ldp_oracles[o]->client ? add_settings(ldp_oracles[o], five, D, 3, list, 0) : 0;
        for (size_t i = 0; i < count; i++) {
            struct ldp_protocol protocol = protocol_of(&list[i]);
            const size_t words = USERS * protocol.report_words;
            uint64_t *const reports = allocate(2 * words, sizeof *reports);
            for (size_t k = 0; k < 2; k++) {
                struct ldp_rng rng = stream_of(&list[i], "public");
                protocol.public_seed = k;
                protocol.oracle->client(&protocol, values, USERS, &rng, reports + k * words);
            }
            cr_expect(protocol.flags & LDP_ORACLE_PUBLIC ||
                          memcmp(reports, reports + words, words * sizeof *reports) == 0,
                      "%s: reports depend on public randomness", ldp_oracles[o]->name);
            free(reports);
        }
    }
}

/* A group of nobody, and the room that a group takes. */
Test(oracles, groups_of_any_size)
{
    static const uint64_t sizes[] = {0, 1, 2, 63, 1000, 100000, UINT64_C(1) << 40};
    enum { D = 5, SIZES = sizeof sizes / sizeof *sizes };
    for (size_t o = 0; ldp_oracles[o]; o++) {
        struct subject list[64];
        const size_t count = add_settings(ldp_oracles[o], five, D, 1, list, 0);
        for (size_t i = 0; i < count; i++) {
            const struct ldp_protocol protocol = protocol_of(&list[i]);
            double *const support = allocate(protocol.support_size, sizeof *support);
            for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
                size_t before = 0;
                for (size_t j = 0; j < SIZES; j++) {
                    const uint64_t counts[D] = {sizes[j] - sizes[j] / 3, 0, sizes[j] / 3, 0, 0};
                    const struct ldp_histogram group = {D, sizes[j], counts}, any = {D, sizes[j], NULL};
                    const size_t bytes = ldp_collect_scratch(&protocol, &any, (enum ldp_mode)mode);
                    cr_assert_geq(bytes, before, "%s", ldp_oracles[o]->name);
                    before = bytes;
                    if (sizes[j] > 1000 && (mode == LDP_REPORTS || strcmp(protocol.oracle->name, "hm") == 0))
                        continue; /* users one by one */
                    void *const scratch = allocate(bytes, 1);
                    struct ldp_rng rng = stream_of(&list[i], "group");
                    support[0] = NAN;
                    ldp_collect(&protocol, &group, (enum ldp_mode)mode, &rng, scratch, support);
                    for (size_t v = 0; v < protocol.support_size; v++)
                        cr_assert(sizes[j] == 0 ? support[v] == 0 : isfinite(support[v]), "%s: %g",
                                  ldp_oracles[o]->name, support[v]);
                    free(scratch);
                }
            }
            free(support);
        }
    }
}

Test(oracles, same_stream_same_bytes)
{
    hold(check_repeatable);
}

Test(oracles, privacy_of_whole_reports)
{
    hold(check_privacy);
}

Test(oracles, p_and_q_by_enumeration)
{
    hold(check_pq);
}

Test(oracles, joint_law_by_enumeration)
{
    static const uint64_t A[] = {2, 1}, B[] = {3, 0, 1}, C[] = {1, 2, 0, 1}, D[] = {0, 1, 0, 2, 0},
                          E[] = {0, 1, 0, 0, 1, 0};
    static const struct {
        const uint64_t *counts;
        size_t d;
    } few[] = {{A, 2}, {B, 3}, {C, 4}, {D, 5}, {E, 6}};
    static struct subject list[MAX_SUBJECTS];
    size_t count = 0;
    for (size_t o = 0; ldp_oracles[o]; o++)
        for (size_t i = 0; i < sizeof few / sizeof *few; i++)
            for (size_t j = 0; j < 2; j++)
                count = add_settings(ldp_oracles[o], few[i].counts, few[i].d, j ? 2 : 0.5, list, count);
    for (size_t i = 0; i < count; i++) {
        const struct verdict verdict = check_joint(&list[i]);
        cr_expect(verdict.good, "%s", verdict.why);
    }
}

/* ---- Protocols ---- */

static enum ldp_status configure(const char *name, double parameter, size_t d, double epsilon,
                                 struct ldp_protocol *protocol)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    cr_assert_not_null(spec.oracle);
    ldp_params_default(spec.oracle->params, spec.param);
    if (parameter >= 0 || parameter < 0)
        spec.param[0] = parameter;
    return ldp_protocol_init(protocol, &spec, d, epsilon, NULL);
}

Test(oracles, bad_arguments_are_refused)
{
    struct ldp_protocol protocol;
    for (size_t o = 0; ldp_oracles[o]; o++) {
        const char *const name = ldp_oracles[o]->name;
        cr_expect_eq(configure(name, NAN, 1, 1, &protocol), LDP_EINVAL, "%s", name);
        cr_expect_eq(configure(name, NAN, 0, 1, &protocol), LDP_EINVAL, "%s", name);
        cr_expect_eq(configure(name, NAN, (size_t)1 << 32, 1, &protocol), LDP_EINVAL, "%s", name);
        for (size_t i = 0; i < 5; i++)
            cr_expect_eq(configure(name, NAN, 10, (double[]){0, -1, NAN, INFINITY, -INFINITY}[i], &protocol),
                         LDP_EINVAL, "%s %zu", name, i);
    }
    static const struct {
        const char *name;
        double parameter;
    } bad_parameters[] = {{"the", 0.4}, {"the", 1.1}, {"the", -1},     {"olh", 1},        {"olh", 0},
                          {"olh", -4},  {"olh", 2.5}, {"olh", 0x1p32}, {"olh", INFINITY}, {"ss", 0},
                          {"ss", 10},   {"ss", 11},   {"ss", 1.5},     {"ss", -1},        {"hr", 3},
                          {"hr", 0},    {"hr", -1},   {"hr", 16},      {"hr", 0.5},       {"hr", 0x1p40}};
    for (size_t i = 0; i < sizeof bad_parameters / sizeof *bad_parameters; i++)
        cr_expect_eq(configure(bad_parameters[i].name, bad_parameters[i].parameter, 10, 1, &protocol), LDP_EINVAL,
                     "%s %g", bad_parameters[i].name, bad_parameters[i].parameter);
    /* p and q are the same double. */
    cr_expect_eq(configure("grr", NAN, 10, 1e-300, &protocol), LDP_EINVAL);
}

/* s1 of the literature's table, by d = 1000 where it matters. */
Test(oracles, constants_of_the_literature)
{
    static const struct {
        const char *name;
        double parameter;
        size_t d;
        double epsilon, s1, tf, tolerance;
    } rows[] = {
        {"oue", NAN, 1000, 1, 3.6827, 1, 1e-4},       {"oue", NAN, 1000, 2, 0.7241, 1, 1e-4},
        {"oue", NAN, 1000, 4, 0.0760, 1, 1e-4},       {"olh", NAN, 1000, 1, 3.6917, 1.2186, 1e-4},
        {"olh", 2, 1000, 1, 4.6827, -1, 1e-4},        {"hr", NAN, 1000, 1, 4.6827, -1, 1e-4},
        {"hr", 4, 4 * 4095, 2, 1.268, NAN, 1e-3},     {"hr", 16, 16 * 1023, 3, 0.4478, NAN, 1e-3},
        {"hr", 32, 32 * 511, 4, 0.1504, NAN, 1e-3},   {"hr", 128, 128 * 127, 5, 0.0585, NAN, 1e-3},
        {"hr", 1, 1000, 3, 1.220564, -1, 1e-5},       {"blh", NAN, 1000, 1, 4.6827, -1, 1e-4},
        {"sue", NAN, 1000, 1, 3.917698, 0, 1e-6},     {"sue", NAN, 1000, 3, 0.369710, 0, 1e-6},
        {"hm", 1, 1000, 1, 4.6827, -1, 1e-4},         {"hm", NAN, 1000, 2, 1.3221, NAN, 1e-4},
        {"hm", NAN, 1000, 3, 0.6713, NAN, 1e-4},      {"hm", NAN, 1000, 4, 0.4215, NAN, 1e-4},
        {"hm", NAN, 1000, 5, 0.2963, NAN, 1e-4},      {"grr", NAN, 1000, 1, 338.9402, 580.8128, 1e-4},
        {"ss", 1, 1000, 1, 338.9402, 580.8128, 1e-4}, {"exact", NAN, 1000, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_protocol protocol;
        cr_assert_eq(configure(rows[i].name, rows[i].parameter, rows[i].d, rows[i].epsilon, &protocol), LDP_OK);
        cr_expect(fabs(protocol.s1 - rows[i].s1) <= rows[i].tolerance, "%s %g: s1 %.6f", rows[i].name, rows[i].epsilon,
                  protocol.s1);
        cr_expect(isnan(rows[i].tf) || fabs(protocol.tf - rows[i].tf) <= rows[i].tolerance, "%s %g: tf %.6f",
                  rows[i].name, rows[i].epsilon, protocol.tf);
    }
    struct ldp_protocol protocol;
    configure("oue", NAN, 1024, 1, &protocol);
    cr_expect_float_eq(ldp_sigma(&protocol, 1000000), 1.919e-3, 1e-6);
    cr_expect_float_eq(ldp_n_equivalent(&protocol, 1e-6), (3.682694 + 1.0 / 1024) * 1e6, 1);
}

/* From no privacy to none of the value, nothing overflows. */
Test(oracles, extreme_budgets)
{
    static const double epsilon[] = {1e-3, 1e-2, 20, 22, 40, 100, 700, 709, 745, 800, 1e4, 1e300};
    static const size_t size[] = {2, 3, 1000};
    uint64_t counts[1000] = {5, 3};
    counts[999] = 40;
    for (size_t o = 0; ldp_oracles[o]; o++) {
        for (size_t i = 0; i < sizeof epsilon / sizeof *epsilon * 3; i++) {
            static struct subject list[MAX_SUBJECTS];
            const size_t d = size[i % 3], some = add_settings(ldp_oracles[o], counts, d, epsilon[i / 3], list, 0);
            cr_expect_gt(some, 0, "%s %zu %g", ldp_oracles[o]->name, d, epsilon[i / 3]);
            for (size_t j = 0; j < some; j++) {
                const struct ldp_protocol protocol = protocol_of(&list[j]);
                cr_expect(isfinite(protocol.s1) && isfinite(protocol.tf) && protocol.s1 >= 0 && protocol.p <= 1 &&
                              protocol.q >= 0,
                          "%s %zu %g", ldp_oracles[o]->name, d, protocol.epsilon);
                if (protocol.state_bytes > 1 << 24) /* seconds of decoding, which say no more */
                    continue;
                struct ldp_population *const population = population_of(&list[j]);
                for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
                    struct ldp_simulation simulation;
                    struct ldp_rng rng = stream_of(&list[j], "extreme");
                    double *const support = allocate(protocol.support_size, sizeof *support);
                    cr_assert_eq(ldp_simulation_init(&simulation, &protocol, population, (enum ldp_mode)mode), LDP_OK);
                    void *const scratch = allocate(simulation.scratch_bytes + ldp_estimate_scratch(&protocol), 1);
                    ldp_simulate(&simulation, &rng, scratch, support);
                    double est[1000];
                    ldp_estimate(&protocol, population->n, support, scratch, est);
                    for (size_t v = 0; v < d; v++)
                        cr_assert(isfinite(est[v]), "%s %zu %g", ldp_oracles[o]->name, d, protocol.epsilon);
                    free(scratch);
                    free(support);
                    ldp_simulation_clear(&simulation);
                }
                ldp_population_free(population);
            }
        }
    }
}

/* By counts the largest population is no harder than a small one. */
Test(oracles, most_users)
{
    static const double epsilon[] = {0.05, 1, 8};
    static const uint64_t counts[] = {(UINT64_C(1) << 53) - 1003, 1000, 0, 3};
    for (size_t o = 0; ldp_oracles[o]; o++) {
        for (size_t i = 0; i < sizeof epsilon / sizeof *epsilon; i++) {
            static struct subject list[MAX_SUBJECTS];
            cr_assert_gt(add_settings(ldp_oracles[o], counts, 4, epsilon[i], list, 0), 0);
            const struct subject subject = list[0];
            const struct ldp_protocol protocol = protocol_of(&subject);
            if (protocol.flags & LDP_ORACLE_BIASED)
                continue;
            struct ldp_population *const population = population_of(&subject);
            struct sample s = sample_new(&subject, LDP_COUNTS, 50);
            const double users = (double)population->n;
            void *const scratch = allocate(ldp_estimate_scratch(&protocol), 1);
            double variance[4];
            ldp_variance(&protocol, &population->histogram, variance);
            for (size_t r = 0; r < s.R; r++) {
                double est[4];
                ldp_estimate(&protocol, population->n, s.x + r * s.d, scratch, est);
                for (size_t v = 0; v < 4; v++)
                    cr_assert(fabs(est[v] - population->f[v]) <= 1e-13 + limit() * sqrt(variance[v]) / users,
                              "%s %g: %g, not %g", ldp_oracles[o]->name, epsilon[i], est[v], population->f[v]);
            }
            free(scratch);
            sample_free(&s);
            ldp_population_free(population);
        }
    }
}

Test(oracles, exact_has_no_error)
{
    const struct subject subject = {.spec = {.oracle = ldp_oracle_find("exact")}, 1, five, 5};
    const struct ldp_protocol protocol = protocol_of(&subject);
    struct ldp_population *const population = population_of(&subject);
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
        struct sample s = sample_new(&subject, (enum ldp_mode)mode, 2);
        double est[5];
        ldp_estimate(&protocol, population->n, s.x, NULL, est);
        for (size_t v = 0; v < 5; v++)
            cr_expect(est[v] == population->f[v]);
        sample_free(&s);
    }
    ldp_population_free(population);
}

Test(oracles, a_simulation_needs_its_population)
{
    const struct subject subject = {.spec = {.oracle = ldp_oracle_find("grr")}, 1, five, 5};
    struct ldp_protocol protocol = protocol_of(&subject);
    struct ldp_population *const population = population_of(&subject);
    protocol.d = 6;
    struct ldp_simulation simulation;
    cr_expect_eq(ldp_simulation_init(&simulation, &protocol, population, LDP_COUNTS), LDP_EINVAL);
    protocol.d = 5;
    struct ldp_oracle half = *protocol.oracle;
    half.counts = NULL;
    protocol.oracle = &half;
    cr_expect_eq(ldp_simulation_init(&simulation, &protocol, population, LDP_COUNTS), LDP_EINVAL);
    half.client = NULL;
    cr_expect_eq(ldp_simulation_init(&simulation, &protocol, population, LDP_REPORTS), LDP_EINVAL);
    ldp_population_free(population);
}

/* ---- Mistakes of published code, planted: the checks above must find them ---- */

enum mistake {
    NONE,
    INDEX_SHIFT,   /* the set avoids value v - 1 instead of v */
    MAY_DRAW_OWN,  /* the branch without v may still draw v */
    OWN_IN_FRONT,  /* v is always the first of the list */
    TEXT_P,        /* p = 1/2 although k < d/(e+1) */
    INDEPENDENT_C, /* counts as if supports were independent */
};

/* Subset selection whose report is a list of k words, with a mistake. */
static void list_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                        uint64_t *reports, enum mistake mistake)
{
    const size_t k = (size_t)protocol->param[0], d = protocol->d;
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * k;
        const uint32_t v = values[i];
        const bool in = ldp_rng_uniform(rng) < protocol->p;
        size_t size = 0;
        if (in)
            report[size++] = v;
        while (size < k) {
            const uint64_t w = ldp_rng_below(rng, d);
            const uint64_t avoid = mistake == INDEX_SHIFT ? (v + d - 1) % d : v;
            bool taken = w == avoid && !(mistake == MAY_DRAW_OWN && !in);
            for (size_t j = 0; j < size; j++)
                taken |= report[j] == w;
            if (!taken)
                report[size++] = w;
        }
        for (size_t j = k; j > 1 && mistake != OWN_IN_FRONT; j--) {
            const size_t other = (size_t)ldp_rng_below(rng, j);
            const uint64_t swap = report[j - 1];
            report[j - 1] = report[other];
            report[other] = swap;
        }
    }
}

#define LIST_CLIENT(name, mistake)                                                                                     \
    static void name(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,       \
                     uint64_t *reports)                                                                                \
    {                                                                                                                  \
        list_client(protocol, values, m, rng, reports, mistake);                                                       \
    }
LIST_CLIENT(list_client_none, NONE)
LIST_CLIENT(list_client_index_shift, INDEX_SHIFT)
LIST_CLIENT(list_client_may_draw_own, MAY_DRAW_OWN)
LIST_CLIENT(list_client_own_in_front, OWN_IN_FRONT)

static enum ldp_status list_configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                      struct ldp_reason *reason)
{
    const enum ldp_status status = ldp_oracle_find("ss")->configure(protocol, spec, reason);
    protocol->report_words = (size_t)protocol->param[0];
    protocol->state_bytes = protocol->d * sizeof(uint64_t);
    return status;
}

/* p = k e/(k e + d - k) is 1/2 at another epsilon. */
static enum ldp_status list_configure_text_p(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                             struct ldp_reason *reason)
{
    const double stated = protocol->epsilon;
    protocol->epsilon = log((double)protocol->d / spec->param[0] - 1);
    const enum ldp_status status = list_configure(protocol, spec, reason);
    protocol->epsilon = stated;
    return status;
}

static void list_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    uint64_t *const count = state;
    for (size_t i = 0; i < m * protocol->report_words; i++)
        count[reports[i]]++;
}

static void list_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    (void)n;
    const uint64_t *const count = state;
    for (size_t v = 0; v < protocol->d; v++)
        support[v] = (double)count[v];
}

static double list_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const size_t k = (size_t)protocol->param[0];
    const double d = (double)protocol->d, size = (double)k;
    bool in = false;
    for (size_t i = 0; i < k; i++) {
        in |= report[i] == value;
        for (size_t j = 0; j < i; j++)
            if (report[i] == report[j])
                return -INFINITY;
    }
    /* P / (sets of that kind) / k! orders */
    const double sets =
        in ? lgamma(d) - lgamma(size) - lgamma(d - size + 1) : lgamma(d) - lgamma(size + 1) - lgamma(d - size);
    return log(in ? protocol->p : 1 - protocol->p) - sets - lgamma(size + 1);
}

static void independent_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                               const void *plan, struct ldp_rng *rng, void *scratch, double *support)
{
    (void)plan;
    (void)scratch;
    for (size_t v = 0; v < protocol->d; v++)
        support[v] = (double)(ldp_binomial(rng, histogram->counts[v], protocol->p) +
                              ldp_binomial(rng, histogram->n - histogram->counts[v], protocol->q));
}

static struct ldp_oracle list_oracle(enum mistake mistake)
{
    struct ldp_oracle oracle = *ldp_oracle_find("ss");
    oracle.name = "ss by lists";
    oracle.configure = mistake == TEXT_P ? list_configure_text_p : list_configure;
    oracle.client = mistake == INDEX_SHIFT    ? list_client_index_shift
                    : mistake == MAY_DRAW_OWN ? list_client_may_draw_own
                    : mistake == OWN_IN_FRONT ? list_client_own_in_front
                                              : list_client_none;
    oracle.server = list_server;
    oracle.support = list_support;
    oracle.log_likelihood = list_log_likelihood;
    if (mistake == INDEPENDENT_C)
        oracle.counts = independent_counts;
    return oracle;
}

/* The checks that find something. */
static unsigned found(const struct ldp_oracle *oracle, double parameter, const uint64_t *counts, size_t d,
                      double epsilon)
{
    struct subject subject = {.spec = {.oracle = oracle}, epsilon, counts, d};
    ldp_params_default(oracle->params, subject.spec.param);
    if (!isnan(parameter))
        subject.spec.param[0] = parameter;
    return examine_supports(&subject, false) | note(IN_REPEATABLE, check_repeatable(&subject), false) |
           note(IN_PRIVACY, check_privacy(&subject), false) | note(IN_PQ, check_pq(&subject), false);
}

Test(planted_oracles, subset_selection_by_lists_is_right_when_right)
{
    const struct ldp_oracle oracle = list_oracle(NONE);
    cr_expect_eq(found(&oracle, NAN, eight, 8, 1), 0);
    cr_expect_eq(found(&oracle, 3, forty, 23, 1), 0);
}

Test(planted_oracles, subset_that_avoids_a_neighbour)
{
    const struct ldp_oracle oracle = list_oracle(INDEX_SHIFT);
    const unsigned bits = found(&oracle, NAN, eight, 8, 1);
    cr_expect_eq(bits & (IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY),
                 IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY, "%x", bits);
}

Test(planted_oracles, subset_that_may_draw_the_value_it_excludes)
{
    const struct ldp_oracle oracle = list_oracle(MAY_DRAW_OWN);
    const unsigned bits = found(&oracle, NAN, eight, 8, 1);
    cr_expect_eq(bits & (IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY),
                 IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY, "%x", bits);
    cr_expect_eq(bits & IN_SUM, 0, "the sum alone cannot see it");
}

Test(planted_oracles, subset_with_the_value_in_front)
{
    const struct ldp_oracle oracle = list_oracle(OWN_IN_FRONT);
    /* Only the whole report reveals it. */
    cr_expect_eq(found(&oracle, NAN, eight, 8, 1), IN_PRIVACY);
}

Test(planted_oracles, subset_selection_with_p_one_half)
{
    const struct ldp_oracle oracle = list_oracle(TEXT_P);
    const unsigned bits = found(&oracle, 1, eight, 8, 1);
    cr_expect(bits & IN_PRIVACY, "%x", bits);
}

Test(planted_oracles, subset_selection_by_independent_binomials)
{
    const struct ldp_oracle oracle = list_oracle(INDEPENDENT_C);
    const unsigned bits = found(&oracle, NAN, eight, 8, 1), expected = IN_AGREEMENT | IN_COVARIANCES | IN_SUM;
    cr_expect_eq(bits & expected, expected, "%x", bits);
    cr_expect_eq(bits & IN_MOMENTS_COUNTS, 0, "each value alone looks right");
}

/* By counts mean and variance are right and nothing else is. */
static void two_point_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                             const void *plan, struct ldp_rng *rng, void *scratch, double *support)
{
    (void)plan;
    (void)scratch;
    const double p = protocol->p, q = protocol->q;
    for (size_t v = 0; v < protocol->d; v++) {
        const double own = (double)histogram->counts[v], others = (double)histogram->n - own,
                     sd = sqrt(own * p * (1 - p) + others * q * (1 - q));
        support[v] = own * p + others * q + (ldp_rng_uniform(rng) < 0.5 ? -sd : sd);
    }
}

Test(planted_oracles, moments_without_the_law)
{
    struct ldp_oracle oracle = *ldp_oracle_find("oue");
    oracle.counts = two_point_counts;
    const unsigned bits = found(&oracle, NAN, five, 5, 1);
    cr_expect_eq(bits, IN_LAWS, "%x", bits);
}

/* The client runs symmetric unary encoding, the server debiases as optimised. */
static void symmetric_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                             uint64_t *reports)
{
    const double keep = exp(protocol->epsilon / 2) / (exp(protocol->epsilon / 2) + 1);
    for (size_t i = 0; i < m; i++) {
        reports[i] = 0;
        for (size_t v = 0; v < protocol->d; v++)
            reports[i] |= (uint64_t)(ldp_rng_uniform(rng) < (v == values[i] ? keep : 1 - keep)) << v;
    }
}

Test(planted_oracles, client_and_server_of_different_encodings)
{
    struct ldp_oracle oracle = *ldp_oracle_find("oue");
    oracle.client = symmetric_client;
    const unsigned bits = found(&oracle, NAN, five, 5, 1), expected = IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY;
    cr_expect_eq(bits & expected, expected, "%x", bits);
}

static void other_g_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                           uint64_t *reports)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("olh"), .param = {2}};
    struct ldp_protocol other;
    cr_assert_eq(ldp_protocol_init(&other, &spec, protocol->d, protocol->epsilon, NULL), LDP_OK);
    other.oracle->client(&other, values, m, rng, reports);
}

Test(planted_oracles, client_that_hashes_to_another_domain)
{
    struct ldp_oracle oracle = *ldp_oracle_find("olh");
    oracle.client = other_g_client;
    const unsigned bits = found(&oracle, NAN, five, 5, 1), expected = IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY;
    cr_expect_eq(bits & expected, expected, "%x", bits);
}

/* g changes, p stays that of g = round(e) + 1: the right one of another epsilon. */
static double stale_epsilon(double epsilon, double g)
{
    const double e = exp(epsilon), derived = round(e) + 1;
    return epsilon + log((g - 1) / (derived - 1));
}

static enum ldp_status stale_configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                       struct ldp_reason *reason)
{
    const double stated = protocol->epsilon;
    protocol->epsilon = stale_epsilon(stated, spec->param[0]);
    if (!(protocol->epsilon > 0))
        return ldp_refuse(reason, "p is below q");
    const enum ldp_status status = ldp_oracle_find("olh")->configure(protocol, spec, reason);
    protocol->epsilon = stated;
    return status;
}

static double stale_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    /* What olh says given the truth about p. */
    struct ldp_protocol honest = *protocol;
    honest.epsilon = stale_epsilon(protocol->epsilon, protocol->param[0]);
    return ldp_oracle_find("olh")->log_likelihood(&honest, value, report);
}

Test(planted_oracles, p_of_an_old_g)
{
    struct ldp_oracle oracle = *ldp_oracle_find("olh");
    oracle.configure = stale_configure;
    oracle.log_likelihood = stale_log_likelihood;
    const unsigned bits = found(&oracle, 16, five, 5, 1);
    cr_expect_eq(bits, IN_PRIVACY, "%x", bits);
    /* Stated as if p were right, the client gives it away. */
    oracle.log_likelihood = ldp_oracle_find("olh")->log_likelihood;
    cr_expect(found(&oracle, 16, five, 5, 1) & IN_PRIVACY);
    /* And where g falls below it, p is below q: refused. */
    struct ldp_protocol protocol;
    const struct ldp_oracle_spec spec = {.oracle = &oracle, .param = {2}};
    cr_expect_eq(ldp_protocol_init(&protocol, &spec, 10, 1, NULL), LDP_EINVAL);
}

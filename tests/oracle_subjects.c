/* oracle_subjects.c - see oracle_checks.h: oracles with their settings and populations, and samples of their
 * collections. */
#include "oracle_checks.h"

#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct verdict bad(const struct subject *subject, const char *format, ...)
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

uint64_t checks_seed(void)
{
    static uint64_t cached;
    if (cached == 0)
        cached = statistics_seed(20200223);
    return cached;
}

double checks_limit(void)
{
    static double cached;
    if (cached == 0)
        cached = statistics_z_bound(COMPARISONS);
    return cached;
}

struct ldp_rng stream_of(const struct subject *subject, const char *purpose)
{
    char key[200];
    snprintf(key, sizeof key, "%s %s %g %g %g %zu %g", purpose, subject->spec.oracle->name, subject->spec.param[0],
             subject->spec.param[1], subject->spec.param[2], subject->d, subject->epsilon);
    struct ldp_rng rng = make_stream(checks_seed(), key, 0);
    return rng;
}

struct ldp_protocol protocol_of(const struct subject *subject)
{
    struct ldp_protocol protocol = make_protocol(&subject->spec, subject->d, subject->epsilon);
    protocol.public_seed = 99;
    return protocol;
}

bool large_state(const struct subject *subject)
{
    return protocol_of(subject).state_bytes > 1 << 16;
}

struct ldp_population *population_of(const struct subject *subject)
{
    return make_population(subject->counts, subject->d);
}

void support_of_reports(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, double *support)
{
    void *const state = allocate(protocol->state_bytes, 1);
    protocol->oracle->server(protocol, reports, m, state);
    protocol->oracle->support(protocol, state, m, support);
    free(state);
}

/* ---- Subjects ---- */

static const uint64_t users_of_2[2] = {31, 9};
const uint64_t users_of_5[5] = {60, 0, 21, 8, 1};
const uint64_t users_of_8[8] = {50, 3, 25, 0, 0, 12, 6, 4};
const uint64_t users_of_6[6] = {560, 130, 60, 30, 20, 0};
const uint64_t users_of_40[40] = {70, 1, 35, 0, 23, 2, 17, 0, 14, 0, 11, 3, 10, 0, 8, 1, 7, 0, 7, 0,
                                  6,  0, 5,  4, 5,  0, 4,  1, 4,  0, 3,  0, 3,  2, 3, 0, 1, 0, 0, 0};

static const struct {
    const uint64_t *counts;
    size_t d;
    double epsilon[3];
} POPULATIONS[] = {
    {users_of_2, 2, {0.1, 1, 3}}, {users_of_5, 5, {0.1, 1, 3}},   {users_of_8, 8, {0.3, 1, 2}},
    {users_of_6, 6, {0.1, 1, 3}}, {users_of_40, 23, {0.1, 1, 3}}, {users_of_40, 40, {0.5, 1, 4}},
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
    case LDP_INTEGER:
    case LDP_INTEGER_OR_AUTO: *value = row->min + (double)i; return i < whole && *value <= row->max;
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

/* The law of message passing is one of many cells: amp of bloom is held to it in test_amp.c and test_populations.c, and
 * left out of filters of a few bits. */
static bool is_bloom_by_amp(const struct subject *subject, size_t row, double value)
{
    return strcmp(subject->spec.oracle->name, "bloom") == 0 &&
           strcmp(subject->spec.oracle->params[row].name, "decode") == 0 &&
           strcmp(subject->spec.oracle->params[row].choices[(size_t)value], "amp") == 0;
}

/* A sketch by message passing: with so few cells it seldom settles, its reports are those of the other decoders, and each
 * answer takes milliseconds. test_amp.c and test_populations.c hold it to what it states. */
static bool is_amp_of_few_cells(const struct subject *subject)
{
    const struct ldp_param *const params = subject->spec.oracle->params;
    for (size_t i = 0; subject->spec.oracle->flags & LDP_ORACLE_SKETCH && params[i].name; i++)
        if (strcmp(params[i].name, "decode") == 0)
            return strcmp(params[i].choices[(size_t)subject->spec.param[i]], "amp") == 0;
    return false;
}

/* Each parameter varied by itself, then each oracle inside; of a sketch small enough to look at every cell. */
static size_t add_sketches(struct subject subject, struct subject *list, size_t count)
{
    enum { MOST = 8 };
    static struct ldp_oracle_spec row[MAX_SUBJECTS];
    const struct ldp_param *const params = subject.spec.oracle->params;
    for (size_t i = 0; params && params[i].name; i++)
        subject.spec.param[i] =
            (params[i].kind == LDP_INTEGER || params[i].kind == LDP_INTEGER_OR_AUTO) && params[i].fallback > MOST
                ? params[i].min + 1
                : params[i].fallback - 2 * is_bloom_by_amp(&subject, i, params[i].fallback); /* lasso */
    count = add_if_suitable(&subject, list, count);
    for (size_t i = 0; params && params[i].name; i++) {
        struct subject varied = subject;
        for (size_t k = 1; setting_of(&params[i], true, k, &varied.spec.param[i]); k++)
            if (varied.spec.param[i] != subject.spec.param[i] && !is_bloom_by_amp(&subject, i, varied.spec.param[i]))
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

size_t add_settings(const struct ldp_oracle *oracle, const uint64_t *counts, size_t d, double epsilon,
                    struct subject *list, size_t count)
{
    const struct subject subject = {.spec = {.oracle = oracle}, .epsilon = epsilon, .counts = counts, .d = d};
    /* All combinations of the parameters of an oracle with another one inside are too many. */
    return oracle->inner || oracle->flags & LDP_ORACLE_SKETCH ? add_sketches(subject, list, count)
                                                              : add_settings_from(subject, 0, list, count);
}

size_t add_settings_in_turn(const struct ldp_oracle *oracle, const uint64_t *counts, size_t d, double epsilon,
                            size_t turn, size_t turns, struct subject *list, size_t count)
{
    const size_t first = count, end = add_settings(oracle, counts, d, epsilon, list, count);
    for (size_t i = first; i < end; i++)
        if (i == first || statistics_verify() || ((i - first) % turns == turn % turns && !is_amp_of_few_cells(&list[i])))
            list[count++] = list[i];
    return count;
}

size_t all_subjects(struct subject *list)
{
    size_t count = 0;
    for (size_t o = 0; ldp_oracles[o]; o++)
        for (size_t i = 0; i < sizeof POPULATIONS / sizeof *POPULATIONS; i++)
            for (size_t j = 0; j < 3; j++) {
                /* The domain of a sketch's rows is its cells. */
                const bool sketch = ldp_oracles[o]->flags & LDP_ORACLE_SKETCH;
                /* The oracle inside another one has all populations itself; levels make a protocol for each report. */
                const bool few = !sketch && (ldp_oracles[o]->inner || ldp_oracles[o]->flags & LDP_ORACLE_LEVELS);
                if ((sketch && (POPULATIONS[i].d != 5 || j == 0)) ||
                    (few && (j == 0 || (POPULATIONS[i].d != 8 && POPULATIONS[i].d != 23))))
                    continue;
                count = add_settings_in_turn(ldp_oracles[o], POPULATIONS[i].counts, POPULATIONS[i].d,
                                             POPULATIONS[i].epsilon[j], i + j, sketch ? 2 : 3, list, count);
            }
    cr_assert_gt(count, 50);
    return count;
}

/* ---- Samples ---- */

void sample_free(struct sample *sample)
{
    free(sample->x);
    free(sample->mean);
    free(sample->mean_error);
    free(sample->cov);
    free(sample->cov_error);
    free(sample->est);
}

struct sample sample_room(size_t R, size_t columns)
{
    return (struct sample){R,
                           columns,
                           allocate(R * columns, sizeof(double)),
                           allocate(columns, sizeof(double)),
                           allocate(columns, sizeof(double)),
                           allocate(columns * columns, sizeof(double)),
                           allocate(columns * columns, sizeof(double)),
                           0,
                           NULL};
}

struct sample with_moments(struct sample s)
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

struct sample sample_by(const struct subject *subject, enum ldp_mode mode, bool at_once, size_t R)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    struct ldp_simulation simulation = make_simulation(&protocol, population, mode);
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

struct sample sample_new(const struct subject *subject, enum ldp_mode mode, size_t R)
{
    return sample_by(subject, mode, false, R);
}

void sample_estimate(const struct subject *subject, struct sample *s)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    void *const scratch = allocate(ldp_estimate_scratch(&protocol), 1);
    const unsigned flags = protocol.flags & (LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED);
    s->estimates = flags && s->R > COLLECTIONS_LEAST && !statistics_verify() ? COLLECTIONS_LEAST : s->R;
    s->est = allocate(s->estimates * subject->d, sizeof *s->est);
    for (size_t i = 0; i < s->estimates; i++)
        ldp_estimate(&protocol, population->n, s->x + i * s->d, scratch, s->est + i * subject->d);
    free(scratch);
    ldp_population_free(population);
}

bool differs(double difference, double error, double scale)
{
    return !(fabs(difference) <= checks_limit() * error + 1e-9 * scale);
}

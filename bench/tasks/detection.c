/* detection.c - what a server finds of malicious users in single reports: detection.csv.
 *
 * Of each collection the server looks at a sample: up to SAMPLE reports, of which the attack's fraction is malicious,
 * simulated one by one whatever the simulation of the collection is. Each detector (detect.h) drops reports; gains are
 * those of unprocessed estimates of the sample, over that of its genuine reports alone. */
#include "tasks/frequency.h"

#include "attacks/attack.h"
#include "attacks/detect.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALARM, ALARM_CLEAN, CAUGHT, LOST, GAIN, GAIN_LEFT, MEASURES, SAMPLE = 20000 };

static const struct ldp_measure measures[] = {
    [ALARM] =
        MEASURE("alarm", "samples with malicious users in which a detector finds some", "share", LDP_MORE, .high = 1),
    [ALARM_CLEAN] =
        MEASURE("alarm_clean", "samples without malicious users in which it finds some", "share", LDP_LESS, .high = 1),
    [CAUGHT] = MEASURE("caught", "malicious reports that are dropped", "share", LDP_MORE, .high = 1),
    [LOST] = MEASURE("lost", "genuine reports that are dropped", "share", LDP_LESS, .high = 1),
    [GAIN] = MEASURE("gain", "by how much malicious reports raise the total of their targets", "gain", LDP_LESS,
                     .low = -INFINITY, .high = INFINITY),
    [GAIN_LEFT] = MEASURE("gain_left", "the same without the reports that are dropped", "gain", LDP_LESS,
                          .low = -INFINITY, .high = INFINITY),
    [MEASURES] = {.name = NULL},
};

static size_t detectors(void)
{
    size_t count = 0;

    while (ldp_detectors[count])
        count++;
    assert(count > 0);
    return count;
}

/* ---- Setup ---- */

size_t detection_count(const struct evaluation_setup *setup)
{
    return attacks_points(&setup->config.attacks) * detectors() * MEASURES;
}

/* Attack, then fraction, then detector, then measure. */
void detection_series(struct evaluation_setup *setup, struct series *series)
{
    const size_t count = detection_count(setup);

    for (size_t i = 0; i < count; i++) {
        const struct attack_point point = attacks_point(&setup->config.attacks, i / MEASURES / detectors());
        char number[NUMBER_TEXT];

        series[i] =
            (struct series){.method = ldp_detectors[i / MEASURES % detectors()]->name,
                            .query = point.attack->key,
                            .point = texts_keep(&setup->grid.texts, xstrdup(format_number(point.fraction, number))),
                            .measure = measures[i % MEASURES].name};
    }
}

int detection_prepare(const struct evaluation_setup *setup, struct failure *failure)
{
    if (setup->config.attacks.count == 0)
        return fail(failure, EXIT_BAD_INPUT, "outputs: expected \"attacks\" for the output detection, got none");
    for (size_t cell = 0; cell < setup->grid.setup.ncells; cell++) {
        struct ldp_protocol protocol;
        struct ldp_reason reason;

        if (grid_protocol(&setup->grid, cell, &protocol, failure) != 0)
            return -1;
        if (ldp_detectors_check(&protocol, &reason) != LDP_OK)
            return json_fail(&setup->config.attacks.choice[0].at, failure,
                             "the output detection: expected oracles whose reports can be inspected, got: %s",
                             reason.text);
    }
    return 0;
}

/* ---- One repetition ---- */

void detection_buffers_clear(struct detection_buffers *buffers)
{
    free(buffers->reports);
    free(buffers->support);
    free(buffers->dropped);
    free(buffers->of_targets);
    free(buffers->values);
    free(buffers->target);
    free(buffers->counts);
    free(buffers->scratch);
    *buffers = (struct detection_buffers){0};
}

static struct ldp_detection_sample sample_of(const struct ldp_protocol *protocol, size_t reports, uint64_t *support)
{
    return (struct ldp_detection_sample){protocol, reports, (reports + 63) / 64, support};
}

void detection_begin(const struct evaluation_worker *worker, struct detection_buffers *buffers)
{
    const struct ldp_protocol *const protocol = &worker->collection.simulation.protocol;
    const size_t d = protocol->d, r = attacks_targets(&worker->setup->config.attacks, worker->idataset);
    const struct ldp_detection_sample sample = sample_of(protocol, SAMPLE, NULL);
    size_t scratch = protocol->state_bytes + (protocol->support_size + 4) * sizeof(double);

    detection_buffers_clear(buffers);
    for (size_t i = 0; i < detectors(); i++) {
        const size_t bytes = ldp_detectors[i]->scratch_bytes(&sample);

        scratch = bytes > scratch ? bytes : scratch;
    }
    buffers->reports = xcalloc(SAMPLE * protocol->report_words, sizeof *buffers->reports);
    buffers->support = xcalloc(d * sample.words, sizeof *buffers->support);
    buffers->dropped = xcalloc(sample.words, sizeof *buffers->dropped);
    buffers->of_targets = xcalloc(r * sample.words, sizeof *buffers->of_targets);
    buffers->values = xcalloc(SAMPLE + r, sizeof *buffers->values);
    buffers->target = xcalloc(r, sizeof *buffers->target);
    buffers->counts = xcalloc(d, sizeof *buffers->counts);
    buffers->scratch = xcalloc(scratch, 1);
}

/* The reports of so many genuine users, drawn from the population with replacement. */
static void add_genuine(const struct evaluation_worker *worker, const struct ldp_protocol *protocol, size_t users,
                        struct ldp_rng *rng, const struct detection_buffers *buffers)
{
    const struct ldp_population *const population = worker->collection.simulation.population;
    size_t n = 0;

    ldp_multinomial(rng, users, population->f, population->d, buffers->counts);
    for (size_t v = 0; v < population->d; v++)
        for (uint64_t i = 0; i < buffers->counts[v]; i++)
            buffers->values[n++] = (uint32_t)v;
    protocol->oracle->client(protocol, buffers->values, users, rng, buffers->reports);
}

/* The estimated total of the targets, of the first reports of a sample without those that are dropped (NULL: none are).
 */
static double total_of(const struct ldp_detection_sample *sample, const uint64_t *of_targets, size_t r, size_t reports,
                       const uint64_t *dropped)
{
    const double q = sample->protocol->q;
    size_t kept = 0, supports = 0;

    for (size_t i = 0; i < reports; i++) {
        if (dropped && dropped[i / 64] >> i % 64 & 1)
            continue;
        kept++;
        for (size_t k = 0; k < r; k++)
            supports += of_targets[k * sample->words + i / 64] >> i % 64 & 1;
    }
    return kept > 0 ? ((double)supports / (double)kept - (double)r * q) / sample->protocol->gap : 0;
}

static size_t bits_between(const uint64_t *bits, size_t from, size_t to)
{
    size_t count = 0;

    for (size_t i = from; i < to; i++)
        count += bits[i / 64] >> i % 64 & 1;
    return count;
}

/* The measures of every detector: out[detectors][MEASURES]. */
static void measure(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, size_t genuine,
                    const struct detection_buffers *buffers, double *out)
{
    struct ldp_detection_sample sample = sample_of(protocol, SAMPLE, buffers->support);

    for (size_t i = 0; ldp_detectors[i]; i++, out += MEASURES) {
        const struct ldp_detector *const detector = ldp_detectors[i];
        struct ldp_detection_sample clean = sample_of(protocol, genuine, buffers->support);

        ldp_sample_fill(&clean, buffers->reports, buffers->scratch);
        out[ALARM_CLEAN] = detector->find(&clean, buffers->scratch, buffers->dropped);
        ldp_sample_fill(&sample, buffers->reports, buffers->scratch);
        for (size_t k = 0; k < spec->r; k++)
            memcpy(buffers->of_targets + k * sample.words, sample.support + spec->target[k] * sample.words,
                   sample.words * sizeof *sample.support);
        const double honest = total_of(&sample, buffers->of_targets, spec->r, genuine, NULL);
        out[GAIN] = total_of(&sample, buffers->of_targets, spec->r, SAMPLE, NULL) - honest;
        out[ALARM] = detector->find(&sample, buffers->scratch, buffers->dropped);
        out[GAIN_LEFT] = total_of(&sample, buffers->of_targets, spec->r, SAMPLE, buffers->dropped) - honest;
        out[CAUGHT] = (double)bits_between(buffers->dropped, genuine, SAMPLE) / (double)(SAMPLE - genuine);
        out[LOST] = (double)bits_between(buffers->dropped, 0, genuine) / (double)genuine;
    }
}

void detection_measure(const struct evaluation_worker *worker, uint64_t public_seed, const struct ldp_rng *rng,
                       const struct detection_buffers *buffers, double *out)
{
    const struct attack_list *const attacks = &worker->setup->config.attacks;
    struct ldp_protocol protocol = worker->collection.simulation.protocol;
    struct ldp_rng copy = *rng;
    const uint64_t seed = ldp_rng_next(&copy);

    protocol.public_seed = public_seed;
    for (size_t i = 0; i < attacks->count; i++) {
        const struct attack_choice *const attack = &attacks->choice[i];
        struct ldp_rng stream;

        ldp_rng_stream(&stream, seed, attack->key, 1); /* 0 is that of attacks.c */
        struct ldp_attack_spec spec = attacks_choose(worker, attack, &stream, buffers->target);
        for (size_t j = 0; j < attack->fraction.count; j++, out += detectors() * MEASURES) {
            const double malicious = fmax(1, floor(SAMPLE * attack->fraction.values[j] + 0.5));
            const size_t genuine = SAMPLE - (size_t)malicious;

            spec.beta = malicious / SAMPLE;
            add_genuine(worker, &protocol, genuine, &stream, buffers);
            ldp_attack_reports(&spec, &protocol, SAMPLE - genuine, &stream, buffers->values,
                               buffers->reports + genuine * protocol.report_words);
            measure(&spec, &protocol, genuine, buffers, out);
        }
    }
}

/* ---- The table ---- */

static size_t rows(const struct table_cell *in)
{
    return detection_count(evaluation_of(in->setup)) / MEASURES;
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct evaluation_setup *const setup = evaluation_of(in->setup);
    const struct attack_point point = attacks_point(&setup->config.attacks, index / detectors());
    const size_t first = frequency_series(setup, in->cell).detection;

    row->field[0].text = ldp_detectors[index % detectors()]->name;
    attack_fields(point, point.attack->on[grid_point(&setup->grid, in->cell).idataset].r, row->field + 1);
    row_series(row, first + index * MEASURES, MEASURES);
}

static const struct table_column columns[] = {
    GRID_COLUMNS,
    {"detector", COLUMN_KEY, PART_ALGORITHM},
    ATTACK_COLUMNS,
    {"repetitions", COLUMN_REPETITIONS, 0},
};

const struct task_table detection_table = {TABLE("detection.csv",
                                                 "what a server finds of malicious users in single reports", "detector",
                                                 FORM_PLAIN, columns, measures),
                                           .each = EACH_MEAN | EACH_STDERR, .rows = rows, .row = row};

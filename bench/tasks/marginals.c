/* marginals.c - the task `marginals`: errors of synopses on the joint frequencies of small sets of attributes.
 *
 * One repetition: every synopsis collects from all users, each from the same stream, and answers all marginals that are
 * asked for. A number of a repetition is the mean over the marginals of one k.
 *
 * This file is over 500 lines: a task with its worker, its attacks and its tables, which nothing else uses. */
#include "attacks/attack.h"
#include "config/attack_keys.h"
#include "config/synopses.h"
#include "queries/frequency_errors.h"
#include "support/clock.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "tasks/grid.h"
#include "tasks/table_writer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Measures of one synopsis and one k, in the order of their series: those that are always taken, other metrics, the
 * error's parts, those of intervals. The seconds are of a synopsis. */
enum {
    MARGINALS_SSE,
    MARGINALS_TV,
    MARGINALS_MAX,
    MARGINALS_MAE,
    MARGINALS_KL,
    MARGINALS_KENDALL,
    MARGINALS_NOISE,
    MARGINALS_SAMPLING,
    MARGINALS_RECONSTRUCTION,
    MARGINALS_NOISE_PREDICTED,
    MARGINALS_PREDICTED,
    MARGINALS_COVERAGE,
    MARGINALS_WIDTH,
    MARGINALS_KNOWN,
    MARGINALS_SECONDS,
};

/* The marginals of a dataset. */
struct marginals_dataset {
    struct attribute_sets sets;     /* by their number of attributes */
    struct attribute_sets *designs; /* [synopses], where they are given by hand */
    size_t *first;                  /* [sets.count + 1]: cells of the answers */
    double *truth;                  /* [first[sets.count]] */
    size_t nk;
    size_t attacks_first; /* the first series of attacks */
    size_t *k, *k_first;  /* [nk], [nk + 1]: the first of the sets of that size */
};

/* Series of a cell: [synopsis][k][measures], then [synopsis] seconds. */
struct marginals_setup {
    struct grid grid;
    struct axes axes;
    struct synopsis_list synopses;
    struct requested_marginals requested;
    struct attack_list attacks;
    uint64_t outputs;
    size_t equal;                 /* enum ldp_record_equal */
    uint64_t choice;              /* of the measures, without the seconds */
    struct marginals_dataset *of; /* [axes.datasets.count] */
    struct layout *layouts;       /* [axes.datasets.count], whose series and sums are owned */
    double *opening;              /* [cells][synopses]: seconds that opening each took; at another epsilon if need be */
};

static const struct ldp_measure marginals_measure[] = {
    [MARGINALS_SSE] = MEASURE("sse", "sum of squared errors of a marginal", "SSE", LDP_LESS, .high = INFINITY),
    [MARGINALS_TV] = MEASURE("tv", "total variation distance of a marginal", "total variation distance", LDP_LESS,
                             .high = INFINITY, .unit = LDP_UNIT_USERS),
    [MARGINALS_MAX] =
        MEASURE("max_error", "largest absolute error of a cell", "largest error", LDP_LESS, .high = INFINITY),
    [MARGINALS_MAE] = MEASURE("mae", "mean absolute error of a cell", "mean absolute error", LDP_LESS, .high = INFINITY,
                              .unit = LDP_UNIT_ABSOLUTE),
    [MARGINALS_KL] = MEASURE("kl", "Kullback-Leibler divergence of the answer from the truth, in nats", "KL divergence",
                             LDP_LESS, .high = INFINITY, .unit = LDP_UNIT_PLAIN),
    [MARGINALS_KENDALL] = MEASURE("kendall", "Kendall's tau-b of the order of the cells", "Kendall's tau", LDP_MORE,
                                  .low = -1, .high = 1, .unit = LDP_UNIT_WRONG),
    [MARGINALS_NOISE] =
        MEASURE("sse_noise", "squared distance to the answers without noise", "SSE", LDP_NEUTRAL, .high = INFINITY),
    [MARGINALS_SAMPLING] =
        MEASURE("sse_sampling", "squared distance between answers from groups and from all users, without noise", "SSE",
                LDP_NEUTRAL, .high = INFINITY),
    [MARGINALS_RECONSTRUCTION] =
        MEASURE("sse_reconstruction", "squared error of the answers from all users without noise", "SSE", LDP_NEUTRAL,
                .high = INFINITY),
    [MARGINALS_NOISE_PREDICTED] = MEASURE("sse_noise_predicted", "noise and sampling error that the synopsis predicts",
                                          "SSE", LDP_NEUTRAL, .high = INFINITY),
    [MARGINALS_PREDICTED] =
        MEASURE("sse_predicted", "total error that the synopsis predicts", "SSE", LDP_NEUTRAL, .high = INFINITY),
    [MARGINALS_COVERAGE] = MEASURE("coverage", "cells whose 95 % interval covers the true value, of those with one",
                                   "coverage", LDP_NEUTRAL, .high = 1),
    [MARGINALS_WIDTH] =
        MEASURE("width", "mean width of the 95 % intervals of cells", "width", LDP_LESS, .high = INFINITY),
    [MARGINALS_KNOWN] = MEASURE("known", "cells with an interval", "share of cells", LDP_MORE, .high = 1),
    [MARGINALS_SECONDS] =
        MEASURE("seconds", "seconds of a repetition", "seconds", LDP_LESS, .high = INFINITY, .timed = true),
    {.name = NULL},
};

enum { ERRORS, PARTS, CELLS, TIMES, PROTECTION, INTERVALS, METRICS };
static const char *const outputs[] = {"errors",     "parts",     "marginals", "times",
                                      "protection", "intervals", "metrics",   NULL};

/* The measures of an output, from one on and before another. */
#define MEASURES_OF(from, before) ((UINT64_C(1) << (before)) - (UINT64_C(1) << (from)))
static const uint64_t measured_for[] = {[ERRORS] = MEASURES_OF(0, MARGINALS_MAE),
                                        [METRICS] = MEASURES_OF(MARGINALS_MAE, MARGINALS_NOISE),
                                        [PARTS] = MEASURES_OF(MARGINALS_NOISE, MARGINALS_COVERAGE),
                                        [INTERVALS] = MEASURES_OF(MARGINALS_COVERAGE, MARGINALS_SECONDS)};

static const char *const equals[] = {
    [LDP_EQUAL_STATED] = "stated", [LDP_EQUAL_TUPLE] = "tuple", [LDP_EQUAL_ATTRIBUTE] = "attribute", NULL};

static const struct config_key keys[] = {
    AXES_KEYS(struct marginals_setup, axes, CONFIG_RECORDS),
    KEY("synopses", "the synopses: how tables are chosen, collected and combined; \"all\": every one with its defaults",
        "[\"calm\", {\"name\": \"calm\", \"m\": 20, \"l\": 6}, \"product\"]", .required = true,
        .type = &config_synopses, CONFIG_MEMBER(struct marginals_setup, synopses, struct synopsis_list)),
    KEY("marginals", "the marginals that are asked for: random ones of k attributes, or a list of sets of attributes",
        "{\"k\": [2, 3, 6], \"count\": 50}", .required = true, .type = &config_requested,
        CONFIG_MEMBER(struct marginals_setup, requested, struct requested_marginals), .max = LDP_ATTRIBUTES_MAX - 1),
    CONFIG_ATTACKS(struct marginals_setup, attacks),
    KEY("equal",
        "what epsilon protects: what each synopsis takes it for (stated), or the same for all: whole "
        "records (tuple), or one attribute",
        "\"tuple\"", CONFIG_CHOICE(struct marginals_setup, equal), .choices = equals, .fallback = LDP_EQUAL_STATED),
    KEY("outputs",
        "errors are always written; parts: those of noise, sampling and reconstruction, and what the synopsis "
        "predicts; marginals: every cell's true value and mean estimate; times: seconds of a repetition; "
        "protection: exact epsilons of a record and of one attribute; intervals: how often 95 % intervals of cells "
        "cover the true value, where a synopsis has some; metrics: also mae, kl, kendall",
        "[\"parts\", \"times\"]", CONFIG_CHOICES(struct marginals_setup, outputs), .choices = outputs,
        .fallback = 1 << ERRORS),
    {.name = NULL},
};

static const struct marginals_setup *marginals_of(const struct setup *setup)
{
    assert(setup->task == &task_marginals);
    return (const struct marginals_setup *)setup;
}

static void free_setup(struct setup *base)
{
    struct marginals_setup *const setup = (struct marginals_setup *)base;

    for (size_t i = 0; setup->of && i < setup->axes.datasets.count; i++) {
        struct marginals_dataset *const of = &setup->of[i];

        for (size_t s = 0; of->designs && s < setup->synopses.count; s++)
            free(of->designs[s].set);
        free(of->designs);
        free(of->sets.set);
        free(of->first);
        free(of->truth);
        free(of->k);
        free(of->k_first);
    }
    for (size_t i = 0; setup->layouts && i < setup->axes.datasets.count; i++) {
        free(setup->layouts[i].series);
        free(setup->layouts[i].sums);
    }
    free(setup->opening);
    free(setup->of);
    free(setup->layouts);
    grid_clear(&setup->grid);
    algorithms_clear(&synopsis_kind, &setup->synopses.list);
    requested_clear(&setup->requested);
    algorithms_clear(&attack_kind, &setup->attacks.list);
    axes_clear(&setup->axes);
    free(setup);
}

/* ---- Marginals of a dataset ---- */

/* Where the answers and the marginals of each k begin. */
static int index_sets(struct marginals_dataset *of, const struct ldp_records *records, const struct json_at *at,
                      struct failure *failure)
{
    const size_t count = of->sets.count;
    double cells = 0;

    of->first = xcalloc(count + 1, sizeof *of->first);
    of->k = xmalloc(count, sizeof *of->k);
    of->k_first = xmalloc(count + 1, sizeof *of->k_first);
    for (size_t i = 0; i < count; i++) {
        of->first[i] = (size_t)cells;
        cells += ldp_set_cells(&of->sets.set[i], records->cardinality);
        if (cells > LDP_TABLE_CELLS_MAX)
            return json_fail(at, failure, "expected marginals of at most %d cells together, got more",
                             LDP_TABLE_CELLS_MAX);
        if (i == 0 || of->sets.set[i].size != of->sets.set[i - 1].size) {
            of->k[of->nk] = of->sets.set[i].size;
            of->k_first[of->nk++] = i;
        }
    }
    of->first[count] = (size_t)cells;
    of->k_first[of->nk] = count;
    return 0;
}

static void find_truth(struct marginals_dataset *of, const struct ldp_records *records)
{
    const size_t all = of->first[of->sets.count];
    uint64_t *const cells = xmalloc(all, sizeof *cells);

    of->truth = xmalloc(all, sizeof *of->truth);
    if (ldp_records_tables(records, of->sets.set, of->sets.count, of->first, cells) != LDP_OK)
        out_of_memory();
    for (size_t c = 0; c < all; c++)
        of->truth[c] = (double)cells[c] / (double)records->n;
    free(cells);
}

static int bind_dataset(struct marginals_setup *setup, size_t i, uint64_t seed, struct failure *failure)
{
    const struct dataset *const dataset = setup->axes.datasets.dataset[i];
    struct marginals_dataset *const of = &setup->of[i];

    setup->grid.datasets[i] = grid_dataset(dataset, NULL);
    of->designs = xcalloc(setup->synopses.count, sizeof *of->designs);
    for (size_t s = 0; s < setup->synopses.count; s++)
        if (setup->synopses.choice[s].sets.file &&
            attribute_sets_read(&setup->synopses.choice[s].sets, dataset->records, &of->designs[s], failure) != 0)
            return -1;
    if (requested_bind(&setup->requested, dataset, seed, &of->sets, failure) != 0 ||
        index_sets(of, dataset->records->records, &setup->requested.at, failure) != 0)
        return -1;
    find_truth(of, dataset->records->records);
    return 0;
}

/* The marginals of each k, which may be drawn. */
static void name_workloads(struct marginals_setup *setup, size_t i)
{
    const struct marginals_dataset *const of = &setup->of[i];

    for (size_t j = 0; j < of->nk; j++) {
        const struct attribute_sets sets = {.set = of->sets.set + of->k_first[j],
                                            .count = of->k_first[j + 1] - of->k_first[j]};
        const char *const contents = texts_keep(&setup->grid.texts, attribute_sets_text(CONTENTS_MARGINALS, &sets));

        grid_add_workload(&setup->grid, i, "k", texts_keep(&setup->grid.texts, xformat("%zu", of->k[j])), contents);
    }
}

/* A synopsis as a dataset asks for it. */
static struct ldp_synopsis_spec marginals_spec(const struct marginals_setup *setup, size_t idataset, size_t s)
{
    struct ldp_synopsis_spec spec = setup->synopses.choice[s].spec;
    const struct attribute_sets *const design = &setup->of[idataset].designs[s];

    if (design->count > 0) {
        spec.sets = design->set;
        spec.nsets = design->count;
    }
    return spec;
}

/* What it is asked for in a cell. */
static struct ldp_workload marginals_workload(const struct marginals_setup *setup, const struct grid_point *at,
                                              size_t s)
{
    const struct marginals_dataset *const of = &setup->of[at->idataset];
    const struct ldp_records *const records = setup->axes.datasets.dataset[at->idataset]->records->records;
    const struct ldp_synopsis_spec *const spec = &setup->synopses.choice[s].spec;
    const double epsilon = setup->axes.epsilon.values[at->iepsilon];

    return (struct ldp_workload){
        .records = records,
        .oracle = &setup->axes.oracles.choice[at->ioracle].spec,
        .epsilon = setup->equal == LDP_EQUAL_STATED || !spec->synopsis->epsilon_for
                       ? epsilon
                       : spec->synopsis->epsilon_for(spec, records->d, (enum ldp_record_equal)setup->equal, epsilon),
        .mode = setup->axes.mode,
        .sets = of->sets.set,
        .nsets = of->sets.count,
        .first = of->first};
}

/* Sets the failure: why the synopsis does not suit the cell. */
static int marginals_refuse(const struct marginals_setup *setup, const struct grid_point *at, size_t s,
                            enum ldp_status status, const struct ldp_reason *reason, struct failure *failure)
{
    char number[NUMBER_TEXT];

    if (status == LDP_ENOMEM)
        return fail_memory(failure);
    return fail(failure, EXIT_BAD_INPUT, "synopsis %s does not suit dataset %s (n = %llu), oracle %s, epsilon = %s: %s",
                setup->synopses.choice[s].label, setup->grid.datasets[at->idataset].label,
                (unsigned long long)setup->grid.datasets[at->idataset].n, setup->axes.oracles.choice[at->ioracle].label,
                format_number(setup->axes.epsilon.values[at->iepsilon], number), reason->text);
}

/* Numbers of the vector of a sum: repetitions, means, sums of squares. */
static size_t marginals_sum_length(const struct marginals_dataset *of)
{
    return 1 + 2 * of->first[of->sets.count];
}

static struct field marginals_synopsis_field(const struct synopsis_choice *synopsis)
{
    const struct ldp_synopsis *const of = synopsis->spec.synopsis;
    const struct ldp_method *const method = synopsis->spec.method.method;

    return (struct field){.text = synopsis->label,
                          .identity = {.name = of->name,
                                       .params = of->params,
                                       .value = synopsis->spec.param,
                                       .word_name = "method",
                                       .word = method ? method->name : NULL}};
}

/* ---- Malicious users: marginal_attacks.csv ---- */

/* Malicious users are a fraction of every group, and their reports support the cells of injected records in the table
 * of their group. Genuine users are those of the same collection without them. */

enum { GAIN, SSE, SSE_CLEAN, MEASURES };

static const struct ldp_measure attack_measures[] = {
    [GAIN] = MEASURE("gain", "by how much an attack raises the cells of injected records, in a marginal", "gain",
                     LDP_LESS, .low = -INFINITY, .high = INFINITY),
    [SSE] = MEASURE("sse", "sum of squared errors of a marginal under attack", "SSE", LDP_LESS, .high = INFINITY),
    [SSE_CLEAN] =
        MEASURE("sse_clean", "the same without malicious users", "SSE without attack", LDP_LESS, .high = INFINITY),
    [MEASURES] = {.name = NULL},
};

/* How many records are injected. */
static size_t injected_count(const struct attack_choice *attack)
{
    return (size_t)(attack->targets.spread + attack->targets.random);
}

static struct ldp_attackers marginals_attackers(const struct attack_choice *attack)
{
    return (struct ldp_attackers){.spec = attack->spec, .ninjected = injected_count(attack)};
}

static int marginals_attacks_prepare(const struct marginals_setup *setup, const struct grid_point *at,
                                     struct failure *failure)
{
    for (size_t i = 0; i < setup->attacks.count * setup->synopses.count; i++) {
        const struct attack_choice *const attack = &setup->attacks.choice[i / setup->synopses.count];
        const struct ldp_synopsis_spec spec = marginals_spec(setup, at->idataset, i % setup->synopses.count);
        const struct ldp_attackers attackers = marginals_attackers(attack);
        struct ldp_workload workload = marginals_workload(setup, at, i % setup->synopses.count);
        struct ldp_reason reason = {""};
        void *state;

        if (injected_count(attack) == 0)
            return json_fail(&attack->at, failure,
                             "expected targets by \"spread\" or \"random\", which are records here");
        workload.attackers = &attackers;
        if (ldp_synopsis_open(&spec, &workload, &state, &reason) != LDP_OK)
            return json_fail(&attack->at, failure,
                             "expected an attack that suits every synopsis and oracle, got %s: %s", attack->label,
                             reason.text);
        ldp_synopsis_close(state);
    }
    return 0;
}

/* Synopsis, then attack, then fraction, then k, then measure. */
static size_t marginals_attacks_series(struct marginals_setup *setup, size_t idataset, const char *const *key,
                                       const char *query, struct series *series)
{
    const size_t points = attacks_points(&setup->attacks), nk = setup->of[idataset].nk,
                 count = setup->synopses.count * points * nk * MEASURES;

    for (size_t i = 0; series && i < count; i++) {
        const size_t at = i / MEASURES / nk;
        const struct attack_point point = attacks_point(&setup->attacks, at % points);
        char number[NUMBER_TEXT];
        char *const text = xformat("%zu|%s|%s", setup->of[idataset].k[i / MEASURES % nk], point.attack->key,
                                   format_number(point.fraction, number));

        series[i] = (struct series){.method = key[at / points],
                                    .query = query,
                                    .point = texts_keep(&setup->grid.texts, text),
                                    .measure = attack_measures[i % MEASURES].name};
    }
    return count;
}

/* The injected records: each attribute's values at equal distances, or drawn. */
static void marginals_plant(const struct ldp_records *records, const struct attack_choice *attack, struct ldp_rng *rng,
                            uint32_t *injected)
{
    const size_t r = injected_count(attack);

    for (size_t k = 0; k < r; k++)
        for (size_t a = 0; a < records->d; a++)
            injected[k * records->d + a] = attack->targets.random > 0
                                               ? (uint32_t)(ldp_rng_uniform(rng) * records->cardinality[a])
                                               : (uint32_t)(((double)k + 0.5) * records->cardinality[a] / (double)r);
}

/* The sum of the distinct injected cells of marginal i, under attack over without it. */
static double gain_of(const struct marginals_dataset *of, size_t i, const struct ldp_records *records,
                      const struct ldp_attackers *attackers, const double *est, const double *clean)
{
    const struct ldp_set *const set = &of->sets.set[i];
    double gain = 0;

    for (size_t c = of->first[i]; c < of->first[i + 1]; c++) {
        bool is_injected = false;

        for (size_t k = 0; k < attackers->ninjected && !is_injected; k++) {
            size_t cell = 0;

            for (size_t a = 0; a < set->size; a++)
                cell = cell * records->cardinality[set->attribute[a]] +
                       attackers->injected[k * records->d + set->attribute[a]];
            is_injected = cell == c - of->first[i];
        }
        if (is_injected)
            gain += est[c] - clean[c];
    }
    return gain;
}

static double *marginals_attacks_measure(const struct marginals_dataset *of, const struct ldp_records *records,
                                         const struct ldp_attackers *attackers, const double *est, const double *clean,
                                         double *measured)
{
    for (size_t j = 0; j < of->nk; j++, measured += MEASURES) {
        const double count = (double)(of->k_first[j + 1] - of->k_first[j]);

        memset(measured, 0, MEASURES * sizeof *measured);
        for (size_t i = of->k_first[j]; i < of->k_first[j + 1]; i++) {
            measured[GAIN] += gain_of(of, i, records, attackers, est, clean) / count;
            for (size_t c = of->first[i]; c < of->first[i + 1]; c++) {
                measured[SSE] += (est[c] - of->truth[c]) * (est[c] - of->truth[c]) / count;
                measured[SSE_CLEAN] += (clean[c] - of->truth[c]) * (clean[c] - of->truth[c]) / count;
            }
        }
    }
    return measured;
}

static size_t attack_rows(const struct table_cell *in)
{
    const struct marginals_setup *const setup = marginals_of(in->setup);

    return setup->synopses.count * attacks_points(&setup->attacks) *
           setup->of[grid_point(&setup->grid, in->cell).idataset].nk;
}

static void attack_row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct marginals_setup *const setup = marginals_of(in->setup);
    const size_t idataset = grid_point(&setup->grid, in->cell).idataset, nk = setup->of[idataset].nk,
                 points = attacks_points(&setup->attacks), at = index / nk;
    const struct attack_point point = attacks_point(&setup->attacks, at % points);

    row->field[0] = marginals_synopsis_field(&setup->synopses.choice[at / points]);
    row->field[1].number = (double)setup->of[idataset].k[index % nk];
    attack_fields(point, injected_count(point.attack), row->field + 2);
    row_series(row, setup->of[idataset].attacks_first + index * MEASURES, MEASURES);
}

static const struct table_column attack_columns[] = {
    GRID_COLUMNS,   {"synopsis", COLUMN_KEY, PART_ALGORITHM}, {"k", COLUMN_KEY, PART_NONE},
    ATTACK_COLUMNS, {"repetitions", COLUMN_REPETITIONS, 0},
};

static const struct task_table marginals_attacks_table = {
    TABLE("marginal_attacks.csv", "errors of marginals with malicious users", "synopsis", FORM_PRICE, attack_columns,
          attack_measures),
    .each = EACH_MEAN | EACH_STDERR, .rows = attack_rows, .row = attack_row};

/* ---- Preparing ---- */

/* Opens a synopsis in a cell, for its workload, and notes how long that takes. */
static enum ldp_status open_synopsis(struct marginals_setup *setup, size_t cell, size_t s,
                                     const struct ldp_workload *workload, void **state, struct ldp_reason *reason)
{
    const struct ldp_synopsis_spec spec = marginals_spec(setup, grid_point(&setup->grid, cell).idataset, s);
    const double start = clock_seconds();
    const enum ldp_status status = ldp_synopsis_open(&spec, workload, state, reason);

    setup->opening[cell * setup->synopses.count + s] = clock_seconds() - start;
    return status;
}

/* Whether a synopsis suits a cell. */
static int check_synopsis(struct marginals_setup *setup, size_t cell, size_t s, struct failure *failure)
{
    const struct grid_point at = grid_point(&setup->grid, cell);
    const struct ldp_workload workload = marginals_workload(setup, &at, s);
    struct ldp_reason reason = {""};
    void *state;

    if (isnan(workload.epsilon))
        return json_fail(&setup->synopses.choice[s].at, failure,
                         "expected a synopsis whose epsilon of one attribute can be set, got %s",
                         setup->synopses.choice[s].label);
    const enum ldp_status status = open_synopsis(setup, cell, s, &workload, &state, &reason);
    struct failure refused = NO_REASON;
    if (status == LDP_OK)
        ldp_synopsis_close(state);
    if (status == LDP_OK || status == LDP_ENOMEM)
        return status == LDP_OK ? 0 : fail_memory(failure);
    marginals_refuse(setup, &at, s, status, &reason, &refused);
    return json_fail(&setup->synopses.choice[s].at, failure, "%s", refused.text);
}

/* Whether every synopsis suits every dataset and oracle that share a cell, at the first epsilon; at others where they
 * are reached. */
static int check_synopses(struct marginals_setup *setup, struct failure *failure)
{
    const size_t count = setup->synopses.count;
    struct grid_point last = {.idataset = UINT32_MAX};

    for (size_t cell = 0; cell < setup->grid.setup.ncells; cell++) {
        const struct grid_point at = grid_point(&setup->grid, cell);

        if (at.idataset == last.idataset && at.ioracle == last.ioracle) {
            memcpy(setup->opening + cell * count, setup->opening + (cell - 1) * count, count * sizeof *setup->opening);
            continue;
        }
        last = at;
        for (size_t s = 0; s < count; s++)
            if (check_synopsis(setup, cell, s, failure) != 0)
                return -1;
        if (marginals_attacks_prepare(setup, &at, failure) != 0)
            return -1;
    }
    return 0;
}

/* ---- Layout ---- */

/* The canonical text of a synopsis: with the cell it decides the numbers. */
static const char *series_key(struct marginals_setup *setup, size_t idataset, size_t s)
{
    const struct attribute_sets *const design = &setup->of[idataset].designs[s];
    char *const own = synopsis_text(&setup->synopses.choice[s]);
    char *const sets = design->count > 0 ? attribute_sets_text(CONTENTS_SETS, design) : xstrdup("");
    char *const text = xformat("%s|%s%s%s", own, sets, setup->equal == LDP_EQUAL_STATED ? "" : "|equal=",
                               setup->equal == LDP_EQUAL_STATED ? "" : equals[setup->equal]);

    free(own);
    free(sets);
    return texts_keep(&setup->grid.texts, text);
}

static void lay_out(struct marginals_setup *setup, size_t idataset)
{
    struct marginals_dataset *const of = &setup->of[idataset];
    struct layout *const layout = &setup->layouts[idataset];
    const size_t nsynopses = setup->synopses.count, nmeasures = measures_chosen(setup->choice);
    const size_t attacks = marginals_attacks_series(setup, idataset, NULL, NULL, NULL),
                 own = nsynopses * (of->nk * nmeasures + (setup->outputs >> TIMES & 1));
    struct series *const series = xcalloc(own + nsynopses + attacks, sizeof *series), *const sums = xcalloc(
                                                                                          nsynopses, sizeof *sums);
    const char **const keys_of = xcalloc(nsynopses, sizeof *keys_of);
    const char *const query = texts_keep(&setup->grid.texts, attribute_sets_text(CONTENTS_MARGINALS, &of->sets));

    layout->series = series;
    layout->sums = sums;
    for (size_t s = 0; s < nsynopses; s++) {
        const char *const key = keys_of[s] = series_key(setup, idataset, s);

        for (size_t j = 0; j < of->nk; j++) {
            const char *const point = texts_keep(&setup->grid.texts, xformat("%zu", of->k[j]));

            for (size_t l = 0; l < nmeasures; l++)
                series[(s * of->nk + j) * nmeasures + l] =
                    (struct series){key, query, point, marginals_measure[measure_chosen(setup->choice, l)].name};
        }
        series[nsynopses * of->nk * nmeasures + s] = (struct series){key, query, "", "seconds"};
        sums[s] = (struct series){key, query, "", "moments"};
    }
    of->attacks_first = own;
    marginals_attacks_series(setup, idataset, keys_of, query, series + own);
    free(keys_of);
    layout->nseries = own + attacks;
    layout->nsums = setup->outputs >> CELLS & 1 ? nsynopses : 0;
    layout->sum_length = marginals_sum_length(of);
    setup->grid.datasets[idataset].layout = layout;
}

/* Whether the first wave can see dependence of attributes; nothing where it is not asked about. */
static char *decision(const struct ldp_workload *workload, const struct ldp_outlook *outlook)
{
    size_t most = 0;

    for (size_t i = 0; i < workload->nsets; i++)
        most = workload->sets[i].size > most ? workload->sets[i].size : most;
    if (most < 2)
        return xstrdup("");
    if (isnan(outlook->detectable))
        return xstrdup("; dependence is not decidable: few users, and the pilot asks for no pairs");
    if (!(outlook->detectable < 1))
        return xstrdup("; dependence is not decidable: with so few users the pilot detects none, however strong");
    return xformat(
        "; dependence is %s by the pilot: it detects a mean Cramer's V of pairs above %.2g, and %.2g is usual",
        outlook->detectable <= outlook->usual ? "decidable" : "not decidable", outlook->detectable, outlook->usual);
}

/* Adds to the notes what a synopsis that plans its tables expects of a cell. */
static int add_outlook(struct marginals_setup *setup, size_t cell, size_t s, struct failure *failure)
{
    const struct grid_point point = grid_point(&setup->grid, cell), *const at = &point;
    const struct ldp_synopsis *const synopsis = setup->synopses.choice[s].spec.synopsis;
    const struct ldp_workload workload = marginals_workload(setup, at, s);
    struct ldp_reason reason = {""};
    struct ldp_outlook outlook;
    void *state;

    if (!synopsis->outlook)
        return 0;
    const enum ldp_status status = open_synopsis(setup, cell, s, &workload, &state, &reason);
    if (status != LDP_OK)
        return marginals_refuse(setup, at, s, status, &reason, failure);
    synopsis->outlook(state, &outlook);
    ldp_synopsis_close(state);
    char *const decided = decision(&workload, &outlook);
    texts_keep(
        &setup->grid.setup.notes,
        xformat("%s, %s, n = %llu, %s, epsilon %.4g: %llu users answer %zu questions first (at most %.2g %% from the "
                "best shares of those listed)%s",
                setup->synopses.choice[s].label, setup->grid.datasets[at->idataset].label,
                (unsigned long long)workload.records->n, setup->axes.oracles.choice[at->ioracle].label,
                workload.epsilon, (unsigned long long)outlook.users, outlook.tables, 100 * outlook.gap, decided));
    free(decided);
    return 0;
}

static int prepare_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                         struct setup *base, struct failure *failure)
{
    struct marginals_setup *const setup = (struct marginals_setup *)base;

    for (size_t i = 0; i < sizeof measured_for / sizeof *measured_for; i++)
        setup->choice |= i == ERRORS || setup->outputs >> i & 1 ? measured_for[i] : 0;
    if (oracles_demand_own(&setup->axes.oracles, "the task marginals", failure) != 0 ||
        axes_build(root, overrides, seed, &setup->axes, failure) != 0)
        return -1;
    setup->of = xcalloc(setup->axes.datasets.count, sizeof *setup->of);
    setup->layouts = xcalloc(setup->axes.datasets.count, sizeof *setup->layouts);
    grid_init(&setup->grid, &task_marginals, &setup->axes);
    for (size_t i = 0; i < setup->axes.datasets.count; i++) {
        const struct dataset_records *const data = setup->axes.datasets.dataset[i]->records;
        const struct ldp_records *const records = data->records;

        if (bind_dataset(setup, i, seed, failure) != 0)
            return -1;
        lay_out(setup, i);
        name_workloads(setup, i);
        setup->grid.setup.shared_bytes += 8.0 * (double)records->rows * (double)(records->words + 1);
        setup->grid.setup.reading_bytes = fmax(setup->grid.setup.reading_bytes, 4 * data->lines * (double)records->d);
    }
    setup->opening = xcalloc(setup->grid.setup.ncells * setup->synopses.count, sizeof *setup->opening);
    if (check_synopses(setup, failure) != 0)
        return -1;
    const double start = clock_seconds();
    const size_t outlooks = overrides->dry_run ? setup->grid.setup.ncells * setup->synopses.count : 0;
    int result = 0;
    for (size_t i = 0; result == 0 && i < outlooks; i++)
        result = add_outlook(setup, i / setup->synopses.count, i % setup->synopses.count, failure);
    base->outlook_seconds = clock_seconds() - start;
    return result;
}

/* Cost of dividing users into groups: one shuffle of all users, or this many draws for every distinct record, whichever
 * is less (core/marginals/groups.c), with as many groups as there are pairs. */
enum { SHUFFLED_MAX = 1 << 27, DRAW_COST = 16 };

static struct cell_cost cost(const struct setup *base, size_t cell)
{
    const struct marginals_setup *const setup = marginals_of(base);
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    const struct marginals_dataset *const of = &setup->of[idataset];
    const struct ldp_records *const records = setup->axes.datasets.dataset[idataset]->records->records;
    const double n = (double)records->n, rows = (double)records->rows, d = (double)records->d,
                 drawn = DRAW_COST * rows * d * (d + 1) / 2;
    const bool shuffled = n <= SHUFFLED_MAX && n <= drawn;
    const size_t groups = records->d * (records->d + 1) / 2;
    const double answers = (double)of->first[of->sets.count], synopses = (double)setup->synopses.count,
                 dealt = shuffled || setup->axes.mode == LDP_REPORTS ? n : drawn;

    double opening = 0;
    for (size_t s = 0; s < setup->synopses.count; s++)
        opening += setup->opening[cell * setup->synopses.count + s];
    return (struct cell_cost){.begin = 1e9 * opening,
                              .worker_bytes = synopses * (ldp_groups_bytes(records, groups) + 64 * answers),
                              .nanoseconds = synopses * (20 * dealt + 500 * answers)};
}

/* ---- Repetitions ---- */

#define INTERVAL_LEVEL 0.95

struct marginals_worker {
    struct worker worker;
    const struct marginals_setup *setup;
    size_t idataset;
    struct ldp_workload *workload;  /* [synopses] */
    struct ldp_synopsis_spec *spec; /* [synopses] */
    void **state;                   /* [synopses] */
    double *room;                   /* of the numbers of a cell, which follow, [answers] each */
    double *answer[LDP_EXACT + 1];  /* of each stage */
    double *low, *high;
    double *clean;  /* answers without malicious users */
    double *errors; /* LDP_ERRORS_WORK(answers) */
    struct ldp_prediction *prediction;
    struct ldp_attackers attackers;
    struct ldp_rng malicious;
    uint32_t *injected;
};

static struct marginals_worker *own(struct worker *worker)
{
    assert(worker->task == &task_marginals);
    return (struct marginals_worker *)worker;
}

static void close_states(struct marginals_worker *worker)
{
    for (size_t s = 0; worker->state && s < worker->setup->synopses.count; s++) {
        if (worker->state[s])
            ldp_synopsis_close(worker->state[s]);
        worker->state[s] = NULL;
    }
    free(worker->room);
    free(worker->prediction);
    free(worker->injected);
}

static void marginals_worker_free(struct worker *base)
{
    struct marginals_worker *const worker = own(base);

    close_states(worker);
    free(worker->workload);
    free(worker->spec);
    free(worker->state);
    free(worker);
}

static struct worker *marginals_worker_new(const struct setup *base)
{
    const struct marginals_setup *const setup = marginals_of(base);
    struct marginals_worker *const worker = xcalloc(1, sizeof *worker);

    worker->worker.task = &task_marginals;
    worker->setup = setup;
    worker->workload = xcalloc(setup->synopses.count, sizeof *worker->workload);
    worker->spec = xcalloc(setup->synopses.count, sizeof *worker->spec);
    worker->state = xcalloc(setup->synopses.count, sizeof *worker->state);
    return &worker->worker;
}

/* There are no malicious users yet, but any may come. */
static void begin_attacks(struct marginals_worker *worker)
{
    const struct attack_list *const attacks = &worker->setup->attacks;

    worker->attackers = marginals_attackers(&attacks->choice[0]);
    for (size_t i = 0; i < attacks->count; i++)
        if (injected_count(&attacks->choice[i]) > worker->attackers.ninjected)
            worker->attackers.ninjected = injected_count(&attacks->choice[i]);
    worker->injected = xcalloc(worker->attackers.ninjected * worker->workload->records->d, sizeof *worker->injected);
    for (size_t s = 0; s < worker->setup->synopses.count; s++)
        worker->workload[s].attackers = &worker->attackers;
}

static void collect(struct marginals_worker *worker, size_t s, struct ldp_rng *stream, bool stages)
{
    if (worker->spec[s].synopsis->collect(worker->state[s], stream, stages) != LDP_OK)
        out_of_memory();
}

/* Every attack on a synopsis, from the stream of the repetition; its answers without malicious users are the worker's.
 */
static double *attack(struct marginals_worker *worker, size_t s, const struct ldp_rng *rng, double *measured)
{
    const struct attack_list *const attacks = &worker->setup->attacks;
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const struct ldp_synopsis *const synopsis = worker->spec[s].synopsis;
    struct ldp_rng copy = *rng;
    const uint64_t seed = ldp_rng_next(&copy);

    memcpy(worker->clean, worker->answer[LDP_NOISY], of->first[of->sets.count] * sizeof *worker->clean);
    for (size_t i = 0; i < attacks_points(attacks); i++) {
        const struct attack_point point = attacks_point(attacks, i);
        struct ldp_rng stream = *rng;

        ldp_rng_stream(&worker->malicious, seed, point.attack->key, 0);
        marginals_plant(worker->workload[s].records, point.attack, &worker->malicious, worker->injected);
        worker->attackers = marginals_attackers(point.attack);
        worker->attackers.injected = worker->injected;
        worker->attackers.rng = &worker->malicious;
        worker->attackers.fraction = point.fraction;
        collect(worker, s, &stream, false);
        synopsis->answer(worker->state[s], LDP_NOISY, worker->answer[LDP_NOISY]);
        worker->attackers.fraction = 0;
        measured = marginals_attacks_measure(of, worker->workload[s].records, &worker->attackers,
                                             worker->answer[LDP_NOISY], worker->clean, measured);
    }
    return measured;
}

static int marginals_worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct marginals_worker *const worker = own(base);
    const struct marginals_setup *const setup = worker->setup;
    const struct grid_point at = grid_point(&setup->grid, cell);
    const struct marginals_dataset *const of = &setup->of[at.idataset];

    close_states(worker);
    worker->idataset = at.idataset;
    for (size_t s = 0; s < setup->synopses.count; s++)
        worker->workload[s] = marginals_workload(setup, &at, s);
    const size_t all = of->first[of->sets.count];
    worker->room = xcalloc((LDP_EXACT + 4 + LDP_ERRORS_WORK(1)) * all, sizeof *worker->room);
    for (size_t stage = 0; stage <= LDP_EXACT; stage++)
        worker->answer[stage] = worker->room + stage * all;
    worker->low = worker->answer[LDP_EXACT] + all;
    worker->high = worker->low + all;
    worker->clean = worker->high + all;
    worker->errors = worker->clean + all;
    worker->prediction = xmalloc(of->sets.count, sizeof *worker->prediction);
    if (setup->attacks.count > 0)
        begin_attacks(worker);
    for (size_t s = 0; s < setup->synopses.count; s++) {
        struct ldp_reason reason = {""};

        worker->spec[s] = marginals_spec(setup, at.idataset, s);
        const enum ldp_status status =
            ldp_synopsis_open(&worker->spec[s], &worker->workload[s], &worker->state[s], &reason);
        if (status != LDP_OK)
            return marginals_refuse(setup, &at, s, status, &reason, failure);
    }
    return 0;
}

static double squared_distance(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* Of the cells of the marginals of one k: how often intervals cover the true value, their width and number. */
static void measure_intervals(const struct marginals_worker *worker, size_t j, double *total)
{
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const size_t first = of->first[of->k_first[j]], last = of->first[of->k_first[j + 1]];
    double known = 0, held = 0, width = 0;

    for (size_t c = first; c < last; c++) {
        if (isnan(worker->low[c]))
            continue;
        known++;
        held += worker->low[c] <= of->truth[c] && of->truth[c] <= worker->high[c];
        width += worker->high[c] - worker->low[c];
    }
    total[MARGINALS_COVERAGE] = held / known;
    total[MARGINALS_WIDTH] = width / known;
    total[MARGINALS_KNOWN] = known / (double)(last - first);
}

/* The means over the marginals of one k. */
static void measure_k(const struct marginals_worker *worker, size_t j, double *measured)
{
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const double *const est = worker->answer[LDP_NOISY];
    const double count = (double)(of->k_first[j + 1] - of->k_first[j]);
    double total[MARGINALS_SECONDS] = {0};

    for (size_t i = of->k_first[j]; i < of->k_first[j + 1]; i++) {
        const size_t first = of->first[i], cells = of->first[i + 1] - first;
        double absolute = 0, largest = 0;

        for (size_t c = first; c < first + cells; c++) {
            const double error = fabs(est[c] - of->truth[c]);

            absolute += error;
            largest = error > largest ? error : largest;
        }
        total[MARGINALS_SSE] += squared_distance(est + first, of->truth + first, cells);
        total[MARGINALS_TV] += absolute / 2;
        total[MARGINALS_MAX] += largest;
        total[MARGINALS_MAE] += absolute / (double)cells;
        if (worker->setup->outputs >> METRICS & 1) {
            double errors[LDP_ERRORS];

            ldp_errors_of(of->truth + first, est + first, cells, worker->workload->records->n, worker->errors, errors);
            total[MARGINALS_KL] += errors[LDP_ERROR_KL];
            total[MARGINALS_KENDALL] += errors[LDP_ERROR_KENDALL];
        }
        if (!(worker->setup->outputs >> PARTS & 1))
            continue;
        const double *const sampled = worker->answer[LDP_SAMPLED] + first, *const exact =
                                                                               worker->answer[LDP_EXACT] + first;

        total[MARGINALS_NOISE] += squared_distance(est + first, sampled, cells);
        total[MARGINALS_SAMPLING] += squared_distance(sampled, exact, cells);
        total[MARGINALS_RECONSTRUCTION] += squared_distance(exact, of->truth + first, cells);
        total[MARGINALS_NOISE_PREDICTED] += worker->prediction[i].noise;
        total[MARGINALS_PREDICTED] += worker->prediction[i].total;
    }
    for (size_t l = 0; l < MARGINALS_COVERAGE; l++)
        total[l] /= count;
    if (worker->setup->outputs >> INTERVALS & 1)
        measure_intervals(worker, j, total);
    for (size_t l = 0; l < measures_chosen(worker->setup->choice); l++)
        measured[l] = total[measure_chosen(worker->setup->choice, l)];
}

/* One more repetition (Welford, Technometrics 4(3), 1962). */
static void moments_add(const struct marginals_worker *worker, double *moments)
{
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const size_t all = of->first[of->sets.count];
    const double weight = 1 / ++moments[0];

    for (size_t c = 0; c < all; c++) {
        const double error = worker->answer[LDP_NOISY][c] - of->truth[c], apart = error - moments[1 + c];

        moments[1 + c] += apart * weight;
        moments[1 + all + c] += apart * (error - moments[1 + c]);
    }
}

static void find_intervals(struct marginals_worker *worker, size_t s)
{
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const struct ldp_synopsis *const synopsis = worker->spec[s].synopsis;

    if (synopsis->intervals &&
        synopsis->intervals(worker->state[s], INTERVAL_LEVEL, worker->low, worker->high) != LDP_OK)
        out_of_memory();
    for (size_t c = 0; !synopsis->intervals && c < of->first[of->sets.count]; c++)
        worker->low[c] = worker->high[c] = (double)NAN;
}

static int marginals_worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums,
                                struct failure *failure)
{
    struct marginals_worker *const worker = own(base);
    const struct marginals_setup *const setup = worker->setup;
    const struct marginals_dataset *const of = &setup->of[worker->idataset];
    const size_t nmeasures = measures_chosen(setup->choice), nsynopses = setup->synopses.count;

    double *attacked = measured + of->attacks_first;

    for (size_t s = 0; s < nsynopses; s++) {
        const struct ldp_synopsis *const synopsis = worker->spec[s].synopsis;
        struct ldp_rng stream = *rng; /* the same stream for all, so that no synopsis depends on the others */
        const double start = clock_seconds();

        collect(worker, s, &stream, setup->outputs >> PARTS & 1);
        synopsis->answer(worker->state[s], LDP_NOISY, worker->answer[LDP_NOISY]);
        if (setup->outputs >> TIMES & 1)
            measured[nsynopses * of->nk * nmeasures + s] = clock_seconds() - start;
        if (setup->outputs >> INTERVALS & 1)
            find_intervals(worker, s);
        for (enum ldp_stage stage = LDP_SAMPLED; setup->outputs >> PARTS & 1 && stage <= LDP_EXACT; stage++)
            synopsis->answer(worker->state[s], stage, worker->answer[stage]);
        for (size_t i = 0; i < of->sets.count; i++)
            worker->prediction[i] = (struct ldp_prediction){(double)NAN, (double)NAN};
        if (setup->outputs >> PARTS & 1 && synopsis->predict)
            synopsis->predict(worker->state[s], worker->prediction);
        for (size_t j = 0; j < of->nk; j++)
            measure_k(worker, j, measured + (s * of->nk + j) * nmeasures);
        if (sums)
            moments_add(worker, sums + s * marginals_sum_length(of));
        if (setup->attacks.count > 0)
            attacked = attack(worker, s, rng, attacked);
    }
    return 0;
}

/* ---- marginals.csv: a row for each synopsis and k ---- */

static size_t rows(const struct table_cell *in)
{
    const struct marginals_setup *const setup = marginals_of(in->setup);

    return setup->synopses.count * setup->of[grid_point(&setup->grid, in->cell).idataset].nk;
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct marginals_setup *const setup = marginals_of(in->setup);
    const struct marginals_dataset *const of = &setup->of[grid_point(&setup->grid, in->cell).idataset];
    const size_t nmeasures = measures_chosen(setup->choice), s = index / of->nk;

    row->field[0] = marginals_synopsis_field(&setup->synopses.choice[s]);
    row->field[1].number = (double)of->k[index % of->nk];
    row_series(row, index * nmeasures, nmeasures);
    if (setup->outputs >> TIMES & 1)
        row->series[nmeasures] = setup->synopses.count * of->nk * nmeasures + s;
}

/* ---- marginal_cells.csv: a row for each cell of each marginal ---- */

/* A word with its + and % as %2B and %25, since + stands between values. Malloc'd. */
static char *word_text(const char *word)
{
    char *const text = xmalloc(3 * strlen(word) + 1, 1), *end = text;

    for (; *word; word++)
        if (*word == '+' || *word == '%' || *word == '\n' || *word == '\r')
            end += sprintf(end, "%%%02X", (unsigned)*word);
        else
            *end++ = *word;
    *end = '\0';
    return text;
}

/* `0+2`: the values of a cell, by their words where they have some. Malloc'd. */
static char *values_text(const struct ldp_set *set, const struct dataset_records *records, size_t cell)
{
    const uint32_t *const cardinality = records->records->cardinality;
    uint32_t value[LDP_SET_MAX];
    char *text = xstrdup("");

    for (size_t i = set->size; i-- > 0;) {
        value[i] = (uint32_t)(cell % cardinality[set->attribute[i]]);
        cell /= cardinality[set->attribute[i]];
    }
    for (size_t i = 0; i < set->size; i++) {
        const char *const word = dataset_records_word(records, set->attribute[i], value[i]);
        char *const own = word ? word_text(word) : xformat("%u", (unsigned)value[i]), *const longer =
                                                                                          xformat("%s%s%s", text,
                                                                                                  i ? "+" : "", own);

        free(own);
        free(text);
        text = longer;
    }
    return text;
}

static void write_marginal(struct table_writer *w, size_t idataset, size_t s, size_t i, const double *moments)
{
    const struct marginals_setup *const setup = marginals_of(w->experiment->setup);
    const struct marginals_dataset *const of = &setup->of[idataset];
    const struct dataset_records *const records = setup->axes.datasets.dataset[idataset]->records;
    const size_t all = of->first[of->sets.count];
    char *const attributes = attribute_set_text(&of->sets.set[i], records);

    for (size_t c = of->first[i]; c < of->first[i + 1]; c++) {
        char *const values = values_text(&of->sets.set[i], records, c - of->first[i]);
        struct table_row at = {.field = {marginals_synopsis_field(&setup->synopses.choice[s]),
                                         {.text = attributes},
                                         {.text = values},
                                         {.number = of->truth[c]},
                                         {.number = of->truth[c] + moments[1 + c]}}};

        table_write_summaries(
            w, &at, &(struct summary){.mean = moments[1 + c], .variance = moments[1 + all + c] / (moments[0] - 1)});
        free(values);
    }
    free(attributes);
}

static int write_cells(struct table_writer *w, size_t cell)
{
    const struct marginals_setup *const setup = marginals_of(w->experiment->setup);
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    const struct marginals_dataset *const of = &setup->of[idataset];
    const size_t length = marginals_sum_length(of);
    double *const moments = xmalloc(2 * length, sizeof *moments);
    int result = 0;

    for (size_t s = 0; result == 0 && s < setup->synopses.count; s++) {
        result = table_moments(w, cell, s, of->first[of->sets.count], moments);
        for (size_t i = 0; result == 0 && i < of->sets.count; i++)
            write_marginal(w, idataset, s, i, moments);
    }
    free(moments);
    return result;
}

static const struct table_column cells_columns[] = {
    GRID_COLUMNS,
    {"synopsis", COLUMN_KEY, PART_ALGORITHM},
    {"attributes", COLUMN_KEY, PART_NONE},
    {"values", COLUMN_KEY, PART_NONE},
    {"repetitions", COLUMN_REPETITIONS, 0},
    {"frequency", COLUMN_FACT, PART_NONE},
    {"mean", COLUMN_FACT, PART_NONE},
    {"bias", COLUMN_MEAN, 0},
    {"variance", COLUMN_VARIANCE, 0},
};

static const struct ldp_measure cells_measures[] = {
    MEASURE("bias", "mean error of one cell", "bias (frequency)", LDP_TARGET, .low = -INFINITY, .high = INFINITY),
    {.name = NULL},
};

static const struct task_table cells_table = {TABLE("marginal_cells.csv",
                                                    "every cell of every marginal: true value and mean estimate",
                                                    "synopsis", FORM_PLAIN, cells_columns, cells_measures),
                                              .write = write_cells};

/* ---- protection.csv: a row for each synopsis ---- */

/* The protection of a synopsis in a cell: infinite epsilon, if its oracle is not private. */
static int find_protection(const struct marginals_setup *setup, size_t cell, size_t s,
                           struct ldp_record_protection *protection, struct failure *failure)
{
    const struct grid_point at = grid_point(&setup->grid, cell);
    const struct ldp_workload workload = marginals_workload(setup, &at, s);
    const struct ldp_synopsis_spec spec = marginals_spec(setup, at.idataset, s);
    struct ldp_reason reason = {""};
    void *state;

    const bool private = !(workload.oracle->oracle->flags & LDP_ORACLE_NOT_PRIVATE);
    const double epsilon = private ? workload.epsilon : (double)INFINITY;
    *protection = ldp_record_protection(epsilon, epsilon);
    if (!private || !spec.synopsis->protect)
        return 0;
    const enum ldp_status status = ldp_synopsis_open(&spec, &workload, &state, &reason);
    if (status != LDP_OK)
        return marginals_refuse(setup, &at, s, status, &reason, failure);
    spec.synopsis->protect(state, protection);
    ldp_synopsis_close(state);
    return 0;
}

static void marginals_privacy(const struct setup *base, size_t cell, struct privacy_losses *privacy_losses)
{
    const struct marginals_setup *const setup = marginals_of(base);

    for (size_t s = 0; cell == 0 && s < setup->synopses.count; s++) { /* other cells have the same synopses */
        const char *const synopsis = setup->synopses.choice[s].label;
        struct ldp_record_protection protection;
        struct failure ignored = NO_REASON;

        if (find_protection(setup, cell, s, &protection, &ignored) != 0)
            continue;
        loss_add(privacy_losses, synopsis, "whole records", protection.tuple, protection.tuple);
        loss_add(privacy_losses, synopsis, "one attribute", protection.attribute, protection.attribute);
    }
}

static int write_protection(struct table_writer *w, size_t cell)
{
    const struct marginals_setup *const setup = marginals_of(w->experiment->setup);

    for (size_t s = 0; s < setup->synopses.count; s++) {
        struct ldp_record_protection protection;

        if (find_protection(setup, cell, s, &protection, w->failure) != 0)
            return -1;
        const struct table_row row = {
            .field = {marginals_synopsis_field(&setup->synopses.choice[s]), {.number = protection.attack.guess}}};
        const struct summary exact[] = {{.mean = protection.tuple},
                                        {.mean = protection.attribute},
                                        {.mean = protection.inference, .stderr_ = protection.inference_error},
                                        {.mean = protection.attack.success, .stderr_ = protection.attack.error},
                                        {.mean = protection.attack.advantage}};
        table_write_summaries(w, &row, exact);
    }
    return 0;
}

static const struct table_column protection_columns[] = {
    GRID_COLUMNS,
    {"synopsis", COLUMN_KEY, PART_ALGORITHM},
    {"epsilon_tuple", COLUMN_MEAN, 0},
    {"epsilon_attribute", COLUMN_MEAN, 1},
    MEAN_COLUMNS("inference", 2),
    {"guess", COLUMN_FACT, PART_NONE},
    MEAN_COLUMNS("attack_success", 3),
    {"advantage", COLUMN_MEAN, 4},
};

static const struct ldp_measure protection_measures[] = {
    MEASURE("epsilon_tuple", "epsilon of records that differ in every attribute", "epsilon of records", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_attribute", "epsilon of records that differ in one attribute", "epsilon of attributes", LDP_LESS,
            .high = INFINITY),
    MEASURE("inference", "share of users whose true attribute is guessed", "share of users", LDP_LESS, .high = 1),
    ATTACK_MEASURES("an attribute's value, from all reports,"),
    {.name = NULL},
};

static const struct task_table protection_table = {TABLE("protection.csv", "what the reports of a user protect",
                                                         "synopsis", FORM_PLAIN, protection_columns,
                                                         protection_measures),
                                                   .write = write_protection};

static void marginals_tables(const struct setup *base, struct task_tables *out)
{
    const struct marginals_setup *const setup = base ? marginals_of(base) : NULL;
    static const struct table_column columns[] = {
        GRID_COLUMNS,
        {"synopsis", COLUMN_KEY, PART_ALGORITHM},
        {"k", COLUMN_KEY, PART_NONE},
        {"repetitions", COLUMN_REPETITIONS, 0},
    };
    const struct task_table table = {
        TABLE("marginals.csv", "errors of marginals", "synopsis", FORM_PLAIN, columns, marginals_measure),
        .each = EACH_MEAN | EACH_SD | EACH_STDERR, .rows = rows, .row = row};
    const uint64_t all = (1 << MARGINALS_SECONDS) - 1,
                   seconds = !setup || setup->outputs >> TIMES & 1 ? 1 << MARGINALS_SECONDS : 0;

    tables_add_chosen(out, table, (setup ? setup->choice : all) | seconds);
    if (!setup || setup->attacks.count > 0)
        tables_add(out, &marginals_attacks_table);
    if (!setup || setup->outputs >> PROTECTION & 1)
        tables_add(out, &protection_table);
    if (!setup || setup->outputs >> CELLS & 1)
        tables_add(out, &cells_table);
}

const struct task task_marginals = {
    .name = "marginals",
    .title = "errors of synopses on marginals of many attributes, over datasets, oracles and epsilon",
    .source = "CALM, CCS 2018",
    .keys = keys,
    .setup_size = sizeof(struct marginals_setup),
    .prepare = prepare_setup,
    .free = free_setup,
    .cell_key = grid_cell_key,
    .collection_key = grid_collection_key,
    .layout = grid_layout,
    .cost = cost,
    .worker_new = marginals_worker_new,
    .worker_free = marginals_worker_free,
    .worker_begin = marginals_worker_begin,
    .worker_run = marginals_worker_run,
    .tables = marginals_tables,
    .privacy_losses = marginals_privacy,
    .fields = grid_fields,
};

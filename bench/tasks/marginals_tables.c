/* marginals_tables.c - the tables of the task `marginals`: marginals.csv, marginal_cells.csv. */
#include "tasks/marginals.h"

#include "support/memory.h"
#include "tasks/table_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- marginals.csv: a row for each synopsis and k ---- */

const struct ldp_measure marginals_measure[] = {
    [MARGINALS_SSE] = MEASURE("sse", "sum of squared errors of a marginal", "SSE", LDP_LESS, .high = INFINITY),
    [MARGINALS_TV] = MEASURE("tv", "total variation distance of a marginal", "total variation distance", LDP_LESS,
                             .high = INFINITY, .unit = LDP_UNIT_USERS),
    [MARGINALS_MAX] =
        MEASURE("max_error", "largest absolute error of a cell", "largest error", LDP_LESS, .high = INFINITY),
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
    [MARGINALS_COVERAGE] = MEASURE("coverage", "cells whose 95 % interval holds the truth, of those with one",
                                   "coverage", LDP_NEUTRAL, .high = 1),
    [MARGINALS_WIDTH] =
        MEASURE("width", "mean width of the 95 % intervals of cells", "width", LDP_LESS, .high = INFINITY),
    [MARGINALS_KNOWN] = MEASURE("known", "cells with an interval", "share of cells", LDP_MORE, .high = 1),
    [MARGINALS_SECONDS] =
        MEASURE("seconds", "seconds of a repetition", "seconds", LDP_LESS, .high = INFINITY, .timed = true),
    {.name = NULL},
};

struct field marginals_synopsis_field(const struct synopsis_choice *synopsis)
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
    if (setup->want_times)
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
                                                    "every cell of every marginal: truth and mean estimate", "synopsis",
                                                    FORM_PLAIN, cells_columns, cells_measures),
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
    *protection = (struct ldp_record_protection){epsilon, epsilon, NAN, NAN};
    if (!private || !spec.synopsis->protect)
        return 0;
    switch (ldp_synopsis_open(&spec, &workload, &state, &reason)) {
    case LDP_OK: break;
    case LDP_ENOMEM: return fail_memory(failure);
    default: return marginals_refuse(setup, &at, s, &reason, failure);
    }
    spec.synopsis->protect(state, protection);
    spec.synopsis->close(state);
    return 0;
}

void marginals_ledger(const struct setup *base, size_t cell, struct ledger *ledger)
{
    const struct marginals_setup *const setup = marginals_of(base);

    for (size_t s = 0; cell == 0 && s < setup->synopses.count; s++) { /* other cells have the same synopses */
        const char *const synopsis = setup->synopses.choice[s].label;
        struct ldp_record_protection protection;
        struct failure ignored = NO_REASON;

        if (find_protection(setup, cell, s, &protection, &ignored) != 0)
            continue;
        ledger_add(ledger, synopsis, "whole records", protection.tuple, protection.tuple);
        ledger_add(ledger, synopsis, "one attribute", protection.attribute, protection.attribute);
    }
}

static int write_protection(struct table_writer *w, size_t cell)
{
    const struct marginals_setup *const setup = marginals_of(w->experiment->setup);

    for (size_t s = 0; s < setup->synopses.count; s++) {
        struct ldp_record_protection protection;

        if (find_protection(setup, cell, s, &protection, w->failure) != 0)
            return -1;
        const struct table_row row = {.field = {marginals_synopsis_field(&setup->synopses.choice[s])}};
        const struct summary exact[] = {{.mean = protection.tuple},
                                        {.mean = protection.attribute},
                                        {.mean = protection.inference, .stderr_ = protection.inference_error}};
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
};

static const struct ldp_measure protection_measures[] = {
    MEASURE("epsilon_tuple", "epsilon of records that differ in every attribute", "epsilon of records", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_attribute", "epsilon of records that differ in one attribute", "epsilon of attributes", LDP_LESS,
            .high = INFINITY),
    MEASURE("inference", "share of users whose true attribute is guessed", "share of users", LDP_LESS, .high = 1),
    {.name = NULL},
};

static const struct task_table protection_table = {TABLE("protection.csv", "what the reports of a user protect",
                                                         "synopsis", FORM_PLAIN, protection_columns,
                                                         protection_measures),
                                                   .write = write_protection};

void marginals_tables(const struct setup *base, struct task_tables *out)
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
                   seconds = !setup || setup->want_times ? 1 << MARGINALS_SECONDS : 0;

    tables_add_chosen(out, table, (setup ? setup->choice : all) | seconds);
    if (!setup || setup->attacks.count > 0)
        tables_add(out, &marginals_attacks_table);
    if (!setup || setup->want_protection)
        tables_add(out, &protection_table);
    if (!setup || setup->want_cells)
        tables_add(out, &cells_table);
}

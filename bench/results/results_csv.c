/* results_csv.c - the rows of a CSV table that has no store: keys and numbers from its file. */
#include "results/results_private.h"

#include "run/provenance.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

static int find_column(const struct part *part, const char *name, size_t *index, struct failure *failure)
{
    *index = csv_column(&part->csv, name);
    if (*index == SIZE_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:1: expected a column \"%s\", got none", part->out.path, SHOWN(name));
    return 0;
}

static int read_fields(struct part *part, struct failure *failure)
{
    const struct result_table *const out = &part->out;

    for (size_t k = 0; k < out->nkeys + out->nfacts; k++) {
        size_t column;

        if (find_column(part, part->names[k], &column, failure) != 0)
            return -1;
        for (size_t row = 0; row < out->nrows; row++) {
            const char *const text = csv_field(&part->csv, row, column);

            if (k < out->nkeys)
                part_set_key(part, row, k, text);
            else
                part->facts[row * out->nfacts + k - out->nkeys] = text;
        }
    }
    return 0;
}

/* The columns of a measure; SIZE_MAX for one that the table lacks. */
struct measure_columns {
    size_t mean, sd, variance, stderr_, defined, repetitions;
};

static int find_role(const struct part *part, enum column_role role, size_t measure, size_t *index,
                     struct failure *failure)
{
    const struct table_column *const column = table_column(part->out.table, role, measure);

    *index = SIZE_MAX;
    return column ? find_column(part, column->name, index, failure) : 0;
}

static int find_columns(const struct part *part, size_t m, struct measure_columns *at, struct failure *failure)
{
    return find_role(part, COLUMN_MEAN, m, &at->mean, failure) != 0 ||
                   find_role(part, COLUMN_SD, m, &at->sd, failure) != 0 ||
                   find_role(part, COLUMN_VARIANCE, m, &at->variance, failure) != 0 ||
                   find_role(part, COLUMN_STDERR, m, &at->stderr_, failure) != 0 ||
                   find_role(part, COLUMN_DEFINED, m, &at->defined, failure) != 0 ||
                   find_role(part, COLUMN_REPETITIONS, 0, &at->repetitions, failure) != 0
               ? -1
               : 0;
}

/* Reads a number >= 0 if the field is there; otherwise *out is unchanged. */
static int read_number(const struct part *part, size_t row, size_t column, double *value, struct failure *failure)
{
    if (column == SIZE_MAX)
        return 0;
    if (csv_real(&part->csv, part->out.path, row, column, value, failure) != 0)
        return -1;
    if (*value < 0)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected a number >= 0, got %s", part->out.path, row + 2,
                    part->csv.field[column], csv_field(&part->csv, row, column));
    return 0;
}

static int read_count(const struct part *part, size_t row, size_t column, size_t *count, struct failure *failure)
{
    double value = (double)*count;

    if (column == SIZE_MAX)
        return 0;
    if (read_number(part, row, column, &value, failure) != 0)
        return -1;
    if (!(value <= 1e9 && value == floor(value)))
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected whole repetitions, got \"%.40s\"", part->out.path,
                    row + 2, part->csv.field[column], csv_field(&part->csv, row, column));
    *count = (size_t)value;
    return 0;
}

static int read_measure(const struct part *part, size_t row, size_t m, const struct measure_columns *at,
                        size_t repetitions, struct result_number *number, struct failure *failure)
{
    *number = (struct result_number){.mean = NAN, .sd = NAN, .stderr_ = NAN, .repetitions = repetitions};
    double variance = NAN;
    if (csv_real(&part->csv, part->out.path, row, at->mean, &number->mean, failure) != 0 ||
        read_number(part, row, at->sd, &number->sd, failure) != 0 ||
        read_number(part, row, at->variance, &variance, failure) != 0 ||
        read_number(part, row, at->stderr_, &number->stderr_, failure) != 0 ||
        read_count(part, row, at->repetitions, &number->repetitions, failure) != 0)
        return -1;
    if (part_check_range(&part->out, row, m, number->mean, failure) != 0)
        return -1;
    number->n = isnan(number->mean) ? 0 : number->repetitions;
    if (read_count(part, row, at->defined, &number->n, failure) != 0)
        return -1;
    if (at->sd == SIZE_MAX)
        number->sd = sqrt(variance);
    number_complete(part->out.table, m, number);
    return 0;
}

static int read_numbers(const struct results *results, struct part *part, struct failure *failure)
{
    const struct result_table *const out = &part->out;
    uint64_t otherwise = 0;

    provenance_whole(results->provenance, "repetitions", &otherwise);
    for (size_t m = 0; m < out->nmeasures; m++) {
        struct measure_columns at;

        if (find_columns(part, m, &at, failure) != 0)
            return -1;
        for (size_t row = 0; row < out->nrows; row++)
            if (read_measure(part, row, m, &at, otherwise, &part->numbers[row * out->nmeasures + m], failure) != 0)
                return -1;
    }
    return 0;
}

int part_load_csv(struct results *results, struct part *part, struct failure *failure)
{
    if ((results->kind == RESULTS_TABLE ? csv_load : csv_load_regular)(part->out.path, &part->csv, failure) != 0)
        return -1;
    part_make_room(part, part->csv.nrows);
    return read_fields(part, failure) == 0 && read_numbers(results, part, failure) == 0
               ? part_check_once(&part->out, failure)
               : -1;
}

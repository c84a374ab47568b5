/* results_csv.c - the rows of a CSV table that has no store: keys and numbers from its file. */
#include "results/results_private.h"

#include "run/provenance.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

static int find_column(const struct table_source *part, const char *name, size_t *index, struct failure *failure)
{
    *index = csv_column(&part->csv, name);
    if (*index == SIZE_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:1: expected a column \"%s\", got none", part->out.path, SHOWN(name));
    return 0;
}

static int read_fields(struct table_source *part, struct failure *failure)
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

/* Whether a number of that role may be `value`; *expected is what it may be. */
static bool allows(enum column_role role, double value, const char **expected)
{
    const bool whole = role == COLUMN_DEFINED || role == COLUMN_REPETITIONS;

    *expected = whole ? "a whole number >= 0" : "a number >= 0";
    return role == COLUMN_MEAN || (whole ? value >= 0 && value <= 1e9 && value == floor(value) : !(value < 0));
}

static int read_column(struct table_source *part, const struct table_column *of, struct failure *failure)
{
    const struct result_table *const out = &part->out;
    size_t column;

    if (find_column(part, of->name, &column, failure) != 0)
        return -1;
    for (size_t row = 0; row < out->nrows; row++) {
        struct result_number *const number = part->numbers + row * out->nmeasures;
        const char *expected;
        double value;

        if (csv_real(&part->csv, out->path, row, column, &value, failure) != 0)
            return -1;
        if (!allows(of->role, value, &expected))
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected %s, got \"%.40s\"", out->path, row + 2, of->name,
                        expected, csv_field(&part->csv, row, column));
        if (of->role != COLUMN_REPETITIONS)
            number_take(&number[of->of], of->role, value);
        for (size_t m = 0; of->role == COLUMN_REPETITIONS && m < out->nmeasures; m++)
            number[m].repetitions = (size_t)value;
    }
    return 0;
}

static int read_numbers(const struct results *results, struct table_source *part, struct failure *failure)
{
    const struct result_table *const out = &part->out;
    const size_t count = out->nrows * out->nmeasures;
    uint64_t otherwise = 0;

    provenance_whole(results->provenance, "repetitions", &otherwise);
    for (size_t i = 0; i < count; i++)
        part->numbers[i].repetitions = otherwise;
    for (size_t i = 0; i < out->table->ncolumns; i++)
        if (out->table->columns[i].role > COLUMN_FACT && read_column(part, &out->table->columns[i], failure) != 0)
            return -1;
    for (size_t i = 0; i < count; i++)
        if (number_complete(out, i / out->nmeasures, i % out->nmeasures, &part->numbers[i], failure) != 0)
            return -1;
    return 0;
}

int part_load_csv(struct results *results, struct table_source *part, struct failure *failure)
{
    if (csv_load(part->out.path, results->kind != RESULTS_TABLE, &part->csv, failure) != 0)
        return -1;
    part_make_room(part, part->csv.nrows);
    return read_fields(part, failure) == 0 && read_numbers(results, part, failure) == 0
               ? part_check_once(&part->out, failure)
               : -1;
}

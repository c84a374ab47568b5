/* answers.c - one column of a table of records as counts: what one question was answered.
 *
 * The file is as records.c reads it. The values are those of the column: words in the order of their bytes, numbers
 * from 0 to the largest, bins in their order; empty cells are the last value, (none). */
#include "dataset.h"
#include "lines.h"
#include "records.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

enum { BINS, OTHER };

static const struct ldp_param params[] = {
    [BINS] =
        {"bins", LDP_INTEGER, NAN, 2, 1 << 20, NULL,
         "a column of numbers with more different values is put into that many bins of equal width; default: no bins"},
    [OTHER] = {"other", LDP_INTEGER, NAN, 1, 1 << 20, NULL,
               "number of values to keep, the most frequent ones; all others become the value other; default: all"},
    {.name = NULL},
};

static const struct dataset_text column = {"column", "name of the column; default: the only one", "\"answer\"", NULL};

static void take(const struct dataset_records *records, struct dataset_table *out)
{
    static const struct ldp_set set = {.size = 1};

    *out = (struct dataset_table){.d = records->records->cardinality[0]};
    out->counts = xcalloc(out->d, sizeof *out->counts);
    out->labels = xcalloc(out->d, sizeof *out->labels);
    ldp_records_table(records->records, &set, out->counts);
    for (size_t v = 0; v < out->d; v++) {
        const char *const word = dataset_records_word(records, 0, (uint32_t)v);

        out->labels[v] = !word ? xformat("%zu", v) : xstrdup(*word ? word : "(none)");
    }
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct dataset_request of_records = *request;
    struct dataset_table table = {0};

    of_records.param[RECORDS_ATTRIBUTES] = (double)NAN;
    of_records.param[RECORDS_BINS] = request->param[BINS];
    of_records.param[RECORDS_OTHER] = request->param[OTHER];
    if (records_parse(lines, &of_records, &table, failure) != 0)
        return -1;
    struct dataset_records *const records = table.records;
    const size_t columns = records->records->d;
    const uint32_t d = records->records->cardinality[0];
    int result = 0;
    if (columns != 1)
        result = fail(failure, EXIT_BAD_INPUT,
                      "%s: expected the name of a column (--columns; \"column\" in a config), got %zu columns",
                      SHOWN_PATH(lines->file), columns);
    else if (d > LDP_TABLE_CELLS_MAX)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected numbers below %d, got %u%s", SHOWN_PATH(lines->file),
                      LDP_TABLE_CELLS_MAX, (unsigned)d - 1,
                      isnan(request->param[BINS]) ? "; --bins (\"bins\" in a config) puts many numbers into bins" : "");
    else
        take(records, out);
    dataset_records_free(records);
    return result;
}

const struct dataset_type dataset_type_answers = {
    .name = "answers",
    .title = "one column of a CSV, a user each line",
    .source = "a file",
    .kind = DATASET_COUNTS,
    .params = params,
    .text = &column,
    .from_file = true,
    .parse = parse,
};

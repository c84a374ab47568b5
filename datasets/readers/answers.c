/* answers.c - one column of a table of records as counts: what one question was answered.
 *
 * The file is as records.c reads it. The values are those of the column; missing cells are the last one, (none). */
#include "dataset.h"
#include "lines.h"
#include "records.h"
#include "support/text.h"

static const struct dataset_text column = {"column", "name of the column; default: the only one", "\"answer\"", NULL};

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    static const struct ldp_set set = {.size = 1};
    struct dataset_table table = {0};

    if (records_parse(lines, request, &table, failure) != 0)
        return -1;
    struct dataset_records *const records = table.records;
    const size_t columns = records->records->d;
    const uint32_t d = records->records->cardinality[0];
    int result = 0;
    if (columns != 1)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected the name of a column (\"column\"), got %zu columns",
                      SHOWN_PATH(lines->file), columns);
    else if (d > LDP_TABLE_CELLS_MAX)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected at most %d values, got %u", SHOWN_PATH(lines->file),
                      LDP_TABLE_CELLS_MAX, (unsigned)d);
    if (result == 0) {
        out->d = d;
        out->counts = xcalloc(d, sizeof *out->counts);
        out->labels = dataset_records_labels(records, 0);
        ldp_records_table(records->records, &set, out->counts);
    }
    out->notes = table.notes;
    dataset_records_free(records);
    return result;
}

const struct dataset_type dataset_type_answers = {
    .name = "answers",
    .title = "one column of a CSV, a user each line",
    .source = "a file",
    .kind = DATASET_COUNTS,
    .params = records_params,
    .text = &column,
    .from_file = true,
    .cells = true,
    .parse = parse,
};

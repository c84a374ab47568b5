/* advise_print.c - the answers of ldpbench advise; see advise.h. */
#include "commands/advise.h"

#include "config/dataset_notes.h"
#include "records.h"
#include "support/numbers.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

size_t block_taken_row(const struct decided *block, size_t cell)
{
    const size_t taken = block->decision.taken[cell];

    return taken == SIZE_MAX ? SIZE_MAX : block->row[cell * block->candidates + taken];
}

/* A measure, by its name, of what is taken in a cell of a block, in another part that has the same cells of what won;
 * NAN: there is none. */
static double measured(const struct part *part, size_t b, size_t c, const char *method, const char *name)
{
    const struct decided *const block = b < part->made.count ? &part->made.block[b] : NULL;

    for (size_t i = 0; block && c < block->cells && i < block->candidates; i++)
        for (size_t m = 0; m < block->table->nmeasures; m++) {
            const size_t row = block->row[c * block->candidates + i];
            if (row != SIZE_MAX && strcmp(block->candidate[i].method, method) == 0 &&
                strcmp(block->table->table->measures[m].name, name) == 0)
                return result_number(block->table, row, m)->mean;
        }
    return NAN;
}

double part_seconds(const struct advise *advise, const struct part *timed, const char *label)
{
    struct results *const results = timed->report.folder[0].results;
    double most = 0;

    for (size_t t = 0; t < results_count(results); t++) {
        const struct result_table *const table = results_table(results, t, NULL);
        const size_t subject = result_key_index(table, table->table->subject);
        for (size_t i = 0; i < table->nrows; i++)
            for (size_t m = 0; m < table->nmeasures && strcmp(result_key(table, i, subject), label) == 0; m++)
                if (strcmp(table->table->measures[m].name, "seconds") == 0)
                    most = fmax(most, result_number(table, i, m)->mean);
    }
    return most * fmax(1, (double)advise->init.n / TIMED_USERS);
}

/* ---- sentences ---- */

/* The data and the request, in a line. */
static void print_begin(struct advise *advise)
{
    struct sheet *const sheet = &advise->sheet;
    const struct init_request *const init = &advise->init;
    const bool records = init->kind == DATASET_RECORDS;

    if (advise->begun)
        return;
    *sheet = sheet_begin(stdout, advise->format);
    advise->begun = true;
    sheet_facts(sheet, "data=%s %s=%zu n=%g epsilon=%g error=%g seed=%llu", path_base(init->data),
                records ? "columns_asked" : "values", init->d, (double)init->n, advise->epsilon,
                advise->error > 0 ? advise->error : (double)NAN, (unsigned long long)advise->seed);
    sheet_answer(sheet, "%s: %s, %s, epsilon %g", SHOWN_PATH(path_base(init->data)), COUNTED((size_t)init->n, "user"),
                 COUNTED(init->d, records                         ? "column"
                                  : init->kind == DATASET_STRINGS ? "string"
                                                                  : "value"),
                 advise->epsilon);
    if (advise->error > 0)
        sheet_say(sheet, "%s with an error of at most %g percentage point%s",
                  advise->finds_users ? "These are the fewest users" : "This is the smallest epsilon",
                  100 * advise->error, 100 * advise->error == 1 ? "" : "s");
    char *const note = advise->dataset ? dataset_note(advise->dataset) : NULL;
    if (note)
        sheet_say(sheet, "%s", note);
    free(note);
    for (size_t i = 0; i < advise->left_out.count; i++)
        sheet_say(sheet, "%s is left out: nearly every user has a value alone (an identifier?)",
                  SHOWN(advise->left_out.text[i]));
}

/* Oracles that were tried, with the bits of their reports. */
static void print_oracles(struct advise *advise)
{
    static const struct sheet_column columns[] = {{"oracle", "oracle", 0, SHEET_NONE},
                                                  {"bits", "bits of a report", 3, SHEET_NONE},
                                                  {"over_optimum", "variance / optimum", 3, SHEET_NONE},
                                                  {"state_bytes", "bytes of the server", 3, SHEET_NONE}};

    sheet_table(&advise->sheet, "oracles", "Oracles that were tried", columns, 4);
    for (size_t i = 0; i < advise->tried.count; i++) {
        const struct oracle_choice *const one = &advise->tried.choice[i];
        struct ldp_protocol protocol;
        if (!one->external &&
            ldp_protocol_init(&protocol, &one->spec, advise->most_values, advise->epsilon, NULL) == LDP_OK) {
            sheet_row(&advise->sheet, "tnnu", one->label, advise_bits(&protocol), ldp_over_optimum(&protocol),
                      protocol.state_bytes);
        }
    }
}

void advise_print_values(struct advise *advise, const struct part *part)
{
    print_begin(advise);
    if (advise->supports)
        sheet_say(&advise->sheet, "Bounds and ranges of errors hold for 90 %% of collections like this one.");
    doc_gap(&advise->sheet.doc);
    decisions_put(&advise->sheet, &part->made);
    print_oracles(advise);
}

/* ---- columns ---- */

/* Users whose cell of a column is empty. */
static double missing(const struct dataset_records *records, size_t column)
{
    const struct ldp_set set = {.size = 1, .attribute = {(uint8_t)column}};
    uint64_t *const counts = xcalloc(records->records->cardinality[column], sizeof *counts);
    double users = 0;

    if (records->empty && records->empty[column] != RECORDS_NO_EMPTY) {
        ldp_records_table(records->records, &set, counts);
        users = (double)counts[records->empty[column]] / (double)records->records->n;
    }
    free(counts);
    return users;
}

/* The block and cell of a dataset; false: nothing is decided for it. */
static bool find_cell(const struct decisions *made, const char *dataset, size_t *b, size_t *c)
{
    for (*b = 0; *b < made->count; ++*b)
        for (*c = 0; *c < made->block[*b].cells; ++*c) {
            const struct decided *const block = &made->block[*b];
            const size_t row = block_taken_row(block, *c);
            if (row != SIZE_MAX &&
                strcmp(result_key(block->table, row, result_key_of(block->table, PART_DATASET)), dataset) == 0)
                return true;
        }
    return false;
}

void advise_print_columns(struct advise *advise, const struct part *part)
{
    static const struct sheet_column columns[] = {
        {"column", "column", 0, SHEET_NONE},       {"values", "values", 0, SHEET_NONE},
        {"users", "users", 0, SHEET_NONE},         {"missing", "missing %", 2, SHEET_NONE},
        {"oracle", "oracle", 0, SHEET_NONE},       {"method", "method", 0, SHEET_NONE},
        {"error", "error, points", 3, SHEET_NONE}, {"at_most", NULL, 3, SHEET_NONE}};
    const struct dataset_records *const records = advise->dataset->records;
    struct sheet *const sheet = &advise->sheet;

    print_begin(advise);
    sheet_say(sheet,
              "Columns: each user answers one question, drawn at random, with the whole epsilon. Missing answers are a "
              "value. Errors are root mean squares over the values, in percentage points of users.");
    sheet_table(sheet, "columns", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < records->records->d; i++) {
        size_t b, c;
        sheet_row(sheet, "tunn", records->names[i], (size_t)records->records->cardinality[i],
                  part_users(part, (double)advise->init.n), 100 * missing(records, i));
        if (find_cell(&part->made, records->names[i], &b, &c)) {
            const struct decided *const block = &part->made.block[b];
            const size_t taken = block->decision.taken[c];
            sheet_row(sheet, "ttnn", block->candidate[taken].oracle, block->candidate[taken].method,
                      block->error[c * block->candidates + taken],
                      block->decision.at[c * block->candidates + taken].most);
        }
        sheet_row_end(sheet);
    }
    if (!advise->init.of_counts)
        return;
    sheet_say(sheet, "What to take, for each query:");
    doc_gap(&advise->sheet.doc);
    decisions_put(&advise->sheet, &part->made);
}

/* ---- what won, measured again ---- */

struct shown {
    const char *measure, *heading;
    double scale;
};

static void print_again(struct advise *advise, const struct part *part, const struct part *again,
                        const struct part *timed, const struct shown *shown, size_t count)
{
    struct sheet_column columns[SHEET_COLUMNS_MAX];
    struct sheet *const sheet = &advise->sheet;
    size_t n = 0;

    columns[n++] = (struct sheet_column){"query", "query", 0, SHEET_NONE};
    columns[n++] = (struct sheet_column){"take", "take", 0, SHEET_NONE};
    for (size_t i = 0; i < count; i++)
        columns[n++] = (struct sheet_column){shown[i].measure, shown[i].heading, 3, SHEET_NONE};
    if (timed)
        columns[n++] = (struct sheet_column){"seconds", "seconds", 2, SHEET_NONE};
    sheet_table(sheet, "again", "What won, measured again on other collections", columns, n);
    for (size_t b = 0; b < part->made.count; b++)
        for (size_t c = 0; c < part->made.block[b].cells; c++) {
            const struct decided *const block = &part->made.block[b];
            if (block_taken_row(block, c) == SIZE_MAX)
                continue;
            char *const title = block_title(block, c);
            sheet_text(sheet, title);
            sheet_text(sheet, block->candidate[block->decision.taken[c]].name);
            const char *const method = block->candidate[block->decision.taken[c]].method;
            for (size_t i = 0; i < count; i++)
                sheet_number(sheet, shown[i].scale * measured(again, b, c, method, shown[i].measure));
            if (timed)
                sheet_number(sheet, part_seconds(advise, timed, method));
            free(title);
        }
}

void advise_print_groups(struct advise *advise, const struct part *part, const struct part *again)
{
    static const struct shown shown[] = {
        {"tv", "error, %", 100},   {"max_error", "largest, points", 100}, {"sse", "SSE", 1},
        {"sse_noise", "noise", 1}, {"sse_sampling", "sampling", 1},       {"sse_reconstruction", "reconstruction", 1}};

    print_begin(advise);
    sheet_say(
        &advise->sheet,
        "Groups of columns, as one plan: each user answers one question, about one table of columns, with the whole "
        "epsilon; all groups are answered from these tables. Errors are the users that are misplaced.");
    doc_gap(&advise->sheet.doc);
    decisions_put(&advise->sheet, &part->made);
    print_again(advise, part, again, NULL, shown, sizeof shown / sizeof *shown);
}

void advise_print_strings(struct advise *advise, const struct part *part, const struct part *again,
                          const struct part *timed)
{
    static const struct shown shown[] = {
        {"f1", "F1", 1},       {"precision", "precision", 1},        {"recall", "recall", 1},
        {"found", "found", 1}, {"false_found", "zero frequency", 1}, {"report_bits", "bits of a user", 1}};

    print_begin(advise);
    doc_gap(&advise->sheet.doc);
    decisions_put(&advise->sheet, &part->made);
    print_again(advise, part, again, timed, shown, sizeof shown / sizeof *shown);
    sheet_say(&advise->sheet,
              "Seconds: of all clients and the server on this machine, from searches of fewer users with reports.");
}

void advise_print_end(struct advise *advise)
{
    if (!advise->begun)
        return;
    if (advise->kept)
        sheet_say(&advise->sheet,
                  "The experiment is in %s: ldpbench report reads it, ldpbench run CONFIG -o FOLDER "
                  "--until-decided goes on%s.",
                  SHOWN_PATH(advise->folder),
                  advise->methods.count > 0 ? " (--allow-external for your own methods)" : "");
    sheet_end(&advise->sheet);
}

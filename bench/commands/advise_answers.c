/* advise_answers.c - what ldpbench advise asks of each kind of data, and its answers; see advise.h.
 *
 * Data that are known are the world that collections are simulated from; supports of a collection come from several
 * worlds (advise_worlds.c). A table of records is asked column by column and, in a second experiment, for pairs and
 * triples of columns. Protocols and synopses are halved; what is left is measured again from other streams, as the
 * numbers that it was chosen by are a little too good. */
#include "commands/advise.h"

#include "config/dataset_notes.h"
#include "records.h"
#include "support/files.h"
#include "support/limits.h"
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

const char *row_key(const struct result_table *table, size_t row, enum column_part part)
{
    const size_t key = result_key_of(table, part);

    return key == SIZE_MAX ? "" : result_key(table, row, key);
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

/* Users of a search that is timed. */
#define TIMED_USERS 20000.0

/* The seconds of a protocol with all users, by its label. */
static double part_seconds(const struct advise *advise, const struct part *timed, const char *label)
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
        struct ldp_protocol made;
        if (!one->external &&
            ldp_protocol_init(&made, &one->spec, advise->init.most_values, advise->epsilon, NULL) == LDP_OK)
            sheet_row(&advise->sheet, "tnnu", one->label, advise_bits(&made),
                      made.flags & LDP_ORACLE_BIASED ? (double)NAN : ldp_over_optimum(&made), made.state_bytes);
    }
}

/* ---- columns ---- */

/* The block and cell of a dataset; false: nothing is decided for it. */
static bool find_cell(const struct decisions *made, const char *dataset, size_t *b, size_t *c)
{
    for (*b = 0; *b < made->count; ++*b)
        for (*c = 0; *c < made->block[*b].cells; ++*c) {
            const struct decided *const block = &made->block[*b];
            const size_t row = block_taken_row(block, *c);
            if (row != SIZE_MAX && strcmp(row_key(block->table, row, PART_DATASET), dataset) == 0)
                return true;
        }
    return false;
}

static void print_columns(struct advise *advise, const struct part *part)
{
    static const struct sheet_column columns[] = {
        {"column", "column", 0, SHEET_NONE}, {"values", "values", 0, SHEET_NONE},
        {"users", "users", 0, SHEET_NONE},   {"oracle", "oracle", 0, SHEET_NONE},
        {"method", "method", 0, SHEET_NONE}, {"error", "error, points", 3, SHEET_NONE},
        {"at_most", NULL, 3, SHEET_NONE}};
    const struct dataset_records *const records = advise->dataset->records;
    struct sheet *const sheet = &advise->sheet;

    print_begin(advise);
    sheet_say(sheet,
              "Columns: each user answers one question, drawn at random, with the whole epsilon. Missing answers are a "
              "value. Errors are root mean squares over the values, in percentage points of users.");
    sheet_table(sheet, "columns", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < records->records->d; i++) {
        size_t b, c;
        sheet_row(sheet, "tun", records->names[i], (size_t)records->records->cardinality[i],
                  part_users(part, (double)advise->init.n));
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

/* Their measures, and a factor. */
enum { SHOWN_MEASURES = 6 };
static const struct {
    const char *measure, *heading;
    double scale;
} shown_of[][SHOWN_MEASURES] = {[DATASET_RECORDS] = {{"tv", "error, %", 100},
                                                     {"max_error", "largest, points", 100},
                                                     {"sse", "SSE", 1},
                                                     {"sse_noise", "noise", 1},
                                                     {"sse_sampling", "sampling", 1},
                                                     {"sse_reconstruction", "reconstruction", 1}},
                                [DATASET_STRINGS] = {{"f1", "F1", 1},
                                                     {"precision", "precision", 1},
                                                     {"recall", "recall", 1},
                                                     {"found", "found", 1},
                                                     {"false_found", "zero frequency", 1},
                                                     {"report_bits", "bits of a user", 1}}};

static void print_again(struct advise *advise, const struct part *part, const struct part *again,
                        const struct part *timed)
{
    const enum dataset_kind kind = advise->init.kind;
    struct sheet_column columns[SHEET_COLUMNS_MAX];
    struct sheet *const sheet = &advise->sheet;
    size_t n = 0;

    columns[n++] = (struct sheet_column){"query", "query", 0, SHEET_NONE};
    columns[n++] = (struct sheet_column){"take", "take", 0, SHEET_NONE};
    for (size_t i = 0; i < SHOWN_MEASURES; i++)
        columns[n++] = (struct sheet_column){shown_of[kind][i].measure, shown_of[kind][i].heading, 3, SHEET_NONE};
    if (timed->config)
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
            for (size_t i = 0; i < SHOWN_MEASURES; i++)
                sheet_number(sheet, shown_of[kind][i].scale * measured(again, b, c, method, shown_of[kind][i].measure));
            if (timed->config)
                sheet_number(sheet, part_seconds(advise, timed, method));
            free(title);
        }
}

/* A config of the candidates that are taken somewhere. */
static cJSON *winners(const struct part *part)
{
    cJSON *const config = cJSON_Duplicate(part->config, true), *const kept = cJSON_CreateArray();
    const cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItem(part->config, part->list))
    {
        const char *const label = cJSON_GetStringValue(cJSON_GetObjectItem(item, "label"));
        bool taken = false;
        for (size_t b = 0; label && b < part->made.count; b++)
            for (size_t c = 0; c < part->made.block[b].cells; c++) {
                const size_t one = part->made.block[b].decision.taken[c];
                taken |= one != SIZE_MAX && strcmp(part->made.block[b].candidate[one].method, label) == 0;
            }
        if (taken)
            cJSON_AddItemToArray(kept, cJSON_Duplicate(item, true));
    }
    cJSON_ReplaceItemInObject(config, part->list, kept);
    return config;
}

static int judge_again(const struct advise *advise, const struct part *part, struct part *again,
                       struct failure *failure)
{
    *again = (struct part){.folder = xformat("%s/again", part->folder), .config = winners(part)};
    part_set_number(again->config, "seed", (double)((advise->seed + 1) % (uint64_t)WHOLE_MAX));
    if (advise->init.kind == DATASET_RECORDS)
        cJSON_AddItemToObject(again->config, "outputs",
                              cJSON_CreateStringArray((const char *const[]){"marginals", "parts"}, 2));
    return part_judge(advise, again, failure);
}

/* The time of a search by reports, of fewer users. */
static int judge_times(const struct advise *advise, const struct part *part, cJSON *config, struct part *timed,
                       struct failure *failure)
{
    const double n = fmin((double)advise->init.n, TIMED_USERS);

    *timed = (struct part){.folder = xformat("%s/timed", part->folder), .config = config};
    part_set_users(config, &n, 1);
    part_set_number(config, "repetitions", 2);
    json_add(config, "simulation=%s", "reports");
    cJSON_AddItemToObject(config, "outputs", cJSON_CreateStringArray((const char *const[]){"search", "times"}, 2));
    return part_judge(advise, timed, failure);
}

/* Removes candidates that take too long, and judges the others. */
static int keep_fast(const struct advise *advise, struct part *part, struct failure *failure)
{
    struct part timed;
    int result = judge_times(advise, part, cJSON_Duplicate(part->config, true), &timed, failure);
    cJSON *const list = cJSON_GetObjectItem(part->config, part->list);

    for (int i = result == 0 ? cJSON_GetArraySize(list) : 0; i-- > 0;) {
        const char *const label = cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(list, i), "label"));
        if (part_seconds(advise, &timed, label) > advise->seconds)
            cJSON_DeleteItemFromArray(list, i);
    }
    if (result == 0 && cJSON_GetArraySize(list) == 0)
        result = fail(failure, EXIT_BAD_INPUT, "--seconds: none of the best searches takes at most %g seconds",
                      advise->seconds);
    part_close(&timed);
    return result == 0 ? part_judge(advise, part, failure) : -1;
}

/* ---- the answers ---- */

static int advise_counts(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "", advise_config(advise, DATASET_COUNTS));
    cJSON *query;
    int result = 0;

    cJSON_ArrayForEach(query, cJSON_GetObjectItem(part.config, "queries")) if (result == 0) result =
        advise_whole_path(query, dataset_object_file(advise->init.dataset), failure);
    if (advise->supports && result == 0 && (result = make_folder(part.folder, failure)) == 0)
        result = worlds_make(advise, part.config, part.folder, failure);
    if (result == 0 && (result = advise_judge(advise, &part, advise_methods, failure)) == 0) {
        print_begin(advise);
        if (advise->supports) {
            worlds_judge(&part);
            sheet_say(&advise->sheet, "Bounds and ranges of errors hold for 90 %% of collections like this one.");
        }
        doc_gap(&advise->sheet.doc);
        decisions_put(&advise->sheet, &part.made);
        print_oracles(advise);
    }
    part_close(&part);
    return result;
}

/* A dataset for each column. Each user answers one question: the users are divided among them. */
static struct part part_of_columns(struct advise *advise)
{
    const struct dataset_records *const records = advise->dataset->records;
    struct part part = part_new(advise, "columns", advise_config(advise, DATASET_COUNTS));
    cJSON *const list = cJSON_CreateArray();

    part.questions = records->records->d;
    cJSON_ReplaceItemInObject(part.config, "datasets", list);
    for (size_t i = 0; i < part.questions; i++) {
        cJSON *const dataset = cJSON_Duplicate(advise->init.dataset, true);
        cJSON_AddItemToArray(list, dataset);
        init_answers(dataset, records->names[i]);
        json_add(dataset, "label=%s", records->names[i]);
    }
    const double each = part_users(&part, (double)advise->init.n);
    part_set_users(part.config, &each, 1);
    return part;
}

/* The groups that are named, "a+b" as ["a", "b"], or the sizes of random ones. */
static void add_groups(const struct advise *advise, cJSON *config)
{
    cJSON *const list = cJSON_CreateArray();

    for (size_t i = 0; i < advise->k.count; i++)
        items_of(list, advise->k.text[i]);
    for (size_t i = 0; i < advise->marginals.count; i++) {
        cJSON *const set = cJSON_CreateArray();
        char *const copy = xstrdup(advise->marginals.text[i]), *rest = copy;
        while (rest)
            cJSON_AddItemToArray(set, cJSON_CreateString(strsep(&rest, "+")));
        cJSON_AddItemToArray(list, set);
        free(copy);
    }
    if (advise->marginals.count > 0)
        cJSON_ReplaceItemInObject(config, "marginals", list);
    else
        cJSON_ReplaceItemInObject(cJSON_GetObjectItem(config, "marginals"), "k", list);
}

/* Halves the candidates; then what is left, again. */
static int advise_halved(struct advise *advise, struct part *part,
                         int (*add)(struct advise *advise, cJSON *config, struct failure *failure),
                         struct failure *failure)
{
    const bool strings = advise->init.kind == DATASET_STRINGS;
    struct part again = {0}, timed = {0};
    int result = advise_judge(advise, part, add, failure);

    if (result == 0 && advise->seconds > 0)
        result = keep_fast(advise, part, failure);
    if (result == 0)
        result = judge_again(advise, part, &again, failure);
    if (result == 0 && strings)
        result = judge_times(advise, part, winners(part), &timed, failure);
    if (result == 0) {
        print_begin(advise);
        if (!strings)
            sheet_say(&advise->sheet, "Groups of columns, as one plan: each user answers one question, about one table "
                                      "of columns, with the whole epsilon; all groups are answered from these tables. "
                                      "Errors are the users that are misplaced.");
        doc_gap(&advise->sheet.doc);
        decisions_put(&advise->sheet, &part->made);
        print_again(advise, part, &again, &timed);
        if (strings)
            sheet_say(
                &advise->sheet,
                "Seconds: of all clients and the server on this machine, from searches of fewer users with reports.");
    }
    part_close(part);
    part_close(&again);
    part_close(&timed);
    return result;
}

static int advise_groups(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "groups", advise_config(advise, DATASET_RECORDS));

    part.list = "synopses";
    part.follows = advise->marginals.count == 0 && advise->k.count == 0;
    if (!part.follows)
        add_groups(advise, part.config);
    return advise_halved(advise, &part, advise_synopses, failure);
}

static int advise_columns(struct advise *advise, struct failure *failure)
{
    struct part part = part_of_columns(advise);

    advise->init.kind = DATASET_COUNTS;
    const int result = advise_judge(advise, &part, advise_methods, failure);
    advise->init.kind = DATASET_RECORDS;
    if (result == 0)
        print_columns(advise, &part);
    part_close(&part);
    return result;
}

static int advise_records(struct advise *advise, struct failure *failure)
{
    const bool groups = advise->marginals.count > 0 || advise->k.count > 0 || advise->synopses.count > 0;

    if (groups && advise->init.of_counts)
        return fail(failure, EXIT_BAD_INPUT,
                    "advise: expected --query and --method, or --k, --marginal and --synopsis");
    if (!groups && advise_columns(advise, failure) != 0)
        return -1;
    if (advise->init.of_counts || advise_groups(advise, failure) == 0)
        return 0;
    if (!init_hint_at_columns(&advise->init, failure) || groups)
        return -1;
    sheet_say(&advise->sheet, "No answer for groups of columns: %s.", failure->text);
    return 0;
}

static int advise_strings(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "", advise_config(advise, DATASET_STRINGS));

    part.list = "protocols";
    part_set_number(cJSON_GetObjectItem(part.config, "targets"), "top", (double)advise->top);
    return advise_halved(advise, &part, advise_protocols, failure);
}

int advise_answer(struct advise *advise, struct failure *failure)
{
    const int result = advise->init.kind == DATASET_RECORDS   ? advise_records(advise, failure)
                       : advise->init.kind == DATASET_STRINGS ? advise_strings(advise, failure)
                                                              : advise_counts(advise, failure);

    if (advise->begun && advise->kept)
        sheet_say(&advise->sheet,
                  "The experiment is in %s%s: ldpbench report reads it, ldpbench run CONFIG -o FOLDER "
                  "--until-decided goes on%s.",
                  SHOWN_PATH(advise->folder), advise->init.kind == DATASET_RECORDS ? "/*" : "",
                  advise->methods.count > 0 ? " (--allow-external for your own methods)" : "");
    if (advise->begun)
        sheet_end(&advise->sheet);
    return result;
}

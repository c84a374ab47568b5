/* decisions_json.c - decisions for programs; see decisions.h. */
#include "results/decisions.h"

#include "support/numbers.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Labels as texts, other keys as numbers where they are numbers; an empty one is null. */
static void add_key(cJSON *object, const struct result_table *table, size_t row, size_t key)
{
    const char *const name = table->key_name[key], *const text = result_key(table, row, key);
    const double value = text_number(text);

    if (!isnan(value) && !part_is_label(result_key_part(table, key)))
        json_add(object, "%s=%g", name, value);
    else
        json_add(object, "%s=%s", name, *text ? text : NULL);
}

static bool is_candidate_key(const struct decided *block, size_t key)
{
    const struct candidate *const one = &block->candidate[0];
    const enum column_part part = result_key_part(block->table, key);
    const bool subject = strcmp(block->table->key_name[key], block->table->table->subject) == 0;

    return subject || part == PART_METHOD || (one->oracle && part == PART_ORACLE);
}

struct ranked {
    size_t candidate;
    double ratio;
};

static int by_ratio(const void *a, const void *b)
{
    const struct ranked *const x = a, *const y = b;

    return x->ratio != y->ratio ? (x->ratio > y->ratio) - (x->ratio < y->ratio)
                                : (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

static void add_candidate(cJSON *list, const struct decided *block, size_t c, size_t i)
{
    const size_t row = block->row[c * block->candidates + i];
    const struct candidate_result *const at = &block->decision.at[c * block->candidates + i];
    const struct result_number *const number = result_number(block->table, row, block->index);
    cJSON *const object = json_append(list);

    json_add(object, "candidate=%s", block->candidate[i].name);
    for (size_t k = 0; k < block->table->nkeys; k++)
        if (is_candidate_key(block, k))
            json_add(object, "%s=%s", block->table->key_name[k], result_key(block->table, row, k));
    json_add(object, "mean=%g stderr=%g error=%g ratio=%g at_least=%g at_most=%g",
             block->worlds > 0 ? (double)NAN : number->mean, block->worlds > 0 ? (double)NAN : number->stderr_,
             block->error[c * block->candidates + i], at->ratio, at->least, at->most);
    json_add(object, "rank=%zu as_good=%d may_be_best=%d may_be_better=%d own=%d", block_rank(block, c, i), at->good,
             at->may_be_best, at->may_matter, block->candidate[i].own);
}

/* The candidates of a cell, the least error first. */
static void add_point(cJSON *list, const struct decided *block, size_t c)
{
    const size_t taken = block->decision.taken[c];
    struct ranked *const ranked = xcalloc(block->candidates, sizeof *ranked);
    cJSON *const object = json_append(list);
    size_t count = 0, any = SIZE_MAX;

    for (size_t i = 0; i < block->candidates; i++)
        if (block->row[c * block->candidates + i] != SIZE_MAX) {
            const struct candidate_result *const at = &block->decision.at[c * block->candidates + i];
            any = block->row[c * block->candidates + i];
            if (at->measured)
                ranked[count++] = (struct ranked){i, isnan(at->ratio) ? INFINITY : at->ratio};
        }
    for (size_t k = 0; any != SIZE_MAX && k < block->table->nkeys; k++)
        if (!is_candidate_key(block, k) && k != block->table->experiment &&
            !(block->worlds > 0 && result_key_part(block->table, k) == PART_DATASET))
            add_key(object, block->table, any, k);
    const char *const name = taken == SIZE_MAX ? NULL : block->candidate[taken].name;
    char *const title = block_title(block, c);
    json_add(object, "take=%s decided=%d", name,
             taken != SIZE_MAX && block->decision.at[c * block->candidates + taken].good);
    json_add(object, "title=%s low=%g high=%g", title, block->low[c], block->high[c]);
    free(title);
    qsort(ranked, count, sizeof *ranked, by_ratio);
    cJSON *const candidates = cJSON_AddArrayToObject(object, "candidates");
    for (size_t i = 0; i < count; i++)
        add_candidate(candidates, block, c, ranked[i].candidate);
    free(ranked);
}

static void add_block(cJSON *list, const struct decided *block)
{
    const size_t one = block->decision.kind == DECIDED_CHANGES ? SIZE_MAX : block->decision.one;
    cJSON *const object = json_append(list);
    static const char *const kind[] = {
        [DECIDED_ONE] = "one", [DECIDED_CHANGES] = "changes", [DECIDED_NOT] = "not decided"};
    struct texts fields = {0};
    char unit[UNIT_TEXT];

    json_add(object, "title=%s table=%s measure=%s unit=%s repetitions=%zu", block->title, block->table->table->file,
             block->measure->name, block_unit(block, unit), block->repetitions);
    json_add(object, "decision=%s take=%s", kind[block->decision.kind],
             one == SIZE_MAX ? NULL : block->candidate[one].name);
    block_rows(block, &fields);
    cJSON *const rows = cJSON_AddArrayToObject(object, "rows");
    for (size_t i = 0; i + 1 < fields.count; i += 2)
        cJSON_AddItemToArray(rows, cJSON_CreateStringArray((const char *const *)fields.text + i, 2));
    texts_clear(&fields);
    cJSON *const points = cJSON_AddArrayToObject(object, "points");
    for (size_t c = 0; c < block->cells; c++)
        add_point(points, block, c);
}

void decisions_json(const struct decisions *decisions, cJSON *object)
{
    cJSON *const before = cJSON_GetObjectItem(object, "answer");
    cJSON *const answer = before ? before : cJSON_AddArrayToObject(object, "answer");
    char *const text = decisions_text(decisions);

    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        cJSON_AddItemToArray(answer, cJSON_CreateString(line));
    }
    free(text);
    cJSON *const list = cJSON_AddArrayToObject(object, "decisions");
    for (size_t b = 0; b < decisions->count; b++)
        add_block(list, &decisions->block[b]);
}

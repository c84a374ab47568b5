/* advise_answers.c - what ldpbench advise runs for each kind of data; see advise.h. */
#include "commands/advise.h"

#include "records.h"
#include "support/files.h"
#include "support/limits.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what won, again ---- */

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

/* Files of sets are found beside the data, and named as a whole: the config is elsewhere. */
static int find_sets(const struct advise *advise, cJSON *config, struct failure *failure)
{
    cJSON *query;

    cJSON_ArrayForEach(query, cJSON_GetObjectItem(config, "queries"))
    {
        const char *const file = cJSON_GetStringValue(cJSON_GetObjectItem(query, "file"));
        char *const path = file ? dataset_find_file(file, dataset_object_file(advise->init.dataset), failure) : NULL;
        char *const whole = path ? real_path(path) : NULL;
        free(path);
        if (file && !whole)
            return -1;
        if (whole)
            cJSON_ReplaceItemInObject(query, "file", cJSON_CreateString(whole));
        free(whole);
    }
    return 0;
}

int advise_counts(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "", advise_config(advise, DATASET_COUNTS));
    struct world_choices choices = {0};
    int result = find_sets(advise, part.config, failure);

    if (advise->supports && result == 0 && (result = make_folder(part.folder, failure)) == 0) {
        /* Kinds of one world have a third of the trials each, those of several more. */
        part_set_number(part.config, "repetitions", ceil(advise_trials(advise, DATASET_COUNTS) / 3));
        result = worlds_make(advise, part.config, part.folder, failure);
    }
    if (result == 0 && (result = advise_oracles(advise, part.config, failure)) == 0 &&
        (result = advise_methods(advise, part.config, failure)) == 0 &&
        (result = advise_judge(advise, &part, failure)) == 0 && advise->supports)
        result = worlds_judge(&part, &choices, failure);
    if (result == 0)
        advise_print_values(advise, &part, &choices);
    worlds_clear(&choices);
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

    for (size_t i = 0; i < advise->marginals.count; i++) {
        cJSON *const set = cJSON_CreateArray();
        char *const copy = xstrdup(advise->marginals.text[i]), *rest = copy;
        while (rest)
            cJSON_AddItemToArray(set, cJSON_CreateString(strsep(&rest, "+")));
        cJSON_AddItemToArray(list, set);
        free(copy);
    }
    for (int k = 1; advise->marginals.count == 0 && k <= LDP_SET_MAX; k++)
        if (advise->k >> k & 1)
            cJSON_AddItemToArray(list, cJSON_CreateNumber(k));
    if (advise->marginals.count > 0)
        cJSON_ReplaceItemInObject(config, "marginals", list);
    else
        cJSON_ReplaceItemInObject(cJSON_GetObjectItem(config, "marginals"), "k", list);
}

static int advise_groups(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "groups", advise_config(advise, DATASET_RECORDS)), again = {0};
    int result = 0;

    part.list = "synopses";
    part.follows = advise->marginals.count == 0 && advise->k == 0;
    if (!part.follows)
        add_groups(advise, part.config);
    if ((result = advise_oracles(advise, part.config, failure)) == 0 &&
        (result = advise_synopses(advise, part.config, failure)) == 0 &&
        (result = advise_judge(advise, &part, failure)) == 0)
        result = judge_again(advise, &part, &again, failure);
    if (result == 0)
        advise_print_groups(advise, &part, &again);
    part_close(&part);
    part_close(&again);
    return result;
}

static int advise_columns(struct advise *advise, struct failure *failure)
{
    struct part part = part_of_columns(advise);
    int result = 0;

    advise->init.kind = DATASET_COUNTS;
    if ((result = advise_oracles(advise, part.config, failure)) == 0 &&
        (result = advise_methods(advise, part.config, failure)) == 0)
        result = advise_judge(advise, &part, failure);
    advise->init.kind = DATASET_RECORDS;
    if (result == 0)
        advise_print_columns(advise, &part);
    part_close(&part);
    return result;
}

int advise_records(struct advise *advise, struct failure *failure)
{
    const bool groups = advise->marginals.count > 0 || advise->k > 0 || advise->synopses.count > 0;

    if (groups && advise->init.of_counts)
        return fail(failure, EXIT_BAD_INPUT,
                    "advise: expected --query and --method, which ask for columns, or --k, --marginal and --synopsis, "
                    "which ask for groups of them, got both");
    if (!groups && advise_columns(advise, failure) != 0)
        return -1;
    return advise->init.of_counts ? 0 : advise_groups(advise, failure);
}

int advise_strings(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "", advise_config(advise, DATASET_STRINGS)), again = {0}, timed = {0};
    int result = 0;

    part.list = "protocols";
    part_set_number(cJSON_GetObjectItem(part.config, "targets"), "top", (double)advise->top);
    if ((result = advise_oracles(advise, part.config, failure)) == 0 &&
        (result = advise_protocols(advise, part.config, failure)) == 0 &&
        (result = advise_judge(advise, &part, failure)) == 0 && advise->seconds > 0)
        result = keep_fast(advise, &part, failure);
    if (result == 0)
        result = judge_again(advise, &part, &again, failure);
    if (result == 0)
        result = judge_times(advise, &part, winners(&part), &timed, failure);
    if (result == 0)
        advise_print_strings(advise, &part, &again, &timed);
    part_close(&part);
    part_close(&again);
    part_close(&timed);
    return result;
}

/* provenance_run.c - what a run records in run.json, and how it removes files of earlier runs; see provenance.h. */
#include "run/provenance_private.h"

#include "run/declare.h"
#include "run/mpi.h"
#include "support/memory.h"
#include "support/text.h"
#include "tasks/task.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void config_hash(const struct experiment *experiment, char text[33])
{
    const struct ldp_fingerprint print = ldp_fingerprint(experiment->config_text, strlen(experiment->config_text));

    snprintf(text, 33, "%016llx%016llx", (unsigned long long)print.hi, (unsigned long long)print.lo);
}

/* ---- which config a folder belongs to ---- */

/* Whether run.json, if it can be read, names this config. */
static bool names_config(const struct experiment *experiment, const char *folder)
{
    struct provenance *provenance;
    struct failure ignored;

    if (provenance_load(folder, &provenance, &ignored) != 0)
        return false;
    char hash[33];
    config_hash(experiment, hash);
    const char *const made_by = provenance_text(provenance, "config_hash");
    uint64_t seed;
    const bool same = made_by && strcmp(made_by, hash) == 0 && provenance_whole(provenance, "seed", &seed) &&
                      seed == experiment->seed;
    provenance_free(provenance);
    return same;
}

static bool has_file(const char *folder, const char *name)
{
    char *const path = text_format("%s/%s", folder, name);
    const bool there = path && access(path, F_OK) == 0;

    free(path);
    return there;
}

/* Calls for each table that any task can write, until one call returns false. -1 if out of memory. */
static int each_table(bool (*call)(const char *name, void *context), void *context)
{
    for (size_t i = 0; tasks[i]; i++) {
        struct task_tables tables = {0};
        int result = tasks[i]->tables(NULL, &tables);

        for (size_t j = 0; result == 0 && j < tables.count; j++)
            result = call(tables.table[j].table.file, context) ? 0 : 1;
        tables_clear(&tables);
        if (result != 0)
            return result < 0 ? -1 : 0;
    }
    return 0;
}

struct search {
    const char *folder;
    char *found; /* the first table that exists */
};

static bool look_for(const char *name, void *context)
{
    struct search *const search = context;

    for (size_t i = 0; i < 2 && !search->found; i++) {
        char *const file = text_format("%s%s", name, i == 0 ? "" : ".gz");

        if (file && has_file(search->folder, file))
            search->found = file;
        else
            free(file);
    }
    return !search->found;
}

int provenance_check(const struct experiment *experiment, const char *folder, struct failure *failure)
{
    if (has_file(folder, "store.sqlite") || names_config(experiment, folder))
        return 0;
    struct search search = {.folder = folder};
    if (has_file(folder, "run.json"))
        search.found = strdup("run.json");
    else if (each_table(look_for, &search) != 0)
        return fail_memory(failure);
    int result = 0;
    if (search.found)
        result = fail(failure, EXIT_BAD_INPUT,
                      "%s: holds %s of another config; use another folder (-o) or --fresh to overwrite it", folder,
                      search.found);
    free(search.found);
    return result;
}

/* ---- run.json ---- */

static bool add_shares(cJSON *root, const struct store_share *share, size_t count)
{
    cJSON *const list = cJSON_AddArrayToObject(root, "builds");

    for (size_t i = 0; list && i < count; i++) {
        cJSON *const object = cJSON_CreateObject();

        if (!cJSON_AddItemToArray(list, object) || !cJSON_AddStringToObject(object, "build", share[i].build) ||
            !cJSON_AddNumberToObject(object, "share", share[i].share))
            return false;
    }
    return list;
}

/* How the largest number of repetitions is recorded where a precision is asked for. */
static bool add_precision(cJSON *root, const struct precision *precision)
{
    cJSON *const object = precision->from > 0 ? cJSON_AddObjectToObject(root, "precision") : NULL;

    if (precision->from == 0)
        return true;
    return object && cJSON_AddNumberToObject(object, "from", precision->from) &&
           (precision->best ? cJSON_AddStringToObject(object, "decide", "best")
                            : cJSON_AddNumberToObject(object, "error", precision->error));
}

/* The least repetitions of a cell, where cells differ in theirs; "repetitions" are the most. */
static bool add_least(cJSON *root, const struct experiment *experiment)
{
    uint32_t least = experiment->repetitions;

    for (size_t cell = 0; experiment->of_cell && cell < experiment->setup->ncells; cell++)
        least = experiment->of_cell[cell] < least ? experiment->of_cell[cell] : least;
    return least == experiment->repetitions || cJSON_AddNumberToObject(root, "repetitions_least", least);
}

static bool add_notes(cJSON *root, const struct texts *notes)
{
    cJSON *const list = notes->count > 0 ? cJSON_AddArrayToObject(root, "notes") : NULL;

    for (size_t i = 0; list && i < notes->count; i++)
        if (!cJSON_AddItemToArray(list, cJSON_CreateString(notes->text[i])))
            return false;
    return notes->count == 0 || list;
}

static bool describe_run(cJSON *root, const struct experiment *experiment, const struct run_summary *summary)
{
    char hash[33];
    const time_t seconds = time(NULL);

    config_hash(experiment, hash);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    char now[32] = "";
    struct tm utc;
    if (gmtime_r(&seconds, &utc))
        strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return cJSON_AddStringToObject(root, "experiment", experiment->name) &&
           cJSON_AddStringToObject(root, "task", experiment->task->name) &&
           cJSON_AddNumberToObject(root, "seed", (double)experiment->seed) &&
           cJSON_AddNumberToObject(root, "data_seed", (double)experiment->data_seed) &&
           cJSON_AddNumberToObject(root, "repetitions", experiment->repetitions) && add_least(root, experiment) &&
           add_precision(root, &experiment->precision) && add_notes(root, &experiment->setup->notes) &&
           cJSON_AddStringToObject(root, "config_file", experiment->file) &&
           cJSON_AddStringToObject(root, "config_hash", hash) &&
           cJSON_AddStringToObject(root, "config", experiment->config_text) &&
           cJSON_AddStringToObject(root, "version", LDPBENCH_VERSION) &&
           cJSON_AddNumberToObject(root, "algorithm_version", LDP_ALGORITHM_VERSION) &&
           cJSON_AddStringToObject(root, "commit", LDPBENCH_COMMIT) &&
           cJSON_AddStringToObject(root, "build", LDPBENCH_BUILD) &&
           cJSON_AddStringToObject(root, "compiler", LDPBENCH_COMPILER) &&
           cJSON_AddStringToObject(root, "host", host) && cJSON_AddNumberToObject(root, "threads", summary->threads) &&
           cJSON_AddNumberToObject(root, "repetitions_run", (double)summary->repetitions_run) &&
           cJSON_AddNumberToObject(root, "repetitions_kept", (double)summary->repetitions_kept) &&
           (!experiment->compress || cJSON_AddTrueToObject(root, "compress")) &&
           cJSON_AddNumberToObject(root, "seconds", summary->seconds) &&
           cJSON_AddNumberToObject(root, "ranks", rank_count()) &&
           cJSON_AddNumberToObject(root, "idle", summary->idle) &&
           cJSON_AddNumberToObject(root, "idle_most", summary->idle_most) && cJSON_AddStringToObject(root, "time", now);
}

/* Whether a file is a table of the experiment, as it writes them. */
static bool has_table(const struct experiment *experiment, const char *name)
{
    const struct task_tables *const tables = &experiment->setup->tables;

    for (size_t i = 0; i < tables->count; i++) {
        const size_t length = strlen(tables->table[i].table.file);

        if (strncmp(tables->table[i].table.file, name, length) == 0 &&
            strcmp(name + length, experiment->compress ? ".gz" : "") == 0)
            return true;
    }
    return false;
}

/* The fingerprint of a file in a list; "" if it is not listed. */
static const char *listed_fingerprint(const cJSON *files, const char *name)
{
    for (const cJSON *file = files->child; file; file = file->next) {
        const char *const here = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(file, "name"));

        if (here && strcmp(here, name) == 0)
            return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(file, "fingerprint"));
    }
    return "";
}

/* Whether the tables that are listed now are those that an earlier run left, byte for byte. */
static bool same_tables(const struct provenance *before, const cJSON *files)
{
    size_t same = 0;

    for (size_t i = 0; i < provenance_files(before); i++) {
        const struct made_file file = provenance_file(before, i);

        if (file.kind != MADE_TABLE)
            continue;
        if (strcmp(listed_fingerprint(files, file.name), file.fingerprint) != 0)
            return false;
        same++;
    }
    return same == (size_t)cJSON_GetArraySize(files);
}

/* Removes files that the program wrote earlier; pictures and reports of unchanged tables stay. */
static int keep_or_remove(const struct provenance *before, const struct experiment *experiment, const char *folder,
                          cJSON *files)
{
    const bool same = same_tables(before, files);

    for (size_t i = 0; i < provenance_files(before); i++) {
        const struct made_file file = provenance_file(before, i);

        if (file.kind == MADE_TABLE && has_table(experiment, file.name))
            continue;
        if (file.kind == MADE_TABLE || !same)
            provenance_remove(folder, &file);
        else if (provenance_is_as_made(folder, &file) && provenance_keep_file(files, &file) != 0)
            return -1;
    }
    return 0;
}

static int list_files(const struct experiment *experiment, const char *folder, const bool *kept, cJSON *files,
                      struct failure *failure)
{
    const struct task_tables *const tables = &experiment->setup->tables;
    struct provenance *before = NULL;
    struct failure ignored;
    int result = 0;

    if (provenance_load(folder, &before, &ignored) != 0)
        before = NULL;
    for (size_t i = 0; result == 0 && i < tables->count; i++) {
        char *const name = xformat("%s%s", tables->table[i].table.file, experiment->compress ? ".gz" : "");

        if (!kept[i])
            result = provenance_list_file(files, folder, MADE_TABLE, name, failure);
        else if (provenance_keep_file(files,
                                      &(struct made_file){name, MADE_TABLE, provenance_fingerprint(before, name)}) != 0)
            result = fail_memory(failure);
        free(name);
    }
    if (result == 0 && before && keep_or_remove(before, experiment, folder, files) != 0)
        result = fail_memory(failure);
    provenance_free(before);
    return result;
}

int provenance_write(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                     const char *folder, const bool *kept, struct failure *failure)
{
    cJSON *const root = cJSON_CreateObject(), *files = NULL;
    struct store_share *share = NULL;
    size_t count;
    int result = store_shares(store, &share, &count, failure);

    if (result == 0 &&
        !(describe_run(root, experiment, summary) && add_shares(root, share, count) &&
          data_to_json(experiment->setup, root) && (files = cJSON_AddArrayToObject(root, "files")) != NULL))
        result = fail_memory(failure);
    if (result == 0 && list_files(experiment, folder, kept, files, failure) != 0)
        result = -1;
    if (result == 0)
        result = provenance_save(root, folder, failure);
    free(share);
    cJSON_Delete(root);
    return result;
}

/* provenance_run.c - what a run records in run.json, and how it removes files of earlier runs; see provenance.h. */
#include "run/provenance_private.h"

#include "run/declare.h"
#include "run/mpi.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/tree.h"
#include "tasks/task.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void config_hash(const struct experiment *experiment, char text[33])
{
    const struct ldp_fingerprint print = ldp_fingerprint(experiment->config_text, strlen(experiment->config_text));

    snprintf(text, 33, "%016llx%016llx", (unsigned long long)print.hi, (unsigned long long)print.lo);
}

/* ---- which config a folder belongs to ---- */

/* Whether run.json, if it can be read, names this config. */
static bool names_config(const struct experiment *experiment, const char *folder)
{
    struct provenance *provenance;
    struct failure ignored = NO_REASON;

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
    char *const path = xformat("%s/%s", folder, name);
    const bool there = access(path, F_OK) == 0;

    free(path);
    return there;
}

/* The first table of any task that a folder has. Malloc'd; NULL: none. */
static char *find_table(const char *folder)
{
    struct task_tables all = {0};
    char *found = NULL;

    for (size_t i = 0; tasks[i]; i++)
        tasks[i]->tables(NULL, &all);
    for (size_t i = 0; !found && i < 2 * all.count; i++) {
        found = xformat("%s%s", all.table[i / 2].table.file, i % 2 == 0 ? "" : ".gz");
        if (!has_file(folder, found)) {
            free(found);
            found = NULL;
        }
    }
    tables_clear(&all);
    return found;
}

int provenance_check(const struct experiment *experiment, const char *folder, struct failure *failure)
{
    if (has_file(folder, "store.sqlite") || names_config(experiment, folder))
        return 0;
    char *const found = has_file(folder, "run.json") ? xstrdup("run.json") : find_table(folder);
    const int result =
        found
            ? fail(failure, EXIT_BAD_INPUT,
                   "%s: holds %s of another config; use another folder (-o) or --fresh to overwrite it", folder, found)
            : 0;
    free(found);
    return result;
}

/* ---- run.json ---- */

static void describe_run(cJSON *root, const struct experiment *experiment, const struct run_summary *summary)
{
    const struct texts *const notes = &experiment->setup->notes;
    char hash[33], host[256] = "", now[32] = "";
    const time_t seconds = time(NULL);
    struct tm utc;

    config_hash(experiment, hash);
    gethostname(host, sizeof host - 1);
    if (gmtime_r(&seconds, &utc))
        strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_add(root, "experiment=%s task=%s seed=%llu data_seed=%llu repetitions=%lu", experiment->name,
             experiment->task->name, (unsigned long long)experiment->seed, (unsigned long long)experiment->data_seed,
             (unsigned long)experiment->repetitions);
    if (experiment->until_decided)
        json_add(root, "until_decided=%d", true);
    if (notes->count > 0)
        cJSON_AddItemToObject(root, "notes",
                              cJSON_CreateStringArray((const char *const *)notes->text, (int)notes->count));
    char *const protection = protection_differences(experiment);
    if (protection)
        json_add(root, "protection=%s", protection);
    free(protection);
    char *const file = xstrdup(experiment->file);
    text_clean(file);
    json_add(root, "config_file=%s config_hash=%s config=%s version=%s", file, hash, experiment->config_text,
             LDPBENCH_VERSION);
    free(file);
    json_add(root, "algorithm_version=%lu commit=%s build=%s compiler=%s host=%s", (unsigned long)LDP_ALGORITHM_VERSION,
             LDPBENCH_COMMIT, LDPBENCH_BUILD, LDPBENCH_COMPILER, host);
    json_add(root, "threads=%lu repetitions_run=%zu repetitions_kept=%zu", (unsigned long)summary->threads,
             (size_t)summary->repetitions_run, (size_t)summary->repetitions_kept);
    if (experiment->compress)
        json_add(root, "compress=%d", true);
    if (experiment->spreadsheet)
        json_add(root, "spreadsheet=%d", true);
    json_add(root, "seconds=%g ranks=%lu idle=%g idle_most=%g time=%s", summary->seconds, (unsigned long)rank_count(),
             summary->idle, summary->idle_most, now);
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
static void keep_or_remove(const struct provenance *before, const struct experiment *experiment, const char *folder,
                           cJSON *files)
{
    const bool same = same_tables(before, files);

    for (size_t i = 0; i < provenance_files(before); i++) {
        const struct made_file file = provenance_file(before, i);

        if (file.kind == MADE_TABLE && has_table(experiment, file.name))
            continue;
        if (file.kind == MADE_TABLE || !same)
            provenance_remove(folder, &file);
        else if (provenance_is_as_made(folder, &file))
            provenance_keep_file(files, &file);
    }
}

static int list_files(const struct experiment *experiment, const char *folder, const bool *kept, cJSON *files,
                      struct failure *failure)
{
    const struct task_tables *const tables = &experiment->setup->tables;
    struct provenance *before = NULL;
    struct failure ignored = NO_REASON;
    int result = 0;

    if (provenance_load(folder, &before, &ignored) != 0)
        before = NULL;
    for (size_t i = 0; result == 0 && i < tables->count; i++) {
        char *const name = xformat("%s%s", tables->table[i].table.file, experiment->compress ? ".gz" : "");

        if (!kept[i])
            result = provenance_list_file(files, folder, MADE_TABLE, name, failure);
        else
            provenance_keep_file(files, &(struct made_file){name, MADE_TABLE, provenance_fingerprint(before, name)});
        free(name);
    }
    if (result == 0 && before)
        keep_or_remove(before, experiment, folder, files);
    provenance_free(before);
    return result;
}

int provenance_write(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                     const char *folder, const bool *kept, struct failure *failure)
{
    cJSON *const root = cJSON_CreateObject(), *list;
    size_t count;
    struct store_share *const share = store_shares(store, &count);

    describe_run(root, experiment, summary);
    list = cJSON_AddArrayToObject(root, "builds");
    for (size_t i = 0; i < count; i++)
        json_add(json_append(list), "build=%s share=%g", share[i].build, share[i].share);
    data_to_json(experiment->setup, root);
    int result = list_files(experiment, folder, kept, cJSON_AddArrayToObject(root, "files"), failure);
    if (result == 0)
        result = provenance_save(root, folder, failure);
    free(share);
    cJSON_Delete(root);
    return result;
}

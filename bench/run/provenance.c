/* provenance.c - see provenance.h. This file is over 500 lines: it is the only reader and writer of run.json. */
#include "run/provenance.h"

#include "run/declare.h"
#include "run/mpi.h"
#include "support/files.h"
#include "support/input.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "support/tree.h"
#include "tasks/task.h"
#include "version.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct provenance {
    char *folder;
    cJSON *root;
};

static const char *const kind_names[MADE_KINDS] = {[MADE_TABLE] = "table", [MADE_PICTURE] = "picture"};

/* ---- reading ---- */

/* The same as JSON, to be deleted by cJSON_Delete; NULL with a failure. */
static cJSON *read_file(const char *folder, struct failure *failure)
{
    char *const path = xformat("%s/run.json", folder), *text = NULL;
    cJSON *root = NULL;
    size_t size;

    if (access(path, F_OK) != 0)
        fail(failure, EXIT_BAD_INPUT,
             access(folder, F_OK) == 0 ? "%s: expected a result folder, found no run.json in it"
                                       : "%s: no such folder; run the config first: ldpbench run CONFIG",
             SHOWN_PATH(folder));
    else if (input_read_regular(path, INPUT_MAX_MIB, &text, &size, failure) == 0 &&
             !cJSON_IsObject(root = cJSON_Parse(text)))
        fail(failure, EXIT_BAD_INPUT, "%s: expected what `ldpbench run` writes, got something else", path);
    free(text);
    free(path);
    if (cJSON_IsObject(root))
        return root;
    cJSON_Delete(root);
    return NULL;
}

int provenance_load(const char *folder, struct provenance **out, struct failure *failure)
{
    cJSON *const root = read_file(folder, failure);

    *out = NULL;
    if (!root)
        return -1;
    *out = xcalloc(1, sizeof **out);
    **out = (struct provenance){.folder = xstrdup(folder), .root = root};
    return 0;
}

void provenance_free(struct provenance *provenance)
{
    if (!provenance)
        return;
    cJSON_Delete(provenance->root);
    free(provenance->folder);
    free(provenance);
}

const struct cJSON *provenance_json(const struct provenance *provenance)
{
    return provenance->root;
}

const char *provenance_text(const struct provenance *provenance, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(provenance->root, name));
}

bool provenance_whole(const struct provenance *provenance, const char *name, uint64_t *value)
{
    const cJSON *const item = provenance ? cJSON_GetObjectItemCaseSensitive(provenance->root, name) : NULL;
    const double number = item && cJSON_IsNumber(item) ? item->valuedouble : -1;

    if (!(number >= 0 && number <= WHOLE_MAX && number == floor(number)))
        return false;
    *value = (uint64_t)number;
    return true;
}

static const cJSON *item(const struct provenance *provenance, const char *list, size_t index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(provenance->root, list), (int)index);
}

static size_t count(const struct provenance *provenance, const char *list)
{
    return (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(provenance->root, list));
}

static const char *text_of(const cJSON *object, const char *name)
{
    const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

    return text ? text : "";
}

size_t provenance_builds(const struct provenance *provenance)
{
    return count(provenance, "builds");
}

struct build_share provenance_build(const struct provenance *provenance, size_t index)
{
    const cJSON *const object = item(provenance, "builds", index);
    const cJSON *const share = cJSON_GetObjectItemCaseSensitive(object, "share");

    return (struct build_share){text_of(object, "build"), cJSON_IsNumber(share) ? share->valuedouble : 0};
}

/* ---- files of the folder ---- */

/* A name that leads out of the folder is never one of the program's files. */
static bool is_plain_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/') && strcmp(name, "run.json") != 0 &&
           strcmp(name, "store.sqlite") != 0;
}

size_t provenance_files(const struct provenance *provenance)
{
    return count(provenance, "files");
}

struct made_file provenance_file(const struct provenance *provenance, size_t index)
{
    const cJSON *const object = item(provenance, "files", index);
    struct made_file file = {text_of(object, "name"), MADE_TABLE, text_of(object, "fingerprint")};

    for (size_t kind = 0; kind < MADE_KINDS; kind++)
        if (strcmp(text_of(object, "kind"), kind_names[kind]) == 0)
            file.kind = (enum made_kind)kind;
    return file;
}

/* The entry of a file in a list; NULL: it is not listed. */
static const cJSON *find_file(const cJSON *files, const char *name)
{
    const cJSON *file;

    cJSON_ArrayForEach(file, files) if (strcmp(text_of(file, "name"), name) == 0) return file;
    return NULL;
}

static const cJSON *find_made(const struct provenance *provenance, const char *name)
{
    return provenance ? find_file(cJSON_GetObjectItemCaseSensitive(provenance->root, "files"), name) : NULL;
}

const char *provenance_fingerprint(const struct provenance *provenance, const char *name)
{
    return text_of(find_made(provenance, name), "fingerprint");
}

/* The fingerprint of a file's bytes. -1 with errno set. */
static int fingerprint_file(const char *folder, const char *name, char text[SHA256_TEXT])
{
    char *const path = xformat("%s/%s", folder, name);
    const int result = sha256_file(path, text);

    free(path);
    return result;
}

bool provenance_made(const struct provenance *provenance, const char *name)
{
    char now[SHA256_TEXT];

    return is_plain_name(name) && find_made(provenance, name) && fingerprint_file(provenance->folder, name, now) == 0 &&
           strcmp(now, provenance_fingerprint(provenance, name)) == 0;
}

/* Removes a file if it is unchanged. */
static void remove_made(const struct provenance *provenance, const char *name)
{
    char *const path = provenance_made(provenance, name) ? xformat("%s/%s", provenance->folder, name) : NULL;

    if (path)
        unlink(path);
    free(path);
}

/* cJSON prints 15 digits where 16 mean the same to it: seeds and users up to 2^53 are printed as text of their own. */
static void set_exact(cJSON *item, bool exact)
{
    char digits[NUMBER_TEXT];

    for (; item; item = item->next) {
        set_exact(item->child, exact);
        if (exact && cJSON_IsNumber(item) && item->valuedouble >= 1e15 && item->valuedouble <= WHOLE_MAX) {
            item->valuestring = xstrdup(format_number(item->valuedouble, digits));
            item->type = cJSON_Raw;
        } else if (!exact && cJSON_IsRaw(item)) {
            free(item->valuestring);
            item->valuestring = NULL;
            item->type = cJSON_Number;
        }
    }
}

/* Writes run.json. */
static int save(cJSON *root, const char *folder, struct failure *failure)
{
    set_exact(root, true);
    char *const text = cJSON_Print(root);

    set_exact(root, false);
    struct whole_file file;
    int result = -1;
    if (whole_file_open(&file, folder, "run.json", failure) == 0) {
        fputs(text, file.stream);
        putc('\n', file.stream);
        result = whole_file_close(&file, failure);
    }
    cJSON_free(text);
    return result;
}

/* Adds a file with a known fingerprint to a list. */
static void keep_file(cJSON *list, const struct made_file *file)
{
    json_add(json_append(list), "name=%s kind=%s fingerprint=%s", file->name, kind_names[file->kind],
             file->fingerprint);
}

/* Adds a file of the folder to a list, with its present fingerprint. */
static int list_file(cJSON *list, const char *folder, enum made_kind kind, const char *name, struct failure *failure)
{
    char print[SHA256_TEXT];

    if (fingerprint_file(folder, name, print) != 0)
        return fail(failure, EXIT_MACHINE, "%s/%s: cannot be read back: %s", folder, name, strerror(errno));
    keep_file(list, &(struct made_file){name, kind, print});
    return 0;
}

static bool is_among(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

int provenance_set_files(const char *folder, enum made_kind kind, const char *const *name, size_t n,
                         struct failure *failure)
{
    struct provenance *provenance;

    if (provenance_load(folder, &provenance, failure) != 0)
        return -1;
    cJSON *const files = cJSON_CreateArray();
    int result = 0;
    for (size_t i = 0; i < provenance_files(provenance); i++) {
        const struct made_file file = provenance_file(provenance, i);

        if (is_among(file.name, name, n))
            continue;
        if (file.kind != kind)
            keep_file(files, &file);
        else
            remove_made(provenance, file.name);
    }
    for (size_t i = 0; result == 0 && i < n; i++)
        result = list_file(files, folder, kind, name[i], failure);
    cJSON_DeleteItemFromObjectCaseSensitive(provenance->root, "files");
    cJSON_AddItemToObject(provenance->root, "files", files);
    if (result == 0)
        result = save(provenance->root, folder, failure);
    provenance_free(provenance);
    return result;
}

/* ---- outputs that a user names ---- */

/* Whether a folder's run.json, store or listed files have that name. */
static bool owns(const char *folder, const char *name)
{
    static const char *const always[] = {"run.json", "store.sqlite", "store.sqlite-journal", "store.sqlite-wal",
                                         "store.sqlite-shm"};
    struct provenance *provenance;
    struct failure ignored = NO_REASON;

    if (is_among(name, always, sizeof always / sizeof *always))
        return true;
    if (provenance_load(folder, &provenance, &ignored) != 0)
        return false;
    const bool listed = find_made(provenance, name) != NULL;
    provenance_free(provenance);
    return listed;
}

int output_check(const char *path, struct failure *failure)
{
    char *const real = real_path(path);
    char *const slash = real ? strrchr(real, '/') : NULL;
    int result = 0;

    if (slash) {
        *slash = '\0';
        if (owns(slash == real ? "/" : real, slash + 1))
            result = fail(failure, EXIT_BAD_INPUT,
                          "%s: expected a file for output, got one that belongs to the result folder %s",
                          SHOWN_PATH(path), SHOWN_PATH(real));
    }
    free(real);
    return result;
}

int output_open(struct whole_file *file, const char *path, struct failure *failure)
{
    return output_check(path, failure) == 0 ? whole_file_open_path(file, path, failure) : -1;
}

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

/* The first table of any task that a folder has. Malloc'd; NULL: none. */
static char *find_table(const char *folder)
{
    struct task_tables all = {0};
    char *found = NULL;

    for (size_t i = 0; tasks[i]; i++)
        tasks[i]->tables(NULL, &all);
    for (size_t i = 0; !found && i < all.count; i++)
        if (folder_has(folder, all.table[i].table.file))
            found = xstrdup(all.table[i].table.file);
    tables_clear(&all);
    return found;
}

int provenance_check(const struct experiment *experiment, const char *folder, struct failure *failure)
{
    if (folder_has(folder, "store.sqlite") || names_config(experiment, folder))
        return 0;
    char *const found = folder_has(folder, "run.json") ? xstrdup("run.json") : find_table(folder);
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
    if (experiment->spreadsheet)
        json_add(root, "spreadsheet=%d", true);
    json_add(root, "seconds=%g ranks=%lu idle=%g idle_most=%g time=%s", summary->seconds, (unsigned long)rank_count(),
             summary->idle, summary->idle_most, now);
}

/* Whether a file is a table of the experiment, as it writes them. */
static bool has_table(const struct experiment *experiment, const char *name)
{
    const struct task_tables *const tables = &experiment->setup->tables;

    for (size_t i = 0; i < tables->count; i++)
        if (strcmp(tables->table[i].table.file, name) == 0)
            return true;
    return false;
}

/* Whether the tables that are listed now are those that an earlier run left, byte for byte. */
static bool same_tables(const struct provenance *before, const cJSON *files)
{
    size_t same = 0;

    for (size_t i = 0; i < provenance_files(before); i++) {
        const struct made_file file = provenance_file(before, i);

        if (file.kind != MADE_TABLE)
            continue;
        if (strcmp(text_of(find_file(files, file.name), "fingerprint"), file.fingerprint) != 0)
            return false;
        same++;
    }
    return same == (size_t)cJSON_GetArraySize(files);
}

/* Removes files that the program wrote earlier; pictures of unchanged tables stay. */
static void keep_or_remove(const struct provenance *before, const struct experiment *experiment, cJSON *files)
{
    const bool same = same_tables(before, files);

    for (size_t i = 0; i < provenance_files(before); i++) {
        const struct made_file file = provenance_file(before, i);

        if (file.kind == MADE_TABLE && has_table(experiment, file.name))
            continue;
        if (file.kind == MADE_TABLE || !same)
            remove_made(before, file.name);
        else if (provenance_made(before, file.name))
            keep_file(files, &file);
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
        const char *const name = tables->table[i].table.file;

        if (!kept[i])
            result = list_file(files, folder, MADE_TABLE, name, failure);
        else
            keep_file(files, &(struct made_file){name, MADE_TABLE, provenance_fingerprint(before, name)});
    }
    if (result == 0 && before)
        keep_or_remove(before, experiment, files);
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
        result = save(root, folder, failure);
    free(share);
    cJSON_Delete(root);
    return result;
}

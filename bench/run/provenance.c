/* provenance.c - see provenance.h. */
#include "run/provenance_private.h"

#include "support/files.h"
#include "support/input.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/sha256.h"
#include "support/text.h"
#include "support/tree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct provenance {
    char *folder;
    cJSON *root;
};

static const char *const kind_names[MADE_KINDS] = {
    [MADE_TABLE] = "table", [MADE_PICTURE] = "picture", [MADE_REPORT] = "report"};

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

const char *provenance_fingerprint(const struct provenance *provenance, const char *name)
{
    const size_t length = strlen(name);

    for (size_t i = 0; provenance && i < provenance_files(provenance); i++) {
        const struct made_file file = provenance_file(provenance, i);

        if (strncmp(file.name, name, length) == 0 &&
            (strcmp(file.name + length, "") == 0 || strcmp(file.name + length, ".gz") == 0))
            return file.fingerprint;
    }
    return "";
}

/* The fingerprint of a file's bytes. -1 with errno set. */
static int fingerprint_file(const char *folder, const char *name, char text[SHA256_TEXT])
{
    char *const path = xformat("%s/%s", folder, name);
    const int result = sha256_file(path, text);

    free(path);
    return result;
}

bool provenance_is_as_made(const char *folder, const struct made_file *file)
{
    char now[SHA256_TEXT];

    return is_plain_name(file->name) && fingerprint_file(folder, file->name, now) == 0 &&
           strcmp(now, file->fingerprint) == 0;
}

bool provenance_made(const struct provenance *provenance, const char *name)
{
    for (size_t i = 0; i < provenance_files(provenance); i++) {
        const struct made_file file = provenance_file(provenance, i);

        if (strcmp(file.name, name) == 0)
            return provenance_is_as_made(provenance->folder, &file);
    }
    return false;
}

void provenance_remove(const char *folder, const struct made_file *file)
{
    char *const path = provenance_is_as_made(folder, file) ? xformat("%s/%s", folder, file->name) : NULL;

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

int provenance_save(cJSON *root, const char *folder, struct failure *failure)
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

void provenance_keep_file(cJSON *list, const struct made_file *file)
{
    json_add(json_append(list), "name=%s kind=%s fingerprint=%s", file->name, kind_names[file->kind],
             file->fingerprint);
}

int provenance_list_file(cJSON *list, const char *folder, enum made_kind kind, const char *name,
                         struct failure *failure)
{
    char print[SHA256_TEXT];

    if (fingerprint_file(folder, name, print) != 0)
        return fail(failure, EXIT_MACHINE, "%s/%s: cannot be read back: %s", folder, name, strerror(errno));
    provenance_keep_file(list, &(struct made_file){name, kind, print});
    return 0;
}

static bool is_among(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

/* The list of files with those of a kind replaced; the others of the kind are removed unless `keep`. */
static cJSON *replaced_files(const struct provenance *provenance, enum made_kind kind, const char *const *name,
                             size_t n, bool keep, struct failure *failure)
{
    cJSON *const files = cJSON_CreateArray();
    bool failed = false;

    for (size_t i = 0; i < provenance_files(provenance); i++) {
        const struct made_file file = provenance_file(provenance, i);

        if (is_among(file.name, name, n))
            continue;
        if (keep || file.kind != kind)
            provenance_keep_file(files, &file);
        else
            provenance_remove(provenance->folder, &file);
    }
    for (size_t i = 0; !failed && i < n; i++)
        failed = provenance_list_file(files, provenance->folder, kind, name[i], failure) != 0;
    if (failed) {
        cJSON_Delete(files);
        return NULL;
    }
    return files;
}

static int replace_files(const char *folder, enum made_kind kind, const char *const *name, size_t n, bool keep,
                         struct failure *failure)
{
    struct provenance *provenance;

    if (provenance_load(folder, &provenance, failure) != 0)
        return -1;
    cJSON *const files = replaced_files(provenance, kind, name, n, keep, failure);
    int result = -1;
    if (files) {
        cJSON_DeleteItemFromObjectCaseSensitive(provenance->root, "files");
        cJSON_AddItemToObject(provenance->root, "files", files);
        result = provenance_save(provenance->root, folder, failure);
    }
    provenance_free(provenance);
    return result;
}

int provenance_set_files(const char *folder, enum made_kind kind, const char *const *name, size_t n,
                         struct failure *failure)
{
    return replace_files(folder, kind, name, n, false, failure);
}

int provenance_add_file(const char *folder, enum made_kind kind, const char *name, struct failure *failure)
{
    return replace_files(folder, kind, &name, 1, true, failure);
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
    bool listed = false;
    for (size_t i = 0; i < provenance_files(provenance) && !listed; i++)
        listed = strcmp(provenance_file(provenance, i).name, name) == 0;
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

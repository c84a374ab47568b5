/* measured.c - see measured.h. */
#include "results/measured.h"

#include "results/csv.h"
#include "run/stored.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *measured_store_path(const char *path)
{
    char *store = is_folder(path)                   ? text_format("%s/store.sqlite", path)
                  : text_ends_with(path, ".sqlite") ? strdup(path)
                                                    : NULL;

    if (store && access(store, R_OK) == 0)
        return store;
    free(store);
    return NULL;
}

char *measured_table_path(const char *path)
{
    if (is_folder(path))
        return text_format("%s/mse.csv", path);
    return text_ends_with(path, ".sqlite") ? NULL : strdup(path);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct measured_row *)a)->key, ((const struct measured_row *)b)->key);
}

/* Takes over the key. */
static int add_row(struct measured *measured, char *key, struct sample sample, struct failure *failure)
{
    struct measured_row *more = NULL;

    if (key && (measured->count & (measured->count - 1)) == 0)
        more = realloc(measured->row, (2 * measured->count + 1) * sizeof *more);
    else if (key)
        more = measured->row;
    if (!more) {
        free(key);
        return fail_memory(failure);
    }
    measured->row = more;
    measured->row[measured->count++] = (struct measured_row){key, sample};
    return 0;
}

/* ---- run.json ---- */

static void read_origin(struct measured *measured)
{
    char *path = text_format("%s/run.json", measured->path), *text = NULL;
    FILE *in = path ? fopen(path, "rb") : NULL;
    size_t room = 0;
    cJSON *root = NULL;

    if (in && getdelim(&text, &room, '\0', in) > 0 && (root = cJSON_Parse(text)) != NULL) {
        const char *config = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "config"));
        const cJSON *seed = cJSON_GetObjectItemCaseSensitive(root, "seed");
        const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "algorithm_version");

        if (config && cJSON_IsNumber(seed) && cJSON_IsNumber(version)) {
            measured->config = strdup(config);
            measured->seed = (uint64_t)seed->valuedouble;
            measured->version = (long)version->valuedouble;
            measured->has_origin = true;
        }
    }
    cJSON_Delete(root);
    free(text);
    if (in)
        fclose(in);
    free(path);
}

/* ---- tables ---- */

static const char *const key_columns[] = {"dataset", "d", "n", "oracle", "epsilon", "method", "query", "parameter"};
enum { KEYS = sizeof key_columns / sizeof *key_columns };

static char *table_key(const struct csv *csv, size_t row, const size_t *column)
{
    char *key = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&key, &size);

    if (!out)
        return NULL;
    for (size_t i = 0; i < KEYS; i++) {
        if (i > 0)
            putc(',', out);
        csv_text(out, csv_field(csv, row, column[i]));
    }
    if (fclose(out) != 0) {
        free(key);
        return NULL;
    }
    return key;
}

static int load_table(const char *path, struct measured *measured, struct failure *failure)
{
    struct csv csv;
    size_t column[KEYS], mse, sd, repetitions;
    int result = -1;

    if (csv_load(path, &csv, failure) != 0)
        return -1;
    mse = csv_column(&csv, "mse");
    sd = csv_column(&csv, "sd");
    repetitions = csv_column(&csv, "repetitions");
    for (size_t i = 0; i < KEYS; i++) {
        column[i] = csv_column(&csv, key_columns[i]);
        if (column[i] == SIZE_MAX) {
            fail(failure, EXIT_BAD_INPUT, "%s:1: expected a column \"%s\", got none", path, key_columns[i]);
            goto out;
        }
    }
    if (mse == SIZE_MAX || sd == SIZE_MAX || repetitions == SIZE_MAX) {
        fail(failure, EXIT_BAD_INPUT, "%s:1: expected columns mse, sd and repetitions", path);
        goto out;
    }
    for (size_t row = 0; row < csv.nrows; row++) {
        struct sample sample = {0};
        double n;

        if (csv_real(&csv, path, row, mse, &sample.mean, failure) != 0 ||
            csv_real(&csv, path, row, sd, &sample.sd, failure) != 0 ||
            csv_real(&csv, path, row, repetitions, &n, failure) != 0)
            goto out;
        if (!(n >= 0 && n <= 1e9) || n != floor(n) || isinf(sample.mean) || sample.mean < 0 || sample.sd < 0) {
            fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected an error >= 0, its deviation >= 0 and whole repetitions",
                 path, row + 2);
            goto out;
        }
        sample.n = (size_t)n;
        if (add_row(measured, table_key(&csv, row, column), sample, failure) != 0)
            goto out;
    }
    result = 0;
out:
    csv_clear(&csv);
    return result;
}

/* ---- stores ---- */

/* A store's cell key begins with `version=V|seed=S|`; what follows is the cell. NULL if it does not, or if cells differ
 * in their origin. */
static const char *cell_of(struct measured *measured, const char *key)
{
    unsigned long long seed;
    long version;
    int length = 0;

    if (sscanf(key, "version=%ld|seed=%llu|%n", &version, &seed, &length) != 2 || length == 0)
        return NULL;
    if (measured->has_origin && (measured->seed != seed || measured->version != version))
        return NULL;
    measured->seed = seed;
    measured->version = version;
    measured->has_origin = true;
    return key + length;
}

static bool is_error(const struct stored *stored, size_t cell, size_t series)
{
    return strcmp(stored_series(stored, cell, series).measure, "mse") == 0;
}

/* One series, its values at the end of measured->values, where there is room. */
static int load_series(struct stored *stored, size_t cell, size_t series, const char *name, struct measured *measured,
                       struct failure *failure)
{
    const struct series text = stored_series(stored, cell, series);
    const size_t repetitions = stored_repetitions(stored, cell);
    double *value = measured->values + measured->nvalues;

    if (stored_values(stored, cell, series, value, failure) != 0)
        return -1;
    measured->nvalues += repetitions;
    return add_row(measured, text_format("%s %s|%s|%s|%s", name, text.method, text.query, text.point, text.measure),
                   sample_of(value, repetitions), failure);
}

static int load_cells(struct stored *stored, struct measured *measured, struct failure *failure)
{
    size_t room = 0;

    for (size_t cell = 0; cell < stored_cells(stored); cell++)
        for (size_t i = 0; i < stored_series_count(stored, cell); i++)
            room += is_error(stored, cell, i) ? stored_repetitions(stored, cell) : 0;
    measured->values = malloc((room + 1) * sizeof *measured->values);
    if (!measured->values)
        return fail_memory(failure);
    for (size_t cell = 0; cell < stored_cells(stored); cell++) {
        const char *name = cell_of(measured, stored_cell_key(stored, cell));

        if (!name)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected cells of one seed and version, got %.80s",
                        measured->path, stored_cell_key(stored, cell));
        for (size_t i = 0; i < stored_series_count(stored, cell); i++)
            if (is_error(stored, cell, i) && load_series(stored, cell, i, name, measured, failure) != 0)
                return -1;
    }
    return 0;
}

static int load_store(const char *path, struct measured *measured, struct failure *failure)
{
    struct stored *stored;
    int result;

    if (stored_open(path, &stored, failure) != 0)
        return -1;
    result = load_cells(stored, measured, failure);
    stored_close(stored);
    measured->from_store = true;
    return result;
}

int measured_load(const char *path, bool want_table, struct measured *measured, struct failure *failure)
{
    char *store = want_table ? NULL : measured_store_path(path), *table = store ? NULL : measured_table_path(path);
    int result;

    memset(measured, 0, sizeof *measured);
    measured->path = path;
    if (is_folder(path))
        read_origin(measured);
    if (store)
        result = load_store(store, measured, failure);
    else if (table)
        result = load_table(table, measured, failure);
    else
        result = fail(failure, EXIT_BAD_INPUT,
                      "%s: expected a table, or a folder that has one, beside the other side's "
                      "table, got a store",
                      path);
    free(store);
    free(table);
    if (result == 0 && measured->count == 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected measured errors, got none", path);
    if (result != 0) {
        measured_clear(measured);
        return -1;
    }
    qsort(measured->row, measured->count, sizeof *measured->row, by_key);
    for (size_t i = 1; i < measured->count; i++)
        if (strcmp(measured->row[i - 1].key, measured->row[i].key) == 0) {
            fail(failure, EXIT_BAD_INPUT, "%s: expected each row once, got twice %.200s", path, measured->row[i].key);
            measured_clear(measured);
            return -1;
        }
    return 0;
}

void measured_clear(struct measured *measured)
{
    for (size_t i = 0; i < measured->count; i++)
        free(measured->row[i].key);
    free(measured->row);
    free(measured->values);
    free(measured->config);
    memset(measured, 0, sizeof *measured);
}

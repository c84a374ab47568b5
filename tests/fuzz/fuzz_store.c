/* fuzz_store.c - a good store in which bytes are replaced: of every three bytes of input two are a place in the file
 * and one is what is put there. Opening refuses it, or says that something is missing, or what it reads is what was
 * there. */
#include "file.h"

#include "run/store.h"
#include "tasks/task.h"

#include <string.h>

static const char config[] =
    "{\"name\": \"t\", \"repetitions\": 60, \"epsilon\": [1, 2], \"oracles\": [\"grr\", \"olh\"],"
    " \"datasets\": [{\"type\": \"zipf\", \"d\": 4, \"n\": 90, \"s\": 1}], \"methods\": [\"base\", \"mle\"],"
    " \"queries\": [\"full_domain\"], \"outputs\": [\"mse\", \"values\"]}";

static struct experiment *experiment;
static uint8_t *good;
static size_t good_size;

static double number(size_t cell, size_t series, uint32_t repetition)
{
    return 1 + (double)cell + 100 * (double)series + 10000 * (double)repetition;
}

static void fill(struct store *store, const struct unit *unit)
{
    const struct layout *const layout = experiment->task->layout(experiment->setup, unit->cell);
    double measured[64 * 16], sums[4 * 16] = {0};
    size_t n = 0;

    for (uint32_t r = 0; r < 64; r++)
        for (size_t i = 0; (unit->missing >> r & 1) && i < layout->nseries; i++)
            measured[n++] = number(unit->cell, i, unit->first + r);
    const uint32_t done = (uint32_t)__builtin_popcountll(unit->missing);
    if (n > 64 * 16 || layout->nsums * layout->sum_length > 4 * 16)
        abort();
    store_put(store, unit, measured, sums, done);
}

static void make_store(void)
{
    char path[100];

    fuzz_write(fuzz_path("c.json", path), (const uint8_t *)config, strlen(config));
    struct failure failure;
    struct store *store;
    struct unit *unit;
    size_t count;
    if (experiment_read(path, NULL, &experiment, &failure) != 0 ||
        store_open(fuzz_folder(), experiment, NULL, &store, &failure) != 0 ||
        store_pending(store, 16, false, &unit, &count, &failure) != 0)
        abort();
    for (size_t i = 0; i < count; i++)
        fill(store, &unit[i]);
    if (store_commit(store, &failure) != 0 || store_complete(store, &failure) != 0)
        abort();
    free(unit);
    store_close(store);

    FILE *const file = fopen(fuzz_path("store.sqlite", path), "rb");
    good = malloc(1 << 20);
    good_size = file ? fread(good, 1, 1 << 20, file) : 0;
    if (good_size == 0 || good_size == 1 << 20)
        abort();
    fclose(file);
}

/* What a store holds of a cell is what was put there. */
static void check_cell(struct store *store, size_t cell)
{
    const struct layout *const layout = experiment->task->layout(experiment->setup, cell);
    struct failure failure;
    double value[64];

    if (!store_has(store, cell))
        return;
    for (size_t i = 0; i < layout->nseries; i++) {
        if (store_series(store, cell, i, value, &failure) != 0)
            continue; /* refused */
        for (uint32_t r = 0; r < store_repetitions(store, cell); r++)
            if (value[r] != number(cell, i, r))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct failure failure = {.text = ""};
    struct store *store;
    char path[100];

    if (!good)
        make_store();
    uint8_t *const changed = malloc(good_size);
    memcpy(changed, good, good_size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        changed[(bytes[i] | (size_t)bytes[i + 1] << 8) % good_size] = bytes[i + 2];
    fuzz_write(fuzz_path("store.sqlite", path), changed, good_size);
    free(changed);
    remove(fuzz_path("store.sqlite-wal", path));
    remove(fuzz_path("store.sqlite-shm", path));
    remove(fuzz_path("store.sqlite-journal", path));
    if (store_open(fuzz_folder(), experiment, NULL, &store, &failure) != 0) {
        if (failure.text[0] == '\0')
            abort();
        return 0;
    }
    struct unit *unit = NULL;
    size_t count;
    if (store_pending(store, 16, false, &unit, &count, &failure) == 0)
        for (size_t cell = 0; cell < experiment->setup->ncells; cell++)
            check_cell(store, cell);
    free(unit);
    store_close(store);
    return 0;
}

/* test_store.c - the result store under two processes at once, here two handles in one. */
#include "program.h"
#include "run/store.h"
#include "run/store_file.h"
#include "tasks/task.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 30, LARGE = 50, D = 4 };

static const char config[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": 30, \"outputs\": [\"values\"],\n"
                             " \"datasets\": [{\"type\": \"zipf\", \"d\": 4, \"n\": 100, \"s\": 1}],\n"
                             " \"oracles\": [\"grr\"], \"epsilon\": 1, \"methods\": [\"base\"],\n"
                             " \"queries\": [{\"type\": \"full_domain\"}]}\n";

struct handle {
    struct experiment *experiment;
    struct store *store;
};

static struct handle open_handle(const char *folder, uint32_t repetitions, bool fresh)
{
    const struct overrides overrides = {.has_repetitions = true, .repetitions = repetitions};
    const struct store_options options = {.fresh = fresh};
    char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/c.json", folder);
    struct failure failure;
    struct handle handle;
    cr_assert_eq(experiment_read(path, &overrides, &handle.experiment, &failure), 0, "%s", failure.text);
    cr_assert_eq(store_open(folder, handle.experiment, &options, &handle.store, &failure), 0, "%s", failure.text);
    return handle;
}

static void close_handle(struct handle *handle)
{
    store_close(handle->store);
    experiment_free(handle->experiment);
}

static struct unit first_unit(const struct handle *handle)
{
    struct failure failure;
    struct unit *units;
    size_t count;

    cr_assert_eq(store_pending(handle->store, 16, false, &units, &count, &failure), 0);
    cr_assert_eq(count, 1);
    const struct unit unit = units[0];
    free(units);
    return unit;
}

/* Puts all that a unit misses: every number is 1 a repetition. */
static void finish_unit(const struct handle *handle, const struct unit *unit, uint32_t done)
{
    double measured[4 * LARGE];

    for (size_t i = 0; i < 4 * LARGE; i++)
        measured[i] = 1;
    double sums[2 * (1 + 2 * D)]; /* of two methods, at most */
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        sums[i] = done;
    cr_assert_leq(handle->experiment->task->layout(handle->experiment->setup, 0)->nseries, 4);
    struct failure failure;
    store_put(handle->store, unit, measured, sums, done);
    cr_assert_eq(store_commit(handle->store, &failure), 0, "%s", failure.text);
}

/* Sums over 50 repetitions must not be taken for sums over 30. */
FolderTest(store, sums_that_another_process_took_further)
{
    write_text(folder, "c.json", config);
    struct handle small = open_handle(folder, SMALL, false);
    struct unit unit = first_unit(&small);
    finish_unit(&small, &unit, SMALL);
    struct failure failure;
    double vector[1 + 2 * D];
    cr_assert_eq(store_sums(small.store, 0, 0, 0, vector, &failure), 0);
    cr_assert_eq(vector[0], SMALL);
    struct handle large = open_handle(folder, LARGE, false);
    unit = first_unit(&large);
    finish_unit(&large, &unit, LARGE);
    cr_assert_eq(store_sums(large.store, 0, 0, 0, vector, &failure), 0);
    cr_assert_eq(vector[0], LARGE);
    cr_assert_neq(store_sums(small.store, 0, 0, 0, vector, &failure), 0);
    cr_assert(strstr(failure.text, "another process"), "%s", failure.text);
    close_handle(&small);
    close_handle(&large);
}

/* A block of more methods takes the place of one within it, which another process may have read before. */
FolderTest(store, blocks_that_another_process_replaced)
{
    char more[sizeof config + 20];
    const char *const methods = strstr(config, "\"base\"") + strlen("\"base\"");

    write_text(folder, "c.json", config);
    struct handle small = open_handle(folder, SMALL, false);
    struct unit unit = first_unit(&small);
    finish_unit(&small, &unit, SMALL);
    snprintf(more, sizeof more, "%.*s, \"norm\"%s", (int)(methods - config), config, methods);
    write_text(folder, "c.json", more);
    struct handle large = open_handle(folder, LARGE, false);
    unit = first_unit(&large);
    finish_unit(&large, &unit, LARGE);
    double value[LARGE];
    struct failure failure;
    cr_assert_eq(store_series(small.store, 0, 1, value, &failure), 0, "%s", failure.text);
    cr_expect_eq(value[SMALL - 1], 1);
    cr_assert_eq(store_series(large.store, 0, 3, value, &failure), 0, "%s", failure.text);
    cr_expect_eq(value[LARGE - 1], 1);
    cr_expect(store_has(small.store, 0) && store_has(large.store, 0));
    close_handle(&small);
    close_handle(&large);
}

/* A unit that goes on from repetition 30 must not start from nothing. */
FolderTest(store, sums_that_another_process_emptied)
{
    write_text(folder, "c.json", config);
    struct handle small = open_handle(folder, SMALL, false);
    struct unit unit = first_unit(&small);
    finish_unit(&small, &unit, SMALL);
    struct handle large = open_handle(folder, LARGE, false);
    unit = first_unit(&large);
    struct failure failure;
    double sums[1 + 2 * D];
    uint32_t done;
    cr_assert_eq(store_load_sums(large.store, &unit, sums, &done, &failure), 0);
    cr_assert_eq(done, SMALL);
    struct handle fresh = open_handle(folder, LARGE, true);
    cr_assert_neq(store_load_sums(large.store, &unit, sums, &done, &failure), 0);
    cr_assert(strstr(failure.text, "another process"), "%s", failure.text);
    unit = first_unit(&fresh);
    cr_assert_eq(store_load_sums(fresh.store, &unit, sums, &done, &failure), 0);
    cr_assert_eq(done, 0);
    close_handle(&small);
    close_handle(&large);
    close_handle(&fresh);
}

static void change(const char *folder, const char *sql)
{
    char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/store.sqlite", folder);
    sqlite3 *db;
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* What a damaged file says must not be taken for a place in memory, nor for a result: it is not there. */
Test(store, blocks_that_cannot_be)
{
    enum { NAMES = 11 };
    static const char *const damages[] = {
        "UPDATE block SET first = -1000000",
        "UPDATE block SET first = 2.5",
        "UPDATE block SET repetitions = 4000000000",
        "UPDATE block SET repetitions = -1",
        "UPDATE block SET repetitions = repetitions - 1",
        "UPDATE block SET numbers = substr(numbers, 2)",
        "UPDATE block SET numbers = NULL",
        "UPDATE block SET cell = cell + 1",
        "UPDATE block SET layout = NULL",
        "UPDATE block SET build = 'x'",
        "UPDATE block SET checksum = checksum + 1",
        /* Names are known from the config, so blocks stay. */
        "UPDATE layout SET series = x'00'",
        "UPDATE layout SET sums = 1 - sums",
        "UPDATE cell SET key = key || '0'",
        "UPDATE build SET key = 'x'",
    };

    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const char *const folder = temporary_folder();

        write_text(folder, "c.json", config);
        struct handle handle = open_handle(folder, SMALL, false);
        struct unit unit = first_unit(&handle);
        finish_unit(&handle, &unit, SMALL);
        change(folder, damages[i]);
        struct failure failure = {.text = ""};
        double value[SMALL];
        /* A process that has the store open uses none of it, and one that opens it later computes everything again. */
        if (i < NAMES) {
            cr_expect_neq(store_series(handle.store, 0, 0, value, &failure), 0, "%s", damages[i]);
            double sums[1 + 2 * D];
            cr_expect_neq(store_sums(handle.store, 0, 0, 0, sums, &failure), 0, "%s", damages[i]);
            cr_expect(strstr(failure.text, "damaged"), "%s: %s", damages[i], failure.text);
            cr_expect_eq(failure.status, EXIT_BAD_INPUT, "%s", damages[i]);
        }
        struct handle again = open_handle(folder, SMALL, false);
        cr_expect_gt(store_notes(again.store)->damaged, 0, "%s", damages[i]);
        if (i < NAMES) {
            unit = first_unit(&again);
            cr_expect_eq(unit.missing, (UINT64_C(1) << SMALL) - 1, "%s", damages[i]);
            finish_unit(&again, &unit, SMALL);
        }
        cr_expect_eq(store_series(again.store, 0, 0, value, &failure), 0, "%s: %s", damages[i], failure.text);
        close_handle(&again);
        again = open_handle(folder, SMALL, false);
        cr_expect_eq(store_notes(again.store)->damaged, 0, "%s", damages[i]);
        close_handle(&again);
        close_handle(&handle);
    }
}

/* Grids have thousands of cells with hundreds of series each: neighbouring cells alike share a layout. */
FolderTest(store, one_layout_for_cells_alike)
{
    static const char wide[] =
        "{\"name\": \"t\", \"seed\": 7, \"repetitions\": 3, \"oracles\": [\"grr\", \"oue\"], \"epsilon\": [1, 2, 3],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 4, \"n\": [50, 60, 70], \"s\": 1},\n"
        " {\"type\": \"uniform\", \"d\": 8, \"n\": [50, 60]}], \"methods\": [\"base\", \"norm\"],\n"
        " \"queries\": [{\"type\": \"set_value\", \"percent\": [25, 50], \"sets\": 2}%s]%s}\n";
    static const char sets[] = ", {\"type\": \"fixed_sets\", \"file\": \"no such file\",\n"
                               " \"otherwise\": {\"sets\": 2, \"mean_size\": 2}}";
    static const struct {
        const char *query, *outputs;
        size_t nseries, layouts;
    } cases[] = {
        {"", "", 4, 1},
        {sets, "", 6, 2},                                   /* random sets depend on d */
        {"", ", \"outputs\": [\"mse\", \"values\"]", 6, 2}, /* so do sums */
    };

    char path[2 * PATH_ROOM];
    snprintf(path, sizeof path, "%s/c.json", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2 * sizeof wide];
        snprintf(text, sizeof text, wide, cases[i].query, cases[i].outputs);
        write_text(folder, "c.json", text);
        struct experiment *experiment;
        struct failure failure;
        cr_assert_eq(experiment_read(path, NULL, &experiment, &failure), 0, "%s", failure.text);
        cr_assert_eq(experiment->setup->ncells, 30);
        const struct layout *last = NULL;
        size_t layouts = 0;
        for (size_t cell = 0; cell < 30; cell++) {
            const struct layout *const layout = experiment->task->layout(experiment->setup, cell);
            cr_assert_not_null(layout);
            layouts += layout != last;
            last = layout;
            cr_assert_eq(layout->nseries, cases[i].nseries);
            cr_assert_str_eq(layout->series[0].method, "base");
            cr_assert_str_eq(layout->series[0].query, "set_value(sets=2)");
            cr_assert_str_eq(layout->series[0].point, "25");
            cr_assert_str_eq(layout->series[0].measure, "mse");
            cr_assert_str_eq(layout->series[3].method, "norm");
            cr_assert_str_eq(layout->series[3].point, "50");
        }
        cr_expect_eq(layouts, cases[i].layouts, "%zu", layouts);
        experiment_free(experiment);
    }
}

static int64_t only_id(struct store_file *file, const char *sql)
{
    struct failure failure;
    sqlite3_stmt *statement;

    cr_assert_eq(store_file_prepare(file, sql, &statement, &failure), 0, "%s", failure.text);
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    const int64_t id = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return id;
}

/* Adds a block of a cell with that key to a store that has one layout and one build. */
static void add_block(const char *folder, const char *cell)
{
    char path[3 * PATH_ROOM];
    struct block_key key = {.cell = text_id(cell), .count = 1};

    snprintf(path, sizeof path, "%s/store.sqlite", folder);
    struct store_file file;
    struct failure failure;
    cr_assert_eq(store_file_open(path, STORE_WRITE, &file, &failure), 0, "%s", failure.text);
    key.layout = only_id(&file, "SELECT id FROM layout WHERE sums = 0");
    key.build = only_id(&file, "SELECT id FROM build");
    cr_assert_eq(store_file_add_cell(&file, key.cell, cell, &failure), 0);
    int64_t id;
    cr_assert_eq(store_file_put(&file, &key, (double[]){1, 2}, 2, &id, &failure), 0);
    cr_assert_eq(store_file_sql(&file, "COMMIT", &failure), 0);
    store_file_close(&file);
}

/* Results of another release are refused, and computed again with --fresh. */
FolderTest(store, of_another_version)
{
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o out --quiet");
    char out[2 * PATH_ROOM];
    snprintf(out, sizeof out, "%s/out", folder);
    change(out, "DELETE FROM block");
    add_block(out, "version=99|seed=7|x");
    expect_said(2, "out: holds results of algorithm version 99, this program's is ",
                "cd %s && ldpbench run c.json -o out --quiet", folder);
    run_in(folder, "ldpbench run c.json -o out --quiet --fresh && ldpbench run c.json -o out --quiet");
}

/* So are those of another format, and files that are something else. */
Test(store, of_another_format)
{
    static const struct {
        const char *sql, *message;
    } files[] = {
        {"CREATE TABLE other(x)", "out/store.sqlite: expected a result store, got something else"},
        {"PRAGMA application_id = 1818521698; PRAGMA user_version = 99; CREATE TABLE block(x)",
         "out/store.sqlite: holds results in the format of another release"},
        {"PRAGMA application_id = 1818521698; PRAGMA user_version = 3; CREATE TABLE block(x)",
         "out/store.sqlite: a damaged store"},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *const folder = temporary_folder();

        write_text(folder, "c.json", config);
        run_well("mkdir %s/out", folder);
        char out[2 * PATH_ROOM];
        snprintf(out, sizeof out, "%s/out", folder);
        change(out, files[i].sql);
        struct outcome outcome = shell_in(folder, "cp out/store.sqlite before && ldpbench run c.json -o out");
        cr_expect_eq(outcome.status, 2, "%d: %s", outcome.status, outcome.err);
        cr_expect(strstr(outcome.err, files[i].message), "%s", outcome.err);
        cr_expect_eq(strchr(outcome.err, '\n'), outcome.err + strlen(outcome.err) - 1, "one line: %s", outcome.err);
        outcome_free(&outcome);
        run_in(folder, "cmp out/store.sqlite before && ldpbench run c.json -o out --quiet --fresh && "
                       "ldpbench run c.json -o out 2>&1 | grep -q ' 30 reused'");
    }
}

/* A disk that has room for bytes but for no more files: the machine's fault. */
FolderTest(store, on_a_disk_without_room_for_a_file)
{
    if (system("unshare -rm mount -t tmpfs t /mnt >/dev/null 2>&1") != 0) /* NOLINT: a fixed command */
        skip_test("no file system of one's own can be mounted here");
    write_text(folder, "c.json", config);
    struct outcome outcome = shell_in(folder, "mkdir m && unshare -rm sh -c 'mount -t tmpfs -o nr_inodes=2 t m && "
                                              "mkdir m/out && \"$LDPBENCH\" run c.json -o m/out'");
    cr_expect_eq(outcome.status, 3, "%d", outcome.status);
    cr_expect_str_eq(outcome.err, "ldpbench: m/out/store.sqlite: cannot be opened: No space left on device\n");
    outcome_free(&outcome);
}

/* A file system of SQLite that puts a link in the store's place once SQLite opens it, after our checks. */
static char swapped_from[3 * PATH_ROOM], swapped_to[3 * PATH_ROOM];
static sqlite3_vfs *swap_below;

static int swap_and_name(sqlite3_vfs *vfs, const char *name, int size, char *full)
{
    if (*swapped_from)
        cr_assert_eq(rename(swapped_from, swapped_to), 0);
    *swapped_from = '\0';
    return swap_below->xFullPathname(swap_below, name, size, full);
}

static void put_link(const char *folder, sqlite3_vfs *swap)
{
    snprintf(swapped_from, sizeof swapped_from, "%s/link", folder);
    snprintf(swapped_to, sizeof swapped_to, "%s/r/store.sqlite", folder);
    run_in(folder, "ln -s ../victim.sqlite link");
    swap_below = sqlite3_vfs_find(NULL);
    *swap = *swap_below;
    swap->xFullPathname = swap_and_name;
    swap->zName = "swap";
    cr_assert_eq(sqlite3_vfs_register(swap, 1), SQLITE_OK);
}

/* An entry that is a file when it is checked and a link when it is opened is not followed; a linked folder is. */
FolderTest(store, a_link_between_check_and_open)
{
    char path[2 * PATH_ROOM];
    struct store_file file;
    struct failure failure = {.text = ""};
    static sqlite3_vfs swap;

    run_in(folder, "mkdir r && ln -s r linked");
    snprintf(path, sizeof path, "%s/linked/store.sqlite", folder);
    cr_assert_eq(store_file_open(path, STORE_WRITE, &file, &failure), 0, "%s", failure.text);
    cr_assert_eq(store_file_sql(&file, "COMMIT", &failure), 0, "%s", failure.text);
    store_file_close(&file);
    run_in(folder, "cp r/store.sqlite victim.sqlite && cp r/store.sqlite before");
    put_link(folder, &swap);
    cr_expect_neq(store_file_open(path, STORE_WRITE, &file, &failure), 0);
    cr_expect(strstr(failure.text, "store.sqlite: cannot be opened"), "%s", failure.text);
    sqlite3_vfs_unregister(&swap);
    run_in(folder, "test -L r/store.sqlite && cmp victim.sqlite before");
}

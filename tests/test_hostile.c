/* test_hostile.c - stores that somebody has made to deceive their reader: one line, status 2, soon. */
#include "program.h"
#include "quick.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Results in `out`. */
static void make_results(const char *folder)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 4, \"epsilon\": [1, 2],\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 8, \"n\": 400, \"s\": 1}],\n"
               " \"oracles\": [\"olh\"], \"methods\": [\"base\", \"norm\"], \"queries\": [\"full_domain\"]}\n");
    run_in(folder, "ldpbench run c.json -o out --quiet -j1 && cp -R out whole");
}

/* Commands that read the store refuse it, in seconds of the processor and with no large file. */
static void demand_refusals(const char *folder, const char *what, const char *fragment)
{
    static const char *const commands[] = {"report out --no-plots -o page.html", "check whole out"};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct outcome outcome = shell_in(folder, "ulimit -f 20000 && ulimit -t 20 && ldpbench %s", commands[i]);

        cr_expect_eq(outcome.status, 2, "%s: %s: %d: %s", what, commands[i], outcome.status, outcome.err);
        cr_expect(strstr(outcome.err, fragment), "%s: %s: %s", what, commands[i], outcome.err);
        cr_expect(*outcome.err && strchr(outcome.err, '\n')[1] == '\0', "one line: %s", outcome.err);
        outcome_free(&outcome);
    }
}

static void change(const char *folder, const char *sql)
{
    sqlite3 *const store = open_store(folder);
    char *error = NULL;

    cr_assert_eq(sqlite3_exec(store, sql, NULL, NULL, &error), SQLITE_OK, "%s: %s", sql, error);
    sqlite3_close(store);
}

#define ENDLESS "WITH RECURSIVE t(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM t) SELECT x AS row, 0 AS cell FROM t"

FolderTest(hostile, tables_that_are_others)
{
    static const char *const changes[] = {
        "UPDATE tables SET name = 'x'",
        "UPDATE tables SET name = 'x' WHERE id = 0",
        "UPDATE tables SET name = 'x' WHERE id = 3",
        "UPDATE tables SET name = 'mse''; drop table name; --' WHERE id = 3",
        "UPDATE tables SET name = NULL WHERE id = 3",
        "UPDATE tables SET id = id + 100",
        "UPDATE tables SET declaration = '{}' WHERE id = 3",
        "UPDATE name SET label = x'00ff'",
        "DROP TABLE mse_rows",
        "DROP VIEW mse; DROP TABLE mse_rows; CREATE VIEW \"mse_rows\" AS " ENDLESS,
        "DROP VIEW mse; DROP TABLE mse_rows; CREATE VIEW Mse_Rows AS " ENDLESS,
        "DROP VIEW mse; DROP TABLE grid; CREATE VIEW \"grid\" AS " ENDLESS,
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE VIEW \"mse_rows\" AS " ENDLESS
        "', rootpage = 0 WHERE name = 'mse_rows'",
        "DROP VIEW mse; DROP TABLE mse_rows; CREATE TABLE \"mse_rows\"(row INTEGER PRIMARY KEY, cell, \"a\" AS "
        "(zeroblob(900000000)))",
        "CREATE TABLE mine(x)",
        "CREATE TRIGGER t AFTER INSERT ON block BEGIN SELECT 1; END",
    };

    make_results(folder);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_in(folder, "rm -rf out && cp -R whole out");
        change(folder, changes[i]);
        demand_refusals(folder, changes[i], "store.sqlite: ");
        run_in(folder,
               "rm -rf both && ldpbench run c.json -o out --fresh --quiet -j1 && cmp out/mse.csv whole/mse.csv");
    }
}

static void put(unsigned char *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
}

enum { PAGE = 4096, LEVELS = 6, CHILDREN = 300 };

/* An inner page of a table (SQLite's file format, 1.6), all of whose children are one page. */
static void make_inner(unsigned char *page, uint32_t child)
{
    memset(page, 0, PAGE);
    page[0] = 5;
    put(page + 3, CHILDREN, 2);
    put(page + 5, PAGE - 5 * CHILDREN, 2);
    put(page + 8, child, 4);
    for (int i = 0; i < CHILDREN; i++) {
        unsigned char *const cell = page + PAGE - 5 * (i + 1);

        put(page + 12 + 2 * i, (uint32_t)(cell - page), 2);
        put(cell, child, 4);
        cell[4] = 1; /* the key */
    }
}

/* The pages of `build` refer to one another: 300^7 rows in 36 kB. */
FolderTest(hostile, pages_that_refer_to_each_other)
{
    char path[2 * PATH_ROOM];

    make_results(folder);
    sqlite3 *const store = open_store(folder);
    char *const root = ask_store(store, "SELECT rootpage FROM sqlite_schema WHERE name = 'build'"),
                *const pages = ask_store(store, "PRAGMA page_count");
    sqlite3_close(store);
    const uint32_t first = (uint32_t)atol(root), end = (uint32_t)atol(pages);
    snprintf(path, sizeof path, "%s/out/store.sqlite", folder);
    FILE *const file = fopen(path, "r+");
    unsigned char page[PAGE], leaf[PAGE];
    fseek(file, (long)(first - 1) * PAGE, SEEK_SET);
    cr_assert_eq(fread(leaf, 1, PAGE, file), PAGE);
    for (uint32_t i = 0; i <= LEVELS; i++) { /* the root, LEVELS further pages, and the leaf */
        fseek(file, (long)((i == 0 ? first : end + i) - 1) * PAGE, SEEK_SET);
        make_inner(page, end + i + 1);
        cr_assert_eq(fwrite(page, 1, PAGE, file), PAGE);
    }
    fseek(file, (long)(end + LEVELS) * PAGE, SEEK_SET);
    cr_assert_eq(fwrite(leaf, 1, PAGE, file), PAGE);
    put(page, end + LEVELS + 1, 4);
    fseek(file, 28, SEEK_SET);
    cr_assert_eq(fwrite(page, 1, 4, file), 4);
    fclose(file);
    free(root);
    free(pages);
    demand_refusals(folder, "pages", "store.sqlite: a damaged store: its rows have no end");
}

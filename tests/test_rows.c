/* The rows of tables in a store: what SQL sees is what the CSV files say, and the store stays small. */
#include "program.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char config[] =
    "{\"name\": \"t\", \"seed\": 3, \"repetitions\": %d, \"epsilon\": [1, 2],\n"
    " \"oracles\": [\"grr\", {\"name\": \"count_min\", \"columns\": 16, \"label\": \"mine\"}],\n"
    " \"datasets\": [{\"type\": \"zipf\", \"s\": [1, 1.5], \"d\": 64, \"n\": 5000}], \"methods\": [\"base\", \"norm_sub\"],\n"
    " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"top_k\", \"k\": [%s]}], \"outputs\": [\"mse\"%s]}\n";

static const char *run_config(int repetitions, const char *points, const char *more)
{
    char text[2048];

    const char *const folder = temporary_folder();

    snprintf(text, sizeof text, config, repetitions, points, more);
    write_text(folder, "c.json", text);
    run_in(folder, "ldpbench run c.json -o out --quiet");
    return folder;
}

static void expect_answer(sqlite3 *store, const char *sql, const char *expected)
{
    char *const answer = ask_store(store, sql);

    cr_expect_str_eq(answer, expected, "%s: %s", sql, answer);
    free(answer);
}

Test(rows, names_and_parameters_are_columns)
{
    const char *const folder = run_config(3, "2, 4", "");
    sqlite3 *const store = open_store(folder);
    expect_answer(store,
                  "SELECT DISTINCT oracle, oracle_label, json_extract(oracle_parameters, '$.columns') IS 16 FROM mse",
                  "grr grr 0;count_min mine 1;");
    expect_answer(store, "SELECT DISTINCT dataset, dataset_parameters, dataset_label, d, n FROM mse",
                  "zipf {\"s\":1} zipf(s=1) 64 5000;zipf {\"s\":1.5} zipf(s=1.5) 64 5000;");
    expect_answer(store,
                  "SELECT query, parameter IS NULL, parameter, count(*), sum(repetitions) FROM mse GROUP BY 1, 3",
                  "full_domain 1 (null) 16 48;top_k 0 2 16 48;top_k 0 4 16 48;");
    expect_answer(store, "SELECT count(*) FROM mse WHERE method = 'norm_sub' AND epsilon = 2", "12;");
    expect_answer(store, "SELECT count(*) FROM n_equivalent", "16;");
    sqlite3_close(store);
}

/* The numbers of the views are those of the files, to the last bit. */
Test(rows, views_are_the_files)
{
    const char *const folder = run_config(3, "2, 4", ", \"values\"");
    run_in(folder, "python3 - <<'END'\n"
                   "import csv, sqlite3\n"
                   "store = sqlite3.connect('out/store.sqlite')\n"
                   "for table in ('mse', 'n_equivalent', 'values', 'bias_sums'):\n"
                   "    rows = store.execute(f'SELECT * FROM \"{table}\" ORDER BY row')\n"
                   "    names = [column[0] for column in rows.description]\n"
                   "    with open(f'out/{table}.csv') as file:\n"
                   "        for line, row in zip(csv.DictReader(file), rows, strict=True):\n"
                   "            row = dict(zip(names, row))\n"
                   "            for name, text in line.items():\n"
                   "                value = row.get(f'{name}_label', row[name])\n"
                   "                same = value == (float(text) if isinstance(value, (int, float)) else text)\n"
                   "                assert same or (text == '' and value is None), (table, name, text, value)\n"
                   "END");
}

/* docs/reference.md: the repetitions of a row. */
Test(rows, lead_to_repetitions)
{
    const char *const folder = run_config(70, "2, 4", "");
    run_well("python3 - docs/reference.md %s <<'END'\n"
             "import os, sqlite3, statistics, sys, textwrap\n"
             "page, folder = open(sys.argv[1]).read(), sys.argv[2]\n"
             "code = page[page.index('    import sqlite3'):]\n"
             "code = textwrap.dedent(code[:code.index('\\n\\n(')]).replace('results/first', folder + '/out')\n"
             "exec(code)\n"
             "repetitions, mse = store.execute('SELECT repetitions, mse FROM mse WHERE row = 17').fetchone()\n"
             "assert len(values) == repetitions and abs(statistics.fmean(values) / mse - 1) < 1e-12\n"
             "END",
             folder);
}

/* From 20 repetitions on at most one and a half times as large as its numbers. */
Test(rows, store_is_small)
{
    char path[2 * PATH_ROOM], points[2000] = "1";

    for (int k = 2; k <= 64; k++)
        snprintf(points + strlen(points), sizeof points - strlen(points), ", %d", k);
    const char *const folder = run_config(20, points, "");
    snprintf(path, sizeof path, "%s/out/store.sqlite", folder);
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    sqlite3 *const store = open_store(folder);
    expect_answer(store, "SELECT sum(length(numbers)) FROM block", "166400;"); /* 8 cells, 2 methods, 65 points, 20 */
    sqlite3_close(store);
    /* Pages of 4 KiB, one begun for each of 12 tables and two for the schema. */
    cr_expect((double)(status.st_size - 14 * 4096) <= 1.5 * 166400, "%lld bytes", (long long)status.st_size);
}

/* A row that was changed by hand is found by those who read the store, and made again by run. */
Test(rows, changed_by_hand)
{
    static const char *const changes[] = {"UPDATE mse_rows SET mse = mse / 10 WHERE row = 5",
                                          "DELETE FROM mse_rows WHERE row = 47",
                                          "UPDATE name SET label = 'oue' WHERE label = 'grr'",
                                          "UPDATE grid SET epsilon = 3 WHERE cell = 1",
                                          "UPDATE tables SET rows = 4 WHERE name = 'mse'",
                                          "INSERT INTO mse_rows SELECT row + 1, cell, method, query, "
                                          "parameter, mse, sd, stderr, mse_series FROM mse_rows WHERE "
                                          "row = 47"};
    const char *const folder = run_config(3, "2, 4", "");
    run_in(folder, "mv out whole");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_in(folder, "rm -rf out && cp -r whole out");
        sqlite3 *const store = open_store(folder);
        cr_assert_eq(sqlite3_exec(store, changes[i], NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(store));
        sqlite3_close(store);
        run_in(folder, "rm out/mse.csv && ldpbench run c.json -o out --quiet && cmp out/mse.csv whole/mse.csv");
        sqlite3 *const now = open_store(folder);
        expect_answer(now, "SELECT count(*), count(DISTINCT oracle_label), sum(epsilon) FROM mse", "48 2 72;");
        sqlite3_close(now);
    }
}

/* A run that changes nothing writes nothing. */
Test(rows, are_written_once)
{
    const char *const folder = run_config(3, "2, 4", "");
    run_in(folder, "cp out/store.sqlite before && ldpbench run c.json -o out --quiet && cmp before out/store.sqlite");
    run_in(folder, "sed -i 's/, \"norm_sub\"//' c.json && ldpbench run c.json -o out --quiet");
    sqlite3 *const store = open_store(folder);
    expect_answer(store, "SELECT DISTINCT method FROM mse", "base;");
    sqlite3_close(store);
}

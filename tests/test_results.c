/* Reading results back: folders, tables and stores by themselves, tables that are not what they were. */
#include "program.h"
#include "quick.h"
#include "results/results.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two labels of one method, two queries of a table with a table of another between them, all outputs. */
static const char config[] =
    "{\"name\": \"t\", \"seed\": 3, \"repetitions\": 7, \"oracles\": [\"grr\", \"oue\"], \"epsilon\": [1, 2],\n"
    " \"datasets\": [{\"type\": \"uniform\", \"d\": [4, 5], \"n\": 50}],\n"
    " \"methods\": [\"base\", \"norm_sub\", {\"name\": \"base\", \"label\": \"again\"}], \"queries\": [\n"
    " {\"type\": \"full_domain\"}, {\"type\": \"heavy_hitters\", \"threshold\": [10, 40]}, {\"type\": \"top_k\", "
    "\"k\": [1, 2]}],\n"
    " \"outputs\": [\"mse\", \"values\", \"noise\", \"times\"]}\n";

static const char *make_results(void)
{
    const char *const folder = temporary_folder();

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o out --quiet");
    return folder;
}

static struct results *open_well(const char *folder, const char *name)
{
    char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct results *results;
    struct failure failure;
    cr_assert_eq(results_open(path, &results, &failure), 0, "%s", failure.text);
    return results;
}

static const struct result_table *load_well(struct results *results, const char *file)
{
    for (size_t i = 0; i < results_count(results); i++)
        if (strcmp(results_declared(results, i)->file, file) == 0) {
            struct failure failure;
            const struct result_table *const table = results_table(results, i, &failure);

            cr_assert_not_null(table, "%s", failure.text);
            return table;
        }
    cr_assert_fail("no table %s", file);
    return NULL;
}

/* The row of these keys, NULL-terminated pairs. */
static size_t find_row(const struct result_table *table, const char *const *keys)
{
    for (size_t row = 0; row < table->nrows; row++) {
        bool found = true;

        for (size_t i = 0; keys[i]; i += 2) {
            const size_t k = result_key_index(table, keys[i]);

            cr_assert_neq(k, SIZE_MAX, "%s", keys[i]);
            found &= strcmp(result_key(table, row, k), keys[i + 1]) == 0;
        }
        if (found)
            return row;
    }
    cr_assert_fail("no such row");
    return 0;
}

Test(results, every_table_of_a_folder_with_every_repetition)
{
    static const struct {
        const char *file;
        size_t nrows, nmeasures;
        bool values;
    } tables[] = {
        {"mse.csv", 8 * 3 * 3, 1, true},
        {"n_equivalent.csv", 8 * 3, 1, false},
        {"heavy_hitters.csv", 8 * 3 * 2, 4, true},
        {"bias_sums.csv", 8 * 3, 1, true},
        {"values.csv", 4 * 3 * (4 + 5), 1, false},
        {"noise.csv", 8 * 83, 1, false},
        {"times.csv", 8, 4, true},
    };
    const char *const folder = make_results();
    struct results *const results = open_well(folder, "out");
    cr_expect_eq(results_origin(results)->seed, 3);
    cr_expect_str_eq(results_origin(results)->config, config);
    cr_assert_eq(results_count(results), sizeof tables / sizeof *tables);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct result_table *const table = load_well(results, tables[i].file);

        cr_expect_eq(table->nrows, tables[i].nrows, "%s: %zu", tables[i].file, table->nrows);
        cr_expect_eq(table->nmeasures, tables[i].nmeasures);
        size_t known = 0;
        for (size_t row = 0; row < table->nrows; row++)
            for (size_t m = 0; m < table->nmeasures; m++) {
                const struct result_number *const number = result_number(table, row, m);

                known += number->value != NULL;
                cr_expect_not(number->differs, "%s", tables[i].file);
                cr_expect_eq(number->repetitions, 7, "%s", tables[i].file);
                if (number->value)
                    cr_expect(isnan(number->mean) || number->n > 0);
            }
        cr_expect_eq(known > 0, tables[i].values, "%s", tables[i].file);
        cr_expect((table->cell != NULL) == tables[i].values && (table->collection != NULL) == tables[i].values);
    }
    results_close(results);
}

/* Which values a row has: those of its own method, query and point, in order of repetition. */
Test(results, rows_have_their_own_values)
{
    static const char *const base[] = {"d",    "5",     "oracle", "oue",       "epsilon", "2", "method",
                                       "base", "query", "top_k",  "parameter", "2",       NULL};
    static const char *const again[] = {"d",     "5",     "oracle", "oue",       "epsilon", "2", "method",
                                        "again", "query", "top_k",  "parameter", "2",       NULL};
    static const char *const other[] = {"d",        "5",     "oracle", "oue",       "epsilon", "2", "method",
                                        "norm_sub", "query", "top_k",  "parameter", "2",       NULL};
    const char *const folder = make_results();
    struct results *const results = open_well(folder, "out/store.sqlite"); /* the folder that it lies in */
    const struct result_table *table = load_well(results, "mse.csv");
    const struct result_number *const a = result_number(table, find_row(table, base), 0);
    const struct result_number *const b = result_number(table, find_row(table, again), 0);
    const struct result_number *const c = result_number(table, find_row(table, other), 0);
    cr_assert(a->value && b->value && c->value);
    cr_expect_arr_eq(a->value, b->value, 7 * sizeof *a->value);
    cr_expect_neq(a->value[0], c->value[0]);
    cr_expect_eq(result_sample(table, find_row(table, base), 0).value, a->value);
    table = load_well(results, "heavy_hitters.csv");
    for (size_t row = 0; row < table->nrows; row++) {
        const struct result_number *const precision = result_number(table, row, 0);
        const struct result_number *const recall = result_number(table, row, 1);
        const struct result_number *const f_score = result_number(table, row, 2);

        for (size_t r = 0; r < 7; r++) {
            const double p = precision->value[r], q = recall->value[r], f = f_score->value[r];

            if (p + q > 0)
                cr_expect_float_eq(f, 2 * p * q / (p + q), 1e-12);
        }
        cr_expect_eq(result_sample(table, row, 0).n, precision->n);
    }
    cr_expect_eq(table->nfacts, 1);
    cr_expect_str_eq(result_fact(table, 0, 0), "10");
    results_close(results);
}

/* Files that were changed, or are gone, change nothing: they are exports. */
Test(results, files_are_not_read, SLOW)
{
    static const char *const edits[] = {"sed -i 's/base/norm/' out/*.csv",
                                        "sed -i '4s/,7,[0-9.e-]*/,7,0.5/' out/mse.csv", "rm out/*.csv"};
    const char *const folder = make_results();
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        run_in(folder,
               "cp -r out kept && %s && ldpbench check kept out --exact >said && ldpbench plot out --format tsv "
               ">/dev/null && ldpbench plot kept --format tsv >/dev/null && for f in kept/*.tsv; do cmp $f "
               "out/${f#kept/} || exit 1; done && rm -rf out && mv kept out",
               edits[i]);
    }
}

/* A store needs nothing beside it. */
Test(results, a_store_by_itself)
{
    static const char *const keys[] = {"d",    "5",     "oracle", "oue",       "epsilon", "2", "method",
                                       "base", "query", "top_k",  "parameter", "2",       NULL};
    const char *const folder = make_results();
    run_in(folder, "mkdir apart && cp out/store.sqlite apart/");
    struct results *const results = open_well(folder, "apart/store.sqlite");
    cr_expect_eq(results_count(results), 7);
    cr_expect_eq(results_origin(results)->seed, 3);
    const struct result_table *const table = load_well(results, "mse.csv");
    cr_expect_eq(table->nrows, 8 * 3 * 3);
    cr_expect_str_eq(table->cell[find_row(table, keys)], "frequency|uniform|d=5|n=50|expected|oue|epsilon=2|counts");
    cr_expect_not_null(result_number(table, find_row(table, keys), 0)->value);
    results_close(results);
}

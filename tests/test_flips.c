/* test_flips.c - a store with one bit turned over: what it held is refused or computed again, with a message. */
#include "ldp.h"
#include "program.h"
#include "quick.h"
#include "results/results.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char config[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": %d, \"outputs\": [\"mse\", \"values\"],\n"
                             " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 5000, \"s\": 1}],\n"
                             " \"oracles\": [\"grr\", \"olh\"], \"epsilon\": [0.5, 1, 2], \"methods\": [%s],\n"
                             " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"top_k\", \"k\": [2, 4]}]}\n";

static void write_config(const char *folder, int repetitions, const char *methods)
{
    char text[2048];

    snprintf(text, sizeof text, config, repetitions, methods);
    write_text(folder, "c.json", text);
}

static void flip_bit(const char *path, uint64_t bit)
{
    FILE *const file = fopen(path, "r+b");

    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, (long)(bit / 8), SEEK_SET), 0);
    const int byte = getc(file);
    cr_assert_neq(byte, EOF);
    cr_assert_eq(fseek(file, (long)(bit / 8), SEEK_SET), 0);
    putc(byte ^ 1 << bit % 8, file);
    cr_assert_eq(fclose(file), 0);
}

static bool is_one_line(const char *text)
{
    return *text && strchr(text, '\n') == text + strlen(text) - 1;
}

/* Everything that a store holds, as check and report read it; "" where it is refused. Malloc'd. */
static char *read_store(const char *path)
{
    struct results *results;
    struct failure failure;
    char *text = NULL;
    size_t size;
    FILE *const out = open_memstream(&text, &size);
    int result = results_open(path, &results, &failure);

    cr_assert_not_null(out);
    for (size_t t = 0; result == 0 && t < results_count(results); t++) {
        const struct result_table *const table = results_table(results, t, &failure);

        for (size_t i = 0; table && i < table->nrows; i++) {
            if (table->cell)
                fprintf(out, "%s %lld", table->cell[i], (long long)table->collection[i]);
            for (size_t k = 0; k < table->nkeys; k++)
                fprintf(out, " %s=%s", table->key_name[k], result_key(table, i, k));
            for (size_t k = 0; k < table->nfacts; k++)
                fprintf(out, " %s=%s", table->fact_name[k], result_fact(table, i, k));
            for (size_t m = 0; m < table->nmeasures; m++) {
                const struct result_number *const number = result_number(table, i, m);

                fprintf(out, " %s=%a %a %a %zu:", table->table->measures[m].title, number->mean, number->sd,
                        number->stderr_, number->n);
                for (size_t r = 0; number->value && r < number->repetitions; r++)
                    fprintf(out, " %a", number->value[r]);
            }
            putc('\n', out);
        }
        result = table ? 0 : -1;
        if (result != 0)
            results_close(results);
    }
    if (result == 0)
        results_close(results);
    fclose(out);
    if (result != 0)
        *text = '\0';
    return text;
}

/* Turns over random bits, each in a copy of the whole store, and runs the experiment: the tables are the same, or the
 * run says in one line why there are none. Where something was computed again, one line says so. */
static void flip(const char *folder, size_t flips, uint64_t seed)
{
    char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/whole/store.sqlite", folder);
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    char *const whole = read_store(path);
    cr_assert_neq(*whole, '\0');
    snprintf(path, sizeof path, "%s/r/store.sqlite", folder);
    struct ldp_rng rng = make_stream(seed, "flips", 0);
    size_t refused = 0, recomputed = 0, harmless = 0;
    for (size_t i = 0; i < flips; i++) {
        const uint64_t bit = ldp_rng_next(&rng) % ((uint64_t)status.st_size * 8);

        run_in(folder, "rm -rf r && cp -R whole r && rm r/*.csv r/run.json");
        flip_bit(path, bit);
        char *const read = read_store(path);
        cr_expect(*read == '\0' || strcmp(read, whole) == 0, "bit %llu: read otherwise", (unsigned long long)bit);
        free(read);
        struct outcome outcome = shell_in(folder, "ldpbench run c.json -o r -j 1");
        if (outcome.status != 0) {
            cr_expect(outcome.status == 2, "bit %llu: status %d: %s", (unsigned long long)bit, outcome.status,
                      outcome.err);
            cr_expect(is_one_line(outcome.err), "bit %llu: %s", (unsigned long long)bit, outcome.err);
            run_well("! ls %s/r/*.csv 2>/dev/null", folder);
            refused++;
        } else {
            const bool said = strstr(outcome.err, "the store was damaged in ");
            const bool run = !strstr(outcome.err, ": 0 repetitions in");

            cr_expect(said || !run, "bit %llu: computed again without a message: %s", (unsigned long long)bit,
                      outcome.err);
            demand_same_tables(folder, "whole", "r");
            *(said ? &recomputed : &harmless) += 1;
        }
        outcome_free(&outcome);
    }
    cr_log_info("%zu flips: %zu refused, %zu computed again with a message, %zu without effect", flips, refused,
                recomputed, harmless);
    free(whole);
}

static size_t flips_of(size_t few, size_t many)
{
    return getenv("LDPBENCH_VERIFY") ? many : few;
}

FolderTest(flips, none_unnoticed, SLOW, .timeout = 3600)
{
    write_config(folder, 60, "\"base\", \"norm\"");
    run_in(folder, "ldpbench run c.json -o whole --quiet");
    flip(folder, flips_of(40, 1000), 1);
}

/* A store that has grown by a method, with blocks that lack what others have, and with pages that are free. */
FolderTest(flips, none_unnoticed_in_a_store_that_has_grown, SLOW, .timeout = 3600)
{
    write_config(folder, 30, "\"base\"");
    run_in(folder, "ldpbench run c.json -o whole --quiet --fresh");
    write_config(folder, 60, "\"base\", \"norm\"");
    run_in(folder, "ldpbench run c.json -o whole --quiet");
    write_config(folder, 60, "\"norm\", \"norm_sub\"");
    run_in(folder, "ldpbench run c.json -o whole --quiet");
    flip(folder, flips_of(20, 1000), 2);
}

/* Stores of the other tasks have series of other kinds, and strings found that differ from repetition to repetition. */
FolderTest(flips, none_unnoticed_in_a_store_of_searches, SLOW, .timeout = 3600)
{
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"task\": \"search\", \"seed\": 7, \"repetitions\": 40, \"oracles\": [\"olh\"],\n"
               " \"datasets\": [{\"type\": \"zipf_strings\", \"s\": 1, \"length\": 3, \"d\": 50, \"n\": 2000}],\n"
               " \"epsilon\": [1, 3], \"targets\": {\"top\": [2, 4]},\n"
               " \"protocols\": [{\"name\": \"pem\", \"start\": 1, \"step\": 1, \"keep\": [2, 4]}]}\n");
    run_in(folder, "ldpbench run c.json -o whole --quiet");
    flip(folder, flips_of(20, 1000), 3);
}

FolderTest(flips, none_unnoticed_in_a_store_of_marginals, SLOW, .timeout = 3600)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"task\": \"marginals\", \"seed\": 7, \"repetitions\": 40, \"oracles\": [\"adaptive\"],\n"
        " \"datasets\": [{\"type\": \"chain\", \"d\": 4, \"n\": 500, \"cardinalities\": \"2 3\"}],\n"
        " \"epsilon\": [1, 3], \"synopses\": [\"product\", \"uniform\"], \"outputs\": [\"errors\", \"parts\"],\n"
        " \"marginals\": {\"k\": [1, 2], \"count\": 3}}\n");
    run_in(folder, "ldpbench run c.json -o whole --quiet");
    flip(folder, flips_of(20, 1000), 4);
}

/* test_efficiency.c - oracles compared with the best possible one, as the program shows them: oracles.csv, the
 * commands oracles and advise. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char config[] =
    "{\"name\": \"efficiency\", \"seed\": 1, \"repetitions\": 2,\n"
    " \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, \"d\": 1024, \"n\": 1000000}],\n"
    " \"oracles\": [\"ss\", \"pgr\", \"flh\", \"exact\"], \"epsilon\": 1, \"methods\": [\"base\"],\n"
    " \"queries\": [\"full_domain\"], \"outputs\": [\"oracles\"]}\n";

/* The numbers behind the key columns of a row. */
static void demand_row(const char *table, const char *key, const char *rest)
{
    const char *const row = strstr(table, key);
    cr_assert_not_null(row, "%s in %s", key, table);
    cr_expect_eq(strncmp(row + strlen(key), rest, strlen(rest)), 0, "%.100s", row);
}

FolderTest(efficiency, table)
{
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o out --quiet && ldpbench check out out");
    char *const table = read_text(folder, "out/oracles.csv");
    cr_assert_not_null(table);
    cr_expect_eq(strncmp(table,
                         "experiment,dataset,d,n,oracle,epsilon,bits_bound,guess,variance_over_optimum,attack_success,"
                         "advantage,report_bits,server_operations,state_bytes\n",
                         143),
                 0);
    const char *const prefix = "efficiency,zipf(s=1.5),1024,1000000,";
    char key[100];
    snprintf(key, sizeof key, "%sss,1,", prefix);
    demand_row(table, key, "10,0.392174,1.00000000");
    snprintf(key, sizeof key, "%spgr,1,", prefix);
    demand_row(table, key, "10,0.392174,1.003");
    snprintf(key, sizeof key, "%sflh,1,", prefix); /* the likelihood's, of these data */
    demand_row(table, key, "10,0.392174,1.0068");
    snprintf(key, sizeof key, "%sexact,1,", prefix);
    demand_row(table, key, "10,0.392174,,1,1,10,");
    free(table);
    run_in(folder, "ldpbench plot out && ldpbench report out -o page.html");
    demand_within(folder, "out/oracles.svg", "variance / optimum");
    /* The error is a distance from the optimum, against each of the prices. */
    char *const tradeoff = read_text(folder, "out/oracles-tradeoff.svg");
    cr_assert_not_null(tradeoff);
    cr_expect(strstr(tradeoff, "variance / optimum − 1"));
    cr_expect(strstr(tradeoff, "bits of a report") && strstr(tradeoff, "operations of the server"));
    free(tradeoff);
    run_in(folder, "ldpbench plot out --format tsv && grep -q 'x: bits of a report' out/oracles-tradeoff.tsv");
}

Test(efficiency, oracles)
{
    struct outcome outcome = run_shell("ldpbench oracles --epsilon 1 --d 1024 --n 1000");
    cr_expect_eq(outcome.status, 0);
    cr_expect(strstr(outcome.out, "d = 1024, n = 1,000, epsilon 1, delta = n^-1.5; a report of minimum variance has"));
    cr_expect(strstr(outcome.out, "\n  ss             0.0606*     1.000   1,024 "), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "\n  pgr            0.0607      1.003      11 "), "%s", outcome.out);
    cr_expect_null(strstr(outcome.out, "\n  exact"));
    outcome_free(&outcome);
    expect_said(0, "| pgr | no q within 2^26 reports", "ldpbench oracles --epsilon 1 --d 100000000 --format md");
    /* Two of 20 values, s1 = 3 and tf = 1: 2 s1 + 2 tf / 20; eight of them. No bins: they are biased. */
    run_well("ldpbench oracles --epsilon 1.0986122886681098 --d 20 --oracle oue --oracle bins --format json | "
             "python3 -c 'import json, sys; r = {o[\"oracle\"]: o for o in json.load(sys.stdin)[\"oracles\"]}; "
             "assert abs(r[\"oue\"][\"range_10\"] - 6.1) < 1e-9 and abs(r[\"oue\"][\"range_40\"] - 24.4) < 1e-9; "
             "assert r[\"bins\"][\"range_40\"] is None and r[\"bins\"][\"variance_over_optimum\"] is None'");
}

/* A sketch with another row oracle, on which the bits of a report depend. */
FolderTest(efficiency, advise_weighs_a_sketch_with_parameters)
{
    static const struct {
        const char *members, *said;
        int status;
    } cases[] = {
        {"\"row_oracle\": \"grr\"", "\"bits\":\t3,", 0},                                            /* row, cell */
        {"\"row_oracle\": {\"name\": \"hm\", \"t\": 2}, \"decode\": \"nnls\"", "\"bits\":\t7,", 0}, /* row, 2 of both */
        {"\"row_oracle\": {\"name\": \"hm\", \"t\": 11}", "expected an integer from 1 to 10, got 11", 2},
        {"\"row_oracle\": \"gr\"", "expected an oracle", 2},
    };

    write_text(folder, "c.counts", "a\t500\nb\t300\nc\t200\nd\t0\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome =
            shell_in(folder,
                     "ldpbench advise c.counts --query full_domain --epsilon 1 --trials 2 --format json --oracle "
                     "'{\"name\": \"count_min\", \"rows\": 2, \"columns\": 4, %s}'",
                     cases[i].members);
        cr_expect_eq(outcome.status, cases[i].status, "%s: %s", cases[i].members, outcome.err);
        cr_expect(strstr(cases[i].status == 0 ? outcome.out : outcome.err, cases[i].said), "%s: %s%s", cases[i].members,
                  outcome.out, outcome.err);
        outcome_free(&outcome);
    }
}

/* Sketches are weighed where they keep fewer numbers than there are values. */
FolderTest(efficiency, advise_weighs_sketches, SLOW, .timeout = 300)
{
    enum { FEW = 100, MANY = 40000 };

    for (int many = 0; many < 2; many++) {
        char path[PATH_ROOM + 20];
        snprintf(path, sizeof path, "%s/s.counts", folder);
        FILE *const file = fopen(path, "w");
        cr_assert_not_null(file);
        for (int v = 0; v < (many ? MANY : FEW); v++)
            fprintf(file, "v%d\t%d\n", v, 1 + 100000 / (v + 1));
        fclose(file);
        struct outcome outcome = run_shell("ldpbench advise --oracle all --query full_domain --epsilon 1 "
                                           "--method base --trials 2 --format json %s",
                                           path);
        cr_expect_eq(outcome.status, 0, "%s", outcome.err);
        cr_expect(strstr(outcome.out, "\"olh\""));
        cr_expect_eq(strstr(outcome.out, "\"count_min\"") != NULL, many == 1);
        cr_expect_null(strstr(outcome.out, "\"cms\""));
        outcome_free(&outcome);
    }
}

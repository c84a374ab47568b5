/* test_plots.c - the scripts behind the program: what plots/ lays out from a table, what scripts/reproduction.sh makes
 * of agreement and disagreement. Tables are made up here, so that what must come out is known. */
#include "program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mse_header[] =
    "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,stderr\n";

static void demand_within(const char *folder, const char *name, const char *fragment)
{
    char *text = read_text(folder, name);

    cr_assert(text, "%s: not there", name);
    cr_assert(strstr(text, fragment), "%s: expected \"%s\" in: %s", name, fragment, text);
    free(text);
}

/* One table of four rows or so, laid out. */
static void lay_out(const char *folder, const char *rows)
{
    char table[4096];

    cr_assert_lt(snprintf(table, sizeof table, "%s%s", mse_header, rows), (int)sizeof table);
    write_text(folder, "mse.csv", table);
    run_well("awk -f plots/curves.awk -v table=mse -v out='%s' plots/methods.tsv '%s/mse.csv'", folder, folder);
}

Test(plots, x_is_what_was_swept)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    lay_out(folder, "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,olh,2,base,full_domain,,3,1e-5,1e-6,1e-7\n"
                    "t,zipf,8,1000,olh,1,base,set_value,10,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,olh,1,base,set_value,20,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,olh,1,base,set_value,30,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,olh,1,base,top_k,2,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,olh,1,base_pos,top_k,2,3,1e-4,1e-5,1e-6\n");
    demand_within(folder, "full_domain.curves.gp", "xtitle = \"privacy budget");
    demand_within(folder, "full_domain.curves.gp", "2 1e-05 9.9e-06 1.01e-05 NaN");
    demand_within(folder, "set_value.curves.gp", "percent of the domain");
    demand_within(folder, "top_k.curves.gp", "category = 1");
}

Test(plots, other_variables_make_panels)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    lay_out(folder, "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,olh,2,base,full_domain,,3,1e-5,1e-6,1e-7\n"
                    "t,zipf,8,1000,olh,3,base,full_domain,,3,1e-5,1e-6,1e-7\n"
                    "t,zipf,8,90000,olh,1,base,full_domain,,3,1e-6,1e-7,1e-8\n"
                    "t,emoji-model,9,1000,olh,1,base,full_domain,,3,1e-6,1e-7,1e-8\n");
    demand_within(folder, "full_domain.curves.gp", "panels = 3");
    demand_within(folder, "full_domain.curves.gp", "\"zipf, d = 8, n = 90,000\"");
    demand_within(folder, "full_domain.curves.gp", "\"emoji-model, d = 9, n = 1000\"");
}

/* An error of 0 or none at all has no place on a logarithmic axis, and one repetition no error bar. */
Test(plots, missing_numbers)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    lay_out(folder, "t,zipf,8,1000,exact,1,base,full_domain,,1,0,,\n"
                    "t,zipf,8,1000,exact,2,base,full_domain,,1,,,\n"
                    "t,zipf,8,1000,exact,3,base,full_domain,,1,1e-3,,\n");
    demand_within(folder, "full_domain.curves.gp", "# exact\n3 0.001 0.001 0.001 NaN\n# end");
}

Test(plots, pictures_of_a_run)
{
    static const char config[] =
        "{\"name\": \"p\", \"repetitions\": 3, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, "
        "\"n\": 1000}], \"oracles\": [\"olh\"], \"epsilon\": [1, 2], \"methods\": \"all\", "
        "\"queries\": [{\"type\": \"full_domain\"}], \"outputs\": [\"mse\", \"values\"]}";
    char folder[PATH_ROOM];
    struct outcome outcome = run_shell("command -v gnuplot");
    bool missing = outcome.status != 0;

    outcome_free(&outcome);
    if (missing)
        cr_skip("gnuplot is not installed");
    temporary_folder(folder);
    write_text(folder, "p.json", config);
    run_well("cd '%s' && ldpbench run p.json --quiet -o r", folder);
    outcome = run_shell("sh plots/plot.sh '%s/r' svg", folder);
    cr_assert_eq(outcome.status, 0, "plot.sh: %s", outcome.err);
    cr_assert_str_empty(outcome.err, "gnuplot said: %s", outcome.err);
    cr_assert(strstr(outcome.out, "full_domain.svg") && strstr(outcome.out, "bias-2.svg"), "drew only: %s",
              outcome.out);
    outcome_free(&outcome);
    demand_within(folder, "r/full_domain.svg", ">PowerNS<");
}

static void agreement(const char *folder, const char *base_pos_sum, const char *expected)
{
    char table[1024];

    snprintf(table, sizeof table,
             "experiment,dataset,d,n,oracle,epsilon,method,repetitions,bias_sum,stderr\n"
             "t,zipf(s=1.5),1024,1000000,olh,1,base_pos,5000,%s,500\n",
             base_pos_sum);
    run_well("mkdir -p '%s/ndss2020-fig1-3'", folder);
    write_text(folder, "ndss2020-fig1-3/bias_sums.csv", table);
    write_text(folder, "ndss2020-fig1-3/run.json", "{\n\t\"seed\":\t7,\n\t\"repetitions\":\t5000\n}\n");
    run_well("sh scripts/reproduction.sh '%s' > '%s/page.md'", folder, folder);
    demand_within(folder, "page.md", expected);
    demand_within(folder, "page.md", "| [ndss2020-fig1-3](../configs/ndss2020-fig1-3.json) | 7 | 5000 |");
}

/* The paper prints 711,932; both have an error of 500. */
Test(plots, agreement_goes_by_the_error)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    agreement(folder, "713347", "| 711,932 | 713,347 ± 500 | +2.0 | agrees |");
    agreement(folder, "708396", "| 711,932 | 708,396 ± 500 | -5.0 | **differs**");
    agreement(folder, "711932.3", "| 711,932 | 711,932 |  | agrees |");
}

/* test_plots.c - the scripts behind the program: what plots/ lays out from a table, what scripts/reproduction.sh makes
 * of agreement and disagreement. Tables are made up here, so that what must come out is known. */
#include "program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mse_header[] =
    "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,stderr\n";

#define LAY_OUT "awk -f plots/text.awk -f plots/"

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
    run_well(LAY_OUT "curves.awk -v table=mse -v out='%s' plots/methods.tsv '%s/mse.csv'", folder, folder);
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

/* Labels are any text: neither gnuplot nor awk nor a shell runs what is in them, and none hides another's picture. */
Test(plots, labels_and_folders_are_only_text)
{
    char folder[PATH_ROOM], odd[PATH_ROOM + 40];

    temporary_folder(folder);
    lay_out(folder, "t,`touch ran`,8,1000,`touch ran`,1,`touch ran`,`touch ran`,,3,1e-4,1e-5,1e-6\n"
                    "t,a'b,8,1000,$(touch ran),2,b\"\\c,`touch ran`,,3,1e-5,1e-6,1e-7\n"
                    "t,zipf,8,1000,olh,2,base,a/b,,3,1e-5,1e-6,1e-7\n"
                    "t,zipf,8,1000,olh,2,base,a|b,,3,1e-5,1e-6,1e-7\n"
                    "t,zipf,8,1000,olh,2,base,..,,3,1e-5,1e-6,1e-7\n");
    demand_within(folder, "_touch_ran_.curves.gp", "\\140touch ran\\140");
    demand_within(folder, "a_b.curves.gp", "MSE, a/b");
    demand_within(folder, "a_b_.curves.gp", "MSE, a|b");
    demand_within(folder, "_..curves.gp", "MSE, ..");
    snprintf(odd, sizeof odd, "%s/a=b 'c", folder);
    run_well("cd '%s' && mkdir -p \"a=b 'c\" ./-d && cp mse.csv \"a=b 'c\" && cp mse.csv ./-d", folder);
    run_well("plots=$PWD/plots && cd '%s' && sh \"$plots/plot.sh\" \"a=b 'c\" && sh \"$plots/plot.sh\" -d && "
             "[ ! -e ran ] && [ ! -e RAN ]",
             folder);
    demand_within(odd, "_touch_ran_.svg", "touch ran");
    demand_within(odd, "_..svg", "</svg>");
    snprintf(odd, sizeof odd, "%s/-d", folder);
    demand_within(odd, "a_b_.svg", "</svg>");
}

/* Tics where the points are, if these are few whole numbers or powers of two; large sizes in a unit. */
Test(plots, tics_are_at_the_points)
{
    static const struct {
        unsigned d[4];
        const char *tics;
    } axes[] = {
        {{4, 32, 256, 2048}, "set logscale x\nset xtics (\"4\" 4, \"32\" 32, \"256\" 256, \"2048\" 2048)"},
        {{4, 33, 256, 2048}, "set logscale x\nset xtics (\"10^{0}\" 1e0, \"10^{1}\" 1e1"},
        {{20000, 40000, 60000, 100000}, "set xtics (\"2\" 2, \"4\" 4, \"6\" 6, \"10\" 10)"},
    };
    char folder[PATH_ROOM], rows[1000];

    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        size_t used = 0;
        temporary_folder(folder);
        for (size_t j = 0; j < 4; j++)
            used += (size_t)snprintf(rows + used, sizeof rows - used,
                                     "t,zipf,%u,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n", axes[i].d[j]);
        lay_out(folder, rows);
        demand_within(folder, "full_domain.curves.gp", axes[i].tics);
    }
    demand_within(folder, "full_domain.curves.gp", "xtitle = \"values d / 10^{4}\"");
}

/* However many oracles there are, they stand in one panel: sides are the methods'. */
Test(plots, oracles_stay_together)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    lay_out(folder, "t,zipf,8,1000,grr,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,sue,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,oue,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,blh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,flh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,ss,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,hr,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,grr,2,base,full_domain,,3,1e-4,1e-5,1e-6\n");
    demand_within(folder, "full_domain.curves.gp", "panels = 1");
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

/* A panel a measure, linear; the significance threshold of the same collections is marked among the others. */
Test(plots, measures_make_panels)
{
    static const char table[] =
        "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,precision,precision_stderr,recall,"
        "recall_stderr,threshold,precision_defined,recall_defined\n"
        "t,zipf,8,1000,oue,1,base,heavy_hitters,20,3,0.5,0.01,0.25,0.02,20,3,3\n"
        "t,zipf,8,1000,oue,1,base,heavy_hitters,30,3,,,1,0,30,0,3\n"
        "t,zipf,8,1000,oue,1,base,heavy_hitters(scale=significance),0.05,3,0.5,0.01,0.25,0.02,27.5,3,3\n";
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_text(folder, "heavy_hitters.csv", table);
    run_well(LAY_OUT "curves.awk -v table=heavy_hitters -v out='%s' plots/methods.tsv '%s/heavy_hitters.csv'", folder,
             folder);
    demand_within(folder, "heavy_hitters.curves.gp", "panels = 2");
    demand_within(folder, "heavy_hitters.curves.gp", "ylog = 0");
    demand_within(folder, "heavy_hitters.curves.gp", "\"zipf, precision\"");
    demand_within(folder, "heavy_hitters.curves.gp", "20 0.25 0.23 0.27 NaN\n30 1 1 1 NaN");
    demand_within(folder, "heavy_hitters.curves.gp", "xtitle = \"threshold in users\"");
    demand_within(folder, "heavy_hitters.curves.gp", "mark[2] = \"27.5\"");
    demand_within(folder, "heavy_hitters_scale=significance_.curves.gp", "mark[1] = \"\"");
}

/* Counts 5, 1, 1, 0 of four values. */
Test(plots, distribution_of_counts)
{
    static const char table[] = "experiment,dataset,d,n,oracle,epsilon,method,rank,value,count,mean,bias,variance\n"
                                "t,mine,4,7,exact,1,base,1,\"a,b\",5,5,0,\n"
                                "t,mine,4,7,exact,1,base,2,c,1,1,0,\n"
                                "t,mine,4,7,exact,1,base,3,d,1,1,0,\n"
                                "t,mine,4,7,exact,1,base,4,e,0,0,0,\n"
                                "t,mine,4,7,exact,1,norm,1,\"a,b\",5,5,0,\n";
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_text(folder, "values.csv", table);
    run_well(LAY_OUT "distribution.awk -v out='%s' '%s/values.csv'", folder, folder);
    demand_within(folder, "distribution.distribution.gp", "EOD\n5 0.25\n1 0.5\n# end");
    demand_within(folder, "distribution.distribution.gp", "nobody[1] = \"1 values held by nobody\"");
}

Test(plots, pictures_of_a_run)
{
    static const char config[] =
        "{\"name\": \"p\", \"repetitions\": 3, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, "
        "\"n\": 1000}], \"oracles\": [\"olh\", \"exact\"], \"epsilon\": [1, 2], \"methods\": \"all\", "
        "\"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"heavy_hitters\", \"threshold\": [50, 150, 200]}, "
        "{\"type\": \"heavy_hitters\", \"scale\": \"significance\", \"threshold\": 0.05}], "
        "\"outputs\": [\"mse\", \"values\", \"noise\"]}";
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
    cr_assert(strstr(outcome.out, "full_domain.svg") && strstr(outcome.out, "bias-2.svg") &&
                  strstr(outcome.out, "heavy_hitters-1.svg") && strstr(outcome.out, "noise.svg") &&
                  strstr(outcome.out, "distribution.svg"),
              "drew only: %s", outcome.out);
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
    run_well("mkdir -p '%s/my results/ndss2020-fig1-3'", folder);
    write_text(folder, "my results/ndss2020-fig1-3/bias_sums.csv", table);
    write_text(folder, "my results/ndss2020-fig1-3/run.json", "{\n\t\"seed\":\t7,\n\t\"repetitions\":\t5000\n}\n");
    run_well("sh scripts/reproduction.sh '%s/my results' > '%s/page.md'", folder, folder);
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

static void calibrate_agreement(const char *folder, const char *fitted_sd, const char *expected)
{
    char table[1024];

    snprintf(table, sizeof table,
             "experiment,dataset,d,n,oracle,epsilon,repetitions,from,to,fraction,fraction_stderr,density,fitted_mean,"
             "fitted_mean_stderr,fitted_sd,fitted_sd_stderr,predicted_sd\n"
             "t,kosarak,41270,8019015,oue,1,30,,-1,1,0,,1,5,%s,3,5434.3146536055065\n",
             fitted_sd);
    run_well("mkdir -p '%s/my results/calibrate2019-fig4'", folder);
    write_text(folder, "my results/calibrate2019-fig4/noise.csv", table);
    write_text(folder, "my results/calibrate2019-fig4/run.json", "{\n\t\"seed\":\t7,\n\t\"repetitions\":\t30\n}\n");
    run_well("sh scripts/reproduction-calibrate.sh '%s/my results' > '%s/page.md'", folder, folder);
    demand_within(folder, "page.md", expected);
    demand_within(folder, "page.md", "| 5434 | 5434.3, standard deviation |  | agrees");
}

/* The paper prints 5405 of one collection, whose error is 19. */
Test(plots, calibrate_agreement_goes_by_the_error)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    calibrate_agreement(folder, "5470", "| 5405 | 5470.0 ± 3.0, standard deviation | +3.4 | agrees");
    calibrate_agreement(folder, "5490", "| 5405 | 5490.0 ± 3.0, standard deviation | +4.4 | **differs**");
}

/* Where oracles outnumber methods they are the curves; a parameter that the oracles sweep is the axis, and an oracle
 * without it a line across. */
Test(plots, oracles_are_curves)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    lay_out(folder, "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,olh,1,base_pos,full_domain,,3,2e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,flh(k=10),1,base,full_domain,,3,5e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,flh(k=10),1,base_pos,full_domain,,3,6e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,flh(k=20),1,base,full_domain,,3,3e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,flh(k=20),1,base_pos,full_domain,,3,4e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,flh(k=30),1,base,full_domain,,3,2e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,flh(k=30),1,base_pos,full_domain,,3,3e-4,1e-5,1e-6\n");
    demand_within(folder, "full_domain.curves.gp", "panels = 2");
    demand_within(folder, "full_domain.curves.gp", "xtitle = \"k of FLH\"");
    demand_within(folder, "full_domain.curves.gp", "\"zipf, Base-Pos\"");
    demand_within(folder, "full_domain.curves.gp",
                  "# olh\n10 0.0001 9.9e-05 0.000101 NaN\n30 0.0001 9.9e-05 0.000101 NaN\n# end");
    demand_within(folder, "full_domain.curves.gp", "# flh\n10 0.0005 0.000499 0.000501 NaN\n20 0.0003 ");
}

Test(plots, budgets_are_curves_over_the_parameter_of_one_oracle)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    lay_out(folder, "t,zipf,8,1000,hm(t=1),1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,hm(t=2),1,base,full_domain,,3,2e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,hm(t=3),1,base,full_domain,,3,3e-4,1e-5,1e-6\n"
                    "t,zipf,8,1000,hm(t=1),2,base,full_domain,,3,1e-5,1e-5,1e-6\n"
                    "t,zipf,8,1000,hm(t=2),2,base,full_domain,,3,2e-5,1e-5,1e-6\n"
                    "t,zipf,8,1000,hm(t=3),2,base,full_domain,,3,3e-5,1e-5,1e-6\n");
    demand_within(folder, "full_domain.curves.gp", "panels = 1");
    demand_within(folder, "full_domain.curves.gp", "xtitle = \"t of HM\"");
    demand_within(folder, "full_domain.curves.gp", "curve_title[2] = \"ε = 2\"");
}

/* A panel for each part of the time; by counts only the total. */
Test(plots, times)
{
    static const char header[] =
        "experiment,dataset,d,n,oracle,epsilon,simulation,repetitions,client_seconds,client_stderr,server_seconds,"
        "server_stderr,decode_seconds,decode_stderr,total_seconds,total_stderr\n";
    static const struct {
        const char *rows, *panels;
    } tables[] = {
        {"t,zipf,8,1000,oue,1,reports,3,0.1,0.01,0.2,0.01,0.3,0.01,0.6,0.02\n"
         "t,zipf,16,1000,oue,1,reports,3,0.2,0.01,0.2,0.01,0.3,0.01,0.7,0.02\n",
         "panels = 4"},
        {"t,zipf,8,1000,oue,1,counts,3,,,,,,,0.6,0.02\nt,zipf,16,1000,oue,1,counts,3,,,,,,,0.7,0.02\n", "panels = 1"}};
    char folder[PATH_ROOM], text[1024];

    temporary_folder(folder);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s%s", header, tables[i].rows);
        write_text(folder, "times.csv", text);
        run_well(LAY_OUT "curves.awk -v table=times -v out='%s' plots/methods.tsv '%s/times.csv'", folder, folder);
        demand_within(folder, "times.curves.gp", tables[i].panels);
        demand_within(folder, "times.curves.gp", "ytitle = \"seconds\"");
        demand_within(folder, "times.curves.gp", "\"zipf, total\"");
        demand_within(folder, "times.curves.gp", "8 0.6 0.58 0.62 NaN\n16 0.7 0.68 0.72 NaN");
    }
}

/* test_plots.c - pictures: what they show of a table, and what becomes of failures. Tables are made up here, so that
 * what must come out is known. */
#include "program.h"
#include "quick.h"
#include "results/label.h"
#include "run/provenance.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a picture shows ---- */

/* The numbers of the pictures of rows of mse.csv. */
static void show(const char *folder, const char *rows)
{
    write_table(folder, "mse.csv", mse_header, rows);
    run_well("ldpbench plot '%s' --format tsv", folder);
}

FolderTest(plots, x_is_what_was_swept)
{
    show(folder, "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,2,base,full_domain,,3,1e-5,1e-6,1e-7\n"
                 "t,zipf,8,1000,olh,1,base,set_value,10,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,1,base,set_value,20,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,1,base,set_value,30,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,1,base,top_k,2,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,1,base_pos,top_k,2,3,1e-4,1e-5,1e-6\n");
    demand_within(folder, "full_domain.tsv", "# panel 1, x: privacy budget ε,");
    demand_within(folder, "full_domain.tsv", "1\tpoint\tBase\t2\t1e-05\n");
    demand_within(folder, "full_domain.tsv", "1\tbar\tBase\t2\t9.9e-06\t1.01e-05\n");
    demand_within(folder, "set_value.tsv", "percent of the domain");
    demand_within(folder, "top_k.tsv", "# panel 1, x: names");
}

/* By hand: any column of numbers is the axis, any column curves. */
FolderTest(plots, axis_and_curves_by_hand)
{
    static const char rows[] = "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                               "t,zipf,8,2000,olh,1,base,full_domain,,3,2e-4,1e-5,1e-6\n"
                               "t,zipf,8,1000,olh,2,base,full_domain,,3,3e-5,1e-6,1e-7\n"
                               "t,zipf,8,2000,olh,2,base,full_domain,,3,4e-5,1e-6,1e-7\n"
                               "t,zipf,8,1000,olh,3,base,full_domain,,3,5e-5,1e-6,1e-7\n"
                               "t,zipf,8,2000,olh,3,base,full_domain,,3,6e-5,1e-6,1e-7\n";

    show(folder, rows);
    demand_within(folder, "full_domain.tsv", "1\tpoint\tn = 2,000\t3\t6e-05\n");
    run_well("ldpbench plot '%s' --format tsv --x n --curves epsilon", folder);
    demand_within(folder, "full_domain.tsv", "1\tpoint\tε = 3\t2000\t6e-05\n");
    run_well("ldpbench plot '%s' --format tsv --curves method", folder);
    demand_within(folder, "full_domain.tsv", "2\tpoint\tBase\t3\t6e-05\n");
    demand_failure(2, "--x: expected a column of numbers", "ldpbench plot '%s' --x method", folder);
    demand_failure(2, "--curves: expected a key column of a table, got \"methods\"",
                   "ldpbench plot '%s' --curves methods", folder);
    demand_failure(2, "--curves: expected another key than --x has, got \"epsilon\" twice",
                   "ldpbench plot '%s' --x epsilon --curves epsilon", folder);
}

/* Powers of two on an axis of these, powers of ten on other logarithmic axes; large sizes in a unit. */
FolderTest(plots, tics_of_sizes)
{
    static const struct {
        unsigned d[5];
        const char *tics;
    } axes[] = {
        {{4, 33, 256, 2048}, "set format x \"10^{%T}\"\nset xtics enhanced norotate autojustify 10\n"},
        {{4, 16, 64, 256, 1024}, "set format x \"%g\"\nset xtics enhanced norotate autojustify 4\n"},
        {{65536, 131072, 262144, 524288, 1048576},
         "set format x \"2^{%L}\"\nset xtics enhanced norotate autojustify 2\n"},
        {{20000, 40000, 60000, 100000}, "set format x \"%g\"\nset xtics enhanced norotate autojustify 2\n"},
    };

    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        size_t used = 0;
        char rows[1000];
        for (size_t j = 0; j < 5 && axes[i].d[j] > 0; j++)
            used += (size_t)snprintf(rows + used, sizeof rows - used,
                                     "t,zipf,%u,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n", axes[i].d[j]);
        write_table(folder, "mse.csv", mse_header, rows);
        run_well("ldpbench plot '%s' --format tsv --keep", folder);
        demand_within(folder, "full_domain.gp", axes[i].tics);
    }
    demand_within(folder, "full_domain.tsv", "domain size d / 10⁴");
}

/* However many oracles there are, they stand in one panel: sides are the methods'. */
FolderTest(plots, oracles_stay_together)
{
    show(folder, "t,zipf,8,1000,grr,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,sue,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,oue,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,blh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,ss,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,hr,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,grr,2,base,full_domain,,3,1e-4,1e-5,1e-6\n");
    demand_within(folder, "full_domain.tsv", "# panel 1,");
    demand_absent(folder, "full_domain.tsv", "# panel 2");
}

FolderTest(plots, other_variables_make_panels)
{
    show(folder, "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,2,base,full_domain,,3,1e-5,1e-6,1e-7\n"
                 "t,zipf,8,1000,olh,3,base,full_domain,,3,1e-5,1e-6,1e-7\n"
                 "t,zipf,8,1000,olh,1,norm,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,90000,olh,1,base,full_domain,,3,1e-6,1e-7,1e-8\n"
                 "t,emoji-model,9,1000,olh,1,base,full_domain,,3,1e-6,1e-7,1e-8\n");
    demand_within(folder, "full_domain.tsv", "# panel 2: Zipf, d = 8, n = 90,000\n");
    demand_within(folder, "full_domain.tsv", "# panel 3: emoji-model, d = 9, n = 1,000\n");
    demand_absent(folder, "full_domain.tsv", "# panel 4");
}

/* What was swept together with x, such as n with epsilon, makes no panels. */
FolderTest(plots, what_moves_with_x_makes_no_panels)
{
    show(folder, "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,2000,olh,2,base,full_domain,,3,1e-5,1e-6,1e-7\n"
                 "t,zipf,8,3000,olh,3,base,full_domain,,3,1e-5,1e-6,1e-7\n");
    demand_within(folder, "full_domain.tsv", "1\tpoint\tBase\t3\t1e-05\n");
    demand_absent(folder, "full_domain.tsv", "# panel 2");
}

/* An error of 0 or none at all has no place on a logarithmic axis, and one repetition no error bar. */
FolderTest(plots, missing_numbers)
{
    show(folder, "t,zipf,8,1000,exact,1,base,full_domain,,1,0,,\n"
                 "t,zipf,8,1000,exact,2,base,full_domain,,1,,,\n"
                 "t,zipf,8,1000,exact,3,base,full_domain,,1,1e-3,,\n"
                 "t,zipf,8,1000,exact,4,base,full_domain,,1,1e-2,,\n");
    demand_within(folder, "full_domain.tsv", "...\n1\tline\tBase\t3\t0.001\n1\tline\tBase\t4\t0.01\n1\tpoint");
    demand_within(folder, "full_domain.tsv", "values of 0 have no place");
}

/* A panel a measure, linear; the significance threshold of the same collections is marked among the others. */
FolderTest(plots, measures_make_panels)
{
    static const char header[] =
        "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,precision,precision_stderr,recall,"
        "recall_stderr,f_score,f_score_stderr,named,named_stderr,threshold,precision_defined,recall_defined,"
        "f_score_defined,named_defined\n";
    static const char rows[] =
        "t,zipf,8,1000,oue,1,base,heavy_hitters,20,3,0.5,0.01,0.25,0.02,,,,,20,3,3,0,0\n"
        "t,zipf,8,1000,oue,1,base,heavy_hitters,30,3,,,1,0,,,,,30,0,3,0,0\n"
        "t,zipf,8,1000,oue,1,base,heavy_hitters(scale=significance),0.05,3,0.5,0.01,0.25,0.02,,,,,27.5,3,3,0,0\n";

    write_table(folder, "heavy_hitters.csv", header, rows);
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "heavy_hitters.tsv", "# panel 1, y: precision, linear");
    demand_within(folder, "heavy_hitters.tsv", "# panel 2, y: recall, linear");
    demand_absent(folder, "heavy_hitters.tsv", "# panel 3");
    demand_within(folder, "heavy_hitters.tsv", "2\tline\tBase\t20\t0.25\n2\tline\tBase\t30\t1\n");
    demand_within(folder, "heavy_hitters.tsv", "threshold in users");
    demand_within(folder, "heavy_hitters.tsv", "2\tline\tthreshold\t27.5\t");
    demand_absent(folder, "heavy_hitters_scale=significance_.tsv", "line\tthreshold");
}

/* A measure that has a range of its own has it in all panels, also where that leaves one nearly empty. */
FolderTest(plots, bounded_measures_share_their_range)
{
    static const char header[] =
        "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,precision,precision_stderr,recall,"
        "recall_stderr,f_score,f_score_stderr,named,named_stderr,threshold,precision_defined,recall_defined,"
        "f_score_defined,named_defined\n";
    static const char rows[] = "t,zipf,8,1000,oue,1,base,heavy_hitters,20,3,0.1,0.01,,,,,,,20,3,0,0,0\n"
                               "t,zipf,8,1000,oue,1,base,heavy_hitters,30,3,0.12,0.01,,,,,,,30,3,0,0,0\n"
                               "t,uniform,8,1000,oue,1,base,heavy_hitters,20,3,0.8,0.01,,,,,,,20,3,0,0,0\n"
                               "t,uniform,8,1000,oue,1,base,heavy_hitters,30,3,0.82,0.01,,,,,,,30,3,0,0,0\n";

    write_table(folder, "heavy_hitters.csv", header, rows);
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "heavy_hitters.tsv", "# panel 1, y: precision, linear from 0 to 0.8632\n");
    demand_within(folder, "heavy_hitters.tsv", "# panel 2, y: linear from 0 to 0.8632\n");
}

/* Counts 5, 1, 1, 0 of four values; the panel of other data shares the range of fractions. */
FolderTest(plots, distribution_of_counts)
{
    static const char header[] = "experiment,dataset,d,n,oracle,epsilon,method,rank,value,count,mean,bias,variance\n";
    static const char rows[] = "t,mine,4,7,exact,1,base,1,\"a,b\",5,5,0,\n"
                               "t,mine,4,7,exact,1,base,2,c,1,1,0,\n"
                               "t,mine,4,7,exact,1,base,3,d,1,1,0,\n"
                               "t,mine,4,7,exact,1,base,4,e,0,0,0,\n"
                               "t,mine,4,7,exact,1,norm,1,\"a,b\",5,5,0,\n"
                               "t,yours,2,4,exact,1,base,1,a,2,2,0,\n"
                               "t,yours,2,4,exact,1,base,2,c,2,2,0,\n";

    write_table(folder, "values.csv", header, rows);
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "distribution.tsv", "...\n1\tpoint\t\t5\t0.25\n1\tpoint\t\t1\t0.5\n");
    demand_within(folder, "distribution.tsv", "1 value with zero frequency");
    demand_within(folder, "distribution.tsv",
                  "# panel 1, y: fraction of values, logarithmic from 0.2173913043 to 1.15\n");
    demand_within(folder, "distribution.tsv",
                  "# panel 2, y: fraction of values, logarithmic from 0.2173913043 to 1.15\n");
}

/* Means, biases and variances of every value; a negative mean has its place, and a method far beyond the others a scale
 * of its own. */
FolderTest(plots, values_of_a_cell)
{
    static const char sums_header[] = "experiment,dataset,d,n,oracle,epsilon,method,repetitions,bias_sum,stderr\n";
    static const char header[] = "experiment,dataset,d,n,oracle,epsilon,method,rank,value,count,mean,bias,variance\n";
    static const char *const methods[] = {"base", "norm", "norm_sub", "norm_mul"};
    char rows[2000], sums[1000];
    size_t used = 0, used_sums = 0;

    for (size_t m = 0; m < 4; m++) {
        used += (size_t)snprintf(rows + used, sizeof rows - used,
                                 "t,mine,3,100,olh,1,%s,1,a,90,80,%d,%d\nt,mine,3,100,olh,1,%s,2,b,9,12,3,200\n"
                                 "t,mine,3,100,olh,1,%s,3,c,1,-20,-21,100\n",
                                 methods[m], m == 3 ? -99999 : -10, m == 3 ? 90000 : 300, methods[m], methods[m]);
        used_sums += (size_t)snprintf(sums + used_sums, sizeof sums - used_sums, "t,mine,3,100,olh,1,%s,50,-28,1234\n",
                                      methods[m]);
    }

    write_text(folder, "run.json", "{\"repetitions\": 50}\n");
    write_table(folder, "values.csv", header, rows);
    write_table(folder, "bias_sums.csv", sums_header, sums);
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "mean.tsv", "1\tpoint\tmean\t3\t-20\n");
    demand_within(folder, "mean.tsv", "# panel 1, y: users, signed logarithmic from -32 to");
    demand_within(folder, "mean.tsv", "50 repetitions");
    demand_within(folder, "bias.tsv", "# panel 4: Norm-Mul, sum −28 ± 1,234\n");
    for (int panel = 1; panel <= 4; panel++) {
        char scale[100];

        snprintf(scale, sizeof scale, "# panel %d, y: %ssigned logarithmic from -159998.4 to 4.8\n", panel,
                 panel % 3 == 1 ? "bias in users, " : "");
        demand_within(folder, "bias.tsv", scale);
        snprintf(scale, sizeof scale, "# panel %d, y: %ssigned logarithmic from 0 to 1440\n", panel,
                 panel % 3 == 1 ? "variance of users / n, " : "");
        demand_within(folder, "variance.tsv", scale);
    }
}

/* Where oracles outnumber methods they are the curves; a parameter that the oracles sweep is the axis, and an oracle
 * without it a line across. */
FolderTest(plots, oracles_are_curves)
{
    show(folder, "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,1,base_pos,full_domain,,3,2e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh(k=10),1,base,full_domain,,3,5e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh(k=10),1,base_pos,full_domain,,3,6e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh(k=20),1,base,full_domain,,3,3e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh(k=20),1,base_pos,full_domain,,3,4e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh(k=30),1,base,full_domain,,3,2e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh(k=30),1,base_pos,full_domain,,3,3e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh(k=40),1,base,full_domain,,3,2e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,flh(k=40),1,base_pos,full_domain,,3,3e-4,1e-5,1e-6\n");
    demand_within(folder, "full_domain.tsv", "# panel 2: Base-Pos\n");
    demand_absent(folder, "full_domain.tsv", "# panel 3");
    demand_within(folder, "full_domain.tsv", "# panel 1, x: k of FLH,");
    demand_within(folder, "full_domain.tsv", "1\tline\tOLH\t10\t0.0001\n1\tline\tOLH\t40\t0.0001\n");
    demand_within(folder, "full_domain.tsv", "1\tline\tFLH\t10\t0.0005\n1\tline\tFLH\t20\t0.0003\n");
}

/* A label without a parameter has its default; where several oracles sweep a parameter the axis is of none of them.
 * What is left out may be an oracle, whatever its parameter. */
FolderTest(plots, oracles_over_a_parameter_that_all_have)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"repetitions\": 2, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
               " \"oracles\": [{\"name\": \"count_min\", \"rows\": 8}, {\"name\": \"count_min\", \"rows\": 16},"
               " \"count_min\", {\"name\": \"count_min\", \"rows\": 64}, {\"name\": \"count_sketch\", \"rows\": 8},"
               " {\"name\": \"count_sketch\", \"rows\": 64},"
               " {\"name\": \"count_sketch\", \"rows\": 8, \"signs\": \"parity\", \"label\": \"mistake(rows=8)\"},"
               " {\"name\": \"count_sketch\", \"rows\": 64, \"signs\": \"parity\", \"label\": \"mistake(rows=64)\"}],"
               " \"epsilon\": 1, \"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}],"
               " \"pictures\": [{\"picture\": \"full_domain\", \"leave_out\": [\"mistake\"]}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet 2>note && ldpbench plot r --format tsv");
    demand_within(folder, "r/full_domain.tsv", "x: rows r of a sketch,");
    demand_within(folder, "r/full_domain.tsv", "\tline\tCount-min\t32\t");
    demand_within(folder, "r/full_domain.tsv", "\tline\tCount sketch\t64\t");
    demand_absent(folder, "r/full_domain.tsv", "mistake");
    run_in(folder, "ldpbench plot r --x rows --format tsv");
}

/* Calibrate's Figure 7 leaves out the method that is called as its only oracle is: the others stay. */
FolderTest(plots, method_called_as_its_oracle_is_left_out)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"repetitions\": 2, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
               " \"oracles\": [\"oue\"], \"epsilon\": [1, 2], \"methods\": [{\"name\": \"base\", \"label\": \"oue\"},"
               " \"norm\"], \"queries\": [\"full_domain\"],"
               " \"pictures\": [{\"picture\": \"full_domain\", \"leave_out\": [\"oue\"]}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv");
    demand_within(folder, "r/full_domain.tsv", "\tline\tNorm\t2\t");
    demand_absent(folder, "r/full_domain.tsv", "\tline\tOUE\t");
}

/* Lines of captions end between words, but not beside "=". */
Test(plots, lines_do_not_break_beside_an_equals_sign)
{
    cr_expect_eq(label_fit("Zipf (s = 1.1)", label_width("Zipf (s = 1")), strlen("Zipf"));
    cr_expect_eq(label_fit("Zipf (s = 1.1)", label_width("Zipf (s =")), strlen("Zipf"));
    cr_expect_eq(label_fit("ab cd", label_width("ab c")), strlen("ab"));
}

FolderTest(plots, budgets_are_curves_over_the_parameter_of_one_oracle)
{
    show(folder, "t,zipf,8,1000,hm(t=1),1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,hm(t=2),1,base,full_domain,,3,2e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,hm(t=3),1,base,full_domain,,3,3e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,hm(t=4),1,base,full_domain,,3,3e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,hm(t=1),2,base,full_domain,,3,1e-5,1e-5,1e-6\n"
                 "t,zipf,8,1000,hm(t=2),2,base,full_domain,,3,2e-5,1e-5,1e-6\n"
                 "t,zipf,8,1000,hm(t=3),2,base,full_domain,,3,3e-5,1e-5,1e-6\n"
                 "t,zipf,8,1000,hm(t=4),2,base,full_domain,,3,3e-5,1e-5,1e-6\n");
    demand_absent(folder, "full_domain.tsv", "# panel 2");
    demand_within(folder, "full_domain.tsv", "x: t of HM,");
    demand_within(folder, "full_domain.tsv", "1\tpoint\tε = 2\t3\t3e-05\n");
}

/* A panel for each part of the time; by counts only the total. */
FolderTest(plots, times)
{
    static const char header[] =
        "experiment,dataset,d,n,oracle,epsilon,simulation,repetitions,client_seconds,client_stderr,server_seconds,"
        "server_stderr,decode_seconds,decode_stderr,total_seconds,total_stderr\n";

    write_table(folder, "times.csv", header,
                "t,zipf,8,1000,oue,1,reports,3,0.1,0.01,0.2,0.01,0.3,0.01,0.6,0.02\n"
                "t,zipf,16,1000,oue,1,reports,3,0.2,0.01,0.2,0.01,0.3,0.01,0.7,0.02\n");
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "times.tsv", "# panel 4: seconds of a collection\n");
    demand_within(folder, "times.tsv", "4\tpoint\tOUE\t16\t0.7\n");
    write_table(folder, "times.csv", header,
                "t,zipf,8,1000,oue,1,counts,3,,,,,,,0.6,0.02\nt,zipf,16,1000,oue,1,counts,3,,,,,,,0.7,0.02\n");
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "times.tsv", "# panel 1, y: seconds,");
    demand_absent(folder, "times.tsv", "# panel 2");
}

/* Many methods go left and right; both have one range. */
FolderTest(plots, left_and_right_share_their_range)
{
    static const char *const methods[] = {"base",     "base_pos", "post_pos", "norm",
                                          "norm_mul", "norm_sub", "base_cut", "power"};
    char rows[2000];
    size_t used = 0;

    for (size_t m = 0; m < 8; m++)
        for (int epsilon = 1; epsilon <= 2; epsilon++)
            used += (size_t)snprintf(rows + used, sizeof rows - used,
                                     "t,zipf,8,1000,olh,%d,%s,full_domain,,3,%g,1e-9,1e-10\n", epsilon, methods[m],
                                     m < 6 ? 1e-4 / (double)(epsilon + (int)m) : 1e-7);

    show(folder, rows);
    char *const text = read_text(folder, "full_domain.tsv");
    char *left = strstr(text, "# panel 1, y:");
    char *right = strstr(text, "# panel 2, y:");
    cr_assert(left && right);
    left = strstr(left, "logarithmic");
    right = strstr(right, "logarithmic");
    cr_assert(left && right);
    cr_expect_eq(strncmp(left, right, strcspn(left, "\n")), 0, "%s", text);
    free(text);
}

/* A method far above the others on the left does not squeeze those on the right. */
FolderTest(plots, right_panel_is_not_squeezed)
{
    static const char *const methods[] = {"base",     "base_pos", "post_pos", "norm",
                                          "norm_mul", "norm_sub", "base_cut", "power"};
    char rows[2000];
    size_t used = 0;

    for (size_t m = 0; m < 8; m++)
        for (int epsilon = 1; epsilon <= 2; epsilon++)
            used += (size_t)snprintf(rows + used, sizeof rows - used,
                                     "t,zipf,8,1000,olh,%d,%s,full_domain,,3,%g,1e-9,1e-10\n", epsilon, methods[m],
                                     (m == 4 ? 1e-2 : 1e-6) / (double)epsilon);

    show(folder, rows);
    char *const text = read_text(folder, "full_domain.tsv");
    const char *const right = strstr(text, "# panel 2, y:");
    cr_assert(right);
    const char *const range = strstr(right, "logarithmic");
    double low, high;
    cr_assert(range && sscanf(range, "logarithmic from %lf to %lf", &low, &high) == 2, "%s", text);
    cr_expect(high < 1e-5, "%s", text);
    free(text);
}

/* More than twenty points: few marks, and a band instead of bars. More than four pages: on request. */
FolderTest(plots, dense_curves_and_many_pages)
{
    enum { ROOM = 100000 };
    char *const rows = malloc(ROOM);
    size_t used = 0;

    for (int i = 1; i <= 24; i++)
        used += (size_t)snprintf(rows + used, ROOM - used, "t,zipf,8,1000,olh,%d,base,full_domain,,3,%g,1e-9,1e-10\n",
                                 i, 1e-4 / i);

    show(folder, rows);
    demand_within(folder, "full_domain.tsv", "1\tband\tBase\t24\t");
    demand_absent(folder, "full_domain.tsv", "\tbar\t");
    char *const text = read_text(folder, "full_domain.tsv");
    size_t marks = 0;
    for (const char *at = text; (at = strstr(at, "\tpoint\t")) != NULL; at++)
        marks++;
    cr_expect(marks >= 6 && marks <= 12, "%zu marks", marks);
    free(text);

    used = 0;
    for (int d = 0; d < 70; d++)
        for (int i = 1; i <= 2; i++)
            used += (size_t)snprintf(rows + used, ROOM - used,
                                     "t,data%d,8,1000,olh,%d,base,full_domain,,3,%g,1e-9,1e-10\n", d, i, 1e-4 / i);
    write_table(folder, "mse.csv", mse_header, rows);
    struct outcome outcome = run_shell("ldpbench plot '%s' --format tsv", folder);
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_expect(strstr(outcome.err, "full_domain: 70 panels on 6 pages"), "%s", outcome.err);
    cr_expect_str_empty(outcome.out);
    outcome_free(&outcome);
    run_well("ldpbench plot '%s' --format tsv --all-pages && [ -e '%s/full_domain-6.tsv' ]", folder, folder);
    free(rows);
}

/* Base is best for few users and small budgets, norm beyond; at one point nobody can tell. */
static void write_map(const char *folder)
{
    char *rows = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&rows, &size);

    for (int n = 1; n <= 6; n++)
        for (int epsilon = 1; epsilon <= 5; epsilon++) {
            const double base = 1e-3 / (n * epsilon), norm = base * (n + epsilon < 7          ? 4
                                                                     : n == 6 && epsilon == 5 ? 0.999
                                                                                              : 0.25);

            fprintf(out, "t,zipf,8,%d000,olh,%d,base,full_domain,,30,%g,%g,%g\n", n, epsilon, base, base / 9,
                    base / 50);
            fprintf(out, "t,zipf,8,%d000,olh,%d,norm,full_domain,,30,%g,%g,%g\n", n, epsilon, norm, norm / 9,
                    norm / 50);
        }
    fclose(out);
    write_table(folder, "mse.csv", mse_header, rows);
    free(rows);
}

/* A sweep of six budgets with equal ratios. */
static void write_log_map(const char *folder, double ratio)
{
    char *rows = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&rows, &size);

    for (int n = 1; n <= 5; n++)
        for (int i = 0; i < 6; i++)
            for (int method = 0; method < 2; method++)
                fprintf(out, "t,zipf,8,%d000,olh,%.15g,%s,full_domain,,30,%d,0.1,0.02\n", n, 0.15 * pow(ratio, i),
                        method ? "base" : "norm", 1 + (method == (i > 2)));
    fclose(out);
    write_table(folder, "mse.csv", mse_header, rows);
    free(rows);
}

static size_t count_lines(const char *folder, const char *name, const char *start)
{
    char *const text = read_text(folder, name);
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, start)) != NULL; at++)
        count++;
    free(text);
    return count;
}

FolderTest(plots, maps_of_what_is_best)
{
    write_map(folder);
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "full_domain-map.tsv", "Which method has the lowest MSE of all frequencies");
    demand_within(folder, "full_domain-map.tsv", "x: privacy budget ε, linear from 0.5 to 5.5");
    demand_within(folder, "full_domain-map.tsv", "y: number of users n, linear from 500 to 6500");
    /* Cells of one colour in a row are one box: two in rows 2 to 5, one in the first; a paler one more in the last. */
    cr_expect_eq(count_lines(folder, "full_domain-map.tsv", "\tbox\t"), 1 + 4 * 2 + 2);
    /* One point is inconclusive: the two ends of a diagonal, and what ends it. */
    cr_expect_eq(count_lines(folder, "full_domain-map.tsv", "\tinconclusive\t"), 3);
    demand_within(folder, "full_domain-map.tsv",
                  "1\tline\tinconclusive\t4.5\t5500\n1\tline\tinconclusive\t5.5\t6500\n");
}

/* Methods that share a colour where they are curves have different ones where they are regions: five of them, each the
 * best at one budget by the same lead, are five boxes in a row of the map. */
FolderTest(plots, regions_of_a_map_differ_in_colour)
{
    static const char *const method[] = {"norm_mul", "npmle", "npmle_ns", "mle_apx", "composite_mle"};
    char *rows = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&rows, &size);

    for (int n = 1; n <= 5; n++)
        for (int epsilon = 1; epsilon <= 5; epsilon++)
            for (int m = 0; m < 5; m++) {
                const double mse = 1e-3 * (m + 1 == epsilon ? 1 : 4);

                fprintf(out, "t,zipf,8,%d000,olh,%d,%s,full_domain,,30,%g,%g,%g\n", n, epsilon, method[m], mse, mse / 9,
                        mse / 50);
            }
    fclose(out);

    write_table(folder, "mse.csv", mse_header, rows);
    free(rows);
    run_well("ldpbench plot '%s' --format tsv", folder);
    cr_expect_eq(count_lines(folder, "full_domain-map.tsv", "\tbox\t"), 5 * 5);
}

/* A key that was swept logarithmically has such an axis, unless it hardly varies. */
FolderTest(plots, maps_of_a_logarithmic_sweep)
{
    write_log_map(folder, 2);
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "full_domain-map.tsv", "x: privacy budget ε, logarithmic from 0.10606");
    write_log_map(folder, 1.2);
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "full_domain-map.tsv", "x: privacy budget ε, linear from");
}

/* ---- drawing ---- */

static const char two_rows[] = "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                               "t,zipf,8,1000,olh,2,base,full_domain,,3,1e-5,1e-6,1e-7\n";

FolderTest(plots, pictures_of_a_run, SLOW, .timeout = 200)
{
    static const char config[] =
        "{\"name\": \"p\", \"repetitions\": 3, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, "
        "\"n\": 1000}], \"oracles\": [\"olh\", \"exact\"], \"epsilon\": [1, 2], \"methods\": [\"base\", \"power_ns\"], "
        "\"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"heavy_hitters\", \"threshold\": [50, 150, 200]}, "
        "{\"type\": \"heavy_hitters\", \"scale\": \"significance\", \"threshold\": 0.05}], "
        "\"outputs\": [\"mse\", \"values\", \"noise\"]}";

    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");

    write_text(folder, "p.json", config);
    run_in(folder, "ldpbench run p.json --quiet -o r");
    struct outcome outcome = shell_in(folder, "ldpbench plot r --format svg --format pdf --format png");
    cr_assert_eq(outcome.status, 0, "plot: %s", outcome.err);
    cr_assert_str_empty(outcome.err, "%s", outcome.err);
    cr_assert(strstr(outcome.out, "r/full_domain.svg") && strstr(outcome.out, "r/bias-2.svg") &&
                  strstr(outcome.out, "r/heavy_hitters-1.pdf") && strstr(outcome.out, "r/noise.svg") &&
                  strstr(outcome.out, "r/distribution.png"),
              "drew only: %s", outcome.out);
    outcome_free(&outcome);
    char results[PATH_ROOM + 8];
    snprintf(results, sizeof results, "%s/r", folder);
    demand_within(results, "full_domain.svg", ">PowerNS<");
    demand_within(results, "full_domain.svg", "<desc>Drawn by ldpbench ");
    demand_pictures_well_formed(results);
    /* With the rights that any new file of the user has. */
    run_in(results, "umask 027 && rm full_domain.svg && ldpbench plot . && "
                    "[ $(stat -c %%a full_domain.svg) = 640 ]");
    /* As wide as a page of two columns, fonts inside. */
    if (has_program("pdffonts"))
        run_in(results, "pdfinfo full_domain.pdf | grep -q 'Page size:  *515' && pdffonts full_domain.pdf > fonts && "
                        "grep -q DejaVu fonts && ! awk 'NR > 2 && $(NF - 4) != \"yes\"' fonts | grep .");
}

/* The config may say a caption, names, and what a picture leaves out. */
FolderTest(plots, words_of_the_config)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"repetitions\": 3, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
               " \"oracles\": [\"olh\"], \"epsilon\": [1, 2], \"methods\": [\"base\", \"norm\"],"
               " \"queries\": [{\"type\": \"full_domain\"}], \"pictures\": [{\"picture\": \"full_domain\","
               " \"caption\": \"Figure 7. Mine\", \"leave_out\": [\"norm\"], \"names\": {\"olh\": \"Local\"}},"
               " {\"picture\": \"n_equivalent\", \"names\": {\"norm\": \"N\", \"epsilon\": \"the budget\"}}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv");
    demand_within(folder, "r/full_domain.tsv", "# Figure 7. Mine. Uniform, d = 8, n = 1,000, Local, Base.");
    demand_within(folder, "r/full_domain.tsv", "\tBase\t");
    demand_absent(folder, "r/full_domain.tsv", "\tNorm\t");
    demand_within(folder, "r/n_equivalent.tsv", "\tN\t");
    demand_within(folder, "r/n_equivalent.tsv", "; N is Norm");
    demand_within(folder, "r/n_equivalent.tsv", "x: the budget,");
}

/* Squared errors of counts are n^2 times those of frequencies, and so are their bars. */
FolderTest(plots, errors_in_counts)
{
    write_text(
        folder, "c.json", /* frequencies 2/3 and 1/3: an error of 1/36, 900^2 times this in counts */
        "{\"name\": \"c\", \"repetitions\": 3, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 2, \"n\": 900}],"
        " \"oracles\": [\"exact\"], \"epsilon\": [1, 2], \"methods\": [{\"name\": \"uniform\", \"label\": \"no_data\"}],"
        " \"queries\": [{\"type\": \"full_domain\"}], \"pictures\": [{\"picture\": \"full_domain\","
        " \"counts\": true, \"names\": {\"no_data\": \"No-Data\"}}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv");
    demand_within(folder, "r/full_domain.tsv", "y: MSE of all counts");
    demand_within(folder, "r/full_domain.tsv", "\tpoint\tNo-Data\t2\t22500\n");
    demand_absent(folder, "r/full_domain.tsv", "is no_data");
}

/* Predictions are points, what they predict are lines; both have bars. */
FolderTest(plots, predicted_and_actual_have_bars)
{
    write_table(folder, "selection.csv",
                "experiment,dataset,d,n,oracle,epsilon,surrogate,method,query,parameter,repetitions,predicted,"
                "predicted_stderr,actual,actual_stderr,chosen\n",
                "t,zipf,8,1000,olh,1,norm_sub,base,fixed_sets,,10,0.5,0.125,0.25,0.0625,0\n"
                "t,zipf,8,1000,olh,2,norm_sub,base,fixed_sets,,10,0.25,0.0625,0.125,0.03125,0\n");
    run_well("ldpbench plot '%s' --format tsv", folder);
    demand_within(folder, "selection.tsv", "1\tbar\tBase\t1\t0.375\t0.625\n");
    demand_within(folder, "selection.tsv", "1\tline\tBase\t1\t0.25\n");
    demand_within(folder, "selection.tsv", "1\tbar\tBase\t1\t0.1875\t0.3125\n");
}

/* A longer form of the same name, or another name of a parameter, is not explained. */
FolderTest(plots, names_of_the_config_that_need_no_words)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"repetitions\": 3, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
               " \"oracles\": [\"oue\", {\"name\": \"flh\", \"k\": 100}, {\"name\": \"flh\", \"k\": 500}],"
               " \"epsilon\": [1, 2], \"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}],"
               " \"pictures\": [{\"picture\": \"full_domain\", \"names\": {\"flh(k=100)\": \"FLH (k' = 100)\","
               " \"flh(k=500)\": \"FLH (k' = 500)\", \"oue\": \"OUE (unary)\"}}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv");
    demand_within(folder, "r/full_domain.tsv", "\tFLH (k' = 500)\t");
    demand_absent(folder, "r/full_domain.tsv", " is ");
}

/* The same column means something else in the table of another task. */
FolderTest(plots, axes_in_the_words_of_the_task)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"task\": \"marginals\", \"repetitions\": 2, \"datasets\": [{\"type\": \"chain\","
               " \"d\": [4, 6, 8], \"n\": 1000}], \"oracles\": [\"adaptive\"], \"epsilon\": 1,"
               " \"synopses\": [\"calm\", \"uniform\"], \"marginals\": {\"k\": 2, \"count\": 3}}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv");
    demand_within(folder, "r/marginals.tsv", "x: number of attributes d");
    demand_absent(folder, "r/marginals.tsv", "domain size");
}

/* Panels of several datasets and two methods: a row for each dataset, a column for each method. */
FolderTest(plots, panels_make_a_grid)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 3, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000},"
        " {\"type\": \"zipf\", \"s\": 1.1, \"d\": 16, \"n\": 2000}, {\"type\": \"zipf\", \"s\": 2, \"d\": 4, \"n\": 500}],"
        " \"oracles\": [\"grr\", \"sue\", \"oue\"], \"epsilon\": [1, 2], \"methods\": [\"base\", \"norm\"],"
        " \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv");
    demand_within(folder, "r/full_domain.tsv", "# panel 3, y: MSE");
    demand_within(folder, "r/full_domain.tsv", "# panel 5, y: MSE");
    demand_absent(folder, "r/full_domain.tsv", "# panel 4, y: MSE");
}

static bool is_made(const char *folder, const char *name)
{
    struct provenance *provenance;
    struct failure failure;

    cr_assert_eq(provenance_load(folder, &provenance, &failure), 0, "%s", failure.text);
    const bool made = provenance_made(provenance, name);
    provenance_free(provenance);
    return made;
}

/* run.json lists what was drawn, by its content; what would have been drawn again and was not goes, unless somebody has
 * changed it. */
FolderTest(plots, pictures_are_known_by_their_content)
{
    show(folder, "t,zipf,8,1000,olh,1,base,a,,3,1e-4,1e-5,1e-6\nt,zipf,8,1000,olh,1,base,b,,3,1e-4,1e-5,1e-6\n"
                 "t,zipf,8,1000,olh,1,base,c,,3,1e-4,1e-5,1e-6\n");
    write_text(folder, "mine.tsv", "a person's\n");
    cr_expect(is_made(folder, "a.tsv") && is_made(folder, "b.tsv") && is_made(folder, "c.tsv"));
    cr_expect_not(is_made(folder, "mine.tsv"));
    write_text(folder, "c.tsv", "changed\n");
    cr_expect_not(is_made(folder, "c.tsv"));
    /* Without b and c, as after another run. */
    run_in(folder, "head -n 2 mse.csv > new.csv && mv new.csv mse.csv");
    store_tables(folder);
    run_in(folder, "ldpbench plot . --format tsv && [ -e a.tsv ] && [ ! -e b.tsv ] && [ -e c.tsv ] && [ -e mine.tsv ]");
    cr_expect(is_made(folder, "a.tsv"));
    cr_expect_not(is_made(folder, "c.tsv"));
}

/* A full disk, or a limit of the size of files, for which a script is short enough and a picture is not: status 3, one
 * line, and nothing half-written. */
FolderTest(plots, no_room_for_pictures)
{
    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");

    write_table(folder, "mse.csv", mse_header, two_rows);
    demand_failure(3, "gnuplot ended before its picture; is there room",
                   "cd '%s' && ulimit -f 12 && ldpbench plot . --format png", folder);
    demand_failure(3, "cannot be read: Too many open files", "cd '%s' && ulimit -n 8 && ldpbench plot .", folder);
    run_in(folder, "[ \"$(ls -A | tr '\\n' ' ')\" = 'mse.csv run.json store.sqlite ' ]");
}

/* A reader that has seen enough is no failure of anything. */
FolderTest(plots, output_that_nobody_reads)
{
    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");

    write_table(folder, "mse.csv", mse_header, two_rows);
    struct outcome outcome = shell_in(folder, "ldpbench plot . --format svg --format pdf --format png | head -n 1");
    cr_expect_str_empty(outcome.err, "%s", outcome.err);
    cr_expect_str_eq(outcome.out, "./full_domain.svg\n");
    outcome_free(&outcome);
}

/* gnuplot that is missing, fails, says much, or ends too early: one line, status 3, no picture. */
FolderTest(plots, gnuplot_that_fails)
{
    static const struct {
        const char *script, *message;
    } cases[] = {
        {"echo first >&2; echo '   ^' >&2; echo 'last words' >&2; echo >&2; exit 1", "gnuplot failed: last words"},
        {"echo '<svg>'", "gnuplot ended before its picture"},
        {"kill -9 $$", "gnuplot failed"},
        {"echo 'gnuplot: cannot map libX: out of memory' >&2; exit 127", "gnuplot failed: gnuplot: cannot map libX"},
        {NULL, "gnuplot is not installed (Debian: gnuplot-nox)"}};

    write_table(folder, "mse.csv", mse_header, two_rows);
    run_well("mkdir '%s/bin'", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[200];

        snprintf(script, sizeof script, "#!/bin/sh\n%s\n", cases[i].script ? cases[i].script : "");
        write_text(folder, "bin/gnuplot", script);
        run_well("cd '%s/bin' && %s gnuplot", folder, cases[i].script ? "chmod +x" : "rm");
        demand_failure(3, cases[i].message, "PATH='%s/bin'%s ldpbench plot '%s'", folder,
                       cases[i].script ? ":$PATH" : "", folder);
        run_well("[ ! -e '%s/full_domain.svg' ]", folder);
    }
}

/* A folder without its store ends in one line that names it. */
FolderTest(plots, no_store)
{
    write_text(folder, "run.json", "{}\n");
    write_text(folder, "mse.csv", mse_header);
    demand_failure(2, "expected a folder of results with its store, or a store, got none", "ldpbench plot '%s'",
                   folder);
}

/* Many pages are drawn on request only, and what was there stays if nothing is drawn. */
FolderTest(plots, nothing_drawn_removes_nothing)
{
    char *rows = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&rows, &size);

    for (int d = 1; d <= 70; d++)
        for (int i = 1; i <= 2; i++)
            fprintf(out, "t,data%d,8,1000,olh,%d,base,full_domain,,3,%g,1e-9,1e-10\n", d, i, 1e-4 / i);
    fclose(out);
    write_table(folder, "mse.csv", mse_header, rows);
    free(rows);
    run_in(folder, "ldpbench plot . --format tsv --all-pages >first && [ -s first ]");
    struct outcome outcome = shell_in(folder, "ldpbench plot . --format tsv");
    cr_expect_eq(outcome.status, 0);
    cr_expect_str_empty(outcome.out);
    cr_expect(strstr(outcome.err, "Nothing was drawn; pictures that were there stay.\n"), "%s", outcome.err);
    outcome_free(&outcome);
    run_in(folder, "for f in $(cat first); do [ -e $f ] || exit 1; done");
}

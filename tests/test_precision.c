/* test_precision.c - as many repetitions as a precision needs: always the same bytes, and the requested precision. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char config[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": %s, \"outputs\": [\"mse\"%s],\n"
                             " \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 1000, \"s\": 1}],\n"
                             " \"oracles\": [\"grr\", \"olh\"], \"epsilon\": [0.5, 2],\n"
                             " \"methods\": [\"base\", \"norm\", \"norm_sub\"],\n"
                             " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"top_k\", \"k\": [2, 4]}]}\n";
static const char error[] = "{\"from\": 10, \"to\": 3000, \"error\": 0.05}";
static const char best[] = "{\"from\": 10, \"to\": 3000, \"decide\": \"best\"}";

static void write_config(const char *folder, const char *repetitions, const char *outputs)
{
    char text[2048];

    snprintf(text, sizeof text, config, repetitions, outputs);
    write_text(folder, "c.json", text);
}

/* Threads, interruptions, a folder that already has more or fewer repetitions, shards. */
Test(precision, the_way_does_not_show, SLOW, .timeout = 600)
{
    static const char *const rules[] = {error, best};

    for (size_t i = 0; i < 2; i++) {
        const char *const folder = temporary_folder();

        write_config(folder, rules[i], ", \"values\", \"noise\"");
        run_in(folder, "ldpbench run c.json -o whole -j 1 --quiet");
        run_in(folder, "ldpbench run c.json -o other -j 3 --quiet");
        demand_same_tables(folder, "whole", "other");
        for (int repetitions = 25; repetitions < 4000; repetitions *= 11) {
            run_in(folder,
                   "rm -rf other && ldpbench run c.json -o other --repetitions %d --quiet && "
                   "ldpbench run c.json -o other --quiet",
                   repetitions);
            demand_same_tables(folder, "whole", "other");
        }
        run_in(folder, "rm -rf other && for i in 1 2 3 4 5 6; do timeout -s KILL 0.0$i ldpbench run c.json -o other "
                       "--quiet; done; ldpbench run c.json -o other --quiet");
        demand_same_tables(folder, "whole", "other");
        run_in(folder, "ldpbench run c.json -o a --shard 1/2 --quiet && ldpbench run c.json -o b --shard 2/2 --quiet "
                       "&& ldpbench run c.json --from a b -o merged --quiet");
        demand_same_tables(folder, "whole", "merged");
        run_in(folder, "ldpbench run c.json -o whole 2>&1 | grep -q ': 0 repetitions in'");
    }
}

/* Every standard error is as small as asked for, no cell took all that it might have, and cells differ. */
FolderTest(precision, errors_are_as_small_as_asked_for)
{
    write_config(folder, error, "");
    run_in(folder, "ldpbench run c.json -o r --quiet && cut -d, -f10,11,13 r/mse.csv | tail -n +2 > numbers");
    char *const table = read_text(folder, "numbers"), *rest = NULL;
    double least = INFINITY, most = 0;
    for (char *line = strtok_r(table, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const double repetitions = strtod(line, &line), mean = strtod(line + 1, &line),
                     stderr_ = strtod(line + 1, NULL);

        cr_expect_leq(stderr_, 0.05 * mean);
        least = fmin(least, repetitions);
        most = fmax(most, repetitions);
    }
    free(table);
    cr_expect_lt(least, most);
    cr_expect_lt(most, 3000);
    cr_expect_geq(least, 30);
    /* The rows of a cell are those of a run of just that many repetitions. */
    run_in(folder,
           "n=$(sed -n 2p r/mse.csv | cut -d, -f10) && ldpbench run c.json -o fixed --repetitions $n --quiet && "
           "grep \",$n,\" r/mse.csv | grep ,grr,0.5, > rows && [ -s rows ] && "
           "while IFS= read -r row; do grep -qxF \"$row\" fixed/mse.csv || exit 1; done < rows");
}

/* Where nothing varies there is nothing to wait for; where nothing suffices the most that is allowed is done. */
FolderTest(precision, ends)
{
    write_config(folder, error, "");
    run_in(folder, "sed 's/\"grr\", \"olh\"/\"exact\"/' c.json > exact.json && ldpbench run exact.json -o r --quiet && "
                   "[ \"$(tail -n +2 r/mse.csv | cut -d, -f10 | sort -u)\" = 30 ]");
    write_config(folder, "{\"from\": 10, \"to\": 35, \"error\": 0.001}", "");
    run_in(folder, "ldpbench run c.json -o s --quiet && [ \"$(tail -n +2 s/mse.csv | cut -d, -f10 | sort -u)\" = 35 ]");
}

/* No value is as frequent as the threshold, so all scores that are defined are 0. */
static const char rare[] =
    "{\"name\": \"t\", \"seed\": 7, \"repetitions\": %s, \"outputs\": [\"mse\"],\n"
    " \"datasets\": [{\"type\": \"zipf\", \"d\": 256, \"n\": 2000, \"s\": 1}],\n"
    " \"oracles\": [\"olh\"], \"epsilon\": 0.5, \"methods\": [\"base\", \"norm\"],\n"
    " \"queries\": [{\"type\": \"heavy_hitters\", \"scale\": \"fraction\", \"threshold\": 0.3}]}\n";

/* Few repetitions decide nothing: neither a lead that two of them show, nor scores that are the same in all of them,
 * before they surely are in nine of ten. */
Test(precision, does_not_stop_by_chance)
{
    static const char *const rules[] = {"{\"from\": 2, \"to\": 60, \"decide\": \"best\"}",
                                        "{\"from\": 2, \"to\": 60, \"error\": 1}"};
    static const int least[] = {8, 30}, least_same[] = {29, 60};

    for (size_t i = 0; i < 2; i++) {
        char text[1024];

        const char *const folder = temporary_folder();
        write_config(folder, rules[i], "");
        snprintf(text, sizeof text, rare, rules[i]);
        write_text(folder, "rare.json", text);
        run_in(folder,
               "ldpbench run c.json -o r --quiet && "
               "[ $(tail -n +2 r/mse.csv | cut -d, -f10 | sort -n | head -1) -ge %d ]",
               least[i]);
        run_in(folder,
               "ldpbench run rare.json -o s --quiet && "
               "[ \"$(tail -n +2 s/heavy_hitters.csv | cut -d, -f11,15 | sort -u)\" = 0,0 ] && "
               "[ $(tail -n +2 s/heavy_hitters.csv | cut -d, -f10 | sort -n | head -1) -ge %d ]",
               least_same[i]);
    }
}

/* Repetitions are added until it is decided what to take: the folder is that of as many repetitions, says that they
 * were chosen, and a cap that is too low ends with a status of its own. */
FolderTest(precision, run_until_decided)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"seed\": 3, \"repetitions\": 5, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 16, "
        "\"n\": 2000}], \"oracles\": [\"grr\", \"olh\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
        "\"queries\": [\"full_domain\"]}");
    run_in(folder,
           "ldpbench run c.json -o r --until-decided --quiet && ldpbench report r --format text >said && "
           "! grep -q 'not decided' said && grep -q '\"until_decided\":\ttrue' r/run.json && "
           "n=$(sed -n 's/.*\"repetitions\":\t\\([0-9]*\\),.*/\\1/p' r/run.json | head -n 1) && [ $n -gt 10 ] && "
           "ldpbench run c.json -o same --repetitions $n --quiet && cmp r/mse.csv same/mse.csv && "
           "{ ldpbench run c.json -o few --at-most 11 --quiet 2>said; [ $? = 4 ]; } && "
           "grep -q 'c.json: not decided with the most repetitions allowed, 11' said");
    demand_failure(2, "--until-decided: expected one process, and none of --repetitions",
                   "cd %s && ldpbench run c.json --until-decided --repetitions 5", folder);
}

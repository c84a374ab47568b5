/* test_run.c - the reproducibility contract of `ldpbench run`: same config and seed, same bytes, in all
 * circumstances. */
#include "hashing/hash.h"
#include "ldp.h"
#include "program.h"
#include "quick.h"
#include "simd/simd.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A grid with everything in it: generated data, two oracles, per-value sums, noise, random sets. */
static const char base_config[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": %d, \"simulation\": \"counts\",\n"
                                  " \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 20000, \"s\": 1.3}],\n"
                                  " \"oracles\": [\"olh\", \"ss\"], \"epsilon\": %s, \"methods\": %s,\n"
                                  " \"queries\": [{\"type\": \"full_domain\"},\n"
                                  "  {\"type\": \"set_value\", \"percent\": 20, \"sets\": 3, \"label\": \"first\"},\n"
                                  "  {\"type\": \"set_value\", \"percent\": [10, 50], \"sets\": 5},\n"
                                  "  {\"type\": \"top_k\", \"k\": [2, 8]}],\n"
                                  " \"outputs\": [\"mse\", \"values\", \"noise\"]}\n";

static void write_config(const char *folder, const char *name, int repetitions, const char *epsilon,
                         const char *methods)
{
    char text[2048];

    snprintf(text, sizeof text, base_config, repetitions, epsilon, methods);
    write_text(folder, name, text);
}

FolderTest(run, threads_do_not_show)
{
    write_config(folder, "c.json", 120, "[0.5, 1]", "\"all\"");
    run_in(folder, "ldpbench run c.json -o one -j 1 --quiet");
    run_in(folder, "ldpbench run c.json -o two -j 2 --quiet");
    run_in(folder, "ldpbench run c.json -o seven -j 7 --quiet");
    demand_same_tables(folder, "one", "two");
    demand_same_tables(folder, "one", "seven");
}

FolderTest(run, reports_threads_do_not_show)
{
    write_config(folder, "c.json", 6, "[0.5, 1]", "[\"base\", \"norm_sub\"]");
    run_in(folder, "ldpbench run c.json -o one -j 1 --quiet --set simulation=reports");
    run_in(folder, "ldpbench run c.json -o three -j 3 --quiet --set simulation=reports");
    demand_same_tables(folder, "one", "three");
}

/* Vector widths of our kernels and the processor's features as libm sees them. */
FolderTest(run, processor_does_not_show, SLOW)
{
    char settings[LDP_SIMD_LEVELS + 1][100];
    size_t nsettings = 0;

    strcpy(settings[nsettings++], "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-FMA4,-AVX512F");
    for (enum ldp_simd level = 0; level < LDP_SIMD_LEVELS; level++)
        if (ldp_simd_available(level))
            snprintf(settings[nsettings++], sizeof *settings, "LDPBENCH_SIMD=%s", ldp_simd_name(level));

    write_config(folder, "c.json", 4, "[0.3, 1, 3]", "\"all\"");
    for (int reports = 0; reports < 2; reports++) {
        const char *const mode = reports ? "reports" : "counts";
        run_in(folder, "ldpbench run c.json -o %s --quiet --set simulation=%s", mode, mode);
        for (size_t i = 0; i < nsettings; i++) {
            char other[32];
            snprintf(other, sizeof other, "%s%zu", mode, i);
            run_in(folder, "export %s && ldpbench run c.json -o %s --quiet --set simulation=%s", settings[i], other, mode);
            demand_same_tables(folder, mode, other);
        }
    }
}

FolderTest(run, growing_reuses_and_ends_in_the_same_bytes)
{
    write_config(folder, "small.json", 30, "[1]", "[\"base\", \"norm\"]");
    write_config(folder, "more.json", 130, "[1]", "[\"base\", \"norm\"]");
    write_config(folder, "all.json", 130, "[0.5, 1]", "[\"base\", \"norm\", \"power_ns\"]");
    run_in(folder, "ldpbench run all.json -o fresh --quiet");
    run_in(folder, "ldpbench run small.json -o grown --quiet");
    struct outcome outcome = shell_in(folder, "ldpbench run more.json -o grown");
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_assert(strstr(outcome.err, "200 repetitions in"), "%s", outcome.err);
    cr_assert(strstr(outcome.err, "60 reused"), "%s", outcome.err);
    outcome_free(&outcome);
    run_in(folder, "ldpbench run all.json -o grown --quiet");
    demand_same_tables(folder, "fresh", "grown");
    char path[2 * PATH_ROOM];
    snprintf(path, sizeof path, "%s/grown/store.sqlite", folder);
    sqlite3 *const store = open_store(path);
    char *const blocks = ask_store(store, "SELECT count(DISTINCT layout), sum(repetitions) FROM block JOIN layout ON "
                                          "layout.id = layout WHERE sums = 0");
    cr_expect_str_eq(blocks, "1 520;", "each repetition once, with all its numbers: %s", blocks);
    free(blocks);
    sqlite3_close(store);
    outcome = shell_in(folder, "ldpbench run all.json -o grown");
    cr_assert(strstr(outcome.err, ": 0 repetitions in"), "%s", outcome.err);
    outcome_free(&outcome);
    demand_same_tables(folder, "fresh", "grown");
}

/* Every row of the smaller grid is in the larger one: a cell's numbers do not depend on its neighbours. */
FolderTest(run, a_cell_does_not_depend_on_the_rest_of_the_config)
{
    write_config(folder, "small.json", 5, "[1]", "[\"norm\", \"base\"]");
    write_config(folder, "all.json", 5, "[0.5, 1, 2]", "[\"base\", \"base_pos\", \"norm\"]");
    run_in(folder, "ldpbench run small.json --quiet -o small && ldpbench run all.json --quiet -o all");
    write_text(folder, "query.json",
               "{\"name\": \"t\", \"seed\": 7, \"repetitions\": 5,"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 20000, \"s\": 1.3}], \"oracles\": [\"olh\"],"
               " \"epsilon\": 1, \"methods\": [\"base\"],"
               " \"queries\": [{\"type\": \"set_value\", \"percent\": [10, 50], \"sets\": 5}]}");
    run_in(folder, "ldpbench run query.json --quiet -o query");
    run_in(folder, "while IFS= read -r line; do grep -qxF \"$line\" all/mse.csv || exit 1; done < query/mse.csv");
    run_in(folder, "while IFS= read -r line; do grep -qxF \"$line\" all/mse.csv || exit 1; done < small/mse.csv");
}

FolderTest(run, seed_changes_everything)
{
    write_config(folder, "c.json", 5, "[1]", "[\"base\"]");
    run_in(folder, "ldpbench run c.json --quiet -o a && ldpbench run c.json --quiet -o b --seed 8");
    run_in(folder, "! tail -n +2 a/mse.csv | grep -qxFf - b/mse.csv");
}

static void pause_for(long nanoseconds)
{
    struct timespec span = {nanoseconds / 1000000000, nanoseconds % 1000000000};

    nanosleep(&span, NULL);
}

/* Killed at many moments and resumed each time: the final result is that of an undisturbed run. */
FolderTest(run, killed_at_any_moment, SLOW, .timeout = 600)
{
    char config[2 * PATH_ROOM], output[2 * PATH_ROOM];
    const char *const words[] = {"run", config, "-o", output, "--quiet", NULL};

    write_config(folder, "c.json", 1500, "[0.5, 1, 2]", "\"all\"");
    snprintf(config, sizeof config, "%s/c.json", folder);
    snprintf(output, sizeof output, "%s/killed", folder);
    unsigned state = 12345;
    int killed = 0;
    for (int i = 0; i < 60; i++) {
        const pid_t child = start_program(words);

        state = state * 1103515245u + 12345u;
        pause_for(1000000L + state / 65536 % 1000 * (i % 3 == 0 ? 900000L : 90000L));
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        killed += WIFSIGNALED(status);
    }
    cr_assert_gt(killed, 10, "the runs were too short to be killed (%d were)", killed);
    run_in(folder, "ldpbench run c.json -o killed --quiet && ldpbench run c.json -o whole --quiet");
    demand_same_tables(folder, "killed", "whole");
    run_in(folder, "[ -z \"$(find killed -name '*-journal')\" ]");
}

static size_t count_matches(const char *pattern)
{
    glob_t found;
    const size_t count = glob(pattern, GLOB_PERIOD, NULL, &found) == 0 ? found.gl_pathc : 0;

    globfree(&found);
    return count;
}

/* Killed while it writes a table: the part is removed by the next run; those of living processes and of other hosts are
 * not. */
FolderTest(run, killed_while_a_table_is_written, SLOW, .timeout = 600)
{
    char config[2 * PATH_ROOM], output[2 * PATH_ROOM], living[400];
    const char *const words[] = {"run", config, "-o", output, "--quiet", "-j", "1", NULL};
    const char *const kept[] = {".values.csv.another-host.99999999.tmp", ".values.csv.tmp", ".values.csv.1x.tmp",
                                living};
    const size_t nkept = sizeof kept / sizeof *kept;

    write_config(folder, "c.json", 2, "{\"from\": 0.05, \"to\": 5, \"step\": 0.05}", "[\"base\", \"norm_sub\"]");
    snprintf(config, sizeof config, "%s/c.json", folder);
    snprintf(output, sizeof output, "%s/out", folder);
    run_in(folder, "ldpbench run c.json -o out --quiet && cp -R out whole");
    char part[3 * PATH_ROOM];
    bool killed = false;
    for (int i = 0; i < 100 && !killed; i++) {
        run_well("rm -f %s/values.csv", output); /* a table that is as it was made is not written again */
        const pid_t child = start_program(words);

        snprintf(part, sizeof part, "%s/.values.csv.*%ld.tmp", output, (long)child);
        bool ended = false;
        int status;
        while (!ended && count_matches(part) == 0) {
            ended = waitpid(child, &status, WNOHANG) != 0;
            pause_for(100000L);
        }
        if (ended)
            continue;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        killed = count_matches(part) == 1;
    }
    cr_assert(killed, "never while values.csv was written");
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(living, sizeof living, ".values.csv.%s.%ld.tmp", host, (long)getpid());
    for (size_t i = 0; i < nkept; i++)
        write_text(output, kept[i], "x");
    run_in(folder, "ldpbench run c.json -o out --quiet");
    demand_same_tables(folder, "out", "whole");
    for (size_t i = 0; i < nkept; i++)
        run_well("[ -e '%s/%s' ]", output, kept[i]);
    snprintf(part, sizeof part, "%s/.*.tmp", output);
    cr_expect_eq(count_matches(part), nkept);
}

/* A full disk, as a bound on the size of files: exit status 3, and the store goes on from there. */
FolderTest(run, full_disk, SLOW)
{
    write_config(folder, "c.json", 400, "[1]", "[\"base\", \"norm_sub\"]");
    run_in(folder, "ldpbench run c.json -o whole --quiet");
    for (int blocks = 8; blocks <= 512; blocks *= 4) {
        struct outcome outcome = shell_in(folder, "ulimit -f %d; ldpbench run c.json -o full --quiet", blocks);
        cr_assert_eq(outcome.status, 3, "%d blocks: exit status %d: %s", blocks, outcome.status, outcome.err);
        cr_assert_eq(strchr(outcome.err, '\n'), outcome.err + strlen(outcome.err) - 1, "one line: %s", outcome.err);
        outcome_free(&outcome);
        run_in(folder, "[ ! -e full/mse.csv ] || tail -c 1 full/mse.csv | od -c | grep -q '\\\\n'");
    }
    run_in(folder, "ldpbench run c.json -o full --quiet");
    demand_same_tables(folder, "full", "whole");
}

/* What a failed run --from made before its results is gone; what was there before it is unchanged. Files of at most 0
 * to 32 KiB: the store cannot be made, its tables cannot, its results cannot. */
FolderTest(run, from_folders_onto_a_full_disk, SLOW)
{
    write_config(folder, "c.json", 400, "[1]", "[\"base\", \"norm_sub\"]");
    run_in(folder,
           "ldpbench run c.json -o part1 --shard 1/2 --quiet && ldpbench run c.json -o part2 --shard 2/2 --quiet"
           " && mkdir empty && ldpbench run c.json -o kept --shard 1/2 --quiet && cp -r kept before");
    for (int blocks = 0; blocks <= 64; blocks += blocks < 8 ? 8 : blocks) {
        struct outcome outcome =
            shell_in(folder, "ulimit -f %d; ldpbench run c.json --from part1 part2 -o new", blocks);
        cr_assert_eq(outcome.status, 3, "%d blocks: exit status %d: %s", blocks, outcome.status, outcome.err);
        outcome_free(&outcome);
        run_in(folder,
               "[ ! -e new ] && { (ulimit -f %d; ldpbench run c.json --from part1 part2 -o empty) 2>said; "
               "[ $? = 3 ] && [ -z \"$(ls -A empty)\" ]; }",
               blocks);
        run_in(folder,
               "{ (ulimit -f %d; ldpbench run c.json --from part1 part2 -o kept) 2>said; [ $? = 3 ]; } && "
               "cmp kept/store.sqlite before/store.sqlite",
               blocks);
    }
}

FolderTest(run, two_processes_on_one_store, SLOW, .timeout = 600)
{
    char config[2 * PATH_ROOM], output[2 * PATH_ROOM];
    const char *const words[] = {"run", config, "-o", output, "--quiet", "-j", "1", NULL};

    write_config(folder, "c.json", 600, "[0.5, 1]", "\"all\"");
    snprintf(config, sizeof config, "%s/c.json", folder);
    snprintf(output, sizeof output, "%s/shared", folder);
    const pid_t a = start_program(words);
    const pid_t b = start_program(words);
    int status_a;
    waitpid(a, &status_a, 0);
    int status_b;
    waitpid(b, &status_b, 0);
    cr_assert_eq(status_a, 0);
    cr_assert_eq(status_b, 0);
    run_in(folder, "ldpbench run c.json -o whole --quiet");
    demand_same_tables(folder, "shared", "whole");
}

/* Refusals leave everything as it was. */
FolderTest(run, folder_of_another_config)
{
    write_config(folder, "c.json", 5, "[0.5, 1]", "[\"base\", \"norm\"]");
    run_in(folder, "ldpbench run c.json -o r --quiet && cp -r r before");
    write_config(folder, "other.json", 5, "[0.25, 0.75]", "[\"base\", \"norm\"]");
    expect_said(2, "--fresh", "cd %s && ldpbench run other.json -o r", folder);
    expect_said(2, "", "cd %s && ldpbench run c.json -o r --seed 9", folder);
    expect_said(2, "", "cd %s && sed 's/\"t\"/\"u\"/' c.json > name.json && ldpbench run name.json -o r", folder);
    expect_said(2, "", "cd %s && mv r/store.sqlite . && ldpbench run other.json -o r", folder);
    run_in(folder, "mv store.sqlite r && for file in before/*; do cmp $file r/${file#before/} || exit 1; done");
    run_in(folder, "ldpbench run other.json -o r --fresh --quiet && ldpbench run other.json -o new --quiet");
    demand_same_tables(folder, "new", "r");
}

/* Processor seconds of a command in a folder. */
static double seconds_of(const char *folder, const char *command)
{
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    run_in(folder, "%s", command);
    getrusage(RUSAGE_CHILDREN, &after);
    return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
           (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e-6;
}

/* What a folder of 6,000 cells holds that another sweep does not ask for is said in the time of a run; it took six
 * times that, and grew with the square. */
FolderTest(run, another_sweep_over_many_cells, SLOW)
{
    write_text(
        folder, "a.json",
        "{\"name\": \"a\", \"repetitions\": 1, \"epsilon\": 1, \"oracles\": [\"grr\"], \"methods\": [\"base\"], "
        "\"queries\": [\"full_domain\"], \"datasets\": [{\"type\": \"uniform\", \"d\": 4, \"n\": {\"from\": 1000, "
        "\"to\": 6999, \"step\": 1}}]}");
    run_in(folder, "sed 's/1000/1001/; s/6999/7000/' a.json > b.json");
    const double first = seconds_of(folder, "ldpbench run a.json -o out -j1 --quiet"),
                 second = seconds_of(folder, "ldpbench run b.json -o out -j1 2>err");
    demand_within(folder, "err", "datasets[0].n.from was 1000 and is 1001");
    cr_expect_lt(second, 3 * first, "%g seconds after %g", second, first);
}

/* A config that asks for less than the folder holds, or for some of it and more, is answered from what is there; what
 * it does not ask for stays in the store. */
FolderTest(run, asking_for_less_keeps_the_rest, SLOW)
{
    static const struct {
        int repetitions;
        const char *epsilon, *methods, *run;
    } steps[] = {
        {60, "[0.5, 1]", "[\"base\", \"norm\"]", "240 repetitions in"},
        {60, "[1]", "[\"base\", \"norm\"]", ": 0 repetitions in"},
        {60, "[0.5, 1]", "[\"norm\"]", ": 0 repetitions in"},
        {50, "[0.5, 1]", "[\"norm\", \"base\"]", ": 0 repetitions in"},
        {20, "[1]", "[\"base\"]", ": 40 repetitions in"}, /* sums of the block of 50 cannot be taken apart */
        {20, "[1]", "[\"base\"]", ": 0 repetitions in"},
        {40, "[1]", "[\"base\"]", ": 40 repetitions in"},
        {60, "[1, 2]", "[\"base\", \"norm_sub\"]", ": 240 repetitions in"},
        {60, "[0.5, 1]", "[\"base\", \"norm\"]", ": 0 repetitions in"},
        {60, "[0.5, 1, 2]", "[\"base\", \"norm\", \"norm_sub\"]", ": 360 repetitions in"}, /* no block has all three */
        {60, "[0.5, 1, 2]", "[\"norm_sub\", \"base\", \"norm\"]", ": 0 repetitions in"},
    };

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        write_config(folder, "c.json", steps[i].repetitions, steps[i].epsilon, steps[i].methods);
        struct outcome outcome = shell_in(folder, "ldpbench run c.json -o r");
        cr_assert_eq(outcome.status, 0, "%zu: %s", i, outcome.err);
        cr_expect(strstr(outcome.err, steps[i].run), "%zu: %s", i, outcome.err);
        outcome_free(&outcome);
        run_in(folder, "rm -rf new && ldpbench run c.json -o new --quiet");
        demand_same_tables(folder, "new", "r");
    }
}

/* What a folder holds and a config does not ask for is reported in the config's words, whether it is refused or kept.
 */
FolderTest(run, differences_in_the_words_of_the_config)
{
    static const char config[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": %s, \"datasets\": [\n"
                                 " {\"type\": \"counts\", \"file\": \"a.tsv\"%s}],\n"
                                 " \"oracles\": [%s], \"epsilon\": %s, \"methods\": [%s],\n"
                                 " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"top_k\", \"k\": %s}]}\n";
    static const struct {
        int status;
        const char *repetitions, *dataset, *oracles, *epsilon, *methods, *k, *said;
    } cases[] = {
        {0, "4", "", "\"grr\", \"oue\"", "[0.5, 1]", "\"base\", \"norm\"", "[1, 2]", ""},
        {0, "4", "", "\"grr\", \"oue\"", "[1]", "\"base\", \"norm\"", "[1, 2]",
         "t: epsilon was [0.5,1] and is [1]; the store keeps"},
        {0, "4", "", "\"grr\"", "[1, 2]", "\"base\", \"norm\"", "[1, 2]",
         "t: oracles was [\"grr\",\"oue\"] and is [\"grr\"], epsilon was [0.5,1] and is [1,2]; the store keeps"},
        {0, "3", "", "\"grr\", \"oue\"", "[0.5, 1]", "\"base\", \"norm\"", "[1, 2]",
         "t: repetitions: the folder holds 4, the config asks for 3; the store keeps"},
        {0, "4", "", "\"grr\", \"oue\"", "[0.5, 1]", "\"base\"", "[1]",
         "t: methods was [\"base\",\"norm\"] and is [\"base\"], queries[1].k was [1,2] and is [1]; the store keeps"},
        {2, "4", "", "\"grr\", \"oue\"", "[3, 4]", "\"base\", \"norm\"", "[1, 2]",
         "r: holds no cell of this config: epsilon was [0.5,1] and is [3,4]; use"},
        {2, "4", "", "\"grr\", \"oue\"", "{\"from\": 2, \"to\": 4, \"step\": 0.1}", "\"base\", \"norm\"", "[1, 2]",
         "epsilon was [0.5,1] and is {\"from\":2,\"to\":4,\"step\":0.1}; use"},
        {2, "4", ", \"n\": 50", "\"grr\", \"oue\"", "[0.5, 1]", "\"base\", \"norm\"", "[1, 2]",
         "datasets[0].n was not given and is 50; use"},
    };

    write_text(folder, "a.tsv", "x\t50\ny\t30\nz\t20\n");
    struct outcome outcome;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, config, cases[i].repetitions, cases[i].dataset, cases[i].oracles, cases[i].epsilon,
                 cases[i].methods, cases[i].k);
        write_text(folder, "c.json", text);
        run_in(folder, "rm -rf r && { [ ! -e first ] || cp -R first r; }");
        outcome = shell_in(folder, "ldpbench run c.json -o r");
        cr_expect_eq(outcome.status, cases[i].status, "%zu: %s", i, outcome.err);
        cr_expect(strstr(outcome.err, cases[i].said), "%zu: expected \"%s\" in: %s", i, cases[i].said, outcome.err);
        outcome_free(&outcome);
        if (i == 0)
            run_in(folder, "cp -R r first && cp c.json first.json");
    }
    write_text(folder, "a.tsv", "x\t50\ny\t31\nz\t19\n");
    expect_said(2, "r: holds no cell of this config: a file that it names has changed; use",
                "cd %s && rm -rf r && cp -R first r && ldpbench run first.json -o r", folder);
    expect_said(2, "another seed: the folder has 7, the config asks for 8",
                "cd %s && ldpbench run first.json -o r --seed 8", folder);
}

/* Sets of a query are known by a fingerprint of their members, which is not shown. */
FolderTest(run, other_sets_in_words)
{
    write_text(folder, "a.tsv", "x\t50\ny\t30\nz\t20\n");
    write_text(folder, "s.tsv", "x\tfirst\ny\tsecond\n");
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"repetitions\": 2, \"oracles\": [\"grr\"], \"epsilon\": 1, \"methods\": [\"base\"], "
               "\"datasets\": [{\"type\": \"counts\", \"file\": \"a.tsv\"}], "
               "\"queries\": [\"full_domain\", {\"type\": \"fixed_sets\", \"file\": \"s.tsv\"}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    write_text(folder, "s.tsv", "x\tfirst\ny\tfirst\n");
    expect_said(0, "t: a file that it names has changed; the store keeps", "cd %s && ldpbench run c.json -o r", folder);
}

FolderTest(run, folder_that_is_a_file_or_a_store_that_is_none)
{
    write_config(folder, "c.json", 2, "[1]", "[\"base\"]");
    write_text(folder, "file", "text");
    expect_said(2, "", "cd %s && ldpbench run c.json -o file", folder);
    run_in(folder, "mkdir odd && yes nothing | head -c 9000 > odd/store.sqlite");
    expect_said(2, "", "cd %s && ldpbench run c.json -o odd", folder);
}

/* The null oracle has no noise, so no method that keeps a distribution as it is has an error. */
FolderTest(run, exact_oracle_has_no_error)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"seed\": 1, \"repetitions\": 2,"
        " \"datasets\": [{\"type\": \"geometric\", \"d\": 33, \"n\": 5000, \"ratio\": 0.8}],"
        " \"oracles\": [\"exact\"], \"epsilon\": 1, \"methods\": [\"base\", \"base_pos\", \"norm\", \"norm_sub\"],"
        " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"top_k\", \"k\": 5}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    run_in(folder, "ldpbench run c.json -o s --quiet --set simulation=reports");
    char *const table = read_text(folder, "r/mse.csv");
    cr_assert_not_null(table);
    char *rest;
    strtok_r(table, "\n", &rest); /* the heading */
    char *line;
    int rows = 0;
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
        char *mse = line;

        rows++;
        for (int i = 0; i < 10; i++)
            mse = strchr(mse, ',') + 1;
        cr_assert_lt(strtod(mse, NULL), 1e-30, "%s", line);
    }
    cr_assert_eq(rows, 8);
    free(table);
}

/* Configs with the tables that they must give on any machine. */
FolderTest(run, golden_tables)
{
    static const char *const names[][2] = {
        {"counts", "mse.csv"},        {"counts", "n_equivalent.csv"},
        {"reports", "mse.csv"},       {"reports", "values.csv"},
        {"reports", "bias_sums.csv"}, {"selection", "selection.csv"},
        {"selection", "regret.csv"},  {"laws", "mse.csv"},
    };

    run_well("for name in counts reports selection laws; do ldpbench run tests/golden/$name.json -o %s/$name --quiet "
             "|| exit 1; "
             "done",
             folder);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char mine[2 * PATH_ROOM];
        snprintf(mine, sizeof mine, "%s/%s", folder, names[i][0]);
        char golden[PATH_ROOM];
        snprintf(golden, sizeof golden, "tests/golden/%s", names[i][0]);
        demand_same(golden, mine, names[i][1]);
    }
}

/* Bytes of golden tables do not change under one version: the newest line of the list is this version with the tables
 * as they are, and scripts/golden.sh refuses to write another for a version that is listed. */
FolderTest(run, golden_tables_have_a_version, SLOW)
{
    char line[32];

    snprintf(line, sizeof line, "%d", LDP_ALGORITHM_VERSION);
    run_well("cd tests/golden && print=$(LC_ALL=C sh -c 'sha256sum */*.csv' | sha256sum | cut -d' ' -f1) && "
             "{ [ \"$(tail -n 1 versions)\" = \"%s $print\" ] || { echo 'golden tables and their version: make golden' "
             ">&2; exit 1; }; } && sort -n -c -k 1,1 versions",
             line);

    run_well("mkdir %s/scripts %s/tests %s/core && cp scripts/golden.sh scripts/operands.sh %s/scripts && "
             "cp -R tests/golden %s/tests && cp core/ldp.h %s/core && "
             "sed -i 's/\"seed\": 20261121/\"seed\": 7/' %s/tests/golden/counts.json",
             folder, folder, folder, folder, folder, folder, folder);
    struct outcome outcome = run_shell("sh %s/scripts/golden.sh", folder);
    cr_expect_eq(outcome.status, 1);
    cr_expect(strstr(outcome.err, "other numbers at LDP_ALGORITHM_VERSION") && strstr(outcome.err, " counts/mse.csv"),
              "%s", outcome.err);
    outcome_free(&outcome);
    run_well(
        "cmp tests/golden/counts/mse.csv %s/tests/golden/counts/mse.csv && "
        "sed -i 's/\\(LDP_ALGORITHM_VERSION\\) .*/\\1 999/' %s/core/ldp.h && sh %s/scripts/golden.sh 2>%s/said && "
        "tail -n 1 %s/tests/golden/versions | grep -q '^999 '",
        folder, folder, folder, folder, folder);
}

/* values.csv agrees with mse.csv, whose errors are squared one by one: the mean squared error of a value is bias^2 and
 * the part (R - 1) / R of the variance. Errors that are the same in all repetitions have no variance, however great
 * they are. */
FolderTest(run, values_are_exact)
{
    enum { D = 100, N = 1000003, REPETITIONS = 120, METHODS = 4 };
    static const char config[] =
        "{\"name\": \"t\", \"seed\": 3, \"repetitions\": 120, \"outputs\": [\"mse\", \"values\"],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 100, \"n\": 1000003, \"s\": 1.1}],\n"
        " \"oracles\": [\"%s\"], \"epsilon\": 4, \"queries\": [{\"type\": \"full_domain\"}],\n"
        " \"methods\": [\"base\", \"norm_sub\", \"base_cut\", \"uniform\"]}\n";

    for (int noisy = 0; noisy < 2; noisy++) {
        char text[2 * sizeof config];
        snprintf(text, sizeof text, config, noisy ? "grr" : "exact");
        write_text(folder, "c.json", text);
        run_in(folder, "rm -rf out && ldpbench run c.json --repetitions 70 -o out --quiet && "
                       "ldpbench run c.json -o out --quiet");
        run_in(folder, "cut -d, -f11 out/mse.csv | tail -n +2 > mse && cut -d, -f12,13 out/values.csv | tail -n +2 > "
                       "values");
        char *table = read_text(folder, "mse");
        char *line = table;
        double expected[METHODS];
        for (size_t i = 0; i < METHODS; i++)
            expected[i] = strtod(line, &line);
        free(table);
        table = read_text(folder, "values");
        double mse[METHODS] = {0}, greatest = 0;
        size_t row = 0;
        char *rest = NULL;
        for (line = strtok_r(table, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), row++) {
            const double bias = strtod(line, &line), variance = strtod(line + 1, NULL);

            mse[row / D] += (bias * bias + variance * (REPETITIONS - 1) / REPETITIONS) / D / N / N;
            if (!noisy || row / D == METHODS - 1)
                cr_assert_eq(variance, 0, "row %zu: %g", row, variance);
            greatest = fabs(bias) > greatest ? fabs(bias) : greatest;
        }
        cr_assert_eq(row, METHODS * D);
        cr_assert_gt(greatest, 1e5);
        for (size_t i = 0; i < METHODS; i++)
            cr_expect_leq(fabs(mse[i] - expected[i]), 1e-12 * expected[i] + 1e-32, "method %zu: %g, not %g", i, mse[i],
                          expected[i]);
        free(table);
    }
}

/* At the ends of what parameters may be, every error is a number. */
FolderTest(run, extreme_parameters, SLOW, .timeout = 600)
{
    static const char config[] =
        "{\"name\": \"t\", \"repetitions\": 2, \"oracles\": \"all\", \"methods\": \"all\", \"outputs\": [\"mse\", "
        "\"values\"],\n"
        " \"epsilon\": [1e-6, 50, 700], \"datasets\": [\n"
        "  {\"type\": \"zipf\", \"d\": [2, 3, 11, 130], \"n\": [1, 2, 9007199254740992], \"s\": 3}],\n"
        " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"set_value\", \"percent\": 10, \"sets\": 2},\n"
        "  {\"type\": \"top_k\", \"k\": 2}]}\n";

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o out --quiet");
    run_in(folder, "! grep -E ',-?(nan|inf)' out/*.csv && ! cut -d, -f11 out/mse.csv | grep -qx ''");
}

/* An output that cannot be is the fault of who named it. */
FolderTest(run, outputs_that_cannot_be)
{
    static const char *const outputs[] = {"file",     "file/below",  "file/far/below", "/proc/none/x", "/dev/null",
                                          "no-store", "/dev/full/x", "no-table",       "no-place",     "longname"};

    write_config(folder, "c.json", 2, "[1]", "[\"base\"]");
    run_in(folder, "echo x > file && mkdir -p no-store/store.sqlite no-table/values.csv && ln -s . loop && "
                   "ln -s no-place no-place");
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        struct outcome outcome = shell_in(folder,
                                          "name=%s && [ $name != longname ] || name=$(printf '%%0300d' 1); "
                                          "ldpbench run c.json -o $name --quiet --fresh",
                                          outputs[i]);

        cr_expect_eq(outcome.status, 2, "%s: %d: %s", outputs[i], outcome.status, outcome.err);
        cr_expect(*outcome.err && strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1, "one line: %s",
                  outcome.err);
        outcome_free(&outcome);
    }
}

/* Fewer threads, processes or memory than asked for: one line, the machine's fault, or done. */
FolderTest(run, more_threads_than_there_are, SLOW, .timeout = 600)
{
    write_config(folder, "c.json", 400, "[1]", "[\"base\"]");
    size_t refused = 0;
    for (int kilobytes = 30000; kilobytes < 700000; kilobytes += kilobytes / 3) {
        struct outcome outcome =
            shell_in(folder, "ulimit -v %d && ldpbench run c.json -o r -j 64 --quiet --fresh", kilobytes);

        /* Instrumented programs need more to begin with. */
        if (strstr(outcome.err, "threads were asked for, but the machine can start only")) {
            cr_expect_eq(outcome.status, 3, "%d kB: %d: %s", kilobytes, outcome.status, outcome.err);
            cr_expect(strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1, "one line: %s", outcome.err);
            refused++;
        }
        cr_expect_null(strstr(outcome.err, "libgomp: "), "%d kB: %s", kilobytes, outcome.err);
        outcome_free(&outcome);
    }
    if (!getenv("LSAN_OPTIONS"))
        cr_expect_gt(refused, 0);
    run_in(folder, "ldpbench run c.json -o r -j 64 --quiet && ldpbench run c.json -o whole --quiet");
    demand_same_tables(folder, "r", "whole");
    run_in(
        folder,
        "printf 'a\\t60\\nb\\t40\\n' > supports && rank() { ldpbench advise --supports grr --epsilon 1 "
        "--n 100 --query full_domain --trials 200 -j 64 supports; } && rank > whole.txt && "
        "for k in 20000 40000 80000 160000 320000; do { (ulimit -v $k; rank) > out 2> err && cmp out whole.txt; } || "
        "{ ! grep 'libgomp: ' err && [ -s err ]; } || exit 1; done");
}

/* Memory that lacks is said to lack for the dataset, at its place in the config, or for a number of threads. */
FolderTest(run, out_of_memory_names_what_is_too_large)
{
    if (getenv("LSAN_OPTIONS"))
        return; /* instrumented programs need more to begin with */
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"epsilon\": 1, \"oracles\": [\"grr\"], \"methods\": [\"base\"],\n"
               " \"queries\": [\"full_domain\"], \"datasets\": [\n"
               "  {\"type\": \"zipf\", \"d\": 8, \"n\": 100, \"s\": 1},\n"
               "  {\"type\": \"zipf\", \"d\": 30000000, \"n\": 100, \"s\": 1}]}");
    struct outcome outcome = shell_in(folder, "ulimit -v 300000 && ldpbench run c.json -o r --quiet -j 1");
    cr_expect_eq(outcome.status, 3);
    cr_expect_str_eq(outcome.err, "ldpbench: c.json:4: datasets[1]: out of memory\n");
    outcome_free(&outcome);
}

/* Every command that starts threads, and every task. */
FolderTest(run, more_threads_than_there_are_in_every_task, SLOW, .timeout = 600)
{
    static const char *const asked[] = {
        "run search.json -o r --fresh --quiet",
        "run marginals.json -o r --fresh --quiet",
        "run selection.json -o r --fresh --quiet",
        "advise --epsilon 2 --n 2000 --top 2 --protocol pem --trials 2 w.strings",
        "advise --epsilon 1 --n 300 --k 2 --synopsis uniform --trials 2 r.csv",
        "advise --supports olh --epsilon 1 --n 100 --query full_domain --trials 20 s.tsv",
    };
    size_t refused = 0;

    write_text(folder, "w.strings", "abc\t40\nabd\t50\nbcd\t60\ncba\t90\ndab\t20\n");
    write_text(folder, "r.csv", "a,b,c\n0,1,2\n1,0,1\n0,0,0\n1,1,1\n0,1,0\n");
    write_text(folder, "s.tsv", "a\t60\nb\t40\n");
    write_text(
        folder, "search.json",
        "{\"name\": \"t\", \"task\": \"search\", \"repetitions\": 200, \"oracles\": [\"olh\"], \"epsilon\": [1, 2],\n"
        " \"datasets\": [{\"type\": \"strings\", \"file\": \"w.strings\"}], \"targets\": {\"top\": 2},\n"
        " \"protocols\": [{\"name\": \"pem\", \"start\": 1, \"step\": 1, \"keep\": 2}]}\n");
    write_text(
        folder, "marginals.json",
        "{\"name\": \"t\", \"task\": \"marginals\", \"repetitions\": 200, \"oracles\": [\"olh\"], \"epsilon\": [1, 2],\n"
        " \"datasets\": [{\"type\": \"records\", \"file\": \"r.csv\", \"n\": 500}], \"synopses\": [\"uniform\"],\n"
        " \"marginals\": {\"k\": 2, \"count\": 2}}\n");
    write_text(
        folder, "selection.json",
        "{\"name\": \"t\", \"task\": \"selection\", \"repetitions\": 200, \"oracles\": [\"olh\"], \"epsilon\": [1, 2],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 8, \"n\": 500}], \"methods\": [\"base\", \"norm\"],\n"
        " \"queries\": [\"full_domain\"], \"trials\": 2, \"surrogates\": [\"norm_sub\"]}\n");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        run_in(folder, "ldpbench %s -j 64", asked[i]);
        for (int kilobytes = 20000; kilobytes <= 320000; kilobytes *= 2) {
            struct outcome outcome = shell_in(folder, "ulimit -v %d && ldpbench %s -j 64", kilobytes, asked[i]);

            cr_expect_null(strstr(outcome.err, "libgomp: "), "%s: %s", asked[i], outcome.err);
            if (strstr(outcome.err, "threads were asked for, but the machine can start only")) {
                cr_expect_eq(outcome.status, 3, "%s: %d: %s", asked[i], outcome.status, outcome.err);
                cr_expect(strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1, "%s: %s", asked[i],
                          outcome.err);
                refused++;
            }
            outcome_free(&outcome);
        }
    }
    if (!getenv("LSAN_OPTIONS"))
        cr_expect_geq(refused, sizeof asked / sizeof *asked);
}

/* The same where the user may have few processes; the bound does not hold for root. A command that needs no other
 * process does its work. */
FolderTest(run, more_processes_than_the_user_may_have)
{
    static const struct {
        int processes;
        const char *command;
        int status;
        const char *message;
    } cases[] = {
        {9, "run c.json -o s -j 64 --quiet", 3, " threads were asked for, but the machine can start only "},
        {9, "advise --supports olh --epsilon 1 --n 100 --query full_domain --trials 20 -j 64 s.tsv", 3,
         " threads were asked for, but the machine can start only "},
        {1, "run c.json -o one -j 1 --quiet", 0, NULL},
        {1, "run external.json -o e -j 1 --quiet --allow-external", 3, "method mine: cat cannot be started: "},
        {1, "plot r", 3, "plot: gnuplot cannot be started: "},
        {1, "estimate --oracle grr --epsilon 1 --n 100 --method norm_sub s.tsv", 0, NULL},
        {1, "check r r", 0, NULL},
        {1, "report r -o report.html", 3, "plot: gnuplot cannot be started: "},
        {1, "report r --no-plots -o report.html", 0, NULL},
    };

    write_config(folder, "c.json", 400, "[1]", "[\"base\"]");
    write_config(folder, "external.json", 4, "[1]",
                 "[{\"name\": \"external\", \"label\": \"mine\", \"command\": [\"cat\"]}]");
    write_text(folder, "s.tsv", "a\t60\nb\t40\n");
    struct outcome outcome = run_shell("command -v setpriv && command -v prlimit && [ $(id -u) = 0 ]");
    if (outcome.status != 0) {
        outcome_free(&outcome);
        cr_skip("needs root, setpriv and prlimit");
    }
    outcome_free(&outcome);
    run_in(folder, "ldpbench run c.json -o r --quiet && chmod -R a+rwX .");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* The leak checker is a process of its own. */
        outcome = shell_in(folder,
                           "ulimit -c 0 && ASAN_OPTIONS=detect_leaks=0 setpriv --reuid=65533 --clear-groups "
                           "prlimit --nproc=%d \"${LDPBENCH:-ldpbench}\" %s",
                           cases[i].processes, cases[i].command);
        cr_expect_eq(outcome.status, cases[i].status, "%s: %d: %s", cases[i].command, outcome.status, outcome.err);
        cr_expect(!cases[i].message || strstr(outcome.err, cases[i].message), "%s: %s", cases[i].command, outcome.err);
        cr_expect(!strchr(outcome.err, '\n') || strchr(outcome.err, '\n')[1] == '\0', "one line: %s", outcome.err);
        outcome_free(&outcome);
    }
}

/* Changes of the config from the command line: the tables of a config that is written so. */
FolderTest(run, with_changes_of_the_config)
{
    static const char *const refused[][2] = {
        {"nosuch=3", "c.json with --set:11: datasets[0]: unknown key \"nosuch\""},
        {"n", "--set: expected KEY=VALUE, such as n=1e5, got \"n\""},
        {"n=", "--set: expected KEY=VALUE"},
        {"=3", "--set: expected KEY=VALUE"},
        {"n=0", "c.json with --set:"},
        {"epsilon=x", "epsilon: expected"},
        {"epsilon+=2", "--set: epsilon+=: expected a list in the config, got none"},
        {"methods+=nrom", "did you mean \"norm\"?"},
        {"seed=9007199254740993", "--set: expected numbers below 2^53"},
    };

    write_config(folder, "c.json", 20, "1", "[\"base\", \"norm\"]");
    write_config(folder, "other.json", 7, "[0.5, 2]", "[\"base\", \"norm\", \"norm_sub\", \"power\"]");
    run_in(folder, "sed 's/\"n\": *[0-9]*/\"n\": 2000/' other.json > o.json && ldpbench run o.json -o o --quiet && "
                   "ldpbench run c.json -o c --quiet --set n=2e3 --set epsilon=0.5,2 --set repetitions=7 --set "
                   "methods+=norm_sub,power");
    demand_same_tables(folder, "o", "c");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        demand_failure(2, refused[i][1], "cd %s && ldpbench run c.json -o bad --set %s", folder, refused[i][0]);
    write_text(
        folder, "mine.sh",
        "#!/bin/sh\necho 'ldpbench 2'; read greeting; while read word d rest; do head -c $((8 * ${d#d=})) >/dev/null; "
        "echo \"${d#d=} ${rest##* }\"; head -c $((8 * ${d#d=})) /dev/zero; done\n");
    run_in(folder,
           "chmod +x mine.sh && ldpbench run c.json -o w --quiet --with mine.sh && grep -q ',mine.sh,' w/mse.csv");
    demand_failure(2, "--with: expected FILE.py or a program that can be run, got none.py",
                   "cd %s && ldpbench run c.json --with none.py", folder);
}

/* Shards on as many machines, merged: the bytes of one run. */
FolderTest(run, merged_shards, SLOW)
{
    write_config(folder, "c.json", 120, "[0.5, 1]", "[\"base\", \"norm\"]");
    run_in(folder, "ldpbench run c.json -o whole --quiet --seed 3");
    for (int i = 1; i <= 3; i++)
        run_in(folder,
               "ldpbench run c.json -o part%d --quiet --seed 3 --shard %d/3 -j %d && ! ls part%d/*.csv "
               "2>/dev/null",
               i, i, i, i);
    /* What is in no folder is measured. */
    run_in(folder, "ldpbench run c.json --seed 3 --from part1 part3 -o two 2>said && "
                   "grep -Eq ': 1[0-9]+ repetitions in .*, 3[0-9]+ reused' said");
    demand_same_tables(folder, "whole", "two");
    run_in(folder, "ldpbench run c.json --seed 3 --from part1 part2 part3 -o merged 2>said && "
                   "grep -q ': 0 repetitions in .*, 480 reused' said");
    demand_same_tables(folder, "whole", "merged");
    struct outcome outcome = shell_in(folder, "ldpbench run c.json -o merged --seed 3");
    cr_expect(strstr(outcome.err, ": 0 repetitions in"), "%s", outcome.err);
    outcome_free(&outcome);
    /* Parts of the grid, the second of which holds more than is asked for. */
    write_config(folder, "half.json", 120, "[0.5]", "[\"base\", \"norm\"]");
    write_config(folder, "more.json", 120, "[1, 2]", "[\"base\", \"norm\", \"norm_sub\"]");
    run_in(folder, "ldpbench run half.json -o half --quiet && ldpbench run more.json -o more --quiet && "
                   "ldpbench run c.json -o plain --quiet && ldpbench run c.json --from half more -o both --quiet");
    demand_same_tables(folder, "plain", "both");
    /* One folder into itself, a folder of another experiment, and none. */
    run_in(folder, "ldpbench run c.json --seed 3 --from merged part1 -o merged --quiet");
    demand_same_tables(folder, "whole", "merged");
    run_in(folder, "sed 's/\"t\"/\"u\"/' c.json > u.json && ldpbench run u.json -o other --quiet");
    outcome = shell_in(folder, "ldpbench run c.json --from part1 other -o bad");
    cr_expect(outcome.status == 2 && strstr(outcome.err, "other: expected results of experiment \"t\""), "%s",
              outcome.err);
    outcome_free(&outcome);
    expect_said(2, "", "cd %s && ldpbench run c.json --from nowhere -o bad", folder);
    run_in(folder, "[ ! -e bad ]");
    for (size_t i = 0; i < 4; i++) {
        static const char *const shards[] = {"0/3", "4/3", "3", "1/x"};

        outcome = shell_in(folder, "ldpbench run c.json -o bad --shard %s", shards[i]);
        cr_expect(outcome.status == 2 && strstr(outcome.err, "--shard"), "%s: %s", shards[i], outcome.err);
        outcome_free(&outcome);
    }
}

/* What a config asks for in words; keys of cells are asked for. */
FolderTest(run, dry_run_in_words)
{
    write_config(folder, "c.json", 120, "{\"from\": 0.1, \"to\": 4, \"step\": 0.1}", "[\"base\", \"norm\"]");
    struct outcome outcome = shell_in(folder, "ldpbench run c.json --dry-run && ! [ -e results ]");
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_expect(strstr(outcome.out, "cells          80, 120 repetitions each, 9600 in all"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "epsilon      0.1, 0.2, 0.3, ..., 4 (40)"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "oracle       olh, ss (2)"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "tables         mse.csv: mse"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "memory") && strstr(outcome.out, "store") && strstr(outcome.out, "time"), "%s",
              outcome.out);
    cr_expect_null(strstr(outcome.out, "|epsilon="), "%s", outcome.out);
    outcome_free(&outcome);
    run_in(folder, "[ $(ldpbench run c.json --dry-run --verbose | grep -c '|epsilon=') = 80 ]");
}

/* A store is as large as is said before, to a fifth. */
FolderTest(run, dry_run_knows_the_size_of_the_store, SLOW)
{
    static const struct {
        int repetitions;
        const char *epsilon;
    } tries[] = {{1, "1"},
                 {1, "{\"from\": 0.1, \"to\": 40, \"step\": 0.1}"},
                 {200, "{\"from\": 0.1, \"to\": 4, \"step\": 0.1}"}};
    char text[600];

    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        snprintf(text, sizeof text,
                 "{\"name\": \"t\", \"seed\": 1, \"repetitions\": %d, \"oracles\": [\"olh\", \"ss\"], \"epsilon\": %s, "
                 "\"methods\": [\"base\", \"norm\"], \"queries\": [{\"type\": \"full_domain\"}], "
                 "\"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, \"d\": 64, \"n\": 10000}]}",
                 tries[i].repetitions, tries[i].epsilon);
        write_text(folder, "c.json", text);
        run_in(
            folder,
            "said=$(ldpbench run c.json --dry-run | awk '$1 == \"store\" { print $3 * ($4 == \"kB\" ? 1e3 : 1e6) }') "
            "&& rm -rf r && ldpbench run c.json -o r --quiet && awk -v said=\"$said\" -v is=$(wc -c <r/store.sqlite) "
            "'BEGIN { print said, is >\"/dev/stderr\"; exit !(said > 0.8 * is && said < 1.25 * is) }'");
    }
}

/* A repetition of many trials is timed by some of them: a million of 33 MB each take minutes on any machine. */
FolderTest(run, dry_run_times_some_trials)
{
    static const unsigned trials[] = {4, 999999};
    double said[2];
    char text[400];

    for (size_t i = 0; i < 2; i++) {
        snprintf(
            text, sizeof text,
            "{\"name\": \"t\", \"task\": \"selection\", \"repetitions\": 1, \"oracles\": [\"flh\"], \"epsilon\": 6, "
            "\"methods\": [\"base\", \"norm\"], \"queries\": [\"full_domain\"], \"surrogates\": [\"norm_sub\"], "
            "\"trials\": %u, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 2, \"n\": 10}]}",
            trials[i]);
        write_text(folder, "c.json", text);
        struct outcome outcome = shell_in(folder, "ldpbench run c.json --dry-run -j 1 | sed -n 's/.*roughly //p'");
        cr_assert_eq(outcome.status, 0, "%s", outcome.err);
        said[i] = strtod(outcome.out, NULL);
        outcome_free(&outcome);
    }
    cr_expect(said[0] > 0 && said[1] > 60 && said[1] > 1000 * said[0], "%g, %g", said[0], said[1]);
}

/* Every task's measures are called what tables call them, not what the store does. */
FolderTest(run, dry_run_calls_things_as_tables_do)
{
    static const struct {
        const char *config;
        const char *said[2];
    } tries[] = {
        {"{\"name\": \"x\", \"task\": \"search\", \"repetitions\": 2, \"oracles\": [\"oue\"], \"epsilon\": 1, "
         "\"datasets\": [{\"type\": \"zipf_strings\", \"s\": 1.1, \"length\": 4, \"d\": 100, \"n\": 1000}], "
         "\"protocols\": [\"sfp\", {\"name\": \"pem\", \"keep\": [10, 20]}], \"targets\": {\"top\": [5, 10]}}",
         {"tables         search.csv: precision_vldb, recall, "}},
        {"{\"name\": \"x\", \"task\": \"marginals\", \"repetitions\": 2, \"oracles\": [\"oue\"], "
         "\"epsilon\": [1, 2, 3], \"exclude\": [{\"n\": [100, 200], \"epsilon\": 3}, {\"n\": [100, 300], \"epsilon\": 2}, "
         "{\"n\": [200, 300], \"epsilon\": 1}], \"datasets\": [{\"type\": \"chain\", \"d\": 64, \"strength\": 0.5, "
         "\"n\": [100, 200, 300]}], \"synopses\": [\"product\", {\"name\": \"calm\", \"m\": 4, \"l\": 2}], "
         "\"marginals\": {\"k\": [2, 3], \"count\": 4}}",
         {"3 of the 9 combinations of these values", "tables         marginals.csv: sse, tv, max_error"}},
    };

    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        write_text(folder, "c.json", tries[i].config);
        struct outcome outcome = shell_in(folder, "ldpbench run c.json --dry-run");
        cr_expect_eq(outcome.status, 0, "%s", outcome.err);
        for (size_t s = 0; s < 2 && tries[i].said[s]; s++)
            cr_expect(strstr(outcome.out, tries[i].said[s]), "%s: %s", tries[i].said[s], outcome.out);
        cr_expect_null(strchr(outcome.out, '|'), "%s", outcome.out);
        cr_expect_null(strstr(outcome.out, "auto"), "%s", outcome.out);
        outcome_free(&outcome);
    }
}

/* test_mpi.c - one run over several processes: the same bytes for any number of ranks, and a store from which a job
 * that died goes on. Skipped where there is no mpirun or no build/release/ldpbench-mpi (environment variable
 * LDPBENCH_MPI). */
#include "program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char config[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": %d,"
                             " \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 20000, \"s\": 1.3}],"
                             " \"oracles\": [\"olh\", \"grr\"], \"epsilon\": [0.5, 1], \"methods\": \"all\","
                             " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"set_value\", \"percent\": 10}],"
                             " \"outputs\": [\"mse\", \"values\"]}";

/* mpirun with the program, as a shell function mpi RANKS ARGUMENTS. */
static char launcher[2 * PATH_ROOM];

static void find_launcher(void)
{
    const char *const program = getenv("LDPBENCH_MPI");

    if (!program || access(program, X_OK) != 0 || !has_program("mpirun"))
        skip_test("no mpirun, or no build/release/ldpbench-mpi");
    snprintf(
        launcher, sizeof launcher,
        "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader OMP_NUM_THREADS=1;"
        " mpi() { ranks=$1; shift; mpirun --oversubscribe -n $ranks '%s' \"$@\"; };",
        program);
}

static void write_config(const char *folder, const char *name, int repetitions)
{
    char text[1024];

    snprintf(text, sizeof text, config, repetitions);
    write_text(folder, name, text);
}

FolderTest(mpi, ranks_do_not_show, .timeout = 600)
{
    find_launcher();

    write_config(folder, "few.json", 30);
    write_config(folder, "c.json", 130);
    run_in(folder, "ldpbench run c.json -o single --quiet");
    run_in(folder, "%s mpi 2 run c.json -o two --quiet", launcher);
    demand_same_tables(folder, "single", "two");
    /* Grown: blocks that are there in part. */
    run_in(folder, "%s mpi 4 run few.json -o four --quiet && mpi 4 run c.json -o four --quiet", launcher);
    demand_same_tables(folder, "single", "four");
}

/* The idle time of ranks is shown, and stored in run.json. */
FolderTest(mpi, idle_ranks_are_reported, .timeout = 600)
{
    double mean = -1, most = -1;

    find_launcher();
    write_config(folder, "c.json", 60);
    struct outcome outcome = shell_in(folder, "%s mpi 3 run c.json -o r -j 1", launcher);
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);

    const char *const line = strstr(outcome.err, "t: 3 ranks, idle for ");

    cr_assert_not_null(line, "%s", outcome.err);
    cr_assert_eq(sscanf(line, "t: 3 ranks, idle for %lf %% of the time, one of them for %lf %%", &mean, &most), 2);
    cr_expect(mean >= 0 && most >= mean && most <= 100, "%g %g", mean, most);
    char *const made = read_text(folder, "r/run.json");
    cr_expect_not_null(strstr(made, "\"ranks\":\t3"), "%s", made);
    cr_expect(strstr(made, "\"idle\":") && strstr(made, "\"idle_most\":"), "%s", made);
    free(made);
    outcome_free(&outcome);
}

FolderTest(mpi, bad_input_is_reported_once, .timeout = 600)
{
    find_launcher();

    struct outcome outcome = shell_in(folder, "%s mpi 2 run none.json", launcher);
    cr_assert_neq(outcome.status, 0);
    const char *const first = strstr(outcome.err, "none.json");
    cr_assert_not_null(first, "%s", outcome.err);
    cr_assert_null(strstr(first + 1, "ldpbench: none.json"), "reported twice: %s", outcome.err);
    outcome_free(&outcome);
}

/* Each of two ranks is killed in turn while the job runs: the job ends with a message, the store goes on. The rank is
 * found by its environment and by the folder, which is this test's alone. */
static const char killer[] =
    "(for i in $(seq 200); do [ -e died/store.sqlite ] && break; sleep 0.05; done; sleep 0.3;"
    " for process in /proc/[0-9]*; do grep -qz '%s/died' $process/cmdline && grep -qzx OMPI_COMM_WORLD_RANK=%d "
    "$process/environ && kill -9 ${process#/proc/}; done) 2> /dev/null &";

FolderTest(mpi, a_rank_that_dies, .timeout = 600)
{
    find_launcher();

    write_config(folder, "c.json", 20000);
    for (int rank = 0; rank < 2; rank++) {
        char kill_rank[2 * PATH_ROOM];
        snprintf(kill_rank, sizeof kill_rank, killer, folder, rank);
        struct outcome outcome = shell_in(folder, "rm -rf died && { %s %s mpi 2 run c.json -o %s/died --quiet; }",
                                          kill_rank, launcher, folder);
        cr_assert_neq(outcome.status, 0, "rank %d: the job should have died", rank);
        cr_assert(*outcome.err, "a job that dies says so");
        outcome_free(&outcome);
    }
    run_in(folder, "ldpbench run c.json -o died --quiet && ldpbench run c.json -o whole --quiet");
    demand_same_tables(folder, "died", "whole");
}

/* runner.h - runs the missing repetitions of an experiment on several threads. */
#ifndef LDPBENCH_RUNNER_H
#define LDPBENCH_RUNNER_H

#include "run/store.h"
#include "tasks/experiment.h"

struct run_options {
    int threads;        /* 0: one for each processor */
    bool progress;      /* show progress and time left on standard error */
    const char *folder; /* of the store, for messages; NULL: it goes when the program ends */
};

struct run_summary {
    int threads;
    size_t repetitions_run, repetitions_kept; /* over all cells */
    double seconds;

    /* Shares of the time in which threads had nothing to do or waited: of all ranks together, of the rank that had most
     * of it. At rank 0. */
    double idle, idle_most;
};

/* Runs every missing repetition and puts it into the store. What was finished stays in the store if this fails or the
 * process is killed. SIGINT, SIGTERM and SIGHUP make it fail, or, where units take long, end the process
 * (interruption.h); the message says what was kept. Called by every rank; ranks other than 0 have no store (NULL). */
int runner_run(const struct experiment *experiment, struct store *store, const struct run_options *options,
               struct run_summary *summary, struct failure *failure);

/* Seconds that a run on so many threads would take, with its preparation: estimated from single repetitions of cells
 * spread over the grid, about `budget` seconds of them but at least one; cells whose cost alone exceeds that are left
 * out. */
int runner_estimate(const struct experiment *experiment, double budget, int threads, double *seconds,
                    struct failure *failure);

/* Prints what a config asks for and its cost; the time is measured unless the config has programs that are not allowed.
 */
int print_dry_run(const struct experiment *experiment, int threads, bool verbose, bool allowed,
                  struct failure *failure);

#endif

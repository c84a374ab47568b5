/* task.h - a kind of experiment, as data.
 *
 * A task makes a setup of its keys in a config: a list of cells. For each cell a layout says which numbers one
 * repetition gives (series) and which vectors are accumulated (sums); a worker runs repetitions; the task's tables show
 * what came out. Streams, threads, store and progress know no more than that, and none of them names an algorithm. */
#ifndef LDPBENCH_TASK_H
#define LDPBENCH_TASK_H

#include "config/experiment.h"

struct table_writer; /* tables.h: reads what was measured, in order of repetition */

/* What decides a series, or a sum, besides its cell: canonical texts with all their parameters, "" where there is no
 * such part. Two series of a layout with the same four texts are one series of the store. */
struct series {
    const char *method, *query, *point, *measure;
};

/* What the cells of a kind have in common. */
struct layout {
    size_t nseries, nsums;
    size_t sum_length; /* numbers in the vector of a sum */
    const struct series *series, *sums;
};

/* What the struct that a setup is part of begins with, so that no other one is made of it. */
enum setup_base { SETUP_GRID = 1 /* grid.h */, SETUP_EVALUATION = 2 /* evaluation.h */ };

/* What a task made of a config; the first member of the task's own struct. */
struct setup {
    const struct task *task;
    unsigned bases; /* enum setup_base */
    size_t ncells;
    double shared_bytes; /* that all workers share, for --dry-run */
};

/* One thread's place; the first member of the task's own struct. */
struct worker {
    const struct task *task;
};

/* What --dry-run prints, and what the progress line weighs cells by. */
struct cell_cost {
    double worker_bytes; /* that one worker needs */
    double nanoseconds;  /* of one repetition, roughly */
};

/* A kind of experiment, task_<name> in bench/tasks/<name>.c; its line in tasks.def makes it known. */
struct task {
    const char *name;
    const char *title;
    const char *source;
    const struct config_key *keys; /* of the config, besides experiment_keys; read by config_read */

    /* Reads the task's keys. On failure there is nothing to free. */
    int (*read)(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct setup **out,
                struct failure *failure);
    void (*free)(struct setup *setup); /* NULL is allowed */

    /* Canonical text of a cell: everything that decides its random stream. Malloc'd. */
    char *(*cell_key)(const struct setup *setup, size_t cell);

    /* The same pointer for neighbouring cells of a kind: what is done for each layout is done once for all of them. */
    const struct layout *(*layout)(const struct setup *setup, size_t cell);
    struct cell_cost (*cost)(const struct setup *setup, size_t cell);

    /* begin prepares a worker for a cell (reusing what it can); run adds a repetition's own numbers: measured[series]
     * is set, sums[i * sum_length + v] (unless NULL; all 0 before a block's first) takes it in. What sums hold and how
     * blocks are put together is the task's. */
    struct worker *(*worker_new)(const struct setup *setup);
    void (*worker_free)(struct worker *worker);
    int (*worker_begin)(struct worker *worker, size_t cell, struct failure *failure);
    int (*worker_run)(struct worker *worker, struct ldp_rng *rng, double *measured, double *sums,
                      struct failure *failure);

    /* Writes the task's tables from complete results into a folder. */
    int (*write)(const struct table_writer *writer, const char *folder);
};

extern const struct task *const tasks[]; /* NULL-terminated */

#define TASK(id) extern const struct task task_##id;
#include "tasks/tasks.def"
#undef TASK

#endif

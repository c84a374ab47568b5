/* experiment.h - an experiment (one config), and the table of tasks.
 *
 * A task is a kind of experiment: how its part of the config is read, how one repetition of a cell
 * runs, which tables it writes. Grid, streams, store, resumption and progress know tasks, cells
 * and series only; none of them names an algorithm.
 *
 * A cell is one point of the grid. A series is one number measured in every repetition of a cell
 * (a method's error on a query). Sums are vectors accumulated over the repetitions of a cell, block by block (a
 * method's per-value errors); what they hold and how blocks are put together is the task's. */
#ifndef LDPBENCH_EXPERIMENT_H
#define LDPBENCH_EXPERIMENT_H

#include "failure.h"
#include "ldpbench.h"

struct task;
struct table_writer; /* tables.h: reads what was measured, in order of repetition */

struct experiment {
    const struct task *task;
    char *file;        /* the config's path */
    char *config_text; /* as read */
    char *name;
    uint64_t seed;
    uint32_t repetitions;
    void *plan; /* the task's own reading of the config */
};

/* What the command line changes in a config. */
struct overrides {
    bool has_seed, has_repetitions, has_mode;
    uint64_t seed;
    uint32_t repetitions;
    enum ldp_mode mode;
};

/* The keys that a config of any task may have, NULL-terminated. */
extern const char *const experiment_keys[];

/* Reads and checks a whole config: syntax, keys, values, files it names, the size of its grid.
 * 0, or -1 with a failure `file:line: path: expected ..., got ...`. */
int experiment_read(const char *file, const struct overrides *overrides, struct experiment **out,
                    struct failure *failure);
void experiment_free(struct experiment *experiment);

struct json_at; /* json.h: a place in a config */

/* A kind of experiment, task_<name> in bench/tasks/<name>.c; its line in tasks.def makes it known. */
struct task {
    const char *name;
    const char *title;
    const char *source;
    const char *const *keys; /* of the config, besides name, seed, repetitions, task; NULL-terminated */

    /* Reads the task's keys into experiment->plan. */
    int (*read)(const struct json_at *root, const struct overrides *overrides, struct experiment *experiment,
                struct failure *failure);
    void (*plan_free)(void *plan);

    size_t (*cells)(const struct experiment *experiment);

    /* Canonical text of a cell: everything that decides its random stream. Malloc'd. */
    char *(*cell_key)(const struct experiment *experiment, size_t cell);

    /* The first cell that has the same series and sums, with the same texts: what is done for each of their names is
     * done once for all cells alike. A cell that is like none before it: itself. */
    size_t (*kind)(const struct experiment *experiment, size_t cell);

    /* Series of a cell, and the canonical text of one: everything that decides its numbers besides the cell. */
    size_t (*series)(const struct experiment *experiment, size_t cell);
    char *(*series_key)(const struct experiment *experiment, size_t cell, size_t series);

    /* Accumulated vectors of a cell: how many (0 where not asked for), their common length, and their
     * texts. */
    size_t (*sums)(const struct experiment *experiment, size_t cell);
    size_t (*sums_length)(const struct experiment *experiment, size_t cell);
    char *(*sums_key)(const struct experiment *experiment, size_t cell, size_t sums);

    /* What --dry-run prints, and what the progress line weighs cells by: bytes that all workers share, bytes that one
     * worker needs for a cell, rough nanoseconds of one repetition. */
    double (*shared_bytes)(const struct experiment *experiment);
    double (*worker_bytes)(const struct experiment *experiment, size_t cell);
    double (*cost)(const struct experiment *experiment, size_t cell);

    /* A worker belongs to one thread. begin prepares it for a cell (reusing what it can); run adds a
     * repetition's own numbers: measured[series] is set, sums[i * length + v] (unless NULL; all 0 before a
     * block's first) takes it in. */
    void *(*worker_new)(const struct experiment *experiment);
    void (*worker_free)(void *worker);
    int (*worker_begin)(void *worker, size_t cell, struct failure *failure);
    int (*worker_run)(void *worker, struct ldp_rng *rng, double *measured, double *sums, struct failure *failure);

    /* Writes the task's tables from complete results into a folder. */
    int (*write)(const struct table_writer *writer, const char *folder);
};

extern const struct task *const tasks[]; /* NULL-terminated */

#endif

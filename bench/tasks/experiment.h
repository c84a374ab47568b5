/* experiment.h - an experiment: one config. Its task decides what is done (task.h). */
#ifndef LDPBENCH_EXPERIMENT_H
#define LDPBENCH_EXPERIMENT_H

#include "config/axes.h"
#include "ldp.h"
#include "support/failure.h"

struct setup; /* tasks/task.h */
struct task;

struct experiment {
    const struct task *task;
    char *file;        /* the config's path */
    char *config_text; /* as read */
    char *name;
    uint64_t seed;        /* of repetitions */
    uint64_t data_seed;   /* of data and workload, which all repetitions share */
    uint32_t repetitions; /* of each cell */
    bool until_decided;   /* repetitions are added until it is decided what to take (run --until-decided) */
    bool spreadsheet;     /* no cell of theirs is a formula */
    struct setup *setup;  /* the task's keys, read and checked */
    double prepared;      /* seconds that this took, without what --dry-run alone asks for */
};

/* The keys that a config of any task may have. */
extern const struct config_key experiment_keys[];

/* Reads and checks a whole config: syntax, keys, values, files it names, the size of its grid.
 * 0, or -1 with a failure `file:line: path: expected ..., got ...`. */
int experiment_read(const char *file, const struct overrides *overrides, struct experiment **out,
                    struct failure *failure);
void experiment_free(struct experiment *experiment);

#endif

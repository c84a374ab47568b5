/* selection.h - the setup of the task selection, and its tables. */
#ifndef LDPBENCH_SELECTION_H
#define LDPBENCH_SELECTION_H

#include "stats/surrogate.h"
#include "tasks/evaluation.h"

struct surrogate_list {
    struct surrogate *surrogate;
    size_t count;
};

/* Series: the measurements on the true population, then those predicted by each surrogate in turn. */
struct selection {
    struct evaluation_setup evaluation;
    struct surrogate_list surrogates;
    uint64_t trials;
};

/* The setup of this task; asserts that it is one. */
const struct selection *selection_of(const struct setup *setup);

extern const struct task_table selection_table, regret_table;

#endif

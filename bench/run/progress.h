/* progress.h - one line on a terminal: the work that is done and the time left. */
#ifndef LDPBENCH_PROGRESS_H
#define LDPBENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool shown;
    const char *name;
    double started, drawn;  /* seconds of the monotonic clock */
    double cost, cost_done; /* in the task's unit of cost */
    size_t repetitions, repetitions_done;
};

void progress_start(struct progress *progress, const char *name, bool shown, size_t repetitions, double cost);
void progress_add(struct progress *progress, size_t repetitions, double cost);

/* Removes the line. */
void progress_end(struct progress *progress);

#endif

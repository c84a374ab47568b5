/* check.h - shared by the files of `ldpbench check`. */
#ifndef LDPBENCH_CHECK_H
#define LDPBENCH_CHECK_H

#include "commands/commands.h"
#include "results/changes.h"
#include "support/text.h"

struct check_request {
    struct changes_options options;
    enum format format;
    const char *path[SIDES];
    const char *history; /* a folder of versions, in place of both; NULL: none */
    const char *picture; /* of the history, a file; NULL: none */
};

/* Prints the findings on standard output. */
void check_print(const struct check_request *request, const struct changes *changes);

/* Compares the results in a folder's folders with those of the version before, and prints what changed when. */
int check_history(const struct check_request *request, bool *changed, struct failure *failure);

/* One version after another, or one of its result folders. */
struct step {
    char *from, *to, *path[SIDES];
    char *folder;   /* within a version; "": the version is a result folder */
    size_t version; /* of `to`, among the versions */
    struct results *results[SIDES];
    struct changes changes;
};

struct steps {
    struct step *step;
    size_t count, room;
    struct texts versions;
};

/* Significant changes first, then by size; numbers that became defined or undefined are the largest. 0: a tie. */
int change_order(const struct change *x, const struct change *y);

/* The rows that changed most as curves over the versions, each relative to its first value. */
int history_picture(const struct steps *steps, const char *file, struct failure *failure);

#endif

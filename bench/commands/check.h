/* check.h - shared by the files of `ldpbench check`. */
#ifndef LDPBENCH_CHECK_H
#define LDPBENCH_CHECK_H

#include "commands/commands.h"
#include "results/changes.h"

struct check_request {
    struct changes_options options;
    enum format format;
    const char *path[SIDES];
    /* Of a paper: */
    bool all;
    const char *output, *new_paper; /* NULL: not asked for */
    char *const *folders;           /* [nfolders] of results */
    size_t nfolders;
    const char *history; /* a folder of versions, in place of both; NULL: none */
};

/* Prints the findings on standard output. */
void check_print(const struct check_request *request, const struct changes *changes);

/* Compares the results in a folder's folders with those of the version before, and prints what changed when. */
int check_history(const struct check_request *request, bool *changed, struct failure *failure);

#endif

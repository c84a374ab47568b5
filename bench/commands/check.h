/* check.h - shared by the files of `ldpbench check`. */
#ifndef LDPBENCH_CHECK_H
#define LDPBENCH_CHECK_H

#include "commands/commands.h"
#include "results/changes.h"
#include "support/sheet.h"

struct check_request {
    struct changes_options options;
    enum format format;
    const char *path[SIDES];
    /* Of a paper: */
    bool all;
    const char *output;   /* NULL: not asked for */
    char *const *folders; /* [nfolders] of results */
    size_t nfolders;
};

/* Prints the findings on standard output. */
void check_print(const struct check_request *request, const struct changes *changes);

#endif

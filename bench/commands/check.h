/* check.h - shared by the files of `ldpbench check`. */
#ifndef LDPBENCH_CHECK_H
#define LDPBENCH_CHECK_H

#include "commands/commands.h"
#include "results/changes.h"

struct check_request {
    struct changes_options options;
    enum format format;
    const char *path[SIDES];
};

/* Prints the findings on standard output. 0, or -1 with the failure set. */
int check_print(const struct check_request *request, const struct changes *changes, struct failure *failure);

#endif

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

/* The file of a paper's statements, malloc'd: itself, in its folder, or in a folder of papers/ of that name; NULL: it
 * is no paper, or a folder of results. */
char *paper_statements(const char *paper);

/* Compares the statements with results; *failed: one differs that has no note. */
int check_paper(const struct check_request *request, const char *statements, bool *failed, struct failure *failure);

/* Writes the files that a new paper begins with. */
int check_new(const char *name, struct failure *failure);

#endif

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
    const char *output, *new_paper; /* NULL: not asked for */
    char *const *folders;           /* [nfolders] of results */
    size_t nfolders;
    const char *history; /* a folder of versions, in place of both; NULL: none */
};

/* Prints the findings on standard output. */
void check_print(const struct check_request *request, const struct changes *changes);

/* Which changes a list shows. */
typedef bool in_list(const struct changes *changes, const struct change *change);

enum { CHECK_LISTED = 20 }; /* the most rows of a list that people read */

/* A table of what changed, in JSON of that name; people are shown the first rows. */
void check_put_changes(struct sheet *sheet, const struct changes *changes, const char *name, const char *heading,
                       in_list *belongs, size_t shown, bool allowed);

/* Compares the results in a folder's folders with those of the version before, and prints what changed when. */
int check_history(const struct check_request *request, bool *changed, struct failure *failure);

#endif

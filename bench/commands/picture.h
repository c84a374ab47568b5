/* picture.h - one picture of a command, beside what it prints: --picture FILE. */
#ifndef LDPBENCH_COMMANDS_PICTURE_H
#define LDPBENCH_COMMANDS_PICTURE_H

#include "commands/commands.h"
#include "figures/page.h"

#define OPTION_PICTURE(code_, help_)                                                                                   \
    {                                                                                                                  \
        .name = "picture", .code = (code_), .value = "FILE", .takes = TAKES_FILES, .help = (help_)                     \
    }

/* Whether FILE ends in .svg, .pdf, .png or .tsv. */
int picture_check(const char *file, struct failure *failure);

/* The looks of curves, as in the pictures of tables. */
int picture_looks(const char *const *label, size_t count, struct look *look, struct failure *failure);

/* Draws the page into the file. */
int picture_draw(struct page *page, const char *file, struct failure *failure);

#endif

/* sheet_private.h - shared by the files of sheet.h. */
#ifndef LDPBENCH_SUPPORT_SHEET_PRIVATE_H
#define LDPBENCH_SUPPORT_SHEET_PRIVATE_H

#include "support/sheet.h"

struct sheet_cell {
    enum { CELL_EMPTY, CELL_TEXT, CELL_NUMBER, CELL_FLAG } kind;
    enum sheet_mark mark;
    double number;
    char *text;
};

/* A cell as readers see it, without its mark; malloc'd. */
char *sheet_look(const struct sheet *sheet, size_t cell);
/* Whether a column is one of numbers, which are aligned right. */
bool sheet_is_number(const struct sheet *sheet, size_t column);
/* A heading, of level 2 where a table is open, paragraph or item. */
void sheet_put(struct sheet *sheet, enum block block, const char *text);

/* ---- sheet_text.c ---- */

void sheet_put_lines(struct sheet *sheet, enum block block, const char *text);
void sheet_put_text(struct sheet *sheet);

#endif

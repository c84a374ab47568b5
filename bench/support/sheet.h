/* sheet.h - the answer of a command: sentences, facts and tables, described once and printed as text of at most 80
 * columns, Markdown, HTML, LaTeX, CSV or JSON; checks also as JUnit, for CI systems. All texts are data: no format
 * reads them as its own marks. */
#ifndef LDPBENCH_SUPPORT_SHEET_H
#define LDPBENCH_SUPPORT_SHEET_H

#include "support/document.h"
#include "support/memory.h"
#include "support/tree.h"

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

/* Which value of a column is best. */
enum sheet_best { SHEET_NONE, SHEET_LEAST, SHEET_MOST };

/* A column. JSON and CSV have its numbers in full, the other formats as `digits` says. */
struct sheet_column {
    const char *key;     /* its name in JSON and CSV; NULL: not shown there */
    const char *heading; /* elsewhere; NULL: not shown there */
    int digits;          /* significant digits; 0: whole numbers, by thousands; -D: D decimals */
    enum sheet_best best;
};

enum { SHEET_COLUMNS_MAX = 64 };

/* The best cell of a column is bold in Markdown, HTML and LaTeX and has a * in text; what is not distinguished from it
 * is in italics, underlined in LaTeX, and has a = in text. What is unranked is never the best. */
enum sheet_mark { SHEET_PLAIN, SHEET_UNRANKED, SHEET_BEST, SHEET_TIE };

struct sheet {
    struct document doc;
    struct cJSON *root; /* of JSON; NULL in other formats */
    const char *name;   /* a constant */
    char *title;
    struct sheet_column column[SHEET_COLUMNS_MAX];
    int level;                           /* of the headings of tables in Markdown and HTML, 2 unless it is set */
    size_t columns, cells, room, tables; /* cells: of the table that is open; tables: that were printed */
    struct sheet_cell *cell;             /* row by row */
    bool marked;
    FILE *cases; /* of JUnit, whose text is case_text; NULL: none so far */
    char *case_text;
    size_t case_length;
    char *suite;
    size_t outcomes[3];
};

struct sheet sheet_begin(FILE *out, enum format format);

/* The answer, further sentences, and entries of a list: in JSON the texts of the list
 * "answer", in LaTeX comments, in CSV nothing. */
#define sheet_answer(sheet, ...) sheet_print((sheet), BLOCK_HEADING, __VA_ARGS__)
#define sheet_say(sheet, ...) sheet_print((sheet), BLOCK_PARAGRAPH, __VA_ARGS__)
#define sheet_item(sheet, ...) sheet_print((sheet), BLOCK_ITEM, __VA_ARGS__)
void sheet_print(struct sheet *sheet, enum block block, const char *format, ...) DOC_PRINTF(3);

/* Members of the JSON object, as json_add has them; nothing elsewhere. */
#define sheet_facts(sheet, ...)                                                                                        \
    do {                                                                                                               \
        if ((sheet)->root)                                                                                             \
            json_add((sheet)->root, __VA_ARGS__);                                                                      \
    } while (0)

/* Whether the format is one for programs, which have all rows where people are shown some. */
bool sheet_has_all(const struct sheet *sheet);

/* Begins a table, in JSON a list of that name. It is printed when the next block or the end comes. In JSON and CSV
 * tables of one name that follow each other are one, with the columns of the first. title: NULL: none. */
void sheet_table(struct sheet *sheet, const char *name, const char *title, const struct sheet_column *column,
                 size_t columns);
/* Its cells, row by row. A text that is NULL is an empty cell, a number that is not finite is null in JSON. */
void sheet_text(struct sheet *sheet, const char *text);
void sheet_number(struct sheet *sheet, double value);
void sheet_flag(struct sheet *sheet, bool value);
/* Several, of each kind t a text, n a number, u a size_t, f a flag. */
void sheet_row(struct sheet *sheet, const char *kinds, ...);
/* Marks the last cell. Where no cell of a column is marked, and it has several numbers, `best` of the column is. */
void sheet_mark(struct sheet *sheet, enum sheet_mark mark);
/* Leaves the cells that the row still lacks empty. */
void sheet_row_end(struct sheet *sheet);

/* Prints the table that is open, for a caller that goes on with sheet.doc. */
void sheet_flush(struct sheet *sheet);

/* A check of many: a test case of JUnit, where the answer names their suite; nothing elsewhere. */
enum sheet_outcome { SHEET_PASSED, SHEET_FAILED, SHEET_SKIPPED };
void sheet_case(struct sheet *sheet, const char *group, const char *name, enum sheet_outcome outcome, const char *text);

/* Prints what is left and frees all. */
void sheet_end(struct sheet *sheet);

#endif

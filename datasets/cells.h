/* cells.h - what the text of one cell is: missing, a number, a code, a word. docs/data.md, Cells, has the rules. */
#ifndef LDPBENCH_CELLS_H
#define LDPBENCH_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#define CELL_NUMBER_MOST 1e300 /* differences of such numbers are finite, as bins need */

/* Leaves out the blanks around a text. */
void cell_trim(const char **text, size_t *length);

/* Whether a cell is missing: empty, a usual marker, or one of others, which have commas between them (NULL: none). */
bool cell_is_missing(const char *text, size_t length, const char *others);

/* The number that a cell is, with this decimal mark, a point or a comma; the other one may group digits. NAN: none. */
double cell_number(const char *text, char decimal);

/* Whether it begins with a superfluous 0, as codes do: 007. */
bool cell_is_code(const char *text);

/* What cells of a column show of its decimal mark. */
enum { SHOWS_POINT = 1, SHOWS_COMMA = 2, MAYBE_POINT = 4, MAYBE_COMMA = 8 };
unsigned cell_shows(const char *text);

/* The decimal mark of a column by what its cells show, and what separates cells; '\0': it cannot be told. */
char cell_decimal(unsigned shows, char separator);

/* Whether a text is a usual name of a column of numbers of users, in capital letters or not. */
bool cell_names_count(const char *text, size_t length);

/* Whether it is a usual name of the line that has the sum of all others. */
bool cell_names_total(const char *text, size_t length);

/* Whether it is a usual header of lines of one string each. */
bool cell_names_strings(const char *text, size_t length);

#endif

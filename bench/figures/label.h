/* label.h - texts that are drawn. Labels come from tables, so they are any bytes. */
#ifndef LDPBENCH_FIGURES_LABEL_H
#define LDPBENCH_FIGURES_LABEL_H

#include <stddef.h>
#include <stdio.h>

/* Writes a text as valid UTF-8 of characters that XML allows: what is not valid becomes U+FFFD, a control character its
 * visible symbol. A text of more than `most` characters ends in an ellipsis; 0: no limit. */
void label_write(FILE *out, const char *text, size_t most);

/* The same, malloc'd; NULL if out of memory. */
char *label_clean(const char *text, size_t most);

/* About how wide a clean text is, in units of the size of its type. */
double label_width(const char *text);

/* How many bytes of a clean text fit into a width, cut between words where there are any, but not beside "=";
 * at least one character. */
size_t label_fit(const char *text, double width);

/* A number with a comma between thousands if it is a whole one below 10^15, as it is otherwise. */
void label_thousands(FILE *out, const char *number);

/* A file name made of a label: letters, digits and _ = . - as they are, the rest as _. Malloc'd. */
char *label_file_name(const char *label);

/* A whole number as superscript digits. */
void label_superscript(FILE *out, int number);

#endif

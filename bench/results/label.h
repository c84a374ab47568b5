/* label.h - texts that are drawn. Labels come from tables, so they may contain any bytes. */
#ifndef LDPBENCH_RESULTS_LABEL_H
#define LDPBENCH_RESULTS_LABEL_H

#include "support/memory.h"

#include <stddef.h>

/* A text as valid UTF-8 of characters that XML allows: invalid bytes become U+FFFD, control characters their visible
 * symbols. A text of more than `most` characters is cut and ends in an ellipsis; 0: no limit. Malloc'd. */
char *label_clean(const char *text, size_t most);

/* The approximate width of a clean text, in units of its type size. */
double label_width(const char *text);

/* How many bytes of a clean text fit into a width, cut between words where there are any, but not beside "=";
 * at least one character. */
size_t label_fit(const char *text, double width);

/* Adds a number with a true minus sign; an integer below 10^15 has commas between thousands. */
void label_thousands(struct buffer *out, const char *number);

/* A file name made from a label: letters, digits and _ = . - are kept, the rest become _. Malloc'd. */
char *label_file_name(const char *label);

/* Adds a whole number as superscript digits. */
void label_superscript(struct buffer *out, int number);

#endif

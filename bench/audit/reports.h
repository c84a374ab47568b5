/* reports.h - reads reports of two inputs from lines of text, written by any client.
 *
 * A line is a report: words separated by blanks, TABs or commas; '#' starts a comment, empty lines are skipped. */
#ifndef LDPBENCH_AUDIT_REPORTS_H
#define LDPBENCH_AUDIT_REPORTS_H

#include "audit/bound.h"
#include "audit/clients.h"
#include "labels.h"

struct report_files {
    const char *file[2]; /* of the first and of the second input; the second NULL: one file, whose lines begin with
                            the name of the input */
    bool bits;           /* each character is a word */
};

/* What was read. Start from all zero; clear in any case. */
struct report_lines {
    struct audit_reports reports;
    char **symbol; /* words that are not numbers */
    size_t symbols, symbol_room;
    struct label_index index;
    double *word[2]; /* reports one after the other */
    size_t *end[2];  /* [n] where each ends */
    size_t words[2], word_room[2], report_room[2];
    char *input[2]; /* names of the inputs, of one file */
};

/* Reads the files. With a pair they have reports of its oracle: words are integers, or real numbers if the oracle's
 * reports are real. */
int reports_read(const struct report_files *files, struct audit_pair *pair, struct report_lines *out,
                 struct failure *failure);
void reports_clear(struct report_lines *lines);

#endif

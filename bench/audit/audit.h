/* audit.h - a lower bound of epsilon from reports of two inputs.
 *
 * If a client is epsilon-private, no event of its report is more than e^epsilon times as likely under one input as
 * under another. Half of the reports are used to find the event with the largest ratio, the other half to bound its two
 * probabilities (Clopper and Pearson, 1934), each at (1 - confidence) / 2.
 *
 * Correction for many events: one event of one pair of inputs is tested on the held-out half, and neither event nor
 * pair depends on that half. So the bound holds with the stated confidence whatever the number of events and of pairs
 * that were looked at to choose it, as long as reports are independent (each is from a different user).
 *
 * The first two of every eight reports are used to learn scores, the next two to choose an event; the others are held
 * out. Two reports that follow each other are in the same part, so an event may be about both. */
#ifndef LDPBENCH_AUDIT_H
#define LDPBENCH_AUDIT_H

#include "ldp.h"
#include "support/failure.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_row {
    size_t words;
    uint32_t characters; /* bytes of its text */
};

/* Reports as rows of words, which are numbers or the numbers of symbols (in the order of their texts). */
struct audit_reports {
    size_t n[2];               /* of the first and of the second input */
    size_t columns;            /* words of the longest report */
    double *word[2];           /* [n][columns]; NAN: the report has no such word */
    uint64_t *number[2];       /* [n][columns] words as whole numbers, whose digits are events too, 0 where there is
                                  none; NULL: words are not what the client sent, and events are those of words alone */
    char *const *unit;         /* [columns] what these numbers are, after "word 1"; NULL: the words */
    struct report_row *row[2]; /* [n]; NULL: not known */
    char *const *symbol;       /* text of a symbol; NULL: words are numbers */
    const char *const *of;     /* [columns] names of columns; NULL: "word 1", ... */
};

enum { AUDIT_EVENT_TEXT = 640 };

struct audit_finding {
    double epsilon;  /* lower bound at the requested confidence; 0: nothing was found */
    double estimate; /* log of the ratio of the event's shares; infinite if the other input never has it */
    double most;     /* the largest bound that this number of reports can show */
    size_t likelier; /* the input, 0 or 1, that makes the event likelier */
    size_t held[2];  /* held-out reports of each input that are in the event */
    size_t of[2];    /* held-out reports */
    double chosen;   /* the bound on the choosing part, by which pairs of inputs are compared */
    char event[AUDIT_EVENT_TEXT];
};

/* 0 < confidence < 1; at least AUDIT_REPORTS_MIN reports of each input. */
enum { AUDIT_REPORTS_MIN = 40 };
void audit_bound(const struct audit_reports *reports, double confidence, struct audit_finding *finding);

/* The bound for one event that was chosen without these reports: log of the lower bound of the likelier input's
 * probability over the upper bound of the other's. */
double audit_ratio(const size_t held[2], const size_t of[2], size_t likelier, double confidence);

/* The largest bound that n reports of one input and m of the other can show. */
double audit_most(size_t n, size_t m, double confidence);

/* The fewest reports of each input that can show more than epsilon; SIZE_MAX if 2^40 cannot. */
size_t audit_reports_needed(double epsilon, double confidence);

/* ---- reports of one of the program's oracles, reduced to the numbers that an audit examines ---- */

/* Rows of n[side] reports of each of two values: report[side][n][report_words], or, where report is NULL, made by the
 * oracle's client from the seed. A report is reduced to the log ratio of its stated probabilities under the two values,
 * and its support of each, where one report has a support that is cheap enough to compute. The protocol has its
 * public_seed; the caller frees word[0] and word[1]. */
struct audit_reports audit_pair(const struct ldp_protocol *protocol, const uint32_t value[2], uint64_t *const *report,
                                const size_t n[2], uint64_t seed);

/* ---- reports of several inputs by any client: a line is a report, words with blanks, TABs or commas between ---- */

enum { AUDIT_INPUTS_MAX = 64 };

struct report_files {
    char *const *file; /* one for each input; a single one: its lines begin with the name of the input */
    size_t count;
    bool bits; /* each character is a word */
};

/* The reports of an input. */
struct report_input {
    char *name;
    size_t n, room;
    struct report_row *row; /* [n] */
    struct buffer text;     /* of any client: each word, ended by a NUL */
    double *word;           /* of any client: [n][columns], as in audit_reports */
    uint64_t *number;       /* the same */
    uint64_t *own;          /* of an oracle: [n][report_words] */
    size_t own_words, own_room;
};

/* All that was read. Start from all zero; clear in any case. */
struct report_lines {
    struct report_input *input;
    size_t inputs, input_room;
    size_t n;                     /* reports of all inputs */
    size_t words;                 /* of all reports of any client */
    struct report_column *column; /* [columns] */
    size_t columns, column_room;  /* words of the longest report */
    struct texts units;           /* of the columns, as in audit_reports */
    bool text;                    /* words are symbols, because one is no number */
    char **symbol;
    size_t refused; /* reports that no client of the protocol can send */
    struct failure first_refused;
};

/* What numbers of a column are like, in the reports that learn. */
struct report_column {
    long places; /* decimal places */
    double largest;
    double scale; /* units of the last place; NAN: the bits of doubles */
};

/* Reads the files. With a protocol they have reports of its oracle: words are integers, or real numbers if the oracle's
 * reports are real. At least two inputs, of AUDIT_REPORTS_MIN reports each. */
int reports_read(const struct report_files *files, const struct ldp_protocol *protocol, struct report_lines *out,
                 struct failure *failure);
void reports_clear(struct report_lines *lines);

/* The words of a protocol's report on a line, from `at` on, with characters of `between` around each; expected: what
 * one should be, unless reports are real numbers. */
struct lines;
int report_words(const struct lines *lines, size_t at, const char *between, const struct ldp_protocol *protocol,
                 const char *expected, uint64_t *report, struct failure *failure);

/* Two inputs of any client, to be audited; their arrays belong to the lines. */
struct audit_reports reports_of_two(const struct report_lines *lines, size_t first, size_t second);

#endif

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

#include "labels.h"
#include "ldpbench.h"
#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reports as rows of words, which are numbers or the numbers of symbols (in the order of their texts). */
struct audit_reports {
    size_t n[2];             /* of the first and of the second input */
    size_t columns;          /* words of the longest report */
    double *word[2];         /* [n][columns]; NAN: the report has no such word */
    uint64_t *whole[2];      /* [n][columns] whole numbers of 2^53 and more without rounding; NULL: none is so large */
    uint32_t *characters[2]; /* [n] length of the report as a text; NULL: not known */
    bool text;               /* words are symbols */
    bool list;               /* a word may be at any position: whether a report contains it is an event too */
    bool raw;                /* words are what the client sent, so events of their digits and of several words count */
    char *const *symbol;     /* text of a symbol; NULL: words are numbers */
    size_t symbols;
    const char *const *of; /* [columns] names of columns; NULL: "word 1", ... */
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

/* Two values whose reports are compared. A report is reduced to the log ratio of its stated probabilities under the two
 * values, and its support of each value. */
struct audit_pair {
    const struct ldp_protocol *protocol;
    uint32_t value[2];
    bool supports;   /* the support of each value by one report is defined and cheap enough to compute */
    void *state;     /* of a server of one report */
    double *support; /* [d] */
};

enum { AUDIT_PAIR_COLUMNS = 3 };

/* protocol has its public_seed. Clear when done. */
struct audit_pair audit_pair_new(const struct ldp_protocol *protocol, uint32_t first, uint32_t second);
void audit_pair_clear(struct audit_pair *pair);

/* Rows of n[side] reports of each value, report[side][n][report_words]; the caller frees word[0] and word[1]. */
struct audit_reports audit_pair_reports(struct audit_pair *pair, uint64_t *const report[2], const size_t n[2]);

/* Rows of n reports of each value by the oracle's client; the caller frees word[0] and word[1]. */
struct audit_reports audit_pair_clients(struct audit_pair *pair, size_t n, uint64_t seed);

/* ---- reports of several inputs by any client: a line is a report, words with blanks, TABs or commas between ---- */

enum { AUDIT_INPUTS_MAX = 64 };

struct report_files {
    char *const *file; /* one for each input; a single one: its lines begin with the name of the input */
    size_t count;
    bool bits; /* each character is a word */
};

/* The reports of an input, one after the other. */
struct report_input {
    char *name;
    size_t n, rows_room;
    size_t *end;          /* [n] words up to the end of each report */
    uint32_t *characters; /* [n] bytes of each */
    size_t characters_room;
    double *word; /* of any client: [n][columns] when all is read */
    size_t words, word_room;
    uint64_t *own; /* of an oracle: [n][report_words] */
    size_t own_words, own_room;
    uint64_t *whole; /* words that are whole numbers of 2^53 or more, else 0; as in audit_reports when all is read */
    size_t wholes, whole_room;
};

/* All that was read. Start from all zero; clear in any case. */
struct report_lines {
    struct report_input *input;
    size_t inputs, input_room;
    size_t words;   /* of all reports of any client */
    size_t columns; /* words of the longest report */
    bool text;      /* words are symbols */
    char **symbol;
    size_t symbols, symbol_room;
    struct label_index index;
    size_t refused; /* reports that no client of the protocol can send */
    struct failure first_refused;
};

/* Reads the files. With a protocol they have reports of its oracle: words are integers, or real numbers if the oracle's
 * reports are real. At least two inputs, of AUDIT_REPORTS_MIN reports each. */
int reports_read(const struct report_files *files, const struct ldp_protocol *protocol, struct report_lines *out,
                 struct failure *failure);
void reports_clear(struct report_lines *lines);

/* One word of a protocol's report, from decimal digits; expected: what it should be, unless reports are real numbers.
 */
struct lines;
int report_word(const struct lines *lines, const struct ldp_protocol *protocol, const char *expected, const char *text,
                size_t length, uint64_t *out, struct failure *failure);

/* The next word of the line from *at on, without the characters `between` around it; its length, 0: none. */
size_t report_next_word(const struct lines *lines, size_t *at, const char *between, const char **word);

/* Two inputs of any client, to be audited; their arrays belong to the lines. */
struct audit_reports reports_of_two(const struct report_lines *lines, size_t first, size_t second);

#endif

/* reports.h - reads reports of several inputs by any client: a line is a report, words with blanks, TABs or commas
 * between. */
#ifndef LDPBENCH_AUDIT_REPORTS_H
#define LDPBENCH_AUDIT_REPORTS_H

#include "audit/bound.h"
#include "audit/clients.h"
#include "labels.h"
#include "support/failure.h"

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

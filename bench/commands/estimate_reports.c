/* estimate_reports.c - reports of a real collection, a line each, to supports; see estimate.h. */
#include "commands/estimate.h"

#include "audit/reports.h"
#include "bits.h"
#include "lines.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 24, BATCH = 256 };

struct reading {
    struct lines lines;
    const struct ldp_protocol *protocol;
    char *const *labels;
    const struct label_index *index;
    uint64_t *report; /* [BATCH][report_words] */
    size_t batch;     /* of them that are filled */
    void *state;
    uint64_t n;
};

/* The next word of the line from *at on, without brackets, blanks, commas and quotes around it; its length, 0: none. */
static size_t next_word(const struct lines *lines, size_t *at, const char **word)
{
    static const char between[] = " \t,[]\"";

    while (*at < lines->length && strchr(between, lines->line[*at]))
        (*at)++;
    *word = lines->line + *at;
    const size_t start = *at;
    while (*at < lines->length && !strchr(between, lines->line[*at]))
        (*at)++;
    return *at - start;
}

/* Whether reports are sets of values, as bits. */
static bool are_sets(const struct ldp_protocol *protocol)
{
    return protocol->report_limit == 0 && protocol->report_words == ldp_bits_words(protocol->d) &&
           !(protocol->flags & (LDP_ORACLE_REAL | LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL));
}

/* A report of one 0 or 1 for each value; false: it is none. */
static bool read_bits(const struct reading *reading, uint64_t *report)
{
    const struct lines *const lines = &reading->lines;
    size_t v = 0;

    if (!are_sets(reading->protocol))
        return false;
    memset(report, 0, reading->protocol->report_words * sizeof *report);
    for (size_t i = 0; i < lines->length; i++) {
        if (strchr(" \t,[]\"", lines->line[i]))
            continue;
        if ((lines->line[i] != '0' && lines->line[i] != '1') || v == reading->protocol->d)
            return false;
        report[v / 64] |= (uint64_t)(lines->line[i] == '1') << v % 64;
        v++;
    }
    return v == reading->protocol->d;
}

/* A report that is the name of a value. */
static bool read_value(const struct reading *reading, uint64_t *report)
{
    const struct lines *const lines = &reading->lines;
    const bool quoted = lines->length > 1 && lines->line[0] == '"' && lines->line[lines->length - 1] == '"';
    const size_t v = reading->labels ? label_index_find(reading->index, reading->labels, lines->line + quoted,
                                                        lines->length - 2 * quoted)
                                     : LABEL_NONE;

    *report = v;
    return reading->protocol->report_words == 1 && reading->protocol->report_limit == reading->protocol->d &&
           v != LABEL_NONE;
}

static int read_words(const struct reading *reading, uint64_t *report, struct failure *failure)
{
    const struct lines *const lines = &reading->lines;
    const size_t words = reading->protocol->report_words;
    const char *const expected =
        reading->labels ? "a value of the domain or a whole number below 2^64" : "a whole number below 2^64";
    const char *word;
    size_t count = 0, at = 0;

    for (size_t length; (length = next_word(lines, &at, &word)) > 0; count++)
        if (count < words &&
            report_word(lines, reading->protocol, expected, word, length, &report[count], failure) != 0)
            return -1;
    if (count == words)
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected %s of a report of %s, got %zu", SHOWN_PATH(lines->file),
                lines->number, COUNTED(words, "word"), reading->protocol->oracle->name, count);
}

static void serve(struct reading *reading)
{
    reading->protocol->oracle->server(reading->protocol, reading->report, reading->batch, reading->state);
    reading->n += reading->batch;
    reading->batch = 0;
}

static int read_report(struct reading *reading, struct failure *failure)
{
    uint64_t *const report = reading->report + reading->batch * reading->protocol->report_words;
    struct ldp_reason reason;

    if (!read_bits(reading, report) && !read_value(reading, report) && read_words(reading, report, failure) != 0)
        return -1;
    if (ldp_report_check(reading->protocol, report, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s", SHOWN_PATH(reading->lines.file), reading->lines.number,
                    reason.text);
    if (++reading->batch == BATCH)
        serve(reading);
    return 0;
}

int reports_count(const char *file, const struct ldp_protocol *protocol, char *const *labels,
                  const struct label_index *index, double *support, uint64_t *n, struct failure *failure)
{
    struct reading reading = {.protocol = protocol, .labels = labels, .index = index};
    int more, result = -1;

    reading.report = xcalloc(BATCH * protocol->report_words, sizeof *reading.report);
    reading.state = xcalloc(protocol->state_bytes + 1, 1);
    if (lines_open(&reading.lines, file, LINE_MAX_BYTES, failure) != 0)
        goto out;
    while ((more = lines_next(&reading.lines, failure)) > 0)
        if (read_report(&reading, failure) != 0)
            goto out;
    if (more < 0)
        goto out;
    serve(&reading);
    *n = reading.n;
    protocol->oracle->support(protocol, reading.state, reading.n, support);
    result = 0;
out:
    lines_close(&reading.lines);
    free(reading.report);
    free(reading.state);
    return result;
}

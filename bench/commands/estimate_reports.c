/* estimate_reports.c - reports of a real collection, a line each, to supports; see estimate.h. */
#define _GNU_SOURCE /* memmem */
#include "commands/estimate.h"

#include "audit/reports.h"
#include "lines.h"
#include "protocol/bits.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <ctype.h>
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

static const char between[] = " \t,[]\""; /* words, also of JSON */

/* A report of one 0 or 1 for each value; false: it is none. */
static bool read_bits(const struct reading *reading, uint64_t *report)
{
    const struct lines *const lines = &reading->lines;
    const struct ldp_protocol *const protocol = reading->protocol;
    size_t v = 0;

    if (protocol->report_limit > 0 || protocol->report_words != ldp_bits_words(protocol->d) ||
        protocol->flags & (LDP_ORACLE_REAL | LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL))
        return false; /* reports are no sets of values, as bits */
    memset(report, 0, protocol->report_words * sizeof *report);
    for (size_t i = 0; i < lines->length; i++) {
        if (strchr(between, lines->line[i]))
            continue;
        if ((lines->line[i] != '0' && lines->line[i] != '1') || v == protocol->d)
            return false;
        report[v / 64] |= (uint64_t)(lines->line[i] == '1') << v % 64;
        v++;
    }
    return v == protocol->d;
}

/* Whether reports are values that have names. */
static bool are_values(const struct reading *reading)
{
    return reading->labels && reading->protocol->report_words == 1 &&
           reading->protocol->report_limit == reading->protocol->d;
}

/* A report that is the name of a value, as it is or as a string of JSON. */
static bool read_value(const struct reading *reading, uint64_t *report)
{
    const struct lines *const lines = &reading->lines;

    if (!are_values(reading))
        return false;
    cJSON *const json = cJSON_ParseWithLength(lines->line, lines->length);
    const char *const string = cJSON_GetStringValue(json);
    *report = label_index_find(reading->index, reading->labels, string ? string : lines->line,
                               string ? strlen(string) : lines->length);
    cJSON_Delete(json);
    return *report != LABEL_NONE;
}

/* The first character from at on that is not one of `set`, or that is. */
static const char *skip(const char *at, const char *end, const char *set, bool members)
{
    while (at < end && (strchr(set, *at) != NULL) == members)
        at++;
    return at;
}

/* Leaves of an object, {"user": 7, "report": [12, 3]}, its member "report", which must be there once. cJSON would round
 * seeds of 64 bits. */
static int take_member(struct lines *lines, struct failure *failure)
{
    static const char name[] = "\"report\"";
    const char *const end = lines->line + lines->length, *found = end, *at = lines->line;
    size_t members = 0;

    if (lines->length == 0 || *at != '{')
        return 0;
    while ((at = memmem(at, (size_t)(end - at), name, sizeof name - 1)) != NULL) {
        at += sizeof name - 1;
        const char *const colon = skip(at, end, " \t", true);
        if (colon < end && *colon == ':') {
            found = skip(colon + 1, end, " \t", true);
            members++;
        }
    }
    if (members != 1 || found == end)
        return lines_fail(lines, failure, "an object with one member \"report\"", lines->line, lines->length);
    const char *const last = *found == '[' ? "]" : *found == '"' ? "\"" : ",}";
    const char *const stop = skip(found + 1, end, last, false);
    lines->line = found;
    lines->length = (size_t)(stop - found) + (*last != ',' && stop < end);
    return 0;
}

/* Names of columns above reports. */
static bool is_header(const struct reading *reading)
{
    const struct lines *const lines = &reading->lines;

    return lines->number == 1 && lines->length > 1 && isalpha((unsigned char)lines->line[lines->line[0] == '"']) &&
           (!are_values(reading) || (lines->length == 6 && memcmp(lines->line, "report", 6) == 0));
}

static int read_words(const struct reading *reading, uint64_t *report, struct failure *failure)
{
    const struct lines *const lines = &reading->lines;
    const size_t words = reading->protocol->report_words;
    const char *const expected =
        reading->labels ? "a value of the domain or a whole number below 2^64" : "a whole number below 2^64";
    const char *word;
    size_t count = 0, at = 0;

    for (size_t length; (length = report_next_word(lines, &at, between, &word)) > 0; count++)
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

    if (take_member(&reading->lines, failure) != 0)
        return -1;
    if (!read_bits(reading, report) && !read_value(reading, report)) {
        if (is_header(reading))
            return 0;
        if (read_words(reading, report, failure) != 0)
            return -1;
    }
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
    int more = 1, result = lines_open(&reading.lines, file, LINE_MAX_BYTES, failure);

    reading.report = xcalloc(BATCH * protocol->report_words, sizeof *reading.report);
    reading.state = xcalloc(protocol->state_bytes + 1, 1);
    while (result == 0 && (more = lines_next(&reading.lines, failure)) > 0)
        result = read_report(&reading, failure);
    serve(&reading);
    *n = reading.n;
    if (result == 0 && more == 0 && *n > 0)
        protocol->oracle->support(protocol, reading.state, *n, support);
    else if (result == 0 && more == 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected reports below the names of columns", SHOWN_PATH(file));
    lines_close(&reading.lines);
    free(reading.report);
    free(reading.state);
    return more < 0 ? -1 : result;
}

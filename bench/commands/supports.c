/* supports.c - supports and reports of a real collection, a line each; see supports.h. */
#define _GNU_SOURCE /* memmem */
#include "commands/supports.h"

#include "audit/audit.h"
#include "commands/algorithms.h"
#include "lines.h"
#include "protocol/bits.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 20 };

/* names: a line is a value up to a TAB, if there is one. */
static int add_line(struct supports *supports, const struct lines *line, bool names, struct failure *failure)
{
    const char *const tab = memchr(line->line, '\t', line->length);
    const size_t label_length = tab ? (size_t)(tab - line->line) : names ? line->length : 0;
    double support = 0;

    if (!names && label_length == 0)
        return lines_fail(line, failure, "value TAB support", line->line, line->length);
    if (!names &&
        lines_real(line, tab + 1, line->length - label_length - 1, "a number after the TAB", &support, failure) != 0)
        return -1;
    size_t d = supports->values.count;
    *ARRAY_ADD(supports->support, d, supports->room) = support;
    return words_add_once(&supports->values, line, line->line, label_length, "value", failure);
}

int supports_read(const char *file, bool names, struct supports *supports, struct failure *failure)
{
    struct lines lines;
    int more, result = lines_open(&lines, file, LINE_MAX_BYTES, failure);

    for (bool first = true; result == 0; first = false) {
        more = names ? lines_next(&lines, failure) : lines_next_data(&lines, failure);
        if (more <= 0) {
            result = more;
            break;
        }
        if (names || !first || !lines_is_header(&lines, "support"))
            result = add_line(supports, &lines, names, failure);
    }
    if (result == 0 && supports->values.count < 2)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected at least 2 values, got %zu", SHOWN_PATH(lines.file),
                      supports->values.count);
    lines_note(&lines, &supports->notes);
    lines_close(&lines);
    return result;
}

/* Of a support that is improbably low, by its line or the number of its value. */
static void warn(const char *file, const char *joint, size_t number, const double *support,
                 const struct ldp_support_finding *finding, double expected)
{
    print_message("ldpbench: warning: %s%s%zu: a support of %.15g is very improbable, z = %.1f: expected about %.6g or "
                  "more; check oracle, epsilon and n\n",
                  file, joint, number, support[finding->index], finding->z, expected);
}

int supports_protocol(const struct supports *supports, const char *file, const struct ldp_oracle_spec *oracle,
                      double epsilon, uint64_t n, size_t sketched, struct ldp_protocol *protocol,
                      struct failure *failure)
{
    const size_t d = sketched > 0 ? sketched : supports->values.count;
    const char *const name = oracle->oracle->name, *const shown = SHOWN_PATH(input_name(file));

    if (supports->notes.text)
        print_message("ldpbench: %s: %s\n", shown, supports->notes.text);
    if (protocol_prepare(protocol, oracle, d, epsilon, failure) != 0)
        return -1;
    if (sketched == 0 && (protocol->flags & (LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL | LDP_ORACLE_LEVELS)))
        return fail(failure, EXIT_BAD_INPUT, "oracle %s: expected one that has a support for each value", name);
    /* The law of a collection may need more than its supports, which may be missing. */
    if (sketched == 0 && !protocol->oracle->estimate)
        protocol->support_size = d;
    if (protocol->support_size != supports->values.count)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected the %zu support counts of %s, got %zu", shown,
                    protocol->support_size, name, supports->values.count);
    struct ldp_support_finding finding;
    switch (ldp_support_check(protocol, n, supports->support, &finding)) {
    case LDP_OK: break;
    case LDP_ENOMEM: return fail_memory(failure);
    case LDP_EINVAL:
        return finding.index < supports->values.count
                   ? fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s", shown, supports->values.line[finding.index],
                          finding.reason.text)
                   : fail(failure, EXIT_BAD_INPUT, "%s: oracle %s: %s", shown, name, finding.reason.text);
    }
    if (finding.unlikely)
        warn(shown, ":", supports->values.line[finding.index], supports->support, &finding, (double)n * protocol->q);
    return 0;
}

void supports_clear(struct supports *supports)
{
    words_clear(&supports->values);
    free(supports->support);
    buffer_clear(&supports->notes);
    memset(supports, 0, sizeof *supports);
}

/* ---- reports ---- */

enum { REPORT_MAX_BYTES = 1 << 24, BATCH = 256 };

struct report_reading {
    struct lines lines;
    const struct ldp_protocol *protocol;
    const struct words *values; /* NULL: they have no names */
    uint64_t *report;           /* [BATCH][report_words] */
    size_t batch;               /* of them that are filled */
    void *state;
    uint64_t n;
    size_t column; /* of a table, which has the reports, from 1; 0: a line is a report */
};

static const char between[] = " \t,[]\""; /* words, also of JSON */

/* A report of one 0 or 1 for each value; false: it is none. */
static bool read_bits(const struct report_reading *reading, uint64_t *report)
{
    const struct lines *const lines = &reading->lines;
    const struct ldp_protocol *const protocol = reading->protocol;
    size_t v = 0;

    if (protocol->report_limit > 0 || protocol->report_words != ldp_bits_words(protocol->d) ||
        protocol->flags & (LDP_ORACLE_REAL | LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL | LDP_ORACLE_LEVELS))
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
static bool are_values(const struct report_reading *reading)
{
    return reading->values && reading->protocol->report_words == 1 &&
           reading->protocol->report_limit == reading->protocol->d;
}

/* A report that is the name of a value, as it is or as a string of JSON. */
static bool read_value(const struct report_reading *reading, uint64_t *report)
{
    const struct lines *const lines = &reading->lines;

    if (!are_values(reading))
        return false;
    cJSON *const json = cJSON_ParseWithLength(lines->line, lines->length);
    const char *const string = cJSON_GetStringValue(json);
    *report = label_index_find(&reading->values->index, reading->values->word, string ? string : lines->line,
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

/* Leaves of a line of a table the cell of *column, or, where that is 0, of "report", which it sets; 0: none. */
static int take_cell(struct lines *lines, size_t *column, struct failure *failure)
{
    size_t at = 0, length, i = 0;
    const char *cell;
    int more;

    while ((more = lines_cell(lines, &at, &cell, &length, failure)) > 0)
        if (++i == *column || (*column == 0 && length == 6 && memcmp(cell, "report", 6) == 0)) {
            *column = i;
            lines->line = cell;
            lines->length = length;
            break;
        }
    return more != 0 || *column == 0
               ? more
               : lines_fail(lines, failure, "a cell of the column report", lines->line, lines->length);
}

static void serve(struct report_reading *reading)
{
    reading->protocol->oracle->server(reading->protocol, reading->report, reading->batch, reading->state);
    reading->n += reading->batch;
    reading->batch = 0;
}

static int read_report(struct report_reading *reading, struct failure *failure)
{
    uint64_t *const report = reading->report + reading->batch * reading->protocol->report_words;
    struct lines *const lines = &reading->lines;
    struct ldp_reason reason;

    if (lines->number == 1 && take_cell(lines, &reading->column, &(struct failure){0}) > 0)
        return 0;
    if (reading->column == 0 ? take_member(lines, failure) != 0 : take_cell(lines, &reading->column, failure) <= 0)
        return -1;
    if (!read_bits(reading, report) && !read_value(reading, report)) {
        if (lines->number == 1 && lines->length > 1 && isalpha((unsigned char)lines->line[lines->line[0] == '"']) &&
            !are_values(reading)) /* names of columns above reports */
            return 0;
        if (report_words(lines, 0, between, reading->protocol,
                         reading->values ? "a value of the domain or a whole number below 2^64"
                                         : "a whole number below 2^64",
                         report, failure) != 0)
            return -1;
    }
    if (ldp_report_check(reading->protocol, report, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s", SHOWN_PATH(lines->file), lines->number, reason.text);
    if (++reading->batch == BATCH)
        serve(reading);
    return 0;
}

int reports_count(const char *file, const struct ldp_protocol *protocol, const struct words *values, double *support,
                  uint64_t *n, struct failure *failure)
{
    struct report_reading reading = {.protocol = protocol, .values = values};
    int more = 1, result = lines_open(&reading.lines, file, REPORT_MAX_BYTES, failure);

    reading.report = xcalloc(BATCH * protocol->report_words, sizeof *reading.report);
    reading.state = xcalloc(protocol->state_bytes + 1, 1);
    while (result == 0 && (more = lines_next(&reading.lines, failure)) > 0)
        result = read_report(&reading, failure);
    serve(&reading);
    *n = reading.n;
    struct ldp_support_finding finding = {0};
    if (result == 0 && more == 0 && *n > 0) {
        protocol->oracle->support(protocol, reading.state, *n, support);
        if (ldp_support_check(protocol, *n, support, &finding) == LDP_OK && finding.unlikely)
            warn(SHOWN_PATH(file), ": value ", finding.index, support, &finding, (double)*n * protocol->q);
    } else if (result == 0 && more == 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected reports below the names of columns", SHOWN_PATH(file));
    lines_close(&reading.lines);
    free(reading.report);
    free(reading.state);
    return more < 0 ? -1 : result;
}

/* numbers.c - numbers in bins of equal width: lines `NUMBER` or `NUMBER TAB count`, comments, blank lines, plain or
 * gzip.
 *
 * The values are the bins in their order (bins.h), from `low` up to, but without, `high`; both 0: from the least number
 * of the file, up to and with the largest. A value is called by its lower end, or by its first and last multiple. A
 * comment that contains only `# n=NUMBER` is checked against the counts. */
#include "support/numbers.h"
#include "bins.h"
#include "cells.h"
#include "coding.h"
#include "dataset.h"
#include "lines.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS, LOW, HIGH };
enum { USUAL_BINS = 128, MULTIPLES_MOST = 1024, MOST_BINS = 1 << 20 };
static const double WHOLE_MOST = 1e15; /* whole numbers up to here are written as such */

static const struct ldp_param params[] = {
    [BINS] =
        {"bins", LDP_INTEGER, NAN, 2, MOST_BINS, NULL,
         "number of bins of equal width, for multiples of 10^-k the largest number; default: for whole numbers and "
         "up to 1024 multiples one for each (more whole ones share 1024), else 128"},
    [LOW] = {"low", LDP_REAL, NAN, -1e15, 1e15, NULL,
             "where the first bin begins; default: 0 if high is given, else the smallest number"},
    [HIGH] = {"high", LDP_REAL, NAN, -1e15, 1e15, NULL, "where the last bin ends; default: at the largest number"},
    {.name = NULL},
};

struct reading {
    double *number;
    struct entry {
        uint64_t users;
        size_t line;
    } * entry;
    size_t count, number_room, entry_room, missing, missing_line;
    uint64_t n;
};

/* The number before the TAB; NAN: none. */
static double number_of(const char *text, size_t length)
{
    char *const copy = xstrndup(text, length);
    const double number = strchr(copy, ',') ? (double)NAN : cell_number(copy, '.');

    free(copy);
    return number;
}

static int read_line(struct reading *reading, const struct lines *lines, struct failure *failure)
{
    const char *const tab = memchr(lines->line, '\t', lines->length), *text = lines->line;
    size_t length = tab ? (size_t)(tab - lines->line) : lines->length, count = reading->count;
    struct entry entry = {.users = 1, .line = lines->number};

    if (tab && !lines_number(tab + 1, lines->length - length - 1, LDP_USERS_MAX, &entry.users))
        return lines_fail(lines, failure, "a whole count from 0 to 2^53", tab + 1, lines->length - length - 1);
    cell_trim(&text, &length);
    const double number = number_of(text, length);
    if (isnan(number) && cell_is_missing(text, length, NULL)) {
        reading->missing_line = reading->missing++ ? reading->missing_line : lines->number;
        return 0;
    }
    if (!(fabs(number) <= WHOLE_MOST))
        return lines_fail(lines, failure, "a number from -1e15 to 1e15, alone or with TAB count", lines->line,
                          lines->length);
    if (entry.users > LDP_USERS_MAX - reading->n)
        return lines_fail(lines, failure, "counts that sum to at most 2^53", lines->line, lines->length);
    reading->n += entry.users;
    *ARRAY_ADD(reading->number, count, reading->number_room) = number;
    *ARRAY_ADD(reading->entry, reading->count, reading->entry_room) = entry;
    return 0;
}

/* The bins, and where they begin and end. */
struct spread {
    struct bins bins;
    double low, high;
    bool given; /* low and high; else high is in the last bin */
};

static struct spread spread_of(const struct reading *reading, const double *param)
{
    const double *const number = reading->number;
    struct spread spread = {.low = INFINITY, .high = -INFINITY, .given = param[LOW] < param[HIGH]};
    double scale = bins_scale(number, reading->count), last;

    for (size_t i = 0; i < reading->count && !spread.given; i++) {
        spread.low = fmin(spread.low, number[i]);
        spread.high = fmax(spread.high, number[i]);
    }
    last = spread.high;
    if (spread.given) {
        spread.low = param[LOW];
        last = spread.high = param[HIGH];
        const double of_low = bins_scale(&spread.low, 1);
        if (of_low == 0 || of_low > scale)
            scale = 0;
        if (scale > 0) /* the last multiple below it */
            last = (ceil(spread.high * scale) - 1) / scale;
    }
    const bool few = scale == 1 || (scale > 0 && bins_multiples(spread.low, last, scale) <= MULTIPLES_MOST);
    spread.bins = bins_new(spread.low, last, scale,
                           param[BINS] > 0 ? (size_t)param[BINS]
                           : few           ? MULTIPLES_MOST
                                           : USUAL_BINS);
    return spread;
}

static char *label_of(const struct bins *bins, size_t v)
{
    char first[NUMBER_TEXT], last[NUMBER_TEXT];

    format_number(bins_first(bins, v), first);
    return bins->scale == 0 || bins->width == 1 ? xstrdup(first)
                                                : xformat("%s..%s", first, format_number(bins_last(bins, v), last));
}

static int count_in(const struct reading *reading, const struct spread *spread, const char *file,
                    struct dataset_table *out, struct failure *failure)
{
    const struct bins *const bins = &spread->bins;
    char low[NUMBER_TEXT], high[NUMBER_TEXT], got[NUMBER_TEXT];
    size_t filled = 0;

    if (bins->count < 2)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected numbers in at least two bins, got one (%s)", file,
                    format_number(spread->low, low));
    out->d = bins->count;
    out->counts = xcalloc(out->d, sizeof *out->counts);
    for (size_t i = 0; i < reading->count; i++) {
        const double number = reading->number[i];

        if (number < spread->low || (spread->given && number >= spread->high))
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a number from low = %s to below high = %s, got %s",
                        file, reading->entry[i].line, format_number(spread->low, low),
                        format_number(spread->high, high), format_number(number, got));
        uint64_t *const count = &out->counts[bins_find(bins, number)];
        filled += *count == 0 && reading->entry[i].users > 0;
        *count += reading->entry[i].users;
    }
    out->labels = xcalloc(out->d, sizeof *out->labels);
    for (size_t v = 0; v < out->d; v++)
        out->labels[v] = label_of(bins, v);
    if (out->d > 2 * filled)
        coding_note(&out->notes, "%zu of the %zu bins are empty", out->d - filled, out->d);
    if (reading->missing > 0)
        coding_note(&out->notes, "%s without a number left out (the first is line %zu)",
                    COUNTED(reading->missing, "line"), reading->missing_line);
    return 0;
}

/* Whether the first line is a header: numbers alone have one that does not begin as a number. */
static bool is_header(struct lines *lines)
{
    if (memchr(lines->line, '\t', lines->length))
        return lines_is_header(lines, "count");
    const char *text = lines->line;
    size_t length = lines->length;

    cell_trim(&text, &length);
    lines->said.header =
        isnan(number_of(text, length)) && !cell_is_missing(text, length, NULL) && !memchr("+-0123456789.", *text, 13);
    return lines->said.header;
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct reading reading = {0};
    int more, result = -1;

    bool first = true;
    while ((more = lines_next_data(lines, failure)) > 0) {
        if (!(first && is_header(lines)) && read_line(&reading, lines, failure) != 0)
            goto out;
        first = false;
    }
    lines->said.has_d = false; /* the values of a table of counts, which may be fewer or more than bins */
    if (more < 0 || lines_check_said(lines, reading.n, reading.count, 1, failure) != 0)
        goto out;
    const struct spread spread = spread_of(&reading, request->param);
    result = count_in(&reading, &spread, lines->file, out, failure);
out:
    free(reading.number);
    free(reading.entry);
    return result;
}

/* A parameter that is not given is 0 or NAN. */
static enum ldp_status check(const double *param, const char *text, struct ldp_reason *reason)
{
    if (!(param[LOW] >= param[HIGH]) || (param[LOW] == 0 && param[HIGH] == 0))
        return LDP_OK;
    return ldp_refuse(reason, "low = %g, high = %g: expected a high above low", param[LOW], param[HIGH]);
}

static const char *const endings[] = {".numbers", NULL};

const struct dataset_type dataset_type_numbers = {
    .name = "numbers",
    .title = "numbers, one a line or NUMBER TAB count, in bins",
    .source = "a file",
    .params = params,
    .from_file = true,
    .ordered = true,
    .check = check,
    .endings = endings,
    .parse = parse,
};

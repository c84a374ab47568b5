/* numbers.c - numbers in bins of equal width: lines `NUMBER` or `NUMBER TAB count`, '#' comments, blank lines, plain or
 * gzip.
 *
 * The values are the bins in their order, from `low` up to, but without, `high`; both 0: from the least number of the
 * file, up to and with the largest. If all numbers are whole, the width is whole, so that no bin has more of them than
 * its neighbour: there are at most `bins` bins then. A value is called by its lower end, or by its first and last whole
 * number. A comment that contains only `# n=NUMBER` is checked against the counts. */
#include "support/numbers.h"
#include "dataset.h"
#include "lines.h"
#include "said.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS, LOW, HIGH };
enum { USUAL_BINS = 128, MOST_BINS = 1 << 20 };
static const double WHOLE_MOST = 1e15; /* whole numbers up to here are written as such */

static const struct ldp_param params[] = {
    [BINS] = {"bins", LDP_INTEGER, NAN, 2, MOST_BINS, NULL,
              "number of bins of equal width, for whole numbers the largest number; default: 128, for whole numbers "
              "one for each, up to 1024"},
    [LOW] = {"low", LDP_REAL, NAN, -1e15, 1e15, NULL,
             "where the first bin begins; default: 0 if high is given, else the smallest number"},
    [HIGH] = {"high", LDP_REAL, NAN, -1e15, 1e15, NULL, "where the last bin ends; default: at the largest number"},
    {.name = NULL},
};

struct reading {
    struct entry {
        double number;
        uint64_t users;
        size_t line;
    } * entry;
    size_t count, room;
    uint64_t n;
    double least, most;
    bool whole;
};

static int read_line(struct reading *reading, const struct lines *lines, struct failure *failure)
{
    const char *const tab = memchr(lines->line, '\t', lines->length);
    const size_t length = tab ? (size_t)(tab - lines->line) : lines->length;
    char text[NUMBER_TEXT];
    struct entry entry = {.users = 1, .line = lines->number};
    const char *end = NULL;

    if (length < sizeof text) {
        memcpy(text, lines->line, length);
        text[length] = '\0';
        end = parse_number(text, &entry.number);
    }
    if (!end || *end || fabs(entry.number) > WHOLE_MOST)
        return lines_fail(lines, failure, "a number from -1e15 to 1e15, alone or with TAB count", lines->line,
                          lines->length);
    if (tab && !lines_number(tab + 1, lines->length - length - 1, LDP_USERS_MAX, &entry.users))
        return lines_fail(lines, failure, "a whole count from 0 to 2^53", tab + 1, lines->length - length - 1);
    if (entry.users > LDP_USERS_MAX - reading->n)
        return lines_fail(lines, failure, "counts that sum to at most 2^53", lines->line, lines->length);
    reading->n += entry.users;
    reading->least = reading->count == 0 ? entry.number : fmin(reading->least, entry.number);
    reading->most = reading->count == 0 ? entry.number : fmax(reading->most, entry.number);
    reading->whole = (reading->count == 0 || reading->whole) && floor(entry.number) == entry.number;
    *ARRAY_ADD(reading->entry, reading->count, reading->room) = entry;
    return 0;
}

/* The bins: d of a width from low on. */
struct bins {
    double low, high, width;
    size_t d;
    bool whole, given; /* given: low and high; else high is in the last */
};

static struct bins bins_of(const struct reading *reading, const double *param)
{
    const bool given = param[LOW] < param[HIGH];
    struct bins bins = {.low = given ? param[LOW] : reading->least,
                        .high = given ? param[HIGH] : reading->most,
                        .whole = reading->whole && (!given || floor(param[LOW]) == param[LOW]),
                        .given = given};

    if (bins.whole) {
        const double span = given ? ceil(bins.high - bins.low) : bins.high - bins.low + 1;
        const double most = param[BINS] > 0 ? param[BINS] : 1024;
        bins.width = ceil(span / most);
        bins.d = (size_t)ceil(span / bins.width);
    } else {
        bins.d = param[BINS] > 0 ? (size_t)param[BINS] : USUAL_BINS;
        bins.width = (bins.high - bins.low) / (double)bins.d;
    }
    return bins;
}

static char *label_of(const struct bins *bins, size_t v)
{
    const double from = bins->low + (double)v * bins->width;
    char first[NUMBER_TEXT], last[NUMBER_TEXT];

    if (!bins->whole || bins->width == 1)
        return xstrdup(format_number(from, first));
    return xformat("%s..%s", format_number(from, first), format_number(from + bins->width - 1, last));
}

static int count_in(const struct reading *reading, const struct bins *bins, const char *file, struct dataset_table *out,
                    struct failure *failure)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT], got[NUMBER_TEXT];

    if (bins->d < 2 || !(bins->width > 0))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected numbers in at least two bins, got one (%s)", file,
                    format_number(bins->low, low));
    out->d = bins->d;
    out->counts = xcalloc(bins->d, sizeof *out->counts);
    for (size_t i = 0; i < reading->count; i++) {
        const struct entry *const entry = &reading->entry[i];

        if (entry->number < bins->low || (bins->given && entry->number >= bins->high)) {
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a number from low = %s to below high = %s, got %s",
                        file, entry->line, format_number(bins->low, low), format_number(bins->high, high),
                        format_number(entry->number, got));
        }
        const double bin = floor((entry->number - bins->low) / bins->width);
        out->counts[smaller((size_t)bin, bins->d - 1)] += entry->users;
    }
    out->labels = xcalloc(bins->d, sizeof *out->labels);
    for (size_t v = 0; v < bins->d; v++)
        out->labels[v] = label_of(bins, v);
    return 0;
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct reading reading = {0};
    struct said said = {0};
    int more, result = -1;

    bool first = true;
    while ((more = lines_next(lines, failure)) > 0) {
        if (lines_skip(lines)) {
            said_read(&said, lines);
            continue;
        }
        if (!(first && lines_is_header(lines, "count")) && read_line(&reading, lines, failure) != 0)
            goto out;
        first = false;
    }
    said.has_d = false; /* the values of a table of counts, which may be fewer or more than bins */
    if (more < 0 || said_check(&said, lines->file, reading.n, reading.count, 1, failure) != 0)
        goto out;
    const struct bins bins = bins_of(&reading, request->param);
    result = count_in(&reading, &bins, lines->file, out, failure);
out:
    free(reading.entry);
    return result;
}

/* A parameter that is not given is 0 or NAN. */
static enum ldp_status check(const double *param, const char *text, struct ldp_reason *reason)
{
    (void)text;
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

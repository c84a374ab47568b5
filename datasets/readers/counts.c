/* counts.c - a table of counts: lines `value TAB count`, comments, blank lines, plain or gzip.
 *
 * A header `value TAB count` may come first. A value is any text without TAB; its position in the file is its number. A
 * comment that contains only `# n=NUMBER` or `# d=NUMBER` is checked against the counts, so that a truncated plain file
 * is detected. */
#include "cells.h"
#include "dataset.h"
#include "lines.h"
#include "support/memory.h"
#include "support/text.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

struct table {
    struct words values;
    uint64_t *counts;
    size_t room;
    uint64_t n;
};

static int read_line(struct table *table, const struct lines *lines, struct failure *failure)
{
    const char *tab = memchr(lines->line, '\t', lines->length);

    if (!tab)
        return lines_fail(lines, failure, "value TAB count", lines->line, lines->length);
    const size_t length = (size_t)(tab - lines->line);
    if (length == 0)
        return lines_fail(lines, failure, "a value before the TAB", lines->line, lines->length);
    const char *const digits = tab + 1;
    const size_t ndigits = lines->length - length - 1;
    tab = memchr(digits, '\t', ndigits);
    if (tab)
        return lines_fail(lines, failure, "the end of the line after the count", tab + 1,
                          ndigits - (size_t)(tab + 1 - digits));
    uint64_t count;
    if (!lines_number(digits, ndigits, LDP_USERS_MAX, &count))
        return lines_fail(lines, failure, "a whole count from 0 to 2^53", digits, ndigits);
    if (count > LDP_USERS_MAX - table->n)
        return lines_fail(lines, failure, "counts that sum to at most 2^53", digits, ndigits);
    size_t d = table->values.count;
    *ARRAY_ADD(table->counts, d, table->room) = count;
    table->n += count;
    return words_add_once(&table->values, lines, lines->line, length, "value", failure);
}

/* The last value, if it is the sum of all others and says so: a spreadsheet's line. */
static int refuse_total(const struct table *table, const struct lines *lines, struct failure *failure)
{
    const size_t last = table->values.count - 1;
    const char *const name = table->values.word[last];

    if (table->counts[last] != table->n - table->counts[last] || last < 2 || !cell_names_total(name, strlen(name)))
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a value, not the sum of all others (remove it), got \"%s\"",
                SHOWN_PATH(lines->file), table->values.line[last], SHOWN(name));
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct table table = {0};
    bool first = true;
    int result = -1;

    int more;
    while ((more = lines_next_data(lines, failure)) > 0) {
        if (!(first && lines_is_header(lines, "count")) && read_line(&table, lines, failure) != 0)
            goto out;
        first = false;
    }
    if (more < 0 || lines_check_said(lines, table.n, table.values.count, 2, failure) != 0 ||
        refuse_total(&table, lines, failure) != 0)
        goto out;
    out->d = table.values.count;
    out->counts = table.counts;
    out->labels = table.values.word;
    table.counts = NULL;
    table.values.word = NULL;
    result = 0;
out:
    words_clear(&table.values);
    free(table.counts);
    return result;
}

static const char *const endings[] = {".counts", NULL};

const struct dataset_type dataset_type_counts = {
    .name = "counts",
    .title = "table of counts, value TAB count",
    .source = "a file",
    .from_file = true,
    .endings = endings,
    .parse = parse,
};

/* counts.c - a table of counts: lines `value TAB count`, '#' comments, blank lines, plain or gzip.
 *
 * A header `value TAB count` may come first. A value is any text without TAB; its position in the file is its number. A
 * comment that contains only `# n=NUMBER` or `# d=NUMBER` is checked against the counts, so that a truncated plain file
 * is detected. */
#include "dataset.h"
#include "labels.h"
#include "said.h"
#include "support/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    size_t d, room, counts_room, lines_room;
    uint64_t *counts;
    char **labels;
    size_t *lines; /* [d], where each value was seen */
    struct label_index index;
    uint64_t n;
    struct said said;
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
    const size_t before = label_index_find(&table->index, table->labels, lines->line, length);
    if (before != LABEL_NONE) {
        char expected[64];

        assert(table->lines);
        snprintf(expected, sizeof expected, "each value once (see line %zu)", table->lines[before]);
        return lines_fail(lines, failure, expected, lines->line, length);
    }
    if (count > LDP_USERS_MAX - table->n)
        return lines_fail(lines, failure, "counts that sum to at most 2^53", digits, ndigits);
    size_t d = table->d, last = d;
    *ARRAY_ADD(table->counts, d, table->counts_room) = count;
    *ARRAY_ADD(table->lines, last, table->lines_room) = lines->number;
    table->n += count;
    *ARRAY_ADD(table->labels, table->d, table->room) = xstrndup(lines->line, length);
    label_index_add(&table->index, table->labels, table->d - 1);
    return 0;
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct table table = {0};
    bool first = true;
    int result = -1;

    (void)request;
    int more;
    while ((more = lines_next(lines, failure)) > 0) {
        if (lines_skip(lines)) {
            said_read(&table.said, lines);
            continue;
        }
        if (!(first && lines_is_header(lines, "count")) && read_line(&table, lines, failure) != 0)
            goto out;
        first = false;
    }
    if (more < 0 || said_check(&table.said, lines->file, table.n, table.d, 2, failure) != 0)
        goto out;
    *out = (struct dataset_table){.d = table.d, .counts = table.counts, .labels = table.labels};
    table.counts = NULL;
    table.labels = NULL;
    result = 0;
out:
    labels_free(table.labels, table.d);
    free(table.counts);
    free(table.lines);
    label_index_clear(&table.index);
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

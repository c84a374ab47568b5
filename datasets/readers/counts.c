/* counts.c - a table of counts: lines `value TAB count`, '#' comments, blank lines, plain or gzip.
 *
 * A header `value TAB count` may come first. A value is any text without TAB; its position in the file is its number. A
 * comment that contains only `# n=NUMBER` or `# d=NUMBER` is checked against the counts, so that a truncated plain file
 * is detected. */
#include "dataset.h"
#include "labels.h"
#include "said.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    size_t d, capacity;
    uint64_t *counts;
    char **labels;
    size_t *lines; /* [d], where each value was seen */
    struct label_index index;
    uint64_t n;
    struct said said;
};

/* One by one, so that the arrays stay valid if memory runs out. */
static int grow(struct table *table)
{
    const size_t capacity = table->capacity ? 2 * table->capacity : 1024;
    uint64_t *const counts = realloc(table->counts, capacity * sizeof *counts);

    if (!counts)
        return -1;
    table->counts = counts;
    char **const labels = realloc(table->labels, capacity * sizeof *labels);
    if (!labels)
        return -1;
    table->labels = labels;
    size_t *const lines = realloc(table->lines, capacity * sizeof *lines);
    if (!lines)
        return -1;
    table->lines = lines;
    table->capacity = capacity;
    return 0;
}

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
    if (table->d == table->capacity && grow(table) != 0)
        return fail_memory(failure);
    table->labels[table->d] = strndup(lines->line, length);
    if (!table->labels[table->d])
        return fail_memory(failure);
    table->counts[table->d] = count;
    table->lines[table->d] = lines->number;
    table->n += count;
    table->d++;
    return label_index_add(&table->index, table->labels, table->d - 1) == 0 ? 0 : fail_memory(failure);
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

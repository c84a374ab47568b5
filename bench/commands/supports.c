/* supports.c - see supports.h. */
#include "commands/supports.h"

#include "lines.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 20 };

static int add_support(struct supports *supports, const struct lines *line, const struct ldp_oracle *oracle, uint64_t n,
                       struct failure *failure)
{
    const char *tab = memchr(line->line, '\t', line->length);
    size_t label_length = tab ? (size_t)(tab - line->line) : 0;
    const char *end;
    char number[64];
    size_t length;
    double support;

    if (!tab || label_length == 0)
        return lines_fail(line, failure, "value TAB support", line->line, line->length);
    length = line->length - label_length - 1;
    if (length == 0 || length >= sizeof number)
        return lines_fail(line, failure, "a support after the TAB", tab + 1, length);
    memcpy(number, tab + 1, length);
    number[length] = '\0';
    end = parse_number(number, &support);
    if (!end || *end)
        return lines_fail(line, failure, "a number after the TAB", tab + 1, length);
    if (!(oracle->flags & LDP_ORACLE_REAL) && (support < 0 || support > (double)n))
        return lines_fail(line, failure, "a support from 0 to n", tab + 1, length);
    if (label_index_find(&supports->index, supports->labels, line->line, label_length) != LABEL_NONE)
        return lines_fail(line, failure, "each value once", line->line, label_length);
    if (supports->d == supports->room) {
        size_t room = 2 * supports->room + 1024;
        char **labels = realloc(supports->labels, room * sizeof *labels);
        double *more;
        if (labels)
            supports->labels = labels;
        more = labels ? realloc(supports->support, room * sizeof *more) : NULL;
        if (!more)
            return fail_memory(failure);
        supports->support = more;
        supports->room = room;
    }
    supports->labels[supports->d] = strndup(line->line, label_length);
    if (!supports->labels[supports->d])
        return fail_memory(failure);
    supports->support[supports->d] = support;
    if (label_index_add(&supports->index, supports->labels, supports->d++) != 0)
        return fail_memory(failure);
    return 0;
}

int supports_read(const char *file, const struct ldp_oracle *oracle, uint64_t n, struct supports *supports,
                  struct failure *failure)
{
    struct lines lines;
    bool first = true;
    int more, result = -1;

    if (lines_open(&lines, file, LINE_MAX_BYTES, failure) != 0)
        goto out;
    while ((more = lines_next(&lines, failure)) > 0) {
        if (lines_skip(&lines))
            continue;
        if (!(first && lines_is_header(&lines, "support")) && add_support(supports, &lines, oracle, n, failure) != 0)
            goto out;
        first = false;
    }
    if (more < 0)
        goto out;
    if (supports->d < 2)
        fail(failure, EXIT_BAD_INPUT, "%s: expected at least 2 values, got %zu", SHOWN_PATH(lines.file), supports->d);
    else
        result = 0;
out:
    lines_close(&lines);
    return result;
}

void supports_clear(struct supports *supports)
{
    label_index_clear(&supports->index);
    labels_free(supports->labels, supports->d);
    free(supports->support);
    memset(supports, 0, sizeof *supports);
}

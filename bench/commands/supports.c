/* supports.c - see supports.h. */
#include "commands/supports.h"

#include "commands/algorithms.h"
#include "lines.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 20 };

static void make_room(struct supports *supports)
{
    supports->room = 2 * supports->room + 1024;
    supports->labels = xrealloc(supports->labels, supports->room, sizeof *supports->labels);
    supports->support = xrealloc(supports->support, supports->room, sizeof *supports->support);
    supports->line = xrealloc(supports->line, supports->room, sizeof *supports->line);
}

static void supports_add(struct supports *supports, const char *label, size_t length, double support, size_t line)
{
    if (supports->d == supports->room)
        make_room(supports);
    supports->labels[supports->d] = xstrndup(label, length);
    supports->support[supports->d] = support;
    supports->line[supports->d] = line;
    label_index_add(&supports->index, supports->labels, supports->d++);
}

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
    if (label_index_find(&supports->index, supports->labels, line->line, label_length) != LABEL_NONE)
        return lines_fail(line, failure, "each value once", line->line, label_length);
    supports_add(supports, line->line, label_length, support, line->number);
    return 0;
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
    if (result == 0 && supports->d < 2)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected at least 2 values, got %zu", SHOWN_PATH(lines.file),
                      supports->d);
    lines_close(&lines);
    return result;
}

int supports_protocol(const struct supports *supports, const char *file, const struct ldp_oracle_spec *oracle,
                      double epsilon, uint64_t n, size_t sketched, struct ldp_protocol *protocol,
                      struct failure *failure)
{
    const size_t d = sketched > 0 ? sketched : supports->d;
    const char *const name = oracle->oracle->name, *const shown = SHOWN_PATH(input_name(file));

    if (protocol_prepare(protocol, oracle, d, epsilon, failure) != 0)
        return -1;
    if (sketched == 0 && (protocol->flags & (LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL)))
        return fail(failure, EXIT_BAD_INPUT, "oracle %s: expected one that has a support for each value", name);
    /* The law of a collection may need more than its supports, which may be missing. */
    if (sketched == 0 && !protocol->oracle->estimate)
        protocol->support_size = d;
    if (protocol->support_size != supports->d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected the %zu supports of %s, got %zu", shown,
                    protocol->support_size, name, supports->d);
    struct ldp_support_finding finding;
    switch (ldp_support_check(protocol, n, supports->support, &finding)) {
    case LDP_OK: break;
    case LDP_ENOMEM: return fail_memory(failure);
    case LDP_EINVAL:
        return finding.place < supports->d
                   ? fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s", shown, supports->line[finding.place],
                          finding.reason.text)
                   : fail(failure, EXIT_BAD_INPUT, "%s: oracle %s: %s", shown, name, finding.reason.text);
    }
    if (finding.unlikely)
        fprintf(stderr,
                "ldpbench: warning: %s:%zu: a support of %.15g is very improbable, z = %.1f: expected about %.6g or "
                "more; check oracle, epsilon and n\n",
                shown, supports->line[finding.place], supports->support[finding.place], finding.z,
                (double)n * protocol->q);
    return 0;
}

void supports_clear(struct supports *supports)
{
    label_index_clear(&supports->index);
    labels_free(supports->labels, supports->d);
    free(supports->support);
    free(supports->line);
    memset(supports, 0, sizeof *supports);
}

/* reports.c - see reports.h. */
#include "audit/reports.h"

#include "ldpbench.h"
#include "lines.h"
#include "support/input.h"
#include "support/numbers.h"
#include "support/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 24, WORD_MAX = 200 };

/* Words of all reports, each a double: 1 GiB. */
static const size_t WORDS_MAX = (size_t)1 << 27;

/* ---- Rows ---- */

/* Makes room for one more element; -1 if out of memory. */
static int make_room(void **array, size_t *room, size_t used, size_t size)
{
    if (used < *room)
        return 0;
    const size_t more = 2 * *room + 1024;
    void *const grown = realloc(*array, more * size);

    if (!grown)
        return -1;
    *array = grown;
    *room = more;
    return 0;
}

static int add_word(struct report_lines *out, size_t side, double word, struct failure *failure)
{
    void *array = out->word[side];
    const int result = make_room(&array, &out->word_room[side], out->words[side], sizeof *out->word[side]);

    out->word[side] = array;
    if (result != 0)
        return fail_memory(failure);
    out->word[side][out->words[side]++] = word;
    return 0;
}

static int end_report(struct report_lines *out, size_t side, struct failure *failure)
{
    size_t *const n = &out->reports.n[side];
    const size_t length = out->words[side] - (*n > 0 ? out->end[side][*n - 1] : 0);
    void *array = out->end[side];
    const int result = make_room(&array, &out->report_room[side], *n, sizeof *out->end[side]);

    out->end[side] = array;
    if (result != 0)
        return fail_memory(failure);
    out->end[side][(*n)++] = out->words[side];
    out->reports.columns = length > out->reports.columns ? length : out->reports.columns;
    return 0;
}

/* ---- Words ---- */

/* The number of a symbol; SIZE_MAX if out of memory. */
static size_t symbol_of(struct report_lines *out, const char *text, size_t length)
{
    const size_t known = label_index_find(&out->index, out->symbol, text, length);
    void *array = out->symbol;

    if (known != LABEL_NONE)
        return known;
    if (make_room(&array, &out->symbol_room, out->symbols, sizeof *out->symbol) != 0)
        return SIZE_MAX;
    out->symbol = array;
    out->symbol[out->symbols] = strndup(text, length);
    if (!out->symbol[out->symbols])
        return SIZE_MAX;
    return label_index_add(&out->index, out->symbol, out->symbols++) == 0 ? out->symbols - 1 : SIZE_MAX;
}

/* After the first word that is not a number, all words are symbols. */
static int make_symbols(struct report_lines *out)
{
    out->reports.text = true;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < out->words[side]; i++) {
            char number[NUMBER_TEXT];
            const size_t symbol = symbol_of(out, number, strlen(format_number(out->word[side][i], number)));

            if (symbol == SIZE_MAX)
                return -1;
            out->word[side][i] = (double)symbol;
        }
    return 0;
}

static int read_word(const struct lines *lines, struct report_lines *out, size_t side, const char *text, size_t length,
                     struct failure *failure)
{
    char word[WORD_MAX];
    double number = 0;

    if (length >= sizeof word)
        return lines_fail(lines, failure, "words of at most 199 bytes", text, length);
    memcpy(word, text, length);
    word[length] = '\0';
    if (out->words[0] + out->words[1] >= WORDS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %zu words in all reports",
                    SHOWN_PATH(lines->file), lines->number, WORDS_MAX);
    if (!out->reports.text) {
        const char *const end = parse_number(word, &number);

        if (end && !*end)
            return add_word(out, side, number, failure);
        if (make_symbols(out) != 0)
            return fail_memory(failure);
    }
    const size_t symbol = symbol_of(out, word, length);
    return symbol == SIZE_MAX ? fail_memory(failure) : add_word(out, side, (double)symbol, failure);
}

/* ---- Reports of an oracle ---- */

/* One word of a report, from decimal digits. */
static int read_own_word(const struct lines *lines, const struct audit_pair *pair, const char *text, size_t length,
                         uint64_t *out, struct failure *failure)
{
    const struct ldp_protocol *const protocol = &pair->protocol;

    if (protocol->flags & LDP_ORACLE_REAL) {
        char word[WORD_MAX];
        memcpy(word, text, length < sizeof word ? length : sizeof word - 1);
        word[length < sizeof word ? length : sizeof word - 1] = '\0';
        double real;
        const char *const end = parse_number(word, &real);
        if (!end || *end)
            return lines_fail(lines, failure, "a number", text, length);
        memcpy(out, &real, sizeof real);
        return 0;
    }
    if (!lines_number(text, length, UINT64_MAX, out))
        return lines_fail(lines, failure, "a whole number below 2^64", text, length);
    if (protocol->report_limit > 0 && *out >= protocol->report_limit) {
        char expected[60];

        snprintf(expected, sizeof expected, "a whole number below %llu", (unsigned long long)protocol->report_limit);
        return lines_fail(lines, failure, expected, text, length);
    }
    return 0;
}

/* ---- Lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

/* The next word of a line from *at on; its length, 0 at the end. */
static size_t next_word(const struct lines *lines, size_t *at, const char **word)
{
    while (*at < lines->length && is_blank(lines->line[*at]))
        (*at)++;
    *word = lines->line + *at;
    const size_t start = *at;
    while (*at < lines->length && !is_blank(lines->line[*at]))
        (*at)++;
    return *at - start;
}

/* The input that a line names, if one file has both inputs. */
static int read_input(const struct lines *lines, struct report_lines *out, size_t *at, size_t *side,
                      struct failure *failure)
{
    const char *name;
    const size_t length = next_word(lines, at, &name);

    for (*side = 0; *side < 2; (*side)++) {
        if (!out->input[*side]) {
            out->input[*side] = strndup(name, length);
            return out->input[*side] ? 0 : fail_memory(failure);
        }
        if (strlen(out->input[*side]) == length && memcmp(out->input[*side], name, length) == 0)
            return 0;
    }
    return lines_fail(lines, failure, "lines that begin with one of two inputs", name, length);
}

static int read_own(const struct lines *lines, size_t at, struct audit_pair *pair, struct report_lines *out,
                    size_t side, uint64_t *report, struct failure *failure)
{
    const size_t words = pair->protocol.report_words;
    const char *word;
    size_t count = 0;

    for (size_t length; (length = next_word(lines, &at, &word)) > 0; count++) {
        uint64_t value = 0;

        if (read_own_word(lines, pair, word, length, &value, failure) != 0)
            return -1;
        if (count < words)
            report[count] = value;
    }
    if (count != words)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected %zu words of a report of %s, got %zu",
                    SHOWN_PATH(lines->file), lines->number, words, pair->protocol.oracle->name, count);
    double row[AUDIT_PAIR_COLUMNS];
    audit_pair_look(pair, report, row);
    for (size_t c = 0; c < AUDIT_PAIR_COLUMNS; c++)
        if (add_word(out, side, row[c], failure) != 0)
            return -1;
    return end_report(out, side, failure);
}

static int read_others(const struct lines *lines, size_t at, bool bits, struct report_lines *out, size_t side,
                       struct failure *failure)
{
    const char *word;

    for (size_t length; (length = next_word(lines, &at, &word)) > 0;)
        for (size_t i = 0; i < length; i += bits ? utf8_length(word + i, word + length) : length)
            if (read_word(lines, out, side, word + i, bits ? utf8_length(word + i, word + length) : length, failure) !=
                0)
                return -1;
    return end_report(out, side, failure);
}

static int read_file(const struct report_files *files, size_t which, struct audit_pair *pair, struct report_lines *out,
                     struct failure *failure)
{
    uint64_t *const report = pair ? malloc(pair->protocol.report_words * sizeof *report) : NULL;
    int result = pair && !report ? fail_memory(failure) : 0, more = 0;

    if (result != 0)
        return -1;
    struct lines lines;
    result = lines_open(&lines, files->file[which], LINE_MAX_BYTES, failure);
    while (result == 0 && (more = lines_next(&lines, failure)) > 0) {
        size_t at = 0, side = which;

        if (lines_skip(&lines))
            continue;
        if (!files->file[1])
            result = read_input(&lines, out, &at, &side, failure);
        if (result == 0)
            result = pair ? read_own(&lines, at, pair, out, side, report, failure)
                          : read_others(&lines, at, files->bits, out, side, failure);
    }
    lines_close(&lines);
    free(report);
    return result == 0 && more == 0 ? 0 : -1;
}

/* Copies the reports into rows of equal length. */
static int widen(struct report_lines *out, struct failure *failure)
{
    const size_t columns = out->reports.columns;

    if ((out->reports.n[0] + out->reports.n[1]) * columns > WORDS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "expected at most %zu words in all reports, got %zu reports of up to %zu",
                    WORDS_MAX, out->reports.n[0] + out->reports.n[1], columns);
    for (size_t side = 0; side < 2; side++) {
        out->reports.word[side] = malloc(out->reports.n[side] * columns * sizeof(double) + 1);
        if (!out->reports.word[side])
            return fail_memory(failure);
        for (size_t i = 0, from = 0; i < out->reports.n[side]; i++) {
            double *const row = out->reports.word[side] + i * columns;
            const size_t length = out->end[side][i] - from;

            for (size_t c = 0; c < columns; c++)
                row[c] = c < length ? out->word[side][from + c] : NAN;
            from = out->end[side][i];
        }
        free(out->word[side]);
        out->word[side] = NULL;
    }
    return 0;
}

int reports_read(const struct report_files *files, struct audit_pair *pair, struct report_lines *out,
                 struct failure *failure)
{
    for (size_t which = 0; which < 2 && files->file[which]; which++)
        if (read_file(files, which, pair, out, failure) != 0)
            return -1;
    for (size_t side = 0; side < 2; side++)
        if (out->reports.n[side] < AUDIT_REPORTS_MIN)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected at least %d reports of %s, got %zu",
                        SHOWN_PATH(input_name(files->file[files->file[1] ? side : 0])), AUDIT_REPORTS_MIN,
                        files->file[1]     ? "an input"
                        : out->input[side] ? SHOWN(out->input[side])
                                           : "a second input",
                        out->reports.n[side]);
    if (widen(out, failure) != 0)
        return -1;
    out->reports.symbol = out->reports.text ? out->symbol : NULL;
    out->reports.list = !pair && out->reports.columns > 1;
    out->reports.of = pair ? audit_pair_columns : NULL;
    return 0;
}

void reports_clear(struct report_lines *lines)
{
    label_index_clear(&lines->index);
    labels_free(lines->symbol, lines->symbols);
    for (size_t side = 0; side < 2; side++) {
        free(lines->word[side]);
        free(lines->end[side]);
        free(lines->input[side]);
        free(lines->reports.word[side]);
    }
}

/* reports.c - see audit.h. */
#include "audit/audit.h"

#include "ldpbench.h"
#include "lines.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 24, WORD_MAX = 200 };

/* Words of all reports, each a double: 1 GiB. */
static const size_t WORDS_MAX = (size_t)1 << 27;

/* ---- Words ---- */

static size_t symbol_of(struct report_lines *out, const char *text, size_t length)
{
    const size_t known = label_index_find(&out->index, out->symbol, text, length);

    if (known != LABEL_NONE)
        return known;
    *ARRAY_ADD(out->symbol, out->symbols, out->symbol_room) = xstrndup(text, length);
    label_index_add(&out->index, out->symbol, out->symbols - 1);
    return out->symbols - 1;
}

/* After the first word that is not a number, all words are symbols. */
static void make_symbols(struct report_lines *out)
{
    out->text = true;
    for (size_t k = 0; k < out->inputs; k++) {
        struct report_input *const input = &out->input[k];

        for (size_t i = 0; i < input->words; i++) {
            char text[NUMBER_TEXT];

            if (i < input->wholes && input->whole[i] > 0)
                format_whole(input->whole[i], text);
            else
                format_number(input->word[i], text);
            input->word[i] = (double)symbol_of(out, text, strlen(text));
        }
        input->wholes = 0;
    }
}

static int read_word(const struct lines *lines, struct report_lines *out, struct report_input *input, const char *text,
                     size_t length, struct failure *failure)
{
    char word[WORD_MAX];
    double number;

    if (length >= sizeof word)
        return lines_fail(lines, failure, "words of at most 199 bytes", text, length);
    memcpy(word, text, length);
    word[length] = '\0';
    if (out->words++ >= WORDS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %zu words in all reports",
                    SHOWN_PATH(lines->file), lines->number, WORDS_MAX);
    if (!out->text && !isnan(number = text_number(word))) {
        uint64_t whole;

        if (number >= 0x1p53 && lines_number(text, length, UINT64_MAX, &whole)) {
            while (input->wholes <= input->words)
                *ARRAY_ADD(input->whole, input->wholes, input->whole_room) = 0;
            input->whole[input->words] = whole;
        }
    } else {
        if (!out->text)
            make_symbols(out);
        number = (double)symbol_of(out, word, length);
    }
    *ARRAY_ADD(input->word, input->words, input->word_room) = number;
    return 0;
}

/* ---- Reports of an oracle ---- */

int report_word(const struct lines *lines, const struct ldp_protocol *protocol, const char *expected, const char *text,
                size_t length, uint64_t *out, struct failure *failure)
{
    if (protocol->flags & LDP_ORACLE_REAL) {
        double real;

        if (lines_real(lines, text, length, "a number", &real, failure) != 0)
            return -1;
        memcpy(out, &real, sizeof real);
        return 0;
    }
    return lines_number(text, length, UINT64_MAX, out) ? 0 : lines_fail(lines, failure, expected, text, length);
}

/* ---- Lines ---- */

static const char blanks[] = " \t,";

size_t report_next_word(const struct lines *lines, size_t *at, const char *between, const char **word)
{
    while (*at < lines->length && strchr(between, lines->line[*at]))
        (*at)++;
    *word = lines->line + *at;
    const size_t start = *at;
    while (*at < lines->length && !strchr(between, lines->line[*at]))
        (*at)++;
    return *at - start;
}

static struct report_input *add_input(struct report_lines *out, char *name)
{
    struct report_input *const input = ARRAY_ADD(out->input, out->inputs, out->input_room);

    *input = (struct report_input){.name = name};
    return input;
}

/* The input that a line names, if one file has all inputs; NULL where there are too many. */
static struct report_input *named_input(const struct lines *lines, struct report_lines *out, size_t *at,
                                        struct failure *failure)
{
    const char *name;
    const size_t length = report_next_word(lines, at, blanks, &name);

    for (size_t k = 0; k < out->inputs; k++)
        if (strlen(out->input[k].name) == length && memcmp(out->input[k].name, name, length) == 0)
            return &out->input[k];
    if (out->inputs == AUDIT_INPUTS_MAX) {
        lines_fail(lines, failure, "lines that begin with one of at most 64 inputs", name, length);
        return NULL;
    }
    return add_input(out, xstrndup(name, length));
}

static int read_own(const struct lines *lines, size_t at, const struct ldp_protocol *protocol, struct report_lines *out,
                    struct report_input *input, struct failure *failure)
{
    const size_t words = protocol->report_words;
    const char *word;
    size_t count = 0;

    for (size_t length; (length = report_next_word(lines, &at, blanks, &word)) > 0; count++) {
        uint64_t value = 0;

        if (report_word(lines, protocol, "a whole number below 2^64", word, length, &value, failure) != 0)
            return -1;
        if (count < words)
            *ARRAY_ADD(input->own, input->own_words, input->own_room) = value;
    }
    if (count != words)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected %zu words of a report of %s, got %zu",
                    SHOWN_PATH(lines->file), lines->number, words, protocol->oracle->name, count);
    struct ldp_reason reason;
    const uint64_t *const report = input->own + input->own_words - words;
    if (ldp_report_check(protocol, report, &reason) != LDP_OK && out->refused++ == 0)
        fail(&out->first_refused, EXIT_BAD_INPUT, "%s:%zu: %s", SHOWN_PATH(lines->file), lines->number, reason.text);
    input->n++;
    return 0;
}

static int read_others(const struct lines *lines, size_t at, bool bits, struct report_lines *out,
                       struct report_input *input, struct failure *failure)
{
    const char *word, *start = NULL, *end = NULL;

    for (size_t length; (length = report_next_word(lines, &at, blanks, &word)) > 0; end = word + length) {
        start = start ? start : word;
        for (size_t i = 0; i < length; i += bits ? utf8_length(word + i, word + length) : length)
            if (read_word(lines, out, input, word + i, bits ? utf8_length(word + i, word + length) : length, failure) !=
                0)
                return -1;
    }
    const size_t words = input->words - (input->n > 0 ? input->end[input->n - 1] : 0);
    out->columns = words > out->columns ? words : out->columns;
    size_t n = input->n;
    *ARRAY_ADD(input->characters, n, input->characters_room) = start ? (uint32_t)(end - start) : 0;
    *ARRAY_ADD(input->end, input->n, input->rows_room) = input->words;
    return 0;
}

static int read_file(const struct report_files *files, size_t which, const struct ldp_protocol *protocol,
                     struct report_lines *out, struct failure *failure)
{
    struct lines lines;
    int result = lines_open(&lines, files->file[which], LINE_MAX_BYTES, failure), more = 0;

    if (files->count > 1)
        add_input(out, xstrdup(files->file[which]));
    while (result == 0 && (more = lines_next(&lines, failure)) > 0) {
        size_t at = 0;

        struct report_input *const input =
            files->count > 1 ? &out->input[which] : named_input(&lines, out, &at, failure);
        if (!input)
            result = -1;
        else
            result = protocol ? read_own(&lines, at, protocol, out, input, failure)
                              : read_others(&lines, at, files->bits, out, input, failure);
    }
    lines_close(&lines);
    return result == 0 && more == 0 ? 0 : -1;
}

/* ---- Rows of equal length ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Numbers the symbols by their texts, so that their order is a property of each report and not of those before it. */
static void sort_symbols(struct report_lines *out)
{
    char **const sorted = xcalloc(out->symbols, sizeof *sorted);

    memcpy(sorted, out->symbol, out->symbols * sizeof *sorted);
    qsort(sorted, out->symbols, sizeof *sorted, by_text);
    for (size_t k = 0; k < out->inputs; k++)
        for (size_t i = 0; i < out->input[k].words; i++) {
            char **const text = &out->symbol[(size_t)out->input[k].word[i]];

            out->input[k].word[i] =
                (double)((char **)bsearch(text, sorted, out->symbols, sizeof *sorted, by_text) - sorted);
        }
    free(out->symbol);
    out->symbol = sorted;
}

/* Copies the reports of an input into rows of equal length; its whole numbers too, if any input has large ones. */
static void widen_input(struct report_input *input, size_t columns, bool large)
{
    double *const word = xcalloc(input->n * columns, sizeof *word);
    uint64_t *const whole = large ? xcalloc(input->n * columns, sizeof *whole) : NULL;

    for (size_t i = 0, from = 0; i < input->n; from = input->end[i++])
        for (size_t c = 0, at = from; c < columns; c++, at++) {
            word[i * columns + c] = at < input->end[i] ? input->word[at] : NAN;
            if (whole && at < input->end[i])
                whole[i * columns + c] = at < input->wholes && input->whole[at] > 0 ? input->whole[at]
                                         : fabs(input->word[at]) < 0x1p63           ? (uint64_t)(int64_t)input->word[at]
                                                                                    : 0;
        }
    free(input->word);
    free(input->whole);
    input->word = word;
    input->whole = whole;
}

/* Copies the reports into rows of equal length. */
static int widen(struct report_lines *out, struct failure *failure)
{
    size_t n = 0, wholes = 0;

    for (size_t k = 0; k < out->inputs; k++) {
        n += out->input[k].n;
        wholes += out->input[k].wholes;
    }
    if (n * out->columns > WORDS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "expected at most %zu words in all reports, got %zu reports of up to %zu",
                    WORDS_MAX, n, out->columns);
    if (out->text)
        sort_symbols(out);
    for (size_t k = 0; k < out->inputs; k++)
        widen_input(&out->input[k], out->columns, wholes > 0);
    return 0;
}

int reports_read(const struct report_files *files, const struct ldp_protocol *protocol, struct report_lines *out,
                 struct failure *failure)
{
    for (size_t which = 0; which < files->count; which++)
        if (read_file(files, which, protocol, out, failure) != 0)
            return -1;
    if (out->refused > 0) {
        size_t all = 0;

        for (size_t k = 0; k < out->inputs; k++)
            all += out->input[k].n;
        return fail(failure, EXIT_BAD_INPUT, "%s (%zu of %zu reports are none that a client of %s can send)",
                    out->first_refused.text, out->refused, all, protocol->oracle->name);
    }
    for (size_t k = 0; k < out->inputs || k < 2; k++) {
        const size_t n = k < out->inputs ? out->input[k].n : 0;

        if (n < AUDIT_REPORTS_MIN)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected at least %d reports of %s, got %zu",
                        SHOWN_PATH(input_name(files->file[files->count > 1 ? k : 0])), AUDIT_REPORTS_MIN,
                        files->count > 1  ? "an input"
                        : k < out->inputs ? SHOWN(out->input[k].name)
                                          : "a second input",
                        n);
    }
    return protocol ? 0 : widen(out, failure);
}

void reports_clear(struct report_lines *lines)
{
    for (size_t k = 0; k < lines->inputs; k++) {
        free(lines->input[k].name);
        free(lines->input[k].end);
        free(lines->input[k].characters);
        free(lines->input[k].word);
        free(lines->input[k].own);
        free(lines->input[k].whole);
    }
    free(lines->input);
    label_index_clear(&lines->index);
    labels_free(lines->symbol, lines->symbols);
}

struct audit_reports reports_of_two(const struct report_lines *lines, size_t first, size_t second)
{
    const struct report_input *const input[2] = {&lines->input[first], &lines->input[second]};
    struct audit_reports two = {.columns = lines->columns,
                                .text = lines->text,
                                .list = lines->columns > 1,
                                .raw = true,
                                .symbol = lines->text ? lines->symbol : NULL,
                                .symbols = lines->symbols};

    for (size_t side = 0; side < 2; side++) {
        two.n[side] = input[side]->n;
        two.word[side] = input[side]->word;
        two.whole[side] = input[side]->whole;
        two.characters[side] = input[side]->characters;
    }
    return two;
}

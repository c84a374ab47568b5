/* reports.c - see audit.h: reports that are read, and those of the program's own clients. */
#include "audit/audit.h"

#include "audit/features.h"
#include "ldp.h"
#include "lines.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 4096,        /* users at once */
    STATE_MAX = 1 << 15, /* largest server state in bytes for which each report is counted separately */
    LINE_MAX_BYTES = 1 << 24,
    WORD_MAX = 200,
    PLACES_MAX = 9 /* decimal places of fractions that are counted in units of the last one */
};

/* Words of all reports, each a double: 1 GiB. */
static const size_t WORDS_MAX = (size_t)1 << 27;

/* ---- Lines ---- */

static const char blanks[] = " \t,";

/* The next word of the line from *at on, without the characters `between` around it; its length, 0: none. */
static size_t next_word(const struct lines *lines, size_t *at, const char *between, const char **word)
{
    while (*at < lines->length && strchr(between, lines->line[*at]))
        (*at)++;
    *word = lines->line + *at;
    const size_t start = *at;
    while (*at < lines->length && !strchr(between, lines->line[*at]))
        (*at)++;
    return *at - start;
}

int report_words(const struct lines *lines, size_t at, const char *between, const struct ldp_protocol *protocol,
                 const char *expected, uint64_t *report, struct failure *failure)
{
    const size_t words = protocol->report_words;
    const char *word;
    size_t count = 0;

    for (size_t length; (length = next_word(lines, &at, between, &word)) > 0; count++) {
        double real;

        if (count >= words)
            continue;
        if (!(protocol->flags & LDP_ORACLE_REAL)) {
            if (!lines_number(word, length, UINT64_MAX, &report[count]))
                return lines_fail(lines, failure, expected, word, length);
        } else if (lines_real(lines, word, length, "a number", &real, failure) == 0) {
            memcpy(&report[count], &real, sizeof real);
        } else {
            return -1;
        }
    }
    if (count == words)
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected %s of a report of %s, got %zu", SHOWN_PATH(lines->file),
                lines->number, COUNTED(words, "word"), protocol->oracle->name, count);
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
    const size_t length = next_word(lines, at, blanks, &name);

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
    struct ldp_reason reason;

    for (size_t i = 0; i < protocol->report_words; i++)
        *ARRAY_ADD(input->own, input->own_words, input->own_room) = 0;
    uint64_t *const report = input->own + input->own_words - protocol->report_words;
    if (report_words(lines, at, blanks, protocol, "a whole number below 2^64", report, failure) != 0)
        return -1;
    if (ldp_report_check(protocol, report, &reason) != LDP_OK && out->refused++ == 0)
        fail(&out->first_refused, EXIT_BAD_INPUT, "%s:%zu: %s", SHOWN_PATH(lines->file), lines->number, reason.text);
    input->n++;
    return 0;
}

/* Decimal places of a number, without zeros at its end. */
static long places_of(const char *text)
{
    const size_t digits = strcspn(text, "eE"), point = strcspn(text, ".");
    const long exponent = text[digits] ? strtol(text + digits + 1, NULL, 10) : 0;
    size_t last = digits;

    while (last > point + 1 && text[last - 1] == '0')
        last--;
    return (last > point + 1 ? (long)(last - point) - 1 : 0) - exponent;
}

/* A word of the report that is read, in a column. */
static int add_word(const struct lines *lines, struct report_lines *out, struct report_input *input, size_t in,
                    const char *word, size_t length, struct failure *failure)
{
    const size_t start = input->text.length;

    if (length >= WORD_MAX)
        return lines_fail(lines, failure, "words of at most 199 bytes", word, length);
    if (out->words++ >= WORDS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %zu words in all reports",
                    SHOWN_PATH(lines->file), lines->number, WORDS_MAX);
    buffer_add_n(&input->text, word, length);
    buffer_add_n(&input->text, "", 1);
    while (out->columns <= in)
        *ARRAY_ADD(out->column, out->columns, out->column_room) = (struct report_column){.places = 0};
    struct report_column *const column = &out->column[in];
    const double number = text_number(input->text.text + start);
    out->text |= isnan(number);
    if (audit_part_of(input->n) == AUDIT_LEARN) {
        const long places = places_of(input->text.text + start);

        column->places = places > column->places ? places : column->places;
        column->largest = fmax(column->largest, fabs(number));
    }
    return 0;
}

static int read_others(const struct lines *lines, size_t at, bool bits, struct report_lines *out,
                       struct report_input *input, struct failure *failure)
{
    const char *word, *start = NULL, *end = NULL;
    size_t words = 0;

    for (size_t length; (length = next_word(lines, &at, blanks, &word)) > 0; end = word + length) {
        start = start ? start : word;
        for (size_t i = 0, step; i < length; i += step) {
            step = bits ? utf8_length(word + i, word + length) : length;
            if (add_word(lines, out, input, words++, word + i, step, failure) != 0)
                return -1;
        }
    }
    *ARRAY_ADD(input->row, input->n, input->room) = (struct report_row){words, start ? (uint32_t)(end - start) : 0};
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

        out->n++;
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

/* ---- Rows of words ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The symbols, each once, in the order of their texts, so that their numbers are a property of each report and not of
 * those before it. Returns how many. */
static size_t find_symbols(struct report_lines *out)
{
    size_t words = 0, kept = 0;

    out->symbol = xmalloc(out->words, sizeof *out->symbol);
    for (size_t k = 0; k < out->inputs; k++)
        for (size_t at = 0; at < out->input[k].text.length; at += strlen(out->symbol[words++]) + 1)
            out->symbol[words] = out->input[k].text.text + at;
    qsort(out->symbol, words, sizeof *out->symbol, by_text);
    for (size_t i = 0; i < words; i++)
        if (kept == 0 || strcmp(out->symbol[kept - 1], out->symbol[i]) != 0)
            out->symbol[kept++] = out->symbol[i];
    return kept;
}

static uint64_t number_of_symbol(const char *text, bool hexadecimal)
{
    const size_t length = strlen(text), width = hexadecimal ? 16 : 8;
    uint64_t number = 0;

    text += length > width ? length - width : 0;
    if (hexadecimal)
        return strtoull(text, NULL, 16);
    for (; *text; text++)
        number = number << 8 | (unsigned char)*text;
    return number;
}

/* Words as whole numbers. A word that is whole is itself. Decimal fractions are counted in units of their last place,
 * scale to 1; other numbers are the bits of their doubles: scale is NAN. */
static uint64_t number_of(const char *text, double word, double scale)
{
    const double units = nearbyint(word * scale);
    uint64_t number;

    if (scale == 1 && lines_number(text, strlen(text), UINT64_MAX, &number))
        return number;
    if (fabs(units) < 0x1p63)
        return (uint64_t)(int64_t)units;
    memcpy(&number, &word, sizeof number);
    return number;
}

/* The words of an input's reports in rows of equal length. Symbols are read as hexadecimal digits if all are, and
 * otherwise as their last eight bytes. */
static void fill_rows(struct report_input *input, const struct report_lines *lines, size_t symbols, bool hexadecimal)
{
    const size_t columns = lines->columns;
    const char *text = input->text.text;

    input->word = xmalloc(input->n * columns, sizeof *input->word);
    input->number = xcalloc(input->n * columns, sizeof *input->number);
    for (size_t i = 0; i < input->n; i++)
        for (size_t c = 0, at = i * columns; c < columns; c++, at++) {
            input->word[at] = NAN;
            if (c >= input->row[i].words)
                continue;
            if (symbols > 0) {
                char **const symbol = bsearch(&text, lines->symbol, symbols, sizeof text, by_text);
                input->word[at] = (double)(symbol - lines->symbol);
                input->number[at] = number_of_symbol(text, hexadecimal);
            } else {
                input->word[at] = text_number(text);
                input->number[at] = number_of(text, input->word[at], lines->column[c].scale);
            }
            text += strlen(text) + 1;
        }
}

/* Makes rows of the words of all inputs. */
static int widen(struct report_lines *out, struct failure *failure)
{
    if (out->n * out->columns > WORDS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "expected at most %zu words in all reports, got %zu reports of up to %zu",
                    WORDS_MAX, out->n, out->columns);
    const size_t symbols = out->text ? find_symbols(out) : 0;
    bool hexadecimal = true;
    for (size_t k = 0; k < symbols; k++)
        hexadecimal = hexadecimal && !out->symbol[k][strspn(out->symbol[k], "0123456789abcdefABCDEF")];
    for (size_t c = 0; c < out->columns; c++) {
        const struct report_column *const column = &out->column[c];
        const double scale = pow(10, (double)column->places), most = column->places > 0 ? 0x1p51 : 0x1p64;
        const bool real = column->places > PLACES_MAX || column->largest * scale >= most;

        out->column[c].scale = real ? (double)NAN : scale;
        texts_keep(&out->units, out->text   ? xstrdup(hexadecimal ? " as hexadecimal" : ", its last 8 bytes")
                                : real      ? xstrdup(" as the bits of a double")
                                : scale > 1 ? xformat(" times %g", scale)
                                            : xstrdup(""));
    }
    for (size_t k = 0; k < out->inputs; k++)
        fill_rows(&out->input[k], out, symbols, hexadecimal);
    return 0;
}

int reports_read(const struct report_files *files, const struct ldp_protocol *protocol, struct report_lines *out,
                 struct failure *failure)
{
    for (size_t which = 0; which < files->count; which++)
        if (read_file(files, which, protocol, out, failure) != 0)
            return -1;
    if (out->refused > 0)
        return fail(failure, EXIT_BAD_INPUT, "%s (%zu of %zu reports are none that a client of %s can send)",
                    out->first_refused.text, out->refused, out->n, protocol->oracle->name);
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
        free(lines->input[k].row);
        buffer_clear(&lines->input[k].text);
        free(lines->input[k].word);
        free(lines->input[k].number);
        free(lines->input[k].own);
    }
    free(lines->input);
    free(lines->column);
    free(lines->symbol);
    texts_clear(&lines->units);
}

struct audit_reports reports_of_two(const struct report_lines *lines, size_t first, size_t second)
{
    const struct report_input *const a = &lines->input[first], *const b = &lines->input[second];

    return (struct audit_reports){.n = {a->n, b->n},
                                  .columns = lines->columns,
                                  .word = {a->word, b->word},
                                  .number = {a->number, b->number},
                                  .unit = lines->units.text,
                                  .row = {a->row, b->row},
                                  .symbol = lines->symbol};
}

/* ---- Two inputs of one of the program's oracles ---- */

static const char *const pair_columns[] = {"the log ratio that the protocol states", "the support of the first value",
                                           "the support of the second value"};
enum { COLUMNS = sizeof pair_columns / sizeof *pair_columns };

/* Computes the row of one valid report[report_words]; support[support_size] is scratch, state NULL where there is none.
 */
static void reduce_report(const struct ldp_protocol *protocol, const uint32_t value[2], const uint64_t *report,
                          void *state, double *support, double row[COLUMNS])
{
    const struct ldp_oracle *const oracle = protocol->oracle;

    row[0] = row[1] = row[2] = NAN;
    if (oracle->log_likelihood) {
        const double ratio =
            oracle->log_likelihood(protocol, value[0], report) - oracle->log_likelihood(protocol, value[1], report);
        row[0] = nearbyint(ratio * 1e9) / 1e9; /* sums of the same numbers in another order are one ratio */
    }
    if (!state)
        return;
    memset(state, 0, protocol->state_bytes);
    oracle->server(protocol, report, 1, state);
    oracle->support(protocol, state, 1, support);
    row[1] = support[value[0]];
    row[2] = support[value[1]];
}

struct audit_reports audit_pair(const struct ldp_protocol *protocol, const uint32_t value[2], uint64_t *const *report,
                                const size_t n[2], uint64_t seed)
{
    const size_t words = protocol->report_words;
    const bool supports = protocol->support_size >= protocol->d && protocol->support_size <= protocol->d + 2 &&
                          protocol->state_bytes <= STATE_MAX && protocol->oracle->server;
    void *const state = supports ? xcalloc(protocol->state_bytes, 1) : NULL;
    double *const support = supports ? xcalloc(protocol->support_size, sizeof *support) : NULL;
    uint64_t *const made = xcalloc(CHUNK * words, sizeof *made);
    uint32_t *const same = xcalloc(CHUNK, sizeof *same);
    struct audit_reports out = {.n = {n[0], n[1]}, .columns = COLUMNS, .of = pair_columns};

    for (size_t side = 0; side < 2; side++) {
        struct ldp_rng rng;

        out.word[side] = xcalloc(n[side] * COLUMNS, sizeof *out.word[side]);
        ldp_rng_stream(&rng, seed, "audit", side);
        for (size_t i = 0; i < CHUNK; i++)
            same[i] = value[side];
        for (size_t start = 0; start < n[side]; start += CHUNK) {
            const size_t size = smaller(n[side] - start, CHUNK);
            const uint64_t *const from = report ? report[side] + start * words : made;

            if (!report)
                protocol->oracle->client(protocol, same, size, &rng, made);
            for (size_t i = 0; i < size; i++)
                reduce_report(protocol, value, from + i * words, state, support,
                              out.word[side] + (start + i) * COLUMNS);
        }
    }
    free(state);
    free(support);
    free(made);
    free(same);
    return out;
}

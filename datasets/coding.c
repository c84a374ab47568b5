/* coding.c - see coding.h. */
#include "coding.h"

#include "bins.h"
#include "cells.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE_MOST = 1 << 20 };

void coding_note(struct buffer *notes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *const text = xformat_list(format, arguments);
    va_end(arguments);
    buffer_format(notes, "%s%s", notes->length > 0 ? "; " : "", text);
    free(text);
}

/* ---- Numbers or words ---- */

/* What the words of a column are. */
struct cell_kinds {
    size_t numbers, codes; /* how many are so */
    size_t strange;        /* the first that is no number; SIZE_MAX: none */
    size_t unclear;        /* the first whose mark may be either, or differs from those before */
    size_t huge;           /* the first that is too large for bins */
    bool large;            /* numbers that a double may not hold as they are written */
    char decimal;          /* '\0': it cannot be told */
};

static struct cell_kinds examine(const struct coded_column *column, const struct coding *coding)
{
    const struct words *const words = column->words;
    struct cell_kinds kinds = {.strange = SIZE_MAX, .unclear = SIZE_MAX, .huge = SIZE_MAX};
    unsigned shows = 0;

    for (size_t i = 0; i < words->count; i++) {
        const char *const word = words->word[i];
        const unsigned shown = cell_shows(word);
        const double point = cell_number(word, '.'), number = isnan(point) ? cell_number(word, ',') : point;

        kinds.codes += cell_is_code(word) ? 1 : 0;
        kinds.large |= fabs(number) >= 0x1p53;
        kinds.numbers += isnan(number) ? 0 : 1;
        if (fabs(number) > CELL_NUMBER_MOST && kinds.huge == SIZE_MAX)
            kinds.huge = i;
        if (isnan(number) && kinds.strange == SIZE_MAX)
            kinds.strange = i;
        if (shown && (kinds.unclear == SIZE_MAX || (shows != 0 && !cell_decimal(shows | shown, coding->separator) &&
                                                    cell_decimal(shows, coding->separator))))
            kinds.unclear = i;
        shows |= shown;
    }
    kinds.decimal = cell_decimal(shows, coding->separator);
    return kinds;
}

/* Whether the column is numeric; -1 with the failure set. */
static int is_numeric(const struct coded_column *column, const struct coding *coding, const struct cell_kinds *kinds,
                      struct buffer *notes, struct failure *failure)
{
    const struct words *const words = column->words;
    const bool binned = coding->bins > 0 && words->count > coding->bins;

    if (kinds->numbers == words->count && words->count > 0) {
        if (!kinds->decimal)
            return fail(failure, EXIT_BAD_INPUT,
                        "%s:%zu: %s: expected numbers whose decimal mark can be told, got \"%s\"; write thousands "
                        "without marks",
                        SHOWN_PATH(column->file), column->words->line[kinds->unclear], SHOWN(column->name),
                        SHOWN(words->word[kinds->unclear]));
        if (binned && kinds->huge != SIZE_MAX)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected a number from -1e300 to 1e300, got \"%s\"",
                        SHOWN_PATH(column->file), column->words->line[kinds->huge], SHOWN(column->name),
                        SHOWN(words->word[kinds->huge]));
        return binned || !kinds->large;
    }
    if (kinds->codes > 0 || 2 * kinds->numbers < words->count || kinds->numbers == 0)
        return binned && column->stride == 1 && kinds->strange != SIZE_MAX
                   ? fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected numbers, which bins need, got \"%s\"",
                          SHOWN_PATH(column->file), column->words->line[kinds->strange], SHOWN(column->name),
                          SHOWN(words->word[kinds->strange]))
                   : 0;
    if (binned)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s:%zu: %s: expected a number, as most of its values are, got \"%s\" (--missing, \"missing\" in a "
                    "config, names markers of missing ones)",
                    SHOWN_PATH(column->file), column->words->line[kinds->strange], SHOWN(column->name),
                    SHOWN(words->word[kinds->strange]));
    coding_note(notes, "%zu of %zu values of %s are no numbers, as \"%s\" in line %zu, so that all are words",
                words->count - kinds->numbers, words->count, SHOWN(column->name), SHOWN(words->word[kinds->strange]),
                column->words->line[kinds->strange]);
    return 0;
}

/* ---- The order ---- */

struct ordered {
    double number; /* 0 of words */
    const char *word;
    size_t position;
};

static int by_order(const void *a, const void *b)
{
    const struct ordered *const x = a, *const y = b;

    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : strcmp(x->word, y->word);
}

int coding_order(struct coded_column *column, const struct coding *coding, struct buffer *notes,
                 struct failure *failure)
{
    const struct words *const words = column->words;
    const struct cell_kinds kinds = examine(column, coding);
    const int numeric = is_numeric(column, coding, &kinds, notes, failure);
    struct ordered *const ordered = xcalloc(words->count, sizeof *ordered);
    char text[NUMBER_TEXT];

    for (size_t i = 0; i < words->count; i++)
        ordered[i] = (struct ordered){numeric > 0 ? cell_number(words->word[i], kinds.decimal) : 0, words->word[i], i};
    qsort(ordered, words->count, sizeof *ordered, by_order);
    column->rank = xcalloc(words->count, sizeof *column->rank);
    column->label = xcalloc(words->count, sizeof *column->label);
    column->number = numeric > 0 ? xcalloc(words->count, sizeof *column->number) : NULL;
    for (size_t i = 0; i < words->count; i++) {
        if (i == 0 || numeric <= 0 || ordered[i].number != ordered[i - 1].number) {
            if (numeric > 0)
                column->number[column->count] = ordered[i].number;
            column->label[column->count++] =
                xstrdup(numeric > 0 ? format_number(ordered[i].number, text) : ordered[i].word);
        }
        column->rank[ordered[i].position] = (uint32_t)column->count - 1;
    }
    free(ordered);
    return numeric < 0 ? -1 : 0;
}

/* ---- Codes ---- */

bool coding_takes_bins(const struct coded_column *column, const struct coding *coding)
{
    if (!column->number || coding->bins == 0)
        return false;
    const double span = column->number[column->count - 1] - column->number[0];
    double users = 0;

    for (size_t i = 0; i < column->rows; i++)
        users += column->users ? (double)column->users[i] : 1;
    return column->stride == 1 || !((double)column->count >= 0.9 * users && span < 1.2 * users &&
                                    bins_scale(column->number, column->count) == 1);
}

/* The values that take the place of the ranks: code[rank], and their labels. */
struct codes {
    uint32_t *code;
    char **label;
    size_t count;
};

static char *bin_label(const struct bins *bins, size_t bin, int digits)
{
    char first[NUMBER_TEXT], last[NUMBER_TEXT];
    const double low = bins_first(bins, bin), high = bins_last(bins, bin);

    if (bins->scale == 0)
        return xformat("%.*g to %.*g", digits, low, digits, high);
    return low == high ? xstrdup(format_number(low, first))
                       : xformat("%s to %s", format_number(low, first), format_number(high, last));
}

static void put_into_bins(const struct coded_column *column, const struct coding *coding, struct codes *codes)
{
    const double *const number = column->number;
    const struct bins bins =
        bins_new(number[0], number[column->count - 1], bins_scale(number, column->count), coding->bins);
    const int digits = bins_digits(&bins);

    codes->count = bins.count;
    codes->label = xcalloc(bins.count, sizeof *codes->label);
    for (size_t bin = 0; bin < bins.count; bin++)
        codes->label[bin] = bin_label(&bins, bin, digits);
    for (size_t i = 0; i < column->count; i++)
        codes->code[i] = (uint32_t)bins_find(&bins, number[i]);
}

/* A label that no value has. Malloc'd. */
static char *free_label(const struct coded_column *column)
{
    char *label = xstrdup("other");

    for (size_t i = 0, tried = 1; i < column->count; i++)
        if (strcmp(column->label[i], label) == 0) {
            free(label);
            label = tried == 1 ? xstrdup("all others") : xformat("all others %zu", tried);
            tried++;
            i = SIZE_MAX; /* again from the first */
        }
    return label;
}

struct frequent {
    uint64_t users;
    size_t rank;
};

static int by_users(const void *a, const void *b)
{
    const struct frequent *const x = a, *const y = b;

    return x->users != y->users ? (x->users < y->users) - (x->users > y->users)
                                : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The most frequent values in their order, then one for all others. */
static void keep_frequent(const struct coded_column *column, const struct coding *coding, struct codes *codes)
{
    struct frequent *const frequent = xcalloc(column->count, sizeof *frequent);

    for (size_t i = 0; i < column->count; i++) {
        frequent[i].rank = i;
        codes->code[i] = (uint32_t)coding->other;
    }
    for (size_t row = 0; row < column->rows; row++)
        if (column->value[row * column->stride] != CODING_EMPTY)
            frequent[column->rank[column->value[row * column->stride]]].users += column->users[row];
    qsort(frequent, column->count, sizeof *frequent, by_users);
    for (size_t i = 0; i < coding->other; i++)
        codes->code[frequent[i].rank] = 0;
    codes->label = xcalloc(coding->other + 1, sizeof *codes->label);
    for (size_t i = 0; i < column->count; i++)
        if (codes->code[i] == 0) {
            codes->label[codes->count] = xstrdup(column->label[i]);
            codes->code[i] = (uint32_t)codes->count++;
        }
    codes->label[codes->count++] = free_label(column);
    free(frequent);
}

static int fill_range(const struct coded_column *column, struct codes *codes, struct buffer *notes,
                      struct failure *failure)
{
    const double *const number = column->number;
    char text[NUMBER_TEXT];

    if (bins_multiples(number[0], number[column->count - 1], 1) > RANGE_MOST)
        return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected a range of at most %d numbers, got from %s to %s",
                    SHOWN_PATH(column->file), SHOWN(column->name), RANGE_MOST, column->label[0],
                    column->label[column->count - 1]);
    codes->count = (size_t)bins_multiples(number[0], number[column->count - 1], 1);
    codes->label = xcalloc(codes->count, sizeof *codes->label);
    for (size_t v = 0; v < codes->count; v++)
        codes->label[v] = xstrdup(format_number(number[0] + (double)v, text));
    for (size_t i = 0; i < column->count; i++)
        codes->code[i] = (uint32_t)(number[i] - number[0]);
    if (codes->count > 2 * column->count)
        coding_note(notes, "%zu of the %zu values of %s, a range, have zero frequency", codes->count - column->count,
                    codes->count, SHOWN(column->name));
    return 0;
}

/* Numbers below a cardinality are values without labels. */
static int take_numbers(const struct coded_column *column, struct codes *codes, struct failure *failure)
{
    size_t line = 0;

    for (size_t i = 0; i < column->words->count; i++)
        if (column->number[column->rank[i]] >= column->cardinality)
            line = line == 0 || column->words->line[i] < line ? column->words->line[i] : line;
    if (line > 0)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected values of %s below its cardinality of %u, got up to %s",
                    SHOWN_PATH(column->file), line, SHOWN(column->name), (unsigned)column->cardinality,
                    column->label[column->count - 1]);
    for (size_t i = 0; i < column->count; i++)
        codes->code[i] = (uint32_t)column->number[i];
    return 0;
}

int coding_apply(struct coded_column *column, const struct coding *coding, struct buffer *notes,
                 struct failure *failure)
{
    const bool whole = column->number && bins_scale(column->number, column->count) == 1;
    struct codes codes = {.code = xcalloc(column->count, sizeof *codes.code)};
    uint32_t cardinality = 0;
    bool coded = true;
    int result = 0;

    if (coding_takes_bins(column, coding) && column->count > coding->bins)
        put_into_bins(column, coding, &codes);
    else if (coding->other > 0 && column->count > coding->other)
        keep_frequent(column, coding, &codes);
    else if (whole && column->cardinality > 0 && column->number[0] >= 0) {
        cardinality = column->cardinality;
        result = take_numbers(column, &codes, failure);
    } else if (whole && coding->range)
        result = fill_range(column, &codes, notes, failure);
    else {
        coded = false;
        cardinality = column->cardinality;
        if (cardinality > 0 && column->count > cardinality)
            result = fail(failure, EXIT_BAD_INPUT, "%s: expected at most %u values of %s, its cardinality, got %zu",
                          SHOWN_PATH(column->file), (unsigned)cardinality, SHOWN(column->name), column->count);
    }
    for (size_t row = 0; result == 0 && row < column->rows; row++) {
        uint32_t *const value = &column->value[row * column->stride];

        if (*value != CODING_EMPTY)
            *value = coded ? codes.code[column->rank[*value]] : column->rank[*value];
    }
    if (result == 0 && coded) {
        labels_free(column->label, column->count);
        column->label = codes.label;
        column->count = codes.count;
    }
    column->cardinality = cardinality > column->count ? cardinality : (uint32_t)column->count;
    free(codes.code);
    return result;
}

void coding_clear(struct coded_column *column)
{
    free(column->rank);
    labels_free(column->label, column->count);
    free(column->number);
    *column = (struct coded_column){0};
}

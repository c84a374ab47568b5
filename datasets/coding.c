/* coding.c - see coding.h. */
#include "coding.h"

#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

/* The number that a word is; NAN: none. */
static double number_of(const char *word, const struct coding *coding)
{
    char text[NUMBER_BYTES];
    double value;

    if (!memccpy(text, word, '\0', sizeof text))
        return (double)NAN;
    char *const decimal = coding->decimal_comma ? strchr(text, ',') : NULL;
    if (decimal)
        *decimal = '.';
    const char *const end = parse_number(text, &value);
    return end && end != text && !*end && isfinite(value) ? value : (double)NAN;
}

struct span {
    double low, high;
    bool whole, numeric;
};

static struct span span_of(const struct coded_column *column, const struct coding *coding)
{
    struct span span = {INFINITY, -INFINITY, true, column->words.count > 0};

    for (size_t i = 0; i < column->words.count && span.numeric; i++) {
        const double value = number_of(column->words.word[i], coding);

        span.numeric = !isnan(value);
        span.whole &= value == floor(value);
        span.low = fmin(span.low, value);
        span.high = fmax(span.high, value);
    }
    return span;
}

bool coding_is_numeric(const struct coded_column *column, const struct coding *coding)
{
    return span_of(column, coding).numeric;
}

bool coding_counts_users(const struct coded_column *column, const struct coding *coding)
{
    const struct span span = span_of(column, coding);
    const double different = (double)column->words.count;

    return span.numeric && span.whole && different >= 0.9 * (double)column->rows &&
           span.high - span.low < 1.2 * (double)column->rows;
}

/* Replaces the words by others, of which number[i] takes the place of word i. Takes over the new words. */
static void rename_words(struct coded_column *column, struct words *words, const uint32_t *number)
{
    for (size_t row = 0; row < column->rows; row++) {
        uint32_t *const value = &column->value[row * column->stride];

        if (*value != CODING_EMPTY)
            *value = number[*value];
    }
    words_clear(&column->words);
    column->words = *words;
    *words = (struct words){0};
    column->most = column->words.count > 0 ? (uint32_t)column->words.count - 1 : 0;
}

/* Bins of equal width from the least to the largest; of whole numbers the width is whole. */
static void put_into_bins(struct coded_column *column, const struct coding *coding, struct span span, uint32_t *number,
                          struct words *words)
{
    const double range = span.high - span.low, bins = (double)coding->bins;
    const double width = span.whole ? ceil((range + 1) / bins) : range / bins;
    const size_t count = span.whole ? (size_t)(range / width) + 1 : coding->bins;

    for (size_t b = 0; b < count; b++) {
        const double low = span.low + (double)b * width, high = span.whole ? low + width - 1 : low + width;
        char *const word = high > low ? xformat("%.10g to %.10g", low, high) : xformat("%.10g", low);

        words_add(words, word, strlen(word));
        free(word);
    }
    for (size_t i = 0; i < column->words.count; i++) {
        const double at = floor((number_of(column->words.word[i], coding) - span.low) / width);

        number[i] = (uint32_t)fmin(at, (double)words->count - 1);
    }
}

struct frequent {
    uint64_t users;
    const char *word;
    size_t number;
};

static int by_users(const void *a, const void *b)
{
    const struct frequent *const x = a, *const y = b;

    return x->users != y->users ? (x->users < y->users) - (x->users > y->users) : strcmp(x->word, y->word);
}

static int by_word(const void *a, const void *b)
{
    return strcmp(((const struct frequent *)a)->word, ((const struct frequent *)b)->word);
}

/* The most frequent words in the order of their bytes, then one for all others. */
static void keep_frequent(struct coded_column *column, const struct coding *coding, uint32_t *number,
                          struct words *words)
{
    const size_t count = column->words.count;
    struct frequent *const frequent = xcalloc(count, sizeof *frequent);

    for (size_t i = 0; i < count; i++)
        frequent[i] = (struct frequent){0, column->words.word[i], i};
    for (size_t row = 0; row < column->rows; row++)
        if (column->value[row * column->stride] != CODING_EMPTY)
            frequent[column->value[row * column->stride]].users += column->users[row];
    qsort(frequent, count, sizeof *frequent, by_users);
    qsort(frequent, coding->other, sizeof *frequent, by_word);
    for (size_t i = 0; i < count; i++) {
        number[frequent[i].number] = (uint32_t)(i < coding->other ? i : coding->other);
        if (i < coding->other)
            words_add(words, frequent[i].word, strlen(frequent[i].word));
    }
    /* A word of the file may have that name: it is then another. */
    for (const char *name = "other"; words->count == coding->other; name = "all others")
        words_add(words, name, strlen(name));
    free(frequent);
}

static void make_numbers(struct coded_column *column, const struct coding *coding, uint32_t *number)
{
    struct words none = {0};
    uint32_t most = 0;

    for (size_t i = 0; i < column->words.count; i++) {
        number[i] = (uint32_t)number_of(column->words.word[i], coding);
        most = number[i] > most ? number[i] : most;
    }
    rename_words(column, &none, number);
    column->most = most;
}

enum coded coding_apply(struct coded_column *column, const struct coding *coding)
{
    const struct span span = span_of(column, coding);
    const size_t count = column->words.count;
    uint32_t *const number = xcalloc(count + 1, sizeof *number);
    struct words words = {0};
    enum coded coded = CODED_WORDS;

    if (span.numeric && coding->bins > 0 && count > coding->bins) {
        coded = CODED_IN_ORDER;
        put_into_bins(column, coding, span, number, &words);
    } else if (coding->other > 0 && count > coding->other) {
        coded = CODED_IN_ORDER;
        keep_frequent(column, coding, number, &words);
    } else if (span.numeric && span.whole && span.low >= 0 && span.high < 2147483648.0) {
        coded = CODED_NUMBERS;
        make_numbers(column, coding, number);
    } else if (count > 0) {
        column->most = (uint32_t)count - 1;
    }
    if (coded == CODED_IN_ORDER)
        rename_words(column, &words, number);
    words_clear(&words);
    free(number);
    return coded;
}

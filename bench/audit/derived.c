/* derived.c - features that are computed: bits and residues of words, of exclusive-ors, sums and differences of words;
 * the order of words, lengths, and repetition. There are thousands; those that tell the inputs apart on the learning
 * part are kept, where the words that they are made of do not tell it as well. */
#include "audit/features.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLACES_MAX = 9, /* decimal places of fractions that are counted in units of the last one */
    BITS = 64,
    MODULUS_MAX = 16,
    DIGITS = BITS + MODULUS_MAX - 2, /* the bits of a number, and its residues of 3 to 16 */
    COMMON = 720720,                 /* a multiple of all moduli */
    PAIRS_MAX = 32,    /* columns of which all pairs and ranges are looked at; of more, neighbours and all */
    NUMBERS_MAX = 8,   /* columns of which sums and differences are looked at as numbers */
    KEPT = 32,         /* features that are kept */
    WORK_MAX = 1 << 23 /* numbers that are computed of the learning part */
};

/* Standard deviations by which a derived feature must tell the inputs apart, and by how much more than its words. */
static const double Z_MIN = 3.5, Z_GAIN = 1.1;

/* ---- Words as whole numbers of 64 bits ---- */

/* A word that is whole is itself. A column of decimal fractions is counted in units of its last place; a column of any
 * other numbers is the bits of their doubles. A column of symbols is read as hexadecimal digits if all symbols are, and
 * otherwise as the last eight bytes of each. */
struct numbers {
    const struct audit_reports *reports;
    double *scale;       /* [columns] units of a column; NAN: the bits of its doubles */
    bool hexadecimal;    /* symbols are */
    uint64_t *xor_to[2]; /* [n][columns + 1] the exclusive-or of the words before; one that is missing is 0 */
};

/* Fractions with so many places differ from whole numbers of units by the rounding of their own text only. */
static bool is_decimal(double x, double scale)
{
    const double units = x * scale;

    return (scale == 1 && x == floor(x) && fabs(x) < 0x1p64) ||
           (fabs(units) < 0x1p51 && fabs(units - nearbyint(units)) <= 4 * 0x1p-52 * fabs(units));
}

static double scale_of_column(const struct audit_reports *reports, size_t column)
{
    double scale = 1;

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i++) {
            const double x = reports->word[side][i * reports->columns + column];

            while (audit_part_of(i) == AUDIT_LEARN && !isnan(x) && !is_decimal(x, scale)) {
                scale *= 10;
                if (scale > pow(10, PLACES_MAX))
                    return NAN;
            }
        }
    return scale;
}

static uint64_t number_of_symbol(const struct numbers *numbers, const char *text)
{
    const size_t length = strlen(text), width = numbers->hexadecimal ? 16 : 8;
    const char *const tail = length > width ? text + length - width : text;
    uint64_t number = 0;

    if (numbers->hexadecimal)
        return strtoull(tail, NULL, 16);
    for (const char *at = tail; *at; at++)
        number = number << 8 | (unsigned char)*at;
    return number;
}

/* The number of a report's word; at: its place among the words of an input. */
static uint64_t number_of(const struct numbers *numbers, size_t side, size_t at)
{
    const struct audit_reports *const reports = numbers->reports;
    const double x = reports->word[side][at], scale = numbers->scale[at % reports->columns];
    uint64_t pattern;

    if (isnan(x))
        return 0;
    if (reports->symbol)
        return number_of_symbol(numbers, reports->symbol[(size_t)x]);
    if (reports->whole[side] && scale == 1)
        return reports->whole[side][at];
    if (fabs(nearbyint(x * scale)) < 0x1p63)
        return (uint64_t)(int64_t)nearbyint(x * scale);
    memcpy(&pattern, &x, sizeof pattern);
    return pattern;
}

static struct numbers numbers_new(const struct audit_reports *reports)
{
    const size_t columns = reports->columns;
    struct numbers numbers = {
        .reports = reports, .scale = xcalloc(columns, sizeof *numbers.scale), .hexadecimal = reports->symbol != NULL};

    for (size_t i = 0; i < reports->symbols && numbers.hexadecimal; i++)
        numbers.hexadecimal = reports->symbol[i][strspn(reports->symbol[i], "0123456789abcdefABCDEF")] == '\0';
    for (size_t column = 0; column < columns; column++)
        numbers.scale[column] = reports->symbol ? 1 : scale_of_column(reports, column);
    for (size_t side = 0; side < 2; side++) {
        uint64_t *to = numbers.xor_to[side] = xmalloc(reports->n[side] * (columns + 1), sizeof *to);
        for (size_t i = 0; i < reports->n[side]; i++, to++) {
            *to = 0;
            for (size_t c = 0; c < columns; c++, to++)
                to[1] = to[0] ^ number_of(&numbers, side, i * columns + c);
        }
    }
    return numbers;
}

/* ---- Numbers that are computed from the words of a report ---- */

/* Of one word, of two, of those from one to another. */
enum rule { WORD, EXCLUSIVE_OR, SUM, DIFFERENCE, LESS, EQUAL, EXCLUSIVE_OR_OF_ALL, SUM_OF_ALL };

struct derived {
    enum rule rule;
    size_t a, b;    /* words */
    double largest; /* how well the best of the words that it is made of tells the inputs apart */
};

/* The number of report i; false if a word is missing. */
static bool compute(const struct derived *derived, const struct numbers *numbers, size_t side, size_t i,
                    uint64_t *number)
{
    const size_t columns = numbers->reports->columns, a = derived->a, b = derived->b;
    const uint64_t *const to = numbers->xor_to[side] + i * (columns + 1), x = to[a] ^ to[a + 1], y = to[b] ^ to[b + 1];
    const double *const word = numbers->reports->word[side] + i * columns, v = word[a], w = word[b];
    uint64_t sum = 0;

    for (size_t c = 0; derived->rule == SUM_OF_ALL && c < columns; c++)
        sum += to[c] ^ to[c + 1];
    const uint64_t results[] = {x, x ^ y, x + y, x - y, v < w, v == w, to[b + 1] ^ to[a], sum};

    *number = results[derived->rule];
    return derived->rule >= EXCLUSIVE_OR_OF_ALL || !(isnan(v) || isnan(w));
}

static bool is_question(enum rule rule)
{
    return rule == LESS || rule == EQUAL;
}

/* How many of a number's digits are looked at. */
static unsigned digits_of(enum rule rule)
{
    return is_question(rule)                                                         ? 1
           : rule == WORD || rule == SUM || rule == DIFFERENCE || rule == SUM_OF_ALL ? DIGITS
                                                                                     : BITS;
}

/* The values of a digit. */
static unsigned modulus_of(unsigned digit)
{
    return digit < BITS ? 2 : digit - BITS + 3;
}

struct list {
    struct derived *derived;
    size_t count, room;
};

static void add(struct list *list, enum rule rule, size_t a, size_t b, double largest)
{
    *ARRAY_ADD(list->derived, list->count, list->room) = (struct derived){rule, a, b, largest};
}

static struct list list_derived(const struct audit_reports *reports, const double *word_z)
{
    const size_t columns = reports->columns, last = columns - 1;
    struct list list = {0};
    double of_all = 0;

    for (size_t a = 0; a < columns; a++) {
        double within = word_z[a];

        of_all = fmax(of_all, word_z[a]);
        add(&list, WORD, a, a, within);
        for (size_t b = a + 1; b < columns && (columns <= PAIRS_MAX || b == a + 1); b++) {
            within = fmax(within, word_z[b]);
            for (enum rule rule = EXCLUSIVE_OR; rule <= EQUAL; rule++)
                if (!reports->text || !(rule == SUM || rule == DIFFERENCE))
                    add(&list, rule, a, b, fmax(word_z[a], word_z[b]));
            if (b > a + 1)
                add(&list, EXCLUSIVE_OR_OF_ALL, a, b, within);
        }
    }
    if (columns > PAIRS_MAX)
        add(&list, EXCLUSIVE_OR_OF_ALL, 0, last, of_all);
    if (columns > 2 && !reports->text)
        add(&list, SUM_OF_ALL, 0, last, of_all);
    return list;
}

/* ---- Which of them tell ---- */

/* A digit of a derived number. */
struct derived_digit {
    const struct derived *derived;
    unsigned digit;
    double z;
};

struct derived_digits {
    struct derived_digit *found;
    size_t count, room;
};

/* Reports of the learning part by each digit of a number. */
struct digit_tally {
    uint32_t n[2], count[2][DIGITS][MODULUS_MAX];
};

/* The residue of a number that may be negative; whole numbers of 2^53 and more are not. */
static uint32_t residue_of(const struct numbers *numbers, const struct derived *derived, uint64_t number)
{
    const bool negative = (int64_t)number < 0 && !(numbers->reports->whole[0] && derived->rule == WORD);

    return negative ? (uint32_t)(((int64_t)number % COMMON + COMMON) % COMMON) : (uint32_t)(number % COMMON);
}

static void count_number(struct digit_tally *tally, const struct numbers *numbers, const struct derived *derived,
                         size_t side, size_t i)
{
    uint64_t number;

    if (!compute(derived, numbers, side, i, &number))
        return;
    tally->n[side]++;
    for (unsigned bit = 0; bit < BITS; bit++)
        tally->count[side][bit][number >> bit & 1]++;
    const uint32_t residue = residue_of(numbers, derived, number);
    for (unsigned digit = BITS; digit < digits_of(derived->rule); digit++)
        tally->count[side][digit][residue % modulus_of(digit)]++;
}

/* Adds the digits that tell the inputs apart by the least. */
static void consider(struct derived_digits *digits, const struct digit_tally *tally, const struct derived *derived,
                     double least)
{
    for (unsigned digit = 0; tally->n[0] > 0 && tally->n[1] > 0 && digit < digits_of(derived->rule); digit++) {
        double z = 0;

        for (unsigned r = 0; r < modulus_of(digit); r++)
            z = fmax(z, fabs(audit_z(tally->count[0][digit][r], tally->n[0], tally->count[1][digit][r], tally->n[1])));
        if (z >= least)
            *ARRAY_ADD(digits->found, digits->count, digits->room) = (struct derived_digit){derived, digit, z};
    }
}

/* By z; of equal ones the simpler first. */
static int by_z(const void *a, const void *b)
{
    const struct derived_digit *const x = a, *const y = b;

    if (x->z != y->z)
        return x->z < y->z ? 1 : -1;
    return x->derived != y->derived ? (x->derived > y->derived) - (x->derived < y->derived)
                                    : (x->digit > y->digit) - (x->digit < y->digit);
}

static void add_words(struct buffer *name, const struct derived *derived)
{
    static const char *const words[][2] = {{"word ", NULL},
                                           {"the exclusive-or of words ", " and "},
                                           {"the sum of words ", " and "},
                                           {"word ", " - word "},
                                           {"word ", " < word "},
                                           {"word ", " = word "},
                                           {"the exclusive-or of words ", " to "},
                                           {"the sum of words ", " to "}};

    buffer_format(name, "%s%zu", words[derived->rule][0], derived->a + 1);
    if (words[derived->rule][1])
        buffer_format(name, "%s%zu", words[derived->rule][1], derived->b + 1);
}

static char *digit_name(const struct numbers *numbers, const struct derived_digit *digit)
{
    const bool question = is_question(digit->derived->rule), is_bit = digit->digit < BITS;
    const double scale = numbers->scale[digit->derived->a];
    struct buffer name = {0};

    if (!question && is_bit)
        buffer_format(&name, "bit %u of ", digit->digit);
    add_words(&name, digit->derived);
    if (question)
        return buffer_take(&name);
    if (numbers->reports->symbol)
        buffer_add(&name, numbers->hexadecimal ? " as hexadecimal" : ", its last 8 bytes");
    else if (isnan(scale))
        buffer_add(&name, " as the bits of a double");
    else if (scale > 1)
        buffer_format(&name, " times %g", scale);
    if (!is_bit)
        buffer_format(&name, " modulo %u", modulus_of(digit->digit));
    return buffer_take(&name);
}

/* A digit as a feature; code 0 is a report that lacks a word, or no. */
static void add_digit(struct audit_features *features, const struct numbers *numbers, const struct derived_digit *digit)
{
    struct audit_feature *const feature = audit_feature_add(features, AUDIT_DERIVED);
    const unsigned values = modulus_of(digit->digit);
    uint64_t number;

    feature->name = digit_name(numbers, digit);
    feature->question = is_question(digit->derived->rule);
    feature->codes = feature->question ? 2 : values + 1;
    feature->value = xcalloc(values, sizeof *feature->value);
    for (unsigned v = 0; v < values; v++)
        feature->value[v] = v;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++)
            if (compute(digit->derived, numbers, side, i, &number)) {
                number = digit->digit < BITS ? number >> digit->digit & 1
                                             : residue_of(numbers, digit->derived, number) % values;
                feature->code[side][i] = (uint16_t)(number + !feature->question);
            }
}

/* Of as many reports of the learning part as there is time for. */
static void add_digits(struct audit_features *features, const double *word_z)
{
    const struct audit_reports *const reports = features->reports;
    const struct numbers numbers = numbers_new(reports);
    const struct list list = list_derived(reports, word_z);
    const size_t most = WORK_MAX / list.count + AUDIT_REPORTS_MIN;
    struct derived_digits digits = {0};

    for (size_t k = 0; k < list.count; k++) {
        const struct derived *const derived = &list.derived[k];
        struct digit_tally tally = {0};

        for (size_t side = 0; side < 2; side++)
            for (size_t l = 0; l < most && audit_learned(l) < reports->n[side]; l++)
                count_number(&tally, &numbers, derived, side, audit_learned(l));
        consider(&digits, &tally, derived, fmax(Z_MIN, Z_GAIN * derived->largest));
    }
    if (digits.count > 0)
        qsort(digits.found, digits.count, sizeof *digits.found, by_z);
    for (size_t k = 0; k < smaller(digits.count, KEPT); k++)
        add_digit(features, &numbers, &digits.found[k]);
    free(digits.found);
    free(list.derived);
    free(numbers.scale);
    free(numbers.xor_to[0]);
    free(numbers.xor_to[1]);
}

/* ---- Features that are numbers: lengths, order ---- */

enum shape { WORDS, CHARACTERS, DISTINCT, RISES, LARGEST, SMALLEST, TOTAL, SHAPES };
static const char *const shape_names[SHAPES] = {
    "the number of words",           "the length of the report in bytes",
    "the number of different words", "the number of words above the one before",
    "the place of the largest word", "the place of the smallest word",
    "the sum of all words"};

/* The shapes of a report; sorted[columns] is scratch. Missing words are at the end. */
static void shapes_of(const struct audit_reports *reports, size_t side, size_t i, double *sorted, double shape[SHAPES])
{
    const double *const word = reports->word[side] + i * reports->columns;
    size_t count = 0, largest = 0, smallest = 0;

    memset(shape, 0, SHAPES * sizeof *shape);
    for (; count < reports->columns && !isnan(word[count]); count++) {
        shape[RISES] += count > 0 && word[count] > word[count - 1];
        largest = word[count] > word[largest] ? count : largest;
        smallest = word[count] < word[smallest] ? count : smallest;
        shape[TOTAL] += reports->text ? 0 : word[count];
    }
    memcpy(sorted, word, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_number);
    for (size_t c = 0; c < count; c++)
        shape[DISTINCT] += c == 0 || sorted[c] != sorted[c - 1];
    shape[WORDS] = (double)count;
    shape[CHARACTERS] = reports->characters[side] ? reports->characters[side][i] : 0;
    shape[LARGEST] = (double)largest + 1;
    shape[SMALLEST] = (double)smallest + 1;
}

/* Adds a feature of numbers x[n] of each input, a stride apart, if it tells them apart by the least. */
static void add_if_telling(struct audit_features *features, char *name, double *const x[2], size_t stride, double least)
{
    struct audit_feature *const feature = audit_feature_add(features, AUDIT_DERIVED);

    feature->name = name;
    feature->ordered = true;
    audit_encode(features, feature, x, stride);
    if (audit_z_of_feature(features, feature) < least)
        audit_feature_drop(features);
}

static void add_shapes(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;
    double *const sorted = xcalloc(reports->columns, sizeof *sorted),
                  (*const shape[2])[SHAPES] = {xcalloc(reports->n[0], sizeof **shape),
                                               xcalloc(reports->n[1], sizeof **shape)};

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i++)
            shapes_of(reports, side, i, sorted, shape[side][i]);
    for (enum shape at = 0; at < SHAPES; at++)
        add_if_telling(features, xstrdup(shape_names[at]), (double *const[]){shape[0][0] + at, shape[1][0] + at},
                       SHAPES, Z_MIN);
    free(shape[0]);
    free(shape[1]);
    free(sorted);
}

/* Sums and differences of two words as numbers: shares of a secret. */
static void add_shares(struct audit_features *features, const double *word_z)
{
    const struct audit_reports *const reports = features->reports;
    const size_t columns = reports->columns, pairs = reports->text || columns > NUMBERS_MAX ? 0 : columns * columns;
    double *const x[2] = {xcalloc(reports->n[0], sizeof **x), xcalloc(reports->n[1], sizeof **x)};

    for (size_t k = 0; k < 2 * pairs; k++) {
        const struct derived derived = {k % 2 ? DIFFERENCE : SUM, k / 2 / columns, k / 2 % columns, 0};
        const double largest = fmax(word_z[derived.a], word_z[derived.b]);
        struct buffer name = {0};

        if (derived.a >= derived.b)
            continue;
        add_words(&name, &derived);
        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < reports->n[side]; i++) {
                const double *const word = reports->word[side] + i * columns;
                x[side][i] = word[derived.a] + (k % 2 ? -word[derived.b] : word[derived.b]);
            }
        add_if_telling(features, buffer_take(&name), x, 1, fmax(Z_MIN, Z_GAIN * largest));
    }
    free(x[0]);
    free(x[1]);
}

/* Whether a report repeats the one before it. */
static void add_repetition(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;
    const size_t columns = reports->columns;
    struct audit_feature *const feature = audit_feature_add(features, AUDIT_DERIVED);

    feature->name = xstrdup("of two reports, the second repeats the first");
    feature->question = true;
    feature->users = 2;
    feature->codes = 2;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 1; i < reports->n[side]; i += 2)
            feature->code[side][i] = memcmp(reports->word[side] + i * columns, reports->word[side] + (i - 1) * columns,
                                            columns * sizeof *reports->word[side]) == 0;
}

void audit_derive(struct audit_features *features)
{
    const size_t columns = features->reports->columns;
    double *const word_z = xcalloc(columns, sizeof *word_z);

    for (size_t c = 0; c < columns; c++) /* features of words are the first */
        word_z[c] = audit_z_of_feature(features, &features->feature[c]);
    add_digits(features, word_z);
    add_shapes(features);
    add_shares(features, word_z);
    add_repetition(features);
    free(word_z);
}

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

/* ---- Numbers that are computed from the words of a report ---- */

/* Of one word, of two, of those from one to another. */
enum rule { WORD, EXCLUSIVE_OR, SUM, DIFFERENCE, LESS, EQUAL, EXCLUSIVE_OR_OF_ALL, SUM_OF_ALL };

struct derived {
    enum rule rule;
    size_t a, b; /* words */
};

/* Exact for words of 64 bits, and their sums. */
__extension__ typedef __int128 whole;

static whole whole_of(const struct audit_reports *reports, size_t side, size_t at)
{
    const uint64_t number = reports->number[side][at];

    return reports->word[side][at] < 0 ? (whole)(int64_t)number : (whole)number;
}

/* The number of report i; false if a word is missing. */
static bool compute(const struct derived *derived, const struct audit_reports *reports, size_t side, size_t i,
                    whole *number)
{
    const size_t a = i * reports->columns + derived->a, b = i * reports->columns + derived->b;
    const bool all = derived->rule >= EXCLUSIVE_OR_OF_ALL;
    const double v = reports->word[side][a], w = reports->word[side][b];
    const whole x = whole_of(reports, side, a), y = whole_of(reports, side, b);
    uint64_t exclusive_or = 0;
    whole sum = 0;

    for (size_t at = a; all && at <= b; at++) {
        exclusive_or ^= reports->number[side][at];
        sum += whole_of(reports, side, at);
    }
    const whole results[] = {x, (uint64_t)x ^ (uint64_t)y, x + y, x - y, v < w, v == w, exclusive_or, sum};
    *number = results[derived->rule];
    return all || !(isnan(v) || isnan(w));
}

static bool is_question(enum rule rule)
{
    return rule == LESS || rule == EQUAL;
}

/* How many of a number's digits are looked at. */
static unsigned digits_of(enum rule rule)
{
    return is_question(rule) ? 1 : rule == EXCLUSIVE_OR || rule == EXCLUSIVE_OR_OF_ALL ? BITS : DIGITS;
}

/* The values of a digit. */
static unsigned modulus_of(unsigned digit)
{
    return digit < BITS ? 2 : digit - BITS + 3;
}

/* ---- Which of them tell ---- */

/* A digit of a derived number. */
struct derived_digit {
    struct derived derived;
    unsigned digit;
    double z;
    size_t order; /* the simpler first */
};

struct digit_search {
    const struct audit_reports *reports;
    const struct audit_feature *word; /* [columns] */
    size_t listed, most; /* derived numbers; reports of each input of which they are computed, 0: they are counted */
    struct derived_digit *found;
    size_t count, room;
};

/* Reports of the learning part by each digit of a number. */
struct digit_tally {
    uint32_t n[2], count[2][DIGITS][MODULUS_MAX];
};

static unsigned residue_of(whole number)
{
    return (unsigned)((number % COMMON + COMMON) % COMMON);
}

/* Keeps the digits of a number that tell the inputs apart. */
static void try_number(struct digit_search *search, enum rule rule, size_t a, size_t b, double largest)
{
    const struct derived derived = {rule, a, b};
    struct digit_tally tally = {0};
    whole number;

    search->listed++;
    for (size_t side = 0; side < 2; side++)
        for (size_t l = 0, i; l < search->most && (i = audit_learned(l)) < search->reports->n[side]; l++)
            if (compute(&derived, search->reports, side, i, &number)) {
                const unsigned residue = residue_of(number);

                tally.n[side]++;
                for (unsigned bit = 0; bit < BITS; bit++)
                    tally.count[side][bit][(uint64_t)number >> bit & 1]++;
                for (unsigned digit = BITS; digit < digits_of(rule); digit++)
                    tally.count[side][digit][residue % modulus_of(digit)]++;
            }
    for (unsigned digit = 0; tally.n[0] > 0 && tally.n[1] > 0 && digit < digits_of(rule); digit++) {
        double z = 0;

        for (unsigned r = 0; r < modulus_of(digit); r++)
            z = fmax(z, audit_z(tally.count[0][digit][r], tally.n[0], tally.count[1][digit][r], tally.n[1]));
        if (z >= fmax(Z_MIN, Z_GAIN * largest))
            *ARRAY_ADD(search->found, search->count, search->room) =
                (struct derived_digit){derived, digit, z, search->count};
    }
}

static void try_numbers(struct digit_search *search)
{
    const struct audit_feature *const word = search->word;
    const size_t columns = search->reports->columns;
    const bool text = search->reports->symbol != NULL;
    double of_all = 0;

    for (size_t a = 0; a < columns; a++) {
        double within = word[a].z;

        of_all = fmax(of_all, word[a].z);
        try_number(search, WORD, a, a, within);
        for (size_t b = a + 1; b < columns && (columns <= PAIRS_MAX || b == a + 1); b++) {
            within = fmax(within, word[b].z);
            for (enum rule rule = EXCLUSIVE_OR; rule <= EQUAL; rule++)
                if (!text || !(rule == SUM || rule == DIFFERENCE))
                    try_number(search, rule, a, b, fmax(word[a].z, word[b].z));
            if (b > a + 1)
                try_number(search, EXCLUSIVE_OR_OF_ALL, a, b, within);
        }
    }
    if (columns > PAIRS_MAX)
        try_number(search, EXCLUSIVE_OR_OF_ALL, 0, columns - 1, of_all);
    if (columns > 2 && !text)
        try_number(search, SUM_OF_ALL, 0, columns - 1, of_all);
}

static int by_z(const void *a, const void *b)
{
    const struct derived_digit *const x = a, *const y = b;

    return x->z != y->z ? (x->z < y->z) - (x->z > y->z) : (x->order > y->order) - (x->order < y->order);
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

static char *digit_name(const struct audit_reports *reports, const struct derived_digit *digit)
{
    const bool question = is_question(digit->derived.rule), is_bit = digit->digit < BITS;
    struct buffer name = {0};

    if (!question && is_bit)
        buffer_format(&name, "bit %u of ", digit->digit);
    add_words(&name, &digit->derived);
    if (!question)
        buffer_add(&name, reports->unit ? reports->unit[digit->derived.a] : "");
    if (!is_bit)
        buffer_format(&name, " modulo %u", modulus_of(digit->digit));
    return buffer_take(&name);
}

static void add_digit(struct audit_features *features, const struct derived_digit *digit)
{
    const struct audit_reports *const reports = features->reports;
    whole number;

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i++)
            features->x[side][i] = !compute(&digit->derived, reports, side, i, &number) ? (double)NAN
                                   : digit->digit < BITS ? (double)((uint64_t)number >> digit->digit & 1)
                                                         : residue_of(number) % modulus_of(digit->digit);
    audit_feature_add(features, AUDIT_DERIVED, digit_name(reports, digit),
                      is_question(digit->derived.rule) ? AUDIT_QUESTION : 0, features->x, 1, 0);
}

/* Of as many reports of the learning part as there is time for. */
static void add_digits(struct audit_features *features)
{
    struct digit_search search = {.reports = features->reports, .word = features->feature};

    try_numbers(&search);
    search.most = WORK_MAX / (search.listed + (search.listed == 0)) + AUDIT_REPORTS_MIN;
    try_numbers(&search);
    if (search.count > 0)
        qsort(search.found, search.count, sizeof *search.found, by_z);
    for (size_t k = 0; k < smaller(search.count, KEPT); k++)
        add_digit(features, &search.found[k]);
    free(search.found);
}

/* ---- Features that are numbers: lengths, order ---- */

enum shape { WORDS, CHARACTERS, DISTINCT, RISES, LARGEST, SMALLEST, TOTAL, SHAPES };
static const char *const shape_names[SHAPES] = {
    "the number of words",           "the length of the report in bytes",
    "the number of different words", "the number of words above the one before",
    "the place of the largest word", "the place of the smallest word",
    "the sum of all words"};

/* A shape of a report; sorted[columns] is scratch. Missing words are at the end. */
static double shape_of(enum shape shape, const struct audit_reports *reports, size_t side, size_t i, double *sorted)
{
    const double *const word = reports->word[side] + i * reports->columns;
    size_t count = 0, rises = 0, largest = 0, smallest = 0;
    double total = 0;

    for (; count < reports->columns && !isnan(word[count]); count++) {
        rises += count > 0 && word[count] > word[count - 1];
        largest = word[count] > word[largest] ? count : largest;
        smallest = word[count] < word[smallest] ? count : smallest;
        total += reports->symbol ? 0 : word[count];
    }
    if (shape == TOTAL)
        return total;
    if (shape == DISTINCT) {
        memcpy(sorted, word, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_number);
        return (double)numbers_once(sorted, count);
    }
    const size_t shapes[] = {[WORDS] = count,
                             [CHARACTERS] = reports->row[side] ? reports->row[side][i].characters : 0,
                             [RISES] = rises,
                             [LARGEST] = largest + 1,
                             [SMALLEST] = smallest + 1};
    return (double)shapes[shape];
}

static void add_shapes(struct audit_features *features)
{
    double *const sorted = xcalloc(features->reports->columns, sizeof *sorted);

    for (enum shape shape = 0; shape < SHAPES; shape++) {
        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < features->reports->n[side]; i++)
                features->x[side][i] = shape_of(shape, features->reports, side, i, sorted);
        audit_feature_add(features, AUDIT_DERIVED, xstrdup(shape_names[shape]), AUDIT_ORDERED, features->x, 1, Z_MIN);
    }
    free(sorted);
}

/* Sums and differences of two words as numbers: shares of a secret. */
static void add_shares(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;
    const size_t columns = reports->symbol || reports->columns > NUMBERS_MAX ? 0 : reports->columns;

    for (size_t a = 0; a < columns; a++)
        for (size_t k = 2 * (a + 1); k < 2 * columns; k++) {
            const struct derived derived = {k % 2 ? DIFFERENCE : SUM, a, k / 2};
            struct buffer name = {0};

            add_words(&name, &derived);
            for (size_t side = 0; side < 2; side++)
                for (size_t i = 0; i < reports->n[side]; i++) {
                    const double *const word = reports->word[side] + i * columns;

                    features->x[side][i] = word[a] + (k % 2 ? -word[k / 2] : word[k / 2]);
                }
            audit_feature_add(features, AUDIT_DERIVED, buffer_take(&name), AUDIT_ORDERED, features->x, 1,
                              fmax(Z_MIN, Z_GAIN * fmax(features->feature[a].z, features->feature[k / 2].z)));
        }
}

/* Whether a report repeats the one before it. */
static void add_repetition(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;
    const size_t bytes = reports->columns * sizeof(double);

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i++) {
            const double *const word = reports->word[side] + i * reports->columns;

            features->x[side][i] = i % 2 == 1 && memcmp(word, word - reports->columns, bytes) == 0;
        }
    audit_feature_add(features, AUDIT_DERIVED, xstrdup("of two reports, the second repeats the first"),
                      AUDIT_QUESTION | AUDIT_OF_TWO, features->x, 1, 0);
}

void audit_derive(struct audit_features *features)
{
    add_digits(features);
    add_shapes(features);
    add_shares(features);
    add_repetition(features);
}

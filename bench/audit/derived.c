/* derived.c - features that are computed: bits and residues of words, exclusive-ors, sums and differences of words,
 * their order, lengths, and repetition. There are thousands; those that tell the inputs apart on the learning part are
 * kept, where the words that they are made of do not tell it as well. */
#include "audit/features.h"
#include "audit/parity.h"
#include "audit/rows.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BITS = 64,
    MODULUS_MIN = 3,
    MODULUS_MAX = 16,
    RESIDUES = 133,    /* of all moduli: 3 + .. + 16 */
    COMMON = 720720,   /* a multiple of all moduli */
    PAIRS_MAX = 32,    /* columns of which all pairs and ranges are looked at */
    NUMBERS_MAX = 8,   /* columns of which sums and differences are looked at as numbers */
    KEPT = 32,         /* features that are kept */
    TALLIES = 1 << 15, /* derived numbers that are counted at once: 52 MB */
    WORK_MAX = 1 << 23 /* numbers that are computed of the learning part */
};

/* Standard deviations by which a derived feature must tell the inputs apart, and by how much more than its words. */
static const double Z_MIN = 3.5, Z_GAIN = 1.1;

/* ---- Numbers that are computed from the words of a report ---- */

enum rule { WORD, EXCLUSIVE_OR, SUM, DIFFERENCE, LESS, EQUAL };

struct derived {
    enum rule rule;
    size_t from, to; /* words from .. to, both included */
    bool two;        /* these two words only, not those between them */
};

/* The number; false if one of two words is missing. */
static bool compute(const struct derived *derived, const struct audit_rows *rows, uint64_t *number)
{
    const size_t a = derived->from, b = derived->to;

    if (derived->two && (isnan(rows->word[a]) || isnan(rows->word[b])))
        return false;
    switch (derived->rule) {
    case WORD: *number = rows->number[a]; break;
    case EXCLUSIVE_OR:
        *number = derived->two ? rows->number[a] ^ rows->number[b] : rows->xor_to[b + 1] ^ rows->xor_to[a];
        break;
    case SUM: *number = derived->two ? rows->number[a] + rows->number[b] : rows->sum_to[b + 1] - rows->sum_to[a]; break;
    case DIFFERENCE: *number = rows->number[a] - rows->number[b]; break;
    case LESS: *number = rows->word[a] < rows->word[b]; break;
    case EQUAL: *number = rows->word[a] == rows->word[b]; break;
    }
    return true;
}

static bool is_question(enum rule rule)
{
    return rule == LESS || rule == EQUAL;
}

static bool has_residues(enum rule rule)
{
    return rule == WORD || rule == SUM || rule == DIFFERENCE;
}

struct list {
    struct derived *derived;
    size_t count, room;
};

static void add(struct list *list, enum rule rule, size_t from, size_t to, bool two)
{
    *ARRAY_ADD(list->derived, list->count, list->room) = (struct derived){rule, from, to, two};
}

static void add_two(struct list *list, const struct audit_reports *reports, size_t a, size_t b)
{
    for (enum rule rule = EXCLUSIVE_OR; rule <= EQUAL; rule++)
        if (!reports->text || !(rule == SUM || rule == DIFFERENCE))
            add(list, rule, a, b, true);
}

/* Words; ranges and pairs of words: all of a few, of many those at the ends and neighbours. */
static struct list list_derived(const struct audit_reports *reports)
{
    const size_t columns = reports->columns;
    struct list list = {0};

    for (size_t a = 0; a < columns; a++) {
        const bool all = columns <= PAIRS_MAX;

        add(&list, WORD, a, a, true);
        if (a + 1 < columns)
            add_two(&list, reports, a, a + 1);
        for (size_t b = all || a == 0 || a + 3 > columns ? a + 2 : columns - 1; b < columns; b++) {
            if (all)
                add_two(&list, reports, a, b);
            add(&list, EXCLUSIVE_OR, a, b, false);
        }
    }
    if (columns > 2 && !reports->text)
        add(&list, SUM, 0, columns - 1, false);
    return list;
}

/* ---- Which of them tell ---- */

/* Reports of the learning part that have a bit, or a residue. */
struct tally {
    uint32_t n[2], bit[2][BITS], residue[2][RESIDUES];
};

/* A derived number reduced to a bit, or to a residue. */
struct candidate {
    const struct derived *derived;
    unsigned bit, modulus; /* modulus 0: the bit */
    double z;
};

/* The residue of a number that may be negative; whole numbers of 2^53 and more are not. */
static uint32_t residue_of(const struct audit_rows *rows, const struct derived *derived, uint64_t number,
                           uint32_t modulus)
{
    const bool negative = (int64_t)number < 0 && !(rows->reports->whole[0] && derived->rule == WORD);

    return negative ? (uint32_t)(((int64_t)number % modulus + modulus) % modulus) : (uint32_t)(number % modulus);
}

static void count_number(struct tally *tally, const struct audit_rows *rows, const struct derived *derived, size_t side)
{
    uint64_t number;

    if (!compute(derived, rows, &number))
        return;
    tally->n[side]++;
    for (size_t bit = 0; bit < BITS; bit++)
        tally->bit[side][bit] += (uint32_t)(number >> bit & 1);
    if (!has_residues(derived->rule))
        return;
    const uint32_t common = residue_of(rows, derived, number, COMMON);
    for (uint32_t modulus = MODULUS_MIN, at = 0; modulus <= MODULUS_MAX; at += modulus++)
        tally->residue[side][at + common % modulus]++;
}

/* The derived numbers from .. to - 1 of as many reports of the learning part as there is time for. */
static void count_some(struct audit_rows *rows, const struct list *list, size_t from, size_t to, struct tally *tally)
{
    const size_t most = WORK_MAX / list->count + AUDIT_REPORTS_MIN;

    memset(tally, 0, (to - from) * sizeof *tally);
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0, counted = 0; i < rows->reports->n[side] && counted < most; i++) {
            if (audit_part_of(i) != AUDIT_LEARN)
                continue;
            counted++;
            audit_rows_load(rows, side, i);
            for (size_t k = from; k < to; k++)
                count_number(&tally[k - from], rows, &list->derived[k], side);
        }
}

static double z_of(const struct tally *tally, uint32_t a, uint32_t b)
{
    return tally->n[0] > 0 && tally->n[1] > 0 ? fabs(audit_z(a, tally->n[0], b, tally->n[1])) : 0;
}

struct candidates {
    struct candidate *candidate;
    size_t count, room;
};

static void consider(struct candidates *candidates, const struct tally *tally, const struct derived *derived,
                     double least)
{
    const unsigned bits = is_question(derived->rule) ? 1 : BITS;

    for (unsigned bit = 0; bit < bits; bit++) {
        const double z = z_of(tally, tally->bit[0][bit], tally->bit[1][bit]);

        if (z >= least)
            *ARRAY_ADD(candidates->candidate, candidates->count, candidates->room) =
                (struct candidate){derived, bit, 0, z};
    }
    for (unsigned modulus = MODULUS_MIN, at = 0; has_residues(derived->rule) && modulus <= MODULUS_MAX;
         at += modulus++) {
        double z = 0;

        for (unsigned r = 0; r < modulus; r++)
            z = fmax(z, z_of(tally, tally->residue[0][at + r], tally->residue[1][at + r]));
        if (z >= least)
            *ARRAY_ADD(candidates->candidate, candidates->count, candidates->room) =
                (struct candidate){derived, 0, modulus, z};
    }
}

/* By z; of equal ones the simpler first. */
static int by_z(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;

    if (x->z != y->z)
        return x->z < y->z ? 1 : -1;
    if (x->derived != y->derived)
        return x->derived < y->derived ? -1 : 1;
    return x->modulus != y->modulus ? (x->modulus > y->modulus) - (x->modulus < y->modulus)
                                    : (x->bit > y->bit) - (x->bit < y->bit);
}

/* ---- Names ---- */

static void words_text(const struct audit_rows *rows, const struct derived *derived, char *text, size_t size)
{
    const size_t a = derived->from + 1, b = derived->to + 1;
    const double scale = rows->scale[derived->from];
    char unit[40] = "";

    if (rows->reports->symbol && !is_question(derived->rule))
        snprintf(unit, sizeof unit, rows->hexadecimal ? " as hexadecimal" : ", its last 8 bytes");
    else if (isnan(scale) && !is_question(derived->rule))
        snprintf(unit, sizeof unit, " as the bits of a double");
    else if (scale > 1 && !is_question(derived->rule))
        snprintf(unit, sizeof unit, " times %g", scale);
    switch (derived->rule) {
    case WORD: snprintf(text, size, "word %zu%s", a, unit); break;
    case DIFFERENCE: snprintf(text, size, "word %zu - word %zu%s", a, b, unit); break;
    case LESS: snprintf(text, size, "word %zu < word %zu", a, b); break;
    case EQUAL: snprintf(text, size, "word %zu = word %zu", a, b); break;
    case EXCLUSIVE_OR:
    case SUM:
        snprintf(text, size, "the %s of words %zu %s %zu%s", derived->rule == SUM ? "sum" : "exclusive-or", a,
                 derived->two ? "and" : "to", b, unit);
        break;
    }
}

static char *candidate_name(const struct audit_rows *rows, const struct candidate *candidate)
{
    char words[120];

    words_text(rows, candidate->derived, words, sizeof words);
    return is_question(candidate->derived->rule) ? xstrdup(words)
           : candidate->modulus > 0              ? xformat("%s modulo %u", words, candidate->modulus)
                                                 : xformat("bit %u of %s", candidate->bit, words);
}

/* ---- Features of bits and residues ---- */

static void start_feature(struct audit_features *features, const struct audit_rows *rows,
                          const struct candidate *candidate)
{
    struct audit_feature *const feature = audit_feature_add(features, AUDIT_DERIVED);
    const unsigned values = candidate->modulus > 0 ? candidate->modulus : 2;

    feature->name = candidate_name(rows, candidate);
    feature->question = is_question(candidate->derived->rule);
    feature->codes = feature->question ? 2 : values + 1;
    feature->value = xcalloc(values, sizeof *feature->value);
    for (unsigned v = 0; v < values; v++)
        feature->value[v] = v;
}

static uint16_t code_of(const struct candidate *candidate, const struct audit_rows *rows)
{
    uint64_t number;

    if (!compute(candidate->derived, rows, &number))
        return 0;
    if (is_question(candidate->derived->rule))
        return (uint16_t)number;
    return (uint16_t)(1 + (candidate->modulus > 0 ? residue_of(rows, candidate->derived, number, candidate->modulus)
                                                  : number >> candidate->bit & 1));
}

/* The largest z of words 0 .. c, and of words c .. columns - 1. */
struct ends {
    double *to, *from;
    size_t columns;
};

static struct ends ends_of(const double *word_z, size_t columns)
{
    const struct ends ends = {xcalloc(columns, sizeof *ends.to), xcalloc(columns, sizeof *ends.from), columns};

    for (size_t c = 0; c < columns; c++) {
        const size_t back = columns - 1 - c;

        ends.to[c] = c > 0 ? fmax(ends.to[c - 1], word_z[c]) : word_z[c];
        ends.from[back] = c > 0 ? fmax(ends.from[back + 1], word_z[back]) : word_z[back];
    }
    return ends;
}

/* How well the best of the words that a number is made of tells the inputs apart. */
static double largest_z(const struct derived *derived, const double *word_z, const struct ends *ends)
{
    const size_t from = derived->from, to = derived->to;
    double largest = fmax(word_z[from], word_z[to]);

    if (derived->two)
        return largest;
    if (from == 0)
        return ends->to[to];
    if (to + 1 == ends->columns)
        return ends->from[from];
    for (size_t c = from; c <= to; c++)
        largest = fmax(largest, word_z[c]);
    return largest;
}

static void add_candidates(struct audit_features *features, struct audit_rows *rows, const double *word_z)
{
    const struct list list = list_derived(features->reports);
    const struct ends ends = ends_of(word_z, features->reports->columns);
    struct tally *const tally = xcalloc(smaller(list.count, TALLIES), sizeof *tally);
    struct candidates found = {0};

    for (size_t k = 0; k < list.count; k++) {
        const struct derived *const derived = &list.derived[k];
        const double least = fmax(Z_MIN, Z_GAIN * largest_z(derived, word_z, &ends));

        if (k % TALLIES == 0)
            count_some(rows, &list, k, smaller(k + TALLIES, list.count), tally);
        consider(&found, &tally[k % TALLIES], derived, least);
    }
    if (found.count > 0)
        qsort(found.candidate, found.count, sizeof *found.candidate, by_z);
    found.count = found.count < KEPT ? found.count : KEPT;
    const size_t first = features->count;
    for (size_t k = 0; k < found.count; k++)
        start_feature(features, rows, &found.candidate[k]);
    for (size_t side = 0; found.count > 0 && side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++) {
            audit_rows_load(rows, side, i);
            for (size_t k = 0; k < found.count; k++)
                features->feature[first + k].code[side][i] = code_of(&found.candidate[k], rows);
        }
    free(found.candidate);
    free(ends.to);
    free(ends.from);
    free(tally);
    free(list.derived);
}

/* ---- Features that are numbers: lengths, order, repetition, sums ---- */

enum shape { WORDS, CHARACTERS, DISTINCT, RISES, LARGEST, SMALLEST, TOTAL, SHAPES };
static const char *const shape_names[SHAPES] = {
    "the number of words",           "the length of the report in bytes",
    "the number of different words", "the number of words above the one before",
    "the place of the largest word", "the place of the smallest word",
    "the sum of all words"};

static double different_words(const double *word, size_t count, double *sorted)
{
    size_t different = 0;

    memcpy(sorted, word, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_number);
    for (size_t c = 0; c < count; c++)
        different += c == 0 || sorted[c] != sorted[c - 1];
    return (double)different;
}

/* The shape of a report; sorted[columns] is scratch. Missing words are at the end. */
static double shape_of(const struct audit_reports *reports, enum shape shape, size_t side, size_t i, double *sorted)
{
    const double *const word = reports->word[side] + i * reports->columns;
    size_t count = 0, rises = 0, largest = 0, smallest = 0;
    double sum = 0;

    for (; count < reports->columns && !isnan(word[count]); count++) {
        rises += count > 0 && word[count] > word[count - 1];
        largest = word[count] > word[largest] ? count : largest;
        smallest = word[count] < word[smallest] ? count : smallest;
        sum += word[count];
    }
    switch (shape) {
    case WORDS: return (double)count;
    case CHARACTERS: return reports->characters[side] ? reports->characters[side][i] : 0;
    case DISTINCT: return different_words(word, count, sorted);
    case RISES: return (double)rises;
    case LARGEST: return (double)largest + 1;
    case SMALLEST: return (double)smallest + 1;
    default: return reports->text ? 0 : sum;
    }
}

/* Computes the codes of the newest feature from x[n] of each input, and removes it if it tells no more than the least.
 */
static void keep_if_telling(struct audit_features *features, double *const x[2], double least)
{
    struct audit_feature *const feature = &features->feature[features->count - 1];

    audit_encode(features, feature, x, 1);
    if (audit_z_of_feature(features, feature) < least) {
        free(feature->name);
        free(feature->value);
        free(feature->code[0]);
        free(feature->code[1]);
        features->count--;
    }
}

static void add_shapes(struct audit_features *features, double *const x[2])
{
    const struct audit_reports *const reports = features->reports;
    double *const sorted = xcalloc(reports->columns, sizeof *sorted);

    for (enum shape shape = 0; shape < SHAPES; shape++) {
        struct audit_feature *const feature = audit_feature_add(features, AUDIT_DERIVED);

        feature->name = xstrdup(shape_names[shape]);
        feature->ordered = true;
        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < reports->n[side]; i++)
                x[side][i] = shape_of(reports, shape, side, i, sorted);
        keep_if_telling(features, x, Z_MIN);
    }
    free(sorted);
}

/* Sums and differences of two words as numbers: shares of a secret. */
static void add_shares(struct audit_features *features, const struct audit_rows *rows, const double *word_z,
                       double *const x[2])
{
    const struct audit_reports *const reports = features->reports;
    const size_t columns = reports->columns;

    for (size_t a = 0; columns <= NUMBERS_MAX && a < columns; a++)
        for (size_t b = a + 1; b < columns; b++)
            for (enum rule rule = SUM; rule <= DIFFERENCE; rule++) {
                struct audit_feature *const feature = audit_feature_add(features, AUDIT_DERIVED);
                char name[120];

                words_text(rows, &(struct derived){rule, a, b, true}, name, sizeof name);
                feature->name = xstrdup(name);
                feature->ordered = true;
                for (size_t side = 0; side < 2; side++)
                    for (size_t i = 0; i < reports->n[side]; i++) {
                        const double *const word = reports->word[side] + i * columns;

                        x[side][i] = rule == SUM ? word[a] + word[b] : word[a] - word[b];
                    }
                keep_if_telling(features, x, fmax(Z_MIN, Z_GAIN * fmax(word_z[a], word_z[b])));
            }
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
    const struct audit_reports *const reports = features->reports;
    struct audit_rows rows = audit_rows_new(reports);
    double *const word_z = xcalloc(reports->columns, sizeof *word_z), *const x[2] = {
                                                                          xcalloc(reports->n[0], sizeof **x),
                                                                          xcalloc(reports->n[1], sizeof **x)};

    for (size_t c = 0; c < reports->columns; c++) /* features of words are the first */
        word_z[c] = audit_z_of_feature(features, &features->feature[c]);
    add_candidates(features, &rows, word_z);
    audit_parities(features, &rows);
    add_shapes(features, x);
    if (!reports->text)
        add_shares(features, &rows, word_z, x);
    add_repetition(features);
    free(x[0]);
    free(x[1]);
    free(word_z);
    audit_rows_clear(&rows);
}

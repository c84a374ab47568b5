/* features.c - see features.h. */
#include "audit/features.h"

#include "ldpbench.h"
#include "numerics/numeric.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODES_MAX = 65000, /* values of a feature that are distinguished */
    BINS = 128,        /* bins of a feature with more values */
    HOLDS_MAX = 64     /* words that are searched at any position of a report */
};

void audit_part_sizes(const struct audit_reports *reports, enum audit_part part, size_t size[2])
{
    for (size_t side = 0; side < 2; side++) {
        const size_t from = part == AUDIT_LEARN    ? 0
                            : part == AUDIT_CHOOSE ? 2
                                                   : 4,
                     width = part == AUDIT_HELD_OUT ? 4 : 2, rest = reports->n[side] % 8,
                     more = rest > from ? rest - from : 0;

        size[side] = reports->n[side] / 8 * width + (more < width ? more : width);
    }
}

double audit_z(double a, double na, double b, double nb)
{
    const double pooled = (a + b) / (na + nb), variance = pooled * (1 - pooled) * (1 / na + 1 / nb);

    return variance > 0 ? (a / na - b / nb) / sqrt(variance) : 0;
}

void audit_count(const struct audit_features *features, const struct audit_feature *feature, enum audit_part part,
                 size_t *count)
{
    memset(count, 0, 2 * feature->codes * sizeof *count);
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++)
            if (audit_part_of(i) == part)
                count[side * feature->codes + feature->code[side][i]]++;
}

double audit_z_of_feature(const struct audit_features *features, const struct audit_feature *feature)
{
    size_t size[2], above[2] = {0, 0}, *const count = xcalloc(2 * feature->codes, sizeof *count);
    double best = 0;

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    audit_count(features, feature, AUDIT_LEARN, count);
    for (size_t c = feature->codes; c-- > 0;) {
        const size_t a = count[c], b = count[feature->codes + c];

        above[0] += a;
        above[1] += b;
        best = fmax(best, fabs(audit_z((double)a, (double)size[0], (double)b, (double)size[1])));
        if (feature->ordered && c > 0)
            best = fmax(best, fabs(audit_z((double)above[0], (double)size[0], (double)above[1], (double)size[1])));
    }
    free(count);
    return best;
}

/* ---- Codes ---- */

struct audit_feature *audit_feature_add(struct audit_features *features, enum audit_kind kind)
{
    struct audit_feature *const feature = ARRAY_ADD(features->feature, features->count, features->room);

    *feature = (struct audit_feature){.kind = kind, .users = 1};
    for (size_t side = 0; side < 2; side++)
        feature->code[side] = xcalloc(features->reports->n[side], sizeof *feature->code[side]);
    return feature;
}

void audit_feature_drop(struct audit_features *features)
{
    struct audit_feature *const feature = &features->feature[--features->count];

    free(feature->value);
    free(feature->name);
    free(feature->code[0]);
    free(feature->code[1]);
}

/* The numbers of the learning part without NAN, in increasing order. */
static double *numbers_of(const struct audit_features *features, double *const x[2], size_t stride, size_t *count)
{
    size_t size[2], n = 0;

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    double *const number = xcalloc((size[0] + size[1]) * 2, sizeof *number);
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0, i; (i = audit_learned(k)) < features->reports->n[side]; k++)
            if (!isnan(x[side][i * stride]))
                number[n++] = x[side][i * stride];
    ldp_sort(number, n, number + size[0] + size[1]);
    *count = n;
    return number;
}

static size_t different(const double *number, size_t count)
{
    size_t result = count > 0;

    for (size_t i = 1; i < count; i++)
        result += number[i] != number[i - 1];
    return result;
}

/* How many of the sorted values are at most x. */
static size_t number_up_to(const double *value, size_t count, double x)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (value[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void audit_encode(const struct audit_features *features, struct audit_feature *feature, double *const x[2],
                  size_t stride)
{
    size_t size[2];

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    size_t count;
    feature->value = numbers_of(features, x, stride, &count);
    const size_t values = different(feature->value, count);
    feature->binned = feature->ordered && values > BINS && (values > CODES_MAX || values > (size[0] + size[1]) / 8);
    if (feature->binned) {
        const double largest = feature->value[count - 1];

        for (size_t bin = 0; bin < BINS; bin++)
            feature->value[bin] = feature->value[bin * count / BINS];
        feature->value[BINS] = largest;
        count = BINS + 1;
    }
    count = numbers_once(feature->value, count);
    count = count < CODES_MAX ? count : CODES_MAX;
    feature->codes = (uint32_t)count + 1;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++) {
            const double number = x[side][i * stride];
            const size_t code = isnan(number) ? 0 : number_up_to(feature->value, count, number);
            const bool known = code > 0 && (feature->binned || feature->value[code - 1] == number);

            feature->code[side][i] = known ? (uint16_t)code : 0;
        }
}

static void add_words(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;

    for (size_t column = 0; column < reports->columns; column++) {
        struct audit_feature *const feature = audit_feature_add(features, AUDIT_WORD);
        double *const x[2] = {reports->word[0] + column, reports->word[1] + column};

        feature->column = column;
        feature->ordered = !reports->text;
        audit_encode(features, feature, x, reports->columns);
    }
}

/* ---- Words anywhere in a report ---- */

static bool holds(const struct audit_reports *reports, size_t side, size_t i, double word)
{
    const double *const row = reports->word[side] + i * reports->columns;

    for (size_t c = 0; c < reports->columns; c++)
        if (row[c] == word)
            return true;
    return false;
}

struct scored_word {
    double word, z;
};

static int by_z(const void *a, const void *b)
{
    const struct scored_word *const x = a, *const y = b;
    const double zx = fabs(x->z), zy = fabs(y->z);

    return zx != zy ? (zx < zy) - (zx > zy) : (x->word > y->word) - (x->word < y->word);
}

/* Finds the words that distinguish the inputs best on the learning part; returns their number. */
static size_t telling_words(const struct audit_features *features, struct scored_word best[HOLDS_MAX])
{
    const struct audit_reports *const reports = features->reports;
    size_t size[2], entries = 0;

    audit_part_sizes(reports, AUDIT_LEARN, size);
    const size_t room = (size[0] + size[1]) * reports->columns;
    double *const value = xcalloc(2 * room, sizeof *value);
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0, i; (i = audit_learned(k)) < reports->n[side]; k++)
            for (size_t c = 0; c < reports->columns; c++)
                if (!isnan(reports->word[side][i * reports->columns + c]))
                    value[entries++] = reports->word[side][i * reports->columns + c];
    ldp_sort(value, entries, value + room);
    const size_t count = numbers_once(value, entries);
    size_t *const held = xcalloc(2 * count + 1, sizeof *held), *const last = xcalloc(count + 1, sizeof *last),
                  stamp = 0;
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0, i; (i = audit_learned(k)) < reports->n[side]; k++) {
            stamp++;
            for (size_t c = 0; c < reports->columns; c++) {
                const double word = reports->word[side][i * reports->columns + c];

                if (isnan(word))
                    continue;
                const size_t at = number_up_to(value, count, word) - 1;
                held[2 * at + side] += last[at] != stamp;
                last[at] = stamp;
            }
        }
    struct scored_word *const found = xcalloc(count + 1, sizeof *found);
    for (size_t k = 0; k < count; k++)
        found[k] = (struct scored_word){
            value[k], audit_z((double)held[2 * k], (double)size[0], (double)held[2 * k + 1], (double)size[1])};
    qsort(found, count, sizeof *found, by_z);
    const size_t result = count < HOLDS_MAX ? count : HOLDS_MAX;
    memcpy(best, found, result * sizeof *best);
    free(found);
    free(last);
    free(held);
    free(value);
    return result;
}

static void add_holds(struct audit_features *features)
{
    struct scored_word best[HOLDS_MAX];
    const size_t count = telling_words(features, best);

    for (size_t k = 0; k < count; k++) {
        struct audit_feature *const feature = audit_feature_add(features, AUDIT_HOLDS);

        feature->word = best[k].word;
        feature->codes = 2;
        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < features->reports->n[side]; i++)
                feature->code[side][i] = holds(features->reports, side, i, best[k].word);
    }
}

/* ---- Scores ---- */

/* Adds a computed feature: numbers x[n] of each input, which it frees. */
static void add_made(struct audit_features *features, enum audit_kind kind, double *const x[2])
{
    struct audit_feature *const feature = audit_feature_add(features, kind);

    feature->ordered = kind == AUDIT_SCORE;
    audit_encode(features, feature, x, 1);
    free(x[0]);
    free(x[1]);
}

/* Each whole report as one symbol, identified by a fingerprint. */
static void add_whole(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;
    double *x[2];

    for (size_t side = 0; side < 2; side++) {
        x[side] = xcalloc(reports->n[side], sizeof *x[side]);
        for (size_t i = 0; i < reports->n[side]; i++)
            x[side][i] =
                (double)(ldp_fingerprint(reports->word[side] + i * reports->columns, reports->columns * sizeof *x[side])
                             .lo >>
                         11);
    }
    add_made(features, AUDIT_WHOLE, x);
}

/* Adds to x, for each report, the logarithm of the ratio of its code's shares under the two inputs in the learning
 * part; adds nothing if the ratio is within noise. */
static void add_ratios(const struct audit_features *features, const struct audit_feature *feature, double *const x[2])
{
    size_t size[2], *const count = xcalloc(2 * feature->codes, sizeof *count);
    double *const ratio = xcalloc(feature->codes, sizeof *ratio);

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    audit_count(features, feature, AUDIT_LEARN, count);
    for (size_t c = 0; c < feature->codes; c++) {
        const double a = (double)count[c], b = (double)count[feature->codes + c], na = (double)size[0],
                     nb = (double)size[1];

        ratio[c] = fabs(audit_z(a, na, b, nb)) < 2.5 ? 0 : log((a + .5) / (na + 1)) - log((b + .5) / (nb + 1));
    }
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++)
            x[side][i] += ratio[feature->code[side][i]];
    free(count);
    free(ratio);
}

/* The likelihood ratio of a report if its features of one kind were independent. */
static void add_score(struct audit_features *features, enum audit_kind of)
{
    double *const x[2] = {xcalloc(features->reports->n[0], sizeof **x), xcalloc(features->reports->n[1], sizeof **x)};

    for (size_t i = 0; i < features->count; i++)
        if (features->feature[i].kind == of)
            add_ratios(features, &features->feature[i], x);
    add_made(features, AUDIT_SCORE, x);
}

struct audit_features audit_features_new(const struct audit_reports *reports)
{
    struct audit_features features = {.reports = reports};

    add_words(&features);
    if (reports->list)
        add_holds(&features);
    add_whole(&features);
    add_score(&features, AUDIT_WORD);
    if (reports->list)
        add_score(&features, AUDIT_HOLDS);
    add_score(&features, AUDIT_WHOLE);
    if (reports->raw)
        audit_derive(&features);
    return features;
}

void audit_features_clear(struct audit_features *features)
{
    while (features->count > 0)
        audit_feature_drop(features);
    free(features->feature);
    *features = (struct audit_features){0};
}

/* features.c - see features.h. */
#include "audit/features.h"

#include "ldpbench.h"
#include "numerics/numeric.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

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
        size[side] = 0;
        for (size_t i = 0; i < reports->n[side]; i++)
            size[side] += audit_part_of(i) == part;
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

struct audit_range *audit_ranges(const struct audit_features *features, const struct audit_feature *feature,
                                 size_t *ranges)
{
    const size_t codes = feature->codes;
    size_t size[2], *const count = xcalloc(2 * codes, sizeof *count);
    struct audit_range *const range = xcalloc(2 * codes, sizeof *range);
    double above[2] = {0, 0};

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    audit_count(features, feature, AUDIT_LEARN, count);
    *ranges = 0;
    for (size_t c = codes; c-- > 0;) {
        const double a = (double)count[c], b = (double)count[codes + c], n = (double)size[0], m = (double)size[1];

        above[0] += a;
        above[1] += b;
        if (a + b > 0 && !(codes == 2 && c == 0))
            range[(*ranges)++] = (struct audit_range){feature, (uint32_t)c, (uint32_t)c + 1, audit_z(a, n, b, m)};
        if (feature->ordered && c > 0 && c + 1 < codes && above[0] + above[1] > a + b)
            range[(*ranges)++] =
                (struct audit_range){feature, (uint32_t)c, (uint32_t)codes, audit_z(above[0], n, above[1], m)};
    }
    free(count);
    return range;
}

double audit_z_of_feature(const struct audit_features *features, const struct audit_feature *feature)
{
    size_t ranges;
    struct audit_range *const range = audit_ranges(features, feature, &ranges);
    double best = 0;

    for (size_t i = 0; i < ranges; i++)
        best = fmax(best, fabs(range[i].z));
    free(range);
    return best;
}

/* ---- Codes ---- */

char *audit_word_text(char *const *symbol, double word)
{
    char number[NUMBER_TEXT];

    return xstrdup(symbol        ? SHOWN(symbol[(size_t)word])
                   : isinf(word) ? word > 0 ? "inf" : "-inf"
                                 : format_number(word, number));
}

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

/* The numbers of the learning part without NAN, in increasing order, and how many different ones there are. */
static double *numbers_of(const struct audit_features *features, double *const x[2], size_t stride, size_t *count,
                          size_t *different)
{
    size_t size[2], n = 0;

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    double *const number = xcalloc((size[0] + size[1]) * 2, sizeof *number), *const scratch =
                                                                                 number + size[0] + size[1];
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0, i; (i = audit_learned(k)) < features->reports->n[side]; k++)
            if (!isnan(x[side][i * stride]))
                number[n++] = x[side][i * stride];
    ldp_sort(number, n, scratch);
    memcpy(scratch, number, n * sizeof *number);
    *count = n;
    *different = numbers_once(scratch, n);
    return number;
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
    size_t count, values;
    feature->value = numbers_of(features, x, stride, &count, &values);
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

        feature->name = reports->of ? xstrdup(reports->of[column]) : xformat("word %zu", column + 1);
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

/* A word of a report of the learning part; then, of all reports that hold it, how well it tells the inputs apart. */
struct held_word {
    double word, z;
    size_t report; /* twice the report's number, 1 more for the second input */
};

static int by_word(const void *a, const void *b)
{
    const struct held_word *const x = a, *const y = b;

    return x->word != y->word ? (x->word > y->word) - (x->word < y->word)
                              : (x->report > y->report) - (x->report < y->report);
}

static int by_z(const void *a, const void *b)
{
    const struct held_word *const x = a, *const y = b;
    const double zx = fabs(x->z), zy = fabs(y->z);

    return zx != zy ? (zx < zy) - (zx > zy) : (x->word > y->word) - (x->word < y->word);
}

/* Finds the words that distinguish the inputs best on the learning part; returns their number. */
static size_t telling_words(const struct audit_features *features, struct held_word best[HOLDS_MAX])
{
    const struct audit_reports *const reports = features->reports;
    size_t size[2], entries = 0, count = 0;

    audit_part_sizes(reports, AUDIT_LEARN, size);
    struct held_word *const entry = xcalloc((size[0] + size[1]) * reports->columns + 1, sizeof *entry);
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0, i; (i = audit_learned(k)) < reports->n[side]; k++)
            for (size_t c = 0; c < reports->columns; c++)
                if (!isnan(reports->word[side][i * reports->columns + c]))
                    entry[entries++] =
                        (struct held_word){reports->word[side][i * reports->columns + c], 0, 2 * i + side};
    qsort(entry, entries, sizeof *entry, by_word);
    for (size_t at = 0; at < entries;) {
        const double word = entry[at].word;
        double held[2] = {0, 0};

        for (size_t last = SIZE_MAX; at < entries && entry[at].word == word; last = entry[at++].report)
            held[entry[at].report % 2] += entry[at].report != last;
        entry[count++] = (struct held_word){word, audit_z(held[0], (double)size[0], held[1], (double)size[1]), 0};
    }
    qsort(entry, count, sizeof *entry, by_z);
    count = smaller(count, HOLDS_MAX);
    memcpy(best, entry, count * sizeof *best);
    free(entry);
    return count;
}

static void add_holds(struct audit_features *features)
{
    struct held_word best[HOLDS_MAX];
    const size_t count = telling_words(features, best);

    for (size_t k = 0; k < count; k++) {
        struct audit_feature *const feature = audit_feature_add(features, AUDIT_HOLDS);

        char *const word = audit_word_text(features->reports->symbol, best[k].word);
        feature->name = xformat("the report holds %s", word);
        feature->question = true;
        feature->codes = 2;
        free(word);
        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < features->reports->n[side]; i++)
                feature->code[side][i] = holds(features->reports, side, i, best[k].word);
    }
}

/* ---- Scores ---- */

/* Adds a computed feature: numbers x[n] of each input, which it frees. */
static void add_made(struct audit_features *features, enum audit_kind kind, const char *name, double *const x[2])
{
    struct audit_feature *const feature = audit_feature_add(features, kind);

    feature->name = xstrdup(name);
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
    add_made(features, AUDIT_WHOLE, reports->of ? "all that is looked at" : "the report", x);
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
    add_made(features, AUDIT_SCORE, "the learned log ratio", x);
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

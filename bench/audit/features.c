/* features.c - see features.h. */
#include "audit/features.h"

#include "ldpbench.h"
#include "numeric.h"

#include <assert.h>
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
        const size_t whole = reports->n[side] / 4, rest = reports->n[side] % 4;

        size[side] = part == AUDIT_LEARN    ? whole + (rest > 0)
                     : part == AUDIT_CHOOSE ? whole + (rest > 1)
                                            : 2 * whole + (rest > 2);
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

/* ---- Codes ---- */

/* The next feature, with room for codes. */
static struct audit_feature *next_feature(struct audit_features *features)
{
    if (features->count == features->room) {
        const size_t room = 2 * features->room + 64;
        struct audit_feature *const feature = realloc(features->feature, room * sizeof *feature);

        if (!feature)
            return NULL;
        features->feature = feature;
        features->room = room;
    }
    struct audit_feature *const feature = &features->feature[features->count];
    *feature = (struct audit_feature){0};
    features->count++;
    for (size_t side = 0; side < 2; side++) {
        feature->code[side] = malloc(features->reports->n[side] * sizeof *feature->code[side]);
        if (!feature->code[side])
            return NULL;
    }
    return feature;
}

/* The numbers of the learning part without NAN, in increasing order. */
static double *numbers_of(const struct audit_features *features, double *const x[2], size_t stride, size_t *count)
{
    size_t size[2], n = 0;

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    double *const number = malloc((size[0] + size[1]) * 2 * sizeof *number);
    if (!number)
        return NULL;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i += 4)
            if (!isnan(x[side][i * stride]))
                number[n++] = x[side][i * stride];
    ldp_sort(number, n, number + size[0] + size[1]);
    *count = n;
    return number;
}

/* Removes duplicates from sorted numbers; returns how many are left. */
static size_t once(double *number, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (kept == 0 || number[i] != number[kept - 1])
            number[kept++] = number[i];
    return kept;
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

/* Computes the codes of a feature from the numbers x[n], a stride apart. If there are too many different numbers, they
 * are put into bins with equally many reports each; the largest number has a bin of its own. */
static int encode(const struct audit_features *features, struct audit_feature *feature, double *const x[2],
                  size_t stride)
{
    size_t size[2];

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    size_t count;
    feature->value = numbers_of(features, x, stride, &count);
    if (!feature->value)
        return -1;
    const size_t values = different(feature->value, count);
    feature->binned = feature->ordered && values > BINS && (values > CODES_MAX || values > (size[0] + size[1]) / 8);
    if (feature->binned) {
        const double largest = feature->value[count - 1];

        for (size_t bin = 0; bin < BINS; bin++)
            feature->value[bin] = feature->value[bin * count / BINS];
        feature->value[BINS] = largest;
        count = BINS + 1;
    }
    count = once(feature->value, count);
    count = count < CODES_MAX ? count : CODES_MAX;
    feature->codes = (uint32_t)count + 1;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++) {
            const double number = x[side][i * stride];
            const size_t code = isnan(number) ? 0 : number_up_to(feature->value, count, number);
            const bool known = code > 0 && (feature->binned || feature->value[code - 1] == number);

            feature->code[side][i] = known ? (uint16_t)code : 0;
        }
    return 0;
}

static int add_words(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;

    for (size_t column = 0; column < reports->columns; column++) {
        struct audit_feature *const feature = next_feature(features);

        if (!feature)
            return -1;
        feature->kind = AUDIT_WORD;
        feature->column = column;
        feature->ordered = !reports->text;
        double *const x[2] = {reports->word[0] + column, reports->word[1] + column};
        if (encode(features, feature, x, reports->columns) != 0)
            return -1;
    }
    return 0;
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

struct found {
    double word, z;
};

static int by_z(const void *a, const void *b)
{
    const struct found *const x = a, *const y = b;
    const double zx = fabs(x->z), zy = fabs(y->z);

    return zx != zy ? (zx < zy) - (zx > zy) : (x->word > y->word) - (x->word < y->word);
}

/* Finds the words that distinguish the inputs best on the learning part: their number, or SIZE_MAX if out of memory. */
static size_t telling_words(const struct audit_features *features, struct found best[HOLDS_MAX])
{
    const struct audit_reports *const reports = features->reports;
    size_t size[2], entries = 0, count = 0;

    audit_part_sizes(reports, AUDIT_LEARN, size);
    const size_t room = (size[0] + size[1]) * reports->columns;
    double *const value = malloc(2 * room * sizeof *value);
    size_t *held = NULL, *last = NULL;
    struct found *found = NULL;
    size_t result = SIZE_MAX;

    if (!value)
        goto out;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i += 4)
            for (size_t c = 0; c < reports->columns; c++)
                if (!isnan(reports->word[side][i * reports->columns + c]))
                    value[entries++] = reports->word[side][i * reports->columns + c];
    ldp_sort(value, entries, value + room);
    count = once(value, entries);
    held = calloc(2 * count + 1, sizeof *held);
    last = calloc(count + 1, sizeof *last);
    found = calloc(count + 1, sizeof *found);
    if (!held || !last || !found)
        goto out;
    size_t stamp = 0;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i += 4) {
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
    for (size_t k = 0; k < count; k++)
        found[k] = (struct found){
            value[k], audit_z((double)held[2 * k], (double)size[0], (double)held[2 * k + 1], (double)size[1])};
    qsort(found, count, sizeof *found, by_z);
    result = count < HOLDS_MAX ? count : HOLDS_MAX;
    memcpy(best, found, result * sizeof *best);
out:
    free(found);
    free(last);
    free(held);
    free(value);
    return result;
}

static int add_holds(struct audit_features *features)
{
    struct found best[HOLDS_MAX];
    const size_t count = telling_words(features, best);

    if (count == SIZE_MAX)
        return -1;
    for (size_t k = 0; k < count; k++) {
        struct audit_feature *const feature = next_feature(features);

        if (!feature)
            return -1;
        feature->kind = AUDIT_HOLDS;
        feature->word = best[k].word;
        feature->codes = 2;
        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < features->reports->n[side]; i++)
                feature->code[side][i] = holds(features->reports, side, i, best[k].word);
    }
    return 0;
}

/* ---- Scores ---- */

/* Adds a computed feature: numbers x[n] of each input, which it frees. */
static int add_made(struct audit_features *features, enum audit_kind kind, double *const x[2])
{
    struct audit_feature *const feature = x[0] && x[1] ? next_feature(features) : NULL;
    int result = -1;

    if (feature) {
        feature->kind = kind;
        feature->ordered = kind == AUDIT_SCORE;
        result = encode(features, feature, x, 1);
    }
    free(x[0]);
    free(x[1]);
    return result;
}

/* Each whole report as one symbol, identified by a fingerprint. */
static int add_whole(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;
    double *x[2];

    for (size_t side = 0; side < 2; side++) {
        x[side] = malloc(reports->n[side] * sizeof *x[side]);
        for (size_t i = 0; x[side] && i < reports->n[side]; i++)
            x[side][i] =
                (double)(ldp_fingerprint(reports->word[side] + i * reports->columns, reports->columns * sizeof *x[side])
                             .lo >>
                         11);
    }
    return add_made(features, AUDIT_WHOLE, x);
}

/* Adds to x, for each report, the logarithm of the ratio of its code's shares under the two inputs in the learning
 * part; adds nothing if the ratio is within noise. */
static int add_ratios(const struct audit_features *features, const struct audit_feature *feature, double *const x[2])
{
    size_t size[2], *const count = malloc(2 * feature->codes * sizeof *count);
    double *const ratio = malloc(feature->codes * sizeof *ratio);

    audit_part_sizes(features->reports, AUDIT_LEARN, size);
    if (count && ratio) {
        audit_count(features, feature, AUDIT_LEARN, count);
        for (size_t c = 0; c < feature->codes; c++) {
            const double a = (double)count[c], b = (double)count[feature->codes + c], na = (double)size[0],
                         nb = (double)size[1];

            ratio[c] = fabs(audit_z(a, na, b, nb)) < 2.5 ? 0 : log((a + .5) / (na + 1)) - log((b + .5) / (nb + 1));
        }
        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < features->reports->n[side]; i++)
                x[side][i] += ratio[feature->code[side][i]];
    }
    free(count);
    free(ratio);
    return count && ratio ? 0 : -1;
}

/* The likelihood ratio of a report if its features of one kind were independent. */
static int add_score(struct audit_features *features, enum audit_kind of)
{
    const size_t count = features->count;
    double *const x[2] = {calloc(features->reports->n[0], sizeof **x), calloc(features->reports->n[1], sizeof **x)};
    bool any = false;

    for (size_t i = 0; x[0] && x[1] && i < count; i++)
        if (features->feature[i].kind == of) {
            any = true;
            if (add_ratios(features, &features->feature[i], x) != 0) {
                free(x[0]);
                free(x[1]);
                return -1;
            }
        }
    if (any || !x[0] || !x[1])
        return add_made(features, AUDIT_SCORE, x);
    free(x[0]);
    free(x[1]);
    return 0;
}

int audit_features_new(const struct audit_reports *reports, struct audit_features *features, struct failure *failure)
{
    *features = (struct audit_features){.reports = reports};
    if (add_words(features) != 0 || (reports->list && add_holds(features) != 0) || add_whole(features) != 0 ||
        add_score(features, AUDIT_WORD) != 0 || (reports->list && add_score(features, AUDIT_HOLDS) != 0) ||
        add_score(features, AUDIT_WHOLE) != 0)
        return fail_memory(failure);
    return 0;
}

void audit_features_clear(struct audit_features *features)
{
    for (size_t i = 0; i < features->count; i++) {
        free(features->feature[i].value);
        free(features->feature[i].code[0]);
        free(features->feature[i].code[1]);
    }
    free(features->feature);
    *features = (struct audit_features){0};
}

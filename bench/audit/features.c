/* features.c - see features.h. */
#include "audit/features.h"

#include "ldp.h"
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

double audit_z(double a, double na, double b, double nb)
{
    const double pooled = (a + b) / (na + nb), variance = pooled * (1 - pooled) * (1 / na + 1 / nb);

    return variance > 0 ? fabs(a / na - b / nb) / sqrt(variance) : 0;
}

/* The reports of two parts with each code, [part][input][codes]: those that learn and those that choose. Malloc'd. */
static size_t *count_codes(const struct audit_features *features, const struct audit_feature *feature)
{
    size_t *const count = xcalloc(4 * (size_t)feature->codes, sizeof *count);

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++)
            if (audit_part_of(i) != AUDIT_HELD_OUT)
                count[(2 * audit_part_of(i) + side) * feature->codes + feature->code[side][i]]++;
    return count;
}

struct audit_range *audit_ranges(const struct audit_features *features, const struct audit_feature *feature,
                                 size_t *ranges)
{
    const uint32_t codes = feature->codes;
    const double n = (double)features->size[AUDIT_LEARN][0], m = (double)features->size[AUDIT_LEARN][1];
    size_t *const count = count_codes(features, feature);
    struct audit_range *const range = xcalloc(2 * (size_t)codes, sizeof *range);
    double of[4], above[4] = {0}; /* as count has them */

    *ranges = 0;
    for (uint32_t c = codes; c-- > 0;) {
        for (size_t k = 0; k < 4; k++) {
            of[k] = (double)count[k * codes + c];
            above[k] += of[k];
        }
        const bool ranged[] = {of[0] + of[1] > 0 && !(codes == 2 && c == 0),
                               feature->ordered && c > 0 && c + 1 < codes && above[0] + above[1] > of[0] + of[1]};
        for (size_t up = 0; up < 2; up++) {
            const double *const k = up ? above : of;

            if (ranged[up])
                range[(*ranges)++] =
                    (struct audit_range){feature, c, up ? codes : c + 1, audit_z(k[0], n, k[1], m), {k[2], k[3]}};
        }
    }
    free(count);
    return range;
}

/* ---- Codes ---- */

char *audit_word_text(char *const *symbol, double word)
{
    char number[NUMBER_TEXT];

    return xstrdup(symbol ? SHOWN(symbol[(size_t)word]) : format_number(word, number));
}

static void drop_feature(struct audit_features *features)
{
    struct audit_feature *const feature = &features->feature[--features->count];

    free(feature->value);
    free(feature->name);
    free(feature->code[0]);
    free(feature->code[1]);
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

/* The values that the codes of a feature stand for, from one on, sorted; returns how many. */
static size_t choose_values(const struct audit_features *features, struct audit_feature *feature, double *const x[2],
                            size_t stride)
{
    const size_t learned = features->size[AUDIT_LEARN][0] + features->size[AUDIT_LEARN][1];
    double *const value = feature->value = xcalloc(2 * learned, sizeof *value), *const once = value + learned;
    size_t count = 0;

    if (feature->question) {
        *value = 1;
        return 1;
    }
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0, i; (i = audit_learned(k)) < features->reports->n[side]; k++)
            if (!isnan(x[side][i * stride]))
                value[count++] = x[side][i * stride];
    ldp_sort(value, count, once);
    memcpy(once, value, count * sizeof *value);
    const size_t values = numbers_once(once, count);
    feature->binned = feature->ordered && values > BINS && (values > CODES_MAX || values > learned / 8);
    if (feature->binned) {
        for (size_t bin = 0; bin < BINS; bin++)
            value[bin] = value[bin * count / BINS];
        value[BINS] = once[values - 1];
        count = BINS + 1;
    }
    return smaller(numbers_once(value, count), CODES_MAX);
}

void audit_feature_add(struct audit_features *features, enum audit_kind kind, char *name, unsigned flags,
                       double *const x[2], size_t stride, double least)
{
    struct audit_feature feature = {.kind = kind,
                                    .name = name,
                                    .ordered = flags & AUDIT_ORDERED,
                                    .question = flags & AUDIT_QUESTION,
                                    .of_two = flags & AUDIT_OF_TWO};
    const size_t count = choose_values(features, &feature, x, stride);
    size_t ranges;

    feature.codes = (uint32_t)count + 1;
    for (size_t side = 0; side < 2; side++) {
        feature.code[side] = xcalloc(features->reports->n[side], sizeof *feature.code[side]);
        for (size_t i = 0; i < features->reports->n[side]; i++) {
            const double number = x[side][i * stride];
            const size_t code = number_up_to(feature.value, count, number); /* of NAN none */
            const bool known = code > 0 && (feature.binned || feature.value[code - 1] == number);

            feature.code[side][i] = known ? (uint16_t)code : 0;
        }
    }
    struct audit_range *const range = audit_ranges(features, &feature, &ranges);
    for (size_t k = 0; k < ranges; k++)
        feature.z = fmax(feature.z, range[k].z);
    free(range);
    *ARRAY_ADD(features->feature, features->count, features->room) = feature;
    if (feature.z < least)
        drop_feature(features);
}

static void add_words(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;

    for (size_t column = 0; column < reports->columns; column++)
        audit_feature_add(features, AUDIT_WORD,
                          reports->of ? xstrdup(reports->of[column]) : xformat("word %zu", column + 1),
                          reports->symbol ? 0 : AUDIT_ORDERED,
                          (double *[]){reports->word[0] + column, reports->word[1] + column}, reports->columns, 0);
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

/* By z, of reports that have none by word. */
static int by_z(const void *a, const void *b)
{
    const struct held_word *const x = a, *const y = b;

    return x->z != y->z         ? (x->z < y->z) - (x->z > y->z)
           : x->word != y->word ? (x->word > y->word) - (x->word < y->word)
                                : (x->report > y->report) - (x->report < y->report);
}

/* Finds the words that distinguish the inputs best on the learning part; returns their number. */
static size_t telling_words(const struct audit_features *features, struct held_word best[HOLDS_MAX])
{
    const struct audit_reports *const reports = features->reports;
    const size_t *const size = features->size[AUDIT_LEARN];
    size_t entries = 0, count = 0;

    struct held_word *const entry = xcalloc((size[0] + size[1]) * reports->columns + 1, sizeof *entry);
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0, i; (i = audit_learned(k)) < reports->n[side]; k++)
            for (size_t at = i * reports->columns; at < (i + 1) * reports->columns; at++)
                if (!isnan(reports->word[side][at]))
                    entry[entries++] = (struct held_word){reports->word[side][at], 0, 2 * i + side};
    qsort(entry, entries, sizeof *entry, by_z);
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
        char *const word = audit_word_text(features->reports->symbol, best[k].word);

        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < features->reports->n[side]; i++)
                features->x[side][i] = holds(features->reports, side, i, best[k].word);
        audit_feature_add(features, AUDIT_HOLDS, xformat("the report holds %s", word), AUDIT_QUESTION, features->x, 1,
                          0);
        free(word);
    }
}

/* ---- Scores ---- */

/* Each whole report as one symbol, identified by a fingerprint. */
static void add_whole(struct audit_features *features)
{
    const struct audit_reports *const reports = features->reports;
    const size_t columns = reports->columns, bytes = columns * sizeof(double);

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i++)
            features->x[side][i] = (double)(ldp_fingerprint(reports->word[side] + i * columns, bytes).lo >> 11);
    audit_feature_add(features, AUDIT_WHOLE, xstrdup(reports->of ? "all that is looked at" : "the report"), 0,
                      features->x, 1, 0);
}

/* Adds to x, for each report, the logarithm of the ratio of its code's shares under the two inputs in the learning
 * part; adds nothing if the ratio is within noise. */
static void add_ratios(const struct audit_features *features, const struct audit_feature *feature)
{
    size_t *const count = count_codes(features, feature);
    double *const ratio = xcalloc(feature->codes, sizeof *ratio);
    const double na = (double)features->size[AUDIT_LEARN][0], nb = (double)features->size[AUDIT_LEARN][1];

    for (size_t c = 0; c < feature->codes; c++) {
        const double a = (double)count[c], b = (double)count[feature->codes + c];

        ratio[c] = audit_z(a, na, b, nb) < 2.5 ? 0 : log((a + .5) / (na + 1)) - log((b + .5) / (nb + 1));
    }
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++)
            features->x[side][i] += ratio[feature->code[side][i]];
    free(count);
    free(ratio);
}

/* The likelihood ratio of a report if its features of one kind were independent. */
static void add_score(struct audit_features *features, enum audit_kind of)
{
    for (size_t side = 0; side < 2; side++)
        memset(features->x[side], 0, features->reports->n[side] * sizeof *features->x[side]);
    for (size_t i = 0; i < features->count; i++)
        if (features->feature[i].kind == of)
            add_ratios(features, &features->feature[i]);
    audit_feature_add(features, AUDIT_SCORE, xstrdup("the learned log ratio"), AUDIT_ORDERED, features->x, 1, 0);
}

struct audit_features audit_features_new(const struct audit_reports *reports)
{
    struct audit_features features = {.reports = reports};
    const bool list = reports->number[0] && reports->columns > 1;

    for (size_t side = 0; side < 2; side++) {
        features.x[side] = xcalloc(reports->n[side], sizeof *features.x[side]);
        for (size_t i = 0; i < reports->n[side]; i++)
            features.size[audit_part_of(i)][side]++;
    }
    add_words(&features);
    if (list)
        add_holds(&features);
    add_whole(&features);
    add_score(&features, AUDIT_WORD);
    if (list)
        add_score(&features, AUDIT_HOLDS);
    add_score(&features, AUDIT_WHOLE);
    if (reports->number[0])
        audit_derive(&features);
    return features;
}

void audit_features_clear(struct audit_features *features)
{
    while (features->count > 0)
        drop_feature(features);
    free(features->feature);
    free(features->x[0]);
    free(features->x[1]);
}

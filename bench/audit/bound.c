/* bound.c - see audit.h: finds the event, and bounds the ratio of its probabilities. */
#include "audit/audit.h"

#include "audit/features.h"
#include "numerics/numeric.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OF_ONE_FEATURE = 64, /* ranges of a feature that are looked at */
    PAIRED = 96,         /* ranges of which all pairs are looked at */
    WORDS_SHOWN = 8      /* of a report */
};

/* ---- Bounds ---- */

/* The p with P(Beta(a, b) <= p) = share; gsl_cdf_beta_Pinv does not always converge. */
static double beta_quantile(double a, double b, double share)
{
    double low = 0, high = 1;

    for (int i = 0; i < 100; i++)
        *(gsl_cdf_beta_P((low + high) / 2, a, b) < share ? &low : &high) = (low + high) / 2;
    return (low + high) / 2;
}

double audit_ratio(const size_t held[2], const size_t of[2], size_t likelier, double confidence)
{
    const double alpha = (1 - confidence) / 2, x = (double)held[likelier], n = (double)of[likelier],
                 y = (double)held[1 - likelier], m = (double)of[1 - likelier];
    const double least = x > 0 ? beta_quantile(x, n - x + 1, alpha) : 0,
                 largest = y < m ? beta_quantile(y + 1, m - y, 1 - alpha) : 1;

    return least > largest ? log(least / largest) : 0;
}

double audit_most(size_t n, size_t m, double confidence)
{
    const size_t all_and_none[2] = {n, 0}, none_and_all[2] = {0, m}, of[2] = {n, m};

    return fmax(audit_ratio(all_and_none, of, 0, confidence), audit_ratio(none_and_all, of, 1, confidence));
}

size_t audit_reports_needed(double epsilon, double confidence)
{
    size_t low = 0, high = AUDIT_REPORTS_MIN / 2; /* held-out reports that do not suffice, and that do */

    for (; audit_most(high, high, confidence) <= epsilon; low = high, high *= 2)
        if (high > (size_t)1 << 40)
            return SIZE_MAX;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        *(audit_most(middle, middle, confidence) <= epsilon ? &low : &high) = middle;
    }
    const size_t rest = high % 4; /* four of eight reports are held out, the last ones */
    return high / 4 * 8 + (rest > 0 ? 4 + rest : 0);
}

/* A fast approximation of the bound (Wilson), used to choose an event. */
static double ratio_to_choose(const double held[2], const double of[2], size_t likelier, double z)
{
    const double n = of[likelier], m = of[1 - likelier], x = held[likelier] / n, y = held[1 - likelier] / m, zz = z * z;

    if (x <= y)
        return 0;
    const double least = (x + zz / (2 * n) - z * sqrt(x * (1 - x) / n + zz / (4 * n * n))) / (1 + zz / n),
                 largest = (y + zz / (2 * m) + z * sqrt(y * (1 - y) / m + zz / (4 * m * m))) / (1 + zz / m);
    return least > largest ? log(least / largest) : 0;
}

/* ---- Events ---- */

/* An event: a range or its complement, and another range or its complement. */
struct event {
    const struct audit_range *a, *b; /* b NULL: a alone */
    bool not_a, not_b;
    size_t likelier;
    double bound; /* on the choosing part, reduced for a score */
};

static bool in_range(const struct audit_range *range, size_t side, size_t i)
{
    const uint32_t code = range->feature->code[side][i];

    return code >= range->from && code < range->to;
}

static bool in_event(const struct event *event, size_t side, size_t i)
{
    return in_range(event->a, side, i) != event->not_a && (!event->b || in_range(event->b, side, i) != event->not_b);
}

struct code_search {
    const struct audit_features *features;
    struct audit_range *range; /* the best OF_ONE_FEATURE of each feature, then all by z */
    size_t count, room;
    double of[2], z;
    struct event best;
    struct audit_range alone; /* of the best event of one range */
};

/* Only features of words and of one report are paired. */
static bool is_paired(const struct audit_range *range)
{
    const struct audit_feature *const feature = range->feature;

    return feature->kind == AUDIT_WORD || feature->kind == AUDIT_HOLDS ||
           (feature->kind == AUDIT_DERIVED && feature->users == 1);
}

/* Features that can be paired first, then by z. */
static int by_z(const void *a, const void *b)
{
    const struct audit_range *const x = a, *const y = b;
    const double zx = fabs(x->z), zy = fabs(y->z);

    if (is_paired(x) != is_paired(y))
        return is_paired(x) ? -1 : 1;
    if (zx != zy)
        return zx < zy ? 1 : -1;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* The ranges of one feature that distinguish best. */
static void add_ranges(struct code_search *search, const struct audit_feature *feature)
{
    size_t ranges;
    struct audit_range *const range = audit_ranges(search->features, feature, &ranges);

    qsort(range, ranges, sizeof *range, by_z);
    ranges = smaller(ranges, OF_ONE_FEATURE);
    memcpy(search->range + search->count, range, ranges * sizeof *range);
    search->count += ranges;
    free(range);
}

/* The factor of an event's bound in the choice: an event of one word is easier to understand than a conjunction, a
 * computed feature or a score, and wins if its bound is nearly as large. */
static double plainness(const struct event *event)
{
    const struct audit_range *const part[2] = {event->a, event->b};
    double factor = event->b ? .99 : 1;

    for (size_t i = 0; i < 2; i++)
        if (part[i])
            factor *= part[i]->feature->kind == AUDIT_SCORE ? .98 : part[i]->feature->kind == AUDIT_DERIVED ? .985 : 1;
    return factor;
}

/* Keeps an event if its bound, weighted, is the largest so far. */
static void consider(struct code_search *search, struct event event, const double held[2])
{
    assert(event.a->feature);
    const double weight = plainness(&event) / event.a->feature->users;

    for (size_t likelier = 0; likelier < 2; likelier++) {
        const double bound = weight * ratio_to_choose(held, search->of, likelier, search->z);

        if (bound > search->best.bound) {
            event.bound = bound;
            event.likelier = likelier;
            search->best = event;
        }
    }
}

static void try_ranges(struct code_search *search)
{
    size_t most = 0;

    for (size_t i = 0; i < search->features->count; i++)
        most = search->features->feature[i].codes > most ? search->features->feature[i].codes : most;
    size_t *const count = xcalloc(2 * most + 1, sizeof *count);
    const struct audit_feature *counted = NULL;
    /* Ranges of one feature are adjacent before they are sorted by z. */
    for (size_t i = 0; i < search->count; i++) {
        const struct audit_range *const range = &search->range[i];
        double held[2] = {0, 0};

        if (counted != range->feature)
            audit_count(search->features, range->feature, AUDIT_CHOOSE, count);
        counted = range->feature;
        assert(counted);
        for (size_t side = 0; side < 2; side++)
            for (size_t c = range->from; c < range->to; c++)
                held[side] += (double)count[side * counted->codes + c];
        const double other[2] = {search->of[0] - held[0], search->of[1] - held[1]};
        consider(search, (struct event){.a = range}, held);
        consider(search, (struct event){.a = range, .not_a = true}, other);
    }
    free(count);
}

static void try_pairs(struct code_search *search)
{
    uint64_t *bits[2]; /* [paired][words]: reports of the choosing part */
    size_t paired = 0, words[2];

    while (paired < PAIRED && paired < search->count && is_paired(&search->range[paired]))
        paired++;
    for (size_t side = 0; side < 2; side++) {
        words[side] = ((size_t)search->of[side] + 63) / 64;
        bits[side] = xcalloc(paired * words[side] + 1, sizeof *bits[side]);
        for (size_t k = 0; k < paired; k++) {
            size_t at = 0;

            for (size_t i = 0; i < search->features->reports->n[side]; i++)
                if (audit_part_of(i) == AUDIT_CHOOSE) {
                    if (in_range(&search->range[k], side, i))
                        bits[side][k * words[side] + at / 64] |= UINT64_C(1) << at % 64;
                    at++;
                }
        }
    }
    for (size_t k = 0; k < paired; k++)
        for (size_t l = 0; l < k; l++) {
            double held[4][2]; /* both, the first alone, the second alone, neither */

            for (size_t side = 0; side < 2; side++) {
                const uint64_t *const a = bits[side] + k * words[side], *const b = bits[side] + l * words[side];
                size_t both = 0, one = 0, two = 0;

                for (size_t w = 0; w < words[side]; w++) {
                    both += (size_t)__builtin_popcountll(a[w] & b[w]);
                    one += (size_t)__builtin_popcountll(a[w]);
                    two += (size_t)__builtin_popcountll(b[w]);
                }
                held[0][side] = (double)both;
                held[1][side] = (double)(one - both);
                held[2][side] = (double)(two - both);
                held[3][side] = search->of[side] - (double)(one + two - both);
            }
            for (size_t which = 0; which < 4; which++)
                consider(
                    search,
                    (struct event){
                        .a = &search->range[k], .b = &search->range[l], .not_a = which >= 2, .not_b = which % 2 == 1},
                    held[which]);
        }
    free(bits[0]);
    free(bits[1]);
}

static void find_event(const struct audit_features *features, double confidence, struct code_search *search)
{
    size_t size[2];

    audit_part_sizes(features->reports, AUDIT_CHOOSE, size);
    *search = (struct code_search){.features = features, .room = features->count * OF_ONE_FEATURE};
    search->of[0] = (double)size[0];
    search->of[1] = (double)size[1];
    search->z = -ldp_normal_quantile((1 - confidence) / 2);
    search->range = xcalloc(search->room, sizeof *search->range);
    for (size_t i = 0; i < features->count; i++)
        add_ranges(search, &features->feature[i]);
    try_ranges(search);
    /* The best event so far is copied, because sorting moves the ranges. */
    if (search->best.a) {
        search->alone = *search->best.a;
        search->best.a = &search->alone;
    }
    qsort(search->range, search->count, sizeof *search->range, by_z);
    try_pairs(search);
}

/* ---- Texts ---- */

/* A value of a feature, or the first words of a report that has it. */
static void add_value(struct buffer *text, const struct audit_reports *reports, const struct audit_feature *feature,
                      uint32_t code)
{
    const bool whole = feature->kind == AUDIT_WHOLE;
    const double *word = &feature->value[code - 1];

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; whole && i < reports->n[side]; i++)
            word = feature->code[side][i] == code ? reports->word[side] + i * reports->columns : word;
    for (size_t c = 0; c < (whole ? smaller(reports->columns, WORDS_SHOWN) : 1); c++)
        if (!isnan(word[c])) {
            char *const shown = audit_word_text(whole || feature->kind == AUDIT_WORD ? reports->symbol : NULL, word[c]);

            buffer_format(text, " %s", shown);
            free(shown);
        }
}

static void add_range(struct buffer *text, const struct audit_reports *reports, const struct audit_range *range,
                      bool not )
{
    const struct audit_feature *const feature = range->feature;
    const bool known = range->from > 0, binned = feature->binned,
               up = known && range->to == feature->codes && feature->ordered && (binned || range->to > range->from + 1);

    if (feature->question) {
        buffer_format(text, "%s%s", not ? "not: " : "", feature->name);
        return;
    }
    buffer_format(text, "%s %s", feature->name,
                  !known   ? not ? "is a known one" : "is none or another"
                  : up     ? not ? "<" : ">="
                  : binned ? not ? "outside" : "in"
                  : not    ? "is not"
                           : "=");
    if (known)
        add_value(text, reports, feature, range->from);
    if (known && binned && !up) {
        buffer_add(text, " ..");
        if (range->to < feature->codes)
            add_value(text, reports, feature, range->to);
    }
}

/* ---- The bound ---- */

void audit_bound(const struct audit_reports *reports, double confidence, struct audit_finding *finding)
{
    struct audit_features features = audit_features_new(reports);
    struct code_search search;

    *finding = (struct audit_finding){.event = "none"};
    find_event(&features, confidence, &search);
    audit_part_sizes(reports, AUDIT_HELD_OUT, finding->of);
    finding->most = audit_most(finding->of[0], finding->of[1], confidence);
    if (search.best.a) {
        const size_t likelier = finding->likelier = search.best.likelier;
        struct buffer text = {0};

        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < reports->n[side]; i++)
                finding->held[side] += audit_part_of(i) == AUDIT_HELD_OUT && in_event(&search.best, side, i);
        finding->chosen = search.best.bound;
        finding->epsilon =
            audit_ratio(finding->held, finding->of, likelier, confidence) / search.best.a->feature->users;
        finding->estimate = log((double)finding->held[likelier] / (double)finding->of[likelier] /
                                ((double)finding->held[1 - likelier] / (double)finding->of[1 - likelier]));
        add_range(&text, reports, search.best.a, search.best.not_a);
        if (search.best.b) {
            buffer_add(&text, " and ");
            add_range(&text, reports, search.best.b, search.best.not_b);
        }
        snprintf(finding->event, sizeof finding->event, "%s", text.text);
        buffer_clear(&text);
    }
    free(search.range);
    audit_features_clear(&features);
}

/* bound.c - see audit.h: finds the event, and bounds the ratio of its probabilities. */
#include "audit/audit.h"

#include "audit/features.h"
#include "numerics/numeric.h"
#include "support/memory.h"
#include "support/numbers.h"

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
    struct audit_range a, b; /* b without a feature: a alone */
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
    return in_range(&event->a, side, i) != event->not_a &&
           (!event->b.feature || in_range(&event->b, side, i) != event->not_b);
}

struct code_search {
    const struct audit_features *features;
    struct audit_range *range; /* that are paired: the best OF_ONE_FEATURE of each feature */
    size_t count, room;
    double of[2], z;
    struct event best;
};

static int by_z(const void *a, const void *b)
{
    const struct audit_range *const x = a, *const y = b;

    if (x->z != y->z)
        return x->z < y->z ? 1 : -1;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* The factor of an event's bound in the choice: an event of one word is easier to understand than a conjunction, a
 * computed feature or a score, and wins if its bound is nearly as large. */
static double plainness(const struct event *event)
{
    static const double of[] = {
        [AUDIT_WORD] = 1, [AUDIT_HOLDS] = 1, [AUDIT_WHOLE] = 1, [AUDIT_SCORE] = .98, [AUDIT_DERIVED] = .985};
    const double alone = of[event->a.feature->kind];

    return event->b.feature ? .99 * alone * of[event->b.feature->kind] : alone;
}

static unsigned users_of(const struct event *event)
{
    return event->a.feature->of_two ? 2 : 1;
}

/* Keeps an event if its bound, weighted, is the largest so far. */
static void consider(struct code_search *search, const struct event *event, const double held[2])
{
    const double weight = plainness(event) / users_of(event);

    for (size_t likelier = 0; likelier < 2; likelier++) {
        const double bound = weight * ratio_to_choose(held, search->of, likelier, search->z);

        if (bound > search->best.bound) {
            search->best = *event;
            search->best.bound = bound;
            search->best.likelier = likelier;
        }
    }
}

/* Tries the ranges of one feature that distinguish best, and keeps those that are paired: of words and of one report.
 */
static void try_ranges(struct code_search *search, const struct audit_feature *feature)
{
    size_t ranges;
    struct audit_range *const range = audit_ranges(search->features, feature, &ranges);
    const bool paired = feature->kind != AUDIT_WHOLE && feature->kind != AUDIT_SCORE && !feature->of_two;

    qsort(range, ranges, sizeof *range, by_z);
    for (size_t k = 0; k < smaller(ranges, OF_ONE_FEATURE); k++) {
        const double *const held = range[k].held, other[2] = {search->of[0] - held[0], search->of[1] - held[1]};

        consider(search, &(struct event){.a = range[k]}, held);
        consider(search, &(struct event){.a = range[k], .not_a = true}, other);
        if (paired)
            *ARRAY_ADD(search->range, search->count, search->room) = range[k];
    }
    free(range);
}

/* The four conjunctions of two ranges and their complements; both: reports in both. */
static void try_pair(struct code_search *search, const struct audit_range *a, const struct audit_range *b,
                     const double both[2])
{
    for (size_t which = 0; which < 4; which++) {
        const bool not_a = which >= 2, not_b = which % 2 == 1;
        double held[2];

        for (size_t side = 0; side < 2; side++) {
            const double first = not_a ? search->of[side] - a->held[side] : a->held[side],
                         rest = not_a ? b->held[side] - both[side] : both[side];

            held[side] = not_b ? first - rest : rest;
        }
        consider(search, &(struct event){.a = *a, .b = *b, .not_a = not_a, .not_b = not_b}, held);
    }
}

static void try_pairs(struct code_search *search)
{
    uint64_t *bits[2]; /* [paired][words]: reports of the choosing part */
    const size_t paired = smaller(search->count, PAIRED);
    size_t words[2];

    if (paired > 0)
        qsort(search->range, search->count, sizeof *search->range, by_z);
    for (size_t side = 0; side < 2; side++) {
        words[side] = ((size_t)search->of[side] + 63) / 64;
        bits[side] = xcalloc(paired * words[side] + 1, sizeof *bits[side]);
        for (size_t k = 0; k < paired; k++)
            for (size_t i = 0, at = 0; i < search->features->reports->n[side]; i++)
                if (audit_part_of(i) == AUDIT_CHOOSE) {
                    bits[side][k * words[side] + at / 64] |= (uint64_t)in_range(&search->range[k], side, i) << at % 64;
                    at++;
                }
    }
    for (size_t k = 0; k < paired; k++)
        for (size_t l = 0; l < k; l++) {
            double both[2] = {0, 0};

            for (size_t side = 0; side < 2; side++)
                for (size_t w = 0; w < words[side]; w++)
                    both[side] +=
                        __builtin_popcountll(bits[side][k * words[side] + w] & bits[side][l * words[side] + w]);
            try_pair(search, &search->range[k], &search->range[l], both);
        }
    free(bits[0]);
    free(bits[1]);
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

/* What the held-out reports say of the event. */
static void bound_event(const struct audit_reports *reports, const struct event *event, double confidence,
                        struct audit_finding *finding)
{
    const size_t likelier = finding->likelier = event->likelier, *const held = finding->held, *const of = finding->of;
    struct buffer text = {0};

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i++)
            finding->held[side] += audit_part_of(i) == AUDIT_HELD_OUT && in_event(event, side, i);
    finding->chosen = event->bound;
    finding->epsilon = audit_ratio(held, of, likelier, confidence) / users_of(event);
    finding->estimate =
        log((double)held[likelier] / (double)of[likelier] / ((double)held[1 - likelier] / (double)of[1 - likelier]));
    add_range(&text, reports, &event->a, event->not_a);
    if (event->b.feature) {
        buffer_add(&text, " and ");
        add_range(&text, reports, &event->b, event->not_b);
    }
    snprintf(finding->event, sizeof finding->event, "%s", text.text);
    buffer_clear(&text);
}

void audit_bound(const struct audit_reports *reports, double confidence, struct audit_finding *finding)
{
    struct audit_features features = audit_features_new(reports);
    const size_t *const choose = features.size[AUDIT_CHOOSE], *const held_out = features.size[AUDIT_HELD_OUT];
    struct code_search search = {.features = &features,
                                 .of = {(double)choose[0], (double)choose[1]},
                                 .z = -ldp_normal_quantile((1 - confidence) / 2)};

    *finding = (struct audit_finding){
        .event = "none", .of = {held_out[0], held_out[1]}, .most = audit_most(held_out[0], held_out[1], confidence)};
    for (size_t i = 0; i < features.count; i++)
        try_ranges(&search, &features.feature[i]);
    try_pairs(&search);
    if (search.best.a.feature)
        bound_event(reports, &search.best, confidence, finding);
    free(search.range);
    audit_features_clear(&features);
}

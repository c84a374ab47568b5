/* reduce_ranks.c - reducers of values by decreasing true count, whose x is the rank.
 *
 * Values are taken to be independent, which they nearly are where every value has noise of its own. */
#include "agreement/reduce.h"

#include "support/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Points of the ranks from .. until, from 1, that a key names, kept within the curve. */
struct stretch {
    const struct point *point;
    size_t count;
};

static struct stretch stretch_of(const struct claim *claim, const char *key, const struct curve *curve)
{
    const double d = (double)curve->count, first = fmin(claim_element(claim, key, 0, 1), d + 1),
                 last = fmin(claim_element(claim, key, 1, d), d);

    return (struct stretch){curve->point + (size_t)first - 1, (size_t)(last - first + 1)};
}

static struct estimate stretch_mean(struct stretch ranks)
{
    const double count = (double)ranks.count;
    double mean = 0, squares = 0;

    for (size_t r = 0; r < ranks.count; r++) {
        const double error = estimate_mean(&ranks.point[r].sample).error / count;

        mean += ranks.point[r].sample.mean / count;
        squares += error * error;
    }
    return estimate_of(mean, sqrt(squares));
}

/* The mean over ranks, compared with that of other ranks, of another selection, or with a number. */
void reduce_ranks(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct claim *const claim = question->claim;
    struct estimate mean = stretch_mean(stretch_of(claim, "ranks", &of->curve[0])),
                    than = estimate_of(claim_number(claim, "value", claim->relation == BETWEEN), 0);
    char value[SHORT_TEXT], against[SHORT_TEXT];

    if (to->count > 0)
        than = stretch_mean(stretch_of(claim, "ranks", &to->curve[0]));
    else if (claim_has(claim, "to_ranks"))
        than = stretch_mean(stretch_of(claim, "to_ranks", &of->curve[0]));
    if (claim->relation == BETWEEN) {
        const double error = hypot(mean.error / than.value, mean.value / than.value * (than.error / than.value));

        mean = estimate_of(mean.value / than.value, error);
        answer->verdict =
            judge_between(mean, claim_number(claim, "low", -INFINITY), claim_number(claim, "high", INFINITY));
        measured_estimate(answer, "", mean, "");
        return;
    }
    answer_side(question, estimate_less(mean, than), answer);
    snprintf(answer->measured, sizeof answer->measured, "mean %s %s against %s", claim_text(claim, "measure", "number"),
             short_number(mean.value, value), short_number(than.value, against));
}

void reduce_each_rank(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct stretch ranks = stretch_of(question->claim, "ranks", &of->curve[0]);
    struct tally tally = {0};
    size_t above = 0, below = 0;

    (void)to;
    for (size_t r = 0; r < ranks.count; r++) {
        const struct estimate one = estimate_mean(&ranks.point[r].sample);
        const double z = (one.value - claim_number(question->claim, "value", 0)) / one.error;

        tally_add(&tally, judge_side(question->claim->relation, z));
        above += z > DECIDED;
        below += z < -DECIDED;
        answer->z = fmin(answer->z, z);
    }
    answer->verdict = tally_verdict(&tally);
    snprintf(answer->measured, sizeof answer->measured, "%zu of %zu values above, %zu below", above, ranks.count,
             below);
}

/* Sums of squares over their standard errors have the mean and half the variance of as many numbers. */
void reduce_squares(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct stretch ranks = stretch_of(question->claim, "ranks", &of->curve[0]);
    const double count = (double)ranks.count;
    double sum = 0;

    (void)to;
    for (size_t r = 0; r < ranks.count; r++) {
        const struct estimate one = estimate_mean(&ranks.point[r].sample);

        sum += one.value * one.value / (one.error * one.error);
    }
    answer->z = (sum - count) / sqrt(2 * count);
    answer->verdict = answer->z <= DECIDED ? AGREES : DIFFERS;
    snprintf(answer->measured, sizeof answer->measured,
             "sum over values of (bias / standard error)^2 = %.0f for %.0f values", sum, count);
}

/* ---- correlations ---- */

static double correlation(const double *a, const double *b, size_t n)
{
    double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;

    for (size_t i = 0; i < n; i++) {
        mean_a += a[i] / (double)n;
        mean_b += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

/* The correlation of two selections at the same ranks, by Fisher's z: atanh of a correlation of n pairs has the
 * standard error 1 / sqrt(n - 3). */
void reduce_correlation(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct curve *const shorter = of->curve[0].count < to->curve[0].count ? &of->curve[0] : &to->curve[0];
    const struct stretch ranks = stretch_of(question->claim, "ranks", shorter);
    const size_t n = ranks.count, first = (size_t)(ranks.point - shorter->point);
    double *const x = xcalloc(2 * n, sizeof *x), *const y = x + n;

    for (size_t i = 0; i < n; i++) {
        x[i] = of->curve[0].point[first + i].sample.mean;
        y[i] = to->curve[0].point[first + i].sample.mean;
    }
    const double r = correlation(x, y, n);
    answer_side(question,
                estimate_of(atanh(r) - atanh(claim_number(question->claim, "value", 0)), 1 / sqrt((double)n - 3)),
                answer);
    snprintf(answer->measured, sizeof answer->measured, "correlation %.3f", r);
    free(x);
}

/* Log share of values against log count, over bins of counts that double: a property of the data, without error. */
void reduce_count_shares(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    enum { BINS = 64 };
    double items[BINS] = {0}, x[BINS], y[BINS];
    size_t n = 0;

    (void)to;
    for (size_t i = 0; i < of->curve[0].count; i++)
        if (of->curve[0].point[i].sample.mean >= 1)
            items[(int)fmin(log2(of->curve[0].point[i].sample.mean), BINS - 1)]++;
    for (int bin = 0; bin < BINS; bin++)
        if (items[bin] > 0) { /* the share of one count of the bin, which holds 2^bin of them */
            x[n] = bin;
            y[n++] = log2(items[bin]) - bin;
        }
    const double r = correlation(x, y, n);
    const bool below = r < claim_number(question->claim, "value", 0);
    answer->verdict = below == (question->claim->relation == BELOW) ? AGREES : DIFFERS;
    snprintf(answer->measured, sizeof answer->measured, "correlation %.3f", r);
}

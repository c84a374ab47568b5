/* forms_rank.c - forms for values by rank, from a run's table of values: unbiased, shape, alike, power_law.
 *
 * A value's mean error over repetitions has the standard error sqrt(variance / repetitions); values are taken to be
 * independent, which they nearly are where every value has noise of its own. */
#include "agreement/forms.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ranks from .. until, from 1; what a claim's key names, kept within d. None where all of them are beyond d. */
struct stretch {
    size_t first, last;
};

static struct stretch stretch_of(const struct claim *claim, const char *key, size_t d)
{
    const double first = claim_element(claim, key, 0, 1), last = claim_element(claim, key, 1, (double)d);

    return (struct stretch){.first = (size_t)fmin(first, (double)d + 1), .last = (size_t)fmin(last, (double)d)};
}

/* The values that the one selection of a key names. */
static int ranked_take(const struct question *question, const char *key, struct ranked *out, struct failure *failure)
{
    cJSON *const selections = claim_selections(question->statements, question->claim, key, failure);

    if (!selections)
        return -1;
    int result = -1;
    if (cJSON_GetArraySize(selections) != 1)
        fail(failure, EXIT_BAD_INPUT, "%s: %s: expected one selection", question->claim->id, key);
    else
        result = evidence_ranked(question->evidence, question->claim, question->dataset,
                                 cJSON_GetArrayItem(selections, 0), out, failure);
    cJSON_Delete(selections);
    return result;
}

static int judge_unbiased(const struct question *question, struct answer *answer, struct failure *failure)
{
    struct ranked of;

    if (ranked_take(question, "of", &of, failure) != 0)
        return -1;
    const struct stretch ranks = stretch_of(question->claim, "ranks", of.d);
    double sum = 0;
    for (size_t r = ranks.first - 1; r < ranks.last; r++)
        sum += of.bias[r] * of.bias[r] / (of.variance[r] / (double)of.repetitions);
    const double count = (double)(ranks.last - ranks.first + 1);
    answer->z = (sum - count) / sqrt(2 * count);
    answer->verdict = answer->z <= DECIDED ? AGREES : DIFFERS;
    snprintf(answer->measured, sizeof answer->measured,
             "sum over values of (bias / standard error)^2 = %.0f for %.0f values", sum, count);
    return 0;
}

const struct form form_unbiased = {
    .name = "unbiased", .keys = (const char *const[]){"ranks", NULL}, .judge = judge_unbiased};

/* ---- shape: a mean over ranks against a number, other ranks or another method ---- */

/* One value's bias or, where the claim names those columns, its variance or true count; with its error. */
static struct estimate rank_estimate(const struct claim *claim, const struct ranked *of, size_t r)
{
    const char *const measure = claim_text(claim, "measure", "");
    const double repetitions = (double)of->repetitions;

    if (strcmp(measure, of->count_name) == 0)
        return (struct estimate){.value = of->count[r]};
    if (strcmp(measure, of->variance_name) == 0)
        return (struct estimate){.value = of->variance[r], .error = of->variance[r] * sqrt(2 / (repetitions - 1))};
    return (struct estimate){.value = of->bias[r], .error = sqrt(of->variance[r] / repetitions)};
}

/* The mean over a stretch of ranks. */
static struct estimate stretch_mean(const struct claim *claim, const struct ranked *of, struct stretch ranks)
{
    const double count = (double)(ranks.last - ranks.first + 1);
    struct estimate mean = {0};

    for (size_t r = ranks.first - 1; r < ranks.last; r++) {
        const struct estimate one = rank_estimate(claim, of, r);

        mean.value += one.value / count;
        mean.error += one.error / count * (one.error / count);
    }
    mean.error = sqrt(mean.error);
    return mean;
}

/* By the claim's "is": above, below, or (each rank by itself) not below. */
static enum verdict judge_side(const struct claim *claim, double z)
{
    const char *const is = claim_text(claim, "is", "above");

    if (strcmp(is, "below") == 0)
        z = -z;
    if (strcmp(is, "not below") == 0)
        return z < -DECIDED ? DIFFERS : AGREES;
    return z > DECIDED ? AGREES : z < -DECIDED ? DIFFERS : UNDECIDED;
}

static void judge_each_rank(const struct question *question, const struct ranked *of, struct stretch ranks,
                            struct answer *answer)
{
    answer->z = INFINITY;
    struct tally tally = {0};
    size_t above = 0, below = 0;
    for (size_t r = ranks.first; r <= ranks.last; r++) {
        const struct estimate one = stretch_mean(question->claim, of, (struct stretch){r, r});
        const double z = (one.value - claim_number(question->claim, "value", 0)) / one.error;

        tally_add(&tally, judge_side(question->claim, z));
        above += z > DECIDED;
        below += z < -DECIDED;
        answer->z = fmin(answer->z, z);
    }
    answer->verdict = tally_verdict(&tally);
    snprintf(answer->measured, sizeof answer->measured, "%zu of %zu values above, %zu below", above,
             ranks.last - ranks.first + 1, below);
}

static int judge_shape(const struct question *question, struct answer *answer, struct failure *failure)
{
    const struct claim *const claim = question->claim;
    struct ranked of;
    struct estimate than = {.value = claim_number(claim, "value", 0)};

    if (ranked_take(question, "of", &of, failure) != 0)
        return -1;
    const struct stretch ranks = stretch_of(claim, "ranks", of.d);
    if (claim_has(claim, "each_rank")) {
        judge_each_rank(question, &of, ranks, answer);
        return 0;
    }
    const struct estimate mean = stretch_mean(claim, &of, ranks);
    if (claim_has(claim, "than")) {
        struct ranked other;
        if (ranked_take(question, "than", &other, failure) != 0)
            return -1;
        than = stretch_mean(claim, &other, ranks);
    } else if (claim_has(claim, "than_ranks")) {
        than = stretch_mean(claim, &of, stretch_of(claim, "than_ranks", of.d));
    }
    answer->z = (mean.value - than.value) / hypot(mean.error, than.error);
    answer->verdict = judge_side(claim, answer->z);
    char value[SHORT_TEXT], against[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "mean %s %s against %s",
             claim_text(claim, "measure", of.bias_name), short_number(mean.value, value),
             short_number(than.value, against));
    return 0;
}

const struct form form_shape = {
    .name = "shape",
    .keys = (const char *const[]){"ranks", "each_rank", "is", "value", "than", "than_ranks", NULL},
    .judge = judge_shape,
};

/* ---- rank_ratio: a mean over ranks, over that of other ranks or a number, lies between low and high ---- */

static int judge_rank_ratio(const struct question *question, struct answer *answer, struct failure *failure)
{
    const struct claim *const claim = question->claim;
    struct ranked of;
    struct estimate to = {.value = claim_number(claim, "per", 1)};

    if (ranked_take(question, "of", &of, failure) != 0)
        return -1;
    struct estimate mean = stretch_mean(claim, &of, stretch_of(claim, "ranks", of.d));
    if (claim_has(claim, "to_ranks"))
        to = stretch_mean(claim, &of, stretch_of(claim, "to_ranks", of.d));
    mean.error = hypot(mean.error / to.value, mean.value / to.value * (to.error / to.value));
    mean.value /= to.value;
    answer->z = NAN;
    answer->verdict = judge_between(mean, claim_number(claim, "low", -INFINITY), claim_number(claim, "high", INFINITY));
    measured_estimate(answer, "", mean, "");
    return 0;
}

const struct form form_rank_ratio = {
    .name = "rank_ratio",
    .keys = (const char *const[]){"ranks", "to_ranks", "per", "low", "high", NULL},
    .judge = judge_rank_ratio,
};

/* ---- alike: the correlation over ranks of two methods' biases ---- */

static double correlation(const double *a, const double *b, size_t n)
{
    double mean_a = 0, mean_b = 0;

    for (size_t i = 0; i < n; i++) {
        mean_a += a[i] / (double)n;
        mean_b += b[i] / (double)n;
    }
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

/* Fisher's z: atanh of a correlation of n pairs has the standard error 1 / sqrt(n - 3). */
static void answer_correlation(double r, size_t n, double bound, struct answer *answer)
{
    const double error = 1 / sqrt((double)n - 3);

    answer->z = (atanh(r) - atanh(bound)) / error;
    answer->verdict = answer->z > DECIDED ? AGREES : answer->z < -DECIDED ? DIFFERS : UNDECIDED;
    snprintf(answer->measured, sizeof answer->measured, "correlation %.3f", r);
}

static int judge_alike(const struct question *question, struct answer *answer, struct failure *failure)
{
    struct ranked of, to;

    if (ranked_take(question, "of", &of, failure) != 0 || ranked_take(question, "to", &to, failure) != 0)
        return -1;
    const struct stretch ranks = stretch_of(question->claim, "ranks", of.d < to.d ? of.d : to.d);
    const size_t n = ranks.last - ranks.first + 1;
    answer_correlation(correlation(of.bias + ranks.first - 1, to.bias + ranks.first - 1, n), n,
                       claim_number(question->claim, "above", 0.5), answer);
    return 0;
}

const struct form form_alike = {
    .name = "alike", .keys = (const char *const[]){"to", "ranks", "above", NULL}, .judge = judge_alike};

/* ---- power_law: log share against log count, over bins of counts that double ---- */

enum { BINS = 64 };

static int judge_power_law(const struct question *question, struct answer *answer, struct failure *failure)
{
    struct ranked of;

    if (ranked_take(question, "of", &of, failure) != 0)
        return -1;
    double items[BINS] = {0};
    for (size_t r = 0; r < of.d; r++)
        if (of.count[r] >= 1)
            items[(int)log2(of.count[r])]++;
    double x[BINS], y[BINS];
    size_t n = 0;
    for (int bin = 0; bin < BINS; bin++)
        if (items[bin] > 0) { /* the share of one count of the bin, which holds 2^bin of them */
            x[n] = bin;
            y[n++] = log2(items[bin]) - bin;
        }
    const double r = correlation(x, y, n); /* a property of the data: without random error */

    answer->z = NAN;
    answer->verdict = r < claim_number(question->claim, "below", -0.95) ? AGREES : DIFFERS;
    snprintf(answer->measured, sizeof answer->measured, "correlation %.3f", r);
    return 0;
}

const struct form form_power_law = {
    .name = "power_law", .keys = (const char *const[]){"below", NULL}, .judge = judge_power_law};

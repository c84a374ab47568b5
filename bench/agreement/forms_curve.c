/* forms_curve.c - forms about one curve: number, flat, grows, falls, ends, symmetric, gaussian. */
#include "agreement/forms.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- number: what the paper prints ---- */

/* The printed number's own error: of its repetitions, as given, or of its rounding. */
static double printed_error(const struct claim *claim, const struct sample *sample, double d)
{
    const double repetitions = claim_number(claim, "printed_repetitions", 0), unit = claim_number(claim, "unit", 0);
    double error = claim_number(claim, "printed_error", 0);

    if (repetitions > 0)
        error = hypot(error, sample->sd / sqrt(repetitions));
    if (claim_has(claim, "printed_spread")) /* the standard deviation of a standard deviation of d numbers */
        error = hypot(error, sample->mean / sqrt(2 * d));
    return hypot(error, unit / sqrt(12));
}

static int judge_number(const struct question *question, struct answer *answer, struct failure *failure)
{
    const struct claim *const claim = question->claim;
    const double printed = claim_number(claim, "printed", 0), unit = claim_number(claim, "unit", 0);
    struct curves of;

    if (curve_take(question, "of", &of, failure) != 0)
        return -1;
    const struct point *const point = &of.curve[0].point[0];
    struct estimate mean = estimate_mean(&point->sample);
    if (!(mean.error < INFINITY) || isnan(mean.error))
        mean.error = 0; /* a number that does not vary */
    const double theirs = printed_error(claim, &point->sample, point->d);
    const double error = hypot(mean.error, theirs);
    answer->z = error > 0 ? (mean.value - printed) / error : NAN;
    if (fabs(mean.value - printed) <= unit / 2 && mean.error <= unit)
        answer->verdict = AGREES;
    else if (fabs(mean.value - printed) > DECIDED * error)
        answer->verdict = DIFFERS;
    else /* a large error of ours must not make it agree */
        answer->verdict = mean.error <= fmax(theirs, NEGLIGIBLE * fabs(printed)) ? AGREES : UNDECIDED;
    measured_estimate(answer, "", mean, "");
    curves_clear(&of);
    return 0;
}

const struct form form_number = {
    .name = "number",
    .keys = (const char *const[]){"printed", "unit", "printed_repetitions", "printed_error", "printed_spread", NULL},
    .judge = judge_number,
};

/* ---- flat: within a share of the mean over points ---- */

static int judge_flat(const struct question *question, struct answer *answer, struct failure *failure)
{
    const double within = claim_number(question->claim, "within", 0.25);
    struct curves of;

    if (curve_take(question, "of", &of, failure) != 0)
        return -1;
    double mean = 0;
    for (size_t i = 0; i < of.curve[0].count; i++)
        mean += log(fabs(of.curve[0].point[i].sample.mean)) / (double)of.curve[0].count;
    mean = exp(mean);
    struct tally tally = {0};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < of.curve[0].count; i++) {
        const struct sample *const sample = &of.curve[0].point[i].sample;
        struct estimate share = estimate_mean(sample);

        share.value = fabs(share.value) / mean;
        share.error /= mean;
        if (sample->sd == 0)
            share.error = 0;
        least = fmin(least, share.value);
        most = fmax(most, share.value);
        tally_compared(question, &tally, judge_between(share, 1 / (1 + within), 1 + within), &of.curve[0].point[i],
                       NULL);
    }
    answer->verdict = tally_verdict(&tally);
    answer->z = NAN;
    char low[SHORT_TEXT], high[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "%s to %s times the mean", short_number(least, low),
             short_number(most, high));
    curves_clear(&of);
    return 0;
}

const struct form form_flat = {.name = "flat", .keys = (const char *const[]){"within", NULL}, .judge = judge_flat};

/* ---- grows, falls: from the first point to the last, or at every step ---- */

static int judge_trend(const struct question *question, struct answer *answer, bool grows, struct failure *failure)
{
    const bool every = strcmp(claim_text(question->claim, "steps", "ends"), "every") == 0;
    struct curves of;

    if (curve_take(question, "of", &of, failure) != 0)
        return -1;
    const size_t count = of.curve[0].count;
    if (count < 2) {
        curves_clear(&of);
        return fail(failure, EXIT_BAD_INPUT, "%s: expected at least two points, got %zu", question->claim->id, count);
    }
    const size_t step = every ? 1 : count - 1;
    struct gathering gathering;
    gathering_begin(&gathering, question);
    for (size_t i = 0; i + step < count; i += step) {
        const struct point *const first = &of.curve[0].point[i], *const last = &of.curve[0].point[i + step];
        const struct point *const low = grows ? first : last, *const high = grows ? last : first;
        double z;
        const enum verdict verdict = judge_below(&low->sample, &high->sample, points_paired(low, high), &z);

        gathering_add(&gathering, verdict, z, "", last->x, first, last);
    }
    gathering_answer(&gathering, answer);
    if (!every) {
        char first[SHORT_TEXT], last[SHORT_TEXT];

        snprintf(answer->measured, sizeof answer->measured, "%s against %s",
                 short_number(of.curve[0].point[count - 1].sample.mean, last),
                 short_number(of.curve[0].point[0].sample.mean, first));
    }
    curves_clear(&of);
    return 0;
}

static int judge_grows(const struct question *question, struct answer *answer, struct failure *failure)
{
    return judge_trend(question, answer, true, failure);
}

static int judge_falls(const struct question *question, struct answer *answer, struct failure *failure)
{
    return judge_trend(question, answer, false, failure);
}

static const char *const trend_keys[] = {"steps", NULL};
const struct form form_grows = {.name = "grows", .keys = trend_keys, .judge = judge_grows};
const struct form form_falls = {.name = "falls", .keys = trend_keys, .judge = judge_falls};

/* ---- ends: the last point over the first lies between low and high ---- */

static int judge_ends(const struct question *question, struct answer *answer, struct failure *failure)
{
    const double low = claim_number(question->claim, "low", 0), high = claim_number(question->claim, "high", INFINITY);
    struct curves of;

    if (curve_take(question, "of", &of, failure) != 0)
        return -1;
    const struct point *const first = &of.curve[0].point[0];
    const struct point *const last = &of.curve[0].point[of.curve[0].count - 1];
    const struct estimate ratio = estimate_ratio(&last->sample, &first->sample, points_paired(last, first));
    answer->verdict = judge_between(ratio, low, high);
    answer->z = NAN;
    measured_estimate(answer, "last over first ", ratio, "");
    curves_clear(&of);
    return 0;
}

const struct form form_ends = {.name = "ends", .keys = (const char *const[]){"low", "high", NULL}, .judge = judge_ends};

/* ---- symmetric: c - x and c + x within a share of each other ---- */

static int judge_symmetric(const struct question *question, struct answer *answer, struct failure *failure)
{
    const double centre = claim_number(question->claim, "centre", 0),
                 within = claim_number(question->claim, "within", 0.05);
    struct curves of;

    if (curve_take(question, "of", &of, failure) != 0)
        return -1;
    struct tally tally = {0};
    double furthest = 0;
    for (size_t i = 0; i < of.curve[0].count; i++) {
        const struct point *const a = &of.curve[0].point[i], *const b = curve_at(&of.curve[0], 2 * centre - a->x);

        if (!b || a->x >= centre)
            continue;
        const struct estimate ratio = estimate_ratio(&a->sample, &b->sample, points_paired(a, b));
        tally_compared(question, &tally, judge_between(ratio, 1 / (1 + within), 1 + within), a, b);
        furthest = fmax(furthest, fabs(log(ratio.value)));
    }
    answer->verdict = tally_verdict(&tally);
    answer->z = NAN;
    measured_apart(answer, furthest);
    curves_clear(&of);
    return 0;
}

const struct form form_symmetric = {
    .name = "symmetric", .keys = (const char *const[]){"centre", "within", NULL}, .judge = judge_symmetric};

/* ---- gaussian: shares of bins, whose upper ends are x, against a normal law's ---- */

static int judge_gaussian(const struct question *question, struct answer *answer, struct failure *failure)
{
    const double sd = claim_number(question->claim, "sd", 1), within = claim_number(question->claim, "within", 0.01);
    struct curves of;

    if (curve_take(question, "of", &of, failure) != 0)
        return -1;
    struct tally tally = {0};
    double share = 0, squares = 0, furthest = 0;
    for (size_t i = 0; i < of.curve[0].count; i++) {
        const struct estimate bin = estimate_mean(&of.curve[0].point[i].sample);

        if (isnan(of.curve[0].point[i].x)) /* the last bin, which has no upper end */
            continue;
        share += bin.value;
        squares += bin.error * bin.error;
        const struct estimate apart = {.value = share - gsl_cdf_ugaussian_P(of.curve[0].point[i].x / sd),
                                       .error = sqrt(squares)};
        tally_add(&tally, judge_between(apart, -within, within));
        furthest = fmax(furthest, fabs(apart.value));
    }
    answer->verdict = tally_verdict(&tally);
    answer->z = NAN;
    char number[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "differ by at most %s", short_number(furthest, number));
    curves_clear(&of);
    return 0;
}

const struct form form_gaussian = {
    .name = "gaussian", .keys = (const char *const[]){"sd", "within", NULL}, .judge = judge_gaussian};

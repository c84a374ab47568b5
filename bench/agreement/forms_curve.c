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

static void compare_number(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct claim *const claim = question->claim;
    const double printed = claim_number(claim, "printed", 0), unit = claim_number(claim, "unit", 0);

    (void)to;
    const struct point *const point = &of->curve[0].point[0];
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
}

const struct form form_number = {
    .name = "number",
    .keys = (const char *const[]){"printed", "unit", "printed_repetitions", "printed_error", "printed_spread", NULL},
    .of = {.key = "of", .single = true},
    .compare = compare_number,
};

/* ---- flat: within a share of the mean over points ---- */

static void compare_flat(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const double within = claim_number(question->claim, "within", 0.25);

    (void)to;
    double mean = 0;
    for (size_t i = 0; i < of->curve[0].count; i++)
        mean += log(fabs(of->curve[0].point[i].sample.mean)) / (double)of->curve[0].count;
    mean = exp(mean);
    struct tally tally = {0};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < of->curve[0].count; i++) {
        const struct sample *const sample = &of->curve[0].point[i].sample;
        struct estimate share = estimate_mean(sample);

        share.value = fabs(share.value) / mean;
        share.error /= mean;
        if (sample->sd == 0)
            share.error = 0;
        least = fmin(least, share.value);
        most = fmax(most, share.value);
        tally_compared(question, &tally, judge_between(share, 1 / (1 + within), 1 + within), &of->curve[0].point[i],
                       NULL);
    }
    answer->verdict = tally_verdict(&tally);
    char low[SHORT_TEXT], high[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "%s to %s times the mean", short_number(least, low),
             short_number(most, high));
}

const struct form form_flat = {
    .name = "flat",
    .keys = (const char *const[]){"within", NULL},
    .of = {.key = "of", .single = true},
    .compare = compare_flat,
};

/* ---- grows, falls: from the first point to the last, or at every step ---- */

static void compare_trend(const struct question *question, const struct curves *of, bool grows, struct answer *answer)
{
    const bool every = strcmp(claim_text(question->claim, "steps", "ends"), "every") == 0;
    const size_t count = of->curve[0].count;
    const size_t step = every ? 1 : count - 1;
    struct gathering gathering;
    gathering_begin(&gathering, question);
    for (size_t i = 0; i + step < count; i += step) {
        const struct point *const first = &of->curve[0].point[i], *const last = &of->curve[0].point[i + step];
        const struct point *const low = grows ? first : last, *const high = grows ? last : first;
        double z;
        const enum verdict verdict = judge_below(&low->sample, &high->sample, points_paired(low, high), &z);

        gathering_add(&gathering, verdict, z, "", last->x, first, last);
    }
    gathering_answer(&gathering, answer);
    if (!every) {
        char first[SHORT_TEXT], last[SHORT_TEXT];

        snprintf(answer->measured, sizeof answer->measured, "%s against %s",
                 short_number(of->curve[0].point[count - 1].sample.mean, last),
                 short_number(of->curve[0].point[0].sample.mean, first));
    }
}

static void compare_grows(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    (void)to;
    compare_trend(question, of, true, answer);
}

static void compare_falls(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    (void)to;
    compare_trend(question, of, false, answer);
}

static const char *const trend_keys[] = {"steps", NULL};
const struct form form_grows = {
    .name = "grows",
    .keys = trend_keys,
    .of = {.key = "of", .single = true, .points = 2},
    .compare = compare_grows,
};
const struct form form_falls = {
    .name = "falls",
    .keys = trend_keys,
    .of = {.key = "of", .single = true, .points = 2},
    .compare = compare_falls,
};

/* ---- ends: the last point over the first lies between low and high ---- */

static void compare_ends(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const double low = claim_number(question->claim, "low", 0), high = claim_number(question->claim, "high", INFINITY);

    (void)to;
    const struct point *const first = &of->curve[0].point[0];
    const struct point *const last = &of->curve[0].point[of->curve[0].count - 1];
    const struct estimate ratio = estimate_ratio(&last->sample, &first->sample, points_paired(last, first));
    answer->verdict = judge_between(ratio, low, high);
    measured_estimate(answer, "last over first ", ratio, "");
}

const struct form form_ends = {
    .name = "ends",
    .keys = (const char *const[]){"low", "high", NULL},
    .of = {.key = "of", .single = true},
    .compare = compare_ends,
};

/* ---- symmetric: c - x and c + x within a share of each other ---- */

static void compare_symmetric(const struct question *question, struct curves *of, struct curves *to,
                              struct answer *answer)
{
    const double centre = claim_number(question->claim, "centre", 0),
                 within = claim_number(question->claim, "within", 0.05);

    (void)to;
    struct tally tally = {0};
    double furthest = 0;
    for (size_t i = 0; i < of->curve[0].count; i++) {
        const struct point *const a = &of->curve[0].point[i], *const b = curve_at(&of->curve[0], 2 * centre - a->x);

        if (!b || a->x >= centre)
            continue;
        const struct estimate ratio = estimate_ratio(&a->sample, &b->sample, points_paired(a, b));
        tally_compared(question, &tally, judge_between(ratio, 1 / (1 + within), 1 + within), a, b);
        furthest = fmax(furthest, fabs(log(ratio.value)));
    }
    answer->verdict = tally_verdict(&tally);
    measured_apart(answer, furthest);
}

const struct form form_symmetric = {
    .name = "symmetric",
    .keys = (const char *const[]){"centre", "within", NULL},
    .of = {.key = "of", .single = true},
    .compare = compare_symmetric,
};

/* ---- gaussian: shares of bins, whose upper ends are x, against a normal law's ---- */

static void compare_gaussian(const struct question *question, struct curves *of, struct curves *to,
                             struct answer *answer)
{
    const double sd = claim_number(question->claim, "sd", 1), within = claim_number(question->claim, "within", 0.01);

    (void)to;
    struct tally tally = {0};
    double share = 0, squares = 0, furthest = 0;
    for (size_t i = 0; i < of->curve[0].count; i++) {
        const struct estimate bin = estimate_mean(&of->curve[0].point[i].sample);

        if (isnan(of->curve[0].point[i].x)) /* the last bin, which has no upper end */
            continue;
        share += bin.value;
        squares += bin.error * bin.error;
        const struct estimate apart = {.value = share - gsl_cdf_ugaussian_P(of->curve[0].point[i].x / sd),
                                       .error = sqrt(squares)};
        tally_add(&tally, judge_between(apart, -within, within));
        furthest = fmax(furthest, fabs(apart.value));
    }
    answer->verdict = tally_verdict(&tally);
    char number[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "differ by at most %s", short_number(furthest, number));
}

const struct form form_gaussian = {
    .name = "gaussian",
    .keys = (const char *const[]){"sd", "within", NULL},
    .of = {.key = "of", .single = true},
    .compare = compare_gaussian,
};

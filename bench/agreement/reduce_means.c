/* reduce_means.c - reducers that make one number, or one of each point, of curves: means, shares, differences,
 * correlations; and how such a number is held against the claim's relation. */
#include "agreement/reduce.h"

#include "support/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the relations ---- */

enum claim_verdict judge_side(enum relation relation, double z)
{
    if (relation == BELOW)
        z = -z;
    if (relation == NOT_BELOW)
        return z < -DECIDED ? DIFFERS : AGREES;
    return z > DECIDED ? AGREES : z < -DECIDED ? DIFFERS : UNDECIDED;
}

void answer_side(const struct question *question, struct estimate difference, struct answer *answer)
{
    answer->z = estimate_z(difference);
    answer->verdict = judge_side(question->claim->relation, answer->z);
}

/* A number against the one that the paper prints, whose own error is that of its repetitions, as given, or of its
 * rounding. `once`: the standard deviation of one repetition; d: numbers that a printed spread is of. */
static void answer_printed(const struct claim *claim, struct estimate number, double once, double d,
                           struct answer *answer)
{
    const double printed = claim_number(claim, "printed", 0), unit = claim_number(claim, "unit", 0),
                 repetitions = claim_number(claim, "printed_repetitions", 0);
    double theirs = claim_number(claim, "printed_error", 0);

    if (repetitions > 0)
        theirs = hypot(theirs, once / sqrt(repetitions));
    if (claim_has(claim, "printed_spread")) /* the standard deviation of a standard deviation of d numbers */
        theirs = hypot(theirs, number.value / sqrt(2 * d));
    theirs = hypot(theirs, unit / sqrt(12));
    const double error = hypot(number.reach / DECIDED, theirs), apart = fabs(number.value - printed);
    answer->z = error > 0 ? (number.value - printed) / error : NAN;
    if (apart <= unit / 2 && number.error <= unit)
        answer->verdict = AGREES;
    else if (apart > DECIDED * error)
        answer->verdict = DIFFERS;
    else /* a large error of ours must not make it agree */
        answer->verdict = number.error <= fmax(theirs, NEGLIGIBLE * fabs(printed)) ? AGREES : UNDECIDED;
}

/* ---- number, percent: what the paper prints ---- */

void reduce_number(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct point *const point = &of->curve[0].point[0];
    struct estimate mean = estimate_mean(&point->sample);

    (void)to;
    if (!(mean.error < INFINITY)) /* a number that does not vary */
        mean = estimate_of(mean.value, 0);
    answer_printed(question->claim, mean, point->sample.sd, point->d, answer);
    measured_estimate(answer, "", mean, "");
}

static struct estimate percent_of(struct estimate ratio)
{
    return (struct estimate){100 * (ratio.value - 1), 100 * ratio.error, 100 * ratio.reach};
}

void reduce_percent(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct pair pair = pair_at(question->claim, &of->curve[0].point[0], &to->curve[0]);
    const struct estimate percent = percent_of(pair_ratio(&pair));

    answer_printed(question->claim, percent, percent.error * sqrt((double)pair.a.n), of->curve[0].point[0].d, answer);
    measured_estimate(answer, "", percent, " %");
}

/* ---- mean ratio: `of` over `to`, the geometric mean over points ---- */

/* A sum of errors, in standard errors or in reaches: those of neighbouring points that share their collections, or what
 * each run has in common (the random marginals, the timer), are added up (an upper bound); those of other points are
 * independent. */
struct error_sum {
    double squares, of_cell;
};

static void add_error(struct error_sum *sum, bool begins, double error)
{
    if (begins) {
        sum->squares += sum->of_cell * sum->of_cell;
        sum->of_cell = 0;
    }
    sum->of_cell += error;
}

static double whole_error(const struct error_sum *sum)
{
    return sqrt(sum->squares + sum->of_cell * sum->of_cell);
}

static struct estimate mean_ratio(const struct claim *claim, const struct curve *of, const struct curve *to,
                                  double *least, double *most)
{
    const double count = (double)of->count;
    struct error_sum error = {0}, reach = {0};
    double sum = 0;

    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < of->count; i++) {
        const struct pair pair = pair_at(claim, &of->point[i], to);
        const struct estimate ratio = pair_ratio(&pair);
        const bool begins = i > 0 && !points_alike(&of->point[i], &of->point[i - 1]);

        sum += log(ratio.value) / count;
        add_error(&error, begins, ratio.error / ratio.value / count);
        add_error(&reach, begins, ratio.reach / ratio.value / count);
        *least = fmin(*least, ratio.value);
        *most = fmax(*most, ratio.value);
    }
    return (struct estimate){exp(sum), exp(sum) * whole_error(&error), exp(sum) * whole_error(&reach)};
}

/* A bound of 1 says better or worse: where that is not shown, but the effect is shown to be negligible, the claim
 * neither agrees nor differs. */
static bool is_even(struct estimate ratio, double low, double high)
{
    const bool inside = ratio.value - ratio.reach >= low && ratio.value + ratio.reach <= high;

    return low != high && (low == 1 || high == 1) && !inside && fabs(ratio.value - 1) + ratio.reach <= NEGLIGIBLE;
}

void reduce_mean_ratio(const struct question *question, struct curves *ofs, struct curves *tos, struct answer *answer)
{
    const struct claim *const claim = question->claim;
    const struct curve *const of = &ofs->curve[0], *const to = tos->count > 0 ? &tos->curve[0] : NULL;
    const double low = claim_number(claim, "low", -INFINITY), high = claim_number(claim, "high", INFINITY);
    const struct pair first = pair_at(claim, &of->point[0], to);
    const struct sample *const a = &first.a, *const b = &first.by;
    const bool single = of->count == 1;
    char from[SHORT_TEXT], until[SHORT_TEXT], range[2 * SHORT_TEXT + 20] = "";
    double least, most;
    const struct estimate mean = mean_ratio(claim, of, to, &least, &most);

    if (is_even(mean, low, high))
        answer->verdict = !single || is_equal(a, b, first.paired) ? EQUAL : UNDECIDED;
    else
        answer->verdict =
            single ? judge_ratio(a, b, first.paired, low, high, &answer->z) : judge_between(mean, low, high);
    if (single)
        judge_ratio(a, b, first.paired, low, high, &answer->z);
    if (!single)
        snprintf(range, sizeof range, " (%s to %s)", short_number(least, from), short_number(most, until));
    measured_estimate(answer, "", mean, range);
}

/* ---- growth: how much larger of / to is at the last point than at the first ---- */

void reduce_growth(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct curve *const curve = &of->curve[0];
    const struct pair first = pair_at(question->claim, &curve->point[0], &to->curve[0]),
                      last = pair_at(question->claim, &curve->point[curve->count - 1], &to->curve[0]);

    const struct estimate grows = estimate_less(pair_ratio(&last), pair_ratio(&first));

    answer_side(question, grows, answer);
    measured_estimate(answer, "the ratio grows by ", grows, "");
}

/* ---- shares: every point over the geometric mean of all ---- */

void reduce_shares(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const double within = 1 + claim_number(question->claim, "within", 0);
    const struct curve *const curve = &of->curve[0];
    double mean = 0, least = INFINITY, most = 0;
    struct tally tally = {0};

    (void)to;
    for (size_t i = 0; i < curve->count; i++)
        mean += log(fabs(curve->point[i].sample.mean)) / (double)curve->count;
    mean = exp(mean);
    for (size_t i = 0; i < curve->count; i++) {
        const struct sample *const sample = &curve->point[i].sample;
        const struct estimate one = estimate_mean(sample),
                              share = sample->sd == 0 ? estimate_of(fabs(sample->mean) / mean, 0)
                                                      : (struct estimate){fabs(sample->mean) / mean, one.error / mean,
                                                                          one.reach / mean};

        least = fmin(least, share.value);
        most = fmax(most, share.value);
        tally_add(&tally, judge_between(share, 1 / within, within));
    }
    answer->verdict = tally_verdict(&tally);
    char low[SHORT_TEXT], high[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "%s to %s times the mean", short_number(least, low),
             short_number(most, high));
}

/* ---- distribution: shares of bins, whose upper ends are x, added up, less a normal law's ---- */

void reduce_distribution(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const double sd = claim_number(question->claim, "sd", 1), within = claim_number(question->claim, "within", 0);
    double share = 0, squares = 0, furthest = 0;
    struct tally tally = {0};

    (void)to;
    for (size_t i = 0; i < of->curve[0].count; i++) {
        const struct point *const point = &of->curve[0].point[i];
        const struct estimate bin = estimate_mean(&point->sample);

        if (isnan(point->x)) /* the last bin, which has no upper end */
            continue;
        share += bin.value;
        squares += bin.error * bin.error;
        const struct estimate apart = estimate_of(share - gsl_cdf_ugaussian_P(point->x / sd), sqrt(squares));
        tally_add(&tally, judge_between(apart, -within, within));
        furthest = fmax(furthest, fabs(apart.value));
    }
    answer->verdict = tally_verdict(&tally);
    char number[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "differ by at most %s", short_number(furthest, number));
}

/* ---- average: the mean over all of `of` less that over all of `to`, which are as many ---- */

/* Errors of points of the same collections are added up (an upper bound); those of others are independent. */
static struct estimate mean_difference(const struct claim *claim, const struct curves *of, const struct curves *to)
{
    const double count = (double)of->count;
    double mean = 0, errors = 0, reaches = 0;

    for (size_t i = 0; i < of->count; i++) {
        const struct point *const a = &of->curve[i].point[0];
        double error = 0, reach = 0;
        bool first = true; /* of its collection, whose error it gets */

        for (size_t j = 0; j < of->count; j++) {
            const struct point *const b = &of->curve[j].point[0];
            const struct pair pair = pair_of(claim, b, &to->curve[j].point[0]);
            const struct estimate difference = estimate_difference(&pair.a, &pair.by, pair.paired);

            if (j == i)
                mean += difference.value / count;
            if (!points_alike(a, b))
                continue;
            first = first && j >= i;
            error += difference.error;
            reach += difference.reach;
        }
        reaches += first ? reach * reach : 0;
        errors += first ? error * error : 0;
    }
    return (struct estimate){mean, sqrt(errors) / count, sqrt(reaches) / count};
}

void reduce_average(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    if (of->count != to->count) {
        answer->verdict = UNDECIDED;
        snprintf(answer->measured, sizeof answer->measured, "as many of both are needed");
        return;
    }
    const struct estimate difference = mean_difference(question->claim, of, to);

    answer_side(question, difference, answer);
    measured_estimate(answer, "the difference of the means is ", difference, "");
}

/* reduce_means.c - reducers that make one number, or one of each point, of curves: means, shares, differences,
 * correlations; and how such a number is held against the claim's relation. */
#include "agreement/reduce.h"

#include "support/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the relations ---- */

enum claim_verdict judge_side(enum relation relation, double z)
{
    if (relation == BELOW)
        z = -z;
    if (relation == NOT_BELOW)
        return z < -DECIDED ? DIFFERS : AGREES;
    return z > DECIDED ? AGREES : z < -DECIDED ? DIFFERS : UNDECIDED;
}

void answer_side(const struct question *question, struct estimate a, struct estimate b, struct answer *answer)
{
    answer->z = (a.value - b.value) / hypot(a.error, b.error);
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
    const double error = hypot(number.error, theirs), apart = fabs(number.value - printed);
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
        mean.error = 0;
    answer_printed(question->claim, mean, point->sample.sd, point->d, answer);
    measured_estimate(answer, "", mean, "");
}

void reduce_percent(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct pair pair = pair_at(question->claim, &of->curve[0].point[0], &to->curve[0]);
    const struct estimate ratio = pair_ratio(&pair),
                          percent = {.value = 100 * (ratio.value - 1), .error = 100 * ratio.error};

    answer_printed(question->claim, percent, percent.error * sqrt((double)pair.of->sample.n), pair.of->d, answer);
    measured_estimate(answer, "", percent, " %");
}

/* ---- mean ratio: `of` over `to`, the geometric mean over points ---- */

/* Errors of neighbouring points that share their collections are added up (an upper bound); those of other points are
 * independent. */
static struct estimate mean_ratio(const struct claim *claim, const struct curve *of, const struct curve *to,
                                  double *least, double *most)
{
    double sum = 0, squares = 0, of_cell = 0;

    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < of->count; i++) {
        const struct pair pair = pair_at(claim, &of->point[i], to);
        const struct estimate ratio = pair_ratio(&pair);

        sum += log(ratio.value) / (double)of->count;
        if (i > 0 && !points_alike(&of->point[i], &of->point[i - 1])) {
            squares += of_cell * of_cell;
            of_cell = 0;
        }
        of_cell += ratio.error / ratio.value / (double)of->count;
        *least = fmin(*least, ratio.value);
        *most = fmax(*most, ratio.value);
    }
    return (struct estimate){.value = exp(sum), .error = exp(sum) * sqrt(squares + of_cell * of_cell)};
}

static double square_of(struct estimate estimate)
{
    const double share = estimate.error / estimate.value;

    return share * share;
}

/* The repetitions of a point when it has `growth` times as many, or as many as make it useful. */
static double repetitions_after(const struct point *point, double growth)
{
    return (double)point->sample.n < (double)point->fewest ? (double)point->fewest : growth * (double)point->sample.n;
}

/* Asks for more repetitions of a point, or of what it is divided by, where a ratio is open. The one of the two that has
 * nearly none of the squared error is asked for only where repetitions are paired. Returns about how many it takes if
 * all points need `growth` times as many. */
static double open_ratio(const struct question *question, const struct pair *pair, double growth)
{
    static const double little = 0.1;
    const double of = square_of(estimate_mean(&pair->of->sample)),
                 by = pair->to ? square_of(estimate_mean(&pair->by)) : 0;
    const bool asks = pair->paired || !(of <= little * by),
               asks_by = pair->to && (pair->paired || !(by <= little * of));

    if (asks)
        evidence_open_point(question->evidence, pair->of);
    if (asks_by)
        evidence_open_point(question->evidence, pair->to);
    return fmax(asks ? repetitions_after(pair->of, growth) : 0, asks_by ? repetitions_after(pair->to, growth) : 0);
}

/* Asks for more repetitions where a mean over points is open: of those points, by decreasing error, that together have
 * nearly all of its squared error. The others, however expensive, hardly make it more exact. Returns about how many
 * each of them needs if all need `growth` times as many. */
static double open_largest(const struct question *question, const struct curve *of, const struct curve *to,
                           double growth)
{
    double *const squares = xcalloc(of->count, sizeof *squares), needed = 0;

    for (size_t i = 0; i < of->count; i++) {
        const struct pair pair = pair_at(question->claim, &of->point[i], to);

        squares[i] = square_of(pair_ratio(&pair));
        if (isnan(squares[i])) /* nothing was measured: 0 / 0 */
            squares[i] = INFINITY;
    }
    keep_largest(squares, of->count);
    for (size_t i = 0; i < of->count; i++) {
        const struct pair pair = pair_at(question->claim, &of->point[i], to);

        if (squares[i] > 0)
            needed = fmax(needed, open_ratio(question, &pair, growth));
    }
    free(squares);
    return needed;
}

/* A bound of 1 says better or worse: with an effect that is shown to be negligible the claim neither agrees nor
 * differs. */
static bool is_equal(struct estimate ratio, double low, double high)
{
    return low != high && (low == 1 || high == 1) && fabs(ratio.value - 1) + DECIDED * ratio.error <= NEGLIGIBLE;
}

void reduce_mean_ratio(const struct question *question, struct curves *ofs, struct curves *tos, struct answer *answer)
{
    const struct claim *const claim = question->claim;
    const struct curve *const of = &ofs->curve[0], *const to = tos->count > 0 ? &tos->curve[0] : NULL;
    const double low = claim_number(claim, "low", -INFINITY), high = claim_number(claim, "high", INFINITY);
    const struct pair first = pair_at(claim, &of->point[0], to);
    const struct sample *const a = &of->point[0].sample, *const b = &first.by;
    const bool single = of->count == 1;
    char from[SHORT_TEXT], until[SHORT_TEXT], range[2 * SHORT_TEXT + 20] = "";
    double least, most;
    const struct estimate mean = mean_ratio(claim, of, to, &least, &most);

    answer->verdict = is_equal(mean, low, high) ? EQUAL
                      : single                  ? judge_ratio(a, b, first.paired, low, high, &answer->z)
                                                : judge_between(mean, low, high);
    if (single)
        judge_ratio(a, b, first.paired, low, high, &answer->z);
    if (answer->verdict == UNDECIDED)
        answer->needed = open_largest(
            question, of, to, single ? growth_ratio(a, b, first.paired, low, high) : growth_between(mean, low, high));
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
    const struct estimate before = pair_ratio(&first), after = pair_ratio(&last);

    answer_side(question, after, before, answer);
    measured_estimate(answer, "the ratio grows by ",
                      (struct estimate){after.value - before.value, hypot(after.error, before.error)}, "");
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
        const struct estimate share = {.value = fabs(sample->mean) / mean,
                                       .error = sample->sd == 0 ? 0 : estimate_mean(sample).error / mean};
        const enum claim_verdict verdict = judge_between(share, 1 / within, within);

        least = fmin(least, share.value);
        most = fmax(most, share.value);
        tally_add(&tally, verdict);
        if (verdict == UNDECIDED)
            evidence_open_point(question->evidence, &curve->point[i]);
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
        const struct estimate apart = {.value = share - gsl_cdf_ugaussian_P(point->x / sd), .error = sqrt(squares)};
        tally_add(&tally, judge_between(apart, -within, within));
        furthest = fmax(furthest, fabs(apart.value));
    }
    answer->verdict = tally_verdict(&tally);
    char number[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "differ by at most %s", short_number(furthest, number));
}

/* ---- average: the mean over all of `of` less that over all of `to`, which are as many ---- */

/* Errors of points of the same collections are added up (an upper bound); those of others are independent. Adds each
 * collection's squared error to squares[of->count]. */
static struct estimate mean_difference(const struct curves *of, const struct curves *to, double *squares)
{
    struct estimate mean = {0};
    double all = 0;

    for (size_t i = 0; i < of->count; i++) {
        const struct point *const a = &of->curve[i].point[0], *const b = &to->curve[i].point[0];
        double error = 0;
        bool first = true; /* of its collection, whose error it gets */

        mean.value += (a->sample.mean - b->sample.mean) / (double)of->count;
        for (size_t j = 0; j < of->count; j++) {
            const struct point *const other = &of->curve[j].point[0], *const by = &to->curve[j].point[0];

            if (!points_alike(a, other))
                continue;
            first = first && j >= i;
            error += estimate_difference(&other->sample, &by->sample, points_paired(other, by)).error;
        }
        squares[i] = first ? error * error : 0;
        all += squares[i];
    }
    mean.error = sqrt(all) / (double)of->count;
    return mean;
}

void reduce_average(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    if (of->count != to->count) {
        answer->verdict = UNDECIDED;
        snprintf(answer->measured, sizeof answer->measured, "as many of both are needed");
        return;
    }
    double *const squares = xcalloc(of->count, sizeof *squares);
    const struct estimate difference = mean_difference(of, to, squares);
    const double ratio = DECIDED * difference.error / difference.value;

    answer_side(question, difference, (struct estimate){0}, answer);
    keep_largest(squares, of->count);
    for (size_t i = 0; answer->verdict == UNDECIDED && i < of->count; i++) {
        const struct pair pair = pair_of(question->claim, &of->curve[i].point[0], &to->curve[i].point[0]);

        if (!(squares[i] > 0))
            continue;
        answer->needed = fmax(answer->needed, ratio * ratio * (double)pair.of->sample.n);
        pair_open(question, &pair);
    }
    measured_estimate(answer, "the difference of the means is ", difference, "");
    free(squares);
}

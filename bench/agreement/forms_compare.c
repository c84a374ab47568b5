/* forms_compare.c - forms that compare curves point by point: ordering, order, best_of, coincide, ratio, percent,
 * ratio_grows, crossing. */
#include "agreement/forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ordering: `of` below (above) each of others, at every point ---- */

/* The largest fall of a curve: its first number over its last, as a sample of that mean and error. */
static struct point fall(const struct curve *curve)
{
    const struct point *const first = &curve->point[0], *const last = &curve->point[curve->count - 1];
    const struct estimate ratio = estimate_ratio(&first->sample, &last->sample, points_paired(first, last));
    struct point point = *first;

    point.x = NAN;
    point.sample =
        (struct sample){.n = first->sample.n, .mean = ratio.value, .sd = ratio.error * sqrt((double)first->sample.n)};
    return point;
}

static void derive(struct curves *curves)
{
    for (size_t i = 0; i < curves->count; i++) {
        curves->curve[i].point[0] = fall(&curves->curve[i]);
        curves->curve[i].count = 1;
    }
}

/* Compares at every point that both have; a curve of one point is compared with every point of the other. */
static void compare_curves(const struct curve *low, const struct curve *high, const char *name,
                           struct gathering *gathering)
{
    const struct curve *const longer = low->count >= high->count ? low : high;

    for (size_t i = 0; i < longer->count; i++) {
        const double x = longer->point[i].x;
        const struct point *const a = low->count == 1 ? &low->point[0] : curve_at(low, x);
        const struct point *const b = high->count == 1 ? &high->point[0] : curve_at(high, x);

        if (a && b) {
            double z;
            const enum verdict verdict = judge_below(&a->sample, &b->sample, points_paired(a, b), &z);

            gathering_add(gathering, verdict, z, name, x, a, b);
        }
    }
}

static void compare_ordering(const struct question *question, struct curves *of, struct curves *to,
                             struct answer *answer)
{
    const bool below = claim_has(question->claim, "below");

    if (strcmp(claim_text(question->claim, "derive", ""), "fall") == 0) {
        derive(of);
        derive(to);
    }
    struct gathering gathering;
    gathering_begin(&gathering, question);
    for (size_t i = 0; i < of->count; i++)
        for (size_t j = 0; j < to->count; j++)
            if (of->count + to->count == 2 || strcmp(of->name[i], to->name[j]) != 0)
                compare_curves(below ? &of->curve[i] : &to->curve[j], below ? &to->curve[j] : &of->curve[i],
                               to->count > 1 ? to->name[j] : "", &gathering);
    gathering_answer(&gathering, answer);
}

const struct form form_ordering = {
    .name = "ordering",
    .keys = (const char *const[]){"below", "above", "derive", NULL},
    .of = {.key = "of"},
    .to = {.key = "below", .instead = "above"},
    .compare = compare_ordering,
};

/* ---- order: each of `of` below the next ---- */

static void compare_order(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    (void)to;
    struct gathering gathering;
    gathering_begin(&gathering, question);
    for (size_t i = 0; i + 1 < of->count; i++)
        compare_curves(&of->curve[i], &of->curve[i + 1], of->name[i], &gathering);
    gathering_answer(&gathering, answer);
}

const struct form form_order = {
    .name = "order",
    .keys = (const char *const[]){NULL},
    .of = {.key = "of"},
    .compare = compare_order,
};

/* ---- best_of: the least of `of` is below the other, at every point ---- */

static void compare_best_of(const struct question *question, struct curves *of, struct curves *to,
                            struct answer *answer)
{
    struct gathering gathering;
    gathering_begin(&gathering, question);
    for (size_t i = 0; i < to->curve[0].count; i++) {
        const struct point *const b = &to->curve[0].point[i], *best = NULL;
        const char *name = "";

        for (size_t j = 0; j < of->count; j++) {
            const struct point *const a = curve_at(&of->curve[j], b->x);

            if (a && (!best || a->sample.mean < best->sample.mean)) {
                best = a;
                name = of->name[j];
            }
        }
        if (best) {
            double z;
            const enum verdict verdict = judge_below(&best->sample, &b->sample, points_paired(best, b), &z);

            gathering_add(&gathering, verdict, z, name, b->x, best, b);
        }
    }
    gathering_answer(&gathering, answer);
}

const struct form form_best_of = {
    .name = "best_of",
    .keys = (const char *const[]){"below", NULL},
    .of = {.key = "of"},
    .to = {.key = "below", .single = true},
    .compare = compare_best_of,
};

/* ---- coincide: `of` within a share of `with`, at every point ---- */

static void compare_coincide(const struct question *question, struct curves *of, struct curves *to,
                             struct answer *answer)
{
    const double within = claim_number(question->claim, "within", 0.05);
    struct tally tally = {0};
    double furthest = 0, at = NAN;
    const char *name = "";
    for (size_t j = 0; j < of->count; j++) {
        for (size_t i = 0; i < of->curve[j].count; i++) {
            const struct point *const a = &of->curve[j].point[i], *const b = curve_at(&to->curve[0], a->x);

            if (!b)
                continue;
            struct estimate ratio = estimate_ratio(&a->sample, &b->sample, points_paired(a, b));
            if (a->sample.mean == b->sample.mean) /* 0 / 0, and curves that are the same number by number */
                ratio = (struct estimate){.value = 1, .error = within == 0 ? 0 : ratio.error};
            const bool paired = points_paired(a, b);
            const enum verdict verdict =
                within == 0 ? ratio.value == 1 ? AGREES : DIFFERS
                            : judge_ratio(&a->sample, &b->sample, paired, 1 / (1 + within), 1 + within, NULL);
            tally_compared(question, &tally, verdict, a, b);
            if (verdict == UNDECIDED)
                answer->needed = fmax(answer->needed, (double)a->sample.n * growth_ratio(&a->sample, &b->sample, paired,
                                                                                         1 / (1 + within), 1 + within));
            if (fabs(log(ratio.value)) >= furthest) {
                furthest = fabs(log(ratio.value));
                at = a->x;
                name = of->count > 1 ? of->name[j] : "";
            }
        }
    }
    answer->verdict = tally_verdict(&tally);
    measured_apart(answer, furthest);
    char number[SHORT_TEXT];
    if (!isnan(at) && furthest > 0)
        snprintf(answer->measured + strlen(answer->measured), sizeof answer->measured - strlen(answer->measured),
                 " (%s%sat %s)", name, name[0] ? " " : "", short_number(at, number));
}

const struct form form_coincide = {
    .name = "coincide",
    .keys = (const char *const[]){"with", "within", "other", NULL},
    .of = {.key = "of"},
    .to = {.key = "with", .single = true},
    .compare = compare_coincide,
};

/* ---- ratio: `of` over `to` lies between low and high, as a mean over points or at every one ---- */

/* What one point is divided by: a number, or the users. */
static struct sample divisor(const struct claim *claim, const struct point *point)
{
    const bool by_users = strcmp(claim_text(claim, "per", ""), point->users) == 0 && *point->users;

    return (struct sample){.n = 2, .mean = by_users ? point->n : claim_number(claim, "per", 1)};
}

static const struct point *divided_by(const struct point *a, const struct curve *to)
{
    return to ? to->count == 1 ? &to->point[0] : curve_at(to, a->x) : NULL;
}

/* A point and what it is divided by. */
struct pair {
    struct sample of, by;
    bool paired;
};

static struct pair pair_at(const struct claim *claim, const struct point *a, const struct curve *to)
{
    const struct point *const b = divided_by(a, to);

    return (struct pair){a->sample, b ? b->sample : divisor(claim, a), b && points_paired(a, b)};
}

static struct estimate ratio_at(const struct claim *claim, const struct point *a, const struct curve *to)
{
    const struct pair pair = pair_at(claim, a, to);

    return estimate_ratio(&pair.of, &pair.by, pair.paired);
}

/* Geometric mean over points. Errors of neighbouring points that share their collections are added up (an upper bound);
 * those of other points are independent. */
static struct estimate mean_ratio(const struct claim *claim, const struct curve *of, const struct curve *to,
                                  double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    double sum = 0, squares = 0, of_cell = 0;
    for (size_t i = 0; i < of->count; i++) {
        const struct estimate ratio = ratio_at(claim, &of->point[i], to);

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
static double open_ratio(const struct question *question, const struct point *a, const struct point *b, double growth)
{
    static const double little = 0.1;
    const double of = square_of(estimate_mean(&a->sample)), by = b ? square_of(estimate_mean(&b->sample)) : 0;
    const bool paired = b && points_paired(a, b);
    const bool asks = paired || !(of <= little * by), asks_by = paired || !(by <= little * of);
    struct failure failure; /* without memory for the note, the claim is undecided all the same */

    if (asks)
        evidence_open_point(question->evidence, a, &failure);
    if (b && asks_by)
        evidence_open_point(question->evidence, b, &failure);
    const double first = asks ? repetitions_after(a, growth) : 0;
    return b && asks_by ? fmax(first, repetitions_after(b, growth)) : first;
}

/* Asks for more repetitions where a mean over points is open: of those points, by decreasing error, that together have
 * nearly all of its squared error. The others, however expensive, hardly make it more exact. Returns about how many
 * each of them needs if all need `growth` times as many. */
static double open_largest(const struct question *question, const struct curve *of, const struct curve *to,
                           double growth)
{
    double *const squares = calloc(of->count, sizeof *squares), needed = 0;

    if (!squares)
        return 0;
    for (size_t i = 0; i < of->count; i++) {
        squares[i] = square_of(ratio_at(question->claim, &of->point[i], to));
        if (isnan(squares[i])) /* nothing was measured: 0 / 0 */
            squares[i] = INFINITY;
    }
    keep_largest(squares, of->count);
    for (size_t i = 0; i < of->count; i++)
        if (squares[i] > 0)
            needed = fmax(needed, open_ratio(question, &of->point[i], divided_by(&of->point[i], to), growth));
    free(squares);
    return needed;
}

/* Every ratio of every pair separately; the one nearest to a bound is shown. */
static void judge_every_ratio(const struct question *question, const struct curves *of, const struct curves *to,
                              double low, double high, struct answer *answer)
{
    struct tally tally = {0};
    struct estimate nearest = {.value = NAN, .error = NAN};
    double margin = INFINITY;
    const char *name = "";

    for (size_t i = 0; i < of->count; i++) {
        for (size_t j = 0; j < to->count; j++) {
            for (size_t k = 0; k < of->curve[i].count; k++) {
                const struct point *const point = &of->curve[i].point[k];
                const struct estimate ratio = ratio_at(question->claim, point, &to->curve[j]);
                const double room = fmin(low > 0 ? log(ratio.value / low) : INFINITY, log(high / ratio.value));

                const struct pair pair = pair_at(question->claim, point, &to->curve[j]);
                const enum verdict verdict = judge_ratio(&pair.of, &pair.by, pair.paired, low, high, NULL);

                tally_compared(question, &tally, verdict, point, divided_by(point, &to->curve[j]));
                if (verdict == UNDECIDED)
                    answer->needed = fmax(answer->needed, (double)point->sample.n *
                                                              growth_ratio(&pair.of, &pair.by, pair.paired, low, high));
                if (room < margin) {
                    margin = room;
                    nearest = ratio;
                    name = to->count > 1 ? to->name[j] : of->count > 1 ? of->name[i] : "";
                }
            }
        }
    }
    answer->verdict = tally_verdict(&tally);
    char words[ANSWER_TEXT / 2];
    snprintf(words, sizeof words, " at the nearest point%s%s", name[0] ? ", " : "", name);
    measured_estimate(answer, "", nearest, words);
}

/* A bound of 1 says better or worse: with an effect that is shown to be negligible the claim neither agrees nor
 * differs.
 */
static bool is_equal(struct estimate ratio, double low, double high)
{
    return low != high && (low == 1 || high == 1) && fabs(ratio.value - 1) + DECIDED * ratio.error <= NEGLIGIBLE;
}

/* The geometric mean over points, or the ratio at a single one. */
static void judge_mean_ratio(const struct question *question, const struct curve *of, const struct curve *to,
                             struct estimate mean, struct answer *answer)
{
    const struct claim *const claim = question->claim;
    const double low = claim_number(claim, "low", -INFINITY), high = claim_number(claim, "high", INFINITY);
    const struct pair pair = pair_at(claim, &of->point[0], to);
    const bool single = of->count == 1;

    answer->verdict =
        single ? judge_ratio(&pair.of, &pair.by, pair.paired, low, high, &answer->z) : judge_between(mean, low, high);
    if (is_equal(mean, low, high))
        answer->verdict = EQUAL;
    if (answer->verdict == UNDECIDED)
        answer->needed = open_largest(question, of, to,
                                      single ? growth_ratio(&pair.of, &pair.by, pair.paired, low, high)
                                             : growth_between(mean, low, high));
}

static void compare_ratio(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct claim *const claim = question->claim;
    const double low = claim_number(claim, "low", -INFINITY), high = claim_number(claim, "high", INFINITY);

    if (strcmp(claim_text(claim, "at", ""), "every") == 0) {
        judge_every_ratio(question, of, to, low, high, answer);
    } else {
        double least, most;
        const struct estimate mean =
            mean_ratio(claim, &of->curve[0], to->count > 0 ? &to->curve[0] : NULL, &least, &most);
        char from[SHORT_TEXT], until[SHORT_TEXT], range[2 * SHORT_TEXT + 20] = "";

        if (of->curve[0].count > 1)
            snprintf(range, sizeof range, " (%s to %s)", short_number(least, from), short_number(most, until));
        judge_mean_ratio(question, &of->curve[0], to->count > 0 ? &to->curve[0] : NULL, mean, answer);
        measured_estimate(answer, "", mean, range);
    }
}

const struct form form_ratio = {
    .name = "ratio",
    .keys = (const char *const[]){"to", "low", "high", "at", "per", NULL},
    .of = {.key = "of"},
    .to = {.key = "to", .optional = true},
    .compare = compare_ratio,
};

/* ---- percent: 100 (of / to - 1) is the printed number ---- */

static void compare_percent(const struct question *question, struct curves *of, struct curves *to,
                            struct answer *answer)
{
    const struct claim *const claim = question->claim;
    const double printed = claim_number(claim, "printed", 0), unit = claim_number(claim, "unit", 0);
    struct estimate percent = ratio_at(claim, &of->curve[0].point[0], &to->curve[0]);
    const double theirs = 100 * percent.error *
                          sqrt((double)of->curve[0].point[0].sample.n / claim_number(claim, "printed_repetitions", 1));
    percent = (struct estimate){.value = 100 * (percent.value - 1), .error = 100 * percent.error};
    const double error = sqrt(percent.error * percent.error + theirs * theirs + unit * unit / 12);
    answer->z = (percent.value - printed) / error;
    answer->verdict = fabs(answer->z) > DECIDED ? DIFFERS : percent.error > error / 2 ? UNDECIDED : AGREES;
    measured_estimate(answer, "", percent, " %");
}

const struct form form_percent = {
    .name = "percent",
    .keys = (const char *const[]){"to", "printed", "unit", "printed_repetitions", NULL},
    .of = {.key = "of", .single = true},
    .to = {.key = "to", .single = true},
    .compare = compare_percent,
};

/* ---- ratio_grows: of / to is larger at the last point than at the first ---- */

static void compare_ratio_grows(const struct question *question, struct curves *of, struct curves *to,
                                struct answer *answer)
{
    const struct estimate first = ratio_at(question->claim, &of->curve[0].point[0], &to->curve[0]);
    const struct estimate last = ratio_at(question->claim, &of->curve[0].point[of->curve[0].count - 1], &to->curve[0]);
    const struct estimate growth = {.value = last.value - first.value, .error = hypot(first.error, last.error)};
    answer->z = growth.value / growth.error;
    answer->verdict = answer->z > DECIDED ? AGREES : answer->z < -DECIDED ? DIFFERS : UNDECIDED;
    measured_estimate(answer, "the ratio grows by ", growth, "");
}

const struct form form_ratio_grows = {
    .name = "ratio_grows",
    .keys = (const char *const[]){"to", NULL},
    .of = {.key = "of", .single = true},
    .to = {.key = "to", .single = true},
    .compare = compare_ratio_grows,
};

/* ---- crossing: of / to is below the factor up to the first of two points and above it from the second on ---- */

static void compare_crossing(const struct question *question, struct curves *of, struct curves *to,
                             struct answer *answer)
{
    const struct claim *const claim = question->claim;
    const double factor = claim_number(claim, "factor", 1), low = claim_element(claim, "between", 0, NAN),
                 high = claim_element(claim, "between", 1, NAN);

    struct tally tally = {0};
    double last_below = NAN, first_above = NAN;
    for (size_t i = 0; i < of->curve[0].count; i++) {
        const struct point *const point = &of->curve[0].point[i];
        const struct estimate ratio = ratio_at(claim, point, &to->curve[0]);

        if (point->x <= low)
            tally_compared(question, &tally, judge_between(ratio, 0, factor), point, divided_by(point, &to->curve[0]));
        if (point->x >= high)
            tally_compared(question, &tally, judge_between(ratio, factor, INFINITY), point,
                           divided_by(point, &to->curve[0]));
        if (ratio.value < factor)
            last_below = point->x;
        else if (isnan(first_above))
            first_above = point->x;
    }
    answer->verdict = tally_verdict(&tally);
    char below[SHORT_TEXT], above[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "below up to %s, above from %s",
             short_number(last_below, below), short_number(first_above, above));
}

const struct form form_crossing = {
    .name = "crossing",
    .keys = (const char *const[]){"to", "factor", "between", NULL},
    .of = {.key = "of", .single = true},
    .to = {.key = "to", .single = true},
    .compare = compare_crossing,
};

/* reduce_points.c - reducers that compare numbers one by one: of curves with each other, and of one curve with itself.
 * They make a list of comparisons, which is held against the claim's relation. */
#include "agreement/reduce.h"

#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compared {
    struct pair pair;
    double low, high; /* for relations between and within: what the ratio of the pair has to lie between */
    double x;
    const char *name;
};

struct comparisons {
    const struct question *question;
    struct compared *item;
    size_t count, room;
};

/* Adds the comparison of two points, or of one with a number. */
static void compare(struct comparisons *list, const struct point *of, const struct point *to, const char *name,
                    double x)
{
    const struct claim *const claim = list->question->claim;
    const double within = 1 + claim_number(claim, "within", 0.05);

    *ARRAY_ADD(list->item, list->count, list->room) = (struct compared){
        .pair = pair_of(claim, of, to),
        .low = claim->relation == WITHIN ? 1 / within : claim_number(claim, "low", -INFINITY),
        .high = claim->relation == WITHIN ? within : claim_number(claim, "high", INFINITY),
        .x = x,
        .name = name,
    };
}

/* ---- the relations ---- */

/* Decides one comparison; *z is set by orderings only. */
static enum claim_verdict decide(const struct compared *comparison, enum relation relation, double *z)
{
    const struct pair *const pair = &comparison->pair;
    const struct sample *const of = &pair->a, *const by = &pair->by;

    if (relation == BELOW || relation == ABOVE)
        return relation == BELOW ? judge_below(of, by, pair->paired, z) : judge_below(by, of, pair->paired, z);
    if (relation == WITHIN && comparison->low == comparison->high)
        return of->mean == by->mean ? AGREES : DIFFERS;
    return judge_ratio(of, by, pair->paired, comparison->low, comparison->high, NULL);
}

/* Adds "NAME at X" to a list, as long as it fits. */
static void list_place(char *list, size_t size, const char *name, double x)
{
    const size_t length = strlen(list);

    if (length >= 3 && strcmp(list + length - 3, "...") == 0)
        return;
    char number[NUMBER_TEXT];
    const int n = snprintf(list + length, size - length, "%s%s%s%s", length > 0 ? ", " : "", name,
                           isnan(x)  ? ""
                           : name[0] ? " at "
                                     : "at ",
                           isnan(x) ? "" : format_number(x, number));
    if (n < 0 || (size_t)n + 5 > size - length)
        snprintf(list + length, size - length, ", ...");
}

/* How many comparisons are for and against an ordering, and which. */
static void measured_ordering(const struct tally *tally, const char *against, const char *open, struct answer *answer)
{
    const unsigned *const n = tally->n;
    char *const to = answer->measured;
    const size_t size = sizeof answer->measured;
    int length = snprintf(to, size, "%u of %u for", n[AGREES], n[AGREES] + n[EQUAL] + n[UNDECIDED] + n[DIFFERS]);

    if (n[EQUAL] > 0)
        length += snprintf(to + length, size - (size_t)length, ", %u equal within 1 %%", n[EQUAL]);
    if (n[DIFFERS] > 0)
        length += snprintf(to + length, size - (size_t)length, *against ? ", %u against (%s)" : ", %u against%s",
                           n[DIFFERS], against);
    if (n[UNDECIDED] > 0)
        snprintf(to + length, size - (size_t)length, *open ? ", %u undecided (%s)" : ", %u undecided%s", n[UNDECIDED],
                 open);
}

/* The ratio that is nearest to a bound. */
static void measured_nearest(const struct comparisons *list, struct answer *answer)
{
    struct estimate nearest = estimate_of(NAN, NAN);
    double margin = INFINITY;
    const char *name = "";

    for (size_t i = 0; i < list->count; i++) {
        const struct compared *const each = &list->item[i];
        const struct estimate ratio = pair_ratio(&each->pair);
        const double room =
            fmin(each->low > 0 ? log(ratio.value / each->low) : INFINITY, log(each->high / ratio.value));

        if (room < margin) {
            margin = room;
            nearest = ratio;
            name = each->name;
        }
    }
    char words[ANSWER_TEXT / 2];
    snprintf(words, sizeof words, " at the nearest point%s%s", name[0] ? ", " : "", name);
    measured_estimate(answer, "", nearest, words);
}

/* "differ by at most 3.1 %", or by a factor where that is 2 or more, and where. */
static void measured_apart(const struct comparisons *list, struct answer *answer)
{
    double furthest = 0;
    const struct compared *at = NULL;

    for (size_t i = 0; i < list->count; i++) {
        const struct pair *const pair = &list->item[i].pair;
        /* 0 / 0, and curves that are the same number by number */
        const double apart = pair->a.mean == pair->by.mean ? 0 : fabs(log(pair->a.mean / pair->by.mean));

        if (apart >= furthest) {
            furthest = apart;
            at = &list->item[i];
        }
    }
    const double ratio = exp(furthest);
    char number[SHORT_TEXT], place[ANSWER_TEXT / 2] = "";
    if (at && !isnan(at->x) && furthest > 0)
        snprintf(place, sizeof place, " (%s%sat %s)", at->name, at->name[0] ? " " : "", short_number(at->x, number));
    snprintf(answer->measured, sizeof answer->measured, "differ by at most %s%s%s%s", ratio < 2 ? "" : "a factor of ",
             short_number(ratio < 2 ? 100 * (ratio - 1) : ratio, number), ratio < 2 ? " %" : "", place);
}

/* Holds all comparisons against the relation, says what was measured, and frees them. */
static void judge_list(struct comparisons *list, struct answer *answer)
{
    const enum relation relation = list->question->claim->relation;
    struct tally tally = {0};
    char against[ANSWER_TEXT / 2] = "", open[ANSWER_TEXT / 4] = "";

    for (size_t i = 0; i < list->count; i++) {
        const struct compared *const each = &list->item[i];
        double z = NAN;
        const enum claim_verdict verdict = decide(each, relation, &z);

        tally_add(&tally, verdict);
        if (isnan(answer->z) || z < answer->z)
            answer->z = z;
        if (verdict == DIFFERS)
            list_place(against, sizeof against, each->name, each->x);
        if (verdict == UNDECIDED)
            list_place(open, sizeof open, each->name, each->x);
    }
    answer->verdict = tally_verdict(&tally);
    if (relation == BETWEEN)
        measured_nearest(list, answer);
    else if (relation == WITHIN)
        measured_apart(list, answer);
    else
        measured_ordering(&tally, against, open, answer);
    free(list->item);
}

/* ---- points: each of `of` with each of `to`, at every point that both have ---- */

/* A curve of one point is compared with every point of the other. */
static void compare_curves(struct comparisons *list, const struct curve *of, const struct curve *to, const char *name)
{
    const struct curve *const longer = of->count >= to->count ? of : to;

    for (size_t i = 0; i < longer->count; i++) {
        const double x = longer->point[i].x;
        const struct point *const a = of->count == 1 ? &of->point[0] : curve_at(of, x), *const b =
                                                                                            to->count == 1
                                                                                                ? &to->point[0]
                                                                                                : curve_at(to, x);

        if (a && b)
            compare(list, a, b, name, x);
    }
}

void reduce_points(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    struct comparisons list = {.question = question};

    for (size_t i = 0; i < of->count; i++) {
        for (size_t j = 0; j < to->count; j++)
            if (of->count + to->count == 2 || strcmp(of->name[i], to->name[j]) != 0)
                compare_curves(&list, &of->curve[i], &to->curve[j],
                               to->count > 1                                           ? to->name[j]
                               : of->count > 1 && question->claim->relation >= BETWEEN ? of->name[i]
                                                                                       : "");
        for (size_t k = 0; to->count == 0 && k < of->curve[i].count; k++)
            compare(&list, &of->curve[i].point[k], NULL, of->count > 1 ? of->name[i] : "", of->curve[i].point[k].x);
    }
    judge_list(&list, answer);
}

/* ---- next: each of `of` with the next ---- */

void reduce_next(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    struct comparisons list = {.question = question};

    (void)to;
    for (size_t i = 0; i + 1 < of->count; i++)
        compare_curves(&list, &of->curve[i], &of->curve[i + 1], of->name[i]);
    judge_list(&list, answer);
}

/* ---- best: the least of `of` with the other, at every point ---- */

void reduce_best(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    struct comparisons list = {.question = question};

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
        if (best)
            compare(&list, best, b, name, b->x);
    }
    judge_list(&list, answer);
}

/* ---- falls: how many times curves fall from the first point to the last ---- */

/* The first number of a curve over its last, as a sample of that mean and error. */
static struct point ratio_of_ends(const struct curve *curve)
{
    const struct point *const first = &curve->point[0], *const last = &curve->point[curve->count - 1];
    const struct estimate ratio = estimate_ratio(&first->sample, &last->sample, points_paired(first, last));
    struct point point = *first;

    point.x = NAN;
    point.sample =
        (struct sample){.n = first->sample.n, .mean = ratio.value, .sd = ratio.error * sqrt((double)first->sample.n)};
    return point;
}

void reduce_falls(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    struct curves *const both[2] = {of, to};

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < both[side]->count; i++) {
            both[side]->curve[i].point[0] = ratio_of_ends(&both[side]->curve[i]);
            both[side]->curve[i].count = 1;
        }
    reduce_points(question, of, to, answer);
}

/* ---- ends, steps: the last point with the first, or each with the one before ---- */

static void judge_trend(const struct question *question, const struct curve *of, size_t step, struct answer *answer)
{
    struct comparisons list = {.question = question};

    for (size_t i = 0; step > 0 && i + step < of->count; i += step)
        compare(&list, &of->point[i + step], &of->point[i], "", of->point[i + step].x);
    judge_list(&list, answer);
}

void reduce_steps(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    (void)to;
    judge_trend(question, &of->curve[0], 1, answer);
}

void reduce_ends(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct point *const first = &of->curve[0].point[0], *const last = first + of->curve[0].count - 1;
    char from[SHORT_TEXT], until[SHORT_TEXT];

    const struct pair pair = pair_of(question->claim, last, first);

    (void)to;
    judge_trend(question, &of->curve[0], of->curve[0].count - 1, answer);
    if (question->claim->relation == BETWEEN)
        measured_estimate(answer, "last over first ", pair_ratio(&pair), "");
    else
        snprintf(answer->measured, sizeof answer->measured, "%s against %s", short_number(pair.a.mean, until),
                 short_number(pair.by.mean, from));
}

/* ---- mirror: the points at centre - x and centre + x ---- */

void reduce_mirror(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const double centre = claim_number(question->claim, "centre", 0);
    struct comparisons list = {.question = question};

    (void)to;
    for (size_t i = 0; i < of->curve[0].count; i++) {
        const struct point *const a = &of->curve[0].point[i], *const b = curve_at(&of->curve[0], 2 * centre - a->x);

        if (b && a->x < centre)
            compare(&list, a, b, "", NAN);
    }
    judge_list(&list, answer);
}

/* ---- crossing: of / to is below the factor up to the first of two points and above it from the second on ---- */

void reduce_crossing(const struct question *question, struct curves *of, struct curves *to, struct answer *answer)
{
    const struct claim *const claim = question->claim;
    const double factor = claim_number(claim, "factor", 1), low = claim_element(claim, "points", 0, NAN),
                 high = claim_element(claim, "points", 1, NAN);
    struct comparisons list = {.question = question};
    double last_below = NAN, first_above = NAN;

    for (size_t i = 0; i < of->curve[0].count; i++) {
        const struct point *const point = &of->curve[0].point[i];
        const struct pair pair = pair_at(claim, point, &to->curve[0]);

        if (point->x <= low || point->x >= high)
            *ARRAY_ADD(list.item, list.count, list.room) = (struct compared){
                pair, point->x <= low ? -INFINITY : factor, point->x <= low ? factor : INFINITY, point->x, ""};
        if (pair_ratio(&pair).value < factor)
            last_below = point->x;
        else if (isnan(first_above))
            first_above = point->x;
    }
    judge_list(&list, answer);
    char below[SHORT_TEXT], above[SHORT_TEXT];
    snprintf(answer->measured, sizeof answer->measured, "below up to %s, above from %s",
             short_number(last_below, below), short_number(first_above, above));
}

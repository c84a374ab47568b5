/* contest.c - see contest.h.
 *
 * The leader has the least mean error. It is better than a rival if the mean of the differences d, rival minus leader
 * within a repetition, is above 0 by Student's t test, with one value more: d = -max|d| / 2. A single bad repetition
 * that was not seen cannot overturn such a verdict, values that do not vary need no special case (n equal differences
 * give t = (2 n - 1) / 3, so fewer than five decide nothing), and skewed or discrete errors keep the level much better.
 *
 * The claim "the best" needs all rivals beaten, each at the level: an intersection of tests, which needs no correction
 * for their number (Gutmann, Maymin 1987). The set of those not distinguished does: Holm's (1979).
 *
 * If repetitions may be added until something is decided, p is that of the t test with a normal prior on the effect
 * size, of variance g = 1/3 (Robbins 1970; Goenen et al. 2005; Perez-Ortiz et al. 2022): its level holds at all times
 * of looking together.
 *
 * The interval of the ratio of means is Fieller's (1954).
 *
 * Differences of the numbers and not of their logarithms: "the best" has the least mean, which is what tables show. */
#include "stats/contest.h"

#include "stats/summary.h"
#include "support/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Relative differences up to this are rounding. */
static const double rounding = 1e-12;

/* Variance of the effect size under the mixture's prior. Not tuned. */
static const double prior = 1.0 / 3;

static double square(double x)
{
    return x * x;
}

struct contest contest_of(const struct sample *sample, size_t count, const struct ldp_measure *measure, double level,
                          bool any_time)
{
    return (struct contest){.sample = sample,
                            .count = count,
                            .more = measure->better == LDP_MORE,
                            .low = measure->low,
                            .high = measure->high,
                            .level = level,
                            .any_time = any_time};
}

/* ---- The test ---- */

/* Two-sided p of a t statistic of n values. */
static double p_of(double t, double n, bool any_time)
{
    if (!(n > 1))
        return 1;
    if (!any_time)
        return fmin(1, 2 * gsl_cdf_tdist_Q(fabs(t), n - 1));
    double u = t * t / (n - 1), scale = 1 + n * prior;
    return fmin(1, exp(0.5 * log(scale) - 0.5 * n * (log1p(u) - log1p(u / scale))));
}

/* t with p = level. */
double contest_critical(double n, double level, bool any_time)
{
    if (!(n > 1))
        return INFINITY;
    if (!any_time)
        return gsl_cdf_tdist_Qinv(level / 2, n - 1);
    double scale = 1 + n * prior, a = pow(scale / square(level), 1 / n);
    return a < scale ? sqrt((n - 1) * (a - 1) / (1 - a / scale)) : INFINITY;
}

/* Differences of two candidates: n of them, their mean, sum of squares about it, and largest size. */
struct differences {
    double n, mean, squares, largest;
};

/* t of the differences and of one more, -bad / 2. */
static double guarded_t(const struct differences *d, double bad)
{
    double n = d->n + 1, mean = (d->n * d->mean - bad / 2) / n;
    double squares = d->squares + square(d->mean + bad / 2) * d->n / n;
    if (!(d->n > 0) || !(bad > 0) || !(squares > 0))
        return 0;
    return mean * sqrt(n * (n - 1) / squares);
}

/* Of an array that may hold NAN. */
static struct differences summed(const double *value, size_t length)
{
    struct summary summary = summarise(value, length);
    struct differences d = {.n = (double)summary.n, .mean = summary.n > 0 ? summary.mean : 0};
    for (size_t i = 0; i < length; i++)
        if (!isnan(value[i])) {
            d.squares += square(value[i] - d.mean);
            d.largest = fmax(d.largest, fabs(value[i]));
        }
    return d;
}

/* ---- Samples ---- */

/* The mean as an error: smaller is better. */
static double error_of(const struct contest *contest, size_t i)
{
    return contest->more ? -contest->sample[i].mean : contest->sample[i].mean;
}

/* How many repetitions both have. */
static size_t common_length(const struct sample *a, const struct sample *b)
{
    return a->length < b->length ? a->length : b->length;
}

static bool same_value(double x, double y)
{
    return x == y || fabs(x - y) <= rounding * fmax(fabs(x), fabs(y)) || (isnan(x) && isnan(y));
}

/* Whether two candidates have the same values, undefined in the same repetitions. */
static bool are_same(const struct sample *a, const struct sample *b)
{
    if (a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++)
        if (!same_value(a->value[i], b->value[i]))
            return false;
    return true;
}

/* Differences, above 0 where `better` is, plus a part of the size of `worse`. room: of the longest sample. */
static struct differences differences_of(const struct contest *contest, size_t better, size_t worse, double part,
                                         double *room)
{
    const struct sample *a = &contest->sample[worse], *b = &contest->sample[better];
    size_t length = common_length(a, b);
    for (size_t i = 0; i < length; i++) {
        double x = a->value[i], y = b->value[i], d = contest->more ? y - x : x - y;
        room[i] = (same_value(x, y) && !isnan(x) ? 0 : d) + part * fabs(x);
    }
    return summed(room, length);
}

static double *room_for(const struct contest *contest)
{
    size_t longest = 0;
    for (size_t i = 0; i < contest->count; i++)
        if (contest->sample[i].length > longest)
            longest = contest->sample[i].length;
    return xcalloc(longest, sizeof(double));
}

/* p, two-sided, of the claim that one candidate is better than another; 1 where its mean is not the better one. */
static double p_between(const struct contest *contest, size_t better, size_t worse, double *room)
{
    struct differences d = differences_of(contest, better, worse, 0, room);
    double t = guarded_t(&d, d.largest);
    return t > 0 ? p_of(t, d.n + 1, contest->any_time) : 1;
}

/* Whether a sample is undefined in significantly more repetitions than another (exact McNemar test). */
static bool is_less_defined(const struct sample *sample, const struct sample *other, double level)
{
    unsigned only = 0, discordant = 0;
    for (size_t i = 0; i < common_length(sample, other); i++) {
        bool mine = isnan(sample->value[i]), its = isnan(other->value[i]);
        only += mine && !its;
        discordant += mine != its;
    }
    return 2 * only > discordant && gsl_cdf_binomial_Q(only - 1, 0.5, discordant) < level;
}

/* ---- Many tests ---- */

struct indexed {
    double p;
    size_t index;
};

static int by_p(const void *a, const void *b)
{
    const struct indexed *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

void holm(const double *p, size_t count, double *adjusted)
{
    struct indexed *order = xcalloc(count, sizeof *order);
    double highest = 0;
    for (size_t i = 0; i < count; i++)
        order[i] = (struct indexed){p[i], i};
    qsort(order, count, sizeof *order, by_p);
    for (size_t i = 0; i < count; i++) {
        highest = fmax(highest, fmin(1, order[i].p * (double)(count - i)));
        adjusted[order[i].index] = highest;
    }
    free(order);
}

/* ---- The verdict ---- */

/* Lists candidates with the same values once; the first of the least errors leads. */
static void find_leader(const struct contest *contest, struct verdict *verdict, struct rival *rival)
{
    for (size_t i = 0; i < contest->count; i++) {
        rival[i] = (struct rival){.absent = contest->sample[i].n == 0, .same_as = i};
        for (size_t k = 0; k < i && rival[i].same_as == i && !rival[i].absent; k++)
            if (rival[k].same_as == k && are_same(&contest->sample[k], &contest->sample[i]))
                rival[i].same_as = k;
        if (!rival[i].absent && (verdict->best == SIZE_MAX || error_of(contest, i) < error_of(contest, verdict->best)))
            verdict->best = rival[i].same_as;
    }
}

static bool is_rival(const struct verdict *verdict, const struct rival *rival, size_t i)
{
    return !rival[i].absent && rival[i].same_as == i && i != verdict->best;
}

/* Whether the leader is at most CONTEST_ALIKE above another candidate. Of a bounded measure a bad repetition that was
 * not seen may be as bad as the range allows. */
static bool is_alike(const struct contest *contest, size_t best, size_t i, double *room)
{
    double lead = error_of(contest, i) - error_of(contest, best), range = contest->high - contest->low;
    if (lead > CONTEST_ALIKE * fabs(contest->sample[best].mean))
        return false;
    struct differences d = differences_of(contest, best, i, CONTEST_ALIKE, room);
    double t = guarded_t(&d, isfinite(range) ? range : d.largest);
    if (!isfinite(range) && !(d.largest > 0)) /* all values are 0: like the same values of any other size */
        t = (2 * d.n - 1) / 3;
    return t > 0 && p_of(t, d.n + 1, contest->any_time) < contest->level;
}

static void judge_rival(const struct contest *contest, size_t best, size_t i, struct rival *rival, double *room)
{
    rival->undefined = is_less_defined(&contest->sample[best], &contest->sample[i], contest->level);
    rival->p = rival->undefined ? 1 : p_between(contest, best, i, room);
    rival->beaten = rival->p < contest->level;
    rival->alike = !rival->undefined && is_alike(contest, best, i, room);
}

/* Marks those that are not distinguished from the best, unless the contest is decided. */
static void mark_ties(const struct contest *contest, const struct verdict *verdict, struct rival *rival)
{
    double *p = xcalloc(contest->count, sizeof *p);
    size_t count = 0;
    for (size_t i = 0; i < contest->count; i++)
        if (is_rival(verdict, rival, i))
            p[count++] = rival[i].p;
    holm(p, count, p);
    count = 0;
    for (size_t i = 0; i < contest->count; i++)
        if (is_rival(verdict, rival, i))
            rival[i].tied = !(p[count++] < contest->level) && !verdict->decided;
    free(p);
}

/* Candidates with the values of an earlier one get its verdict; those with the values of the best are tied with it, and
 * surely alike only after as many repetitions as that takes: what was not seen may differ. */
static void judge_equals(const struct contest *contest, struct verdict *verdict, struct rival *rival, double *room)
{
    for (size_t i = 0; i < contest->count; i++) {
        size_t first = rival[i].same_as;
        if (rival[i].absent || first == i)
            continue;
        if (first != verdict->best) {
            rival[i] = rival[first];
            continue;
        }
        rival[i].p = 1;
        rival[i].tied = true;
        rival[i].alike = is_alike(contest, first, i, room);
        verdict->good_enough &= rival[i].alike;
    }
}

/* ---- The margin ---- */

/* Means of two candidates over the repetitions that both have, their variances and covariance. */
struct moments {
    double n, x, y, vx, vy, cxy;
};

static struct moments moments_of(const struct sample *x, const struct sample *y)
{
    struct moments m = {0};
    size_t length = common_length(x, y);
    double sx = 0, sy = 0;
    for (size_t i = 0; i < length; i++)
        if (!isnan(x->value[i]) && !isnan(y->value[i])) {
            sx += x->value[i];
            sy += y->value[i];
            m.n++;
        }
    m.x = sx / m.n;
    m.y = sy / m.n;
    for (size_t i = 0; i < length; i++)
        if (!isnan(x->value[i]) && !isnan(y->value[i])) {
            m.vx += square(x->value[i] - m.x);
            m.vy += square(y->value[i] - m.y);
            m.cxy += (x->value[i] - m.x) * (y->value[i] - m.y);
        }
    double scale = m.n * (m.n - 1);
    m.vx /= scale;
    m.vy /= scale;
    m.cxy /= scale;
    return m;
}

/* The ratio of means and its interval; of scores the best over the next. */
static void find_margin(const struct contest *contest, const struct rival *rival, struct verdict *verdict)
{
    const struct sample *best = &contest->sample[verdict->best], *next = &contest->sample[verdict->next];
    struct moments m = contest->more ? moments_of(next, best) : moments_of(best, next);
    double low = 0, high = INFINITY;
    if (m.x < 0 || m.y < 0 || !(m.x > 0 || m.y > 0))
        return;
    verdict->margin = m.y / m.x;
    double c2 = square(contest_critical(m.n, contest->level, contest->any_time));
    if (isfinite(c2)) {
        double a = m.x * m.x - c2 * m.vx, b = m.x * m.y - c2 * m.cxy, k = m.y * m.y - c2 * m.vy;
        double root = sqrt(fmax(b * b - a * k, 0));
        if (a > 0) {
            low = fmax((b - root) / a, 0);
            high = (b + root) / a;
        } else if (b + root > 0 && k > 0) {
            low = k / (b + root); /* the other root is beyond infinity */
        }
    }
    bool beaten = rival[verdict->next].beaten;
    verdict->margin_low = beaten ? fmax(low, 1) : fmin(low, 1);
    verdict->margin_high = beaten ? high : fmax(high, 1);
}

/* ---- Repetitions to decide ---- */

/* Whether n repetitions with the differences seen so far would beat a rival. */
static bool would_beat(const struct contest *contest, const struct differences *d, double n)
{
    struct differences more = *d;
    more.n = n;
    more.squares = d->squares / (d->n - 1) * (n - 1);
    return p_of(fmax(guarded_t(&more, d->largest), 0), n + 1, contest->any_time) < contest->level;
}

/* 0: not known. The difference seen is taken for the true one. */
static uint64_t needed_against(const struct contest *contest, size_t best, size_t i, double *room)
{
    struct differences d = differences_of(contest, best, i, 0, room);
    double low = d.n, high = d.n;
    if (!(d.n > 1) || !(d.mean > 0))
        return 0;
    while (!would_beat(contest, &d, high)) {
        low = high;
        high *= 2;
        if (high > 1e12)
            return 0;
    }
    while (high > 1.02 * low) {
        double middle = sqrt(low * high);
        if (would_beat(contest, &d, middle))
            high = middle;
        else
            low = middle;
    }
    return (uint64_t)ceil(high);
}

static void find_needed(const struct contest *contest, const struct rival *rival, struct verdict *verdict, double *room)
{
    bool known = true;
    for (size_t i = 0; i < contest->count && known; i++) {
        if (!is_rival(verdict, rival, i) || rival[i].beaten)
            continue;
        uint64_t needed = rival[i].undefined ? 0 : needed_against(contest, verdict->best, i, room);
        known = needed > 0;
        verdict->needed = needed > verdict->needed ? needed : verdict->needed;
    }
    if (!known)
        verdict->needed = 0;
}

void contest_judge(const struct contest *contest, struct verdict *verdict, struct rival *rival)
{
    double *room = room_for(contest);
    *verdict = (struct verdict){.best = SIZE_MAX,
                                .next = SIZE_MAX,
                                .p = (double)NAN,
                                .margin = (double)NAN,
                                .margin_low = (double)NAN,
                                .margin_high = (double)NAN};
    find_leader(contest, verdict, rival);
    verdict->decided = verdict->good_enough = verdict->best != SIZE_MAX;
    for (size_t i = 0; i < contest->count; i++) {
        if (!is_rival(verdict, rival, i))
            continue;
        judge_rival(contest, verdict->best, i, &rival[i], room);
        verdict->decided &= rival[i].beaten;
        verdict->good_enough &= rival[i].beaten || rival[i].alike;
        verdict->p = fmax(verdict->p, rival[i].p);
        if (verdict->next == SIZE_MAX || error_of(contest, i) < error_of(contest, verdict->next))
            verdict->next = i;
    }
    mark_ties(contest, verdict, rival);
    judge_equals(contest, verdict, rival, room);
    if (verdict->next != SIZE_MAX)
        find_margin(contest, rival, verdict);
    if (!verdict->decided && verdict->best != SIZE_MAX)
        find_needed(contest, rival, verdict, room);
    free(room);
}

double cautious_error(const double *value, size_t length, double low, double high)
{
    struct summary summary = summarise(value, length);
    double n = (double)summary.n, range = high - low, bad = 0, squares = 0;
    if (summary.n == 0)
        return NAN;
    for (size_t i = 0; i < length; i++)
        if (!isnan(value[i])) {
            squares += square(value[i] - summary.mean);
            bad = fmax(bad, fabs(value[i] - summary.mean));
        }
    if (isfinite(range))
        bad = range;
    return sqrt((squares + square(bad) * n / (n + 1)) / (n * (n + 1)));
}

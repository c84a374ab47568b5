/* contest.c - see contest.h.
 *
 * Rule. The leader has the least mean error. It is better than a rival if the mean of the differences d, rival minus
 * leader within a repetition, is above 0 by Student's t test, with one value more: d = -max|d| / 2. A single bad
 * repetition that was not seen cannot overturn such a verdict, values that do not vary need no special case (n equal
 * differences give t = (2 n - 1) / 3, so fewer than five decide nothing), and skewed or discrete errors keep the level
 * much better. It is no guarantee: no test keeps its level where one repetition in a thousand has most of the error.
 * Differences of the numbers and not of their logarithms: "the best" has the least mean, which is what tables show.
 *
 * Correction. The claim "the best" needs all rivals beaten, each at the level: an intersection of tests, which needs no
 * correction for their number (Gutmann, Maymin, Ann. Statist. 15, 1987). The set of those not distinguished does:
 * whoever is left out is called worse than the leader, and the leader is any of m, chosen because its mean is the
 * least. So p counts for all pairs, m (m - 1) / 2, and step by step for those among the remaining ones (as Holm, Scand.
 * J. Statist. 6, 1979, whose factor m - 1 would be right if the leader were given: of 40 methods that are equally good
 * it leaves one out in 12 to 22 %). Over the points of
 * a map: Benjamini and Hochberg (J. R. Statist. Soc. B 57, 1995), on each point's largest p.
 *
 * Any time. If repetitions may be added until something is decided, p is that of the t test with a normal prior on the
 * effect size, of variance g = 1/3 (Robbins, Ann. Math. Statist. 41, 1970; Goenen et al., Am. Statist. 59, 2005;
 * Perez-Ortiz et al., Bernoulli 2024): its level holds at all times of looking together.
 *
 * Equality. "At most 1 % above" and "equal within 1 %" (both ways: two one-sided tests; Schuirmann, J. Pharmacokinet.
 * Biopharm. 15, 1987) are the same test of d and 1 % of the rival, but with one value -B, where B is the range of the
 * measure or the largest value seen: candidates that are the same in all of n repetitions may differ in a share 3 / n
 * of all. It takes about 300 such repetitions, any time about 440.
 *
 * Identity. Two candidates that are the same in all of n repetitions differ in more than a share x of all with
 * probability (1 - x)^n at most, also at any time of looking: whoever is the same in n repetitions is in fewer. It
 * counts for all pairs, as the leader is any of m. So with x = 1/10 it takes 29 repetitions for two candidates, 67 for
 * eleven, to say that the leader and a candidate that was never another one are the same in nine of ten. That says
 * nothing of their means, and is enough to end: more repetitions would compare what is seldom different.
 *
 * The interval of the ratio of means is Fieller's (J. R. Statist. Soc. B 16, 1954), as if the worst repetition had
 * been seen once more. A leader that is undefined more
 * often than a rival, by McNemar's exact test, does not win. Errors known exactly have no deviation and no guard. */
#include "stats/contest.h"

#include "stats/summary.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>

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

size_t contest_condition(const struct ldp_measure *measures, size_t measure)
{
    for (size_t m = 0; measures[measure].better == LDP_LESS && measures[m].name; m++)
        if (measures[m].better == LDP_TARGET && measures[m].low == 0 && measures[m].high == 1)
            return m;
    return SIZE_MAX;
}

/* ---- Samples ---- */

/* The mean as an error: smaller is better. */
static double error_of(const struct contest *contest, size_t i)
{
    return contest->more ? -contest->sample[i].mean : contest->sample[i].mean;
}

/* Room for a number of each repetition. */
static double *room_for(const struct contest *contest)
{
    size_t longest = 0;
    for (size_t i = 0; i < contest->count; i++) {
        longest = contest->sample[i].length > longest ? contest->sample[i].length : longest;
        if (contest->share && contest->share[i].length > longest)
            longest = contest->share[i].length;
    }
    return xcalloc(longest, sizeof(double));
}

static struct differences lead_of(const struct contest *contest, size_t better, size_t other, double part, double *room)
{
    return differences_of(&contest->sample[better], &contest->sample[other], contest->more, part, room);
}

/* p, two-sided, of the claim that one candidate is better than another; 1 where its mean is not the better one. */
static double p_between(const struct contest *contest, size_t better, size_t other, double *room)
{
    const struct differences d = lead_of(contest, better, other, 0, room);
    return guarded_above(&d, contest->any_time);
}

/* ---- Many tests ---- */

void contest_family(struct verdict *verdict, size_t points, double level)
{
    double *const p = xcalloc(points, sizeof *p), bound = 0;
    size_t count = 0;
    for (size_t i = 0; i < points; i++)
        if (!isnan(verdict[i].p))
            p[count++] = verdict[i].p;
    qsort(p, count, sizeof *p, by_number);
    for (size_t i = 0; i < count; i++)
        if (p[i] <= level * (double)(i + 1) / (double)count)
            bound = p[i];
    for (size_t i = 0; i < points; i++)
        verdict[i].decided &= isnan(verdict[i].p) || verdict[i].p <= bound;
    free(p);
}

void contest_pairs(const struct contest *contest, double *p)
{
    double *const room = room_for(contest);
    for (size_t i = 0; i < contest->count; i++)
        for (size_t k = 0; k < contest->count; k++) {
            const struct sample *const a = &contest->sample[i], *const b = &contest->sample[k];
            const bool defined = !isnan(a->mean) && !isnan(b->mean);
            const bool rarer = i != k && defined && undefined_more(a, b) < contest->level;
            p[i * contest->count + k] = i == k || !defined || rarer ? 1 : p_between(contest, i, k, room);
        }
    free(room);
}

/* ---- The verdict ---- */

static bool is_candidate(const struct rival *rival)
{
    return !rival->absent && !rival->invalid;
}

double contest_short(const struct contest *contest, size_t candidate)
{
    const struct sample least = {.exact = true, .mean = contest->least};
    if (!contest->share || contest->share[candidate].n == 0)
        return 1;
    double *const room = room_for(contest);
    const struct differences d = differences_of(&contest->share[candidate], &least, false, 0, room);
    free(room);
    return guarded_above(&d, contest->any_time);
}

/* Lists candidates with the same values once; the first of the least errors leads. */
static void find_leader(const struct contest *contest, struct verdict *verdict)
{
    struct rival *const rival = verdict->rival;
    for (size_t i = 0; i < contest->count; i++) {
        const struct sample *const sample = &contest->sample[i];
        rival[i] = (struct rival){.absent = isnan(sample->mean) || (sample->n == 0 && !sample->exact),
                                  .invalid = contest_short(contest, i) < contest->level,
                                  .same_as = i,
                                  .p = (double)NAN};
        if (!is_candidate(&rival[i]))
            continue;
        for (size_t k = 0; k < i && rival[i].same_as == i; k++)
            if (is_candidate(&rival[k]) && rival[k].same_as == k && same_values(&contest->sample[k], sample))
                rival[i].same_as = k;
        if (verdict->best == SIZE_MAX || error_of(contest, i) < error_of(contest, verdict->best))
            verdict->best = rival[i].same_as;
    }
}

static bool is_rival(const struct verdict *verdict, size_t i)
{
    return is_candidate(&verdict->rival[i]) && verdict->rival[i].same_as == i && i != verdict->best;
}

/* p, two-sided, of the claim that a candidate is at most a part of another's mean above it. A repetition that was not
 * seen counts whole and not half, as one that is bad by the range or, without one, by the largest value: candidates
 * that are the same in every repetition may differ in others, and what was seen of d does not tell by how much. */
static double p_at_most(const struct contest *contest, size_t i, size_t other, double part, double *room)
{
    const struct sample *const a = &contest->sample[i], *const b = &contest->sample[other];
    const double range = contest->high - contest->low;
    struct differences d = lead_of(contest, i, other, part, room);
    if (isinf(d.n))
        return d.mean >= 0 ? 0 : 1;
    double bad = isfinite(range) ? range : fmax(d.largest, fmax(largest_size(a), largest_size(b)));
    if (!(bad > 0)) { /* all values are 0: like the same values of any other size */
        d.mean = part;
        bad = 1;
    }
    const double t = guarded_t(&d, 2 * bad);
    return t > 0 ? guarded_p(t, d.n + 1, contest->any_time) : 1;
}

double contest_equal(const struct contest *contest, size_t a, size_t b, double part)
{
    const struct sample *const one = &contest->sample[a], *const two = &contest->sample[b];
    if (isnan(one->mean) || isnan(two->mean) || undefined_more(one, two) < contest->level ||
        undefined_more(two, one) < contest->level)
        return 1;
    double *const room = room_for(contest);
    const double p = fmax(p_at_most(contest, a, b, part, room), p_at_most(contest, b, a, part, room));
    free(room);
    return p;
}

/* Whether the leader is at most CONTEST_ALIKE above another candidate, and no more ahead of it either. */
static bool is_alike(const struct contest *contest, size_t best, size_t i, double *room)
{
    const double lead = error_of(contest, i) - error_of(contest, best);
    return lead <= CONTEST_ALIKE * fabs(contest->sample[best].mean) &&
           p_at_most(contest, best, i, CONTEST_ALIKE, room) < contest->level;
}

static void judge_rival(const struct contest *contest, struct verdict *verdict, size_t i, double *room)
{
    struct rival *const rival = &verdict->rival[i];
    const size_t best = verdict->best;
    rival->undefined = undefined_more(&contest->sample[best], &contest->sample[i]) < contest->level;
    rival->p = rival->undefined ? 1 : p_between(contest, best, i, room);
    rival->beaten = rival->p < contest->level;
    rival->alike = !rival->undefined && is_alike(contest, best, i, room);
    verdict->decided &= rival->beaten;
    verdict->good_enough &= rival->beaten || rival->alike;
    verdict->p = fmax(verdict->p, rival->p);
    if (verdict->next == SIZE_MAX || error_of(contest, i) < error_of(contest, verdict->next))
        verdict->next = i;
}

/* Marks those that are not distinguished from the best: Holm's steps, with the number of pairs among those that are
 * left and the best. */
static void mark_ties(const struct contest *contest, const struct verdict *verdict)
{
    struct rival *const rival = verdict->rival;
    double *const p = xcalloc(contest->count, sizeof *p);
    size_t count = 0;
    for (size_t i = 0; i < contest->count; i++)
        if (is_rival(verdict, i))
            p[count++] = rival[i].p;
    step_down(p, count, true, p);
    count = 0;
    for (size_t i = 0; i < contest->count; i++)
        if (is_rival(verdict, i))
            rival[i].tied = !(p[count++] < contest->level) && !(verdict->good_enough && rival[i].beaten);
    free(p);
}

/* p of "differs from the leader in a larger share than CONTEST_SELDOM" of whoever has its values in all repetitions. */
static double p_seldom(const struct contest *contest, const struct verdict *verdict)
{
    const struct sample *const best = &contest->sample[verdict->best];
    const double n = (double)(best->value ? best->length : best->n);
    double candidates = 0;
    for (size_t i = 0; i < contest->count; i++)
        candidates += is_candidate(&verdict->rival[i]);
    return best->exact ? 0 : candidates * (candidates - 1) / 2 * pow(1 - CONTEST_SELDOM, n);
}

/* Candidates with the values of an earlier one get its verdict; those with the values of the best are tied with it, and
 * surely alike only after as many repetitions as that takes: what was not seen may differ. */
static void judge_equals(const struct contest *contest, struct verdict *verdict, double *room)
{
    struct rival *const rival = verdict->rival;
    for (size_t i = 0; i < contest->count; i++) {
        const size_t first = rival[i].same_as;
        if (!is_candidate(&rival[i]) || first == i)
            continue;
        if (first != verdict->best) {
            rival[i] = rival[first];
            continue;
        }
        rival[i].p = 1;
        rival[i].tied = true;
        rival[i].alike = is_alike(contest, first, i, room);
        rival[i].seldom = p_seldom(contest, verdict) < contest->level;
        verdict->good_enough &= rival[i].alike || rival[i].seldom;
        verdict->decided = false;
        verdict->p = 1;
    }
}

/* ---- The margin ---- */

struct margin contest_margin(const struct contest *contest, size_t best, size_t other, bool beaten)
{
    const struct sample *const one = &contest->sample[best], *const two = &contest->sample[other];
    const double range = contest->high - contest->low;
    const struct pair_moments m = contest->more ? pair_moments_of(two, one, range) : pair_moments_of(one, two, range);
    struct margin margin = {(double)NAN, (double)NAN, (double)NAN};
    if (!(m.x >= 0 && m.y >= 0) || !(m.x > 0 || m.y > 0))
        return margin;
    margin = (struct margin){m.y / m.x, 0, INFINITY};
    const double c2 = isinf(m.n) ? 0 : square(contest_critical(m.n, contest->level, contest->any_time));
    if (isfinite(c2)) {
        const double a = m.x * m.x - c2 * m.vx, b = m.x * m.y - c2 * m.cxy, k = m.y * m.y - c2 * m.vy;
        const double root = sqrt(fmax(b * b - a * k, 0));
        if (a > 0) {
            margin.low = fmax((b - root) / a, 0);
            margin.high = (b + root) / a;
        } else if (b + root > 0 && k > 0) {
            margin.low = k / (b + root); /* the other root is beyond infinity */
        }
    }
    margin.low = beaten ? fmax(margin.low, 1) : fmin(margin.low, 1);
    margin.high = beaten ? margin.high : fmax(margin.high, 1);
    return margin;
}

/* ---- All ---- */

static void judge_leader(const struct contest *contest, struct verdict *verdict, double *room)
{
    const struct sample *const best = &contest->sample[verdict->best];
    verdict->repetitions = best->n;
    verdict->undefined = best->length > 0 ? 1 - (double)best->n / (double)best->length : 0;
    verdict->decided = verdict->good_enough = true;
    for (size_t i = 0; i < contest->count; i++)
        if (is_rival(verdict, i))
            judge_rival(contest, verdict, i, room);
    mark_ties(contest, verdict);
    judge_equals(contest, verdict, room);
    if (verdict->next != SIZE_MAX) {
        const struct margin margin =
            contest_margin(contest, verdict->best, verdict->next, verdict->rival[verdict->next].beaten);
        verdict->margin = margin;
    }
}

struct verdict contest_judge(const struct contest *contest)
{
    double *const room = room_for(contest);
    struct verdict verdict = {.best = SIZE_MAX,
                              .next = SIZE_MAX,
                              .p = (double)NAN,
                              .margin = {(double)NAN, (double)NAN, (double)NAN},
                              .rival = xcalloc(contest->count, sizeof *verdict.rival),
                              .count = contest->count};
    find_leader(contest, &verdict);
    if (verdict.best != SIZE_MAX)
        judge_leader(contest, &verdict, room);
    free(room);
    return verdict;
}

void verdict_clear(struct verdict *verdict)
{
    free(verdict->rival);
    *verdict = (struct verdict){0};
}

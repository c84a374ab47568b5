/* setting.c - see setting.h.
 *
 * Rule. The leader has the least mean error. It is better than another if the mean of the differences d, the other's
 * error minus the leader's within a repetition, is above 0 by Student's t test, with one value more: d = -max|d| / 2. A
 * single bad repetition that was not seen cannot overturn such a result, values that do not vary need no special case
 * (n equal differences give t = (2 n - 1) / 3, so fewer than five decide nothing), and skewed or discrete errors keep
 * the level much better. It is no guarantee: no test keeps its level where one repetition in a thousand has most of the
 * error. Differences of the numbers and not of their logarithms: "the best" has the least mean, which is what tables
 * show. A leader that is undefined more often than another, by McNemar's exact test, does not win. Errors known exactly
 * have no deviation and no guard.
 *
 * Correction. The claim "the best" needs all others beaten, each at the level: an intersection of tests, which needs no
 * correction for their number (Gutmann, Maymin, Ann. Statist. 15, 1987). Over the points of a map: Benjamini and
 * Hochberg (J. R. Statist. Soc. B 57, 1995), on each point's largest p.
 *
 * Any time. If repetitions may be added until something is decided, p is that of the t test with a normal prior on the
 * effect size, of variance g = 1/3 (Robbins, Ann. Math. Statist. 41, 1970; Goenen et al., Am. Statist. 59, 2005;
 * Perez-Ortiz et al., Bernoulli 2024): its level holds at all times of looking together.
 *
 * Equality. "Equal within 1 %" (both ways: two one-sided tests; Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987) is
 * the same test of d and 1 % of the other, but with one value -B, where B is the range of the measure or the largest
 * value seen: candidates that are the same in all of n repetitions may differ in a share 3 / n of all. It takes about
 * 300 such repetitions, any time about 440. */
#include "stats/setting.h"

#include "stats/summary.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>

struct setting setting_of(const struct sample *sample, size_t count, const struct ldp_measure *measure, double level,
                          bool any_time)
{
    return (struct setting){.sample = sample,
                            .count = count,
                            .more = measure->better == LDP_MORE,
                            .low = measure->low,
                            .high = measure->high,
                            .level = level,
                            .any_time = any_time};
}

size_t setting_condition(const struct ldp_measure *measures, size_t measure)
{
    for (size_t m = 0; measures[measure].better == LDP_LESS && measures[m].name; m++)
        if (measures[m].better == LDP_TARGET && measures[m].low == 0 && measures[m].high == 1)
            return m;
    return SIZE_MAX;
}

/* ---- Samples ---- */

/* The mean as an error: smaller is better. */
static double error_of(const struct setting *setting, size_t i)
{
    return setting->more ? -setting->sample[i].mean : setting->sample[i].mean;
}

/* Room for a number of each repetition. */
static double *room_for(const struct setting *setting)
{
    size_t longest = 0;
    for (size_t i = 0; i < setting->count; i++) {
        longest = setting->sample[i].length > longest ? setting->sample[i].length : longest;
        if (setting->share && setting->share[i].length > longest)
            longest = setting->share[i].length;
    }
    return xcalloc(longest, sizeof(double));
}

static struct differences lead_of(const struct setting *setting, size_t better, size_t other, double part, double *room)
{
    return differences_of(&setting->sample[better], &setting->sample[other], setting->more, part, room);
}

/* p, two-sided, of the claim that one candidate is better than another; 1 where its mean is not the better one. */
static double p_between(const struct setting *setting, size_t better, size_t other, double *room)
{
    const struct differences d = lead_of(setting, better, other, 0, room);
    return robust_above(&d, setting->any_time);
}

/* ---- Many tests ---- */

void setting_family(struct setting_result *result, size_t points, double level)
{
    double *const p = xcalloc(points, sizeof *p), bound = 0;
    size_t count = 0;
    for (size_t i = 0; i < points; i++)
        if (!isnan(result[i].p))
            p[count++] = result[i].p;
    qsort(p, count, sizeof *p, by_number);
    for (size_t i = 0; i < count; i++)
        if (p[i] <= level * (double)(i + 1) / (double)count)
            bound = p[i];
    for (size_t i = 0; i < points; i++)
        result[i].decided &= isnan(result[i].p) || result[i].p <= bound;
    free(p);
}

/* The same, 1 too where the one is undefined more often. */
static double p_of_better(const struct setting *setting, size_t better, size_t other, double *room)
{
    const bool rarer = undefined_more(&setting->sample[better], &setting->sample[other]) < setting->level;
    return rarer ? 1 : p_between(setting, better, other, room);
}

void setting_pairs(const struct setting *setting, double *p)
{
    double *const room = room_for(setting);
    for (size_t i = 0; i < setting->count; i++)
        for (size_t k = 0; k < setting->count; k++) {
            const bool defined = !isnan(setting->sample[i].mean) && !isnan(setting->sample[k].mean);
            p[i * setting->count + k] = i == k || !defined ? 1 : p_of_better(setting, i, k, room);
        }
    free(room);
}

/* ---- The result ---- */

double setting_short(const struct setting *setting, size_t candidate)
{
    const struct sample least = {.exact = true, .mean = setting->least};
    if (!setting->share || setting->share[candidate].n == 0)
        return 1;
    double *const room = room_for(setting);
    const struct differences d = differences_of(&setting->share[candidate], &least, false, 0, room);
    free(room);
    return robust_above(&d, setting->any_time);
}

/* p, two-sided, of the claim that a candidate is at most a part of another's mean above it. A repetition that was not
 * seen counts whole and not half, as one that is bad by the range or, without one, by the largest value: candidates
 * that are the same in every repetition may differ in others, and what was seen of d does not tell by how much. */
static double p_at_most(const struct setting *setting, size_t i, size_t other, double part, double *room)
{
    const struct sample *const a = &setting->sample[i], *const b = &setting->sample[other];
    const double range = setting->high - setting->low;
    struct differences d = lead_of(setting, i, other, part, room);
    if (isinf(d.n))
        return d.mean >= 0 ? 0 : 1;
    double bad = isfinite(range) ? range : fmax(d.largest, fmax(largest_size(a), largest_size(b)));
    if (!(bad > 0)) { /* all values are 0: like the same values of any other size */
        d.mean = part;
        bad = 1;
    }
    const double t = robust_t(&d, 2 * bad);
    return t > 0 ? robust_p(t, d.n + 1, setting->any_time) : 1;
}

double setting_equal(const struct setting *setting, size_t a, size_t b, double part)
{
    const struct sample *const one = &setting->sample[a], *const two = &setting->sample[b];
    if (isnan(one->mean) || isnan(two->mean) || undefined_more(one, two) < setting->level ||
        undefined_more(two, one) < setting->level)
        return 1;
    double *const room = room_for(setting);
    const double p = fmax(p_at_most(setting, a, b, part, room), p_at_most(setting, b, a, part, room));
    free(room);
    return p;
}

static bool is_candidate(const struct setting *setting, size_t i)
{
    const struct sample *const sample = &setting->sample[i];
    return !isnan(sample->mean) && (sample->n > 0 || sample->exact) && !(setting_short(setting, i) < setting->level);
}

/* The first of the least errors, and of those with its values. */
static size_t find_leader(const struct setting *setting, const bool *candidate)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < setting->count; i++)
        if (candidate[i] && (best == SIZE_MAX || error_of(setting, i) < error_of(setting, best)))
            best = i;
    for (size_t i = 0; best != SIZE_MAX && i < best; i++)
        if (candidate[i] && same_values(&setting->sample[i], &setting->sample[best]))
            return i;
    return best;
}

struct setting_result setting_compare(const struct setting *setting)
{
    struct setting_result result = {.next = SIZE_MAX, .p = (double)NAN, .lead = (double)NAN};
    bool *const candidate = xcalloc(setting->count, sizeof *candidate);
    double *const room = room_for(setting);
    for (size_t i = 0; i < setting->count; i++)
        candidate[i] = is_candidate(setting, i);
    const size_t best = result.best = find_leader(setting, candidate);
    result.decided = best != SIZE_MAX;
    for (size_t i = 0; best != SIZE_MAX && i < setting->count; i++) {
        if (!candidate[i] || i == best)
            continue;
        const bool same = same_values(&setting->sample[best], &setting->sample[i]);
        const double p = same ? 1 : p_of_better(setting, best, i, room); /* what was not seen may differ */
        result.decided &= p < setting->level;
        result.p = fmax(result.p, p);
        if (!same && (result.next == SIZE_MAX || error_of(setting, i) < error_of(setting, result.next)))
            result.next = i;
    }
    if (result.next != SIZE_MAX) {
        const struct pair_means m = pair_means_of(&setting->sample[best], &setting->sample[result.next]);
        if (m.x >= 0 && m.y >= 0 && m.x + m.y > 0)
            result.lead = setting->more ? m.x / m.y : m.y / m.x;
    }
    free(candidate);
    free(room);
    return result;
}

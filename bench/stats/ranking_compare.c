/* ranking_compare.c - what is said of candidates: which is the best, which are surely worse, and how far above the best
 * a choice is at most.
 *
 * What is known exactly is used as known: the error of unprocessed estimates in queries over all values and over random
 * sets follows from the oracle's variance; and of one method with two oracles that with the larger variance is the
 * worse one where simulation does not contradict.
 *
 * All else is uncertain for three reasons, and a claim has to hold against each: the trials are few (the judge,
 * contest.h); another collection would have led to other populations (the spread over replicates is added); and which
 * kind of population it is, is not known: it has to hold for each kind. The p of a claim is the largest; Holm's
 * correction is over the claims of a ranking. */
#include "stats/contest.h"
#include "stats/ranking_private.h"
#include "support/memory.h"

#include "interval.h"
#include "queries/set_size.h"
#include "support/numbers.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is known exactly ---- */

/* Numbers that differ by less are the same. */
static const double rounding = 1e-9;

/* n Var of an estimate, in the mean over the domain. */
static double mean_variance(const struct ldp_protocol *protocol)
{
    return protocol->s1 + protocol->tf / (double)protocol->d;
}

/* The mean squared error of unprocessed estimates; NAN: it depends on the population, or is not known. That of a random
 * set of m values, which hold m/d of the users on average, is by the law of core/set_interval.c. */
static double exact_error(const struct ldp_protocol *protocol, uint64_t n, const struct ldp_query_spec *spec,
                          size_t point)
{
    const double d = (double)protocol->d;
    if (protocol->flags & LDP_ORACLE_BIASED || protocol->oracle->variance)
        return NAN;
    if (protocol->s1 == 0 && protocol->tf == 0)
        return 0;
    if (spec->query->whole_domain && spec->query->single_values)
        return mean_variance(protocol) / (double)n;
    if (!spec->query->expected)
        return NAN;
    const size_t size = ldp_set_size(spec->points[point], protocol->d);
    const double m = (double)size;
    if (!ldp_set_variance_known(protocol))
        return NAN;
    const struct ldp_spread spread = ldp_set_spread(protocol, n, NULL, size, NULL, NULL);
    return (spread.s1 + spread.tf * m / d) / (double)n;
}

static double exact_of(const struct ranking_plan *plan, const struct ranking *ranking, size_t protocol)
{
    return exact_error(&plan->protocols[protocol], plan->n, &plan->queries[ranking->query], ranking->point);
}

/* Whether the estimates of one protocol surely have more noise than those of another: by exact errors, where those are
 * known, else if the variance of a value is larger at the frequencies 0 and 1, and so at all. Exact errors of sets do
 * not suffice: grr's sum to 1, oue's do not, and a method that makes them do so gives oue what grr was better at. */
static bool is_noisier(const struct ranking_plan *plan, const struct ranking *ranking, size_t a, size_t b)
{
    const struct ldp_protocol *const x = &plan->protocols[a], *const y = &plan->protocols[b];
    const double of_x = exact_of(plan, ranking, a), of_y = exact_of(plan, ranking, b);

    if (a == b)
        return false;
    if (!isnan(of_x) && !isnan(of_y))
        return of_x > of_y * (1 + rounding) && mean_variance(x) > mean_variance(y) * (1 + rounding);
    if ((x->flags | y->flags) & LDP_ORACLE_BIASED || x->oracle->variance || y->oracle->variance)
        return false;
    const double at_one = x->s1 + x->tf, other = y->s1 + y->tf;
    return x->s1 >= y->s1 && at_one >= other && (x->s1 > y->s1 * (1 + rounding) || at_one > other * (1 + rounding));
}

static bool is_unprocessed(const struct ldp_method *method)
{
    return method->guarantees & LDP_UNBIASED && !method->apply;
}

/* Whether two candidates make the same errors in all trials, but for rounding. */
static bool are_alike(const struct evidence *evidence, size_t i, size_t a, size_t b)
{
    for (int k = 0; k < evidence->kinds; k++) {
        const struct sample *const x = &evidence->kind[k].ranking[i].ranked[a].error,
                                   *y = &evidence->kind[k].ranking[i].ranked[b].error;

        for (size_t t = 0; t < x->length && t < y->length; t++)
            if (!(fabs(x->value[t] - y->value[t]) <= rounding * x->value[t]))
                return false;
    }
    return true;
}

static void take(struct ranked *ranked, double exact)
{
    ranked->exact = true;
    ranked->error.mean = exact;
    ranked->error.sd = 0;
}

/* Fewer trials do not tell a slope. */
enum { TRIALS_FOR_SLOPE = 10 };

/* Another method on the same collections, with unprocessed estimates, whose mean error is known, as control variate. */
static void take_beside(const struct evidence *evidence, size_t i, const struct ranked *known, double exact,
                        struct ranked *other)
{
    const double *const x = known->error.value, *const y = other->error.value;
    const size_t n = known->error.length;
    const double variance = gsl_stats_variance(x, 1, n);

    if (are_alike(evidence, i, known->place, other->place)) {
        take(other, exact);
    } else if (n >= TRIALS_FOR_SLOPE && variance > 0) {
        const double slope = gsl_stats_covariance(x, 1, y, 1, n) / variance;
        const double mean = other->error.mean + slope * (exact - known->error.mean);

        other->error.mean = mean > 0 ? mean : other->error.mean;
    }
}

void take_exact(const struct evidence *evidence, const struct rankings *out)
{
    const struct ranking_plan *const plan = evidence->plan;

    for (size_t i = 0; i < out->count; i++)
        for (size_t k = 0; k < out->size; k++) {
            const struct ranking *const ranking = &out->ranking[i];
            struct ranked *const ranked = &ranking->ranked[k];
            const struct ldp_method *const method = plan->methods[ranked->method].method;
            const double exact = is_unprocessed(method) ? exact_of(plan, ranking, ranked->protocol) : (double)NAN;

            for (size_t other = 0; !isnan(exact) && other < out->size; other++)
                if (ranking->ranked[other].protocol == ranked->protocol && other != k)
                    take_beside(evidence, i, ranked, exact, &ranking->ranked[other]);
            if (!isnan(exact))
                take(ranked, exact);
            /* A method that ignores the estimates makes one error on one population. */
            ranked->exact |= method->guarantees & LDP_IGNORES_ESTIMATE && !plan->fit->varies && evidence->kinds == 1;
        }
}

/* ---- Claims ---- */

/* Where predictions are those of populations of one kind: p of "this candidate is better than that one". */
static double claim_of_kind(const struct evidence *evidence, int kind, size_t i, size_t better, size_t worse,
                            const struct spread *spread)
{
    const struct ranked *const ranked = evidence->kind[kind].ranking[i].ranked;
    const struct sample sample[] = {ranked[better].error, ranked[worse].error};
    const struct contest contest = contest_of(sample, 2, &ldp_squared_error[0], ranking_level, false);
    const double m = (double)evidence->plan->replicates;
    struct comparison c;
    double p[4];

    contest_pairs(&contest, p);
    if (!spread || m == 0)
        return p[1];
    compare_samples(&sample[0], &sample[1], true, &c);
    compare_widen(&c, spread_sd(spread, m), m - 1);
    return fmax(p[1], c.change > 0 ? c.p : 1);
}

/* The same with all that is known. spread: of their ratios over replicates; NULL: trials alone. */
static double claim(const struct evidence *evidence, const struct rankings *out, size_t i, const struct ranked *better,
                    const struct ranked *worse, const struct spread *spread)
{
    const bool above = worse->error.mean > better->error.mean * (1 + rounding);
    double p = 0;

    if (better->exact && worse->exact)
        return above ? 0 : 1;
    if (above && better->method == worse->method &&
        is_noisier(evidence->plan, &out->ranking[i], worse->protocol, better->protocol))
        return 0;
    for (int k = 0; k < evidence->kinds; k++)
        p = fmax(p, claim_of_kind(evidence, k, i, better->place, worse->place, spread));
    return p;
}

/* ---- The best ---- */

static int by_error(const void *a, const void *b)
{
    const struct ranked *const x = a, *const y = b;

    if (x->barred != y->barred)
        return x->barred ? 1 : -1;
    if (x->error.mean != y->error.mean)
        return x->error.mean < y->error.mean ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* How many times the error of the best a candidate has. Where all kinds of populations count: at most, by any of them,
 * how many times the least error by that kind. */
static double ratio_of(const struct evidence *evidence, const struct rankings *out, size_t i,
                       const struct ranked *ranked)
{
    const struct ranking *const ranking = &out->ranking[i];
    const double best = ranking->ranked[0].error.mean;
    double most = 0;

    if (!is_blended(evidence->plan, ranking))
        return ranked->error.mean == best ? 1 : ranked->error.mean / best;
    for (int k = 0; k < evidence->kinds; k++)
        most = fmax(most, over_least(evidence->kind[k].ranking[i].ranked, out->size, ranked->place));
    return most;
}

static void place_first(struct ranked *ranked, size_t best)
{
    const struct ranked leader = ranked[best];

    memmove(&ranked[1], &ranked[0], best * sizeof *ranked);
    ranked[0] = leader;
}

/* What the best has least of: the error; where all kinds of populations count, times the cube of the largest ratio to
 * the least error of a kind. As logarithms: a quarter of the mean regret over kinds and three quarters of the largest,
 * between Bayes and minimax (Hodges, Lehmann, Ann. Math. Statist. 23, 1952). The shares were chosen on laws other than
 * those that studies/recommending.md reports. */
static double demerit(const struct evidence *evidence, const struct rankings *out, size_t i,
                      const struct ranked *ranked)
{
    const double ratio = is_blended(evidence->plan, &out->ranking[i]) ? ratio_of(evidence, out, i, ranked) : 1;

    return ranked->error.mean * ratio * ratio * ratio;
}

/* The best, or the same method with another oracle that surely has less noise, unless trials show that to be worse. It
 * becomes the first. */
static void lead(const struct evidence *evidence, const struct rankings *out, size_t i)
{
    const struct ranking_plan *const plan = evidence->plan;
    struct ranked *const ranked = out->ranking[i].ranked;
    size_t best = 0;

    for (size_t k = 1; k < out->ranking[i].size; k++)
        if (demerit(evidence, out, i, &ranked[k]) < demerit(evidence, out, i, &ranked[best]))
            best = k;
    place_first(ranked, best);
    best = 0;
    for (size_t k = 1; k < out->ranking[i].size; k++)
        if (ranked[k].method == ranked[0].method &&
            is_noisier(plan, &out->ranking[i], ranked[best].protocol, ranked[k].protocol) &&
            claim(evidence, out, i, &ranked[0], &ranked[k], NULL) * (double)plan->nprotocols > ranking_level)
            best = k;
    place_first(ranked, best);
}

static size_t choice_for_all(const struct evidence *evidence, const struct rankings *out)
{
    double *const largest = xcalloc(out->size, sizeof *largest);
    size_t choice = 0;

    for (size_t i = 0; i < out->count; i++)
        for (size_t k = 0; k < out->size; k++) {
            const struct ranked *const ranked = &out->ranking[i].ranked[k];
            largest[ranked->place] =
                ranked->barred ? INFINITY : fmax(largest[ranked->place], ratio_of(evidence, out, i, ranked));
        }
    for (size_t place = 0; place < out->size; place++)
        if (largest[place] < largest[choice])
            choice = place;
    free(largest);
    return choice;
}

void find_best(const struct evidence *evidence, struct rankings *out)
{
    for (size_t i = 0; i < out->count; i++) {
        out->ranking[i].size = 0;
        for (size_t k = 0; k < out->size; k++)
            out->ranking[i].size += !out->ranking[i].ranked[k].barred;
        qsort(out->ranking[i].ranked, out->size, sizeof *out->ranking[i].ranked, by_error);
        lead(evidence, out, i);
    }
    out->choice = choice_for_all(evidence, out);
}

/* ---- Comparisons with the best ---- */

static void compare_with_best(const struct evidence *evidence, const struct rankings *out, size_t i, size_t k,
                              struct comparison *c)
{
    const struct ranked *const best = &out->ranking[i].ranked[0], *const ranked = &out->ranking[i].ranked[k];
    const struct spread *const spread = &evidence->best[i * out->size + ranked->place];
    const double m = (double)evidence->plan->replicates;

    compare_samples(&best->error, &ranked->error, true, c);
    if (m > 0)
        compare_widen(c, spread_sd(spread, m), m - 1);
    if (isfinite(c->change) && best->error.mean > 0)
        c->change = ranked->error.mean / best->error.mean - 1;
    if (best->exact && ranked->exact)
        c->standard_error = 0;
    c->p = claim(evidence, out, i, best, ranked, spread);
}

/* ---- Bounds ---- */

/* How far a candidate is above another one, as the upper end of an interval by the trials, by the kind of populations
 * by which that is most. */
static double excess(const struct evidence *evidence, const struct rankings *out, size_t i,
                     const struct ranked *candidate, const struct ranked *other)
{
    double most = 0;

    if (candidate->exact && other->exact)
        return other->error.mean > 0 ? fmax(0, candidate->error.mean / other->error.mean - 1) : 0;
    if (candidate->method == other->method &&
        is_noisier(evidence->plan, &out->ranking[i], other->protocol, candidate->protocol))
        return 0;
    for (int k = 0; k < evidence->kinds; k++) {
        const struct ranked *const ranked = evidence->kind[k].ranking[i].ranked;
        struct comparison c;

        compare_samples(&ranked[other->place].error, &ranked[candidate->place].error, true, &c);
        if (!isfinite(c.change))
            return INFINITY;
        const double t = c.standard_error > 0 && c.df > 0 ? gsl_cdf_tdist_Pinv(ranking_within, c.df) : 0;
        most = fmax(most, c.change + t * c.standard_error);
    }
    return most;
}

/* The largest excess over another candidate; not less than what a share ranking_within of replicates has, of which
 * over[] holds the ratios to the least error. */
static double largest_excess(const struct evidence *evidence, const struct rankings *out, size_t i, size_t place,
                             double *over)
{
    const size_t m = evidence->plan->replicates, quantile = (size_t)ceil(ranking_within * (double)(m + 1));
    const struct ranked *const ranked = out->ranking[i].ranked, *candidate = ranked;
    double most = 0;

    while (candidate->place != place)
        candidate++;
    for (size_t k = 0; k < out->ranking[i].size; k++)
        if (ranked[k].place != place)
            most = fmax(most, excess(evidence, out, i, candidate, &ranked[k]));
    if (m == 0)
        return most;
    over += i * m;
    qsort(over, m, sizeof *over, by_number);
    return fmax(most, over[(quantile < m ? quantile : m) - 1] - 1);
}

/* How often bounds hold was measured with more trials and replicates than these; fewer tell too little. */
enum { TRIALS_FOR_BOUNDS = 30, REPLICATES_FOR_BOUNDS = 10 };

static bool has_bounds(const struct evidence *evidence)
{
    const struct ranking_plan *const plan = evidence->plan;
    const bool is_known = !plan->fit->varies && evidence->kinds == 1;

    return plan->trials >= TRIALS_FOR_BOUNDS && (is_known || plan->replicates >= REPLICATES_FOR_BOUNDS);
}

void compare_candidates(const struct evidence *evidence, const struct rankings *out)
{
    struct comparison *const comparison = xcalloc(out->size, sizeof *comparison);

    for (size_t i = 0; i < out->count; i++) {
        struct ranking *const ranking = &out->ranking[i];

        for (size_t k = 1; k < ranking->size; k++)
            compare_with_best(evidence, out, i, k, &comparison[k]);
        compare_all(comparison + 1, ranking->size - 1, ranking_level);
        for (size_t k = 0; k < ranking->size; k++) {
            ranking->ranked[k].from_the_best = comparison[k];
            ranking->ranked[k].apart = k > 0 && comparison[k].adjusted < ranking_level;
        }
        ranking->within = ranking->choice_within = INFINITY;
        if (!has_bounds(evidence))
            continue;
        ranking->within = largest_excess(evidence, out, i, ranking->ranked[0].place, evidence->best_over);
        ranking->choice_within = largest_excess(evidence, out, i, out->choice, evidence->choice_over);
    }
    free(comparison);
}

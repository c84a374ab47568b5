/* ranking_replicates.c - the spread of predictions over collections like the one that was observed. See ranking.c. */
#include "stats/ranking_private.h"

#include <math.h>

/* Fits to a collection of plan->made_by from a synthetic population, and simulates from that. */
static int run_replicate(const struct ranking_plan *plan, uint32_t replicate, uint32_t trials, struct trials *pilot,
                         struct surrogate_fit *fit, struct rankings *out, struct failure *failure)
{
    struct ldp_rng rng;

    ldp_rng_stream(&rng, plan->seed, "recommend|replicate", replicate);
    if (trials_begin(pilot, plan->fit, plan->n, plan->made_by, LDP_COUNTS, &rng, failure) != 0)
        return -1;
    const double *const est = collection_run(&pilot->collection, &rng, NULL, failure);
    if (!est)
        return -1;
    surrogate_fit(fit, plan->surrogate, plan->made_by, plan->n, est, surrogate_sets(plan->queries, plan->nqueries));
    struct ranking_plan again = *plan;
    again.fit = fit;
    again.seed = ldp_rng_next(&rng);
    again.trials = trials;
    return rankings_simulate(&again, out, failure);
}

/* The relative standard error that the trials of a replicate may leave of an error. */
static const double error_precision = 0.05;

/* And of its ratio to the best one: a fifth of the ratio's logarithm, since the spread is to tell whether the two are
 * different, within bounds: smaller ones do not matter to a choice, and of larger ones the logarithm is biased. */
static double ratio_precision(double ratio)
{
    return fmin(0.2, fmax(0.01, log(ratio) / 5));
}

/* The trials of a replicate that leave such a standard error, from the standard deviation of one trial. */
static uint32_t trials_for(const struct ranking_plan *plan, double sd, double precision)
{
    const double enough = ceil(sd * sd / (precision * precision));
    const uint32_t most = few_trials(plan);

    return !(enough < most) ? most : enough < 2 ? 2 : (uint32_t)enough;
}

/* The trials that determine the ratios of a candidate's errors to another's in a replicate. Where a prediction is that
 * of all kinds its standard deviation is not that of one, and all are used. */
static uint32_t trials_for_ratio(const struct ranking_plan *plan, const struct ranking *ranking,
                                 const struct sample *from, const struct sample *error)
{
    struct comparison c;

    if (is_blended(plan, ranking))
        return few_trials(plan);
    compare_samples(from, error, true, &c);
    const double ratio = 1 + c.change, sd = c.standard_error / ratio * sqrt((double)error->n);
    return trials_for(plan, sd, ratio_precision(ratio));
}

static uint32_t largest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The trials that determine the errors and ratios of a replicate at a point. Returns the most of them. */
static uint32_t choose_trials(const struct evidence *evidence, const struct rankings *rankings, size_t i)
{
    const struct ranking_plan *const plan = evidence->plan;
    const struct ranking *const ranking = &rankings->ranking[i];
    const struct sample *const best = &ranking->ranked[0].error;
    uint32_t most = 0;

    for (size_t k = 0; k < rankings->size; k++) {
        const struct sample *const error = &ranking->ranked[k].error;
        const size_t at = i * rankings->size + ranking->ranked[k].place;

        if (ranking->ranked[k].barred)
            continue;
        evidence->own[at].trials =
            is_blended(plan, ranking) ? few_trials(plan) : trials_for(plan, error->sd / error->mean, error_precision);
        evidence->best[at].trials = trials_for_ratio(plan, ranking, best, error);
        most = largest(most, largest(evidence->own[at].trials, evidence->best[at].trials));
    }
    return most;
}

/* Logarithms of a candidate's own errors. */
static void add_error(const struct sample *all, struct spread *spread)
{
    const struct sample error = first_of(all, spread->trials);
    const double logarithm = log(error.mean), relative = error.sd / error.mean;

    spread->sum += logarithm;
    spread->squares += logarithm * logarithm;
    spread->noise += relative * relative / (double)error.n;
}

static void add_ratio(const struct sample *all_of_best, const struct sample *all, struct spread *spread)
{
    const struct sample best = first_of(all_of_best, spread->trials), error = first_of(all, spread->trials);
    struct comparison c;

    compare_samples(&best, &error, true, &c);
    const double logarithm = log1p(c.change);
    spread->sum += logarithm;
    spread->squares += logarithm * logarithm;
    spread->noise += c.standard_error * c.standard_error / ((1 + c.change) * (1 + c.change));
}

double over_least(const struct ranked *ranked, size_t size, size_t place)
{
    double least = INFINITY;

    for (size_t k = 0; k < size; k++)
        least = ranked[k].barred ? least : fmin(least, ranked[k].error.mean);
    return ranked[place].error.mean > least ? ranked[place].error.mean / least : 1;
}

static void add_replicate(const struct evidence *evidence, const struct rankings *rankings,
                          const struct rankings *replicate, uint32_t number)
{
    for (size_t i = 0; i < rankings->count; i++) {
        const struct ranked *const again = replicate->ranking[i].ranked;
        const size_t best = rankings->ranking[i].ranked[0].place, from = i * rankings->size;
        const size_t at = i * evidence->plan->replicates + number;

        for (size_t k = 0; k < rankings->size; k++) {
            if (again[k].barred)
                continue;
            add_error(&again[k].error, &evidence->own[from + k]);
            add_ratio(&again[best].error, &again[k].error, &evidence->best[from + k]);
        }
        evidence->best_over[at] = over_least(again, rankings->size, best);
        evidence->choice_over[at] = over_least(again, rankings->size, rankings->choice);
    }
}

double spread_sd(const struct spread *spread, double m)
{
    const double variance = (spread->squares - spread->sum * spread->sum / m) / (m - 1) - spread->noise / m;

    return variance > 0 ? sqrt(variance) : 0;
}

int run_replicates(const struct evidence *evidence, const struct rankings *rankings, struct failure *failure)
{
    const struct ranking_plan *const plan = evidence->plan;
    struct trials pilot = {.unranked = true};
    struct surrogate_fit fit = {0};
    uint32_t trials = 0;
    int result = 0;

    for (size_t i = 0; i < rankings->count; i++)
        trials = largest(trials, choose_trials(evidence, rankings, i));
    for (uint32_t replicate = 0; result == 0 && replicate < plan->replicates; replicate++) {
        struct rankings again = {0};

        result = run_replicate(plan, replicate, trials, &pilot, &fit, &again, failure);
        if (result == 0)
            add_replicate(evidence, rankings, &again, replicate);
        rankings_clear(&again);
    }
    trials_clear(&pilot);
    surrogate_fit_clear(&fit);
    return result;
}

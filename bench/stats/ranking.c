/* ranking.c - see ranking.h.
 *
 * Trials (ranking_simulate.c) show the uncertainty of a ranking for the one collection that was observed; another
 * collection would have led to other synthetic populations. The parametric bootstrap estimates how different they would
 * be (Efron, Ann. Statist. 7, 1979): a replicate is a collection from a synthetic population, from which everything is
 * repeated with a tenth of the trials, or fewer where those determine its errors. The variation of predicted errors
 * among replicates is part of the range in which a candidate's true error is expected.
 *
 * The law of the populations is unknown as well: a smooth law and one of a few points fit a collection almost equally
 * well (posterior.c), and errors of methods that learn the law from the data may differ by factors between the two. The
 * range spans what both predict, and what nonparametric maximum likelihood does, a single population.
 *
 * For queries about ranks a prediction is that from all three kinds of populations (kinds.c). */
#include "stats/ranking.h"

#include "stats/kinds.h"
#include "support/threads.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

const double ranking_level = 0.05;

enum { TRIALS_SHARE = 10 }; /* a replicate has this part of the trials */

static uint32_t few_trials(const struct ranking_plan *plan)
{
    return plan->trials / TRIALS_SHARE < 2 ? 2 : plan->trials / TRIALS_SHARE;
}

/* ---- Replicates ---- */

/* Fits to a collection of plan->made_by from a synthetic population, and simulates from that. */
static int run_replicate(const struct ranking_plan *plan, uint32_t replicate, uint32_t trials, struct trials *pilot,
                         struct surrogate_fit *fit, struct rankings *out, struct failure *failure)
{
    struct ldp_rng rng;

    ldp_rng_stream(&rng, plan->seed, "recommend|replicate", replicate);
    if (trials_begin(pilot, plan->fit, plan->n, plan->made_by, LDP_COUNTS, &rng, failure) != 0)
        return -1;
    const double *const est = collection_run(&pilot->collection, &rng, NULL, failure);
    if (!est || surrogate_fit(fit, plan->surrogate, plan->made_by, plan->n, est,
                              surrogate_sets(plan->queries, plan->nqueries), failure) != 0)
        return -1;
    struct ranking_plan again = *plan;
    again.fit = fit;
    again.seed = ldp_rng_next(&rng);
    again.trials = trials;
    return rankings_simulate(&again, out, failure);
}

/* A candidate's error, or the ratio of two candidates' errors, over replicates. */
struct spread {
    uint32_t trials;     /* of a replicate that are used */
    double sum, squares; /* of logarithms */
    double noise;        /* the sum of their squared standard errors, over trials */
};

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

/* Whether the predictions of a ranking are those of all kinds of populations. */
static bool is_blended(const struct ranking_plan *plan, const struct ranking *ranking)
{
    return plan->sharp && kinds_count_for(plan->queries[ranking->query].query);
}

/* The trials that determine the errors of a replicate at a point; each candidate's depend on those of the best only.
 * Where a prediction is that of all kinds its standard deviation is not that of one, and all are used. Returns the most
 * of them. */
static uint32_t choose_trials(const struct ranking_plan *plan, const struct ranking *ranking, size_t size,
                              struct spread *spread, struct spread *own)
{
    const struct sample *const best = &ranking->ranked[0].error;
    const bool blended = is_blended(plan, ranking);
    uint32_t most = 0;

    for (size_t k = 0; k < size; k++) {
        const struct sample *const error = &ranking->ranked[k].error;
        struct comparison c;

        compare_samples(best, error, true, &c);
        const double ratio = 1 + c.change, sd = c.standard_error / ratio * sqrt((double)error->n);
        own[k].trials = blended ? few_trials(plan) : trials_for(plan, error->sd / error->mean, error_precision);
        spread[k].trials = blended ? few_trials(plan) : trials_for(plan, sd, ratio_precision(ratio));
        most = own[k].trials > most ? own[k].trials : most;
        most = spread[k].trials > most ? spread[k].trials : most;
    }
    return most;
}

/* The first trials of a sample. */
static struct sample first_of(const struct sample *sample, uint32_t trials)
{
    return sample_of(sample->value, trials);
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

static void add_replicate(const struct rankings *rankings, const struct rankings *replicate, struct spread *spread,
                          struct spread *own)
{
    for (size_t i = 0; i < rankings->count; i++) {
        const struct ranked *const ranked = rankings->ranking[i].ranked, *const again = replicate->ranking[i].ranked;

        for (size_t k = 0; k < rankings->size; k++)
            add_error(&again[ranked[k].place].error, &own[i * rankings->size + k]);
        for (size_t k = 1; k < rankings->size; k++)
            add_ratio(&again[ranked[0].place].error, &again[ranked[k].place].error, &spread[i * rankings->size + k]);
    }
}

/* The standard deviation over replicates, without what their few trials add to it. */
static double spread_sd(const struct spread *spread, double m)
{
    const double variance = (spread->squares - spread->sum * spread->sum / m) / (m - 1) - spread->noise / m;

    return variance > 0 ? sqrt(variance) : 0;
}

/* spread[count * size] of ratios, own of errors, all zero. */
static int run_replicates(const struct ranking_plan *plan, const struct rankings *rankings, struct spread *spread,
                          struct spread *own, struct failure *failure)
{
    struct trials pilot = {.unranked = true};
    struct surrogate_fit fit = {0};
    uint32_t trials = 0;
    int result = 0;

    for (size_t i = 0; i < rankings->count; i++) {
        const uint32_t needed = choose_trials(plan, &rankings->ranking[i], rankings->size, spread + i * rankings->size,
                                              own + i * rankings->size);

        trials = needed > trials ? needed : trials;
    }
    for (uint32_t replicate = 0; result == 0 && replicate < plan->replicates; replicate++) {
        struct rankings again = {0};

        result = run_replicate(plan, replicate, trials, &pilot, &fit, &again, failure);
        if (result == 0)
            add_replicate(rankings, &again, spread, own);
        rankings_clear(&again);
    }
    trials_clear(&pilot);
    surrogate_fit_clear(&fit);
    return result;
}

/* ---- Ranges ---- */

/* The uncertainty from trials and replicates, as a factor in both directions at a level of 95 %, beyond the least and
 * the largest prediction. */
static void widen(const struct ranking_plan *plan, const struct spread *own, struct ranked *ranked)
{
    const struct sample *const error = &ranked->error;
    const double m = (double)plan->replicates, relative = error->sd / error->mean;
    const double replicates = plan->replicates > 0 ? spread_sd(own, m) : 0;
    const double sd = sqrt(relative * relative / (double)error->n + replicates * replicates);
    const double degrees = replicates > 0 ? m - 1 : (double)error->n - 1;
    const double factor = exp(gsl_cdf_tdist_Pinv(0.975, degrees) * sd);

    ranked->low = ranked->least / factor;
    ranked->high = ranked->most * factor;
}

/* Ranges of all candidates, once they are sorted. */
static void find_ranges(const struct ranking_plan *plan, const struct spread *own, const struct rankings *out)
{
    for (size_t i = 0; i < out->count * out->size; i++) {
        struct ranked *const ranked = &out->ranking[i / out->size].ranked[i % out->size];

        if (ranked->error.mean > 0)
            widen(plan, &own[i], ranked);
    }
}

/* ---- Predictions by populations of other kinds ---- */

/* Makes a candidate's errors those of all kinds. */
static void blend(const struct sample error[KINDS], double *value, uint32_t trials, struct sample *out)
{
    double mean[KINDS], scale[KINDS];

    for (int k = 0; k < KINDS; k++)
        mean[k] = error[k].mean;
    kinds_scale(mean, scale);
    for (uint32_t t = 0; t < trials; t++) {
        double sum = 0;

        for (int k = 0; k < KINDS; k++)
            sum += scale[k] * error[k].value[t];
        value[t] = sum;
    }
    *out = sample_of(value, trials);
}

/* Whether a mean error is known well enough for the end of a range: its standard error is at most 5 % of it. */
static bool is_known(const struct sample *error)
{
    return error->sd <= 0.05 * error->mean * sqrt((double)error->n);
}

/* The mean error by populations of another kind, from few trials where those are enough, whether or not there are more:
 * so it does not depend on which other candidates and queries there are. */
static double end_of_range(const struct ranking_plan *plan, const struct sample *error)
{
    const struct sample few = first_of(error, few_trials(plan));

    return is_known(&few) ? few.mean : error->mean;
}

/* Before the candidates are sorted. */
static void take_kinds(const struct ranking_plan *plan, const struct rankings *sharp, const struct rankings *point,
                       const struct rankings *out)
{
    for (size_t i = 0; i < out->count * out->size; i++) {
        const struct ranking *const ranking = &out->ranking[i / out->size];
        const size_t place = i % out->size;
        struct ranked *const ranked = &ranking->ranked[place];
        const struct sample error[KINDS] = {[KIND_SMOOTH] = ranked->error,
                                            [KIND_SHARP] = sharp->ranking[i / out->size].ranked[place].error,
                                            [KIND_POINT] = point->ranking[i / out->size].ranked[place].error};

        const bool counts = kinds_count_for(plan->queries[ranking->query].query);
        for (int k = 0; k < KINDS; k++) {
            const double mean = counts || k == KIND_SMOOTH ? error[k].mean : end_of_range(plan, &error[k]);

            ranked->least = fmin(ranked->least, mean);
            ranked->most = fmax(ranked->most, mean);
        }
        if (counts)
            blend(error, out->value + (ranked->error.value - out->value), plan->trials, &ranked->error);
    }
}

static bool are_known(const struct rankings *rankings)
{
    for (size_t i = 0; i < rankings->count * rankings->size; i++)
        if (!is_known(&rankings->ranking[i / rankings->size].ranked[i % rankings->size].error))
            return false;
    return true;
}

/* Simulates from populations of another kind. Where only mean errors are asked for, the trials of a replicate are
 * enough if they determine those well, as they do in large domains. */
static int simulate_kind(const struct ranking_plan *plan, const struct surrogate_fit *fit, struct rankings *out,
                         struct failure *failure)
{
    struct ranking_plan other = *plan;
    bool only_means = true;
    other.fit = fit;
    for (size_t q = 0; q < plan->nqueries; q++)
        only_means = only_means && !kinds_count_for(plan->queries[q].query);
    other.trials = few_trials(plan);
    if (only_means) {
        if (rankings_simulate(&other, out, failure) != 0)
            return -1;
        if (are_known(out))
            return 0;
        rankings_clear(out);
    }
    other.trials = plan->trials;
    return rankings_simulate(&other, out, failure);
}

static int ask_other_kinds(const struct ranking_plan *plan, struct rankings *out, struct failure *failure)
{
    struct rankings sharp = {0}, point = {0};
    int result = simulate_kind(plan, plan->sharp, &sharp, failure);
    if (result == 0)
        result = simulate_kind(plan, plan->point, &point, failure);
    if (result == 0)
        take_kinds(plan, &sharp, &point, out);
    rankings_clear(&sharp);
    rankings_clear(&point);
    return result;
}

/* ---- Ranks ---- */

static int by_error(const void *a, const void *b)
{
    const struct ranked *const x = a, *const y = b;

    if (x->error.mean != y->error.mean)
        return x->error.mean < y->error.mean ? -1 : 1;
    if (x->protocol != y->protocol)
        return x->protocol < y->protocol ? -1 : 1;
    return (x->method > y->method) - (x->method < y->method);
}

/* The paired comparison with the best. What few trials leave unknown of their own variance, the trials of replicates
 * know: those are of the same kind, except where a prediction is that of all kinds. */
static void compare_with_best(const struct ranking_plan *plan, const struct ranking *ranking, size_t i,
                              const struct spread *spread, struct comparison *comparison)
{
    const struct sample *const best = &ranking->ranked[0].error, *const error = &ranking->ranked[i].error;
    const double m = (double)plan->replicates;

    compare_samples(best, error, true, comparison);
    if (plan->trials < COMPARE_FEW) {
        if (plan->replicates == 0 || is_blended(plan, ranking))
            compare_few(best, error, comparison);
        else
            compare_pool(comparison, plan->trials, spread->noise / m * spread->trials, m * (spread->trials - 1));
    }
    if (plan->replicates > 0)
        compare_widen(comparison, spread_sd(spread, m), m - 1);
}

/* comparison: room for one of each candidate; spread[size] of this point. */
static int compare_point(const struct ranking_plan *plan, struct ranking *ranking, size_t size,
                         const struct spread *spread, struct comparison *comparison)
{
    struct ranked *const ranked = ranking->ranked;

    for (size_t i = 0; i < size; i++)
        compare_with_best(plan, ranking, i, &spread[i], &comparison[i]);
    if (compare_all(comparison + 1, size - 1, ranking_level) != 0)
        return -1;
    for (size_t i = 0; i < size; i++) {
        ranked[i].from_the_best = comparison[i];
        ranked[i].apart = i > 0 && comparison[i].adjusted < ranking_level;
    }
    return 0;
}

int rank_candidates(const struct ranking_plan *plan, struct rankings *out, struct failure *failure)
{
    int result = threads_check(plan->threads, failure) == 0 ? rankings_simulate(plan, out, failure) : -1;

    if (result == 0 && plan->sharp && plan->point)
        result = ask_other_kinds(plan, out, failure);
    if (result != 0)
        return -1;
    for (size_t i = 0; i < out->count; i++)
        qsort(out->ranking[i].ranked, out->size, sizeof *out->ranking[i].ranked, by_error);
    struct spread *const spread = calloc(out->count * out->size + 1, sizeof *spread);
    struct spread *const own = calloc(out->count * out->size + 1, sizeof *own);
    struct comparison *const comparison = calloc(out->size + 1, sizeof *comparison);
    if (!spread || !own || !comparison)
        result = fail_memory(failure);
    if (result == 0)
        result = run_replicates(plan, out, spread, own, failure);
    if (result == 0)
        find_ranges(plan, own, out);
    for (size_t i = 0; result == 0 && i < out->count; i++)
        if (compare_point(plan, &out->ranking[i], out->size, spread + i * out->size, comparison) != 0)
            result = fail_memory(failure);
    free(spread);
    free(own);
    free(comparison);
    return result;
}

void rankings_clear(struct rankings *rankings)
{
    for (size_t i = 0; rankings->ranking && i < rankings->count; i++)
        free(rankings->ranking[i].ranked);
    free(rankings->ranking);
    free(rankings->value);
    memset(rankings, 0, sizeof *rankings);
}

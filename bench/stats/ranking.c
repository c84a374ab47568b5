/* ranking.c - see ranking.h.
 *
 * Trials (ranking_simulate.c) show the uncertainty of a ranking for the one collection that was observed; another
 * collection would have led to other synthetic populations. The parametric bootstrap estimates how different they would
 * be (Efron, Ann. Statist. 7, 1979): a replicate is a collection from a synthetic population, from which everything is
 * repeated with a tenth of the trials, or fewer where those determine its errors. The variation of predicted errors
 * among replicates is part of the range in which a candidate's true error is expected.
 *
 * The law of the populations is unknown as well: a smooth law, the law of the fewest points whose likelihood is not
 * much less (posterior_sharp.c), and the single population of nonparametric maximum likelihood may predict errors that
 * differ by factors for methods that learn the law from the data. The range spans what all three predict, and a claim
 * has to hold by each (ranking_compare.c).
 *
 * For queries about ranks a prediction is that from all three kinds of populations (kinds.c), and the best has
 * both a small prediction and a small largest ratio to the least error of a kind (ranking_compare.c). */
#include "stats/ranking_private.h"

#include "support/memory.h"
#include "support/threads.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double ranking_level = 0.05, ranking_within = 0.9;

enum { TRIALS_SHARE = 10 }; /* a replicate has this part of the trials */

uint32_t few_trials(const struct ranking_plan *plan)
{
    return plan->trials / TRIALS_SHARE < 2 ? 2 : plan->trials / TRIALS_SHARE;
}

bool is_blended(const struct ranking_plan *plan, const struct ranking *ranking)
{
    return plan->sharp && kinds_count_for(plan->queries[ranking->query].query);
}

struct sample first_of(const struct sample *sample, uint32_t trials)
{
    return sample_of(sample->value, trials);
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

static void find_ranges(const struct evidence *evidence, const struct rankings *out)
{
    for (size_t i = 0; i < out->count * out->size; i++) {
        struct ranked *const ranked = &out->ranking[i / out->size].ranked[i % out->size];

        if (ranked->exact)
            ranked->low = ranked->high = ranked->error.mean;
        else if (ranked->error.mean > 0)
            widen(evidence->plan, &evidence->own[i / out->size * out->size + ranked->place], ranked);
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
static void take_kinds(const struct evidence *evidence, const struct rankings *out)
{
    const struct ranking_plan *const plan = evidence->plan;

    for (size_t i = 0; i < out->count * out->size; i++) {
        const struct ranking *const ranking = &out->ranking[i / out->size];
        const size_t place = i % out->size;
        struct ranked *const ranked = &ranking->ranked[place];
        struct sample error[KINDS];

        const bool counts = kinds_count_for(plan->queries[ranking->query].query);
        for (int k = 0; k < KINDS; k++) {
            error[k] = evidence->kind[k].ranking[i / out->size].ranked[place].error;
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

/* A copy whose errors can be replaced. */
static struct rankings copied(const struct rankings *rankings, uint32_t trials)
{
    struct rankings copy = *rankings;
    const size_t candidates = rankings->count * rankings->size;

    copy.value = xcalloc(candidates, trials * sizeof *copy.value);
    copy.ranking = xcalloc(rankings->count, sizeof *copy.ranking);
    for (size_t i = 0; i < rankings->count; i++) {
        copy.ranking[i] = rankings->ranking[i];
        copy.ranking[i].ranked = xcalloc(rankings->size, sizeof *copy.ranking[i].ranked);
        for (size_t k = 0; k < rankings->size; k++) {
            double *const value = copy.value + (i * rankings->size + k) * trials;
            struct ranked *const ranked = &copy.ranking[i].ranked[k];

            *ranked = rankings->ranking[i].ranked[k];
            memcpy(value, ranked->error.value, trials * sizeof *value);
            ranked->error.value = value;
        }
    }
    return copy;
}

static int simulate_kinds(struct evidence *evidence, struct failure *failure)
{
    const struct ranking_plan *const plan = evidence->plan;

    evidence->kinds = plan->sharp && plan->point ? KINDS : 1;
    if (rankings_simulate(plan, &evidence->kind[KIND_SMOOTH], failure) != 0)
        return -1;
    if (evidence->kinds == 1)
        return 0;
    return simulate_kind(plan, plan->sharp, &evidence->kind[KIND_SHARP], failure) == 0
               ? simulate_kind(plan, plan->point, &evidence->kind[KIND_POINT], failure)
               : -1;
}

/* ---- Ranks ---- */

int rank_candidates(const struct ranking_plan *plan, struct rankings *out, struct failure *failure)
{
    struct evidence evidence = {.plan = plan};

    *out = (struct rankings){0};
    int result = threads_check(plan->threads, failure) == 0 ? simulate_kinds(&evidence, failure) : -1;
    if (result == 0) {
        *out = copied(&evidence.kind[KIND_SMOOTH], plan->trials);
        if (evidence.kinds > 1)
            take_kinds(&evidence, out);
        take_exact(&evidence, out);
        find_best(&evidence, out);
        evidence.own = xcalloc(out->count * out->size, sizeof *evidence.own);
        evidence.best = xcalloc(out->count * out->size, sizeof *evidence.best);
        evidence.best_over = xcalloc(out->count * plan->replicates, sizeof *evidence.best_over);
        evidence.choice_over = xcalloc(out->count * plan->replicates, sizeof *evidence.choice_over);
        result = run_replicates(&evidence, out, failure);
    }
    if (result == 0) {
        find_ranges(&evidence, out);
        compare_candidates(&evidence, out);
    }
    for (int k = 0; k < KINDS; k++)
        rankings_clear(&evidence.kind[k]);
    free(evidence.own);
    free(evidence.best);
    free(evidence.best_over);
    free(evidence.choice_over);
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

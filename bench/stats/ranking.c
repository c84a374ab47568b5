/* ranking.c - see ranking.h.
 *
 * Trial t of every protocol sees the same population, and every method the same collection, so differences of errors
 * within a trial are free of what they have in common. A population has a stream of its own, and so has a collection:
 * the numbers depend neither on the order of work nor on which other candidates there are.
 *
 * Trials show the uncertainty of a ranking for the one collection that was observed; another collection would have led
 * to other synthetic populations. The parametric bootstrap estimates how different they would be (Efron, Ann. Statist.
 * 7, 1979): a replicate is a collection from a synthetic population, from which everything is repeated with a tenth of
 * the trials. The variation of predicted errors among replicates is part of the range in which a candidate's true error
 * is expected.
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

static bool is_candidate(const struct ranking_plan *plan, size_t protocol, size_t method)
{
    return !plan->suits || plan->suits[protocol * plan->nmethods + method];
}

/* How many methods a protocol has. */
static size_t count_methods(const struct ranking_plan *plan, size_t protocol)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->nmethods; i++)
        count += is_candidate(plan, protocol, i);
    return count;
}

/* Working memory of one thread. */
struct thread_state {
    struct trials trials;
    struct ldp_method_spec *methods;   /* of the protocol */
    struct ldp_evaluation *evaluation; /* likewise; NULL where it has no method */
    double *measured;
    size_t evaluated, prepared; /* protocol + 1 */
};

struct outcome {
    double *value; /* [nprotocols][size][trials] */
    size_t size;   /* of an evaluation of all methods */
    struct first_failure first;
};

static int state_begin(const struct ranking_plan *plan, struct thread_state *state, size_t size,
                       struct failure *failure)
{
    state->methods = malloc((plan->nmethods + 1) * sizeof *state->methods);
    state->measured = malloc((size + 1) * sizeof *state->measured);
    return state->methods && state->measured ? 0 : fail_memory(failure);
}

static int evaluate_protocol(const struct ranking_plan *plan, struct thread_state *state, size_t protocol,
                             struct failure *failure)
{
    struct ldp_evaluation *evaluation = NULL;
    size_t count = 0;

    if (state->evaluated == protocol + 1)
        return 0;
    ldp_evaluation_free(state->evaluation);
    state->evaluation = NULL;
    for (size_t i = 0; i < plan->nmethods; i++)
        if (is_candidate(plan, protocol, i))
            state->methods[count++] = plan->methods[i];
    if (count > 0 &&
        ldp_evaluation_new(state->methods, count, plan->queries, plan->nqueries, plan->fit->d, &evaluation) != LDP_OK)
        return fail_memory(failure);
    state->evaluation = evaluation;
    state->evaluated = protocol + 1;
    return 0;
}

static void state_clear(struct thread_state *state)
{
    trials_clear(&state->trials);
    ldp_evaluation_free(state->evaluation);
    free(state->methods);
    free(state->measured);
}

static int run_trial(const struct ranking_plan *plan, struct thread_state *state, size_t protocol, uint32_t trial,
                     struct outcome *outcome, struct failure *failure)
{
    const struct ldp_protocol *const at = &plan->protocols[protocol];

    if (evaluate_protocol(plan, state, protocol, failure) != 0)
        return -1;
    if (!state->evaluation)
        return 0;
    struct ldp_rng rng;
    if (plan->fit->varies || state->prepared != protocol + 1) {
        ldp_rng_stream(&rng, plan->seed, "recommend|population", trial);
        if (trials_begin(&state->trials, plan->fit, plan->n, at, LDP_COUNTS, &rng, failure) != 0)
            return -1;
        state->prepared = protocol + 1;
    }
    ldp_rng_stream(&rng, plan->seed, at->oracle->name, trial);
    if (trials_run(&state->trials, state->evaluation, &rng, state->measured, failure) != 0)
        return -1;
    for (size_t i = 0; i < ldp_evaluation_size(state->evaluation); i++)
        outcome->value[(protocol * outcome->size + i) * plan->trials + trial] = state->measured[i];
    return 0;
}

static void run_trials(const struct ranking_plan *plan, struct outcome *outcome)
{
    struct thread_state state = {0};
    struct failure failure;

    if (state_begin(plan, &state, outcome->size, &failure) != 0)
        first_failure_set(&outcome->first, &failure);
#pragma omp for schedule(static)
    for (size_t i = 0; i < plan->nprotocols * plan->trials; i++) {
        if (!first_failure_is_set(&outcome->first) &&
            run_trial(plan, &state, i / plan->trials, (uint32_t)(i % plan->trials), outcome, &failure) != 0)
            first_failure_set(&outcome->first, &failure);
    }
    state_clear(&state);
}

/* ---- Rankings ---- */

/* The candidates at a point of a query, before which there are `first` points. */
static void gather_point(const struct ranking_plan *plan, const struct outcome *outcome, size_t first,
                         const struct ranking *ranking)
{
    const size_t npoints = plan->queries[ranking->query].npoints;
    size_t place = 0;

    for (size_t protocol = 0; protocol < plan->nprotocols; protocol++) {
        size_t series = protocol * outcome->size + first * count_methods(plan, protocol) + ranking->point;

        for (size_t method = 0; method < plan->nmethods; method++) {
            if (!is_candidate(plan, protocol, method))
                continue;
            ranking->ranked[place] =
                (struct ranked){.protocol = protocol,
                                .method = method,
                                .place = place,
                                .error = sample_of(outcome->value + series * plan->trials, plan->trials)};
            ranking->ranked[place].least = ranking->ranked[place].most = ranking->ranked[place].error.mean;
            place++;
            series += npoints;
        }
    }
}

/* A ranking for each point of each query, the candidates in order of protocol and method. */
static int gather(const struct ranking_plan *plan, const struct outcome *outcome, struct rankings *out)
{
    struct ranking *ranking = out->ranking;
    size_t first = 0;

    for (size_t q = 0; q < plan->nqueries; first += plan->queries[q++].npoints)
        for (size_t j = 0; j < plan->queries[q].npoints; j++, ranking++) {
            ranking->ranked = calloc(out->size, sizeof *ranking->ranked);
            if (!ranking->ranked)
                return -1;
            ranking->query = q;
            ranking->point = j;
            gather_point(plan, outcome, first, ranking);
        }
    return 0;
}

static int simulate(const struct ranking_plan *plan, struct rankings *out, struct failure *failure)
{
    *out = (struct rankings){0};
    for (size_t i = 0; i < plan->nprotocols; i++)
        out->size += count_methods(plan, i);
    struct outcome outcome = {0};
    for (size_t q = 0; q < plan->nqueries; q++) {
        out->count += plan->queries[q].npoints;
        outcome.size += plan->nmethods * plan->queries[q].npoints;
    }
    out->ranking = calloc(out->count + 1, sizeof *out->ranking);
    outcome.value = out->value = calloc(plan->nprotocols * outcome.size + 1, plan->trials * sizeof *out->value);
    if (!out->ranking || !out->value)
        return fail_memory(failure);
#pragma omp parallel num_threads(plan->threads)
    run_trials(plan, &outcome);
    if (outcome.first.failed) {
        *failure = outcome.first.failure;
        return -1;
    }
    return gather(plan, &outcome, out) == 0 ? 0 : fail_memory(failure);
}

/* ---- Replicates ---- */

/* Fits to a collection of plan->made_by from a synthetic population, and simulates from that. */
static int run_replicate(const struct ranking_plan *plan, uint32_t replicate, struct trials *pilot,
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
    again.trials = few_trials(plan);
    return simulate(&again, out, failure);
}

/* The ratio of the errors of two candidates, over replicates. */
struct spread {
    double sum, squares; /* of logarithms of ratios */
    double noise;        /* the sum of their squared standard errors, over trials */
};

/* Logarithms of a candidate's own errors. */
static void add_error(const struct sample *error, struct spread *spread)
{
    const double logarithm = log(error->mean), relative = error->sd / error->mean;

    spread->sum += logarithm;
    spread->squares += logarithm * logarithm;
    spread->noise += relative * relative / (double)error->n;
}

static void add_replicate(const struct rankings *rankings, const struct rankings *replicate, struct spread *spread,
                          struct spread *own)
{
    for (size_t i = 0; i < rankings->count; i++) {
        const struct ranked *const ranked = rankings->ranking[i].ranked, *const again = replicate->ranking[i].ranked;
        const struct sample *const best = &again[ranked[0].place].error;

        for (size_t k = 0; k < rankings->size; k++)
            add_error(&again[ranked[k].place].error, &own[i * rankings->size + k]);
        for (size_t k = 1; k < rankings->size; k++) {
            struct spread *const at = &spread[i * rankings->size + k];
            struct comparison c;

            compare_samples(best, &again[ranked[k].place].error, true, &c);
            const double ratio = log1p(c.change);
            at->sum += ratio;
            at->squares += ratio * ratio;
            at->noise += c.standard_error * c.standard_error / ((1 + c.change) * (1 + c.change));
        }
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
    struct trials pilot = {0};
    struct surrogate_fit fit = {0};
    int result = 0;

    for (uint32_t replicate = 0; result == 0 && replicate < plan->replicates; replicate++) {
        struct rankings again = {0};

        result = run_replicate(plan, replicate, &pilot, &fit, &again, failure);
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
    const struct sample few = sample_of(error->value, few_trials(plan));

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
        if (simulate(&other, out, failure) != 0)
            return -1;
        if (are_known(out))
            return 0;
        rankings_clear(out);
    }
    other.trials = plan->trials;
    return simulate(&other, out, failure);
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

/* comparison: room for one of each candidate; spread[size] of this point. */
static int compare_point(const struct ranking_plan *plan, struct ranking *ranking, size_t size,
                         const struct spread *spread, struct comparison *comparison)
{
    struct ranked *const ranked = ranking->ranked;

    for (size_t i = 0; i < size; i++) {
        compare_samples(&ranked[0].error, &ranked[i].error, true, &comparison[i]);
        if (plan->replicates > 0)
            compare_widen(&comparison[i], spread_sd(&spread[i], plan->replicates), plan->replicates - 1);
    }
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
    int result = threads_check(plan->threads, failure) == 0 ? simulate(plan, out, failure) : -1;

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

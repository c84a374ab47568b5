/* ranking_simulate.c - the errors of all candidates of a ranking, on synthetic populations. See ranking.h.
 *
 * Trial t of every protocol sees the same population, and every method the same collection, so differences of errors
 * within a trial are free of what they have in common. A population has a stream of its own, and so has a collection:
 * the numbers depend neither on the order of work nor on which other candidates there are. */
#include "stats/ranking.h"

#include "support/memory.h"
#include "support/threads.h"

#include <stdlib.h>

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

static void state_begin(const struct ranking_plan *plan, struct thread_state *state)
{
    size_t measured = 1;

    state->trials.unranked = true;
    for (size_t q = 0; q < plan->nqueries; q++) {
        const struct ldp_query_spec *const spec = &plan->queries[q];

        if (spec->query->ranks)
            state->trials.unranked = false;
        measured += plan->nmethods * spec->npoints * ldp_measures_count(spec->query->measures);
    }
    state->methods = xmalloc(plan->nmethods + 1, sizeof *state->methods);
    state->measured = xmalloc(measured, sizeof *state->measured);
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

/* Asks the methods outside the program for their estimates of the last collection. */
static int supply(const struct ranking_plan *plan, struct thread_state *state, struct ranking_question *question,
                  const struct ldp_rng *rng, struct failure *failure)
{
    size_t candidate = 0;

    for (question->method = 0; question->method < plan->nmethods; question->method++) {
        struct ldp_rng copy = *rng, own;

        if (!is_candidate(plan, question->protocol, question->method))
            continue;
        const size_t place = candidate++;
        if (!(plan->methods[question->method].method->guarantees & LDP_SUPPLIED))
            continue;
        ldp_rng_stream(&own, ldp_rng_next(&copy), "outside", question->method); /* apart from the queries' draws */
        question->seed = ldp_rng_next(&own);
        if (plan->ask(plan->asked, question, ldp_evaluation_supply(state->evaluation, place), failure) != 0)
            return -1;
    }
    return 0;
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
    struct collection *const collection = &state->trials.collection;
    struct ranking_question question = {
        .protocol = protocol, .collection = collection, .est = collection_run(collection, &rng, NULL, failure)};
    if (!question.est || supply(plan, state, &question, &rng, failure) != 0)
        return -1;
    ldp_evaluate(
        state->evaluation,
        &(struct ldp_collection){&collection->observed, state->trials.population->n, collection->support, question.est},
        state->trials.population, &rng, state->measured);
    const double *measured = state->measured;
    size_t series = protocol * outcome->size;
    for (size_t q = 0; q < plan->nqueries; q++)
        for (size_t i = 0; i < count_methods(plan, protocol) * plan->queries[q].npoints; i++) {
            outcome->value[series++ * plan->trials + trial] = *measured;
            measured += ldp_measures_count(plan->queries[q].query->measures);
        }
    return 0;
}

static void run_trials(const struct ranking_plan *plan, struct outcome *outcome)
{
    struct thread_state state = {0};
    struct failure failure = NO_REASON;

    state_begin(plan, &state);
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
            if (plan->only && plan->only[method] > 0 && plan->only[method] != 1 + first + ranking->point)
                ranking->ranked[place].barred = true;
            ranking->ranked[place].least = ranking->ranked[place].most = ranking->ranked[place].error.mean;
            place++;
            series += npoints;
        }
    }
}

/* A ranking for each point of each query, the candidates in order of protocol and method. */
static void gather(const struct ranking_plan *plan, const struct outcome *outcome, struct rankings *out)
{
    struct ranking *ranking = out->ranking;
    size_t first = 0;

    for (size_t q = 0; q < plan->nqueries; first += plan->queries[q++].npoints)
        for (size_t j = 0; j < plan->queries[q].npoints; j++, ranking++) {
            ranking->ranked = xcalloc(out->size, sizeof *ranking->ranked);
            ranking->query = q;
            ranking->point = j;
            gather_point(plan, outcome, first, ranking);
        }
}

int rankings_simulate(const struct ranking_plan *plan, struct rankings *out, struct failure *failure)
{
    *out = (struct rankings){0};
    for (size_t i = 0; i < plan->nprotocols; i++)
        out->size += count_methods(plan, i);
    struct outcome outcome = {0};
    for (size_t q = 0; q < plan->nqueries; q++) {
        out->count += plan->queries[q].npoints;
        outcome.size += plan->nmethods * plan->queries[q].npoints;
    }
    out->ranking = xcalloc(out->count + 1, sizeof *out->ranking);
    outcome.value = out->value = xcalloc(plan->nprotocols * outcome.size + 1, plan->trials * sizeof *out->value);
#pragma omp parallel num_threads(plan->threads)
    run_trials(plan, &outcome);
    if (outcome.first.failed) {
        *failure = outcome.first.failure;
        return -1;
    }
    gather(plan, &outcome, out);
    return 0;
}

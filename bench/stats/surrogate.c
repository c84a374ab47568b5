/* surrogate.c - see surrogate.h.
 *
 * Source: NDSS 2020, sec. V-D, where norm_sub or power_ns makes the surrogate; either way its small frequencies are
 * shrunk or cut off as that method does it, so predictions for methods that shrink in the same way are too good.
 *
 * Draws from the posterior (posterior.c) are neutral.
 *
 * A distribution becomes a population of n users by largest remainders (the paper leaves it open). */
#include "stats/surrogate.h"

#include "dataset.h"

#include "numerics/numeric.h"
#include "support/memory.h"
#include "support/names.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char truth[] = "truth";

static bool consistent(const struct ldp_method *method)
{
    const unsigned needed = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE;

    return (method->guarantees & needed) == needed && !(method->guarantees & LDP_NOT_IN_ALL) &&
           !method->suits; /* every surrogate serves every oracle */
}

void surrogate_names(bool known, const char *names[NAMES_MAX])
{
    size_t count = 0;

    names[count++] = "posterior";
    for (size_t i = 0; ldp_methods[i] && count + 2 < NAMES_MAX; i++)
        if (consistent(ldp_methods[i]))
            names[count++] = ldp_methods[i]->name;
    if (known)
        names[count++] = truth;
    names[count] = NULL;
}

struct surrogate surrogate_at(size_t index)
{
    const char *names[NAMES_MAX];

    surrogate_names(true, names);
    struct surrogate surrogate = {0};
    surrogate.name = names[index];
    surrogate.is_truth = surrogate.name == truth;
    if (index > 0 && !surrogate.is_truth) {
        surrogate.spec.method = ldp_method_find(names[index]);
        ldp_params_default(surrogate.spec.method->params, surrogate.spec.param);
    }
    return surrogate;
}

struct surrogate surrogate_fewest_atoms(void)
{
    struct surrogate surrogate = {.name = "npmle_ns", .spec = {.method = ldp_method_find("npmle_ns")}};

    assert(surrogate.spec.method);
    ldp_params_default(surrogate.spec.method->params, surrogate.spec.param);
    return surrogate;
}

/* ---- Fits ---- */

const struct ldp_sets *surrogate_sets(const struct ldp_query_spec *queries, size_t nqueries)
{
    for (size_t i = 0; i < nqueries; i++)
        if (queries[i].sets)
            return queries[i].sets;
    return NULL;
}

static void fit_room(struct surrogate_fit *fit, size_t d)
{
    if (d > fit->room) {
        free(fit->weight);
        fit->weight = xmalloc(d, sizeof *fit->weight);
        fit->room = d;
    }
    fit->d = d;
}

void surrogate_fit(struct surrogate_fit *fit, const struct surrogate *surrogate, const struct ldp_protocol *protocol,
                   uint64_t n, const double *est, const struct ldp_sets *sets)
{
    fit_room(fit, protocol->d);
    fit->varies = !surrogate->spec.method && ldp_sigma(protocol, n) > 0;
    fit->posterior.is_fewest_atoms = surrogate->is_fewest_atoms;
    if (fit->varies) {
        posterior_fit(&fit->posterior, protocol, n, est, sets);
        return;
    }
    if (!surrogate->spec.method) {
        for (size_t v = 0; v < fit->d; v++) /* noise that rounding hides may be below 0 */
            fit->weight[v] = fmax(est[v], 0);
        return;
    }
    const size_t bytes = ldp_postprocess_scratch(&surrogate->spec, fit->d);

    if (bytes > fit->scratch_room) {
        free(fit->scratch);
        fit->scratch = xmalloc(bytes, 1);
        fit->scratch_room = bytes;
    }
    ldp_postprocess(&surrogate->spec, &(struct ldp_collection){protocol, n, NULL, est}, fit->scratch, fit->weight);
}

void surrogate_given(struct surrogate_fit *fit, const struct ldp_population *population)
{
    fit_room(fit, population->d);
    fit->varies = false;
    memcpy(fit->weight, population->f, fit->d * sizeof *fit->weight);
}

void surrogate_fit_clear(struct surrogate_fit *fit)
{
    posterior_clear(&fit->posterior);
    free(fit->weight);
    free(fit->scratch);
    memset(fit, 0, sizeof *fit);
}

/* weight[d], not all 0. */
static void draw(const struct surrogate_fit *fit, struct ldp_rng *rng, double *weight)
{
    if (fit->varies)
        posterior_draw(&fit->posterior, rng, weight);
    else
        memcpy(weight, fit->weight, fit->d * sizeof *weight);
    const double sum = ldp_sum(weight, fit->d);
    for (size_t v = 0; v < fit->d && sum == 0; v++)
        weight[v] = 1;
}

/* ---- Trials ---- */

int trials_begin(struct trials *trials, const struct surrogate_fit *fit, uint64_t n,
                 const struct ldp_protocol *protocol, enum ldp_mode mode, struct ldp_rng *rng, struct failure *failure)
{
    ldp_simulation_clear(&trials->collection.simulation);
    ldp_population_free(trials->population);
    trials->population = NULL;
    if (fit->d > trials->room) {
        free(trials->weight);
        free(trials->counts);
        trials->room = 0;
        trials->weight = xmalloc(fit->d, sizeof *trials->weight);
        trials->counts = xmalloc(fit->d, sizeof *trials->counts);
        trials->room = fit->d;
    }
    draw(fit, rng, trials->weight);
    dataset_round(trials->weight, fit->d, n, trials->counts);
    if ((trials->unranked ? ldp_population_unranked : ldp_population_new)(trials->counts, fit->d,
                                                                          &trials->population) != LDP_OK)
        out_of_memory();
    return collection_begin(&trials->collection, protocol, trials->population, mode, failure);
}

void trials_clear(struct trials *trials)
{
    collection_clear(&trials->collection);
    ldp_population_free(trials->population);
    free(trials->weight);
    free(trials->counts);
    memset(trials, 0, sizeof *trials);
}

/* ---- Kinds ---- */

/* Which values are the most frequent is known worse than how frequent values are: populations drawn from a smooth law
 * spread equal values out, and the largest draws are then among those that are asked for, which makes methods look bad
 * that find values equal. So for queries about ranks a prediction is the geometric mean of those by the three models of
 * populations. */
static const double weights[SURROGATE_KINDS] = {
    [KIND_SMOOTH] = 1.0 / 2, [KIND_SHARP] = 1.0 / 6, [KIND_POINT] = 1.0 / 3};

struct surrogate kind_surrogate(int kind)
{
    struct surrogate surrogate = kind == KIND_POINT ? surrogate_fewest_atoms() : surrogate_at(0);

    surrogate.is_fewest_atoms = kind == KIND_SHARP;
    return surrogate;
}

bool kinds_count_for(const struct ldp_query *query)
{
    return query->point.name && query->point.kind == LDP_INTEGER;
}

/* If a kind predicts no error at all, the geometric mean would be 0 whatever the others predict, and the arithmetic
 * mean takes its place. */
void kinds_scale(const double mean[SURROGATE_KINDS], double scale[SURROGATE_KINDS])
{
    double logarithm = 0;
    bool is_positive = true;

    for (int k = 0; k < SURROGATE_KINDS; k++)
        is_positive = is_positive && mean[k] > 0;
    for (int k = 0; is_positive && k < SURROGATE_KINDS; k++)
        logarithm += weights[k] * ldp_log(mean[k]);
    const double geometric = ldp_exp(logarithm);
    for (int k = 0; k < SURROGATE_KINDS; k++)
        scale[k] = is_positive ? weights[k] * geometric / mean[k] : weights[k];
}

/* surrogate.c - see surrogate.h.
 *
 * Source: NDSS 2020, sec. V-D, where norm_sub or power_ns makes the surrogate; either way its small frequencies are
 * shrunk or cut off as the method does it, and what is predicted for methods of a like mind is too good.
 *
 * The posterior is neutral: frequencies are taken as draws from an unknown law G, the estimates z as those with normal
 * noise. G is estimated (nonparametric maximum likelihood; Kiefer and Wolfowitz 1956, by EM), and every trial draws
 * each frequency from its posterior law under G,
 *
 *     z_v = est_v - (sum est - 1) / d,    z_v | f_v ~ N(f_v, (s1 + f_v tf) / n),
 *     P(f_v = x | z_v) ~ G(x) phi(z_v; x),
 *
 * so that predictions average over what the collection leaves open, not over one smoothed guess.
 * Values beyond LARGE_FROM standard deviations stay as they are: noise is small beside them. The others fall into bins
 * of 1/BINS_PER_SD standard deviations, their frequencies into atoms. At convergence G would be a few spikes, from
 * which the ranks of small values cannot be told; so EM starts from a smooth falling law and stops after ROUNDS rounds.
 *
 * A distribution becomes a population of n users by largest remainders (the paper leaves it open). */
#include "surrogate.h"

#include "numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_FROM = 8, BINS_PER_SD = 16, BINS = 2 * LARGE_FROM * BINS_PER_SD, ATOMS = 81, ROUNDS = 50 };
static const uint32_t LARGE = UINT32_MAX;

static bool consistent(const struct ldp_method *method)
{
    const unsigned needed = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE;

    return (method->guarantees & needed) == needed && !(method->guarantees & LDP_IGNORES_ESTIMATE) &&
           !method->suits; /* every surrogate serves every oracle */
}

void surrogate_names(const char *names[NAMES_MAX])
{
    size_t count = 0;

    names[count++] = "posterior";
    for (size_t i = 0; ldp_methods[i] && count + 1 < NAMES_MAX; i++)
        if (consistent(ldp_methods[i]))
            names[count++] = ldp_methods[i]->name;
    names[count] = NULL;
}

struct surrogate surrogate_at(size_t index)
{
    const char *names[NAMES_MAX];
    struct surrogate surrogate = {0};

    surrogate_names(names);
    surrogate.name = names[index];
    if (index > 0) {
        surrogate.spec.method = ldp_method_find(names[index]);
        ldp_params_default(surrogate.spec.method->params, surrogate.spec.param);
    }
    return surrogate;
}

bool surrogate_favours(const struct surrogate *surrogate, const struct ldp_method *method)
{
    const struct ldp_method *made = surrogate->spec.method;

    return made && (made == method || (made->inner && strcmp(made->inner, method->name) == 0));
}

/* ---- The posterior ---- */

/* likelihood[b][j]: density of an estimate in bin b, up to a factor, where the frequency is atom j. */
static void fill_likelihood(const struct ldp_protocol *protocol, uint64_t n, double sigma, const double *atom,
                            double *likelihood)
{
    for (size_t b = 0; b < BINS; b++) {
        double z = (((double)b + 0.5) / BINS_PER_SD - LARGE_FROM) * sigma;

        for (size_t j = 0; j < ATOMS; j++) {
            double variance = (protocol->s1 + atom[j] * protocol->tf) / (double)n;

            likelihood[b * ATOMS + j] = ldp_exp(-(z - atom[j]) * (z - atom[j]) / (2 * variance)) / sqrt(variance);
        }
    }
}

/* EM for the weights of the atoms, given how many estimates lie in each bin. */
static void fit_law(const double *number, const double *likelihood, double *law)
{
    double total = 0, sum = 0;

    for (size_t b = 0; b < BINS; b++)
        total += number[b];
    for (size_t j = 0; j < ATOMS; j++)
        sum += law[j] = 1 / (((double)j + 0.5) * ((double)j + 0.5));
    for (size_t j = 0; j < ATOMS; j++)
        law[j] /= sum;
    for (int round = 0; round < ROUNDS; round++) {
        double next[ATOMS] = {0};

        for (size_t b = 0; b < BINS; b++) {
            const double *row = likelihood + b * ATOMS;
            double density = 0;

            if (number[b] == 0)
                continue;
            for (size_t j = 0; j < ATOMS; j++)
                density += law[j] * row[j];
            for (size_t j = 0; j < ATOMS; j++)
                next[j] += number[b] / density * law[j] * row[j];
        }
        for (size_t j = 0; j < ATOMS; j++)
            law[j] = next[j] / total;
    }
}

static void fit_posterior(struct surrogate_fit *fit, const struct ldp_protocol *protocol, uint64_t n, const double *est)
{
    const double sigma = ldp_sigma(protocol, n), excess = (ldp_sum(est, fit->d) - 1) / (double)fit->d;
    double *number = fit->work, law[ATOMS];

    for (size_t b = 0; b < BINS; b++)
        number[b] = 0;
    for (size_t v = 0; v < fit->d; v++) {
        const double z = est[v] - excess, place = (z / sigma + LARGE_FROM) * BINS_PER_SD;

        fit->weight[v] = z;
        fit->bin[v] = place < BINS ? (uint32_t)(place < 0 ? 0 : place) : LARGE;
        if (fit->bin[v] != LARGE)
            number[fit->bin[v]]++;
    }
    for (size_t j = 0; j < ATOMS; j++)
        fit->atom[j] = fmin(1, (LARGE_FROM + 2) * sigma) * (double)j / (ATOMS - 1);
    fill_likelihood(protocol, n, sigma, fit->atom, fit->posterior);
    fit_law(number, fit->posterior, law);
    for (size_t b = 0; b < BINS; b++) {
        double *row = fit->posterior + b * ATOMS, sum = 0;

        for (size_t j = 0; j < ATOMS; j++)
            row[j] = sum += law[j] * row[j];
    }
}

static double draw_atom(const struct surrogate_fit *fit, uint32_t bin, struct ldp_rng *rng)
{
    const double *row = fit->posterior + (size_t)bin * ATOMS, at = ldp_rng_uniform(rng) * row[ATOMS - 1];
    size_t low = 0, high = ATOMS - 1;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (row[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return fit->atom[low];
}

/* ---- Fits ---- */

static int fit_room(struct surrogate_fit *fit, size_t d, struct failure *failure)
{
    if (!fit->work) {
        fit->atom = malloc(ATOMS * sizeof *fit->atom);
        fit->posterior = malloc((size_t)BINS * ATOMS * sizeof *fit->posterior);
        fit->work = malloc(BINS * sizeof *fit->work);
        if (!fit->atom || !fit->posterior || !fit->work)
            return fail_memory(failure);
    }
    if (d > fit->room) {
        free(fit->weight);
        free(fit->bin);
        fit->room = 0;
        fit->weight = malloc(d * sizeof *fit->weight);
        fit->bin = malloc(d * sizeof *fit->bin);
        if (!fit->weight || !fit->bin)
            return fail_memory(failure);
        fit->room = d;
    }
    fit->d = d;
    return 0;
}

int surrogate_fit(struct surrogate_fit *fit, const struct surrogate *surrogate, const struct ldp_protocol *protocol,
                  uint64_t n, const double *est, struct failure *failure)
{
    if (fit_room(fit, protocol->d, failure) != 0)
        return -1;
    fit->varies = !surrogate->spec.method && ldp_sigma(protocol, n) > 0;
    if (fit->varies) {
        fit_posterior(fit, protocol, n, est);
        return 0;
    }
    if (!surrogate->spec.method) {
        memcpy(fit->weight, est, fit->d * sizeof *est);
        return 0;
    }
    size_t bytes = ldp_postprocess_scratch(&surrogate->spec, fit->d);

    if (bytes > fit->scratch_room) {
        free(fit->scratch);
        fit->scratch_room = 0;
        fit->scratch = malloc(bytes);
        if (!fit->scratch)
            return fail_memory(failure);
        fit->scratch_room = bytes;
    }
    ldp_postprocess(&surrogate->spec, protocol, n, est, fit->scratch, fit->weight);
    return 0;
}

int surrogate_given(struct surrogate_fit *fit, const struct ldp_population *population, struct failure *failure)
{
    if (fit_room(fit, population->d, failure) != 0)
        return -1;
    fit->varies = false;
    memcpy(fit->weight, population->f, fit->d * sizeof *fit->weight);
    return 0;
}

void surrogate_fit_clear(struct surrogate_fit *fit)
{
    free(fit->weight);
    free(fit->bin);
    free(fit->atom);
    free(fit->posterior);
    free(fit->work);
    free(fit->scratch);
    memset(fit, 0, sizeof *fit);
}

/* weight[d], not all 0. */
static void draw(const struct surrogate_fit *fit, struct ldp_rng *rng, double *weight)
{
    double sum;

    for (size_t v = 0; v < fit->d; v++)
        weight[v] = fit->varies && fit->bin[v] != LARGE ? draw_atom(fit, fit->bin[v], rng) : fit->weight[v];
    sum = ldp_sum(weight, fit->d);
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
        trials->weight = malloc(fit->d * sizeof *trials->weight);
        trials->counts = malloc(fit->d * sizeof *trials->counts);
        if (!trials->weight || !trials->counts)
            return fail_memory(failure);
        trials->room = fit->d;
    }
    draw(fit, rng, trials->weight);
    if (dataset_round(trials->weight, fit->d, n, trials->counts) != 0 ||
        ldp_population_new(trials->counts, fit->d, &trials->population) != LDP_OK)
        return fail_memory(failure);
    return collection_begin(&trials->collection, protocol, trials->population, mode, failure);
}

void trials_run(struct trials *trials, struct ldp_evaluation *evaluation, struct ldp_rng *rng, double *measured)
{
    const double *est = collection_run(&trials->collection, rng, NULL);

    ldp_evaluate(evaluation, &trials->collection.simulation.protocol, trials->population, est, rng, measured);
}

void trials_clear(struct trials *trials)
{
    collection_clear(&trials->collection);
    ldp_population_free(trials->population);
    free(trials->weight);
    free(trials->counts);
    memset(trials, 0, sizeof *trials);
}

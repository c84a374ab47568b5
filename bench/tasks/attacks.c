/* attacks.c - malicious users: attacks.csv.
 *
 * Each attack is made on the collection of the repetition: to its n genuine users come m = n beta / (1 - beta)
 * malicious ones, whose support is added (attack.h), and the methods are given what a server would see then, N = n + m
 * users. Differences from the same collection without them are paired. An attack has a stream of its own, so that its
 * numbers do not depend on which others there are. */
#include "tasks/frequency.h"

#include "attacks/attack.h"
#include "laws/interval.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAIN, GAIN_EACH, GAIN_EXACT, MSE, FALSE_POSITIVES, Z_SUM, MSE_CLEAN, MEASURES, TOP = 20 };

static const struct ldp_measure measures[] = {
    [GAIN] = MEASURE("gain", "by how much an attack raises the total of its targets", "gain", LDP_LESS,
                     .low = -INFINITY, .high = INFINITY),
    [GAIN_EACH] = MEASURE("gain_per_target", "gain over the number of targets", "gain per target", LDP_LESS,
                          .low = -INFINITY, .high = INFINITY),
    [GAIN_EXACT] = MEASURE("gain_exact", "gain of unprocessed estimates, expected from the malicious reports",
                           "expected gain", LDP_NEUTRAL, .low = -INFINITY, .high = INFINITY),
    [MSE] = MEASURE("mse", "mean squared error under attack, of genuine users' frequencies", "MSE", LDP_LESS,
                    .high = INFINITY, .unit = LDP_UNIT_POINTS),
    [FALSE_POSITIVES] = MEASURE("false_positives", "targets outside the true top 20 that are in the estimated one",
                                "share of targets", LDP_LESS, .high = 1),
    [Z_SUM] = MEASURE("z_sum", "sum of unprocessed estimates minus 1, in standard deviations", "z", LDP_NEUTRAL,
                      .low = -INFINITY, .high = INFINITY),
    [MSE_CLEAN] = MEASURE("mse_clean", "mean squared error without malicious users", "MSE without attack", LDP_LESS,
                          .high = INFINITY),
    [MEASURES] = {.name = NULL},
};

/* ---- Series ---- */

size_t attacks_count(const struct evaluation_setup *setup, size_t cell)
{
    return attacks_points(&setup->config.attacks) * evaluation_methods(setup, cell)->count * MEASURES;
}

/* Attack, then fraction, then method, then measure. */
void attacks_series(struct evaluation_setup *setup, size_t cell, struct series *series)
{
    const struct method_set *const methods = evaluation_methods(setup, cell);

    for (size_t i = 0; i < setup->config.attacks.count; i++) {
        const struct attack_choice *const attack = &setup->config.attacks.choice[i];

        for (size_t j = 0; j < attack->fraction.count; j++) {
            char number[NUMBER_TEXT];
            const char *const fraction =
                texts_keep(&setup->grid.texts, xstrdup(format_number(attack->fraction.values[j], number)));

            for (size_t m = 0; m < methods->count; m++)
                for (size_t l = 0; l < MEASURES; l++)
                    *series++ = (struct series){.method = setup->method_keys[methods->method[m]],
                                                .query = attack->key,
                                                .point = fraction,
                                                .measure = measures[l].name};
        }
    }
}

/* ---- Whether attacks suit the grid ---- */

static int check_cell(const struct evaluation_setup *setup, size_t cell, struct failure *failure)
{
    const struct attack_list *const attacks = &setup->config.attacks;
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    const struct grid_dataset *const dataset = &setup->grid.datasets[idataset];
    struct ldp_protocol protocol;

    if (grid_protocol(&setup->grid, cell, &protocol, failure) != 0)
        return -1;
    for (size_t i = 0; i < attacks->count; i++) {
        const struct attack_choice *const attack = &attacks->choice[i];
        const struct ldp_attack_spec spec = attack_in(attack, idataset);
        struct ldp_reason reason;

        if (spec.attack->ordered && !(setup->config.ordered && attack->targets.range.count > 0))
            return json_fail(&attack->at, failure,
                             "expected \"ordered\": true and targets by \"range\" for %s, got targets without an order",
                             attack->label);
        if (ldp_attack_check(&spec, &protocol, &reason) != LDP_OK)
            return json_fail(&attack->at, failure, "expected an attack that suits every oracle, got %s: %s",
                             attack->label, reason.text);
        for (size_t j = 0; j < attack->fraction.count; j++)
            if (ldp_attackers_users(dataset->n, attack->fraction.values[j]) + (double)dataset->n >
                (double)LDP_USERS_MAX)
                return json_fail(&attack->at, failure, "expected at most 2^53 users of dataset %s, malicious included",
                                 dataset->label);
    }
    return 0;
}

int attacks_prepare(const struct evaluation_setup *setup, struct failure *failure)
{
    const struct method_list *const methods = &setup->config.methods;

    if (setup->config.attacks.count == 0)
        return 0;
    if (oracles_demand_own(&setup->config.axes.oracles, "the attacks", failure) != 0)
        return -1;
    for (size_t i = 0; i < methods->count; i++)
        if (methods->choice[i].external)
            return json_fail(&methods->at, failure, "expected methods of this program for the attacks, got %s",
                             methods->choice[i].label);
    for (size_t cell = 0; cell < setup->grid.setup.ncells; cell++)
        if (check_cell(setup, cell, failure) != 0)
            return -1;
    return 0;
}

/* ---- One repetition ---- */

void attack_buffers_clear(struct attack_buffers *buffers)
{
    free(buffers->clean);
    free(buffers->mse_clean);
    free(buffers->est);
    free(buffers->support);
    free(buffers->scratch);
    free(buffers->target);
    free(buffers->all);
    free(buffers->work);
    *buffers = (struct attack_buffers){0};
}

void attacks_begin(const struct evaluation_worker *worker, struct attack_buffers *buffers)
{
    const struct evaluation_setup *const setup = worker->setup;
    const struct ldp_protocol *const protocol = &worker->collection.simulation.protocol;
    const size_t d = protocol->d;
    size_t scratch = ldp_estimate_scratch(protocol);

    attack_buffers_clear(buffers);
    for (size_t i = 0; i < setup->config.attacks.count; i++) {
        const struct ldp_attack_spec spec = attack_in(&setup->config.attacks.choice[i], worker->idataset);
        const size_t bytes = ldp_attack_scratch(&spec, protocol);

        scratch = bytes > scratch ? bytes : scratch;
    }
    for (size_t i = 0; i < worker->set->count; i++) {
        const size_t bytes = ldp_postprocess_scratch(&worker->methods[i], d);

        scratch = bytes > scratch ? bytes : scratch;
    }
    buffers->clean = xcalloc(worker->set->count * d, sizeof *buffers->clean);
    buffers->mse_clean = xcalloc(worker->set->count, sizeof *buffers->mse_clean);
    buffers->est = xcalloc(2 * d, sizeof *buffers->est);
    buffers->support = xcalloc(2 * protocol->support_size, sizeof *buffers->support);
    buffers->scratch = xcalloc(scratch + 1, 1);
    if (protocol->oracle->set_variance) {
        buffers->work = xcalloc(ldp_set_interval_bytes(d), 1);
        buffers->all = xcalloc(d, sizeof *buffers->all);
        for (size_t v = 0; v < d; v++)
            buffers->all[v] = (uint32_t)v;
    }
    buffers->target = xcalloc(attacks_targets(&setup->config.attacks, worker->idataset), sizeof *buffers->target);
}

/* The answers about single values that the estimate of method i gives. */
static void answer(const struct evaluation_worker *worker, size_t i, double *est)
{
    for (size_t v = 0; worker->methods[i].method->on_answers && v < worker->collection.simulation.protocol.d; v++)
        est[v] = fmax(est[v], 0);
}

static void apply(const struct evaluation_worker *worker, size_t i, const struct ldp_collection *collection,
                  void *scratch, double *out)
{
    ldp_postprocess(&worker->methods[i], collection, scratch, out);
    answer(worker, i, out);
}

static double squared_error(const struct ldp_population *population, const double *est)
{
    double sum = 0;

    for (size_t v = 0; v < population->d; v++)
        sum += (est[v] - population->f[v]) * (est[v] - population->f[v]);
    return sum / (double)population->d;
}

/* Whether a value is among the TOP largest; of equal ones the smaller value is. */
static bool in_top(const double *est, size_t d, uint32_t value)
{
    size_t before = 0;

    for (size_t v = 0; v < d && before < TOP; v++)
        before += est[v] > est[value] || (est[v] == est[value] && v < value);
    return before < TOP;
}

static double false_positives(const struct ldp_population *population, const uint32_t *target, size_t r,
                              const double *est)
{
    size_t external = 0, found = 0;

    for (size_t i = 0; i < r; i++)
        if (!in_top(population->f, population->d, target[i])) {
            external++;
            found += in_top(est, population->d, target[i]);
        }
    return external > 0 ? (double)found / (double)external : (double)NAN;
}

/* A collection under attack. */
struct attacked {
    const struct ldp_protocol *protocol; /* with the public seed of the collection */
    const struct ldp_attack_spec *spec;
    uint64_t n, m;
};

static double total_of(const struct ldp_attack_spec *spec, const double *est)
{
    double sum = 0;

    for (size_t i = 0; i < spec->r; i++)
        sum += est[spec->target[i]];
    return sum;
}

/* sum est - 1 in the standard deviations that the sum has without malicious users, given the public randomness. NAN
 * where the sum is always 1, and where its variance is not known. */
static double z_of_sum(const struct ldp_protocol *observed, uint64_t N, const double *f, const double *est,
                       const struct attack_buffers *buffers)
{
    double sum = 0, variance = observed->tf;

    if (observed->flags & LDP_ORACLE_SUMS_TO_ONE || !ldp_set_variance_known(observed))
        return NAN;
    for (size_t v = 0; v < observed->d; v++) {
        sum += est[v];
        variance += ldp_law_s1(observed, v);
    }
    if (observed->oracle->set_variance) {
        const struct ldp_variance_terms spread =
            ldp_set_variance_terms(observed, N, buffers->all, observed->d, f, buffers->work);

        variance = spread.s1 + spread.tf + spread.square;
    }
    return (sum - 1) * sqrt((double)N / variance);
}

/* The measures of every method: out[methods][MEASURES]. */
static void measure(const struct evaluation_worker *worker, const struct attacked *attacked, struct ldp_rng *rng,
                    const struct attack_buffers *buffers, double *out)
{
    const struct ldp_population *const population = worker->collection.simulation.population;
    const struct ldp_protocol *const protocol = attacked->protocol;
    const struct ldp_attack_spec *const spec = attacked->spec;
    const size_t d = protocol->d;
    const uint64_t N = attacked->n + attacked->m;
    double *const more = buffers->support, *const support = more + protocol->support_size, *const est = buffers->est,
                  *const method = est + d;

    ldp_attack_collect(spec, protocol, attacked->m, worker->collection.simulation.mode, rng, buffers->scratch, more);
    memcpy(support, worker->collection.support, protocol->support_size * sizeof *support);
    ldp_support_add(protocol, more, support);
    ldp_estimate(protocol, attacked->m, more, buffers->scratch, est);
    double truth = 0;
    for (size_t i = 0; i < spec->r; i++)
        truth += population->f[spec->target[i]];
    const double beta = (double)attacked->m / (double)N,
                 exact = protocol->flags & LDP_ORACLE_BIASED ? (double)NAN : beta * (total_of(spec, est) - truth);
    ldp_estimate(protocol, N, support, buffers->scratch, est);
    struct ldp_collection seen = {protocol, N, support, est};
    const struct ldp_protocol observed = ldp_observed(&seen, buffers->scratch);
    seen.protocol = &observed;
    const double z = z_of_sum(&observed, N, population->f, est, buffers);
    for (size_t i = 0; i < worker->set->count; i++) {
        const double *const clean = buffers->clean + i * d;
        double *const of = out + i * MEASURES;

        apply(worker, i, &seen, buffers->scratch, method);
        of[GAIN] = total_of(spec, method) - total_of(spec, clean);
        of[GAIN_EACH] = of[GAIN] / (double)spec->r;
        of[GAIN_EXACT] = exact;
        of[MSE] = squared_error(population, method);
        of[MSE_CLEAN] = buffers->mse_clean[i];
        of[FALSE_POSITIVES] = false_positives(population, spec->target, spec->r, method);
        of[Z_SUM] = z;
    }
}

struct ldp_attack_spec attacks_choose(const struct evaluation_worker *worker, const struct attack_choice *attack,
                                      struct ldp_rng *stream, uint32_t *drawn)
{
    const struct ldp_population *const population = worker->collection.simulation.population;
    struct ldp_attack_spec spec = attack_in(attack, worker->idataset);

    spec.f = population->f;
    if (!spec.target) {
        ldp_attack_draw(stream, population->d, spec.r, drawn);
        spec.target = drawn;
    }
    return spec;
}

double *attacks_measure(const struct evaluation_worker *worker, uint64_t public_seed, const struct ldp_rng *rng,
                        const struct attack_buffers *buffers, double *out)
{
    const struct collection *const collection = &worker->collection;
    const struct attack_list *const attacks = &worker->setup->config.attacks;
    const uint64_t n = collection->simulation.population->n;
    const size_t d = collection->simulation.protocol.d;
    struct ldp_protocol protocol = collection->simulation.protocol;
    struct ldp_rng copy = *rng;
    const uint64_t seed = ldp_rng_next(&copy);

    protocol.public_seed = public_seed;
    for (size_t i = 0; i < worker->set->count; i++) {
        double *const clean = buffers->clean + i * d;

        memcpy(clean, ldp_evaluation_estimate(worker->evaluation, i), d * sizeof *clean);
        answer(worker, i, clean);
        buffers->mse_clean[i] = squared_error(collection->simulation.population, clean);
    }
    for (size_t i = 0; i < attacks->count; i++) {
        const struct attack_choice *const attack = &attacks->choice[i];
        struct ldp_rng stream;

        ldp_rng_stream(&stream, seed, attack->key, 0);
        struct ldp_attack_spec spec = attacks_choose(worker, attack, &stream, buffers->target);
        for (size_t j = 0; j < attack->fraction.count; j++) {
            const struct attacked attacked = {&protocol, &spec, n,
                                              (uint64_t)ldp_attackers_users(n, attack->fraction.values[j])};

            spec.beta = (double)attacked.m / (double)(n + attacked.m);
            measure(worker, &attacked, &stream, buffers, out);
            out += worker->set->count * MEASURES;
        }
    }
    return out;
}

/* ---- The table ---- */

static size_t rows(const struct table_cell *in)
{
    return attacks_count(evaluation_of(in->setup), in->cell) / MEASURES;
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct evaluation_setup *const setup = evaluation_of(in->setup);
    const size_t methods = evaluation_methods(setup, in->cell)->count,
                 first = frequency_series(setup, in->cell).attacks;
    const struct attack_point point = attacks_point(&setup->config.attacks, index / methods);

    row->field[0] = method_field(evaluation_method(setup, in->cell, index % methods));
    attack_fields(point, point.attack->on[grid_point(&setup->grid, in->cell).idataset].r, row->field + 1);
    row_series(row, first + index * MEASURES, MEASURES);
}

static const struct table_column columns[] = {
    METHOD_COLUMNS,
    ATTACK_COLUMNS,
    {"repetitions", COLUMN_REPETITIONS, 0},
    MEAN_COLUMNS("gain", GAIN),
    MEAN_COLUMNS("gain_per_target", GAIN_EACH),
    MEAN_COLUMNS("gain_exact", GAIN_EXACT),
    MEAN_COLUMNS("mse", MSE),
    MEAN_COLUMNS("mse_clean", MSE_CLEAN),
    MEAN_COLUMNS("false_positives", FALSE_POSITIVES),
    MEAN_COLUMNS("z_sum", Z_SUM),
    {"false_positives_defined", COLUMN_DEFINED, FALSE_POSITIVES},
    {"z_sum_defined", COLUMN_DEFINED, Z_SUM},
};

const struct task_table attacks_table = {
    TABLE("attacks.csv", "what malicious users achieve", "method", FORM_PRICE, columns, measures), .rows = rows,
    .row = row};

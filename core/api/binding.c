/* binding.c - see ldpbench_binding.h. This file is over 500 lines
 * because every function of the binding is checked in the same way. */
#include "ldpbench_binding.h"

#include "laws/interval.h"
#include "privacy/shuffle.h"
#include "protocol/attack_success.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LDP_BINDING_REASON == sizeof(struct ldp_reason), "a reason fits its buffer");

unsigned ldp_binding_version(void)
{
    return LDP_BINDING_VERSION;
}

/* ---- An algorithm with its parameters ---- */

struct ldp_choice {
    enum ldp_registry registry;
    struct ldp_oracle_spec oracle;
    struct ldp_method_spec method;
};

struct ldp_choice *ldp_choice_new(enum ldp_registry registry, const char *name)
{
    const struct ldp_oracle *const oracle = name && registry == LDP_REGISTRY_ORACLES ? ldp_oracle_find(name) : NULL;
    const struct ldp_method *const method = name && registry == LDP_REGISTRY_METHODS ? ldp_method_find(name) : NULL;
    struct ldp_choice *const choice = oracle || method ? calloc(1, sizeof *choice) : NULL;
    if (!choice)
        return NULL;
    choice->registry = registry;
    choice->oracle.oracle = oracle;
    choice->method.method = method;
    ldp_params_default(oracle ? oracle->params : method->params, oracle ? choice->oracle.param : choice->method.param);
    return choice;
}

void ldp_choice_free(struct ldp_choice *choice)
{
    free(choice);
}

static struct ldp_reason *reason_in(char *reason)
{
    return (struct ldp_reason *)(void *)reason;
}

enum ldp_status ldp_choice_set(struct ldp_choice *choice, const char *param, double value, char *reason)
{
    const bool oracle = choice->registry == LDP_REGISTRY_ORACLES;
    const char *const name = oracle ? choice->oracle.oracle->name : choice->method.method->name;
    const struct ldp_param *const params = oracle ? choice->oracle.oracle->params : choice->method.method->params;
    double *const values = oracle ? choice->oracle.param : choice->method.param;
    for (size_t i = 0; params && params[i].name; i++) {
        if (strcmp(params[i].name, param) != 0)
            continue;
        if (!ldp_param_valid(&params[i], value))
            return ldp_refuse(reason_in(reason), "%s: expected %s%s from %.10g to %.10g, got %.10g", param,
                              params[i].kind == LDP_REAL ? "a number" : "an integer",
                              isnan(params[i].fallback) ? ", or none," : "", params[i].min, params[i].max, value);
        values[i] = value;
        return LDP_OK;
    }
    return ldp_refuse(reason_in(reason), "%s has no parameter \"%.60s\"", name, param);
}

enum ldp_status ldp_choice_nest(struct ldp_choice *choice, const struct ldp_choice *inner, char *reason)
{
    if (choice->registry != LDP_REGISTRY_ORACLES || !inner || inner->registry != LDP_REGISTRY_ORACLES ||
        !choice->oracle.oracle->inner)
        return ldp_refuse(reason_in(reason), "expected an oracle that runs another one inside");
    choice->oracle.inner = &inner->oracle;
    return LDP_OK;
}

/* ---- A protocol ---- */

struct ldp_handle {
    struct ldp_protocol protocol;
    const struct ldp_oracle *asked;
    double param[LDP_PARAMS_MAX]; /* of asked; those of the oracle that runs are the protocol's */
};

enum ldp_status ldp_handle_new(const struct ldp_choice *oracle, size_t d, double epsilon, char *reason,
                               struct ldp_handle **out)
{
    *out = NULL;
    if (!oracle)
        return ldp_refuse(reason_in(reason), "expected an oracle, got none");
    if (oracle->registry != LDP_REGISTRY_ORACLES)
        return ldp_refuse(reason_in(reason), "expected an oracle, got %s", oracle->method.method->name);
    struct ldp_handle *const handle = calloc(1, sizeof *handle);
    if (!handle)
        return LDP_ENOMEM;
    const enum ldp_status status = ldp_protocol_init(&handle->protocol, &oracle->oracle, d, epsilon, reason_in(reason));
    if (status != LDP_OK) {
        free(handle);
        return status;
    }
    handle->asked = oracle->oracle.oracle;
    memcpy(handle->param, oracle->oracle.param, sizeof handle->param);
    *out = handle;
    return LDP_OK;
}

void ldp_handle_free(struct ldp_handle *handle)
{
    free(handle);
}

const char *ldp_handle_oracle(const struct ldp_handle *handle)
{
    return handle->protocol.oracle->name;
}

bool ldp_handle_number(const struct ldp_handle *handle, const char *name, double *out)
{
    const struct ldp_protocol *const protocol = &handle->protocol;
    struct ldp_cost cost = {NAN, NAN, NAN};
    if (protocol->oracle->cost)
        protocol->oracle->cost(protocol, &cost);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"d", (double)protocol->d},
        {"epsilon", protocol->epsilon},
        {"p", protocol->p},
        {"q", protocol->q},
        {"s1", protocol->s1},
        {"tf", protocol->tf},
        {"support_size", (double)protocol->support_size},
        {"report_words", (double)protocol->report_words},
        {"flags", protocol->flags},
        {"observes", !protocol->oracle->observe ? 0
                     : protocol->oracle->rows   ? 2
                                                : 1},
        {"report_bits", cost.report_bits},
        {"report_operations", cost.report_operations},
        {"collection_operations", cost.collection_operations},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(numbers[i].name, name) == 0) {
            *out = numbers[i].value;
            return true;
        }
    }
    return false;
}

static bool find_param(const struct ldp_oracle *oracle, const double *param, const char *name, double *out)
{
    for (size_t i = 0; oracle->params && oracle->params[i].name; i++) {
        if (strcmp(oracle->params[i].name, name) == 0) {
            *out = param[i];
            return true;
        }
    }
    return false;
}

bool ldp_handle_param(const struct ldp_handle *handle, const char *name, double *out)
{
    return find_param(handle->protocol.oracle, handle->protocol.param, name, out) ||
           find_param(handle->asked, handle->param, name, out);
}

enum ldp_status ldp_handle_central(const struct ldp_handle *handle, uint64_t n, double delta, double bounds[2],
                                   char *reason)
{
    const struct ldp_central central = {n, handle->protocol.epsilon, delta};
    if (ldp_central_check(&handle->protocol, &central, reason_in(reason)) != LDP_OK)
        return LDP_EINVAL;
    const struct ldp_overlap overlap = ldp_overlap_of(&handle->protocol);
    const struct ldp_bracket epsilon = ldp_shuffle_epsilon(&overlap, n, delta);
    bounds[0] = epsilon.lower;
    bounds[1] = epsilon.upper;
    return LDP_OK;
}

enum ldp_status ldp_handle_attack(const struct ldp_handle *handle, const double *prior, uint64_t reports, uint64_t seed,
                                  double found[4], char *reason)
{
    struct ldp_attack_success attack;
    const enum ldp_status status =
        ldp_attack_success(&handle->protocol, prior, reports, seed, &attack, reason_in(reason));
    if (status == LDP_OK)
        memcpy(found, (double[]){attack.success, attack.guess, attack.advantage, attack.error}, 4 * sizeof *found);
    return status;
}

enum ldp_status ldp_choice_local(const struct ldp_choice *oracle, size_t d, uint64_t n, double central, double delta,
                                 double most, double *local, char *reason)
{
    const struct ldp_central budget = {n, central, delta};
    if (!oracle || oracle->registry != LDP_REGISTRY_ORACLES)
        return ldp_refuse(reason_in(reason), "expected an oracle");
    if (!(most > 0))
        return ldp_refuse(reason_in(reason), "most = %g: expected a number > 0", most);
    return ldp_shuffle_local(&oracle->oracle, d, &budget, most, local, reason_in(reason));
}

enum ldp_status ldp_handle_client(const struct ldp_handle *handle, uint64_t public_seed, const uint32_t *values,
                                  size_t m, uint64_t seed, const char *key, uint64_t part, uint64_t *reports,
                                  char *reason)
{
    struct ldp_protocol protocol = handle->protocol;
    if (!protocol.oracle->client)
        return ldp_refuse(reason_in(reason), "%s has no client", protocol.oracle->name);
    for (size_t i = 0; i < m; i++)
        if (values[i] >= protocol.d)
            return ldp_refuse(reason_in(reason), "values[%zu]: expected a value below d = %zu, got %lu", i, protocol.d,
                              (unsigned long)values[i]);
    protocol.public_seed = public_seed;
    struct ldp_rng rng;
    ldp_rng_stream(&rng, seed, key, part);
    protocol.oracle->client(&protocol, values, m, &rng, reports);
    return LDP_OK;
}

/* The reason names the first report that no client can send, and counts them all. */
static enum ldp_status check_reports(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m,
                                     struct ldp_reason *reason)
{
    struct ldp_reason first = {{0}}, other;
    size_t refused = 0, at = 0;
    if (ldp_reports_valid(protocol, reports, m))
        return LDP_OK;
    for (size_t i = 0; i < m; i++)
        if (ldp_report_check(protocol, reports + i * protocol->report_words, refused ? &other : &first) != LDP_OK)
            at = refused++ ? at : i;
    return refused ? ldp_refuse(reason, "report %zu: %s (%zu of %zu reports are not of this protocol)", at, first.text,
                                refused, m)
                   : LDP_OK;
}

enum ldp_status ldp_handle_server(const struct ldp_handle *handle, uint64_t public_seed, const uint64_t *reports,
                                  size_t m, double *support, char *reason)
{
    struct ldp_protocol protocol = handle->protocol;
    if (!protocol.oracle->server)
        return ldp_refuse(reason_in(reason), "%s has no server", protocol.oracle->name);
    if (m == 0)
        return ldp_refuse(reason_in(reason), "expected at least one report");
    const enum ldp_status checked = check_reports(&protocol, reports, m, reason_in(reason));
    if (checked != LDP_OK)
        return checked;
    void *const state = calloc(1, protocol.state_bytes);
    if (!state)
        return LDP_ENOMEM;
    protocol.public_seed = public_seed;
    protocol.oracle->server(&protocol, reports, m, state);
    protocol.oracle->support(&protocol, state, m, support);
    free(state);
    return LDP_OK;
}

enum ldp_status ldp_handle_check(const struct ldp_handle *handle, uint64_t n, const double *support, uint64_t *place,
                                 double *z, bool *unlikely, char *reason)
{
    struct ldp_support_finding finding = {0};
    const enum ldp_status status = ldp_support_check(&handle->protocol, n, support, &finding);
    *place = finding.place;
    *z = finding.z;
    *unlikely = finding.unlikely;
    return status == LDP_EINVAL ? ldp_refuse(reason_in(reason), "%s", finding.reason.text) : status;
}

enum ldp_status ldp_handle_estimate(const struct ldp_handle *handle, uint64_t n, const double *support, size_t count,
                                    double *est, double *s1, double *trials)
{
    const struct ldp_protocol *const protocol = &handle->protocol;
    void *const scratch = malloc(ldp_estimate_scratch(protocol) + 1);
    if (!scratch)
        return LDP_ENOMEM;
    for (size_t i = 0; i < count && n > 0; i++) {
        const double *const from = support + i * protocol->support_size;
        ldp_estimate(protocol, n, from, scratch, est + i * protocol->d);
        const struct ldp_protocol observed = ldp_observed(&(struct ldp_collection){protocol, n, from, NULL}, scratch);
        if (s1)
            s1[i] = protocol->oracle->rows && !observed.law.known ? -observed.s1 : observed.s1;
        if (trials && observed.law.trials)
            memcpy(trials + i * protocol->d, observed.law.trials, protocol->d * sizeof *trials);
    }
    free(scratch);
    return n > 0 ? LDP_OK : LDP_EINVAL;
}

enum ldp_status ldp_handle_variance(const struct ldp_handle *handle, const uint64_t *counts, double *variance)
{
    struct ldp_population *population;
    const enum ldp_status status = ldp_population_new(counts, handle->protocol.d, &population);
    if (status == LDP_OK)
        ldp_variance(&handle->protocol, &population->histogram, variance);
    ldp_population_free(population);
    return status;
}

/* Zeros for a support, and for trials[d] behind the values whatever the oracle has there. */
static double *support_room(const struct ldp_protocol *protocol)
{
    const size_t d = protocol->d;
    return calloc(protocol->support_size > 2 * d ? protocol->support_size : 2 * d, sizeof(double));
}

/* The protocol of a collection of which s1 and trials[d] were observed; NULL: not known. support[]: of support_room. */
static struct ldp_protocol observed_as(const struct ldp_protocol *protocol, uint64_t n, const double *s1,
                                       const double *trials, const double *est, double *support)
{
    struct ldp_protocol observed = *protocol;
    if (s1) {
        observed.s1 = fabs(*s1); /* what is observed of the estimates may depend on it */
        if (protocol->oracle->observe)
            protocol->oracle->observe(&(struct ldp_collection){protocol, n, NULL, est}, NULL, &observed);
        observed.s1 = fabs(*s1);
        observed.law.known = !signbit(*s1); /* -0 too */
    }
    if (trials && protocol->flags & LDP_ORACLE_UNEVEN && protocol->oracle->observe) {
        struct ldp_protocol placed = *protocol;
        memcpy(support + protocol->d, trials, protocol->d * sizeof *trials);
        protocol->oracle->observe(&(struct ldp_collection){protocol, n, support, NULL}, NULL, &placed);
        placed.law.known = protocol->oracle->variance; /* of sums it is not, as the placement is not */
        if (placed.law.trials)                         /* the oracle has blocks */
            observed = placed;
    }
    return observed;
}

enum ldp_status ldp_handle_postprocess(const struct ldp_handle *handle, const struct ldp_choice *method, uint64_t n,
                                       const double *est, const double *supports, const double *s1,
                                       const double *trials, size_t count, double *out, char *reason)
{
    const struct ldp_protocol *const protocol = &handle->protocol;
    if (!method || method->registry != LDP_REGISTRY_METHODS || n == 0)
        return ldp_refuse(reason_in(reason), n == 0 ? "n = 0: expected at least one report" : "expected a method");
    const enum ldp_status suits = ldp_method_check(method->method.method, protocol, supports, reason_in(reason));
    if (suits != LDP_OK)
        return suits;
    if (protocol->oracle->rows && protocol->oracle->observe && !s1)
        return ldp_refuse(reason_in(reason), "expected s1: the noise of %s depends on the collection",
                          protocol->oracle->name);
    for (size_t i = 0; s1 && i < count; i++)
        if (!isfinite(s1[i]))
            return ldp_refuse(reason_in(reason), "s1[%zu]: expected a finite number, got %g", i, s1[i]);
    const size_t d = protocol->d;
    void *const scratch = malloc(ldp_postprocess_scratch(&method->method, d) + 1);
    double *const support = support_room(protocol);
    const bool room = scratch && support;
    for (size_t i = 0; room && i < count; i++) {
        const struct ldp_protocol observed =
            observed_as(protocol, n, s1 ? &s1[i] : NULL, trials ? trials + i * d : NULL, est + i * d, support);
        const struct ldp_collection input = {&observed, n, supports ? supports + i * protocol->support_size : NULL,
                                             est + i * d};
        ldp_postprocess(&method->method, &input, scratch, out + i * d);
    }
    free(scratch);
    free(support);
    return room ? LDP_OK : LDP_ENOMEM;
}

double ldp_largest_of(const double *x, size_t count)
{
    double largest[8] = {0}, sum[8] = {0}, total = 0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t j = 0; j < 8; j++) {
            largest[j] = x[i + j] > largest[j] ? x[i + j] : largest[j];
            sum[j] += x[i + j]; /* finite: so is every number */
        }
    for (size_t j = 0; i + j < count; j++) {
        largest[j] = x[i + j] > largest[j] ? x[i + j] : largest[j];
        sum[j] += x[i + j];
    }
    for (size_t j = 0; j < 8; j++) {
        largest[0] = largest[j] > largest[0] ? largest[j] : largest[0];
        total += sum[j];
    }
    bool finite = isfinite(total);
    for (i = 0; !finite && i < count && isfinite(x[i]); i++)
        finite = i + 1 == count; /* a sum beyond the doubles */
    return finite ? largest[0] : NAN;
}

enum ldp_status ldp_handle_interval(const struct ldp_handle *handle, const char *name, double level, double k,
                                    uint64_t n, const double *est, const double *s1, const double *trials, size_t count,
                                    double *low, double *high, char *reason)
{
    const struct ldp_protocol *const protocol = &handle->protocol;
    name = name ? name : "";
    const struct ldp_interval *const interval = ldp_interval_find(name);
    double param[LDP_PARAMS_MAX] = {0};
    if (!interval || n == 0 || !(level > 0 && level < 1))
        return ldp_refuse(reason_in(reason),
                          !interval ? "expected an interval, got \"%.40s\""
                          : n == 0  ? "%s: expected at least one report"
                                    : "%s: expected a level between 0 and 1",
                          name);
    ldp_params_default(interval->params, param);
    param[0] = interval->params && !isnan(k) ? k : param[0];
    if (!ldp_params_valid(interval->params, param))
        return ldp_refuse(reason_in(reason), "%s: k = %g: out of range", name, k);
    const size_t d = protocol->d;
    double *const support = support_room(protocol);
    void *const scratch = malloc((interval->scratch_bytes ? interval->scratch_bytes(d) : 0) + 1);
    enum ldp_status status = support && scratch ? LDP_OK : LDP_ENOMEM;
    for (size_t i = 0; i < count && status == LDP_OK; i++) {
        const struct ldp_protocol observed =
            observed_as(protocol, n, s1 ? &s1[i] : NULL, trials ? trials + i * d : NULL, est + i * d, support);
        const struct ldp_collection input = {&observed, n, NULL, est + i * d};
        status = ldp_interval_suits(interval, &observed, level, reason_in(reason));
        if (status == LDP_OK)
            interval->apply(param, &input, level, scratch, low + i * d, high + i * d);
    }
    free(support);
    free(scratch);
    return status;
}

static enum ldp_status check_sets(const uint32_t *member, const uint64_t *first, size_t nsets, size_t d,
                                  struct ldp_reason *reason)
{
    for (size_t s = 0; s < nsets; s++) {
        if (first[s] > first[s + 1])
            return ldp_refuse(reason, "set %zu: expected to end behind its start", s);
        for (uint64_t i = first[s]; i < first[s + 1]; i++)
            if (member[i] >= d)
                return ldp_refuse(reason, "set %zu: expected values below d = %zu, got %lu", s, d,
                                  (unsigned long)member[i]);
    }
    return LDP_OK;
}

enum ldp_status ldp_handle_set_interval(const struct ldp_handle *handle, double level, uint64_t n, const double *est,
                                        const double *supports, const double *s1, const double *trials, size_t count,
                                        const uint32_t *member, const uint64_t *first, size_t nsets, double *low,
                                        double *high, char *reason)
{
    const struct ldp_protocol *const protocol = &handle->protocol;
    const size_t d = protocol->d;
    if (n == 0 || !(level > 0 && level < 1))
        return ldp_refuse(reason_in(reason),
                          n == 0 ? "expected at least one report" : "expected a level between 0 and 1");
    enum ldp_status status = check_sets(member, first, nsets, d, reason_in(reason));
    if (status != LDP_OK)
        return status;
    double *const support = support_room(protocol);
    void *const work = malloc(ldp_set_interval_bytes(d));
    status = support && work ? LDP_OK : LDP_ENOMEM;
    for (size_t i = 0; status == LDP_OK && i < count; i++) {
        const struct ldp_protocol observed =
            observed_as(protocol, n, s1 ? &s1[i] : NULL, trials ? trials + i * d : NULL, est + i * d, support);
        const struct ldp_collection input = {&observed, n, supports ? supports + i * protocol->support_size : NULL,
                                             est + i * d};
        status = ldp_set_interval_suits(&input, level, reason_in(reason));
        for (size_t s = 0; s < nsets && status == LDP_OK; s++)
            ldp_set_interval(&input, level, member + first[s], (size_t)(first[s + 1] - first[s]), work,
                             &low[i * nsets + s], &high[i * nsets + s]);
    }
    free(support);
    free(work);
    return status;
}

/* ---- Simulation ---- */

struct ldp_simulator {
    struct ldp_population *population;
    struct ldp_simulation simulation;
};

enum ldp_status ldp_simulator_new(const struct ldp_handle *handle, const uint64_t *counts, enum ldp_mode mode,
                                  char *reason, struct ldp_simulator **out)
{
    *out = NULL;
    if (!ldp_has_mode(&handle->protocol, mode))
        return ldp_refuse(reason_in(reason), "%s has no simulation by %s", handle->protocol.oracle->name,
                          mode == LDP_COUNTS ? "counts" : "reports");
    struct ldp_simulator *const simulator = calloc(1, sizeof *simulator);
    if (!simulator)
        return LDP_ENOMEM;
    enum ldp_status status = ldp_population_new(counts, handle->protocol.d, &simulator->population);
    if (status == LDP_EINVAL)
        ldp_refuse(reason_in(reason), "counts: expected integers with a sum from 1 to 2^53");
    if (status == LDP_OK)
        status = ldp_simulation_init(&simulator->simulation, &handle->protocol, simulator->population, mode);
    if (status != LDP_OK) {
        ldp_simulator_free(simulator);
        return status;
    }
    *out = simulator;
    return LDP_OK;
}

void ldp_simulator_free(struct ldp_simulator *simulator)
{
    if (!simulator)
        return;
    ldp_simulation_clear(&simulator->simulation);
    ldp_population_free(simulator->population);
    free(simulator);
}

enum ldp_status ldp_simulator_run(const struct ldp_simulator *simulator, uint64_t seed, const char *key, uint64_t first,
                                  size_t count, double *support)
{
    const size_t size = simulator->simulation.protocol.support_size;
    void *const scratch = malloc(simulator->simulation.scratch_bytes + 1);
    if (!scratch)
        return LDP_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct ldp_rng rng;
        ldp_rng_stream(&rng, seed, key, first + i);
        ldp_simulate(&simulator->simulation, &rng, scratch, support + i * size);
    }
    free(scratch);
    return LDP_OK;
}

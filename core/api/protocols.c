/* protocols.c - protocols, what is known of them before there are reports, and clients, for ldpbench.h. */
#include "api/handles.h"
#include "privacy/shuffle.h"
#include "protocol/attack_success.h"
#include "protocol/bits.h"
#include "random/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/random.h>

/* What a report is, in words. */
static void describe_report(struct ldpbench_protocol *made)
{
    const struct ldp_protocol *const protocol = &made->protocol;
    char *const text = made->report;
    const size_t words = protocol->report_words, size = sizeof made->report;
    if (protocol->report_limit > 0 && words == 1)
        snprintf(text, size, "a number below %" PRIu64, protocol->report_limit);
    else if (protocol->report_limit > 0)
        snprintf(text, size, "%zu numbers below %" PRIu64, words, protocol->report_limit);
    else if (protocol->flags & LDP_ORACLE_REAL)
        snprintf(text, size, "%zu doubles, as the bits of words", words);
    else if (protocol->oracle->server == ldp_planes_server)
        snprintf(text, size, "%zu bits, that of value v in bit v %% 64 of word v / 64", protocol->d);
    else
        snprintf(text, size, "%zu words of 64 bits (docs/deployment.md)", words);
}

enum ldpbench_status ldpbench_protocol_new(const struct ldpbench_spec *oracle, size_t d, double epsilon,
                                           uint64_t public_seed, struct ldpbench_protocol **out,
                                           struct ldpbench_error *error)
{
    struct ldp_reason reason = {{0}};
    LDP_API_NEED(out);
    *out = NULL;
    LDP_API_TRY(ldp_spec_check(oracle, LDP_KIND_ORACLE, error));
    struct ldpbench_protocol *const made = calloc(1, sizeof *made);
    if (!made)
        return ldp_api_machine(error, "out of memory");
    const struct ldp_oracle_spec spec = ldp_spec_oracle(oracle);
    const enum ldp_status found = ldp_protocol_init(&made->protocol, &spec, d, epsilon, &reason);
    if (found != LDP_OK) {
        free(made);
        return ldp_api_status(error, found, reason.text);
    }
    made->protocol.public_seed = public_seed;
    made->asked = spec.oracle;
    made->inner = oracle->inner;
    memcpy(made->param, spec.param, sizeof made->param);
    describe_report(made);
    *out = made;
    return LDPBENCH_OK;
}

void ldpbench_protocol_free(struct ldpbench_protocol *protocol)
{
    free(protocol);
}

enum ldpbench_status ldpbench_protocol_text(const struct ldpbench_protocol *protocol, const char *field,
                                            const char **text, struct ldpbench_error *error)
{
    LDP_API_NEED(protocol, field, text);
    if (strcmp(field, "oracle") != 0 && strcmp(field, "report") != 0)
        return ldp_api_refuse(error, "field: expected oracle or report, got \"%.40s\"", field);
    *text = *field == 'o' ? protocol->protocol.oracle->name : protocol->report;
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_protocol_has(const struct ldpbench_protocol *protocol, const char *property, bool *has,
                                           struct ldpbench_error *error)
{
    unsigned bit = 0;
    LDP_API_NEED(protocol, has);
    LDP_API_TRY(ldp_property_bit(LDP_KIND_ORACLE, property, &bit, error));
    *has = protocol->protocol.flags & bit;
    return LDPBENCH_OK;
}

/* A pure protocol's support counts are sums over reports, each of which adds from 0 to 1. */
static double influence_of(const struct ldp_protocol *protocol)
{
    return protocol->oracle->estimate || protocol->flags & (LDP_ORACLE_REAL | LDP_ORACLE_JOINT) ? INFINITY
                                                                                                : 1 / protocol->gap;
}

enum ldpbench_status ldpbench_protocol_number(const struct ldpbench_protocol *protocol, const char *name,
                                              double *number, struct ldpbench_error *error)
{
    LDP_API_NEED(protocol, name, number);
    const struct ldp_protocol *const of = &protocol->protocol;
    struct ldp_cost cost = {NAN, NAN, NAN};
    if (of->oracle->cost)
        of->oracle->cost(of, &cost);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"d", (double)of->d},
        {"epsilon", of->epsilon},
        {"p", of->p},
        {"q", of->q},
        {"s1", of->s1},
        {"tf", of->tf},
        {"support_size", (double)of->support_size},
        {"report_words", (double)of->report_words},
        {"report_limit", (double)of->report_limit},
        {"report_influence", influence_of(of)},
        {"observes", !of->oracle->observe ? 0
                     : of->oracle->rows   ? 2
                                          : 1},
        {"report_bits", cost.report_bits},
        {"report_operations", cost.report_operations},
        {"collection_operations", cost.collection_operations},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(numbers[i].name, name) == 0) {
            *number = numbers[i].value;
            return LDPBENCH_OK;
        }
    }
    return ldp_api_refuse(error, "expected a number of a protocol, got \"%.40s\"", name);
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

enum ldpbench_status ldpbench_protocol_parameter(const struct ldpbench_protocol *protocol, const char *name,
                                                 double *number, struct ldpbench_error *error)
{
    LDP_API_NEED(protocol, name, number);
    const struct ldp_oracle *const runs = protocol->protocol.oracle, *const asked = protocol->asked;
    const bool own = runs->params == asked->params; /* else it became another, which may have parameters of that name */
    return find_param(asked, own ? protocol->protocol.param : protocol->param, name, number) ||
                   find_param(runs, protocol->protocol.param, name, number)
               ? LDPBENCH_OK
               : ldp_api_refuse(error, "%s has no parameter \"%.60s\"", protocol->asked->name, name);
}

enum ldpbench_status ldpbench_protocol_variance(const struct ldpbench_protocol *protocol, const uint64_t *counts,
                                                double *variance, struct ldpbench_error *error)
{
    LDP_API_NEED(protocol, counts, variance);
    struct ldp_population *population;
    const size_t d = protocol->protocol.d;
    enum ldp_status status = ldp_population_unranked(counts, d, &population);
    if (status == LDP_OK)
        status = ldp_variance(&protocol->protocol, &population->histogram, variance);
    for (size_t v = 0; status == LDP_OK && v < d; v++)
        variance[v] /= (double)population->n * (double)population->n;
    ldp_population_free(population);
    return ldp_api_status(error, status, "counts: expected integers with a sum from 1 to 2^53");
}

enum ldpbench_status ldpbench_optimum(size_t d, double epsilon, double *optimum, struct ldpbench_error *error)
{
    LDP_API_NEED(optimum);
    if (d < 2 || d > UINT32_MAX || !(epsilon > 0))
        return ldp_api_refuse(error, "d = %zu, epsilon = %g: expected 2 <= d < 2^32 and epsilon > 0", d, epsilon);
    *optimum = ldp_optimum(d, epsilon);
    return LDPBENCH_OK;
}

/* ---- Privacy ---- */

enum ldpbench_status ldpbench_protocol_central(const struct ldpbench_protocol *protocol, uint64_t n, double delta,
                                               double *lower, double *upper, struct ldpbench_error *error)
{
    LDP_API_NEED(protocol, lower, upper);
    struct ldp_reason reason = {{0}};
    const struct ldp_central central = {n, protocol->protocol.epsilon, delta};
    if (ldp_central_check(&protocol->protocol, &central, &reason) != LDP_OK)
        return ldp_api_refuse(error, "%s", reason.text);
    const struct ldp_overlap overlap = ldp_overlap_of(&protocol->protocol);
    const struct ldp_bracket epsilon = ldp_shuffle_epsilon(&overlap, n, delta);
    *lower = epsilon.lower;
    *upper = epsilon.upper;
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_spec_local(const struct ldpbench_spec *oracle, size_t d, uint64_t n, double central,
                                         double delta, double most, double *local, struct ldpbench_error *error)
{
    const struct ldp_central budget = {n, central, delta};
    struct ldp_reason reason = {{0}};
    LDP_API_NEED(local);
    LDP_API_TRY(ldp_spec_check(oracle, LDP_KIND_ORACLE, error));
    if (!(most > 0))
        return ldp_api_refuse(error, "most = %g: expected a number > 0", most);
    const struct ldp_oracle_spec spec = ldp_spec_oracle(oracle);
    return ldp_api_status(error, ldp_shuffle_local(&spec, d, &budget, most, local, &reason), reason.text);
}

enum ldpbench_status ldpbench_protocol_attack(const struct ldpbench_protocol *protocol, const double *prior,
                                              uint64_t reports, uint64_t seed, double found[4],
                                              struct ldpbench_error *error)
{
    struct ldp_attack_success attack;
    struct ldp_reason reason = {{0}};
    LDP_API_NEED(protocol, prior, found);
    const enum ldp_status status = ldp_attack_success(&protocol->protocol, prior, reports, seed, &attack, &reason);
    if (status == LDP_OK)
        memcpy(found, (double[]){attack.success, attack.guess, attack.advantage, attack.error}, 4 * sizeof *found);
    return ldp_api_status(error, status, reason.text);
}

/* ---- Random numbers ---- */

static int fill_from_system(void *state, void *bytes, size_t size)
{
    for (char *at = bytes; size > 0;) {
        const ssize_t got = getrandom(at, size, 0);
        if (got < 0 && errno != EINTR)
            return errno;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

const struct ldpbench_source *ldpbench_system_source(void)
{
    static const struct ldpbench_source system = {fill_from_system, NULL};
    return &system;
}

static int fill_from_stream(void *state, void *bytes, size_t size)
{
    struct ldpbench_stream *const stream = state;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        const uint64_t word = ldp_rng_next(&stream->rng);
        memcpy((char *)bytes + i, &word, size - i < sizeof word ? size - i : sizeof word);
    }
    return 0;
}

enum ldpbench_status ldpbench_stream_new(uint64_t seed, const char *key, uint64_t number, struct ldpbench_stream **out,
                                         struct ldpbench_error *error)
{
    LDP_API_NEED(out, key);
    *out = NULL;
    struct ldpbench_stream *const stream = malloc(sizeof *stream);
    if (!stream)
        return ldp_api_machine(error, "out of memory");
    stream->source = (struct ldpbench_source){fill_from_stream, stream};
    ldp_rng_stream(&stream->rng, seed, key, number);
    *out = stream;
    return LDPBENCH_OK;
}

void ldpbench_stream_free(struct ldpbench_stream *stream)
{
    free(stream);
}

enum ldpbench_status ldpbench_stream_source(struct ldpbench_stream *stream, const struct ldpbench_source **out,
                                            struct ldpbench_error *error)
{
    LDP_API_NEED(stream, out);
    *out = &stream->source;
    return LDPBENCH_OK;
}

/* ---- Clients ---- */

enum ldpbench_status ldpbench_client(const struct ldpbench_protocol *protocol, const struct ldpbench_source *source,
                                     const uint32_t *values, size_t m, uint64_t *reports, struct ldpbench_error *error)
{
    LDP_API_NEED(protocol, source);
    LDP_API_NEED(values, reports);
    const struct ldp_protocol *const of = &protocol->protocol;
    if (!source->fill)
        return ldp_api_refuse(error, "source: expected a function that fills, got NULL");
    if (!of->oracle->client)
        return ldp_api_refuse(error, "%s has no client", of->oracle->name);
    for (size_t i = 0; i < m; i++)
        if (values[i] >= of->d)
            return ldp_api_refuse(error, "values[%zu]: expected a value below d = %zu, got %lu", i, of->d,
                                  (unsigned long)values[i]);
    if (m == 0)
        return LDPBENCH_OK;
    if (source->fill == fill_from_stream) {
        of->oracle->client(of, values, m, &((struct ldpbench_stream *)source->state)->rng, reports);
        return LDPBENCH_OK;
    }
    struct ldp_external external = {.fill = source->fill, .state = source->state};
    struct ldp_rng rng;
    ldp_rng_external(&rng, &external);
    of->oracle->client(of, values, m, &rng, reports);
    const bool failed = external.failed;
    explicit_bzero(&external, sizeof external);
    if (failed)
        memset(reports, 0, m * of->report_words * sizeof *reports);
    return failed ? ldp_api_machine(error, "expected random bytes, got none from the source") : LDPBENCH_OK;
}

enum ldpbench_status ldpbench_report_check(const struct ldpbench_protocol *protocol, const uint64_t *reports, size_t m,
                                           struct ldpbench_error *error)
{
    LDP_API_NEED(protocol, reports);
    const struct ldp_protocol *const of = &protocol->protocol;
    struct ldp_reason first = {{0}}, other;
    size_t refused = 0, at = 0;
    if (ldp_reports_valid(of, reports, m))
        return LDPBENCH_OK;
    for (size_t i = 0; i < m; i++)
        if (ldp_report_check(of, reports + i * of->report_words, refused ? &other : &first) != LDP_OK)
            at = refused++ ? at : i;
    return refused ? ldp_api_refuse(error, "report %zu: %s (%zu of %zu reports are not of this protocol)", at,
                                    first.text, refused, m)
                   : LDPBENCH_OK;
}

/* aggregates.c - the reports that a server has counted, for ldpbench.h. */
#include "api/handles.h"
#include "numerics/numeric.h"
#include "protocol/tally.h"

#include <inttypes.h>
#include <math.h>

struct ldpbench_aggregate {
    struct ldpbench_protocol of;
    uint64_t n;
    void *state;
};

enum ldpbench_status ldpbench_aggregate_new(const struct ldpbench_protocol *protocol, struct ldpbench_aggregate **out,
                                            struct ldpbench_error *error)
{
    LDP_API_NEED(out, protocol);
    *out = NULL;
    if (!protocol->protocol.oracle->server)
        return ldp_api_refuse(error, "%s has no server", protocol->protocol.oracle->name);
    struct ldpbench_aggregate *const aggregate = malloc(sizeof *aggregate);
    void *const state = calloc(1, protocol->protocol.state_bytes + 1);
    if (!aggregate || !state) {
        free(aggregate);
        free(state);
        return ldp_api_machine(error, "out of memory");
    }
    *aggregate = (struct ldpbench_aggregate){*protocol, 0, state};
    *out = aggregate;
    return LDPBENCH_OK;
}

void ldpbench_aggregate_free(struct ldpbench_aggregate *aggregate)
{
    if (!aggregate)
        return;
    free(aggregate->state);
    free(aggregate);
}

static enum ldpbench_status check_room(uint64_t n, uint64_t more, struct ldpbench_error *error)
{
    return more <= LDP_USERS_MAX - n ? LDPBENCH_OK : ldp_api_refuse(error, "expected at most 2^53 reports");
}

enum ldpbench_status ldpbench_aggregate_add(struct ldpbench_aggregate *aggregate, const uint64_t *reports, size_t m,
                                            struct ldpbench_error *error)
{
    LDP_API_NEED(aggregate);
    LDP_API_TRY(ldpbench_report_check(&aggregate->of, reports, m, error));
    LDP_API_TRY(check_room(aggregate->n, m, error));
    const struct ldp_protocol *const protocol = &aggregate->of.protocol;
    protocol->oracle->server(protocol, reports, m, aggregate->state);
    aggregate->n += m;
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_aggregate_users(const struct ldpbench_aggregate *aggregate, uint64_t *n,
                                              struct ldpbench_error *error)
{
    LDP_API_NEED(aggregate, n);
    *n = aggregate->n;
    return LDPBENCH_OK;
}

/* A copy of the state, which decoding and taking counters may overwrite. */
static void *copy_of(const struct ldpbench_aggregate *aggregate)
{
    const size_t bytes = aggregate->of.protocol.state_bytes;
    void *const state = malloc(bytes + 1);
    if (state)
        memcpy(state, aggregate->state, bytes);
    return state;
}

enum ldpbench_status ldpbench_aggregate_support(const struct ldpbench_aggregate *aggregate, double *support,
                                                struct ldpbench_error *error)
{
    LDP_API_NEED(aggregate, support);
    const struct ldp_protocol *const protocol = &aggregate->of.protocol;
    if (aggregate->n == 0)
        return ldp_api_refuse(error, "expected at least one report");
    void *const state = copy_of(aggregate);
    if (!state)
        return ldp_api_machine(error, "out of memory");
    protocol->oracle->support(protocol, state, aggregate->n, support);
    free(state);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_aggregate_finish(const struct ldpbench_aggregate *aggregate,
                                               struct ldpbench_collection **out, struct ldpbench_error *error)
{
    LDP_API_NEED(out, aggregate);
    *out = NULL;
    const struct ldp_protocol *const protocol = &aggregate->of.protocol;
    double *const support = ldp_room(1, protocol->support_size);
    if (!support)
        return ldp_api_machine(error, "out of memory");
    const enum ldpbench_status status = ldpbench_aggregate_support(aggregate, support, error);
    if (status != LDPBENCH_OK) {
        free(support);
        return status;
    }
    return ldp_collection_make(protocol, aggregate->n, support, 1, out, error);
}

/* ---- Counters ---- */

/* The words before and behind the counters; those before n are those of the protocol. */
enum { OF_PROTOCOL = 28, BEFORE = 30, BEHIND = 2, NAME = 4 };
static const char MAGIC[] = "ldpbagg1";

/* The counters of an aggregate behind room for the words before them. */
static enum ldpbench_status take(const struct ldpbench_aggregate *aggregate, uint64_t **words, size_t *size,
                                 struct ldpbench_error *error)
{
    const struct ldp_protocol *const protocol = &aggregate->of.protocol;
    void *const state = copy_of(aggregate);
    if (!state)
        return ldp_api_machine(error, "out of memory");
    struct ldp_tally tally = {.size = 0};
    ldp_tally(protocol, state, aggregate->n, &tally);
    *size = tally.size;
    *words = tally.unknown ? NULL : malloc((BEFORE + *size + BEHIND) * sizeof **words);
    if (*words) {
        tally = (struct ldp_tally){.out = *words + BEFORE};
        ldp_tally(protocol, state, aggregate->n, &tally);
    }
    free(state);
    return tally.unknown ? ldp_api_refuse(error, "%s: its reports are doubles, whose sums depend on their order",
                                          protocol->oracle->name)
           : *words      ? LDPBENCH_OK
                         : ldp_api_machine(error, "out of memory");
}

static uint64_t bits_of(double x)
{
    return isnan(x) ? UINT64_C(0x7ff8000000000000) : numeric_bits(x);
}

static uint64_t word_from(const unsigned char *byte)
{
    uint64_t word = 0;
    for (size_t i = 0; i < 8; i++)
        word |= (uint64_t)byte[i] << 8 * i;
    return word;
}

/* The name and the parameters of an oracle, NULL: none, as words. */
static void write_oracle(const struct ldp_oracle *oracle, const double *param, uint64_t *words)
{
    unsigned char name[8 * NAME] = {0};
    memset(words, 0, (NAME + LDP_PARAMS_MAX) * sizeof *words);
    if (!oracle)
        return;
    memcpy(name, oracle->name, strlen(oracle->name) < sizeof name ? strlen(oracle->name) : sizeof name);
    for (size_t i = 0; i < NAME; i++)
        words[i] = word_from(name + 8 * i);
    for (size_t i = 0; i < LDP_PARAMS_MAX && oracle->params && oracle->params[i].name; i++)
        words[NAME + i] = bits_of(param[i]);
}

static void write_protocol(const struct ldpbench_protocol *of, uint64_t words[OF_PROTOCOL])
{
    words[0] = word_from((const unsigned char *)MAGIC);
    words[1] = of->protocol.d;
    words[2] = bits_of(of->protocol.epsilon);
    words[3] = of->protocol.public_seed;
    write_oracle(of->protocol.oracle, of->protocol.param, words + 4);
    write_oracle(of->inner.oracle, of->inner.param, words + 4 + NAME + LDP_PARAMS_MAX);
}

/* What differs in words of another protocol. */
static enum ldpbench_status check_protocol(const struct ldpbench_protocol *of, const uint64_t *words,
                                           struct ldpbench_error *error)
{
    static const char *const parts[OF_PROTOCOL] = {"kind of data", "d",      "epsilon", "public seed",
                                                   "oracle",       "oracle", "oracle",  "oracle"};
    uint64_t own[OF_PROTOCOL];
    write_protocol(of, own);
    for (size_t i = 0; i < OF_PROTOCOL; i++)
        if (words[i] != own[i])
            return ldp_api_refuse(error, "expected an aggregate of the same protocol, got another %s",
                                  parts[i]                        ? parts[i]
                                  : i < 4 + NAME + LDP_PARAMS_MAX ? "parameter"
                                                                  : "oracle inside");
    return LDPBENCH_OK;
}

/* Puts counters of n reports into a state. */
static enum ldpbench_status put(struct ldpbench_aggregate *aggregate, uint64_t n, const uint64_t *counters,
                                struct ldpbench_error *error)
{
    struct ldp_tally tally = {.in = counters};
    ldp_tally(&aggregate->of.protocol, aggregate->state, n, &tally);
    aggregate->n = n;
    return tally.impossible ? ldp_api_refuse(error, "expected counters of n = %" PRIu64 " reports, got others", n)
                            : LDPBENCH_OK;
}

enum ldpbench_status ldpbench_aggregate_merge(struct ldpbench_aggregate *aggregate,
                                              const struct ldpbench_aggregate *other, struct ldpbench_error *error)
{
    LDP_API_NEED(aggregate, other);
    uint64_t *own = NULL, *more = NULL, words[OF_PROTOCOL];
    size_t size = 0, others = 0;
    write_protocol(&other->of, words);
    enum ldpbench_status status = check_protocol(&aggregate->of, words, error);
    if (status == LDPBENCH_OK)
        status = check_room(aggregate->n, other->n, error);
    if (status == LDPBENCH_OK)
        status = take(aggregate, &own, &size, error);
    if (status == LDPBENCH_OK)
        status = take(other, &more, &others, error);
    if (status == LDPBENCH_OK) {
        for (size_t i = BEFORE; i < BEFORE + size; i++)
            own[i] += more[i];
        status = put(aggregate, aggregate->n + other->n, own + BEFORE, error);
    }
    free(own);
    free(more);
    return status;
}

enum ldpbench_status ldpbench_aggregate_write(const struct ldpbench_aggregate *aggregate, void *bytes, size_t capacity,
                                              size_t *size, struct ldpbench_error *error)
{
    LDP_API_NEED(aggregate, size);
    if (capacity > 0)
        LDP_API_NEED(bytes);
    uint64_t *words = NULL;
    size_t counters = 0;
    enum ldpbench_status status = take(aggregate, &words, &counters, error);
    if (status != LDPBENCH_OK)
        return status;
    const size_t before = BEFORE + counters;
    unsigned char *const out = bytes;
    *size = 8 * (before + BEHIND);
    if (capacity >= *size) {
        write_protocol(&aggregate->of, words);
        words[OF_PROTOCOL] = aggregate->n;
        words[OF_PROTOCOL + 1] = counters;
        for (size_t i = 0; i < 8 * before; i++)
            out[i] = (unsigned char)(words[i / 8] >> 8 * (i % 8));
        const struct ldp_fingerprint sum = ldp_fingerprint(out, 8 * before);
        for (size_t i = 0; i < 16; i++)
            out[8 * before + i] = (unsigned char)((i < 8 ? sum.lo : sum.hi) >> 8 * (i % 8));
    } else if (capacity > 0) {
        status = ldp_api_refuse(error, "capacity = %zu: expected at least %zu", capacity, *size);
    }
    free(words);
    return status;
}

/* The words before and behind the counters of bytes from elsewhere. */
static enum ldpbench_status check_bytes(const struct ldpbench_protocol *of, const unsigned char *bytes, size_t size,
                                        struct ldpbench_error *error)
{
    uint64_t words[BEFORE];
    if (size % 8 != 0 || size < 8 * (BEFORE + BEHIND))
        return ldp_api_refuse(error, "expected an aggregate, got %zu bytes", size);
    for (size_t i = 0; i < BEFORE; i++)
        words[i] = word_from(bytes + 8 * i);
    LDP_API_TRY(check_protocol(of, words, error));
    const struct ldp_fingerprint sum = ldp_fingerprint(bytes, size - 16);
    if (sum.lo != word_from(bytes + size - 16) || sum.hi != word_from(bytes + size - 8))
        return ldp_api_refuse(error, "the aggregate is damaged: its sum is another");
    if (words[OF_PROTOCOL + 1] != size / 8 - BEFORE - BEHIND)
        return ldp_api_refuse(error, "expected %zu counters, got %" PRIu64, size / 8 - BEFORE - BEHIND,
                              words[OF_PROTOCOL + 1]);
    return check_room(0, words[OF_PROTOCOL], error);
}

enum ldpbench_status ldpbench_aggregate_read(const struct ldpbench_protocol *protocol, const void *bytes, size_t size,
                                             struct ldpbench_aggregate **out, struct ldpbench_error *error)
{
    uint64_t *words = NULL;
    size_t counters = 0;
    LDP_API_NEED(out, protocol, bytes);
    *out = NULL;
    enum ldpbench_status status = check_bytes(protocol, bytes, size, error);
    struct ldpbench_aggregate *aggregate = NULL;
    if (status == LDPBENCH_OK)
        status = ldpbench_aggregate_new(protocol, &aggregate, error);
    if (status == LDPBENCH_OK)
        status = take(aggregate, &words, &counters, error);
    if (status == LDPBENCH_OK && counters != size / 8 - BEFORE - BEHIND)
        status = ldp_api_refuse(error, "expected %zu counters, got %zu", counters, size / 8 - BEFORE - BEHIND);
    if (status == LDPBENCH_OK) {
        for (size_t i = 0; i < counters; i++)
            words[i] = word_from((const unsigned char *)bytes + 8 * (BEFORE + i));
        status = put(aggregate, word_from((const unsigned char *)bytes + 8 * OF_PROTOCOL), words, error);
    }
    free(words);
    if (status != LDPBENCH_OK)
        ldpbench_aggregate_free(aggregate);
    else
        *out = aggregate;
    return status;
}

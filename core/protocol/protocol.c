/* protocol.c - one oracle at one (d, epsilon): its constants, the unbiased estimate, the exact variance.
 *
 * A pure protocol supports the user's own value with probability p and any other with q (Wang et al., USENIX
 * Security 2017; Jia and Gong, INFOCOM 2019, def. 1). From the support counts c_v of n reports
 *
 *     F_v = (c_v - n q) / (p - q),    Var(F_v) = n s1 + n_v tf,
 *     s1 = q (1 - q) / (p - q)^2,     tf = (1 - p - q) / (p - q)
 *
 * (NDSS 2020, eq. 2 and 5). The variance holds for each single value, for any joint law of the support counts. */
#include "protocol/protocol.h"

#include "protocol/pure.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum ldp_status ldp_refuse(struct ldp_reason *reason, const char *format, ...)
{
    if (reason) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reason->text, sizeof reason->text, format, arguments);
        va_end(arguments);
    }
    return LDP_EINVAL;
}

static enum ldp_status check(const struct ldp_oracle_spec *spec, size_t d, double epsilon, struct ldp_reason *reason)
{
    if (!spec || !spec->oracle || (spec->inner && !spec->inner->oracle))
        return ldp_refuse(reason, "expected an oracle, got none");
    const struct ldp_param *const params = spec->oracle->params;
    if (d < 2 || d > UINT32_MAX)
        return ldp_refuse(reason, "d = %zu: expected a domain of 2 to 4294967295 values", d);
    if (!isfinite(epsilon) || !(epsilon > 0))
        return ldp_refuse(reason, "epsilon = %g: expected a finite number > 0", epsilon);
    if (epsilon / 2 == 0)
        return ldp_refuse(reason, "epsilon = %g is too small: half of it is 0", epsilon);
    for (size_t i = 0; params && i < LDP_PARAMS_MAX && params[i].name; i++)
        if (!ldp_param_valid(&params[i], spec->param[i]))
            return ldp_refuse(reason, "%s = %.10g: out of range", params[i].name, spec->param[i]);
    for (size_t i = 0; params && i < LDP_PARAMS_MAX && params[i].name; i++)
        if (params[i].kind == LDP_INTEGER_OR_AUTO && isnan(spec->param[i]))
            return ldp_refuse(reason, "%s = auto: expected a number, as no counts are known here", params[i].name);
    if (spec->inner && !spec->oracle->inner)
        return ldp_refuse(reason, "%s runs no other oracle inside, got %s", spec->oracle->name,
                          spec->inner->oracle->name);
    return LDP_OK;
}

struct ldp_oracle_spec ldp_spec_default(const char *oracle)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(oracle)};
    ldp_params_default(spec.oracle->params, spec.param);
    return spec;
}

enum ldp_status ldp_row_spec(const struct ldp_oracle_spec *inner, const char *standard, struct ldp_oracle_spec *row,
                             struct ldp_reason *reason)
{
    *row = inner ? *inner : ldp_spec_default(standard);
    return row->oracle->flags & (LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL | LDP_ORACLE_LEVELS)
               ? ldp_refuse(reason, "row_oracle = %s: expected an oracle with a support for each value",
                            row->oracle->name)
               : LDP_OK;
}

enum ldp_status ldp_protocol_become(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                    struct ldp_reason *reason)
{
    *protocol = (struct ldp_protocol){.oracle = spec->oracle,
                                      .d = protocol->d,
                                      .epsilon = protocol->epsilon,
                                      .flags = spec->oracle->flags,
                                      .support_size = protocol->d};
    memcpy(protocol->param, spec->param, sizeof protocol->param);
    return spec->oracle->configure(protocol, spec, reason);
}

/* The budget below which coins lose digits (coin.h). */
static const double LEAST = 1e-16;

enum ldp_status ldp_protocol_init(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec, size_t d,
                                  double epsilon, struct ldp_reason *reason)
{
    enum ldp_status status = check(spec, d, epsilon, reason);
    if (status != LDP_OK)
        return status;
    *protocol = (struct ldp_protocol){.d = d, .epsilon = epsilon};
    status = ldp_protocol_become(protocol, spec, reason);
    if (status != LDP_OK)
        return status;
    assert(protocol->support_size >= d || protocol->oracle->estimate);
    const double p = protocol->p, q = protocol->q, gap = protocol->gap > 0 ? protocol->gap : p - q;
    if (!(gap > 0) || (!(p > q) && epsilon < LEAST))
        return ldp_refuse(reason, "epsilon = %g is too small: p = %.17g, q = %.17g", epsilon, p, q);
    protocol->gap = gap;
    if (protocol->s1 == 0 && protocol->tf == 0) {
        protocol->s1 = q * (1 - q) / (gap * gap);
        protocol->tf = (1 - p - q) / gap;
    }
    return LDP_OK;
}

enum ldp_status ldp_inner_init(struct ldp_inner *inner, const struct ldp_oracle_spec *spec, size_t d, double epsilon,
                               struct ldp_reason *reason)
{
    struct ldp_protocol protocol;
    const enum ldp_status status = ldp_protocol_init(&protocol, spec, d, epsilon, reason);
    if (status != LDP_OK)
        return status;
    if (protocol.own_bytes > LDP_INNER_OWN_BYTES)
        return ldp_refuse(reason, "%s: expected an oracle that runs no other one inside", spec->oracle->name);
    memcpy(inner, &protocol, sizeof *inner);
    return LDP_OK;
}

struct ldp_protocol ldp_inner_protocol(const struct ldp_inner *inner, uint64_t public_seed)
{
    struct ldp_protocol protocol = {0};
    memcpy(&protocol, inner, sizeof *inner);
    protocol.public_seed = public_seed;
    return protocol;
}

enum ldp_status ldp_report_check(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    if (protocol->oracle->valid)
        return protocol->oracle->valid(protocol, report, reason);
    const uint64_t limit = protocol->report_limit;
    for (size_t i = 0; limit > 0 && i < protocol->report_words; i++)
        if (report[i] >= limit)
            return ldp_refuse(reason, "expected a whole number below %" PRIu64 ", got %" PRIu64, limit, report[i]);
    return LDP_OK;
}

bool ldp_reports_valid(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    const size_t words = protocol->report_words;
    const uint64_t limit = protocol->report_limit;
    bool valid = true;
    if (oracle->all_valid)
        return oracle->all_valid(protocol, reports, m);
    for (size_t i = 0; oracle->valid && valid && i < m; i++)
        valid = oracle->valid(protocol, reports + i * words, NULL) == LDP_OK;
    for (size_t i = 0; !oracle->valid && limit > 0 && i < m * words; i++)
        valid &= reports[i] < limit;
    return valid;
}

enum ldp_status ldp_inner_check(const void *inner, const uint64_t *report, struct ldp_reason *reason)
{
    struct ldp_protocol protocol; /* the rest of its own state is nobody's */
    memcpy(&protocol, inner, sizeof(struct ldp_inner));
    return ldp_report_check(&protocol, report, reason);
}

size_t ldp_estimate_scratch(const struct ldp_protocol *protocol)
{
    return protocol->oracle->estimate_bytes ? protocol->oracle->estimate_bytes(protocol) : 0;
}

void ldp_estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    assert(n > 0);
    if (protocol->oracle->estimate) {
        protocol->oracle->estimate(protocol, n, support, scratch, est);
        return;
    }
    const double users = (double)n, q = protocol->q, scale = protocol->gap;
    for (size_t v = 0; v < protocol->d; v++)
        est[v] = (support[v] / users - q) / scale;
}

bool ldp_has_seed(const struct ldp_protocol *protocol)
{
    return protocol->flags & LDP_ORACLE_PUBLIC && !protocol->oracle->estimate && protocol->support_size > protocol->d;
}

struct ldp_protocol ldp_observed(const struct ldp_collection *collection, void *scratch)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    struct ldp_protocol observed = *protocol;
    observed.law = (struct ldp_law){.known = true};
    if (ldp_has_seed(protocol)) {
        observed.public_seed = ldp_seed_read(collection->support + protocol->support_size - LDP_SEED_NUMBERS);
        observed.law.placed = true;
    }
    if (protocol->oracle->observe)
        protocol->oracle->observe(collection, scratch, &observed);
    return observed;
}

void ldp_seed_write(uint64_t seed, double halves[2])
{
    halves[0] = (double)(uint32_t)seed;
    halves[1] = (double)(seed >> 32);
}

uint64_t ldp_seed_read(const double halves[2])
{
    return (uint64_t)halves[1] << 32 | (uint64_t)halves[0];
}

struct ldp_variance_terms ldp_covariances(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                          double one, double neither)
{
    const double s = (double)size;
    const bool alike = !protocol->law.trials;
    double s1 = alike ? s * protocol->s1 : 0;
    for (size_t i = 0; !alike && i < size; i++)
        s1 += ldp_law_s1(protocol, member[i]);
    return (struct ldp_variance_terms){.s1 = s1 + s * (s - 1) * neither,
                                       .tf = (alike ? protocol->tf : protocol->law.tf) + 2 * (s - 1) * (one - neither)};
}

struct ldp_variance_terms ldp_uncorrelated(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                           const double *f, int64_t *work)
{
    return ldp_covariances(protocol, member, size, 0, 0);
}

enum ldp_status ldp_variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                             double *variance)
{
    assert(protocol->d == histogram->d);
    if (protocol->oracle->variance)
        return protocol->oracle->variance(protocol, histogram, variance);
    const double base = (double)histogram->n * protocol->s1;
    for (size_t v = 0; v < histogram->d; v++)
        variance[v] = base + (double)histogram->counts[v] * protocol->tf;
    return LDP_OK;
}

double ldp_sigma(const struct ldp_protocol *protocol, uint64_t n)
{
    return sqrt(protocol->s1 / (double)n);
}

double ldp_n_equivalent(const struct ldp_protocol *protocol, double mse)
{
    return (protocol->s1 + protocol->tf / (double)protocol->d) / mse;
}

/* Adds the support counts of d values and the reports of their blocks; of a sketch or an ordered oracle, all counts.
 * Words about public randomness are not added. */
void ldp_support_add(const struct ldp_protocol *protocol, const double *more, double *support)
{
    const size_t d = protocol->d;
    if (protocol->oracle->add) {
        protocol->oracle->add(protocol, more, support);
        return;
    }
    const bool blocks = protocol->support_size == ldp_blocks_support(d), sketch = protocol->oracle->rows != NULL,
               whole = sketch || protocol->flags & LDP_ORACLE_ORDINAL;
    const size_t end = whole ? protocol->support_size : blocks ? 2 * d : d;
    for (size_t i = sketch ? 2 : 0; i < end; i++)
        support[i] += more[i];
}

struct ldp_overlap ldp_overlap_generic(double epsilon)
{
    return (struct ldp_overlap){.epsilon = ldp_coin_epsilon(epsilon), .one = 0.5, .two = 0, .three = NAN};
}

struct ldp_overlap ldp_overlap_of(const struct ldp_protocol *protocol)
{
    struct ldp_overlap overlap = ldp_overlap_generic(protocol->epsilon);
    if (protocol->oracle->overlap)
        protocol->oracle->overlap(protocol, &overlap);
    return overlap;
}

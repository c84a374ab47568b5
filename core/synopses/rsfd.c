/* rsfd.c - one attribute at random, reported truly, and fake data on the others (RS+FD); marginals are products.
 *
 * With a attributes the true report has epsilon' = ln(a (e-1) + 1), e = exp(epsilon), since an observer does not know
 * which one it is. A report of attribute i, of D values, supports its own value with probability p, another with q, and
 * fake data support v with phi_v:
 *
 *     grr         a value from the law f~, as it is:  phi_v = f~_v
 *     sue, oue    zero: q for every bit,              phi_v = q
 *                 a value from f~, encoded:           phi_v = q + (p - q) f~_v
 *
 * f~ is uniform (called random where it is encoded), or prior: the true frequencies (RS+RFD with a prior that is
 * right). With P = (p + (a-1) phi) / a and Q = (q + (a-1) phi) / a the estimate c/n is that of a pure protocol:
 *
 *     est_v = (c_v / n - Q) / (P - Q),    n Var = (f P (1-P) + (1-f) Q (1-Q)) / (P - Q)^2.
 *
 * What it protects, exactly: with r(x, y) = P'(y | x) / fake(y), records that differ everywhere have the ratio
 * max sum_i h_i / sum_i l_i, h and l the largest and least r at one y: that is e', so that whole records get epsilon'
 * and not epsilon. If attribute i alone differs, it is (h_i + S) / (l_i + S), S the least sum of the others' r: epsilon
 * with zero, more with the others.
 *
 * Where adaptive chooses, each attribute has its own of the two.
 *
 * Source: Arcolezi et al., CIKM 2021 (RS+FD); PVLDB 16(5), 2023 (RS+RFD); exact epsilons and the Bayes attack are ours.
 * Cost by counts: a binomials for each distinct record, then those of the oracle. */
#include "marginals/columns.h"

#include "numerics/numeric.h"
#include "protocol/protocol.h"
#include "random/rng.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { FAKE, AMPLIFIED };
enum { UNIFORM, ZERO, RANDOM, PRIOR };
enum { GUESSES = 20000 };                    /* users of the attack */
static const double GUESSED_CELLS_MAX = 2e8; /* of all these users */

static const char *const fakes[] = {"uniform", "zero", "random", "prior", NULL};

static const struct ldp_param params[] = {
    [FAKE] = LDP_PARAM_CHOICE(
        "fake", fakes, UNIFORM, PRIOR,
        "fake data: a uniform value (uniform; for sue and oue also called random), no value (zero; for sue "
        "and oue), or one from the true frequencies (prior)"),
    [AMPLIFIED] =
        LDP_PARAM_FLAG("amplified", true, "the true report has ln(a (e^epsilon - 1) + 1), as published; else epsilon"),
    {0},
};

struct state {
    struct ldp_pool pool;
    struct columns columns;
    bool zero;
    double *fake, *phi;   /* [cells]: f~ (unless zero); phi_v */
    uint64_t *own, *made; /* [cells]: users who report a value truly; room for fake values */
    uint64_t *group;      /* [a]: users who report an attribute truly */
    uint64_t *dealt;      /* [a] */
    bool *seen;           /* [cells]: one user's report */
};

static bool is_unary(const struct state *own, size_t attribute)
{
    return own->columns.protocol[attribute].oracle != ldp_oracle_find("grr");
}

/* The law of fake data, and the pure protocols that methods see. */
static void set_noise(struct state *own, unsigned fake)
{
    struct columns *const columns = &own->columns;
    const double a = (double)columns->a;
    for (size_t i = 0; i < columns->a; i++) {
        struct ldp_protocol *const noise = &columns->noise[i];
        const double p = noise->p, q = noise->q, gap = noise->gap / a, D = (double)noise->d;
        double mean = 0;
        for (size_t c = columns->first[i]; c < columns->first[i + 1]; c++) {
            own->fake[c] = fake == PRIOR ? columns->x[LDP_EXACT][c] : 1 / D;
            own->phi[c] = own->zero ? q : is_unary(own, i) ? q + noise->gap * own->fake[c] : own->fake[c];
            mean += own->phi[c] / D;
        }
        noise->p = (p + (a - 1) * mean) / a;
        noise->q = (q + (a - 1) * mean) / a;
        ldp_gap_set(noise, gap);
        noise->s1 = noise->q * (1 - noise->q) / (gap * gap);
        noise->tf = (1 - noise->p - noise->q) / gap;
    }
}

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    const unsigned fake = (unsigned)spec->param[FAKE];
    const size_t a = workload->records->d;
    const double epsilon =
        spec->param[AMPLIFIED] == 1 ? ldp_log1p((double)a * ldp_expm1(workload->epsilon)) : workload->epsilon;
    struct state *const own = ldp_pool_open(sizeof *own);
    if (!own)
        return LDP_ENOMEM;
    enum ldp_status status = ldp_columns_init(&own->columns, &own->pool, spec, workload, epsilon, reason);
    if (status == LDP_OK) {
        const size_t cells = own->columns.first[a];
        own->zero = fake == ZERO;
        TAKE(&own->pool, own->fake, cells);
        TAKE(&own->pool, own->phi, cells);
        TAKE(&own->pool, own->own, cells);
        TAKE(&own->pool, own->made, cells);
        TAKE(&own->pool, own->group, a);
        TAKE(&own->pool, own->dealt, a);
        TAKE(&own->pool, own->seen, cells);
        status = ldp_pool_status(&own->pool);
    }
    for (size_t i = 0; status == LDP_OK && i < a; i++) {
        const struct ldp_oracle *const oracle = own->columns.protocol[i].oracle;
        if (oracle != ldp_oracle_find("grr") && oracle != ldp_oracle_find("sue") && oracle != ldp_oracle_find("oue"))
            status = ldp_refuse(reason, "expected grr, sue, oue or adaptive, got %s", oracle->name);
        else if (fake == ZERO && !is_unary(own, i))
            status = ldp_refuse(reason, "fake = zero: expected sue or oue, got grr");
    }
    if (status != LDP_OK) {
        ldp_pool_close(own);
        return status;
    }
    set_noise(own, fake);
    *state = own;
    return LDP_OK;
}

/* ---- A collection ---- */

/* Every user draws an attribute. */
static void deal(struct state *own, struct ldp_rng *rng)
{
    const struct columns *const columns = &own->columns;
    const struct ldp_records *const records = columns->workload->records;
    memset(own->own, 0, columns->first[columns->a] * sizeof *own->own);
    memset(own->group, 0, columns->a * sizeof *own->group);
    for (size_t r = 0; r < records->rows; r++) {
        ldp_multinomial_uniform(rng, records->counts[r], columns->a, own->dealt);
        for (size_t i = 0; i < columns->a; i++) {
            own->own[columns->first[i] + ldp_records_value(records, r, i)] += own->dealt[i];
            own->group[i] += own->dealt[i];
        }
    }
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;
    struct columns *const columns = &own->columns;
    const uint64_t n = columns->workload->records->n;
    const double a = (double)columns->a;
    deal(own, rng);
    for (size_t i = 0; i < columns->a; i++) {
        const size_t first = columns->first[i], D = columns->protocol[i].d;
        const uint64_t faking = n - own->group[i];
        uint64_t *const made = own->made + first;
        const bool unary = is_unary(own, i), encoded = unary && !own->zero;
        const double q = columns->protocol[i].q, gap = columns->protocol[i].gap;
        if (!own->zero)
            ldp_multinomial(rng, faking, own->fake + first, D, made);
        for (size_t v = 0; v < D && encoded; v++)
            made[v] += own->own[first + v];
        if (encoded)
            ldp_columns_support(columns, i, made, n, rng);
        else
            ldp_columns_support(columns, i, own->own + first, own->group[i], rng);
        for (size_t v = 0; v < D; v++) {
            double support = columns->support[v];
            if (own->zero)
                support += (double)ldp_binomial(rng, faking, q);
            else if (!unary)
                support += (double)made[v];
            columns->x[LDP_NOISY][first + v] = (a * support / (double)n - q - (a - 1) * own->phi[first + v]) / gap;
            if (stages)
                columns->x[LDP_SAMPLED][first + v] =
                    own->group[i] > 0 ? (double)own->own[first + v] / (double)own->group[i] : 0;
        }
    }
    return LDP_OK;
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    ldp_columns_answer(&own->columns, stage, out);
}

/* ---- What it protects ---- */

/* h and l of the value that fake data have least, and the least r. */
struct ratios {
    double h, l, least;
};

static struct ratios ratios_of(const struct state *own, size_t attribute)
{
    const struct columns *const columns = &own->columns;
    const double p = columns->protocol[attribute].p, q = columns->protocol[attribute].q;
    double low = 1, high = 0;
    for (size_t c = columns->first[attribute]; c < columns->first[attribute + 1]; c++) {
        low = fmin(low, own->fake[c]);
        high = fmax(high, own->fake[c]);
    }
    if (!is_unary(own, attribute)) /* a value that is never faked has h = infinity */
        return (struct ratios){p / low, q / low, q / high};
    const double one = p / q, none = (1 - p) / (1 - q), e = one / none;
    if (own->zero)
        return (struct ratios){one, none, none};
    return (struct ratios){e / (low * e + 1 - low), 1 / (low * e + 1 - low), 1 / ((1 - low) * e + low)};
}

static double epsilon_attribute(const struct state *own, double epsilon)
{
    double all = 0, most = 0;
    for (size_t i = 0; i < own->columns.a; i++)
        all += ratios_of(own, i).least;
    for (size_t i = 0; i < own->columns.a; i++) {
        const struct ratios r = ratios_of(own, i);
        const double others = all - r.least;
        most = fmax(most, isfinite(r.h) ? ldp_log((r.h + others) / (r.l + others)) : epsilon);
    }
    return most;
}

/* The weight of the true attribute over that of fake data, in the eyes of an observer who knows all frequencies, up to
 * a factor that is the same for all. y: whether the report supports a value. */
static double score(const struct state *own, size_t attribute, const bool *y)
{
    const struct columns *const columns = &own->columns;
    const double p = columns->protocol[attribute].p, q = columns->protocol[attribute].q;
    const bool unary = is_unary(own, attribute);
    const double none = unary ? (1 - p) / (1 - q) : q, gain = unary ? p / q - none : columns->protocol[attribute].gap;
    double truth = none, fake = unary ? none : 0;
    for (size_t c = columns->first[attribute]; c < columns->first[attribute + 1]; c++)
        if (y[c]) {
            truth += gain * columns->x[LDP_EXACT][c];
            fake += unary ? gain * own->fake[c] : own->fake[c];
        }
    return own->zero ? truth : truth / fake;
}

/* The report of one attribute: of a value, or (fake) of one drawn from the law of fake data, or none. */
static void report(const struct state *own, size_t attribute, uint32_t value, bool faking, struct ldp_rng *rng, bool *y)
{
    const struct columns *const columns = &own->columns;
    const size_t first = columns->first[attribute], D = columns->protocol[attribute].d;
    const double p = columns->protocol[attribute].p, q = columns->protocol[attribute].q;
    if (faking) {
        double left = ldp_rng_uniform(rng);
        for (value = 0; value + 1 < D && left >= own->fake[first + value]; value++)
            left -= own->fake[first + value];
    }
    if (!is_unary(own, attribute)) {
        if (!faking && ldp_rng_uniform(rng) >= p) { /* another value */
            const uint32_t other = (uint32_t)ldp_rng_below(rng, D - 1);
            value = other + (other >= value);
        }
        for (size_t v = 0; v < D; v++)
            y[first + v] = v == value;
        return;
    }
    for (size_t v = 0; v < D; v++)
        y[first + v] = ldp_rng_uniform(rng) < (v == value && !(faking && own->zero) ? p : q);
}

/* How often an observer who knows all frequencies guesses the attribute that was reported truly (Bayes). */
static double guessed(const struct state *own, double *error)
{
    const struct columns *const columns = &own->columns;
    const struct ldp_records *const records = columns->workload->records;
    const size_t cells = columns->first[columns->a];
    const double most = floor(GUESSED_CELLS_MAX / (double)cells);
    const size_t users = most < GUESSES ? (size_t)most : GUESSES;
    bool *const y = own->seen;
    size_t hits = 0;
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 0, "rsfd", 0);
    for (size_t u = 0; u < users; u++) {
        uint64_t place = ldp_rng_below(&rng, records->n);
        size_t row = 0, best = 0;
        while (place >= records->counts[row])
            place -= records->counts[row++];
        const size_t own_attribute = (size_t)ldp_rng_below(&rng, columns->a);
        double highest = -1;
        for (size_t i = 0; i < columns->a; i++) {
            report(own, i, ldp_records_value(records, row, i), i != own_attribute, &rng, y);
            const double found = score(own, i, y);
            if (found > highest) {
                highest = found;
                best = i;
            }
        }
        hits += best == own_attribute;
    }
    const double share = users > 0 ? (double)hits / (double)users : (double)NAN;
    *error = sqrt(share * (1 - share) / (double)users);
    return share;
}

static void protect(const void *state, struct ldp_record_protection *out)
{
    const struct state *const own = state;
    const double epsilon = own->columns.protocol[0].epsilon;
    *out = (struct ldp_record_protection){.tuple = epsilon, .attribute = epsilon_attribute(own, epsilon)};
    out->inference = guessed(own, &out->inference_error);
}

/* Protection of one attribute follows from the frequencies of fake data, unless these are of no value. */
static double epsilon_for(const struct ldp_synopsis_spec *spec, size_t attributes, enum ldp_record_equal equal,
                          double epsilon)
{
    const bool amplified = spec->param[AMPLIFIED] == 1;
    if (equal == LDP_EQUAL_TUPLE)
        return amplified ? ldp_log1p(ldp_expm1(epsilon) / (double)attributes) : epsilon;
    return amplified && (unsigned)spec->param[FAKE] == ZERO ? epsilon : (double)NAN;
}

const struct ldp_synopsis ldp_synopsis_rsfd = {
    .name = "rsfd",
    .title = "One attribute at random, fake data on the others",
    .source = "Arcolezi et al., CIKM 2021; PVLDB 16(5), 2023",
    .params = params,
    .method = "base",
    .is_floor = true,
    .is_apart = true,
    .open = open_state,
    .close = ldp_pool_close,
    .collect = collect,
    .answer = answer,
    .protect = protect,
    .epsilon_for = epsilon_for,
};

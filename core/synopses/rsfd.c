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
enum { GUESSES = 20000 };                    /* users of an attack */
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
    struct ldp_pool pool, again;
    struct columns columns;
    bool zero;
    double *fake, *phi;   /* [cells]: f~ (unless zero); phi_v */
    uint64_t *own, *made; /* [cells]: users who report a value truly; room for fake values */
    uint64_t *group;      /* [a]: users who report an attribute truly */
    uint64_t *dealt;      /* [a] */
    bool *seen;           /* [cells]: one user's report */
    double *even;         /* [a] */
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

static enum ldp_status open_state(void *state, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    const unsigned fake = (unsigned)spec->param[FAKE];
    const size_t a = workload->records->d;
    const double epsilon =
        spec->param[AMPLIFIED] == 1 ? ldp_log1p((double)a * ldp_expm1(workload->epsilon)) : workload->epsilon;
    struct state *const own = state;
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
        TAKE(&own->pool, own->even, a);
        status = ldp_pool_status(&own->pool);
    }
    for (size_t i = 0; status == LDP_OK && i < a; i++) {
        const struct ldp_oracle *const oracle = own->columns.protocol[i].oracle;
        if (oracle != ldp_oracle_find("grr") && oracle != ldp_oracle_find("sue") && oracle != ldp_oracle_find("oue"))
            status = ldp_refuse(reason, "expected grr, sue, oue or adaptive, got %s", oracle->name);
        else if (fake == ZERO && !is_unary(own, i))
            status = ldp_refuse(reason, "fake = zero: expected sue or oue, got grr");
    }
    if (status == LDP_OK)
        set_noise(own, fake);
    return status;
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

/* What a report of an attribute says of it, in the eyes of an observer who knows all frequencies: the weight of a value
 * over that of fake data is (none + gain)/fake if the report supports it, else none/fake. y: what it supports. */
struct told {
    double none, gain, fake;
};

static struct told told_of(const struct state *own, size_t attribute, const bool *y)
{
    const struct columns *const columns = &own->columns;
    const double p = columns->protocol[attribute].p, q = columns->protocol[attribute].q;
    const bool unary = is_unary(own, attribute);
    const double none = unary ? (1 - p) / (1 - q) : q, gain = unary ? p / q - none : columns->protocol[attribute].gap;
    double fake = unary ? none : 0;
    for (size_t c = columns->first[attribute]; c < columns->first[attribute + 1]; c++)
        if (y[c])
            fake += unary ? gain * own->fake[c] : own->fake[c];
    return (struct told){none, gain, own->zero ? 1 : fmax(fake, 0x1p-1000)}; /* such a value is never faked */
}

/* That of the true attribute, whichever its value. */
static double score(const struct state *own, size_t attribute, const bool *y)
{
    const struct columns *const columns = &own->columns;
    const struct told told = told_of(own, attribute, y);
    double truth = told.none;
    for (size_t c = columns->first[attribute]; c < columns->first[attribute + 1]; c++)
        truth += y[c] ? told.gain * columns->x[LDP_EXACT][c] : 0;
    return truth / told.fake;
}

/* The report of one attribute: of a value, or (fake) of one drawn from the law of fake data, or none. */
static void report(const struct state *own, size_t attribute, uint32_t value, bool faking, struct ldp_rng *rng, bool *y)
{
    const struct columns *const columns = &own->columns;
    const size_t first = columns->first[attribute], D = columns->protocol[attribute].d;
    const double p = columns->protocol[attribute].p, q = columns->protocol[attribute].q;
    if (faking)
        value = ldp_told_value(own->fake + first, NULL, D, rng);
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

struct observer {
    const struct state *own;
    size_t attribute; /* whose value is guessed */
};

/* Reports of all attributes, one of them of a value, which is drawn from its frequencies unless it is given. */
static void report_all(const struct state *own, size_t truly, const uint32_t *value, struct ldp_rng *rng)
{
    const struct columns *const columns = &own->columns;
    const double *const f = columns->x[LDP_EXACT] + columns->first[truly];
    const uint32_t of = value ? *value : ldp_told_value(f, NULL, columns->protocol[truly].d, rng);
    for (size_t i = 0; i < columns->a; i++)
        report(own, i, of, i != truly, rng, own->seen);
}

/* Of the attribute that was reported truly. */
static void draw_attribute(void *state, uint32_t attribute, uint64_t seed, struct ldp_rng *rng, double *likelihood)
{
    const struct state *const own = ((struct observer *)state)->own;
    report_all(own, attribute, NULL, rng);
    for (size_t i = 0; i < own->columns.a; i++)
        likelihood[i] = score(own, i, own->seen);
}

/* Of a value of one attribute, whichever was reported truly. */
static void draw_value(void *state, uint32_t value, uint64_t seed, struct ldp_rng *rng, double *likelihood)
{
    const struct observer *const observer = state;
    const struct state *const own = observer->own;
    const struct columns *const columns = &own->columns;
    const size_t truly = (size_t)ldp_rng_below(rng, columns->a), first = columns->first[observer->attribute];
    double others = 0;
    report_all(own, truly, truly == observer->attribute ? &value : NULL, rng);
    for (size_t i = 0; i < columns->a; i++)
        others += i == observer->attribute ? 0 : score(own, i, own->seen);
    const struct told told = told_of(own, observer->attribute, own->seen);
    for (size_t v = 0; v < columns->protocol[observer->attribute].d; v++)
        likelihood[v] = others + (told.none + (own->seen[first + v] ? told.gain : 0)) / told.fake;
}

static void protect(const void *state, struct ldp_record_protection *out)
{
    const struct state *const own = state;
    const struct columns *const columns = &own->columns;
    const double epsilon = columns->protocol[0].epsilon, a = (double)columns->a;
    const double users = fmin(GUESSES, floor(GUESSED_CELLS_MAX / (double)columns->first[columns->a]));
    struct observer observer = {.own = own};
    struct ldp_attack_success attack = {.success = NAN, .error = NAN};
    *out = ldp_record_protection(epsilon, epsilon_attribute(own, epsilon));
    for (size_t i = 0; i < columns->a; i++)
        own->even[i] = 1 / a;
    ldp_attack_success_told(&(struct ldp_told){columns->a, draw_attribute, &observer}, own->even, (uint64_t)users, 0,
                            &attack, NULL);
    out->inference = attack.success;
    out->inference_error = attack.error;
    out->attack = (struct ldp_attack_success){.success = 0};
    for (; observer.attribute < columns->a; observer.attribute++) {
        const size_t i = observer.attribute;
        ldp_attack_success_told(&(struct ldp_told){columns->protocol[i].d, draw_value, &observer},
                                columns->x[LDP_EXACT] + columns->first[i], (uint64_t)(users / a), i, &attack, NULL);
        ldp_record_attack_add(out, &attack, a);
    }
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
    .state_bytes = sizeof(struct state),
    .open = open_state,
    .collect = collect,
    .answer = answer,
    .protect = protect,
    .epsilon_for = epsilon_for,
};

/* ft.c - Fourier coefficients: a user reports one sign.
 *
 * Values are written in bits, ceil(log2 c) for c values. T is the family of sets a of bits from at most k attributes, k
 * the number of attributes of the largest marginal; |T| = sum_j e_j(2^bits - 1). A user draws a from T uniformly and
 * reports the parity of the record's bits in a by binary randomised response with the whole epsilon:
 *
 *     theta_a = |T| / n  sum of the reports for a  (e+1) / (e-1),     M_A(v) = 2^-B sum_{a in A} theta_a (-1)^<a, v>.
 *
 * Users who draw an a that no requested marginal needs are not simulated further. Marginals are consistent and may be
 * negative; cells of codes that no value has are left out. The oracle of the experiment is not used. These are not the
 * questions of contrasts.h: a coefficient may be of several bits of one value, and since each user draws one, the
 * numbers of users who answer for them are random.
 *
 * Source: Cormode, Kulkarni, Srivastava, SIGMOD 2018. Cost O(users with a needed coefficient) and the answers. */
#include "marginals/synopsis.h"
#include "numerics/pool.h"
#include "sampling/hadamard.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEEDED_MOST = 1 << 22, BITS_MOST = 24 };

struct state {
    struct ldp_pool pool, again;
    const struct ldp_workload *workload;
    struct ldp_protocol coin;
    double total;         /* |T| */
    size_t needed;        /* coefficients of requested marginals */
    uint64_t *mask;       /* [needed], ascending: bits of a packed row */
    uint64_t (*signs)[2]; /* [needed]: users with even and odd parity */
    double *theta[LDP_EXACT + 1], *work;
    bool has_exact;
    uint64_t *drawn;
    void *scratch;
};

static size_t bits_of(const struct ldp_workload *workload, const struct ldp_set *set)
{
    size_t bits = 0;

    for (size_t i = 0; i < set->size; i++)
        bits += workload->records->field[set->attribute[i]].bits;
    return bits;
}

/* Bits of a packed row: `code` of the bits of a set, the last attribute's the lowest. */
static uint64_t spread(const struct ldp_workload *workload, const struct ldp_set *set, uint64_t code)
{
    uint64_t mask = 0;

    for (size_t i = set->size; i-- > 0;) {
        const struct ldp_packed_attribute field = workload->records->field[set->attribute[i]];

        mask |= (code & ((UINT64_C(1) << field.bits) - 1)) << field.shift;
        code >>= field.bits;
    }
    return mask;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static size_t find(const struct state *own, uint64_t mask)
{
    const uint64_t *const found = bsearch(&mask, own->mask, own->needed, sizeof mask, ascending);

    assert(found);
    return (size_t)(found - own->mask);
}

static enum ldp_status list_needed(struct state *own, size_t all)
{
    const struct ldp_workload *const workload = own->workload;
    size_t count = 0;

    if (!TAKE(&own->pool, own->mask, all))
        return LDP_ENOMEM;
    for (size_t i = 0; i < workload->nsets; i++)
        for (uint64_t code = 1; code < UINT64_C(1) << bits_of(workload, &workload->sets[i]); code++)
            own->mask[count++] = spread(workload, &workload->sets[i], code);
    qsort(own->mask, count, sizeof *own->mask, ascending);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || own->mask[i] != own->mask[i - 1])
            own->mask[own->needed++] = own->mask[i];
    return LDP_OK;
}

/* |T|: the elementary symmetric polynomials of 2^bits - 1. */
static double size_of_t(const struct ldp_records *records, size_t k)
{
    double e[LDP_SET_MAX + 1] = {1}, sum = 0;

    for (size_t i = 0; i < records->d; i++)
        for (size_t j = k; j > 0; j--)
            e[j] += e[j - 1] * (ldexp(1, records->field[i].bits) - 1);
    for (size_t j = 1; j <= k; j++)
        sum += e[j];
    return sum;
}

static enum ldp_status open_state(void *state, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    const struct ldp_oracle_spec grr = {.oracle = ldp_oracle_find("grr")};
    struct state *const own = state;
    size_t all = 1, k = 1, most = 0;

    own->workload = workload;
    if (workload->records->words > 1)
        return ldp_refuse(reason, "records of more than 64 bits: expected fewer or smaller attributes");
    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t bits = bits_of(workload, &workload->sets[i]);

        most = bits > most ? bits : most;
        k = workload->sets[i].size > k ? workload->sets[i].size : k;
        all += bits <= BITS_MOST ? (size_t)1 << bits : 0;
    }
    if (most > BITS_MOST || all > NEEDED_MOST)
        return ldp_refuse(reason, "%zu coefficients of the requested marginals: expected at most %d", all, NEEDED_MOST);
    own->total = size_of_t(workload->records, k);
    if (own->total > (double)LDP_USERS_MAX)
        return ldp_refuse(reason, "%.6g coefficients: expected at most 2^53", own->total);
    enum ldp_status status = ldp_protocol_init(&own->coin, &grr, 2, workload->epsilon, reason);

    if (status == LDP_OK)
        status = list_needed(own, all);
    if (status != LDP_OK)
        return status;
    const struct ldp_histogram histogram = {.d = 2, .n = workload->records->n};

    TAKE(&own->pool, own->signs, own->needed);
    TAKE(&own->pool, own->drawn, own->needed);
    TAKE(&own->pool, own->work, (size_t)1 << most);
    own->scratch = ldp_pool_take(&own->pool, ldp_collect_scratch(&own->coin, &histogram, workload->mode) + 1, 1);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        TAKE(&own->pool, own->theta[stage], own->needed);
    return ldp_pool_status(&own->pool);
}

static inline unsigned parity(uint64_t bits)
{
    return (unsigned)__builtin_parityll(bits);
}

/* The users of each needed coefficient, by their sign: for every row, its users who drew a needed coefficient, spread
 * uniformly over the needed ones. */
static void draw_users(struct state *own, struct ldp_rng *rng)
{
    const struct ldp_records *const records = own->workload->records;
    const double share = (double)own->needed / own->total;

    memset(own->signs, 0, own->needed * sizeof *own->signs);
    for (size_t r = 0; r < records->rows; r++) {
        const uint64_t row = records->row[r];
        uint64_t users = ldp_binomial(rng, records->counts[r], share < 1 ? share : 1);

        if (users > own->needed) {
            ldp_multinomial_uniform(rng, users, own->needed, own->drawn);
            for (size_t a = 0; a < own->needed; a++)
                own->signs[a][parity(row & own->mask[a])] += own->drawn[a];
            continue;
        }
        for (; users > 0; users--) {
            const size_t a = (size_t)ldp_rng_below(rng, own->needed);

            own->signs[a][parity(row & own->mask[a])]++;
        }
    }
}

static void find_exact(struct state *own)
{
    const struct ldp_records *const records = own->workload->records;

    for (size_t a = 0; a < own->needed; a++) {
        uint64_t odd = 0;

        for (size_t r = 0; r < records->rows; r++)
            odd += parity(records->row[r] & own->mask[a]) ? records->counts[r] : 0;
        own->theta[LDP_EXACT][a] = 1 - 2 * (double)odd / (double)records->n;
    }
    own->has_exact = true;
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;
    const double scale = own->total / (double)own->workload->records->n, kept = own->coin.gap;

    draw_users(own, rng);
    for (size_t a = 0; a < own->needed; a++) {
        const struct ldp_histogram signs = {.d = 2, .n = own->signs[a][0] + own->signs[a][1], .counts = own->signs[a]};
        double support[2];

        own->theta[LDP_SAMPLED][a] = scale * ((double)own->signs[a][0] - (double)own->signs[a][1]);
        ldp_collect(&own->coin, &signs, own->workload->mode, rng, own->scratch, support);
        own->theta[LDP_NOISY][a] = scale * (support[0] - support[1]) / kept;
    }
    if (stages && !own->has_exact)
        find_exact(own);
    return LDP_OK;
}

static void answer_one(const struct state *own, const struct ldp_set *set, const double *theta, double *out)
{
    const struct ldp_workload *const workload = own->workload;
    const uint32_t *const cardinality = workload->records->cardinality;
    const size_t codes = (size_t)1 << bits_of(workload, set), cells = (size_t)ldp_set_cells(set, cardinality);

    own->work[0] = 1;
    for (size_t code = 1; code < codes; code++)
        own->work[code] = theta[find(own, spread(workload, set, code))];
    ldp_fwht_real(own->work, codes);
    for (size_t c = 0; c < cells; c++) {
        size_t code = 0, rest = c, shift = 0;

        for (size_t i = set->size; i-- > 0;) {
            code |= rest % cardinality[set->attribute[i]] << shift;
            rest /= cardinality[set->attribute[i]];
            shift += workload->records->field[set->attribute[i]].bits;
        }
        out[c] = own->work[code] / (double)codes;
    }
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    const struct state *const own = state;

    for (size_t i = 0; i < own->workload->nsets; i++)
        answer_one(own, &own->workload->sets[i], own->theta[stage], out + own->workload->first[i]);
}

static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;
    const double kept = own->coin.gap, variance = own->total / (double)own->workload->records->n / kept / kept;

    for (size_t i = 0; i < own->workload->nsets; i++) {
        const double share = ldexp(1, -(int)bits_of(own->workload, &own->workload->sets[i]));

        out[i].noise = out[i].total = variance * (1 - share);
    }
}

const struct ldp_synopsis ldp_synopsis_ft = {
    .name = "ft",
    .title = "Fourier coefficients of the marginals, one sign a user",
    .source = "Cormode, Kulkarni, Srivastava, SIGMOD 2018",
    .state_bytes = sizeof(struct state),
    .open = open_state,
    .collect = collect,
    .answer = answer,
    .predict = predict,
};

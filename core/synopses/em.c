/* em.c - every attribute is reported separately; joint frequencies by expectation maximisation.
 *
 * Every user reports every attribute with epsilon / d. For a requested marginal A with cells v and a user's reports y,
 *
 *     E:  P(v | y) = t(v) prod_{i in A} P(y_i | v_i) / sum_u t(u) prod_{i in A} P(y_i | u_i),
 *     M:  t(v) = mean of P(v | y),
 *
 * starting from the uniform t, until the sum of the changes of all cells is below `tolerance`, or `rounds` times. This
 * converges to the maximum of the likelihood. It is biased, stops near the uniform start if epsilon / d is small, and
 * its work grows with the number of cells of a marginal.
 *
 * If the oracle's reports name one value of each attribute of A (grr; adaptive of few values), users with the same
 * reports are counted together, a round costs cells times attributes, and by counts the reports are drawn from the
 * marginal's own counts, axis by axis: the law of each marginal is exact, but two marginals of one collection are then
 * drawn independently. Other oracles need the likelihood of a report (oue, sue, olh, ss): each user's client runs in
 * both simulations and a round costs users times cells.
 *
 * Source: Ren et al., LoPub, IEEE TIFS 13(9), 2018, sec. IV; Fanti, Pihur, Erlingsson, PoPETs 2016. There each
 * attribute is a Bloom filter with its own budget; here any oracle can be used and the budget is divided equally. */
#include "marginals/fit.h"
#include "marginals/synopsis.h"
#include "numerics/numeric.h"
#include "numerics/pool.h"
#include "protocol/pure.h"
#include "random/rng.h"
#include "simd/simd.h"

#include <math.h>
#include <string.h>

enum { ROUNDS, TOLERANCE };
enum { LANES = 8 };
#define LIKELIHOODS_MOST 0x1p27 /* stored for all users */
#define WORK_MOST 0x1p26        /* users times cells of one marginal */

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("rounds", 500, 1, 100000, "largest number of iterations for a marginal"),
    LDP_PARAM_REAL("tolerance", 1e-4, 0, 1, "stop when all cells together change by less than this in an iteration"),
    {.name = NULL},
};

/* Numbers of LANES users, for whom a round is done at once; each one's are the same as alone. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

struct attribute {
    struct ldp_protocol protocol;
    bool requested, named; /* named: a report is one value */
    size_t offset;         /* of its likelihoods among those of one user */
};

struct state {
    struct ldp_pool pool, again;
    const struct ldp_workload *workload;
    double param[LDP_PARAMS_MAX];
    struct attribute attribute[LDP_ATTRIBUTES_MAX];
    bool asks_users; /* clients run */
    size_t width;    /* likelihoods of one user */
    float *like;     /* [n][width]: P(report | value) divided by its largest over the values */
    uint32_t *value; /* room */
    uint64_t *report, *seen, *uniform;
    uint64_t *truth; /* [answers] */
    double *exact;
    double *reports; /* [answers]: how many users reported each cell, where reports name it */
    double *ratio, *next;
    lanes *post;     /* [most cells] */
    lanes *line;     /* [width], of the values of one set */
    uint32_t *digit; /* [LDP_SET_MAX][most cells] */
};

/* True if reports name a cell of a set. */
static bool is_named(const struct state *own, const struct ldp_set *set)
{
    for (size_t i = 0; i < set->size; i++)
        if (!own->attribute[set->attribute[i]].named)
            return false;
    return true;
}

static enum ldp_status open_attributes(struct state *own, struct ldp_reason *reason)
{
    const struct ldp_workload *const workload = own->workload;
    const struct ldp_records *const records = workload->records;
    const double n = (double)records->n;

    for (size_t i = 0; i < workload->nsets; i++)
        for (size_t j = 0; j < workload->sets[i].size; j++)
            own->attribute[workload->sets[i].attribute[j]].requested = true;
    for (size_t a = 0; a < records->d; a++) {
        struct attribute *const attribute = &own->attribute[a];
        const enum ldp_status status =
            attribute->requested ? ldp_protocol_init(&attribute->protocol, workload->oracle, records->cardinality[a],
                                                     workload->epsilon / (double)records->d, reason)
                                 : LDP_OK;

        if (status != LDP_OK)
            return status;
        if (!attribute->requested)
            continue;
        if (!attribute->protocol.oracle->log_likelihood || !attribute->protocol.oracle->client)
            return ldp_refuse(reason, "oracle %s: expected one whose reports have a likelihood (grr, oue, sue)",
                              attribute->protocol.oracle->name);
        attribute->named = ldp_names_one_value(&attribute->protocol);
        attribute->offset = own->width;
        own->width += records->cardinality[a];
    }
    own->asks_users = workload->mode == LDP_REPORTS;
    for (size_t i = 0; i < workload->nsets; i++) {
        const double cells = ldp_set_cells(&workload->sets[i], records->cardinality);

        if (is_named(own, &workload->sets[i]))
            continue;
        own->asks_users = true;
        if (n * cells > WORK_MOST)
            return ldp_refuse(
                reason,
                "%llu users and a marginal of %.0f cells: expected a product of at most %.0f with reports "
                "of %s, which name no value",
                (unsigned long long)records->n, cells, WORK_MOST, workload->oracle->oracle->name);
    }
    if (own->asks_users && n * (double)own->width > LIKELIHOODS_MOST)
        return ldp_refuse(reason,
                          "%llu users and %zu values of attributes: expected a product of at most %.0f with reports",
                          (unsigned long long)records->n, own->width, LIKELIHOODS_MOST);
    return LDP_OK;
}

static enum ldp_status make_room(struct state *own)
{
    const struct ldp_workload *const workload = own->workload;
    const size_t answers = workload->first[workload->nsets];
    size_t cells = 2, words = 1;

    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t size = workload->first[i + 1] - workload->first[i];

        cells = size > cells ? size : cells;
    }
    for (size_t a = 0; a < workload->records->d; a++)
        if (own->attribute[a].requested && own->attribute[a].protocol.report_words > words)
            words = own->attribute[a].protocol.report_words;
    const size_t users = own->asks_users ? (size_t)workload->records->n : 0;

    TAKE(&own->pool, own->like, users * own->width + 1);
    TAKE(&own->pool, own->value, users + 1);
    TAKE(&own->pool, own->report, words);
    TAKE(&own->pool, own->seen, cells);
    TAKE(&own->pool, own->uniform, cells);
    TAKE(&own->pool, own->truth, answers + 1);
    TAKE(&own->pool, own->exact, answers);
    TAKE(&own->pool, own->reports, answers);
    TAKE(&own->pool, own->ratio, cells);
    TAKE(&own->pool, own->next, cells);
    TAKE(&own->pool, own->post, cells);
    TAKE(&own->pool, own->line, own->width + 1);
    TAKE(&own->pool, own->digit, LDP_SET_MAX * cells);
    return ldp_pool_status(&own->pool);
}

static enum ldp_status open_state(void *state, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    struct state *const own = state;

    own->workload = workload;
    memcpy(own->param, spec->param, sizeof own->param);
    enum ldp_status status = open_attributes(own, reason);

    if (status == LDP_OK)
        status = make_room(own);
    if (status == LDP_OK)
        status = ldp_records_tables(workload->records, workload->sets, workload->nsets, workload->first, own->truth);
    for (size_t c = 0; status == LDP_OK && c < workload->first[workload->nsets]; c++)
        own->exact[c] = (double)own->truth[c] / (double)workload->records->n;
    return status;
}

/* ---- Collection ---- */

/* All users' reports of one attribute, as likelihoods. */
static void ask(struct state *own, size_t a, struct ldp_rng *rng)
{
    const struct ldp_records *const records = own->workload->records;
    const struct attribute *const attribute = &own->attribute[a];
    const struct ldp_protocol *const protocol = &attribute->protocol;
    float *like = own->like + attribute->offset;

    for (size_t r = 0; r < records->rows; r++) {
        const uint32_t value = ldp_records_value(records, r, a);

        for (uint64_t u = 0; u < records->counts[r]; u++, like += own->width) {
            double top = -INFINITY;

            protocol->oracle->client(protocol, &value, 1, rng, own->report);
            for (uint32_t v = 0; v < protocol->d; v++) {
                own->ratio[v] = protocol->oracle->log_likelihood(protocol, v, own->report);
                top = own->ratio[v] > top ? own->ratio[v] : top;
            }
            for (uint32_t v = 0; v < protocol->d; v++)
                like[v] = (float)ldp_exp(own->ratio[v] - top);
        }
    }
}

/* The reported cells of users whose likelihoods are stored: the value of likelihood 1 is the reported one. */
static void count_named(struct state *own, size_t i)
{
    const struct ldp_workload *const workload = own->workload;
    const struct ldp_set *const set = &workload->sets[i];
    double *const reports = own->reports + workload->first[i];

    memset(reports, 0, (workload->first[i + 1] - workload->first[i]) * sizeof *reports);
    for (uint64_t u = 0; u < workload->records->n; u++) {
        const float *const like = own->like + u * own->width;
        size_t cell = 0;

        for (size_t j = 0; j < set->size; j++) {
            const struct attribute *const attribute = &own->attribute[set->attribute[j]];
            size_t v = 0;

            while (v + 1 < attribute->protocol.d && like[attribute->offset + v] < 1)
                v++;
            cell = cell * attribute->protocol.d + v;
        }
        reports[cell]++;
    }
}

/* The same by counts: each axis keeps a binomial share of every cell, and the rest of a line is uniform on it. */
static void draw_named(struct state *own, size_t i, struct ldp_rng *rng)
{
    const struct ldp_workload *const workload = own->workload;
    const struct ldp_set *const set = &workload->sets[i];
    const size_t first = workload->first[i], cells = workload->first[i + 1] - first;
    size_t step = 1;

    memcpy(own->seen, own->truth + first, cells * sizeof *own->seen);
    for (size_t j = set->size; j-- > 0;) {
        const struct ldp_protocol *const protocol = &own->attribute[set->attribute[j]].protocol;
        const size_t c = protocol->d;

        for (size_t at = 0; at < cells; at += c * step)
            for (size_t s = at; s < at + step; s++) {
                uint64_t rest = 0;

                for (size_t v = 0; v < c; v++) {
                    uint64_t *const cell = &own->seen[s + v * step];
                    const uint64_t kept = ldp_binomial(rng, *cell, protocol->gap);

                    rest += *cell - kept;
                    *cell = kept;
                }
                ldp_multinomial_uniform(rng, rest, c, own->uniform);
                for (size_t v = 0; v < c; v++)
                    own->seen[s + v * step] += own->uniform[v];
            }
        step *= c;
    }
    for (size_t c = 0; c < cells; c++)
        own->reports[first + c] = (double)own->seen[c];
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;
    const struct ldp_workload *const workload = own->workload;

    for (size_t a = 0; own->asks_users && a < workload->records->d; a++)
        if (own->attribute[a].requested)
            ask(own, a, rng);
    for (size_t i = 0; i < workload->nsets; i++) {
        if (!is_named(own, &workload->sets[i]))
            continue;
        if (own->asks_users)
            count_named(own, i);
        else
            draw_named(own, i, rng);
    }
    return LDP_OK;
}

/* ---- Expectation maximisation ---- */

/* Turns x into sum_v P(y | v) x_v: along each axis, q times the sum of the line plus p - q times the cell. */
static void randomise(const struct state *own, const struct ldp_set *set, size_t cells, double *x)
{
    size_t step = 1;

    for (size_t j = set->size; j-- > 0;) {
        const struct ldp_protocol *const protocol = &own->attribute[set->attribute[j]].protocol;
        const double q = protocol->q, kept = protocol->gap;

        for (size_t at = 0; at < cells; at += protocol->d * step)
            for (size_t s = at; s < at + step; s++) {
                double sum = 0;

                for (size_t v = 0; v < protocol->d; v++)
                    sum += x[s + v * step];
                for (size_t v = 0; v < protocol->d; v++)
                    x[s + v * step] = q * sum + kept * x[s + v * step];
            }
        step *= protocol->d;
    }
}

/* One round of users who named cells: from t to own->next. */
static void round_named(struct state *own, const struct ldp_set *set, size_t cells, const double *reports,
                        const double *t)
{
    const double n = (double)own->workload->records->n;

    memcpy(own->ratio, t, cells * sizeof *t);
    randomise(own, set, cells, own->ratio);
    for (size_t c = 0; c < cells; c++)
        own->ratio[c] = own->ratio[c] > 0 ? reports[c] / own->ratio[c] : 0;
    randomise(own, set, cells, own->ratio);
    for (size_t c = 0; c < cells; c++)
        own->next[c] = t[c] * own->ratio[c] / n;
}

/* The likelihoods of a set's values for the users from `first` on: [attribute][value]; 0 where there is no user. */
static void gather_lanes(const struct state *own, const struct ldp_set *set, uint64_t first, lanes *like)
{
    const uint64_t n = own->workload->records->n;

    for (size_t j = 0; j < set->size; j++) {
        const struct attribute *const attribute = &own->attribute[set->attribute[j]];
        const size_t d = attribute->protocol.d;

        memset(like, 0, d * sizeof *like);
        for (size_t k = 0; k < LANES && first + k < n; k++) {
            const float *const of = own->like + (first + k) * own->width + attribute->offset;

            for (size_t v = 0; v < d; v++)
                like[v][k] = (double)of[v];
        }
        like += d;
    }
}

/* Adds the posteriors of LANES users to next[cells]. start[j]: the position of an attribute's likelihoods. */
LDP_INLINE void add_lanes(const struct state *own, const struct ldp_set *set, size_t cells, const size_t *start,
                          const double *t)
{
    const double n = (double)own->workload->records->n;
    lanes sum = {0}, scale;

    for (size_t c = 0; c < cells; c++) {
        lanes post = own->line[start[0] + own->digit[c]] * t[c];

        for (size_t j = 1; j < set->size; j++)
            post *= own->line[start[j] + own->digit[j * cells + c]];
        own->post[c] = post;
        sum += post;
    }
    for (size_t k = 0; k < LANES; k++)
        scale[k] = sum[k] > 0 ? 1 / (sum[k] * n) : 0;
    for (size_t c = 0; c < cells; c++) {
        const lanes part = own->post[c] * scale;
        double next = own->next[c];

        for (size_t k = 0; k < LANES; k++)
            next += part[k];
        own->next[c] = next;
    }
}

LDP_VECTORS(void, add,
            (const struct state *own, const struct ldp_set *set, size_t cells, const size_t *start, const double *t),
            add_lanes(own, set, cells, start, t))

/* The same, user by user. */
static void round_users(struct state *own, const struct ldp_set *set, size_t cells, const double *t)
{
    const uint64_t n = own->workload->records->n;
    size_t start[LDP_SET_MAX] = {0};

    for (size_t j = 1; j < set->size; j++)
        start[j] = start[j - 1] + own->attribute[set->attribute[j - 1]].protocol.d;
    memset(own->next, 0, cells * sizeof *own->next);
    for (uint64_t u = 0; u < n; u += LANES) {
        gather_lanes(own, set, u, own->line);
        LDP_BEST(add)(own, set, cells, start, t);
    }
}

static void estimate(struct state *own, size_t i, double *t)
{
    const struct ldp_workload *const workload = own->workload;
    const struct ldp_set *const set = &workload->sets[i];
    const size_t first = workload->first[i], cells = workload->first[i + 1] - first;
    const bool named = is_named(own, set);
    double change = INFINITY;

    for (size_t j = 0; !named && j < set->size; j++)
        ldp_fit_index(set, &(struct ldp_set){1, {set->attribute[j]}}, workload->records->cardinality,
                      own->digit + j * cells);
    for (size_t c = 0; c < cells; c++)
        t[c] = 1 / (double)cells;
    for (double round = 0; round < own->param[ROUNDS] && change >= own->param[TOLERANCE]; round++) {
        if (named)
            round_named(own, set, cells, own->reports + first, t);
        else
            round_users(own, set, cells, t);
        change = 0;
        for (size_t c = 0; c < cells; c++)
            change += fabs(own->next[c] - t[c]);
        memcpy(t, own->next, cells * sizeof *t);
    }
}

/* All users report, and without noise the likelihood is largest at the true value. */
static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    const struct ldp_workload *const workload = own->workload;

    if (stage != LDP_NOISY) {
        memcpy(out, own->exact, workload->first[workload->nsets] * sizeof *out);
        return;
    }
    for (size_t i = 0; i < workload->nsets; i++)
        estimate(own, i, out + workload->first[i]);
}

static void protect(const void *state, struct ldp_record_protection *out)
{
    const struct ldp_workload *const workload = ((const struct state *)state)->workload;
    const double epsilon = workload->epsilon / (double)workload->records->d;
    ldp_record_protect(workload, workload->epsilon, epsilon, 1, out);
}

const struct ldp_synopsis ldp_synopsis_em = {
    .name = "em",
    .title = "Each attribute by itself, joint frequencies by expectation maximisation",
    .source = "LoPub, IEEE TIFS 13(9), 2018",
    .params = params,
    .is_slow = true,
    .state_bytes = sizeof(struct state),
    .open = open_state,
    .collect = collect,
    .answer = answer,
    .protect = protect,
    .epsilon_for = ldp_synopsis_epsilon_of_split,
};

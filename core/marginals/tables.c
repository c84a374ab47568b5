/* tables.c - see tables.h.
 *
 * Consistency is weighted least squares in the coefficients of contrasts.h. The noise of a table's cells is the same in
 * every direction that keeps their total (of unary encoding and local hashing in every direction; of randomised
 * response up to the term of f), so coefficients of one block have equal variance in a table of L cells with cell
 * variance V: (L / L_block) V, and the best common value of several tables is their mean with weights 1 / (L V). It is
 * the minimum of
 *
 *     sum_i 1/V_i |x_i - y_i|^2   over tables y that agree,
 *
 * in closed form: one transform of each table there and one back. V_i = noise_i + v n / (n - 1) / n_i, v of a user's
 * values: tables have users of their own, out of n, so the mean of weights W_i has the variance sum_i W_i^2 V_i
 * - v / (n - 1), whose last term is the same for all weights.
 *
 * Non-negativity: the projection onto the simplex of each table minimises the same norm over tables that are
 * distributions, so alternating it with consistency converges to tables that are both (Bregman 1965; both sets contain
 * the uniform tables). It still does if the projection goes RELAXED times as far, for any factor below 2 (Gubin, Polyak
 * and Raik 1967), and needs a fourth of the rounds. Rounds end when no cell is below -1e-9 / cells, or after
 * ROUNDS_MAX. What is still negative is removed by mixing in a share of uniform tables, which are consistent with
 * everything: the result is always exactly consistent and not negative. */
#include "marginals/tables.h"

#include "attacks/attack.h"
#include "numerics/simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 200 };
#define NEGATIVE 1e-9
#define RELAXED 1.8
#define NONE 1e-9 /* of a variance, in place of 0 */

void ldp_tables_ask(const struct ldp_set *set, uint64_t n, size_t m, struct asked *asked)
{
    for (size_t i = 0; i < m; i++)
        asked[i] = (struct asked){ldp_digits_of_mask(ldp_set_mask(&set[i])), n / m + (i < n % m)};
}

/* Mean variance in a direction of the table that keeps its total: of the noise, and of choosing the users out of many
 * more than n, assuming equal cells. If estimates always sum to 1, all of the noise is in these directions, whose
 * number is that of the cells minus one. */
static double direction_variance(const struct ldp_protocol *protocol, uint64_t users, uint64_t n, double *sampling)
{
    const double cells = (double)protocol->d, size = (double)users, all = (double)n;
    const double cell = (protocol->s1 + protocol->tf / cells) / size;
    *sampling = n > 1 ? all / (all - 1) / size / cells : 0;
    return protocol->oracle->flags & LDP_ORACLE_SUMS_TO_ONE ? cell * cells / (cells - 1) : cell;
}

/* Targets of a table of d cells, at most. */
static size_t targets_max(const struct ldp_attackers *attackers, size_t d)
{
    return attackers->ninjected < d ? attackers->ninjected : d;
}

/* The malicious users of a group: their targets are the cells of the injected records. Returns their number. */
static uint64_t add_malicious(struct tables *tables, size_t i, const struct ldp_protocol *protocol)
{
    const struct ldp_workload *const workload = tables->workload;
    const struct ldp_attackers *const attackers = workload->attackers;
    const struct ldp_set *const set = &tables->set[i];
    uint32_t *const target = tables->target;
    size_t r = 0;

    if (!attackers || attackers->fraction == 0)
        return 0;
    for (size_t k = 0; k < attackers->ninjected; k++) {
        uint32_t cell = 0;
        bool known = false;

        for (size_t a = 0; a < set->size; a++)
            cell = cell * tables->cardinality[set->attribute[a]] +
                   attackers->injected[k * workload->records->d + set->attribute[a]];
        cell = (uint32_t)ldp_digits_cell(&tables->digits[i], set, tables->cardinality, cell);
        for (size_t j = 0; j < r; j++)
            known |= target[j] == cell;
        if (!known)
            target[r++] = cell;
    }
    return ldp_attackers_add(attackers, protocol, target, r, tables->users[i], workload->mode, tables->scratch,
                             tables->work, tables->support);
}

static enum ldp_status init_table(struct tables *tables, size_t i, size_t *most, size_t *bytes,
                                  struct ldp_reason *reason)
{
    const struct ldp_workload *const workload = tables->workload;
    const double cells = ldp_set_cells(&tables->set[i], tables->cardinality);

    if (cells > LDP_TABLE_CELLS_MAX)
        return ldp_refuse(reason, "a table of %.0f cells: expected at most %d", cells, LDP_TABLE_CELLS_MAX);
    if (tables->users[i] == 0)
        return ldp_refuse(reason, "%zu groups of %llu users: expected a user in each", tables->m,
                          (unsigned long long)workload->records->n);
    struct ldp_protocol *const protocol = &tables->protocol[i];
    const enum ldp_status status =
        ldp_protocol_init(protocol, workload->oracle, (size_t)ldp_digits_cells(&tables->digits[i], tables->cardinality),
                          workload->epsilon, reason);

    if (status != LDP_OK)
        return status;
    if (protocol->flags & LDP_ORACLE_ORDINAL)
        return ldp_refuse(reason, "oracle %s: it is for values in an order, which cells of tables have not",
                          protocol->oracle->name);
    if (!ldp_has_mode(protocol, workload->mode))
        return ldp_refuse(reason, "oracle %s: has no such simulation", protocol->oracle->name);
    const struct ldp_histogram histogram = {.d = protocol->d, .n = tables->users[i]};
    const size_t need = ldp_collect_scratch(protocol, &histogram, workload->mode),
                 estimate = ldp_estimate_scratch(protocol);

    if (workload->attackers) {
        const enum ldp_status attacked = ldp_attackers_check(workload->attackers, protocol, reason);
        const size_t r = targets_max(workload->attackers, protocol->d),
                     scratch = ldp_attackers_scratch(workload->attackers, protocol, r);

        if (attacked != LDP_OK)
            return attacked;
        *bytes = scratch > *bytes ? scratch : *bytes;
        *most = r > *most ? r : *most;
    }
    tables->first[i + 1] = tables->first[i] + (size_t)cells;
    double sampling;
    tables->variance[i] = direction_variance(protocol, tables->users[i], workload->records->n, &sampling);
    const double variance = tables->variance[i] + sampling; /* 0: any weight will do */
    tables->weight[i] = 1 / ((double)protocol->d * (variance > 0 ? variance : 1 / (double)workload->records->n));
    *bytes = need > *bytes ? need : *bytes;
    *bytes = estimate > *bytes ? estimate : *bytes;
    *most = protocol->support_size > *most ? protocol->support_size : *most;
    *most = (size_t)cells > *most ? (size_t)cells : *most;
    return ldp_closure_add(&tables->closure, &tables->set[i]);
}

static enum ldp_status init_precision(struct tables *tables)
{
    const struct closure *const closure = &tables->closure;
    struct ldp_pool *const pool = closure->pool;

    TAKE(pool, tables->map, tables->first[tables->m] + 1);
    TAKE(pool, tables->precision, closure->nblocks + 1);
    TAKE(pool, tables->total, closure->nblocks + 1);
    TAKE(pool, tables->own_total, closure->nblocks + 1);
    TAKE(pool, tables->sampled, closure->nblocks + 1);
    TAKE(pool, tables->has, closure->nblocks + 1);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t i = 0; i < tables->m; i++) {
        const struct digits *const digits = &tables->digits[i];
        const double noise = tables->variance[i] * (double)tables->protocol[i].d * tables->weight[i];

        ldp_closure_map(closure, &tables->set[i], tables->map + tables->first[i]);
        for (uint64_t chosen = 0; chosen >> digits->size == 0; chosen++) {
            const size_t block = ldp_closure_find(closure, ldp_digits_block(digits, chosen));
            tables->total[block] += tables->weight[i];
            tables->sampled[block] += tables->weight[i] * noise; /* not yet */
        }
    }
    for (size_t b = 0; b < closure->nblocks; b++) {
        const double total = tables->total[b];
        if (!(total > 0))
            continue;
        const double variance = fmax(1 / total - ldp_tables_fixed(tables), NONE / total);
        tables->precision[b] = 1 / variance;
        tables->sampled[b] = fmax(1 - tables->sampled[b] / (total * total * variance), 0);
    }
    ldp_tables_set_own(tables, 0);
    return LDP_OK;
}

void ldp_tables_set_own(struct tables *tables, size_t own)
{
    tables->own = own;
    memset(tables->has, 0, tables->closure.nblocks * sizeof *tables->has);
    memset(tables->own_total, 0, tables->closure.nblocks * sizeof *tables->own_total);
    for (size_t i = own; i < tables->m; i++) {
        const struct digits *const digits = &tables->digits[i];

        for (uint64_t chosen = 1; chosen >> digits->size == 0; chosen++) {
            const size_t block = ldp_closure_find(&tables->closure, ldp_digits_block(digits, chosen));
            tables->has[block] = true;
            tables->own_total[block] += tables->weight[i];
        }
    }
}

enum ldp_status ldp_tables_finish(struct tables *tables, size_t most, size_t bytes)
{
    struct ldp_pool *const pool = tables->closure.pool;

    for (size_t i = 0; i < tables->m; i++)
        if (tables->digits[i].size == 0)
            tables->digits[i] = ldp_digits_of_mask(ldp_set_mask(&tables->set[i]));
    TAKE(pool, tables->cells, tables->first[tables->m] + 1);
    TAKE(pool, tables->counts, most);
    TAKE(pool, tables->support, most);
    TAKE(pool, tables->work, most);
    TAKE(pool, tables->target, most);
    TAKE(pool, tables->x, tables->first[tables->m] + 1);
    tables->scratch = ldp_pool_take(pool, bytes, 1);
    return init_precision(tables);
}

enum ldp_status ldp_tables_room(struct tables *tables, struct ldp_pool *pool, const struct ldp_workload *workload,
                                size_t m)
{
    const uint32_t *const cardinality = workload->records->cardinality;

    *tables = (struct tables){.workload = workload, .cardinality = cardinality, .m = m};
    tables->closure = (struct closure){.pool = pool, .cardinality = cardinality};
    TAKE(pool, tables->set, m + 1);
    TAKE(pool, tables->digits, m + 1);
    TAKE(pool, tables->first, m + 1);
    TAKE(pool, tables->users, m + 1);
    TAKE(pool, tables->protocol, m + 1);
    TAKE(pool, tables->variance, m + 1);
    TAKE(pool, tables->weight, m + 1);
    return ldp_pool_status(pool);
}

enum ldp_status ldp_tables_init(struct tables *tables, struct ldp_pool *pool, const struct ldp_workload *workload,
                                const struct asked *asked, size_t m, const struct ldp_method_spec *method,
                                struct ldp_reason *reason)
{
    size_t most = 1, bytes = 1;

    if (ldp_tables_room(tables, pool, workload, m) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < m; i++) {
        tables->digits[i] = asked[i].digits;
        tables->users[i] = asked[i].users;
        tables->set[i] = ldp_set_of_mask(ldp_digits_attributes(&tables->digits[i]));
        enum ldp_status status = init_table(tables, i, &most, &bytes, reason);

        if (status == LDP_OK)
            status = ldp_method_check(method->method, &tables->protocol[i], false, reason);
        if (status != LDP_OK)
            return status;
    }
    for (size_t i = 0; i < m; i++) {
        const size_t d = tables->first[i + 1] - tables->first[i], own = ldp_postprocess_scratch(method, d),
                     simplex = ldp_numbers_bytes(d), need = own > simplex ? own : simplex;

        bytes = need > bytes ? need : bytes;
    }
    return ldp_tables_finish(tables, most, bytes);
}

/* The users of each cell of a question, from those of its table. */
static const uint64_t *count_digits(struct tables *tables, size_t i, const uint64_t *cells)
{
    if (tables->digits[i].size == tables->set[i].size)
        return cells;
    memset(tables->counts, 0, tables->protocol[i].d * sizeof *tables->counts);
    for (size_t c = 0; c < tables->first[i + 1] - tables->first[i]; c++)
        tables->counts[ldp_digits_cell(&tables->digits[i], &tables->set[i], tables->cardinality, c)] += cells[c];
    return tables->counts;
}

/* From the frequencies of a question's cells to its table, each spread evenly. In place. */
static void spread_digits(struct tables *tables, size_t i, double *x)
{
    const size_t cells = tables->first[i + 1] - tables->first[i], d = tables->protocol[i].d;

    if (d == cells)
        return;
    memcpy(tables->work, x, d * sizeof *x);
    for (size_t c = 0; c < cells; c++)
        x[c] = tables->work[ldp_digits_cell(&tables->digits[i], &tables->set[i], tables->cardinality, c)] * (double)d /
               (double)cells;
}

static void find_frequencies(struct tables *tables, size_t i, const uint64_t *counts, uint64_t users, double *x)
{
    for (size_t c = 0; c < tables->protocol[i].d; c++)
        x[c] = (double)counts[c] / (double)users;
    spread_digits(tables, i, x);
}

void ldp_tables_collect(struct tables *tables, size_t from, size_t to, struct groups *groups, struct ldp_rng *rng,
                        double *noisy, double *sampled)
{
    ldp_groups_deal(groups, rng, to - from, tables->users + from, tables->set + from,
                    tables->cells + tables->first[from]);
    for (size_t i = from; i < to; i++) {
        struct ldp_protocol *const protocol = &tables->protocol[i];
        const size_t first = tables->first[i];
        const uint64_t users = tables->users[i];
        const struct ldp_histogram histogram = {
            .d = protocol->d, .n = users, .counts = count_digits(tables, i, tables->cells + first)};

        if (sampled)
            find_frequencies(tables, i, histogram.counts, users, sampled + first);
        struct ldp_rng ahead = *rng;
        struct ldp_protocol seeded = *protocol;

        seeded.public_seed = ldp_rng_next(&ahead);
        ldp_collect(protocol, &histogram, tables->workload->mode, rng, tables->scratch, tables->support);
        const uint64_t all = users + add_malicious(tables, i, &seeded);
        ldp_estimate(protocol, all, tables->support, tables->scratch, noisy + first);
        spread_digits(tables, i, noisy + first);
        *protocol = ldp_observed(&(struct ldp_collection){protocol, all, tables->support, NULL}, tables->scratch);
        protocol->law = (struct ldp_law){0}; /* the next table takes the support */
    }
}

void ldp_tables_exact(struct tables *tables, double *exact)
{
    const struct ldp_records *const records = tables->workload->records;

    for (size_t i = 0; i < tables->m; i++) {
        ldp_records_table(records, &tables->set[i], tables->cells);
        find_frequencies(tables, i, count_digits(tables, i, tables->cells), records->n, exact + tables->first[i]);
    }
}

/* Makes the tables from the given one on agree: their common coefficients. */
static void agree(struct tables *tables, size_t from, const double *x, double *coefs)
{
    const struct closure *const closure = &tables->closure;
    const double *const total = from == 0 ? tables->total : tables->own_total;

    memset(coefs, 0, closure->ncoefs * sizeof *coefs);
    for (size_t i = from; i < tables->m; i++) {
        const size_t cells = tables->first[i + 1] - tables->first[i];
        const uint32_t *const map = tables->map + tables->first[i];

        memcpy(tables->work, x + tables->first[i], cells * sizeof *x);
        ldp_contrasts_forward(&tables->set[i], tables->cardinality, tables->work);
        for (size_t c = 0; c < cells; c++)
            coefs[map[c]] += tables->weight[i] * tables->work[c];
    }
    for (size_t b = 1; b < closure->nblocks; b++)
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            coefs[c] = total[b] > 0 ? coefs[c] / total[b] : 0;
    coefs[0] = 1;
}

void ldp_tables_agree(struct tables *tables, const double *x, double *coefs)
{
    agree(tables, 0, x, coefs);
}

void ldp_tables_expand(struct tables *tables, const double *coefs, double *x)
{
    for (size_t i = tables->own; i < tables->m; i++)
        ldp_tables_project(tables, coefs, &tables->set[i], tables->map + tables->first[i], x + tables->first[i]);
}

/* The share of uniform tables that leaves no cell negative. */
static double lift(const struct tables *tables, const double *x)
{
    double share = 0;

    for (size_t i = tables->own; i < tables->m; i++) {
        const double uniform = 1 / (double)tables->protocol[i].d;
        double least = 0;

        for (size_t c = tables->first[i]; c < tables->first[i + 1]; c++)
            least = x[c] < least ? x[c] : least;
        const double own = -least / (uniform - least);

        share = own > share ? own : share;
    }
    return share;
}

/* A cell that is still negative after all rounds stays so. */
static void make_nearly_valid(struct tables *tables, const struct ldp_method_spec *method, double *coefs)
{
    const unsigned guarantees = method->method->guarantees;
    const bool changes = method->method->apply || method->method->inner;

    if (!changes)
        return;
    for (size_t round = 0; round < ROUNDS_MAX; round++) {
        double *const own = tables->x;

        ldp_tables_expand(tables, coefs, own);
        if (round > 0 && lift(tables, own) <= NEGATIVE)
            break;
        for (size_t i = tables->own; i < tables->m; i++) {
            const struct ldp_protocol *const protocol = &tables->protocol[i];
            double *const at = own + tables->first[i];

            memcpy(tables->work, at, protocol->d * sizeof *at);
            if (round == 0) {
                ldp_postprocess(method, &(struct ldp_collection){protocol, tables->users[i], NULL, tables->work},
                                tables->scratch, at);
                continue;
            }
            ldp_simplex_project(tables->work, protocol->d, tables->scratch, at);
            for (size_t c = 0; c < protocol->d; c++)
                at[c] = tables->work[c] + RELAXED * (at[c] - tables->work[c]);
        }
        agree(tables, tables->own, own, coefs);
        if (!(guarantees & LDP_NONNEGATIVE))
            return;
    }
}

void ldp_tables_make_valid(struct tables *tables, const struct ldp_method_spec *method, double *coefs)
{
    make_nearly_valid(tables, method, coefs);
    if (!(method->method->guarantees & LDP_NONNEGATIVE))
        return;
    ldp_tables_expand(tables, coefs, tables->x);
    const double share = lift(tables, tables->x);

    for (size_t c = 1; share > 0 && c < tables->closure.ncoefs; c++)
        coefs[c] *= 1 - share;
}

void ldp_tables_project(const struct tables *tables, const double *coefs, const struct ldp_set *set,
                        const uint32_t *map, double *out)
{
    const size_t cells = (size_t)ldp_set_cells(set, tables->cardinality);

    for (size_t c = 0; c < cells; c++)
        out[c] = map[c] == UINT32_MAX ? 0 : coefs[map[c]];
    ldp_contrasts_inverse(set, tables->cardinality, out);
}

double ldp_tables_noise(const struct tables *tables, const struct ldp_set *set)
{
    const uint64_t mask = ldp_set_mask(set);
    double sum = 0;

    for (uint64_t sub = mask; sub; sub = (sub - 1) & mask) {
        const size_t block = ldp_tables_find(tables, sub);

        if (block != CLOSURE_NONE)
            sum += (double)ldp_closure_size(&tables->closure, block) / tables->precision[block];
    }
    return sum / ldp_set_cells(set, tables->cardinality);
}

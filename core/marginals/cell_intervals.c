/* cell_intervals.c - see tables.h.
 *
 * The weighted means of all answers, before anything is shrunk or made non-negative, are unbiased: of a cell v of a
 * marginal A all of whose interactions some question shows,
 *
 *     est(v) = sum_B sum_u g_B(u) y_B(u) / n_B,    g_B = sum_{s in A} w_B / P_s (part s of the cell v in B's table),
 *
 * y_B the reports for the cells of question B, and sum_B g_B is 1 for users in the cell v, 0 for others. With f_B the
 * frequencies of B's cells and n users in all, shared among the questions without replacement,
 *
 *     Var(est(v)) = sum_B (noise_B + Var_f(g_B)) / n_B - f(v) (1 - f(v)) / n
 *
 *     noise_B = s1 sum_u g_B(u)^2 + tf sum_u f_B(u) g_B(u)^2                            support counts are independent
 *             = sum_t f_B(t) (E[X^2 | t] - g_B(t)^2),  X = (g_B(r) - q sum_u g_B) / (p - q)       grr's report r
 *
 * exactly. f is not known and taken from the shrunk answers. The interval is that of the normal law, cut to [0, 1], the
 * range of f. There is none where nobody was asked about an interaction of A, or for other oracles. The questions of
 * plan's second wave follow from the answers to the first, which the variance leaves out; studies/plans.md measures the
 * coverage. Cost: for each requested marginal and question, the cells that they have in common times those of the
 * question, or, for a table of many cells, times 4^k for k common attributes: g_B then has 2^k values. */
#include "marginals/tables.h"

#include "laws/interval.h"
#include "marginals/fit.h"
#include "numerics/simplex.h"

#include <math.h>
#include <string.h>

struct room {
    double *coefs;                    /* [ncoefs]: means of all answers */
    double *frequency;                /* [first[m]]: of each question's cells, from its table's first cell on */
    uint32_t *cell, *shared, *common; /* of one table: the question's cell of each cell, and that of the attributes
                                         which it shares with a marginal; of one marginal: the latter */
    double *table, *g;                /* one table, one question */
    uint32_t *map;                    /* one marginal */
    void *scratch;
    size_t many; /* cells of a table, above which they are summed together */
};

/* The frequencies of the cells of every question. */
static void find_frequencies(const struct tables *tables, const double *likely, struct room *room)
{
    for (size_t i = 0; i < tables->m; i++) {
        const size_t first = tables->first[i], cells = tables->first[i + 1] - first, d = tables->protocol[i].d;

        ldp_tables_project(tables, likely, &tables->set[i], tables->map + first, room->table);
        memset(room->g, 0, d * sizeof *room->g);
        for (size_t c = 0; c < cells; c++)
            room->g[ldp_digits_cell(&tables->digits[i], &tables->set[i], tables->cardinality, c)] += room->table[c];
        ldp_simplex_project(room->g, d, room->scratch, room->frequency + first);
    }
}

/* Sums over the cells of a question. */
struct sums {
    double g, g2, f, fg, fg2;
};

/* Adds `cells` cells of equal g, with `users` of the users together. */
static void add_cells(struct sums *sums, double g, double cells, double users)
{
    sums->g += cells * g;
    sums->g2 += cells * g * g;
    sums->f += users;
    sums->fg += users * g;
    sums->fg2 += users * g * g;
}

static bool is_grr(const struct ldp_protocol *protocol)
{
    return strcmp(protocol->oracle->name, "grr") == 0;
}

/* n_B times what a question adds to the variance; NAN: not known. */
static double spread_of(const struct ldp_protocol *protocol, const struct sums *sums)
{
    const double q = protocol->q, gap = protocol->gap, x = q * sums->g, square = sums->fg * sums->fg;

    if (protocol->oracle->flags & LDP_ORACLE_INDEPENDENT)
        return protocol->s1 * sums->g2 + protocol->tf * sums->fg2 + sums->fg2 - square;
    if (!is_grr(protocol))
        return (double)NAN;
    /* Sums of (g - x)^2 over the users who report their cell, and over all reports that are drawn uniformly. */
    const double kept = sums->fg2 - 2 * x * sums->fg + x * x * sums->f;
    const double uniform = q * (sums->g2 - 2 * x * sums->g + x * x * (double)protocol->d);
    return (gap * kept + uniform) / gap / gap - square;
}

/* Multiplies coefficients of table i by what each adds to a cell of a marginal: none of interactions beyond it. */
static void weigh(const struct tables *tables, size_t i, const struct ldp_set *set, double *x)
{
    const struct closure *const closure = &tables->closure;
    const uint64_t requested = ldp_set_mask(set);
    const double cells = ldp_set_cells(&tables->set[i], tables->cardinality) / ldp_set_cells(set, tables->cardinality);
    const uint32_t *const map = tables->map + tables->first[i];
    size_t block = 0;

    for (size_t c = 0; c < tables->first[i + 1] - tables->first[i]; c++) {
        if (map[c] < closure->offset[block] || map[c] >= closure->offset[block + 1]) {
            uint64_t mask = 0;
            size_t rest = c;
            for (size_t a = tables->set[i].size; a-- > 0;) {
                const uint8_t attribute = tables->set[i].attribute[a];
                mask |= (uint64_t)(rest % tables->cardinality[attribute] > 0) << attribute;
                rest /= tables->cardinality[attribute];
            }
            block = ldp_closure_find(closure, mask);
        }
        const uint64_t mask = closure->mask[block];
        x[c] *= mask == 0 || (mask & ~requested) ? 0 : cells * tables->weight[i] / tables->total[block];
    }
}

/* For a table of attributes g_B(u) depends on which of the common attributes u has as the cell v has: a bit each of
 * `same`. kernel[same] gets it. */
static void find_kernel(const struct tables *tables, const struct ldp_set *part, double *kernel)
{
    for (size_t same = 0; same >> part->size == 0; same++) {
        kernel[same] = 0;
        for (size_t chosen = 1; chosen >> part->size == 0; chosen++) {
            double product = 1;
            uint64_t mask = 0;
            for (size_t a = 0; a < part->size; a++)
                if (chosen >> a & 1) {
                    mask |= UINT64_C(1) << part->attribute[a];
                    product *= (double)tables->cardinality[part->attribute[a]] * (double)(same >> a & 1) - 1;
                }
            kernel[same] += product / tables->total[ldp_closure_find(&tables->closure, mask)];
        }
    }
}

/* The sums of a table f over all but each choice of its attributes, a bit each of the choice, for each of its cells. */
static void find_sums(const struct ldp_set *part, const uint32_t *cardinality, size_t cells, const double *f,
                      double *sums)
{
    const size_t all = ((size_t)1 << part->size) - 1;

    memcpy(sums + all * cells, f, cells * sizeof *f);
    for (size_t kept = all; kept-- > 0;) {
        size_t a = 0, step = 1;
        while (kept >> a & 1)
            a++;
        for (size_t b = a + 1; b < part->size; b++)
            step *= cardinality[part->attribute[b]];
        const size_t c = cardinality[part->attribute[a]];
        const double *const from = sums + (kept | (size_t)1 << a) * cells;
        for (size_t v = 0; v < cells; v++) {
            const size_t first = v - v / step % c * step;
            double sum = 0;
            for (size_t j = 0; v == first && j < c; j++)
                sum += from[first + j * step];
            sums[kept * cells + v] = v == first ? sum : sums[kept * cells + first];
        }
    }
}

/* As add_question, for a table of many cells. */
static enum ldp_status add_table(const struct tables *tables, size_t i, const struct ldp_set *set, struct room *room,
                                 double *variance)
{
    const struct ldp_set part = ldp_set_of_mask(ldp_set_mask(&tables->set[i]) & ldp_set_mask(set));
    const size_t cells = tables->first[i + 1] - tables->first[i], all = (size_t)ldp_set_cells(set, tables->cardinality),
                 values = (size_t)ldp_set_cells(&part, tables->cardinality), patterns = (size_t)1 << part.size;
    const double others = (double)cells / (double)values,
                 scale = tables->weight[i] / ldp_set_cells(set, tables->cardinality);
    struct ldp_pool pool = {.last = NULL};
    double *sums, *kernel;

    if (!TAKE(&pool, sums, (patterns + 1) * values) || !TAKE(&pool, kernel, patterns)) {
        ldp_pool_clear(&pool);
        return LDP_ENOMEM;
    }
    double *const f = sums + patterns * values;
    memset(f, 0, values * sizeof *f);
    ldp_fit_index(&tables->set[i], &part, tables->cardinality, room->cell);
    for (size_t c = 0; c < cells; c++)
        f[room->cell[c]] += room->frequency[tables->first[i] + c];
    find_sums(&part, tables->cardinality, values, f, sums);
    find_kernel(tables, &part, kernel);
    for (size_t v = 0; v < values; v++) {
        struct sums of_question = {0};
        for (size_t same = 0; same < patterns; same++) {
            double users = 0, count = others;
            for (size_t kept = same; kept < patterns; kept = (kept + 1) | same)
                users += (__builtin_popcountll(kept ^ same) & 1 ? -1 : 1) * sums[kept * values + v];
            for (size_t a = 0; a < part.size; a++)
                count *= same >> a & 1 ? 1 : (double)tables->cardinality[part.attribute[a]] - 1;
            add_cells(&of_question, scale * kernel[same], count, users);
        }
        f[v] = spread_of(&tables->protocol[i], &of_question) / (double)tables->users[i];
    }
    ldp_fit_index(set, &part, tables->cardinality, room->common);
    for (size_t v = 0; v < all; v++)
        variance[v] += f[room->common[v]];
    ldp_pool_clear(&pool);
    return LDP_OK;
}

/* Whether a question asks for attributes, of so many cells that each cell's own sum would take long. */
static bool is_large(const struct tables *tables, size_t i, size_t many)
{
    return tables->protocol[i].d > many && tables->digits[i].size == tables->set[i].size &&
           (tables->protocol[i].oracle->flags & LDP_ORACLE_INDEPENDENT || is_grr(&tables->protocol[i]));
}

/* Adds what the answers to question i add to the variances of a marginal's cells. */
static void add_question(const struct tables *tables, size_t i, const struct ldp_set *set, struct room *room,
                         double *variance)
{
    const uint64_t requested = ldp_set_mask(set), common = ldp_set_mask(&tables->set[i]) & requested;
    const size_t cells = tables->first[i + 1] - tables->first[i], all = (size_t)ldp_set_cells(set, tables->cardinality);
    const struct ldp_set part = ldp_set_of_mask(common);
    const size_t values = (size_t)ldp_set_cells(&part, tables->cardinality);

    if (common == 0)
        return;
    for (size_t c = 0; c < cells; c++)
        room->cell[c] = (uint32_t)ldp_digits_cell(&tables->digits[i], &tables->set[i], tables->cardinality, c);
    ldp_fit_index(set, &part, tables->cardinality, room->common);
    ldp_fit_index(&tables->set[i], &part, tables->cardinality, room->shared);
    for (size_t u = 0; u < values; u++) {
        size_t at = 0; /* the first of those cells */
        while (room->shared[at] != u)
            at++;
        memset(room->table, 0, cells * sizeof *room->table);
        room->table[at] = 1;
        ldp_contrasts_forward(&tables->set[i], tables->cardinality, room->table);
        weigh(tables, i, set, room->table);
        ldp_contrasts_inverse(&tables->set[i], tables->cardinality, room->table);
        const size_t d = tables->protocol[i].d;
        memset(room->g, 0, d * sizeof *room->g);
        for (size_t c = 0; c < cells; c++)
            room->g[room->cell[c]] += room->table[c] * (double)d / (double)cells;
        struct sums sums = {0};
        for (size_t c = 0; c < d; c++)
            add_cells(&sums, room->g[c], 1, room->frequency[tables->first[i] + c]);
        const double added = spread_of(&tables->protocol[i], &sums) / (double)tables->users[i];
        for (size_t v = 0; v < all; v++)
            if (room->common[v] == u)
                variance[v] += added;
    }
}

/* Whether questions show every interaction of a marginal. */
static bool is_shown(const struct tables *tables, uint64_t mask)
{
    for (uint64_t sub = mask; sub; sub = (sub - 1) & mask) {
        const size_t block = ldp_closure_find(&tables->closure, sub);

        if (block == CLOSURE_NONE || !(tables->total[block] > 0))
            return false;
    }
    return true;
}

static enum ldp_status find_intervals(const struct tables *tables, const struct ldp_set *set, const double *likely,
                                      double z, struct room *room, double *low, double *high)
{
    const size_t cells = (size_t)ldp_set_cells(set, tables->cardinality);
    double *const estimate = low, *const variance = high;

    if (!is_shown(tables, ldp_set_mask(set))) {
        for (size_t v = 0; v < cells; v++)
            low[v] = high[v] = (double)NAN;
        return LDP_OK;
    }
    memset(variance, 0, cells * sizeof *variance);
    for (size_t i = 0; i < tables->m; i++)
        if (!is_large(tables, i, room->many))
            add_question(tables, i, set, room, variance);
        else if (ldp_set_mask(&tables->set[i]) & ldp_set_mask(set) &&
                 add_table(tables, i, set, room, variance) != LDP_OK)
            return LDP_ENOMEM;
    ldp_closure_map(&tables->closure, set, room->map);
    ldp_tables_project(tables, likely, set, room->map, estimate);
    for (size_t v = 0; v < cells; v++) {
        const double f = fmin(fmax(estimate[v], 0), 1);

        variance[v] -= f * (1 - f) / (double)tables->workload->records->n;
    }
    ldp_tables_project(tables, room->coefs, set, room->map, estimate);
    for (size_t v = 0; v < cells; v++) {
        const double middle = estimate[v], half = z * sqrt(variance[v] > 0 ? variance[v] : 0);
        const bool known = !isnan(variance[v]);

        low[v] = known ? fmin(fmax(middle - half, 0), 1) : (double)NAN;
        high[v] = known ? fmin(fmax(middle + half, 0), 1) : (double)NAN;
    }
    return LDP_OK;
}

enum ldp_status ldp_cell_intervals(size_t many, struct tables *tables, const double *x, const double *likely,
                                   double level, double *low, double *high)
{
    const struct ldp_workload *const workload = tables->workload;
    size_t cells = 1, all = 1;

    for (size_t i = 0; i < tables->m; i++)
        cells = tables->first[i + 1] - tables->first[i] > cells ? tables->first[i + 1] - tables->first[i] : cells;
    for (size_t i = 0; i < workload->nsets; i++)
        all = workload->first[i + 1] - workload->first[i] > all ? workload->first[i + 1] - workload->first[i] : all;
    struct ldp_pool pool = {.last = NULL};
    struct room room = {.scratch = ldp_pool_take(&pool, ldp_numbers_bytes(cells), 1), .many = many};
    TAKE(&pool, room.coefs, tables->closure.ncoefs);
    TAKE(&pool, room.frequency, tables->first[tables->m] + 1);
    TAKE(&pool, room.cell, cells);
    TAKE(&pool, room.shared, cells);
    TAKE(&pool, room.common, all);
    TAKE(&pool, room.table, cells);
    TAKE(&pool, room.g, cells);
    TAKE(&pool, room.map, all);
    enum ldp_status status = ldp_pool_status(&pool);

    if (status == LDP_OK) {
        ldp_tables_agree(tables, x, room.coefs);
        find_frequencies(tables, likely, &room);
    }
    for (size_t i = 0; status == LDP_OK && i < workload->nsets; i++)
        status = find_intervals(tables, &workload->sets[i], likely, ldp_interval_z(1 - level), &room,
                                low + workload->first[i], high + workload->first[i]);
    ldp_pool_clear(&pool);
    return status;
}

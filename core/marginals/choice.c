/* choice.c - see choice.h: how many tables of how many attributes.
 *
 * A tenth of the users, the pilot, report pairs of a covering design. Their tables sharpen what the design
 * has of the same attributes, and tell beforehand how strongly attributes depend on each other: the mean squared
 * interaction of one attribute and, beyond the products, of two, each less its own known noise, averaged over the
 * tables of the pilot by their precision. With these the error of a design for a marginal A of L cells is predicted in
 * the interactions of contrasts.h, s a subset of A with v_s coefficients, P_s the precision that all tables together
 * give it, noise and sampling included:
 *
 *     noise            1/L sum over s in some table  v_s / P_s  beta^(k - |s|)
 *     reconstruction   1/L sum over s in no table    u_s e_|s|  beta^(k - |s|)
 *
 * The pilot's e_2 is lowered by two standard errors of what noise alone would give, so that tables of several
 * attributes are taken where they are sure to pay, and independent attributes get those of one. u_s is the smallest
 * cardinality in s less one. beta = 1 + single where A is in no table, since products with the frequencies of the other
 * attributes, and not with uniform ones, carry errors on; 1 where it is in one. e_2 is the pilot's; of three and more
 * attributes so little is taken to be unexplained where pairs are known (HIGHER, a constant that was set by one look at the records
 * of nltcs and not measured on others) that it only decides ties; where the pairs are unknown it is part of theirs. Norm_sub bounds the noise: of an error N and a
 * marginal whose distance from uniform is S it leaves about N S / (N + S). */
#include "marginals/choice.h"

#include "marginals/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 24, L_MOST = 8, TABLES_MOST = 600, CELLS_MOST = 1 << 14, USERS_LEAST = 20 };
#define PILOT 0.1
#define HIGHER 0.02
#define CAUTION 2.0

static enum ldp_status add(struct choice *choice, const struct ldp_set *pilot, const struct ldp_set *set, size_t m,
                           uint64_t first, const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const size_t all = choice->pilot + m;
    struct ldp_set *sets = malloc(all * sizeof *sets);
    uint64_t *users = malloc(all * sizeof *users);
    enum ldp_status status = LDP_ENOMEM;

    if (sets && users) {
        memcpy(sets + choice->pilot, set, m * sizeof *set);
        if (choice->pilot > 0) {
            memcpy(sets, pilot, choice->pilot * sizeof *sets);
            ldp_tables_share(first, choice->pilot, users);
        }
        ldp_tables_share(choice->workload->records->n - first, m, users + choice->pilot);
        struct tables *tables = &choice->tables[choice->count++];

        status = ldp_tables_init(tables, choice->workload, sets, users, all, method, reason);
        if (status == LDP_OK)
            ldp_tables_set_own(tables, choice->pilot);
    }
    free(sets);
    free(users);
    return status;
}

static enum ldp_status start(struct choice *choice, const struct ldp_workload *workload)
{
    *choice = (struct choice){.workload = workload};
    choice->tables = calloc(CANDIDATES_MAX, sizeof *choice->tables);
    return choice->tables ? LDP_OK : LDP_ENOMEM;
}

enum ldp_status ldp_choice_given(struct choice *choice, const struct ldp_workload *workload, const struct ldp_set *set,
                                 size_t m, const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const enum ldp_status status = start(choice, workload);

    return status == LDP_OK ? add(choice, NULL, set, m, 0, method, reason) : status;
}

/* Whether every table of a design is small enough to be considered. */
static bool is_small(const struct ldp_workload *workload, const struct ldp_set *set, size_t m)
{
    for (size_t i = 0; i < m; i++)
        if (ldp_set_cells(&set[i], workload->records->cardinality) > CELLS_MOST)
            return false;
    return true;
}

/* Designs of l attributes: of the fewest tables that cover all pairs, of three times as many, of all. */
static enum ldp_status add_size(struct choice *choice, const struct ldp_set *pilot, uint64_t first, size_t l,
                                const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const struct ldp_records *records = choice->workload->records;
    const double most = ldp_design_choose(records->d, l), left = (double)(records->n - first);
    const double cover =
        l == 1 ? (double)records->d : ceil(1.3 * ldp_design_choose(records->d, 2) / ldp_design_choose(l, 2));
    const double wanted[] = {cover, 3 * cover, most};
    enum ldp_status status = LDP_OK;
    double last = 0;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && status == LDP_OK; i++) {
        const double m = wanted[i] < most ? wanted[i] : most;

        if (m <= last || m > TABLES_MOST || (choice->count > 0 && m * USERS_LEAST > left) ||
            choice->count == CANDIDATES_MAX)
            continue;
        struct ldp_set *set = malloc((size_t)m * sizeof *set);

        last = m;
        status = set ? ldp_design_cover(records->cardinality, records->d, l, (size_t)m, set) : LDP_ENOMEM;
        if (status == LDP_OK && (choice->count == 0 || is_small(choice->workload, set, (size_t)m)))
            status = add(choice, pilot, set, (size_t)m, first, method, reason);
        free(set);
    }
    return status;
}

enum ldp_status ldp_choice_open(struct choice *choice, const struct ldp_workload *workload,
                                const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const struct ldp_records *records = workload->records;
    enum ldp_status status = start(choice, workload);
    uint64_t first = (uint64_t)(PILOT * (double)records->n);
    size_t pilot = 2 * records->d;
    struct ldp_set *set = malloc((pilot + 1) * sizeof *set);

    if (!set)
        status = LDP_ENOMEM;
    pilot = (double)pilot > ldp_design_choose(records->d, 2) ? (size_t)ldp_design_choose(records->d, 2) : pilot;
    if (records->d < 2 || first < pilot * USERS_LEAST)
        pilot = 0;
    if (status == LDP_OK && pilot > 0) {
        status = ldp_design_cover(records->cardinality, records->d, 2, pilot, set);
        pilot = is_small(workload, set, pilot) ? pilot : 0;
    }
    choice->pilot = pilot;
    first = pilot > 0 ? first : 0;
    /* Without a pilot there is nothing to choose by. */
    for (size_t l = 1; status == LDP_OK && l <= (pilot > 0 ? L_MOST : 1) && l <= records->d; l++)
        status = add_size(choice, set, first, l, method, reason);
    free(set);
    return status;
}

void ldp_choice_clear(struct choice *choice)
{
    for (size_t i = 0; choice->tables && i < choice->count; i++)
        ldp_tables_clear(&choice->tables[i]);
    free(choice->tables);
    *choice = (struct choice){0};
}

/* ---- The pilot ---- */

static double lesser(size_t a, size_t b)
{
    return (double)((a < b ? a : b) - 1);
}

/* The squared interaction of a table of two attributes beyond the product, times the cells and over the smaller
 * cardinality less one (as Cramer's V has it), less its noise and that of the product, which is estimated without bias.
 * Rows and columns as the table itself has them. */
static double pair_energy(const struct ldp_set *set, const uint32_t *cardinality, const double *x, double noise)
{
    const size_t a = cardinality[set->attribute[0]], b = cardinality[set->attribute[1]];
    const double cell = noise / (double)(a * b), row = cell * (double)b, column = cell * (double)a;
    double sum = 0;

    for (size_t i = 1; i < a; i++)
        for (size_t j = 1; j < b; j++) {
            const double apart = x[i * b + j] - x[i * b] * x[j];

            sum += apart * apart - (x[i * b] * x[i * b] * column + x[j] * x[j] * row - row * column);
        }
    return (sum * (double)(a * b) - (double)((a - 1) * (b - 1)) * noise) / lesser(a, b);
}

/* That of one attribute per coefficient. */
static double single_energy(const struct ldp_set *set, const uint32_t *cardinality, const double *x, double noise)
{
    const size_t a = cardinality[set->attribute[0]], b = cardinality[set->attribute[1]];
    double rows = 0, columns = 0;

    for (size_t i = 1; i < a; i++)
        rows += x[i * b] * x[i * b];
    for (size_t j = 1; j < b; j++)
        columns += x[j] * x[j];
    return (rows * (double)a + columns * (double)b) / (double)(a + b - 2) - noise;
}

struct dependence ldp_choice_look(const struct choice *choice, const double *x)
{
    const struct tables *tables = &choice->tables[0];
    struct dependence mean = {0};
    double weights = 0;

    for (size_t i = 0; i < choice->pilot; i++) {
        const double noise = 1 / tables->weight[i]; /* of a coefficient times its cells */
        const struct ldp_set *set = &tables->set[i];
        const size_t a = tables->cardinality[set->attribute[0]], b = tables->cardinality[set->attribute[1]];
        const double variance = 2 * noise * noise * (double)((a - 1) * (b - 1)) / lesser(a, b) / lesser(a, b);

        memcpy(tables->work, x + tables->first[i], tables->protocol[i].d * sizeof *x);
        ldp_contrasts_forward(set, tables->cardinality, tables->work);
        mean.pair += pair_energy(set, tables->cardinality, tables->work, noise) / variance;
        mean.single += single_energy(set, tables->cardinality, tables->work, noise) / (double)choice->pilot;
        weights += 1 / variance;
    }
    mean.pair = weights > 0 ? mean.pair / weights - CAUTION / sqrt(weights) : 0;
    mean.pair = mean.pair < 0 ? 0 : mean.pair > 1 ? 1 : mean.pair;
    mean.single = mean.single < 0 ? 0 : mean.single > 1 ? 1 : mean.single;
    return mean;
}

/* ---- Predictions ---- */

static bool has(const struct tables *tables, uint64_t mask)
{
    const size_t block = ldp_closure_find(&tables->closure, mask);

    return block != CLOSURE_NONE && tables->has[block];
}

static void predict(const struct tables *tables, const struct dependence *dependence, const struct ldp_set *set,
                    struct ldp_prediction *out)
{
    const uint64_t mask = ldp_set_mask(set);
    const bool covered = has(tables, mask);
    const double beta = covered ? 1 : 1 + dependence->single, cells = ldp_set_cells(set, tables->cardinality);
    double power[LDP_SET_MAX + 1] = {1}, noise = 0, missing = 0;
    bool pairs = true;

    for (size_t i = 1; i <= set->size; i++)
        power[i] = power[i - 1] * beta;
    for (uint64_t sub = mask; sub; sub = (sub - 1) & mask)
        if (__builtin_popcountll(sub) == 2)
            pairs &= has(tables, sub);
    for (uint64_t sub = mask; sub; sub = (sub - 1) & mask) {
        const size_t size = (size_t)__builtin_popcountll(sub), block = ldp_closure_find(&tables->closure, sub);
        const double factor = power[set->size - size] / cells;
        double coefs = 1, least = INFINITY;

        for (uint64_t rest = sub; rest; rest &= rest - 1) {
            const double own = (double)(tables->cardinality[__builtin_ctzll(rest)] - 1);

            coefs *= own;
            least = own < least ? own : least;
        }
        if (has(tables, sub))
            noise += factor * coefs / tables->precision[block];
        else
            missing += factor * least *
                       (size == 1 ? dependence->single
                                  : dependence->pair * (size == 2 ? 1
                                                        : pairs   ? HIGHER
                                                                  : 0.5));
    }
    double apart = 1;

    for (size_t i = 0; i < set->size; i++)
        apart *= 1 + dependence->single;
    apart = (apart - 1) / cells + dependence->pair * (double)set->size * (double)(set->size - 1) / 2 / cells;
    out->noise = noise;
    out->total = (apart > 0 ? noise * apart / (noise + apart) : noise) + missing;
}

void ldp_choice_predict(const struct choice *choice, size_t candidate, const struct dependence *dependence,
                        struct ldp_prediction *out)
{
    const struct ldp_workload *workload = choice->workload;

    for (size_t i = 0; i < workload->nsets; i++)
        predict(&choice->tables[candidate], dependence, &workload->sets[i], &out[i]);
}

size_t ldp_choice_best(const struct choice *choice, const struct dependence *dependence, struct ldp_prediction *room)
{
    const struct ldp_workload *workload = choice->workload;
    double best = INFINITY;
    size_t chosen = 0;

    for (size_t c = 0; choice->count > 1 && c < choice->count; c++) {
        double sum = 0;

        ldp_choice_predict(choice, c, dependence, room);
        for (size_t i = 0; i < workload->nsets; i++)
            sum += room[i].total;
        if (sum < best) {
            best = sum;
            chosen = c;
        }
    }
    return chosen;
}

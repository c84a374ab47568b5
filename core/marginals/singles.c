/* singles.c - see singles.h.
 *
 * A product of k frequencies has the noise of all of them: it can be worse than uniform cells, even if none of its
 * attributes is. With c the values of an attribute, y its estimate, N the variance of a coefficient of y, p the truth,
 * u uniform, x the y made valid and v its cells above 0 minus one, let
 *
 *     X = c |x - u|^2,    Y = c (<y - u, x - u> - N v).
 *
 * Y is without bias for c <x - u, p - u> where x is the nearest distribution to y (Stein 1981); attributes of equal c,
 * whose noise is equal, get a common Y / X. For x' = u + t (x - u) and a marginal of L cells whose attributes are
 * independent, the expected squared error of the product of the x' over that of uniform cells is
 *
 *     G(t) = 1/L (prod (1 + t^2 X) - 2 prod (1 + t Y) + 1).
 *
 * If G(1) < 0 for the wanted marginals of every number of attributes, nothing changes. Else every attribute is shrunk
 * towards uniform, those of equal c alike (James and Stein 1961),
 *
 *     a = sum (<y - u, x - u> - N v (V - 2) / V) / sum |x - u|^2,    V = sum v,    0 <= a <= 1,
 *
 * (a = 1 if V <= 2). If G(1) is still above 0, as noise of a adds up in products, all are shrunk by the t of least G.
 * If all attributes together are not farther from uniform than noise by a standard error, they become uniform.
 *
 * Attributes that depend on each other have marginals farther from uniform than their products are: this is why nothing
 * changes as long as a product is expected to be better than uniform.
 *
 * Source: Stein, Annals of Statistics 9, 1981; James and Stein 1961. Cost: O(wanted marginals). */
#include "marginals/singles.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 10 };
#define ABOVE_ZERO 1e-6 /* of the uniform cell: what rounding leaves of a cell of 0 is less */
#define SURE 1.0        /* standard errors */

/* The statistics of an attribute that are named above. */
struct single {
    size_t offset, values; /* its coefficients are coefs[offset .. offset + values - 2] */
    double noise;          /* N */
    double free;           /* v */
    double common;         /* <y - u, x - u> */
    double square;         /* |x - u|^2 */
    double far, near;      /* X and Y, of what is shrunk so far */
};

enum ldp_status ldp_singles_init(struct singles *singles, size_t coefs)
{
    *singles = (struct singles){.left = 1, .raw = malloc(coefs * sizeof *singles->raw)};
    return singles->raw ? LDP_OK : LDP_ENOMEM;
}

void ldp_singles_clear(struct singles *singles)
{
    free(singles->raw);
    *singles = (struct singles){.raw = NULL};
}

void ldp_singles_keep(struct singles *singles, const struct tables *tables, const double *coefs)
{
    for (size_t c = 0; c < tables->closure.ncoefs; c++)
        singles->raw[c] = coefs[c];
}

/* That of the table `own + i`. */
static size_t attribute_of(const struct tables *tables, size_t i)
{
    return tables->set[tables->own + i].attribute[0];
}

static struct single look_at(const struct singles *singles, const struct tables *tables, const double *coefs, size_t i)
{
    const size_t block = ldp_closure_find(&tables->closure, ldp_set_mask(&tables->set[i])),
                 values = tables->protocol[i].d;
    const double all = (double)values;
    struct single own = {.offset = tables->closure.offset[block],
                         .values = values,
                         .noise = 1 / (all * tables->precision[block]),
                         .free = -1};

    for (size_t c = tables->first[i]; c < tables->first[i + 1]; c++)
        own.free += fabs(tables->x[c]) * all > ABOVE_ZERO;
    for (size_t c = own.offset; c + 1 < own.offset + values; c++) {
        own.common += singles->raw[c] * coefs[c];
        own.square += coefs[c] * coefs[c];
    }
    own.far = all * own.square;
    return own;
}

/* The sum of G(t) over the wanted marginals of each number of attributes. */
static void compare(const struct tables *tables, const struct single *single, double t, double *loss)
{
    const struct ldp_workload *const workload = tables->workload;

    for (size_t k = 0; k <= LDP_SET_MAX; k++)
        loss[k] = 0;
    for (size_t i = 0; i < workload->nsets; i++) {
        const struct ldp_set *const set = &workload->sets[i];
        double far = 1, near = 1;

        for (size_t j = 0; j < set->size; j++) {
            far *= 1 + t * t * single[set->attribute[j]].far;
            near *= 1 + t * single[set->attribute[j]].near;
        }
        loss[set->size] += (far - 2 * near + 1) / ldp_set_cells(set, tables->cardinality);
    }
}

/* True if products are expected to be worse than uniform for the wanted marginals of some number of attributes. */
static bool is_worse(const struct tables *tables, const struct single *single)
{
    double loss[LDP_SET_MAX + 1];

    compare(tables, single, 1, loss);
    for (size_t k = 1; k <= LDP_SET_MAX; k++)
        if (loss[k] > 0)
            return true;
    return false;
}

/* Finds Y of an attribute from all that have as many values. Returns their factor a. */
static double pool(struct single *own, const struct single *single, size_t d)
{
    double common = 0, square = 0, noise = 0, all = 0;

    for (size_t i = 0; i < d; i++)
        if (single[i].values == own->values) {
            common += single[i].common;
            square += single[i].square;
            noise += single[i].noise * single[i].free;
            all += single[i].free;
        }
    own->near = square > 0 ? own->far * (common - noise) / square : 0;
    const double kept = all > 2 ? common - noise * (all - 2) / all : square;

    return kept <= 0 ? 0 : kept < square ? kept / square : 1;
}

/* True if all estimates together are about as far from uniform as noise alone. */
static bool is_noise(const struct singles *singles, const struct single *single, size_t d)
{
    double apart = 0, numbers = 0;

    for (size_t i = 0; i < d; i++) {
        double square = 0;

        for (size_t c = single[i].offset; c + 1 < single[i].offset + single[i].values; c++)
            square += singles->raw[c] * singles->raw[c];
        apart += square / single[i].noise - (double)(single[i].values - 1);
        numbers += (double)(single[i].values - 1);
    }
    return apart < SURE * sqrt(2 * numbers);
}

/* The t of the least loss, each number of attributes relative to its largest. */
static double best(const struct tables *tables, const struct single *single)
{
    double loss[STEPS + 1][LDP_SET_MAX + 1], least = INFINITY, found = 0;

    for (size_t step = 0; step <= STEPS; step++)
        compare(tables, single, (double)step / STEPS, loss[step]);
    for (size_t step = 0; step <= STEPS; step++) {
        double sum = 0;

        for (size_t k = 1; k <= LDP_SET_MAX; k++) {
            double most = 0;

            for (size_t s = 0; s <= STEPS; s++)
                most = fabs(loss[s][k]) > most ? fabs(loss[s][k]) : most;
            sum += most > 0 ? loss[step][k] / most : 0;
        }
        if (sum < least) {
            least = sum;
            found = (double)step / STEPS;
        }
    }
    return found;
}

void ldp_singles_learn(struct singles *singles, struct tables *tables, const double *coefs)
{
    const size_t d = tables->m - tables->own;
    struct single single[LDP_ATTRIBUTES_MAX] = {0};
    double factor[LDP_ATTRIBUTES_MAX];

    ldp_tables_expand(tables, coefs, tables->x);
    for (size_t i = 0; i < d; i++) {
        single[attribute_of(tables, i)] = look_at(singles, tables, coefs, tables->own + i);
        singles->factor[i] = 1;
    }
    singles->left = 1;
    for (size_t i = 0; i < d; i++)
        factor[i] = pool(&single[i], single, d);
    const bool noise = is_noise(singles, single, d);

    if (!noise && !is_worse(tables, single))
        return;
    for (size_t i = 0; i < d; i++) {
        single[i].far *= factor[i] * factor[i];
        single[i].near *= factor[i];
    }
    const double t = noise ? 0 : is_worse(tables, single) ? best(tables, single) : 1;

    singles->left = 0;
    for (size_t i = 0; i < d; i++) {
        singles->factor[i] = t * factor[i];
        singles->left += singles->factor[i] * singles->factor[i] / (double)d;
    }
}

void ldp_singles_shrink(const struct singles *singles, const struct tables *tables, double *coefs)
{
    for (size_t i = tables->own; i < tables->m; i++) {
        const size_t block = ldp_closure_find(&tables->closure, ldp_set_mask(&tables->set[i]));

        for (size_t c = tables->closure.offset[block]; c < tables->closure.offset[block + 1]; c++)
            coefs[c] *= singles->factor[tables->set[i].attribute[0]];
    }
}

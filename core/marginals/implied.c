/* implied.c - see implied.h.
 *
 * A fit has the largest entropy of all distributions over the attributes of a marginal that have the given
 * interactions (known.c). Noise has been shrunk from those, but they need not have a joint law: they are fitted with
 * the weight of KNOWN_WEIGHT users without noise. What follows for the others are central moments (shrink.c), about the
 * single attributes of the fit itself, which cannot be negative where the given ones can.
 *
 * Orders ascend: with pairs given, a fit has targets for all interactions of three attributes and more; where some of
 * three are then kept, by more than KEPT of what they differ from their target, they are given too and a further fit
 * has those of four and more; and so on. The last fit is the answer beyond the tables.
 *
 * Cost: a fit of each requested marginal that has interactions of more than two attributes or unknown ones, and one for
 * each further order in which some are kept. */
#include "marginals/implied.h"

#include "marginals/shrink.h"

#include <math.h>
#include <string.h>

enum { TARGET_CELLS = 4096 /* of a marginal whose interactions have targets */ };
#define KEPT 0.1 /* the factor of an interaction that matters */

/* The block of a cell's coefficient, or CLOSURE_NONE. */
static size_t block_of(const struct implied *own, const struct known_marginal *requested, size_t cell)
{
    const uint32_t coef = own->map[requested->first + cell];
    return coef == UINT32_MAX ? CLOSURE_NONE : own->block[coef];
}

static size_t attributes_of(const struct tables *tables, size_t block)
{
    return (size_t)__builtin_popcountll(tables->closure.mask[block]);
}

enum ldp_status ldp_implied_init(struct implied *own, struct ldp_pool *pool, const struct tables *tables)
{
    const struct ldp_workload *const workload = tables->workload;
    const size_t ncoefs = tables->closure.ncoefs;

    *own = (struct implied){.size = 0};
    for (size_t i = 0; i < workload->nsets; i++)
        own->size = workload->sets[i].size > own->size ? workload->sets[i].size : own->size;
    TAKE(pool, own->t, workload->first[workload->nsets]);
    TAKE(pool, own->fitted, workload->nsets);
    TAKE(pool, own->single, ncoefs);
    TAKE(pool, own->sum, ncoefs);
    TAKE(pool, own->count, ncoefs);
    TAKE(pool, own->map, workload->first[workload->nsets]);
    TAKE(pool, own->block, ncoefs);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t i = 0; i < workload->nsets; i++)
        ldp_closure_map(&tables->closure, &workload->sets[i], own->map + workload->first[i]);
    for (size_t b = 0; b < tables->closure.nblocks; b++)
        for (size_t c = tables->closure.offset[b]; c < tables->closure.offset[b + 1]; c++)
            own->block[c] = (uint32_t)b;
    return ldp_known_init(&own->fits, pool, tables, false);
}

/* ---- targets ---- */

/* Whether interactions of a marginal are to be found that a new fit changes: one with more of them given. */
static bool needs_fit(const struct implied *own, const struct tables *tables, const struct known_marginal *requested,
                      const double *factor, size_t fitted)
{
    const bool is_last = requested->order > LDP_SET_MAX;
    bool has_targets = false, is_new = fitted == 0;

    for (size_t c = 1; c < requested->cells; c++) {
        const size_t block = block_of(own, requested, c),
                     attributes = block == CLOSURE_NONE ? 0 : attributes_of(tables, block);
        const bool has = ldp_known_has(tables, block);
        has_targets |= is_last ? !has
                               : block != CLOSURE_NONE && ldp_shrinking_moves(tables, block) &&
                                     (attributes >= requested->order || !has);
        is_new |= has && attributes >= fitted && attributes < requested->order && factor[block] > KEPT;
    }
    return has_targets && is_new;
}

/* x: the coefficients of interactions of fewer attributes, shrunk. */
static void fill(const struct implied *own, const struct tables *tables, const struct known_marginal *requested,
                 const struct central_moments *given, double *x)
{
    for (size_t c = 0; c < requested->cells; c++) {
        const uint32_t coef = own->map[requested->first + c];
        const size_t block = block_of(own, requested, c),
                     attributes = ldp_known_has(tables, block) ? attributes_of(tables, block) : 0;
        const bool is_given = attributes > 1 && attributes < requested->order;
        const double to = is_given ? given->target[coef] : 0;
        x[c] = is_given ? to + given->factor[block] * (given->central[coef] - to) : c == 0;
    }
    ldp_shrinking_move(tables, requested->set, given->coefs, LDP_PUT_BACK, x);
}

/* t: what is known; then the distribution. */
static void fit(struct known_fits *own, const struct known_marginal *requested, double *t)
{
    const struct known known = {.x = t};
    if (requested->is_binary) {
        ldp_known_fit_means(own, requested, known, t);
        return;
    }
    const size_t nparts = ldp_known_list(own, requested);
    ldp_known_fill(own, requested, nparts, known);
    ldp_known_fit_parts(own, requested, nparts, t);
}

/* From a fit to its central moments, about its own single attributes. */
static void find_central(struct implied *own, const struct tables *tables, const struct known_marginal *requested,
                         double *t)
{
    ldp_contrasts_forward(requested->set, tables->cardinality, t);
    for (size_t c = 0; c < requested->cells; c++) {
        const uint32_t coef = own->map[requested->first + c];
        if (coef != UINT32_MAX)
            own->single[coef] = t[c];
    }
    ldp_shrinking_move(tables, requested->set, own->single, LDP_TAKE_OUT, t);
}

/* The targets of so many attributes and more: the means of all fits that have them. */
static void average(struct implied *own, const struct tables *tables, size_t order, double *target)
{
    const struct closure *const closure = &tables->closure;

    memset(own->sum, 0, closure->ncoefs * sizeof *own->sum);
    memset(own->count, 0, closure->ncoefs * sizeof *own->count);
    for (size_t i = 0; i < tables->workload->nsets; i++) {
        const size_t *const first = tables->workload->first + i;
        for (size_t c = first[0]; own->fitted[i] > 0 && c < first[1]; c++)
            if (own->map[c] != UINT32_MAX) {
                own->sum[own->map[c]] += own->t[c];
                own->count[own->map[c]]++;
            }
    }
    for (size_t b = 0; b < closure->nblocks; b++)
        if (ldp_shrinking_moves(tables, b) && (attributes_of(tables, b) >= order || !tables->has[b]))
            for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
                target[c] = own->count[c] > 0 ? own->sum[c] / own->count[c] : 0;
}

void ldp_implied_find(struct implied *own, const struct tables *tables, const struct central_moments *given,
                      size_t order)
{
    const bool is_last = order > LDP_SET_MAX;
    bool changes = order == 3;

    if (!is_last && order > own->size + 1 && !changes) /* no marginal has more to give */
        return;
    for (size_t i = 0; i < tables->workload->nsets; i++) {
        struct known_marginal requested = ldp_known_marginal(&own->fits, i, order);
        own->fitted[i] = order == 3 ? 0 : own->fitted[i];
        if (!is_last && (requested.cells > TARGET_CELLS || requested.set->size < 3))
            continue;
        if (needs_fit(own, tables, &requested, given->factor, own->fitted[i])) {
            requested.order = order < own->fits.last[i] ? order : own->fits.last[i];
            double *const t = own->t + requested.first;
            fill(own, tables, &requested, given, t);
            fit(&own->fits, &requested, t);
            find_central(own, tables, &requested, t);
            own->fitted[i] = (uint8_t)order;
            changes = true;
        }
    }
    if (changes && !is_last)
        average(own, tables, order, given->target);
}

void ldp_implied_answer(struct implied *own, const struct tables *tables, const double *coefs, double *out)
{
    for (size_t i = 0; i < tables->workload->nsets; i++) {
        const struct known_marginal requested = ldp_known_marginal(&own->fits, i, LDP_SET_MAX + 1);
        double *const x = out + requested.first;
        for (size_t c = 0; c < requested.cells; c++)
            x[c] = ldp_known_has(tables, block_of(own, &requested, c)) ? coefs[own->map[requested.first + c]] : 0;
        if (own->fitted[i] == 0)
            continue;
        ldp_shrinking_move(tables, requested.set, coefs, LDP_TAKE_OUT, x);
        for (size_t c = 1; c < requested.cells; c++)
            if (!ldp_known_has(tables, block_of(own, &requested, c)))
                x[c] = own->t[requested.first + c];
        ldp_shrinking_move(tables, requested.set, coefs, LDP_PUT_BACK, x);
    }
}

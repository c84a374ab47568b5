/* contrasts.c - see contrasts.h.
 *
 * Helmert's contrast j = 1 .. c-1: (x_0 + .. + x_{j-1} - j x_j) / sqrt(j (j+1)). The running sum is kept in x_0 and
 * ends as the sum of all; the inverse goes back from the mean. Cost of an axis: O(c). */
#include "marginals/contrasts.h"

#include <math.h>
#include <string.h>

/* An axis of c values at distance `step`, in each range of c * step numbers. */
static void axis_forward(double *x, size_t cells, size_t c, size_t step)
{
    for (size_t j = 1; j < c; j++) {
        const double times = (double)j, scale = 1 / sqrt(times * (double)(j + 1));
        for (size_t at = 0; at < cells; at += c * step)
            for (size_t s = at; s < at + step; s++) {
                const double value = x[s + j * step];
                x[s + j * step] = (x[s] - times * value) * scale;
                x[s] += value;
            }
    }
}

static void axis_inverse(double *x, size_t cells, size_t c, size_t step)
{
    for (size_t at = 0; at < cells; at += c * step)
        for (size_t s = at; s < at + step; s++)
            x[s] /= (double)c;
    for (size_t j = c - 1; j > 0; j--) {
        const double times = (double)j, scale = 1 / sqrt(times * (double)(j + 1));
        for (size_t at = 0; at < cells; at += c * step)
            for (size_t s = at; s < at + step; s++) {
                const double part = x[s + j * step] * scale;
                x[s + j * step] = x[s] - times * part;
                x[s] += part;
            }
    }
}

static void transform(const struct ldp_set *set, const uint32_t *cardinality, double *x,
                      void axis(double *, size_t, size_t, size_t))
{
    const size_t cells = (size_t)ldp_set_cells(set, cardinality);
    size_t step = 1;

    for (size_t i = set->size; i-- > 0;) {
        axis(x, cells, cardinality[set->attribute[i]], step);
        step *= cardinality[set->attribute[i]];
    }
}

void ldp_contrasts_forward(const struct ldp_set *set, const uint32_t *cardinality, double *x)
{
    transform(set, cardinality, x, axis_forward);
}

void ldp_contrasts_inverse(const struct ldp_set *set, const uint32_t *cardinality, double *x)
{
    transform(set, cardinality, x, axis_inverse);
}

/* ---- The closure ---- */

static size_t slot_of(const struct closure *closure, uint64_t mask)
{
    uint64_t hash = mask * UINT64_C(0x9e3779b97f4a7c15);

    hash ^= hash >> 32;
    size_t slot = (size_t)hash & (closure->slots - 1);

    while (closure->slot[slot] && closure->mask[closure->slot[slot] - 1] != mask)
        slot = (slot + 1) & (closure->slots - 1);
    return slot;
}

size_t ldp_closure_find(const struct closure *closure, uint64_t mask)
{
    const uint32_t found = closure->slots ? closure->slot[slot_of(closure, mask)] : 0;

    return found ? found - 1 : CLOSURE_NONE;
}

/* What was smaller stays in the pool. */
static enum ldp_status grow(struct closure *closure)
{
    const struct closure old = *closure;

    closure->room = old.room ? 2 * old.room : 64;
    closure->slots = 4 * closure->room;
    TAKE(closure->pool, closure->mask, closure->room);
    TAKE(closure->pool, closure->offset, closure->room + 1);
    TAKE(closure->pool, closure->slot, closure->slots);
    if (closure->pool->failed)
        return LDP_ENOMEM;
    if (old.room > 0) {
        memcpy(closure->mask, old.mask, old.room * sizeof *old.mask);
        memcpy(closure->offset, old.offset, (old.room + 1) * sizeof *old.offset);
    }
    for (size_t b = 0; b < closure->nblocks; b++)
        closure->slot[slot_of(closure, closure->mask[b])] = (uint32_t)(b + 1);
    return LDP_OK;
}

static enum ldp_status add_block(struct closure *closure, uint64_t mask)
{
    size_t size = 1;

    if (closure->nblocks == closure->room && grow(closure) != LDP_OK)
        return LDP_ENOMEM;
    const size_t slot = slot_of(closure, mask);

    if (closure->slot[slot])
        return LDP_OK;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        size *= closure->cardinality[__builtin_ctzll(rest)] - 1;
    if (closure->nblocks == 0)
        closure->offset[0] = 0;
    if (size >= UINT32_MAX - closure->offset[closure->nblocks])
        return LDP_ENOMEM;
    closure->mask[closure->nblocks] = mask;
    closure->offset[closure->nblocks + 1] = closure->offset[closure->nblocks] + size;
    closure->slot[slot] = (uint32_t)++closure->nblocks;
    closure->ncoefs = closure->offset[closure->nblocks];
    return LDP_OK;
}

enum ldp_status ldp_closure_add(struct closure *closure, const struct ldp_set *set)
{
    const uint64_t mask = ldp_set_mask(set);

    if (closure->nblocks == 0 && add_block(closure, 0) != LDP_OK)
        return LDP_ENOMEM;
    for (uint64_t sub = mask; sub; sub = (sub - 1) & mask)
        if (add_block(closure, sub) != LDP_OK)
            return LDP_ENOMEM;
    return LDP_OK;
}

void ldp_closure_map(const struct closure *closure, const struct ldp_set *set, uint32_t *map)
{
    const uint32_t cells = (uint32_t)ldp_set_cells(set, closure->cardinality);
    uint64_t last = 0; /* neighbours are mostly of one block */
    size_t block = ldp_closure_find(closure, last);

    for (uint32_t cell = 0; cell < cells; cell++) {
        uint32_t rest = cell, position = 0, unit = 1;
        uint64_t mask = 0;

        for (size_t i = set->size; i-- > 0;) {
            const uint32_t c = closure->cardinality[set->attribute[i]], j = rest % c;

            rest /= c;
            if (j == 0)
                continue;
            mask |= UINT64_C(1) << set->attribute[i];
            position += (j - 1) * unit;
            unit *= c - 1;
        }
        if (mask != last)
            block = ldp_closure_find(closure, last = mask);
        map[cell] = block == CLOSURE_NONE ? UINT32_MAX : (uint32_t)closure->offset[block] + position;
    }
}

/* ---- Questions ---- */

struct digits ldp_digits_of_mask(uint64_t mask)
{
    struct digits digits = {.size = 0};

    for (; mask; mask &= mask - 1)
        digits.mask[digits.size++] = mask & -mask;
    return digits;
}

/* Gauss's elimination. */
bool ldp_digits_add(struct digits *digits, uint64_t mask)
{
    size_t at = digits->size;

    for (size_t i = 0; i < digits->size; i++)
        if (mask & digits->mask[i] & -digits->mask[i])
            mask ^= digits->mask[i];
    if (mask == 0)
        return false;
    for (size_t i = 0; i < digits->size; i++)
        if (digits->mask[i] & mask & -mask)
            digits->mask[i] ^= mask;
    for (; at > 0 && (digits->mask[at - 1] & -digits->mask[at - 1]) > (mask & -mask); at--)
        digits->mask[at] = digits->mask[at - 1];
    digits->mask[at] = mask;
    digits->size++;
    return true;
}

uint64_t ldp_digits_attributes(const struct digits *digits)
{
    uint64_t mask = 0;

    for (size_t i = 0; i < digits->size; i++)
        mask |= digits->mask[i];
    return mask;
}

double ldp_digits_cells(const struct digits *digits, const uint32_t *cardinality)
{
    double cells = 1;

    for (size_t i = 0; i < digits->size; i++)
        cells *= (double)cardinality[__builtin_ctzll(digits->mask[i])];
    return cells;
}

size_t ldp_digits_cell(const struct digits *digits, const struct ldp_set *set, const uint32_t *cardinality, size_t cell)
{
    size_t value[LDP_ATTRIBUTES_MAX], found = 0;

    for (size_t i = set->size; i-- > 0;) {
        value[set->attribute[i]] = cell % cardinality[set->attribute[i]];
        cell /= cardinality[set->attribute[i]];
    }
    for (size_t i = 0; i < digits->size; i++) {
        const uint64_t mask = digits->mask[i];
        size_t own = 0;

        for (uint64_t rest = mask; rest; rest &= rest - 1)
            own ^= value[__builtin_ctzll(rest)];
        found = found * cardinality[__builtin_ctzll(mask)] + own;
    }
    return found;
}

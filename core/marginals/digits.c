/* digits.c - see digits.h. */
#include "marginals/digits.h"

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

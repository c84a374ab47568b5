/* design.c - see design.h.
 *
 * A greedy covering design. Each set starts with the attribute that is in the fewest sets, then repeatedly takes the
 * attribute with the largest gain of pairs with those chosen: a pair counts 4^-c if c sets have it already. Ties go to
 * the attribute in the fewest sets, then to the first in an order that advances by a step from set to set. If the set
 * exists already, its last attributes are exchanged. Cost O(m l d). */
#include "marginals/design.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

double ldp_design_choose(size_t n, size_t k)
{
    double result = 1;

    if (k > n)
        return 0;
    k = k < n - k ? k : n - k;
    for (size_t i = 1; i <= k; i++)
        result = floor(result * (double)(n - k + i) / (double)i + 0.5);
    return result;
}

double ldp_design_rank(size_t d, const struct ldp_set *set)
{
    double rank = 0;
    size_t next = 0; /* the least attribute that may follow */

    for (size_t i = 0; i < set->size; next = set->attribute[i++] + 1u)
        for (size_t skipped = next; skipped < set->attribute[i]; skipped++)
            rank += ldp_design_choose(d - 1 - skipped, set->size - 1 - i);
    return rank;
}

size_t ldp_design_all(uint64_t of, uint64_t with, size_t l, struct ldp_set *set, size_t room)
{
    const uint64_t rest = of & ~with;
    const size_t fixed = (size_t)__builtin_popcountll(with), n = (size_t)__builtin_popcountll(rest);
    uint8_t attribute[LDP_ATTRIBUTES_MAX] = {0};
    size_t chosen[LDP_ATTRIBUTES_MAX], count = 0, k = l - fixed, i = 0;

    if (l < fixed || k > n)
        return 0;
    for (uint64_t left = rest; left; left &= left - 1)
        attribute[i++] = (uint8_t)__builtin_ctzll(left);
    for (i = 0; i < k; i++)
        chosen[i] = i;
    for (;;) {
        if (set && count < room) {
            uint64_t mask = with;

            for (i = 0; i < k; i++)
                mask |= UINT64_C(1) << attribute[chosen[i]];
            set[count] = ldp_set_of_mask(mask);
        }
        count++;
        for (i = k; i > 0 && chosen[i - 1] == n - k + i - 1; i--)
            ;
        if (i == 0 || (set && count == room))
            return count;
        chosen[i - 1]++;
        for (; i < k; i++)
            chosen[i] = chosen[i - 1] + 1;
    }
}

/* True if a set holds one of the first `count` wanted sets of k attributes (0: of any number). */
static bool holds_any(const struct ldp_workload *workload, size_t count, size_t k, const struct ldp_set *set)
{
    for (size_t i = 0; i < count; i++)
        if ((!k || workload->sets[i].size == k) && !(ldp_set_mask(&workload->sets[i]) & ~ldp_set_mask(set)))
            return true;
    return false;
}

size_t ldp_design_holding(const struct ldp_workload *workload, size_t l, size_t k, struct ldp_set *set, size_t most)
{
    const size_t d = workload->records->d;
    const uint64_t all = d == 64 ? UINT64_MAX : (UINT64_C(1) << d) - 1;
    size_t count = 0;

    for (size_t i = 0; i < workload->nsets && count <= most; i++) {
        const struct ldp_set *const wanted = &workload->sets[i];

        if (k && wanted->size != k)
            continue;
        if (ldp_design_choose(d - wanted->size, l - wanted->size) > (double)most)
            return most + 1;
        const size_t end = count + ldp_design_all(all, ldp_set_mask(wanted), l, set + count, most);

        for (size_t j = count; j < end; j++)
            if (!holds_any(workload, i, k, &set[j]))
                set[count++] = set[j];
    }
    return count;
}

struct cover {
    const uint32_t *cardinality;
    size_t d;
    uint32_t *pairs; /* [d * d] */
    uint32_t single[LDP_ATTRIBUTES_MAX];
};

static double gain(const struct cover *cover, uint64_t mask, size_t attribute)
{
    double sum = 0;

    for (uint64_t rest = mask; rest; rest &= rest - 1)
        sum += ldexp(1, -2 * (int)cover->pairs[attribute * cover->d + (size_t)__builtin_ctzll(rest)]);
    return sum;
}

/* The attribute that joins a set next, of those not in `banned`. */
static size_t next(const struct cover *cover, uint64_t mask, uint64_t banned, size_t turn)
{
    size_t best = cover->d;
    double best_gain = -1;

    for (size_t i = 0; i < cover->d; i++) {
        const size_t a = (i + turn) % cover->d;

        if ((mask | banned) >> a & 1)
            continue;
        const double own = gain(cover, mask, a);

        if (best == cover->d || own > best_gain || (own == best_gain && cover->single[a] < cover->single[best])) {
            best = a;
            best_gain = own;
        }
    }
    return best;
}

static bool taken(const uint64_t *masks, size_t m, uint64_t mask)
{
    for (size_t i = 0; i < m; i++)
        if (masks[i] == mask)
            return true;
    return false;
}

/* A set of l attributes that does not exist yet: the greedy one, or the first free one near it. */
static uint64_t choose(const struct cover *cover, size_t l, const uint64_t *masks, size_t m)
{
    const size_t turn = m * 7 + 3;
    uint64_t mask = 0;

    while ((size_t)__builtin_popcountll(mask) + 1 < l)
        mask |= UINT64_C(1) << next(cover, mask, 0, turn);
    for (uint64_t banned = 0;;) {
        const size_t last = next(cover, mask, banned, turn);

        if (last == cover->d)
            break;
        if (!taken(masks, m, mask | UINT64_C(1) << last))
            return mask | UINT64_C(1) << last;
        banned |= UINT64_C(1) << last;
    }
    return 0;
}

enum ldp_status ldp_design_cover(const uint32_t *cardinality, size_t d, size_t l, size_t m, struct ldp_set *set)
{
    struct cover cover = {.cardinality = cardinality, .d = d};
    const uint64_t all = d == 64 ? UINT64_MAX : (UINT64_C(1) << d) - 1;
    uint64_t *const masks = malloc((m + 1) * sizeof *masks);
    size_t count = 0;

    assert(l >= 1 && l <= d && (double)m <= ldp_design_choose(d, l));
    cover.pairs = calloc(d * d, sizeof *cover.pairs);
    if (!masks || !cover.pairs) {
        free(masks);
        free(cover.pairs);
        return LDP_ENOMEM;
    }
    if ((double)m == ldp_design_choose(d, l)) {
        count = ldp_design_all(all, 0, l, set, m);
        assert(count == m);
    }
    while (count < m) {
        const uint64_t mask = choose(&cover, l, masks, count);

        if (!mask)
            break;
        masks[count] = mask;
        set[count++] = ldp_set_of_mask(mask);
        for (uint64_t a = mask; a; a &= a - 1) {
            const size_t i = (size_t)__builtin_ctzll(a);

            cover.single[i]++;
            for (uint64_t b = mask; b; b &= b - 1)
                cover.pairs[i * d + (size_t)__builtin_ctzll(b)]++;
        }
    }
    /* All sets near the greedy set exist: take any other. */
    for (size_t room = m + count; count < m; room *= 2) {
        struct ldp_set *const more = malloc(room * sizeof *more);
        const size_t got = more ? ldp_design_all(all, 0, l, more, room) : 0;

        if (!more) {
            free(masks);
            free(cover.pairs);
            return LDP_ENOMEM;
        }
        for (size_t i = 0; i < got && count < m; i++)
            if (!taken(masks, count, ldp_set_mask(&more[i]))) {
                masks[count] = ldp_set_mask(&more[i]);
                set[count++] = more[i];
            }
        free(more);
    }
    free(masks);
    free(cover.pairs);
    return LDP_OK;
}

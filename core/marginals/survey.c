/* survey.c - see survey.h. */
#include "marginals/survey.h"

#include <assert.h>
#include <math.h>

/* ---- Designs ---- */

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

/* True if a set contains one of the first `count` requested sets of k attributes (0: of any number). */
static bool holds_any(const struct ldp_workload *workload, size_t count, size_t k, const struct ldp_set *set)
{
    for (size_t i = 0; i < count; i++)
        if ((!k || workload->sets[i].size == k) && !(ldp_set_mask(&workload->sets[i]) & ~ldp_set_mask(set)))
            return true;
    return false;
}

size_t ldp_design_containing(const struct ldp_workload *workload, size_t l, size_t k, struct ldp_set *set, size_t most)
{
    const size_t d = workload->records->d;
    const uint64_t all = d == 64 ? UINT64_MAX : (UINT64_C(1) << d) - 1;
    size_t count = 0;

    for (size_t i = 0; i < workload->nsets && count <= most; i++) {
        const struct ldp_set *const requested = &workload->sets[i];

        if (k && requested->size != k)
            continue;
        if (ldp_design_choose(d - requested->size, l - requested->size) > (double)most)
            return most + 1;
        const size_t end = count + ldp_design_all(all, ldp_set_mask(requested), l, set + count, most);

        for (size_t j = count; j < end; j++)
            if (!holds_any(workload, i, k, &set[j]))
                set[count++] = set[j];
    }
    return count;
}

/* A greedy covering design. Each set starts with the attribute that is in the fewest sets, then repeatedly takes the
 * attribute with the largest gain of pairs with those chosen: a pair counts 4^-c if c sets have it already. Ties go to
 * the attribute in the fewest sets, then to the first in an order that advances by a step from set to set. If the set
 * exists already, its last attributes are exchanged. Cost O(m l d). */
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

/* Any other sets, where all near the greedy one exist. */
static enum ldp_status fill_up(struct ldp_pool *pool, uint64_t all, size_t l, size_t m, uint64_t *masks, size_t count,
                               struct ldp_set *set)
{
    for (size_t room = m + count; count < m; room *= 2) {
        struct ldp_set *more;
        if (!TAKE(pool, more, room))
            return LDP_ENOMEM;
        const size_t got = ldp_design_all(all, 0, l, more, room);

        for (size_t i = 0; i < got && count < m; i++)
            if (!taken(masks, count, ldp_set_mask(&more[i]))) {
                masks[count] = ldp_set_mask(&more[i]);
                set[count++] = more[i];
            }
    }
    return LDP_OK;
}

static enum ldp_status find_cover(struct ldp_pool *pool, const uint32_t *cardinality, size_t d, size_t l, size_t m,
                                  struct ldp_set *set)
{
    struct cover cover = {.cardinality = cardinality, .d = d};
    const uint64_t all = d == 64 ? UINT64_MAX : (UINT64_C(1) << d) - 1;
    uint64_t *masks;
    size_t count = 0;

    TAKE(pool, masks, m + 1);
    TAKE(pool, cover.pairs, d * d);
    if (pool->failed)
        return LDP_ENOMEM;
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
    return fill_up(pool, all, l, m, masks, count, set);
}

enum ldp_status ldp_design_cover(const uint32_t *cardinality, size_t d, size_t l, size_t m, struct ldp_set *set)
{
    struct ldp_pool pool = {.last = NULL};

    assert(l >= 1 && l <= d && (double)m <= ldp_design_choose(d, l));
    const enum ldp_status status = find_cover(&pool, cardinality, d, l, m, set);
    ldp_pool_clear(&pool);
    return status;
}

enum ldp_status ldp_design_sets(struct ldp_pool *pool, const struct ldp_synopsis_spec *spec,
                                const struct ldp_workload *workload, struct ldp_set **set, size_t *m,
                                struct ldp_reason *reason)
{
    const struct ldp_records *const records = workload->records;
    const size_t pair = records->d < 2 ? records->d : 2;
    const size_t l = isnan(spec->param[DESIGNED_L]) ? pair : (size_t)spec->param[DESIGNED_L];

    if (l > records->d)
        return ldp_refuse(reason, "l = %zu: expected at most the %zu attributes", l, records->d);
    const double most = ldp_design_choose(records->d, l);
    const double asked = isnan(spec->param[DESIGNED_M]) ? most : spec->param[DESIGNED_M];

    if (asked > most)
        return ldp_refuse(reason, "m = %.0f: expected at most the %.0f sets of %zu out of %zu attributes", asked, most,
                          l, records->d);
    if (asked > (double)workload->records->n)
        return ldp_refuse(reason, "%.0f groups of %llu users: expected a user in each", asked,
                          (unsigned long long)workload->records->n);
    *m = (size_t)asked;
    return TAKE(pool, *set, *m + 1) ? ldp_design_cover(records->cardinality, records->d, l, *m, *set) : LDP_ENOMEM;
}

/* ---- Surveys ---- */

enum ldp_status ldp_survey_init(struct survey *survey, struct ldp_pool *pool, const struct ldp_workload *workload,
                                const struct ldp_set *set, size_t m, size_t l, const struct ldp_method_spec *method,
                                struct ldp_reason *reason)
{
    const uint64_t n = workload->records->n;
    const size_t d = workload->records->d;
    const double groups = l ? ldp_design_choose(d, l) : (double)m;
    struct asked *asked;

    *survey = (struct survey){0};
    if (groups > (double)n)
        return ldp_refuse(reason, "%.0f groups of %llu users: expected a user in each", groups, (unsigned long long)n);
    if (!TAKE(pool, asked, m + 1))
        return LDP_ENOMEM;
    const uint64_t count = (uint64_t)groups;

    for (size_t i = 0; i < m; i++) {
        const double position = l ? ldp_design_rank(d, &set[i]) : (double)i;
        asked[i] =
            (struct asked){ldp_digits_of_mask(ldp_set_mask(&set[i])), n / count + (position < (double)(n % count))};
    }
    enum ldp_status status = ldp_tables_init(&survey->tables, pool, workload, asked, m, method, reason);

    if (status == LDP_OK)
        status = ldp_groups_init(&survey->groups, pool, workload->records, m);
    for (int stage = 0; status == LDP_OK && stage <= LDP_EXACT; stage++)
        TAKE(pool, survey->x[stage], survey->tables.first[m] + 1);
    return status == LDP_OK ? ldp_pool_status(pool) : status;
}

void ldp_survey_collect(struct survey *survey, struct ldp_rng *rng, bool stages)
{
    struct tables *const tables = &survey->tables;

    ldp_groups_gather(&survey->groups);
    ldp_tables_collect(tables, 0, tables->m, &survey->groups, rng, survey->x[LDP_NOISY],
                       stages ? survey->x[LDP_SAMPLED] : NULL);
    if (stages)
        ldp_tables_exact(tables, survey->x[LDP_EXACT]);
}

void ldp_survey_facts(const struct tables *tables, size_t from, struct ldp_synopsis_facts *facts)
{
    *facts = (struct ldp_synopsis_facts){.m = tables->m - from, .set = tables->set + from};
    for (size_t i = from; i < tables->m; i++)
        facts->l = tables->set[i].size > facts->l ? tables->set[i].size : facts->l;
}

struct ldp_method_spec ldp_survey_method(const struct ldp_synopsis_spec *spec)
{
    struct ldp_method_spec method = spec->method;

    if (!method.method) {
        method.method = ldp_method_find(spec->synopsis->method ? spec->synopsis->method : "base");
        ldp_params_default(method.method->params, method.param);
    }
    return method;
}

enum ldp_status ldp_survey_check_method(const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const struct ldp_method *const how = method->method;

    if (!(how->guarantees & LDP_SUMS_TO_ONE) && (how->apply || how->inner || how->guarantees & LDP_SUPPLIED))
        return ldp_refuse(reason, "method %s: expected base, or a method whose estimates sum to 1", how->name);
    return LDP_OK;
}

/* attack.c - see attack.h: malicious users are simulated alone, by their reports, and their support is added to that of
 * the genuine users of the same collection. */
#include "attacks/attack.h"

#include "numerics/arena.h"
#include "protocol/craft.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "protocol/registry.h"
#include "random/rng.h"
#include "sampling/subsets.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define LDP_ATTACK(id) extern const struct ldp_attack ldp_attack_##id;
#include "attacks.def"
#undef LDP_ATTACK

#define LDP_ATTACK(id) &ldp_attack_##id,
const struct ldp_attack *const ldp_attacks[] = {
#include "attacks.def"
    NULL};

LDP_FIND(attack, ldp_attacks)

/* Large blocks, as crafting may begin with a search. */
enum { BLOCK_USERS = 1 << 16, BLOCK_BYTES = 1 << 22 };

/* The targets of the reports; an attack that makes reports itself has only their number. */
static struct ldp_craft craft_of(const struct ldp_attack_spec *spec)
{
    return spec->attack->craft ? spec->attack->craft(spec->param, spec->target, spec->r)
                               : (struct ldp_craft){.target = spec->target, .r = 1, .budget = 1};
}

/* Why no report can be crafted. */
static const char *why_none(const struct ldp_protocol *protocol)
{
    if (protocol->flags & LDP_ORACLE_REAL)
        return "nothing bounds what one of them adds";
    return protocol->oracle->inner
               ? "nothing bounds what one of its row oracle adds, or they are too many to be searched"
               : "they are too many to be searched";
}

enum ldp_status ldp_attack_check(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol,
                                 struct ldp_reason *reason)
{
    const char *const name = protocol->oracle->name;
    if (spec->r < 1 || spec->r > protocol->d)
        return ldp_refuse(reason, "expected from 1 to d = %zu targets, got %zu", protocol->d, spec->r);
    if (protocol->flags & LDP_ORACLE_NOT_PRIVATE)
        return ldp_refuse(reason, "%s is not private: a malicious user is one who lies, which the input says", name);
    if (protocol->flags & LDP_ORACLE_JOINT)
        return ldp_refuse(
            reason,
            "support counts of %s are no sums over users (with decode = published those of flh, hr and rhr are)", name);
    if (!ldp_has_mode(protocol, LDP_REPORTS))
        return ldp_refuse(reason, "%s has no reports", name);
    if (!spec->attack->craft && !spec->attack->reports)
        return LDP_OK;
    if (spec->attack->share && !(protocol->flags & LDP_ORACLE_INDEPENDENT))
        return ldp_refuse(reason, "%s cannot choose the supports of several values independently in a report", name);
    const struct ldp_craft craft = craft_of(spec);
    const size_t most = ldp_craft_most(protocol, &craft);
    if (most == 0)
        return ldp_refuse(reason, "reports of %s cannot be crafted: %s", name, why_none(protocol));
    if (craft.r > most)
        return ldp_refuse(reason, "expected at most %zu targets, for which reports of %s can be crafted, got %zu", most,
                          name, spec->r);
    return LDP_OK;
}

void ldp_attack_draw(struct ldp_rng *rng, size_t d, size_t r, uint32_t *target)
{
    for (size_t k = 0; k < r; k++) {
        const uint32_t last = (uint32_t)(d - r + k);
        target[k] = (uint32_t)rng_below(rng, (uint64_t)last + 1);
        for (size_t i = 0; i < k; i++)
            if (target[i] == target[k]) {
                target[k] = last;
                break;
            }
    }
}

/* Each report supports the targets of a draw, and no other target; chosen[r] is scratch. */
static void reports_by_share(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, size_t m,
                             struct ldp_rng *rng, uint32_t *chosen, uint64_t *reports)
{
    struct ldp_craft craft = craft_of(spec);
    craft.target = chosen;
    for (size_t i = 0; i < m; i++) {
        size_t from = 0, to = spec->r;
        for (size_t k = 0; k < spec->r; k++)
            chosen[ldp_rng_uniform(rng) < spec->attack->share(spec, protocol, k) ? from++ : --to] = spec->target[k];
        craft.r = from;
        craft.avoided = spec->r - from;
        ldp_craft(protocol, &craft, 1, rng, reports + i * protocol->report_words);
    }
}

/* Their support: binomials, as the support counts of an oracle whose reports can be chosen so are independent. */
static void counts_by_share(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, uint64_t m,
                            struct ldp_rng *rng, double *support)
{
    struct ldp_binomial other;
    ldp_binomial_init(&other, m, protocol->q);
    for (size_t v = 0; v < protocol->d; v++)
        support[v] = (double)ldp_binomial_draw(&other, rng);
    for (size_t k = 0; k < spec->r; k++)
        support[spec->target[k]] = (double)ldp_binomial(rng, m, spec->attack->share(spec, protocol, k));
}

void ldp_attack_reports(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, size_t m,
                        struct ldp_rng *rng, uint32_t *values, uint64_t *reports)
{
    const struct ldp_attack *const attack = spec->attack;
    if (attack->share) {
        reports_by_share(spec, protocol, m, rng, values + m, reports);
    } else if (attack->craft) {
        const struct ldp_craft craft = craft_of(spec);
        ldp_craft(protocol, &craft, m, rng, reports);
    } else if (attack->reports) {
        attack->reports(spec->param, protocol, spec->target, spec->r, m, rng, reports);
    } else {
        for (size_t i = 0; i < m; i++)
            values[i] = spec->target[rng_below(rng, spec->r)];
        protocol->oracle->client(protocol, values, m, rng, reports);
    }
}

static size_t block_users(const struct ldp_protocol *protocol)
{
    return ldp_block_reports(protocol->report_words, BLOCK_BYTES, BLOCK_USERS);
}

struct buffers {
    void *state;
    uint64_t *reports;
    uint32_t *values;
    size_t bytes;
};

static struct buffers lay_out(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, void *scratch)
{
    const size_t users = block_users(protocol);
    struct ldp_arena arena = {scratch, 0};
    struct buffers buffers;
    buffers.state = ldp_take(&arena, protocol->state_bytes);
    buffers.reports = ldp_take(&arena, users * protocol->report_words * sizeof *buffers.reports);
    buffers.values = ldp_take(&arena, (users + spec->r) * sizeof *buffers.values);
    buffers.bytes = arena.bytes;
    return buffers;
}

size_t ldp_attack_scratch(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol)
{
    const size_t reports = lay_out(spec, protocol, NULL).bytes, few = spec->r < LDP_CRAFT_FEW ? spec->r : LDP_CRAFT_FEW;
    size_t counts = 0;
    for (size_t s = 1; s < few; s++) {
        const size_t bytes = ldp_subsets_bytes(few, s);
        counts = bytes > counts ? bytes : counts;
    }
    return reports > counts ? reports : counts;
}

void ldp_attack_collect(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, uint64_t m,
                        enum ldp_mode mode, struct ldp_rng *rng, void *scratch, double *support)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    const struct buffers buffers = lay_out(spec, protocol, scratch);
    const size_t most = block_users(protocol);
    assert(m > 0 && ldp_attack_check(spec, protocol, NULL) == LDP_OK);
    if (mode == LDP_COUNTS && spec->attack->share) {
        counts_by_share(spec, protocol, m, rng, support);
        return;
    }
    if (mode == LDP_COUNTS && oracle->craft_counts && spec->attack->craft) {
        const struct ldp_craft craft = craft_of(spec);
        if (craft.r > 0) {
            oracle->craft_counts(protocol, &craft, m, rng, scratch, support);
            return;
        }
    }
    memset(buffers.state, 0, protocol->state_bytes);
    for (uint64_t done = 0; done < m;) {
        const size_t users = m - done < most ? (size_t)(m - done) : most;
        ldp_attack_reports(spec, protocol, users, rng, buffers.values, buffers.reports);
        oracle->server(protocol, buffers.reports, users, buffers.state);
        done += users;
    }
    oracle->support(protocol, buffers.state, m, support);
}

enum ldp_status ldp_attackers_check(const struct ldp_attackers *attackers, const struct ldp_protocol *protocol,
                                    struct ldp_reason *reason)
{
    struct ldp_attack_spec spec = attackers->spec;
    if (spec.attack->share)
        return ldp_refuse(reason, "%s needs the true frequencies of what is collected in each part", spec.attack->name);
    if (spec.attack->ordered)
        return ldp_refuse(reason, "%s needs values that have an order", spec.attack->name);
    spec.r = 1;
    return ldp_attack_check(&spec, protocol, reason);
}

double ldp_attackers_users(uint64_t n, double fraction)
{
    return fmax(1, floor((double)n * fraction / (1 - fraction) + 0.5));
}

/* The attack on a part: as many targets as reports can be crafted for. */
static struct ldp_attack_spec spec_of_part(const struct ldp_attackers *attackers, const struct ldp_protocol *protocol,
                                           const uint32_t *target, size_t r)
{
    struct ldp_attack_spec spec = attackers->spec;
    spec.target = target;
    spec.r = r;
    const struct ldp_craft craft = craft_of(&spec);
    const size_t most = spec.attack->craft ? ldp_craft_most(protocol, &craft) : r;
    spec.r = most < r ? most : r;
    return spec;
}

size_t ldp_attackers_scratch(const struct ldp_attackers *attackers, const struct ldp_protocol *protocol, size_t r)
{
    struct ldp_attack_spec spec = attackers->spec;
    spec.r = r; /* not only as many as this attack can use: the next one may use all */
    return ldp_attack_scratch(&spec, protocol);
}

uint64_t ldp_attackers_add(const struct ldp_attackers *attackers, const struct ldp_protocol *protocol,
                           const uint32_t *target, size_t r, uint64_t n, enum ldp_mode mode, void *scratch,
                           double *more, double *support)
{
    const struct ldp_attack_spec spec = spec_of_part(attackers, protocol, target, r);
    const uint64_t m = (uint64_t)ldp_attackers_users(n, attackers->fraction);
    ldp_attack_collect(&spec, protocol, m, mode, attackers->rng, scratch, more);
    ldp_support_add(protocol, more, support);
    return m;
}

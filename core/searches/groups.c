/* groups.c - splits users into groups, see round.h.
 *
 * A split draws, for each string, how many of its users are in which group: multivariate hypergeometric, so that all
 * groups have their exact sizes. For strings of few users the groups are drawn one by one from the shuffled indices
 * that are left; cost O(users of such strings + groups * other strings). */
#include "searches/round.h"

#include "random/rng.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Strings with more users per group than AT_ONCE are drawn by one multivariate hypergeometric draw; words drawn at
 * once; the most groups that are asked how many users of a string they have. */
enum { AT_ONCE = 8, AHEAD = 256, TALLY = 8 };

static void draw_sizes(struct ldp_search_state *state, const double *weight, bool by_chance)
{
    const size_t g = state->ngroups;
    const uint64_t n = state->input.histogram.n;
    double sum = 0, before = 0;
    uint64_t given = 0;

    if (by_chance) {
        ldp_multinomial(state->rng, n, weight, g, state->size);
        return;
    }
    for (size_t i = 0; i < g; i++)
        sum += weight[i];
    for (size_t i = 0; i < g; i++) {
        before += weight[i];

        const uint64_t until = i + 1 == g ? n : (uint64_t)floor((double)n * (before / sum) + 0.5);

        state->size[i] = until > given ? until - given : 0;
        given += state->size[i];
    }
}

/* The indices left, as a shuffled list of groups. */
static enum ldp_status shuffle_labels(struct ldp_search_state *state, const uint64_t *left, size_t count)
{
    size_t at = 0;

    if (SEARCH_ROOM(state, label, count + 1) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < state->ngroups; i++)
        for (uint64_t k = 0; k < left[i]; k++)
            state->label[at++] = (uint16_t)i;
    assert(at == count);
    uint16_t *const label = state->label;

    for (size_t i = count; i > 1;) {
        const size_t m = i - 1 < AHEAD ? i - 1 : AHEAD;
        uint64_t word[AHEAD];

        ldp_rng_words(state->rng, m, word);
        struct ldp_rng_ahead ahead = {word, word + m, state->rng};
        for (const size_t until = i - m; i > until; i--) {
            const size_t j = (size_t)rng_below_ahead(&ahead, i);
            const uint16_t swap = label[i - 1];

            label[i - 1] = label[j];
            label[j] = swap;
        }
    }
    return LDP_OK;
}

/* A list of groups' members, of each group from first to last. */
struct members {
    const size_t *first;
    size_t *last;
    uint32_t *string;
    uint64_t *count;
};

static const uint32_t NO_STRING = UINT32_MAX; /* no index: there are fewer strings */

/* Adds a string to a group which does not have it; without a branch, as groups are random: one of no users is written
 * where the next comes. */
static inline void add_string(struct members members, size_t group, uint32_t string, uint64_t users)
{
    const size_t at = members.last[group];

    members.string[at] = string;
    members.count[at] = users;
    members.last[group] = at + (users > 0);
}

/* Adds a user; strings come in ascending order. A group without members begins with NO_STRING, and the count of a new
 * member is masked. */
static inline void add_user(struct members members, size_t group, uint32_t string)
{
    const size_t last = members.last[group], before = last - (last > members.first[group]);
    const uint64_t known = members.string[before] == string;
    const size_t at = last - known;

    members.string[at] = string;
    members.count[at] = (members.count[at] & -known) + 1;
    members.last[group] = at + 1;
}

/* Adds the users of a string to the groups of their labels. */
static inline void add_users(struct members members, size_t ngroups, const uint16_t *label, uint32_t string,
                             uint64_t users)
{
    if (users == 1) {
        add_string(members, *label, string, 1);
    } else if (ngroups <= TALLY && users > ngroups / 2) {
        uint64_t tally[TALLY] = {0};

        for (uint64_t u = 0; u < users; u++)
            tally[label[u]]++;
        for (size_t i = 0; i < ngroups; i++)
            add_string(members, i, string, tally[i]);
    } else {
        for (uint64_t u = 0; u < users; u++)
            add_user(members, label[u], string);
    }
}

static enum ldp_status room_for_members(struct ldp_search_state *state)
{
    const size_t d = state->input.histogram.d;
    size_t members = 0;

    for (size_t i = 0; i < state->ngroups; i++) {
        state->first[i] = state->last[i] = members;
        members += (state->size[i] < d ? (size_t)state->size[i] : d) + 1; /* add_string writes one more */
    }
    if (SEARCH_ROOM(state, string, members + 1) != LDP_OK)
        return LDP_ENOMEM;
    return SEARCH_ROOM(state, count, members + 1);
}

enum ldp_status search_split(struct ldp_search_state *state, size_t ngroups, const double *weight, bool by_chance)
{
    const struct ldp_histogram *const all = &state->input.histogram;
    const uint64_t large = AT_ONCE * (uint64_t)ngroups;
    size_t nlarge = 0, small_users = 0, at = 0;

    assert(ngroups >= 1 && ngroups <= UINT16_MAX);
    state->ngroups = ngroups;
    if (SEARCH_ROOM(state, size, ngroups) != LDP_OK || SEARCH_ROOM(state, first, ngroups) != LDP_OK ||
        SEARCH_ROOM(state, last, ngroups) != LDP_OK)
        return LDP_ENOMEM;
    draw_sizes(state, weight, by_chance);
    if (room_for_members(state) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t v = 0; v < all->d; v++) {
        nlarge += all->counts[v] > large;
        small_users += all->counts[v] > large ? 0 : (size_t)all->counts[v];
    }
    if (SEARCH_ROOM(state, split, (nlarge + 1) * ngroups) != LDP_OK)
        return LDP_ENOMEM;

    uint64_t *const left = state->split + nlarge * ngroups;

    memcpy(left, state->size, ngroups * sizeof *left);
    for (size_t v = 0; v < all->d; v++) {
        if (all->counts[v] <= large)
            continue;
        ldp_multivariate_hypergeometric(state->rng, left, ngroups, all->counts[v], state->split + at);
        for (size_t i = 0; i < ngroups; i++)
            left[i] -= state->split[at + i];
        at += ngroups;
    }
    if (shuffle_labels(state, left, small_users) != LDP_OK)
        return LDP_ENOMEM;

    const uint16_t *label = state->label;
    const struct members members = {state->first, state->last, state->string, state->count};

    for (size_t i = 0; i < ngroups; i++)
        members.string[members.first[i]] = NO_STRING;
    at = 0;
    for (size_t v = 0; v < all->d; v++) {
        if (all->counts[v] > large) {
            for (size_t i = 0; i < ngroups; i++)
                add_string(members, i, (uint32_t)v, state->split[at + i]);
            at += ngroups;
        } else {
            add_users(members, ngroups, label, (uint32_t)v, all->counts[v]);
            label += all->counts[v];
        }
    }
    return LDP_OK;
}

/* malicious.c - malicious users in the rounds of a search, see round.h. */
#include "attacks/attack.h"
#include "searches/round.h"

bool search_is_attacked(const struct ldp_search_state *state)
{
    return state->input.attackers && state->input.attackers->fraction > 0;
}

enum ldp_status search_plant(struct ldp_search_state *state, const struct search_round *round, size_t d)
{
    const struct ldp_attackers *const attackers = state->input.attackers;
    const struct ldp_strings *const strings = state->input.strings;
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad);

    state->ninjected = 0;
    if (!search_is_attacked(state))
        return LDP_OK;
    if (SEARCH_ROOM(state, injected, attackers->ninjected + 1) != LDP_OK)
        return search_no_memory(state, d);
    for (size_t k = 0; k < attackers->ninjected; k++) {
        const ldp_uint128 prefix = strings->key[attackers->injected[k]] / state->power[strings->length - round->to],
                          parent = prefix / state->power[more];
        const size_t index = search_index(strings, round->pad, more, prefix % state->power[more]);
        size_t p = 0, j = 0;

        while (p < round->nparents && round->from > 0 && round->parent[p] != parent)
            p++;
        if (p == round->nparents || index == SIZE_MAX)
            continue;
        while (j < state->ninjected && state->injected[j] != p * ways + index)
            j++;
        state->injected[j] = (uint32_t)(p * ways + index);
        state->ninjected += j == state->ninjected;
    }
    if (state->ninjected == 0)
        state->injected[state->ninjected++] = (uint32_t)(d - 1);
    return LDP_OK;
}

enum ldp_status search_add_malicious(struct ldp_search_state *state, const struct ldp_protocol *protocol, uint64_t n,
                                     uint64_t *all)
{
    const struct ldp_attackers *const attackers = state->input.attackers;

    *all = n;
    if (!search_is_attacked(state))
        return LDP_OK;
    if (SEARCH_ROOM(state, more, protocol->support_size) != LDP_OK)
        return search_no_memory(state, state->asked);
    *all += ldp_attackers_add(attackers, protocol, state->injected, state->ninjected, n, state->input.mode,
                              state->scratch, state->more, state->support);
    return LDP_OK;
}

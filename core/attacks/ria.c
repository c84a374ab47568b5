/* ria.c - the random item attack: malicious users have a target and follow the protocol.
 *
 * It is a change of the population, E est = (1 - beta) f + beta / r on targets, with a gain of beta (1 - f_T) under
 * every oracle; no test of reports can see it.
 *
 * Source: Cao, Jia and Gong, USENIX Security 2021, sec. 4.1. */
#include "attacks/attack.h"

const struct ldp_attack ldp_attack_ria = {
    .name = "ria",
    .title = "Random item attack",
    .source = "Cao, Jia, Gong, USENIX Security 2021, sec. 4.1",
};

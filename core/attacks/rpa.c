/* rpa.c - the random perturbed-value attack: a report is uniform among all valid ones, whatever the targets.
 *
 * sum_T a_v: r/d for oracles whose reports all support as many values (grr, ss), 0 for local hashing, and r/2 (sue), r
 * (oue) for unary encodings, whose uniform report has half of the bits: sum est grows by beta d, which is seen at once.
 *
 * Source: Cao, Jia and Gong, USENIX Security 2021, sec. 4.1. */
#include "attacks/attack.h"

static struct ldp_craft craft(const double *param, const uint32_t *target, size_t r)
{
    return (struct ldp_craft){.r = 0};
}

const struct ldp_attack ldp_attack_rpa = {
    .name = "rpa",
    .title = "Random perturbed-value attack",
    .source = "Cao, Jia, Gong, USENIX Security 2021, sec. 4.1",
    .craft = craft,
};

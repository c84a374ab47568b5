/* rpa.c - the random perturbed-value attack: a report is uniform among all valid ones, whatever the targets.
 *
 * sum_T a_v: r/d for oracles whose reports all support as many values (grr, ss), 0 for local hashing, and r/2 (sue), r
 * (oue) for unary encodings, whose uniform report has half of the bits: sum est grows by beta d, which is seen at once.
 *
 * Source: Cao, Jia and Gong, USENIX Security 2021, sec. 4.1. */
#include "attack.h"
#include "craft.h"

#include <stddef.h>

static void reports(const double *param, const struct ldp_protocol *protocol, const uint32_t *target, size_t r,
                    size_t m, struct ldp_rng *rng, uint64_t *out)
{
    const struct ldp_craft craft = {.r = 0};
    (void)param, (void)target, (void)r;
    ldp_craft(protocol, &craft, m, rng, out);
}

const struct ldp_attack ldp_attack_rpa = {
    .name = "rpa",
    .title = "Random perturbed-value attack",
    .source = "Cao, Jia, Gong, USENIX Security 2021, sec. 4.1",
    .reports = reports,
};

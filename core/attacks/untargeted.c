/* untargeted.c - all malicious users send one and the same report, uniform among all valid ones: errors grow, wherever.
 *
 * Added squared error beta^2 (1/d) sum_v (a_v - f_v)^2, with a_v = (1-q)/(p-q) for the values of that report and
 * -q/(p-q) for others: grr about beta^2 A^2 / d; local hashing with its one shared seed beta^2 s1; unary encodings,
 * half of whose bits are 1, beta^2 ((1-q)^2 + q^2) / (2 (p-q)^2). The targets, if any are given, are only measured.
 *
 * Source: after Cheu, Smith, Ullman, IEEE S&P 2021, who bound the error; the report is fixed by the public seed of the
 * collection. */
#include "attacks/attack.h"
#include "protocol/craft.h"
#include "random/rng.h"

#include <string.h>

static void reports(const double *param, const struct ldp_protocol *protocol, const uint32_t *target, size_t r,
                    size_t m, struct ldp_rng *rng, uint64_t *out)
{
    const struct ldp_craft any = {.r = 0};
    const size_t words = protocol->report_words;
    struct ldp_rng shared;
    ldp_rng_stream(&shared, protocol->public_seed, "untargeted", 0);
    ldp_craft(protocol, &any, 1, &shared, out);
    for (size_t i = 1; i < m; i++)
        memcpy(out + i * words, out, words * sizeof *out);
}

const struct ldp_attack ldp_attack_untargeted = {
    .name = "untargeted",
    .title = "One report, which all malicious users send",
    .source = "after Cheu, Smith, Ullman, IEEE S&P 2021",
    .reports = reports,
};

/* external.c - a generator whose words come from a function of the caller, in blocks. */
#include "random/rng.h"

void ldp_rng_external(struct ldp_rng *rng, struct ldp_external *external)
{
    external->failed = false;
    external->left = 0;
    ldp_rng_stream(&external->spare, 0, "spare", 0);
    *rng = (struct ldp_rng){.state_lo = (uint64_t)(uintptr_t)external};
}

uint64_t ldp_external_next(uint64_t address)
{
    struct ldp_external *const external = (struct ldp_external *)(uintptr_t)address;
    const size_t all = sizeof external->word / sizeof *external->word;
    if (external->left == 0 && !external->failed) {
        external->failed = external->fill(external->state, external->word, sizeof external->word) != 0;
        external->left = all;
    }
    return external->failed ? rng_next(&external->spare) : external->word[all - external->left--];
}

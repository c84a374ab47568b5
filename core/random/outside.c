/* outside.c - a generator whose words come from a function of the caller, in blocks. */
#include "random/rng.h"

void ldp_rng_outside(struct ldp_rng *rng, struct ldp_outside *outside)
{
    outside->failed = false;
    outside->left = 0;
    ldp_rng_stream(&outside->spare, 0, "spare", 0);
    *rng = (struct ldp_rng){.state_lo = (uint64_t)(uintptr_t)outside};
}

uint64_t ldp_outside_next(uint64_t address)
{
    struct ldp_outside *const outside = (struct ldp_outside *)(uintptr_t)address;
    const size_t all = sizeof outside->word / sizeof *outside->word;
    if (outside->left == 0 && !outside->failed) {
        outside->failed = outside->fill(outside->state, outside->word, sizeof outside->word) != 0;
        outside->left = all;
    }
    return outside->failed ? rng_next(&outside->spare) : outside->word[all - outside->left--];
}

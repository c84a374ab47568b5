/* chains.h - chains for tests: configured, or the test fails. */
#ifndef LDPBENCH_TESTS_CHAINS_H
#define LDPBENCH_TESTS_CHAINS_H

#include "privacy/chain.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static inline struct ldp_rounds rounds_with(struct ldp_chain_spec spec, size_t d, size_t rounds, double epsilon,
                                            double first)
{
    struct ldp_rounds out;
    struct ldp_reason reason = {""};
    cr_assert_eq(ldp_rounds_init(&out, &spec, d, 100000, rounds, epsilon, first, &reason), LDP_OK, "%s: %s",
                 spec.chain->name, reason.text);
    return out;
}

static inline struct ldp_chain_spec default_spec(const struct ldp_chain *chain)
{
    struct ldp_chain_spec spec = {.chain = chain};
    ldp_params_default(chain->params, spec.param);
    return spec;
}

static inline struct ldp_rounds rounds_of(const struct ldp_chain *chain, size_t d, size_t rounds, double epsilon,
                                          double first)
{
    return rounds_with(default_spec(chain), d, rounds, epsilon, first);
}

/* With one parameter, and with the published second round if there is one. */
static inline struct ldp_rounds named(const char *name, double param, bool published, size_t d, size_t rounds,
                                      double epsilon, double first)
{
    struct ldp_chain_spec spec = default_spec(ldp_chain_find(name));
    size_t last = 0;
    while (spec.chain->params && spec.chain->params[last].name)
        last++;
    if (!isnan(param))
        spec.param[strcmp(name, "dbitflip") == 0 ? 1 : 0] = param;
    if (last > 0)
        spec.param[last - 1] = published;
    return rounds_with(spec, d, rounds, epsilon, first);
}

#endif

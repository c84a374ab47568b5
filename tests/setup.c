/* setup.c - see setup.h. */
#include "setup.h"

#include <criterion/criterion.h>

struct ldp_rng make_stream(uint64_t seed, const char *name, uint64_t number)
{
    struct ldp_rng rng;

    ldp_rng_stream(&rng, seed, name, number);
    return rng;
}

struct ldp_oracle_spec default_oracle(const char *name)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};

    cr_assert_not_null(spec.oracle, "%s", name);
    ldp_params_default(spec.oracle->params, spec.param);
    return spec;
}

struct ldp_population *make_population(const uint64_t *counts, size_t d)
{
    struct ldp_population *population;

    cr_assert_eq(ldp_population_new(counts, d, &population), LDP_OK, "d = %zu", d);
    return population;
}

struct ldp_protocol make_protocol(const struct ldp_oracle_spec *spec, size_t d, double epsilon)
{
    struct ldp_protocol protocol;
    struct ldp_reason reason = {""};

    cr_assert_eq(ldp_protocol_init(&protocol, spec, d, epsilon, &reason), LDP_OK, "%s, d = %zu, epsilon = %g: %s",
                 spec->oracle->name, d, epsilon, reason.text);
    return protocol;
}

struct ldp_protocol default_protocol(const char *oracle, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = default_oracle(oracle);

    return make_protocol(&spec, d, epsilon);
}

struct ldp_simulation make_simulation(const struct ldp_protocol *protocol, const struct ldp_population *population,
                                      enum ldp_mode mode)
{
    struct ldp_simulation simulation;

    cr_assert_eq(ldp_simulation_init(&simulation, protocol, population, mode), LDP_OK, "%s", protocol->oracle->name);
    return simulation;
}

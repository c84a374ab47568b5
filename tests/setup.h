/* setup.h - a stream, an oracle, a population, a protocol or a simulation to begin a test with; each is demanded to
 * be made. */
#ifndef LDPBENCH_TESTS_SETUP_H
#define LDPBENCH_TESTS_SETUP_H

#include "ldp.h"

struct ldp_rng make_stream(uint64_t seed, const char *name, uint64_t number);

/* The oracle of that name with the defaults of its parameters. */
struct ldp_oracle_spec default_oracle(const char *name);

struct ldp_population *make_population(const uint64_t *counts, size_t d);
struct ldp_protocol make_protocol(const struct ldp_oracle_spec *spec, size_t d, double epsilon);
struct ldp_protocol default_protocol(const char *oracle, size_t d, double epsilon);
struct ldp_simulation make_simulation(const struct ldp_protocol *protocol, const struct ldp_population *population,
                                      enum ldp_mode mode);

#endif

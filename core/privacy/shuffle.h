/* shuffle.h - what a shuffler adds: the central (epsilon, delta) of n reports whose order and senders are hidden.
 *
 * delta is the largest probability by which two collections that differ in one user's value can be told apart beyond
 * the factor e^epsilon, over all values of that user and of the others. shuffle.c has the bounds. */
#ifndef LDPBENCH_SHUFFLE_H
#define LDPBENCH_SHUFFLE_H

#include "protocol/protocol.h"

/* The probability of a report that does not depend on its user's value and supports one value of the pair alone:
 * alpha (e - 1) is their total variation, p - q. */
double ldp_overlap_alpha(const struct ldp_overlap *overlap);

/* Upper and lower value of delta at a central epsilon >= 0; n >= 2. */
struct ldp_bracket {
    double lower, upper;
};
struct ldp_bracket ldp_shuffle_delta(const struct ldp_overlap *overlap, uint64_t n, double epsilon);

/* Upper and lower value of the least central epsilon with that delta, 0 < delta < 1; n >= 2. */
struct ldp_bracket ldp_shuffle_epsilon(const struct ldp_overlap *overlap, uint64_t n, double delta);

/* A shuffled collection with a central budget. */
struct ldp_central {
    uint64_t n;
    double epsilon, delta;
};

/* LDP_EINVAL, with the reason, unless the oracle is private, n is 2 or more, 0 < delta < 1 and epsilon > 0. */
enum ldp_status ldp_central_check(const struct ldp_protocol *protocol, const struct ldp_central *central,
                                  struct ldp_reason *reason);

/* The largest epsilon of clients, six digits and at most `most`, whose upper value of delta at the central epsilon is
 * not above delta; parameters that follow from epsilon do. LDP_EINVAL, with the reason: no protocol of the spec keeps
 * the central budget, or its own arguments are refused. */
enum ldp_status ldp_shuffle_local(const struct ldp_oracle_spec *spec, size_t d, const struct ldp_central *central,
                                  double most, double *local, struct ldp_reason *reason);

/* mu of the Gaussian mechanism with exactly this epsilon > 0 and delta: noise of standard deviation sensitivity / mu.
 */
double ldp_shuffle_gaussian(double epsilon, double delta);

/* The Gaussian mechanism that protects as the collection does, for large n: delta = P(Z > epsilon/mu - mu/2) -
 * e^epsilon P(Z > epsilon/mu + mu/2). */
double ldp_shuffle_mu(const struct ldp_overlap *overlap, uint64_t n);

#endif

/* attack_success.h - how often an attacker who sees one report guesses its user's value.
 *
 * The attacker knows the protocol, its public randomness and the frequencies of the values, the prior. Their best guess
 * is right with the probability sum over reports y of max over values x of prior[x] P(y | x), the mean over public
 * randomness; without a report it is the largest prior. Arcolezi and Gambs, arXiv 2503.01482, sec. 4, simulate it under
 * the uniform prior alone. */
#ifndef LDPBENCH_ATTACK_SUCCESS_H
#define LDPBENCH_ATTACK_SUCCESS_H

#include "ldp.h"

struct ldp_attack_success {
    double success;   /* of the best guess; NAN: not known */
    double guess;     /* without a report */
    double advantage; /* (success - guess) / (1 - guess); 0 where guess is 1 */
    double error;     /* standard error of success; 0: exact */
};

/* Exact where the oracle knows which values its reports support (unsupported), or has few reports; else the mean over
 * as many simulated reports, by streams of the seed; NAN if these are fewer than 16. prior[d] >= 0, of sum 1 but for
 * 1e-6. LDP_EINVAL with the reason, or LDP_ENOMEM. */
enum ldp_status ldp_attack_success(const struct ldp_protocol *protocol, const double *prior, uint64_t reports,
                                   uint64_t seed, struct ldp_attack_success *out, struct ldp_reason *reason);

/* Of users with these counts[d]; NULL: as many of each value. Where it is not exact, by reports that take about a tenth
 * of a second; success is NAN where these would be fewer than 16, all is NAN above 2^22 values. */
enum ldp_status ldp_attack_success_of_counts(const struct ldp_protocol *protocol, const uint64_t *counts,
                                             struct ldp_attack_success *out);

/* ---- For whatever else is told ---- */

/* Somebody sees what a user tells. */
struct ldp_told {
    size_t d; /* values */
    /* Draws what a user of a value tells, and writes its likelihood from every value of some prior, up to a factor. */
    void (*draw)(void *state, uint32_t value, uint64_t public_seed, struct ldp_rng *rng, double *likelihood);
    void *state;
};

/* A value by its probability; list: in this order, NULL: in theirs. */
uint32_t ldp_told_value(const double *prior, const uint32_t *list, size_t d, struct ldp_rng *rng);

/* As ldp_attack_success, of simulated users. */
enum ldp_status ldp_attack_success_told(const struct ldp_told *told, const double *prior, uint64_t users, uint64_t seed,
                                        struct ldp_attack_success *out, struct ldp_reason *reason);

/* Everything but the error from success, or what chance made of it, and the guess. */
void ldp_attack_success_set(struct ldp_attack_success *out, double success, double guess);

/* ---- For the entry `unsupported` of an oracle ---- */

/* Adds weight times the probability that none of the first r = 0 .. d values is among `size` of `all`, chosen without
 * replacement. */
void ldp_unsupported_subsets(double size, double all, double weight, size_t d, double *none);

/* The same where each value is supported with probability q by itself. */
void ldp_unsupported_independent(double q, double weight, size_t d, double *none);

/* The entry itself, where a report of U supports each value with the protocol's q, whatever else it supports. */
enum ldp_status ldp_unsupported_by_q(const struct ldp_protocol *protocol, const uint32_t *list, double *none);

#endif

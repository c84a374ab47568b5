/* coin.h - the coins of clients, on which privacy rests. Internal to the core.
 *
 * A coin is an integer threshold below 2^128, not a double: the probabilities of a report, and so the largest ratio of
 * them between two values, are fractions of integers, and are held against e^epsilon in exact arithmetic by a test.
 * The threshold is the probability that epsilon asks for, rounded towards privacy. */
#ifndef LDPBENCH_COIN_H
#define LDPBENCH_COIN_H

#include "rng.h"

/* Heads where a uniform 128-bit number is below hi 2^64 + lo. */
struct ldp_coin {
    uint64_t hi, lo;
};

/* The second word is drawn once in 2^64 tosses. */
static inline bool ldp_coin_heads(struct ldp_coin coin, struct ldp_rng *rng)
{
    const uint64_t word = rng_next(rng);
    return word < coin.hi || (word == coin.hi && rng_next(rng) < coin.lo);
}

/* The coin with the sides turned. */
static inline struct ldp_coin ldp_coin_turned(struct ldp_coin coin)
{
    const ldp_uint128 tails = -((ldp_uint128)coin.hi << 64 | coin.lo);
    return (struct ldp_coin){(uint64_t)(tails >> 64), (uint64_t)tails};
}

/* The budget that coins can spend. Above it lies are rarer than one in 2^72: no collection shows them, and a threshold
 * of 128 bits would lose digits. Clients then spend this, less than they might. */
static inline double ldp_coin_epsilon(double epsilon)
{
    return epsilon < 50 ? epsilon : 50;
}

/* Heads with probability P = (a - b r) / (c + d r), r = exp(-epsilon), rounded down: by less than 2^-128 +
 * 2^-88 (1 + 1/epsilon) min(P, 1 - P).
 * 0 < epsilon <= 50; a, b, c, d whole and >= 0, 0 <= b <= a <= c < 2^53, d < 2^53. */
struct ldp_coin ldp_coin_rounded_down(double epsilon, double a, double b, double c, double d);

/* Heads with probability P as a double has it, 0 <= P < 1. */
struct ldp_coin ldp_coin_of(double P);

#endif

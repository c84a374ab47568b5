/* coin.h - the coins of clients, on which privacy depends. Internal to the core.
 *
 * A coin is an integer threshold below 2^128, not a double: the probabilities of a report, and so the largest ratio
 * between those under two values, are fractions of integers, and a test compares them with e^epsilon in exact
 * arithmetic. The threshold is the probability that epsilon requires, rounded towards more privacy. */
#ifndef LDPBENCH_COIN_H
#define LDPBENCH_COIN_H

#include "numerics/numeric.h"
#include "random/rng.h"

/* Heads if a uniform 128-bit number is below hi 2^64 + lo. */
struct ldp_coin {
    uint64_t hi, lo;
};

/* The second word is drawn once in 2^64 tosses. */
static inline bool ldp_coin_heads(struct ldp_coin coin, struct ldp_rng *rng)
{
    const uint64_t word = rng_next(rng);
    if (__builtin_expect(word == coin.hi, 0)) /* apart, so that the rest needs no branch */
        return rng_next(rng) < coin.lo;
    return word < coin.hi;
}

static inline bool ldp_coin_heads_ahead(struct ldp_coin coin, struct ldp_rng_ahead *ahead)
{
    const uint64_t word = rng_take(ahead);
    if (__builtin_expect(word == coin.hi, 0))
        return rng_take(ahead) < coin.lo;
    return word < coin.hi;
}

/* The coin with heads and tails exchanged. */
static inline struct ldp_coin ldp_coin_turned(struct ldp_coin coin)
{
    const ldp_uint128 tails = -((ldp_uint128)coin.hi << 64 | coin.lo);
    return (struct ldp_coin){(uint64_t)(tails >> 64), (uint64_t)tails};
}

/* The largest budget of coins. Above it a false answer is rarer than one in 2^72: no collection would show one, and a
 * threshold of 128 bits would lose digits. Clients then spend this budget, which is less than allowed. */
static inline double ldp_coin_epsilon(double epsilon)
{
    return epsilon < 50 ? epsilon : 50;
}

/* 1 - exp(-epsilon). */
static inline double ldp_coin_gap(double epsilon)
{
    return ldp_difference(1 - ldp_exp(-epsilon), -ldp_expm1(-epsilon));
}

/* Heads with probability P = (a - b r) / (c + d r), r = exp(-epsilon), rounded down: by less than 2^-128 +
 * 2^-88 (1 + 1/epsilon) min(P, 1 - P).
 * 0 < epsilon <= 50; a, b, c, d whole and >= 0, 0 <= b <= a <= c < 2^53, d < 2^53. */
struct ldp_coin ldp_coin_rounded_down(double epsilon, double a, double b, double c, double d);

/* The coins of bits that say whether a one-hot entry with Laplace noise of scale 2/epsilon is above theta:
 *
 *     own 1 - exp(-epsilon (1 - theta)/2) / 2, rounded down,    other exp(-epsilon theta/2) / 2, rounded up,
 *
 * by less than 2^-128 + 2^-89 of 1 - own and of other. 0 < epsilon <= 100, 1/2 <= theta <= 1; NAN: the theta of least
 * variance (the.c). */
struct ldp_thresholds {
    struct ldp_coin own, other;
};
struct ldp_thresholds ldp_coin_thresholds(double epsilon, double theta);

/* Heads with exactly the probability P of the double, 0 <= P < 1. */
struct ldp_coin ldp_coin_of(double P);

#endif

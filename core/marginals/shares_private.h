/* shares_private.h - what shares.c and pricing.c have in common. */
#ifndef LDPBENCH_SHARES_PRIVATE_H
#define LDPBENCH_SHARES_PRIVATE_H

#include "marginals/shares.h"

enum { GROWN_MAX = 6 /* digits of a question that pricing makes */ };

enum form { TABLE, PARITY };

/* The noise of a coefficient of a table of so many cells, answered by one user; INFINITY: it cannot be asked. */
double ldp_shares_noise(struct shares *shares, double cells);

/* The precision of a block that all users together would give by a question of such noise: n / tau. */
static inline double ldp_shares_gives(const struct shares *shares, double noise, size_t block)
{
    return shares->n / (noise + shares->spread[block]);
}

/* The binary attributes, of which parities may be asked. */
uint64_t ldp_shares_binary(const struct shares *shares, uint64_t mask);

/* The question of a block with most digits, or fewest: its binary attributes as one. Size 0: that is its table too. */
struct digits ldp_shares_digits(const struct shares *shares, size_t block, enum form form);

/* Adds a question, unless it cannot be asked. */
enum ldp_status ldp_shares_add(struct shares *shares, const struct digits *digits);

/* Finds all prices; their mean, and the largest. */
double ldp_shares_find_prices(struct shares *shares, double *most);

void ldp_shares_scale(struct shares *shares); /* to the sum 1 */

/* Adds questions that would lower the error, grown from the steepest blocks, with a small share each. */
enum ldp_status ldp_shares_extend(struct shares *shares);

#endif

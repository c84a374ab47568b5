/* regret.c - see regret.h.
 *
 * With the importance c_s of interactions, |s| > 1, multiplied by a weight m from 0 to 1, the shares of the first wave
 * go from those of single attributes alone to the best for everything. What they add to the error of single attributes
 * grows with m, so the largest m that adds at most the wanted part is found by halving its logarithm. The error is F
 * of shares.c without interactions, minimised over the shares of all users (the floor) and of those of the second wave,
 * beside the precision that the first one gave.
 *
 * Source: this project. Cost: two problems of shares where m = 1 will do, else 2 STEPS more. */
#include "marginals/regret.h"

#include "numeric.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 7 };
#define LEAST -14.0 /* logarithm of the weights among which is searched */

static void weigh_interactions(struct shares *shares, const double *importance, double weight)
{
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        const bool is_single = !(shares->closure.mask[b] & (shares->closure.mask[b] - 1));
        shares->importance[b] = is_single ? importance[b] : weight * importance[b];
    }
}

static enum ldp_status solve_singles(struct shares *shares, const double *importance, double n, size_t most,
                                     double *error)
{
    weigh_interactions(shares, importance, 0);
    const enum ldp_status status = ldp_shares_solve(shares, n, most);
    *error = ldp_shares_error(shares);
    return status;
}

/* What a weight adds. */
static enum ldp_status try_weight(struct shares *shares, const double *importance, double weight, double first,
                                  double rest, size_t most, struct regret *regret)
{
    const size_t bytes = shares->closure.nblocks * sizeof *shares->known;
    double error = 0;

    weigh_interactions(shares, importance, weight);
    enum ldp_status status = ldp_shares_solve(shares, first, most);
    if (status == LDP_OK) {
        memcpy(shares->known, shares->precision, bytes);
        status = solve_singles(shares, importance, rest, most, &error);
        memset(shares->known, 0, bytes);
    }
    regret->part = regret->floor > 0 ? error / regret->floor - 1 : 0;
    return status;
}

enum ldp_status ldp_regret_solve(struct shares *shares, double first, double rest, double most_part, size_t most,
                                 struct regret *regret)
{
    const size_t bytes = shares->closure.nblocks * sizeof *shares->importance;
    double *const importance = malloc(bytes), low = LEAST, high = 0, part = 0;

    if (!importance)
        return LDP_ENOMEM;
    memcpy(importance, shares->importance, bytes);
    enum ldp_status status = solve_singles(shares, importance, first + rest, most, &regret->floor);
    if (status == LDP_OK)
        status = try_weight(shares, importance, 1, first, rest, most, regret);
    if (regret->part <= most_part) {
        low = 0;
        part = regret->part;
    }
    for (int step = 0; status == LDP_OK && low < 0 && step < STEPS; step++) {
        const double middle = (low + high) / 2;
        status = try_weight(shares, importance, ldp_exp(middle), first, rest, most, regret);
        if (regret->part <= most_part) {
            low = middle;
            part = regret->part;
        } else {
            high = middle;
        }
    }
    regret->part = part;
    weigh_interactions(shares, importance, low > LEAST ? ldp_exp(low) : 0);
    if (status == LDP_OK)
        status = ldp_shares_solve(shares, first, most);
    free(importance);
    return status;
}

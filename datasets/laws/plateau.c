/* plateau.c - a few values that are equally frequent, Zipf's law on the others, none beyond the first `held` ranks:
 *
 *   p(r) = share / head                        r = 1..head
 *   p(r) proportional to (r - head)^-s         r = head+1..held, 1 - share in all
 *   p(r) = 0                                   r > held
 *
 * Two values (head 2, share 1), a flat domain (s 0), a sparse one (held far below d) and mixtures are cases of it.
 * Without ranks for the others the head has everybody.
 *
 * Source: none; populations of the suites of `ldpbench score` that are not of the laws that methods assume. */
#include "dataset.h"
#include "numerics/numeric.h"

static const struct ldp_param params[] = {
    {"head", LDP_INTEGER, 10, 1, 0x1p32, NULL, "values that are equally frequent"},
    {"share", LDP_REAL, 0.5, 0, 1, NULL, "share of the users who have them"},
    {"s", LDP_REAL, 1, 0, 1e3, NULL, "exponent of the others"},
    {"held", LDP_INTEGER, 0, 0, 0x1p32, NULL, "number of values with users; 0: all"},
    {.name = NULL},
};

enum { HEAD, SHARE, S, HELD };

static void weights(const double *param, size_t d, double *weight)
{
    const size_t held = param[HELD] > 0 && param[HELD] < (double)d ? (size_t)param[HELD] : d;
    const size_t head = param[HEAD] < (double)held ? (size_t)param[HEAD] : held;
    const double share = head < held ? param[SHARE] : 1;
    double sum = 0;

    for (size_t v = 0; v < head; v++)
        weight[v] = share / (double)head;
    for (size_t v = head; v < held; v++)
        sum += weight[v] = ldp_pow((double)(v - head + 1), -param[S]);
    for (size_t v = head; v < held; v++)
        weight[v] *= (1 - share) / sum;
    for (size_t v = held; v < d; v++)
        weight[v] = 0;
}

const struct dataset_type dataset_type_plateau = {
    .name = "plateau",
    .title = "A plateau, then Zipf's law, then zero",
    .source = "example of a distribution that no method assumes",
    .params = params,
    .weights = weights,
};

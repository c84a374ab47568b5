/* kinds.c - see kinds.h.
 *
 * Which values are the most frequent is known worse than how frequent values are: populations drawn from a smooth law
 * spread equal values out, and the largest draws are then among those that are asked for, which makes methods look bad
 * that find values equal. So for queries about ranks a prediction is the geometric mean of those by the three kinds of
 * populations. */
#include "stats/kinds.h"

#include "numeric.h"

static const double weights[KINDS] = {[KIND_SMOOTH] = 1.0 / 2, [KIND_SHARP] = 1.0 / 6, [KIND_POINT] = 1.0 / 3};

struct surrogate kind_surrogate(int kind)
{
    struct surrogate surrogate = kind == KIND_POINT ? surrogate_sharpest() : surrogate_at(0);

    surrogate.is_sharp = kind == KIND_SHARP;
    return surrogate;
}

bool kinds_count_for(const struct ldp_query *query)
{
    return query->point.name && query->point.kind == LDP_INTEGER;
}

/* If a kind predicts no error at all, the geometric mean would be 0 whatever the others predict, and the arithmetic
 * mean takes its place. */
void kinds_scale(const double mean[KINDS], double scale[KINDS])
{
    double logarithm = 0;
    bool is_positive = true;

    for (int k = 0; k < KINDS; k++)
        is_positive = is_positive && mean[k] > 0;
    for (int k = 0; is_positive && k < KINDS; k++)
        logarithm += weights[k] * ldp_log(mean[k]);
    const double geometric = ldp_exp(logarithm);
    for (int k = 0; k < KINDS; k++)
        scale[k] = is_positive ? weights[k] * geometric / mean[k] : weights[k];
}

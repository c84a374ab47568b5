/* set_interval.c - an interval of the total frequency of a set of values that was fixed before looking at the data.
 *
 * The sum of the unprocessed estimates of a set S of s values, f_S in all, has
 *
 *     n Var = s s1 + s (s-1) c0 + (tf + 2 (s-1) (c1 - c0)) f_S
 *
 * where c1 and c0 are the covariances of two count estimates per user who holds one of the two values, and per user who
 * holds neither: 0 for independent supports, hm and rhr, known for grr and ss, and as means over placements for pgr and
 * pi_rappor. For hr they differ from pair to pair, and their sum is estimated from the same collection. If users share
 * hash functions (flh), with D the coefficient of sum f^2 in the variance of one value and h = sum_S f^2, which is
 * estimated from the same collection, pairs in S add D (f_S^2 - h), and
 *
 *     n Var = s s1 - 2 D h + tf f_S + D f_S^2.
 *
 * The interval is the score interval of this law, as for one value. Cost: O(s). */
#include "interval.h"

bool ldp_set_variance_known(const struct ldp_protocol *protocol)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    return protocol->flags & LDP_ORACLE_INDEPENDENT || oracle->covariance || oracle->pairs ||
           (oracle->variance && !(protocol->flags & LDP_ORACLE_SKETCH)); /* shared hash functions */
}

enum ldp_status ldp_set_interval_suits(const struct ldp_protocol *protocol, struct ldp_reason *reason)
{
    const enum ldp_status status = ldp_interval_suits(ldp_interval_find("score"), protocol, reason);
    if (status != LDP_OK)
        return status;
    if (!ldp_set_variance_known(protocol))
        return ldp_refuse(reason, "the covariance of two estimates of %s depends on which values they are",
                          protocol->oracle->name);
    return LDP_OK;
}

void ldp_set_interval(const struct ldp_interval_input *input, const struct ldp_spread_law *law, const uint32_t *member,
                      size_t size, int64_t *work, double *low, double *high)
{
    const struct ldp_protocol *const protocol = input->protocol;
    const double s = (double)size, n = (double)input->n, z = ldp_interval_z(1 - input->level);
    double sum = 0, squares = 0, one = 0, neither = 0;
    for (size_t i = 0; i < size; i++) {
        const double x = input->est[member[i]];
        sum += x;
        squares += x * x;
    }
    if (protocol->oracle->covariance)
        protocol->oracle->covariance(protocol, &one, &neither);
    struct ldp_interval_input of_set = *input;
    of_set.spread = (struct ldp_spread){
        .s1 = s * (input->spread.s1 + (s - 1) * neither),
        .tf = input->spread.tf + 2 * (s - 1) * (one - neither),
    };
    if (protocol->oracle->pairs)
        of_set.spread.s1 += protocol->oracle->pairs(protocol, member, size, input->est, work);
    if (law->D > 0) {
        const double h = (squares - (s * input->spread.s1 + law->B * sum) / n) / (1 + law->C / n);
        of_set.spread.s1 -= 2 * law->D * (h > 0 ? h : 0);
        of_set.spread.square = law->D;
    }
    if (z * z / n * of_set.spread.square < 1) {
        ldp_score_interval(&of_set, z, sum, low, high);
    } else { /* no f is unlikely */
        *low = 0;
        *high = 1;
    }
}

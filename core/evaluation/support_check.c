/* support_check.c - finds support counts that no collection can have, and those that none is likely to have.
 *
 * A support of a pure protocol is a sum over reports, each of which adds from 0 to 1: counts of reports, or what the
 * oracle declares (support_unit). If estimates sum to 1 in every collection, the support counts sum to n (p + (d-1) q):
 * n for grr, n k for ss.
 *
 * A value with zero frequency has a support of mean n q. The contribution of one report has at most the variance q
 * (1-q) (Bhatia and Davis, 2000), given any public randomness of blocks. If hash functions are shared, the oracle's own
 * variance is larger; it is computed for the histogram that the estimates suggest. With z the distance of a support
 * from n q in these standard deviations, a support is unlikely if the least of d normal variables is as low as z with a
 * probability below 1e-6, by P(z < -x) <= exp(-x^2 / 2) / 2. */
#include "numerics/numeric.h"
#include "ordinal/levels.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double UNLIKELY = 1e-6;

/* A number as shown in a refusal. */
static enum ldp_status refuse(struct ldp_support_finding *finding, size_t index, const char *expected, double got)
{
    finding->index = index;
    return ldp_refuse(&finding->reason, "expected %s, got %.16g", expected, got);
}

static bool whole_to(double x, double most)
{
    return x >= 0 && x <= most && x == rint(x);
}

static enum ldp_status check_values(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                    struct ldp_support_finding *finding)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    const double unit = oracle->support_unit ? oracle->support_unit(protocol) : 1;
    const size_t seed = protocol->support_size - (ldp_has_seed(protocol) ? LDP_SEED_NUMBERS : 0);
    char expected[96];
    for (size_t v = 0; v < protocol->support_size; v++) {
        const double c = support[v], units = c / unit, nearest = rint(units);
        if (!isfinite(c))
            return refuse(finding, v, "a finite number", c);
        if (v >= protocol->d && !oracle->estimate && c < 0)
            return refuse(finding, v, "a number >= 0", c);
        if (v >= seed && !whole_to(c, UINT32_MAX))
            return refuse(finding, v, "a half of a seed, a whole number below 2^32", c);
        if (oracle->flags & (LDP_ORACLE_SKETCH | LDP_ORACLE_REAL | LDP_ORACLE_LEVELS) || v >= protocol->d || unit == 0)
            continue;
        if (c < 0 || c > (double)n) {
            snprintf(expected, sizeof expected, "a support from 0 to n = %" PRIu64, n);
            return refuse(finding, v, expected, c);
        }
        if (unit == 1 && units != nearest)
            return refuse(finding, v, "a support that is a whole number of reports", c);
        if (fabs(units - nearest) > fmax(1e-3, units * 0x1p-50)) {
            snprintf(expected, sizeof expected, "a support that is a multiple of %.6g", unit);
            return refuse(finding, v, expected, c);
        }
    }
    return LDP_OK;
}

/* The users of rows or levels, whose numbers are support[from .. from + count - 1]. */
static enum ldp_status check_users(uint64_t n, const double *support, size_t from, size_t count, bool rows,
                                   struct ldp_support_finding *finding)
{
    double users = 0;
    for (size_t i = from; i < from + count; i++) {
        if (!whole_to(support[i], (double)n))
            return refuse(finding, i, rows ? "the users of a row, at most n" : "the users of a level, at most n",
                          support[i]);
        users += support[i];
    }
    return users == (double)n
               ? LDP_OK
               : ldp_refuse(&finding->reason, "expected users of %s that sum to n = %" PRIu64 ", got %.17g",
                            rows ? "rows" : "levels", n, users);
}

/* The words outside the row oracle: the seed, and users of rows. */
static enum ldp_status check_rows(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                  struct ldp_support_finding *finding)
{
    for (size_t i = 0; i < 2; i++)
        if (!whole_to(support[i], UINT32_MAX))
            return refuse(finding, i, "a half of a seed, a whole number below 2^32", support[i]);
    return check_users(n, support, 2, protocol->oracle->rows(protocol), true, finding);
}

/* Whole numbers, as in all oracles whose estimates sum to 1. */
static enum ldp_status check_sum(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                 struct ldp_support_finding *finding)
{
    if (!(protocol->oracle->flags & LDP_ORACLE_SUMS_TO_ONE) || protocol->oracle->support_unit)
        return LDP_OK;
    const uint64_t each = (uint64_t)(protocol->p + (double)(protocol->d - 1) * protocol->q + 0.5);
    ldp_uint128 sum = 0;
    for (size_t v = 0; v < protocol->d; v++)
        sum += (uint64_t)support[v];
    if (sum == (ldp_uint128)n * each)
        return LDP_OK;
    return ldp_refuse(&finding->reason, "expected counts that sum to %.17g, %" PRIu64 " for each report, got %.17g",
                      (double)n * (double)each, each, (double)sum);
}

/* The lowest support, in standard deviations. */
static enum ldp_status find_lowest(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                   struct ldp_support_finding *finding)
{
    const size_t d = protocol->d;
    assert(d >= 2);
    const double users = (double)n, q = protocol->q, gap = protocol->gap;
    const double most = users * q * (1 - q) / (gap * gap);
    double *const est = malloc(d * sizeof *est), *const variance = malloc(d * sizeof *variance);
    uint64_t *const counts = malloc(d * sizeof *counts);
    enum ldp_status status = LDP_ENOMEM;
    if (!est || !variance || !counts)
        goto out;
    ldp_estimate(protocol, n, support, NULL, est);
    for (size_t v = 0; v < d; v++)
        counts[v] = (uint64_t)(fmin(fmax(est[v], 0), 1) * users); /* a sum above n makes no variance smaller */
    if (ldp_variance(protocol, &(struct ldp_histogram){d, n, counts}, variance) != LDP_OK)
        goto out;
    for (size_t v = 0; v < d; v++) {
        const double sd = sqrt(fmax(variance[v], most)), z = sd > 0 ? users * est[v] / sd : 0;
        if (z < finding->z) {
            finding->z = z;
            finding->index = v;
        }
    }
    finding->unlikely = finding->z < 0 && (double)d * ldp_exp(-finding->z * finding->z / 2) / 2 < UNLIKELY;
    status = LDP_OK;
out:
    free(est);
    free(variance);
    free(counts);
    return status;
}

enum ldp_status ldp_support_possible(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                     struct ldp_support_finding *finding)
{
    *finding = (struct ldp_support_finding){.index = protocol->support_size};
    if (n == 0 || n > LDP_USERS_MAX)
        return ldp_refuse(&finding->reason, "expected n from 1 to 2^53, got %" PRIu64, n);
    const enum ldp_status status = check_values(protocol, n, support, finding);
    if (status != LDP_OK)
        return status;
    if (protocol->oracle->rows)
        return check_rows(protocol, n, support, finding);
    if (protocol->flags & LDP_ORACLE_LEVELS)
        return check_users(n, support, 0, ldp_levels_of(protocol).h, false, finding);
    return protocol->oracle->estimate ? LDP_OK : check_sum(protocol, n, support, finding);
}

enum ldp_status ldp_support_check(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                  struct ldp_support_finding *finding)
{
    const enum ldp_status status = ldp_support_possible(protocol, n, support, finding);
    const bool of_values =
        !protocol->oracle->rows && !(protocol->flags & LDP_ORACLE_LEVELS) && !protocol->oracle->estimate;
    return status == LDP_OK && of_values ? find_lowest(protocol, n, support, finding) : status;
}

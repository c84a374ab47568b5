/* set_interval.c - an interval of the total frequency of a set of values that was fixed before looking at the data: the
 * score interval of the total's variance, which the oracle states (set_variance), given the public randomness of the
 * collection. Cost: O(s), for hr and pgr the set's pairs. */
#include "laws/interval.h"
#include "protocol/protocol.h"

bool ldp_set_variance_known(const struct ldp_protocol *protocol)
{
    return protocol->flags & LDP_ORACLE_INDEPENDENT || protocol->oracle->set_variance;
}

static bool has_own(const struct ldp_collection *collection)
{
    const struct ldp_oracle *const oracle = collection->protocol->oracle;
    return oracle->set_interval && oracle->set_interval(collection, 0, NULL, 0, NULL, NULL, NULL);
}

bool ldp_set_interval_known(const struct ldp_collection *collection)
{
    return ldp_set_variance_known(collection->protocol) || has_own(collection);
}

struct ldp_variance_terms ldp_set_variance_terms(const struct ldp_protocol *protocol, uint64_t n,
                                                 const uint32_t *member, size_t size, const double *f, int64_t *work)
{
    struct ldp_protocol of_n = *protocol;
    of_n.law.n = n;
    return protocol->oracle->set_variance ? protocol->oracle->set_variance(&of_n, member, size, f, work)
                                          : ldp_covariances(protocol, member, size, 0, 0);
}

enum ldp_status ldp_set_interval_suits(const struct ldp_collection *collection, double level, struct ldp_reason *reason)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    if (has_own(collection))
        return LDP_OK;
    if (protocol->oracle->set_interval && protocol->flags & LDP_ORACLE_WINDOWS)
        return ldp_refuse(
            reason, "those of %s are found from support counts of single outputs, not of buckets, nor from estimates%s",
            protocol->oracle->name, collection->support ? "" : ": expected support");
    if (!ldp_set_variance_known(protocol))
        return ldp_refuse(reason, "the covariance of two estimates of %s depends on which values they are",
                          protocol->oracle->name);
    if (ldp_interval_by_sets(protocol)) /* its law is one of sets, that of a single value too */
        return LDP_OK;
    return ldp_interval_suits(ldp_interval_find("score"), protocol, level, reason);
}

size_t ldp_set_interval_bytes(size_t d)
{
    return (68 * d + (1 << 17)) * sizeof(int64_t);
}

void ldp_set_interval(const struct ldp_collection *collection, double level, const uint32_t *member, size_t size,
                      int64_t *work, double *low, double *high)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double n = (double)collection->n, z = ldp_interval_z(1 - level);
    double sum = 0;
    if (protocol->oracle->set_interval && size > 0 &&
        protocol->oracle->set_interval(collection, level, member, size, work, low, high))
        return;
    for (size_t i = 0; i < size; i++)
        sum += collection->est[member[i]];
    const struct ldp_variance_terms spread =
        ldp_set_variance_terms(protocol, collection->n, member, size, collection->est, work);
    if (z * z / n * spread.square < 1) {
        ldp_score_interval(&spread, n, z, sum, low, high);
    } else { /* no f is unlikely */
        *low = 0;
        *high = 1;
    }
}

/* threshold.c - see threshold.h.
 *
 * For l = 2, 3, .. the number of tables m is the largest for which the expected squared error of a table, noise and
 * sampling, stays below the threshold,
 *
 *     (m / n) (L s1 + tf) + m / n <= theta,
 *
 * L the largest product of l cardinalities. Of the l whose m tables can contain every attribute, the one that covers
 * the largest part of the wanted marginals on average is taken, sum min(1, m C(l, k) / C(d, k)); of several the
 * smallest. If there is none, tables of one attribute.
 *
 * Source: CALM, CCS 2018, reconstructed: the part of the paper that defines its rule was not available to us. Nothing
 * is known of it but that one target error is given. */
#include "marginals/threshold.h"

#include "marginals/design.h"

#include <math.h>
#include <stdlib.h>

enum { L_MOST = 8, TABLES_MOST = 600, CELLS_MOST = 1 << 14 };

static int descending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x < y) - (x > y);
}

/* The most tables of l attributes, each of `cells` cells, whose error stays below the threshold. */
static enum ldp_status most_tables(const struct ldp_workload *workload, double theta, double cells, size_t l,
                                   double *most, struct ldp_reason *reason)
{
    const struct ldp_records *const records = workload->records;
    struct ldp_protocol protocol;
    const enum ldp_status status =
        ldp_protocol_init(&protocol, workload->oracle, (size_t)cells, workload->epsilon, reason);

    if (status != LDP_OK)
        return status;
    const double all = ldp_design_choose(records->d, l),
                 m = floor(theta * (double)records->n / (cells * protocol.s1 + protocol.tf + 1));

    *most = m < all ? m : all;
    *most = *most < TABLES_MOST ? *most : TABLES_MOST;
    return LDP_OK;
}

static double covers(const struct ldp_workload *workload, double m, size_t l)
{
    double sum = 0;

    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t k = workload->sets[i].size;
        const double share = m * ldp_design_choose(l, k) / ldp_design_choose(workload->records->d, k);

        sum += share < 1 ? share : 1;
    }
    return sum;
}

enum ldp_status ldp_threshold_choose(const struct ldp_workload *workload, double theta, size_t *m, size_t *l,
                                     struct ldp_reason *reason)
{
    const struct ldp_records *const records = workload->records;
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];
    double best = -1;

    for (size_t i = 0; i < records->d; i++)
        cardinality[i] = records->cardinality[i];
    qsort(cardinality, records->d, sizeof *cardinality, descending);
    *m = records->d;
    *l = 1;
    double cells = cardinality[0];

    for (size_t size = 2; size <= L_MOST && size <= records->d; size++) {
        double most;

        cells *= cardinality[size - 1];
        if (cells > CELLS_MOST)
            break;
        const enum ldp_status status = most_tables(workload, theta, cells, size, &most, reason);

        if (status != LDP_OK)
            return status;
        const double share = covers(workload, most, size);

        if (most < ceil((double)records->d / (double)size) || share <= best)
            continue;
        best = share;
        *m = (size_t)most;
        *l = size;
    }
    return LDP_OK;
}

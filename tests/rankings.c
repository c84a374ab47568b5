/* rankings.c - see rankings.h. */
#include "rankings.h"

#include <criterion/criterion.h>
#include <omp.h>

struct rankings rankings_of_oracle(struct ranking_plan plan, const struct ldp_protocol *protocol, size_t points)
{
    struct rankings rankings;
    struct failure failure;

    plan.made_by = plan.protocols = protocol;
    plan.nprotocols = 1;
    plan.threads = omp_get_max_threads();
    cr_assert_eq(rank_candidates(&plan, &rankings, &failure), 0);
    cr_assert_eq(rankings.count, points);
    return rankings;
}

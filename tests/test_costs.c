/* test_costs.c - what oracles say of report sizes and the server's work. */
#include "ldp.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>

static struct ldp_cost cost_of(const char *name, double param, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = default_oracle(name);

    if (!isnan(param))
        spec.param[0] = param;
    struct ldp_protocol protocol = make_protocol(&spec, d, epsilon);
    cr_assert(protocol.oracle->cost);
    struct ldp_cost cost = {0};
    protocol.oracle->cost(&protocol, &cost);
    return cost;
}

static void demand(const char *name, double param, double bits, double report, double collection)
{
    const struct ldp_cost cost = cost_of(name, param, 1024, 1);

    cr_expect_eq(cost.report_bits, bits, "%s: %g bits", name, cost.report_bits);
    cr_expect_eq(cost.report_operations, report, "%s: %g a report", name, cost.report_operations);
    cr_expect_eq(cost.collection_operations, collection, "%s: %g a collection", name, cost.collection_operations);
}

/* By hand at d = 1024, epsilon = 1: 10 bits tell a value, olh has g = 4; 3 of 1024 values are 30 bits as a list; hr's
 * matrix has order 2048, each of whose 11 butterfly steps touches every entry. */
Test(costs, by_hand)
{
    demand("grr", NAN, 10, 1, 1024);
    demand("exact", NAN, 10, 1, 1024);
    demand("olh", NAN, 66, 1024, 1024);
    demand("oue", NAN, 1024, 1024, 1024);
    demand("ss", 3, 30, 3, 1024);
    demand("ss", 200, 1024, 200, 1024);
    demand("hr", 1, 11, 1, 2048 * 11 + 1024);
    demand("hm", 3, 33, 3, 1024 * 10 + 1024);
    demand("blh", NAN, 65, 1024, 1024);
    demand("sue", NAN, 1024, 1024, 1024);
}

Test(costs, of_every_oracle)
{
    for (size_t i = 0; ldp_oracles[i]; i++) {
        if (!ldp_oracles[i]->cost)
            continue; /* handed over to another, or not known */
        const struct ldp_cost small = cost_of(ldp_oracles[i]->name, NAN, 16, 1);
        const struct ldp_cost large = cost_of(ldp_oracles[i]->name, NAN, 4096, 1);

        cr_expect(small.report_bits >= 1 && small.report_operations >= 1 && small.collection_operations >= 16, "%s",
                  ldp_oracles[i]->name);
        cr_expect(large.report_bits >= small.report_bits && large.report_operations >= small.report_operations &&
                      large.collection_operations > small.collection_operations,
                  "%s", ldp_oracles[i]->name);
    }
}

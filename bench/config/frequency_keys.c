/* frequency_keys.c - see frequency_keys.h.
 *
 * First everything that the text alone decides is read and checked, the size of the grid included; then
 * datasets are built; then what depends on them is checked: whether every oracle suits every d and epsilon, which
 * methods suit which oracles, whether the points and sets of the queries suit every dataset. */
#include "config/frequency_keys.h"

#include "support/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const frequency_outputs[] = {"mse", "values", "noise", "times", "oracles", "expected", "detection", NULL};

/* ---- The grid ---- */

/* Which methods suit which cells. A cell without any is kept where something else is asked of it. */
static int find_applicable(struct frequency *frequency, struct failure *failure)
{
    const struct applicable_grid grid = {
        .axes = &frequency->axes,
        .methods = &frequency->methods,
        .keep_empty = frequency->outputs & (WANT_NOISE | WANT_TIMES | WANT_ORACLES),
    };

    return applicable_find(&grid, &frequency->applicable, failure);
}

static bool keys_equal(const struct frequency *frequency, size_t a, size_t b)
{
    for (size_t i = 0; i < frequency->queries.count; i++) {
        char *const *const keys = frequency->queries.choice[i].keys;

        assert(keys[a] && keys[b]);
        if (strcmp(keys[a], keys[b]) != 0)
            return false;
    }
    return true;
}

static void find_equal_datasets(struct frequency *frequency)
{
    frequency->equal_to = xcalloc(frequency->axes.datasets.count, sizeof *frequency->equal_to);
    for (size_t i = 0; i < frequency->axes.datasets.count; i++)
        frequency->equal_to[i] = i > 0 && keys_equal(frequency, i - 1, i) ? frequency->equal_to[i - 1] : i;
}

int frequency_prepare(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                      struct frequency *frequency, struct failure *failure)
{
    frequency->ordered |= frequency->axes.datasets.ordered;
    if ((!frequency->ordered && oracles_demand_unordered(&frequency->axes.oracles, failure) != 0) ||
        axes_build(root, overrides, seed, &frequency->axes, failure) != 0 || find_applicable(frequency, failure) != 0 ||
        queries_bind(&frequency->queries, &frequency->axes.datasets, frequency->ordered, seed, failure) != 0 ||
        attacks_bind(&frequency->attacks, &frequency->axes.datasets, failure) != 0)
        return -1;
    find_equal_datasets(frequency);
    return 0;
}

void frequency_clear(struct frequency *frequency)
{
    axes_clear(&frequency->axes);
    applicable_clear(&frequency->applicable);
    algorithms_clear(&method_kind, &frequency->methods.list);
    algorithms_clear(&query_kind, &frequency->queries.list);
    algorithms_clear(&attack_kind, &frequency->attacks.list);
    free(frequency->equal_to);
    memset(frequency, 0, sizeof *frequency);
}

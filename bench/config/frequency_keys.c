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

enum { OUTPUT_MSE, OUTPUT_VALUES, OUTPUT_NOISE, OUTPUT_TIMES, OUTPUT_ORACLES, OUTPUT_EXPECTED, OUTPUT_DETECTION };

const char *const frequency_outputs[] = {[OUTPUT_MSE] = "mse",
                                         [OUTPUT_VALUES] = "values",
                                         [OUTPUT_NOISE] = "noise",
                                         [OUTPUT_TIMES] = "times",
                                         [OUTPUT_ORACLES] = "oracles",
                                         [OUTPUT_EXPECTED] = "expected",
                                         [OUTPUT_DETECTION] = "detection",
                                         NULL};

/* ---- The grid ---- */

/* Which methods suit which cells. A cell without any is kept where something else is asked of it. */
static int find_applicable(struct frequency *frequency, struct failure *failure)
{
    const struct applicable_grid grid = {
        .axes = &frequency->axes,
        .methods = &frequency->methods,
        .keep_empty = frequency->want_noise || frequency->want_times || frequency->want_oracles,
    };

    return applicable_find(&grid, &frequency->applicable, failure);
}

static bool keys_alike(const struct frequency *frequency, size_t a, size_t b)
{
    for (size_t i = 0; i < frequency->queries.count; i++) {
        char *const *const keys = frequency->queries.choice[i].keys;

        assert(keys[a] && keys[b]);
        if (strcmp(keys[a], keys[b]) != 0)
            return false;
    }
    return true;
}

static void find_datasets_alike(struct frequency *frequency)
{
    frequency->alike = xcalloc(frequency->axes.datasets.count, sizeof *frequency->alike);
    for (size_t i = 0; i < frequency->axes.datasets.count; i++)
        frequency->alike[i] = i > 0 && keys_alike(frequency, i - 1, i) ? frequency->alike[i - 1] : i;
}

static bool wants(const struct frequency *frequency, unsigned output)
{
    return frequency->outputs >> output & 1;
}

int frequency_prepare(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                      struct frequency *frequency, struct failure *failure)
{
    frequency->ordered |= frequency->axes.datasets.ordered;
    frequency->want_mse = wants(frequency, OUTPUT_MSE);
    frequency->want_values = wants(frequency, OUTPUT_VALUES);
    frequency->want_noise = wants(frequency, OUTPUT_NOISE);
    frequency->want_times = wants(frequency, OUTPUT_TIMES);
    frequency->want_oracles = wants(frequency, OUTPUT_ORACLES);
    frequency->want_expected = wants(frequency, OUTPUT_EXPECTED);
    frequency->want_detection = wants(frequency, OUTPUT_DETECTION);
    if ((!frequency->ordered && oracles_demand_unordered(&frequency->axes.oracles, failure) != 0) ||
        axes_build(root, overrides, seed, &frequency->axes, failure) != 0 || find_applicable(frequency, failure) != 0 ||
        queries_bind(&frequency->queries, &frequency->axes.datasets, frequency->ordered, seed, failure) != 0 ||
        attacks_bind(&frequency->attacks, &frequency->axes.datasets, failure) != 0)
        return -1;
    find_datasets_alike(frequency);
    return 0;
}

void frequency_clear(struct frequency *frequency)
{
    axes_clear(&frequency->axes);
    applicable_clear(&frequency->applicable);
    algorithms_clear(&method_kind, &frequency->methods.list);
    algorithms_clear(&query_kind, &frequency->queries.list);
    algorithms_clear(&attack_kind, &frequency->attacks.list);
    free(frequency->alike);
    memset(frequency, 0, sizeof *frequency);
}

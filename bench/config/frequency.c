/* frequency.c - see frequency.h.
 *
 * First everything that the text alone decides is read and checked, the size of the grid included; then
 * datasets are built; then what depends on them is checked: whether every oracle suits every d and epsilon,
 * whether the points and sets of the queries suit every dataset. */
#include "config/frequency.h"

#include "support/numbers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_MSE, OUTPUT_VALUES, OUTPUT_NOISE, OUTPUT_TIMES, OUTPUT_ORACLES };

const char *const frequency_outputs[] = {
    [OUTPUT_MSE] = "mse",     [OUTPUT_VALUES] = "values",   [OUTPUT_NOISE] = "noise",
    [OUTPUT_TIMES] = "times", [OUTPUT_ORACLES] = "oracles", NULL};

/* ---- The grid ---- */

/* Whether every method suits a protocol. "all" leaves out those that do not. */
static int check_methods(const struct oracle_choice *oracle, const struct ldp_protocol *protocol,
                         struct method_list *methods, struct failure *failure)
{
    size_t kept = 0;

    for (size_t i = 0; i < methods->count; i++) {
        struct method_choice *const choice = &methods->choice[i];
        char number[NUMBER_TEXT];

        if (ldp_method_suits(choice->spec.method, protocol))
            methods->choice[kept++] = *choice;
        else if (methods->all)
            method_clear(choice);
        else
            return json_fail(&methods->at, failure,
                             "expected methods that suit every oracle, got %s with %s (d = %zu, epsilon = %s)",
                             choice->label, oracle->label, protocol->d, format_number(protocol->epsilon, number));
    }
    methods->count = kept;
    return 0;
}

/* Whether an oracle can be configured for a dataset and an epsilon, and suits every method. */
static int check_protocol(struct frequency *frequency, const struct dataset *dataset,
                          const struct oracle_choice *oracle, double epsilon, struct failure *failure)
{
    const size_t d = dataset->population->d;
    char number[NUMBER_TEXT];
    struct ldp_protocol protocol;
    struct ldp_reason reason;

    switch (ldp_protocol_init(&protocol, &oracle->spec, d, epsilon, &reason)) {
    case LDP_OK: return check_methods(oracle, &protocol, &frequency->methods, failure);
    case LDP_ENOMEM: return fail_memory(failure);
    default:
        return json_fail(&frequency->axes.oracles.at, failure,
                         "expected oracles that suit every dataset and epsilon, got %s with d = %zu of "
                         "dataset %s and epsilon = %s: %s",
                         oracle->label, d, dataset->name, format_number(epsilon, number), reason.text);
    }
}

/* The protocols of all cells, each once: neighbouring datasets of as many values have the same. */
static int check_protocols(struct frequency *frequency, struct failure *failure)
{
    const size_t nepsilon = frequency->axes.epsilon.count, row = frequency->axes.oracles.count * nepsilon;
    size_t *const checked = calloc(row, sizeof *checked); /* for which d */
    int result = checked ? 0 : fail_memory(failure);

    for (size_t cell = 0; result == 0 && cell < frequency->axes.cells.count; cell++) {
        const size_t place = frequency->axes.cells.place ? frequency->axes.cells.place[cell] : cell;
        const struct dataset *const dataset = frequency->axes.datasets.dataset[place / row];

        if (checked[place % row] == dataset->population->d)
            continue;
        checked[place % row] = dataset->population->d;
        result = check_protocol(frequency, dataset, &frequency->axes.oracles.choice[place % row / nepsilon],
                                frequency->axes.epsilon.values[place % nepsilon], failure);
    }
    free(checked);
    return result;
}

static bool keys_alike(const struct frequency *frequency, size_t a, size_t b)
{
    for (size_t i = 0; i < frequency->queries.count; i++) {
        char *const *keys = frequency->queries.choice[i].keys;

        assert(keys[a] && keys[b]);
        if (strcmp(keys[a], keys[b]) != 0)
            return false;
    }
    return true;
}

static int find_datasets_alike(struct frequency *frequency, struct failure *failure)
{
    frequency->alike = malloc(frequency->axes.datasets.count * sizeof *frequency->alike);
    if (!frequency->alike)
        return fail_memory(failure);
    for (size_t i = 0; i < frequency->axes.datasets.count; i++)
        frequency->alike[i] = i > 0 && keys_alike(frequency, i - 1, i) ? frequency->alike[i - 1] : i;
    return 0;
}

static bool wants(const struct frequency *frequency, unsigned output)
{
    return frequency->outputs >> output & 1;
}

int frequency_prepare(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                      struct frequency *frequency, struct failure *failure)
{
    frequency->want_mse = wants(frequency, OUTPUT_MSE);
    frequency->want_values = wants(frequency, OUTPUT_VALUES);
    frequency->want_noise = wants(frequency, OUTPUT_NOISE);
    frequency->want_times = wants(frequency, OUTPUT_TIMES);
    frequency->want_oracles = wants(frequency, OUTPUT_ORACLES);
    if (axes_build(root, overrides, seed, &frequency->axes, failure) != 0 || check_protocols(frequency, failure) != 0 ||
        queries_bind(&frequency->queries, &frequency->axes.datasets, seed, failure) != 0)
        return -1;
    return find_datasets_alike(frequency, failure);
}

void frequency_clear(struct frequency *frequency)
{
    axes_clear(&frequency->axes);
    methods_clear(&frequency->methods);
    queries_clear(&frequency->queries);
    free(frequency->alike);
    memset(frequency, 0, sizeof *frequency);
}

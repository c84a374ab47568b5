/* frequency.c - see frequency.h.
 *
 * First everything that the text alone decides is read and checked, the size of the grid included; then
 * datasets are built; then what depends on them is checked: whether every oracle suits every d and epsilon,
 * whether the points and sets of the queries suit every dataset. */
#include "config/frequency.h"

#include "config/json.h"
#include "support/names.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const frequency_keys[] = {"simulation", "datasets", "oracles", "epsilon",
                                      "methods",    "queries",  "outputs", NULL};

enum { CELLS_MAX = 1000000 };

static int outputs_read(const struct json_at *root, struct frequency *out, struct failure *failure)
{
    static const char *const names[] = {"mse", "values", "noise", "times", NULL};
    bool *const wanted[] = {&out->want_mse, &out->want_values, &out->want_noise, &out->want_times};
    struct json_at at, element;
    size_t count, index;

    if (!json_member(root, "outputs", &at)) {
        out->want_mse = true;
        return 0;
    }
    if (json_list(&at, "a list of outputs", &element, &count, failure) != 0)
        return -1;
    for (size_t i = 0; i < count; i++, json_next(&element)) {
        if (json_choice(&element, NULL, names, &index, failure) != 0)
            return -1;
        if (*wanted[index])
            return json_expected(&element, failure, "each output once");
        *wanted[index] = true;
    }
    return 0;
}

static int simulation_read(const struct json_at *root, const struct overrides *overrides, enum ldp_mode *mode,
                           struct failure *failure)
{
    static const char *const names[] = {"counts", "reports", NULL};
    struct json_at at;
    size_t index = 0;

    if (json_member(root, "simulation", &at) && json_choice(&at, NULL, names, &index, failure) != 0)
        return -1;
    *mode = index == 0 ? LDP_COUNTS : LDP_REPORTS;
    if (overrides && overrides->has_mode)
        *mode = overrides->mode;
    return 0;
}

/* Before any of it is built. */
static int check_size(const struct json_at *root, const struct frequency *frequency, struct failure *failure)
{
    const double cells =
        frequency->datasets.points * (double)frequency->oracles.count * (double)frequency->epsilon.count;
    char number[NUMBER_TEXT];

    if (cells > CELLS_MAX)
        return json_fail(root, failure, "expected at most %d cells (datasets x oracles x epsilon), got %s", CELLS_MAX,
                         format_number(cells, number));
    return 0;
}

/* Whether every oracle can be configured for every d and epsilon. */
static int check_protocols(const struct json_at *oracles, const struct frequency *frequency, struct failure *failure)
{
    for (size_t i = 0; i < frequency->datasets.count; i++) {
        const size_t d = frequency->datasets.dataset[i]->population->d;

        if (i > 0 && d == frequency->datasets.dataset[i - 1]->population->d)
            continue;
        for (size_t j = 0; j < frequency->oracles.count; j++)
            for (size_t k = 0; k < frequency->epsilon.count; k++) {
                const struct oracle_choice *oracle = &frequency->oracles.choice[j];
                const double epsilon = frequency->epsilon.values[k];
                char number[NUMBER_TEXT];
                struct ldp_protocol protocol;
                struct ldp_reason reason;
                const enum ldp_status status = ldp_protocol_init(&protocol, &oracle->spec, d, epsilon, &reason);

                if (status == LDP_ENOMEM)
                    return fail_memory(failure);
                if (status != LDP_OK)
                    return json_fail(oracles, failure,
                                     "expected oracles that suit every dataset and epsilon, got %s with d = %zu of "
                                     "dataset %s and epsilon = %s: %s",
                                     oracle->label, d, frequency->datasets.dataset[i]->name,
                                     format_number(epsilon, number), reason.text);
            }
    }
    return 0;
}

/* Whether every method suits every oracle, d and epsilon. "all" leaves out those that do not. */
static int check_methods(const struct json_at *at, struct frequency *frequency, struct failure *failure)
{
    struct method_list *methods = &frequency->methods;
    const size_t noracles = frequency->oracles.count, nepsilon = frequency->epsilon.count;

    for (size_t cell = 0; cell < frequency->datasets.count * noracles * nepsilon; cell++) {
        const size_t d = frequency->datasets.dataset[cell / nepsilon / noracles]->population->d;
        const struct oracle_choice *oracle = &frequency->oracles.choice[cell / nepsilon % noracles];
        const double epsilon = frequency->epsilon.values[cell % nepsilon];
        struct ldp_protocol protocol;
        size_t kept = 0;

        if (ldp_protocol_init(&protocol, &oracle->spec, d, epsilon, NULL) != LDP_OK)
            continue;
        for (size_t i = 0; i < methods->count; i++) {
            struct method_choice *choice = &methods->choice[i];
            char number[NUMBER_TEXT];

            if (ldp_method_suits(choice->spec.method, &protocol))
                methods->choice[kept++] = *choice;
            else if (methods->all)
                free(choice->label);
            else
                return json_fail(at, failure,
                                 "expected methods that suit every oracle, got %s with %s (d = %zu, epsilon = %s)",
                                 choice->label, oracle->label, d, format_number(epsilon, number));
        }
        methods->count = kept;
    }
    return 0;
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
    frequency->alike = malloc(frequency->datasets.count * sizeof *frequency->alike);
    if (!frequency->alike)
        return fail_memory(failure);
    for (size_t i = 0; i < frequency->datasets.count; i++)
        frequency->alike[i] = i > 0 && keys_alike(frequency, i - 1, i) ? frequency->alike[i - 1] : i;
    return 0;
}

int frequency_read(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct frequency *out,
                   struct failure *failure)
{
    struct json_at datasets, oracles, epsilon, methods, queries;

    memset(out, 0, sizeof *out);
    if (json_require(root, "datasets", &datasets, failure) != 0 ||
        json_require(root, "oracles", &oracles, failure) != 0 ||
        json_require(root, "epsilon", &epsilon, failure) != 0 ||
        json_require(root, "methods", &methods, failure) != 0 || json_require(root, "queries", &queries, failure) != 0)
        return -1;
    if (datasets_read(&datasets, &out->datasets, failure) != 0 || oracles_read(&oracles, &out->oracles, failure) != 0 ||
        sweep_read(&epsilon, false, nextafter(0, 1), INFINITY, &out->epsilon, failure) != 0 ||
        methods_read(&methods, &out->methods, failure) != 0 || queries_read(&queries, &out->queries, failure) != 0 ||
        simulation_read(root, overrides, &out->mode, failure) != 0 || outputs_read(root, out, failure) != 0)
        return -1;
    if (check_size(root, out, failure) != 0 || datasets_build(&out->datasets, seed, failure) != 0 ||
        check_protocols(&oracles, out, failure) != 0 || check_methods(&methods, out, failure) != 0 ||
        queries_bind(&out->queries, &out->datasets, seed, failure) != 0)
        return -1;
    return find_datasets_alike(out, failure);
}

void frequency_clear(struct frequency *frequency)
{
    datasets_clear(&frequency->datasets);
    oracles_clear(&frequency->oracles);
    sweep_clear(&frequency->epsilon);
    methods_clear(&frequency->methods);
    queries_clear(&frequency->queries);
    free(frequency->alike);
    memset(frequency, 0, sizeof *frequency);
}

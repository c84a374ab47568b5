/* longitudinal.c - the task `longitudinal`: users who report in every round, over datasets and how they change, chains
 * of reports, and budgets.
 *
 * One repetition is all rounds of a cell. Every method and query serves a round as it serves any collection; measured
 * are the mean of the rounds' errors and, with the output `average`, the errors of the mean over rounds and of the
 * difference between the last round and the first. For these the rounds are drawn together; without them each round is
 * drawn from its own law, as fast as a collection, and with the same expected errors. */
#include "tasks/longitudinal.h"

#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_ERRORS, OUTPUT_AVERAGE, OUTPUT_BUDGET };
static const char *const outputs[] = {
    [OUTPUT_ERRORS] = "errors", [OUTPUT_AVERAGE] = "average", [OUTPUT_BUDGET] = "budget", NULL};
static const char *const equals[] = {[LDP_EQUAL_MEMO] = "memo",
                                     [LDP_EQUAL_REPORT] = "report",
                                     [LDP_EQUAL_UNCHANGED] = "unchanged",
                                     [LDP_EQUAL_SEQUENCE] = "sequence",
                                     NULL};

static const struct config_key keys[] = {
    CONFIG_SIMULATION(struct longitudinal, mode),
    CONFIG_ANY_DATASETS(struct longitudinal, datasets),
    KEY("evolution",
        "how users' values change from round to round; default: static. Records have a column for each round instead",
        "[\"static\", {\"name\": \"redraw\", \"change\": 0.25}]", .type = &config_evolutions,
        CONFIG_MEMBER(struct longitudinal, evolutions, struct evolution_list), .fallback = NAN),
    KEY("rounds", "how often every user reports", "120", .required = true,
        CONFIG_WHOLE_SWEEP(struct longitudinal, rounds), .min = 1, .max = LDP_ROUNDS_MAX, .fallback = NAN),
    KEY("chains", "how a user's reports in different rounds are related; \"all\": every one with its defaults",
        "[\"l_sue\", {\"name\": \"fresh\", \"oracle\": \"olh\"}]", .required = true, .type = &config_chains,
        CONFIG_MEMBER(struct longitudinal, chains, struct chain_list)),
    CONFIG_EPSILON(struct longitudinal, epsilon),
    KEY("first", "privacy budget of one report alone, as a share of epsilon, which is that of a memo",
        "[0.4, 0.5, 0.6]", CONFIG_SWEEP(struct longitudinal, first), .min = 0x1p-50, .max = 1 - 0x1p-20,
        .fallback = 0.5),
    KEY("equal",
        "what epsilon protects: a memo, or all reports of a chain without memos (memo); "
        "or the same for all chains: one report, all reports of a user whose value stays (unchanged), "
        "all reports of any values (sequence)",
        "\"sequence\"", CONFIG_CHOICE(struct longitudinal, equal), .choices = equals, .fallback = LDP_EQUAL_MEMO),
    CONFIG_METHODS(struct longitudinal, methods),
    CONFIG_QUERIES(struct longitudinal, queries),
    KEY("outputs",
        "errors are always written; average: also those of the mean over rounds and of the change "
        "between the first and the last round; budget: what each chain protects",
        "[\"average\", \"budget\"]", CONFIG_CHOICES(struct longitudinal, outputs), .choices = outputs,
        .fallback = 1 << OUTPUT_ERRORS),
    {.name = NULL},
};

const struct longitudinal *longitudinal_of(const struct setup *setup)
{
    assert(setup->task == &task_longitudinal);
    return (const struct longitudinal *)setup;
}

static void free_data(struct longitudinal_data *data, size_t nchains)
{
    for (size_t t = 0; data->population && t < (data->sequences->values ? data->rounds : 1); t++)
        ldp_population_free(data->population[t]);
    for (size_t c = 0; data->layouts && c < nchains; c++) {
        free(data->layouts[c].series);
        free(data->methods[c]);
    }
    ldp_population_free(data->average);
    ldp_sequences_free(data->sequences);
    free(data->population);
    free(data->layouts);
    free(data->methods);
    free(data->nmethods);
}

static void free_setup(struct setup *base)
{
    struct longitudinal *const setup = (struct longitudinal *)base;

    for (size_t i = 0; i < setup->ndata; i++)
        free_data(&setup->data[i], setup->chains.count);
    free(setup->data);
    free(setup->chain_keys);
    free(setup->memo);
    free(setup->method_keys);
    grid_clear(&setup->grid);
    algorithms_clear(&method_kind, &setup->methods.list);
    algorithms_clear(&query_kind, &setup->queries.list);
    algorithms_clear(&chain_kind, &setup->chains.list);
    algorithms_clear(&evolution_kind, &setup->evolutions.list);
    datasets_clear(&setup->datasets);
    sweep_clear(&setup->rounds);
    sweep_clear(&setup->epsilon);
    sweep_clear(&setup->first);
    free(setup);
}

/* ---- Cells ---- */

struct longitudinal_point longitudinal_point(const struct longitudinal *setup, size_t cell)
{
    const size_t nfirst = setup->first.count, nepsilon = setup->epsilon.count, nchains = setup->chains.count;

    assert(cell < setup->grid.setup.ncells && nfirst > 0 && nepsilon > 0 && nchains > 0);
    return (struct longitudinal_point){
        .idata = cell / nfirst / nepsilon / nchains,
        .ichain = cell / nfirst / nepsilon % nchains,
        .epsilon = setup->epsilon.values[cell / nfirst % nepsilon],
        .first = setup->first.values[cell % nfirst],
    };
}

int longitudinal_rounds(const struct longitudinal *setup, size_t cell, struct ldp_rounds *rounds,
                        struct failure *failure)
{
    const struct longitudinal_point at = longitudinal_point(setup, cell);
    const struct longitudinal_data *const data = &setup->data[at.idata];
    const struct chain_choice *const chain = &setup->chains.choice[at.ichain];
    const size_t d = data->sequences->d;
    const uint64_t n = data->sequences->n;
    struct ldp_reason reason = {""};
    enum ldp_status status;
    char epsilon[NUMBER_TEXT], first[NUMBER_TEXT];

    if (setup->memo && setup->memo[cell] > 0)
        status = ldp_rounds_init(rounds, &chain->spec, d, n, data->rounds, setup->memo[cell],
                                 setup->memo[cell] * at.first, &reason);
    else
        status = ldp_rounds_equal(rounds, &chain->spec, d, n, data->rounds, (enum ldp_equal)setup->equal, at.epsilon,
                                  at.first, &reason);
    if (status == LDP_OK)
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "chain %s does not suit d = %zu, %zu rounds, epsilon = %s, first = %s: %s",
                chain->label, d, data->rounds, format_number(at.epsilon, epsilon), format_number(at.first, first),
                reason.text);
}

static char *cell_key(const struct setup *base, size_t cell)
{
    const struct longitudinal *const setup = longitudinal_of(base);
    const struct longitudinal_point at = longitudinal_point(setup, cell);
    char epsilon[NUMBER_TEXT], first[NUMBER_TEXT];

    return xformat(
        "longitudinal|%s|%s|epsilon=%s|first=%s|%s%s%s%s", setup->grid.datasets[at.idata].key,
        setup->chain_keys[at.ichain], format_number(at.epsilon, epsilon), format_number(at.first, first),
        setup->mode == LDP_COUNTS ? "counts" : "reports",
        setup->mode == LDP_COUNTS && setup->want_average ? "|together" : "",
        setup->equal == LDP_EQUAL_MEMO ? "" : "|equal=", setup->equal == LDP_EQUAL_MEMO ? "" : equals[setup->equal]);
}

static const struct layout *layout(const struct setup *base, size_t cell)
{
    const struct longitudinal *const setup = longitudinal_of(base);
    const struct longitudinal_point at = longitudinal_point(setup, cell);

    return &setup->data[at.idata].layouts[at.ichain];
}

/* ---- Data ---- */

/* The true counts of every round, and of all together. */
static int find_truth(struct longitudinal_data *data, struct failure *failure)
{
    const struct ldp_sequences *const sequences = data->sequences;
    const size_t rounds = sequences->values ? data->rounds : 1, d = sequences->d;
    uint64_t *const sum = xcalloc(d, sizeof *sum);

    data->population = xcalloc(rounds, sizeof(struct ldp_population *));
    for (size_t t = 0; t < rounds; t++) {
        const struct ldp_histogram round = ldp_sequences_round(sequences, t);

        if (ldp_population_new(round.counts, d, &data->population[t]) != LDP_OK)
            out_of_memory();
        for (size_t v = 0; v < d; v++)
            sum[v] += round.counts[v];
    }
    const enum ldp_status status = ldp_population_new(sum, d, &data->average);

    free(sum);
    return status == LDP_OK ? 0 : fail_memory(failure);
}

static int add_data(struct longitudinal *setup, size_t i, size_t e, size_t r, uint64_t seed, struct failure *failure)
{
    const struct dataset *const dataset = setup->datasets.dataset[i];
    const struct evolution_choice *const evolution = &setup->evolutions.choice[e];
    struct longitudinal_data *const data = &setup->data[setup->ndata];
    struct grid_dataset *const named = &setup->grid.datasets[setup->ndata++];
    struct texts *const texts = &setup->grid.texts;
    const bool records = dataset->records != NULL, changes = !records && evolution->evolution.law->step != NULL;

    *data = (struct longitudinal_data){.idataset = i,
                                       .rounds = (size_t)setup->rounds.values[r],
                                       .change = changes && evolution->evolution.law->params
                                                     ? evolution->evolution.param[0]
                                                     : (changes || records ? (double)NAN : 0)};
    if (evolution_new(&evolution->evolution, dataset, data->rounds, seed, &data->sequences, failure) != 0)
        return -1;
    *named = grid_dataset(dataset, NULL);
    named->d = data->sequences->d;
    named->key = texts_keep(texts, changes ? xformat("%s|%s|rounds=%zu|seed=%llu", dataset->key, evolution->label,
                                                     data->rounds, (unsigned long long)seed)
                                           : xformat("%s|rounds=%zu", dataset->key, data->rounds));
    if (changes)
        named->label = texts_keep(texts, xformat("%s %s", dataset->name, evolution->label));
    setup->grid.setup.shared_bytes += changes ? 4.0 * (double)named->n * (double)data->rounds : 0;
    return find_truth(data, failure);
}

/* Names of everything that cells are made of. */
static void name_all(struct longitudinal *setup)
{
    struct texts *const texts = &setup->grid.texts;

    setup->chain_keys = xcalloc(setup->chains.count, sizeof *setup->chain_keys);
    setup->method_keys = xcalloc(setup->methods.count, sizeof *setup->method_keys);
    for (size_t i = 0; i < setup->chains.count; i++)
        setup->chain_keys[i] = texts_keep(texts, chain_key(&setup->chains.choice[i]));
    for (size_t i = 0; i < setup->methods.count; i++)
        setup->method_keys[i] = texts_keep(texts, method_text(&setup->methods.choice[i]));
}

static int build_data(struct longitudinal *setup, const struct json_at *root, uint64_t seed, struct failure *failure)
{
    struct json_at at = *root;
    struct failure refused = NO_REASON;
    const size_t most = setup->datasets.count * setup->evolutions.count * setup->rounds.count;

    json_member(root, "datasets", &at);
    setup->data = xcalloc(most, sizeof *setup->data);
    setup->grid.datasets = xcalloc(most, sizeof *setup->grid.datasets);
    for (size_t i = 0; i < setup->datasets.count; i++)
        for (size_t e = 0; e < setup->evolutions.count; e++)
            for (size_t r = 0; r < setup->rounds.count; r++)
                if (add_data(setup, i, e, r, seed, &refused) != 0)
                    return json_fail(&at, failure, "%s", refused.text);
    setup->grid.ndatasets = setup->ndata;
    return 0;
}

/* ---- Methods that suit a chain, layouts ---- */

static void add_series(struct longitudinal *setup, struct longitudinal_data *data, size_t ichain)
{
    static const char *const measure[] = {"mse", "mse_average", "mse_trend"};
    const size_t nmethods = data->nmethods[ichain], nmeasures = longitudinal_measures(setup);
    struct layout *const layout = &data->layouts[ichain];
    struct texts *const texts = &setup->grid.texts;
    size_t count = 0;

    for (size_t q = 0; q < setup->queries.count; q++)
        count += nmethods * setup->queries.choice[q].specs[data->idataset].npoints * nmeasures;
    struct series *const series = xcalloc(count + 1, sizeof *series), *at = series;
    for (size_t q = 0; q < setup->queries.count; q++) {
        const struct query_choice *const query = &setup->queries.choice[q];
        const struct ldp_query_spec *const spec = &query->specs[data->idataset];

        for (size_t m = 0; m < nmethods; m++)
            for (size_t j = 0; j < spec->npoints; j++) {
                char number[NUMBER_TEXT];
                const char *const point =
                    spec->points ? texts_keep(texts, xstrdup(format_number(spec->points[j], number))) : "";

                for (size_t l = 0; l < nmeasures; l++)
                    *at++ = (struct series){.method = setup->method_keys[data->methods[ichain][m]],
                                            .query = query->keys[data->idataset],
                                            .point = point,
                                            .measure = measure[l]};
            }
    }
    *layout = (struct layout){.nseries = count, .series = series};
}

/* The methods that suit all cells of a dataset and a chain. */
static int find_methods(struct longitudinal *setup, size_t idata, size_t ichain, struct failure *failure)
{
    struct longitudinal_data *const data = &setup->data[idata];
    const size_t budgets = setup->epsilon.count * setup->first.count;
    size_t *const method = data->methods[ichain] = xcalloc(setup->methods.count, sizeof *method);
    bool *const suits = xcalloc(setup->methods.count, sizeof *suits);
    int result = 0;

    for (size_t m = 0; m < setup->methods.count; m++)
        suits[m] = true;
    for (size_t b = 0; result == 0 && b < budgets; b++) {
        const size_t cell = (idata * setup->chains.count + ichain) * budgets + b;
        struct ldp_rounds rounds;
        struct failure refused = NO_REASON;

        result = longitudinal_rounds(setup, cell, &rounds, &refused);
        if (result != 0)
            json_fail(&setup->chains.at, failure, "%s", refused.text);
        else
            setup->memo[cell] = rounds.epsilon;
        for (size_t m = 0; result == 0 && m < setup->methods.count; m++)
            suits[m] &= ldp_method_suits(setup->methods.choice[m].spec.method, &rounds.report);
    }
    for (size_t m = 0; m < setup->methods.count; m++)
        if (suits[m])
            method[data->nmethods[ichain]++] = m;
    free(suits);
    return result;
}

/* A method that is named and suits no chain is a mistake. */
static int check_methods(const struct longitudinal *setup, struct failure *failure)
{
    for (size_t m = 0; m < setup->methods.count; m++) {
        bool used = setup->methods.all;

        for (size_t i = 0; !used && i < setup->ndata; i++)
            for (size_t c = 0; c < setup->chains.count; c++)
                for (size_t k = 0; k < setup->data[i].nmethods[c]; k++)
                    used |= setup->data[i].methods[c][k] == m;
        if (!used)
            return json_fail(&setup->methods.at, failure, "expected methods that suit a chain, got %s, which needs %s",
                             setup->methods.choice[m].label, ldp_method_needs(setup->methods.choice[m].spec.method));
    }
    return 0;
}

static int lay_out(struct longitudinal *setup, struct failure *failure)
{
    for (size_t i = 0; i < setup->ndata; i++) {
        struct longitudinal_data *const data = &setup->data[i];

        data->layouts = xcalloc(setup->chains.count, sizeof *data->layouts);
        data->methods = xcalloc(setup->chains.count, sizeof(size_t *));
        data->nmethods = xcalloc(setup->chains.count, sizeof *data->nmethods);
        for (size_t c = 0; c < setup->chains.count; c++) {
            if (find_methods(setup, i, c, failure) != 0)
                return -1;
            add_series(setup, data, c);
        }
    }
    return check_methods(setup, failure);
}

static int check_config(const struct longitudinal *setup, const struct json_at *root, struct failure *failure)
{
    const double cells = setup->datasets.points * (double)setup->evolutions.count * (double)setup->rounds.count *
                         (double)setup->chains.count * (double)setup->epsilon.count * (double)setup->first.count;
    char number[NUMBER_TEXT];

    if (cells > CELLS_MAX)
        return json_fail(root, failure, "expected at most %d cells, got %s", CELLS_MAX, format_number(cells, number));
    for (size_t i = 0; i < setup->methods.count; i++)
        if (setup->methods.choice[i].outside)
            return json_fail(&setup->methods.at, failure,
                             "expected methods of the program for the task longitudinal, got %s",
                             setup->methods.choice[i].label);
    return 0;
}

/* The measures are those of squared errors, of each round. */
static int check_queries(const struct longitudinal *setup, const struct json_at *root, struct failure *failure)
{
    struct json_at at = *root;

    json_member(root, "queries", &at);
    for (size_t i = 0; i < setup->queries.count; i++)
        if (setup->queries.choice[i].specs[0].query->measures != ldp_squared_error)
            return json_fail(&at, failure, "expected queries with a squared error for the task longitudinal, got %s",
                             setup->queries.choice[i].label);
    return 0;
}

/* Records have their rounds in them. */
static int prepare_records(const struct longitudinal *setup, const struct json_at *root, struct failure *failure)
{
    struct json_at at = *root;

    json_member(root, "datasets", &at);
    for (size_t i = 0; i < setup->datasets.count; i++) {
        struct failure refused = NO_REASON;

        if (setup->datasets.dataset[i]->records && setup->evolutions.at.file)
            return json_fail(&setup->evolutions.at, failure,
                             "expected none with records, which have a column for each round, such as %s",
                             setup->datasets.dataset[i]->name);
        if (evolution_prepare(setup->datasets.dataset[i], &refused) != 0)
            return json_fail(&at, failure, "%s", refused.text);
    }
    return 0;
}

static int prepare_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                         struct setup *base, struct failure *failure)
{
    struct longitudinal *const setup = (struct longitudinal *)base;

    if (overrides->has_mode)
        setup->mode = overrides->mode;
    setup->want_average = setup->outputs >> OUTPUT_AVERAGE & 1;
    setup->want_budget = setup->outputs >> OUTPUT_BUDGET & 1;
    setup->grid.setup = (struct setup){.task = &task_longitudinal, .bases = SETUP_GRID};
    if (check_config(setup, root, failure) != 0 ||
        datasets_build(&setup->datasets, seed, overrides->dry_run, failure) != 0 ||
        prepare_records(setup, root, failure) != 0 ||
        queries_bind(&setup->queries, &setup->datasets, false, seed, failure) != 0 ||
        check_queries(setup, root, failure) != 0 || build_data(setup, root, seed, failure) != 0)
        return -1;
    setup->grid.setup.ncells = setup->ndata * setup->chains.count * setup->epsilon.count * setup->first.count;
    setup->memo = xcalloc(setup->grid.setup.ncells, sizeof *setup->memo);
    name_all(setup);
    return lay_out(setup, failure);
}

static struct cell_cost cost(const struct setup *base, size_t cell)
{
    const struct longitudinal *const setup = longitudinal_of(base);
    const struct longitudinal_point at = longitudinal_point(setup, cell);
    const struct longitudinal_data *const data = &setup->data[at.idata];
    const double d = (double)data->sequences->d, rounds = (double)data->rounds,
                 methods = (double)data->nmethods[at.ichain], reports = (double)data->sequences->n * rounds;
    struct ldp_rounds of_cell;
    struct failure ignored = NO_REASON;
    double bytes = 8 * rounds * d * (1 + (setup->want_average ? 1 : 0)) + 8 * d * (3 + 3 * methods);

    if (longitudinal_rounds(setup, cell, &of_cell, &ignored) == 0)
        bytes += (double)ldp_rounds_scratch(&of_cell, data->sequences, setup->mode);
    return (struct cell_cost){.worker_bytes = bytes,
                              .nanoseconds = rounds * d * (30 + 20 * methods) +
                                             (setup->mode == LDP_REPORTS ? reports * (40 + d) : 0) +
                                             (setup->want_average ? 3 * (double)data->sequences->nspans * d : 0)};
}

const struct task task_longitudinal = {
    .name = "longitudinal",
    .title = "errors of reports in many rounds, over datasets and how they change, chains, epsilon and rounds",
    .source = "Arcolezi et al., EDBT 2023 (LOLOHA)",
    .keys = keys,
    .setup_size = sizeof(struct longitudinal),
    .prepare = prepare_setup,
    .free = free_setup,
    .cell_key = cell_key,
    .collection_key = cell_key,
    .layout = layout,
    .cost = cost,
    .worker_new = longitudinal_worker_new,
    .worker_free = longitudinal_worker_free,
    .worker_begin = longitudinal_worker_begin,
    .worker_run = longitudinal_worker_run,
    .tables = longitudinal_tables,
    .fields = longitudinal_fields,
    .ledger = longitudinal_ledger,
};

/* longitudinal.c - the task `longitudinal`: users who report in every round, over datasets and how they change, chains
 * of reports, and budgets.
 *
 * One repetition is all rounds of a cell. Every method and query serves a round as it serves any collection; measured
 * are the mean of the rounds' errors and, with the output `average`, the errors of the mean over rounds and of the
 * difference between the last round and the first. For these the rounds are drawn together; without them each round is
 * drawn from its own law, as fast as a collection, and with the same expected errors.
 *
 * This file is over 500 lines: a task with its worker and its tables, which nothing else uses. */
#include "config/chains.h"
#include "config/methods.h"
#include "config/queries.h"
#include "privacy/chain.h"
#include "protocol/attack_success.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "tasks/evaluation.h"
#include "tasks/grid.h"
#include "tasks/table_writer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The measures of a method on a query, in the order of their series; the first is always taken. */
enum { LONGITUDINAL_MSE, LONGITUDINAL_AVERAGE, LONGITUDINAL_TREND, LONGITUDINAL_MEASURES };

/* A dataset over some rounds. */
struct longitudinal_data {
    size_t idataset; /* of the config's */
    size_t rounds;
    double change; /* NAN: not a probability */
    struct ldp_sequences *sequences;
    struct ldp_population **population; /* [rounds]; one if nobody's value changes */
    struct ldp_population *average;     /* of all rounds together */
    struct of_chain {
        struct layout layout;      /* its series are owned */
        size_t *methods, nmethods; /* those that suit it */
    } * of_chain;                  /* [chains] */
};

struct longitudinal {
    struct grid grid; /* its datasets are `data`; its cells are counted here */
    struct dataset_list datasets;
    struct evolution_list evolutions;
    struct sweep rounds;
    struct chain_list chains;
    struct sweep epsilon, first;
    size_t equal; /* enum ldp_equal: what epsilon is of */
    struct method_list methods;
    struct query_list queries;
    uint64_t outputs;
    bool want_average;
    enum ldp_mode mode;
    struct longitudinal_data *data;
    size_t ndata;
    const char **chain_keys, **method_keys;
    double *memo; /* [cells]: epsilon as chains take it, at which they protect that of the cell */
};

enum { OUTPUT_ERRORS, OUTPUT_AVERAGE, OUTPUT_BUDGET };
static const char *const outputs[] = {
    [OUTPUT_ERRORS] = "errors", [OUTPUT_AVERAGE] = "average", [OUTPUT_BUDGET] = "budget", NULL};
static const char *const equals[] = {"memo", "report", "unchanged", "sequence", NULL}; /* enum ldp_equal */

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
    KEY("first", "privacy budget of one report alone, as a share of epsilon, which is that of a memoized report",
        "[0.4, 0.5, 0.6]", CONFIG_SWEEP(struct longitudinal, first), .min = 0x1p-50, .max = 1 - 0x1p-20,
        .fallback = 0.5),
    KEY("equal",
        "what epsilon protects: a memoized report, or all reports of a chain without memoization (memo); "
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

struct longitudinal_point {
    size_t idata, ichain;
    double epsilon, first; /* of a memoized response; of one report, as a share of it */
};

static const struct ldp_population *longitudinal_population(const struct longitudinal_data *data, size_t round)
{
    return data->population[data->sequences->values ? round : 0];
}

static size_t longitudinal_measures(const struct longitudinal *setup)
{
    return setup->want_average ? LONGITUDINAL_MEASURES : 1;
}

static const struct longitudinal *longitudinal_of(const struct setup *setup)
{
    assert(setup->task == &task_longitudinal);
    return (const struct longitudinal *)setup;
}

static void free_data(struct longitudinal_data *data, size_t nchains)
{
    for (size_t t = 0; data->population && t < (data->sequences->values ? data->rounds : 1); t++)
        ldp_population_free(data->population[t]);
    for (size_t c = 0; data->of_chain && c < nchains; c++) {
        free(data->of_chain[c].layout.series);
        free(data->of_chain[c].methods);
    }
    ldp_population_free(data->average);
    ldp_sequences_free(data->sequences);
    free(data->population);
    free(data->of_chain);
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

static struct longitudinal_point longitudinal_point(const struct longitudinal *setup, size_t cell)
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

/* The chain of a cell. */
static int longitudinal_rounds(const struct longitudinal *setup, size_t cell, struct ldp_rounds *rounds,
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

    return &setup->data[at.idata].of_chain[at.ichain].layout;
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

static const struct ldp_measure measures[] = {
    [LONGITUDINAL_MSE] =
        MEASURE("mse", "mean squared error of a round", "MSE", LDP_LESS, .high = INFINITY, .unit = LDP_UNIT_POINTS),
    [LONGITUDINAL_AVERAGE] = MEASURE("mse_average", "squared error of the mean over rounds",
                                     "MSE of the mean over rounds", LDP_LESS, .high = INFINITY),
    [LONGITUDINAL_TREND] = MEASURE("mse_trend", "squared error of the change from the first round to the last",
                                   "MSE of the change", LDP_LESS, .high = INFINITY),
    {.name = NULL},
};

static void add_series(struct longitudinal *setup, struct longitudinal_data *data, size_t ichain)
{
    const size_t nmethods = data->of_chain[ichain].nmethods, nmeasures = longitudinal_measures(setup);
    struct layout *const layout = &data->of_chain[ichain].layout;
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
                    *at++ = (struct series){.method = setup->method_keys[data->of_chain[ichain].methods[m]],
                                            .query = query->keys[data->idataset],
                                            .point = point,
                                            .measure = measures[l].name};
            }
    }
    *layout = (struct layout){.nseries = count, .series = series};
}

/* The methods that suit all cells of a dataset and a chain. */
static int find_methods(struct longitudinal *setup, size_t idata, size_t ichain, struct failure *failure)
{
    struct longitudinal_data *const data = &setup->data[idata];
    const size_t budgets = setup->epsilon.count * setup->first.count;
    size_t *const method = data->of_chain[ichain].methods = xcalloc(setup->methods.count, sizeof *method);
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
            method[data->of_chain[ichain].nmethods++] = m;
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
                for (size_t k = 0; k < setup->data[i].of_chain[c].nmethods; k++)
                    used |= setup->data[i].of_chain[c].methods[k] == m;
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

        data->of_chain = xcalloc(setup->chains.count, sizeof *data->of_chain);
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
        if (setup->methods.choice[i].external)
            return json_fail(&setup->methods.at, failure,
                             "expected methods of the program for the task longitudinal, got %s",
                             setup->methods.choice[i].label);
    for (size_t i = 0; i < setup->queries.count; i++) /* of each round */
        if (setup->queries.choice[i].query->measures != ldp_squared_error)
            return json_fail(&setup->queries.at, failure,
                             "expected queries with a squared error for the task longitudinal, got %s",
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

    setup->want_average = setup->outputs >> OUTPUT_AVERAGE & 1;
    setup->grid.setup = (struct setup){.task = &task_longitudinal, .bases = SETUP_GRID};
    if (check_config(setup, root, failure) != 0 ||
        datasets_build(&setup->datasets, seed, overrides->dry_run, failure) != 0 ||
        prepare_records(setup, root, failure) != 0 ||
        queries_bind(&setup->queries, &setup->datasets, false, seed, failure) != 0 ||
        build_data(setup, root, seed, failure) != 0)
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
                 methods = (double)data->of_chain[at.ichain].nmethods, reports = (double)data->sequences->n * rounds;
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

/* ---- Repetitions ---- */

struct longitudinal_worker {
    struct worker worker;
    const struct longitudinal *setup;
    const struct longitudinal_data *data;
    struct ldp_rounds rounds;
    size_t ichain;
    struct ldp_method_spec *methods; /* of the cell */
    struct ldp_query_spec *queries;
    struct ldp_evaluation *evaluation;
    void *scratch;
    double *support;      /* [rounds][support_size] */
    double *sum, *change; /* [methods][d]: over rounds; the last minus the first */
    double *est;          /* [d] */
    double *point;        /* of a query */
    double *of_round;     /* of the evaluation */
    void *query_scratch;
};

static struct longitudinal_worker *own(struct worker *worker)
{
    assert(worker->task == &task_longitudinal);
    return (struct longitudinal_worker *)worker;
}

static void clear(struct longitudinal_worker *worker)
{
    ldp_evaluation_free(worker->evaluation);
    free(worker->methods);
    free(worker->queries);
    free(worker->scratch);
    free(worker->support);
    free(worker->sum);
    free(worker->query_scratch);
    *worker = (struct longitudinal_worker){.worker = worker->worker, .setup = worker->setup};
}

static void longitudinal_worker_free(struct worker *base)
{
    clear(own(base));
    free(base);
}

static struct worker *longitudinal_worker_new(const struct setup *base)
{
    struct longitudinal_worker *const worker = xcalloc(1, sizeof *worker);

    worker->worker.task = &task_longitudinal;
    worker->setup = longitudinal_of(base);
    return &worker->worker;
}

/* Methods, queries and their memory. */
static int begin_evaluation(struct longitudinal_worker *worker, struct failure *failure)
{
    const struct longitudinal *const setup = worker->setup;
    const struct longitudinal_data *const data = worker->data;
    const size_t nmethods = data->of_chain[worker->ichain].nmethods, nqueries = setup->queries.count,
                 d = data->sequences->d;
    size_t scratch = 1, points = 1;

    worker->methods = xcalloc(nmethods + 1, sizeof *worker->methods);
    worker->queries = xcalloc(nqueries, sizeof *worker->queries);
    for (size_t i = 0; i < nmethods; i++)
        worker->methods[i] = setup->methods.choice[data->of_chain[worker->ichain].methods[i]].spec;
    for (size_t q = 0; q < nqueries; q++) {
        const struct ldp_query_spec *const spec = &setup->queries.choice[q].specs[data->idataset];
        const size_t bytes = spec->query->scratch_bytes ? spec->query->scratch_bytes(spec, d, nmethods) : 0;

        worker->queries[q] = *spec;
        scratch = bytes > scratch ? bytes : scratch;
        points = spec->npoints > points ? spec->npoints : points;
    }
    if (nmethods > 0 &&
        ldp_evaluation_new(worker->methods, nmethods, worker->queries, nqueries, d, &worker->evaluation) != LDP_OK)
        return fail_memory(failure);
    const size_t size = worker->evaluation ? ldp_evaluation_size(worker->evaluation) : 0;
    worker->sum = xcalloc((2 * nmethods + 1) * d + nmethods * points + size, sizeof *worker->sum);
    worker->change = worker->sum + nmethods * d;
    worker->est = worker->change + nmethods * d;
    worker->point = worker->est + d;
    worker->of_round = worker->point + nmethods * points;
    worker->query_scratch = xmalloc(scratch, 1);
    return 0;
}

static int longitudinal_worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct longitudinal_worker *const worker = own(base);
    const struct longitudinal *const setup = worker->setup;
    const struct longitudinal_point at = longitudinal_point(setup, cell);

    clear(worker);
    worker->data = &setup->data[at.idata];
    worker->ichain = at.ichain;
    if (longitudinal_rounds(setup, cell, &worker->rounds, failure) != 0)
        return -1;
    const struct ldp_protocol *const report = &worker->rounds.report;
    const size_t collecting = ldp_rounds_scratch(&worker->rounds, worker->data->sequences, setup->mode),
                 estimating = ldp_estimate_scratch(report);

    worker->scratch = malloc((collecting > estimating ? collecting : estimating) + 1);
    worker->support = malloc(worker->data->rounds * report->support_size * sizeof *worker->support);
    if (!worker->scratch || !worker->support)
        return fail_memory(failure);
    return begin_evaluation(worker, failure);
}

/* Takes in the estimates of a round. */
static void add_round(struct longitudinal_worker *worker, size_t t)
{
    const size_t d = worker->rounds.d, nmethods = worker->data->of_chain[worker->ichain].nmethods;

    for (size_t i = 0; i < nmethods; i++) {
        const double *const est = ldp_evaluation_estimate(worker->evaluation, i);
        double *const sum = worker->sum + i * d, *const change = worker->change + i * d;
        const double sign = (t + 1 == worker->rounds.rounds) - (t == 0);

        for (size_t v = 0; v < d; v++)
            sum[v] = (t == 0 ? 0 : sum[v]) + est[v];
        for (size_t v = 0; v < d && (t == 0 || sign != 0); v++)
            change[v] = (t == 0 ? 0 : change[v]) + sign * est[v];
    }
}

/* One query about estimates [methods][d] of a population, into every nmeasures-th number from out on. */
static void ask(struct longitudinal_worker *worker, const struct ldp_query_spec *spec, const double *est,
                const struct ldp_population *population, const struct ldp_rng *rng, double *out)
{
    const size_t nmethods = worker->data->of_chain[worker->ichain].nmethods,
                 nmeasures = longitudinal_measures(worker->setup);
    const double **const each = xcalloc(nmethods + 1, sizeof *each);
    double *const floor = xcalloc(nmethods + 1, sizeof *floor);
    struct ldp_rng copy = *rng;

    for (size_t i = 0; i < nmethods; i++) {
        each[i] = est + i * worker->rounds.d;
        floor[i] = worker->methods[i].method->on_answers ? 0 : -INFINITY;
    }
    spec->query->measure(spec, &(struct ldp_collection){&worker->rounds.report, population->n, NULL, each[0]},
                         population, &(struct ldp_answers){nmethods, each, floor}, &copy, worker->query_scratch,
                         worker->point);
    for (size_t i = 0; i < nmethods * spec->npoints; i++)
        out[i * nmeasures] = worker->point[i];
    free(each);
    free(floor);
}

/* The mean over rounds against that of the truth. The last round minus the first, moved to the truth of the first: the
 * error is then that of the change. */
static void measure_together(struct longitudinal_worker *worker, const struct ldp_rng *rng, double *measured)
{
    const struct longitudinal_data *const data = worker->data;
    const size_t d = worker->rounds.d, nmethods = data->of_chain[worker->ichain].nmethods, last = data->rounds - 1;
    const double *const f = longitudinal_population(data, 0)->f;

    for (size_t i = 0; i < nmethods * d; i++) {
        worker->sum[i] /= (double)data->rounds;
        worker->change[i] += f[i % d];
    }
    for (size_t q = 0; q < worker->setup->queries.count; q++) {
        const struct ldp_query_spec *const spec = &worker->queries[q];

        ask(worker, spec, worker->sum, data->average, rng, measured + LONGITUDINAL_AVERAGE);
        ask(worker, spec, worker->change, longitudinal_population(data, last), rng, measured + LONGITUDINAL_TREND);
        measured += nmethods * spec->npoints * LONGITUDINAL_MEASURES;
    }
}

static int longitudinal_worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums,
                                   struct failure *failure)
{
    struct longitudinal_worker *const worker = own(base);
    const struct longitudinal *const setup = worker->setup;
    const struct ldp_rounds *const rounds = &worker->rounds;
    const size_t nmeasures = longitudinal_measures(setup);

    ldp_rounds_collect(rounds, worker->data->sequences, setup->mode, setup->want_average, rng, worker->scratch,
                       worker->support);
    if (!worker->evaluation)
        return 0;
    const size_t size = ldp_evaluation_size(worker->evaluation);

    for (size_t t = 0; t < rounds->rounds; t++) {
        const uint64_t users = ldp_rounds_users_of(rounds, worker->data->sequences->n, t);
        const double *const support = worker->support + t * rounds->report.support_size;

        ldp_estimate(&rounds->report, users, support, worker->scratch, worker->est);
        struct ldp_collection collection = {&rounds->report, users, support, NULL};
        const struct ldp_protocol observed = ldp_observed(&collection, worker->scratch);

        collection.protocol = &observed;
        collection.est = worker->est;
        ldp_evaluate(worker->evaluation, &collection, longitudinal_population(worker->data, t), rng, worker->of_round);
        for (size_t i = 0; i < size; i++) {
            double *const mean = &measured[i * nmeasures + LONGITUDINAL_MSE];

            *mean = (t == 0 ? 0 : *mean) + worker->of_round[i] / (double)rounds->rounds;
        }
        if (setup->want_average)
            add_round(worker, t);
    }
    if (setup->want_average)
        measure_together(worker, rng, measured);
    return 0;
}

/* ---- Tables ---- */

static void longitudinal_fields(const struct setup *base, size_t cell, struct field field[ROW_FIELDS])
{
    const struct longitudinal *const setup = longitudinal_of(base);
    const struct longitudinal_point at = longitudinal_point(setup, cell);
    const struct grid_dataset *const dataset = &setup->grid.datasets[at.idata];
    const struct chain_choice *const chain = &setup->chains.choice[at.ichain];

    field[0] = (struct field){.text = dataset->label, .identity = dataset->identity};
    field[1].number = (double)dataset->d;
    field[2].number = (double)dataset->n;
    field[3].number = (double)setup->data[at.idata].rounds;
    field[4].number = setup->data[at.idata].change;
    field[5] = (struct field){.text = chain->label, .identity = chain_identity(chain)};
    field[6].number = at.epsilon;
    field[7].number = at.first;
}

static size_t rows(const struct table_cell *in)
{
    const struct longitudinal *const setup = longitudinal_of(in->setup);
    const struct longitudinal_point at = longitudinal_point(setup, in->cell);

    return setup->data[at.idata].of_chain[at.ichain].layout.nseries / longitudinal_measures(setup);
}

/* Exact errors of base on all values; NAN of what else there is, or it is not known. */
static void add_exact(const struct longitudinal *setup, size_t cell, bool is_base, struct field *field)
{
    const struct longitudinal_data *const data = &setup->data[longitudinal_point(setup, cell).idata];
    struct ldp_rounds rounds;
    struct failure ignored = NO_REASON;
    struct ldp_round_errors exact = {NAN, NAN, NAN};

    if (is_base && longitudinal_rounds(setup, cell, &rounds, &ignored) == 0 &&
        !(rounds.report.flags & (LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED | LDP_ORACLE_SKETCH)))
        ldp_rounds_errors(&rounds, data->sequences, &exact);
    field[0].number = exact.round;
    if (setup->want_average) {
        field[1].number = exact.average;
        field[2].number = exact.trend;
    }
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct longitudinal *const setup = longitudinal_of(in->setup);
    const struct longitudinal_point at = longitudinal_point(setup, in->cell);
    const struct longitudinal_data *const data = &setup->data[at.idata];
    const size_t nmeasures = longitudinal_measures(setup), nmethods = data->of_chain[at.ichain].nmethods;
    size_t q = 0, of_query = index;

    while (of_query >= nmethods * setup->queries.choice[q].specs[data->idataset].npoints)
        of_query -= nmethods * setup->queries.choice[q++].specs[data->idataset].npoints;
    const struct query_choice *const query = &setup->queries.choice[q];
    const struct ldp_query_spec *const spec = &query->specs[data->idataset];
    const struct method_choice *const method =
        &setup->methods.choice[data->of_chain[at.ichain].methods[of_query / spec->npoints]];

    row->field[0] = method_field(method);
    row->field[1] = query_field(query);
    row->field[2].number = spec->points ? spec->points[of_query % spec->npoints] : (double)NAN;
    add_exact(setup, in->cell,
              spec->query->whole_domain && !method->spec.method->apply && !method->spec.method->on_answers,
              &row->field[3]);
    row_series(row, index * nmeasures, nmeasures);
}

#define CELL_COLUMNS                                                                                                   \
    {"experiment", COLUMN_EXPERIMENT, PART_NONE}, {"dataset", COLUMN_CELL, PART_DATASET},                              \
        {"d", COLUMN_CELL, PART_DOMAIN}, {"n", COLUMN_CELL, PART_USERS}, {"rounds", COLUMN_CELL, PART_NONE},           \
        {"change", COLUMN_CELL, PART_NONE}, {"chain", COLUMN_CELL, PART_ALGORITHM},                                    \
        {"epsilon", COLUMN_CELL, PART_BUDGET},                                                                         \
    {                                                                                                                  \
        "first", COLUMN_CELL, PART_NONE                                                                                \
    }

/* ---- budget.csv: what chains protect; nothing is simulated ---- */

static void longitudinal_privacy(const struct setup *base, size_t cell, struct privacy_losses *losses)
{
    const struct longitudinal *const setup = longitudinal_of(base);
    const struct longitudinal_point at = longitudinal_point(setup, cell);
    const char *const chain = setup->chains.choice[at.ichain].label;
    struct ldp_protection protection;
    struct ldp_rounds rounds;
    struct failure ignored = NO_REASON;

    if (longitudinal_rounds(setup, cell, &rounds, &ignored) != 0)
        return;
    ldp_rounds_protection(&rounds, &protection);
    loss_add(losses, chain, "one report", protection.report, protection.report);
    loss_add(losses, chain, "all reports, same value", protection.unchanged, protection.unchanged);
    loss_add(losses, chain, "all reports, any values", protection.sequence_low, protection.sequence_high);
}

static int write_budget(struct table_writer *w, size_t cell)
{
    const struct longitudinal *const setup = longitudinal_of(w->experiment->setup);
    const struct longitudinal_data *const data = &setup->data[longitudinal_point(setup, cell).idata];
    struct ldp_protection protection;
    struct ldp_attack_success attack = {NAN, NAN, NAN, NAN}, held = attack;
    struct ldp_rounds rounds;

    if (longitudinal_rounds(setup, cell, &rounds, w->failure) != 0)
        return -1;
    ldp_rounds_protection(&rounds, &protection);
    if (ldp_rounds_attack(&rounds, data->average->f, &attack, NULL) == LDP_ENOMEM ||
        ldp_rounds_attack_known(&rounds, data->sequences, data->average->f, &held, NULL) == LDP_ENOMEM)
        return fail_memory(w->failure);
    const struct summary exact[] = {
        {.mean = rounds.epsilon},
        {.mean = protection.report},
        {.mean = protection.unchanged},
        {.mean = protection.sequence_low},
        {.mean = protection.sequence_high},
        {.mean = protection.accounted},
        {.mean = ldp_rounds_memos(&rounds, data->sequences)},
        {.mean = rounds.chain->form->seen ? rounds.chain->form->seen(&rounds) : (double)NAN},
        {.mean = attack.success, .stderr_ = attack.error > 0 ? attack.error : (double)NAN},
        {.mean = attack.advantage},
        {.mean = held.success, .stderr_ = held.error > 0 ? held.error : (double)NAN},
    };
    table_write_summaries(w, &(struct table_row){.field = {{.number = attack.guess}}}, exact);
    return 0;
}

static const struct ldp_measure budget_measures[] = {
    MEASURE("epsilon_memo", "epsilon of a memoized report; without memoization of all reports", "epsilon", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_report", "epsilon of one report", "epsilon", LDP_LESS, .high = INFINITY),
    MEASURE("epsilon_unchanged", "epsilon of all reports of a user whose value stays", "epsilon", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_sequence_low", "epsilon of all reports of any values: no less", "epsilon", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_sequence", "epsilon of all reports of any values: no more", "epsilon", LDP_LESS, .high = INFINITY),
    MEASURE("epsilon_worst", "epsilon of a memoized report times their largest number", "epsilon", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_memos", "epsilon of a memoized report times the mean number of them of a user", "epsilon",
            LDP_LESS, .high = INFINITY),
    MEASURE("changes_seen", "share of changes that change a memoized report", "changes visible", LDP_LESS, .high = 1),
    ATTACK_MEASURES("a value that stays, from all reports,"),
    MEASURE("attack_held", "how often a round's value is guessed from all reports if the rounds that have it are known",
            "attack success", LDP_LESS, .high = 1),
    {.name = NULL},
};

static const struct table_column budget_columns[] = {
    CELL_COLUMNS,
    {"guess", COLUMN_FACT, PART_NONE},
    {"attack_success_stderr", COLUMN_STDERR, 8},
    {"attack_held_stderr", COLUMN_STDERR, 10},
};

static const struct task_table budget_table = {
    TABLE("budget.csv", "what chains protect", "chain", FORM_PLAIN, budget_columns, budget_measures), .each = EACH_MEAN,
    .write = write_budget};

static void longitudinal_tables(const struct setup *base, struct task_tables *out)
{
    static const struct table_column columns[] = {
        CELL_COLUMNS,
        {"method", COLUMN_KEY, PART_METHOD},
        {"query", COLUMN_KEY, PART_QUERY},
        {"parameter", COLUMN_KEY, PART_POINT},
        {"repetitions", COLUMN_REPETITIONS, 0},
        {"mse_exact", COLUMN_FACT, PART_NONE},
        {"mse_average_exact", COLUMN_FACT, PART_NONE},
        {"mse_trend_exact", COLUMN_FACT, PART_NONE},
    };
    const size_t nmeasures = base ? longitudinal_measures(longitudinal_of(base)) : LONGITUDINAL_MEASURES;
    struct task_table table = {TABLE("longitudinal.csv", "errors of rounds", "chain", FORM_PLAIN, columns, measures),
                               .each = EACH_MEAN | EACH_SD | EACH_STDERR, .rows = rows, .row = row};

    table.table.ncolumns -= LONGITUDINAL_MEASURES - nmeasures;
    tables_add_chosen(out, table, (UINT64_C(1) << nmeasures) - 1);
    if (!base || longitudinal_of(base)->outputs >> OUTPUT_BUDGET & 1)
        tables_add(out, &budget_table);
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
    .privacy_losses = longitudinal_privacy,
};

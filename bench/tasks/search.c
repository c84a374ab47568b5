/* search.c - the task `search`: which strings are frequent, over datasets of strings, oracles, epsilon and protocols.
 *
 * One repetition is one simulated search by each protocol, from a stream of its own, so that a protocol's result does
 * not depend on the others. search.csv has a row for each protocol and target.
 *
 * This file is over 500 lines: a task with its attacks, which nothing else uses. */
#include "attacks/attack.h"
#include "config/attack_keys.h"
#include "config/searches.h"
#include "stats/search_measures.h"
#include "strings.h"
#include "support/clock.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"
#include "tasks/grid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct search {
    struct grid grid;
    struct axes axes;
    struct search_list protocols;
    struct target_list targets;
    struct attack_list attacks;
    uint64_t outputs;
    const char **protocol_keys, **target_labels;
    struct layout layout;
    size_t attacks_first; /* the first series of attacks */
};

/* A repetition's malicious users, and what was found without them. */
struct search_attackers {
    struct ldp_attackers now;
    struct ldp_rng rng;
    uint32_t *injected;
    ldp_uint128 *clean;
    size_t room;
};

struct search_worker {
    struct worker worker;
    const struct search *search;
    const struct dataset *dataset;
    size_t idataset;
    struct ldp_search_state **state; /* of each protocol */
    struct search_attackers attackers;
};

static const struct search *search_of(const struct setup *setup)
{
    assert(setup->task == &task_search);
    return (const struct search *)setup;
}

enum { OUTPUT_SEARCH, OUTPUT_TIMES, OUTPUT_INTERVALS };
static const char *const outputs[] = {
    [OUTPUT_SEARCH] = "search", [OUTPUT_TIMES] = "times", [OUTPUT_INTERVALS] = "intervals", NULL};

static const struct config_key keys[] = {
    AXES_KEYS(struct search, axes, CONFIG_STRINGS),
    KEY("protocols", "the search protocols; \"all\": every one with its defaults",
        "[{\"name\": \"pem\", \"keep\": [10, 20]}]", .required = true, .type = &config_searches,
        CONFIG_MEMBER(struct search, protocols, struct search_list)),
    KEY("targets", "what is to be found; default: the 10 most frequent strings", "{\"top\": [10, 20]}",
        .type = &config_targets, CONFIG_MEMBER(struct search, targets, struct target_list), .fallback = NAN),
    CONFIG_ATTACKS(struct search, attacks),
    KEY("outputs",
        "times: also seconds of a repetition and, with reports, of clients and server; "
        "intervals: whether 95 % intervals of the strings returned cover their frequencies",
        "[\"search\", \"times\"]", CONFIG_CHOICES(struct search, outputs), .choices = outputs, .fallback = 1),
    {.name = NULL},
};

/* The measures that the outputs ask for. */
static uint64_t choice_of(uint64_t asked)
{
    enum { ALL = (1 << SEARCH_ALL_MEASURES) - 1, TIMES = (1 << SEARCH_COVERAGE) - (1 << SEARCH_SECONDS) };
    const uint64_t intervals = UINT64_C(1) << SEARCH_COVERAGE | UINT64_C(1) << SEARCH_WIDTH;

    return ALL & ~(asked >> OUTPUT_TIMES & 1 ? 0 : TIMES) & ~(asked >> OUTPUT_INTERVALS & 1 ? 0 : intervals);
}

/* ---- Setup ---- */

static void free_setup(struct setup *setup)
{
    struct search *const search = (struct search *)setup;

    axes_clear(&search->axes);
    searches_clear(&search->protocols);
    targets_clear(&search->targets);
    algorithms_clear(&attack_kind, &search->attacks.list);
    free(search->protocol_keys);
    free(search->target_labels);
    free(search->layout.series);
    grid_clear(&search->grid);
    free(search);
}

static struct ldp_search_input search_input_of(const struct search *search, size_t cell)
{
    const struct grid_point at = grid_point(&search->grid, cell);
    const struct dataset *const dataset = search->axes.datasets.dataset[at.idataset];

    return (struct ldp_search_input){
        .strings = &dataset->strings->strings,
        .histogram = dataset->population->histogram,
        .oracle = &search->axes.oracles.choice[at.ioracle].spec,
        .epsilon = search->axes.epsilon.values[at.iepsilon],
        .mode = search->axes.mode,
        .intervals = search->outputs >> OUTPUT_INTERVALS & 1,
    };
}

/* ---- Malicious users: search_attacks.csv ---- */

/* Malicious users are a fraction of every group, and in every round they send reports that support the candidates which
 * are prefixes of the injected strings. Genuine users are those of the same search without them, up to the first round
 * whose candidates differ. */

enum { INJECTED, INJECTED_CLEAN, RECALL, RECALL_CLEAN, MEASURES };

static const struct ldp_measure attack_measures[] = {
    [INJECTED] = MEASURE("planted", "injected strings outside the true target that are found",
                         "share of injected strings", LDP_LESS, .high = 1),
    [INJECTED_CLEAN] =
        MEASURE("planted_clean", "the same without malicious users", "share without attack", LDP_NEUTRAL, .high = 1),
    [RECALL] = MEASURE("recall", "share of the target that is found, under attack", "recall", LDP_MORE, .high = 1),
    [RECALL_CLEAN] =
        MEASURE("recall_clean", "the same without malicious users", "recall without attack", LDP_MORE, .high = 1),
    [MEASURES] = {.name = NULL},
};

static int check_cell(const struct search *search, size_t cell, struct failure *failure)
{
    for (size_t i = 0; i < search->protocols.count * search->attacks.count; i++) {
        const struct search_choice *const protocol = &search->protocols.choice[i / search->attacks.count];
        const struct attack_choice *const attack = &search->attacks.choice[i % search->attacks.count];
        const struct ldp_attackers attackers = {.spec = attack->spec};
        struct ldp_search_input input = search_input_of(search, cell);
        struct ldp_reason reason;

        input.attackers = &attackers;
        if (ldp_search_configure(&protocol->spec, &input, NULL, &reason) != LDP_OK)
            return json_fail(&attack->at, failure,
                             "expected an attack that suits every protocol and oracle, got %s: %s", attack->label,
                             reason.text);
    }
    return 0;
}

static int search_attacks_prepare(struct search *search, struct failure *failure)
{
    if (attacks_bind(&search->attacks, &search->axes.datasets, failure) != 0)
        return -1;
    for (size_t cell = 0; cell < search->grid.setup.ncells; cell++)
        if (check_cell(search, cell, failure) != 0)
            return -1;
    return 0;
}

/* Protocol, then attack, then fraction, then target, then measure. */
static size_t search_attacks_series(struct search *search, struct series *series)
{
    const size_t points = attacks_points(&search->attacks), ntargets = search->targets.count,
                 count = search->protocols.count * points * ntargets * MEASURES;

    for (size_t i = 0; series && i < count; i++) {
        const size_t at = i / MEASURES / ntargets;
        const struct attack_point point = attacks_point(&search->attacks, at % points);
        char number[NUMBER_TEXT];
        char *const text =
            xformat("%s %s", search->target_labels[i / MEASURES % ntargets], format_number(point.fraction, number));

        series[i] = (struct series){.method = search->protocol_keys[at / points],
                                    .query = point.attack->key,
                                    .point = texts_keep(&search->grid.texts, text),
                                    .measure = attack_measures[i % MEASURES].name};
    }
    return count;
}

static void search_attacks_clear(struct search_worker *worker)
{
    free(worker->attackers.injected);
    free(worker->attackers.clean);
    worker->attackers = (struct search_attackers){0};
}

/* There are none yet, but any may come. */
static void search_attacks_begin(struct search_worker *worker)
{
    const struct attack_list *const attacks = &worker->search->attacks;

    search_attacks_clear(worker);
    worker->attackers.injected = xcalloc(attacks_targets(attacks, worker->idataset), sizeof(uint32_t));
    worker->attackers.now = (struct ldp_attackers){.spec = attacks->choice[0].spec, .rng = &worker->attackers.rng};
}

static bool is_in_target(const struct ldp_population *population, const struct ldp_target *target, uint32_t v)
{
    const size_t size = ldp_target_size(target, population);

    for (size_t i = 0; i < size; i++)
        if (population->rank[i] == v)
            return true;
    return false;
}

static bool is_found(const struct ldp_search_result *result, const struct ldp_target *target, ldp_uint128 key)
{
    for (size_t i = 0; i < result->nfound && (target->top == 0 || i < target->top); i++)
        if (result->found[i].key == key)
            return target->top > 0 || result->found[i].est >= target->threshold;
    return false;
}

static double share_of_injected(const struct search_worker *worker, const struct ldp_search_result *result,
                                const struct ldp_target *target)
{
    const struct ldp_strings *const strings = &worker->dataset->strings->strings;
    size_t external = 0, found = 0;

    for (size_t k = 0; k < worker->attackers.now.ninjected; k++) {
        const uint32_t v = worker->attackers.now.injected[k];

        if (is_in_target(worker->dataset->population, target, v))
            continue;
        external++;
        found += is_found(result, target, strings->key[v]);
    }
    return external > 0 ? (double)found / (double)external : (double)NAN;
}

/* The attack_measures of a result: of every target, those of the attack at 0, without it at 1. */
static void measure(const struct search_worker *worker, const struct ldp_search_result *result, size_t clean,
                    double *values)
{
    const struct search *const search = worker->search;

    for (size_t t = 0; t < search->targets.count; t++, values += MEASURES) {
        double of[LDP_SEARCH_MEASURES];

        ldp_search_measure(&worker->dataset->strings->strings, worker->dataset->population, result,
                           &search->targets.target[t], of);
        values[INJECTED + clean] = share_of_injected(worker, result, &search->targets.target[t]);
        values[RECALL + clean] = of[LDP_RECALL];
    }
}

static void choose_injected(struct search_worker *worker, const struct attack_choice *attack)
{
    const struct attack_on *const on = &attack->on[worker->idataset];
    struct search_attackers *const attackers = &worker->attackers;

    attackers->now.spec = attack->spec;
    attackers->now.ninjected = on->r;
    attackers->now.injected = on->target;
    if (!on->target) {
        ldp_attack_draw(&attackers->rng, worker->dataset->population->d, on->r, attackers->injected);
        attackers->now.injected = attackers->injected;
    }
}

static enum ldp_status search_attacks_run(struct search_worker *worker, size_t i, uint64_t seed,
                                          const struct ldp_search_result *result, double *values,
                                          struct ldp_reason *reason)
{
    const struct search *const search = worker->search;
    struct ldp_search_result clean = *result;
    struct ldp_found *const found = xcalloc(result->nfound + 1, sizeof *found);
    enum ldp_status status = LDP_OK;

    memcpy(found, result->found, result->nfound * sizeof *found);
    clean.found = found;
    for (size_t k = 0; status == LDP_OK && k < attacks_points(&search->attacks); k++) {
        const struct attack_point point = attacks_point(&search->attacks, k);
        struct ldp_rng stream;

        ldp_rng_stream(&worker->attackers.rng, seed, point.attack->key, 0);
        choose_injected(worker, point.attack);
        worker->attackers.now.fraction = point.fraction;
        ldp_rng_stream(&stream, seed, search->protocol_keys[i], 0);
        status = ldp_search_run(worker->state[i], &stream, &result, reason);
        worker->attackers.now.fraction = 0;
        if (status != LDP_OK)
            break;
        measure(worker, result, 0, values);
        measure(worker, &clean, 1, values);
        values += search->targets.count * MEASURES;
    }
    free(found);
    return status;
}

static size_t attack_rows(const struct table_cell *in)
{
    const struct search *const search = search_of(in->setup);

    return search->protocols.count * attacks_points(&search->attacks) * search->targets.count;
}

static struct field protocol_field(const struct search_choice *protocol)
{
    return (struct field){.text = protocol->label,
                          .identity = {.name = protocol->spec.search->name,
                                       .params = protocol->spec.search->params,
                                       .value = protocol->spec.param}};
}

static void attack_row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct search *const search = search_of(in->setup);
    const size_t points = attacks_points(&search->attacks), at = index / search->targets.count;
    const struct search_choice *const protocol = &search->protocols.choice[at / points];
    const struct attack_point point = attacks_point(&search->attacks, at % points);

    row->field[0] = protocol_field(protocol);
    row->field[1].text = search->target_labels[index % search->targets.count];
    attack_fields(point, point.attack->on[grid_point(&search->grid, in->cell).idataset].r, row->field + 2);
    row_series(row, search->attacks_first + index * MEASURES, MEASURES);
}

static const struct table_column attack_columns[] = {
    GRID_COLUMNS,
    {"protocol", COLUMN_KEY, PART_ALGORITHM},
    {"target", COLUMN_KEY, PART_TARGET},
    ATTACK_COLUMNS,
    {"repetitions", COLUMN_REPETITIONS, 0},
    MEAN_COLUMNS("planted", INJECTED),
    MEAN_COLUMNS("planted_clean", INJECTED_CLEAN),
    MEAN_COLUMNS("recall", RECALL),
    MEAN_COLUMNS("recall_clean", RECALL_CLEAN),
    {"planted_defined", COLUMN_DEFINED, INJECTED},
    {"planted_clean_defined", COLUMN_DEFINED, INJECTED_CLEAN},
};

static const struct task_table search_attacks_table = {
    TABLE("search_attacks.csv", "injected strings that malicious users get into the answer", "protocol", FORM_PLAIN,
          attack_columns, attack_measures),
    .rows = attack_rows, .row = attack_row};

/* ---- Preparing ---- */

/* Whether every protocol suits every cell. */
static int check_cells(const struct search *search, struct failure *failure)
{
    for (size_t cell = 0; cell < search->grid.setup.ncells; cell++) {
        const struct ldp_search_input input = search_input_of(search, cell);
        const struct grid_point at = grid_point(&search->grid, cell);
        struct ldp_reason reason;

        for (size_t i = 0; i < search->protocols.count; i++)
            switch (ldp_search_configure(&search->protocols.choice[i].spec, &input, NULL, &reason)) {
            case LDP_OK: break;
            case LDP_ENOMEM: return fail_memory(failure);
            default:
                return json_fail(&search->protocols.at, failure, "%s on %s with %s, epsilon = %s: %s",
                                 search->protocols.choice[i].label, search->axes.datasets.dataset[at.idataset]->name,
                                 search->axes.oracles.choice[at.ioracle].label, search->grid.epsilon_keys[at.iepsilon],
                                 reason.text);
            }
    }
    return 0;
}

/* Notes what protocols that plan expect of each cell; check_cells refused what does not suit. */
static void add_forecasts(struct search *search)
{
    for (size_t cell = 0; cell < search->grid.setup.ncells; cell++) {
        const struct ldp_search_input input = search_input_of(search, cell);
        const struct grid_point at = grid_point(&search->grid, cell);

        for (size_t i = 0; i < search->protocols.count; i++) {
            const struct search_choice *const protocol = &search->protocols.choice[i];
            struct ldp_search_forecast forecast;
            struct ldp_reason reason;

            if (!protocol->spec.search->forecast ||
                ldp_search_expect(&protocol->spec, &input, &forecast, &reason) != LDP_OK)
                continue;
            char *const expected = search_expectation(&forecast);
            texts_keep(&search->grid.setup.notes,
                       xformat("%s on %s, n = %llu, %s, epsilon %s, %s", protocol->label,
                               search->axes.datasets.dataset[at.idataset]->name, (unsigned long long)input.histogram.n,
                               search->axes.oracles.choice[at.ioracle].label, search->grid.epsilon_keys[at.iepsilon],
                               expected));
            free(expected);
        }
    }
}

static void name_all(struct search *search)
{
    struct texts *const texts = &search->grid.texts;

    for (size_t i = 0; i < search->axes.datasets.count; i++) {
        const struct dataset *const dataset = search->axes.datasets.dataset[i];

        search->grid.datasets[i] = grid_dataset(dataset, &search->layout);
        search->grid.setup.shared_bytes += 36.0 * (double)dataset->population->d;
    }
    search->protocol_keys = xcalloc(search->protocols.count, sizeof *search->protocol_keys);
    search->target_labels = xcalloc(search->targets.count, sizeof *search->target_labels);
    for (size_t i = 0; i < search->protocols.count; i++) {
        const struct ldp_search_spec *const spec = &search->protocols.choice[i].spec;
        char *const key = algorithm_text(spec->search->name, spec->search->params, spec->param, true);

        search->protocol_keys[i] = texts_keep(texts, key);
    }
    for (size_t i = 0; i < search->targets.count; i++)
        search->target_labels[i] = texts_keep(texts, target_text(&search->targets.target[i]));
}

static void lay_out(struct search *search)
{
    const uint64_t choice = choice_of(search->outputs);
    const size_t nmeasures = measures_chosen(choice), ntargets = search->targets.count;
    const size_t count = search->protocols.count * ntargets * nmeasures, attacks = search_attacks_series(search, NULL);

    search->attacks_first = count;
    struct series *const series = xmalloc(count + attacks, sizeof *series);
    for (size_t i = 0; i < count; i++)
        series[i] = (struct series){.method = search->protocol_keys[i / nmeasures / ntargets],
                                    .query = search->target_labels[i / nmeasures % ntargets],
                                    .point = "",
                                    .measure = search_measures[measure_chosen(choice, i % nmeasures)].name};
    search_attacks_series(search, series + count);
    search->layout = (struct layout){.nseries = count + attacks, .series = series};
}

static int prepare_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                         struct setup *base, struct failure *failure)
{
    struct search *const search = (struct search *)base;
    struct grid *const grid = &search->grid;

    if (oracles_demand_own(&search->axes.oracles, "the task search", failure) != 0 ||
        axes_build(root, overrides, seed, &search->axes, failure) != 0)
        return -1;
    grid_init(grid, &task_search, &search->axes);
    name_all(search);
    if (check_cells(search, failure) != 0 || search_attacks_prepare(search, failure) != 0)
        return -1;
    lay_out(search);
    const double start = clock_seconds();
    if (overrides->dry_run)
        add_forecasts(search);
    base->outlook_seconds = clock_seconds() - start;
    return 0;
}

/* Nanoseconds of one operation, roughly: one value of a collection by counts and its estimate; one operation of the
 * server; one client. */
static const double of_value = 25, of_operation = 1.5, of_client = 40;

/* Nanoseconds of a user, or of a string of several users, who is put into a group. */
static const double of_member = 8;

/* Adds a round: a collection over the candidates and what else is in the domain. Operations are counted; the time of
 * each is a rough average, which --dry-run replaces by a measured one where a repetition is short enough. The memory is
 * that of the largest round. */
static void add_cost(const struct ldp_search_input *input, const struct ldp_search_round_size *round,
                     struct cell_cost *cost)
{
    const double d = fmin(fmax(round->candidates + round->others, 2), UINT32_MAX);
    struct ldp_protocol protocol;
    struct ldp_cost work = {0};

    if (ldp_protocol_init(&protocol, input->oracle, (size_t)d, round->epsilon, NULL) != LDP_OK)
        return;
    if (protocol.oracle->cost)
        protocol.oracle->cost(&protocol, &work);

    const bool sketch = protocol.flags & LDP_ORACLE_SKETCH;
    const struct ldp_histogram histogram = {.d = (size_t)d, .n = (uint64_t)fmax(1, round->users)};
    const double simulation = (double)ldp_collect_scratch(&protocol, &histogram, input->mode),
                 estimate = (double)ldp_estimate_scratch(&protocol);

    /* A sketch estimates candidates alone. */
    const double once = work.collection_operations * (sketch ? round->candidates / d : 1);

    cost->nanoseconds += of_operation * once + of_member * fmin(round->users, (double)input->histogram.d);
    cost->nanoseconds += input->mode == LDP_COUNTS
                             ? of_value * ((double)protocol.support_size + (sketch ? round->others : 0))
                             : (of_client + of_operation * work.report_operations) * round->users;
    cost->worker_bytes =
        fmax(cost->worker_bytes, fmax(simulation, estimate) + 8 * ((double)protocol.support_size + 2 * d));
}

/* The rounds of all protocols, one after another, in the same memory. */
static struct cell_cost cost(const struct setup *setup, size_t cell)
{
    const struct search *const search = search_of(setup);
    const struct ldp_search_input input = search_input_of(search, cell);
    const double n = (double)input.histogram.n, d = (double)input.histogram.d;
    struct cell_cost all = {0};

    for (size_t i = 0; i < search->protocols.count; i++) {
        struct cell_cost own = {.worker_bytes = 0};
        struct ldp_search_rounds rounds = {0};

        if (ldp_search_rounds(&search->protocols.choice[i].spec, &input, &rounds, NULL) != LDP_OK)
            continue;
        for (size_t k = 0; k < rounds.count; k++)
            add_cost(&input, &rounds.round[k], &own);
        all.nanoseconds += own.nanoseconds + of_member * fmin(n, 64 * d);
        all.worker_bytes = fmax(all.worker_bytes, own.worker_bytes + 14 * fmin(n, (double)rounds.count * d));
    }
    return all;
}

/* ---- Repetitions ---- */

static struct search_worker *own(struct worker *worker)
{
    assert(worker->task == &task_search);
    return (struct search_worker *)worker;
}

static struct worker *worker_new(const struct setup *setup)
{
    const struct search *const search = search_of(setup);
    struct search_worker *const worker = xcalloc(1, sizeof *worker);

    worker->worker.task = &task_search;
    worker->search = search;
    worker->state = xcalloc(search->protocols.count, sizeof(struct ldp_search_state *));
    return &worker->worker;
}

static void clear_states(struct search_worker *worker)
{
    for (size_t i = 0; i < worker->search->protocols.count; i++) {
        ldp_search_free(worker->state[i]);
        worker->state[i] = NULL;
    }
}

static void worker_free(struct worker *base)
{
    struct search_worker *const worker = own(base);

    clear_states(worker);
    search_attacks_clear(worker);
    free(worker->state);
    free(worker);
}

static int failed(enum ldp_status status, const char *label, const struct ldp_reason *reason, struct failure *failure)
{
    if (status == LDP_ENOMEM && !*reason->text)
        return fail_memory(failure);
    return fail(failure, status == LDP_ENOMEM ? EXIT_MACHINE : EXIT_BAD_INPUT, "protocol %s: %s", label, reason->text);
}

static int worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct search_worker *const worker = own(base);
    const struct search *const search = worker->search;
    struct ldp_search_input input = search_input_of(search, cell);

    clear_states(worker);
    worker->idataset = grid_point(&search->grid, cell).idataset;
    worker->dataset = search->axes.datasets.dataset[worker->idataset];
    if (search->attacks.count > 0) {
        search_attacks_begin(worker);
        input.attackers = &worker->attackers.now;
    }
    struct ldp_reason reason;
    for (size_t i = 0; i < search->protocols.count; i++) {
        const struct search_choice *const protocol = &search->protocols.choice[i];
        const enum ldp_status status = ldp_search_new(&protocol->spec, &input, &worker->state[i], &reason);

        if (status != LDP_OK)
            return failed(status, protocol->label, &reason, failure);
    }
    return 0;
}

static int worker_run(struct worker *base, struct ldp_rng *rng, double *values, double *sums, struct failure *failure)
{
    struct search_worker *const worker = own(base);
    const struct search *const search = worker->search;
    const uint64_t choice = choice_of(search->outputs);
    const size_t nmeasures = measures_chosen(choice);
    const uint64_t seed = ldp_rng_next(rng);
    double *const attacked = values + search->attacks_first;

    for (size_t i = 0; i < search->protocols.count; i++) {
        struct ldp_rng stream;

        ldp_rng_stream(&stream, seed, search->protocol_keys[i], 0);

        const struct ldp_search_result *result;
        struct ldp_reason reason;
        enum ldp_status status = ldp_search_run(worker->state[i], &stream, &result, &reason);

        if (status != LDP_OK)
            return failed(status, search->protocols.choice[i].label, &reason, failure);
        for (size_t t = 0; t < search->targets.count; t++, values += nmeasures) {
            double measure[SEARCH_ALL_MEASURES];

            search_measure(&worker->dataset->strings->strings, worker->dataset->population, result,
                           &search->targets.target[t], measure);
            for (size_t m = 0; m < nmeasures; m++)
                values[m] = measure[measure_chosen(choice, m)];
        }
        if (search->attacks.count > 0) {
            const size_t each = (search->layout.nseries - search->attacks_first) / search->protocols.count;

            status = search_attacks_run(worker, i, seed, result, attacked + i * each, &reason);
            if (status != LDP_OK)
                return failed(status, search->protocols.choice[i].label, &reason, failure);
        }
        /* One memory serves all protocols. */
        if (search->protocols.count > 1)
            ldp_search_exchange_memory(worker->state[i], worker->state[(i + 1) % search->protocols.count]);
    }
    return 0;
}

/* ---- search.csv ---- */

static size_t rows(const struct table_cell *in)
{
    const struct search *const search = search_of(in->setup);

    return search->protocols.count * search->targets.count;
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct search *const search = search_of(in->setup);
    const uint64_t choice = choice_of(search->outputs);
    const size_t nmeasures = measures_chosen(choice);

    const struct search_choice *const protocol = &search->protocols.choice[index / search->targets.count];

    row->field[0] = protocol_field(protocol);
    row->field[1].text = search->target_labels[index % search->targets.count];
    for (size_t m = 0; m < nmeasures; m++) {
        const size_t measure = measure_chosen(choice, m);
        const bool of_reports = measure > SEARCH_SECONDS && measure <= SEARCH_OWN_SECONDS;

        row->series[m] = of_reports && search->axes.mode == LDP_COUNTS ? SERIES_NONE : index * nmeasures + m;
    }
}

static void tables(const struct setup *setup, struct task_tables *out)
{
    static const struct table_column columns[] = {
        GRID_COLUMNS,
        {"protocol", COLUMN_KEY, PART_ALGORITHM},
        {"target", COLUMN_KEY, PART_TARGET},
        {"repetitions", COLUMN_REPETITIONS, 0},
    };
    const struct task_table table = {
        TABLE("search.csv", "frequent strings that are found", "protocol", FORM_PLAIN, columns, search_measures),
        .each = EACH_MEAN | EACH_SD | EACH_STDERR, .rows = rows, .row = row};

    tables_add_chosen(out, table, choice_of(setup ? search_of(setup)->outputs : UINT64_MAX));
    if (!setup || search_of(setup)->attacks.count > 0)
        tables_add(out, &search_attacks_table);
}

const struct task task_search = {
    .name = "search",
    .title = "frequent strings: what protocols find, over datasets of strings, oracles and epsilon",
    .source = "PVLDB 2021, sec. 5 and 8",
    .keys = keys,
    .setup_size = sizeof(struct search),
    .prepare = prepare_setup,
    .free = free_setup,
    .cell_key = grid_cell_key,
    .collection_key = grid_collection_key,
    .layout = grid_layout,
    .cost = cost,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .worker_begin = worker_begin,
    .worker_run = worker_run,
    .tables = tables,
    .fields = grid_fields,
};

/* marginals.c - the task `marginals`: errors of synopses on the joint frequencies of small sets of attributes.
 *
 * One repetition: every synopsis collects from all users, each from the same stream, and answers all marginals that are
 * asked for. A number of a repetition is the mean over the marginals of one k (marginals_worker.c). */
#include "tasks/marginals.h"

#include "support/memory.h"
#include "support/numbers.h"
#include "support/progress.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_ERRORS, OUTPUT_PARTS, OUTPUT_MARGINALS, OUTPUT_TIMES, OUTPUT_PROTECTION, OUTPUT_INTERVALS };

static const char *const outputs[] = {[OUTPUT_ERRORS] = "errors",
                                      [OUTPUT_PARTS] = "parts",
                                      [OUTPUT_MARGINALS] = "marginals",
                                      [OUTPUT_TIMES] = "times",
                                      [OUTPUT_PROTECTION] = "protection",
                                      [OUTPUT_INTERVALS] = "intervals",
                                      NULL};

static const char *const equals[] = {
    [LDP_EQUAL_STATED] = "stated", [LDP_EQUAL_TUPLE] = "tuple", [LDP_EQUAL_ATTRIBUTE] = "attribute", NULL};

static const struct config_key keys[] = {
    AXES_KEYS(struct marginals_setup, axes, CONFIG_RECORDS),
    KEY("synopses", "the synopses: how tables are chosen, collected and combined; \"all\": every one with its defaults",
        "[\"calm\", {\"name\": \"calm\", \"m\": 20, \"l\": 6}, \"product\"]", .required = true,
        .type = &config_synopses, CONFIG_MEMBER(struct marginals_setup, synopses, struct synopsis_list)),
    KEY("marginals", "the marginals that are asked for: random ones of k attributes, or a list of sets of attributes",
        "{\"k\": [2, 3, 6], \"count\": 50}", .required = true, .type = &config_wanted,
        CONFIG_MEMBER(struct marginals_setup, wanted, struct wanted_marginals), .max = LDP_ATTRIBUTES_MAX - 1),
    CONFIG_ATTACKS(struct marginals_setup, attacks),
    KEY("equal",
        "what epsilon protects: what each synopsis takes it for (stated), or the same for all: whole "
        "records (tuple), or one attribute",
        "\"tuple\"", CONFIG_CHOICE(struct marginals_setup, equal), .choices = equals, .fallback = LDP_EQUAL_STATED),
    KEY("outputs",
        "errors are always written; parts: those of noise, sampling and reconstruction, and what the synopsis "
        "predicts; marginals: every cell's truth and mean estimate; times: seconds of a repetition; "
        "protection: exact epsilons of a record and of one attribute; intervals: whether 95 % intervals of cells hold the truth (of plan, calm, calm_shrunk, product, rem, maxent, "
        "by oracles of independent supports and grr)",
        "[\"parts\", \"times\"]", CONFIG_CHOICES(struct marginals_setup, outputs), .choices = outputs,
        .fallback = 1 << OUTPUT_ERRORS),
    {.name = NULL},
};

const struct marginals_setup *marginals_of(const struct setup *setup)
{
    assert(setup->task == &task_marginals);
    return (const struct marginals_setup *)setup;
}

static void free_setup(struct setup *base)
{
    struct marginals_setup *const setup = (struct marginals_setup *)base;

    for (size_t i = 0; setup->of && i < setup->axes.datasets.count; i++) {
        struct marginals_dataset *const of = &setup->of[i];

        for (size_t s = 0; of->designs && s < setup->synopses.count; s++)
            free(of->designs[s].set);
        free(of->designs);
        free(of->sets.set);
        free(of->first);
        free(of->truth);
        free(of->k);
        free(of->k_first);
    }
    for (size_t i = 0; setup->layouts && i < setup->axes.datasets.count; i++) {
        free(setup->layouts[i].series);
        free(setup->layouts[i].sums);
    }
    free(setup->opening);
    free(setup->of);
    free(setup->layouts);
    grid_clear(&setup->grid);
    algorithms_clear(&synopsis_kind, &setup->synopses.list);
    wanted_clear(&setup->wanted);
    algorithms_clear(&attack_kind, &setup->attacks.list);
    axes_clear(&setup->axes);
    free(setup);
}

/* ---- Marginals of a dataset ---- */

/* Where the answers and the marginals of each k begin. */
static int index_sets(struct marginals_dataset *of, const struct ldp_records *records, const struct json_at *at,
                      struct failure *failure)
{
    const size_t count = of->sets.count;
    double cells = 0;

    of->first = xcalloc(count + 1, sizeof *of->first);
    of->k = xmalloc(count, sizeof *of->k);
    of->k_first = xmalloc(count + 1, sizeof *of->k_first);
    for (size_t i = 0; i < count; i++) {
        of->first[i] = (size_t)cells;
        cells += ldp_set_cells(&of->sets.set[i], records->cardinality);
        if (cells > LDP_TABLE_CELLS_MAX)
            return json_fail(at, failure, "expected marginals of at most %d cells together, got more",
                             LDP_TABLE_CELLS_MAX);
        if (i == 0 || of->sets.set[i].size != of->sets.set[i - 1].size) {
            of->k[of->nk] = of->sets.set[i].size;
            of->k_first[of->nk++] = i;
        }
    }
    of->first[count] = (size_t)cells;
    of->k_first[of->nk] = count;
    return 0;
}

static void find_truth(struct marginals_dataset *of, const struct ldp_records *records)
{
    const size_t all = of->first[of->sets.count];
    uint64_t *const cells = xmalloc(all, sizeof *cells);

    of->truth = xmalloc(all, sizeof *of->truth);
    if (ldp_records_tables(records, of->sets.set, of->sets.count, of->first, cells) != LDP_OK)
        out_of_memory();
    for (size_t c = 0; c < all; c++)
        of->truth[c] = (double)cells[c] / (double)records->n;
    free(cells);
}

static int bind_dataset(struct marginals_setup *setup, size_t i, uint64_t seed, struct failure *failure)
{
    const struct dataset *const dataset = setup->axes.datasets.dataset[i];
    struct marginals_dataset *const of = &setup->of[i];

    setup->grid.datasets[i] = grid_dataset(dataset, NULL);
    of->designs = xcalloc(setup->synopses.count, sizeof *of->designs);
    for (size_t s = 0; s < setup->synopses.count; s++)
        if (setup->synopses.choice[s].sets.file &&
            attribute_sets_read(&setup->synopses.choice[s].sets, dataset->records, &of->designs[s], failure) != 0)
            return -1;
    if (wanted_bind(&setup->wanted, dataset, seed, &of->sets, failure) != 0 ||
        index_sets(of, dataset->records->records, &setup->wanted.at, failure) != 0)
        return -1;
    find_truth(of, dataset->records->records);
    return 0;
}

/* The marginals of each k, which may be drawn. */
static void name_workloads(struct marginals_setup *setup, size_t i)
{
    const struct marginals_dataset *const of = &setup->of[i];

    for (size_t j = 0; j < of->nk; j++) {
        const struct attribute_sets sets = {.set = of->sets.set + of->k_first[j],
                                            .count = of->k_first[j + 1] - of->k_first[j]};
        const char *const contents = texts_keep(&setup->grid.texts, attribute_sets_text(CONTENTS_MARGINALS, &sets));

        grid_add_workload(&setup->grid, i, "k", texts_keep(&setup->grid.texts, xformat("%zu", of->k[j])), contents);
    }
}

struct ldp_synopsis_spec marginals_spec(const struct marginals_setup *setup, size_t idataset, size_t s)
{
    struct ldp_synopsis_spec spec = setup->synopses.choice[s].spec;
    const struct attribute_sets *const design = &setup->of[idataset].designs[s];

    if (design->count > 0) {
        spec.sets = design->set;
        spec.nsets = design->count;
    }
    return spec;
}

struct ldp_workload marginals_workload(const struct marginals_setup *setup, const struct grid_point *at, size_t s)
{
    const struct marginals_dataset *const of = &setup->of[at->idataset];
    const struct ldp_records *const records = setup->axes.datasets.dataset[at->idataset]->records->records;
    const struct ldp_synopsis_spec *const spec = &setup->synopses.choice[s].spec;
    const double epsilon = setup->axes.epsilon.values[at->iepsilon];

    return (struct ldp_workload){
        .records = records,
        .oracle = &setup->axes.oracles.choice[at->ioracle].spec,
        .epsilon = setup->equal == LDP_EQUAL_STATED || !spec->synopsis->epsilon_for
                       ? epsilon
                       : spec->synopsis->epsilon_for(spec, records->d, (enum ldp_record_equal)setup->equal, epsilon),
        .mode = setup->axes.mode,
        .sets = of->sets.set,
        .nsets = of->sets.count,
        .first = of->first};
}

int marginals_refuse(const struct marginals_setup *setup, const struct grid_point *at, size_t s,
                     const struct ldp_reason *reason, struct failure *failure)
{
    char number[NUMBER_TEXT];

    return fail(failure, EXIT_BAD_INPUT, "synopsis %s does not suit dataset %s (n = %llu), oracle %s, epsilon = %s: %s",
                setup->synopses.choice[s].label, setup->grid.datasets[at->idataset].label,
                (unsigned long long)setup->grid.datasets[at->idataset].n, setup->axes.oracles.choice[at->ioracle].label,
                format_number(setup->axes.epsilon.values[at->iepsilon], number), reason->text);
}

/* Opens a synopsis in a cell, for its workload, and notes how long that takes. */
static enum ldp_status open_synopsis(struct marginals_setup *setup, size_t cell, size_t s,
                                     const struct ldp_workload *workload, void **state, struct ldp_reason *reason)
{
    const struct ldp_synopsis_spec spec = marginals_spec(setup, grid_point(&setup->grid, cell).idataset, s);
    const double start = clock_seconds();
    const enum ldp_status status = ldp_synopsis_open(&spec, workload, state, reason);

    setup->opening[cell * setup->synopses.count + s] = clock_seconds() - start;
    return status;
}

/* Whether a synopsis suits a cell. */
static int check_synopsis(struct marginals_setup *setup, size_t cell, size_t s, struct failure *failure)
{
    const struct grid_point at = grid_point(&setup->grid, cell);
    const struct ldp_workload workload = marginals_workload(setup, &at, s);
    struct ldp_reason reason = {""};
    void *state;

    if (isnan(workload.epsilon))
        return json_fail(&setup->synopses.choice[s].at, failure,
                         "expected a synopsis whose epsilon of one attribute can be set, got %s",
                         setup->synopses.choice[s].label);

    switch (open_synopsis(setup, cell, s, &workload, &state, &reason)) {
    case LDP_OK: setup->synopses.choice[s].spec.synopsis->close(state); return 0;
    case LDP_ENOMEM: return fail_memory(failure);
    default: break;
    }
    struct failure refused = NO_REASON;
    marginals_refuse(setup, &at, s, &reason, &refused);
    return json_fail(&setup->synopses.choice[s].at, failure, "%s", refused.text);
}

/* Whether every synopsis suits every dataset and oracle that share a cell, at the first epsilon; at others where they
 * are reached. */
static int check_synopses(struct marginals_setup *setup, struct failure *failure)
{
    const size_t count = setup->synopses.count;
    struct grid_point last = {.idataset = SIZE_MAX};

    for (size_t cell = 0; cell < setup->grid.setup.ncells; cell++) {
        const struct grid_point at = grid_point(&setup->grid, cell);

        if (at.idataset == last.idataset && at.ioracle == last.ioracle) {
            memcpy(setup->opening + cell * count, setup->opening + (cell - 1) * count, count * sizeof *setup->opening);
            continue;
        }
        last = at;
        for (size_t s = 0; s < count; s++)
            if (check_synopsis(setup, cell, s, failure) != 0)
                return -1;
        if (marginals_attacks_prepare(setup, &at, failure) != 0)
            return -1;
    }
    return 0;
}

/* ---- Layout ---- */

/* The canonical text of a synopsis: with the cell it decides the numbers. */
static const char *series_key(struct marginals_setup *setup, size_t idataset, size_t s)
{
    const struct attribute_sets *const design = &setup->of[idataset].designs[s];
    char *const own = synopsis_text(&setup->synopses.choice[s]);
    char *const sets = design->count > 0 ? attribute_sets_text(CONTENTS_SETS, design) : xstrdup("");
    char *const text = xformat("%s|%s%s%s", own, sets, setup->equal == LDP_EQUAL_STATED ? "" : "|equal=",
                               setup->equal == LDP_EQUAL_STATED ? "" : equals[setup->equal]);

    free(own);
    free(sets);
    return texts_keep(&setup->grid.texts, text);
}

static void lay_out(struct marginals_setup *setup, size_t idataset)
{
    struct marginals_dataset *const of = &setup->of[idataset];
    struct layout *const layout = &setup->layouts[idataset];
    const size_t nsynopses = setup->synopses.count, nmeasures = measures_chosen(setup->choice);
    const size_t attacks = marginals_attacks_series(setup, idataset, NULL, NULL, NULL),
                 own = nsynopses * (of->nk * nmeasures + (setup->want_times ? 1 : 0));
    struct series *const series = xcalloc(own + nsynopses + attacks, sizeof *series), *const sums = xcalloc(
                                                                                          nsynopses, sizeof *sums);
    const char **const keys_of = xcalloc(nsynopses, sizeof *keys_of);
    const char *const query = texts_keep(&setup->grid.texts, attribute_sets_text(CONTENTS_MARGINALS, &of->sets));

    layout->series = series;
    layout->sums = sums;
    for (size_t s = 0; s < nsynopses; s++) {
        const char *const key = keys_of[s] = series_key(setup, idataset, s);

        for (size_t j = 0; j < of->nk; j++) {
            const char *const point = texts_keep(&setup->grid.texts, xformat("%zu", of->k[j]));

            for (size_t l = 0; l < nmeasures; l++)
                series[(s * of->nk + j) * nmeasures + l] =
                    (struct series){key, query, point, marginals_measure[measure_chosen(setup->choice, l)].name};
        }
        series[nsynopses * of->nk * nmeasures + s] = (struct series){key, query, "", "seconds"};
        sums[s] = (struct series){key, query, "", "moments"};
    }
    of->attacks_first = own;
    marginals_attacks_series(setup, idataset, keys_of, query, series + own);
    free(keys_of);
    layout->nseries = own + attacks;
    layout->nsums = setup->want_cells ? nsynopses : 0;
    layout->sum_length = marginals_sum_length(of);
    setup->grid.datasets[idataset].layout = layout;
}

/* Whether the first wave can see dependence of attributes; nothing where it is not asked about. */
static char *decision(const struct ldp_workload *workload, const struct ldp_outlook *outlook)
{
    size_t most = 0;

    for (size_t i = 0; i < workload->nsets; i++)
        most = workload->sets[i].size > most ? workload->sets[i].size : most;
    if (most < 2)
        return xstrdup("");
    if (isnan(outlook->detectable))
        return xstrdup("; dependence is not decidable: few users, and the first wave asks for no pairs");
    if (!(outlook->detectable < 1))
        return xstrdup("; dependence is not decidable: with so few users the first wave sees none, however strong");
    return xformat(
        "; dependence is %s by the first wave: it sees a mean Cramer's V of pairs above %.2g, and %.2g is usual",
        outlook->detectable <= outlook->usual ? "decidable" : "not decidable", outlook->detectable, outlook->usual);
}

static int add_outlook(struct marginals_setup *setup, size_t cell, size_t s, struct failure *failure)
{
    const struct grid_point point = grid_point(&setup->grid, cell), *const at = &point;
    const struct ldp_synopsis *const synopsis = setup->synopses.choice[s].spec.synopsis;
    const struct ldp_workload workload = marginals_workload(setup, at, s);
    struct ldp_reason reason = {""};
    struct ldp_outlook outlook;
    void *state;

    if (!synopsis->outlook)
        return 0;
    switch (open_synopsis(setup, cell, s, &workload, &state, &reason)) {
    case LDP_OK: break;
    case LDP_ENOMEM: return fail_memory(failure);
    default: return marginals_refuse(setup, at, s, &reason, failure);
    }
    synopsis->outlook(state, &outlook);
    synopsis->close(state);
    char *const decided = decision(&workload, &outlook);
    texts_keep(
        &setup->grid.setup.notes,
        xformat("%s, %s, n = %llu, %s, epsilon %.4g: %llu users answer %zu questions first (at most %.2g %% from the "
                "best shares of those listed)%s",
                setup->synopses.choice[s].label, setup->grid.datasets[at->idataset].label,
                (unsigned long long)workload.records->n, setup->axes.oracles.choice[at->ioracle].label,
                workload.epsilon, (unsigned long long)outlook.users, outlook.tables, 100 * outlook.gap, decided));
    free(decided);
    return 0;
}

/* Adds to the notes what synopses that plan their tables expect of each cell. */
static int add_outlooks(struct marginals_setup *setup, struct failure *failure)
{
    for (size_t cell = 0; cell < setup->grid.setup.ncells; cell++)
        for (size_t s = 0; s < setup->synopses.count; s++)
            if (add_outlook(setup, cell, s, failure) != 0)
                return -1;
    return 0;
}

static int prepare_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                         struct setup *base, struct failure *failure)
{
    struct marginals_setup *const setup = (struct marginals_setup *)base;

    setup->want_parts = setup->outputs >> OUTPUT_PARTS & 1;
    setup->want_intervals = setup->outputs >> OUTPUT_INTERVALS & 1;
    setup->choice = (1 << MARGINALS_NOISE) - 1;
    if (setup->want_parts)
        setup->choice |= (1 << MARGINALS_COVERAGE) - (1 << MARGINALS_NOISE);
    if (setup->want_intervals)
        setup->choice |= (1 << MARGINALS_SECONDS) - (1 << MARGINALS_COVERAGE);
    setup->want_cells = setup->outputs >> OUTPUT_MARGINALS & 1;
    setup->want_times = setup->outputs >> OUTPUT_TIMES & 1;
    setup->want_protection = setup->outputs >> OUTPUT_PROTECTION & 1;
    if (oracles_demand_own(&setup->axes.oracles, "the task marginals", failure) != 0 ||
        axes_build(root, overrides, seed, &setup->axes, failure) != 0)
        return -1;
    setup->of = xcalloc(setup->axes.datasets.count, sizeof *setup->of);
    setup->layouts = xcalloc(setup->axes.datasets.count, sizeof *setup->layouts);
    grid_init(&setup->grid, &task_marginals, &setup->axes);
    for (size_t i = 0; i < setup->axes.datasets.count; i++) {
        const struct ldp_records *const records = setup->axes.datasets.dataset[i]->records->records;

        if (bind_dataset(setup, i, seed, failure) != 0)
            return -1;
        lay_out(setup, i);
        name_workloads(setup, i);
        setup->grid.setup.shared_bytes += 8.0 * (double)records->rows * (double)(records->words + 1);
    }
    setup->opening = xcalloc(setup->grid.setup.ncells * setup->synopses.count, sizeof *setup->opening);
    if (check_synopses(setup, failure) != 0)
        return -1;
    const double start = clock_seconds();
    const int result = overrides->dry_run ? add_outlooks(setup, failure) : 0;
    base->outlook_seconds = clock_seconds() - start;
    return result;
}

/* Cost of dividing users into groups: one shuffle of all users, or this many draws for every distinct record, whichever
 * is less (core/marginals/groups.c), with as many groups as there are pairs. */
enum { SHUFFLED_MAX = 1 << 27, DRAW_COST = 16 };

static struct cell_cost cost(const struct setup *base, size_t cell)
{
    const struct marginals_setup *const setup = marginals_of(base);
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    const struct marginals_dataset *const of = &setup->of[idataset];
    const struct ldp_records *const records = setup->axes.datasets.dataset[idataset]->records->records;
    const double n = (double)records->n, rows = (double)records->rows, d = (double)records->d,
                 drawn = DRAW_COST * rows * d * (d + 1) / 2;
    const bool shuffled = n <= SHUFFLED_MAX && n <= drawn;
    const size_t groups = records->d * (records->d + 1) / 2;
    const double answers = (double)of->first[of->sets.count], synopses = (double)setup->synopses.count,
                 dealt = shuffled || setup->axes.mode == LDP_REPORTS ? n : drawn;

    double opening = 0;
    for (size_t s = 0; s < setup->synopses.count; s++)
        opening += setup->opening[cell * setup->synopses.count + s];
    return (struct cell_cost){.begin = 1e9 * opening,
                              .worker_bytes = synopses * (ldp_groups_bytes(records, groups) + 64 * answers),
                              .nanoseconds = synopses * (20 * dealt + 500 * answers)};
}

const struct task task_marginals = {
    .name = "marginals",
    .title = "errors of synopses on marginals of many attributes, over datasets, oracles and epsilon",
    .source = "CALM, CCS 2018",
    .keys = keys,
    .setup_size = sizeof(struct marginals_setup),
    .prepare = prepare_setup,
    .free = free_setup,
    .cell_key = grid_cell_key,
    .collection_key = grid_collection_key,
    .layout = grid_layout,
    .cost = cost,
    .worker_new = marginals_worker_new,
    .worker_free = marginals_worker_free,
    .worker_begin = marginals_worker_begin,
    .worker_run = marginals_worker_run,
    .tables = marginals_tables,
    .ledger = marginals_ledger,
    .fields = grid_fields,
};

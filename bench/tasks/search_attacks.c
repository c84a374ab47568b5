/* search_attacks.c - malicious users of a search: search_attacks.csv.
 *
 * Malicious users are a fraction of every group, and in every round they send reports that support the candidates which
 * are prefixes of the planted strings. Genuine users are those of the same search without them, up to the first round
 * whose candidates differ. */
#include "attack.h"
#include "strings.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "tasks/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLANTED, PLANTED_CLEAN, RECALL, RECALL_CLEAN, MEASURES };

static const struct ldp_measure measures[] = {
    [PLANTED] = MEASURE("planted", "planted strings outside the true target that are found", "share of planted strings",
                        LDP_LESS, .high = 1),
    [PLANTED_CLEAN] =
        MEASURE("planted_clean", "the same without malicious users", "share without attack", LDP_NEUTRAL, .high = 1),
    [RECALL] = MEASURE("recall", "share of the target that is found, under attack", "recall", LDP_MORE, .high = 1),
    [RECALL_CLEAN] =
        MEASURE("recall_clean", "the same without malicious users", "recall without attack", LDP_MORE, .high = 1),
    [MEASURES] = {.name = NULL},
};

/* ---- Setup ---- */

static int check_cell(const struct search *search, size_t cell, struct failure *failure)
{
    for (size_t i = 0; i < search->protocols.count * search->attacks.count; i++) {
        const struct search_choice *const protocol = &search->protocols.choice[i / search->attacks.count];
        const struct attack_choice *const attack = &search->attacks.choice[i % search->attacks.count];
        const struct ldp_attackers attackers = {.spec = attack->spec};
        struct ldp_search_input input = search_input_of(search, cell);
        struct ldp_reason reason;

        input.attackers = &attackers;
        if (ldp_search_check(&protocol->spec, &input, &reason) != LDP_OK)
            return json_fail(&attack->at, failure,
                             "expected an attack that suits every protocol and oracle, got %s: %s", attack->label,
                             reason.text);
    }
    return 0;
}

int search_attacks_prepare(struct search *search, struct failure *failure)
{
    if (attacks_bind(&search->attacks, &search->axes.datasets, failure) != 0)
        return -1;
    for (size_t cell = 0; cell < search->grid.setup.ncells; cell++)
        if (check_cell(search, cell, failure) != 0)
            return -1;
    return 0;
}

/* Protocol, then attack, then fraction, then target, then measure. */
size_t search_attacks_series(struct search *search, struct series *series)
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
                                    .measure = measures[i % MEASURES].name};
    }
    return count;
}

/* ---- Repetitions ---- */

void search_attacks_clear(struct search_worker *worker)
{
    free(worker->attackers.planted);
    free(worker->attackers.clean);
    free(worker->attackers.clean_est);
    worker->attackers = (struct search_attackers){0};
}

/* There are none yet, but any may come. */
void search_attacks_begin(struct search_worker *worker)
{
    const struct attack_list *const attacks = &worker->search->attacks;

    search_attacks_clear(worker);
    worker->attackers.planted = xcalloc(attacks_targets(attacks, worker->idataset), sizeof *worker->attackers.planted);
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

static double share_of_planted(const struct search_worker *worker, const struct ldp_search_result *result,
                               const struct ldp_target *target)
{
    const struct ldp_strings *const strings = &worker->dataset->strings->strings;
    size_t outside = 0, found = 0;

    for (size_t k = 0; k < worker->attackers.now.nplanted; k++) {
        const uint32_t v = worker->attackers.now.planted[k];

        if (is_in_target(worker->dataset->population, target, v))
            continue;
        outside++;
        found += is_found(result, target, strings->key[v]);
    }
    return outside > 0 ? (double)found / (double)outside : (double)NAN;
}

/* The measures of a result: of every target, those of the attack at 0, without it at 1. */
static void measure(const struct search_worker *worker, const struct ldp_search_result *result, size_t clean,
                    double *values)
{
    const struct search *const search = worker->search;

    for (size_t t = 0; t < search->targets.count; t++, values += MEASURES) {
        double of[LDP_SEARCH_MEASURES];

        ldp_search_measure(&worker->dataset->strings->strings, worker->dataset->population, result,
                           &search->targets.target[t], of);
        values[PLANTED + clean] = share_of_planted(worker, result, &search->targets.target[t]);
        values[RECALL + clean] = of[LDP_RECALL];
    }
}

static void choose_planted(struct search_worker *worker, const struct attack_choice *attack)
{
    const struct attack_on *const on = &attack->on[worker->idataset];
    struct search_attackers *const attackers = &worker->attackers;

    attackers->now.spec = attack->spec;
    attackers->now.nplanted = on->r;
    attackers->now.planted = on->target;
    if (!on->target) {
        ldp_attack_draw(&attackers->rng, worker->dataset->population->d, on->r, attackers->planted);
        attackers->now.planted = attackers->planted;
    }
}

enum ldp_status search_attacks_run(struct search_worker *worker, size_t i, uint64_t seed,
                                   const struct ldp_search_result *result, double *values, struct ldp_reason *reason)
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
        choose_planted(worker, point.attack);
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

/* ---- The table ---- */

static size_t rows(const struct table_cell *in)
{
    const struct search *const search = search_of(in->setup);

    return search->protocols.count * attacks_points(&search->attacks) * search->targets.count;
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct search *const search = search_of(in->setup);
    const size_t points = attacks_points(&search->attacks), at = index / search->targets.count;
    const struct search_choice *const protocol = &search->protocols.choice[at / points];
    const struct attack_point point = attacks_point(&search->attacks, at % points);

    row->field[0] = (struct field){.text = protocol->label,
                                   .identity = {.name = protocol->spec.search->name,
                                                .params = protocol->spec.search->params,
                                                .value = protocol->spec.param}};
    row->field[1].text = search->target_labels[index % search->targets.count];
    attack_fields(point, point.attack->on[grid_point(&search->grid, in->cell).idataset].r, row->field + 2);
    row_series(row, search->attacks_first + index * MEASURES, MEASURES);
}

static const struct table_column columns[] = {
    GRID_COLUMNS,
    {"protocol", COLUMN_KEY, PART_ALGORITHM},
    {"target", COLUMN_KEY, PART_TARGET},
    ATTACK_COLUMNS,
    {"repetitions", COLUMN_REPETITIONS, 0},
    MEAN_COLUMNS("planted", PLANTED),
    MEAN_COLUMNS("planted_clean", PLANTED_CLEAN),
    MEAN_COLUMNS("recall", RECALL),
    MEAN_COLUMNS("recall_clean", RECALL_CLEAN),
    {"planted_defined", COLUMN_DEFINED, PLANTED},
    {"planted_clean_defined", COLUMN_DEFINED, PLANTED_CLEAN},
};

const struct task_table search_attacks_table = {TABLE("search_attacks.csv",
                                                      "planted strings that malicious users get into the answer",
                                                      "protocol", FORM_PLAIN, columns, measures),
                                                .rows = rows, .row = row};

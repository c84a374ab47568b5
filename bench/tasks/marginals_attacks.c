/* marginals_attacks.c - malicious users of the task `marginals`: marginal_attacks.csv.
 *
 * Malicious users are a fraction of every group, and their reports support the cells of planted records in the table of
 * their group. Genuine users are those of the same collection without them. */
#include "attack.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "tasks/marginals.h"

#include <math.h>
#include <string.h>

enum { GAIN, SSE, SSE_CLEAN, MEASURES };

static const struct ldp_measure measures[] = {
    [GAIN] = MEASURE("gain", "by how much an attack raises the cells of planted records, in a marginal", "gain",
                     LDP_LESS, .low = -INFINITY, .high = INFINITY),
    [SSE] = MEASURE("sse", "sum of squared errors of a marginal under attack", "SSE", LDP_LESS, .high = INFINITY),
    [SSE_CLEAN] =
        MEASURE("sse_clean", "the same without malicious users", "SSE without attack", LDP_LESS, .high = INFINITY),
    [MEASURES] = {.name = NULL},
};

/* ---- Setup ---- */

/* How many records are planted. */
static size_t planted_count(const struct attack_choice *attack)
{
    return (size_t)(attack->targets.spread + attack->targets.random);
}

size_t marginals_attacks_planted(const struct attack_list *attacks)
{
    size_t most = 0;

    for (size_t i = 0; i < attacks->count; i++)
        most = planted_count(&attacks->choice[i]) > most ? planted_count(&attacks->choice[i]) : most;
    return most;
}

struct ldp_attackers marginals_attackers(const struct attack_choice *attack)
{
    return (struct ldp_attackers){.spec = attack->spec, .nplanted = planted_count(attack)};
}

int marginals_attacks_prepare(const struct marginals_setup *setup, const struct grid_point *at, struct failure *failure)
{
    for (size_t i = 0; i < setup->attacks.count * setup->synopses.count; i++) {
        const struct attack_choice *const attack = &setup->attacks.choice[i / setup->synopses.count];
        const struct ldp_synopsis_spec spec = marginals_spec(setup, at->idataset, i % setup->synopses.count);
        const struct ldp_attackers attackers = marginals_attackers(attack);
        struct ldp_workload workload = marginals_workload(setup, at, i % setup->synopses.count);
        struct ldp_reason reason = {""};
        void *state;

        if (planted_count(attack) == 0)
            return json_fail(&attack->at, failure,
                             "expected targets by \"spread\" or \"random\", which are records here");
        workload.attackers = &attackers;
        if (ldp_synopsis_open(&spec, &workload, &state, &reason) != LDP_OK)
            return json_fail(&attack->at, failure,
                             "expected an attack that suits every synopsis and oracle, got %s: %s", attack->label,
                             reason.text);
        spec.synopsis->close(state);
    }
    return 0;
}

/* Synopsis, then attack, then fraction, then k, then measure. */
size_t marginals_attacks_series(struct marginals_setup *setup, size_t idataset, const char *const *key,
                                const char *query, struct series *series)
{
    const size_t points = attacks_points(&setup->attacks), nk = setup->of[idataset].nk,
                 count = setup->synopses.count * points * nk * MEASURES;

    for (size_t i = 0; series && i < count; i++) {
        const size_t at = i / MEASURES / nk;
        const struct attack_point point = attacks_point(&setup->attacks, at % points);
        char number[NUMBER_TEXT];
        char *const text = xformat("%zu|%s|%s", setup->of[idataset].k[i / MEASURES % nk], point.attack->key,
                                   format_number(point.fraction, number));

        series[i] = (struct series){.method = key[at / points],
                                    .query = query,
                                    .point = texts_keep(&setup->grid.texts, text),
                                    .measure = measures[i % MEASURES].name};
    }
    return count;
}

/* ---- Repetitions ---- */

/* The planted records: each attribute's values at equal distances, or drawn. */
void marginals_plant(const struct ldp_records *records, const struct attack_choice *attack, struct ldp_rng *rng,
                     uint32_t *planted)
{
    const size_t r = planted_count(attack);

    for (size_t k = 0; k < r; k++)
        for (size_t a = 0; a < records->d; a++)
            planted[k * records->d + a] = attack->targets.random > 0
                                              ? (uint32_t)(ldp_rng_uniform(rng) * records->cardinality[a])
                                              : (uint32_t)(((double)k + 0.5) * records->cardinality[a] / (double)r);
}

/* The sum of the distinct planted cells of marginal i, under attack over without it. */
static double gain_of(const struct marginals_dataset *of, size_t i, const struct ldp_records *records,
                      const struct ldp_attackers *attackers, const double *est, const double *clean)
{
    const struct ldp_set *const set = &of->sets.set[i];
    double gain = 0;

    for (size_t c = of->first[i]; c < of->first[i + 1]; c++) {
        bool is_planted = false;

        for (size_t k = 0; k < attackers->nplanted && !is_planted; k++) {
            size_t cell = 0;

            for (size_t a = 0; a < set->size; a++)
                cell = cell * records->cardinality[set->attribute[a]] +
                       attackers->planted[k * records->d + set->attribute[a]];
            is_planted = cell == c - of->first[i];
        }
        if (is_planted)
            gain += est[c] - clean[c];
    }
    return gain;
}

double *marginals_attacks_measure(const struct marginals_dataset *of, const struct ldp_records *records,
                                  const struct ldp_attackers *attackers, const double *est, const double *clean,
                                  double *measured)
{
    for (size_t j = 0; j < of->nk; j++, measured += MEASURES) {
        const double count = (double)(of->k_first[j + 1] - of->k_first[j]);

        memset(measured, 0, MEASURES * sizeof *measured);
        for (size_t i = of->k_first[j]; i < of->k_first[j + 1]; i++) {
            measured[GAIN] += gain_of(of, i, records, attackers, est, clean) / count;
            for (size_t c = of->first[i]; c < of->first[i + 1]; c++) {
                measured[SSE] += (est[c] - of->truth[c]) * (est[c] - of->truth[c]) / count;
                measured[SSE_CLEAN] += (clean[c] - of->truth[c]) * (clean[c] - of->truth[c]) / count;
            }
        }
    }
    return measured;
}

/* ---- The table ---- */

static size_t rows(const struct table_cell *in)
{
    const struct marginals_setup *const setup = marginals_of(in->setup);

    return setup->synopses.count * attacks_points(&setup->attacks) *
           setup->of[grid_point(&setup->grid, in->cell).idataset].nk;
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct marginals_setup *const setup = marginals_of(in->setup);
    const size_t idataset = grid_point(&setup->grid, in->cell).idataset, nk = setup->of[idataset].nk,
                 points = attacks_points(&setup->attacks), at = index / nk;
    const struct attack_point point = attacks_point(&setup->attacks, at % points);

    row->field[0] = marginals_synopsis_field(&setup->synopses.choice[at / points]);
    row->field[1].number = (double)setup->of[idataset].k[index % nk];
    attack_fields(point, planted_count(point.attack), row->field + 2);
    row_series(row, setup->of[idataset].attacks_first + index * MEASURES, MEASURES);
}

static const struct table_column columns[] = {
    GRID_COLUMNS,   {"synopsis", COLUMN_KEY, PART_ALGORITHM}, {"k", COLUMN_KEY, PART_NONE},
    ATTACK_COLUMNS, {"repetitions", COLUMN_REPETITIONS, 0},
};

const struct task_table marginals_attacks_table = {TABLE("marginal_attacks.csv",
                                                         "errors of marginals with malicious users", "synopsis",
                                                         FORM_PRICE, columns, measures),
                                                   .each = EACH_MEAN | EACH_STDERR, .rows = rows, .row = row};

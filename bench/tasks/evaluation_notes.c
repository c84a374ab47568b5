/* evaluation_notes.c - what a run and its dry run say beforehand of oracles. */
#include "interval.h"
#include "support/memory.h"
#include "support/registry.h"
#include "support/text.h"
#include "tasks/evaluation.h"

#include <stdlib.h>
#include <string.h>

/* Collects each oracle's remarks on its cells once; fails if an oracle does not work with that many users. */
static int note_remarks(struct evaluation_setup *setup, struct failure *failure)
{
    struct grid *const grid = &setup->grid;
    struct texts remarks = {0};
    int result = 0;

    for (size_t cell = 0; result == 0 && cell < grid->setup.ncells; cell++) {
        const struct grid_point at = grid_point(grid, cell);
        const struct grid_dataset *const dataset = &grid->datasets[at.idataset];
        const struct oracle_choice *const oracle = &grid->oracles[at.ioracle];

        if (!oracle->spec.oracle->remark)
            continue;
        struct ldp_protocol protocol;
        if (grid_protocol(grid, cell, &protocol, failure) != 0) {
            result = -1;
            break;
        }
        struct ldp_reason reason;
        const enum ldp_remark remark =
            protocol.oracle->remark ? protocol.oracle->remark(&protocol, dataset->n, &reason) : LDP_FIT;
        bool known = remark != LDP_NOTE;
        for (size_t i = 0; i < remarks.count && !known; i++)
            known = strcmp(remarks.text[i], reason.text) == 0;
        if (remark == LDP_UNFIT)
            result = json_fail(&setup->config.axes.oracles.at, failure,
                               "expected oracles that suit every dataset, got %s with dataset %s: %s", oracle->label,
                               dataset->label, reason.text);
        if (known)
            continue;
        texts_keep(&remarks, xstrdup(reason.text));
        texts_keep(&grid->setup.notes, xformat("oracle %s: %s", oracle->label, reason.text));
    }
    texts_clear(&remarks);
    return result;
}

/* What sketches decoded by amp need: a note for each of them that has less, or whose columns were chosen, with the cell
 * that needs most. */
static int note_needs(struct evaluation_setup *setup, struct failure *failure)
{
    struct grid *const grid = &setup->grid;

    for (size_t i = 0; i < grid->noracles; i++) {
        struct ldp_sketch_need most = {0};
        struct grid_point where = {0};

        for (size_t cell = 0; cell < grid->setup.ncells && !grid->oracles[i].outside; cell++) {
            const struct grid_point at = grid_point(grid, cell);
            struct ldp_protocol protocol;
            struct ldp_sketch_need need;

            if (at.ioracle != i || !(grid->oracles[i].spec.oracle->flags & LDP_ORACLE_SKETCH))
                continue;
            if (grid_protocol(grid, cell, &protocol, failure) != 0)
                return -1;
            if (ldp_sketch_need(&protocol, &setup->config.axes.datasets.dataset[at.idataset]->population->histogram,
                                &need) &&
                need.is_amp && need.enough > most.enough) {
                most = need;
                where = at;
            }
        }
        if (most.enough > most.columns || (most.enough > 0 && grid->oracles[i].fitted)) {
            char *const text = sketch_need_text(&most);

            texts_keep(&grid->setup.notes,
                       xformat("oracle %s: %s (%s, epsilon = %s)", grid->oracles[i].label, text,
                               grid->datasets[where.idataset].label, grid->epsilon_keys[where.iepsilon]));
            free(text);
        }
    }
    return 0;
}

/* A note for each oracle of which the variance of sums is not known, if a query needs it. */
static int note_undefined(struct evaluation_setup *setup, struct failure *failure)
{
    const struct query_list *const queries = &setup->config.queries;
    struct grid *const grid = &setup->grid;
    struct buffer names = {0};
    int result = 0;

    for (size_t q = 0; q < queries->count; q++)
        if (queries->choice[q].specs[0].query->sums)
            buffer_format(&names, "%s%s", names.length > 0 ? ", " : "", queries->choice[q].label);
    for (size_t i = 0; result == 0 && names.length > 0 && i < grid->noracles; i++) {
        size_t cell = 0;
        struct ldp_protocol protocol;
        struct ldp_reason reason;

        while (cell < grid->setup.ncells && grid_point(grid, cell).ioracle != i)
            cell++;
        if (cell == grid->setup.ncells || grid->oracles[i].outside)
            continue;
        result = grid_protocol(grid, cell, &protocol, failure);
        const double kept = 0;
        const struct ldp_collection collection = {.protocol = &protocol, .support = &kept};
        if (result == 0 && !ldp_set_interval_known(&collection) &&
            ldp_set_interval_suits(&collection, 0.95, &reason) != LDP_OK)
            texts_keep(&grid->setup.notes,
                       xformat("oracle %s: no intervals for %s: %s", grid->oracles[i].label, names.text, reason.text));
    }
    buffer_clear(&names);
    return result;
}

/* Fails if a query's kind of interval does not suit an oracle. */
static int check_interval(const struct evaluation_setup *setup, const struct query_choice *query,
                          struct failure *failure)
{
    const struct grid *const grid = &setup->grid;
    for (size_t cell = 0; query->specs[0].query->interval && cell < grid->setup.ncells; cell++) {
        const struct grid_point at = grid_point(grid, cell);
        struct ldp_protocol protocol;
        struct ldp_reason reason;
        if (grid->oracles[at.ioracle].outside)
            continue;
        if (grid_protocol(grid, cell, &protocol, failure) != 0)
            return -1;
        switch (ldp_interval_will_suit(query->specs[0].query->interval(&query->specs[0]), &protocol, &reason)) {
        case LDP_OK: break;
        case LDP_ENOMEM: out_of_memory();
        default:
            return json_fail(&query->at, failure, "expected intervals that suit every oracle and dataset, got %s: %s",
                             query->label, reason.text);
        }
    }
    return 0;
}

int evaluation_note(struct evaluation_setup *setup, struct failure *failure)
{
    const struct query_list *const queries = &setup->config.queries;
    for (size_t q = 0; q < queries->count; q++)
        if (check_interval(setup, &queries->choice[q], failure) != 0)
            return -1;
    return note_remarks(setup, failure) == 0 && note_needs(setup, failure) == 0 ? note_undefined(setup, failure) : -1;
}

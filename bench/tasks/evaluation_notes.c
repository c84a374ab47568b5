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

/* Whether intervals of a query suit a cell, of single values by their kind, of sets by the variance of sums. */
static enum ldp_status suits_cell(const struct query_choice *query, const struct ldp_protocol *protocol,
                                  struct ldp_reason *reason)
{
    const struct ldp_query *const kind = query->specs[0].query;
    const double kept = 0;
    const struct ldp_collection collection = {.protocol = protocol, .support = &kept};
    if (kind->interval)
        return ldp_interval_will_suit(kind->interval(&query->specs[0]), protocol, reason);
    return !kind->sums || ldp_set_interval_known(&collection) ? LDP_OK
                                                              : ldp_set_interval_suits(&collection, 0.95, reason);
}

/* Why a query has no intervals in some cells of each oracle: reasons[noracles]; fails if it has them in none. */
static int check_intervals(struct evaluation_setup *setup, const struct query_choice *query, struct ldp_reason *reasons,
                           struct failure *failure)
{
    struct grid *const grid = &setup->grid;
    const struct ldp_reason *last = NULL;
    bool suits = grid->setup.ncells == 0;
    for (size_t cell = 0; cell < grid->setup.ncells; cell++) {
        const size_t i = grid_point(grid, cell).ioracle;
        struct ldp_protocol protocol;
        enum ldp_status status = LDP_OK;
        if (!grid->oracles[i].outside) {
            if (grid_protocol(grid, cell, &protocol, failure) != 0)
                return -1;
            status = suits_cell(query, &protocol, &reasons[i]);
        }
        if (status == LDP_ENOMEM)
            out_of_memory();
        suits |= status == LDP_OK;
        last = status == LDP_OK ? last : &reasons[i];
    }
    return suits ? 0
                 : json_fail(&query->at, failure, "expected intervals that suit one of the oracles, got %s: %s",
                             query->label, last->text);
}

/* A note for each oracle and reason, with the queries that have it. */
static void note_intervals(struct evaluation_setup *setup, struct ldp_reason *reasons)
{
    const struct query_list *const queries = &setup->config.queries;
    const size_t noracles = setup->grid.noracles, count = queries->count * noracles;
    for (size_t at = 0; at < count; at++) {
        const struct ldp_reason reason = reasons[at];
        struct buffer names = {0};
        for (size_t same = at; reason.text[0] && same < count; same += noracles)
            if (strcmp(reasons[same].text, reason.text) == 0) {
                buffer_format(&names, "%s%s", names.length > 0 ? ", " : "", queries->choice[same / noracles].label);
                reasons[same].text[0] = 0;
            }
        if (names.length > 0)
            texts_keep(&setup->grid.setup.notes,
                       xformat("oracle %s: no intervals for %s: %s", setup->grid.oracles[at % noracles].label,
                               names.text, reason.text));
        buffer_clear(&names);
    }
}

int evaluation_note(struct evaluation_setup *setup, struct failure *failure)
{
    const struct query_list *const queries = &setup->config.queries;
    struct ldp_reason *const reasons = xcalloc(queries->count * setup->grid.noracles, sizeof *reasons);
    int result = 0;
    for (size_t q = 0; result == 0 && q < queries->count; q++)
        result = check_intervals(setup, &queries->choice[q], reasons + q * setup->grid.noracles, failure);
    if (result == 0)
        note_intervals(setup, reasons);
    free(reasons);
    return result == 0 && note_remarks(setup, failure) == 0 ? note_needs(setup, failure) : -1;
}

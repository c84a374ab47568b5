/* central.c - what the collections of each cell protect if their reports are shuffled: central.csv. Nothing is
 * simulated. */
#include "shuffle.h"

#include "support/failure.h"
#include "tasks/frequency.h"

#include <math.h>

/* The ledger of a cell whose collections may be shuffled. */
void central_ledger(const struct setup *base, size_t cell, struct ledger *ledger)
{
    const struct evaluation_setup *const setup = evaluation_of(base);
    const struct grid *const grid = &setup->grid;
    const struct grid_point at = grid_point(grid, cell);
    const char *const oracle = setup->config.axes.oracles.choice[at.ioracle].label;
    struct ldp_protocol protocol;
    struct failure ignored = NO_REASON;

    if (!(setup->config.axes.shuffle.given || setup->config.axes.local) ||
        grid_protocol(grid, cell, &protocol, &ignored) != 0)
        return;
    const uint64_t n = grid->datasets[at.idataset].n;
    const bool private = !(protocol.flags & LDP_ORACLE_NOT_PRIVATE) && n > 1;
    const struct ldp_overlap overlap = ldp_overlap_of(&protocol);
    const struct ldp_bracket central =
        private ? ldp_shuffle_epsilon(&overlap, n, delta_at(&setup->config.axes.shuffle.delta, n))
                : (struct ldp_bracket){INFINITY, INFINITY};
    const double report = private ? protocol.epsilon : (double)INFINITY;

    ledger_add(ledger, oracle, "one report", report, report);
    ledger_add(ledger, oracle, "all reports, shuffled", central.lower, central.upper);
}

static int write_central(struct table_writer *w, size_t cell)
{
    const struct evaluation_setup *const setup = evaluation_of(w->experiment->setup);
    const struct grid *const grid = &setup->grid;
    const uint64_t n = grid->datasets[grid_point(grid, cell).idataset].n;
    struct ldp_protocol protocol;

    if (grid_protocol(grid, cell, &protocol, w->failure) != 0)
        return -1;
    const bool private = !(protocol.flags & LDP_ORACLE_NOT_PRIVATE) && n > 1;
    const double delta = n > 1 ? delta_at(&setup->config.axes.shuffle.delta, n) : (double)NAN;
    const struct ldp_overlap overlap = ldp_overlap_of(&protocol), generic = ldp_overlap_generic(protocol.epsilon);
    struct ldp_bracket central = {NAN, NAN}, any = {NAN, NAN};
    double mu = NAN, alpha = NAN;

    if (private) {
        central = ldp_shuffle_epsilon(&overlap, n, delta);
        any = ldp_shuffle_epsilon(&generic, n, delta);
        mu = ldp_shuffle_mu(&overlap, n);
        alpha = ldp_overlap_alpha(&overlap);
    }
    const double variance = protocol.flags & LDP_ORACLE_BIASED ? (double)NAN : (double)n * protocol.s1;
    const struct table_row row = {.field = {{.number = protocol.epsilon},
                                            {.number = delta},
                                            {.number = alpha},
                                            {.number = mu},
                                            {.number = variance * mu * mu / 2}}};
    const struct summary exact[] = {{.mean = sqrt(variance)},
                                    {.mean = central.upper},
                                    {.mean = central.lower > 0 ? central.lower : (double)NAN},
                                    {.mean = any.upper}};
    table_write_summaries(w, &row, exact);
    return 0;
}

static const struct table_column columns[] = {
    GRID_COLUMNS,
    {"epsilon_local", COLUMN_FACT, PART_NONE},
    {"delta", COLUMN_FACT, PART_NONE},
    {"alpha", COLUMN_FACT, PART_NONE},
    {"mu", COLUMN_FACT, PART_NONE},
    {"eta", COLUMN_FACT, PART_NONE},
    {"count_sd", COLUMN_MEAN, 0},
    {"central", COLUMN_MEAN, 1},
    {"central_lower", COLUMN_MEAN, 2},
    {"central_generic", COLUMN_MEAN, 3},
};

static const struct ldp_measure measures[] = {
    {.name = "count_sd",
     .title = "standard deviation of the count of a value that nobody holds",
     .axis = "standard deviation (users)",
     .better = LDP_LESS,
     .high = INFINITY},
    {.name = "central",
     .title = "central epsilon of shuffled reports, upper value",
     .axis = "central epsilon",
     .better = LDP_LESS,
     .high = INFINITY},
    {.name = "central_lower",
     .title = "central epsilon of shuffled reports, lower value",
     .axis = "central epsilon",
     .better = LDP_NEUTRAL,
     .high = INFINITY},
    {.name = "central_generic",
     .title = "central epsilon of shuffled reports of any client, upper value",
     .axis = "central epsilon",
     .better = LDP_NEUTRAL,
     .high = INFINITY},
    {.name = NULL},
};

const struct task_table central_table = {
    .table = {.file = "central.csv",
              .title = "central privacy of shuffled reports, and the noise that it costs",
              .subject = "oracle",
              .columns = columns,
              .ncolumns = sizeof columns / sizeof *columns,
              .measures = measures},
    .write = write_central,
};

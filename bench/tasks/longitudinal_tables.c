/* longitudinal_tables.c - the table of the task `longitudinal`: longitudinal.csv. */
#include "tasks/longitudinal.h"

#include "tasks/table_writer.h"

#include <math.h>
#include <string.h>

static const struct ldp_measure measures[] = {
    [LONGITUDINAL_MSE] =
        MEASURE("mse", "mean squared error of a round", "MSE", LDP_LESS, .high = INFINITY, .unit = LDP_UNIT_POINTS),
    [LONGITUDINAL_AVERAGE] = MEASURE("mse_average", "squared error of the mean over rounds",
                                     "MSE of the mean over rounds", LDP_LESS, .high = INFINITY),
    [LONGITUDINAL_TREND] = MEASURE("mse_trend", "squared error of the change from the first round to the last",
                                   "MSE of the change", LDP_LESS, .high = INFINITY),
    {.name = NULL},
};

void longitudinal_fields(const struct setup *base, size_t cell, struct field field[ROW_FIELDS])
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

    return setup->data[at.idata].layouts[at.ichain].nseries / longitudinal_measures(setup);
}

/* Exact errors of base on all values; NAN of what else there is. */
static void add_exact(const struct longitudinal *setup, size_t cell, struct field *field)
{
    const struct longitudinal_data *const data = &setup->data[longitudinal_point(setup, cell).idata];
    struct ldp_rounds rounds;
    struct failure ignored = NO_REASON;
    struct ldp_round_errors exact = {NAN, NAN, NAN};

    if (longitudinal_rounds(setup, cell, &rounds, &ignored) == 0 &&
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
    const size_t nmeasures = longitudinal_measures(setup), nmethods = data->nmethods[at.ichain];
    size_t q = 0, of_query = index;

    while (of_query >= nmethods * setup->queries.choice[q].specs[data->idataset].npoints)
        of_query -= nmethods * setup->queries.choice[q++].specs[data->idataset].npoints;
    const struct query_choice *const query = &setup->queries.choice[q];
    const struct ldp_query_spec *const spec = &query->specs[data->idataset];
    const struct method_choice *const method =
        &setup->methods.choice[data->methods[at.ichain][of_query / spec->npoints]];

    row->field[0] = (struct field){.text = method->label, .identity = method_identity(method)};
    row->field[1] = (struct field){
        .text = query->label,
        .identity = {.name = spec->query->name, .params = spec->query->params, .value = query->specs[0].param}};
    row->field[2].number = spec->points ? spec->points[of_query % spec->npoints] : (double)NAN;
    for (size_t l = 0; l < nmeasures; l++)
        row->field[3 + l].number = (double)NAN;
    if (spec->query->whole_domain && !method->spec.method->apply && !method->spec.method->on_answers)
        add_exact(setup, in->cell, &row->field[3]);
    for (size_t l = 0; l < nmeasures; l++)
        row->series[l] = index * nmeasures + l;
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

void longitudinal_ledger(const struct setup *base, size_t cell, struct ledger *ledger)
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
    ledger_add(ledger, chain, "one report", protection.report, protection.report);
    ledger_add(ledger, chain, "all reports, same value", protection.unchanged, protection.unchanged);
    ledger_add(ledger, chain, "all reports, any values", protection.sequence_low, protection.sequence_high);
}

static int write_budget(struct table_writer *w, size_t cell)
{
    const struct longitudinal *const setup = longitudinal_of(w->experiment->setup);
    const struct longitudinal_data *const data = &setup->data[longitudinal_point(setup, cell).idata];
    struct ldp_protection protection;
    struct ldp_rounds rounds;

    if (longitudinal_rounds(setup, cell, &rounds, w->failure) != 0)
        return -1;
    ldp_rounds_protection(&rounds, &protection);
    const double value[] = {rounds.epsilon,
                            protection.report,
                            protection.unchanged,
                            protection.sequence_low,
                            protection.sequence_high,
                            protection.accounted,
                            ldp_rounds_memos(&rounds, data->sequences),
                            rounds.chain->form->seen ? rounds.chain->form->seen(&rounds) : (double)NAN};
    struct summary summaries[sizeof value / sizeof *value] = {{0}};

    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        summaries[i].mean = value[i];
    table_write_summaries(w, &(struct table_row){{{0}}, {0}}, summaries);
    return 0;
}

static const struct ldp_measure budget_measures[] = {
    MEASURE("epsilon_memo", "epsilon of a memo, or of all reports of a chain without memos", "epsilon", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_report", "epsilon of one report", "epsilon", LDP_LESS, .high = INFINITY),
    MEASURE("epsilon_unchanged", "epsilon of all reports of a user whose value stays", "epsilon", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_sequence_low", "epsilon of all reports of any values: no less", "epsilon", LDP_LESS,
            .high = INFINITY),
    MEASURE("epsilon_sequence", "epsilon of all reports of any values: no more", "epsilon", LDP_LESS, .high = INFINITY),
    MEASURE("epsilon_worst", "epsilon of a memo times the most memos", "epsilon", LDP_LESS, .high = INFINITY),
    MEASURE("epsilon_memos", "epsilon of a memo times the memos of a user, in the mean", "epsilon", LDP_LESS,
            .high = INFINITY),
    MEASURE("changes_seen", "share of changes that change a memo", "changes seen", LDP_LESS, .high = 1),
    {.name = NULL},
};

static const struct table_column budget_columns[] = {
    CELL_COLUMNS,
};

static const struct task_table budget_table = {
    TABLE("budget.csv", "what chains protect", "chain", FORM_PLAIN, budget_columns, budget_measures), .each = EACH_MEAN,
    .write = write_budget};

void longitudinal_tables(const struct setup *base, struct task_tables *out)
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
    if (!base || longitudinal_of(base)->want_budget)
        tables_add(out, &budget_table);
}

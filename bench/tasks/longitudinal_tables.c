/* longitudinal_tables.c - the table of the task `longitudinal`: longitudinal.csv. */
#include "tasks/longitudinal.h"

#include <math.h>
#include <string.h>

#define ERROR(id, words, label)                                                                                        \
    {                                                                                                                  \
        .name = id, .title = words, .axis = label, .better = LDP_LESS, .high = INFINITY                                \
    }
static const struct ldp_measure measures[] = {
    ERROR("mse", "mean squared error of a round", "MSE"),
    ERROR("mse_average", "squared error of the mean over rounds", "MSE of the mean over rounds"),
    ERROR("mse_trend", "squared error of the change from the first round to the last", "MSE of the change"),
    {.name = NULL},
};
static const struct ldp_measure one_measure[] = {
    ERROR("mse", "mean squared error of a round", "MSE"),
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

static size_t rows(const struct task_table *table, const struct setup *base, size_t cell)
{
    const struct longitudinal *const setup = longitudinal_of(base);
    const struct longitudinal_point at = longitudinal_point(setup, cell);

    (void)table;
    return setup->data[at.idata].layouts[at.ichain].nseries / longitudinal_measures(setup);
}

/* Exact errors of base on all values; NAN of what else there is. */
static void add_exact(const struct longitudinal *setup, size_t cell, struct field *field)
{
    const struct longitudinal_data *const data = &setup->data[longitudinal_point(setup, cell).idata];
    struct ldp_rounds rounds;
    struct failure ignored;
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

static void row(const struct task_table *table, const struct setup *base, size_t cell, size_t index,
                struct table_row *row)
{
    const struct longitudinal *const setup = longitudinal_of(base);
    const struct longitudinal_point at = longitudinal_point(setup, cell);
    const struct longitudinal_data *const data = &setup->data[at.idata];
    const size_t nmeasures = longitudinal_measures(setup), nmethods = data->nmethods[at.ichain];
    size_t q = 0, of_query = index;

    (void)table;
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
        add_exact(setup, cell, &row->field[3]);
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

int longitudinal_tables(const struct setup *base, struct task_tables *out)
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
    const bool all = !base || longitudinal_of(base)->want_average;
    const struct task_table table = {
        .table = {.file = "longitudinal.csv",
                  .title = "errors of rounds",
                  .subject = "chain",
                  .measures = all ? measures : one_measure},
        .rows = rows,
        .row = row,
    };

    return tables_add_measured(out, table, columns, sizeof columns / sizeof *columns - (all ? 0 : 2));
}

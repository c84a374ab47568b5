/* errors.c - the tables of what queries measure: mse.csv, a table of its own for each query with measures other than
 * squared errors, n_equivalent.csv. */
#include "tasks/frequency.h"

#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

static const struct table_column error_columns[] = {
    METHOD_COLUMNS,
    {"query", COLUMN_KEY, PART_QUERY},
    {"parameter", COLUMN_KEY, PART_POINT},
    {"repetitions", COLUMN_REPETITIONS, 0},
    {"mse", COLUMN_MEAN, 0},
    {"sd", COLUMN_SD, 0},
    {"stderr", COLUMN_STDERR, 0},
};

static const struct table_column n_equivalent_columns[] = {
    METHOD_COLUMNS,
    {"repetitions", COLUMN_REPETITIONS, 0},
    {"n_equivalent", COLUMN_MEAN, 0},
    {"stderr", COLUMN_STDERR, 0},
};

static const struct ldp_measure n_equivalent_measures[] = {
    MEASURE("n_equivalent", "number of users at which the unprocessed estimate has the same error",
            "equivalent users n'", LDP_MORE, .high = INFINITY),
    {.name = NULL},
};

/* Whether a table shows a query; about is NULL for squared errors. */
static bool shows(const struct task_table *table, const struct ldp_query *query)
{
    return table->about ? query == table->about : query->measures == ldp_squared_error;
}

static size_t rows(const struct table_cell *in)
{
    const struct frequency *const config = &evaluation_of(in->setup)->config;
    const size_t idataset = grid_point(grid_of(in->setup), in->cell).idataset;
    size_t count = 0;

    for (size_t i = 0; i < config->queries.count; i++) {
        const struct ldp_query_spec *const spec = &config->queries.choice[i].specs[idataset];

        if (shows(in->table, spec->query))
            count += evaluation_methods(evaluation_of(in->setup), in->cell)->count * spec->npoints;
    }
    return count;
}

static double threshold(const struct grid *grid, size_t cell, const struct ldp_query_spec *spec,
                        const struct ldp_population *population, size_t point)
{
    struct ldp_protocol protocol;
    struct failure ignored = NO_REASON;

    if (grid_protocol(grid, cell, &protocol, &ignored) != 0)
        return NAN;
    return spec->query->threshold(spec, &protocol, population, point);
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct evaluation_setup *const setup = evaluation_of(in->setup);
    const struct frequency *const config = &setup->config;
    const size_t idataset = grid_point(&setup->grid, in->cell).idataset;
    size_t first = 0;

    for (size_t i = 0; i < config->queries.count; i++) {
        const struct query_choice *const query = &config->queries.choice[i];
        const struct ldp_query_spec *const spec = &query->specs[idataset];
        const size_t nmeasures = ldp_measures_count(spec->query->measures);
        const size_t points = evaluation_methods(setup, in->cell)->count * spec->npoints;

        if (shows(in->table, spec->query)) {
            if (index < points) {
                const size_t point = index % spec->npoints;

                row->field[0] = method_field(evaluation_method(setup, in->cell, index / spec->npoints));
                row->field[1] = query_field(query);
                row->field[2].number = spec->points ? spec->points[point] : (double)NAN;
                if (spec->query->threshold)
                    row->field[3].number = threshold(&setup->grid, in->cell, spec,
                                                     config->axes.datasets.dataset[idataset]->population, point);
                row_series(row, first + index * nmeasures, nmeasures);
                return;
            }
            index -= points;
        }
        first += points * nmeasures;
    }
}

/* The columns of a query's own table. */
static struct table_column *query_columns(const struct ldp_query *query, struct texts *texts, size_t *count)
{
    static const struct table_column keys[] = {
        METHOD_COLUMNS,
        {"query", COLUMN_KEY, PART_QUERY},
        {"parameter", COLUMN_KEY, PART_POINT},
        {"repetitions", COLUMN_REPETITIONS, 0},
    };
    const size_t nkeys = sizeof keys / sizeof *keys, nmeasures = ldp_measures_count(query->measures);
    struct table_column *const columns = xmalloc(nkeys + 3 * nmeasures + 1, sizeof *columns), *at = columns;

    for (size_t i = 0; i < nkeys; i++)
        *at++ = keys[i];
    for (size_t l = 0; l < nmeasures; l++) {
        *at++ = (struct table_column){query->measures[l].name, COLUMN_MEAN, l};
        *at++ =
            (struct table_column){texts_keep(texts, xformat("%s_stderr", query->measures[l].name)), COLUMN_STDERR, l};
    }
    if (query->threshold)
        *at++ = (struct table_column){"threshold", COLUMN_FACT, PART_THRESHOLD};
    for (size_t l = 0; l < nmeasures; l++)
        *at++ =
            (struct table_column){texts_keep(texts, xformat("%s_defined", query->measures[l].name)), COLUMN_DEFINED, l};
    *count = (size_t)(at - columns);
    return columns;
}

static bool asks_for(const struct evaluation_setup *setup, const struct ldp_query *query)
{
    bool found = !setup;

    for (size_t i = 0; !found && i < setup->config.queries.count; i++)
        found = setup->config.queries.choice[i].specs[0].query == query;
    return found;
}

static void add_query_table(const struct ldp_query *query, struct task_tables *out)
{
    struct task_table table = {
        .table = {.title = query->title, .subject = "method", .measures = query->measures},
        .rows = rows,
        .row = row,
        .about = query,
    };

    table.table.file = texts_keep(&out->texts, xformat("%s.csv", query->name));
    table.table.columns = table.owned = query_columns(query, &out->texts, &table.table.ncolumns);
    tables_add(out, &table);
}

/* The error of base that no number of users takes away: a sketch's values that share cells. 0 for other oracles, and
 * where the decoder's variance is not known. */
static double base_floor(const struct evaluation_setup *setup, size_t idataset, const struct ldp_protocol *protocol)
{
    const struct ldp_population *const population = setup->config.axes.datasets.dataset[idataset]->population;
    const double n = (double)population->n, d = (double)population->d;

    if (!(protocol->flags & LDP_ORACLE_SKETCH) || protocol->flags & LDP_ORACLE_BIASED)
        return 0;
    double *const variance = xmalloc(population->d, sizeof *variance), mean = 0;
    if (ldp_variance(protocol, &population->histogram, variance) != LDP_OK)
        out_of_memory();
    for (size_t v = 0; v < population->d; v++)
        mean += variance[v] / (n * n) / d;
    free(variance);
    return mean - (protocol->s1 + protocol->tf / d) / n;
}

static int write_n_equivalent(struct table_writer *w, size_t cell)
{
    const struct evaluation_setup *const setup = evaluation_of(w->experiment->setup);
    const size_t count = measurement_count(setup, cell);
    struct ldp_protocol protocol;

    if (grid_protocol(&setup->grid, cell, &protocol, w->failure) != 0)
        return -1;
    const double floor = base_floor(setup, grid_point(&setup->grid, cell).idataset, &protocol);
    for (size_t i = 0; i < count; i++) {
        const struct measurement at = measurement_at(setup, cell, i);
        struct table_row row = {.field = {method_field(evaluation_method(setup, cell, at.method))}};

        if (!at.spec->query->whole_domain)
            continue;
        struct summary mse;
        if (table_summary(w, cell, i, &mse) != 0)
            return -1;
        struct summary n;
        n.mean = mse.mean > floor ? ldp_n_equivalent(&protocol, mse.mean - floor) : (double)NAN;
        n.stderr_ = n.mean * (mse.stderr_ / (mse.mean - floor));
        table_write_summaries(w, &row, &n);
    }
    return 0;
}

void errors_tables(const struct evaluation_setup *setup, struct task_tables *out)
{
    static const struct task_table squared_errors = {
        TABLE("mse.csv", "mean squared errors of queries", "method", FORM_QUERIES, error_columns, ldp_squared_error),
        .rows = rows, .row = row};
    static const struct task_table n_equivalent = {
        TABLE("n_equivalent.csv", "number of users at which the unprocessed estimate has the same error", "method",
              FORM_PLAIN, n_equivalent_columns, n_equivalent_measures),
        .write = write_n_equivalent};
    const bool requested = !setup || setup->config.outputs & WANT_MSE;
    bool squared = false, whole_domain = false;

    for (size_t i = 0; requested && ldp_queries[i]; i++) {
        squared |= ldp_queries[i]->measures == ldp_squared_error && asks_for(setup, ldp_queries[i]);
        whole_domain |= ldp_queries[i]->whole_domain && asks_for(setup, ldp_queries[i]);
    }
    if (squared)
        tables_add(out, &squared_errors);
    if (whole_domain)
        tables_add(out, &n_equivalent);
    for (size_t i = 0; ldp_queries[i]; i++)
        if (ldp_queries[i]->measures != ldp_squared_error && asks_for(setup, ldp_queries[i]))
            add_query_table(ldp_queries[i], out);
}

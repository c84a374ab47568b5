/* expected.c - exact mean squared errors of the unprocessed estimates, the means of their variances: expected.csv.
 * Nothing is simulated. Ranges of ordered values have the mean variance of their totals. Cells whose oracle is biased,
 * or whose variance is a prediction, have no rows, nor have other queries about totals of several values. */
#include "tasks/frequency.h"

#include "config/json.h"
#include "laws/interval.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

/* The errors of a query if every estimate is one standard deviation from the true value, into out[npoints]. */
static void measure_deviations(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                               const struct ldp_population *population, const double *est, double *out)
{
    static const double floor = -INFINITY;
    const size_t bytes = spec->query->scratch_bytes ? spec->query->scratch_bytes(spec, population->d, 1) : 0;
    void *const scratch = xmalloc(bytes, 1);

    spec->query->measure(spec, &(struct ldp_collection){protocol, population->n, NULL, est}, population,
                         &(struct ldp_answers){1, &est, &floor}, NULL, scratch, out);
    free(scratch);
}

/* f_v plus the standard deviation of its estimate. */
static double *deviations(const struct ldp_protocol *protocol, const struct ldp_population *population)
{
    double *const est = xmalloc(population->d, sizeof *est);

    if (ldp_variance(protocol, &population->histogram, est) != LDP_OK)
        out_of_memory();
    for (size_t v = 0; v < population->d; v++)
        est[v] = population->f[v] + sqrt(est[v]) / (double)population->n;
    return est;
}

/* The exact means of a query's first measure, into out[npoints]. */
static void find_means(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                       const struct ldp_population *population, double *out)
{
    void *const scratch = xmalloc(ldp_set_interval_bytes(population->d) + population->d * sizeof(uint32_t), 1);

    for (size_t j = 0; j < spec->npoints; j++)
        out[j] = spec->query->exact(spec, protocol, population, j, scratch);
    free(scratch);
}

static void write_query(struct table_writer *w, const struct query_choice *query, const struct ldp_query_spec *spec,
                        const struct ldp_protocol *protocol, const struct ldp_population *population, const double *est)
{
    double *const out = xmalloc(spec->npoints, sizeof *out);

    if (spec->query->exact)
        find_means(spec, protocol, population, out);
    else
        measure_deviations(spec, protocol, population, est, out);
    for (size_t j = 0; j < spec->npoints; j++)
        if (!isnan(out[j]))
            table_write_summaries(
                w,
                &(struct table_row){
                    .field = {query_field(query), {.number = spec->points ? spec->points[j] : (double)NAN}}},
                &(struct summary){.mean = out[j]});
    free(out);
}

static bool known_exactly(const struct ldp_protocol *protocol)
{
    return !(protocol->flags & (LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED));
}

static bool is_known(const struct ldp_query *query)
{
    return query->single_values || query->exact;
}

int expected_demand_rows(const struct evaluation_setup *setup, const struct json_at *root, struct failure *failure)
{
    struct json_at at = *root;
    bool query = false, oracle = false;

    json_member(root, "outputs", &at);
    for (size_t i = 0; i < setup->config.queries.count && !query; i++)
        query = is_known(setup->config.queries.choice[i].specs[0].query);
    if (!query)
        return json_fail(&at, failure,
                         "expected full_domain, top_k or range among the queries for the output expected, got "
                         "none of them");
    for (size_t cell = 0; cell < setup->config.axes.cells.count && !oracle; cell++) {
        struct ldp_protocol protocol;

        if (grid_protocol(&setup->grid, cell, &protocol, failure) != 0)
            return -1;
        oracle = known_exactly(&protocol);
    }
    if (!oracle)
        return json_fail(&at, failure,
                         "expected an unbiased oracle and of exactly known variance for the output expected, got %s",
                         setup->config.axes.oracles.choice[0].label);
    return 0;
}

static int write_expected(struct table_writer *w, size_t cell)
{
    const struct evaluation_setup *const setup = evaluation_of(w->experiment->setup);
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    const struct ldp_population *const population = setup->config.axes.datasets.dataset[idataset]->population;
    struct ldp_protocol protocol;

    if (grid_protocol(&setup->grid, cell, &protocol, w->failure) != 0)
        return -1;
    if (!known_exactly(&protocol))
        return 0;
    double *const est = deviations(&protocol, population);
    for (size_t i = 0; i < setup->config.queries.count; i++) {
        const struct query_choice *const query = &setup->config.queries.choice[i];

        if (is_known(query->specs[idataset].query))
            write_query(w, query, &query->specs[idataset], &protocol, population, est);
    }
    free(est);
    return 0;
}

static const struct table_column columns[] = {
    GRID_COLUMNS,
    {"query", COLUMN_KEY, PART_QUERY},
    {"parameter", COLUMN_KEY, PART_POINT},
    {"expected_mse", COLUMN_MEAN, 0},
};

static const struct ldp_measure measures[] = {
    MEASURE("expected_mse", "exact mean squared error of the unprocessed estimate", "expected MSE", LDP_LESS,
            .high = INFINITY),
    {.name = NULL},
};

const struct task_table expected_table = {TABLE("expected.csv", "exact mean squared errors of unprocessed estimates",
                                                "oracle", FORM_PLAIN, columns, measures),
                                          .write = write_expected};

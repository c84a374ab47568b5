/* efficiency.c - an oracle's variance and cost compared with the best possible, and what one report tells an attacker
 * who knows the frequencies (attack_success.h): oracles.csv. No collection is simulated. */
#include "protocol/attack_success.h"
#include "support/memory.h"
#include "tasks/frequency.h"

#include <math.h>
#include <stdlib.h>

double frequency_mean_variance(const struct ldp_protocol *protocol, const struct ldp_population *population)
{
    double *const variance = xmalloc(population->d, sizeof *variance), mean = 0;

    if (ldp_variance(protocol, &population->histogram, variance) != LDP_OK)
        out_of_memory();
    for (size_t v = 0; v < population->d; v++)
        mean += variance[v] / (double)population->n / (double)population->d;
    free(variance);
    return mean;
}

static int write_oracle(struct table_writer *w, size_t cell)
{
    const struct evaluation_setup *const setup = evaluation_of(w->experiment->setup);
    const struct ldp_population *const population =
        setup->config.axes.datasets.dataset[grid_point(&setup->grid, cell).idataset]->population;
    const double users = (double)population->n;
    struct ldp_protocol protocol;

    if (grid_protocol(&setup->grid, cell, &protocol, w->failure) != 0)
        return -1;
    const double mean = frequency_mean_variance(&protocol, population);
    struct ldp_cost cost = {NAN, NAN, NAN};
    if (protocol.oracle->cost)
        protocol.oracle->cost(&protocol, &cost);
    struct ldp_attack_success attack;
    if (ldp_attack_success_of_counts(&protocol, population->counts, &attack) == LDP_ENOMEM)
        return fail_memory(w->failure);
    const struct table_row row = {.field = {{.number = ldp_optimum_bits(protocol.d)}, {.number = attack.guess}}};
    const double best =
        protocol.oracle->flags & LDP_ORACLE_NOT_PRIVATE ? (double)NAN : ldp_optimum(protocol.d, protocol.epsilon);
    /* At a large epsilon the rounding of p shows compared with 1 - p; no protocol is below the optimum. */
    const struct summary exact[] = {{.mean = best > 0 ? fmax(1, mean / best) : (double)NAN},
                                    {.mean = attack.success},
                                    {.mean = attack.advantage},
                                    {.mean = cost.report_bits},
                                    {.mean = users * cost.report_operations + cost.collection_operations},
                                    {.mean = (double)protocol.state_bytes}};
    table_write_summaries(w, &row, exact);
    return 0;
}

static const struct table_column columns[] = {
    GRID_COLUMNS,
    {"bits_bound", COLUMN_FACT, PART_NONE},
    {"guess", COLUMN_FACT, PART_NONE},
};

static const struct ldp_measure measures[] = {
    MEASURE("variance_over_optimum", "mean variance over the smallest possible", "variance / optimum", LDP_LESS,
            .low = 1, .high = INFINITY),
    ATTACK_MEASURES("a value from one report"),
    MEASURE("report_bits", "bits of a report", "bits", LDP_LESS, .high = INFINITY),
    MEASURE("server_operations", "operations of the server", "operations", LDP_LESS, .high = INFINITY),
    MEASURE("state_bytes", "bytes of the server's state", "bytes", LDP_LESS, .high = INFINITY),
    {.name = NULL},
};

const struct task_table oracles_table = {
    TABLE(
        "oracles.csv",
        "mean variance over the best possible, what a report tells, its bits, operations of the server, bytes of its state",
        "oracle", FORM_TRADEOFF, columns, measures),
    .each = EACH_MEAN, .write = write_oracle};

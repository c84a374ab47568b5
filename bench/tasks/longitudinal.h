/* longitudinal.h - shared by the files of the task `longitudinal`. */
#ifndef LDPBENCH_TASK_LONGITUDINAL_H
#define LDPBENCH_TASK_LONGITUDINAL_H

#include "chain.h"
#include "config/chains.h"
#include "config/methods.h"
#include "config/queries.h"
#include "tasks/grid.h"

/* The measures of a method on a query, in the order of their series; the first is always taken. */
enum { LONGITUDINAL_MSE, LONGITUDINAL_AVERAGE, LONGITUDINAL_TREND, LONGITUDINAL_MEASURES };

/* A dataset over some rounds. */
struct longitudinal_data {
    size_t idataset; /* of the config's */
    size_t rounds;
    double change; /* NAN: not a probability */
    struct ldp_sequences *sequences;
    struct ldp_population **population; /* [rounds]; one if nobody's value changes */
    struct ldp_population *average;     /* of all rounds together */
    struct layout *layouts;             /* [chains], whose series are owned */
    size_t **methods;                   /* [chains]: those that suit it, */
    size_t *nmethods;                   /* [chains]: and how many they are */
};

struct longitudinal {
    struct grid grid; /* its datasets are `data`; its cells are counted here */
    struct dataset_list datasets;
    struct evolution_list evolutions;
    struct sweep rounds;
    struct chain_list chains;
    struct sweep epsilon, first;
    size_t equal; /* enum ldp_equal: what epsilon is of */
    struct method_list methods;
    struct query_list queries;
    uint64_t outputs;
    bool want_average, want_budget;
    enum ldp_mode mode;
    struct longitudinal_data *data;
    size_t ndata;
    const char **chain_keys, **method_keys;
    double *memo; /* [cells]: epsilon as chains take it, at which they protect that of the cell */
};

const struct longitudinal *longitudinal_of(const struct setup *setup);

struct longitudinal_point {
    size_t idata, ichain;
    double epsilon, first; /* of a memo; of one report, as a share of it */
};

struct longitudinal_point longitudinal_point(const struct longitudinal *setup, size_t cell);

/* The chain of a cell. */
int longitudinal_rounds(const struct longitudinal *setup, size_t cell, struct ldp_rounds *rounds,
                        struct failure *failure);

static inline const struct ldp_population *longitudinal_population(const struct longitudinal_data *data, size_t round)
{
    return data->population[data->sequences->values ? round : 0];
}

static inline size_t longitudinal_measures(const struct longitudinal *setup)
{
    return setup->want_average ? LONGITUDINAL_MEASURES : 1;
}

/* The task's entries for a worker (longitudinal_worker.c). */
struct worker *longitudinal_worker_new(const struct setup *base);
void longitudinal_worker_free(struct worker *base);
int longitudinal_worker_begin(struct worker *base, size_t cell, struct failure *failure);
int longitudinal_worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums,
                            struct failure *failure);

/* The ledger of a cell's chain. */
void longitudinal_ledger(const struct setup *base, size_t cell, struct ledger *ledger);

void longitudinal_tables(const struct setup *setup, struct task_tables *out);
void longitudinal_fields(const struct setup *base, size_t cell, struct field field[ROW_FIELDS]);

#endif

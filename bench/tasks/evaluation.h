/* evaluation.h - a grid of populations with methods and queries: what the tasks frequency and selection have in
 * common. */
#ifndef LDPBENCH_EVALUATION_H
#define LDPBENCH_EVALUATION_H

#include "config/frequency_keys.h"
#include "stats/collection.h"
#include "tasks/grid.h"

struct evaluation_setup {
    struct grid grid;
    struct frequency config;
    const char **method_keys; /* [nmethods], canonical texts */
    size_t *group;            /* [datasets]: which have their layouts in common */
    struct layout *layouts;   /* [groups][sets of methods], those that cells have */
    size_t nlayouts;
};

/* Prepares what a task's FREQUENCY_KEYS read into config. To be cleared in any case. */
int evaluation_prepare(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                       const struct task *task, struct evaluation_setup *setup, struct failure *failure);
void evaluation_clear(struct evaluation_setup *setup);

/* The evaluation at the beginning of a setup; asserts that there is one. */
const struct evaluation_setup *evaluation_of(const struct setup *setup);

/* Makes the layouts, one for the cells of equal datasets that the same methods suit. fill makes one for a cell and
 * those like it: it allocates series and sums and sets their numbers. Datasets in a row are equal where their queries
 * have the same keys; with by_size, where they have as many values besides. */
void evaluation_lay_out(struct evaluation_setup *setup, bool by_size,
                        void (*fill)(struct evaluation_setup *setup, size_t cell, struct layout *out));
const struct layout *evaluation_layout(const struct setup *setup, size_t cell);

/* The methods that suit a cell, and the i-th of them. */
const struct method_set *evaluation_methods(const struct evaluation_setup *setup, size_t cell);
const struct method_choice *evaluation_method(const struct evaluation_setup *setup, size_t cell, size_t i);

/* Fields of a row in the columns of a method and of a query. */
struct field method_field(const struct method_choice *method);
struct field query_field(const struct query_choice *query);

/* Meaning of the numbers of a cell's evaluation, by their index: for each query in order, for each of the cell's
 * methods, point and measure. */
struct measurement {
    const struct query_choice *query;
    const struct ldp_query_spec *spec; /* of the query on the dataset */
    size_t method, point, measure;     /* method: of the cell's */
};

size_t measurement_count(const struct evaluation_setup *setup, size_t cell);
struct measurement measurement_at(const struct evaluation_setup *setup, size_t cell, size_t index);

/* Sets series[measurement_count]. */
void measurement_series(struct evaluation_setup *setup, size_t cell, struct series *series);

/* One thread's place: the cell's true population, its collections, and the evaluation of methods and queries. The first
 * member of a task's own worker. */
struct evaluation_worker {
    struct worker worker;
    const struct evaluation_setup *setup;
    struct collection collection;
    struct ldp_query_spec *queries;       /* of the current dataset */
    struct ldp_method_spec *methods;      /* of the cell at hand */
    struct ldp_evaluation *evaluation;    /* NULL where no method suits the cell */
    struct external_process **processes;  /* [methods of the config], of those outside the program, else NULL */
    struct external_process **collectors; /* [oracles of the config], likewise */
    const struct method_set *set;
    const struct ldp_oracle_spec *oracle; /* of the cell */
    size_t idataset;
    size_t nmeasured; /* the evaluation's size */
};

void evaluation_worker_init(struct evaluation_worker *worker, const struct evaluation_setup *setup);

/* Measures the estimate of a collection, the cell's or another one, from its population: sets measured[nmeasured].
 * Methods outside the program are asked for theirs. */
int evaluation_worker_measure(struct evaluation_worker *worker, const struct collection *collection, const double *est,
                              struct ldp_rng *rng, double *measured, struct failure *failure);

/* Prepares for a cell; the evaluation is kept while the dataset and the methods are the same. */
int evaluation_worker_begin(struct evaluation_worker *worker, size_t cell, struct failure *failure);
void evaluation_worker_clear(struct evaluation_worker *worker);

/* One collection with its evaluation. */
struct cell_cost evaluation_cost(const struct evaluation_setup *setup, size_t cell);

#endif

/* grid.h - a setup whose cells are datasets x oracles x epsilon, epsilon fastest, or some of these: the basis of most
 * tasks.
 *
 * A task embeds a struct grid as its first member and takes grid_cell_key and grid_layout as its own. */
#ifndef LDPBENCH_GRID_H
#define LDPBENCH_GRID_H

#include "config/attack_keys.h"
#include "config/axes.h"
#include "dataset.h"
#include "support/text.h"
#include "tasks/task.h"

/* A dataset as keys and tables call it. */
struct grid_dataset {
    const char *key, *label;
    struct identity identity;
    size_t d;
    uint64_t n;
    const struct layout *layout; /* of its cells */
};

struct grid {
    struct setup setup;
    struct grid_dataset *datasets;
    size_t ndatasets;
    const struct oracle_choice *oracles;
    size_t noracles;
    const double *epsilon;
    const struct cell_list *cells;
    enum ldp_mode mode;
    const char **oracle_keys, **collection_keys, **epsilon_keys; /* canonical texts, of each oracle and epsilon */
    struct texts texts;
};

/* The grid of these axes, which are kept and outlive it: makes room for the datasets, which the task fills in, and the
 * texts of the cells' keys. To be cleared in any case. */
void grid_init(struct grid *grid, const struct task *task, const struct axes *axes);
void grid_clear(struct grid *grid);

/* A dataset of the grid; its cells have that layout. */
struct grid_dataset grid_dataset(const struct dataset *dataset, const struct layout *layout);

/* Adds a workload of a dataset; the texts outlive the grid. */
void grid_add_workload(struct grid *grid, size_t idataset, const char *column, const char *value, const char *contents);

/* The grid at the beginning of a setup; asserts that there is one. */
const struct grid *grid_of(const struct setup *setup);

struct grid_point grid_point(const struct grid *grid, size_t cell);

/* `TASK|DATASET|ORACLE|epsilon=E|counts` */
char *grid_cell_key(const struct setup *setup, size_t cell);
char *grid_collection_key(const struct setup *setup, size_t cell);
const struct layout *grid_layout(const struct setup *setup, size_t cell);

/* The protocol of a cell. */
int grid_protocol(const struct grid *grid, size_t cell, struct ldp_protocol *protocol, struct failure *failure);

/* The columns of a cell, of every table. */
#define GRID_COLUMNS                                                                                                   \
    {"experiment", COLUMN_EXPERIMENT, PART_NONE}, {"dataset", COLUMN_CELL, PART_DATASET},                              \
        {"d", COLUMN_CELL, PART_DOMAIN}, {"n", COLUMN_CELL, PART_USERS}, {"oracle", COLUMN_CELL, PART_ORACLE},         \
    {                                                                                                                  \
        "epsilon", COLUMN_CELL, PART_BUDGET                                                                            \
    }

void grid_fields(const struct setup *setup, size_t cell, struct field field[ROW_FIELDS]);

/* The columns of an attack, and the fields of a row in them. */
#define ATTACK_COLUMNS                                                                                                 \
    {"attack", COLUMN_KEY, PART_QUERY}, {"fraction", COLUMN_KEY, PART_POINT},                                          \
    {                                                                                                                  \
        "targets", COLUMN_FACT, PART_NONE                                                                              \
    }
void attack_fields(struct attack_point point, size_t targets, struct field field[3]);

#endif

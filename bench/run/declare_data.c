/* declare_data.c - the data that rows are measured on, into run.json; see declare.h. */
#include "run/declare.h"
#include "support/tree.h"
#include "tasks/grid.h"

#include <string.h>

static bool is_of(const struct workload *workload, const struct grid_dataset *dataset)
{
    return workload->d == dataset->d && workload->n == dataset->n && strcmp(workload->dataset, dataset->label) == 0;
}

/* The workloads of a dataset; setups list them in the order of datasets. */
static void add_workloads(cJSON *object, const struct workloads *workloads, const struct grid_dataset *dataset,
                          size_t *next)
{
    cJSON *list = NULL;

    for (; *next < workloads->count && is_of(&workloads->workload[*next], dataset); ++*next) {
        const struct workload *const workload = &workloads->workload[*next];

        if (!list)
            list = cJSON_AddArrayToObject(object, "workloads");
        json_add(json_append(list), "column=%s value=%s identity=%s", workload->column, workload->value,
                 workload->contents);
    }
}

void data_to_json(const struct setup *setup, cJSON *run)
{
    if (!(setup->bases & SETUP_GRID))
        return;

    const struct grid *const grid = grid_of(setup);
    cJSON *const list = cJSON_AddArrayToObject(run, "data");
    size_t next = 0;

    for (size_t i = 0; i < grid->ndatasets; i++) {
        const struct grid_dataset *const dataset = &grid->datasets[i];
        cJSON *const object = json_append(list);

        json_add(object, "dataset=%s d=%zu n=%llu identity=%s", dataset->label, dataset->d,
                 (unsigned long long)dataset->n, dataset->key);
        add_workloads(object, &setup->workloads, dataset, &next);
    }
}

/* declare_data.c - the data that rows are measured on, into run.json; see declare.h. */
#include "run/declare.h"
#include "tasks/grid.h"

#include <string.h>

static bool is_of(const struct workload *workload, const struct grid_dataset *dataset)
{
    return workload->d == dataset->d && workload->n == dataset->n && strcmp(workload->dataset, dataset->label) == 0;
}

/* The workloads of a dataset; setups list them in the order of datasets. */
static bool add_workloads(cJSON *object, const struct workloads *workloads, const struct grid_dataset *dataset,
                          size_t *next)
{
    cJSON *list = NULL;

    for (; *next < workloads->count && is_of(&workloads->workload[*next], dataset); ++*next) {
        const struct workload *const workload = &workloads->workload[*next];
        cJSON *const item = cJSON_CreateObject();

        if (!list)
            list = cJSON_AddArrayToObject(object, "workloads");
        if (!list || !cJSON_AddItemToArray(list, item) || !cJSON_AddStringToObject(item, "column", workload->column) ||
            !cJSON_AddStringToObject(item, "value", workload->value) ||
            !cJSON_AddStringToObject(item, "identity", workload->contents))
            return false;
    }
    return true;
}

bool data_to_json(const struct setup *setup, cJSON *run)
{
    if (!(setup->bases & SETUP_GRID))
        return true;

    const struct grid *const grid = grid_of(setup);
    cJSON *const list = cJSON_AddArrayToObject(run, "data");
    size_t next = 0;

    for (size_t i = 0; list && i < grid->ndatasets; i++) {
        const struct grid_dataset *const dataset = &grid->datasets[i];
        cJSON *const object = cJSON_CreateObject();

        if (!cJSON_AddItemToArray(list, object) || !cJSON_AddStringToObject(object, "dataset", dataset->label) ||
            !cJSON_AddNumberToObject(object, "d", (double)dataset->d) ||
            !cJSON_AddNumberToObject(object, "n", (double)dataset->n) ||
            !cJSON_AddStringToObject(object, "identity", dataset->key) ||
            !add_workloads(object, &setup->workloads, dataset, &next))
            return false;
    }
    return list;
}

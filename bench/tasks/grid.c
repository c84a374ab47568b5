/* grid.c - see grid.h. */
#include "tasks/grid.h"

#include "config/dataset_notes.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"

#include <assert.h>
#include <stdlib.h>

void grid_init(struct grid *grid, const struct task *task, const struct axes *axes)
{
    grid->setup = (struct setup){.task = task, .bases = SETUP_GRID, .ncells = axes->cells.count};
    grid->ndatasets = axes->datasets.count;
    grid->oracles = axes->oracles.choice;
    grid->noracles = axes->oracles.count;
    grid->epsilon = axes->epsilon.values;
    grid->cells = &axes->cells;
    grid->mode = axes->mode;
    dataset_notes(&axes->datasets, &grid->setup.notes);
    grid->datasets = xcalloc(grid->ndatasets, sizeof *grid->datasets);
    grid->oracle_keys = xcalloc(grid->noracles, sizeof *grid->oracle_keys);
    grid->collection_keys = xcalloc(grid->noracles, sizeof *grid->collection_keys);
    grid->epsilon_keys = xcalloc(axes->epsilon.count, sizeof *grid->epsilon_keys);
    for (size_t i = 0; i < grid->noracles; i++) {
        const struct oracle_choice *const oracle = &grid->oracles[i];

        grid->oracle_keys[i] = texts_keep(&grid->texts, oracle_key(oracle));
        grid->collection_keys[i] =
            oracle->external ? grid->oracle_keys[i] : texts_keep(&grid->texts, oracle_collection_text(&oracle->spec));
    }
    for (size_t i = 0; i < axes->epsilon.count; i++) {
        char number[NUMBER_TEXT];

        grid->epsilon_keys[i] = texts_keep(&grid->texts, xstrdup(format_number(grid->epsilon[i], number)));
    }
}

struct grid_dataset grid_dataset(const struct dataset *dataset, const struct layout *layout)
{
    const struct dataset_type *const type = dataset->type;

    return (struct grid_dataset){.key = dataset->key,
                                 .label = dataset->name,
                                 .identity = {.name = type->from_file ? dataset->name : type->name,
                                              .params = type->params,
                                              .value = dataset->param,
                                              .word_name = type->text ? type->text->name : NULL,
                                              .word = dataset->text},
                                 .d = dataset_d(dataset),
                                 .n = dataset_n(dataset),
                                 .layout = layout};
}

void grid_clear(struct grid *grid)
{
    free(grid->datasets);
    free(grid->oracle_keys);
    free(grid->collection_keys);
    free(grid->epsilon_keys);
    texts_clear(&grid->texts);
    texts_clear(&grid->setup.notes);
    free(grid->setup.workloads.workload);
}

void grid_add_workload(struct grid *grid, size_t idataset, const char *column, const char *value, const char *contents)
{
    const struct grid_dataset *const dataset = &grid->datasets[idataset];
    struct workloads *const to = &grid->setup.workloads;

    *ARRAY_ADD(to->workload, to->count, to->room) = (struct workload){.dataset = dataset->label,
                                                                      .d = dataset->d,
                                                                      .n = dataset->n,
                                                                      .column = column,
                                                                      .value = value,
                                                                      .contents = contents};
}

const struct grid *grid_of(const struct setup *setup)
{
    assert(setup->bases & SETUP_GRID);
    return (const struct grid *)setup;
}

struct grid_point grid_point(const struct grid *grid, size_t cell)
{
    assert(cell < grid->setup.ncells);
    return grid->cells->point[cell];
}

static char *cell_text(const struct setup *setup, size_t cell, const char *const *oracle_keys)
{
    const struct grid *const grid = grid_of(setup);
    const struct grid_point at = grid_point(grid, cell);

    return xformat("%s|%s|%s|epsilon=%s|%s", setup->task->name, grid->datasets[at.idataset].key,
                   oracle_keys[at.ioracle], grid->epsilon_keys[at.iepsilon],
                   grid->mode == LDP_COUNTS ? "counts" : "reports");
}

char *grid_cell_key(const struct setup *setup, size_t cell)
{
    return cell_text(setup, cell, grid_of(setup)->oracle_keys);
}

char *grid_collection_key(const struct setup *setup, size_t cell)
{
    return cell_text(setup, cell, grid_of(setup)->collection_keys);
}

const struct layout *grid_layout(const struct setup *setup, size_t cell)
{
    const struct grid *const grid = grid_of(setup);

    return grid->datasets[grid_point(grid, cell).idataset].layout;
}

int grid_protocol(const struct grid *grid, size_t cell, struct ldp_protocol *protocol, struct failure *failure)
{
    const struct grid_point at = grid_point(grid, cell);
    const struct oracle_choice *const oracle = &grid->oracles[at.ioracle];
    const size_t d = grid->datasets[at.idataset].d;

    struct ldp_reason reason;

    switch (ldp_protocol_init(protocol, &oracle->spec, d, grid->epsilon[at.iepsilon], &reason)) {
    case LDP_OK: return 0;
    case LDP_ENOMEM: out_of_memory();
    default:
        return fail(failure, EXIT_BAD_INPUT, "oracle %s does not suit d = %zu, epsilon = %s: %s", oracle->label, d,
                    grid->epsilon_keys[at.iepsilon], reason.text);
    }
}

void grid_fields(const struct setup *setup, size_t cell, struct field field[ROW_FIELDS])
{
    const struct grid *const grid = grid_of(setup);
    const struct grid_point at = grid_point(grid, cell);
    const struct grid_dataset *const dataset = &grid->datasets[at.idataset];
    const struct oracle_choice *const oracle = &grid->oracles[at.ioracle];

    field[0] = (struct field){.text = dataset->label, .identity = dataset->identity};
    field[1].number = (double)dataset->d;
    field[2].number = (double)dataset->n;
    field[3] = (struct field){.text = oracle->label, .identity = oracle_identity(&oracle->spec)};
    field[4].number = grid->epsilon[at.iepsilon];
}

void attack_fields(struct attack_point point, size_t targets, struct field field[3])
{
    const struct ldp_attack_spec *const spec = &point.attack->spec;

    field[0] =
        (struct field){.text = point.attack->label,
                       .identity = {.name = spec->attack->name, .params = spec->attack->params, .value = spec->param}};
    field[1].number = point.fraction;
    field[2].number = (double)targets;
}

/* open_runs.c - what would decide the claims that are open: cells and repetitions, as `ldpbench run --cells` reads
 * them. */
#include "agreement/agreement.h"

#include "results/results.h"

#include <stdlib.h>
#include <string.h>

/* A cell of a run and how often it was repeated at most: its rows may be of several tables. */
struct repeated {
    const char *cell;
    size_t repetitions;
};

static int add_repeated(struct repeated **list, size_t *count, const char *cell, size_t repetitions)
{
    for (size_t i = *count; i > 0; i--)
        if (strcmp((*list)[i - 1].cell, cell) == 0)
            return 0;
    struct repeated *const more = realloc(*list, (*count + 1) * sizeof *more);
    if (!more)
        return -1;
    *list = more;
    more[(*count)++] = (struct repeated){cell, repetitions};
    return 0;
}

static int list_repeated(struct results *results, struct repeated **list, size_t *count, struct failure *failure)
{
    for (size_t t = 0; t < results_count(results); t++) {
        const struct result_table *const table = results_table(results, t, failure);

        if (!table)
            return -1;
        for (size_t row = 0; table->cell && table->nmeasures > 0 && row < table->nrows; row++)
            if (table->cell[row] &&
                add_repeated(list, count, table->cell[row], table->number[row * table->nmeasures].repetitions) != 0)
                return fail_memory(failure);
    }
    return 0;
}

/* The cells of a run that are to have more repetitions than its least: those that have already, and those wanted, which
 * get `growth` times as many as they have but not beyond `limit` times the least. Nothing where no cell may grow. */
static int write_run_cells(const struct agreement *agreement, const struct open_cell *of, double limit, FILE *out,
                           struct failure *failure)
{
    static const size_t growth = 4;
    const struct open_cells *const cells = evidence_open_cells(agreement->evidence);
    struct results *const results = evidence_results(agreement->evidence, of->run, of->folder);
    struct repeated *list = NULL;
    size_t count = 0;
    int result = results ? list_repeated(results, &list, &count, failure) : 0;
    size_t least = SIZE_MAX;

    for (size_t i = 0; i < count; i++)
        least = list[i].repetitions < least ? list[i].repetitions : least;
    bool grows = false;
    for (size_t i = 0; i < count; i++) {
        const double most = limit * (double)least;

        if (!open_cells_has(cells, of->folder, of->run, list[i].cell) || (double)list[i].repetitions >= most)
            continue;
        grows = true;
        list[i].repetitions *= growth;
        if ((double)list[i].repetitions > most)
            list[i].repetitions = (size_t)most;
    }
    for (size_t i = 0; result == 0 && grows && i < count; i++)
        if (list[i].repetitions > least)
            fprintf(out, "%s/%s\t%zu\t%s\n", of->folder, of->run, list[i].repetitions, list[i].cell);
    free(list);
    return result;
}

int agreement_write_open(const struct agreement *agreement, double limit, FILE *out, struct failure *failure)
{
    const struct open_cells *const cells = evidence_open_cells(agreement->evidence);

    for (size_t i = 0; i < cells->count; i++) {
        const struct open_cell *const cell = &cells->cell[i];
        bool written = false;

        for (size_t j = 0; j < i && !written; j++)
            written = strcmp(cells->cell[j].run, cell->run) == 0 && strcmp(cells->cell[j].folder, cell->folder) == 0;
        if (!written && write_run_cells(agreement, cell, limit, out, failure) != 0)
            return -1;
    }
    return 0;
}

/* open_runs.c - what would decide the claims that are open: cells and repetitions, as `ldpbench run --cells` reads
 * them. */
#include "agreement/agreement.h"

#include "results/results.h"

#include <cjson/cJSON.h>
#include <math.h>
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

/* The repetitions that a run's config asks for; where it is not known, or asks for a precision, the fewest of a cell.
 */
static double asked_repetitions(struct results *results, const struct repeated *list, size_t count)
{
    const char *const text = results_origin(results)->config;
    cJSON *const config = text ? cJSON_Parse(text) : NULL;
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(config, "repetitions");
    double asked = cJSON_IsNumber(item) ? item->valuedouble : INFINITY;

    cJSON_Delete(config);
    for (size_t i = 0; isinf(asked) && i < count; i++)
        asked = fmin(asked, (double)list[i].repetitions);
    return asked;
}

/* The cells of a run that are to have more repetitions than its config asks for: those that have already, and those
 * wanted, which get `growth` times as many as they have but not beyond `limit` times what the config asks for. Nothing
 * where no cell may grow. */
static int write_run_cells(const struct agreement *agreement, const struct open_cell *of, double limit, FILE *out,
                           struct failure *failure)
{
    static const size_t growth = 4;
    const struct open_cells *const cells = evidence_open_cells(agreement->evidence);
    struct results *const results = evidence_results(agreement->evidence, of->run, of->folder);
    struct repeated *list = NULL;
    size_t count = 0;
    const int result = results ? list_repeated(results, &list, &count, failure) : 0;
    const double asked = count > 0 ? asked_repetitions(results, list, count) : 0, most = limit * asked;

    bool grows = false;
    for (size_t i = 0; i < count; i++) {
        const double now = (double)list[i].repetitions;

        if (!open_cells_has(cells, of->folder, of->run, list[i].cell) || now >= most)
            continue;
        grows = true;
        list[i].repetitions = (size_t)fmin((double)growth * now, most);
    }
    for (size_t i = 0; result == 0 && grows && i < count; i++)
        if ((double)list[i].repetitions > asked)
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

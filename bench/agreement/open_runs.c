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

static int by_cell(const void *a, const void *b)
{
    return strcmp(((const struct repeated *)a)->cell, ((const struct repeated *)b)->cell);
}

/* The cells of a run, each once, sorted by their texts. */
static int list_repeated(struct results *results, struct repeated **list, size_t *count, struct failure *failure)
{
    size_t n = 0;

    for (size_t t = 0; t < results_count(results); t++) {
        const struct result_table *const table = results_table(results, t, failure);

        if (!table)
            return -1;
        if (!table->cell || table->nmeasures == 0 || table->nrows == 0)
            continue;
        struct repeated *const more = realloc(*list, (n + table->nrows) * sizeof *more);
        if (!more)
            return fail_memory(failure);
        *list = more;
        for (size_t row = 0; row < table->nrows; row++)
            if (table->cell[row])
                more[n++] = (struct repeated){table->cell[row], table->number[row * table->nmeasures].repetitions};
    }
    if (n > 0)
        qsort(*list, n, sizeof **list, by_cell);
    for (size_t i = 0; i < n; i++) {
        struct repeated *const last = *count > 0 ? &(*list)[*count - 1] : NULL;

        if (!last || by_cell(last, &(*list)[i]) != 0)
            (*list)[(*count)++] = (*list)[i];
        else if (last->repetitions < (*list)[i].repetitions)
            last->repetitions = (*list)[i].repetitions;
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

/* The repetitions that an open cell gets next: what would decide its claim, with some to spare, as far as that is
 * known, but at most four times as many as it has, for the estimate of what it takes is rough. */
static double next_repetitions(double now, double needed, double most)
{
    static const double growth = 4, spare = 1.4;

    return fmin(most, fmin(growth * now, fmax(now + 1, ceil(spare * needed))));
}

/* The cells of a run that are to have more repetitions than its config asks for: those that have already, and those
 * that are wanted, but not beyond `limit` times what the config asks for. Nothing where no cell may grow. */
static int write_run_cells(const struct agreement *agreement, const struct open_cell *of, double limit, FILE *out,
                           struct failure *failure)
{
    const struct open_cells *const cells = evidence_open_cells(agreement->evidence);
    struct results *const results = evidence_results(agreement->evidence, of->run, of->folder);
    struct repeated *list = NULL;
    size_t count = 0;
    const int result = results ? list_repeated(results, &list, &count, failure) : 0;
    const double asked = count > 0 ? asked_repetitions(results, list, count) : 0, most = limit * asked;

    bool grows = false;
    for (int writes = 0; writes < 2 && (writes == 0 || grows); writes++)
        for (size_t i = 0; result == 0 && i < count; i++) {
            const double now = (double)list[i].repetitions;
            const struct open_cell *const wanted =
                open_cells_find(cells, &(struct open_cell){of->folder, of->run, list[i].cell, 0});
            const double next = wanted && now < most ? next_repetitions(now, wanted->needed, most) : now;

            grows = grows || next > now;
            if (writes > 0 && next > asked)
                fprintf(out, "%s/%s\t%.0f\t%s\t%.0f\t%.0f\n", of->folder, of->run, next, list[i].cell, now,
                        wanted && next > now ? wanted->needed : now);
        }
    free(list);
    return result;
}

int agreement_write_open(const struct agreement *agreement, double limit, FILE *out, struct failure *failure)
{
    struct open_cells *const cells = evidence_open_cells(agreement->evidence);

    open_cells_sort(cells);
    for (size_t i = 0; i < cells->count; i++) {
        const struct open_cell *const cell = &cells->cell[i], *const before = i > 0 ? cell - 1 : NULL;

        if ((!before || strcmp(before->run, cell->run) != 0 || strcmp(before->folder, cell->folder) != 0) &&
            write_run_cells(agreement, cell, limit, out, failure) != 0)
            return -1;
    }
    return 0;
}

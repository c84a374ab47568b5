/* open.c - what would decide the claims that are open: cells and repetitions, as `ldpbench run --cells` reads them. */
#include "agreement/open.h"

#include "agreement/agreement.h"
#include "results/results.h"
#include "support/memory.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void open_cells_add(struct open_cells *cells, const char *folder, const char *run, const char *cell)
{
    if (cell[0])
        *ARRAY_ADD(cells->cell, cells->count, cells->room) = (struct open_cell){folder, run, cell, INFINITY};
}

static int by_place(const void *a, const void *b)
{
    const struct open_cell *const x = a, *const y = b;
    const int folders = strcmp(x->folder, y->folder), runs = folders != 0 ? folders : strcmp(x->run, y->run);

    return runs != 0 ? runs : strcmp(x->cell, y->cell);
}

/* Sorts by folder, run and cell, and keeps each cell once, with what the nearest of its claims needs. */
static void sort_cells(struct open_cells *cells)
{
    size_t count = 0;

    if (cells->count > 0)
        qsort(cells->cell, cells->count, sizeof *cells->cell, by_place);
    for (size_t i = 0; i < cells->count; i++) {
        struct open_cell *const last = count > 0 ? &cells->cell[count - 1] : NULL;

        if (!last || by_place(last, &cells->cell[i]) != 0)
            cells->cell[count++] = cells->cell[i];
        else
            last->needed = fmin(last->needed, cells->cell[i].needed);
    }
    cells->count = count;
}

/* A cell of a run and how often it was repeated at most: its rows may be of several tables. */
struct repeated {
    const char *cell;
    size_t repetitions;
};

struct repeated_cells {
    struct repeated *cell;
    size_t count, room;
};

/* By cell, the most repeated one first. */
static int by_cell(const void *a, const void *b)
{
    const struct repeated *const x = a, *const y = b;
    const int cells = strcmp(x->cell, y->cell);

    return cells != 0 ? cells : (x->repetitions < y->repetitions) - (x->repetitions > y->repetitions);
}

/* The cells of a run, each once, sorted by their texts. */
static int list_repeated(struct results *results, struct repeated_cells *list, struct failure *failure)
{
    size_t kept = 0;

    for (size_t t = 0; t < results_count(results); t++) {
        const struct result_table *const table = results_table(results, t, failure);

        if (!table)
            return -1;
        for (size_t row = 0; table->cell && table->nmeasures > 0 && row < table->nrows; row++)
            if (table->cell[row])
                *ARRAY_ADD(list->cell, list->count, list->room) =
                    (struct repeated){table->cell[row], table->number[row * table->nmeasures].repetitions};
    }
    if (list->count > 0)
        qsort(list->cell, list->count, sizeof *list->cell, by_cell);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || strcmp(list->cell[kept - 1].cell, list->cell[i].cell) != 0)
            list->cell[kept++] = list->cell[i];
    list->count = kept;
    return 0;
}

double open_asked(struct found *found)
{
    if (found->asked > 0)
        return found->asked;
    const char *const text = results_origin(found->results)->config;
    cJSON *const config = text ? cJSON_Parse(text) : NULL;
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(config, "repetitions");

    found->asked = cJSON_IsNumber(item) ? item->valuedouble : INFINITY;
    cJSON_Delete(config);
    return found->asked;
}

/* The same; where nothing is stated, the fewest of a cell. */
static double asked_repetitions(struct found *found, const struct repeated_cells *list)
{
    double asked = open_asked(found);

    for (size_t i = 0; isinf(open_asked(found)) && i < list->count; i++)
        asked = fmin(asked, (double)list->cell[i].repetitions);
    return asked;
}

/* The repetitions that an open cell gets next: what would decide its claim, with some to spare, as far as that is
 * known, but at most four times as many as it has, for the estimate of what it takes is rough. A cell that has these
 * already waits for the claim's others. */
static double next_repetitions(double now, double needed, double most)
{
    static const double growth = 4, spare = 1.4;

    return fmin(most, fmin(growth * now, fmax(now, ceil(spare * needed))));
}

static struct found *found_of(const struct evidence *evidence, const struct open_cell *of)
{
    for (size_t i = 0; i < evidence->runs; i++)
        for (size_t j = 0; strcmp(evidence->run[i].name, of->run) == 0 && j < evidence->run[i].nfound; j++)
            if (strcmp(evidence->run[i].found[j].folder, of->folder) == 0)
                return &evidence->run[i].found[j];
    return NULL;
}

/* The cells of a run that are to have more repetitions than its config asks for: those that have already, and those
 * that are wanted, but not beyond `limit` times what the config asks for. Nothing where no cell may grow. */
static int write_run_cells(const struct evidence *evidence, const struct open_cell *of, double limit, FILE *out,
                           struct failure *failure)
{
    const struct open_cells *const open = &evidence->open;
    struct found *const found = found_of(evidence, of);
    struct repeated_cells list = {0};
    const int result = found ? list_repeated(found->results, &list, failure) : 0;
    const double asked = list.count > 0 ? asked_repetitions(found, &list) : 0, most = limit * asked;
    bool grows = false;

    for (int writes = 0; writes < 2 && (writes == 0 || grows); writes++)
        for (size_t i = 0; result == 0 && i < list.count; i++) {
            const double now = (double)list.cell[i].repetitions;
            const struct open_cell key = {of->folder, of->run, list.cell[i].cell, 0}, *const wanted = bsearch(
                                                                                          &key, open->cell, open->count,
                                                                                          sizeof key, by_place);
            const double next = wanted && now < most ? next_repetitions(now, wanted->needed, most) : now;

            grows = grows || next > now;
            if (writes > 0 && next > asked)
                fprintf(out, "%s/%s\t%.0f\t%s\t%.0f\t%.0f\n", of->folder, of->run, next, list.cell[i].cell, now,
                        wanted && next > now ? wanted->needed : now);
        }
    free(list.cell);
    return result;
}

int agreement_write_open(const struct agreement *agreement, double limit, FILE *out, struct failure *failure)
{
    struct open_cells *const open = &agreement->evidence->open;

    sort_cells(open);
    for (size_t i = 0; i < open->count; i++) {
        const struct open_cell *const cell = &open->cell[i], *const before = i > 0 ? cell - 1 : NULL;

        if ((!before || strcmp(before->run, cell->run) != 0 || strcmp(before->folder, cell->folder) != 0) &&
            write_run_cells(agreement->evidence, cell, limit, out, failure) != 0)
            return -1;
    }
    return 0;
}

/* Half as many again of the cells of one folder that have more than their config asks for. */
static int write_fresh_cells(struct found *found, FILE *out, struct failure *failure)
{
    struct repeated_cells list = {0};
    const int result = list_repeated(found->results, &list, failure);

    for (size_t i = 0; result == 0 && i < list.count; i++) {
        const size_t now = list.cell[i].repetitions, next = now + (now + 1) / 2;

        if ((double)now > open_asked(found))
            fprintf(out, "%s/%s\t%zu\t%s\t%zu\t%zu\n", found->folder, found->run, next, list.cell[i].cell, now, next);
    }
    free(list.cell);
    return result;
}

int agreement_write_fresh(const struct agreement *agreement, FILE *out, struct failure *failure)
{
    const struct evidence *const evidence = agreement->evidence;
    int result = 0;

    for (size_t i = 0; i < evidence->runs; i++)
        for (size_t j = 0; result == 0 && j < evidence->run[i].nfound; j++)
            result = write_fresh_cells(&evidence->run[i].found[j], out, failure);
    return result;
}

/* evidence_runs.c - the runs that claims are held against: folders, datasets, where numbers come from. */
#include "agreement/evidence_private.h"
#include "run/provenance.h"

#include "support/text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int evidence_new(char *const *folders, size_t count, struct evidence **out, struct failure *failure)
{
    for (size_t i = 0; i < count; i++)
        if (access(folders[i], R_OK | X_OK) != 0)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected a folder of results", folders[i]);
    *out = calloc(1, sizeof **out);
    if (!*out)
        return fail_memory(failure);
    (*out)->folders = folders;
    (*out)->nfolders = count;
    (*out)->exchange.column = "";
    return 0;
}

void evidence_free(struct evidence *evidence)
{
    if (!evidence)
        return;
    for (size_t i = 0; i < evidence->nruns; i++) {
        struct run *const run = &evidence->run[i];

        for (size_t j = 0; j < run->nfound; j++) {
            codes_free(run->found[j].codes);
            results_close(run->found[j].results);
        }
        free(run->found);
        free(run->name);
        free(run->dataset);
        free(run->of);
    }
    evidence_forget(evidence);
    free(evidence->owned);
    open_cells_clear(&evidence->cells);
    free(evidence->run);
    free(evidence);
}

/* ---- runs ---- */

static bool has_dataset(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->ndatasets; i++)
        if (strcmp(run->dataset[i], name) == 0)
            return true;
    return false;
}

/* Lists the datasets that the last found results name and earlier ones do not. */
static int list_datasets(struct run *run, struct failure *failure)
{
    struct results *const results = run->found[run->nfound - 1].results;

    for (size_t t = 0; t < results_count(results); t++) {
        const struct result_table *const table = results_table(results, t, failure);

        if (!table)
            return -1;
        const size_t key = result_key_of(table, PART_DATASET);
        for (size_t row = 0; key != SIZE_MAX && row < table->nrows; row++) {
            const char *const name = result_key(table, row, key);

            if (row > 0 && strcmp(name, result_key(table, row - 1, key)) == 0)
                continue;
            if (has_dataset(run, name))
                continue;
            const char **const names = realloc(run->dataset, (run->ndatasets + 1) * sizeof *names);
            if (names)
                run->dataset = names;
            size_t *const of = realloc(run->of, (run->ndatasets + 1) * sizeof *of);
            if (of)
                run->of = of;
            if (!names || !of)
                return fail_memory(failure);
            run->dataset[run->ndatasets] = name;
            run->of[run->ndatasets++] = run->nfound - 1;
        }
    }
    return 0;
}

/* Opens FOLDER/RUN where there is a run.json. */
static int open_found(struct run *run, const char *folder, struct failure *failure)
{
    char *const path = text_format("%s/%s", folder, run->name);
    char *const about = text_format("%s/%s/run.json", folder, run->name);
    int result = 0;

    if (!path || !about) {
        result = fail_memory(failure);
    } else if (access(about, R_OK) == 0) {
        struct found *const found = &run->found[run->nfound];

        *found = (struct found){.folder = folder, .run = run->name};
        result = results_open(path, RESULTS_VALUES, &found->results, failure);
        if (result == 0) {
            run->nfound++;
            found->codes = codes_new();
            result = found->codes ? list_datasets(run, failure) : fail_memory(failure);
        }
    }
    free(path);
    free(about);
    return result;
}

/* A run by its name, opened when it is first asked for. */
static struct run *find_run(struct evidence *evidence, const char *name, struct failure *failure)
{
    for (size_t i = 0; i < evidence->nruns; i++)
        if (strcmp(evidence->run[i].name, name) == 0)
            return &evidence->run[i];
    struct run *run = realloc(evidence->run, (evidence->nruns + 1) * sizeof *run);
    if (!run) {
        fail_memory(failure);
        return NULL;
    }
    evidence->run = run;
    run += evidence->nruns++;
    *run = (struct run){.name = text_format("%s", name), .found = calloc(evidence->nfolders, sizeof *run->found)};
    if (!run->name || !run->found) {
        fail_memory(failure);
        return NULL;
    }
    for (size_t i = 0; i < evidence->nfolders; i++)
        if (open_found(run, evidence->folders[i], failure) != 0)
            return NULL;
    for (size_t i = 0; i < run->nfound; i++)
        run->found[i].exchange = &evidence->exchange;
    return run;
}

int evidence_datasets(struct evidence *evidence, const char *name, const char *const **names, size_t *count,
                      struct failure *failure)
{
    const struct run *const run = find_run(evidence, name, failure);

    if (!run)
        return -1;
    *names = run->dataset;
    *count = run->ndatasets;
    return 0;
}

static const char *about_text(const struct results_origin *origin, const char *key)
{
    const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(origin->run, key));

    return text ? text : "";
}

static uint64_t about_number(const struct results_origin *origin, const char *key)
{
    uint64_t number = 0;

    provenance_whole(origin->provenance, key, &number);
    return number;
}

size_t evidence_sources(const struct evidence *evidence, struct source *out, size_t room)
{
    size_t n = 0;

    for (size_t i = 0; i < evidence->nruns; i++) {
        const struct run *const run = &evidence->run[i];

        for (size_t j = 0; j < run->nfound && n < room; j++) {
            const struct results_origin *const origin = results_origin(run->found[j].results);

            out[n++] = (struct source){
                .run = run->name,
                .folder = run->found[j].folder,
                .seed = about_number(origin, "seed"),
                .repetitions = about_number(origin, "repetitions"),
                .least = about_number(origin, "repetitions_least"),
                .version = about_text(origin, "version"),
                .commit = about_text(origin, "commit"),
            };
        }
    }
    return n;
}

const struct found *evidence_found(struct evidence *evidence, const char *name, const char *dataset,
                                   struct failure *failure)
{
    const struct run *const run = find_run(evidence, name, failure);

    for (size_t i = 0; run && i < run->ndatasets; i++)
        if (strcmp(run->dataset[i], dataset) == 0)
            return &run->found[run->of[i]];
    if (run)
        fail(failure, EXIT_BAD_INPUT, "%s: no results of the dataset %s", name, dataset);
    return NULL;
}

struct results *evidence_results(struct evidence *evidence, const char *run, const char *folder)
{
    for (size_t i = 0; i < evidence->nruns; i++)
        for (size_t j = 0; strcmp(evidence->run[i].name, run) == 0 && j < evidence->run[i].nfound; j++)
            if (strcmp(evidence->run[i].found[j].folder, folder) == 0)
                return evidence->run[i].found[j].results;
    return NULL;
}

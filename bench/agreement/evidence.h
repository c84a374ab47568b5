/* evidence.h - measured numbers as claims need them: curves over a swept column, found in folders of results. */
#ifndef LDPBENCH_EVIDENCE_H
#define LDPBENCH_EVIDENCE_H

#include "agreement/statements.h"
#include "agreement/verdict.h"
#include "results/results.h"

struct cJSON;

/* All results that were found for a run, and the datasets of the first of them. */
struct evidence_run {
    char *name, **path;
    struct results **results; /* [nfound] */
    size_t nfound;
    struct interned datasets;
};

struct evidence {
    char *configs;        /* belongs to it */
    char *const *folders; /* of results, each with a folder for every run */
    size_t nfolders;
    struct evidence_run **run;
    size_t runs, run_room;
    double **kept; /* samples that are no table's */
    size_t nkept, kept_room;
};

/* configs: the folder of the configs that the runs are of; where it has one of a run's name, the run must be of that
 * config. folders must outlive the evidence; out is to be cleared in any case. */
int evidence_open(struct evidence *out, char *configs, char *const *folders, size_t count, struct failure *failure);
void evidence_clear(struct evidence *evidence);

/* A run by its name, without datasets where no folder has it; NULL with the failure set where it cannot be read. */
struct evidence_run *evidence_run(struct evidence *evidence, const char *name, struct failure *failure);

/* One measured number of a curve. */
struct evidence_point {
    double x, per;      /* of the claim's swept column, and of the column `per`; infinite where there is none */
    int64_t collection; /* numbers of the same collections are paired by repetition */
    bool by_run;        /* the sample has a number for each run: they are paired */
    struct sample sample;
    size_t row;
};

struct curve {
    char *name;
    struct evidence_point *point; /* by increasing x, each x once */
    size_t count, room;
};

/* The rows of a dataset that a selection names (column to value; "run" and "measure" in it go before the claim's), over
 * the claim's x from `from` until `until`. Fails where an x has several rows or none is found. The array is to
 * be freed in any case. */
int evidence_curve(struct evidence *evidence, const struct claim *claim, const char *dataset,
                   const struct cJSON *selection, struct curve *out, struct failure *failure);

/* The number that a claim's query selects from a dataset's store: its value, its standard error and, if there is a
 * third column, how many repetitions that is of. ":NAME" in it is the dataset, or the value of that column in `of` or
 * `where`.
 */
int evidence_query(struct evidence *evidence, const struct claim *claim, const char *dataset, struct estimate *out,
                   struct failure *failure);

#endif

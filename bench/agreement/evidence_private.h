/* evidence_private.h - shared by the files of evidence: the runs that were found in the folders. */
#ifndef LDPBENCH_EVIDENCE_PRIVATE_H
#define LDPBENCH_EVIDENCE_PRIVATE_H

#include "agreement/evidence.h"
#include "results/results.h"

/* A run in one of the folders. */
struct found {
    const char *folder, *run; /* run: its name, as long as the evidence */
    struct results *results;
    const struct exchange *exchange; /* the evidence's */
};

/* All results that were found for a run, and their datasets. */
struct run {
    char *name;
    struct found *found; /* [nfolders] */
    size_t nfound;
    const char **dataset;
    size_t *of; /* [ndatasets]: which of found */
    size_t ndatasets;
};

struct evidence {
    char *const *folders;
    size_t nfolders;
    struct run *run;
    size_t nruns;
    double **owned;
    size_t nowned;
    struct open_cells cells;
    struct exchange exchange;
};

/* The results that a run's dataset is taken from; NULL with the failure set where there are none. */
const struct found *evidence_found(struct evidence *evidence, const char *run, const char *dataset,
                                   struct failure *failure);

/* Numbers that live as long as the evidence; NULL if out of memory. */
double *evidence_keep(struct evidence *evidence, size_t count);

/* Corrects the sample of a row of the first measure by what is known of the method `control` on the same collections
 * (evidence_control.c). Fails where the run does not say what its error is expected to be. */
int evidence_control(struct evidence *evidence, const struct found *found, const struct result_table *table, size_t row,
                     const char *control, struct point *point, struct failure *failure);

#endif

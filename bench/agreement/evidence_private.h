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
    struct codes *codes;             /* what is known of the columns of its tables */
};

/* NULL if out of memory. */
struct codes *codes_new(void);
void codes_free(struct codes *codes); /* before the results are closed; NULL is allowed */

struct label {
    char text[512];
};

/* A text of a column, or what takes its place while results are exchanged. */
const char *exchanged_label(const struct found *found, const char *column, const char *text, struct label *room);

/* The rows of a dataset that a selection names (column to value). */
enum { CONDITIONS_MAX = 32 }; /* more than any table has keys */

struct condition {
    const uint32_t *of_row; /* number of each row's value */
    bool *matches;          /* which values do */
};

struct filter {
    bool nothing; /* the table lacks a column of the selection, or has no datasets */
    size_t count;
    struct condition condition[CONDITIONS_MAX];
};

/* Begins and ends the use of a filter, which belongs to the exchange of that time. Nothing is to be ended on failure.
 */
int filter_begin(struct filter *filter, const struct found *found, const struct result_table *table,
                 const char *dataset, const struct cJSON *selection, struct failure *failure);
bool filter_matches(const struct filter *filter, size_t row);
void filter_end(struct filter *filter);

/* Which collections a row is of. */
struct ldp_fingerprint row_collection(const struct found *found, const struct result_table *table, size_t row);

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

/* Numbers that live until evidence_forget; NULL if out of memory. */
double *evidence_keep(struct evidence *evidence, size_t count);

/* Corrects the sample of a row of the first measure by what is known of the method `control` on the same collections
 * (evidence_control.c). Fails where the run does not say what its error is expected to be. */
int evidence_control(struct evidence *evidence, const struct found *found, const struct result_table *table, size_t row,
                     const char *control, struct point *point, struct failure *failure);

#endif

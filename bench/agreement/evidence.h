/* evidence.h - measured numbers as claims need them: curves over a swept column, and values by rank. */
#ifndef LDPBENCH_EVIDENCE_H
#define LDPBENCH_EVIDENCE_H

#include "agreement/open_cells.h"
#include "agreement/statements.h"
#include "stats/compare.h"

#include <stdint.h>

struct cJSON;
struct evidence;

/* Result folders, each with a folder for every run. The folder names must outlive the evidence. */
int evidence_new(char *const *folders, size_t count, struct evidence **out, struct failure *failure);
void evidence_free(struct evidence *evidence);

/* The names of the datasets of a run that any of the folders has, in their order; of several folders with the same
 * dataset the first counts. *count = 0 where there is no such run. The names belong to the evidence. */
int evidence_datasets(struct evidence *evidence, const char *run, const char *const **names, size_t *count,
                      struct failure *failure);

/* The folder and repetitions behind a run, for the page. */
struct source {
    const char *run, *folder;
    uint64_t seed;
    size_t repetitions, least; /* of its cells at most and at least */
    const char *version, *commit;
};

enum { LABEL_STEM = 128 };

/* Two labels of a column whose results are exchanged: rows of the one count as rows of the other. */
struct exchange {
    const char *column; /* "": nothing is exchanged */
    char a[LABEL_STEM], b[LABEL_STEM];
    bool stems; /* a and b are the labels' parts before "(": CM-Min of CM-Min(columns=32), whose parameters stay */
};

/* What is exchanged from now on in all that is read. */
void evidence_exchange(struct evidence *evidence, const struct exchange *exchange);

/* The labels of a run in a column, each once, in order. Part i of the numbered parts before "(" is stem[i]. The list
 * belongs to the evidence. NULL with the failure set where the run has no results of the dataset. */
struct labels {
    const char *column;
    const char **text; /* [count] */
    uint32_t *stem;    /* [count], below nstems */
    size_t count, nstems;
};

const struct labels *evidence_labels(struct evidence *evidence, const char *run, const char *dataset,
                                     const char *column, struct failure *failure);

/* A label's part before its parameters, shortened to fit. */
void label_stem(char stem[LABEL_STEM], const char *label);

/* The cells that open claims need more repetitions of. */
struct open_cells *evidence_open_cells(struct evidence *evidence);

/* The results of a run in a folder; NULL where there are none. */
struct results *evidence_results(struct evidence *evidence, const char *run, const char *folder);

size_t evidence_sources(const struct evidence *evidence, struct source *out, size_t room);

/* One measured number of a curve. */
struct point {
    double x; /* of the claim's swept column; NAN where there is none */
    const char *cell;
    struct ldp_fingerprint collection; /* numbers of the same collections are paired by repetition */
    const char *run, *folder;          /* where it was found */
    double n, d;                       /* users and values */
    const char *users;                 /* the name of the column of users */
    struct sample sample;
    size_t fewest; /* repetitions without which the sample is not used as well as it could be; 0: it has enough */
};

struct curve {
    struct point *point; /* by increasing x, each x once */
    size_t count;
};

/* The rows of a dataset that a selection names (column to value; "run" and "measure" in it go before the claim's), over
 * the claim's x from `from` until `until`. Fails where an x has several rows or none is found. The points' values
 * are valid until evidence_forget; the array is to be freed. */
int evidence_curve(struct evidence *evidence, const struct claim *claim, const char *dataset,
                   const struct cJSON *selection, struct curve *out, struct failure *failure);

/* Frees numbers that were computed for curves and ranked values, when a claim is judged. */
void evidence_forget(struct evidence *evidence);

/* A method's values by decreasing true count, until evidence_forget. */
struct ranked {
    size_t d, repetitions;
    const double *count, *bias, *variance;              /* [d] */
    const char *count_name, *bias_name, *variance_name; /* of their columns */
};

int evidence_ranked(struct evidence *evidence, const struct claim *claim, const char *dataset,
                    const struct cJSON *selection, struct ranked *out, struct failure *failure);

/* Notes the cells of a point, or of all rows that a selection names. A point whose cell is not known is passed over. */
int evidence_open_point(struct evidence *evidence, const struct point *point, struct failure *failure);
int evidence_open_all(struct evidence *evidence, const struct claim *claim, const char *dataset,
                      const struct cJSON *selection, struct failure *failure);

#endif

/* advise.h - what the parts of ldpbench advise share. */
#ifndef LDPBENCH_ADVISE_H
#define LDPBENCH_ADVISE_H

#include "commands/algorithms.h"
#include "commands/init.h"
#include "commands/report.h"
#include "commands/supports.h"
#include "results/decisions.h"

/* The request, and the data. */
struct advise {
    struct init_request init;
    struct texts oracles, methods, protocols, synopses, marginals, k; /* as they were given */
    const char *supports;                                             /* the oracle that made them; NULL: other data */
    double epsilon, error, bits, seconds, attack;                     /* 0: not given */
    uint64_t n;                                                       /* 0: those of the data */
    uint64_t trials, seed, top;
    int threads;
    enum format format;
    const char *folder;
    bool kept;               /* the folder was asked for */
    bool finds_users;        /* for an error, and not epsilon */
    struct dataset *dataset; /* NULL: supports, */
    struct supports collection;
    struct oracle_list tried; /* in the experiment that is made */
    struct texts left_out;    /* columns that name users */
    struct sheet sheet;       /* the answer, */
    bool begun;               /* whose head is printed */
};

/* One experiment of an answer. Start from all zero. */
struct part {
    char *folder;
    const char *list; /* the key of the config's candidates that are halved; NULL: all have all repetitions */
    struct cJSON *config;
    size_t questions;      /* among which the users are divided; 0: 1 */
    bool follows;          /* epsilon and users are those of an experiment before it */
    struct report report;  /* its results, */
    struct decisions made; /* and what is decided from them */
};

/* ---- advise.c ---- */

/* The config of init for the data, or for counts of the columns of records. */
struct cJSON *advise_config(const struct advise *advise, enum dataset_kind kind);
void part_set_number(struct cJSON *config, const char *key, double value);
void part_set_users(struct cJSON *config, const double *n, int count); /* of all datasets */

/* Names the file of a dataset or of a query, if it has one, by its whole path: the config is elsewhere. */
int advise_whole_path(struct cJSON *object, const char *beside, struct failure *failure);

/* An experiment in a folder below the request's, or in this itself (""). */
struct part part_new(const struct advise *advise, const char *below, struct cJSON *config);
/* Writes the config into the folder, runs it, and judges. */
int part_judge(const struct advise *advise, struct part *part, struct failure *failure);
void part_close(struct part *part);

/* The same with oracles and the candidates that `add` puts into the config, after their halving if there is a list, or
 * with the epsilon or users that an error takes. */
int advise_judge(struct advise *advise, struct part *part,
                 int (*add)(struct advise *advise, struct cJSON *config, struct failure *failure),
                 struct failure *failure);

/* Of n users those of each dataset: they are divided among the questions. */
double part_users(const struct part *part, double n);

/* ---- advise_candidates.c ---- */

/* Replace the config's lists: oracles to try (of the supports, if of any), methods, protocols, synopses that suit. */
int advise_oracles(struct advise *advise, struct cJSON *config, struct failure *failure);
int advise_methods(struct advise *advise, struct cJSON *config, struct failure *failure);
int advise_protocols(struct advise *advise, struct cJSON *config, struct failure *failure);
int advise_synopses(struct advise *advise, struct cJSON *config, struct failure *failure);

/* The bits of a report; NAN: not known. */
double advise_bits(const struct ldp_protocol *protocol);

/* ---- advise_worlds.c: the supports of a collection ---- */

/* Makes the worlds that the collection may come from: files, and the config's datasets. */
int worlds_make(const struct advise *advise, struct cJSON *config, const char *folder, struct failure *failure);

/* Decides from all worlds what to take for each query. */
void worlds_judge(struct part *part);

/* ---- advise_answers.c ---- */

/* Asks what suits the data, and prints the answer. */
int advise_answer(struct advise *advise, struct failure *failure);

/* The row of what is taken in a cell; SIZE_MAX: none. A key of a row; "": the table has none. */
size_t block_taken_row(const struct decided *block, size_t cell);
const char *row_key(const struct result_table *table, size_t row, enum column_part part);

#endif

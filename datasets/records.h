/* records.h - users' records: values of several attributes, with the attributes' names. */
#ifndef LDPBENCH_DATASET_RECORDS_H
#define LDPBENCH_DATASET_RECORDS_H

#include "marginals/synopsis.h"
#include "support/failure.h"

#define RECORDS_NO_EMPTY UINT32_MAX

/* Parameters of the reader of records. */
enum { RECORDS_ATTRIBUTES, RECORDS_BINS, RECORDS_OTHER, RECORDS_RANGE, RECORDS_NO_HEADER };

/* The rows of the parameters that answers has too. */
extern const struct ldp_param records_params[];

struct dataset_request;
struct dataset_table;
struct lines;
int records_parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                  struct failure *failure);

struct dataset_records {
    struct ldp_records *records;
    char **names;      /* [d] */
    char ***word;      /* [d][nwords]: what the file calls the values 0, 1, ..; NULL: no attribute has words */
    size_t *nwords;    /* [d]: 0 for an attribute whose values are called by their numbers */
    uint32_t *empty;   /* [d]: the value of empty cells, RECORDS_NO_EMPTY: there are none; NULL: in no attribute */
    double lines;      /* that were read or drawn: at least as many as different records */
    bool *names_users; /* [d], of a request that keeps such columns; else NULL: none does */
};

void dataset_records_free(struct dataset_records *records); /* NULL is allowed */

/* A text that identifies the users: equal texts mean equal records. Malloc'd. */
char *dataset_records_identity(const struct dataset_records *records);

/* n users drawn with replacement, from a separate random stream. */
void dataset_records_resample(struct dataset_records *records, uint64_t n, uint64_t seed);

/* The file's word for a value of an attribute, "" if its cells are empty; NULL if it is a number. */
const char *dataset_records_word(const struct dataset_records *records, size_t attribute, uint32_t value);

/* What the values of an attribute are called; those of missing cells `(none)`. Malloc'd. */
char **dataset_records_labels(const struct dataset_records *records, size_t attribute);

/* Numbers the values of all attributes alike: each then has those of all. 0, or -1 with the failure set. */
int dataset_records_share(struct dataset_records *records, const char *file, struct failure *failure);

/* The attribute of that name, or SIZE_MAX. */
size_t dataset_records_find(const struct dataset_records *records, const char *name);

/* Reads a file of attributes (lines `name TAB cardinality TAB labels`, comments) for the columns of a file of
 * records: cardinality[i] of names[i]. Every column must be in it. */
int attributes_read(const char *path, char *const *names, size_t d, uint32_t *cardinality, struct failure *failure);

#endif

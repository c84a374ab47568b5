/* records.h - users' records: values of several attributes, with the attributes' names. */
#ifndef LDPBENCH_DATASET_RECORDS_H
#define LDPBENCH_DATASET_RECORDS_H

#include "support/failure.h"
#include "synopsis.h"

struct dataset_records {
    struct ldp_records *records;
    char **names; /* [d] */
};

void dataset_records_free(struct dataset_records *records); /* NULL is allowed */

/* Which users there are, as a text: equal texts, equal records. Malloc'd; NULL if out of memory. */
char *dataset_records_identity(const struct dataset_records *records);

/* n users drawn with replacement, from a stream of its own. */
int dataset_records_resample(struct dataset_records *records, uint64_t n, uint64_t seed, struct failure *failure);

/* The attribute of that name, or SIZE_MAX. */
size_t dataset_records_find(const struct dataset_records *records, const char *name);

/* What a file of attributes (lines `name TAB cardinality TAB labels`, '#' comments) says of the columns of a file of
 * records: cardinality[i] of names[i]. Every column must be there. */
int attributes_read(const char *path, char *const *names, size_t d, uint32_t *cardinality, struct failure *failure);

#endif

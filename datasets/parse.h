/* parse.h - the loaders behind their file: from text in memory, so that tests and fuzzers reach them. */
#ifndef LDPBENCH_PARSE_H
#define LDPBENCH_PARSE_H

#include "dataset.h"

/* As dataset_type.parse and dataset_sets_load; file is for messages only. */
int counts_parse(const char *file, const char *bytes, size_t size, size_t *d, uint64_t **counts, char ***labels,
                 struct failure *failure);
int fimi_parse(const char *file, const char *bytes, size_t size, size_t *d, uint64_t **counts, char ***labels,
               struct failure *failure);
int sets_parse(const char *file, const char *bytes, size_t size, const struct dataset *dataset,
               struct dataset_sets **out, struct failure *failure);

#endif

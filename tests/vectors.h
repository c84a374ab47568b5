/* vectors.h - reference numbers that were computed elsewhere: JSON files in LDPBENCH_VECTORS (default
 * ../shared/vectors). */
#ifndef LDPBENCH_TESTS_VECTORS_H
#define LDPBENCH_TESTS_VECTORS_H

#include <cjson/cJSON.h>
#include <stddef.h>

/* A file as JSON, for cJSON_Delete; the test is skipped where there is none. */
cJSON *vectors_read(const char *name);

/* object[key], which must be a number. */
double vectors_number(const cJSON *object, const char *key);

/* array[d], which must be numbers. */
void vectors_numbers(const cJSON *array, double *out, size_t d);

#endif

/* real_data.h - counts of real data, which are not part of the project. */
#ifndef LDPBENCH_TESTS_REAL_DATA_H
#define LDPBENCH_TESTS_REAL_DATA_H

#include <stdbool.h>

enum { REAL_DATA_ROOM = 512 };

/* The path of a file in the folder of the environment variable LDPBENCH_DATASETS (default ../shared/datasets); whether
 * it is there. */
bool find_real_data(const char *name, char path[REAL_DATA_ROOM]);

/* The same; the test is skipped where the file is not there. Returns path. */
const char *real_data(const char *name, char path[REAL_DATA_ROOM]);

#endif

/* real_data.c - see real_data.h. */
#include "real_data.h"

#include "program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool find_real_data(const char *name, char path[REAL_DATA_ROOM])
{
    const char *const folder = getenv("LDPBENCH_DATASETS");

    snprintf(path, REAL_DATA_ROOM, "%s/%s", folder ? folder : "../shared/datasets", name);
    return access(path, R_OK) == 0;
}

const char *real_data(const char *name, char path[REAL_DATA_ROOM])
{
    if (!find_real_data(name, path))
        skip_test("no %s", path);
    return path;
}

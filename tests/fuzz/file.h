/* file.h - the bytes of a fuzzer as a file, for readers that take a path. */
#ifndef LDPBENCH_FUZZ_FILE_H
#define LDPBENCH_FUZZ_FILE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void fuzz_write(const char *path, const uint8_t *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (file < 0 || write(file, bytes, size) != (ssize_t)size || close(file) != 0)
        abort();
}

/* A folder of its own, made at the first call, in TMPDIR or /tmp. */
static inline const char *fuzz_folder(void)
{
    static char folder[64];
    static int made;

    if (!made) {
        const char *const parent = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/ldpbench-fuzz-XXXXXX", parent && *parent ? parent : "/tmp");
        if (!mkdtemp(folder))
            abort();
    }
    made = 1;
    return folder;
}

/* PATH of that name in the folder. */
static inline const char *fuzz_path(const char *name, char path[100])
{
    snprintf(path, 100, "%s/%s", fuzz_folder(), name);
    return path;
}

#endif

/* failing_malloc.c - malloc, calloc and realloc of which one call fails, to be loaded by LD_PRELOAD: the call with the
 * number FAIL_AT, counted from 1, of those for LEAST bytes or more. If FAIL_AT is 0 the number of calls is written into
 * the file CALLS. The C library's own functions of these names call the ones here as well (strdup, fopen, qsort, ..).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long calls, failing, least;

__attribute__((constructor)) static void begin(void)
{
    const char *const at = getenv("FAIL_AT"), *const bytes = getenv("LEAST");

    unsetenv("LD_PRELOAD"); /* not in programs that are started */
    calls = 0;
    failing = at ? strtoul(at, NULL, 10) : 0;
    least = bytes ? strtoul(bytes, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
    char text[40];
    const int length = snprintf(text, sizeof text, "%lu\n", calls);
    const char *const path = getenv("CALLS");
    const int file = failing == 0 && path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

    if (file >= 0 && write(file, text, (size_t)length) == length)
        close(file);
}

static int fails(size_t size)
{
    const int failed = size >= least && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == failing;

    if (failed)
        errno = ENOMEM;
    return failed;
}

void *malloc(size_t size)
{
    return fails(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(size) ? NULL : __libc_realloc(old, size);
}

/* input.c - see input.h. */
#include "support/input.h"

#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, WAIT_MILLISECONDS = 2000 };

static const uint64_t size_max = (uint64_t)INPUT_MAX_MIB << 20;

struct input {
    char *name; /* for messages */
    int descriptor;
    unsigned char chunk[CHUNK]; /* as the file has it */
    size_t begin, end;          /* the bytes not used yet */
    bool ended;                 /* the file has no more */
    bool compressed, inside;    /* gzip; inside a member of it */
    z_stream stream;
    uint64_t total; /* bytes that were handed out */
};

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* ---- Opening ---- */

static int fail_errno(struct failure *failure, const char *name, int error)
{
    return error == ENOENT
               ? fail(failure, EXIT_BAD_INPUT, "%s: no such file", SHOWN_PATH(name))
               : fail(failure, failure_status(error), "%s: cannot be read: %s", SHOWN_PATH(name), strerror(error));
}

static int fail_large(struct failure *failure, const char *name)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: expected at most %d GiB of text, got more", SHOWN_PATH(name),
                INPUT_MAX_MIB >> 10);
}

/* Waits for the first byte or the end; prints a notice once if standard error is a terminal. */
static void await(const char *name, int descriptor)
{
    struct pollfd requested = {.fd = descriptor, .events = POLLIN};

    if (poll(&requested, 1, WAIT_MILLISECONDS) != 0)
        return;
    print_message("ldpbench: waiting for input from %s\n", SHOWN_PATH(name));
    while (poll(&requested, 1, -1) < 0 && errno == EINTR)
        continue;
}

/* Without O_NONBLOCK a pipe that has no writer would block here. */
static int open_pipe(const char *path, const char *name)
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (descriptor < 0)
        return -1;
    await(name, descriptor);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return descriptor;
}

static int open_descriptor(const char *path, const char *name, struct failure *failure)
{
    const bool standard = strcmp(path, "-") == 0, watched = isatty(STDERR_FILENO);
    struct stat status;

    if (standard ? fstat(STDIN_FILENO, &status) != 0 : stat(path, &status) != 0)
        return fail_errno(failure, name, errno);
    if (S_ISDIR(status.st_mode))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a file, got a folder", SHOWN_PATH(name));
    if (S_ISREG(status.st_mode) && (uint64_t)status.st_size > size_max)
        return fail_large(failure, name);
    int descriptor;
    if (standard) {
        descriptor = dup(STDIN_FILENO);
        if (descriptor >= 0 && watched && !S_ISREG(status.st_mode))
            await(name, descriptor);
    } else {
        descriptor = watched && S_ISFIFO(status.st_mode) ? open_pipe(path, name) : open(path, O_RDONLY | O_CLOEXEC);
    }
    return descriptor >= 0 ? descriptor : fail_errno(failure, name, errno);
}

/* Reads on until there are `requested` unused bytes, or the file ends. */
static int fill(struct input *input, size_t requested, struct failure *failure)
{
    if (input->begin > 0) {
        memmove(input->chunk, input->chunk + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->begin = 0;
    }
    while (!input->ended && input->end < requested) {
        const ssize_t got = read(input->descriptor, input->chunk + input->end, CHUNK - input->end);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(failure, input->name, errno);
        input->ended = got == 0;
        input->end += (size_t)got;
    }
    return 0;
}

/* Whether a gzip member begins here. */
static bool begins_member(const struct input *input)
{
    return input->end - input->begin >= 2 && input->chunk[input->begin] == 0x1f &&
           input->chunk[input->begin + 1] == 0x8b;
}

/* Reads from an open descriptor and closes it at the end; -1: the failure is set. */
static struct input *input_of(int descriptor, const char *name, struct failure *failure)
{
    if (descriptor < 0)
        return NULL;
    struct input *const input = xcalloc(1, sizeof *input);
    input->descriptor = descriptor;
    input->name = xstrdup(name);
    if (fill(input, 2, failure) == 0) {
        input->compressed = begins_member(input);
        if (!input->compressed || inflateInit2(&input->stream, 16 + MAX_WBITS) == Z_OK)
            return input;
        input->compressed = false;
        fail_memory(failure);
    }
    input_close(input);
    return NULL;
}

struct input *input_open(const char *path, struct failure *failure)
{
    const char *const name = input_name(path);

    return input_of(open_descriptor(path, name, failure), name, failure);
}

void input_close(struct input *input)
{
    if (!input)
        return;
    if (input->compressed)
        inflateEnd(&input->stream);
    close(input->descriptor);
    free(input->name);
    free(input);
}

/* ---- Reading ---- */

static long read_plain(struct input *input, char *bytes, size_t room, struct failure *failure)
{
    if (input->begin == input->end && fill(input, 1, failure) != 0)
        return -1;
    const size_t length = input->end - input->begin < room ? input->end - input->begin : room;
    memcpy(bytes, input->chunk + input->begin, length);
    input->begin += length;
    return (long)length;
}

static int fail_inflate(const struct input *input, int code, struct failure *failure)
{
    if (code == Z_MEM_ERROR)
        return fail_memory(failure);
    return fail(failure, EXIT_BAD_INPUT, "%s: expected a valid gzip file, got damaged data (%s)",
                SHOWN_PATH(input->name), input->stream.msg ? input->stream.msg : zError(code));
}

/* Between members: 1 where another one begins, 0 at the end. */
static int next_member(struct input *input, struct failure *failure)
{
    if (fill(input, 2, failure) != 0)
        return -1;
    if (input->begin == input->end)
        return 0;
    if (!begins_member(input))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected the end of the file after the gzip data, got more bytes",
                    SHOWN_PATH(input->name));
    inflateReset(&input->stream);
    input->inside = true;
    return 1;
}

static long read_compressed(struct input *input, char *bytes, size_t room, struct failure *failure)
{
    input->stream.next_out = (unsigned char *)bytes;
    input->stream.avail_out = (unsigned)(room < CHUNK ? room : CHUNK);

    const unsigned asked = input->stream.avail_out;

    while (input->stream.avail_out == asked) {
        const int more = input->inside ? 1 : next_member(input, failure);

        if (more <= 0)
            return more;
        if (input->begin == input->end && fill(input, 1, failure) != 0)
            return -1;
        if (input->begin == input->end)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected a complete gzip file, got a truncated one",
                        SHOWN_PATH(input->name));
        input->stream.next_in = input->chunk + input->begin;
        input->stream.avail_in = (unsigned)(input->end - input->begin);

        const int code = inflate(&input->stream, Z_NO_FLUSH);

        input->begin = input->end - input->stream.avail_in;
        if (code == Z_STREAM_END)
            input->inside = false;
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return fail_inflate(input, code, failure);
    }
    return (long)(asked - input->stream.avail_out);
}

long input_read(struct input *input, char *bytes, size_t room, struct failure *failure)
{
    const long got =
        input->compressed ? read_compressed(input, bytes, room, failure) : read_plain(input, bytes, room, failure);

    if (got > 0)
        input->total += (uint64_t)got;
    return input->total > size_max ? fail_large(failure, input->name) : got;
}

/* Closes the input. */
static int read_all(struct input *input, size_t max_mib, char **bytes, size_t *size, struct failure *failure)
{
    if (!input)
        return -1;
    char *buffer = NULL;
    size_t room = 0, used = 0;
    long got = -1;
    do {
        if (room - used < 2) {
            char *const larger = realloc(buffer, room = room ? 2 * room : CHUNK);

            if (!larger) {
                got = fail_memory(failure);
                break;
            }
            buffer = larger;
        }
        got = input_read(input, buffer + used, room - used - 1, failure);
        used += got > 0 ? (size_t)got : 0;
        if (used > max_mib << 20)
            got = fail(failure, EXIT_BAD_INPUT, "%s: expected at most %zu MiB, got more", SHOWN_PATH(input->name),
                       max_mib);
    } while (got > 0);
    input_close(input);
    if (got < 0) {
        free(buffer);
        return -1;
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    return 0;
}

int input_read_all(const char *path, size_t max_mib, char **bytes, size_t *size, struct failure *failure)
{
    return read_all(input_open(path, failure), max_mib, bytes, size, failure);
}

int input_read_regular(const char *path, size_t max_mib, char **bytes, size_t *size, struct failure *failure)
{
    return read_all(input_of(open_regular(path, failure), path, failure), max_mib, bytes, size, failure);
}

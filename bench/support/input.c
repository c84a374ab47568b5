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
    bool ended;                 /* the file has no more */
    bool compressed, inside;    /* gzip; inside a member of it */
    z_stream stream;            /* its next_in are the bytes not used yet */
    uint64_t total;             /* bytes that were handed out */
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
    z_stream *const stream = &input->stream;

    memmove(input->chunk, stream->next_in, stream->avail_in);
    stream->next_in = input->chunk;
    for (ssize_t got; !input->ended && stream->avail_in < requested;) {
        got = read(input->descriptor, input->chunk + stream->avail_in, CHUNK - stream->avail_in);
        if (got < 0 && errno != EINTR)
            return fail_errno(failure, input->name, errno);
        input->ended = got == 0;
        stream->avail_in += got > 0 ? (unsigned)got : 0;
    }
    return 0;
}

/* Whether a gzip member begins here. */
static bool begins_member(const struct input *input)
{
    return input->stream.avail_in >= 2 && input->stream.next_in[0] == 0x1f && input->stream.next_in[1] == 0x8b;
}

/* Reads from an open descriptor and closes it at the end; -1: the failure is set. */
static struct input *input_of(int descriptor, const char *name, struct failure *failure)
{
    if (descriptor < 0)
        return NULL;
    struct input *const input = xcalloc(1, sizeof *input);
    input->descriptor = descriptor;
    input->name = xstrdup(name);
    input->stream.next_in = input->chunk;
    if (fill(input, 2, failure) == 0) {
        input->compressed = begins_member(input) && inflateInit2(&input->stream, 16 + MAX_WBITS) == Z_OK;
        if (!input->compressed && begins_member(input))
            out_of_memory();
        return input;
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

static long read_plain(struct input *input, char *bytes, size_t room)
{
    z_stream *const stream = &input->stream;
    const size_t length = stream->avail_in < room ? stream->avail_in : room;

    memcpy(bytes, stream->next_in, length);
    stream->next_in += length;
    stream->avail_in -= (unsigned)length;
    return (long)length;
}

/* Between members: 1 where another one begins, 0 at the end. */
static int next_member(struct input *input, struct failure *failure)
{
    if (fill(input, 2, failure) != 0)
        return -1;
    if (input->stream.avail_in == 0)
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
    z_stream *const stream = &input->stream;
    const unsigned asked = (unsigned)(room < CHUNK ? room : CHUNK);

    stream->next_out = (unsigned char *)bytes;
    stream->avail_out = asked;
    while (stream->avail_out == asked) {
        const int more = input->inside ? 1 : next_member(input, failure);

        if (more <= 0)
            return more;
        if (stream->avail_in == 0 && fill(input, 1, failure) != 0)
            return -1;
        if (stream->avail_in == 0)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected a complete gzip file, got a truncated one",
                        SHOWN_PATH(input->name));
        const int code = inflate(stream, Z_NO_FLUSH);
        input->inside = code != Z_STREAM_END;
        if (code == Z_MEM_ERROR)
            out_of_memory();
        if (code != Z_STREAM_END && code != Z_OK && code != Z_BUF_ERROR)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected a valid gzip file, got damaged data (%s)",
                        SHOWN_PATH(input->name), stream->msg ? stream->msg : zError(code));
    }
    return (long)(asked - stream->avail_out);
}

long input_read(struct input *input, char *bytes, size_t room, struct failure *failure)
{
    const bool filled = input->compressed || input->stream.avail_in > 0 || fill(input, 1, failure) == 0;
    const long got = !filled             ? -1
                     : input->compressed ? read_compressed(input, bytes, room, failure)
                                         : read_plain(input, bytes, room);

    if (got > 0)
        input->total += (uint64_t)got;
    return input->total > size_max ? fail_large(failure, input->name) : got;
}

/* Closes the input. */
static int read_all(struct input *input, size_t max_mib, char **bytes, size_t *size, struct failure *failure)
{
    if (!input)
        return -1;
    struct buffer all = {0};
    char *const part = xmalloc(CHUNK, 1);
    long got;
    while ((got = input_read(input, part, CHUNK, failure)) > 0) {
        buffer_add_n(&all, part, (size_t)got);
        if (all.length > max_mib << 20) {
            got = fail(failure, EXIT_BAD_INPUT, "%s: expected at most %zu MiB, got more", SHOWN_PATH(input->name),
                       max_mib);
            break;
        }
    }
    input_close(input);
    free(part);
    if (got < 0) {
        buffer_clear(&all);
        return -1;
    }
    *size = all.length;
    *bytes = buffer_take(&all);
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

/* text.c - see text.h. */
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define SIZE_LIMIT ((size_t)1 << 31)
#define CHUNK ((size_t)1 << 16)
#define GOT_MAX 40

/* Nothing but the machine's own fault is status 3: a path that cannot be opened is the user's. */
static int fail_errno(struct failure *failure, const char *path, int error)
{
    const enum exit_status status =
        error == EIO || error == ENOMEM || error == EMFILE || error == ENFILE ? EXIT_MACHINE : EXIT_BAD_INPUT;

    return fail(failure, status, "%s: expected a readable file, got: %s", path, strerror(error));
}

static int fail_large(struct failure *failure, const char *path)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: expected at most 2 GiB of text, got more", path);
}

static int fail_gzip(struct failure *failure, const char *path, gzFile file)
{
    int code;
    const char *what = gzerror(file, &code);

    switch (code) {
    case Z_MEM_ERROR: return fail_memory(failure);
    case Z_ERRNO: return fail_errno(failure, path, errno);
    case Z_BUF_ERROR:
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a whole gzip file, got one that is cut off", path);
    default: return fail(failure, EXIT_BAD_INPUT, "%s: expected a sound gzip file, got damaged data (%s)", path, what);
    }
}

int text_read(const char *path, char **bytes, size_t *size, struct failure *failure)
{
    struct stat status;
    gzFile file = NULL;
    char *buffer = NULL;
    size_t capacity = 0, used = 0;
    int result = -1;

    if (stat(path, &status) != 0)
        return fail_errno(failure, path, errno);
    if (S_ISDIR(status.st_mode))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a file, got a folder", path);
    if (S_ISREG(status.st_mode) && (uint64_t)status.st_size > SIZE_LIMIT)
        return fail_large(failure, path);
    file = gzopen(path, "rb");
    if (!file)
        return errno ? fail_errno(failure, path, errno) : fail_memory(failure);
    gzbuffer(file, CHUNK);
    for (;;) {
        int got;

        if (used == capacity) {
            char *larger;

            if (capacity >= SIZE_LIMIT) {
                fail_large(failure, path);
                goto out;
            }
            capacity = capacity ? 2 * capacity : CHUNK;
            larger = realloc(buffer, capacity);
            if (!larger) {
                fail_memory(failure);
                goto out;
            }
            buffer = larger;
        }
        got = gzread(file, buffer + used, (unsigned)(capacity - used));
        if (got < 0) {
            fail_gzip(failure, path, file);
            goto out;
        }
        if (got == 0)
            break;
        used += (size_t)got;
    }
    /* A stream that stops early reads like the end of the file; only the error state tells. */
    gzerror(file, &result);
    if (result != Z_OK) {
        fail_gzip(failure, path, file);
        result = -1;
        goto out;
    }
    if (used == 0) {
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected lines of text, got an empty file", path);
        goto out;
    }
    *bytes = buffer;
    *size = used;
    buffer = NULL;
out:
    free(buffer);
    gzclose(file);
    return result;
}

void text_begin(struct text *text, const char *file, const char *bytes, size_t size, size_t length_max)
{
    *text = (struct text){.file = file, .next = bytes, .end = bytes + size, .length_max = length_max};
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        text->next += 3;
}

int text_next(struct text *text, struct failure *failure)
{
    const char *stop;

    if (text->next == text->end)
        return 0;
    text->line = text->next;
    text->number++;
    stop = memchr(text->line, '\n', (size_t)(text->end - text->line));
    text->next = stop ? stop + 1 : text->end;
    text->length = (size_t)((stop ? stop : text->end) - text->line);
    if (text->length > 0 && text->line[text->length - 1] == '\r')
        text->length--;
    for (size_t i = 0; i < text->length; i++) {
        const unsigned char c = (unsigned char)text->line[i];

        if ((c < ' ' && c != '\t') || c == 0x7f)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected text, got a byte 0x%02x (binary data?)", text->file,
                        text->number, c);
    }
    if (text->length > text->length_max)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a line of at most %zu bytes, got %zu", text->file,
                    text->number, text->length_max, text->length);
    return 1;
}

bool text_skip(const struct text *text)
{
    if (text->length > 0 && text->line[0] == '#')
        return true;
    for (size_t i = 0; i < text->length; i++)
        if (text->line[i] != ' ' && text->line[i] != '\t')
            return false;
    return true;
}

bool text_is_header(const struct text *text, const char *column)
{
    const char *tab = memchr(text->line, '\t', text->length);
    const size_t length = strlen(column);

    return tab && tab > text->line && text->length - (size_t)(tab + 1 - text->line) == length &&
           memcmp(tab + 1, column, length) == 0;
}

int text_fail(const struct text *text, struct failure *failure, const char *expected, const char *got, size_t length)
{
    char quoted[2 * GOT_MAX + 1];
    size_t shown = length, used = 0;

    if (length > GOT_MAX) {
        shown = GOT_MAX;
        while (shown > 0 && ((unsigned char)got[shown] & 0xc0) == 0x80) /* not inside a UTF-8 character */
            shown--;
    }
    for (size_t i = 0; i < shown; i++) {
        if (got[i] == '\t')
            quoted[used++] = '\\';
        quoted[used++] = got[i] == '\t' ? 't' : got[i];
    }
    quoted[used] = '\0';
    return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected %s, got \"%s%s\"", text->file, text->number, expected,
                quoted, shown < length ? "..." : "");
}

bool text_number(const char *digits, size_t length, uint64_t max, uint64_t *number)
{
    uint64_t value = 0;

    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        const uint64_t digit = (uint64_t)((unsigned char)digits[i] - (unsigned)'0');

        if (digit > 9 || digit > max || value > (max - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}

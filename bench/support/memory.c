/* memory.c - see memory.h. */
#define _GNU_SOURCE /* fopencookie, vasprintf */
#include "support/memory.h"

#include "support/failure.h"

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*memory_word)(const void *what, struct failure *failure);
static const void *memory_what;

/* _exit, not exit: other threads may still use what handlers of exit would free. Files under their final names are
 * whole at any time, and the store is as after a kill. */
_Noreturn void out_of_memory(void)
{
    void (*const word)(const void *, struct failure *) = memory_word;
    struct failure failure = {EXIT_MACHINE, "out of memory"};

    memory_word = NULL; /* there may be no memory for the words */
    if (word)
        word(memory_what, &failure);
    dprintf(STDERR_FILENO, "ldpbench: %s\n", failure.text);
    _exit(EXIT_MACHINE);
}

void memory_for(void (*word)(const void *what, struct failure *failure), const void *what)
{
    memory_word = word;
    memory_what = what;
}

void *xcalloc(size_t count, size_t size)
{
    void *elements = calloc(count ? count : 1, size);
    if (!elements)
        out_of_memory();
    return elements;
}

void *xmalloc(size_t count, size_t size)
{
    return xrealloc(NULL, count, size);
}

void *xrealloc(void *elements, size_t count, size_t size)
{
    void *moved = reallocarray(elements, count ? count : 1, size);
    if (!moved)
        out_of_memory();
    return moved;
}

/* ---- streams ---- */

struct memory_stream {
    struct buffer buffer;
    char **text;
    size_t *length;
};

static ssize_t add_to_stream(void *cookie, const char *bytes, size_t count)
{
    struct memory_stream *const stream = cookie;

    buffer_add_n(&stream->buffer, bytes, count);
    *stream->text = stream->buffer.text;
    *stream->length = stream->buffer.length;
    return (ssize_t)count;
}

static int free_stream(void *cookie)
{
    free(cookie);
    return 0;
}

/* Not open_memstream: where that cannot grow, it drops what was written and neither ferror nor fclose tells. */
FILE *xmemstream(char **text, size_t *length)
{
    struct memory_stream *const cookie = xcalloc(1, sizeof *cookie);

    cookie->text = text;
    cookie->length = length;
    add_to_stream(cookie, "", 0);
    FILE *const stream =
        fopencookie(cookie, "w", (cookie_io_functions_t){.write = add_to_stream, .close = free_stream});
    if (!stream)
        out_of_memory();
    return stream;
}

/* ---- libraries ---- */

static sqlite3_mem_methods sqlite_memory;

static void *allocate(size_t size)
{
    return xmalloc(size, 1);
}

static void *sqlite_allocate(int size)
{
    void *const memory = sqlite_memory.xMalloc(size);

    if (!memory)
        out_of_memory();
    return memory;
}

static void *sqlite_grow(void *memory, int size)
{
    void *const moved = sqlite_memory.xRealloc(memory, size);

    if (!moved)
        out_of_memory();
    return moved;
}

void memory_of_libraries(void)
{
    cJSON_Hooks hooks = {.malloc_fn = allocate, .free_fn = free};

    cJSON_InitHooks(&hooks);
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory) != SQLITE_OK)
        out_of_memory();
    sqlite3_mem_methods methods = sqlite_memory;
    methods.xMalloc = sqlite_allocate;
    methods.xRealloc = sqlite_grow;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

/* ---- texts and arrays ---- */

char *xstrdup(const char *text)
{
    return xstrndup(text, strlen(text));
}

char *xstrndup(const char *text, size_t length)
{
    char *copy = strndup(text, length);
    if (!copy)
        out_of_memory();
    return copy;
}

char *xformat_list(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0) /* all formats are valid */
        out_of_memory();
    return text;
}

char *xformat(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = xformat_list(format, arguments);
    va_end(arguments);
    return text;
}

void *array_room(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    if (*room > SIZE_MAX / 2 - 16)
        out_of_memory();
    *room = 2 * *room + 16;
    return xrealloc(array, *room, size);
}

void buffer_add_n(struct buffer *buffer, const char *bytes, size_t length)
{
    if (length > SIZE_MAX / 2 - buffer->length - 64)
        out_of_memory();
    if (buffer->length + length >= buffer->room) {
        buffer->room = 2 * (buffer->length + length) + 64;
        buffer->text = xrealloc(buffer->text, buffer->room, 1);
    }
    memcpy(buffer->text + buffer->length, bytes, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void buffer_add(struct buffer *buffer, const char *text)
{
    buffer_add_n(buffer, text, strlen(text));
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = xformat_list(format, arguments);
    va_end(arguments);
    buffer_add(buffer, text);
    free(text);
}

char *buffer_take(struct buffer *buffer)
{
    char *text = buffer->text ? buffer->text : xstrdup("");
    *buffer = (struct buffer){0};
    return text;
}

void buffer_clear(struct buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct buffer){0};
}

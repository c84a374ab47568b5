/* memory.c - see memory.h. */
#include "support/memory.h"

#include "support/failure.h"

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

FILE *xmemstream(char **text, size_t *length)
{
    FILE *const stream = open_memstream(text, length);
    if (!stream)
        out_of_memory();
    return stream;
}

void *xrealloc(void *elements, size_t count, size_t size)
{
    if (!count)
        count = 1;
    if (count > SIZE_MAX / size)
        out_of_memory();
    void *moved = realloc(elements, count * size);
    if (!moved)
        out_of_memory();
    return moved;
}

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
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = xcalloc(length < 0 ? 1 : (size_t)length + 1, 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
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

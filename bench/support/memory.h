/* memory.h - memory of the program: an allocation that fails ends the program with one line and EXIT_MACHINE, so
 * nothing here returns NULL. What a config can make large (tables of d values, n reports) is named by memory_for, or by
 * malloc and a message; core/ keeps its statuses. */
#ifndef LDPBENCH_SUPPORT_MEMORY_H
#define LDPBENCH_SUPPORT_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

_Noreturn void out_of_memory(void);

/* Allocations of cJSON and SQLite that fail end the program as well, so that none of their NULLs means lack of memory.
 * Before either is used. */
void memory_of_libraries(void);

struct failure;

/* Sets how out_of_memory words its line, until the next call; NULL: "out of memory" alone. */
void memory_for(void (*word)(const void *what, struct failure *failure), const void *what);

/* count elements of size bytes, all zero; count may be 0. */
void *xcalloc(size_t count, size_t size);
/* Not set. */
void *xmalloc(size_t count, size_t size);
/* The same elements with room for count of them; new ones are not set. */
void *xrealloc(void *elements, size_t count, size_t size);
/* A stream whose text is malloc'd and the caller's, "" at least, and whole after fclose, which cannot fail. It has no
 * position. */
FILE *xmemstream(char **text, size_t *length);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xformat(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xformat_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Makes room for one more element of a growable array; returns the address of the new last element, not set:
 *
 *     struct rows { struct row *row; size_t count, room; } rows = {0};
 *     *ARRAY_ADD(rows.row, rows.count, rows.room) = (struct row){...};
 */
#define ARRAY_ADD(array, count, room)                                                                                  \
    ((array) = array_room((array), (count), &(room), sizeof *(array)), &(array)[(count)++])
void *array_room(void *array, size_t count, size_t *room, size_t size);

/* A text that grows; starts from all zero, text is NULL until something was added. */
struct buffer {
    char *text;
    size_t length, room;
};
void buffer_add(struct buffer *buffer, const char *text);
void buffer_add_n(struct buffer *buffer, const char *bytes, size_t length);
void buffer_format(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Gives the text to the caller, "" if nothing was added; the buffer is empty then. */
char *buffer_take(struct buffer *buffer);
void buffer_clear(struct buffer *buffer);

#endif

/* texts.h - texts that are freed together. */
#ifndef LDPBENCH_TEXTS_H
#define LDPBENCH_TEXTS_H

#include <stddef.h>

/* Start from all zero. */
struct texts {
    char **text;
    size_t count, room;
};

/* Takes over a malloc'd text and returns it; NULL for want of memory (also where text is NULL, which says so). */
const char *texts_keep(struct texts *texts, char *text);
void texts_clear(struct texts *texts);

#endif

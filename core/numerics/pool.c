/* pool.c - see pool.h. */
#include "numerics/pool.h"

#include <stdlib.h>

enum { ALIGN = 64 };

struct ldp_pool_piece {
    struct ldp_pool_piece *before;
};

void *ldp_pool_take(struct ldp_pool *pool, size_t count, size_t size)
{
    const size_t own = sizeof(struct ldp_pool_piece) + ALIGN;
    struct ldp_pool_piece *const piece = count <= (SIZE_MAX - own) / size ? calloc(1, count * size + own) : NULL;
    if (!piece) {
        pool->failed = true;
        return NULL;
    }
    piece->before = pool->last;
    pool->last = piece;
    char *const room = (char *)(piece + 1);
    return room + (ALIGN - (uintptr_t)room % ALIGN) % ALIGN;
}

void ldp_pool_clear(struct ldp_pool *pool)
{
    for (struct ldp_pool_piece *piece = pool->last, *before; piece; piece = before) {
        before = piece->before;
        free(piece);
    }
    *pool = (struct ldp_pool){.last = NULL};
}

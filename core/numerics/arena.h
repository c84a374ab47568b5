/* arena.h - arrays one after another in one block. Internal to the core. */
#ifndef LDPBENCH_ALIGNED_H
#define LDPBENCH_ALIGNED_H

#include <stdalign.h>
#include <stddef.h>

/* Bytes rounded up, so that the next array is aligned as by malloc. */
static inline size_t ldp_aligned(size_t bytes)
{
    const size_t align = alignof(max_align_t);
    return (bytes + align - 1) / align * align;
}

/* A block from which arrays are taken, one after another; block NULL: only `bytes` is counted. */
struct ldp_arena {
    char *block;
    size_t bytes;
};

static inline void *ldp_take(struct ldp_arena *arena, size_t bytes)
{
    void *const taken = arena->block ? arena->block + arena->bytes : NULL;
    arena->bytes += ldp_aligned(bytes);
#ifdef __clang_analyzer__ /* it takes every array for one that is only counted */
    if (!taken)
        __builtin_unreachable();
#endif
    return taken;
}

#endif

/* aligned.h - arrays one after another in one block. Internal to the core. */
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

#endif

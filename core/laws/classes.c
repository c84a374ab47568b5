/* classes.c - see classes.h. Cost: O(d). */
#include "laws/classes.h"

#include "numerics/arena.h"
#include "numerics/numeric.h"

static const double WIDTH = 1.1;

struct work {
    struct ldp_classes classes;
    double *distinct;   /* [d]: the s1 of classes to be, each once, in the order of its first value; then sorted */
    double *sorted;     /* [2 d] */
    uint32_t *position; /* [d]: of a value's s1 among the distinct; then its class */
    uint32_t *slot;     /* [nslots]: 1 + a position, 0: free */
    size_t nslots;
    size_t bytes;
};

static struct work work_in(size_t d, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.nslots = 64};
    while (work.nslots < 2 * d)
        work.nslots *= 2;
    work.classes.s1 = ldp_take(&arena, d * sizeof(double));
    work.classes.first = ldp_take(&arena, (d + 1) * sizeof(uint32_t));
    work.classes.member = ldp_take(&arena, d * sizeof(uint32_t));
    work.distinct = ldp_take(&arena, d * sizeof(double));
    work.sorted = ldp_take(&arena, 2 * d * sizeof(double));
    work.position = ldp_take(&arena, d * sizeof(uint32_t));
    work.slot = ldp_take(&arena, work.nslots * sizeof(uint32_t));
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_classes_bytes(size_t d)
{
    return work_in(d, NULL).bytes;
}

/* Fills distinct and position; returns the number of distinct s1. */
static size_t find_distinct(const struct ldp_protocol *protocol, const struct work *work)
{
    size_t count = 0;
    memset(work->slot, 0, work->nslots * sizeof *work->slot);
    for (size_t v = 0; v < protocol->d; v++) {
        const double s1 = ldp_law_s1(protocol, v);
        uint64_t bits;
        memcpy(&bits, &s1, sizeof bits);
        size_t at = (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (work->nslots - 1);
        while (work->slot[at] > 0 && work->distinct[work->slot[at] - 1] != s1)
            at = (at + 1) & (work->nslots - 1);
        if (work->slot[at] == 0) {
            work->distinct[count] = s1;
            work->slot[at] = (uint32_t)++count;
        }
        work->position[v] = work->slot[at] - 1;
    }
    return count;
}

/* Replaces each of the distinct by the first of its class; s1[i] becomes that of class i. Returns their number. */
static size_t find_firsts(const struct work *work, size_t count)
{
    size_t nclasses = 0;
    memcpy(work->sorted, work->distinct, count * sizeof *work->sorted);
    ldp_sort(work->sorted, count, work->sorted + count);
    for (size_t i = 0; i < count; i++) {
        const double least = nclasses > 0 ? work->classes.s1[nclasses - 1] : 0;
        if (nclasses == 0 || work->sorted[i] > (least > 0 ? WIDTH * least : 0))
            work->classes.s1[nclasses++] = work->sorted[i];
    }
    return nclasses;
}

struct ldp_classes ldp_classes_of(const struct ldp_protocol *protocol, void *scratch)
{
    const size_t d = protocol->d;
    struct work work = work_in(d, scratch);
    struct ldp_classes *const classes = &work.classes;
    uint32_t *const class_at = work.slot;
    const size_t count = find_distinct(protocol, &work);
    classes->nclasses = find_firsts(&work, count);
    for (size_t i = 0; i < count; i++)
        class_at[i] = (uint32_t)ldp_sorted_below(classes->s1 + 1, classes->nclasses - 1, work.distinct[i], true);
    memset(classes->first, 0, (classes->nclasses + 1) * sizeof *classes->first);
    memset(classes->s1, 0, classes->nclasses * sizeof *classes->s1);
    for (size_t v = 0; v < d; v++) {
        const uint32_t own = work.position[v] = class_at[work.position[v]];
        classes->s1[own] += ldp_value_s1(protocol, v);
        classes->first[own + 1]++;
    }
    for (size_t i = 0; i < classes->nclasses; i++) {
        classes->s1[i] /= (double)classes->first[i + 1];
        classes->first[i + 1] += classes->first[i];
        class_at[i] = classes->first[i];
    }
    for (size_t v = 0; v < d; v++)
        classes->member[class_at[work.position[v]]++] = (uint32_t)v;
    return *classes;
}

/* law.h - laws of the frequencies of strings: a grid of them as a prior, or that of the users themselves. Internal to
 * the core. */
#ifndef LDPBENCH_LAW_H
#define LDPBENCH_LAW_H

#include "numerics/pool.h"
#include "searches/search.h"

/* Strings of nearly one frequency. Those of a prefix of length l are one candidate: by_length[l] is its part of the
 * users, and share[l] how many candidates the group is. */
struct law_group {
    double requested; /* strings that are to be found */
    const float *by_length, *share;
    double present;   /* the probability that it is still among the candidates of the level that is asked */
    double after, at; /* the same after that level, and later in a plan; of what is tried */
};

struct law {
    double prior, log; /* log prior, log posterior */
    double weight;     /* posterior */
    double in_plan;    /* what it counts in a plan; 0 for most */
    size_t count;
    struct law_group *group;
};

/* The few that a plan is made for before any answer; the prior of the posterior; the users' own law alone. */
enum laws_kind { LAWS_TYPICAL, LAWS_GRID, LAWS_KNOWN };

struct laws {
    struct ldp_pool pool;
    size_t count;
    struct law *law;
    struct law_group *group; /* of all laws */
    float *table;
    size_t requested; /* made for these: */
    double n;
    enum laws_kind kind;
    const void *owner;
    const struct ldp_strings *strings;
};

/* NULL without memory. laws_free: NULL is allowed. */
struct laws *laws_new(const struct ldp_search_input *input, size_t requested, enum laws_kind kind);
void laws_free(struct laws *laws);

/* True if they are those that laws_new would make. */
bool laws_suit(const struct laws *laws, const struct ldp_search_input *input, size_t requested, enum laws_kind kind);

/* Before any answer: all count the same in a plan. */
void laws_reset(struct laws *laws);

static inline double law_mass(const struct law_group *group, unsigned length)
{
    return (double)group->by_length[length];
}

static inline double law_number(const struct law_group *group, unsigned length)
{
    return (double)group->share[length];
}

#endif

/* law.h - laws of the frequencies of strings: a grid of them as a prior, or that of the users themselves. Internal to
 * the core. */
#ifndef LDPBENCH_LAW_H
#define LDPBENCH_LAW_H

#include "search.h"

/* Strings of nearly one frequency. Of a grid's law a prefix of the first level has `first` of the users, each longer
 * one `mass`. Of the users' own law the group is one string, or a prefix whose extensions are all rare: `by_length` are
 * the frequencies of its prefixes, `share` one over the groups that share them. */
struct law_group {
    double strings, wanted; /* their number, and how many of them are */
    double first, mass;
    const float *by_length, *share;
    double held;      /* the probability that it is still among the candidates of the level that is asked */
    double after, at; /* the same after that level, and later in a plan; of what is tried */
};

struct law {
    double prior, log; /* log prior, log posterior */
    double weight;     /* what it counts in a plan */
    bool typical;      /* one of few that stand for the prior */
    size_t count;
    struct law_group *group;
};

struct laws {
    size_t count;
    struct law *law;
    struct law_group *group; /* of all laws */
    float *table;
    size_t wanted; /* made for these: */
    double n;
    bool known;
    const void *owner;
};

/* NULL without memory. known: the users' own law in place of the grid. laws_free: NULL is allowed. */
struct laws *laws_new(const struct ldp_search_input *input, size_t wanted, bool known);
void laws_free(struct laws *laws);

/* True if they are those that laws_new would make. */
bool laws_suit(const struct laws *laws, const struct ldp_search_input *input, size_t wanted, bool known);

/* Before any answer: the typical laws have weight. */
void laws_reset(struct laws *laws);

static inline double law_mass(const struct law_group *group, unsigned length, bool first)
{
    return group->by_length ? (double)group->by_length[length] : first ? group->first : group->mass;
}

/* Strings whose prefixes are the same count once. */
static inline double law_number(const struct law_group *group, unsigned length)
{
    return group->by_length ? (double)group->share[length] : group->strings;
}

#endif

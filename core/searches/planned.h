/* planned.h - the parts of pem_planned: what is expected, the choice of a plan, and the search that plans again after
 * each level. Internal to the core. */
#ifndef LDPBENCH_PLANNED_H
#define LDPBENCH_PLANNED_H

#include "numerics/pool.h"
#include "searches/prefixes.h"

/* ---- Laws of the frequencies of strings: a grid of them as a prior, or that of the users themselves (law.c) ---- */

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

/* ---- What is expected under laws of frequencies, and how likely laws are given answers (expected.c) ---- */

/* A level: the variance of an estimate of frequency f is (s1 + tf f + f (1 - f)) / users. If the support of a value is
 * binomial, with the probability q + f (p - q), as where users choose what they support on their own; else p is 0. */
struct search_level {
    unsigned length;
    double s1, tf, users, candidates, p, q;
};

/* An interval of 95 % for the frequency of a candidate, given that it has this estimate and is chosen because it is at
 * least `least`. */
void search_interval(const struct search_level *level, double est, double least, double *low, double *high);

/* A level of so many candidates, asked by this protocol. */
struct search_level search_level_of(const struct ldp_protocol *protocol, double candidates, double users,
                                    unsigned length);

/* P(Z > z) of the standard normal, 1.2e-7 relative, in a tenth of the time of ldp_normal_cdf. */
double search_tail(double z);

/* P(est > threshold) for a candidate of frequency f, its standard deviation, and the candidates with zero frequency. */
double search_above(const struct search_level *level, double f, double threshold);
double search_spread(const struct search_level *level, double f);

/* P(est >= threshold), for a candidate with zero frequency, and the density of an estimate, up to a factor that is the
 * same for all f; of the binomial law if that is known, whose tail is heavier than the normal one where users are few.
 */
double search_noise_above(const struct search_level *level, double threshold);
double search_density(const struct search_level *level, double est, double f);

/* plan->weight: of all users, a part. Levels from `from` on are expected, with the groups' `after` as it is; the
 * threshold of the last level is the best. The mean over the laws. */
bool prefix_expected(const struct prefix_plan *plan, unsigned from, const struct ldp_search_input *input,
                     const struct laws *laws, struct ldp_search_forecast *out);

/* After the answers of a level: est[count] are the largest estimates, descending. Adds the log-likelihood of each law
 * to its weight. And those weights as a posterior, those of little weight 0. */
void laws_learn(struct laws *laws, const struct search_level *level, const double *est, size_t count);
void laws_weigh(struct laws *laws);

/* The level keeps the candidates above a threshold; laws_try_keep: in a plan that is tried. */
void laws_try_keep(struct laws *laws, const struct search_level *level, double threshold);
void laws_keep(struct laws *laws, const struct search_level *level, double threshold);

/* ---- The choice of a plan (planned.c) ---- */

/* What the caller gave; 0: by the plan. */
struct planned_given {
    unsigned step;
    size_t keep;
    double pilot, fdr;
    bool known;
};

/* The largest number of prefixes that a level may keep. */
size_t planned_most_kept(const struct planned_given *given, size_t requested);

/* Levels after the first plan->levels, which are done or fixed, for the prefixes kept[..] of a level: see
 * planned_choose_rest. */
struct planned_kept {
    struct search_level level;
    const double *est; /* [count], descending; NULL: before any answer */
    size_t count;
};

/* The estimate that the `keep` largest have at least, of at most count; -infinity if no candidate is left out. */
double planned_threshold(const struct planned_kept *kept, size_t keep);

/* Chooses levels, shares and kept prefixes from plan->levels on; laws have their weights. kept: the answers of the last
 * level done, NULL before the first. The expected F1 is returned, and the rest in *forecast unless NULL. */
double planned_choose_rest(const struct ldp_search_input *input, const struct planned_given *given, struct laws *laws,
                           const struct planned_kept *kept, struct prefix_plan *plan,
                           struct ldp_search_forecast *forecast);

/* Sets the estimate of a candidate at the last of the levels, and its frequency by that and those of its prefixes,
 * before[levels - 1]. */
void planned_score(const struct search_level *level, unsigned levels, const double *before, double est,
                   struct search_scored *scored);

enum ldp_status planned_run(struct ldp_search_state *state, const struct planned_given *given,
                            const struct prefix_plan *plan);

#endif

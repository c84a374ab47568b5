/* contest.h - the judge: which of several candidates is best, which are not distinguished from it, by how much it leads
 * and how surely. No other code decides this.
 *
 * Repetition i of one candidate is compared with repetition i of the others: what they have in common cancels. */
#ifndef LDPBENCH_CONTEST_H
#define LDPBENCH_CONTEST_H

#include "ldpbench.h"
#include "stats/compare.h"

#include <stdbool.h>
#include <stdint.h>

struct contest {
    const struct sample *sample; /* [count], with values */
    size_t count;
    bool more;        /* larger is better */
    double low, high; /* range of the measure, infinite where there is no bound */
    double level;
    bool any_time; /* repetitions were added, or may be, until something is decided */
};

/* The contest of these samples by a measure of which less or more is better. */
struct contest contest_of(const struct sample *sample, size_t count, const struct ldp_measure *measure, double level,
                          bool any_time);

/* One candidate against the leader. */
struct rival {
    bool absent;    /* has no defined value: no candidate */
    size_t same_as; /* first candidate with the same values in every repetition; itself if there is none */
    double p;       /* two-sided, of "the leader is better"; 1 where the leader's mean is not the better one */
    bool beaten;    /* p is below the level */
    bool alike;     /* surely, the leader's mean is at most CONTEST_ALIKE above its mean, and its lead is less */
    bool tied;      /* not distinguished from the leader: p with Holm's correction; none if the contest is decided */
    bool undefined; /* the leader is significantly more often undefined, so it cannot win */
};

#define CONTEST_ALIKE 0.01

struct verdict {
    size_t best;      /* SIZE_MAX: no candidate has a defined value */
    bool decided;     /* every rival is beaten */
    bool good_enough; /* every other candidate, also one with the leader's values, is beaten or alike */
    size_t next;      /* the best of the others; SIZE_MAX: there is none, or all have the same values */
    double p;         /* the largest of the rivals' p; NAN without rivals */
    double margin;    /* ratio of means, next over best (best over next if more is better); NAN: not positive */
    double margin_low, margin_high; /* its interval at the level; touches 1 if the next is not beaten */
    uint64_t needed; /* about how many repetitions would beat all; 0: not known; meaningful if undecided */
};

/* rival[count]. */
void contest_judge(const struct contest *contest, struct verdict *verdict, struct rival *rival);

/* p after Holm's correction; adjusted may be p. */
void holm(const double *p, size_t count, double *adjusted);

/* t whose p is the level; half the width, in standard errors of the mean of n values, of an interval at a level. */
double contest_critical(double n, double level, bool any_time);

/* The standard error of a mean of n values as if one more had been seen at the largest distance from the mean, or, of a
 * bounded measure, at a distance of its range: values that do not vary have an error too. NAN for fewer than one. */
double cautious_error(const double *value, size_t length, double low, double high);

#endif

/* contest.h - the judge: which of several candidates is best, which are not distinguished from it, by how much it leads
 * and how surely. No other code decides this.
 *
 *     struct verdict verdict = contest_judge(&contest);
 *     ...
 *     verdict_clear(&verdict);
 *
 * Repetition i of one candidate is compared with repetition i of the others: what they have in common cancels. Of
 * independent samples any pairs will do. */
#ifndef LDPBENCH_CONTEST_H
#define LDPBENCH_CONTEST_H

#include "ldpbench.h"
#include "stats/compare.h"
#include "stats/guarded.h"

#include <stdbool.h>
#include <stdint.h>

struct contest {
    const struct sample *sample; /* [count]: values, mean and deviation, or an exact mean */
    size_t count;
    bool more;        /* larger is better */
    double low, high; /* range of the measure, infinite where there is no bound */
    double level;
    bool any_time; /* repetitions were added, or may be, until something is decided */

    /* A condition: candidates with a share significantly below `least` are out. NULL: none. */
    const struct sample *share; /* [count]; those without repetitions meet it */
    double least;
};

/* The contest of these samples by a measure of which less or more is better. */
struct contest contest_of(const struct sample *sample, size_t count, const struct ldp_measure *measure, double level,
                          bool any_time);

/* The measure that is a condition of another one among its table's (ended by a name NULL): of widths, of which less is
 * better, the share of intervals that hold the truth. SIZE_MAX: none. */
size_t contest_condition(const struct ldp_measure *measures, size_t measure);

/* One candidate against the leader. */
struct rival {
    bool absent;    /* has no defined value: no candidate */
    bool invalid;   /* fails the condition: no candidate */
    size_t same_as; /* first candidate with the same values in every repetition; itself if there is none */
    double p;       /* two-sided, of "the leader is better"; 1 where the leader's mean is not the better one */
    bool beaten;    /* p is below the level */
    bool alike;     /* surely, the leader's mean is at most CONTEST_ALIKE above its mean, and its lead is less */
    bool
        seldom; /* has the leader's values, and surely others in a share of at most CONTEST_SELDOM of all repetitions */
    bool tied;  /* not distinguished from the leader: p corrected for all pairs, step by step; of a contest that is good
                   enough only those that are alike; none of a decided one but those with the leader's values */
    bool undefined; /* the leader is significantly more often undefined, so it cannot win */
};

#define CONTEST_ALIKE 0.01
#define CONTEST_SELDOM 0.1

/* A ratio of means of one candidate and the best (of scores the best's over the other's), with its interval at the
 * level, which touches 1 unless the other is beaten; NAN: not positive. */
struct margin {
    double ratio, low, high;
};

struct verdict {
    size_t best;          /* SIZE_MAX: there is no candidate */
    bool decided;         /* every other candidate is beaten; none has the leader's values */
    bool good_enough;     /* every other candidate is beaten or alike, or surely another one but seldom */
    size_t next;          /* the best of the others; SIZE_MAX: there is none, or all have the same values */
    double p;             /* the largest of the rivals' p; NAN without rivals */
    struct margin margin; /* of the next */
    size_t repetitions;   /* of the leader that are defined */
    double undefined;     /* share of the leader's repetitions that are not */
    struct rival *rival;  /* [count] */
    size_t count;
};

struct verdict contest_judge(const struct contest *contest);
void verdict_clear(struct verdict *verdict);

/* The margin of any candidate: of an outside method that is not the best, for example. */
struct margin contest_margin(const struct contest *contest, size_t best, size_t other, bool beaten);

/* Points of one family: of the contests called decided at most a share `level` is wrong on average, also where no
 * candidate of any is better than another (Benjamini and Hochberg). Unsets `decided` where that needs it. Of a contest
 * without rivals there is nothing to correct. */
void contest_family(struct verdict *verdict, size_t points, double level);

/* p[better * count + other], of "better" by the same test; 1 where absent or the same. */
void contest_pairs(const struct contest *contest, double *p);

/* p of "a candidate's share is below what is asked for", the condition; 1 where there is none. */
double contest_short(const struct contest *contest, size_t candidate);

/* p of "the means of two candidates differ by at most a part of the better one": the larger of two one-sided tests,
 * each with the p, two-sided, that is held against a level elsewhere. 1 where one is undefined more often. How often
 * the statement is wrong: studies/statements.md. */
double contest_equal(const struct contest *contest, size_t a, size_t b, double part);

#endif

/* setting.h - the comparison test: which of several candidates is best, by how much it leads and how significantly;
 * whether two are equal. stats/decision.h says what to take. No other code decides these.
 *
 * Repetition i of one candidate is compared with repetition i of the others: what they have in common cancels. Of
 * independent samples any pairs will do. */
#ifndef LDPBENCH_SETTING_H
#define LDPBENCH_SETTING_H

#include "ldp.h"
#include "stats/compare.h"
#include "stats/robust.h"

#include <stdint.h>

struct setting {
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

/* The setting of these samples by a measure of which less or more is better. */
struct setting setting_of(const struct sample *sample, size_t count, const struct ldp_measure *measure, double level,
                          bool any_time);

/* The measure that is a condition of another one among its table's (ended by a name NULL): of widths, of which less is
 * better, the share of intervals that cover the true value. SIZE_MAX: none. */
size_t setting_condition(const struct ldp_measure *measures, size_t measure);

struct setting_result {
    size_t best;  /* SIZE_MAX: there is no candidate */
    bool decided; /* it is better than every other candidate; none has its values */
    size_t next;  /* the best of the others; SIZE_MAX: there is none, or all have the same values */
    double p;     /* the largest, two-sided, of "it is better than another"; NAN without others */
    double lead;  /* the next one's mean over the best's, of scores the best's over the next one's; NAN: not positive */
};

struct setting_result setting_compare(const struct setting *setting);

/* Points of one family: of the settings called decided at most a share `level` is wrong on average, also where no
 * candidate of any is better than another (Benjamini and Hochberg). Unsets `decided` where that needs it. Of a setting
 * without alternatives there is nothing to correct. */
void setting_family(struct setting_result *result, size_t points, double level);

/* p[better * count + other], of "better" by the same test; 1 where absent or the same. */
void setting_pairs(const struct setting *setting, double *p);

/* p of "a candidate's share is below what is asked for", the condition; 1 where there is none. */
double setting_short(const struct setting *setting, size_t candidate);

/* p of "the means of two candidates differ by at most a part of the better one": the larger of two one-sided tests,
 * each with the p, two-sided, that is held against a level elsewhere. 1 where one is undefined more often. How often
 * the statement is wrong: studies/statements.md. */
double setting_equal(const struct setting *setting, size_t a, size_t b, double part);

#endif

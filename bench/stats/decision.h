/* decision.h - what to take: which of several candidates is as good as the best, what the others cost, and what is
 * open.
 *
 *     struct decision decision = decision_make(&question);
 *     ...
 *     decision_clear(&decision);
 *
 * A candidate is what one would use: a method with an oracle, a protocol. They are compared in cells (at each epsilon,
 * for example), by errors in repetitions. "As good" is: at most DECISION_TOLERANCE above the best, in the number that
 * people read. */
#ifndef LDPBENCH_DECISION_H
#define LDPBENCH_DECISION_H

#include "ldp.h"
#include "stats/compare.h"

#include <stddef.h>

#define DECISION_TOLERANCE 0.05

/* How much of a share of 1 counts as nothing, in addition to the tolerance. */
#define DECISION_SHARE 0.005

struct decision_question {
    size_t candidates, cells;
    const struct sample *sample; /* [cells][candidates], as the measure has them; mean NAN: not measured there */
    const struct sample *share;  /* a condition: those with a share significantly below `least` are out; NULL: none */
    double least;
    const size_t *order; /* [candidates]: by preference, the first first */
    enum ldp_unit unit;
    double level;  /* of everything that is said of a cell together */
    bool any_time; /* repetitions were added, or may be, until it is decided */
};

/* A candidate in a cell. Ratios are of errors as people read them, to the best's; "shown" is at the level. */
struct candidate_result {
    bool measured;  /* and not out by the condition */
    size_t same_as; /* first candidate with the same values in every repetition; itself if there is none */
    double ratio;   /* to the least mean, over the repetitions where both are defined: an estimate */
    double least;   /* shown to be at least so much; 1: nothing is known */
    double most;    /* shown to be at most so much, of shares plus DECISION_SHARE; infinite: not known */
    bool good;      /* shown to be as good as the best */
    bool may_be_best;
    bool may_matter; /* may be better than what is taken by more than the tolerance; false if that is good */
};

enum decision_kind {
    DECIDED_ONE,     /* one candidate is as good as the best in every cell */
    DECIDED_CHANGES, /* shown to be none */
    DECIDED_NOT      /* it is not known */
};

struct decision {
    enum decision_kind kind;
    size_t candidates, cells;
    size_t one;    /* what is taken; of DECIDED_CHANGES what would be least above the best; SIZE_MAX: not all cells
                      have the same candidates */
    size_t *taken; /* [cells]: what is taken there; SIZE_MAX: nothing was measured */
    size_t *least; /* [cells]: the least mean there */
    struct candidate_result *at; /* [cells][candidates] */
};

struct decision decision_make(const struct decision_question *question);
void decision_clear(struct decision *decision);

/* Whether a candidate is shown to be as good as the best in every cell where something was measured. */
bool decision_is_good(const struct decision *decision, size_t candidate);

/* The number that people read, and its standard error. */
double decision_error(enum ldp_unit unit, double mean);
double decision_error_sd(enum ldp_unit unit, double mean, double stderr_);

#endif

/* estimate.h - differences and ratios of measured means with their standard errors, and the verdicts they lead to. */
#ifndef LDPBENCH_ESTIMATE_H
#define LDPBENCH_ESTIMATE_H

#include "stats/compare.h"

/* The verdict of a comparison, in the order in which parts decide a whole. */
enum claim_verdict {
    AGREES,    /* beyond DECIDED standard errors in favour */
    EQUAL,     /* the effect is shown to be below NEGLIGIBLE: neither for nor against */
    UNDECIDED, /* more repetitions are needed */
    DIFFERS    /* beyond DECIDED standard errors against */
};

/* Standard errors that decide, and the relative effect below which two numbers count as one. */
#define DECIDED 4.0
#define NEGLIGIBLE 0.01

struct estimate {
    double value, error; /* error: one standard error */
};

/* The mean of a sample. */
struct estimate estimate_mean(const struct sample *sample);

/* a - b and a / b. paired: both samples hold the same repetitions of one cell, so that their covariance counts. */
struct estimate estimate_difference(const struct sample *a, const struct sample *b, bool paired);
struct estimate estimate_ratio(const struct sample *a, const struct sample *b, bool paired);

/* Is a below b? EQUAL where they differ by less than NEGLIGIBLE of the larger one. */
enum claim_verdict judge_below(const struct sample *a, const struct sample *b, bool paired, double *z);

/* Does a number lie between low and high (infinite: no bound)? A number at a bound up to NEGLIGIBLE of it agrees. */
enum claim_verdict judge_between(struct estimate estimate, double low, double high);

/* Does a / b lie between low and high? For b >= 0, by the differences a - bound b, which unlike the ratio have a normal
 * law even where b is hardly known. *z: of the bound that is least kept (NULL: not wanted). */
enum claim_verdict judge_ratio(const struct sample *a, const struct sample *b, bool paired, double low, double high,
                               double *z);

/* How many times as many repetitions would decide a comparison that is open, if the means stay as they are: until the
 * difference is DECIDED standard errors or shown to be negligible, or until the estimate's reach is on one side of each
 * bound. INFINITY: none would. */
double growth_below(const struct sample *a, const struct sample *b, bool paired);
double growth_between(struct estimate estimate, double low, double high);
double growth_ratio(const struct sample *a, const struct sample *b, bool paired, double low, double high);

/* Keeps the parts of a squared error that, by decreasing size, together have nearly all of it, and sets the others to
 * 0: more repetitions of these, however expensive, hardly make it more exact. */
void keep_largest(double *squares, size_t count);

/* The verdict on a claim about several points: it differs where one does, is undecided where one is, and agrees where
 * at least one does and all others agree or are equal. All equal: EQUAL. */
struct tally {
    unsigned n[4]; /* by verdict */
};

void tally_add(struct tally *tally, enum claim_verdict verdict);
enum claim_verdict tally_verdict(const struct tally *tally);

#endif

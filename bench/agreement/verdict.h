/* verdict.h - differences and ratios of measured means with their standard errors, and the verdicts they lead to. */
#ifndef LDPBENCH_VERDICT_H
#define LDPBENCH_VERDICT_H

#include "stats/compare.h"

/* The verdict of a comparison, in the order in which parts decide a whole. */
enum claim_verdict {
    AGREES,    /* beyond DECIDED standard errors in favour */
    EQUAL,     /* the effect is shown to be below NEGLIGIBLE: neither for nor against */
    UNDECIDED, /* more repetitions are needed */
    DIFFERS    /* beyond DECIDED standard errors against */
};

/* How numbers have to lie: below others, ..., between bounds, within a share of each other, near what is printed. */
enum relation { BELOW, ABOVE, NOT_BELOW, BETWEEN, WITHIN, PRINTED };

/* Standard errors that decide, and the relative effect below which two numbers count as one. */
#define DECIDED 4.0
#define NEGLIGIBLE 0.01

#define EQUAL_LEVEL 0.05 /* of the judge's test of equality (contest_equal) */

/* reach: the distance that decides, DECIDED standard errors. Of few repetitions it is more: the quantile of Student's
 * law that a normal law has at DECIDED. */
struct estimate {
    double value, error, reach; /* error: one standard error */
};

/* An estimate whose standard error is known well; one of n numbers. */
struct estimate estimate_of(double value, double error);
struct estimate estimate_from(double value, double error, size_t n);

/* The distance from 0 in standard errors, four of which decide. */
double estimate_z(struct estimate estimate);

/* The mean of a sample. */
struct estimate estimate_mean(const struct sample *sample);

/* a - b and a / b. paired: both samples hold the same repetitions of one collection, so that their covariance counts,
 * and only the repetitions that both have. */
struct estimate estimate_difference(const struct sample *a, const struct sample *b, bool paired);
struct estimate estimate_ratio(const struct sample *a, const struct sample *b, bool paired);

/* Whether the means are shown to differ by at most NEGLIGIBLE of the larger one, by the judge's test: also where all
 * repetitions that were seen are the same. */
bool is_equal(const struct sample *a, const struct sample *b, bool paired);

/* Does a number of standard errors z above another one agree with below, above or not_below? */
enum claim_verdict judge_side(enum relation relation, double z);

/* Is a below b? It agrees where it is, however little; EQUAL where it is not, but they are shown to differ by less than
 * NEGLIGIBLE of the larger one. */
enum claim_verdict judge_below(const struct sample *a, const struct sample *b, bool paired, double *z);

/* Does a number lie between low and high (infinite: no bound)? A number at a bound up to NEGLIGIBLE of it agrees. */
enum claim_verdict judge_between(struct estimate estimate, double low, double high);

/* Does a / b lie between low and high? For b >= 0, by the differences a - bound b, which unlike the ratio have a normal
 * law even where b is hardly known. *z: of the bound that is least kept (NULL: not requested). */
enum claim_verdict judge_ratio(const struct sample *a, const struct sample *b, bool paired, double low, double high,
                               double *z);

/* The verdict on several comparisons together: it differs where one does, is undecided where one is, and else agrees if
 * at least half agree; if more are equal, EQUAL. */
struct tally {
    unsigned n[4]; /* by verdict */
};

void tally_add(struct tally *tally, enum claim_verdict verdict);
enum claim_verdict tally_verdict(const struct tally *tally);

#endif

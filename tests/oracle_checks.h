/* oracle_checks.h - checks that hold for every frequency oracle.
 *
 * Each check is a function from a subject (an oracle, its parameters, epsilon, a population) to a verdict. The registry
 * must pass them (test_oracles.c), and they must find known mistakes (test_planted_oracles.c).
 *
 * Thresholds: a suite makes fewer than COMPARISONS comparisons of a z-score or a p-value; statistics.h turns that into
 * bounds for the whole. */
#ifndef LDPBENCH_ORACLE_CHECKS_H
#define LDPBENCH_ORACLE_CHECKS_H

#include "ldp.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* ---- Subjects (oracle_subjects.c) ---- */

enum { COMPARISONS = 200000, MAX_SUBJECTS = 4096 };

struct subject {
    struct ldp_oracle_spec spec;
    double epsilon;
    const uint64_t *counts;
    size_t d;
};

struct verdict {
    bool good;
    char why[240];
};

#define GOOD ((struct verdict){.good = true})
#define BAD(...) bad(subject, __VA_ARGS__)

__attribute__((format(printf, 2, 3))) struct verdict bad(const struct subject *subject, const char *format, ...);

extern const uint64_t users_of_5[5], users_of_6[6], users_of_8[8], users_of_40[40];

/* All settings of an oracle that suit a population, appended to list[count]; every `turns`-th of them and the first,
 * which is the default (all under LDPBENCH_VERIFY=1); the subjects of the registry, each setting and population with
 * one of three epsilons. They return how many there are then. */
size_t add_settings(const struct ldp_oracle *oracle, const uint64_t *counts, size_t d, double epsilon,
                    struct subject *list, size_t count);
size_t add_settings_in_turn(const struct ldp_oracle *oracle, const uint64_t *counts, size_t d, double epsilon,
                            size_t turn, size_t turns, struct subject *list, size_t count);
size_t all_subjects(struct subject *list);

uint64_t checks_seed(void);

/* The bound on z-scores. */
double checks_limit(void);

struct ldp_rng stream_of(const struct subject *subject, const char *purpose);
struct ldp_protocol protocol_of(const struct subject *subject);
bool large_state(const struct subject *subject);
struct ldp_population *population_of(const struct subject *subject);

/* Adds the reports to a fresh server; support[support_size]. */
void support_of_reports(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, double *support);

static inline void *allocate(size_t count, size_t size)
{
    void *const block = calloc(count ? count : 1, size);
    cr_assert_not_null(block);
    return block;
}

/* ---- Samples (oracle_subjects.c) ---- */

/* Moments of fewer collections are not normal enough for bounds this far out. */
enum { COLLECTIONS_LEAST = 500, COLLECTIONS = 1000 };

struct sample {
    size_t R, d;
    double *x; /* [R][d] */
    double *mean, *mean_error;
    double *cov, *cov_error; /* [d][d] */
    size_t estimates;
    double *est; /* [estimates][subject's d], or NULL */
};

void sample_free(struct sample *sample);
struct sample sample_room(size_t R, size_t columns);

/* Means and covariances with their standard errors, from the sample's own moments. */
struct sample with_moments(struct sample s);

/* Supports of many collections, prepared or at once. The last column is the total. */
struct sample sample_by(const struct subject *subject, enum ldp_mode mode, bool at_once, size_t R);
struct sample sample_new(const struct subject *subject, enum ldp_mode mode, size_t R);

/* The estimates of each collection, into est; of the first COLLECTIONS_LEAST where a decoder takes long, as most do
 * that are biased or predict their variance: estimates are functions of the supports, of which all are compared. */
void sample_estimate(const struct subject *subject, struct sample *s);

/* True if a difference is significant; `scale` is for rounding errors if there is no noise. */
bool differs(double difference, double error, double scale);

/* ---- Checks of many collections (oracle_checks.c) ---- */

/* How many collections to look at. A large state (flh with many functions) makes them expensive. */
size_t collections_of(const struct subject *subject, size_t least);

/* sample: by counts, by reports. Those of moments, estimates and sums go by est. */
struct verdict check_moments(const struct subject *subject, const struct sample sample[2], enum ldp_mode mode);
struct verdict check_agreement(const struct subject *subject, const struct sample sample[2]);
struct verdict check_estimates(const struct subject *subject, const struct sample sample[2]);
struct verdict check_laws(const struct subject *subject, const struct sample sample[2]);
struct verdict check_covariances(const struct subject *subject, const struct sample sample[2], enum ldp_mode mode);
struct verdict check_sum(const struct subject *subject, const struct sample sample[2], enum ldp_mode mode);
struct verdict check_repeatable(const struct subject *subject);
struct verdict check_at_once(const struct subject *subject, const struct sample *prepared);

/* A bit for each kind of finding. */
enum {
    IN_MOMENTS_COUNTS = 1,
    IN_MOMENTS_REPORTS = 2,
    IN_AGREEMENT = 4,
    IN_COVARIANCES = 8,
    IN_SUM = 16,
    IN_REPEATABLE = 32,
    IN_PRIVACY = 64,
    IN_PQ = 128,
    IN_LAWS = 256,
    IN_AT_ONCE = 512
};

/* The bit if the verdict is bad. complain: it also fails the test. */
unsigned note(unsigned bit, struct verdict verdict, bool complain);

/* What looks at the supports of many collections. */
unsigned examine_supports(const struct subject *subject, bool complain);

/* ---- Checks of single reports (oracle_reports.c) ---- */

/* What a client sends is valid, a valid report of outside leaves finite supports, and no other is valid. */
struct verdict check_valid(const struct subject *subject);
struct verdict check_privacy(const struct subject *subject);
struct verdict check_pq(const struct subject *subject);
struct verdict check_joint(const struct subject *subject);

#endif

/* oracle_checks.c - see oracle_checks.h: checks of the supports of many collections. */
#include "oracle_checks.h"

#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Unbiased, and the variance that is stated, value by value. */
struct verdict check_moments(const struct subject *subject, const struct sample sample[2], enum ldp_mode mode)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    const struct sample s = sample[mode];
    if (protocol.flags & LDP_ORACLE_BIASED)
        return GOOD;
    struct ldp_population *const population = population_of(subject);
    const size_t d = subject->d;
    double *const variance = allocate(d, sizeof *variance), *const mean = allocate(d, sizeof *mean),
                  *const square = allocate(d, sizeof *square), *const fourth = allocate(d, sizeof *fourth);
    const double n = (double)population->n, R = (double)s.estimates;

    ldp_variance(&protocol, &population->histogram, variance);
    for (size_t i = 0; i < s.estimates; i++) {
        for (size_t v = 0; v < d; v++) {
            const double error = n * s.est[i * d + v] - (double)population->counts[v];
            mean[v] += error / R;
            square[v] += error * error / R;
            fourth[v] += error * error * error * error / R;
        }
    }
    struct verdict verdict = GOOD;
    for (size_t v = 0; v < d && verdict.good; v++) {
        const double error = sqrt(fmax(fourth[v] - square[v] * square[v], 0) / R);
        if (differs(mean[v], sqrt(variance[v] / R), n))
            verdict =
                BAD("mode %d: value %zu has bias %g, z = %.1f", mode, v, mean[v], mean[v] / sqrt(variance[v] / R));
        else if (differs(square[v] - variance[v], error, n))
            verdict = BAD("mode %d: value %zu has variance %g, stated %g, z = %.1f", mode, v, square[v], variance[v],
                          (square[v] - variance[v]) / error);
    }
    free(variance);
    free(mean);
    free(square);
    free(fourth);
    ldp_population_free(population);
    return verdict;
}

/* counts against reports: means, covariances, and the variance of the total. */
struct verdict check_agreement(const struct subject *subject, const struct sample sample[2])
{
    const struct sample a = sample[LDP_COUNTS], b = sample[LDP_REPORTS];
    struct verdict verdict = GOOD;
    for (size_t v = 0; v < a.d && verdict.good; v++) {
        if (differs(a.mean[v] - b.mean[v], hypot(a.mean_error[v], b.mean_error[v]), fabs(a.mean[v])))
            verdict = BAD("mean of %zu: counts %g, reports %g", v, a.mean[v], b.mean[v]);
        for (size_t w = 0; w <= v && verdict.good; w++) {
            const size_t i = v * a.d + w;
            if (differs(a.cov[i] - b.cov[i], hypot(a.cov_error[i], b.cov_error[i]), fabs(a.mean[v])))
                verdict = BAD("covariance of %zu, %zu: counts %g, reports %g", v, w, a.cov[i], b.cov[i]);
        }
    }
    return verdict;
}

/* The estimates of a sample of supports, in counts. */
static struct sample estimates_of(const struct subject *subject, const struct sample *supports)
{
    const struct sample s = sample_room(supports->estimates, subject->d);
    double n = 0;
    for (size_t v = 0; v < s.d; v++)
        n += (double)subject->counts[v];
    for (size_t i = 0; i < s.R * s.d; i++)
        s.x[i] = n * supports->est[i];
    return with_moments(s);
}

/* counts against reports: means, variances and covariances of a sketch's estimates, which depend on its functions and
 * on all cells. Those of other oracles are linear in supports. */
struct verdict check_estimates(const struct subject *subject, const struct sample sample[2])
{
    if (!(subject->spec.oracle->flags & LDP_ORACLE_SKETCH))
        return GOOD;
    struct sample estimates[2] = {estimates_of(subject, &sample[0]), estimates_of(subject, &sample[1])};
    const struct verdict verdict = check_agreement(subject, estimates);
    sample_free(&estimates[0]);
    sample_free(&estimates[1]);
    return verdict;
}

/* counts against reports: the whole law of each support and of the total, not only moments. */
struct verdict check_laws(const struct subject *subject, const struct sample sample[2])
{
    const size_t R = sample[0].R, columns = sample[0].d;
    double *const column[2] = {allocate(R, sizeof(double)), allocate(R, sizeof(double))};
    struct verdict verdict = GOOD;
    for (size_t v = 0; v < columns && verdict.good; v++) {
        for (size_t mode = 0; mode < 2; mode++)
            for (size_t i = 0; i < R; i++)
                column[mode][i] = sample[mode].x[i * columns + v];
        const double p = statistics_kolmogorov_two(column[0], column[1], R);
        if (p < statistics_p_bound(COMPARISONS))
            verdict = BAD("law of support %zu: counts against reports, p = %g", v, p);
    }
    free(column[0]);
    free(column[1]);
    return verdict;
}

/* Points of a protocol of pgr, in all blocks. */
static double places_of(const struct ldp_protocol *pgr)
{
    const double q = pgr->param[0];
    return round((pow(q, pgr->param[1]) - 1) / (q - 1)) * pgr->param[2];
}

/* Per user of neither value, and of one of them, as subset selection of k among d has it. */
static double subset_covariance(double p, double q, double k, double d, double own, double rest)
{
    const double both = p * (k - 1) / (d - 1);
    const double neither = d > 2 ? (p * (k - 1) * (k - 2) + (1 - p) * k * (k - 1)) / ((d - 1) * (d - 2)) : 0;
    return own * (both - p * q) + rest * (neither - q * q);
}

/* Covariance of supports that theory states: 0 where the oracle is flagged independent, else
 * the literature's formula where there is one; NAN where there is none. */
static double stated_covariance(const struct ldp_protocol *protocol, const struct ldp_population *population, size_t a,
                                size_t b)
{
    const double p = protocol->p, q = protocol->q, d = (double)protocol->d, k = protocol->param[0],
                 own = (double)(population->counts[a] + population->counts[b]), rest = (double)population->n - own;
    if (protocol->flags & LDP_ORACLE_JOINT) /* by likelihood */
        return (double)NAN;
    if (protocol->flags & LDP_ORACLE_INDEPENDENT)
        return 0;
    if (strcmp(protocol->oracle->name, "grr") == 0)
        return -(own * p * q + rest * q * q);
    if (strcmp(protocol->oracle->name, "pi_rappor") == 0) { /* over permutations, of the values on a line */
        const double g = protocol->param[0], points = pow(g, ceil(log(d - 0.5) / log(g)));
        return points > 2 ? rest * (p - q) * (g - 2) / (g * (points - 2)) : 0;
    }
    if (strcmp(protocol->oracle->name, "hm") == 0 || strcmp(protocol->oracle->name, "rhr") == 0)
        return 0; /* uncorrelated, though they depend on each other */
    if (strcmp(protocol->oracle->name, "flh") == 0) {
        /* Reports of a and of b to one function: both support the other, or neither, as the two collide or not. */
        const double g = round(1 / q);
        return (double)population->counts[a] * (double)population->counts[b] * (p - q) * (p - q) / (k * (g - 1));
    }
    if (strncmp(protocol->oracle->name, "ss", 2) == 0)
        return subset_covariance(p, q, k, d, own, rest);
    if (strcmp(protocol->oracle->name, "pgr") == 0 && protocol->param[2] == 1) {
        const double K = places_of(protocol);
        return subset_covariance(p, q, (K - 1) / protocol->param[0], K, own, rest); /* over permutations */
    }
    if (strcmp(protocol->oracle->name, "hr") == 0 && protocol->param[0] == 1) {
        /* Z = 2 c - 1 for a single user: E Z_a Z_b = KAP where the columns' sum is the user's own, E Z_v = KAP. */
        const size_t sum = (a + 1) ^ (b + 1);
        const double kap = 2 * p - 1, share = sum - 1 < protocol->d ? (double)population->counts[sum - 1] : 0;
        return share * kap / 4;
    }
    return NAN;
}

struct verdict check_covariances(const struct subject *subject, const struct sample sample[2], enum ldp_mode mode)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    struct verdict verdict = GOOD;
    const struct sample s = sample[mode];
    const size_t values = !protocol.oracle->estimate ? subject->d : 0; /* others are not of values */
    for (size_t v = 0; v < values && verdict.good; v++) {
        for (size_t w = 0; w < v && verdict.good; w++) {
            const double stated = stated_covariance(&protocol, population, v, w), cov = s.cov[v * s.d + w],
                         error = s.cov_error[v * s.d + w];
            if (!isnan(stated) && differs(cov - stated, error, s.mean[v]))
                verdict = BAD("mode %d: covariance of %zu, %zu is %g, stated %g, z = %.1f", mode, v, w, cov, stated,
                              (cov - stated) / error);
        }
    }
    ldp_population_free(population);
    return verdict;
}

/* Estimates sum to 1 in every collection where flagged, and not where not. */
struct verdict check_sum(const struct subject *subject, const struct sample sample[2], enum ldp_mode mode)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    const struct sample s = sample[mode];
    double largest = 0;
    for (size_t i = 0; i < s.estimates; i++) {
        double sum = 0, size = 0;
        for (size_t v = 0; v < subject->d; v++) {
            sum += s.est[i * subject->d + v];
            size += fabs(s.est[i * subject->d + v]);
        }
        largest = fmax(largest, fabs(sum - 1) / (1 + size));
    }
    const struct ldp_oracle_spec *const inside = subject->spec.inner;
    /* pgr has this property where values fill its space; of one inside another oracle that is not seen from here. */
    if (inside && strcmp(inside->oracle->name, "pgr") == 0 && !(protocol.flags & LDP_ORACLE_SUMS_TO_ONE))
        return GOOD;
    /* A joint decoder may keep the sum at 1, up to a rounding that no flag promises. */
    if (protocol.flags & LDP_ORACLE_JOINT && largest < 1e-10)
        return GOOD;
    const bool flagged = (protocol.flags & LDP_ORACLE_SUMS_TO_ONE) != 0 ||
                         (strcmp(protocol.oracle->name, "pgr") == 0 && places_of(&protocol) == (double)protocol.d);
    if (flagged != (largest < 1e-10))
        return BAD("mode %d: sums of estimates are off 1 by up to %g, flag %d", mode, largest, flagged);
    return GOOD;
}

/* The same stream gives the same bytes, another repetition gives others. */
struct verdict check_repeatable(const struct subject *subject)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    const size_t d = protocol.support_size;
    double *const support = allocate(3 * d, sizeof *support);
    struct verdict verdict = GOOD;
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS && verdict.good; mode++) {
        struct ldp_simulation simulation = make_simulation(&protocol, population, (enum ldp_mode)mode);
        char *const scratch = allocate(simulation.scratch_bytes, 1);
        bool fresh = false;
        for (uint64_t i = 0; i < 8; i++) {
            for (uint64_t j = 0; j < 3; j++) {
                struct ldp_rng rng = make_stream(5, "repeatable", j == 2 ? i + 1 : i);
                memset(scratch, (int)(0x55 * j), simulation.scratch_bytes); /* what scratch held must not matter */
                ldp_simulate(&simulation, &rng, scratch, support + j * d);
            }
            if (memcmp(support, support + d, d * sizeof *support) != 0)
                verdict = BAD("mode %d: the same stream gave other supports", mode);
            fresh |= memcmp(support, support + 2 * d, d * sizeof *support) != 0;
        }
        if (verdict.good && !fresh && protocol.s1 > 0)
            verdict = BAD("mode %d: all repetitions are the same", mode);
        free(scratch);
        ldp_simulation_clear(&simulation);
    }
    free(support);
    ldp_population_free(population);
    return verdict;
}

size_t collections_of(const struct subject *subject, size_t least)
{
    if (large_state(subject))
        return statistics_draws(50);
    return statistics_verify() ? statistics_draws(COLLECTIONS) : statistics_repetitions(COLLECTIONS, least);
}

/* A collection at once has the bytes of a prepared one where nothing is prepared, or else the law of the sample, of
 * prepared ones. */
struct verdict check_at_once(const struct subject *subject, const struct sample *prepared)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    double *const support = allocate(2 * protocol.support_size, sizeof *support);
    struct verdict verdict = GOOD;
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS && verdict.good; mode++) {
        struct ldp_rng first = stream_of(subject, "bytes"), second = first;
        struct ldp_simulation simulation = make_simulation(&protocol, population, (enum ldp_mode)mode);
        void *const scratch = allocate(simulation.scratch_bytes, 1);
        ldp_simulate(&simulation, &first, scratch, support);
        ldp_collect(&protocol, &population->histogram, (enum ldp_mode)mode, &second, scratch,
                    support + protocol.support_size);
        if (!simulation.plan &&
            memcmp(support, support + protocol.support_size, protocol.support_size * sizeof *support) != 0)
            verdict = BAD("mode %d: other supports at once", mode);
        free(scratch);
        ldp_simulation_clear(&simulation);
    }
    free(support);
    ldp_population_free(population);
    if (!verdict.good || !protocol.oracle->plan)
        return verdict;
    struct sample sample[2] = {*prepared, sample_by(subject, LDP_COUNTS, true, prepared->R)};
    verdict = check_agreement(subject, sample);
    if (verdict.good)
        verdict = check_laws(subject, sample);
    sample_free(&sample[1]);
    return verdict;
}

unsigned note(unsigned bit, struct verdict verdict, bool complain)
{
    if (complain)
        cr_expect(verdict.good, "%s", verdict.why);
    return verdict.good ? 0 : bit;
}

/* What looks at the supports of many collections; a bit for each kind of finding. */
unsigned examine_supports(const struct subject *subject, bool complain)
{
    const size_t R = collections_of(subject, complain ? COLLECTIONS_LEAST : COLLECTIONS);
    struct sample sample[2] = {sample_new(subject, LDP_COUNTS, R), sample_new(subject, LDP_REPORTS, R)};
    sample_estimate(subject, &sample[LDP_COUNTS]);
    sample_estimate(subject, &sample[LDP_REPORTS]);
    unsigned bits = note(IN_AT_ONCE, check_at_once(subject, &sample[LDP_COUNTS]), complain) |
                    note(IN_AGREEMENT, check_agreement(subject, sample), complain) |
                    note(IN_AGREEMENT, check_estimates(subject, sample), complain) |
                    note(IN_LAWS, check_laws(subject, sample), complain) |
                    note(IN_MOMENTS_COUNTS, check_moments(subject, sample, LDP_COUNTS), complain) |
                    note(IN_MOMENTS_REPORTS, check_moments(subject, sample, LDP_REPORTS), complain);
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++)
        bits |= note(IN_COVARIANCES, check_covariances(subject, sample, (enum ldp_mode)mode), complain) |
                note(IN_SUM, check_sum(subject, sample, (enum ldp_mode)mode), complain);
    sample_free(&sample[0]);
    sample_free(&sample[1]);
    return bits;
}

/* test_rhr.c - recursive Hadamard response and linear local hashing: what theory says of published numbers, and what
 * the published code makes of them. */
#include "geometry/affine.h"
#include "laws/interval.h"
#include "ldp.h"
#include "sampling/hadamard.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_VARIANCE, PUBLISHED };

static struct ldp_protocol make(const char *oracle, double first, double rule, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(oracle), .param = {first, rule}};
    if (strcmp(oracle, "rhr") == 0) /* decode is between them */
        memcpy(spec.param, (double[]){first, 0, rule}, 3 * sizeof(double));
    return make_protocol(&spec, d, epsilon);
}

Test(rhr, published_number_of_blocks)
{
    cr_expect_eq(make("rhr", NAN, PUBLISHED, 1024, 5).param[0], 128); /* b = 8 */
    cr_expect_eq(make("rhr", NAN, PUBLISHED, 1024, 1).param[0], 2);
    cr_expect_eq(make("rhr", NAN, PUBLISHED, 1024, 0.6).param[0], 1);
    cr_expect_eq(make("rhr", NAN, PUBLISHED, 1024, 20).param[0], 512); /* b = log2 d */
}

/* Means and variances of hr with as many blocks, where both spread their values evenly. */
Test(rhr, variance_is_that_of_hr)
{
    for (double B = 1; B <= 16; B *= 2)
        for (double epsilon = 0.5; epsilon < 6; epsilon++) {
            const struct ldp_protocol rhr = make("rhr", B, LEAST_VARIANCE, 1 << 20, epsilon),
                                      hr = make("hr", B, LEAST_VARIANCE, (1 << 20) - 16, epsilon);
            cr_expect_float_eq(rhr.s1, hr.s1, 1e-4 * hr.s1, "B = %g, epsilon = %g: %g and %g", B, epsilon, rhr.s1,
                               hr.s1);
            cr_expect_eq(rhr.p, hr.p);
        }
}

/* The benchmark of projective geometry response adds each bit times the factor (e+2B-1)/(e-1) to a whole number, so
 * that every sum is cut towards 0. Its setting: n = 1000, d = 22000, epsilon = 5, values in contiguous blocks. The mean
 * squared error in counts of a replica of that, and of the same sums as real numbers; the values are uniform. */
static void replicate(size_t R, double *cut_error, double *whole_error)
{
    enum { D = 22000, K = 32768, B = 128, M = K / B, N = 1000 };
    static int64_t cut[K], whole[K];
    static double counts[D];
    const double e = exp(5), factor = (e + 2 * B - 1) / (e - 1);
    *cut_error = *whole_error = 0;
    struct ldp_rng rng = make_stream(statistics_seed(51), "replica", 0);
    for (size_t r = 0; r < R; r++) {
        memset(cut, 0, sizeof cut);
        memset(whole, 0, sizeof whole);
        memset(counts, 0, sizeof counts);
        for (size_t user = 0; user < N; user++) {
            const size_t value = (size_t)ldp_rng_below(&rng, D), row = (size_t)ldp_rng_below(&rng, M);
            const bool kept = ldp_rng_uniform(&rng) < 1 / factor;
            const size_t block = kept ? value / M : (size_t)ldp_rng_below(&rng, B);
            const bool minus = kept ? ldp_parity(row & value % M) : ldp_rng_below(&rng, 2);
            counts[value]++;
            int64_t *const sum = &cut[block * M + row];
            *sum = (int64_t)((double)*sum + (minus ? -factor : factor));
            whole[block * M + row] += minus ? -1 : 1;
        }
        for (size_t first = 0; first < K; first += M) {
            ldp_fwht(cut + first, M);
            ldp_fwht(whole + first, M);
        }
        for (size_t v = 0; v < D; v++) {
            *cut_error += pow((double)cut[v] - counts[v], 2) / D / (double)R;
            *whole_error += pow(factor * (double)whole[v] - counts[v], 2) / D / (double)R;
        }
    }
}

/* 36.7 is printed; evenly filled blocks have 58.5 by theory, and contiguous ones, of which 86 hold values, 69.0. */
Test(rhr, published_error_comes_from_the_mistake)
{
    double cut, whole;
    replicate(100, &cut, &whole);
    cr_log_info("mean squared error in counts: %.2f with sums cut to whole numbers, %.2f without\n", cut, whole);
    const double e = exp(5), B = 128, blocks = 22000.0 / 256,
                 even = 1000 * (e + 2 * B - 1) * (2 + (e - 1) / B) / ((e - 1) * (e - 1)),
                 contiguous = 1000 * (e + 2 * B - 1) * (2 + (e - 1) / blocks) / ((e - 1) * (e - 1));
    cr_expect_float_eq(even, 58.5, 0.05, "%g", even);
    cr_expect_float_eq(whole, contiguous, 1, "%g, by theory %g", whole, contiguous);
    cr_expect_float_eq(cut, 36.7, 0.6, "%g", cut);
}

/* ---- Linear local hashing ---- */

Test(pi_rappor, published_choice)
{
    static const struct {
        double epsilon, q, ratio;
    } rows[] = {{1, 3, 2.172}, {1.5, 5, 1.202}, {2, 7, 1.326}, {3, 19, 1.130}, {4, 53, 1.052}, {5, 149, 1.003}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_protocol protocol = make("pi_rappor", NAN, PUBLISHED, 1024, rows[i].epsilon);
        const double e = exp(rows[i].epsilon), least = 4 * e / ((e - 1) * (e - 1));
        cr_expect_eq(protocol.param[0], rows[i].q);
        cr_expect_float_eq(protocol.p, 0.5, 1e-15);
        cr_expect_float_eq(protocol.s1 / least, rows[i].ratio, 6e-4, "epsilon = %g: %g", rows[i].epsilon,
                           protocol.s1 / least);
    }
    struct ldp_protocol protocol;
    const struct ldp_oracle_spec none = {.oracle = ldp_oracle_find("pi_rappor"), .param = {NAN, PUBLISHED}},
                                 more = {.oracle = none.oracle, .param = {5, PUBLISHED}};
    cr_expect_eq(ldp_protocol_init(&protocol, &none, 10, 0.69, NULL), LDP_EINVAL); /* q - 1 = 2 is beyond e */
    cr_expect_eq(ldp_protocol_init(&protocol, &more, 10, 1, NULL), LDP_EINVAL);
}

/* What a report spends when published: ln(q-1), exactly and no more, of any epsilon. */
Test(pi_rappor, published_form_spends_less)
{
    for (double epsilon = 0.75; epsilon < 5; epsilon += 0.5) {
        const struct ldp_protocol protocol = make("pi_rappor", NAN, PUBLISHED, 9, epsilon);
        double largest = 0;
        for (uint64_t y = 0; y < 4096; y++)
            for (uint32_t v = 1; v < 9; v++) {
                const double a = protocol.oracle->log_likelihood(&protocol, 0, &y),
                             b = protocol.oracle->log_likelihood(&protocol, v, &y);
                if (isfinite(a))
                    largest = fmax(largest, fabs(a - b));
            }
        cr_expect_float_eq(largest, log(protocol.param[0] - 1), 1e-12, "epsilon = %g: %g", epsilon, largest);
        cr_expect_leq(largest, epsilon);
    }
}

Test(pi_rappor, variance_is_that_of_olh)
{
    for (double epsilon = 0.5; epsilon < 5; epsilon += 0.5) {
        const struct ldp_protocol linear = make("pi_rappor", 5, LEAST_VARIANCE, 1000, epsilon);
        struct ldp_protocol olh;
        const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("olh"), .param = {5}};
        cr_assert_eq(ldp_protocol_init(&olh, &spec, 1000, epsilon, NULL), LDP_OK);
        cr_expect_float_eq(linear.s1, olh.s1, 1e-12 * olh.s1);
        cr_expect_float_eq(linear.tf, olh.tf, 1e-11);
    }
}

/* Sums and reports against the definition, for every function. */
Test(affine, sums_against_the_definition)
{
    static const struct {
        uint32_t q;
        unsigned t;
    } sizes[] = {{2, 1}, {2, 5}, {3, 1},  {3, 3},  {3, 5},  {4, 3}, {5, 3},
                 {8, 3}, {9, 2}, {16, 2}, {17, 2}, {17, 3}, {25, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static struct ldp_projective space;
        const uint32_t q = sizes[i].q;
        const unsigned t = sizes[i].t;
        space = ldp_projective_of(q, t);
        const size_t points = (size_t)space.power[t], functions = (size_t)space.K[t], step = points > 300 ? 37 : 1;
        uint64_t *const N = calloc(functions * q, sizeof *N), *const copy = calloc(functions * q, sizeof *N),
                        *const sums = calloc(points, sizeof *sums);
        void *const work = malloc(ldp_affine_work(&space));
        struct ldp_rng rng = make_stream(3, "affine", i);
        for (int wide = 0; wide < 2; wide++) {
            uint64_t total = 0;
            for (size_t y = 0; y < functions * q; y++)
                total += copy[y] = N[y] = ldp_rng_below(&rng, wide ? UINT64_C(1) << 50 : 1000);
            ldp_affine_sum(&space, total, work, N, sums);
            for (size_t x = 0; x < points; x += step) {
                uint64_t expected = 0;
                for (size_t a = 0; a < functions; a++)
                    expected += copy[ldp_affine_report(&space, x, a, 0)];
                cr_assert_eq(sums[x], expected, "q = %u, t = %u: %zu", q, t, x);
            }
        }
        for (size_t a = 0; a < functions; a += functions / 10 + 1) /* hash values of two values are independent */
            for (uint32_t shift = 0; shift < q; shift++) {
                const uint64_t y = ldp_affine_report(&space, points - 1, a, shift);
                cr_assert(y < functions * q && (y == ldp_affine_report(&space, points - 1, a, 0)) == (shift == 0));
            }
        free(N);
        free(copy);
        free(sums);
        free(work);
    }
}

/* By likelihood, n times the mean squared error over all values; of_set: the squared error of a set over its variance.
 */
static double error_of(const struct ldp_oracle_spec *spec, double epsilon, const uint64_t *counts, double *stated,
                       double *observed, double *error, double *of_set)
{
    enum { D = 100, TIMES = 300 };
    struct ldp_protocol protocol = make_protocol(spec, D, epsilon);
    struct ldp_population *const population = make_population(counts, D);
    const double n = (double)population->n;
    void *const scratch = malloc(ldp_collect_scratch(&protocol, &population->histogram, LDP_COUNTS));
    double *const support = malloc(protocol.support_size * sizeof *support), est[D], variance[D], sum = 0, squares = 0;
    int64_t *const work = malloc(ldp_set_interval_bytes(D));
    uint32_t member[D / 2];
    for (uint32_t v = 0; v < D / 2; v++)
        member[v] = v * 2;
    *observed = *of_set = 0;
    for (uint64_t i = 0; i < TIMES; i++) {
        struct ldp_rng rng;
        double one = 0, off = 0, f = 0;
        ldp_rng_stream(&rng, statistics_seed(52), "likelihood", i);
        protocol.public_seed = ldp_rng_next(&rng);
        ldp_collect(&protocol, &population->histogram, LDP_COUNTS, &rng, scratch, support);
        ldp_estimate(&protocol, population->n, support, NULL, est);
        const struct ldp_protocol law =
            ldp_observed(&(struct ldp_collection){&protocol, population->n, support, est}, NULL);
        const double tf = law.law.trials ? law.law.tf : law.tf;
        for (size_t v = 0; v < D; v++)
            *observed +=
                (ldp_law_s1(&law, v) + (tf + law.law.square * population->f[v]) * population->f[v]) / D / TIMES;
        for (size_t v = 0; v < D; v++)
            one += n * (est[v] - population->f[v]) * (est[v] - population->f[v]) / D;
        sum += one;
        squares += one * one;
        const struct ldp_variance_terms of =
            ldp_set_variance_terms(&law, population->n, member, D / 2, population->f, work);
        for (size_t v = 0; v < D / 2; v++) {
            off += est[member[v]] - population->f[member[v]];
            f += population->f[member[v]];
        }
        *of_set += n * off * off / (of.s1 + of.tf * f + of.square * f * f) / TIMES;
    }
    free(work);
    *error = sqrt((squares / TIMES - sum / TIMES * sum / TIMES) / TIMES);
    ldp_variance(&protocol, &population->histogram, variance);
    *stated = 0;
    for (size_t v = 0; v < D; v++)
        *stated += variance[v] / n / D;
    free(scratch);
    free(support);
    ldp_population_free(population);
    return sum / TIMES;
}

/* rhr by least squares with dense matrices elsewhere (400 collections); hr by its law alone. */
Test(rhr, likelihood_takes_away_what_rows_tell)
{
    static const struct {
        const char *oracle;
        double param[3], epsilon, n;
        bool heavy;
        double known, digits, few; /* NAN: none; its standard error; by how much of it laws may be off */
    } rows[] = {{"rhr", {1, 1, 0}, 4, 1e5, true, 0.2652, 0.0021, 0.01},
                {"rhr", {1, 1, 0}, 3, 1e5, false, 0.9953, 0.004, 0.01},
                {"rhr", {1, 1, 0}, 4, 500, false, 0.754, 0.0045, 0.06},
                {"rhr", {16, 1, 0}, 4, 1e5, false, 0.0939, 0.0009, 0.02},
                {"rhr", {16, 1, 0}, 4, 2000, false, 0.0901, 0.0009, 0.05},
                {"hm", {1, 2}, 4, 1e5, true, 0.2652, 0.0021, 0.01},
                {"hr", {16, 0, 1}, 4, 1e5, false, NAN, 0, 0.01},
                {"hr", {16, 0, 1}, 4, 300, true, NAN, 0, 0.05},
                {"hr", {1, 0, 1}, 1, 1e4, true, NAN, 0, 0.02}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t counts[100], left = (uint64_t)rows[i].n;
        double all = 0, stated, observed, error, of_set;
        struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(rows[i].oracle)};
        memcpy(spec.param, rows[i].param, sizeof rows[i].param);
        for (size_t v = 0; v < 100; v++)
            all += pow((double)v + 1, -1.5);
        for (size_t v = 99; v > 0; v--)
            left -= counts[v] = (uint64_t)(rows[i].n * (rows[i].heavy ? 0.1 / 99 : pow((double)v + 1, -1.5) / all));
        counts[0] = left;
        const double found = error_of(&spec, rows[i].epsilon, counts, &stated, &observed, &error, &of_set);
        if (!isnan(rows[i].known))
            cr_expect(fabs(found - rows[i].known) < 4 * hypot(error, rows[i].digits), "%zu: %g, expected %g", i, found,
                      rows[i].known);
        cr_expect(fabs(found - stated) < 4 * error + rows[i].few * stated, "%zu: %g, stated %g", i, found, stated);
        cr_expect(fabs(found - observed) < 4 * error + 2 * rows[i].few * observed, "%zu: %g, observed %g", i, found,
                  observed);
        cr_expect(fabs(of_set - 1) < 4 * sqrt(2. / 300) + 2 * rows[i].few, "%zu: a set %g", i, of_set);
    }
}

/* The mean variance over that of the published decoder by simulations of another program, to .03: of uniform
 * frequencies, of Zipf's law 1.5, of two values. NAN: it depends on whether these share a block. rhr with 16 blocks of
 * uniform frequencies: the inverse of the dense Fisher information; that program has .83, and by its unknowns, the 100
 * values without the 28 empty places, .847 is the least there is. */
Test(rhr, likelihood_over_published)
{
    enum { D_MOST = 1000 };
    static const struct {
        const char *oracle;
        size_t d;
        double param[3], published[3], epsilon, n, ratio[3];
    } rows[] = {{"hm", 100, {1, 2}, {1, 0}, 1, 2e5, {1.00, .97, .89}},
                {"hm", 100, {1, 2}, {1, 0}, 2, 2e5, {.99, .90, .69}},
                {"hm", 100, {1, 2}, {1, 0}, 4, 2e5, {.99, .81, .51}},
                {"rhr", 100, {4, 1}, {4, 0}, 2, 2e5, {.95, .85, .74}},
                {"rhr", 100, {16, 1}, {16, 0}, 4, 2e5, {.8754, .60, NAN}},
                {"rhr", 1000, {16, 1}, {16, 0}, 4, 2e5, {NAN, .67, NAN}},
                {"hr", 100, {16, 0, 1}, {16}, 4, 2e5, {.78, .74, NAN}},
                {"hr", 100, {4, 0, 1}, {4}, 2, 2e5, {.95, .93, NAN}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 3; k++) {
            struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(rows[i].oracle)};
            const size_t d = rows[i].d;
            uint64_t counts[D_MOST];
            double all = 0, of[2] = {0}, variance[D_MOST];
            for (size_t v = 0; v < d; v++)
                all += pow((double)v + 1, -1.5);
            for (size_t v = 0; v < d; v++)
                counts[v] = (uint64_t)(rows[i].n * (k == 0   ? 1. / (double)d
                                                    : k == 1 ? pow((double)v + 1, -1.5) / all
                                                    : v < 2  ? .6 - .2 * (double)v
                                                             : 0) +
                                       .5);
            struct ldp_population *const population = make_population(counts, d);
            for (size_t j = 0; j < 2; j++) {
                memcpy(spec.param, j ? rows[i].published : rows[i].param, sizeof rows[i].param);
                struct ldp_protocol protocol = make_protocol(&spec, d, rows[i].epsilon);
                for (uint64_t seed = 1; seed <= 20; seed++) { /* where values are placed */
                    protocol.public_seed = seed;
                    ldp_variance(&protocol, &population->histogram, variance);
                    for (size_t v = 0; v < d; v++)
                        of[j] += variance[v];
                }
            }
            if (!isnan(rows[i].ratio[k]))
                cr_expect_float_eq(of[0] / of[1], rows[i].ratio[k], i == 4 && k == 0 ? .004 : .03,
                                   "row %zu, %zu: %.3f, not %.2f", i, k, of[0] / of[1], rows[i].ratio[k]);
            ldp_population_free(population);
        }
}

/* Of counts that are their means, the estimates are the frequencies, whatever the weights. */
Test(rhr, likelihood_of_exact_counts)
{
    enum { D = 11 };
    static const struct {
        const char *oracle;
        double param[3];
    } rows[] = {{"rhr", {1, 1, 0}}, {"rhr", {4, 1, 0}}, {"rhr", {16, 1, 0}}, {"hr", {1, 0, 1}},
                {"hr", {4, 0, 1}},  {"hr", {8, 0, 1}},  {"hm", {1, 2}}};
    static const double f[D] = {0.4, 0, 0.3, 0, 0, 0.1, 0.05, 0.05, 0.05, 0.05, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(rows[i].oracle)};
        memcpy(spec.param, rows[i].param, sizeof rows[i].param);
        struct ldp_protocol protocol = make_protocol(&spec, D, 2);
        protocol.public_seed = 5;
        uint64_t *const state = calloc(protocol.state_bytes, 1), n = 0;
        double support[2 * D + 2], est[D];
        for (uint64_t y = 0; y < protocol.report_limit; y++) {
            double p = 0;
            for (uint32_t v = 0; v < D; v++)
                p += f[v] * exp(protocol.oracle->log_likelihood(&protocol, v, &y));
            state[y] = (uint64_t)(p * 1e12 + 0.5);
            n += state[y];
        }
        protocol.oracle->support(&protocol, state, n, support);
        ldp_estimate(&protocol, n, support, NULL, est);
        for (size_t v = 0; v < D; v++)
            cr_expect_float_eq(est[v], f[v], 1e-9, "%zu: %zu is %.12f", i, v, est[v]);
        free(state);
    }
}

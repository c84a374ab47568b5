#include "ldp.h"
#include "quick.h"
#include "sampling/alias.h"
#include "sampling/binomials.h"
#include "sampling/multinomials.h"
#include "setup.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

/* Exact laws, by recurrences in long double where the support is short, else by Edgeworth's series, whose next term is
 * of order 1/variance, below 1e-8 where it is used. Nothing is shared with what is tested: no log-gamma, no saddle
 * point. */
enum { CELLS = 1024 };

struct law {
    long double (*ratio)(const struct law *law, long double k); /* f(k) / f(k-1) */
    long double parameter[3];
    uint64_t least, most; /* of the support */
    double mean, sigma, skewness;
    /* Cells first + i * width .., the last open; all below the first fall into cell 0. */
    uint64_t first, width;
    size_t cells;
    double probability[CELLS];
};

static double edgeworth(const struct law *law, uint64_t k)
{
    const double z = ((double)k + 0.5 - law->mean) / law->sigma;
    return gsl_cdf_ugaussian_P(z) - law->skewness / 6 * (z * z - 1) * gsl_ran_ugaussian_pdf(z);
}

static void law_prepare(struct law *law)
{
    const double reach = 12 * law->sigma + 40, from = floor(law->mean - reach), to = ceil(law->mean + reach);
    const uint64_t lo = from > (double)law->least ? (uint64_t)from : law->least;
    const uint64_t hi = to < (double)law->most ? (uint64_t)to : law->most;
    law->first = lo;
    law->width = (hi - lo) / CELLS + 1;
    law->cells = (size_t)((hi - lo) / law->width + 1);
    for (size_t i = 0; i < law->cells; i++)
        law->probability[i] = 0;
    if (law->sigma > 1e4) {
        double below = 0;
        for (size_t i = 0; i < law->cells; i++) {
            const double upto = i + 1 < law->cells ? edgeworth(law, lo + (i + 1) * law->width - 1) : 1;
            law->probability[i] = upto - below;
            below = upto;
        }
        return;
    }
    const uint64_t mode = (uint64_t)fmin(fmax(round(law->mean), (double)lo), (double)hi);
    static long double cell[CELLS];
    for (size_t i = 0; i < law->cells; i++)
        cell[i] = 0;
    long double f = 1, sum = 0;
    for (uint64_t k = mode; k <= hi; k++) {
        f *= k > mode ? law->ratio(law, k) : 1;
        cell[(k - lo) / law->width] += f;
        sum += f;
    }
    f = 1;
    for (uint64_t k = mode; k > lo; k--) {
        f /= law->ratio(law, k);
        cell[(k - 1 - lo) / law->width] += f;
        sum += f;
    }
    for (size_t i = 0; i < law->cells; i++)
        law->probability[i] = (double)(cell[i] / sum);
}

static void law_count(const struct law *law, uint64_t k, uint64_t *observed)
{
    const size_t i = k < law->first ? 0 : (size_t)((k - law->first) / law->width);
    observed[i < law->cells ? i : law->cells - 1]++;
}

/* The lesser of the p-values of two tests, doubled. The smooth one needs draws enough for its normal limit: a rare
 * value that few draws show has a Poisson number of them. */
static double law_judge(const struct law *law, const uint64_t *observed)
{
    const double p = statistics_chi_square(observed, law->probability, law->cells);
    const double smooth = law->sigma > 3 ? statistics_smooth(observed, law->probability, law->cells) : p;
    return 2 * fmin(p, smooth);
}

static long double binomial_ratio(const struct law *law, long double k)
{
    const long double n = law->parameter[0], p = law->parameter[1];
    return (n - k + 1) / k * (p / (1 - p));
}

static void binomial_law(struct law *law, uint64_t n, double p)
{
    const double m = (double)n;
    law->ratio = binomial_ratio;
    law->parameter[0] = m;
    law->parameter[1] = p;
    law->least = 0;
    law->most = n;
    law->mean = m * p;
    law->sigma = sqrt(m * p * (1 - p));
    law->skewness = (1 - 2 * p) / law->sigma;
    law_prepare(law);
}

static long double hypergeometric_ratio(const struct law *law, long double k)
{
    const long double good = law->parameter[0], bad = law->parameter[1], draws = law->parameter[2];
    return (good - k + 1) * (draws - k + 1) / (k * (bad - draws + k));
}

static void hypergeometric_law(struct law *law, uint64_t good, uint64_t bad, uint64_t draws)
{
    const double g = (double)good, b = (double)bad, m = (double)draws, N = g + b;
    law->ratio = hypergeometric_ratio;
    law->parameter[0] = g;
    law->parameter[1] = b;
    law->parameter[2] = m;
    law->least = draws > bad ? draws - bad : 0;
    law->most = good < draws ? good : draws;
    law->mean = m * g / N;
    law->sigma = N > 1 ? sqrt(m * (g / N) * (b / N) * (N - m) / (N - 1)) : 0;
    law->skewness = N > 2 && law->sigma > 0 ? (b - g) / N * (N - 2 * m) / (N - 2) / law->sigma : 0;
    law_prepare(law);
}

static const double probabilities[] = {1e-9,   1e-6, 1e-3,   0.01, 0.1, 0.25,     0.4,
                                       0.4999, 0.5,  0.5001, 0.7,  0.9, 1 - 1e-3, 1 - 1e-9};
static const double sizes[] = {1,   2,   3,   5,   8,   16,   33,  63,  64,  65,   100,   128,
                               129, 255, 256, 257, 513, 1000, 1e4, 1e6, 1e8, 1e12, 0x1p53};
enum { PROBABILITIES = sizeof probabilities / sizeof *probabilities, SIZES = sizeof sizes / sizeof *sizes };

/* All ways of drawing, at means around those where the method changes too. */
static void check_binomial(struct ldp_rng *rng, uint64_t n, double p, size_t draws, double bound)
{
    struct law law;
    binomial_law(&law, n, p);
    struct ldp_binomial prepared;
    ldp_binomial_init(&prepared, n, p);
    uint64_t once[CELLS] = {0}, many[CELLS] = {0};
    for (size_t i = 0; i < draws; i++) {
        const uint64_t k = ldp_binomial(rng, n, p), l = ldp_binomial_draw(&prepared, rng);
        cr_assert(k <= n && l <= n, "n %llu, p %.17g", (unsigned long long)n, p);
        law_count(&law, k, once);
        law_count(&law, l, many);
    }
    double ns[LDP_BINOMIALS_MAX], ps[LDP_BINOMIALS_MAX], ks[LDP_BINOMIALS_MAX];
    uint64_t lanes[CELLS] = {0};
    for (size_t i = 0, m; i < draws; i += m) {
        m = draws - i < LDP_BINOMIALS_MAX ? draws - i : LDP_BINOMIALS_MAX;
        for (size_t j = 0; j < m; j++) {
            ns[j] = (double)n;
            ps[j] = p;
        }
        ldp_binomials(rng, m, ns, ps, ks);
        for (size_t j = 0; j < m; j++) {
            cr_assert(ks[j] >= 0 && ks[j] <= (double)n && floor(ks[j]) == ks[j], "n %llu, p %.17g: %.17g",
                      (unsigned long long)n, p, ks[j]);
            law_count(&law, (uint64_t)ks[j], lanes);
        }
    }
    const double p_once = law_judge(&law, once), p_many = law_judge(&law, many), p_lanes = law_judge(&law, lanes);
    cr_assert_gt(p_once, bound, "one draw, n %llu, p %.17g: p-value %g", (unsigned long long)n, p, p_once);
    cr_assert_gt(p_many, bound, "prepared, n %llu, p %.17g: p-value %g", (unsigned long long)n, p, p_many);
    cr_assert_gt(p_lanes, bound, "side by side, n %llu, p %.17g: p-value %g", (unsigned long long)n, p, p_lanes);
}

Test(sampling, binomial_grid, SLOW)
{
    struct ldp_rng rng = make_stream(statistics_seed(1), "binomial", 0);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t j = 0; j < PROBABILITIES; j++)
            check_binomial(&rng, (uint64_t)sizes[i], probabilities[j], statistics_draws(20000),
                           statistics_p_bound((size_t)3 * SIZES * PROBABILITIES));
}

Test(sampling, binomial_where_methods_meet, SLOW)
{
    static const double means[] = {0.5, 0.99, 1.01, 3,    9.9,  10.1, 11, 13,  19.9, 20.1,
                                   25,  40,   63,   63.9, 64.1, 65,   80, 120, 250};
    static const double n[] = {65, 100, 300, 512, 513, 2000, 1e5, 1e9, 1e15};
    enum { MEANS = sizeof means / sizeof *means, NS = sizeof n / sizeof *n };
    struct ldp_rng rng = make_stream(statistics_seed(2), "binomial", 1);
    for (size_t i = 0; i < NS; i++)
        for (size_t j = 0; j < MEANS; j++)
            if (means[j] < 0.9 * n[i])
                check_binomial(&rng, (uint64_t)n[i], means[j] / n[i], statistics_draws(50000),
                               statistics_p_bound((size_t)3 * NS * MEANS));
}

/* Many draws of a few laws: small faults of an acceptance test or a squeeze. */
Test(sampling, binomial_at_length, SLOW)
{
    static const struct {
        double n, p;
    } c[] = {{40, 0.3},     {200, 0.06}, {1e5, 1.1e-4}, {100, 0.4},  {150, 0.45}, {1000, 0.08},
             {1e5, 6.6e-4}, {700, 0.1},  {5000, 0.5},   {1e6, 0.27}, {1e12, 0.01}};
    enum { CASES = sizeof c / sizeof *c };
    struct ldp_rng rng = make_stream(statistics_seed(3), "binomial", 2);
    for (size_t i = 0; i < CASES; i++)
        check_binomial(&rng, (uint64_t)c[i].n, c[i].p, statistics_draws(2000000), statistics_p_bound(3 * CASES));
}

Test(sampling, binomial_degenerate)
{
    struct ldp_rng rng = make_stream(1, "degenerate", 0);
    static const double n[] = {0, 1, 64, 65, 1e6, 0x1p53};
    for (size_t i = 0; i < 6; i++)
        for (int t = 0; t < 20; t++) {
            const uint64_t m = (uint64_t)n[i];
            cr_assert_eq(ldp_binomial(&rng, m, 0), 0);
            cr_assert_eq(ldp_binomial(&rng, m, 1), m);
            struct ldp_binomial law;
            ldp_binomial_init(&law, m, 0);
            cr_assert_eq(ldp_binomial_draw(&law, &rng), 0);
            ldp_binomial_init(&law, m, 1);
            cr_assert_eq(ldp_binomial_draw(&law, &rng), m);
            cr_assert_leq(ldp_binomial(&rng, m, 0x1p-1074), 1);
        }
    struct ldp_binomial law;
    ldp_binomial_init(&law, 0, 0.3);
    cr_assert_eq(ldp_binomial_draw(&law, &rng), 0);
    static const double many[] = {0, 1000, 0, 0x1p53, 5}, sure[] = {0.3, 0, 1, 1, 1}, expected[] = {0, 0, 0, 0x1p53, 5};
    double k[5];
    ldp_binomials(&rng, 5, many, sure, k);
    cr_assert_arr_eq(k, expected, sizeof k);
}

/* What the cells of a table give each outcome is its probability. */
Test(sampling, alias_tables_hold_the_law)
{
    for (size_t n = 0; n <= LDP_ALIAS_MAX; n++)
        for (size_t j = 0; j < PROBABILITIES; j++) {
            const double p = probabilities[j];
            uint64_t cell[LDP_ALIAS_MAX + 1];
            long double share[LDP_ALIAS_MAX + 1] = {0};
            ldp_alias_binomial(n, p, cell);
            for (size_t k = 0; k <= n; k++) {
                const long double own = (long double)(cell[k] >> 8) * 0x1p-56L;
                cr_assert_leq(cell[k] & 255, n);
                share[k] += own / (long double)(n + 1);
                share[cell[k] & 255] += (1 - own) / (long double)(n + 1);
            }
            long double f = powl(1 - (long double)p, (long double)n);
            for (size_t k = 0; k <= n; k++) {
                cr_assert_float_eq((double)share[k], (double)f, 1e-14, "n %zu, p %.17g, k %zu: %.17g", n, p, k,
                                   (double)share[k]);
                f *= (long double)(n - k) / (long double)(k + 1) * p / (1 - (long double)p);
            }
        }
}

/* Draws use them: every outcome as often as its probability says. */
Test(sampling, alias_draws)
{
    struct ldp_rng rng = make_stream(statistics_seed(9), "alias", 0);
    static const size_t n[] = {1, 2, 5, 33, 64, LDP_ALIAS_MAX};
    static const double p[] = {0.01, 0.3, 0.5, 0.88};
    const double bound = statistics_z_bound((6 * 4) * (LDP_ALIAS_MAX + 1));
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 4; j++) {
            const size_t draws = statistics_draws(100000);
            uint64_t cell[LDP_ALIAS_MAX + 1];
            size_t drawn[LDP_ALIAS_MAX + 1] = {0};
            ldp_alias_binomial(n[i], p[j], cell);
            for (size_t t = 0; t < draws; t++)
                drawn[ldp_alias_draw(cell, n[i], &rng)]++;
            for (size_t k = 0; k <= n[i]; k++) {
                const double f = gsl_ran_binomial_pdf((unsigned)k, p[j], (unsigned)n[i]), mean = f * (double)draws;
                if (mean > 30)
                    cr_assert_lt(fabs((double)drawn[k] - mean) / sqrt(mean * (1 - f)), bound, "n %zu, p %g, k %zu",
                                 n[i], p[j], k);
            }
        }
}

/* Tables of a part of the outcomes: the others have next to no probability. */
Test(sampling, alias_draws_of_large_populations)
{
    static const uint64_t n[] = {1, 126, 700, 2000};
    static const double p[] = {0.01, 0.047, 0.2, 0.5};
    struct ldp_rng rng = make_stream(statistics_seed(10), "parts", 0);
    const double bound = statistics_z_bound((4 * 4) * LDP_ALIAS_COUNT_MAX);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            const size_t draws = statistics_draws(100000);
            size_t drawn[LDP_ALIAS_COUNT_MAX] = {0};
            struct ldp_alias_part part;
            double beyond = 1;
            ldp_alias_part(n[i], p[j], &part);
            cr_assert(part.count > 0 || (double)n[i] * p[j] * (1 - p[j]) > 160);
            if (part.count == 0)
                continue;
            for (size_t t = 0; t < draws; t++)
                drawn[ldp_alias_draw(part.cell, part.count - 1, &rng)]++;
            for (size_t k = 0; k < part.count; k++) {
                const unsigned outcome = (unsigned)(part.first + k);
                const double f = gsl_ran_binomial_pdf(outcome, p[j], (unsigned)n[i]), mean = f * (double)draws;
                beyond -= f;
                if (mean > 30)
                    cr_assert_lt(fabs((double)drawn[k] - mean) / sqrt(mean * (1 - f)), bound, "n %d, p %g, %u",
                                 (int)n[i], p[j], outcome);
            }
            cr_assert_lt(fabs(beyond), 1e-11);
        }
}

/* Laws of all kinds side by side, calls of all lengths: the same draws and the same words at every level. */
Test(sampling, binomials_do_not_depend_on_the_vector_level)
{
    enum { ROUNDS = 600 };
    static double generic[ROUNDS * LDP_BINOMIALS_MAX], other[ROUNDS * LDP_BINOMIALS_MAX];
    uint64_t after = 0;
    for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        ldp_simd_use(level);
        double *const out = level == LDP_SIMD_GENERIC ? generic : other;
        struct ldp_rng rng = make_stream(5, "levels", 0);
        size_t used = 0;
        for (size_t round = 0; round < ROUNDS; round++) {
            const size_t m = round % (LDP_BINOMIALS_MAX + 1);
            double n[LDP_BINOMIALS_MAX], p[LDP_BINOMIALS_MAX];
            for (size_t i = 0; i < m; i++) {
                n[i] = sizes[(round + i) % SIZES];
                p[i] = probabilities[(round / 3 + i) % PROBABILITIES];
            }
            ldp_binomials(&rng, m, n, p, out + used);
            used += m;
        }
        const uint64_t next = ldp_rng_next(&rng);
        if (level == LDP_SIMD_GENERIC)
            after = next;
        cr_expect_eq(next, after, "%s", ldp_simd_name(level));
        cr_expect_arr_eq(out, generic, used * sizeof *out, "%s", ldp_simd_name(level));
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
}

/* Draws of one law side by side are those of many laws that are the same, and those of a table are those one by one:
 * the same numbers and the same words, at every level. */
Test(sampling, draws_of_one_law_side_by_side)
{
    enum { M = 700 };
    static double expected[M], drawn[M];
    for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        ldp_simd_use(level);
        struct ldp_rng one = make_stream(6, "same", 0), many = one;
        for (size_t law = 0; law < SIZES * PROBABILITIES; law++) {
            const double n = sizes[law % SIZES], p = probabilities[law / SIZES];
            const size_t m = law % M;
            for (size_t first = 0, size; first < m; first += size) {
                double ns[LDP_BINOMIALS_MAX], ps[LDP_BINOMIALS_MAX];
                size = m - first < LDP_BINOMIALS_MAX ? m - first : LDP_BINOMIALS_MAX;
                for (size_t i = 0; i < size; i++) {
                    ns[i] = n;
                    ps[i] = p;
                }
                ldp_binomials(&one, size, ns, ps, expected + first);
            }
            ldp_binomials_same(&many, m, n, p, drawn);
            cr_assert_arr_eq(drawn, expected, m * sizeof *drawn, "n %g, p %g, %s", n, p, ldp_simd_name(level));
            if (n <= LDP_ALIAS_MAX) {
                uint64_t cell[LDP_ALIAS_MAX + 1];
                ldp_alias_binomial((size_t)n, p, cell);
                for (size_t i = 0; i < m; i++)
                    expected[i] = (double)ldp_alias_draw(cell, (size_t)n, &one);
                ldp_alias_draws(cell, (size_t)n, &many, m, drawn);
                cr_assert_arr_eq(drawn, expected, m * sizeof *drawn, "table of %g, %g, %s", n, p, ldp_simd_name(level));
            }
            cr_assert_eq(ldp_rng_next(&one), ldp_rng_next(&many));
        }
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
}

/* Mean and variance to some parts in 10^5 at sizes where a lost digit of a log-gamma would show. */
Test(sampling, binomial_moments_of_large_n)
{
    static const double n[] = {1e9, 1e12, 1e14, 0x1p53}, p[] = {1e-7, 0.003, 0.2689, 0.5, 0.77};
    struct ldp_rng rng = make_stream(statistics_seed(4), "moments", 0);
    const double bound = statistics_z_bound(2 * 4 * 5);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++) {
            const size_t m = statistics_draws(100000);
            const double sigma = sqrt(n[i] * p[j] * (1 - p[j]));
            const long double mean = (long double)n[i] * p[j];
            struct ldp_binomial law;
            ldp_binomial_init(&law, (uint64_t)n[i], p[j]);
            double sum = 0, squares = 0;
            for (size_t t = 0; t < m; t++) {
                const double z = (double)((long double)ldp_binomial_draw(&law, &rng) - mean) / sigma;
                sum += z;
                squares += z * z;
            }
            const double excess = (1 - 6 * p[j] * (1 - p[j])) / (sigma * sigma);
            cr_assert_lt(fabs(statistics_z(sum / (double)m, 0, 1, (double)m)), bound, "n %g, p %g", n[i], p[j]);
            cr_assert_lt(fabs(statistics_z_variance(squares / (double)m, 1, 3 + excess, (double)m)), bound,
                         "n %g, p %g", n[i], p[j]);
        }
}

/* A single draw takes more than a double can count. */
Test(sampling, binomial_beyond_2_53)
{
    struct ldp_rng rng = make_stream(statistics_seed(12), "beyond", 0);
    const uint64_t n = 3 * (UINT64_C(1) << 53) + 5;
    double sum = 0, squares = 0;
    const double m = 20000, bound = statistics_z_bound(2);
    for (int t = 0; t < m; t++) {
        const double z = (double)((int64_t)ldp_binomial(&rng, n, 0.5) - (int64_t)(n / 2)) / (sqrt((double)n) / 2);
        sum += z;
        squares += z * z;
    }
    cr_assert_lt(fabs(statistics_z(sum / m, 0, 1, m)), bound);
    cr_assert_lt(fabs(statistics_z_variance(squares / m, 1, 3, m)), bound);
}

/* good, bad, draws; each with its three mirror images. */
static const double urns[][3] = {{1, 1, 1},
                                 {1, 0, 1},
                                 {0, 5, 3},
                                 {3, 3, 3},
                                 {5, 20, 2},
                                 {4, 30, 10},
                                 {10, 200, 4},
                                 {30, 70, 20},
                                 {30, 70, 50},
                                 {60, 60, 19},
                                 {60, 60, 21},
                                 {500, 500, 500},
                                 {63, 2000, 300},
                                 {64, 2000, 330},
                                 {65, 2000, 330},
                                 {100, 1e6, 1e4},
                                 {200, 1e5, 4800},
                                 {1000, 1e6, 36},
                                 {1000, 1e6, 900},
                                 {1000, 1e6, 9500},
                                 {1000, 1e6, 1e4},
                                 {1000, 1e6, 1.1e4},
                                 {5000, 5e4, 690},
                                 {5000, 5e4, 720},
                                 {300, 700, 210},
                                 {300, 700, 220},
                                 {5000, 5e4, 2e4},
                                 {1e6, 1e6, 1e6},
                                 {1e9, 3e9, 1e5},
                                 {5e9, 1e12, 3000},
                                 {1e12, 3e12, 2e12},
                                 {0x1p52, 0x1p52, 0x1p52},
                                 {0x1p51, 0x1p52, 0x1p40},
                                 {12, 0x1p52, 0x1p52},
                                 {100, 0x1p52, 0x1p49},
                                 {100, 0x1p52, 0x1p50}};
enum { URNS = sizeof urns / sizeof *urns };

static void check_urn(struct ldp_rng *rng, double good, double bad, double draws, size_t m, double bound)
{
    struct law law;
    hypergeometric_law(&law, (uint64_t)good, (uint64_t)bad, (uint64_t)draws);
    uint64_t observed[CELLS] = {0};
    for (size_t i = 0; i < m; i++) {
        const uint64_t k = ldp_hypergeometric(rng, (uint64_t)good, (uint64_t)bad, (uint64_t)draws);
        cr_assert(k >= law.least && k <= law.most, "%g good, %g bad, %g draws: %llu", good, bad, draws,
                  (unsigned long long)k);
        law_count(&law, k, observed);
    }
    const double p = law_judge(&law, observed);
    cr_assert_gt(p, bound, "%g good, %g bad, %g draws: p-value %g", good, bad, draws, p);
}

Test(sampling, hypergeometric)
{
    struct ldp_rng rng = make_stream(statistics_seed(5), "hypergeometric", 0);
    const size_t m = statistics_draws(20000);
    const double bound = statistics_p_bound((size_t)4 * URNS);
    for (size_t i = 0; i < URNS; i++) {
        const double good = urns[i][0], bad = urns[i][1], draws = urns[i][2], all = good + bad;
        check_urn(&rng, good, bad, draws, m, bound);
        check_urn(&rng, bad, good, draws, m, bound);
        check_urn(&rng, good, bad, all - draws, m, bound);
        check_urn(&rng, bad, good, all - draws, m, bound);
    }
}

/* The product of good balls and draws has 65 bits. */
Test(sampling, hypergeometric_of_a_large_product)
{
    struct ldp_rng rng = make_stream(statistics_seed(5), "product", 0);
    check_urn(&rng, 5e9, 1e10, 5e9, statistics_draws(20000), statistics_p_bound(1));
}

/* Every urn of up to 12 balls. */
Test(sampling, hypergeometric_small)
{
    enum { MOST = 12 };
    struct ldp_rng rng = make_stream(statistics_seed(6), "hypergeometric", 1);
    const double bound = statistics_p_bound((MOST + 1) * (MOST + 2) * (MOST + 3) / 6);
    for (int all = 1; all <= MOST; all++)
        for (int good = 0; good <= all; good++)
            for (int draws = 0; draws <= all; draws++)
                check_urn(&rng, good, all - good, draws, statistics_draws(2000), bound);
}

Test(sampling, hypergeometric_at_length, SLOW)
{
    static const double c[][3] = {{40, 60, 40},     {100, 100, 60},     {300, 700, 220},
                                  {5000, 5e4, 720}, {1000, 9000, 4000}, {1e6, 3e6, 2e6}};
    struct ldp_rng rng = make_stream(statistics_seed(7), "hypergeometric", 2);
    for (size_t i = 0; i < 6; i++)
        check_urn(&rng, c[i][0], c[i][1], c[i][2], statistics_draws(1000000), statistics_p_bound(6));
}

/* Visits every vector of k whole numbers that sum to n: returns its place among them in lexical order. */
static size_t place(const uint64_t *x, size_t k, uint64_t n)
{
    size_t index = 0;
    for (size_t i = 0; i + 1 < k; i++) {
        /* Vectors that begin as x does and have less than x[i] here: C(rest + parts - 1, parts - 1) each. */
        for (uint64_t less = 0; less < x[i]; less++) {
            double count = 1;
            const size_t parts = k - i - 1;
            for (size_t j = 1; j < parts; j++)
                count = count * ((double)(n - less) + (double)j) / (double)j;
            index += (size_t)(count + 0.5);
        }
        n -= x[i];
    }
    return index;
}

enum { PARTS = 6, OUTCOMES = 4096 };

static double log_factorial(uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 2; i <= n; i++)
        sum += log((double)i);
    return sum;
}

/* Calls of next() over all vectors of k whole numbers with sum n, in lexical order. */
static bool next_vector(uint64_t *x, size_t k)
{
    /* Move one from the last cell to the nearest before it that leaves a remainder behind. */
    size_t i = k - 1;
    uint64_t behind = x[i];
    while (i > 0 && behind == 0)
        behind += x[--i];
    if (i == 0)
        return false;
    i--;
    x[i]++;
    for (size_t j = i + 1; j < k; j++)
        x[j] = 0;
    x[k - 1] = behind - 1;
    return true;
}

Test(sampling, places_are_counted)
{
    uint64_t x[4] = {0, 0, 0, 5};
    size_t count = 0;
    do
        cr_assert_eq(place(x, 4, 5), count++);
    while (next_vector(x, 4));
    cr_assert_eq(count, 56);
}

static double multinomial_probability(const uint64_t *x, const double *p, size_t k, uint64_t n)
{
    double total = 0, log_f = log_factorial(n);
    for (size_t i = 0; i < k; i++)
        total += p[i];
    for (size_t i = 0; i < k; i++)
        if (x[i] > 0)
            log_f += p[i] > 0 ? (double)x[i] * log(p[i] / total) - log_factorial(x[i]) : -INFINITY;
    return exp(log_f);
}

/* The joint law by full enumeration; uniform: by ldp_multinomial_uniform. */
static void check_multinomial(struct ldp_rng *rng, uint64_t n, const double *p, size_t k, bool uniform, double bound)
{
    static uint64_t observed[OUTCOMES];
    static double probability[OUTCOMES];
    uint64_t x[PARTS] = {0};
    x[k - 1] = n;
    size_t outcomes = 0;
    do {
        observed[outcomes] = 0;
        probability[outcomes++] = multinomial_probability(x, p, k, n);
    } while (next_vector(x, k));
    for (size_t t = statistics_draws(60000); t > 0; t--) {
        if (uniform)
            ldp_multinomial_uniform(rng, n, k, x);
        else
            ldp_multinomial(rng, n, p, k, x);
        observed[place(x, k, n)]++;
    }
    const double value = statistics_chi_square(observed, probability, outcomes);
    cr_assert_gt(value, bound, "n %llu, k %zu: p-value %g", (unsigned long long)n, k, value);
}

Test(sampling, multinomial_jointly)
{
    static const double p[][PARTS] = {{1, 1, 1, 1, 1, 1},
                                      {5, 4, 3, 2, 1, 0.5},
                                      {1e-12, 1, 2, 1e-3, 1, 1},
                                      {0, 3, 0, 1, 0.5, 0},
                                      {1e300, 1e300, 1e299, 1e300, 1e300, 1e300},
                                      {1e-300, 2e-300, 1e-300, 3e-300, 1e-300, 1e-301}};
    struct ldp_rng rng = make_stream(statistics_seed(8), "multinomial", 0);
    for (size_t i = 0; i < 6; i++) {
        check_multinomial(&rng, 5, p[i], 6, false, statistics_p_bound(18));
        check_multinomial(&rng, 12, p[i], 3, false, statistics_p_bound(18));
        check_multinomial(&rng, 40, p[i], 2, false, statistics_p_bound(18));
    }
}

Test(sampling, multinomial_uniform_jointly)
{
    static const double p[PARTS] = {1, 1, 1, 1, 1, 1};
    static const uint64_t c[][2] = {{1, 2}, {3, 2}, {2, 3}, {3, 3}, {9, 3}, {3, 4},
                                    {4, 4}, {7, 4}, {4, 5}, {6, 5}, {5, 6}, {7, 6}};
    struct ldp_rng rng = make_stream(statistics_seed(9), "multinomial", 1);
    for (size_t i = 0; i < 12; i++)
        check_multinomial(&rng, c[i][0], p, (size_t)c[i][1], true, statistics_p_bound(12));
}

Test(sampling, multinomial_adds_up)
{
    enum { K = 1000 };
    static double p[K];
    static uint64_t out[K];
    struct ldp_rng rng = make_stream(1, "adds up", 0);
    for (size_t i = 0; i < K; i++)
        p[i] = i % 3 == 0 ? 0 : ldexp(ldp_rng_uniform(&rng), -(int)(i % 200));
    static const double n[] = {0, 1, 7, 999, 1000, 1001, 1e6, 0x1p53};
    for (size_t k = 1; k <= K; k = k * 2 + k % 3)
        for (size_t i = 0; i < 8; i++) {
            p[0] = 1e-9;
            ldp_multinomial(&rng, (uint64_t)n[i], p, k, out);
            uint64_t sum = 0;
            for (size_t j = 0; j < k; j++) {
                cr_assert(p[j] > 0 || out[j] == 0);
                sum += out[j];
            }
            cr_assert_eq(sum, (uint64_t)n[i]);
            ldp_multinomial_uniform(&rng, (uint64_t)n[i], k, out);
            sum = 0;
            for (size_t j = 0; j < k; j++)
                sum += out[j];
            cr_assert_eq(sum, (uint64_t)n[i]);
        }
}

/* Each cell binomial, each pair of cells with covariance -n/k^2: chi-square of all cells about their mean has k-1
 * degrees of freedom, cell by cell and in the small (n < k, by users) as in the large (by halving). */
Test(sampling, multinomial_uniform_of_many_cells)
{
    static const double c[][2] = {{500, 1000}, {999, 1000},  {1000, 1000}, {1e5, 1000},
                                  {1e9, 777},  {3000, 4096}, {1e6, 4096}};
    static uint64_t out[4096];
    struct ldp_rng rng = make_stream(statistics_seed(10), "multinomial", 2);
    enum { CASES = sizeof c / sizeof *c };
    const double bound = statistics_z_bound(3 * CASES);
    for (size_t i = 0; i < CASES; i++) {
        const size_t k = (size_t)c[i][1], m = statistics_draws(200);
        const double n = c[i][0], expected = n / c[i][1];
        double chi = 0, halves = 0, neighbours = 0;
        for (size_t t = 0; t < m; t++) {
            ldp_multinomial_uniform(&rng, (uint64_t)n, k, out);
            double first = 0;
            for (size_t j = 0; j < k; j++) {
                const double e = (double)out[j] - expected;
                chi += e * e / expected;
                first += j < k / 2 ? e : 0;
                neighbours += j % 2 ? e * ((double)out[j - 1] - expected) / expected : 0;
            }
            const double share = floor(c[i][1] / 2) / c[i][1];
            halves += first / sqrt(n * share * (1 - share));
        }
        const double K = c[i][1], M = (double)m;
        /* Mean k-1 and variance 2 (k-1) (1 - 1/n) of Pearson's statistic under equal weights. */
        cr_assert_lt(fabs(statistics_z(chi / M, K - 1, 2 * (K - 1) * (1 - 1 / n), M)), bound, "n %g, k %zu", n, k);
        cr_assert_lt(fabs(statistics_z(halves / M, 0, 1, M)), bound, "n %g, k %zu", n, k);
        const double pairs = floor(K / 2);
        cr_assert_lt(fabs(statistics_z(neighbours / M, -pairs / K, pairs, M)), bound, "n %g, k %zu", n, k);
    }
}

/* The same side by side: lanes of many and of few users, next to each other, each over k cells; lanes are independent.
 */
Test(sampling, multinomials_uniform_side_by_side)
{
    static const uint64_t cells[] = {2, 3, 7, 16, 53}, kinds[] = {0, 1, 90, 6000, 1000000000};
    enum { LANES = 150, KINDS = 5, CASES = 5 };
    static uint64_t out[64 * LANES];
    const double bound = statistics_z_bound(CASES * (KINDS - 1) * 2);
    struct ldp_rng rng = make_stream(statistics_seed(10), "multinomials", 0);
    for (size_t i = 0; i < CASES; i++) {
        const size_t k = (size_t)cells[i], draws = statistics_draws(100);
        double chi[KINDS] = {0}, beside[KINDS] = {0};
        uint64_t users[LANES];
        for (size_t l = 0; l < LANES; l++)
            users[l] = kinds[l % KINDS];
        for (size_t t = 0; t < draws; t++) {
            ldp_multinomials_uniform(&rng, LANES, users, k, out);
            for (size_t l = 0; l < LANES; l++) {
                const double n = (double)users[l], expected = n / (double)k, sd = sqrt(expected * (1 - 1 / (double)k));
                uint64_t sum = 0;
                for (size_t c = 0; c < k; c++) {
                    const double e = (double)out[c * LANES + l] - expected;
                    sum += out[c * LANES + l];
                    chi[l % KINDS] += n > 0 ? e * e / expected : 0;
                }
                cr_assert_eq(sum, users[l]);
                if (n > 0 && l >= KINDS)
                    beside[l % KINDS] += ((double)out[l] - expected) * ((double)out[l - KINDS] - expected) / (sd * sd);
            }
        }
        const double K = (double)k, lanes = 1.0 * LANES / KINDS, M = (double)draws * lanes;
        for (size_t kind = 1; kind < KINDS; kind++) {
            const double n = (double)kinds[kind], pairs = (double)draws * (lanes - 1);
            if (kinds[kind] > 1) /* else the statistic is a constant */
                cr_expect_lt(fabs(statistics_z(chi[kind] / M, K - 1, 2 * (K - 1) * (1 - 1 / n), M)), bound,
                             "n %g, k %zu", n, k);
            cr_expect_lt(fabs(statistics_z(beside[kind] / pairs, 0, 1, pairs)), bound, "n %g, k %zu", n, k);
        }
    }
}

Test(sampling, multivariate_hypergeometric_jointly)
{
    static const uint64_t counts[][4] = {{3, 2, 4, 1}, {0, 5, 0, 3}, {6, 6, 6, 6}, {1, 1, 1, 12}};
    struct ldp_rng rng = make_stream(statistics_seed(11), "multivariate", 0);
    enum { COMPARISONS = 11 + 9 + 25 + 16 };
    for (size_t i = 0; i < 4; i++) {
        const uint64_t all = counts[i][0] + counts[i][1] + counts[i][2] + counts[i][3];
        for (uint64_t draws = 0; draws <= all; draws++) {
            static uint64_t observed[OUTCOMES];
            static double probability[OUTCOMES];
            uint64_t x[4] = {0, 0, 0, draws};
            size_t outcomes = 0;
            do {
                double log_f = log_factorial(draws) + log_factorial(all - draws) - log_factorial(all);
                for (size_t j = 0; j < 4; j++)
                    log_f += x[j] > counts[i][j] ? -INFINITY
                                                 : log_factorial(counts[i][j]) - log_factorial(x[j]) -
                                                       log_factorial(counts[i][j] - x[j]);
                observed[outcomes] = 0;
                probability[outcomes++] = exp(log_f);
            } while (next_vector(x, 4));
            for (size_t t = statistics_draws(10000); t > 0; t--) {
                ldp_multivariate_hypergeometric(&rng, counts[i], 4, draws, x);
                cr_assert_eq(x[0] + x[1] + x[2] + x[3], draws);
                observed[place(x, 4, draws)]++;
            }
            const double value = statistics_chi_square(observed, probability, outcomes);
            cr_assert_gt(value, statistics_p_bound(COMPARISONS), "urn %zu, %llu draws: p-value %g", i,
                         (unsigned long long)draws, value);
        }
    }
}

/* The checks above can fail: a law that is off the true one by 1% of its standard deviation is detected. */
Test(sampling, chi_square_sees_one_percent)
{
    struct law law;
    binomial_law(&law, 10000, 0.3 + 0.01 * sqrt(0.21 / 10000));
    struct ldp_rng rng = make_stream(1, "power", 0);
    uint64_t observed[CELLS] = {0};
    for (int i = 0; i < 2000000; i++)
        law_count(&law, ldp_binomial(&rng, 10000, 0.3), observed);
    cr_assert_lt(statistics_chi_square(observed, law.probability, law.cells), 1e-9);
}

/* Draws recorded once: the same bytes from every compiler, optimisation level, processor and libm. A change that moves
 * them on purpose raises LDP_ALGORITHM_VERSION. */
Test(sampling, draws_are_recorded)
{
    enum { ROUNDS = 40, LENGTH = (SIZES * PROBABILITIES * 2 + URNS + 24) * ROUNDS };
    static unsigned char bytes[LENGTH * 8];
    static const double weight[12] = {5, 4, 3, 2, 1, 0.5, 0.25, 0, 1e-3, 7, 1e-9, 2};
    struct ldp_rng rng = make_stream(20200223, "recorded", 0);
    size_t count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t x[SIZES * PROBABILITIES * 2 + URNS + 24];
        size_t to = 0;
        for (size_t i = 0; i < SIZES; i++)
            for (size_t j = 0; j < PROBABILITIES; j++) {
                struct ldp_binomial law;
                ldp_binomial_init(&law, (uint64_t)sizes[i], probabilities[j]);
                x[to++] = ldp_binomial_draw(&law, &rng);
                x[to++] = ldp_binomial(&rng, (uint64_t)sizes[i], probabilities[j]);
            }
        for (size_t i = 0; i < URNS; i++)
            x[to++] = ldp_hypergeometric(&rng, (uint64_t)urns[i][0], (uint64_t)urns[i][1], (uint64_t)urns[i][2]);
        ldp_multinomial(&rng, 100000, weight, 12, x + to);
        ldp_multinomial_uniform(&rng, 100000, 12, x + to + 12);
        to += 24;
        for (size_t i = 0; i < to; i++)
            for (int k = 0; k < 8; k++)
                bytes[count++] = (unsigned char)(x[i] >> 8 * k);
    }
    cr_assert_eq(count, sizeof bytes);
    const struct ldp_fingerprint f = ldp_fingerprint(bytes, sizeof bytes);
    cr_assert(f.hi == UINT64_C(0x9d0d8ec51867f29b) && f.lo == UINT64_C(0x0da126c16345239f), "0x%016llx 0x%016llx",
              (unsigned long long)f.hi, (unsigned long long)f.lo);
}

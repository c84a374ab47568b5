/* test_shuffle.c - central privacy of shuffled reports: enumerated on few users, tables computed elsewhere, laws of
 * reports by their likelihoods. */
#include "laws/overshoot.h"
#include "oracle_checks.h"
#include "privacy/shuffle.h"
#include "program.h"
#include "quick.h"
#include "statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>
#include <time.h>

static struct ldp_oracle_spec spec_of(const char *name)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    cr_assert_not_null(spec.oracle);
    ldp_params_default(spec.oracle->params, spec.param);
    if (strcmp(name, "hr") == 0)
        spec.param[1] = 1; /* the published blocks, which the tables are of */
    return spec;
}

static struct ldp_protocol protocol_named(const char *name, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = spec_of(name);
    struct ldp_protocol protocol;
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, d, epsilon, NULL), LDP_OK);
    return protocol;
}

static struct ldp_overlap overlap_named(const char *name, size_t d, double epsilon)
{
    if (strcmp(name, "generic") == 0)
        return ldp_overlap_generic(epsilon);
    const struct ldp_protocol protocol = protocol_named(name, d, epsilon);
    return ldp_overlap_of(&protocol);
}

/* ---- E (X)_+ ---- */

/* By all counts of up to three terms. */
static double enumerated_overshoot(const struct ldp_terms *terms)
{
    const unsigned n = (unsigned)terms->n;
    double sum = 0, p[4] = {terms->share[0], terms->share[1], terms->share[2]};
    p[3] = fmax(0, 1 - p[0] - p[1] - p[2]);
    for (unsigned a = 0; a <= n; a++)
        for (unsigned b = 0; a + b <= n; b++)
            for (unsigned c = 0; a + b + c <= n; c++) {
                const unsigned counts[4] = {a, b, c, n - a - b - c};
                const double x = a * terms->value[0] + b * terms->value[1] + c * terms->value[2];
                sum += x > 0 ? x * gsl_ran_multinomial_pdf(4, p, counts) : 0;
            }
    return sum;
}

Test(shuffle, overshoot_encloses_the_enumeration)
{
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 38, "overshoot", 0);
    for (int i = 0; i < 300; i++) {
        struct ldp_terms terms = {.size = 3, .n = 1 + ldp_rng_below(&rng, 40)};
        double left = 1, mean = 0;
        for (int k = 0; k < 3; k++) {
            terms.share[k] = left * ldp_rng_uniform(&rng) * (i % 3 ? 1 : 0.1);
            left -= terms.share[k];
            terms.value[k] = 4 * ldp_rng_uniform(&rng) - (k == 0 ? 0 : 3);
            mean += terms.share[k] * terms.value[k];
        }
        if (mean > 0) /* the others carry it below 0 */
            terms.value[2] -= mean / terms.share[2] + ldp_rng_uniform(&rng);
        const double exact = enumerated_overshoot(&terms);
        const struct ldp_enclosure fine = ldp_overshoot(&terms, 1e-4), rough = ldp_overshoot(&terms, 1e-2);
        cr_expect(fine.low <= exact * (1 + 1e-12) && exact <= fine.high * (1 + 1e-12),
                  "%d, n = %d: %.17g not in [%.17g, %.17g]", i, (int)terms.n, exact, fine.low, fine.high);
        cr_expect(rough.low <= exact * (1 + 1e-12) && exact <= rough.high * (1 + 1e-12));
        /* The widening decides the width, a few times v s0^2 at these tails; an atom at 0 adds a part of sqrt(v). */
        const double atom = pow(1 - terms.share[0] - terms.share[1] - terms.share[2], (double)terms.n);
        if (exact > 1e-8)
            cr_expect(fine.high - fine.low < 0.02 * exact + 0.04 * atom, "%d: %g of %g, %g at 0", i,
                      fine.high - fine.low, exact, atom);
    }
}

/* ---- A shuffled collection of a few users, report by report ---- */

enum { REPORTS_MAX = 64, SEQUENCES_MAX = 1 << 20 };

/* P[value][report] of an oracle whose report is one small word. */
struct law {
    size_t d, reports;
    double P[5][REPORTS_MAX];
};

static struct law law_of(const struct ldp_protocol *protocol)
{
    struct law law = {.d = protocol->d};
    for (uint64_t y = 0; y < REPORTS_MAX; y++) {
        if (ldp_report_check(protocol, &y, NULL) != LDP_OK)
            continue;
        for (uint32_t v = 0; v < law.d; v++)
            law.P[v][law.reports] = exp(protocol->oracle->log_likelihood(protocol, v, &y));
        law.reports++;
    }
    return law;
}

/* delta at x of two collections that differ in the first of n users: all sequences of reports, by their multiset. */
static double enumerated_delta(const struct law *law, size_t n, const uint32_t *others, uint32_t x0, uint32_t x1,
                               double x)
{
    size_t sequences = 1;
    for (size_t i = 0; i < n; i++)
        sequences *= law->reports;
    cr_assert(sequences <= SEQUENCES_MAX);
    double *const of_0 = allocate(sequences, sizeof *of_0), *const of_1 = allocate(sequences, sizeof *of_1);
    for (size_t s = 0; s < sequences; s++) {
        size_t y[8] = {0}, rest = s, key = 0;
        double P = 1;
        for (size_t i = 0; i < n; i++, rest /= law->reports)
            y[i] = rest % law->reports;
        for (size_t i = 1; i < n; i++)
            P *= law->P[others[i - 1]][y[i]];
        const double P0 = P * law->P[x0][y[0]], P1 = P * law->P[x1][y[0]];
        for (size_t i = 1; i < n; i++) /* sorted */
            for (size_t k = i; k > 0 && y[k] < y[k - 1]; k--) {
                const size_t swap = y[k];
                y[k] = y[k - 1];
                y[k - 1] = swap;
            }
        for (size_t i = 0; i < n; i++)
            key = key * law->reports + y[i];
        of_0[key] += P0;
        of_1[key] += P1;
    }
    double delta = 0;
    for (size_t s = 0; s < sequences; s++)
        delta += fmax(0, of_0[s] - x * of_1[s]);
    free(of_0);
    free(of_1);
    return delta;
}

/* The largest over all pairs, and all values of the others in ascending order. */
static double worst_delta(const struct law *law, size_t n, double x)
{
    double worst = 0;
    uint32_t others[8] = {0};
    for (;;) {
        for (uint32_t x0 = 0; x0 < law->d; x0++)
            for (uint32_t x1 = 0; x1 < law->d; x1++)
                if (x0 != x1)
                    worst = fmax(worst, enumerated_delta(law, n, others, x0, x1, x));
        size_t i = 0;
        while (i < n - 1 && others[i] + 1 == law->d)
            i++;
        if (i == n - 1)
            return worst;
        others[i]++;
        for (size_t k = 0; k < i; k++)
            others[k] = others[i];
    }
}

Test(shuffle, no_collection_is_above_and_one_is_not_below)
{
    static const struct {
        const char *name;
        size_t d, n;
        double epsilon;
    } cases[] = {{"grr", 3, 2, 1}, {"grr", 3, 4, 2},   {"grr", 4, 5, 0.5}, {"sue", 3, 3, 1},  {"oue", 3, 3, 2},
                 {"oue", 2, 4, 1}, {"ss", 4, 3, 0.7},  {"hr", 3, 4, 1},    {"hr", 3, 5, 0.5}, {"rhr", 3, 3, 1},
                 {"hm", 3, 3, 1},  {"the", 3, 3, 1.5}, {"pgr", 4, 3, 0.5}, {"sw", 4, 3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ldp_protocol protocol = protocol_named(cases[i].name, cases[i].d, cases[i].epsilon);
        const struct ldp_overlap overlap = ldp_overlap_of(&protocol);
        const struct law law = law_of(&protocol);
        for (double part = 0; part < 0.9; part += 0.4) {
            const double epsilon = part * cases[i].epsilon, exact = worst_delta(&law, cases[i].n, exp(epsilon));
            const struct ldp_bracket delta = ldp_shuffle_delta(&overlap, cases[i].n, epsilon);
            cr_expect(delta.lower <= exact * (1 + 1e-9) && exact <= delta.upper, "%s, n = %zu, %g: %g not in [%g, %g]",
                      cases[i].name, cases[i].n, epsilon, exact, delta.lower, delta.upper);
            cr_expect(delta.lower > 0.1 * exact, "%s: lower %g of %g", cases[i].name, delta.lower, exact);
        }
    }
}

/* Bounds need no least n: of two or three users the exact epsilon at a delta of 10^-9 is between both values, and that
 * of the clients, or nearly. */
Test(shuffle, few_users_hide_nothing)
{
    static const char *const names[] = {"oue", "hr", "ss", "hm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t n = 2; n <= 3; n++) {
            const struct ldp_protocol protocol = protocol_named(names[i], 3, 1);
            const struct ldp_overlap overlap = ldp_overlap_of(&protocol);
            const struct law law = law_of(&protocol);
            double low = 0, high = 1;
            while (high - low > 1e-7) {
                const double middle = (low + high) / 2;
                *(worst_delta(&law, n, exp(middle)) > 1e-9 ? &low : &high) = middle;
            }
            const struct ldp_bracket central = ldp_shuffle_epsilon(&overlap, n, 1e-9);
            cr_expect(central.lower <= high && low <= central.upper && low > 0.999, "%s, n = %zu: %g not in [%g, %g]",
                      names[i], n, low, central.lower, central.upper);
        }
}

/* Collections whose delta is above what the variation-ratio bound (Wang et al., PVLDB 2024) says of them. */
Test(shuffle, exact_collections_of_the_sheet)
{
    struct ldp_overlap overlap = overlap_named("hr", 3, 1);
    cr_expect_float_eq(ldp_shuffle_delta(&overlap, 10, 0.6).lower, 9.45e-4, 1e-6);
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("ss"), .param = {2}};
    struct ldp_protocol protocol;
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, 5, 1, NULL), LDP_OK);
    overlap = ldp_overlap_of(&protocol);
    cr_expect(ldp_shuffle_delta(&overlap, 3, 0.6).upper > 0.0351);
}

/* delta of the variation-ratio reduction: counts of the target's two reports among n, and its pair, which does not see
 * a report of the target that tells nothing. */
static double variation_ratio(double alpha, double e, unsigned n, double x)
{
    double total = 0;
    for (unsigned a = 0; a <= n; a++)
        for (unsigned b = 0; a + b <= n; b++) {
            const double p[] = {alpha, alpha, 1 - 2 * alpha}, rest = 1 - alpha - e * alpha;
            double law[3] = {0}; /* of the others: (a - 1, b), (a, b - 1), (a, b) */
            for (unsigned k = 0; k < 3; k++) {
                const unsigned others[] = {a - (k == 0), b - (k == 1), n - 1 - (a + b - (k < 2))};
                if ((k != 0 || a > 0) && (k != 1 || b > 0) && a + b - (k < 2) <= n - 1)
                    law[k] = gsl_ran_multinomial_pdf(3, p, others);
            }
            const double own = e * alpha * law[0] + alpha * law[1] + rest * law[2],
                         other = alpha * law[0] + e * alpha * law[1] + rest * law[2];
            total += fmax(0, own - x * other);
        }
    return total;
}

/* The verdicts of studies/shuffle.md. SODA 2023 is below FOCS 2021, and numbers are below both; the variation-ratio
 * bound is tight as a value, and below what a collection has; equal epsilons of clients are not equal protection. */
Test(shuffle, published_statements)
{
    static const double locals[] = {0.5, 1, 2, 4};
    for (size_t i = 0; i < 4; i++) {
        const double e = exp(locals[i]), n = 1e5, l = log(4 / 1e-6),
                     clone = log1p((e - 1) / (e + 1) * (8 * sqrt(e * l / n) + 8 * e / n)),
                     strong = log1p((e - 1) * (4 * sqrt(2 * l / ((e + 1) * n)) + 4 / n));
        const struct ldp_overlap any = ldp_overlap_generic(locals[i]);
        const double numeric = ldp_shuffle_epsilon(&any, 100000, 1e-6).upper;
        cr_expect(numeric < strong && strong < clone, "%g: %g, %g, %g", locals[i], numeric, strong, clone);
        if (i == 3) {
            cr_expect_float_eq(clone, .5346, 5e-5);
            cr_expect_float_eq(strong, .4078, 5e-5);
            cr_expect_float_eq(numeric, .11815, 5e-5);
        }
    }
    const double e = exp(1);
    const struct ldp_overlap hr = overlap_named("hr", 3, 1), grr = overlap_named("grr", 1024, 1),
                             olh = overlap_named("olh", 1024, 1);
    const double published = variation_ratio(1 / (2 * (e + 1)), e, 10, exp(0.6));
    cr_expect_float_eq(published, 7.40e-4, 5e-7);
    cr_expect_gt(ldp_shuffle_delta(&hr, 10, 0.6).lower, 1.2 * published);
    const struct ldp_bracket central = ldp_shuffle_epsilon(&grr, 1000000, 1e-9);
    cr_expect_gt(central.lower, 0.9995 * central.upper);
    cr_expect_float_eq(ldp_shuffle_epsilon(&olh, 1000000, 1e-9).upper / central.upper, 13.2, 0.05);
}

/* ---- The laws of reports ---- */

/* Over reports of x0: the mean of min(1, P1/P0) is 1 - alpha (e-1), of min(1, P1/P0, P2/P0) it is gamma (1 + (e-1) u3).
 * The pair is the one that is told apart best, and x2 the value that the pair's common reports support most. */
static void check_overlap(const char *name, size_t d, double epsilon)
{
    enum { DRAWS = 4000 };
    struct ldp_protocol protocol = protocol_named(name, d, epsilon);
    const struct ldp_overlap overlap = ldp_overlap_of(&protocol);
    const size_t words = protocol.report_words;
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 38, name, d);
    protocol.public_seed = ldp_rng_next(&rng);
    uint64_t *const reports = allocate(DRAWS * words, sizeof *reports);
    uint32_t *const values = allocate(DRAWS, sizeof *values);
    double *const ratio = allocate(DRAWS * d, sizeof *ratio);
    protocol.oracle->client(&protocol, values, DRAWS, &rng, reports);
    for (size_t i = 0; i < DRAWS; i++)
        for (uint32_t v = 0; v < d; v++)
            ratio[i * d + v] = exp(protocol.oracle->log_likelihood(&protocol, v, reports + i * words) -
                                   protocol.oracle->log_likelihood(&protocol, 0, reports + i * words));
    double apart = 0, best_third = -1;
    for (size_t v = 1; v < d; v++) {
        double sum = 0;
        for (size_t i = 0; i < DRAWS; i++)
            sum += 1 - fmin(1, ratio[i * d + v]);
        apart = fmax(apart, sum / DRAWS);
        for (size_t w = 1; w < d; w++) {
            double three = 0;
            for (size_t i = 0; i < DRAWS; i++)
                three += fmin(1, fmin(ratio[i * d + v], ratio[i * d + w]));
            best_third = v != w ? fmax(best_third, three / DRAWS) : best_third;
        }
    }
    const double e = exp(overlap.epsilon), gamma = 1 / (1 + (e - 1) * overlap.one),
                 beta = ldp_overlap_alpha(&overlap) * (e - 1), common = gamma * (1 + (e - 1) * overlap.three);
    const double limit = 5 * 0.5 / sqrt(DRAWS);
    cr_expect(apart < beta + limit, "%s, d = %zu: apart %g, above %g", name, d, apart, beta);
    if (overlap.attained && !(protocol.flags & (LDP_ORACLE_SKETCH | LDP_ORACLE_UNEVEN)))
        cr_expect(apart > beta - limit, "%s, d = %zu: apart %g, below %g", name, d, apart, beta);
    if (!isnan(overlap.three) && !(protocol.flags & (LDP_ORACLE_SKETCH | LDP_ORACLE_UNEVEN | LDP_ORACLE_PUBLIC)))
        cr_expect(fabs(best_third - common) < limit, "%s, d = %zu: common %g, not %g", name, d, best_third, common);
    free(reports);
    free(values);
    free(ratio);
}

Test(shuffle, laws_of_reports, SLOW)
{
    for (size_t i = 0; ldp_oracles[i]; i++) {
        const struct ldp_protocol protocol = protocol_named(ldp_oracles[i]->name, 4, 1);
        if (!protocol.oracle->overlap || protocol.flags & LDP_ORACLE_NOT_PRIVATE)
            continue;
        check_overlap(ldp_oracles[i]->name, 4, 1);
        check_overlap(ldp_oracles[i]->name, 9, 2.5);
    }
}

/* Exact delta of x0 = 5 and x1 = 3 among two users who have x2, over all collections of three reports (index, sign). */
static double delta_among(const struct ldp_protocol *protocol, uint32_t x2, double x)
{
    enum { REPORTS = 16 };
    double p[REPORTS], share[REPORTS], total = 0;
    for (uint64_t y = 0; y < REPORTS; y++) {
        p[y] = exp(protocol->oracle->log_likelihood(protocol, x2, &y));
        share[y] = (exp(protocol->oracle->log_likelihood(protocol, 5, &y)) -
                    x * exp(protocol->oracle->log_likelihood(protocol, 3, &y))) /
                   p[y];
    }
    for (size_t y = 0; y < REPORTS * REPORTS * REPORTS; y++) {
        const size_t a = y % REPORTS, b = y / REPORTS % REPORTS, c = y / REPORTS / REPORTS;
        total += p[a] * p[b] * p[c] * fmax(0, share[a] + share[b] + share[c]) / 3;
    }
    return total;
}

/* A sign of hm supports three different values independently, the third the xor of the others too: vectors (1, x0), (1,
 * x1), (1, x2) over GF(2) do not sum to 0. So it does not matter what the others hold. */
Test(shuffle, others_who_hold_the_xor_of_two_values)
{
    struct ldp_oracle_spec spec = spec_of("hm");
    spec.param[0] = 1;
    struct ldp_protocol protocol;
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, 8, 4, NULL), LDP_OK);
    const struct ldp_overlap overlap = ldp_overlap_of(&protocol);
    for (double x = 1; x < 8; x *= 1.5) {
        const double among_xor = delta_among(&protocol, 5 ^ 3, x), lower = ldp_shuffle_delta(&overlap, 3, log(x)).lower;
        for (uint32_t x2 = 0; x2 < 8; x2++)
            if (x2 != 5 && x2 != 3)
                cr_expect_float_eq(delta_among(&protocol, x2, x), among_xor, 1e-14, "%u", x2);
        const double exact = fmax(among_xor, delta_among(&protocol, 3, x));
        cr_expect(lower < exact + 1e-9 && lower > 0.99 * exact, "%g: %.9g, not %.9g", x, lower, exact);
    }
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, 1024, 4, NULL), LDP_OK);
    const struct ldp_overlap large = ldp_overlap_of(&protocol);
    cr_expect_float_eq(ldp_shuffle_epsilon(&large, 1000000, 1e-9).lower, .0244, 5e-5);
}

/* ---- Tables ---- */

/* Blanket, d = 1024, delta = n^-1.5. */
Test(shuffle, central_epsilons)
{
    static const char *const names[] = {"generic", "grr", "sue", "oue", "olh", "ss", "hr"};
    static const struct {
        double n, local;
        const char *central[7];
    } rows[] = {
        {1e4, 0.5, {".018117", ".000672", ".012539", ".012434", ".012215", ".012442", ".012434"}},
        {1e4, 1, {".043206", ".002026", ".030690", ".029737", ".029339", ".029745", ".029744"}},
        {1e4, 4, {".41081", ".083664", ".36107", ".27885", ".27830", ".27726", ".27032"}},
        {1e6, 0.5, {".0024267", ".00010401", ".0017001", ".0016864", ".0016577", ".0016875", ".0016864"}},
        {1e6, 1, {".0056371", ".00029296", ".0040435", ".0039220", ".0038711", ".0039231", ".0039220"}},
        {1e6, 2, {".014528", ".0011700", ".011195", ".010119", ".010226", ".010123", ".010964"}},
        {1e6, 4, {".049720", ".010616", ".043983", ".034662", ".034598", ".034476", ".033667"}},
        {1e8, 1, {".00067362", ".000036641", ".00048525", ".00047086", ".00046483", ".00047099", ".00047086"}},
        {1e8, 4, {".0057968", ".0012587", ".0051346", ".0040573", ".0040499", ".0040357", ".0039420"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 7; k++) {
            const struct ldp_overlap overlap = overlap_named(names[k], 1024, rows[i].local);
            const double upper = ldp_shuffle_epsilon(&overlap, (uint64_t)rows[i].n, pow(rows[i].n, -1.5)).upper;
            const double expected = strtod(rows[i].central[k], NULL);
            cr_expect_float_eq(upper, expected, 1e-4 * expected + statistics_half_digit(rows[i].central[k]),
                               "%s, n = %g, %g: %.8g, not %s", names[k], rows[i].n, rows[i].local, upper,
                               rows[i].central[k]);
        }
}

/* Lower values over upper ones, n = 10^6; exact collections that reach the bound: grr, hr, pgr. */
Test(shuffle, lower_values)
{
    static const double local[] = {0.5, 1, 2, 4};
    static const struct {
        const char *name;
        const char *share[4];
    } rows[] = {{"oue", {".919", ".907", ".945", ".991"}},    {"olh", {".929", ".914", ".942", ".991"}},
                {"sue", {".905", ".867", ".871", ".937"}},    {"grr", {"1.000", "1.000", "1.000", "1.000"}},
                {"hr", {"1.000", "1.000", "1.000", "1.000"}}, {"pgr", {"1.000", "1.000", "1.000", "1.000"}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 4; k++) {
            const struct ldp_overlap overlap = overlap_named(rows[i].name, 1024, local[k]);
            const struct ldp_bracket epsilon = ldp_shuffle_epsilon(&overlap, 1000000, 1e-9);
            cr_expect_float_eq(epsilon.lower / epsilon.upper, strtod(rows[i].share[k], NULL),
                               statistics_half_digit(rows[i].share[k]), "%s, %g: %g", rows[i].name, local[k],
                               epsilon.lower / epsilon.upper);
        }
}

/* Local epsilon and standard deviation of a count at equal central privacy: n = 10^6, d = 1024, delta = 10^-9. The
 * upper value is up to 10^-4 above the bound, so that the local one lies between that of this budget and of one so much
 * larger. Deviations of the table's hr: below. */
Test(shuffle, local_epsilons)
{
    static const struct {
        double central;
        const char *name;
        const char *local, *deviation;
    } rows[] = {{.01, "grr", "3.942", "648"}, {.01, "oue", "1.984", "860"},  {.01, "olh", "1.976", "864"},
                {.01, "ss", "1.983", "858"},  {.01, "sue", "1.866", "1034"}, {.1, "grr", "6.332", "70.9"},
                {.1, "oue", "5.991", "100"},  {.1, "olh", "5.991", "100"},   {.1, "ss", "6.074", "84.7"},
                {.1, "sue", "5.425", "276"},  {1, "grr", "9.618", "8.43"},   {1, "oue", "10.45", "10.8"},
                {1, "olh", "10.45", "10.8"},  {1, "ss", "9.618", "8.43"},    {1, "sue", "9.555", "92.5"},
                {.01, "hr", "1.904", NULL},   {.1, "hr", "6.073", NULL}};
    static const struct {
        double central;
        const char *deviation;
    } gaussian[] = {{.01, "648"}, {.1, "71.0"}, {1, "7.77"}};
    for (size_t i = 0; i < sizeof gaussian / sizeof *gaussian; i++)
        cr_expect_float_eq(M_SQRT2 / ldp_shuffle_gaussian(gaussian[i].central, 1e-9),
                           strtod(gaussian[i].deviation, NULL), statistics_half_digit(gaussian[i].deviation));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_oracle_spec spec = spec_of(rows[i].name);
        const struct ldp_central central = {1000000, rows[i].central, 1e-9},
                                 above = {1000000, rows[i].central * (1 + 1e-4), 1e-9};
        double local, of_above;
        cr_assert_eq(ldp_shuffle_local(&spec, 1024, &central, 20, &local, NULL), LDP_OK);
        cr_assert_eq(ldp_shuffle_local(&spec, 1024, &above, 20, &of_above, NULL), LDP_OK);
        const struct ldp_protocol protocol = protocol_named(rows[i].name, 1024, local);
        const double printed = strtod(rows[i].local, NULL), half = statistics_half_digit(rows[i].local);
        cr_expect(local <= printed + half && of_above >= printed - half, "%s: %.8g to %.8g for %s", rows[i].name, local,
                  of_above, rows[i].local);
        const double deviation = sqrt(1e6 * protocol.s1);
        if (rows[i].deviation)
            cr_expect_float_eq(deviation, strtod(rows[i].deviation, NULL), statistics_half_digit(rows[i].deviation),
                               "%s: %.8g for %s", rows[i].name, deviation, rows[i].deviation);
        const struct ldp_overlap overlap = ldp_overlap_of(&protocol);
        const double upper = ldp_shuffle_epsilon(&overlap, 1000000, 1e-9).upper;
        cr_expect(upper <= rows[i].central * (1 + 1e-6) && upper >= rows[i].central * (1 - 2e-5), "%s: %.9g back",
                  rows[i].name, upper);
    }
}

/* The table's hr has 4, 256 and 2048 blocks, the last more than d = 1024 has values for, and a value shares its block
 * with 1/B of the users: that is Hadamard response with a public row, where d is large beside B. */
Test(shuffle, local_epsilons_of_blocks)
{
    static const struct {
        double central, blocks;
        const char *local, *deviation;
    } rows[] = {{.01, 4, "1.904", "1200"}, {.1, 256, "6.073", "136"}, {1, 2048, "9.792", "27.2"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_oracle_spec spec = spec_of("rhr");
        spec.param[0] = rows[i].blocks;
        double at[2], deviation[2];
        for (int k = 0; k < 2; k++) {
            const struct ldp_central central = {1000000, rows[i].central * (1 + k * 1e-4), 1e-9};
            struct ldp_protocol protocol;
            cr_assert_eq(ldp_shuffle_local(&spec, 1 << 24, &central, 20, &at[k], NULL), LDP_OK);
            cr_assert_eq(ldp_protocol_init(&protocol, &spec, 1 << 24, at[k], NULL), LDP_OK);
            deviation[k] = sqrt(1e6 * protocol.s1);
        }
        const double local = strtod(rows[i].local, NULL), half = statistics_half_digit(rows[i].local),
                     printed = strtod(rows[i].deviation, NULL), of = statistics_half_digit(rows[i].deviation);
        cr_expect(at[0] <= local + half && at[1] >= local - half, "%g: %.8g to %.8g", rows[i].central, at[0], at[1]);
        cr_expect(deviation[1] <= printed + of && deviation[0] >= printed - of, "%g: sd %.8g to %.8g", rows[i].central,
                  deviation[1], deviation[0]);
    }
}

/* The Gaussian mechanism of many users. The upper value is up to 10^-4 above the bound; and the difference of two
 * Poisson counts of n alpha has the excess kurtosis 1/(2 n alpha), which moves its quantile at z = 5 by (z^2 - 3)/24 of
 * that (Cornish and Fisher). */
Test(shuffle, many_users_are_gaussian)
{
    static const char *const names[] = {"grr", "oue", "olh", "sue", "hr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (double n = 1e6; n < 1e10; n *= 10) {
            const struct ldp_overlap overlap = overlap_named(names[i], 1024, 1.5);
            const double mu = ldp_shuffle_mu(&overlap, (uint64_t)n), epsilon = 5 * mu,
                         delta = gsl_cdf_ugaussian_Q(5 - mu / 2) - exp(epsilon) * gsl_cdf_ugaussian_Q(5 + mu / 2);
            const double upper = ldp_shuffle_epsilon(&overlap, (uint64_t)n, delta).upper;
            const double fourth = 1 / (2 * n * ldp_overlap_alpha(&overlap)), quantile = (5 * 5 - 3) * fourth / 24;
            cr_expect_float_eq(upper, epsilon, (1e-4 + quantile) * epsilon, "%s, n = %g: %g of it", names[i], n,
                               upper / epsilon);
        }
}

/* ---- Ends ---- */

Test(shuffle, ends)
{
    const struct ldp_overlap overlap = overlap_named("olh", 100, 1);
    const double beta = ldp_overlap_alpha(&overlap) * expm1(1);
    cr_expect_eq(ldp_shuffle_epsilon(&overlap, 1000, beta).upper, 0);
    cr_expect_eq(ldp_shuffle_delta(&overlap, 1000, 1).upper, 0);
    cr_expect_leq(ldp_shuffle_delta(&overlap, 2, 0).upper, beta * (1 + 1e-3));
    /* Two users hide little: not above the clients' epsilon. */
    const struct ldp_bracket two = ldp_shuffle_epsilon(&overlap, 2, 1e-9);
    cr_expect(two.upper <= 1 && two.upper > 0.9, "%g", two.upper);
    /* More users, more noise, a larger delta: each protects more. */
    double before = 1;
    for (uint64_t n = 2; n <= LDP_USERS_MAX / 8; n *= 8) {
        const struct ldp_bracket epsilon = ldp_shuffle_epsilon(&overlap, n, 1e-6);
        cr_expect(epsilon.upper <= before && epsilon.lower <= epsilon.upper, "n = %g: %g, %g before", (double)n,
                  epsilon.upper, before);
        before = epsilon.upper;
    }
    for (double local = 1e-3; local < 60; local *= 3)
        for (uint64_t n = 10; n < 1000000000000; n *= 100) {
            const struct ldp_overlap any = overlap_named("oue", 100, local);
            const struct ldp_bracket epsilon = ldp_shuffle_epsilon(&any, n, 1e-8);
            cr_expect(epsilon.lower <= epsilon.upper && epsilon.upper <= any.epsilon, "%g, n = %g: [%g, %g]", local,
                      (double)n, epsilon.lower, epsilon.upper);
        }
}

Test(shuffle, refusals)
{
    static const struct {
        const char *oracle;
        struct ldp_central central;
        const char *why;
    } rows[] = {{"grr", {1000, 0, 1e-6}, "central epsilon = 0: expected a finite number > 0"},
                {"grr", {1000, 1, 0}, "delta = 0: expected a number between 0 and 1, both excluded"},
                {"grr", {1000, 1, 1}, "delta = 1: expected a number between 0 and 1, both excluded"},
                {"grr", {1, 1, 1e-6}, "n = 1: expected 2 users or more to shuffle"},
                {"exact", {1000, 1, 1e-6}, "exact is not private, whatever is shuffled"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_oracle_spec spec = spec_of(rows[i].oracle);
        struct ldp_reason reason = {{0}};
        double local;
        cr_expect_eq(ldp_shuffle_local(&spec, 10, &rows[i].central, 20, &local, &reason), LDP_EINVAL);
        cr_expect_str_eq(reason.text, rows[i].why);
    }
}

/* A billion users in below 2 ms of a processor, upper and lower value; the least of twenty times. */
Test(shuffle, fast)
{
    double least = INFINITY;
    const struct ldp_overlap overlap = overlap_named("olh", 1024, 1);
    for (int i = 0; i < 20; i++) {
        const clock_t start = clock();
        cr_assert(ldp_shuffle_epsilon(&overlap, 1000000000, 1e-12).upper > 0);
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
    cr_expect(least < 2e-3, "%g s", least);
#endif
}

/* test_flh.c - fast local hashing: what sharing k hash functions costs, and what linear leaves of it. */
#include "hashing/hash.h"
#include "laws/interval.h"
#include "ldp.h"
#include "oracles/linear.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ldp_protocol protocol_of(const char *name, double param, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name),
                                         .param = {param, strcmp(name, "flh") == 0}}; /* decode published */
    return make_protocol(&spec, d, epsilon);
}

/* The mean over the domain of the stated variance. */
static double mean_of(const struct ldp_protocol *protocol, const struct ldp_population *population)
{
    double *const variance = malloc(population->d * sizeof *variance);
    ldp_variance(protocol, &population->histogram, variance);
    double sum = 0;
    for (size_t v = 0; v < population->d; v++)
        sum += variance[v] / (double)population->d;
    free(variance);
    return sum;
}

static double mean_variance(const char *name, double param, const struct ldp_population *population, double epsilon)
{
    const struct ldp_protocol protocol = protocol_of(name, param, population->d, epsilon);
    return mean_of(&protocol, population);
}

static struct ldp_population *zipf(size_t d, double n, double s)
{
    uint64_t *const counts = malloc(d * sizeof *counts);
    double sum = 0;
    for (size_t v = 0; v < d; v++)
        sum += pow((double)(v + 1), -s);
    for (size_t v = 0; v < d; v++)
        counts[v] = (uint64_t)(n * pow((double)(v + 1), -s) / sum + 0.5);
    struct ldp_population *const population = make_population(counts, d);
    free(counts);
    return population;
}

/* MSE of flh over that of olh, known from elsewhere (the greatest without the f-term, which makes 0.4 %): 10,000
 * functions are as good as fresh ones for n = 10^5 only. */
Test(flh, ratio_to_olh)
{
    static const struct {
        double s, n, epsilon, k, ratio, rounding;
    } rows[] = {{1.1, 1e5, 3, 10000, 1.11, 0.005},
                {1.1, 1e6, 3, 10000, 2.08, 0.005},
                {1.1, 1e5, 3, 500, 3.2, 0.05},
                {1.1, 1e6, 3, 500, 22.6, 0.1},
                {1.5, 1e6, 1, 10000, 2.67, 0.005}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_population *const population = zipf(1024, rows[i].n, rows[i].s);
        const double ratio = mean_variance("flh", rows[i].k, population, rows[i].epsilon) /
                             mean_variance("olh", NAN, population, rows[i].epsilon);
        cr_expect_float_eq(ratio, rows[i].ratio, rows[i].rounding, "row %zu: %g", i, ratio);
        ldp_population_free(population);
    }
}

/* With the functions held fixed the estimate is biased, by n_v / ((g-1) k) times a whole number of collisions; with new
 * ones in each collection it is not. */
Test(flh, biased_given_its_functions)
{
    enum { D = 12, R = 2000 };
    static const uint64_t counts[D] = {5000, 900, 400, 200, 100};
    struct ldp_population *const population = make_population(counts, D);
    struct ldp_protocol protocol = protocol_of("flh", 8, D, 1);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = malloc(simulation.scratch_bytes);
    struct ldp_rng rng = make_stream(statistics_seed(13), "flh", 0);
    double mean[2][D] = {{0}}, square[2][D] = {{0}};
    const double n = (double)population->n;
    for (size_t r = 0; r < 2 * R; r++) {
        const size_t fresh = r % 2;
        double support[D + 4];
        if (fresh)
            ldp_simulate(&simulation, &rng, scratch, support);
        else {
            protocol.public_seed = 4;
            protocol.oracle->counts(&protocol, &population->histogram, simulation.plan, &rng, scratch, support);
        }
        double est[D];
        ldp_estimate(&protocol, population->n, support, NULL, est);
        for (size_t v = 0; v < D; v++) {
            const double error = n * est[v] - (double)counts[v];
            mean[fresh][v] += error / R;
            square[fresh][v] += error * error / R;
        }
    }
    size_t biased = 0;
    for (size_t v = 0; v < D; v++) {
        const double fixed = sqrt((square[0][v] - mean[0][v] * mean[0][v]) / R), fresh = sqrt(square[1][v] / R);
        biased += fabs(mean[0][v]) > 10 * fixed;
        cr_expect(fabs(mean[1][v]) < statistics_z_bound(D) * fresh, "value %zu: bias %g", v, mean[1][v]);
    }
    cr_expect_gt(biased, D / 2);
    free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}

static double g_of(const char *name, double k, size_t d, double epsilon)
{
    return round(1 / protocol_of(name, k, d, epsilon).q);
}

/* The state stays within bounds at any budget. */
Test(flh, size_of_the_hashed_domain)
{
    cr_expect_eq(g_of("flh", 10000, 100, 1), 4);
    cr_expect_eq(g_of("flh", 10000, 100, 3), 21);
    cr_expect_eq(g_of("flh", 10000, 100, 5), 149);
    cr_expect_eq(g_of("flh", 10000, 100, 50), 209);
    cr_expect_eq(g_of("flh", 1, 100, 50), 65536);
    cr_expect_eq(g_of("flh", 1 << 20, 100, 50), 2);
}

/* Values with more users than there are functions, and with fewer: the same support in total as the reports give. */
Test(flh, every_report_is_counted)
{
    static const uint64_t counts[3] = {1000, 3, 0};
    struct ldp_population *const population = make_population(counts, 3);
    const struct ldp_protocol protocol = protocol_of("flh", 5, 3, 4);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    uint64_t *const N = malloc(simulation.scratch_bytes);
    struct ldp_rng rng = make_stream(14, "flh", 0);
    for (int r = 0; r < 20; r++) {
        double support[3 + 4];
        ldp_simulate(&simulation, &rng, N, support);
        uint64_t reports = 0;
        for (size_t i = 0; i < 5 * 56 /* k g, g = round(e^4) + 1 */; i++)
            reports += N[i];
        cr_expect_eq(reports, 1003);
    }
    free(N);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}

/* ---- decode = linear ---- */

/* A population of d values by name: a Zipf exponent, a plateau of a quarter of the domain, two values, one of nine
 * users in ten (heavy). */
static struct ldp_population *population_named(const char *name, size_t d, double n)
{
    if (!strchr("pth", name[0]))
        return zipf(d, n, strtod(name, NULL));
    uint64_t *const counts = calloc(d, sizeof *counts);
    for (size_t v = 0; v < d && name[0] == 'h'; v++)
        counts[v] = (uint64_t)(n * (v ? 0.1 / ((double)d - 1) : 0.9));
    for (size_t v = 0; v < d / 4 && name[0] != 'h'; v++)
        counts[v] = name[0] == 'p' ? (uint64_t)n / (d / 4) : v < 2 ? (uint64_t)(n * (v ? 0.4 : 0.6)) : 0;
    struct ldp_population *const population = make_population(counts, d);
    free(counts);
    return population;
}

struct held {
    double mse, mse_error, stated, predicted; /* in units of s1 of olh / n */
    double one, one_error, half, half_bias;   /* shares of intervals; the bias in standard errors */
};

static struct held hold_linear(size_t d, double users, double k, double epsilon, const char *name, size_t R)
{
    struct ldp_population *const population = population_named(name, d, users);
    struct ldp_oracle_spec spec = default_oracle("flh");
    spec.param[0] = k;
    const struct ldp_protocol protocol = make_protocol(&spec, d, epsilon);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = calloc(simulation.scratch_bytes, 1);
    double *const support = calloc(protocol.support_size, sizeof *support), *const est = calloc(d, sizeof *est);
    int64_t *const work = calloc(ldp_set_interval_bytes(d), 1);
    uint32_t *const member = calloc(d / 2, sizeof *member);
    struct ldp_rng rng = make_stream(statistics_seed(21), name, (uint64_t)k);
    const double n = (double)population->n, p = protocol.p, q = protocol.q,
                 unit = q * (1 - q) / ((p - q) * (p - q) * n);
    struct held held = {0};
    double square = 0, one_square = 0, bias = 0, bias_square = 0;
    ldp_variance(&protocol, &population->histogram, est);
    for (size_t v = 0; v < d; v++)
        held.predicted += est[v] / n / n / unit / (double)d;
    for (size_t r = 0; r < R; r++) {
        ldp_simulate(&simulation, &rng, scratch, support);
        ldp_estimate(&protocol, population->n, support, NULL, est);
        const struct ldp_collection collection = {&protocol, population->n, support, est};
        const struct ldp_protocol observed = ldp_observed(&collection, NULL);
        const struct ldp_collection known = {&observed, population->n, support, est};
        double mean = 0, inside = 0, f = 0, total = 0, low, high;
        for (size_t v = 0; v < d; v++) {
            const struct ldp_variance_terms spread = ldp_variance_terms_of(&observed, v);
            ldp_score_interval(&spread, n, 1.959963985, est[v], &low, &high);
            inside += (low <= population->f[v] && population->f[v] <= high) / (double)d;
            mean += (est[v] - population->f[v]) * (est[v] - population->f[v]) / unit / (double)d;
            const double at = fmax(est[v], 0);
            held.stated += (spread.s1 + spread.tf * at + spread.square * at * at) / n / unit / (double)(d * R);
        }
        for (size_t i = 0; i < d / 2; i++) { /* every second value; the first and second of two are apart */
            member[i] = (uint32_t)(2 * i + r % 2);
            f += population->f[member[i]];
            total += est[member[i]] - population->f[member[i]];
        }
        ldp_set_interval(&known, 0.95, member, d / 2, work, &low, &high);
        total *= r % 2 ? -1 : 1; /* the sum is known: one half is too low as the other is too high */
        held.half += (low <= f && f <= high) / (double)R;
        held.mse += mean / (double)R, square += mean * mean / (double)R;
        held.one += inside / (double)R, one_square += inside * inside / (double)R;
        bias += total / (double)R, bias_square += total * total / (double)R;
    }
    const double left = (double)R - 1;
    held.mse_error = sqrt((square - held.mse * held.mse) / left);
    held.one_error = sqrt((one_square - held.one * held.one) / left);
    held.half_bias = bias / sqrt((bias_square - bias * bias) / left);
    free(member), free(work), free(est), free(support), free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
    return held;
}

/* The error, over that of olh with f = 0, that an independent program has found where it is given. */
Test(flh, linear_has_the_error_it_states, SLOW)
{
    static const struct {
        size_t d;
        double n, k, epsilon;
        const char *population;
        double mse;
        size_t repetitions;
    } rows[] = {
        {64, 1e6, 100, 2, "0", 1.088, 200},     {64, 1e6, 100, 2, "0.01", 1.088, 200},
        {64, 1e6, 100, 2, "0.5", NAN, 200},     {64, 1e6, 100, 2, "1.5", .923, 200},
        {64, 1e6, 100, 2, "plateau", NAN, 200}, {64, 1e6, 100, 2, "two", .754, 200},
        {256, 1e6, 200, 1, "0.5", 1.706, 60},   {256, 1e7, 1000, 1, "0", 1.083, 40},
        {64, 5000, 64, 4, "1", .981, 200},      {100, 20000, 10000, 1, "1", .972, 40},
        {100, 1e6, 16, 4, "0", NAN, 200},       {100, 1e8, 16, 4, "two", NAN, 200},
        {64, 1e8, 100, 2, "1.5", .923, 100},    {100, 2000, 1000, 1, "1", .986, 100},
        {256, 1e8, 200, 1, "1.5", NAN, 60},     {100, 1e6, 1000, 1, "1.5", .99, 60},
        {1024, 1e7, 10000, 1, "0", .988, 4},    {85, 1300, 1000, 4, "heavy", NAN, 200},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    const double limit = statistics_z_bound(5 * ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const struct held held =
            hold_linear(rows[i].d, rows[i].n, rows[i].k, rows[i].epsilon, rows[i].population, rows[i].repetitions);
        const double R = (double)rows[i].repetitions, near = limit * held.mse_error;
        cr_expect(fabs(held.mse - held.stated) < near + 0.05 * held.mse, "row %zu: %g, stated %g", i, held.mse,
                  held.stated);
        cr_expect(fabs(held.mse - held.predicted) < near + 0.05 * held.mse, "row %zu: %g, predicted %g", i, held.mse,
                  held.predicted);
        cr_expect(isnan(rows[i].mse) || fabs(held.mse - rows[i].mse) < near + 0.02, "row %zu: %g, not %g", i, held.mse,
                  rows[i].mse);
        cr_expect(held.one > 0.95 - limit * held.one_error - 0.01, "row %zu: intervals of one hold %g", i, held.one);
        cr_expect(held.half > 0.95 - limit * sqrt(0.05 * 0.95 / R), "row %zu: of half %g", i, held.half);
        cr_expect(fabs(held.half_bias) < limit, "row %zu: bias of half, z = %g", i, held.half_bias);
    }
}

/* Of few users the functions cost published less than linear, which would have 1.6 and 1.2 times olh's error. */
Test(flh, few_users_are_decoded_as_published)
{
    static const struct {
        size_t d;
        double k;
    } rows[] = {{256, 200}, {1024, 2000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct held held = hold_linear(rows[i].d, 1e4, rows[i].k, 1, "0.5", 40);
        cr_expect(held.mse < 1.1, "row %zu: %g", i, held.mse);
        cr_expect(fabs(held.mse - held.predicted) < 4 * held.mse_error, "row %zu: %g, predicted %g", i, held.mse,
                  held.predicted);
    }
}

/* Solves M x = b by elimination; M and b are overwritten. */
static void solve(size_t d, double *M, double *b)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = i + 1; j < d; j++) {
            const double factor = M[j * d + i] / M[i * d + i];
            for (size_t l = i; l < d; l++)
                M[j * d + l] -= factor * M[i * d + l];
            b[j] -= factor * b[i];
        }
    for (size_t i = d; i-- > 0;) {
        for (size_t l = i + 1; l < d; l++)
            b[i] -= M[i * d + l] * b[l];
        b[i] /= M[i * d + i];
    }
}

/* The law of a set against the inverse of the information, for the functions of a collection. */
Test(flh, linear_law_is_the_inverse_of_the_information)
{
    enum { DOMAIN = 32, SUPPORT = 4 * DOMAIN + 4 };
    static const struct {
        double k, epsilon;
        const char *population;
    } rows[] = {{60, 1, "0"}, {60, 1, "1.5"}, {60, 1, "two"}, {40, 4, "1.5"}, {40, 4, "two"}, {40, 4, "plateau"}};
    const double n = 1e9;
    for (size_t c = 0; c < sizeof rows / sizeof *rows; c++) {
        struct ldp_population *const population = population_named(rows[c].population, DOMAIN, n);
        struct ldp_oracle_spec spec = default_oracle("flh");
        spec.param[0] = rows[c].k;
        const struct ldp_protocol protocol = make_protocol(&spec, DOMAIN, rows[c].epsilon);
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        void *const scratch = calloc(simulation.scratch_bytes, 1);
        double support[SUPPORT], est[DOMAIN], M[DOMAIN * DOMAIN] = {0};
        struct ldp_rng rng = make_stream(22, "flh", c);
        ldp_simulate(&simulation, &rng, scratch, support);
        ldp_estimate(&protocol, population->n, support, NULL, est);
        const struct ldp_protocol observed =
            ldp_observed(&(struct ldp_collection){&protocol, population->n, support, est}, NULL);
        const uint32_t g = (uint32_t)round(1 / protocol.q);
        const double e = exp(rows[c].epsilon), kept = (e - 1) / (e + g - 1);
        for (uint64_t j = 0; j < (uint64_t)rows[c].k; j++) {
            double cell[64] = {0};
            uint32_t at[DOMAIN];
            for (uint32_t v = 0; v < DOMAIN; v++) {
                at[v] = ldp_hash(ldp_hash_seed(observed.public_seed, j), v, g);
                cell[at[v]] += kept * population->f[v];
            }
            for (size_t v = 0; v < DOMAIN; v++)
                for (size_t w = 0; w < DOMAIN; w++)
                    M[v * DOMAIN + w] += at[v] == at[w] ? kept * kept / (1 / (e + g - 1) + cell[at[v]]) / rows[c].k : 0;
        }
        double worst = 0, mean = 0;
        for (size_t set = 0; set < 2 * DOMAIN; set++) { /* single values, then half the domain */
            double copy[DOMAIN * DOMAIN], x[DOMAIN], s[DOMAIN], indicator[DOMAIN], f = 0, own = 0, part = 0, all = 0;
            uint32_t member[DOMAIN];
            size_t size = 0;
            for (uint32_t v = 0; v < DOMAIN; v++) {
                const bool in = set < DOMAIN ? v == set : ldp_hash(set, v, 2) == 0;
                x[v] = indicator[v] = in;
                s[v] = 1;
                if (in)
                    member[size++] = v, f += population->f[v];
            }
            memcpy(copy, M, sizeof M), solve(DOMAIN, copy, x);
            memcpy(copy, M, sizeof M), solve(DOMAIN, copy, s);
            for (size_t v = 0; v < DOMAIN; v++)
                own += indicator[v] * x[v], part += indicator[v] * s[v], all += s[v];
            const double exact = own - part * part / all - f * (1 - f);
            const struct ldp_variance_terms spread =
                ldp_set_variance_terms(&observed, 0, member, size, population->f, NULL);
            const double ratio = (spread.s1 + spread.tf * f + spread.square * f * f) / exact;
            mean += ratio / (2 * DOMAIN);
            worst = fmax(worst, fabs(ratio - 1));
        }
        cr_expect(fabs(mean - 1) < 0.06, "row %zu: mean ratio %g", c, mean);
        cr_expect(worst < 0.6, "row %zu: off by %g", c, worst);
        free(scratch);
        ldp_simulation_clear(&simulation);
        ldp_population_free(population);
    }
}

/* With fewer cells than values: the error over that of olh, which published has 6 to 6600 times, and what is stated of
 * it. */
Test(flh, amp_where_functions_are_few)
{
    static const struct {
        size_t d;
        double k, epsilon, n, s, most;
        uint64_t times;
    } rows[] = {{256, 60, 1, 1e6, 1.5, 1.6, 60},
                {256, 110, 1, 2e4, 0, 1.05, 60},
                {256, 110, 1, 2e4, 1.1, 1.2, 60},
                {1024, 30, 4, 1e5, 1.5, 1.2, 30},
                {4096, 16, 4, 1e6, 0, 1.03, 6}};
    for (size_t c = 0; c < sizeof rows / sizeof *rows; c++) {
        struct ldp_population *const population = zipf(rows[c].d, rows[c].n, rows[c].s);
        struct ldp_oracle_spec spec = default_oracle("flh");
        spec.param[0] = rows[c].k;
        const struct ldp_protocol protocol = make_protocol(&spec, rows[c].d, rows[c].epsilon);
        const double d = (double)rows[c].d, n = (double)population->n;
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        void *const scratch = malloc(simulation.scratch_bytes);
        double *const support = malloc(protocol.support_size * sizeof *support),
                      *const est = malloc(rows[c].d * sizeof *est), sum = 0, squares = 0, stated = 0, known = 0,
                      of_known = 0;
        for (uint64_t i = 0; i < rows[c].times; i++) {
            struct ldp_rng rng = make_stream(statistics_seed(23), "few functions", 1000 * c + i);
            double error = 0;
            ldp_simulate(&simulation, &rng, scratch, support);
            ldp_estimate(&protocol, population->n, support, NULL, est);
            for (size_t v = 0; v < rows[c].d; v++)
                error += n * (est[v] - population->f[v]) * (est[v] - population->f[v]) / d;
            sum += error;
            squares += error * error;
            struct ldp_support_finding finding;
            cr_expect_eq(ldp_support_possible(&protocol, population->n, support, &finding), LDP_OK, "%s",
                         finding.reason.text);
            const struct ldp_protocol law =
                ldp_observed(&(struct ldp_collection){&protocol, population->n, support, est}, NULL);
            if (!law.law.known)
                continue;
            known++;
            stated += law.s1 + protocol.tf / d;
            of_known += error;
        }
        const double R = (double)rows[c].times, mean = sum / R, error = sqrt((squares / R - mean * mean) / R),
                     before = mean_of(&protocol, population) / n,
                     olh = default_protocol("olh", rows[c].d, rows[c].epsilon).s1;
        cr_expect(mean - 4 * error < rows[c].most * olh, "%zu: %g of olh's", c, mean / olh);
        cr_expect(known >= 2. / 3 * R, "%zu: %g of %g settled", c, known, R);
        cr_expect(fabs(stated / of_known - 1) < 0.1 + 4 * error / mean, "%zu: stated %g of it", c, stated / of_known);
        cr_expect(fabs(before / mean - 1) < 0.1 + 4 * error / mean, "%zu: stated %g of it before", c, before / mean);
        free(est);
        free(support);
        free(scratch);
        ldp_simulation_clear(&simulation);
        ldp_population_free(population);
    }
}

/* Few users of each function: sums of cells that had all been rounded alike were off by five standard deviations. */
Test(flh, frequent_values_with_few_users_of_a_function)
{
    enum { DOMAIN = 256, SUPPORT = 4 * DOMAIN + 4, TIMES = 30 };
    static const double users[] = {5e3, 5e4};
    for (size_t c = 0; c < 2; c++) {
        struct ldp_population *const population = population_named("two", DOMAIN, users[c]);
        const struct ldp_protocol protocol = default_protocol("flh", DOMAIN, 4);
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        void *const scratch = malloc(simulation.scratch_bytes);
        double support[SUPPORT], est[DOMAIN], squares = 0;
        for (uint64_t i = 0; i < TIMES; i++) {
            struct ldp_rng rng = make_stream(statistics_seed(24), "few users", TIMES * c + i);
            ldp_simulate(&simulation, &rng, scratch, support);
            ldp_estimate(&protocol, population->n, support, NULL, est);
            const struct ldp_protocol law =
                ldp_observed(&(struct ldp_collection){&protocol, population->n, support, est}, NULL);
            const double f = population->f[0], off = est[0] - f;
            squares += users[c] * off * off / (ldp_law_s1(&law, 0) + law.law.tf * f * (1 - f)) / TIMES;
        }
        cr_expect(squares < 1 + 4 * sqrt(2. / TIMES), "n = %g: %g times the stated variance", users[c], squares);
        free(scratch);
        ldp_simulation_clear(&simulation);
        ldp_population_free(population);
    }
}

/* As many functions as cost five per cent; fewer than two degrees of freedom for an unknown are decoded by amp, and
 * said. */
Test(flh, number_of_functions)
{
    struct ldp_population *const population = zipf(64, 1e5, 1);
    struct ldp_oracle_spec spec = default_oracle("flh");
    struct ldp_reason reason;
    double k;
    spec.param[0] = NAN;
    cr_assert_eq(ldp_sketch_fit(&spec, 2, &population->histogram, &k, &reason), LDP_OK);
    cr_expect_eq(k, ceil(21 * 63. / 7));
    spec.param[0] = k;
    struct ldp_protocol protocol = make_protocol(&spec, 64, 2);
    const struct ldp_protocol olh = default_protocol("olh", 64, 2);
    cr_expect_float_eq(protocol.s1 / olh.s1, 1.05, 0.001);
    cr_expect_eq(protocol.oracle->remark(&protocol, 1000, &reason), LDP_FIT);
    spec.param[0] = 17;
    protocol = make_protocol(&spec, 64, 2);
    cr_expect_eq(protocol.oracle->remark(&protocol, 1000, &reason), LDP_NOTE);
    cr_expect_str_eq(reason.text, "k = 17 is decoded by amp: linear needs 18 functions for d = 64");
    spec.param[0] = 18;
    protocol = make_protocol(&spec, 64, 2);
    cr_expect_eq(protocol.oracle->remark(&protocol, 1000, &reason), LDP_FIT);
    ldp_population_free(population);
}

/* ---- olh by likelihood ---- */

/* Mean squared errors of methods by an oracle, over R collections. */
static void errors_of(const struct ldp_oracle_spec *spec, const struct ldp_population *population, double epsilon,
                      size_t R, const struct ldp_method_spec *methods, size_t m, double *mean, double *error)
{
    const struct ldp_query_spec query = {.query = ldp_query_find("full_domain"), .npoints = 1};
    const struct ldp_protocol protocol = make_protocol(spec, population->d, epsilon);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    struct ldp_evaluation *evaluation;
    void *const scratch = calloc(simulation.scratch_bytes, 1);
    double *const support = calloc(protocol.support_size, sizeof *support),
                  *const est = calloc(population->d, sizeof *est), *const out = calloc(m, sizeof *out);
    struct ldp_rng rng = make_stream(statistics_seed(22), spec->oracle->name, (uint64_t)epsilon);
    cr_assert_eq(ldp_evaluation_new(methods, m, &query, 1, population->d, &evaluation), LDP_OK);
    for (size_t i = 0; i < m; i++)
        mean[i] = error[i] = 0;
    for (size_t r = 0; r < R; r++) {
        ldp_simulate(&simulation, &rng, scratch, support);
        ldp_estimate(&protocol, population->n, support, NULL, est);
        const struct ldp_collection collection = {&protocol, population->n, support, est};
        const struct ldp_protocol observed = ldp_observed(&collection, NULL);
        const struct ldp_collection known = {&observed, population->n, support, est};
        ldp_evaluate(evaluation, &known, population, &rng, out);
        for (size_t i = 0; i < m; i++) {
            mean[i] += out[i] / (double)R;
            error[i] += out[i] * out[i] / (double)R;
        }
    }
    for (size_t i = 0; i < m; i++)
        error[i] = sqrt((error[i] - mean[i] * mean[i]) / (double)(R - 1)) / mean[i];
    ldp_evaluation_free(evaluation);
    free(scratch), free(support), free(est), free(out);
    ldp_simulation_clear(&simulation);
}

/* Errors of base, power_ns and mix over those of support counts, by another program from reports with a seed for each
 * user, to .03: with a public list of seeds they are the same. */
Test(flh, olh_by_likelihood)
{
    static const struct {
        double n, s, epsilon, ratio[3];
        size_t R;
    } rows[] = {{5000, 1.5, 2, {.85, .92, .91}, 100},
                {5000, 1.5, 4, {.69, .83, .82}, 100},
                {5000, 1.1, 2, {.93, .98, .99}, 100},
                {5000, 1.1, 4, {.79, .89, .89}, 100},
                {20000, 1.5, 1, {.96, 1.02, 1.01}, 60}};
    struct ldp_method_spec methods[3] = {{.method = ldp_method_find("base")},
                                         {.method = ldp_method_find("power_ns")},
                                         {.method = ldp_method_find("mix")}};
    struct ldp_oracle_spec support = default_oracle("olh"), likelihood = support;
    struct ldp_protocol protocol = default_protocol("olh", 256, 2);
    for (size_t i = 0; i < 3; i++)
        ldp_params_default(methods[i].method->params, methods[i].param);
    likelihood.param[2] = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_population *const population = zipf(256, rows[i].n, rows[i].s);
        double added[3], added_error[3], found[3], found_error[3];
        errors_of(&support, population, rows[i].epsilon, rows[i].R, methods, 3, added, added_error);
        errors_of(&likelihood, population, rows[i].epsilon, rows[i].R, methods, 3, found, found_error);
        for (size_t k = 0; k < 3; k++) {
            const double ratio = found[k] / added[k], error = hypot(ratio * hypot(added_error[k], found_error[k]), .03);
            cr_expect(fabs(ratio - rows[i].ratio[k]) < statistics_z_bound(15) * error, "row %zu, %s: %.3f, not %.2f", i,
                      methods[k].method->name, ratio, rows[i].ratio[k]);
        }
        ldp_population_free(population);
    }
    struct ldp_reason reason;
    likelihood.param[0] = 4;
    cr_expect_eq(ldp_protocol_init(&protocol, &likelihood, 256, 2, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "decode = likelihood: expected the default g, and no attack_weight");
    likelihood.param[0] = NAN;
    cr_expect_eq(ldp_protocol_init(&protocol, &likelihood, 100000, 1, &reason), LDP_OK);
    cr_expect_eq(protocol.param[0], 524288); /* k, as many functions as there may be */
    struct ldp_oracle_spec hm = default_oracle("hm");
    hm.param[0] = 3;
    hm.param[1] = 2;
    cr_expect_eq(ldp_protocol_init(&protocol, &hm, 100, 2, &reason), LDP_EINVAL);
    cr_expect_not_null(strstr(reason.text, "expected t = 1, got 3: words of signs are local hashing, which flh"), "%s",
                       reason.text);
}

/* Errors over olh's, d = 256, n = 10^6, epsilon = 1, by another program, to two digits: of few functions by amp, of 200
 * by the linear model. */
Test(flh, errors_of_few_functions)
{
    enum { R = 10 };
    static const struct {
        double k, s, ratio;
    } rows[] = {{60, 0, 1.04},    {60, 1.1, 1.65}, {60, 1.5, 1.4},  {110, 0, 1.0},  {110, 1.1, 1.3},
                {110, 1.5, 1.15}, {200, 0, 1.8},   {200, 1.1, 1.6}, {200, 1.5, 1.8}};
    const struct ldp_method_spec base = {.method = ldp_method_find("base")};
    const double olh = default_protocol("olh", 256, 1).s1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_population *const population = zipf(256, 1e6, rows[i].s);
        struct ldp_oracle_spec spec = default_oracle("flh");
        double found, error;
        spec.param[0] = rows[i].k;
        errors_of(&spec, population, 1, R, &base, 1, &found, &error);
        const double ratio = found * (double)population->n / olh;
        cr_expect(fabs(ratio - rows[i].ratio) < statistics_z_bound(9) * rows[i].ratio * hypot(error, .05),
                  "k = %g, s = %g: %.3f, not %.2f", rows[i].k, rows[i].s, ratio, rows[i].ratio);
        ldp_population_free(population);
    }
}

/* A design of functions that counts the products with it. */
struct products {
    size_t d, k, g;
    uint64_t seed;
    int spread, collect;
};

static void count_spread(void *context, double *x, double *cells)
{
    struct products *const of = context;
    of->spread++;
    memset(cells, 0, of->k * of->g * sizeof *cells);
    for (size_t j = 0; j < of->k; j++)
        for (size_t v = 0; v < of->d; v++)
            cells[j * of->g + ldp_hash(ldp_hash_seed(of->seed, j), (uint32_t)v, (uint32_t)of->g)] += x[v];
}

static void count_collect(void *context, double *cells, double *x)
{
    struct products *const of = context;
    of->collect++;
    memset(x, 0, of->d * sizeof *x);
    for (size_t j = 0; j < of->k; j++)
        for (size_t v = 0; v < of->d; v++)
            x[v] += cells[j * of->g + ldp_hash(ldp_hash_seed(of->seed, j), (uint32_t)v, (uint32_t)of->g)];
}

/* What decoding costs is products with the design: two values, 256 values in all and 2.4 degrees of freedom for each,
 * needed 22 of them, and 8 where there are 29. The frequent values are within four standard deviations. */
Test(flh, products_of_a_descent)
{
    enum { DOMAIN = 256, G = 4, USERS = 1000000 };
    static const struct {
        size_t k;
        int most;
    } rows[] = {{200, 17}, {2500, 7}};
    for (size_t c = 0; c < sizeof rows / sizeof *rows; c++) {
        const size_t k = rows[c].k, cells = k * G;
        const double kept = (exp(1) - 1) / (exp(1) + 3), degrees = (double)k * (G - 1);
        struct products of = {DOMAIN, k, G, 7, 0, 0};
        const struct ldp_linear model = {DOMAIN, k, G, kept, (1 - kept) / G, degrees, &of, count_spread, count_collect};
        double *const counts = malloc(cells * sizeof *counts), *const users = malloc(k * sizeof *users);
        double x[DOMAIN] = {0.6, 0.4}, own[DOMAIN], shared[DOMAIN];
        struct ldp_linear_law law = {own, shared, 0, 0};
        struct ldp_rng rng = make_stream(statistics_seed(25), "products", c);
        count_spread(&of, x, counts);
        for (size_t i = 0; i < cells; i++) { /* a normal number of variance 1 by twelve uniform ones */
            const double mean = USERS / (double)k * (model.rest + kept * counts[i]);
            double noise = -6;
            for (int u = 0; u < 12; u++)
                noise += ldp_rng_uniform(&rng);
            counts[i] = mean + sqrt(mean) * noise;
            users[i / G] = (i % G ? users[i / G] : 0) + counts[i];
        }
        for (size_t v = 0; v < DOMAIN; v++)
            x[v] += 0.03 * (v % 2 ? 1 : -1); /* as far off as published */
        of.spread = of.collect = 0;
        void *const scratch = malloc(ldp_linear_bytes(&model));
        ldp_linear_fit(&model, users, counts, scratch, x, &law);
        cr_expect(of.spread + of.collect <= rows[c].most, "k = %zu: %d products", k, of.spread + of.collect);
        for (size_t v = 0; v < 2; v++) {
            const double f = v ? 0.4 : 0.6, sd = sqrt(ldp_linear_variance(&law, own[v], shared[v], f) / USERS);
            cr_expect(fabs(x[v] - f) < 4 * sd, "k = %zu: value %zu is off by %g sd", k, v, (x[v] - f) / sd);
        }
        free(scratch);
        free(users);
        free(counts);
    }
}

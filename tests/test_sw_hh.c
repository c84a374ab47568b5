/* test_sw_hh.c - half square wave, half tree: distances of the facts sheet, and what joint_pen is the maximum of. */
#include "laws/interval.h"
#include "ldp.h"
#include "ordinal/levels.h"
#include "ordinal/sw_hh.h"
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { D = 128 };

/* The rounded counts of Beta(5, 2), by the density at the middles of cells. */
static uint64_t beta52(uint64_t counts[D])
{
    double p[D], sum = 0;
    uint64_t n = 0;
    for (size_t v = 0; v < D; v++) {
        const double x = ((double)v + 0.5) / D;
        sum += p[v] = pow(x, 4) * (1 - x);
    }
    for (size_t v = 0; v < D; v++)
        n += counts[v] = (uint64_t)(1e5 * p[v] / sum + 0.5);
    return n;
}

static void fit(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, struct ldp_rng *rng,
                double *support, double *out)
{
    const struct ldp_method_spec spec = {.method = ldp_method_find("joint_pen")};
    void *const scratch =
        malloc(ldp_collect_scratch(protocol, histogram, LDP_COUNTS) + ldp_postprocess_scratch(&spec, protocol->d));
    ldp_collect(protocol, histogram, LDP_COUNTS, rng, scratch, support);
    ldp_postprocess(&spec, &(struct ldp_collection){protocol, histogram->n, support, NULL}, scratch, out);
    free(scratch);
}

/* Wasserstein and Kolmogorov-Smirnov distance of 40 collections at epsilon = 1: 5.05e-3 and 1.49e-2, each with 4 % of
 * standard error (facts, sec. 9). */
Test(sw_hh, distances_on_beta, SLOW)
{
    enum { R = 40 };
    static const double expected[2] = {5.05e-3, 1.49e-2};
    const struct ldp_oracle_spec spec = default_oracle("sw_hh");
    const struct ldp_protocol protocol = make_protocol(&spec, D, 1);
    uint64_t counts[D];
    const struct ldp_histogram histogram = {D, beta52(counts), counts};
    double *const support = malloc(protocol.support_size * sizeof *support);
    double sum[2] = {0}, squares[2] = {0}, out[D];
    struct ldp_rng rng;
    ldp_rng_stream(&rng, statistics_seed(1), "sw_hh", 0);
    for (size_t r = 0; r < R; r++) {
        double gap = 0, of[2] = {0};
        fit(&protocol, &histogram, &rng, support, out);
        for (size_t v = 0; v < D; v++) {
            gap += out[v] - (double)counts[v] / (double)histogram.n;
            of[0] += fabs(gap) / D;
            of[1] = fmax(of[1], fabs(gap));
        }
        for (size_t i = 0; i < 2; i++) {
            sum[i] += of[i] / R;
            squares[i] += of[i] * of[i] / R;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        const double error = hypot(sqrt((squares[i] - sum[i] * sum[i]) / R), 0.04 * expected[i]);
        cr_expect_float_eq(sum[i], expected[i], 4 * error, "%g, not %g", sum[i], expected[i]);
    }
    free(support);
}

/* What the log likelihood of both halves gains by f_v, by the whole matrix of the channel and all nodes. */
static void slopes(const struct ldp_protocol *protocol, const double *support, const double *f, double *slope)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    double omega[LDP_LEVELS_MAX], x[4 * D];
    const double *const of_tree = support + halves.wave.support_size;
    const struct ldp_tree tree = ldp_tree_of(protocol->d, ldp_levels_of(&halves.tree).B);
    for (size_t v = 0; v < protocol->d; v++)
        slope[v] = 0;
    for (uint64_t j = 0; j < halves.wave.support_size; j++) {
        double M[D], g = 0;
        for (size_t v = 0; v < protocol->d; v++)
            g += f[v] * (M[v] = exp(halves.wave.oracle->log_likelihood(&halves.wave, (uint32_t)v, &j)));
        for (size_t v = 0; v < protocol->d; v++)
            slope[v] += support[j] * M[v] / g;
    }
    ldp_hh_precisions(&halves.tree, of_tree, omega);
    ldp_levels_estimates(&halves.tree, of_tree, x);
    for (size_t l = 1; l <= tree.h; l++)
        for (size_t v = 0; v < protocol->d; v++) {
            const size_t node = v / tree.leaves[l];
            double off = x[tree.first[l] + node];
            for (size_t u = 0; u < protocol->d; u++)
                off -= u / tree.leaves[l] == node ? f[u] : 0;
            slope[v] += omega[l - 1] * off;
        }
}

/* At the maximum the slope in a = log f is that of the penalties, lambda D2'D2 a + 1e-3 D1'D1 a, for one lambda. */
Test(sw_hh, joint_pen_is_a_maximum)
{
    static const size_t domains[] = {5, 32, 50};
    for (size_t i = 0; i < 3; i++)
        for (double epsilon = 0.5; epsilon < 5; epsilon *= 3) {
            const size_t d = domains[i];
            const struct ldp_oracle_spec spec = default_oracle("sw_hh");
            const struct ldp_protocol protocol = make_protocol(&spec, d, epsilon);
            uint64_t counts[D], n = 0;
            for (size_t v = 0; v < d; v++)
                n += counts[v] = 2000 + 700 * (v % 7) + (v == 3 ? 40000 : 0);
            const struct ldp_histogram histogram = {d, n, counts};
            double f[D], slope[D], bend[D] = {0}, steep[D] = {0}, mean = 0, xy = 0, xx = 0, size = 0;
            double *const support = malloc(protocol.support_size * sizeof *support);
            struct ldp_rng rng;
            ldp_rng_stream(&rng, 7, "maximum", i);
            fit(&protocol, &histogram, &rng, support, f);
            slopes(&protocol, support, f, slope);
            for (size_t v = 0; v < d; v++)
                mean += f[v] * slope[v];
            for (size_t v = 0; v + 2 < d; v++) {
                const double curve = log(f[v]) - 2 * log(f[v + 1]) + log(f[v + 2]);
                bend[v] += curve, bend[v + 1] -= 2 * curve, bend[v + 2] += curve;
            }
            for (size_t v = 0; v + 1 < d; v++) {
                const double rise = log(f[v + 1]) - log(f[v]);
                steep[v] -= rise, steep[v + 1] += rise;
            }
            for (size_t v = 0; v < d; v++) {
                slope[v] = f[v] * (slope[v] - mean) - 1e-3 * steep[v];
                size = fmax(size, fabs(slope[v]));
                xy += bend[v] * slope[v];
                xx += bend[v] * bend[v];
            }
            for (size_t v = 0; v < d; v++)
                cr_expect_float_eq(slope[v], xy / xx * bend[v], 1e-6 * size + 1e-7 * (double)n * f[v],
                                   "d = %zu, epsilon = %g, value %zu: %g, not %g", d, epsilon, v, slope[v],
                                   xy / xx * bend[v]);
            free(support);
        }
}

/* The tree's half has the variance of any set: intervals hold 95 % of them, and single values have none. */
Test(sw_hh, intervals_of_sets)
{
    enum { R = 400, FIRST = 60, SIZE = 30 };
    const struct ldp_oracle_spec spec = default_oracle("sw_hh");
    const struct ldp_protocol protocol = make_protocol(&spec, D, 1);
    struct ldp_reason reason;
    cr_expect_eq(ldp_set_interval_suits(&(struct ldp_collection){.protocol = &protocol}, 0.95, &reason), LDP_OK, "%s",
                 reason.text);
    cr_expect_eq(ldp_interval_suits(ldp_interval_find("score"), &protocol, 0.95, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "variances of sw_hh differ by value: intervals of sets and ranges suit it");
    uint64_t counts[D];
    const struct ldp_histogram histogram = {D, beta52(counts), counts};
    uint32_t member[SIZE];
    double truth = 0, est[D], held = 0;
    for (size_t i = 0; i < SIZE; i++) {
        member[i] = (uint32_t)(FIRST + i);
        truth += (double)counts[FIRST + i] / (double)histogram.n;
    }
    double *const support = malloc(protocol.support_size * sizeof *support);
    void *const scratch = malloc(ldp_collect_scratch(&protocol, &histogram, LDP_COUNTS)), *const work = malloc(
                                                                                              ldp_estimate_scratch(
                                                                                                  &protocol));
    int64_t *const sums = malloc(ldp_set_interval_bytes(D));
    struct ldp_rng rng;
    ldp_rng_stream(&rng, statistics_seed(2), "intervals of sets", 0);
    for (size_t r = 0; r < R; r++) {
        double low, high;
        ldp_collect(&protocol, &histogram, LDP_COUNTS, &rng, scratch, support);
        ldp_estimate(&protocol, histogram.n, support, work, est);
        const struct ldp_collection collection = {&protocol, histogram.n, support, est};
        ldp_set_interval(&collection, 0.95, member, SIZE, sums, &low, &high);
        held += (low <= truth && truth <= high) / (double)R;
    }
    cr_expect_float_eq(held, 0.95, 4 * sqrt(0.95 * 0.05 / R), "%g hold", held);
    free(sums);
    free(work);
    free(scratch);
    free(support);
}

Test(sw_hh, refusals)
{
    struct ldp_reason reason;
    const struct ldp_oracle_spec spec = default_oracle("sw_hh");
    const struct ldp_protocol large = make_protocol(&spec, 4097, 1),
                              sw = make_protocol(
                                  &(struct ldp_oracle_spec){.oracle = ldp_oracle_find("sw"), .param = {NAN, NAN}}, 8,
                                  1);

    cr_expect_eq(ldp_method_check(ldp_method_find("joint_pen"), &large, true, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "joint_pen needs the oracle sw_hh with at most 4096 values, got sw_hh");
    cr_expect_eq(ldp_method_check(ldp_method_find("joint_pen"), &sw, true, &reason), LDP_EINVAL);
    cr_expect_eq(ldp_method_check(ldp_method_find("pen"), &large, true, &reason), LDP_EINVAL);
}

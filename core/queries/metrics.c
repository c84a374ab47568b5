/* metrics.c - what else is said of estimated frequencies than their mean squared error. Of the m values of a set, all
 * or the `top` truly most frequent ones, with a_v = max(floor, est_v),
 *
 *     mae = (1/m) sum_v |a_v - f_v|,   tv = (1/2) sum_v |a_v - f_v|,   max_error = max_v |a_v - f_v|,
 *     kl = sum_v p_v log(p_v / q_v),   p = f / sum f,   q = max(a, 1/(2n)) / sum max(a, 1/(2n)),
 *     kendall = (C - D) / sqrt((P - T_f) (P - T_a)).
 *
 * Zeros: an answer counts as half a user at least, so that kl is finite; f_v = 0 adds nothing to it. Of the P = m (m -
 * 1) / 2 pairs of values C are in the same order by f and by a, D in opposite ones, T_f and T_a tied; kendall is
 * undefined (NAN) where all are tied.
 *
 * Source: LDP3, arXiv 2507.05875, compares methods by several of them; Kendall's tau-b, Biometrika 33, 1945; by a merge
 * sort, Knight, JASA 61, 1966. Cost O(m log m) for each method. */
#include "ldpbench.h"
#include "numerics/numeric.h"
#include "queries/sample.h"

#include <math.h>
#include <string.h>

enum { MSE, MAE, TV, MAX_ERROR, KL, KENDALL, MEASURES };

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return 3 * d * sizeof(double);
}

static double pairs_of(size_t m)
{
    return (double)m * ((double)m - 1) / 2;
}

/* The tied pairs of sorted numbers. */
static double ties_of(const double *x, size_t m)
{
    double ties = 0;

    for (size_t first = 0, end; first < m; first = end) {
        for (end = first + 1; end < m && x[end] == x[first]; end++)
            ;
        ties += pairs_of(end - first);
    }
    return ties;
}

/* Sorts x, work[m]; returns the pairs that were in the opposite order. */
static double inversions_of(double *x, size_t m, double *work)
{
    double inversions = 0;

    for (size_t width = 1; width < m; width *= 2) {
        for (size_t first = 0; first < m; first += 2 * width) {
            const size_t middle = first + width < m ? first + width : m, end = middle + width < m ? middle + width : m;
            size_t left = first, right = middle;
            for (size_t i = first; i < end; i++)
                if (left < middle && (right == end || x[left] <= x[right])) {
                    work[i] = x[left++];
                } else {
                    work[i] = x[right++];
                    inversions += (double)(middle - left);
                }
        }
        memcpy(x, work, m * sizeof *x);
    }
    return inversions;
}

/* x: answers of values in the order of falling frequency, which are overwritten. */
static double kendall_of(const struct ldp_population *population, double *x, size_t m, double *work)
{
    double tied = 0, both = 0;

    for (size_t i = 0; i < m; i++)
        x[i] = -x[i];
    for (size_t first = 0, end; first < m; first = end) {
        const uint64_t count = ldp_sample_of(population)->truth[population->rank[first]];
        for (end = first + 1; end < m && ldp_sample_of(population)->truth[population->rank[end]] == count; end++)
            ;
        ldp_sort(x + first, end - first, work);
        tied += pairs_of(end - first);
        both += ties_of(x + first, end - first);
    }
    const double opposite = inversions_of(x, m, work), answers = ties_of(x, m), all = pairs_of(m);
    const double scale = sqrt((all - tied) * (all - answers));
    return scale > 0 ? (all - tied - answers + both - 2 * opposite) / scale : (double)NAN;
}

static double divergence_of(const struct ldp_population *population, const double *x, size_t m, double *work)
{
    const double least = 0.5 / (double)population->n;

    for (size_t i = 0; i < m; i++)
        work[i] = population->f[population->rank[i]];
    const double f = ldp_sum(work, m);
    for (size_t i = 0; i < m; i++)
        work[i] = fmax(x[i], least);
    const double a = ldp_sum(work, m);
    for (size_t i = 0; i < m; i++) {
        const double p = population->f[population->rank[i]] / f;
        work[i] = p > 0 ? p * ldp_log(p * a / work[i]) : 0;
    }
    return fmax(ldp_sum(work, m), 0);
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d, m = spec->param[0] < (double)d ? (size_t)spec->param[0] : d;
    double *const x = scratch, *const off = x + d, *const work = off + d;

    for (size_t i = 0; i < answers->m; i++) {
        double *const at = out + i * MEASURES;

        for (size_t r = 0; r < m; r++) {
            const uint32_t v = population->rank[r];
            x[r] = fmax(answers->est[i][v], answers->floor[i]);
            off[r] = fabs(x[r] - population->f[v]);
            work[r] = off[r] * off[r];
        }
        at[MSE] = ldp_sum(work, m) / (double)m;
        at[MAE] = ldp_sum(off, m) / (double)m;
        at[TV] = ldp_sum(off, m) / 2;
        at[MAX_ERROR] = ldp_largest(off, m);
        at[KL] = divergence_of(population, x, m, work);
        at[KENDALL] = kendall_of(population, x, m, work);
    }
}

static const struct ldp_measure measures[] = {
    [MSE] = {.name = "mse",
             .title = "mean squared error",
             .axis = "MSE",
             .better = LDP_LESS,
             .high = INFINITY,
             .unit = LDP_UNIT_POINTS},
    [MAE] = {.name = "mae",
             .title = "mean absolute error",
             .axis = "mean absolute error",
             .better = LDP_LESS,
             .high = INFINITY,
             .unit = LDP_UNIT_ABSOLUTE},
    [TV] = {.name = "tv",
            .title = "total variation distance",
            .axis = "total variation distance",
            .better = LDP_LESS,
            .high = INFINITY,
            .unit = LDP_UNIT_USERS},
    [MAX_ERROR] = {.name = "max_error",
                   .title = "largest absolute error of a value",
                   .axis = "largest error",
                   .better = LDP_LESS,
                   .high = INFINITY,
                   .unit = LDP_UNIT_ABSOLUTE},
    [KL] = {.name = "kl",
            .title = "Kullback-Leibler divergence of the answer from the truth, in nats; answers count as half a user "
                     "at least",
            .axis = "KL divergence",
            .better = LDP_LESS,
            .high = INFINITY,
            .unit = LDP_UNIT_PLAIN},
    [KENDALL] = {.name = "kendall",
                 .title = "Kendall's tau-b of the order of the values",
                 .axis = "Kendall's tau",
                 .better = LDP_MORE,
                 .low = -1,
                 .high = 1,
                 .unit = LDP_UNIT_WRONG},
    [MEASURES] = {.name = NULL},
};

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("top", NAN, 1, UINT32_MAX, "so many values alone, the truly most frequent ones; default: all"),
    {.name = NULL},
};

const struct ldp_query ldp_query_metrics = {
    .name = "metrics",
    .title = "frequencies by other measures: absolute errors, total variation, KL divergence, Kendall's tau",
    .source = "LDP3, arXiv 2507.05875",
    .params = params,
    .ranks = true,
    .measures = measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};

/* frequency_errors.c - errors of frequencies by several measures. Of m true f_v and answers a_v of n users,
 *
 *     mae = (1/m) sum_v |a_v - f_v|,   tv = (1/2) sum_v |a_v - f_v|,   max_error = max_v |a_v - f_v|,
 *     kl = sum_v p_v log(p_v / q_v),   p = f / sum f,   q = max(a, 1/(2n)) / sum max(a, 1/(2n)),
 *     kendall = (C - D) / sqrt((P - T_f) (P - T_a)).
 *
 * Zeros: an answer counts as half a user at least, so that kl is finite; f_v = 0 adds nothing to it. Of the P = m (m -
 * 1) / 2 pairs C are in the same order by f and by a, D in opposite ones, T_f and T_a tied; kendall is undefined (NAN)
 * where all are tied.
 *
 * Source: LDP3, arXiv 2507.05875, compares methods by several of them; Kendall's tau-b, Biometrika 33, 1945; by a merge
 * sort, Knight, JASA 61, 1966. Cost O(m log m). */
#include "queries/frequency_errors.h"
#include "numerics/numeric.h"
#include "queries/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* x is overwritten. */
static double kendall_of(const double *f, double *x, size_t m, double *work)
{
    double tied = 0, both = 0;

    for (size_t i = 0; i < m; i++)
        x[i] = -x[i];
    for (size_t first = 0, end; first < m; first = end) {
        for (end = first + 1; end < m && f[end] == f[first]; end++)
            ;
        ldp_sort(x + first, end - first, work);
        tied += pairs_of(end - first);
        both += ties_of(x + first, end - first);
    }
    const double opposite = inversions_of(x, m, work), answers = ties_of(x, m), all = pairs_of(m);
    const double scale = sqrt((all - tied) * (all - answers));
    return scale > 0 ? (all - tied - answers + both - 2 * opposite) / scale : (double)NAN;
}

static double divergence_of(const double *f, const double *x, size_t m, uint64_t n, double *work)
{
    const double least = 0.5 / (double)n, all = ldp_sum(f, m);

    for (size_t i = 0; i < m; i++)
        work[i] = fmax(x[i], least);
    const double a = ldp_sum(work, m);
    for (size_t i = 0; i < m; i++) {
        const double p = f[i] / all;
        work[i] = p > 0 ? p * ldp_log(p * a / work[i]) : 0;
    }
    return fmax(ldp_sum(work, m), 0);
}

void ldp_errors_sorted(const double *f, double *x, size_t m, uint64_t n, double *work, double out[LDP_ERRORS])
{
    double *const off = work + m;

    for (size_t i = 0; i < m; i++) {
        off[i] = fabs(x[i] - f[i]);
        work[i] = off[i] * off[i];
    }
    out[LDP_ERROR_MSE] = ldp_sum(work, m) / (double)m;
    out[LDP_ERROR_MAE] = ldp_sum(off, m) / (double)m;
    out[LDP_ERROR_TV] = ldp_sum(off, m) / 2;
    out[LDP_ERROR_MAX] = ldp_largest(off, m);
    out[LDP_ERROR_KL] = divergence_of(f, x, m, n, work);
    out[LDP_ERROR_KENDALL] = kendall_of(f, x, m, work);
}

struct pair {
    double f, x;
};

static int by_truth(const void *a, const void *b)
{
    const struct pair *const s = a, *const t = b;

    return s->f != t->f ? (s->f < t->f) - (s->f > t->f) : (s->x < t->x) - (s->x > t->x);
}

void ldp_errors_of(const double *f, const double *x, size_t m, uint64_t n, double *work, double out[LDP_ERRORS])
{
    double *const sorted = work + 2 * m, *const answer = sorted + m;
    struct pair *const pair = (struct pair *)(void *)work;

    for (size_t i = 0; i < m; i++)
        pair[i] = (struct pair){f[i], x[i]};
    qsort(pair, m, sizeof *pair, by_truth);
    for (size_t i = 0; i < m; i++) {
        sorted[i] = pair[i].f;
        answer[i] = pair[i].x;
    }
    ldp_errors_sorted(sorted, answer, m, n, work, out);
}

#define MSE MEASURE("mse", "mean squared error", "MSE", LDP_LESS, .high = INFINITY, .unit = LDP_UNIT_POINTS)
#define MAE                                                                                                            \
    MEASURE("mae", "mean absolute error", "mean absolute error", LDP_LESS, .high = INFINITY, .unit = LDP_UNIT_ABSOLUTE)
#define MAX                                                                                                            \
    MEASURE("max_error", "largest absolute error of a value", "largest error", LDP_LESS, .high = INFINITY,             \
            .unit = LDP_UNIT_ABSOLUTE)
#define KENDALL                                                                                                        \
    MEASURE("kendall", "Kendall's tau-b of the order of the values", "Kendall's tau", LDP_MORE, .low = -1, .high = 1,  \
            .unit = LDP_UNIT_WRONG)

const struct ldp_measure ldp_frequency_errors[] = {
    [LDP_ERROR_MSE] = MSE,
    [LDP_ERROR_MAE] = MAE,
    [LDP_ERROR_TV] = MEASURE("tv", "total variation distance", "total variation distance", LDP_LESS, .high = INFINITY,
                             .unit = LDP_UNIT_USERS),
    [LDP_ERROR_MAX] = MAX,
    [LDP_ERROR_KL] = MEASURE("kl",
                             "Kullback-Leibler divergence of the answer from the truth, in nats; answers count as half "
                             "a user at least",
                             "KL divergence", LDP_LESS, .high = INFINITY, .unit = LDP_UNIT_PLAIN),
    [LDP_ERROR_KENDALL] = KENDALL,
    [LDP_ERRORS] = {.name = NULL},
};

const struct ldp_measure ldp_overlapping_errors[] = {MSE, MAE, MAX, KENDALL, {.name = NULL}};

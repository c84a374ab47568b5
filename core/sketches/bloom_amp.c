/* bloom_amp.c - message passing (amp.c) over the bits of Bloom filters.
 *
 * y[i] is the number of users of a bit's cohort whose filter has the bit, scaled to n / C users a cohort; X the matrix
 * of the bits of values, k_c(v) of the m bits of cohort c. With Y = C y, in rounds,
 *
 *     R = Y - X m + b R', less the mean of each cohort,
 *     K_v = sum_c k_c(v) (1 - k_c(v) / m),   z_v = m_v + X_v.R / K_v,   tau^2 = sum R^2 / (C (m - 1) mean K).
 *
 * K_v is the square of the length of X_v less its means: a value shares h bits in m with others, and as X_v.X_w less
 * its means is as large as it would be by chance, (h/m)^2 m in each cohort, C (m - 1) bits tell as much as so many
 * cells of a sketch, whatever h is. The noise of all bits is the same, as zeros and ones are flipped alike; so z has tf
 * = 0 and
 *
 *     n s1 = n s_bit / (h (1 - h/m)),   tau^2 = n s1 + n/m + sum_v mmse_v / (C (m - 1)),
 *
 * s_bit that of one bit, and n/m for the users' choice of cohorts. */
#include "sketches/regression.h"

#include "numerics/arena.h"
#include "numerics/numeric.h"

#include <assert.h>

struct work {
    const struct ldp_regression *x;
    size_t C, m;
    const double *Y;
    double mean; /* of K */
    struct ldp_amp *found;
    double *R; /* [N + 1] */
    double *K; /* [d] */
    void *pass;
    size_t bytes;
};

static struct work work_in(size_t d, size_t N, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.found = ldp_take(&arena, sizeof(struct ldp_amp))};
    work.R = ldp_take(&arena, (N + 1) * sizeof(double));
    work.K = ldp_take(&arena, d * sizeof(double));
    work.pass = ldp_take(&arena, ldp_amp_pass_bytes(d));
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_bloom_amp_bytes(size_t d, size_t N)
{
    return work_in(d, N, NULL).bytes;
}

/* Subtracts the means of cohorts; returns the sum of squares. */
static double centre(const struct work *work)
{
    double squares = 0;
    for (size_t cohort = 0; cohort < work->C; cohort++) {
        double *const R = work->R + cohort * work->m;
        const double mean = ldp_sum(R, work->m) / (double)work->m;
        for (size_t i = 0; i < work->m; i++) {
            R[i] -= mean;
            squares += R[i] * R[i];
        }
    }
    work->R[work->x->N] = 0; /* of padding */
    return squares;
}

static double variance_of(const struct work *work, double squares)
{
    return squares / ((double)work->C * ((double)work->m - 1) * work->mean);
}

static double residuals(void *context, const double *m, double b)
{
    const struct work *const work = context;
    const struct ldp_regression *const x = work->x;
    for (size_t i = 0; i < x->N; i++)
        work->R[i] = work->Y[i] + b * work->R[i];
    for (size_t v = 0; v < x->d; v++)
        for (size_t k = 0; m[v] > 0 && k < x->width; k++)
            work->R[x->ones[v * x->width + k]] -= m[v];
    return variance_of(work, centre(work));
}

static void decode(void *context, const double *m, double share, double *z)
{
    const struct work *const work = context;
    const struct ldp_regression *const x = work->x;
    for (size_t v = 0; v < x->d; v++) {
        double sum = 0;
        for (size_t k = 0; k < x->width; k++)
            sum += work->R[x->ones[v * x->width + k]];
        z[v] = m[v] + share * sum / work->K[v];
    }
}

/* K of all values; returns their mean. */
static double lengths(const struct work *work)
{
    const struct ldp_regression *const x = work->x;
    const size_t h = x->width / work->C;
    double mean = 0;
    for (size_t v = 0; v < x->d; v++) {
        double length = 0;
        for (size_t cohort = 0; cohort < work->C; cohort++) {
            double bits = 0;
            for (size_t k = 0; k < h; k++)
                bits += x->ones[v * x->width + cohort * h + k] < x->N;
            length += bits * (1 - bits / (double)work->m);
        }
        work->K[v] = fmax(length, 1. / (double)work->m); /* all bits of all cohorts tell nothing */
        mean += length / (double)x->d;
    }
    return mean;
}

bool ldp_bloom_amp(const struct ldp_regression *x, size_t cohorts, const double *Y, double n, double least, bool fitted,
                   void *scratch, double *m, double *z)
{
    struct work work = work_in(x->d, x->N, scratch);
    assert(work.found && work.R && work.K);
    work.x = x;
    work.C = cohorts;
    work.m = x->N / cohorts;
    work.Y = Y;
    work.mean = lengths(&work);
    *work.found = (struct ldp_amp){.excess = INFINITY};
    if (!(work.mean > 0))
        return false;
    memcpy(work.R, Y, x->N * sizeof *Y);
    const double of_mean = variance_of(&work, centre(&work));
    memset(work.R, 0, (x->N + 1) * sizeof *work.R);
    const struct ldp_amp_design design = {.d = x->d,
                                          .freedom = (double)cohorts * ((double)work.m - 1),
                                          .positions = (double)x->width,
                                          .ncells = (double)x->N,
                                          .least = least,
                                          .fitted = fitted,
                                          .context = &work,
                                          .residuals = residuals,
                                          .decode = decode};
    ldp_amp_pass(&design, n, of_mean, work.pass, m, z, work.found);
    return work.found->converged;
}

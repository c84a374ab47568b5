/* residual.c - see residual.h.
 *
 * S[i][y] is the sum of the signs of block i in row y, M_y the users of row y, over all blocks, and x the value at
 * place j of its block. A user's row is public and says nothing of the value, so users of known frequencies ft add
 *
 *     KAP M_y theta[i][y],   theta[i][y] = sum_{x in block i} ft_x H[j][y],
 *
 * to S, and est = ft + decode(S - KAP M_y theta). In rounds, the first with ft = 0, then with the frequencies above
 * 3.5 standard deviations. Given the placement and the N_i reports of block i,
 *
 *     n Var(est_x) = N_i / (n KAP^2) - sum_{w != x, in the block} (f_w^2 - (f_w - ft_w)^2) - f_x.
 *
 * Source: ours. Cost: 2 K log K a round. */
#include "oracles/residual.h"

#include "numerics/arena.h"
#include "sampling/hadamard.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 2 };

struct work {
    int64_t *left, *theta; /* [K], in fixed point */
    int64_t *users;        /* [m] of each row */
    size_t bytes;
};

static struct work work_in(const struct ldp_residual *residual, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.bytes = 0};
    work.left = ldp_take(&arena, residual->K * sizeof *work.left);
    work.theta = ldp_take(&arena, residual->K * sizeof *work.theta);
    work.users = ldp_take(&arena, residual->m * sizeof *work.users);
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_residual_bytes(const struct ldp_residual *residual)
{
    return work_in(residual, NULL).bytes;
}

/* Leaves those of est[m] that are surely above the noise, of variance `square`; all, if there is none. Returns the sum
 * of their squares, less what noise adds to it and to (f - ft)^2. */
static double keep_frequent(size_t m, double square, double *est)
{
    const double least = LDP_RESIDUAL_SURE * sqrt(square);
    double sum = 0;
    bool any = false;
    for (size_t y = 0; y < m; y++)
        any |= est[y] > least;
    for (size_t y = 0; y < m && any; y++) {
        est[y] = est[y] > least ? fmin(est[y], 1) : 0;
        sum += est[y] > 0 ? est[y] * est[y] - 2 * square : 0;
    }
    return sum;
}

/* One block: adds to est[m] what is left of S[m] without them. */
static void decode_block(const struct ldp_residual *residual, const struct work *work, const int64_t *S, bool any,
                         double *est)
{
    const size_t m = residual->m;
    const int most = 56 - ilogb(residual->n), bits = most < 30 ? most : 30;
    const double scale = ldexp(1, bits), kept = residual->kept;
    for (size_t y = 0; y < m && any; y++)
        work->theta[y] = (int64_t)(ldexp(est[y], 30) + 0.5);
    if (any)
        ldp_fwht(work->theta, m);
    for (size_t y = 0; y < m; y++) {
        const double known = any ? kept * (double)work->users[y] * ldexp((double)work->theta[y], bits - 30) : 0;
        work->left[y] = S[y] * (INT64_C(1) << bits) - (int64_t)rint(known);
    }
    ldp_fwht(work->left, m);
    for (size_t y = 0; y < m; y++)
        est[y] += (double)work->left[y] / (scale * residual->n * kept);
}

void ldp_residual_decode(const struct ldp_residual *residual, int64_t *N, void *scratch, double *est, double *reports)
{
    const struct work work = work_in(residual, scratch);
    const size_t K = residual->K, m = residual->m;
    const double n = residual->n, per_report = 1 / (n * n * residual->kept * residual->kept); /* of the variance */
    memset(work.users, 0, m * sizeof *work.users);
    memset(est, 0, K * sizeof *est);
    for (size_t y = 0; y < K; y++) {
        work.users[y & (m - 1)] += N[y] + N[K + y];
        reports[y / m * m] = (y & (m - 1) ? reports[y / m * m] : 0) + (double)(N[y] + N[K + y]);
        N[y] -= N[K + y];
    }
    for (size_t first = 0; first < K; first += m) {
        double known = 0;
        decode_block(residual, &work, N + first, false, est + first);
        for (int round = 0; round < ROUNDS; round++) {
            const double now = keep_frequent(m, fmax(reports[first] * per_report - known / n, 0), est + first);
            if (!(now > 0))
                break;
            known = now;
            decode_block(residual, &work, N + first, true, est + first);
        }
        reports[first] = fmax(reports[first] - known / (n * per_report), 0);
    }
}

/* linear_amp.c - frequencies by message passing (amp.c), where cells are too few for least squares.
 *
 * y are the estimates of the numbers of users in each of the g cells of k groups, as if all n were in each group, less
 * the mean of the group, and columns have the square length k (1 - 1/g):
 *
 *     R = y - A m + b R',    z = m + A' R / (k (1 - 1/g)),    tau^2 = |R|^2 / (k (g - 1)) / (k (1 - 1/g)).
 *
 * With 256 to 4096 values and k (g - 1) of .06 to 2 of them, tau^2 is within 10 % of the error where the law of the
 * counts has at most 15 positions; with more, as for Zipf's counts of 10^8 users, it is up to a third too small
 * (tests/test_flh.c).
 *
 * Source: ours. Cost: that of amp.c. */
#include "sketches/linear_amp.h"

#include "numerics/arena.h"
#include "numerics/numeric.h"

struct work {
    const struct ldp_linear *linear;
    double *y, *R, *cells; /* [groups][g] */
    double *x, *m;         /* [d] */
    void *pass;
    size_t bytes;
};

static struct work work_in(const struct ldp_linear *linear, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    const size_t cells = linear->groups * linear->g * sizeof(double), values = linear->d * sizeof(double);
    struct work work = {.linear = linear, .R = ldp_take(&arena, cells)};
    work.cells = ldp_take(&arena, cells);
    work.x = ldp_take(&arena, values);
    work.m = ldp_take(&arena, values);
    work.pass = ldp_take(&arena, ldp_amp_pass_bytes(linear->d));
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_linear_amp_bytes(const struct ldp_linear *linear)
{
    return work_in(linear, NULL).bytes;
}

static double length_of(const struct ldp_linear *linear)
{
    return (double)linear->groups * (1 - 1 / (double)linear->g);
}

static double residuals(void *context, const double *m, double b)
{
    const struct work *const work = context;
    const struct ldp_linear *const linear = work->linear;
    double squares = 0;
    memcpy(work->x, m, linear->d * sizeof *m);
    linear->spread(linear->context, work->x, work->cells);
    for (size_t first = 0; first < linear->groups * linear->g; first += linear->g) {
        double *const R = work->R + first;
        for (size_t y = 0; y < linear->g; y++)
            R[y] = work->y[first + y] - work->cells[first + y] + b * R[y];
        const double mean = ldp_sum(R, linear->g) / (double)linear->g;
        for (size_t y = 0; y < linear->g; y++) {
            R[y] -= mean;
            squares += R[y] * R[y];
        }
    }
    return squares / ((double)linear->g * length_of(linear) * length_of(linear));
}

static void decode(void *context, const double *m, double share, double *z)
{
    const struct work *const work = context;
    const struct ldp_linear *const linear = work->linear;
    memcpy(work->cells, work->R, linear->groups * linear->g * sizeof *work->cells);
    linear->collect(linear->context, work->cells, work->x);
    for (size_t v = 0; v < linear->d; v++)
        z[v] = m[v] + share * work->x[v] / length_of(linear);
}

void ldp_linear_amp(const struct ldp_linear *linear, const double *users, double *counts, double least, void *scratch,
                    double *x, struct ldp_amp *found)
{
    struct work work = work_in(linear, scratch);
    const size_t d = linear->d, ncells = linear->groups * linear->g;
    const double n = ldp_sum(users, linear->groups);
    const struct ldp_amp_design design = {.d = d,
                                          .freedom = (double)linear->groups * ((double)linear->g - 1),
                                          .positions = (double)linear->groups,
                                          .ncells = (double)ncells,
                                          .least = least,
                                          .context = &work,
                                          .residuals = residuals,
                                          .decode = decode};
    work.y = counts;
    for (size_t i = 0; i < ncells; i++)
        counts[i] = n * (counts[i] / users[i / linear->g] - linear->rest) / linear->kept;
    memset(work.R, 0, ncells * sizeof *work.R);
    for (size_t v = 0; v < d; v++)
        work.m[v] = n / (double)d;
    ldp_amp_pass(&design, n, INFINITY, work.pass, work.m, x, found);
    for (size_t v = 0; v < d; v++)
        x[v] /= n;
}

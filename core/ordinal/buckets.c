/* buckets.c - see buckets.h. The ends of values and buckets are whole multiples of 1 / S without rounding (wave.h), and
 * each integral is a sum of its own, not a difference of longer ones: no digits are lost, and the answer to mirrored
 * counts is mirrored. */
#include "ordinal/buckets.h"

#include "numerics/arena.h"

/* Appends the integral over [from, to] times sign, of cells of a width from 0 on; before them the function is 0, behind
 * them the value at their end. */
static void append(struct ldp_integrals *rows, size_t row, double sign, size_t cells, double width, double from,
                   double to)
{
    const double end = (double)cells * width, behind = fmax(0, to - fmax(from, end));
    from = fmin(fmax(from, 0), end);
    to = fmin(fmax(to, 0), end);
    const size_t start = (size_t)(from / width);
    double *const weight = rows->weight + rows->first[row];
    size_t size = 1;
    weight[0] = 0;
    for (size_t i = start; (double)i * width < to; i++) {
        const double at = (double)i * width, low = fmax(from, at), high = fmin(to, at + width);
        const double part = ((low + high) / 2 - at) / width;
        weight[i - start] += sign * (high - low) * (1 - part);
        weight[size++] = sign * (high - low) * part;
    }
    weight[size - 1] += sign * behind;
    rows->start[row] = (uint32_t)start;
    rows->first[row + 1] = rows->first[row] + (uint32_t)size;
}

static struct ldp_integrals rows_in(struct ldp_arena *arena, size_t rows, size_t weights)
{
    struct ldp_integrals integrals;
    integrals.start = ldp_take(arena, rows * sizeof *integrals.start);
    integrals.first = ldp_take(arena, (rows + 1) * sizeof *integrals.first);
    integrals.weight = ldp_take(arena, weights * sizeof *integrals.weight);
    return integrals;
}

/* Each row has the ends of cells in its interval, up to two cells that it has a part of, and so three weights more. The
 * buckets, and the values one window apart, cover less than 3 d values. */
static struct ldp_buckets buckets_in(struct ldp_arena *arena, size_t d, size_t outputs)
{
    struct ldp_buckets buckets;
    buckets.of_outputs = rows_in(arena, 2 * outputs, 2 * (3 * outputs + 3 * d));
    buckets.of_values = rows_in(arena, 2 * d, 2 * (3 * d + 2 * outputs));
    return buckets;
}

size_t ldp_buckets_bytes(size_t d)
{
    struct ldp_arena arena = {NULL, 0};
    buckets_in(&arena, d, ldp_wave_most(d));
    return arena.bytes;
}

/* With F the cumulative distribution, bucket j has the integral over it of F(y) - F(y - L); with C the sum of the r_j
 * up to a point, value i has that over its points of C(x + L) - C(x). */
struct ldp_buckets ldp_buckets_make(const struct ldp_wave *wave, void *memory)
{
    const double S = (double)wave->points, L = (double)(wave->window - 1) / S,
                 width = (double)ldp_wave_bucket(wave) / S;
    struct ldp_buckets buckets = buckets_in(&(struct ldp_arena){memory, 0}, wave->d, wave->outputs);
    buckets.wave = *wave;
    buckets.of_outputs.first[0] = buckets.of_values.first[0] = 0;
    for (size_t j = 0; j < wave->outputs; j++) {
        const double y = (double)j * width;
        append(&buckets.of_outputs, 2 * j, 1, wave->d, 1, y, y + width);
        append(&buckets.of_outputs, 2 * j + 1, -1, wave->d, 1, y - L, y - L + width);
    }
    for (size_t i = 0; i < wave->d; i++) {
        const double x = (double)i;
        append(&buckets.of_values, 2 * i, 1, wave->outputs, width, x + L, x + L + 1);
        append(&buckets.of_values, 2 * i + 1, -1, wave->outputs, width, x, x + 1);
    }
    return buckets;
}

static void run_over(const double *x, size_t size, double *run)
{
    run[0] = 0;
    for (size_t i = 0; i < size; i++)
        run[i + 1] = run[i] + x[i];
}

/* Rows 2 i and 2 i + 1. */
static double near_of(const struct ldp_integrals *rows, size_t i, const double *run)
{
    double sum[2] = {0, 0};
    for (size_t side = 0; side < 2; side++) {
        const double *const value = run + rows->start[2 * i + side];
        const uint32_t first = rows->first[2 * i + side], size = rows->first[2 * i + side + 1] - first;
        for (size_t k = 0; k < size; k++)
            sum[side] += rows->weight[first + k] * value[k];
    }
    return sum[0] + sum[1];
}

void ldp_buckets_forward(const struct ldp_buckets *buckets, const double *f, double *run, double *g)
{
    const struct ldp_wave *const wave = &buckets->wave;
    const double S = (double)wave->points, all = wave->q * (double)ldp_wave_bucket(wave), range = S * wave->gap;
    run_over(f, wave->d, run);
    for (size_t j = 0; j < wave->outputs; j++)
        g[j] = all + range * near_of(&buckets->of_outputs, j, run);
}

void ldp_buckets_backward(const struct ldp_buckets *buckets, const double *r, double *run, double *back)
{
    const struct ldp_wave *const wave = &buckets->wave;
    const double points = (double)ldp_wave_bucket(wave), range = points * wave->gap;
    run_over(r, wave->outputs, run);
    const double all = points * wave->q * run[wave->outputs];
    for (size_t i = 0; i < wave->d; i++)
        back[i] = all + range * near_of(&buckets->of_values, i, run);
}

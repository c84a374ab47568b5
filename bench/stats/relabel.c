/* relabel.c - see relabel.h.
 *
 * Source: Westfall and Young, Resampling-Based Multiple Testing (1993), with all relabellings instead of a sample. */
#include "stats/relabel.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Deviations of a row's values from their mean, over the root of the sum of their squares; 0 where undefined. */
static void standardise(const struct relabel_row *row, size_t n, size_t m, double *z)
{
    double sum = 0;
    size_t defined = 0;

    for (size_t i = 0; i < n + m; i++) {
        z[i] = i < n ? row->a[i] : row->b[i - n];
        if (!isnan(z[i])) {
            sum += z[i];
            defined++;
        }
    }
    double squares = 0;
    for (size_t i = 0; i < n + m; i++) {
        z[i] = isnan(z[i]) ? 0 : z[i] - sum / (double)defined;
        squares += z[i] * z[i];
    }
    const double scale = sqrt(squares) > 1e-12 * fabs(sum) ? 1 / sqrt(squares) : 0; /* rounding is no variance */

    for (size_t i = 0; i < n + m; i++)
        z[i] *= scale;
}

/* The share of variance between those whose bit is set and the others, up to a factor that all rows have. */
static double parting(const double *z, size_t size, uint32_t labels)
{
    double sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += labels >> i & 1 ? z[i] : 0;
    return sum * sum;
}

/* The next larger number with equally many bits set. */
static uint32_t next_labels(uint32_t labels)
{
    const uint32_t lowest = labels & -labels, carried = labels + lowest;

    return carried | ((labels ^ carried) >> 2) / lowest;
}

int relabel_test(struct relabel_row *row, size_t count, size_t n, size_t m)
{
    static const double slack = 1 - 1e-9; /* sums of the same values in another order */
    const size_t size = n + m;
    const uint32_t at_hand = (1U << n) - 1, end = 1U << size;
    double *const z = malloc((count * size + 1) * sizeof *z), *const here = malloc((count + 1) * sizeof *here);

    assert(n > 0 && m > 0 && size <= RELABEL_MAX);
    if (!z || !here) {
        free(z);
        free(here);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        standardise(&row[i], n, m, z + i * size);
        here[i] = slack * parting(z + i * size, size, at_hand);
        row[i].p = 0;
    }
    size_t relabellings = 0;
    for (uint32_t labels = at_hand; labels < end; labels = next_labels(labels)) {
        double most = 0;

        for (size_t i = 0; i < count; i++)
            most = fmax(most, parting(z + i * size, size, labels));
        for (size_t i = 0; i < count; i++)
            row[i].p += most >= here[i];
        relabellings++;
    }
    for (size_t i = 0; i < count; i++)
        row[i].p /= (double)relabellings;
    free(z);
    free(here);
    return 0;
}

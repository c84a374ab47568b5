/* permutation_test.c - see permutation_test.h.
 *
 * Source: Westfall and Young, Resampling-Based Multiple Testing (1993). */
#include "stats/permutation_test.h"

#include "ldp.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 }; /* permutations side by side */

static const double slack = 1 - 1e-9; /* sums of the same values in another order */

/* All permutations: bit i says that repetition i is called side a. */
struct permutations {
    size_t n, m, count;
    bool exact;
};

static size_t choose(size_t n, size_t k)
{
    size_t ways = 1;

    for (size_t i = 1; i <= k; i++)
        ways = ways * (n - k + i) / i;
    return ways;
}

/* The next larger number with equally many bits set. */
static uint32_t next_labels(uint32_t labels)
{
    const uint32_t lowest = labels & -labels, carried = labels + lowest;

    return carried | ((labels ^ carried) >> 2) / lowest;
}

/* Writes permutations first, first + 1, ... as columns of in[n + m][BLOCK]; the first of all is the actual one. bits is
 * the state of the enumeration, order[n + m] scratch. */
static void next_block(const struct permutations *permutations, size_t first, size_t width, uint32_t *bits,
                       size_t *order, double *in)
{
    const size_t size = permutations->n + permutations->m;

    memset(in, 0, size * BLOCK * sizeof *in);
    for (size_t b = 0; b < width; b++) {
        if (permutations->exact) {
            for (size_t i = 0; i < size; i++)
                in[i * BLOCK + b] = *bits >> i & 1;
            *bits = next_labels(*bits);
            continue;
        }
        struct ldp_rng rng;

        ldp_rng_stream(&rng, 1, "relabel", first + b);
        for (size_t i = 0; i < size; i++)
            order[i] = i;
        for (size_t i = 0; i < permutations->n; i++) {
            const size_t j = first + b == 0 ? i : i + (size_t)ldp_rng_below(&rng, size - i), chosen = order[j];

            order[j] = order[i];
            order[i] = chosen;
            in[chosen * BLOCK + b] = 1;
        }
    }
}

/* Deviations of a row's values from their mean, over the root of the sum of their squares; 0 where undefined. */
static void standardise(const struct permutation_row *row, size_t n, size_t m, double *z)
{
    double sum = 0;
    size_t defined = 0;

    for (size_t i = 0; i < n + m; i++) {
        z[i] = i < n ? row->a[i] : row->b[i - n];
        if (row->undefined)
            z[i] = isnan(z[i]);
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

struct statistics {
    double *own;    /* [rows] of the actual labelling */
    double *most;   /* [permutations] the largest of all rows */
    double *groups; /* [ngroups][permutations] */
};

/* Adds a row's statistic in a block of permutations. */
static void add_row(const struct permutation_row *row, size_t r, const double *z, size_t size, const double *in,
                    size_t first, size_t width, size_t permutations, struct statistics *to)
{
    double sum[BLOCK] = {0};

    for (size_t i = 0; i < size; i++)
        for (size_t b = 0; b < BLOCK; b++)
            sum[b] += z[i] * in[i * BLOCK + b];
    if (first == 0)
        to->own[r] = fabs(sum[0]);
    for (size_t b = 0; b < width; b++)
        to->most[first + b] = fmax(to->most[first + b], fabs(sum[b]));
    for (size_t g = 0; g < PERMUTATION_GROUPS; g++)
        if (row->group[g] != SIZE_MAX)
            for (size_t b = 0; b < width; b++)
                to->groups[row->group[g] * permutations + first + b] += row->sign * sum[b];
}

static void find_statistics(const struct permutation_row *row, size_t count, const struct permutations *permutations,
                            struct statistics *out)
{
    const size_t size = permutations->n + permutations->m;
    double *const in = xcalloc(size * BLOCK, sizeof *in), *const z = xcalloc(size, sizeof *z);
    size_t *const order = xcalloc(size, sizeof *order);
    uint32_t bits = permutations->exact ? (1U << permutations->n) - 1 : 0;

    for (size_t first = 0; first < permutations->count; first += BLOCK) {
        const size_t left = permutations->count - first, width = left < BLOCK ? left : BLOCK;

        next_block(permutations, first, width, &bits, order, in);
        for (size_t r = 0; r < count; r++) {
            standardise(&row[r], permutations->n, permutations->m, z);
            add_row(&row[r], r, z, size, in, first, width, permutations->count, out);
        }
    }
    free(in);
    free(z);
    free(order);
}

static double *sorted(const double *value, size_t count)
{
    double *const copy = xcalloc(count, sizeof *copy);

    memcpy(copy, value, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, by_number);
    return copy;
}

/* The share of sorted values from `least` on. */
static double share_from(const double *value, size_t count, double least)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (value[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)(count - low) / (double)count;
}

/* Groups' statistics over their root mean square; the largest of each labelling. */
static void scale_groups(double *groups, size_t ngroups, size_t permutations, double *most)
{
    for (size_t g = 0; g < ngroups; g++) {
        double *const own = groups + g * permutations, squares = 0;

        for (size_t l = 0; l < permutations; l++)
            squares += own[l] * own[l];
        const double scale = squares > 0 ? sqrt((double)permutations / squares) : 0;
        for (size_t l = 0; l < permutations; l++) {
            own[l] = fabs(own[l]) * scale;
            most[l] = fmax(most[l], own[l]);
        }
    }
}

void permutation_test(struct permutation_row *row, size_t count, double *group_p, size_t ngroups, size_t n, size_t m,
                      double level, struct permutation_critical *critical)
{
    const bool exact = n + m <= PERMUTE_EXACT;
    const struct permutations permutations = {n, m, exact ? choose(n + m, n) : PERMUTE_SAMPLED, exact};
    const size_t all = permutations.count;
    struct statistics found = {xcalloc(count, sizeof(double)), xcalloc(all, sizeof(double)),
                               xcalloc(ngroups * all, sizeof(double))};
    double *const group_most = xcalloc(all, sizeof *group_most), *const least = xcalloc(all, sizeof *least);

    assert(n > 0 && m > 0);
    find_statistics(row, count, &permutations, &found);
    scale_groups(found.groups, ngroups, all, group_most);
    double *const rows_sorted = sorted(found.most, all), *const groups_sorted = sorted(group_most, all);
    for (size_t l = 0; l < all; l++)
        least[l] = -fmin(share_from(rows_sorted, all, slack * found.most[l]),
                         ngroups > 0 ? share_from(groups_sorted, all, slack * group_most[l]) : 1);
    qsort(least, all, sizeof *least, by_number);
    for (size_t r = 0; r < count; r++)
        row[r].p = share_from(least, all, -share_from(rows_sorted, all, slack * found.own[r]));
    for (size_t g = 0; g < ngroups; g++)
        group_p[g] = share_from(least, all, -share_from(groups_sorted, all, slack * found.groups[g * all]));
    const size_t above = (size_t)(level / (ngroups > 0 ? 2 : 1) * (double)all);
    const double sample = (double)n * (double)m / (double)(n + m), from = rows_sorted[all - (above > 0 ? above : 1)];
    *critical = (struct permutation_critical){.size = n + m, .share = from * from / sample, .sample = sample};
    free(found.own);
    free(found.most);
    free(found.groups);
    free(group_most);
    free(least);
    free(rows_sorted);
    free(groups_sorted);
}

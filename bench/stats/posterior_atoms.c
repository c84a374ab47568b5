/* posterior_atoms.c - the distribution of the fewest atoms that fits the estimates.
 *
 * The estimates do not determine how smooth the law of frequencies is. The smooth law of posterior.c is one extreme;
 * the other is the law of the fewest points whose log-likelihood is at most SLACK below the smooth law's. Points are
 * added where the likelihood's gradient is largest, and moved by EM. Large values that may be the same become the same.
 * Predictions from both show how much they depend on that choice. */
#include "stats/posterior_private.h"

#include "numerics/numeric.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 12, SLACK = 3 };

/* For n[b] small values: the log-likelihood of some points with their weights, up to a constant. */
static double points_likelihood(const struct tables *tables, const double n[BINS], const size_t *atom,
                                const double *weight, size_t count, double density[BINS])
{
    double total = 0;

    for (size_t b = 0; b < BINS; b++) {
        density[b] = 0;
        for (size_t i = 0; i < count; i++)
            density[b] += weight[i] * tables->likelihood[b][atom[i]];
        total += n[b] > 0 ? n[b] * ldp_log(density[b]) : 0;
    }
    return total;
}

/* A round of expectation maximisation over points, which move along the atoms. */
static void move_points(const struct tables *tables, const double n[BINS], const double density[BINS], size_t *atom,
                        double *weight, size_t count)
{
    const double step = tables->atom[1];
    double all = 0;

    for (size_t i = 0; i < count; i++) {
        double sum = 0, mean = 0;

        for (size_t b = 0; b < BINS; b++) {
            const double part = n[b] > 0 ? n[b] * weight[i] * tables->likelihood[b][atom[i]] / density[b] : 0;

            sum += part;
            mean += part * tables->middle[b];
        }
        weight[i] = sum;
        all += sum;
        mean = sum > 0 ? mean / sum / step : 0;
        atom[i] = (size_t)(mean < 0 ? 0 : mean < ATOMS - 1 ? mean + 0.5 : ATOMS - 1);
    }
    for (size_t i = 0; i < count; i++)
        weight[i] /= all;
}

/* The atom whose addition would increase the likelihood of a law of points most. */
static size_t missing_atom(const struct tables *tables, const double n[BINS], const double density[BINS], bool first)
{
    double most = -INFINITY;
    size_t best = 0;

    for (size_t j = 0; j < ATOMS; j++) {
        double gain = 0;

        for (size_t b = 0; b < BINS; b++)
            if (n[b] > 0)
                gain += n[b] * (first ? ldp_log(tables->likelihood[b][j]) : tables->likelihood[b][j] / density[b]);
        if (gain > most) {
            most = gain;
            best = j;
        }
    }
    return best;
}

/* Replaces a law by the fewest points whose likelihood is within SLACK of its own. */
static void to_atoms(const struct posterior *posterior, const struct tables *tables, double law[ATOMS + 1])
{
    double n[BINS] = {0}, density[BINS], weight[POINTS], target = 0, small = 0;
    size_t atom[POINTS];

    for (size_t v = 0; v < posterior->d; v++)
        if (posterior->bin[v] < BINS) {
            n[posterior->bin[v]]++;
            small++;
        }
    if (small == 0)
        return;
    for (size_t b = 0; b < BINS; b++) {
        double sum = 0;

        for (size_t j = 0; j < ATOMS; j++)
            sum += law[j] * tables->likelihood[b][j];
        target += n[b] > 0 ? n[b] * ldp_log(sum / (1 - law[ATOMS])) : 0;
    }
    for (size_t count = 1; count <= POINTS; count++) {
        double likelihood = 0;

        atom[count - 1] = missing_atom(tables, n, density, count == 1);
        for (size_t i = 0; i < count; i++)
            weight[i] = count == 1 ? 1 : i + 1 < count ? weight[i] * 0.9 : 0.1;
        for (int round = 0; round < ROUNDS; round++) {
            likelihood = points_likelihood(tables, n, atom, weight, count, density);
            if (round + 1 < ROUNDS)
                move_points(tables, n, density, atom, weight, count);
        }
        if (likelihood < target - SLACK && count < POINTS)
            continue;
        for (size_t j = 0; j < ATOMS; j++)
            law[j] = 0;
        for (size_t i = 0; i < count; i++)
            law[atom[i]] += weight[i] * (1 - law[ATOMS]);
        return;
    }
}

struct large {
    double value;
    size_t v;
};

static int by_value(const void *a, const void *b)
{
    const struct large *const x = a, *const y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Large values that may be the same, by a chi-square test of each run of neighbours, become the same. */
static void gather_large(struct posterior *posterior, const struct ldp_protocol *protocol, uint64_t n)
{
    struct large *const large = xmalloc(posterior->d + 1, sizeof *large);
    size_t count = 0;

    for (size_t v = 0; v < posterior->d; v++)
        if (posterior->bin[v] == BINS)
            large[count++] = (struct large){posterior->value[v], v};
    qsort(large, count, sizeof *large, by_value);
    for (size_t first = 0, end; first < count; first = end) {
        double mean = large[first].value, squares = 0;

        for (end = first + 1; end < count; end++) {
            const double m = (double)(end - first), variance = (protocol->s1 + mean * protocol->tf) / (double)n;
            const double next = (m * mean + large[end].value) / (m + 1);
            const double more = squares + (large[end].value - mean) * (large[end].value - next);

            if (more > variance * (m + 3 * sqrt(2 * m)))
                break;
            mean = next;
            squares = more;
        }
        for (size_t i = first; i < end; i++)
            posterior->value[large[i].v] = mean;
    }
    free(large);
}

void posterior_to_atoms(struct posterior *posterior, const struct ldp_protocol *protocol, uint64_t n)
{
    to_atoms(posterior, posterior->tables, posterior->tables->law[0]);
    gather_large(posterior, protocol, n);
}

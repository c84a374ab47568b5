/* amp_law.c - the error of amp (amp.c) before anything is collected, from the counts of the values.
 *
 * With mmse_v(tau) the mean of Var[f_v | z], z = f_v + N(0, tau^2), under the law of the counts of all values, the
 * variance tau^2 of amp's answer for a value that nobody holds solves (state evolution)
 *
 *     tau^2 = n s1 + 2 n / c + sum_v mmse_v(tau) / (r (c - 1)).
 *
 * The first term is the oracle's over the whole domain, the second that of the users' choice of rows. sum_v mmse_v(tau)
 * / tau^2 is the effective dimension: the number of values whose counts are unknown in units of the noise. With D of it
 * at tau^2 = n s1, the variance is about 1 / (1 - D / (r c)) times the oracle's, so r c >= 11 D for 10 %.
 *
 * Counts are put into bins of tau / 16; those above 64 tau count as unknown. Source: Bayati and Montanari, IEEE Trans.
 * Inf. Theory 57 (2011), for dense matrices; for sketches ours, within 3 % on Kosarak. Cost: O(d) and 10^5
 * exponentials. */
#include "numeric.h"
#include "sketch.h"

#include <math.h>

enum { EACH = 16, BINS = 64 * EACH, WINDOW = 8 * EACH };

double ldp_effective_dimension(const struct ldp_histogram *histogram, double tau)
{
    static const double step = 0.25, root_2pi = 2.5066282746310002;
    double number[BINS] = {0}, sum[BINS] = {0}, total = 0;
    for (size_t v = 0; v < histogram->d; v++) {
        const double t = (double)histogram->counts[v] / tau;
        if (t * EACH < BINS) {
            number[(size_t)(t * EACH)]++;
            sum[(size_t)(t * EACH)] += t;
        } else {
            total++;
        }
    }
    for (double y = -6; y < 70; y += step) {
        const size_t from = y * EACH > WINDOW ? (size_t)(y * EACH) - WINDOW : 0,
                     end = y * EACH + WINDOW < BINS ? (size_t)(y * EACH + WINDOW) : BINS;
        double mass = 0, first = 0, second = 0;
        for (size_t i = from; i < end; i++) {
            if (number[i] == 0)
                continue;
            const double t = sum[i] / number[i], weight = number[i] * ldp_exp(-(y - t) * (y - t) / 2);
            mass += weight;
            first += weight * (t - y);
            second += weight * (t - y) * (t - y);
        }
        if (mass > 0)
            total += step / root_2pi * (second - first * first / mass);
    }
    return total;
}

double ldp_amp_predicted(const struct ldp_sketch_shape *shape, const struct ldp_histogram *histogram, double s1)
{
    enum { ROUNDS = 60 };
    const double n = (double)histogram->n, c = (double)shape->columns, least = n * s1 + 2 * n / c,
                 cells = (double)shape->rows * (c - 1);
    double square = least + n * n / cells;
    for (int round = 0; round < ROUNDS; round++) {
        const double next = least + square * fmin(ldp_effective_dimension(histogram, sqrt(square)) / cells, 1);
        if (fabs(next - square) <= 1e-4 * square)
            return next;
        square = next;
    }
    return square;
}

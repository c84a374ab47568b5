/* amp_law.c - the error of amp (amp.c) before anything is collected, from the counts of the values.
 *
 * With mmse_v(tau) the mean of Var[f_v | z], z = f_v + N(0, tau^2), under the law of the counts of all values, the
 * variance tau^2 of amp's answer for a value with zero frequency solves (state evolution)
 *
 *     tau^2 = n s1 + (1 + tf) n / c + sum_v mmse_v(tau) / (r (c - 1)).
 *
 * The first term is the oracle's over the whole domain, the second that of other users in the same cells: of their
 * choice of rows, and of what they add to the oracle's noise. sum_v mmse_v(tau) / tau^2 is the effective dimension: the
 * number of values whose counts are unknown in units of the noise. With D of it at tau^2 = n s1, the variance is about
 * 1 / (1 - D / (r c)) times the oracle's, so r c >= 11 D for 10 %. With the second term, and D at that variance, the
 * columns for a loss L = 1.1 are
 *
 *     c = 1 + ((1 + tf) / s1 + L D / r) / (L - 1).
 *
 * Counts are put into bins of tau / 16; those above 64 tau count as unknown. Source: Bayati and Montanari, IEEE Trans.
 * Inf. Theory 57 (2011), for dense matrices; for sketches ours, within 3 % on Kosarak. Cost: O(d) and 10^5
 * exponentials. */
#include "sketches/sketch.h"

enum { EACH = 16, BINS = 64 * EACH, WINDOW = 8 * EACH };
static const double LOSS = 1.1; /* of the variance, by the columns that auto chooses */

double ldp_effective_dimension(const struct ldp_histogram *histogram, double tau)
{
    static const double step = 0.25, root_2pi = 2.5066282746310002;
    uint32_t number[BINS] = {0};
    double sum[BINS] = {0}, total = 0;
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

/* Those that tell values apart: with free signs c stands for the 2 c symbols of a row (sketch_amp.c). */
static double columns_of(const struct ldp_sketch_shape *shape, double c)
{
    return ldp_sketch_mirrors(shape) ? c : c * (double)ldp_sketch_symbols(shape) / (double)shape->columns;
}

double ldp_amp_state(double least, double freedom, const struct ldp_histogram *histogram)
{
    enum { ROUNDS = 60 };
    const double n = (double)histogram->n;
    double square = least + n * n / freedom;
    for (int round = 0; round < ROUNDS; round++) {
        const double next = least + square * fmin(ldp_effective_dimension(histogram, sqrt(square)) / freedom, 1);
        if (fabs(next - square) <= 1e-4 * square)
            return next;
        square = next;
    }
    return square;
}

double ldp_amp_predicted(const struct ldp_sketch_shape *shape, const struct ldp_histogram *histogram,
                         const struct ldp_protocol *row)
{
    const double n = (double)histogram->n;
    return ldp_amp_state(n * row->s1 + (1 + row->tf) * n / columns_of(shape, (double)shape->columns),
                         ldp_amp_freedom(shape), histogram);
}

/* The columns with which that variance is at most LOSS times n s1; D: the effective dimension there. */
static double columns_needed(const struct ldp_sketch_shape *shape, const struct ldp_histogram *histogram,
                             const struct ldp_protocol *row, double *D)
{
    *D = ldp_effective_dimension(histogram, sqrt(LOSS * (double)histogram->n * row->s1));
    const double c = 1 + ((1 + row->tf) / row->s1 + LOSS * *D / (double)shape->rows) / (LOSS - 1);
    return ceil(c / columns_of(shape, 1));
}

bool ldp_sketch_need(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                     struct ldp_sketch_need *need)
{
    if (protocol->oracle->estimate != ldp_sketch_estimate || histogram->n == 0)
        return false;
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    *need = (struct ldp_sketch_need){.rows = (double)sketch.shape.rows,
                                     .columns = (double)sketch.shape.columns,
                                     .is_amp = sketch.shape.decode == LDP_DECODE_AMP};
    need->enough = columns_needed(&sketch.shape, histogram, &sketch.row, &need->dimension);
    return isfinite(need->enough);
}

/* The least number by which s1, that of all unknowns, is within five per cent of that of p and q alone. */
static enum ldp_status fit_functions(struct ldp_oracle_spec *tried, size_t i, double epsilon, size_t d, double *number,
                                     struct ldp_reason *reason)
{
    static const double most = 1.05;
    const struct ldp_param *const param = &tried->oracle->params[i];
    double low = param->min - 1, high = param->max + 1;
    while (high - low > 1) {
        struct ldp_protocol protocol;
        tried->param[i] = floor((low + high) / 2);
        const enum ldp_status status = ldp_protocol_init(&protocol, tried, d, epsilon, reason);
        if (status != LDP_OK)
            return status;
        const double q = protocol.q, unit = q * (1 - q) / (protocol.gap * protocol.gap);
        *(protocol.flags & LDP_ORACLE_JOINT && protocol.s1 <= most * unit ? &high : &low) = tried->param[i];
    }
    *number = high;
    return high <= param->max
               ? LDP_OK
               : ldp_refuse(reason, "%s = auto: no number up to %.0f is enough", param->name, param->max);
}

/* s1 of the rows may depend on the columns: from the default on, those are taken that are enough by the last ones. */
enum ldp_status ldp_sketch_fit(const struct ldp_oracle_spec *spec, double epsilon,
                               const struct ldp_histogram *histogram, double *columns, struct ldp_reason *reason)
{
    enum { ROUNDS = 30 };
    struct ldp_oracle_spec tried = *spec;
    const struct ldp_param *const params = spec->oracle->params;
    size_t i = 0;
    while (params[i].name && !(params[i].kind == LDP_INTEGER_OR_AUTO && isnan(spec->param[i])))
        i++;
    if (!params[i].name)
        return ldp_refuse(reason, "expected a parameter that is auto, got none");
    tried.param[i] = params[i].fallback;
    if (!spec->oracle->rows)
        return fit_functions(&tried, i, epsilon, histogram->d, columns, reason);
    for (int round = 0; round < ROUNDS; round++) {
        struct ldp_protocol protocol;
        struct ldp_sketch_need need;
        const enum ldp_status status = ldp_protocol_init(&protocol, &tried, histogram->d, epsilon, reason);
        if (status != LDP_OK)
            return status;
        if (!ldp_sketch_need(&protocol, histogram, &need) || !need.is_amp)
            return ldp_refuse(reason, "%s = auto: expected decode amp, by whose variance it is chosen", params[i].name);
        if (round > 0 && need.enough <= tried.param[i]) {
            *columns = tried.param[i];
            return LDP_OK;
        }
        if (!(need.enough <= params[i].max))
            break;
        tried.param[i] = need.enough;
    }
    return ldp_refuse(reason, "%s = auto: no number up to %.0f is enough", params[i].name, params[i].max);
}

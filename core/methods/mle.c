/* mle.c - exact maximum likelihood where each report names one value, in closed form.
 *
 * The support counts c_v are counts of the reports, c ~ Multinomial(n; q + (p - q) f_v). The f on the simplex that
 * maximises sum_v c_v log(q + (p - q) f_v) is
 *
 *     f_v = max(0, theta (k + est_v) - k),   k = q / (p - q),   theta such that sum f = 1
 *
 * (k + est_v = c_v / (n (p - q)): at the optimum c_v / (k + f_v) is the same for all f_v > 0, and less for the others).
 * If m values are above 0 and their est sum to S, theta - 1 = (1 - S) / (m k + S). Dropping a value lowers theta, so a
 * dropped value never returns: start with all values, drop those that are not above 0, repeat.
 *
 * Source: Kairouz, Bonawitz, Ramage, ICML 2016 (decoding of k-RR by projection; here the maximum itself). Estimates
 * that no support counts from 0 to n give are replaced by the nearest that some support counts give; if all support
 * counts are 0, the answer is uniform. Cost: O(d) per pass, usually fewer than ten passes. */
#include "protocol/pure.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    const size_t d = protocol->d;
    const double range = protocol->gap, k = protocol->q / range, top = (1 - protocol->q) / range;
    double *const kept = scratch;
    size_t m = 0;
    for (size_t v = 0; v < d; v++) {
        out[v] = est[v] < top ? est[v] : top;
        if (out[v] + k > 0x1p-500) /* 1 / sum must be finite */
            kept[m++] = out[v];
    }
    double rise = 0, sum;
    size_t before;
    do {
        before = m;
        sum = ldp_sum(kept, before);
        rise = before ? (1 - sum) / ((double)before * k + sum) : 0;
        m = 0;
        for (size_t i = 0; i < before; i++)
            if (kept[i] + rise * (k + kept[i]) > 0)
                kept[m++] = kept[i];
    } while (m < before);
    for (size_t v = 0; v < d; v++) {
        const double f = m ? out[v] + rise * (k + out[v]) : 1;
        out[v] = f > 0 ? f : 0;
    }
    sum = ldp_sum(out, d); /* 1 up to rounding */
    for (size_t v = 0; v < d; v++)
        out[v] /= sum;
}

const struct ldp_method ldp_method_mle = {
    .name = "mle",
    .title = "Exact maximum likelihood of randomised response",
    .source = "Kairouz, Bonawitz, Ramage, ICML 2016",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .suits = ldp_names_one_value,
    .needs = "an oracle whose reports each name one value, such as grr",
    .scratch_bytes = ldp_numbers_bytes,
    .apply = apply,
};

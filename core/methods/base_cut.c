/* base_cut.c - estimates below a significance threshold become 0:
 *
 *     est'_v = est_v where est_v >= T, else 0,   T = Phi^-1(1 - alpha / d) sigma,
 *
 * sigma the standard deviation of an estimate whose true frequency is 0, each value's own where blocks differ. alpha is
 * the expected number of values of frequency 0 that pass.
 *
 * With `"tails": "exact"` T is the largest estimate that a value of frequency 0 exceeds with probability alpha / d at
 * most, by the law of its count or of the cells of a sketch: where these are few or uneven, more than alpha values pass
 * the normal threshold. Without the cells (Python's postprocess) a sketch has the normal one.
 *
 * Source: NDSS 2020, sec. IV-A, eq. 9 and 7 (no f-term); alpha = 2 is the paper's choice. If alpha / d >= 1/2, T would
 * not be positive, and the method equals base_pos. Cost: O(d). */
#include "laws/classes.h"
#include "methods/thresholds.h"
#include "numerics/numeric.h"
#include "simd/simd.h"

enum { ALPHA, TAILS };
enum { NORMAL, EXACT };
static const char *const tails[] = {"normal", "exact", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_REAL("alpha", 2, 1e-100, 1e15,
                   "expected number of false positives: zero-frequency values above the threshold"),
    LDP_PARAM_CHOICE("tails", tails, 0, 1,
                     "the distribution of such an estimate: normal, or that of its count or of a sketch's cells"),
    {.name = NULL},
};

/* Values with variances of their own: est_v >= T_v as est_v |est_v| >= T_v^2 = scale s1_v. */
LDP_INLINE void cut(const struct ldp_protocol *protocol, double scale, const double *est, double *restrict out)
{
    const struct ldp_law law = protocol->law;
    const double s1 = protocol->s1;
    for (size_t v = 0, d = protocol->d; v < d; v++) {
        const double x = est[v], T2 = scale * ldp_value_s1_in(&law, s1, v);
        out[v] = x * fabs(x) >= T2 ? x : 0;
    }
}

LDP_VECTORS(void, cut, (const struct ldp_protocol *protocol, double scale, const double *est, double *out),
            cut(protocol, scale, est, out))

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    const double tail = param[ALPHA] / (double)protocol->d;
    /* Phi^-1(1 - tail) = -Phi^-1(tail), without the rounding of 1 - tail. */
    const double z = tail < 0.5 ? -ldp_normal_quantile(tail) : 0;
    if (param[TAILS] == EXACT && tail < 0.5) {
        struct ldp_absent_thresholds thresholds = ldp_absent_thresholds_of(collection, tail);
        for (size_t v = 0; v < protocol->d; v++)
            out[v] = est[v] > fmax(ldp_threshold(&thresholds, v), 0) ? est[v] : 0;
        return;
    }
    if (protocol->law.trials) {
        LDP_BEST(cut)(protocol, z * z / (double)collection->n, est, out);
        return;
    }
    const double T = z * ldp_sigma(protocol, collection->n);
    for (size_t v = 0; v < protocol->d; v++)
        out[v] = est[v] >= T ? est[v] : 0;
}

const struct ldp_method ldp_method_base_cut = {
    .name = "base_cut",
    .title = "Estimates below a threshold set to 0",
    .source = "NDSS 2020, sec. IV-A, eq. 9",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .params = params,
    .apply = apply,
};

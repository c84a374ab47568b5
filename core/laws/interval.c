/* interval.c - common functions of intervals. */
#include "laws/interval.h"

#include "numerics/numeric.h"

#include <stdlib.h>

/* Up to this level values that share cells have normal tails: 97 % are covered at 99 (studies/intervals.md). */
static const double SHARED_CELLS_MOST = 0.95;

/* True if the error of a value depends on which others are in its cells: all decoders of a sketch but amp, whose cells
 * are free of the frequent values. */
static bool shares_cells(const struct ldp_protocol *protocol)
{
    return protocol->oracle->rows && protocol->law.square < 0;
}

bool ldp_interval_by_sets(const struct ldp_protocol *protocol)
{
    return protocol->flags & (LDP_ORACLE_LEVELS | LDP_ORACLE_SETS);
}

enum ldp_status ldp_interval_will_suit(const struct ldp_interval *interval, const struct ldp_protocol *protocol,
                                       struct ldp_reason *reason)
{
    struct ldp_protocol observed = *protocol;
    double *support = NULL;
    if (protocol->flags & LDP_ORACLE_UNEVEN && protocol->oracle->observe) { /* of blocks the reports are known */
        support = calloc(protocol->support_size, sizeof *support);
        if (!support)
            return LDP_ENOMEM;
        observed = ldp_observed(&(struct ldp_collection){protocol, 1, support, NULL}, NULL);
    }
    const bool suits = !interval->suits || interval->suits(&observed);
    free(support);
    return suits ? LDP_OK
                 : ldp_refuse(reason, "%s intervals do not suit %s: %s", interval->name, protocol->oracle->name,
                              interval->unsuited);
}

enum ldp_status ldp_interval_suits(const struct ldp_interval *interval, const struct ldp_protocol *protocol,
                                   double level, struct ldp_reason *reason)
{
    const char *const name = protocol->oracle->name;
    if (protocol->flags & LDP_ORACLE_BIASED)
        return ldp_refuse(reason, "the estimates of %s are biased", name);
    if (interval->suits && !interval->suits(protocol))
        return ldp_refuse(reason, "%s intervals do not suit %s: %s", interval->name, name, interval->unsuited);
    if (ldp_interval_by_sets(protocol))
        return ldp_refuse(reason, "variances of %s differ by value: intervals of sets and ranges suit it", name);
    if (protocol->oracle->variance && !(protocol->oracle->observe && protocol->law.known))
        return ldp_refuse(reason, "the distribution of estimates of %s depends on the unknown collection%s", name,
                          protocol->oracle->rows && protocol->flags & LDP_ORACLE_PREDICTED
                              ? ": amp has not converged, or has few cells for such data"
                              : "");
    if (interval->takes_cells && !protocol->law.decoded)
        return ldp_refuse(reason, "%s intervals need the cells of a sketch, not the estimates alone", interval->name);
    if (!interval->takes_cells && shares_cells(protocol) && level > SHARED_CELLS_MOST + 1e-9)
        return ldp_refuse(
            reason, "values share cells of %s, so %s intervals are too short above 95 %%: permutation keeps its level",
            name, interval->name);
    return LDP_OK;
}

bool ldp_interval_normal_tails(const struct ldp_protocol *protocol)
{
    return !(protocol->flags & LDP_ORACLE_SKETCH);
}

double ldp_interval_z(double alpha)
{
    return -ldp_normal_quantile(alpha / 2);
}

/* f solves a quadratic equation. If no f is a solution, the estimate is further outside [0, 1] than noise explains. */
void ldp_score_interval(const struct ldp_variance_terms *spread, double n, double z, double x, double *low,
                        double *high)
{
    const double scale = z * z / n, b = scale * spread->tf, A = 1 - scale * spread->square,
                 square =
                     scale * (spread->s1 + spread->tf * x + spread->square * (x * x - scale * spread->s1)) + b * b / 4,
                 half = square > 0 ? sqrt(square) : 0;
    const double from = (x + b / 2 - half) / A, to = (x + b / 2 + half) / A;
    *low = from < 0 ? 0 : from > 1 ? 1 : from;
    *high = to < 0 ? 0 : to > 1 ? 1 : to;
}

double ldp_interval_sd(const struct ldp_collection *collection, size_t v, double f)
{
    const struct ldp_variance_terms spread = ldp_variance_terms_of(collection->protocol, v);
    const double clipped = f < 0   ? 0
                           : f > 1 ? 1
                                   : f,
                 variance = spread.s1 + spread.tf * clipped + spread.square * clipped * clipped;
    return sqrt((variance > 0 ? variance : 0) / (double)collection->n);
}

double ldp_interval_threshold(const double *est, size_t d, size_t k, double *work)
{
    memcpy(work, est, d * sizeof *work);
    ldp_sort(work, d, work + d);
    return work[d - 1 - k];
}

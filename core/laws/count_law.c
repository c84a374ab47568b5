/* count_law.c - see count_law.h.
 *
 * Tails are computed by the saddle point of K(t) = n_v log(1 - p + p e^t) + (n - n_v) log(1 - q + q e^t), with K'(t) =
 * c (a square in e^t) and the lattice correction:
 *
 *     w = sgn t sqrt(2 (t c - K)),   u = (1 - e^-t) sqrt(K''),   P(C >= c) = Phi(-w) + phi(w) (1/u - 1/w)
 *
 * with a relative error below 4e-4 for n q = 9 to 250. C grows with n_v, also given that it is at least some number, so
 * ends are found by bisection. Source: Lugannani and Rice 1980. Cost of an interval: two bisections of at most 53
 * steps; values with the same count share it. */
#include "laws/count_law.h"

#include "numerics/numeric.h"

static const double inverse_sqrt_2pi = 0.39894228040143268, few = 1000;

/* The normal law's argument w and the correction 1/u - 1/w at c, 0 < c < n. Close to the mean their differences cancel:
 * there w = t s and the correction is its limit, 1/(2 s) - K'''/(6 s^3), s^2 = K''. */
static void saddle_point(const struct ldp_count_law *law, double c, double *w, double *correction)
{
    const double p = law->p, q = law->q, m = law->own, r = law->others, n = m + r;
    const double A = (n - c) * p * q, C = c * (1 - p) * (1 - q),
                 B = m * p * (1 - q) + r * q * (1 - p) - c * (p * (1 - q) + q * (1 - p)),
                 root = sqrt(B * B + 4 * A * C), x = B > 0 ? 2 * C / (B + root) : (root - B) / (2 * A), t = ldp_log(x);
    const double own = p * x / (1 - p + p * x), other = q * x / (1 - q + q * x), own_square = m * own * (1 - own),
                 other_square = r * other * (1 - other), s = sqrt(own_square + other_square);
    if (fabs(t) < 1e-5) {
        const double third = own_square * (1 - 2 * own) + other_square * (1 - 2 * other);
        *w = t * s;
        *correction = 1 / (2 * s) - third / (6 * s * s * s);
        return;
    }
    const double K = m * ldp_log1p(p * (x - 1)) + r * ldp_log1p(q * (x - 1));
    const double square = 2 * (t * c - K), size = square > 0 ? sqrt(square) : 0, u = (1 - 1 / x) * s;
    *w = t < 0 ? -size : size;
    *correction = 1 / u - 1 / *w;
}

double ldp_count_log_tail(const struct ldp_count_law *law, double c)
{
    const double n = law->own + law->others;
    if (c <= 0)
        return 0;
    if (c > n)
        return -INFINITY;
    if (law->own * law->p + law->others * law->q >= n) /* more own users than the trials can come from */
        return 0;
    if (c >= n)
        return fmin(law->own * ldp_log(law->p) + law->others * ldp_log(law->q), 0);
    double w, correction;
    saddle_point(law, c, &w, &correction);
    return w > 0 ? ldp_log(ldp_normal_tail_scaled(w) + inverse_sqrt_2pi * correction) - w * w / 2
                 : ldp_log(ldp_normal_tail(w) + inverse_sqrt_2pi * ldp_exp(-w * w / 2) * correction);
}

double ldp_count_tail(const struct ldp_count_law *law, double c)
{
    const double n = law->own + law->others;
    if (c <= 0)
        return 1;
    if (c > n)
        return 0;
    if (c >= n || law->own * law->p + law->others * law->q >= n)
        return ldp_exp(ldp_count_log_tail(law, c));
    double w, correction;
    saddle_point(law, c, &w, &correction);
    return ldp_normal_tail(w) + inverse_sqrt_2pi * ldp_exp(-w * w / 2) * correction;
}

double ldp_count_largest(const struct ldp_count_law *law, double share)
{
    double low = 0, high = law->own + law->others + 1;
    while (high - low > 1) {
        const double middle = floor(low + (high - low) / 2);
        *(ldp_count_tail(law, middle) >= share ? &low : &high) = middle;
    }
    return low;
}

struct ldp_count_trials ldp_count_trials_of(const struct ldp_protocol *protocol, uint64_t n, size_t v)
{
    if (!protocol->law.trials)
        return (struct ldp_count_trials){(double)n, protocol->p, protocol->q, 0};
    return ldp_count_trials_with(protocol, n, protocol->law.trials[v]);
}

struct ldp_count_trials ldp_count_trials_with(const struct ldp_protocol *protocol, uint64_t n, double trials)
{
    const double users = (double)n, q = protocol->q, offset = protocol->law.elsewhere * (users - trials),
                 absent = trials > 0 ? (users * q - offset) / trials : q;
    return (struct ldp_count_trials){trials, absent + protocol->gap, absent, offset};
}

/* As ldp_count_least; half: with P(C > c) + P(C = c) / 2 >= share. */
static double least(const struct ldp_count_trials *trials, double n, double c, double given, double share, bool half)
{
    const double requested = ldp_log(share);
    double low = -1, high = n + 1;
    while (high - low > 1) {
        const double middle = floor(low + (high - low) / 2);
        const struct ldp_count_law law = {trials->p, trials->q, middle, trials->trials - middle};
        const bool enough = half        ? ldp_count_tail(&law, c) + ldp_count_tail(&law, c + 1) >= 2 * share
                            : given > 0 ? ldp_count_log_tail(&law, c) - ldp_count_log_tail(&law, given) >= requested
                                        : ldp_count_tail(&law, c) >= share;
        *(enough ? &high : &low) = middle;
    }
    return high;
}

double ldp_count_least(const struct ldp_count_trials *trials, double n, double c, double given, double share)
{
    return least(trials, n, c, given, share, false);
}

bool ldp_count_law_suits(const struct ldp_protocol *protocol)
{
    /* A variance of its own: shared hash functions, whose counts are not binomial. */
    const double q = protocol->q, s1 = protocol->s1 * protocol->gap * protocol->gap;
    if (protocol->oracle->estimate || protocol->oracle->variance || protocol->flags & LDP_ORACLE_REAL || !(q > 0))
        return false;
    /* Signs that support by a share, as those of hm, have another variance. */
    return protocol->law.trials || (!(protocol->flags & LDP_ORACLE_UNEVEN) && fabs(s1 - q * (1 - q)) <= 1e-9);
}

bool ldp_counts_are_few(const struct ldp_protocol *protocol, uint64_t n, size_t v)
{
    if (!ldp_count_law_suits(protocol))
        return false;
    const struct ldp_count_trials trials = ldp_count_trials_of(protocol, n, v);
    return trials.trials * trials.q < few;
}

/* The count of an estimate, which need not be whole. */
static double real_count(const struct ldp_collection *collection, const struct ldp_count_trials *trials, double x)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    return (double)collection->n * (protocol->q + protocol->gap * x) - trials->offset;
}

double ldp_count_of(const struct ldp_collection *collection, const struct ldp_count_trials *trials, double x)
{
    const double count = nearbyint(real_count(collection, trials, x));
    return count < 0 ? 0 : count > trials->trials ? trials->trials : count;
}

double ldp_count_above(const struct ldp_collection *collection, const struct ldp_count_trials *trials, double x)
{
    static const double rounding = 1e-6; /* of an estimate that is a count */
    const double count = real_count(collection, trials, x);
    if (!collection->protocol->law.trials)
        return ldp_count_of(collection, trials, x) + 1; /* one lattice, which x is on but for a method's shift */
    return fmax(floor(count + rounding) + 1, 0);
}

void ldp_count_intervals_init(struct ldp_count_intervals *room, double above, double below)
{
    room->above = above;
    room->below = below;
    room->half = false;
    for (size_t i = 0; i < LDP_COUNT_ROOM; i++)
        room->count[i] = -1;
}

/* That of a count, with so many users who may have the value. */
static void interval_of(const struct ldp_count_trials *trials, double users, double c, struct ldp_count_intervals *room,
                        double *low, double *high)
{
    const size_t position = (size_t)(((uint64_t)c + 61 * (uint64_t)trials->trials) % LDP_COUNT_ROOM);
    if (room->count[position] != c || room->trials[position] != trials->trials) {
        /* P(C <= c) >= above where P(C >= c + 1) <= 1 - above: so the end is just before the first n_v beyond that. */
        const double from = least(trials, users, c, 0, room->below, room->half),
                     to = least(trials, users, room->half ? c : c + 1, 0, 1 - room->above, room->half) - 1;
        room->count[position] = c;
        room->trials[position] = trials->trials;
        room->high[position] = (to < 0 ? 0 : to) / users;
        room->low[position] = fmin((from > users ? users : from) / users, room->high[position]);
    }
    *low = room->low[position];
    *high = room->high[position];
}

void ldp_count_interval(const struct ldp_collection *collection, struct ldp_count_intervals *room, size_t v,
                        double *low, double *high)
{
    const struct ldp_count_trials trials = ldp_count_trials_of(collection->protocol, collection->n, v);
    interval_of(&trials, (double)collection->n, ldp_count_of(collection, &trials, collection->est[v]), room, low, high);
}

size_t ldp_count_scratch(size_t d)
{
    return sizeof(struct ldp_count_intervals);
}

void ldp_count_each(const struct ldp_collection *collection, double level, bool half, void *scratch, double *low,
                    double *high)
{
    struct ldp_count_intervals *const room = scratch;
    ldp_count_intervals_init(room, (1 - level) / 2, (1 - level) / 2);
    room->half = half;
    for (size_t v = 0; v < collection->protocol->d; v++)
        ldp_count_interval(collection, room, v, &low[v], &high[v]);
}

/* Counts over shared hash functions are near a binomial law with fewer trials, by the factor of their variances: its
 * tails are as long. 0: it has none, or so many that a normal law is near. */
static double near_trials(const struct ldp_collection *collection, const struct ldp_variance_terms *spread)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double q = protocol->q, gap = protocol->gap, factor = spread->s1 * gap * gap / (q * (1 - q)),
                 trials = floor((double)collection->n / factor);
    return protocol->oracle->variance && !protocol->oracle->estimate && !(protocol->flags & LDP_ORACLE_REAL) &&
                   trials * q < few
               ? trials
               : 0;
}

void ldp_far_intervals(const struct ldp_collection *collection, double alpha, struct ldp_count_intervals *room,
                       double *low, double *high)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double z = ldp_interval_z(alpha);
    ldp_count_intervals_init(room, alpha / 2, alpha / 2);
    for (size_t v = 0; v < protocol->d; v++) {
        const struct ldp_variance_terms spread = ldp_variance_terms_of(protocol, v);
        const double near = near_trials(collection, &spread), x = collection->est[v];
        const struct ldp_count_trials trials = {near, protocol->p, protocol->q, 0};
        if (ldp_counts_are_few(protocol, collection->n, v))
            ldp_count_interval(collection, room, v, &low[v], &high[v]);
        else if (near > 0)
            interval_of(&trials, near, fmin(fmax(nearbyint(near * (trials.q + protocol->gap * x)), 0), near), room,
                        &low[v], &high[v]);
        else
            ldp_score_interval(&spread, (double)collection->n, z, x, &low[v], &high[v]);
    }
}

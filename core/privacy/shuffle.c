/* shuffle.c - the central privacy of shuffled reports, by each oracle's own law of reports.
 *
 * P(y | x) = e gamma U(y) if y supports x, else gamma U(y), with a law U that does not depend on x, e = exp(epsilon) of
 * a client. With u1 = U(supports x0), u2 = U(supports x0 and x1), gamma = 1/(1 + (e-1) u1).
 *
 * Upper values: each of the n users, with probability gamma, sends a report of U in place of one about their own value.
 * With x = exp(central epsilon), N10 of n such reports support x0 alone, and so on:
 *
 *     delta = 1/n E[((e - x) N10 + (1 - e x) N01 + e (1 - x) N11 + (1 - x) N00)_+],
 *     (N10, N01, N11, N00) ~ Multinomial(n; gamma (u1-u2), gamma (u1-u2), gamma u2, gamma (1 - 2 u1 + u2))
 *
 * (Balle, Bell, Gascon, Nissim, CRYPTO 2019, lemma 5.3, with the exact law). The less u2, the larger delta. For any
 * client, 1/(e+1) of N10 and of N01 and nothing else (Feldman, McMillan, Talwar, SODA 2023), which is u1 = 1/2, u2 = 0.
 *
 * Lower values: exact delta of two collections, x0 and x1 among n - 1 users who all have x2, or all x1:
 *
 *     delta = 1/n E[(sum_i (P(y_i | x0) - x P(y_i | x1)) / P(y_i | x2))_+],   y_i ~ P(. | x2).
 *
 * overshoot.c encloses both expectations. Widened by 1e-4, the upper value of epsilon is about 5e-5 of it above the
 * bound itself. delta decreases in epsilon, and where parameters do not change it increases in the clients'. */
#include "privacy/shuffle.h"

#include "laws/overshoot.h"
#include "numerics/numeric.h"
#include "random/coin.h"

#include <assert.h>
#include <inttypes.h>

static const double ROUGH = 1e-2, FINE = 1e-4; /* widening */
enum { STEPS_MAX = 60 };
static const double LEAST = 1e-12; /* a central epsilon below is 0 */
static const double SCAN = 1.04;   /* from one epsilon of clients to the next */

static double gamma_of(const struct ldp_overlap *overlap)
{
    return 1 / (1 + ldp_expm1(overlap->epsilon) * overlap->one);
}

double ldp_overlap_alpha(const struct ldp_overlap *overlap)
{
    return gamma_of(overlap) * (overlap->one - overlap->two);
}

double ldp_shuffle_mu(const struct ldp_overlap *overlap, uint64_t n)
{
    return sqrt(2 * ldp_overlap_alpha(overlap) / (double)n) * ldp_expm1(overlap->epsilon);
}

/* e^(-a^2/2) (R(a) - R(b)), R(x) = P(Z > x) e^(x^2/2), b^2 - a^2 = 2 epsilon. */
static double gaussian_delta(double mu, double epsilon)
{
    const double a = epsilon / mu - mu / 2, b = epsilon / mu + mu / 2, scale = ldp_exp(-a * a / 2);
    return (a < 0 ? ldp_normal_tail(a) : scale * ldp_normal_tail_scaled(a)) - scale * ldp_normal_tail_scaled(b);
}

double ldp_shuffle_gaussian(double epsilon, double delta)
{
    double low = 0, high = 1;
    while (gaussian_delta(high, epsilon) < delta)
        high *= 2;
    while (high - low > 1e-12 * high) {
        const double middle = (low + high) / 2;
        *(gaussian_delta(middle, epsilon) < delta ? &low : &high) = middle;
    }
    return low;
}

/* ---- Sums whose positive part is n delta ---- */

/* Which others: the bound, or all with one value. */
enum others { ANY, THIRD, SECOND };

static void add(struct ldp_terms *terms, double share, double value)
{
    terms->share[terms->size] = fmax(0, share);
    terms->value[terms->size++] = value;
}

/* e^epsilon is `over` at x. Differences of powers are by expm1: a central epsilon may be 1e-9. */
static struct ldp_terms terms_of(const struct ldp_overlap *overlap, uint64_t n, double epsilon, enum others others)
{
    const double one = overlap->one, two = overlap->two, three = overlap->three, gamma = gamma_of(overlap);
    const double e = ldp_exp(overlap->epsilon), x = ldp_exp(epsilon), over = ldp_expm1(epsilon);
    const double alone = x * ldp_expm1(overlap->epsilon - epsilon), other = -ldp_expm1(overlap->epsilon + epsilon);
    struct ldp_terms terms = {.n = n};
    if (others == ANY) {
        add(&terms, gamma * (one - two), alone);
        add(&terms, gamma * (one - two), other);
        add(&terms, gamma * two, -e * over);
        add(&terms, gamma * (1 - 2 * one + two), -over);
    } else if (others == SECOND) {
        add(&terms, gamma * (one - two), alone);
        add(&terms, gamma * (one - two) * e, other / e);
        add(&terms, gamma * two * e, -over);
        add(&terms, gamma * (1 - 2 * one + two), -over);
    } else {
        const double pair = two - three, single = one - 2 * two + three;
        add(&terms, gamma * single, alone);
        add(&terms, gamma * single, other);
        add(&terms, gamma * pair, -e * over);
        add(&terms, gamma * (1 - 3 * one + 3 * two - three), -over);
        add(&terms, gamma * pair * e, alone / e);
        add(&terms, gamma * pair * e, other / e);
        add(&terms, gamma * three * e, -over);
        add(&terms, gamma * single * e, -over / e);
    }
    return terms;
}

static struct ldp_enclosure delta_of(const struct ldp_overlap *overlap, uint64_t n, double epsilon, enum others others,
                                     double widening)
{
    if (epsilon >= overlap->epsilon)
        return (struct ldp_enclosure){0, 0};
    const struct ldp_terms terms = terms_of(overlap, n, epsilon, others);
    const struct ldp_enclosure sum = ldp_overshoot(&terms, widening);
    return (struct ldp_enclosure){sum.low / (double)n, fmin(1, sum.high / (double)n)};
}

struct ldp_bracket ldp_shuffle_delta(const struct ldp_overlap *overlap, uint64_t n, double epsilon)
{
    assert(n >= 2 && epsilon >= 0);
    double lower = overlap->attained ? delta_of(overlap, n, epsilon, SECOND, FINE).low : 0;
    if (overlap->attained && !isnan(overlap->three))
        lower = fmax(lower, delta_of(overlap, n, epsilon, THIRD, FINE).low);
    return (struct ldp_bracket){lower, delta_of(overlap, n, epsilon, ANY, FINE).high};
}

/* ---- Inversion ---- */

struct search {
    const struct ldp_overlap *overlap;
    uint64_t n;
    double delta;
    enum others others;
};

/* log(delta found / delta requested): an upper value for ANY, a lower one else; rough: the middle. */
static double excess(const struct search *search, double epsilon, bool rough)
{
    const struct ldp_enclosure found =
        delta_of(search->overlap, search->n, epsilon, search->others, rough ? ROUGH : FINE);
    const double value = rough ? (found.low + found.high) / 2 : search->others == ANY ? found.high : found.low;
    return value > 0 ? ldp_log(value / search->delta) : -1e300;
}

/* The middle to 1e-7 of it: high is halved as long as it is too large, then a line through both ends (Illinois). */
static double rough_root(const struct search *search, double high)
{
    double low = high / 2, at_low = excess(search, low, true), at_high = -1;
    for (; at_low <= 0; high = low, at_high = at_low, low /= 2, at_low = excess(search, low, true))
        if (low < LEAST)
            return 0;
    int stays = 0; /* how often one end has stayed: > 0 the low one */
    for (int i = 0; i < STEPS_MAX && high - low > 1e-7 * high; i++) {
        const double at = at_high < -50 ? (low + high) / 2 : low + (high - low) * at_low / (at_low - at_high);
        const double found = excess(search, at, true);
        if (found > 0) {
            low = at, at_low = found;
            at_high = stays < 0 ? at_high / 2 : at_high;
            stays = -1;
        } else {
            high = at, at_high = found;
            at_low = stays > 0 ? at_low / 2 : at_low;
            stays = 1;
        }
    }
    return (low + high) / 2;
}

/* An epsilon whose excess is <= 0 for ANY, >= 0 else, within about 1e-6 of the nearest one. */
static double root(const struct search *search)
{
    const double sign = search->others == ANY ? 1 : -1, local = search->overlap->epsilon;
    double at = rough_root(search, local), margin = 2e-7;
    if (at == 0)
        return 0;
    const double slope = (excess(search, at * (1 + 1e-4), true) - excess(search, at, true)) / (1e-4 * at);
    for (int i = 0; i < STEPS_MAX && at > 0 && at < local; i++, margin *= 4) {
        const double found = excess(search, at, false);
        if (sign * found <= 0 && i > 0)
            return at;
        at += sign * margin * at - found / slope;
    }
    return sign > 0 ? local : 0;
}

struct ldp_bracket ldp_shuffle_epsilon(const struct ldp_overlap *overlap, uint64_t n, double delta)
{
    assert(n >= 2 && delta > 0 && delta < 1);
    struct search search = {overlap, n, delta, SECOND};
    double lower = overlap->attained ? root(&search) : 0;
    search.others = THIRD;
    if (overlap->attained && !isnan(overlap->three))
        lower = fmax(lower, root(&search));
    search.others = ANY;
    return (struct ldp_bracket){lower, root(&search)};
}

/* ---- The clients' epsilon ---- */

/* 0.0 to six digits, rounded down: the nearest double of a short decimal number. */
static double six_digits(double x)
{
    double scale = 1;
    for (; x * scale < 1e5; scale *= 10)
        ;
    for (; x * scale >= 1e6; scale /= 10)
        ;
    return floor(x * scale) / scale;
}

/* A collection whose clients' epsilon is to be found. */
struct local {
    const struct ldp_oracle_spec *spec;
    size_t d;
    const struct ldp_central *central;
};

/* Whether upper delta is not above delta with this epsilon of clients. */
static bool suffices(const struct local *local, double epsilon, bool rough)
{
    struct ldp_protocol protocol;
    if (ldp_protocol_init(&protocol, local->spec, local->d, epsilon, NULL) != LDP_OK)
        return true; /* refused, perhaps as too small: the end says so */
    const struct ldp_overlap overlap = ldp_overlap_of(&protocol);
    const struct search search = {&overlap, local->central->n, local->central->delta, ANY};
    return excess(&search, local->central->epsilon, rough) <= 0;
}

static double halved(const struct local *local, double low, double high, double width, bool rough)
{
    while (high - low > width * low) {
        const double middle = (low + high) / 2;
        *(suffices(local, middle, rough) ? &low : &high) = middle;
    }
    return low;
}

enum ldp_status ldp_central_check(const struct ldp_protocol *protocol, const struct ldp_central *central,
                                  struct ldp_reason *reason)
{
    if (!(central->epsilon > 0 && isfinite(central->epsilon)))
        return ldp_refuse(reason, "central epsilon = %g: expected a finite number > 0", central->epsilon);
    if (!(central->delta > 0 && central->delta < 1))
        return ldp_refuse(reason, "delta = %g: expected a number between 0 and 1, both excluded", central->delta);
    if (central->n < 2 || central->n > LDP_USERS_MAX)
        return ldp_refuse(reason, "n = %" PRIu64 ": expected 2 users or more to shuffle", central->n);
    if (protocol->flags & LDP_ORACLE_NOT_PRIVATE)
        return ldp_refuse(reason, "%s is not private, whatever is shuffled", protocol->oracle->name);
    return LDP_OK;
}

enum ldp_status ldp_shuffle_local(const struct ldp_oracle_spec *spec, size_t d, const struct ldp_central *central,
                                  double most, double *epsilon, struct ldp_reason *reason)
{
    const struct local local = {spec, d, central};
    struct ldp_protocol protocol = {.oracle = spec->oracle, .flags = spec->oracle->flags};
    if (ldp_central_check(&protocol, central, reason) != LDP_OK)
        return LDP_EINVAL;
    /* Reports protect as much one by one. Where a parameter changes, as the k of ss does, delta jumps, so that there
     * may be several such epsilons. */
    const double least = fmin(central->epsilon, most);
    double low = most, high = most;
    for (; low > least && !suffices(&local, low, true); low = fmax(least, low / SCAN))
        high = low;
    low = high = halved(&local, low, high, 1e-5, true);
    while (low > least && !suffices(&local, low, false))
        low = fmax(least, low * (1 - 1e-3));
    low = halved(&local, low, high, 1e-6, false);
    *epsilon = low < most ? six_digits(low) : most;
    const enum ldp_status status = ldp_protocol_init(&protocol, spec, d, *epsilon, reason);
    return status == LDP_OK ? ldp_central_check(&protocol, central, reason) : status;
}

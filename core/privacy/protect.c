/* protect.c - what memoized responses of bits and of symbols protect over T rounds.
 *
 * Values that stay, exact: with W(a, c, T) = a p2^c (1-p2)^(T-c) + (1-a) q2^c (1-q2)^(T-c), the probability of c ones
 * of a bit whose memoized response is 1 with probability a, the largest ratio is W(p1,T,T) W(q1,0,T) / (W(q1,T,T)
 * W(p1,0,T)); of symbols (p1 p2^T + (1-p1) q2^T) / (q1 p2^T + (1-q1) q2^T).
 *
 * Any two sequences. A sequence divides the rounds into blocks, a memoized response each, whose reports are
 * independent. No more: the likeliest reports of a block have a logarithm that is convex in its size, so those of all
 * blocks are at most as likely as those of one block of T rounds; the least likely ones of a block of s rounds have at
 * least s times the least logarithm for a round, over blocks of all sizes. No less: one sequence has k blocks of
 * neighbouring rounds, the other k2 that are spread over all rounds, so that each of the first meets each of the second
 * in s rounds, k k2 s <= T; each block of the first reports its own symbol, or its bits all alike. k and k2 are powers
 * of 2, or T. Rounds that are left over only add. */
#include "privacy/rounds.h"

#include <math.h>

enum { BITS_BLOCK = 32, SYMBOLS_BLOCK = 128 }; /* the least logarithm of larger blocks is bounded */

/* log(a e^x + (1 - a) e^y) */
static double mixture(double a, double x, double y)
{
    if (a <= 0 || a >= 1)
        return a > 0 ? x : y;
    const double most = fmax(x, y);
    return most + ldp_log(a * ldp_exp(x - most) + (1 - a) * ldp_exp(y - most));
}

/* The next number of blocks after k, up to `most` of T: 1, 2, 4, .., T. */
static size_t next_blocks(size_t k, size_t rounds)
{
    return 2 * k < rounds || k == rounds ? 2 * k : rounds;
}

/* ---- Bits ---- */

double ldp_rounds_bits_law(const struct ldp_rounds *rounds, double a, double ones, double size)
{
    const double zeros = size - ones;
    return mixture(a, ones * ldp_log(rounds->p2) + zeros * ldp_log(1 - rounds->p2),
                   ones * ldp_log(rounds->q2) + zeros * ldp_log(1 - rounds->q2));
}

static double bits_unchanged(const struct ldp_rounds *rounds, double t)
{
    const double p1 = rounds->p1, q1 = rounds->q1;
    return ldp_rounds_bits_law(rounds, p1, t, t) + ldp_rounds_bits_law(rounds, q1, 0, t) -
           ldp_rounds_bits_law(rounds, q1, t, t) - ldp_rounds_bits_law(rounds, p1, 0, t);
}

/* The most that one bit adds, whether it is that of a value of the first and of the second sequence. */
static double bit_ratio(const struct ldp_rounds *rounds, size_t k, size_t k2, size_t s, bool first, bool second)
{
    const double q1 = rounds->q1, p1 = rounds->p1, row = (double)(k2 * s), spread = (double)(k * s);
    const double one = ldp_rounds_bits_law(rounds, q1, row, row), zero = ldp_rounds_bits_law(rounds, q1, 0, row),
                 own_one = first ? ldp_rounds_bits_law(rounds, p1, row, row) - one : 0,
                 own_zero = first ? ldp_rounds_bits_law(rounds, p1, 0, row) - zero : 0;
    double best = -INFINITY;
    for (size_t ones = 0; ones <= k; ones++) {
        const double among = (double)(ones * s), law = ldp_rounds_bits_law(rounds, q1, among, spread);
        const double own = ones == 0   ? own_zero
                           : ones == k ? own_one
                                       : fmax(own_one, own_zero); /* the own block is either */
        const double own2 = second ? ldp_rounds_bits_law(rounds, p1, among, spread) - law : 0;
        best = fmax(best, (double)ones * one + (double)(k - ones) * zero + own - (double)k2 * law - own2);
    }
    return best;
}

static double bits_pair(const struct ldp_rounds *rounds, size_t k, size_t k2)
{
    const size_t d = rounds->d, s = rounds->rounds / (k * k2), both = k + k2 > d ? k + k2 - d : 0;
    double sum = 0;
    const struct {
        size_t values;
        bool first, second;
    } of[] = {{d + both - k - k2, false, false}, {k - both, true, false}, {k2 - both, false, true}, {both, true, true}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].values > 0)
            sum += (double)of[i].values * bit_ratio(rounds, k, k2, s, of[i].first, of[i].second);
    return sum;
}

/* A bound of what one bit adds, whose memoized responses are 1 with probability q1, or with p1 as well: the lesser of
 * two, in one of which the likeliest reports are those that every memoized response would make likely, in the other
 * those of a single block. */
static double bit_bound(const struct ldp_rounds *rounds, bool either)
{
    const double t = (double)rounds->rounds, q1 = rounds->q1, p1 = either ? rounds->p1 : q1;
    const double lp = ldp_log(rounds->p2),
                 lq = ldp_log(1 - rounds->q2); /* of a report that a memoized response makes likely */
    const double most = fmax(fmax(ldp_rounds_bits_law(rounds, p1, t, t), ldp_rounds_bits_law(rounds, q1, t, t)),
                             fmax(ldp_rounds_bits_law(rounds, p1, 0, t), ldp_rounds_bits_law(rounds, q1, 0, t)));
    double rate = 0, gain = 0;
    for (size_t s = 1; s <= rounds->rounds && s <= BITS_BLOCK; s++)
        for (size_t ones = 0; ones <= s; ones++) {
            const double size = (double)s, one = (double)ones;
            const double law =
                fmin(ldp_rounds_bits_law(rounds, p1, one, size), ldp_rounds_bits_law(rounds, q1, one, size));
            rate = fmax(rate, -law / size);
            gain = fmax(gain, (one * lp + (size - one) * lq - law) / size);
        }
    if (rounds->rounds > BITS_BLOCK) {
        /* W is at least each of its two terms, which are alike where a share x of the reports is 1. */
        const double zero = lq - ldp_log(1 - rounds->p2), one = lp - ldp_log(rounds->q2), x = zero / (zero + one);
        const double rest = -ldp_log(fmin(fmin(q1, 1 - q1), fmin(p1, 1 - p1))) / BITS_BLOCK;
        rate = fmax(rate, -x * lp - (1 - x) * (lq - zero) + rest);
        gain = fmax(gain, x * one + rest);
    }
    return fmin(most + t * rate, t * gain);
}

void ldp_rounds_protect_bits(const struct ldp_rounds *rounds, struct ldp_protection *out)
{
    const size_t t = rounds->rounds;
    const double d = (double)rounds->d, values = fmin(d, 2 * (double)t); /* of one of the two sequences, at most */
    out->unchanged = bits_unchanged(rounds, (double)t);
    out->accounted = fmin(d, (double)t) * rounds->epsilon;
    for (size_t k = 1; k <= t && k <= rounds->d; k = next_blocks(k, t)) {
        out->sequence_low = fmax(out->sequence_low, (double)k * bits_unchanged(rounds, (double)(t / k)));
        for (size_t k2 = 1; k * k2 <= t && k2 <= rounds->d; k2 = next_blocks(k2, t))
            out->sequence_low = fmax(out->sequence_low, bits_pair(rounds, k, k2));
    }
    out->sequence_high = values * bit_bound(rounds, true) + (d - values) * bit_bound(rounds, false);
}

/* ---- Symbols ---- */

/* log(p1 p2^T + (1 - p1) q2^T): a value's own symbol T times; or another one's, with q1 for p1. */
static double symbol_law(const struct ldp_rounds *rounds, double a, double size)
{
    return mixture(a, size * ldp_log(rounds->p2), size * ldp_log(rounds->q2));
}

/* The log of the ratio for sequences of k and k2 of the m values. */
static double symbols_pair(const struct ldp_rounds *rounds, double m, size_t k, size_t k2)
{
    const double s = (double)(rounds->rounds / (k * k2)), n = (double)k, p1 = rounds->p1, q1 = (1 - p1) / (m - 1);
    const double gain = s * ldp_log(rounds->p2 / rounds->q2); /* of a memoized response that s of the reports name */
    const double apart = fmin((double)k2, m - n);             /* values of the second sequence that nobody reports */
    const double not_own = p1 + (m - 1 - n) * q1 + n * q1 * ldp_exp(gain),
                 own = (m - n) * q1 + (p1 + (n - 1) * q1) * ldp_exp(gain);
    return n * symbol_law(rounds, p1, s * (double)k2) - (double)k2 * n * s * ldp_log(rounds->q2) -
           apart * ldp_log(not_own) - ((double)k2 - apart) * ldp_log(own);
}

/* The least log of the probability of s reports of one value: sum over memoized responses of pi(memoized response) p2^c
 * q2^(s-c), c of them named; those of other values as evenly as possible, of the own value no more. */
static double symbols_least(const struct ldp_rounds *rounds, double m, size_t s)
{
    const double p1 = rounds->p1, q1 = (1 - p1) / (m - 1), size = (double)s, r = ldp_log(rounds->p2 / rounds->q2);
    double least = INFINITY;
    for (double own = 0; own <= floor(size / m); own++) {
        const double each = floor((size - own) / (m - 1)), more = size - own - each * (m - 1);
        const double top = fmax(own, each + 1) * r;
        const double sum = p1 * ldp_exp(own * r - top) + more * q1 * ldp_exp((each + 1) * r - top) +
                           (m - 1 - more) * q1 * ldp_exp(each * r - top);
        least = fmin(least, top + ldp_log(sum));
    }
    return least + size * ldp_log(rounds->q2);
}

void ldp_rounds_protect_symbols(const struct ldp_rounds *rounds, struct ldp_protection *out)
{
    const size_t t = rounds->rounds;
    const double all = (double)t, m = (double)rounds->second.d, p1 = rounds->p1, q1 = (1 - p1) / (m - 1),
                 r = ldp_log(rounds->p2 / rounds->q2);
    double rate = 0;
    out->unchanged = symbol_law(rounds, p1, all) - symbol_law(rounds, q1, all);
    out->accounted = fmin(m, all) * rounds->epsilon;
    for (size_t k = 1; k <= t && (double)k <= m; k = next_blocks(k, t)) {
        const double each = (double)(t / k);
        out->sequence_low =
            fmax(out->sequence_low, (double)k * (symbol_law(rounds, p1, each) - symbol_law(rounds, q1, each)));
        for (size_t k2 = 1; k * k2 <= t && (double)k2 <= m; k2 = next_blocks(k2, t))
            out->sequence_low = fmax(out->sequence_low, symbols_pair(rounds, m, k, k2));
    }
    for (size_t s = 1; s <= t && s <= SYMBOLS_BLOCK; s++)
        rate = fmax(rate, -symbols_least(rounds, m, s) / (double)s);
    if (t > SYMBOLS_BLOCK) /* one of the m symbols is named s/m times or more */
        rate = fmax(rate, -ldp_log(rounds->q2) - r / m - ldp_log(q1) / SYMBOLS_BLOCK);
    out->sequence_high = symbol_law(rounds, p1, all) + all * rate;
}

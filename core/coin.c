/* coin.c - thresholds of coins, in numbers of two doubles (Dekker 1971), about 104 bits, with bounds on the rounding.
 *
 * Every probability here decreases as r = exp(-epsilon) grows. So r is rounded up by 2^-95 of its value, which is more
 * than its error. Then the smaller of heads and tails is rounded by 2^-90, which is more than the error of the
 * remaining steps: heads down or tails up. */
#include "coin.h"

#include "numeric.h"

#include <assert.h>

/* hi + lo, |lo| at most half of hi's last digit. */
struct wide {
    double hi, lo;
};

/* |a| >= |b|, or a = 0. */
static struct wide sum_of(double a, double b)
{
    const double hi = a + b;
    return (struct wide){hi, b - (hi - a)};
}

static struct wide add(struct wide a, struct wide b)
{
    const double hi = a.hi + b.hi, part = hi - a.hi, lost = (a.hi - (hi - part)) + (b.hi - part);
    return sum_of(hi, lost + (a.lo + b.lo));
}

static struct wide times(struct wide a, struct wide b)
{
    double lo;
    const double hi = numeric_product(a.hi, b.hi, &lo);
    return sum_of(hi, lo + (a.hi * b.lo + a.lo * b.hi));
}

static struct wide over(struct wide a, struct wide b)
{
    const double first = a.hi / b.hi;
    const struct wide back = times((struct wide){-first, 0}, b), rest = add(a, back);
    const double second = rest.hi / b.hi;
    const struct wide left = add(rest, times((struct wide){-second, 0}, b));
    return add(sum_of(first, second), (struct wide){left.hi / b.hi, 0});
}

static struct wide whole(double x)
{
    return (struct wide){x, 0};
}

/* exp(-x), 0 < x <= 50, to 2^-98: -x = k log 2 + y, then the series of e^y. */
static struct wide exp_minus(double x)
{
    enum { TERMS = 28 }; /* 0.35^28 / 28! < 2^-140 */
    const struct wide ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    const double k = floor(-x * LDP_LOG2_E + 0.5);
    const struct wide y = add(whole(-x), times(whole(-k), ln2));
    struct wide e = whole(1);
    for (int i = TERMS; i > 0; i--)
        e = add(whole(1), over(times(e, y), whole(i)));
    const double scale = numeric_power2(k + LDP_ROUNDER);
    return (struct wide){e.hi * scale, e.lo * scale};
}

/* floor(x 2^128) mod 2^128, |x| <= 1. */
static ldp_uint128 scaled(double x)
{
    int exponent;
    const double digits = frexp(fabs(x), &exponent); /* |x| = digits 2^exponent */
    const ldp_uint128 mantissa = (ldp_uint128)(digits * 0x1p53);
    const int shift = exponent + 128 - 53;
    const bool part = shift < 0 && (shift <= -64 || (mantissa & (((ldp_uint128)1 << -shift) - 1)) != 0) && x != 0;
    const ldp_uint128 size = shift >= 0 ? mantissa << shift : shift > -64 ? mantissa >> -shift : 0;
    return x >= 0 ? size : -(size + part);
}

static struct ldp_coin coin_at(ldp_uint128 heads)
{
    return (struct ldp_coin){(uint64_t)(heads >> 64), (uint64_t)heads};
}

struct ldp_coin ldp_coin_rounded_down(double epsilon, double a, double b, double c, double d)
{
    assert(epsilon > 0 && epsilon <= 50 && b >= 0 && b <= a && a <= c && d >= 0);
    const struct wide r = times(exp_minus(epsilon), sum_of(1, 0x1p-95)), all = add(whole(c), times(whole(d), r));
    struct wide tails = over(add(whole(c - a), times(whole(d + b), r)), all);
    if (tails.hi < 0.5) { /* the small side, so that it keeps its digits: rounded up */
        tails = times(tails, sum_of(1, 0x1p-90));
        return coin_at(scaled(-tails.hi) + scaled(-tails.lo));
    }
    struct wide heads = add(whole(a), times(whole(-b), r));
    if (b > 0) /* the difference of two close numbers: its error is relative to a */
        heads = add(heads, whole(-a * 0x1p-98));
    heads = times(over(heads, all), sum_of(1, -0x1p-90));
    return coin_at(heads.hi > 0 ? scaled(heads.hi) + scaled(heads.lo) : 0);
}

struct ldp_coin ldp_coin_of(double P)
{
    assert(P >= 0 && P < 1);
    return coin_at(scaled(P));
}

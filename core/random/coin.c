/* coin.c - thresholds of coins, in numbers of two doubles (Dekker 1971), about 104 bits, with bounds on the rounding.
 *
 * Every probability here decreases as r = exp(-epsilon) grows. So r is rounded up by 2^-95 of its value, which is more
 * than its error. Then the smaller of heads and tails is rounded by 2^-90, which is more than the error of the
 * remaining steps: heads down or tails up. */
#include "random/coin.h"

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

/* Division by a number of few digits, whose products with doubles need no second division. */
static struct wide part(struct wide a, double i)
{
    double lo;
    const double first = a.hi / i, back = numeric_product(first, i, &lo);
    return sum_of(first, ((a.hi - back) - lo + a.lo) / i);
}

/* A Newton step from the root as a double. */
static struct wide root(struct wide a)
{
    const double first = sqrt(a.hi);
    const struct wide rest = add(a, times((struct wide){-first, 0}, whole(first)));
    return sum_of(first, rest.hi / (2 * first));
}

/* exp(-x), 0 <= x <= 50, to 2^-98: -x = k log 2 + y, then the series of e^y. */
static struct wide exp_minus(struct wide x)
{
    enum { TERMS = 28 }; /* 0.35^28 / 28! < 2^-140 */
    const struct wide ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    const double k = floor(-x.hi * LDP_LOG2_E + 0.5);
    const struct wide y = add((struct wide){-x.hi, -x.lo}, times(whole(-k), ln2));
    struct wide e = whole(1);
    for (int i = TERMS; i > 0; i--)
        e = add(whole(1), part(times(e, y), i));
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
    const struct wide r = times(exp_minus(whole(epsilon)), sum_of(1, 0x1p-95)), all = add(whole(c), times(whole(d), r));
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

/* x / 2, rounded up. */
static struct ldp_coin half_above(struct wide x)
{
    const struct wide above = times(x, sum_of(0.5, 0x1p-91));
    const ldp_uint128 heads = -(scaled(-above.hi) + scaled(-above.lo));
    return coin_at(heads);
}

/* X = 2 (1 - p) and Y = 2 q, whose product is h: the ratio is (2 - X) (2 - Y) / (X Y), which falls as either grows. */
struct ldp_thresholds ldp_coin_thresholds(double epsilon, double theta)
{
    assert(epsilon > 0 && epsilon <= 100 && !(theta < 0.5) && !(theta > 1));
    struct wide X, Y;
    if (isnan(theta)) {
        const struct wide h = exp_minus(whole(epsilon / 2)), less = add(whole(1), (struct wide){-h.hi, -h.lo});
        const struct wide sum = add(add(whole(1), h), root(add(less, times(h, h)))); /* of 1 + h + sqrt(1 - h + h^2) */
        X = over(sum, whole(3));
        Y = over(h, X);
    } else {
        double lo;
        const double hi = numeric_product(epsilon / 2, 1 - theta, &lo);
        X = exp_minus((struct wide){hi, lo});
        const double other = numeric_product(epsilon / 2, theta, &lo);
        Y = exp_minus((struct wide){other, lo});
    }
    return (struct ldp_thresholds){.own = ldp_coin_turned(half_above(X)), .other = half_above(Y)};
}

struct ldp_coin ldp_coin_of(double P)
{
    assert(P >= 0 && P < 1);
    return coin_at(scaled(P));
}

/* shortest.c - see shortest.h.
 *
 * 17 digits and a fraction of the next are value * 10^q, from a power of ten of 128 bits; its error is below 2^-50 of a
 * unit of the last digit. What 15 or 16 digits give, and whether they read back, follows from how far they are from
 * there, in units of the 17th digit, held against half the distance between doubles. If the difference is below 10^-9,
 * the case is left undecided. */
#include "support/shortest.h"

#include "ldpbench.h"

#include <math.h>
#include <string.h>

/* (hi 2^64 + lo) 2^exponent, the highest bit set. */
struct wide {
    uint64_t hi, lo;
    int exponent;
};

/* 10^1, 10^2, 10^4, ..., 10^256, then 10^-1 and so on. */
static const struct wide powers[2][9] = {{{UINT64_C(0xa000000000000000), UINT64_C(0x0000000000000000), -124},
                                          {UINT64_C(0xc800000000000000), UINT64_C(0x0000000000000000), -121},
                                          {UINT64_C(0x9c40000000000000), UINT64_C(0x0000000000000000), -114},
                                          {UINT64_C(0xbebc200000000000), UINT64_C(0x0000000000000000), -101},
                                          {UINT64_C(0x8e1bc9bf04000000), UINT64_C(0x0000000000000000), -74},
                                          {UINT64_C(0x9dc5ada82b70b59d), UINT64_C(0xf020000000000000), -21},
                                          {UINT64_C(0xc2781f49ffcfa6d5), UINT64_C(0x3cbf6b71c76b25fb), 85},
                                          {UINT64_C(0x93ba47c980e98cdf), UINT64_C(0xc66f336c36b10137), 298},
                                          {UINT64_C(0xaa7eebfb9df9de8d), UINT64_C(0xddbb901b98feeab8), 723}},
                                         {{UINT64_C(0xcccccccccccccccc), UINT64_C(0xcccccccccccccccd), -131},
                                          {UINT64_C(0xa3d70a3d70a3d70a), UINT64_C(0x3d70a3d70a3d70a4), -134},
                                          {UINT64_C(0xd1b71758e219652b), UINT64_C(0xd3c36113404ea4a9), -141},
                                          {UINT64_C(0xabcc77118461cefc), UINT64_C(0xfdc20d2b36ba7c3d), -154},
                                          {UINT64_C(0xe69594bec44de15b), UINT64_C(0x4c2ebe687989a9b4), -181},
                                          {UINT64_C(0xcfb11ead453994ba), UINT64_C(0x67de18eda5814af2), -234},
                                          {UINT64_C(0xa87fea27a539e9a5), UINT64_C(0x3f2398d747b36224), -340},
                                          {UINT64_C(0xddd0467c64bce4a0), UINT64_C(0xac7cb3f6d05ddbdf), -553},
                                          {UINT64_C(0xc0314325637a1939), UINT64_C(0xfa911155fefb5309), -978}}};

static struct wide multiply(struct wide a, struct wide b)
{
    const ldp_uint128 across = (ldp_uint128)a.hi * b.lo, down = (ldp_uint128)a.lo * b.hi;
    const ldp_uint128 middle =
        (ldp_uint128)(uint64_t)across + (uint64_t)down + (uint64_t)(((ldp_uint128)a.lo * b.lo) >> 64);
    ldp_uint128 top = (ldp_uint128)a.hi * b.hi + (across >> 64) + (down >> 64) + (middle >> 64);
    int exponent = a.exponent + b.exponent + 128;

    if (!(top >> 127)) {
        top = top << 1 | (uint64_t)middle >> 63;
        exponent--;
    }
    return (struct wide){(uint64_t)(top >> 64), (uint64_t)top, exponent};
}

static struct wide power_of_ten(int q)
{
    const struct wide *power = powers[q < 0];
    struct wide product = {UINT64_C(1) << 63, 0, -127};

    for (unsigned rest = (unsigned)(q < 0 ? -q : q); rest > 0; rest >>= 1, power++)
        if (rest & 1)
            product = multiply(product, *power);
    return product;
}

/* value = (whole + fraction) 10^(exponent - 16), whole of 17 digits. */
struct decimal {
    uint64_t whole, mantissa;
    double fraction;
    int exponent;
};

static const uint64_t least = UINT64_C(10000000000000000); /* 10^16 */

static struct decimal decimal_of(double value)
{
    int binary;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(value, &binary), 53);
    struct decimal out = {.mantissa = mantissa, .exponent = (int)floor((binary - 1) * 0.30102999566398)};

    for (binary -= 53;; out.exponent++) {
        const struct wide power = power_of_ten(16 - out.exponent);
        const ldp_uint128 product =
            (ldp_uint128)mantissa * power.hi + (uint64_t)(((ldp_uint128)mantissa * power.lo) >> 64);
        const int shift = -(power.exponent + binary + 64);

        out.whole = (uint64_t)(product >> shift);
        out.fraction = ldexp((double)(uint64_t)(product - ((ldp_uint128)out.whole << shift)), -shift);
        if (out.whole < 10 * least)
            return out;
    }
}

static const double margin = 1e-9;

enum answer { NO, YES, UNDECIDED };

/* Rounds to fewer digits, unit = 10^(17 - digits), and says whether they read back. */
static enum answer round_to(const struct decimal *decimal, uint64_t unit, uint64_t *rounded)
{
    const double rest = (double)(decimal->whole % unit) + decimal->fraction, half = (double)unit / 2;
    const double reach = (double)decimal->whole / (2 * (double)decimal->mantissa);
    const double off = rest > half ? (double)unit - rest : rest;

    *rounded = decimal->whole / unit + (rest > half);
    if (fabs(rest - half) < margin || fabs(off - reach) < margin * reach)
        return UNDECIDED;
    return off < reach ? YES : NO;
}

static char *append(char *to, const char *from, size_t length)
{
    memcpy(to, from, length);
    return to + length;
}

/* As printf's %g with `count` digits: digits 10^(exponent - count + 1), trailing zeros left out. */
static void print(uint64_t digits, int count, int exponent, bool negative, char *text)
{
    char digit[WHOLE_TEXT];
    int precision = count;

    if ((int)format_whole(digits, digit) > count) { /* rounded up to the next power of ten */
        exponent++;
        digit[count] = '\0';
    }
    while (count > 1 && digit[count - 1] == '0')
        digit[--count] = '\0';
    if (precision <= 15)
        precision = count; /* the shortest */
    if (negative)
        *text++ = '-';
    if (exponent < -4 || exponent >= precision) {
        const unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);

        *text++ = digit[0];
        if (count > 1)
            *text++ = '.';
        text = append(text, digit + 1, (size_t)count - 1);
        *text++ = 'e';
        *text++ = exponent < 0 ? '-' : '+';
        if (size < 10)
            *text++ = '0';
        format_whole(size, text);
        return;
    }
    if (exponent < 0) {
        text = append(append(text, "0.000", (size_t)(1 - exponent)), digit, (size_t)count);
    } else if (exponent + 1 >= count) {
        text = append(append(text, digit, (size_t)count), "0000000000000000", (size_t)(exponent + 1 - count));
    } else {
        const size_t whole = (size_t)exponent + 1;

        text = append(text, digit, whole);
        *text++ = '.';
        text = append(text, digit + whole, (size_t)count - whole);
    }
    *text = '\0';
}

bool shortest_number(double value, char text[NUMBER_TEXT])
{
    const double size = fabs(value);
    int power;

    if (!(size > 1e-280 && size < 1e280) || frexp(size, &power) == 0.5)
        return false;
    const struct decimal decimal = decimal_of(size);

    for (int count = 15; count <= 16; count++) {
        uint64_t digits;
        const enum answer answer = round_to(&decimal, count == 15 ? 100 : 10, &digits);

        if (answer == YES)
            print(digits, count, decimal.exponent, value < 0, text);
        if (answer != NO)
            return answer == YES;
    }
    if (fabs(decimal.fraction - 0.5) < margin)
        return false;
    print(decimal.whole + (decimal.fraction > 0.5), 17, decimal.exponent, value < 0, text);
    return true;
}

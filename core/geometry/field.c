/* field.c - finite fields: products of powers of primes by logarithms, sums digit by digit.
 *
 * A field of p^m elements consists of the polynomials over GF(p) modulo an irreducible one of degree m. The choice of
 * that polynomial only relabels the elements and changes no law; here it is the smallest, with its coefficients read as
 * a number in base p. For some fields x is not a generator (256, 9, 25, ..): then x + 1, x + 2, .. are tried. */
#include "geometry/field.h"

#include <assert.h>
#include <string.h>

/* x^m = -(f_0 + f_1 x + ..): f is the part below x^m, in base p. */
static const struct power {
    uint16_t q, p, m, f;
} powers[] = {
    {4, 2, 2, 3},   {8, 2, 3, 3},    {9, 3, 2, 1},   {16, 2, 4, 3},   {25, 5, 2, 2},   {27, 3, 3, 7},
    {32, 2, 5, 5},  {49, 7, 2, 1},   {64, 2, 6, 3},  {81, 3, 4, 5},   {121, 11, 2, 1}, {125, 5, 3, 6},
    {128, 2, 7, 3}, {169, 13, 2, 2}, {243, 3, 5, 7}, {256, 2, 8, 27},
};

enum { POWERS = sizeof powers / sizeof *powers };

static bool is_prime(uint64_t q)
{
    for (uint64_t i = 2; i * i <= q; i++)
        if (q % i == 0)
            return false;
    return q >= 2;
}

bool ldp_field_exists(uint64_t q)
{
    for (size_t i = 0; i < POWERS; i++)
        if (powers[i].q == q)
            return true;
    return q <= LDP_FIELD_PRIME_MAX && is_prime(q);
}

uint32_t ldp_field_after(uint32_t q)
{
    do
        q++;
    while (q <= LDP_FIELD_PRIME_MAX && !ldp_field_exists(q));
    return q <= LDP_FIELD_PRIME_MAX ? q : 0;
}

uint32_t ldp_field_add(const struct ldp_field *field, uint32_t a, uint32_t b)
{
    if (field->p == 2)
        return a ^ b;
    if (field->m > 1)
        return ldp_field_digits(field, field->spread[a] + field->spread[b]);
    return a + b < field->q ? a + b : a + b - field->q;
}

uint32_t ldp_field_negate(const struct ldp_field *field, uint32_t a)
{
    if (field->m == 1 || field->p == 2)
        return field->p == 2 || a == 0 ? a : field->q - a;
    uint32_t negative = 0;
    for (uint32_t unit = 1; a > 0; a /= field->p, unit *= field->p)
        negative += (field->p - a % field->p) % field->p * unit;
    return negative;
}

uint32_t ldp_field_digits(const struct ldp_field *field, uint64_t sum)
{
    uint32_t element = 0;
    for (uint32_t unit = 1; sum > 0; sum >>= 8, unit *= field->p)
        element += (uint32_t)(sum & 0xff) % field->p * unit;
    return element;
}

/* x a. */
static uint32_t times_x(const struct ldp_field *field, uint32_t f, uint32_t a)
{
    const uint32_t top = field->q / field->p;
    return ldp_field_digits(field,
                            field->spread[a % top * field->p] + a / top * field->spread[ldp_field_negate(field, f)]);
}

/* Powers of x + k, as long as they differ; true if they are all elements except 0. */
static bool generate(struct ldp_field *field, uint32_t f, uint32_t k)
{
    uint32_t a = 1, i = 0;
    do {
        field->exp[i] = (uint8_t)a;
        field->log[a] = (uint16_t)i;
        a = ldp_field_digits(field, field->spread[times_x(field, f, a)] + k * field->spread[a]);
        i++;
    } while (a != 1 && i < field->q);
    return i == field->q - 1;
}

void ldp_field_init(struct ldp_field *field, uint32_t q)
{
    assert(ldp_field_exists(q));
    field->q = field->p = q;
    field->m = 1;
    field->reciprocal = UINT64_MAX / q + 1;
    const struct power *power = NULL;
    for (size_t i = 0; i < POWERS; i++)
        power = powers[i].q == q ? &powers[i] : power;
    if (!power)
        return;
    field->p = power->p;
    field->m = power->m;
    for (uint32_t a = 0; a < q; a++) {
        field->spread[a] = 0;
        for (uint32_t rest = a, shift = 0; rest > 0; rest /= field->p, shift += 8)
            field->spread[a] |= (uint64_t)(rest % field->p) << shift;
    }
    for (uint32_t k = 0; !generate(field, power->f, k); k++)
        assert(k < field->p);
    field->log[0] = LDP_FIELD_ZERO;
    memcpy(field->exp + (q - 1), field->exp, q - 1);
    memset(field->exp + 2 * (q - 1), 0, sizeof field->exp - 2 * (q - 1));
}

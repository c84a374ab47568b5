/* Privacy in integers: the largest ratio of a report's probabilities, from the thresholds of the clients' coins, is
 * never above e^epsilon, for every oracle, domain and budget. */
#include "quick.h"
#include "random/coin.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* ---- Numbers of 128 bits, rounded down or up ---- */

/* digits 2^exponent, the top bit set; what an operation loses is rounded in the direction that it is given. */
struct number {
    ldp_uint128 digits;
    int exponent;
};

enum way { DOWN, UP };

static struct number normal(ldp_uint128 digits, int exponent)
{
    for (; digits >> 127 == 0; exponent--)
        digits <<= 1;
    return (struct number){digits, exponent};
}

/* The digits of a longer number: `part` is whether any were cut. */
static struct number cut(ldp_uint128 digits, int exponent, bool part, enum way way)
{
    if (way == UP && part && ++digits == 0)
        return (struct number){(ldp_uint128)1 << 127, exponent + 1};
    return (struct number){digits, exponent};
}

static struct number whole(ldp_uint128 x)
{
    return normal(x, 0);
}

static struct number of_double(double x)
{
    int exponent;
    const double digits = frexp(x, &exponent);
    return normal((ldp_uint128)(digits * 0x1p53), exponent - 53);
}

static struct number product(struct number a, struct number b, enum way way)
{
    const ldp_uint128 mask = UINT64_MAX, a1 = a.digits >> 64, a0 = a.digits & mask, b1 = b.digits >> 64,
                      b0 = b.digits & mask, low = a0 * b0, cross = a1 * b0, other = a0 * b1,
                      middle = (low >> 64) + (cross & mask) + (other & mask);
    ldp_uint128 hi = a1 * b1 + (cross >> 64) + (other >> 64) + (middle >> 64), lo = middle << 64 | (low & mask);
    int exponent = a.exponent + b.exponent + 128;
    if (hi >> 127 == 0) {
        hi = hi << 1 | lo >> 127;
        lo <<= 1;
        exponent--;
    }
    return cut(hi, exponent, lo != 0, way);
}

/* Digit by digit. */
static struct number quotient(struct number a, struct number b, enum way way)
{
    int exponent = a.exponent - b.exponent - 127;
    ldp_uint128 rest = a.digits;
    bool carry = false; /* bit 128 of rest */
    if (rest < b.digits) {
        carry = rest >> 127;
        rest <<= 1;
        exponent--;
    }
    ldp_uint128 digits = 0;
    for (int i = 0; i < 128; i++) {
        const bool fits = carry || rest >= b.digits;
        digits = digits << 1 | fits;
        rest -= fits ? b.digits : 0;
        carry = rest >> 127;
        rest <<= 1;
    }
    return cut(digits, exponent, carry || rest != 0, way);
}

static struct number sum(struct number a, struct number b, enum way way)
{
    if (a.exponent < b.exponent) {
        const struct number swap = a;
        a = b;
        b = swap;
    }
    const int shift = a.exponent - b.exponent;
    const ldp_uint128 other = shift < 128 ? b.digits >> shift : 0;
    bool part = shift < 128 ? other << shift != b.digits : true;
    const ldp_uint128 digits = a.digits + other;
    if (digits >= a.digits)
        return cut(digits, a.exponent, part, way);
    part |= digits & 1;
    return cut(digits >> 1 | (ldp_uint128)1 << 127, a.exponent + 1, part, way);
}

static bool above(struct number a, struct number b)
{
    return a.exponent != b.exponent ? a.exponent > b.exponent : a.digits > b.digits;
}

/* e^x for x > 0: the series at x / 256, squared eight times. */
static struct number power_of_e(struct number x, enum way way)
{
    enum { HALVINGS = 8, TERMS = 40 };
    struct number small = x, term = whole(1), e = whole(1);
    small.exponent -= HALVINGS;
    for (unsigned i = 1; i <= TERMS; i++) {
        term = quotient(product(term, small, way), whole(i), way);
        e = sum(e, term, way);
    }
    /* What is left of the series is below the last term, as x / 256 < 1/2. */
    if (way == UP)
        e = sum(e, term, way);
    for (int i = 0; i < HALVINGS; i++)
        e = product(e, e, way);
    return e;
}

Test(coin, arithmetic_encloses_the_truth)
{
    for (double x = 0.01; x <= 60; x += 0.37) {
        const struct number low = power_of_e(of_double(x), DOWN), high = power_of_e(of_double(x), UP);
        cr_expect(above(high, low));
        const double nearest = ldexp((double)low.digits, low.exponent);
        cr_expect_float_eq(nearest / exp(x), 1, 1e-15, "%g", x);
        /* High and low agree in 110 bits. */
        const ldp_uint128 off = high.exponent == low.exponent ? high.digits - low.digits : 0;
        cr_expect_lt((double)off, 0x1p18, "%g", x);
        /* (1/x) x encloses 1. */
        const struct number number = of_double(x);
        cr_expect(!above(product(quotient(whole(1), number, DOWN), number, DOWN), whole(1)));
        cr_expect(!above(whole(1), product(quotient(whole(1), number, UP), number, UP)));
    }
}

/* ---- Coins ---- */

/* The product of an oracle's factors, rounded up. */
static struct number ratio_of(const struct ldp_protocol *protocol)
{
    struct ldp_odds factor[LDP_ODDS_MAX];
    const size_t count = protocol->oracle->odds(protocol, factor);
    struct number ratio = whole(1);
    cr_assert(count >= 1 && count <= LDP_ODDS_MAX);
    for (size_t i = 0; i < count; i++) {
        const ldp_uint128 heads = (ldp_uint128)factor[i].heads_hi << 64 | factor[i].heads_lo, tails = -heads;
        cr_assert(heads > 0 && tails > 0 && factor[i].times > 0 && factor[i].over > 0);
        struct number odds = quotient(whole(heads), whole(tails), UP);
        odds = product(odds, whole(factor[i].times), UP);
        if (factor[i].over > 1)
            odds = quotient(odds, whole(factor[i].over), UP);
        ratio = product(ratio, factor[i].one ? sum(whole(1), odds, UP) : odds, UP);
    }
    return ratio;
}

struct setting {
    const char *oracle;
    double parameter[3];
};

/* Beside the defaults. thresholding spends less than epsilon by its nature, for every theta. */
static const struct setting settings[] = {
    {"olh", {2}},
    {"olh", {1000}},
    {"olh", {0x1p31}},
    {"flh", {1}},
    {"flh", {1 << 20}},
    {"hr", {1}},
    {"hr", {2}},
    {"hm", {1, 0}},
    {"hm", {10, 1}},
    {"ss", {1}},
    {"the", {0.5}},
    {"the", {1}},
    {"pi_rappor", {NAN, 1}},
    {"pi_rappor", {3, 1}},
    {"pi_rappor", {9, 0}},
    {"rhr", {1}},
    {"rhr", {NAN, 1}},
    {"pgr", {2, NAN, 1}},
    {"pgr", {7, NAN, 18}},
    {"pgr", {4093, 2, 1}},
    {"pgr", {4, 16, 1}},
    {"bloom", {1, 3, 64}},
    {"bloom", {8, 7, 64}},
    {"bloom", {2, 16, 64}},
    {"the", {0.75}},
    {"ue", {0.5}},
    {"ue", {0.7}},
    {"ue", {0.99999}},
    {"bloom", {1, 16, 2}},
    {"bloom", {2, 3, 5}}, /* fewer bits than two values may set */
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static struct ldp_oracle_spec spec_of(size_t i)
{
    size_t oracles = 0;
    while (ldp_oracles[oracles])
        oracles++;
    struct ldp_oracle_spec spec = {.oracle = i < oracles              ? ldp_oracles[i]
                                             : i - oracles < SETTINGS ? ldp_oracle_find(settings[i - oracles].oracle)
                                                                      : NULL};
    if (!spec.oracle)
        return spec;
    ldp_params_default(spec.oracle->params, spec.param);
    for (size_t j = 0; i >= oracles && j < 3 && spec.oracle->params[j].name; j++)
        spec.param[j] = settings[i - oracles].parameter[j];
    return spec;
}

/* epsilon (1 - 1e-9), a little less. */
static struct number nearly(double epsilon)
{
    return of_double(epsilon * (1 - 1e-9) * (1 - 0x1p-50));
}

/* What `the` is to spend in place of epsilon: log((2-x)(2-y)) + epsilon / 2, x = exp(-epsilon (1 - theta)/2), y =
 * exp(-epsilon theta/2). */
static double spent_by_the(const struct ldp_protocol *protocol)
{
    const double half = protocol->epsilon / 2, theta = protocol->param[0];
    return half + log1p(-expm1(-half * (1 - theta))) + log1p(-expm1(-half * theta));
}

/* What a protocol spends by its design. */
static double spent(const struct ldp_protocol *protocol)
{
    if (strcmp(protocol->oracle->name, "the") == 0)
        return spent_by_the(protocol);
    if (strcmp(protocol->oracle->name, "pi_rappor") == 0 && protocol->param[1] == 1) /* as published, p = 1/2 */
        return log(protocol->param[0] - 1);
    return protocol->epsilon;
}

/* Every oracle at a budget, in the settings above; returns how many there are. */
static int hold_budget(double epsilon)
{
    static const size_t domains[] = {2, 5, 100, 1000, 1000000};
    const struct number most = power_of_e(of_double(epsilon), DOWN), least = power_of_e(nearly(epsilon), UP);
    int held = 0;
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        struct ldp_oracle_spec spec;
        for (size_t j = 0; (spec = spec_of(j)).oracle; j++) {
            struct ldp_protocol protocol;
            if (ldp_protocol_init(&protocol, &spec, domains[i], epsilon, NULL) != LDP_OK)
                continue;
            if (!protocol.oracle->odds) {
                cr_assert(protocol.flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_REAL), "%s", protocol.oracle->name);
                continue;
            }
            held++;
            const struct number ratio = ratio_of(&protocol);
            cr_assert(!above(ratio, most), "%s(%g), d = %zu, epsilon = %g: above epsilon", spec.oracle->name,
                      protocol.param[0], domains[i], epsilon);
            if (epsilon > 40)
                continue;
            const double own = spent(&protocol);
            cr_assert(!above(own < epsilon ? power_of_e(nearly(own), UP) : least, ratio),
                      "%s(%g), d = %zu, epsilon = %g: too far below", spec.oracle->name, protocol.param[0], domains[i],
                      epsilon);
        }
    }
    return held;
}

Test(coin, no_report_spends_more_than_epsilon, KEPT)
{
    enum { STEPS = 6000 };
    const int stride = statistics_verify() ? 1 : STEPS / (int)statistics_repetitions(STEPS / 41, 1);
    int held = 0;
    for (int step = 1; step <= STEPS; step += stride)
        held += hold_budget(step / 100.0);
    cr_assert_gt(held, 500000 / stride);
}

/* From 1e-16 on, where p and q of most oracles are neighbours among the doubles: oracles may refuse such a budget, but
 * never exceed it. */
Test(coin, tiny_budgets_are_kept, SLOW)
{
    int held = 0;
    struct ldp_rng rng = make_stream(41, "tiny", 0);
    for (double decade = 1e-16; decade < 0.01; decade *= 10)
        for (int i = 0; i < 6; i++)
            held += hold_budget(i == 0 ? decade : decade * (1 + 9 * ldp_rng_uniform(&rng)));
    cr_assert_gt(held, 10000);
}

/* p and q as doubles are those of the coins: 2^-51 of each, or of 1 - p. */
Test(coin, probabilities_in_doubles_are_those_of_the_coins)
{
    static const double budgets[] = {1e-6, 0.01, 0.3, 1, 2.5, 7, 16.7, 25, 40, 49.9, 50, 60, 200, 700, 1e300};
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        struct ldp_oracle_spec spec;
        for (size_t j = 0; (spec = spec_of(j)).oracle; j++) {
            struct ldp_protocol protocol;
            if (ldp_protocol_init(&protocol, &spec, 1000, budgets[i], NULL) != LDP_OK || !protocol.oracle->odds)
                continue;
            struct ldp_odds factor[LDP_ODDS_MAX];
            const size_t count = protocol.oracle->odds(&protocol, factor);
            const double heads = (double)factor[0].heads_hi * 0x1p-64 + (double)factor[0].heads_lo * 0x1p-128;
            if (strcmp(protocol.oracle->name, "pgr") == 0 && protocol.param[2] > 1)
                continue; /* another block counts as a part of a support */
            /* a mixture: kept + (1 - kept) / symbols, for hr's S_x likewise */
            const double share = strstr(protocol.oracle->name, "hr") ? 0.5
                                 : protocol.oracle == ldp_oracle_find("hm")
                                     ? NAN
                                     : (double)factor[0].over / (double)factor[0].times;
            const bool one_output = protocol.flags & LDP_ORACLE_WINDOWS; /* of `over` that the value makes likely */
            const double expected = one_output ? heads / (double)factor[0].over + (1 - heads) / (double)factor[0].times
                                    : factor[0].one ? heads + (1 - heads) * share
                                                    : heads;
            if (!isnan(expected))
                cr_expect_float_eq(protocol.p, expected, 0x1p-51, "%s(%g), epsilon = %g: p = %.17g, not %.17g",
                                   spec.oracle->name, protocol.param[0], budgets[i], protocol.p, expected);
            if (count < 2 || protocol.flags & LDP_ORACLE_SKETCH) /* q has collisions as well */
                continue;
            const ldp_uint128 ones = -((ldp_uint128)factor[1].heads_hi << 64 | factor[1].heads_lo);
            cr_expect_float_eq(protocol.q / ((double)ones * 0x1p-128), 1, 0x1p-50, "%s(%g), epsilon = %g",
                               spec.oracle->name, protocol.param[0], budgets[i]);
        }
    }
}

/* Budgets that no coin can spend are spent up to 50. */
Test(coin, beyond_fifty_nothing_is_gained)
{
    for (size_t i = 0; ldp_oracles[i]; i++) {
        const struct ldp_oracle_spec spec = spec_of(i);
        struct ldp_protocol at[2];
        cr_assert_eq(ldp_protocol_init(&at[0], &spec, 100, 50 * LDP_ODDS_MAX, NULL), LDP_OK);
        cr_assert_eq(ldp_protocol_init(&at[1], &spec, 100, 1e5, NULL), LDP_OK);
        if (at[0].oracle->odds)
            cr_expect(at[0].p == at[1].p && at[0].q == at[1].q && at[0].s1 == at[1].s1, "%s", spec.oracle->name);
    }
}

Test(coin, turned)
{
    const struct ldp_coin coin = {1, 7}, turned = ldp_coin_turned(coin), twice = ldp_coin_turned(turned);
    cr_expect(turned.hi == UINT64_MAX - 1 && turned.lo == (uint64_t)-7);
    cr_expect(twice.hi == coin.hi && twice.lo == coin.lo);
}

/* The first word decides, the second only where the first is the threshold's. */
Test(coin, tosses)
{
    struct ldp_rng rng = make_stream(3, "coin", 0);
    for (size_t i = 0; i < 1000; i++) {
        struct ldp_rng copy = rng;
        const uint64_t word = ldp_rng_next(&copy), next = ldp_rng_next(&copy);
        const struct {
            struct ldp_coin coin;
            bool heads;
        } cases[] = {{{word, 0}, false},
                     {{word, next}, false},
                     {{word, next + 1}, next + 1 > next},
                     {{word, UINT64_MAX}, true},
                     {{word + 1, 0}, word + 1 > word},
                     {{word - 1, UINT64_MAX}, word == 0}};
        for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
            struct ldp_rng own = rng;
            cr_expect_eq(ldp_coin_heads(cases[j].coin, &own), cases[j].heads, "%zu", j);
            for (size_t words = 1; words <= 2; words++) { /* in advance; the second is needed in some cases */
                struct ldp_rng rest = rng;
                ldp_rng_words(&rest, words, (uint64_t[2]){0});
                struct ldp_rng_ahead ahead = {(uint64_t[2]){word, next}, NULL, &rest};
                ahead.end = ahead.word + words;
                cr_expect_eq(ldp_coin_heads_ahead(cases[j].coin, &ahead), cases[j].heads, "%zu, %zu words", j, words);
            }
        }
        rng = copy;
    }
}

Test(coin, of_doubles)
{
    static const struct {
        double P;
        uint64_t hi, lo;
    } cases[] = {{0, 0, 0},
                 {0.5, UINT64_C(1) << 63, 0},
                 {0x1p-128, 0, 1},
                 {0x1.8p-128, 0, 1},
                 {0x1p-129, 0, 0},
                 {0x1p-1000, 0, 0},
                 {0x1.fffffffffffffp-1, UINT64_C(0xfffffffffffff800), 0},
                 {0x1.0000000000001p-70, 0, UINT64_C(0x0400000000000040)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ldp_coin coin = ldp_coin_of(cases[i].P);
        cr_expect(coin.hi == cases[i].hi && coin.lo == cases[i].lo, "%g: %llx %llx", cases[i].P,
                  (unsigned long long)coin.hi, (unsigned long long)coin.lo);
    }
}

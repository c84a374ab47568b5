/* bits.c - Bernoulli bits by comparison from the top bit down, and positional popcount by carry-save adders.
 *
 * Bernoulli: 64 uniform binary fractions U are drawn bit by bit and compared with the bits of the threshold T. A
 * fraction is decided at the first bit where it differs from T, so 256 of them take 9.3 steps on average. The random
 * words come from four xoshiro256++ generators side by side (Blackman and Vigna, ACM TOMS 2021), seeded from the
 * caller's stream: they run in a vector register, which 128-bit products do not allow.
 *
 * Counting: plane j holds bit j of every position's counter. Sixteen strings go through a tree of full adders
 * (Harley and Seal; Warren, Hacker's Delight, 5-1), and only its last carry ripples upwards. */
#include "protocol/bits.h"

#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "protocol/tally.h"
#include "simd/simd.h"

enum { LANES = 4, BLIND = 6, PLANES = 54, GROUP = 16, TILE = 64 };

LDP_OWN(struct ldp_unary);

typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));

static void lanes_seed(lanes s[4], struct ldp_rng *rng)
{
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < LANES; i++)
            s[j][i] = ldp_rng_next(rng);
    for (size_t i = 0; i < LANES; i++)
        if ((s[0][i] | s[1][i] | s[2][i] | s[3][i]) == 0)
            s[0][i] = 1; /* the all-zero state is a fixed point */
}

LDP_INLINE void bernoulli(lanes s[4], struct ldp_coin coin, uint64_t *out, size_t words)
{
    const ldp_uint128 threshold = (ldp_uint128)coin.hi << 64 | coin.lo;
    lanes s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    for (size_t w = 0; w < words; w += LANES) {
        lanes below = {0}, open = ~below;
        unsigned step = 0;
        for (ldp_uint128 rest = threshold; rest != 0; rest <<= 1) {
            const uint64_t bit = 0 - (uint64_t)(rest >> 127);
            const lanes sum = s0 + s3, u = (sum << 23 | sum >> 41) + s0, t = s1 << 17;
            s2 ^= s0;
            s3 ^= s1;
            s1 ^= s2;
            s0 ^= s3;
            s2 ^= t;
            s3 = s3 << 45 | s3 >> 19;
            below |= open & ~u & bit;
            open &= ~(u ^ bit);
            /* It is very rare that all 256 fractions are decided before this many steps. */
            if (++step > BLIND && (open[0] | open[1] | open[2] | open[3]) == 0)
                break;
        }
        memcpy(out + w, &below, (words - w < LANES ? words - w : LANES) * sizeof *out);
    }
}

LDP_VECTORS(void, bernoulli, (lanes s[4], struct ldp_coin coin, uint64_t *out, size_t words),
            bernoulli(s, coin, out, words))

void ldp_bits_bernoulli(struct ldp_rng *rng, struct ldp_coin coin, uint64_t *out, size_t words)
{
    if ((coin.hi | coin.lo) == 0) {
        memset(out, 0, words * sizeof *out);
        return;
    }
    lanes s[4];
    lanes_seed(s, rng);
    LDP_BEST(bernoulli)(s, coin, out, words);
}

size_t ldp_planes_bytes(size_t d)
{
    return PLANES * ldp_bits_words(d) * sizeof(uint64_t);
}

/* Planes that n strings need. */
static size_t planes_of(uint64_t n)
{
    size_t used = 0;
    while (used < PLANES && n >> used != 0)
        used++;
    return used;
}

size_t ldp_planes_bytes_few(size_t d, uint64_t n)
{
    return planes_of(n) * ldp_bits_words(d) * sizeof(uint64_t);
}

static inline void ripple(uint64_t *planes, size_t words, size_t w, size_t from, uint64_t carry)
{
    for (size_t j = from; carry != 0; j++) {
        const uint64_t plane = planes[j * words + w];
        planes[j * words + w] = plane ^ carry;
        carry &= plane;
    }
}

/* Adds one string, width <= TILE words of it, to all counters at once: without a branch for each word. */
static inline void add_one(uint64_t *plane, size_t words, size_t width, const uint64_t *string)
{
    uint64_t carry[TILE], any = 1;
    memcpy(carry, string, width * sizeof *carry);
    for (; any != 0; plane += words) {
        any = 0;
        for (size_t w = 0; w < width; w++) {
            const uint64_t old = plane[w];
            plane[w] = old ^ carry[w];
            carry[w] &= old;
            any |= carry[w];
        }
    }
}

/* A full adder, bit by bit: a + b + old *sum = 2 (returned value) + new *sum. */
static inline uint64_t add(uint64_t *sum, uint64_t a, uint64_t b)
{
    const uint64_t either = *sum ^ a, carry = (*sum & a) | (either & b);
    *sum = either ^ b;
    return carry;
}

void ldp_planes_add(void *planes, size_t d, const uint64_t *strings, size_t m)
{
    const size_t words = ldp_bits_words(d);
    uint64_t *const plane = planes;
    size_t i = 0;
    for (; i + GROUP <= m; i += GROUP) {
        const uint64_t *const group = strings + i * words;
        for (size_t tile = 0; tile < words; tile += TILE) {
            const size_t width = words - tile < TILE ? words - tile : TILE;
            uint64_t sixteens[TILE];
            for (size_t w = 0; w < width; w++) {
                const uint64_t *const x = group + tile + w;
                uint64_t ones = plane[tile + w], twos = plane[words + tile + w], fours = plane[2 * words + tile + w],
                         eights = plane[3 * words + tile + w], carry[2][4];
                for (size_t half = 0; half < 2; half++) {
                    const uint64_t *const y = x + half * (GROUP / 2) * words;
                    for (size_t j = 0; j < 4; j++)
                        carry[half][j] = add(&ones, y[2 * j * words], y[(2 * j + 1) * words]);
                }
                uint64_t four[4];
                for (size_t j = 0; j < 4; j++)
                    four[j] = add(&twos, carry[j / 2][j % 2 * 2], carry[j / 2][j % 2 * 2 + 1]);
                const uint64_t eight0 = add(&fours, four[0], four[1]), eight1 = add(&fours, four[2], four[3]);
                sixteens[w] = add(&eights, eight0, eight1);
                plane[tile + w] = ones;
                plane[words + tile + w] = twos;
                plane[2 * words + tile + w] = fours;
                plane[3 * words + tile + w] = eights;
            }
            for (size_t w = 0; w < width; w++)
                ripple(plane, words, tile + w, 4, sixteens[w]);
        }
    }
    for (; i < m; i++)
        for (size_t tile = 0; tile < words; tile += TILE)
            add_one(plane + tile, words, words - tile < TILE ? words - tile : TILE, strings + i * words + tile);
}

void ldp_planes_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    ldp_planes_add(state, protocol->d, reports, m);
}

void ldp_planes_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const size_t words = ldp_bits_words(protocol->d), used = planes_of(n);
    const uint64_t *const plane = state;
    for (size_t v = 0; v < protocol->d; v++) {
        uint64_t c = 0;
        for (size_t j = 0; j < used; j++)
            c |= (plane[j * words + v / 64] >> v % 64 & 1) << j;
        support[v] = (double)c;
    }
}

void ldp_planes_tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally)
{
    const size_t words = ldp_bits_words(protocol->d);
    uint64_t *const plane = state;
    for (size_t v = 0; v < protocol->d; v++) {
        const uint64_t bit = UINT64_C(1) << v % 64;
        uint64_t old = 0;
        for (size_t j = 0; j < PLANES; j++)
            old |= (plane[j * words + v / 64] >> v % 64 & 1) << j;
        const uint64_t value = ldp_tally_next(tally, old, n);
        for (size_t j = 0; value != old && j < PLANES; j++) {
            uint64_t *const word = &plane[j * words + v / 64];
            *word = value >> j & 1 ? *word | bit : *word & ~bit;
        }
    }
}

void ldp_bits_resize(uint64_t *set, size_t d, size_t size, const uint32_t *left_out, size_t count, struct ldp_rng *rng)
{
    const size_t words = ldp_bits_words(d);
    set[words - 1] &= ldp_bits_tail(d);
    for (size_t i = 0; i < count; i++)
        set[left_out[i] / 64] &= ~(UINT64_C(1) << left_out[i] % 64);
    size_t have = ldp_bits_ones(set, words);
    while (have != size) {
        const uint32_t u = (uint32_t)rng_below(rng, d);
        const uint64_t bit = UINT64_C(1) << u % 64;
        const bool in = (set[u / 64] & bit) != 0;
        bool stays = in != (have > size);
        for (size_t i = 0; !stays && i < count; i++)
            stays = u == left_out[i];
        if (stays)
            continue;
        set[u / 64] ^= bit;
        if (in)
            have--;
        else
            have++;
    }
}

void ldp_bits_craft(size_t d, size_t size, const uint32_t *target, size_t r, struct ldp_rng *rng, uint64_t *set)
{
    const size_t words = ldp_bits_words(d), others = size > r ? size - r : 0;
    /* Start with a set of about the right size; a small one is filled faster from the empty set. */
    const uint64_t start = (uint64_t)others * 256 / d;
    ldp_bits_bernoulli(rng, (struct ldp_coin){start < 16 ? 0 : start << 56, 0}, set, words);
    ldp_bits_resize(set, d, others, target, r, rng);
    if (size >= r) {
        for (size_t i = 0; i < r; i++)
            set[target[i] / 64] |= UINT64_C(1) << target[i] % 64;
        return;
    }
    for (size_t have = 0; have < size;) { /* the targets, `size` of them */
        const uint32_t v = target[rng_below(rng, r)];
        const uint64_t bit = UINT64_C(1) << v % 64;
        have += (set[v / 64] & bit) == 0;
        set[v / 64] |= bit;
    }
}

void ldp_unary_set(struct ldp_protocol *protocol, struct ldp_unary unary)
{
    own_set(protocol, unary);
    protocol->report_words = ldp_bits_words(protocol->d);
    protocol->state_bytes = ldp_planes_bytes(protocol->d);
}

struct ldp_unary ldp_unary_of(const struct ldp_protocol *protocol)
{
    return own_of(protocol);
}

void ldp_unary_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                      uint64_t *reports)
{
    const struct ldp_unary unary = own_of(protocol);
    const size_t words = protocol->report_words;
    const uint64_t tail = ldp_bits_tail(protocol->d);
    ldp_bits_bernoulli(rng, unary.other, reports, m * words);
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * words;
        report[words - 1] &= tail;
        const size_t w = values[i] / 64, bit = values[i] % 64;
        report[w] = (report[w] & ~(UINT64_C(1) << bit)) | (uint64_t)ldp_coin_heads(unary.own, rng) << bit;
    }
}

enum ldp_status ldp_unary_valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    if (report[protocol->report_words - 1] & ~ldp_bits_tail(protocol->d))
        return ldp_refuse(reason, "expected bits of d = %zu values, got one beyond them", protocol->d);
    return LDP_OK;
}

double ldp_unary_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const size_t words = protocol->report_words;
    if (ldp_unary_valid(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    const uint64_t own = report[value / 64] >> value % 64 & 1;
    const double others = (double)(ldp_bits_ones(report, words) - own), zeros = (double)protocol->d - 1 - others,
                 p = protocol->p, q = protocol->q;
    return ldp_log(own ? p : 1 - p) + others * ldp_log(q) + zeros * ldp_log1p(-q);
}

/* Bits of targets are 1, of avoided values 0, others those of users who have another value. */
static void craft_exactly(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m,
                          struct ldp_rng *rng, uint64_t *reports)
{
    const struct ldp_unary unary = own_of(protocol);
    const size_t words = protocol->report_words;
    ldp_bits_bernoulli(rng, unary.other, reports, m * words);
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * words;
        report[words - 1] &= ldp_bits_tail(protocol->d);
        for (size_t k = 0; k < craft->r + craft->avoided; k++) {
            const uint64_t bit = UINT64_C(1) << craft->target[k] % 64, word = report[craft->target[k] / 64];
            report[craft->target[k] / 64] = k < craft->r ? word | bit : word & ~bit;
        }
    }
}

/* Padded, as many bits are 1 as in the mean of genuine reports; each bit is free, so a uniform report is fair coins. */
void ldp_unary_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                     uint64_t *reports)
{
    const size_t d = protocol->d, words = protocol->report_words;
    if (craft->exact) {
        craft_exactly(protocol, craft, m, rng, reports);
        return;
    }
    const double genuine = protocol->p + (double)(d - 1) * protocol->q;
    const size_t size = craft->padding && genuine > (double)craft->r ? (size_t)genuine : craft->r;
    if (craft->r == 0)
        ldp_bits_bernoulli(rng, (struct ldp_coin){UINT64_C(1) << 63, 0}, reports, m * words);
    for (size_t i = 0; i < m; i++)
        if (craft->r == 0)
            reports[i * words + words - 1] &= ldp_bits_tail(d);
        else
            ldp_bits_craft(d, size, craft->target, craft->r, rng, reports + i * words);
}

/* The largest ratio: the own bit is 1 and that of the other value 0, p (1-q) / (q (1-p)). */
size_t ldp_unary_odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct ldp_unary unary = own_of(protocol);
    const struct ldp_coin zero = ldp_coin_turned(unary.other);
    factor[0] = (struct ldp_odds){.heads_hi = unary.own.hi, .heads_lo = unary.own.lo, .times = 1, .over = 1};
    factor[1] = (struct ldp_odds){.heads_hi = zero.hi, .heads_lo = zero.lo, .times = 1, .over = 1};
    return 2;
}

/* U: all bits alike. */
void ldp_unary_overlap(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const double p = protocol->p, q = protocol->q;
    ldp_overlap_set(overlap, protocol->d, q, q * q, q * q * q);
    overlap->epsilon = fmin(overlap->epsilon, ldp_log(p / (1 - p)) + ldp_log((1 - q) / q));
}

void ldp_unary_cost(const struct ldp_protocol *protocol, struct ldp_cost *cost)
{
    *cost = (struct ldp_cost){(double)protocol->d, (double)protocol->d, (double)protocol->d};
}

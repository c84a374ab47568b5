/* detect.c - see detect.h.
 *
 * counts: how many values a report supports has the law Bernoulli(p) + Binomial(d - 1, q), whatever the user has. If
 * more reports than that support c values, all reports that do are dropped. The test of each c is the Chernoff bound of
 * a binomial, of all c together Bonferroni's.
 *
 * itemsets: reports support a set S of s values together with probability q^(s-1) (sum_S c_v - (s-1) q), c_v the share
 * that supports v. The pair that is most above that is grown by the value that raises the evidence most, as long as one
 * does, and the reports that support all of the set are dropped; then the next pair is sought, up to ROUNDS times. A
 * pair counts if Chernoff's bound for it is below 5 % over the number of pairs; so a single target is never seen. Cost:
 * d^2 / 2 words / 64 in a round, where published code mines by FP-growth.
 *
 * Sources: Li, Li, Wang, Sun, arXiv:2506.02156 (Diffstats compares the numbers of supported values); Cao, Jia and Gong,
 * USENIX Security 2021, sec. 5.2 (frequent itemsets). */
#include "attacks/detect.h"

#include "numerics/arena.h"
#include "numerics/numeric.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8 };

static const double level = 0.05;

enum ldp_status ldp_detectors_check(const struct ldp_protocol *protocol, struct ldp_reason *reason)
{
    if (!(protocol->flags & LDP_ORACLE_INDEPENDENT) || protocol->flags & (LDP_ORACLE_REAL | LDP_ORACLE_NOT_PRIVATE) ||
        protocol->support_size != protocol->d || !ldp_has_mode(protocol, LDP_REPORTS))
        return ldp_refuse(reason, "reports of %s do not support values independently", protocol->oracle->name);
    return LDP_OK;
}

void ldp_sample_fill(struct ldp_detection_sample *sample, const uint64_t *reports, void *scratch)
{
    const struct ldp_protocol *const protocol = sample->protocol;
    struct ldp_arena arena = {scratch, 0};
    void *const state = ldp_take(&arena, protocol->state_bytes);
    double *const support = ldp_take(&arena, protocol->support_size * sizeof *support);
    memset(sample->support, 0, protocol->d * sample->words * sizeof *sample->support);
    for (size_t i = 0; i < sample->reports; i++) {
        memset(state, 0, protocol->state_bytes);
        protocol->oracle->server(protocol, reports + i * protocol->report_words, 1, state);
        protocol->oracle->support(protocol, state, 1, support);
        for (size_t v = 0; v < protocol->d; v++)
            sample->support[v * sample->words + i / 64] |= (uint64_t)(support[v] > 0.5) << i % 64;
    }
}

/* The ones of a & b, counted in bytes, which hold those of up to 31 words. */
static size_t count_ones(const uint64_t *a, const uint64_t *b, size_t words)
{
    const uint64_t pairs = 0x5555555555555555, fours = 0x3333333333333333, bytes = 0x0f0f0f0f0f0f0f0f,
                   halves = 0x00ff00ff00ff00ff, first = 0x0001000100010001;
    uint64_t count = 0;
    for (size_t from = 0; from < words; from += 31) {
        const size_t to = words - from < 31 ? words : from + 31;
        uint64_t sum = 0;
        for (size_t w = from; w < to; w++) {
            uint64_t x = a[w] & b[w];
            x -= x >> 1 & pairs;
            x = (x & fours) + (x >> 2 & fours);
            sum += (x + (x >> 4)) & bytes;
        }
        count += ((sum & halves) + (sum >> 8 & halves)) * first >> 48;
    }
    return (size_t)count;
}

size_t ldp_sample_count(const struct ldp_detection_sample *sample, size_t v)
{
    const uint64_t *const bits = sample->support + v * sample->words;
    return count_ones(bits, bits, sample->words);
}

/* n KL(k / n || p), minus the logarithm of a bound of P(Binomial(n, p) >= k); 0 where k is not above n p. */
static double evidence(size_t k, size_t n, double p)
{
    const double share = (double)k / (double)n;
    if (!(share > p) || p <= 0)
        return share > p ? INFINITY : 0;
    const double of_others = k < n ? (1 - share) * ldp_log((1 - share) / (1 - p)) : 0;
    return (double)n * (share * ldp_log(share / p) + of_others);
}

/* ---- counts ---- */

static size_t counts_scratch(const struct ldp_detection_sample *sample)
{
    return ldp_aligned(sample->reports * sizeof(uint32_t)) +
           2 * ldp_aligned((sample->protocol->d + 1) * sizeof(double));
}

/* law[d + 1] of the number of values that a genuine report supports. */
static void law_of_count(const struct ldp_protocol *protocol, double *law)
{
    const size_t d = protocol->d;
    const double p = protocol->p, q = protocol->q, odds = q / (1 - q);
    double log_mass = (double)(d - 1) * ldp_log(1 - q);
    double before = 0;
    for (size_t c = 0; c <= d; c++) {
        const double mass = c < d ? ldp_exp(log_mass) : 0;
        law[c] = (1 - p) * mass + p * before;
        before = mass;
        if (c + 1 < d)
            log_mass += ldp_log(odds * (double)(d - 1 - c) / (double)(c + 1));
    }
}

static bool find_by_counts(struct ldp_detection_sample *sample, void *scratch, uint64_t *dropped)
{
    const size_t d = sample->protocol->d;
    struct ldp_arena arena = {scratch, 0};
    uint32_t *const size = ldp_take(&arena, sample->reports * sizeof *size);
    double *const law = ldp_take(&arena, (d + 1) * sizeof *law), *const seen = ldp_take(&arena, (d + 1) * sizeof *seen);
    bool any = false;
    memset(size, 0, sample->reports * sizeof *size);
    memset(seen, 0, (d + 1) * sizeof *seen);
    memset(dropped, 0, sample->words * sizeof *dropped);
    law_of_count(sample->protocol, law);
    for (size_t v = 0; v < d; v++)
        for (size_t i = 0; i < sample->reports; i++)
            size[i] += (uint32_t)(sample->support[v * sample->words + i / 64] >> i % 64 & 1);
    for (size_t i = 0; i < sample->reports; i++)
        seen[size[i]]++;
    for (size_t i = 0; i < sample->reports; i++) {
        const size_t c = size[i];
        if (evidence((size_t)seen[c], sample->reports, law[c]) > ldp_log((double)(d + 1) / level)) {
            dropped[i / 64] |= UINT64_C(1) << i % 64;
            any = true;
        }
    }
    return any;
}

/* ---- itemsets ---- */

static size_t itemsets_scratch(const struct ldp_detection_sample *sample)
{
    return 2 * ldp_aligned(sample->protocol->d * sizeof(double)) + ldp_aligned(sample->words * sizeof(uint64_t));
}

/* A set of values that reports support together. */
struct itemset {
    size_t size;
    double total;    /* of the shares that support its values */
    double evidence; /* that too many reports support all of them */
};

static struct itemset with(const struct itemset *set, double share, size_t together, size_t n, double q)
{
    struct itemset larger = {.size = set->size + 1, .total = set->total + share};
    const double s = (double)larger.size, p = ldp_pow(q, s - 1) * (larger.total - (s - 1) * q);
    larger.evidence = evidence(together, n, p);
    return larger;
}

static size_t together(const struct ldp_detection_sample *sample, size_t v, const uint64_t *supporting)
{
    return count_ones(sample->support + v * sample->words, supporting, sample->words);
}

/* Adds to a set, and to the bits held[words] of the reports that support it, the value that raises the evidence most.
 * False: none does. */
static bool grow(const struct ldp_detection_sample *sample, const double *share, bool *taken, struct itemset *set,
                 uint64_t *supporting)
{
    const size_t d = sample->protocol->d;
    struct itemset best = *set;
    size_t chosen = d;
    for (size_t v = 0; v < d; v++) {
        if (taken[v])
            continue;
        const struct itemset larger =
            with(set, share[v], together(sample, v, supporting), sample->reports, sample->protocol->q);
        if (larger.evidence > best.evidence) {
            best = larger;
            chosen = v;
        }
    }
    if (chosen == d)
        return false;
    *set = best;
    taken[chosen] = true;
    for (size_t w = 0; w < sample->words; w++)
        supporting[w] &= sample->support[chosen * sample->words + w];
    return true;
}

/* The pair that is most above what is expected; its evidence. */
static double find_pair(const struct ldp_detection_sample *sample, const double *share, size_t pair[2])
{
    double most = 0;
    for (size_t u = 0; u < sample->protocol->d; u++) {
        const struct itemset one = {.size = 1, .total = share[u]};
        const uint64_t *const supporting = sample->support + u * sample->words;
        for (size_t v = u + 1; v < sample->protocol->d; v++) {
            const struct itemset two =
                with(&one, share[v], together(sample, v, supporting), sample->reports, sample->protocol->q);
            if (two.evidence > most) {
                most = two.evidence;
                pair[0] = u;
                pair[1] = v;
            }
        }
    }
    return most;
}

static bool find_by_itemsets(struct ldp_detection_sample *sample, void *scratch, uint64_t *dropped)
{
    const size_t d = sample->protocol->d, words = sample->words;
    struct ldp_arena arena = {scratch, 0};
    double *const share = ldp_take(&arena, d * sizeof *share);
    bool *const taken = ldp_take(&arena, d * sizeof *share);
    uint64_t *const supporting = ldp_take(&arena, words * sizeof *supporting);
    const double limit = ldp_log((double)d * (double)(d - 1) / 2 / level);
    bool any = false;
    memset(dropped, 0, words * sizeof *dropped);
    for (int round = 0; round < ROUNDS; round++) {
        size_t pair[2] = {0, 0};
        for (size_t v = 0; v < d; v++)
            share[v] = (double)ldp_sample_count(sample, v) / (double)sample->reports;
        if (!(find_pair(sample, share, pair) > limit))
            break;
        struct itemset set = {.size = 1, .total = share[pair[0]]};
        memset(taken, 0, d * sizeof *taken);
        taken[pair[0]] = true;
        memcpy(supporting, sample->support + pair[0] * words, words * sizeof *supporting);
        while (grow(sample, share, taken, &set, supporting))
            ;
        for (size_t w = 0; w < words; w++) {
            dropped[w] |= supporting[w];
            for (size_t v = 0; v < d; v++)
                sample->support[v * words + w] &= ~supporting[w];
        }
        any = true;
    }
    return any;
}

static const struct ldp_detector counts = {
    .name = "counts",
    .title = "Reports that support as many values as too many reports do",
    .source = "after Li, Li, Wang, Sun, arXiv:2506.02156 (Diffstats)",
    .find = find_by_counts,
    .scratch_bytes = counts_scratch,
};

static const struct ldp_detector itemsets = {
    .name = "itemsets",
    .title = "Reports that support values which too many reports support together",
    .source = "Cao, Jia, Gong, USENIX Security 2021, sec. 5.2",
    .find = find_by_itemsets,
    .scratch_bytes = itemsets_scratch,
};

const struct ldp_detector *const ldp_detectors[] = {&counts, &itemsets, NULL};

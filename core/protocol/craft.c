/* craft.c - see craft.h.
 *
 * Where a report is a number below a limit (grr, hr, rhr, pgr, pi_rappor, flh), all reports are tried: a report
 * supports a target if its probability under that value is nearly the largest, and the best support the most targets.
 * A report that supports every value of a sample (row 0 of a Hadamard matrix) is left out where another one is as good
 * or nearly: it raises all estimates alike, which any method undoes. Cost: report_limit r; with contrast report_limit
 * d, and the best are those with the largest share of the targets less that of the other values. */
#include "protocol/craft.h"

#include "hashing/hash.h"
#include "random/coin.h"

#include <assert.h>

/* The most reports that are tried, and the values by which a report that supports everything is known. */
enum { TRIED_MAX = 1 << 26, LOOKED_MAX = 1 << 28, SAMPLE = 64 };

bool ldp_can_search(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    return protocol->report_words == 1 && protocol->report_limit > 0 && protocol->report_limit <= TRIED_MAX &&
           (!craft->contrast || protocol->report_limit <= LOOKED_MAX / protocol->d) && !craft->exact &&
           protocol->oracle->log_likelihood;
}

size_t ldp_craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    if (protocol->oracle->craft_most)
        return protocol->oracle->craft_most(protocol, craft);
    return protocol->oracle->craft || ldp_can_search(protocol, craft) ? protocol->d : 0;
}

void ldp_best_offer(struct ldp_best *best, size_t score, uint64_t item, struct ldp_rng *rng)
{
    if (score < best->score)
        return;
    if (score > best->score)
        *best = (struct ldp_best){.score = score};
    best->count++;
    if (best->kept < LDP_BEST_MAX)
        best->item[best->kept++] = item;
    else {
        const uint64_t position = rng_below(rng, best->count);
        if (position < LDP_BEST_MAX)
            best->item[position] = item;
    }
}

uint64_t ldp_best_draw(const struct ldp_best *best, struct ldp_rng *rng)
{
    assert(best->kept > 0);
    return best->item[rng_below(rng, best->kept)];
}

static bool supports(const struct ldp_protocol *protocol, uint32_t value, uint64_t report, double bound)
{
    return protocol->oracle->log_likelihood(protocol, value, &report) > bound;
}

/* A report supports a value if its log-probability is above this: half way between the largest and the least, but no
 * more than epsilon / 2 below the largest (some reports of pi_rappor are rarer, and support nothing). */
static double bound_of(const struct ldp_protocol *protocol)
{
    double least = INFINITY, most = -INFINITY;
    for (uint64_t report = 0; report < protocol->report_limit && report < SAMPLE; report++)
        for (uint32_t v = 0; v < protocol->d && v < SAMPLE; v++) {
            const double l = protocol->oracle->log_likelihood(protocol, v, &report);
            least = l < least ? l : least;
            most = l > most ? l : most;
        }
    return fmax((least + most) / 2, most - ldp_coin_epsilon(protocol->epsilon) / 2);
}

static bool supports_all(const struct ldp_protocol *protocol, uint64_t report, double bound)
{
    const size_t d = protocol->d, step = d / SAMPLE + 1;
    for (size_t v = 0; v < d; v += step)
        if (!supports(protocol, (uint32_t)v, report, bound))
            return false;
    return true;
}

/* r (d - r) times the share of the targets that a report supports, plus the share of others that it does not. */
static size_t contrast_of(const struct ldp_protocol *protocol, const struct ldp_craft *craft, uint64_t report,
                          double bound, size_t of_targets)
{
    const size_t others = protocol->d - craft->r;
    size_t all = 0;
    for (size_t v = 0; v < protocol->d; v++)
        all += supports(protocol, (uint32_t)v, report, bound);
    return others == 0 ? of_targets : of_targets * others + (others - (all - of_targets)) * craft->r;
}

void ldp_craft_search(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                      uint64_t *reports)
{
    struct ldp_best best = {.kept = 0};
    assert(ldp_can_search(protocol, craft));
    if (craft->r == 0) {
        for (size_t i = 0; i < m; i++)
            reports[i] = rng_below(rng, protocol->report_limit);
        return;
    }
    const double bound = bound_of(protocol);
    for (uint64_t report = 0; report < protocol->report_limit; report++) {
        size_t score = 0;
        for (size_t i = 0; i < craft->r; i++)
            score += supports(protocol, craft->target[i], report, bound);
        if (craft->contrast)
            score = contrast_of(protocol, craft, report, bound, score);
        if (score >= best.score && (craft->contrast || score < craft->r || !supports_all(protocol, report, bound)))
            ldp_best_offer(&best, score, report, rng);
    }
    for (size_t i = 0; i < m; i++)
        reports[i] = ldp_best_draw(&best, rng);
}

/* The most targets of one symbol; y becomes such a symbol, each with the same probability. */
static size_t fullest(const uint32_t *symbol, size_t r, struct ldp_rng *rng, uint64_t *y)
{
    size_t most = 0, ties = 0;
    for (size_t i = 0; i < r; i++) {
        size_t count = 0;
        for (size_t j = 0; j < r; j++)
            count += symbol[j] == symbol[i];
        if (count > most) {
            most = count;
            ties = 0;
        }
        /* A symbol of `most` targets comes `most` times. */
        if (count == most && rng_below(rng, ++ties) == 0)
            *y = symbol[i];
    }
    return most;
}

void ldp_craft_seed(const struct ldp_craft *craft, uint32_t words, bool signs, struct ldp_rng *rng, uint64_t report[2])
{
    const size_t r = craft->r < LDP_CRAFT_FEW ? craft->r : LDP_CRAFT_FEW;
    size_t most = 0;
    report[0] = rng_next(rng);
    report[1] = rng_below(rng, words);
    for (uint64_t tried = 0; most < r && tried < craft->budget; tried++) {
        const uint64_t seed = rng_next(rng);
        uint32_t symbol[LDP_CRAFT_FEW];
        uint64_t y = 0;
        for (size_t t = 0; t < r; t++) {
            const uint32_t target = craft->target[t];
            symbol[t] = signs ? ldp_hash(seed, target / 2, words) ^ target % 2 : ldp_hash(seed, target, words);
        }
        const size_t count = fullest(symbol, r, rng, &y);
        if (count > most) {
            most = count;
            report[0] = seed;
            report[1] = y;
        }
    }
}

void ldp_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
               uint64_t *reports)
{
    if (protocol->oracle->craft)
        protocol->oracle->craft(protocol, craft, m, rng, reports);
    else
        ldp_craft_search(protocol, craft, m, rng, reports);
}

void ldp_craft_part(const struct ldp_protocol *part, const struct ldp_craft *craft, size_t m, uint64_t head,
                    size_t words, struct ldp_rng *rng, uint64_t *reports)
{
    const size_t own = part->report_words;
    if (m == 0)
        return;
    ldp_craft(part, craft, m, rng, reports);
    for (size_t i = m; i-- > 0;) { /* those at the end are spread first */
        uint64_t *const report = reports + i * words;
        memmove(report + 1, reports + i * own, own * sizeof *report);
        memset(report + 1 + own, 0, (words - 1 - own) * sizeof *report);
        report[0] = head;
    }
}

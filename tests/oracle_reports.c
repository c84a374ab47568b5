/* oracle_reports.c - see oracle_checks.h: checks by single reports, of which small oracles have few enough to
 * enumerate: privacy, the probabilities p and q, and the joint law of all supports. */
#include "oracle_checks.h"

#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORTS = 4096, MAX_STATES = 50000 };

/* Reports as keys: all that can occur (one word), or all that were seen (several). */
struct universe {
    size_t words, count;
    uint64_t *report; /* [MAX_REPORTS][words] */
    bool complete;    /* nothing that was seen is missing */
    uint64_t *seen;   /* [d][MAX_REPORTS] */
    uint64_t singles; /* reports seen once in all */
    size_t draws;     /* of each value */
};

static void universe_free(struct universe *universe)
{
    free(universe->report);
    free(universe->seen);
}

static bool possible(const struct ldp_protocol *protocol, const uint64_t *report)
{
    for (uint32_t v = 0; v < protocol->d; v++)
        if (protocol->oracle->log_likelihood(protocol, v, report) > -INFINITY)
            return true;
    return false;
}

/* ---- Reports from outside ---- */

/* Whether some user can have sent it, by the likelihood. Rows of a sketch that are not private may have values that no
 * cell has; the density of real numbers is positive beyond those that can be drawn. */
static bool likelihood_decides(const struct ldp_protocol *protocol)
{
    return protocol->oracle->log_likelihood && !(protocol->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_REAL));
}

static struct verdict check_one_report(const struct subject *subject, const struct ldp_protocol *protocol,
                                       const uint64_t *report)
{
    struct ldp_reason reason = {{0}};
    const bool valid = ldp_report_check(protocol, report, &reason) == LDP_OK;
    if (valid == (reason.text[0] != '\0'))
        return BAD("a report that is %svalid has the reason \"%s\"", valid ? "" : "not ", reason.text);
    if (ldp_reports_valid(protocol, report, 1) != valid)
        return BAD("report %llx: valid %d by itself, not among others", (unsigned long long)report[0], valid);
    if (likelihood_decides(protocol) && valid != possible(protocol, report))
        return BAD("report %llx: valid %d, possible %d", (unsigned long long)report[0], valid, !valid);
    if (!valid)
        return GOOD;
    struct verdict verdict = GOOD;
    double *const support = allocate(protocol->support_size, sizeof *support);
    support_of_reports(protocol, report, 1, support);
    for (size_t i = 0; i < protocol->support_size && verdict.good; i++)
        if (!isfinite(support[i]))
            verdict = BAD("a valid report gives support %g", support[i]);
    free(support);
    return verdict;
}

struct verdict check_valid(const struct subject *subject)
{
    enum { OWN = 8, RANDOM = 40, FLIPS = 40 };
    static const uint64_t EXTREMES[] = {0,
                                        1,
                                        INT32_MAX,
                                        (uint64_t)INT32_MAX + 1,
                                        UINT32_MAX,
                                        UINT64_MAX,
                                        INT64_MAX,
                                        1ull << 63,
                                        UINT64_C(0x7ff0000000000000),
                                        UINT64_C(0xfff0000000000000),
                                        UINT64_C(0x7ff8000000000000),
                                        1ull << 40};
    const struct ldp_protocol protocol = protocol_of(subject);
    const size_t words = protocol.report_words;
    uint64_t *const own = allocate(OWN * words, sizeof *own), *const report = allocate(words, sizeof *report);
    struct ldp_rng rng = stream_of(subject, "valid");
    uint32_t values[OWN];
    for (size_t i = 0; i < OWN; i++)
        values[i] = (uint32_t)ldp_rng_below(&rng, subject->d);
    protocol.oracle->client(&protocol, values, OWN, &rng, own);
    struct verdict verdict = GOOD;
    for (size_t i = 0; i < OWN && verdict.good; i++)
        if (ldp_report_check(&protocol, own + i * words, NULL) != LDP_OK)
            verdict = BAD("a client's report is not valid");
    if (verdict.good && !ldp_reports_valid(&protocol, own, OWN))
        verdict = BAD("a client's reports are not all valid");
    for (size_t i = 0; i < FLIPS && verdict.good; i++) {
        memcpy(report, own + i % OWN * words, words * sizeof *report);
        report[ldp_rng_below(&rng, words)] ^= UINT64_C(1) << ldp_rng_below(&rng, i % 2 ? 64 : 12);
        verdict = check_one_report(subject, &protocol, report);
        uint64_t *const place = own + i % OWN * words; /* among valid ones */
        for (size_t w = 0; w < words; w++) {
            const uint64_t kept = place[w];
            place[w] = report[w];
            report[w] = kept;
        }
        if (verdict.good &&
            ldp_reports_valid(&protocol, own, OWN) != (ldp_report_check(&protocol, place, NULL) == LDP_OK))
            verdict = BAD("one report among valid ones decides whether all are");
        memcpy(place, report, words * sizeof *report);
    }
    for (size_t i = 0; i < RANDOM && verdict.good; i++) {
        for (size_t w = 0; w < words; w++)
            report[w] = ldp_rng_next(&rng) >> ldp_rng_below(&rng, 64);
        verdict = check_one_report(subject, &protocol, report);
    }
    for (size_t i = 0; i < sizeof EXTREMES / sizeof *EXTREMES && verdict.good; i++)
        for (size_t one = 0; one <= words && verdict.good; one++) {
            memcpy(report, own, words * sizeof *report);
            for (size_t w = 0; w < words; w++)
                report[w] = one == words || one == w ? EXTREMES[i] : report[w];
            verdict = check_one_report(subject, &protocol, report);
        }
    free(own);
    free(report);
    return verdict;
}

static size_t find(struct universe *universe, const uint64_t *report, size_t *slot)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t w = 0; w < universe->words; w++)
        hash = (hash ^ report[w] ^ report[w] >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = (size_t)(hash >> 50);; i = (i + 1) % (4 * MAX_REPORTS)) {
        if (slot[i] == 0) {
            if (universe->count == MAX_REPORTS)
                return MAX_REPORTS;
            memcpy(universe->report + universe->count * universe->words, report, universe->words * sizeof *report);
            slot[i] = ++universe->count;
        }
        if (memcmp(universe->report + (slot[i] - 1) * universe->words, report, universe->words * sizeof *report) == 0)
            return slot[i] - 1;
    }
}

static struct universe universe_new(const struct subject *subject, const struct ldp_protocol *protocol, size_t draws)
{
    const size_t words = protocol->report_words, d = subject->d;
    struct universe u = {.words = words, .complete = true, .draws = draws};
    u.report = allocate(MAX_REPORTS * words, sizeof *u.report);
    u.seen = allocate(d * MAX_REPORTS, sizeof *u.seen);
    size_t *const slot = allocate((size_t)4 * MAX_REPORTS, sizeof *slot);
    if (words == 1 && protocol->oracle->log_likelihood)
        for (uint64_t report = 0; report < MAX_REPORTS; report++)
            if (possible(protocol, &report))
                find(&u, &report, slot);

    uint64_t *const reports = allocate(1000 * words, sizeof *reports);
    uint32_t *const values = allocate(1000, sizeof *values);
    struct ldp_rng rng = stream_of(subject, "client");
    for (uint32_t v = 0; v < d && u.complete; v++) {
        for (size_t i = 0; i < 1000; i++)
            values[i] = v;
        for (size_t done = 0; done < draws && u.complete; done += 1000) {
            protocol->oracle->client(protocol, values, 1000, &rng, reports);
            for (size_t i = 0; i < 1000 && u.complete; i++) {
                const size_t which = find(&u, reports + i * words, slot);
                u.complete = which < MAX_REPORTS;
                if (u.complete)
                    u.seen[v * MAX_REPORTS + which]++;
            }
        }
    }
    for (size_t i = 0; i < u.count; i++) {
        uint64_t total = 0;
        for (size_t v = 0; v < d; v++)
            total += u.seen[v * MAX_REPORTS + i];
        u.singles += total == 1;
    }
    free(slot);
    free(reports);
    free(values);
    return u;
}

/* Few enough reports to see them all: exact privacy of the stated likelihood, a client that follows it, and
 * no ratio of observed frequencies that is beyond e^epsilon, whatever the oracle states. */
static struct verdict check_small_privacy(const struct subject *subject, const struct ldp_protocol *protocol,
                                          const struct universe *u)
{
    const size_t d = subject->d;
    const double draws = (double)u->draws, e = exp(subject->epsilon);
    double (*const log_likelihood)(const struct ldp_protocol *, uint32_t, const uint64_t *) =
        protocol->oracle->log_likelihood;
    const bool private = !(protocol->flags & LDP_ORACLE_NOT_PRIVATE);

    for (size_t i = 0; i < u->count && private; i++)
        for (uint32_t v = 0; v < d; v++)
            for (uint32_t w = 0; w < d; w++) {
                const double a = (double)u->seen[v * MAX_REPORTS + i], b = (double)u->seen[w * MAX_REPORTS + i];
                /* At the limit b is binomial among a + b; here the comparisons are some 1e8. */
                if (a > e * b && gsl_cdf_binomial_P((unsigned)b, 1 / (1 + e), (unsigned)(a + b)) < 1e-15)
                    return BAD("report %zu was seen %g times from %u and %g times from %u: ratio above e^epsilon", i, a,
                               v, b, w);
            }
    if (!log_likelihood)
        return GOOD;

    const double missing = u->words == 1 ? 0 : 10 * ((double)u->singles + 1) / draws;
    double *const least = allocate(u->count, sizeof *least); /* of the log likelihoods of all values */
    struct verdict verdict = GOOD;
    for (size_t i = 0; i < u->count; i++) {
        least[i] = INFINITY;
        for (uint32_t v = 0; v < d; v++)
            least[i] = fmin(least[i], log_likelihood(protocol, v, u->report + i * u->words));
    }
    for (uint32_t v = 0; v < d && verdict.good; v++) {
        double sum = 0, chi = 0, pooled_seen = 0, pooled = 0, seen = 0;
        size_t cells = 0;
        for (size_t i = 0; i < u->count && verdict.good; i++) {
            const double l = log_likelihood(protocol, v, u->report + i * u->words), P = exp(l),
                         count = (double)u->seen[v * MAX_REPORTS + i];
            sum += P;
            seen += count;
            if (private && l > -INFINITY && !(l - least[i] <= subject->epsilon + 1e-12))
                verdict = BAD("log ratio %.17g of report %zu of %u", l - least[i], i, v);
            if (P * draws >= 10) {
                chi += (count - P * draws) * (count - P * draws) / (P * draws);
                cells++;
            } else {
                pooled += P * draws;
                pooled_seen += count;
            }
        }
        if (!verdict.good)
            break;
        if (!(sum <= 1 + 1e-9 && sum >= 1 - missing - 1e-9))
            verdict = BAD("likelihoods given %u sum to %.12g", v, sum);
        if (pooled >= 10) {
            chi += (pooled_seen - pooled) * (pooled_seen - pooled) / pooled;
            cells++;
        } else if (pooled_seen > 60) {
            verdict = BAD("the client sends %g impossible or rare reports of %u, expected %g", pooled_seen, v, pooled);
        }
        if (cells > 1 && gsl_cdf_chisq_Q(chi, (double)(cells - 1)) < statistics_p_bound(COMPARISONS))
            verdict = BAD("the client's reports of %u do not follow their likelihood: chi-square %.1f in %zu cells", v,
                          chi, cells);
        if (seen != draws)
            verdict = BAD("%g of %g reports are unknown", draws - seen, draws);
    }
    free(least);
    return verdict;
}

/* Too many reports: the ratios of all that are drawn are bounded, and weighting a report of v by L_w / L_v must
 * turn its law into that of w, for the constant 1 and for the support of each value. */
static struct verdict check_large_privacy(const struct subject *subject, const struct ldp_protocol *protocol)
{
    enum { DRAWS = 5000, VALUES = 3 };
    /* An oracle that is made of another one configures that for each likelihood: those of all values for fewer reports.
     * Reports of the other one are looked at, too. */
    const bool of_another = subject->spec.oracle->inner || protocol->flags & LDP_ORACLE_LEVELS;
    const size_t d = subject->d, width = protocol->support_size, words = protocol->report_words,
                 values = d < VALUES ? d : VALUES,
                 of_all = !of_another           ? DRAWS
                          : statistics_verify() ? DRAWS / 5
                                                : DRAWS / 12;
    double (*const log_likelihood)(const struct ldp_protocol *, uint32_t, const uint64_t *) =
        protocol->oracle->log_likelihood;
    if (!log_likelihood)
        return BAD("too many reports to estimate their ratios: log_likelihood is needed");
    uint64_t *const reports = allocate(DRAWS * words, sizeof *reports);
    uint32_t *const own = allocate(DRAWS, sizeof *own);
    double *const support = allocate(values * DRAWS * width, sizeof *support), /* of each value's reports */
        *const ratio = allocate(values * values * DRAWS, sizeof *ratio);
    struct verdict verdict = GOOD;
    struct ldp_rng rng = stream_of(subject, "large");
    for (uint32_t v = 0; v < values && verdict.good; v++) {
        for (size_t i = 0; i < DRAWS; i++)
            own[i] = v;
        protocol->oracle->client(protocol, own, DRAWS, &rng, reports);
        for (size_t i = 0; i < DRAWS && verdict.good; i++) {
            const double l = log_likelihood(protocol, v, reports + i * words);
            support_of_reports(protocol, reports + i * words, 1, support + (v * DRAWS + i) * width);
            for (uint32_t w = 0; w < (i < of_all ? d : values); w++) {
                const double gain = log_likelihood(protocol, w, reports + i * words) - l;
                if (!(fabs(gain) <= subject->epsilon + 1e-12))
                    verdict = BAD("log ratio %.17g between %u and %u", gain, w, v);
                if (w < values)
                    ratio[(v * values + w) * DRAWS + i] = exp(gain);
            }
        }
    }
    for (size_t v = 0; v < values; v++) {
        for (size_t w = 0; w < values; w++) {
            for (size_t u = 0; u <= width && verdict.good; u++) {
                /* Second moments of the weighted from the law that they should have, where what is rare and heavy under
                 * v is common. */
                double a = 0, a2 = 0, b = 0, b2 = 0;
                for (size_t i = 0; i < DRAWS; i++) {
                    const double f = u == width ? 1 : support[(v * DRAWS + i) * width + u],
                                 h = u == width ? 1 : support[(w * DRAWS + i) * width + u];
                    a += f * ratio[(v * values + w) * DRAWS + i] / DRAWS;
                    a2 += h * h / ratio[(w * values + v) * DRAWS + i] / DRAWS;
                    b += h / DRAWS;
                    b2 += h * h / DRAWS;
                }
                if (differs(a - b, sqrt((fmax(a2 - b * b, 0) + fmax(b2 - b * b, 0)) / DRAWS), 1))
                    verdict =
                        BAD("reports of %zu, weighted, support %zu %g times; those of %zu %g times", v, u, a, w, b);
            }
        }
    }
    free(reports);
    free(own);
    free(support);
    free(ratio);
    return verdict;
}

/* Reports of d real numbers cannot be enumerated. The log ratio between two values is bounded by epsilon on a grid of
 * reports, all pairs of entries and random ones, and comes up to it: no less noise would do, nor is there more. */
static struct verdict check_real_privacy(const struct subject *subject, const struct ldp_protocol *protocol)
{
    static const double grid[] = {-1e3, -3, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 3, 1e3};
    enum { GRID = sizeof grid / sizeof *grid, RANDOM = 2000 };
    const size_t d = subject->d, reports = (size_t)GRID * GRID * d * (d - 1) + RANDOM;
    double (*const log_likelihood)(const struct ldp_protocol *, uint32_t, const uint64_t *) =
        protocol->oracle->log_likelihood;
    double *const report = allocate(d, sizeof *report), largest = 0;
    uint64_t *const words = allocate(d, sizeof *words);
    struct ldp_rng rng = stream_of(subject, "real");
    for (size_t i = 0; i < reports; i++) {
        if (i < RANDOM)
            for (size_t v = 0; v < d; v++)
                report[v] = grid[ldp_rng_below(&rng, GRID)] + (double)(i % 2) * (ldp_rng_uniform(&rng) - 0.5);
        else {
            const size_t pair = (i - RANDOM) / (GRID * GRID), v = pair / (d - 1), w = pair % (d - 1);
            memset(report, 0, d * sizeof *report);
            report[v] = grid[(i - RANDOM) % GRID];
            report[w + (w >= v)] = grid[(i - RANDOM) / GRID % GRID];
        }
        memcpy(words, report, d * sizeof *words);
        double least = INFINITY, most = -INFINITY;
        for (uint32_t v = 0; v < d; v++) {
            const double l = log_likelihood(protocol, v, words);
            least = fmin(least, l);
            most = fmax(most, l);
        }
        largest = fmax(largest, most - least);
    }
    free(report);
    free(words);
    if (fabs(largest - subject->epsilon) > 1e-8)
        return BAD("the largest log ratio is %.12g", largest);
    return GOOD;
}

struct verdict check_privacy(const struct subject *subject)
{
    const struct ldp_protocol protocol = protocol_of(subject);
    if (protocol.flags & LDP_ORACLE_REAL) {
        const struct verdict verdict = check_real_privacy(subject, &protocol);
        if (!verdict.good)
            return verdict;
    }
    struct universe u = universe_new(subject, &protocol, 10000);
    const struct verdict verdict = u.complete && u.count < MAX_REPORTS / 2 ? check_small_privacy(subject, &protocol, &u)
                                   : protocol.flags & LDP_ORACLE_NOT_PRIVATE || large_state(subject)
                                       ? GOOD /* settings with less state say the same */
                                       : check_large_privacy(subject, &protocol);
    universe_free(&u);
    return verdict;
}

/* All reports of one word with what each adds to the supports of values, or count = 0. */
struct table {
    size_t count;
    uint64_t *report;
    double *support; /* [count][d] */
};

static void table_fill(const struct ldp_protocol *protocol, struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        support_of_reports(protocol, &t->report[i], 1, t->support + i * protocol->d);
}

static struct table table_new(const struct ldp_protocol *protocol)
{
    struct table t = {0};
    if (protocol->report_words != 1 || !protocol->oracle->log_likelihood || protocol->oracle->estimate)
        return t;
    t.report = allocate(MAX_REPORTS, sizeof *t.report);
    double sum = 0;
    for (uint64_t report = 0; report < MAX_REPORTS; report++) {
        if (possible(protocol, &report))
            t.report[t.count++] = report;
        sum += exp(protocol->oracle->log_likelihood(protocol, 0, &report));
    }
    if (fabs(sum - 1) > 1e-9)
        t.count = 0; /* there are larger ones */
    /* each row overwrites what the one before has behind its values */
    t.support = allocate(t.count * protocol->d + protocol->support_size, sizeof *t.support);
    table_fill(protocol, &t);
    return t;
}

static void table_free(struct table *table)
{
    free(table->report);
    free(table->support);
}

/* The protocol's p and q are the probabilities that a report supports the own and another value: exactly; but where
 * they depend on public randomness (flh's functions), the mean over all values is right on average. */
struct verdict check_pq(const struct subject *subject)
{
    enum { SEEDS = 400 };
    struct ldp_protocol protocol = protocol_of(subject);
    if (protocol.flags & LDP_ORACLE_JOINT)
        return GOOD; /* no sums over users */
    struct table t = table_new(&protocol);
    const size_t d = subject->d;
    double *const mean = allocate(d, sizeof *mean), sum[2] = {0}, square[2] = {0};
    bool exact = true;
    for (size_t seeds = 0; seeds < SEEDS && t.count > 0 && !(exact && seeds > 0); seeds++) {
        protocol.public_seed = 99 + seeds;
        table_fill(&protocol, &t);
        double off[2] = {0}; /* other values, the own */
        for (uint32_t v = 0; v < d; v++) {
            memset(mean, 0, d * sizeof *mean);
            for (size_t i = 0; i < t.count; i++) {
                const double P = exp(protocol.oracle->log_likelihood(&protocol, v, &t.report[i]));
                for (size_t w = 0; w < d; w++)
                    mean[w] += P * t.support[i * d + w];
            }
            for (size_t w = 0; w < d; w++) {
                const double difference = mean[w] - (v == w ? protocol.p : protocol.q);
                exact &= fabs(difference) <= 1e-11;
                off[v == w] += difference / (double)(v == w ? d : d * (d - 1));
            }
        }
        for (size_t own = 0; own < 2; own++) {
            sum[own] += off[own] / SEEDS;
            square[own] += off[own] * off[own] / SEEDS;
        }
    }
    free(mean);
    table_free(&t);
    for (size_t own = 0; own < 2 && !exact; own++)
        if (differs(sum[own], sqrt(fmax(square[own] - sum[own] * sum[own], 0) / SEEDS), 1e-2))
            return BAD("support of %s: off the stated probability by %g", own ? "the own value" : "others", sum[own]);
    return GOOD;
}

/* Supports may be fractions of one: the least number of parts of which all are made, up to 64. */
static size_t parts_of(const struct table *table, size_t d)
{
    size_t parts = 1;
    for (size_t i = 0; i < table->count * d && parts < 64;) {
        const double whole = (double)parts * table->support[i];
        if (fabs(whole - round(whole)) < 1e-9)
            i++;
        else {
            parts++;
            i = 0;
        }
    }
    return parts;
}

/* Vectors of supports, each of `base` values at most, as numbers. */
struct states {
    size_t d, parts, base, count;
};

static size_t state_of(const struct states *states, const double *support)
{
    size_t state = 0;

    for (size_t w = 0; w < states->d; w++)
        state = state * states->base + (size_t)((double)states->parts * support[w] + 0.5);
    return state;
}

/* The law of a user's supports: probability[shift] for the `count` shifts of a state that their reports make. */
static size_t law_of_user(const struct ldp_protocol *protocol, uint32_t value, const struct table *t,
                          const struct states *states, size_t *shift, double *probability)
{
    size_t count = 0;
    memset(probability, 0, states->count * sizeof *probability);
    for (size_t i = 0; i < t->count; i++) {
        const size_t to = state_of(states, &t->support[i * states->d]);
        const double P = exp(protocol->oracle->log_likelihood(protocol, value, &t->report[i]));
        if (P > 0 && probability[to] == 0)
            shift[count++] = to;
        probability[to] += P;
    }
    return count;
}

/* The law of the sum of all users' reports: their convolution, in law[count] or next[count], which is returned. */
static double *convolve_reports(const struct ldp_protocol *protocol, const struct ldp_population *population,
                                const struct table *t, const struct states *states, double *law, double *next)
{
    size_t *const shift = allocate(t->count, sizeof *shift);
    double *const probability = allocate(states->count, sizeof *probability);
    law[0] = 1;
    for (uint32_t v = 0; v < states->d; v++) {
        const size_t count = population->counts[v] ? law_of_user(protocol, v, t, states, shift, probability) : 0;
        for (uint64_t user = 0; user < population->counts[v]; user++) {
            memset(next, 0, states->count * sizeof *next);
            for (size_t s = 0; s < states->count; s++)
                for (size_t i = 0; i < count && law[s] > 0; i++)
                    if (s + shift[i] < states->count)
                        next[s + shift[i]] += law[s] * probability[shift[i]];
            double *const swap = law;
            law = next;
            next = swap;
        }
    }
    free(shift);
    free(probability);
    return law;
}

/* How often each vector of supports came in `draws` collections by counts: seen[count], zero. */
static void count_states(const struct subject *subject, const struct ldp_protocol *protocol,
                         const struct ldp_population *population, bool planned, size_t draws,
                         const struct states *states, uint64_t *seen)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    double *const support = allocate(protocol->support_size, sizeof *support);
    void *const plan = allocate(oracle->plan_bytes ? oracle->plan_bytes(protocol, population) : 0, 1),
                *const scratch =
                    allocate(oracle->scratch_bytes ? oracle->scratch_bytes(protocol, &population->histogram) : 0, 1);

    if (oracle->plan)
        oracle->plan(protocol, population, plan);
    struct ldp_rng rng = stream_of(subject, planned ? "joint" : "joint, at once");
    for (size_t i = 0; i < draws; i++) {
        oracle->counts(protocol, &population->histogram, planned ? plan : NULL, &rng, scratch, support);
        const size_t state = state_of(states, support);

        cr_assert_lt(state, states->count);
        seen[state]++;
    }
    free(support);
    free(plan);
    free(scratch);
}

/* Pearson's test, with rare states as one cell. */
static struct verdict compare_states(const struct subject *subject, const double *law, const uint64_t *seen,
                                     size_t count, size_t draws)
{
    double chi = 0, pooled = 0, pooled_seen = 0;
    size_t cells = 0;

    for (size_t s = 0; s < count; s++) {
        const double expected = (double)draws * law[s], found = (double)seen[s];

        if (expected < 1e-12 && found > 0)
            return BAD("an impossible vector of supports came %g times", found);
        if (expected >= 10) {
            chi += (found - expected) * (found - expected) / expected;
            cells++;
        } else {
            pooled += expected;
            pooled_seen += found;
        }
    }
    if (pooled >= 10) {
        chi += (pooled_seen - pooled) * (pooled_seen - pooled) / pooled;
        cells++;
    }
    if (cells > 1 && gsl_cdf_chisq_Q(chi, (double)(cells - 1)) < statistics_p_bound(COMPARISONS))
        return BAD("joint law of supports: chi-square %.1f in %zu cells", chi, cells);
    return GOOD;
}

/* The joint law of all supports by counts, prepared and at once, against the convolution of all users' reports, for a
 * few users. */
struct verdict check_joint(const struct subject *subject)
{
    const size_t draws = statistics_verify() ? 300000 : statistics_repetitions(15000, 3000);
    const struct ldp_protocol protocol = protocol_of(subject);
    if (protocol.flags & LDP_ORACLE_JOINT)
        return GOOD; /* check_laws looks at each support */
    struct ldp_population *const population = population_of(subject);
    struct table t = table_new(&protocol);
    struct states states = {.d = subject->d, .parts = parts_of(&t, subject->d), .count = 1};
    struct verdict verdict = GOOD;

    states.base = states.parts * (size_t)population->n + 1;
    for (size_t v = 0; v < states.d; v++)
        states.count *= states.base;
    if (t.count > 0 && states.count <= MAX_STATES) {
        double *const law = allocate(states.count, sizeof *law), *const next = allocate(states.count, sizeof *next);
        const double *const stated = convolve_reports(&protocol, population, &t, &states, law, next);

        for (int planned = protocol.oracle->plan ? 1 : 0; planned >= 0 && verdict.good; planned--) {
            uint64_t *const seen = allocate(states.count, sizeof *seen);

            count_states(subject, &protocol, population, planned, draws, &states, seen);
            verdict = compare_states(subject, stated, seen, states.count, draws);
            free(seen);
        }
        free(law);
        free(next);
    }
    table_free(&t);
    ldp_population_free(population);
    return verdict;
}

/* attack_success.c - see attack_success.h.
 *
 * Reports in two levels (shuffle.h), P(y | x) = e gamma U(y) if y supports x, else gamma U(y): the best guess is the
 * likeliest value among those that y supports, or the likeliest of all. With values sorted by falling prior and none(r)
 * the probability under U that the first r values are unsupported,
 *
 *     success = gamma (e prior_1 (1 - none(1)) + sum_{r > 1} (none(r-1) - none(r)) max(e prior_r, prior_1)
 *                      + none(d) prior_1).
 *
 * Under the uniform prior that is e / (d (s e + 1 - s)) where every report supports somebody, s = U(supports a value):
 * at the same s all such protocols tell the same.
 *
 * Else, if reports are numbers and no public randomness decides what they say, by the sum over all of them. Else by
 * simulated reports: the mean over reports of the largest posterior, max_x prior[x] P(y | x) / sum_x prior[x] P(y | x),
 * which has the mean of the share of right guesses and less variance, as ties need not be drawn. Cost: d; reports
 * times d. */
#include "attack_success.h"

#include "protocol/protocol.h"
#include "random/rng.h"

#include <stdlib.h>

enum {
    ENUMERATED = 1 << 24, /* pairs of report and value */
    VALUES = 1 << 22,     /* of a table: more would take seconds for each oracle */
    REPORTS = 1024,       /* that are simulated for a table */
    REPORTS_LEAST = 16
};
#define WORK 0x1p24 /* words that they may take, of all values */

void ldp_unsupported_subsets(double size, double all, double weight, size_t d, double *none)
{
    double part = weight;
    for (size_t r = 0; r <= d && part > 0; r++) {
        none[r] += part;
        part *= fmax(0, 1 - size / (all - (double)r));
    }
}

void ldp_unsupported_independent(double q, double weight, size_t d, double *none)
{
    double part = weight;
    for (size_t r = 0; r <= d && part > 0; r++) {
        none[r] += part;
        part *= 1 - q;
    }
}

enum ldp_status ldp_unsupported_by_q(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    ldp_unsupported_independent(protocol->q, 1, protocol->d, none);
    return LDP_OK;
}

struct ranked {
    double prior;
    uint32_t value;
};

static int by_prior(const void *a, const void *b)
{
    const struct ranked *const x = a, *const y = b;
    return x->prior < y->prior ? 1 : x->prior > y->prior ? -1 : (x->value > y->value) - (x->value < y->value);
}

/* By the law of what reports support. LDP_EINVAL: it is not known. */
static enum ldp_status by_law(const struct ldp_protocol *protocol, const double *prior, const uint32_t *list,
                              double *none, double *success)
{
    const struct ldp_overlap overlap = ldp_overlap_of(protocol);
    const double over = ldp_expm1(overlap.epsilon), most = prior[list[0]];
    memset(none, 0, (protocol->d + 1) * sizeof *none);
    const enum ldp_status status =
        protocol->oracle->unsupported ? protocol->oracle->unsupported(protocol, list, none) : LDP_EINVAL;
    if (status != LDP_OK)
        return status;
    double sum = none[protocol->d] * most;
    for (size_t r = 0; r < protocol->d; r++)
        sum += (none[r] - none[r + 1]) * fmax((1 + over) * prior[list[r]], most);
    *success = sum / (1 + over * overlap.one);
    return LDP_OK;
}

/* The largest prior[x] P(y | x), of values in the order of the list: none can be more than e^epsilon times as likely as
 * the first. */
static double best_of(const struct ldp_protocol *protocol, const double *prior, const uint32_t *list, uint64_t report)
{
    const double first = ldp_exp(protocol->oracle->log_likelihood(protocol, list[0], &report));
    const double bound = first > 0 ? first * ldp_exp(protocol->epsilon) * (1 + 1e-9) : INFINITY;
    double best = prior[list[0]] * first;
    for (size_t r = 1; r < protocol->d && prior[list[r]] * bound > best * (1 + 1e-8); r++)
        best = fmax(best, prior[list[r]] * ldp_exp(protocol->oracle->log_likelihood(protocol, list[r], &report)));
    return best;
}

static bool has_few_reports(const struct ldp_protocol *protocol)
{
    return protocol->report_words == 1 && protocol->report_limit > 0 && !(protocol->flags & LDP_ORACLE_PUBLIC) &&
           (double)protocol->report_limit * (double)protocol->d <= ENUMERATED;
}

static double by_all_reports(const struct ldp_protocol *protocol, const double *prior, const uint32_t *list)
{
    double sum = 0;
    for (uint64_t y = 0; y < protocol->report_limit; y++)
        sum += best_of(protocol, prior, list, y);
    return sum;
}

/* The largest posterior of what was told. */
static double posterior_of(const double *prior, const uint32_t *list, size_t d, const double *likelihood)
{
    double most = 0, sum = 0;
    for (size_t r = 0; r < d && prior[list[r]] > 0; r++) {
        const double weight = prior[list[r]] * likelihood[list[r]];
        most = fmax(most, weight);
        sum += weight;
    }
    return most / sum;
}

uint32_t ldp_told_value(const double *prior, const uint32_t *list, size_t d, struct ldp_rng *rng)
{
    double left = ldp_rng_uniform(rng);
    for (size_t r = 0;; r++) {
        const uint32_t value = list ? list[r] : (uint32_t)r;
        if (r + 1 == d || left < prior[value])
            return value;
        left -= prior[value];
    }
}

static enum ldp_status by_users(const struct ldp_told *told, const double *prior, const uint32_t *list, uint64_t users,
                                uint64_t seed, struct ldp_attack_success *out)
{
    struct ldp_rng rng;
    double sum = 0, squares = 0;
    out->success = out->error = NAN;
    if (users < REPORTS_LEAST)
        return LDP_OK;
    double *const likelihood = malloc(told->d * sizeof *likelihood);
    if (!likelihood)
        return LDP_ENOMEM;
    ldp_rng_stream(&rng, seed, "attack success", 0);
    for (uint64_t i = 0; i < users; i++) {
        const uint64_t public_seed = ldp_rng_next(&rng);
        const uint32_t value = ldp_told_value(prior, list, told->d, &rng);
        told->draw(told->state, value, public_seed, &rng, likelihood);
        const double right = posterior_of(prior, list, told->d, likelihood);
        sum += right;
        squares += right * right;
    }
    free(likelihood);
    const double n = (double)users;
    out->success = sum / n;
    out->error = sqrt(fmax(squares / n - out->success * out->success, 0) / (n - 1));
    return LDP_OK;
}

/* One report, as told. */
struct report {
    struct ldp_protocol protocol;
    const double *prior;
    const uint32_t *list;
    uint64_t *words;
};

/* Likelihoods over that of the likeliest value a priori that can have it. */
static void draw_report(void *state, uint32_t value, uint64_t public_seed, struct ldp_rng *rng, double *likelihood)
{
    struct report *const report = state;
    const struct ldp_protocol *const protocol = &report->protocol;
    double start = -INFINITY;
    report->protocol.public_seed = public_seed;
    protocol->oracle->client(protocol, &value, 1, rng, report->words);
    for (size_t r = 0; r < protocol->d && report->prior[report->list[r]] > 0; r++) {
        const double log = protocol->oracle->log_likelihood(protocol, report->list[r], report->words);
        if (isinf(start))
            start = log;
        likelihood[report->list[r]] = isinf(log) ? 0 : ldp_exp(log - start);
    }
}

static enum ldp_status by_reports(const struct ldp_protocol *protocol, const double *prior, const uint32_t *list,
                                  uint64_t reports, uint64_t seed, struct ldp_attack_success *out)
{
    struct report report = {*protocol, prior, list, malloc(protocol->report_words * sizeof *report.words)};
    const struct ldp_told told = {protocol->d, draw_report, &report};
    const enum ldp_status status = report.words ? by_users(&told, prior, list, reports, seed, out) : LDP_ENOMEM;
    free(report.words);
    return status;
}

static enum ldp_status check(const double *prior, size_t d, struct ldp_reason *reason)
{
    double sum = 0;
    for (size_t v = 0; v < d; v++) {
        if (!(prior[v] >= 0 && prior[v] <= 1))
            return ldp_refuse(reason, "prior[%zu]: expected a number from 0 to 1, got %g", v, prior[v]);
        sum += prior[v];
    }
    if (fabs(sum - 1) > 1e-6)
        return ldp_refuse(reason, "prior: expected numbers that sum to 1, got the sum %.10g", sum);
    return LDP_OK;
}

/* The values by falling prior, malloc'd; NULL: no memory. */
static uint32_t *order_of(const double *prior, size_t d)
{
    struct ranked *const ranked = malloc(d * sizeof *ranked);
    uint32_t *const list = ranked ? malloc(d * sizeof *list) : NULL;
    for (size_t v = 0; list && v < d; v++)
        ranked[v] = (struct ranked){prior[v], (uint32_t)v};
    if (list)
        qsort(ranked, d, sizeof *ranked, by_prior);
    for (size_t r = 0; list && r < d; r++)
        list[r] = ranked[r].value;
    free(ranked);
    return list;
}

void ldp_attack_success_set(struct ldp_attack_success *out, double success, double guess)
{
    out->guess = guess;
    out->success = success < guess ? guess : success; /* by rounding, or by chance */
    out->advantage = guess < 1 ? (out->success - guess) / (1 - guess) : 0;
}

enum ldp_status ldp_attack_success(const struct ldp_protocol *protocol, const double *prior, uint64_t reports,
                                   uint64_t seed, struct ldp_attack_success *out, struct ldp_reason *reason)
{
    enum ldp_status status = check(prior, protocol->d, reason);
    if (status == LDP_OK && !protocol->oracle->log_likelihood)
        status = ldp_refuse(reason, "oracle %s: the distribution of its reports is not known", protocol->oracle->name);
    if (status != LDP_OK)
        return status;
    uint32_t *const list = order_of(prior, protocol->d);
    double *const none = malloc((protocol->d + 1) * sizeof *none);
    if (list && none) {
        *out = (struct ldp_attack_success){.success = 1};
        if (!(protocol->flags & LDP_ORACLE_NOT_PRIVATE))
            status = by_law(protocol, prior, list, none, &out->success);
        if (status == LDP_EINVAL && has_few_reports(protocol)) {
            out->success = by_all_reports(protocol, prior, list);
            status = LDP_OK;
        }
        if (status == LDP_EINVAL)
            status = by_reports(protocol, prior, list, reports, seed, out);
        ldp_attack_success_set(out, out->success, prior[list[0]]);
    } else {
        status = LDP_ENOMEM;
    }
    free(list);
    free(none);
    return status;
}

enum ldp_status ldp_attack_success_told(const struct ldp_told *told, const double *prior, uint64_t users, uint64_t seed,
                                        struct ldp_attack_success *out, struct ldp_reason *reason)
{
    enum ldp_status status = check(prior, told->d, reason);
    if (status != LDP_OK)
        return status;
    uint32_t *const list = order_of(prior, told->d);
    status = list ? by_users(told, prior, list, users, seed, out) : LDP_ENOMEM;
    if (status == LDP_OK)
        ldp_attack_success_set(out, out->success, prior[list[0]]);
    free(list);
    return status;
}

enum ldp_status ldp_attack_success_of_counts(const struct ldp_protocol *protocol, const uint64_t *counts,
                                             struct ldp_attack_success *out)
{
    const size_t d = protocol->d;
    const double affordable = WORK / ((double)d * (double)protocol->report_words);
    double n = 0;
    *out = (struct ldp_attack_success){.success = NAN, .guess = NAN, .advantage = NAN};
    if (d > VALUES)
        return LDP_OK;
    double *const prior = malloc(d * sizeof *prior);
    if (!prior)
        return LDP_ENOMEM;
    for (size_t v = 0; v < d; v++)
        n += counts ? (double)counts[v] : 1;
    for (size_t v = 0; v < d; v++)
        prior[v] = (counts ? (double)counts[v] : 1) / n;
    const enum ldp_status status =
        ldp_attack_success(protocol, prior, affordable < REPORTS ? (uint64_t)affordable : REPORTS, 1, out, NULL);
    free(prior);
    return status;
}

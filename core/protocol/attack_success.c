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

#include "numerics/numeric.h"
#include "protocol/protocol.h"
#include "random/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static enum ldp_status by_all_reports(const struct ldp_protocol *protocol, const double *prior, const uint32_t *list,
                                      double *success)
{
    for (uint64_t y = 0; y < protocol->report_limit; y++)
        *success += best_of(protocol, prior, list, y);
    return LDP_OK;
}

/* The largest posterior of a report. */
static double posterior_of(const struct ldp_protocol *protocol, const double *prior, const uint32_t *list,
                           const uint64_t *report)
{
    double start = -INFINITY, most = 0, sum = 0;
    for (size_t r = 0; r < protocol->d && prior[list[r]] > 0; r++) {
        const double likelihood = protocol->oracle->log_likelihood(protocol, list[r], report);
        if (isinf(likelihood))
            continue;
        if (isinf(start))
            start = likelihood;
        const double weight = prior[list[r]] * ldp_exp(likelihood - start);
        most = fmax(most, weight);
        sum += weight;
    }
    return most / sum;
}

/* A value by a uniform number. */
static uint32_t draw(const double *prior, const uint32_t *list, size_t d, double u)
{
    size_t r = 0;
    for (; r + 1 < d && u >= prior[list[r]]; r++)
        u -= prior[list[r]];
    return list[r];
}

static enum ldp_status by_reports(const struct ldp_protocol *shared, const double *prior, const uint32_t *list,
                                  uint64_t reports, uint64_t seed, struct ldp_attack_success *out)
{
    struct ldp_protocol protocol = *shared;
    struct ldp_rng rng;
    double sum = 0, squares = 0;

    out->success = out->error = NAN;
    if (reports < REPORTS_LEAST)
        return LDP_OK;
    uint64_t *const report = malloc(protocol.report_words * sizeof *report);
    if (!report)
        return LDP_ENOMEM;
    ldp_rng_stream(&rng, seed, "attack success", 0);
    for (uint64_t i = 0; i < reports; i++) {
        protocol.public_seed = ldp_rng_next(&rng);
        const uint32_t value = draw(prior, list, protocol.d, ldp_rng_uniform(&rng));
        protocol.oracle->client(&protocol, &value, 1, &rng, report);
        const double right = posterior_of(&protocol, prior, list, report);
        sum += right;
        squares += right * right;
    }
    free(report);
    const double n = (double)reports;
    out->success = sum / n;
    out->error = sqrt(fmax(squares / n - out->success * out->success, 0) / (n - 1));
    return LDP_OK;
}

static enum ldp_status check(const struct ldp_protocol *protocol, const double *prior, struct ldp_reason *reason)
{
    double sum = 0;
    for (size_t v = 0; v < protocol->d; v++) {
        if (!(prior[v] >= 0 && prior[v] <= 1))
            return ldp_refuse(reason, "prior[%zu]: expected a number from 0 to 1, got %g", v, prior[v]);
        sum += prior[v];
    }
    if (fabs(sum - 1) > 1e-6)
        return ldp_refuse(reason, "prior: expected numbers that sum to 1, got the sum %.10g", sum);
    return protocol->oracle->log_likelihood
               ? LDP_OK
               : ldp_refuse(reason, "oracle %s: the distribution of its reports is not known", protocol->oracle->name);
}

enum way { ANY_WAY, REPORTS_ALONE };

static enum ldp_status find(const struct ldp_protocol *protocol, const double *prior, uint64_t reports, uint64_t seed,
                            enum way way, struct ldp_attack_success *out, struct ldp_reason *reason)
{
    const size_t d = protocol->d;
    enum ldp_status status = check(protocol, prior, reason);
    if (status != LDP_OK)
        return status;
    struct ranked *const ranked = malloc(d * sizeof *ranked);
    uint32_t *const list = malloc(d * sizeof *list);
    double *const none = malloc((d + 1) * sizeof *none);
    if (ranked && list && none) {
        for (size_t v = 0; v < d; v++)
            ranked[v] = (struct ranked){prior[v], (uint32_t)v};
        qsort(ranked, d, sizeof *ranked, by_prior);
        for (size_t r = 0; r < d; r++)
            list[r] = ranked[r].value;
        *out = (struct ldp_attack_success){.guess = prior[list[0]]};
        if (way == REPORTS_ALONE)
            status = LDP_EINVAL;
        else if (protocol->flags & LDP_ORACLE_NOT_PRIVATE)
            out->success = 1;
        else
            status = by_law(protocol, prior, list, none, &out->success);
        if (status == LDP_EINVAL)
            status = way == ANY_WAY && has_few_reports(protocol)
                         ? by_all_reports(protocol, prior, list, &out->success)
                         : by_reports(protocol, prior, list, reports, seed, out);
        if (out->success < out->guess) /* by rounding, or by chance */
            out->success = out->guess;
        out->advantage = out->guess < 1 ? (out->success - out->guess) / (1 - out->guess) : 0;
    } else {
        status = LDP_ENOMEM;
    }
    free(ranked);
    free(list);
    free(none);
    return status;
}

enum ldp_status ldp_attack_success(const struct ldp_protocol *protocol, const double *prior, uint64_t reports,
                                   uint64_t seed, struct ldp_attack_success *out, struct ldp_reason *reason)
{
    return find(protocol, prior, reports, seed, ANY_WAY, out, reason);
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
        find(protocol, prior, affordable < REPORTS ? (uint64_t)affordable : REPORTS, 1, ANY_WAY, out, NULL);
    free(prior);
    return status;
}

enum ldp_status ldp_attack_success_by_reports(const struct ldp_protocol *protocol, const double *prior,
                                              uint64_t reports, uint64_t seed, struct ldp_attack_success *out,
                                              struct ldp_reason *reason)
{
    return find(protocol, prior, reports, seed, REPORTS_ALONE, out, reason);
}

/* rating.c - see rating.h.
 *
 *   score(m) = exp( mean over contests c of ln( error(m, c) / min over references r of error(r, c) ) )
 *
 * A ratio counts as at least RATIO_LEAST and at most RATIO_MOST, so that contests in which somebody hardly errs (data
 * that a method guesses) do not decide alone. The interval draws populations with replacement and, in every contest of
 * a drawn one, repetitions with replacement, the same for all subjects; the best reference stays that of all
 * repetitions. A bootstrap over m populations is too narrow, as if their spread were known: its logarithms are
 * stretched about the score by sqrt(m / (m - 1)) t_{m-1} / z, the quantiles of Student's law over the normal's
 * (Hesterberg, What Teachers Should Know about the Bootstrap, 2015, sec. 5.3). Who is better is decided by the judge on
 * the mean logarithms of the populations: populations are its repetitions, as statements are about populations that
 * were not seen.
 *
 * Source: regret as in DPBench (Hay et al., SIGMOD 2016, sec. 5), over references instead of all competitors. */
#include "stats/rating.h"

#include "ldpbench.h"
#include "stats/contest.h"
#include "stats/regret.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOOTSTRAPS = 400 };

static const struct sample *samples_of(const struct contestants *field, size_t contest)
{
    return field->sample + contest * field->subjects;
}

size_t rate_best(const struct contestants *field, size_t contest)
{
    const struct sample *const sample = samples_of(field, contest);
    size_t best = 0;

    for (size_t r = 1; r < field->references; r++)
        if (!(sample[best].mean <= sample[r].mean))
            best = r;
    return best;
}

static double ratio_of(double error, double best)
{
    return fmin(fmax(error / best, RATIO_LEAST), RATIO_MOST);
}

static double rate_ratio(const struct contestants *field, size_t contest, size_t subject)
{
    const struct sample *const sample = samples_of(field, contest);
    return ratio_of(sample[subject].mean, sample[rate_best(field, contest)].mean);
}

/* The contests that are in, by population. */
struct grouped {
    size_t *contest; /* [first[populations]] */
    size_t *first;   /* [populations + 1] */
    size_t *present; /* populations with a contest */
    size_t npresent;
};

static struct grouped group(const struct contestants *field, const bool *in)
{
    struct grouped grouped = {.contest = xcalloc(field->contests, sizeof(size_t)),
                              .first = xcalloc(field->populations + 1, sizeof(size_t)),
                              .present = xcalloc(field->populations, sizeof(size_t))};
    size_t n = 0;

    for (size_t p = 0; p < field->populations; p++) {
        grouped.first[p] = n;
        for (size_t c = 0; c < field->contests; c++)
            if (field->population[c] == p && (!in || in[c]))
                grouped.contest[n++] = c;
        if (n > grouped.first[p])
            grouped.present[grouped.npresent++] = p;
    }
    grouped.first[field->populations] = n;
    return grouped;
}

static void grouped_clear(struct grouped *grouped)
{
    free(grouped->contest);
    free(grouped->first);
    free(grouped->present);
}

/* ---- intervals ---- */

/* Adds the log ratios of a contest, of means over repetitions drawn with replacement. */
static void add_drawn(const struct contestants *field, size_t contest, struct ldp_rng *rng, double *mean, double *sum)
{
    const struct sample *const sample = samples_of(field, contest);
    const size_t best = rate_best(field, contest), length = sample[best].length;

    for (size_t s = 0; s < field->subjects; s++)
        mean[s] = 0;
    for (size_t i = 0; i < length; i++) {
        const size_t drawn = ldp_rng_below(rng, length);
        for (size_t s = 0; s < field->subjects; s++)
            mean[s] += sample[s].value[drawn];
    }
    for (size_t s = 0; s < field->subjects; s++)
        sum[s] += log(ratio_of(mean[s], mean[best]));
}

/* What the bootstrap's deviations from the logarithm of the score are multiplied by. */
static double stretch(size_t populations, double level)
{
    if (populations < 2)
        return 1;
    const double df = (double)populations - 1;
    return sqrt((double)populations / df) * gsl_cdf_tdist_Qinv(level / 2, df) / gsl_cdf_ugaussian_Qinv(level / 2);
}

/* The quantile p of what was drawn, sorted: a new draw is below the k-th of B with probability k / (B + 1). */
static double drawn_quantile(const double *sorted, double p)
{
    return quantile_sorted(sorted, BOOTSTRAPS, (p * (BOOTSTRAPS + 1) - 1) / (BOOTSTRAPS - 1));
}

static void bootstrap(const struct contestants *field, const struct grouped *grouped, double level, uint64_t seed,
                      struct rating *rating)
{
    const size_t k = field->subjects;
    double *const drawn = xcalloc(k * BOOTSTRAPS, sizeof *drawn), *const sum = xcalloc(k, sizeof *sum),
                  *const mean = xcalloc(k, sizeof *mean);

    for (size_t b = 0; b < BOOTSTRAPS; b++) {
        struct ldp_rng rng;
        size_t contests = 0;
        ldp_rng_stream(&rng, seed, "rating", b);
        memset(sum, 0, k * sizeof *sum);
        for (size_t i = 0; i < grouped->npresent; i++) {
            const size_t p = grouped->present[ldp_rng_below(&rng, grouped->npresent)];
            for (size_t c = grouped->first[p]; c < grouped->first[p + 1]; c++, contests++)
                add_drawn(field, grouped->contest[c], &rng, mean, sum);
        }
        for (size_t s = 0; s < k; s++)
            drawn[s * BOOTSTRAPS + b] = exp(sum[s] / (double)contests);
    }
    const double factor = stretch(grouped->npresent, level);
    for (size_t s = 0; s < k; s++) {
        double *const of = drawn + s * BOOTSTRAPS;
        const double score = rating[s].score;
        qsort(of, BOOTSTRAPS, sizeof *of, by_number);
        rating[s].low = score * pow(fmin(drawn_quantile(of, level / 2) / score, 1), factor);
        rating[s].high = score * pow(fmax(drawn_quantile(of, 1 - level / 2) / score, 1), factor);
    }
    free(drawn);
    free(sum);
    free(mean);
}

/* ---- who is better ---- */

/* value[subject * npresent + i]: mean log ratios of the i-th population that is present. */
static double *logs_of(const struct contestants *field, const struct grouped *grouped)
{
    double *const value = xcalloc(field->subjects * grouped->npresent, sizeof *value);

    for (size_t i = 0; i < grouped->npresent; i++) {
        const size_t p = grouped->present[i], first = grouped->first[p], end = grouped->first[p + 1];
        for (size_t c = first; c < end; c++)
            for (size_t s = 0; s < field->subjects; s++)
                value[s * grouped->npresent + i] +=
                    log(rate_ratio(field, grouped->contest[c], s)) / (double)(end - first);
    }
    return value;
}

static void judge(const struct contestants *field, const struct grouped *grouped, double level, signed char *order)
{
    const size_t k = field->subjects;
    double *const value = logs_of(field, grouped), *const p = xcalloc(k * k, sizeof *p),
                  *const of = xcalloc(k, sizeof *of);
    struct sample *const sample = xcalloc(k, sizeof *sample);

    for (size_t s = 0; s < k; s++)
        sample[s] = sample_of(value + s * grouped->npresent, grouped->npresent);
    const struct contest contest = {.sample = sample, .count = k, .low = -INFINITY, .high = INFINITY, .level = level};
    contest_pairs(&contest, p);
    for (size_t s = 0; s < k; s++) {
        for (size_t other = 0; other < k; other++)
            of[other] = other == s ? 1 : fmin(p[s * k + other], p[other * k + s]);
        holm(of, k, of);
        for (size_t other = 0; other < k; other++)
            order[s * k + other] = of[other] >= level ? 0 : p[s * k + other] < p[other * k + s] ? -1 : 1;
    }
    free(value);
    free(p);
    free(of);
    free(sample);
}

void rate_order(const struct contestants *field, const bool *in, double level, signed char *order)
{
    struct grouped grouped = group(field, in);

    judge(field, &grouped, level, order);
    grouped_clear(&grouped);
}

static void rank(size_t k, const signed char *order, struct rating *rating)
{
    for (size_t s = 0; s < k; s++) {
        rating[s].rank = rating[s].rank_low = 1;
        rating[s].rank_high = k;
        for (size_t other = 0; other < k; other++) {
            rating[s].rank += rating[other].score < rating[s].score;
            rating[s].rank_low += order[s * k + other] > 0;
            rating[s].rank_high -= order[s * k + other] < 0;
        }
    }
}

void rate(const struct contestants *field, const bool *in, double level, uint64_t seed, struct rating *rating)
{
    const size_t k = field->subjects;
    struct grouped grouped = group(field, in);
    const size_t count = grouped.first[field->populations];

    for (size_t s = 0; s < k; s++) {
        double sum = 0;
        rating[s] = (struct rating){.score = NAN, .low = NAN, .high = NAN, .worst = NAN, .worst_contest = SIZE_MAX};
        for (size_t i = 0; i < count; i++) {
            const double ratio = rate_ratio(field, grouped.contest[i], s);
            sum += log(ratio);
            const struct sample *const sample = samples_of(field, grouped.contest[i]);
            const double worst = sample[s].mean / sample[rate_best(field, grouped.contest[i])].mean;
            if (!(rating[s].worst >= worst)) {
                rating[s].worst = worst;
                rating[s].worst_contest = grouped.contest[i];
            }
        }
        if (count > 0)
            rating[s].score = exp(sum / (double)count);
    }
    if (count > 0) {
        signed char *const order = xcalloc(k * k, sizeof *order);
        bootstrap(field, &grouped, level, seed, rating);
        judge(field, &grouped, level, order);
        rank(k, order, rating);
        free(order);
    }
    grouped_clear(&grouped);
}

/* regret.c - see regret.h.
 *
 * Source: Hay, Machanavajjhala, Miklau, Chen, Zhang, SIGMOD 2016 (DPBench), sec. 5: regret; 95th percentiles beside
 * means. */
#include "stats/regret.h"

#include "ldpbench.h"
#include "numeric.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of so many values a percentile is found by insertion. */
enum { FEW_HIGHEST = 16 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double quantile_sorted(const double *sorted, size_t n, double p)
{
    const double at = p * (double)(n - 1);
    const size_t below = (size_t)at;

    return below + 1 < n ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

static const struct sample *contest_of(const struct contests *all, size_t contest)
{
    return all->sample + contest * all->competitors;
}

/* The factor after which less is better. */
static double sign_of(const struct contests *all)
{
    return all->scores ? -1 : 1;
}

/* Whether every competitor has an error, or a score, to compare. */
static bool counts(const struct contests *all, size_t contest)
{
    for (size_t i = 0; i < all->competitors; i++) {
        const double mean = contest_of(all, contest)[i].mean;

        if (!isfinite(mean) || (!all->scores && !(mean > 0)))
            return false;
    }
    return all->competitors > 0;
}

static bool has_values(const struct contests *all)
{
    for (size_t i = 0; i < all->contests * all->competitors; i++)
        if (!all->sample[i].value || all->sample[i].n != all->sample[i].length || all->sample[i].n == 0)
            return false;
    return true;
}

/* Adds the logarithms of x[i] over the least of them. */
static void add_ratios(const double *x, size_t n, double *sum)
{
    double least = INFINITY;

    for (size_t i = 0; i < n; i++)
        least = fmin(least, x[i]);
    for (size_t i = 0; i < n; i++)
        sum[i] += log(x[i] / least);
}

/* Adds ranks: how many are less, and half of those that are equal. */
static void add_ranks(const double *x, size_t n, double *sum)
{
    for (size_t i = 0; i < n; i++) {
        int twice = 1; /* it is equal to itself */

        for (size_t j = 0; j < n; j++)
            twice += (x[j] < x[i]) + (x[j] <= x[i]);
        sum[i] += 0.5 * twice;
    }
}

/* room: [n]. Only the values from the lower neighbour of the percentile on are put in order, the largest first. */
static double percentile_95(const struct sample *sample, double *room)
{
    const double at = 0.95 * (double)(sample->n - 1);
    const size_t highest = sample->n - (size_t)at;

    assert(highest > 0);
    if (highest > FEW_HIGHEST) {
        memcpy(room, sample->value, sample->n * sizeof *room);
        qsort(room, sample->n, sizeof *room, by_size);
        return quantile_sorted(room, sample->n, 0.95);
    }
    size_t kept = 0;
    for (size_t i = 0; i < sample->n; i++) {
        const double value = sample->value[i];
        size_t place = kept < highest ? kept++ : highest;

        if (place == highest && !(value > room[--place]))
            continue;
        for (; place > 0 && room[place - 1] < value; place--)
            room[place] = room[place - 1];
        room[place] = value;
    }
    const double below = room[highest - 1];
    return highest > 1 ? below + (at - floor(at)) * (room[highest - 2] - below) : below;
}

/* ---- wins ---- */

/* Two competitors of a contest, the better one of them as the winner, and the p-value of their difference. */
struct pair {
    double p;
    size_t winner, loser;
};

/* The p-values that Holm's correction finds significant are those below the result: the first, in their order, that is
 * not. p[n] is sorted; work[n]. */
static double holm_bound(double *p, size_t n, double level, double *work)
{
    ldp_sort(p, n, work);
    for (size_t i = 0; i < n; i++)
        if (!(fmin(1, p[i] * (double)(n - i)) < level))
            return p[i];
    return INFINITY;
}

/* Compares each contest's competitors with those before them. Returns the number of pairs. */
static size_t compare_pairs(const struct contests *all, struct pair *pair)
{
    size_t n = 0;

    for (size_t c = 0; c < all->contests; c++)
        for (size_t i = 0; counts(all, c) && i < all->competitors; i++)
            for (size_t j = 0; j < i; j++) {
                const struct sample *const a = &contest_of(all, c)[i], *const b = &contest_of(all, c)[j];
                struct comparison comparison;

                compare_samples(a, b, a->value && b->value, &comparison);
                pair[n++] = sign_of(all) * comparison.change > 0 ? (struct pair){comparison.p, i, j}
                                                                 : (struct pair){comparison.p, j, i};
            }
    return n;
}

static int count_wins(const struct contests *all, double level, struct standing *standing)
{
    const size_t k = all->competitors, pairs = all->contests * (k * (k - 1) / 2);
    struct pair *const pair = malloc((pairs + 1) * sizeof *pair);
    double *const p = malloc((2 * pairs + 1) * sizeof *p);

    if (!pair || !p) {
        free(pair);
        free(p);
        return -1;
    }
    const size_t n = compare_pairs(all, pair);
    for (size_t i = 0; i < n; i++)
        p[i] = pair[i].p;
    const double bound = holm_bound(p, n, level, p + pairs);

    for (size_t i = 0; i < n; i++)
        if (pair[i].p < bound) {
            standing[pair[i].winner].wins++;
            standing[pair[i].loser].losses++;
        }
    free(pair);
    free(p);
    return 0;
}

/* ---- intervals of ranks ---- */

/* Each contest is resampled REGRET_RESAMPLES times; fewer times where there are more than 1000 of them. */
enum { RESAMPLED_CONTESTS = 1000 * REGRET_RESAMPLES, RESAMPLES_LEAST = 20 };

static const double gaussian_97_5 = 1.959963984540054;

/* Competitors whose sums are added up together. */
enum { LANES = 4 };

static size_t padded(size_t competitors)
{
    return (competitors + LANES - 1) / LANES * LANES;
}

/* A contest's values, less being better: value[repetition][competitor], each repetition padded with zeros. */
static void take_values(const struct contests *all, size_t contest, double *value)
{
    const struct sample *const sample = contest_of(all, contest);
    const size_t n = sample[0].n, width = padded(all->competitors);

    memset(value, 0, n * width * sizeof *value);
    for (size_t i = 0; i < all->competitors; i++)
        for (size_t r = 0; r < n; r++)
            value[r * width + i] = sign_of(all) * sample[i].value[r < sample[i].n ? r : sample[i].n - 1];
}

/* Sums of a contest's competitors over the same repetitions, drawn with replacement: sum[width], a multiple of LANES.
 * drawn: room for n. */
static void resample(const double *value, size_t n, size_t width, struct ldp_rng *rng, const double **drawn,
                     double *sum)
{
    for (size_t r = 0; r < n; r++)
        drawn[r] = value + (size_t)ldp_rng_below(rng, n) * width;
    for (size_t i = 0; i < width; i += LANES) {
        double lane[LANES] = {0};

        for (size_t r = 0; r < n; r++)
            for (size_t l = 0; l < LANES; l++)
                lane[l] += drawn[r][i + l];
        memcpy(sum + i, lane, sizeof lane);
    }
}

/* The bootstrap's means of a competitor's rank over all contests. */
struct ranks {
    size_t resamples;
    double *of;       /* [resamples][k]: sums over contests */
    double *variance; /* [k]: of that sum, estimated from the resamples of each contest */
};

/* Room for the resamples of a contest. */
struct resampling {
    double *total, *rank, *sum, *squares; /* [k], padded */
    double *value;                        /* of all repetitions */
    const double **drawn;                 /* [repetitions] */
};

/* A contest's part in all resamples. */
static void resample_contest(const struct contests *all, size_t contest, struct ldp_rng *rng,
                             const struct resampling *room, struct ranks *ranks)
{
    const size_t k = all->competitors, width = padded(k), n = contest_of(all, contest)[0].n;
    const double count = (double)ranks->resamples;

    take_values(all, contest, room->value);
    memset(room->sum, 0, k * sizeof *room->sum);
    memset(room->squares, 0, k * sizeof *room->squares);
    for (size_t b = 0; b < ranks->resamples; b++) {
        resample(room->value, n, width, rng, room->drawn, room->total);
        memset(room->rank, 0, k * sizeof *room->rank);
        add_ranks(room->total, k, room->rank);
        for (size_t i = 0; i < k; i++) {
            ranks->of[b * k + i] += room->rank[i];
            room->sum[i] += room->rank[i];
            room->squares[i] += room->rank[i] * room->rank[i];
        }
    }
    for (size_t i = 0; i < k; i++)
        ranks->variance[i] += (room->squares[i] - room->sum[i] * room->sum[i] / count) / (count - 1);
}

/* The interval of competitor i's mean rank over n contests: percentiles of many resamples; of few, which there are
 * where many contests are averaged, a normal law with the variances of all contests. room: [resamples]. */
static void set_interval(const struct ranks *ranks, size_t k, size_t i, size_t n, double *room,
                         struct standing *standing)
{
    if (ranks->resamples < REGRET_RESAMPLES) {
        const double half = gaussian_97_5 * sqrt(ranks->variance[i]) / (double)n;

        standing->rank_low = standing->rank - half;
        standing->rank_high = standing->rank + half;
        return;
    }
    for (size_t b = 0; b < ranks->resamples; b++)
        room[b] = ranks->of[b * k + i] / (double)n;
    qsort(room, ranks->resamples, sizeof *room, by_size);
    standing->rank_low = quantile_sorted(room, ranks->resamples, 0.025);
    standing->rank_high = quantile_sorted(room, ranks->resamples, 0.975);
}

/* longest: the most repetitions of a contest. */
static int find_intervals(const struct contests *all, size_t n, size_t longest, uint64_t seed,
                          struct standing *standing)
{
    const size_t k = all->competitors, width = padded(k), affordable = RESAMPLED_CONTESTS / n;
    struct ranks ranks = {.resamples = affordable < REGRET_RESAMPLES ? affordable : REGRET_RESAMPLES};

    ranks.resamples = ranks.resamples > RESAMPLES_LEAST ? ranks.resamples : RESAMPLES_LEAST;
    ranks.of = calloc(k * ranks.resamples + k + 1, sizeof *ranks.of);
    double *const numbers = malloc(((4 + longest) * width + ranks.resamples) * sizeof *numbers);
    const double **const drawn = malloc((longest + 1) * sizeof *drawn);
    int result = -1;
    if (ranks.of && numbers && drawn) {
        const struct resampling room = {
            numbers, numbers + width, numbers + 2 * width, numbers + 3 * width, numbers + 4 * width, drawn};
        struct ldp_rng rng;

        ranks.variance = ranks.of + k * ranks.resamples;
        ldp_rng_stream(&rng, seed, "ranks", 0);
        for (size_t c = 0; c < all->contests; c++)
            if (counts(all, c))
                resample_contest(all, c, &rng, &room, &ranks);
        for (size_t i = 0; i < k; i++)
            set_interval(&ranks, k, i, n, numbers, &standing[i]);
        result = 0;
    }
    free(ranks.of);
    free(numbers);
    free(drawn);
    return result;
}

/* ---- Standings ---- */

/* x: room for a number of each competitor; values: for a sample's, or NULL. */
static void add_contest(const struct contests *all, size_t contest, double *x, double *values, double *ratio,
                        double *ratio_95, double *rank)
{
    const struct sample *const sample = contest_of(all, contest);
    const size_t k = all->competitors;

    for (size_t i = 0; i < k; i++)
        x[i] = sign_of(all) * sample[i].mean;
    add_ranks(x, k, rank);
    if (all->scores)
        return;
    add_ratios(x, k, ratio);
    for (size_t i = 0; values && i < k; i++)
        x[i] = percentile_95(&sample[i], values);
    if (values)
        add_ratios(x, k, ratio_95);
}

int regret_of(const struct contests *contests, double level, uint64_t seed, struct standing *standing)
{
    const size_t k = contests->competitors;
    const bool values = has_values(contests);
    double *const sums = calloc(4 * k + 1, sizeof *sums);
    size_t longest = 0;

    for (size_t i = 0; values && i < contests->contests * k; i++)
        longest = contests->sample[i].n > longest ? contests->sample[i].n : longest;
    double *room = NULL;
    if (values)
        room = calloc(longest + 1, sizeof *room);
    int result = 0;
    if (!sums || (values && !room))
        result = -1;
    size_t n = 0;
    for (size_t c = 0; result == 0 && c < contests->contests; c++)
        if (counts(contests, c)) {
            add_contest(contests, c, sums, room, sums + k, sums + 2 * k, sums + 3 * k);
            n++;
        }
    for (size_t i = 0; result == 0 && i < k; i++)
        standing[i] = (struct standing){
            .contests = n,
            .regret = contests->scores ? (double)NAN : exp(sums[k + i] / (double)n),
            .regret_95 = values && !contests->scores ? exp(sums[2 * k + i] / (double)n) : (double)NAN,
            .rank = sums[3 * k + i] / (double)n,
            .rank_low = (double)NAN,
            .rank_high = (double)NAN,
        };
    if (result == 0 && n > 0)
        result = count_wins(contests, level, standing);
    if (result == 0 && n > 0 && values)
        result = find_intervals(contests, n, longest, seed, standing);
    free(sums);
    free(room);
    return result;
}

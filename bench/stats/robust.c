/* robust.c - see robust.h; the reasons and sources are in setting.c. */
#include "stats/robust.h"

#include "stats/summary.h"
#include "support/numbers.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Relative differences up to this are rounding. */
static const double rounding = 1e-12;

/* Variance of the effect size under the mixture's prior. Not tuned. */
static const double prior = 1.0 / 3;

/* ---- t ---- */

double robust_p(double t, double n, bool any_time)
{
    if (!(n > 1))
        return 1;
    if (!any_time)
        return fmin(1, 2 * gsl_cdf_tdist_Q(fabs(t), n - 1));
    const double u = t * t / (n - 1), scale = 1 + n * prior;
    return fmin(1, exp(0.5 * log(scale) - 0.5 * n * (log1p(u) - log1p(u / scale))));
}

double robust_t(const struct differences *d, double bad)
{
    const double n = d->n + 1, mean = (d->n * d->mean - bad / 2) / n;
    const double squares = d->squares + square(d->mean + bad / 2) * d->n / n;
    if (!(d->n > 0) || !(bad > 0) || !(squares > 0))
        return 0;
    return mean * sqrt(n * (n - 1) / squares);
}

double robust_above(const struct differences *d, bool any_time)
{
    if (isinf(d->n))
        return d->mean > 0 ? 0 : 1;
    const double t = robust_t(d, d->largest);
    return t > 0 ? robust_p(t, d->n + 1, any_time) : 1;
}

/* ---- differences ---- */

bool same_value(double x, double y)
{
    return x == y || fabs(x - y) <= rounding * fmax(fabs(x), fabs(y)) || (isnan(x) && isnan(y));
}

bool same_values(const struct sample *a, const struct sample *b)
{
    if (a->exact || b->exact || !a->value || !b->value)
        return a->exact == b->exact && a->n == b->n && same_value(a->mean, b->mean) &&
               (a->exact || same_value(a->sd, b->sd));
    if (a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++)
        if (!same_value(a->value[i], b->value[i]))
            return false;
    return true;
}

/* The array may hold NAN. */
static struct differences summed(const double *value, size_t length)
{
    const struct summary summary = summarise(value, length);
    struct differences d = {.n = (double)summary.n, .mean = summary.n > 0 ? summary.mean : 0};
    for (size_t i = 0; i < length; i++)
        if (!isnan(value[i])) {
            d.squares += square(value[i] - d.mean);
            d.largest = fmax(d.largest, fabs(value[i]));
        }
    return d;
}

/* Squared standard error of a mean. */
static double error_squared(const struct sample *sample)
{
    return sample->exact ? 0 : square(sample->sd) / (double)sample->n;
}

/* Repetitions of a mean, for degrees of freedom. */
static double size_of(const struct sample *sample)
{
    return sample->exact ? INFINITY : (double)sample->n;
}

static double value_of(const struct sample *sample, size_t i)
{
    return sample->exact ? sample->mean : sample->value[i];
}

/* u a - v b, and a part of the size of `sized`, a or b. */
struct weighted {
    const struct sample *a, *b, *sized;
    double u, v, part;
};

static double difference(const struct weighted *of, double x, double y)
{
    const double d = of->u == of->v && same_value(x, y) && !isnan(x) ? 0 : of->u * x - of->v * y;

    return d + (of->part > 0 ? of->part * fabs(of->sized == of->a ? x : y) : 0);
}

/* Of samples of which only means and deviations are known: as if independent. */
static struct differences of_summaries(const struct weighted *of)
{
    const double n = fmin(size_of(of->a), size_of(of->b)), mean = difference(of, of->a->mean, of->b->mean),
                 more = of->sized->mean < 0 ? -of->part : of->part;
    const double u = of->u + (of->sized == of->a ? more : 0), v = of->v - (of->sized == of->b ? more : 0);

    if (isinf(n) || !(n > 1))
        return (struct differences){.n = isinf(n) ? n : 0, .mean = mean};
    const double variance = square(u) * error_squared(of->a) + square(v) * error_squared(of->b);
    return (struct differences){
        .n = n, .mean = mean, .squares = n * (n - 1) * variance, .largest = fabs(mean) + sqrt(variance) * (n - 1)};
}

static struct differences differences_in(const struct weighted *of, double *room)
{
    const struct sample *const a = of->a, *const b = of->b;

    if ((!a->value && !a->exact) || (!b->value && !b->exact) || (a->exact && b->exact))
        return of_summaries(of);
    const size_t length = a->exact ? b->length : b->exact ? a->length : smaller(a->length, b->length);
    for (size_t i = 0; i < length; i++)
        room[i] = difference(of, value_of(a, i), value_of(b, i));
    return summed(room, length);
}

struct differences differences_of(const struct sample *better, const struct sample *other, bool more, double part,
                                  double *room)
{
    const struct weighted of = {more ? better : other, more ? other : better, other, 1, 1, part};

    return differences_in(&of, room);
}

struct differences differences_weighted(const struct sample *a, double u, const struct sample *b, double v,
                                        double *room)
{
    return differences_in(&(struct weighted){a, b, a, u, v, 0}, room);
}

double largest_size(const struct sample *sample)
{
    double largest = fabs(sample->mean);
    for (size_t i = 0; sample->value && i < sample->length; i++)
        largest = fmax(largest, fabs(sample->value[i]));
    return largest;
}

double undefined_more(const struct sample *sample, const struct sample *other)
{
    unsigned only = 0, discordant = 0;
    for (size_t i = 0; sample->value && i < sample->length && (other->exact || i < other->length); i++) {
        const bool mine = isnan(sample->value[i]), its = !other->exact && isnan(other->value[i]);
        only += mine && !its;
        discordant += mine != its;
    }
    return only > 0 ? gsl_cdf_binomial_Q(only - 1, 0.5, discordant) : 1;
}

struct pair_means pair_means_of(const struct sample *x, const struct sample *y)
{
    struct pair_means means = {0};
    double n = 0;

    if (x->exact || y->exact || !x->value || !y->value)
        return (struct pair_means){x->mean, y->mean};
    for (size_t i = 0; i < smaller(x->length, y->length); i++)
        if (!isnan(x->value[i]) && !isnan(y->value[i])) {
            means.x += x->value[i];
            means.y += y->value[i];
            n++;
        }
    return (struct pair_means){means.x / n, means.y / n};
}

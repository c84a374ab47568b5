/* expected.c - see expected.h.
 *
 * Level i asks n_i users about C_i = K_{i-1} ways candidates, and keeps the K_i largest estimates. The estimate of a
 * candidate held by a part f of the users is nearly normal around f with variance
 *
 *     s_i(f)^2 = (s1 + tf f + f (1 - f)) / n_i,
 *
 * noise and choosing the group. With pi_i(x) the probability that string x is still there, and one prefix a string,
 * the threshold T_i that keeps K_i solves
 *
 *     sum_x pi_{i-1}(x) Phi((f(x) - T_i) / s_i(f)) + (C_i - sum_x pi_{i-1}(x)) Phi(-T_i / s_i(0)) = K_i,
 *     pi_i(x) = pi_{i-1}(x) Phi((f(x) - T_i) / s_i(f)).
 *
 * At the last level T is that of the wanted number, of `wrong_last` and 0, whichever is largest. Then precision is the
 * wanted strings found over all returned, and false discoveries are strings that nobody holds. Strings share prefixes,
 * which makes those of early levels more frequent than is expected here, and estimates of several levels are combined
 * by isotone plans: more is found than this says.
 *
 * Frequencies are r^-s, r = 1 .. STRINGS or n, in groups of ranks that are nearly alike. Source: this project. Cost:
 * levels times HALVINGS times GROUPS_MAX. */
#include "searches/expected.h"

#include "numeric.h"

#include <math.h>

enum { STRINGS = 100000, GROUPS_MAX = 64, HALVINGS = 20 };
#define WIDER 1.4 /* the last rank of a group over its first */

struct law {
    size_t count;
    struct {
        double f, strings, held; /* frequency, number, pi */
        bool wanted;
    } group[GROUPS_MAX];
};

static void make_law(struct law *law, double s, double strings, double wanted)
{
    double sum = 0;

    law->count = 0;
    for (double first = 1; first <= strings && law->count < GROUPS_MAX;) {
        double next = fmax(first + 1, floor(first * WIDER));
        if (first <= wanted)
            next = fmin(next, wanted + 1);
        next = fmin(next, strings + 1);
        const double f = ldp_pow(sqrt(first * (next - 1)), -s);
        law->group[law->count].f = f;
        law->group[law->count].strings = next - first;
        law->group[law->count].held = 1;
        law->group[law->count++].wanted = first <= wanted;
        sum += f * (next - first);
        first = next;
    }
    for (size_t i = 0; i < law->count; i++)
        law->group[i].f /= sum;
}

/* A level: its noise, and the candidates that nobody holds. */
struct level {
    double s1, tf, users, empty;
};

static double above(const struct level *level, double f, double threshold)
{
    return ldp_normal_cdf((f - threshold) / sqrt((level->s1 + level->tf * f + f * (1 - f)) / level->users));
}

static double number_above(const struct law *law, const struct level *level, double threshold)
{
    double sum = level->empty * above(level, 0, threshold);

    for (size_t i = 0; i < law->count; i++)
        sum += law->group[i].strings * law->group[i].held * above(level, law->group[i].f, threshold);
    return sum;
}

static double threshold_of(const struct law *law, const struct level *level, double keep)
{
    const double noise = sqrt(level->s1 / level->users);
    double low = -10 * noise, high = 1 + 10 * noise;

    for (int halving = 0; halving < HALVINGS; halving++) {
        const double middle = (low + high) / 2;
        *(number_above(law, level, middle) > keep ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

static bool open_level(const struct ldp_search_input *input, double candidates, double users, const struct law *law,
                       struct level *level)
{
    struct ldp_protocol protocol;
    double held = 0;

    if (!(candidates < UINT32_MAX) || users < 1 ||
        ldp_protocol_init(&protocol, input->oracle, (size_t)candidates + 1, input->epsilon, NULL) != LDP_OK)
        return false;
    for (size_t i = 0; i < law->count; i++)
        held += law->group[i].strings * law->group[i].held;
    *level = (struct level){protocol.s1 + 1e-12, protocol.tf, users, fmax(0, candidates - held)};
    return true;
}

/* All from `least` on. */
static struct ldp_search_forecast measure(const struct law *law, const struct level *level, double wanted, double least)
{
    const double returned = number_above(law, level, least);
    double found = 0;

    for (size_t i = 0; i < law->count; i++)
        if (law->group[i].wanted)
            found += law->group[i].strings * law->group[i].held * above(level, law->group[i].f, least);
    return (struct ldp_search_forecast){.f1 = 2 * found / (returned + wanted),
                                        .recall = found / wanted,
                                        .returned = returned,
                                        .false_part =
                                            returned > 0 ? level->empty * above(level, 0, least) / returned : 0};
}

/* The threshold by noise, or -infinity. */
static double least_of(const struct level *level, double wrong, double candidates)
{
    return wrong > 0 && wrong < candidates ? -ldp_normal_quantile(wrong / candidates) * sqrt(level->s1 / level->users)
                                           : -INFINITY;
}

bool prefix_expected(struct prefix_plan *plan, const struct ldp_search_input *input, double s, const double *wrong,
                     size_t count, struct ldp_search_forecast *out)
{
    struct law law;
    struct level level = {0};
    double parents = 1, sum = 0, candidates = 1;

    make_law(&law, s, fmin(STRINGS, (double)input->histogram.n), (double)plan->most);
    for (unsigned i = 0; i < plan->levels; i++)
        sum += plan->weight[i];
    for (unsigned i = 0; i < plan->levels; i++) {
        const unsigned more = plan->length[i] - (i > 0 ? plan->length[i - 1] : 0);
        candidates = parents * (double)search_ways(input->strings, more, plan->pad);
        if (!open_level(input, candidates, (double)input->histogram.n * plan->weight[i] / sum, &law, &level))
            return false;
        if (i + 1 == plan->levels)
            break;
        parents = fmin(candidates, (double)plan->keep);
        if (candidates <= (double)plan->keep)
            continue;
        const double threshold = threshold_of(&law, &level, parents);
        for (size_t g = 0; g < law.count; g++)
            law.group[g].held *= above(&level, law.group[g].f, threshold);
    }
    const double wanted = (double)plan->most, least = fmax(0, threshold_of(&law, &level, wanted));
    *out = (struct ldp_search_forecast){.f1 = -1};
    for (size_t i = 0; i < count; i++) {
        const struct ldp_search_forecast found =
            measure(&law, &level, wanted, fmax(least, least_of(&level, wrong[i], candidates)));
        if (found.f1 > out->f1) {
            *out = found;
            plan->wrong_last = wrong[i];
        }
    }
    return true;
}

/* expected.c - see planned.h.
 *
 * Level i asks n_i users about C_i = K_{i-1} ways candidates, and keeps the K_i largest estimates. The estimate of a
 * candidate that a part f of the users has is nearly normal around f with variance
 *
 *     s_i(f)^2 = (s1 + tf f + f (1 - f)) / n_i,
 *
 * noise and choosing the group. With pi_i(x) the probability that prefix x is still there, the threshold T_i that keeps
 * K_i solves
 *
 *     sum_x pi_{i-1}(x) Phi((f(x) - T_i) / s_i(f)) + (C_i - sum_x pi_{i-1}(x)) Phi(-T_i / s_i(0)) = K_i,
 *     pi_i(x) = pi_{i-1}(x) Phi((f(x) - T_i) / s_i(f)).
 *
 * At the last level T is that of the requested number, of an expected number of strings with zero frequency and 0,
 * whichever is largest. Then precision is the requested strings found over all returned, and false discoveries are
 * strings with zero frequency.
 *
 * The likelihood of a law: the numbers of estimates in intervals above the smallest that is known are Poisson with the
 * expected means, of which STRANGE are of no law; so one prefix that no law of the grid has decides nothing. As none of
 * the grid is the law of the users, its logarithm counts 1/DOUBT.
 *
 * Source: this project. Cost: for each law levels times HALVINGS times its groups. */
#include "searches/planned.h"

#include "numerics/numeric.h"

#include <math.h>

/* IN_PLAN: laws that stand for the posterior in a plan, each of as much of it. */
enum { HALVINGS = 14, EDGES = 40, IN_PLAN = 24 };
#define STRANGE 0.03
#define DOUBT 4.0
#define FEW 1e-4          /* candidates of a group; fewer are not counted */
#define LEAST_WEIGHT 0.02 /* of the largest; a law of less is left out */
#define FAINT 0.25        /* of the noise; below it a candidate is like one with zero frequency */

double search_spread(const struct search_level *level, double f)
{
    return sqrt((level->s1 + 1e-12 + level->tf * f + f * (1 - f)) / level->users);
}

/* A Chebyshev fit of log(erfc(x) exp(x^2) / t),
 * t = 1 / (1 + x / 2) (Press et al., Numerical Recipes, erfcc). */
double search_tail(double z)
{
    static const double fit[] = {-1.26551223, 1.00002368,  0.37409196, 0.09678418,  -0.18628806,
                                 0.27886807,  -1.13520398, 1.48851587, -0.82215223, 0.17087277};
    const double x = fabs(z) * 0.70710678118654752, t = 1 / (1 + x / 2);
    double sum = 0;

    if (fabs(z) > 12)
        return z > 0 ? 0 : 1;
    for (size_t i = sizeof fit / sizeof *fit; i-- > 0;)
        sum = sum * t + fit[i];
    const double tail = t * ldp_exp(sum - x * x) / 2;
    return z > 0 ? tail : 1 - tail;
}

double search_above(const struct search_level *level, double f, double threshold)
{
    return search_tail((threshold - f) / search_spread(level, f));
}

/* Half the deviance of the support that gives an estimate, and that support over the users; f in the middle of it is
 * the estimate. */
static double divergence(const struct search_level *level, double est, double f, double *support)
{
    const double q = level->q + f * (level->p - level->q), most = 1 - 1e-9,
                 a = fmin(most, fmax(1e-9, level->q + est * (level->p - level->q)));

    *support = a;
    return level->users * (a * ldp_log(a / q) + (1 - a) * ldp_log((1 - a) / (1 - q)));
}

/* Lugannani and Rice, Adv. Appl. Prob. 12, 1980, for a law on a lattice (Daniels, Int. Statist. Rev. 55, 1987). */
static double above(const struct search_level *level, double f, double threshold)
{
    const double z = (threshold - f) / search_spread(level, f), q = level->q + f * (level->p - level->q);
    double a;

    if (!(level->p > 0) || z < 1)
        return search_tail(z);
    const double w = sqrt(2 * fmax(0, divergence(level, threshold, f, &a))),
                 u = (1 - q * (1 - a) / (a * (1 - q))) * sqrt(level->users * a * (1 - a));
    return search_tail(w + ldp_log(u / w) / w);
}

double search_noise_above(const struct search_level *level, double threshold)
{
    return above(level, 0, threshold);
}

/* The least f in [0, 1] with P(X >= est | X >= least) >= share; it increases with f. */
static double solve(const struct search_level *level, double est, double least, double share)
{
    enum { STEPS = 40 };
    double low = 0, high = 1;

    if (above(level, 0, est) >= share * above(level, 0, least) && above(level, 0, least) > 1e-30)
        return 0;
    for (int i = 0; i < STEPS; i++) {
        const double f = (low + high) / 2, chosen = above(level, f, least);
        *(chosen > 1e-30 && above(level, f, est) >= share * chosen ? &high : &low) = f;
    }
    return high;
}

void search_interval(const struct search_level *level, double est, double least, double *low, double *high)
{
    /* Where support counts are whole numbers, at least `least` means the next of them, and more than est one more. */
    const double step = level->p > 0 ? 1 / (level->users * (level->p - level->q)) : 0,
                 from = step > 0 ? est - step * floor((est - least) / step + 1e-6) : least;

    *low = solve(level, est, from, 0.025);
    *high = fmax(*low, solve(level, est + step, from, 0.975));
}

double search_density(const struct search_level *level, double est, double f)
{
    const double spread = search_spread(level, f), z = (est - f) / spread;
    double a;

    if (!(level->p > 0))
        return ldp_exp(-z * z / 2) / spread;
    const double half = divergence(level, est, f, &a);
    return ldp_exp(-half) * (level->p - level->q) / sqrt(a * (1 - a) / level->users);
}

struct search_level search_level_of(const struct ldp_protocol *protocol, double candidates, double users,
                                    unsigned length)
{
    const bool binomial = protocol->q > 0 && protocol->flags & (LDP_ORACLE_INDEPENDENT | LDP_ORACLE_SUMS_TO_ONE) &&
                          !(protocol->flags & (LDP_ORACLE_REAL | LDP_ORACLE_SKETCH | LDP_ORACLE_LEVELS));

    return (struct search_level){.length = length,
                                 .s1 = protocol->s1,
                                 .tf = protocol->tf,
                                 .users = users,
                                 .candidates = candidates,
                                 .p = binomial ? protocol->p : 0,
                                 .q = protocol->q};
}

/* The same by the oracle of a search. False if it cannot ask so many. */
static bool open_level(const struct ldp_search_input *input, double candidates, double users, unsigned length,
                       struct search_level *level)
{
    struct ldp_protocol protocol;

    if (!(candidates < UINT32_MAX) || users < 1 ||
        ldp_protocol_init(&protocol, input->oracle, (size_t)candidates + 1, input->epsilon, NULL) != LDP_OK)
        return false;
    *level = search_level_of(&protocol, candidates, users, length);
    return true;
}

/* The candidates of users, before a level. */
static double number_present(const struct law *law, const struct search_level *level, bool tried)
{
    double sum = 0;

    for (size_t i = 0; i < law->count; i++)
        if (law_mass(&law->group[i], level->length) > 0)
            sum += law_number(&law->group[i], level->length) * (tried ? law->group[i].at : law->group[i].present);
    return sum;
}

static double number_above(const struct law *law, const struct search_level *level, double present, double threshold)
{
    const double faint = FAINT * search_spread(level, 0), nobody = search_noise_above(level, threshold);
    double sum = fmax(0, level->candidates - present) * nobody, last = 0, tail = 0;

    for (size_t i = 0; i < law->count; i++) {
        const struct law_group *const group = &law->group[i];
        const double f = law_mass(group, level->length), number = law_number(group, level->length) * group->at;
        if (!(f > 0) || !(number > FEW))
            continue;
        if (f != last) /* whole strings of one rank have the same, in crowded prefixes or not */
            tail = f < faint ? nobody : search_above(level, f, threshold);
        last = f;
        sum += number * tail;
    }
    return sum;
}

static double threshold_of(const struct law *law, const struct search_level *level, double present, double keep)
{
    const double noise = search_spread(level, 0);
    double low = -2 * noise, high = fmin(1, law_mass(&law->group[0], level->length)) + 6 * noise;

    for (size_t i = 1; i < law->count; i++)
        high = fmax(high, law_mass(&law->group[i], level->length) + 6 * noise);
    for (int halving = 0; halving < HALVINGS; halving++) {
        const double middle = (low + high) / 2;
        *(number_above(law, level, present, middle) > keep ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* All from `least` on. */
static struct ldp_search_forecast measure(const struct law *law, const struct search_level *level, double present,
                                          double requested, double least)
{
    const double returned = number_above(law, level, present, least);
    double found = 0;

    for (size_t i = 0; i < law->count; i++)
        if (law->group[i].requested > 0)
            found += law->group[i].requested * law->group[i].at *
                     search_above(level, law_mass(&law->group[i], level->length), least);
    return (struct ldp_search_forecast){.f1 = 2 * found / (returned + requested),
                                        .recall = found / requested,
                                        .returned = returned,
                                        .false_part = returned > 0 ? fmax(0, level->candidates - present) *
                                                                         search_noise_above(level, least) / returned
                                                                   : 0};
}

/* The last level. */
static struct ldp_search_forecast measure_best(const struct law *law, const struct search_level *level,
                                               double requested)
{
    static const double wrongs[] = {0.03, 0.1, 0.3, 1, 3};
    enum { WRONGS = 5 };
    const double present = number_present(law, level, true),
                 least = fmax(0, threshold_of(law, level, present, requested));
    struct ldp_search_forecast best = {.f1 = -1};

    for (size_t i = 0; i < WRONGS; i++) {
        const double number = wrongs[i],
                     noise = number < level->candidates
                                 ? -ldp_normal_quantile(number / level->candidates) * search_spread(level, 0)
                                 : 0;
        const struct ldp_search_forecast found = measure(law, level, present, requested, fmax(least, noise));
        if (found.f1 > best.f1)
            best = found;
    }
    return best;
}

/* One law; level[from ..]. */
static struct ldp_search_forecast expect(const struct prefix_plan *plan, unsigned from, const struct law *law,
                                         const struct search_level *level)
{
    for (size_t g = 0; g < law->count; g++)
        law->group[g].at = law->group[g].after;
    for (unsigned i = from; i + 1 < plan->levels; i++) {
        if (level[i].candidates <= (double)plan->keep)
            continue;
        const double threshold = threshold_of(law, &level[i], number_present(law, &level[i], true), (double)plan->keep);
        for (size_t g = 0; g < law->count; g++)
            if (law->group[g].at > 0)
                law->group[g].at *= search_above(&level[i], law_mass(&law->group[g], level[i].length), threshold);
    }
    return measure_best(law, &level[plan->levels - 1], (double)plan->most);
}

bool prefix_expected(const struct prefix_plan *plan, unsigned from, const struct ldp_search_input *input,
                     const struct laws *laws, struct ldp_search_forecast *out)
{
    struct search_level level[SEARCH_LENGTH_MAX];
    double parents = from > 0 ? (double)plan->keep : 1, sum = 0;

    *out = (struct ldp_search_forecast){0};
    for (unsigned i = from; i < plan->levels; i++) {
        const unsigned more = plan->length[i] - (i > 0 ? plan->length[i - 1] : 0);
        const double candidates = parents * (double)search_ways(input->strings, more, plan->pad);
        if (!open_level(input, candidates, (double)input->histogram.n * plan->weight[i], plan->length[i], &level[i]))
            return false;
        parents = fmin(candidates, (double)plan->keep);
    }
    for (size_t i = 0; i < laws->count; i++) {
        const double weight = laws->law[i].in_plan;
        if (!(weight > 0))
            continue;
        const struct ldp_search_forecast one = expect(plan, from, &laws->law[i], level);
        sum += weight;
        out->f1 += weight * one.f1;
        out->recall += weight * one.recall;
        out->returned += weight * one.returned;
        out->false_part += weight * one.returned * one.false_part;
    }
    out->false_part = out->returned > 0 ? out->false_part / out->returned : 0;
    out->f1 /= sum;
    out->recall /= sum;
    out->returned /= sum;
    return true;
}

/* ---- Laws and answers ---- */

static size_t make_edges(const struct search_level *level, double least, double most, double *edge)
{
    const double noise = search_spread(level, 0);
    size_t count = 0;

    for (double at = least; count < EDGES - 1 && at < most; at = fmax(at + 0.3 * noise, 1.25 * at))
        edge[count++] = at;
    edge[count++] = INFINITY;
    return count;
}

void laws_learn(struct laws *laws, const struct search_level *level, const double *est, size_t count)
{
    double edge[EDGES], seen[EDGES] = {0};

    if (count < 2 || laws->count < 2)
        return;
    const size_t edges = make_edges(level, est[count - 1], fmax(est[0], 8 * search_spread(level, 0)), edge);
    for (size_t i = 0, at = edges - 1; i < count; i++) {
        while (at > 0 && est[i] < edge[at])
            at--;
        seen[at]++;
    }
    for (size_t l = 0; l < laws->count; l++) {
        struct law *const law = &laws->law[l];
        for (size_t g = 0; g < law->count; g++)
            law->group[g].at = law->group[g].present;
        const double present = number_present(law, level, false);
        double above = number_above(law, level, present, edge[0]), sum = 0;
        for (size_t i = 0; i + 1 < edges; i++) {
            const double next = i + 2 < edges ? number_above(law, level, present, edge[i + 1]) : 0,
                         mean = fmax(0, above - next) + STRANGE;
            sum += seen[i] * ldp_log(mean) - mean;
            above = next;
        }
        law->log += sum / DOUBT;
    }
}

void laws_weigh(struct laws *laws)
{
    double best = -INFINITY, sum = 0;

    for (size_t i = 0; i < laws->count; i++)
        best = fmax(best, laws->law[i].log);
    for (size_t i = 0; i < laws->count; i++) {
        const double weight = ldp_exp(laws->law[i].log - best);
        laws->law[i].weight = weight < LEAST_WEIGHT ? 0 : weight;
        sum += laws->law[i].weight;
    }
    double before = 0;
    for (size_t i = 0; i < laws->count; i++) {
        laws->law[i].weight /= sum;
        const double after = before + laws->law[i].weight;
        laws->law[i].in_plan = floor(after * IN_PLAN + 0.5) - floor(before * IN_PLAN + 0.5);
        before = after;
    }
}

static void try_keep(struct law *law, const struct search_level *level, double threshold)
{
    for (size_t g = 0; g < law->count; g++) {
        struct law_group *const group = &law->group[g];
        group->after = group->present * search_above(level, law_mass(group, level->length), threshold);
    }
}

void laws_try_keep(struct laws *laws, const struct search_level *level, double threshold)
{
    for (size_t i = 0; i < laws->count; i++)
        if (laws->law[i].in_plan > 0)
            try_keep(&laws->law[i], level, threshold);
}

void laws_keep(struct laws *laws, const struct search_level *level, double threshold)
{
    for (size_t i = 0; i < laws->count; i++) {
        try_keep(&laws->law[i], level, threshold);
        for (size_t g = 0; g < laws->law[i].count; g++)
            laws->law[i].group[g].present = laws->law[i].group[g].after;
    }
}

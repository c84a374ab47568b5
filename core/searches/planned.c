/* planned.c - see planned.h: the choice of a plan. */
#include "searches/planned.h"

#include "numerics/numeric.h"

#include <math.h>

/* Of plans whose F1 is within one per cent the one that keeps most, and then the one that asks most users next: laws
 * do not know which prefixes are crowded, and what a level loses is lost. Where nearly all strings can be found, noise
 * is small compared with that, and three per cent are given for it. */
#define ALIKE 0.99
#define ALIKE_WHERE_FOUND 0.97
#define FOUND 0.95

static const double growths[] = {2.5, 2, 1.5, 1}, keeps[] = {20, 32, 64, 128, 256};
enum { GROWTHS = 4, KEEPS = 5, STEPS = 4 }; /* after the first level STEPS, or as many as long strings need */

size_t planned_most_kept(const struct planned_given *given, size_t requested)
{
    const size_t most = given->keep > requested ? given->keep : requested;

    return most > 256 ? most : 256;
}

double planned_threshold(const struct planned_kept *kept, size_t keep)
{
    return keep > 0 && (double)keep < kept->level.candidates ? kept->est[keep - 1] : -INFINITY;
}

/* Levels after the first `done`: steps, and shares that grow. pilot > 0: the first level's share. */
static void lay_out(struct prefix_plan *plan, unsigned done, unsigned step, double growth, unsigned length,
                    double pilot, bool is_start)
{
    double used = 0, sum = 0, weight = 1;

    plan->levels = done;
    while (plan->length[plan->levels - 1] < length) {
        const unsigned next = plan->length[plan->levels - 1] + step;
        plan->length[plan->levels++] = next < length ? next : length;
    }
    const unsigned from = is_start && !(pilot > 0) ? 0 : done;
    if (is_start && pilot > 0)
        plan->weight[0] = plan->levels > 1 ? pilot : 1;
    for (unsigned i = 0; i < from; i++)
        used += plan->weight[i];
    for (unsigned i = from; i < plan->levels; i++, weight *= growth)
        sum += weight;
    weight = (1 - used) / sum;
    for (unsigned i = from; i < plan->levels; i++, weight *= growth)
        plan->weight[i] = weight;
}

/* A plan that is tried, and the best. */
struct trial {
    const struct ldp_search_input *input;
    const struct planned_given *given;
    struct laws *laws;
    unsigned done;
    bool is_start;
    struct prefix_plan plan, best;
    double f1;
    struct ldp_search_forecast forecast;
};

static double largest_level(const struct trial *trial)
{
    const struct prefix_plan *const plan = &trial->plan;
    double most = 0;

    for (unsigned i = trial->done; i < plan->levels; i++)
        most = fmax(most, (double)plan->keep * (double)search_ways(trial->input->strings,
                                                                   plan->length[i] - plan->length[i - 1], plan->pad));
    return most;
}

/* Whether the plan that is tried is preferred to the best where both are expected to be as good. */
static bool is_safer(const struct trial *trial)
{
    const struct prefix_plan *const plan = &trial->plan, *const best = &trial->best;

    return plan->keep > best->keep || (!trial->is_start && plan->keep == best->keep && trial->done < plan->levels &&
                                       plan->weight[trial->done] > best->weight[trial->done]);
}

static void try_plan(struct trial *trial, unsigned step, double growth)
{
    struct ldp_search_forecast found;
    const bool needed = (trial->given->step > 0 || step == 1) && trial->f1 < 0; /* nothing smaller can be asked */

    lay_out(&trial->plan, trial->done, step, growth, trial->input->strings->length, trial->given->pilot,
            trial->is_start);
    if (largest_level(trial) > PREFIX_AFFORDABLE && !needed)
        return;
    if (prefix_expected(&trial->plan, trial->is_start ? 0 : trial->done, trial->input, trial->laws, &found) &&
        found.f1 > trial->f1 * (!is_safer(trial)    ? 1
                                : trial->f1 > FOUND ? ALIKE_WHERE_FOUND
                                                    : ALIKE)) {
        trial->f1 = fmax(found.f1, trial->f1);
        trial->best = trial->plan;
        trial->forecast = found;
    }
}

static void try_steps(struct trial *trial)
{
    const struct planned_given *const given = trial->given;
    const struct ldp_strings *const strings = trial->input->strings;
    const unsigned left = strings->length - trial->plan.length[trial->done - 1],
                   longest = prefix_affordable(strings, (double)trial->plan.keep, strings->length, trial->plan.pad);
    const bool has_choice = given->step == 0 && left > 0;
    const unsigned fewest = has_choice ? (left + longest - 1) / longest : 1, most = !has_choice      ? 1
                                                                                    : fewest > STEPS ? fewest
                                                                                                     : STEPS;
    unsigned last = 0;

    for (unsigned steps = fewest; steps <= most; steps++) {
        const unsigned step = given->step > 0 ? given->step : left > 0 ? (left + steps - 1) / steps : 1;
        if (step == last)
            continue;
        last = step;
        /* The last level alone is left: all growths are one. */
        const size_t count = (!trial->is_start && step >= left) || left == 0 ? 1 : GROWTHS;
        for (size_t g = 0; g < count; g++)
            try_plan(trial, step, growths[g]);
    }
}

/* Where no plan is affordable or expected. */
static void fall_back(struct trial *trial)
{
    const struct planned_given *const given = trial->given;
    const struct ldp_strings *const strings = trial->input->strings;

    trial->plan.keep = given->keep > 0 ? given->keep : trial->plan.most > 20 ? trial->plan.most : 20;
    lay_out(&trial->plan, trial->done,
            given->step > 0 ? given->step
                            : prefix_affordable(strings, (double)trial->plan.keep, strings->length, trial->plan.pad),
            1, strings->length, given->pilot, trial->is_start);
    trial->best = trial->plan;
    trial->f1 = 0;
    trial->forecast = (struct ldp_search_forecast){0};
}

double planned_choose_rest(const struct ldp_search_input *input, const struct planned_given *given, struct laws *laws,
                           const struct planned_kept *kept, struct prefix_plan *plan,
                           struct ldp_search_forecast *forecast)
{
    struct trial trial = {
        .input = input, .given = given, .laws = laws, .done = plan->levels, .is_start = !kept, .plan = *plan, .f1 = -1};
    const size_t candidates = search_ways(input->strings, plan->length[0], plan->pad),
                 most = kept ? kept->count : candidates;
    size_t last = 0;

    for (size_t k = 0; k < (given->keep > 0 ? 1 : KEEPS); k++) {
        const double keep =
            fmin((double)most, given->keep > 0 ? (double)given->keep : fmax(keeps[k], (double)plan->most));
        if ((size_t)keep == last)
            continue;
        trial.plan.keep = last = (size_t)keep;
        if (kept)
            laws_try_keep(laws, &kept->level, planned_threshold(kept, last));
        try_steps(&trial);
    }
    if (trial.f1 < 0)
        fall_back(&trial);
    *plan = trial.best;
    if (forecast)
        *forecast = trial.forecast;
    return trial.f1;
}

void planned_score(const struct search_level *level, unsigned levels, const double *before, double est,
                   struct search_scored *scored)
{
    double precision[SEARCH_LENGTH_MAX] = {0}, sum = 0;
    unsigned from;

    for (unsigned i = 0; i < levels; i++)
        precision[i] = 1 / (search_spread(&level[i], 0) * search_spread(&level[i], 0));
    scored->est = est;
    scored->f = prefix_falling(precision, before, levels - 1, est, &from);
    for (unsigned i = from; i < levels; i++) {
        const double spread = search_spread(&level[i], fmax(scored->f, 0));
        sum += 1 / (spread * spread);
    }
    scored->spread = 1 / sqrt(sum);
}

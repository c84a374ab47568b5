/* pem_planned.c - levels, groups, kept prefixes and the strings returned by the F1 that is expected of them.
 *
 * The first level asks a part of the users. Its largest estimates give a posterior over a grid of laws of frequencies
 * (law.c, expected.c), by which the kept prefixes, the other levels and their users are chosen; they are chosen again
 * after each level, each user answers once. Of the last level those strings are returned whose expected F1 is largest,
 * and of which at most a part `fdr` is expected to have zero frequency (planned.c). The first level is planned for a
 * few typical laws. A parameter that is given is kept.
 *
 * With `known` the frequencies of the users are the law: not private, the bound for what the posterior can reach.
 *
 * Source: this project. Cost: that of the search, and some milliseconds a level. */
#include "searches/planned.h"

#include "numerics/numeric.h"

#include <math.h>
#include <string.h>

enum { PILOT = PREFIX_OWN, FDR, KNOWN };

static const struct ldp_param params[] = {
    [PREFIX_FIRST] =
        LDP_PARAM_INTEGER("first", NAN, 1, SEARCH_LENGTH_MAX, "symbols of the first level; default: by the plan"),
    [PREFIX_STEP] =
        LDP_PARAM_INTEGER("step", 0, 0, SEARCH_LENGTH_MAX, "symbols from a level to the next; 0: by the plan"),
    [PREFIX_KEEP] =
        LDP_PARAM_INTEGER("keep", 0, 0, 0x1p20, "largest number of prefixes kept at each level; 0: by the plan"),
    [PREFIX_PAD] = SEARCH_PARAM_PAD,
    [PREFIX_MOST] =
        LDP_PARAM_INTEGER("return", 10, 1, 10000, "number of strings that are requested, and returned at most"),
    [PILOT] = LDP_PARAM_REAL("pilot", NAN, 0.001, 1, "part of the users at the first level; default: by the plan"),
    [FDR] = LDP_PARAM_REAL("fdr", 1, 0.0001, 1, "largest expected share of returned strings with zero frequency"),
    [KNOWN] = LDP_PARAM_FLAG("known", false, "plan for the users' own frequencies: not private, to compare with"),
    {.name = NULL},
};

static const struct prefix_variant variant = {.standard = 64};

static struct planned_given given_by(const double *param)
{
    return (struct planned_given){.step = (unsigned)param[PREFIX_STEP],
                                  .keep = (size_t)param[PREFIX_KEEP],
                                  .pilot = isnan(param[PILOT]) ? 0 : param[PILOT],
                                  .fdr = param[FDR],
                                  .known = param[KNOWN] != 0};
}

/* Nothing done, the first level fixed if it is known. */
static struct prefix_plan start_plan(const double *param)
{
    struct prefix_plan plan = {.first = "first",
                               .least = -INFINITY,
                               .pad = param[PREFIX_PAD] != 0,
                               .most = (size_t)param[PREFIX_MOST],
                               .levels = 1,
                               .weight = {1}};

    plan.length[0] = isnan(param[PREFIX_FIRST]) ? 0 : (unsigned)param[PREFIX_FIRST];
    return plan;
}

#define ALIKE 0.995

/* The best plan before any answer, for laws of this kind. */
static enum ldp_status choose(const struct ldp_search_input *input, const double *param, enum laws_kind kind,
                              struct prefix_plan *best, struct ldp_search_forecast *forecast)
{
    static const double firsts[] = {1, 0.9, 0.8, 0.7}; /* of the most symbols that can be asked at once */
    enum { FIRSTS = 4 };
    const struct planned_given given = given_by(param);
    const unsigned most = prefix_affordable(input->strings, 1, input->strings->length, param[PREFIX_PAD] != 0);
    const bool is_given = !isnan(param[PREFIX_FIRST]);
    unsigned last = 0;
    struct laws *const laws = laws_new(input, (size_t)param[PREFIX_MOST], kind);
    double best_f1 = -1;

    if (!laws)
        return LDP_ENOMEM;
    for (size_t i = 0; i < (is_given ? 1 : FIRSTS); i++) {
        struct prefix_plan plan = start_plan(param);
        struct ldp_search_forecast found;
        if (!is_given)
            plan.length[0] = (unsigned)ceil(firsts[i] * most);
        if (plan.length[0] == last)
            continue;
        last = plan.length[0];
        const double f1 = planned_choose_rest(input, &given, laws, NULL, &plan, &found);
        /* Equally good is shorter: fewer candidates, and strings that share prefixes make these more frequent. */
        if (f1 >= ALIKE * best_f1) {
            best_f1 = fmax(f1, best_f1);
            *best = plan;
            *forecast = found;
        }
    }
    laws_free(laws);
    return LDP_OK;
}

static enum laws_kind kind_of(const double *param)
{
    return param[KNOWN] != 0 ? LAWS_KNOWN : LAWS_TYPICAL;
}

/* Refuses what was given as the siblings do. */
static enum ldp_status check_given(const struct ldp_search *search, const struct ldp_search_input *input,
                                   const double *param, struct ldp_reason *reason)
{
    double all[LDP_PARAMS_MAX];

    if (param[PILOT] == 1 && param[PREFIX_FIRST] < input->strings->length)
        return ldp_refuse(reason, "pilot = 1: expected less, as levels after that of first = %g symbols ask users too",
                          param[PREFIX_FIRST]);
    memcpy(all, param, sizeof all);
    all[PREFIX_STEP] = all[PREFIX_STEP] > 0 ? all[PREFIX_STEP] : (double)NAN;
    all[PREFIX_KEEP] = all[PREFIX_KEEP] > 0 ? all[PREFIX_KEEP] : (double)NAN;
    return prefix_variant_configure(search, input, all, reason);
}

static enum ldp_status configure(const struct ldp_search *search, const struct ldp_search_input *input, double *param,
                                 struct ldp_reason *reason)
{
    const enum ldp_status status = check_given(search, input, param, reason);

    if (status != LDP_OK || (!isnan(param[PREFIX_FIRST]) && !isnan(param[PILOT])))
        return status;
    struct prefix_plan best;
    struct ldp_search_forecast found;
    if (choose(input, param, kind_of(param), &best, &found) != LDP_OK)
        return LDP_ENOMEM;
    param[PREFIX_FIRST] = best.length[0];
    param[PILOT] = best.weight[0];
    return check_given(search, input, param, reason);
}

/* The plan before any answer stands for all. */
static void rounds(const struct ldp_search *search, const struct ldp_search_input *input, const double *param,
                   struct ldp_search_rounds *out)
{
    struct prefix_plan plan;
    struct ldp_search_forecast found;

    if (choose(input, param, kind_of(param), &plan, &found) == LDP_OK)
        prefix_rounds(&plan, input, input->epsilon, out);
}

/* Of the best plan for the users' own frequencies, of which no more strings can be requested than they have. */
static void forecast(const struct ldp_search_input *input, const double *param, struct ldp_search_forecast *out)
{
    double own[LDP_PARAMS_MAX];
    struct prefix_plan plan;

    memcpy(own, param, sizeof own);
    own[PREFIX_MOST] = fmin(own[PREFIX_MOST], (double)input->strings->d);
    choose(input, own, LAWS_KNOWN, &plan, out);
}

static enum ldp_status run(struct ldp_search_state *state, const double *param)
{
    const struct planned_given given = given_by(param);
    struct prefix_plan plan = start_plan(param);

    plan.weight[0] = param[PILOT];
    return planned_run(state, &given, &plan);
}

const struct ldp_search ldp_search_pem_planned = {
    .name = "pem_planned",
    .title = "Levels, groups and answer by the expected F1, planned again after each level",
    .source = "this project",
    .params = params,
    .is_attackable = true,
    .variant = &variant,
    .configure = configure,
    .rounds = rounds,
    .forecast = forecast,
    .run = run,
};

/* pem_planned.c - levels, groups, kept prefixes and threshold by the F1 that is expected of them.
 *
 * pem_joint, whose parameters are not fixed numbers: of some hundred plans the one of the largest expected F1 is used,
 * for the wanted number of strings, n, epsilon, oracle and alphabet (expected.c), with frequencies by Zipf's law of the
 * exponent `s`. A parameter that is given is kept. The threshold of the last level expects `wrong_last` strings that
 * nobody holds; where nothing can be found little is returned. Prefixes that many rare strings share are not expected;
 * as these are many under flat laws, no plan keeps fewer than 64 prefixes. pem_joint, which keeps 200, finds a little
 * more there.
 *
 * Source: this project. Cost: that of the search, and some ten milliseconds once. */
#include "searches/expected.h"

#include <math.h>
#include <string.h>

enum { GROWTH = PREFIX_OWN, WRONG_LAST, EXPONENT };

static const struct ldp_param params[] = {
    [PREFIX_FIRST] = {"first", LDP_INTEGER, NAN, 1, SEARCH_LENGTH_MAX, NULL,
                      "symbols of the first level; default: by the plan"},
    [PREFIX_STEP] = {"step", LDP_INTEGER, NAN, 1, SEARCH_LENGTH_MAX, NULL,
                     "symbols from a level to the next; default: by the plan"},
    [PREFIX_KEEP] = {"keep", LDP_INTEGER, NAN, 1, 0x1p20, NULL,
                     "largest number of prefixes kept at each level; default: by the plan"},
    [PREFIX_PAD] = SEARCH_PARAM_PAD,
    [PREFIX_MOST] = {"return", LDP_INTEGER, 10, 1, 10000, NULL,
                     "number of strings that are wanted, and returned at most"},
    [GROWTH] = {"growth", LDP_REAL, NAN, 0.01, 100, NULL,
                "users of a level over those of the level before; default: by the plan"},
    [WRONG_LAST] = {"wrong_last", LDP_REAL, NAN, 0, 0x1p20, NULL,
                    "expected number of returned strings that nobody holds; default: by the plan"},
    [EXPONENT] = {"s", LDP_REAL, 1, 0, 10, NULL, "exponent of the law that is expected"},
    {.name = NULL},
};

static const struct prefix_variant variant = {
    .standard = 64, .growth = GROWTH, .wrong_last = WRONG_LAST, .isotone = true};

/* ---- the plan ---- */

static const double growths[] = {1, 1.5, 2}, keeps[] = {64, 128, 256, 512}, wrongs[] = {0.1, 0.5, 1, 3},
                    firsts[] = {1, 0.9, 0.75} /* of the most symbols that can be asked at once */;
enum { GROWTHS = 3, KEEPS = 4, WRONGS = 4, FIRSTS = 3, STEPS = 4 };

struct best {
    double param[LDP_PARAMS_MAX], f1;
};

/* Tries a plan; what the caller gave stays. */
static void try_plan(const struct ldp_search_input *input, const double *given, const double *param, struct best *best)
{
    double all[LDP_PARAMS_MAX];
    struct ldp_reason reason;
    struct ldp_search_forecast forecast;

    memcpy(all, param, sizeof all);
    for (size_t i = 0; params[i].name; i++)
        if (!isnan(given[i]))
            all[i] = given[i];
    if (all[PREFIX_KEEP] < all[PREFIX_MOST] || prefix_variant_configure(&variant, input, all, &reason) != LDP_OK)
        return;
    struct prefix_plan plan = prefix_variant_plan(&variant, input, all);
    const bool is_given = !isnan(given[WRONG_LAST]);
    for (unsigned i = 1; i < plan.levels; i++)
        if ((double)plan.keep * (double)search_ways(input->strings, plan.length[i] - plan.length[i - 1], plan.pad) >
            PREFIX_AFFORDABLE)
            return;
    if (prefix_expected(&plan, input, all[EXPONENT], is_given ? &given[WRONG_LAST] : wrongs, is_given ? 1 : WRONGS,
                        &forecast) &&
        forecast.f1 > best->f1) {
        all[WRONG_LAST] = plan.wrong_last;
        memcpy(best->param, all, sizeof all);
        best->f1 = forecast.f1;
    }
}

static void try_levels(const struct ldp_search_input *input, const double *given, double *param, struct best *best)
{
    for (size_t k = 0; k < KEEPS; k++)
        for (size_t g = 0; g < GROWTHS; g++) {
            param[PREFIX_KEEP] = fmax(keeps[k], param[PREFIX_MOST]);
            param[GROWTH] = growths[g];
            try_plan(input, given, param, best);
        }
}

static enum ldp_status configure(const struct ldp_search_input *input, double *param, struct ldp_reason *reason)
{
    const unsigned length = input->strings->length,
                   most = prefix_affordable(input->strings, 1, length, param[PREFIX_PAD] != 0);
    struct best best = {.f1 = -1};
    double trial[LDP_PARAMS_MAX], last_first = 0;

    memcpy(trial, param, sizeof trial);
    bool is_open = false;
    for (size_t i = 0; params[i].name; i++)
        is_open |= isnan(param[i]);
    for (size_t f = 0; is_open && f < FIRSTS; f++) {
        trial[PREFIX_FIRST] = ceil(firsts[f] * most);
        if (trial[PREFIX_FIRST] == last_first)
            continue;
        last_first = trial[PREFIX_FIRST];
        double last_step = 0;
        for (unsigned steps = 1; steps <= STEPS; steps++) {
            const double left = length - trial[PREFIX_FIRST];
            trial[PREFIX_STEP] = fmax(1, ceil(left / steps));
            if (trial[PREFIX_STEP] != last_step)
                try_levels(input, param, trial, &best);
            last_step = trial[PREFIX_STEP];
        }
    }
    if (best.f1 >= 0)
        memcpy(param, best.param, sizeof best.param);
    param[GROWTH] = isnan(param[GROWTH]) ? 1.25 : param[GROWTH];
    param[WRONG_LAST] = isnan(param[WRONG_LAST]) ? 1 : param[WRONG_LAST];
    return prefix_variant_configure(&variant, input, param, reason);
}

static void forecast(const struct ldp_search_input *input, const double *param, struct ldp_search_forecast *out)
{
    struct prefix_plan plan = prefix_variant_plan(&variant, input, param);
    const double s = param[EXPONENT], wrong = param[WRONG_LAST];
    struct ldp_search_forecast flat, steep;

    if (prefix_expected(&plan, input, fmax(0, s - LDP_FORECAST_AWAY), &wrong, 1, &flat) &&
        prefix_expected(&plan, input, s + LDP_FORECAST_AWAY, &wrong, 1, &steep) &&
        prefix_expected(&plan, input, s, &wrong, 1, out)) {
        out->exponent = s;
        out->f1_flat = flat.f1;
        out->f1_steep = steep.f1;
    }
}

PREFIX_VARIANT_RUNS(variant)

const struct ldp_search ldp_search_pem_planned = {
    .name = "pem_planned",
    .title = "Levels, groups and threshold by the expected F1",
    .source = "this project",
    .params = params,
    .is_attackable = true,
    .configure = configure,
    .rounds = rounds,
    .forecast = forecast,
    .run = run,
};

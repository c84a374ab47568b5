/* pem.c - the prefix extending method, and its variants.
 *
 * Users are split into g groups. Each group reports, with the whole epsilon, the prefix of one length: group 0 of start
 * + step symbols, group i of step symbols more than group i - 1, the last group whole strings. The server estimates the
 * candidates of a level and keeps the largest. The candidates are first all prefixes, later all extensions of the kept
 * prefixes. The candidates kept at the last level are the answer, without estimates below 0.
 *
 * Source: Wang, Li, Jha, Locally differentially private heavy hitter identification, IEEE TDSC 2021 (over bits: the
 * first prefix has floor(log2 keep) + 1 bits, groups are equal); Cormode, Maddock, Maple, PVLDB 14, 2021, sec. 5 and 8
 * (over symbols: start 2, step 2, a user's group is drawn). Left open by the papers, and parameters here: how groups
 * are made, whether the pad is searched for (PVLDB does not), how many of the kept strings are returned. Cost:
 * candidates of all levels by counts; O(n) for the groups. */
#include "searches/prefixes.h"

#include <math.h>

enum { START, STEP, KEEP, FIRST, LEAST, GROUPS, PAD, MOST };
enum { STANDARD_KEEP = 20 };
enum { GROUPS_AUTO, GROUPS_CHANCE, GROUPS_EQUAL };

static const char *const groups[] = {"auto", "chance", "equal", NULL};

static const struct ldp_param params[] = {
    [START] = LDP_PARAM_INTEGER("start", NAN, 0, SEARCH_LENGTH_MAX,
                                "the first group reports start + step symbols; default 2, over bits see first"),
    [STEP] = LDP_PARAM_INTEGER("step", NAN, 1, SEARCH_LENGTH_MAX,
                               "symbols from a group to the next; default 2, over bits 1"),
    [KEEP] = LDP_PARAM_INTEGER("keep", NAN, 1, 0x1p20,
                               "prefixes kept at each level; default 20, or all candidates of the first level"),
    [FIRST] = LDP_PARAM_INTEGER(
        "first", NAN, 1, SEARCH_LENGTH_MAX,
        "symbols of the first group, in place of start + step; default over bits floor(log2 keep) + 1"),
    [LEAST] = SEARCH_PARAM_LEAST,
    [GROUPS] = LDP_PARAM_CHOICE(
        "groups", groups, GROUPS_AUTO, GROUPS_EQUAL,
        "chance: a user's group is drawn at random; equal: groups of equal size; auto: equal over bits, else chance"),
    [PAD] = SEARCH_PARAM_PAD,
    [MOST] = SEARCH_PARAM_MOST("kept"),
    {.name = NULL},
};

static bool over_bits(const struct ldp_strings *strings)
{
    return strings->symbols == 2 && !strings->padded;
}

static unsigned log2_floor(double x)
{
    unsigned log = 0;

    while (x >= 2) {
        x /= 2;
        log++;
    }
    return log;
}

static struct prefix_plan plan_of(const struct ldp_search_input *input, const double *param)
{
    struct prefix_plan plan = {.first = isnan(param[START]) ? "first" : "start or step"};
    prefix_levels(&plan, (unsigned)param[FIRST], (unsigned)param[STEP], input->strings->length);
    plan.by_chance = param[GROUPS] == GROUPS_CHANCE;
    plan.keep = (size_t)param[KEEP];
    plan.least = param[LEAST] > 0 ? param[LEAST] : -INFINITY;
    plan.pad = param[PAD] != 0;
    plan.most = (size_t)param[MOST];
    return plan;
}

static enum ldp_status configure(const struct ldp_search *search, const struct ldp_search_input *input, double *param,
                                 struct ldp_reason *reason)
{
    const unsigned length = input->strings->length;
    const bool bits = over_bits(input->strings);

    if (!isnan(param[START]) && !isnan(param[FIRST]))
        return ldp_refuse(reason, "expected start or first, got both");
    if (!isnan(param[START]) && param[START] >= length)
        return ldp_refuse(reason, "start = %g: expected less than the length of the strings, %u", param[START], length);
    if (!isnan(param[FIRST]) && param[FIRST] > length)
        return ldp_refuse(reason, "first = %g: expected at most the length of the strings, %u", param[FIRST], length);
    if (isnan(param[STEP]))
        param[STEP] = bits ? 1 : 2;
    if (isnan(param[FIRST])) {
        param[FIRST] = !isnan(param[START]) ? param[START] + param[STEP]
                       : bits               ? log2_floor(isnan(param[KEEP]) ? STANDARD_KEEP : param[KEEP]) + 1
                                            : 2 + param[STEP];
        if (param[FIRST] > length)
            param[FIRST] = length;
    }
    if (isnan(param[KEEP]))
        param[KEEP] =
            search_standard_keep(search_ways(input->strings, (unsigned)param[FIRST], param[PAD] != 0), STANDARD_KEEP);
    if (param[GROUPS] == GROUPS_AUTO)
        param[GROUPS] = bits ? GROUPS_EQUAL : GROUPS_CHANCE;
    const struct prefix_plan plan = plan_of(input, param);
    return prefix_check(&plan, input, reason);
}

/* A search by prefixes, and how it differs from others. */
#define PEM(id, title_, source_, params_, configure_, ...)                                                             \
    const struct ldp_search ldp_search_##id = {                                                                        \
        .name = #id,                                                                                                   \
        .title = title_,                                                                                               \
        .source = source_,                                                                                             \
        .params = params_,                                                                                             \
        .is_attackable = true,                                                                                         \
        .configure = configure_,                                                                                       \
        .rounds = prefix_variant_rounds,                                                                               \
        .run = prefix_variant_run,                                                                                     \
        .variant = &(const struct prefix_variant){__VA_ARGS__},                                                        \
    }

PEM(pem, "Prefix extending method", "Wang, Li, Jha, IEEE TDSC 2021; PVLDB 2021, sec. 5", params, configure,
    .plan = plan_of);

/* ---- pem_adaptive ----
 *
 * A level keeps the candidates that are significantly above the noise: of C candidates with zero frequency, `wrong` are
 * expected above sigma z(1 - wrong / C), sigma the standard deviation of an estimate of 0. At most `keep` are kept. */

#define WRONG_PARAMS(wrong, wrong_last)                                                                                \
    [wrong] = LDP_PARAM_REAL("wrong", 16, 0, 0x1p20,                                                                   \
                             "expected number of kept candidates a level with zero frequency; 0: keep alone decides"), \
    [wrong_last] = LDP_PARAM_REAL("wrong_last", 1, 0, 0x1p20, "the same for the last level")
#define GROWTH_PARAM(growth)                                                                                           \
    LDP_PARAM_REAL("growth", growth, 0.01, 100, "users of a level over those of the level before")

enum { OWN_1 = PREFIX_OWN, OWN_2, OWN_3 };

static const struct ldp_param adaptive_params[] = {PREFIX_PARAMS(200), WRONG_PARAMS(OWN_1, OWN_2), {.name = NULL}};

PEM(pem_adaptive, "Prefixes kept by the noise",
    "Chadha et al., SaTML 2024 (thresholds by the noise); here for equal groups", adaptive_params,
    prefix_variant_configure, .standard = 200, .wrong = OWN_1, .wrong_last = OWN_2);

/* ---- pem_isotone ----
 *
 * Candidates are kept and returned by the estimates of all levels so far. No string is more frequent than its prefix,
 * so the estimates are replaced by the nearest decreasing sequence, by weighted least squares; its last number is the
 * smallest weighted mean of the last few. A candidate with positive noise at a single level no longer wins. */

static const struct ldp_param isotone_params[] = {PREFIX_PARAMS(40), {.name = NULL}};

PEM(pem_isotone, "Earlier levels' estimates used at later ones",
    "none; Barlow et al., Statistical inference under order restrictions, 1972 (isotonic regression)", isotone_params,
    prefix_variant_configure, .standard = 40, .isotone = true);

/* ---- pem_sized ----
 *
 * Each group has `growth` times the users of the one before: whole strings are rarer than their prefixes, so late
 * levels need more users. */

static const struct ldp_param sized_params[] = {PREFIX_PARAMS(40), [OWN_1] = GROWTH_PARAM(1.5), {.name = NULL}};

PEM(pem_sized, "Groups of different sizes", "none", sized_params, prefix_variant_configure, .standard = 40,
    .growth = OWN_1);

/* ---- pem_joint: pem_adaptive, pem_sized and pem_isotone together ---- */

static const struct ldp_param joint_params[] = {
    PREFIX_PARAMS(200), [OWN_1] = GROWTH_PARAM(1.25), WRONG_PARAMS(OWN_2, OWN_3), {.name = NULL}};

PEM(pem_joint, "Noise threshold, sized groups and all levels' estimates", "none", joint_params,
    prefix_variant_configure, .standard = 200, .growth = OWN_1, .wrong = OWN_2, .wrong_last = OWN_3, .isotone = true);

/* advise_candidates.c - what ldpbench advise tries; see advise.h. */
#include "commands/advise.h"

#include "config/searches.h"
#include "config/synopses.h"
#include "protocol/attack_success.h"
#include "searches/search.h"
#include "strings.h"
#include "support/index_map.h"
#include "support/registry.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 1 << 20, TABLES_MAX = 600 };

/* ---- lists ---- */

static void add_name(cJSON *list, const char *name)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list) if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0) return;
    cJSON_AddItemToArray(list, cJSON_CreateString(name));
}

/* ---- oracles ---- */

double advise_bits(const struct ldp_protocol *protocol)
{
    struct ldp_cost cost = {.report_bits = NAN};

    if (protocol->oracle->cost)
        protocol->oracle->cost(protocol, &cost);
    return cost.report_bits;
}

/* Whether reports are within --bits and --attack-at-most. */
static bool keeps_limits(const struct advise *advise, const struct ldp_protocol *protocol)
{
    const struct ldp_population *const values = advise->dataset ? advise->dataset->population : NULL;
    struct ldp_attack_success attack = {.success = 0};

    if (advise->attack > 0 &&
        ldp_attack_success_of_counts(protocol, values && values->d == protocol->d ? values->counts : NULL, &attack) ==
            LDP_ENOMEM)
        out_of_memory();
    return (!(advise->bits > 0) || advise_bits(protocol) <= advise->bits) && attack.success <= advise->attack;
}

/* Whether an oracle suits d values with the defaults of its parameters. */
static bool prepare(const struct advise *advise, const struct ldp_oracle *oracle, size_t d,
                    struct ldp_protocol *protocol)
{
    struct ldp_oracle_spec spec = {.oracle = oracle};

    ldp_params_default(oracle->params, spec.param);
    return ldp_protocol_init(protocol, &spec, d, advise->epsilon, NULL) == LDP_OK;
}

/* Of the private, unbiased oracles for values without an order, within the limit, the one with the least variance, and
 * within 1 % the one with the shortest reports; fast: among those that searches simulate fast. NULL: there is none. */
static const char *best_oracle(const struct advise *advise, size_t d, bool fast)
{
    const unsigned no = LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_BIASED | LDP_ORACLE_ORDINAL | LDP_ORACLE_SKETCH;
    double least = INFINITY, shortest = INFINITY;
    const char *name = NULL;

    for (size_t i = 0; ldp_oracles[i]; i++) {
        const unsigned flags = ldp_oracles[i]->flags;
        struct ldp_protocol protocol;

        if ((flags & no) || (fast && (flags & LDP_ORACLE_REAL)) || !prepare(advise, ldp_oracles[i], d, &protocol) ||
            (fast && !(protocol.flags & LDP_ORACLE_INDEPENDENT)))
            continue;
        const double variance = protocol.s1 + protocol.tf / (double)d, bits = advise_bits(&protocol);
        if (!(variance < 1.01 * least) || (variance >= 0.99 * least && !(bits < shortest)) ||
            !keeps_limits(advise, &protocol))
            continue;
        name = ldp_oracles[i]->name;
        least = fmin(least, variance);
        shortest = isnan(bits) ? INFINITY : bits;
    }
    return name;
}

/* What is tried where nothing is named: what everybody knows, within the limit of bits, and the best within it; of
 * ordered values all that use the order. */
static void add_usual_oracles(const struct advise *advise, cJSON *list, bool all)
{
    static const char *const usual[] = {"grr", "ss", "olh"};
    const char *const best = all || advise->init.ordered ? NULL : best_oracle(advise, advise->init.most_values, false);

    for (size_t i = 0; ldp_oracles[i]; i++) {
        const unsigned flags = ldp_oracles[i]->flags;
        bool requested = all && !(flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_BIASED | LDP_ORACLE_ORDINAL));
        struct ldp_protocol protocol;

        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            requested |= !advise->init.ordered && strcmp(usual[k], ldp_oracles[i]->name) == 0;
        requested |= advise->init.ordered ? (flags & LDP_ORACLE_ORDINAL) || strcmp(ldp_oracles[i]->name, "oue") == 0
                                          : best && strcmp(best, ldp_oracles[i]->name) == 0;
        if (requested && prepare(advise, ldp_oracles[i], advise->init.most_values, &protocol) &&
            !(protocol.flags & LDP_ORACLE_SKETCH && protocol.support_size >= protocol.d) &&
            keeps_limits(advise, &protocol))
            add_name(list, ldp_oracles[i]->name);
    }
}

#define LIMITS (advise->attack > 0 ? advise->bits > 0 ? "--bits and --attack-at-most" : "--attack-at-most" : "--bits")

/* Refuses oracles that use an order that the values have not, and those beyond the limits. */
static int check_oracles(const struct advise *advise, struct failure *failure)
{
    for (size_t i = 0; i < advise->tried.count; i++) {
        const struct oracle_choice *const one = &advise->tried.choice[i];
        struct ldp_protocol protocol;

        if (one->external)
            continue;
        if (protocol_prepare(&protocol, &one->spec, advise->init.most_values, advise->epsilon, failure) != 0)
            return -1;
        if (protocol.flags & LDP_ORACLE_ORDINAL && !advise->init.ordered)
            return fail(failure, EXIT_BAD_INPUT,
                        "--oracle: %s uses the order of the values: expected a file of numbers, got %s", one->label,
                        SHOWN_PATH(advise->init.data));
        if (!keeps_limits(advise, &protocol))
            return fail(failure, EXIT_BAD_INPUT, "--oracle: %s is beyond %s; its reports have %g bits", one->label,
                        LIMITS, advise_bits(&protocol));
    }
    return advise->tried.count > 0 ? 0
                                   : fail(failure, EXIT_BAD_INPUT, "no oracle meets %s: see ldpbench oracles", LIMITS);
}

int advise_oracles(struct advise *advise, cJSON *config, struct failure *failure)
{
    cJSON *const list = cJSON_CreateArray();
    const enum dataset_kind kind = advise->init.kind;
    bool all = false;

    cJSON_ReplaceItemInObject(config, "oracles", list);
    if (elements_add(list, "--oracle", &advise->oracles, &oracle_kind, &all, failure) != 0)
        return -1;
    const bool none = cJSON_GetArraySize(list) == 0;
    if (none && !all && advise->supports && element_add(list, "--supports", advise->supports, &oracle_kind, failure))
        return -1;
    if (all || (none && !advise->supports && kind == DATASET_COUNTS))
        add_usual_oracles(advise, list, all);
    if (cJSON_GetArraySize(list) == 0 && kind == DATASET_RECORDS)
        add_name(list, "adaptive");
    const bool strings = cJSON_GetArraySize(list) == 0 && kind == DATASET_STRINGS;
    const char *const best = strings ? best_oracle(advise, MANY, true) : NULL;
    if (best)
        add_name(list, best);
    if (elements_read("--oracle", list, &oracle_kind, &advise->tried.list, failure) != 0)
        return -1;
    return kind == DATASET_RECORDS || (none && !all && advise->supports) ? 0 : check_oracles(advise, failure);
}

/* ---- methods ---- */

/* Whether a method suits one of the oracles. */
static bool suits(const struct advise *advise, const struct ldp_method *method)
{
    bool any = false;

    for (size_t i = 0; i < advise->tried.count; i++) {
        const struct oracle_choice *const one = &advise->tried.choice[i];
        struct ldp_protocol protocol;
        any |= one->external ||
               (ldp_protocol_init(&protocol, &one->spec, advise->init.most_values, advise->epsilon, NULL) == LDP_OK &&
                ldp_method_suits(method, &protocol));
    }
    return any;
}

/* Those that were named, or all that suit: then also mix, and for each list of the most frequent the method that is
 * made for it. */
int advise_methods(struct advise *advise, cJSON *config, struct failure *failure)
{
    cJSON *const list = cJSON_CreateArray();
    const cJSON *query, *k;
    bool all = false, named = false;

    cJSON_ReplaceItemInObject(config, "methods", list);
    for (size_t i = 0; i < advise->methods.count; i++)
        named |= !is_own_method(advise->methods.text[i]);
    if (elements_add(list, "--method", &advise->methods, &method_kind, &all, failure) != 0)
        return -1;
    if (named && !all)
        return 0;
    for (size_t i = 0; ldp_methods[i]; i++)
        if (!(ldp_methods[i]->guarantees & LDP_NOT_IN_ALL) && suits(advise, ldp_methods[i]))
            add_name(list, ldp_methods[i]->name);
    if (!suits(advise, ldp_method_find("mix")))
        return 0;
    add_name(list, "mix");
    cJSON_ArrayForEach(query, cJSON_GetObjectItem(config, "queries"))
    {
        const char *const type = cJSON_GetStringValue(cJSON_GetObjectItem(query, "type"));
        cJSON_ArrayForEach(k, cJSON_GetObjectItem(query, "k")) if (type && strcmp(type, "top_k") == 0 &&
                                                                   k->valuedouble >= 1 &&
                                                                   k->valuedouble == floor(k->valuedouble))
            json_add(json_append(list), "name=%s k=%g", "mix_top", k->valuedouble);
    }
    return 0;
}

/* ---- protocols and synopses ---- */

/* An object of name, label and the parameters that are not the default. */
static void add_candidate(cJSON *list, const char *name, const struct ldp_param *params, const double *value)
{
    char *const label = algorithm_text(name, params, value, false);
    cJSON *const one = json_append(list);
    double fallback[LDP_PARAMS_MAX];

    ldp_params_default(params, fallback);
    json_add(one, "name=%s label=%s", name, label);
    for (size_t i = 0; params && params[i].name; i++)
        if (!isnan(value[i]) && value[i] != fallback[i])
            json_add(one, "%s=%g", params[i].name, value[i]);
    free(label);
}

/* Sets a parameter; false: there is none of that name. */
static bool set_param(const struct ldp_param *params, const char *name, double value, double *param)
{
    for (; params && params->name; params++, param++)
        if (strcmp(params->name, name) == 0) {
            *param = value;
            return true;
        }
    return false;
}

/* A protocol with its default step and all of which two make 2^21 candidates at most, as many kept prefixes as one to
 * four times the target, and an answer of the target's size. Those with equal configs are one. */
static void add_protocol(double top, const struct ldp_search_input *input, const struct ldp_search *search,
                         struct interned *known, cJSON *list)
{
    const double symbols = (double)input->strings->searched;

    for (unsigned s = 0; s <= input->strings->length && (s < 2 || pow(symbols, 2.0 * s) <= 0x1p21) && s < 22; s++)
        for (unsigned times = 0; times <= 4; times++) {
            struct ldp_search_spec spec = {.search = search}, configured;
            const size_t before = known->count;
            ldp_params_default(search->params, spec.param);
            set_param(search->params, "return", top, spec.param);
            if ((s > 0 && !set_param(search->params, "step", s, spec.param)) ||
                (times > 0 && !set_param(search->params, "keep", times * top, spec.param)) ||
                ldp_search_configure(&spec, input, &configured, NULL) != LDP_OK)
                continue;
            char *const text = algorithm_text(search->name, search->params, configured.param, true);
            intern(known, text);
            free(text);
            if (known->count > before)
                add_candidate(list, search->name, search->params, spec.param);
        }
}

int advise_protocols(struct advise *advise, cJSON *config, struct failure *failure)
{
    cJSON *const list = cJSON_CreateArray(), *const named = cJSON_CreateArray(), *item;
    const struct ldp_search_input input = {.strings = &advise->dataset->strings->strings,
                                           .histogram = advise->dataset->population->histogram,
                                           .oracle = &advise->tried.choice[0].spec,
                                           .epsilon = advise->epsilon,
                                           .mode = LDP_COUNTS};
    struct interned known = {0};
    bool all = false;

    cJSON_ReplaceItemInObject(config, "protocols", list);
    int result = elements_add(named, "--protocol", &advise->protocols, &search_kind, &all, failure);
    all |= !named->child;
    for (size_t s = 0; all && ldp_searches[s]; s++)
        add_name(named, ldp_searches[s]->name);
    cJSON_ArrayForEach(item, named)
    {
        if (cJSON_IsObject(item))
            cJSON_AddItemToArray(list, cJSON_Duplicate(item, true));
        else if (result == 0)
            add_protocol((double)advise->top, &input, ldp_search_find(item->valuestring), &known, list);
    }
    if (result == 0 && !list->child)
        result = fail(failure, EXIT_BAD_INPUT, "advise: no protocol suits these strings");
    interned_clear(&known);
    cJSON_Delete(named);
    return result;
}

static double choose(double n, double k)
{
    double result = 1;

    for (double i = 1; i <= k; i++)
        result *= (n - k + i) / i;
    return floor(result + 0.5);
}

/* Adds a synopsis that suits all of the oracles. */
static void add_suiting(const struct ldp_synopsis_spec *spec, const struct oracle_list *oracles,
                        struct ldp_workload *workload, cJSON *list)
{
    for (size_t i = 0; i < oracles->count; i++) {
        void *state = NULL;
        workload->oracle = &oracles->choice[i].spec;
        if (ldp_synopsis_open(spec, workload, &state, NULL) != LDP_OK)
            return;
        ldp_synopsis_close(state);
    }
    add_candidate(list, spec->synopsis->name, spec->synopsis->params, spec->param);
}

/* Each synopsis as it is, and those on tables with as many of l attributes as cover all pairs, three times as many, and
 * all; not if they have so many cells that nearly all is noise. */
static void add_synopsis(const struct ldp_synopsis *synopsis, const struct oracle_list *oracles,
                         struct ldp_workload *workload, cJSON *list)
{
    enum { CELLS_OF_USER = 16 };
    const double d = (double)workload->records->d,
                 pair = (double)workload->first[workload->nsets] / (double)workload->nsets;
    struct ldp_synopsis_spec spec = {.synopsis = synopsis};

    ldp_params_default(synopsis->params, spec.param);
    add_suiting(&spec, oracles, workload, list);
    for (double l = 2; synopsis->takes_sets && l <= 4 && l < d; l++) {
        if (l > 2 && pow(pair, l / 2) > CELLS_OF_USER * (double)workload->records->n)
            break;
        const double most = choose(d, l), cover = ceil(1.3 * choose(d, 2) / choose(l, 2));
        const double tables[] = {cover, 3 * cover, most};
        for (size_t i = 0; i < 3; i++) {
            if (tables[i] > most || tables[i] > TABLES_MAX || (i < 2 && tables[i] == most))
                continue;
            spec.param[0] = tables[i];
            spec.param[1] = l;
            add_suiting(&spec, oracles, workload, list);
        }
    }
}

int advise_synopses(struct advise *advise, cJSON *config, struct failure *failure)
{
    cJSON *const list = cJSON_CreateArray(), *const named = cJSON_CreateArray(), *item;
    const struct ldp_records *const records = advise->dataset->records->records;
    double k[] = {fmin(2, (double)records->d)};
    const struct requested_marginals pairs = {.count = 50, .k = {.values = k, .count = 1}};
    struct attribute_sets sets = {0};
    bool all = false;

    cJSON_ReplaceItemInObject(config, "synopses", list);
    int result = elements_add(named, "--synopsis", &advise->synopses, &synopsis_kind, &all, failure);
    if (result == 0)
        result = requested_bind(&pairs, advise->dataset, advise->seed, &sets, failure);
    size_t *const first = xcalloc(sets.count + 1, sizeof *first);
    for (size_t i = 0; i < sets.count; i++)
        first[i + 1] = first[i] + (size_t)ldp_set_cells(&sets.set[i], records->cardinality);
    struct ldp_workload workload = {.records = records,
                                    .epsilon = advise->epsilon,
                                    .mode = LDP_COUNTS,
                                    .sets = sets.set,
                                    .nsets = sets.count,
                                    .first = first};
    all |= !named->child;
    for (size_t s = 0; all && ldp_synopses[s]; s++)
        if (!ldp_synopses[s]->is_slow && !ldp_synopses[s]->is_apart)
            add_name(named, ldp_synopses[s]->name);
    cJSON_ArrayForEach(item, named)
    {
        if (cJSON_IsObject(item))
            cJSON_AddItemToArray(list, cJSON_Duplicate(item, true));
        else if (result == 0)
            add_synopsis(ldp_synopsis_find(item->valuestring), &advise->tried, &workload, list);
    }
    if (result == 0 && !list->child)
        result = fail(failure, EXIT_BAD_INPUT, "advise: no synopsis suits these records");
    free(first);
    free(sets.set);
    cJSON_Delete(named);
    return result;
}

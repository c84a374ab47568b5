/* recommend_search_print.c - what a race of protocols says, as text, Markdown or JSON. */
#include "commands/recommend_search.h"

#include "strings.h"
#include "support/numbers.h"
#include "support/registry.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

static const char *oracle_of(const struct search_advice *advice, const struct racer *racer)
{
    return advice->request->chosen.oracles[racer->oracle].oracle->name;
}

/* ---- Oracles beside the one of the winner ---- */

/* What another oracle costs in the rounds of the winner, and its noise over the winner's. */
struct beside {
    const char *name;
    double noise, bits, operations;
};

static bool is_shown(const struct ldp_oracle *oracle)
{
    return !(oracle->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_SKETCH)) && oracle->cost;
}

/* Adds a round: the variance of an estimate there, the bits of a user (nobody else is asked), the server's operations.
 * What users hold besides candidates is one value for all oracles but sketches. */
static bool add_round(const struct search_advice *advice, const struct ldp_oracle_spec *spec,
                      const struct ldp_search_round_size *round, struct beside *sum)
{
    const double users = (double)advice->dataset->population->n, d = round->candidates + fmin(round->others, 1);
    struct ldp_protocol protocol;
    struct ldp_cost cost;

    if (ldp_protocol_init(&protocol, spec, (size_t)fmax(d, 2), round->epsilon, NULL) != LDP_OK ||
        !protocol.oracle->cost)
        return false;
    protocol.oracle->cost(&protocol, &cost);
    sum->noise += round->users > 0 ? protocol.s1 / round->users : 0;
    sum->bits += cost.report_bits * (round->users / users);
    sum->operations += round->users * cost.report_operations + cost.collection_operations;
    return true;
}

/* Bits and operations are means over the winner's repetitions, whose candidates and groups of users these are. */
static bool look_at(const struct search_advice *advice, const struct ldp_oracle_spec *spec, struct beside *out)
{
    const double trials = (double)advice->race.trials;

    *out = (struct beside){.name = spec->oracle->name};
    for (size_t r = 0; r < advice->race.trials; r++) {
        const struct race_rounds *rounds = &advice->race.winner.rounds[r];
        for (size_t i = 0; i < rounds->count; i++)
            if (!add_round(advice, spec, &rounds->round[i], out))
                return false;
    }
    out->noise = sqrt(out->noise);
    out->bits /= trials;
    out->operations /= trials;
    return true;
}

/* The next private oracle of the registry from *place on, with the parameters of the winner if it is the winner's; or
 * false. */
static bool next_beside(const struct search_advice *advice, size_t *place, struct beside *out)
{
    const struct ldp_oracle_spec *mine = &advice->request->chosen.oracles[advice->race.racer[0].oracle];
    struct beside own;

    if (!look_at(advice, mine, &own))
        return false;
    while (ldp_oracles[*place]) {
        struct ldp_oracle_spec spec = {.oracle = ldp_oracles[(*place)++]};

        ldp_params_default(spec.oracle->params, spec.param);
        if (is_shown(spec.oracle) && look_at(advice, spec.oracle == mine->oracle ? mine : &spec, out)) {
            out->noise /= own.noise;
            return true;
        }
    }
    return false;
}

/* ---- Text and Markdown ---- */

static void print_heading(const struct search_advice *advice)
{
    const struct search_request *const request = advice->request;
    const struct ldp_strings *const strings = &advice->dataset->strings->strings;
    const struct ldp_population *const population = advice->dataset->population;
    const bool markdown = request->format == MARKDOWN;

    printf("%s%s%s: d = %zu, n = %llu, %u %s", markdown ? "## Settings\n\n" : "", advice->stand_in ? "stand-in " : "",
           advice->dataset->name, population->d, (unsigned long long)population->n, strings->length,
           advice->dataset->strings->bits ? "bits" : "symbols");
    if (!advice->dataset->strings->bits)
        printf(" of %u", strings->searched - strings->padded);
    printf(", epsilon = %g; ", request->epsilon);
    if (request->target.top > 0)
        printf(advice->dataset->strings->cut_users > 0 ? "the %zu most frequent prefixes"
                                                       : "the %zu most frequent strings",
               request->target.top);
    else
        printf("the %zu strings of a frequency of at least %g", ldp_target_size(&request->target, population),
               request->target.threshold);
    printf("\n%s%zu protocols in %zu simulated searches, seed %llu\n", markdown ? "\n" : "", advice->race.count,
           advice->race.searches, request->seed);
    printf("%s~: not significantly different from the best (level %g, Holm)\n", markdown ? "\n" : "", race_level);
}

/* The measures of the ranking beside the one that ranks. */
static const size_t cost[] = {SEARCH_CANDIDATES, SEARCH_REPORT_BITS};
enum { COSTS = sizeof cost / sizeof *cost };

static void print_ranking_head(bool markdown, bool many)
{
    const char *const ranks = search_measures[SEARCH_RANKED_BY].axis;

    if (markdown)
        printf("\n| protocol |%s %s | s.e. | below the best |", many ? " oracle |" : "", ranks);
    else
        printf("\n  %-48s %s%-7s %-7s %-15s", "protocol", many ? "oracle       " : "", ranks, "s.e.", "below the best");
    for (size_t i = 0; i < COSTS; i++)
        printf(markdown ? " %s |" : " %-11s", search_measures[cost[i]].axis);
    printf(markdown ? "\n|---|%s---:|---:|---:|" : "\n", many ? "---|" : "");
    for (size_t i = 0; markdown && i < COSTS; i++)
        printf("---:|%s", i + 1 < COSTS ? "" : "\n");
}

static void print_ranking(const struct search_advice *advice)
{
    const bool markdown = advice->request->format == MARKDOWN, many = advice->request->chosen.noracles > 1;
    const size_t trials = (size_t)advice->request->trials;

    print_ranking_head(markdown, many);
    for (size_t i = 0; i < advice->race.nfinal; i++) {
        const struct racer *const racer = &advice->race.racer[i];
        char below[32] = "best";

        if (i > 0)
            snprintf(below, sizeof below, "%.3f%s", advice->race.racer[0].ranking.mean - racer->ranking.mean,
                     racer->apart ? "" : " ~");
        if (markdown)
            printf("| %s |%s%s%s %.3f | %.3f | %s |", racer->label, many ? " " : "",
                   many ? oracle_of(advice, racer) : "", many ? " |" : "", racer->ranking.mean,
                   sample_error(&racer->ranking), below);
        else
            printf("  %-48s %-*s%s%-7.3f %-7.3f %-15s", racer->label, many ? 12 : 0,
                   many ? oracle_of(advice, racer) : "", many ? " " : "", racer->ranking.mean,
                   sample_error(&racer->ranking), below);
        for (size_t c = 0; c < COSTS; c++)
            printf(markdown ? " %.4g |" : " %-11.4g", summarise(racer->value + cost[c] * trials, trials).mean);
        putchar('\n');
    }
}

static void print_choice(const struct search_advice *advice)
{
    const bool markdown = advice->request->format == MARKDOWN;
    const struct race_winner *const winner = &advice->race.winner;
    const struct racer *const racer = &advice->race.racer[0];

    printf(markdown ? "\n## Expected\n\n%s with %s\n\n| expected | mean | s.e. |\n|---|---:|---:|\n"
                    : "\nExpected of %s with %s\n",
           racer->label, oracle_of(advice, racer));
    for (size_t m = 0; m < SEARCH_MEASURES; m++)
        if (!isnan(winner->measure[m].mean)) {
            const struct summary *const measure = &winner->measure[m];
            char mean[NUMBER_TEXT], error[NUMBER_TEXT];

            printf(markdown ? "| %s | %s | %s |\n" : "  %-78s %-11s (s.e. %s)\n", search_measures[m].title,
                   format_measured(measure->mean, measure->stderr_, mean), format_error(measure->stderr_, error));
        }
    if (!isnan(winner->server_seconds))
        printf("%s%.3g seconds of the server and %.3g of all clients (one processor, from %llu users)\n",
               markdown ? "\n" : "  ", winner->server_seconds, winner->client_seconds,
               (unsigned long long)winner->asked);
}

static void print_beside(const struct search_advice *advice)
{
    const bool markdown = advice->request->format == MARKDOWN;

    printf(markdown ? "\n## Oracles for it\n\n" : "\nOracles for it (noise: standard deviation over that of %s)\n",
           oracle_of(advice, &advice->race.racer[0]));
    if (markdown)
        printf("| oracle | standard deviation over that of %s | bits a report | server's operations |\n"
               "|---|---:|---:|---:|\n",
               oracle_of(advice, &advice->race.racer[0]));
    else
        printf("  %-12s %-8s %-12s %s\n", "oracle", "noise", "bits", "operations");
    struct beside beside;
    for (size_t place = 0; next_beside(advice, &place, &beside);)
        printf(markdown ? "| %s | %.3f | %.4g | %.3g |\n" : "  %-12s %-8.3f %-12.4g %.3g\n", beside.name, beside.noise,
               beside.bits, beside.operations);
}

/* ---- JSON ---- */

static void add_protocol(cJSON *object, const struct ldp_search_spec *spec)
{
    cJSON *const protocol = cJSON_AddObjectToObject(object, "protocol");
    const struct ldp_param *const params = spec->search->params;
    double fallback[LDP_PARAMS_MAX];

    ldp_params_default(params, fallback);
    cJSON_AddStringToObject(protocol, "name", spec->search->name);
    for (size_t i = 0; params && params[i].name; i++)
        if (spec->param[i] != fallback[i] && !isnan(spec->param[i]))
            cJSON_AddNumberToObject(protocol, params[i].name, spec->param[i]);
}

static void add_oracles(const struct search_advice *advice, cJSON *root)
{
    cJSON *const list = cJSON_AddArrayToObject(root, "oracles");
    struct beside beside;

    for (size_t place = 0; next_beside(advice, &place, &beside);) {
        cJSON *const oracle = cJSON_CreateObject();

        cJSON_AddStringToObject(oracle, "oracle", beside.name);
        cJSON_AddNumberToObject(oracle, "noise_ratio", beside.noise);
        cJSON_AddNumberToObject(oracle, "report_bits", beside.bits);
        cJSON_AddNumberToObject(oracle, "server_operations", beside.operations);
        cJSON_AddItemToArray(list, oracle);
    }
}

static void add_ranking(const struct search_advice *advice, cJSON *root)
{
    cJSON *const list = cJSON_AddArrayToObject(root, "ranking");

    for (size_t i = 0; i < advice->race.nfinal; i++) {
        const struct racer *const racer = &advice->race.racer[i];
        cJSON *const row = cJSON_CreateObject();

        add_protocol(row, &racer->spec);
        cJSON_AddStringToObject(row, "oracle", oracle_of(advice, racer));
        cJSON_AddNumberToObject(row, search_measures[SEARCH_RANKED_BY].name, racer->ranking.mean);
        cJSON_AddNumberToObject(row, "stderr", sample_error(&racer->ranking));
        cJSON_AddNumberToObject(row, "adjusted_p", i > 0 ? racer->from_the_best.adjusted : 1);
        cJSON_AddBoolToObject(row, "significantly_different", racer->apart);
        cJSON_AddItemToArray(list, row);
    }
}

/* Each measure of the winner with its standard error. */
static void add_expected(const struct search_advice *advice, cJSON *best)
{
    for (size_t m = 0; m < SEARCH_MEASURES; m++) {
        const struct summary *const measure = &advice->race.winner.measure[m];
        char error[64];

        snprintf(error, sizeof error, "%s_stderr", search_measures[m].name);
        cJSON_AddNumberToObject(best, search_measures[m].name, measure->mean);
        cJSON_AddNumberToObject(best, error, measure->stderr_);
    }
}

static int print_json(const struct search_advice *advice, struct failure *failure)
{
    const struct search_request *const request = advice->request;
    const struct race_winner *const winner = &advice->race.winner;
    cJSON *const root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "data", advice->dataset->name);
    cJSON_AddBoolToObject(root, "stand_in", advice->stand_in);
    cJSON_AddNumberToObject(root, "d", (double)advice->dataset->population->d);
    cJSON_AddNumberToObject(root, "n", (double)advice->dataset->population->n);
    cJSON_AddNumberToObject(root, "epsilon", request->epsilon);
    if (request->target.top > 0)
        cJSON_AddNumberToObject(root, "top", (double)request->target.top);
    else
        cJSON_AddNumberToObject(root, "threshold", request->target.threshold);
    cJSON_AddNumberToObject(root, "trials", (double)request->trials);
    cJSON_AddNumberToObject(root, "seed", (double)request->seed);
    cJSON_AddNumberToObject(root, "level", race_level);
    cJSON_AddNumberToObject(root, "searches", (double)advice->race.searches);
    add_ranking(advice, root);

    cJSON *const best = cJSON_AddObjectToObject(root, "recommended");

    add_protocol(best, &advice->race.racer[0].spec);
    cJSON_AddStringToObject(best, "oracle", oracle_of(advice, &advice->race.racer[0]));
    add_expected(advice, best);
    if (!isnan(winner->server_seconds)) {
        cJSON_AddNumberToObject(best, "server_seconds", winner->server_seconds);
        cJSON_AddNumberToObject(best, "client_seconds", winner->client_seconds);
        cJSON_AddNumberToObject(best, "timed_users", (double)winner->asked);
    }
    add_oracles(advice, root);
    return print_tree(root, failure);
}

/* The answer, before how it was found. */
static void print_answer(const struct search_advice *advice)
{
    const bool markdown = advice->request->format == MARKDOWN;
    const struct racer *const racer = advice->race.racer;
    const struct summary *const measure = &advice->race.winner.measure[SEARCH_RANKED_BY];
    char mean[NUMBER_TEXT], error[NUMBER_TEXT];
    size_t tied = 0;

    printf("%sRecommended: %s with %s, %s %s (s.e. %s)\n", markdown ? "# " : "", racer->label, oracle_of(advice, racer),
           search_measures[SEARCH_RANKED_BY].axis, format_measured(measure->mean, measure->stderr_, mean),
           format_error(measure->stderr_, error));
    for (size_t i = 1; i < advice->race.nfinal; i++)
        if (!racer[i].apart)
            printf("%s%s with %s",
                   tied++     ? ", "
                   : markdown ? "\nNot significantly different: "
                              : "Not significantly different: ",
                   racer[i].label, oracle_of(advice, &racer[i]));
    printf("%s\n", tied > 0 ? ".\n" : "");
}

int print_search_advice(const struct search_advice *advice, struct failure *failure)
{
    if (advice->request->format == JSON)
        return print_json(advice, failure);
    print_answer(advice);
    print_heading(advice);
    print_ranking(advice);
    print_choice(advice);
    print_beside(advice);
    return 0;
}

/* recommend_search_print.c - what a race of protocols says, as text, Markdown or JSON. */
#include "commands/recommend_search.h"

#include "strings.h"
#include "support/document.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

static const char *oracle_of(const struct search_advice *advice, const struct racer *racer)
{
    return advice->request->chosen.oracles[racer->oracle].oracle->name;
}

/* ---- Oracles beside the one of the winner ---- */

/* Costs of another oracle in the rounds of the winner, and its noise relative to the winner's. */
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

/* ---- What could be found at best ---- */

/* The next protocol from *place on that plans, and what it expects of the winner's oracle if it knows the frequencies;
 * or false. */
static bool next_planner(const struct search_advice *advice, size_t *place, struct ldp_search_spec *spec,
                         struct ldp_search_forecast *forecast)
{
    const struct search_request *const request = advice->request;
    const struct ldp_search_input input = {.strings = &advice->dataset->strings->strings,
                                           .histogram = advice->dataset->population->histogram,
                                           .oracle = &request->chosen.oracles[advice->race.racer[0].oracle],
                                           .epsilon = request->epsilon,
                                           .mode = LDP_COUNTS};

    while (ldp_searches[*place]) {
        *spec = race_spec(ldp_searches[(*place)++], &request->target, advice->dataset->population);
        if (spec->search->forecast && ldp_search_expect(spec, &input, forecast, NULL) == LDP_OK)
            return true;
    }
    return false;
}

/* ---- Text and Markdown ---- */

/* The answer, before how it was found. */
static void write_answer(struct document *doc, const struct search_advice *advice)
{
    const struct racer *const racer = advice->race.racer;
    const struct summary *const measure = &advice->race.winner.measure[SEARCH_RANKED_BY];
    char mean[NUMBER_TEXT], error[NUMBER_TEXT];
    struct buffer tied = {0};

    doc_heading(doc, 1, "Recommended: %s with %s, %s %s (s.e. %s)", racer->label, oracle_of(advice, racer),
                search_measures[SEARCH_RANKED_BY].axis, format_measured(measure->mean, measure->stderr_, mean),
                format_error(measure->stderr_, error));
    for (size_t i = 1; i < advice->race.nfinal; i++)
        if (!racer[i].apart)
            buffer_format(&tied, "%s%s with %s", tied.length > 0 ? ", " : "", racer[i].label,
                          oracle_of(advice, &racer[i]));
    if (tied.length > 0)
        doc_paragraph(doc, "Not significantly different: %s.", tied.text);
    buffer_clear(&tied);
    struct ldp_search_spec planner;
    struct ldp_search_forecast forecast;
    for (size_t place = 0; next_planner(advice, &place, &planner, &forecast);) {
        char *const expected = search_expectation(&forecast);
        doc_paragraph(doc, "%s with %s, %s.", planner.search->name, oracle_of(advice, racer), expected);
        free(expected);
    }
}

static void write_settings(struct document *doc, const struct search_advice *advice)
{
    const struct search_request *const request = advice->request;
    const struct dataset_strings *const strings = advice->dataset->strings;
    const struct ldp_population *const population = advice->dataset->population;
    struct buffer text = {0};

    buffer_format(&text, "%s%s: d = %zu, n = %llu, %u %s", advice->stand_in ? "stand-in " : "", advice->dataset->name,
                  population->d, (unsigned long long)population->n, strings->strings.length,
                  strings->bits ? "bits" : "symbols");
    if (!strings->bits)
        buffer_format(&text, " of %u", strings->strings.searched - strings->strings.padded);
    buffer_format(&text, ", epsilon = %g; the ", request->epsilon);
    if (request->target.top > 0)
        buffer_format(&text, "%zu most frequent %s", request->target.top,
                      strings->cut_users > 0 ? "prefixes" : "strings");
    else
        buffer_format(&text, "%zu strings of a frequency of at least %g", ldp_target_size(&request->target, population),
                      request->target.threshold);
    doc_part(doc, "Settings");
    doc_paragraph(doc, "%s", text.text);
    doc_paragraph(doc, "%zu protocols in %zu simulated searches, seed %llu", advice->race.count, advice->race.searches,
                  request->seed);
    doc_paragraph(doc, "~: not significantly different from the best (level %g, Holm)", race_level);
    buffer_clear(&text);
}

static void write_ranking(struct document *doc, const struct search_advice *advice)
{
    static const size_t cost[] = {SEARCH_CANDIDATES, SEARCH_REPORT_BITS};
    const char *const ranks = search_measures[SEARCH_RANKED_BY].axis,
                      *const oracle = advice->request->chosen.noracles > 1 ? "oracle" : NULL,
                      *const candidates = search_measures[cost[0]].axis, *const bits = search_measures[cost[1]].axis;
    const struct column columns[] = {{"protocol", "protocol", -48, false},
                                     {oracle, oracle, -12, false},
                                     {ranks, ranks, -7, true},
                                     {"s.e.", "s.e.", -7, true},
                                     {"below the best", "below the best", -15, true},
                                     {candidates, candidates, -11, true},
                                     {bits, bits, -11, true}};
    const size_t trials = (size_t)advice->request->trials;

    doc_table(doc, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < advice->race.nfinal; i++) {
        const struct racer *const racer = &advice->race.racer[i];

        doc_cell(doc, "%s", racer->label);
        doc_cell(doc, "%s", oracle_of(advice, racer));
        doc_cell(doc, "%.3f", racer->ranking.mean);
        doc_cell(doc, "%.3f", sample_error(&racer->ranking));
        if (i == 0)
            doc_cell(doc, "best");
        else
            doc_cell(doc, "%.3f%s", advice->race.racer[0].ranking.mean - racer->ranking.mean, racer->apart ? "" : " ~");
        for (size_t c = 0; c < sizeof cost / sizeof *cost; c++)
            doc_cell(doc, "%.4g", summarise(racer->value + cost[c] * trials, trials).mean);
    }
}

static void write_expected(struct document *doc, const struct search_advice *advice)
{
    static const struct column columns[] = {
        {"expected", "", -78, false}, {"mean", "", -11, true}, {"s.e.", NULL, 0, true}, {NULL, "", 0, false}};
    const struct race_winner *const winner = &advice->race.winner;
    const struct racer *const racer = &advice->race.racer[0];

    if (doc->format == TEXT) {
        doc_heading(doc, 2, "Expected of %s with %s", racer->label, oracle_of(advice, racer));
    } else {
        doc_part(doc, "Expected");
        doc_paragraph(doc, "%s with %s", racer->label, oracle_of(advice, racer));
    }
    doc_table(doc, columns, sizeof columns / sizeof *columns);
    for (size_t m = 0; m < SEARCH_MEASURES; m++)
        if (!isnan(winner->measure[m].mean)) {
            const struct summary *const measure = &winner->measure[m];
            char mean[NUMBER_TEXT], error[NUMBER_TEXT];

            doc_cell(doc, "%s", search_measures[m].title);
            doc_cell(doc, "%s", format_measured(measure->mean, measure->stderr_, mean));
            doc_cell(doc, "%s", format_error(measure->stderr_, error));
            doc_cell(doc, "(s.e. %s)", error);
        }
    if (!isnan(winner->server_seconds))
        doc_remark(
            doc, "server: %.3g seconds, all clients together: %.3g seconds (on one processor, scaled from %llu users)",
            winner->server_seconds, winner->client_seconds, (unsigned long long)winner->asked);
}

static void write_beside(struct document *doc, const struct search_advice *advice)
{
    const char *const winner = oracle_of(advice, &advice->race.racer[0]);
    char *const noise = xformat("standard deviation over that of %s", winner);
    const struct column columns[] = {{"oracle", "oracle", -12, false},
                                     {noise, "noise", -8, true},
                                     {"bits a report", "bits", -12, true},
                                     {"server's operations", "operations", 0, true}};
    struct beside beside;

    if (doc->format == TEXT)
        doc_heading(doc, 2, "Oracles for it (noise: standard deviation over that of %s)", winner);
    else
        doc_heading(doc, 2, "Oracles for it");
    doc_table(doc, columns, sizeof columns / sizeof *columns);
    for (size_t place = 0; next_beside(advice, &place, &beside);) {
        doc_cell(doc, "%s", beside.name);
        doc_cell(doc, "%.3f", beside.noise);
        doc_cell(doc, "%.4g", beside.bits);
        doc_cell(doc, "%.3g", beside.operations);
    }
    free(noise);
}

/* ---- JSON ---- */

static void add_protocol(cJSON *object, const struct ldp_search_spec *spec)
{
    cJSON *const protocol = cJSON_AddObjectToObject(object, "protocol");
    const struct ldp_param *const params = spec->search->params;
    double fallback[LDP_PARAMS_MAX];

    ldp_params_default(params, fallback);
    json_add(protocol, "name=%s", spec->search->name);
    for (size_t i = 0; params && params[i].name; i++)
        if (spec->param[i] != fallback[i] && !isnan(spec->param[i]))
            json_add(protocol, "%s=%g", params[i].name, spec->param[i]);
}

static void add_ranking(const struct search_advice *advice, cJSON *list)
{
    for (size_t i = 0; i < advice->race.nfinal; i++) {
        const struct racer *const racer = &advice->race.racer[i];
        cJSON *const row = json_append(list);

        add_protocol(row, &racer->spec);
        json_add(row, "oracle=%s %s=%g stderr=%g adjusted_p=%g significantly_different=%d", oracle_of(advice, racer),
                 search_measures[SEARCH_RANKED_BY].name, racer->ranking.mean, sample_error(&racer->ranking),
                 i > 0 ? racer->from_the_best.adjusted : 1, racer->apart);
    }
}

/* The winner, each measure with its standard error. */
static void add_winner(const struct search_advice *advice, cJSON *best)
{
    const struct race_winner *const winner = &advice->race.winner;

    add_protocol(best, &advice->race.racer[0].spec);
    json_add(best, "oracle=%s", oracle_of(advice, &advice->race.racer[0]));
    for (size_t m = 0; m < SEARCH_MEASURES; m++) {
        const struct summary *const measure = &winner->measure[m];
        char error[64];

        snprintf(error, sizeof error, "%s_stderr", search_measures[m].name);
        json_add(best, "%s=%g %s=%g", search_measures[m].name, measure->mean, error, measure->stderr_);
    }
    if (!isnan(winner->server_seconds))
        json_add(best, "server_seconds=%g client_seconds=%g timed_users=%llu", winner->server_seconds,
                 winner->client_seconds, (unsigned long long)winner->asked);
}

static void print_json(const struct search_advice *advice)
{
    const struct search_request *const request = advice->request;
    const struct ldp_population *const population = advice->dataset->population;
    cJSON *const root = cJSON_CreateObject();

    json_add(root, "data=%s stand_in=%d d=%zu n=%llu epsilon=%g", advice->dataset->name, advice->stand_in,
             population->d, (unsigned long long)population->n, request->epsilon);
    if (request->target.top > 0)
        json_add(root, "top=%zu", request->target.top);
    else
        json_add(root, "threshold=%g", request->target.threshold);
    json_add(root, "trials=%llu seed=%llu level=%g searches=%zu", request->trials, request->seed, race_level,
             advice->race.searches);
    add_ranking(advice, cJSON_AddArrayToObject(root, "ranking"));
    add_winner(advice, cJSON_AddObjectToObject(root, "recommended"));
    cJSON *const expected = cJSON_AddArrayToObject(root, "expected");
    struct ldp_search_spec planner;
    struct ldp_search_forecast forecast;
    for (size_t place = 0; next_planner(advice, &place, &planner, &forecast);)
        json_add(json_append(expected), "protocol=%s f1=%g recall=%g returned=%g false_part=%g nothing_can_be_found=%d",
                 planner.search->name, forecast.f1, forecast.recall, forecast.returned, forecast.false_part,
                 search_is_hopeless(&forecast));
    cJSON *const oracles = cJSON_AddArrayToObject(root, "oracles");
    struct beside beside;
    for (size_t place = 0; next_beside(advice, &place, &beside);)
        json_add(json_append(oracles), "oracle=%s noise_ratio=%g report_bits=%g server_operations=%g", beside.name,
                 beside.noise, beside.bits, beside.operations);
    json_print(root);
}

void print_search_advice(const struct search_advice *advice)
{
    struct document doc = {.out = stdout, .format = advice->request->format, .indent = 2};

    if (doc.format == JSON) {
        print_json(advice);
        return;
    }
    write_answer(&doc, advice);
    write_settings(&doc, advice);
    write_ranking(&doc, advice);
    write_expected(&doc, advice);
    write_beside(&doc, advice);
}

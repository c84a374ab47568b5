/* recommend_frequency_print.c - the advice of ldpbench recommend from its rankings: as text, Markdown or JSON. */
#include "commands/recommend_frequency.h"
#include "config/left_out.h"
#include "config/oracles.h"
#include "stats/kinds.h"
#include "support/document.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What follows from the rankings ---- */

static const char *method_name(const struct advice *advice, const struct ranked *ranked)
{
    const char *const own = own_method_name(&advice->request->own, ranked->method);

    return own ? own : advice->request->chosen.methods[ranked->method].method->name;
}

static const char *oracle_name(const struct advice *advice, const struct ranked *ranked)
{
    return advice->oracles[ranked->protocol];
}

/* Bits of a report and operations of the server on a whole collection; NAN where not known. */
static struct ldp_cost cost_of(const struct ldp_protocol *protocol)
{
    struct ldp_cost cost = {NAN, NAN, NAN};

    if (protocol->oracle->cost)
        protocol->oracle->cost(protocol, &cost);
    return cost;
}

static double server_operations(const struct advice *advice, const struct ldp_cost *cost)
{
    return (double)advice->n * cost->report_operations + cost->collection_operations;
}

/* Whether a choice is based on populations that the chosen method made itself. */
static bool biased(const struct advice *advice, const struct ranking *ranking)
{
    const struct request *const request = advice->request;

    return !request->counts &&
           surrogate_favours(&request->surrogate, request->chosen.methods[ranking->ranked[0].method].method);
}

static bool any_biased(const struct advice *advice)
{
    for (size_t i = 0; i < advice->rankings.count; i++)
        if (biased(advice, &advice->rankings.ranking[i]))
            return true;
    return false;
}

/* Fewer trials than these are few. */
enum { FEW_TRIALS = 30 };

/* How many candidates with over twice the error of the best are not significantly different from it only because there
 * are few trials. */
static size_t undistinguished(const struct advice *advice, const struct ranking *ranking)
{
    size_t count = 0;

    for (size_t i = 1; advice->request->trials < FEW_TRIALS && i < ranking->size; i++)
        count += !ranking->ranked[i].apart && ranking->ranked[i].error.mean > 2 * ranking->ranked[0].error.mean;
    return count;
}

/* ---- Text and Markdown ---- */

enum { TEXT_ROOM = 64 };

static void query_text(const struct advice *advice, const struct ranking *ranking, char text[TEXT_ROOM])
{
    const struct ldp_query_spec *const spec = &advice->queries[ranking->query];

    if (spec->points)
        snprintf(text, TEXT_ROOM, "%s, %s %g", spec->query->name, spec->query->point.name,
                 spec->points[ranking->point]);
    else
        snprintf(text, TEXT_ROOM, "%s", spec->query->name);
}

/* "oue with norm_sub", malloc'd; the method alone if there is one oracle. */
static char *ranked_name(const struct advice *advice, const struct ranked *ranked)
{
    const bool many = advice->nprotocols > 1;

    return xformat("%s%s%s", many ? oracle_name(advice, ranked) : "", many ? " with " : "",
                   method_name(advice, ranked));
}

/* More ties are counted. */
enum { TIES_SHOWN = 6 };

static void write_choice(struct document *doc, const struct advice *advice, const struct ranking *ranking)
{
    struct buffer names = {0};
    char query[TEXT_ROOM], percent[NUMBER_TEXT];
    size_t tied = 0;

    query_text(advice, ranking, query);
    for (size_t i = 0; i < ranking->size; i++) {
        const struct ranked *const ranked = &ranking->ranked[i];

        if (ranked->apart && i > 0)
            continue;
        tied += i > 0;
        if (tied > TIES_SHOWN)
            continue;
        char *const name = ranked_name(advice, ranked);
        buffer_format(&names, "%s%s",
                      !names.length             ? ""
                      : strchr(names.text, ';') ? ", "
                                                : "; not significantly different: ",
                      name);
        free(name);
    }
    if (tied > TIES_SHOWN)
        buffer_format(&names, " and %zu more", tied - TIES_SHOWN);
    doc_item(doc, "%s: %s%s", query, names.text, biased(advice, ranking) ? " (biased)" : "");
    if (ranking->size > 1 && ranking->within > 0 && isfinite(ranking->within))
        doc_item(doc,
                 "%s: its error is at most %s %% above the least of the %zu candidates, in about nine of ten cases",
                 query, format_error(100 * ranking->within, percent), ranking->size);
    else if (ranking->size > 1 && ranking->within <= 0)
        doc_item(doc, "%s: none of the %zu other candidates has less error, in about nine of ten cases", query,
                 ranking->size - 1);
    if (2 * tied > ranking->size)
        doc_item(doc, "%s: most are tied: %zu of the %zu others are not significantly different from the best", query,
                 tied, ranking->size - 1);
    const size_t larger = undistinguished(advice, ranking);
    if (larger > 0)
        doc_item(doc,
                 "%s: %llu trials are too few to distinguish %s with more than twice the error of the best from it",
                 query, advice->request->trials, COUNTED(larger, "candidate"));
    buffer_clear(&names);
}

/* Where the user's own methods stand, each with its best oracle. */
static void write_own(struct document *doc, const struct advice *advice, const struct ranking *ranking)
{
    const struct own_methods *const own = &advice->request->own;
    char query[TEXT_ROOM], change[NUMBER_TEXT];

    query_text(advice, ranking, query);
    for (size_t m = 0; m < own->count; m++) {
        size_t i = 0;
        while (i < ranking->size && ranking->ranked[i].method != own->place[m])
            i++;
        if (i == 0 || i == ranking->size)
            continue;
        const struct comparison *const c = &ranking->ranked[i].from_the_best;
        char *const name = ranked_name(advice, &ranking->ranked[i]);
        if (!ranking->ranked[i].apart || !isfinite(c->change))
            doc_item(doc, "%s: yours, %s, is not significantly different from the best", query, name);
        else
            doc_item(doc, "%s: yours, %s, is %s %% above the best (standard error %.2g %%)", query, name,
                     format_measured(100 * c->change, 100 * c->standard_error, change), 100 * c->standard_error);
        free(name);
    }
}

static void write_choice_for_all(struct document *doc, const struct advice *advice)
{
    const struct ranked *choice = advice->rankings.ranking[0].ranked;
    double most = 0;

    while (choice->place != advice->rankings.choice)
        choice++;
    for (size_t i = 0; i < advice->rankings.count; i++)
        most = fmax(most, advice->rankings.ranking[i].choice_within);
    char *const name = ranked_name(advice, choice);
    char percent[NUMBER_TEXT];
    if (most == 0)
        doc_item(doc, "for all of them: %s, the best of each, in about nine of ten cases", name);
    else if (isfinite(most))
        doc_item(doc, "for all of them: %s, at most %s %% above the best of each, in about nine of ten cases", name,
                 format_error(100 * most, percent));
    else
        doc_item(doc, "for all of them: %s", name);
    free(name);
}

/* Estimators for ordered oracles that suit none of those tried are missed by nobody who asked for all. */
static void write_left_out(struct document *doc, const struct advice *advice)
{
    const struct algorithms *const chosen = &advice->request->chosen;
    const size_t noracles = advice->nprotocols, nmethods = chosen->nmethods;
    size_t cells[NAMES_MAX], *const missing = xcalloc(nmethods * noracles, sizeof *missing);
    const struct ldp_method *method[NAMES_MAX];
    const char *name[NAMES_MAX];
    const struct left_out left_out = {nmethods, noracles, method, name, advice->oracles, cells, missing};

    for (size_t p = 0; p < noracles; p++)
        cells[p] = 1;
    for (size_t i = 0; i < nmethods; i++) {
        size_t without = 0;
        method[i] = chosen->methods[i].method;
        name[i] = method[i]->name;
        for (size_t p = 0; p < noracles; p++)
            without += missing[i * noracles + p] = !advice->suits[p * nmethods + i];
        if (chosen->all_methods && method[i]->by_support && without == noracles)
            memset(missing + i * noracles, 0, noracles * sizeof *missing);
    }
    for (size_t i = 0; i < nmethods; i++) {
        char *const sentence = left_out_sentence(&left_out, i);
        if (sentence)
            doc_paragraph(doc, "%s", sentence);
        free(sentence);
    }
    free(missing);
}

static void write_settings(struct document *doc, const struct advice *advice)
{
    const struct request *const request = advice->request;
    struct buffer text = {0};

    buffer_format(&text, "%s: d = %zu, n = %llu, epsilon = %g; %llu trials on ", SHOWN_PATH(request->file), advice->d,
                  (unsigned long long)advice->n, request->epsilon, request->trials);
    if (request->counts)
        buffer_format(&text, "the counts");
    else
        buffer_format(&text, "%s, supports of %s, %llu replicates",
                      advice->fit.varies ? "draws from the posterior" : request->surrogate.name,
                      request->made_by.oracle->name, request->replicates);
    doc_part(doc, "Settings");
    doc_paragraph(doc, "%s, seed %llu", text.text, request->seed);
    doc_paragraph(doc, "error: mean squared error of frequencies; from, to: the range in which the true error is "
                       "expected, correct in about nine of ten cases");
    for (size_t i = 0; i < request->nqueries; i++)
        if (advice->fit.varies && kinds_count_for(request->queries[i].query))
            doc_paragraph(
                doc,
                "%s: three kinds of populations count; error: the geometric mean over kinds; the best: by the "
                "error and by the largest ratio to the least error of a kind",
                request->queries[i].query->name);
    for (size_t i = 0; i < request->nqueries; i++)
        if (request->queries[i].query->measures != ldp_squared_error)
            doc_paragraph(doc, "error of %s: %s", request->queries[i].query->name,
                          request->queries[i].query->measures[0].title);
    doc_paragraph(doc, "~: not significantly different from the best (level %g, paired, Holm%s)", ranking_level,
                  request->counts || request->replicates == 0 ? ""
                                                              : "; over trials, replicates and kinds of populations");
    for (size_t i = 0; i < advice->nunsuited; i++)
        doc_paragraph(doc, "%s does not suit this d and epsilon: %s", advice->unsuited[i], advice->reasons[i].text);
    for (size_t i = 0; i < advice->nprotocols; i++)
        if (advice->need[i].enough > 0) {
            char *const need = sketch_need_text(&advice->need[i]);

            doc_paragraph(doc, "%s: %s", advice->oracles[i], need);
            free(need);
        }
    for (size_t i = 0; i < request->chosen.nmethods; i++)
        if (request->only[i] > 0 && (i == 0 || request->only[i - 1] == 0))
            doc_paragraph(doc, "%s: made for a list of k values, and a candidate there alone",
                          request->chosen.methods[i].method->name);
    write_left_out(doc, advice);
    buffer_clear(&text);
}

/* "+12 % (3 %) ~", malloc'd; rounded as its error justifies. */
static char *above_text(const struct ranked *ranked, bool is_best)
{
    const struct comparison *const c = &ranked->from_the_best;
    char change[NUMBER_TEXT], error[NUMBER_TEXT];

    if (is_best || c->change == 0 || !isfinite(c->change))
        return xstrdup(is_best ? "best" : c->change == 0 ? "equal ~" : "the best has no error");
    return xformat("%s%s %% (%s %%)%s", c->change > 0 ? "+" : "",
                   format_measured(100 * c->change, 100 * c->standard_error, change),
                   format_error(100 * c->standard_error, error), ranked->apart ? "" : " ~");
}

/* Lists all methods; if there are several oracles, each with its best method. */
static void write_ranking(struct document *doc, const struct advice *advice, const struct ranking *ranking)
{
    enum { ABOVE = 5, COLUMNS = 11 };
    struct column columns[COLUMNS] = {{"oracle", "oracle", -16, false},
                                      {"method", "method", -16, false},
                                      {"error", "error", -10, true},
                                      {"from", "from", -9, true},
                                      {"to", "to", -9, true},
                                      [ABOVE] = {"above the best (s.e.)", NULL, 0, true},
                                      {"variance over the optimum", "optimum", -8, true},
                                      {"bits a report", "bits", -6, true},
                                      {"server's operations", "operations", -11, true},
                                      {"bytes of its state", "state", -9, true},
                                      {NULL, "above the best (s.e.)", 0, false}};
    const bool many = advice->nprotocols > 1;
    bool shown[NAMES_MAX] = {false};
    char query[TEXT_ROOM];

    for (size_t i = 0; !many && i < COLUMNS - 1; i++)
        if (i == 0 || i > ABOVE)
            columns[i].title = columns[i].text = NULL;
    query_text(advice, ranking, query);
    doc_heading(doc, 2, "%s", query);
    doc_table(doc, columns, COLUMNS);
    for (size_t i = 0; i < ranking->size; i++) {
        const struct ranked *const ranked = &ranking->ranked[i];
        const struct ldp_protocol *const protocol = &advice->protocols[ranked->protocol];
        const struct ldp_cost cost = cost_of(protocol);
        if (many && shown[ranked->protocol])
            continue;
        shown[ranked->protocol] = true;
        char *const above = above_text(ranked, i == 0);
        doc_cell(doc, "%s", oracle_name(advice, ranked));
        doc_cell(doc, "%s", method_name(advice, ranked));
        doc_cell(doc, "%.4g", ranked->error.mean);
        doc_cell(doc, "%.2g", ranked->low);
        doc_cell(doc, "%.2g", ranked->high);
        doc_cell(doc, "%s", above);
        doc_cell(doc, "%.3f", ldp_over_optimum(protocol));
        doc_cell(doc, "%.0f", cost.report_bits);
        doc_cell(doc, "%.3g", server_operations(advice, &cost));
        doc_cell(doc, "%.3g", (double)protocol->state_bytes);
        doc_cell(doc, "%s", above);
        free(above);
    }
}

static void write_advice(struct document *doc, const struct advice *advice)
{
    const struct rankings *const rankings = &advice->rankings;

    doc_heading(doc, 1, "Recommended for %s", SHOWN_PATH(advice->request->file));
    for (size_t i = 0; i < rankings->count; i++) {
        write_choice(doc, advice, &rankings->ranking[i]);
        write_own(doc, advice, &rankings->ranking[i]);
    }
    if (rankings->count > 1)
        write_choice_for_all(doc, advice);
    if (any_biased(advice))
        doc_paragraph(doc,
                      "warning: (biased): the method was chosen on data that %s made itself, which favours it "
                      "(NDSS 2020, Figure 9); --surrogate posterior does not",
                      advice->request->surrogate.name);
    write_settings(doc, advice);
    for (size_t i = 0; i < rankings->count; i++)
        write_ranking(doc, advice, &rankings->ranking[i]);
}

/* ---- JSON ---- */

static void add_oracles(const struct advice *advice, cJSON *list)
{
    for (size_t i = 0; i < advice->nprotocols; i++) {
        const struct ldp_protocol *const protocol = &advice->protocols[i];
        const struct ldp_cost cost = cost_of(protocol);

        json_add(json_append(list),
                 "oracle=%s variance_over_optimum=%g report_bits=%g bits_bound=%g report_operations=%g "
                 "server_operations=%g state_bytes=%zu",
                 advice->oracles[i], ldp_over_optimum(protocol), cost.report_bits, ldp_optimum_bits(advice->d),
                 cost.report_operations, server_operations(advice, &cost), protocol->state_bytes);
    }
}

static void add_left_out(const struct advice *advice, cJSON *list)
{
    const struct algorithms *const chosen = &advice->request->chosen;

    for (size_t p = 0; p < advice->nprotocols; p++)
        for (size_t i = 0; i < chosen->nmethods; i++)
            if (!advice->suits[p * chosen->nmethods + i])
                json_add(json_append(list), "oracle=%s method=%s", advice->oracles[p], chosen->methods[i].method->name);
}

static void add_ranking(const struct advice *advice, const struct ranking *ranking, cJSON *rows)
{
    for (size_t i = 0; i < ranking->size; i++) {
        const struct ranked *const ranked = &ranking->ranked[i];
        const struct comparison *const c = &ranked->from_the_best;

        json_add(json_append(rows),
                 "oracle=%s method=%s %s=%g stderr=%g low=%g high=%g above_best=%g above_best_stderr=%g adjusted_p=%g "
                 "significantly_different=%d exact=%d",
                 oracle_name(advice, ranked), method_name(advice, ranked), ldp_squared_error[0].name,
                 ranked->error.mean, sample_error(&ranked->error), ranked->low, ranked->high, c->change,
                 c->standard_error, c->adjusted, ranked->apart, ranked->exact);
    }
}

static void add_query(const struct advice *advice, const struct ranking *ranking, cJSON *query)
{
    const struct ldp_query_spec *const spec = &advice->queries[ranking->query];

    json_add(query, "query=%s", spec->query->name);
    if (spec->points)
        json_add(query, "%s=%g", spec->query->point.name, spec->points[ranking->point]);
    json_add(query, "biased=%d", biased(advice, ranking));
    if (isfinite(ranking->within))
        json_add(query, "best_within=%g", ranking->within);
    add_ranking(advice, ranking, cJSON_AddArrayToObject(query, "ranking"));
}

static void print_json(const struct advice *advice)
{
    const struct request *const request = advice->request;
    cJSON *const root = cJSON_CreateObject();

    json_add(root, "file=%s d=%zu n=%llu epsilon=%g surrogate=%s trials=%llu replicates=%llu seed=%llu level=%g",
             SHOWN_PATH(request->file), advice->d, (unsigned long long)advice->n, request->epsilon,
             request->counts ? "counts" : request->surrogate.name, request->trials,
             request->counts ? 0 : request->replicates, request->seed, ranking_level);
    add_oracles(advice, cJSON_AddArrayToObject(root, "oracles"));
    cJSON_AddItemToObject(root, "unsuited", cJSON_CreateStringArray(advice->unsuited, (int)advice->nunsuited));
    add_left_out(advice, cJSON_AddArrayToObject(root, "left_out"));
    cJSON *const queries = cJSON_AddArrayToObject(root, "queries");
    for (size_t i = 0; i < advice->rankings.count; i++)
        add_query(advice, &advice->rankings.ranking[i], json_append(queries));
    json_print(root);
}

void print_recommendation(const struct advice *advice)
{
    struct document doc = {.out = stdout, .format = advice->request->format, .indent = 2};

    if (doc.format == JSON)
        print_json(advice);
    else
        write_advice(&doc, advice);
}

/* recommend_frequency_print.c - the advice of ldpbench recommend from its rankings: as text, Markdown or JSON. */
#include "commands/recommend_frequency.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

/* ---- What follows from the rankings ---- */

static const char *method_name(const struct advice *advice, const struct ranked *ranked)
{
    return advice->request->chosen.methods[ranked->method].method->name;
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

    for (size_t i = 1; advice->request->trials < FEW_TRIALS && i < advice->rankings.size; i++)
        count += !ranking->ranked[i].apart && ranking->ranked[i].error.mean > 2 * ranking->ranked[0].error.mean;
    return count;
}

/* ---- Text and Markdown ---- */

enum { NAME_WIDTH = 16, TEXT_ROOM = 64 };

static void query_text(const struct advice *advice, const struct ranking *ranking, char text[TEXT_ROOM])
{
    const struct ldp_query_spec *const spec = &advice->queries[ranking->query];

    if (spec->points)
        snprintf(text, TEXT_ROOM, "%s, %s %g", spec->query->name, spec->query->point.name,
                 spec->points[ranking->point]);
    else
        snprintf(text, TEXT_ROOM, "%s", spec->query->name);
}

/* "+12 %"; rounded as its error justifies. */
static void percent_text(double share, double error, char text[TEXT_ROOM])
{
    char number[NUMBER_TEXT];

    snprintf(text, TEXT_ROOM, "%s%s %%", share > 0 ? "+" : "", format_measured(100 * share, 100 * error, number));
}

static void above_text(const struct ranked *ranked, bool is_best, char text[TEXT_ROOM])
{
    const struct comparison *const c = &ranked->from_the_best;
    char change[TEXT_ROOM], error[NUMBER_TEXT];

    if (is_best) {
        snprintf(text, TEXT_ROOM, "best");
    } else if (c->change == 0) {
        snprintf(text, TEXT_ROOM, "equal ~");
    } else if (!isfinite(c->change)) {
        snprintf(text, TEXT_ROOM, "the best has no error");
    } else {
        percent_text(c->change, c->standard_error, change);
        snprintf(text, TEXT_ROOM, "%.20s (%.20s %%)%s", change, format_error(100 * c->standard_error, error),
                 ranked->noisier ? " noisier"
                 : ranked->apart ? ""
                                 : " ~");
    }
}

/* "mle is left out for oue, olh: it needs ..." */
static void print_left_out(const struct advice *advice, size_t method)
{
    const struct algorithms *const chosen = &advice->request->chosen;
    const char *const needs = ldp_method_needs(chosen->methods[method].method);
    bool any = false;

    for (size_t i = 0; i < advice->nprotocols; i++)
        if (!advice->suits[i * chosen->nmethods + method]) {
            if (any)
                printf(", %s", advice->oracles[i]);
            else
                printf("%s%s is left out for %s", advice->request->format == MARKDOWN ? "\n" : "",
                       chosen->methods[method].method->name, advice->oracles[i]);
            any = true;
        }
    if (any)
        printf(": it needs %s\n", needs);
}

static void print_heading(const struct advice *advice)
{
    const struct request *const request = advice->request;
    const bool markdown = request->format == MARKDOWN;

    printf("%s%s: d = %zu, n = %llu, epsilon = %g; ", markdown ? "## Settings\n\n" : "", SHOWN_PATH(request->file),
           advice->d, (unsigned long long)advice->n, request->epsilon);
    if (request->counts)
        printf("%llu trials on the counts, seed %llu\n", request->trials, request->seed);
    else
        printf("%llu trials on %s, supports of %s, %llu replicates, seed %llu\n", request->trials,
               advice->fit.varies ? "draws from the posterior" : request->surrogate.name, request->made_by.oracle->name,
               request->replicates, request->seed);
    printf("%serror: mean squared error of frequencies; from, to: the range in which the true error is expected, "
           "correct in about nine of ten cases\n",
           markdown ? "\n" : "");
    printf("%s~: not significantly different from the best (level %g, paired, Holm%s)\n", markdown ? "\n" : "",
           ranking_level,
           request->counts || request->replicates == 0 ? "" : "; over trials, replicates and kinds of populations");
    if (advice->nprotocols > 1)
        printf(
            "%snoisier: no tie, as the variance of its oracle is surely larger than that of the best's, or of another "
            "oracle's with the same method\n",
            markdown ? "\n" : "");
    for (size_t i = 0; i < advice->nunsuited; i++)
        printf("%s%s does not suit this d and epsilon: %s\n", markdown ? "\n" : "", advice->unsuited[i],
               advice->reasons[i].text);
    for (size_t i = 0; i < request->chosen.nmethods; i++)
        print_left_out(advice, i);
}

static void print_ranking(const struct advice *advice, const struct ranking *ranking)
{
    const bool markdown = advice->request->format == MARKDOWN, many = advice->nprotocols > 1;
    char text[TEXT_ROOM];

    query_text(advice, ranking, text);
    printf(markdown ? "\n## %s\n\n" : "\n%s\n", text);
    if (markdown)
        printf("%s| method | error | from | to | above the best (s.e.) |%s\n%s|---|---:|---:|---:|---:|%s\n",
               many ? "| oracle " : "",
               many ? " variance over the optimum | bits a report | server's operations | bytes of its state |" : "",
               many ? "|---" : "", many ? "---:|---:|---:|---:|" : "");
    else
        printf("  %s%-*s %-10s %-9s %-9s %s%s\n", many ? "oracle           " : "", NAME_WIDTH, "method", "error",
               "from", "to", many ? "optimum  bits   operations  state     " : "", "above the best (s.e.)");
    bool shown[NAMES_MAX] = {false};
    for (size_t i = 0; i < advice->rankings.size; i++) {
        const struct ranked *const ranked = &ranking->ranked[i];
        const struct ldp_cost cost = cost_of(&advice->protocols[ranked->protocol]);
        const double over = ldp_over_optimum(&advice->protocols[ranked->protocol]),
                     state = (double)advice->protocols[ranked->protocol].state_bytes;

        if (many && shown[ranked->protocol]) /* of several oracles, each with its best method */
            continue;
        shown[ranked->protocol] = true;
        above_text(ranked, i == 0, text);
        if (markdown) {
            if (many)
                printf("| %s ", oracle_name(advice, ranked));
            printf("| %s | %.4g | %.2g | %.2g | %s |", method_name(advice, ranked), ranked->error.mean, ranked->low,
                   ranked->high, text);
            if (many)
                printf(" %.3f | %.0f | %.3g | %.3g |", over, cost.report_bits, server_operations(advice, &cost), state);
        } else {
            printf("  ");
            if (many)
                printf("%-*s ", NAME_WIDTH, oracle_name(advice, ranked));
            printf("%-*s %-10.4g %-9.2g %-9.2g ", NAME_WIDTH, method_name(advice, ranked), ranked->error.mean,
                   ranked->low, ranked->high);
            if (many)
                printf("%-8.3f %-6.0f %-11.3g %-9.3g ", over, cost.report_bits, server_operations(advice, &cost),
                       state);
            printf("%s", text);
        }
        putchar('\n');
    }
}

/* How far the choice can be from the best of all. */
static void print_bound(const struct advice *advice, const struct ranking *ranking, const char *query)
{
    const bool markdown = advice->request->format == MARKDOWN;
    char percent[NUMBER_TEXT];

    if (advice->rankings.size > 1 && isfinite(ranking->within))
        printf("%s%s: its error is at most %s %% above the least of the %zu candidates, in about nine of ten cases\n",
               markdown ? "- " : "  ", query, ranking->within > 0 ? format_error(100 * ranking->within, percent) : "0",
               advice->rankings.size);
}

static void print_choice(const struct advice *advice, const struct ranking *ranking)
{
    const bool markdown = advice->request->format == MARKDOWN, many = advice->nprotocols > 1;
    char text[TEXT_ROOM];
    size_t tied = 0;

    for (size_t i = 1; i < advice->rankings.size; i++)
        tied += !ranking->ranked[i].apart;
    query_text(advice, ranking, text);
    printf("%s%s: ", markdown ? "- " : "  ", text);
    const char *separator = "; not significantly different: ";
    bool shown[NAMES_MAX] = {false};
    for (size_t i = 0; i < advice->rankings.size; i++) {
        const struct ranked *const ranked = &ranking->ranked[i];

        if (ranked->apart || (many && shown[ranked->protocol]))
            continue;
        shown[ranked->protocol] = true;
        if (i > 0) {
            printf("%s", separator);
            separator = ", ";
        }
        printf("%s%s%s", many ? oracle_name(advice, ranked) : "", many ? " with " : "", method_name(advice, ranked));
    }
    printf("%s\n", biased(advice, ranking) ? " (biased)" : "");
    print_bound(advice, ranking, text);
    if (2 * tied > advice->rankings.size)
        printf("%s%s: most are tied: %zu of the %zu others are not significantly different from the best\n",
               markdown ? "- " : "  ", text, tied, advice->rankings.size - 1);
    const size_t larger = undistinguished(advice, ranking);
    if (larger > 0)
        printf("%s%s: %llu trials are too few to distinguish %s with more than twice the error of the best from it\n",
               markdown ? "- " : "  ", text, advice->request->trials, COUNTED(larger, "candidate"));
}

static void print_choice_for_all(const struct advice *advice)
{
    const struct ranked *choice = advice->rankings.ranking[0].ranked;
    double most = 0;

    while (choice->place != advice->rankings.choice)
        choice++;
    for (size_t i = 0; i < advice->rankings.count; i++)
        most = fmax(most, advice->rankings.ranking[i].choice_within);
    printf("%sfor all of them: %s%s%s", advice->request->format == MARKDOWN ? "- " : "  ",
           advice->nprotocols > 1 ? oracle_name(advice, choice) : "", advice->nprotocols > 1 ? " with " : "",
           method_name(advice, choice));
    char percent[NUMBER_TEXT];
    if (isfinite(most))
        printf(", at most %s %% above the best of each, in about nine of ten cases",
               most > 0 ? format_error(100 * most, percent) : "0");
    putchar('\n');
}

static void print_advice(const struct advice *advice)
{
    const struct request *const request = advice->request;
    const bool markdown = request->format == MARKDOWN;
    const struct rankings *const rankings = &advice->rankings;

    printf(markdown ? "# Recommended for %s\n\n" : "Recommended for %s\n", SHOWN_PATH(request->file));
    for (size_t i = 0; i < rankings->count; i++)
        print_choice(advice, &rankings->ranking[i]);
    if (rankings->count > 1)
        print_choice_for_all(advice);
    if (any_biased(advice))
        printf("%swarning: (biased): the method was chosen on data that %s made itself, which favours it (NDSS 2020, "
               "Figure 9); --surrogate posterior does not\n",
               markdown ? "\n" : "", request->surrogate.name);
    putchar('\n');
    print_heading(advice);
    for (size_t i = 0; i < rankings->count; i++)
        print_ranking(advice, &rankings->ranking[i]);
}

/* ---- JSON ---- */

static void print_json_rows(const struct advice *advice, const struct ranking *ranking, cJSON *rows)
{
    for (size_t i = 0; i < advice->rankings.size; i++) {
        const struct ranked *const ranked = &ranking->ranked[i];
        cJSON *const row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "oracle", oracle_name(advice, ranked));
        cJSON_AddStringToObject(row, "method", method_name(advice, ranked));
        cJSON_AddNumberToObject(row, ldp_squared_error[0].name, ranked->error.mean);
        cJSON_AddNumberToObject(row, "stderr", sample_error(&ranked->error));
        cJSON_AddNumberToObject(row, "low", ranked->low);
        cJSON_AddNumberToObject(row, "high", ranked->high);
        cJSON_AddNumberToObject(row, "above_best", ranked->from_the_best.change);
        cJSON_AddNumberToObject(row, "above_best_stderr", ranked->from_the_best.standard_error);
        cJSON_AddNumberToObject(row, "adjusted_p", ranked->from_the_best.adjusted);
        cJSON_AddBoolToObject(row, "significantly_different", ranked->apart);
        cJSON_AddBoolToObject(row, "noisier", ranked->noisier);
        cJSON_AddBoolToObject(row, "exact", ranked->exact);
        cJSON_AddItemToArray(rows, row);
    }
}

static int print_json(const struct advice *advice, struct failure *failure)
{
    const struct request *const request = advice->request;
    cJSON *const root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "file", SHOWN_PATH(request->file));
    cJSON_AddNumberToObject(root, "d", (double)advice->d);
    cJSON_AddNumberToObject(root, "n", (double)advice->n);
    cJSON_AddNumberToObject(root, "epsilon", request->epsilon);
    cJSON_AddStringToObject(root, "surrogate", request->counts ? "counts" : request->surrogate.name);
    cJSON_AddNumberToObject(root, "trials", (double)request->trials);
    cJSON_AddNumberToObject(root, "replicates", request->counts ? 0 : (double)request->replicates);
    cJSON_AddNumberToObject(root, "seed", (double)request->seed);
    cJSON_AddNumberToObject(root, "level", ranking_level);
    cJSON *list = cJSON_AddArrayToObject(root, "oracles");
    for (size_t i = 0; i < advice->nprotocols; i++) {
        const struct ldp_cost cost = cost_of(&advice->protocols[i]);
        cJSON *const oracle = cJSON_CreateObject();

        cJSON_AddStringToObject(oracle, "oracle", advice->oracles[i]);
        cJSON_AddNumberToObject(oracle, "variance_over_optimum", ldp_over_optimum(&advice->protocols[i]));
        cJSON_AddNumberToObject(oracle, "report_bits", cost.report_bits);
        cJSON_AddNumberToObject(oracle, "bits_bound", ldp_optimum_bits(advice->d));
        cJSON_AddNumberToObject(oracle, "report_operations", cost.report_operations);
        cJSON_AddNumberToObject(oracle, "server_operations", server_operations(advice, &cost));
        cJSON_AddNumberToObject(oracle, "state_bytes", (double)advice->protocols[i].state_bytes);
        cJSON_AddItemToArray(list, oracle);
    }
    list = cJSON_AddArrayToObject(root, "unsuited");
    for (size_t i = 0; i < advice->nunsuited; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(advice->unsuited[i]));
    list = cJSON_AddArrayToObject(root, "left_out");
    for (size_t p = 0; p < advice->nprotocols; p++)
        for (size_t i = 0; i < request->chosen.nmethods; i++)
            if (!advice->suits[p * request->chosen.nmethods + i]) {
                cJSON *const pair = cJSON_CreateObject();

                cJSON_AddStringToObject(pair, "oracle", advice->oracles[p]);
                cJSON_AddStringToObject(pair, "method", request->chosen.methods[i].method->name);
                cJSON_AddItemToArray(list, pair);
            }
    list = cJSON_AddArrayToObject(root, "queries");
    for (size_t i = 0; i < advice->rankings.count; i++) {
        const struct ranking *const ranking = &advice->rankings.ranking[i];
        const struct ldp_query_spec *const spec = &advice->queries[ranking->query];
        cJSON *const query = cJSON_CreateObject();

        cJSON_AddStringToObject(query, "query", spec->query->name);
        if (spec->points)
            cJSON_AddNumberToObject(query, spec->query->point.name, spec->points[ranking->point]);
        cJSON_AddBoolToObject(query, "biased", biased(advice, ranking));
        if (isfinite(ranking->within))
            cJSON_AddNumberToObject(query, "best_within", ranking->within);
        print_json_rows(advice, ranking, cJSON_AddArrayToObject(query, "ranking"));
        cJSON_AddItemToArray(list, query);
    }
    return print_tree(root, failure);
}

int print_recommendation(const struct advice *advice, struct failure *failure)
{
    if (advice->request->format == JSON)
        return print_json(advice, failure);
    print_advice(advice);
    return 0;
}

/* recommend_marginals_print.c - what ldpbench recommend --task marginals prints: text, Markdown or JSON. */
#include "commands/recommend_marginals.h"

#include "support/numbers.h"
#include "support/text.h"
#include "tasks/marginals.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_CANDIDATES = 12, DESIGN_TEXT = 96 };

static double error_of(const struct marginals_candidate *c)
{
    const double mean = c->sse / c->trials,
                 variance = (c->squares / c->trials - mean * mean) * c->trials / (c->trials - 1);

    return c->trials > 1 && variance > 0 ? sqrt(variance / c->trials) : 0;
}

static void tables_text(const struct marginals_candidate *candidate, char text[DESIGN_TEXT])
{
    const struct ldp_synopsis_facts *const facts = &candidate->facts;

    if (facts->m == 0)
        snprintf(text, DESIGN_TEXT, "-");
    else
        snprintf(text, DESIGN_TEXT, "m = %zu, l = %zu%s", facts->m, facts->l,
                 candidate->spec.synopsis->takes_sets && isnan(candidate->spec.param[0]) ? ", its own" : "");
}

/* The parts of the error that are shown: their measures, and their means. */
enum { PARTS = 3 };
static const size_t part[PARTS] = {MARGINALS_NOISE, MARGINALS_SAMPLING, MARGINALS_RECONSTRUCTION};

static double part_of(const struct marginals_candidate *candidate, size_t i)
{
    const double sum[PARTS] = {candidate->noise, candidate->sampling, candidate->reconstruction};

    return sum[i] / candidate->trials;
}

static void print_head(bool markdown)
{
    const char *const error = marginals_measure[MARGINALS_SSE].axis;

    if (markdown)
        printf("\n| synopsis | oracle | tables | %s | standard error |", error);
    else
        printf("\n%-12s %-10s %-26s %9s %9s", "synopsis", "oracle", "tables", error, "std. err.");
    for (size_t i = 0; i < PARTS; i++)
        printf(markdown ? " %s |" : " %18s", marginals_measure[part[i]].name);
    printf(markdown ? "\n|---|---|---|---:|---:|---:|---:|---:|\n" : "\n");
}

static void print_row(const struct marginals_candidate *candidate, bool markdown)
{
    const double error = error_of(candidate);
    char tables[DESIGN_TEXT], mean[NUMBER_TEXT], deviation[NUMBER_TEXT];

    tables_text(candidate, tables);
    printf(markdown ? "| `%s` | `%s` | %s | %s | %s |" : "%-12s %-10s %-26s %9s %9s", candidate->spec.synopsis->name,
           candidate->oracle->oracle->name, tables, format_measured(candidate->sse / candidate->trials, error, mean),
           format_error(error, deviation));
    for (size_t i = 0; i < PARTS; i++)
        printf(markdown ? " %.2g |" : " %18.2g", part_of(candidate, i));
    putchar('\n');
}

static void print_text(const struct marginals_advice *advice, size_t suited, bool markdown)
{
    const struct marginals_request *const request = advice->request;
    const struct marginals_candidate *const best = &advice->candidate[0];
    char tables[DESIGN_TEXT];

    printf("%s%s: d = %zu, n = %llu, epsilon = %g; %zu marginals, %llu collections\n\n", markdown ? "# " : "",
           request->file ? SHOWN_PATH(request->file) : advice->dataset->name, dataset_d(advice->dataset),
           (unsigned long long)dataset_n(advice->dataset), request->epsilon, advice->nsets, request->trials);
    tables_text(best, tables);
    printf("%s with %s, %s: squared error %.3g of a marginal.\n", best->spec.synopsis->name, best->oracle->oracle->name,
           tables, best->sse / best->trials);
    if (best->spec.synopsis->is_floor)
        printf(
            "That is a floor: with this number of users and this epsilon, tables of several attributes improve nothing.\n");
    print_head(markdown);
    for (size_t i = 0; i < suited && i < SHOWN_CANDIDATES; i++)
        print_row(&advice->candidate[i], markdown);
    for (size_t i = suited; i < advice->count; i++)
        if (advice->candidate[i].spec.param[0] == 0 || isnan(advice->candidate[i].spec.param[0]) ||
            !advice->candidate[i].spec.synopsis->takes_sets)
            printf("%s%s with %s does not suit: %s\n", i == suited ? "\n" : "",
                   advice->candidate[i].spec.synopsis->name, advice->candidate[i].oracle->oracle->name,
                   advice->candidate[i].reason.text);
}

static cJSON *tree_of(const struct marginals_candidate *candidate)
{
    cJSON *const one = cJSON_CreateObject();
    const double trials = candidate->trials;

    cJSON_AddStringToObject(one, "synopsis", candidate->spec.synopsis->name);
    cJSON_AddStringToObject(one, "oracle", candidate->oracle->oracle->name);
    if (!candidate->suits) {
        cJSON_AddStringToObject(one, "unsuited", candidate->reason.text);
        return one;
    }
    if (candidate->facts.m > 0) {
        cJSON_AddNumberToObject(one, "m", (double)candidate->facts.m);
        cJSON_AddNumberToObject(one, "l", (double)candidate->facts.l);
        cJSON_AddBoolToObject(one, "own_choice",
                              candidate->spec.synopsis->takes_sets && isnan(candidate->spec.param[0]));
    }
    cJSON_AddNumberToObject(one, "trials", trials);
    cJSON_AddNumberToObject(one, marginals_measure[MARGINALS_SSE].name, candidate->sse / trials);
    cJSON_AddNumberToObject(one, "stderr", error_of(candidate));
    for (size_t i = 0; i < PARTS; i++)
        cJSON_AddNumberToObject(one, marginals_measure[part[i]].name, part_of(candidate, i));
    return one;
}

static int print_json(const struct marginals_advice *advice, struct failure *failure)
{
    cJSON *const root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "data",
                            advice->request->file ? SHOWN_PATH(advice->request->file) : advice->dataset->name);
    cJSON_AddNumberToObject(root, "d", (double)dataset_d(advice->dataset));
    cJSON_AddNumberToObject(root, "n", (double)dataset_n(advice->dataset));
    cJSON_AddNumberToObject(root, "epsilon", advice->request->epsilon);
    cJSON_AddNumberToObject(root, "marginals", (double)advice->nsets);
    cJSON *const list = cJSON_AddArrayToObject(root, "candidates");

    for (size_t i = 0; i < advice->count; i++)
        cJSON_AddItemToArray(list, tree_of(&advice->candidate[i]));
    return print_tree(root, failure);
}

int print_marginals_advice(const struct marginals_advice *advice, struct failure *failure)
{
    size_t suited = 0;

    while (suited < advice->count && advice->candidate[suited].suits)
        suited++;
    if (suited == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: no synopsis suits: %s",
                    advice->count > 0 ? advice->candidate[0].reason.text : "expected one");
    if (advice->request->format == JSON)
        return print_json(advice, failure);
    print_text(advice, suited, advice->request->format == MARKDOWN);
    return 0;
}

/* recommend_marginals_print.c - what ldpbench recommend --task marginals prints: text, Markdown or JSON. */
#include "commands/recommend_marginals.h"

#include "support/document.h"
#include "support/numbers.h"
#include "support/text.h"
#include "support/tree.h"
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

static void write_table(struct document *doc, const struct marginals_advice *advice, size_t rows)
{
    const char *const error = marginals_measure[MARGINALS_SSE].axis;
    struct column columns[5 + PARTS] = {{"synopsis", "synopsis", -12, false},
                                        {"oracle", "oracle", -10, false},
                                        {"tables", "tables", -26, false},
                                        {error, error, 9, true},
                                        {"standard error", "std. err.", 9, true}};

    for (size_t i = 0; i < PARTS; i++) {
        const char *const name = marginals_measure[part[i]].name;
        columns[5 + i] = (struct column){name, name, 18, true};
    }
    doc_table(doc, columns, 5 + PARTS);
    for (size_t r = 0; r < rows; r++) {
        const struct marginals_candidate *const candidate = &advice->candidate[r];
        const double deviation = error_of(candidate);
        char tables[DESIGN_TEXT], number[NUMBER_TEXT];

        tables_text(candidate, tables);
        doc_cell(doc, "`%s`", candidate->spec.synopsis->name);
        doc_cell(doc, "`%s`", candidate->oracle->oracle->name);
        doc_cell(doc, "%s", tables);
        doc_cell(doc, "%s", format_measured(candidate->sse / candidate->trials, deviation, number));
        doc_cell(doc, "%s", format_error(deviation, number));
        for (size_t i = 0; i < PARTS; i++)
            doc_cell(doc, "%.2g", part_of(candidate, i));
    }
}

static void write_advice(struct document *doc, const struct marginals_advice *advice, size_t suited)
{
    const struct marginals_request *const request = advice->request;
    const struct marginals_candidate *const best = &advice->candidate[0];
    char tables[DESIGN_TEXT];

    doc_heading(doc, 1, "%s: d = %zu, n = %llu, epsilon = %g; %zu marginals, %llu collections",
                request->file ? SHOWN_PATH(request->file) : advice->dataset->name, dataset_d(advice->dataset),
                (unsigned long long)dataset_n(advice->dataset), request->epsilon, advice->nsets, request->trials);
    tables_text(best, tables);
    doc_gap(doc);
    doc_paragraph(doc, "%s with %s, %s: squared error %.3g of a marginal.", best->spec.synopsis->name,
                  best->oracle->oracle->name, tables, best->sse / best->trials);
    if (best->spec.synopsis->is_floor)
        doc_line(doc, "That is a floor: with this number of users and this epsilon, tables of several attributes "
                      "improve nothing.");
    write_table(doc, advice, suited < SHOWN_CANDIDATES ? suited : SHOWN_CANDIDATES);
    if (suited < advice->count)
        doc_gap(doc);
    for (size_t i = suited; i < advice->count; i++) {
        const struct marginals_candidate *const one = &advice->candidate[i];

        if (one->spec.param[0] == 0 || isnan(one->spec.param[0]) || !one->spec.synopsis->takes_sets)
            doc_paragraph(doc, "%s with %s does not suit: %s", one->spec.synopsis->name, one->oracle->oracle->name,
                          one->reason.text);
    }
}

static void add_candidate(const struct marginals_candidate *candidate, cJSON *one)
{
    json_add(one, "synopsis=%s oracle=%s", candidate->spec.synopsis->name, candidate->oracle->oracle->name);
    if (!candidate->suits) {
        json_add(one, "unsuited=%s", candidate->reason.text);
        return;
    }
    if (candidate->facts.m > 0)
        json_add(one, "m=%zu l=%zu own_choice=%d", candidate->facts.m, candidate->facts.l,
                 candidate->spec.synopsis->takes_sets && isnan(candidate->spec.param[0]));
    json_add(one, "trials=%g %s=%g stderr=%g", candidate->trials, marginals_measure[MARGINALS_SSE].name,
             candidate->sse / candidate->trials, error_of(candidate));
    for (size_t i = 0; i < PARTS; i++)
        json_add(one, "%s=%g", marginals_measure[part[i]].name, part_of(candidate, i));
}

static void print_json(const struct marginals_advice *advice)
{
    cJSON *const root = cJSON_CreateObject();

    json_add(root, "data=%s d=%zu n=%llu epsilon=%g marginals=%zu",
             advice->request->file ? SHOWN_PATH(advice->request->file) : advice->dataset->name,
             dataset_d(advice->dataset), (unsigned long long)dataset_n(advice->dataset), advice->request->epsilon,
             advice->nsets);
    cJSON *const list = cJSON_AddArrayToObject(root, "candidates");
    for (size_t i = 0; i < advice->count; i++)
        add_candidate(&advice->candidate[i], json_append(list));
    json_print(root);
}

int print_marginals_advice(const struct marginals_advice *advice, struct failure *failure)
{
    size_t suited = 0;

    while (suited < advice->count && advice->candidate[suited].suits)
        suited++;
    if (suited == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: no synopsis suits: %s",
                    advice->count > 0 ? advice->candidate[0].reason.text : "expected one");
    struct document doc = {.out = stdout, .format = advice->request->format};
    if (doc.format == JSON)
        print_json(advice);
    else
        write_advice(&doc, advice, suited);
    return 0;
}

/* recommend_marginals_print.c - what ldpbench recommend --task marginals prints: text, Markdown or JSON. */
#include "commands/recommend_marginals.h"

#include "stats/contest.h"
#include "support/document.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "support/tree.h"
#include "tasks/marginals.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_CANDIDATES = 12, DESIGN_TEXT = 96 };

static const double tie_level = 0.05;

static struct sample errors_of(const struct marginals_candidate *candidate)
{
    return sample_of(candidate->value, (size_t)candidate->trials);
}

static double error_of(const struct marginals_candidate *candidate)
{
    const struct sample errors = errors_of(candidate);
    return candidate->trials > 1 ? sample_error(&errors) : 0;
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

/* Which of those that suit are not distinguished from the first, by the judge; trial i of all saw the same coins. Those
 * that were given up after the first trials are not. */
static bool *find_ties(const struct marginals_advice *advice, size_t suited)
{
    struct sample *const sample = xcalloc(suited, sizeof *sample);
    bool *const tied = xcalloc(suited, sizeof *tied);

    for (size_t i = 0; i < suited; i++)
        sample[i] = advice->candidate[i].trials < advice->candidate[0].trials ? (struct sample){.mean = NAN}
                                                                              : errors_of(&advice->candidate[i]);
    const struct contest contest = contest_of(sample, suited, &marginals_measure[MARGINALS_SSE], tie_level, false);
    struct verdict verdict = contest_judge(&contest);
    for (size_t i = 0; i < suited; i++)
        tied[i] = i > 0 && verdict.rival[i].tied;
    verdict_clear(&verdict);
    free(sample);
    return tied;
}

static void write_ties(struct document *doc, const struct marginals_advice *advice, const bool *tied, size_t suited)
{
    struct buffer names = {0};
    char tables[DESIGN_TEXT];

    for (size_t i = 1; i < suited; i++)
        if (tied[i]) {
            const struct marginals_candidate *const one = &advice->candidate[i];
            tables_text(one, tables);
            buffer_format(&names, "%s%s with %s, %s", names.length > 0 ? "; " : "", one->spec.synopsis->name,
                          one->oracle->oracle->name, tables);
        }
    if (names.length > 0)
        doc_paragraph(doc, "Not significantly different (level %g): %s.", tie_level, names.text);
    else if (suited > 1)
        doc_paragraph(doc, "All others are significantly worse (level %g).", tie_level);
    buffer_clear(&names);
}

static void write_advice(struct document *doc, const struct marginals_advice *advice, const bool *tied, size_t suited)
{
    const struct marginals_request *const request = advice->request;
    const struct marginals_candidate *const best = &advice->candidate[0];
    char tables[DESIGN_TEXT];

    tables_text(best, tables);
    doc_heading(doc, 1, "Recommended: %s with %s, %s: squared error %.3g of a marginal", best->spec.synopsis->name,
                best->oracle->oracle->name, tables, best->sse / best->trials);
    write_ties(doc, advice, tied, suited);
    if (best->spec.synopsis->is_floor)
        doc_paragraph(doc, "That is a floor: with this number of users and this epsilon, tables of several attributes "
                           "improve nothing.");
    doc_part(doc, "Settings");
    doc_paragraph(doc, "%s: d = %zu, n = %llu, epsilon = %g; %zu marginals, %llu collections",
                  request->file ? SHOWN_PATH(request->file) : advice->dataset->name, dataset_d(advice->dataset),
                  (unsigned long long)dataset_n(advice->dataset), request->epsilon, advice->nsets, request->trials);
    doc_gap(doc);
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

static void print_json(const struct marginals_advice *advice, const bool *tied, size_t suited)
{
    cJSON *const root = cJSON_CreateObject();

    json_add(root, "data=%s d=%zu n=%llu epsilon=%g marginals=%zu",
             advice->request->file ? SHOWN_PATH(advice->request->file) : advice->dataset->name,
             dataset_d(advice->dataset), (unsigned long long)dataset_n(advice->dataset), advice->request->epsilon,
             advice->nsets);
    cJSON *const list = cJSON_AddArrayToObject(root, "candidates");
    for (size_t i = 0; i < advice->count; i++) {
        cJSON *const one = json_append(list);
        add_candidate(&advice->candidate[i], one);
        if (i < suited)
            json_add(one, "significantly_different=%d", i > 0 && !tied[i]);
    }
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
    bool *const tied = find_ties(advice, suited);
    if (doc.format == JSON)
        print_json(advice, tied, suited);
    else
        write_advice(&doc, advice, tied, suited);
    free(tied);
    return 0;
}

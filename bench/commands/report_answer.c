/* report_answer.c - the beginning of a report: the decision for each query, then regret and ranks. */
#include "commands/report.h"
#include "results/decisions.h"
#include "results/ranking.h"
#include "run/provenance.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* A table of a block, headed by its query. */
static void put_block(struct sheet *sheet, const struct decided *block)
{
    char *const size = block_size(block);
    const struct sheet_column columns[] = {{block->title, block->title, 0, SHEET_NONE}, {size, size, 0, SHEET_NONE}};
    struct texts fields = {0};

    block_rows(block, &fields);
    sheet_table(sheet, "decision", NULL, columns, 2);
    for (size_t i = 0; i < fields.count; i++)
        sheet_text(sheet, fields.text[i]);
    sheet_flush(sheet);
    texts_clear(&fields);
    free(size);
}

/* For a paper: a candidate's errors, a column for each point. What may be the best is not distinguished from it. */
static void put_errors(struct sheet *sheet, const struct decided *block)
{
    const size_t cells = block->cells < SHEET_COLUMNS_MAX - 1 ? block->cells : SHEET_COLUMNS_MAX - 2;
    struct sheet_column column[SHEET_COLUMNS_MAX] = {{.key = "query"}, {.key = "candidate", .heading = "candidate"}};
    char unit[UNIT_TEXT];

    for (size_t c = 0; c < cells; c++) {
        const char *const heading = *block->cell[c] ? block->cell[c] : "error";
        column[c + 2] = (struct sheet_column){heading, heading, 2, SHEET_NONE};
    }
    sheet_say(sheet, "%s: error in %s, %zu repetitions", block->title, block_unit(block, unit), block->repetitions);
    if (cells < block->cells)
        sheet_say(sheet, "the first %zu of %zu points", cells, block->cells);
    sheet_table(sheet, "errors", NULL, column, cells + 2);
    for (size_t i = 0; i < block->candidates; i++) {
        sheet_row(sheet, "tt", block->title, block->candidate[i].name);
        for (size_t c = 0; c < cells; c++) {
            const struct candidate_result *const at = &block->decision.at[c * block->candidates + i];
            if (!at->measured) {
                sheet_text(sheet, NULL);
                continue;
            }
            sheet_number(sheet, block->error[c * block->candidates + i]);
            sheet_mark(sheet, i == block->decision.least[c] ? SHEET_BEST : at->may_be_best ? SHEET_TIE : SHEET_PLAIN);
        }
    }
}

void decisions_put(struct sheet *sheet, const struct decisions *decisions)
{
    struct document *const doc = &sheet->doc;

    if (doc->format == JSON)
        decisions_json(decisions, sheet->root);
    if (doc->format == TEXT) {
        char *const text = decisions_text(decisions);
        for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
            doc_mark(doc, strncmp(line, "  take", 6) == 0 ? "1;32" : *line == ' ' ? "0" : "1");
            doc_line(doc, "%.*s", (int)(end - line), line);
        }
        doc_mark(doc, "0");
        free(text);
    }
    const bool has_rows = doc->format == MARKDOWN || doc->format == HTML;
    const char *const notes = has_rows && decisions->notes.text ? decisions->notes.text : "";
    for (const char *line = notes, *end; (end = strchr(line, '\n')); line = end + 1)
        doc_paragraph(doc, "%.*s", (int)(end - line), line);
    for (size_t b = 0; b < decisions->count; b++)
        if (has_rows)
            put_block(sheet, &decisions->block[b]);
        else if (doc->format == LATEX || doc->format == CSV)
            put_errors(sheet, &decisions->block[b]);
    sheet_flush(sheet);
}

int report_answers(struct report *report, struct failure *failure)
{
    cJSON *const list = report->request->format == JSON ? cJSON_CreateArray() : NULL;
    struct sheet *const sheet = &report->sheet;
    int result = 0;

    if (list)
        cJSON_Delete(sheet->root);
    for (size_t i = 0; result == 0 && i < report->nfolders; i++) {
        const struct folder *const folder = &report->folder[i];
        const char *const protection = provenance_text(folder->made, "protection");
        struct decisions decisions;

        result = decisions_find(folder->results, report->request->level, report->styles, 2, false, &decisions, failure);
        const bool is_said = result == 0 && !list;
        if (list) {
            sheet->root = json_append(list);
            json_add(sheet->root, "experiment=%s", report_name(folder));
        }
        if (is_said && report->nfolders > 1 && (decisions.count > 0 || decisions.notes.length > 0))
            sheet_say(sheet, "%s:", report_name(folder));
        if (result == 0)
            decisions_put(sheet, &decisions);
        if (is_said && decisions.count > 0 && (sheet->doc.format == MARKDOWN || sheet->doc.format == HTML))
            doc_paragraph(&sheet->doc,
                          "\"At most\" and \"as good\" are simultaneous statements of %g %% confidence, for each query "
                          "and point; \"+17 %%\" is an estimate. Errors are root mean squares over values and "
                          "repetitions, in percentage points of users, unless another unit is named.",
                          100 * (1 - report->request->level));
        if (is_said && protection && sheet->doc.format != LATEX)
            doc_paragraph(&sheet->doc, "%s", protection);
        decisions_clear(&decisions);
    }
    if (result == 0 && list)
        json_print(list, stdout);
    else
        cJSON_Delete(list);
    return result;
}

int report_answer(const char *folder, FILE *out, struct failure *failure)
{
    const struct report_request request = {.level = 0.05};
    struct report report = {.request = &request, .sheet = sheet_begin(out, TEXT)};
    char *path = xstrdup(folder);
    int result = report_open(&report, &path, 1, failure);

    if (result == 0)
        result = report_answers(&report, failure);
    report_close(&report);
    free(path);
    return result;
}

/* ---- Regret and ranks: a table of each measure ---- */

enum { FOLDED = 5 };

static void put_heading(struct report *report)
{
    struct document *const doc = &report->sheet.doc;

    doc->anchor = "ranking";
    doc_heading(doc, 2, "Regret and ranks");
    doc_paragraph(
        doc,
        "A setting is a point of the grid at which all candidates were measured. Regret is an error divided by the "
        "lowest error of its setting, as a geometric mean over settings: once for mean errors, once for their 95th "
        "percentiles over repetitions; its interval is for other data sets of the same kind (of three or more). Measures of which more is better have no regret. Wins and losses count the pairs that differ "
        "significantly (Holm's correction, level %g). The mean rank is over the settings, 1 the best; its interval "
        "counts only what is significantly better or worse.",
        report->request->level);
}

/* The part of the page of one folder; notes: what is left out. */
static int put_ranking(struct report *report, const struct folder *folder, struct buffer *notes,
                       struct failure *failure)
{
    struct sheet *const sheet = &report->sheet;
    const char *const experiment = report_name(folder);

    for (size_t i = 0; i < results_count(folder->results); i++) {
        const struct result_table *const table = results_table(folder->results, i, failure);
        struct ranking *ranking;

        if (!table)
            return -1;
        const size_t count =
            ranking_find(&(struct ranking_request){.table = table, .level = report->request->level}, &ranking);
        for (size_t s = 0; s < count; s++) { /* the first in sight, the others folded */
            if (sheet->level != FOLDED) {
                put_heading(report);
                sheet->level = 3;
            }
            ranking_put(sheet, experiment, report->nfolders > 1, table->table->subject, table->table->file, &ranking[s],
                        1, report->styles);
            sheet_flush(sheet);
            sheet->level = FOLDED;
        }
        if (count > 0 && *ranking[0].others)
            buffer_format(notes, "%s, %s: comparable in some of the settings only, and left out here: %s. ", experiment,
                          table->table->file, ranking[0].others);
        ranking_free(ranking, count);
    }
    return 0;
}

int report_ranking(struct report *report, struct failure *failure)
{
    struct document *const doc = &report->sheet.doc;
    struct buffer notes = {0};
    int result = 0;

    for (size_t i = 0; result == 0 && i < report->nfolders; i++)
        result = put_ranking(report, &report->folder[i], &notes, failure);
    doc_end(doc);
    if (notes.length > 0)
        doc_paragraph(doc, "%s", notes.text);
    buffer_clear(&notes);
    return result;
}

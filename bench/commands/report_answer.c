/* report_answer.c - the beginning of a report: the decision for each query. */
#include "commands/report.h"
#include "results/decisions.h"
#include "run/provenance.h"
#include "support/memory.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* The lines of a text, a paragraph each. */
static void put_lines(struct document *doc, const char *text)
{
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        doc_paragraph(doc, "%.*s", (int)(end - line), line);
}

/* A table of a block, headed by its query. */
static void put_block(struct sheet *sheet, const struct decided *block)
{
    struct texts fields = {0};

    texts_copy(&fields, (const char *const[]){block->title}, 1);
    texts_keep(&fields, block_size(block));
    block_rows(block, &fields);
    report_fields(sheet, 2, fields.text, fields.count / 2 - 1);
    texts_clear(&fields);
}

/* For a paper: a candidate's errors, a column for each point. What may be the best is not distinguished from it. */
static void put_errors(struct sheet *sheet, const struct decided *block)
{
    const size_t cells = block->cells < SHEET_COLUMNS_MAX ? block->cells : SHEET_COLUMNS_MAX - 1;
    struct sheet_column column[SHEET_COLUMNS_MAX] = {{.key = "candidate", .heading = "candidate"}};
    char unit[UNIT_TEXT];

    for (size_t c = 0; c < cells; c++) {
        const char *const heading = *block->cell[c] ? block->cell[c] : "error";
        column[c + 1] = (struct sheet_column){heading, heading, 2, SHEET_NONE};
    }
    sheet_say(sheet, "%s: error in %s, %zu repetitions", block->title, block_unit(block, unit), block->repetitions);
    if (cells < block->cells)
        sheet_say(sheet, "the first %zu of %zu points", cells, block->cells);
    sheet_table(sheet, "errors", NULL, column, cells + 1);
    for (size_t i = 0; i < block->candidates; i++) {
        sheet_text(sheet, block->candidate[i].name);
        for (size_t c = 0; c < cells; c++) {
            const struct standing_in_cell *const at = &block->decision.at[c * block->candidates + i];
            if (!at->measured) {
                sheet_text(sheet, NULL);
                continue;
            }
            const size_t row = block->row[c * block->candidates + i];
            sheet_number(sheet,
                         decision_error(block->measure->unit, result_number(block->table, row, block->place)->mean));
            sheet_mark(sheet, i == block->decision.least[c] ? SHEET_BEST : at->may_be_best ? SHEET_TIE : SHEET_PLAIN);
        }
    }
    sheet_flush(sheet);
}

static void put_decisions(struct report *report, const struct decisions *decisions)
{
    struct document *const doc = &report->sheet.doc;

    if (doc->format == TEXT) {
        char *const text = decisions_text(decisions);
        fputs(text, doc->out);
        free(text);
        return;
    }
    for (size_t b = 0; doc->format == LATEX && b < decisions->count; b++)
        put_errors(&report->sheet, &decisions->block[b]);
    if (doc->format == LATEX)
        return;
    put_lines(doc, decisions->notes.text ? decisions->notes.text : "");
    for (size_t b = 0; b < decisions->count; b++)
        put_block(&report->sheet, &decisions->block[b]);
    if (decisions->count > 0)
        doc_paragraph(
            doc,
            "\"At most\" and \"as good\" are simultaneous statements of %g %% confidence, for each query and point; "
            "\"+17 %%\" is an estimate. Errors are root mean squares over values and "
            "repetitions, in percentage points of users, unless another unit is named.",
            100 * (1 - report->request->level));
}

int report_answers(struct report *report, struct failure *failure)
{
    for (size_t i = 0; i < report->nfolders; i++) {
        const struct folder *const folder = &report->folder[i];
        const char *const protection = provenance_text(folder->made, "protection");
        struct decisions decisions;

        const int result =
            decisions_find(folder->results, report->request->level, report->style, 2, &decisions, failure);
        if (result == 0 && report->nfolders > 1 && (decisions.count > 0 || decisions.notes.length > 0))
            sheet_say(&report->sheet, "%s:", report_name(folder));
        if (result == 0)
            put_decisions(report, &decisions);
        decisions_clear(&decisions);
        if (result != 0)
            return -1;
        if (protection && report->sheet.doc.format != LATEX)
            doc_paragraph(&report->sheet.doc, "%s", protection);
    }
    return 0;
}

int report_answers_json(struct report *report, struct failure *failure)
{
    cJSON *const list = cJSON_CreateArray();

    for (size_t i = 0; i < report->nfolders; i++) {
        const struct folder *const folder = &report->folder[i];
        struct decisions decisions;

        if (decisions_find(folder->results, report->request->level, report->style, 2, &decisions, failure) != 0) {
            decisions_clear(&decisions);
            cJSON_Delete(list);
            return -1;
        }
        cJSON *const object = json_append(list);
        json_add(object, "experiment=%s", report_name(folder));
        decisions_json(&decisions, object);
        decisions_clear(&decisions);
    }
    json_print(list);
    return 0;
}

int report_answer(const char *folder, FILE *out, struct failure *failure)
{
    const struct request request = {.level = 0.05};
    struct report report = {.request = &request, .sheet = sheet_begin(out, TEXT)};
    char *path = xstrdup(folder);
    int result = report_open(&report, &path, 1, failure);

    if (result == 0)
        result = report_answers(&report, failure);
    report_close(&report);
    free(path);
    return result;
}

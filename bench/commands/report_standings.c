/* report_standings.c - the part of report about regret and ranks: a table of each measure, and a file in each folder.
 */
#include "commands/report.h"
#include "results/standings.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

/* The subject of all tables. */
static const char *common_subject(const struct report *report)
{
    const char *subject = NULL;

    for (size_t f = 0; f < report->nfolders; f++)
        for (size_t i = 0; i < results_count(report->folder[f].results); i++) {
            const char *const other = results_declared(report->folder[f].results, i)->subject;

            if (subject && other && strcmp(subject, other) != 0)
                return "compared";
            subject = other ? other : subject;
        }
    return subject ? subject : "compared";
}

enum { FOLDED = 5 };

static void put_heading(struct report *report)
{
    struct document *const doc = &report->sheet.doc;

    doc->anchor = "standings";
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

/* The standings of one folder: a part of the page, a file of the folder, and what they leave out. */
static int put_folder(struct report *report, const struct folder *folder, struct sheet *file, struct buffer *notes,
                      struct failure *failure)
{
    struct sheet *const sheet = &report->sheet;
    const char *const experiment = report_name(folder), *const subject = common_subject(report);

    for (size_t i = 0; i < results_count(folder->results); i++) {
        const struct result_table *const table = results_table(folder->results, i, failure);
        struct standings *standings;

        if (!table)
            return -1;
        const size_t count =
            standings_find(&(struct ranking){.table = table, .level = report->request->level}, &standings);
        for (size_t s = 0; s < count; s++) { /* the first in sight, the others folded */
            if (sheet->level != FOLDED) {
                put_heading(report);
                sheet->level = 3;
            }
            standings_put(sheet, experiment, report->nfolders > 1, subject, table->table->file, &standings[s], 1,
                          report->style);
            sheet_flush(sheet);
            sheet->level = FOLDED;
        }
        standings_put(file, experiment, false, subject, table->table->file, standings, count, NULL);
        if (count > 0 && *standings[0].others)
            buffer_format(notes, "%s, %s: comparable in some of the settings only, and left out here: %s. ", experiment,
                          table->table->file, standings[0].others);
        standings_free(standings, count);
    }
    return 0;
}

static int write_folder(struct report *report, const struct folder *folder, struct buffer *notes,
                        struct failure *failure)
{
    static const char name[] = "standings.csv";
    char *csv = NULL;
    size_t size = 0;
    struct whole_file out;
    struct sheet file = sheet_begin(xmemstream(&csv, &size), CSV);

    int result = put_folder(report, folder, &file, notes, failure);
    sheet_end(&file);
    fclose(file.doc.out);
    if (result == 0 && size > 0 && !report->request->no_plots &&
        (result = whole_file_open(&out, folder->path, name, failure)) == 0) {
        fputs(csv, out.stream);
        result = whole_file_close(&out, failure);
        if (result == 0)
            result = provenance_add_file(folder->path, MADE_REPORT, name, failure);
    }
    free(csv);
    return result;
}

int report_standings(struct report *report, struct failure *failure)
{
    struct document *const doc = &report->sheet.doc;
    struct buffer notes = {0};
    int result = 0;

    for (size_t i = 0; result == 0 && i < report->nfolders; i++)
        result = write_folder(report, &report->folder[i], &notes, failure);
    doc_end(doc);
    if (notes.length > 0)
        doc_paragraph(doc, "%s", notes.text);
    buffer_clear(&notes);
    return result;
}

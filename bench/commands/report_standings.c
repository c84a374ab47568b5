/* report_standings.c - the part of report about regret and ranks: one table of all folders, and a file in each. */
#include "commands/report.h"
#include "results/standings.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

/* The folder's standings as a file of its own. */
static int write_standings_file(const struct folder *folder, const char *csv, struct failure *failure)
{
    static const char name[] = "standings.csv";
    struct whole_file file;

    if (whole_file_open(&file, folder->path, name, failure) != 0)
        return -1;
    fputs(csv, file.stream);
    if (whole_file_close(&file, failure) != 0)
        return -1;
    return provenance_add_file(folder->path, MADE_REPORT, name, failure);
}

/* Adds those of one folder to the rows of the page's table, to its notes and to lines of CSV. */
static int add_standings(const struct report *report, const struct folder *folder, struct texts *fields, FILE *csv,
                         struct buffer *notes, struct failure *failure)
{
    const char *const name = report->nfolders > 1 ? report_name(folder) : NULL;

    for (size_t i = 0; i < results_count(folder->results); i++) {
        const struct result_table *const table = results_table(folder->results, i, failure);
        struct standings *standings;

        if (!table)
            return -1;
        const size_t count = standings_find(table, report->request->level, &standings);
        standings_rows(fields, name, standings, count, report->style);
        standings_csv(csv, report_name(folder), table->table->file, standings, count);
        if (count > 0 && *standings[0].others)
            buffer_format(notes, "%s, %s: comparable at some of the points only, and left out here: %s. ",
                          report_name(folder), table->table->file, standings[0].others);
        standings_free(standings, count);
    }
    return 0;
}

static int write_standings_of(const struct report *report, const struct folder *folder, struct texts *fields,
                              struct buffer *notes, struct failure *failure)
{
    const size_t before = fields->count;
    char *csv = NULL;
    size_t size = 0;
    FILE *const lines = xmemstream(&csv, &size);

    standings_csv_head(lines);
    int result = add_standings(report, folder, fields, lines, notes, failure);
    fclose(lines);
    if (result == 0 && fields->count > before && !report->request->no_plots)
        result = write_standings_file(folder, csv, failure);
    free(csv);
    return result;
}

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

enum { ROWS_SHOWN = 10 };

/* The first rows, the others folded. */
static void put_rows(struct document *doc, const struct texts *fields, size_t columns)
{
    const char *const *const field = (const char *const *)fields->text;
    const size_t rows = fields->count / columns - 1,
                 shown = rows > ROWS_SHOWN && doc->format == HTML ? ROWS_SHOWN : rows;
    struct texts others = {0};

    doc_fields(doc, columns, field, shown);
    if (shown == rows)
        return;
    texts_copy(&others, field, columns);
    texts_copy(&others, field + (1 + shown) * columns, (rows - shown) * columns);
    doc_heading(doc, 5, "The other %s", COUNTED(rows - shown, "row"));
    doc_fields(doc, columns, (const char *const *)others.text, rows - shown);
    doc_end(doc);
    texts_clear(&others);
}

/* The table, and below it what it leaves out. */
static void put_standings(struct report *report, const struct texts *fields, size_t columns, const char *notes)
{
    report->doc.anchor = "standings";
    doc_heading(&report->doc, 2, "Regret and ranks");
    doc_paragraph(
        &report->doc,
        "A contest is a point of the grid at which all candidates were measured. Regret is an error divided by the "
        "least error of its contest, as a geometric mean over contests: once for mean errors, once for their 95th "
        "percentiles over repetitions. Measures of which more is better have no regret. Wins and losses count the pairs that differ "
        "significantly (Holm's correction, level %g). Rank is the mean rank over the contests, 1 the best; its interval "
        "counts only what is significantly better or worse.",
        report->request->level);
    put_rows(&report->doc, fields, columns);
    if (notes)
        doc_paragraph(&report->doc, "%s", notes);
}

int report_standings(struct report *report, struct failure *failure)
{
    struct texts fields = {0};
    struct buffer notes = {0};
    const size_t columns = standings_head(&fields, common_subject(report), report->nfolders > 1);
    int result = 0;

    for (size_t i = 0; result == 0 && i < report->nfolders; i++)
        result = write_standings_of(report, &report->folder[i], &fields, &notes, failure);
    if (result == 0 && fields.count > columns)
        put_standings(report, &fields, columns, notes.text);
    buffer_clear(&notes);
    texts_clear(&fields);
    return result;
}

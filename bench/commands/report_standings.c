/* report_standings.c - the part of report about regret and ranks: one table of all folders, and a file in each. */
#include "commands/report.h"
#include "results/fields.h"
#include "results/standings.h"
#include "support/files.h"
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

/* Those of one folder: rows of the page's table, and lines of CSV. */
static int add_standings(const struct report *report, const struct folder *folder, struct fields *fields, FILE *csv,
                         FILE *notes, struct failure *failure)
{
    const char *const name = report->nfolders > 1 ? report_name(folder) : NULL;
    int result = 0;

    for (size_t i = 0; result == 0 && i < results_count(folder->results); i++) {
        const struct result_table *const table = results_table(folder->results, i, failure);
        struct standings *standings = NULL;
        size_t count = 0;

        result = table ? standings_find(table, report->request->level, &standings, &count, failure) : -1;
        if (result == 0)
            result = standings_rows(fields, name, standings, count, report->style, failure);
        if (result == 0)
            standings_csv(csv, report_name(folder), table->table->file, standings, count);
        if (result == 0 && count > 0 && *standings[0].others)
            fprintf(notes, "%s, %s: comparable at some of the points only, and left out here: %s. ",
                    report_name(folder), table->table->file, standings[0].others);
        standings_free(standings, count);
    }
    return result;
}

static int write_standings_of(const struct report *report, const struct folder *folder, struct fields *fields,
                              FILE *notes, struct failure *failure)
{
    const size_t before = fields->count;
    char *csv = NULL;
    size_t size = 0;
    FILE *const lines = open_memstream(&csv, &size);

    if (!lines)
        return fail_memory(failure);
    standings_csv_head(lines);
    int result = add_standings(report, folder, fields, lines, notes, failure);
    if (fclose(lines) != 0 && result == 0)
        result = fail_memory(failure);
    if (result == 0 && fields->count > before && !report->request->no_plots)
        result = write_standings_file(folder, csv, failure);
    free(csv);
    return result;
}

/* What all tables compare. */
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

/* The table, and below it what it leaves out. */
static void put_standings(struct report *report, const struct fields *fields, size_t columns, const char *notes)
{
    report->doc.anchor = "standings";
    doc_heading(&report->doc, 2, "Regret and ranks");
    doc_paragraph(
        &report->doc,
        "A contest is a point at which all of them were measured. Regret: the geometric mean over contests of an "
        "error over the least error there; of means, and of the 95th percentiles over repetitions; none where "
        "more is better. Wins and losses: pairs that differ, Holm's correction over all of them, level %g. Rank: "
        "its mean over contests, 1 the best; the interval counts in each contest what is surely better or worse.",
        report->request->level);
    doc_fields(&report->doc, columns, (const char *const *)fields->text, fields->count / columns - 1);
    if (*notes)
        doc_paragraph(&report->doc, "%s", notes);
}

int report_standings(struct report *report, struct failure *failure)
{
    struct fields fields = {0};
    char *notes = NULL;
    size_t size = 0;
    FILE *const list = open_memstream(&notes, &size);

    if (!list)
        return fail_memory(failure);
    const int columns = standings_head(&fields, common_subject(report), report->nfolders > 1, failure);
    int result = columns > 0 ? 0 : -1;
    for (size_t i = 0; result == 0 && i < report->nfolders; i++)
        result = write_standings_of(report, &report->folder[i], &fields, list, failure);
    if (fclose(list) != 0 && result == 0)
        result = fail_memory(failure);
    if (result == 0 && fields.count > (size_t)columns)
        put_standings(report, &fields, (size_t)columns, notes);
    free(notes);
    fields_clear(&fields);
    return result;
}

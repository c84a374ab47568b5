/* report.c - ldpbench report: one page of result folders: the decision for each query, figures, tables, and the
 * provenance of the results. */
#include "commands/report.h"
#include "commands/commands.h"
#include "results/browse.h"
#include "results/html.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* ---- what made it ---- */

/* A row of the table; frees the value. */
static void put_origin(struct sheet *sheet, const char *what, char *value)
{
    sheet_text(sheet, what);
    sheet_text(sheet, value);
    free(value);
}

/* The config, and the builds of the program that made the numbers, several if results of another build were kept. */
static void write_origin(struct sheet *sheet, const struct provenance *made)
{
    static const char *const members[] = {"experiment",  "task",    "seed",   "repetitions", "config_file",
                                          "config_hash", "version", "commit", "compiler",    "host",
                                          "threads",     "seconds", "time"};
    static const struct sheet_column columns[] = {{"what", "what", 0, SHEET_NONE}, {"value", "value", 0, SHEET_NONE}};
    const cJSON *const root = provenance_json(made), *item;
    const char *const config = provenance_text(made, "config");

    doc_heading(&sheet->doc, 5, "What made it");
    sheet_table(sheet, "origin", NULL, columns, 2);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char number[NUMBER_TEXT];

        item = cJSON_GetObjectItemCaseSensitive(root, members[i]);
        if (cJSON_IsString(item))
            put_origin(sheet, members[i], xstrdup(item->valuestring));
        else if (cJSON_IsNumber(item))
            put_origin(sheet, members[i], xstrdup(format_number(item->valuedouble, number)));
    }
    for (size_t i = 0; i < provenance_builds(made); i++) {
        const struct build_share of = provenance_build(made, i);

        put_origin(sheet, "build", xformat("%s, %.3g %% of the numbers", of.build, 100 * of.share));
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "notes"))
        put_origin(sheet, "note", xstrdup(cJSON_IsString(item) ? item->valuestring : ""));
    sheet_flush(sheet);
    if (config) {
        doc_heading(&sheet->doc, 5, "The config");
        doc_code(&sheet->doc, config);
    }
}

const char *report_name(const struct folder *folder)
{
    const char *const name = provenance_text(folder->made, "experiment");

    return name ? name : folder->path;
}

/* ---- tables ---- */

enum { ROWS_MAX = 200 };

struct report_rows {
    struct sheet *sheet;
    const struct table *table;
};

/* A row of a table; first the names of its columns come. */
static int put_row(void *context, const char *const *field, size_t count, struct failure *failure)
{
    const struct report_rows *const rows = context;
    struct sheet_column column[SHEET_COLUMNS_MAX] = {0};

    for (size_t i = 0; i < count; i++) {
        column[i].key = column[i].heading = rows->table->columns[i].name;
        if (rows->sheet->columns > 0)
            sheet_text(rows->sheet, field[i]);
    }
    if (rows->sheet->columns == 0)
        sheet_table(rows->sheet, "table", NULL, column, count);
    return 0;
}

static int write_table(struct sheet *sheet, struct results *results, size_t index, struct failure *failure)
{
    const struct result_table *const table = results_table(results, index, failure);

    if (!table)
        return -1;
    const char *const file = table->table->file;
    if (table->nrows > ROWS_MAX) {
        doc_paragraph(&sheet->doc,
                      "%s has %zu rows, too many for this part of the page. All of them can be browsed above, where "
                      "scripts run.",
                      file, table->nrows);
        return 0;
    }
    struct report_rows rows = {sheet, table->table};
    doc_heading(&sheet->doc, 5, "%s (%s)", file, COUNTED(table->nrows, "row"));
    const int result = results_each(results, index, put_row, &rows, failure);
    sheet_flush(sheet);
    return result;
}

/* All tables, for the page's script; malloc'd JSON, NULL with a failure. */
static char *tables_to_browse(const struct report *report, struct failure *failure)
{
    char *json = NULL;
    size_t size = 0, count = 0;
    FILE *const out = xmemstream(&json, &size);
    bool failed = false;

    fputs("{\"tables\": [", out);
    for (size_t f = 0; !failed && f < report->nfolders; f++)
        for (size_t i = 0; !failed && i < results_count(report->folder[f].results); i++) {
            const struct result_table *const table = results_table(report->folder[f].results, i, failure);

            failed = !table;
            if (failed || table->nrows == 0)
                continue;
            fputs(count++ > 0 ? ",\n" : "\n", out);
            browse_write(out, report_name(&report->folder[f]), table, report->styles);
        }
    fputs("]}\n", out);
    fclose(out);
    if (!failed)
        return json;
    free(json);
    return NULL;
}

/* ---- the page ---- */

static int write_folder(struct report *report, size_t index, struct failure *failure)
{
    const struct folder *const folder = &report->folder[index];
    struct document *const doc = &report->sheet.doc;
    char *const anchor = xformat("result-%zu", index + 1);

    doc->anchor = anchor;
    doc_heading(doc, 2, "%s", report_name(folder));
    free(anchor);
    const char *const text = provenance_text(folder->made, "config");
    cJSON *const config = text ? cJSON_Parse(text) : NULL;
    const char *const description = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "description"));
    if (description)
        doc_paragraph(doc, "%s", description);
    cJSON_Delete(config);
    pictures_write(&report->pictures, folder->path, doc);
    doc_heading(doc, 3, "Tables");
    for (size_t i = 0; i < results_count(folder->results); i++)
        if (write_table(&report->sheet, folder->results, i, failure) != 0)
            return -1;
    write_origin(&report->sheet, folder->made);
    return 0;
}

static int write_parts(struct report *report, struct failure *failure)
{
    struct document *const doc = &report->sheet.doc;
    int result = report_answers(report, failure);

    if (result == 0 && doc->format == HTML)
        pictures_first(&report->pictures, doc);
    for (size_t i = 0; i < report->nfolders && report->nfolders > 1; i++) {
        char *const anchor = xformat("result-%zu", i + 1);
        doc_link(doc, anchor, report_name(&report->folder[i]));
        free(anchor);
    }
    if (result == 0)
        result = report_ranking(report, failure);
    if (doc->format == HTML)
        doc_place(doc, "browse");
    for (size_t i = 0; result == 0 && i < report->nfolders; i++)
        result = write_folder(report, i, failure);
    doc_end(doc);
    return result;
}

static int write_page(struct report *report, struct failure *failure)
{
    const char *const title = report->nfolders == 1 ? report_name(&report->folder[0]) : "Results of ldpbench";
    struct document *const doc = &report->sheet.doc;

    for (size_t i = 0; !report->request->no_plots && i < report->nfolders; i++)
        if (pictures_read(&report->pictures, report->path, report->folder[i].path, report->folder[i].made,
                          report->styles, failure) != 0)
            return -1;
    char *const tables = doc->format == HTML ? tables_to_browse(report, failure) : NULL;
    if (doc->format == HTML && !tables)
        return -1;
    if (doc->format == HTML)
        html_begin(doc->out, title, pictures_pack(&report->pictures));
    else
        putc('\n', doc->out);
    doc_heading(doc, 1, "%s", title);
    const int result = write_parts(report, failure);
    if (doc->format == HTML)
        html_end(doc->out, tables);
    free(tables);
    return result;
}

int report_open(struct report *report, char *const *path, size_t count, struct failure *failure)
{
    report->folder = xcalloc(count, sizeof *report->folder);
    report->nfolders = count;
    for (size_t i = 0; i < count; i++) {
        struct folder *const folder = &report->folder[i];

        folder->path = path[i];
        if (provenance_load(path[i], &folder->made, failure) != 0 ||
            results_open(path[i], &folder->results, failure) != 0)
            return -1;
    }
    char *const share = share_folder();
    int result = 0;
    if (share) {
        result = style_load(share, &report->style_read, failure);
        report->styles = &report->style_read;
    }
    for (size_t i = 0; share && result == 0 && i < count; i++) {
        const char *const config = results_origin(report->folder[i].results)->config;
        cJSON *const read = config ? cJSON_Parse(config) : NULL;

        style_take_labels(&report->style_read, read);
        cJSON_Delete(read);
    }
    free(share);
    return result;
}

void report_close(struct report *report)
{
    pictures_clear(&report->pictures);
    style_clear(&report->style_read);
    for (size_t i = 0; report->folder && i < report->nfolders; i++) {
        results_close(report->folder[i].results);
        provenance_free(report->folder[i].made);
    }
    free(report->folder);
}

static const char *const page_formats[] = {"html", "md", "text", "json", "latex", NULL};

#define REQUEST struct report_request
static const struct command_option known_options[] = {
    {"output", "FILE", FILE_OF(output), "The page; FILE.md is Markdown. Default report.html or report.md.", 'o'},
    {"format", "FORMAT", WORD_OF(format, page_formats),
     "Format of the page. text: the decisions alone, by default to standard output; json: these, and all candidates at "
     "each point, to standard output; latex: a table of errors for each query, by default to standard output, the best "
     "bold, what may be the best underlined. Default html."},
    {"level", "P", LEVEL(level), "Level of the tests. Default 0.05."},
    {"no-plots", NULL, FLAG(no_plots), "Draw no figures."},
    {.name = NULL},
};

static int read_request(int argc, char **argv, struct report_request *request, struct failure *failure)
{
    static const enum format page_format[] = {HTML, MARKDOWN, TEXT, JSON, LATEX};

    *request = (struct report_request){.level = 0.05};
    if (read_options(&command_report, argc, argv, request, failure) != 0)
        return -1;
    request->format = page_format[request->format];
    if (optind == argc)
        return fail(failure, EXIT_BAD_INPUT, "report: missing operand: the folder of a result");
    const bool ends_md = request->output && text_ends_with(request->output, ".md"),
               ends_html = request->output && text_ends_with(request->output, ".html");
    if (request->format == JSON && request->output)
        return fail(failure, EXIT_BAD_INPUT,
                    "report: expected no -o with --format json, which goes to standard output");
    if (request->format == TEXT || request->format == JSON || request->format == LATEX) {
        request->no_plots = true;
        return 0;
    }
    if (option_given(&command_report, "format") && (request->format == MARKDOWN ? ends_html : ends_md))
        return fail(failure, EXIT_BAD_INPUT, "-o: expected a file %s, as --format says, got \"%s\"",
                    request->format == MARKDOWN ? "*.md" : "*.html", SHOWN(request->output));
    const char *const ending = request->output ? strrchr(request->output, '.') : NULL;
    if (ending && isalpha((unsigned char)ending[1]) && !strchr(ending, '/') && !ends_md && !ends_html &&
        !option_given(&command_report, "format"))
        return fail(failure, EXIT_BAD_INPUT, "-o: expected a file *.html or *.md, got \"%s\"", SHOWN(request->output));
    if (ends_md)
        request->format = MARKDOWN;
    if (!request->output)
        request->output = request->format == MARKDOWN ? "report.md" : "report.html";
    return 0;
}

/* Into the file, or of a text without one to standard output. */
static int write_document(struct report *report, struct failure *failure)
{
    struct whole_file file;

    report->sheet = sheet_begin(stdout, report->request->format);
    if (!report->request->output)
        return report_answers(report, failure);
    if (output_open(&file, report->request->output, failure) != 0)
        return -1;
    report->path = file.temporary ? report->request->output : "";
    report->sheet.doc.out = file.stream;
    if ((report->request->format == TEXT || report->request->format == LATEX ? report_answers(report, failure)
                                                                             : write_page(report, failure)) == 0)
        return whole_file_close(&file, failure);
    whole_file_abandon(&file);
    return -1;
}

static int run(int argc, char **argv, struct failure *failure)
{
    struct report_request request;

    if (read_request(argc, argv, &request, failure) != 0)
        return -1;
    if (request.output && output_check(request.output, failure) != 0)
        return -1;
    for (int i = optind; !request.no_plots && i < argc; i++)
        if (!pictures_present(argv[i]) && draw_folders(&argv[i], 1, failure) != 0)
            return -1;
    struct report report = {.request = &request, .path = ""};
    int result = report_open(&report, argv + optind, (size_t)(argc - optind), failure);
    if (result == 0)
        result = write_document(&report, failure);
    report_close(&report);
    return result;
}

const struct command command_report = {
    .name = "report",
    .operands = "DIR...",
    .summary = "what to take for each query; one page of figures and tables",
    .examples = {"report results/survey -o survey.html", "report results/survey --format md"},
    .about =
        "Makes one self-contained page of result folders: the decision for each query (what to take, how wrong its "
        "answers are, what is as good, what the others cost, what is not decided); regret and ranks; the tables, to be filtered, drawn and sorted; the figures, which are drawn "
        "where plot has not drawn them yet; and how everything was made.",
    .options = known_options,
    .takes = TAKES_FOLDERS,
    .run = run,
};

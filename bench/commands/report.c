/* report.c - ldpbench report: one page of result folders: figures, the best method for each query with its
 * significance, the agreement with the paper, the tables, and what made it all. */
#include "commands/commands.h"
#include "results/best.h"
#include "results/csv.h"
#include "results/fields.h"
#include "results/html.h"
#include "results/page.h"
#include "results/pictures.h"
#include "results/results.h"
#include "results/standings.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
    const char *output, *agreement;
    bool markdown, no_plots;
    double level;
};

/* ---- what made it ---- */

static int add_origin(struct fields *fields, const char *what, char *value, struct failure *failure)
{
    const int result = fields_add(fields, &what, 1, failure);

    if (result == 0)
        return fields_take(fields, value, failure);
    free(value);
    return -1;
}

/* The builds of the program whose numbers the tables are made of: several where those of another were kept. */
static int add_builds(struct fields *fields, const struct provenance *made, struct failure *failure)
{
    const size_t count = provenance_builds(made);

    for (size_t i = 0; i < count; i++) {
        const struct build_share of = provenance_build(made, i);
        char *const text = text_format("%s, %.3g %% of the numbers", of.build, 100 * of.share);

        if (add_origin(fields, "build", text, failure) != 0)
            return -1;
    }
    return 0;
}

/* What run said beside the numbers. */
static int add_notes(struct fields *fields, const struct provenance *made, struct failure *failure)
{
    const cJSON *const notes = cJSON_GetObjectItemCaseSensitive(provenance_json(made), "notes");
    const cJSON *item;

    cJSON_ArrayForEach(item, notes)
    {
        char *const text = cJSON_IsString(item) ? strdup(item->valuestring) : strdup("");

        if (add_origin(fields, "note", text, failure) != 0)
            return -1;
    }
    return 0;
}

static int write_origin(FILE *page, const struct provenance *made, struct failure *failure)
{
    static const char *const members[] = {"experiment",  "task",    "seed",   "repetitions", "config_file",
                                          "config_hash", "version", "commit", "compiler",    "host",
                                          "threads",     "seconds", "time"};
    static const char *const head[] = {"what", "value"};
    struct fields fields = {0};
    const char *const config = provenance_text(made, "config");
    int result = fields_add(&fields, head, 2, failure);

    for (size_t i = 0; result == 0 && i < sizeof members / sizeof *members; i++) {
        const cJSON *const item = cJSON_GetObjectItemCaseSensitive(provenance_json(made), members[i]);
        char *const value = cJSON_IsString(item) ? strdup(item->valuestring)
                            : item               ? cJSON_PrintUnformatted(item)
                                                 : NULL;

        if (value)
            result = add_origin(&fields, members[i], value, failure);
    }
    if (result == 0)
        result = add_builds(&fields, made, failure) == 0 ? add_notes(&fields, made, failure) : -1;
    if (result == 0) {
        page_heading(page, 3, NULL, "What made it");
        page_table(page, 2, (const char *const *)fields.text, fields.count / 2 - 1);
        if (config) {
            page_heading(page, 5, NULL, "The config");
            page_code(page, config);
        }
    }
    fields_clear(&fields);
    return result;
}

/* What the page holds; the text is Markdown. */
struct document {
    FILE *text;
    struct pictures pictures;
};

/* ---- the best ---- */

static int write_best(FILE *page, struct results *results, double level, struct failure *failure)
{
    const bool has_values = results_origin(results)->has_values;
    char *const text =
        text_format("Where less or more of a measure is better: the best, and what the repetitions do not "
                    "distinguish from it. %s, Holm's correction, level %g.",
                    has_values ? "t tests on paired differences (all methods saw the same collections)"
                               : "The folder has no store of repetitions: Welch's t tests",
                    level);

    if (!text)
        return fail_memory(failure);
    page_heading(page, 3, NULL, "The best for each point");
    page_paragraph(page, text);
    free(text);
    int result = 0;
    for (size_t i = 0; result == 0 && i < results_count(results); i++) {
        const struct result_table *const table = results_table(results, i, failure);

        result = table ? best_write(page, table, level, failure) : -1;
    }
    return result;
}

/* ---- regret ---- */

static int write_standings(FILE *page, struct results *results, double level, struct failure *failure)
{
    char *const text = text_format(
        "A contest is a point at which all of them were measured. Regret: the geometric mean over contests of an error "
        "over the least error there; of means, and of the 95th percentiles over repetitions. Wins and losses: pairs "
        "that differ, Holm's correction over all of them, level %g. Rank: its mean over contests, with the interval of "
        "a bootstrap over repetitions.",
        level);
    int result = text ? 0 : fail_memory(failure);

    if (text) {
        page_heading(page, 3, NULL, "Regret and ranks");
        page_paragraph(page, text);
    }
    free(text);
    for (size_t i = 0; result == 0 && i < results_count(results); i++) {
        const struct result_table *const table = results_table(results, i, failure);

        result = table ? standings_write(page, table, level, failure) : -1;
    }
    return result;
}

/* ---- tables ---- */

enum { ROWS_MAX = 3000 };

static int write_table(FILE *page, const char *path, const char *file, struct failure *failure)
{
    struct csv csv;

    if (csv_load(path, &csv, failure) != 0)
        return -1;
    char *const text =
        text_format(csv.nrows > ROWS_MAX ? "%s has %zu rows, too many for a page." : "%s (%zu rows)", file, csv.nrows);
    if (text && csv.nrows > ROWS_MAX) {
        page_paragraph(page, text);
    } else if (text) {
        page_heading(page, 5, NULL, text);
        page_table(page, csv.ncolumns, (const char *const *)csv.field, csv.nrows);
    }
    free(text);
    csv_clear(&csv);
    return text ? 0 : fail_memory(failure);
}

static int write_tables(FILE *page, struct results *results, struct failure *failure)
{
    page_heading(page, 3, NULL, "Tables");
    for (size_t i = 0; i < results_count(results); i++) {
        const struct result_table *const table = results_table(results, i, failure);

        if (!table || write_table(page, table->path, table->table->file, failure) != 0)
            return -1;
    }
    return 0;
}

/* ---- the page ---- */

static const char *experiment_name(const struct provenance *made, const char *folder)
{
    const char *const name = provenance_text(made, "experiment");

    return name ? name : folder;
}

/* The config's description. */
static void write_description(FILE *page, const struct provenance *made)
{
    const char *const text = provenance_text(made, "config");
    cJSON *const config = text ? cJSON_Parse(text) : NULL;
    const char *const description = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "description"));

    if (description)
        page_paragraph(page, description);
    cJSON_Delete(config);
}

static int write_folder(struct document *document, const char *folder, const struct provenance *made, const char *id,
                        const struct request *request, struct failure *failure)
{
    page_heading(document->text, 2, id, experiment_name(made, folder));
    write_description(document->text, made);
    if (!request->no_plots && pictures_write(&document->pictures, document->text, folder, made, failure) != 0)
        return -1;
    struct results *results;
    if (results_open(folder, RESULTS_VALUES, &results, failure) != 0)
        return -1;
    int result = write_best(document->text, results, request->level, failure);
    if (result == 0)
        result = write_standings(document->text, results, request->level, failure);
    if (result == 0)
        result = write_tables(document->text, results, failure);
    results_close(results);
    return result == 0 ? write_origin(document->text, made, failure) : -1;
}

/* The page that compares with the paper: as named, else reproduction.md beside the first folder. Malloc'd text or NULL.
 */
static char *read_agreement(const struct request *request, const char *folder, struct failure *failure, bool *failed)
{
    char *text;

    if (request->agreement) {
        text = file_text(request->agreement);
        if (!text) {
            fail(failure, EXIT_BAD_INPUT, "%s: expected a page of agreement, got none", request->agreement);
            *failed = true;
        }
        return text;
    }
    char *const copy = strdup(folder);
    char *const path = copy ? text_format("%s/reproduction.md", dirname(copy)) : NULL;
    text = path ? file_text(path) : NULL;
    free(path);
    free(copy);
    return text;
}

static void write_contents(FILE *page, char *const *folder, struct provenance *const *made, size_t count,
                           bool agreement)
{
    putc('\n', page);
    for (size_t i = 0; i < count; i++) {
        char id[32];
        snprintf(id, sizeof id, "result-%zu", i + 1);
        page_link(page, id, experiment_name(made[i], folder[i]));
    }
    if (agreement)
        page_link(page, "agreement", "Agreement with the papers");
}

static int write_parts(struct document *document, char *const *folder, struct provenance *const *made, size_t count,
                       const struct request *request, struct failure *failure)
{
    bool failed = false;
    char *const agreement = read_agreement(request, folder[0], failure, &failed);
    int result = failed ? -1 : 0;

    write_contents(document->text, folder, made, count, agreement);
    for (size_t i = 0; result == 0 && i < count; i++) {
        char id[32];

        snprintf(id, sizeof id, "result-%zu", i + 1);
        result = write_folder(document, folder[i], made[i], id, request, failure);
    }
    if (result == 0 && agreement) {
        page_heading(document->text, 2, "agreement", "Agreement with the papers");
        page_markdown(document->text, agreement);
    }
    free(agreement);
    return result;
}

/* The whole page in Markdown, then in the format asked for. */
static int write_page(FILE *out, char *const *folder, size_t count, const struct request *request,
                      struct failure *failure)
{
    struct document document = {0};
    struct provenance **const made = calloc(count, sizeof(struct provenance *));
    char *markdown = NULL;
    size_t length = 0;
    int result = -1;

    document.text = open_memstream(&markdown, &length);
    if (!made || !document.text) {
        fail_memory(failure);
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        if (provenance_load(folder[i], &made[i], failure) != 0)
            goto out;
    const char *title = "Results of ldpbench";
    if (count == 1)
        title = experiment_name(made[0], folder[0]);
    page_heading(document.text, 1, NULL, title);
    result = write_parts(&document, folder, made, count, request, failure);
    if (result == 0 && (fflush(document.text) != 0 || ferror(document.text)))
        result = fail_memory(failure);
    if (result == 0 && request->markdown)
        fwrite(markdown, 1, length, out);
    else if (result == 0 &&
             html_write(out, title, markdown, length, document.pictures.picture, document.pictures.count) != 0)
        result = fail_memory(failure);
out:
    if (document.text)
        fclose(document.text);
    free(markdown);
    pictures_clear(&document.pictures);
    for (size_t i = 0; made && i < count; i++)
        provenance_free(made[i]);
    free(made);
    return result;
}

enum { AGREEMENT = 256, LEVEL, NO_PLOTS, FORMAT };

static const char *const page_formats[] = {"html", "md", NULL};

static const struct command_option known_options[] = {
    {.name = "output",
     .code = 'o',
     .value = "FILE",
     .takes = TAKES_FILES,
     .help = "The page. Default report.html or report.md."},
    {.name = "format", .code = FORMAT, .value = "FORMAT", .words = page_formats, .help = "Of the page. Default html."},
    {.name = "agreement",
     .code = AGREEMENT,
     .value = "FILE",
     .takes = TAKES_FILES,
     .help = "The page of agreement to include. Default: reproduction.md beside the first folder, if there is one."},
    {.name = "level", .code = LEVEL, .value = "P", .help = "Level of the tests. Default 0.05."},
    {.name = "no-plots", .code = NO_PLOTS, .help = "Draw no figures."},
    {.name = NULL},
};

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    *request = (struct request){.level = 0.05};
    int option;
    while ((option = next_option(&command_report, argc, argv, failure)) != OPTIONS_END) {
        size_t format;
        switch (option) {
        case 'o':
            if (read_output("-o", optarg, &request->output, failure) != 0)
                return -1;
            break;
        case AGREEMENT: request->agreement = optarg; break;
        case NO_PLOTS: request->no_plots = true; break;
        case LEVEL:
            if (read_level("--level", optarg, &request->level, failure) != 0)
                return -1;
            break;
        case FORMAT:
            if (read_word("--format", optarg, page_formats, &format, failure) != 0)
                return -1;
            request->markdown = format == 1;
            break;
        default: return -1;
        }
    }
    if (optind == argc)
        return fail(failure, EXIT_BAD_INPUT, "report: expected a result folder, got none");
    if (!request->output)
        request->output = request->markdown ? "report.md" : "report.html";
    return 0;
}

static int write_report(int argc, char **argv, struct failure *failure)
{
    struct request request;

    if (read_request(argc, argv, &request, failure) != 0)
        return -1;
    assert(request.output);
    if (!request.no_plots && draw_folders(argv + optind, (size_t)(argc - optind), failure) != 0)
        return -1;
    struct whole_file file;
    if (whole_file_open_path(&file, request.output, failure) != 0)
        return -1;
    if (write_page(file.stream, argv + optind, (size_t)(argc - optind), &request, failure) != 0) {
        whole_file_abandon(&file);
        return -1;
    }
    return whole_file_close(&file, failure);
}

static int run_report(int argc, char **argv)
{
    struct failure failure;

    return write_report(argc, argv, &failure) == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct command command_report = {
    .name = "report",
    .operands = "DIR...",
    .summary = "make one page of figures, best methods, tables, agreement with the papers, and how it was made",
    .about =
        "Makes one self-contained page of result folders: the figures; for each query the best method and those that "
        "are not significantly different from it; the tables; the agreement with the papers; and how everything was "
        "made.",
    .options = known_options,
    .takes = TAKES_FOLDERS,
    .run = run_report,
};

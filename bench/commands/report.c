/* report.c - ldpbench report: one page of result folders: figures, the best method for each query with its
 * significance, the agreement with the paper, the tables, and what made it all. */
#include "commands/commands.h"
#include "results/csv.h"
#include "results/fields.h"
#include "results/html.h"
#include "results/measured.h"
#include "results/page.h"
#include "support/files.h"
#include "support/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <dirent.h>
#include <getopt.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
    const char *output, *agreement;
    bool markdown, no_plots;
    double level;
};

/* A whole text file, or NULL. */
static char *read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;

    if (in && getdelim(&text, &room, '\0', in) < 0) {
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

/* ---- what made it ---- */

static int write_origin(FILE *page, const cJSON *run, struct failure *failure)
{
    static const char *const members[] = {"experiment",  "task",    "seed",   "repetitions", "config_file",
                                          "config_hash", "version", "commit", "compiler",    "host",
                                          "threads",     "seconds", "time"};
    static const char *const head[] = {"what", "value"};
    struct fields fields = {0};
    const char *config = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(run, "config"));
    int result = fields_add(&fields, head, 2, failure);

    for (size_t i = 0; result == 0 && i < sizeof members / sizeof *members; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(run, members[i]);
        char *value = cJSON_IsString(item) ? strdup(item->valuestring) : item ? cJSON_PrintUnformatted(item) : NULL;

        if (!value)
            continue;
        result = fields_take(&fields, strdup(members[i]), failure);
        if (result == 0)
            result = fields_take(&fields, value, failure);
        else
            free(value);
    }
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

/* ---- pictures ---- */

/* What the page holds; the text is Markdown. */
struct document {
    FILE *text;
    struct picture *picture;
    size_t npictures;
};

static int is_svg(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && text_ends_with(entry->d_name, ".svg");
}

static int take_picture(struct document *document, const char *path, const char *caption, struct failure *failure)
{
    char *const svg = read_file(path), *const absolute = realpath(path, NULL);
    struct picture *more;

    if (!svg || !absolute) {
        free(svg);
        free(absolute);
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a picture that can be read, got none", path);
    }
    more = realloc(document->picture, (document->npictures + 1) * sizeof *more);
    if (more) {
        document->picture = more;
        more[document->npictures++] = (struct picture){page_reference(absolute), svg};
        page_heading(document->text, 4, NULL, caption);
        page_picture(document->text, absolute, caption);
    }
    free(absolute);
    return more && more[document->npictures - 1].reference ? 0 : fail_memory(failure);
}

static int write_pictures(struct document *document, const char *folder, struct failure *failure)
{
    struct dirent **entry = NULL;
    const int count = scandir(folder, &entry, is_svg, alphasort);
    int result = 0;

    if (count > 0)
        page_heading(document->text, 3, NULL, "Pictures");
    for (int i = 0; i < count; i++) {
        char *const path = text_format("%s/%s", folder, entry[i]->d_name);

        entry[i]->d_name[strlen(entry[i]->d_name) - strlen(".svg")] = '\0';
        if (result == 0)
            result = path ? take_picture(document, path, entry[i]->d_name, failure) : fail_memory(failure);
        free(path);
        free(entry[i]);
    }
    free(entry);
    return result;
}

/* ---- the best method ---- */

/* A measured row of a store: `TASK|DATASET|ORACLE|epsilon=E|MODE METHOD|QUERY|POINT|mse`. */
struct row_name {
    char *copy;
    const char *dataset, *oracle, *epsilon, *method, *query, *point;
};

/* Cuts off and returns what follows the last '|' of text, which may hold others. */
static char *cut_last(char *text)
{
    char *bar = strrchr(text, '|');

    if (!bar)
        return NULL;
    *bar = '\0';
    return bar + 1;
}

/* Whether text[0..end-1] ends with a word. */
static bool ends_at(const char *text, const char *end, const char *word)
{
    const size_t length = strlen(word);

    return (size_t)(end - text) >= length && memcmp(end - length, word, length) == 0;
}

/* False for a row of another form, such as a surrogate's prediction. */
static bool parse_row(const char *key, struct row_name *name)
{
    char *cell, *series, *mode, *epsilon, *oracle, *dataset, *measure, *point, *query;

    name->copy = cell = strdup(key);
    if (!cell || !(series = strchr(cell, ' ')))
        return false;
    /* A label may hold a blank, the mode before the series never does. */
    while (series && !ends_at(cell, series, "|counts") && !ends_at(cell, series, "|reports"))
        series = strchr(series + 1, ' ');
    if (!series)
        return false;
    *series++ = '\0';
    if (strncmp(series, "predicted|", 10) == 0)
        return false;
    if (strncmp(series, "actual|", 7) == 0)
        series += 7;
    mode = cut_last(cell);
    epsilon = mode ? cut_last(cell) : NULL;
    oracle = epsilon ? cut_last(cell) : NULL;
    dataset = oracle ? strchr(cell, '|') : NULL;
    measure = cut_last(series);
    point = measure ? cut_last(series) : NULL;
    query = point ? strchr(series, '|') : NULL;
    if (!dataset || !query || strncmp(epsilon, "epsilon=", 8) != 0)
        return false;
    *query++ = '\0';
    name->dataset = dataset + 1;
    name->oracle = oracle;
    name->epsilon = epsilon + 8;
    name->method = series;
    name->query = query;
    name->point = point;
    return true;
}

/* The label that the folder's tables give the one dataset of that many values and users; NULL where none or several. */
static char *find_label(const char *folder, const char *d, const char *n)
{
    static const char *const tables[] = {"mse.csv", "selection.csv"};
    char *label = NULL;
    bool several = false;

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char *path = text_format("%s/%s", folder, tables[i]);
        struct failure ignored;
        struct csv csv = {0};

        if (path && csv_load(path, &csv, &ignored) == 0) {
            const size_t at = csv_column(&csv, "dataset"), at_d = csv_column(&csv, "d"), at_n = csv_column(&csv, "n");
            const bool known = at != SIZE_MAX && at_d != SIZE_MAX && at_n != SIZE_MAX;

            for (size_t row = 0; known && row < csv.nrows; row++) {
                const char *dataset = csv_field(&csv, row, at);

                if (strcmp(csv_field(&csv, row, at_d), d) != 0 || strcmp(csv_field(&csv, row, at_n), n) != 0)
                    continue;
                several |= label && strcmp(label, dataset) != 0;
                if (!label)
                    label = strdup(dataset);
            }
        }
        csv_clear(&csv);
        free(path);
    }
    if (several) {
        free(label);
        label = NULL;
    }
    return label;
}

/* In the store's key a dataset from a file goes by a hash of its counts; people know its label. Malloc'd. */
static char *dataset_text(const char *folder, const char *key)
{
    char d[24], n[24], *label = NULL, *text;
    int rest = 0;

    if (strncmp(key, "file=", 5) == 0 && sscanf(key, "file=%*[0-9a-f]|d=%23[0-9]|n=%23[0-9]%n", d, n, &rest) == 2)
        label = find_label(folder, d, n);
    text = label ? text_format("%s, d=%s, n=%s%s", label, d, n, key + rest) : strdup(key);
    for (char *bar = text; bar && (bar = strchr(bar, '|')) != NULL;)
        *bar = ' ';
    free(label);
    return text;
}

/* Likewise sets from a file: the first digits of their hash are enough. Malloc'd. */
static char *query_text(const char *key)
{
    enum { DIGITS = 8 };
    const char *sets = strstr(key, "|sets=");

    return sets ? text_format("%.*s (%.*s)", (int)(sets - key), key, (int)strlen("sets=") + DIGITS, sets + 1)
                : strdup(key);
}

struct entry {
    struct row_name name;
    const struct sample *sample;
};

static int compare_names(const struct row_name *a, const struct row_name *b)
{
    int order = strcmp(a->dataset, b->dataset);
    double x, y;

    order = order ? order : strcmp(a->oracle, b->oracle);
    order = order ? order : strcmp(a->query, b->query);
    if (order)
        return order;
    x = strtod(a->point, NULL);
    y = strtod(b->point, NULL);
    if (x != y)
        return x < y ? -1 : 1;
    x = strtod(a->epsilon, NULL);
    y = strtod(b->epsilon, NULL);
    return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_names(&x->name, &y->name);

    return order ? order : strcmp(x->name.method, y->name.method);
}

/* One line: the method of least mean error among entries [0..count-1], and those that repetitions cannot tell from it.
 */
static int judge_group(const struct entry *entry, size_t count, double level, struct fields *fields,
                       struct failure *failure)
{
    struct comparison *comparison = calloc(count, sizeof *comparison);
    char *ties = NULL;
    size_t best = 0, size = 0, others = 0;
    FILE *out;
    int result = -1;

    if (!comparison)
        return fail_memory(failure);
    for (size_t i = 1; i < count; i++)
        if (entry[i].sample->mean < entry[best].sample->mean)
            best = i;
    for (size_t i = 0; i < count; i++)
        if (i != best)
            compare_samples(entry[best].sample, entry[i].sample, true, &comparison[others++]);
    out = open_memstream(&ties, &size);
    if (!out || compare_all(comparison, others, level) != 0) {
        fail_memory(failure);
        goto out;
    }
    others = 0;
    for (size_t i = 0; i < count; i++)
        if (i != best && !(comparison[others++].adjusted < level))
            fprintf(out, "%s%s", ftell(out) > 0 ? ", " : "", entry[i].name.method);
    if (fclose(out) != 0) {
        out = NULL;
        fail_memory(failure);
        goto out;
    }
    out = NULL;
    {
        const struct row_name *name = &entry[best].name;
        const char *const texts[] = {name->point, name->epsilon, name->method};

        result = fields_take(fields, query_text(name->query), failure);
        if (result == 0)
            result = fields_add(fields, texts, sizeof texts / sizeof *texts, failure);
        if (result == 0)
            result = fields_take(fields, text_format("%.4g", entry[best].sample->mean), failure);
        if (result == 0)
            result = fields_take(
                fields, text_format("%.2g", entry[best].sample->sd / sqrt((double)entry[best].sample->n)), failure);
        if (result == 0)
            result = fields_take(fields, strdup(ties), failure);
    }
out:
    if (out)
        fclose(out);
    free(ties);
    free(comparison);
    return result;
}

/* One table: entries of one oracle, on a dataset of that name. */
static int write_best_table(FILE *page, const char *dataset, const struct entry *entry, size_t count, double level,
                            struct failure *failure)
{
    static const char *const head[] = {"query", "parameter", "epsilon", "best", "mse", "std. error", "not told apart"};
    enum { COLUMNS = sizeof head / sizeof *head };
    struct fields fields = {0};
    char *caption = text_format("%s, %s", dataset, entry[0].name.oracle);
    int result = caption ? fields_add(&fields, head, COLUMNS, failure) : fail_memory(failure);

    for (size_t first = 0, last; result == 0 && first < count; first = last) {
        for (last = first + 1; last < count && compare_names(&entry[first].name, &entry[last].name) == 0;)
            last++;
        result = judge_group(entry + first, last - first, level, &fields, failure);
    }
    if (result == 0) {
        page_heading(page, 4, NULL, caption);
        page_table(page, COLUMNS, (const char *const *)fields.text, fields.count / COLUMNS - 1);
    }
    fields_clear(&fields);
    free(caption);
    return result;
}

static bool same_dataset(const struct entry *a, const struct entry *b)
{
    return strcmp(a->name.dataset, b->name.dataset) == 0;
}

static bool same_place(const struct entry *a, const struct entry *b)
{
    return same_dataset(a, b) && strcmp(a->name.oracle, b->name.oracle) == 0;
}

static int write_best(FILE *page, const char *folder, double level, struct failure *failure)
{
    char *store = measured_store_path(folder), *text = NULL, *dataset = NULL;
    struct measured measured = {0};
    struct entry *entry = NULL;
    size_t count = 0;
    int result = -1;

    page_heading(page, 3, NULL, "The best method for each query");
    if (!store) {
        page_paragraph(page, "The folder has no store of repetitions, so significance cannot be told.");
        return 0;
    }
    free(store);
    if (measured_load(folder, false, &measured, failure) != 0)
        return -1;
    entry = calloc(measured.count, sizeof *entry);
    text = text_format("The method of least mean squared error, and those whose error repetitions do not tell from it: "
                       "t tests on paired differences (all methods saw the same collections), Holm's correction over "
                       "the methods, level %g.",
                       level);
    if (!entry || !text) {
        fail_memory(failure);
        goto out;
    }
    page_paragraph(page, text);
    for (size_t i = 0; i < measured.count; i++) {
        if (parse_row(measured.row[i].key, &entry[count].name)) {
            entry[count++].sample = &measured.row[i].sample;
        } else {
            free(entry[count].name.copy);
            entry[count].name.copy = NULL;
        }
    }
    qsort(entry, count, sizeof *entry, by_name);
    for (size_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && same_place(&entry[first], &entry[last]);)
            last++;
        if (first == 0 || !same_dataset(&entry[first - 1], &entry[first])) {
            free(dataset);
            dataset = dataset_text(folder, entry[first].name.dataset);
            if (!dataset) {
                fail_memory(failure);
                goto out;
            }
        }
        if (write_best_table(page, dataset, entry + first, last - first, level, failure) != 0)
            goto out;
    }
    result = 0;
out:
    for (size_t i = 0; entry && i < count; i++)
        free(entry[i].name.copy);
    free(entry);
    free(text);
    free(dataset);
    measured_clear(&measured);
    return result;
}

/* ---- tables ---- */

static int is_table(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && text_ends_with(entry->d_name, ".csv");
}

enum { ROWS_MAX = 3000 };

static int write_tables(FILE *page, const char *folder, struct failure *failure)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, is_table, alphasort), result = 0;

    if (count > 0)
        page_heading(page, 3, NULL, "Tables");
    for (int i = 0; i < count; i++) {
        char *path = text_format("%s/%s", folder, entry[i]->d_name);
        struct csv csv = {0};

        if (result == 0 && !path)
            result = fail_memory(failure);
        if (result == 0 && (result = csv_load(path, &csv, failure)) == 0) {
            if (csv.nrows > ROWS_MAX) {
                char *text = text_format("%s has %zu rows, too many for a page.", entry[i]->d_name, csv.nrows);
                page_paragraph(page, text ? text : entry[i]->d_name);
                free(text);
            } else {
                char *heading = text_format("%s (%zu rows)", entry[i]->d_name, csv.nrows);
                page_heading(page, 5, NULL, heading ? heading : entry[i]->d_name);
                free(heading);
                page_table(page, csv.ncolumns, (const char *const *)csv.field, csv.nrows);
            }
        }
        csv_clear(&csv);
        free(path);
        free(entry[i]);
    }
    free(entry);
    return result;
}

/* ---- the page ---- */

static cJSON *read_run(const char *folder, struct failure *failure)
{
    char *path = text_format("%s/run.json", folder), *text = path ? read_file(path) : NULL;
    cJSON *run = text ? cJSON_Parse(text) : NULL;

    if (!path)
        fail_memory(failure);
    else if (!text)
        fail(failure, EXIT_BAD_INPUT, "%s: expected a result folder (with run.json), got none", folder);
    else if (!cJSON_IsObject(run))
        fail(failure, EXIT_BAD_INPUT, "%s: expected what `ldpbench run` writes, got something else", path);
    if (!cJSON_IsObject(run)) {
        cJSON_Delete(run);
        run = NULL;
    }
    free(path);
    free(text);
    return run;
}

static const char *experiment_name(const cJSON *run, const char *folder)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(run, "experiment"));

    return name ? name : folder;
}

/* The config's description. */
static void write_description(FILE *page, const cJSON *run)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(run, "config"));
    cJSON *config = text ? cJSON_Parse(text) : NULL;
    const char *description = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "description"));

    if (description)
        page_paragraph(page, description);
    cJSON_Delete(config);
}

static int write_folder(struct document *document, const char *folder, const cJSON *run, const char *id,
                        const struct request *request, struct failure *failure)
{
    page_heading(document->text, 2, id, experiment_name(run, folder));
    write_description(document->text, run);
    if (!request->no_plots && write_pictures(document, folder, failure) != 0)
        return -1;
    if (write_best(document->text, folder, request->level, failure) != 0)
        return -1;
    if (write_tables(document->text, folder, failure) != 0)
        return -1;
    return write_origin(document->text, run, failure);
}

/* The page that compares with the paper: as named, else reproduction.md beside the first folder. Malloc'd text or NULL.
 */
static char *read_agreement(const struct request *request, const char *folder, struct failure *failure, bool *failed)
{
    char *copy, *path, *text;

    if (request->agreement) {
        text = read_file(request->agreement);
        if (!text) {
            fail(failure, EXIT_BAD_INPUT, "%s: expected a page of agreement, got none", request->agreement);
            *failed = true;
        }
        return text;
    }
    copy = strdup(folder);
    path = copy ? text_format("%s/reproduction.md", dirname(copy)) : NULL;
    text = path ? read_file(path) : NULL;
    free(path);
    free(copy);
    return text;
}

static void write_contents(FILE *page, char *const *folder, cJSON *const *run, size_t count, bool agreement)
{
    char id[32];

    putc('\n', page);
    for (size_t i = 0; i < count; i++) {
        snprintf(id, sizeof id, "result-%zu", i + 1);
        page_link(page, id, experiment_name(run[i], folder[i]));
    }
    if (agreement)
        page_link(page, "agreement", "Agreement with the papers");
}

static int write_parts(struct document *document, char *const *folder, cJSON *const *run, size_t count,
                       const struct request *request, struct failure *failure)
{
    bool failed = false;
    char *const agreement = read_agreement(request, folder[0], failure, &failed);
    int result = failed ? -1 : 0;

    write_contents(document->text, folder, run, count, agreement);
    for (size_t i = 0; result == 0 && i < count; i++) {
        char id[32];

        snprintf(id, sizeof id, "result-%zu", i + 1);
        result = write_folder(document, folder[i], run[i], id, request, failure);
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
    cJSON **const run = calloc(count, sizeof(cJSON *));
    const char *title = "Results of ldpbench";
    char *markdown = NULL;
    size_t length = 0;
    int result = -1;

    document.text = open_memstream(&markdown, &length);
    if (!run || !document.text) {
        fail_memory(failure);
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        if (!(run[i] = read_run(folder[i], failure)))
            goto out;
    if (count == 1)
        title = experiment_name(run[0], folder[0]);
    page_heading(document.text, 1, NULL, title);
    result = write_parts(&document, folder, run, count, request, failure);
    if (result == 0 && (fflush(document.text) != 0 || ferror(document.text)))
        result = fail_memory(failure);
    if (result == 0 && request->markdown)
        fwrite(markdown, 1, length, out);
    else if (result == 0 && html_write(out, title, markdown, length, document.picture, document.npictures) != 0)
        result = fail_memory(failure);
out:
    if (document.text)
        fclose(document.text);
    free(markdown);
    for (size_t i = 0; i < document.npictures; i++) {
        free(document.picture[i].reference);
        free(document.picture[i].svg);
    }
    free(document.picture);
    for (size_t i = 0; run && i < count; i++)
        cJSON_Delete(run[i]);
    free(run);
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
    size_t format;
    int option;

    *request = (struct request){.level = 0.05};
    while ((option = next_option(&command_report, argc, argv, failure)) != OPTIONS_END) {
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
    struct whole_file file;
    char *copy_a = NULL, *copy_b = NULL;
    int result = -1;

    if (read_request(argc, argv, &request, failure) != 0)
        return -1;
    assert(request.output);
    copy_a = strdup(request.output);
    copy_b = strdup(request.output);
    if (!copy_a || !copy_b) {
        fail_memory(failure);
        goto out;
    }
    if (!request.no_plots && draw_folders(argv + optind, (size_t)(argc - optind), failure) != 0)
        goto out;
    if (whole_file_open(&file, dirname(copy_a), basename(copy_b), failure) != 0)
        goto out;
    result = write_page(file.stream, argv + optind, (size_t)(argc - optind), &request, failure);
    if (result == 0)
        result = whole_file_close(&file, failure);
    else
        whole_file_abandon(&file);
out:
    free(copy_a);
    free(copy_b);
    return result;
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

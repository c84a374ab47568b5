/* check.c - ldpbench check: did accuracy change between two runs?
 *
 * Rows are matched by their keys (the experiment's name is not part of them). Where both sides have the same seed and
 * version, and the tables the same bytes, there is nothing to test. Otherwise each row is tested on its repetitions,
 * paired where the seeds agree; a row is worse (or better) where Holm's correction leaves it significant and its
 * relative change exceeds the floor. */
#include "commands/commands.h"
#include "results/measured.h"
#include "stats/family.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum verdict { SAME, BETTER, WORSE };

struct request {
    double level, floor;
    bool allow_missing, allow_new, allow_config;
    enum format format;
    const char *baseline, *result;
};

struct pair {
    const struct measured_row *baseline, *result;
    enum verdict verdict;
};

struct report {
    const struct request *request;
    const struct measured *baseline, *result;
    bool identical, paired;
    bool seeds_differ, versions_differ, configs_differ, origin_unknown;
    struct pair *pair;
    struct family_row *tested; /* of each pair */
    size_t npairs, worse, better;
    size_t unequal;                               /* pairs whose means are not the same numbers */
    const struct measured_row **missing, **added; /* in one side only */
    size_t nmissing, nadded;
    size_t untested;                              /* pairs of too few repetitions for any test */
    double median_detectable, largest_detectable; /* of the others; NAN where there are none */
    bool failed;
};

enum { LEVEL = 256, FLOOR, ALLOW_MISSING, ALLOW_NEW, ALLOW_CONFIG, FORMAT };

static const struct command_option known_options[] = {
    {.name = "level", .code = LEVEL, .value = "P", .help = "Family-wise level of the tests. Default 0.01."},
    {.name = "floor",
     .code = FLOOR,
     .value = "CHANGE",
     .help = "Relative changes up to this are no regression. Default 0.01."},
    {.name = "allow-missing", .code = ALLOW_MISSING, .help = "Rows in the baseline only are no failure."},
    {.name = "allow-new", .code = ALLOW_NEW, .help = "Rows in the result only are no failure."},
    {.name = "allow-config", .code = ALLOW_CONFIG, .help = "Configs that differ are no failure."},
    OPTION_FORMAT(FORMAT),
    {.name = NULL},
};

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    int option;

    *request = (struct request){.level = 0.01, .floor = 0.01};
    while ((option = next_option(&command_check, argc, argv, failure)) != OPTIONS_END) {
        switch (option) {
        case LEVEL:
            if (read_level("--level", optarg, &request->level, failure) != 0)
                return -1;
            break;
        case FLOOR:
            if (read_real("--floor", optarg, &request->floor, failure) != 0)
                return -1;
            if (request->floor < 0)
                return fail(failure, EXIT_BAD_INPUT, "--floor: expected a number >= 0, got \"%s\"", SHOWN(optarg));
            break;
        case ALLOW_MISSING: request->allow_missing = true; break;
        case ALLOW_NEW: request->allow_new = true; break;
        case ALLOW_CONFIG: request->allow_config = true; break;
        case FORMAT:
            if (read_format(optarg, &request->format, failure) != 0)
                return -1;
            break;
        default: return -1;
        }
    }
    if (argc - optind != 2)
        return fail(failure, EXIT_BAD_INPUT, "check: expected a baseline and a result, got %d of them", argc - optind);
    request->baseline = argv[optind];
    request->result = argv[optind + 1];
    return 0;
}

/* ---- origin ---- */

/* Whether two configs ask for the same errors: without what does not decide them. */
static bool same_config(const char *a, const char *b)
{
    static const char *const aside[] = {"$schema", "name", "description", "seed", "repetitions", "outputs"};
    cJSON *x = cJSON_Parse(a), *y = cJSON_Parse(b);
    bool same;

    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(x, aside[i]);
        cJSON_DeleteItemFromObjectCaseSensitive(y, aside[i]);
    }
    same = x && y && cJSON_Compare(x, y, true);
    cJSON_Delete(x);
    cJSON_Delete(y);
    return same;
}

static void compare_origins(struct report *report)
{
    const struct measured *a = report->baseline, *b = report->result;

    report->origin_unknown = !a->has_origin || !b->has_origin;
    if (!report->origin_unknown) {
        report->seeds_differ = a->seed != b->seed;
        report->versions_differ = a->version != b->version;
    }
    report->configs_differ = a->config && b->config && !same_config(a->config, b->config);
    report->paired = a->from_store && b->from_store && !report->origin_unknown && !report->seeds_differ;
}

static bool same_bytes(const char *path_a, const char *path_b)
{
    FILE *a = fopen(path_a, "rb"), *b = fopen(path_b, "rb");
    int x = 0, y = 0;

    while (a && b && x != EOF && x == y) {
        x = getc(a);
        y = getc(b);
    }
    if (a)
        fclose(a);
    if (b)
        fclose(b);
    return a && b && x == EOF && y == EOF;
}

static bool identical_tables(const struct request *request)
{
    char *a = measured_table_path(request->baseline), *b = measured_table_path(request->result);
    bool same = a && b && same_bytes(a, b);

    free(a);
    free(b);
    return same;
}

/* ---- rows ---- */

/* Walks both sorted lists. */
static void match_rows(struct report *report)
{
    const struct measured *a = report->baseline, *b = report->result;
    size_t i = 0, j = 0;

    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : strcmp(a->row[i].key, b->row[j].key);

        if (order < 0)
            report->missing[report->nmissing++] = &a->row[i++];
        else if (order > 0)
            report->added[report->nadded++] = &b->row[j++];
        else
            report->pair[report->npairs++] = (struct pair){&a->row[i++], &b->row[j++], SAME};
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int summarise_detectable(struct report *report, struct failure *failure)
{
    double *found = malloc((report->npairs + 1) * sizeof *found);
    size_t n = 0;

    if (!found)
        return fail_memory(failure);
    for (size_t i = 0; i < report->npairs; i++) {
        report->untested += report->tested[i].test == FAMILY_NONE;
        if (isfinite(report->tested[i].comparison.detectable))
            found[n++] = report->tested[i].comparison.detectable;
    }
    qsort(found, n, sizeof *found, by_size);
    report->median_detectable = n > 0 ? found[n / 2] : (double)NAN;
    report->largest_detectable = n > 0 ? found[n - 1] : (double)NAN;
    free(found);
    return 0;
}

static int judge(struct report *report, struct failure *failure)
{
    const struct request *request = report->request;

    for (size_t i = 0; i < report->npairs; i++)
        report->tested[i] =
            (struct family_row){.baseline = report->pair[i].baseline->sample, .result = report->pair[i].result->sample};
    if (family_test(report->tested, report->npairs, report->paired, request->level) != 0)
        return fail_memory(failure);
    for (size_t i = 0; i < report->npairs; i++) {
        const struct comparison *c = &report->tested[i].comparison;
        bool undefined = isnan(report->pair[i].result->sample.mean) != isnan(report->pair[i].baseline->sample.mean);

        if (undefined || (c->adjusted < request->level && fabs(c->change) > request->floor))
            report->pair[i].verdict = undefined || c->change > 0 ? WORSE : BETTER;
        report->unequal += undefined || (!isnan(report->pair[i].result->sample.mean) &&
                                         report->pair[i].result->sample.mean != report->pair[i].baseline->sample.mean);
        report->worse += report->pair[i].verdict == WORSE;
        report->better += report->pair[i].verdict == BETTER;
    }
    report->failed = report->worse > 0 || (report->nmissing > 0 && !request->allow_missing) ||
                     (report->nadded > 0 && !request->allow_new) ||
                     (report->configs_differ && !request->allow_config) || report->npairs == 0;
    return summarise_detectable(report, failure);
}

/* ---- output ---- */

/* Keys are any text; in Markdown a bar would end a table's field, and a backtick the code. */
static void print_key(const struct report *report, const char *key)
{
    const bool backtick = strchr(key, '`') != NULL;

    if (report->request->format != MARKDOWN) {
        printf("%s", key);
        return;
    }
    fputs(backtick ? "`` " : "`", stdout);
    for (; *key; key++) {
        if (*key == '|')
            putchar('\\');
        putchar(*key == '\n' ? ' ' : *key);
    }
    fputs(backtick ? " ``" : "`", stdout);
}

static void print_changes(const struct report *report, enum verdict verdict, const char *heading, size_t count)
{
    bool markdown = report->request->format == MARKDOWN;

    if (count == 0)
        return;
    printf(markdown ? "\n## %s (%zu)\n\n| row | baseline | result | change | s.e. | adjusted p |\n"
                      "|---|---:|---:|---:|---:|---:|\n"
                    : "\n%s (%zu): baseline, result, change (s.e.), adjusted p\n",
           heading, count);
    for (size_t i = 0; i < report->npairs; i++) {
        const struct pair *pair = &report->pair[i];
        const struct comparison *c = &report->tested[i].comparison;

        if (pair->verdict != verdict)
            continue;
        printf(markdown ? "| " : "  ");
        print_key(report, pair->baseline->key);
        printf(markdown ? " | %.4g | %.4g | %+.2f %% | %.2f %% | %.2g |\n" : ": %.4g, %.4g, %+.2f %% (%.2f %%), %.2g\n",
               pair->baseline->sample.mean, pair->result->sample.mean, 100 * c->change, 100 * c->standard_error,
               c->adjusted);
    }
}

static void print_lonely(const struct report *report, const char *heading, const struct measured_row *const *row,
                         size_t count)
{
    enum { SHOWN = 20 };
    bool markdown = report->request->format == MARKDOWN;

    if (count == 0)
        return;
    printf(markdown ? "\n## %s (%zu)\n\n" : "\n%s (%zu)\n", heading, count);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        printf(markdown ? "- " : "  ");
        print_key(report, row[i]->key);
        putchar('\n');
    }
    if (count > SHOWN)
        printf(markdown ? "- and %zu more\n" : "  and %zu more\n", count - SHOWN);
}

static void print_verdict(const struct report *report)
{
    const struct request *request = report->request;
    const char *bullet = request->format == MARKDOWN ? "- " : "";

    printf("%s%s: %s against %s\n", request->format == MARKDOWN ? "# " : "", report->failed ? "FAILED" : "passed",
           request->result, request->baseline);
    if (request->format == MARKDOWN)
        putchar('\n');
    if (report->identical) {
        printf("%sthe tables are identical, byte for byte\n", bullet);
        return;
    }
    if (report->configs_differ)
        printf("%sthe configs differ%s\n", bullet, request->allow_config ? " (allowed)" : "");
    if (report->versions_differ)
        printf("%sthe algorithm versions differ: %ld, %ld\n", bullet, report->baseline->version,
               report->result->version);
    if (report->seeds_differ)
        printf("%sthe seeds differ: %llu, %llu\n", bullet, (unsigned long long)report->baseline->seed,
               (unsigned long long)report->result->seed);
    if (!report->origin_unknown && !report->seeds_differ && !report->versions_differ) {
        if (report->unequal > 0)
            printf("%sseed and version are the same, but the numbers of %zu rows are not\n", bullet, report->unequal);
        else
            printf("%sseed, version and the numbers of all rows in both are the same\n", bullet);
    }
    printf("%s%zu rows compared by %s; %zu worse, %zu better, %zu missing, %zu new\n", bullet, report->npairs,
           report->paired ? "a paired t test on repetitions" : "Welch's t test", report->worse, report->better,
           report->nmissing, report->nadded);
    printf("%sa row counts as changed at a family-wise level of %g (Holm) and a relative change above %g %%\n", bullet,
           request->level, 100 * request->floor);
    if (report->untested > 0)
        printf("%s%zu rows could not be tested, for want of two repetitions or of numbers\n", bullet, report->untested);
    if (!isnan(report->median_detectable))
        printf("%ssmallest change that these repetitions would find with probability 0.8: %.3g %% in the median row, "
               "%.3g %% in the worst\n",
               bullet, 100 * fmax(report->median_detectable, request->floor),
               100 * fmax(report->largest_detectable, request->floor));
}

static void print_json_rows(const struct report *report, enum verdict verdict, cJSON *list)
{
    for (size_t i = 0; i < report->npairs; i++) {
        const struct pair *pair = &report->pair[i];
        const struct comparison *c = &report->tested[i].comparison;
        cJSON *row;

        if (pair->verdict != verdict)
            continue;
        row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "row", pair->baseline->key);
        cJSON_AddNumberToObject(row, "baseline", pair->baseline->sample.mean);
        cJSON_AddNumberToObject(row, "result", pair->result->sample.mean);
        cJSON_AddNumberToObject(row, "change", c->change);
        cJSON_AddNumberToObject(row, "standard_error", c->standard_error);
        cJSON_AddNumberToObject(row, "p", c->p);
        cJSON_AddNumberToObject(row, "adjusted_p", c->adjusted);
        cJSON_AddItemToArray(list, row);
    }
}

static int print_json(const struct report *report, struct failure *failure)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddBoolToObject(root, "passed", !report->failed);
    cJSON_AddStringToObject(root, "baseline", report->request->baseline);
    cJSON_AddStringToObject(root, "result", report->request->result);
    cJSON_AddBoolToObject(root, "identical", report->identical);
    if (!report->identical) {
        cJSON *list;

        cJSON_AddBoolToObject(root, "paired", report->paired);
        cJSON_AddBoolToObject(root, "configs_differ", report->configs_differ);
        cJSON_AddBoolToObject(root, "versions_differ", report->versions_differ);
        cJSON_AddNumberToObject(root, "rows", (double)report->npairs);
        cJSON_AddNumberToObject(root, "untested_rows", (double)report->untested);
        cJSON_AddNumberToObject(root, "level", report->request->level);
        cJSON_AddNumberToObject(root, "floor", report->request->floor);
        cJSON_AddNumberToObject(root, "median_detectable_change", report->median_detectable);
        cJSON_AddNumberToObject(root, "largest_detectable_change", report->largest_detectable);
        print_json_rows(report, WORSE, cJSON_AddArrayToObject(root, "worse"));
        print_json_rows(report, BETTER, cJSON_AddArrayToObject(root, "better"));
        list = cJSON_AddArrayToObject(root, "missing");
        for (size_t i = 0; i < report->nmissing; i++)
            cJSON_AddItemToArray(list, cJSON_CreateString(report->missing[i]->key));
        list = cJSON_AddArrayToObject(root, "new");
        for (size_t i = 0; i < report->nadded; i++)
            cJSON_AddItemToArray(list, cJSON_CreateString(report->added[i]->key));
    }
    return print_tree(root, failure);
}

static int print_report(const struct report *report, struct failure *failure)
{
    if (report->request->format == JSON)
        return print_json(report, failure);
    print_verdict(report);
    print_changes(report, WORSE, "Worse", report->worse);
    print_changes(report, BETTER, "Better", report->better);
    print_lonely(report, "Missing from the result", report->missing, report->nmissing);
    print_lonely(report, "New in the result", report->added, report->nadded);
    return 0;
}

static int compare(struct report *report, struct failure *failure)
{
    size_t rows = report->baseline->count + report->result->count;
    int result = -1;

    report->pair = calloc(rows, sizeof *report->pair);
    report->tested = calloc(rows, sizeof *report->tested);
    report->missing = calloc(rows, sizeof *report->missing);
    report->added = calloc(rows, sizeof *report->added);
    if (!report->pair || !report->tested || !report->missing || !report->added) {
        fail_memory(failure);
        goto out;
    }
    compare_origins(report);
    report->identical = !report->seeds_differ && !report->versions_differ && !report->configs_differ &&
                        identical_tables(report->request);
    if (!report->identical) {
        match_rows(report);
        if (judge(report, failure) != 0)
            goto out;
    }
    result = print_report(report, failure);
out:
    free(report->pair);
    free(report->tested);
    free(report->missing);
    free(report->added);
    return result;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct measured baseline = {0}, result = {0};
    struct failure failure;
    struct report report = {.request = &request, .baseline = &baseline, .result = &result};
    char *store_a = NULL, *store_b = NULL;
    int status = read_request(argc, argv, &request, &failure);

    if (status == 0) {
        store_a = measured_store_path(request.baseline);
        store_b = measured_store_path(request.result);
        status = measured_load(request.baseline, !store_b, &baseline, &failure);
    }
    if (status == 0)
        status = measured_load(request.result, !store_a, &result, &failure);
    if (status == 0)
        status = compare(&report, &failure);
    free(store_a);
    free(store_b);
    measured_clear(&baseline);
    measured_clear(&result);
    if (status != 0)
        return say_failure(&failure);
    return report.failed ? EXIT_CHECK_FAILED : EXIT_DONE;
}

const struct command command_check = {
    .name = "check",
    .operands = "BASELINE RESULT",
    .summary = "tell whether accuracy changed between tables, folders or stores; exit status 1 on a regression",
    .about =
        "Tells whether accuracy changed between two runs: tables (mse.csv), result folders, or stores. Rows are "
        "matched "
        "by their keys. If seed and version agree and the tables are the same, byte for byte, there is nothing to "
        "test. Otherwise each row is compared by a t test on its repetitions, paired if the seeds agree and both sides "
        "have a store, with Holm's correction. Exit status 1 on a regression.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

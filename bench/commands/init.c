/* init.c - ldpbench init: a config to start from, for one's own data.
 *
 * Configs are strict JSON, which has no comments: what the file says is in its "description", and every line is
 * explained on standard output. */
#include "commands/init.h"
#include "commands/commands.h"
#include "config/dataset_notes.h"
#include "config/queries.h"
#include "dataset.h"
#include "records.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/tree.h"
#include "tasks/experiment.h"
#include "tasks/task.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REQUEST struct init_request
static const struct command_option known_options[] = {
    {"oracle", "NAME", SEVERAL(oracles, oracle_names),
     "A frequency oracle, several with commas between, or all. Default: grr,ss,olh; strings olh, numbers sw, records adaptive."},
    {"epsilon", "E", SEVERAL(epsilon, NULL), "A privacy budget, or several with commas between. Default: 0.5,1,2,4."},
    {"method", "NAME", SEVERAL(methods, method_names),
     "A method, several with commas between, or all. Default: base, norm_sub, base_cut, power_ns; for numbers pen, "
     "ems."},
    {"query", "NAME[=POINTS|=FILE]", SEVERAL(queries, query_names),
     "A query. full_domain, top_k=10,100, set_value=10, fixed_sets=FILE. Default: full_domain, max_error and "
     "top_k; of numbers distribution, range and quantile."},
    {"output", "FILE", FILE_OF(output),
     "The config. - is standard output, then without explanations. Default: NAME.json, by the name of the data.", 'o'},
    {"force", NULL, FLAG(force), "Overwrite an existing file."},
    {.name = NULL},
};

/* ---- The data ---- */

bool init_hint_at_columns(const struct init_request *request, struct failure *failure)
{
    const bool tables = strstr(failure->text, "cells together");
    const size_t length = strlen(failure->text);

    if (tables)
        snprintf(failure->text + length, sizeof failure->text - length,
                 "; %s has %zu values: choose columns, '%s(columns=A, B)', or bins=8 or other=50", request->widest,
                 request->most_values, SHOWN_PATH(path_base(request->data)));
    return tables;
}

int init_read(struct init_request *request, const char *command, struct dataset **out, struct failure *failure)
{
    struct dataset *dataset = NULL;

    request->data = request->data ? request->data : "zipf(s=1.5,d=1024,n=1000000)";
    if (!request->dataset && !(request->dataset = dataset_object(command, request->data, failure)))
        return -1;
    const char *const file = dataset_object_file(request->dataset);
    request->data = file ? file : request->data;
    if (dataset_object_read(command, request->dataset, false, &dataset, failure) != 0)
        return -1;
    if (dataset->records && dataset->records->records->d == 1 && file) {
        dataset_free(dataset); /* one column is read again as counts */
        init_answers(request->dataset, NULL);
        if (dataset_object_read(command, request->dataset, false, &dataset, failure) != 0)
            return -1;
    }
    char *const note = out ? NULL : dataset_note(dataset);
    if (note)
        print_message("ldpbench: warning: %s\n", note);
    free(note);
    request->kind = dataset->records                          ? DATASET_RECORDS
                    : dataset->strings && !request->of_counts ? DATASET_STRINGS
                                                              : DATASET_COUNTS;
    request->ordered = dataset->type->ordered || cJSON_IsTrue(cJSON_GetObjectItem(request->dataset, "ordered"));
    request->d = request->most_values = dataset_d(dataset);
    request->n = dataset_n(dataset);
    if (dataset->records)
        request->most_values = 0;
    for (size_t i = 0; dataset->records && i < request->d; i++)
        if (dataset->records->records->cardinality[i] > request->most_values) {
            request->most_values = dataset->records->records->cardinality[i];
            snprintf(request->widest, sizeof request->widest, "%s", SHOWN(dataset->records->names[i]));
        }
    if (out)
        *out = dataset;
    else
        dataset_free(dataset);
    return 0;
}

/* ---- The config ---- */

/* The words that were given, each alone or several with commas between, else others; "all" stands alone. */
static void add_list(cJSON *root, const char *key, const struct texts *given, const char *otherwise)
{
    if (given && given->count == 1 && strcmp(given->text[0], "all") == 0) {
        cJSON_AddStringToObject(root, key, "all");
        return;
    }
    cJSON *const list = cJSON_AddArrayToObject(root, key);

    for (size_t i = 0; given && i < given->count; i++)
        items_of(list, given->text[i]);
    if (!given || given->count == 0)
        items_of(list, otherwise);
}

void init_answers(cJSON *dataset, const char *column)
{
    cJSON *const columns = cJSON_DetachItemFromObject(dataset, "columns");

    cJSON_ReplaceItemInObject(dataset, "type", cJSON_CreateString("answers"));
    if (column || columns)
        json_add(dataset, "column=%s", column ? column : columns->valuestring);
    cJSON_Delete(columns);
}

char *init_name(const char *file)
{
    const char *const base = path_base(file);
    char *const name = xstrndup(base, strcspn(base, ".") > 0 ? strcspn(base, ".") : strlen(base));

    for (char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-')
            *c = '_';
    return name;
}

/* The task for counts, strings and records. */
struct task_words {
    const struct task *task;
    double repetitions;
    const char *about;  /* the users and values before it */
    const char *oracle; /* the usual ones */
};

static const struct task_words task_words[] = {
    [DATASET_COUNTS] = {&task_frequency, 30,
                        "values. Each cell (dataset, oracle, epsilon) is collected `repetitions` times; every method "
                        "answers every query from the same collections.",
                        "grr,ss,olh"},
    [DATASET_STRINGS] = {&task_search, 10,
                         "strings. Every protocol searches for the most frequent ones `repetitions` times in each cell "
                         "(dataset, oracle, epsilon).",
                         "olh"},
    [DATASET_RECORDS] = {&task_marginals, 10,
                         "attributes. Every synopsis answers random marginals of `k` attributes from `repetitions` "
                         "collections of each cell (dataset, oracle, epsilon).",
                         "adaptive"},
};

static void add_methods_and_queries(cJSON *root, const struct init_request *request)
{
    add_list(root, "methods", &request->methods, request->ordered ? "pen,ems" : "base,norm_sub,base_cut,power_ns");
    cJSON *const list = cJSON_AddArrayToObject(root, "queries");
    for (size_t i = 0; i < request->queries.count; i++)
        cJSON_AddItemToArray(list, query_of(request->queries.text[i]));
    static const char *const ordered[] = {"distribution", "range=10,40", "quantile=10,25,50,75,90", NULL};
    const char *const counts[] = {"full_domain", "max_error",
                                  request->d < 20    ? "top_k=2"
                                  : request->d < 200 ? "top_k=10"
                                                     : "top_k=10,100",
                                  NULL};
    const char *const *const usual = request->ordered ? ordered : counts;
    for (size_t i = 0; request->queries.count == 0 && usual[i]; i++)
        cJSON_AddItemToArray(list, query_of(usual[i]));
}

cJSON *init_config(const struct init_request *request, const char *name)
{
    const struct task_words *const words = &task_words[request->kind];
    cJSON *const root = cJSON_CreateObject();
    char *const about =
        xformat("%s: %llu users, %zu %s", request->data, (unsigned long long)request->n, request->d, words->about);

    json_add(root, "name=%s", name);
    if (words->task != tasks[0])
        json_add(root, "task=%s", words->task->name);
    /* Few values take milliseconds: enough collections to decide between oracles, which share none. */
    const bool few = request->kind == DATASET_COUNTS && request->d < 1000;
    json_add(root, "description=%s seed=%g repetitions=%g", about, 1.0,
             few ? request->d < 100 ? 2000.0 : 300.0 : (double)words->repetitions);
    free(about);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "datasets"), cJSON_Duplicate(request->dataset, true));
    add_list(root, "oracles", &request->oracles, request->ordered ? "sw" : words->oracle);
    add_list(root, "epsilon", &request->epsilon, "0.5,1,2,4");
    if (request->kind == DATASET_STRINGS) {
        add_list(root, "protocols", NULL, "pem,pem_adaptive,pem_planned,treehist");
        json_add(cJSON_AddObjectToObject(root, "targets"), "top=%g", request->d < 20 ? 2.0 : 10.0);
    } else if (request->kind == DATASET_RECORDS) {
        add_list(root, "synopses", NULL, "plan,calm,rem,product,uniform");
        cJSON *const marginals = cJSON_AddObjectToObject(root, "marginals");
        add_list(marginals, "k", NULL, request->d > 3 ? "2,3" : "2");
        json_add(marginals, "count=%g", 30.0);
    } else {
        add_methods_and_queries(root, request);
    }
    return root;
}

void init_print(FILE *out, const cJSON *root)
{
    fputs("{\n", out);
    for (const cJSON *item = root->child; item; item = item->next) {
        char *const value = cJSON_PrintUnformatted(item);

        if (!value)
            out_of_memory();
        fprintf(out, "  \"%s\": ", item->string);
        bool inside = false;
        for (const char *c = value; *c; c++) {
            inside ^= *c == '"' && (c == value || c[-1] != '\\');
            putc(*c, out);
            if (!inside && (*c == ',' || *c == ':'))
                putc(' ', out);
        }
        cJSON_free(value);
        fputs(item->next ? ",\n" : "\n", out);
    }
    fputs("}\n", out);
}

/* What its keys mean, and what to do with it. */
static void explain(const char *file, const char *name, const cJSON *root, enum dataset_kind kind)
{
    const cJSON *item;

    printf("wrote %s\n\n", SHOWN_PATH(file));
    cJSON_ArrayForEach(item, root)
    {
        const struct config_key *key = config_find(experiment_keys, item->string);
        key = key ? key : config_find(task_words[kind].task->keys, item->string);
        print_line(stdout, PAGE_WIDTH, "  %-12s %s\n", key->name, key->help);
    }
    printf("  all keys     ldpbench list config\n\n"
           "ldpbench run %s\n"
           "ldpbench report results/%s -o %s.html\n",
           SHOWN_PATH(file), name, name);
}

/* ---- The command ---- */

/* Fails if there is something under the file's name that may not be written over. */
static int check_there(const char *file, const struct init_request *request, struct failure *failure)
{
    struct stat status;

    if (strcmp(file, "-") == 0 || lstat(file, &status) != 0)
        return 0;
    if (!request->force)
        return fail(failure, EXIT_BAD_INPUT, "%s already exists; --force overwrites it", SHOWN_PATH(file));
    if (request->data && same_path(file, request->data))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a file other than the data", SHOWN_PATH(file));
    if (!S_ISREG(status.st_mode))
        return fail(failure, EXIT_BAD_INPUT, "%s: cannot be written, not a regular file", SHOWN_PATH(file));
    return 0;
}

static int write_config(const char *file, const cJSON *root, const struct init_request *asked, struct failure *failure)
{
    struct experiment *experiment = NULL;
    struct whole_file out;
    char *text;
    size_t length;
    FILE *const memory = xmemstream(&text, &length);
    init_print(memory, root);
    fclose(memory);
    int result = check_there(file, asked, failure);
    if (result == 0 && (result = experiment_read(file, &(struct overrides){.text = text}, &experiment, failure)) != 0)
        failure_name(failure, file, "init"); /* nothing is written: no line of it is named */
    if (result == 0 && (result = output_open(&out, file, failure)) == 0) {
        fputs(text, out.stream);
        result = whole_file_close(&out, failure);
    }
    experiment_free(experiment);
    free(text);
    return result;
}

static int run(int argc, char **argv, struct failure *failure)
{
    static struct init_request request;

    if (read_options(&command_init, argc, argv, &request, failure) != 0)
        return -1;
    if (argc - optind > 1)
        return fail(failure, EXIT_BAD_INPUT, "init: expected one file of data, got %d", argc - optind);
    request.data = optind < argc ? argv[optind] : NULL;
    request.of_counts = request.methods.count > 0 || request.queries.count > 0;
    const bool printed = request.output && strcmp(request.output, "-") == 0;
    if (init_read(&request, "init", NULL, failure) != 0)
        return -1;
    if (request.kind == DATASET_RECORDS && request.of_counts)
        return fail(failure, EXIT_BAD_INPUT, "init: --method and --query are for one column: '%s(columns=NAME)'",
                    SHOWN_PATH(request.data));
    char *const name = init_name(request.output && !printed ? request.output : optind < argc ? request.data : "first");
    char *const file = request.output ? xstrdup(request.output) : xformat("%s.json", name);
    cJSON *const root = init_config(&request, name);
    const int result = write_config(file, root, &request, failure);
    if (result != 0)
        init_hint_at_columns(&request, failure);

    if (result == 0 && !printed)
        explain(file, name, root, request.kind);
    cJSON_Delete(root);
    cJSON_Delete(request.dataset);
    free(file);
    free(name);
    return result;
}

const struct command command_init = {
    .name = "init",
    .operands = "[DATA]",
    .summary = "write a config to start from, for your data",
    .examples = {"init survey.csv --epsilon 0.5,1,2", "init ages.numbers -o ages.json"},
    .about =
        "Writes a config for a file of value TAB count lines, or of FIMI transactions (.dat), and explains it; without "
        "one, for a Zipf distribution. For numbers (.numbers, one a line) it asks for their distribution. For strings "
        "(.strings: string TAB count, or one a line) it is a search for the most frequent, unless --method or --query "
        "asks for their counts; for records (.csv) it asks for marginals. What a config has for the data may follow in "
        "parentheses: 'survey.csv(columns=age, sex,bins=10)', 'words.strings(length=6,alphabet=a-z)'.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

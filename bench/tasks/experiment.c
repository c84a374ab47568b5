/* experiment.c - experiments: what every config has, whatever its task. */
#include "tasks/experiment.h"
#include "config/picture_keys.h"
#include "support/clock.h"
#include "support/limits.h"
#include "support/memory.h"
#include "tasks/task.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Keys ---- */

static int name_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    const char *name;
    if (json_string(at, &name, failure) != 0)
        return -1;
    const char *c;
    for (c = name; isalnum((unsigned char)*c) || *c == '.' || *c == '_' || *c == '-'; c++)
        continue;
    if (*name == '\0' || *name == '.' || *c || c - name > NAME_MAX_LENGTH)
        return json_expected(at, failure, "a name of up to %d letters, digits, '_', '-' and '.', not starting with '.'",
                             NAME_MAX_LENGTH);
    *(const char **)out = name;
    return 0;
}

static const struct config_type config_name = {
    .form = FORM_TEXT,
    CONFIG_STORED(STORED_TEXT, const char *),
    .read = name_read,
    .words = "up to 100 letters, digits, `_`, `-` and `.`, not starting with `.`",
    .pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$",
};

#define TASK(id) #id,
static const char *const task_words[] = {
#include "tasks/tasks.def"
    NULL};
#undef TASK

struct common {
    const char *schema, *name, *description, *measure;
    size_t task;
    uint64_t seed, data_seed, repetitions;
    bool spreadsheet;
    struct json_at pictures;
};

const struct config_key experiment_keys[] = {
    KEY("$schema", "the JSON Schema of configs, for editors", "\"configs/schema.json\"",
        CONFIG_TEXT(struct common, schema)),
    KEY("name", "name of the experiment and of its folder of results", "\"first\"", .required = true,
        .type = &config_name, CONFIG_MEMBER(struct common, name, const char *)),
    KEY("description", "for people", "\"a trial\"", CONFIG_TEXT(struct common, description)),
    KEY("task", "the kind of experiment", "\"selection\"", CONFIG_CHOICE(struct common, task), .choices = task_words,
        .fallback = 0),
    KEY("seed", "seed of all random numbers but those of data_seed", "20200223", CONFIG_WHOLE(struct common, seed),
        .min = 0, .max = WHOLE_MAX, .fallback = SEED_DEFAULT),
    KEY("data_seed",
        "seed of what is drawn once for all repetitions: counts, records, random sets, marginals; "
        "runs that differ in their seed alone have the same data",
        "7", CONFIG_WHOLE(struct common, data_seed), .min = 0, .max = WHOLE_MAX, .fallback = DATA_SEED_DEFAULT),
    KEY("repetitions", "simulated collections of each cell", "100", CONFIG_WHOLE(struct common, repetitions), .min = 1,
        .max = REPETITIONS_MAX, .fallback = REPETITIONS_DEFAULT),
    KEY("spreadsheet",
        "write an apostrophe before texts in tables that begin with =, +, -, @ or a tab, which spreadsheets would "
        "run as formulas",
        "true", CONFIG_FLAG(struct common, spreadsheet)),
    KEY("measure", "the measure that the decision compares, where a table has it; default: the first that it can",
        "\"tv\"", CONFIG_TEXT(struct common, measure)),
    KEY("pictures", "captions, and what is left out; changes no number",
        "[{\"picture\": \"full_domain\", \"caption\": \"Figure 4. Error of single frequencies\"}]",
        .type = &config_pictures, CONFIG_MEMBER(struct common, pictures, struct json_at)),
    {.name = NULL},
};

/* The task is read first, since the keys depend on it. */
static int task_read(const struct json_at *root, const struct task **task, struct failure *failure)
{
    struct json_at at;
    size_t index = 0;

    if (json_member(root, "task", &at) && json_choice(&at, NULL, task_words, &index, failure) != 0)
        return -1;
    *task = tasks[index];
    return 0;
}

/* A key that other tasks have is no misspelling. */
static int check_task(const struct json_at *root, const struct task *own, struct failure *failure)
{
    struct json_at at;

    for (size_t i = 0; tasks[i]; i++)
        for (const struct config_key *key = tasks[i]->keys; key->name; key++)
            if (!config_find(own->keys, key->name) && json_member(root, key->name, &at))
                return json_fail(&at, failure, "expected none, as it is a key of the task %s, not of %s",
                                 tasks[i]->name, own->name);
    return 0;
}

static int common_read(const struct json_at *root, const struct overrides *overrides, struct experiment *experiment,
                       struct failure *failure)
{
    struct common common = {0};

    if (task_read(root, &experiment->task, failure) != 0 || check_task(root, experiment->task, failure) != 0 ||
        config_check(root, experiment_keys, experiment->task->keys, failure) != 0 ||
        config_read(root, experiment_keys, &common, failure) != 0)
        return -1;
    experiment->seed = overrides->has_seed ? overrides->seed : common.seed;
    experiment->data_seed = overrides->has_data_seed ? overrides->data_seed : common.data_seed;
    experiment->repetitions = overrides->has_repetitions ? overrides->repetitions : (uint32_t)common.repetitions;
    experiment->spreadsheet = common.spreadsheet;
    experiment->name = xstrdup(common.name);
    return 0;
}

/* Reads the config, with the changes that the command line asks for. */
static int load(const char *file, const struct overrides *overrides, struct json_file **out, struct failure *failure)
{
    struct json_file *json = NULL;
    const struct task *task;
    if ((overrides->text ? json_parse(file, overrides->text, strlen(overrides->text), &json, failure)
                         : json_load(file, &json, failure)) != 0)
        return -1;
    if (overrides->nedits == 0) {
        *out = json;
        return 0;
    }
    const struct json_at root = json_root(json);
    const int result =
        task_read(&root, &task, failure) == 0
            ? config_edit(json, experiment_keys, task->keys, overrides->edits, overrides->nedits, out, failure)
            : -1;
    json_free(json);
    return result;
}

/* Whether a decision compares a measure of that name, in one of the first tables. */
static bool is_compared(const struct task_tables *tables, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        for (const struct ldp_measure *one = tables->table[i].table.measures; one->name; one++)
            if (one->unit != LDP_UNIT_NONE && strcmp(one->name, name) == 0)
                return true;
    return false;
}

static int check_measure(const struct json_at *root, const struct task_tables *tables, struct failure *failure)
{
    struct buffer known = {0};
    struct json_at at;

    if (!json_member(root, "measure", &at) || is_compared(tables, tables->count, cJSON_GetStringValue(at.node)))
        return 0;
    for (size_t i = 0; i < tables->count; i++)
        for (const struct ldp_measure *one = tables->table[i].table.measures; one->name; one++)
            if (one->unit != LDP_UNIT_NONE && !is_compared(tables, i, one->name))
                buffer_format(&known, "%s%s", known.length > 0 ? ", " : "", one->name);
    json_expected(&at, failure, "a measure that a decision compares: %s", known.text ? known.text : "none");
    buffer_clear(&known);
    return -1;
}

int experiment_read(const char *file, const struct overrides *overrides, struct experiment **out,
                    struct failure *failure)
{
    static const struct overrides none;
    const double start = clock_seconds();
    int result = -1;

    *out = NULL;
    overrides = overrides ? overrides : &none;
    struct json_file *json = NULL;
    if (load(file, overrides, &json, failure) != 0)
        return -1;

    const struct json_at root = json_root(json);

    struct experiment *experiment = xcalloc(1, sizeof *experiment);
    if (common_read(&root, overrides, experiment, failure) != 0)
        goto out;
    experiment->file = xstrdup(file);
    experiment->config_text = xstrdup(json_text(json));
    experiment->setup = xcalloc(1, experiment->task->setup_size);
    if (config_read(&root, experiment->task->keys, experiment->setup, failure) != 0 ||
        experiment->task->prepare(&root, overrides, experiment->data_seed, experiment->setup, failure) != 0)
        goto out;
    experiment->task->tables(experiment->setup, &experiment->setup->tables);
    if (check_measure(&root, &experiment->setup->tables, failure) != 0)
        goto out;
    experiment->prepared = clock_seconds() - start - experiment->setup->outlook_seconds;
    *out = experiment;
    experiment = NULL;
    result = 0;
out:
    experiment_free(experiment);
    json_free(json);
    return result;
}

void experiment_free(struct experiment *experiment)
{
    if (!experiment)
        return;
    if (experiment->setup) {
        tables_clear(&experiment->setup->tables);
        experiment->task->free(experiment->setup);
    }
    free(experiment->file);
    free(experiment->config_text);
    free(experiment->name);
    free(experiment);
}

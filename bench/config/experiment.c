/* experiment.c - experiments: what every config has, whatever its task. */
#include "config/experiment.h"
#include "config/json.h"
#include "dataset.h"
#include "support/names.h"
#include "tasks/task.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define TASK(id) &task_##id,
const struct task *const tasks[] = {
#include "tasks/tasks.def"
    NULL};

static const struct task *task_find(const char *name)
{
    for (size_t i = 0; tasks[i]; i++)
        if (strcmp(tasks[i]->name, name) == 0)
            return tasks[i];
    return NULL;
}

const char *const experiment_keys[] = {"$schema", "name", "description", "task", "seed", "repetitions", NULL};

enum { NAME_MAX_LENGTH = 100 };

static int name_read(const struct json_at *at, const char **out, struct failure *failure)
{
    const char *c;

    if (json_string(at, out, failure) != 0)
        return -1;
    for (c = *out; isalnum((unsigned char)*c) || *c == '.' || *c == '_' || *c == '-'; c++)
        continue;
    if (**out == '\0' || **out == '.' || *c || c - *out > NAME_MAX_LENGTH)
        return json_expected(at, failure, "a name of up to %d letters, digits, '_', '-' and '.', not starting with '.'",
                             NAME_MAX_LENGTH);
    return 0;
}

/* The optional keys that all tasks share. */
static int common_read(const struct json_at *root, const struct overrides *overrides, struct experiment *experiment,
                       struct failure *failure)
{
    uint64_t repetitions = 30;
    const char *text;
    struct json_at at;

    experiment->seed = 1;
    if (json_member(root, "seed", &at) && json_integer(&at, 0, UINT64_C(1) << 53, &experiment->seed, failure) != 0)
        return -1;
    if (json_member(root, "repetitions", &at) && json_integer(&at, 1, 10000000, &repetitions, failure) != 0)
        return -1;
    experiment->repetitions = (uint32_t)repetitions;
    if ((json_member(root, "$schema", &at) && json_string(&at, &text, failure) != 0) ||
        (json_member(root, "description", &at) && json_string(&at, &text, failure) != 0))
        return -1;
    if (overrides && overrides->has_seed)
        experiment->seed = overrides->seed;
    if (overrides && overrides->has_repetitions)
        experiment->repetitions = overrides->repetitions;
    return 0;
}

int experiment_read(const char *file, const struct overrides *overrides, struct experiment **out,
                    struct failure *failure)
{
    static const struct overrides none;
    struct experiment *experiment = NULL;
    struct json_file *json = NULL;
    const char *names[NAMES_MAX], *name;
    struct json_at root, at;
    size_t itask;
    int result = -1;

    *out = NULL;
    if (json_load(file, &json, failure) != 0)
        return -1;
    root = json_root(json);
    experiment = calloc(1, sizeof *experiment);
    if (!experiment) {
        fail_memory(failure);
        goto out;
    }
    experiment->task = task_find("frequency");
    if (json_member(&root, "task", &at)) {
        task_names(names);
        if (json_choice(&at, NULL, names, &itask, failure) != 0)
            goto out;
        experiment->task = tasks[itask];
    }
    if (json_keys(&root, experiment_keys, experiment->task->keys, failure) != 0 ||
        json_require(&root, "name", &at, failure) != 0 || name_read(&at, &name, failure) != 0 ||
        common_read(&root, overrides, experiment, failure) != 0)
        goto out;
    experiment->file = strdup(file);
    experiment->config_text = strdup(json_text(json));
    experiment->name = strdup(name);
    if (!experiment->file || !experiment->config_text || !experiment->name) {
        fail_memory(failure);
        goto out;
    }
    if (experiment->task->read(&root, overrides ? overrides : &none, experiment->seed, &experiment->setup, failure) !=
        0)
        goto out;
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
    if (experiment->setup)
        experiment->task->free(experiment->setup);
    free(experiment->file);
    free(experiment->config_text);
    free(experiment->name);
    free(experiment);
}

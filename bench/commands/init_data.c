/* init_data.c - the data of ldpbench init: what they hold, and what to ask for where they cannot be read as they are.
 */
#include "commands/commands.h"
#include "commands/init.h"

#include "records.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_known_ending(const char *path)
{
    const char *const base = path_base(path);
    const size_t length = strlen(base) - (text_ends_with(base, ".gz") ? 3 : 0);

    for (size_t i = 0; dataset_types[i]; i++)
        for (const char *const *ending = dataset_types[i]->endings; ending && *ending; ending++)
            if (length >= strlen(*ending) && strncmp(base + length - strlen(*ending), *ending, strlen(*ending)) == 0)
                return true;
    return false;
}

/* A file of another name is read as counts: tells which names give the other formats. */
static void hint_at_endings(struct failure *failure)
{
    struct buffer hint = {0};

    for (size_t i = 0; dataset_types[i]; i++)
        for (const char *const *ending = dataset_types[i]->endings; ending && *ending; ending++)
            buffer_format(&hint, "%s%s for %s", hint.text ? ", " : "", *ending, dataset_types[i]->name);
    char *const text = xstrdup(failure->text);
    fail(failure, EXIT_BAD_INPUT, "%s; the ending of its name tells the format: %s", text, hint.text);
    free(text);
    buffer_clear(&hint);
}

/* Reads the data; one column of records is read again as counts. */
static int read_data(struct init_request *request, const char *command, struct dataset **out, struct failure *failure)
{
    int result = dataset_object_read(command, request->dataset, false, out, failure);

    if (result == 0 && (*out)->records && (*out)->records->records->d == 1 && dataset_object_file(request->dataset)) {
        init_answers(request->dataset, NULL);
        dataset_free(*out);
        result = dataset_object_read(command, request->dataset, false, out, failure);
    }
    if (result == 0 || !dataset_object_file(request->dataset))
        return result;
    char *const path = dataset_find_file(request->data, NULL, failure);
    if (path && failure->status == EXIT_BAD_INPUT && !has_known_ending(path))
        hint_at_endings(failure);
    free(path);
    return -1;
}

int init_read(struct init_request *request, const char *command, struct dataset **out, struct failure *failure)
{
    struct dataset *dataset = NULL;

    request->data = request->data ? request->data : "zipf(s=1.5,d=1024,n=1000000)";
    if (!request->dataset)
        request->dataset = dataset_object(command, request->data, failure);
    if (!request->dataset)
        return -1;
    if (dataset_object_file(request->dataset))
        request->data = dataset_object_file(request->dataset);
    if (read_data(request, command, &dataset, failure) != 0)
        return -1;
    if (!out)
        say_dataset_note(dataset);
    request->kind = dataset->records                          ? DATASET_RECORDS
                    : dataset->strings && !request->of_counts ? DATASET_STRINGS
                                                              : DATASET_COUNTS;
    request->ordered = dataset->type->ordered || cJSON_IsTrue(cJSON_GetObjectItem(request->dataset, "ordered"));
    request->d = dataset_d(dataset);
    request->n = dataset_n(dataset);
    if (out)
        *out = dataset;
    else
        dataset_free(dataset);
    return 0;
}

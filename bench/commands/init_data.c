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

/* The length that fits, of a failure to read strings of more than 128 bits; 0: it is another failure. */
static unsigned length_that_fits(const struct failure *failure)
{
    const char *const at = strstr(failure->text, "(a \"length\" of ");
    unsigned fits;

    return at && sscanf(at, "(a \"length\" of %u", &fits) == 1 ? fits : 0;
}

/* The dataset with a value of a key in place of that which it has; 0: without it. */
static cJSON *with(const cJSON *dataset, const char *key, unsigned value)
{
    cJSON *const other = cJSON_Duplicate(dataset, true);

    cJSON_DeleteItemFromObject(other, key);
    if (value > 0)
        json_add(other, "%s=%g", key, (double)value);
    return other;
}

/* The number of different strings, read with a value of a key; 0 with a failure: they cannot be. */
static size_t strings_with(const cJSON *dataset, const char *key, unsigned value, struct failure *failure)
{
    cJSON *const other = with(dataset, key, value);
    struct dataset *read = NULL;
    const size_t d = dataset_object_read("init", other, false, &read, failure) == 0 ? dataset_d(read) : 0;

    dataset_free(read);
    cJSON_Delete(other);
    return d;
}

/* Adds what leaving out the beginning that most users share would keep, if there is such a beginning. */
static void suggest_known(const cJSON *dataset, struct buffer *text)
{
    unsigned most = 0, fits = 0;

    for (unsigned step = 64; step > 0; step /= 2) {
        struct failure failure = {.text = ""};
        const bool is_read = strings_with(dataset, "known", most + step, &failure) > 0;

        if (is_read || length_that_fits(&failure) > 0) {
            most += step;
            fits = is_read ? 0 : length_that_fits(&failure);
        }
    }
    if (most == 0)
        return;
    struct failure ignored = NO_REASON;
    cJSON *const known = with(dataset, "known", most);
    buffer_format(text, "known=%u", most);
    if (fits > 0)
        buffer_format(text, ",length=%u", fits);
    buffer_format(
        text,
        " leaves out the beginning that most users share (%zu remain; strings that begin otherwise cannot be found); ",
        strings_with(known, "length", fits, &ignored));
    cJSON_Delete(known);
}

/* Strings of more than 128 bits: tells what can be done, and what each costs. */
static void explain_long_strings(const cJSON *dataset, struct failure *failure)
{
    static const char *const keys[] = {"length", "hash", "known"};
    const unsigned fits = length_that_fits(failure);
    struct failure ignored = NO_REASON;
    struct buffer known = {0};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (fits == 0 || cJSON_HasObjectItem(dataset, keys[i]))
            return;
    cJSON *const symbols = with(dataset, "alphabet", 0);
    const size_t all = strings_with(symbols, "hash", 128, &ignored),
                 kept = strings_with(dataset, "length", fits, &ignored);
    char *const text = xstrdup(failure->text);
    suggest_known(dataset, &known);
    fail(
        failure, EXIT_BAD_INPUT,
        "%s. Choose one, in parentheses after the file: length=%u searches the beginnings (%zu different strings become "
        "%zu); %shash=64 searches hashes (a list of candidates of yours then names what is found); hash=64 with --query "
        "full_domain takes the %zu as a dictionary (their frequencies, no search)",
        text, fits, all, kept, known.text ? known.text : "", all);
    buffer_clear(&known);
    cJSON_Delete(symbols);
    free(text);
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
    else if (path)
        explain_long_strings(request->dataset, failure);
    free(path);
    return -1;
}

int init_look_at_data(struct init_request *request, const char *command, struct dataset **out, struct failure *failure)
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

/* init_data.c - the data of ldpbench init: what they hold, and what to ask for where they cannot be read as they are.
 */
#include "commands/init.h"

#include "records.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_known_ending(const char *path)
{
    const char *const slash = strrchr(path, '/'), *const base = slash ? slash + 1 : path;
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

/* The number of different strings of a file, read so; 0: it cannot be. */
static size_t strings_with(const char *path, const struct strings_options *form)
{
    struct dataset *dataset = NULL;
    struct failure ignored = NO_REASON;
    const size_t d = read_dataset_argument("init", path, form, 0, &dataset, &ignored) == 0 ? dataset_d(dataset) : 0;

    dataset_free(dataset);
    return d;
}

/* Adds what leaving out the beginning that most users share would keep, if there is such a beginning. */
static void suggest_known(const char *path, const struct strings_options *form, struct buffer *text)
{
    struct strings_options known = {.alphabet = form->alphabet};
    unsigned most = 0, fits = 0;

    for (unsigned step = 64; step > 0; step /= 2) {
        struct dataset *dataset = NULL;
        struct failure failure = {.text = ""};
        known.known = most + step;
        const bool is_shared =
            read_dataset_argument("init", path, &known, 0, &dataset, &failure) == 0 || length_that_fits(&failure) > 0;

        if (is_shared) {
            most += step;
            fits = dataset ? 0 : length_that_fits(&failure);
        }
        dataset_free(dataset);
    }
    if (most == 0)
        return;
    known.known = most;
    known.length = fits;
    buffer_format(text, "--known %u", most);
    if (fits > 0)
        buffer_format(text, " --length %u", fits);
    buffer_format(
        text,
        " leaves out the beginning that most users share (%zu remain; strings that begin otherwise cannot be found); ",
        strings_with(path, &known));
}

/* Strings of more than 128 bits: tells what can be done, and what each costs. */
static void explain_long_strings(const char *path, const struct strings_options *form, struct failure *failure)
{
    const unsigned fits = length_that_fits(failure);

    if (fits == 0 || form->length > 0 || form->hash > 0 || form->known > 0)
        return;
    const struct strings_options cut = {.length = fits, .alphabet = form->alphabet}, hashed = {.hash = 128};
    const size_t all = strings_with(path, &hashed), kept = strings_with(path, &cut);
    char *const text = xstrdup(failure->text);
    struct buffer known = {0};
    suggest_known(path, form, &known);
    fail(
        failure, EXIT_BAD_INPUT,
        "%s. Choose one: --length %u searches the beginnings (%zu different strings become %zu); %s--hash 64 "
        "searches hashes (a list of candidates of yours then names what is found); --hash 64 --query full_domain takes the %zu "
        "as a dictionary (their frequencies, no search)",
        text, fits, all, kept, known.text ? known.text : "", all);
    buffer_clear(&known);
    free(text);
}

/* Reads the data; one column of records is read again as counts. */
static int read_data(struct init_request *request, const char *command, struct dataset **out, struct failure *failure)
{
    int result = read_dataset_argument(command, request->data, &request->form, 0, out, failure);

    if (result == 0 && (*out)->records && (*out)->records->records->d == 1) {
        request->form.answers = true;
        dataset_free(*out);
        *out = NULL;
        result = read_dataset_argument(command, request->data, &request->form, 0, out, failure);
    }
    if (result == 0 || dataset_argument_is_law(request->data))
        return result;
    char *const path = dataset_find_file(request->data, NULL, failure);
    if (path && failure->status == EXIT_BAD_INPUT && !has_known_ending(path))
        hint_at_endings(failure);
    else if (path)
        explain_long_strings(path, &request->form, failure);
    free(path);
    return -1;
}

int init_look_at_data(struct init_request *request, const char *command, struct dataset **out, struct failure *failure)
{
    struct dataset *dataset = NULL;

    request->data = request->data ? request->data : "zipf(s=1.5,d=1024,n=1000000)";
    if (read_data(request, command, &dataset, failure) != 0)
        return -1;
    if (!out)
        say_dataset_note(dataset);
    if (dataset_argument_is_law(request->data)) {
        request->law = dataset->type;
        memcpy(request->param, dataset->param, sizeof request->param);
    }
    request->kind = dataset->records                          ? DATASET_RECORDS
                    : dataset->strings && !request->of_counts ? DATASET_STRINGS
                                                              : DATASET_COUNTS;
    request->ordered = dataset->type->ordered;
    request->d = dataset_d(dataset);
    request->n = dataset_n(dataset);
    if (out)
        *out = dataset;
    else
        dataset_free(dataset);
    return 0;
}

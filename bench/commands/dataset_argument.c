/* dataset_argument.c - see dataset_argument.h. */
#include "commands/dataset_argument.h"

#include "commands/commands.h"
#include "config/dataset_notes.h"
#include "config/datasets.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a law's parameter, or of d or n. */
static int read_law_value(const char *spec, const struct ldp_param *param, const char *text, double *value,
                          struct failure *failure)
{
    const char *const end = parse_number(text, value);

    if (end && !*end && *value >= param->min && *value <= param->max &&
        (param->kind == LDP_REAL || *value == floor(*value)))
        return 0;
    char range[RANGE_TEXT];
    return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected %s, got \"%s\"", SHOWN(spec), param->name,
                format_range(param->kind != LDP_REAL, param->min, param->max, range), SHOWN(text));
}

/* One NAME=VALUE of a law: d, n or a parameter. */
static int set_law_value(struct dataset_request *request, const char *spec, const char *name, const char *text,
                         struct failure *failure)
{
    static const struct ldp_param size[] = {
        {.name = "d", .kind = LDP_INTEGER, .min = 2, .max = VALUES_MAX},
        {.name = "n", .kind = LDP_INTEGER, .min = 1, .max = WHOLE_MAX},
    };
    const struct ldp_param *const params = request->type->params;

    for (size_t i = 0; i < 2; i++)
        if (strcmp(size[i].name, name) == 0) {
            double value;
            if (read_law_value(spec, &size[i], text, &value, failure) != 0)
                return -1;
            if (i == 0)
                request->d = (size_t)value;
            else
                request->n = (uint64_t)value;
            return 0;
        }
    for (size_t i = 0; params && params[i].name; i++)
        if (strcmp(params[i].name, name) == 0)
            return read_law_value(spec, &params[i], text, &request->param[i], failure);
    return fail(failure, EXIT_BAD_INPUT, "%s: %s has no parameter \"%s\"", SHOWN(spec), request->type->name,
                SHOWN(name));
}

/* Whether a law has all that it needs. */
static int check_law(const struct dataset_request *request, const char *spec, struct failure *failure)
{
    const struct ldp_param *const params = request->type->params;

    if (request->d == 0 || request->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected d and n, as in 'zipf(s=1.5,d=1024,n=1000000)'", SHOWN(spec));
    for (size_t i = 0; params && params[i].name; i++)
        if (isnan(request->param[i])) /* no default, not given */
            return fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got none", SHOWN(spec), params[i].name);
    return 0;
}

/* Whether one of the parts before it has the same name. */
static bool given_before(const char *parts, const char *part, size_t length)
{
    for (; parts < part; parts += strlen(parts) + 1)
        if (strlen(parts) == length && strncmp(parts, part, length) == 0)
            return true;
    return false;
}

/* NAME=VALUE, ... up to the end of the copy, which is cut into its names and values. */
static int read_law_values(const char *spec, char *parts, struct dataset_request *request, struct failure *failure)
{
    for (char *part = parts, *next; part; part = next) {
        char *const equals = strchr(part, '=');

        next = strchr(part, ',');
        if (next)
            *next++ = '\0';
        if (!equals || (next && equals >= next))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected NAME=VALUE, got \"%s\"", SHOWN(spec), SHOWN(part));
        *equals = '\0';
        if (given_before(parts, part, strlen(part)))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected each parameter once, got %s twice", SHOWN(spec),
                        SHOWN(part));
        if (set_law_value(request, spec, part, equals + 1, failure) != 0)
            return -1;
    }
    return 0;
}

bool dataset_argument_is_law(const char *spec)
{
    char *const name = xstrndup(spec, strcspn(spec, "("));
    const struct dataset_type *const type = dataset_type_find(name);

    free(name);
    return type && !type->from_file;
}

/* A law as `zipf(s=1.5,d=1024,n=1e6)`. Returns 1 where the text is none. */
static int read_law(const char *spec, struct dataset_request *request, struct failure *failure)
{
    const size_t length = strcspn(spec, "("), whole = strlen(spec);
    char *const copy = xstrdup(spec);

    copy[length] = '\0';
    request->type = dataset_type_find(copy);
    int result = 1;
    if (request->type && !request->type->from_file) {
        ldp_params_default(request->type->params, request->param);
        result = 0;
        if (spec[length] && strcspn(spec, ")") + 1 != whole)
            result = fail(failure, EXIT_BAD_INPUT, "%s: expected a closing parenthesis at the end", SHOWN(spec));
        copy[whole - 1] = '\0';
        if (result == 0 && spec[length] && copy[length + 1])
            result = read_law_values(spec, copy + length + 1, request, failure);
        if (result == 0)
            result = check_law(request, spec, failure);
    }
    free(copy);
    return result;
}

/* Fails for a text that is neither a file nor a law. */
static int unknown_law(const char *command, const char *spec, struct failure *failure)
{
    char name[40];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, "("), spec);
    const char *names[NAMES_MAX];
    dataset_type_names(names);
    return unknown_name(command, "a file or a law", name, names, failure);
}

/* The place of a parameter, or LDP_PARAMS_MAX. */
static size_t text_index(const struct dataset_type *type, const char *name)
{
    for (size_t i = 0; type->params && type->params[i].name; i++)
        if (strcmp(type->params[i].name, name) == 0)
            return i;
    return LDP_PARAMS_MAX;
}

/* Sets a parameter that was given. */
static void set_coding(struct dataset_request *request, const char *name, unsigned value)
{
    if (value > 0)
        request->param[text_index(request->type, name)] = value;
}

/* Sets length and alphabet, or bits, in a request for strings, columns in one for records. */
static int set_form(const char *command, const char *spec, const struct strings_options *form,
                    struct dataset_request *request, struct failure *failure)
{
    const char *const of_cells = form->columns     ? "--columns"
                                 : form->other > 0 ? "--other"
                                 : form->range     ? "--full-range"
                                 : form->missing   ? "--missing"
                                 : form->no_header ? "--no-header"
                                                   : NULL;
    if ((of_cells && !request->type->cells) || (form->bins > 0 && text_index(request->type, "bins") == LDP_PARAMS_MAX))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a file of records with %s, got %s", SHOWN_PATH(spec),
                    of_cells ? of_cells : "--bins", request->type->name);
    request->text = form->columns;
    request->missing = form->missing;
    request->keep_identifiers = form->keep_identifiers;
    set_coding(request, "bins", form->bins);
    set_coding(request, "other", form->other);
    set_coding(request, "full_range", form->range);
    set_coding(request, "no_header", form->no_header);
    if (form->length == 0 && form->bits == 0 && form->hash == 0 && form->known == 0 && !form->alphabet)
        return 0;
    if (request->type->kind != DATASET_STRINGS)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected a file of strings with --length, --alphabet, --bits, --hash or --known, got %s",
                    SHOWN_PATH(spec), request->type->name);
    if (!request->type->from_file && (form->bits != 0 || form->hash != 0 || form->known != 0))
        return fail(failure, EXIT_BAD_INPUT, "%s: --%s: expected a file, got a law (which has bits=1)", SHOWN(spec),
                    form->bits != 0   ? "bits"
                    : form->hash != 0 ? "hash"
                                      : "known");

    const size_t length = text_index(request->type, "length"), bits = text_index(request->type, "bits");

    if (form->length != 0 || request->type->from_file)
        request->param[length] = form->length;
    if (request->type->from_file)
        request->param[bits] = form->bits;
    if (form->hash != 0)
        request->param[text_index(request->type, "hash")] = form->hash;
    if (form->known != 0)
        request->param[text_index(request->type, "known")] = form->known;
    request->text = form->alphabet;

    struct ldp_reason reason;
    if (request->type->check(request->param, request->text, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "%s: %s", command, reason.text);
    return 0;
}

int read_dataset_argument(const char *command, const char *spec, const struct strings_options *form, uint64_t n,
                          struct dataset **out, struct failure *failure)
{
    struct dataset_request request = {.n = n};
    char *path = NULL;
    int result = read_law(spec, &request, failure);

    if (result > 0) {
        path = strcmp(spec, "-") == 0 ? xstrdup(spec) : dataset_find_file(spec, NULL, failure);
        request.type = form->answers ? dataset_type_find("answers") : dataset_type_of_file(spec);
        ldp_params_default(request.type->params, request.param);
        request.path = path;
        result = path ? 0 : text_ends_with(spec, ")") ? unknown_law(command, spec, failure) : -1;
    }
    if (result == 0)
        result = set_form(command, spec, form, &request, failure);
    if (result == 0)
        result = dataset_new(&request, out, failure);
    free(path);
    return result;
}

void say_dataset_note(const struct dataset *dataset)
{
    char *const note = dataset_note(dataset);

    if (note)
        fprintf(stderr, "ldpbench: warning: %s\n", note);
    free(note);
}

int read_strings_option(int option, const char *text, struct strings_options *form, struct failure *failure)
{
    unsigned long long number;

    switch (option) {
    case STRINGS_LENGTH:
        if (read_whole("--length", text, 1, 128, &number, failure) != 0)
            return -1;
        form->length = (double)number;
        return 0;
    case STRINGS_ALPHABET: form->alphabet = text; return 0;
    case RECORDS_COLUMNS: form->columns = text; return 0;
    case RECORDS_MISSING_OPTION: form->missing = text; return 0;
    case RECORDS_RANGE_OPTION: form->range = true; return 0;
    case RECORDS_NO_HEADER_OPTION: form->no_header = true; return 0;
    case RECORDS_BINS_OPTION:
    case RECORDS_OTHER_OPTION:
        if (read_whole(option == RECORDS_BINS_OPTION ? "--bins" : "--other", text,
                       option == RECORDS_BINS_OPTION ? 2 : 1, 1 << 20, &number, failure) != 0)
            return -1;
        *(option == RECORDS_BINS_OPTION ? &form->bins : &form->other) = (unsigned)number;
        return 0;
    case STRINGS_HASH:
        if (read_whole("--hash", text, 8, 128, &number, failure) != 0)
            return -1;
        form->hash = (double)number;
        return 0;
    case STRINGS_KNOWN:
        if (read_whole("--known", text, 1, 10000, &number, failure) != 0)
            return -1;
        form->known = (double)number;
        return 0;
    default:
        if (read_whole("--bits", text, 1, 128, &number, failure) != 0)
            return -1;
        form->bits = (double)number;
        return 0;
    }
}

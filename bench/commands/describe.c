/* describe.c - ldpbench describe: shows the size and shape of a dataset. */
#include "commands/algorithms.h"
#include "commands/commands.h"
#include "config/registry.h"
#include "dataset.h"
#include "records.h"
#include "strings.h"
#include "support/limits.h"
#include "support/names.h"
#include "support/numbers.h"
#include "support/text.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The exponent s of the law p(r) ~ r^-s, r = 1..d, that is most likely for the counts by rank: its mean of
 * ln r is the counts'. Bisection; the mean falls as s grows. */
static double fitted_exponent(const struct ldp_population *population)
{
    double target = 0;

    for (size_t r = 0; r < population->d; r++)
        target += population->f[population->rank[r]] * log((double)(r + 1));
    double low = -2, high = 20;
    for (int i = 0; i < 50; i++) {
        const double s = (low + high) / 2;
        double weights = 0, logs = 0;

        for (size_t r = 0; r < population->d; r++) {
            const double ln = log((double)(r + 1)), weight = exp(-s * ln);
            weights += weight;
            logs += weight * ln;
        }
        if (logs / weights > target)
            low = s;
        else
            high = s;
    }
    return (low + high) / 2;
}

/* Symbols as an alphabet writes them, '-' first, others than printable ones as %XX. */
static void print_alphabet(const struct dataset_strings *strings)
{
    bool in[SYMBOLS_MAX + 1] = {false};
    unsigned count = 0;

    for (unsigned i = strings->strings.padded; i < strings->strings.searched; i++, count++)
        in[strings->symbol[i]] = true;
    printf("  alphabet              %u symbols: %s", count, in['-'] ? "-" : "");
    in['-'] = false;
    for (unsigned c = 0, last; c < SYMBOLS_MAX; c = last + 1) {
        for (last = c; in[c] && in[last + 1];)
            last++;
        const unsigned step = last > c + 1 ? last - c : 1;

        for (unsigned shown = c; in[c] && shown <= last; shown += step) {
            printf(shown > ' ' && shown <= '~' && shown != '%' ? "%s%c" : "%s%%%02X", shown > c && step > 1 ? "-" : "",
                   shown);
        }
    }
    putchar('\n');
}

static void print_strings(const struct dataset *dataset)
{
    const struct dataset_strings *const strings = dataset->strings;
    const struct ldp_population *const population = dataset->population;
    size_t least = SIZE_MAX, most = 0;
    double sum = 0;

    for (size_t v = 0; v < population->d; v++) {
        const size_t bytes = strings_bytes(strings, strings->key[v]);

        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
        sum += population->f[v] * (double)bytes;
    }
    printf("  length                %u %s%s\n", strings->strings.length, strings->bits ? "bits" : "symbols",
           strings->strings.padded ? ", shorter strings filled up" : "");
    printf("  lengths               %zu to %zu bytes, %.4g on average of users; at most %u before strings were cut\n",
           least, most, sum, strings->longest);
    if (!strings->bits)
        print_alphabet(strings);
    printf("  users outside         %" PRIu64 " (different strings: %" PRIu64 ")\n", strings->outside_users,
           strings->outside_strings);
    printf("  users cut             %" PRIu64 " (different strings: %" PRIu64 ")\n", strings->cut_users,
           strings->cut_strings);
}

static void print_description(const struct dataset *dataset)
{
    const struct ldp_population *const population = dataset->population;
    size_t ones = 0, zeros = 0;
    const size_t shown = population->d < 5 ? population->d : 5;
    double squares = 0;

    for (size_t v = 0; v < population->d; v++) {
        ones += population->counts[v] == 1;
        zeros += population->counts[v] == 0;
        squares += population->f[v] * population->f[v];
    }
    printf("%s\n  d                     %zu\n  n                     %llu\n", dataset->name, population->d,
           (unsigned long long)population->n);
    printf("  largest counts        ");
    for (size_t r = 0; r < shown; r++) {
        const size_t v = population->rank[r];

        if (dataset->labels)
            printf("%s%s %llu", r ? ", " : "", dataset->labels[v], (unsigned long long)population->counts[v]);
        else
            printf("%s%zu %llu", r ? ", " : "", v, (unsigned long long)population->counts[v]);
    }
    printf("\n  values with count 0   %zu\n  values with count 1   %zu\n", zeros, ones);
    printf("  sum of squared f      %.6g\n", squares);
    if (population->d <= 1000000)
        printf("  fitted Zipf exponent  %.4f (maximum likelihood on ranks)\n", fitted_exponent(population));
    if (dataset->strings)
        print_strings(dataset);
}

static void print_records(const struct dataset *dataset)
{
    const struct ldp_records *records = dataset->records->records;

    printf("%s\n  attributes            %zu\n  n                     %llu\n  distinct records      %zu\n",
           dataset->name, records->d, (unsigned long long)records->n, records->rows);
    printf("  cardinalities         ");
    for (size_t i = 0; i < records->d; i++)
        printf("%s%s %u", i ? ", " : "", dataset->records->names[i], (unsigned)records->cardinality[i]);
    putchar('\n');
}

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

/* A law as `zipf(s=1.5,d=1024,n=1e6)`. Returns 1 where the text is none. */
static int read_law(const char *spec, struct dataset_request *request, struct failure *failure)
{
    const size_t length = strcspn(spec, "("), whole = strlen(spec);
    char *const copy = strdup(spec);

    if (!copy)
        return fail_memory(failure);
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
static int unknown_law(const char *spec, struct failure *failure)
{
    char name[40];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, "("), spec);
    const char *names[NAMES_MAX];
    dataset_type_names(names);
    return unknown_name("describe", "a file or a law", name, names, failure);
}

/* What the options set for a file of strings: length and alphabet, or bits; 0 and NULL if not given. */
struct form {
    double length, bits;
    const char *alphabet;
};

/* Sets them in a request for a file of strings. */
static int set_form(const struct form *form, const char *file, struct dataset_request *request, struct failure *failure)
{
    if (form->length == 0 && form->bits == 0 && !form->alphabet)
        return 0;
    if (request->type->kind != DATASET_STRINGS)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected a file of strings with --length, --alphabet or --bits, got %s", SHOWN_PATH(file),
                    request->type->name);
    for (size_t i = 0; request->type->params[i].name; i++)
        request->param[i] = strcmp(request->type->params[i].name, "bits") == 0 ? form->bits : form->length;
    request->text = form->alphabet;
    struct ldp_reason reason;
    if (request->type->check(request->param, request->text, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "describe: %s", reason.text);
    return 0;
}

static int describe(const char *spec, const struct form *form, struct failure *failure)
{
    struct dataset_request request = {0};
    char *path = NULL;
    int result = read_law(spec, &request, failure);

    if (result > 0) {
        path = strcmp(spec, "-") == 0 ? strdup(spec) : dataset_find_file(spec, NULL, failure);
        request.type = dataset_type_of_file(spec);
        ldp_params_default(request.type->params, request.param);
        request.path = path;
        result = path                        ? set_form(form, spec, &request, failure)
                 : text_ends_with(spec, ")") ? unknown_law(spec, failure)
                                             : -1;
    }
    struct dataset *dataset = NULL;
    if (result == 0)
        result = dataset_new(&request, &dataset, failure);
    if (result == 0)
        (dataset->records ? print_records : print_description)(dataset);
    dataset_free(dataset);
    free(path);
    return result;
}

enum { LENGTH = 256, ALPHABET, BITS };

static const struct command_option options[] = {
    {.name = "length",
     .code = LENGTH,
     .value = "SYMBOLS",
     .help = "For strings: cut each after this many symbols. Default: no limit."},
    {.name = "alphabet",
     .code = ALPHABET,
     .value = "SYMBOLS",
     .help = "For strings: the symbols that a search would use, such as a-z. Default: all that occur."},
    {.name = "bits",
     .code = BITS,
     .value = "BITS",
     .help = "For strings: use this many bits of each, instead of length and alphabet."},
    {.name = NULL},
};

static int read_form(int argc, char **argv, struct form *form, struct failure *failure)
{
    unsigned long long number;
    int option;

    while ((option = next_option(&command_describe, argc, argv, failure)) != OPTIONS_END)
        switch (option) {
        case LENGTH:
            if (read_whole("--length", optarg, 1, 128, &number, failure) != 0)
                return -1;
            form->length = (double)number;
            break;
        case ALPHABET: form->alphabet = optarg; break;
        case BITS:
            if (read_whole("--bits", optarg, 1, 128, &number, failure) != 0)
                return -1;
            form->bits = (double)number;
            break;
        default: return -1;
        }
    return 0;
}

static int run(int argc, char **argv)
{
    struct form form = {0};
    struct failure failure;

    if (read_form(argc, argv, &form, &failure) != 0)
        return say_failure(&failure);
    if (optind == argc) {
        fail(&failure, EXIT_BAD_INPUT, "describe: expected a dataset, got none");
        return say_failure(&failure);
    }
    for (int i = optind; i < argc; i++)
        if (describe(argv[i], &form, &failure) != 0)
            return say_failure(&failure);
    return EXIT_DONE;
}

const struct command command_describe = {
    .name = "describe",
    .operands = "DATASET...",
    .summary = "show n, d and shape of a counts or FIMI file, or of a law such as 'zipf(s=1.5,d=1024,n=1e6)'",
    .about =
        "Shows size, number of users and shape of a file of counts, of FIMI transactions (.dat, .dat.gz), or of a law "
        "such as 'zipf(s=1.5,d=1024,n=1e6)'. For strings (.strings, .strings.gz) also lengths, alphabet, and how "
        "many users "
        "an alphabet and a length leave out.",
    .options = options,
    .names = dataset_type_names,
    .takes = TAKES_FILES,
    .run = run,
};

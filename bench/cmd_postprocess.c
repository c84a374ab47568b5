/* cmd_postprocess.c - ldpbench postprocess: support counts of a real collection to estimates.
 *
 * Reads value TAB support lines ('#' starts a comment), writes a header and for each value its estimate by each method,
 * as frequencies. The number of values is d. */
#include "commands.h"
#include "labels.h"
#include "names.h"
#include "output.h"
#include "text.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_MAX = 64, LINE_MAX_BYTES = 1 << 20 };

struct request {
    struct ldp_oracle_spec oracle;
    double epsilon;
    uint64_t n;
    struct ldp_method_spec methods[METHODS_MAX];
    size_t nmethods;
    const char *param[LDP_PARAMS_MAX]; /* NAME=VALUE texts */
    size_t nparams;
    const char *file;
};

struct supports {
    char **labels;
    double *support;
    size_t d, room;
    struct label_index index;
};

static int read_real(const char *option, const char *text, double *out, struct failure *failure)
{
    char *end;

    *out = strtod(text, &end);
    if (end == text || *end || !isfinite(*out))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a number, got \"%.40s\"", option, text);
    return 0;
}

/* n as 1000000 or 1e6. */
static int read_users(const char *text, uint64_t *n, struct failure *failure)
{
    double number;

    if (read_real("--n", text, &number, failure) != 0)
        return -1;
    if (number < 1 || number > 9007199254740992.0 || number != floor(number))
        return fail(failure, EXIT_BAD_INPUT, "--n: expected an integer from 1 to 9007199254740992, got \"%.40s\"",
                    text);
    *n = (uint64_t)number;
    return 0;
}

static int unknown_name(const char *option, const char *what, const char *text, const char *const *names,
                        struct failure *failure)
{
    const char *nearest = name_nearest(text, names);

    return fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got \"%.40s\"%s%s%s", option, what, text,
                nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static int add_method(struct request *request, const char *name, struct failure *failure)
{
    const struct ldp_method *method = ldp_method_find(name);
    const char *names[NAMES_MAX];

    if (!method) {
        method_names(names);
        return unknown_name("--method", "a method", name, names, failure);
    }
    if (method->on_answers)
        return fail(failure, EXIT_BAD_INPUT,
                    "--method: %s acts on answers of queries, not on estimates; for single values it is base_pos",
                    name);
    if (request->nmethods == METHODS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--method: expected at most %d methods", METHODS_MAX);
    request->methods[request->nmethods].method = method;
    ldp_params_default(method->params, request->methods[request->nmethods].param);
    request->nmethods++;
    return 0;
}

static int add_all_methods(struct request *request, struct failure *failure)
{
    for (size_t i = 0; ldp_methods[i]; i++)
        if (!ldp_methods[i]->on_answers && !(ldp_methods[i]->guarantees & LDP_IGNORES_ESTIMATE) &&
            add_method(request, ldp_methods[i]->name, failure) != 0)
            return -1;
    return 0;
}

/* NAME=VALUE belongs to the oracle if it has such a parameter, else to every method that has. */
static int set_param(struct request *request, const char *text, struct failure *failure)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    bool known = false;
    double value;

    if (!equals || length == 0)
        return fail(failure, EXIT_BAD_INPUT, "--param: expected NAME=VALUE, got \"%.40s\"", text);
    if (read_real("--param", equals + 1, &value, failure) != 0)
        return -1;
    for (size_t i = 0; i <= request->nmethods; i++) {
        const struct ldp_param *params =
            i == 0 ? request->oracle.oracle->params : request->methods[i - 1].method->params;
        double *values = i == 0 ? request->oracle.param : request->methods[i - 1].param;

        for (size_t j = 0; params && params[j].name; j++)
            if (strlen(params[j].name) == length && strncmp(params[j].name, text, length) == 0) {
                known = true;
                values[j] = value;
                if (!ldp_params_valid(params, values)) {
                    char range[RANGE_TEXT];
                    return fail(failure, EXIT_BAD_INPUT, "--param: %s: expected %s, got %.40s", params[j].name,
                                format_range(params[j].kind != LDP_REAL, params[j].min, params[j].max, range),
                                equals + 1);
                }
            }
    }
    if (!known)
        return fail(failure, EXIT_BAD_INPUT, "--param: neither the oracle nor a method has a parameter \"%.*s\"",
                    (int)(length > 40 ? 40 : length), text);
    return 0;
}

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    static const struct option options[] = {
        {"oracle", required_argument, NULL, 'O'}, {"epsilon", required_argument, NULL, 'e'},
        {"n", required_argument, NULL, 'n'},      {"method", required_argument, NULL, 'm'},
        {"param", required_argument, NULL, 'p'},  {NULL, 0, NULL, 0},
    };
    const char *names[NAMES_MAX];
    int option;

    while ((option = next_option(argc, argv, "O:e:n:m:p:", options, failure)) != OPTIONS_END) {
        switch (option) {
        case 'O':
            request->oracle.oracle = ldp_oracle_find(optarg);
            oracle_names(names);
            if (!request->oracle.oracle)
                return unknown_name("--oracle", "an oracle", optarg, names, failure);
            break;
        case 'e':
            if (read_real("--epsilon", optarg, &request->epsilon, failure) != 0)
                return -1;
            if (request->epsilon <= 0)
                return fail(failure, EXIT_BAD_INPUT, "--epsilon: expected a number > 0, got \"%.40s\"", optarg);
            break;
        case 'n':
            if (read_users(optarg, &request->n, failure) != 0)
                return -1;
            break;
        case 'm':
            if ((strcmp(optarg, "all") == 0 ? add_all_methods(request, failure)
                                            : add_method(request, optarg, failure)) != 0)
                return -1;
            break;
        case 'p':
            if (request->nparams == LDP_PARAMS_MAX)
                return fail(failure, EXIT_BAD_INPUT, "--param: expected at most %d of them", LDP_PARAMS_MAX);
            request->param[request->nparams++] = optarg;
            break;
        default: return -1;
        }
    }
    if (!request->oracle.oracle || request->epsilon <= 0 || request->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "postprocess: expected --oracle, --epsilon and --n, got no %s",
                    !request->oracle.oracle ? "--oracle"
                    : request->epsilon <= 0 ? "--epsilon"
                                            : "--n");
    if (argc - optind != 1)
        return fail(failure, EXIT_BAD_INPUT, "postprocess: expected one file of value TAB support lines, got %d",
                    argc - optind);
    request->file = argv[optind];
    if (request->nmethods == 0 && add_all_methods(request, failure) != 0)
        return -1;
    ldp_params_default(request->oracle.oracle->params, request->oracle.param);
    for (size_t i = 0; i < request->nparams; i++)
        if (set_param(request, request->param[i], failure) != 0)
            return -1;
    return 0;
}

static int add_support(struct supports *supports, const struct text *line, uint64_t n, struct failure *failure)
{
    const char *tab = memchr(line->line, '\t', line->length);
    size_t label_length = tab ? (size_t)(tab - line->line) : 0;
    char number[64], *end;
    size_t length;
    double support;

    if (!tab || label_length == 0)
        return text_fail(line, failure, "value TAB support", line->line, line->length);
    length = line->length - label_length - 1;
    if (length == 0 || length >= sizeof number)
        return text_fail(line, failure, "a support after the TAB", tab + 1, length);
    memcpy(number, tab + 1, length);
    number[length] = '\0';
    support = strtod(number, &end);
    if (*end || !isfinite(support) || number[strspn(number, "+-0123456789.eE")])
        return text_fail(line, failure, "a number after the TAB", tab + 1, length);
    if (support < 0 || support > (double)n)
        return text_fail(line, failure, "a support from 0 to n", tab + 1, length);
    if (label_index_find(&supports->index, supports->labels, line->line, label_length) != LABEL_NONE)
        return text_fail(line, failure, "each value once", line->line, label_length);
    if (supports->d == supports->room) {
        size_t room = 2 * supports->room + 1024;
        char **labels = realloc(supports->labels, room * sizeof *labels);
        double *more;
        if (labels)
            supports->labels = labels;
        more = labels ? realloc(supports->support, room * sizeof *more) : NULL;
        if (!more)
            return fail_memory(failure);
        supports->support = more;
        supports->room = room;
    }
    supports->labels[supports->d] = strndup(line->line, label_length);
    if (!supports->labels[supports->d])
        return fail_memory(failure);
    supports->support[supports->d] = support;
    if (label_index_add(&supports->index, supports->labels, supports->d++) != 0)
        return fail_memory(failure);
    return 0;
}

static int read_supports(const struct request *request, struct supports *supports, struct failure *failure)
{
    char *bytes = NULL;
    size_t size;
    struct text text;
    int more, result = -1;

    if (text_read(request->file, &bytes, &size, failure) != 0)
        return -1;
    text_begin(&text, request->file, bytes, size, LINE_MAX_BYTES);
    while ((more = text_next(&text, failure)) > 0)
        if (!text_skip(&text) && add_support(supports, &text, request->n, failure) != 0)
            goto out;
    if (more < 0)
        goto out;
    if (supports->d < 2)
        fail(failure, EXIT_BAD_INPUT, "%s: expected at least 2 values, got %zu", request->file, supports->d);
    else
        result = 0;
out:
    free(bytes);
    return result;
}

static int write_estimates(const struct request *request, const struct supports *supports, struct failure *failure)
{
    struct ldp_protocol protocol;
    size_t d = supports->d, m = request->nmethods, scratch_bytes = 1;
    double *est = malloc(d * (m + 1) * sizeof *est);
    void *scratch = NULL;
    char number[NUMBER_TEXT];
    int result = -1;

    if (ldp_protocol_init(&protocol, &request->oracle, d, request->epsilon) != LDP_OK) {
        fail(failure, EXIT_BAD_INPUT, "oracle %s does not suit d = %zu, epsilon = %g", request->oracle.oracle->name, d,
             request->epsilon);
        goto out;
    }
    for (size_t i = 0; i < m; i++) {
        size_t bytes = ldp_postprocess_scratch(&request->methods[i], d);
        scratch_bytes = bytes > scratch_bytes ? bytes : scratch_bytes;
    }
    scratch = malloc(scratch_bytes);
    if (!est || !scratch) {
        fail_memory(failure);
        goto out;
    }
    ldp_estimate(&protocol, request->n, supports->support, est);
    for (size_t i = 0; i < m; i++)
        ldp_postprocess(&request->methods[i], &protocol, request->n, est, scratch, est + (i + 1) * d);
    fputs("value", stdout);
    for (size_t i = 0; i < m; i++)
        printf("\t%s", request->methods[i].method->name);
    putchar('\n');
    for (size_t v = 0; v < d; v++) {
        fputs(supports->labels[v], stdout);
        for (size_t i = 0; i < m; i++)
            printf("\t%s", format_number(est[(i + 1) * d + v], number));
        putchar('\n');
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        fail(failure, EXIT_MACHINE, "postprocess: standard output cannot be written");
    else
        result = 0;
out:
    free(scratch);
    free(est);
    return result;
}

int command_postprocess(int argc, char **argv)
{
    struct request request = {0};
    struct supports supports = {0};
    struct failure failure;
    int result;

    result = read_request(argc, argv, &request, &failure);
    if (result == 0)
        result = read_supports(&request, &supports, &failure);
    if (result == 0)
        result = write_estimates(&request, &supports, &failure);
    label_index_clear(&supports.index);
    labels_free(supports.labels, supports.d);
    free(supports.support);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

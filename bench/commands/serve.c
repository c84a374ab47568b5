/* serve.c - ldpbench serve: runs a plugin's method. `run` starts one such process for each worker, so that a plugin
 * that crashes or hangs does not stop the run. */
#include "commands/commands.h"
#include "support/numbers.h"
#include "support/text.h"
#include "tasks/outside.h"

#include <dlfcn.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command_option known_options[] = {{.name = NULL}};

struct host {
    struct ldp_method_spec spec;
    double *est, *out;
    void *scratch;
    size_t d;
};

static int load(const char *file, struct host *host, struct failure *failure)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return fail(failure, EXIT_BAD_INPUT, "%s", dlerror());
    host->spec.method = dlsym(library, "ldp_method");
    if (!host->spec.method)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a symbol ldp_method, found none", SHOWN_PATH(file));
    if (!host->spec.method->name || !host->spec.method->apply || host->spec.method->inner)
        return fail(failure, EXIT_BAD_INPUT, "%s: ldp_method: expected a name and apply, and no inner method",
                    SHOWN_PATH(file));
    ldp_params_default(host->spec.method->params, host->spec.param);
    return 0;
}

static int set_param(struct host *host, const char *text, struct failure *failure)
{
    const struct ldp_param *params = host->spec.method->params;
    const char *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;

    if (length == 0)
        return fail(failure, EXIT_BAD_INPUT, "serve: expected NAME=VALUE, got \"%s\"", SHOWN(text));
    double value;
    if (read_real(text, equals + 1, &value, failure) != 0)
        return -1;
    for (size_t i = 0; params && params[i].name; i++) {
        if (strlen(params[i].name) != length || strncmp(params[i].name, text, length) != 0)
            continue;
        if (!ldp_param_valid(&params[i], value))
            return fail(failure, EXIT_BAD_INPUT, "%s: out of the range of the plugin's parameter", SHOWN(text));
        host->spec.param[i] = value;
        return 0;
    }
    return fail(failure, EXIT_BAD_INPUT, "the plugin has no parameter \"%s\"", SHOWN_N(text, length));
}

/* ---- Requests ---- */

/* The value of NAME= in a line of words; NULL where there is none. */
static const char *field(const char *line, const char *name)
{
    char key[100];

    snprintf(key, sizeof key, " %s=", name);
    const char *at = strstr(line, key);
    return at ? at + strlen(key) : NULL;
}

static double number(const char *line, const char *name)
{
    const char *text = field(line, name);

    return text ? strtod(text, NULL) : 0;
}

/* The protocol of a request. */
static int read_protocol(const char *line, struct ldp_protocol *protocol, struct failure *failure)
{
    const char *text = field(line, "oracle");
    char name[64] = "";

    snprintf(name, sizeof name, "%.*s", text ? (int)strcspn(text, " \n") : 0, text ? text : "");
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    if (!spec.oracle || spec.oracle->inner)
        return fail(failure, EXIT_BAD_INPUT, "expected an oracle that plugins support, got \"%s\"", SHOWN(name));
    ldp_params_default(spec.oracle->params, spec.param);
    for (size_t i = 0; spec.oracle->params && spec.oracle->params[i].name; i++) {
        char key[80];

        snprintf(key, sizeof key, "oracle.%s", spec.oracle->params[i].name);
        if (field(line, key))
            spec.param[i] = number(line, key);
    }
    struct ldp_reason reason;
    if (ldp_protocol_init(protocol, &spec, (size_t)number(line, "d"), number(line, "epsilon"), &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s: %s", name, reason.text);
    return 0;
}

static int make_room(struct host *host, size_t d, struct failure *failure)
{
    if (host->d == d)
        return 0;
    free(host->est);
    free(host->scratch);
    host->d = d;
    host->est = malloc(2 * d * sizeof *host->est);
    host->out = host->est ? host->est + d : NULL;
    host->scratch = malloc(ldp_postprocess_scratch(&host->spec, d) + 1);
    return host->est && host->scratch ? 0 : fail_memory(failure);
}

/* 1 for a request, 0 at the end of the input, -1 on failure. */
static int answer(struct host *host, char **line, size_t *room, struct failure *failure)
{
    if (getline(line, room, stdin) <= 0)
        return 0;
    if (strncmp(*line, "estimate ", 9) != 0)
        return fail(failure, EXIT_BAD_INPUT, "expected a request, got \"%s\"", SHOWN(*line));
    struct ldp_protocol protocol;
    if (read_protocol(*line, &protocol, failure) != 0 || make_room(host, protocol.d, failure) != 0)
        return -1;
    if (fread(host->est, sizeof *host->est, protocol.d, stdin) != protocol.d)
        return fail(failure, EXIT_BAD_INPUT, "expected %zu estimates, got fewer", protocol.d);
    if (!ldp_method_suits(host->spec.method, &protocol))
        return fail(failure, EXIT_BAD_INPUT, "the plugin does not suit the oracle %s", protocol.oracle->name);
    ldp_postprocess(&host->spec, &protocol, (uint64_t)number(*line, "n"), host->est, host->scratch, host->out);
    printf("%zu\n", protocol.d);
    fwrite(host->out, sizeof *host->out, protocol.d, stdout);
    fflush(stdout);
    return 1;
}

static int run(int argc, char **argv)
{
    struct host host = {0};
    struct failure failure;
    char *line = NULL;
    size_t room = 0;
    int result = 0;

    while (result == 0 && next_option(&command_serve, argc, argv, &failure) != OPTIONS_END)
        result = -1;
    if (result != 0)
        return say_failure(&failure);
    if (optind == argc) {
        fail(&failure, EXIT_BAD_INPUT, "serve: expected a shared object, got none");
        return say_failure(&failure);
    }
    result = load(argv[optind], &host, &failure);
    for (int i = optind + 1; result == 0 && i < argc; i++)
        result = set_param(&host, argv[i], &failure);
    if (result == 0) {
        puts(OUTSIDE_GREETING);
        fflush(stdout);
        result = getline(&line, &room, stdin) > 0 && strcmp(line, OUTSIDE_GREETING "\n") == 0
                     ? 1
                     : fail(&failure, EXIT_BAD_INPUT, "serve: expected \"%s\" on standard input", OUTSIDE_GREETING);
    }
    while (result > 0)
        result = answer(&host, &line, &room, &failure);
    if (result < 0)
        printf("error %s\n", failure.text);
    free(line);
    free(host.est);
    free(host.scratch);
    return result == 0 ? EXIT_DONE : (int)failure.status;
}

const struct command command_serve = {
    .name = "serve",
    .operands = "PLUGIN.so [NAME=VALUE]...",
    .summary = "run a plugin's method; ldpbench run starts this by itself",
    .about =
        "Loads a shared object that exports ldp_method (docs/external.md) and answers requests on standard input in "
        "the form that run sends. NAME=VALUE sets a parameter of the method. Only of use by hand to try a "
        "plugin.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

/* serve.c - ldpbench serve: runs a plugin's method or oracle. `run` starts one such process for each worker, so that a
 * plugin that crashes or hangs does not stop the run. */
#include "commands/commands.h"
#include "stats/collection.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "tasks/outside.h"

#include <dlfcn.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ORACLE = 256, FUNCTION };

static const struct command_option known_options[] = {
    {.name = "oracle", .code = ORACLE, .help = "Run the plugin's ldp_oracle instead of its ldp_method."},
    {.name = "function",
     .code = FUNCTION,
     .value = "NAME",
     .help = "Instead of a plugin: pass the requests on to a function of a Python process, which listens at the socket "
             "LDPBENCH_FUNCTIONS. The package starts this by itself."},
    {.name = NULL}};

/* Functions of the plugin, with the arrays of the last request. */
struct host {
    const struct ldp_param *params;
    double param[LDP_PARAMS_MAX];
    const struct ldp_method *method;
    const struct ldp_oracle *oracle; /* NULL: a method is served */
    double *est, *out;
    void *scratch;
    size_t d;
    uint64_t *counts;                  /* of an oracle: [d] */
    struct ldp_population *population; /* with these counts */
    struct collection collection;      /* from them */
};

static int load_method(const char *file, void *library, struct host *host, struct failure *failure)
{
    host->method = dlsym(library, "ldp_method");
    if (!host->method)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a symbol ldp_method, found none", SHOWN_PATH(file));
    if (!host->method->name || !host->method->apply || host->method->inner || host->method->parts)
        return fail(failure, EXIT_BAD_INPUT, "%s: ldp_method: expected a name and apply, and no inner method or parts",
                    SHOWN_PATH(file));
    host->params = host->method->params;
    return 0;
}

static int load_oracle(const char *file, void *library, struct host *host, struct failure *failure)
{
    const struct ldp_oracle *const oracle = dlsym(library, "ldp_oracle");

    if (!oracle)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a symbol ldp_oracle, found none", SHOWN_PATH(file));
    const bool has_reports = oracle->client && oracle->server && oracle->support;
    if (!oracle->name || !oracle->configure || oracle->inner || (!oracle->counts && !has_reports))
        return fail(
            failure, EXIT_BAD_INPUT,
            "%s: ldp_oracle: expected a name, configure, and counts or client, server and support, and no inner "
            "oracle",
            SHOWN_PATH(file));
    host->oracle = oracle;
    host->params = oracle->params;
    return 0;
}

_Static_assert(sizeof(void *) != 8 || (sizeof(struct ldp_method) == 104 && sizeof(struct ldp_oracle) == 296 &&
                                       sizeof(struct ldp_protocol) == 776 && sizeof(struct ldp_collection) == 32),
               "the header's structs have changed: raise LDP_HEADER_VERSION, and write their sizes here");

/* A plugin's structs are those of the header that it was compiled with. */
static int check_header(const char *file, void *library, struct failure *failure)
{
    const unsigned *const version = dlsym(library, "ldp_plugin_header");

    if (!version)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected LDP_PLUGIN; in its source, which says with which ldpbench.h it was compiled",
                    SHOWN_PATH(file));
    if (*version != LDP_HEADER_VERSION)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: compiled with version %u of ldpbench.h, and this program has version %d: compile it again",
                    SHOWN_PATH(file), *version, LDP_HEADER_VERSION);
    return 0;
}

static int load(const char *file, bool is_oracle, struct host *host, struct failure *failure)
{
    void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return fail(failure, EXIT_BAD_INPUT, "%s", dlerror());
    if (check_header(file, library, failure) != 0 ||
        (is_oracle ? load_oracle : load_method)(file, library, host, failure) != 0)
        return -1;
    ldp_params_default(host->params, host->param);
    return 0;
}

static int set_param(struct host *host, const char *text, struct failure *failure)
{
    const struct ldp_param *const params = host->params;
    const char *const equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    double value;

    if (length == 0)
        return fail(failure, EXIT_BAD_INPUT, "serve: expected NAME=VALUE, got \"%s\"", SHOWN(text));
    if (read_real(text, equals + 1, &value, failure) != 0)
        return -1;
    for (size_t i = 0; params && params[i].name; i++) {
        if (strlen(params[i].name) != length || strncmp(params[i].name, text, length) != 0)
            continue;
        if (!ldp_param_valid(&params[i], value))
            return fail(failure, EXIT_BAD_INPUT, "%s: out of the range of the plugin's parameter", SHOWN(text));
        host->param[i] = value;
        return 0;
    }
    return fail(failure, EXIT_BAD_INPUT, "the plugin has no parameter \"%s\"", SHOWN_N(text, length));
}

/* ---- Requests ---- */

static double number(const char *line, const char *name)
{
    const char *const text = outside_field(line, name);

    return text ? strtod(text, NULL) : 0;
}

/* The parameters under a prefix, "oracle" or "oracle.row_oracle". */
static void read_params(const char *line, const char *prefix, struct ldp_oracle_spec *spec)
{
    const struct ldp_param *const params = spec->oracle->params;

    ldp_params_default(params, spec->param);
    for (size_t i = 0; params && params[i].name; i++) {
        char key[160];

        snprintf(key, sizeof key, "%s.%s", prefix, params[i].name);
        if (outside_field(line, key))
            spec->param[i] = number(line, key);
    }
}

/* The oracle that a field names; NULL if it is not one of the program's. */
static const struct ldp_oracle *read_oracle(const char *line, const char *key)
{
    const char *const text = outside_field(line, key);
    char name[64] = "";

    snprintf(name, sizeof name, "%.*s", text ? (int)strcspn(text, " \n") : 0, text ? text : "");
    return ldp_oracle_find(name);
}

/* The protocol of a request for an estimate. Of an oracle outside the program no more is known than the request says.
 */
static int read_protocol(const char *line, struct ldp_protocol *protocol, struct failure *failure)
{
    const struct ldp_oracle *const known = read_oracle(line, "oracle");
    const size_t d = (size_t)number(line, "d");
    struct ldp_oracle_spec spec = {.oracle = known ? known : outside_oracles[0]}, inner = {0};
    struct ldp_reason reason;

    read_params(line, "oracle", &spec);
    if (spec.oracle->inner) {
        char key[80];

        snprintf(key, sizeof key, "oracle.%s", spec.oracle->inner);
        inner.oracle = read_oracle(line, key);
        if (inner.oracle) {
            read_params(line, key, &inner);
            spec.inner = &inner;
        }
    }
    if (ldp_protocol_init(protocol, &spec, d, number(line, "epsilon"), &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s: %s", spec.oracle->name, reason.text);
    if (!known) {
        protocol->p = number(line, "p");
        protocol->q = number(line, "q");
    }
    protocol->s1 = number(line, "s1"); /* that of a sketch is measured on each collection */
    protocol->tf = number(line, "tf");
    return 0;
}

static void host_reserve(struct host *host, size_t d, size_t scratch)
{
    if (host->d == d)
        return;
    free(host->est);
    free(host->scratch);
    host->d = d;
    host->est = xmalloc(2 * d, sizeof *host->est);
    host->out = host->est + d;
    host->scratch = xmalloc(scratch, 1);
}

static int read_numbers(struct host *host, size_t d, struct failure *failure)
{
    if (fread(host->est, sizeof *host->est, d, stdin) != d)
        return fail(failure, EXIT_BAD_INPUT, "expected %zu numbers, got fewer", d);
    return 0;
}

static void write_numbers(const double *numbers, size_t d)
{
    fwrite(numbers, sizeof *numbers, d, stdout);
    fflush(stdout);
}

/* Numbers that the plugin does not write stay NaN, which the run refuses. */
static void poison(double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)NAN;
}

static unsigned long long question_number(const char *line)
{
    const char *const text = outside_field(line, "question");

    return text ? strtoull(text, NULL, 10) : 0;
}

static int answer_estimate(struct host *host, const char *line, struct failure *failure)
{
    struct ldp_method_spec spec = {.method = host->method};
    struct ldp_protocol protocol;

    memcpy(spec.param, host->param, sizeof spec.param);
    if (read_protocol(line, &protocol, failure) != 0)
        return -1;
    host_reserve(host, protocol.d, ldp_postprocess_scratch(&spec, protocol.d));
    if (read_numbers(host, protocol.d, failure) != 0)
        return -1;
    struct ldp_reason reason;
    if (ldp_method_check(host->method, &protocol, false, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "the plugin's method: %s", reason.text);
    poison(host->out, protocol.d);
    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, (uint64_t)number(line, "n"), NULL, host->est},
                    host->scratch, host->out);
    printf("%zu question=%llu\n", protocol.d, question_number(line));
    write_numbers(host->out, protocol.d);
    return 1;
}

static bool is_prepared(const struct host *host, const double *counts, size_t d, double epsilon)
{
    bool same = host->population && host->population->d == d && host->collection.simulation.protocol.epsilon == epsilon;

    for (size_t v = 0; same && v < d; v++)
        same = (double)host->population->counts[v] == counts[v];
    return same;
}

/* Prepares collections from the counts of a request, which are in host->est. */
static int prepare(struct host *host, size_t d, double epsilon, bool by_counts, struct failure *failure)
{
    struct ldp_oracle_spec spec = {.oracle = host->oracle};
    struct ldp_protocol protocol;
    struct ldp_reason reason = {""};

    if (is_prepared(host, host->est, d, epsilon))
        return 0;
    memcpy(spec.param, host->param, sizeof spec.param);
    if (ldp_protocol_init(&protocol, &spec, d, epsilon, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s: %s", host->oracle->name, reason.text);
    collection_clear(&host->collection);
    ldp_population_free(host->population);
    free(host->counts);
    host->population = NULL;
    host->counts = xmalloc(d, sizeof *host->counts);
    for (size_t v = 0; v < d; v++)
        host->counts[v] = (uint64_t)host->est[v];
    switch (ldp_population_new(host->counts, d, &host->population)) {
    case LDP_OK: break;
    case LDP_ENOMEM: out_of_memory();
    default: return fail(failure, EXIT_BAD_INPUT, "expected the counts of at least one user");
    }
    /* An oracle may have one way of simulating; both draw from the same law. */
    const bool counts = ldp_has_mode(&protocol, LDP_COUNTS), reports = ldp_has_mode(&protocol, LDP_REPORTS);
    return collection_begin(&host->collection, &protocol, host->population,
                            counts && (by_counts || !reports) ? LDP_COUNTS : LDP_REPORTS, failure);
}

static int answer_collect(struct host *host, const char *line, struct failure *failure)
{
    const char *const mode = outside_field(line, "mode"), *const seed = outside_field(line, "seed");
    const size_t d = (size_t)number(line, "d");
    struct ldp_rng rng;

    if (d < 2)
        return fail(failure, EXIT_BAD_INPUT, "expected a request with d=D, got \"%s\"", SHOWN(line));
    host_reserve(host, d, 0);
    if (read_numbers(host, d, failure) != 0 ||
        prepare(host, d, number(line, "epsilon"), !mode || strncmp(mode, "counts", 6) == 0, failure) != 0)
        return -1;
    ldp_rng_stream(&rng, seed ? strtoull(seed, NULL, 10) : 0, "collect", 0);
    poison(host->collection.support, host->collection.simulation.protocol.support_size);
    poison(host->collection.est, d);
    const double *const est = collection_run(&host->collection, &rng, NULL, failure);
    if (!est)
        return -1;
    const struct ldp_protocol *const observed = &host->collection.observed;
    char p[NUMBER_TEXT], q[NUMBER_TEXT], s1[NUMBER_TEXT], tf[NUMBER_TEXT];
    printf("estimate %zu p=%s q=%s s1=%s tf=%s question=%llu\n", d, format_number(observed->p, p),
           format_number(observed->q, q), format_number(observed->s1, s1), format_number(observed->tf, tf),
           question_number(line));
    write_numbers(est, d);
    return 1;
}

/* 1 for a request, 0 at the end of the input, -1 on failure. */
static int answer(struct host *host, char **line, size_t *room, struct failure *failure)
{
    const char *const word = host->oracle ? "collect " : "estimate ";

    if (getline(line, room, stdin) <= 0)
        return 0;
    if (strncmp(*line, word, strlen(word)) != 0)
        return fail(failure, EXIT_BAD_INPUT, "expected a request \"%s...\", got \"%s\"", word, SHOWN(*line));
    return host->oracle ? answer_collect(host, *line, failure) : answer_estimate(host, *line, failure);
}

/* Sends a name with standard input, output and error. */
static bool send_pipes(int to, const char *name)
{
    static const int pipes[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof pipes)];
    } with = {.head = {.cmsg_len = CMSG_LEN(sizeof pipes), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    char *const text = xstrdup(name);
    struct iovec part = {.iov_base = text, .iov_len = strlen(text)};
    const struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = with.room, .msg_controllen = sizeof with.room};

    memcpy(CMSG_DATA(&with.head), pipes, sizeof pipes);
    const bool sent = sendmsg(to, &message, MSG_NOSIGNAL) > 0;
    free(text);
    return sent;
}

/* Hands the pipes to the Python process that has a function, and lives as long as the worker there, which closes the
 * socket. */
static int serve_function(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *const path = getenv("LDPBENCH_FUNCTIONS");
    const int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char end;

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path ? path : "");
    if (to < 0 || connect(to, (const struct sockaddr *)&address, sizeof address) != 0 || !send_pipes(to, name)) {
        puts("error this is a function of a Python process that has ended: run it again by ldpbench.run or compare");
        return EXIT_BAD_INPUT;
    }
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    while (read(to, &end, 1) > 0) {
    }
    return EXIT_DONE;
}

static void clear(struct host *host)
{
    free(host->est);
    free(host->scratch);
    free(host->counts);
    collection_clear(&host->collection);
    ldp_population_free(host->population);
}

static int run(int argc, char **argv)
{
    struct host host = {0};
    struct failure failure = NO_REASON;
    char *line = NULL;
    size_t room = 0;
    bool is_oracle = false;

    for (int option; (option = next_option(&command_serve, argc, argv, &failure)) != OPTIONS_END; is_oracle = true) {
        if (option == FUNCTION)
            return serve_function(optarg);
        if (option != ORACLE)
            return say_failure(&failure);
    }
    if (optind == argc) {
        fail(&failure, EXIT_BAD_INPUT, "serve: expected a shared object, got none");
        return say_failure(&failure);
    }
    int result = load(argv[optind], is_oracle, &host, &failure);
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
    clear(&host);
    return result == 0 ? EXIT_DONE : (int)failure.status;
}

const struct command command_serve = {
    .name = "serve",
    .operands = "PLUGIN.so [NAME=VALUE]...",
    .summary = "run a plugin's method or oracle; ldpbench run starts this by itself",
    .about =
        "Loads a shared object that exports ldp_method, or ldp_oracle (docs/external.md), and answers requests on "
        "standard input in the form that run sends. NAME=VALUE sets a parameter. By hand it is useful only to try a "
        "plugin.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

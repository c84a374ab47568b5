/* shuffle.c - ldpbench shuffle: what a shuffler adds, and which oracle is best at equal central privacy. */
#include "shuffle.h"

#include "commands/algorithms.h"
#include "commands/commands.h"
#include "config/central.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>

enum { ORACLES = 256, PARAM, DOMAIN_SIZE, USERS, EPSILON, TARGET, DELTA, MOST, FORMAT };

static const struct command_option known_options[] = {
    OPTION_ORACLE(ORACLES, candidate_names,
                  "An oracle, or all. May be given again. Default all: those that are private and unbiased."),
    OPTION_PARAM(PARAM, "A parameter of every oracle that has it."),
    {.name = "d", .code = DOMAIN_SIZE, .value = "D", .help = "The number of values. Default 1024."},
    {.name = "n",
     .code = USERS,
     .value = "N",
     .required = true,
     .help = "The number of users whose reports are mixed."},
    {.name = "epsilon", .code = EPSILON, .value = "E", .help = "The epsilon of each client."},
    {.name = "target",
     .code = TARGET,
     .value = "E",
     .help = "In place of --epsilon: the central epsilon that is to be kept. Each oracle gets the largest epsilon of "
             "clients that keeps it; the least noise comes first."},
    {.name = "delta",
     .code = DELTA,
     .value = "D",
     .help = "The delta of the central guarantee: a number, or n^-P. Default n^-1.5."},
    {.name = "most", .code = MOST, .value = "E", .help = "With --target: the largest epsilon of clients. Default 20."},
    OPTION_FORMAT(FORMAT),
    {.name = NULL},
};

struct request {
    struct algorithms chosen;
    unsigned long long d;
    uint64_t n;
    double epsilon, target, most; /* epsilon, target 0: not given */
    struct delta delta;
    enum format format;
};

/* An oracle with what its shuffled reports protect. */
struct found {
    const char *name, *why; /* why: of a refusal, malloc'd; NULL: none */
    double epsilon;         /* of the clients */
    struct ldp_bracket central;
    double generic, alpha, mu, deviation; /* of the count of a value that nobody holds */
};

static int read_option(int option, struct request *request, struct failure *failure)
{
    switch (option) {
    case ORACLES: return algorithms_add_oracle(&request->chosen, optarg, true, failure);
    case PARAM: return algorithms_add_param(&request->chosen, optarg, failure);
    case DOMAIN_SIZE: return read_whole("--d", optarg, 2, UINT32_MAX, &request->d, failure);
    case USERS: return read_users(optarg, &request->n, failure);
    case EPSILON: return read_epsilon(optarg, &request->epsilon, failure);
    case TARGET:
        if (read_real("--target", optarg, &request->target, failure) != 0)
            return -1;
        return request->target > 0
                   ? 0
                   : fail(failure, EXIT_BAD_INPUT, "--target: expected a number > 0, got \"%s\"", SHOWN(optarg));
    case DELTA:
        return delta_parse(optarg, &request->delta)
                   ? 0
                   : fail(failure, EXIT_BAD_INPUT,
                          "--delta: expected a number between 0 and 1, both excluded, or n^-P, got \"%s\"",
                          SHOWN(optarg));
    case MOST:
        if (read_real("--most", optarg, &request->most, failure) != 0)
            return -1;
        return request->most > 0
                   ? 0
                   : fail(failure, EXIT_BAD_INPUT, "--most: expected a number > 0, got \"%s\"", SHOWN(optarg));
    case FORMAT: return read_format(optarg, &request->format, failure);
    default: return -1;
    }
}

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    int option;

    while ((option = next_option(&command_shuffle, argc, argv, failure)) != OPTIONS_END)
        if (read_option(option, request, failure) != 0)
            return -1;
    if (optind < argc)
        return fail(failure, EXIT_BAD_INPUT, "shuffle: expected no operands, got %s", SHOWN(argv[optind]));
    if ((request->epsilon > 0) == (request->target > 0))
        return fail(failure, EXIT_BAD_INPUT, "shuffle: expected either --epsilon or --target, got %s",
                    request->epsilon > 0 ? "both" : "none");
    if (request->n < 2)
        return fail(failure, EXIT_BAD_INPUT, "--n: expected 2 users or more to shuffle, got %llu",
                    (unsigned long long)request->n);
    if (request->chosen.noracles == 0 && algorithms_add_oracle(&request->chosen, "all", true, failure) != 0)
        return -1;
    return algorithms_set_params(&request->chosen, failure);
}

/* ---- Finding ---- */

static int find_one(const struct request *request, const struct ldp_oracle_spec *spec, struct found *found,
                    struct failure *failure)
{
    const size_t d = (size_t)request->d;
    const double delta = delta_at(&request->delta, request->n);
    const struct ldp_central central = {request->n, request->target, delta};
    struct ldp_reason reason = {{0}};
    struct ldp_protocol protocol;

    *found = (struct found){.name = spec->oracle->name, .epsilon = request->epsilon};
    if ((request->target > 0 &&
         ldp_shuffle_local(spec, d, &central, request->most, &found->epsilon, &reason) != LDP_OK) ||
        ldp_protocol_init(&protocol, spec, d, found->epsilon, &reason) != LDP_OK) {
        if (!request->chosen.all_oracles)
            return fail(failure, EXIT_BAD_INPUT, "shuffle: oracle %s: %s", found->name, reason.text);
        found->why = xstrdup(reason.text);
        return 0;
    }
    if (protocol.flags & LDP_ORACLE_NOT_PRIVATE)
        return fail(failure, EXIT_BAD_INPUT, "shuffle: expected private oracles, got %s", found->name);
    const struct ldp_overlap overlap = ldp_overlap_of(&protocol), generic = ldp_overlap_generic(found->epsilon);
    found->central = ldp_shuffle_epsilon(&overlap, request->n, delta);
    found->generic = ldp_shuffle_epsilon(&generic, request->n, delta).upper;
    found->alpha = ldp_overlap_alpha(&overlap);
    found->mu = ldp_shuffle_mu(&overlap, request->n);
    found->deviation = protocol.flags & LDP_ORACLE_BIASED ? (double)NAN : sqrt((double)request->n * protocol.s1);
    return 0;
}

/* Less noise first, then what was refused. */
static int by_noise(const void *a, const void *b)
{
    const struct found *const x = a, *const y = b;
    const double gap = (x->why ? INFINITY : x->deviation) - (y->why ? INFINITY : y->deviation);
    return gap < 0 ? -1 : gap > 0;
}

/* ---- Printing ---- */

static double gaussian_deviation(const struct request *request)
{
    return M_SQRT2 / ldp_shuffle_gaussian(request->target, delta_at(&request->delta, request->n));
}

/* Whether the central epsilon is that of a client, or almost. */
static bool adds_nothing(const struct found *found)
{
    return found->central.upper > 0.999 * found->epsilon;
}

#define TOO_FEW " n is too small for a shuffler to add to what each report protects by itself."

static void print_answer(struct document *doc, const struct request *request, const struct found *best, size_t count)
{
    char n[WHOLE_TEXT];
    const double delta = delta_at(&request->delta, request->n);

    format_whole(request->n, n);
    if (request->target > 0 && !best->why)
        doc_paragraph(doc,
                      "With %s users and central epsilon %g, delta %.3g, %s%s: epsilon %g for each client, standard "
                      "deviation %.3g of a count, %.3g times that of the Gaussian mechanism.%s",
                      n, request->target, delta, best->name, count > 1 ? " has the least noise" : "", best->epsilon,
                      best->deviation, best->deviation / gaussian_deviation(request),
                      adds_nothing(best) ? TOO_FEW : "");
    else if (count == 1)
        doc_paragraph(
            doc, "%s reports of %s with epsilon %g, shuffled, are private with central epsilon %.4g, delta %.3g.%s", n,
            best->name, best->epsilon, best->central.upper, delta, adds_nothing(best) ? TOO_FEW : "");
    else
        doc_paragraph(doc, "%s reports with epsilon %g, shuffled; delta %.3g", n, request->epsilon, delta);
}

static void print_table(struct document *doc, const struct request *request, const struct found *found, size_t count)
{
    static const struct column columns[] = {
        {"oracle", "oracle", -14, false},
        {"epsilon of clients", "epsilon", 10, true},
        {"central epsilon, at most", "central <=", 12, true},
        {"at least", ">=", 11, true},
        {"any client's, at most", "any client", 12, true},
        {"alpha", "alpha", 11, true},
        {"standard deviation of a count", "sd of count", 13, true},
    };

    doc_table(doc, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const struct found *const one = &found[i];

        doc_cell(doc, "%s", one->name);
        if (one->why) {
            doc_cell(doc, "  %s", one->why);
            doc_row_end(doc);
            continue;
        }
        doc_cell(doc, "%g", one->epsilon);
        doc_cell(doc, "%.4g", one->central.upper);
        if (one->central.lower > 0)
            doc_cell(doc, "%.4g", one->central.lower);
        else
            doc_cell(doc, " ");
        doc_cell(doc, "%.4g", one->generic);
        doc_cell(doc, "%.4g", one->alpha);
        doc_cell(doc, "%.4g", one->deviation);
    }
    if (request->target > 0)
        doc_paragraph(doc, "Gaussian mechanism: %.4g", gaussian_deviation(request));
}

static void print_tree(const struct request *request, const struct found *found, size_t count)
{
    cJSON *const root = cJSON_CreateObject();

    json_add(root, "n=%llu d=%llu delta=%g central=%g gaussian_deviation=%g", (unsigned long long)request->n,
             request->d, delta_at(&request->delta, request->n), request->target > 0 ? request->target : (double)NAN,
             request->target > 0 ? gaussian_deviation(request) : (double)NAN);
    cJSON *const list = cJSON_AddArrayToObject(root, "oracles");
    for (size_t i = 0; i < count; i++) {
        const struct found *const one = &found[i];

        if (one->why)
            json_add(json_append(list), "oracle=%s refused=%s", one->name, one->why);
        else
            json_add(json_append(list),
                     "oracle=%s epsilon=%g central=%g central_lower=%g central_generic=%g alpha=%g mu=%g deviation=%g",
                     one->name, one->epsilon, one->central.upper,
                     one->central.lower > 0 ? one->central.lower : (double)NAN, one->generic, one->alpha, one->mu,
                     one->deviation);
    }
    json_print(root);
}

static int run(int argc, char **argv)
{
    static struct request request = {.d = 1024, .most = LOCAL_MAX, .delta = {.power = 1.5}};
    struct failure failure = NO_REASON;
    int result = read_request(argc, argv, &request, &failure);
    const size_t count = request.chosen.noracles;
    struct found *const found = xcalloc(count + 1, sizeof *found);

    for (size_t i = 0; result == 0 && i < count; i++)
        result = find_one(&request, &request.chosen.oracles[i], &found[i], &failure);
    if (result == 0) {
        struct document doc = {.out = stdout, .format = request.format};

        if (request.target > 0)
            qsort(found, count, sizeof *found, by_noise);
        if (request.format == JSON) {
            print_tree(&request, found, count);
        } else {
            print_answer(&doc, &request, found, count);
            print_table(&doc, &request, found, count);
            doc_end(&doc);
        }
    }
    for (size_t i = 0; i < count; i++)
        free((char *)(uintptr_t)found[i].why);
    free(found);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct command command_shuffle = {
    .name = "shuffle",
    .operands = "",
    .summary = "the central privacy of shuffled reports, and the oracle of least noise at a central epsilon",
    .about =
        "A shuffler mixes the reports of n users, so that nobody sees who sent which. What an observer then learns "
        "of one user is bounded by a central epsilon, which is smaller than that of the client, except for a "
        "probability delta. The upper value is that of the privacy blanket for the oracle's own law of reports, "
        "the lower one that of the worst collections known; \"any client\" is the bound for a client of which only "
        "epsilon is known, and is used for oracles whose law is not known (she, bloom).\n\n"
        "With --target oracles are compared at equal central privacy.",
    .options = known_options,
    .run = run,
};

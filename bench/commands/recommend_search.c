/* recommend_search.c - ldpbench recommend --task search: which protocol finds one's frequent strings, with which
 * parameters and oracle, how well and at what cost?
 *
 * Searches are simulated on a pilot, a file of strings with as many users as are planned, or on a law of strings in its
 * place (race.h). If no oracle is named, one represents all: the one with the least variance among those that are
 * simulated fast; the others are listed with their noise and cost. */
#include "commands/recommend_search.h"

#include "commands/recommend.h"
#include "strings.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/registry.h"
#include "support/text.h"

#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

enum { EPSILON = 256, USERS, TOP, THRESHOLD, PROTOCOL, ORACLES, PARAM, TRIALS, SEED, FORMAT };

static const struct command_option known_options[] = {
    RECOMMEND_TASK_OPTION,
    {.name = "epsilon", .code = EPSILON, .value = "E", .required = true, .help = "The privacy budget of a user."},
    {.name = "n",
     .code = USERS,
     .value = "N",
     .help = "Number of users; the file's counts are scaled to it. Default: those of the file."},
    OPTIONS_STRINGS,
    {.name = "top", .code = TOP, .value = "K", .help = "The K most frequent strings are to be found. Default 10."},
    {.name = "threshold",
     .code = THRESHOLD,
     .value = "F",
     .help = "All strings of at least this frequency are to be found, in place of the most frequent ones."},
    {.name = "protocol",
     .code = PROTOCOL,
     .value = "NAME",
     .again = true,
     .names = search_names,
     .help = "A protocol to try. Default: all."},
    OPTION_ORACLES(
        ORACLES, candidate_names,
        "An oracle to simulate, or all. Default: the one of least variance among those that are fast to simulate; of "
        "the others noise and cost are shown."),
    OPTION_PARAM(PARAM, "A parameter of the oracles. row_oracle=NAME: the oracle in the rows of sketches; "
                        "row_oracle.NAME: its parameters."),
    {.name = "trials", .code = TRIALS, .value = "N", .help = "Simulated searches by the best protocols. Default 20."},
    OPTION_SEED(SEED),
    OPTION_THREADS,
    OPTION_FORMAT(FORMAT),
    {.name = NULL},
};

static int add_protocol(struct search_request *request, const char *name, struct failure *failure)
{
    const struct ldp_search *const search = ldp_search_find(name);

    if (!search) {
        const char *names[NAMES_MAX];
        search_names(names);
        return unknown_name("--protocol", "a protocol", name, names, failure);
    }
    for (size_t i = 0; i < request->nprotocols; i++)
        if (request->protocols[i] == search)
            return fail(failure, EXIT_BAD_INPUT, "--protocol: expected each protocol once, got %s twice", name);
    assert(request->nprotocols < NAMES_MAX);
    request->protocols[request->nprotocols++] = search;
    return 0;
}

static int read_target(struct search_request *request, int option, const char *text, struct failure *failure)
{
    unsigned long long top;

    if (request->target.top > 0 || request->target.threshold > 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected one of --top and --threshold, once");
    if (option == THRESHOLD)
        return read_level("--threshold", text, &request->target.threshold, failure);
    if (read_whole("--top", text, 1, 1 << 18, &top, failure) != 0)
        return -1;
    request->target.top = (size_t)top;
    return 0;
}

static int read_option(struct search_request *request, int option, struct failure *failure)
{
    switch (option) {
    case RECOMMEND_TASK: return 0;
    case EPSILON: return read_epsilon(optarg, &request->epsilon, failure);
    case USERS: return read_users(optarg, &request->n, failure);
    case STRINGS_LENGTH:
    case STRINGS_ALPHABET:
    case STRINGS_HASH:
    case STRINGS_KNOWN:
    case STRINGS_BITS: return read_strings_option(option, optarg, &request->form, failure);
    case TOP:
    case THRESHOLD: return read_target(request, option, optarg, failure);
    case PROTOCOL: return add_protocol(request, optarg, failure);
    case ORACLES: return algorithms_add_oracle(&request->chosen, optarg, true, failure);
    case PARAM: return algorithms_add_param(&request->chosen, optarg, failure);
    case TRIALS: return read_whole("--trials", optarg, 2, 100000, &request->trials, failure);
    case SEED: return read_seed(optarg, &request->seed, failure);
    case 'j': return read_threads(optarg, &request->threads, failure);
    case FORMAT: return read_format(optarg, &request->format, failure);
    default: return -1;
    }
}

/* The oracle that represents the others: among those with independent supports, whose searches are simulated fast, the
 * one with the least variance of many candidates; within 1 % the one with the shortest reports. */
static const char *representative(double epsilon)
{
    enum { MANY = 1 << 20 };
    double least = INFINITY, bits = INFINITY;
    const char *name = NULL;

    for (size_t i = 0; ldp_oracles[i]; i++) {
        struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};
        struct ldp_cost cost = {.report_bits = INFINITY};

        ldp_params_default(spec.oracle->params, spec.param);
        struct ldp_protocol protocol;
        if ((spec.oracle->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_SKETCH | LDP_ORACLE_REAL)) ||
            ldp_protocol_init(&protocol, &spec, MANY, epsilon, NULL) != LDP_OK ||
            !(protocol.flags & LDP_ORACLE_INDEPENDENT))
            continue;

        const double variance = protocol.s1 + protocol.tf / MANY;

        if (protocol.oracle->cost)
            protocol.oracle->cost(&protocol, &cost);
        if (variance < 0.99 * least || (variance < 1.01 * least && cost.report_bits < bits)) {
            name = spec.oracle->name;
            least = fmin(least, variance);
            bits = cost.report_bits;
        }
    }
    return name;
}

static int complete(int argc, char **argv, struct search_request *request, struct failure *failure)
{
    if (request->epsilon <= 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --epsilon, got none");
    if (argc - optind > 1)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected one file of strings, got %d", argc - optind);
    request->spec = optind < argc ? argv[optind] : NULL;
    if (!request->spec && request->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected a file of strings or --n, got neither");
    if (request->target.top == 0 && request->target.threshold == 0)
        request->target.top = 10;
    if (request->nprotocols == 0)
        while (ldp_searches[request->nprotocols]) {
            request->protocols[request->nprotocols] = ldp_searches[request->nprotocols];
            request->nprotocols++;
        }
    if (request->chosen.noracles == 0) {
        const char *const name = representative(request->epsilon);

        if (!name)
            return fail(failure, EXIT_BAD_INPUT, "recommend: expected --oracles, as none suits epsilon = %g",
                        request->epsilon);
        if (algorithms_add_oracle(&request->chosen, name, true, failure) != 0)
            return -1;
    }
    return algorithms_set_params(&request->chosen, failure);
}

static int read_request(int argc, char **argv, struct search_request *request, struct failure *failure)
{
    *request = (struct search_request){.trials = 20, .seed = 1, .threads = omp_get_max_threads()};
    int option;
    while ((option = next_option(&recommender_search.command, argc, argv, failure)) != OPTIONS_END)
        if (read_option(request, option, failure) != 0)
            return -1;
    return complete(argc, argv, request, failure);
}

/* ---- Data ---- */

/* A law of strings, as a text for read_dataset_argument: d different strings, half as many as there can be at most.
 * Malloc'd. */
static char *stand_in(const struct search_request *request, struct strings_options *form)
{
    const struct dataset_type *law = NULL;
    const double length = form->length > 0 ? form->length : form->bits > 0 ? form->bits / 8 : 6;
    double ways = 1;
    struct alphabet alphabet;
    size_t symbols = 26;

    for (size_t i = 0; dataset_types[i]; i++)
        if (!law && dataset_types[i]->kind == DATASET_STRINGS && !dataset_types[i]->from_file)
            law = dataset_types[i];
    assert(law);
    if (form->alphabet && alphabet_read(form->alphabet, &alphabet, NULL) == LDP_OK) {
        symbols = alphabet.count;
        alphabet_clear(&alphabet);
    }
    for (double i = 0; i < length && ways < 1e6; i++)
        ways *= (double)symbols;

    const double d = fmax(2, fmin(fmin(50000, (double)request->n), floor(ways / 4)));
    const bool bits = form->bits > 0;

    *form = (struct strings_options){.length = 0, .alphabet = form->alphabet};
    return xformat("%s(s=1,d=%.0f,n=%.17g,length=%.0f%s)", law->name, d, (double)request->n, length,
                   bits ? ",bits=1" : "");
}

static int load(struct search_request *request, struct search_advice *advice, struct dataset **dataset,
                struct failure *failure)
{
    struct strings_options form = request->form;

    if (request->spec) {
        if (read_dataset_argument("recommend", request->spec, &form, request->n, dataset, failure) != 0)
            return -1;
    } else {
        if (form.bits > 0 && fmod(form.bits, 8) != 0)
            return fail(failure, EXIT_BAD_INPUT, "--bits: expected whole bytes without a file, got %g", form.bits);

        char *const text = stand_in(request, &form);
        const int result =
            text ? read_dataset_argument("recommend", text, &form, 0, dataset, failure) : fail_memory(failure);

        free(text);
        if (result != 0)
            return -1;
        advice->stand_in = true;
    }
    if (!(*dataset)->strings)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a file of strings (.strings, .strings.gz) or their law",
                    SHOWN_PATH(request->spec));
    if (ldp_target_size(&request->target, (*dataset)->population) == 0)
        return fail(failure, EXIT_BAD_INPUT, "--threshold: expected at most the largest frequency, %g, got %g",
                    (*dataset)->population->f[(*dataset)->population->rank[0]], request->target.threshold);
    advice->dataset = *dataset;
    say_dataset_note(*dataset);
    return 0;
}

static int run(int argc, char **argv)
{
    struct search_request *const request = xcalloc(1, sizeof *request);
    struct search_advice advice = {.request = request};
    struct dataset *dataset = NULL;
    struct failure failure = NO_REASON;
    int result = request ? read_request(argc, argv, request, &failure) : fail_memory(&failure);

    if (result == 0)
        result = load(request, &advice, &dataset, &failure);
    assert(result != 0 || dataset);
    if (result == 0) {
        const struct race_plan plan = {.strings = &dataset->strings->strings,
                                       .population = dataset->population,
                                       .oracles = request->chosen.oracles,
                                       .noracles = request->chosen.noracles,
                                       .searches = request->protocols,
                                       .epsilon = request->epsilon,
                                       .target = request->target,
                                       .trials = (uint32_t)request->trials,
                                       .seed = request->seed,
                                       .threads = request->threads};

        result = race_run(&plan, &advice.race, &failure);
    }
    if (result == 0)
        print_search_advice(&advice);
    race_clear(&advice.race);
    dataset_free(dataset);
    free(request);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

static bool reads(const char *file)
{
    char name[40];
    const size_t length = strcspn(file, "(");

    if (dataset_type_of_file(file)->kind == DATASET_STRINGS)
        return true;
    if (length >= sizeof name)
        return false;
    memcpy(name, file, length);
    name[length] = '\0';

    const struct dataset_type *const law = dataset_type_find(name);

    return law && !law->from_file && law->kind == DATASET_STRINGS;
}

const struct recommender recommender_search = {
    .task = "search",
    .command =
        {
            .name = "recommend",
            .operands = "[FILE.strings]",
            .summary = "tell which protocol finds the frequent strings of data like these, how well and at what cost",
            .about =
                "Tells which protocol finds the frequent strings of data like these, with which parameters, how well "
                "and at what cost. Searches are simulated on a pilot: a file of strings, scaled to N users, or a law "
                "such as "
                "'zipf_strings(s=1,d=50000,n=1e6)'; without either, on N users of such a law.\n\n"
                "Protocols start with several steps and numbers of kept prefixes; the better half goes on until few "
                "are left, which are ranked by F1, the harmonic mean of precision and recall. A ~ marks those that are "
                "not significantly different from the best. The winner is simulated once more, for numbers that its "
                "choice does not favour; its seconds are those of a search by reports of fewer users on this machine, "
                "scaled to N.",
            .options = known_options,
            .takes = TAKES_FILES,
            .run = run,
        },
    .reads = reads,
};

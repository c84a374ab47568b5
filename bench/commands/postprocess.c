/* postprocess.c - ldpbench postprocess: support counts of a real collection to estimates.
 *
 * Reads value TAB support lines ('#' starts a comment), writes a header and for each value its estimate by each method,
 * as frequencies. The number of values is d. */
#include "commands/algorithms.h"
#include "commands/commands.h"
#include "commands/supports.h"
#include "config/registry.h"
#include "support/numbers.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

enum { ORACLE = 256, EPSILON, USERS, PARAM, METHOD };

static const struct command_option known_options[] = {
    {.name = "oracle",
     .code = ORACLE,
     .value = "NAME",
     .required = true,
     .names = oracle_names,
     .help = "The oracle that made the reports."},
    {.name = "epsilon", .code = EPSILON, .value = "E", .required = true, .help = "Its privacy budget."},
    {.name = "n", .code = USERS, .value = "N", .required = true, .help = "The number of reports."},
    {.name = "param",
     .code = PARAM,
     .value = "NAME=VALUE",
     .again = true,
     .help = "A parameter of the oracle or of a method."},
    {.name = "method",
     .code = METHOD,
     .value = "NAME",
     .again = true,
     .names = estimate_method_names,
     .help = "A method, or all. Default: all."},
    {.name = NULL},
};

struct request {
    struct algorithms chosen; /* one oracle */
    double epsilon;
    uint64_t n;
    const char *file;
};

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    struct algorithms *const chosen = &request->chosen;
    int option, result = 0;

    while (result == 0 && (option = next_option(&command_postprocess, argc, argv, failure)) != OPTIONS_END) {
        switch (option) {
        case ORACLE: result = algorithms_add_oracle(chosen, optarg, false, failure); break;
        case EPSILON: result = read_epsilon(optarg, &request->epsilon, failure); break;
        case USERS: result = read_users(optarg, &request->n, failure); break;
        case METHOD: result = algorithms_add_method(chosen, optarg, false, failure); break;
        case PARAM: result = algorithms_add_param(chosen, optarg, failure); break;
        default: result = -1;
        }
    }
    if (result != 0)
        return -1;
    if (chosen->noracles == 0 || request->epsilon <= 0 || request->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "postprocess: expected --oracle, --epsilon and --n, got no %s",
                    chosen->noracles == 0   ? "--oracle"
                    : request->epsilon <= 0 ? "--epsilon"
                                            : "--n");
    if (argc - optind != 1)
        return fail(failure, EXIT_BAD_INPUT, "postprocess: expected one file of value TAB support lines, got %d",
                    argc - optind);
    request->file = argv[optind];
    if (chosen->nmethods == 0 && algorithms_add_method(chosen, "all", false, failure) != 0)
        return -1;
    return algorithms_set_params(chosen, failure);
}

static int write_estimates(struct request *request, const struct supports *supports, struct failure *failure)
{
    struct ldp_protocol protocol;
    const size_t d = supports->d;
    double *est = NULL;
    void *scratch = NULL;
    int result = -1;

    assert(request->chosen.oracles[0].oracle);
    if (supports_protocol(supports, request->file, &request->chosen.oracles[0], request->epsilon, request->n, &protocol,
                          failure) != 0)
        goto out;
    if (algorithms_suit(&request->chosen, &protocol, failure) != 0)
        goto out;
    const size_t m = request->chosen.nmethods;
    size_t scratch_bytes = 1;
    for (size_t i = 0; i < m; i++) {
        const size_t bytes = ldp_postprocess_scratch(&request->chosen.methods[i], d);
        scratch_bytes = bytes > scratch_bytes ? bytes : scratch_bytes;
    }
    if (ldp_estimate_scratch(&protocol) > scratch_bytes)
        scratch_bytes = ldp_estimate_scratch(&protocol);
    est = malloc(d * (m + 1) * sizeof *est);
    scratch = malloc(scratch_bytes);
    if (!est || !scratch) {
        fail_memory(failure);
        goto out;
    }
    ldp_estimate(&protocol, request->n, supports->support, scratch, est);
    for (size_t i = 0; i < m; i++)
        ldp_postprocess(&request->chosen.methods[i], &protocol, request->n, est, scratch, est + (i + 1) * d);
    fputs("value", stdout);
    for (size_t i = 0; i < m; i++)
        printf("\t%s", request->chosen.methods[i].method->name);
    putchar('\n');
    for (size_t v = 0; v < d; v++) {
        fputs(supports->labels[v], stdout);
        char number[NUMBER_TEXT];
        for (size_t i = 0; i < m; i++)
            printf("\t%s", format_number(est[(i + 1) * d + v], number));
        putchar('\n');
    }
    result = 0;
out:
    free(scratch);
    free(est);
    return result;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    struct failure failure;

    int result = read_request(argc, argv, &request, &failure);
    struct supports supports = {0};
    if (result == 0)
        result = supports_read(request.file, &supports, &failure);
    if (result == 0)
        result = write_estimates(&request, &supports, &failure);
    supports_clear(&supports);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct command command_postprocess = {
    .name = "postprocess",
    .operands = "SUPPORT.tsv",
    .summary = "support counts (lines value TAB support) to frequencies, one column for each method",
    .about =
        "Reads lines value TAB support (# starts a comment, a header value TAB support may come first): how many of "
        "N reports support each value. Writes a header and, for each value, the frequency that each method "
        "estimates, separated by TAB. The number of values is d.\n\n"
        "Supports that no collection of N reports can have are refused: outside 0 to N, no whole numbers, or with a "
        "wrong "
        "sum, as far as the oracle has one. A support that is too low to be likely draws a warning.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

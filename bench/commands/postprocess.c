/* postprocess.c - ldpbench postprocess: support counts of a real collection to estimates.
 *
 * Reads value TAB support lines (a line that begins with '# ' is a comment), writes a header and for each value its
 * estimate by each method, as frequencies. The number of values is d, unless a sketch made the supports. */
#include "commands/algorithms.h"
#include "commands/commands.h"
#include "commands/supports.h"
#include "dataset.h"
#include "interval.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"

#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE = 256, EPSILON, USERS, DOMAIN, PARAM, METHOD, INTERVALS, INTERVAL, SETS };

static void interval_names(const char *names[NAMES_MAX])
{
    size_t i = 0;

    for (; ldp_intervals[i]; i++)
        names[i] = ldp_intervals[i]->name;
    names[i] = NULL;
}

static const struct command_option known_options[] = {
    {.name = "oracle",
     .code = ORACLE,
     .value = "NAME",
     .required = true,
     .names = oracle_names,
     .help = "The oracle that made the reports."},
    OPTION_SUPPORTS_EPSILON(EPSILON),
    OPTION_SUPPORTS_USERS(USERS),
    {.name = "d",
     .code = DOMAIN,
     .value = "D",
     .help =
         "For a sketch or an ordered oracle: the number of values, which are then numbers from 0. The lines of the file "
         "are all supports in their order, each with a name of its own: cells of the sketch, reports of sw."},
    OPTION_PARAM(PARAM, "A parameter of the oracle or of a method."),
    OPTION_METHOD(METHOD, estimate_method_names, "A method, or all. Default: all."),
    {.name = "intervals",
     .code = INTERVALS,
     .value = "LEVEL",
     .help = "Add columns low and high, intervals of the frequencies at this level, such as 0.95."},
    {.name = "interval",
     .code = INTERVAL,
     .value = "NAME[=K]",
     .names = interval_names,
     .help =
         "What the level refers to: score (default), each value by itself; exact, the same by the law of its count, "
         "for few counts; mid_p, the same at about the level; power_split and npmle_split, the same, shorter for "
         "rare values by a fitted prior; "
         "bonferroni, all values at once; selected and conditional, the K values of largest estimate (default 10), "
         "with empty columns for the others; power_credible and npmle_credible, a mean over values that are drawn from "
         "a fitted prior, not each value."},
    {.name = "sets",
     .code = SETS,
     .value = "FILE",
     .takes = TAKES_FILES,
     .help =
         "Print the total frequency of each category in place of single values; FILE has lines value TAB category. "
         "Intervals are score intervals of the total, which account for correlated estimates. The categories must be "
         "fixed before looking at the data."},
    {.name = NULL},
};

struct request {
    struct algorithms chosen; /* one oracle */
    double epsilon;
    uint64_t n;
    unsigned long long sketched;  /* d, for a sketch; otherwise 0 */
    const char *file, *sets_file; /* sets_file NULL: each value */
    const struct ldp_interval *interval;
    double interval_param[LDP_PARAMS_MAX];
    double level; /* 0: no intervals */
};

static int read_interval(const char *text, struct request *request, struct failure *failure)
{
    const char *const equals = strchr(text, '=');
    char *const name = xstrndup(text, strcspn(text, "="));
    const char *names[NAMES_MAX];
    int result = 0;

    request->interval = ldp_interval_find(name);
    interval_names(names);
    if (!request->interval)
        result = unknown_name("--interval", "an interval", name, names, failure);
    free(name);
    if (result != 0)
        return -1;
    assert(request->interval);
    ldp_params_default(request->interval->params, request->interval_param);
    if (!equals)
        return 0;
    if (!request->interval->params)
        return fail(failure, EXIT_BAD_INPUT, "--interval: %s takes no number", request->interval->name);
    if (read_real("--interval: K", equals + 1, &request->interval_param[0], failure) != 0)
        return -1;
    if (!ldp_params_valid(request->interval->params, request->interval_param))
        return fail(failure, EXIT_BAD_INPUT, "--interval: K: expected a number of values, got \"%s\"",
                    SHOWN(equals + 1));
    return 0;
}

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    struct algorithms *const chosen = &request->chosen;
    int option, result = 0;

    while (result == 0 && (option = next_option(&command_postprocess, argc, argv, failure)) != OPTIONS_END) {
        switch (option) {
        case ORACLE: result = algorithms_add_oracle(chosen, optarg, false, failure); break;
        case EPSILON: result = read_epsilon(optarg, &request->epsilon, failure); break;
        case USERS: result = read_users(optarg, &request->n, failure); break;
        case DOMAIN: result = read_whole("--d", optarg, 2, UINT32_MAX, &request->sketched, failure); break;
        case METHOD: result = algorithms_add_method(chosen, optarg, false, failure); break;
        case PARAM: result = algorithms_add_param(chosen, optarg, failure); break;
        case INTERVALS: result = read_level("--intervals", optarg, &request->level, failure); break;
        case INTERVAL: result = read_interval(optarg, request, failure); break;
        case SETS: request->sets_file = optarg; break;
        default: result = -1;
        }
    }
    if (result != 0)
        return -1;
    const struct ldp_oracle *const oracle = chosen->oracles[0].oracle;
    const bool lines_are_values = !(oracle->flags & (LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL));
    if (!lines_are_values && request->sketched == 0)
        return fail(failure, EXIT_BAD_INPUT, "postprocess: --oracle %s: expected --d, got none", oracle->name);
    if (lines_are_values && request->sketched > 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "postprocess: --d: expected a sketch or an ordered oracle, got %s, whose values are the lines",
                    oracle->name);
    if (argc - optind != 1)
        return fail(failure, EXIT_BAD_INPUT, "postprocess: expected one file of value TAB support lines, got %d",
                    argc - optind);
    request->file = argv[optind];
    if (request->interval && !(request->level > 0))
        return fail(failure, EXIT_BAD_INPUT, "postprocess: --interval needs --intervals LEVEL");
    if (!request->interval)
        request->interval = ldp_interval_find("score");
    if (request->sets_file && strcmp(request->interval->name, "score") != 0)
        return fail(failure, EXIT_BAD_INPUT, "postprocess: --sets: expected --interval score, got %s",
                    request->interval->name);
    if (chosen->nmethods == 0 && algorithms_add_method(chosen, "all", false, failure) != 0)
        return -1;
    return algorithms_set_params(chosen, failure);
}

/* Prints a number after a TAB; an empty field if there is none. */
static void print_field(double value)
{
    char number[NUMBER_TEXT];

    printf("\t%s", isnan(value) ? "" : format_number(value, number));
}

/* Fills low[d] and, after it, high[d], of sets (NULL: of values) at their index; does nothing if no intervals are asked
 * for. */
static int make_intervals(const struct request *request, const struct ldp_protocol *protocol,
                          const struct ldp_sets *sets, const double *support, const double *est, void *scratch,
                          double *low, struct failure *failure)
{
    if (!(request->level > 0))
        return 0;
    const struct ldp_collection input = {protocol, request->n, support, est};
    struct ldp_reason reason;
    switch (sets ? ldp_set_interval_suits(&input, request->level, &reason)
                 : ldp_interval_suits(request->interval, protocol, request->level, &reason)) {
    case LDP_OK: break;
    case LDP_ENOMEM: return fail_memory(failure);
    default: return fail(failure, EXIT_BAD_INPUT, "--intervals: expected an oracle with intervals: %s", reason.text);
    }
    for (size_t i = 0; sets && i < sets->count; i++)
        ldp_set_interval(&input, request->level, sets->member + sets->first[i], sets->first[i + 1] - sets->first[i],
                         scratch, &low[i], &low[protocol->d + i]);
    if (sets)
        return 0;
    request->interval->apply(request->interval_param, &input, request->level, scratch, low, low + protocol->d);
    return 0;
}

static int read_sets(const struct request *request, size_t d, char **labels, struct dataset_sets **out,
                     struct failure *failure)
{
    struct ldp_population domain = {.d = d};
    const struct dataset values = {.population = &domain, .labels = labels};

    return request->sets_file ? dataset_sets_load(request->sets_file, &values, out, failure) : 0;
}

static double total(const struct ldp_sets *sets, size_t set, const double *est)
{
    double sum = 0;

    for (size_t i = sets->first[set]; i < sets->first[set + 1]; i++)
        sum += est[sets->member[i]];
    return sum;
}

/* labels NULL: values are numbers. est[1 + methods][d] begins with the estimate itself; low[2][d] come after. */
static void print_table(const struct request *request, const struct dataset_sets *sets, char **labels, size_t d,
                        const double *est)
{
    const size_t m = request->chosen.nmethods;
    const double *const low = est + (m + 1) * d;

    fputs(sets ? "set" : "value", stdout);
    for (size_t i = 0; i < m; i++)
        printf("\t%s", request->chosen.methods[i].method->name);
    fputs(request->level > 0 ? "\tlow\thigh\n" : "\n", stdout);
    for (size_t row = 0; row < (sets ? sets->sets.count : d); row++) {
        if (sets || labels)
            fputs(sets ? sets->names[row] : labels[row], stdout);
        else
            printf("%zu", row);
        for (size_t i = 0; i < m; i++)
            print_field(sets ? total(&sets->sets, row, est + (i + 1) * d) : est[(i + 1) * d + row]);
        if (request->level > 0) {
            print_field(low[row]);
            print_field(low[d + row]);
        }
        putchar('\n');
    }
}

static int write_estimates(struct request *request, const struct supports *supports, struct failure *failure)
{
    const size_t d = request->sketched > 0 ? request->sketched : supports->d;
    char **const labels = request->sketched > 0 ? NULL : supports->labels;
    struct dataset_sets *sets = NULL;
    double *est = NULL;
    void *scratch = NULL, *decoded = NULL;
    int result = -1;

    assert(request->chosen.oracles[0].oracle);
    struct ldp_protocol protocol;
    if (supports_protocol(supports, request->file, &request->chosen.oracles[0], request->epsilon, request->n,
                          request->sketched, &protocol, failure) != 0)
        goto out;
    if (algorithms_suit(&request->chosen, &protocol, failure) != 0)
        goto out;
    const size_t m = request->chosen.nmethods;
    size_t scratch_bytes = ldp_set_interval_bytes(d);
    for (size_t i = 0; i < m; i++) {
        const size_t bytes = ldp_postprocess_scratch(&request->chosen.methods[i], d);
        scratch_bytes = bytes > scratch_bytes ? bytes : scratch_bytes;
    }
    if (request->interval->scratch_bytes && request->interval->scratch_bytes(d) > scratch_bytes)
        scratch_bytes = request->interval->scratch_bytes(d);
    est = xmalloc(d * (m + 3), sizeof *est);
    scratch = xmalloc(scratch_bytes, 1);
    decoded = xmalloc(ldp_estimate_scratch(&protocol), 1);
    ldp_estimate(&protocol, request->n, supports->support, decoded, est);
    const struct ldp_protocol observed =
        ldp_observed(&(struct ldp_collection){&protocol, request->n, supports->support, est}, decoded);
    for (size_t i = 0; i < m; i++)
        ldp_postprocess(&request->chosen.methods[i],
                        &(struct ldp_collection){&observed, request->n, supports->support, est}, scratch,
                        est + (i + 1) * d);
    if (read_sets(request, d, labels, &sets, failure) != 0 ||
        make_intervals(request, &observed, sets ? &sets->sets : NULL, supports->support, est, scratch,
                       est + (m + 1) * d, failure) != 0)
        goto out;
    algorithms_say_left_out(&request->chosen);
    print_table(request, sets, labels, d, est);
    result = 0;
out:
    dataset_sets_free(sets);
    free(scratch);
    free(decoded);
    free(est);
    return result;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    struct failure failure = NO_REASON;

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
        "Reads lines value TAB support (lines that begin with \"# \" are comments, a header value TAB support may come first): how many of "
        "N reports support each value. Writes a header and, for each value, the frequency that each method "
        "estimates, separated by TAB. The number of values is d.\n\n"
        "Impossible supports are refused: outside 0 to N, not whole numbers, or with a "
        "wrong "
        "sum, for oracles that have one. A support that is improbably low causes a warning.\n\n"
        "Intervals are for the frequencies among these users and are computed from the unprocessed estimate: "
        "post-processing improves the estimate, but gives no shorter interval.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

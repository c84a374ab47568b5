/* recommend_oracle.c - ldpbench recommend --task oracle: which oracles keep to limits on bits, time, error, users and
 * epsilon, and how many users they need. Nothing is simulated: the mean variance of an unbiased estimate is
 * (s1 + tf / d) / n, so a standard error E takes n = (s1 + tf / d) / E^2 users; of ranges of ordered values it is known
 * as well (queries/range.c). With a pilot methods are tried as well,
 * by simulation (recommend_oracle_methods.c). */
#include "commands/recommend_oracle.h"

#include "attack.h"
#include "commands/picture.h"
#include "commands/recommend.h"
#include "dataset.h"
#include "interval.h"
#include "queries/set_size.h"
#include "shuffle.h"
#include "stats/range_variance.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/text.h"

#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum {
    SIZE = 256,
    EPSILON,
    SHUFFLE,
    ERROR,
    USERS,
    BITS,
    SECONDS,
    SPEED,
    ORACLES,
    PARAM,
    FORMAT,
    FRACTION,
    RANGE,
    PILOT,
    METHOD,
    TRIALS,
    SEED,
    PICTURE
};

static const struct command_option known_options[] = {
    RECOMMEND_TASK_OPTION,
    {.name = "d", .code = SIZE, .value = "D", .help = "The number of values. This or --pilot is needed."},
    {.name = "epsilon-at-most", .code = EPSILON, .value = "E", .required = true, .help = "The largest privacy budget."},
    {.name = "shuffle",
     .code = SHUFFLE,
     .value = "DELTA",
     .help =
         "Take --epsilon-at-most as the central epsilon of shuffled reports, at this delta (a number, or n^-P): each "
         "oracle's clients get the largest epsilon that keeps it. With --n, and without --error, --pilot "
         "and --picture."},
    {.name = "error",
     .code = ERROR,
     .value = "E",
     .help = "The standard error that an estimated frequency may have: the root of the mean over all values of the "
             "squared error, before any post-processing."},
    {.name = "n", .code = USERS, .value = "N", .help = "The number of users. This or --error is needed."},
    {.name = "fraction",
     .code = FRACTION,
     .value = "F",
     .help = "Malicious users among all users, who push one value as far as reports can (attack mga): oracles are then "
             "ordered by the error of that value, the root of its squared standard error plus its squared gain. Needs "
             "--n."},
    {.name = "range",
     .code = RANGE,
     .value = "PERCENT",
     .help =
         "For ordered values: compare the errors of totals of ranges, all that hold so many percent of the values, "
         "before any post-processing and on uniform frequencies. Oracles that use the order are then considered too. "
         "Without --pilot and --fraction."},
    {.name = "bits", .code = BITS, .value = "B", .help = "The bits that a report may have."},
    {.name = "server-seconds",
     .code = SECONDS,
     .value = "S",
     .help = "The seconds that the server may take for a collection, at --speed."},
    {.name = "speed",
     .code = SPEED,
     .value = "N",
     .help = "Operations of the server in a second: supports counted, values hashed. Default 1e9."},
    OPTION_ORACLES(ORACLES, candidate_names,
                   "An oracle to consider. Default: all that are private and unbiased, but no sketches, whose variance "
                   "depends on the data; with --range also those that use the order of the values."),
    OPTION_PARAM(PARAM, "A parameter of the oracles or methods."),
    {.name = "pilot",
     .code = PILOT,
     .value = "FILE",
     .takes = TAKES_FILES,
     .help =
         "Value TAB count lines, true counts of a pilot: every oracle is then tried with every method, on collections "
         "from these frequencies, and is shown with its best one."},
    OPTION_METHOD(METHOD, estimate_method_names, "With --pilot: a method to try, or all (default)."),
    {.name = "trials", .code = TRIALS, .value = "N", .help = "With --pilot: simulated collections. Default 30."},
    OPTION_SEED(SEED),
    OPTION_THREADS,
    OPTION_PICTURE(PICTURE,
                   "Draw the frontier into FILE.svg, FILE.pdf, FILE.png, or as numbers FILE.tsv: the error with "
                   "--n, else the users, against bits, the server's seconds and epsilon."),
    OPTION_FORMAT(FORMAT),
    {.name = NULL},
};

static int read_limit(const char *option, const char *text, double *limit, struct failure *failure)
{
    if (read_real(option, text, limit, failure) != 0)
        return -1;
    if (!(*limit > 0) || !isfinite(*limit))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a number > 0, got \"%s\"", option, SHOWN(text));
    return 0;
}

/* The largest numbers of users take more than 1e-8. */
static int read_error(const char *text, double *error, struct failure *failure)
{
    if (read_real("--error", text, error, failure) != 0)
        return -1;
    if (!(*error >= 1e-8 && *error < 1))
        return fail(failure, EXIT_BAD_INPUT, "--error: expected a number from 1e-8 to below 1, got \"%s\"",
                    SHOWN(text));
    return 0;
}

static int read_fraction(const char *text, double *fraction, struct failure *failure)
{
    if (read_real("--fraction", text, fraction, failure) != 0)
        return -1;
    if (!(*fraction >= 1e-9 && *fraction <= 0.9))
        return fail(failure, EXIT_BAD_INPUT, "--fraction: expected a number from 1e-9 to 0.9, got \"%s\"", SHOWN(text));
    return 0;
}

static int read_range(const char *text, double *percent, struct failure *failure)
{
    if (read_real("--range", text, percent, failure) != 0)
        return -1;
    if (!(*percent > 0 && *percent <= 100))
        return fail(failure, EXIT_BAD_INPUT, "--range: expected a number above 0 and at most 100, got \"%s\"",
                    SHOWN(text));
    return 0;
}

static int read_size(const char *text, size_t *d, struct failure *failure)
{
    unsigned long long size;

    if (read_whole("--d", text, 2, (unsigned long long)VALUES_MAX, &size, failure) != 0)
        return -1;
    *d = (size_t)size;
    return 0;
}

static int read_option(struct limits *limits, int option, struct failure *failure)
{
    switch (option) {
    case RECOMMEND_TASK: return 0;
    case SIZE: return read_size(optarg, &limits->d, failure);
    case EPSILON: return read_epsilon(optarg, &limits->epsilon, failure);
    case SHUFFLE:
        limits->shuffled = true;
        return delta_parse(optarg, &limits->delta)
                   ? 0
                   : fail(failure, EXIT_BAD_INPUT,
                          "--shuffle: expected a number between 0 and 1, both excluded, or n^-P, got \"%s\"",
                          SHOWN(optarg));
    case ERROR: return read_error(optarg, &limits->error, failure);
    case FRACTION: return read_fraction(optarg, &limits->fraction, failure);
    case RANGE: return read_range(optarg, &limits->range, failure);
    case USERS: return read_users(optarg, &limits->n, failure);
    case BITS: return read_limit("--bits", optarg, &limits->bits, failure);
    case SECONDS: return read_limit("--server-seconds", optarg, &limits->seconds, failure);
    case SPEED: return read_limit("--speed", optarg, &limits->speed, failure);
    case ORACLES: return algorithms_add_oracle(&limits->chosen, optarg, true, failure);
    case PARAM: return algorithms_add_param(&limits->chosen, optarg, failure);
    case PILOT: limits->pilot_file = optarg; return 0;
    case METHOD: return algorithms_add_method(&limits->chosen, optarg, false, failure);
    case TRIALS: return read_whole("--trials", optarg, 2, TRIALS_MAX, &limits->trials, failure);
    case SEED: return read_seed(optarg, &limits->seed, failure);
    case 'j': return read_threads(optarg, &limits->threads, failure);
    case PICTURE: limits->picture = optarg; return picture_check(optarg, failure);
    case FORMAT: return read_format(optarg, &limits->format, failure);
    default: return -1;
    }
}

/* The frequencies of the pilot, and d. */
static int read_pilot(struct limits *limits, struct failure *failure)
{
    const struct dataset_request wanted = {.type = dataset_type_find("counts"), .path = limits->pilot_file};
    struct dataset *dataset = NULL;
    int result = dataset_new(&wanted, &dataset, failure);

    if (result == 0 && limits->d > 0 && limits->d != dataset->population->d)
        result = fail(failure, EXIT_BAD_INPUT, "--d: expected %zu, the values of %s, got %zu", dataset->population->d,
                      SHOWN_PATH(limits->pilot_file), limits->d);
    if (result == 0) {
        limits->d = dataset->population->d;
        surrogate_given(&limits->pilot, dataset->population);
    }
    dataset_free(dataset);
    return result;
}

/* Oracles that use the order of the values have a variance to compare for ranges alone. */
static int check_order(struct limits *limits, struct failure *failure)
{
    if (limits->range <= 0)
        return algorithms_demand_unordered(&limits->chosen, failure);
    if (limits->pilot_file || limits->fraction > 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected no %s with --range, got both",
                    limits->pilot_file ? "--pilot" : "--fraction");
    const size_t starts = limits->d - ldp_set_size(limits->range, limits->d) + 1;
    if (starts > LDP_RANGES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--range: expected at most %d ranges, got %zu of %g %% of %zu values",
                    LDP_RANGES_MAX, starts, limits->range, limits->d);
    return limits->chosen.all_oracles ? algorithms_add_ordered(&limits->chosen, true, failure) : 0;
}

static int read_limits(int argc, char **argv, struct limits *limits, struct failure *failure)
{
    int option;

    *limits = (struct limits){
        .chosen.takes_ordered = true, .bits = INFINITY, .seconds = INFINITY, .speed = 1e9, .trials = 30, .seed = 1};
    limits->threads = omp_get_max_threads();
    while ((option = next_option(&recommender_oracle.command, argc, argv, failure)) != OPTIONS_END)
        if (read_option(limits, option, failure) != 0)
            return -1;
    if (optind < argc)
        return fail(failure, EXIT_BAD_INPUT, "recommend --task oracle: expected no file, got %s", SHOWN(argv[optind]));
    if (limits->pilot_file && read_pilot(limits, failure) != 0)
        return -1;
    if (limits->chosen.nmethods > 0 && !limits->pilot_file)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --pilot with --method, got none");
    if (limits->d == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: missing option --d D (the number of values)");
    if (limits->error <= 0 && limits->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --error or --n, got neither");
    if (limits->fraction > 0 && (limits->n == 0 || limits->pilot_file))
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected %s",
                    limits->n == 0 ? "--n with --fraction, got none"
                                   : "no --pilot with --fraction, got both: methods change what is gained");
    if (limits->shuffled &&
        (limits->n < 2 || limits->error > 0 || limits->pilot_file || limits->picture || limits->fraction > 0))
        return fail(
            failure, EXIT_BAD_INPUT,
            "recommend: expected --n of 2 users or more with --shuffle, and no --error, --pilot, --picture or --fraction");
    if (limits->chosen.noracles == 0 && algorithms_add_oracle(&limits->chosen, "all", true, failure) != 0)
        return -1;
    if (check_order(limits, failure) != 0)
        return -1;
    if (limits->pilot_file && limits->chosen.nmethods == 0 &&
        algorithms_add_method(&limits->chosen, "all", false, failure) != 0)
        return -1;
    return algorithms_set_params(&limits->chosen, failure);
}

/* ---- What each oracle needs ---- */

double oracle_variance(const struct limits *limits, const struct ldp_oracle_spec *spec, double epsilon,
                       struct ldp_protocol *protocol)
{
    if (ldp_protocol_init(protocol, spec, limits->d, epsilon, NULL) != LDP_OK || (protocol->flags & LDP_ORACLE_SKETCH))
        return INFINITY;
    if (limits->range <= 0)
        return protocol->s1 + protocol->tf / (double)limits->d;
    const double variance = range_variance(protocol, limits->range);
    return isnan(variance) ? (double)INFINITY : variance;
}

/* The least epsilon whose variance is at most so large, to 0.1 %. Between two that differ by a rounded parameter the
 * variance may go up: the answer is one that suffices, and a little less does not. */
static double least_epsilon(const struct limits *limits, const struct ldp_oracle_spec *spec, double variance)
{
    struct ldp_protocol protocol;
    double low = 0, high = limits->epsilon;

    for (int i = 0; i < 60 && high - low > 1e-3 * high; i++) {
        const double middle = low > 0 ? sqrt(low * high) : high / 16;

        if (oracle_variance(limits, spec, middle, &protocol) <= variance)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double oracle_lift(const struct ldp_protocol *protocol)
{
    enum { COLLECTIONS = 8, REPORTS = 128 }; /* a report's support of one target is the same in all, or nearly */
    const uint32_t target = (uint32_t)(protocol->d / 2);
    struct ldp_attack_spec spec = {.attack = ldp_attack_find("mga"), .target = &target, .r = 1};
    struct ldp_protocol of_collection = *protocol;
    struct ldp_rng rng;
    double sum = 0;

    ldp_params_default(spec.attack->params, spec.param);
    if (ldp_attack_check(&spec, protocol, NULL) != LDP_OK)
        return INFINITY;
    double *const support = xcalloc(protocol->support_size, sizeof *support);
    double *const est = xcalloc(protocol->d, sizeof *est);
    void *const scratch = xcalloc(ldp_attack_scratch(&spec, protocol) + ldp_estimate_scratch(protocol) + 1, 1);
    ldp_rng_stream(&rng, 1, "oracle_lift", 0);
    for (int i = 0; i < COLLECTIONS; i++) {
        of_collection.public_seed = ldp_rng_next(&rng);
        ldp_attack_collect(&spec, &of_collection, REPORTS, LDP_REPORTS, &rng, scratch, support);
        ldp_estimate(&of_collection, REPORTS, support, scratch, est);
        sum += est[target];
    }
    free(support);
    free(est);
    free(scratch);
    return sum / COLLECTIONS;
}

double choice_seconds(const struct limits *limits, const struct choice *choice, double users)
{
    return (users * choice->cost.report_operations + choice->cost.collection_operations) / limits->speed;
}

static void hold_to_limits(const struct limits *limits, struct choice *choice)
{
    const double available = limits->n > 0 ? (double)limits->n : INFINITY;

    choice->users = limits->error > 0 ? ceil(choice->variance / (limits->error * limits->error)) : available;
    choice->too_noisy = choice->users > available;
    const double users = fmin(choice->users, available);
    choice->error = sqrt(choice->variance / users);
    choice->seconds = choice_seconds(limits, choice, users);
    choice->too_long = choice->cost.report_bits > limits->bits;
    choice->too_slow = choice->seconds > limits->seconds;
    choice->epsilon = limits->epsilon;
    if (limits->error > 0 && limits->n > 0 && !choice->too_noisy)
        choice->epsilon = least_epsilon(limits, choice->spec, limits->error * limits->error * available);
}

static bool meets(const struct choice *choice)
{
    return !choice->too_noisy && !choice->too_long && !choice->too_slow;
}

/* Orders oracles: those that meet all limits first; then by merit, bits and time. */
static int by_merit(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;

    if (meets(x) != meets(y))
        return meets(y) - meets(x);
    if (isinf(x->merit) != isinf(y->merit))
        return isinf(x->merit) ? 1 : -1;
    if (fabs(x->merit - y->merit) > 1e-9 * x->merit)
        return x->merit < y->merit ? -1 : 1;
    if (x->cost.report_bits != y->cost.report_bits)
        return x->cost.report_bits < y->cost.report_bits ? -1 : 1;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return (x->spec > y->spec) - (x->spec < y->spec);
}

/* Whether another choice is nowhere worse in variance, bits, operations and what malicious users gain, and somewhere
 * better. */
static bool dominates(const struct choice *x, const struct choice *y)
{
    const double of[][2] = {{x->variance * (1 - 1e-9), y->variance},
                            {x->cost.report_bits, y->cost.report_bits},
                            {x->seconds, y->seconds},
                            {x->lift * (1 - 1e-9), y->lift}};
    bool better = x->variance < y->variance * (1 - 1e-9);

    for (size_t i = 0; i < 4; i++) {
        if (of[i][0] > of[i][1])
            return false;
        better |= i > 0 && of[i][0] < of[i][1] && !(i == 3 && of[i][1] <= x->lift);
    }
    return better;
}

/* The epsilon of an oracle's clients; 0: there is none. */
static double epsilon_of_clients(const struct limits *limits, const struct ldp_oracle_spec *spec)
{
    double epsilon = limits->epsilon;

    if (!limits->shuffled)
        return epsilon;
    const struct ldp_central central = {limits->n, limits->epsilon, delta_at(&limits->delta, limits->n)};
    return ldp_shuffle_local(spec, limits->d, &central, LOCAL_MAX, &epsilon, NULL) == LDP_OK ? epsilon : 0;
}

static int find_choices(const struct limits *limits, struct choices *out, struct failure *failure)
{
    for (size_t i = 0; i < limits->chosen.noracles; i++) {
        const struct ldp_oracle_spec *const spec = &limits->chosen.oracles[i];
        struct choice *const choice = &out->choice[out->count];
        struct ldp_protocol protocol;
        const double epsilon = epsilon_of_clients(limits, spec);

        *choice = (struct choice){.spec = spec,
                                  .variance = epsilon > 0 ? oracle_variance(limits, spec, epsilon, &protocol)
                                                          : (double)INFINITY};
        if (!isfinite(choice->variance) || !protocol.oracle->cost) /* NOLINT(clang-analyzer-core.*) */
            continue;
        protocol.oracle->cost(&protocol, &choice->cost);
        choice->over = ldp_over_optimum(&protocol);
        hold_to_limits(limits, choice);
        if (limits->shuffled)
            choice->epsilon = epsilon;
        out->count++;
        if (limits->pilot_file && choice_with_method(limits, choice, failure) != 0)
            return -1;
        choice->lift = limits->fraction > 0 ? oracle_lift(&protocol) : 0;
        choice->merit = limits->fraction > 0 ? choice->variance / (double)limits->n +
                                                   limits->fraction * choice->lift * limits->fraction * choice->lift
                                             : choice->variance;
    }
    qsort(out->choice, out->count, sizeof *out->choice, by_merit);
    for (size_t i = 0; i < out->count; i++) {
        out->choice[i].meets = meets(&out->choice[i]);
        out->meeting += out->choice[i].meets;
        out->choice[i].frontier = true;
        for (size_t j = 0; j < out->count; j++)
            out->choice[i].frontier &= !dominates(&out->choice[j], &out->choice[i]);
        if (!out->free || out->choice[i].merit < out->free->merit)
            out->free = &out->choice[i];
    }
    return 0;
}

static int run(int argc, char **argv)
{
    struct limits limits;
    struct choices *const choices = xcalloc(1, sizeof *choices);
    struct failure failure = NO_REASON;

    choices->limits = &limits;
    int result = read_limits(argc, argv, &limits, &failure);

    if (result == 0)
        result = find_choices(&limits, choices, &failure);
    if (result == 0 && choices->count == 0)
        result = fail(&failure, EXIT_BAD_INPUT, "recommend: none of the oracles suits d = %zu and epsilon = %g",
                      limits.d, limits.epsilon);
    if (result == 0)
        print_choices(choices);
    if (result == 0 && limits.picture)
        result = choices_picture(choices, &failure);
    surrogate_fit_clear(&limits.pilot);
    free(choices);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct recommender recommender_oracle = {
    .task = "oracle",
    .command =
        {
            .name = "recommend",
            .operands = "",
            .summary = "tell which oracles keep to limits, and how many users they need",
            .about =
                "Tells which oracles keep within limits on the bits of a report, the server's time, the error, the "
                "number of users and epsilon, how many users each needs, and what the limits cost. It needs no data, "
                "as variances of unbiased estimates are known exactly, with --range those of ranges of ordered values. "
                "An oracle is on the frontier if no other is better in users, bits and time at once. How many users "
                "post-processing saves depends on the data: with --pilot each oracle is judged with the method that "
                "needs the fewest, "
                "found by simulation.",
            .options = known_options,
            .run = run,
        },
};

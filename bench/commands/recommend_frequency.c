/* recommend_frequency.c - ldpbench recommend --task frequency: which method, and which oracle, for one's own data and
 * queries?
 *
 * The supports of a collection (or the counts of a pilot) become synthetic populations; collections from those are
 * simulated, and methods ranked by their errors on the queries that matter (NDSS 2020, sec. V-D).
 *
 * It has over 500 lines: a third of them are its options, each with its help. */
#include "commands/recommend_frequency.h"

#include "commands/recommend.h"
#include "commands/supports.h"
#include "stats/kinds.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/numbers.h"
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

enum {
    ORACLE = 256,
    ORACLES,
    EPSILON,
    USERS,
    PARAM,
    METHOD,
    QUERY,
    SURROGATE,
    COUNTS,
    TRIALS,
    REPLICATES,
    SEED,
    FORMAT
};

/* The values of --query and --surrogate. */
static bool is_ranked(const struct ldp_query *query)
{
    return query->measures == ldp_squared_error || query->ordered;
}

static void known_queries(const char *names[NAMES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; ldp_queries[i]; i++)
        if (is_ranked(ldp_queries[i]))
            names[count++] = ldp_queries[i]->name;
    names[count] = NULL;
}

static void known_surrogates(const char *names[NAMES_MAX])
{
    surrogate_names(false, names);
}

static const struct command_option known_options[] = {
    RECOMMEND_TASK_OPTION,
    {.name = "oracle",
     .code = ORACLE,
     .value = "NAME",
     .names = oracle_names,
     .help = "The oracle that made the supports, and that is to be used."},
    OPTION_SUPPORTS_EPSILON(EPSILON),
    {.name = "n", .code = USERS, .value = "N", .help = "The number of reports."},
    {.name = "query",
     .code = QUERY,
     .value = "NAME[=POINTS|=FILE]",
     .required = true,
     .again = true,
     .names = known_queries,
     .help = "A query that matters: full_domain, set_value=10,50, top_k=32, fixed_sets=FILE; for numbers also "
             "distribution, range=10,40, quantile=50, by their first measure."},
    OPTION_METHOD(METHOD, any_method_names,
                  "A method to rank, or all (default), or a FILE with a method of your own: a script "
                  "FILE.py, or a program that answers over pipes (docs/compare.md). If only files are given, all "
                  "methods are ranked beside them."),
    OPTION_ORACLES(
        ORACLES, candidate_names,
        "An oracle to rank, or all that are unbiased, sketches where they keep fewer numbers than there are values, for "
        "numbers also those that use their order. Default: that of --oracle. If there are several, each is shown with its best method, the bits of a report, "
        "the server's operations for a collection and the bytes of its state."),
    OPTION_PARAM(PARAM, "A parameter of the oracles or methods. row_oracle=NAME: the oracle in the rows of sketches; "
                        "row_oracle.NAME: its parameters."),
    {.name = "surrogate",
     .code = SURROGATE,
     .value = "NAME",
     .names = known_surrogates,
     .help =
         "What makes the populations: posterior (default), or a method whose estimates are a distribution. A method "
         "that is chosen on data that it made itself is marked as biased."},
    {.name = "counts",
     .code = COUNTS,
     .help =
         "The file holds value TAB count lines (with or without such a header), true counts of a pilot, scaled to N "
         "(default: their sum). So do a column of a .csv file (--columns), and a .numbers file: its numbers, one a line, are "
         "put into bins (ldpbench list datasets)."},
    OPTIONS_RECORDS,
    {.name = "trials", .code = TRIALS, .value = "N", .help = "Simulated collections. Default 100."},
    {.name = "replicates",
     .code = REPLICATES,
     .value = "N",
     .help = "Simulated collections like the one given; each is ranked with at most a tenth of the trials, and their "
             "spread is part of the standard errors and of the tests. Default 20; 0 and --counts leave it out."},
    OPTION_SEED(SEED),
    OPTION_THREADS,
    OPTION_FORMAT(FORMAT),
    {.name = NULL},
};

static int read_points(struct query_request *wanted, const char *text, struct failure *failure)
{
    const struct ldp_param *const point = &wanted->query->point;
    char option[64];

    snprintf(option, sizeof option, "--query %s", wanted->query->name);
    for (const char *rest = text;; rest++) {
        double value;
        const char *const end = parse_number(rest, &value);

        char range[RANGE_TEXT];
        if (!end || (*end && *end != ',') || !(value >= point->min && value <= point->max) ||
            (point->kind == LDP_INTEGER && value != floor(value)))
            return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected %s (several with commas between), got \"%s\"",
                        option, point->name, format_range(point->kind == LDP_INTEGER, point->min, point->max, range),
                        SHOWN(rest));
        for (size_t i = 0; i < wanted->npoints; i++)
            if (wanted->points[i] == value)
                return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected each value once, got \"%s\"", option,
                            point->name, SHOWN(text));
        if (wanted->npoints == POINTS_MAX)
            return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected at most %d values", option, point->name, POINTS_MAX);
        wanted->points[wanted->npoints++] = value;
        if (*end == '\0')
            return 0;
        rest = end;
    }
}

/* NAME, NAME=POINT,POINT,.. or NAME=FILE. */
static int read_query(struct request *request, const char *text, struct failure *failure)
{
    const char *const equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    struct query_request *const wanted = &request->queries[request->nqueries];

    if (request->nqueries == QUERIES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--query: expected at most %d queries", QUERIES_MAX);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    wanted->query = ldp_query_find(name);
    if (!wanted->query) {
        const char *names[NAMES_MAX];
        known_queries(names);
        return unknown_name("--query", "a query", name, names, failure);
    }
    if (!is_ranked(wanted->query))
        return fail(failure, EXIT_BAD_INPUT,
                    "--query: expected a query with a squared error or of an order, got \"%s\"", name);
    for (size_t i = 0; i < request->nqueries; i++)
        if (request->queries[i].query == wanted->query && !wanted->query->takes_sets)
            return fail(failure, EXIT_BAD_INPUT, "--query: expected each query once, got %s twice", name);
    request->nqueries++;
    if (wanted->query->point.name || wanted->query->takes_sets) {
        if (!equals || !equals[1])
            return fail(failure, EXIT_BAD_INPUT, "--query: expected %s=%s, got \"%s\"", name,
                        wanted->query->takes_sets ? "FILE" : wanted->query->point.name, SHOWN(text));
        wanted->npoints = 1;
        if (wanted->query->takes_sets) {
            wanted->sets_file = equals + 1;
            return 0;
        }
        wanted->npoints = 0;
        return read_points(wanted, equals + 1, failure);
    }
    if (equals)
        return fail(failure, EXIT_BAD_INPUT, "--query: expected %s without a value, got \"%s\"", name, SHOWN(text));
    wanted->npoints = 1;
    return 0;
}

static int read_surrogate(struct request *request, const char *text, struct failure *failure)
{
    const char *names[NAMES_MAX];

    surrogate_names(false, names);
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0) {
            request->surrogate = surrogate_at(i);
            request->has_surrogate = true;
            return 0;
        }
    return unknown_name("--surrogate", "posterior or a method whose estimates are a distribution", text, names,
                        failure);
}

static int read_made_by(struct request *request, const char *text, struct failure *failure)
{
    request->made_by.oracle = ldp_oracle_find(text);
    if (request->made_by.oracle)
        return 0;
    const char *names[NAMES_MAX];
    oracle_names(names);
    return unknown_name("--oracle", "an oracle", text, names, failure);
}

static int read_replicates(struct request *request, const char *text, struct failure *failure)
{
    if (read_whole("--replicates", text, 0, 10000, &request->replicates, failure) != 0)
        return -1;
    if (request->replicates == 1)
        return fail(failure, EXIT_BAD_INPUT, "--replicates: expected 0 or at least 2, got 1");
    return 0;
}

/* Where the values have no order, nothing that uses it; where they have one, by default and with "all" every oracle
 * that does. */
static int check_order(struct request *request, struct failure *failure)
{
    for (size_t i = 0; i < request->nqueries && !request->numbers; i++)
        if (request->queries[i].query->ordered)
            return fail(failure, EXIT_BAD_INPUT,
                        "--query: %s uses the order of the values: expected a file of numbers, got %s",
                        request->queries[i].query->name, SHOWN_PATH(request->file));
    if (request->form.bins > 0 && !request->numbers && !request->form.answers)
        return fail(failure, EXIT_BAD_INPUT, "--bins: expected a file of numbers or a .csv, got %s",
                    SHOWN_PATH(request->file));
    if ((request->form.columns || request->form.other > 0) && !request->form.answers)
        return fail(failure, EXIT_BAD_INPUT, "--%s: expected a .csv file, got %s",
                    request->form.columns ? "columns" : "other", SHOWN_PATH(request->file));
    if (!request->numbers)
        return algorithms_demand_unordered(&request->chosen, failure);
    const bool usual = request->chosen.noracles == 0 && !request->made_by.oracle, all = request->chosen.all_oracles;
    if (usual && algorithms_add_oracle(&request->chosen, "oue", true, failure) != 0)
        return -1;
    return usual || all ? algorithms_add_ordered(&request->chosen, false, failure) : 0;
}

static int check_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    if (!request->counts && (!request->made_by.oracle || request->n == 0))
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --oracle and --n of the supports, got no %s",
                    request->made_by.oracle ? "--n" : "--oracle");
    if (!request->made_by.oracle && request->chosen.noracles == 0 && !request->numbers)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --oracle or --oracles, got none");
    if (request->counts && request->has_surrogate)
        return fail(failure, EXIT_BAD_INPUT, "recommend: --surrogate cannot be combined with --counts");
    if (argc - optind != 1)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected one file of value TAB %s lines, got %d",
                    request->counts ? "count" : "support", argc - optind);
    request->file = argv[optind];
    return 0;
}

/* Parameters apply to the candidates and to the oracle of the supports, which need not be a candidate. */
static int give_params(struct request *request, struct failure *failure)
{
    struct algorithms *const chosen = &request->chosen;
    const size_t candidates = chosen->noracles;

    if (!request->made_by.oracle)
        return algorithms_set_params(chosen, failure);
    size_t made_by = 0;
    while (made_by < candidates && chosen->oracles[made_by].oracle != request->made_by.oracle)
        made_by++;
    if (made_by == candidates && algorithms_add_oracle(chosen, request->made_by.oracle->name, false, failure) != 0)
        return -1;
    const int result = algorithms_set_params(chosen, failure);
    request->made_by = chosen->oracles[made_by];
    chosen->noracles = candidates;
    return result;
}

static int read_method(struct request *request, const char *text, struct failure *failure)
{
    return own_method_is_file(text) ? own_methods_add(&request->own, text, &request->chosen, failure)
                                    : algorithms_add_method(&request->chosen, text, true, failure);
}

/* Where all methods are candidates, so is the one that is made for a list of k values, for the lists of k: a method for
 * each of them, whose number is bounded by the time that they take. */
static void add_list_methods(struct request *request)
{
    enum { LISTS_MAX = 8 };
    const struct ldp_method *const method = ldp_method_find("mix_top");
    struct algorithms *const chosen = &request->chosen;
    size_t ranking = 0, lists = 0;

    for (size_t i = 0; i < chosen->nmethods; i++)
        if (!chosen->all_methods || chosen->methods[i].method == method)
            return;
    for (size_t q = 0; q < request->nqueries; q++)
        for (size_t j = 0; j < request->queries[q].npoints; j++) {
            ranking++;
            if (strcmp(request->queries[q].query->name, "top_k") != 0 || lists == LISTS_MAX ||
                chosen->nmethods == NAMES_MAX)
                continue;
            lists++;
            request->only[chosen->nmethods] = ranking;
            chosen->methods[chosen->nmethods++] =
                (struct ldp_method_spec){.method = method, .param = {request->queries[q].points[j]}};
        }
}

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    struct algorithms *const chosen = &request->chosen;

    *request = (struct request){
        .chosen.takes_ordered = true, .surrogate = surrogate_at(0), .trials = 100, .replicates = 20, .seed = 1};
    request->threads = omp_get_max_threads();
    int option, result = 0;
    while (result == 0 && (option = next_option(&recommender_frequency.command, argc, argv, failure)) != OPTIONS_END) {
        switch (option) {
        case RECOMMEND_TASK: break;
        case ORACLE: result = read_made_by(request, optarg, failure); break;
        case ORACLES: result = algorithms_add_oracle(chosen, optarg, true, failure); break;
        case EPSILON: result = read_epsilon(optarg, &request->epsilon, failure); break;
        case USERS: result = read_users(optarg, &request->n, failure); break;
        case PARAM: result = algorithms_add_param(chosen, optarg, failure); break;
        case METHOD: result = read_method(request, optarg, failure); break;
        case QUERY: result = read_query(request, optarg, failure); break;
        case SURROGATE: result = read_surrogate(request, optarg, failure); break;
        case COUNTS: request->counts = true; break;
        case RECORDS_COLUMNS:
        case RECORDS_OTHER_OPTION:
        case RECORDS_BINS_OPTION: result = read_strings_option(option, optarg, &request->form, failure); break;
        case TRIALS: result = read_whole("--trials", optarg, 2, TRIALS_MAX, &request->trials, failure); break;
        case REPLICATES: result = read_replicates(request, optarg, failure); break;
        case SEED: result = read_seed(optarg, &request->seed, failure); break;
        case 'j': result = read_threads(optarg, &request->threads, failure); break;
        case FORMAT: result = read_format(optarg, &request->format, failure); break;
        default: result = -1;
        }
    }
    request->numbers = optind < argc && dataset_type_of_file(argv[optind])->ordered;
    request->form.answers =
        optind < argc && (text_ends_with(argv[optind], ".csv") || text_ends_with(argv[optind], ".csv.gz"));
    request->counts |= request->numbers || request->form.answers;
    if (result != 0 || check_request(argc, argv, request, failure) != 0 || check_order(request, failure) != 0)
        return -1;
    assert(chosen->noracles > 0 || request->made_by.oracle);
    if ((chosen->noracles == 0 && algorithms_add_oracle(chosen, request->made_by.oracle->name, false, failure) != 0) ||
        (chosen->nmethods == request->own.count && algorithms_add_method(chosen, "all", true, failure) != 0))
        return -1;
    if (give_params(request, failure) != 0)
        return -1;
    add_list_methods(request);
    return 0;
}

/* ---- Data ---- */

static void fit_supports(struct advice *advice, const double *support)
{
    const struct request *const request = advice->request;
    const struct ldp_sets *const sets = surrogate_sets(advice->queries, request->nqueries);
    double *const est = xmalloc(advice->d, sizeof *est);
    void *const scratch = xmalloc(ldp_estimate_scratch(&advice->made_by), 1);

    ldp_estimate(&advice->made_by, advice->n, support, scratch, est);
    surrogate_fit(&advice->fit, &request->surrogate, &advice->made_by, advice->n, est, sets);
    if (advice->fit.varies) {
        const struct surrogate sharp = kind_surrogate(KIND_SHARP), point = kind_surrogate(KIND_POINT);

        surrogate_fit(&advice->sharp, &sharp, &advice->made_by, advice->n, est, sets);
        surrogate_fit(&advice->point, &point, &advice->made_by, advice->n, est, sets);
    }
    free(scratch);
    free(est);
}

/* Sets and points for values that have labels. */
static int bind_queries(struct advice *advice, struct request *request, const struct dataset *values,
                        struct failure *failure)
{
    for (size_t i = 0; i < request->nqueries; i++) {
        struct query_request *const wanted = &request->queries[i];
        struct ldp_query_spec *const spec = &advice->queries[i];

        for (size_t j = 0; wanted->query->point.kind == LDP_INTEGER && wanted->query->point.name && j < wanted->npoints;
             j++)
            if (wanted->points[j] > (double)advice->d)
                return fail(failure, EXIT_BAD_INPUT, "--query %s: expected at most d = %zu, got %g",
                            wanted->query->name, advice->d, wanted->points[j]);
        if (wanted->sets_file) {
            char *const path = dataset_find_file(wanted->sets_file, request->file, failure);
            const int result = path ? dataset_sets_load(path, values, &wanted->sets, failure) : -1;

            free(path);
            if (result != 0)
                return -1;
        }
        *spec = (struct ldp_query_spec){.query = wanted->query,
                                        .points = wanted->query->point.name ? wanted->points : NULL,
                                        .npoints = wanted->npoints,
                                        .sets = wanted->sets ? &wanted->sets->sets : NULL};
        ldp_params_default(spec->query->params, spec->param);
        if (spec->query->expected)
            memcpy(spec->param, spec->query->expected, sizeof spec->param);
    }
    return 0;
}

static int read_support_file(struct advice *advice, struct request *request, struct failure *failure)
{
    struct supports supports = {0};
    struct ldp_population domain = {0};
    struct dataset values = {.population = &domain};
    int result = supports_read(request->file, &supports, failure);

    if (result == 0) {
        advice->d = domain.d = supports.d;
        advice->n = request->n;
        values.labels = supports.labels;
        result = bind_queries(advice, request, &values, failure);
    }
    if (result == 0)
        result = supports_protocol(&supports, request->file, &request->made_by, request->epsilon, request->n, 0,
                                   &advice->made_by, failure);
    if (result == 0)
        fit_supports(advice, supports.support);
    supports_clear(&supports);
    return result;
}

static int read_counts_file(struct advice *advice, struct request *request, struct failure *failure)
{
    const struct dataset_request wanted = {.type = dataset_type_find("counts"), .n = request->n, .path = request->file};
    struct dataset *dataset = NULL;
    int result = request->numbers || request->form.answers
                     ? read_dataset_argument("recommend", request->file, &request->form, request->n, &dataset, failure)
                     : dataset_new(&wanted, &dataset, failure);

    if (result == 0) {
        say_dataset_note(dataset);
        advice->d = dataset->population->d;
        advice->n = dataset->population->n;
        result = bind_queries(advice, request, dataset, failure);
    }
    if (result == 0)
        surrogate_given(&advice->fit, dataset->population);
    dataset_free(dataset);
    return result;
}

static int find_protocols(struct advice *advice, struct failure *failure)
{
    const struct algorithms *const chosen = &advice->request->chosen;

    for (size_t i = 0; i < chosen->noracles; i++) {
        const enum ldp_status status =
            ldp_protocol_init(&advice->protocols[advice->nprotocols], &chosen->oracles[i], advice->d,
                              advice->request->epsilon, &advice->reasons[advice->nunsuited]);

        if (status == LDP_ENOMEM)
            return fail_memory(failure);
        const struct ldp_protocol *const protocol = &advice->protocols[advice->nprotocols];
        if (status != LDP_OK)
            advice->unsuited[advice->nunsuited++] = chosen->oracles[i].oracle->name;
        else if (!chosen->all_oracles || !(protocol->flags & LDP_ORACLE_SKETCH) || protocol->support_size < protocol->d)
            advice->oracles[advice->nprotocols++] = chosen->oracles[i].oracle->name;
    }
    if (advice->nprotocols == 0)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s does not suit d = %zu, epsilon = %g: %s", advice->unsuited[0],
                    advice->d, advice->request->epsilon, advice->reasons[0].text);
    return 0;
}

/* What sketches need, by one population of those that collections are simulated from. */
static int find_needs(struct advice *advice, struct failure *failure)
{
    int result = 0;

    for (size_t i = 0; result == 0 && i < advice->nprotocols; i++) {
        struct trials trials = {0};
        struct ldp_rng rng;

        if (!(advice->protocols[i].oracle->flags & LDP_ORACLE_SKETCH))
            continue;
        ldp_rng_stream(&rng, advice->request->seed, "cells", 0);
        result = trials_begin(&trials, &advice->fit, advice->n, &advice->protocols[i], LDP_COUNTS, &rng, failure);
        if (result == 0)
            ldp_sketch_need(&advice->protocols[i], &trials.population->histogram, &advice->need[i]);
        trials_clear(&trials);
    }
    return result;
}

static int work_out(struct advice *advice, struct request *request, struct failure *failure)
{
    if ((request->counts ? read_counts_file(advice, request, failure) : read_support_file(advice, request, failure)) !=
            0 ||
        find_protocols(advice, failure) != 0 || find_needs(advice, failure) != 0 ||
        algorithms_suit_some(&request->chosen, advice->protocols, advice->nprotocols, advice->suits, failure) != 0)
        return -1;
    own_methods_begin(&request->own, advice->protocols, request->threads);
    const struct ranking_plan plan = {
        .fit = &advice->fit,
        .sharp = advice->fit.varies ? &advice->sharp : NULL,
        .point = advice->fit.varies ? &advice->point : NULL,
        .surrogate = &request->surrogate,
        .made_by = &advice->made_by,
        .n = advice->n,
        .protocols = advice->protocols,
        .nprotocols = advice->nprotocols,
        .methods = request->chosen.methods,
        .nmethods = request->chosen.nmethods,
        .suits = advice->suits,
        .only = request->only,
        .queries = advice->queries,
        .nqueries = request->nqueries,
        .trials = (uint32_t)request->trials,
        .replicates = request->counts ? 0 : (uint32_t)request->replicates,
        .seed = request->seed,
        .threads = request->threads,
        .ask = own_methods_ask,
        .asked = &request->own,
    };
    return rank_candidates(&plan, &advice->rankings, failure);
}

static int run(int argc, char **argv)
{
    struct request *const request = xcalloc(1, sizeof *request);
    struct advice *const advice = xcalloc(1, sizeof *advice);
    struct failure failure = NO_REASON;
    int result;

    if (request && advice) {
        advice->request = request;
        result = read_request(argc, argv, request, &failure);
        if (result == 0)
            result = work_out(advice, request, &failure);
        if (result == 0)
            print_recommendation(advice);
        rankings_clear(&advice->rankings);
        surrogate_fit_clear(&advice->fit);
        surrogate_fit_clear(&advice->sharp);
        surrogate_fit_clear(&advice->point);
        own_methods_clear(&request->own);
        for (size_t i = 0; i < request->nqueries; i++)
            dataset_sets_free(request->queries[i].sets);
    } else {
        result = fail_memory(&failure);
    }
    free(advice);
    free(request);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct recommender recommender_frequency = {
    .task = "frequency",
    .command =
        {
            .name = "recommend",
            .operands = "SUPPORT.tsv",
            .summary = "find the method, and the oracle, with the least error on data like these",
            .about = "Finds the method with the least error on data like these. Reads value TAB support lines of a "
                     "collection (as postprocess does), makes synthetic populations from them, simulates collections "
                     "from those, and ranks the methods by their error for each query, with paired differences from "
                     "the best. A ~ marks methods that are not significantly different from the best.",
            .options = known_options,
            .takes = TAKES_FILES,
            .run = run,
        },
};

/* recommend.c - ldpbench recommend: which method, and which oracle, for one's own data and queries?
 *
 * The supports of a collection (or the counts of a pilot) become synthetic populations; collections from those are
 * simulated, and methods ranked by their errors on the queries that matter (NDSS 2020, sec. V-D). */
#include "commands/algorithms.h"
#include "commands/commands.h"
#include "commands/supports.h"
#include "config/registry.h"
#include "dataset.h"
#include "stats/ranking.h"
#include "support/limits.h"
#include "support/names.h"
#include "support/numbers.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES_MAX = 64, POINTS_MAX = 256 };

struct asked {
    const struct ldp_query *query;
    double points[POINTS_MAX];
    size_t npoints;
    const char *sets_file;
    struct dataset_sets *sets;
};

struct request {
    struct ldp_oracle_spec made_by; /* the supports; .oracle NULL: not told */
    struct algorithms chosen;       /* candidates */
    double epsilon;
    uint64_t n; /* 0: as the counts say */
    struct asked queries[QUERIES_MAX];
    size_t nqueries;
    struct surrogate surrogate;
    bool has_surrogate, counts;
    unsigned long long trials, replicates, seed;
    int threads;
    enum format format;
    const char *file;
};

/* What is known once the file is read. */
struct advice {
    const struct request *request;
    size_t d;
    uint64_t n;
    struct ldp_protocol made_by; /* of the supports */
    struct surrogate_fit fit;
    struct ldp_protocol protocols[NAMES_MAX]; /* of the candidates that suit d and epsilon */
    const char *oracles[NAMES_MAX];           /* their names: one oracle may be another in disguise */
    size_t nprotocols;
    const char *unsuited[NAMES_MAX];
    struct ldp_reason reasons[NAMES_MAX]; /* why they do not suit */
    size_t nunsuited;
    struct ldp_query_spec queries[QUERIES_MAX];
    struct rankings rankings;
};

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

/* What --query and --surrogate take. */
static bool has_squared_error(const struct ldp_query *query)
{
    return strcmp(query->measures[0].name, "mse") == 0 && !query->measures[1].name;
}

static void known_queries(const char *names[NAMES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; ldp_queries[i]; i++)
        if (has_squared_error(ldp_queries[i]))
            names[count++] = ldp_queries[i]->name;
    names[count] = NULL;
}

static void known_surrogates(const char *names[NAMES_MAX])
{
    surrogate_names(false, names);
}

static const struct command_option known_options[] = {
    {.name = "oracle",
     .code = ORACLE,
     .value = "NAME",
     .required = true,
     .names = oracle_names,
     .help = "The oracle that made the supports, and is planned."},
    {.name = "epsilon", .code = EPSILON, .value = "E", .required = true, .help = "Its privacy budget."},
    {.name = "n", .code = USERS, .value = "N", .required = true, .help = "The number of reports."},
    {.name = "query",
     .code = QUERY,
     .value = "NAME[=POINTS|=FILE]",
     .required = true,
     .again = true,
     .names = known_queries,
     .help = "A query that matters: full_domain, set_value=10,50, top_k=32, fixed_sets=FILE."},
    {.name = "method",
     .code = METHOD,
     .value = "NAME",
     .again = true,
     .names = any_method_names,
     .help = "A method to rank, or all. Default: all."},
    {.name = "oracles",
     .code = ORACLES,
     .value = "NAME",
     .again = true,
     .names = candidate_names,
     .help = "An oracle to rank, or all. Default: that of --oracle. If there are several, each is shown with its best "
             "method, the bits of a report and the server's operations for a collection."},
    {.name = "param",
     .code = PARAM,
     .value = "NAME=VALUE",
     .again = true,
     .help = "A parameter of the oracles or methods."},
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
         "(default: their sum)."},
    {.name = "trials", .code = TRIALS, .value = "N", .help = "Simulated collections. Default 100."},
    {.name = "replicates",
     .code = REPLICATES,
     .value = "N",
     .help =
         "Collections like the one given, simulated from its synthetic populations and ranked anew with a tenth of the "
         "trials: what another collection would have said is part of the standard errors of the differences, and of "
         "which methods are significantly different. Default 20; 0 leaves it out, and so does --counts."},
    {.name = "seed", .code = SEED, .value = "N", .help = "Default 1."},
    OPTION_THREADS,
    OPTION_FORMAT(FORMAT),
    {.name = NULL},
};

static int read_points(struct asked *asked, const char *text, struct failure *failure)
{
    const struct ldp_param *point = &asked->query->point;
    char option[64], range[RANGE_TEXT];

    snprintf(option, sizeof option, "--query %s", asked->query->name);
    for (const char *rest = text;; rest++) {
        double value;
        const char *end = parse_number(rest, &value);

        if (!end || (*end && *end != ',') || !(value >= point->min && value <= point->max) ||
            (point->kind == LDP_INTEGER && value != floor(value)))
            return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected %s (several with commas between), got \"%.40s\"",
                        option, point->name, format_range(point->kind == LDP_INTEGER, point->min, point->max, range),
                        rest);
        for (size_t i = 0; i < asked->npoints; i++)
            if (asked->points[i] == value)
                return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected each value once, got \"%.40s\"", option,
                            point->name, text);
        if (asked->npoints == POINTS_MAX)
            return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected at most %d values", option, point->name, POINTS_MAX);
        asked->points[asked->npoints++] = value;
        if (*end == '\0')
            return 0;
        rest = end;
    }
}

/* NAME, NAME=POINT,POINT,.. or NAME=FILE. */
static int read_query(struct request *request, const char *text, struct failure *failure)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const char *names[NAMES_MAX];
    char name[64];
    struct asked *asked = &request->queries[request->nqueries];

    if (request->nqueries == QUERIES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--query: expected at most %d queries", QUERIES_MAX);
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    asked->query = ldp_query_find(name);
    if (!asked->query) {
        known_queries(names);
        return unknown_name("--query", "a query", name, names, failure);
    }
    if (asked->query->measures != ldp_squared_error)
        return fail(failure, EXIT_BAD_INPUT, "--query: expected a query with a squared error, got \"%s\"", name);
    for (size_t i = 0; i < request->nqueries; i++)
        if (request->queries[i].query == asked->query && !asked->query->takes_sets)
            return fail(failure, EXIT_BAD_INPUT, "--query: expected each query once, got %s twice", name);
    request->nqueries++;
    if (asked->query->point.name || asked->query->takes_sets) {
        if (!equals || !equals[1])
            return fail(failure, EXIT_BAD_INPUT, "--query: expected %s=%s, got \"%.40s\"", name,
                        asked->query->takes_sets ? "FILE" : asked->query->point.name, text);
        asked->npoints = 1;
        if (asked->query->takes_sets) {
            asked->sets_file = equals + 1;
            return 0;
        }
        asked->npoints = 0;
        return read_points(asked, equals + 1, failure);
    }
    if (equals)
        return fail(failure, EXIT_BAD_INPUT, "--query: expected %s without a value, got \"%.40s\"", name, text);
    asked->npoints = 1;
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
    const char *names[NAMES_MAX];

    request->made_by.oracle = ldp_oracle_find(text);
    if (request->made_by.oracle)
        return 0;
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

static int check_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    if (request->epsilon <= 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --epsilon, got none");
    if (!request->counts && (!request->made_by.oracle || request->n == 0))
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --oracle and --n of the supports, got no %s",
                    request->made_by.oracle ? "--n" : "--oracle");
    if (!request->made_by.oracle && request->chosen.noracles == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --oracle or --oracles, got none");
    if (request->counts && request->has_surrogate)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected no --surrogate with --counts, which need none");
    if (request->nqueries == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --query, got none");
    if (argc - optind != 1)
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected one file of value TAB %s lines, got %d",
                    request->counts ? "count" : "support", argc - optind);
    request->file = argv[optind];
    return 0;
}

/* Parameters go to the candidates and to the oracle of the supports, whether that is one or not. */
static int give_params(struct request *request, struct failure *failure)
{
    struct algorithms *chosen = &request->chosen;
    const size_t candidates = chosen->noracles;
    size_t made_by = 0;
    int result;

    if (!request->made_by.oracle)
        return algorithms_set_params(chosen, failure);
    while (made_by < candidates && chosen->oracles[made_by].oracle != request->made_by.oracle)
        made_by++;
    if (made_by == candidates && algorithms_add_oracle(chosen, request->made_by.oracle->name, false, failure) != 0)
        return -1;
    result = algorithms_set_params(chosen, failure);
    request->made_by = chosen->oracles[made_by];
    chosen->noracles = candidates;
    return result;
}

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    struct algorithms *chosen = &request->chosen;
    int option, result = 0;

    *request = (struct request){.surrogate = surrogate_at(0), .trials = 100, .replicates = 20, .seed = 1};
    request->threads = omp_get_max_threads();
    while (result == 0 && (option = next_option(&command_recommend, argc, argv, failure)) != OPTIONS_END) {
        switch (option) {
        case ORACLE: result = read_made_by(request, optarg, failure); break;
        case ORACLES: result = algorithms_add_oracle(chosen, optarg, true, failure); break;
        case EPSILON: result = read_epsilon(optarg, &request->epsilon, failure); break;
        case USERS: result = read_users(optarg, &request->n, failure); break;
        case PARAM: result = algorithms_add_param(chosen, optarg, failure); break;
        case METHOD: result = algorithms_add_method(chosen, optarg, true, failure); break;
        case QUERY: result = read_query(request, optarg, failure); break;
        case SURROGATE: result = read_surrogate(request, optarg, failure); break;
        case COUNTS: request->counts = true; break;
        case TRIALS: result = read_whole("--trials", optarg, 2, TRIALS_MAX, &request->trials, failure); break;
        case REPLICATES: result = read_replicates(request, optarg, failure); break;
        case SEED:
            result = read_whole("--seed", optarg, 0, (unsigned long long)WHOLE_MAX, &request->seed, failure);
            break;
        case 'j': result = read_threads(optarg, &request->threads, failure); break;
        case FORMAT: result = read_format(optarg, &request->format, failure); break;
        default: result = -1;
        }
    }
    if (result != 0 || check_request(argc, argv, request, failure) != 0)
        return -1;
    assert(chosen->noracles > 0 || request->made_by.oracle);
    if ((chosen->noracles == 0 && algorithms_add_oracle(chosen, request->made_by.oracle->name, false, failure) != 0) ||
        (chosen->nmethods == 0 && algorithms_add_method(chosen, "all", true, failure) != 0))
        return -1;
    return give_params(request, failure);
}

/* ---- Data ---- */

static int fit_supports(struct advice *advice, const double *support, struct failure *failure)
{
    const struct request *request = advice->request;
    struct ldp_reason reason;

    if (ldp_protocol_init(&advice->made_by, &request->made_by, advice->d, request->epsilon, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s does not suit d = %zu, epsilon = %g: %s",
                    request->made_by.oracle->name, advice->d, request->epsilon, reason.text);
    if (advice->made_by.support_size != advice->d)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s: expected one that has a support for each value",
                    request->made_by.oracle->name);
    double *const est = malloc(advice->d * sizeof *est);
    void *const scratch = malloc(ldp_estimate_scratch(&advice->made_by) + 1);
    int result = est && scratch ? 0 : fail_memory(failure);
    if (result == 0) {
        ldp_estimate(&advice->made_by, advice->n, support, scratch, est);
        result = surrogate_fit(&advice->fit, &request->surrogate, &advice->made_by, advice->n, est,
                               surrogate_sets(advice->queries, request->nqueries), failure);
    }
    free(scratch);
    free(est);
    return result;
}

/* Sets and points for values that have labels. */
static int bind_queries(struct advice *advice, struct request *request, const struct dataset *values,
                        struct failure *failure)
{
    for (size_t i = 0; i < request->nqueries; i++) {
        struct asked *asked = &request->queries[i];
        struct ldp_query_spec *spec = &advice->queries[i];

        for (size_t j = 0; asked->query->point.kind == LDP_INTEGER && asked->query->point.name && j < asked->npoints;
             j++)
            if (asked->points[j] > (double)advice->d)
                return fail(failure, EXIT_BAD_INPUT, "--query %s: expected at most d = %zu, got %g", asked->query->name,
                            advice->d, asked->points[j]);
        if (asked->sets_file) {
            char *path = dataset_find_file(asked->sets_file, request->file, failure);
            int result = path ? dataset_sets_load(path, values, &asked->sets, failure) : -1;

            free(path);
            if (result != 0)
                return -1;
        }
        *spec = (struct ldp_query_spec){.query = asked->query,
                                        .points = asked->query->point.name ? asked->points : NULL,
                                        .npoints = asked->npoints,
                                        .sets = asked->sets ? &asked->sets->sets : NULL};
        ldp_params_default(spec->query->params, spec->param);
    }
    return 0;
}

static int read_support_file(struct advice *advice, struct request *request, struct failure *failure)
{
    struct supports supports = {0};
    struct ldp_population domain = {0};
    struct dataset values = {.population = &domain};
    int result = supports_read(request->file, request->made_by.oracle, request->n, &supports, failure);

    if (result == 0) {
        advice->d = domain.d = supports.d;
        advice->n = request->n;
        values.labels = supports.labels;
        result = bind_queries(advice, request, &values, failure);
    }
    if (result == 0)
        result = fit_supports(advice, supports.support, failure);
    supports_clear(&supports);
    return result;
}

static int read_counts_file(struct advice *advice, struct request *request, struct failure *failure)
{
    const struct dataset_request wanted = {.type = dataset_type_find("counts"), .n = request->n, .path = request->file};
    struct dataset *dataset = NULL;
    int result = dataset_new(&wanted, &dataset, failure);

    if (result == 0) {
        advice->d = dataset->population->d;
        advice->n = dataset->population->n;
        result = bind_queries(advice, request, dataset, failure);
    }
    if (result == 0)
        result = surrogate_given(&advice->fit, dataset->population, failure);
    dataset_free(dataset);
    return result;
}

static int find_protocols(struct advice *advice, struct failure *failure)
{
    const struct algorithms *chosen = &advice->request->chosen;

    for (size_t i = 0; i < chosen->noracles; i++) {
        enum ldp_status status =
            ldp_protocol_init(&advice->protocols[advice->nprotocols], &chosen->oracles[i], advice->d,
                              advice->request->epsilon, &advice->reasons[advice->nunsuited]);

        if (status == LDP_ENOMEM)
            return fail_memory(failure);
        if (status == LDP_OK)
            advice->oracles[advice->nprotocols++] = chosen->oracles[i].oracle->name;
        else
            advice->unsuited[advice->nunsuited++] = chosen->oracles[i].oracle->name;
    }
    if (advice->nprotocols == 0)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s does not suit d = %zu, epsilon = %g: %s", advice->unsuited[0],
                    advice->d, advice->request->epsilon, advice->reasons[0].text);
    return 0;
}

static int work_out(struct advice *advice, struct request *request, struct failure *failure)
{
    if ((request->counts ? read_counts_file(advice, request, failure) : read_support_file(advice, request, failure)) !=
            0 ||
        find_protocols(advice, failure) != 0)
        return -1;
    for (size_t i = 0; i < advice->nprotocols; i++)
        if (algorithms_suit(&request->chosen, &advice->protocols[i], failure) != 0)
            return -1;

    const struct ranking_plan plan = {
        .fit = &advice->fit,
        .surrogate = &request->surrogate,
        .made_by = &advice->made_by,
        .n = advice->n,
        .protocols = advice->protocols,
        .nprotocols = advice->nprotocols,
        .methods = request->chosen.methods,
        .nmethods = request->chosen.nmethods,
        .queries = advice->queries,
        .nqueries = request->nqueries,
        .trials = (uint32_t)request->trials,
        .replicates = request->counts ? 0 : (uint32_t)request->replicates,
        .seed = request->seed,
        .threads = request->threads,
    };
    return rank_candidates(&plan, &advice->rankings, failure);
}

/* ---- What follows from the rankings ---- */

static const char *method_name(const struct advice *advice, const struct ranked *ranked)
{
    return advice->request->chosen.methods[ranked->method].method->name;
}

static const char *oracle_name(const struct advice *advice, const struct ranked *ranked)
{
    return advice->oracles[ranked->protocol];
}

/* Bits of a report and operations of the server on a whole collection; NAN where not known. */
static struct ldp_cost cost_of(const struct ldp_protocol *protocol)
{
    struct ldp_cost cost = {NAN, NAN, NAN};

    if (protocol->oracle->cost)
        protocol->oracle->cost(protocol, &cost);
    return cost;
}

static double server_operations(const struct advice *advice, const struct ldp_cost *cost)
{
    return (double)advice->n * cost->report_operations + cost->collection_operations;
}

/* Whether a choice stands on populations that the chosen method made itself. */
static bool biased(const struct advice *advice, const struct ranking *ranking)
{
    const struct request *request = advice->request;

    return !request->counts &&
           surrogate_favours(&request->surrogate, request->chosen.methods[ranking->ranked[0].method].method);
}

static bool any_biased(const struct advice *advice)
{
    for (size_t i = 0; i < advice->rankings.count; i++)
        if (biased(advice, &advice->rankings.ranking[i]))
            return true;
    return false;
}

/* How far above the best of a ranking a candidate is, as a ratio. */
static double ratio_of(const struct ranking *ranking, size_t size, size_t protocol, size_t method)
{
    for (size_t i = 0; i < size; i++)
        if (ranking->ranked[i].protocol == protocol && ranking->ranked[i].method == method)
            return ranking->ranked[i].error.mean == ranking->ranked[0].error.mean
                       ? 1
                       : ranking->ranked[i].error.mean / ranking->ranked[0].error.mean;
    return INFINITY;
}

/* The candidate whose largest ratio to the best of a ranking is least. */
static double best_for_all(const struct advice *advice, struct ranked *best)
{
    const struct rankings *rankings = &advice->rankings;
    double least = INFINITY;

    *best = (struct ranked){0};
    for (size_t p = 0; p < advice->nprotocols; p++)
        for (size_t m = 0; m < advice->request->chosen.nmethods; m++) {
            double largest = 1;

            for (size_t i = 0; i < rankings->count; i++)
                largest = fmax(largest, ratio_of(&rankings->ranking[i], rankings->size, p, m));
            if (largest < least) {
                least = largest;
                best->protocol = p;
                best->method = m;
            }
        }
    return least;
}

/* ---- Text and Markdown ---- */

enum { NAME_WIDTH = 16, TEXT_ROOM = 64 };

static void query_text(const struct advice *advice, const struct ranking *ranking, char text[TEXT_ROOM])
{
    const struct ldp_query_spec *spec = &advice->queries[ranking->query];

    if (spec->points)
        snprintf(text, TEXT_ROOM, "%s, %s %g", spec->query->name, spec->query->point.name,
                 spec->points[ranking->point]);
    else
        snprintf(text, TEXT_ROOM, "%s", spec->query->name);
}

static void above_text(const struct ranked *ranked, bool is_best, char text[TEXT_ROOM])
{
    const struct comparison *c = &ranked->from_the_best;

    if (is_best)
        snprintf(text, TEXT_ROOM, "best");
    else if (c->change == 0)
        snprintf(text, TEXT_ROOM, "equal ~");
    else if (!isfinite(c->change))
        snprintf(text, TEXT_ROOM, "the best makes no error");
    else
        snprintf(text, TEXT_ROOM, "+%.3g %% (%.2g %%)%s", 100 * c->change, 100 * c->standard_error,
                 ranked->apart ? "" : " ~");
}

static void print_heading(const struct advice *advice)
{
    const struct request *request = advice->request;
    const bool markdown = request->format == MARKDOWN;

    printf("%s%s: d = %zu, n = %llu, epsilon = %g; ", markdown ? "# " : "", request->file, advice->d,
           (unsigned long long)advice->n, request->epsilon);
    if (request->counts)
        printf("%llu trials on the counts, seed %llu\n", request->trials, request->seed);
    else
        printf("%llu trials on %s, supports of %s, %llu replicates, seed %llu\n", request->trials,
               advice->fit.varies ? "draws from the posterior" : request->surrogate.name, request->made_by.oracle->name,
               request->replicates, request->seed);
    printf("%serror: mean squared error of frequencies; ~: not told apart from the best (level %g, paired, Holm%s)\n",
           markdown ? "\n" : "", ranking_level,
           request->counts || request->replicates == 0 ? "" : "; over trials and replicates");
    for (size_t i = 0; i < advice->nunsuited; i++)
        printf("%s%s does not suit this d and epsilon: %s\n", markdown ? "\n" : "", advice->unsuited[i],
               advice->reasons[i].text);
}

static void print_ranking(const struct advice *advice, const struct ranking *ranking)
{
    const bool markdown = advice->request->format == MARKDOWN, many = advice->nprotocols > 1;
    bool shown[NAMES_MAX] = {false};
    char text[TEXT_ROOM];

    query_text(advice, ranking, text);
    printf(markdown ? "\n## %s\n\n" : "\n%s\n", text);
    if (markdown)
        printf("%s| method | error | s.e. | above the best (s.e.) |%s\n%s|---|---:|---:|---:|%s\n",
               many ? "| oracle " : "", many ? " bits a report | server's operations |" : "", many ? "|---" : "",
               many ? "---:|---:|" : "");
    else
        printf("  %s%-*s %-10s %-10s %s%s\n", many ? "oracle           " : "", NAME_WIDTH, "method", "error", "s.e.",
               many ? "bits   operations  " : "", "above the best (s.e.)");
    for (size_t i = 0; i < advice->rankings.size; i++) {
        const struct ranked *ranked = &ranking->ranked[i];
        const double error = ranked->error.sd / sqrt((double)ranked->error.n);
        const struct ldp_cost cost = cost_of(&advice->protocols[ranked->protocol]);

        if (many && shown[ranked->protocol]) /* of several oracles, each with its best method */
            continue;
        shown[ranked->protocol] = true;
        above_text(ranked, i == 0, text);
        if (markdown) {
            if (many)
                printf("| %s ", oracle_name(advice, ranked));
            printf("| %s | %.4g | %.2g | %s |", method_name(advice, ranked), ranked->error.mean, error, text);
            if (many)
                printf(" %.0f | %.3g |", cost.report_bits, server_operations(advice, &cost));
        } else {
            printf("  ");
            if (many)
                printf("%-*s ", NAME_WIDTH, oracle_name(advice, ranked));
            printf("%-*s %-10.4g %-10.2g ", NAME_WIDTH, method_name(advice, ranked), ranked->error.mean, error);
            if (many)
                printf("%-6.0f %-11.3g ", cost.report_bits, server_operations(advice, &cost));
            printf("%s", text);
        }
        putchar('\n');
    }
}

static void print_choice(const struct advice *advice, const struct ranking *ranking)
{
    const bool markdown = advice->request->format == MARKDOWN, many = advice->nprotocols > 1;
    const char *separator = "; not told apart: ";
    bool shown[NAMES_MAX] = {false};
    char text[TEXT_ROOM];

    query_text(advice, ranking, text);
    printf("%s%s: ", markdown ? "- " : "  ", text);
    for (size_t i = 0; i < advice->rankings.size; i++) {
        const struct ranked *ranked = &ranking->ranked[i];

        if (ranked->apart || (many && shown[ranked->protocol]))
            continue;
        shown[ranked->protocol] = true;
        if (i > 0) {
            printf("%s", separator);
            separator = ", ";
        }
        printf("%s%s%s", many ? oracle_name(advice, ranked) : "", many ? " with " : "", method_name(advice, ranked));
    }
    printf("%s\n", biased(advice, ranking) ? " (biased)" : "");
}

static void print_advice(const struct advice *advice)
{
    const struct request *request = advice->request;
    const bool markdown = request->format == MARKDOWN, many = advice->nprotocols > 1;
    const struct rankings *rankings = &advice->rankings;

    print_heading(advice);
    for (size_t i = 0; i < rankings->count; i++)
        print_ranking(advice, &rankings->ranking[i]);
    printf(markdown ? "\n## Recommended\n\n" : "\nRecommended\n");
    for (size_t i = 0; i < rankings->count; i++)
        print_choice(advice, &rankings->ranking[i]);
    if (rankings->count > 1) {
        struct ranked best;
        const double ratio = best_for_all(advice, &best);

        if (isfinite(ratio))
            printf("%sfor all of them: %s%s%s, at most %.3g %% above the best of each\n", markdown ? "- " : "  ",
                   many ? oracle_name(advice, &best) : "", many ? " with " : "", method_name(advice, &best),
                   100 * (ratio - 1));
    }
    if (any_biased(advice))
        printf("%swarning: (biased): the method was chosen on data that %s made itself, which favours it (NDSS 2020, "
               "Figure 9); --surrogate posterior does not\n",
               markdown ? "\n" : "", request->surrogate.name);
}

/* ---- JSON ---- */

static void print_json_rows(const struct advice *advice, const struct ranking *ranking, cJSON *rows)
{
    for (size_t i = 0; i < advice->rankings.size; i++) {
        const struct ranked *ranked = &ranking->ranked[i];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "oracle", oracle_name(advice, ranked));
        cJSON_AddStringToObject(row, "method", method_name(advice, ranked));
        cJSON_AddNumberToObject(row, "mse", ranked->error.mean);
        cJSON_AddNumberToObject(row, "stderr", ranked->error.sd / sqrt((double)ranked->error.n));
        cJSON_AddNumberToObject(row, "above_best", ranked->from_the_best.change);
        cJSON_AddNumberToObject(row, "above_best_stderr", ranked->from_the_best.standard_error);
        cJSON_AddNumberToObject(row, "adjusted_p", ranked->from_the_best.adjusted);
        cJSON_AddBoolToObject(row, "told_apart", ranked->apart);
        cJSON_AddItemToArray(rows, row);
    }
}

static int print_json(const struct advice *advice, struct failure *failure)
{
    const struct request *request = advice->request;
    cJSON *root = cJSON_CreateObject(), *list;

    cJSON_AddStringToObject(root, "file", request->file);
    cJSON_AddNumberToObject(root, "d", (double)advice->d);
    cJSON_AddNumberToObject(root, "n", (double)advice->n);
    cJSON_AddNumberToObject(root, "epsilon", request->epsilon);
    cJSON_AddStringToObject(root, "surrogate", request->counts ? "counts" : request->surrogate.name);
    cJSON_AddNumberToObject(root, "trials", (double)request->trials);
    cJSON_AddNumberToObject(root, "replicates", request->counts ? 0 : (double)request->replicates);
    cJSON_AddNumberToObject(root, "seed", (double)request->seed);
    cJSON_AddNumberToObject(root, "level", ranking_level);
    list = cJSON_AddArrayToObject(root, "oracles");
    for (size_t i = 0; i < advice->nprotocols; i++) {
        const struct ldp_cost cost = cost_of(&advice->protocols[i]);
        cJSON *oracle = cJSON_CreateObject();

        cJSON_AddStringToObject(oracle, "oracle", advice->oracles[i]);
        cJSON_AddNumberToObject(oracle, "report_bits", cost.report_bits);
        cJSON_AddNumberToObject(oracle, "report_operations", cost.report_operations);
        cJSON_AddNumberToObject(oracle, "server_operations", server_operations(advice, &cost));
        cJSON_AddItemToArray(list, oracle);
    }
    list = cJSON_AddArrayToObject(root, "unsuited");
    for (size_t i = 0; i < advice->nunsuited; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(advice->unsuited[i]));
    list = cJSON_AddArrayToObject(root, "queries");
    for (size_t i = 0; i < advice->rankings.count; i++) {
        const struct ranking *ranking = &advice->rankings.ranking[i];
        const struct ldp_query_spec *spec = &advice->queries[ranking->query];
        cJSON *query = cJSON_CreateObject();

        cJSON_AddStringToObject(query, "query", spec->query->name);
        if (spec->points)
            cJSON_AddNumberToObject(query, spec->query->point.name, spec->points[ranking->point]);
        cJSON_AddBoolToObject(query, "biased", biased(advice, ranking));
        print_json_rows(advice, ranking, cJSON_AddArrayToObject(query, "ranking"));
        cJSON_AddItemToArray(list, query);
    }
    return print_tree(root, failure);
}

static int print(const struct advice *advice, struct failure *failure)
{
    if (advice->request->format == JSON)
        return print_json(advice, failure);
    print_advice(advice);
    return 0;
}

static int run(int argc, char **argv)
{
    struct request *request = calloc(1, sizeof *request);
    struct advice *advice = calloc(1, sizeof *advice);
    struct failure failure;
    int result;

    if (request && advice) {
        advice->request = request;
        result = read_request(argc, argv, request, &failure);
        if (result == 0)
            result = work_out(advice, request, &failure);
        if (result == 0)
            result = print(advice, &failure);
        rankings_clear(&advice->rankings);
        surrogate_fit_clear(&advice->fit);
        for (size_t i = 0; i < request->nqueries; i++)
            dataset_sets_free(request->queries[i].sets);
    } else {
        result = fail_memory(&failure);
    }
    free(advice);
    free(request);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct command command_recommend = {
    .name = "recommend",
    .operands = "SUPPORT.tsv",
    .summary = "tell which method, and which oracle, has the least error on data like these",
    .about =
        "Tells which method has the least error on data like these. Reads value TAB support lines of a collection (as "
        "postprocess does), makes synthetic populations from them, simulates collections from those, and ranks the "
        "methods by their error for each query, with paired differences from the best. A ~ marks methods that are not "
        "significantly different from the best.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

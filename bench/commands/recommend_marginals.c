/* recommend_marginals.c - ldpbench recommend --task marginals: which synopsis, tables and oracle for the marginals of
 * records like these?
 *
 * Every candidate collects from the file's records, or from a chain of the given cardinalities, and is ranked by its
 * measured squared error. Synopses on tables are tried as they choose for themselves and with given numbers of tables.
 * After a few trials those that are far from the best get no more. */
#include "commands/recommend_marginals.h"

#include "commands/dataset_argument.h"
#include "commands/recommend.h"
#include "config/synopses.h"
#include "support/memory.h"
#include "support/registry.h"
#include "support/text.h"
#include "support/threads.h"

#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { EPSILON = 256, USERS, K, COUNT, MARGINAL, CARDINALITIES, STRENGTH, SYNOPSIS, ORACLES, TRIALS, SEED, FORMAT };
enum { FIRST_TRIALS = 4, CANDIDATES_MAX = 2048, TABLES_MOST = 600 };
#define FAR 2.0 /* times the best error after the first trials */

static const struct command_option known_options[] = {
    RECOMMEND_TASK_OPTION,
    {.name = "epsilon", .code = EPSILON, .value = "E", .required = true, .help = "The privacy budget."},
    {.name = "n", .code = USERS, .value = "N", .help = "Users. Default: those of the file."},
    {.name = "k",
     .code = K,
     .value = "K",
     .again = true,
     .help = "Random marginals of K attributes. Default 3, where no --marginal is given."},
    {.name = "count", .code = COUNT, .value = "N", .help = "Random marginals of each k. Default 50."},
    {.name = "marginal",
     .code = MARGINAL,
     .value = "A+B",
     .again = true,
     .help = "A marginal by its attributes' names."},
    {.name = "cardinalities",
     .code = CARDINALITIES,
     .value = "LIST",
     .help =
         "In place of a file: the attributes' numbers of values, such as \"2 2 5 16\". Attributes are then called a0, "
         "a1, ..., and drawn as a chain."},
    {.name = "strength",
     .code = STRENGTH,
     .value = "P",
     .help = "How probably an attribute of that chain follows its neighbour, 0 to 1. Default 0.5."},
    {.name = "synopsis",
     .code = SYNOPSIS,
     .value = "NAME",
     .again = true,
     .names = synopsis_names,
     .help = "A synopsis to try. Default: all but slow ones."},
    OPTION_ORACLES(ORACLES, oracle_names, "An oracle to try, or all. Default: adaptive."),
    {.name = "trials", .code = TRIALS, .value = "N", .help = "Simulated collections of each. Default 20."},
    OPTION_SEED(SEED),
    OPTION_THREADS,
    OPTIONS_RECORDS,
    OPTION_FORMAT(FORMAT),
    {.name = NULL},
};

/* ---- What is asked ---- */

static int add_synopsis(struct marginals_request *request, const char *text, struct failure *failure)
{
    const char *names[NAMES_MAX];

    synopsis_names(names);
    if (!ldp_synopsis_find(text))
        return unknown_name("--synopsis", "a synopsis", text, names, failure);
    if (request->nsynopses + 1 < NAMES_MAX)
        request->synopses[request->nsynopses++] = text;
    return 0;
}

static int read_strength(const char *text, double *strength, struct failure *failure)
{
    if (read_real("--strength", text, strength, failure) != 0)
        return -1;
    return *strength >= 0 && *strength <= 1
               ? 0
               : fail(failure, EXIT_BAD_INPUT, "--strength: expected a number from 0 to 1, got %s", SHOWN(text));
}

static int add_marginal(struct marginals_request *request, const char *text, struct failure *failure)
{
    if (request->nnamed == MARGINALS_NAMED_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--marginal: expected at most %d, got more", MARGINALS_NAMED_MAX);
    request->named[request->nnamed++] = text;
    return 0;
}

static int read_option(int option, struct marginals_request *request, bool *wants_k, struct failure *failure)
{
    unsigned long long k;

    switch (option) {
    case RECOMMEND_TASK: return 0;
    case RECORDS_COLUMNS:
    case RECORDS_BINS_OPTION:
    case RECORDS_OTHER_OPTION:
    case RECORDS_RANGE_OPTION:
    case RECORDS_MISSING_OPTION:
    case RECORDS_NO_HEADER_OPTION: return read_strings_option(option, optarg, &request->form, failure);
    case EPSILON: return read_epsilon(optarg, &request->epsilon, failure);
    case USERS: return read_users(optarg, &request->n, failure);
    case K:
        if (read_whole("--k", optarg, 1, LDP_SET_MAX, &k, failure) != 0)
            return -1;
        request->k[k] = *wants_k = true;
        return 0;
    case COUNT: return read_whole("--count", optarg, 1, 100000, &request->count, failure);
    case MARGINAL: return add_marginal(request, optarg, failure);
    case CARDINALITIES: request->cardinalities = optarg; return 0;
    case STRENGTH: return read_strength(optarg, &request->strength, failure);
    case SYNOPSIS: return add_synopsis(request, optarg, failure);
    case ORACLES: return algorithms_add_oracle(&request->chosen, optarg, true, failure);
    case TRIALS: return read_whole("--trials", optarg, 2, 1000000, &request->trials, failure);
    case SEED: return read_seed(optarg, &request->seed, failure);
    case 'j': return read_threads(optarg, &request->threads, failure);
    case FORMAT: return read_format(optarg, &request->format, failure);
    default: return -1;
    }
}

static int read_request(int argc, char **argv, struct marginals_request *request, struct failure *failure)
{
    bool wants_k = false;
    *request = (struct marginals_request){
        .strength = 0.5, .count = 50, .trials = 20, .seed = 1, .threads = omp_get_max_threads()};
    int option;
    while ((option = next_option(&recommender_marginals.command, argc, argv, failure)) != OPTIONS_END)
        if (read_option(option, request, &wants_k, failure) != 0)
            return -1;
    if (!(request->epsilon > 0))
        return fail(failure, EXIT_BAD_INPUT, "recommend: expected --epsilon, got none");
    if (argc - optind != (request->cardinalities ? 0 : 1))
        return fail(failure, EXIT_BAD_INPUT,
                    "recommend: expected one file of records, or --cardinalities, got %d files%s", argc - optind,
                    request->cardinalities ? " and --cardinalities" : "");
    request->file = argv[optind];
    if (request->cardinalities && request->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: --cardinalities needs --n");
    request->k[3] |= !wants_k && request->nnamed == 0;
    return request->chosen.noracles > 0 ? 0 : algorithms_add_oracle(&request->chosen, "adaptive", true, failure);
}

/* ---- The records and their marginals ---- */

static int load(const struct marginals_request *request, struct dataset **out, struct failure *failure)
{
    struct dataset_request wanted = {.n = request->n, .seed = request->seed};
    char *path = NULL;

    wanted.type = dataset_type_find(request->cardinalities ? "chain" : "records");
    ldp_params_default(wanted.type->params, wanted.param);
    if (request->cardinalities) {
        wanted.text = request->cardinalities;
        wanted.param[0] = request->strength;
        for (const char *at = wanted.text + strspn(wanted.text, " "); *at; at += strspn(at, " ")) {
            at += strcspn(at, " ");
            wanted.d++;
        }
        if (wanted.d == 0 || wanted.d > LDP_ATTRIBUTES_MAX)
            return fail(failure, EXIT_BAD_INPUT, "--cardinalities: expected 1 to %d numbers, got %zu",
                        LDP_ATTRIBUTES_MAX, wanted.d);
        struct ldp_reason reason;
        if (wanted.type->check(wanted.param, wanted.text, &reason) != LDP_OK)
            return fail(failure, EXIT_BAD_INPUT, "--%s", reason.text);
    } else {
        path = dataset_find_file(request->file, NULL, failure);
        if (!path)
            return -1;
        wanted.path = path;
        wanted.text = request->form.columns;
        wanted.missing = request->form.missing;
        wanted.param[RECORDS_BINS] = request->form.bins;
        wanted.param[RECORDS_OTHER] = request->form.other;
        wanted.param[RECORDS_RANGE] = request->form.range;
        wanted.param[RECORDS_NO_HEADER] = request->form.no_header;
    }
    const int result = dataset_new(&wanted, out, failure);

    if (result == 0)
        say_dataset_note(*out);
    free(path);
    return result;
}

/* A marginal by names with + between. */
static int read_named(const char *text, const struct dataset_records *records, struct ldp_set *set,
                      struct failure *failure)
{
    uint64_t mask = 0;

    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, "+");
        char *const name = xstrndup(at, length);
        const size_t attribute = name ? dataset_records_find(records, name) : 0;

        free(name);
        if (attribute == SIZE_MAX)
            return fail(failure, EXIT_BAD_INPUT, "--marginal: expected attributes of the records (%s, ...), got \"%s\"",
                        SHOWN(records->names[0]), SHOWN_N(at, length));
        if (mask >> attribute & 1)
            return fail(failure, EXIT_BAD_INPUT, "--marginal: expected each attribute once, got \"%s\"", SHOWN(text));
        mask |= UINT64_C(1) << attribute;
        at += length;
        if (!*at)
            break;
    }
    if (__builtin_popcountll(mask) > LDP_SET_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--marginal: expected at most %d attributes, got more", LDP_SET_MAX);
    *set = ldp_set_of_mask(mask);
    return 0;
}

static int choose_sets(const struct marginals_request *request, const struct dataset *dataset,
                       struct attribute_sets *out, struct failure *failure)
{
    double k[LDP_SET_MAX];
    struct wanted_marginals wanted = {.count = request->count, .k = {.values = k}};

    for (size_t i = 1; i <= LDP_SET_MAX; i++)
        if (request->k[i]) {
            if (i > dataset_d(dataset))
                return fail(failure, EXIT_BAD_INPUT, "--k: expected at most the %zu attributes, got %zu%s",
                            dataset_d(dataset), i,
                            dataset_d(dataset) > 1 ? "" : "; --task frequency ranks methods for one column");
            k[wanted.k.count++] = (double)i;
        }
    if (wanted_bind(&wanted, dataset, request->seed, out, failure) != 0)
        return -1;
    struct ldp_set *const more = xrealloc(out->set, out->count + request->nnamed + 1, sizeof *more);

    out->set = more;
    for (size_t i = 0; i < request->nnamed; i++) {
        bool there = false;

        if (read_named(request->named[i], dataset->records, &more[out->count], failure) != 0)
            return -1;
        for (size_t j = 0; j < out->count; j++)
            there |= ldp_set_mask(&more[j]) == ldp_set_mask(&more[out->count]);
        out->count += !there;
    }
    return 0;
}

/* ---- Candidates ---- */

static double choose(double n, double k)
{
    double result = 1;

    for (double i = 1; i <= k; i++)
        result *= (n - k + i) / i;
    return floor(result + 0.5);
}

static void add(struct marginals_advice *advice, const struct ldp_synopsis *synopsis, double m, double l,
                const struct ldp_oracle_spec *oracle)
{
    struct marginals_candidate *const candidate = &advice->candidate[advice->count];

    if (advice->count == CANDIDATES_MAX)
        return;
    *candidate = (struct marginals_candidate){.spec = {.synopsis = synopsis}, .oracle = oracle, .suits = true};
    ldp_params_default(synopsis->params, candidate->spec.param);
    if (m > 0) {
        candidate->spec.param[0] = m;
        candidate->spec.param[1] = l;
    }
    advice->count++;
}

/* Each synopsis as it is, and those that take designs with as many tables as cover all pairs, and three times as many.
 */
static void list_candidates(struct marginals_advice *advice)
{
    const struct marginals_request *const request = advice->request;
    const double d = (double)dataset_d(advice->dataset);

    for (size_t o = 0; o < request->chosen.noracles; o++)
        for (size_t s = 0; ldp_synopses[s]; s++) {
            const struct ldp_synopsis *const synopsis = ldp_synopses[s];
            bool wanted = request->nsynopses == 0 && !synopsis->is_slow && !synopsis->is_apart;

            for (size_t i = 0; i < request->nsynopses; i++)
                wanted |= strcmp(request->synopses[i], synopsis->name) == 0;
            if (!wanted)
                continue;
            add(advice, synopsis, 0, 0, &request->chosen.oracles[o]);
            for (double l = 2; synopsis->takes_sets && l <= 4 && l < d; l++) {
                const double most = choose(d, l), cover = ceil(1.3 * choose(d, 2) / choose(l, 2));

                for (double m = cover; m <= 3 * cover && m < most && m <= TABLES_MOST; m += 2 * cover)
                    add(advice, synopsis, m, l, &request->chosen.oracles[o]);
                if (most <= TABLES_MOST)
                    add(advice, synopsis, most, l, &request->chosen.oracles[o]);
            }
        }
}

/* ---- Trials ---- */

struct trial_room {
    struct ldp_workload workload;
    const double *truth;
    double *answer[LDP_EXACT + 1];
};

static double distance(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t c = 0; c < count; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

/* Trials from..to-1 of one candidate: its sums. */
static void try_candidate(struct marginals_candidate *candidate, struct trial_room room, uint64_t seed, uint64_t from,
                          uint64_t to)
{
    const struct ldp_synopsis *const synopsis = candidate->spec.synopsis;
    const size_t answers = room.workload.first[room.workload.nsets];
    const double sets = (double)room.workload.nsets;
    void *state = NULL;

    room.workload.oracle = candidate->oracle;
    const enum ldp_status status = ldp_synopsis_open(&candidate->spec, &room.workload, &state, &candidate->reason);
    if (status == LDP_ENOMEM)
        out_of_memory();
    candidate->suits = status == LDP_OK;
    if (!candidate->suits)
        return;
    candidate->value = xrealloc(candidate->value, to, sizeof *candidate->value);
    for (uint64_t trial = from; trial < to; trial++) {
        struct ldp_rng rng;

        ldp_rng_stream(&rng, seed, "recommend|marginals", trial);
        if (synopsis->collect(state, &rng, true) != LDP_OK)
            out_of_memory();
        for (enum ldp_stage stage = LDP_NOISY; stage <= LDP_EXACT; stage++)
            synopsis->answer(state, stage, room.answer[stage]);
        if (trial == 0 && synopsis->facts)
            synopsis->facts(state, &candidate->facts);
        const double sse = distance(room.answer[LDP_NOISY], room.truth, answers) / sets;

        candidate->trials++;
        candidate->value[trial] = sse;
        candidate->sse += sse;
        candidate->noise += distance(room.answer[LDP_NOISY], room.answer[LDP_SAMPLED], answers) / sets;
        candidate->sampling += distance(room.answer[LDP_SAMPLED], room.answer[LDP_EXACT], answers) / sets;
        candidate->reconstruction += distance(room.answer[LDP_EXACT], room.truth, answers) / sets;
    }
    candidate->facts.set = NULL;
    synopsis->close(state);
}

static double mean_of(const struct marginals_candidate *candidate)
{
    return candidate->trials > 0 ? candidate->sse / candidate->trials : INFINITY;
}

/* A number of trials of all candidates, or of those that are near the best. */
static void try_all(struct marginals_advice *advice, const struct ldp_workload *workload, const double *truth,
                    uint64_t from, uint64_t to)
{
    const size_t answers = workload->first[workload->nsets];
    double best = INFINITY;

    for (size_t i = 0; i < advice->count; i++)
        best = mean_of(&advice->candidate[i]) < best ? mean_of(&advice->candidate[i]) : best;
#pragma omp parallel for schedule(dynamic) num_threads(advice->request->threads)
    for (size_t i = 0; i < advice->count; i++) {
        struct trial_room room = {.workload = *workload, .truth = truth};
        double *all = xmalloc((LDP_EXACT + 1) * answers + 1, sizeof *all);

        for (int stage = 0; stage <= LDP_EXACT; stage++)
            room.answer[stage] = all + (size_t)stage * answers;
        if (from == 0 || (advice->candidate[i].suits && mean_of(&advice->candidate[i]) <= FAR * best))
            try_candidate(&advice->candidate[i], room, advice->request->seed, from, to);
        free(all);
    }
}

static int by_error(const void *a, const void *b)
{
    const double x = mean_of(a), y = mean_of(b);

    return (x > y) - (x < y);
}

static int rank(struct marginals_advice *advice, struct failure *failure)
{
    const struct marginals_request *const request = advice->request;
    const struct ldp_records *const records = advice->dataset->records->records;
    double cells = 0;

    if (threads_check(request->threads, failure) != 0)
        return -1;
    size_t *const first = xcalloc(advice->nsets + 1, sizeof *first);
    for (size_t i = 0; i < advice->nsets; i++) {
        cells += ldp_set_cells(&advice->sets[i], records->cardinality);
        if (cells > LDP_TABLE_CELLS_MAX) {
            free(first);
            return fail(failure, EXIT_BAD_INPUT, "recommend: expected marginals of at most %d cells together, got more",
                        LDP_TABLE_CELLS_MAX);
        }
        first[i + 1] = (size_t)cells;
    }
    uint64_t *const counts = xmalloc((size_t)cells + 1, sizeof *counts);
    double *const truth = xmalloc((size_t)cells + 1, sizeof *truth);
    advice->candidate = xcalloc(CANDIDATES_MAX, sizeof *advice->candidate);
    const struct ldp_workload workload = {.records = records,
                                          .epsilon = request->epsilon,
                                          .mode = LDP_COUNTS,
                                          .sets = advice->sets,
                                          .nsets = advice->nsets,
                                          .first = first};
    const uint64_t few = request->trials < FIRST_TRIALS ? request->trials : FIRST_TRIALS;

    if (ldp_records_tables(records, advice->sets, advice->nsets, first, counts) != LDP_OK)
        out_of_memory();
    for (size_t c = 0; c < first[advice->nsets]; c++)
        truth[c] = (double)counts[c] / (double)records->n;
    list_candidates(advice);
    try_all(advice, &workload, truth, 0, few);
    try_all(advice, &workload, truth, few, request->trials);
    qsort(advice->candidate, advice->count, sizeof *advice->candidate, by_error);
    free(first);
    free(counts);
    free(truth);
    return 0;
}

static int run(int argc, char **argv)
{
    struct marginals_request *const request = xmalloc(sizeof *request, 1);
    struct attribute_sets sets = {0};
    struct dataset *dataset = NULL;
    struct failure failure = NO_REASON;
    int result = request ? read_request(argc, argv, request, &failure) : fail_memory(&failure);
    struct marginals_advice advice = {.request = request};

    if (result == 0)
        result = load(request, &dataset, &failure);
    if (result == 0)
        result = choose_sets(request, dataset, &sets, &failure);
    advice.dataset = dataset;
    advice.sets = sets.set;
    advice.nsets = sets.count;
    if (result == 0)
        result = rank(&advice, &failure);
    if (result == 0)
        result = print_marginals_advice(&advice, &failure);
    for (size_t i = 0; i < advice.count; i++)
        free(advice.candidate[i].value);
    free(advice.candidate);
    free(sets.set);
    dataset_free(dataset);
    free(request);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

static bool is_records(const char *file)
{
    return text_ends_with(file, ".csv") || text_ends_with(file, ".csv.gz");
}

const struct recommender recommender_marginals = {
    .task = "marginals",
    .reads = is_records,
    .command =
        {
            .name = "recommend",
            .operands = "RECORDS.csv",
            .summary = "tell which synopsis, tables and oracle answer the marginals of records like these best",
            .about =
                "Simulates collections from the records of a file (a CSV with a header, as in configs), or from a "
                "chain of "
                "the given cardinalities, and ranks the synopses by their squared error on the marginals that are "
                "wanted: "
                "random ones of --k attributes, or those of --marginal. Synopses on tables are tried with the "
                "numbers of "
                "tables m and attributes l that they choose themselves, and with others.\n\n"
                "The error has three parts: noise; sampling, since each table is measured on one group of users; and "
                "reconstruction, for what no table holds. The last depends on the data: give records like those of "
                "the real users, and theirs only if you may see them.",
            .options = known_options,
            .takes = TAKES_FILES,
            .run = run,
        },
};

/* oracles.c - ldpbench oracles: what each oracle costs and protects, exactly, and which keep to limits. Nothing is
 * simulated but the reports of malicious users: the mean variance of an unbiased estimate is (s1 + tf / d) / n, of data
 * ldp_variance, of ranges of ordered values laws/interval.h. */
#include "commands/oracles.h"

#include "attacks/attack.h"
#include "commands/init.h"
#include "config/datasets.h"
#include "laws/interval.h"
#include "laws/optimum.h"
#include "numerics/numeric.h"
#include "privacy/shuffle.h"
#include "queries/set_size.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"
#include "support/tree.h"
#include "tasks/frequency.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOCAL = 20 };
static const double speed = 1e9; /* operations of the server in a second */

/* ---- What is asked ---- */

double delta_at(double delta, uint64_t n)
{
    return delta > 0 ? delta : ldp_pow((double)n, -1.5);
}

#define REQUEST struct oracles_request
static const struct command_option known_options[] = {
    {"epsilon", "E", POSITIVE(epsilon), "The privacy budget of each client."},
    {"d", "D", WHOLE(d, 2, VALUES_MAX), "The number of values. Default 1024, or that of DATA."},
    {"n", "N", USERS(n), "The number of users. Default that of DATA, as many as --error takes, or 1000000."},
    {"error", "E", BETWEEN(error, 1e-8, 1),
     "The largest standard error of a frequency. It is the root of the mean over all values of the squared error, "
     "before any post-processing. Tells how many users each oracle needs, and with --n the smallest epsilon that "
     "suffices."},
    {"bits", "B", POSITIVE(bits), "The bits that a report may have."},
    {"attack-at-most", "P", BETWEEN(attack, 1e-9, 1),
     "The most attack success. It is how often the best guess of a value from one report is right."},
    {"server-seconds", "S", POSITIVE(seconds), "Seconds that the server may take, at 1e9 operations a second."},
    {"central", "E", POSITIVE(central),
     "In place of --epsilon: that of all reports, shuffled. Each oracle's clients get the largest epsilon with this "
     "central epsilon."},
    {"delta", "D", LEVEL(delta), "The delta of the central epsilon. Default n^-1.5."},
    {"most", "E", POSITIVE(most), "With --central: the largest epsilon of clients. Default 20."},
    {"fraction", "F", BETWEEN(fraction, 1e-9, 0.9),
     "Share of malicious users, who push one value. They push it as far as reports can (attack mga). Oracles are then "
     "ordered by the error of that value, the root of its squared standard error plus its squared gain."},
    {"frontier", NULL, FLAG(frontier),
     "Who dominates each, and all best parameters by error and attack success. Also how many users a malicious report "
     "adds to a value (lift). The free parameter of each oracle goes in steps of 1 or 3 %, and each row has at least 1 % "
     "less attack success than the one before."},
    {"output", "DIR", FOLDER_OF(folder), "With --frontier and DATA: an experiment with its rows, and a picture.", 'o'},
    {"range", "PERCENT", BETWEEN(range, 0, 100),
     "Errors of ranges of so many percent of the values. The values are ordered, their frequencies uniform. Oracles "
     "that use the order are then considered too. Without --fraction."},
    {"oracle", "NAME", SEVERAL(chosen.oracle, oracle_names),
     "An oracle, several with commas between, also with parameters, 'olh(g=4)'. Default all: those that are private and "
     "unbiased."},
    OPTION_SHEET,
    {.name = NULL},
};

/* Sets d and n of the data, or their defaults. */
static int read_data(struct oracles_request *request, struct failure *failure)
{
    if (!request->data) {
        request->d = request->d > 0 ? request->d : 1024;
        request->n = request->n > 0 || request->error > 0 ? request->n : 1000000;
        return 0;
    }
    struct init_request data = {
        .data = request->data, .dataset = dataset_object("oracles", request->data, failure), .of_counts = true};
    if (data.dataset && request->n > 0) {
        cJSON_DeleteItemFromObject(data.dataset, "n");
        cJSON_AddNumberToObject(data.dataset, "n", (double)request->n);
    }
    request->object = data.dataset;
    const int result = data.dataset ? init_read(&data, "oracles", &request->dataset, failure) : -1;
    if (result != 0)
        return -1;
    const struct ldp_population *const population = request->dataset->population;
    if (!population)
        return fail(failure, EXIT_BAD_INPUT, "oracles: %s holds records: 'DATA(columns=NAME)' chooses one column",
                    SHOWN_PATH(request->data));
    if (request->d > 0 && request->d != population->d)
        return fail(failure, EXIT_BAD_INPUT, "--d: expected %zu, the values of %s, got %zu", population->d,
                    SHOWN_PATH(request->data), request->d);
    request->d = population->d;
    request->n = population->n;
    return 0;
}

static int read_request(int argc, char **argv, struct oracles_request *request, struct failure *failure)
{
    if (read_options(&command_oracles, argc, argv, request, failure) != 0)
        return -1;
    if (optind + 1 < argc)
        return fail(failure, EXIT_BAD_INPUT, "oracles: expected one set of data at most, got %s",
                    SHOWN(argv[optind + 1]));
    request->data = argv[optind];
    if ((request->epsilon > 0) == (request->central > 0))
        return fail(failure, EXIT_BAD_INPUT, "oracles: %s",
                    request->epsilon > 0 ? "expected either --epsilon or --central, got both"
                                         : "missing option --epsilon E, or --central E of shuffled reports");
    if (request->central > 0 && request->error > 0)
        return fail(failure, EXIT_BAD_INPUT, "oracles: expected no --error with --central, got both");
    if (request->folder && !(request->frontier && request->data && request->epsilon > 0 && request->range <= 0))
        return fail(failure, EXIT_BAD_INPUT, "oracles: expected DATA, --epsilon and --frontier with --output");
    if (read_data(request, failure) != 0)
        return -1;
    if (request->n == 1 && (request->central > 0 || request->delta > 0))
        return fail(failure, EXIT_BAD_INPUT, "--n: expected 2 users or more to shuffle, got 1");
    if (request->chosen.oracle.count == 0)
        texts_keep(&request->chosen.oracle, xstrdup("all"));
    request->chosen.ordered = request->range > 0;
    if (request->range > 0 && request->fraction > 0)
        return fail(failure, EXIT_BAD_INPUT, "oracles: expected no --fraction with --range, got both");
    const size_t starts = request->d - ldp_set_size(request->range, request->d) + 1;
    if (request->range > 0 && starts > LDP_RANGES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--range: expected at most %d ranges, got %zu of %g %% of %zu values",
                    LDP_RANGES_MAX, starts, request->range, request->d);
    if (algorithms_parse(&request->chosen, failure) != 0)
        return -1;
    for (size_t i = 0; i < request->chosen.oracles.count; i++)
        if (request->chosen.oracles.choice[i].spec.oracle->flags & LDP_ORACLE_NOT_PRIVATE)
            return fail(failure, EXIT_BAD_INPUT, "oracles: expected private oracles, got %s",
                        request->chosen.oracles.choice[i].label);
    return 0;
}

/* ---- What is known ---- */

enum { VALUES_AT_MOST = 1 << 16 }; /* the work of a set of d values takes 0.5 kB each */

/* The number of users times the mean variance of the totals of all ranges of so many percent of the values, of
 * unprocessed estimates, each value held by as many users. NAN where it is not known exactly or takes more than seconds
 * (interval.h, LDP_RANGES_MAX). */
static double range_variance(const struct ldp_protocol *protocol, double percent)
{
    const size_t d = protocol->d;
    if (d > VALUES_AT_MOST || protocol->flags & (LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED | LDP_ORACLE_SKETCH))
        return NAN;
    double *const f = xmalloc(d, sizeof *f);
    for (size_t v = 0; v < d; v++)
        f[v] = 1 / (double)d;
    void *const scratch = xmalloc(ldp_set_interval_bytes(d) + d * sizeof(uint32_t), 1);
    const double variance = ldp_range_variance(protocol, 0, f, ldp_set_size(percent, d), scratch);
    free(scratch);
    free(f);
    return variance;
}

/* The mean squared error of a value or range times the users. */
static double variance_of(const struct oracles_request *request, const struct ldp_protocol *protocol)
{
    if (request->range > 0)
        return range_variance(protocol, request->range);
    /* Values of a bin have one estimate, whose variance is no error of a value. */
    if (protocol->flags & LDP_ORACLE_BIASED && protocol->flags & LDP_ORACLE_ORDINAL)
        return NAN;
    return request->dataset ? frequency_mean_variance(protocol, request->dataset->population)
                            : protocol->s1 + protocol->tf / (double)protocol->d;
}

/* The least epsilon whose variance is at most so large, to 0.1 %. Between two that differ by a rounded parameter the
 * variance may go up: the answer is one that suffices, and a little less does not. */
static double least_epsilon(const struct oracles_request *request, const struct ldp_oracle_spec *spec, double variance)
{
    struct ldp_protocol protocol;
    double low = 0, high = request->epsilon;

    for (int i = 0; i < 60 && high - low > 1e-3 * high; i++) {
        const double middle = low > 0 ? sqrt(low * high) : high / 16;

        if (ldp_protocol_init(&protocol, spec, request->d, middle, NULL) == LDP_OK &&
            variance_of(request, &protocol) <= variance)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Users that one malicious report adds to the estimate of a value; INFINITY: nothing bounds it. */
static double gain_per_user_of(const struct ldp_protocol *protocol)
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

/* What the reports of so many users protect if they are shuffled. */
static void add_central(const struct oracles_request *request, const struct ldp_protocol *protocol, uint64_t users,
                        struct oracle_row *row)
{
    const double delta = delta_at(request->delta, users);
    const struct ldp_overlap overlap = ldp_overlap_of(protocol), generic = ldp_overlap_generic(protocol->epsilon);
    const struct ldp_bracket central = ldp_shuffle_epsilon(&overlap, users, delta);

    row->central = central.upper;
    row->central_lower = central.lower > 0 ? central.lower : (double)NAN;
    row->central_any = ldp_shuffle_epsilon(&generic, users, delta).upper;
    row->alpha = ldp_overlap_alpha(&overlap);
    row->mu = ldp_shuffle_mu(&overlap, users);
}

static void hold_to_limits(const struct oracles_request *request, const struct ldp_protocol *protocol,
                           struct oracle_row *row)
{
    const double available = request->n > 0 ? (double)request->n : INFINITY;
    struct ldp_cost cost = {NAN, NAN, NAN};

    if (protocol->oracle->cost)
        protocol->oracle->cost(protocol, &cost);
    row->users = request->error > 0 ? ceil(row->variance / (request->error * request->error)) : available;
    const double users = fmin(row->users, available);
    row->error = sqrt(row->variance / users);
    row->bits = cost.report_bits;
    row->operations = users * cost.report_operations + cost.collection_operations;
    row->seconds = row->operations / speed;
    const char *const broken[] = {row->users > available ? "users" : NULL, row->bits > request->bits ? "bits" : NULL,
                                  row->seconds > request->seconds ? "time" : NULL,
                                  isfinite(request->attack) && !(row->attack.success <= request->attack) ? "attack"
                                                                                                         : NULL};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        if (broken[i])
            snprintf(row->broken + strlen(row->broken), sizeof row->broken - strlen(row->broken), "%s%s",
                     *row->broken ? ", " : "", broken[i]);
    row->merit = row->variance;
    row->state = (double)protocol->state_bytes;
    row->range10 = row->name ? range_variance(protocol, 10) : (double)NAN;
    row->range40 = row->name ? range_variance(protocol, 40) : (double)NAN;
    if (!row->name)
        return;
    if (request->fraction > 0 || request->frontier)
        row->gain_per_user = gain_per_user_of(protocol);
    if (request->fraction > 0) {
        row->gain = request->fraction * row->gain_per_user;
        row->merit = row->variance / (isfinite(available) ? available : users) + row->gain * row->gain;
        row->attacked = sqrt(row->merit);
    }
    if (users >= 2 && users <= WHOLE_MAX)
        add_central(request, protocol, (uint64_t)users, row);
    if (!(protocol->flags & LDP_ORACLE_BIASED))
        row->deviation = sqrt(users * protocol->s1);
    if (request->error > 0 && request->n > 0 && row->users <= available)
        row->epsilon = least_epsilon(request, row->spec, request->error * request->error * available);
}

/* name NULL: of the frontier, for which error, cost and attack success are enough. */
static void find_row(const struct oracles_request *request, const struct ldp_oracle_spec *spec, const char *name,
                     struct oracle_row *row)
{
    const struct ldp_central central = {request->n, request->central, delta_at(request->delta, request->n)};
    struct ldp_protocol protocol;

    *row = (struct oracle_row){.spec = spec,
                               .name = name,
                               .epsilon = request->epsilon,
                               .gain_per_user = NAN,
                               .attack = {.success = NAN, .advantage = NAN, .error = NAN},
                               .gain = NAN,
                               .attacked = NAN,
                               .central = NAN,
                               .central_lower = NAN,
                               .central_any = NAN,
                               .alpha = NAN,
                               .mu = NAN,
                               .deviation = NAN};
    if ((request->central > 0 &&
         ldp_shuffle_local(spec, request->d, &central, request->most, &row->epsilon, &row->refused) != LDP_OK) ||
        ldp_protocol_init(&protocol, spec, request->d, row->epsilon, &row->refused) != LDP_OK)
        return;
    row->parameter = protocol.param[0];
    row->variance = variance_of(request, &protocol);
    row->over = request->range > 0 || isnan(row->variance) ? (double)NAN
                : request->dataset ? fmax(1, row->variance / ldp_optimum(protocol.d, protocol.epsilon))
                                   : ldp_over_optimum(&protocol);
    if (ldp_attack_success_of_counts(&protocol, request->dataset ? request->dataset->population->counts : NULL,
                                     &row->attack) == LDP_ENOMEM)
        out_of_memory();
    row->partial = isnan(row->variance)                                      ? "error not known"
                   : protocol.flags & LDP_ORACLE_BIASED                      ? "biased"
                   : protocol.flags & LDP_ORACLE_SKETCH && !request->dataset ? "+collisions"
                                                                             : NULL;
    hold_to_limits(request, &protocol, row);
}

/* ---- Which are better ---- */

/* Those that suit first, then those whose error is known, then those that keep the limits; then by merit, attack
 * success, bits and time. */
static int by_merit(const void *a, const void *b)
{
    const struct oracle_row *const x = a, *const y = b;
    const double order[][2] = {{*x->refused.text != 0, *y->refused.text != 0},
                               {x->partial != NULL, y->partial != NULL},
                               {!oracle_keeps(x), !oracle_keeps(y)},
                               {x->merit, y->merit},
                               {x->attack.success, y->attack.success},
                               {x->bits, y->bits},
                               {x->seconds, y->seconds}};

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (isinf(order[i][0]) != isinf(order[i][1]) ||
            fabs(order[i][0] - order[i][1]) > (i == 3 || i == 4 ? 1e-9 * order[i][0] : 0))
            return order[i][0] < order[i][1] ? -1 : 1;
    return (x->spec > y->spec) - (x->spec < y->spec);
}

/* Whether another one is nowhere worse in variance, bits, time, what malicious users gain and what a report tells, and
 * somewhere better; what is simulated by two standard errors. */
static bool dominates(const struct oracle_row *x, const struct oracle_row *y)
{
    const double noise = 2 * hypot(x->attack.error, y->attack.error);
    const double of[][4] = {
        {x->variance, y->variance, 1e-9},
        {x->bits, y->bits},
        {x->seconds, y->seconds},
        {isnan(x->gain_per_user) ? 0 : x->gain_per_user, isnan(y->gain_per_user) ? 0 : y->gain_per_user, 1e-9},
        {x->attack.success, y->attack.success, 1e-9, noise}};
    bool better = false;

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if ((of[i][0] - of[i][3]) * (1 - of[i][2]) > of[i][1])
            return false;
        better |= of[i][0] + of[i][3] < of[i][1] * (1 - of[i][2]);
    }
    return better;
}

static void find_rows(const struct oracles_request *request, struct oracle_rows *rows)
{
    rows->listed = request->chosen.oracles.count;
    rows->row = xcalloc(rows->listed, sizeof *rows->row);
    for (size_t i = 0; i < rows->listed; i++)
        find_row(request, &request->chosen.oracles.choice[i].spec, request->chosen.oracles.choice[i].label,
                 &rows->row[i]);
    qsort(rows->row, rows->listed, sizeof *rows->row, by_merit);
    while (rows->count < rows->listed && !*rows->row[rows->count].refused.text)
        rows->count++;
    for (size_t i = 0; i < rows->count && !rows->row[i].partial; i++) {
        struct oracle_row *const row = &rows->row[i];

        for (size_t j = 0; j < rows->count && !rows->row[j].partial && !row->dominated; j++)
            row->dominated = dominates(&rows->row[j], row) ? rows->row[j].name : NULL;
        if (!rows->unlimited || row->merit < rows->unlimited->merit)
            rows->unlimited = row;
    }
}

/* ---- The frontier of error and attack success ---- */

/* Adds an oracle with all parameters that are to be tried, unless the first was given. */
static void add_candidates(const struct oracles_request *request, const struct oracle_choice *choice,
                           struct oracle_rows *frontier)
{
    struct ldp_oracle_spec spec = choice->spec;
    struct oracle_row row;
    double usual = NAN;
    bool suits;
    do {
        find_row(request, &spec, NULL, &row);
        suits = !*row.refused.text;
        if (suits && (isnan(spec.param[0]) || spec.param[0] != usual) && !row.partial && oracle_keeps(&row) &&
            row.attack.success > 0) {
            row.spec = &choice->spec;
            row.name = texts_keep(&frontier->names, oracle_text(&spec, false));
            frontier->row = xrealloc(frontier->row, frontier->count + 1, sizeof row);
            frontier->row[frontier->count++] = row;
        }
        usual = suits && isnan(spec.param[0]) ? row.parameter : usual;
    } while (isnan(choice->spec.param[0]) && ldp_grid_next(&spec, suits, request->d, request->epsilon));
}

/* Keeps those whose attack success is by 1 % less, and by more than chance, than that of all with a smaller error. */
static void find_frontier(const struct oracles_request *request, struct oracle_rows *frontier)
{
    double least = INFINITY;
    size_t kept = 0;
    for (size_t i = 0; i < request->chosen.oracles.count; i++)
        add_candidates(request, &request->chosen.oracles.choice[i], frontier);
    if (frontier->count > 0)
        qsort(frontier->row, frontier->count, sizeof *frontier->row, by_merit);
    for (size_t i = 0; i < frontier->count; i++) {
        const struct ldp_attack_success *const attack = &frontier->row[i].attack;
        if (attack->success + 2 * attack->error < 0.99 * least) {
            least = attack->success + 2 * attack->error;
            frontier->row[kept++] = frontier->row[i];
        }
    }
    frontier->count = kept;
}

/* Runs a config of the frontier, and draws it. */
static int write_frontier(const struct oracles_request *request, const struct oracle_rows *frontier,
                          struct failure *failure)
{
    cJSON *const config = cJSON_Parse(
        "{\"seed\": 1, \"repetitions\": 1, \"methods\": [\"base\"], \"queries\": [\"full_domain\"],"
        " \"outputs\": [\"oracles\"], \"datasets\": [], \"oracles\": [], \"pictures\": [{\"picture\": \"oracles-tradeoff\","
        " \"leave_out\": [\"advantage\", \"report_bits\", \"server_operations\", \"state_bytes\"]}]}");
    char *folder = xstrdup(request->folder);
    int result = 0;
    json_add(config, "name=%s epsilon=%g", "frontier", request->epsilon);
    cJSON_AddItemToArray(cJSON_GetObjectItem(config, "datasets"), cJSON_Duplicate(request->object, true));
    for (size_t i = 0; result == 0 && i < frontier->count; i++)
        result = element_add(cJSON_GetObjectItem(config, "oracles"), "--oracle", frontier->row[i].name, &oracle_kind,
                             failure);
    if (result == 0 && (result = run_made("oracles", config, folder, false, 1, failure)) == 0)
        result = draw_folders(&folder, 1, failure);
    free(folder);
    cJSON_Delete(config);
    return result;
}

static int run(int argc, char **argv, struct failure *failure)
{
    static struct oracles_request request = {
        .most = MOST_LOCAL, .bits = INFINITY, .seconds = INFINITY, .attack = INFINITY};
    struct oracle_rows rows = {0}, frontier = {0};
    int result = read_request(argc, argv, &request, failure);

    if (result == 0)
        find_rows(&request, &rows);
    if (result == 0 && rows.count == 0)
        result = fail(failure, EXIT_BAD_INPUT, "oracles: oracle %s: %s", rows.row[0].name, rows.row[0].refused.text);
    if (result == 0 && request.frontier)
        find_frontier(&request, &frontier);
    if (result == 0 && request.folder)
        result = frontier.count > 0 ? write_frontier(&request, &frontier, failure)
                                    : fail(failure, EXIT_BAD_INPUT, "--output: no oracle meets the limits");
    if (result == 0)
        oracles_print(&request, &rows, &frontier);
    cJSON_Delete(request.object);
    dataset_free(request.dataset);
    algorithms_free(&request.chosen);
    texts_clear(&frontier.names);
    free(frontier.row);
    free(rows.row);
    return result;
}

const struct command command_oracles = {
    .name = "oracles",
    .operands = "[DATA]",
    .summary = "exact cost and privacy of each oracle; which meet your limits",
    .examples = {"oracles --d 1024 --epsilon 1 --n 1e6", "oracles --d 9 --epsilon 1 --error 0.01 --bits 16"},
    .about =
        "A table of oracles: standard error of a frequency and how far its square is above the smallest possible, bits "
        "of a report, operations of the server, central epsilon of all reports shuffled, what malicious users gain, "
        "and how many users an error takes. Nothing is simulated: variances of unbiased estimates are known exactly. "
        "An oracle is Pareto-optimal if no other is as good in error, bits, work and attack success, and better in one. DATA is a file "
        "or a distribution such as 'zipf(s=1.5,d=1024,n=1e6)': variances that depend on the counts are then those of "
        "the data.\n\n"
        "A shuffler mixes the reports of all users, so that nobody sees who sent which. What an observer then learns "
        "of one user is bounded by a central epsilon, except for a probability delta. The upper value is that of the "
        "privacy blanket for the oracle's own distribution of reports, the lower one that of the worst collections "
        "known; \"any client\" is the bound for a client of which only epsilon is known, and is used for oracles whose "
        "distribution is not known (she, bloom). With --central oracles are compared at equal central privacy.",
    .options = known_options,
    .names = dataset_type_names,
    .takes = TAKES_FILES,
    .run = run,
};

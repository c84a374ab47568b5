/* advise.c - ldpbench advise: what to use for one's own data, and how wrong its answers will be. Writes the config that
 * init would, with all candidates; runs it as run does; judges it as report does. The folder can be kept: report, plot
 * and run --until-decided go on from it.
 *
 * Here are the data and the experiments: a config and its folder, run and judged; successive halving of what is slow
 * (Karnin, Koren, Somekh, ICML 2013), with more repetitions of those that are left; how much an error takes. What is
 * asked of each kind of data is in advise_answers.c, what is tried in advise_candidates.c. */
#include "commands/advise.h"

#include "records.h"
#include "support/files.h"
#include "support/limits.h"
#include "support/numbers.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options ---- */

#define REQUEST struct advise
static const struct command_option known_options[] = {
    {"epsilon", "E", POSITIVE(epsilon), "The privacy budget of a user."},
    {"error", "E", LEVEL(error),
     "The largest error, as a share of the users. 0.01 is one percentage point. Without --epsilon the smallest "
     "epsilon is found that reaches it, with it the smallest number of users."},
    {"n", "N", USERS(n), "Users, to whom the data are scaled. Default: those of the data."},
    {"supports", "ORACLE", NAME_OF(supports, oracle_names),
     "DATA is a collection by this oracle from --n users. Its lines are value TAB support. The oracle is a name, or "
     "an object as in a config."},
    {"query", "NAME[=POINTS|=FILE]", SEVERAL(init.queries, query_names),
     "A query that matters. full_domain, set_value=10,50, top_k=32, fixed_sets=FILE, of numbers range=10, "
     "quantile=50. Default: as init."},
    {"oracle", "NAME", SEVERAL(oracles, oracle_names),
     "An oracle to try. Several with commas between, all, or an object as in a config. Default: grr, ss, olh and "
     "the one with the lowest variance within --bits; of numbers all that use their order; of supports theirs."},
    {"method", "NAME", SEVERAL(methods, method_names),
     "A method to try, or a FILE with your method. Several with commas between, all, an object; a FILE is a "
     "script FILE.py, or a program that answers over pipes (docs/compare.md). Default, and next to files: all."},
    {"protocol", "NAME", SEVERAL(protocols, search_names), "Strings: a protocol to try. Default: all."},
    {"synopsis", "NAME", SEVERAL(synopses, synopsis_names),
     "Records: a synopsis to try. Default: all that are not slow."},
    {"top", "K", WHOLE(top, 1, 1 << 18), "Strings: the K most frequent are to be found. Default 10."},
    {"k", "K", SEVERAL(k, NULL), "Records: random groups of K columns. Default 2 and 3."},
    {"marginal", "A+B", SEVERAL(marginals, NULL), "Records: a group of columns, in place of random ones."},
    {"bits", "B", POSITIVE(bits), "The most bits of a report."},
    {"attack-at-most", "P", LEVEL(attack), "Values: the most attack success, as oracles has it."},
    {"seconds", "S", POSITIVE(seconds),
     "Strings: the most seconds that a search may take. Of clients and server together, on this machine."},
    {"trials", "N", WHOLE(trials, 2, TRIALS_MAX),
     "Simulated collections of each candidate. Of strings and records: of those that are best. Default: 20 of these, "
     "of supports 100 in all worlds together, else 30 to 2000 by the number of values."},
    {"seed", "N", SEED(seed), "Seed of the simulation. Default 1."},
    OPTION_THREADS(threads),
    {"output", "DIR", FOLDER_OF(folder),
     "Keep the experiment in this folder. A second call goes on where an interrupted one stopped.", 'o'},
    OPTION_SHEET,
    {.name = NULL},
};

static int read_request(int argc, char **argv, struct advise *advise, struct failure *failure)
{
    if (read_options(&command_advise, argc, argv, advise, failure) != 0)
        return -1;
    if (argc - optind != 1)
        return fail(failure, EXIT_BAD_INPUT, "advise: expected one file of data or a distribution, got %d",
                    argc - optind);
    if (strcmp(argv[optind], "-") == 0)
        return fail(failure, EXIT_BAD_INPUT, "advise: expected a file that can be read again, got standard input");
    if (advise->epsilon == 0 && advise->error == 0)
        return fail(failure, EXIT_BAD_INPUT, "advise: missing option --epsilon E, or --error E to find it");
    if (advise->supports && (advise->n == 0 || advise->epsilon == 0 || advise->error > 0))
        return fail(failure, EXIT_BAD_INPUT, "--supports: expected --epsilon and --n of the collection%s",
                    advise->error > 0 ? ", and no --error" : "");
    advise->init.data = argv[optind];
    advise->init.of_counts = advise->init.queries.count > 0 || advise->methods.count > 0;
    return 0;
}

/* ---- data ---- */

/* Names the columns that do not name users, and says which are left out. */
static int skip_identifiers(struct advise *advise, struct failure *failure)
{
    struct init_request *const init = &advise->init;
    const char *const file = dataset_object_file(init->dataset);
    struct dataset *dataset = NULL;
    struct buffer others = {0};

    if (!file || !dataset_type_of_file(file)->cells || cJSON_HasObjectItem(init->dataset, "columns"))
        return 0;
    if (dataset_object_read("advise", init->dataset, true, &dataset, failure) != 0)
        return -1;
    const struct dataset_records *const records = dataset->records;
    for (size_t i = 0; records && i < records->records->d; i++) /* none: the type is given, and another */
        if (records->names_users && records->names_users[i])
            texts_keep(&advise->left_out, xstrdup(records->names[i]));
        else
            buffer_format(&others, "%s%s", others.length > 0 ? ", " : "", records->names[i]);
    if (advise->left_out.count > 0 && others.length > 0)
        json_add(init->dataset, "columns=%s", others.text);
    buffer_clear(&others);
    dataset_free(dataset);
    return 0;
}

/* Options of other kinds of data are mistakes. */
static int check_kind(const struct advise *advise, struct failure *failure)
{
    static const struct {
        const char *option;
        enum dataset_kind kind;
    } of[] = {{"seconds", DATASET_STRINGS},
              {"protocol", DATASET_STRINGS},
              {"synopsis", DATASET_RECORDS},
              {"marginal", DATASET_RECORDS},
              {"k", DATASET_RECORDS}};

    if (advise->attack > 0 && (advise->init.kind != DATASET_COUNTS || advise->epsilon == 0 || advise->supports))
        return fail(failure, EXIT_BAD_INPUT, "--attack-at-most: expected values with counts, and --epsilon");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (option_given(&command_advise, of[i].option) && advise->init.kind != of[i].kind)
            return fail(failure, EXIT_BAD_INPUT, "--%s: expected %s, got %s", of[i].option,
                        of[i].kind == DATASET_STRINGS ? "strings" : "records of several columns",
                        SHOWN_PATH(advise->init.data));
    return 0;
}

int advise_whole_path(cJSON *object, const char *beside, struct failure *failure)
{
    const char *const file = dataset_object_file(object);
    char *const found = file ? dataset_find_file(file, beside, failure) : NULL, *const whole =
                                                                                    found ? real_path(found) : NULL;

    if (whole)
        cJSON_ReplaceItemInObject(object, "file", cJSON_CreateString(whole));
    free(found);
    free(whole);
    return file && !whole ? -1 : 0;
}

static int read_data(struct advise *advise, struct failure *failure)
{
    struct init_request *const init = &advise->init;

    if (advise->supports) {
        if (supports_read(init->data, false, &advise->collection, failure) != 0)
            return -1;
        init->d = init->most_values = advise->collection.values.count;
        init->n = advise->n;
        return 0;
    }
    init->dataset = dataset_object("advise", init->data, failure);
    if (!init->dataset || skip_identifiers(advise, failure) != 0 ||
        init_read(init, "advise", &advise->dataset, failure) != 0 ||
        advise_whole_path(init->dataset, NULL, failure) != 0)
        return -1;
    if (dataset_object_file(init->dataset))
        init->data = dataset_object_file(init->dataset);
    init->n = advise->n > 0 ? advise->n : init->n;
    return 0;
}

/* ---- one experiment ---- */

enum { FEW = 3, FINALISTS = 8 };
static const double far = 1.5; /* of the best's error: beyond it nothing goes on, but for shares, of which few
                                  repetitions may be all right */

static void close_results(struct part *part)
{
    decisions_clear(&part->made);
    report_close(&part->report);
    part->report = (struct report){0};
}

int part_judge(const struct advise *advise, struct part *part, struct failure *failure)
{
    close_results(part);
    if (run_made("advise", part->config, part->folder, !advise->kept, advise->threads, failure) != 0 ||
        report_open(&part->report, &part->folder, 1, failure) != 0)
        return -1;
    return decisions_find(part->report.folder[0].results, 0.05, part->report.styles, 1, advise->supports, &part->made,
                          failure);
}

void part_close(struct part *part)
{
    close_results(part);
    cJSON_Delete(part->config);
    free(part->folder);
    *part = (struct part){0};
}

void part_set_number(cJSON *config, const char *key, double value)
{
    cJSON_ReplaceItemInObject(config, key, cJSON_CreateNumber(value));
}

void part_set_users(cJSON *config, const double *n, int count)
{
    cJSON *dataset;

    cJSON_ArrayForEach(dataset, cJSON_GetObjectItem(config, "datasets"))
    {
        cJSON_DeleteItemFromObject(dataset, "n");
        cJSON_AddItemToObject(dataset, "n", count == 1 ? cJSON_CreateNumber(*n) : cJSON_CreateDoubleArray(n, count));
    }
}

double part_users(const struct part *part, double n)
{
    return fmax(2, floor(n / fmax(1, (double)part->questions)));
}

/* Collections of a candidate: as many as take seconds. Of supports a third for each kind of one world, and for each
 * world of the others. */
static double trials_of(const struct advise *advise, enum dataset_kind kind)
{
    const bool few = advise->init.most_values < 100 && advise->init.kind == DATASET_COUNTS && !advise->init.ordered;
    const double usual = kind != DATASET_COUNTS            ? 20
                         : advise->supports                ? (advise->init.most_values < 10000 ? 100 : 30)
                         : few                             ? 2000
                         : advise->init.most_values < 1000 ? 300
                                                           : 30,
                 trials = advise->trials > 0 ? (double)advise->trials : usual;

    return advise->supports ? ceil(trials / 3) : trials;
}

cJSON *advise_config(const struct advise *advise, enum dataset_kind kind)
{
    static const char *const usual[] = {"full_domain", "max_error"};
    struct init_request request = advise->init;
    char *const name = init_name(
        dataset_object_file(request.dataset) || advise->supports ? request.data : advise->dataset->type->name);

    request.kind = kind;
    cJSON *const config = init_config(&request, name);
    if (advise->init.kind == DATASET_RECORDS && request.queries.count == 0)
        cJSON_ReplaceItemInObject(config, "queries", cJSON_CreateStringArray(usual, 2));
    part_set_number(config, "seed", (double)advise->seed);
    part_set_number(config, "epsilon", advise->epsilon);
    part_set_number(config, "repetitions", trials_of(advise, kind));
    const double n = (double)advise->init.n;
    if (n > 0 && !advise->supports && (advise->n > 0 || advise->finds_users))
        part_set_users(config, &n, 1);
    free(name);
    return config;
}

struct part part_new(const struct advise *advise, const char *below, cJSON *config)
{
    return (struct part){.folder = xformat("%s%s%s", advise->folder, *below ? "/" : "", below), .config = config};
}

/* ---- successive halving ---- */

/* How near a candidate of the list is to the best, where it is the nearest. */
static double nearest(const struct decisions *made, const cJSON *item)
{
    const cJSON *const label = cJSON_GetObjectItem(item, "label");
    const char *const name = cJSON_GetStringValue(label ? label : cJSON_GetObjectItem(item, "name"));
    double least = INFINITY;

    for (size_t b = 0; b < made->count; b++)
        for (size_t i = 0; i < made->block[b].candidates; i++)
            for (size_t c = 0; c < made->block[b].cells; c++) {
                const struct decided *const block = &made->block[b];
                const struct candidate_result *const at = &block->decision.at[c * block->candidates + i];
                if (strcmp(block->candidate[i].method, name) == 0 && at->measured && at->ratio < least)
                    least = at->ratio;
            }
    return least;
}

/* Leaves the better half in the config, no fewer than the finalists, of those that are not far from the best. */
static void halve(struct part *part)
{
    cJSON *const list = cJSON_GetObjectItem(part->config, part->list), *const kept = cJSON_CreateArray();
    const int count = cJSON_GetArraySize(list), half = count / 2 > FINALISTS ? count / 2 : FINALISTS;
    const bool shares = part->made.count > 0 && part->made.block[0].measure->unit == LDP_UNIT_WRONG;

    for (int i = 0; i < half && list->child; i++) {
        cJSON *item, *next = list->child;
        cJSON_ArrayForEach(item, list) if (nearest(&part->made, item) < nearest(&part->made, next)) next = item;
        if (i >= 2 && !shares && nearest(&part->made, next) > far)
            break;
        cJSON_AddItemToArray(kept, cJSON_DetachItemViaPointer(list, next));
    }
    cJSON_ReplaceItemInObject(part->config, part->list, kept);
}

static int halve_until_few(const struct advise *advise, struct part *part, struct failure *failure)
{
    const double trials = cJSON_GetObjectItem(part->config, "repetitions")->valuedouble;

    for (double now = fmin(FEW, trials);;) {
        part_set_number(part->config, "repetitions", now);
        if (part_judge(advise, part, failure) != 0)
            return -1;
        if (now == trials)
            return 0;
        halve(part);
        const int left = cJSON_GetArraySize(cJSON_GetObjectItem(part->config, part->list));
        now = left > FINALISTS && 3 * now < trials ? 3 * now : trials;
    }
}

/* ---- how much it takes ---- */

/* The largest error of what is taken in the first query, as a share, at a number of users or an epsilon. */
static double largest_error(const struct part *part, enum column_part key, double x)
{
    const struct decided *const first = part->made.block;
    double largest = 0;

    for (size_t b = 0; b < part->made.count && part->made.block[b].table == first->table; b++)
        for (size_t c = 0; c < part->made.block[b].cells; c++) {
            const struct decided *const block = &part->made.block[b];
            const size_t row = block_taken_row(block, c);
            if (row != SIZE_MAX && strtod(row_key(block->table, row, key), NULL) == x &&
                strcmp(row_key(block->table, row, PART_QUERY), row_key(first->table, *first->row, PART_QUERY)) == 0)
                largest = fmax(largest, block->error[c * block->candidates + block->decision.taken[c]] / 100);
        }
    return largest;
}

/* Runs the part at x, an epsilon or a number of users, and beside at what was run before, as a folder belongs to
 * experiments that share cells; before 0: there is none. */
static int error_at(struct advise *advise, struct part *part, double x, double before, double *error,
                    struct failure *failure)
{
    const bool users = advise->finds_users;
    const double points[] = {users ? part_users(part, x) : x, users ? part_users(part, before) : before};
    const int count = before > 0 && before != x ? 2 : 1;

    if (users) {
        advise->init.n = (uint64_t)x;
        part_set_users(part->config, points, count);
    } else {
        advise->epsilon = x;
        cJSON_ReplaceItemInObject(part->config, "epsilon", cJSON_CreateDoubleArray(points, count));
    }
    if (part_judge(advise, part, failure) != 0)
        return -1;
    *error = largest_error(part, users ? PART_USERS : PART_BUDGET, points[0]);
    return 0;
}

/* The least epsilon, or number of users, that has the error: between powers of 2, then by the power law between the
 * ends. */
static int solve(struct advise *advise, struct part *part, struct failure *failure)
{
    enum { STEPS = 6 };
    const double requested = advise->error, least = advise->finds_users ? 128 : 1.0 / 64,
                 most = advise->finds_users ? 0x1p40 : 16;
    double low = 0, high = 0, error_low = 0, error_high = 0, x = advise->finds_users ? 0x1p14 : 1, before = 0, error;
    char text[NUMBER_TEXT];

    for (int step = 0; step < STEPS;) {
        if (error_at(advise, part, x, before, &error, failure) != 0)
            return -1;
        before = x;
        *(error > requested ? &low : &high) = x;
        *(error > requested ? &error_low : &error_high) = error;
        if (error > requested && x >= most)
            return fail(failure, EXIT_BAD_INPUT, "--error: expected at least %.3g, which %s = %g has, got %g", error,
                        advise->finds_users ? "n" : "epsilon", x, requested);
        if (error <= requested && x <= least)
            break;
        if (low == 0 || high == 0) {
            x = error > requested ? 2 * x : x / 2;
            continue;
        }
        step++;
        x = low * pow(error_low / requested, log(high / low) / log(error_low / error_high));
        const double unit = pow(10, floor(log10(x)) - 2); /* rounded up to three digits, which configs hold exactly */
        snprintf(text, sizeof text, "%.3g", unit * ceil(x / unit - 1e-6));
        x = strtod(text, NULL);
        if (!(x > low && x < high) || high < 1.01 * low)
            break;
    }
    return error_at(advise, part, high, 0, &error, failure);
}

int advise_judge(struct advise *advise, struct part *part,
                 int (*add)(struct advise *advise, cJSON *config, struct failure *failure), struct failure *failure)
{
    if (advise_oracles(advise, part->config, failure) != 0 || add(advise, part->config, failure) != 0)
        return -1;
    if (advise->error > 0 && !part->follows)
        return solve(advise, part, failure);
    return part->list ? halve_until_few(advise, part, failure) : part_judge(advise, part, failure);
}

/* ---- the command ---- */

/* A folder that goes with this process, however it ends: a shell waits for the end of its input, and removes it. */
static FILE *make_passing(struct advise *advise, struct failure *failure)
{
    const char *const temporary = getenv("TMPDIR");
    char *const path = xformat("%s/ldpbench-XXXXXX", temporary && *temporary ? temporary : "/tmp");

    advise->folder = path;
    FILE *const remover = mkdtemp(path) ? popen("trap '' HUP INT QUIT TERM; IFS= read -r folder; cat >/dev/null; "
                                                "exec rm -rf -- \"$folder\"",
                                                "we")
                                        : NULL;
    if (remover && fprintf(remover, "%s\n", path) > 0 && fflush(remover) == 0)
        return remover;
    rmdir(path);
    fail(failure, EXIT_MACHINE, "advise: cannot make a folder in %s", SHOWN_PATH(path));
    return NULL;
}

static int run(int argc, char **argv, struct failure *failure)
{
    static struct advise advise = {.seed = 1, .top = 10};
    FILE *remover = NULL;

    advise.threads = omp_get_max_threads();
    int result = read_request(argc, argv, &advise, failure);
    advise.kept = advise.folder != NULL;
    if (result == 0 && !advise.kept)
        result = (remover = make_passing(&advise, failure)) ? 0 : -1;
    if (result == 0 && (result = read_data(&advise, failure)) == 0 && (result = check_kind(&advise, failure)) == 0) {
        advise.finds_users = advise.error > 0 && advise.epsilon > 0;
        advise.epsilon = advise.epsilon > 0 ? advise.epsilon : 1;
        result = advise_answer(&advise, failure);
    }
    if (remover)
        pclose(remover);
    dataset_free(advise.dataset);
    supports_clear(&advise.collection);
    algorithms_clear(&oracle_kind, &advise.tried.list);
    cJSON_Delete(advise.init.dataset);
    texts_clear(&advise.left_out);
    return result;
}

const struct command command_advise = {
    .name = "advise",
    .operands = "DATA",
    .summary = "what to use for data like these, and how wrong the answers will be",
    .examples = {"advise survey.csv --epsilon 1", "advise supports.tsv --supports olh --epsilon 1 --n 20000"},
    .about =
        "Simulates collections from DATA, a file of any kind that init reads or a distribution such as "
        "'zipf(s=1.1,d=100,n=1e5)', with all candidates, and says for each query what to take, its error in percentage "
        "points of users, what is as good and what the others cost. Of a table of records it answers for every column, "
        "each user answering one question with the whole epsilon, and for pairs and triples of columns. Of strings it "
        "names the protocol that finds the most frequent.\n\n"
        "Data of a collection that was made already: --supports ORACLE. Which method suits support counts is less "
        "certain than which suits counts; the answer says how certain.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

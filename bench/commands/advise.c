/* advise.c - ldpbench advise: what to use for one's own data, and how wrong its answers will be. Writes the config that
 * init would, with all candidates; runs it as run does; judges it as report does. The folder can be kept: report, plot
 * and run --until-decided go on from it.
 *
 * Data that are known are the world that collections are simulated from; supports of a collection come from several
 * worlds (advise_worlds.c). A table of records is asked column by column and, in a second experiment, for pairs and
 * triples of columns. Protocols and synopses race (advise_candidates.c); what won is measured again from other streams,
 * as the numbers that it was chosen by are a little too good. */
#define _GNU_SOURCE /* pipe2 */
#include "commands/advise.h"

#include "commands/commands.h"
#include "records.h"
#include "support/files.h"
#include "support/limits.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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
    for (size_t i = 0; i < records->records->d; i++)
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

static int read_data(struct advise *advise, struct failure *failure)
{
    struct init_request *const init = &advise->init;

    if (advise->supports) {
        if (supports_read(init->data, false, &advise->collection, failure) != 0)
            return -1;
        init->d = advise->most_values = advise->collection.d;
        init->n = advise->n;
    } else {
        init->dataset = dataset_object("advise", init->data, failure);
        if (!init->dataset || skip_identifiers(advise, failure) != 0 ||
            init_read(init, "advise", &advise->dataset, failure) != 0)
            return -1;
        init->n = advise->n > 0 ? advise->n : init->n;
        advise->most_values = init->d;
        for (size_t i = 0; init->kind == DATASET_RECORDS && i < init->d; i++) {
            const uint32_t values = advise->dataset->records->records->cardinality[i];
            advise->most_values = i == 0 || values > advise->most_values ? values : advise->most_values;
        }
    }
    if (!advise->supports && dataset_object_file(init->dataset)) {
        char *const found = dataset_find_file(init->data, NULL, failure), *const whole =
                                                                              found ? real_path(found) : NULL;
        free(found);
        if (!whole)
            return -1;
        init->data = texts_keep(&advise->texts, whole);
        cJSON_ReplaceItemInObject(init->dataset, "file", cJSON_CreateString(whole));
    }
    return check_kind(advise, failure);
}

/* ---- what won, again ---- */

/* A config of the candidates that are taken somewhere. */
static cJSON *winners(const struct part *part)
{
    cJSON *const config = cJSON_Duplicate(part->config, true), *const kept = cJSON_CreateArray();
    const cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItem(part->config, part->list))
    {
        const char *const label = cJSON_GetStringValue(cJSON_GetObjectItem(item, "label"));
        bool taken = false;
        for (size_t b = 0; label && b < part->made.count; b++)
            for (size_t c = 0; c < part->made.block[b].cells; c++) {
                const size_t one = part->made.block[b].decision.taken[c];
                taken |= one != SIZE_MAX && strcmp(part->made.block[b].candidate[one].method, label) == 0;
            }
        if (taken)
            cJSON_AddItemToArray(kept, cJSON_Duplicate(item, true));
    }
    cJSON_ReplaceItemInObject(config, part->list, kept);
    return config;
}

static int judge_again(const struct advise *advise, const struct part *part, struct part *again,
                       struct failure *failure)
{
    *again = (struct part){.folder = xformat("%s/again", part->folder), .config = winners(part)};
    part_set_number(again->config, "seed", (double)((advise->seed + 1) % (uint64_t)WHOLE_MAX));
    if (advise->init.kind == DATASET_RECORDS)
        cJSON_AddItemToObject(again->config, "outputs",
                              cJSON_CreateStringArray((const char *const[]){"marginals", "parts"}, 2));
    return part_judge(advise, again, failure);
}

/* The time of a search by reports, of fewer users. */
static int judge_times(const struct advise *advise, const struct part *part, cJSON *config, struct part *timed,
                       struct failure *failure)
{
    const double n = fmin((double)advise->init.n, TIMED_USERS);

    *timed = (struct part){.folder = xformat("%s/timed", part->folder), .config = config};
    part_set_users(config, &n, 1);
    part_set_number(config, "repetitions", 2);
    json_add(config, "simulation=%s", "reports");
    cJSON_AddItemToObject(config, "outputs", cJSON_CreateStringArray((const char *const[]){"search", "times"}, 2));
    return part_judge(advise, timed, failure);
}

/* Removes candidates that take too long, and judges the others. */
static int keep_fast(const struct advise *advise, struct part *part, struct failure *failure)
{
    struct part timed;
    int result = judge_times(advise, part, cJSON_Duplicate(part->config, true), &timed, failure);
    cJSON *const list = cJSON_GetObjectItem(part->config, part->list);

    for (int i = result == 0 ? cJSON_GetArraySize(list) : 0; i-- > 0;) {
        const char *const label = cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(list, i), "label"));
        if (part_seconds(advise, &timed, label) > advise->seconds)
            cJSON_DeleteItemFromArray(list, i);
    }
    if (result == 0 && cJSON_GetArraySize(list) == 0)
        result = fail(failure, EXIT_BAD_INPUT, "--seconds: none of the best searches takes at most %g seconds",
                      advise->seconds);
    part_close(&timed);
    return result == 0 ? part_judge(advise, part, failure) : -1;
}

/* ---- the answers ---- */

/* Files of sets are found beside the data, and named as a whole: the config is elsewhere. */
static int find_sets(const struct advise *advise, cJSON *config, struct failure *failure)
{
    cJSON *query;

    cJSON_ArrayForEach(query, cJSON_GetObjectItem(config, "queries"))
    {
        const char *const file = cJSON_GetStringValue(cJSON_GetObjectItem(query, "file"));
        char *const path = file ? dataset_find_file(file, dataset_object_file(advise->init.dataset), failure) : NULL;
        char *const whole = path ? real_path(path) : NULL;
        free(path);
        if (file && !whole)
            return -1;
        if (whole)
            cJSON_ReplaceItemInObject(query, "file", cJSON_CreateString(whole));
        free(whole);
    }
    return 0;
}

static int advise_counts(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "", advise_config(advise, DATASET_COUNTS));
    int result = find_sets(advise, part.config, failure);

    if (advise->supports && result == 0 && (result = make_folder(part.folder, failure)) == 0) {
        /* Kinds of one world have a third of the trials each, those of several more. */
        part_set_number(part.config, "repetitions", ceil(advise_trials(advise, DATASET_COUNTS) / 3));
        result = worlds_make(advise, part.config, part.folder, failure);
    }
    if (result == 0)
        result = advise_judge(advise, &part, advise_methods, failure);
    if (result == 0 && advise->supports)
        worlds_judge(&part);
    if (result == 0)
        advise_print_values(advise, &part);
    part_close(&part);
    return result;
}

/* A dataset for each column. Each user answers one question: the users are divided among them. */
static struct part part_of_columns(struct advise *advise)
{
    const struct dataset_records *const records = advise->dataset->records;
    struct part part = part_new(advise, "columns", advise_config(advise, DATASET_COUNTS));
    cJSON *const list = cJSON_CreateArray();

    part.questions = records->records->d;
    cJSON_ReplaceItemInObject(part.config, "datasets", list);
    for (size_t i = 0; i < part.questions; i++) {
        cJSON *const dataset = cJSON_Duplicate(advise->init.dataset, true);
        cJSON_AddItemToArray(list, dataset);
        init_answers(dataset, records->names[i]);
        json_add(dataset, "label=%s", records->names[i]);
    }
    const double each = part_users(&part, (double)advise->init.n);
    part_set_users(part.config, &each, 1);
    return part;
}

/* The groups that are named, "a+b" as ["a", "b"], or the sizes of random ones. */
static void add_groups(const struct advise *advise, cJSON *config)
{
    cJSON *const list = cJSON_CreateArray();

    for (size_t i = 0; i < advise->k.count; i++)
        init_items(list, advise->k.text[i]);
    for (size_t i = 0; i < advise->marginals.count; i++) {
        cJSON *const set = cJSON_CreateArray();
        char *const copy = xstrdup(advise->marginals.text[i]), *rest = copy;
        while (rest)
            cJSON_AddItemToArray(set, cJSON_CreateString(strsep(&rest, "+")));
        cJSON_AddItemToArray(list, set);
        free(copy);
    }
    if (advise->marginals.count > 0)
        cJSON_ReplaceItemInObject(config, "marginals", list);
    else
        cJSON_ReplaceItemInObject(cJSON_GetObjectItem(config, "marginals"), "k", list);
}

static int advise_groups(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "groups", advise_config(advise, DATASET_RECORDS)), again = {0};

    part.list = "synopses";
    part.follows = advise->marginals.count == 0 && advise->k.count == 0;
    if (!part.follows)
        add_groups(advise, part.config);
    int result = advise_judge(advise, &part, advise_synopses, failure);
    if (result == 0)
        result = judge_again(advise, &part, &again, failure);
    if (result == 0)
        advise_print_groups(advise, &part, &again);
    part_close(&part);
    part_close(&again);
    return result;
}

static int advise_columns(struct advise *advise, struct failure *failure)
{
    struct part part = part_of_columns(advise);

    advise->init.kind = DATASET_COUNTS;
    const int result = advise_judge(advise, &part, advise_methods, failure);
    advise->init.kind = DATASET_RECORDS;
    if (result == 0)
        advise_print_columns(advise, &part);
    part_close(&part);
    return result;
}

static int advise_records(struct advise *advise, struct failure *failure)
{
    const bool groups = advise->marginals.count > 0 || advise->k.count > 0 || advise->synopses.count > 0;

    if (groups && advise->init.of_counts)
        return fail(failure, EXIT_BAD_INPUT,
                    "advise: expected --query and --method, which ask for columns, or --k, --marginal and --synopsis, "
                    "which ask for groups of them, got both");
    if (!groups && advise_columns(advise, failure) != 0)
        return -1;
    return advise->init.of_counts ? 0 : advise_groups(advise, failure);
}

static int advise_strings(struct advise *advise, struct failure *failure)
{
    struct part part = part_new(advise, "", advise_config(advise, DATASET_STRINGS)), again = {0}, timed = {0};

    part.list = "protocols";
    part_set_number(cJSON_GetObjectItem(part.config, "targets"), "top", (double)advise->top);
    int result = advise_judge(advise, &part, advise_protocols, failure);
    if (result == 0 && advise->seconds > 0)
        result = keep_fast(advise, &part, failure);
    if (result == 0)
        result = judge_again(advise, &part, &again, failure);
    if (result == 0)
        result = judge_times(advise, &part, winners(&part), &timed, failure);
    if (result == 0)
        advise_print_strings(advise, &part, &again, &timed);
    part_close(&part);
    part_close(&again);
    part_close(&timed);
    return result;
}

static int answer(struct advise *advise, struct failure *failure)
{
    if (read_data(advise, failure) != 0)
        return -1;
    advise->finds_users = advise->error > 0 && advise->epsilon > 0;
    if (advise->epsilon == 0)
        advise->epsilon = 1;
    const int result = advise->init.kind == DATASET_RECORDS   ? advise_records(advise, failure)
                       : advise->init.kind == DATASET_STRINGS ? advise_strings(advise, failure)
                                                              : advise_counts(advise, failure);
    advise_print_end(advise);
    return result;
}

/* ---- the command ---- */

/* A folder that goes with this process, however it ends: another one waits for the end of a pipe, and removes it. */
static pid_t make_passing(struct advise *advise, int *end, struct failure *failure)
{
    const char *const place = getenv("TMPDIR");
    char *const path = xformat("%s/ldpbench-XXXXXX", place && *place ? place : "/tmp"), byte;
    int ends[2];

    advise->folder = texts_keep(&advise->texts, path);
    if (pipe2(ends, O_CLOEXEC) != 0 || !mkdtemp(path))
        return fail(failure, EXIT_MACHINE, "advise: cannot make a folder in %s", SHOWN_PATH(path));
    *end = ends[1];
    const pid_t remover = fork();
    if (remover < 0)
        rmdir(path);
    if (remover != 0)
        return remover > 0 ? remover
                           : fail(failure, EXIT_MACHINE, "advise: cannot start a process: %s", strerror(errno));
    setsid(); /* what ends the group of this process does not end this one */
    signal(SIGTERM, SIG_IGN);
    close(ends[1]);
    while (read(ends[0], &byte, 1) < 0)
        continue;
    execlp("rm", "rm", "-rf", "--", path, (char *)NULL);
    _exit(1);
}

static int run(int argc, char **argv, struct failure *failure)
{
    static struct advise advise = {.seed = 1, .top = 10};
    advise.threads = omp_get_max_threads();
    int result = read_request(argc, argv, &advise, failure), end;

    advise.kept = advise.folder != NULL;
    const pid_t remover = result != 0 || advise.kept ? result : make_passing(&advise, &end, failure);
    result = remover < 0 ? -1 : answer(&advise, failure);
    if (remover > 0) {
        close(end);
        waitpid(remover, NULL, 0);
    }
    dataset_free(advise.dataset);
    supports_clear(&advise.collection);
    algorithms_clear(&oracle_kind, &advise.tried.list);
    cJSON_Delete(advise.init.dataset);
    texts_clear(&advise.texts);
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

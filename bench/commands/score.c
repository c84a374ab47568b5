/* score.c - ldpbench score: a method (oracle, search, synopsis) among all references of a suite, on populations and
 * seeds that nobody could tune to. It makes a config of suites/1/TRACK.json, runs it, and prints its ranking.
 *
 * A suite's file holds a config without datasets, fixed populations, and populations whose parameters are intervals:
 * [low, high] is drawn uniformly on the logarithm, between whole numbers as a whole number. What is drawn depends on
 * the seed and the population's index alone. */
#include "commands/algorithms.h"
#include "commands/report.h"
#include "config/searches.h"
#include "config/synopses.h"
#include "results/label.h"
#include "results/ranking.h"
#include "support/files.h"
#include "support/input.h"
#include "support/numbers.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const tracks[] = {"methods",  "ordered",  "defences", "oracles",
                                     "sketches", "searches", "synopses", NULL};

struct score {
    char **subject; /* files, names, or JSON texts; sentences are about the first */
    size_t nsubjects;
    unsigned track_index;
    const char *track, *folder;
    uint64_t seed;
    int threads;
    enum format format;

    cJSON *suite;
    char suite_hash[SHA256_TEXT], subject_hash[SHA256_TEXT];
    const char *name; /* of the first subject; NULL: there are the references alone */
};

#define REQUEST struct score
static const struct command_option known_options[] = {
    {"track", "TRACK", WORD_OF(track_index, tracks), "What is compared. Default methods."},
    {"seed", "N", SEED(seed),
     "Seed of collections and populations. Default: from the SHA-256 of the subject and of the suite, so that it "
     "cannot be chosen."},
    {"output", "DIR", FOLDER_OF(folder), "Folder of the run. Default: results/score-TRACK-NAME-SEED.", 'o'},
    OPTION_THREADS(threads),
    OPTION_SHEET,
    {.name = NULL},
};

/* ---- the suite ---- */

/* A member that is a text, NULL: there is none. */
static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* Reads the suite. The hashes of the first subject (of a file, of its bytes) and of the suite give a seed. */
static int read_suite(struct score *score, struct failure *failure)
{
    char *const share = share_folder(), *const path = xformat("%s/suites/1/%s.json", share ? share : ".", score->track),
                *text = NULL;
    const char *const subject = score->nsubjects > 0 ? score->subject[0] : "";
    char hash[SHA256_TEXT];
    size_t size;

    score->suite = input_read_all(path, 1, &text, &size, failure) == 0 ? cJSON_Parse(text) : NULL;
    sha256_file(path, score->suite_hash);
    const int result =
        score->suite ? 0 : fail(failure, EXIT_MACHINE, "score: cannot read the suite %s", SHOWN_PATH(path));
    free(text);
    free(path);
    free(share);
    if (!is_own_method(subject) || sha256_file(subject, score->subject_hash) != 0)
        SHA256Data((const uint8_t *)subject, strlen(subject), score->subject_hash);
    char *const both = xformat("%s%s", score->subject_hash, score->suite_hash);
    SHA256Data((const uint8_t *)both, strlen(both), hash);
    free(both);
    hash[13] = '\0'; /* 52 bits */
    if (!option_given(&command_score, "seed"))
        score->seed = strtoull(hash, NULL, 16);
    return result;
}

/* Draws the parameters that are intervals: three digits, which the last bits of exp do not change. */
static void draw_parameters(cJSON *dataset, uint64_t seed, size_t index)
{
    struct ldp_rng rng;
    char text[NUMBER_TEXT];

    ldp_rng_stream(&rng, seed, "suite", index);
    for (cJSON *item = dataset->child, *next; item; item = next) {
        next = item->next;
        if (!cJSON_IsArray(item))
            continue;
        const double low = item->child->valuedouble, high = item->child->next->valuedouble;
        const bool whole = low == floor(low) && high == floor(high);
        snprintf(text, sizeof text, "%.3g", exp(log(low) + (log(high) - log(low)) * ldp_rng_uniform(&rng)));
        const double drawn = strtod(text, NULL);
        cJSON_ReplaceItemInObjectCaseSensitive(dataset, item->string,
                                               cJSON_CreateNumber(whole ? fmin(fmax(round(drawn), low), high) : drawn));
    }
}

/* The suite's config with its populations, of which those that are drawn come last. */
static void complete_config(const struct score *score, cJSON *config)
{
    static const char *const members[] = {"populations", "drawn"};
    cJSON *const datasets = cJSON_AddArrayToObject(config, "datasets"), *population;
    size_t index = 0;

    json_add(config, "name=%s seed=%g data_seed=%g", "score", (double)score->seed, (double)score->seed);
    for (size_t i = 0; i < 2; i++)
        cJSON_ArrayForEach(population, cJSON_GetObjectItemCaseSensitive(score->suite, members[i]))
        {
            cJSON *const dataset = cJSON_GetObjectItemCaseSensitive(population, "dataset");
            char *const label = xformat("%s %zu", text_of(population, "group"), index + 1);
            if (i == 1)
                draw_parameters(dataset, score->seed, index);
            json_add(dataset, "label=%s", label);
            cJSON_AddItemReferenceToArray(datasets, dataset);
            free(label);
            index++;
        }
}

/* ---- what is scored ---- */

static const char *name_of(const cJSON *entry)
{
    const char *const label = text_of(entry, "label");
    return label ? label : cJSON_IsString(entry) ? entry->valuestring : "";
}

/* Adds the subjects that are no references to the suite's config. */
static int add_subjects(struct score *score, struct failure *failure)
{
    static const struct algorithm_kind *const kinds[] = {&method_kind, &oracle_kind, &search_kind, &synopsis_kind};
    const char *const name = text_of(score->suite, "list");
    cJSON *const list =
                     cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(score->suite, "config"), name),
                 *const own = cJSON_AddArrayToObject(score->suite, "subjects");
    size_t kind = 0;

    while (strcmp(kinds[kind]->plural, name) != 0)
        kind++;
    for (size_t i = 0; i < score->nsubjects; i++) {
        if (element_add(own, "score", score->subject[i], kinds[kind], failure) != 0)
            return -1;
        cJSON *const entry = cJSON_GetArrayItem(own, (int)i);
        const cJSON *other = list->child;

        if (cJSON_IsObject(entry) && !text_of(entry, "label"))
            cJSON_AddStringToObject(entry, "label", "mine");
        while (other && strcmp(name_of(other), name_of(entry)) != 0)
            other = other->next;
        if (other && !cJSON_IsString(entry))
            return fail(failure, EXIT_BAD_INPUT,
                        "score: the suite has a reference \"%s\" already; expected another file name or label",
                        SHOWN(name_of(entry)));
        if (!other)
            cJSON_AddItemToArray(list, cJSON_Duplicate(entry, true));
    }
    if (own->child)
        score->name = name_of(own->child);
    return 0;
}

/* ---- what is printed ---- */

/* The subject's place; of pairs that of the given pair, or of the first with its method. SIZE_MAX: there is none. */
static size_t find_mine(const struct ranking *ranking, const char *pair, const char *name)
{
    for (size_t i = 0; name && i < ranking->count; i++) {
        const char *const subject = ranking->ranked[i].subject, *const mark = strstr(subject, PAIRED);
        if (strcmp(subject, pair ? pair : name) == 0 || (!pair && mark && strcmp(mark + strlen(PAIRED), name) == 0))
            return i;
    }
    return SIZE_MAX;
}

static void print_score(const struct score *score, const struct ranking *ranking, size_t count, const char *pair,
                        const struct styles *styles)
{
    struct sheet sheet = sheet_begin(stdout, score->format);
    const size_t mine = find_mine(ranking, pair, score->name);

    sheet_facts(&sheet, "suite=%zu track=%s fingerprint=%s algorithm_version=%zu seed=%llu name=%s submission=%s",
                (size_t)1, score->track, score->suite_hash, (size_t)LDP_ALGORITHM_VERSION,
                (unsigned long long)score->seed, score->name, score->subject_hash);
    if (mine != SIZE_MAX) {
        const struct ranks *const of = &ranking->ranked[mine].ranks;
        const char *const subject = ranking->ranked[mine].subject;
        char *const regret = isnan(of->regret)
                                 ? xstrdup("")
                                 : xformat("regret %.3g (%.3g to %.3g), ", of->regret, of->regret_low, of->regret_high);
        sheet_facts(
            &sheet, "subject=%s place=%zu regret=%g regret_low=%g regret_high=%g rank=%g rank_low=%g rank_high=%g",
            subject, mine + 1, of->regret, of->regret_low, of->regret_high, of->rank, of->rank_low, of->rank_high);
        sheet_answer(&sheet, "%s: %splace %zu of %zu, mean rank %.2f (%.2f to %.2f).", subject, regret, mine + 1,
                     ranking->count, of->rank, of->rank_low, of->rank_high);
        free(regret);
    }
    if (mine != SIZE_MAX && text_of(score->suite, "partner"))
        sheet_say(&sheet, "The first half of the repetitions chose this pair, the second half tests it.");
    sheet_say(&sheet, "Suite 1, track %s (%.16s), seed %llu, algorithm version %d: %zu settings on %zu data sets.",
              score->track, score->suite_hash, (unsigned long long)score->seed, LDP_ALGORITHM_VERSION,
              ranking->ranked[0].ranks.settings, ranking->ranked[0].ranks.populations);
    ranking_put(&sheet, "score", false, text_of(score->suite, "subject"), text_of(score->suite, "table"), ranking,
                count, styles);
    sheet_end(&sheet);
}

/* Ranks by the table and the measure of the suite. Of pairs the subject's best one is chosen by other repetitions than
 * those that judge it. */
static int judge(const struct score *score, char *folder, struct failure *failure)
{
    struct ranking_request request = {.subject = text_of(score->suite, "subject"),
                                      .partner = text_of(score->suite, "partner"),
                                      .measure = text_of(score->suite, "measure"),
                                      .level = 0.05};
    struct report report = {0};
    struct ranking *ranking;
    char *pair = NULL;
    int result = report_open(&report, &folder, 1, failure);
    struct results *const results = result == 0 ? report.folder[0].results : NULL;

    for (size_t i = 0; result == 0 && i < results_count(results); i++)
        if (strcmp(results_declared(results, i)->file, text_of(score->suite, "table")) == 0)
            result = (request.table = results_table(results, i, failure)) ? 0 : -1;
    if (result == 0 && request.partner) {
        request.part = RANK_FIRST_HALF;
        const size_t count = ranking_find(&request, &ranking);
        const size_t best = count > 0 ? find_mine(&ranking[0], NULL, score->name) : SIZE_MAX;
        pair = best == SIZE_MAX ? NULL : xstrdup(ranking[0].ranked[best].subject);
        ranking_free(ranking, count);
        request.part = RANK_SECOND_HALF;
    }
    if (result == 0) {
        const size_t count = ranking_find(&request, &ranking);
        if (count > 0)
            print_score(score, ranking, count, pair, report.styles);
        else
            result = fail(failure, EXIT_BAD_INPUT, "score: nothing to compare in %s", request.table->table->file);
        ranking_free(ranking, count);
    }
    free(pair);
    report_close(&report);
    return result;
}

static int run(int argc, char **argv, struct failure *failure)
{
    struct score score = {.nsubjects = 0};

    if (read_options(&command_score, argc, argv, &score, failure) != 0)
        return -1;
    score.track = tracks[score.track_index];
    score.subject = argv + optind;
    score.nsubjects = (size_t)(argc - optind);
    int result = read_suite(&score, failure);
    cJSON *const config = cJSON_GetObjectItemCaseSensitive(score.suite, "config");
    if (result == 0 && (result = add_subjects(&score, failure)) == 0) {
        char *const name = label_file_name(score.name ? score.name : "all"),
                    *const folder = score.folder ? xstrdup(score.folder)
                                                 : xformat("results/score-%s-%s-%llx", score.track, name,
                                                           (unsigned long long)score.seed);
        complete_config(&score, config);
        result = run_made("score", config, folder, false, score.threads, failure);
        if (result == 0)
            result = judge(&score, folder, failure);
        free(folder);
        free(name);
    }
    cJSON_Delete(score.suite);
    return result;
}

const struct command command_score = {
    .name = "score",
    .operands = "[SUBJECT...]",
    .summary = "rank a method, oracle, search or synopsis among all references",
    .examples = {"score mine.py", "score --track synopses calm"},
    .about =
        "Runs SUBJECT and the references of a suite on the same simulated collections, half of them on populations "
        "that are drawn from the seed, and ranks all by the table of report: regret, the geometric mean over settings "
        "of an error over the lowest error there, with its interval over populations; significant wins and losses; "
        "mean rank; over all queries and by query. docs/compare.md says what a score means and what not.\n\n"
        "SUBJECT is a name (norm_sub), an object as in a config ('{\"name\": \"base_cut\", \"alpha\": 3}'), or, of the "
        "track methods, a file: FILE.py, or another program. Without a SUBJECT: the table of the references.\n\n"
        "An interrupted score goes on where it stopped. Report, plot and check read its folder. A score that somebody "
        "states is confirmed by another run with its seed: ldpbench check --exact THEIRS YOURS.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

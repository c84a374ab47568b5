/* score_suite.c - the suites of ldpbench score, and what is scored; see score.h.
 *
 * A suite's file holds a config without datasets, fixed populations, and populations whose parameters are intervals:
 * [low, high] is drawn uniformly on the logarithm, between whole numbers as a whole number. What is drawn depends on
 * the seed and the population's place alone. */
#include "commands/score.h"

#include "commands/own_methods.h"
#include "support/files.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const score_tracks[] = {"methods",  "ordered",  "defences", "oracles",
                                    "sketches", "searches", "synopses", NULL};

/* A member of the suite's file that is a text; the files are ours. */
static const char *text_of(const cJSON *root, const char *name)
{
    const cJSON *const member = cJSON_GetObjectItemCaseSensitive(root, name);
    return cJSON_IsString(member) ? member->valuestring : "";
}

int suite_load(const char *track, struct suite *suite, struct failure *failure)
{
    char *const share = share_folder(), *const path = xformat("%s/suites/1/%s.json", share ? share : ".", track);
    char *const text = file_text(path);

    *suite = (struct suite){.track = track, .root = text ? cJSON_Parse(text) : NULL};
    sha256_file(path, suite->fingerprint);
    suite->subject = text_of(suite->root, "subject");
    suite->partner = text_of(suite->root, "partner");
    suite->list = text_of(suite->root, "list");
    suite->table = text_of(suite->root, "table");
    suite->measure = text_of(suite->root, "measure");
    const cJSON *const regimes = cJSON_GetObjectItemCaseSensitive(suite->root, "regimes");
    for (int i = 0; i < 2; i++) {
        const cJSON *const bound = cJSON_GetArrayItem(regimes, i);
        suite->regime[i] = bound ? bound->valuedouble : INFINITY;
    }
    const int result =
        suite->root ? 0 : fail(failure, EXIT_MACHINE, "score: cannot read the suite %s", SHOWN_PATH(path));
    free(text);
    free(path);
    free(share);
    return result;
}

void suite_clear(struct suite *suite)
{
    cJSON_Delete(suite->root);
    texts_clear(&suite->label);
    texts_clear(&suite->group);
}

/* ---- populations ---- */

static bool is_interval(const cJSON *item)
{
    return cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2 && cJSON_IsNumber(item->child) &&
           cJSON_IsNumber(item->child->next);
}

static double draw(const cJSON *interval, struct ldp_rng *rng)
{
    const double low = interval->child->valuedouble, high = interval->child->next->valuedouble;
    const bool whole = low == floor(low) && high == floor(high);
    const double drawn = exp(log(low) + (log(high) - log(low)) * ldp_rng_uniform(rng));

    char text[NUMBER_TEXT]; /* three digits, which the last bits of exp do not change */
    snprintf(text, sizeof text, "%.3g", drawn);
    const double rounded = strtod(text, NULL);
    return whole ? fmin(fmax(round(rounded), low), high) : rounded;
}

static void draw_parameters(cJSON *dataset, uint64_t seed, size_t place)
{
    struct ldp_rng rng;

    ldp_rng_stream(&rng, seed, "suite", place);
    for (cJSON *item = dataset->child, *next; item; item = next) {
        next = item->next;
        if (is_interval(item))
            cJSON_ReplaceItemInObjectCaseSensitive(dataset, item->string, cJSON_CreateNumber(draw(item, &rng)));
    }
}

static void add_populations(struct suite *suite, const char *member, bool drawn, uint64_t seed, cJSON *datasets)
{
    const cJSON *const list = cJSON_GetObjectItemCaseSensitive(suite->root, member), *population;

    cJSON_ArrayForEach(population, list)
    {
        const size_t place = suite->label.count;
        cJSON *const dataset = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(population, "dataset"), true);
        if (drawn)
            draw_parameters(dataset, seed, place);
        texts_keep(&suite->group, xstrdup(text_of(population, "group")));
        cJSON_AddStringToObject(dataset, "label",
                                texts_keep(&suite->label, xformat("%s %zu", suite->group.text[place], place + 1)));
        cJSON_AddItemToArray(datasets, dataset);
    }
}

char *suite_config(struct suite *suite, const struct submission *submission, uint64_t seed)
{
    cJSON *const config = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(suite->root, "config"), true);
    cJSON *const datasets = cJSON_AddArrayToObject(config, "datasets");

    cJSON_AddStringToObject(config, "name", "score");
    cJSON_AddNumberToObject(config, "seed", (double)seed);
    cJSON_AddNumberToObject(config, "data_seed", (double)seed);
    add_populations(suite, "populations", false, seed, datasets);
    add_populations(suite, "drawn", true, seed, datasets);
    cJSON *const list = cJSON_GetObjectItemCaseSensitive(config, suite->list);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, submission->entries) cJSON_AddItemToArray(list, cJSON_Duplicate(entry, true));
    char *const printed = cJSON_Print(config), *const text = xformat("%s\n", printed);
    cJSON_free(printed);
    cJSON_Delete(config);
    return text;
}

/* ---- what is scored ---- */

bool suite_has(const struct suite *suite, const char *name)
{
    const cJSON *const config = cJSON_GetObjectItemCaseSensitive(suite->root, "config");
    const cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(config, suite->list))
    {
        const char *const listed = cJSON_IsString(item) ? item->valuestring : text_of(item, "label");
        if (strcmp(listed, name) == 0)
            return true;
    }
    return false;
}

/* An object of a config, which gets a label if it has none. NULL with a failure. */
static cJSON *read_object(const char *text, struct failure *failure)
{
    cJSON *const entry = cJSON_Parse(text);

    if (!cJSON_IsObject(entry)) {
        cJSON_Delete(entry);
        fail(failure, EXIT_BAD_INPUT, "score: expected an object as in a config, got %s", SHOWN(text));
        return NULL;
    }
    if (!cJSON_GetObjectItemCaseSensitive(entry, "label"))
        cJSON_AddStringToObject(entry, "label", "mine");
    return entry;
}

static cJSON *read_file(const char *file, const struct suite *suite, struct failure *failure)
{
    char *const text =
        own_method_config("score: expected a name of a config or a file that can be read", file, failure);
    cJSON *entry = NULL;

    if (!text)
        return NULL;
    if (strcmp(suite->list, "methods") != 0)
        fail(failure, EXIT_BAD_INPUT, "score: a file is a method; in track %s expected a name or an object of a config",
             suite->track);
    else if (!text_ends_with(file, ".py") && !text_ends_with(file, ".so") && access(file, X_OK) != 0)
        fail(failure, EXIT_BAD_INPUT,
             "score: %s is no method: expected a name (ldpbench list methods), FILE.py or an executable file",
             SHOWN_PATH(file));
    else
        entry = read_object(text, failure);
    cJSON_free(text);
    return entry;
}

/* A name of the registry of the suite's list. NULL with a failure. */
static cJSON *read_name(const char *name, const struct suite *suite, struct failure *failure)
{
    static const struct {
        const char *list, *what;
        void (*names)(const char *[NAMES_MAX]);
    } known[] = {{"methods", "a method or a file with one", method_names},
                 {"oracles", "an oracle", oracle_names},
                 {"protocols", "a search", search_names},
                 {"synopses", "a synopsis", synopsis_names}};
    const char *names[NAMES_MAX];
    size_t i = 0, n = 0;

    while (strcmp(known[i].list, suite->list) != 0)
        i++;
    known[i].names(names);
    while (names[n] && strcmp(names[n], name) != 0)
        n++;
    if (names[n])
        return cJSON_CreateString(name);
    unknown_name("score", known[i].what, name, names, failure);
    return NULL;
}

static cJSON *read_entry(const char *text, const struct suite *suite, struct failure *failure)
{
    if (*text == '{')
        return read_object(text, failure);
    return own_method_is_file(text) ? read_file(text, suite, failure) : read_name(text, suite, failure);
}

static const char *name_of(const cJSON *entry)
{
    return cJSON_IsString(entry) ? entry->valuestring : text_of(entry, "label");
}

static void hash_text(const char *text, const char *more, char out[SHA256_TEXT])
{
    SHA2_CTX sha;

    SHA256Init(&sha);
    SHA256Update(&sha, (const unsigned char *)text, strlen(text));
    SHA256Update(&sha, (const unsigned char *)more, strlen(more));
    SHA256End(&sha, out);
}

static void identify(const char *text, const struct suite *suite, struct submission *submission)
{
    char both[SHA256_TEXT];

    if (*text == '{' || !own_method_is_file(text) || sha256_file(text, submission->fingerprint) != 0)
        hash_text(text, "", submission->fingerprint);
    hash_text(submission->fingerprint, suite->fingerprint, both);
    both[13] = '\0'; /* 52 bits */
    submission->seed = strtoull(both, NULL, 16);
}

int submission_read(char *const *text, size_t count, const struct suite *suite, struct submission *submission,
                    struct failure *failure)
{
    *submission = (struct submission){.entries = cJSON_CreateArray()};
    identify(count > 0 ? text[0] : "", suite, submission);
    for (size_t i = 0; i < count; i++) {
        cJSON *const entry = read_entry(text[i], suite, failure);
        if (!entry)
            return -1;
        const bool known = suite_has(suite, name_of(entry)), plain = cJSON_IsString(entry);
        if (i == 0)
            submission->name = xstrdup(name_of(entry));
        if (known && !plain)
            fail(failure, EXIT_BAD_INPUT,
                 "score: the suite has a reference \"%s\" already; expected another file name or label",
                 SHOWN(name_of(entry)));
        if (known)
            cJSON_Delete(entry);
        else
            cJSON_AddItemToArray(submission->entries, entry);
        if (known && !plain)
            return -1;
    }
    return 0;
}

void submission_clear(struct submission *submission)
{
    free(submission->name);
    cJSON_Delete(submission->entries);
}

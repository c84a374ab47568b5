/* Configs: every error one by one (tests/bad/configs), good configs of every kind, and the schema. */
#include "config/datasets.h"
#include "config/json.h"
#include "quick.h"
#include "support/names.h"
#include "support/registry.h"
#include "tasks/evaluation.h"
#include "tasks/schema.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_text(const char *path)
{
    FILE *const stream = fopen(path, "r");
    char *const text = calloc(1, 1 << 20);

    cr_assert_not_null(stream, "%s cannot be opened", path);
    cr_assert_not_null(text);
    cr_assert_lt(fread(text, 1, (1 << 20) - 1, stream), (1 << 20) - 1, "%s is too long", path);
    fclose(stream);
    return text;
}

/* ---- Bad ones ---- */

static int is_config(const struct dirent *entry)
{
    const char *const dot = strrchr(entry->d_name, '.');

    return dot && strcmp(dot, ".json") == 0;
}

/* Demands a text; ", ..., " stands for any names of a list, which may grow. */
static void demand_text(const char *text, const char *expected)
{
    const char *const gap = strstr(expected, ", ..., "), *const rest = gap ? gap + strlen(", ...") : "";
    const size_t length = strlen(text), before = gap ? (size_t)(gap - expected) : 0, after = strlen(rest);

    if (!gap)
        cr_expect_str_eq(text, expected);
    else
        cr_expect(length >= before + after && strncmp(text, expected, before) == 0 &&
                      strcmp(text + length - after, rest) == 0,
                  "expected \"%s\", got \"%s\"", expected, text);
}

/* NAME.json must be refused with the one line of NAME.expected, as a person would see it who stands in the folder. */
Test(config, every_error_is_reported, SLOW)
{
    unsetenv("LDPBENCH_DATA");
    cr_assert_eq(chdir("tests/bad/configs"), 0);
    struct dirent **entries;
    const int n = scandir(".", &entries, is_config, alphasort);
    cr_assert_gt(n, 150);
    for (int i = 0; i < n; i++) {
        const char *const name = entries[i]->d_name;
        char path[300];

        snprintf(path, sizeof path, "%.*s.expected", (int)(strlen(name) - 5), name);
        char *const expected = read_text(path);
        expected[strcspn(expected, "\n")] = '\0';
        struct experiment *experiment;
        struct failure failure = {0};
        cr_expect_neq(experiment_read(name, NULL, &experiment, &failure), 0, "%s was accepted", name);
        cr_expect_null(experiment);
        cr_expect_eq(failure.status, EXIT_BAD_INPUT, "%s", name);
        demand_text(failure.text, expected);
        experiment_free(experiment);
        free(expected);
        free(entries[i]);
    }
    free(entries);
}

Test(config, missing_and_unreadable_files)
{
    struct experiment *experiment;
    struct failure failure;

    cr_expect_neq(experiment_read("/no/such.json", NULL, &experiment, &failure), 0);
    cr_expect_str_eq(failure.text, "/no/such.json: no such file");
    cr_expect_eq(failure.status, EXIT_BAD_INPUT);
    cr_expect_neq(experiment_read("tests", NULL, &experiment, &failure), 0);
    cr_expect_str_eq(failure.text, "tests: expected a file, got a folder");
    cr_expect_eq(failure.status, EXIT_BAD_INPUT);
}

/* ---- Good ones: a folder with a config and data beside it ---- */

static char folder[64];

static void write_text(const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const stream = fopen(path, "w");
    cr_assert_not_null(stream);
    fputs(text, stream);
    cr_assert_eq(fclose(stream), 0);
}

static void remove_text(const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void set_up(void)
{
    unsetenv("LDPBENCH_DATA");
    strcpy(folder, "/tmp/ldpbench-config-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void tear_down(void)
{
    static const char *const names[] = {"c.json", "three.counts", "three.categories"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove_text(names[i]);
    rmdir(folder);
}

TestSuite(good_config, .init = set_up, .fini = tear_down);

static struct experiment *read_config(const char *text, const struct overrides *overrides)
{
    write_text("c.json", text);
    char path[128];
    snprintf(path, sizeof path, "%s/c.json", folder);
    struct experiment *experiment;
    struct failure failure = {0};
    cr_assert_eq(experiment_read(path, overrides, &experiment, &failure), 0, "%s", failure.text);
    return experiment;
}

#define HEAD "{\"name\": \"good\", "
#define ZIPF "\"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 1000, \"s\": 1.5}], "
#define OLH "\"oracles\": [\"olh\"], "
#define ONE "\"epsilon\": 1, "
#define BASE "\"methods\": [\"base\"], "
#define FULL "\"queries\": [{\"type\": \"full_domain\"}]}"

Test(good_config, defaults)
{
    struct experiment *const experiment = read_config(HEAD ZIPF OLH ONE BASE FULL, NULL);
    const struct frequency *const plan = &evaluation_of(experiment->setup)->config;

    cr_expect_str_eq(experiment->name, "good");
    cr_expect_str_eq(experiment->task->name, "frequency");
    cr_expect_str_eq(experiment->config_text, HEAD ZIPF OLH ONE BASE FULL);
    cr_expect_eq(experiment->seed, 1);
    cr_expect_eq(experiment->repetitions, 30);
    cr_expect_eq(plan->axes.mode, LDP_COUNTS);
    cr_expect(plan->outputs & WANT_MSE);
    cr_expect_not(plan->outputs & WANT_VALUES);
    cr_assert_eq(plan->axes.datasets.count, 1);
    cr_expect_str_eq(plan->axes.datasets.dataset[0]->name, "zipf(s=1.5)");
    cr_expect_eq(plan->axes.datasets.dataset[0]->population->d, 16);
    cr_expect_eq(plan->axes.datasets.dataset[0]->population->n, 1000);
    cr_assert_eq(plan->axes.oracles.count, 1);
    cr_expect_str_eq(plan->axes.oracles.choice[0].label, "olh");
    cr_expect(isnan(plan->axes.oracles.choice[0].spec.param[0]), "g is derived");
    cr_assert_eq(plan->axes.epsilon.count, 1);
    cr_expect_eq(plan->axes.epsilon.values[0], 1);
    cr_assert_eq(plan->methods.count, 1);
    cr_expect_str_eq(plan->methods.choice[0].label, "base");
    cr_assert_eq(plan->queries.count, 1);
    cr_expect_str_eq(plan->queries.choice[0].label, "full_domain");
    cr_expect_str_eq(plan->queries.choice[0].keys[0], "full_domain");
    cr_expect_eq(plan->queries.choice[0].specs[0].npoints, 1);
    cr_expect_null(plan->queries.choice[0].specs[0].points);
    cr_expect_null(plan->queries.choice[0].specs[0].sets);
    experiment_free(experiment);
    experiment_free(NULL);
}

Test(good_config, everything_given)
{
    struct experiment *const experiment = read_config(
        "{\"$schema\": \"schema.json\", \"name\": \"a.b_c-1\", \"description\": \"x\", \"task\": \"frequency\","
        " \"seed\": 9007199254740992, \"repetitions\": 10000000, \"simulation\": \"reports\","
        " \"outputs\": [\"values\"], " ZIPF ONE
        " \"oracles\": [{\"name\": \"olh\", \"g\": 2}, {\"name\": \"olh\", \"g\": 3, \"label\": \"three\"}],"
        " \"methods\": [\"base_cut\", {\"name\": \"base_cut\", \"alpha\": 0.05}, {\"name\": \"norm_cut\","
        " \"rescale\": true}, {\"name\": \"base_cut\", \"alpha\": 2.0, \"label\": \"the same\"}, {\"name\": \"norm\"}],"
        " \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": [1, 16]}, {\"type\": \"set_value\","
        " \"percent\": {\"from\": 10, \"to\": 90, \"step\": 40}, \"sets\": 7, \"label\": \"few\"}]}",
        NULL);
    const struct frequency *const plan = &evaluation_of(experiment->setup)->config;
    static const char *const methods[] = {"base_cut", "base_cut(alpha=0.05)", "norm_cut(rescale=true)", "the same",
                                          "norm"};

    cr_expect_eq(experiment->seed, UINT64_C(1) << 53);
    cr_expect_eq(experiment->repetitions, 10000000);
    cr_expect_eq(plan->axes.mode, LDP_REPORTS);
    cr_expect_not(plan->outputs & WANT_MSE);
    cr_expect(plan->outputs & WANT_VALUES);
    cr_assert_eq(plan->axes.oracles.count, 2);
    cr_expect_str_eq(plan->axes.oracles.choice[0].label, "olh(g=2)");
    cr_expect_eq(plan->axes.oracles.choice[0].spec.param[0], 2);
    cr_expect_str_eq(plan->axes.oracles.choice[1].label, "three");
    cr_assert_eq(plan->methods.count, 5);
    for (size_t i = 0; i < plan->methods.count; i++)
        cr_expect_str_eq(plan->methods.choice[i].label, methods[i]);
    cr_expect_eq(plan->methods.choice[1].spec.param[0], 0.05);
    cr_expect_eq(plan->methods.choice[2].spec.param[0], 1);
    cr_assert_eq(plan->queries.count, 3);
    cr_expect_eq(plan->queries.choice[1].specs[0].npoints, 2);
    cr_expect_eq(plan->queries.choice[1].specs[0].points[1], 16);
    cr_expect_str_eq(plan->queries.choice[2].label, "few");
    cr_expect_str_eq(plan->queries.choice[2].keys[0], "set_value(sets=7)");
    cr_expect_eq(plan->queries.choice[2].specs[0].points[2], 90);
    experiment_free(experiment);
}

Test(good_config, command_line_goes_before_config)
{
    const char *const edit = "simulation=reports";
    struct overrides overrides = {.has_seed = true, .seed = 5, .edits = &edit, .nedits = 1};
    const char *const text = "{\"name\": \"good\", \"seed\": 3, \"repetitions\": 4, " ZIPF OLH ONE BASE FULL;
    struct experiment *experiment = read_config(text, &overrides);

    cr_expect_eq(experiment->seed, 5);
    cr_expect_eq(experiment->repetitions, 4);
    cr_expect_eq(evaluation_of(experiment->setup)->config.axes.mode, LDP_REPORTS);
    experiment_free(experiment);
    overrides = (struct overrides){.has_repetitions = true, .repetitions = 2};
    experiment = read_config(text, &overrides);
    cr_expect_eq(experiment->seed, 3);
    cr_expect_eq(experiment->repetitions, 2);
    cr_expect_eq(evaluation_of(experiment->setup)->config.axes.mode, LDP_COUNTS);
    experiment_free(experiment);
}

Test(good_config, all)
{
    struct experiment *const experiment =
        read_config(HEAD ZIPF ONE "\"oracles\": \"all\", \"methods\": \"all\", " FULL, NULL);
    const struct frequency *const plan = &evaluation_of(experiment->setup)->config;
    size_t noracles = 0;

    for (size_t i = 0; ldp_oracles[i]; i++)
        if (!(ldp_oracles[i]->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL)))
            cr_expect_str_eq(plan->axes.oracles.choice[noracles++].label, ldp_oracles[i]->name);
    cr_expect_eq(plan->axes.oracles.count, noracles);
    cr_expect_gt(noracles, 4);
    size_t nmethods = 0;
    for (size_t i = 0; ldp_methods[i]; i++)
        if (!(ldp_methods[i]->guarantees & LDP_NOT_IN_ALL) && !ldp_methods[i]->by_support)
            cr_expect_str_eq(plan->methods.choice[nmethods++].label, ldp_methods[i]->name);
    cr_expect_eq(plan->methods.count, nmethods);
    cr_expect_gt(nmethods, 10);
    experiment_free(experiment);
}

/* The points of an entry's sweeps: parameters, then d, then n fastest. */
Test(good_config, sweeps_of_datasets)
{
    struct experiment *const experiment =
        read_config(HEAD "\"datasets\": [{\"type\": \"zipf\", \"d\": [8, 4], \"n\": [100, 200], \"s\": [1, 2]},"
                         " {\"type\": \"uniform\", \"d\": 4, \"n\": 10, \"label\": \"flat\"},"
                         " {\"type\": \"zipf_mandelbrot\", \"d\": 4, \"n\": 10},"
                         " {\"type\": \"geometric\", \"d\": 4, \"n\": 10}], " OLH BASE
                         "\"epsilon\": {\"from\": 0.2, \"to\": 0.6, \"step\": 0.2}, " FULL,
                    NULL);
    const struct frequency *const plan = &evaluation_of(experiment->setup)->config;

    cr_assert_eq(plan->axes.datasets.count, 11);
    cr_expect_eq(experiment->setup->ncells, 33);
    for (size_t i = 0; i < 8; i++) {
        cr_expect_str_eq(plan->axes.datasets.dataset[i]->name, i < 4 ? "zipf(s=1)" : "zipf(s=2)");
        cr_expect_eq(plan->axes.datasets.dataset[i]->population->d, i / 2 % 2 ? 4 : 8);
        cr_expect_eq(plan->axes.datasets.dataset[i]->population->n, i % 2 ? 200 : 100);
    }
    cr_expect_str_eq(plan->axes.datasets.dataset[8]->name, "flat");
    cr_expect_eq(plan->axes.epsilon.values[2], 0.6);
    experiment_free(experiment);
}

/* Not the seed of the noise. */
Test(good_config, drawn_counts_follow_the_data_seed)
{
#define SAMPLED                                                                                                        \
    "\"datasets\": [{\"type\": \"uniform\", \"d\": 64, \"n\": 100000, \"draw\": \"sampled\"}], " OLH ONE BASE FULL
    static const char *const text[3] = {HEAD SAMPLED, HEAD SAMPLED, HEAD "\"data_seed\": 2, " SAMPLED};
    struct overrides overrides = {.has_seed = true};
    uint64_t counts[3][64];

    for (size_t i = 0; i < 3; i++) {
        overrides.seed = i;
        struct experiment *const experiment = read_config(text[i], &overrides);
        memcpy(counts[i], evaluation_of(experiment->setup)->config.axes.datasets.dataset[0]->population->counts,
               sizeof counts[i]);
        experiment_free(experiment);
    }
    cr_expect_arr_eq(counts[0], counts[1], sizeof counts[0]);
    cr_expect_arr_neq(counts[0], counts[2], sizeof counts[0]);
}

#define FILE_ENTRY                                                                                                     \
    "{\"type\": \"counts\", \"file\": \"three.counts\", \"otherwise\": {\"type\": \"uniform\", \"d\": 6, \"n\": 60,"   \
    " \"label\": \"standin\"}}"
#define SETS                                                                                                           \
    "\"queries\": [{\"type\": \"fixed_sets\", \"file\": \"three.categories\", \"otherwise\":"                          \
    " {\"sets\": 3, \"mean_size\": 1.7}}]}"

Test(good_config, files_beside_the_config)
{
    write_text("three.counts", "a\t5\nb\t3\nc\t2\n");
    write_text("three.categories", "c\tone\na\ttwo\nb\tone\n");
    struct experiment *const experiment =
        read_config(HEAD "\"datasets\": [" FILE_ENTRY ", {\"type\": \"counts\", \"file\": \"three.counts\","
                         " \"n\": [20, 100]}], " OLH ONE BASE SETS,
                    NULL);
    const struct frequency *const plan = &evaluation_of(experiment->setup)->config;
    cr_assert_eq(plan->axes.datasets.count, 3);
    cr_expect_str_eq(plan->axes.datasets.dataset[0]->name, "three");
    cr_expect_eq(plan->axes.datasets.dataset[0]->population->n, 10);
    cr_expect_eq(plan->axes.datasets.dataset[1]->population->n, 20);
    cr_expect_eq(plan->axes.datasets.dataset[2]->population->counts[1], 30);
    const struct ldp_sets *const sets = plan->queries.choice[0].specs[0].sets;
    cr_assert_not_null(sets);
    cr_assert_eq(sets->count, 2);
    cr_expect_eq(sets->first[1], 2);
    cr_expect_eq(sets->member[0], 1);
    cr_expect_eq(sets->member[1], 2);
    cr_expect_eq(sets->member[2], 0);
    cr_expect_str_eq(plan->queries.choice[0].keys[0], plan->queries.choice[0].keys[1]);
    experiment_free(experiment);
}

Test(good_config, standins_for_missing_files)
{
    const char *const text = HEAD "\"datasets\": [" FILE_ENTRY "], " OLH ONE BASE SETS;
    char *keys[3];

    /* 0: neither file; 1: categories only, which do not suit the stand-in; 2: both. */
    for (int i = 0; i < 3; i++) {
        if (i >= 1)
            write_text("three.categories", "c\tone\na\ttwo\nb\tone\n");
        if (i == 2)
            write_text("three.counts", "a\t5\nb\t3\nc\t2\n");
        struct experiment *const experiment = read_config(text, NULL);
        const struct frequency *const plan = &evaluation_of(experiment->setup)->config;
        const struct ldp_sets *const sets = plan->queries.choice[0].specs[0].sets;
        keys[i] = strdup(plan->queries.choice[0].keys[0]);
        cr_expect_str_eq(plan->axes.datasets.dataset[0]->name, i < 2 ? "standin" : "three");
        cr_assert_eq(sets->count, i < 2 ? 3 : 2);
        cr_assert_eq(sets->first[sets->count], i < 2 ? 5 : 3);
        bool seen[6] = {false};
        for (size_t j = 0; j < sets->first[sets->count]; j++) {
            cr_assert_lt(sets->member[j], 6);
            cr_expect_not(seen[sets->member[j]], "sets are disjoint");
            seen[sets->member[j]] = true;
        }
        experiment_free(experiment);
    }
    cr_expect_str_eq(keys[0], keys[1]);
    cr_expect_str_neq(keys[0], keys[2], "other sets, another key");
    for (int i = 0; i < 3; i++)
        free(keys[i]);
}

Test(good_config, data_folders)
{
    char *const here = getcwd(NULL, 0);

    write_text("three.counts", "a\t5\nb\t3\nc\t2\n");
    setenv("LDPBENCH_DATA", folder, 1);
    cr_assert_eq(chdir("/"), 0);
    struct experiment *const experiment = read_config(
        HEAD "\"datasets\": [{\"type\": \"counts\", \"file\": \"three.counts\"}], " OLH ONE BASE FULL, NULL);
    experiment_free(experiment);
    cr_expect_eq(chdir(here), 0);
    free(here);
}

Test(good_config, the_largest_grid)
{
    struct experiment *const experiment = read_config(
        HEAD "\"datasets\": [{\"type\": \"uniform\", \"d\": 2, \"n\": {\"from\": 1, \"to\": 100, \"step\": 1}}], " OLH
             "\"epsilon\": {\"from\": 0.001, \"to\": 10, \"step\": 0.001}, " BASE FULL,
        NULL);

    cr_expect_eq(experiment->setup->ncells, 1000000);
    experiment_free(experiment);
}

Test(good_config, selection)
{
    struct experiment *const experiment = read_config(
        HEAD
        "\"task\": \"selection\", \"surrogates\": [\"norm_sub\", \"posterior\", \"truth\"], \"trials\": 3, " ZIPF OLH
            ONE BASE FULL,
        NULL);

    cr_expect_str_eq(experiment->task->name, "selection");
    cr_expect_eq(experiment->setup->ncells, 1);
    experiment_free(experiment);
}

/* ---- The schema ---- */

Test(config, schema_is_what_the_program_says)
{
    char *const written = read_text("configs/schema.json"), *const made = schema_text();

    cr_assert_not_null(made);
    cr_expect_str_eq(written, made, "update it: ldpbench list --format schema >configs/schema.json");
    free(written);
    free(made);
}

static void expect_named(const char *text, const char *name)
{
    char needle[128];

    snprintf(needle, sizeof needle, "\"const\": \"%s\"", name);
    cr_expect_not_null(strstr(text, needle), "the schema lacks %s", needle);
}

static void expect_keys(const struct json_at *schema, const struct config_key *keys)
{
    struct json_at properties;

    cr_assert(json_member(schema, "properties", &properties));
    struct json_at at;
    for (; keys->name; keys++)
        cr_expect(json_member(&properties, keys->name, &at), "the schema lacks the key %s", keys->name);
}

/* Whatever can be named in a config is in the schema. */
Test(config, schema_knows_every_name)
{
    char *const text = schema_text();
    struct json_file *file;
    struct failure failure;

    cr_assert_eq(json_parse("schema", text, strlen(text), &file, &failure), 0, "%s", failure.text);
    struct json_at root = json_root(file);
    expect_keys(&root, experiment_keys);
    struct json_at at;
    cr_assert(json_member(&root, "allOf", &at));
    struct json_at rule;
    size_t count;
    cr_assert_eq(json_list(&at, "a list", &rule, &count, &failure), 0);
    for (size_t i = 0; tasks[i]; i++, json_next(&rule)) {
        cr_assert_lt(i, count);
        struct json_at then;
        cr_assert(json_member(&rule, "then", &then));
        expect_keys(&then, tasks[i]->keys);
    }
    for (size_t i = 0; ldp_oracles[i]; i++)
        expect_named(text, ldp_oracles[i]->name);
    for (size_t i = 0; ldp_methods[i]; i++)
        expect_named(text, ldp_methods[i]->name);
    const char *names[NAMES_MAX];
    query_names(names);
    for (size_t i = 0; names[i]; i++)
        expect_named(text, names[i]);
    dataset_type_names(names);
    for (size_t i = 0; names[i]; i++)
        expect_named(text, names[i]);
    json_free(file);
    free(text);
}

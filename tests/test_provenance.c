/* test_provenance.c - whose the files of a result folder are, and which build made its numbers. */
#include "program.h"
#include "quick.h"
#include "run/provenance.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char config[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": 3, \"outputs\": [%s],\n"
                             " \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 1000, \"s\": 1}],\n"
                             " \"oracles\": [\"grr\", \"olh\"], \"epsilon\": [%s], \"methods\": [\"base\", \"norm\"],\n"
                             " \"queries\": [%s]}\n";
static const char all_outputs[] = "\"mse\", \"values\", \"noise\"";
static const char all_queries[] = "{\"type\": \"full_domain\"}, {\"type\": \"heavy_hitters\", \"threshold\": 0.1}";

static void write_config(const char *folder, const char *outputs, const char *epsilon, const char *queries)
{
    char text[2048];

    snprintf(text, sizeof text, config, outputs, epsilon, queries);
    write_text(folder, "c.json", text);
}

static struct provenance *load(const char *folder)
{
    char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/r", folder);
    struct provenance *provenance;
    struct failure failure;
    cr_assert_eq(provenance_load(path, &provenance, &failure), 0, "%s", failure.text);
    return provenance;
}

static bool lists(const char *folder, const char *name)
{
    struct provenance *const provenance = load(folder);
    bool found = false;

    for (size_t i = 0; i < provenance_files(provenance); i++)
        found |= strcmp(provenance_file(provenance, i).name, name) == 0;
    cr_expect_eq(found, provenance_made(provenance, name), "%s", name);
    provenance_free(provenance);
    return found;
}

static void set_pictures(const char *folder, const char *const name[2])
{
    char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/r", folder);
    for (size_t i = 0; i < 2; i++)
        write_text(path, name[i], name[i]);
    struct failure failure;
    cr_assert_eq(provenance_set_files(path, MADE_PICTURE, name, 2, &failure), 0, "%s", failure.text);
    cr_assert(lists(folder, name[0]) && lists(folder, name[1]));
}

/* A folder has what its last run made, and what people put there. */
FolderTest(provenance, what_is_no_longer_part_of_it_goes)
{
    write_config(folder, all_outputs, "1, 2", all_queries);
    run_in(folder, "ldpbench run c.json -o r --quiet && cd r && ls mse.csv values.csv noise.csv bias_sums.csv "
                   "n_equivalent.csv heavy_hitters.csv && echo mine > notes.csv && echo mine > mine.svg");
    set_pictures(folder, (const char *const[]){"full_domain.svg", "changed.svg"});
    run_well("cd %s/r && echo more >> changed.svg && echo more >> heavy_hitters.csv", folder);
    /* A run that changes no table leaves pictures. */
    write_config(folder, all_outputs, "1, 2", all_queries);
    run_in(folder, "cp r/heavy_hitters.csv . && ldpbench run c.json -o r --quiet && cd r && "
                   "ls full_domain.svg changed.svg mine.svg");
    cr_expect(lists(folder, "full_domain.svg"));
    cr_expect(!lists(folder, "notes.csv") && !lists(folder, "mine.svg"));
    /* The experiment shrinks. */
    write_config(folder, "\"mse\"", "2", "{\"type\": \"full_domain\"}");
    run_in(folder, "ldpbench run c.json -o r --quiet && cd r && [ \"$(echo *)\" = 'changed.svg mine.svg mse.csv "
                   "n_equivalent.csv notes.csv run.json store.sqlite' ] || { ls; exit 1; }");
    cr_expect(!lists(folder, "full_domain.svg") && !lists(folder, "values.csv") && !lists(folder, "changed.svg"));
    cr_expect(lists(folder, "mse.csv"));
    /* Another experiment in its place. */
    write_config(folder, "\"noise\"", "3", "{\"type\": \"full_domain\"}");
    run_in(folder, "ldpbench run c.json -o r --quiet --fresh && cd r && [ \"$(echo *)\" = 'changed.svg mine.svg "
                   "noise.csv notes.csv run.json store.sqlite' ] || { ls; exit 1; }");
}

/* A table that somebody has changed is nobody's to remove once it is no longer part of the experiment. */
FolderTest(provenance, what_people_change_is_theirs)
{
    write_config(folder, all_outputs, "1", all_queries);
    run_in(folder, "ldpbench run c.json -o r --quiet && echo mine >> r/values.csv");
    write_config(folder, "\"mse\"", "1", all_queries);
    run_in(folder, "ldpbench run c.json -o r --quiet && [ -e r/values.csv ] && [ ! -e r/noise.csv ]");
    cr_expect(!lists(folder, "values.csv"));
}

FolderTest(provenance, a_set_of_files_replaces_the_last_one)
{
    static const char *const pictures[] = {"b.svg", "c.svg"};
    static const char *const external[] = {"../outside", "run.json", "/etc/hostname", ".hidden", ""};

    write_config(folder, "\"mse\"", "1", all_queries);
    run_in(folder, "ldpbench run c.json -o r --quiet");
    set_pictures(folder, (const char *const[]){"a.svg", "b.svg"});
    char path[2 * PATH_ROOM];
    snprintf(path, sizeof path, "%s/r", folder);
    write_text(path, "c.svg", "c");
    write_text(path, "b.svg", "drawn again");
    struct failure failure;
    cr_assert_eq(provenance_set_files(path, MADE_PICTURE, pictures, 2, &failure), 0, "%s", failure.text);
    cr_expect(lists(folder, "b.svg") && lists(folder, "c.svg"));
    cr_expect(lists(folder, "mse.csv") && !lists(folder, "a.svg"));
    run_well("[ ! -e %s/a.svg ]", path);
    /* What a run.json from elsewhere says leads nowhere. */
    for (size_t i = 0; i < sizeof external / sizeof *external; i++) {
        write_text(folder, "outside", "drawn again");
        run_well("cd %s/r && cp run.json kept && sed 's|\"name\":\\t\"b.svg\"|\"name\":\\t\"%s\"|' kept > run.json && "
                 "grep -qF '\"name\":\t\"%s\"' run.json",
                 folder, external[i], external[i]);
        struct provenance *const provenance = load(folder);
        cr_expect(!provenance_made(provenance, external[i]), "%s", external[i]);
        provenance_free(provenance);
        cr_assert_eq(provenance_set_files(path, MADE_PICTURE, pictures + 1, 1, &failure), 0, "%s", failure.text);
        run_in(folder, "ls r/run.json outside r/c.svg && cd r && mv kept run.json");
    }
}

/* Tables of any task, where nothing says whose they are. */
FolderTest(provenance, tables_of_nobody_are_not_overwritten, SLOW)
{
    static const char *const tables[] = {"times.csv",  "noise.csv",     "heavy_hitters.csv", "mse.csv",
                                         "regret.csv", "intervals.csv", "search.csv",        "marginals.csv"};

    write_config(folder, "\"times\"", "1", all_queries);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct outcome outcome =
            shell_in(folder, "rm -rf r && mkdir r && echo x > r/%s && ldpbench run c.json -o r", tables[i]);

        cr_expect_eq(outcome.status, 2, "%s: %d", tables[i], outcome.status);
        cr_expect(strstr(outcome.err, tables[i]), "%s", outcome.err);
        outcome_free(&outcome);
        run_in(folder, "[ \"$(ls r)\" = %s ] && ldpbench run c.json -o r --quiet --fresh", tables[i]);
    }
    run_in(folder, "rm -rf r && mkdir r && echo x > r/own.csv && ldpbench run c.json -o r --quiet");
}

FolderTest(provenance, run_json_that_is_none)
{
    static const char *const texts[] = {"", "nothing", "[]", "{\"files\": 3", NULL};

    struct provenance *provenance;
    struct failure failure;
    cr_expect_eq(provenance_load(folder, &provenance, &failure), -1);
    cr_expect(failure.status == EXIT_BAD_INPUT && strstr(failure.text, "expected a result folder, found no run.json"),
              "%s", failure.text);
    for (size_t i = 0; texts[i]; i++) {
        write_text(folder, "run.json", texts[i]);
        cr_expect_eq(provenance_load(folder, &provenance, &failure), -1, "%s", texts[i]);
        cr_expect_eq(failure.status, EXIT_BAD_INPUT, "%s", failure.text);
    }
    write_text(folder, "run.json",
               "{\"experiment\": 3, \"seed\": \"x\", \"files\": [3, {}, {\"name\": 4}], \"builds\": {}}");
    cr_assert_eq(provenance_load(folder, &provenance, &failure), 0, "%s", failure.text);
    cr_expect_null(provenance_text(provenance, "experiment"));
    cr_expect_eq(provenance_files(provenance), 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect(!provenance_made(provenance, provenance_file(provenance, i).name));
    provenance_free(provenance);
}

/* ---- builds ---- */

/* Makes FOLDER/injected, the program with one source changed, by `make` in a copy of the tree: what the build under
 * test has made already need not be made again. */
static void build_changed(const char *folder, const char *source, const char *edit)
{
    run_well("program=${LDPBENCH:-build/release/ldpbench} && mode=$(basename \"$(dirname \"$program\")\") && "
             "mkdir -p %s/tree/build && cp -a Makefile bench core datasets man perf scripts tests %s/tree && "
             "cp -a \"build/$mode\" %s/tree/build && cd %s/tree && flags=$(cat \"build/$mode/flags\") && "
             "cp %s before && sed -i '%s' %s && ! cmp -s before %s && "
             "case $flags in *-Werror*) export CI=1 ;; *) unset CI ;; esac && "
             "make MODE=\"$mode\" CC=\"${flags%%%% -std=*}\" >make.log 2>&1 && "
             "[ \"$(grep -c ' CC\t' make.log)\" -lt 20 ] && cp \"build/$mode/ldpbench\" ../planted",
             folder, folder, folder, folder, source, edit, source, source);
}

static void demand_said(const char *folder, const char *program, const char *options, const char *first,
                        const char *second)
{
    struct outcome outcome = shell_in(folder, "%s run c.json -o r %s", program, options);

    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_expect(strstr(outcome.err, first), "expected \"%s\" in: %s", first, outcome.err);
    cr_expect(strstr(outcome.err, second), "expected \"%s\" in: %s", second, outcome.err);
    outcome_free(&outcome);
}

/* first_is_own: the first of them is the build that wrote the tables. */
static void demand_builds(const char *folder, size_t count, double first_share, bool first_is_own)
{
    struct provenance *const provenance = load(folder);

    cr_assert_eq(provenance_builds(provenance), count);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += provenance_build(provenance, i).share;
        for (size_t j = 0; j < i; j++)
            cr_expect_str_neq(provenance_build(provenance, i).build, provenance_build(provenance, j).build);
    }
    cr_expect_float_eq(sum, 1, 1e-12);
    cr_expect_float_eq(provenance_build(provenance, 0).share, first_share, 1e-12);
    cr_expect_eq(strcmp(provenance_build(provenance, 0).build, provenance_text(provenance, "build")) == 0,
                 first_is_own);
    provenance_free(provenance);
}

/* A method that answers otherwise is another build, whose numbers are not those of the first. */
FolderTest(provenance, numbers_belong_to_a_build, SLOW, .timeout = 600)
{
    build_changed(folder, "core/methods/norm.c", "s|+ share;|+ share / 2;|");
    write_config(folder, "\"mse\", \"values\"", "1", all_queries);
    run_in(folder, "ldpbench run c.json -o r --quiet && cp -R r first");
    demand_builds(folder, 1, 1, true);
    demand_said(folder, "./planted", "",
                "6 repetitions were made by another build of the program and are computed again", "6 repetitions in");
    demand_builds(folder, 1, 1, true);
    run_in(folder, "./planted run c.json --from first -o again 2>said && ! cmp -s first/mse.csv again/mse.csv && "
                   "grep -q '6 repetitions were made by another build of the program and are computed again' said");
    run_in(folder, "./planted run c.json --from first -o kept --keep 2>said && cmp first/mse.csv kept/mse.csv && "
                   "grep -q '6 repetitions of another build of the program are kept' said");
    run_in(folder, "! cmp -s first/mse.csv r/mse.csv && ./planted run c.json -o planted-alone --quiet && "
                   "cmp planted-alone/mse.csv r/mse.csv && cmp planted-alone/values.csv r/values.csv");
    demand_said(folder, "./planted", "", ": 0 repetitions in", "6 reused");
    demand_said(folder, "ldpbench", "--keep", "6 repetitions of another build of the program are kept",
                ": 0 repetitions in");
    demand_builds(folder, 1, 1, false);
    run_in(folder, "cmp planted-alone/mse.csv r/mse.csv");
    /* Twice as many epsilons, a half from each build. */
    write_config(folder, "\"mse\", \"values\"", "1, 2", all_queries);
    demand_said(folder, "ldpbench", "--keep", "6 repetitions of another build", "6 repetitions in");
    demand_builds(folder, 2, 0.5, true);
    run_in(folder, "ldpbench report r --no-plots -o page.html && "
                   "[ \"$(grep -o ', 50 %% of the numbers</td>' page.html | wc -l)\" = 2 ] && "
                   "of() { grep -o '\"build\":.\"[0-9a-f]*' $1/run.json | head -n 1 | sed 's/.*\"//'; } && "
                   "{ ldpbench check first planted-alone > said || [ $? = 1 ]; } && "
                   "grep -qx \"builds: baseline $(of first), result $(of planted-alone)\" said");
    demand_said(folder, "ldpbench", "", "6 repetitions were made by another build", "6 repetitions in");
    demand_builds(folder, 1, 1, true);
    run_in(folder, "ldpbench run c.json -o whole --quiet && cmp whole/mse.csv r/mse.csv && "
                   "cmp whole/values.csv r/values.csv");
    demand_said(folder, "ldpbench", "", ": 0 repetitions in", "12 reused");
}

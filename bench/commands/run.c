/* run.c - ldpbench run: configs to tables. */
#include "commands/algorithms.h"
#include "commands/init.h"
#include "commands/report.h"
#include "results/decisions.h"
#include "results/results.h"
#include "run/mpi.h"
#include "run/provenance.h"
#include "run/runner.h"
#include "support/child.h"
#include "support/clock.h"
#include "support/files.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/text.h"
#include "tasks/task.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Repetitions at the first analysis of --until-decided, and by default at the last. */
enum { FIRST_ANALYSIS = 10, MOST_UNTIL_DECIDED = 2000 };

struct run_arguments {
    const char *folder;
    char *const *from; /* folders whose results are taken first */
    size_t nfrom;
    struct overrides overrides;
    struct texts edits;
    size_t nwith; /* of them that name methods of the user's own */
    struct run_options options;
    uint32_t shard, shards;  /* 0 of 0: all */
    uint32_t at_most;        /* repetitions until the decisions are made; 0: not asked for */
    struct run_summary *all; /* of all analyses of --until-decided so far */
    bool has_from, until_decided, fresh, keep, dry_run, quiet, verbose, passing, allow_external;
};

/* ---- the command line ---- */

/* "2/5" is shard 1, from 0, of 5. */
static int read_shard(const struct command_option *option, const char *text, void *of, struct failure *failure)
{
    struct run_arguments *const arguments = of;
    const char *const slash = strchr(text, '/');
    char *const first = slash ? xstrndup(text, (size_t)(slash - text)) : NULL;

    if (!first)
        return fail(failure, EXIT_BAD_INPUT, "--shard: expected I/N, such as 1/4, got \"%s\"", SHOWN(text));
    uint64_t index, count;
    int result = -1;
    if (read_whole("--shard: N", slash + 1, 1, SHARDS_MAX, &count, failure) == 0 &&
        read_whole("--shard: I", first, 1, count, &index, failure) == 0) {
        arguments->shard = (uint32_t)index - 1;
        arguments->shards = (uint32_t)count;
        result = 0;
    }
    free(first);
    return result;
}

/* With --from the operands after the config are folders. */
static int check_operands(struct run_arguments *arguments, char *const *operand, int *configs, struct failure *failure)
{
    const bool part = arguments->shards > 0 || arguments->dry_run;

    if (arguments->has_from && *configs < 2)
        return fail(failure, EXIT_BAD_INPUT, "--from: expected a config and folders of results, got %s",
                    COUNTED((size_t)*configs, "operand"));
    if (arguments->has_from && (part || arguments->at_most > 0))
        return fail(failure, EXIT_BAD_INPUT, "--from: expected none of --shard, --until-decided and --dry-run");
    if (*configs == 0)
        return fail(failure, EXIT_BAD_INPUT, "run: missing operand: the file of a config");
    if (arguments->at_most > 0 && (part || arguments->overrides.has_repetitions || rank_count() > 1))
        return fail(failure, EXIT_BAD_INPUT,
                    "--until-decided: expected one process, and none of --repetitions, --shard and --dry-run");
    if (arguments->has_from) {
        arguments->from = operand + 1;
        arguments->nfrom = (size_t)*configs - 1;
        *configs = 1;
    }
    return arguments->folder && *configs > 1
               ? fail(failure, EXIT_BAD_INPUT, "-o: expected one config, got %d", *configs)
               : 0;
}

/* A file as a method of the config. */
static int read_method(const struct command_option *option, const char *file, void *of, struct failure *failure)
{
    struct run_arguments *const arguments = of;
    cJSON *const method = own_method("--with", file, failure);

    if (!method)
        return -1;
    char *const text = cJSON_PrintUnformatted(method);
    texts_keep(&arguments->edits, xformat("methods+=%s", text));
    arguments->nwith++;
    cJSON_free(text);
    cJSON_Delete(method);
    return 0;
}

#define REQUEST struct run_arguments
static const struct command_option known_options[] = {
    {"output", "DIR", FOLDER_OF(folder),
     "Folder of the results; for one config only. Default: results/NAME, by the config's name.", 'o'},
    OPTION_THREADS(options.threads),
    {"set", "KEY=VALUE", SEVERAL(edits, NULL),
     "Change a key of the config, or of its datasets. --set n=1e5 --set epsilon=0.5,1; --set methods+=mix adds to a "
     "list."},
    {"with", "FILE", .kind = {.read = read_method, .again = true, .takes = TAKES_FILES}, .member = 0,
     "Add a method of your own. FILE.py, or another program (docs/compare.md)."},
    {"seed", "N", SEED(overrides.seed), "Override the config's seed, 0 to 2^53."},
    {"data-seed", "N", SEED(overrides.data_seed),
     "Override data_seed. It is the seed of what is drawn once for all repetitions."},
    {"repetitions", "N", WHOLE(overrides.repetitions, 1, REPETITIONS_MAX), "Override the config's repetitions."},
    {"until-decided", NULL, FLAG(until_decided),
     "Repeat until what to take is decided for every query. At most 2000 times, or as many as --at-most says. "
     "The comparisons are then valid whenever the run stops (anytime-valid). Exit status 4 if it is not decided."},
    {"at-most", "N", WHOLE(at_most, FIRST_ANALYSIS, REPETITIONS_MAX),
     "The most repetitions. It implies --until-decided."},
    {"fresh", NULL, FLAG(fresh), "Discard what the folder holds and start again."},
    {"keep", NULL, FLAG(keep),
     "Use results of another build of the program. They are otherwise computed again; run.json and the report then "
     "list the builds and their shares."},
    {"shard", "I/N", .kind = {.read = read_shard}, .member = 0,
     "Do the I-th of N parts of the work, without tables. ldpbench run CONFIG --from with the folders of all parts "
     "makes them."},
    {"from", NULL, FLAG(has_from),
     "The operands after CONFIG are folders to take from. They are of shards or of parts of the grid; what none of "
     "them contains is measured. The tables are those of one run, byte for byte."},
    {"dry-run", NULL, FLAG(dry_run),
     "Print the grid, and estimates of time and memory. They are from single repetitions of some cells. Data that "
     "take many seconds to make are named, not made."},
    {"allow-external", NULL, FLAG(allow_external),
     "Allow methods and oracles that start programs. Without it a config with one of type external is refused."},
    {"verbose", NULL, FLAG(verbose), "With --dry-run, print the keys of all cells."},
    {"quiet", NULL, FLAG(quiet), "Show neither progress nor a summary."},
    {.name = NULL},
};

static int read_arguments(int argc, char **argv, struct run_arguments *arguments, int *configs, struct failure *failure)
{
    struct overrides *const overrides = &arguments->overrides;

    if (read_options(&command_run, argc, argv, arguments, failure) != 0)
        return -1;
    if (arguments->until_decided && arguments->at_most == 0)
        arguments->at_most = MOST_UNTIL_DECIDED;
    overrides->has_seed = option_given(&command_run, "seed");
    overrides->has_data_seed = option_given(&command_run, "data-seed");
    overrides->has_repetitions = option_given(&command_run, "repetitions");
    overrides->dry_run = arguments->dry_run;
    overrides->edits = (const char *const *)arguments->edits.text;
    overrides->nedits = arguments->edits.count;
    *configs = argc - optind;
    return check_operands(arguments, argv + optind, configs, failure);
}

/* ---- a run ---- */

/* More cells are not summed up at the end; report does it. */
enum { CELLS_SUMMED_UP = 10000 };

/* Prints on standard error what the store was found to hold. Damage is reported even with --quiet. */
static void say_store_notes(const struct experiment *experiment, const struct store_notes *notes, bool keep, bool quiet)
{
    if (notes->damaged > 0)
        print_message("%s: the store was damaged in %s; the lost results are computed again\n", experiment->name,
                      COUNTED(notes->damaged, "place"));
    if (*notes->extra && !quiet)
        print_message("%s: %s; the store keeps these results (--fresh discards them)\n", experiment->name,
                      notes->extra);
    if (notes->others > 0 && !quiet)
        print_message(keep ? "%s: %zu repetitions of another build of the program are kept\n"
                           : "%s: %zu repetitions were made by another build of the program and are computed again "
                             "(--keep uses them)\n",
                      experiment->name, notes->others);
}

/* The part of rank 0 before the work: the folder and its store. Where results cannot be taken from other folders, a
 * store or a folder that was not there before is not left behind. */
static int open_folder(const struct experiment *experiment, const char *folder, const struct run_arguments *arguments,
                       struct store **store, struct failure *failure)
{
    const struct store_options options = {
        .fresh = arguments->fresh, .keep = arguments->keep, .shard = arguments->shard, .shards = arguments->shards};

    if (rank_index() != 0)
        return 0;
    for (size_t i = 0; i < arguments->nfrom; i++)
        if (store_check_results(arguments->from[i], experiment, failure) != 0)
            return -1;
    const bool folder_there = access(folder, F_OK) == 0, store_there = folder_has(folder, "store.sqlite");
    int result = make_folder(folder, failure);
    if (result == 0 && !arguments->fresh)
        result = provenance_check(experiment, folder, failure);
    if (result == 0)
        result = store_open(folder, experiment, &options, store, failure);
    for (size_t i = 0; result == 0 && i < arguments->nfrom; i++)
        if (!same_path(arguments->from[i], folder))
            result = store_absorb(*store, arguments->from[i], failure);
    if (result != 0 && arguments->nfrom > 0) {
        store_close(*store);
        *store = NULL;
        if (!store_there)
            store_discard(folder);
        if (!folder_there)
            rmdir(folder);
    }
    if (result != 0)
        return -1;
    say_store_notes(experiment, store_notes(*store), arguments->keep, arguments->quiet);
    for (size_t i = 0; !arguments->quiet && i < experiment->setup->notes.count; i++)
        print_message("%s: %s\n", experiment->name, experiment->setup->notes.text[i]);
    return 0;
}

/* The part of rank 0 after the work: the tables and run.json of a complete store; what is no longer part of the
 * experiment is removed. */
static int write_folder(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                        const char *folder, const struct run_arguments *arguments, struct failure *failure)
{
    const bool part = arguments->shards > 0;
    const struct run_summary *const all = arguments->all ? arguments->all : summary;

    if (rank_index() != 0)
        return 0;
    bool *const kept = xcalloc(experiment->setup->tables.count, sizeof *kept);
    const bool written = part ? store_commit(store, failure) == 0
                              : tables_write(experiment, store, folder, kept, failure) == 0 &&
                                    provenance_write(experiment, store, summary, folder, kept, failure) == 0 &&
                                    store_complete(store, failure) == 0;
    free(kept);
    if (!written)
        return -1;
    if (!arguments->quiet && part)
        print_message("%s: %s run in %.2f s, shard %lu of %lu; ldpbench run --from makes tables of all shards\n",
                      experiment->name, COUNTED(summary->repetitions_run, "repetition"), summary->seconds,
                      (unsigned long)arguments->shard + 1, (unsigned long)arguments->shards);
    if (!arguments->quiet && !part)
        print_message("%s: %s in %.2f s (%s, %zu reused); tables in %s\n", experiment->name,
                      COUNTED(all->repetitions_run, "repetition"), all->seconds,
                      COUNTED((size_t)all->threads, "thread"), all->repetitions_kept, SHOWN_PATH(folder));
    if (!arguments->quiet && rank_count() > 1)
        print_message("%s: %d ranks, idle for %.1f %% of the time, one of them for %.1f %%\n", experiment->name,
                      rank_count(), 100 * summary->idle, 100 * summary->idle_most);
    if (!arguments->quiet && !part && experiment->setup->ncells <= CELLS_SUMMED_UP)
        return report_answer(folder, stderr, failure);
    return 0;
}

static int run_into(const struct experiment *experiment, const char *folder, const struct run_arguments *arguments,
                    struct failure *failure)
{
    struct run_options options = arguments->options;
    struct store *store = NULL;
    int result = open_folder(experiment, folder, arguments, &store, failure);

    options.progress = rank_index() == 0 && (!arguments->quiet || options.progress) && isatty(STDERR_FILENO);
    options.folder = arguments->passing ? NULL : folder;
    if (!ranks_agree(result == 0)) {
        if (result == 0)
            fail(failure, EXIT_MACHINE, "another rank failed");
        result = -1;
    } else {
        struct run_summary summary;
        result = runner_run(experiment, store, &options, &summary, failure);
        struct run_summary *const all = result == 0 ? arguments->all : NULL;
        if (all) {
            all->repetitions_kept = all->threads == 0 ? summary.repetitions_kept : all->repetitions_kept; /* before */
            all->threads = summary.threads;
            all->repetitions_run += summary.repetitions_run;
            all->seconds += summary.seconds;
        }
        if (result == 0)
            result = write_folder(experiment, store, &summary, folder, arguments, failure);
        else if (rank_index() == 0 && rank_count() > 1) {
            say_failure(failure);
            store_close(store);
            ranks_abort((int)failure->status);
        }
    }
    store_close(store);
    return ranks_agree(result == 0) ? 0 : -1;
}

/* Whether for every query it is decided what to take. */
static int is_decided(const char *folder, bool *decided, struct failure *failure)
{
    struct results *results = NULL;
    struct decisions decisions = {0};
    int result = results_open(folder, &results, failure);

    *decided = true;
    if (result == 0)
        result = decisions_find(results, 0.05, NULL, 2, false, &decisions, failure);
    for (size_t b = 0; b < decisions.count; b++)
        *decided &= decisions.block[b].decision.kind != DECIDED_NOT;
    decisions_clear(&decisions);
    results_close(results);
    return result;
}

/* Runs with 10, 13, 16, .. repetitions until it is decided what to take; the store counts on. */
static int run_until_decided(struct experiment *experiment, const char *folder, const struct run_arguments *arguments,
                             struct failure *failure)
{
    struct run_arguments interim = *arguments;
    struct run_summary all = {0};
    bool decided = false;

    interim.all = &all;
    interim.quiet = true;
    interim.options.progress = !arguments->quiet;
    experiment->until_decided = true;
    for (uint32_t n = FIRST_ANALYSIS; !decided; n += 3 * n / 10, interim.fresh = false) {
        experiment->repetitions = n < arguments->at_most ? n : arguments->at_most;
        if (run_into(experiment, folder, &interim, failure) != 0 || is_decided(folder, &decided, failure) != 0)
            return -1;
        if (n >= arguments->at_most)
            break;
    }
    interim.quiet = arguments->quiet;
    if (!interim.quiet && run_into(experiment, folder, &interim, failure) != 0) /* says what the last analysis found */
        return -1;
    return decided ? 0
                   : fail(failure, EXIT_INCONCLUSIVE, "%s: not decided with %lu repetitions; --at-most allows more",
                          experiment->file, (unsigned long)arguments->at_most);
}

/* Refuses programs that are not allowed, or not there. */
static int check_programs(const struct experiment *experiment, const struct run_arguments *arguments,
                          struct failure *failure)
{
    const struct texts *const started = &experiment->setup->commands, *const programs = &experiment->setup->programs;

    if (!arguments->allow_external && started->count > arguments->nwith)
        return fail(failure, EXIT_BAD_INPUT, "%s: %s starts a program; --allow-external permits it", experiment->file,
                    started->text[0]);
    for (size_t i = 0; i < programs->count; i++)
        if (!child_program_exists(programs->text[i]))
            return fail(failure, EXIT_BAD_INPUT, "%s: %s: cannot find the program %s", experiment->file,
                        started->text[i], SHOWN_PATH(programs->text[i]));
    return 0;
}

static int run_config(const char *file, const struct run_arguments *arguments, struct failure *failure)
{
    struct experiment *experiment = NULL;

    if (rank_count() > 1 && strcmp(file, "-") == 0) /* which only one process can read */
        return fail(failure, EXIT_BAD_INPUT, "run: expected a file that every process can read, got standard input");
    int result = experiment_read(file, &arguments->overrides, &experiment, failure);
    if (!ranks_agree(result == 0)) {
        if (result == 0)
            fail(failure, EXIT_MACHINE, "%s: another rank could not read it", file);
        result = -1;
    } else if (arguments->dry_run) {
        if (rank_index() == 0)
            result = print_dry_run(experiment, arguments->options.threads, arguments->verbose,
                                   arguments->allow_external, failure);
    } else if ((result = check_programs(experiment, arguments, failure)) == 0) {
        char *const folder = arguments->folder ? xstrdup(arguments->folder) : xformat("results/%s", experiment->name);
        result = arguments->at_most > 0 ? run_until_decided(experiment, folder, arguments, failure)
                                        : run_into(experiment, folder, arguments, failure);
        free(folder);
    }
    experiment_free(experiment);
    return result;
}

int run_made(const char *command, const struct cJSON *config, const char *folder, bool passing, int threads,
             struct failure *failure)
{
    struct run_arguments arguments = {
        .folder = folder, .options = {.threads = threads, .progress = true}, .quiet = true, .allow_external = true};
    char *const file = xformat("%s/config.json", folder);
    const bool is_new = access(folder, F_OK) != 0;
    struct whole_file out;
    int result = make_folder(folder, failure);

    arguments.passing = passing;
    if (result == 0 && (result = whole_file_open(&out, folder, "config.json", failure)) == 0) {
        init_print(out.stream, config);
        result = whole_file_close(&out, failure);
    }
    if (result == 0 && (result = run_config(file, &arguments, failure)) != 0)
        failure_name(failure, file, command);
    if (result != 0 && is_new && !folder_has(folder, "store.sqlite")) { /* nothing was measured */
        unlink(file);
        rmdir(folder);
    }
    free(file);
    return result;
}

static int run(int argc, char **argv, struct failure *failure)
{
    static struct run_arguments arguments;
    int configs = 0;

    ranks_begin(&argc, &argv);
    int result = read_arguments(argc, argv, &arguments, &configs, failure);
    for (int i = optind; result == 0 && i < optind + configs; i++)
        result = run_config(argv[i], &arguments, failure);
    if (rank_index() != 0 && result != 0)
        result = (int)failure->status; /* which the first one tells */
    ranks_end();
    return result;
}

const struct command command_run = {
    .name = "run",
    .operands = "CONFIG... | CONFIG --from DIR...",
    .summary = "simulate what the configs ask for and write tables",
    .examples = {"run survey.json", "run survey.json --set n=1e5 --with mine.py --until-decided"},
    .about =
        "Runs each config and writes its tables. Measurements are saved in a store in the folder of results during the "
        "run, so an interrupted run continues where it stopped, and more repetitions or another epsilon reuse the "
        "rest. What a config no longer asks for stays in the store; tables and pictures of the folder that "
        "the program made and that are no longer part of the experiment are removed. A folder that another config made "
        "is not touched without --fresh.\n\n"
        "The keys of a config: ldpbench list config, or man ldpbench-config.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

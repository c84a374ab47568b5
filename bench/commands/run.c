/* run.c - ldpbench run: configs to tables. */
#include "commands/run.h"
#include "commands/commands.h"
#include "commands/report.h"
#include "config/axes.h"
#include "results/decisions.h"
#include "results/tables.h"
#include "run/interruption.h"
#include "run/mpi.h"
#include "run/provenance.h"
#include "run/runner.h"
#include "support/child.h"
#include "support/files.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/text.h"
#include "tasks/task.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    const char *folder;
    struct overrides overrides;
    struct run_options options;
    uint32_t shard, shards; /* 0 of 0: all */
    uint32_t at_most;       /* repetitions until the decisions are made; 0: not asked for */
    bool fresh, keep, dry_run, quiet, verbose, allow_external;
};

enum {
    SEED = 256,
    DATA_SEED,
    REPETITIONS,
    SIMULATION,
    FRESH,
    KEEP,
    SHARD,
    CELLS,
    DRY_RUN,
    VERBOSE,
    QUIET,
    ALLOW_EXTERNAL,
    UNTIL_DECIDED,
    AT_MOST
};

static const struct command_option known_options[] = {
    {.name = "output",
     .code = 'o',
     .value = "DIR",
     .takes = TAKES_FOLDERS,
     .help = "Folder of the results; for one config only. Default: results/NAME, by the config's name."},
    OPTION_THREADS,
    {.name = "seed", .code = SEED, .value = "N", .help = "Override the config's seed, 0 to 2^53."},
    {.name = "data-seed",
     .code = DATA_SEED,
     .value = "N",
     .help = "Override the config's data_seed, the seed of what is drawn once for all repetitions."},
    {.name = "repetitions", .code = REPETITIONS, .value = "N", .help = "Override the config's repetitions."},
    {.name = "until-decided",
     .code = UNTIL_DECIDED,
     .help =
         "Add repetitions until it is decided for every query what to take, at most 2000 or as many as --at-most says. "
         "What is stated then holds at any time of looking. Exit status 4 if it is not decided."},
    {.name = "at-most",
     .code = AT_MOST,
     .value = "N",
     .help = "The most repetitions of --until-decided, which it implies."},
    {.name = "cells",
     .code = CELLS,
     .value = "FILE",
     .takes = TAKES_FILES,
     .help = "Override the repetitions of single cells. Each line is COUNT TAB CELL, the cell as --dry-run --verbose "
             "prints it; "
             "ldpbench agree --format open writes such a file for the claims that are undecided."},
    {.name = "simulation",
     .code = SIMULATION,
     .value = "HOW",
     .words = simulations,
     .help = "Override the config's simulation: counts draws the supports of all values at once from their exact joint "
             "distribution; reports runs the client of every user."},
    {.name = "fresh", .code = FRESH, .help = "Discard what the folder holds and start again."},
    {.name = "keep",
     .code = KEEP,
     .help = "Use results that another build of the program has measured, which are otherwise computed again; run.json "
             "and the report then list the builds and their shares."},
    {.name = "shard",
     .code = SHARD,
     .value = "I/N",
     .help = "Do the I-th of N parts of the work, and write no tables: ldpbench merge makes them of the folders of all "
             "parts."},
    {.name = "dry-run",
     .code = DRY_RUN,
     .help = "Print the grid, and an estimate of the run's time, memory and disk space from single repetitions of some "
             "cells. Data that take many seconds to make are named, not made."},
    {.name = "allow-external",
     .code = ALLOW_EXTERNAL,
     .help = "Allow methods and oracles of type external, which start programs. Without it a config with such "
             "a method or oracle is refused."},
    {.name = "verbose", .code = VERBOSE, .help = "With --dry-run, print the keys of all cells."},
    {.name = "quiet", .code = QUIET, .help = "Show neither progress nor a summary."},
    {.name = NULL},
};

/* Repetitions at the first look of --until-decided, and at its last by default. */
enum { FIRST_LOOK = 10, MOST_UNTIL_DECIDED = 2000 };

/* "2/5" is shard 1, from 0, of 5. */
static int read_shard(const char *text, struct arguments *arguments, struct failure *failure)
{
    const char *const slash = strchr(text, '/');
    char *const first = slash ? xstrndup(text, (size_t)(slash - text)) : NULL;

    if (!first)
        return fail(failure, EXIT_BAD_INPUT, "--shard: expected I/N, such as 1/4, got \"%s\"", SHOWN(text));
    unsigned long long index, count;
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

static int check_arguments(int configs, const struct arguments *arguments, struct failure *failure)
{
    if (configs == 0)
        return fail(failure, EXIT_BAD_INPUT, "run: expected a config file, got none");
    if (arguments->overrides.cells && configs > 1)
        return fail(failure, EXIT_BAD_INPUT, "--cells: expected one config, got %d", configs);
    if (arguments->overrides.cells && arguments->shards > 0)
        return fail(failure, EXIT_BAD_INPUT, "--cells: expected no --shard with it, as merge does not know the file");
    if (arguments->at_most > 0 && (arguments->overrides.has_repetitions || arguments->overrides.cells ||
                                   arguments->shards > 0 || arguments->dry_run || rank_count() > 1))
        return fail(failure, EXIT_BAD_INPUT,
                    "--until-decided: expected one process, and none of --repetitions, --cells, --shard and --dry-run");
    if (arguments->folder && configs > 1)
        return fail(failure, EXIT_BAD_INPUT, "-o: expected one config, got %d", configs);
    return 0;
}

static int read_arguments(int argc, char **argv, struct arguments *arguments, struct failure *failure)
{
    struct overrides *const overrides = &arguments->overrides;
    int option;

    while ((option = next_option(&command_run, argc, argv, failure)) != OPTIONS_END) {
        unsigned long long number;
        size_t word;
        switch (option) {
        case 'o':
            if (read_output("-o", optarg, &arguments->folder, failure) != 0)
                return -1;
            break;
        case 'j':
            if (read_threads(optarg, &arguments->options.threads, failure) != 0)
                return -1;
            break;
        case SEED:
            if (read_seed(optarg, &number, failure) != 0)
                return -1;
            overrides->has_seed = true;
            overrides->seed = number;
            break;
        case DATA_SEED:
            if (read_whole("--data-seed", optarg, 0, (unsigned long long)WHOLE_MAX, &number, failure) != 0)
                return -1;
            overrides->has_data_seed = true;
            overrides->data_seed = number;
            break;
        case REPETITIONS:
            if (read_whole("--repetitions", optarg, 1, REPETITIONS_MAX, &number, failure) != 0)
                return -1;
            overrides->has_repetitions = true;
            overrides->repetitions = (uint32_t)number;
            break;
        case UNTIL_DECIDED:
            if (arguments->at_most == 0)
                arguments->at_most = MOST_UNTIL_DECIDED;
            break;
        case AT_MOST:
            if (read_whole("--at-most", optarg, FIRST_LOOK, REPETITIONS_MAX, &number, failure) != 0)
                return -1;
            arguments->at_most = (uint32_t)number;
            break;
        case CELLS: overrides->cells = optarg; break;
        case SIMULATION:
            if (read_word("--simulation", optarg, simulations, &word, failure) != 0)
                return -1;
            overrides->has_mode = true;
            overrides->mode = (enum ldp_mode)word;
            break;
        case FRESH: arguments->fresh = true; break;
        case KEEP: arguments->keep = true; break;
        case SHARD:
            if (read_shard(optarg, arguments, failure) != 0)
                return -1;
            break;
        case VERBOSE: arguments->verbose = true; break;
        case DRY_RUN: arguments->dry_run = overrides->dry_run = true; break;
        case QUIET: arguments->quiet = true; break;
        case ALLOW_EXTERNAL: arguments->allow_external = true; break;
        default: return -1;
        }
    }
    return check_arguments(argc - optind, arguments, failure);
}

/* ---- a run ---- */

/* More cells are not summed up at the end; report does it. */
enum { CELLS_SUMMED_UP = 10000 };

void say_store_notes(const struct experiment *experiment, const struct store_notes *notes, bool keep, bool quiet)
{
    if (notes->damaged > 0)
        fprintf(stderr, "%s: the store was damaged in %s; the lost results are computed again\n", experiment->name,
                COUNTED(notes->damaged, "place"));
    if (*notes->beyond && !quiet)
        fprintf(stderr, "%s: %s; the store keeps these results (--fresh discards them)\n", experiment->name,
                notes->beyond);
    if (notes->others > 0 && !quiet)
        fprintf(stderr,
                keep ? "%s: %zu repetitions of another build of the program are kept\n"
                     : "%s: %zu repetitions were made by another build of the program and are computed again "
                       "(--keep uses them)\n",
                experiment->name, notes->others);
}

/* The part of rank 0 before the work: the folder and its store. */
static int open_folder(const struct experiment *experiment, const char *folder, const struct arguments *arguments,
                       struct store **store, struct failure *failure)
{
    if (rank_index() != 0)
        return 0;
    if (make_folder(folder, failure) != 0)
        return -1;
    if (!arguments->fresh && provenance_check(experiment, folder, failure) != 0)
        return -1;

    char *const origin = origin_text(experiment, &arguments->overrides);
    const struct store_options options = {.fresh = arguments->fresh,
                                          .keep = arguments->keep,
                                          .shard = arguments->shard,
                                          .shards = arguments->shards,
                                          .origin = origin};
    const int result = store_open(folder, experiment, &options, store, failure);

    free(origin);
    if (result != 0)
        return -1;
    say_store_notes(experiment, store_notes(*store), arguments->keep, arguments->quiet);
    for (size_t i = 0; !arguments->quiet && i < experiment->setup->notes.count; i++)
        fprintf(stderr, "%s: %s\n", experiment->name, experiment->setup->notes.text[i]);
    return 0;
}

int finish_folder(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                  const char *folder, struct failure *failure)
{
    bool *const kept = xcalloc(experiment->setup->tables.count, sizeof *kept);
    const int result = tables_write(experiment, store, folder, kept, failure) == 0 &&
                               provenance_write(experiment, store, summary, folder, kept, failure) == 0 &&
                               store_complete(store, failure) == 0
                           ? 0
                           : -1;

    free(kept);
    return result;
}

/* The part of rank 0 after the work. */
static int write_folder(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                        const char *folder, const struct arguments *arguments, struct failure *failure)
{
    const bool part = arguments->shards > 0;

    if (rank_index() != 0)
        return 0;
    if ((part ? store_commit(store, failure) : finish_folder(experiment, store, summary, folder, failure)) != 0)
        return -1;
    if (!arguments->quiet && part)
        fprintf(stderr, "%s: %s run in %.2f s, shard %lu of %lu; ldpbench merge makes tables of all shards\n",
                experiment->name, COUNTED(summary->repetitions_run, "repetition"), summary->seconds,
                (unsigned long)arguments->shard + 1, (unsigned long)arguments->shards);
    if (!arguments->quiet && !part)
        fprintf(stderr, "%s: %s in %.2f s (%s, %zu reused); tables in %s\n", experiment->name,
                COUNTED(summary->repetitions_run, "repetition"), summary->seconds,
                COUNTED((size_t)summary->threads, "thread"), summary->repetitions_kept, SHOWN_PATH(folder));
    if (!arguments->quiet && rank_count() > 1)
        fprintf(stderr, "%s: %d ranks, idle for %.1f %% of the time, one of them for %.1f %%\n", experiment->name,
                rank_count(), 100 * summary->idle, 100 * summary->idle_most);
    if (!arguments->quiet && !part && experiment->setup->ncells <= CELLS_SUMMED_UP)
        return report_answer(folder, stderr, failure);
    return 0;
}

static int run_into(const struct experiment *experiment, const char *folder, const struct arguments *arguments,
                    struct failure *failure)
{
    struct run_options options = arguments->options;
    struct store *store = NULL;
    int result = open_folder(experiment, folder, arguments, &store, failure);

    options.progress = rank_index() == 0 && (!arguments->quiet || options.progress) && isatty(STDERR_FILENO);
    options.folder = folder;
    if (!ranks_agree(result == 0)) {
        if (result == 0)
            fail(failure, EXIT_MACHINE, "another rank failed");
        result = -1;
    } else {
        struct run_summary summary;
        result = runner_run(experiment, store, &options, &summary, failure);
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

/* Demands that the programs of commands are there, before the first repetition is measured. */
static int find_programs(const char *file, const struct setup *setup, struct failure *failure)
{
    for (size_t i = 0; i < setup->programs.count; i++)
        if (!child_program_exists(setup->programs.text[i]))
            return fail(failure, EXIT_BAD_INPUT, "%s: %s: cannot find the program %s", file, setup->commands.text[i],
                        SHOWN_PATH(setup->programs.text[i]));
    return 0;
}

/* Whether for every query it is decided what to take. */
static int is_decided(const char *folder, bool *decided, struct failure *failure)
{
    struct results *results = NULL;
    struct decisions decisions = {0};
    int result = results_open(folder, &results, failure);

    *decided = true;
    if (result == 0)
        result = decisions_find(results, 0.05, NULL, &decisions, failure);
    for (size_t b = 0; b < decisions.count; b++)
        *decided &= decisions.block[b].decision.kind != DECIDED_NOT;
    decisions_clear(&decisions);
    results_close(results);
    return result;
}

static int run_config(const char *file, const struct arguments *arguments, struct failure *failure);

/* Runs with 10, 13, 16, .. repetitions until it is decided what to take; the store counts on. */
static int run_until_decided(const char *file, const struct arguments *arguments, struct failure *failure)
{
    struct arguments look = *arguments;
    struct experiment *experiment = NULL;
    bool decided = false;
    uint32_t n = FIRST_LOOK;

    if (experiment_read(file, NULL, &experiment, failure) != 0)
        return -1;
    char *const folder = arguments->folder ? xstrdup(arguments->folder) : xformat("results/%s", experiment->name);
    experiment_free(experiment);
    look.folder = folder;
    look.at_most = 0;
    look.quiet = true;
    look.options.progress = !arguments->quiet;
    look.overrides.has_repetitions = look.overrides.until_decided = true;
    int result = 0;
    for (; result == 0 && !decided; n = n < arguments->at_most ? n + 3 * n / 10 : n, look.fresh = false) {
        look.overrides.repetitions = n = n < arguments->at_most ? n : arguments->at_most;
        result = run_config(file, &look, failure);
        if (result == 0)
            result = is_decided(folder, &decided, failure);
        if (n == arguments->at_most)
            break;
    }
    look.quiet = arguments->quiet;
    if (result == 0 && !look.quiet) /* says what the last look found */
        result = run_config(file, &look, failure);
    free(folder);
    if (result == 0 && !decided)
        result = fail(failure, EXIT_UNDECIDED, "%s: not decided with the most repetitions allowed, %lu", file,
                      (unsigned long)arguments->at_most);
    return result;
}

static int run_config(const char *file, const struct arguments *arguments, struct failure *failure)
{
    char *folder = NULL;

    if (rank_count() > 1 && strcmp(file, "-") == 0) /* which only one process can read */
        return fail(failure, EXIT_BAD_INPUT, "run: expected a file that every process can read, got standard input");
    struct experiment *experiment = NULL;
    int result = experiment_read(file, &arguments->overrides, &experiment, failure);

    if (!ranks_agree(result == 0)) {
        if (result == 0)
            fail(failure, EXIT_MACHINE, "%s: another rank could not read it", file);
        result = -1;
        goto out;
    }
    if (!arguments->dry_run && !arguments->allow_external && experiment->setup->commands.count > 0) {
        result = fail(failure, EXIT_BAD_INPUT, "%s: %s starts a program; --allow-external permits it", file,
                      experiment->setup->commands.text[0]);
        goto out;
    }
    if (!arguments->dry_run && find_programs(file, experiment->setup, failure) != 0) {
        result = -1;
        goto out;
    }
    if (arguments->dry_run) {
        result = rank_index() == 0 ? print_dry_run(experiment, arguments->options.threads, arguments->verbose,
                                                   arguments->allow_external, failure)
                                   : 0;
        goto out;
    }
    folder = arguments->folder ? xstrdup(arguments->folder) : xformat("results/%s", experiment->name);
    result = run_into(experiment, folder, arguments, failure);
out:
    free(folder);
    experiment_free(experiment);
    return result;
}

int run_file(const char *config, const char *folder, int threads, struct failure *failure)
{
    const struct arguments arguments = {
        .folder = folder, .options = {.threads = threads, .progress = true}, .quiet = true, .allow_external = true};
    return run_config(config, &arguments, failure);
}

static int run_configs(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct failure failure = NO_REASON;
    int result = read_arguments(argc, argv, &arguments, &failure);

    for (int i = optind; result == 0 && i < argc; i++)
        result = (arguments.at_most > 0 ? run_until_decided : run_config)(argv[i], &arguments, &failure);
    if (result == 0)
        return EXIT_DONE;
    return rank_index() == 0 ? say_failure(&failure) : (int)failure.status;
}

static int run(int argc, char **argv)
{
    ranks_begin(&argc, &argv);
    const int status = run_configs(argc, argv);
    ranks_end();
    if (status != EXIT_DONE && interruption_signal() != 0) {
        fflush(NULL);
        interruption_raise();
    }
    return status;
}

const struct command command_run = {
    .name = "run",
    .operands = "CONFIG...",
    .summary = "simulate what the configs ask for and write tables",
    .about =
        "Runs each config and writes its tables. Measurements are saved in a store in the folder of results during "
        "the run, so an interrupted run continues where it stopped, and more repetitions or another "
        "epsilon reuse the rest. What a config no longer asks for stays in the store; tables, pictures and reports of "
        "the "
        "folder that the program made and that are no longer part of the experiment are removed. A folder that another "
        "config made is not touched without --fresh.\n\n"
        "The keys of a config: ldpbench list config, or man ldpbench-config.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};

/* merge.c - ldpbench merge: the folders of shards of a run become one, with the same tables as one run. */
#include "commands/commands.h"
#include "commands/run.h"
#include "run/precision.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"
#include "tasks/task.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    const char *folder, *config;
    bool fresh, keep, quiet;
};

enum { CONFIG = 256, FRESH, KEEP, QUIET };

static const struct command_option known_options[] = {
    {.name = "output",
     .code = 'o',
     .value = "DIR",
     .takes = TAKES_FOLDERS,
     .required = true,
     .help = "Folder of the results; created if it does not exist."},
    {.name = "config",
     .code = CONFIG,
     .value = "FILE",
     .takes = TAKES_FILES,
     .help =
         "The config whose tables are written. Default: that of the first folder, with the seed and repetitions that "
         "it was run with."},
    {.name = "fresh", .code = FRESH, .help = "Discard what the output folder holds."},
    {.name = "keep", .code = KEEP, .help = "Use results that another build of the program has measured."},
    {.name = "quiet", .code = QUIET, .help = "Show no summary."},
    {.name = NULL},
};

static int read_arguments(int argc, char **argv, struct arguments *arguments, struct failure *failure)
{
    int option;

    while ((option = next_option(&command_merge, argc, argv, failure)) != OPTIONS_END) {
        switch (option) {
        case 'o':
            if (read_output("-o", optarg, &arguments->folder, failure) != 0)
                return -1;
            break;
        case CONFIG: arguments->config = optarg; break;
        case FRESH: arguments->fresh = true; break;
        case KEEP: arguments->keep = true; break;
        case QUIET: arguments->quiet = true; break;
        default: return -1;
        }
    }
    if (optind == argc)
        return fail(failure, EXIT_BAD_INPUT, "merge: expected folders of results, got none");
    return 0;
}

/* Reads the config that is named, or that of the folder. */
static int read_experiment(const struct arguments *arguments, const char *folder, struct experiment **experiment,
                           char **text, struct failure *failure)
{
    static const struct overrides none;

    if (arguments->config) {
        if (experiment_read(arguments->config, NULL, experiment, failure) != 0)
            return -1;
        *text = origin_text(*experiment, &none);
        return 0;
    }
    *text = store_origin(folder, failure);
    if (!*text)
        return -1;
    struct origin origin;
    origin_read(*text, &origin);
    int result = origin.config ? experiment_read(origin.config, &origin.overrides, experiment, failure)
                               : fail(failure, EXIT_BAD_INPUT,
                                      "%s: does not record its config; name the config with --config", folder);
    char hash[33];
    if (result == 0)
        config_hash(*experiment, hash);
    if (result == 0 && strcmp(hash, origin.hash) != 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: has changed since %s was run; name the right config with --config",
                      origin.config, folder);
    free(origin.config);
    return result;
}

/* How many repetitions are in none of the folders: with a precision, of those that are known to be needed. */
static int count_missing(const struct experiment *experiment, struct store *store, size_t *missing,
                         struct failure *failure)
{
    if (experiment->precision.from > 0) {
        bool *const settled = xcalloc(experiment->setup->ncells, sizeof *settled);
        const int result = precision_settle(experiment, store, settled, failure);

        free(settled);
        if (result != 0)
            return -1;
    }
    struct unit *units = NULL;
    size_t count;
    if (store_pending(store, 64, false, &units, &count, failure) != 0)
        return -1;
    *missing = 0;
    for (size_t i = 0; i < count; i++)
        *missing += (size_t)__builtin_popcountll(units[i].missing);
    free(units);
    return 0;
}

/* Opens the store of the output folder, and adds the results of the folders to it. Where that fails, a store or a
 * folder that was not there before is not left behind. */
static int gather(const struct experiment *experiment, const char *origin, char *const *folder, size_t count,
                  const struct arguments *arguments, struct store **store, struct failure *failure)
{
    const struct store_options options = {.fresh = arguments->fresh, .keep = arguments->keep, .origin = origin};
    assert(arguments->folder);
    const bool folder_there = access(arguments->folder, F_OK) == 0, store_there = store_is_there(arguments->folder);
    int result = make_folder(arguments->folder, failure);

    if (result == 0 && !arguments->fresh)
        result = provenance_check(experiment, arguments->folder, failure);
    if (result == 0)
        result = store_open(arguments->folder, experiment, &options, store, failure);
    for (size_t i = 0; result == 0 && i < count; i++)
        if (!same_path(folder[i], arguments->folder))
            result = store_absorb(*store, folder[i], failure);
    if (result == 0)
        return 0;
    store_close(*store);
    *store = NULL;
    if (!store_there)
        store_discard(arguments->folder);
    if (!folder_there)
        rmdir(arguments->folder);
    return -1;
}

static int write_merged(const struct experiment *experiment, struct store *store, size_t count,
                        const struct arguments *arguments, struct failure *failure)
{
    struct store_notes notes = *store_notes(store);
    const size_t others = arguments->keep ? 0 : notes.others;
    notes.others -= others;
    size_t missing;
    if (count_missing(experiment, store, &missing, failure) != 0)
        return -1;
    struct run_summary summary = {.threads = 1};
    summary.repetitions_kept = store_all_repetitions(store);
    if (missing > 0 && others > 0)
        return fail(
            failure, EXIT_BAD_INPUT,
            "%s: %zu of %zu repetitions are missing from all folders, or were made by another build of the program "
            "(--keep uses them)",
            arguments->folder, missing, summary.repetitions_kept);
    if (missing > 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: %zu of %zu repetitions are missing from all folders%s; add the folders that have them, or "
                    "measure them with `ldpbench run`",
                    arguments->folder, missing, summary.repetitions_kept, notes.damaged > 0 ? ", or damaged" : "");
    assert(experiment);
    say_store_notes(experiment, &notes, arguments->keep, arguments->quiet);
    if (finish_folder(experiment, store, &summary, arguments->folder, failure) != 0)
        return -1;
    if (!arguments->quiet)
        fprintf(stderr, "%s: %s of %s; tables in %s\n", experiment->name,
                COUNTED(summary.repetitions_kept, "repetition"), COUNTED(count, "folder"),
                SHOWN_PATH(arguments->folder));
    return 0;
}

static int merge(const struct arguments *arguments, char *const *folder, size_t count, struct failure *failure)
{
    struct experiment *experiment = NULL;
    char *origin = NULL;
    int result = read_experiment(arguments, folder[0], &experiment, &origin, failure);

    for (size_t i = 0; result == 0 && i < count; i++)
        if (!same_path(folder[i], arguments->folder))
            result = store_check_results(folder[i], experiment, failure);
    struct store *store = NULL;
    if (result == 0)
        result = gather(experiment, origin, folder, count, arguments, &store, failure);
    if (result == 0)
        result = write_merged(experiment, store, count, arguments, failure);
    store_close(store);
    experiment_free(experiment);
    free(origin);
    return result;
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct failure failure = NO_REASON;

    if (read_arguments(argc, argv, &arguments, &failure) != 0 ||
        merge(&arguments, argv + optind, (size_t)(argc - optind), &failure) != 0)
        return say_failure(&failure);
    return EXIT_DONE;
}

const struct command command_merge = {
    .name = "merge",
    .operands = "DIR...",
    .summary = "make one folder of the folders of shards",
    .about = "Takes the stores of folders that `ldpbench run` filled, each with a shard of the work (--shard) or with "
             "a part "
             "of the grid, and writes the tables that one run of the whole config would have written, byte for byte.",
    .options = known_options,
    .takes = TAKES_FOLDERS,
    .run = run,
};

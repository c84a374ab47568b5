/* run_options.c - the command line of ldpbench run; see run.h. */
#include "commands/algorithms.h"
#include "commands/run.h"
#include "config/axes.h"
#include "run/mpi.h"
#include "support/files.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Repetitions at the last look of --until-decided by default. */
enum { MOST_UNTIL_DECIDED = 2000 };

/* "2/5" is shard 1, from 0, of 5. */
static int read_shard(const struct command_option *option, const char *text, void *of, struct failure *failure)
{
    struct run_arguments *const arguments = of;
    const char *const slash = strchr(text, '/');
    char *const first = slash ? xstrndup(text, (size_t)(slash - text)) : NULL;

    (void)option;
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
static int check_from(struct run_arguments *arguments, char *const *operand, int *count, struct failure *failure)
{
    if (*count < 2)
        return fail(failure, EXIT_BAD_INPUT, "--from: expected a config and folders of results, got %s",
                    COUNTED((size_t)*count, "operand"));
    if (arguments->shards > 0 || arguments->at_most > 0 || arguments->dry_run)
        return fail(failure, EXIT_BAD_INPUT, "--from: expected none of --shard, --until-decided and --dry-run");
    arguments->from = operand + 1;
    arguments->nfrom = (size_t)*count - 1;
    *count = 1;
    return 0;
}

static int check_arguments(int configs, const struct run_arguments *arguments, struct failure *failure)
{
    if (configs == 0)
        return fail(failure, EXIT_BAD_INPUT, "run: missing operand: the file of a config");
    if (arguments->at_most > 0 &&
        (arguments->overrides.has_repetitions || arguments->shards > 0 || arguments->dry_run || rank_count() > 1))
        return fail(failure, EXIT_BAD_INPUT,
                    "--until-decided: expected one process, and none of --repetitions, --shard and --dry-run");
    if (arguments->folder && configs > 1)
        return fail(failure, EXIT_BAD_INPUT, "-o: expected one config, got %d", configs);
    return 0;
}

/* A file as a method of the config. */
static int read_method(const struct command_option *option, const char *file, void *of, struct failure *failure)
{
    struct run_arguments *const arguments = of;
    cJSON *const method = own_method("--with", file, failure);

    (void)option;
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
const struct command_option run_known_options[] = {
    {"output", "DIR", FOLDER_OF(folder),
     "Folder of the results; for one config only. Default: results/NAME, by the config's name.", 'o'},
    OPTION_THREADS(options.threads),
    {"set", "KEY=VALUE", SEVERAL(edits, NULL),
     "Change a key of the config, or of all its datasets: --set n=1e5 --set epsilon=0.5,1; --set methods+=mix "
     "adds to a list."},
    {"with", "FILE", .kind = {.read = read_method, .again = true, .takes = TAKES_FILES}, .member = 0,
     "Add a method of your own to the config's: FILE.py, or another program (docs/compare.md)."},
    {"seed", "N", SEED(overrides.seed), "Override the config's seed, 0 to 2^53."},
    {"data-seed", "N", SEED(overrides.data_seed),
     "Override the config's data_seed, the seed of what is drawn once for all repetitions."},
    {"repetitions", "N", WHOLE(overrides.repetitions, 1, REPETITIONS_MAX), "Override the config's repetitions."},
    {"until-decided", NULL, FLAG(until_decided),
     "Add repetitions until it is decided for every query what to take, at most 2000 or as many as --at-most says. "
     "The comparisons are then valid whenever the run stops (anytime-valid). Exit status 4 if it is not decided."},
    {"at-most", "N", WHOLE(at_most, RUN_FIRST_LOOK, REPETITIONS_MAX),
     "The most repetitions of --until-decided, which it implies."},
    {"simulation", "HOW", WORD_OF(overrides.mode, simulations),
     "Override the config's simulation: counts draws the supports of all values at once from their exact joint "
     "distribution; reports runs the client of every user."},
    {"fresh", NULL, FLAG(fresh), "Discard what the folder holds and start again."},
    {"keep", NULL, FLAG(keep),
     "Use results that another build of the program has measured, which are otherwise computed again; run.json "
     "and the report then list the builds and their shares."},
    {"shard", "I/N", .kind = {.read = read_shard}, .member = 0,
     "Do the I-th of N parts of the work, and write no tables: ldpbench run CONFIG --from with the folders of "
     "all parts makes them."},
    {"from", NULL, FLAG(has_from),
     "The operands after CONFIG are folders, of shards or of parts of the grid: what they hold is taken, what "
     "none of them holds is measured. The tables are those of one run, byte for byte."},
    {"dry-run", NULL, FLAG(dry_run),
     "Print the grid, and an estimate of the run's time, memory and disk space from single repetitions of some "
     "cells. Data that take many seconds to make are named, not made."},
    {"allow-external", NULL, FLAG(allow_external),
     "Allow methods and oracles of type external, which start programs. Without it a config with such "
     "a method or oracle is refused."},
    {"verbose", NULL, FLAG(verbose), "With --dry-run, print the keys of all cells."},
    {"quiet", NULL, FLAG(quiet), "Show neither progress nor a summary."},
    {.name = NULL},
};

int run_read_arguments(int argc, char **argv, struct run_arguments *arguments, int *configs, struct failure *failure)
{
    struct overrides *const overrides = &arguments->overrides;

    if (read_options(&command_run, argc, argv, arguments, failure) != 0)
        return -1;
    if (arguments->until_decided && arguments->at_most == 0)
        arguments->at_most = MOST_UNTIL_DECIDED;
    overrides->has_seed = option_given(&command_run, "seed");
    overrides->has_data_seed = option_given(&command_run, "data-seed");
    overrides->has_repetitions = option_given(&command_run, "repetitions");
    overrides->has_mode = option_given(&command_run, "simulation");
    overrides->dry_run = arguments->dry_run;
    overrides->edits = (const char *const *)arguments->edits.text;
    overrides->nedits = arguments->edits.count;
    *configs = argc - optind;
    if (option_given(&command_run, "from") && check_from(arguments, argv + optind, configs, failure) != 0)
        return -1;
    return check_arguments(*configs, arguments, failure);
}

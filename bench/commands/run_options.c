/* run_options.c - the command line of ldpbench run; see run.h. */
#include "commands/own_methods.h"
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

enum {
    SEED = 256,
    DATA_SEED,
    REPETITIONS,
    SIMULATION,
    FRESH,
    KEEP,
    SHARD,
    DRY_RUN,
    VERBOSE,
    QUIET,
    ALLOW_EXTERNAL,
    UNTIL_DECIDED,
    AT_MOST,
    FROM,
    SET,
    WITH
};

const struct command_option run_known_options[] = {
    {.name = "output",
     .code = 'o',
     .value = "DIR",
     .takes = TAKES_FOLDERS,
     .help = "Folder of the results; for one config only. Default: results/NAME, by the config's name."},
    OPTION_THREADS,
    {.name = "set",
     .code = SET,
     .value = "KEY=VALUE",
     .again = true,
     .help = "Change a key of the config, or of all its datasets: --set n=1e5 --set epsilon=0.5,1; --set methods+=mix "
             "adds to a list."},
    {.name = "with",
     .code = WITH,
     .value = "FILE",
     .again = true,
     .takes = TAKES_FILES,
     .help = "Add a method of your own to the config's: FILE.py, or another program (docs/compare.md)."},
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
         "The comparisons are then valid whenever the run stops (anytime-valid). Exit status 4 if it is not decided."},
    {.name = "at-most",
     .code = AT_MOST,
     .value = "N",
     .help = "The most repetitions of --until-decided, which it implies."},
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
     .help = "Do the I-th of N parts of the work, and write no tables: ldpbench run CONFIG --from with the folders of "
             "all parts makes them."},
    {.name = "from",
     .code = FROM,
     .help = "The operands after CONFIG are folders, of shards or of parts of the grid: what they hold is taken, what "
             "none of them holds is measured. The tables are those of one run, byte for byte."},
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

/* Repetitions at the last look of --until-decided by default. */
enum { MOST_UNTIL_DECIDED = 2000 };

/* "2/5" is shard 1, from 0, of 5. */
static int read_shard(const char *text, struct run_arguments *arguments, struct failure *failure)
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

static int add_edit(const char *edit, struct run_arguments *arguments, struct failure *failure)
{
    struct overrides *const overrides = &arguments->overrides;

    if (overrides->nedits == RUN_EDITS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--set: expected at most %d changes", RUN_EDITS_MAX);
    overrides->edits = arguments->edit;
    arguments->edit[overrides->nedits++] = edit;
    return 0;
}

/* A file as a method of the config; the text lives until the program ends. */
static int add_method(const char *file, struct run_arguments *arguments, struct failure *failure)
{
    char *const method = own_method_config("--with: expected FILE.py or a program that can be run", file, failure);

    if (!method)
        return -1;
    const int result = add_edit(xformat("methods+=%s", method), arguments, failure);

    arguments->nwith++;
    cJSON_free(method);
    return result;
}

int run_read_arguments(int argc, char **argv, struct run_arguments *arguments, int *configs, struct failure *failure)
{
    struct overrides *const overrides = &arguments->overrides;
    bool from = false;
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
        case DATA_SEED:
            if (read_whole(option == SEED ? "--seed" : "--data-seed", optarg, 0, (unsigned long long)WHOLE_MAX, &number,
                           failure) != 0)
                return -1;
            *(option == SEED ? &overrides->has_seed : &overrides->has_data_seed) = true;
            *(option == SEED ? &overrides->seed : &overrides->data_seed) = number;
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
            if (read_whole("--at-most", optarg, RUN_FIRST_LOOK, REPETITIONS_MAX, &number, failure) != 0)
                return -1;
            arguments->at_most = (uint32_t)number;
            break;
        case SET:
        case WITH:
            if ((option == SET ? add_edit : add_method)(optarg, arguments, failure) != 0)
                return -1;
            break;
        case SIMULATION:
            if (read_word("--simulation", optarg, simulations, &word, failure) != 0)
                return -1;
            overrides->has_mode = true;
            overrides->mode = (enum ldp_mode)word;
            break;
        case FRESH: arguments->fresh = true; break;
        case KEEP: arguments->keep = true; break;
        case FROM: from = true; break;
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
    *configs = argc - optind;
    if (from && check_from(arguments, argv + optind, configs, failure) != 0)
        return -1;
    return check_arguments(*configs, arguments, failure);
}

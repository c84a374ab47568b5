/* run.h - running configs: the command and those that make configs. */
#ifndef LDPBENCH_COMMANDS_RUN_H
#define LDPBENCH_COMMANDS_RUN_H

#include "commands/commands.h"
#include "run/runner.h"
#include "tasks/experiment.h"

/* Repetitions at the first look of --until-decided. */
enum { RUN_FIRST_LOOK = 10 };

struct run_arguments {
    const char *folder;
    char *const *from; /* folders whose results are taken first */
    size_t nfrom;
    struct overrides overrides;
    struct texts edits;
    size_t nwith; /* of them that name methods of the user's own */
    struct run_options options;
    uint32_t shard, shards; /* 0 of 0: all */
    uint32_t at_most;       /* repetitions until the decisions are made; 0: not asked for */
    bool has_from, until_decided, fresh, keep, dry_run, quiet, verbose, passing, allow_external;
};

extern const struct command_option run_known_options[];

/* Reads the command line; the configs are argv[optind ..]. */
int run_read_arguments(int argc, char **argv, struct run_arguments *arguments, int *configs, struct failure *failure);

/* Runs a config that a command made, into a folder that gets it as config.json, as `run CONFIG -o FOLDER
 * --allow-external` does, and prints progress alone. Messages on the config begin with the command's name. A new folder
 * is removed where nothing was measured. passing: it goes when the program ends. */
struct cJSON;
int run_made(const char *command, const struct cJSON *config, const char *folder, bool passing, int threads,
             struct failure *failure);

/* Prints what a config asks for and its cost; the time is measured unless the config has commands that are not allowed.
 */
int print_dry_run(const struct experiment *experiment, int threads, bool verbose, bool allowed,
                  struct failure *failure);

#endif

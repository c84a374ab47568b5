/* run.h - running configs: the command and those that make configs. */
#ifndef LDPBENCH_COMMANDS_RUN_H
#define LDPBENCH_COMMANDS_RUN_H

#include "commands/commands.h"
#include "run/runner.h"
#include "tasks/experiment.h"

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

/* run.h - shared by the commands that write a folder of results. */
#ifndef LDPBENCH_COMMANDS_RUN_H
#define LDPBENCH_COMMANDS_RUN_H

#include "run/runner.h"
#include "run/store.h"
#include "tasks/experiment.h"

/* Prints on standard error what the store was found to hold. Damage is reported even with --quiet. */
void say_store_notes(const struct experiment *experiment, const struct store_notes *notes, bool keep, bool quiet);

/* Writes the tables and run.json of a complete store, and removes what is no longer part of the experiment. */
int finish_folder(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                  const char *folder, struct failure *failure);

/* Runs a config into a folder, as `run CONFIG -o FOLDER --allow-external` does, and prints progress alone: for commands
 * that make their configs. */
int run_file(const char *config, const char *folder, int threads, struct failure *failure);

/* The command that asked for a run, for commands that continue with its store: lines `config=`, `hash=` and what the
 * command line changes in the config. Malloc'd. */
char *origin_text(const struct experiment *experiment, const struct overrides *overrides);

/* Reads it back: the config's path (malloc'd), the fingerprint of its text, and the changes. */
struct origin {
    char *config, hash[33];
    struct overrides overrides;
};

void origin_read(const char *text, struct origin *origin);

/* Prints what a config asks for and its cost; the time is measured unless the config has commands that are not allowed.
 */
int print_dry_run(const struct experiment *experiment, int threads, bool verbose, bool allowed,
                  struct failure *failure);

#endif

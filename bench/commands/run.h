/* run.h - what the commands that write a folder of results share. */
#ifndef LDPBENCH_COMMANDS_RUN_H
#define LDPBENCH_COMMANDS_RUN_H

#include "config/experiment.h"
#include "run/runner.h"
#include "run/store.h"

/* What the store was found to hold, on standard error. Damage is told even to those who want to hear little. */
void say_store_notes(const struct experiment *experiment, const struct store_notes *notes, bool keep, bool quiet);

/* Writes the tables and run.json of a complete store, and removes what is no longer part of the experiment. */
int finish_folder(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                  const char *folder, struct failure *failure);

/* How a run was asked for, for those who go on with its store: lines `config=`, `hash=` and what the command line
 * changes in the config. Malloc'd; NULL for want of memory. */
char *origin_text(const struct experiment *experiment, const struct overrides *overrides);

/* The same read back: the config's path (malloc'd), the fingerprint of its text, and the changes. */
struct origin {
    char *config, hash[33];
    struct overrides overrides;
};

int origin_read(const char *text, struct origin *origin, struct failure *failure);

/* Prints what a config asks for and what it would take, which is measured where its commands, if any, are allowed. */
int print_dry_run(const struct experiment *experiment, int threads, bool verbose, bool allowed,
                  struct failure *failure);

#endif

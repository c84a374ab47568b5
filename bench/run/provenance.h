/* provenance.h - run.json: what made the tables of a folder. */
#ifndef LDPBENCH_PROVENANCE_H
#define LDPBENCH_PROVENANCE_H

#include "config/experiment.h"
#include "run/runner.h"

/* The fingerprint of a config's text as 32 hexadecimal digits. */
void config_hash(const struct experiment *experiment, char text[33]);

/* Writes FOLDER/run.json. */
int provenance_write(const struct experiment *experiment, const struct run_summary *summary, const char *folder,
                     struct failure *failure);

/* Refuses (exit status 2) a folder with tables but no store to tell which config they are of, unless run.json says
 * that they are of this one. */
int provenance_check(const struct experiment *experiment, const char *folder, struct failure *failure);

#endif

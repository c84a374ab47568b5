/* provenance.h - run.json: what made the tables of a result folder, and which files the program put there. This is the
 * only reader and writer of that file. */
#ifndef LDPBENCH_PROVENANCE_H
#define LDPBENCH_PROVENANCE_H

#include "run/runner.h"
#include "support/files.h"
#include "tasks/experiment.h"

struct cJSON;
struct provenance;

/* ---- reading ---- */

/* Reads FOLDER/run.json. If it is missing or is something else: exit status 2. */
int provenance_load(const char *folder, struct provenance **out, struct failure *failure);
void provenance_free(struct provenance *provenance);

/* The whole object, for parts that have a reader of their own (the tables: results/declared.h). */
const struct cJSON *provenance_json(const struct provenance *provenance);

/* A member that is a text ("experiment", "task", "config", "build", ...); NULL where there is none. */
const char *provenance_text(const struct provenance *provenance, const char *name);

/* A member that is a whole number from 0 to 2^53 ("seed", "algorithm_version", "repetitions", ...); false where there
 * is none, or no provenance. */
bool provenance_whole(const struct provenance *provenance, const char *name, uint64_t *value);

/* The builds whose numbers the tables are made of, and their shares, which sum to 1. A folder that was written by a
 * release without builds has none. */
struct build_share {
    const char *build;
    double share;
};

size_t provenance_builds(const struct provenance *provenance);
struct build_share provenance_build(const struct provenance *provenance, size_t index);

/* ---- files of the folder ---- */

enum made_kind { MADE_TABLE, MADE_PICTURE, MADE_KINDS };

struct made_file {
    const char *name;
    enum made_kind kind;
    const char *fingerprint; /* SHA-256 of its bytes, as sha256sum writes it */
};

size_t provenance_files(const struct provenance *provenance);
struct made_file provenance_file(const struct provenance *provenance, size_t index);

/* The fingerprint that is listed for a file; "" where none is. */
const char *provenance_fingerprint(const struct provenance *provenance, const char *name);

/* Whether the program wrote the file of that name, and it has not been changed since. Only such files are shown or
 * removed. */
bool provenance_made(const struct provenance *provenance, const char *name);

/* Lists these files of the folder as all those of a kind. Others of the kind that the program wrote earlier are
 * removed, unless they have been changed. run.json is replaced as a whole. */
int provenance_set_files(const char *folder, enum made_kind kind, const char *const *name, size_t count,
                         struct failure *failure);

/* ---- outputs that a user names ---- */

/* Fails (exit status 2) if a result folder owns the file that a path leads to: its run.json, its store, or a file that
 * its run.json lists. */
int output_check(const char *path, struct failure *failure);

/* whole_file_open_path for such a path. */
int output_open(struct whole_file *file, const char *path, struct failure *failure);

/* ---- a run ---- */

/* Refuses (exit status 2) a folder that has tables, but no store or run.json of this config. */
int provenance_check(const struct experiment *experiment, const char *folder, struct failure *failure);

/* Called when an experiment's tables are written: writes FOLDER/run.json, and before that removes the files that the
 * program wrote and that are out of date: tables that the experiment does not have and, if any table has changed, all
 * pictures. kept: which of the experiment's tables are as they were listed. */
int provenance_write(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                     const char *folder, const bool *kept, struct failure *failure);

#endif

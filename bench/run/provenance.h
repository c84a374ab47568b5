/* provenance.h - run.json: what made the tables of a result folder, and which files the program put there. Nothing else
 * reads or writes that file. */
#ifndef LDPBENCH_PROVENANCE_H
#define LDPBENCH_PROVENANCE_H

#include "config/experiment.h"
#include "run/runner.h"

struct cJSON;
struct provenance;

/* ---- reading ---- */

/* Reads FOLDER/run.json. Where there is none, or something else: exit status 2. */
int provenance_load(const char *folder, struct provenance **out, struct failure *failure);
void provenance_free(struct provenance *provenance);

/* The same as JSON, to be deleted by cJSON_Delete; NULL with a failure. */
struct cJSON *provenance_read(const char *folder, struct failure *failure);

/* All of it, for what has its own reader (the tables: results/declared.h). */
const struct cJSON *provenance_json(const struct provenance *provenance);

/* A member that is a text ("experiment", "task", "config", "build", ...); NULL where there is none. */
const char *provenance_text(const struct provenance *provenance, const char *name);

/* A member that is a number ("seed", "algorithm_version", "repetitions", ...); false where there is none. */
bool provenance_number(const struct provenance *provenance, const char *name, double *value);

/* The builds whose numbers the tables are made of, and their shares, which sum to 1. A folder of a release that had no
 * builds has none. */
struct build_share {
    const char *build;
    double share;
};

size_t provenance_builds(const struct provenance *provenance);
struct build_share provenance_build(const struct provenance *provenance, size_t index);

/* ---- files of the folder ---- */

enum made_kind { MADE_TABLE, MADE_PICTURE, MADE_REPORT, MADE_KINDS };

struct made_file {
    const char *name;
    enum made_kind kind;
    const char *fingerprint; /* of its bytes, 32 hexadecimal digits */
};

size_t provenance_files(const struct provenance *provenance);
struct made_file provenance_file(const struct provenance *provenance, size_t index);

/* Whether the program put the file of that name into the folder, and nobody has changed it since. Only such files are
 * shown, and only such files are removed. */
bool provenance_made(const struct provenance *provenance, const char *name);

/* Says that the files of a kind are now those, which lie in the folder. Others of the kind that the program had made
 * are removed, unless somebody has changed them. run.json is replaced as a whole. */
int provenance_set_files(const char *folder, enum made_kind kind, const char *const *name, size_t count,
                         struct failure *failure);

/* Adds one, or says that it was made anew. */
int provenance_add_file(const char *folder, enum made_kind kind, const char *name, struct failure *failure);

/* ---- a run ---- */

/* The fingerprint of a config's text as 32 hexadecimal digits. */
void config_hash(const struct experiment *experiment, char text[33]);

/* Refuses (exit status 2) a folder with tables that no store or run.json says are of this config. */
int provenance_check(const struct experiment *experiment, const char *folder, struct failure *failure);

/* Called when an experiment's tables are written: writes FOLDER/run.json, and before that removes what the program had
 * put into the folder and is no longer part of it: tables that the experiment does not have, and where any table has
 * changed, all pictures and reports. */
int provenance_write(const struct experiment *experiment, struct store *store, const struct run_summary *summary,
                     const char *folder, struct failure *failure);

#endif

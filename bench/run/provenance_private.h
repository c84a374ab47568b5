/* provenance_private.h - shared by the files of provenance. */
#ifndef LDPBENCH_PROVENANCE_PRIVATE_H
#define LDPBENCH_PROVENANCE_PRIVATE_H

#include "run/provenance.h"

#include <cjson/cJSON.h>

/* Adds a file of the folder to a list, with its present fingerprint. */
int provenance_list_file(cJSON *list, const char *folder, enum made_kind kind, const char *name,
                         struct failure *failure);

/* The same with a known fingerprint. */
void provenance_keep_file(cJSON *list, const struct made_file *file);

/* Removes a file if it is unchanged, and returns whether it was. */
bool provenance_is_as_made(const char *folder, const struct made_file *file);
void provenance_remove(const char *folder, const struct made_file *file);

/* Writes run.json. */
int provenance_save(cJSON *root, const char *folder, struct failure *failure);

#endif

/* dataset_argument.h - a dataset as an argument of a command: a file or a law, with the keys that a config has for it
 * in parentheses, such as 'zipf(s=1.5,d=1024,n=1e6)' or 'words.strings(length=6)'. */
#ifndef LDPBENCH_DATASET_ARGUMENT_H
#define LDPBENCH_DATASET_ARGUMENT_H

#include "dataset.h"

struct cJSON;

/* The element of a config's "datasets" that says the same; NULL with a failure, in which the command is named. A part
 * without "=" is a flag, or goes on with the text before it: 'survey.csv(columns=age, sex,full_range)'. */
struct cJSON *dataset_object(const char *command, const char *spec, struct failure *failure);

/* Its file; NULL: it is a law. */
const char *dataset_object_file(const struct cJSON *object);

/* Reads such an element. keep_identifiers: columns of records that name their users are read, and marked. 0, or -1 with
 * the failure set. */
int dataset_object_read(const char *command, const struct cJSON *object, bool keep_identifiers, struct dataset **out,
                        struct failure *failure);

/* Both. */
int read_dataset_argument(const char *command, const char *spec, struct dataset **out, struct failure *failure);

/* Warns of what was left out of its file or may surprise. */
void say_dataset_note(const struct dataset *dataset);

#endif

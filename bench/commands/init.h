/* init.h - data as an argument, and a config for them. */
#ifndef LDPBENCH_INIT_H
#define LDPBENCH_INIT_H

#include "dataset.h"
#include "support/failure.h"
#include "support/text.h"

#include <stdio.h>

struct cJSON;

struct init_request {
    struct texts oracles, epsilon, methods, queries;
    const char *output, *data; /* a file or a law; NULL: Zipf's law */
    struct cJSON *dataset;     /* as a config has it, once it was read */
    bool force;
    bool of_counts;         /* what is asked of strings are counts of values */
    bool ordered;           /* the values have an order */
    enum dataset_kind kind; /* of the data; strings that are asked as counts are counts */
    size_t d;               /* values; attributes of records */
    uint64_t n;
    size_t most_values; /* of a column, */
    char widest[64];    /* whose name this is */
};

/* Sets dataset, kind, d and n of the data, which are read; out NULL: and freed, after what is to be said of
 * the file. The data's name is then without what parentheses said. Strings of which counts are asked are
 * counts, as is one column of records. command: its name in messages. */
int init_read(struct init_request *request, const char *command, struct dataset **out, struct failure *failure);

/* The name of an experiment, made from that of a file, so that its results have a folder of their own. Malloc'd. */
char *init_name(const char *file);

/* The config for the data. */
struct cJSON *init_config(const struct init_request *request, const char *name);

/* Whether tables of records are too large, as the failure says: which column makes them so, and what to do, is added. */
bool init_hint_at_columns(const struct init_request *request, struct failure *failure);

/* Makes a dataset of records one of the answers of a column; NULL: of the only one. */
void init_answers(struct cJSON *dataset, const char *column);

/* Prints a config, a key a line. */
void init_print(FILE *out, const struct cJSON *root);

/* ---- dataset_argument.c: a dataset as an argument, a file or a law, with the keys that a config has for it in
 * parentheses, such as 'zipf(s=1.5,d=1024,n=1e6)' or 'words.strings(length=6)' ---- */

/* The element of a config's "datasets" that says the same; NULL with a failure, in which the command is named. A part
 * without "=" is a flag, or goes on with the text before it: 'survey.csv(columns=age, sex,full_range)'. */
struct cJSON *dataset_object(const char *command, const char *spec, struct failure *failure);

/* Its file; NULL: it is a law. */
const char *dataset_object_file(const struct cJSON *object);

/* Reads such an element. keep_identifiers: columns of records that name their users are read, and marked. 0, or -1 with
 * the failure set. */
int dataset_object_read(const char *command, const struct cJSON *object, bool keep_identifiers, struct dataset **out,
                        struct failure *failure);

#endif

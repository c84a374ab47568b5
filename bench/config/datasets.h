/* datasets.h - the section "datasets" of a config, in two steps: the key is read and checked, with all that the text
 * alone decides; datasets_build generates counts and reads files. */
#ifndef LDPBENCH_DATASETS_H
#define LDPBENCH_DATASETS_H

#include "config/algorithm.h"
#include "dataset.h"

struct dataset_entry; /* an element of the section, as written */

/* A dataset is one point of its entry's sweeps (law parameters, then d, then n fastest). */
struct dataset_list {
    struct dataset_entry *entries;
    size_t nentries;
    bool ordered;             /* each is said to be, or of a type that is */
    double points;            /* of all sweeps together: how many datasets there will be */
    size_t count;             /* datasets, once they are built */
    struct dataset **dataset; /* [count]; NULL before they are built */
    bool *is_standin;         /* [count]: from an "otherwise" */
};

/* Builds them all; the config's file must still be open. seed: for counts that are drawn at random. */
int datasets_build(struct dataset_list *datasets, uint64_t seed, bool dry_run, struct failure *failure);

/* Reads and builds one dataset, without sweeps, as a command has it (commands/init.h). path: of its file,
 * whatever the key says; NULL: a law. */
int dataset_read(const struct json_at *at, const char *path, bool keep_identifiers, struct dataset **out,
                 struct failure *failure);
void datasets_clear(struct dataset_list *datasets);

/* The key of a task that takes counts (strings have counts too), of tasks that take only strings or only records, and
 * of one that takes all. */
extern const struct config_type config_datasets, config_strings, config_records, config_any_datasets;
#define CONFIG_DATASETS_OF(struct_type, member, of, words, sample)                                                     \
    KEY("datasets", words, sample, .required = true, .type = &of,                                                      \
        CONFIG_MEMBER(struct_type, member, struct dataset_list))
#define CONFIG_DATASETS(struct_type, member)                                                                           \
    CONFIG_DATASETS_OF(struct_type, member, config_datasets, "true counts",                                            \
                       "[{\"type\": \"zipf\", \"s\": 1.5, \"d\": 1024, \"n\": 1000000}]")
#define CONFIG_STRINGS(struct_type, member)                                                                            \
    CONFIG_DATASETS_OF(struct_type, member, config_strings, "users' strings",                                          \
                       "[{\"type\": \"strings\", \"file\": \"mine.strings\", \"length\": 6, \"alphabet\": \"a-z\"}]")
#define CONFIG_RECORDS(struct_type, member)                                                                            \
    CONFIG_DATASETS_OF(struct_type, member, config_records, "users' records",                                          \
                       "[{\"type\": \"records\", \"file\": \"mine.csv\"}]")
#define CONFIG_ANY_DATASETS(struct_type, member)                                                                       \
    CONFIG_DATASETS_OF(struct_type, member, config_any_datasets,                                                       \
                       "true counts of the first round, or records with a column for each round",                      \
                       "[{\"type\": \"uniform\", \"d\": 360, \"n\": 10000}]")

/* Names of all types of datasets, NULL-terminated. */
void dataset_type_names(const char *names[NAMES_MAX]);

/* The types of datasets that are laws, and those that read a file. */
extern const struct algorithm_kind law_kind, file_kind;

/* The schema of one dataset; that of a law is algorithms_schema(&law_kind). */
struct cJSON *datasets_schema(void);

/* Finds the file of that name, which the key "file" of an object gives. 0 also when there is none and has_otherwise is
 * set: then *path is NULL. */
int file_find(const struct json_at *object, const char *name, bool has_otherwise, char **path, struct failure *failure);

#endif

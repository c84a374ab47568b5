/* dataset.h - true counts: generated from a law or read from a file; labels of values; sets of values. */
#ifndef LDPBENCH_DATASET_H
#define LDPBENCH_DATASET_H

#include "ldp.h"
#include "support/failure.h"
#include "support/memory.h"

/* The contents of a dataset besides counts of values. A dataset of strings also has counts, those of its distinct
 * strings. */
enum dataset_kind { DATASET_COUNTS, DATASET_STRINGS, DATASET_RECORDS };

/* A set of kinds. */
enum {
    DATASETS_COUNTS = 1 << DATASET_COUNTS,
    DATASETS_STRINGS = 1 << DATASET_STRINGS,
    DATASETS_RECORDS = 1 << DATASET_RECORDS
};

#define RECORD_VALUES_MAX ((uint64_t)1 << 31) /* users times attributes that a law of records makes */

struct dataset_strings; /* strings.h */
struct dataset_records; /* records.h */

/* A dataset ready for use. */
struct dataset {
    char *name;                        /* as tables show it: zipf(s=1.5), kosarak */
    char *key;                         /* its identity: the law with all parameters, or a fingerprint of the data */
    struct ldp_population *population; /* NULL: a dataset of records */
    char **labels;                     /* [d]; NULL: value v is shown as its number */
    struct dataset_strings *strings;   /* NULL: another kind */
    struct dataset_records *records;   /* NULL: another kind */
    const struct dataset_type *type;
    double param[LDP_PARAMS_MAX]; /* in the order of type->params */
    char *text;                   /* type->text; NULL: not given */
    char *note;                   /* on the file: what was left out or may surprise; NULL: nothing */
};

/* The request of a dataset entry of a config, at one point of its sweeps. */
struct dataset_request {
    const struct dataset_type *type;
    double param[LDP_PARAMS_MAX]; /* in the order of type->params */
    size_t d;                     /* generators only */
    uint64_t n;                   /* 0: that of the file; the counts of a file are scaled to any other n */
    bool sampled;                 /* one multinomial draw instead of rounded expected counts */
    uint64_t seed;                /* of that draw */
    const char *path;             /* files only: where it was found */
    const char *text;             /* type->text; NULL: not given */
    const char *missing;          /* markers of missing cells besides the usual ones, commas between; NULL: none */
    bool keep_identifiers;        /* records: columns that name their users are read, and marked */
    const char *label;            /* overrides the name; NULL: derived */
};

/* The content of a file: counts[d], d >= 2, and labels[d] if the file names its values; malloc'd. */
struct dataset_table {
    size_t d;
    uint64_t *counts;
    uint64_t *truth; /* [d], if counts are of a sample: what it was drawn from */
    double sample;   /* its size */
    char **labels;
    struct dataset_strings *strings; /* of a type of that kind */
    struct dataset_records *records; /* of a type of that kind, which has nothing else */
    struct buffer notes;             /* on what was left out or may surprise, with semicolons between */
};

/* A text parameter of a type of dataset, besides its numbers. */
struct dataset_text {
    const char *name, *help, *example; /* a config key; a phrase without a full stop; JSON text */
    const char *pattern;               /* regular expression that every good text matches, for the schema; NULL: none */
};

struct lines; /* lines.h */

/* A kind of dataset, dataset_type_<id> in datasets/laws/<id>.c or datasets/readers/<id>.c; a line in registry.def
 * registers it. */
struct dataset_type {
    const char *name; /* config key */
    const char *title;
    const char *source;
    enum dataset_kind kind;
    const struct ldp_param *params;  /* NULL: none. One of a file without a default may be left out; it is then 0 */
    const struct dataset_text *text; /* NULL: none */
    bool from_file;
    bool cells;   /* a file of cells, which may be missing */
    bool ordered; /* the values have an order: sizes, times */

    /* Checks that parameters and text fit together, each of them being in its range; NULL: they always do. LDP_EINVAL
     * with the reason. */
    enum ldp_status (*check)(const double *param, const char *text, struct ldp_reason *reason);

    /* A law: weight[0..d-1] >= 0, proportional to the probabilities of ranks 1..d. */
    void (*weights)(const double *param, size_t d, double *weight);

    /* A law of strings: d different strings in the order of their keys, and rank[v] of string v, 0..d-1, malloc'd. On
     * failure there is nothing to free. */
    int (*spell)(const struct dataset_request *request, struct dataset_strings **out, uint32_t **rank,
                 struct failure *failure);

    /* A law of records: request->n users of request->d attributes. On failure there is nothing to free. */
    int (*generate)(const struct dataset_request *request, struct dataset_records **out, struct failure *failure);

    /* A format of files: the extensions of their names (without .gz; NULL: none), NULL-terminated; the largest number
     * of bytes of a line (0: 64 KiB). */
    const char *const *endings;
    size_t line_max;

    /* Reads the values from the lines of a file. */
    int (*parse)(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure);
};

extern const struct dataset_type *const dataset_types[]; /* NULL-terminated */
const struct dataset_type *dataset_type_find(const char *name);

/* The format given by the name of a file; the first format if the name gives none. */
const struct dataset_type *dataset_type_of_file(const char *path);

/* Builds a dataset: 0, or -1 with the failure set. Expected counts are rounded by largest remainder so
 * that they sum to exactly n. */
int dataset_new(const struct dataset_request *request, struct dataset **out, struct failure *failure);
void dataset_free(struct dataset *dataset);

/* Values of a domain, or attributes of records; users. */
size_t dataset_d(const struct dataset *dataset);
uint64_t dataset_n(const struct dataset *dataset);

/* The exponent s of Zipf's law that is most likely for the counts by rank: its mean of ln r is the counts'. */
double zipf_exponent(const struct ldp_population *population);

/* Largest-remainder rounding of n * weight / sum(weight); ties go to the smaller index. Needs sum(weight) > 0. Also
 * turns a surrogate distribution into a dataset (NDSS 2020, sec. V-D). */
void dataset_round(const double *weight, size_t d, uint64_t n, uint64_t *counts);

/* Searches for a file as written in the config, then (relative names) next to `beside` (a file; may be NULL), then in
 * each folder of the environment variable LDPBENCH_DATA (colon separated), then in ./data and ./datasets/data. Returns
 * a malloc'd path, or NULL with the failure set (which folders were searched). */
char *dataset_find_file(const char *name, const char *referrer, struct failure *failure);

/* A partition file: lines label TAB category. Sets are in order of first appearance; values that are not in the dataset
 * are an error; values without a category belong to no set. */
struct dataset_sets {
    struct ldp_sets sets;
    char **names; /* [sets.count] */
    size_t *first;
    uint32_t *member;
};

int dataset_sets_parse(struct lines *lines, const struct dataset *dataset, struct dataset_sets **out,
                       struct failure *failure);
int dataset_sets_load(const char *path, const struct dataset *dataset, struct dataset_sets **out,
                      struct failure *failure);
/* The same of d values, which have labels or (NULL) are numbers. */
int dataset_sets_load_values(const char *path, size_t d, char **labels, struct dataset_sets **out,
                             struct failure *failure);

/* A substitute if there is no file of categories: `count` disjoint random sets of a domain, with sizes that differ by
 * at most 1 and a total of round(count * mean_size) (at most d), drawn from the stream (seed, "random-sets", d). */
int dataset_sets_random(size_t count, double mean_size, const struct dataset *dataset, uint64_t seed,
                        struct dataset_sets **out, struct failure *failure);
void dataset_sets_free(struct dataset_sets *sets);

#endif

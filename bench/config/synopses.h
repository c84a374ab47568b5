/* synopses.h - the sections "synopses" and "marginals" of a config: sets of attributes, by name or number. */
#ifndef LDPBENCH_CONFIG_SYNOPSES_H
#define LDPBENCH_CONFIG_SYNOPSES_H

#include "config/datasets.h"
#include "config/methods.h"
#include "config/sweep.h"
#include "contents.h"
#include "marginals/synopsis.h"
#include "records.h"

/* ---- "synopses" ---- */

struct synopsis_choice {
    char *label;                   /* calm, or calm(m=20 l=6) */
    struct ldp_synopsis_spec spec; /* without sets, which depend on the dataset */
    struct json_at at;             /* while the config's file is open */
    struct json_at sets;           /* no file: none are given */
};

struct synopsis_list {
    ALGORITHMS(struct synopsis_choice);
};

/* A canonical text of a synopsis with all its parameters, method and sets of attributes as they are written. Malloc'd.
 */
char *synopsis_text(const struct synopsis_choice *choice);

extern const struct config_type config_synopses;

extern const struct algorithm_kind synopsis_kind;

/* ---- "marginals" ---- */

/* Random marginals of each k, or given ones. */
struct requested_marginals {
    struct json_at at, list; /* list: no file where marginals are random */
    struct sweep k;
    uint64_t count;
};

void requested_clear(struct requested_marginals *requested);

/* A set of attributes, by name or number. */
extern const struct config_type config_attributes;

extern const struct config_type config_requested;

/* The keys of random marginals. */
extern const struct config_key requested_keys[];

/* Sets of attributes of one dataset. */
struct attribute_sets {
    struct ldp_set *set;
    size_t count;
};

/* A list of sets of attributes: lists of names or numbers, each attribute once in a set, each set once. */
int attribute_sets_read(const struct json_at *list, const struct dataset_records *records, struct attribute_sets *out,
                        struct failure *failure);

/* The marginals of a dataset, ordered by their number of attributes. The random ones depend on d, k, their number and
 * the seed.
 */
int requested_bind(const struct requested_marginals *requested, const struct dataset *dataset, uint64_t seed,
                   struct attribute_sets *out, struct failure *failure);

/* A fingerprint of sets as a text. Malloc'd. */
char *attribute_sets_text(enum contents name, const struct attribute_sets *sets);

/* `a0+a3`. Malloc'd. */
char *attribute_set_text(const struct ldp_set *set, const struct dataset_records *records);

#endif

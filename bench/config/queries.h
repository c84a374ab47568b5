/* queries.h - the section "queries" of a config, in two steps: the key is read, with all that the text alone decides;
 * queries_bind reads or draws the sets, which depend on the datasets. */
#ifndef LDPBENCH_QUERIES_H
#define LDPBENCH_QUERIES_H

#include "config/algorithm.h"
#include "config/datasets.h"
#include "config/sweep.h"
#include "ldp.h"

struct query_choice {
    char *label; /* as tables show it; all different */
    struct json_at at;
    const struct ldp_query *query;
    double param[LDP_PARAMS_MAX];
    struct sweep points;
    const char *file; /* of sets, as written in the config, */
    char *path;       /* and the path that was found; NULL: none, or not found */
    struct json_at otherwise;
    uint64_t random_sets; /* from "otherwise" */
    double mean_size;

    /* Once it is bound to the datasets. */
    size_t ndatasets;
    char **keys;                  /* [ndatasets]: all parameters, and a fingerprint of the dataset's sets */
    struct ldp_query_spec *specs; /* [ndatasets]: sets depend on the dataset's labels */
    struct dataset_sets **sets;   /* [ndatasets], NULL entries where none */
};

struct query_list {
    ALGORITHMS(struct query_choice);
};

/* Binds every query to every dataset, whose values are ordered or not; the config's file must still be open. seed: of
 * sets that are drawn. */
int queries_bind(struct query_list *queries, const struct dataset_list *datasets, bool ordered, uint64_t seed,
                 struct failure *failure);

/* The key. */
extern const struct config_type config_queries;
#define CONFIG_QUERIES(struct_type, member)                                                                            \
    KEY("queries", "what is computed from true and estimated frequencies",                                             \
        "[\"full_domain\", {\"type\": \"top_k\", \"k\": [8, 32]}]", .required = true, .type = &config_queries,         \
        CONFIG_MEMBER(struct_type, member, struct query_list))

extern const struct algorithm_kind query_kind;
struct cJSON *query_of(const char *text); /* of words, "top_k=10,100" */
extern const struct config_key random_sets_keys[];

#endif

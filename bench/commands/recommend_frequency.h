/* recommend_frequency.h - the request, the findings and the output of ldpbench recommend for frequencies. */
#ifndef LDPBENCH_RECOMMEND_FREQUENCY_H
#define LDPBENCH_RECOMMEND_FREQUENCY_H

#include "commands/algorithms.h"
#include "commands/commands.h"
#include "commands/dataset_argument.h"
#include "commands/own_methods.h"
#include "dataset.h"
#include "stats/ranking.h"

enum { QUERIES_MAX = 64, POINTS_MAX = 256 };

struct query_request {
    const struct ldp_query *query;
    double points[POINTS_MAX];
    size_t npoints;
    const char *sets_file;
    struct dataset_sets *sets;
};

struct request {
    struct ldp_oracle_spec made_by; /* the oracle of the supports; .oracle NULL: not given */
    struct algorithms chosen;       /* candidates */
    struct own_methods own;         /* those of them that are files */
    size_t only[NAMES_MAX];         /* as a ranking_plan's, of methods that are added for one list */
    double epsilon;
    uint64_t n; /* 0: as the counts say */
    struct query_request queries[QUERIES_MAX];
    size_t nqueries;
    struct surrogate surrogate;
    bool has_surrogate, counts;
    bool numbers; /* counts of numbers in bins, whose values have an order */
    struct strings_options form;
    unsigned long long trials, replicates, seed;
    int threads;
    enum format format;
    const char *file;
};

/* Findings from the file on. */
struct advice {
    const struct request *request;
    size_t d;
    uint64_t n;
    struct ldp_protocol made_by; /* of the supports */
    struct surrogate_fit fit, sharp, point;
    struct ldp_protocol protocols[NAMES_MAX]; /* of the candidates that suit d and epsilon */
    const char *oracles[NAMES_MAX];           /* their names: two oracles may be equal */
    size_t nprotocols;
    const char *unsuited[NAMES_MAX];
    struct ldp_reason reasons[NAMES_MAX]; /* why they do not suit */
    size_t nunsuited;
    struct ldp_sketch_need need[NAMES_MAX]; /* of the protocols that are sketches, for a population of the fit */
    bool suits[NAMES_MAX * NAMES_MAX];      /* [nprotocols][methods] */
    struct ldp_query_spec queries[QUERIES_MAX];
    struct rankings rankings;
};

/* Prints the advice in the format that was asked for. */
void print_recommendation(const struct advice *advice);

#endif

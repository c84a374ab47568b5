/* recommend_marginals.h - what ldpbench recommend --task marginals was asked and has found, and its printing. */
#ifndef LDPBENCH_RECOMMEND_MARGINALS_H
#define LDPBENCH_RECOMMEND_MARGINALS_H

#include "commands/algorithms.h"
#include "commands/commands.h"
#include "commands/dataset_argument.h"
#include "dataset.h"
#include "records.h"
#include "synopsis.h"

enum { MARGINALS_NAMED_MAX = 256 };

struct marginals_request {
    const char *file, *cardinalities; /* one of them */
    struct strings_options form;      /* columns of the file, bins, other */
    double strength;                  /* of the chain, where there is no file */
    double epsilon;
    uint64_t n; /* 0: as the file says */
    bool k[LDP_SET_MAX + 1];
    unsigned long long count;
    const char *named[MARGINALS_NAMED_MAX]; /* a+b */
    size_t nnamed;
    const char *synopses[NAMES_MAX];
    size_t nsynopses;         /* 0: all */
    struct algorithms chosen; /* oracles */
    unsigned long long trials, seed;
    int threads;
    enum format format;
};

/* A synopsis with an oracle, and its errors, each a mean over marginals and trials. */
struct marginals_candidate {
    struct ldp_synopsis_spec spec;
    const struct ldp_oracle_spec *oracle;
    bool suits;
    struct ldp_reason reason; /* why it does not */
    double *value;      /* [trials]: the error of each; those far from the best after the first ones have no more */
    double trials, sse; /* sse: their sum */
    double noise, sampling, reconstruction;
    struct ldp_synopsis_facts facts; /* of the first trial; set is not there */
};

struct marginals_advice {
    const struct marginals_request *request;
    const struct dataset *dataset;
    const struct ldp_set *sets;
    size_t nsets;
    struct marginals_candidate *candidate; /* by their errors, those that do not suit last */
    size_t count;
};

int print_marginals_advice(const struct marginals_advice *advice, struct failure *failure);

#endif

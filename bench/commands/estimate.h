/* estimate.h - shared by the files of `ldpbench estimate`: what the command line says of a collection. */
#ifndef LDPBENCH_ESTIMATE_H
#define LDPBENCH_ESTIMATE_H

#include "commands/algorithms.h"
#include "commands/supports.h"

struct estimate_request {
    struct algorithms chosen;            /* one oracle, or none */
    const char *file;                    /* or a folder of tables */
    double epsilon;                      /* 0: not given */
    uint64_t n;                          /* of supports; 0: the file has reports */
    uint64_t d;                          /* values that are numbers; 0: not given */
    const char *domain;                  /* a file of values; NULL: none */
    uint64_t public_seed;                /* of the hash functions that all users share */
    const char *sets_file;               /* NULL: each value */
    const struct ldp_interval *interval; /* NULL: none */
    double interval_param[LDP_PARAMS_MAX];
    double level;
    enum format format;
    /* of tables */
    const char *output; /* folder */
    struct texts marginals;
    bool negative;
};

/* Makes noisy tables agree, and writes marginals. */
int estimate_tables(const struct estimate_request *request, struct failure *failure);

#endif

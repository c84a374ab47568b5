/* recommend_search.h - what ldpbench recommend was asked about a search and has found, and its printing. */
#ifndef LDPBENCH_RECOMMEND_SEARCH_H
#define LDPBENCH_RECOMMEND_SEARCH_H

#include "commands/algorithms.h"
#include "commands/commands.h"
#include "commands/dataset_argument.h"
#include "stats/race.h"

struct search_request {
    struct strings_options form;
    struct algorithms chosen;                          /* its oracles */
    const struct ldp_search *protocols[NAMES_MAX + 1]; /* NULL-terminated */
    size_t nprotocols;
    double epsilon;
    uint64_t n; /* 0: as the data say */
    struct ldp_target target;
    unsigned long long trials, seed;
    int threads;
    enum format format;
    const char *spec; /* a file or a law; NULL: a stand-in is made */
};

struct search_advice {
    const struct search_request *request;
    const struct dataset *dataset;
    bool stand_in;
    struct race race;
};

/* Prints the advice in the format that was asked for. 0, or -1 with the failure set. */
void print_search_advice(const struct search_advice *advice);

#endif

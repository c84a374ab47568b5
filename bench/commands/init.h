/* init.h - what the parts of ldpbench init share. */
#ifndef LDPBENCH_INIT_H
#define LDPBENCH_INIT_H

#include "commands/dataset_argument.h"

enum { LISTED = 32 };

struct init_words {
    const char *word[LISTED];
    size_t count;
};

struct init_request {
    struct init_words oracles, epsilon, methods, queries;
    const char *output, *data; /* NULL: a law */
    struct strings_options form;
    bool force;
    bool ordered;           /* the values have an order */
    enum dataset_kind kind; /* of the data; strings that are asked as counts are counts */
    size_t d;               /* values; attributes of records */
    uint64_t n;
};

/* Sets kind, d and n of the data. Strings of which counts are asked are counts, as is one column of records. */
int init_look_at_data(struct init_request *request, struct failure *failure);

#endif

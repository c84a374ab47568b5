/* algorithms.h - oracles and methods with their parameters, as told on a command line. */
#ifndef LDPBENCH_ALGORITHMS_H
#define LDPBENCH_ALGORITHMS_H

#include "ldpbench.h"
#include "support/failure.h"
#include "support/names.h"

/* Start from all zero. */
struct algorithms {
    struct ldp_oracle_spec oracles[NAMES_MAX];
    size_t noracles;
    struct ldp_method_spec methods[NAMES_MAX];
    size_t nmethods;
    bool all_methods;                  /* told by "all" */
    const char *param[LDP_PARAMS_MAX]; /* NAME=VALUE texts */
    size_t nparams;
};

/* --oracle NAME, or one of several: --oracles NAME, which may be all, every private one. */
int algorithms_add_oracle(struct algorithms *algorithms, const char *name, bool several, struct failure *failure);

/* --method NAME or all; on_answers: those that act on answers of queries too. */
int algorithms_add_method(struct algorithms *algorithms, const char *name, bool on_answers, struct failure *failure);

/* --param NAME=VALUE, kept until algorithms_set_params. */
int algorithms_add_param(struct algorithms *algorithms, const char *text, struct failure *failure);

/* Gives the parameters to every oracle and method that has one of that name, once all are told. */
int algorithms_set_params(struct algorithms *algorithms, struct failure *failure);

/* Leaves out methods that do not suit a protocol where all were asked for; fails where they were named. */
int algorithms_suit(struct algorithms *algorithms, const struct ldp_protocol *protocol, struct failure *failure);

/* Fails with `OPTION: expected WHAT, got "TEXT"` and the nearest name of the list. */
int unknown_name(const char *option, const char *what, const char *text, const char *const *names,
                 struct failure *failure);

/* Option texts: an epsilon > 0, users as 1000000 or 1e6. */
int read_epsilon(const char *text, double *epsilon, struct failure *failure);
int read_users(const char *text, uint64_t *n, struct failure *failure);

#endif

/* algorithms.h - oracles and methods with their parameters, as given on a command line. */
#ifndef LDPBENCH_ALGORITHMS_H
#define LDPBENCH_ALGORITHMS_H

#include "commands/commands.h"
#include "ldpbench.h"
#include "support/failure.h"
#include "support/names.h"

enum { PARAMS_MAX = 32 };

/* Start from all zero. */
struct algorithms {
    struct ldp_oracle_spec oracles[NAMES_MAX];
    size_t noracles;
    struct ldp_oracle_spec inner; /* that sketches contain, where one is given; specs point to it */
    const char *inner_key;        /* what they call it: row_oracle */
    struct ldp_method_spec methods[NAMES_MAX];
    size_t nmethods;
    bool all_oracles, all_methods; /* given by "all" */
    const struct ldp_method *left_out[NAMES_MAX];
    size_t nleft_out;
    const char *param[PARAMS_MAX]; /* NAME=VALUE texts */
    size_t nparams;
};

/* The values of these options, for their tables: oracles, or all of them; methods, or all; methods that act on
 * estimates.
 */
void candidate_names(const char *names[NAMES_MAX]);
void estimate_method_names(const char *names[NAMES_MAX]);

/* Rows of their options. */
#define OPTION_ORACLE(code_, names_, help_)                                                                            \
    {                                                                                                                  \
        .name = "oracle", .code = (code_), .value = "NAME", .again = true, .names = (names_), .help = (help_)          \
    }
#define OPTION_METHOD(code_, names_, help_)                                                                            \
    {                                                                                                                  \
        .name = "method", .code = (code_), .value = "NAME", .again = true, .names = (names_), .help = (help_)          \
    }
#define OPTION_PARAM(code_, help_)                                                                                     \
    {                                                                                                                  \
        .name = "param", .code = (code_), .value = "NAME=VALUE", .again = true, .help = (help_)                        \
    }

/* --oracle NAME; several: names with commas between, or all, every private one that is unbiased. */
int algorithms_add_oracle(struct algorithms *algorithms, const char *name, bool several, struct failure *failure);

/* All that use the order of the values; unbiased: of those. Fails if one is there. */
int algorithms_add_ordered(struct algorithms *algorithms, bool unbiased, struct failure *failure);

/* --method NAMES or all; on_answers: those that act on answers of queries too. */
int algorithms_add_method(struct algorithms *algorithms, const char *name, bool on_answers, struct failure *failure);

/* --param NAME=VALUE, kept until algorithms_set_params. */
int algorithms_add_param(struct algorithms *algorithms, const char *text, struct failure *failure);

/* Gives the parameters to every oracle and method that has one of that name, once all have been given. row_oracle=NAME
 * sets the row oracle of sketches, row_oracle.PARAM=VALUE its parameters; the struct must not move afterwards. */
int algorithms_set_params(struct algorithms *algorithms, struct failure *failure);

/* Moves methods that do not suit a protocol to left_out if "all" was given; fails if they were named. */
int algorithms_suit(struct algorithms *algorithms, const struct ldp_protocol *protocol, struct failure *failure);

/* Tells on standard error which methods are left out and what they need: a line for each reason. */
void algorithms_say_left_out(const struct algorithms *algorithms);

#endif

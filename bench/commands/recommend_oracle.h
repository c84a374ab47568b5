/* recommend_oracle.h - the limits, the findings and the output of ldpbench recommend --task oracle. */
#ifndef LDPBENCH_RECOMMEND_ORACLE_H
#define LDPBENCH_RECOMMEND_ORACLE_H

#include "commands/algorithms.h"
#include "commands/commands.h"

struct limits {
    struct algorithms chosen;
    size_t d;
    double epsilon;       /* at most */
    double error;         /* a standard error; 0: none is asked for */
    uint64_t n;           /* users that there are; 0: not limited */
    double bits, seconds; /* INFINITY: not limited */
    double speed;         /* operations of the server in a second */
    enum format format;
};

struct choice {
    const struct ldp_oracle_spec *spec;
    double variance; /* mean over the values, per user */
    double over;     /* of the least possible */
    struct ldp_cost cost;
    double users;   /* needed for the error, or those that there are */
    double error;   /* reached, with no more users than there are */
    double seconds; /* of the server for them */
    double epsilon; /* the least that suffices where users and error are given, else the largest allowed */
    bool too_noisy, too_long, too_slow;
    bool meets;    /* all limits */
    bool frontier; /* no other is better in users, bits and time at once */
};

struct choices {
    const struct limits *limits;
    struct choice choice[NAMES_MAX]; /* [count], the best of those that meet the limits first */
    size_t count, meeting;
    const struct choice *free; /* the best without limits but epsilon */
};

void print_choices(const struct choices *choices);

#endif

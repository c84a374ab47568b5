/* recommend_oracle.h - the limits, the findings and the output of ldpbench recommend --task oracle. */
#ifndef LDPBENCH_RECOMMEND_ORACLE_H
#define LDPBENCH_RECOMMEND_ORACLE_H

#include "commands/algorithms.h"
#include "commands/commands.h"
#include "config/central.h"
#include "stats/surrogate.h"

struct limits {
    struct algorithms chosen;
    size_t d;
    double epsilon; /* at most */
    bool shuffled;  /* epsilon is the central one, at this delta */
    struct delta delta;
    double error;         /* a standard error; 0: none is asked for */
    double range;         /* percent of the values, in their order: errors are those of all such ranges; 0: of values */
    double fraction;      /* malicious users among all; 0: none */
    uint64_t n;           /* users that there are; 0: not limited */
    double bits, seconds; /* INFINITY: not limited */
    double speed;         /* operations of the server in a second */
    enum format format;
    const char *pilot_file; /* counts on which methods are tried; NULL: estimates are not processed */
    struct surrogate_fit pilot;
    unsigned long long trials, seed;
    int threads;
    const char *picture; /* NULL: none */
};

struct choice {
    const struct ldp_oracle_spec *spec;
    double
        variance; /* mean squared error of a value or range times the users: without a method, of any number of them */
    const struct ldp_method *method; /* the best on the pilot; NULL: no pilot */
    double plain_users;              /* needed without a method */
    double over;                     /* of the least possible */
    double lift;  /* malicious users: what one of them adds to a value, in users; INFINITY: no bound is known */
    double merit; /* less is better: the variance; with malicious users the squared error of a value that they push */
    struct ldp_cost cost;
    double users;   /* needed for the error, or those that there are */
    double error;   /* reached, with no more users than there are */
    double seconds; /* of the server for them */
    double epsilon; /* the least that suffices where users and error are given, else the largest allowed to clients */
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

/* The server's seconds for so many users. */
double choice_seconds(const struct limits *limits, const struct choice *choice, double users);

/* The mean variance of an estimate, or of the total of a range, per user; INFINITY where the oracle does not suit, or
 * the variance is not known. */
double oracle_variance(const struct limits *limits, const struct ldp_oracle_spec *spec, double epsilon,
                       struct ldp_protocol *protocol);

/* The standard error of an oracle, with its method if there is a pilot, at an epsilon with so many users. */
int choice_error(const struct limits *limits, const struct choice *choice, double epsilon, double users, double *error,
                 struct failure *failure);

/* Replaces what an oracle needs by what it needs with its best method on the pilot. */
int choice_with_method(const struct limits *limits, struct choice *choice, struct failure *failure);

/* Users that one malicious report adds to the estimate of a value. */
double oracle_lift(const struct ldp_protocol *protocol);

/* The error at the users that there are, or the users for the error, against bits, seconds and epsilon. */
int choices_picture(const struct choices *choices, struct failure *failure);

void print_choices(const struct choices *choices);

#endif

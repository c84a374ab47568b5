/* oracles.h - what ldpbench oracles is asked, what it finds and prints. */
#ifndef LDPBENCH_COMMANDS_ORACLES_H
#define LDPBENCH_COMMANDS_ORACLES_H

#include "commands/algorithms.h"
#include "commands/commands.h"
#include "dataset.h"
#include "protocol/attack_success.h"

double delta_at(double delta, uint64_t n); /* n^-1.5 where it is 0 */

struct oracles_request {
    struct algorithms chosen;
    const char *data;        /* NULL: none */
    struct cJSON *object;    /* of data, as a config has it */
    struct dataset *dataset; /* of data */
    const char *folder;      /* of an experiment with the frontier; NULL: none */
    uint64_t d;
    uint64_t n;           /* users that there are; 0: as many as the error takes */
    double epsilon;       /* of the clients, at most */
    double central, most; /* central: of all reports shuffled, in place of epsilon; 0: not given */
    double delta;         /* of the central epsilon; 0: not given */
    double error;         /* a standard error; 0: none is asked for */
    double range;         /* percent of the values, in their order: errors are those of such ranges; 0: of values */
    double fraction;      /* malicious users among all; 0: none */
    double bits, seconds, attack; /* INFINITY: not limited */
    bool frontier;                /* what malicious reports add counts too, and who dominates whom is shown */
    enum format format;
};

/* An oracle with all that is known of it. NAN: not asked, or not known. */
struct oracle_row {
    const struct ldp_oracle_spec *spec;
    const char *name;          /* with parameters that are not the default */
    struct ldp_reason refused; /* empty: it suits */
    double parameter;          /* the first one */
    double epsilon;            /* of the clients: the least that suffices where users and error are given */
    double variance;           /* of an estimate or a range, times the users */
    double over;               /* of the least possible */
    double users, error;       /* needed for the error, or those that there are; reached with no more than there are */
    double bits, operations, seconds, state, range10, range40;
    double gain_per_user;  /* users that one malicious report adds to a value; INFINITY: no bound is known */
    double gain, attacked; /* of all malicious users; the error of a value that they push */
    double central, central_lower, central_any, alpha, mu,
        deviation; /* deviation: of the count of a value without users */
    struct ldp_attack_success attack;
    double merit;          /* less is better */
    const char *partial;   /* why the variance is not the whole error; NULL: it is */
    char broken[32];       /* "users, bits": the limits that are not kept */
    const char *dominated; /* by the best that is better in error, bits, operations, gain and attack success at once */
};

struct oracle_rows {
    struct oracle_row *row; /* [count], the best of those that keep to the limits first, [..listed] the refused */
    size_t count, listed;
    const struct oracle_row *unlimited; /* the best without limits but epsilon */
    struct texts names;                 /* of the frontier */
};

static inline bool oracle_keeps(const struct oracle_row *row)
{
    return !*row->broken;
}

/* frontier: oracles with all parameters that no other beats in error and attack success, if it was asked for. */
void oracles_print(const struct oracles_request *request, const struct oracle_rows *rows,
                   const struct oracle_rows *frontier);

#endif

/* designed.h - common code of the synopses on tables of a design: calm, rem, maxent. Internal to the core. */
#ifndef LDPBENCH_DESIGNED_H
#define LDPBENCH_DESIGNED_H

#include "marginals/survey.h"

enum { DESIGNED_M, DESIGNED_L, DESIGNED_PARAMS };

/* The rows of m and l in a synopsis' table of parameters. */
#define DESIGNED_ROWS(chosen)                                                                                          \
    {"m", LDP_INTEGER, NAN, 1, 100000, NULL, "tables; default: " chosen},                                              \
    {                                                                                                                  \
        "l", LDP_INTEGER, NAN, 1, LDP_SET_MAX, NULL, "attributes of a table; default: " chosen                         \
    }

/* Sets of m and l; of l alone, all of them; of m alone, m pairs; of neither, all pairs (of one attribute,
 * that one). Malloc'd. */
enum ldp_status ldp_designed_sets(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  struct ldp_set **set, size_t *m, struct ldp_reason *reason);

/* The first member of a synopsis' state. */
struct designed {
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    struct survey survey;
    double *coefs;
};

/* The design of a spec: given by hand, or by m and l. Must be cleared in every case. */
enum ldp_status ldp_designed_open(struct designed *designed, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason);
void ldp_designed_clear(struct designed *designed);

/* Entries of a synopsis (synopsis.h) whose state begins with a struct designed. */
enum ldp_status ldp_designed_collect(void *state, struct ldp_rng *rng, bool stages);
void ldp_designed_facts(const void *state, struct ldp_synopsis_facts *facts);
enum ldp_status ldp_designed_intervals(void *state, double level, double *low, double *high);
void ldp_designed_predict(const void *state, struct ldp_prediction *out);

#endif

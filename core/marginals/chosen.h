/* chosen.h - tables of a design that is given, or chosen by a first part of the users: common code of calm and
 * calm_shrunk. Internal to the core. */
#ifndef LDPBENCH_CHOSEN_H
#define LDPBENCH_CHOSEN_H

#include "marginals/designed.h"

#include <math.h>

enum { CHOSEN_THETA = DESIGNED_PARAMS };

#define CHOSEN_ROWS                                                                                                    \
    DESIGNED_ROWS("chosen by what a first part of the users reports"),                                                 \
    {                                                                                                                  \
        "theta", LDP_REAL, NAN, 1e-9, 1, NULL,                                                                         \
            "m and l by the threshold rule of CALM's paper, as reconstructed: the expected squared error of a table"   \
    }

/* shrinks: interactions are shrunk by how much of them is noise (shrink.h). */
enum ldp_status ldp_chosen_open(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload, bool shrinks,
                                void **state, struct ldp_reason *reason);
void ldp_chosen_close(void *state);

/* Entries of a synopsis (synopsis.h). */
enum ldp_status ldp_chosen_collect(void *state, struct ldp_rng *rng, bool stages);
void ldp_chosen_answer(void *state, enum ldp_stage stage, double *out);
enum ldp_status ldp_chosen_intervals(void *state, double level, double *low, double *high);
void ldp_chosen_facts(const void *state, struct ldp_synopsis_facts *out);
void ldp_chosen_predict_noise(const void *state, struct ldp_prediction *out); /* that of the tables alone */
void ldp_chosen_predict(const void *state, struct ldp_prediction *out);

#endif

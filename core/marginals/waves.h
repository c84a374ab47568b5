/* waves.h - the answers to planned questions, of one wave of users or of two, and the requested marginals that follow
 * from them. Internal to the core. */
#ifndef LDPBENCH_WAVES_H
#define LDPBENCH_WAVES_H

#include "marginals/energies.h"
#include "marginals/nearest.h"
#include "marginals/shrink.h"

struct wave {
    const struct ldp_workload *workload;
    const struct ldp_method_spec *method;
    struct nearest *nearest; /* of the requested marginals */
    struct tables tables;
    struct shrinking shrinking;
    struct energies energies;
    double *x[LDP_EXACT + 1], *coefs;
    double *room; /* four times that of one requested marginal */
    void *scratch;
};

/* Room for the answers to m questions. nearest: of the requested marginals, shared by all waves. */
enum ldp_status ldp_wave_init(struct wave *wave, struct ldp_pool *pool, const struct ldp_workload *workload,
                              struct nearest *nearest, const struct ldp_method_spec *method, const struct asked *asked,
                              size_t m, struct ldp_reason *reason);

/* Averages the noisy answers, and estimates the energies and factors of interactions. */
void ldp_wave_learn(struct wave *wave);

/* The requested marginals. The other stages use the factors of the noisy one. */
struct nearest_result ldp_wave_answer(struct wave *wave, enum ldp_stage stage, double *out);

#endif

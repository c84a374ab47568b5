/* evolution.h - users' values over rounds, from true counts that hold in the first round, or from records with a column
 * for each round. */
#ifndef LDPBENCH_EVOLUTION_H
#define LDPBENCH_EVOLUTION_H

#include "dataset.h"
#include "privacy/chain.h"

/* How values change. The list ends with a name of NULL; the first is the default. */
struct evolution_law {
    const char *name, *title;
    const struct ldp_param *params;

    /* The next round's values of n users from the ones before; counts are cumulated. NULL: they stay. */
    void (*step)(const double *param, const struct ldp_histogram *histogram, struct ldp_rng *rng,
                 const uint32_t *before, uint32_t *after);
};

extern const struct evolution_law evolution_laws[];

struct evolution {
    const struct evolution_law *law;
    double param[LDP_PARAMS_MAX];
};

/* Gives records of numbers the population of their first column: the values of a column are those of all. Other
 * datasets stay. */
int evolution_prepare(struct dataset *dataset, struct failure *failure);

/* The values of a dataset's users, drawn by seed where they change. Of records the first columns; evolution is not
 * used.
 */
int evolution_new(const struct evolution *evolution, const struct dataset *dataset, size_t rounds, uint64_t seed,
                  struct ldp_sequences **out, struct failure *failure);

#endif

/* marginals.h - shared by the files of the task `marginals`. */
#ifndef LDPBENCH_TASK_MARGINALS_H
#define LDPBENCH_TASK_MARGINALS_H

#include "attack.h"
#include "config/attacks.h"
#include "config/synopses.h"
#include "tasks/grid.h"

/* Measures of one synopsis and one k, in the order of their series: those that are always taken, the error's parts,
 * those of intervals. The seconds are of a synopsis. */
enum {
    MARGINALS_SSE,
    MARGINALS_TV,
    MARGINALS_MAX,
    MARGINALS_NOISE,
    MARGINALS_SAMPLING,
    MARGINALS_RECONSTRUCTION,
    MARGINALS_NOISE_PREDICTED,
    MARGINALS_PREDICTED,
    MARGINALS_COVERAGE,
    MARGINALS_WIDTH,
    MARGINALS_KNOWN,
    MARGINALS_SECONDS,
};

/* These measures; ends with a name of NULL. */
extern const struct ldp_measure marginals_measure[];

/* The marginals of a dataset. */
struct marginals_dataset {
    struct attribute_sets sets;     /* by their number of attributes */
    struct attribute_sets *designs; /* [synopses], where they are given by hand */
    size_t *first;                  /* [sets.count + 1]: cells of the answers */
    double *truth;                  /* [first[sets.count]] */
    size_t nk;
    size_t attacks_first; /* the first series of attacks */
    size_t *k, *k_first;  /* [nk], [nk + 1]: the first of the sets of that size */
};

/* Series of a cell: [synopsis][k][measures], then [synopsis] seconds. */
struct marginals_setup {
    struct grid grid;
    struct axes axes;
    struct synopsis_list synopses;
    struct wanted_marginals wanted;
    struct attack_list attacks;
    uint64_t outputs;
    size_t equal; /* enum ldp_record_equal */
    bool want_parts, want_intervals, want_cells, want_times, want_protection;
    uint64_t choice;              /* of the measures, without the seconds */
    struct marginals_dataset *of; /* [axes.datasets.count] */
    struct layout *layouts;       /* [axes.datasets.count], whose series and sums are owned */
    double *opening;              /* [cells][synopses]: seconds that opening each took; at another epsilon if need be */
};

const struct marginals_setup *marginals_of(const struct setup *setup);

/* Numbers of the vector of a sum: repetitions, means, sums of squares. */
static inline size_t marginals_sum_length(const struct marginals_dataset *of)
{
    return 1 + 2 * of->first[of->sets.count];
}

/* A synopsis as a dataset asks for it, and what it is asked for in a cell. */
struct ldp_synopsis_spec marginals_spec(const struct marginals_setup *setup, size_t idataset, size_t s);
struct ldp_workload marginals_workload(const struct marginals_setup *setup, const struct grid_point *at, size_t s);

/* Sets the failure: why the synopsis does not suit the cell. */
int marginals_refuse(const struct marginals_setup *setup, const struct grid_point *at, size_t s,
                     const struct ldp_reason *reason, struct failure *failure);

/* The task's entries for a worker (marginals_worker.c). */
struct worker *marginals_worker_new(const struct setup *base);
void marginals_worker_free(struct worker *base);
int marginals_worker_begin(struct worker *base, size_t cell, struct failure *failure);
int marginals_worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums,
                         struct failure *failure);

/* The column of a synopsis. */
struct field marginals_synopsis_field(const struct synopsis_choice *synopsis);

/* ---- marginals_attacks.c: malicious users, where the config has attacks: their planted records in marginals. ---- */

extern const struct task_table marginals_attacks_table;

/* Refuses attacks that do not suit a cell. */
int marginals_attacks_prepare(const struct marginals_setup *setup, const struct grid_point *at,
                              struct failure *failure);

/* How many series they are; series NULL: only that. key: those of the synopses. */
size_t marginals_attacks_series(struct marginals_setup *setup, size_t idataset, const char *const *key,
                                const char *query, struct series *series);

/* The most records that an attack plants; the attack, by none yet; its records [r][attributes]. */
size_t marginals_attacks_planted(const struct attack_list *attacks);
struct ldp_attackers marginals_attackers(const struct attack_choice *attack);
void marginals_plant(const struct ldp_records *records, const struct attack_choice *attack, struct ldp_rng *rng,
                     uint32_t *planted);

/* The measures of each k, from answers under attack and without it; returns the next place. */
double *marginals_attacks_measure(const struct marginals_dataset *of, const struct ldp_records *records,
                                  const struct ldp_attackers *attackers, const double *est, const double *clean,
                                  double *measured);

void marginals_tables(const struct setup *setup, struct task_tables *out);
void marginals_ledger(const struct setup *base, size_t cell, struct ledger *ledger);

#endif

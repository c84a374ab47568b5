/* search.h - shared by the files of the task `search`. */
#ifndef LDPBENCH_TASK_SEARCH_H
#define LDPBENCH_TASK_SEARCH_H

#include "config/attacks.h"
#include "config/searches.h"
#include "tasks/grid.h"

struct search {
    struct grid grid;
    struct axes axes;
    struct search_list protocols;
    struct target_list targets;
    struct attack_list attacks;
    uint64_t outputs;
    const char **protocol_keys, **target_labels;
    struct layout layout;
    struct series *series;
    size_t attacks_first; /* the first series of attacks */
};

/* A repetition's malicious users, and what was found without them. */
struct search_attackers {
    struct ldp_attackers now;
    struct ldp_rng rng;
    uint32_t *planted;
    ldp_uint128 *clean;
    double *clean_est;
    size_t room;
};

struct search_worker {
    struct worker worker;
    const struct search *search;
    const struct dataset *dataset;
    size_t idataset;
    struct ldp_search_state **state; /* of each protocol */
    struct search_attackers attackers;
};

const struct search *search_of(const struct setup *setup);
struct ldp_search_input search_input_of(const struct search *search, size_t cell);

/* ---- search_attacks.c: malicious users, where the config has attacks: the share of planted strings that is found.
 * ----
 */

extern const struct task_table search_attacks_table;

/* Binds the attacks to the datasets, and refuses those that a protocol or an oracle cannot suffer. */
int search_attacks_prepare(struct search *search, struct failure *failure);

/* How many series they are; series NULL: only that. */
size_t search_attacks_series(struct search *search, struct series *series);

void search_attacks_begin(struct search_worker *worker);
void search_attacks_clear(struct search_worker *worker);

/* The attacks on protocol i, whose search without malicious users had this result, from the same stream: the measures
 * of every attack, fraction and target. */
enum ldp_status search_attacks_run(struct search_worker *worker, size_t i, uint64_t seed,
                                   const struct ldp_search_result *result, double *values, struct ldp_reason *reason);

#endif

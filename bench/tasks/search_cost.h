/* search_cost.h - what a round of a search costs: time and memory, before it is simulated. */
#ifndef LDPBENCH_SEARCH_COST_H
#define LDPBENCH_SEARCH_COST_H

#include "search.h"
#include "tasks/task.h"

/* Nanoseconds of a user, or of a string of several users, who is put into a group. */
#define SEARCH_COST_OF_MEMBER 8.0

/* Adds a round: a collection over the candidates and what else is in the domain. The memory is that of the largest
 * round. */
void search_cost_add(const struct ldp_search_input *input, const struct ldp_search_round_size *round,
                     struct cell_cost *cost);

#endif

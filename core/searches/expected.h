/* expected.h - what a search by prefixes is expected to find, if frequencies follow Zipf's law. Internal to the core.
 */
#ifndef LDPBENCH_EXPECTED_H
#define LDPBENCH_EXPECTED_H

#include "searches/prefixes.h"

/* False if a level cannot be asked about by this oracle. s: the law's exponent. plan->most > 0: the strings that are
 * wanted. wrong[count]: plan->wrong_last becomes the one of the largest expected F1. */
bool prefix_expected(struct prefix_plan *plan, const struct ldp_search_input *input, double s, const double *wrong,
                     size_t count, struct ldp_search_forecast *out);

#endif

/* statements_check.h - the kinds of all that a file of statements holds. */
#ifndef LDPBENCH_STATEMENTS_CHECK_H
#define LDPBENCH_STATEMENTS_CHECK_H

#include "agreement/claim_columns.h"
#include "support/failure.h"

struct cJSON;

/* Demands that all keys are known and of the kind that is read. 0, or -1 with a failure that names claim and key. */
int statements_check(const struct cJSON *root, const struct claim_columns *columns, struct failure *failure);

/* Demands that a claim's low is not above its high, its within not negative, and that its ranks are some. The
 * failure names the key. */
int claim_check_ranges(const struct cJSON *claim, struct failure *failure);

#endif

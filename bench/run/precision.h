/* precision.h - how many repetitions a cell needs if the config asks for a precision instead of a number.
 *
 * A cell is checked after certain numbers of repetitions, of which the first is the config's `from`; each check
 * determines the next number, or that the cell is done. A check uses exactly the first repetitions in their order, so
 * the result does not depend on threads, ranks or interruptions, and further repetitions that the store has from
 * earlier runs are ignored if they are not needed. */
#ifndef LDPBENCH_PRECISION_H
#define LDPBENCH_PRECISION_H

#include "run/store.h"

/* Checks all cells that are not settled, as far as the stored repetitions go: afterwards the store asks for as many
 * repetitions of each cell as its next check needs. settled[cells], all false at first. */
int precision_settle(const struct experiment *experiment, struct store *store, bool *settled, struct failure *failure);

#endif

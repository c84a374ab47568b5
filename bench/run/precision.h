/* precision.h - how many repetitions a cell takes where a precision is asked for instead of a number.
 *
 * A cell is looked at after certain numbers of repetitions, the first of them the config's `from`; each says which is
 * the next, or that it was the last. What is looked at is the first repetitions in their order and nothing else, so
 * neither threads nor ranks nor interruptions show, and repetitions that are there already from another time are passed
 * over when they are not needed. */
#ifndef LDPBENCH_PRECISION_H
#define LDPBENCH_PRECISION_H

#include "run/store.h"

/* Moves the cells on that are not settled, as far as what the store holds goes: afterwards the store asks for as many
 * repetitions of each as it takes to look at it next. settled[cells], all false at first. */
int precision_settle(const struct experiment *experiment, struct store *store, bool *settled, struct failure *failure);

/* Whether a setup has anything that a precision could be asked of. */
bool precision_applies(const struct setup *setup);

#endif

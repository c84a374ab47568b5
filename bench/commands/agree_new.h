/* agree_new.h - the files that a new paper begins with. */
#ifndef LDPBENCH_AGREE_NEW_H
#define LDPBENCH_AGREE_NEW_H

#include "support/failure.h"

/* Writes papers/NAME/statements.json and configs/NAME-fig1.json, which run and are judged as they are, and says how. 0,
 * or -1 with the failure set: the name is not one, a file exists or cannot be written. */
int agree_new(const char *name, struct failure *failure);

#endif

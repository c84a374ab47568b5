/* regret.h - a first wave of users that costs single attributes little. Internal to the core. */
#ifndef LDPBENCH_REGRET_H
#define LDPBENCH_REGRET_H

#include "marginals/shares.h"

/* What a first wave costs if it finds that all attributes are independent. */
struct regret {
    double floor; /* the expected error of single attributes if all users answer for these alone */
    double part;  /* what is added to it, relative, if the first wave has asked for interactions too */
};

/* Solves for `first` users, asking for as much of interactions as is best and adds at most `most_part` to the error of
 * single attributes, as `rest` users answer for these alone afterwards. Importance and energies are those of the first
 * wave; nothing is known. Afterwards importance is lowered, known is 0. most: questions. */
enum ldp_status ldp_regret_solve(struct shares *shares, double first, double rest, double most_part, size_t most,
                                 struct regret *regret);

#endif

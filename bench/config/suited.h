/* suited.h - which methods suit which cells of the grid. A method that suits the protocols of some oracles only is
 * left out of the cells of the others. */
#ifndef LDPBENCH_SUITED_H
#define LDPBENCH_SUITED_H

#include "config/axes.h"
#include "config/methods.h"
#include "support/text.h"

/* Methods by their places in the config's list, in its order. */
struct method_set {
    size_t *method; /* [count] */
    size_t count;
};

struct suited {
    struct method_set *sets;
    size_t nsets;
    size_t *set_of;     /* of each cell */
    struct texts notes; /* a line on those that are left out of some oracles' cells, for people */
};

/* Inputs of the choice. Methods that suit no cell are removed from the list where it is "all". */
struct suited_grid {
    struct axes *axes; /* cells that no method suits are removed, unless keep_empty */
    struct method_list *methods;
    bool keep_empty;
};

/* Checks that every oracle can be configured in its cells, and finds the methods that suit each. Fails where a method
 * that is named suits no cell. To be cleared in any case. */
int suited_find(const struct suited_grid *grid, struct suited *out, struct failure *failure);
void suited_clear(struct suited *suited);

#endif

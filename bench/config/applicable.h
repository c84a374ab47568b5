/* applicable.h - which methods suit which cells of the grid. A method that suits the protocols of some oracles only is
 * left out of the cells of the others. */
#ifndef LDPBENCH_APPLICABLE_H
#define LDPBENCH_APPLICABLE_H

#include "config/axes.h"
#include "config/methods.h"
#include "support/text.h"

/* Methods by their indices in the config's list, in its order. */
struct method_set {
    size_t *method; /* [count] */
    size_t count;
};

struct applicable {
    struct method_set *sets;
    size_t nsets;
    size_t *set_of;     /* of each cell */
    struct texts notes; /* a line on those that are left out of some oracles' cells, for people */
};

/* Inputs of the choice. Methods that suit no cell are removed from the list where it is "all". */
struct applicable_grid {
    struct axes *axes; /* cells that no method suits are removed, unless keep_empty */
    struct method_list *methods;
    bool keep_empty;
};

/* Checks that every oracle can be configured in its cells, and finds the methods that suit each. Fails where a method
 * that is named suits no cell. To be cleared in any case. */
int applicable_find(const struct applicable_grid *grid, struct applicable *out, struct failure *failure);
void applicable_clear(struct applicable *applicable);

#endif

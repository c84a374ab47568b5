/* marginals_outlook.c - what synopses that plan their tables say, for --dry-run. */
#include "support/memory.h"
#include "support/text.h"
#include "tasks/marginals.h"

#include <math.h>
#include <stdlib.h>

/* Whether the first wave can see dependence of attributes; nothing where it is not asked about. */
static char *decision(const struct ldp_workload *workload, const struct ldp_outlook *outlook)
{
    size_t most = 0;

    for (size_t i = 0; i < workload->nsets; i++)
        most = workload->sets[i].size > most ? workload->sets[i].size : most;
    if (most < 2)
        return xstrdup("");
    if (isnan(outlook->detectable))
        return xstrdup("; dependence is not decidable: few users, and the first wave asks for no pairs");
    if (!(outlook->detectable < 1))
        return xstrdup("; dependence is not decidable: with so few users the first wave sees none, however strong");
    return xformat(
        "; dependence is %s by the first wave: it sees a mean Cramer's V of pairs above %.2g, and %.2g is usual",
        outlook->detectable <= outlook->usual ? "decidable" : "not decidable", outlook->detectable, outlook->usual);
}

static int add_outlook(struct marginals_setup *setup, size_t cell, size_t s, struct failure *failure)
{
    const struct grid_point point = grid_point(&setup->grid, cell), *const at = &point;
    const struct ldp_synopsis *const synopsis = setup->synopses.choice[s].spec.synopsis;
    const struct ldp_workload workload = marginals_workload(setup, at, s);
    struct ldp_reason reason = {""};
    struct ldp_outlook outlook;
    void *state;

    if (!synopsis->outlook)
        return 0;
    switch (marginals_open(setup, cell, s, &workload, &state, &reason)) {
    case LDP_OK: break;
    case LDP_ENOMEM: return fail_memory(failure);
    default: return marginals_refuse(setup, at, s, &reason, failure);
    }
    synopsis->outlook(state, &outlook);
    synopsis->close(state);
    char *const decided = decision(&workload, &outlook);
    texts_keep(
        &setup->grid.setup.notes,
        xformat("%s, %s, n = %llu, %s, epsilon %.4g: %llu users answer %zu questions first (at most %.2g %% from the "
                "best shares of those listed)%s",
                setup->synopses.choice[s].label, setup->grid.datasets[at->idataset].label,
                (unsigned long long)workload.records->n, setup->axes.oracles.choice[at->ioracle].label,
                workload.epsilon, (unsigned long long)outlook.users, outlook.tables, 100 * outlook.gap, decided));
    free(decided);
    return 0;
}

int marginals_outlooks(struct marginals_setup *setup, struct failure *failure)
{
    for (size_t cell = 0; cell < setup->grid.setup.ncells; cell++)
        for (size_t s = 0; s < setup->synopses.count; s++)
            if (add_outlook(setup, cell, s, failure) != 0)
                return -1;
    return 0;
}

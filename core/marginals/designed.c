/* designed.c - see designed.h. */
#include "marginals/designed.h"

#include "marginals/design.h"

#include <math.h>
#include <stdlib.h>

static enum ldp_status by_numbers(struct designed *own, const struct ldp_synopsis_spec *spec, struct ldp_reason *reason)
{
    const struct ldp_records *records = own->workload->records;
    const size_t l = isnan(spec->param[DESIGNED_L]) ? 2 : (size_t)spec->param[DESIGNED_L];

    if (l > records->d)
        return ldp_refuse(reason, "l = %zu: expected at most the %zu attributes", l, records->d);
    const double most = ldp_design_choose(records->d, l);
    const size_t m = isnan(spec->param[DESIGNED_M]) ? (size_t)most : (size_t)spec->param[DESIGNED_M];

    if ((double)m > most)
        return ldp_refuse(reason, "m = %zu: expected at most the %.0f sets of %zu out of %zu attributes", m, most, l,
                          records->d);
    struct ldp_set *set = malloc(m * sizeof *set);

    if (!set)
        return LDP_ENOMEM;
    enum ldp_status status = ldp_design_cover(records->cardinality, records->d, l, m, set);

    if (status == LDP_OK)
        status = ldp_survey_init(&own->survey, own->workload, set, m, &own->method, reason);
    free(set);
    return status;
}

enum ldp_status ldp_designed_open(struct designed *own, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    *own = (struct designed){.workload = workload, .method = ldp_survey_method(spec)};
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);

    if (status == LDP_OK)
        status = spec->sets ? ldp_survey_init(&own->survey, workload, spec->sets, spec->nsets, &own->method, reason)
                            : by_numbers(own, spec, reason);
    if (status != LDP_OK)
        return status;
    own->coefs = malloc(own->survey.tables.closure.ncoefs * sizeof *own->coefs);
    return own->coefs ? LDP_OK : LDP_ENOMEM;
}

void ldp_designed_clear(struct designed *own)
{
    ldp_survey_clear(&own->survey);
    free(own->coefs);
    *own = (struct designed){0};
}

void ldp_designed_collect(struct designed *own, struct ldp_rng *rng, bool stages)
{
    ldp_survey_collect(&own->survey, rng, stages);
}

void ldp_designed_facts(const struct designed *own, struct ldp_synopsis_facts *facts)
{
    const struct tables *tables = &own->survey.tables;

    *facts = (struct ldp_synopsis_facts){.m = tables->m, .set = tables->set};
    for (size_t i = 0; i < tables->m; i++)
        facts->l = tables->set[i].size > facts->l ? tables->set[i].size : facts->l;
}

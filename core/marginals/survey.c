/* survey.c - see survey.h. */
#include "marginals/survey.h"

#include "marginals/design.h"

#include <math.h>
#include <stdlib.h>

enum ldp_status ldp_survey_init_some(struct survey *survey, const struct ldp_workload *workload,
                                     const struct ldp_set *set, size_t m, size_t l,
                                     const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const uint64_t n = workload->records->n;
    const size_t d = workload->records->d;
    const double groups = l ? ldp_design_choose(d, l) : (double)m;
    uint64_t *const users = malloc((m + 1) * sizeof *users);

    *survey = (struct survey){0};
    if (!users)
        return LDP_ENOMEM;
    if (groups > (double)n) {
        free(users);
        return ldp_refuse(reason, "%.0f groups of %llu users: expected a user in each", groups, (unsigned long long)n);
    }
    const uint64_t count = (uint64_t)groups;

    for (size_t i = 0; i < m; i++) {
        const double place = l ? ldp_design_rank(d, &set[i]) : (double)i;
        users[i] = n / count + (place < (double)(n % count));
    }
    enum ldp_status status = ldp_tables_init(&survey->tables, workload, set, users, m, method, reason);

    free(users);
    if (status == LDP_OK)
        status = ldp_groups_init(&survey->groups, workload->records, m);
    for (int stage = 0; status == LDP_OK && stage <= LDP_EXACT; stage++) {
        survey->x[stage] = malloc((survey->tables.first[m] + 1) * sizeof(double));
        if (!survey->x[stage])
            status = LDP_ENOMEM;
    }
    return status;
}

enum ldp_status ldp_survey_init(struct survey *survey, const struct ldp_workload *workload, const struct ldp_set *set,
                                size_t m, const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    return ldp_survey_init_some(survey, workload, set, m, 0, method, reason);
}

void ldp_survey_clear(struct survey *survey)
{
    ldp_tables_clear(&survey->tables);
    ldp_groups_clear(&survey->groups);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        free(survey->x[stage]);
    *survey = (struct survey){0};
}

void ldp_survey_collect(struct survey *survey, struct ldp_rng *rng, bool stages)
{
    struct tables *const tables = &survey->tables;

    ldp_groups_gather(&survey->groups);
    ldp_tables_collect(tables, 0, tables->m, &survey->groups, rng, survey->x[LDP_NOISY],
                       stages ? survey->x[LDP_SAMPLED] : NULL);
    if (stages)
        ldp_tables_exact(tables, survey->x[LDP_EXACT]);
}

void ldp_survey_predict(const struct tables *tables, struct ldp_prediction *out)
{
    const struct ldp_workload *const workload = tables->workload;

    for (size_t i = 0; i < workload->nsets; i++)
        out[i] = (struct ldp_prediction){.noise = ldp_tables_noise(tables, &workload->sets[i]), .total = NAN};
}

void ldp_survey_facts(const struct tables *tables, size_t from, struct ldp_synopsis_facts *facts)
{
    *facts = (struct ldp_synopsis_facts){.m = tables->m - from, .set = tables->set + from};
    for (size_t i = from; i < tables->m; i++)
        facts->l = tables->set[i].size > facts->l ? tables->set[i].size : facts->l;
}

struct ldp_method_spec ldp_survey_method(const struct ldp_synopsis_spec *spec)
{
    struct ldp_method_spec method = spec->method;

    if (!method.method) {
        method.method = ldp_method_find(spec->synopsis->method ? spec->synopsis->method : "base");
        ldp_params_default(method.method->params, method.param);
    }
    return method;
}

enum ldp_status ldp_survey_check_method(const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const struct ldp_method *const how = method->method;

    if (!(how->guarantees & LDP_SUMS_TO_ONE) && (how->apply || how->inner || how->guarantees & LDP_SUPPLIED))
        return ldp_refuse(reason, "method %s: expected base, or a method whose estimates sum to 1", how->name);
    return LDP_OK;
}

/* ---- Designs given by m and l, or by hand ---- */

enum ldp_status ldp_designed_sets(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  struct ldp_set **set, size_t *m, struct ldp_reason *reason)
{
    const struct ldp_records *const records = workload->records;
    const size_t pair = records->d < 2 ? records->d : 2;
    const size_t l = isnan(spec->param[DESIGNED_L]) ? pair : (size_t)spec->param[DESIGNED_L];

    *set = NULL;
    if (l > records->d)
        return ldp_refuse(reason, "l = %zu: expected at most the %zu attributes", l, records->d);
    const double most = ldp_design_choose(records->d, l);
    const double asked = isnan(spec->param[DESIGNED_M]) ? most : spec->param[DESIGNED_M];

    if (asked > most)
        return ldp_refuse(reason, "m = %.0f: expected at most the %.0f sets of %zu out of %zu attributes", asked, most,
                          l, records->d);
    if (asked > (double)workload->records->n)
        return ldp_refuse(reason, "%.0f groups of %llu users: expected a user in each", asked,
                          (unsigned long long)workload->records->n);
    *m = (size_t)asked;
    *set = malloc((*m + 1) * sizeof **set);
    return *set ? ldp_design_cover(records->cardinality, records->d, l, *m, *set) : LDP_ENOMEM;
}

/* survey.h - tables of a design, collected from users who are divided among them, and what the synopses on such tables
 * share. Internal to the core. */
#ifndef LDPBENCH_SURVEY_H
#define LDPBENCH_SURVEY_H

#include "marginals/tables.h"

struct survey {
    struct tables tables;
    struct groups groups;
    double *x[LDP_EXACT + 1]; /* [stage][cells of all tables] */
};

/* All users are shared among the sets, as equally as possible. Must be cleared in every case. */
enum ldp_status ldp_survey_init(struct survey *survey, const struct ldp_workload *workload, const struct ldp_set *set,
                                size_t m, const struct ldp_method_spec *method, struct ldp_reason *reason);

/* The same for m of the groups that all sets of l attributes have, one each, in the order of ldp_design_all. l = 0: the
 * m sets have all groups. */
enum ldp_status ldp_survey_init_some(struct survey *survey, const struct ldp_workload *workload,
                                     const struct ldp_set *set, size_t m, size_t l,
                                     const struct ldp_method_spec *method, struct ldp_reason *reason);
void ldp_survey_clear(struct survey *survey);

void ldp_survey_collect(struct survey *survey, struct ldp_rng *rng, bool stages);

/* Predicts the noise of each marginal of the workload (tables_noise). */
void ldp_survey_predict(const struct tables *tables, struct ldp_prediction *out);

/* The facts of a collection: the tables from `from` on. */
void ldp_survey_facts(const struct tables *tables, size_t from, struct ldp_synopsis_facts *facts);

/* The method of a spec, or the default of the synopsis. */
struct ldp_method_spec ldp_survey_method(const struct ldp_synopsis_spec *spec);

/* Refuses a method whose estimates do not sum to 1. */
enum ldp_status ldp_survey_check_method(const struct ldp_method_spec *method, struct ldp_reason *reason);

/* ---- Designs given by m and l, or by hand ---- */

enum { DESIGNED_M, DESIGNED_L, DESIGNED_PARAMS };

/* The rows of m and l in a synopsis' table of parameters. */
#define DESIGNED_ROWS(chosen)                                                                                          \
    {"m", LDP_INTEGER, NAN, 1, 100000, NULL, "tables; default: " chosen},                                              \
    {                                                                                                                  \
        "l", LDP_INTEGER, NAN, 1, LDP_SET_MAX, NULL, "attributes of a table; default: " chosen                         \
    }

/* Sets of m and l; of l alone, all of them; of m alone, m pairs; of neither, all pairs (of one attribute,
 * that one). Malloc'd. */
enum ldp_status ldp_designed_sets(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  struct ldp_set **set, size_t *m, struct ldp_reason *reason);

#endif

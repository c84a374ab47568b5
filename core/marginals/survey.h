/* survey.h - designs: which attributes go into one table; surveys: tables of a design, collected from users who are
 * divided among them; and what the synopses on such tables share. Internal to the core. */
#ifndef LDPBENCH_SURVEY_H
#define LDPBENCH_SURVEY_H

#include "marginals/tables.h"

/* ---- Designs ---- */

/* The binomial coefficient, k of n; infinite if it overflows a double. */
double ldp_design_choose(size_t n, size_t k);

/* m sets of l attributes out of d, all different from one another: every attribute, then every pair, as often and as
 * evenly as possible. m <= C(d, l), 1 <= l <= d. The first m' of them are the design of m' sets, for m < C(d, l).
 * LDP_ENOMEM. */
enum ldp_status ldp_design_cover(const uint32_t *cardinality, size_t d, size_t l, size_t m, struct ldp_set *set);

/* The rank of a set among all sets of its size out of d attributes, from 0, in the order of ldp_design_all. */
double ldp_design_rank(size_t d, const struct ldp_set *set);

/* All sets of l attributes out of those in `of` that contain all in `with`: returns their number; set NULL: only the
 * number. */
size_t ldp_design_all(uint64_t of, uint64_t with, size_t l, struct ldp_set *set, size_t room);

/* All sets of l attributes that contain a requested set of k attributes (0: of any number up to l): returns their
 * number, or any above `most` if there are more than that. set[2 most]. */
size_t ldp_design_containing(const struct ldp_workload *workload, size_t l, size_t k, struct ldp_set *set, size_t most);

enum { DESIGNED_M, DESIGNED_L, DESIGNED_PARAMS };

/* The rows of m and l in a synopsis' table of parameters. */
#define DESIGNED_ROWS(chosen)                                                                                          \
    LDP_PARAM_INTEGER("m", NAN, 1, 100000, "tables; default: " chosen),                                                \
        LDP_PARAM_INTEGER("l", NAN, 1, LDP_SET_MAX, "attributes of a table; default: " chosen)

/* Sets of m and l; of l alone, all of them; of m alone, m pairs; of neither, all pairs (of one attribute,
 * that one). */
enum ldp_status ldp_design_sets(struct ldp_pool *pool, const struct ldp_synopsis_spec *spec,
                                const struct ldp_workload *workload, struct ldp_set **set, size_t *m,
                                struct ldp_reason *reason);

/* ---- Surveys ---- */

struct survey {
    struct tables tables;
    struct groups groups;
    double *x[LDP_EXACT + 1]; /* [stage][cells of all tables] */
};

/* All users are shared as equally as possible among the groups that all sets of l attributes have, one each, in the
 * order of ldp_design_all, of which the m sets have theirs. l = 0: among the m sets. */
enum ldp_status ldp_survey_init(struct survey *survey, struct ldp_pool *pool, const struct ldp_workload *workload,
                                const struct ldp_set *set, size_t m, size_t l, const struct ldp_method_spec *method,
                                struct ldp_reason *reason);

void ldp_survey_collect(struct survey *survey, struct ldp_rng *rng, bool stages);

/* The facts of a collection: the tables from `from` on. */
void ldp_survey_facts(const struct tables *tables, size_t from, struct ldp_synopsis_facts *facts);

/* The method of a spec, or the default of the synopsis. */
struct ldp_method_spec ldp_survey_method(const struct ldp_synopsis_spec *spec);

/* Refuses a method whose estimates do not sum to 1. */
enum ldp_status ldp_survey_check_method(const struct ldp_method_spec *method, struct ldp_reason *reason);

#endif

/* search_measures.h - what is measured of a search, for the task's table. */
#ifndef LDPBENCH_SEARCH_MEASURES_H
#define LDPBENCH_SEARCH_MEASURES_H

#include "searches/search.h"

/* The measures of ldp_search_measure (search.h), then these. */
enum {
    SEARCH_FOUND = LDP_SEARCH_MEASURES,
    SEARCH_STATED, /* what the protocol states of LDP_FALSE */
    SEARCH_CANDIDATES,
    SEARCH_DROPPED,
    SEARCH_REPORT_BITS,
    SEARCH_MEASURES, /* all without times */
    SEARCH_SECONDS = SEARCH_MEASURES,
    SEARCH_CLIENT_SECONDS,
    SEARCH_SERVER_SECONDS,
    SEARCH_OWN_SECONDS, /* groups, estimates and choices */
    SEARCH_COVERAGE,    /* of intervals */
    SEARCH_WIDTH,
    SEARCH_ALL_MEASURES
};

/* In the order of the numbers above; ends with a name of NULL. */
extern const struct ldp_measure search_measures[];

/* Measures a result. */
void search_measure(const struct ldp_strings *strings, const struct ldp_population *population,
                    const struct ldp_search_result *result, const struct ldp_target *target,
                    double measure[SEARCH_ALL_MEASURES]);

/* What a plan for the users' own frequencies expects: "expected F1 .., recall ..: ..". Malloc'd. */
char *search_expectation(const struct ldp_search_forecast *forecast);

#endif

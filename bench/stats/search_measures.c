/* search_measures.c - see search_measures.h. */
#include "stats/search_measures.h"

#include "support/measures.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

#define NOTHING 0.02 /* the expected recall below which nothing can be found */

const struct ldp_measure search_measures[] = {
    [LDP_PRECISION_VLDB] =
        MEASURE("precision_vldb", "precision (PVLDB), which counts only strings of zero frequency as wrong",
                "precision (PVLDB)", LDP_MORE, .high = 1),
    [LDP_RECALL] = MEASURE("recall", "recall, the share of the target that is found", "recall", LDP_MORE, .high = 1),
    [LDP_F1_VLDB] = MEASURE("f1_vldb", "F1 (PVLDB), the harmonic mean of precision_vldb and recall", "F1 (PVLDB)",
                            LDP_MORE, .high = 1),
    [LDP_PRECISION] = MEASURE("precision", "precision, the share of what is found that is in the target", "precision",
                              LDP_MORE, .high = 1),
    [LDP_F1] = MEASURE("f1", "F1, the harmonic mean of precision and recall", "F1", LDP_MORE, .high = 1,
                       .unit = LDP_UNIT_WRONG),
    [LDP_NCR] = MEASURE("ncr", "normalised cumulative rank", "normalised cumulative rank", LDP_MORE, .high = 1),
    [LDP_MSE_FOUND] =
        MEASURE("mse_found", "mean squared error of the frequencies of the target's strings that are found",
                "MSE of what is found", LDP_LESS, .high = INFINITY),
    [SEARCH_FOUND] = MEASURE("found", "strings returned, whether in the target or not", "strings returned", LDP_NEUTRAL,
                             .high = INFINITY),
    [LDP_FALSE] = MEASURE("false_found", "share of what is found that has zero frequency", "found, of zero frequency",
                          LDP_LESS, .high = 1),
    [SEARCH_STATED] = MEASURE("false_stated", "false_found as the protocol states it", "stated to have zero frequency",
                              LDP_NEUTRAL, .high = 1),
    [SEARCH_CANDIDATES] = MEASURE("candidates", "candidates asked about", "candidates", LDP_LESS, .high = INFINITY),
    [SEARCH_DROPPED] = MEASURE("dropped", "combinations of fragments left out, as there were too many",
                               "combinations left out", LDP_LESS, .high = INFINITY),
    [SEARCH_REPORT_BITS] = MEASURE("report_bits", "bits that a user sends", "bits a user", LDP_LESS, .high = INFINITY),
    [SEARCH_SECONDS] = MEASURE("seconds", "seconds of a search", "seconds", LDP_LESS, .high = INFINITY, .timed = true),
    [SEARCH_CLIENT_SECONDS] =
        MEASURE("client_seconds", "seconds of all clients", "seconds", LDP_LESS, .high = INFINITY, .timed = true),
    [SEARCH_SERVER_SECONDS] = MEASURE("server_seconds", "seconds to count and decode the reports", "seconds", LDP_LESS,
                                      .high = INFINITY, .timed = true),
    [SEARCH_OWN_SECONDS] = MEASURE("search_seconds", "seconds of groups, estimates and choices", "seconds", LDP_LESS,
                                   .high = INFINITY, .timed = true),
    [SEARCH_COVERAGE] =
        MEASURE("coverage", "strings returned whose 95 % interval covers their frequency, of those with one",
                "coverage", LDP_NEUTRAL, .high = 1),
    [SEARCH_WIDTH] =
        MEASURE("width", "mean width of the 95 % intervals of strings returned", "width", LDP_LESS, .high = INFINITY),
    [SEARCH_ALL_MEASURES] = {.name = NULL},
};

void search_measure(const struct ldp_strings *strings, const struct ldp_population *population,
                    const struct ldp_search_result *result, const struct ldp_target *target,
                    double measure[SEARCH_ALL_MEASURES])
{
    const struct ldp_times *const times = &result->times;

    measure[SEARCH_FOUND] = (double)ldp_search_measure(strings, population, result, target, measure);
    measure[SEARCH_STATED] = result->false_stated;
    measure[SEARCH_CANDIDATES] = result->candidates;
    measure[SEARCH_DROPPED] = result->dropped;
    measure[SEARCH_REPORT_BITS] = result->report_bits;
    measure[SEARCH_SECONDS] = times->total;
    measure[SEARCH_CLIENT_SECONDS] = times->client;
    measure[SEARCH_SERVER_SECONDS] = times->server + times->decode;
    measure[SEARCH_OWN_SECONDS] = times->total - times->client - times->server - times->decode;
    ldp_search_coverage(strings, population, result, &measure[SEARCH_COVERAGE], &measure[SEARCH_WIDTH]);
}

char *search_expectation(const struct ldp_search_forecast *forecast)
{
    char *const found = forecast->recall < NOTHING ? xstrdup("nothing can be found at this n and epsilon")
                                                   : xformat("%.3g strings, of which %.2g %% have zero frequency",
                                                             forecast->returned, 100 * forecast->false_part);
    char *const text = xformat("if planned for these frequencies: expected F1 %.2f, recall %.2f: %s", forecast->f1,
                               forecast->recall, found);

    free(found);
    return text;
}

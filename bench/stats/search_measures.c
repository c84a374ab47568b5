/* search_measures.c - see search_measures.h. */
#include "stats/search_measures.h"

#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

#define NOTHING 0.02 /* the expected recall below which nothing can be found */

#define SHARE(id, words, label)                                                                                        \
    {                                                                                                                  \
        .name = id, .title = words, .axis = label, .better = LDP_MORE, .high = 1                                       \
    }
#define SECONDS_OF(id, words)                                                                                          \
    {                                                                                                                  \
        .name = id, .title = words, .axis = "seconds", .better = LDP_LESS, .high = INFINITY, .timed = true             \
    }

#define UNTIMED                                                                                                        \
    [LDP_PRECISION_VLDB] =                                                                                             \
        SHARE("precision_vldb", "precision (PVLDB), which counts only strings that no user holds as wrong",            \
              "precision (PVLDB)"),                                                                                    \
    [LDP_RECALL] = SHARE("recall", "recall, the share of the target that is found", "recall"),                         \
    [LDP_F1_VLDB] = SHARE("f1_vldb", "F1 (PVLDB), the harmonic mean of precision_vldb and recall", "F1 (PVLDB)"),      \
    [LDP_PRECISION] = SHARE("precision", "precision, the share of what is found that is in the target", "precision"),  \
    [LDP_F1] = {.name = "f1",                                                                                          \
                .title = "F1, the harmonic mean of precision and recall",                                              \
                .axis = "F1",                                                                                          \
                .better = LDP_MORE,                                                                                    \
                .high = 1,                                                                                             \
                .unit = LDP_UNIT_WRONG},                                                                               \
    [LDP_NCR] = SHARE("ncr", "normalised cumulative rank", "normalised cumulative rank"),                              \
    [LDP_MSE_FOUND] = {.name = "mse_found",                                                                            \
                       .title = "mean squared error of the frequencies of the target's strings that are found",        \
                       .axis = "MSE of what is found",                                                                 \
                       .better = LDP_LESS,                                                                             \
                       .high = INFINITY},                                                                              \
    [SEARCH_FOUND] = {.name = "found",                                                                                 \
                      .title = "strings returned, whether in the target or not",                                       \
                      .axis = "strings returned",                                                                      \
                      .better = LDP_NEUTRAL,                                                                           \
                      .high = INFINITY},                                                                               \
    [LDP_FALSE] = {.name = "false_found",                                                                              \
                   .title = "share of what is found that no user holds",                                               \
                   .axis = "found and held by nobody",                                                                 \
                   .better = LDP_LESS,                                                                                 \
                   .high = 1},                                                                                         \
    [SEARCH_STATED] = {.name = "false_stated",                                                                         \
                       .title = "false_found as the protocol states it",                                               \
                       .axis = "stated to be held by nobody",                                                          \
                       .better = LDP_NEUTRAL,                                                                          \
                       .high = 1},                                                                                     \
    [SEARCH_CANDIDATES] = {.name = "candidates",                                                                       \
                           .title = "candidates asked about",                                                          \
                           .axis = "candidates",                                                                       \
                           .better = LDP_LESS,                                                                         \
                           .high = INFINITY},                                                                          \
    [SEARCH_DROPPED] = {.name = "dropped",                                                                             \
                        .title = "combinations of fragments left out, as there were too many",                         \
                        .axis = "combinations left out",                                                               \
                        .better = LDP_LESS,                                                                            \
                        .high = INFINITY},                                                                             \
    [SEARCH_REPORT_BITS] = {.name = "report_bits",                                                                     \
                            .title = "bits that a user sends",                                                         \
                            .axis = "bits a user",                                                                     \
                            .better = LDP_LESS,                                                                        \
                            .high = INFINITY}

const struct ldp_measure search_measures[] = {UNTIMED, {.name = NULL}};
#define TIMES                                                                                                          \
    SECONDS_OF("seconds", "seconds of a search"), SECONDS_OF("client_seconds", "seconds of all clients"),              \
        SECONDS_OF("server_seconds", "seconds to count and decode the reports"),                                       \
        SECONDS_OF("search_seconds", "seconds of groups, estimates and choices")
#define COVERED                                                                                                        \
    {.name = "coverage",                                                                                               \
     .title = "strings returned whose 95 % interval holds their frequency, of those with one",                         \
     .axis = "coverage",                                                                                               \
     .better = LDP_NEUTRAL,                                                                                            \
     .high = 1},                                                                                                       \
    {                                                                                                                  \
        .name = "width", .title = "mean width of the 95 % intervals of strings returned", .axis = "width",             \
        .better = LDP_LESS, .high = INFINITY                                                                           \
    }

const struct ldp_measure *search_measures_with(bool times, bool intervals)
{
    static const struct ldp_measure timed[] = {UNTIMED, TIMES, {.name = NULL}},
                                    covered[] = {UNTIMED, COVERED, {.name = NULL}},
                                    both[] = {UNTIMED, TIMES, COVERED, {.name = NULL}};

    return times ? (intervals ? both : timed) : intervals ? covered : search_measures;
}

size_t search_measure_at(bool times, size_t place)
{
    return place < SEARCH_MEASURES || times ? place : place + SEARCH_COVERAGE - SEARCH_SECONDS;
}

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
                                                   : xformat("%.3g strings, of which %.2g %% are held by nobody",
                                                             forecast->returned, 100 * forecast->false_part);
    char *const text = xformat("if planned for these frequencies: expected F1 %.2f, recall %.2f: %s", forecast->f1,
                               forecast->recall, found);

    free(found);
    return text;
}

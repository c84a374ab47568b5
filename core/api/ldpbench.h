/* ldpbench.h - frequency estimation under local differential privacy: clients, servers, estimates, intervals,
 * simulation.
 *
 * Symbols follow the literature: d the number of values, 0 .. d-1; n the number of users; epsilon the privacy budget in
 * nats; p and q the probabilities that a report supports its user's value, another value; est estimated frequencies.
 *
 *     client:   ldpbench_client                      a value -> a report
 *     server:   ldpbench_aggregate_add, _merge       reports, and the aggregates of other servers -> an aggregate
 *     analyst:  ldpbench_collection_estimate, ..     an aggregate -> frequencies, intervals, methods
 *
 * Every function but the _free ones returns a status; where that is not LDPBENCH_OK, *error says why, unless error is
 * NULL, and results are not to be used. This is the only pointer that may be NULL, but for those that say so; a _free
 * function takes NULL, too. No mistake of a caller ends the program, but memory must be as large as stated.
 *
 * The caller owns arrays; inputs are const, outputs come last. [a][b] is an array of a rows of b numbers. Handles
 * belong to the caller, who frees each by the function of its name; none needs another one to stay. Threads may share a
 * handle that is const; the library has no other state. It reads no files, prints nothing and never exits.
 *
 * Names of algorithms, their parameters and their sources are in the registry, and in docs/methods.md.
 *
 * Copyright (C) 2026 the ldpbench authors. GPL-3.0-or-later. */
#ifndef LDPBENCH_H
#define LDPBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The major number rises where a program would have to be changed, the minor one where functions were added. */
#define LDPBENCH_VERSION_MAJOR 1
#define LDPBENCH_VERSION_MINOR 0
#define LDPBENCH_VERSION_PATCH 0

/* The version of the library that runs, "1.0.0". */
const char *ldpbench_version(void);

/* ---- Errors ---- */

enum ldpbench_status {
    LDPBENCH_OK = 0,
    LDPBENCH_INVALID = 2, /* an argument is out of its range, or data are not what they should be */
    LDPBENCH_MACHINE = 3  /* no memory, or no random bytes */
};

struct ldpbench_error {
    int code;       /* enum ldpbench_status */
    char text[252]; /* one line of English, without a full stop: "epsilon = -1: expected a finite number > 0" */
};

/* ---- Random numbers ---- */

/* A source of random bytes: fill writes `size` uniform bytes, and returns 0, or another number if there are none. */
struct ldpbench_source {
    int (*fill)(void *state, void *bytes, size_t size);
    void *state;
};

/* The operating system's: for clients of real people. Threads may share it. */
const struct ldpbench_source *ldpbench_system_source(void);

/* A stream of PCG64 DXSM for simulation, determined by seed, key and number; streams that differ in one of them are
 * independent. Not cryptographic: reports made with it protect nobody. One thread uses it at a time. */
struct ldpbench_stream;
enum ldpbench_status ldpbench_stream_new(uint64_t seed, const char *key, uint64_t number, struct ldpbench_stream **out,
                                         struct ldpbench_error *error);
void ldpbench_stream_free(struct ldpbench_stream *stream);

/* The stream as a source: it lasts as long as the stream. */
enum ldpbench_status ldpbench_stream_source(struct ldpbench_stream *stream, const struct ldpbench_source **out,
                                            struct ldpbench_error *error);

/* ---- The registry: what there is ---- */

/* kind is "oracle", "method", "query" or "interval". Texts last forever. Index i is below the count. */
enum ldpbench_status ldpbench_registry_count(const char *kind, size_t *count, struct ldpbench_error *error);
enum ldpbench_status ldpbench_registry_name(const char *kind, size_t i, const char **name,
                                            struct ldpbench_error *error);

/* field: "title"; "source", the paper; "inner", the key of an oracle that runs inside, "" if none does. */
enum ldpbench_status ldpbench_registry_text(const char *kind, const char *name, const char *field, const char **text,
                                            struct ldpbench_error *error);

/* Whether a property holds. Of oracles: not_private, sums_to_one (estimates, always), independent (counts of values),
 * real (reports are doubles), biased, public (clients use public randomness), sketch, negates, uneven (variances differ
 * by value), predicted (variances are not exact), joint (counts are no sums over users), ordinal, windows, levels,
 * sets. Of methods: nonnegative, sums_to_one, keeps_order, unbiased, ignores_estimate, countermeasure, slow. */
enum ldpbench_status ldpbench_registry_has(const char *kind, const char *name, const char *property, bool *has,
                                           struct ldpbench_error *error);

/* Parameter j of an algorithm, below their count. field of a text: "name", "help", "kind" (real, integer, flag,
 * choice); of a number: "default" (NAN: derived from d and epsilon), "least", "largest", "choices" (how many). */
enum ldpbench_status ldpbench_parameter_count(const char *kind, const char *name, size_t *count,
                                              struct ldpbench_error *error);
enum ldpbench_status ldpbench_parameter_text(const char *kind, const char *name, size_t j, const char *field,
                                             const char **text, struct ldpbench_error *error);
enum ldpbench_status ldpbench_parameter_number(const char *kind, const char *name, size_t j, const char *field,
                                               double *number, struct ldpbench_error *error);

/* Choice c of a parameter: of an integer, the only numbers that suit. */
enum ldpbench_status ldpbench_parameter_choice(const char *kind, const char *name, size_t j, size_t c,
                                               const char **text, struct ldpbench_error *error);

/* ---- A spec: an algorithm with its parameters ---- */

struct ldpbench_spec;

/* With defaults. */
enum ldpbench_status ldpbench_spec_new(const char *kind, const char *name, struct ldpbench_spec **out,
                                       struct ldpbench_error *error);
void ldpbench_spec_free(struct ldpbench_spec *spec);

/* Sets a parameter: a flag by 0 or 1, NAN where the default is derived; a choice by its name. */
enum ldpbench_status ldpbench_spec_set(struct ldpbench_spec *spec, const char *parameter, double value,
                                       struct ldpbench_error *error);
enum ldpbench_status ldpbench_spec_choose(struct ldpbench_spec *spec, const char *parameter, const char *choice,
                                          struct ldpbench_error *error);

/* Puts a copy of an oracle inside another one. */
enum ldpbench_status ldpbench_spec_nest(struct ldpbench_spec *spec, const struct ldpbench_spec *inner,
                                        struct ldpbench_error *error);

/* The points of a query (percent, k), and its sets; copies. Set s is member[first[s]] .. member[first[s + 1] - 1]. */
enum ldpbench_status ldpbench_spec_points(struct ldpbench_spec *spec, const double *points, size_t count,
                                          struct ldpbench_error *error);
enum ldpbench_status ldpbench_spec_sets(struct ldpbench_spec *spec, const uint32_t *member, const uint64_t *first,
                                        size_t count, struct ldpbench_error *error);

/* ---- A protocol: an oracle at d and epsilon, shared by its clients and its servers ---- */

struct ldpbench_protocol;

/* 2 <= d < 2^32, epsilon > 0 and finite. public_seed: what the hash functions and permutations follow from that all
 * clients and servers of a collection share; new in each collection. */
enum ldpbench_status ldpbench_protocol_new(const struct ldpbench_spec *oracle, size_t d, double epsilon,
                                           uint64_t public_seed, struct ldpbench_protocol **out,
                                           struct ldpbench_error *error);
void ldpbench_protocol_free(struct ldpbench_protocol *protocol);

/* field: "oracle", the one that runs (adaptive chooses); "report", what a report is. Lasts as long as the protocol. */
enum ldpbench_status ldpbench_protocol_text(const struct ldpbench_protocol *protocol, const char *field,
                                            const char **text, struct ldpbench_error *error);

/* A property of an oracle, as changed by parameters. */
enum ldpbench_status ldpbench_protocol_has(const struct ldpbench_protocol *protocol, const char *property, bool *has,
                                           struct ldpbench_error *error);

/* A number by its name, or a parameter, with derived defaults filled in, a choice by its index.
 *
 *     d, epsilon, p, q
 *     s1, tf             n Var(est_v) = s1 + tf f_v, the mean over public randomness
 *     support_size       numbers of a support: d for most oracles
 *     report_words       words of 64 bits of a report
 *     report_limit       each word of a report is below this; 0: another condition, which ldpbench_report_check knows
 *     report_bits        bits that a report needs; NAN: not known; likewise the server's work
 *     report_operations, collection_operations    for each report, and once
 *     report_influence   the most by which one report, replaced by another, changes n est_v; INFINITY: none at every n
 *     observes           0: estimates have this law; 1: it follows from the collection; 2: it has no mean (sketches) */
enum ldpbench_status ldpbench_protocol_number(const struct ldpbench_protocol *protocol, const char *name,
                                              double *number, struct ldpbench_error *error);
enum ldpbench_status ldpbench_protocol_parameter(const struct ldpbench_protocol *protocol, const char *name,
                                                 double *number, struct ldpbench_error *error);

/* The least s1 + tf / d that unbiased estimates of any oracle can have. */
enum ldpbench_status ldpbench_optimum(size_t d, double epsilon, double *optimum, struct ldpbench_error *error);

/* Variances [d] of the frequencies estimated from users with these counts [d], of sum n from 1 to 2^53. */
enum ldpbench_status ldpbench_protocol_variance(const struct ldpbench_protocol *protocol, const uint64_t *counts,
                                                double *variance, struct ldpbench_error *error);

/* Bounds of the central epsilon, at delta, of n >= 2 reports that are shuffled. */
enum ldpbench_status ldpbench_protocol_central(const struct ldpbench_protocol *protocol, uint64_t n, double delta,
                                               double *lower, double *upper, struct ldpbench_error *error);

/* The largest epsilon of clients, at most `most`, whose n shuffled reports keep a central epsilon at delta. */
enum ldpbench_status ldpbench_spec_local(const struct ldpbench_spec *oracle, size_t d, uint64_t n, double central,
                                         double delta, double most, double *local, struct ldpbench_error *error);

/* How often the best guess of a value from one report is right, without a report, (success - guess) / (1 - guess), and
 * the standard error of success (0: exact), for values with the frequencies prior [d]; by simulated reports where there
 * is no closed form. */
enum ldpbench_status ldpbench_protocol_attack(const struct ldpbench_protocol *protocol, const double *prior,
                                              uint64_t reports, uint64_t seed, double found[4],
                                              struct ldpbench_error *error);

/* ---- Clients ---- */

/* Turns the values of m users, each below d, into reports [m][report_words]. With the system's source every random bit
 * is the system's; docs/deployment.md says what remains unsafe (the doubles of she, times). Send each word in 8 bytes,
 * or in as many bits as report_limit needs. */
enum ldpbench_status ldpbench_client(const struct ldpbench_protocol *protocol, const struct ldpbench_source *source,
                                     const uint32_t *values, size_t m, uint64_t *reports, struct ldpbench_error *error);

/* LDPBENCH_INVALID if one of m reports is none that a client of the protocol can send; the text counts them. */
enum ldpbench_status ldpbench_report_check(const struct ldpbench_protocol *protocol, const uint64_t *reports, size_t m,
                                           struct ldpbench_error *error);

/* ---- Servers: aggregates ---- */

struct ldpbench_aggregate;

enum ldpbench_status ldpbench_aggregate_new(const struct ldpbench_protocol *protocol, struct ldpbench_aggregate **out,
                                            struct ldpbench_error *error);
void ldpbench_aggregate_free(struct ldpbench_aggregate *aggregate);

/* Counts m reports, after ldpbench_report_check: all, or none. */
enum ldpbench_status ldpbench_aggregate_add(struct ldpbench_aggregate *aggregate, const uint64_t *reports, size_t m,
                                            struct ldpbench_error *error);

/* Adds the reports of another aggregate of the same protocol: the sum is that of one server, byte for byte. Refused
 * where reports are doubles (she), whose sum depends on their order; likewise below. */
enum ldpbench_status ldpbench_aggregate_merge(struct ldpbench_aggregate *aggregate,
                                              const struct ldpbench_aggregate *other, struct ldpbench_error *error);

/* The number of reports. */
enum ldpbench_status ldpbench_aggregate_users(const struct ldpbench_aggregate *aggregate, uint64_t *n,
                                              struct ldpbench_error *error);

/* An aggregate as bytes, the same on every machine. *size is their number, also where capacity is too small for them,
 * which is refused; capacity 0 only asks for it, bytes may be NULL then. They are words of 8 bytes, the lowest byte
 * first:
 *
 *     0        "ldpbagg1"
 *     1 .. 3   d, epsilon (the bits of a double of IEEE 754), public seed
 *     4 .. 7   the oracle that runs: its name, then zeros
 *     8 .. 15  its parameters, doubles, in the registry's order, then zeros; derived ones with their values
 *     16 .. 27 the same of the oracle inside as it was asked for; zeros if none was; NAN is 0x7ff8000000000000
 *     28, 29   n, the number of counters
 *     30 ..    the counters
 *     last 2   SipHash-2-4 with 128 bits and the key 00 01 .. 0f of all before: against damage, not against forgery */
enum ldpbench_status ldpbench_aggregate_write(const struct ldpbench_aggregate *aggregate, void *bytes, size_t capacity,
                                              size_t *size, struct ldpbench_error *error);

/* Refuses bytes of another protocol, damaged ones, and counters above what n reports can have. */
enum ldpbench_status ldpbench_aggregate_read(const struct ldpbench_protocol *protocol, const void *bytes, size_t size,
                                             struct ldpbench_aggregate **out, struct ldpbench_error *error);

/* ---- Collections: what an analyst has ---- */

/* `count` collections of n >= 1 reports each. What their law depends on has been observed of each one. */
struct ldpbench_collection;

/* The support [support_size] of an aggregate of at least one report. */
enum ldpbench_status ldpbench_aggregate_support(const struct ldpbench_aggregate *aggregate, double *support,
                                                struct ldpbench_error *error);

/* The collection of an aggregate, which stays as it is. count = 1. */
enum ldpbench_status ldpbench_aggregate_finish(const struct ldpbench_aggregate *aggregate,
                                               struct ldpbench_collection **out, struct ldpbench_error *error);

/* Those of support counts [count][support_size]; impossible ones are refused. */
enum ldpbench_status ldpbench_collection_new(const struct ldpbench_protocol *protocol, uint64_t n,
                                             const double *support, size_t count, struct ldpbench_collection **out,
                                             struct ldpbench_error *error);

/* Those of estimates [count][d] that were kept without all of their collections. NULL, each: not kept. support
 * [count][support_size]; s1 [count] and trials [count][d], of ldpbench_collection_observed. */
enum ldpbench_status ldpbench_collection_of_estimates(const struct ldpbench_protocol *protocol, uint64_t n,
                                                      const double *est, const double *support, const double *s1,
                                                      const double *trials, size_t count,
                                                      struct ldpbench_collection **out, struct ldpbench_error *error);
void ldpbench_collection_free(struct ldpbench_collection *collection);

/* Estimated frequencies [count][d]: unbiased unless the oracle is `biased`; they may be negative. */
enum ldpbench_status ldpbench_collection_estimate(const struct ldpbench_collection *collection, double *est,
                                                  struct ldpbench_error *error);

/* The law: the variances [count][d] of the estimates, each at its estimated frequency, cut to [0, 1]. */
enum ldpbench_status ldpbench_collection_variance(const struct ldpbench_collection *collection, double *variance,
                                                  struct ldpbench_error *error);

/* What to keep with estimates: s1 [count], n times the variance at frequency 0, with its sign turned where intervals
 * do not follow from it; and trials [count][d], the reports of each value's
 * block, or its s1 where hash functions are shared (flh), -1 where there are neither. */
enum ldpbench_status ldpbench_collection_observed(const struct ldpbench_collection *collection, double *s1,
                                                  double *trials, struct ldpbench_error *error);

/* Post-processing: frequencies out [count][d]. */
enum ldpbench_status ldpbench_collection_method(const struct ldpbench_collection *collection,
                                                const struct ldpbench_spec *method, double *out,
                                                struct ldpbench_error *error);

/* Intervals low, high [count][d] in [0, 1] of the users' frequencies, at a level between 0 and 1; NAN for values
 * without one. interval is a spec of that kind, "score" where there is no reason for another. */
enum ldpbench_status ldpbench_collection_interval(const struct ldpbench_collection *collection,
                                                  const struct ldpbench_spec *interval, double level, double *low,
                                                  double *high, struct ldpbench_error *error);

/* Intervals low, high [count][nsets] of the total frequencies of sets that were chosen without looking at the data: set
 * s is member[first[s]] .. member[first[s + 1] - 1], different values below d, at least one. */
enum ldpbench_status ldpbench_collection_set_interval(const struct ldpbench_collection *collection, double level,
                                                      const uint32_t *member, const uint64_t *first, size_t nsets,
                                                      double *low, double *high, struct ldpbench_error *error);

/* The measures of a query, in the order of their names, of a method's answers to it: out [count][points][measures].
 * counts [d] are the users' true ones; random sets come from the stream (seed, key, i) of collection i. */
enum ldpbench_status ldpbench_collection_query(const struct ldpbench_collection *collection, const uint64_t *counts,
                                               const struct ldpbench_spec *method, const struct ldpbench_spec *query,
                                               uint64_t seed, const char *key, double *out,
                                               struct ldpbench_error *error);
enum ldpbench_status ldpbench_query_measures(const struct ldpbench_spec *query, size_t *count,
                                             struct ldpbench_error *error);
enum ldpbench_status ldpbench_query_measure(const struct ldpbench_spec *query, size_t i, const char **name,
                                            struct ldpbench_error *error);

/* Looks at one support [support_size] from elsewhere: LDPBENCH_INVALID if no n reports have it. *index is that
 * of the impossible number, support_size if it is none alone; else that of the lowest one, *z its distance from the
 * mean by chance in standard deviations, *unlikely whether less than one collection in a million has one so low. */
enum ldpbench_status ldpbench_support_check(const struct ldpbench_protocol *protocol, uint64_t n, const double *support,
                                            uint64_t *index, double *z, bool *unlikely, struct ldpbench_error *error);

/* ---- Simulation ---- */

struct ldpbench_simulation;

/* Collections from users with counts [d], of sum from 1 to 2^53. mode: "counts" draws support counts from their exact
 * joint law without visiting users, "reports" runs every client and counts every report. */
enum ldpbench_status ldpbench_simulation_new(const struct ldpbench_protocol *protocol, const uint64_t *counts,
                                             const char *mode, struct ldpbench_simulation **out,
                                             struct ldpbench_error *error);
void ldpbench_simulation_free(struct ldpbench_simulation *simulation);

/* Repetitions first .. first + count - 1, each from the stream (seed, key, repetition), which also gives its public
 * randomness: support [count][support_size]. */
enum ldpbench_status ldpbench_simulation_run(const struct ldpbench_simulation *simulation, uint64_t seed,
                                             const char *key, uint64_t first, size_t count, double *support,
                                             struct ldpbench_error *error);

#ifdef __cplusplus
}
#endif

#endif

/* ldpbench_binding.h - the core library for other languages: opaque handles, plain arrays, texts.
 *
 * Nothing here depends on the layout of a struct of ldpbench.h, so that a language that calls C by symbol (Python's
 * ctypes, R's .C, Julia's ccall) needs no compiler. Arrays belong to the caller; objects that a function creates are
 * freed by the function declared next to it. Handles are read-only once made, so threads share them. A reason is a
 * buffer of LDP_BINDING_REASON bytes that receives an English phrase if the status is LDP_EINVAL.
 *
 * Copyright (C) 2026 the ldpbench authors. GPL-3.0-or-later. */
#ifndef LDPBENCH_BINDING_H
#define LDPBENCH_BINDING_H

#include "ldpbench.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function of this header is changed or removed. */
enum { LDP_BINDING_VERSION = 4, LDP_BINDING_REASON = 160 };
unsigned ldp_binding_version(void);

/* ---- Registries ---- */

enum ldp_registry { LDP_REGISTRY_ORACLES, LDP_REGISTRY_METHODS, LDP_REGISTRY_QUERIES };
enum ldp_registry_text { LDP_TEXT_NAME, LDP_TEXT_TITLE, LDP_TEXT_SOURCE, LDP_TEXT_INNER };

/* A text of algorithm i; NULL after the last, and for LDP_TEXT_INNER (the config key of the oracle inside) if there is
 * none. */
const char *ldp_registry_text(enum ldp_registry registry, size_t i, enum ldp_registry_text which);

/* Flags of oracle i (enum ldp_oracle_flag), guarantees of method i (enum ldp_guarantee); 0 for queries. */
unsigned ldp_registry_flags(enum ldp_registry registry, size_t i);

/* Parameter j of algorithm i: its name, or its help; NULL after the last. Its numbers: kind (enum ldp_param_kind),
 * default (NAN: derived), least, largest. Its choice c; NULL after the last. */
const char *ldp_registry_param(enum ldp_registry registry, size_t i, size_t j, bool help);
bool ldp_registry_param_numbers(enum ldp_registry registry, size_t i, size_t j, double numbers[4]);
const char *ldp_registry_param_choice(enum ldp_registry registry, size_t i, size_t j, size_t c);

/* ---- An algorithm with its parameters ---- */

struct ldp_choice;

/* NULL if none has that name, or if out of memory. */
struct ldp_choice *ldp_choice_new(enum ldp_registry registry, const char *name);
void ldp_choice_free(struct ldp_choice *choice); /* NULL is allowed */

/* Sets a parameter; a choice by its index, a flag by 0 or 1. */
enum ldp_status ldp_choice_set(struct ldp_choice *choice, const char *param, double value, char *reason);

/* Puts an oracle inside another; inner must outlive choice. */
enum ldp_status ldp_choice_nest(struct ldp_choice *choice, const struct ldp_choice *inner, char *reason);

/* ---- A protocol ---- */

struct ldp_handle;

enum ldp_status ldp_handle_new(const struct ldp_choice *oracle, size_t d, double epsilon, char *reason,
                               struct ldp_handle **out);
void ldp_handle_free(struct ldp_handle *handle); /* NULL is allowed */

/* The oracle that runs: for adaptive it is the chosen one. */
const char *ldp_handle_oracle(const struct ldp_handle *handle);

/* A number by name: d, epsilon, p, q, s1, tf, support_size, report_words, flags, observes, report_bits,
 * report_operations, collection_operations; flags are those of the protocol, as changed by its parameters; observes is
 * 1 if the law of estimates depends on the collection (blocks, shared functions), 2 if it has no mean (sketches), else
 * 0. Or a parameter of the requested oracle or of the one that runs, with derived defaults filled in. False if there is
 * no such number. */
bool ldp_handle_number(const struct ldp_handle *handle, const char *name, double *out);
bool ldp_handle_param(const struct ldp_handle *handle, const char *name, double *out);

/* Lower and upper value of the central epsilon of n shuffled reports at delta (shuffle.h). */
enum ldp_status ldp_handle_central(const struct ldp_handle *handle, uint64_t n, double delta, double bounds[2],
                                   char *reason);

/* success, guess, advantage and error of struct ldp_attack_success (attack_success.h). */
enum ldp_status ldp_handle_attack(const struct ldp_handle *handle, const double *prior, uint64_t reports, uint64_t seed,
                                  double found[4], char *reason);

/* The largest epsilon of clients, at most `most`, whose n shuffled reports keep a central epsilon at delta. */
enum ldp_status ldp_choice_local(const struct ldp_choice *oracle, size_t d, uint64_t n, double central, double delta,
                                 double most, double *local, char *reason);

/* Turns the values of m users into reports[m][report_words], from the stream (seed, key, part). public_seed is the
 * randomness that users and server share. LDP_EINVAL if a value is not below d. This simulates clients (PCG64, see
 * ldpbench.h): who guesses seed and key learns what the coins hid. */
enum ldp_status ldp_handle_client(const struct ldp_handle *handle, uint64_t public_seed, const uint32_t *values,
                                  size_t m, uint64_t seed, const char *key, uint64_t part, uint64_t *reports,
                                  char *reason);

/* Turns m reports into support[support_size]. LDP_EINVAL if a report is none that a client of this protocol can send;
 * the reason counts them. */
enum ldp_status ldp_handle_server(const struct ldp_handle *handle, uint64_t public_seed, const uint64_t *reports,
                                  size_t m, double *support, char *reason);

/* Looks for supports that no collection of n reports can have (ldp_support_check) in support[support_size]: LDP_EINVAL
 * with the reason, and *place its index, or support_size. Otherwise gives the index of the lowest support, its distance
 * z from its mean by chance, in standard deviations, and whether less than one collection in a million has one so
 * low. */
enum ldp_status ldp_handle_check(const struct ldp_handle *handle, uint64_t n, const double *support, uint64_t *place,
                                 double *z, bool *unlikely, char *reason);

/* Turns support[count][support_size], each of n reports, into est[count][d], and what was observed of each collection
 * (ldp_observed): s1[count], below 0 where no intervals follow from it (amp that has not settled: -s1), and for blocks
 * trials[count][d], the reports of each value's block. NULL: not wanted. */
enum ldp_status ldp_handle_estimate(const struct ldp_handle *handle, uint64_t n, const double *support, size_t count,
                                    double *est, double *s1, double *trials);

/* Exact variances, in counts, of n est[d]. */
enum ldp_status ldp_handle_variance(const struct ldp_handle *handle, const uint64_t *counts, double *variance);

/* The largest of 0 and x[count]; NAN if one of them is not finite. */
double ldp_largest_of(const double *x, size_t count);

/* Turns est[count][d] into out[count][d], no overlap. Here and below, supports[count][support_size] are those of est;
 * NULL: not kept, LDP_EINVAL where they are needed (the square wave and trees). s1[count] and trials[count][d], here
 * and below, are those of ldp_handle_estimate; NULL: the protocol's mean, LDP_EINVAL for a sketch without s1. */
enum ldp_status ldp_handle_postprocess(const struct ldp_handle *handle, const struct ldp_choice *method, uint64_t n,
                                       const double *est, const double *supports, const double *s1,
                                       const double *trials, size_t count, double *out, char *reason);

/* Intervals of the total frequencies of sets, from est[count][d], unprocessed: low and high, [count][nsets]. Set s is
 * member[first[s]] .. member[first[s + 1] - 1], values below d, each once;
 * LDP_EINVAL if one is not below d. */
enum ldp_status ldp_handle_set_interval(const struct ldp_handle *handle, double level, uint64_t n, const double *est,
                                        const double *supports, const double *s1, const double *trials, size_t count,
                                        const uint32_t *member, const uint64_t *first, size_t nsets, double *low,
                                        double *high, char *reason);

/* Intervals (interval.h) of the frequencies that est[count][d], unprocessed, estimate: low and high, [count][d], NAN
 * for values without an interval. k: number of selected values; NAN: the default. */
enum ldp_status ldp_handle_interval(const struct ldp_handle *handle, const char *name, double level, double k,
                                    uint64_t n, const double *est, const double *s1, const double *trials, size_t count,
                                    double *low, double *high, char *reason);

/* ---- Simulation ---- */

struct ldp_simulator;

/* counts[d] are copied. */
enum ldp_status ldp_simulator_new(const struct ldp_handle *handle, const uint64_t *counts, enum ldp_mode mode,
                                  char *reason, struct ldp_simulator **out);
void ldp_simulator_free(struct ldp_simulator *simulator); /* NULL is allowed */

/* Repetitions first .. first+count-1, each from the stream (seed, key, repetition): support[count][support_size]. */
enum ldp_status ldp_simulator_run(const struct ldp_simulator *simulator, uint64_t seed, const char *key, uint64_t first,
                                  size_t count, double *support);

#ifdef __cplusplus
}
#endif

#endif

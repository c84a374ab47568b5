/* attack.h - malicious users, who send what they like: how much they move estimates (data poisoning).
 *
 * Of N = n + m users m are malicious, a fraction beta = m / N. Each of them sends one valid report, which the server
 * cannot tell from a genuine one by its form. A report that supports value v with probability s_v adds a_v = (s_v - q)
 * / (p - q) to N est_v in the mean, so that
 *
 *     E est_v = (1 - beta) f_v + beta a_v,    gain over the targets T: G = beta (sum_T a_v - f_T),
 *
 * f the frequencies of the genuine users (Cao, Jia and Gong, USENIX Security 2021, sec. 4). */
#ifndef LDPBENCH_ATTACK_H
#define LDPBENCH_ATTACK_H

#include "protocol/protocol.h"

struct ldp_attack_spec;

/* An attack, ldp_attack_<id> in core/attacks/<id>.c; a line in attacks.def registers it. */
struct ldp_attack {
    const char *name;
    const char *title;
    const char *source;             /* paper, section */
    const struct ldp_param *params; /* NULL: none */
    bool ordered;                   /* its targets are a range of values that have an order */

    /* Values that every report of this attack is to support; reports differ by the oracle's draws alone. */
    struct ldp_craft (*craft)(const double *param, const uint32_t *target, size_t r);

    /* The probability with which a report supports target i, whichever others it supports; values that are no targets
     * are left to chance. `craft` is asked for the rest. Only where support counts are independent. */
    double (*share)(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, size_t i);

    /* Writes the reports of m malicious users of a collection whose public seed is the protocol's; target[r], values
     * that differ, r >= 1. NULL, as `craft` is: malicious users have a target, each with the same probability, and
     * follow the protocol. */
    void (*reports)(const double *param, const struct ldp_protocol *protocol, const uint32_t *target, size_t r,
                    size_t m, struct ldp_rng *rng, uint64_t *reports);
};

/* An attack with its parameters, in the order of its table, and its targets. */
struct ldp_attack_spec {
    const struct ldp_attack *attack;
    double param[LDP_PARAMS_MAX];
    const uint32_t *target; /* [r] below d, all different; the caller's */
    size_t r;

    /* Knowledge of malicious users, where the attack has a `share`: the frequencies of genuine users,
     * and the fraction of all users that is malicious. */
    const double *f; /* [d] */
    double beta;
};

extern const struct ldp_attack *const ldp_attacks[]; /* NULL-terminated */
const struct ldp_attack *ldp_attack_find(const char *name);

/* LDP_EINVAL, with the reason unless that is NULL, if the attack cannot be carried out against the protocol: there is
 * no noise to hide behind, reports have no bound, they cannot be crafted, or support counts are no sums over users. */
enum ldp_status ldp_attack_check(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol,
                                 struct ldp_reason *reason);

/* Malicious users of what is collected in several parts: a fraction of all users of every part. */
struct ldp_attackers {
    struct ldp_attack_spec spec; /* its targets and r are those of a part, which has them anew */
    double fraction;             /* 0: there are none */
    struct ldp_rng *rng;         /* not that of genuine users, who are the same without them */

    /* The injected strings, by position among all strings, or the injected records [r][attributes]. */
    const uint32_t *injected;
    size_t ninjected;
};

/* LDP_EINVAL, with the reason, if they cannot attack collections by an oracle. */
enum ldp_status ldp_attackers_check(const struct ldp_attackers *attackers, const struct ldp_protocol *protocol,
                                    struct ldp_reason *reason);

/* Bytes of scratch for a part with up to r targets, whichever the attack. */
size_t ldp_attackers_scratch(const struct ldp_attackers *attackers, const struct ldp_protocol *protocol, size_t r);

/* Adds the malicious users of a part with n genuine ones to support[support_size], with targets that differ, of which
 * as many are used as can be crafted for, r >= 1. more[support_size] is scratch. Returns their number. */
uint64_t ldp_attackers_add(const struct ldp_attackers *attackers, const struct ldp_protocol *protocol,
                           const uint32_t *target, size_t r, uint64_t n, enum ldp_mode mode, void *scratch,
                           double *more, double *support);

/* How many malicious users make a fraction of all, in addition to n genuine ones; at least one. */
double ldp_attackers_users(uint64_t n, double fraction);

/* target[r]: a uniform set of r of d values, r <= d, in the order of Floyd's algorithm. */
void ldp_attack_draw(struct ldp_rng *rng, size_t d, size_t r, uint32_t *target);

/* The reports of m malicious users in the collection whose public seed is the protocol's; values[m + r] is scratch.
 */
void ldp_attack_reports(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, size_t m,
                        struct ldp_rng *rng, uint32_t *values, uint64_t *reports);

/* Bytes of scratch that ldp_attack_collect needs, for any m. */
size_t ldp_attack_scratch(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol);

/* The support[support_size] of m >= 1 malicious users alone, in the collection whose public seed is the protocol's.
 * LDP_COUNTS: from its exact joint law where oracle and attack have one, else as LDP_REPORTS, at the cost of m reports.
 * scratch is aligned as by malloc. */
void ldp_attack_collect(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, uint64_t m,
                        enum ldp_mode mode, struct ldp_rng *rng, void *scratch, double *support);

#endif

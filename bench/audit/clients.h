/* clients.h - reports of one of the program's oracles, reduced to the numbers that an audit examines. */
#ifndef LDPBENCH_AUDIT_CLIENTS_H
#define LDPBENCH_AUDIT_CLIENTS_H

#include "audit/bound.h"
#include "ldpbench.h"

/* Two values whose reports are compared. A report is reduced to the log ratio of its stated probabilities under the two
 * values, and its support of each value. */
struct audit_pair {
    const struct ldp_protocol *protocol;
    uint32_t value[2];
    bool supports;   /* the support of each value by one report is defined and cheap enough to compute */
    void *state;     /* of a server of one report */
    double *support; /* [d] */
};

enum { AUDIT_PAIR_COLUMNS = 3 };

/* protocol has its public_seed. Clear when done. */
struct audit_pair audit_pair_new(const struct ldp_protocol *protocol, uint32_t first, uint32_t second);
void audit_pair_clear(struct audit_pair *pair);

/* Rows of n[side] reports of each value, report[side][n][report_words]; the caller frees word[0] and word[1]. */
struct audit_reports audit_pair_reports(struct audit_pair *pair, uint64_t *const report[2], const size_t n[2]);

/* Rows of n reports of each value by the oracle's client; the caller frees word[0] and word[1]. */
struct audit_reports audit_pair_clients(struct audit_pair *pair, size_t n, uint64_t seed);

#endif

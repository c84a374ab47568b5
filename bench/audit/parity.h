/* parity.h - exclusive-ors of any bits of a report, found by elimination. Internal to bench/audit. */
#ifndef LDPBENCH_AUDIT_PARITY_H
#define LDPBENCH_AUDIT_PARITY_H

#include "audit/features.h"
#include "audit/rows.h"

/* Adds features for exclusive-ors that are the same in every report of one input of the learning part, but not in
 * every report of the other: a secret that is shared without noise by any bits, of which no part says anything. */
void audit_parities(struct audit_features *features, struct audit_rows *rows);

#endif

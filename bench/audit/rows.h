/* rows.h - the words of a report as whole numbers of 64 bits. Internal to bench/audit.
 *
 * A word that is whole is itself. A column of decimal fractions is counted in units of its last place; a column of any
 * other numbers is the bits of their doubles. A column of symbols is read as hexadecimal digits if all symbols are, and
 * otherwise as the last eight bytes of each. */
#ifndef LDPBENCH_AUDIT_ROWS_H
#define LDPBENCH_AUDIT_ROWS_H

#include "audit/bound.h"

struct audit_rows {
    const struct audit_reports *reports;
    double *scale;    /* [columns] units of a column; NAN: the bits of its doubles */
    bool hexadecimal; /* symbols are */
    /* ---- of the report that was loaded ---- */
    const double *word;        /* [columns] */
    uint64_t *number;          /* [columns]; 0 for a word that is missing */
    uint64_t *xor_to, *sum_to; /* [columns + 1] over the words before */
};

struct audit_rows audit_rows_new(const struct audit_reports *reports);
void audit_rows_clear(struct audit_rows *rows);
void audit_rows_load(struct audit_rows *rows, size_t side, size_t i);

#endif

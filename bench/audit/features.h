/* features.h - features of reports: columns of small codes; an event is a range of codes of a column.
 * Internal to bench/audit. */
#ifndef LDPBENCH_AUDIT_FEATURES_H
#define LDPBENCH_AUDIT_FEATURES_H

#include "audit/bound.h"

#include <stdint.h>

/* The part that a report belongs to. */
enum audit_part { AUDIT_LEARN, AUDIT_CHOOSE, AUDIT_HELD_OUT };
static inline enum audit_part audit_part_of(size_t report)
{
    return report % 4 == 0 ? AUDIT_LEARN : report % 4 == 1 ? AUDIT_CHOOSE : AUDIT_HELD_OUT;
}

enum audit_kind { AUDIT_WORD, AUDIT_HOLDS, AUDIT_WHOLE, AUDIT_SCORE };

/* Code 0: no such word, or a word that the learning part does not contain. Code c >= 1: the value value[c - 1], or, if
 * binned, the numbers from value[c - 1] to below the next. */
struct audit_feature {
    enum audit_kind kind;
    size_t column; /* of a word */
    double word;   /* of AUDIT_HOLDS */
    bool ordered, binned;
    uint32_t codes;    /* number of them */
    double *value;     /* [codes - 1], increasing */
    uint16_t *code[2]; /* [n] */
};

struct audit_features {
    const struct audit_reports *reports;
    struct audit_feature *feature;
    size_t count, room;
};

/* Features of every word, of words at any position, of whole reports, and learned scores. Clear in any case. */
int audit_features_new(const struct audit_reports *reports, struct audit_features *features, struct failure *failure);
void audit_features_clear(struct audit_features *features);

/* Counts the reports of a part with each code: count[2][codes]. */
void audit_count(const struct audit_features *features, const struct audit_feature *feature, enum audit_part part,
                 size_t *count);

/* The number of reports of a part, for each input. */
void audit_part_sizes(const struct audit_reports *reports, enum audit_part part, size_t size[2]);

/* The difference of two shares, in standard deviations. */
double audit_z(double a, double na, double b, double nb);

#endif

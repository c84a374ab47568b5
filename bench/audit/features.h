/* features.h - features of reports: columns of small codes; an event is a range of codes of a column.
 * Internal to bench/audit. */
#ifndef LDPBENCH_AUDIT_FEATURES_H
#define LDPBENCH_AUDIT_FEATURES_H

#include "audit/audit.h"

#include <stdint.h>

/* The part that a report belongs to. */
enum audit_part { AUDIT_LEARN, AUDIT_CHOOSE, AUDIT_HELD_OUT };
static inline enum audit_part audit_part_of(size_t report)
{
    return report % 8 < 2 ? AUDIT_LEARN : report % 8 < 4 ? AUDIT_CHOOSE : AUDIT_HELD_OUT;
}

/* The k-th report of the learning part. */
static inline size_t audit_learned(size_t k)
{
    return k / 2 * 8 + k % 2;
}

enum audit_kind { AUDIT_WORD, AUDIT_HOLDS, AUDIT_WHOLE, AUDIT_SCORE, AUDIT_DERIVED };

/* Code 0: no such word, or a word that the learning part does not contain. Code c >= 1: the value value[c - 1], or, if
 * binned, the numbers from value[c - 1] to below the next. */
struct audit_feature {
    enum audit_kind kind;
    char *name;
    unsigned users; /* reports that the event is about: an event of two may be e^(2 epsilon) times as likely */
    bool ordered, binned;
    bool question;     /* code 1 is yes, 0 is no */
    uint32_t codes;    /* number of them */
    double *value;     /* [codes - 1], increasing */
    uint16_t *code[2]; /* [n] */
};

struct audit_features {
    const struct audit_reports *reports;
    struct audit_feature *feature;
    size_t count, room;
};

/* Features of every word, of words at any position, of whole reports, derived ones, and learned scores. */
struct audit_features audit_features_new(const struct audit_reports *reports);
void audit_features_clear(struct audit_features *features);

/* Appends a feature; its codes are to be set. */
struct audit_feature *audit_feature_add(struct audit_features *features, enum audit_kind kind);
void audit_feature_drop(struct audit_features *features); /* the last one */

/* Computes the codes of a feature from the numbers x[n], a stride apart. If there are too many different numbers, they
 * are put into bins with equally many reports each; the largest number has a bin of its own. */
void audit_encode(const struct audit_features *features, struct audit_feature *feature, double *const x[2],
                  size_t stride);

/* derived.c: features that are computed from several words or from digits of a word; those that tell the inputs apart
 * on the learning part better than the words that they are made of. */
void audit_derive(struct audit_features *features);

/* A word, or the symbol of that number; malloc'd. */
char *audit_word_text(char *const *symbol, double word);

/* Counts the reports of a part with each code: count[2][codes]. */
void audit_count(const struct audit_features *features, const struct audit_feature *feature, enum audit_part part,
                 size_t *count);

/* The number of reports of a part, for each input. */
void audit_part_sizes(const struct audit_reports *reports, enum audit_part part, size_t size[2]);

/* The difference of two shares, in standard deviations. */
double audit_z(double a, double na, double b, double nb);

/* The reports whose feature has a code in a range. */
struct audit_range {
    const struct audit_feature *feature;
    uint32_t from, to; /* codes from .. to - 1 */
    double z;          /* how well it distinguishes the inputs, on the learning part */
};

/* The codes of a feature, and its numbers from one on, that the learning part has: malloc'd. */
struct audit_range *audit_ranges(const struct audit_features *features, const struct audit_feature *feature,
                                 size_t *ranges);

/* How well the best of them tells the inputs apart. */
double audit_z_of_feature(const struct audit_features *features, const struct audit_feature *feature);

#endif

/* features.h - features of reports: columns of small codes; an event is a range of codes of a column.
 * Internal to bench/audit. */
#ifndef LDPBENCH_AUDIT_FEATURES_H
#define LDPBENCH_AUDIT_FEATURES_H

#include "audit/audit.h"

#include <stdint.h>

/* The part that a report belongs to. */
enum audit_part { AUDIT_LEARN, AUDIT_CHOOSE, AUDIT_HELD_OUT, AUDIT_PARTS };
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
    bool ordered, binned;
    bool question;     /* code 1 is yes, 0 is no */
    bool of_two;       /* an event of two reports, which may be e^(2 epsilon) times as likely */
    double z;          /* how well the best of its ranges tells the inputs apart, on the learning part */
    uint32_t codes;    /* number of them */
    double *value;     /* [codes - 1], increasing */
    uint16_t *code[2]; /* [n] */
};

struct audit_features {
    const struct audit_reports *reports;
    size_t size[AUDIT_PARTS][2]; /* reports of a part, for each input */
    double *x[2];                /* [n] for those who make a feature */
    struct audit_feature *feature;
    size_t count, room;
};

/* Features of every word, of words at any position, of whole reports, derived ones, and learned scores. */
struct audit_features audit_features_new(const struct audit_reports *reports);
void audit_features_clear(struct audit_features *features);

/* Adds a feature of the numbers x[n], a stride apart, unless it tells the inputs apart by less than `least`. Takes over
 * the name. Too many different numbers are put into bins with equally many reports each; the largest number has a bin
 * of its own. The numbers of a question are 1, 0 and NAN. */
enum { AUDIT_ORDERED = 1, AUDIT_QUESTION = 2, AUDIT_OF_TWO = 4 };
void audit_feature_add(struct audit_features *features, enum audit_kind kind, char *name, unsigned flags,
                       double *const x[2], size_t stride, double least);

/* derived.c: features that are computed from several words or from digits of a word; those that tell the inputs apart
 * on the learning part better than the words that they are made of. */
void audit_derive(struct audit_features *features);

/* A word, or the symbol of that number; malloc'd. */
char *audit_word_text(char *const *symbol, double word);

/* The distance of two shares, in standard deviations. */
double audit_z(double a, double na, double b, double nb);

/* The reports whose feature has a code in a range. */
struct audit_range {
    const struct audit_feature *feature;
    uint32_t from, to; /* codes from .. to - 1 */
    double z;          /* how well it distinguishes the inputs, on the learning part */
    double held[2];    /* reports of the choosing part */
};

/* The codes of a feature, and its numbers from one on, that the learning part has: malloc'd. */
struct audit_range *audit_ranges(const struct audit_features *features, const struct audit_feature *feature,
                                 size_t *ranges);

#endif

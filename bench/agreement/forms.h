/* forms.h - the forms that claims have, and how each is decided. */
#ifndef LDPBENCH_FORMS_H
#define LDPBENCH_FORMS_H

#include "agreement/estimate.h"
#include "agreement/evidence.h"

/* A claim about one dataset. */
struct question {
    const struct statements *statements;
    const struct claim *claim;
    struct evidence *evidence;
    const char *dataset;
};

enum { ANSWER_TEXT = 400 };

/* Adds the comparison of a point with another, or with a number (b NULL), to a tally. Where it is undecided, the
 * points' cells are noted as in need of more repetitions; they count where the claim is undecided. */
void tally_compared(const struct question *question, struct tally *tally, enum verdict verdict, const struct point *a,
                    const struct point *b);

struct answer {
    enum verdict verdict;
    double z;      /* the least favourable comparison, in standard errors; NAN: none */
    double needed; /* of an open claim: the repetitions that would decide it, about; 0: not known */
    char measured[ANSWER_TEXT];
};

/* The curves that a key of the claim selects, one for each selection. */
struct curves {
    struct curve *curve;
    char **name; /* what is selected, as the paper calls it */
    size_t count;
};

/* Which curves a form compares. key NULL: none. */
struct form_curves {
    const char *key, *instead; /* instead: the key where the claim lacks `key`; NULL: there is no other */
    bool single;               /* the key selects one curve */
    bool optional;             /* without the key there are no curves */
    size_t points;             /* the fewest points of a curve */
};

/* A form of claims; papers/README.md describes each. It has one of the two functions. */
struct form {
    const char *name;
    const char *const *keys; /* besides the keys of every claim, NULL-terminated */
    struct form_curves of, to;
    void (*compare)(const struct question *question, struct curves *of, struct curves *to, struct answer *answer);
    int (*judge)(const struct question *question, struct answer *answer, struct failure *failure);
};

/* NULL if there is none of that name. */
const struct form *form_find(const char *name);

/* Decides the claim of a question by its form. 0, or -1 with the failure set. */
int form_judge(const struct question *question, struct answer *answer, struct failure *failure);

/* The point of a curve at x; NULL where it has none. */
const struct point *curve_at(const struct curve *curve, double x);

/* Whether two points are of the same collections; whether their repetitions are paired. */
bool points_alike(const struct point *a, const struct point *b);
bool points_paired(const struct point *a, const struct point *b);

/* A number as tables of the page show it. Returns text. */
enum { SHORT_TEXT = 40 };
const char *short_number(double value, char text[SHORT_TEXT]);

/* "1.2 ± 0.1". */
void measured_estimate(struct answer *answer, const char *before, struct estimate estimate, const char *after);

/* "differ by at most 3.1 %", or by a factor where that is 2 or more; from the logarithm of a ratio. */
void measured_apart(struct answer *answer, double log_ratio);

/* Collects the results of several comparisons: verdicts, the least favourable z, and the points against the claim. */
struct gathering {
    const struct question *question;
    struct tally tally;
    double z, needed;
    char against[ANSWER_TEXT / 2], open[ANSWER_TEXT / 4];
};

void gathering_begin(struct gathering *gathering, const struct question *question);
void gathering_add(struct gathering *gathering, enum verdict verdict, double z, const char *name, double x,
                   const struct point *a, const struct point *b);
void gathering_answer(const struct gathering *gathering, struct answer *answer);

#endif

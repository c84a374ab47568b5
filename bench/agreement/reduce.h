/* reduce.h - how claims are decided: a reducer makes numbers of the curves that a claim selects, and a relation says
 * how they have to lie. papers/README.md describes each. */
#ifndef LDPBENCH_AGREEMENT_REDUCE_H
#define LDPBENCH_AGREEMENT_REDUCE_H

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

struct answer {
    enum claim_verdict verdict;
    double z; /* the least favourable comparison, in standard errors; NAN: none */
    char measured[ANSWER_TEXT];
};

/* The curves that a key of the claim selects, one for each selection. */
struct curves {
    struct curve *curve;
    char **name; /* what is selected, as the paper calls it */
    size_t count;
};

/* A line of reduce.def. */
struct reducer {
    void (*judge)(const struct question *question, struct curves *of, struct curves *to, struct answer *answer);
    const char *name, *keys, *relations;
    enum { NO_TO, TO_ONE, TO_MANY, TO_OPTIONAL } to;
    bool one;
    size_t points;
};

/* NULL if there is none of that name. */
const struct reducer *reducer_find(const char *name);

/* Decides the claim of a question. 0, or -1 with the failure set. */
int question_judge(const struct question *question, struct answer *answer, struct failure *failure);

/* A number as tables of the page show it. Returns text. */
enum { SHORT_TEXT = 40 };
const char *short_number(double value, char text[SHORT_TEXT]);

/* ---- shared by the files of reducers ---- */

/* The point of a curve at x; NULL where it has none. */
const struct point *curve_at(const struct curve *curve, double x);

/* Whether two points are of the same collections, or have a number for each run; whether these numbers are paired. */
bool points_alike(const struct point *a, const struct point *b);
bool points_paired(const struct point *a, const struct point *b);

/* The samples of a point and of what it is divided by, or compared with: another point, or a number. */
struct pair {
    struct sample a, by;
    bool paired;
};
struct pair pair_of(const struct claim *claim, const struct point *of, const struct point *to);
struct pair pair_at(const struct claim *claim, const struct point *of, const struct curve *to);
struct estimate pair_ratio(const struct pair *pair);

/* "1.2 ± 0.1". */
void measured_estimate(struct answer *answer, const char *before, struct estimate estimate, const char *after);

/* Holds an estimate against below, above or not_below, by its number of standard errors above another. */
enum claim_verdict judge_side(enum relation relation, double z);
void answer_side(const struct question *question, struct estimate difference, struct answer *answer);

#define REDUCER(id, ...)                                                                                               \
    void reduce_##id(const struct question *question, struct curves *of, struct curves *to, struct answer *answer);
#include "agreement/reduce.def"
#undef REDUCER

#endif

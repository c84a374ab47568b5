/* reduce.h - how a claim is decided: a reducer makes numbers of the curves that it selects, and a relation says how
 * they have to lie. papers/README.md describes each. */
#ifndef LDPBENCH_AGREEMENT_REDUCE_H
#define LDPBENCH_AGREEMENT_REDUCE_H

#include "agreement/evidence.h"
#include "agreement/verdict.h"

/* A claim about one dataset. */
struct question {
    const struct statements *statements;
    const struct claim *claim;
    struct evidence *evidence;
    const char *dataset;
};

struct answer {
    enum claim_verdict verdict;
    double z;       /* the least favourable comparison, in standard errors; NAN: none */
    char *measured; /* malloc'd */
};

/* Decides the claim of a question. 0, or -1 with the failure set. */
int question_judge(const struct question *question, struct answer *answer, struct failure *failure);

/* Whether two points are of the same collections, or have a number for each run. */
bool same_collections(const struct evidence_point *a, const struct evidence_point *b);

#endif

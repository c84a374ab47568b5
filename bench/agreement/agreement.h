/* agreement.h - a paper's claims compared with results, and how that is printed. */
#ifndef LDPBENCH_AGREEMENT_H
#define LDPBENCH_AGREEMENT_H

#include "agreement/evidence.h"
#include "agreement/verdict.h"
#include "support/document.h"

#include <stdio.h>

/* How a claim about one dataset is decided: a reducer makes numbers of the curves that it selects, and a relation says
 * how they have to lie. papers/README.md describes each. */
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

/* What was found. */
struct agreement_row {
    const struct claim *claim;
    const char *data; /* the dataset's name */
    bool is_run;      /* false: there are no results of the claim's run */
    bool is_aside;    /* in another setting than the paper's: does not count */
    struct answer answer;
    size_t note; /* number of the remark under it, from 1; 0: none */
};

/* A sentence of the paper, by the rows of the paper's own setting together (tally_verdict). */
struct sentence_answer {
    const char *verdict;                 /* as of a row */
    const struct agreement_row *hardest; /* the first row with this verdict; NULL: none */
    size_t rows, agreeing;               /* in the paper's own setting */
    bool is_unexplained;                 /* a row of these differs, and no note says why */
};

struct agreement {
    const struct statements *statements;
    struct evidence *evidence;
    struct agreement_row *row;
    size_t nrows, row_room;
    const struct cJSON **note; /* [nnotes], in order of appearance */
    size_t nnotes, note_room;
    struct sentence_answer *sentence;
    size_t unexplained; /* sentences that differ without a note */
};

/* Judges every claim. 0, or -1 with the failure set. To be cleared in either case. */
int agreement_judge(const struct statements *statements, struct evidence *evidence, struct agreement *out,
                    struct failure *failure);
void agreement_clear(struct agreement *agreement);

/* "agrees", "differs", "undecided", "equal", or "not run". */
const char *agreement_verdict(const struct agreement_row *row);

/* Prints the page, by a sheet; whole: with every comparison. */
void agreement_print(const struct agreement *agreement, bool whole, enum format format, FILE *out);

#endif

/* bound.h - a lower bound of epsilon from reports of two inputs.
 *
 * If a client is epsilon-private, no event of its report is more than e^epsilon times as likely under one input as
 * under another. Half of the reports are used to find the event with the largest ratio, the other half to bound its two
 * probabilities (Clopper and Pearson, 1934): since the event does not depend on that half, the bound holds with the
 * stated confidence however the event was found. Each report is from a different user: reports are independent.
 *
 * Of every four reports the first is used to learn scores, the second to choose an event, the others are held out. */
#ifndef LDPBENCH_AUDIT_BOUND_H
#define LDPBENCH_AUDIT_BOUND_H

#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>

/* Reports as rows of words, which are numbers or the numbers of symbols. */
struct audit_reports {
    size_t n[2];           /* of the first and of the second input */
    size_t columns;        /* words of the longest report */
    double *word[2];       /* [n][columns]; NAN: the report has no such word */
    bool text;             /* words are symbols, without an order */
    bool list;             /* a word may be at any position: whether a report contains it is an event too */
    char *const *symbol;   /* text of a symbol; NULL: words are numbers */
    const char *const *of; /* [columns] names of columns; NULL: "word 1", ... */
};

enum { AUDIT_EVENT_TEXT = 640 };

struct audit_finding {
    double epsilon;  /* lower bound at the requested confidence; 0: nothing was found */
    double estimate; /* log of the ratio of the event's shares; infinite if the other input never has it */
    double most;     /* the largest bound that this number of reports can show */
    size_t likelier; /* the input, 0 or 1, that makes the event likelier */
    size_t held[2];  /* held-out reports of each input that are in the event */
    size_t of[2];    /* held-out reports */
    char event[AUDIT_EVENT_TEXT];
};

/* 0 < confidence < 1; at least AUDIT_REPORTS_MIN reports of each input. */
enum { AUDIT_REPORTS_MIN = 40 };
int audit_bound(const struct audit_reports *reports, double confidence, struct audit_finding *finding,
                struct failure *failure);

/* The bound for one event that was chosen without these reports: log of the lower bound of the likelier input's
 * probability over the upper bound of the other's. */
double audit_ratio(const size_t held[2], const size_t of[2], size_t likelier, double confidence);

#endif

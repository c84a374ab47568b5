/* bound.h - a lower bound of epsilon from reports of two inputs.
 *
 * If a client is epsilon-private, no event of its report is more than e^epsilon times as likely under one input as
 * under another. Half of the reports are used to find the event with the largest ratio, the other half to bound its two
 * probabilities (Clopper and Pearson, 1934), each at (1 - confidence) / 2.
 *
 * Correction for many events: one event of one pair of inputs is tested on the held-out half, and neither event nor
 * pair depends on that half. So the bound holds with the stated confidence whatever the number of events and of pairs
 * that were looked at to choose it, as long as reports are independent (each is from a different user).
 *
 * The first two of every eight reports are used to learn scores, the next two to choose an event; the others are held
 * out. Two reports that follow each other are in the same part, so an event may be about both. */
#ifndef LDPBENCH_AUDIT_BOUND_H
#define LDPBENCH_AUDIT_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reports as rows of words, which are numbers or the numbers of symbols (in the order of their texts). */
struct audit_reports {
    size_t n[2];             /* of the first and of the second input */
    size_t columns;          /* words of the longest report */
    double *word[2];         /* [n][columns]; NAN: the report has no such word */
    uint64_t *whole[2];      /* [n][columns] whole numbers of 2^53 and more without rounding; NULL: none is so large */
    uint32_t *characters[2]; /* [n] length of the report as a text; NULL: not known */
    bool text;               /* words are symbols */
    bool list;               /* a word may be at any position: whether a report contains it is an event too */
    bool raw;                /* words are what the client sent, so events of their digits and of several words count */
    char *const *symbol;     /* text of a symbol; NULL: words are numbers */
    size_t symbols;
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
    double chosen;   /* the bound on the choosing part, by which pairs of inputs are compared */
    char event[AUDIT_EVENT_TEXT];
};

/* 0 < confidence < 1; at least AUDIT_REPORTS_MIN reports of each input. */
enum { AUDIT_REPORTS_MIN = 40 };
void audit_bound(const struct audit_reports *reports, double confidence, struct audit_finding *finding);

/* The bound for one event that was chosen without these reports: log of the lower bound of the likelier input's
 * probability over the upper bound of the other's. */
double audit_ratio(const size_t held[2], const size_t of[2], size_t likelier, double confidence);

/* The largest bound that n reports of one input and m of the other can show. */
double audit_most(size_t n, size_t m, double confidence);

/* The fewest reports of each input that can show more than epsilon; SIZE_MAX if 2^40 cannot. */
size_t audit_reports_needed(double epsilon, double confidence);

#endif

/* style.h - how labels are printed and how curves look, as plots/looks.tsv and plots/words.tsv say. */
#ifndef LDPBENCH_FIGURES_STYLE_H
#define LDPBENCH_FIGURES_STYLE_H

#include "figures/page.h"
#include "figures/rows.h"
#include "support/failure.h"

/* A row of looks.tsv: a method, an oracle, or a variant of one. */
struct look_row {
    char *id, *name;
    char *sides; /* L, R, LR; QUERY:L, ...: also there for a query */
    struct look look;
};

/* A row of words.tsv. */
struct word_row {
    char *kind, *id, *axis, *before, *after;
};

struct style {
    struct look_row *look;
    size_t nlooks;
    struct look *spare; /* for what is not listed */
    size_t nspares;
    struct word_row *word;
    size_t nwords;
};

/* Reads plots/looks.tsv and plots/words.tsv of a folder. */
int style_load(const char *share, struct style *style, struct failure *failure);
void style_clear(struct style *style);

/* Looks for the labels of one page, no two alike as far as there are looks: listed ones have theirs; a variant
 * ID(PARAMETERS) of a listed one its colour; others spare ones. */
void style_looks(const struct style *style, const char *const *label, size_t count, struct look *look);

/* The side of a label on a query's picture: 1 left, 2 right, 3 both, 0 not known. */
int style_sides(const struct style *style, const char *label, const char *query);

/* What stands before and after a value of a key, as style_value puts it; NULL: only the key and " = " before it. */
const char *style_before(const struct style *style, const char *key, const char *query);
const char *style_after(const struct style *style, const char *key, const char *query);

/* All texts below are malloc'd, NULL if out of memory.
 *
 * A label as printed: listed names and their variants in words, anything else as it is written. */
char *style_name(const struct style *style, const char *label);

/* A key and its value: "ε = 1". The parameter of a query is named as the query says. */
char *style_value(const struct style *style, const char *key, const char *value, const char *query);

/* Title of an axis over a key: "privacy budget ε". */
char *style_axis(const struct style *style, const char *key, const char *parent, const char *query);

/* What a query asks for, in words. */
char *style_query(const struct style *style, const char *query);

/* What a measure is of, for the title of an axis: "MSE of all frequencies". */
char *style_measure(const struct style *style, const struct ldp_measure *measure, const char *query);

#endif

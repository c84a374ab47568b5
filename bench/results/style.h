/* style.h - printed names of labels and styles of curves, from plots/styles.tsv and plots/words.tsv. */
#ifndef LDPBENCH_RESULTS_STYLE_H
#define LDPBENCH_RESULTS_STYLE_H

#include "results/rows.h"
#include "support/failure.h"
#include "support/text.h"

#include <stddef.h>
#include <stdint.h>

/* The style of a curve. Points and dashes are numbered as in plots/style.gp. */
struct style {
    int point, dash;
    double size, width;
    uint32_t colour; /* 0xAARRGGBB, AA: 0 opaque, 255 invisible */
    bool own;        /* of a method or oracle of the user's: drawn thick, on top, first in keys */
};

/* A row of styles.tsv: a method, an oracle, or a variant of one. */
struct style_row {
    const char *id, *name;
    const char *sides; /* L, R, LR; QUERY:L, ...: additional sides for a query */
    struct style style;
};

/* A row of words.tsv. */
struct word_row {
    const char *kind, *id, *axis, *before, *after;
};

struct styles {
    char *text[2]; /* of the two files: rows point into them */
    struct style_row *style;
    struct style *spare; /* for labels that are not listed */
    struct word_row *word;
    size_t nstyles, styles_room, nspares, spares_room, nwords, words_room;
    struct texts own;      /* labels that are printed as they are written */
    struct texts external; /* labels of methods and oracles that are not part of the program */
};

/* Reads plots/styles.tsv and plots/words.tsv of a folder. */
int style_load(const char *share, struct styles *styles, struct failure *failure);
void style_clear(struct styles *styles);

/* Labels that a config gives explicitly are printed as they are written from now on, even if they are the id of
 * something else; not those that are the id of what they label ("hr" for hr with a rule). What is not part of the
 * program is drawn as the user's own. */
struct cJSON;
void style_take_labels(struct styles *styles, const struct cJSON *config);

/* Chooses styles for the labels of one page, distinct without colour as far as there are enough marks and dashes: listed
 * labels have their own style, a variant ID(PARAMETERS) of a listed label has its colour, others get spare styles. */
void style_choose(const struct styles *styles, const char *const *label, size_t count, struct style *style);

/* The side of a label on a query's picture: 1 left, 2 right, 3 both, 0 not known. */
int style_sides(const struct styles *styles, const char *label, const char *query);

/* A key as words.tsv has it. The words of the parameter of a query depend on the query. */
struct style_key {
    const char *name;
    enum column_part part;
};

/* A table's key column: TABLE.KEY where it is listed, otherwise the key. */
struct style_key style_key(const struct styles *styles, const char *table, const char *key, enum column_part part);

/* The words of a key, those of a query's parameter being the query's; NULL: not known. */
const struct word_row *style_words(const struct styles *styles, struct style_key key, const char *query);

/* All texts below are malloc'd.
 *
 * The printed name of a label: listed names and their variants in words, any other label, and any
 * of the user's own, unchanged. */
char *style_name(const struct styles *styles, const char *label);

/* A key and its value: "ε = 1". The name of a query's parameter depends on the query. */
char *style_value(const struct styles *styles, struct style_key key, const char *value, const char *query);

/* Title of an axis over a key: "privacy budget ε". */
char *style_axis(const struct styles *styles, struct style_key key, const char *parent, const char *query);

/* A query in words. */
char *style_query(const struct styles *styles, const char *query);

/* A measure with its query, for the title of an axis: "MSE of all frequencies". */
char *style_measure(const struct styles *styles, const struct ldp_measure *measure, const char *query);

#endif

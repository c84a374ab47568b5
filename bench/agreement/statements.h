/* statements.h - what a paper states, as data: papers/NAME/statements.json (papers/README.md says what it may hold).
 *
 * A claim of the file for several methods, oracles or datasets ("each"), or for several variants, becomes one claim for
 * each of them. */
#ifndef LDPBENCH_STATEMENTS_H
#define LDPBENCH_STATEMENTS_H

#include "agreement/verdict.h"
#include "support/failure.h"
#include "tasks/task.h"

#include <stdbool.h>
#include <stddef.h>

struct cJSON;
struct json_file;

/* What makes numbers of what a claim selects (reduce.c). */
enum reducer { POINTS, NEXT, ENDS, MEAN_RATIO, NUMBER, SQL };

struct claim {
    char *id;            /* unique in the paper */
    size_t sentence;     /* index of the sentence that it is part of */
    char *text;          /* in our words, with names as the paper prints them */
    const char *place;   /* in the paper */
    const char *paper;   /* what the paper prints or says */
    const char *ours;    /* our interpretation; "" if none */
    const char *run;     /* the config whose results are asked */
    const char *variant; /* the part of the results that is meant, or "" */
    bool is_evidence;    /* measured for a note, no claim of the paper */
    bool is_aside;       /* in another setting than the paper's: does not count */
    enum reducer reduce;
    enum relation relation;
    double low, high;   /* what ratios have to lie between */
    struct cJSON *node; /* all its keys */
};

/* A sentence of the paper: a claim of the file, all its entries and variants together. */
struct sentence {
    const char *id, *place, *paper;
    char *text;
    bool is_evidence;
    const struct cJSON *own_data; /* patterns of the paper's own data, the first choice first; NULL: all data */
};

/* Columns that claims may name as keys of their own, each once: those that select what is compared (methods, oracles,
 * other algorithms), then those that say where (budgets, parameters of queries, users, domain sizes). */
struct claim_columns {
    const char **name; /* they belong to the tables */
    size_t count, room, nselecting;
    struct task_tables tables;
};

struct statements {
    const char *paper, *citation;
    struct claim *claim;
    size_t nclaims, claim_room;
    struct sentence *sentence;
    size_t nsentences, sentence_room;
    struct json_file *file;
    const struct cJSON *root;
    struct claim_columns columns;
};

/* Reads and checks a file. 0, or -1 with a failure that names the file, the claim and the key. */
int statements_load(const char *path, struct statements *out, struct failure *failure);
void statements_clear(struct statements *statements);

/* Whether a dataset is one that a text, or a text of a list, is the pattern of; none: every dataset is. */
bool data_matches(const struct cJSON *patterns, const char *dataset);

/* Whether a name is that of a column: of one that selects, or of any. */
bool is_claim_column(const struct claim_columns *columns, const char *name, bool selects);

/* Whether a text is a pattern, or begins with the part before the pattern's last character '*'. */
bool pattern_matches(const char *pattern, const char *text);

/* The paper's name of a method, oracle, ... : `names` of the file, else the name itself. */
const char *statements_name(const struct statements *statements, const char *column, const char *name);

/* The selections that a key of a claim stands for: an object of columns, or the name of one of the file's sets, with
 * one selection for each value of a list. A new array of objects to be freed by cJSON_Delete, each joined with the
 * claim's `where`; NULL with the failure set. Not there: an array with `where` alone. */
struct cJSON *claim_selections(const struct statements *statements, const struct claim *claim, const char *key,
                               struct failure *failure);

/* Whether a key of a selection is no column: such a one of the claim is part of its selections that lack it. */
bool is_selection_option(const char *key);

/* Texts and numbers of an object of the file, such as a claim's; fallback where there is none. */
const char *statement_text(const struct cJSON *object, const char *key, const char *fallback);
double statement_number(const struct cJSON *object, const char *key, double fallback);

#endif

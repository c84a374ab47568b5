/* agreement.h - a paper's claims compared with results, and how that is printed. */
#ifndef LDPBENCH_AGREEMENT_H
#define LDPBENCH_AGREEMENT_H

#include "results/results.h"
#include "support/document.h"
#include "tasks/task.h"

struct json_file;

/* ---- differences and ratios of measured means with their standard errors, and the results they lead to ---- */

/* The result of a comparison, in the order in which parts decide a whole. */
enum claim_result {
    AGREES,       /* beyond DECIDED standard errors in favour */
    EQUAL,        /* the effect is shown to be below NEGLIGIBLE: neither for nor against */
    INCONCLUSIVE, /* more repetitions are needed */
    DIFFERS       /* beyond DECIDED standard errors against */
};

/* How numbers have to lie: below others, ..., between bounds, within a share of each other, near what is printed. */
enum relation { BELOW, ABOVE, NOT_BELOW, BETWEEN, WITHIN, PRINTED };

/* Standard errors that decide, and the relative effect below which two numbers count as one. */
#define DECIDED 4.0
#define NEGLIGIBLE 0.01

#define EQUAL_LEVEL 0.05 /* of the comparison test's test of equality (setting_equal) */

/* reach: the distance that decides, DECIDED standard errors. Of few repetitions it is more: the quantile of Student's
 * law that a normal law has at DECIDED. */
struct estimate {
    double value, error, reach; /* error: one standard error */
};

/* An estimate whose standard error is known well; one of n numbers. */
struct estimate estimate_of(double value, double error);
struct estimate estimate_from(double value, double error, size_t n);

/* The distance from 0 in standard errors, four of which decide. */
double estimate_z(struct estimate estimate);

/* The mean of a sample. */
struct estimate estimate_mean(const struct sample *sample);

/* a - b and a / b. paired: both samples hold the same repetitions of one collection, so that their covariance counts,
 * and only the repetitions that both have. */
struct estimate estimate_difference(const struct sample *a, const struct sample *b, bool paired);
struct estimate estimate_ratio(const struct sample *a, const struct sample *b, bool paired);

/* Whether the means are shown to differ by at most NEGLIGIBLE of the larger one, by the comparison test's test: also
 * where all repetitions that were seen are the same. */
bool is_equal(const struct sample *a, const struct sample *b, bool paired);

/* Does a number of standard errors z above another one agree with below, above or not_below? */
enum claim_result judge_side(enum relation relation, double z);

/* Is a below b? It agrees where it is, however little; EQUAL where it is not, but they are shown to differ by less than
 * NEGLIGIBLE of the larger one. */
enum claim_result judge_below(const struct sample *a, const struct sample *b, bool paired, double *z);

/* Does a number lie between low and high (infinite: no bound)? A number at a bound up to NEGLIGIBLE of it agrees. */
enum claim_result judge_between(struct estimate estimate, double low, double high);

/* Does a / b lie between low and high? For b >= 0, by the differences a - bound b, which unlike the ratio have a normal
 * law even where b is hardly known. *z: of the bound that is least kept (NULL: not requested). */
enum claim_result judge_ratio(const struct sample *a, const struct sample *b, bool paired, double low, double high,
                              double *z);

/* The result of several comparisons together: it differs where one does, is inconclusive where one is, and else agrees
 * if at least half agree; if more are equal, EQUAL. */
struct tally {
    unsigned n[4]; /* by result */
};

enum claim_result tally_result(const struct tally *tally);

/* ---- what a paper states, as data: papers/NAME/statements.json (papers/README.md says what it may hold). A claim for
 * several methods, oracles or datasets ("each"), or for several variants, becomes one for each of them. ---- */

/* What makes numbers of what a claim selects (reduce.c). */
enum reducer { POINTS, NEXT, ENDS, MEAN_RATIO, NUMBER, SQL };

struct claim {
    char *id;            /* unique in the paper */
    size_t sentence;     /* index of the sentence that it is part of */
    char *text;          /* in our words, with names as the paper prints them */
    const char *place;   /* in the paper */
    const char *paper;   /* what the paper prints or says */
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

/* What a claim's `of`, or else its `where`, selects of a column; NULL: nothing. */
const struct cJSON *selected_value(const struct cJSON *node, const char *column);

/* Texts and numbers of an object of the file, such as a claim's; fallback where there is none. */
const char *statement_text(const struct cJSON *object, const char *key, const char *fallback);
double statement_number(const struct cJSON *object, const char *key, double fallback);

/* ---- measured numbers as claims need them: curves over a swept column, found in folders of results ---- */

/* All results that were found for a run, and the datasets of the first of them. */
struct evidence_run {
    char *name;
    struct results **results; /* [nfound] */
    size_t nfound;
    struct interned datasets;
};

/* All zero but the first three at the beginning. Where there is a config of a run's name, the run must be of it. */
struct evidence {
    char *configs;        /* the folder of the configs that the runs are of; malloc'd */
    char *const *folders; /* of results, each with a folder for every run; they outlive it */
    size_t nfolders;
    struct evidence_run **run;
    size_t runs, run_room;
    double **kept; /* samples that are no table's */
    size_t nkept, kept_room;
};

void evidence_clear(struct evidence *evidence);

/* A run by its name, without datasets where no folder has it; NULL with the failure set where it cannot be read. */
struct evidence_run *evidence_run(struct evidence *evidence, const char *name, struct failure *failure);

/* One measured number of a curve. */
struct evidence_point {
    double x;           /* of the claim's swept column; infinite where there is none */
    int64_t collection; /* numbers of the same collections are paired by repetition */
    bool by_run;        /* the sample has a number for each run: they are paired */
    struct sample sample;
    size_t row;
};

struct curve {
    char *name;
    struct evidence_point *point; /* by increasing x, each x once */
    size_t count, room;
};

/* The rows of a dataset that a selection names (column to value; "run" and "measure" in it go before the claim's), over
 * the claim's x from `from` until `until`. Fails where an x has several numbers, or without rows. To be freed always.
 */
int evidence_curve(struct evidence *evidence, const struct claim *claim, const char *dataset,
                   const struct cJSON *selection, struct curve *out, struct failure *failure);

/* The number that a claim's query selects from a dataset's store: its value, its standard error and, if there is a
 * third column, how many repetitions that is of. ":NAME" in it is the dataset, or what the claim selects of a column.
 */
int evidence_query(struct evidence *evidence, const struct claim *claim, const char *dataset, struct estimate *out,
                   struct failure *failure);

/* ---- all claims ---- */

struct answer {
    enum claim_result result;
    double z;       /* the least favourable comparison, in standard errors; NAN: none */
    char *measured; /* malloc'd */
};

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

/* A sentence of the paper, by the rows of the paper's own setting together (tally_result). */
struct sentence_answer {
    const char *result;                  /* as of a row */
    const struct agreement_row *hardest; /* the first row with this result; NULL: none */
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

/* Decides a claim about a dataset: a reducer makes numbers of the curves that it selects, and a relation says how they
 * have to lie. papers/README.md describes each. 0, or -1 with the failure set. */
int claim_judge(const struct agreement *agreement, const struct claim *claim, const char *dataset,
                struct answer *answer, struct failure *failure);

/* Judges every claim. 0, or -1 with the failure set. To be cleared in either case. */
int agreement_judge(const struct statements *statements, struct evidence *evidence, struct agreement *out,
                    struct failure *failure);
void agreement_clear(struct agreement *agreement);

/* "agrees", "differs", "inconclusive", "equal", or "not run". */
const char *agreement_result(const struct agreement_row *row);

/* Prints the page, by a sheet; whole: with every comparison. */
void agreement_print(const struct agreement *agreement, bool whole, enum format format, FILE *out);

#endif

/* score.h - ldpbench score: a suite of contests, what a subject measured in them, and how it is printed. */
#ifndef LDPBENCH_SCORE_H
#define LDPBENCH_SCORE_H

#include "commands/commands.h"
#include "results/results.h"
#include "results/style.h"
#include "stats/rating.h"
#include "support/sha256.h"

struct cJSON;

struct score_request {
    char **subject; /* files, names, or JSON texts; the first is what sentences are about */
    size_t nsubjects;
    size_t track;
    bool has_seed;
    uint64_t seed;
    const char *folder;
    int threads;
    enum format format;
    double level;
};

/* ---- the suite ---- */

extern const char *const score_tracks[];

/* Between the oracle and the method of a pair. */
#define PAIRED " + "

/* The method of a subject that is a pair; other subjects as they are. */
const char *score_method_of(const char *subject);

/* suites/1/TRACK.json. */
struct suite {
    struct cJSON *root;
    char fingerprint[SHA256_TEXT]; /* of the file */
    const char *track;
    const char *subject, *list, *table, *measure; /* key of the table; key of the config; what is compared */
    const char *partner;                          /* a second key: subjects are pairs; "": they are not */
    double regime[2];
    struct texts label, group; /* of each population */
};

int suite_load(const char *track, struct suite *suite, struct failure *failure);

/* Whether its references have one of that name. */
bool suite_has(const struct suite *suite, const char *name);
void suite_clear(struct suite *suite);

/* Subjects as elements of the config's list, names or objects, without those that are references. The seed of the first
 * one's score, from its bytes and the suite's. */
struct submission {
    char *name; /* of the first, as tables show it; NULL: there are the references alone */
    struct cJSON *entries;
    uint64_t seed;
    char fingerprint[SHA256_TEXT];
};

int submission_read(char *const *text, size_t count, const struct suite *suite, struct submission *submission,
                    struct failure *failure);
void submission_clear(struct submission *submission);

/* The config of a run, malloc'd: fixed populations, those drawn from the seed, the subject after the references. */
char *suite_config(struct suite *suite, const struct submission *submission, uint64_t seed);

/* ---- what was measured ---- */

enum group_kind { GROUP_ALL, GROUP_QUERY, GROUP_REGIME, GROUP_DATA, GROUP_QUERY_REGIME, GROUP_KINDS };

/* Contests of a kind. */
struct score_group {
    enum group_kind kind;
    char *name;
    bool *in; /* [contests] */
    size_t contests;
    struct rating *rating; /* [subjects] */
    signed char *order;    /* [subjects * subjects], see rate_order */
};

struct score {
    struct contestants field;
    struct sample *sample;
    double *value; /* of samples that were turned from scores into errors, or are parts of a row */
    bool choosing; /* samples are of the repetitions by which the best pair is chosen */
    size_t *population;
    char **subject;          /* [field.subjects], the references first */
    char **contest;          /* [field.contests] its keys */
    size_t mine;             /* SIZE_MAX: none */
    struct results *results; /* that the samples refer to */
    struct score_group *group;
    size_t ngroups, room;
};

/* Reads the tables of a run and rates all subjects. */
int score_make(const char *folder, const struct suite *suite, const struct submission *submission,
               const struct score_request *request, const struct style *style, struct score *score,
               struct failure *failure);
void score_clear(struct score *score);

void score_print(const struct score *score, const struct suite *suite, const struct submission *submission,
                 const struct style *style, const struct score_request *request);

#endif

/* synopsis.h - records of many attributes, and synopses: what a server computes from private reports to answer the
 * joint frequencies of any few attributes (marginals).
 *
 * d attributes, attribute i with cardinality[i] values 0 .. cardinality[i]-1. A set of attributes A has prod
 * cardinality cells; a table over A stores them row by row, the last attribute fastest. There are m tables of l
 * attributes each; a requested marginal has k attributes.
 *
 * Part of the library: as in ldpbench.h, nothing is printed, no file is read, inputs are const, outputs come last. */
#ifndef LDPBENCH_SYNOPSIS_H
#define LDPBENCH_SYNOPSIS_H

#include "protocol/attack_success.h"

#include <math.h>

enum {
    LDP_ATTRIBUTES_MAX = 64,
    LDP_SET_MAX = 24, /* attributes of one table */
    LDP_TABLE_CELLS_MAX = 1 << 24
};

/* ---- Records (records.c) ---- */

/* The position of an attribute in a packed row. */
struct ldp_packed_attribute {
    uint8_t word, shift, bits;
};

/* Distinct rows of values, packed into 64-bit words, with the number of users who have each row. */
struct ldp_records {
    size_t d;
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];
    struct ldp_packed_attribute field[LDP_ATTRIBUTES_MAX];
    size_t words, rows;
    uint64_t n;       /* users, sum of the counts */
    uint64_t *row;    /* [rows][words], ascending */
    uint64_t *counts; /* [rows] */
};

/* Packs values[rows][d], and adds up equal rows. counts NULL: one user each; a row of count 0 is left out. LDP_EINVAL
 * unless 1 <= d <= LDP_ATTRIBUTES_MAX, every cardinality is 2 .. 2^31 and above the values, 1 <= n <= 2^53 and there
 * are fewer than 2^32 rows. */
enum ldp_status ldp_records_new(const uint32_t *cardinality, size_t d, const uint32_t *values, const uint64_t *counts,
                                size_t rows, struct ldp_records **out);

/* n users drawn with replacement. LDP_EINVAL unless 1 <= n <= 2^53. */
enum ldp_status ldp_records_resample(const struct ldp_records *records, uint64_t n, struct ldp_rng *rng,
                                     struct ldp_records **out);
void ldp_records_free(struct ldp_records *records); /* NULL is allowed */

/* Bytes that a synopsis needs to divide the users of records into up to `count` groups (marginals/groups.h). */
double ldp_groups_bytes(const struct ldp_records *records, size_t count);

/* The value of an attribute in a row. */
static inline uint32_t ldp_records_value(const struct ldp_records *records, size_t row, size_t attribute)
{
    const struct ldp_packed_attribute field = records->field[attribute];

    return (uint32_t)(records->row[row * records->words + field.word] >> field.shift &
                      ((UINT64_C(1) << field.bits) - 1));
}

/* ---- Sets of attributes ---- */

/* Ascending. */
struct ldp_set {
    uint8_t size, attribute[LDP_SET_MAX];
};

uint64_t ldp_set_mask(const struct ldp_set *set);
struct ldp_set ldp_set_of_mask(uint64_t mask); /* of at most LDP_SET_MAX attributes */

/* Whether its attributes are ascending and below d. */
bool ldp_set_within(const struct ldp_set *set, size_t d);

/* Number of cells, as a double, since it may be large. */
double ldp_set_cells(const struct ldp_set *set, const uint32_t *cardinality);

/* True counts of the cells of a set. */
void ldp_records_table(const struct ldp_records *records, const struct ldp_set *set, uint64_t *cells);

/* True counts of several sets, set i from cells + first[i] on. LDP_ENOMEM: no memory. */
enum ldp_status ldp_records_tables(const struct ldp_records *records, const struct ldp_set *sets, size_t nsets,
                                   const size_t *first, uint64_t *cells);

/* ---- Synopses ---- */

struct ldp_synopsis;
struct ldp_attackers; /* attack.h */

/* A synopsis with its parameters. */
struct ldp_synopsis_spec {
    const struct ldp_synopsis *synopsis;
    double param[LDP_PARAMS_MAX];
    struct ldp_method_spec method; /* applied table by table; method NULL: the synopsis' default */
    const struct ldp_set *sets;    /* a design given by hand; NULL: the synopsis chooses */
    size_t nsets;
};

/* The users, the oracle, and the requested marginals. */
struct ldp_workload {
    const struct ldp_records *records;
    const struct ldp_oracle_spec *oracle;
    double epsilon;
    enum ldp_mode mode;
    const struct ldp_set *sets; /* requested, different from one another */
    size_t nsets;
    const size_t *first; /* [nsets + 1]: the cells of marginal i are first[i] .. first[i+1] - 1 of the answers */
    const struct ldp_attackers *attackers; /* NULL: there cannot be any */
};

/* Sources of answers. Two consecutive stages differ by one kind of error. */
enum ldp_stage {
    LDP_NOISY,   /* what users reported */
    LDP_SAMPLED, /* the same users' true values: without noise */
    LDP_EXACT    /* all users' true values: neither noise nor sampling error, only that of reconstruction */
};

/* Facts that a synopsis reports after a collection. */
struct ldp_synopsis_facts {
    size_t m, l;               /* tables, and the most attributes of one; 0: it has none */
    const struct ldp_set *set; /* [m], owned by the state; NULL: not shown */
};

/* The squared errors of a marginal that a synopsis expects; NAN: not known. */
struct ldp_prediction {
    double noise; /* of reports and of choosing users */
    double total; /* including reconstruction */
};

/* What a synopsis that plans its tables says before anybody has answered. */
struct ldp_outlook {
    uint64_t users;    /* of the first wave */
    size_t tables;     /* that it asks */
    double gap;        /* relative: its shares of users have at most this part more error than the best shares */
    double detectable; /* Cramer's V, root mean square over pairs: above it the first wave sees dependence in at least
                          half of all cases, and sees one where there is none in 2 %; NAN: it asks for no pairs */
    double usual;      /* V of real data */
};

/* Exact protection by the reports of one user. */
struct ldp_record_protection {
    double tuple;     /* epsilon of whole records, which may differ in every attribute */
    double attribute; /* of records that differ in one attribute */
    double inference; /* how often an observer who knows all frequencies guesses which attribute was reported truly;
                         NAN: there is nothing to guess */
    double inference_error;           /* standard error, of a simulation */
    struct ldp_attack_success attack; /* how often they guess the value of an attribute from all reports of its user, as
                                         if attributes were independent: the mean over attributes; NAN: not known */
};

/* Of these epsilons, without an attack. */
static inline struct ldp_record_protection ldp_record_protection(double tuple, double attribute)
{
    return (struct ldp_record_protection){tuple, attribute, NAN, NAN, {NAN, NAN, NAN, NAN}};
}

/* The thing that epsilon bounds: as each synopsis takes it; or whole records, or one attribute, as in
 * ldp_record_protection. */
enum ldp_record_equal { LDP_EQUAL_STATED, LDP_EQUAL_TUPLE, LDP_EQUAL_ATTRIBUTE };

/* A synopsis, ldp_synopsis_<id> in core/synopses/<id>.c, or with others with which it shares a state; a line in
 * synopses.def registers it. */
struct ldp_synopsis {
    const char *name;
    const char *title;
    const char *source;
    const struct ldp_param *params;
    bool takes_sets;    /* a design can be given by hand */
    const char *method; /* its default method; NULL: it takes none */
    bool is_floor;      /* a trivial answer that others are compared with */
    bool is_apart;      /* protects less than the others at the same epsilon, or is worse: only where it is named */
    bool is_attackable; /* malicious users can be simulated */
    bool is_slow;       /* its work grows with the cells of the domain, or users times cells: not for trying dozens */

    /* Prepares for a workload: everything that repetitions share, and the memory of one thread. A state, all 0 at
     * first, begins with two pools, of what it keeps and of what it takes again in each collection. LDP_EINVAL with a
     * reason if parameters, oracle and workload do not fit together. */
    size_t state_bytes;
    enum ldp_status (*open)(void *state, const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                            struct ldp_reason *reason);

    /* One collection. stages: true if LDP_SAMPLED and LDP_EXACT will be asked for as well. LDP_ENOMEM: there is nothing
     * to answer from; the same stream may be collected again. */
    enum ldp_status (*collect)(void *state, struct ldp_rng *rng, bool stages);

    /* Answers for all marginals of the workload from the last collection. */
    void (*answer)(void *state, enum ldp_stage stage, double *out);

    /* Intervals for the frequencies of the answers' cells among all users, from the last collection, whose noisy stage
     * has been answered: each covers its frequency with about the probability `level`, NAN where none is known. NULL:
     * there are none. */
    enum ldp_status (*intervals)(void *state, double level, double *low, double *high);

    void (*facts)(const void *state, struct ldp_synopsis_facts *facts); /* NULL: none */

    /* For each marginal of the workload, for the last collection; NULL: nothing is predicted. */
    void (*predict)(const void *state, struct ldp_prediction *out);

    /* After open, before any collection; NULL: nothing is planned. */
    void (*outlook)(const void *state, struct ldp_outlook *out);

    /* NULL: epsilon of the workload for records and attributes, as each user answers one question with it. */
    void (*protect)(const void *state, struct ldp_record_protection *out);

    /* The epsilon at which records of so many attributes, or one of these, are protected by `epsilon`; NAN: it cannot
     * be set. NULL: that epsilon. */
    double (*epsilon_for)(const struct ldp_synopsis_spec *spec, size_t attributes, enum ldp_record_equal equal,
                          double epsilon);
};

/* Adds the attack on one of so many attributes to the mean over them. */
void ldp_record_attack_add(struct ldp_record_protection *protection, const struct ldp_attack_success *attack,
                           double attributes);

/* Of records with `tuple`, and of attributes of which a share of the users send a report each with that epsilon. */
void ldp_record_protect(const struct ldp_workload *workload, double tuple, double epsilon, double share,
                        struct ldp_record_protection *out);

/* epsilon_for of synopses that report every attribute with its part of epsilon. */
double ldp_synopsis_epsilon_of_split(const struct ldp_synopsis_spec *spec, size_t attributes,
                                     enum ldp_record_equal equal, double epsilon);

/* Checks the workload first, with reasons why no synopsis can answer it, then prepares the synopsis. */
enum ldp_status ldp_synopsis_open(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason);
void ldp_synopsis_close(void *state); /* NULL is allowed */

/* ---- Tables of the caller ---- */

/* Noisy frequencies of the cells of a set, and the variance of one cell, > 0. */
struct ldp_given_table {
    struct ldp_set set;
    double variance;
    const double *cells;
};

/* Marginals from tables that were collected elsewhere, computed as in calm: least squares weighted by the variances
 * make the tables agree. nonnegative: they become distributions. Marginals that no table contains have maximum entropy.
 * The cells of marginal i are out[first[i]] .. out[first[i+1] - 1]. LDP_EINVAL unless 1 <= d <= LDP_ATTRIBUTES_MAX, m
 * >= 1, every cardinality is at least 2, every variance is above 0, sets are ascending and below d, and no table or
 * marginal has more than LDP_TABLE_CELLS_MAX cells. */
enum ldp_status ldp_marginals_of_tables(const uint32_t *cardinality, size_t d, const struct ldp_given_table *table,
                                        size_t m, bool nonnegative, const struct ldp_set *sets, size_t nsets,
                                        const size_t *first, double *out);

/* NULL-terminated, in the order of synopses.def. */
extern const struct ldp_synopsis *const ldp_synopses[];
const struct ldp_synopsis *ldp_synopsis_find(const char *name);

#endif

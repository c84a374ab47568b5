/* ldp.h - the contract between the rooms of the core and of the program: frequency estimation under local differential
 * privacy (LDP). What is installed is api/ldpbench.h, which has no struct of it.
 *
 * Symbols follow the literature: d domain size, n users, epsilon privacy
 * budget, p and q the probabilities that a report supports the user's own
 * value and any other value, f true frequency, est estimate.
 *
 * The library reads no files, prints nothing and never exits. It has no mutable globals except the choice of vector
 * instructions (simd.h), which changes no result. Arrays belong to the caller, inputs are const, outputs come last.
 * Functions that return enum ldp_status check the numbers and choices that they are given and return LDP_EINVAL. All
 * other functions assert their arguments, in release builds too (unless compiled with
 * NDEBUG): one that breaks its contract ends the program by abort(). Pointers to arrays and to results are never NULL.
 *
 * This file is over 500 lines because the whole contract is read as one header.
 *
 * Copyright (C) 2026 the ldpbench authors. GPL-3.0-or-later. */
#ifndef LDP_H
#define LDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes whenever the same config and seed would give different bytes. It is part of every key of the result store. */
#define LDP_ALGORITHM_VERSION 27

/* The largest number of users of a population: all whole numbers up to it are exact as doubles. */
#define LDP_USERS_MAX (UINT64_C(1) << 53)

enum ldp_status {
    LDP_OK = 0,
    LDP_EINVAL, /* an argument or a parameter is out of its range */
    LDP_ENOMEM
};

/* A short English text for a status; never NULL. */
const char *ldp_status_text(enum ldp_status status);

/* ---- Randomness (rng.c) ---- */

__extension__ typedef unsigned __int128 ldp_uint128;

/* PCG64 DXSM: a 128-bit linear congruential generator with the cheap 64-bit
 * multiplier and the DXSM output function (O'Neill; as in NumPy's PCG64DXSM).
 * Period 2^128; each odd increment gives a separate stream. */
struct ldp_rng {
    uint64_t state_hi, state_lo;
    uint64_t increment_hi, increment_lo; /* odd */
};

/* 128 bits that identify a byte string. Not for cryptography. */
struct ldp_fingerprint {
    uint64_t hi, lo;
};

struct ldp_fingerprint ldp_fingerprint(const void *bytes, size_t size);

/* The stream of (seed, key, repetition). key is a cell's canonical text, so that a stream depends on what the cell is
 * and not on its position in a file. Streams that differ in any of the three are independent. */
void ldp_rng_stream(struct ldp_rng *rng, uint64_t seed, const char *key, uint64_t repetition);

/* 64 uniform bits. */
uint64_t ldp_rng_next(struct ldp_rng *rng);

/* Uniform on the open interval (0, 1), 52 bits: (u + 1/2) 2^-52, exactly. */
double ldp_rng_uniform(struct ldp_rng *rng);

/* Uniform on 0 .. bound-1, exactly (Lemire's rejection); bound >= 1. */
uint64_t ldp_rng_below(struct ldp_rng *rng, uint64_t bound);

/* ---- Exact samplers (binomial.c, multinomial.c, hypergeometric.c, continuous.c) ---- */

/* f(k) / f(k-1) = slope / k - odds. */
struct ldp_ratio {
    double slope, odds;
};

/* log f(k) / f(mode) = c0 + c1 x + .. + c4 x^4, x = k - mean, with an error below 2 error |x|^5. */
struct ldp_polynomial {
    double c0, c1, c2, c3, c4, error;
};

/* Inversion from the mode both ways. */
struct ldp_inversion {
    struct ldp_ratio ratio;
    double mode, f_mode, below_mode; /* f(mode), P(k < mode) */
};

/* Transformed rejection: what every draw needs, then what a fifth of them need. */
struct ldp_rejection {
    uint64_t limit; /* a draw is accepted at once if its top 52 random bits are below this */
    double a2, b, c, inverse_vr;
    double alpha;
    union {
        struct ldp_polynomial polynomial;
        struct {
            struct ldp_ratio ratio;
            double mode;
        } neighbours; /* if the mean is small */
    };
};

/* Binomial(n, p) prepared for many draws: the constants of inversion or of
 * transformed rejection (BTRS; Hoermann 1993), chosen by n min(p, 1-p). */
struct ldp_binomial {
    uint64_t n;
    /* Private to binomial.c: */
    double p;
    unsigned method;
    bool flipped;
    union {
        struct ldp_inversion inversion;
        struct ldp_rejection rejection;
    };
};

/* n up to 2^53, 0 <= p <= 1. */
void ldp_binomial_init(struct ldp_binomial *law, uint64_t n, double p);
uint64_t ldp_binomial_draw(const struct ldp_binomial *law, struct ldp_rng *rng);

/* One draw of Binomial(n, p); any n, in parts of 2^53. */
uint64_t ldp_binomial(struct ldp_rng *rng, uint64_t n, double p);

/* out[0..k-1] ~ Multinomial(n; p[0..k-1] / sum p), a chain of conditional
 * binomials. Weights p >= 0, their sum > 0. */
void ldp_multinomial(struct ldp_rng *rng, uint64_t n, const double *p, size_t k, uint64_t *out);

/* The same with k equal weights. */
void ldp_multinomial_uniform(struct ldp_rng *rng, uint64_t n, size_t k, uint64_t *out);

/* Successes in `draws` draws without replacement from `good` + `bad` balls;
 * draws <= good + bad <= 2^53. */
uint64_t ldp_hypergeometric(struct ldp_rng *rng, uint64_t good, uint64_t bad, uint64_t draws);

/* Draws `draws` balls without replacement from counts[i] balls of each colour i; out[i] of those drawn have colour i.
 * draws <= sum counts. */
void ldp_multivariate_hypergeometric(struct ldp_rng *rng, const uint64_t *counts, size_t k, uint64_t draws,
                                     uint64_t *out);

/* Laplace of mean 0 and scale 1. */
double ldp_laplace(struct ldp_rng *rng);

/* Gamma of this shape and scale 1; 1 <= shape <= 2^53. */
double ldp_gamma(struct ldp_rng *rng, double shape);

/* ---- Parameters of algorithms ---- */

enum { LDP_PARAMS_MAX = 8 };

enum ldp_param_kind {
    LDP_REAL,
    LDP_INTEGER,
    LDP_FLAG,
    LDP_CHOICE,
    LDP_INTEGER_OR_AUTO, /* auto is NAN, to be replaced by ldp_sketch_fit before a protocol is made */
};

/* One row of an algorithm's parameters. A table of them ends with a row whose
 * name is NULL. Values are passed as double[LDP_PARAMS_MAX] in the table's order. */
struct ldp_param {
    const char *name;
    enum ldp_param_kind kind;
    double fallback;            /* the default; NAN: derived from d and epsilon */
    double min, max;            /* inclusive; an open end is written as the next double */
    const char *const *choices; /* LDP_CHOICE: NULL-terminated names, the value is the index; LDP_INTEGER: the only
                                   numbers that suit, NULL: all */
    const char *help;
};

/* Rows: the name, the default, the least and the largest, what it does; of a choice the names, the default, the last.
 */
#define LDP_PARAM_REAL(name_, fallback_, min_, max_, help_)                                                            \
    {                                                                                                                  \
        .name = (name_), .kind = LDP_REAL, .fallback = (fallback_), .min = (min_), .max = (max_), .help = (help_)      \
    }
#define LDP_PARAM_INTEGER(name_, fallback_, min_, max_, help_)                                                         \
    {                                                                                                                  \
        .name = (name_), .kind = LDP_INTEGER, .fallback = (fallback_), .min = (min_), .max = (max_), .help = (help_)   \
    }
#define LDP_PARAM_FLAG(name_, fallback_, help_)                                                                        \
    {                                                                                                                  \
        .name = (name_), .kind = LDP_FLAG, .fallback = (fallback_), .max = 1, .help = (help_)                          \
    }
#define LDP_PARAM_CHOICE(name_, choices_, fallback_, last_, help_)                                                     \
    {                                                                                                                  \
        .name = (name_), .kind = LDP_CHOICE, .fallback = (fallback_), .max = (last_), .choices = (choices_),           \
        .help = (help_)                                                                                                \
    }

/* "1", "2", "4" .. "4294967296": choices of an integer. */
extern const char *const ldp_powers_of_two[];

/* Fills value[] with the defaults of a table (NULL: no parameters). */
void ldp_params_default(const struct ldp_param *params, double value[LDP_PARAMS_MAX]);

/* True if the value obeys its row. */
bool ldp_param_valid(const struct ldp_param *param, double value);

/* True if value[] obeys the table: each value in its range, a whole number for LDP_INTEGER, NAN only if the default is
 * NAN. */
bool ldp_params_valid(const struct ldp_param *params, const double value[LDP_PARAMS_MAX]);

/* ---- Population ---- */

/* True counts of d values over n users: the input of a collection. */
struct ldp_histogram {
    size_t d;
    uint64_t n;             /* 0: no users */
    const uint64_t *counts; /* [d], sum n <= 2^53 */
};

/* A histogram, with the frequencies and ranks that queries and errors use. */
struct ldp_population {
    __extension__ union {
        struct ldp_histogram histogram;
        struct { /* its fields */
            size_t d;
            uint64_t n;
            const uint64_t *counts;
        };
    };
    const double *f;      /* [d], counts / n */
    const uint32_t *rank; /* [d], values by decreasing count, ties by value */
};

/* Copies counts[0..d-1]. LDP_EINVAL unless 2 <= d < 2^32 and 1 <= sum <= 2^53. */
enum ldp_status ldp_population_new(const uint64_t *counts, size_t d, struct ldp_population **out);

/* The same with rank NULL, without the time of sorting: for queries that do not use ranks. */
enum ldp_status ldp_population_unranked(const uint64_t *counts, size_t d, struct ldp_population **out);

void ldp_population_free(struct ldp_population *population); /* NULL is allowed */

/* ---- Frequency oracles ---- */

struct ldp_oracle;
struct ldp_tally;

/* An oracle with its parameters, in the order of its table. */
struct ldp_oracle_spec {
    const struct ldp_oracle *oracle;
    double param[LDP_PARAMS_MAX];
    const struct ldp_oracle_spec *inner; /* for an oracle that runs another one inside; NULL: none, or the default */
};

/* Bytes of an oracle's private state. */
enum { LDP_OWN_BYTES = 512 };

/* The distribution of the estimates of one collection given its public randomness, as far as it differs from p, q, s1
 * and tf of the protocol:
 *
 *     n Var(est_v) = s1 + tf f_v + square f_v^2
 *
 * With trials (blocks), s1_v = law.s1 + per_trial t_v, t_v = trials_v cut to [least, most], and law.tf are in their
 * positions, of which s1 and tf are the means: only the trials_v reports of v's block say something of v, and each
 * other counts `elsewhere` of a support of v whatever it is. */
struct ldp_law {
    bool known;    /* false: the means over public randomness */
    bool placed;   /* the protocol's public_seed is that of the collection */
    uint64_t n;    /* users, on whom variances of sets may depend; 0: many */
    void *decoded; /* the scratch of the estimate, if a sketch has left its cells there; NULL: not kept */
    double square;
    const double *trials; /* [d], owned by the support; NULL: none */
    double s1, tf, per_trial, least, most, elsewhere;
};

/* The variance of a total of estimates, n Var = s1 + tf f + square f^2 at the total frequency f. */
struct ldp_variance_terms {
    double s1, tf, square;
};

/* One oracle at one (d, epsilon): all that client and server share. A plain value: it is copied by assignment and
 * owns nothing. */
struct ldp_protocol {
    const struct ldp_oracle *oracle;
    size_t d;
    double epsilon;
    unsigned flags;               /* enum ldp_oracle_flag: the oracle's flags, as changed by its parameters */
    double param[LDP_PARAMS_MAX]; /* in the order of the oracle's table; derived defaults are filled in */
    double p, q;                  /* probability that a report supports the user's own value, another value */
    double gap;                   /* p - q, also where the difference of the doubles has lost digits */
    double s1;                    /* Var(F_v) = n s1 + n_v tf, in counts (NDSS 2020, eq. 5) */
    double tf;
    struct ldp_law law;    /* of the collection, after ldp_observed */
    size_t support_size;   /* length of support[]: d, then what the law needs, or what the oracle's estimate takes */
    size_t report_words;   /* 64-bit words of one report */
    uint64_t report_limit; /* each word of a report is below this; 0: `valid` says what a report is, else any word */
    size_t state_bytes;    /* the server's state, all zero at the start */
    uint64_t public_seed;  /* public randomness of one collection, new in each */
    size_t own_bytes;      /* bytes of own in use */
    uint64_t own[LDP_OWN_BYTES / sizeof(uint64_t)]; /* private to the oracle's file, read by its typed accessor */
};

/* One collection of n >= 1 reports, as the server has it. Methods and intervals get an observed protocol
 * (ldp_observed), and as est what the method before them has made of the estimate, if there is one. */
struct ldp_collection {
    const struct ldp_protocol *protocol;
    uint64_t n;
    const double *support; /* [support_size]; NULL: not kept */
    const double *est;     /* [d] */
};

/* Why an oracle cannot be configured: a phrase such as "B = 3: expected a power of two". */
struct ldp_reason {
    char text[160];
};

enum ldp_oracle_flag {
    LDP_ORACLE_NOT_PRIVATE = 1, /* the null oracle `exact` */
    LDP_ORACLE_SUMS_TO_ONE = 2, /* estimates sum to 1 in every collection */
    LDP_ORACLE_INDEPENDENT = 4, /* support counts of different values are independent */
    LDP_ORACLE_REAL = 8,        /* a report is d doubles, and support counts are any real numbers */
    LDP_ORACLE_BIASED = 16,     /* the mean of an estimate is not the true value */
    LDP_ORACLE_PUBLIC = 32,     /* clients use the public randomness of their collection */
    LDP_ORACLE_SKETCH = 64,     /* hashes the domain; no row of a sketch */
    LDP_ORACLE_NEGATES = 128,   /* reports can be negated */
    LDP_ORACLE_UNEVEN = 256,    /* variances given the public randomness differ by value: s1 and tf are their means */
    LDP_ORACLE_PREDICTED = 512, /* ldp_variance is a prediction, good to a few percent, and not exact */
    LDP_ORACLE_JOINT = 1024,    /* support counts are computed from all reports together: they are no sums over users */
    LDP_ORACLE_ORDINAL = 2048,  /* uses the order of the values: for values that have one */
    LDP_ORACLE_WINDOWS = 4096,  /* support counts are of the windows of a channel (wave.h): none is of a value */
    LDP_ORACLE_LEVELS = 8192,   /* support counts are those of levels or moduli, after the users of each (levels.h) */
    LDP_ORACLE_SETS = 16384     /* the distribution of estimates is one of sets: variances of single values differ */
};

/* Costs of a protocol for users and server. They are those of its design, not of the layout of reports in this
 * library. */
struct ldp_cost {
    double report_bits;           /* one user's report */
    double report_operations;     /* of the server, per report: counts increased, values hashed */
    double collection_operations; /* of the server, once after all reports */
};

/* One factor of the largest ratio between the probabilities of the same report under two values, in integers:
 *
 *     (one ? 1 : 0) + times / over * heads / tails
 *
 * for a client's coin: heads = heads_hi 2^64 + heads_lo, heads + tails = 2^128. */
struct ldp_odds {
    uint64_t heads_hi, heads_lo;
    bool one;
    uint64_t times, over;
};

enum { LDP_ODDS_MAX = 32 };

/* Reports in two levels: P(report | value) = e gamma U(report) where it supports the value, else gamma U(report), with
 * a distribution U of reports that does not depend on the value. What U supports, for the values that overlap least. */
struct ldp_overlap {
    double epsilon;         /* log e; below the protocol's where the client spends less */
    double one, two, three; /* U(supports a value), both of two, all of the two and a third; three NAN: not known */
    bool attained;          /* there are such values; else these numbers only bound what is protected */
};

/* The targets of a malicious report (attack.h). */
struct ldp_craft {
    const uint32_t *target; /* [r], values that differ */
    size_t r;               /* 0: none; a report is uniform among all valid ones */
    uint64_t budget;        /* seeds that a user tries, where hash functions are their own */
    bool padding; /* of a report whose number of supported values is seen, that number is the mean of genuine ones */

    /* Each report supports all of the r targets, none of the `avoided` values behind them in target[], and every other
     * value with probability q. Only where support counts are independent (LDP_ORACLE_INDEPENDENT). */
    bool exact;
    size_t avoided;

    bool contrast; /* where reports are searched, each other value that one supports counts against it */
};

/* An oracle's remark on a planned collection. */
enum ldp_remark {
    LDP_FIT,
    LDP_NOTE, /* the collection has a property that users should know */
    LDP_UNFIT /* the collection is not meaningful */
};

/* A frequency oracle. Its file in core/oracles/ defines one of these, named
 * ldp_oracle_<id>; a line in registry.def registers it. */
struct ldp_oracle {
    const char *name;
    const char *title;
    const char *source;             /* paper, section, equation */
    unsigned flags;                 /* enum ldp_oracle_flag */
    const struct ldp_param *params; /* NULL: none; likewise for methods and queries */

    /* The config key of the oracle that runs inside this one ("row_oracle"); NULL: none does. Its spec is
     * spec->inner. */
    const char *inner;

    /* Fills the protocol (oracle, d, epsilon, flags, param set, support_size = d; the rest zero) from a spec, and
     * replaces each NAN in param by the derived value. If gap, or s1 and tf, are left at zero, they are derived from p
     * and q. If the spec does not suit d and epsilon, it returns ldp_refuse(reason, ...). An oracle that equals another
     * one under some conditions (adaptive, blh) switches to it with ldp_protocol_become() and needs none of the
     * functions below. */
    enum ldp_status (*configure)(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason);

    /* Turns m users' values, each below d, into m reports of report_words words each. This simulates clients: the coins
     * come from PCG64, which is no cryptographic generator, and a report can contain its raw words. It does not protect
     * users from someone who guesses or finds the seed. */
    void (*client)(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports);

    /* LDP_OK if a client of the protocol can send this report, of report_words words, whatever value its user has; else
     * ldp_refuse(reason, ...). NULL: each word is below report_limit. */
    enum ldp_status (*valid)(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason);

    /* True if all m reports are valid, in less time than one by one. NULL: they are looked at one by one. */
    bool (*all_valid)(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m);

    /* Adds m valid reports to the server's state. */
    void (*server)(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state);

    /* Turns the state after n reports into support[support_size]; may overwrite the state. */
    void (*support)(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support);

    /* Simulation by counts: draws support[support_size] from its exact joint distribution. plan holds what all
     * repetitions of a cell share (NULL functions: nothing); if plan is NULL, counts works without it and draws from
     * the same distribution. scratch belongs to one thread. Sizes are in bytes; the size of scratch depends only on d
     * and n and never decreases when n grows. */
    size_t (*plan_bytes)(const struct ldp_protocol *protocol, const struct ldp_population *population);
    void (*plan)(const struct ldp_protocol *protocol, const struct ldp_population *population, void *plan);
    size_t (*scratch_bytes)(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram);
    void (*counts)(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support);

    /* Support counts are multiples of this, 0: any numbers, as with LDP_ORACLE_REAL. NULL: 1, counts of reports. */
    double (*support_unit)(const struct ldp_protocol *protocol);

    /* A sketch's rows. Its support counts are the two halves of the seed of its functions, 32 bits each, the users of
     * each row, and then what the row oracle counts, row by row. NULL: no sketch. */
    size_t (*rows)(const struct ldp_protocol *protocol);

    /* Turns support[support_size] into est[d], frequencies, unbiased unless the oracle is flagged as biased; NULL: (c/n
     * - q) / (p - q), where support_size is d. estimate_bytes returns the size of its scratch; NULL: none. */
    size_t (*estimate_bytes)(const struct ldp_protocol *protocol);
    void (*estimate)(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch,
                     double *est);

    /* Completes what is known of a collection that has just been estimated with this scratch: law, s1 and tf of
     * *observed, a copy of the protocol. Without a support, as where the caller has noted s1, or without est, only what
     * does not depend on it. NULL: they are the protocol's in every collection. */
    void (*observe)(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed);

    /* The variance of the sum of the estimates of member[size], values that differ, of users with frequencies f[d],
     * which may be estimates; given the public randomness of an observed protocol, else the mean over it. f NULL: users
     * have any other value, with equal probabilities, and member NULL: any set of that size; s1 = NAN if that does not
     * determine it. work: ldp_set_interval_bytes(d) (interval.h). NULL: not known, or the sum of the variances
     * (LDP_ORACLE_INDEPENDENT). */
    struct ldp_variance_terms (*set_variance)(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work);

    /* The interval of the total of member[size], as ldp_set_interval (interval.h), where it is not around the sum of
     * the estimates. False, and nothing written, if the protocol has none; size 0 asks for that alone. NULL: around it.
     */
    bool (*set_interval)(const struct ldp_collection *collection, double level, const uint32_t *member, size_t size,
                         int64_t *work, double *low, double *high);

    /* Exact variance of F_v = n est[v] for each v, in counts; NULL: n s1 + n_v tf. LDP_ENOMEM. */
    enum ldp_status (*variance)(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                double *variance);

    /* Replaces a report by its opposite: its support of each value becomes 1 minus the report's. The opposite of the
     * opposite is the report itself. Only for protocols with LDP_ORACLE_NEGATES. */
    void (*negate)(const struct ldp_protocol *protocol, uint64_t *report);

    /* log of the probability (or density) of one whole report given the value, including its order; the privacy test
     * uses it to enumerate reports. NULL: the test estimates it. */
    double (*log_likelihood)(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report);

    /* The exact privacy of the client: the factors whose product is the largest ratio of a report's probabilities;
     * returns their number. A test compares the product with e^epsilon. NULL: the noise does not come from a coin
     * (she), or there is no noise. */
    size_t (*odds)(const struct ldp_protocol *protocol, struct ldp_odds factor[LDP_ODDS_MAX]);

    /* The remark on a collection from n users; reason gives its text, unless it is LDP_FIT. NULL: always LDP_FIT. */
    enum ldp_remark (*remark)(const struct ldp_protocol *protocol, uint64_t n, struct ldp_reason *reason);

    /* Writes m valid reports that support as many of the targets as a report can. NULL: they are searched among all
     * reports, if a report is a number below report_limit; else there are none. */
    void (*craft)(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                  uint64_t *reports);

    /* The most targets for which `craft` makes such reports; 0: it makes none. NULL: any number. */
    size_t (*craft_most)(const struct ldp_protocol *protocol, const struct ldp_craft *craft);

    /* The support of m such reports, drawn from its exact joint distribution. scratch: ldp_attack_scratch. NULL: the
     * reports are made and counted. */
    void (*craft_counts)(const struct ldp_protocol *protocol, const struct ldp_craft *craft, uint64_t m,
                         struct ldp_rng *rng, void *scratch, double *support);

    /* Adds the support of more users of the same collection. NULL: number by number, but for the seed of a sketch's
     * functions and for what follows the support counts and blocks of d values. */
    void (*add)(const struct ldp_protocol *protocol, const double *more, double *support);

    /* NULL: not known. Call the function of protocol->oracle, which may differ from the spec's oracle. */
    void (*cost)(const struct ldp_protocol *protocol, struct ldp_cost *cost);

    /* Names of parameters that only the server uses: what users report does not depend on them, nor does the support,
     * unless it is computed from all reports together (LDP_ORACLE_JOINT). NULL-terminated; NULL: none. */
    const char *const *decoding;

    /* Names of the parameters, ended by NULL, that were added when the oracle had results: cells are known without
     * their defaults, and keep their random numbers. NULL: none. */
    const char *const *later;

    /* The distribution of reports, which decides what a shuffler adds (shuffle.h). NULL: not in two levels, or not
     * known. */
    void (*overlap)(const struct ldp_protocol *protocol, struct ldp_overlap *overlap);

    /* Adds to none[0 .. d], zero before, the probability that a report of U, the distribution of `overlap`, supports
     * none of the first r values of list[d], a permutation of all (NULL: a random one), the mean over public
     * randomness. LDP_EINVAL: not known. NULL: never known. */
    enum ldp_status (*unsupported)(const struct ldp_protocol *protocol, const uint32_t *list, double *none);

    /* Visits the counters of a state of n reports (protocol/tally.h). NULL: those of ldp_counters_server or
     * ldp_planes_server; of another server there are none, and its states cannot be added. */
    void (*tally)(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally);
};

/* Prepares a protocol. Above epsilon = 50 the coins of clients, and p and q, are those at 50 (coin.h). LDP_EINVAL
 * unless there is an oracle, 2 <= d < 2^32, epsilon is finite, > 0 and large enough for p > q as doubles, and the
 * parameters are in their ranges and suit d and epsilon; then reason, unless it is NULL, says why. */
enum ldp_status ldp_protocol_init(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec, size_t d,
                                  double epsilon, struct ldp_reason *reason);

/* Writes a reason, as printf does, unless it is NULL. Returns LDP_EINVAL. */
__attribute__((format(printf, 2, 3))) enum ldp_status ldp_refuse(struct ldp_reason *reason, const char *format, ...);

/* LDP_EINVAL, with the reason unless that is NULL, for a report that no client of the protocol can send. Servers count
 * valid reports only, and do not look: each report that comes from outside is looked at here first. */
enum ldp_status ldp_report_check(const struct ldp_protocol *protocol, const uint64_t *report,
                                 struct ldp_reason *reason);

/* True if each of m reports is valid: ldp_report_check of all of them, in less time. */
bool ldp_reports_valid(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m);

/* Bytes of scratch that ldp_estimate needs; 0 for most oracles. */
size_t ldp_estimate_scratch(const struct ldp_protocol *protocol);

/* Findings of ldp_support_check. */
struct ldp_support_finding {
    size_t index;             /* of the impossible support, else of the lowest; support_size: all of them, or none */
    struct ldp_reason reason; /* why it is impossible: "expected a support from 0 to n = 10, got 11" */
    double z;                 /* of the lowest, at most 0: its distance from n q in standard deviations */
    bool unlikely;            /* less than one collection in a million has one so low: check n, epsilon, oracle */
};

/* Looks for support counts that no collection of n reports can have (LDP_EINVAL, with index and reason), and for one
 * that is too low to be likely. May return LDP_ENOMEM. */
enum ldp_status ldp_support_check(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                  struct ldp_support_finding *finding);

/* The first of these, without what is likely. */
enum ldp_status ldp_support_possible(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                     struct ldp_support_finding *finding);

/* Turns support[support_size] of n >= 1 reports into est[d], frequencies: unbiased unless the oracle is flagged as
 * biased, may be negative. scratch may be NULL if none is needed. */
void ldp_estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est);

/* The protocol that methods are given after a collection, with the distribution of its estimates, and its public
 * randomness where the support has it. The support and scratch, which must outlive it, are those of the ldp_estimate
 * just before. If s1 depends on the data (sketches), it is the value measured on this collection. */
struct ldp_protocol ldp_observed(const struct ldp_collection *collection, void *scratch);

/* Variance[d] of the count estimates n est[v]; exact unless the protocol is flagged as predicted. */
enum ldp_status ldp_variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                             double *variance);

/* What a sketch decoded by amp (is_amp), or if it were, needs for these counts: with `enough` columns of its rows the
 * variance is within 10 % of that of the rows' oracle over the whole domain. False for all other oracles. */
struct ldp_sketch_need {
    double dimension; /* the effective dimension: how many counts are unknown in units of the noise */
    double rows, columns, enough;
    bool is_amp;
};
bool ldp_sketch_need(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                     struct ldp_sketch_need *need);

/* The columns that are enough, of an oracle with a parameter that is auto. LDP_EINVAL with the reason: it is not
 * decoded by amp, or no number is enough. */
enum ldp_status ldp_sketch_fit(const struct ldp_oracle_spec *spec, double epsilon,
                               const struct ldp_histogram *histogram, double *columns, struct ldp_reason *reason);

/* Standard deviation, as a frequency, of an estimate whose true value is 0
 * (NDSS 2020, eq. 7): sqrt(s1 / n). */
double ldp_sigma(const struct ldp_protocol *protocol, uint64_t n);

/* n Var(est_v) at f = 0. */
static inline double ldp_law_s1(const struct ldp_protocol *protocol, size_t v)
{
    const struct ldp_law *const law = &protocol->law;
    if (!law->trials)
        return protocol->s1;
    const double trials = law->trials[v];
    return law->s1 + law->per_trial * (trials < law->least ? law->least : trials > law->most ? law->most : trials);
}

/* The smallest mean over the domain of Var(F_v) per user, s1 + tf / d, that unbiased estimates of any oracle can have
 * (optimum.c). 2 <= d < 2^32, epsilon > 0. */
double ldp_optimum(size_t d, double epsilon);

/* A protocol's s1 + tf / d divided by that optimum; NAN if the protocol is not private. For flh, the choice of hash
 * functions adds a term that depends on the data. */
double ldp_over_optimum(const struct ldp_protocol *protocol);

/* The fewest bits of a report with the lowest variance: those of a value (optimum.c). */
double ldp_optimum_bits(size_t d);

/* ---- Simulation of a collection ---- */

enum ldp_mode {
    LDP_COUNTS, /* support is drawn from its exact joint distribution, without visiting users */
    LDP_REPORTS /* every user's client runs and every report is counted */
};

/* True if the protocol can be simulated in this mode. */
bool ldp_has_mode(const struct ldp_protocol *protocol, enum ldp_mode mode);

/* One collection from a histogram, without preparation: support[support_size], all zero if n = 0. The protocol must
 * have the histogram's d and support the mode. Nothing is allocated or prepared; for many collections from the same
 * users, ldp_simulate is faster. Both draw from the same distribution; in LDP_REPORTS, or if the oracle has no plan,
 * they give the same bytes. scratch is aligned as by malloc. */
void ldp_collect(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, enum ldp_mode mode,
                 struct ldp_rng *rng, void *scratch, double *support);

/* Bytes of scratch that ldp_collect needs; they depend only on the histogram's d and n and never decrease when n grows,
 * so the scratch of the largest group is enough for all groups. */
size_t ldp_collect_scratch(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                           enum ldp_mode mode);

/* A cell prepared for many repetitions; read-only while it runs, so threads
 * share it. */
struct ldp_simulation {
    struct ldp_protocol protocol;
    const struct ldp_population *population;
    enum ldp_mode mode;
    void *plan;
    size_t scratch_bytes; /* what one thread needs */
};

/* The population must outlive the simulation. Returns LDP_EINVAL if its d differs from the protocol's or the oracle has
 * no such simulation, or LDP_ENOMEM. Must be cleared in every case. */
enum ldp_status ldp_simulation_init(struct ldp_simulation *simulation, const struct ldp_protocol *protocol,
                                    const struct ldp_population *population, enum ldp_mode mode);
void ldp_simulation_clear(struct ldp_simulation *simulation);

/* One collection: support[support_size]. scratch has scratch_bytes, aligned as by malloc. */
void ldp_simulate(const struct ldp_simulation *simulation, struct ldp_rng *rng, void *scratch, double *support);

/* CPU seconds that a collection took of its thread: what else the machine does is not counted. In
 * LDP_COUNTS no user is visited: only the total is known, and the others are NAN. */
struct ldp_times {
    double client; /* all users' reports */
    double server; /* counting them */
    double decode; /* from the server's state to support */
    double total;
};

/* ldp_collect and ldp_simulate with timing; the support is the same. */
void ldp_collect_timed(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, enum ldp_mode mode,
                       struct ldp_rng *rng, void *scratch, double *support, struct ldp_times *times);
void ldp_simulate_timed(const struct ldp_simulation *simulation, struct ldp_rng *rng, void *scratch, double *support,
                        struct ldp_times *times);

/* ---- Post-processing methods ---- */

enum ldp_guarantee {
    LDP_NONNEGATIVE = 1,       /* every estimate >= 0 */
    LDP_SUMS_TO_ONE = 2,       /* estimates sum to 1 */
    LDP_KEEPS_ORDER = 4,       /* of two inputs of the same variance, the larger never gets the smaller output */
    LDP_UNBIASED = 8,          /* the mean of an estimate is the true value */
    LDP_IGNORES_ESTIMATE = 16, /* the null method */
    LDP_SUPPLIED = 32,         /* in no registry: the caller of an evaluation supplies its estimate */
    LDP_COUNTERMEASURE = 64,   /* against malicious users, at the price of data without attack */
    LDP_SLOW = 128,            /* takes several times as long as most others together */
    LDP_NOT_IN_ALL = LDP_IGNORES_ESTIMATE | LDP_COUNTERMEASURE | LDP_SLOW /* "all" in a config leaves these out */
};

struct ldp_method;

/* A method with its parameters, in the order of its table. */
struct ldp_method_spec {
    const struct ldp_method *method;
    double param[LDP_PARAMS_MAX];
};

/* A post-processing method, ldp_method_<id> in core/methods/<id>.c. */
enum { LDP_PARTS_MAX = 4 };
struct ldp_method {
    const char *name;
    const char *title;
    const char *source;
    unsigned guarantees; /* enum ldp_guarantee */
    const struct ldp_param *params;
    const char *inner; /* applied first, with the same parameters; NULL: none */
    /* Methods without parameters whose answers it takes in place of est, one after the other: [parts][d]. A NULL ends
     * them, after LDP_PARTS_MAX at most; NULL: none. */
    const char *const *parts;
    /* The method without parameters whose answers are the same, byte for byte; may be NULL, and may return NULL. */
    const char *(*same_as)(const double *param);
    bool by_support;                   /* it takes the support of a collection, and not est (ldp_method_check) */
    bool on_answers;                   /* acts on answers of queries: each answer is clipped at 0 */
    size_t (*scratch_bytes)(size_t d); /* NULL: none */

    /* True if the method is meaningful for a protocol's estimates; NULL: it always is. */
    bool (*suits)(const struct ldp_protocol *protocol);
    const char *needs; /* in words, what suits requires: "an oracle whose ..."; NULL if suits is NULL */

    /* Turns the est[d] of a collection into out[d] (no overlap), frequencies; NULL: the estimate is left unchanged.
     * Defined for every finite est. */
    void (*apply)(const double *param, const struct ldp_collection *collection, void *scratch, double *out);
};

/* True if a method, and the method that it applies first, suit a protocol. Where support counts are of no values
 * (LDP_ORACLE_WINDOWS), the estimate is a distribution with errors of no known size: only methods that take the
 * support, or change no estimate, suit it. */
bool ldp_method_suits(const struct ldp_method *method, const struct ldp_protocol *protocol);

/* In words, the oracles that a method, and the method that it applies first, suit; never NULL. */
const char *ldp_method_needs(const struct ldp_method *method);

/* LDP_EINVAL, with the reason, if a method cannot be applied to collections of a protocol, of which the support counts
 * are kept or not. */
enum ldp_status ldp_method_check(const struct ldp_method *method, const struct ldp_protocol *protocol, bool counts_kept,
                                 struct ldp_reason *reason);

/* Scratch that ldp_postprocess needs: bytes, for one thread. */
size_t ldp_postprocess_scratch(const struct ldp_method_spec *spec, size_t d);

/* Applies a method after the method that it applies first. The estimate and out do not overlap. */
void ldp_postprocess(const struct ldp_method_spec *spec, const struct ldp_collection *collection, void *scratch,
                     double *out);

/* ---- Measures ---- */

/* Which of two numbers is better. */
enum ldp_better {
    LDP_LESS,
    LDP_MORE,
    LDP_TARGET, /* the nearer to the measure's target */
    LDP_NEUTRAL /* neither */
};

/* What an error is in, as people read it. A table decides between candidates by its first measure that has a unit, or
 * by the one that a config names. */
enum ldp_unit {
    LDP_UNIT_NONE,
    LDP_UNIT_POINTS,   /* a mean squared error of frequencies: its root, in percentage points */
    LDP_UNIT_WRONG,    /* a share that is right: what is wrong, in per cent */
    LDP_UNIT_USERS,    /* a share of users that are misplaced, in per cent */
    LDP_UNIT_SCALE,    /* a part of the range of the values, in per cent */
    LDP_UNIT_ABSOLUTE, /* an error of frequencies: in percentage points */
    LDP_UNIT_PLAIN,    /* the number itself */
    LDP_UNIT_LARGEST   /* as ABSOLUTE; said next to the error of all values, and decides where a config names it */
};

/* A number that is computed from an answer. This is all that tables, plots, reports and checks know about a measure. */
struct ldp_measure {
    const char *name;  /* lower-case letters, digits, '_': a column of a table */
    const char *title; /* for people, lower case */
    const char *axis;  /* label of an axis, with the unit if there is one */
    enum ldp_better better;
    double low, high; /* its range; infinite where there is no bound */
    double target;    /* for LDP_TARGET */
    bool timed;       /* by a clock, so that it differs from run to run */
    enum ldp_unit unit;
};

/* Number of measures in a list that ends with a NULL name. */
size_t ldp_measures_count(const struct ldp_measure *measures);

/* ---- Queries ---- */

/* count sets of values; set s is member[first[s]] .. member[first[s+1] - 1]. */
struct ldp_sets {
    size_t count;
    const size_t *first;    /* [count + 1] */
    const uint32_t *member; /* [first[count]] */
};

struct ldp_query;
struct ldp_interval;

/* A query with its parameters, the points of its sweep and its sets; points and sets belong to the caller. */
struct ldp_query_spec {
    const struct ldp_query *query;
    double param[LDP_PARAMS_MAX];
    const double *points;        /* values of the swept parameter (percent, k); NULL: none */
    size_t npoints;              /* >= 1; 1 where there is no swept parameter */
    const struct ldp_sets *sets; /* NULL unless the query takes sets */
};

/* Estimates of several methods for one collection. An answer is clipped from
 * below at floor[i]: 0 for a method on answers, -INFINITY for the others. */
struct ldp_answers {
    size_t m;
    const double *const *est; /* [m][d] */
    const double *floor;      /* [m] */
};

/* A query, ldp_query_<id> in core/queries/<id>.c. */
struct ldp_query {
    const char *name;
    const char *title;
    const char *source;
    const struct ldp_param *params;
    struct ldp_param point; /* the swept parameter; an integer one is a number of values, 1..d; name NULL: none */
    double (*point_max)(const double *param); /* the largest point with these parameters; NULL: point.max */
    bool takes_sets;                          /* its spec has sets, and it asks for their totals */
    bool ranks;                               /* it uses the population's ranks */
    bool ordered;                             /* it uses the order of the values */
    bool whole_domain;                        /* its squared error is that of every value: ldp_n_equivalent applies */
    bool single_values; /* its squared error is a mean of those of single values, whichever they are */
    bool samples;       /* a sample of users' items may have it: all that it measures is of the answers */
    bool sums;          /* not defined where the variance of sums of estimates is not known (sketches, sw, bins) */

    /* [LDP_PARAMS_MAX]: parameters by which it measures the mean over all its random sets; NULL: there are none. */
    const double *expected;

    /* Ends with a NULL name. Queries with the same list share a table: ldp_squared_error is the list for a mean squared
     * error of frequencies. Other queries have their own table, <id>.csv. */
    const struct ldp_measure *measures;

    size_t (*scratch_bytes)(const struct ldp_query_spec *spec, size_t d, size_t m); /* NULL: none */

    /* Point j in users, where points are thresholds; NULL: they are not. */
    double (*threshold)(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                        const struct ldp_population *population, size_t point);

    /* out[(i * npoints + j) * nmeasures + l]: method i, point j, measure l. Random
     * sets come from rng and are the same for all methods. An undefined measure is NAN. */
    void (*measure)(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out);

    /* The mean of its first measure at a point, over collections, for the unprocessed estimates of a protocol whose
     * variances are exact; NAN if it is not known. scratch: ldp_set_interval_bytes(d) + 4 d (interval.h). NULL: not
     * known, or by the variances of single values. */
    double (*exact)(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                    const struct ldp_population *population, size_t point, void *scratch);

    /* The type of interval whose coverage it measures; NULL: none, or that of sums. */
    const struct ldp_interval *(*interval)(const struct ldp_query_spec *spec);
};

/* The list of one measure: `mse`, the mean squared error of frequencies. */
extern const struct ldp_measure ldp_squared_error[];

/* n' of NDSS 2020, Figure 5: the number of users with which the unprocessed estimate would have this full-domain mean
 * squared error: (s1 + tf / d) / mse. */
double ldp_n_equivalent(const struct ldp_protocol *protocol, double mse);

/* ---- Evaluation: methods and queries over one collection ---- */

/* Prepared methods and queries with the scratch of one thread. */
struct ldp_evaluation;

/* The specs must outlive the evaluation. LDP_EINVAL unless 2 <= d < 2^32, there is a method, none of them is NULL,
 * parameters are in their ranges and every query has points in their range and, if it takes sets, sets of values below
 * d; LDP_ENOMEM. */
enum ldp_status ldp_evaluation_new(const struct ldp_method_spec *methods, size_t nmethods,
                                   const struct ldp_query_spec *queries, size_t nqueries, size_t d,
                                   struct ldp_evaluation **out);
void ldp_evaluation_free(struct ldp_evaluation *evaluation); /* NULL is allowed */

/* Length of the measurements of one collection: for each query in order, its
 * measure() output. */
size_t ldp_evaluation_size(const struct ldp_evaluation *evaluation);

/* Applies every method to a collection, then asks every query about the population. A method that two methods apply
 * first is computed once (power, for power and power_ns). Each query draws from a copy of rng, so that its sets do not
 * depend on which other queries there are. */
void ldp_evaluate(struct ldp_evaluation *evaluation, const struct ldp_collection *collection,
                  const struct ldp_population *population, const struct ldp_rng *rng, double *measurements);

/* Where the caller puts the estimate of method i, LDP_SUPPLIED, before ldp_evaluate: [d], owned by the evaluation. NULL
 * for other methods. */
double *ldp_evaluation_supply(struct ldp_evaluation *evaluation, size_t i);

/* The estimate of method i after ldp_evaluate: [d], owned by the evaluation (or
 * the est that was passed in). */
const double *ldp_evaluation_estimate(const struct ldp_evaluation *evaluation, size_t i);

/* ---- Registries ---- */

/* NULL-terminated, in the order of registry.def. */
extern const struct ldp_oracle *const ldp_oracles[];
extern const struct ldp_method *const ldp_methods[];
extern const struct ldp_query *const ldp_queries[];
/* Those that are taken first where several are as good, the first first; then the others in their order. */
extern const struct ldp_method *const ldp_methods_preferred[];

/* NULL if no entry has that name. */
const struct ldp_oracle *ldp_oracle_find(const char *name);
const struct ldp_method *ldp_method_find(const char *name);
const struct ldp_query *ldp_query_find(const char *name);

#endif

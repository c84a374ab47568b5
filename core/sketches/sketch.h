/* sketch.h - common code of sketches: r rows of c cells, a hash function of the domain for each row, and any other
 * oracle over the cells of a row. Internal to the core.
 *
 * A user draws a row j uniformly and reports it with the row oracle's report of the symbol of their value in that row,
 * for which the whole budget is spent. The symbol is the cell h_j(v), or cell and sign if a second function g_j gives
 * values a sign. The support of a sketch is
 *
 *     the low and the high half of the seed of its functions,
 *     the users of each row,
 *     the row oracle's support of each row, one after the other. */
#ifndef LDPBENCH_SKETCH_H
#define LDPBENCH_SKETCH_H

#include "hashing/hash.h"
#include "numerics/arena.h"
#include "protocol/protocol.h"
#include "sketches/amp.h"

enum ldp_sketch_signs {
    LDP_SIGNS_NONE,
    LDP_SIGNS_FREE,   /* independent of the cell */
    LDP_SIGNS_PARITY, /* of the cell */
};

enum ldp_sketch_decode { LDP_DECODE_MEAN, LDP_DECODE_MEDIAN, LDP_DECODE_MIN, LDP_DECODE_NNLS, LDP_DECODE_AMP };

/* The parameters of a sketch, besides its row oracle. */
struct ldp_sketch_shape {
    uint64_t rows, columns;
    enum ldp_sketch_signs signs;
    enum ldp_sketch_decode decode;
    bool debias;    /* the average contribution of other values to a cell is subtracted */
    bool fixed;     /* the same functions in every collection */
    bool opposites; /* a negative sign is a negated report, else a separate symbol */
};

/* A sketch's protocol, opened; its row has no public randomness before ldp_sketch_enter. */
struct ldp_sketch {
    struct ldp_sketch_shape shape;
    struct ldp_protocol row;
};

struct ldp_sketch ldp_sketch_of(const struct ldp_protocol *protocol);

/* Sets the protocol up. row NULL: oue. */
enum ldp_status ldp_sketch_configure(struct ldp_protocol *protocol, const struct ldp_sketch_shape *shape,
                                     const struct ldp_oracle_spec *row, struct ldp_reason *reason);

/* p, q, s1 and tf of the protocol, from its row's. */
void ldp_sketch_set_noise(struct ldp_protocol *protocol, const struct ldp_sketch *sketch);

/* 1/(c-1), or 1/c if signs are free: the part of the squares of other values that is in the variance over functions. */
double ldp_sketch_collision(const struct ldp_sketch_shape *shape);

/* Entries of struct ldp_oracle. */
void ldp_sketch_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                       uint64_t *reports);
enum ldp_status ldp_sketch_valid(const struct ldp_protocol *protocol, const uint64_t *report,
                                 struct ldp_reason *reason);
bool ldp_sketch_all_valid(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m);
void ldp_sketch_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state);
void ldp_sketch_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support);
void ldp_sketch_tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally);
size_t ldp_sketch_scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram);
void ldp_sketch_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                       struct ldp_rng *rng, void *scratch, double *support);
size_t ldp_sketch_estimate_bytes(const struct ldp_protocol *protocol);
void ldp_sketch_estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch,
                         double *est);
size_t ldp_sketch_rows(const struct ldp_protocol *protocol);
enum ldp_status ldp_sketch_variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                    double *variance);
void ldp_sketch_observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed);
/* The law of an absent value given the cells of an observed collection (absent.h): about the least estimate x with
 * P(est > x) <= share; NAN where the cells are not kept, or the decoder is another one. */
double ldp_sketch_threshold(const struct ldp_collection *collection, double share);
double ldp_sketch_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report);
size_t ldp_sketch_odds(const struct ldp_protocol *protocol, struct ldp_odds *factor);
/* ldp_support_add (protocol.h). */
void ldp_sketch_add(const struct ldp_protocol *protocol, const double *more, double *support);
size_t ldp_sketch_craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft);
void ldp_sketch_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                      uint64_t *reports);
void ldp_sketch_overlap(const struct ldp_protocol *protocol, struct ldp_overlap *overlap);
enum ldp_status ldp_sketch_unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none);
void ldp_sketch_cost(const struct ldp_protocol *protocol, struct ldp_cost *cost);

enum ldp_remark ldp_sketch_remark(const struct ldp_protocol *protocol, uint64_t n, struct ldp_reason *reason);

/* All of them. */
#define LDP_SKETCH_ENTRIES                                                                                             \
    .rows = ldp_sketch_rows, .client = ldp_sketch_client, .valid = ldp_sketch_valid,                                   \
    .all_valid = ldp_sketch_all_valid, .server = ldp_sketch_server, .support = ldp_sketch_support,                     \
    .tally = ldp_sketch_tally, .scratch_bytes = ldp_sketch_scratch_bytes, .counts = ldp_sketch_counts,                 \
    .estimate_bytes = ldp_sketch_estimate_bytes, .estimate = ldp_sketch_estimate, .variance = ldp_sketch_variance,     \
    .observe = ldp_sketch_observe, .craft = ldp_sketch_craft, .craft_most = ldp_sketch_craft_most,                     \
    .add = ldp_sketch_add, .log_likelihood = ldp_sketch_log_likelihood, .odds = ldp_sketch_odds,                       \
    .cost = ldp_sketch_cost, .overlap = ldp_sketch_overlap, .unsupported = ldp_sketch_unsupported,                     \
    .remark = ldp_sketch_remark

/* The row oracle's protocol enters row j. */
void ldp_sketch_enter(const struct ldp_protocol *protocol, uint64_t j, struct ldp_protocol *row);

/* Seeds of the functions of row j, derived from the seed that begins a support (ldp_seed_read). */
uint64_t ldp_sketch_cell_seed(uint64_t family, uint64_t j);
uint64_t ldp_sketch_sign_seed(uint64_t family, uint64_t j);

/* The seed of the functions of a collection. */
uint64_t ldp_sketch_current_family(const struct ldp_protocol *protocol, const struct ldp_sketch *sketch);

/* Cells and signs of users in their rows, of at most LDP_SKETCH_CHUNK users. */
enum { LDP_SKETCH_CHUNK = 256 };
void ldp_sketch_hash(const struct ldp_sketch_shape *shape, uint64_t family, const uint32_t *values, size_t m,
                     const uint32_t *rows, uint32_t *cells, bool *negative);

/* Cells, and where signs are free signs, [rows][LDP_HASH_BLOCK], of the values v .. v + m - 1 in the rows from j on. */
void ldp_sketch_hash_rows(const struct ldp_sketch_shape *shape, uint64_t family, size_t j, size_t rows, size_t v,
                          size_t m, uint32_t *cells, uint32_t *signs);

/* nnls and amp fit the symbols of a row and not its cells (symbols.c): with free signs 2 c of them, the cells of
 * positive values and then those of negative ones, which are the same with the other sign if reports are negated. */
size_t ldp_sketch_symbols(const struct ldp_sketch_shape *shape);
bool ldp_sketch_mirrors(const struct ldp_sketch_shape *shape);

/* seeds[2 r]: those of the rows' cells, then of their signs. */
void ldp_sketch_seeds(const struct ldp_sketch_shape *shape, uint64_t family, uint64_t *seeds);

/* symbols[rows][LDP_HASH_BLOCK] of the values v .. v + m - 1, m <= LDP_HASH_BLOCK, in the rows from j on. */
void ldp_sketch_symbols_of(const struct ldp_sketch_shape *shape, const uint64_t *seeds, size_t j, size_t rows, size_t v,
                           size_t m, uint32_t *symbols);

/* Cells of a sketch, bits of the filters of all cohorts: 2 GB of support counts. */
enum { LDP_SKETCH_CELLS_MAX = 1 << 28 };

/* Parameters that sketches share. */
#define LDP_SKETCH_ROWS(standard)                                                                                      \
    LDP_PARAM_INTEGER("rows", (standard), 1, 1 << 16, "hash functions, each with a row of cells")
/* For sketches that decode amp. */
#define LDP_SKETCH_COLUMNS_OR_AUTO(standard)                                                                           \
    {                                                                                                                  \
        .name = "columns", .kind = LDP_INTEGER_OR_AUTO, .fallback = (standard), .min = 2, .max = LDP_HASH_G_MAX,       \
        .help = "cells of a row; auto: the fewest with which the variance of amp is within 10 % of that of the rows' " \
                "oracle over the whole domain, by the counts of all datasets and at every epsilon of the config"       \
    }
extern const char *const ldp_sketch_decoders[]; /* by enum ldp_sketch_decode */
#define LDP_SKETCH_DECODE                                                                                              \
    LDP_PARAM_CHOICE(                                                                                                  \
        "decode", ldp_sketch_decoders, LDP_DECODE_MEAN, LDP_DECODE_AMP,                                                \
        "how a value's cells are combined: the mean of all, one of the biased median, min and nnls (least "            \
        "squares of the whole sketch, counts >= 0), or amp (message passing with a fitted prior)")
/* For sketches that are decoded by the mean or by amp. */
extern const char *const ldp_sketch_mean_or_amp[];
#define LDP_SKETCH_MEAN_OR_AMP                                                                                         \
    LDP_PARAM_CHOICE("decode", ldp_sketch_mean_or_amp, 0, 1,                                                           \
                     "the mean of a value's cells, or amp (message passing with a fitted prior)")
extern const char *const ldp_sketch_families[];
#define LDP_SKETCH_HASHES                                                                                              \
    LDP_PARAM_CHOICE("hashes", ldp_sketch_families, 0, 1,                                                              \
                     "new functions in each collection, or always the same, which biases estimates")

/* After an estimate: the cells[r][c] that it left in its scratch, and the frequencies that counts stand for, scale
 * (count - load). */
struct ldp_sketch_scale {
    double scale, load;
};
const double *ldp_sketch_cells(const void *scratch);
struct ldp_sketch_scale ldp_sketch_scale(const struct ldp_protocol *protocol, uint64_t n, const double *support,
                                         void *scratch);

/* Decoders (decode.c): turn r rows of cells, or of symbols, into counts[d], before any correction. nnls leaves its
 * residual in the cells. scratch must be kept until ldp_decode_noise. */
size_t ldp_decode_bytes(const struct ldp_sketch_shape *shape, size_t d);
void ldp_decode(const struct ldp_sketch_shape *shape, uint64_t family, double *cells, size_t d, void *scratch,
                double *counts);

/* Where values are decoded by the median or the least of their cells: the mean count of a value with zero frequency,
 * which is what others add to a count. decoded: ldp_decode has just used this scratch. */
bool ldp_decode_is_centred(const struct ldp_sketch_shape *shape);
double ldp_decode_centre(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, bool decoded,
                         void *scratch);

/* The count of one value, of a sketch that decodes by the mean or the median, without signs; terms[r] is scratch. */
double ldp_sketch_count_of(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t value,
                           double *terms);

/* The median of x[count], which is rearranged. */
double ldp_middle(double *x, size_t count);

/* The number below which a share of the cells lies, from a sample of them. */
enum { LDP_CELLS_SAMPLE = 1 << 16 };
double ldp_cells_quantile(const double *cells, size_t count, double share, double *sample);

/* Variance of the count of a value with zero frequency, over the functions; load is the average content of a cell of a
 * row. */
double ldp_decode_noise(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, const double *loads,
                        size_t d, void *scratch);

/* Medians of terms, LDP_MEDIAN_LANES values at a time (median.c). */
enum { LDP_MEDIAN_LANES = 32 };
#define LDP_MEDIAN_CELLS_MAX ((size_t)INT32_MAX)

struct ldp_medians {
    unsigned shift;
    int32_t *keys;    /* of each cell; the key of the negated number is the complement */
    int16_t *leading; /* keys >> shift; one more number may be read */
    double *sizes;    /* of all numbers, in increasing order */
    int32_t *tied;    /* scratch */
    void *room;       /* free for the caller once cells are ranked */
};

/* The caller has at least `room` bytes of room. */
struct ldp_medians ldp_medians_in(size_t ncells, size_t room, struct ldp_arena *arena);
void ldp_medians_rank(const struct ldp_medians *medians, const double *cells, size_t ncells);

/* Numbers from one array of keys to the next: an odd number of cache lines, so that arrays do not compete for the same
 * positions in a cache. */
static inline size_t ldp_medians_stride(uint64_t r)
{
    return (size_t)(r | 1) * LDP_MEDIAN_LANES;
}

/* The whole keys of m <= LDP_MEDIAN_TERMS terms, each of a lane in a row. */
enum { LDP_MEDIAN_TERMS = LDP_SKETCH_CHUNK };
typedef void ldp_medians_keys(const void *context, const uint32_t *rows, const uint32_t *lanes, size_t m,
                              int32_t *keys);

/* keys[r][LDP_MEDIAN_LANES], leading bits of keys that are distinct within a lane: the median of each lane's numbers;
 * for an even number the mean of the middle two. */
void ldp_medians(const struct ldp_medians *medians, const int16_t *keys, size_t r, ldp_medians_keys *whole,
                 const void *context, double out[LDP_MEDIAN_LANES]);

/* Approximate message passing (amp.h, sketch_amp.c): the counts, as if the n users of each row had answered over the
 * whole domain; those of nnls, with its residual in the cells, if it has not converged. s1: of the rows. Cells are
 * scaled to n / r users a row. */
size_t ldp_amp_bytes(const struct ldp_sketch_shape *shape, size_t d);
void ldp_amp(const struct ldp_sketch_shape *shape, uint64_t family, double n, double s1, double *cells, size_t d,
             void *scratch, double *counts);
struct ldp_amp ldp_amp_found(const void *scratch);
double ldp_amp_freedom(const struct ldp_sketch_shape *shape);

/* That variance before anything is collected, by s1 and tf of a row (amp_law.c); good to a few percent. */
double ldp_amp_predicted(const struct ldp_sketch_shape *shape, const struct ldp_histogram *histogram,
                         const struct ldp_protocol *row);

/* The number of values whose counts are unknown at noise of standard deviation tau, in users: sum_v E Var[n_v | z] /
 * tau^2. */
double ldp_effective_dimension(const struct ldp_histogram *histogram, double tau);

/* Least squares with counts >= 0 (nnls.c). */
size_t ldp_nnls_bytes(const struct ldp_sketch_shape *shape, size_t d);
void ldp_nnls(const struct ldp_sketch_shape *shape, uint64_t family, double *cells, size_t d, void *scratch,
              double *counts);

#endif

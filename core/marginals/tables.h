/* tables.h - tables of groups of users, made consistent: the basis of most synopses. Internal to the core. */
#ifndef LDPBENCH_MARGINALS_TABLES_H
#define LDPBENCH_MARGINALS_TABLES_H

#include "marginals/contrasts.h"
#include "marginals/synopsis.h"
#include "numerics/pool.h"

/* ---- Groups of users, without replacement (groups.c) ---- */

/* A deck of all users. */
struct groups {
    struct ldp_records records; /* the rows of most users first: draws are fastest where neighbours are alike */
    uint64_t n;                 /* users who are left */
    uint64_t *left;             /* [rows]: those of each row */
    uint64_t *part;             /* [levels][rows]: the users of some of the groups */
    uint64_t *until;            /* [rows]: scratch */
    unsigned bits;              /* at most 2^bits users' rows are joined into */
    uint64_t *cell;             /* [2^bits] */
    uint64_t *joined;           /* [2 * 2^bits]: joined rows of all levels */
    size_t *group, *first;      /* [count]: the order in which groups are dealt, the first cell of each */
    uint64_t *mask;             /* [count]: the attributes of each */
    uint32_t *user;             /* [n]: scratch of a shuffle; NULL: draws from rows are cheaper */
};

/* count: the most groups that are dealt at once. */
enum ldp_status ldp_groups_init(struct groups *groups, struct ldp_pool *pool, const struct ldp_records *records,
                                size_t count);

/* Puts all users back into the deck. */
void ldp_groups_gather(struct groups *groups);

/* Draws m groups of size[i] from the users who are left; gives the true counts of each one's cells of set[i], one table
 * after another. */
void ldp_groups_deal(struct groups *groups, struct ldp_rng *rng, size_t m, const uint64_t *size,
                     const struct ldp_set *set, uint64_t *cells);

/* ---- Their tables ---- */

/* A question to some users. Its table is that of all attributes of its digits, without the interactions that they do
 * not show. */
struct asked {
    struct digits digits;
    uint64_t users;
};

struct tables {
    const struct ldp_workload *workload;
    const uint32_t *cardinality;
    size_t m;
    struct ldp_set *set;           /* [m] */
    struct digits *digits;         /* [m] */
    size_t *first;                 /* [m + 1]: where the cells of a table begin */
    uint64_t *users;               /* [m] */
    struct ldp_protocol *protocol; /* [m], with the noise observed in the last collection */
    double *variance;              /* [m]: in a direction that keeps the total: noise alone */
    double *weight;                /* [m]: 1 / (cells variance), choosing users included */
    struct closure closure;
    size_t own;    /* tables before this one only improve the others */
    bool *has;     /* [closure.nblocks]: true if one of those others has the block */
    uint32_t *map; /* [first[m]]: coefficients of the tables */
    double *
        precision; /* [closure.nblocks]: the coefficients of a block have variance 1 / (cells of the block precision) */
    double *total, *own_total; /* [closure.nblocks]: the sum of the weights, of all tables and from own on */
    double *sampled; /* [closure.nblocks]: the share of that variance which choosing users adds, if cells are equal */

    /* Room of one collection. */
    uint64_t *cells;  /* [first[m]] */
    uint64_t *counts; /* of the cells of one question */
    double *support, *x, *work;
    uint32_t *target; /* cells that malicious users are for */
    void *scratch;
};

/* The tables of m sets, of n users as equally as possible. */
void ldp_tables_ask(const struct ldp_set *set, uint64_t n, size_t m, struct asked *asked);

/* m questions, and room for a method. */
enum ldp_status ldp_tables_init(struct tables *tables, struct ldp_pool *pool, const struct ldp_workload *workload,
                                const struct asked *asked, size_t m, const struct ldp_method_spec *method,
                                struct ldp_reason *reason);
/* The arrays of m sets, all 0, which the caller fills before ldp_tables_finish; digits: those of the sets if empty. */
enum ldp_status ldp_tables_room(struct tables *tables, struct ldp_pool *pool, const struct ldp_workload *workload,
                                size_t m);
/* Completes the tables: computes what follows from sets, cells and weights. most: cells of any table; bytes:
 * scratch. */
enum ldp_status ldp_tables_finish(struct tables *tables, size_t most, size_t bytes);

/* Uses the first tables only for blocks that the others have too. */
void ldp_tables_set_own(struct tables *tables, size_t own);

/* One collection of the tables from .. to-1: their part of noisy[first[m]], and of the true frequencies of the same
 * users (NULL: not needed). */
void ldp_tables_collect(struct tables *tables, size_t from, size_t to, struct groups *groups, struct ldp_rng *rng,
                        double *noisy, double *sampled);

/* The true frequencies of all users, for all tables. */
void ldp_tables_exact(struct tables *tables, double *exact);

/* The coefficients nearest to tables x[first[m]], by weighted least squares: those of consistent tables. */
void ldp_tables_agree(struct tables *tables, const double *x, double *coefs);

/* From coefficients to the tables, except those that only improve others. */
void ldp_tables_expand(struct tables *tables, const double *coefs, double *x);

/* Makes the tables of coefficients sum to 1 and, where the method's estimates are not negative, have no negative cell.
 * Tables that only improve others are left out. method: applied first, table by table. */
void ldp_tables_make_valid(struct tables *tables, const struct ldp_method_spec *method, double *coefs);

/* The table of any set from coefficients, those of unknown blocks 0. map: closure_map of the set. */
void ldp_tables_project(const struct tables *tables, const double *coefs, const struct ldp_set *set,
                        const uint32_t *map, double *out);

/* The block of a subset that some table shows, or CLOSURE_NONE. */
static inline size_t ldp_tables_find(const struct tables *tables, uint64_t mask)
{
    const size_t block = ldp_closure_find(&tables->closure, mask);

    return block != CLOSURE_NONE && tables->has[block] ? block : CLOSURE_NONE;
}

/* What is taken off every 1 / weight, and off means of several, as users are chosen out of n without replacement. */
static inline double ldp_tables_fixed(const struct tables *tables)
{
    const double n = (double)tables->workload->records->n;

    return n > 1 ? 1 / (n - 1) : 0;
}

/* The precision of a block if its users were chosen out of many more, where that adds `spread` times what it does if
 * cells are equal. */
static inline double ldp_tables_precision(const struct tables *tables, size_t block, double spread)
{
    const double noise = (1 - tables->sampled[block]) / tables->precision[block];

    return 1 / (noise + spread * (1 / tables->total[block] - noise));
}

/* Predicted squared error of noise in the marginal of a set: for the blocks that tables have. */
double ldp_tables_noise(const struct tables *tables, const struct ldp_set *set);

/* ---- Intervals for the cells of the requested marginals (cell_intervals.c) ---- */

/* x: the noisy tables. likely: coefficients of frequencies near the true ones, by which the part of the variance is
 * found that depends on it. low, high[workload->first[nsets]]: each interval covers the frequency of its cell among all
 * users with about the probability `level`; NAN where no interval is known (cell_intervals.c). Tables of more than
 * `many` cells are summed by which attributes a cell shares with another: as exact, and faster for many cells. */
enum { LDP_MANY_OF_TABLE = 512 };
enum ldp_status ldp_cell_intervals(size_t many, struct tables *tables, const double *x, const double *likely,
                                   double level, double *low, double *high);

#endif

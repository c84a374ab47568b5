/* store.h - the result store: one SQLite file in the output folder, in which every repetition's measurements are saved
 * as the run proceeds, in transactions. The key is made of the cell's own parameters, the seed, the algorithm version
 * and the build of the program; an interrupted or extended run finds its finished repetitions there. */
#ifndef LDPBENCH_STORE_H
#define LDPBENCH_STORE_H

#include "tasks/experiment.h"

struct store;

/* A stretch of repetitions of one cell, the unit of work. Where sums are accumulated, stretches are
 * the blocks of STORE_BLOCK repetitions, so that sums are always added up in the same order. */
struct unit {
    uint32_t cell;
    uint32_t first;   /* repetition */
    uint64_t missing; /* bit i: repetition first + i is to be run */
    bool whole;       /* sums start from zero, not from what the store has */
};

struct store_options {
    bool fresh;             /* empties the store first */
    bool keep;              /* uses results of other builds of the program */
    const char *build;      /* NULL: this program's */
    uint32_t shard, shards; /* only part `shard` (from 0) of `shards` parts of the work; 0 of 0: all of it */
};

/* Opens (or makes) FOLDER/store.sqlite for an experiment. A store of another experiment, or one in which nothing
 * belongs to this one, is refused (exit status 2) unless fresh is set. options may be NULL. */
int store_open(const char *folder, const struct experiment *experiment, const struct store_options *options,
               struct store **out, struct failure *failure);
void store_close(struct store *store);

/* Findings of opening. */
struct store_notes {
    size_t damaged;    /* blocks and names whose checksum did not fit: what they held is pending again */
    size_t others;     /* repetitions that only other builds have made; they are pending unless these are kept */
    const char *extra; /* "epsilon was [0.5,1] and is [1]": why the store holds results that are not asked for; or
                           "" */
};

const struct store_notes *store_notes(const struct store *store);

/* The units still to be run, in order of cells: a malloc'd array. max_length (at most 64) bounds a unit's length where
 * there are no sums. With whole set, blocks whose sums are incomplete are run from their start, for workers that cannot
 * read the store. */
int store_pending(struct store *store, uint32_t max_length, bool whole, struct unit **out, size_t *count,
                  struct failure *failure);

/* The sums of a unit's block so far: reads vectors of `sums` x `length` (unchanged if there are none) and returns
 * through `done` how many of the block's repetitions they have. */
int store_load_sums(struct store *store, const struct unit *unit, double *sums, uint32_t *done,
                    struct failure *failure);

/* Takes a finished unit: measured[i][series] for its missing repetitions in order; sums after `done` repetitions of the
 * block (NULL: none). Kept in memory until the next commit. Not thread-safe: one caller at a time. */
void store_put(struct store *store, const struct unit *unit, const double *measured, const double *sums, uint32_t done);

/* Whether a folder has a store, of that experiment. */
int store_check_results(const char *folder, const struct experiment *experiment, struct failure *failure);

/* Removes the file of a folder's store, which must be closed, and what SQLite left next to it. */
void store_discard(const char *folder);

/* Adds everything that the store of another folder holds and this one lacks, of the same experiment. */
int store_absorb(struct store *store, const char *folder, struct failure *failure);

/* Commits everything that was put. */
int store_commit(struct store *store, struct failure *failure);

/* The same, but store_complete, store_commit or store_close commits, with what is written until then. Others wait. */
int store_write(struct store *store, struct failure *failure);

/* The builds that made the numbers that the experiment asks for, and their shares; a malloc'd array whose texts are the
 * store's. */
struct store_share {
    const char *build;
    double share;
};

struct store_share *store_shares(struct store *store, size_t *count);

/* Records that the experiment is complete and its tables are written; readers of the store see this state from now on.
 * Results of other builds for the same cells are removed unless they are kept. */
int store_complete(struct store *store, struct failure *failure);

/* ---- reading back ---- */

/* Its file, for the rows of tables (rows.h). */
struct store_file *store_file(struct store *store);

/* Whether the store has all repetitions of a cell, sums aside. */
bool store_has(struct store *store, size_t cell);

/* How many repetitions of a cell there are, and of all cells. */
uint32_t store_repetitions(const struct store *store, size_t cell);
size_t store_all_repetitions(const struct store *store);

/* Measurements of one series in order of repetition: value[store_repetitions]; an undefined
 * one is NAN. */
int store_series(struct store *store, size_t cell, size_t series, double *value, struct failure *failure);

/* One accumulated vector of the block that begins with a repetition: vector[sums_length]. Fails if another process has
 * added more repetitions in the meantime. */
int store_sums(struct store *store, size_t cell, size_t sums, uint32_t first, double *vector, struct failure *failure);

#endif

/* task.h - a kind of experiment, as data.
 *
 * A task turns its keys of a config into a setup: a list of cells. For each cell a layout says which numbers one
 * repetition gives (series) and which vectors are accumulated (sums); a worker runs repetitions; the task's tables show
 * the results. The code for streams, threads, store and progress knows no more than that, and names no algorithm. */
#ifndef LDPBENCH_TASK_H
#define LDPBENCH_TASK_H

#include "support/registry.h"
#include "support/text.h"
#include "tasks/experiment.h"
#include "tasks/table.h"

struct table_writer; /* table_writer.h: a table that is being written */

/* Identity of a series, or a sum, within its cell: canonical texts with all their parameters, "" where there is no
 * such part. Two series of a layout with the same four texts are one series of the store. */
struct series {
    const char *method, *query, *point, *measure;
};

/* Shared by cells with the same series. */
struct layout {
    size_t nseries, nsums;
    size_t sum_length; /* numbers in the vector of a sum */
    struct series *series, *sums;
};

enum {
    LAYOUTS_NEAR = 64,
    STORE_BLOCK = 50 /* repetitions whose sums are accumulated together, always in the same order */
};

/* Fields of a row in the keys and facts of its table, beyond those of the cell. */
struct field {
    const char *text; /* NULL: the number; an undefined one (NAN) leaves the field empty */
    double number;
    struct identity identity; /* of a label (part_is_label); name NULL: the text itself, without parameters */
};

enum { ROW_FIELDS = 16, ROW_MEASURES = 20 };
#define SERIES_NONE SIZE_MAX /* the measure's columns are empty */

struct table_row {
    struct field field[ROW_FIELDS];
    size_t series[ROW_MEASURES]; /* of each measure */
};

/* Sets the series of a row's measures: that many, from the first on. */
void row_series(struct table_row *row, size_t first, size_t nmeasures);

/* A cell whose rows a table lists. */
struct table_cell {
    const struct task_table *table;
    const struct setup *setup;
    size_t cell;
};

/* Columns of a measure: NAME, NAME_sd, NAME_stderr. */
enum { EACH_MEAN = 1, EACH_SD = 2, EACH_STDERR = 4 };

/* A table with what makes its rows, in order of cells. */
struct task_table {
    struct table table;
    unsigned each;                               /* EACH_...: columns of each measure that come behind the others */
    size_t (*rows)(const struct table_cell *in); /* how many */
    void (*row)(const struct table_cell *in, size_t index,
                struct table_row *row); /* everything except facts that depend on measured values */

    /* Writes the rows of a cell if they have more than series and keys, else NULL. A table whose measures are not plain
     * series has neither `rows` nor `row`. */
    int (*write)(struct table_writer *writer, size_t cell);

    const void *about;          /* the task's */
    struct table_column *owned; /* columns that are freed with the list, or NULL */
    struct ldp_measure *chosen; /* and measures */
};

/* Tables in the order in which they are written. Start from all zero. */
struct task_tables {
    struct task_table *table;
    size_t count, room;
    struct texts texts;
};

/* Adds one, takes over what it owns; with a choice of its measures. */
void tables_add(struct task_tables *tables, const struct task_table *table);
void tables_add_chosen(struct task_tables *tables, struct task_table table, uint64_t choice);
void tables_clear(struct task_tables *tables);

/* Which structs a setup is the beginning of, so that it is never cast to another one. */
enum setup_base { SETUP_GRID = 1 /* grid.h */, SETUP_EVALUATION = 2 /* evaluation.h */ };

/* Sets on which rows of a dataset are measured: the rows whose column has this value. */
struct workload {
    const char *dataset;
    size_t d;
    uint64_t n;
    const char *column, *value; /* "query", "fixed_sets" */
    const char *contents;       /* canonical text of the sets */
};

struct workloads {
    struct workload *workload;
    size_t count, room;
};

/* A task's keys, read and checked; the first member of the task's own struct. */
struct setup {
    const struct task *task;
    unsigned bases; /* enum setup_base */
    size_t ncells;
    double shared_bytes;       /* that all workers share, for --dry-run */
    double reading_bytes;      /* that are needed while data are read or drawn alone */
    struct task_tables tables; /* that the config asks for */
    struct texts commands;     /* commands that workers start, as text; the user must permit them */
    struct texts programs;     /* of these, the programs */
    struct workloads workloads;
    struct texts notes;     /* a line for each dataset of which some data are left out; for stderr and run.json */
    double outlook_seconds; /* of those that preparing took, what --dry-run alone asks for */
};

/* One thread's place; the first member of the task's own struct. */
struct worker {
    const struct task *task;
    double until;    /* for --dry-run: when a repetition may end after any trial, by clock_seconds; 0: never */
    double left_out; /* seconds of the trials that were left out since it was 0, estimated */
};

/* For --dry-run, and the weights of cells in the progress line. */
struct cell_cost {
    double worker_bytes; /* that one worker needs */
    double nanoseconds;  /* of one repetition, roughly */
    double least;        /* of them, those of a repetition that may end after any trial; 0: all */
    double begin;        /* nanoseconds of getting ready for the cell; 0: unknown until it is tried */
};

/* The protection of a cell, as epsilon: an exact value (low = high), or a lower and an upper bound; infinite: nothing
 * is protected. */
enum { PRIVACY_LOSSES = 64 };
struct privacy_losses {
    size_t count;
    struct privacy_loss {
        const char *subject; /* a chain, a synopsis: the column that a table compares */
        const char *protects;
        double low, high;
    } line[PRIVACY_LOSSES];
};
void loss_add(struct privacy_losses *losses, const char *subject, const char *protects, double low, double high);

/* What is protected: the lines of every subject, from the cell where it occurs first; lines to be freed.
 */
struct protection {
    struct privacy_loss *line;
    size_t count, room;
    size_t cells; /* where subjects occur first */
};
struct protection protection_of(const struct experiment *experiment);

/* Where subjects differ by the upper values: a sentence, malloc'd; NULL: they do not. */
char *protection_differences(const struct experiment *experiment);

/* A kind of experiment, task_<name> in bench/tasks/<name>.c; its line in tasks.def makes it known. */
struct task {
    const char *name;
    const char *title;
    const char *source;
    const struct config_key *keys; /* of the config, besides experiment_keys; read into the setup */
    size_t setup_size;             /* bytes of the task's own struct, which begins with a struct setup */

    /* Completes a setup whose keys were read. data_seed: for data and workload that are drawn. */
    int (*prepare)(const struct json_at *root, const struct overrides *overrides, uint64_t data_seed,
                   struct setup *setup, struct failure *failure);
    void (*free)(struct setup *setup); /* also one whose keys were only read in part */

    /* Canonical text of a cell: everything that decides its numbers. Malloc'd. */
    char *(*cell_key)(const struct setup *setup, size_t cell);

    /* The same of its collections: what decides its random stream. Malloc'd. */
    char *(*collection_key)(const struct setup *setup, size_t cell);

    /* One pointer per distinct layout. Callers cache work per pointer, so cells with equal layouts should be close:
     * fewer than LAYOUTS_NEAR other layouts between them. */
    const struct layout *(*layout)(const struct setup *setup, size_t cell);
    struct cell_cost (*cost)(const struct setup *setup, size_t cell);

    /* begin prepares a worker for a cell (reusing what it can); run adds a repetition's own numbers: measured[series]
     * is set, sums[i * sum_length + v] (unless NULL; all 0 before a block's first) takes it in. The task decides what
     * sums hold and how blocks are combined. */
    struct worker *(*worker_new)(const struct setup *setup);
    void (*worker_free)(struct worker *worker);
    int (*worker_begin)(struct worker *worker, size_t cell, struct failure *failure);
    int (*worker_run)(struct worker *worker, struct ldp_rng *rng, double *measured, double *sums,
                      struct failure *failure);

    /* Adds the tables that a setup asks for; NULL: all that the task can write. */
    void (*tables)(const struct setup *setup, struct task_tables *out);

    /* Adds what a cell's chains, synopses .. protect; NULL: one report, epsilon. */
    void (*privacy_losses)(const struct setup *setup, size_t cell, struct privacy_losses *losses);

    /* Writes the fields of a cell's columns (COLUMN_CELL), in their order. */
    void (*fields)(const struct setup *setup, size_t cell, struct field field[ROW_FIELDS]);
};

/* The columns of a cell, which all tables of a task have, and its fields in them. How many. */
size_t cell_fields(const struct setup *setup, size_t cell, const struct table_column *column[ROW_FIELDS],
                   struct field field[ROW_FIELDS]);

/* The same in words: "dataset zipf(s=1), d 16, n 1000, oracle olh, epsilon 2". Malloc'd. */
char *cell_words(const struct experiment *experiment, size_t cell);

/* The label of a cell in the column that is a part; NULL: it has none. */
const char *cell_label(const struct setup *setup, size_t cell, enum column_part part);

/* The parameters of a label as a JSON object, {"g":2}; one derived from d and epsilon is null. Malloc'd. */
char *identity_json(const struct identity *identity);

extern const struct task *const tasks[]; /* NULL-terminated */

#define TASK(id) extern const struct task task_##id;
#include "tasks/tasks.def"
#undef TASK

#endif

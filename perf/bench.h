/* bench.h - the benchmark program: rows of measurements, and the sections that make them. */
#ifndef LDPBENCH_PERF_BENCH_H
#define LDPBENCH_PERF_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One measurement. Section, name, d and n identify it; n is 0 where no users are simulated. */
struct row {
    char section[16];
    char name[56];
    size_t d;
    uint64_t n;
    const char *unit; /* "s", "evaluations/s", "fraction", "bytes", "exponent" */
    double value;
};

struct bench {
    struct row *rows;
    size_t count;
    bool quick;
    double budget; /* seconds for one measurement */
    double limit;  /* a single repetition that would take longer is left out */
};

/* Keeps a row and prints its line. */
void bench_add(struct bench *bench, const char *section, const char *name, size_t d, uint64_t n, const char *unit,
               double value);

/* The value of a row, NAN if there is none. */
double bench_find(const struct bench *bench, const char *section, const char *name, size_t d, uint64_t n);

/* Wall clock, in seconds. */
double bench_now(void);

/* The median of x[count], which it sorts. */
double bench_middle(double *x, size_t count);

/* Median CPU seconds of one run(): samples of at least a millisecond within the budget, at least three unless a
 * single run is longer than it. */
double bench_median(const struct bench *bench, void (*run)(void *context), void *context);

/* malloc, or the end of the program. */
void *bench_alloc(size_t bytes);

/* Random seeds with residues below g: reports[2 m]. */
uint64_t *bench_reports(size_t m, uint32_t g);

/* Sections. */
void bench_kernel(struct bench *bench);
void bench_oracles(struct bench *bench);
void bench_methods(struct bench *bench);
void bench_repetitions(struct bench *bench);
void bench_decoders(struct bench *bench);
void bench_sketches(struct bench *bench);
void bench_memory(struct bench *bench);
void bench_marginals(struct bench *bench);
void bench_searches(struct bench *bench);

#endif

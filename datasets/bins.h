/* bins.h - bins of equal width for numbers. */
#ifndef LDPBENCH_BINS_H
#define LDPBENCH_BINS_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers that are all multiples of 10^-k have bins whose width is one too, so that no bin covers more of them than its
 * neighbour; others have bins of any width. A bin is known by its number. */
struct bins {
    double low, width; /* on a grid in multiples of 1 / scale */
    double scale;      /* 10^k; 0: no grid */
    size_t count;      /* 0: there is no width */
};

/* 10^k for the least k <= 9 of which all numbers are multiples; 0: there is none. */
double bins_scale(const double *numbers, size_t count);

/* The number of multiples of 1 / scale from low to high, both of which are. */
double bins_multiples(double low, double high, double scale);

/* At most `most` bins (on a grid; else as many) from low to high, which is in the last. */
struct bins bins_new(double low, double high, double scale, size_t most);

/* The bin of a number from low to high. */
size_t bins_find(const struct bins *bins, double number);

/* The least number of a bin, and on a grid its largest, else the least of the next. */
double bins_first(const struct bins *bins, size_t bin);
double bins_last(const struct bins *bins, size_t bin);

/* Digits that tell the ends of all bins apart, at least 10; on a grid 17. */
int bins_digits(const struct bins *bins);

#endif

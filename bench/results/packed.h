/* packed.h - columns of numbers in few bytes: all first bytes of a column's rows, then all second ones, ...,
 * little-endian; column after column, compressed. */
#ifndef LDPBENCH_PACKED_H
#define LDPBENCH_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero but nrows at the beginning. */
struct packed {
    size_t nrows;
    unsigned char *bytes; /* [used], room for [room] */
    size_t used, room;
};

void packed_clear(struct packed *packed);

/* A new column of numbers of `width` bytes. Valid until the next one. */
unsigned char *packed_column(struct packed *packed, size_t width);
void packed_put(const struct packed *packed, unsigned char *column, size_t row, size_t width, uint64_t value);

/* A column of whole numbers below `values`; the bytes of each. */
size_t packed_codes(struct packed *packed, const uint32_t *of_row, size_t values);

/* The bits of a number of single precision, of whose fraction `kept` bits are kept, rounded. */
enum { PACKED_ALL_BITS = 23 };
uint32_t packed_float(double value, int kept);

/* Writes all columns as base64 of a zlib stream. */
void packed_write(const struct packed *packed, FILE *out);

#endif

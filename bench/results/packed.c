/* packed.c - see packed.h. */
#include "results/packed.h"

#include "support/base64.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void packed_clear(struct packed *packed)
{
    free(packed->bytes);
}

unsigned char *packed_column(struct packed *packed, size_t width)
{
    const size_t length = packed->nrows * width;

    if (packed->used + length > packed->room) {
        packed->room = 2 * packed->room + length;
        packed->bytes = xrealloc(packed->bytes, packed->room, 1);
    }
    packed->used += length;
    return packed->bytes + packed->used - length;
}

void packed_put(const struct packed *packed, unsigned char *column, size_t row, size_t width, uint64_t value)
{
    for (size_t b = 0; b < width; b++)
        column[b * packed->nrows + row] = (unsigned char)(value >> 8 * b);
}

size_t packed_codes(struct packed *packed, const uint32_t *of_row, size_t values)
{
    const size_t width = values <= 256 ? 1 : values <= 65536 ? 2 : 4;
    unsigned char *const column = packed_column(packed, width);

    for (size_t i = 0; i < packed->nrows; i++)
        packed_put(packed, column, i, width, of_row[i]);
    return width;
}

uint32_t packed_float(double value, int kept)
{
    const float number = (float)value;
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    if (kept == PACKED_ALL_BITS || !isfinite(number))
        return bits;
    const int lost = PACKED_ALL_BITS - kept;
    return (bits + (1u << (lost - 1))) >> lost << lost;
}

void packed_write(const struct packed *packed, FILE *out)
{
    uLongf size = compressBound((uLong)packed->used);
    unsigned char *const compressed = xmalloc(size, 1);

    if (compress2(compressed, &size, packed->bytes, (uLong)packed->used, Z_DEFAULT_COMPRESSION) != Z_OK)
        out_of_memory();
    base64_write(out, compressed, size);
    free(compressed);
}

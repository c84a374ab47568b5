/* symbols.c - the symbols of values in the rows of a sketch (sketch.h): cells, and where signs are free cells with a
 * sign.
 */
#include "sketches/sketch.h"

void ldp_sketch_hash_rows(const struct ldp_sketch_shape *shape, uint64_t family, size_t j, size_t rows, size_t v,
                          size_t m, uint32_t *cells, uint32_t *signs)
{
    enum { FUNCTIONS = 64 };
    uint64_t seeds[FUNCTIONS];
    for (size_t first = 0, size; first < rows; first += size) {
        size = rows - first < FUNCTIONS ? rows - first : FUNCTIONS;
        for (size_t i = 0; i < size; i++)
            seeds[i] = ldp_sketch_cell_seed(family, j + first + i);
        ldp_hash_rows(seeds, size, (uint32_t)shape->columns, v, m, cells + first * LDP_HASH_BLOCK);
        if (shape->signs != LDP_SIGNS_FREE)
            continue;
        for (size_t i = 0; i < size; i++)
            seeds[i] = ldp_sketch_sign_seed(family, j + first + i);
        ldp_hash_rows(seeds, size, 2, v, m, signs + first * LDP_HASH_BLOCK);
    }
}

static bool has_signs(const struct ldp_sketch_shape *shape)
{
    return shape->signs == LDP_SIGNS_FREE && (shape->decode == LDP_DECODE_NNLS || shape->decode == LDP_DECODE_AMP);
}

size_t ldp_sketch_symbols(const struct ldp_sketch_shape *shape)
{
    return (size_t)shape->columns * (has_signs(shape) ? 2 : 1);
}

bool ldp_sketch_mirrors(const struct ldp_sketch_shape *shape)
{
    return has_signs(shape) && shape->opposites;
}

void ldp_sketch_seeds(const struct ldp_sketch_shape *shape, uint64_t family, uint64_t *seeds)
{
    const size_t r = (size_t)shape->rows;
    for (size_t j = 0; j < r; j++) {
        seeds[j] = ldp_sketch_cell_seed(family, j);
        seeds[r + j] = ldp_sketch_sign_seed(family, j);
    }
}

void ldp_sketch_symbols_of(const struct ldp_sketch_shape *shape, const uint64_t *seeds, size_t j, size_t rows, size_t v,
                           size_t m, uint32_t *symbols)
{
    const uint32_t c = (uint32_t)shape->columns;
    ldp_hash_rows(seeds + j, rows, c, v, m, symbols);
    for (size_t k = 0; has_signs(shape) && k < rows; k++) {
        uint32_t sign[LDP_HASH_BLOCK];
        ldp_hash_rows(&seeds[shape->rows + j + k], 1, 2, v, m, sign);
        for (size_t i = 0; i < m; i++)
            symbols[k * LDP_HASH_BLOCK + i] += sign[i] * c;
    }
}

/* lines_sums.h - the loops of lines.c for one width of cells; lines.c includes it for 32 and 64 bits. CELL is the type
 * of a cell, NAME(f) the function f for that width, BEST(f) that at a vector level. */

/* Turns in[rows][columns] into out[columns][rows]. */
static void NAME(transpose)(const CELL *restrict in, size_t rows, size_t columns, CELL *restrict out)
{
    for (size_t i = 0; i < rows; i += TRANSPOSE)
        for (size_t j = 0; j < columns; j += TRANSPOSE) {
            const size_t rows_end = least(i + TRANSPOSE, rows), columns_end = least(j + TRANSPOSE, columns);
            for (size_t row = i; row < rows_end; row++)
                for (size_t column = j; column < columns_end; column++)
                    out[column * rows + row] = in[row * columns + column];
        }
}

/* The digit of weight w in a[s][plane], where q is small or not a prime. LANES cells that differ only in other digits
 * are processed together, from a copy: tile[s][u][lane]. */
LDP_INLINE void NAME(digit_by_lanes)(const struct ldp_lines *lines, size_t plane, size_t w, CELL *a)
{
    const size_t q = lines->field->q, positions = plane / q;
    CELL *const tile = lines->tile;
    size_t at[LANES];
    for (size_t first = 0; first < positions; first += LANES) {
        const size_t used = least(LANES, positions - first);
        for (size_t l = 0; l < LANES; l++) {
            const size_t position = l < used ? first + l : first;
            at[l] = position / w * w * q + position % w;
        }
        for (size_t s = 0; s < q; s++)
            for (size_t u = 0; u < q; u++) {
                const CELL *const from = a + s * plane + u * w;
                CELL *const row = tile + (s * q + u) * LANES;
                for (size_t l = 0; l < LANES; l++)
                    row[l] = from[at[l]];
            }
        for (uint32_t v = 0; v < q; v++) {
            const uint8_t *minus[LDP_FIELD_POWER_MAX];
            for (uint32_t u = 0; u < q; u++)
                minus[u] = lines->minus + ldp_field_multiply(lines->field, u, v) * q;
            for (size_t x = 0; x < q; x++) {
                CELL sum[LANES] = {0};
                for (size_t u = 0; u < q; u++) {
                    const CELL *const row = tile + (minus[u][x] * q + u) * LANES;
                    for (size_t l = 0; l < LANES; l++)
                        sum[l] += row[l];
                }
                CELL *const to = a + x * plane + v * w;
                for (size_t l = 0; l < used; l++)
                    to[at[l]] = sum[l];
            }
        }
    }
}

/* The only digit, so there are no cells to process together. */
static void NAME(single_digit)(const struct ldp_lines *lines, CELL *a)
{
    const size_t q = lines->field->q;
    CELL *const tile = lines->tile;
    NAME(transpose)(a, q, q, tile); /* tile[u][s] */
    for (uint32_t v = 0; v < q; v++) {
        const uint8_t *minus[LDP_FIELD_POWER_MAX];
        for (uint32_t u = 0; u < q; u++)
            minus[u] = lines->minus + ldp_field_multiply(lines->field, u, v) * q;
        size_t x = 0;
        for (; x + 4 <= q; x += 4) {
            CELL sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
            for (size_t u = 0; u < q; u++) {
                const uint8_t *const at = minus[u] + x;
                const CELL *const row = tile + u * q;
                sum0 += row[at[0]];
                sum1 += row[at[1]];
                sum2 += row[at[2]];
                sum3 += row[at[3]];
            }
            a[x * q + v] = sum0;
            a[(x + 1) * q + v] = sum1;
            a[(x + 2) * q + v] = sum2;
            a[(x + 3) * q + v] = sum3;
        }
        for (; x < q; x++) {
            CELL sum = 0;
            for (size_t u = 0; u < q; u++)
                sum += tile[u * q + minus[u][x]];
            a[x * q + v] = sum;
        }
    }
}

/* Vectors of a row over s with their sums of turned rows u < rows of a tile added. */
LDP_INLINE void NAME(add_turned)(size_t q, size_t rows, size_t length, const CELL *restrict tile,
                                 const int32_t *restrict turn, CELL *restrict row)
{
    enum { LONG = VECTOR / sizeof(CELL) };
    typedef CELL vector __attribute__((vector_size(VECTOR), aligned(sizeof(CELL)), may_alias));
    /* The last vector overlaps the one before it: it is added to the row as it was, and stored at the end. */
    vector *const end = (vector *)(void *)(row + q - LONG);
    vector last = *end;
    for (size_t u = 0; u < rows; u++)
        last += *(const vector *)(const void *)(tile + u * length + (size_t)turn[u] + q - LONG);
    for (size_t x = 0; x + LONG < q; x += 2 * LONG) {
        vector *const to = (vector *)(void *)(row + x);
        const size_t next = x + 2 * LONG < q ? LONG : 0;
        vector sum0 = to[0], sum1 = *(vector *)(void *)(row + x + next);
        for (size_t u = 0; u < rows; u++) {
            const CELL *const turned = tile + u * length + (size_t)turn[u] + x;
            sum0 += *(const vector *)(const void *)turned;
            sum1 += *(const vector *)(const void *)(turned + next);
        }
        to[0] = sum0;
        *(vector *)(void *)(row + x + next) = sum1;
    }
    *end = last;
}

/* The digit of weight w in a[plane][s], q a prime. A row over s is stored twice, one copy after the other, so that it
 * can be rotated by any number: tile[u][s]. Some rows at a time, which stay in the first-level cache. */
LDP_INLINE void NAME(digit_by_rows)(size_t q, CELL *tile, size_t plane, size_t w, CELL *a)
{
    const size_t length = 2 * q + LANES, fit = CACHED / (length * sizeof *tile), block = fit > 1 ? fit : 1;
    int32_t turn[CACHED / ((2 * ROWS_MIN + LANES) * sizeof(CELL))]; /* at least as many as rows of a block */
    for (size_t u = 0; u < q; u++)                                  /* read, but not used */
        memset(tile + u * length + 2 * q, 0, LANES * sizeof *tile);
    for (size_t position = 0; position < plane / q; position++) {
        CELL *const base = a + (position / w * w * q + position % w) * q;
        for (size_t u = 0; u < q; u++) {
            memcpy(tile + u * length, base + u * w * q, q * sizeof *tile);
            memcpy(tile + u * length + q, base + u * w * q, q * sizeof *tile);
            memset(base + u * w * q, 0, q * sizeof *tile);
        }
        for (size_t first = 0; first < q; first += block) {
            const size_t rows = least(block, q - first);
            memset(turn, 0, rows * sizeof *turn);
            for (size_t v = 0; v < q; v++) {
                NAME(add_turned)(q, rows, length, tile + first * length, turn, base + v * w * q);
                for (size_t i = 0; i < rows; i++) { /* -u v */
                    turn[i] -= (int32_t)(first + i);
                    turn[i] += turn[i] >> 31 & (int32_t)q;
                }
            }
        }
    }
}

LDP_VECTORS(void, NAME(digit_by_rows), (size_t q, CELL *tile, size_t plane, size_t w, CELL *a),
            NAME(digit_by_rows)(q, tile, plane, w, a))
LDP_VECTORS(void, NAME(digit_by_lanes), (const struct ldp_lines *lines, size_t plane, size_t w, CELL *a),
            NAME(digit_by_lanes)(lines, plane, w, a))

void NAME(ldp_lines_sum)(const struct ldp_lines *lines, unsigned k, CELL *in, CELL *out)
{
    const size_t q = lines->field->q;
    size_t plane = 1;
    for (unsigned j = 0; j < k; j++)
        plane *= q;
    if (by_rows(lines->field)) {
        NAME(transpose)(in, q, plane, out);
        for (size_t w = 1; w < plane; w *= q)
            BEST(NAME(digit_by_rows))(q, lines->tile, plane, w, out);
        return;
    }
    if (k == 1)
        NAME(single_digit)(lines, in);
    else
        for (size_t w = 1; w < plane; w *= q)
            BEST(NAME(digit_by_lanes))(lines, plane, w, in);
    NAME(transpose)(in, q, plane, out);
}

#undef CELL
#undef NAME

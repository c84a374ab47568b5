/* projective_sums.h - the sums of projective.c for one width of cells; projective.c includes it for 32 and 64 bits.
 * CELL is the type of a cell, NAME(f) the function f for that width. */

/* Class i of the histogram a in the order of the sums. Reversing digits transposes the planes of the first and the last
 * digit, one block at a time. */
static void NAME(take_class)(const struct ldp_projective *space, unsigned i, enum ldp_projective_order order,
                             const uint64_t *a, CELL *class)
{
    const unsigned digits = space->t - 1 - i;
    const size_t q = space->field.q, count = (size_t)space->power[digits], top = count / q;
    const uint64_t *const from = a + space->K[digits];
    if (digits < 2 || order == LDP_REVERSED) {
        for (size_t y = 0; y < count; y++)
            class[y] = (CELL)from[y];
        return;
    }
    struct odometer middle = {0};
    for (size_t m = 0; m < top; m += q) {
        for (size_t first = 0; first < q; first += BLOCK)
            for (size_t last = 0; last < q; last += BLOCK)
                for (size_t i1 = first; i1 < q && i1 < first + BLOCK; i1++)
                    for (size_t i2 = last; i2 < q && i2 < last + BLOCK; i2++)
                        class[i2 * top + middle.at * q + i1] = (CELL)from[i1 * top + m + i2];
        turn(space, digits - 2, &middle);
    }
}

/* The q planes of class[q][plane] added up to sum[plane]. */
static void NAME(fold)(size_t q, size_t plane, const CELL *restrict class, CELL *restrict sum)
{
    memcpy(sum, class, plane * sizeof *sum);
    for (size_t s = 1; s < q; s++)
        for (size_t j = 0; j < plane; j++)
            sum[j] += class[s * plane + j];
}

/* sums[plane] become sums[plane][q]: each is spread over v_i, R_ir[..][-v_i] added. */
static void NAME(spread)(const struct ldp_projective *space, size_t plane, const CELL *lines, CELL *sums)
{
    const struct ldp_field *const field = &space->field;
    const size_t q = field->q;
    uint16_t negative[LDP_FIELD_PRIME_MAX];
    for (uint32_t v = 0; v < q; v++)
        negative[v] = (uint16_t)ldp_field_negate(field, v);
    for (size_t j = plane; j-- > 0;) {
        const CELL base = sums[j];
        for (size_t v = q; v-- > 0;)
            sums[j * q + v] = base + lines[j * q + negative[v]];
    }
}

static void NAME(sum)(const struct ldp_projective *space, enum ldp_projective_order order, void *work, uint64_t *a)
{
    const unsigned t = space->t;
    const size_t q = space->field.q, K = (size_t)space->K[t], largest = (size_t)space->power[t - 1];
    struct ldp_lines lines;
    CELL *const sums = ldp_lines_init(has_lines(space), &lines, &space->field, work), *const out = sums + K,
                *const large = out + largest, *const small = large + largest;
    uint64_t always = 0; /* reports y < K_(t-1-r) */
    for (unsigned r = t; r-- > 0;) {
        for (uint64_t y = r < t - 1 ? space->K[t - 2 - r] : 0; y < space->K[t - 1 - r]; y++)
            always += a[y];
        sums[space->K[r]] = (CELL)always;
    }
    for (unsigned i = t - 1; i-- > 0;) {
        CELL *class = large, *folded = small;
        NAME(take_class)(space, i, order, a, class);
        for (unsigned r = t - 1; r > i; r--) {
            const unsigned k = r - 1 - i;
            const size_t plane = (size_t)space->power[k];
            NAME(fold)(q, plane, class, folded);
            NAME(ldp_lines_sum)(&lines, k, class, out);
            NAME(spread)(space, plane, out, sums + space->K[r]);
            CELL *const spare = class;
            class = folded;
            folded = spare;
        }
    }
    for (size_t x = 0; x < K; x++)
        a[x] = sums[x];
}

#undef CELL
#undef NAME

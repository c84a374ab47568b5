/* decode.c - from the r c cells of a sketch to the counts of d values (sketch.h).
 *
 * mean     sum_j e_j, e_j = (g_j(x)) cell[j][h_j(x)]
 * median   r times the median of the e_j; for even r the mean of the middle two (median.c)
 * min      r times the least of the e_j
 * nnls     nnls.c; amp: amp.c
 *
 * Cost: r d hashes and look-ups. */
#include "sketches/sketch.h"

#include <assert.h>

/* GROUP: rows whose hashes are computed together. SPAN: values whose sums stay in the second-level cache. */
enum { GROUP = 2, BLOCK = LDP_HASH_BLOCK, SPAN = 32 * BLOCK, LANES = LDP_MEDIAN_LANES };

/* Hashes of a block of values in a group of rows. */
struct residues {
    uint32_t cell[GROUP * BLOCK], sign[GROUP * BLOCK];
};

static const double sign_of[2] = {1, -1};

/* e_j of a block of values. */
static void terms_of(const struct ldp_sketch_shape *shape, const uint32_t *cell, const uint32_t *sign, size_t m,
                     const double *cells, double *term)
{
    for (size_t i = 0; i < m; i++)
        term[i] = cells[cell[i]];
    if (shape->signs == LDP_SIGNS_FREE)
        for (size_t i = 0; i < m; i++)
            term[i] *= sign_of[sign[i]];
    if (shape->signs == LDP_SIGNS_PARITY)
        for (size_t i = 0; i < m; i++)
            term[i] *= sign_of[cell[i] % 2];
}

static bool is_negative(const struct ldp_sketch_shape *shape, uint32_t cell, uint32_t sign)
{
    return shape->signs == LDP_SIGNS_FREE ? sign : shape->signs == LDP_SIGNS_PARITY && cell % 2;
}

/* The leading bits of the keys of the terms of a group of rows, keys[strip][stride]: those of row j from j LANES on.
 * Entries after m are filled too, up to a whole strip. */
static void keys_of(const struct ldp_sketch_shape *shape, const struct residues *residues, size_t row, size_t rows,
                    size_t m, const int16_t *keys_of_cells, int16_t *keys)
{
    const size_t c = (size_t)shape->columns, stride = ldp_medians_stride(shape->rows);
    for (size_t i = 0; i < m; i += LANES)
        for (size_t j = 0; j < rows; j++) {
            const uint32_t *const cell = residues->cell + j * BLOCK + i, *const sign = residues->sign + j * BLOCK + i;
            const int16_t *const of_row = keys_of_cells + (row + j) * c;
            int16_t *const strip = keys + i / LANES * stride + (row + j) * LANES;
            for (size_t l = 0; l < LANES; l++)
                strip[l] = (int16_t)(of_row[cell[l]] ^ -is_negative(shape, cell[l], sign[l]));
        }
}

/* Scratch of the streaming decoders: hashes of a group of rows, the terms of one row; for medians the keys of all cells
 * and, in `room`, of all terms of a block. */
struct work {
    struct residues *residues;
    double *term; /* [BLOCK] */
    double *out;  /* [BLOCK] */
    struct ldp_medians medians;
    size_t ncells, bytes;
};

static struct work work_in(const struct ldp_sketch_shape *shape, void *scratch)
{
    const size_t r = (size_t)shape->rows, ncells = r * (size_t)shape->columns,
                 keys = BLOCK / LANES * ldp_medians_stride(r) * sizeof(int16_t);
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.residues = ldp_take(&arena, sizeof *work.residues), .ncells = ncells};
    work.term = ldp_take(&arena, BLOCK * sizeof *work.term);
    work.out = ldp_take(&arena, BLOCK * sizeof *work.out);
    if (shape->decode == LDP_DECODE_MEDIAN)
        work.medians = ldp_medians_in(ncells, keys, &arena);
    work.bytes = arena.bytes;
    return work;
}

/* Adds the terms of a group of rows, or takes their least, in order of rows; cells are those of the first row. */
static void add_rows(const struct ldp_sketch_shape *shape, const double *cells, size_t rows, size_t m,
                     const struct work *work, double *out)
{
    for (size_t j = 0; j < rows; j++) {
        const size_t at = j * BLOCK;
        terms_of(shape, work->residues->cell + at, work->residues->sign + at, m, cells + j * shape->columns,
                 work->term);
        if (shape->decode == LDP_DECODE_MIN)
            for (size_t i = 0; i < m; i++)
                out[i] = work->term[i] < out[i] ? work->term[i] : out[i];
        else
            for (size_t i = 0; i < m; i++)
                out[i] += work->term[i];
    }
}

/* Sums or least terms of the values v .. v + m - 1, m <= SPAN: a group of rows at a time, so that a sketch that does
 * not fit into the caches is read once for all of them. */
static void decode_span(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t v, size_t m,
                        const struct work *work, double *out)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    assert(out);
    for (size_t i = 0; i < m; i++)
        out[i] = shape->decode == LDP_DECODE_MIN ? INFINITY : 0;
    for (size_t j = 0; j < r; j += GROUP) {
        const size_t rows = r - j < GROUP ? r - j : GROUP;
        for (size_t i = 0; i < m; i += BLOCK) {
            const size_t size = m - i < BLOCK ? m - i : BLOCK;
            ldp_sketch_hash_rows(shape, family, j, rows, v + i, size, work->residues->cell, work->residues->sign);
            add_rows(shape, cells + j * c, rows, size, work, out + i);
        }
    }
    for (size_t i = 0; shape->decode == LDP_DECODE_MIN && i < m; i++)
        out[i] *= (double)r;
}

/* A strip of values. */
struct strip {
    const struct ldp_sketch_shape *shape;
    const int32_t *keys; /* of all cells */
    uint64_t family;
    size_t first;
};

static void whole_keys(const void *context, const uint32_t *rows, const uint32_t *lanes, size_t m, int32_t *keys)
{
    const struct strip *const strip = context;
    uint32_t values[LDP_MEDIAN_TERMS] = {0}, cells[LDP_MEDIAN_TERMS];
    bool negative[LDP_MEDIAN_TERMS];
    for (size_t i = 0; i < m; i++)
        values[i] = (uint32_t)strip->first + lanes[i];
    ldp_sketch_hash(strip->shape, strip->family, values, m, rows, cells, negative);
    for (size_t i = 0; i < m; i++)
        keys[i] = strip->keys[rows[i] * strip->shape->columns + cells[i]] ^ -(int32_t)negative[i];
}

/* Medians of the values v .. v + m - 1, m <= BLOCK. */
static void decode_medians(const struct ldp_sketch_shape *shape, uint64_t family, size_t v, size_t m,
                           const struct work *work, double *out)
{
    const size_t r = (size_t)shape->rows, stride = ldp_medians_stride(r);
    assert(out);
    for (size_t j = 0; j < r; j += GROUP) {
        const size_t rows = r - j < GROUP ? r - j : GROUP;
        ldp_sketch_hash_rows(shape, family, j, rows, v, m, work->residues->cell, work->residues->sign);
        keys_of(shape, work->residues, j, rows, m, work->medians.leading, work->medians.room);
    }
    for (size_t i = 0; i < m; i += LANES) {
        const struct strip strip = {shape, work->medians.keys, family, v + i};
        double middle[LANES];
        ldp_medians(&work->medians, (const int16_t *)work->medians.room + i / LANES * stride, r, whole_keys, &strip,
                    middle);
        for (size_t l = 0; l < LANES && i + l < m; l++)
            out[i + l] = (double)r * middle[l];
    }
}

/* The values v .. v + m - 1; v is a multiple of BLOCK. */
static void decode(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t v, size_t m,
                   const struct work *work, double *out)
{
    const bool medians = shape->decode == LDP_DECODE_MEDIAN;
    const size_t most = medians ? BLOCK : SPAN;
    for (size_t i = 0; i < m; i += most) {
        const size_t size = m - i < most ? m - i : most;
        if (medians)
            decode_medians(shape, family, v + i, size, work, out + i);
        else
            decode_span(shape, family, cells, v + i, size, work, out + i);
    }
}

size_t ldp_decode_bytes(const struct ldp_sketch_shape *shape, size_t d)
{
    switch (shape->decode) {
    case LDP_DECODE_NNLS: return ldp_nnls_bytes(shape, d);
    case LDP_DECODE_AMP: return ldp_amp_bytes(shape, d);
    case LDP_DECODE_MEAN:
    case LDP_DECODE_MEDIAN:
    case LDP_DECODE_MIN: break;
    }
    return work_in(shape, NULL).bytes;
}

void ldp_decode(const struct ldp_sketch_shape *shape, uint64_t family, double *cells, size_t d, void *scratch,
                double *counts)
{
    if (shape->decode == LDP_DECODE_NNLS) {
        ldp_nnls(shape, family, cells, d, scratch, counts);
        return;
    }
    const struct work work = work_in(shape, scratch);
    if (shape->decode == LDP_DECODE_MEDIAN)
        ldp_medians_rank(&work.medians, cells, work.ncells);
    decode(shape, family, cells, 0, d, &work, counts);
}

const double *ldp_sketch_cells(const void *scratch)
{
    return scratch;
}

/* ---- Single values, and cells ---- */

/* Arranges x so that x[rank] is the number of that rank and no number before it is larger, none after it smaller. */
static void arrange(double *x, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (x[i] < pivot)
                i++;
            while (pivot < x[j])
                j--;
            if (i >= j)
                break;
            const double swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        /* No number up to j is above the pivot, none from j + 1 on below it. */
        if (rank <= j)
            high = j;
        else
            low = j + 1;
    }
}

double ldp_middle(double *x, size_t count)
{
    arrange(x, count, count / 2);
    double below = -INFINITY;
    for (size_t i = 0; i < count / 2; i++)
        below = x[i] > below ? x[i] : below;
    return count % 2 ? x[count / 2] : (below + x[count / 2]) / 2;
}

double ldp_sketch_count_of(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t value,
                           double *terms)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    uint32_t values[LDP_SKETCH_CHUNK], rows[LDP_SKETCH_CHUNK], at[LDP_SKETCH_CHUNK];
    bool negative[LDP_SKETCH_CHUNK];
    for (size_t j = 0; j < r; j += LDP_SKETCH_CHUNK) {
        const size_t m = r - j < LDP_SKETCH_CHUNK ? r - j : LDP_SKETCH_CHUNK;
        for (size_t i = 0; i < m; i++) {
            values[i] = (uint32_t)value;
            rows[i] = (uint32_t)(j + i);
        }
        ldp_sketch_hash(shape, family, values, m, rows, at, negative);
        for (size_t i = 0; i < m; i++)
            terms[j + i] = cells[(j + i) * c + at[i]];
    }
    if (shape->decode == LDP_DECODE_MEDIAN)
        return (double)r * ldp_middle(terms, r) + 0.0; /* no negative zero */
    double sum = 0;
    for (size_t j = 0; j < r; j++)
        sum += terms[j];
    return sum;
}

double ldp_cells_quantile(const double *cells, size_t count, double share, double *sample)
{
    const size_t stride = count / LDP_CELLS_SAMPLE | 1,
                 size = count / stride < LDP_CELLS_SAMPLE ? count / stride : LDP_CELLS_SAMPLE;
    for (size_t i = 0; i < size; i++)
        sample[i] = cells[i * stride];
    const size_t rank = (size_t)(share * (double)size);
    arrange(sample, size, rank < size ? rank : size - 1);
    return sample[rank < size ? rank : size - 1];
}

/* ---- Values with zero frequency ---- */

/* One block of values beyond the domain. */
static void decode_beyond(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells,
                          const struct work *work)
{
    decode(shape, family, cells, ((size_t)1 << 32) - BLOCK, BLOCK, work, work->out);
}

bool ldp_decode_is_centred(const struct ldp_sketch_shape *shape)
{
    return shape->debias && shape->signs == LDP_SIGNS_NONE &&
           (shape->decode == LDP_DECODE_MEDIAN || shape->decode == LDP_DECODE_MIN);
}

double ldp_decode_centre(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, bool decoded,
                         void *scratch)
{
    const struct work work = work_in(shape, scratch);
    assert(work.out);
    if (shape->decode == LDP_DECODE_MEDIAN && !decoded)
        ldp_medians_rank(&work.medians, cells, work.ncells);
    decode_beyond(shape, family, cells, &work);
    double mean = 0;
    for (size_t i = 0; i < BLOCK; i++)
        mean += work.out[i] / BLOCK;
    return mean;
}

/* A sum of one random cell of each row: its variance has a closed form. */
static double variance_of_sum(const struct ldp_sketch_shape *shape, const double *cells, const double *loads)
{
    const size_t r = (size_t)shape->rows, c = ldp_sketch_symbols(shape);
    double variance = 0;
    for (size_t j = 0; j < r; j++) {
        const double load = loads ? loads[j] / (double)c : 0;
        double squares = 0;
        for (size_t x = 0; x < c; x++)
            squares += (cells[j * c + x] - load) * (cells[j * c + x] - load);
        variance += squares / (double)c;
    }
    return variance;
}

/* Other decoders decode one block of values beyond the domain, unless they have for the centre. */
static double variance_beyond(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells,
                              const struct work *work)
{
    double mean = 0, squares = 0;
    assert(work->out);
    if (!ldp_decode_is_centred(shape))
        decode_beyond(shape, family, cells, work);
    for (size_t i = 0; i < BLOCK; i++)
        mean += work->out[i] / BLOCK;
    for (size_t i = 0; i < BLOCK; i++)
        squares += (work->out[i] - mean) * (work->out[i] - mean);
    return squares / (BLOCK - 1);
}

double ldp_decode_noise(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, const double *loads,
                        size_t d, void *scratch)
{
    switch (shape->decode) {
    case LDP_DECODE_AMP:
        if (ldp_amp_found(scratch).converged)
            return ldp_amp_found(scratch).variance;
        return variance_of_sum(shape, cells, NULL);
    case LDP_DECODE_MEAN: return variance_of_sum(shape, cells, loads);
    case LDP_DECODE_NNLS: return variance_of_sum(shape, cells, NULL); /* of a step from 0, before its bound */
    case LDP_DECODE_MEDIAN:
    case LDP_DECODE_MIN: break;
    }
    const struct work work = work_in(shape, scratch);
    return variance_beyond(shape, family, cells, &work);
}

/* ---- What to know before it is used ---- */

enum ldp_remark ldp_sketch_remark(const struct ldp_protocol *protocol, uint64_t n, struct ldp_reason *reason)
{
    static const double many = 3e7; /* a second or so */
    const struct ldp_sketch_shape shape = ldp_sketch_of(protocol).shape;
    const double cells = (double)shape.rows * (double)protocol->d;
    const bool amp = shape.decode == LDP_DECODE_AMP;
    if (shape.signs == LDP_SIGNS_PARITY) {
        ldp_refuse(reason, "signs \"parity\" is a mistake of published code, for comparison with it: values that "
                           "share a cell have the same sign, so collisions never cancel");
        return LDP_NOTE;
    }
    if (amp && shape.rows < LDP_AMP_ROWS) {
        ldp_refuse(reason, "decode amp seldom converges with fewer than %d rows: nnls then answers, without intervals",
                   LDP_AMP_ROWS);
        return LDP_NOTE;
    }
    if ((shape.decode != LDP_DECODE_NNLS && !amp) || cells < many)
        return LDP_FIT;
    ldp_refuse(reason, "decode %s is slow here: each of its iterations visits rows x d = %.2g numbers",
               ldp_sketch_decoders[shape.decode], cells);
    return LDP_NOTE;
}

/* count_sketch.c - the Count sketch over any oracle (sketch.h has the protocol).
 *
 * A second function g_j gives each value a sign, independent of its cell, so that values that share a cell cancel. A
 * row oracle whose reports can be negated (hm) reports the cell, negated if the sign is -1; any other reports one of 2
 * c symbols, cell and sign. With V_j[x] the content of a cell, positive minus negative,
 *
 *     mean      F_x = sum_j g_j(x) V_j[h_j(x)]
 *     median    F_x = r median_j g_j(x) V_j[h_j(x)]
 *     nnls      the counts >= 0 whose symbols are nearest to all that the rows tell of (nnls.c)
 *     amp       message passing (sketch_amp.c)
 *
 * Of 2 c symbols nnls and amp take each, and not only the difference of two: the users of both signs of a cell are
 * known, as those of 2 c cells of count_min are, with the noise of one symbol in place of two.
 *
 * The mean is unbiased without any correction. With s1 and tf of the row oracle, over 2 c symbols,
 *
 *     Var(F_x) = 2 n s1 + tf (n_x + (n - n_x)/c) + 1/c sum_{y != x} (n_y (1 - 1/r) + n_y^2 / r) - 2 sum_j Cov_j
 *
 * Cov_j is the covariance of the estimates of the two symbols of the cell, if the row oracle states one; of hr it
 * depends on the symbols, and the variance here is without it. Negated reports have n s1 in place of 2 n s1, and no
 * covariance. flh adds a term for its functions (sketch.c).
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 4; Charikar, Chen, Farach-Colton, ICALP 2002. The published code
 * takes cell and sign from one hash: the sign is the parity of the cell, so values that share a cell share their sign
 * and nothing cancels. It corrects the mean like that of count_min, which is unbiased then; its variance is in
 * sketch.c. signs "parity" does the same, to show its effect on the paper's figures. */
#include "sketches/sketch.h"

static const char *const signs[] = {"free", "parity", NULL};

enum { ROWS, COLUMNS, DECODE, SIGNS, HASHES };

static const struct ldp_param params[] = {
    [ROWS] = LDP_SKETCH_ROWS(32),
    [COLUMNS] = LDP_SKETCH_COLUMNS_OR_AUTO(1024),
    [DECODE] = LDP_SKETCH_DECODE,
    [SIGNS] = LDP_PARAM_CHOICE(
        "signs", signs, 0, 1,
        "free: independent of the cells; parity: sign taken from the cell's parity, a published bug, for "
        "comparison: collisions never cancel"),
    [HASHES] = LDP_SKETCH_HASHES,
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double *const param = spec->param;
    const bool parity = param[SIGNS] == 1;
    const struct ldp_sketch_shape shape = {
        .rows = (uint64_t)param[ROWS],
        .columns = (uint64_t)param[COLUMNS],
        .signs = parity ? LDP_SIGNS_PARITY : LDP_SIGNS_FREE,
        .decode = (enum ldp_sketch_decode)param[DECODE],
        .debias = parity && param[DECODE] == LDP_DECODE_MEAN,
        .fixed = param[HASHES] == 1,
    };
    if (parity && (shape.decode == LDP_DECODE_NNLS || shape.decode == LDP_DECODE_AMP))
        return ldp_refuse(reason,
                          "signs = parity: expected decode mean, median or min, as in the published code, got %s",
                          ldp_sketch_decoders[shape.decode]);
    if (2 * shape.columns > LDP_HASH_G_MAX)
        return ldp_refuse(reason, "columns = %.10g: expected at most %u, as a cell has two symbols", param[COLUMNS],
                          LDP_HASH_G_MAX / 2);
    return ldp_sketch_configure(protocol, &shape, spec->inner, reason);
}

const struct ldp_oracle ldp_oracle_count_sketch = {
    .name = "count_sketch",
    .title = "Count sketch over another oracle",
    .source = "PVLDB 2021, sec. 4",
    .flags = LDP_ORACLE_SKETCH,
    .params = params,
    .decoding = (const char *const[]){"decode", NULL},
    .inner = "row_oracle",
    .configure = configure,
    LDP_SKETCH_ENTRIES,
};

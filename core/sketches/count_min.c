/* count_min.c - the Count-Min sketch over any oracle (sketch.h has the protocol).
 *
 * e_j is the row oracle's estimate of the users of row j in the cell of x, F_x the decoder's result:
 *
 *     mean      (c/(c-1)) (sum_j e_j - n/c)
 *     median    (c/(c-1)) (r median_j e_j - m)
 *     min       (c/(c-1)) (r min_j e_j - m)
 *     nnls      the counts >= 0 whose cells are nearest to all r c cells (nnls.c)
 *     amp       message passing: as if the row oracle ran over the whole domain, with more noise (amp.c)
 *
 * n/c is the average contribution of values that share a cell with x; m is what the decoder makes of the cells of a
 * value with zero frequency, the mean over 2,048 of them: n/c is that mean for the mean decoder only, and would leave a
 * common shift. With debias false neither is subtracted. Over random functions the mean is unbiased, and with s1 and tf
 * of the row oracle
 *
 *     Var(F_x) = (c/(c-1))^2 (n s1 + tf (n_x + (n - n_x)/c)) + 1/(c-1) sum_{y != x} (n_y (1 - 1/r) + n_y^2 / r)
 *
 * The others are biased, by much less than their noise: a value's own users are spread unevenly over its cells; nnls by
 * its bound.
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 4, whose code corrects the mean only; the variance and nnls are
 * ours. Any row oracle is used unchanged: client, server, simulation by counts, estimate. Cost: sketch.c, decode.c. */
#include "sketches/sketch.h"

enum { ROWS, COLUMNS, DECODE, DEBIAS, HASHES };

static const struct ldp_param params[] = {
    [ROWS] = LDP_SKETCH_ROWS(32),
    [COLUMNS] = LDP_SKETCH_COLUMNS_OR_AUTO(1024),
    [DECODE] = LDP_SKETCH_DECODE,
    [DEBIAS] = LDP_PARAM_FLAG(
        "debias", true,
        "subtract the expected contribution of colliding values, as nnls always does; the mean is biased "
        "otherwise"),
    [HASHES] = LDP_SKETCH_HASHES,
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double *const param = spec->param;
    const struct ldp_sketch_shape shape = {
        .rows = (uint64_t)param[ROWS],
        .columns = (uint64_t)param[COLUMNS],
        .decode = (enum ldp_sketch_decode)param[DECODE],
        .debias = param[DEBIAS] == 1,
        .fixed = param[HASHES] == 1,
    };
    return ldp_sketch_configure(protocol, &shape, spec->inner, reason);
}

const struct ldp_oracle ldp_oracle_count_min = {
    .name = "count_min",
    .title = "Count-Min sketch over another oracle",
    .source = "PVLDB 2021, sec. 4",
    .flags = LDP_ORACLE_SKETCH,
    .params = params,
    .decoding = (const char *const[]){"decode", "debias", NULL},
    .inner = "row_oracle",
    .configure = configure,
    LDP_SKETCH_ENTRIES,
};

/* hcms.c - Apple's private Hadamard count mean sketch.
 *
 * Row j uniform, index l uniform below c; the report is the sign H[h_j(v)][l], flipped with probability 1/(e + 1), e =
 * exp(epsilon). The server scales by (e+1)/(e-1), transforms each row and takes the mean: count_min with rows of hm, t
 * = 1. A report is one bit, with row and index.
 *
 * Source: Differential Privacy Team, Apple, Learning with privacy at scale, 2017; PVLDB 2021, sec. 4. The matrix has
 * the order c, a power of two. A fast transform costs r c log c in place of r c^2. The defaults are Apple's. */
#include "sketches/sketch.h"

#include <inttypes.h>

enum { ROWS, COLUMNS, DECODE, HASHES }; /* the last one is part of what decides streams */

static const struct ldp_param params[] = {
    [ROWS] = LDP_SKETCH_ROWS(1024),
    [COLUMNS] = LDP_PARAM_POWER_OF_TWO("columns", 2048, 2, LDP_HASH_G_MAX, "cells of a row, a power of two"),
    [DECODE] = LDP_SKETCH_MEAN_OR_AMP,
    [HASHES] = LDP_SKETCH_HASHES,
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const struct ldp_oracle_spec row = {.oracle = ldp_oracle_find("hm"), .param = {1}};
    const struct ldp_sketch_shape shape = {.rows = (uint64_t)spec->param[ROWS],
                                           .columns = (uint64_t)spec->param[COLUMNS],
                                           .decode = spec->param[DECODE] == 1 ? LDP_DECODE_AMP : LDP_DECODE_MEAN,
                                           .debias = true,
                                           .fixed = spec->param[HASHES] == 1};
    if (shape.columns & (shape.columns - 1))
        return ldp_refuse(reason, "columns = %" PRIu64 ": expected a power of two, the order of a Hadamard matrix",
                          shape.columns);
    return ldp_sketch_configure(protocol, &shape, &row, reason);
}

const struct ldp_oracle ldp_oracle_hcms = {
    .name = "hcms",
    .title = "Hadamard count mean sketch, one coefficient",
    .source = "Apple, 2017; PVLDB 2021, sec. 4",
    .flags = LDP_ORACLE_SKETCH,
    .params = params,
    .decoding = (const char *const[]){"decode", NULL},
    .configure = configure,
    LDP_SKETCH_ENTRIES,
};

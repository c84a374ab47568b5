/* cms.c - Apple's private count mean sketch.
 *
 * Row j uniform; the one-hot vector of the cell h_j(v), each entry flipped with probability 1/(1 + e^(epsilon/2)):
 * symmetric unary encoding. The server debiases the cells and takes the mean: count_min with rows of sue. Its published
 * M[j] += r (c_e/2 w + 1/2), F_x = (c/(c-1)) (1/r sum_j M[j][h_j(x)] - n/c) is the same in another notation.
 *
 * design = optimised: an unlimited number of rows, and the best number of columns. Each user draws a separate function
 * from the linear functions over a field of about e^epsilon + 1 elements, which are pairwise independent, and reports
 * the cell by randomised response. This is pi_rappor. The parameters rows, columns, hashes and decode are then refused;
 * a report has the bits of a value and of a cell.
 *
 * Its mean and variance are derived here, as only the abstract of arXiv 2406.03785 was available. A report (h, y)
 * supports x if y = h(x), and y is the user's own cell h(v) with probability p, else uniform among the other c - 1. For
 * v != x, h(v) = h(x) with probability 1/c, so x is supported with
 *
 *     1/c p + (1 - 1/c) (1 - p)/(c - 1) = 1/c.
 *
 * With the support S_x, F_x = (S_x - n/c)/(p - 1/c) is unbiased. Users draw their functions independently, so that
 *
 *     Var(F_x) = (n_x p (1 - p) + (n - n_x) 1/c (1 - 1/c)) / (p - 1/c)^2
 *
 * has no term for collisions of two users, as the variance of count_min has. Only pairs of values enter, so pairwise
 * independence is enough; p = e/(e + c - 1) makes the term of n least at c = e + 1, e = exp(epsilon), as for olh.
 *
 * Source: Differential Privacy Team, Apple, Learning with privacy at scale, 2017; PVLDB 2021, sec. 4, which writes OUE
 * where its code has these probabilities. The defaults are Apple's. Optimised: Pan, arXiv 2406.03785, 2024. */
#include "sketches/sketch.h"

enum { ROWS, COLUMNS, HASHES, DECODE, DESIGN }; /* the last one is part of what decides streams */

static const char *const designs[] = {"apple", "optimised", NULL};

static const struct ldp_param params[] = {
    [ROWS] = LDP_SKETCH_ROWS(1024),
    [COLUMNS] = LDP_SKETCH_COLUMNS_OR_AUTO(2048),
    [HASHES] = LDP_SKETCH_HASHES,
    [DECODE] = LDP_SKETCH_MEAN_OR_AMP,
    [DESIGN] = LDP_PARAM_CHOICE(
        "design", designs, 0, 1,
        "rows and columns as above, or a function of its own for each user, pairwise independent, and as "
        "many columns as give the lowest variance"),
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const struct ldp_oracle_spec optimised = ldp_spec_default("pi_rappor");
    for (size_t i = ROWS; spec->param[DESIGN] == 1 && i < DESIGN; i++)
        if (spec->param[i] != params[i].fallback)
            return ldp_refuse(reason, "design = optimised: expected no %s, as it has its own", params[i].name);
    if (spec->param[DESIGN] == 1)
        return ldp_protocol_become(protocol, &optimised, reason);
    const struct ldp_oracle_spec row = {.oracle = ldp_oracle_find("sue")};
    const struct ldp_sketch_shape shape = {.rows = (uint64_t)spec->param[ROWS],
                                           .columns = (uint64_t)spec->param[COLUMNS],
                                           .decode = spec->param[DECODE] == 1 ? LDP_DECODE_AMP : LDP_DECODE_MEAN,
                                           .debias = true,
                                           .fixed = spec->param[HASHES] == 1};
    return ldp_sketch_configure(protocol, &shape, &row, reason);
}

const struct ldp_oracle ldp_oracle_cms = {
    .name = "cms",
    .title = "Count mean sketch, rows of sue",
    .source = "Apple, 2017; PVLDB 2021, sec. 4; optimised: arXiv 2406.03785",
    .flags = LDP_ORACLE_SKETCH,
    .params = params,
    .decoding = (const char *const[]){"decode", NULL},
    .configure = configure,
    LDP_SKETCH_ENTRIES,
};

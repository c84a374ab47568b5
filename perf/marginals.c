/* marginals.c - repetitions of synopses by counts, and consistency alone: section marginals. */
#include "bench.h"
#include "marginals/survey.h"
#include "marginals/synopsis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chain of d binary attributes, each a copy of its neighbour half of the time. */
static struct ldp_records *make_records(size_t d, uint64_t n)
{
    uint32_t *const values = bench_alloc(n * d * sizeof *values);
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];
    struct ldp_records *records = NULL;
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 1, "marginals", d);
    for (size_t i = 0; i < n * d; i++)
        values[i] = i % d > 0 && ldp_rng_below(&rng, 2) ? values[i - 1] : ldp_rng_below(&rng, 3) == 0;
    for (size_t i = 0; i < d; i++)
        cardinality[i] = 2;
    if (ldp_records_new(cardinality, d, values, NULL, n, &records) != LDP_OK)
        abort();
    free(values);
    return records;
}

struct repetition {
    const struct ldp_synopsis *synopsis;
    void *state;
    double *answer;
    struct ldp_rng rng;
};

static void repeat(void *context)
{
    struct repetition *const r = context;

    if (r->synopsis->collect(r->state, &r->rng, false) != LDP_OK)
        abort();
    r->synopsis->answer(r->state, LDP_NOISY, r->answer);
}

/* 50 marginals of 3 attributes and 50 of 6, epsilon = 1. */
static void bench_synopses(struct bench *bench, size_t d, uint64_t n)
{
    enum { EACH = 50 };
    struct ldp_records *const records = make_records(d, n);
    struct ldp_set sets[2 * EACH];
    size_t first[2 * EACH + 1] = {0};
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("adaptive")};

    if (ldp_design_cover(records->cardinality, d, 3, EACH, sets) != LDP_OK ||
        ldp_design_cover(records->cardinality, d, 6, EACH, sets + EACH) != LDP_OK)
        abort();
    for (size_t i = 0; i < 2 * EACH; i++)
        first[i + 1] = first[i] + ((size_t)1 << sets[i].size);
    const struct ldp_workload workload = {records, &oracle, 1, LDP_COUNTS, sets, 2 * EACH, first, NULL};

    for (size_t s = 0; ldp_synopses[s]; s++) {
        struct ldp_synopsis_spec spec = {.synopsis = ldp_synopses[s]};
        struct repetition r = {.synopsis = ldp_synopses[s]};

        ldp_params_default(spec.synopsis->params, spec.param);
        struct ldp_reason reason;
        if (spec.synopsis->is_slow || ldp_synopsis_open(&spec, &workload, &r.state, &reason) != LDP_OK)
            continue;
        r.answer = bench_alloc(first[2 * EACH] * sizeof *r.answer);
        ldp_rng_stream(&r.rng, 1, "repetition", s);
        char name[sizeof bench->rows->name];
        snprintf(name, sizeof name, "%s counts", spec.synopsis->name);
        bench_add(bench, "marginals", name, d, n, "s", bench_median(bench, repeat, &r));
        ldp_synopsis_close(r.state);
        free(r.answer);
    }
    ldp_records_free(records);
}

struct consistency {
    uint32_t cardinality[32];
    struct ldp_given_table table[200];
    struct ldp_set set;
    size_t first[2];
    double *cells, answer[2];
    bool nonnegative;
};

static void make_consistent(void *context)
{
    struct consistency *const c = context;

    if (ldp_marginals_of_tables(c->cardinality, 32, c->table, 200, c->nonnegative, &c->set, 1, c->first, c->answer) !=
        LDP_OK)
        abort();
}

/* 200 tables of 8 of 32 binary attributes, of uniform users and so much noise that many cells are negative. */
static void bench_consistency(struct bench *bench)
{
    struct consistency *const c = bench_alloc(sizeof *c);
    struct ldp_set set[200];

    *c = (struct consistency){.set = {1, {0}}, .first = {0, 2}};
    c->cells = bench_alloc(200 * 256 * sizeof *c->cells);
    for (size_t a = 0; a < 32; a++)
        c->cardinality[a] = 2;
    if (ldp_design_cover(c->cardinality, 32, 8, 200, set) != LDP_OK)
        abort();
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 1, "consistency", 0);
    for (size_t i = 0; i < 200 * 256; i++)
        c->cells[i] = 1.0 / 256 + 0.02 * (ldp_rng_uniform(&rng) - 0.5);
    for (size_t i = 0; i < 200; i++)
        c->table[i] = (struct ldp_given_table){set[i], 1e-4, c->cells + 256 * i};
    bench_add(bench, "marginals", "200 tables of 2^8 cells agree", 32, 0, "s", bench_median(bench, make_consistent, c));
    c->nonnegative = true;
    bench_add(bench, "marginals", "the same, not negative", 32, 0, "s", bench_median(bench, make_consistent, c));
    free(c->cells);
    free(c);
}

void bench_marginals(struct bench *bench)
{
    bench_synopses(bench, 16, 1 << 16);
    if (!bench->quick)
        bench_synopses(bench, 32, 1000000);
    bench_consistency(bench);
}

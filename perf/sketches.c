/* sketches.c - sketches of a large domain: one collection by counts with its estimate and its squared error, users by
 * reports, decoders, Bloom filters. */
#include "bench.h"
#include "ldp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sketch on a population of Zipf's law, s = 1.1. */
struct sketch {
    struct ldp_protocol protocol;
    struct ldp_population *population;
    enum ldp_mode mode;
    struct ldp_rng rng;
    size_t bytes; /* of the arrays */
    void *scratch, *rooms;
    double *support, *est, error;
};

static struct ldp_population *zipf(size_t d, uint64_t n)
{
    uint64_t *const counts = bench_alloc(d * sizeof *counts), left = n;
    double total = 0;
    for (size_t v = 0; v < d; v++)
        total += pow((double)(v + 1), -1.1);
    for (size_t v = 0; v < d; v++) {
        counts[v] = (uint64_t)((double)n * pow((double)(v + 1), -1.1) / total);
        left -= counts[v];
    }
    counts[0] += left;
    struct ldp_population *population = NULL;
    if (ldp_population_new(counts, d, &population) != LDP_OK)
        abort();
    free(counts);
    return population;
}

/* An oracle with some of its parameters, and its row oracle (NULL: none). */
static struct ldp_oracle_spec spec_of(const char *name, const struct ldp_oracle_spec *row, const char *const *names,
                                      const double *values)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name), .inner = row};
    ldp_params_default(spec.oracle->params, spec.param);
    for (size_t i = 0; names && names[i]; i++)
        for (size_t k = 0; spec.oracle->params[k].name; k++)
            if (strcmp(spec.oracle->params[k].name, names[i]) == 0)
                spec.param[k] = values[i];
    return spec;
}

static void sketch_init(struct sketch *sketch, const struct ldp_oracle_spec *spec, size_t d, double epsilon, uint64_t n,
                        enum ldp_mode mode)
{
    if (ldp_protocol_init(&sketch->protocol, spec, d, epsilon, NULL) != LDP_OK)
        abort();
    sketch->population = zipf(d, n);
    sketch->mode = mode;
    ldp_rng_stream(&sketch->rng, 1, "sketch", 0);
    const size_t scratch = ldp_collect_scratch(&sketch->protocol, &sketch->population->histogram, mode),
                 rooms = ldp_estimate_scratch(&sketch->protocol),
                 support = sketch->protocol.support_size * sizeof(double), est = d * sizeof(double);
    sketch->bytes = scratch + rooms + support + est;
    sketch->scratch = bench_alloc(scratch);
    sketch->rooms = bench_alloc(rooms);
    sketch->support = bench_alloc(support);
    sketch->est = bench_alloc(est);
}

static void sketch_clear(struct sketch *sketch)
{
    ldp_population_free(sketch->population);
    free(sketch->scratch);
    free(sketch->rooms);
    free(sketch->support);
    free(sketch->est);
}

static void collect(void *context)
{
    struct sketch *const s = context;
    s->protocol.public_seed = ldp_rng_next(&s->rng);
    ldp_collect(&s->protocol, &s->population->histogram, s->mode, &s->rng, s->scratch, s->support);
}

static void decode(void *context)
{
    struct sketch *const s = context;
    ldp_estimate(&s->protocol, s->population->n, s->support, s->rooms, s->est);
}

static void repeat(void *context)
{
    struct sketch *const s = context;
    collect(s);
    decode(s);
    s->error = 0;
    for (size_t v = 0; v < s->population->d; v++)
        s->error += (s->est[v] - s->population->f[v]) * (s->est[v] - s->population->f[v]);
}

/* One repetition by counts. */
static void bench_counts(struct bench *bench, const char *name, const struct ldp_oracle_spec *spec, size_t d,
                         uint64_t n, bool memory)
{
    struct sketch sketch;
    char text[sizeof bench->rows->name];
    sketch_init(&sketch, spec, d, 1, n, LDP_COUNTS);
    snprintf(text, sizeof text, "counts %s", name);
    bench_add(bench, "sketch", text, d, n, "s", bench_median(bench, repeat, &sketch));
    snprintf(text, sizeof text, "decode %s, a row and value", name);
    if (spec->oracle->inner)
        bench_add(bench, "sketch", text, d, n, "s", bench_median(bench, decode, &sketch) / spec->param[0] / (double)d);
    snprintf(text, sizeof text, "memory %s", name);
    if (memory)
        bench_add(bench, "sketch", text, d, n, "bytes", (double)sketch.bytes);
    sketch_clear(&sketch);
}

void bench_sketches(struct bench *bench)
{
    static const char *const t[] = {"t", NULL}, *const shape[] = {"rows", "columns", "decode", NULL};
    static const double one[] = {1}, small[] = {32, 1024, 0}, median[] = {32, 1024, 1}, nnls[] = {32, 1024, 3},
                        large[] = {1024, 2048, 0};
    const struct ldp_oracle_spec oue = spec_of("oue", NULL, NULL, NULL), hm = spec_of("hm", NULL, t, one);
    const struct ldp_oracle_spec specs[] = {
        spec_of("count_min", &oue, shape, small), spec_of("count_min", &hm, shape, small),
        spec_of("count_min", &oue, shape, median), spec_of("count_min", &oue, shape, nnls),
        spec_of("bloom", NULL, NULL, NULL)};
    static const char *const names[] = {"mean 32x1024 oue", "mean 32x1024 hm", "median 32x1024 oue", "nnls 32x1024 oue",
                                        "bloom"};
    enum { D = 100000, N = 1000000 };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        bench_counts(bench, names[i], &specs[i], D, N, false);
    const struct ldp_oracle_spec wide = spec_of("count_min", &oue, shape, large);
    if (!bench->quick)
        bench_counts(bench, "mean 1024x2048 oue", &wide, 10 * D, N, true);
    struct sketch sketch;
    sketch_init(&sketch, &specs[1], D, 1, N, LDP_REPORTS);
    bench_add(bench, "sketch", "reports mean 32x1024 hm, a user", D, N, "s", bench_median(bench, collect, &sketch) / N);
    sketch_clear(&sketch);
}

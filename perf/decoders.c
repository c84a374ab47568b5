/* decoders.c - decoders whose cost does not depend on d and n alone: sums over hyperplanes by (q, t), words of Hadamard
 * signs by t, and projective geometry response as a whole where epsilon chooses (q, t). */
#include "bench.h"
#include "geometry/projective.h"
#include "ldp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORTS = 4096 };

struct sums {
    struct ldp_projective space;
    uint64_t *N, *a;
    void *work;
};

static void sum_all(void *context)
{
    struct sums *const sums = context;
    memcpy(sums->a, sums->N, (size_t)sums->space.K[sums->space.t] * sizeof *sums->a);
    ldp_projective_sum(&sums->space, LDP_BY_NUMBER, 1000000, sums->work, sums->a);
}

static void bench_sums(struct bench *bench, uint32_t q, unsigned t)
{
    static struct sums sums;
    sums.space = ldp_projective_of(q, t);
    const size_t K = (size_t)sums.space.K[t];
    sums.N = bench_alloc(K * sizeof *sums.N);
    sums.a = bench_alloc(K * sizeof *sums.a);
    sums.work = bench_alloc(ldp_projective_work(&sums.space));
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 1, "decoder", q);
    ldp_multinomial_uniform(&rng, 1000000, K, sums.N);
    char name[sizeof bench->rows->name];
    snprintf(name, sizeof name, "pgr decode q=%u t=%u", q, t);
    bench_add(bench, "decoder", name, K, 1000000, "s", bench_median(bench, sum_all, &sums));
    free(sums.N);
    free(sums.a);
    free(sums.work);
}

struct words {
    struct ldp_protocol protocol;
    uint64_t *reports;
    void *state;
};

static void count_words(void *context)
{
    struct words *const words = context;
    words->protocol.oracle->server(&words->protocol, words->reports, REPORTS, words->state);
}

/* Seconds for REPORTS reports. */
static void bench_words(struct bench *bench, size_t d, unsigned t)
{
    enum { JOINT = 1 };
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("hm"), .param = {t, JOINT}};
    struct words words;
    if (ldp_protocol_init(&words.protocol, &spec, d, 2, NULL) != LDP_OK)
        return;
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 1, "words", t);
    uint32_t values[REPORTS];
    for (size_t i = 0; i < REPORTS; i++)
        values[i] = (uint32_t)ldp_rng_below(&rng, d);
    words.reports = bench_alloc(REPORTS * words.protocol.report_words * sizeof *words.reports);
    words.state = bench_alloc(words.protocol.state_bytes);
    memset(words.state, 0, words.protocol.state_bytes);
    words.protocol.oracle->client(&words.protocol, values, REPORTS, &rng, words.reports);
    char name[sizeof bench->rows->name];
    snprintf(name, sizeof name, "hm joint server t=%u", t);
    bench_add(bench, "decoder", name, d, REPORTS, "s", bench_median(bench, count_words, &words));
    free(words.reports);
    free(words.state);
}

struct collection {
    struct ldp_protocol protocol;
    struct ldp_histogram histogram;
    enum ldp_mode mode;
    struct ldp_rng rng;
    void *scratch;
    double *support;
};

static void collect(void *context)
{
    struct collection *const c = context;
    c->protocol.public_seed = ldp_rng_next(&c->rng);
    ldp_collect(&c->protocol, &c->histogram, c->mode, &c->rng, c->scratch, c->support);
}

static void bench_pgr(struct bench *bench, double epsilon, uint64_t n, enum ldp_mode mode)
{
    enum { D = 1024 };
    static uint64_t counts[D];
    double total = 0;
    for (size_t v = 0; v < D; v++)
        total += pow((double)(v + 1), -1.5);
    uint64_t left = n;
    for (size_t v = 0; v < D; v++)
        left -= counts[v] = (uint64_t)((double)n * pow((double)(v + 1), -1.5) / total);
    counts[0] += left;
    struct collection c = {.histogram = {D, n, counts}, .mode = mode};
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("pgr")};
    ldp_params_default(spec.oracle->params, spec.param);
    if (ldp_protocol_init(&c.protocol, &spec, D, epsilon, NULL) != LDP_OK)
        return;
    ldp_rng_stream(&c.rng, 1, "pgr", 0);
    c.support = bench_alloc(c.protocol.support_size * sizeof *c.support);
    c.scratch = bench_alloc(ldp_collect_scratch(&c.protocol, &c.histogram, mode));
    char name[sizeof bench->rows->name];
    snprintf(name, sizeof name, "pgr %s epsilon=%g", mode == LDP_COUNTS ? "counts" : "reports", epsilon);
    bench_add(bench, "decoder", name, D, n, "s", bench_median(bench, collect, &c));
    free(c.scratch);
    free(c.support);
}

void bench_decoders(struct bench *bench)
{
    static const struct {
        uint32_t q;
        unsigned t;
    } sizes[] = {{3, 7}, {4, 6}, {5, 6}, {8, 5}, {19, 4}, {53, 3}, {139, 3}, {5, 9}, {151, 4}};
    static const double epsilon[] = {0.5, 1, 2, 3, 4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        bench_sums(bench, sizes[i].q, sizes[i].t);
    for (unsigned t = 2; t <= 4; t++)
        for (size_t d = 64; d <= 65536; d *= 32)
            bench_words(bench, d, t);
    for (size_t i = 0; i < sizeof epsilon / sizeof *epsilon; i++) {
        bench_pgr(bench, epsilon[i], 1000000, LDP_COUNTS);
        bench_pgr(bench, epsilon[i], 100000000, LDP_COUNTS);
        bench_pgr(bench, epsilon[i], 1000000, LDP_REPORTS);
    }
}

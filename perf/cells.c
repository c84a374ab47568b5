/* cells.c - what a repetition costs: oracles in both simulations, methods, whole repetitions, memory. */
#include "bench.h"
#include "ldp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EPSILON 1.0
#define SEED 20200223

/* Expected counts of Zipf's law with exponent 1.5, the rest given to the first value. */
static struct ldp_population *zipf(size_t d, uint64_t n)
{
    uint64_t *const counts = bench_alloc(d * sizeof *counts);
    double total = 0;
    for (size_t v = 0; v < d; v++)
        total += pow((double)(v + 1), -1.5);
    uint64_t left = n;
    for (size_t v = 0; v < d; v++) {
        counts[v] = (uint64_t)((double)n * pow((double)(v + 1), -1.5) / total);
        left -= counts[v];
    }
    counts[0] += left;
    struct ldp_population *population;
    const enum ldp_status status = ldp_population_new(counts, d, &population);
    free(counts);
    if (status) {
        fprintf(stderr, "ldpbench-bench: d = %zu, n = %llu: %s\n", d, (unsigned long long)n, ldp_status_text(status));
        exit(3);
    }
    return population;
}

/* One cell's simulation. */
struct cell {
    struct ldp_population *population;
    struct ldp_simulation simulation;
    struct ldp_rng rng;
    void *scratch;
    double *support, *est;
};

/* False where the oracle has no such simulation or refuses the parameters. */
static bool cell_init(struct cell *cell, const struct ldp_oracle *oracle, enum ldp_mode mode, size_t d, uint64_t n)
{
    struct ldp_oracle_spec spec = {.oracle = oracle};
    ldp_params_default(oracle->params, spec.param);
    struct ldp_protocol protocol;
    if (ldp_protocol_init(&protocol, &spec, d, EPSILON, NULL))
        return false;
    *cell = (struct cell){.population = zipf(d, n)};
    if (ldp_simulation_init(&cell->simulation, &protocol, cell->population, mode)) {
        ldp_population_free(cell->population);
        return false;
    }
    ldp_rng_stream(&cell->rng, SEED, oracle->name, 0);
    cell->scratch = bench_alloc(cell->simulation.scratch_bytes + ldp_estimate_scratch(&protocol));
    cell->support = bench_alloc(protocol.support_size * sizeof *cell->support);
    cell->est = bench_alloc(d * sizeof *cell->est);
    return true;
}

static void cell_clear(struct cell *cell)
{
    ldp_simulation_clear(&cell->simulation);
    ldp_population_free(cell->population);
    free(cell->scratch);
    free(cell->support);
    free(cell->est);
}

static void collect(void *context)
{
    struct cell *const cell = context;
    ldp_simulate(&cell->simulation, &cell->rng, cell->scratch, cell->support);
    ldp_estimate(&cell->simulation.protocol, cell->population->n, cell->support, cell->scratch, cell->est);
}

/* Seconds of a collection and its estimate; NAN where the oracle has no such simulation. */
static double bench_collection(struct bench *bench, const struct ldp_oracle *oracle, enum ldp_mode mode, size_t d,
                               uint64_t n)
{
    char name[sizeof bench->rows->name];
    snprintf(name, sizeof name, "%s %s", oracle->name, mode == LDP_COUNTS ? "counts" : "reports");
    struct cell cell;
    if (!cell_init(&cell, oracle, mode, d, n))
        return NAN;
    const double seconds = bench_median(bench, collect, &cell);
    cell_clear(&cell);
    bench_add(bench, "oracle", name, d, n, "s", seconds);
    return seconds;
}

static void bench_oracle(struct bench *bench, const struct ldp_oracle *oracle, enum ldp_mode mode, uint64_t n)
{
    for (size_t d = 100; d <= 1000000; d *= 10) {
        const double seconds = bench_collection(bench, oracle, mode, d, n);
        if (seconds * 10 > bench->limit)
            break;
    }
}

void bench_oracles(struct bench *bench)
{
    for (size_t i = 0; ldp_oracles[i]; i++) {
        for (uint64_t n = 10000; n <= 1000000000; n *= bench->quick ? 100000 : 10)
            bench_oracle(bench, ldp_oracles[i], LDP_COUNTS, n);
        bench_collection(bench, ldp_oracles[i], LDP_COUNTS, 41270, 8019015); /* the size of Kosarak */
        for (uint64_t n = 10000; n <= (bench->quick ? 10000 : 1000000); n *= 10)
            bench_oracle(bench, ldp_oracles[i], LDP_REPORTS, n);
    }
}

struct method_run {
    struct ldp_method_spec spec;
    const struct cell *cell;
    void *scratch;
    double *out;
};

static void postprocess(void *context)
{
    struct method_run *const run = context;
    const struct ldp_collection collection = {&run->cell->simulation.protocol, run->cell->population->n,
                                              run->cell->support, run->cell->est};
    ldp_postprocess(&run->spec, &collection, run->scratch, run->out);
}

/* The most expensive fit: two parameters of a prior whose likelihood is an integral for each estimate. */
static void bench_likelihood(struct bench *bench, size_t d)
{
    enum { PRIOR, FIT };
    struct method_run run = {.spec = {.method = ldp_method_find("calibrate")}};
    struct cell cell;
    if (!run.spec.method || !cell_init(&cell, ldp_oracle_find("olh"), LDP_COUNTS, d, 1000000))
        return;
    collect(&cell);
    run.cell = &cell;
    ldp_params_default(run.spec.method->params, run.spec.param);
    while (strcmp(run.spec.method->params[PRIOR].choices[(size_t)run.spec.param[PRIOR]], "log_normal") != 0)
        run.spec.param[PRIOR]++;
    run.spec.param[FIT] = 1;
    run.scratch = bench_alloc(ldp_postprocess_scratch(&run.spec, d));
    run.out = bench_alloc(d * sizeof *run.out);
    bench_add(bench, "method", "calibrate, log_normal, likelihood", d, 1000000, "s",
              bench_median(bench, postprocess, &run));
    free(run.scratch);
    free(run.out);
    cell_clear(&cell);
}

/* A cell of olh, or where a method does not suit it, of the first oracle that it suits; false: none. */
static bool cell_for(struct cell *cell, const struct ldp_method *method, size_t d)
{
    const struct ldp_oracle *oracle = ldp_oracle_find("olh");
    bool ready = cell_init(cell, oracle, LDP_COUNTS, d, 1000000);
    for (size_t j = 0; ready && !ldp_method_suits(method, &cell->simulation.protocol); j++) {
        cell_clear(cell);
        oracle = ldp_oracles[j];
        ready = oracle && cell_init(cell, oracle, LDP_COUNTS, d, 1000000);
    }
    return ready;
}

static void bench_method(struct bench *bench, const struct ldp_method *method)
{
    double seconds = 0;
    for (size_t d = 100; d <= (bench->quick ? 10000 : 1000000) && seconds * 10 <= bench->limit; d *= 10) {
        struct method_run run = {.spec = {.method = method}};
        struct cell cell;
        if (!cell_for(&cell, method, d))
            return;
        collect(&cell);
        run.cell = &cell;
        ldp_params_default(method->params, run.spec.param);
        run.scratch = bench_alloc(ldp_postprocess_scratch(&run.spec, d));
        run.out = bench_alloc(d * sizeof *run.out);
        seconds = bench_median(bench, postprocess, &run);
        bench_add(bench, "method", method->name, d, 1000000, "s", seconds);
        free(run.scratch);
        free(run.out);
        cell_clear(&cell);
    }
}

void bench_methods(struct bench *bench)
{
    for (size_t d = 100; d <= (bench->quick ? 10000 : 1000000); d *= 10)
        bench_likelihood(bench, d);
    for (size_t i = 0; ldp_methods[i]; i++)
        bench_method(bench, ldp_methods[i]);
}

/* A whole repetition by counts: olh, methods, the full-domain query. */
struct repetition {
    struct cell cell;
    struct ldp_method_spec *methods;
    size_t nmethods;
    struct ldp_query_spec query;
    struct ldp_evaluation *evaluation;
    double *measurements;
};

/* Which methods a repetition runs: those of NDSS 2020 (base and its ten), every one that looks at the data, or those of
 * NDSS 2020 without the two that fit a power law, which are a few lines of NumPy. */
enum scope { TEN, ALL, NINE };
static const char *const scope_name[] = {"olh counts, ten methods", "olh counts, all methods",
                                         "olh counts, nine methods"};

static bool in_scope(const struct ldp_method *method, const struct ldp_protocol *protocol, enum scope scope)
{
    static const char *const ndss2020[] = {"base",     "base_pos", "post_pos", "base_cut", "norm",    "norm_mul",
                                           "norm_cut", "norm_sub", "mle_apx",  "power",    "power_ns"};
    if (scope == ALL)
        return !(method->guarantees & LDP_NOT_IN_ALL) && ldp_method_suits(method, protocol);
    for (size_t i = 0; i < sizeof ndss2020 / sizeof *ndss2020; i++)
        if (strcmp(method->name, ndss2020[i]) == 0)
            return scope == TEN || strncmp(method->name, "power", 5) != 0;
    return false;
}

static void repetition_init(struct repetition *repetition, size_t d, uint64_t n, enum scope scope)
{
    *repetition = (struct repetition){.query = {.query = ldp_query_find("full_domain"), .npoints = 1}};
    size_t count = 0;
    while (ldp_methods[count])
        count++;
    repetition->methods = bench_alloc(count * sizeof *repetition->methods);
    if (!cell_init(&repetition->cell, ldp_oracle_find("olh"), LDP_COUNTS, d, n)) {
        fprintf(stderr, "ldpbench-bench: cannot prepare a cell of d = %zu\n", d);
        exit(3);
    }
    for (size_t i = 0; i < count; i++) {
        if (!in_scope(ldp_methods[i], &repetition->cell.simulation.protocol, scope))
            continue;
        struct ldp_method_spec *const spec = &repetition->methods[repetition->nmethods++];
        spec->method = ldp_methods[i];
        ldp_params_default(spec->method->params, spec->param);
    }
    ldp_params_default(repetition->query.query->params, repetition->query.param);
    if (ldp_evaluation_new(repetition->methods, repetition->nmethods, &repetition->query, 1, d,
                           &repetition->evaluation)) {
        fprintf(stderr, "ldpbench-bench: cannot prepare a repetition of d = %zu\n", d);
        exit(3);
    }
    repetition->measurements = bench_alloc(ldp_evaluation_size(repetition->evaluation) * sizeof(double));
}

static void repetition_clear(struct repetition *repetition)
{
    cell_clear(&repetition->cell);
    ldp_evaluation_free(repetition->evaluation);
    free(repetition->methods);
    free(repetition->measurements);
}

static void repeat(void *context)
{
    struct repetition *const repetition = context;
    struct cell *const cell = &repetition->cell;
    collect(cell);
    ldp_evaluate(repetition->evaluation,
                 &(struct ldp_collection){&cell->simulation.protocol, cell->population->n, NULL, cell->est},
                 cell->population, &cell->rng, repetition->measurements);
}

static double repetition_seconds(struct bench *bench, size_t d, uint64_t n, enum scope scope)
{
    struct repetition repetition;
    repetition_init(&repetition, d, n, scope);
    const double seconds = bench_median(bench, repeat, &repetition);
    repetition_clear(&repetition);
    bench_add(bench, "repetition", scope_name[scope], d, n, "s", seconds);
    return seconds;
}

void bench_repetitions(struct bench *bench)
{
    repetition_seconds(bench, 1024, 1000000, NINE);
    repetition_seconds(bench, 41270, 8019015, NINE);
    for (enum scope scope = TEN; scope <= ALL; scope++) {
        repetition_seconds(bench, 1024, 1000000, scope);
        repetition_seconds(bench, 41270, 8019015, scope); /* the size of Kosarak */
        double first = 0, last = 0;
        const size_t from = 1000, to = bench->quick ? 10000 : 1000000;
        for (size_t d = 100; d <= to; d *= 10) {
            last = repetition_seconds(bench, d, 10000000, scope);
            first = d == from ? last : first;
        }
        char name[sizeof bench->rows->name];
        snprintf(name, sizeof name, "%s, growth in d", scope_name[scope]);
        bench_add(bench, "repetition", name, 0, 10000000, "exponent",
                  log(last / first) / log((double)to / (double)from));
        for (uint64_t n = 10000; n <= 1000000000000; n *= 100)
            if (n != 1000000) { /* measured above */
                last = repetition_seconds(bench, 1024, n, scope);
                first = n == 10000 ? last : first;
            }
        snprintf(name, sizeof name, "%s, growth in n", scope_name[scope]);
        bench_add(bench, "repetition", name, 1024, 0, "exponent", log(last / first) / log(1e8));
    }
}

/* In a process of its own, so that its peak memory is its own. */
static void measure_memory(struct bench *bench, size_t d, uint64_t n)
{
    fflush(stdout);
    const double start = bench_now();
    const pid_t child = fork();
    if (child == 0) {
        struct repetition repetition;
        repetition_init(&repetition, d, n, ALL);
        repeat(&repetition);
        _exit(0);
    }
    struct rusage used;
    int status;
    if (child < 0 || wait4(child, &status, 0, &used) < 0 || status != 0) {
        fprintf(stderr, "ldpbench-bench: the child for d = %zu failed\n", d);
        return;
    }
    bench_add(bench, "memory", "all methods, with set-up", d, n, "s", bench_now() - start);
    bench_add(bench, "memory", "all methods, peak", d, n, "bytes", (double)used.ru_maxrss * 1024);
}

void bench_memory(struct bench *bench)
{
    measure_memory(bench, 1024, 1000000);
    measure_memory(bench, 41270, 8019015);
    measure_memory(bench, 1000000, 1000000000);
    if (!bench->quick)
        measure_memory(bench, 10000000, 1000000000000);
}

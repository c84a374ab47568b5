/* longitudinal_worker.c - repetitions of the task `longitudinal`: all rounds, and what is measured of them. */
#include "tasks/longitudinal.h"

#include "support/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct longitudinal_worker {
    struct worker worker;
    const struct longitudinal *setup;
    const struct longitudinal_data *data;
    struct ldp_rounds rounds;
    size_t ichain;
    struct ldp_method_spec *methods; /* of the cell */
    struct ldp_query_spec *queries;
    struct ldp_evaluation *evaluation;
    void *scratch;
    double *support;      /* [rounds][support_size] */
    double *est;          /* [d] */
    double *of_round;     /* of the evaluation */
    double *sum, *change; /* [methods][d]: over rounds; the last minus the first */
    double *point;        /* of a query */
    void *query_scratch;
};

static struct longitudinal_worker *own(struct worker *worker)
{
    assert(worker->task == &task_longitudinal);
    return (struct longitudinal_worker *)worker;
}

static void clear(struct longitudinal_worker *worker)
{
    ldp_evaluation_free(worker->evaluation);
    free(worker->methods);
    free(worker->queries);
    free(worker->scratch);
    free(worker->support);
    free(worker->est);
    free(worker->of_round);
    free(worker->sum);
    free(worker->change);
    free(worker->point);
    free(worker->query_scratch);
    *worker = (struct longitudinal_worker){.worker = worker->worker, .setup = worker->setup};
}

void longitudinal_worker_free(struct worker *base)
{
    clear(own(base));
    free(base);
}

struct worker *longitudinal_worker_new(const struct setup *base)
{
    struct longitudinal_worker *const worker = xcalloc(1, sizeof *worker);

    worker->worker.task = &task_longitudinal;
    worker->setup = longitudinal_of(base);
    return &worker->worker;
}

/* Methods, queries and their memory. */
static int begin_evaluation(struct longitudinal_worker *worker, struct failure *failure)
{
    const struct longitudinal *const setup = worker->setup;
    const struct longitudinal_data *const data = worker->data;
    const size_t nmethods = data->nmethods[worker->ichain], nqueries = setup->queries.count, d = data->sequences->d;
    size_t scratch = 1, points = 1;

    worker->methods = xcalloc(nmethods + 1, sizeof *worker->methods);
    worker->queries = xcalloc(nqueries, sizeof *worker->queries);
    for (size_t i = 0; i < nmethods; i++)
        worker->methods[i] = setup->methods.choice[data->methods[worker->ichain][i]].spec;
    for (size_t q = 0; q < nqueries; q++) {
        const struct ldp_query_spec *const spec = &setup->queries.choice[q].specs[data->idataset];
        const size_t bytes = spec->query->scratch_bytes ? spec->query->scratch_bytes(spec, d, nmethods) : 0;

        worker->queries[q] = *spec;
        scratch = bytes > scratch ? bytes : scratch;
        points = spec->npoints > points ? spec->npoints : points;
    }
    if (nmethods > 0 &&
        ldp_evaluation_new(worker->methods, nmethods, worker->queries, nqueries, d, &worker->evaluation) != LDP_OK)
        return fail_memory(failure);
    worker->of_round = xcalloc(worker->evaluation ? ldp_evaluation_size(worker->evaluation) : 1, sizeof(double));
    worker->sum = xcalloc(nmethods * d + 1, sizeof *worker->sum);
    worker->change = xcalloc(nmethods * d + 1, sizeof *worker->change);
    worker->point = xcalloc(nmethods * points + 1, sizeof *worker->point);
    worker->query_scratch = xmalloc(scratch, 1);
    return 0;
}

int longitudinal_worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct longitudinal_worker *const worker = own(base);
    const struct longitudinal *const setup = worker->setup;
    const struct longitudinal_point at = longitudinal_point(setup, cell);

    clear(worker);
    worker->data = &setup->data[at.idata];
    worker->ichain = at.ichain;
    if (longitudinal_rounds(setup, cell, &worker->rounds, failure) != 0)
        return -1;
    const struct ldp_protocol *const report = &worker->rounds.report;
    const size_t collecting = ldp_rounds_scratch(&worker->rounds, worker->data->sequences, setup->mode),
                 estimating = ldp_estimate_scratch(report);

    worker->scratch = malloc((collecting > estimating ? collecting : estimating) + 1);
    worker->support = malloc(worker->data->rounds * report->support_size * sizeof *worker->support);
    worker->est = malloc(report->d * sizeof *worker->est);
    if (!worker->scratch || !worker->support || !worker->est)
        return fail_memory(failure);
    return begin_evaluation(worker, failure);
}

/* Takes in the estimates of a round. */
static void add_round(struct longitudinal_worker *worker, size_t t)
{
    const size_t d = worker->rounds.d, nmethods = worker->data->nmethods[worker->ichain];

    for (size_t i = 0; i < nmethods; i++) {
        const double *const est = ldp_evaluation_estimate(worker->evaluation, i);
        double *const sum = worker->sum + i * d, *const change = worker->change + i * d;
        const double sign = (t + 1 == worker->rounds.rounds) - (t == 0);

        for (size_t v = 0; v < d; v++)
            sum[v] = (t == 0 ? 0 : sum[v]) + est[v];
        for (size_t v = 0; v < d && (t == 0 || sign != 0); v++)
            change[v] = (t == 0 ? 0 : change[v]) + sign * est[v];
    }
}

/* One query about estimates [methods][d] of a population, into every nmeasures-th number from out on. */
static void ask(struct longitudinal_worker *worker, const struct ldp_query_spec *spec, const double *est,
                const struct ldp_population *population, const struct ldp_rng *rng, double *out)
{
    const size_t nmethods = worker->data->nmethods[worker->ichain], nmeasures = longitudinal_measures(worker->setup);
    const double **const each = xcalloc(nmethods + 1, sizeof *each);
    double *const floor = xcalloc(nmethods + 1, sizeof *floor);
    struct ldp_rng copy = *rng;

    for (size_t i = 0; i < nmethods; i++) {
        each[i] = est + i * worker->rounds.d;
        floor[i] = worker->methods[i].method->on_answers ? 0 : -INFINITY;
    }
    spec->query->measure(spec, &(struct ldp_collection){&worker->rounds.report, population->n, NULL, each[0]},
                         population, &(struct ldp_answers){nmethods, each, floor}, &copy, worker->query_scratch,
                         worker->point);
    for (size_t i = 0; i < nmethods * spec->npoints; i++)
        out[i * nmeasures] = worker->point[i];
    free(each);
    free(floor);
}

/* The mean over rounds against that of the truth. The last round minus the first, moved to the truth of the first: the
 * error is then that of the change. */
static void measure_together(struct longitudinal_worker *worker, const struct ldp_rng *rng, double *measured)
{
    const struct longitudinal_data *const data = worker->data;
    const size_t d = worker->rounds.d, nmethods = data->nmethods[worker->ichain], last = data->rounds - 1;
    const double *const f = longitudinal_population(data, 0)->f;

    for (size_t i = 0; i < nmethods * d; i++) {
        worker->sum[i] /= (double)data->rounds;
        worker->change[i] += f[i % d];
    }
    for (size_t q = 0; q < worker->setup->queries.count; q++) {
        const struct ldp_query_spec *const spec = &worker->queries[q];

        ask(worker, spec, worker->sum, data->average, rng, measured + LONGITUDINAL_AVERAGE);
        ask(worker, spec, worker->change, longitudinal_population(data, last), rng, measured + LONGITUDINAL_TREND);
        measured += nmethods * spec->npoints * LONGITUDINAL_MEASURES;
    }
}

int longitudinal_worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums,
                            struct failure *failure)
{
    struct longitudinal_worker *const worker = own(base);
    const struct longitudinal *const setup = worker->setup;
    const struct ldp_rounds *const rounds = &worker->rounds;
    const size_t nmeasures = longitudinal_measures(setup);

    (void)sums, (void)failure;
    ldp_rounds_collect(rounds, worker->data->sequences, setup->mode, setup->want_average, rng, worker->scratch,
                       worker->support);
    if (!worker->evaluation)
        return 0;
    const size_t size = ldp_evaluation_size(worker->evaluation);

    for (size_t t = 0; t < rounds->rounds; t++) {
        const uint64_t users = ldp_rounds_users_of(rounds, worker->data->sequences->n, t);
        const double *const support = worker->support + t * rounds->report.support_size;

        ldp_estimate(&rounds->report, users, support, worker->scratch, worker->est);
        struct ldp_collection collection = {&rounds->report, users, support, NULL};
        const struct ldp_protocol observed = ldp_observed(&collection, worker->scratch);

        collection.protocol = &observed;
        collection.est = worker->est;
        ldp_evaluate(worker->evaluation, &collection, longitudinal_population(worker->data, t), rng, worker->of_round);
        for (size_t i = 0; i < size; i++) {
            double *const mean = &measured[i * nmeasures + LONGITUDINAL_MSE];

            *mean = (t == 0 ? 0 : *mean) + worker->of_round[i] / (double)rounds->rounds;
        }
        if (setup->want_average)
            add_round(worker, t);
    }
    if (setup->want_average)
        measure_together(worker, rng, measured);
    return 0;
}

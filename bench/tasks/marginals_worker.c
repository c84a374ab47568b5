/* marginals_worker.c - repetitions of the task `marginals`: every synopsis collects and answers, and what is measured
 * of the answers. */
#include "tasks/marginals.h"

#include "support/memory.h"
#include "support/progress.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_LEVEL 0.95

struct marginals_worker {
    struct worker worker;
    const struct marginals_setup *setup;
    size_t idataset;
    struct ldp_workload *workload;  /* [synopses] */
    struct ldp_synopsis_spec *spec; /* [synopses] */
    void **state;                   /* [synopses] */
    double *answer[LDP_EXACT + 1];  /* [stage][answers] */
    double *low, *high;             /* [answers] */
    struct ldp_prediction *prediction;
    struct ldp_attackers attackers;
    struct ldp_rng malicious;
    uint32_t *planted;
    double *clean; /* answers without malicious users */
};

static struct marginals_worker *own(struct worker *worker)
{
    assert(worker->task == &task_marginals);
    return (struct marginals_worker *)worker;
}

static void close_states(struct marginals_worker *worker)
{
    for (size_t s = 0; worker->state && s < worker->setup->synopses.count; s++) {
        if (worker->state[s])
            worker->spec[s].synopsis->close(worker->state[s]);
        worker->state[s] = NULL;
    }
    for (int stage = 0; stage <= LDP_EXACT; stage++) {
        free(worker->answer[stage]);
        worker->answer[stage] = NULL;
    }
    free(worker->low);
    free(worker->high);
    worker->low = worker->high = NULL;
    free(worker->prediction);
    free(worker->planted);
    free(worker->clean);
    worker->prediction = NULL;
    worker->planted = NULL;
    worker->clean = NULL;
}

void marginals_worker_free(struct worker *base)
{
    struct marginals_worker *const worker = own(base);

    close_states(worker);
    free(worker->workload);
    free(worker->spec);
    free(worker->state);
    free(worker);
}

struct worker *marginals_worker_new(const struct setup *base)
{
    const struct marginals_setup *const setup = marginals_of(base);
    struct marginals_worker *const worker = xcalloc(1, sizeof *worker);

    worker->worker.task = &task_marginals;
    worker->setup = setup;
    worker->workload = xcalloc(setup->synopses.count, sizeof *worker->workload);
    worker->spec = xcalloc(setup->synopses.count, sizeof *worker->spec);
    worker->state = xcalloc(setup->synopses.count, sizeof *worker->state);
    return &worker->worker;
}

/* There are no malicious users yet, but any may come. */
static void begin_attacks(struct marginals_worker *worker)
{
    const struct attack_list *const attacks = &worker->setup->attacks;
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];

    worker->attackers = marginals_attackers(&attacks->choice[0]);
    worker->attackers.nplanted = marginals_attacks_planted(attacks);
    worker->planted = xcalloc(worker->attackers.nplanted * worker->workload->records->d, sizeof *worker->planted);
    worker->clean = xcalloc(of->first[of->sets.count], sizeof *worker->clean);
    for (size_t s = 0; s < worker->setup->synopses.count; s++)
        worker->workload[s].attackers = &worker->attackers;
}

static void collect(struct marginals_worker *worker, size_t s, struct ldp_rng *stream, bool stages)
{
    if (worker->spec[s].synopsis->collect(worker->state[s], stream, stages) != LDP_OK)
        out_of_memory();
}

/* Every attack on a synopsis, from the stream of the repetition; its answers without malicious users are the worker's.
 */
static double *attack(struct marginals_worker *worker, size_t s, const struct ldp_rng *rng, double *measured)
{
    const struct attack_list *const attacks = &worker->setup->attacks;
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const struct ldp_synopsis *const synopsis = worker->spec[s].synopsis;
    struct ldp_rng copy = *rng;
    const uint64_t seed = ldp_rng_next(&copy);

    memcpy(worker->clean, worker->answer[LDP_NOISY], of->first[of->sets.count] * sizeof *worker->clean);
    for (size_t i = 0; i < attacks_points(attacks); i++) {
        const struct attack_point point = attacks_point(attacks, i);
        struct ldp_rng stream = *rng;

        ldp_rng_stream(&worker->malicious, seed, point.attack->key, 0);
        marginals_plant(worker->workload[s].records, point.attack, &worker->malicious, worker->planted);
        worker->attackers = marginals_attackers(point.attack);
        worker->attackers.planted = worker->planted;
        worker->attackers.rng = &worker->malicious;
        worker->attackers.fraction = point.fraction;
        collect(worker, s, &stream, false);
        synopsis->answer(worker->state[s], LDP_NOISY, worker->answer[LDP_NOISY]);
        worker->attackers.fraction = 0;
        measured = marginals_attacks_measure(of, worker->workload[s].records, &worker->attackers,
                                             worker->answer[LDP_NOISY], worker->clean, measured);
    }
    return measured;
}

int marginals_worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct marginals_worker *const worker = own(base);
    const struct marginals_setup *const setup = worker->setup;
    const struct grid_point at = grid_point(&setup->grid, cell);
    const struct marginals_dataset *const of = &setup->of[at.idataset];

    close_states(worker);
    worker->idataset = at.idataset;
    for (size_t s = 0; s < setup->synopses.count; s++)
        worker->workload[s] = marginals_workload(setup, &at, s);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        worker->answer[stage] = xmalloc(of->first[of->sets.count], sizeof(double));
    worker->low = xmalloc(of->first[of->sets.count], sizeof *worker->low);
    worker->high = xmalloc(of->first[of->sets.count], sizeof *worker->high);
    worker->prediction = xmalloc(of->sets.count, sizeof *worker->prediction);
    if (setup->attacks.count > 0)
        begin_attacks(worker);
    for (size_t s = 0; s < setup->synopses.count; s++) {
        struct ldp_reason reason = {""};

        worker->spec[s] = marginals_spec(setup, at.idataset, s);
        switch (ldp_synopsis_open(&worker->spec[s], &worker->workload[s], &worker->state[s], &reason)) {
        case LDP_OK: break;
        case LDP_ENOMEM: out_of_memory();
        default: return marginals_refuse(setup, &at, s, &reason, failure);
        }
    }
    return 0;
}

static double squared_distance(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* Of the cells of the marginals of one k: how often intervals hold the truth, how wide they are, how many there are. */
static void measure_intervals(const struct marginals_worker *worker, size_t j, double *total)
{
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const size_t first = of->first[of->k_first[j]], last = of->first[of->k_first[j + 1]];
    double known = 0, held = 0, width = 0;

    for (size_t c = first; c < last; c++) {
        if (isnan(worker->low[c]))
            continue;
        known++;
        held += worker->low[c] <= of->truth[c] && of->truth[c] <= worker->high[c];
        width += worker->high[c] - worker->low[c];
    }
    total[MARGINALS_COVERAGE] = held / known;
    total[MARGINALS_WIDTH] = width / known;
    total[MARGINALS_KNOWN] = known / (double)(last - first);
}

/* The means over the marginals of one k. */
static void measure_k(const struct marginals_worker *worker, size_t j, double *measured)
{
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const double *const est = worker->answer[LDP_NOISY];
    const double count = (double)(of->k_first[j + 1] - of->k_first[j]);
    double total[MARGINALS_SECONDS] = {0};

    for (size_t i = of->k_first[j]; i < of->k_first[j + 1]; i++) {
        const size_t first = of->first[i], cells = of->first[i + 1] - first;
        double absolute = 0, largest = 0;

        for (size_t c = first; c < first + cells; c++) {
            const double error = fabs(est[c] - of->truth[c]);

            absolute += error;
            largest = error > largest ? error : largest;
        }
        total[MARGINALS_SSE] += squared_distance(est + first, of->truth + first, cells);
        total[MARGINALS_TV] += absolute / 2;
        total[MARGINALS_MAX] += largest;
        if (!worker->setup->want_parts)
            continue;
        const double *const sampled = worker->answer[LDP_SAMPLED] + first, *const exact =
                                                                               worker->answer[LDP_EXACT] + first;

        total[MARGINALS_NOISE] += squared_distance(est + first, sampled, cells);
        total[MARGINALS_SAMPLING] += squared_distance(sampled, exact, cells);
        total[MARGINALS_RECONSTRUCTION] += squared_distance(exact, of->truth + first, cells);
        total[MARGINALS_NOISE_PREDICTED] += worker->prediction[i].noise;
        total[MARGINALS_PREDICTED] += worker->prediction[i].total;
    }
    for (size_t l = 0; l < MARGINALS_COVERAGE; l++)
        total[l] /= count;
    if (worker->setup->want_intervals)
        measure_intervals(worker, j, total);
    for (size_t l = 0; l < measures_chosen(worker->setup->choice); l++)
        measured[l] = total[measure_chosen(worker->setup->choice, l)];
}

/* One more repetition (Welford, Technometrics 4(3), 1962). */
static void moments_add(const struct marginals_worker *worker, double *moments)
{
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const size_t all = of->first[of->sets.count];
    const double weight = 1 / ++moments[0];

    for (size_t c = 0; c < all; c++) {
        const double error = worker->answer[LDP_NOISY][c] - of->truth[c], apart = error - moments[1 + c];

        moments[1 + c] += apart * weight;
        moments[1 + all + c] += apart * (error - moments[1 + c]);
    }
}

static void find_intervals(struct marginals_worker *worker, size_t s)
{
    const struct marginals_dataset *const of = &worker->setup->of[worker->idataset];
    const struct ldp_synopsis *const synopsis = worker->spec[s].synopsis;

    if (synopsis->intervals &&
        synopsis->intervals(worker->state[s], INTERVAL_LEVEL, worker->low, worker->high) != LDP_OK)
        out_of_memory();
    for (size_t c = 0; !synopsis->intervals && c < of->first[of->sets.count]; c++)
        worker->low[c] = worker->high[c] = (double)NAN;
}

int marginals_worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums,
                         struct failure *failure)
{
    struct marginals_worker *const worker = own(base);
    const struct marginals_setup *const setup = worker->setup;
    const struct marginals_dataset *const of = &setup->of[worker->idataset];
    const size_t nmeasures = measures_chosen(setup->choice), nsynopses = setup->synopses.count;

    double *attacked = measured + of->attacks_first;

    (void)failure;
    for (size_t s = 0; s < nsynopses; s++) {
        const struct ldp_synopsis *const synopsis = worker->spec[s].synopsis;
        struct ldp_rng stream = *rng; /* the same stream for all, so that no synopsis depends on the others */
        const double start = clock_seconds();

        collect(worker, s, &stream, setup->want_parts);
        synopsis->answer(worker->state[s], LDP_NOISY, worker->answer[LDP_NOISY]);
        if (setup->want_times)
            measured[nsynopses * of->nk * nmeasures + s] = clock_seconds() - start;
        if (setup->want_intervals)
            find_intervals(worker, s);
        for (enum ldp_stage stage = LDP_SAMPLED; setup->want_parts && stage <= LDP_EXACT; stage++)
            synopsis->answer(worker->state[s], stage, worker->answer[stage]);
        for (size_t i = 0; i < of->sets.count; i++)
            worker->prediction[i] = (struct ldp_prediction){(double)NAN, (double)NAN};
        if (setup->want_parts && synopsis->predict)
            synopsis->predict(worker->state[s], worker->prediction);
        for (size_t j = 0; j < of->nk; j++)
            measure_k(worker, j, measured + (s * of->nk + j) * nmeasures);
        if (sums)
            moments_add(worker, sums + s * marginals_sum_length(of));
        if (setup->attacks.count > 0)
            attacked = attack(worker, s, rng, attacked);
    }
    return 0;
}

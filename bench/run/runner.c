/* runner.c - see runner.h.
 *
 * Units (stretches of repetitions of a cell) are given to threads in an order that is spread over the whole grid, so
 * that the finished work is representative and the time left can be estimated from it. Every repetition has a random
 * stream of its own, so results depend neither on the order nor on the number of threads. This file is over 500 lines:
 * threads, ranks and the store wait for each other. */
#include "run/runner.h"

#include "run/interruption.h"
#include "run/mpi.h"
#include "support/clock.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "support/threads.h"
#include "tasks/task.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds between commits of the store: at most this much work is lost if the process is killed. */
static const double commit_seconds = 0.5;

/* A line on a terminal: the work that is done and the time left. */
struct progress {
    bool shown;
    const char *name;
    double started, drawn;  /* seconds of the monotonic clock */
    double cost, cost_done; /* in the task's unit of cost */
    size_t repetitions, repetitions_done;
};

struct run {
    const struct experiment *experiment;
    struct store *store;
    const char *folder;
    struct progress progress;
    double committed; /* time of the last commit */
    size_t remote;    /* units that other ranks have not sent yet */
    double busy;      /* seconds of work, of all threads */
    _Atomic bool failed;
    struct failure *failure; /* the first of several threads; the others give up when they see it */
};

/* Held by the thread that uses the store or sends to another rank. */
static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;

static void progress_add(struct progress *progress, size_t repetitions, double cost)
{
    const double now = clock_seconds();

    progress->repetitions_done += repetitions;
    progress->cost_done += cost;
    if (!progress->shown || now - progress->drawn < 0.2 || !(progress->cost_done > 0))
        return;
    const double passed = now - progress->started, part = progress->cost_done / progress->cost;
    const unsigned long seconds = part < 1 ? (unsigned long)(passed * (1 - part) / part + 0.5) : 0;
    fprintf(stderr, "\r%.36s: %zu of %zu repetitions", progress->name, progress->repetitions_done,
            progress->repetitions);
    if (part > (passed > 10 ? 0 : 0.02)) /* the first units tell little of the others */
        fprintf(stderr, ", %lu:%02lu:%02lu left", seconds / 3600, seconds / 60 % 60, seconds % 60);
    fputs("\033[K", stderr);
    progress->drawn = now;
}

static void progress_end(const struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}

/* Says what is kept of a run that was interrupted. */
static int fail_interrupted(const struct run *run, struct failure *failure)
{
    const size_t all = store_all_repetitions(run->store),
                 lost = run->progress.repetitions - run->progress.repetitions_done;

    if (!run->folder)
        return fail(failure, EXIT_MACHINE, "interrupted; with -o DIR the same command continues");
    return fail(failure, EXIT_MACHINE,
                "%s: interrupted; the same command continues from the %zu of %zu repetitions kept in %s",
                run->experiment->name, all - lost, all, SHOWN_PATH(run->folder));
}

/* Keeps what was finished, while units still run; the process ends next. If the store is in use for long, it is lost.
 */
static void give_up(void *about)
{
    struct run *const run = about;
    struct timespec until;
    struct failure failure = NO_REASON;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 300000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    const bool locked = pthread_mutex_timedlock(&store_lock, &until) == 0;
    progress_end(&run->progress);
    if (!locked && run->folder)
        fail(&failure, EXIT_MACHINE, "%s: interrupted; the same command continues", run->experiment->name);
    else if (!locked || store_commit(run->store, &failure) == 0)
        fail_interrupted(run, &failure);
    print_message("ldpbench: %s\n", failure.text);
}

/* Working memory of one thread. */
struct thread_state {
    struct worker *worker;
    size_t cell;      /* the cell that the worker is prepared for */
    char *collection; /* what its random numbers depend on */
    double *measured, *sums;
    size_t measured_room, sums_room;
    double busy; /* seconds of work on units, without waiting for the store */
};

static void state_clear(const struct task *task, struct thread_state *state)
{
    if (state->worker)
        task->worker_free(state->worker);
    free(state->collection);
    free(state->measured);
    free(state->sums);
}

static void grow(double **array, size_t *room, size_t n)
{
    if (n > *room)
        *array = xrealloc(*array, *room = n, sizeof **array);
}

static int take_cell(const struct experiment *experiment, struct thread_state *state, size_t cell,
                     struct failure *failure)
{
    if (state->cell == cell)
        return 0;
    state->cell = SIZE_MAX;
    free(state->collection);
    state->collection = experiment->task->collection_key(experiment->setup, cell);
    if (experiment->task->worker_begin(state->worker, cell, failure) != 0)
        return -1;
    state->cell = cell;
    return 0;
}

/* Nanoseconds of a repetition. */
static double cost_of(const struct experiment *experiment, size_t cell)
{
    return experiment->task->cost(experiment->setup, cell).nanoseconds;
}

static const struct layout *layout_of(const struct experiment *experiment, size_t cell)
{
    return experiment->task->layout(experiment->setup, cell);
}

static int load_sums(struct run *run, const struct unit *unit, double *sums, uint32_t *done, struct failure *failure)
{
    pthread_mutex_lock(&store_lock);
    const int result = store_load_sums(run->store, unit, sums, done, failure);
    pthread_mutex_unlock(&store_lock);
    return result;
}

/* No table has a number that is not finite: the square of a number up to this one is, and so are sums of squares. */
static const double largest_number = 1e150;

/* The numbers of a repetition; an undefined one (NAN) leaves its field empty. */
static int check_numbers(const struct layout *layout, const double *measured, struct failure *failure)
{
    for (size_t i = 0; i < layout->nseries; i++) {
        const struct series *const series = &layout->series[i];
        char number[NUMBER_TEXT];

        if (isnan(measured[i]) || fabs(measured[i]) <= largest_number)
            continue;
        return fail(failure, EXIT_BAD_INPUT, "%s%s%s: expected numbers up to 1e150, got %s", series->method,
                    *series->method ? ", " : "", series->measure, format_number(measured[i], number));
    }
    return 0;
}

static int check_sums(const double *sums, size_t count, struct failure *failure)
{
    char number[NUMBER_TEXT];

    for (size_t i = 0; i < count; i++)
        if (!(fabs(sums[i]) <= largest_number))
            return fail(failure, EXIT_BAD_INPUT, "expected sums of estimates and of their squares up to 1e150, got %s",
                        format_number(sums[i], number));
    return 0;
}

/* Adds cell and repetition to the message of a failure. */
static int fail_repetition(const struct experiment *experiment, size_t cell, uint32_t repetition,
                           struct failure *failure)
{
    const struct failure why = *failure;
    char *const words = cell_words(experiment, cell);

    fail(failure, why.status, "%s: %s%srepetition %lu: %s", experiment->name, words, *words ? ", " : "",
         (unsigned long)repetition, why.text);
    free(words);
    return -1;
}

/* Puts a unit into the store; under the lock. */
static int put_unit(struct run *run, const struct unit *unit, const double *measured, const double *sums, uint32_t done,
                    struct failure *failure)
{
    const size_t repetitions = (size_t)__builtin_popcountll(unit->missing);
    const double from = clock_seconds();
    int result = 0;

    store_put(run->store, unit, measured, sums, done);
    if (clock_seconds() - run->committed >= commit_seconds) {
        result = store_commit(run->store, failure);
        run->committed = clock_seconds();
    }
    progress_add(&run->progress, repetitions, (double)repetitions * cost_of(run->experiment, unit->cell));
#pragma omp atomic
    run->busy += clock_seconds() - from;
    return result;
}

/* Takes in one unit of another rank: 1, 0 if there is none, -1. */
static int take_remote(struct run *run, bool wait, struct failure *failure)
{
    struct unit unit;
    uint32_t done;
    double *numbers = NULL;
    int result = rank_receive(wait, &unit, &done, &numbers, failure);

    if (result <= 0)
        return result;
    const struct layout *const layout = layout_of(run->experiment, unit.cell);
    const size_t nmeasured = (size_t)__builtin_popcountll(unit.missing) * layout->nseries;
    result = put_unit(run, &unit, numbers, layout->nsums > 0 ? numbers + nmeasured : NULL, done, failure);
    free(numbers);
    run->remote--;
    return result == 0 ? 1 : -1;
}

static int deliver(struct run *run, const struct unit *unit, const double *measured, size_t nmeasured,
                   const double *sums, size_t nsums, uint32_t done, struct failure *failure)
{
    int result = 0;

    pthread_mutex_lock(&store_lock);
    if (rank_index() != 0) {
        result = rank_send(unit, done, measured, nmeasured, sums, nsums, failure);
    } else {
        result = put_unit(run, unit, measured, nsums > 0 ? sums : NULL, done, failure);
        while (result == 0 && run->remote > 0 && (result = take_remote(run, false, failure)) > 0)
            result = 0;
    }
    pthread_mutex_unlock(&store_lock);
    return result;
}

static int run_unit(struct run *run, struct thread_state *state, const struct unit *unit, struct failure *failure)
{
    const struct experiment *const experiment = run->experiment;
    const struct task *const task = experiment->task;
    const struct layout *const layout = layout_of(experiment, unit->cell);
    const size_t series = layout->nseries, sums_size = layout->nsums * layout->sum_length;
    const double from = clock_seconds();

    grow(&state->measured, &state->measured_room, 64 * series);
    grow(&state->sums, &state->sums_room, sums_size);
    if (take_cell(experiment, state, unit->cell, failure) != 0)
        return -1;
    uint32_t done = 0;
    if (sums_size > 0) {
        memset(state->sums, 0, sums_size * sizeof *state->sums);
        if (!unit->whole && load_sums(run, unit, state->sums, &done, failure) != 0)
            return -1;
    }
    size_t n = 0;
    for (uint32_t i = 0; i < 64; i++) {
        if (!(unit->missing >> i & 1))
            continue;
        struct ldp_rng rng;
        ldp_rng_stream(&rng, experiment->seed, state->collection, unit->first + i);
        double *const measured = state->measured + n++ * series;
        if (task->worker_run(state->worker, &rng, measured, sums_size > 0 && i >= done ? state->sums : NULL, failure) !=
                0 ||
            check_numbers(layout, measured, failure) != 0)
            return fail_repetition(experiment, unit->cell, unit->first + i, failure);
        if (i >= done)
            done = i + 1;
    }
    if (check_sums(state->sums, sums_size, failure) != 0)
        return fail_repetition(experiment, unit->cell, unit->first, failure);
    state->busy += clock_seconds() - from;
    return deliver(run, unit, state->measured, n * series, state->sums, sums_size, done, failure);
}

static void word_threads(const void *what, struct failure *failure)
{
    fail(failure, EXIT_MACHINE, "out of memory for %d threads; fewer (-j) need less", omp_get_num_threads());
}

static void work(struct run *run, const struct unit *units, size_t count)
{
    const struct task *const task = run->experiment->task;
    struct thread_state state = {.cell = SIZE_MAX, .worker = task->worker_new(run->experiment->setup)};
    struct failure failure = NO_REASON;

#pragma omp barrier
#pragma omp single nowait
    memory_for(NULL, NULL);
#pragma omp for schedule(dynamic, 1) nowait
    for (size_t i = (size_t)rank_index(); i < count; i += (size_t)rank_count()) {
        if (interruption_signal() != 0 || run->failed || run_unit(run, &state, &units[i], &failure) == 0)
            continue;
#pragma omp critical(first_failure)
        {
            if (!run->failed)
                *run->failure = failure;
            run->failed = true;
        }
    }
#pragma omp atomic
    run->busy += state.busy;
    state_clear(task, &state);
}

/* Longer units mean less work for the store, shorter ones keep all threads busy to the end. */
static uint32_t unit_length(const struct experiment *experiment, int threads)
{
    const double all = (double)experiment->setup->ncells * experiment->repetitions;
    const double length = all / (16.0 * threads);

    return length < 1 ? 1 : length > 16 ? 16 : (uint32_t)length;
}

static size_t common_divisor(size_t a, size_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Reorders units so that every part of the list is spread over the grid: steps of the golden section, modulo the length
 * of the list. */
static void spread(struct unit **units, size_t count)
{
    if (count < 3)
        return;
    struct unit *const spread_units = xmalloc(count, sizeof *spread_units);
    size_t step = (size_t)(0.6180339887498949 * (double)count) | 1;
    while (common_divisor(step, count) != 1)
        step++;
    for (size_t i = 0, from = 0; i < count; i++, from = (from + step) % count)
        spread_units[i] = (*units)[from];
    free(*units);
    *units = spread_units;
}

/* The list of units, at every rank. */
static int share_work(const struct experiment *experiment, struct store *store, int threads, struct unit **units,
                      size_t *count, struct failure *failure)
{
    const bool many = rank_count() > 1;
    int result = 0;

    if (store)
        result = store_pending(store, unit_length(experiment, threads * rank_count()), many, units, count, failure);
    if (store && result == 0)
        spread(units, *count);
    if (!ranks_agree(result == 0))
        return result == 0 ? fail(failure, EXIT_MACHINE, "another rank failed") : -1;
    return ranks_share_units(units, count) == 0 ? 0 : fail_memory(failure);
}

/* Runs units over threads and ranks until all are in the store. */
static int run_units(struct run *run, const struct unit *units, size_t count, int threads, struct failure *failure)
{
    if (run->store && rank_count() == 1)
        interruption_begin(give_up, run); /* a thread as well */
    memory_for(word_threads, NULL);
    run->failed = threads_check(threads, failure) != 0;
#pragma omp parallel num_threads(run->failed ? 1 : threads)
    work(run, units, count);
    interruption_end();
    ranks_sent();
    if (run->store) {
        while (!run->failed && run->remote > 0)
            run->failed = take_remote(run, true, failure) < 0;
        /* Finished units are kept even if something else failed. A short run is one transaction. */
        const bool brief = !run->failed && clock_seconds() - run->progress.started < commit_seconds;
        struct failure ignored = NO_REASON, *const why = run->failed ? &ignored : failure;

        if ((brief ? store_write(run->store, why) : store_commit(run->store, why)) != 0)
            run->failed = true;
    } else if (run->failed) {
        rank_send_failure(failure);
    }
    return run->failed ? -1 : 0;
}

static void find_idle(struct run_summary *summary, double busy)
{
    const double period = summary->seconds * summary->threads, ranks = rank_count();
    double all, least;

    ranks_busy(busy, &all, &least);
    if (period > 0) {
        summary->idle = fmax(0, 1 - all / (ranks * period));
        summary->idle_most = fmax(0, 1 - least / period);
    }
}

int runner_run(const struct experiment *experiment, struct store *store, const struct run_options *options,
               struct run_summary *summary, struct failure *failure)
{
    const double start = clock_seconds();
    int threads = options->threads > 0 ? options->threads : omp_get_max_threads();

    *summary = (struct run_summary){.threads = 1};
    struct unit *units = NULL;
    size_t count = 0;
    if (share_work(experiment, store, threads, &units, &count, failure) != 0) {
        free(units);
        return -1;
    }
    struct run run = {.experiment = experiment, .store = store, .folder = options->folder, .failure = failure};
    size_t missing = 0;
    double cost = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t repetitions = (size_t)__builtin_popcountll(units[i].missing);

        missing += repetitions;
        cost += (double)repetitions * cost_of(experiment, units[i].cell);
        run.remote += i % (size_t)rank_count() != 0;
    }
    run.progress = (struct progress){.shown = options->progress,
                                     .name = experiment->name,
                                     .started = clock_seconds(),
                                     .cost = cost,
                                     .repetitions = missing};
    run.committed = run.progress.started;
    if ((size_t)threads > count)
        threads = count > 0 ? (int)count : 1;
    int result = units ? run_units(&run, units, count, threads, failure) : 0;
    progress_end(&run.progress);
    if (result == 0 && store && run.progress.repetitions_done < missing)
        result = fail_interrupted(&run, failure);
    free(units);
    *summary = (struct run_summary){
        .threads = threads,
        .repetitions_run = missing,
        .repetitions_kept = store ? store_all_repetitions(store) - missing : 0,
        .seconds = clock_seconds() - start,
    };
    if (result == 0)
        find_idle(summary, run.busy);
    return result;
}

/* The i-th of the numbers below count, far apart at first: the bits of i reversed. SIZE_MAX: there is none. */
static size_t scattered(size_t i, size_t count)
{
    size_t turned = 0;

    for (size_t size = 1; size < count; size *= 2, i /= 2)
        turned = 2 * turned + i % 2;
    return turned < count ? turned : SIZE_MAX;
}

/* How often workers get ready for a cell: for each of its units, as these are spread; where it is the only one, each
 * worker once. */
static double begins_of(const struct experiment *experiment, size_t cell, int threads)
{
    const uint32_t length = layout_of(experiment, cell)->nsums > 0 ? STORE_BLOCK : unit_length(experiment, threads);
    const double units = ceil((double)experiment->repetitions / length);

    return experiment->setup->ncells == 1 ? fmin(units, threads) : units;
}

int runner_estimate(const struct experiment *experiment, double budget, int threads, double *seconds,
                    struct failure *failure)
{
    const struct task *const task = experiment->task;
    enum { EACH = 8 /* a repetition may take such a part of the time if it can end earlier */ };
    const size_t cells = experiment->setup->ncells;
    const double start = clock_seconds();
    struct thread_state state = {.cell = SIZE_MAX, .worker = task->worker_new(experiment->setup)};
    int result = -1;

    double all = 0, begins = 0, unknown = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        const struct cell_cost cost = task->cost(experiment->setup, cell);
        const double times = begins_of(experiment, cell, threads);

        all += cost.nanoseconds * 1e-9 * (double)experiment->repetitions;
        begins += cost.begin * 1e-9 * times;
        unknown += cost.begin > 0 ? 0 : times;
    }
    double known = 0, begun = 0, ran = 0;
    size_t tried = 0;
    for (size_t i = 0; i < 2 * cells && clock_seconds() - start < budget; i++) {
        const size_t cell = scattered(i, cells);
        double from = clock_seconds();

        if (cell == SIZE_MAX)
            continue;
        const struct cell_cost cost = task->cost(experiment->setup, cell);
        if ((cost.least > 0 ? cost.least : cost.nanoseconds) * 1e-9 > budget)
            continue;
        const struct layout *const layout = layout_of(experiment, cell);
        grow(&state.measured, &state.measured_room, layout->nseries);
        grow(&state.sums, &state.sums_room, layout->nsums * layout->sum_length);
        if (take_cell(experiment, &state, cell, failure) != 0)
            goto out;
        begun += clock_seconds() - from;
        from = clock_seconds();
        state.worker->until = from + budget / EACH;
        state.worker->left_out = 0;
        struct ldp_rng rng;
        ldp_rng_stream(&rng, experiment->seed, state.collection, 0);
        if (state.sums)
            memset(state.sums, 0, state.sums_room * sizeof *state.sums);
        if (task->worker_run(state.worker, &rng, state.measured, state.sums, failure) != 0)
            goto out;
        ran += clock_seconds() - from + state.worker->left_out;
        known += cost.nanoseconds * 1e-9;
        tried++;
    }
    begins += tried > 0 ? begun / (double)tried * unknown : 0;
    *seconds = experiment->prepared + (all * (known > 0 ? ran / known : 1) + begins) / threads;
    result = 0;
out:
    state_clear(task, &state);
    return result;
}

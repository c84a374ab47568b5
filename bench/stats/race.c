/* race.c - see race.h.
 *
 * Racers are the protocols with some values of the parameters that all of them have: `step` (the default, and
 * every one of which two make 2^21 candidates at most), `keep` (the default, and one to four times the target's size),
 * and an answer (`return`) of the target's size; values that come to the same search are raced once. All of them
 * run once, the better half once more, the better half of those twice, twice more, then four times, until FINALISTS are
 * left or fewer; of equally good ones those with fewer candidates go on. Finalists run `trials` times, from streams
 * that nothing was chosen by, and so does the winner once more.
 *
 * Source: successive halving (Karnin, Koren, Somekh, ICML 2013), with more repetitions of those that are left. */
#include "stats/race.h"

#include "support/memory.h"
#include "support/registry.h"
#include "support/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINALISTS = 4, STEPS = 22, KEEPS = 5, CHUNK = 5 };

const double race_level = 0.05;

/* ---- Racers ---- */

static size_t place_of(const struct ldp_search *search, const char *name)
{
    for (size_t i = 0; search->params && search->params[i].name; i++)
        if (strcmp(search->params[i].name, name) == 0)
            return i;
    return LDP_PARAMS_MAX;
}

/* Values of a parameter, the default first. */
struct values {
    size_t place, count;
    double value[STEPS + KEEPS];
};

static struct values values_of(const struct ldp_search *search, const char *name)
{
    struct values values = {.place = place_of(search, name), .count = 1};

    if (values.place < LDP_PARAMS_MAX)
        values.value[0] = search->params[values.place].fallback;
    return values;
}

static void add_value(struct values *values, double value)
{
    if (values->place == LDP_PARAMS_MAX)
        return;
    for (size_t i = 0; i < values->count; i++)
        if (values->value[i] == value)
            return;
    values->value[values->count++] = value;
}

/* All numbers of symbols of which twice as many make 2^21 candidates at most. */
static void add_steps(struct values *values, const struct race_plan *plan)
{
    const double symbols = (double)plan->strings->searched, square = symbols * symbols;
    double ways = square;

    for (unsigned step = 1; step <= plan->strings->length && step < STEPS; step++, ways *= square)
        if (step == 1 || ways <= 0x1p21)
            add_value(values, step);
}

static struct ldp_search_input input_of(const struct race_plan *plan, size_t oracle)
{
    return (struct ldp_search_input){.strings = plan->strings,
                                     .histogram = plan->population->histogram,
                                     .oracle = &plan->oracles[oracle],
                                     .epsilon = plan->epsilon,
                                     .mode = LDP_COUNTS};
}

/* True if there is a racer with these parameters, derived ones included. */
static bool has_racer(const struct race *race, const struct ldp_search_spec *configured, size_t oracle)
{
    for (size_t i = 0; i < race->count; i++) {
        const struct racer *const racer = &race->racer[i];
        bool same = racer->oracle == oracle && racer->configured.search == configured->search;

        for (size_t k = 0; same && configured->search->params && configured->search->params[k].name; k++)
            same = racer->configured.param[k] == configured->param[k] ||
                   (isnan(racer->configured.param[k]) && isnan(configured->param[k]));
        if (same)
            return true;
    }
    return false;
}

static void add_racer(struct race *race, const struct ldp_search_spec *spec, const struct ldp_search_spec *configured,
                      size_t oracle)
{
    if (!has_racer(race, configured, oracle))
        *ARRAY_ADD(race->racer, race->count, race->room) =
            (struct racer){.spec = *spec,
                           .configured = *configured,
                           .oracle = oracle,
                           .label = algorithm_text(spec->search->name, spec->search->params, spec->param, false)};
}

struct ldp_search_spec race_spec(const struct ldp_search *search, const struct ldp_target *target,
                                 const struct ldp_population *population)
{
    const size_t answer = place_of(search, "return");
    struct ldp_search_spec spec = {.search = search};

    ldp_params_default(search->params, spec.param);
    if (target->top > 0 && answer < LDP_PARAMS_MAX)
        spec.param[answer] = (double)ldp_target_size(target, population);
    return spec;
}

/* One protocol with one oracle. */
static int add_protocol(const struct race_plan *plan, const struct ldp_search *search, size_t oracle, struct race *race,
                        struct ldp_reason *reason, struct failure *failure)
{
    const struct ldp_search_input input = input_of(plan, oracle);
    const size_t size = ldp_target_size(&plan->target, plan->population);
    struct values steps = values_of(search, "step"), keeps = values_of(search, "keep");

    add_steps(&steps, plan);
    for (size_t times = 1; times < KEEPS; times++)
        add_value(&keeps, (double)(times * size));
    for (size_t s = 0; s < steps.count; s++)
        for (size_t k = 0; k < keeps.count; k++) {
            struct ldp_search_spec spec = race_spec(search, &plan->target, plan->population);

            if (steps.place < LDP_PARAMS_MAX)
                spec.param[steps.place] = steps.value[s];
            if (keeps.place < LDP_PARAMS_MAX)
                spec.param[keeps.place] = keeps.value[k];
            struct ldp_search_spec configured;

            switch (ldp_search_configure(&spec, &input, &configured, reason)) {
            case LDP_OK: add_racer(race, &spec, &configured, oracle); break;
            case LDP_ENOMEM: return fail_memory(failure);
            default: break;
            }
        }
    return 0;
}

static int add_all(const struct race_plan *plan, struct race *race, struct failure *failure)
{
    struct ldp_reason first = {""};

    for (size_t o = 0; o < plan->noracles; o++)
        for (size_t i = 0; plan->searches[i]; i++) {
            struct ldp_reason reason = {""};

            if (add_protocol(plan, plan->searches[i], o, race, &reason, failure) != 0)
                return -1;
            first = first.text[0] ? first : reason;
        }
    if (race->count == 0)
        return fail(failure, EXIT_BAD_INPUT, "no protocol suits these strings: %s", first.text);
    return 0;
}

/* ---- Searches ---- */

static int failed(enum ldp_status status, const struct racer *racer, const struct ldp_reason *reason,
                  struct failure *failure)
{
    if (status == LDP_ENOMEM)
        return fail(failure, EXIT_MACHINE, "out of memory in a search by %s", racer->label);
    return fail(failure, EXIT_BAD_INPUT, "%s: %s", racer->label, reason->text);
}

/* Copies the rounds of a repetition. */
static void keep_rounds(const struct ldp_search_rounds *from, struct race_rounds *to)
{
    to->round = xcalloc(from->count, sizeof *to->round);
    to->count = from->count;
    memcpy(to->round, from->round, from->count * sizeof *to->round);
}

/* Repetitions of a racer, first .. first + count - 1: value[count][SEARCH_MEASURES], and rounds[count] unless NULL.
 * *last: the search before, whose memory is used, or NULL; then this one. */
static int simulate(const struct race_plan *plan, const struct racer *racer, uint64_t first, size_t count,
                    struct ldp_search_state **last, double *value, struct race_rounds *rounds, struct failure *failure)
{
    const struct ldp_search_input input = input_of(plan, racer->oracle);
    struct ldp_search_state *state = NULL;
    struct ldp_reason reason = {""};
    enum ldp_status status = ldp_search_new(&racer->spec, &input, &state, &reason);

    if (status == LDP_OK && *last)
        ldp_search_exchange_memory(state, *last);
    for (size_t r = 0; status == LDP_OK && r < count; r++, value += SEARCH_MEASURES) {
        double measure[SEARCH_ALL_MEASURES];
        struct ldp_rng rng;

        ldp_rng_stream(&rng, plan->seed, racer->label, (first + r) * plan->noracles + racer->oracle);
        const struct ldp_search_result *result;
        status = ldp_search_run(state, &rng, &result, &reason);
        if (status != LDP_OK)
            break;
        search_measure(plan->strings, plan->population, result, &plan->target, measure);
        memcpy(value, measure, SEARCH_MEASURES * sizeof *value);
        if (rounds)
            keep_rounds(&result->rounds, &rounds[r]);
    }
    ldp_search_free(*last);
    *last = state;
    return status == LDP_OK ? 0 : failed(status, racer, &reason, failure);
}

/* The same of the first `racers`: values[racer][count][SEARCH_MEASURES]; rounds[racer][count], or NULL. */
static int simulate_all(const struct race_plan *plan, struct race *race, size_t racers, uint64_t first, size_t count,
                        double *values, struct race_rounds *rounds, struct failure *failure)
{
    const size_t chunks = (count + CHUNK - 1) / CHUNK;
    struct first_failure first_failed = {0};

#pragma omp parallel num_threads(plan->threads)
    {
        struct ldp_search_state *last = NULL;

#pragma omp for schedule(dynamic)
        for (size_t unit = 0; unit < racers * chunks; unit++) {
            const size_t racer = unit / chunks, from = unit % chunks * CHUNK;
            struct failure own = NO_REASON;

            if (!first_failure_is_set(&first_failed) &&
                simulate(plan, &race->racer[racer], first + from, count - from < CHUNK ? count - from : CHUNK, &last,
                         values + (racer * count + from) * SEARCH_MEASURES,
                         rounds ? rounds + racer * count + from : NULL, &own) != 0)
                first_failure_set(&first_failed, &own);
        }
        ldp_search_free(last);
    }
    race->searches += racers * count;
    if (first_failed.failed)
        *failure = first_failed.failure;
    return first_failed.failed ? -1 : 0;
}

static int by_first(const void *a, const void *b)
{
    const struct racer *const x = a, *const y = b;

    if (x->first != y->first)
        return x->first < y->first ? 1 : -1;
    return x->candidates != y->candidates ? (x->candidates > y->candidates ? 1 : -1) : strcmp(x->label, y->label);
}

static int by_final(const void *a, const void *b)
{
    const struct racer *const x = a, *const y = b;

    if (x->ranking.mean != y->ranking.mean)
        return x->ranking.mean < y->ranking.mean ? 1 : -1;
    return x->candidates != y->candidates ? (x->candidates > y->candidates ? 1 : -1) : strcmp(x->label, y->label);
}

/* The better half goes on, until few enough are left. */
static int heats(const struct race_plan *plan, struct race *race, struct failure *failure)
{
    size_t left = race->count;
    uint64_t done = 0;

    for (size_t heat = 0; left > FINALISTS; heat++) {
        const size_t count = heat < 2 ? 1 : heat < 4 ? 2 : 4;
        double *const values = xmalloc(left * count * SEARCH_MEASURES, sizeof *values);

        if (simulate_all(plan, race, left, done, count, values, NULL, failure) != 0) {
            free(values);
            return -1;
        }
        for (size_t i = 0; i < left; i++) {
            double sum = race->racer[i].first * (double)done;

            for (size_t r = 0; r < count; r++)
                sum += values[(i * count + r) * SEARCH_MEASURES + SEARCH_RANKED_BY];
            race->racer[i].candidates = values[i * count * SEARCH_MEASURES + SEARCH_CANDIDATES];
            race->racer[i].first = sum / (double)(done + count);
        }
        free(values);
        done += count;
        qsort(race->racer, left, sizeof *race->racer, by_first);
        left = left / 2 > FINALISTS ? left / 2 : FINALISTS;
    }
    race->nfinal = left;
    return 0;
}

/* First repetitions of the final and of the run after it; disjoint from those of the heats. */
enum { OF_FINAL = 1 << 20, OF_WINNER = 1 << 21 };

/* Repetitions of those in the final; rounds[nfinal][trials], or NULL. */
static int measure_finalists(const struct race_plan *plan, struct race *race, uint64_t first,
                             struct race_rounds *rounds, struct failure *failure)
{
    const size_t trials = plan->trials;
    double *const values = xmalloc(race->nfinal * trials * SEARCH_MEASURES, sizeof *values);

    if (simulate_all(plan, race, race->nfinal, first, trials, values, rounds, failure) != 0) {
        free(values);
        return -1;
    }
    for (size_t i = 0; i < race->nfinal; i++) {
        struct racer *const racer = &race->racer[i];

        racer->value = xrealloc(racer->value, SEARCH_MEASURES * trials, sizeof *racer->value);
        for (size_t r = 0; r < trials; r++)
            for (size_t m = 0; m < SEARCH_MEASURES; m++)
                racer->value[m * trials + r] = values[(i * trials + r) * SEARCH_MEASURES + m];
        racer->ranking = sample_of(racer->value + SEARCH_RANKED_BY * trials, trials);
        racer->candidates = sample_of(racer->value + SEARCH_CANDIDATES * trials, trials).mean;
    }
    free(values);
    return 0;
}

static void compare_racers(struct race *race)
{
    struct comparison *const all = xcalloc(race->nfinal, sizeof *all);

    for (size_t i = 1; i < race->nfinal; i++)
        compare_samples(&race->racer[0].ranking, &race->racer[i].ranking, false, &all[i - 1]);
    if (race->nfinal > 1)
        compare_all(all, race->nfinal - 1, race_level);
    for (size_t i = 1; i < race->nfinal; i++) {
        race->racer[i].from_the_best = all[i - 1];
        race->racer[i].apart =
            all[i - 1].adjusted < race_level && race->racer[i].ranking.mean < race->racer[0].ranking.mean;
    }
    free(all);
}

/* ---- The winner ---- */

/* The final again, without another choice: what is said of the finalists does not depend on why one of them won. */
static int again(const struct race_plan *plan, struct race *race, struct failure *failure)
{
    const size_t trials = plan->trials, all = race->nfinal * trials;
    struct race_rounds *const rounds = xcalloc(all, sizeof *rounds);

    const int result = measure_finalists(plan, race, OF_WINNER, rounds, failure);
    for (size_t i = trials; i < all; i++)
        free(rounds[i].round);
    race->winner.rounds = rounds;
    if (result != 0)
        return -1;
    for (size_t m = 0; m < SEARCH_MEASURES; m++)
        race->winner.measure[m] = summarise(race->racer[0].value + m * trials, trials);
    qsort(race->racer + 1, race->nfinal - 1, sizeof *race->racer, by_final);
    compare_racers(race);
    return 0;
}

/* Seconds of clients and server, by a search of fewer users by reports. */
static int take_times(const struct race_plan *plan, struct race *race, struct failure *failure)
{
    const double work = 2e9 / (race->winner.measure[SEARCH_CANDIDATES].mean + 1), n = (double)plan->population->n;
    const uint64_t asked = (uint64_t)fmin(n, fmax(1000, fmin(work, 100000)));
    uint64_t *const counts = xmalloc(plan->population->d, sizeof *counts);
    struct ldp_search_input input = input_of(plan, race->racer[0].oracle);
    struct ldp_search_state *state = NULL;

    race->winner.client_seconds = race->winner.server_seconds = (double)NAN;
    race->winner.asked = asked;
    struct ldp_rng rng;
    ldp_rng_stream(&rng, plan->seed, "times", 0);
    ldp_multivariate_hypergeometric(&rng, plan->population->counts, plan->population->d, asked, counts);
    input.mode = LDP_REPORTS;
    input.histogram = (struct ldp_histogram){.d = plan->population->d, .n = asked, .counts = counts};

    struct ldp_reason reason;
    enum ldp_status status = ldp_search_new(&race->racer[0].spec, &input, &state, &reason);

    const struct ldp_search_result *result;
    if (status == LDP_OK)
        status = ldp_search_run(state, &rng, &result, &reason);
    if (status == LDP_OK) {
        race->winner.client_seconds = result->times.client / (double)asked * n;
        race->winner.server_seconds = result->times.server / (double)asked * n + result->times.decode;
    }
    ldp_search_free(state);
    free(counts);
    return status == LDP_ENOMEM ? fail_memory(failure) : 0;
}

int race_run(const struct race_plan *plan, struct race *out, struct failure *failure)
{
    *out = (struct race){.trials = plan->trials};
    if (threads_check(plan->threads, failure) != 0 || add_all(plan, out, failure) != 0 ||
        heats(plan, out, failure) != 0 || measure_finalists(plan, out, OF_FINAL, NULL, failure) != 0)
        return -1;
    qsort(out->racer, out->nfinal, sizeof *out->racer, by_final);
    return again(plan, out, failure) != 0 ? -1 : take_times(plan, out, failure);
}

void race_clear(struct race *race)
{
    for (size_t i = 0; i < race->count; i++) {
        free(race->racer[i].label);
        free(race->racer[i].value);
    }
    for (size_t r = 0; race->winner.rounds && r < race->trials; r++)
        free(race->winner.rounds[r].round);
    free(race->racer);
    free(race->winner.rounds);
    *race = (struct race){0};
}

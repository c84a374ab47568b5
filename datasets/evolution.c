/* evolution.c - see evolution.h. */
#include "evolution.h"

#include "records.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Laws ---- */

/* With probability `change` a user's value is drawn anew from the frequencies of the first round. */
static void redraw(const double *param, const struct ldp_histogram *histogram, struct ldp_rng *rng,
                   const uint32_t *before, uint32_t *after)
{
    const uint64_t *const until = histogram->counts; /* cumulated */
    for (uint64_t u = 0; u < histogram->n; u++) {
        after[u] = before[u];
        if (ldp_rng_uniform(rng) >= param[0])
            continue;
        const uint64_t drawn = ldp_rng_below(rng, histogram->n);
        size_t low = 0, high = histogram->d - 1;
        while (low < high) {
            const size_t middle = (low + high) / 2;

            if (until[middle] <= drawn)
                low = middle + 1;
            else
                high = middle;
        }
        after[u] = (uint32_t)low;
    }
}

/* The same values, dealt anew to the users (Fisher, Yates). */
static void permute(const double *param, const struct ldp_histogram *histogram, struct ldp_rng *rng,
                    const uint32_t *before, uint32_t *after)
{
    for (uint64_t u = 0; u < histogram->n; u++) {
        const uint64_t other = ldp_rng_below(rng, u + 1);

        after[u] = after[other];
        after[other] = before[u];
    }
}

static const struct ldp_param redraw_params[] = {
    {.name = "change",
     .kind = LDP_REAL,
     .fallback = 0.25,
     .min = 0,
     .max = 1,
     .help = "probability that a user's value is drawn anew in a round"},
    {.name = NULL},
};

const struct evolution_law evolution_laws[] = {
    {.name = "static", .title = "no user's value changes"},
    {.name = "redraw",
     .title = "values are drawn anew with a probability, from the frequencies of the first round",
     .params = redraw_params,
     .step = redraw},
    {.name = "permuted", .title = "the values are dealt anew to the users in every round", .step = permute},
    {.name = NULL},
};

/* ---- Values ---- */

static int refused(enum ldp_status status, const struct dataset *dataset, size_t rounds, struct failure *failure)
{
    if (status == LDP_ENOMEM)
        return fail_memory(failure);
    return fail(failure, EXIT_BAD_INPUT,
                "%s: expected at most %zu values of all users in all rounds, got %zu rounds of %llu users",
                dataset->name, LDP_SEQUENCE_VALUES_MAX, rounds, (unsigned long long)dataset_n(dataset));
}

/* values[n][rounds]: each round is drawn from the one before. */
static void fill(const struct evolution *evolution, const struct ldp_population *population, size_t rounds,
                 struct ldp_rng *rng, uint64_t *until, uint32_t *row[2], uint32_t *values)
{
    const size_t n = (size_t)population->n;
    uint64_t sum = 0;
    for (size_t v = 0, u = 0; v < population->d; v++) {
        for (uint64_t i = 0; i < population->counts[v]; i++)
            row[0][u++] = (uint32_t)v;
        until[v] = sum += population->counts[v];
    }
    const struct ldp_histogram law = {.d = population->d, .n = population->n, .counts = until};
    for (size_t t = 0; t < rounds; t++) {
        if (t > 0)
            evolution->law->step(evolution->param, &law, rng, row[(t - 1) % 2], row[t % 2]);
        for (size_t u = 0; u < n; u++)
            values[u * rounds + t] = row[t % 2][u]; /* NOLINT(clang-analyzer-core.*) */
    }
}

static int draw(const struct evolution *evolution, const struct dataset *dataset, size_t rounds, uint64_t seed,
                struct ldp_sequences **out, struct failure *failure)
{
    const struct ldp_population *const population = dataset->population;
    if (population->n > LDP_SEQUENCE_VALUES_MAX / rounds)
        return refused(LDP_EINVAL, dataset, rounds, failure);
    const size_t n = (size_t)population->n;
    uint32_t *const values = malloc(n * rounds * sizeof *values);
    uint32_t *row[2] = {malloc(n * sizeof **row), malloc(n * sizeof **row)};
    uint64_t *const until = malloc(population->d * sizeof *until);
    const bool made = values && row[0] && row[1] && until;
    char stream[128];
    struct ldp_rng rng;

    snprintf(stream, sizeof stream, "evolution|%s|d=%zu|n=%zu", evolution->law->name, population->d, n);
    ldp_rng_stream(&rng, seed, stream, 0);
    if (made)
        fill(evolution, population, rounds, &rng, until, row, values);
    free(row[0]);
    free(row[1]);
    free(until);
    if (!made) {
        free(values);
        return fail_memory(failure);
    }
    const enum ldp_status status = ldp_sequences_new(values, population->d, rounds, population->n, out);
    return status == LDP_OK ? 0 : refused(status, dataset, rounds, failure);
}

/* ---- Records ---- */

/* values[n][columns]: the first columns of all users. */
static void read_rows(const struct ldp_records *records, size_t columns, uint32_t *values)
{
    for (size_t r = 0; r < records->rows; r++)
        for (uint64_t u = 0; u < records->counts[r]; u++)
            for (size_t t = 0; t < columns; t++)
                *values++ = ldp_records_value(records, r, t);
}

int evolution_prepare(struct dataset *dataset, struct failure *failure)
{
    struct dataset_records *const named = dataset->records;
    if (!named || dataset->population)
        return 0;
    size_t labelled = 0, d = 0;
    for (size_t i = 0; named->nwords && i < named->records->d; i++)
        labelled += named->nwords[i] > 0;
    if (labelled > 0 && labelled < named->records->d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected the same values in all columns, got numbers and words",
                    dataset->name);
    if (labelled > 0 && dataset_records_share(named, dataset->name, failure) != 0)
        return -1;
    const struct ldp_records *const records = named->records;
    for (size_t i = 0; i < records->d; i++)
        d = records->cardinality[i] > d ? records->cardinality[i] : d;
    assert(d > 0);
    uint64_t *const counts = calloc(d, sizeof *counts);
    if (!counts)
        return fail_memory(failure);
    for (size_t r = 0; r < records->rows; r++)
        counts[ldp_records_value(records, r, 0)] += records->counts[r];
    const enum ldp_status status = ldp_population_new(counts, d, &dataset->population);
    free(counts);
    if (status != LDP_OK)
        return fail_memory(failure);
    dataset->labels = labelled > 0 ? dataset_records_labels(named, 0) : NULL;
    return 0;
}

static int take_columns(const struct dataset *dataset, size_t rounds, struct ldp_sequences **out,
                        struct failure *failure)
{
    const struct ldp_records *const records = dataset->records->records;
    if (rounds > records->d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a column for each of %zu rounds, got %zu", dataset->name,
                    rounds, records->d);
    if (records->n > LDP_SEQUENCE_VALUES_MAX / rounds)
        return refused(LDP_EINVAL, dataset, rounds, failure);
    uint32_t *const values = malloc((size_t)records->n * rounds * sizeof *values);
    if (!values)
        return fail_memory(failure);
    read_rows(records, rounds, values);
    const enum ldp_status status = ldp_sequences_new(values, dataset->population->d, rounds, records->n, out);
    return status == LDP_OK ? 0 : refused(status, dataset, rounds, failure);
}

int evolution_new(const struct evolution *evolution, const struct dataset *dataset, size_t rounds, uint64_t seed,
                  struct ldp_sequences **out, struct failure *failure)
{
    if (dataset->records)
        return take_columns(dataset, rounds, out, failure);
    if (evolution->law->step)
        return draw(evolution, dataset, rounds, seed, out, failure);
    const struct ldp_population *const population = dataset->population;
    const enum ldp_status status = ldp_sequences_static(population->counts, population->d, rounds, out);
    return status == LDP_OK ? 0 : refused(status, dataset, rounds, failure);
}

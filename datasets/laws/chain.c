/* chain.c - records of d attributes by a Markov chain, a Bayesian network without branches.
 *
 * The first attribute has its own law, p(v) ~ (v+1)^-skew. With probability `strength` each other attribute follows its
 * neighbour, v_i = floor(v_{i-1} c_i / c_{i-1}), c the cardinalities; else it is drawn from its own law. So strength 0
 * is independence and 1 a copy; attributes further apart depend less on each other. Records are always drawn, user by
 * user. */
#include "dataset.h"
#include "numeric.h"
#include "records.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRENGTH, SKEW, CARDINALITY };
enum { CARDINALITY_MAX = 1 << 16 };

static const struct ldp_param params[] = {
    [STRENGTH] = {"strength", LDP_REAL, 0.5, 0, 1, NULL, "probability that an attribute follows its neighbour"},
    [SKEW] = {"skew", LDP_REAL, 1, 0, 100, NULL, "exponent of an attribute's own law, p(v) ~ (v+1)^-skew"},
    [CARDINALITY] = {"cardinality", LDP_INTEGER, 2, 2, CARDINALITY_MAX, NULL, "values of an attribute"},
    {.name = NULL},
};

static const struct dataset_text cardinalities = {
    "cardinalities",
    "the cardinality of each attribute, separated by blanks, repeated from the first if there are fewer; instead of "
    "cardinality",
    "\"2 2 5 16\"", NULL};

/* The number at the beginning of a text, and where it ends; 0: no number of at least 2. */
static uint32_t read_one(const char *text, const char **end)
{
    double value;

    *end = parse_number(text, &value);
    return *end && value >= 2 && value <= CARDINALITY_MAX && value == floor(value) ? (uint32_t)value : 0;
}

static enum ldp_status check(const double *param, const char *text, struct ldp_reason *reason)
{
    (void)param;
    for (const char *at = text ? text + strspn(text, " ") : ""; *at; at += strspn(at, " ")) {
        const char *end;

        if (read_one(at, &end) == 0 || (*end && *end != ' '))
            return ldp_refuse(reason, "cardinalities: expected whole numbers from 2 to %d, got \"%.40s\"",
                              CARDINALITY_MAX, at);
        at = end;
    }
    return LDP_OK;
}

static void set_cardinalities(const struct dataset_request *request, uint32_t *cardinality)
{
    const char *const text = request->text ? request->text + strspn(request->text, " ") : "", *at = text;

    for (size_t i = 0; i < request->d; i++) {
        cardinality[i] = (uint32_t)request->param[CARDINALITY];
        if (!*text)
            continue;
        cardinality[i] = read_one(at, &at);
        at += strspn(at, " ");
        at = *at ? at : text;
    }
}

static void own_law(double skew, uint32_t c, double *cumulated)
{
    double sum = 0;

    for (uint32_t v = 0; v < c; v++)
        cumulated[v] = sum += ldp_pow((double)(v + 1), -skew);
    for (uint32_t v = 0; v < c; v++)
        cumulated[v] /= sum;
    cumulated[c - 1] = 1;
}

static uint32_t draw(struct ldp_rng *rng, const double *cumulated, uint32_t c)
{
    const double u = ldp_rng_uniform(rng);
    uint32_t low = 0, high = c - 1;

    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (cumulated[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void draw_users(const struct dataset_request *request, const uint32_t *cardinality, uint32_t *values)
{
    const size_t d = request->d;
    double **const law = xcalloc(d, sizeof *law);
    char stream[128];

    for (size_t i = 0; i < d; i++) {
        law[i] = xmalloc(cardinality[i], sizeof **law);
        own_law(request->param[SKEW], cardinality[i], law[i]);
    }
    snprintf(stream, sizeof stream, "chain|d=%zu|n=%llu", d, (unsigned long long)request->n);
    struct ldp_rng rng;
    ldp_rng_stream(&rng, request->seed, stream, 0);
    for (uint64_t u = 0; u < request->n; u++)
        for (size_t i = 0; i < d; i++, values++)
            *values = i > 0 && ldp_rng_uniform(&rng) < request->param[STRENGTH]
                          ? (uint32_t)((uint64_t)values[-1] * cardinality[i] / cardinality[i - 1])
                          : draw(&rng, law[i], cardinality[i]);
    for (size_t i = 0; i < d; i++)
        free(law[i]);
    free(law);
}

static int generate(const struct dataset_request *request, struct dataset_records **out, struct failure *failure)
{
    const size_t d = request->d;
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];

    if (d > LDP_ATTRIBUTES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "chain: expected at most %d attributes, got d = %zu", LDP_ATTRIBUTES_MAX,
                    d);
    if (request->n > RECORD_VALUES_MAX / d)
        return fail(failure, EXIT_BAD_INPUT, "chain: expected at most 2^31 values of all users, got n = %llu of %zu",
                    (unsigned long long)request->n, d);
    struct dataset_records *const records = *out = xcalloc(1, sizeof *records);
    uint32_t *const values = xmalloc((size_t)request->n * d, sizeof *values);

    set_cardinalities(request, cardinality);
    draw_users(request, cardinality, values);
    if (ldp_records_new(cardinality, d, values, NULL, (size_t)request->n, &records->records) != LDP_OK)
        out_of_memory();
    free(values);
    records->names = xcalloc(d, sizeof *records->names);
    for (size_t i = 0; i < d; i++)
        records->names[i] = xformat("a%zu", i);
    return 0;
}

const struct dataset_type dataset_type_chain = {
    .name = "chain",
    .title = "records, each attribute following its neighbour with a given strength",
    .source = "for comparison",
    .kind = DATASET_RECORDS,
    .params = params,
    .text = &cardinalities,
    .check = check,
    .generate = generate,
};

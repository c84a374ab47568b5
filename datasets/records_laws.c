/* records_laws.c - see records_laws.h. */
#include "records_laws.h"

#include "numerics/numeric.h"
#include "records.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct dataset_text law_cardinalities = {
    "cardinalities",
    "the cardinality of each attribute, separated by blanks, repeated from the first if there are fewer; instead of "
    "cardinality; 2:8 has a skew of its own, 8",
    "\"2 2 5 16\"", NULL};

/* The cardinality at the beginning of a text, its skew if it has one, and where both end; 0: no such number. */
static uint32_t read_one(const char *text, const char **end, double *skew)
{
    double value;

    *end = parse_number(text, &value);
    if (!*end || value < 2 || value > LAW_CARDINALITY_MAX || value != floor(value))
        return 0;
    if (**end == ':' && (!(*end = parse_number(*end + 1, skew)) || *skew < 0 || *skew > LAW_SKEW_MAX))
        return 0;
    return (uint32_t)value;
}

enum ldp_status law_cardinalities_check(const double *param, const char *text, struct ldp_reason *reason)
{
    for (const char *at = text ? text + strspn(text, " ") : ""; *at; at += strspn(at, " ")) {
        const char *end;
        double skew;

        if (read_one(at, &end, &skew) == 0 || (*end && *end != ' '))
            return ldp_refuse(reason,
                              "cardinalities: expected whole numbers from 2 to %d, or 2:8 with a skew, got \"%.40s\"",
                              LAW_CARDINALITY_MAX, at);
        at = end;
    }
    return LDP_OK;
}

static void set_cardinalities(const struct dataset_request *request, uint32_t *cardinality, double *skew)
{
    const char *const text = request->text ? request->text + strspn(request->text, " ") : "", *at = text;

    for (size_t i = 0; i < request->d; i++) {
        cardinality[i] = (uint32_t)request->param[LAW_CARDINALITY];
        skew[i] = request->param[LAW_SKEW];
        if (!*text)
            continue;
        cardinality[i] = read_one(at, &at, &skew[i]);
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

int records_law_init(struct records_law *law, const struct dataset_request *request, struct failure *failure)
{
    const size_t d = request->d;
    const char *const name = request->type->name;

    if (d > LDP_ATTRIBUTES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected at most %d attributes, got d = %zu", name,
                    LDP_ATTRIBUTES_MAX, d);
    if (request->n > RECORD_VALUES_MAX / d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected at most 2^31 values of all users, got n = %llu of %zu", name,
                    (unsigned long long)request->n, d);
    double skew[LDP_ATTRIBUTES_MAX];
    *law = (struct records_law){.request = request, .d = d};
    set_cardinalities(request, law->cardinality, skew);
    for (size_t i = 0; i < d; i++) {
        law->own[i] = xmalloc(law->cardinality[i], sizeof(double));
        own_law(skew[i], law->cardinality[i], law->own[i]);
    }
    return 0;
}

void records_law_clear(struct records_law *law)
{
    for (size_t i = 0; i < law->d; i++)
        free(law->own[i]);
}

uint32_t law_draw(struct ldp_rng *rng, const double *cumulated, uint32_t c)
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

struct dataset_records *records_law_users(const struct records_law *law, const void *state,
                                          void (*user)(const struct records_law *law, const void *state,
                                                       struct ldp_rng *rng, uint32_t *values))
{
    const size_t d = law->d, n = (size_t)law->request->n;
    struct dataset_records *const records = xcalloc(1, sizeof *records);
    uint32_t *const values = xmalloc(n * d, sizeof *values);
    char stream[128];

    snprintf(stream, sizeof stream, "%s|d=%zu|n=%zu", law->request->type->name, d, n);
    struct ldp_rng rng;
    ldp_rng_stream(&rng, law->request->seed, stream, 0);
    for (size_t u = 0; u < n; u++)
        user(law, state, &rng, values + u * d);
    if (ldp_records_new(law->cardinality, d, values, NULL, n, &records->records) != LDP_OK)
        out_of_memory();
    free(values);
    records->lines = (double)n;
    records->names = xcalloc(d, sizeof *records->names);
    for (size_t i = 0; i < d; i++)
        records->names[i] = xformat("a%zu", i);
    return records;
}

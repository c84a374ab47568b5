/* chain.c - records of d attributes by a Markov chain, a Bayesian network without branches.
 *
 * The first attribute has its own law, p(v) ~ (v+1)^-skew. With probability `strength` each other attribute follows its
 * neighbour, v_i = floor(v_{i-1} c_i / c_{i-1}), c the cardinalities; else it is drawn from its own law. So strength 0
 * is independence and 1 a copy; attributes further apart depend less on each other. Records are always drawn, user by
 * user. */
#include "records_laws.h"

static const struct ldp_param params[] = {
    [LAW_STRENGTH] = {"strength", LDP_REAL, 0.5, 0, 1, NULL, "probability that an attribute follows its neighbour"},
    [LAW_SKEW] = LAW_SKEW_ROW(1),
    [LAW_CARDINALITY] = LAW_CARDINALITY_ROW,
    {.name = NULL},
};

static void user(const struct records_law *law, const void *state, struct ldp_rng *rng, uint32_t *values)
{
    const uint32_t *const cardinality = law->cardinality;
    const double strength = law->request->param[LAW_STRENGTH];

    for (size_t i = 0; i < law->d; i++)
        values[i] = i > 0 && ldp_rng_uniform(rng) < strength
                        ? law_follow(values[i - 1], cardinality[i - 1], cardinality[i])
                        : law_draw(rng, law->own[i], cardinality[i]);
}

static int generate(const struct dataset_request *request, struct dataset_records **out, struct failure *failure)
{
    struct records_law law;

    if (records_law_init(&law, request, failure) != 0)
        return -1;
    *out = records_law_users(&law, NULL, user);
    records_law_clear(&law);
    return 0;
}

const struct dataset_type dataset_type_chain = {
    .name = "chain",
    .title = "records, each attribute following its neighbour with a given strength",
    .source = "for comparison",
    .kind = DATASET_RECORDS,
    .params = params,
    .text = &law_cardinalities,
    .check = law_cardinalities_check,
    .generate = generate,
};

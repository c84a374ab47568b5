/* network.c - records of d attributes by a Bayesian network of a random shape.
 *
 * Each attribute has its own law, p(v) ~ (v+1)^-skew. With probability `strength` it depends on others instead:
 *
 *   classes  a user belongs to one of `classes` latent classes; the attribute is drawn from the class' law, whose
 *            weights are (v+1)^-skew times exponential numbers (skew 0: uniform over all laws). All classes are equally
 *            frequent, or (`uneven`) of random frequency, uniform over all laws
 *   tree     it follows one random earlier attribute, floor(v c_i / c_parent), c the cardinalities
 *   xor      of three attributes in sequence the third is the sum of the other two modulo its cardinality; the others
 *            have their own laws. Of equal cardinalities and skew 0, all pairs of attributes are independent
 *
 * The classes' laws and the parents are drawn from the data seed, and are the same for all n. Records are always drawn,
 * user by user. */
#include "numerics/numeric.h"
#include "records_laws.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHAPE = LAW_PARAMS, CLASSES, UNEVEN };
enum { SHAPE_CLASSES, SHAPE_TREE, SHAPE_XOR };
enum { CLASSES_MAX = 1024, CLASS_VALUES_MAX = 1 << 26 };

static const char *const shapes[] = {"classes", "tree", "xor", NULL};

static const struct ldp_param params[] = {
    [LAW_STRENGTH] = {"strength", LDP_REAL, 1, 0, 1, NULL,
                      "probability that an attribute depends on its class, its parent or the two others of its triple"},
    [LAW_SKEW] = LAW_SKEW_ROW(0),
    [LAW_CARDINALITY] = LAW_CARDINALITY_ROW,
    [SHAPE] = {"shape", LDP_CHOICE, SHAPE_CLASSES, 0, 2, shapes,
               "latent classes of users; a tree of random parents; or triples, the third attribute of which is the sum "
               "of the other two modulo its cardinality"},
    [CLASSES] = {"classes", LDP_INTEGER, 4, 1, CLASSES_MAX, NULL, "latent classes"},
    [UNEVEN] = {"uneven", LDP_FLAG, 0, 0, 1, NULL, "classes of random frequencies in place of equal ones"},
    {.name = NULL},
};

struct network {
    int shape;
    uint32_t classes;
    double *frequency; /* [classes], cumulated */
    size_t first[LDP_ATTRIBUTES_MAX + 1];
    double *of_class; /* [classes][first[d]]: each attribute's law, cumulated */
    size_t parent[LDP_ATTRIBUTES_MAX];
};

/* Laws near base (cumulated): its weights times exponential numbers, normalised and cumulated. */
static void random_law(struct ldp_rng *rng, const double *base, uint32_t c, double *cumulated)
{
    double sum = 0;

    for (uint32_t v = 0; v < c; v++)
        cumulated[v] = sum -= (base[v] - (v > 0 ? base[v - 1] : 0)) * ldp_log(1 - ldp_rng_uniform(rng));
    for (uint32_t v = 0; v < c; v++)
        cumulated[v] /= sum;
    cumulated[c - 1] = 1;
}

static int draw_classes(struct network *network, const struct records_law *law, struct ldp_rng *rng,
                        struct failure *failure)
{
    const uint32_t classes = network->classes = (uint32_t)law->request->param[CLASSES];

    for (size_t i = 0; i < law->d; i++)
        network->first[i + 1] = network->first[i] + law->cardinality[i];
    const size_t values = network->first[law->d];
    if (values > CLASS_VALUES_MAX / classes)
        return fail(failure, EXIT_BAD_INPUT,
                    "network: expected at most 2^26 values of attributes times classes, got %zu values, %u classes",
                    values, classes);
    network->frequency = xmalloc(classes, sizeof(double));
    network->of_class = xmalloc(classes * values, sizeof(double));
    for (uint32_t k = 0; k < classes; k++)
        network->frequency[k] = (k + 1) / (double)classes;
    if (law->request->param[UNEVEN] != 0) {
        double *const equal = network->frequency;
        network->frequency = xmalloc(classes, sizeof(double));
        random_law(rng, equal, classes, network->frequency);
        free(equal);
    }
    for (uint32_t k = 0; k < classes; k++)
        for (size_t i = 0; i < law->d; i++)
            random_law(rng, law->own[i], law->cardinality[i], network->of_class + k * values + network->first[i]);
    return 0;
}

static void user(const struct records_law *law, const void *state, struct ldp_rng *rng, uint32_t *values)
{
    const struct network *const network = state;
    const uint32_t *const cardinality = law->cardinality;
    const double strength = law->request->param[LAW_STRENGTH];
    const double *const of_class =
        network->shape == SHAPE_CLASSES
            ? network->of_class + law_draw(rng, network->frequency, network->classes) * network->first[law->d]
            : NULL;

    for (size_t i = 0; i < law->d; i++) {
        const bool first = network->shape == SHAPE_TREE ? i == 0 : network->shape == SHAPE_XOR && i % 3 < 2;
        const size_t parent = network->parent[i];

        if (first || ldp_rng_uniform(rng) >= strength)
            values[i] = law_draw(rng, law->own[i], cardinality[i]);
        else if (of_class)
            values[i] = law_draw(rng, of_class + network->first[i], cardinality[i]);
        else if (network->shape == SHAPE_TREE)
            values[i] = law_follow(values[parent], cardinality[parent], cardinality[i]);
        else
            values[i] = (values[i - 2] + values[i - 1]) % cardinality[i];
    }
}

static int generate(const struct dataset_request *request, struct dataset_records **out, struct failure *failure)
{
    struct records_law law;
    struct network network = {.shape = (int)request->param[SHAPE]};
    char stream[64];
    struct ldp_rng rng;
    int result = records_law_init(&law, request, failure);

    if (result != 0)
        return result;
    snprintf(stream, sizeof stream, "network|%s|d=%zu", shapes[network.shape], law.d);
    ldp_rng_stream(&rng, request->seed, stream, 0);
    for (size_t i = 1; i < law.d; i++)
        network.parent[i] = ldp_rng_below(&rng, i);
    if (network.shape == SHAPE_CLASSES)
        result = draw_classes(&network, &law, &rng, failure);
    if (result == 0)
        *out = records_law_users(&law, &network, user);
    records_law_clear(&law);
    free(network.frequency);
    free(network.of_class);
    return result;
}

const struct dataset_type dataset_type_network = {
    .name = "network",
    .title = "records of latent classes, of a random tree, or of triples whose third attribute is the sum of two",
    .source = "for comparison",
    .kind = DATASET_RECORDS,
    .params = params,
    .text = &law_cardinalities,
    .check = law_cardinalities_check,
    .generate = generate,
};

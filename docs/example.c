/* example.c - one collection with the core library: simulate it, make the estimate consistent, print both.
 *
 *   cc example.c $(pkg-config --cflags --libs ldpbench) -o example */
#include <ldpbench.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { D = 5 };
    static const uint64_t counts[D] = {400, 350, 200, 50, 0};
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("olh")};
    struct ldp_method_spec method = {.method = ldp_method_find("norm_sub")};
    void *scratch = NULL;
    double *support = NULL;
    int status = EXIT_FAILURE;

    ldp_params_default(oracle.oracle->params, oracle.param);
    ldp_params_default(method.method->params, method.param);
    struct ldp_population *population = NULL;
    struct ldp_simulation simulation = {.plan = NULL};
    struct ldp_protocol protocol;
    if (ldp_population_new(counts, D, &population) || ldp_protocol_init(&protocol, &oracle, D, 1.0, NULL) ||
        ldp_simulation_init(&simulation, &protocol, population, LDP_REPORTS))
        goto out;

    size_t bytes = ldp_postprocess_scratch(&method, D);
    if (bytes < simulation.scratch_bytes)
        bytes = simulation.scratch_bytes;
    if (bytes < ldp_estimate_scratch(&protocol))
        bytes = ldp_estimate_scratch(&protocol);
    scratch = malloc(bytes + 1);
    support = malloc(protocol.support_size * sizeof *support);
    if (!scratch || !support)
        goto out;

    struct ldp_rng rng;
    ldp_rng_stream(&rng, 1, "example", 0);
    ldp_simulate(&simulation, &rng, scratch, support);
    double raw[D];
    ldp_estimate(&protocol, population->n, support, scratch, raw);
    struct ldp_collection collection = {&protocol, population->n, support, raw};
    const struct ldp_protocol observed = ldp_observed(&collection, scratch);
    collection.protocol = &observed;
    double consistent[D];
    ldp_postprocess(&method, &collection, scratch, consistent);

    printf("value\ttrue\testimate\tnorm_sub\n");
    for (size_t v = 0; v < D; v++)
        printf("%zu\t%.3f\t%.3f\t%.3f\n", v, population->f[v], raw[v], consistent[v]);
    printf("# %" PRIu64 " users, epsilon %g, standard deviation of a rare value %.3f\n", population->n,
           protocol.epsilon, ldp_sigma(&observed, population->n));
    status = EXIT_SUCCESS;
out:
    free(scratch);
    free(support);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
    return status;
}

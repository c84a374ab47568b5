/* postprocess.c - applies one method, after the methods whose answers it takes, to one estimate. */
#include "ldp.h"
#include "numerics/arena.h"

#include <assert.h>
#include <string.h>

/* The answers that a method takes in place of est, and the method of each. */
static size_t answers_of(const struct ldp_method *method, const struct ldp_method *of[LDP_PARTS_MAX])
{
    size_t answers = 0;
    if (method->inner)
        of[answers++] = ldp_method_find(method->inner);
    for (size_t i = 0; method->parts && method->parts[i]; i++)
        of[answers++] = ldp_method_find(method->parts[i]);
    return answers;
}

static size_t scratch_bytes(const struct ldp_method *method, size_t d)
{
    const struct ldp_method *of[LDP_PARTS_MAX];
    const size_t answers = answers_of(method, of);
    size_t most = method->scratch_bytes ? method->scratch_bytes(d) : 0;
    for (size_t i = 0; i < answers; i++) {
        const size_t own = scratch_bytes(of[i], d);
        most = own > most ? own : most;
    }
    return ldp_aligned(answers * d * sizeof(double)) + most;
}

static void apply(const struct ldp_method *method, const double *param, const struct ldp_collection *collection,
                  void *scratch, double *out)
{
    const size_t d = collection->protocol->d;
    const struct ldp_method *of[LDP_PARTS_MAX];
    const size_t answers = answers_of(method, of);
    struct ldp_collection input = *collection;
    if (answers > 0) {
        double *const answer = scratch;
        scratch = (char *)scratch + ldp_aligned(answers * d * sizeof(double));
        for (size_t i = 0; i < answers; i++)
            apply(of[i], param, collection, scratch, answer + i * d);
        input.est = answer;
    }
    if (method->apply)
        method->apply(param, &input, scratch, out);
    else
        memcpy(out, input.est, d * sizeof *out);
}

/* True if the method uses or changes the estimate of a protocol. */
static bool takes_estimate(const struct ldp_method *method)
{
    return method->apply && !method->by_support && !(method->guarantees & LDP_IGNORES_ESTIMATE);
}

bool ldp_method_suits(const struct ldp_method *method, const struct ldp_protocol *protocol)
{
    return (!method->suits || method->suits(protocol)) &&
           !(takes_estimate(method) && protocol->flags & LDP_ORACLE_WINDOWS) &&
           (!method->inner || ldp_method_suits(ldp_method_find(method->inner), protocol));
}

const char *ldp_method_needs(const struct ldp_method *method)
{
    if (method->suits)
        return method->needs;
    return method->inner ? ldp_method_needs(ldp_method_find(method->inner)) : "an oracle that counts single values";
}

static bool by_support(const struct ldp_method *method)
{
    return method->by_support || (method->inner && by_support(ldp_method_find(method->inner)));
}

enum ldp_status ldp_method_check(const struct ldp_method *method, const struct ldp_protocol *protocol, bool counts_kept,
                                 struct ldp_reason *reason)
{
    if (!ldp_method_suits(method, protocol))
        return ldp_refuse(reason, "%s needs %s, got %s", method->name, ldp_method_needs(method),
                          protocol->oracle->name);
    if (!counts_kept && by_support(method))
        return ldp_refuse(reason, "%s needs the support counts of a collection, of which only estimates are kept",
                          method->name);
    return LDP_OK;
}

size_t ldp_postprocess_scratch(const struct ldp_method_spec *spec, size_t d)
{
    return scratch_bytes(spec->method, d);
}

void ldp_postprocess(const struct ldp_method_spec *spec, const struct ldp_collection *collection, void *scratch,
                     double *out)
{
    assert(collection->n > 0 && ldp_params_valid(spec->method->params, spec->param));
    assert(collection->support || !by_support(spec->method));
    apply(spec->method, spec->param, collection, scratch, out);
}

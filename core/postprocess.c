/* postprocess.c - applies one method, after the method that it applies first, to one estimate. */
#include "aligned.h"
#include "ldpbench.h"

#include <assert.h>
#include <string.h>

static size_t scratch_bytes(const struct ldp_method *method, size_t d)
{
    const size_t own = method->scratch_bytes ? method->scratch_bytes(d) : 0;

    if (!method->inner)
        return own;
    const size_t first = scratch_bytes(ldp_method_find(method->inner), d);
    return ldp_aligned(d * sizeof(double)) + (own > first ? own : first);
}

static void apply(const struct ldp_method *method, const double *param, const struct ldp_collection *collection,
                  void *scratch, double *out)
{
    const size_t d = collection->protocol->d;
    struct ldp_collection input = *collection;
    if (method->inner) {
        double *const first = scratch;

        scratch = (char *)scratch + ldp_aligned(d * sizeof(double));
        apply(ldp_method_find(method->inner), param, collection, scratch, first);
        input.est = first;
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

enum ldp_status ldp_method_check(const struct ldp_method *method, const struct ldp_protocol *protocol,
                                 bool supports_kept, struct ldp_reason *reason)
{
    if (!ldp_method_suits(method, protocol))
        return ldp_refuse(reason, "%s needs %s, got %s", method->name, ldp_method_needs(method),
                          protocol->oracle->name);
    if (!supports_kept && by_support(method))
        return ldp_refuse(reason, "%s needs the supports of a collection, of which only estimates are kept",
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

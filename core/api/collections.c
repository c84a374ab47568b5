/* collections.c - estimates, intervals and methods of observed collections, for ldpbench.h. */
#include "api/handles.h"
#include "laws/interval.h"

#include <math.h>

struct ldpbench_collection {
    struct ldp_protocol protocol;
    uint64_t n;
    size_t count;
    double *support, *est, *s1, *trials; /* NULL: not kept; trials also without blocks */
    bool observed;                       /* made of support counts */
    struct ldp_protocol law;             /* of one collection: as observed, with the scratch of its estimate */
    void *scratch;
};

/* ---- One of the collections, with its law ---- */

/* A collection that methods and intervals take, and what its law needs. */
struct view {
    struct ldp_protocol observed;
    struct ldp_collection input;
    void *scratch;
};

/* Zeros for a support, and for trials[d] behind the values whatever the oracle has there; or room for an estimate. */
static size_t scratch_size(const struct ldp_protocol *protocol)
{
    const size_t d = protocol->d, numbers = protocol->support_size > 2 * d ? protocol->support_size : 2 * d,
                 bytes = ldp_estimate_scratch(protocol);
    return bytes > numbers * sizeof(double) ? bytes : numbers * sizeof(double);
}

/* The law of a collection of which s1, s1 < 0 where intervals do not follow from it, or trials were kept. */
static struct ldp_protocol law_of_kept(const struct ldpbench_collection *of, size_t i, double *support)
{
    const struct ldp_protocol *const protocol = &of->protocol;
    const size_t d = protocol->d;
    struct ldp_protocol observed = *protocol;
    if (of->s1) {
        observed.s1 = fabs(of->s1[i]); /* what is observed of the estimates may depend on it */
        if (protocol->oracle->observe)
            protocol->oracle->observe(&(struct ldp_collection){protocol, of->n, NULL, of->est + i * d}, NULL,
                                      &observed);
        observed.s1 = fabs(of->s1[i]);
        observed.law.known = !signbit(of->s1[i]); /* -0 too */
    }
    if (of->trials && protocol->oracle->observe && !(protocol->flags & LDP_ORACLE_SKETCH)) {
        struct ldp_protocol placed = *protocol;
        memset(support, 0, scratch_size(protocol));
        memcpy(support + d, of->trials + i * d, d * sizeof *support);
        protocol->oracle->observe(&(struct ldp_collection){protocol, of->n, support, NULL}, NULL, &placed);
        /* Of blocks, whose permutation is not kept, sums have no law. */
        placed.law.known =
            protocol->flags & LDP_ORACLE_UNEVEN ? protocol->oracle->variance != NULL : observed.law.known;
        if (placed.law.trials) /* the oracle has blocks, or an s1 of each value */
            observed = placed;
    }
    return observed;
}

static struct ldp_protocol observe(const struct ldpbench_collection *of, size_t i, void *scratch, double *est)
{
    const double *const support = of->support + i * of->protocol.support_size;
    ldp_estimate(&of->protocol, of->n, support, scratch, est);
    return ldp_observed(&(struct ldp_collection){&of->protocol, of->n, support, est}, scratch);
}

/* Collection i; the scratch of the view is room of scratch_size, then d numbers. */
static void view_of(const struct ldpbench_collection *of, size_t i, struct view *view)
{
    const size_t d = of->protocol.d, size = of->protocol.support_size;
    double *const est = (double *)(void *)((char *)view->scratch + scratch_size(&of->protocol));
    view->observed = !of->observed    ? law_of_kept(of, i, view->scratch)
                     : of->count == 1 ? of->law
                                      : observe(of, i, view->scratch, est);
    view->input =
        (struct ldp_collection){&view->observed, of->n, of->support ? of->support + i * size : NULL, of->est + i * d};
}

static bool view_open(const struct ldpbench_collection *of, struct view *view)
{
    view->scratch = malloc(scratch_size(&of->protocol) + of->protocol.d * sizeof(double));
    return view->scratch;
}

/* ---- Making them ---- */

void ldpbench_collection_free(struct ldpbench_collection *collection)
{
    if (!collection)
        return;
    free(collection->support);
    free(collection->est);
    free(collection->s1);
    free(collection->trials);
    free(collection->scratch);
    free(collection);
}

/* Estimates collection i, and keeps what was observed of it; false: no memory. */
static bool keep(struct ldpbench_collection *made, size_t i)
{
    const size_t d = made->protocol.d;
    made->law = observe(made, i, made->scratch, made->est + i * d);
    made->s1[i] = made->protocol.oracle->rows && !made->law.law.known ? -made->law.s1 : made->law.s1;
    if (!made->law.law.trials)
        return true;
    if (!made->trials)
        made->trials = ldp_room(made->count, d);
    if (made->trials)
        memcpy(made->trials + i * d, made->law.law.trials, d * sizeof(double));
    return made->trials;
}

enum ldpbench_status ldp_collection_make(const struct ldp_protocol *protocol, uint64_t n, double *support, size_t count,
                                         struct ldpbench_collection **out, struct ldpbench_error *error)
{
    struct ldpbench_collection *const made = calloc(1, sizeof *made);
    if (!made) {
        free(support);
        return ldp_api_machine(error, "out of memory");
    }
    *made = (struct ldpbench_collection){
        .protocol = *protocol, .n = n, .count = count, .support = support, .observed = true};
    made->est = ldp_room(count, protocol->d);
    made->s1 = ldp_room(count, 1);
    made->scratch = malloc(scratch_size(protocol) + 1);
    bool room = made->est && made->s1 && made->scratch;
    for (size_t i = 0; i < count && room; i++)
        room = keep(made, i);
    if (!room) {
        ldpbench_collection_free(made);
        return ldp_api_machine(error, "out of memory");
    }
    *out = made;
    return LDPBENCH_OK;
}

/* The number of users, and the size of arrays [count][support_size] and [count][d]. */
static enum ldpbench_status check_size(const struct ldp_protocol *protocol, uint64_t n, size_t count,
                                       struct ldpbench_error *error)
{
    const size_t size = protocol->support_size > protocol->d ? protocol->support_size : protocol->d;
    if (n == 0 || n > LDP_USERS_MAX)
        return ldp_api_refuse(error, n == 0 ? "n = 0: expected at least one report" : "n: expected at most 2^53");
    return count > SIZE_MAX / 16 / size
               ? ldp_api_refuse(error, "count = %zu: expected arrays that fit into memory", count)
               : LDPBENCH_OK;
}

static double *copy_of(const double *numbers, size_t count)
{
    double *const copy = ldp_room(count, 1);
    if (copy)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

enum ldpbench_status ldpbench_collection_new(const struct ldpbench_protocol *protocol, uint64_t n,
                                             const double *support, size_t count, struct ldpbench_collection **out,
                                             struct ldpbench_error *error)
{
    LDP_API_NEED(out, protocol, support);
    *out = NULL;
    const struct ldp_protocol *const of = &protocol->protocol;
    LDP_API_TRY(check_size(of, n, count, error));
    for (size_t i = 0; i < count; i++) {
        struct ldp_support_finding finding;
        if (ldp_support_possible(of, n, support + i * of->support_size, &finding) != LDP_OK)
            return ldp_api_refuse(error, "support %zu, number %zu: %s", i, finding.index, finding.reason.text);
    }
    double *const copy = copy_of(support, count * of->support_size);
    return copy ? ldp_collection_make(of, n, copy, count, out, error) : ldp_api_machine(error, "out of memory");
}

static enum ldpbench_status check_finite(const char *what, const double *numbers, size_t count,
                                         struct ldpbench_error *error)
{
    for (size_t i = 0; numbers && i < count; i++)
        if (!isfinite(numbers[i]))
            return ldp_api_refuse(error, "%s[%zu]: expected a finite number, got %g", what, i, numbers[i]);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_collection_of_estimates(const struct ldpbench_protocol *protocol, uint64_t n,
                                                      const double *est, const double *support, const double *s1,
                                                      const double *trials, size_t count,
                                                      struct ldpbench_collection **out, struct ldpbench_error *error)
{
    LDP_API_NEED(out, protocol, est);
    *out = NULL;
    const size_t d = protocol->protocol.d, size = protocol->protocol.support_size;
    LDP_API_TRY(check_size(&protocol->protocol, n, count, error));
    LDP_API_TRY(check_finite("est", est, count * d, error));
    LDP_API_TRY(check_finite("support", support, count * size, error));
    LDP_API_TRY(check_finite("s1", s1, count, error));
    LDP_API_TRY(check_finite("trials", trials, count * d, error));
    struct ldpbench_collection *const made = calloc(1, sizeof *made);
    if (made) {
        *made = (struct ldpbench_collection){.protocol = protocol->protocol, .n = n, .count = count};
        made->est = copy_of(est, count * d);
        made->support = support ? copy_of(support, count * size) : NULL;
        made->s1 = s1 ? copy_of(s1, count) : NULL;
        made->trials = trials ? copy_of(trials, count * d) : NULL;
    }
    if (!made || !made->est || (support && !made->support) || (s1 && !made->s1) || (trials && !made->trials)) {
        ldpbench_collection_free(made);
        return ldp_api_machine(error, "out of memory");
    }
    *out = made;
    return LDPBENCH_OK;
}

/* ---- What they have ---- */

enum ldpbench_status ldpbench_collection_estimate(const struct ldpbench_collection *collection, double *est,
                                                  struct ldpbench_error *error)
{
    LDP_API_NEED(collection, est);
    memcpy(est, collection->est, collection->count * collection->protocol.d * sizeof *est);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_collection_variance(const struct ldpbench_collection *collection, double *variance,
                                                  struct ldpbench_error *error)
{
    LDP_API_NEED(collection, variance);
    struct view view;
    const size_t d = collection->protocol.d;
    if (collection->protocol.flags & (LDP_ORACLE_LEVELS | LDP_ORACLE_SETS | LDP_ORACLE_WINDOWS))
        return ldp_api_refuse(error, "variances of %s differ by value: intervals of sets suit it",
                              collection->protocol.oracle->name);
    if (!view_open(collection, &view))
        return ldp_api_machine(error, "out of memory");
    for (size_t i = 0; i < collection->count; i++) {
        view_of(collection, i, &view);
        for (size_t v = 0; v < d; v++) {
            const struct ldp_variance_terms law = ldp_variance_terms_of(&view.observed, v);
            const double x = collection->est[i * d + v], f = x > 0 ? fmin(x, 1) : 0;
            variance[i * d + v] = fmax(law.s1 + law.tf * f + law.square * f * f, 0) / (double)collection->n;
        }
    }
    free(view.scratch);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_collection_observed(const struct ldpbench_collection *collection, double *s1,
                                                  double *trials, struct ldpbench_error *error)
{
    LDP_API_NEED(collection, s1, trials);
    const size_t d = collection->protocol.d, count = collection->count;
    for (size_t i = 0; i < count; i++)
        s1[i] = collection->s1 ? collection->s1[i] : collection->protocol.s1;
    for (size_t i = 0; i < count * d; i++)
        trials[i] = collection->trials ? collection->trials[i] : -1;
    return LDPBENCH_OK;
}

/* ---- Methods and intervals ---- */

/* The method, where it suits. */
static enum ldpbench_status check_method(const struct ldpbench_collection *of, const struct ldpbench_spec *method,
                                         struct ldp_method_spec *spec, struct ldpbench_error *error)
{
    LDP_API_TRY(ldp_spec_check(method, LDP_KIND_METHOD, error));
    struct ldp_reason reason = {{0}};
    spec->method = method->of.algorithm;
    memcpy(spec->param, method->param, sizeof spec->param);
    const enum ldp_status suits = ldp_method_check(spec->method, &of->protocol, of->support, &reason);
    if (suits != LDP_OK)
        return ldp_api_status(error, suits, reason.text);
    return of->observed || of->s1 || !of->protocol.oracle->rows || !of->protocol.oracle->observe
               ? LDPBENCH_OK
               : ldp_api_refuse(error, "expected s1: the noise of %s depends on the collection",
                                of->protocol.oracle->name);
}

enum ldpbench_status ldpbench_collection_method(const struct ldpbench_collection *collection,
                                                const struct ldpbench_spec *method, double *out,
                                                struct ldpbench_error *error)
{
    LDP_API_NEED(collection, out);
    struct ldp_method_spec spec;
    const struct ldp_protocol *const protocol = &collection->protocol;
    LDP_API_TRY(check_method(collection, method, &spec, error));
    struct view view;
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, protocol->d) + 1);
    const bool room = view_open(collection, &view) && scratch;
    for (size_t i = 0; room && i < collection->count; i++) {
        view_of(collection, i, &view);
        ldp_postprocess(&spec, &view.input, scratch, out + i * protocol->d);
    }
    free(view.scratch);
    free(scratch);
    return room ? LDPBENCH_OK : ldp_api_machine(error, "out of memory");
}

enum ldpbench_status ldpbench_collection_interval(const struct ldpbench_collection *collection,
                                                  const struct ldpbench_spec *interval, double level, double *low,
                                                  double *high, struct ldpbench_error *error)
{
    LDP_API_NEED(collection, low, high);
    LDP_API_TRY(ldp_spec_check(interval, LDP_KIND_INTERVAL, error));
    const struct ldp_interval *const kind = interval->of.algorithm;
    if (!(level > 0 && level < 1))
        return ldp_api_refuse(error, "%s: expected a level between 0 and 1", kind->name);
    const size_t d = collection->protocol.d;
    struct view view;
    struct ldp_reason reason = {{0}};
    void *const scratch = malloc((kind->scratch_bytes ? kind->scratch_bytes(d) : 0) + 1);
    enum ldp_status suits = view_open(collection, &view) && scratch ? LDP_OK : LDP_ENOMEM;
    for (size_t i = 0; i < collection->count && suits == LDP_OK; i++) {
        view_of(collection, i, &view);
        suits = ldp_interval_suits(kind, &view.observed, level, &reason);
        if (suits == LDP_OK)
            kind->apply(interval->param, &view.input, level, scratch, low + i * d, high + i * d);
    }
    free(view.scratch);
    free(scratch);
    return ldp_api_status(error, suits, reason.text);
}

enum ldpbench_status ldpbench_collection_set_interval(const struct ldpbench_collection *collection, double level,
                                                      const uint32_t *member, const uint64_t *first, size_t nsets,
                                                      double *low, double *high, struct ldpbench_error *error)
{
    LDP_API_NEED(collection, member, first, low, high);
    const size_t d = collection->protocol.d;
    if (!(level > 0 && level < 1))
        return ldp_api_refuse(error, "expected a level between 0 and 1");
    LDP_API_TRY(ldp_sets_check(member, first, nsets, d, error));
    struct view view;
    struct ldp_reason reason = {{0}};
    void *const work = malloc(ldp_set_interval_bytes(d));
    enum ldp_status suits = view_open(collection, &view) && work ? LDP_OK : LDP_ENOMEM;
    for (size_t i = 0; i < collection->count && suits == LDP_OK; i++) {
        view_of(collection, i, &view);
        suits = ldp_set_interval_suits(&view.input, level, &reason);
        for (size_t s = 0; s < nsets && suits == LDP_OK; s++)
            ldp_set_interval(&view.input, level, member + first[s], (size_t)(first[s + 1] - first[s]), work,
                             &low[i * nsets + s], &high[i * nsets + s]);
    }
    free(view.scratch);
    free(work);
    return ldp_api_status(error, suits, reason.text);
}

/* ---- Queries ---- */

/* The query with its points and sets, which suit d. */
static enum ldpbench_status check_query(const struct ldpbench_spec *query, size_t d, struct ldp_query_spec *spec,
                                        struct ldp_sets *sets, struct ldpbench_error *error)
{
    _Static_assert(sizeof(size_t) == sizeof(uint64_t), "a set's place is a size");
    LDP_API_TRY(ldp_spec_check(query, LDP_KIND_QUERY, error));
    *sets = (struct ldp_sets){query->nsets, query->first, query->member};
    *spec = (struct ldp_query_spec){.query = query->of.algorithm, .points = query->points, .npoints = 1};
    memcpy(spec->param, query->param, sizeof spec->param);
    if (spec->query->point.name && query->npoints > 0)
        spec->npoints = query->npoints;
    if (!spec->query->takes_sets || query->nsets == 0)
        return LDPBENCH_OK;
    spec->sets = sets;
    return ldp_sets_check(query->member, (const uint64_t *)(const void *)query->first, query->nsets, d, error);
}

static void measure(const struct ldpbench_collection *of, struct ldp_evaluation *evaluation,
                    const struct ldp_population *population, uint64_t seed, const char *key, struct view *view,
                    double *out)
{
    const size_t size = ldp_evaluation_size(evaluation);
    for (size_t i = 0; i < of->count; i++) {
        struct ldp_rng rng;
        ldp_rng_stream(&rng, seed, key, i);
        view_of(of, i, view);
        ldp_evaluate(evaluation, &view->input, population, &rng, out + i * size);
    }
}

enum ldpbench_status ldpbench_collection_query(const struct ldpbench_collection *collection, const uint64_t *counts,
                                               const struct ldpbench_spec *method, const struct ldpbench_spec *query,
                                               uint64_t seed, const char *key, double *out,
                                               struct ldpbench_error *error)
{
    LDP_API_NEED(collection, counts, key, out);
    struct ldp_method_spec methods;
    struct ldp_query_spec queries;
    struct ldp_sets sets;
    const size_t d = collection->protocol.d;
    enum ldpbench_status status = check_method(collection, method, &methods, error);
    if (status == LDPBENCH_OK)
        status = check_query(query, d, &queries, &sets, error);
    if (status == LDPBENCH_OK && !collection->observed)
        status = ldp_api_refuse(error, "expected collections of support counts, got estimates");
    if (status != LDPBENCH_OK)
        return status;
    struct ldp_population *population;
    struct ldp_evaluation *evaluation = NULL;
    struct view view = {.scratch = NULL};
    enum ldp_status found = ldp_population_new(counts, d, &population);
    status = ldp_api_status(error, found, "counts: expected integers with a sum from 1 to 2^53");
    if (found == LDP_OK) {
        found = ldp_evaluation_new(&methods, 1, &queries, 1, d, &evaluation);
        status = ldp_api_status(error, found, "query: expected its points and sets, in their ranges");
    }
    if (found == LDP_OK && !view_open(collection, &view))
        status = ldp_api_machine(error, "out of memory");
    if (status == LDPBENCH_OK)
        measure(collection, evaluation, population, seed, key, &view, out);
    free(view.scratch);
    ldp_evaluation_free(evaluation);
    ldp_population_free(population);
    return status;
}

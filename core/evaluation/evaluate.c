/* evaluate.c - several methods and queries over one collection.
 *
 * Methods become steps, each with its own estimate: a step's input is the unprocessed estimate or an earlier step's
 * output, so that what two methods have in common is computed once, and a method that is the same as another shares its
 * step; so are those whose answers a method takes together. A method without apply (base, post_pos) has no step of its
 * own; its estimate is its input. */
#include "queries/sample.h"

#include "numerics/pool.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { UNPROCESSED = -1 };

struct step {
    const struct ldp_method *method;
    const double *param;
    int input;               /* a step, or UNPROCESSED */
    int part[LDP_PARTS_MAX]; /* the steps of its parts */
    double *out;             /* for an LDP_SUPPLIED method: written by the caller */
};

struct ldp_evaluation {
    struct ldp_pool pool;
    size_t d;
    const struct ldp_query_spec *queries;
    size_t nqueries, size;
    struct step *steps;
    int nsteps;
    double *estimates; /* [nsteps][d] */
    double *parts;     /* [LDP_PARTS_MAX][d] */
    int *step_of;      /* [nmethods] */
    struct ldp_answers answers;
    const double **est; /* [nmethods], what answers.est points to */
    double *floor;      /* [nmethods] */
    void *scratch;
};

static bool params_equal(const struct ldp_param *params, const double *a, const double *b)
{
    assert(!params || (a && b));
    for (size_t i = 0; params && params[i].name; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* The step whose output is the method's estimate; new steps are appended as needed. */
static int resolve(struct ldp_evaluation *evaluation, const struct ldp_method *method, const double *param)
{
    const char *const same = method->same_as ? method->same_as(param) : NULL;
    if (same)
        method = ldp_method_find(same);
    const int input = method->inner ? resolve(evaluation, ldp_method_find(method->inner), param) : UNPROCESSED;

    const bool supplied = (method->guarantees & LDP_SUPPLIED) != 0;
    if (!method->apply && !supplied)
        return input;
    for (int i = 0; !supplied && i < evaluation->nsteps; i++)
        if (evaluation->steps[i].method == method && params_equal(method->params, evaluation->steps[i].param, param))
            return i;
    struct step step = {.method = method, .param = param, .input = input};
    for (size_t i = 0; method->parts && method->parts[i]; i++)
        step.part[i] = resolve(evaluation, ldp_method_find(method->parts[i]), NULL);
    evaluation->steps[evaluation->nsteps] = step;
    return evaluation->nsteps++;
}

static size_t chain_length(const struct ldp_method *method)
{
    size_t length = method->inner ? 1 + chain_length(ldp_method_find(method->inner)) : 1;
    for (size_t i = 0; method->parts && method->parts[i]; i++)
        length += chain_length(ldp_method_find(method->parts[i]));
    return length;
}

/* Allocates the memory of the steps and queries, once they are known. */
static enum ldp_status allocate_work(struct ldp_evaluation *evaluation)
{
    const size_t d = evaluation->d;
    size_t scratch = 1;

    for (int i = 0; i < evaluation->nsteps; i++) {
        const struct ldp_method *const method = evaluation->steps[i].method;
        const size_t need = method->scratch_bytes ? method->scratch_bytes(d) : 0;

        scratch = need > scratch ? need : scratch;
    }
    for (size_t i = 0; i < evaluation->nqueries; i++) {
        const struct ldp_query_spec *const spec = &evaluation->queries[i];
        const size_t m = evaluation->answers.m;
        const size_t need = spec->query->scratch_bytes ? spec->query->scratch_bytes(spec, d, m) : 0;

        scratch = need > scratch ? need : scratch;
        evaluation->size += m * spec->npoints * ldp_measures_count(spec->query->measures);
    }
    evaluation->scratch = ldp_pool_take(&evaluation->pool, scratch, 1);
    TAKE(&evaluation->pool, evaluation->estimates, ((size_t)evaluation->nsteps + 1) * d);
    TAKE(&evaluation->pool, evaluation->parts, LDP_PARTS_MAX * d);
    if (evaluation->pool.failed)
        return LDP_ENOMEM;
    for (int i = 0; i < evaluation->nsteps; i++)
        evaluation->steps[i].out = evaluation->estimates + (size_t)i * d;
    return LDP_OK;
}

static bool sets_valid(const struct ldp_sets *sets, size_t d)
{
    if (!sets || sets->count == 0 || !sets->first || !sets->member || sets->first[0] != 0)
        return false;
    for (size_t s = 0; s < sets->count; s++)
        if (sets->first[s] > sets->first[s + 1])
            return false;
    for (size_t i = 0; i < sets->first[sets->count]; i++)
        if (sets->member[i] >= d)
            return false;
    return true;
}

static bool query_valid(const struct ldp_query_spec *spec, size_t d)
{
    const struct ldp_query *const query = spec->query;
    if (!query || !ldp_params_valid(query->params, spec->param) || spec->npoints == 0)
        return false;
    if (query->takes_sets && !sets_valid(spec->sets, d))
        return false;
    if (!query->point.name)
        return true;
    const double most = query->point_max ? query->point_max(spec->param) : query->point.max;
    for (size_t j = 0; j < spec->npoints; j++)
        if (!spec->points || !ldp_param_valid(&query->point, spec->points[j]) || !(spec->points[j] <= most) ||
            (query->point.kind == LDP_INTEGER && spec->points[j] > (double)d))
            return false;
    return true;
}

enum ldp_status ldp_evaluation_new(const struct ldp_method_spec *methods, size_t nmethods,
                                   const struct ldp_query_spec *queries, size_t nqueries, size_t d,
                                   struct ldp_evaluation **out)
{
    *out = NULL;
    if (d < 2 || d > UINT32_MAX || nmethods == 0)
        return LDP_EINVAL;
    size_t steps = 0;
    for (size_t i = 0; i < nmethods; i++) {
        if (!methods[i].method || !ldp_params_valid(methods[i].method->params, methods[i].param))
            return LDP_EINVAL;
        steps += chain_length(methods[i].method);
    }
    for (size_t i = 0; i < nqueries; i++)
        if (!query_valid(&queries[i], d))
            return LDP_EINVAL;

    struct ldp_pool pool = {.last = NULL};
    struct ldp_evaluation *const evaluation = ldp_pool_take(&pool, 1, sizeof *evaluation);
    if (!evaluation)
        return LDP_ENOMEM;
    *evaluation = (struct ldp_evaluation){.pool = pool, .d = d, .queries = queries, .nqueries = nqueries};
    TAKE(&evaluation->pool, evaluation->steps, steps);
    TAKE(&evaluation->pool, evaluation->step_of, nmethods);
    TAKE(&evaluation->pool, evaluation->est, nmethods);
    TAKE(&evaluation->pool, evaluation->floor, nmethods);
    evaluation->answers = (struct ldp_answers){.m = nmethods, .est = evaluation->est, .floor = evaluation->floor};
    enum ldp_status status = ldp_pool_status(&evaluation->pool);
    for (size_t i = 0; status == LDP_OK && i < nmethods; i++) {
        evaluation->step_of[i] = resolve(evaluation, methods[i].method, methods[i].param);
        evaluation->floor[i] = methods[i].method->on_answers ? 0 : -INFINITY;
    }
    if (status == LDP_OK)
        status = allocate_work(evaluation);
    if (status == LDP_OK)
        *out = evaluation;
    else
        ldp_evaluation_free(evaluation);
    return status;
}

void ldp_evaluation_free(struct ldp_evaluation *evaluation)
{
    if (!evaluation)
        return;
    struct ldp_pool pool = evaluation->pool; /* which has the evaluation too */
    ldp_pool_clear(&pool);
}

size_t ldp_evaluation_size(const struct ldp_evaluation *evaluation)
{
    return evaluation->size;
}

/* What a step takes in place of est. */
static const double *input_of(const struct ldp_evaluation *evaluation, const struct step *step, const double *est)
{
    const size_t d = evaluation->d;
    if (step->input != UNPROCESSED)
        return evaluation->steps[step->input].out;
    if (!step->method->parts)
        return est;
    for (size_t i = 0; step->method->parts[i]; i++)
        memcpy(evaluation->parts + i * d, step->part[i] == UNPROCESSED ? est : evaluation->steps[step->part[i]].out,
               d * sizeof *est);
    return evaluation->parts;
}

/* Estimates of a sample become those of what it was drawn from; unprocessed ones in the room of parts. */
static void scale(struct ldp_evaluation *evaluation, const double *est, double by)
{
    for (size_t v = 0; v < evaluation->d; v++)
        evaluation->parts[v] = est[v] * by;
    for (size_t k = 0; k < (size_t)evaluation->nsteps * evaluation->d; k++)
        evaluation->estimates[k] *= by;
    for (size_t i = 0; i < evaluation->answers.m; i++)
        if (evaluation->step_of[i] == UNPROCESSED)
            evaluation->est[i] = evaluation->parts;
}

void ldp_evaluate(struct ldp_evaluation *evaluation, const struct ldp_collection *collection,
                  const struct ldp_population *population, const struct ldp_rng *rng, double *measurements)
{
    assert(collection->protocol->d == evaluation->d && population->d == evaluation->d);
    const double size = ldp_sample_of(population)->size;
    for (int i = 0; i < evaluation->nsteps; i++) {
        const struct step *const step = &evaluation->steps[i];
        struct ldp_collection input = *collection;

        input.est = input_of(evaluation, step, collection->est);
        if (step->method->apply)
            step->method->apply(step->param, &input, evaluation->scratch, step->out);
    }
    for (size_t i = 0; i < evaluation->answers.m; i++) {
        const int step = evaluation->step_of[i];

        evaluation->est[i] = step == UNPROCESSED ? collection->est : evaluation->steps[step].out;
    }
    if (size > 1)
        scale(evaluation, collection->est, size);
    for (size_t i = 0; i < evaluation->nqueries; i++) {
        const struct ldp_query_spec *const spec = &evaluation->queries[i];
        struct ldp_rng copy = *rng; /* a query's sets do not depend on the queries before it */
        const size_t count = evaluation->answers.m * spec->npoints * ldp_measures_count(spec->query->measures);

        if (size > 1 && !spec->query->samples)
            for (size_t j = 0; j < count; j++)
                measurements[j] = NAN;
        else
            spec->query->measure(spec, collection, population, &evaluation->answers, &copy, evaluation->scratch,
                                 measurements);
        measurements += count;
    }
}

double *ldp_evaluation_supply(struct ldp_evaluation *evaluation, size_t i)
{
    assert(i < evaluation->answers.m);
    const int step = evaluation->step_of[i];
    return step == UNPROCESSED || evaluation->steps[step].method->apply ? NULL : evaluation->steps[step].out;
}

const double *ldp_evaluation_estimate(const struct ldp_evaluation *evaluation, size_t i)
{
    assert(i < evaluation->answers.m);
    return evaluation->est[i];
}

/* am.c - all marginals: one group of users for each set of l attributes; they report their cell of its table.
 *
 * A wanted marginal of k = l attributes is its group's table; a marginal of fewer attributes is the mean of all tables
 * that contain it. If l is not given, each marginal is answered by tables of its own size, as if only marginals of that
 * size were wanted. Groups that no wanted marginal needs are not simulated, but their users are still assigned to them.
 *
 * Source: Cormode, Kulkarni, Srivastava, SIGMOD 2018; CALM, CCS 2018. No consistency. Cost O(n) and the tables. */
#include "marginals/design.h"
#include "marginals/fit.h"
#include "marginals/survey.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES_MAX = 1 << 16 };

/* Tables of one size, with the marginals that they answer. */
struct level {
    size_t l, m;
    struct survey survey;
};

struct state {
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    size_t nlevels;
    struct level level[LDP_SET_MAX];
    uint32_t *map; /* room */
    double *x, *scratch, *sum;
};

static const struct ldp_param params[] = {
    {"l", LDP_INTEGER, NAN, 1, LDP_SET_MAX, NULL, "attributes of a table; default: those of the marginal"},
    {.name = NULL},
};

static void close_state(void *state)
{
    struct state *const own = state;

    if (!own)
        return;
    for (size_t i = 0; i < own->nlevels; i++)
        ldp_survey_clear(&own->level[i].survey);
    free(own->map);
    free(own->x);
    free(own->sum);
    free(own->scratch);
    free(own);
}

static bool has(const struct ldp_set *set, size_t count, uint64_t mask)
{
    for (size_t i = 0; i < count; i++)
        if (ldp_set_mask(&set[i]) == mask)
            return true;
    return false;
}

/* The m tables of l attributes that answer marginals of k (0: of any number up to l) attributes; SIZE_MAX if there are
 * too many. */
static enum ldp_status needed(const struct ldp_workload *workload, size_t l, size_t k, struct ldp_set *set, size_t *m)
{
    const size_t d = workload->records->d;
    const uint64_t all = d == 64 ? UINT64_MAX : (UINT64_C(1) << d) - 1;
    struct ldp_set *const own = malloc(TABLES_MAX * sizeof *own);
    size_t count = 0;

    if (!own)
        return LDP_ENOMEM;
    for (size_t i = 0; i < workload->nsets; i++) {
        const struct ldp_set *const wanted = &workload->sets[i];

        if (k && wanted->size != k)
            continue;
        if (ldp_design_choose(d - wanted->size, l - wanted->size) > TABLES_MAX) {
            count = SIZE_MAX;
            break;
        }
        const size_t got = ldp_design_all(all, ldp_set_mask(wanted), l, own, TABLES_MAX);

        for (size_t j = 0; j < got && count < TABLES_MAX; j++)
            if (!has(set, count, ldp_set_mask(&own[j])))
                set[count++] = own[j];
        if (count == TABLES_MAX) {
            count = SIZE_MAX;
            break;
        }
    }
    free(own);
    *m = count;
    return LDP_OK;
}

static enum ldp_status open_level(struct state *own, size_t l, size_t k, struct ldp_set *set, struct ldp_reason *reason)
{
    struct level *const level = &own->level[own->nlevels++];
    size_t m = 0;
    const enum ldp_status status = needed(own->workload, l, k, set, &m);

    *level = (struct level){.l = l, .m = m};
    if (status != LDP_OK)
        return status;
    if (m == SIZE_MAX)
        return ldp_refuse(reason, "l = %zu: expected at most %d tables that hold the wanted marginals, got more", l,
                          TABLES_MAX);
    return ldp_survey_init_some(&level->survey, own->workload, set, m, l, &own->method, reason);
}

static enum ldp_status open_levels(struct state *own, double l, struct ldp_set *set, struct ldp_reason *reason)
{
    const struct ldp_workload *const workload = own->workload;
    enum ldp_status status = LDP_OK;
    uint32_t sizes = 0;

    if (l > (double)workload->records->d)
        return ldp_refuse(reason, "l = %.0f: expected at most the %zu attributes", l, workload->records->d);
    for (size_t i = 0; i < workload->nsets; i++) {
        sizes |= UINT32_C(1) << (workload->sets[i].size - 1);
        if ((double)workload->sets[i].size > l)
            return ldp_refuse(reason, "l = %.0f: expected at least the %u attributes of a marginal", l,
                              workload->sets[i].size);
    }
    if (!isnan(l))
        return open_level(own, (size_t)l, 0, set, reason);
    for (size_t k = 1; status == LDP_OK && sizes >> (k - 1); k++)
        if (sizes >> (k - 1) & 1)
            status = open_level(own, k, k, set, reason);
    return status;
}

static enum ldp_status make_room(struct state *own)
{
    size_t cells = 1, all = 1, bytes = 1;

    for (size_t i = 0; i < own->nlevels; i++) {
        const struct tables *const tables = &own->level[i].survey.tables;

        assert(tables->first);
        all = tables->first[tables->m] > all ? tables->first[tables->m] : all;
        for (size_t j = 0; j < tables->m; j++) {
            const size_t d = tables->protocol[j].d, need = ldp_postprocess_scratch(&own->method, d);

            cells = d > cells ? d : cells;
            bytes = need > bytes ? need : bytes;
        }
    }
    own->map = malloc(cells * sizeof *own->map);
    own->x = malloc(all * sizeof *own->x);
    own->sum = malloc(cells * sizeof *own->sum);
    own->scratch = malloc(bytes);
    return own->map && own->x && own->sum && own->scratch ? LDP_OK : LDP_ENOMEM;
}

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct state *const own = calloc(1, sizeof *own);
    struct ldp_set *const set = malloc((TABLES_MAX + 1) * sizeof *set);
    enum ldp_status status = LDP_ENOMEM;

    if (own && set) {
        own->workload = workload;
        own->method = ldp_survey_method(spec);
        status = open_levels(own, spec->param[0], set, reason);
    }
    if (status == LDP_OK)
        status = make_room(own);
    free(set);
    if (status == LDP_OK)
        *state = own;
    else
        close_state(own);
    return status;
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;

    for (size_t i = 0; i < own->nlevels; i++)
        ldp_survey_collect(&own->level[i].survey, rng, stages);
    return LDP_OK;
}

/* The sum over tables that contain a set, and their number. */
static size_t add_up(struct state *own, const struct level *level, const double *x, const struct ldp_set *set,
                     double *out, size_t cells)
{
    const struct tables *const tables = &level->survey.tables;
    const uint64_t mask = ldp_set_mask(set);
    size_t count = 0;

    memset(out, 0, cells * sizeof *out);
    for (size_t j = 0; j < tables->m; j++) {
        if (mask & ~ldp_set_mask(&tables->set[j]))
            continue;
        ldp_fit_index(&tables->set[j], set, tables->cardinality, own->map);
        for (size_t c = 0; c < tables->protocol[j].d; c++)
            out[own->map[c]] += x[tables->first[j] + c];
        count++;
    }
    return count;
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    const struct ldp_workload *const workload = own->workload;

    for (size_t i = 0; i < own->nlevels; i++) {
        const struct level *const level = &own->level[i];
        const struct tables *const tables = &level->survey.tables;

        for (size_t j = 0; j < tables->m; j++)
            ldp_postprocess(&own->method,
                            &(struct ldp_collection){&tables->protocol[j], tables->users[j], NULL,
                                                     level->survey.x[stage] + tables->first[j]},
                            own->scratch, own->x + tables->first[j]);
        for (size_t a = 0; a < workload->nsets; a++) {
            const size_t first = workload->first[a], cells = workload->first[a + 1] - first;

            if (own->nlevels > 1 && workload->sets[a].size != level->l)
                continue;
            const size_t count = add_up(own, level, own->x, &workload->sets[a], out + first, cells);

            for (size_t c = 0; c < cells; c++)
                out[first + c] /= (double)count;
        }
    }
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;

    *out = (struct ldp_synopsis_facts){0};
    for (size_t i = 0; i < own->nlevels; i++) {
        const struct level *const level = &own->level[i];

        out->l = level->l > out->l ? level->l : out->l;
        out->m += (size_t)ldp_design_choose(own->workload->records->d, level->l);
    }
}

/* The tables that contain a marginal are averaged unchanged, those of one l with equal weights. */
static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;
    const struct ldp_workload *const workload = own->workload;

    for (size_t a = 0; a < workload->nsets; a++)
        for (size_t i = 0; i < own->nlevels; i++) {
            const struct tables *const tables = &own->level[i].survey.tables;
            const uint64_t mask = ldp_set_mask(&workload->sets[a]);
            double sum = 0, count = 0;

            if (own->nlevels > 1 && workload->sets[a].size != own->level[i].l)
                continue;
            for (size_t j = 0; j < tables->m; j++)
                if (!(mask & ~ldp_set_mask(&tables->set[j]))) {
                    /* Every block of the marginal, so all of its coefficients but the total. */
                    sum += 1 / tables->weight[j];
                    count++;
                }
            out[a] = (struct ldp_prediction){.noise = sum / count / count, .total = NAN};
            out[a].noise *= (double)(workload->first[a + 1] - workload->first[a] - 1) /
                            (double)(workload->first[a + 1] - workload->first[a]);
            out[a].total = out[a].noise;
        }
}

const struct ldp_synopsis ldp_synopsis_am = {
    .name = "am",
    .title = "A table of its own for every marginal",
    .source = "SIGMOD 2018; CALM, CCS 2018",
    .params = params,
    .method = "base",
    .is_attackable = true,
    .open = open_state,
    .close = close_state,
    .collect = collect,
    .answer = answer,
    .facts = facts,
    .predict = predict,
};

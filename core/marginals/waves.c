/* waves.c - see waves.h.
 *
 * All answers are averaged by their precision, single attributes shrunk to uniform (energies.c, stein.c), pairs to
 * independence and triples of binary attributes to maximum entropy given their pairs, by their expected share of noise
 * (shrink.c); pairs of many cells by the risk that is estimated of their own table. Tables are made valid, and
 * marginals beyond them are those of maximum entropy (tables.c, reconstruct.c). */
#include "marginals/waves.h"

#include "marginals/stein.h"
#include "simplex.h"

#include <stdlib.h>
#include <string.h>

enum { MANY_VALUES = 8 };

void ldp_wave_clear(struct wave *wave)
{
    ldp_reconstruction_clear(&wave->reconstruction);
    ldp_tables_clear(&wave->tables);
    ldp_tables_clear(&wave->largest);
    free(wave->largest_coefs);
    ldp_shrinking_clear(&wave->shrinking);
    ldp_energies_clear(&wave->energies);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        free(wave->x[stage]);
    free(wave->coefs);
    free(wave->room);
    free(wave->scratch);
    *wave = (struct wave){.coefs = NULL};
}

/* Whether a set is within one of some others. */
static bool is_within(uint64_t mask, const uint64_t *masks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((mask & masks[i]) == mask)
            return true;
    return false;
}

/* Intersections of wanted marginals with the tables: those that are within no other one. */
static size_t largest_of(const struct ldp_workload *workload, const struct asked *asked, size_t m, uint64_t *masks)
{
    size_t count = 0;

    for (size_t i = 0; i < workload->nsets; i++)
        for (size_t j = 0; j < m; j++) {
            const uint64_t mask = ldp_set_mask(&workload->sets[i]) & ldp_digits_attributes(&asked[j].digits);
            if (!mask || is_within(mask, masks, count))
                continue;
            size_t kept = 0;
            for (size_t k = 0; k < count; k++)
                if ((masks[k] & mask) != masks[k])
                    masks[kept++] = masks[k];
            masks[kept] = mask;
            count = kept + 1;
        }
    return count;
}

static enum ldp_status open_largest(struct wave *wave, const struct asked *asked, size_t m, struct ldp_reason *reason)
{
    const size_t most = m * wave->workload->nsets;
    uint64_t *const masks = malloc(most * sizeof *masks), *const users = malloc(most * sizeof *users);
    struct ldp_set *const largest = malloc(most * sizeof *largest);
    enum ldp_status status = LDP_ENOMEM;

    if (largest && users && masks) {
        const size_t count = largest_of(wave->workload, asked, m, masks);
        const uint64_t n = wave->workload->records->n;
        for (size_t i = 0; i < count; i++)
            largest[i] = ldp_set_of_mask(masks[i]);
        ldp_tables_share(n > count ? n : count, count, users);
        status = ldp_tables_init(&wave->largest, wave->workload, largest, users, count, wave->method, reason);
    }
    free(largest);
    free(users);
    free(masks);
    return status;
}

static enum ldp_status make_room(struct wave *wave)
{
    const size_t ncoefs = wave->tables.closure.ncoefs, *const first = wave->workload->first;
    size_t cells = 1;
    enum ldp_status status = LDP_OK;

    for (size_t i = 0; i < wave->workload->nsets; i++)
        cells = first[i + 1] - first[i] > cells ? first[i + 1] - first[i] : cells;
    wave->room = malloc(4 * cells * sizeof *wave->room);
    wave->scratch = malloc(ldp_simplex_scratch_bytes(cells));
    wave->coefs = malloc(ncoefs * sizeof *wave->coefs);
    wave->largest_coefs = malloc(wave->largest.closure.ncoefs * sizeof *wave->largest_coefs);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        if (!(wave->x[stage] = malloc((wave->tables.first[wave->tables.m] + 1) * sizeof *wave->x[stage])))
            status = LDP_ENOMEM;
    return wave->room && wave->scratch && wave->coefs && wave->largest_coefs ? status : LDP_ENOMEM;
}

enum ldp_status ldp_wave_init(struct wave *wave, const struct ldp_workload *workload, const struct closure *wanted,
                              const struct ldp_method_spec *method, const struct asked *asked, size_t m,
                              struct ldp_reason *reason)
{
    *wave = (struct wave){.workload = workload, .method = method, .wanted = wanted};
    enum ldp_status status = ldp_tables_init_asked(&wave->tables, workload, asked, m, method, reason);

    if (status == LDP_OK)
        status = open_largest(wave, asked, m, reason);
    if (status == LDP_OK)
        status = ldp_reconstruction_init(&wave->reconstruction, workload, &wave->largest);
    const size_t ncoefs = wave->tables.closure.ncoefs;
    if (status == LDP_OK)
        status = ldp_shrinking_init(&wave->shrinking, true, ncoefs);
    if (status == LDP_OK)
        status = ldp_shrinking_aim(&wave->shrinking, ncoefs);
    if (status == LDP_OK)
        status = ldp_energies_init(&wave->energies, ncoefs);
    return status == LDP_OK ? make_room(wave) : status;
}

/* Pairs of many cells are shrunk to independence by the risk that is estimated of their own table: where few of the
 * cells are large, most noise is removed by the projection. What is left of it is how large their dependence is. */
static void shrink_pairs(struct wave *wave)
{
    const struct closure *const closure = &wave->tables.closure;
    for (size_t b = 0; b < wave->wanted->nblocks; b++) {
        const uint64_t mask = wave->wanted->mask[b];
        const size_t block = ldp_closure_find(closure, mask);
        const struct ldp_set set = ldp_set_of_mask(mask);
        const double cells = ldp_set_cells(&set, closure->cardinality);
        double moves;
        if (set.size != 2 || cells < LDP_MANY_CELLS || block == CLOSURE_NONE)
            continue;
        const double factor = ldp_stein_pair(&wave->tables, wave->coefs, &set, wave->room, wave->scratch, &moves);
        if (factor > 0) {
            wave->shrinking.factor[block] = factor;
            wave->energies.block[block] = (struct energy){cells * moves, 1};
        }
    }
}

static void learn(struct wave *wave)
{
    ldp_energies_learn(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs);
    shrink_pairs(wave);
}

void ldp_wave_learn(struct wave *wave)
{
    ldp_tables_agree(&wave->tables, wave->x[LDP_NOISY], wave->coefs);
    learn(wave);
}

/* Attributes that are mostly noise are moved towards uniform: those of many values by the risk that is estimated of
 * their own table, the others by what all attributes have in common. */
static void shrink_singles(struct wave *wave)
{
    const struct closure *const closure = &wave->tables.closure;
    ldp_energies_learn_singles(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs);
    for (size_t a = 0; a < wave->workload->records->d; a++) {
        const uint64_t mask = UINT64_C(1) << a;
        const size_t block = ldp_closure_find(closure, mask), cells = closure->cardinality[a];
        if (block == CLOSURE_NONE)
            continue;
        double *const coefs = wave->coefs + closure->offset[block], factor = wave->shrinking.factor[block];
        if (cells >= MANY_VALUES)
            factor = ldp_stein_single(&wave->tables, wave->coefs, a, wave->room, wave->scratch);
        for (size_t c = 0; c < cells - 1; c++)
            coefs[c] *= factor;
    }
}

/* Removes what is still negative, marginal by marginal. */
static void project(struct wave *wave, double *out)
{
    const size_t *const first = wave->workload->first;

    for (size_t i = 0; i < wave->workload->nsets; i++) {
        memcpy(wave->room, out + first[i], (first[i + 1] - first[i]) * sizeof *out);
        ldp_simplex_project(wave->room, first[i + 1] - first[i], wave->scratch, out + first[i]);
    }
}

void ldp_wave_answer(struct wave *wave, enum ldp_stage stage, double *out)
{
    ldp_tables_agree(&wave->tables, wave->x[stage], wave->coefs);
    if (stage == LDP_NOISY) {
        shrink_singles(wave);
        learn(wave);
    }
    ldp_shrinking_run(&wave->shrinking, &wave->tables, false, wave->coefs); /* by the factors of the noisy answers */
    const struct closure *const from = &wave->tables.closure, *const to = &wave->largest.closure;
    for (size_t b = 0; b < to->nblocks; b++)
        memcpy(wave->largest_coefs + to->offset[b], wave->coefs + from->offset[ldp_closure_find(from, to->mask[b])],
               ldp_closure_size(to, b) * sizeof *wave->coefs);
    ldp_tables_make_nearly_valid(&wave->largest, wave->method, wave->largest_coefs);
    ldp_reconstruction_run(&wave->reconstruction, wave->largest_coefs, out);
    project(wave, out);
}

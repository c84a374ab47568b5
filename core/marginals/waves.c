/* waves.c - see waves.h.
 *
 * All answers are averaged by their precision, single attributes shrunk to uniform (energies.c), pairs to independence
 * and interactions of more attributes to maximum entropy given those of fewer, by their expected share of noise
 * (shrink.c), but not where values are rare; what pairs have is estimated from valid tables (valid.c); pairs of many
 * cells by the risk that is estimated of their own table. Marginals beyond the tables have maximum entropy (known.c).
 * The answer is the nearest one in which all requested marginals agree and have no negative cell (nearest.c), to a
 * duality gap of GAP of its objective: interactions by their precision, those that nobody was asked about by the least
 * of any precision. Where marginals have so many cells together that ROUNDS_CELLS do not suffice, each is projected
 * onto the simplex after that, and they agree only nearly. */
#include "marginals/waves.h"

#include "marginals/singles.h"
#include "numerics/simplex.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 20000, ROUNDS_CELLS = 60000000 /* about 2 s */ };
#define GAP 1e-8
#define HOPELESS 1.0 /* precision of an interaction, at which its noise is as large as it can be */

static enum ldp_status make_room(struct wave *wave, struct ldp_pool *pool)
{
    const size_t *const first = wave->workload->first;
    size_t cells = 1;

    for (size_t i = 0; i < wave->workload->nsets; i++)
        cells = first[i + 1] - first[i] > cells ? first[i + 1] - first[i] : cells;
    TAKE(pool, wave->room, 4 * cells);
    wave->scratch = ldp_pool_take(pool, ldp_numbers_bytes(cells), 1);
    TAKE(pool, wave->coefs, wave->tables.closure.ncoefs);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        TAKE(pool, wave->x[stage], wave->tables.first[wave->tables.m] + 1);
    return ldp_pool_status(pool);
}

enum ldp_status ldp_wave_init(struct wave *wave, struct ldp_pool *pool, const struct ldp_workload *workload,
                              struct nearest *nearest, const struct ldp_method_spec *method, const struct asked *asked,
                              size_t m, struct ldp_reason *reason)
{
    *wave = (struct wave){.workload = workload, .nearest = nearest, .method = method};
    enum ldp_status status = ldp_tables_init_asked(&wave->tables, pool, workload, asked, m, method, reason);

    const size_t ncoefs = wave->tables.closure.ncoefs;
    if (status == LDP_OK)
        status = ldp_shrinking_init(&wave->shrinking, pool, true, ncoefs);
    if (status == LDP_OK)
        status = ldp_shrinking_aim(&wave->shrinking, pool, &wave->tables);
    if (status == LDP_OK)
        status = ldp_energies_init(&wave->energies, pool, ncoefs);
    return status == LDP_OK ? make_room(wave, pool) : status;
}

/* The table of a pair from its coefficients; beyond: instead from those of its attributes alone, with these central
 * moments. */
static void fill_pair(const struct tables *tables, const double *coefs, const struct ldp_set *set, const double *beyond,
                      double *out)
{
    const struct closure *const closure = &tables->closure;
    const size_t rows = closure->cardinality[set->attribute[0]], columns = closure->cardinality[set->attribute[1]];
    const double *single[2];
    const uint64_t mask = ldp_set_mask(set);
    const double *const own = coefs + closure->offset[ldp_closure_find(closure, mask)];

    for (size_t i = 0; i < 2; i++)
        single[i] = coefs + closure->offset[ldp_closure_find(closure, UINT64_C(1) << set->attribute[i])];
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            const double row = r > 0 ? single[0][r - 1] : 1, column = c > 0 ? single[1][c - 1] : 1;
            const size_t at = r > 0 && c > 0 ? (r - 1) * (columns - 1) + c - 1 : 0;
            out[r * columns + c] = r == 0 || c == 0 ? row * column : beyond ? row * column + beyond[at] : own[at];
        }
    ldp_contrasts_inverse(set, closure->cardinality, out);
}

/* The factor of a pair to the central moments target[coefficients]. */
static double stein_pair(const struct tables *tables, const double *coefs, const double *target,
                         const struct ldp_set *set, double *room, void *scratch, double *moves)
{
    const size_t cells = (size_t)ldp_set_cells(set, tables->cardinality),
                 block = ldp_closure_find(&tables->closure, ldp_set_mask(set));
    double *const base = room + cells;

    fill_pair(tables, coefs, set, NULL, room);
    fill_pair(tables, coefs, set, target + tables->closure.offset[block], base);
    const double factor = ldp_stein_factor(room, base, cells, 1 / (tables->precision[block] * (double)cells),
                                           base + cells, scratch, moves);

    for (size_t c = tables->closure.offset[block]; c < tables->closure.offset[block + 1]; c++)
        *moves += target[c] * target[c];
    return factor;
}

/* Pairs of many cells are shrunk to independence by the risk that is estimated of their own table: where few of the
 * cells are large, most noise is removed by the projection. What is left of it is how large their dependence is. */
static void shrink_pairs(struct wave *wave)
{
    const struct closure *const closure = &wave->tables.closure;
    for (size_t b = 0; b < wave->nearest->closure.nblocks; b++) {
        const uint64_t mask = wave->nearest->closure.mask[b];
        const size_t block = ldp_tables_find(&wave->tables, mask);
        const struct ldp_set set = ldp_set_of_mask(mask);
        const double cells = ldp_set_cells(&set, closure->cardinality);
        double moves;
        if (set.size != 2 || cells < LDP_MANY_CELLS || block == CLOSURE_NONE)
            continue;
        const double factor =
            stein_pair(&wave->tables, wave->coefs, wave->shrinking.target, &set, wave->room, wave->scratch, &moves);
        if (factor > 0) {
            wave->shrinking.factor[block] = factor;
            wave->energies.block[block] = (struct energy){cells * moves, 1};
        }
    }
}

/* Interactions of rare values stay as they are seen: most of their noise makes cells negative that nearly nobody is in,
 * and goes as they are made valid. Shrunk, they would lose what is above 0 as well. Others follow from them as shrunk.
 */
static void keep_rare(struct wave *wave, const double varies[LDP_ATTRIBUTES_MAX])
{
    const struct closure *const closure = &wave->tables.closure;

    for (size_t b = 1; b < closure->nblocks; b++)
        wave->shrinking.keeps[b] =
            ldp_valid_is_rare(closure->mask[b], varies) && wave->tables.has[b] && wave->tables.precision[b] > HOPELESS;
}

static bool wants_interactions(const struct ldp_workload *workload)
{
    for (size_t i = 0; i < workload->nsets; i++)
        if (workload->sets[i].size > 1)
            return true;
    return false;
}

/* Where single attributes alone are requested, tables of several may have been asked all the same, but what these have
 * beyond them does not matter. */
static void learn(struct wave *wave)
{
    double varies[LDP_ATTRIBUTES_MAX];

    if (!wants_interactions(wave->workload))
        return;
    ldp_singles_variances(&wave->tables, wave->coefs, varies);
    ldp_valid_learn(&wave->shrinking.valid, &wave->tables, wave->coefs, varies);
    ldp_energies_learn(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs);
    shrink_pairs(wave);
    keep_rare(wave, varies);
}

void ldp_wave_learn(struct wave *wave)
{
    ldp_tables_agree(&wave->tables, wave->x[LDP_NOISY], wave->coefs);
    learn(wave);
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

/* The interactions that answers have in common: those that were asked about are known, the others are the means of all
 * answers that have them. */
static void start_from(struct wave *wave, const double *out)
{
    struct nearest *const nearest = wave->nearest;
    const struct closure *const from = &wave->tables.closure;
    double *const count = nearest->inverse, most = 0;

    memset(nearest->start, 0, nearest->closure.ncoefs * sizeof *nearest->start);
    memset(count, 0, nearest->closure.ncoefs * sizeof *count);
    for (size_t i = 0; i < nearest->nsets; i++) {
        const size_t first = nearest->first[i], cells = nearest->first[i + 1] - first;
        for (size_t c = 0; c < cells; c++) {
            nearest->start[nearest->map[first + c]] += out[first + c];
            count[nearest->map[first + c]]++;
        }
    }
    for (size_t b = 1; b < from->nblocks; b++)
        if (wave->tables.precision[b] > 0)
            most = fmax(most, 1 / wave->tables.precision[b]);
    for (size_t b = 0; b < nearest->closure.nblocks; b++) {
        const size_t block = ldp_closure_find(from, nearest->closure.mask[b]), first = nearest->closure.offset[b];
        const double precision = block == CLOSURE_NONE ? 0 : wave->tables.precision[block];
        for (size_t c = first; c < nearest->closure.offset[b + 1]; c++) {
            nearest->start[c] = b == 0          ? 1
                                : precision > 0 ? wave->coefs[from->offset[block] + c - first]
                                                : nearest->start[c] / count[c];
            nearest->inverse[c] = b == 0 ? 0 : precision > 0 ? 1 / precision : most;
        }
    }
    ldp_nearest_weigh(nearest, false);
}

struct nearest_result ldp_wave_answer(struct wave *wave, enum ldp_stage stage, double *out)
{
    ldp_tables_agree(&wave->tables, wave->x[stage], wave->coefs);
    if (stage == LDP_NOISY) {
        ldp_singles_shrink(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs, wave->room, wave->scratch);
        learn(wave);
    } else {
        ldp_valid_find(&wave->shrinking.valid, &wave->tables, wave->coefs);
    }
    ldp_shrinking_run(&wave->shrinking, &wave->tables, wave->coefs); /* by the factors of the noisy answers */
    ldp_implied_answer(&wave->shrinking.implied, &wave->tables, wave->coefs, out);
    start_from(wave, out);
    const size_t cells = wave->workload->first[wave->workload->nsets],
                 rounds = ROUNDS_CELLS / cells < ROUNDS_MAX ? ROUNDS_CELLS / cells : ROUNDS_MAX;
    const struct nearest_result result = ldp_nearest_run(wave->nearest, GAP, rounds, out);
    if (!result.near)
        project(wave, out);
    return result;
}

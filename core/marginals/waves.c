/* waves.c - see waves.h.
 *
 * All answers are averaged by their precision, single attributes shrunk to uniform (energies.c), pairs to independence
 * and interactions of more attributes to maximum entropy given those of fewer, by their expected share of noise
 * (shrink.c), but not where values are rare; what pairs have is learnt from valid tables (valid.c); pairs of many cells
 * by the risk that is estimated of their own table. Marginals beyond the tables have maximum entropy (implied.c). The
 * answer is the nearest one in which all wanted marginals agree and have no negative cell (nearest.c), to a duality gap
 * of GAP of its objective: interactions by their precision, those that nobody was asked about by the least of any
 * precision. Where marginals have so many cells together that ROUNDS_CELLS do not suffice, each is projected onto the
 * simplex after that, and they agree only nearly.
 *
 * Their own risk: z(f) is the projection onto the simplex of y = b + f (x - b), b a table without noise. It moves with
 * x by f in the cells that stay positive, k of them, whose total is fixed. So for normal noise of variance V in x,
 *
 *     |z(f) - x|^2 - L V + 2 V f (k - 1)
 *
 * has the expected value E |z(f) - mean of x|^2, whatever the mean is (Stein, Annals of Statistics 9, 1981). Of the
 * factors 0, 0.1, .., 1 the one of the smallest estimate is used: 0 where all is noise, 1 where few cells are large,
 * between them where many are alike; but 0 where no other is better by DOUBT standard deviations of |x - b|^2. The
 * estimate's own error falls as 1/sqrt(L): for tables of few cells others are better. Cost: STEPS projections. */
#include "marginals/waves.h"

#include "simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10, MANY_VALUES = 8, ROUNDS_MAX = 20000, ROUNDS_CELLS = 60000000 /* about 2 s */ };
#define GAP 1e-8
#define KNOWN 10.0   /* precision of an attribute, up to which its own unevenness says nothing */
#define DOUBT 1.0    /* standard deviations of |x - b|^2 where x is noise alone */
#define HOPELESS 1.0 /* precision of an interaction, at which its noise is as large as it can be */
#define RARE 0.3     /* the variance of an attribute over that of even values: below it others than one are rare */

void ldp_wave_clear(struct wave *wave)
{
    ldp_tables_clear(&wave->tables);
    ldp_shrinking_clear(&wave->shrinking);
    ldp_energies_clear(&wave->energies);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        free(wave->x[stage]);
    free(wave->coefs);
    free(wave->room);
    free(wave->scratch);
    *wave = (struct wave){.coefs = NULL};
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
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        if (!(wave->x[stage] = malloc((wave->tables.first[wave->tables.m] + 1) * sizeof *wave->x[stage])))
            status = LDP_ENOMEM;
    return wave->room && wave->scratch && wave->coefs ? status : LDP_ENOMEM;
}

enum ldp_status ldp_wave_init(struct wave *wave, const struct ldp_workload *workload, struct nearest *nearest,
                              const struct ldp_method_spec *method, const struct asked *asked, size_t m,
                              struct ldp_reason *reason)
{
    *wave = (struct wave){.workload = workload, .nearest = nearest, .method = method};
    enum ldp_status status = ldp_tables_init_asked(&wave->tables, workload, asked, m, method, reason);

    const size_t ncoefs = wave->tables.closure.ncoefs;
    if (status == LDP_OK)
        status = ldp_shrinking_init(&wave->shrinking, true, ncoefs);
    if (status == LDP_OK)
        status = ldp_shrinking_aim(&wave->shrinking, &wave->tables);
    if (status == LDP_OK)
        status = ldp_energies_init(&wave->energies, ncoefs);
    return status == LDP_OK ? make_room(wave) : status;
}

/* ---- factors by their own risk ---- */

double ldp_stein_factor(const double *x, const double *base, size_t cells, double variance, double *room, void *scratch,
                        double *moves)
{
    double *const moved = room, *const valid = room + cells, least = INFINITY, found = 0;

    for (int step = 0; step <= STEPS; step++) {
        const double factor = (double)step / STEPS;
        double distance = 0;
        size_t positive = 0;
        for (size_t c = 0; c < cells; c++)
            moved[c] = base[c] + factor * (x[c] - base[c]);
        ldp_simplex_project(moved, cells, scratch, valid);
        for (size_t c = 0; c < cells; c++) {
            positive += valid[c] > 0;
            distance += (valid[c] - x[c]) * (valid[c] - x[c]);
        }
        const double risk = distance + 2 * variance * factor * (double)(positive - 1);
        if (risk < least) {
            least = step == 0 ? risk - DOUBT * variance * sqrt(2 * (double)cells) : risk;
            found = factor;
            *moves = 0;
            for (size_t c = 0; c < cells; c++)
                *moves += (valid[c] - base[c]) * (valid[c] - base[c]);
        }
    }
    return found;
}

/* The factor of an attribute to uniform. room[3 * cells]. */
static double stein_single(const struct tables *tables, const double *coefs, size_t attribute, double *room,
                           void *scratch)
{
    const size_t cells = tables->cardinality[attribute];
    const struct ldp_set set = ldp_set_of_mask(UINT64_C(1) << attribute);
    const size_t block = ldp_closure_find(&tables->closure, ldp_set_mask(&set));
    double *const base = room + cells;

    room[0] = 1;
    memcpy(room + 1, coefs + tables->closure.offset[block], (cells - 1) * sizeof *coefs);
    ldp_contrasts_inverse(&set, tables->cardinality, room);
    for (size_t c = 0; c < cells; c++)
        base[c] = 1 / (double)cells;
    double moves;
    return ldp_stein_factor(room, base, cells, 1 / (tables->precision[block] * (double)cells), base + cells, scratch,
                            &moves);
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

/* The variance of each attribute over that of even values: its own where it is known to 1 / KNOWN, of all attributes
 * where it is not. */
static void find_variances(const struct wave *wave, double varies[LDP_ATTRIBUTES_MAX])
{
    const size_t d = wave->workload->records->d;
    struct uneven uneven;
    double mean = 0;

    ldp_energies_find_uneven(&wave->tables, wave->coefs, &uneven);
    for (size_t a = 0; a < d; a++)
        mean += uneven.sampling[a] / (double)d;
    for (size_t a = 0; a < d; a++) {
        const size_t block = ldp_closure_find(&wave->tables.closure, UINT64_C(1) << a);
        const double precision = block == CLOSURE_NONE ? 0 : wave->tables.precision[block],
                     own = precision > KNOWN ? 1 - KNOWN / precision : 0;
        varies[a] = mean + own * (uneven.sampling[a] - mean);
    }
}

/* Interactions of rare values stay as they are seen: most of their noise makes cells negative that hold nearly nobody,
 * and goes as they are made valid. Shrunk, they would lose what is above 0 as well. Others follow from them as shrunk.
 */
static void keep_rare(struct wave *wave, const double varies[LDP_ATTRIBUTES_MAX])
{
    const struct closure *const closure = &wave->tables.closure;

    for (size_t b = 1; b < closure->nblocks; b++) {
        double all = 1;
        for (uint64_t rest = closure->mask[b]; rest; rest &= rest - 1)
            all *= varies[__builtin_ctzll(rest)] / RARE;
        wave->shrinking.keeps[b] = all < 1 && wave->tables.has[b] && wave->tables.precision[b] > HOPELESS;
    }
}

static bool wants_interactions(const struct ldp_workload *workload)
{
    for (size_t i = 0; i < workload->nsets; i++)
        if (workload->sets[i].size > 1)
            return true;
    return false;
}

/* Where single attributes alone are wanted, tables of several may have been asked all the same, but what these have
 * beyond them does not matter. */
static void learn(struct wave *wave)
{
    double varies[LDP_ATTRIBUTES_MAX];

    if (!wants_interactions(wave->workload))
        return;
    find_variances(wave, varies);
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

/* Attributes that are mostly noise are moved towards uniform: those of many values by the risk that is estimated of
 * their own table, the others by what all attributes have in common. */
static void shrink_singles(struct wave *wave)
{
    const struct closure *const closure = &wave->tables.closure;
    double varies[LDP_ATTRIBUTES_MAX];

    find_variances(wave, varies);
    ldp_energies_learn_singles(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs);
    for (size_t a = 0; a < wave->workload->records->d; a++) {
        const uint64_t mask = UINT64_C(1) << a;
        const size_t block = ldp_closure_find(closure, mask), cells = closure->cardinality[a];
        if (block == CLOSURE_NONE || varies[a] < RARE)
            continue;
        double *const coefs = wave->coefs + closure->offset[block], factor = wave->shrinking.factor[block];
        if (cells >= MANY_VALUES)
            factor = stein_single(&wave->tables, wave->coefs, a, wave->room, wave->scratch);
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
        shrink_singles(wave);
        learn(wave);
    } else {
        ldp_valid_find(&wave->shrinking.valid, &wave->tables, wave->coefs);
    }
    ldp_shrinking_run(&wave->shrinking, &wave->tables, false, wave->coefs); /* by the factors of the noisy answers */
    ldp_implied_answer(&wave->shrinking.implied, &wave->tables, wave->coefs, out);
    start_from(wave, out);
    const size_t cells = wave->workload->first[wave->workload->nsets],
                 rounds = ROUNDS_CELLS / cells < ROUNDS_MAX ? ROUNDS_CELLS / cells : ROUNDS_MAX;
    const struct nearest_result result = ldp_nearest_run(wave->nearest, GAP, rounds, out);
    if (!result.near)
        project(wave, out);
    return result;
}

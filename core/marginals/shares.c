/* shares.c - see shares.h. It has over 500 lines, as solving and pricing work on the same questions.
 *
 * With contrasts of squared norm L_s (contrasts.h times sqrt(L_s)), a marginal A is the sum of its blocks, and
 *
 *     SSE_A = 1/L_A sum_{s in A, s != 0} |t^_s - t_s|^2.
 *
 * A table B answered by n_B users shows every s inside B with precision n_B / tau_B for each of the v_s coefficients,
 * tau_B = g_s + L_B s1 + tf (L_B / (L_B - 1) times the noise where estimates sum to 1). g_s is for choosing users: the
 * product over s of 1 - |t_i|^2 / (c_i - 1), 1 where values are even (energies.c). Answers to several are weighted by
 * precision. The N users of the records are chosen without replacement, so that their error is e = v (1 / P - g / N);
 * shrunk by phi / (phi + e) it is phi e / (phi + e), and the expected mean error
 *
 *     F(w) = sum_s c_s v_s / (P_s(w) / (1 - P_s(w) g_s / N) + v_s / phi_s),
 *     P_s(w) = P0_s + sum_Q K_Q w_Q [s in Q],   K_Q = n / tau_Q,
 *     c_s = 1/#A sum_{A contains s} 1/L_A prod_{j in A\s} (1 + |t_j|^2)
 *
 * (the product: an error of s spreads through products with the other attributes). An interaction that is 0 with
 * probability 1 - pi and else of energy phi / pi counts as pi of such: whether it is 0 will be seen. The noise
 * of a distribution of many cells mostly goes as it is made non-negative: with sigma = 1 / sqrt(L P) in each of L
 * cells, the projection onto the simplex is wrong by about sigma in all, |z - p|^2 <= 2 <noise, z - p>, while v noisy
 * coefficients cost L sigma^2. So single attributes count as v = min(v, FITTED sqrt(L P)) numbers, P if all users
 * answered for them. Likewise, where requested marginals of m attributes are made non-negative, a question of q
 * attributes counts as with (prod_j (sum sqrt p)^2 / c_j)^min(1, m/q) of its noise, p the values of attribute j as the
 * first wave saw them: of four binary attributes that one user in thirty has, 3.4 of 16 cells; 3.0 stay of noise of
 * 0.1, 7.8 of 0.01. Without that, rare values were asked for in tables that are too small. Questions with parities
 * (contrasts.h) have tau of their cells, and show some of the interactions of their attributes. F is convex in the
 * shares w as long as phi_s > v_s g_s / N: smaller energies are that of choosing the records. The shares are found by
 *
 *     w_Q <- w_Q sqrt(d_Q), scaled to sum 1,
 *     d_Q = -dF/dw_Q = K_Q sum_{s in Q} c_s v_s / (P_s + v_s/phi_s (1 - P_s g_s / N))^2
 *
 * (Torsney 1977, monotone for this criterion: Yu, Annals of Statistics 38, 2010), which ends with a certificate,
 * F(w) - min F <= max_Q d_Q - sum_Q w_Q d_Q over the questions of the list. The list begins with all blocks of the
 * requested marginals, as tables and with parities, and is extended by pricing, below.
 *
 * A first wave (ldp_regret_solve): with the importance c_s of interactions, |s| > 1, multiplied by a weight m from 0 to
 * 1, the shares of the first wave go from those of single attributes alone to the best for everything. What they add to
 * the error of single attributes grows with m, so the largest m that adds at most the requested part is found by
 * halving its logarithm. The error is F without interactions, minimised over the shares of all users (the floor) and of
 * those of the second wave, in addition to the precision that the first one gave.
 *
 * Source: this project; the closed form of the error goes back to residual planning (Xiao, He, Zhang, Kifer, NeurIPS
 * 2023) for central differential privacy. */
#include "marginals/shares.h"
#include "numerics/numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 60,       /* of shares, between two extensions */
    EXTENSIONS = 4,    /* of the list */
    LAST_ROUNDS = 200, /* of shares at the end */
    CELLS_MAX = 65536, /* of a question */
    HALVINGS = 7,      /* of the weights of a first wave */
    GROWN_MAX = 6      /* digits of a question that pricing makes */
};
enum form { TABLE, PARITY };
#define DROP 1e-7     /* share below which a question leaves */
#define GAP 1e-3      /* relative, at which the last rounds end */
#define WIDE_GAP 1e-2 /* before an extension */
#define STALLS 1e-5   /* as rounds end too: the part by which the last one lowered the error */
#define LEAST -14.0   /* logarithm of the weights of a first wave */
#define GAIN 1.001    /* of d_Q over the mean, for a question to join */
#define FITTED 0.15   /* a part of sigma, as users are shared; 0.1 to 0.3 do alike */

enum ldp_status ldp_shares_init(struct shares *shares, struct ldp_pool *pool, const struct ldp_workload *workload)
{
    *shares =
        (struct shares){.workload = workload, .closure = {.pool = pool, .cardinality = workload->records->cardinality}};
    shares->has_parities = !(workload->oracle->oracle->flags & LDP_ORACLE_SKETCH);
    for (size_t i = 0; i < workload->nsets; i++)
        if (ldp_closure_add(&shares->closure, &workload->sets[i]) != LDP_OK)
            return LDP_ENOMEM;
    double **const arrays[] = {&shares->importance, &shares->energy, &shares->presence, &shares->known,
                               &shares->precision,  &shares->slope,  &shares->size,     &shares->spread};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        TAKE(pool, *arrays[i], shares->closure.nblocks);
    TAKE(pool, shares->noise, CELLS_MAX + 1);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        shares->size[b] = (double)ldp_closure_size(&shares->closure, b);
        shares->presence[b] = shares->spread[b] = 1;
        const uint64_t mask = shares->closure.mask[b];
        const size_t order = (size_t)__builtin_popcountll(mask);
        shares->order = order > shares->order ? order : shares->order;
        for (uint64_t rest = mask; rest; rest &= rest - 1)
            shares->near[__builtin_ctzll(rest)] |= mask;
    }
    for (size_t a = 0; a < LDP_ATTRIBUTES_MAX; a++)
        shares->filled[a] = 1;
    for (size_t c = 0; c <= CELLS_MAX; c++)
        shares->noise[c] = NAN;
    return LDP_OK;
}

void ldp_shares_weigh(struct shares *shares, const struct uneven *uneven)
{
    const struct ldp_workload *const workload = shares->workload;

    memset(shares->importance, 0, shares->closure.nblocks * sizeof *shares->importance);
    memcpy(shares->filled, uneven->filled, workload->records->d * sizeof *shares->filled);
    for (size_t i = 0; i < workload->nsets; i++) {
        const uint64_t mask = ldp_set_mask(&workload->sets[i]);
        const double cells = ldp_set_cells(&workload->sets[i], shares->closure.cardinality);
        for (uint64_t sub = mask; sub; sub = (sub - 1) & mask) {
            double spread = 1;
            for (uint64_t rest = mask & ~sub; rest; rest &= rest - 1)
                spread *= 1 + uneven->square[__builtin_ctzll(rest)];
            shares->importance[ldp_closure_find(&shares->closure, sub)] += spread / cells / (double)workload->nsets;
        }
    }
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        shares->spread[b] = 1;
        for (uint64_t rest = shares->closure.mask[b]; rest; rest &= rest - 1)
            shares->spread[b] *= uneven->sampling[__builtin_ctzll(rest)];
    }
}

/* ---- questions ---- */

/* The noise of a coefficient of a table of so many cells, answered by one user; INFINITY: it cannot be asked. */
static double noise_of_cells(struct shares *shares, double cells)
{
    if (cells > CELLS_MAX)
        return INFINITY;
    double *const noise = &shares->noise[(size_t)cells];
    if (isnan(*noise)) {
        struct ldp_protocol protocol;
        struct ldp_reason reason;
        const bool can = ldp_protocol_init(&protocol, shares->workload->oracle, (size_t)cells,
                                           shares->workload->epsilon, &reason) == LDP_OK &&
                         !(protocol.flags & LDP_ORACLE_ORDINAL) && ldp_has_mode(&protocol, shares->workload->mode);
        *noise = can ? cells * protocol.s1 + protocol.tf : INFINITY;
        if (can && protocol.oracle->flags & LDP_ORACLE_SUMS_TO_ONE)
            *noise *= cells / (cells - 1);
    }
    return *noise;
}

double ldp_shares_question_noise(struct shares *shares, const struct digits *digits)
{
    double filled = 1;

    for (size_t i = 0; i < digits->size; i++)
        if (!(digits->mask[i] & (digits->mask[i] - 1)))
            filled *= shares->filled[__builtin_ctzll(digits->mask[i])];
    if (digits->size > shares->order)
        filled = ldp_pow(filled, (double)shares->order / (double)digits->size);
    return filled * noise_of_cells(shares, ldp_digits_cells(digits, shares->closure.cardinality));
}

void ldp_shares_size(struct shares *shares, double n)
{
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(shares->closure.mask[b]);
        const double size = (double)ldp_closure_size(&shares->closure, b),
                     cells = ldp_set_cells(&set, shares->closure.cardinality),
                     precision = shares->known[b] + n / (noise_of_cells(shares, cells) + shares->spread[b]);
        const double noise = fmax(1 / precision - ldp_shares_fixed(shares, b), 1e-30);
        shares->size[b] = set.size == 1 ? fmin(size, fmax(1, FITTED * sqrt(cells / noise))) : size;
    }
}

/* The precision of a block that all users together would give by a question of such noise: n / tau. */
static inline double gives(const struct shares *shares, double noise, size_t block)
{
    return shares->n / (noise + shares->spread[block]);
}

/* What was smaller stays in the pool. */
static enum ldp_status grow(struct ldp_pool *pool, void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return LDP_OK;
    void *const more = ldp_pool_take(pool, 2 * *room + 64, size);
    if (!more)
        return LDP_ENOMEM;
    if (*room > 0)
        memcpy(more, *array, *room * size);
    *array = more;
    *room = 2 * *room + 64;
    return LDP_OK;
}

/* The binary attributes, of which parities may be asked. */
static uint64_t binary_of(const struct shares *shares, uint64_t mask)
{
    uint64_t binary = 0;

    for (; shares->has_parities && mask; mask &= mask - 1)
        binary |= shares->closure.cardinality[__builtin_ctzll(mask)] == 2 ? mask & -mask : 0;
    return binary;
}

/* The question of a block with most digits, or fewest: its binary attributes as one. Size 0: that is its table too. */
static struct digits digits_of(const struct shares *shares, size_t block, enum form form)
{
    const uint64_t mask = shares->closure.mask[block], binary = binary_of(shares, mask);
    struct digits digits = {.size = 0};

    if (form == TABLE)
        return ldp_digits_of_mask(mask);
    if (binary & (binary - 1)) {
        digits = ldp_digits_of_mask(mask & ~binary);
        ldp_digits_add(&digits, binary);
    }
    return digits;
}

/* Adds a question, unless it cannot be asked. */
static enum ldp_status add_question(struct shares *shares, const struct digits *digits)
{
    const double noise = ldp_shares_question_noise(shares, digits);

    if (isinf(noise))
        return LDP_OK;
    if (grow(shares->closure.pool, (void **)&shares->question, shares->nquestions, &shares->room,
             sizeof *shares->question) != LDP_OK)
        return LDP_ENOMEM;
    struct question *const question = &shares->question[shares->nquestions];
    *question = (struct question){.digits = *digits, .first = shares->nshown, .noise = noise, .share = 1};
    for (uint64_t chosen = 1; chosen >> digits->size == 0; chosen++) {
        const size_t block = ldp_closure_find(&shares->closure, ldp_digits_block(digits, chosen));
        if (block == CLOSURE_NONE || !(shares->importance[block] > 0))
            continue;
        if (grow(shares->closure.pool, (void **)&shares->shown, shares->nshown, &shares->shown_room,
                 sizeof *shares->shown) != LDP_OK)
            return LDP_ENOMEM;
        shares->shown[shares->nshown++] = (struct shown){block, gives(shares, noise, block)};
    }
    question->count = shares->nshown - question->first;
    shares->nquestions++;
    return LDP_OK;
}

/* ---- shares ---- */

/* P + (v / phi) (1 - P g / N). */
static double denominator(const struct shares *shares, size_t block)
{
    const double precision = shares->precision[block];
    return precision + shares->size[block] * shares->presence[block] / shares->energy[block] *
                           fmax(1 - precision * ldp_shares_fixed(shares, block), 0);
}

/* Precision and slope of every block at the present shares. A block without energy has none. */
static void find_slopes(struct shares *shares)
{
    const struct closure *const closure = &shares->closure;

    memcpy(shares->precision, shares->known, closure->nblocks * sizeof *shares->precision);
    for (size_t q = 0; q < shares->nquestions; q++) {
        const struct question *const question = &shares->question[q];
        for (size_t i = 0; i < question->count; i++) {
            const struct shown *const shown = &shares->shown[question->first + i];
            shares->precision[shown->block] += shown->gives * question->share;
        }
    }
    for (size_t b = 0; b < closure->nblocks; b++) {
        const double all = shares->energy[b] > 0 ? denominator(shares, b) : 0;
        shares->slope[b] = all > 0 && closure->mask[b]
                               ? shares->importance[b] * shares->presence[b] * shares->size[b] / (all * all)
                               : 0;
    }
}

static double price_of(const struct shares *shares, const struct question *question)
{
    double sum = 0;

    for (size_t i = 0; i < question->count; i++) {
        const struct shown *const shown = &shares->shown[question->first + i];
        sum += shares->slope[shown->block] * shown->gives;
    }
    return sum;
}

/* Finds all prices; their mean, and the largest. */
static double find_prices(struct shares *shares, double *most)
{
    double mean = 0;

    *most = 0;
    for (size_t q = 0; q < shares->nquestions; q++) {
        struct question *const question = &shares->question[q];
        question->price = price_of(shares, question);
        mean += question->share * question->price;
        *most = question->price > *most ? question->price : *most;
    }
    return mean;
}

double ldp_shares_block_error(const struct shares *shares, size_t block)
{
    const double left = fmax(1 - shares->precision[block] * ldp_shares_fixed(shares, block), 0);

    return shares->energy[block] > 0 ? shares->presence[block] * shares->size[block] * left / denominator(shares, block)
                                     : 0;
}

double ldp_shares_error(const struct shares *shares)
{
    double sum = 0;

    for (size_t b = 0; b < shares->closure.nblocks; b++)
        if (shares->closure.mask[b])
            sum += shares->importance[b] * ldp_shares_block_error(shares, b);
    return sum;
}

static void scale(struct shares *shares)
{
    double sum = 0;

    for (size_t q = 0; q < shares->nquestions; q++)
        sum += shares->question[q].share;
    for (size_t q = 0; q < shares->nquestions; q++)
        shares->question[q].share /= sum;
}

/* Rounds of the shares, until their gap is small or they gain little. */
static void improve(struct shares *shares, size_t rounds, double gap)
{
    double last = INFINITY;
    for (size_t round = 0; round < rounds; round++) {
        double most;
        find_slopes(shares);
        const double mean = find_prices(shares, &most), error = ldp_shares_error(shares);
        shares->gap = error > 0 ? (most - mean) / error : 0;
        if (shares->gap <= gap || error > (1 - STALLS) * last)
            return;
        last = error;
        for (size_t q = 0; q < shares->nquestions; q++)
            shares->question[q].share *= sqrt(shares->question[q].price / mean);
        scale(shares);
    }
    find_slopes(shares);
}

static void drop_small(struct shares *shares, double least)
{
    size_t kept = 0;

    for (size_t q = 0; q < shares->nquestions; q++)
        if (shares->question[q].share >= least)
            shares->question[kept++] = shares->question[q];
    shares->nquestions = kept;
    scale(shares);
}

/* ---- pricing: questions that would lower the error ----
 *
 * Those of the blocks of largest slope grow by the digit, a further attribute or its parity with the first one, whose
 * further blocks have the largest slopes, and the best on the way joins the list if its d_Q is above the mean. */

static bool is_listed(const struct shares *shares, const struct digits *digits)
{
    for (size_t q = 0; q < shares->nquestions; q++)
        if (shares->question[q].digits.size == digits->size &&
            memcmp(shares->question[q].digits.mask, digits->mask, digits->size * sizeof *digits->mask) == 0)
            return true;
    return false;
}

/* The blocks that a question shows, each with a further part; those that may have one more attribute. Returns their
 * number. */
static size_t list_parts(const struct shares *shares, const struct digits *digits, uint64_t further, uint64_t *part)
{
    size_t count = 0;

    for (uint64_t chosen = 0; chosen >> digits->size == 0; chosen++) {
        part[count] = further ^ ldp_digits_block(digits, chosen);
        count += (size_t)__builtin_popcountll(part[count]) < shares->order;
    }
    return count;
}

/* What a question of such noise gains by the blocks that an attribute makes with those parts. */
static double price_with(const struct shares *shares, const uint64_t *part, size_t count, size_t attribute,
                         double noise)
{
    const uint64_t apart = ~shares->near[attribute], own = UINT64_C(1) << attribute;
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t block = part[i] & apart ? CLOSURE_NONE : ldp_closure_find(&shares->closure, part[i] | own);
        sum += block == CLOSURE_NONE ? 0 : shares->slope[block] * gives(shares, noise, block);
    }
    return sum;
}

/* What digits gain as a question, or as parts of a question of such noise. */
static double price_inside(const struct shares *shares, const struct digits *digits, double noise)
{
    double sum = 0;

    for (uint64_t chosen = 1; chosen >> digits->size == 0; chosen++) {
        const size_t block = ldp_closure_find(&shares->closure, ldp_digits_block(digits, chosen));
        sum += block == CLOSURE_NONE ? 0 : shares->slope[block] * gives(shares, noise, block);
    }
    return sum;
}

/* The best further digit, by price; 0: there is none. */
static uint64_t next_digit(struct shares *shares, const struct digits *digits, double *price)
{
    const uint64_t attributes = ldp_digits_attributes(digits);
    uint64_t binary = 0; /* of a digit of several; 0: in a table, parities tell as much as attributes */
    uint64_t part[PARITY + 1][1 << GROWN_MAX], found = 0;
    double noise = INFINITY, inside = 0;

    for (size_t i = 0; i < digits->size; i++)
        if (digits->mask[i] & (digits->mask[i] - 1))
            binary = digits->mask[i] & -digits->mask[i];
    const size_t count[] = {list_parts(shares, digits, 0, part[TABLE]),
                            binary ? list_parts(shares, digits, binary, part[PARITY]) : 0};
    *price = 0;
    for (size_t a = 0; a < shares->workload->records->d; a++) {
        const uint64_t own = UINT64_C(1) << a;
        struct digits more = *digits;
        if (attributes & own || !ldp_digits_add(&more, own))
            continue;
        const double with = ldp_shares_question_noise(shares, &more);
        if (isinf(with))
            continue;
        if (with < noise || with > noise)
            inside = price_inside(shares, digits, noise = with);
        for (int form = TABLE; form <= (binary_of(shares, own) ? PARITY : TABLE); form++) {
            const double all = inside + price_with(shares, part[form], count[form], a, with);
            if (all > *price) {
                *price = all;
                found = form == TABLE ? own : own | binary;
            }
        }
    }
    return found;
}

static void take_better(const struct shares *shares, const struct digits *digits, double price, struct digits *best,
                        double *best_price)
{
    if (price > *best_price && !is_listed(shares, digits)) {
        *best_price = price;
        *best = *digits;
    }
}

/* The best of the questions on the way from one, by price; adds it if that is above the mean. */
static enum ldp_status grow_from(struct shares *shares, struct digits digits, double mean)
{
    struct digits best = {.size = 0};
    double best_price = GAIN * mean, price;
    const double noise = ldp_shares_question_noise(shares, &digits);

    if (digits.size > 0 && isfinite(noise))
        take_better(shares, &digits, price_inside(shares, &digits, noise), &best, &best_price);
    while (digits.size > 0 && digits.size < GROWN_MAX) {
        const uint64_t digit = next_digit(shares, &digits, &price);
        if (!digit)
            break;
        ldp_digits_add(&digits, digit);
        take_better(shares, &digits, price, &best, &best_price);
    }
    return best.size > 0 ? add_question(shares, &best) : LDP_OK;
}

/* Adds questions that would lower the error, grown from the steepest blocks, with a small share each. */
static enum ldp_status extend(struct shares *shares)
{
    const size_t starts = 3 * shares->workload->records->d, before = shares->nquestions;
    double most, last = INFINITY;
    const double mean = find_prices(shares, &most);
    enum ldp_status status = LDP_OK;

    for (size_t i = 0; status == LDP_OK && i < starts; i++) {
        size_t steepest = 0; /* of those below the last one: one of those that are alike */
        for (size_t b = 1; b < shares->closure.nblocks; b++)
            if (shares->slope[b] < last && (steepest == 0 || shares->slope[b] > shares->slope[steepest]))
                steepest = b;
        if (steepest == 0 || !(shares->slope[steepest] > 0))
            break;
        last = shares->slope[steepest];
        for (int form = TABLE; status == LDP_OK && form <= PARITY; form++)
            status = grow_from(shares, digits_of(shares, steepest, form), mean);
    }
    for (size_t q = before; q < shares->nquestions; q++)
        shares->question[q].share = 0.1 / (double)(shares->nquestions - before);
    scale(shares);
    return status;
}

/* ---- the problem ---- */

/* Leaves the questions of largest shares, of equal ones the first, with the shares that are best for them. */
static enum ldp_status keep_largest(struct shares *shares, size_t most)
{
    const size_t count = shares->nquestions;
    double *const sorted = malloc(2 * count * sizeof *sorted);
    if (!sorted)
        return LDP_ENOMEM;
    for (size_t q = 0; q < count; q++)
        sorted[q] = shares->question[q].share;
    ldp_sort(sorted, count, sorted + count);
    const double least = sorted[count - most];
    size_t equal = 1; /* of the least ones */
    while (equal < most && sorted[count - most + equal] <= least)
        equal++;
    for (size_t q = 0; q < count; q++)
        if (shares->question[q].share < least || (shares->question[q].share <= least && equal == 0))
            shares->question[q].share = 0;
        else
            equal -= shares->question[q].share <= least;
    free(sorted);
    drop_small(shares, DROP);
    improve(shares, LAST_ROUNDS, GAP);
    return LDP_OK;
}

/* Whether a block begins in the list: as large ones as pricing finds, and requested marginals. */
static bool begins(const struct shares *shares, size_t block)
{
    const uint64_t mask = shares->closure.mask[block];
    bool is_requested = __builtin_popcountll(mask) <= GROWN_MAX;

    for (size_t i = 0; !is_requested && i < shares->workload->nsets; i++)
        is_requested = ldp_set_mask(&shares->workload->sets[i]) == mask;
    return is_requested;
}

enum ldp_status ldp_shares_solve(struct shares *shares, double n, size_t most)
{
    enum ldp_status status = LDP_OK;

    shares->n = n;
    shares->nquestions = shares->nshown = 0;
    for (size_t b = 0; status == LDP_OK && b < shares->closure.nblocks; b++)
        for (int form = TABLE; status == LDP_OK && form <= PARITY && begins(shares, b); form++) {
            const struct digits digits = digits_of(shares, b, form);
            if (digits.size > 0)
                status = add_question(shares, &digits);
        }
    scale(shares);
    for (size_t e = 0; status == LDP_OK && e <= EXTENSIONS; e++) {
        improve(shares, e < EXTENSIONS ? ROUNDS : LAST_ROUNDS, e < EXTENSIONS ? WIDE_GAP : GAP);
        drop_small(shares, DROP);
        if (e < EXTENSIONS)
            status = extend(shares);
    }
    const size_t least = n < (double)most ? (size_t)n : most; /* of so many, one has a user */
    if (status == LDP_OK && shares->nquestions > least)
        status = keep_largest(shares, least);
    drop_small(shares, 1 / n);
    find_slopes(shares);
    return status;
}

void ldp_shares_users(const struct shares *shares, uint64_t n, uint64_t *users)
{
    double cumulated = 0;
    uint64_t before = 0;

    for (size_t q = 0; q < shares->nquestions; q++) {
        cumulated += shares->question[q].share;
        const uint64_t until = q + 1 == shares->nquestions ? n : (uint64_t)(cumulated * (double)n);
        users[q] = until - before;
        before = until;
    }
}

/* ---- a first wave ---- */

static void weigh_interactions(struct shares *shares, const double *importance, double weight)
{
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        const bool is_single = !(shares->closure.mask[b] & (shares->closure.mask[b] - 1));
        shares->importance[b] = is_single ? importance[b] : weight * importance[b];
    }
}

static enum ldp_status solve_singles(struct shares *shares, const double *importance, double n, size_t most)
{
    weigh_interactions(shares, importance, 0);
    return ldp_shares_solve(shares, n, most);
}

/* What a weight adds. */
static enum ldp_status try_weight(struct shares *shares, const double *importance, double weight, double first,
                                  double rest, size_t most, struct regret *regret)
{
    const size_t bytes = shares->closure.nblocks * sizeof *shares->known;

    weigh_interactions(shares, importance, weight);
    enum ldp_status status = ldp_shares_solve(shares, first, most);
    if (status == LDP_OK) {
        memcpy(shares->known, shares->precision, bytes);
        status = solve_singles(shares, importance, rest, most);
        regret->part = regret->floor > 0 ? ldp_shares_error(shares) / regret->floor - 1 : 0;
        memset(shares->known, 0, bytes);
    }
    return status;
}

enum ldp_status ldp_regret_solve(struct shares *shares, double first, double rest, double most_part, size_t most,
                                 struct regret *regret)
{
    const size_t bytes = shares->closure.nblocks * sizeof *shares->importance;
    double *const importance = malloc(bytes), low = LEAST, high = 0, part = 0;

    if (!importance)
        return LDP_ENOMEM;
    memcpy(importance, shares->importance, bytes);
    enum ldp_status status = solve_singles(shares, importance, first + rest, most);
    regret->floor = ldp_shares_error(shares);
    if (status == LDP_OK)
        status = try_weight(shares, importance, 1, first, rest, most, regret);
    if (regret->part <= most_part) {
        low = 0;
        part = regret->part;
    }
    for (int step = 0; status == LDP_OK && low < 0 && step < HALVINGS; step++) {
        const double middle = (low + high) / 2;
        status = try_weight(shares, importance, ldp_exp(middle), first, rest, most, regret);
        if (regret->part <= most_part) {
            low = middle;
            part = regret->part;
        } else {
            high = middle;
        }
    }
    regret->part = part;
    weigh_interactions(shares, importance, low > LEAST ? ldp_exp(low) : 0);
    if (status == LDP_OK)
        status = ldp_shares_solve(shares, first, most);
    free(importance);
    return status;
}

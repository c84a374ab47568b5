/* likelihood.c - Hadamard responses with blocks, decoded by maximum likelihood; see response.h.
 *
 * A block holds T of the users, of whom theta_y = sum f_x H[x][y] is what its row y has of them with sign + more than
 * with sign -. A report of block, row and sign +, - has probability kept D (1 +- b_y) / (2 m),
 *
 *     D = T + 2/(e-1),    b_y = theta_y / D,
 *
 * if rows are public; else that of block and row is kept D (1 + b_y) / m. By Fisher scoring from f, the projection of
 * an estimate on the simplex, with a block's positions as unknowns, the next x solves a linear model of which theta and
 * T are the parameters. It is solved in closed form, as theta_0 = T alone ties rows together. With S_y the sum of the
 * signs of a row, M_y its reports, M their sum in the block, C the reports of row 0 with sign +, u = 1 + b_0,
 *
 *     rows:  x = f + (T' - T) (f + rest/m) / D + sum_{y>0} H[x][y] (S_y - b_y M_y) / (n kept),
 *            T' - T = (M - M_0 + 2 C / u - n kept D) m / (n kept) / (m - 1 + 2 / u),
 *     else:  x = W_x / (n kept) - (f/D - u/2) z / A,   z = (M - m C / 2) m / (n kept) - m rest / 2,
 *            2 T' = C m / (n kept) - rest - u (1 - m/2) z / A,   A = m (m - 2) / 2 + m (1 - m/4) rest / D,
 *
 * the latter as column 0 is nobody's. With V the variance of x, c its covariance with T', t the variance of T', all
 * times n, the known sum of T' takes away c c' / sum t, and the choice of the users f (1 - f):
 *
 *     rows:  V = (m - 1 - (m sum f^2 - T^2) / D^2) D / (kept m) + c^2 / t,  c = t (f + rest/m) / D,
 *            t = m D / kept / (m - 1 + 2 / u),
 *     else:  V = (1 - m (f/D - u/2)^2 / A) D / kept,  c = (1 - m (f/D - u/2) (1 - m/2) / A) u D / (2 kept),
 *            t = (1 - u (1 - m/2)^2 / A) u m D / (4 kept).
 *
 * A set is as a value, but for sum_y w_y H_y^2, H the transform of its values, w_y = 1 - b_y^2 without row 0, or 1 +
 * b_y.
 *
 * Two rounds are enough, the first from the published estimate. No row's users are divided by, so that few users do no
 * harm: with two of them a position the law is 20 % too large, from ten on it is right within 5 % (tests/test_rhr.c).
 * Positions of no value are left free. With 16 blocks, epsilon = 4, that leaves .875 of the published variance of rhr
 * at d = 100, uniform, where .847 would do (the dense Fisher information), .861 at d = 65 (.789), and of hr at d = 64
 * .77 (.73), of Zipf's law 1.5 .76 (.60).
 *
 * Source: ours; the model is that of linear.c. Cost: 4 transforms of each block with public rows, else one. */
#include "oracles/response.h"

#include "numerics/arena.h"
#include "numerics/simplex.h"
#include "protocol/protocol.h"
#include "sampling/hadamard.h"

#include <stdlib.h>

enum { ROUNDS = 2, PLACEMENTS = 16, POSITIONS = 1 << 14 }; /* POSITIONS: of all placements, at least */

/* What the frequencies f of a block's values make of it: its sums of f and f^2, then as above. */
struct block {
    double T, squares, D, u, A, t;
};

struct work {
    uint32_t *index;
    double *f, *x, *spare; /* [d]; f on the simplex */
    struct block *block;
    double *theta, *more;               /* [K] */
    double *total, *first, *all, *move; /* of blocks: T', C, M, z / A or (T' - T) / D */
    size_t bytes;
};

static struct work work_in(const struct ldp_response *of, size_t d, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    const size_t blocks = of->B * sizeof(double);
    struct work work = {.index = ldp_take(&arena, d * sizeof *work.index)};
    double **const values[] = {&work.f, &work.x, &work.spare},
                   **const numbers[] = {&work.total, &work.first, &work.all, &work.move};
    for (size_t i = 0; i < 3; i++)
        *values[i] = ldp_take(&arena, d * sizeof(double));
    for (size_t i = 0; i < 4; i++)
        *numbers[i] = ldp_take(&arena, blocks);
    work.block = ldp_take(&arena, of->B * sizeof *work.block);
    work.theta = ldp_take(&arena, of->K * sizeof(double));
    work.more = ldp_take(&arena, of->K * sizeof(double));
    work.bytes = arena.bytes;
    return work;
}

static void set_positions(const struct ldp_protocol *protocol, const struct ldp_response *of, const struct work *work)
{
    for (size_t v = 0; v < protocol->d; v++)
        work->index[v] = (uint32_t)v;
    of->position(protocol, work->index, protocol->d);
}

/* What follows from T. */
static void complete(const struct ldp_response *of, struct block *block)
{
    const double m = (double)of->m, D = block->T + of->rest, u = 1 + block->T / D, side = (1 - m / 2) * (1 - m / 2),
                 A = of->rows ? m - 1 + 2 / u : m * (m - 2) / 2 + m * (1 - m / 4) * of->rest / D;
    block->D = D;
    block->u = u;
    block->A = A;
    block->t = of->rows ? m * D / of->kept / A : (1 - u * side / A) * u * m * D / of->kept / 4;
}

/* The blocks of the simplex's point nearest to est, which is f; returns the sum of t. */
static double evaluate(const struct ldp_response *of, size_t d, const double *est, const struct work *work)
{
    double sum = 0;
    ldp_simplex_project(est, d, work->spare, work->f);
    memset(work->block, 0, of->B * sizeof *work->block);
    for (size_t v = 0; v < d; v++) {
        struct block *const block = &work->block[work->index[v] / of->m];
        block->T += work->f[v];
        block->squares += work->f[v] * work->f[v];
    }
    for (size_t i = 0; i < of->B; i++) {
        complete(of, &work->block[i]);
        sum += work->block[i].t;
    }
    return sum;
}

/* c of a set of `size` values of a block, of total f. */
static double with_total(const struct ldp_response *of, const struct block *block, double size, double f)
{
    const double m = (double)of->m, part = f / block->D - size * block->u / 2;
    return of->rows ? block->t * (f + size * of->rest / m) / block->D
                    : (size - m * part * (1 - m / 2) / block->A) * block->u * block->D / of->kept / 2;
}

/* V of such a set, `weighted` its sum_y w_y H_y^2. */
static double with_itself(const struct ldp_response *of, const struct block *block, double size, double f,
                          double weighted)
{
    const double m = (double)of->m, c = with_total(of, block, size, f), part = f / block->D - size * block->u / 2;
    return weighted * block->D / of->kept / m +
           (of->rows ? c * c / block->t : -m * part * part / block->A * block->D / of->kept);
}

/* V of a value, less what the known sum takes away. */
static double of_value(const struct ldp_response *of, const struct block *block, double f, double sum)
{
    const double m = (double)of->m, D = block->D, c = with_total(of, block, 1, f);
    const double weighted = of->rows ? m - 1 - (m * block->squares - block->T * block->T) / (D * D) : m;
    return fmax(with_itself(of, block, 1, f, weighted) - c * c / sum, 0);
}

/* theta, or H of a set. */
static void transform(const struct ldp_response *of, const struct work *work, const double *x, size_t d, double *out)
{
    memset(out, 0, of->K * sizeof *out);
    for (size_t v = 0; v < d; v++)
        out[work->index[v]] = x[v];
    for (size_t first = 0; first < of->K; first += of->m)
        ldp_fwht_real(out + first, of->m);
}

struct members {
    const uint32_t *member;
    size_t size;
};

/* V of any set, less what the known sum takes away. */
static double of_set(const struct ldp_response *of, const struct work *work, size_t d, const struct members *set,
                     double sum)
{
    double V = 0, c = 0;
    memset(work->x, 0, d * sizeof *work->x);
    for (size_t i = 0; i < set->size; i++)
        work->x[set->member[i]] = 1;
    transform(of, work, work->f, d, work->theta);
    transform(of, work, work->x, d, work->more);
    memset(work->total, 0, of->B * sizeof *work->total);
    memset(work->all, 0, of->B * sizeof *work->all);
    for (size_t i = 0; i < set->size; i++) {
        work->total[work->index[set->member[i]] / of->m] += work->f[set->member[i]];
        work->all[work->index[set->member[i]] / of->m]++;
    }
    for (size_t i = 0; i < of->B; i++) {
        const struct block *const block = &work->block[i];
        double weighted = 0;
        for (size_t y = of->rows ? 1 : 0; y < of->m; y++) {
            const double b = work->theta[i * of->m + y] / block->D, h = work->more[i * of->m + y];
            weighted += h * h * (of->rows ? 1 - b * b : 1 + b);
        }
        V += with_itself(of, block, work->all[i], work->total[i], weighted);
        c += with_total(of, block, work->all[i], work->total[i]);
    }
    return fmax(V - c * c / sum, 0);
}

/* Public rows: `move` and T', and `more` as the sum over y. */
static void step_by_rows(const struct ldp_response *of, const struct work *work, size_t d, double n, const int64_t *N)
{
    const double m = (double)of->m, scale = 1 / (n * of->kept);
    transform(of, work, work->f, d, work->theta);
    for (size_t y = 0; y < of->K; y++) {
        const struct block *const block = &work->block[y / of->m];
        const double plus = (double)N[y], minus = (double)N[of->K + y];
        work->more[y] = y % of->m ? (plus - minus - work->theta[y] / block->D * (plus + minus)) * scale : 0;
    }
    for (size_t i = 0; i < of->B; i++) {
        const struct block *const block = &work->block[i];
        const double rows = work->all[i] - (double)(N[i * of->m] + N[of->K + i * of->m]),
                     change = (rows + 2 * work->first[i] / block->u - n * of->kept * block->D) * m * scale / block->A;
        work->total[i] = block->T + change;
        work->move[i] = change / block->D;
        ldp_fwht_real(work->more + i * of->m, of->m);
    }
}

static void step(const struct ldp_response *of, const struct work *work, size_t d, double n, const int64_t *N)
{
    const double m = (double)of->m, scale = m / (n * of->kept), sum = evaluate(of, d, work->x, work);
    double left = 1;
    if (of->rows)
        step_by_rows(of, work, d, n, N);
    for (size_t i = 0; i < of->B; i++) {
        const struct block *const block = &work->block[i];
        if (!of->rows) {
            work->move[i] = ((work->all[i] - m * work->first[i] / 2) * scale - m * of->rest / 2) / block->A;
            work->total[i] = (work->first[i] * scale - of->rest - block->u * (1 - m / 2) * work->move[i]) / 2;
        }
        left -= work->total[i];
    }
    for (size_t v = 0; v < d; v++) {
        const size_t i = work->index[v] / of->m;
        const struct block *const block = &work->block[i];
        const double f = work->f[v], more = work->more[work->index[v]],
                     x = of->rows ? f + work->move[i] * (f + of->rest / m) + more
                                  : more - work->move[i] * (f / block->D - block->u / 2);
        work->x[v] = x + left * with_total(of, block, 1, f) / sum;
    }
}

/* What does not change in rounds, and the published estimate. */
static void begin(const struct ldp_response *of, const struct work *work, size_t d, double n, const int64_t *N)
{
    memset(work->all, 0, of->B * sizeof *work->all);
    for (size_t y = 0; y < of->K; y++) {
        const double minus = of->rows ? (double)N[of->K + y] : 0;
        work->more[y] = ((double)N[y] - minus) / (n * of->kept);
        work->all[y / of->m] += (double)N[y] + minus;
        if (y % of->m == 0)
            work->first[y / of->m] = (double)N[y];
    }
    for (size_t first = 0; first < of->K; first += of->m)
        ldp_fwht_real(work->more + first, of->m);
    for (size_t v = 0; v < d; v++)
        work->x[v] = work->more[work->index[v]];
}

void ldp_response_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const struct ldp_response of = own_of(protocol).response;
    const size_t d = protocol->d;
    const double users = (double)n;
    int64_t *const N = state;
    const struct work work = work_in(&of, d, N + (of.rows ? 2 : 1) * of.K);
    set_positions(protocol, &of, &work);
    begin(&of, &work, d, users, N);
    for (int round = 0; round < ROUNDS; round++)
        step(&of, &work, d, users, N);
    const double sum = evaluate(&of, d, work.x, &work);
    for (size_t v = 0; v < d; v++) {
        support[v] = users * (1 + of.kept * work.x[v]) / 2;
        support[d + v] = users * of.kept * of.kept * of_value(&of, &work.block[work.index[v] / of.m], work.f[v], sum);
    }
    ldp_seed_write(protocol->public_seed, support + 2 * d);
}

void ldp_response_observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed)
{
    ldp_blocks_observe(collection, scratch, observed);
    observed->law.square = 1;
    double s1 = 0;
    for (size_t v = 0; v < observed->d; v++)
        s1 += ldp_law_s1(observed, v) / (double)observed->d;
    observed->s1 = s1;
}

/* The means of what `of_placement` adds to out[size]: over the placement, if the protocol's is that of the collection
 * or blocks are one, else over some. */
static void average(const struct ldp_protocol *protocol, const double *f, const struct work *work, double *out,
                    size_t size, const struct members *members)
{
    const struct ldp_response of = own_of(protocol).response;
    const int placements = protocol->law.placed || of.m == of.K ? 1 : PLACEMENTS + (int)(POSITIONS / of.K);
    struct ldp_protocol placed = *protocol;
    memset(out, 0, size * sizeof *out);
    for (int i = 0; i < placements; i++, placed.public_seed++) {
        set_positions(&placed, &of, work);
        const double sum = evaluate(&of, protocol->d, f, work);
        if (members)
            *out += of_set(&of, work, protocol->d, members, sum) / placements;
        else
            for (size_t v = 0; v < size; v++)
                out[v] += of_value(&of, &work->block[work->index[v] / of.m], work->f[v], sum) / placements;
    }
}

enum ldp_status ldp_response_variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                      double *out)
{
    const struct ldp_response of = own_of(protocol).response;
    const size_t d = protocol->d;
    const double n = (double)histogram->n;
    double *const f = malloc(d * sizeof *f), *const room = malloc(work_in(&of, d, NULL).bytes);
    if (f && room) {
        const struct work work = work_in(&of, d, room);
        for (size_t v = 0; v < d; v++)
            f[v] = (double)histogram->counts[v] / n;
        average(protocol, f, &work, out, d, NULL);
        for (size_t v = 0; v < d; v++)
            out[v] = n * fmax(out[v] - f[v] * (1 - f[v]), 0);
    }
    const enum ldp_status status = f && room ? LDP_OK : LDP_ENOMEM;
    free(f);
    free(room);
    return status;
}

struct ldp_variance_terms ldp_response_set_variance(const struct ldp_protocol *protocol, const uint32_t *member,
                                                    size_t size, const double *f, int64_t *work)
{
    const struct ldp_response of = own_of(protocol).response;
    const double d = (double)protocol->d, s = (double)size;
    if (!member || !f) /* the mean over all sets, as estimates sum to 1 */
        return (struct ldp_variance_terms){s * (d - s) / (d - 1) * protocol->s1, protocol->tf, 0};
    const struct work buffers = work_in(&of, protocol->d, work);
    double V;
    average(protocol, f, &buffers, &V, 1, &(struct members){member, size});
    return (struct ldp_variance_terms){V, -1, 1};
}

void ldp_likelihood_configure(struct ldp_protocol *protocol)
{
    const struct ldp_response of = own_of(protocol).response;
    const double d = (double)protocol->d, blocks = (double)of.B,
                 T = of.rows ? 1 / blocks : fmin(((double)of.m - 1) / d, 1);
    struct block block = {.T = T, .squares = T / d};
    complete(&of, &block);
    const double flat = of_value(&of, &block, 1 / d, block.t / T) - (1 - 1 / d) / d,
                 part = flat / (protocol->s1 + protocol->tf / d);
    protocol->s1 *= part;
    protocol->tf *= part;
    protocol->flags |= LDP_ORACLE_PREDICTED | LDP_ORACLE_JOINT | LDP_ORACLE_UNEVEN;
    protocol->support_size = ldp_blocks_support(protocol->d);
    protocol->state_bytes += work_in(&of, protocol->d, NULL).bytes;
}

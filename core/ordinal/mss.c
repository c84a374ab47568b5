/* mss.c - modular subset selection.
 *
 * There are L moduli m_j, pairwise coprime. A user draws j, uniform, and reports the residue v mod m_j by subset
 * selection (ss.c) among m_j. With z_j the estimates of residues from the n_j users of block j, and A_j the matrix of
 * residues, [v mod m_j = r],
 *
 *     x = K sum_j W_j (n_j L/n) A_j' z_j + s/sum s,    V = (sum_j W_j A_j' A_j)^-1,    s = V 1,    K = V - s s'/sum s,
 *
 * by conjugate gradients: least squares with the known sum 1. As K 1 = 0, a constant in a block adds nothing, and x is
 * a mean over reports, unbiased for every n if V exists: if sum (m_j - 1) >= d - 1, as coprime moduli share one
 * frequency of their harmonics alone. With a, b of the covariances of z, at frequencies g = A_j f of residues,
 *
 *     n_j Cov(z_jr, z_js) = [r = s] (a_j + b_j g_r) + terms of 1 and g alone,    W_j = 1/(a_j + b_j/m_j)/L,
 *
 * and h_j = W_j A_j K u the weights of residues in the total of a set u, the sums of which are 0,
 *
 *     n Var(x_u) = L sum_j sum_r h_jr^2 (a_j + b_j g_jr) - f_u (1 - 2 c_u) - c_u^2,    c = s/sum s,
 *
 * the last for the choice of users, who are given. V is the inverse of a Toeplitz matrix, as v and w share a residue if
 * m_j divides v - w: it follows from its first column (Gohberg and Semencul 1972). Above 1024 values variances of
 * values are those at flat f and a slope tf.
 *
 * Source: Arcolezi, arXiv 2511.11569 (AAAI 2026). Deviations: no ridge, which biases; moduli of the least mean
 * variance, where the paper takes primes of the least condition number; residues are shares of all n users, not of
 * n_j, so that support counts add up: a frequent value may have a few per cent more variance. The paper's attack rate
 * is up to 1.7 times too small: it divides by ceil(d/m_j) values of each residue, also where there are fewer.
 *
 * Cost: as for a tree of L levels over ss (levels.c), and two solutions of some 50 L d.
 *
 * This file is over 500 lines because the search of moduli, the decoder and the law share one system. */
#include "numerics/arena.h"
#include "ordinal/levels.h"
#include "protocol/attack_success.h"
#include "random/coin.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS_MAX = 400, SMALL = 256, EXACT = 1024 };

enum { MODULI, MOST, FIRST };
#define MODULUS(name) LDP_PARAM_INTEGER(name, NAN, 2, UINT32_MAX, "a modulus; default chosen")
static const struct ldp_param params[] = {
    [MODULI] = LDP_PARAM_INTEGER("moduli", NAN, 1, LDP_MODULI_MAX, "how many; default 4, below d = 16 one"),
    [MOST] = LDP_PARAM_INTEGER("most", NAN, 2, UINT32_MAX, "the largest; default 3 d / 4, of one d"),
    [FIRST] = MODULUS("m1"),
    MODULUS("m2"),
    MODULUS("m3"),
    MODULUS("m4"),
    MODULUS("m5"),
    {0},
};

/* ---- The linear system ---- */

struct system {
    size_t d, L, m[LDP_MODULI_MAX];
    double W[LDP_MODULI_MAX], a[LDP_MODULI_MAX], b[LDP_MODULI_MAX];
    double *residues, *shares;                            /* [the largest m] */
    double *gradient, *direction, *image, *column, *sums; /* [d]; the last are the first column of V, and s */
    double sum;                                           /* of s */
    double left;                                          /* of the residual's square, where a solution ends */
    size_t bytes;
};

/* With buffers in `room`, unless it is NULL. Of `scale` times as many values, in the same proportion, weights are. */
static enum ldp_status system_init(struct system *system, double epsilon, size_t d, double scale, size_t L,
                                   const double *m, void *room, struct ldp_reason *reason)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("ss"), .param = {NAN}};
    struct ldp_arena arena = {room, 0};
    *system = (struct system){.d = d, .L = L, .left = 1e-26};
    for (size_t j = 0; j < L; j++) {
        struct ldp_protocol ss;
        const enum ldp_status status = ldp_protocol_init(&ss, &spec, (size_t)(m[j] * scale + 0.5), epsilon, reason);
        if (status != LDP_OK)
            return status;
        const struct ldp_level_law law = ldp_levels_law(&ss);
        system->m[j] = (size_t)m[j];
        system->a[j] = law.s1 - law.neither;
        system->b[j] = law.tf - 2 * (law.one - law.neither) + 1;
        system->W[j] = 1 / (system->a[j] + system->b[j] / (double)ss.d) / (double)L;
    }
    double **const buffers[] = {&system->residues, &system->shares, &system->gradient, &system->direction,
                                &system->image,    &system->column, &system->sums};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        *buffers[i] = ldp_take(&arena, (i < 2 ? (size_t)ldp_largest(m, L) : d) * sizeof(double));
    system->bytes = arena.bytes;
    return LDP_OK;
}

/* residues = A_j x. */
static void gather(size_t d, size_t m, const double *x, double *residues)
{
    memset(residues, 0, m * sizeof *residues);
    for (size_t first = 0; first < d; first += m)
        for (size_t r = 0; r < m && first + r < d; r++)
            residues[r] += x[first + r];
}

/* x += scale A_j' residues. */
static void scatter(size_t d, size_t m, double scale, const double *residues, double *x)
{
    for (size_t first = 0; first < d; first += m)
        for (size_t r = 0; r < m && first + r < d; r++)
            x[first + r] += scale * residues[r];
}

/* x = V x. */
static void solve(const struct system *system, double *x)
{
    const size_t d = system->d;
    double square = 0;
    for (size_t v = 0; v < d; v++) {
        system->gradient[v] = system->direction[v] = x[v];
        square += x[v] * x[v];
        x[v] = 0;
    }
    const double enough = system->left * square;
    for (int i = 0; i < ITERATIONS_MAX && square > enough; i++) {
        double curvature = 0, next = 0;
        memset(system->image, 0, d * sizeof(double));
        for (size_t j = 0; j < system->L; j++) {
            gather(d, system->m[j], system->direction, system->residues);
            scatter(d, system->m[j], system->W[j], system->residues, system->image);
        }
        for (size_t v = 0; v < d; v++)
            curvature += system->direction[v] * system->image[v];
        const double step = square / curvature;
        for (size_t v = 0; v < d; v++) {
            x[v] += step * system->direction[v];
            system->gradient[v] -= step * system->image[v];
            next += system->gradient[v] * system->gradient[v];
        }
        for (size_t v = 0; v < d; v++)
            system->direction[v] = system->gradient[v] + next / square * system->direction[v];
        square = next;
    }
}

/* x = V u -> K u + total s/sum s. */
static void set_total(const struct system *system, double total, double *x)
{
    const double excess = (ldp_sum(x, system->d) - total) / system->sum;
    for (size_t v = 0; v < system->d; v++)
        x[v] -= excess * system->sums[v];
}

/* V[v][w] - V[v-1][w-1]; v, w > 0. */
static double step_of(const struct system *system, size_t v, size_t w)
{
    const double *const c = system->column;
    return (c[v] * c[w] - c[system->d - v] * c[system->d - w]) / c[0];
}

static void find_sums(struct system *system)
{
    for (size_t v = 0; v < system->d; v++)
        system->sums[v] = 1;
    solve(system, system->sums);
    system->sum = ldp_sum(system->sums, system->d);
}

/* The first column of V, s, and diagonal[v] = K[v][v]; its mean. */
static double invert(struct system *system, double *diagonal)
{
    const size_t d = system->d;
    memset(system->column, 0, d * sizeof(double));
    system->column[0] = 1;
    solve(system, system->column);
    find_sums(system);
    for (size_t v = 0; v < d; v++)
        diagonal[v] = v == 0 ? system->column[0] : diagonal[v - 1] + step_of(system, v, v);
    for (size_t v = 0; v < d; v++)
        diagonal[v] -= system->sums[v] * system->sums[v] / system->sum;
    return ldp_sum(diagonal, d) / (double)d;
}

/* What the choice of users adds to n Var. */
static double of_users(double f, double c)
{
    return f * (1 - 2 * c) + c * c;
}

/* n Var of a total and the choice of users, x = K u; f NULL: all values alike. slope: by the frequency of v, which all
 * others lose. */
static double weighted(const struct system *system, const double *x, const double *f, size_t v, double *slope)
{
    double sum = 0;
    *slope = 0;
    for (size_t j = 0; j < system->L; j++) {
        const size_t m = system->m[j];
        const double scale = (double)system->L * system->W[j] * system->W[j];
        double squares = 0;
        gather(system->d, m, x, system->residues);
        if (f)
            gather(system->d, m, f, system->shares);
        for (size_t r = 0; r < m; r++) {
            const double g = f ? system->shares[r] : 1 / (double)m, square = system->residues[r] * system->residues[r];
            sum += scale * square * (system->a[j] + system->b[j] * g);
            squares += square;
        }
        const double own = system->residues[v % m] * system->residues[v % m];
        *slope += scale * system->b[j] * (own - (squares - own) / ((double)m - 1));
    }
    return sum;
}

/* ---- Moduli ---- */

static bool coprime(size_t a, size_t b)
{
    while (b > 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

/* The first of m[L], but for m[but], that has a common factor with x; L: none. */
static size_t clash(const double *m, size_t L, size_t but, size_t x)
{
    size_t j = 0;
    while (j < L && (j == but || coprime((size_t)m[j], x)))
        j++;
    return j;
}

/* The largest x <= most that is coprime to all but m[but]; 1: none. */
static double below(const double *m, size_t L, size_t but, double most)
{
    size_t x = (size_t)fmax(most, 1);
    while (x > 1 && clash(m, L, but, x) < L)
        x--;
    return (double)x;
}

static void largest(double *m, size_t L, double most)
{
    for (size_t j = 0; j < L; j++)
        m[j] = below(m, j, j, j > 0 ? m[j - 1] : most);
}

/* How many frequencies they determine. */
static double determined(const double *m, size_t L)
{
    return ldp_sum(m, L) - (double)L + 1;
}

/* out[L] for `to` values, in the proportion of m for `from`. */
static void in_proportion(const double *m, size_t L, double from, double to, double most, double *out)
{
    for (size_t j = 0; j < L; j++)
        out[j] = below(out, j, j, fmin(m[j] * to / from, most));
    while (determined(out, L) < to)
        largest(out, L, most++);
}

/* The mean of n Var but for the choice of users; INFINITY: they do not suit. */
static double mean_of(double epsilon, size_t d, double scale, size_t L, const double *m, double *room)
{
    struct system system;
    const bool suit =
        determined(m, L) >= (double)d && system_init(&system, epsilon, d, scale, L, m, room + d, NULL) == LDP_OK;
    system.left = 1e-12; /* enough to compare */
    return suit ? invert(&system, room) : INFINITY;
}

/* Exchanges one modulus at a time, as long as the mean variance falls: twice, by steps that begin elsewhere. */
static void exchange(double epsilon, size_t d, double scale, size_t L, double most, double *m, double *room)
{
    enum { TRIALS = 12 };
    double least = mean_of(epsilon, d, scale, L, m, room);
    for (size_t turn = 0; turn < 2 * L; turn++) {
        const size_t j = L - 1 - turn % L;
        for (size_t i = 0; i < TRIALS; i++) {
            const double before = m[j];
            m[j] = below(m, L, j, most - floor((double)(2 * i + turn / L) * most / (4 * TRIALS)));
            const double now = mean_of(epsilon, d, scale, L, m, room);
            m[j] = now < least ? m[j] : before;
            least = fmin(now, least);
        }
    }
}

static enum ldp_status check(const double *m, size_t L, size_t d, struct ldp_reason *reason)
{
    for (size_t j = 0; j < L; j++) {
        const size_t other = clash(m, j, j, (size_t)m[j]);
        if (m[j] < 2 || m[j] > 2 * (double)d)
            return ldp_refuse(reason, "modulus %.0f: expected from 2 to 2 d = %zu", m[j], 2 * d);
        if (other < j)
            return ldp_refuse(reason, "moduli %.0f and %.0f: expected no common factor", m[other], m[j]);
    }
    if (determined(m, L) >= (double)d)
        return LDP_OK;
    char all[16 * LDP_MODULI_MAX];
    size_t at = 0;
    for (size_t j = 0; j < L; j++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%.0f", j > 0 ? ", " : "", m[j]);
    return ldp_refuse(reason, "moduli %s: expected to determine d = %zu frequencies, got %.0f", all, d,
                      determined(m, L));
}

/* m[L], those of the parameters or, where these are NAN, the best. Returns L, 0 with the reason. */
static size_t choose(const struct ldp_protocol *protocol, const double *param, double *m, double *room,
                     struct ldp_reason *reason)
{
    const size_t d = protocol->d, few = d < SMALL ? d : SMALL;
    size_t L = 0;
    for (size_t j = 0; j < LDP_MODULI_MAX; j++)
        if (!isnan(param[FIRST + j]))
            m[L++] = param[FIRST + j];
    if (L > 0)
        return check(m, L, d, reason) == LDP_OK ? L : 0;
    L = !isnan(param[MODULI]) ? (size_t)param[MODULI] : d < 16 ? 1 : 4;
    const double most = !isnan(param[MOST]) ? param[MOST] : L > 1 ? ceil(0.75 * (double)d) : (double)d;
    double small[LDP_MODULI_MAX];
    largest(m, L, most);
    if (check(m, L, d, reason) != LDP_OK)
        return 0;
    in_proportion(m, L, (double)d, (double)few, ceil(most * (double)few / (double)d), small);
    exchange(protocol->epsilon, few, (double)d / (double)few, L,
             fmax(ldp_largest(small, L), floor(most * (double)few / (double)d)), small, room);
    in_proportion(small, L, (double)few, (double)d, most, m);
    return L;
}

/* ---- Configuration ---- */

/* tf as the mean slope of some values; s1 so that the mean variance is right for flat f. */
static void set_noise(struct ldp_protocol *protocol, struct system *system, double *room)
{
    enum { VALUES = 8 };
    const double d = (double)protocol->d, part = (double)system->d,
                 mean = invert(system, room) * (1 - 1 / d) / (1 - 1 / part);
    protocol->tf = 2 / d - 1;
    for (size_t i = 0; i < VALUES; i++) {
        const size_t v = (2 * i + 1) * system->d / (2 * VALUES);
        double slope;
        for (size_t w = 0; w < system->d; w++)
            room[w] = w == v;
        solve(system, room);
        set_total(system, 0, room);
        weighted(system, room, NULL, v, &slope);
        protocol->tf += slope / VALUES;
    }
    protocol->s1 = fmax(mean - of_users(1 / d, 1 / d) - protocol->tf / d, 0);
    protocol->tf = fmax(protocol->tf, -protocol->s1);
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const struct ldp_oracle_spec ss = {.oracle = ldp_oracle_find("ss"), .param = {NAN}};
    const size_t d = protocol->d, known = d < EXACT ? d : EXACT;
    double m[LDP_MODULI_MAX] = {2 * (double)known}, part[LDP_MODULI_MAX], share[LDP_MODULI_MAX];
    struct system system;
    enum ldp_status status = system_init(&system, protocol->epsilon, known, 1, 1, m, NULL, reason);
    double *const room = status == LDP_OK ? malloc(known * sizeof *room + system.bytes) : NULL;
    if (!room)
        return status == LDP_OK ? LDP_ENOMEM : status;
    const size_t L = choose(protocol, spec->param, m, room, reason);
    if (L == 0) {
        status = LDP_EINVAL;
        goto out;
    }
    in_proportion(m, L, (double)d, (double)known, (double)known, part);
    status = system_init(&system, protocol->epsilon, known, (double)d / (double)known, L, part, room + known, reason);
    if (status != LDP_OK)
        goto out;
    set_noise(protocol, &system, room);
    for (size_t j = 0; j < LDP_MODULI_MAX; j++) {
        protocol->param[FIRST + j] = j < L ? m[j] : (double)NAN;
        share[j] = 1 / (double)L;
    }
    protocol->param[MODULI] = (double)L;
    protocol->param[MOST] = ldp_largest(m, L);
    status = ldp_levels_configure(protocol, &ss, 0, m, L, share, reason);
    protocol->flags |= d > EXACT ? LDP_ORACLE_PREDICTED : 0;
out:
    free(room);
    return status;
}

/* ---- Estimates and their law ---- */

static void open_system(const struct ldp_protocol *protocol, struct system *system, void *room)
{
    const enum ldp_status status = system_init(system, protocol->epsilon, protocol->d, 1,
                                               (size_t)protocol->param[MODULI], protocol->param + FIRST, room, NULL);
    assert(status == LDP_OK);
    (void)status;
}

/* Of the system, and the estimates of all residues. */
static size_t estimate_bytes(const struct ldp_protocol *protocol)
{
    struct system system;
    open_system(protocol, &system, NULL);
    return system.bytes + (size_t)ldp_sum(protocol->param + FIRST, system.L) * sizeof(double);
}

static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    struct system system;
    open_system(protocol, &system, scratch);
    double *const residues = (double *)(void *)((char *)scratch + system.bytes);
    memset(est, 0, protocol->d * sizeof *est);
    ldp_levels_estimates(protocol, support, residues);
    for (size_t j = 0, first = 0; j < system.L; first += system.m[j++])
        scatter(protocol->d, system.m[j], system.W[j] * (double)system.L * support[j] / (double)n, residues + first,
                est);
    solve(&system, est);
    find_sums(&system);
    set_total(&system, 1, est);
}

/* n Var of all values; row, x: of V and K. */
static void variances(const struct system *system, const double *f, double *row, double *x, double *out)
{
    const size_t d = system->d;
    double slope;
    for (size_t v = 0; v < d; v++) {
        for (size_t w = d; w-- > 0;)
            row[w] = v == 0 || w == 0 ? system->column[v + w] : row[w - 1] + step_of(system, v, w);
        memcpy(x, row, d * sizeof *x);
        set_total(system, 0, x);
        out[v] = weighted(system, x, f, v, &slope) - of_users(f[v], system->sums[v] / system->sum);
    }
}

static enum ldp_status variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, double *out)
{
    const double n = (double)histogram->n, d = (double)protocol->d;
    struct system system;
    open_system(protocol, &system, NULL);
    double *const f = malloc(protocol->d * sizeof *f + system.bytes);
    if (!f)
        return LDP_ENOMEM;
    open_system(protocol, &system, f + protocol->d);
    invert(&system, out);
    for (size_t v = 0; v < protocol->d; v++) {
        f[v] = (double)histogram->counts[v] / n;
        out[v] += protocol->tf * (f[v] - 1 / d) - of_users(1 / d, 1 / d);
    }
    if (protocol->d <= EXACT)
        variances(&system, f, system.gradient, system.direction, out);
    for (size_t v = 0; v < protocol->d; v++)
        out[v] = n * fmax(out[v], 0);
    free(f);
    return LDP_OK;
}

static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    const double d = (double)protocol->d, s = (double)size;
    struct system system;
    double c = 0, share = 0, slope;
    if (!member) /* the mean over all sets, as estimates sum to 1 */
        return (struct ldp_variance_terms){s * (d - s) / (d - 1) * protocol->s1, protocol->tf, 0};
    double *const x = (double *)(void *)work;
    open_system(protocol, &system, x + protocol->d);
    find_sums(&system);
    memset(x, 0, protocol->d * sizeof *x);
    for (size_t i = 0; i < size; i++) {
        x[member[i]] = 1;
        c += system.sums[member[i]] / system.sum;
        share += f ? f[member[i]] : 1 / d;
    }
    share = fmin(fmax(share, 0), 1);
    solve(&system, x);
    set_total(&system, 0, x);
    const double total = weighted(&system, x, f, 0, &slope) - of_users(share, c);
    return (struct ldp_variance_terms){fmax(total - protocol->tf * share, 0), protocol->tf, 0};
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    ldp_levels_cost(protocol, out);
    out->collection_operations += 150 * protocol->param[MODULI] * (double)protocol->d;
}

/* ---- What reports tell ---- */

/* A block's part in the distribution U of reports: gamma_j/sum of gamma, gamma = 1/(1 + s (e - 1)), s = k/m. */
static void shares_of(const struct ldp_protocol *protocol, double *share, double *k)
{
    const double r = ldp_exp(-ldp_coin_epsilon(protocol->epsilon));
    const size_t L = (size_t)protocol->param[MODULI];
    for (size_t j = 0; j < L; j++) {
        k[j] = ldp_levels_row(protocol, j).param[0];
        share[j] = r / (r + k[j] / protocol->param[FIRST + j] * (1 - r));
    }
    const double sum = ldp_sum(share, L);
    for (size_t j = 0; j < L; j++)
        share[j] /= sum;
}

static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    double share[LDP_MODULI_MAX], k[LDP_MODULI_MAX], one = 0, two = 0;
    shares_of(protocol, share, k);
    for (size_t j = 0; j < (size_t)protocol->param[MODULI]; j++) {
        const double m = protocol->param[FIRST + j];
        one += share[j] * k[j] / m;
        two += share[j] * k[j] / m * (k[j] - 1) / (m - 1);
    }
    ldp_overlap_set(overlap, protocol->d, one, two, NAN);
}

/* Values with one residue are supported together: none by the number of different residues among the first. */
static enum ldp_status unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    double share[LDP_MODULI_MAX], k[LDP_MODULI_MAX];
    const size_t most = (size_t)protocol->param[MOST];
    double *const of_residues = list ? malloc((2 * most + 1) * sizeof *of_residues) : NULL;
    if (!of_residues)
        return list ? LDP_ENOMEM : LDP_EINVAL;
    shares_of(protocol, share, k);
    for (size_t j = 0; j < (size_t)protocol->param[MODULI]; j++) {
        const size_t m = (size_t)protocol->param[FIRST + j];
        double *const seen = of_residues + m + 1;
        size_t different = 0;
        memset(of_residues, 0, (2 * m + 1) * sizeof *of_residues);
        ldp_unsupported_subsets(k[j], (double)m, share[j], m, of_residues);
        none[0] += share[j];
        for (size_t r = 0; r < protocol->d; r++) {
            double *const residue = &seen[list[r] % m];
            different += *residue == 0;
            *residue = 1;
            none[r + 1] += of_residues[different];
        }
    }
    free(of_residues);
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_mss = {
    .name = "mss",
    .title = "Modular subset selection",
    .source = "arXiv 2511.11569, AAAI 2026",
    .flags = LDP_ORACLE_SUMS_TO_ONE | LDP_ORACLE_LEVELS,
    .params = params,
    .configure = configure,
    LDP_LEVELS_ENTRIES,
    .cost = cost,
    .estimate_bytes = estimate_bytes,
    .estimate = estimate,
    .set_variance = set_variance,
    .variance = variance,
    .overlap = overlap_of,
    .unsupported = unsupported,
};

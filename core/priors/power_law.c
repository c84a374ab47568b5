/* power_law.c - posterior means and evidence under a power-law prior:
 *
 *     m(x) = sum_k k^(1-a) w_k / sum_k k^-a w_k,   w_k = exp(-(x - k)^2 / (2 s^2)),   k = 1 .. n.
 *
 * The sums are never taken term by term over a window of 16 s. With u = k / s and y = x / s,
 *
 *     F(y) = sum_k k^-a exp(u y - u^2 / 2),   m = s F'(y) / F(y),
 *
 * F is entire and smooth on the scale 1. In panels of width 1 over -8 <= y < 10, F and F' (free of the poles that
 * their quotient has) become Chebyshev interpolants of 16 nodes. All nodes share one summation rule of about 150
 * points: the first integers, an end correction in central differences, and Gauss-Legendre panels of 8 points that
 * double in width up to 2 s. For larger y away from n, m has an asymptotic series in 1 / y^2. Each remaining value (far
 * below 0, near n or above) has its own rule; s < 2 is summed directly.
 *
 * Estimates of a panel are interpolated sixteen at a time, and loops are compiled for several vector levels with the
 * same bytes. Cost: O(d) and about 100,000 operations, for any n, epsilon and d. Error: below 1e-10 relative. It
 * has over 500 lines, as each posterior mean is a sum by a rule. */
#include "priors/power_law.h"
#include "laws/classes.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "priors/chebyshev.h"
#include "priors/prior.h"
#include "simd/simd.h"

#include <assert.h>

/* ---- Summation rules ----
 *
 * Sums over whole numbers from few points: the first integers, an end correction in central differences for Euler and
 * Maclaurin's derivatives, and Gauss-Legendre panels of 8 points that double in width. */

enum {
    RULE_MAX = 3072,  /* points of any rule */
    RULE_SMALL = 192, /* ranges up to this are summed over every integer */
    DIRECT = 16,      /* here a rule changes from integers to the integral */
    CORRECTION = 6,
    GAUSS = 8
};

static const double gauss_node[GAUSS] = {-0.960289856497536232, -0.796666477413626740, -0.525532409916328986,
                                         -0.183434642495649805, 0.183434642495649805,  0.525532409916328986,
                                         0.796666477413626740,  0.960289856497536232};
static const double gauss_weight[GAUSS] = {0.101228536290376259, 0.222381034453374471, 0.313706645877887287,
                                           0.362683783378361983, 0.362683783378361983, 0.313706645877887287,
                                           0.222381034453374471, 0.101228536290376259};

/* sum_{k>=K} f(k) = int_K f + f(K)/2 - sum_i correction[i-1] (f(K+i) - f(K-i)): the Euler-Maclaurin sum with central
 * differences for derivatives, exact for polynomials of degree 12. */
static const double correction[CORRECTION] = {32793164357. / 435891456000., -8855328071. / 348713164800.,
                                              4013113421. / 523069747200.,  -2274524387. / 1307674368000.,
                                              132822967. / 523069747200.,   -92427157. / 5230697472000.};

/* A rule for sums over t = 1, 2, .. up to reach, exact to about 1e-12 for k^-a times a function that is smooth on the
 * scale length: sum_i weight_i f(point_i). If length >= 10, the integral, not the sum, ends at reach. Returns the
 * number of points. */
static size_t rule(double length, double reach, double *point, double *weight)
{
    size_t m = 0;
    if (length < 10) {
        assert(reach <= RULE_MAX);
        for (; (double)m + 1 <= reach; m++) {
            point[m] = (double)m + 1;
            weight[m] = 1;
        }
        return m;
    }
    for (; m < DIRECT + CORRECTION; m++) {
        point[m] = (double)m + 1;
        weight[m] = m + 1 < DIRECT ? 1 : 0;
    }
    weight[DIRECT - 1] = 0.5;
    for (size_t i = 0; i < CORRECTION; i++) {
        weight[DIRECT + i] -= correction[i];
        weight[DIRECT - 2 - i] += correction[i];
    }
    double from = DIRECT;
    while (from < reach) {
        double width = from < 2 * length ? from : 2 * length;
        assert(m + GAUSS <= RULE_MAX);
        width = width < reach - from ? width : reach - from;
        for (size_t i = 0; i < GAUSS; i++, m++) {
            point[m] = from + width / 2 * (1 + gauss_node[i]);
            weight[m] = width / 2 * gauss_weight[i];
        }
        from = width < reach - from ? from + width : reach;
    }
    return m;
}

/* The same over all of 1 .. n: rules from both ends that meet in the middle. */
static size_t rule_both_ends(double n, double length, double *point, double *weight)
{
    if (n <= RULE_SMALL)
        return rule(0, n, point, weight);
    const size_t half = rule(length < 10 ? 10 : length, (n + 1) / 2, point, weight);
    assert(2 * half <= RULE_MAX);
    for (size_t i = 0; i < half; i++) {
        point[2 * half - 1 - i] = n + 1 - point[i];
        weight[2 * half - 1 - i] = weight[i];
    }
    return 2 * half;
}

/* ---- Posterior means ---- */

enum {
    PANEL_FIRST = -8, /* in units of s */
    PANELS = 18,
    ORDER = LDP_CHEBYSHEV,
    SHARED_MAX = 1024, /* points of the rule that the panels share */
    SIDE = 16          /* estimates of a panel that are interpolated side by side */
};

struct workspace {
    double point[RULE_MAX], weight[RULE_MAX], value[RULE_MAX];
    double tilt[SHARED_MAX][ORDER];       /* exp(u_i delta_j), delta_j the nodes relative to a panel's centre */
    double coefficient[PANELS][ORDER][2]; /* of F and F', scaled by the same function of y */
    bool used[PANELS];
};

struct posterior {
    double n, s, a;
    double series_from; /* in units of s */
};

/* -log of the largest weight ratio that is neglected, with a margin for the number of terms. */
#define NEGLIGIBLE 40.0

#define SQRT_2_PI 2.50662827463100050

/* Each of the following returns m(x) and, unless NULL, log sum_k k^-a w_k.
 *
 * s < 2: the sum itself, from the integer nearest to x outwards. */
static double mean_direct(const struct posterior *posterior, double x, double *evidence)
{
    const double a = posterior->a, s2 = posterior->s * posterior->s;
    double peak = x - floor(x) > 0.5 ? floor(x) + 1 : floor(x);
    peak = peak < 1 ? 1 : peak > posterior->n ? posterior->n : peak;
    const double log_peak = ldp_log(peak);
    if (s2 == 0) {
        if (evidence)
            *evidence = -a * log_peak;
        return peak;
    }
    double mass = 1, moment = 0;
    for (int side = -1; side <= 1; side += 2) {
        /* Below the peak the prior may outweigh the noise by up to a log(peak). */
        const double least = -NEGLIGIBLE - (side < 0 ? a * log_peak : 0);
        const double room = side < 0 ? peak - 1 : posterior->n - peak; /* 2^53 + 1 is no double */
        for (int i = 1; i <= room; i++) {
            const double k = peak + side * i, noise = -side * i * (k + peak - 2 * x) / (2 * s2);
            if (noise < least)
                break;
            const double w = ldp_exp(noise - a * (ldp_log(k) - log_peak));
            mass += w;
            moment += side * i * w;
        }
    }
    if (evidence)
        *evidence = ldp_log(mass) - a * log_peak - (x - peak) * (x - peak) / (2 * s2);
    return peak + moment / mass;
}

/* y >= series_from and n far away: E k^(1-a) / E k^-a for k ~ N(x, s^2), the moments of a power of a normal variable
 * expanded in 1 / y^2. */
static double mean_series(const struct posterior *posterior, double x, double *evidence)
{
    const double a = posterior->a, z = (posterior->s / x) * (posterior->s / x);
    double mass = 1, moment = 1, mass_term = 1, moment_term = 1;
    for (double r = 0; r < 40 && mass_term > 0x1p-56; r++) {
        const double step = z / (2 * (r + 1));
        mass_term *= (a + 2 * r) * (a + 2 * r + 1) * step;
        moment_term *= (a - 1 + 2 * r) * (a + 2 * r) * step;
        mass += mass_term;
        moment += moment_term;
    }
    if (evidence)
        *evidence = ldp_log(mass * posterior->s * SQRT_2_PI) - a * ldp_log(x);
    return x * (moment / mass);
}

/* Any x, s >= 2, by a separate rule. Weights are taken relative to the largest. */
static double mean_rule(const struct posterior *posterior, double x, struct workspace *work, double *evidence)
{
    const double n = posterior->n, s = posterior->s, a = posterior->a;
    const double external = x < 0 ? -x : x > n ? x - n : 0;
    const double length = external > 8 * s ? 8 * s * s / external : s;
    const double top = x < n ? x : n;
    const bool from_n =
        n - x < 9 * s && top > 1 && (top - 1) / s * ((2 * x - top - 1) / s) / 2 - a * ldp_log(top) > NEGLIGIBLE;
    const double reach = ceil((from_n ? (x < n ? n - x : 0) : (x > 0 ? x : 0)) + 9 * length);
    size_t m;
    if (reach >= n || n <= RULE_SMALL) {
        m = rule_both_ends(n, length, work->point, work->weight);
    } else {
        m = rule(length, reach, work->point, work->weight);
        for (size_t i = 0; from_n && i < m; i++)
            work->point[i] = n + 1 - work->point[i];
    }
    /* The exponent relative to n if the weight is concentrated there: no cancellation, however large x is. */
    const double origin = x > n / 2 ? n : 0;
    double largest = -INFINITY;
    for (size_t i = 0; i < m; i++) {
        const double k = work->point[i];
        work->value[i] = (k - origin) / s * ((2 * x - k - origin) / s) / 2 - a * ldp_log(k);
        largest = work->value[i] > largest ? work->value[i] : largest;
    }
    double mass = 0, moment = 0;
    for (size_t i = 0; i < m; i++) {
        const double w = work->weight[i] * ldp_exp(work->value[i] - largest);
        mass += w;
        moment += w * work->point[i];
    }
    if (evidence)
        *evidence = ldp_log(mass) + largest - (x - origin) / s * ((x - origin) / s) / 2;
    return moment / mass;
}

/* cosine[j][k] = T_k of node j. */
LDP_INLINE void tabulate_cosines(double (*cosine)[ORDER])
{
    for (size_t j = 0; j < ORDER; j++) {
        const double node = ldp_chebyshev_node[j];
        double before = node, now = 1;
        for (size_t k = 0; k < ORDER; k++) {
            const double next = 2 * node * now - before;
            cosine[j][k] = now;
            before = now;
            now = next;
        }
    }
}

/* Chebyshev coefficients of the two functions with these values at the nodes. */
LDP_INLINE void transform(double value[2][ORDER], double (*cosine)[ORDER], double (*coefficient)[2])
{
    double sum[2][ORDER] = {{0}};
    for (size_t j = 0; j < ORDER; j++) {
#pragma omp simd
        for (size_t k = 0; k < ORDER; k++) {
            sum[0][k] += value[0][j] * cosine[j][k];
            sum[1][k] += value[1][j] * cosine[j][k];
        }
    }
    for (size_t k = 0; k < ORDER; k++)
        for (size_t i = 0; i < 2; i++)
            coefficient[k][i] = sum[i][k] * (k == 0 ? 1. / ORDER : 2. / ORDER);
}

/* out[0][j] = sum_i value_i exp(u_i delta_j), out[1][j] = sum_i value_i u_i exp(u_i delta_j). */
LDP_INLINE void spread(const double *value, const double *u, double (*tilt)[ORDER], size_t m, double out[2][ORDER])
{
    double sum[2][ORDER] = {{0}};
    for (size_t i = 0; i < m; i++) {
        const double moment = value[i] * u[i];
        /* Without this pragma gcc vectorises over i, which takes four times as long. */
#pragma omp simd
        for (size_t j = 0; j < ORDER; j++) {
            sum[0][j] += value[i] * tilt[i][j];
            sum[1][j] += moment * tilt[i][j];
        }
    }
    memcpy(out, sum, sizeof sum);
}

/* The u beyond which all terms are negligible for y up to the end of a panel. */
static double panel_reach(size_t panel)
{
    const double end = PANEL_FIRST + 1 + (double)panel;
    return (end > 0 ? end : 0) + 9;
}

/* F grows between 1 and exp(y^2 / 2): dividing both sums by half that growth makes them easiest to interpolate. */
static double panel_growth(size_t panel)
{
    const double y = PANEL_FIRST + 0.5 + (double)panel;
    return y > -1 ? (y + 1) / 2 : 0;
}

/* Fills the coefficients of the panels in use, the last of which is `top`. */
LDP_INLINE void tabulate(const struct posterior *posterior, size_t top, struct workspace *work)
{
    const double n = posterior->n, s = posterior->s, a = posterior->a;
    const double reach = ceil(panel_reach(top) * s);
    double *const u = work->point, *const step = work->weight;
    double *const mass = work->value;
    const size_t m =
        n > reach ? rule(s, reach, work->point, work->weight) : rule_both_ends(n, s, work->point, work->weight);
    assert(m <= SHARED_MAX);
    /* mass_i = weight k^-a exp(u y - u^2 / 2) at a panel's centre y; step_i takes it to the next panel. */
    for (size_t i = 0; i < m; i++) {
        const double k = work->point[i], point = k / s;
        u[i] = point;
        mass[i] = work->weight[i] * ldp_exp((PANEL_FIRST + 0.5 - point / 2) * point - a * ldp_log(k));
    }
    for (size_t i = 0; i < m; i++)
        step[i] = ldp_exp(u[i]);
    for (size_t i = 0; i < m; i++) {
#pragma omp simd
        for (size_t j = 0; j < ORDER / 2; j++)
            work->tilt[i][j] = ldp_exp(u[i] * ldp_chebyshev_node[j] / 2);
#pragma omp simd
        for (size_t j = ORDER / 2; j < ORDER; j++)
            work->tilt[i][j] = 1 / work->tilt[i][ORDER - 1 - j];
    }
    double cosine[ORDER][ORDER];
    tabulate_cosines(cosine);
    size_t end = 0;
    for (size_t panel = 0; panel <= top; panel++) {
        if (work->used[panel]) {
            const double growth = panel_growth(panel);
            while (end < m && u[end] <= panel_reach(panel))
                end++;
            double at_node[2][ORDER];
            spread(mass, u, work->tilt, end, at_node);
            for (size_t j = 0; j < ORDER; j++) {
                const double node = ldp_chebyshev_node[j];
                const double level = ldp_exp(-growth * node / 2);
                at_node[0][j] *= level;
                at_node[1][j] *= level;
            }
            transform(at_node, cosine, work->coefficient[panel]);
        }
        for (size_t i = 0; i < m; i++)
            mass[i] *= step[i];
    }
}

/* Doubles of a level's registers: wider vectors would be spilled, element by element. */
enum { LANES_generic = 2, LANES_avx2 = 4, LANES_avx512 = 8 };

/* F as it was tabulated and F' / F, at SIDE positions t in a panel, from -1 to 1 (Clenshaw); two registers of positions
 * at a time. */
#define INTERPOLATE(name)                                                                                              \
    LDP_TARGET_##name static void interpolate_##name(double(*coefficient)[2], const double *t, double *value,          \
                                                     double *ratio)                                                    \
    {                                                                                                                  \
        enum { LANES = LANES_##name };                                                                                 \
        typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));                                     \
        for (size_t first = 0; first < SIDE; first += 2 * LANES) {                                                     \
            lanes at[2], last[2][2] = {{{0}}}, before[2][2] = {{{0}}};                                                 \
            memcpy(at, t + first, sizeof at);                                                                          \
            for (size_t k = ORDER - 1; k > 0; k--)                                                                     \
                for (size_t i = 0; i < 2; i++)                                                                         \
                    for (size_t l = 0; l < 2; l++) {                                                                   \
                        const lanes next = (coefficient[k][i] - before[i][l]) + 2 * at[l] * last[i][l];                \
                        before[i][l] = last[i][l];                                                                     \
                        last[i][l] = next;                                                                             \
                    }                                                                                                  \
            for (size_t l = 0; l < 2; l++) {                                                                           \
                const lanes F = (coefficient[0][0] - before[0][l]) + at[l] * last[0][l],                               \
                            slope = (coefficient[0][1] - before[1][l]) + at[l] * last[1][l], quotient = slope / F;     \
                memcpy(value + first + l * LANES, &F, sizeof F);                                                       \
                memcpy(ratio + first + l * LANES, &quotient, sizeof quotient);                                         \
            }                                                                                                          \
        }                                                                                                              \
    }

LDP_VECTOR_LEVELS(INTERPOLATE)

/* Estimates whose panels are found together. */
enum { FOUND = 64 };

/* m <= FOUND estimates: x in users, from least to most; their positions from the first panel on, in units of s; their
 * panels, PANELS for none. */
struct found {
    double x[FOUND], position[FOUND];
    uint32_t panel[FOUND];
};

LDP_INLINE void find(const double *restrict est, size_t m, double n, double s, struct found *restrict found)
{
    /* Beyond these the posterior is a point mass at 1 or n in double precision. */
    const double far = 1000 * (s * s + 1), reach = far < LDP_MOST_USERS ? far : LDP_MOST_USERS;
    const double least = -reach, most = n + reach, per_s = 1 / s;
    double *restrict const xs = found->x, *restrict const positions = found->position;
    uint32_t *restrict const panels = found->panel;
#pragma omp simd
    for (size_t i = 0; i < m; i++) {
        double x = n * est[i];
        x = x < least ? least : x;
        x = x > most ? most : x;
        const double position = x * per_s - PANEL_FIRST;
        const double inside = ((position >= 0) & (position < PANELS)) ? position : PANELS;
        xs[i] = x;
        positions[i] = position;
        panels[i] = (uint32_t)(int32_t)inside;
    }
}

/* The same source compiled for each level: every node and every estimate is a separate sum, in the same order. */
LDP_VECTORS(void, tabulate, (const struct posterior *posterior, size_t top, struct workspace *work),
            tabulate(posterior, top, work))
LDP_VECTORS(void, find, (const double *est, size_t m, double n, double s, struct found *found),
            find(est, m, n, s, found))

struct level {
    void (*tabulate)(const struct posterior *posterior, size_t top, struct workspace *work);
    void (*interpolate)(double (*coefficient)[2], const double *t, double *value, double *ratio);
    void (*find)(const double *est, size_t m, double n, double s, struct found *found);
};

/* The y from which the series is exact to 1e-12: few of its terms matter, and the small counts that it leaves out are
 * negligible. At most about 300, as a and s are bounded. */
static double series_start(double s, double a)
{
    double y = PANEL_FIRST + PANELS;
    assert(a < 65 && s <= LDP_MOST_USERS); /* not NAN */
    while (y < 4 * a || y * y / 2 - a * ldp_log(y * s) < NEGLIGIBLE - 6)
        y++;
    return y;
}

size_t ldp_power_law_scratch(void)
{
    return sizeof(struct workspace);
}

/* Estimates of a panel that wait for others. */
struct waiting {
    size_t count;
    double position[SIDE]; /* from the first panel on, in units of s */
    uint32_t v[SIDE];
};

/* One call of ldp_power_law. */
struct request {
    struct posterior posterior;
    struct level level;
    struct workspace *work;
    const double *est;
    double *mean, *evidence;
    struct waiting waiting[PANELS];
};

static inline double in_range(double m, double n)
{
    return m < 1 ? 1 : m > n ? n : m;
}

static void answer(const struct request *request, size_t v, double m)
{
    const double n = request->posterior.n;
    if (request->mean)
        request->mean[v] = in_range(m, n) / n;
}

static void answer_panel(struct request *request, size_t panel)
{
    const double s = request->posterior.s, n = request->posterior.n, growth = panel_growth(panel);
    struct waiting *const waiting = &request->waiting[panel];
    double t[SIDE], value[SIDE], ratio[SIDE], mean[SIDE];
    for (size_t i = waiting->count; i < SIDE; i++)
        waiting->position[i] = (double)panel + 0.5;
    for (size_t i = 0; i < SIDE; i++)
        t[i] = 2 * (waiting->position[i] - (double)panel) - 1;
    request->level.interpolate(request->work->coefficient[panel], t, value, ratio);
    for (size_t i = 0; i < SIDE; i++)
        mean[i] = in_range(s * ratio[i], n) / n;
    for (size_t i = 0; i < waiting->count; i++) {
        if (request->mean)
            request->mean[waiting->v[i]] = mean[i];
        if (request->evidence) {
            const double y = n * request->est[waiting->v[i]] * (1 / s);
            request->evidence[waiting->v[i]] = ldp_log(value[i]) + growth * t[i] / 2 - y * y / 2;
        }
    }
    waiting->count = 0;
}

/* Tabulates the panels that est[d] need. */
static void prepare(struct request *request, size_t d)
{
    const double n = request->posterior.n, s = request->posterior.s;
    bool used[PANELS + 1] = {false}; /* the last: none */
    request->posterior.series_from = series_start(s, request->posterior.a);
    for (size_t v = 0; v < d; v += FOUND) {
        const size_t m = d - v < FOUND ? d - v : FOUND;
        struct found found;
        request->level.find(request->est + v, m, n, s, &found);
        for (size_t i = 0; i < m; i++)
            used[found.panel[i]] = true;
    }
    size_t top = PANELS;
    for (size_t panel = 0; panel < PANELS; panel++)
        top = used[panel] ? panel : top;
    memcpy(request->work->used, used, sizeof request->work->used);
    if (top < PANELS)
        request->level.tabulate(&request->posterior, top, request->work);
}

/* The answer to one estimate x that no panel has. */
static void answer_external(const struct request *request, size_t v, double x)
{
    const struct posterior *const posterior = &request->posterior;
    const double s = posterior->s;
    double *const log_sum = request->evidence ? &request->evidence[v] : NULL;
    if (s < 2)
        answer(request, v, mean_direct(posterior, x, log_sum));
    else if (x * (1 / s) >= posterior->series_from && posterior->n - x >= 9 * s)
        answer(request, v, mean_series(posterior, x, log_sum));
    else
        answer(request, v, mean_rule(posterior, x, request->work, log_sum));
}

void ldp_power_law(double a, double n, double s, const double *est, size_t d, void *scratch, double *mean,
                   double *evidence)
{
    struct request request = {.posterior = {.n = n, .s = s, .a = a},
                              .level = {LDP_BEST(tabulate), LDP_BEST(interpolate), LDP_BEST(find)},
                              .work = scratch,
                              .est = est,
                              .mean = mean,
                              .evidence = evidence};
    if (s >= 2)
        prepare(&request, d);
    for (size_t v = 0; v < d; v += FOUND) {
        const size_t m = d - v < FOUND ? d - v : FOUND;
        struct found found;
        request.level.find(est + v, m, n, s, &found);
        for (size_t i = 0; i < m; i++) {
            const size_t panel = found.panel[i];
            if (s < 2 || panel == PANELS) {
                answer_external(&request, v + i, found.x[i]);
                continue;
            }
            struct waiting *const waiting = &request.waiting[panel];
            waiting->v[waiting->count] = (uint32_t)(v + i);
            waiting->position[waiting->count++] = found.position[i];
            if (waiting->count == SIDE)
                answer_panel(&request, panel);
        }
    }
    for (size_t panel = 0; panel < PANELS; panel++)
        if (request.waiting[panel].count > 0)
            answer_panel(&request, panel);
}

/* ---- By the noise of each value: one table for each class ---- */

size_t ldp_power_means_scratch(size_t d)
{
    return ldp_aligned(ldp_power_law_scratch()) + 2 * ldp_aligned(d * sizeof(double)) + ldp_classes_bytes(d);
}

void ldp_power_means(const struct ldp_protocol *protocol, double n, double a, const double *est, void *scratch,
                     double *mean)
{
    const size_t d = protocol->d;
    if (!protocol->law.trials) {
        ldp_power_law(a, n, ldp_noise_users(n, protocol->s1), est, d, scratch, mean, NULL);
        return;
    }
    struct ldp_arena arena = {scratch, ldp_aligned(ldp_power_law_scratch())};
    double *const x = ldp_take(&arena, d * sizeof *x), *const means = ldp_take(&arena, d * sizeof *means);
    const struct ldp_classes classes = ldp_classes_of(protocol, arena.block + arena.bytes);
    for (size_t v = 0; v < d; v++)
        x[v] = est[classes.member[v]];
    for (size_t i = 0; i < classes.nclasses; i++) {
        const uint32_t first = classes.first[i];
        ldp_power_law(a, n, ldp_noise_users(n, classes.s1[i]), x + first, classes.first[i + 1] - first, scratch,
                      means + first, NULL);
    }
    for (size_t v = 0; v < d; v++)
        mean[classes.member[v]] = means[v];
}

/* power_law.c - posterior means and evidence under a power-law prior:
 *
 *     m(x) = sum_k k^(1-a) w_k / sum_k k^-a w_k,   w_k = exp(-(x - k)^2 / (2 s^2)),   k = 1 .. n.
 *
 * The sums are never taken term by term over a window of 16 s. With u = k / s and y = x / s,
 *
 *     F(y) = sum_k k^-a exp(u y - u^2 / 2),   m = s F'(y) / F(y),
 *
 * F is entire and smooth on the scale 1. In panels of width 1 over -8 <= y < 10, F and F' (free of the poles that
 * their quotient has) become Chebyshev interpolants of 16 nodes. All nodes share one summation rule of some 150
 * points: the first integers, an end correction in central differences, and Gauss-Legendre panels of 8 points that
 * double in width up to 2 s. Further up, away from n, m has an asymptotic series in 1 / y^2; the remaining
 * values (far below 0, near n or above) have a rule each; s < 2 is summed directly.
 *
 * Cost: O(d) and about 100,000 operations, whatever n, epsilon and d. Error: below 1e-10 relative. */
#include "priors/power_law.h"
#include "numeric.h"
#include "priors/chebyshev.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    PANEL_FIRST = -8, /* in units of s */
    PANELS = 18,
    ORDER = LDP_CHEBYSHEV,
    RULE_MAX = 3072,   /* points of any summation rule */
    SHARED_MAX = 1024, /* points of the rule that the panels share */
    DIRECT = 16,       /* where a rule passes from integers to the integral */
    CORRECTION = 6,
    GAUSS = 8,
    SMALL = 192 /* ranges up to this are summed over every integer */
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

struct workspace {
    double point[RULE_MAX], weight[RULE_MAX], value[RULE_MAX], moment[SHARED_MAX];
    double tilt[SHARED_MAX][ORDER];       /* exp(u_i delta_j), delta_j the nodes relative to a panel's centre */
    double coefficient[PANELS][ORDER][2]; /* of F and F', scaled by the same function of y */
    bool used[PANELS];
};

struct posterior {
    double n, s, a;
    double series_from; /* in units of s */
};

/* A rule for sums over t = 1, 2, .. up to reach, exact to about 1e-12 for k^-a times what is smooth on the
 * scale length. The integral, not the sum, ends at reach where length >= 10. */
static size_t rule(double length, double reach, double *point, double *weight)
{
    double from = DIRECT;
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
    size_t half = 0;

    if (n <= SMALL)
        return rule(0, n, point, weight);
    half = rule(length < 10 ? 10 : length, (n + 1) / 2, point, weight);
    assert(2 * half <= RULE_MAX);
    for (size_t i = 0; i < half; i++) {
        point[2 * half - 1 - i] = n + 1 - point[i];
        weight[2 * half - 1 - i] = weight[i];
    }
    return 2 * half;
}

/* log of the least weight ratio that is neglected, with room for the number of terms. */
#define NEGLIGIBLE 40.0

#define SQRT_2_PI 2.50662827463100050

/* Each of the following returns m(x) and, unless NULL, log sum_k k^-a w_k.
 *
 * s < 2: the sum itself, from the integer nearest to x outwards. */
static double mean_direct(const struct posterior *posterior, double x, double *evidence)
{
    const double a = posterior->a, s2 = posterior->s * posterior->s;
    double peak = x - floor(x) > 0.5 ? floor(x) + 1 : floor(x), mass = 1, moment = 0, log_peak;

    peak = peak < 1 ? 1 : peak > posterior->n ? posterior->n : peak;
    log_peak = ldp_log(peak);
    if (s2 == 0) {
        if (evidence)
            *evidence = -a * log_peak;
        return peak;
    }
    for (int side = -1; side <= 1; side += 2) {
        /* Below the peak the prior may gain up to a log(peak) on the noise. */
        const double least = -NEGLIGIBLE - (side < 0 ? a * log_peak : 0);
        const double room = side < 0 ? peak - 1 : posterior->n - peak; /* 2^53 + 1 is no double */

        for (int i = 1; i <= room; i++) {
            const double k = peak + side * i, noise = -side * i * (k + peak - 2 * x) / (2 * s2);
            double w;

            if (noise < least)
                break;
            w = ldp_exp(noise - a * (ldp_log(k) - log_peak));
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

/* Any x, s >= 2, by a rule of its own. Weights are taken relative to the largest. */
static double mean_rule(const struct posterior *posterior, double x, struct workspace *work, double *evidence)
{
    const double n = posterior->n, s = posterior->s, a = posterior->a;
    const double outside = x < 0 ? -x : x > n ? x - n : 0;
    const double length = outside > 8 * s ? 8 * s * s / outside : s;
    const double top = x < n ? x : n;
    const bool from_n =
        n - x < 9 * s && top > 1 && (top - 1) / s * ((2 * x - top - 1) / s) / 2 - a * ldp_log(top) > NEGLIGIBLE;
    const double reach = ceil((from_n ? (x < n ? n - x : 0) : (x > 0 ? x : 0)) + 9 * length);
    double largest = -INFINITY, mass = 0, moment = 0;
    size_t m;

    if (reach >= n || n <= SMALL) {
        m = rule_both_ends(n, length, work->point, work->weight);
    } else {
        m = rule(length, reach, work->point, work->weight);
        for (size_t i = 0; from_n && i < m; i++)
            work->point[i] = n + 1 - work->point[i];
    }
    /* The exponent relative to n where the weight sits there: no cancellation however large x is. */
    const double origin = x > n / 2 ? n : 0;
    for (size_t i = 0; i < m; i++) {
        const double k = work->point[i];

        work->value[i] = (k - origin) / s * ((2 * x - k - origin) / s) / 2 - a * ldp_log(k);
        largest = work->value[i] > largest ? work->value[i] : largest;
    }
    for (size_t i = 0; i < m; i++) {
        const double w = work->weight[i] * ldp_exp(work->value[i] - largest);

        mass += w;
        moment += w * work->point[i];
    }
    if (evidence)
        *evidence = ldp_log(mass) + largest - (x - origin) / s * ((x - origin) / s) / 2;
    return moment / mass;
}

/* Chebyshev coefficients of the two functions with these values at the nodes. */
static void transform(double value[2][ORDER], double (*coefficient)[2])
{
    double before[ORDER], now[ORDER], node[ORDER];

    for (size_t j = 0; j < ORDER; j++) {
        node[j] = ldp_chebyshev_node[j];
        before[j] = node[j];
        now[j] = 1;
    }
    for (size_t k = 0; k < ORDER; k++) {
        double sum[2] = {0};

        for (size_t j = 0; j < ORDER; j++) {
            const double next = 2 * node[j] * now[j] - before[j];

            sum[0] += value[0][j] * now[j];
            sum[1] += value[1][j] * now[j];
            before[j] = now[j];
            now[j] = next;
        }
        for (size_t i = 0; i < 2; i++)
            coefficient[k][i] = sum[i] * (k == 0 ? 1. / ORDER : 2. / ORDER);
    }
}

/* out_j = sum_i value_i exp(u_i delta_j). */
static void spread(const double *value, double (*tilt)[ORDER], size_t m, double *out)
{
    double sum[ORDER] = {0};

    for (size_t i = 0; i < m; i++) {
        /* Without it gcc vectorises over i, which takes four times as long. */
#pragma omp simd
        for (size_t j = 0; j < ORDER; j++)
            sum[j] += value[i] * tilt[i][j];
    }
    memcpy(out, sum, sizeof sum);
}

/* The u beyond which nothing weighs for y up to the end of a panel. */
static double panel_reach(size_t panel)
{
    const double end = PANEL_FIRST + 1 + (double)panel;

    return (end > 0 ? end : 0) + 9;
}

/* F grows like something between 1 and exp(y^2 / 2): half the growth taken out of both sums leaves the least to
 * interpolate. */
static double panel_growth(size_t panel)
{
    const double y = PANEL_FIRST + 0.5 + (double)panel;

    return y > -1 ? (y + 1) / 2 : 0;
}

/* Fills the coefficients of the panels in use, the last of which is `top`. */
static void tabulate(const struct posterior *posterior, size_t top, struct workspace *work)
{
    const double n = posterior->n, s = posterior->s, a = posterior->a;
    const double reach = ceil(panel_reach(top) * s);
    double *const u = work->point, *const step = work->weight;
    double *const mass = work->value, *const moment = work->moment;
    const size_t m =
        n > reach ? rule(s, reach, work->point, work->weight) : rule_both_ends(n, s, work->point, work->weight);
    size_t end = 0;

    assert(m <= SHARED_MAX);
    /* mass_i = weight k^-a exp(u y - u^2 / 2) at a panel's centre y; step_i takes it to the next panel. */
    for (size_t i = 0; i < m; i++) {
        const double k = work->point[i];

        u[i] = k / s;
        mass[i] = work->weight[i] * ldp_exp((PANEL_FIRST + 0.5 - u[i] / 2) * u[i] - a * ldp_log(k));
        step[i] = ldp_exp(u[i]);
        for (size_t j = 0; j < ORDER / 2; j++)
            work->tilt[i][j] = ldp_exp(u[i] * ldp_chebyshev_node[j] / 2);
        for (size_t j = ORDER / 2; j < ORDER; j++)
            work->tilt[i][j] = 1 / work->tilt[i][ORDER - 1 - j];
    }
    for (size_t panel = 0; panel <= top; panel++) {
        if (work->used[panel]) {
            const double growth = panel_growth(panel);
            double at_node[2][ORDER];

            while (end < m && u[end] <= panel_reach(panel))
                end++;
            for (size_t i = 0; i < end; i++)
                moment[i] = mass[i] * u[i];
            spread(mass, work->tilt, end, at_node[0]);
            spread(moment, work->tilt, end, at_node[1]);
            for (size_t j = 0; j < ORDER; j++) {
                const double node = ldp_chebyshev_node[j];
                const double level = ldp_exp(-growth * node / 2);

                at_node[0][j] *= level;
                at_node[1][j] *= level;
            }
            transform(at_node, work->coefficient[panel]);
        }
        for (size_t i = 0; i < m; i++)
            mass[i] *= step[i];
    }
}

/* F' / F at t, the place in a panel from -1 to 1 (Clenshaw); unless NULL, F as it was tabulated. */
static double interpolate(double (*coefficient)[2], double t, double *value)
{
    double last[2] = {0}, before[2] = {0};

    for (size_t k = ORDER - 1; k > 0; k--) {
#pragma omp simd
        for (size_t i = 0; i < 2; i++) {
            const double next = (coefficient[k][i] - before[i]) + 2 * t * last[i];

            before[i] = last[i];
            last[i] = next;
        }
    }
    if (value)
        *value = (coefficient[0][0] - before[0]) + t * last[0];
    return ((coefficient[0][1] - before[1]) + t * last[1]) / ((coefficient[0][0] - before[0]) + t * last[0]);
}

/* Where the series holds to 1e-12: few of its terms matter, and the small counts that it leaves out weigh nothing. */
static double series_start(double s, double a)
{
    double y = PANEL_FIRST + PANELS;

    while (y < 4 * a || y * y / 2 - a * ldp_log(y * s) < NEGLIGIBLE - 6)
        y++;
    return y;
}

size_t ldp_power_law_scratch(void)
{
    return sizeof(struct workspace);
}

void ldp_power_law(double a, double n, double s, const double *est, size_t d, void *scratch, double *mean,
                   double *evidence)
{
    struct workspace *const work = scratch;
    struct posterior posterior = {.n = n, .s = s, .a = a};
    const double per_s = 1 / s;
    /* Beyond these the posterior is a point mass at 1 or n as far as doubles go. */
    const double least = -1000 * (s * s + 1), most = n + 1000 * (s * s + 1);
    size_t top = PANELS;

    if (s >= 2) {
        posterior.series_from = series_start(s, posterior.a);
        for (size_t panel = 0; panel < PANELS; panel++)
            work->used[panel] = false;
        for (size_t v = 0; v < d; v++) {
            const double place = n * est[v] * per_s - PANEL_FIRST;

            if (place >= 0 && place < PANELS)
                work->used[(size_t)place] = true;
        }
        for (size_t panel = 0; panel < PANELS; panel++)
            top = work->used[panel] ? panel : top;
        if (top < PANELS)
            tabulate(&posterior, top, work);
    }
    for (size_t v = 0; v < d; v++) {
        double *const log_sum = evidence ? &evidence[v] : NULL;
        double x = n * est[v], place, m;

        x = x < least ? least : x > most ? most : x;
        place = x * per_s - PANEL_FIRST;
        if (s < 2) {
            m = mean_direct(&posterior, x, log_sum);
        } else if (place >= 0 && place < PANELS) {
            const size_t panel = (size_t)place;
            const double t = 2 * (place - (double)panel) - 1;

            m = s * interpolate(work->coefficient[panel], t, log_sum);
            if (log_sum)
                *log_sum = ldp_log(*log_sum) + panel_growth(panel) * t / 2 - x * per_s * (x * per_s) / 2;
        } else if (x * per_s >= posterior.series_from && n - x >= 9 * s) {
            m = mean_series(&posterior, x, log_sum);
        } else {
            m = mean_rule(&posterior, x, work, log_sum);
        }
        if (mean) {
            m = m < 1 ? 1 : m > n ? n : m;
            mean[v] = m / n;
        }
    }
}

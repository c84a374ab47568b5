/* test_pgr.c - projective geometry response: reference numbers, the choice of q and t, what placements do, blocks. */
#include "geometry/projective.h"
#include "ldp.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"
#include "vectors.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ldp_protocol pgr(double q, double t, double h, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("pgr"), .param = {q, t, h}};
    return make_protocol(&spec, d, epsilon);
}

static void demand_refusal(double q, double t, double h, size_t d, const char *fragment)
{
    struct ldp_protocol protocol;
    struct ldp_reason reason;
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("pgr"), .param = {q, t, h}};
    cr_expect_eq(ldp_protocol_init(&protocol, &spec, d, 1, &reason), LDP_EINVAL, "%g %g %g", q, t, h);
    cr_expect(strstr(reason.text, fragment), "%s", reason.text);
}

Test(pgr, refusals)
{
    demand_refusal(6, NAN, 1, 10, "q = 6: expected a prime, or a power of a prime up to 256");
    demand_refusal(289, NAN, 1, 10, "q = 289: expected");
    demand_refusal(3, 2, 1, 10, "q = 3, t = 2: 4 points, fewer than values, d = 10");
    demand_refusal(3, 2, 2, 10, "8 points");
    demand_refusal(3, 21, 1, 10, "fewer than 2^32 reports");
    demand_refusal(3, 20, 3, 10, "fewer than 2^32 reports");
    demand_refusal(NAN, 2, 1, 5000, "no q within");
}

Test(pgr, vectors)
{
    cJSON *const json = vectors_read("pgr.json");
    const cJSON *setting = NULL;
    size_t held = 0;
    cJSON_ArrayForEach(setting, cJSON_GetObjectItem(json, "settings"))
    {
        const double q = vectors_number(setting, "q"), t = vectors_number(setting, "t"),
                     d = vectors_number(setting, "d");
        const struct ldp_protocol protocol = pgr(q, t, 1, (size_t)d, vectors_number(setting, "epsilon"));
        cr_expect_float_eq(protocol.p, vectors_number(setting, "p"), 1e-14);
        cr_expect_float_eq(protocol.q, vectors_number(setting, "q_star"), 1e-14);
        cr_expect_float_eq(protocol.s1, vectors_number(setting, "s1"), 1e-12 * protocol.s1);
        cr_expect_float_eq(protocol.tf, vectors_number(setting, "tf"), 1e-12);
        cr_expect_float_eq(protocol.s1 + protocol.tf / d, vectors_number(setting, "mean_variance"), 1e-12);
        held++;
    }
    cr_expect_gt(held, 0);
    cJSON_Delete(json);
}

/* The (q, t) of least error and the error over the optimum, for epsilon = 0.5, 1, 1.5, 2, 3, 4, 5. */
Test(pgr, choice_of_q_and_t)
{
    static const double epsilon[] = {0.5, 1, 1.5, 2, 3, 4, 5};
    static const struct {
        size_t d;
        struct {
            double q, t, ratio;
        } best[7];
    } rows[] = {
        {256,
         {{3, 6, 1.012}, {4, 5, 1.005}, {5, 5, 1.012}, {8, 4, 1.011}, {19, 3, 1.017}, {49, 3, 1.101}, {256, 2, 1.083}}},
        {1024,
         {{3, 7, 1.010}, {4, 6, 1.003}, {5, 6, 1.006}, {8, 5, 1.004}, {19, 4, 1.012}, {53, 3, 1.018}, {139, 3, 1.071}}},
        {4096,
         {{3, 9, 1.010}, {4, 7, 1.003}, {5, 7, 1.004}, {8, 5, 1.001}, {23, 4, 1.004}, {64, 3, 1.005}, {149, 3, 1.015}}},
        {16384,
         {{3, 10, 1.009},
          {4, 8, 1.003},
          {5, 7, 1.003},
          {8, 6, 1.001},
          {23, 5, 1.003},
          {53, 4, 1.002},
          {149, 3, 1.001}}},
        {65536,
         {{3, 11, 1.009},
          {4, 9, 1.002},
          {5, 8, 1.003},
          {8, 7, 1.001},
          {23, 5, 1.002},
          {53, 4, 1.001},
          {149, 4, 1.001}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < 7; j++) {
            const size_t d = rows[i].d;
            const struct ldp_protocol protocol = pgr(NAN, NAN, 1, d, epsilon[j]);
            cr_expect(protocol.param[0] == rows[i].best[j].q && protocol.param[1] == rows[i].best[j].t,
                      "d = %zu, epsilon = %g: q = %g, t = %g", d, epsilon[j], protocol.param[0], protocol.param[1]);
            const double ratio = (protocol.s1 + protocol.tf / (double)d) / ldp_optimum(d, epsilon[j]);
            cr_expect_float_eq(ratio, rows[i].best[j].ratio, 6e-4, "d = %zu, epsilon = %g: ratio %.4f", d, epsilon[j],
                               ratio);
        }
    /* The published choice, the first odd prime from e + 1 on. */
    static const struct {
        double epsilon, q, ratio;
    } published[] = {{1, 5, 1.040}, {2, 11, 1.025}, {5, 151, 1.073}};
    for (size_t i = 0; i < 3; i++) {
        const struct ldp_protocol protocol = pgr(published[i].q, NAN, 1, 1024, published[i].epsilon);
        const double ratio = (protocol.s1 + protocol.tf / 1024) / ldp_optimum(1024, published[i].epsilon);
        cr_expect_float_eq(ratio, published[i].ratio, 6e-4, "epsilon = %g: ratio %.4f", published[i].epsilon, ratio);
    }
}

/* ---- Placements ---- */

/* Number of the point that a a + b is, b first. */
static uint64_t on_line(const struct ldp_projective *space, const struct ldp_point *one, uint32_t factor,
                        const struct ldp_point *other)
{
    const struct ldp_field *const field = &space->field;
    uint32_t v[LDP_PROJECTIVE_T_MAX] = {0};
    unsigned r = 0;
    for (unsigned j = 0; j < space->t; j++) {
        v[j] = ldp_field_add(field, ldp_field_multiply(field, factor, one->v[j]), other->v[j]);
        r = v[j] ? j : r;
    }
    uint32_t inverse = 1;
    while (ldp_field_multiply(field, inverse, v[r]) != 1)
        inverse++;
    uint64_t x = 0;
    for (unsigned j = r; j-- > 0;)
        x = x * field->q + ldp_field_multiply(field, inverse, v[j]);
    return space->K[r] + x;
}

/* Exact variance of the sum of the first `head` estimates as counts, values on points 0 .. d-1 or on random ones. */
static double head_variance(const struct ldp_protocol *protocol, const double *counts, size_t head, bool random)
{
    const struct ldp_projective space = ldp_projective_of((uint32_t)protocol->param[0], (unsigned)protocol->param[1]);
    const size_t d = protocol->d;
    const double K = (double)space.K[space.t], c = (double)space.K[space.t - 1], q = protocol->q, p = protocol->p,
                 lambda = (double)space.K[space.t - 2], mu = space.t > 2 ? (double)space.K[space.t - 3] : 0,
                 e = exp(protocol->epsilon), Z = (e - 1) * c + K;
    double n = 0;
    for (size_t v = 0; v < d; v++)
        n += counts[v];
    double sum = 0;
    for (size_t a = 0; a < head; a++)
        for (size_t b = 0; b < head; b++) {
            if (a == b) {
                sum += counts[a] * p * (1 - p) + (n - counts[a]) * q * (1 - q);
                continue;
            }
            const double own = counts[a] + counts[b];
            double line = own;
            struct ldp_point one;
            ldp_projective_point(&space, a, &one);
            struct ldp_point other;
            ldp_projective_point(&space, b, &other);
            for (uint32_t factor = 1; factor < space.field.q && !random; factor++) {
                const uint64_t x = on_line(&space, &one, factor, &other);
                line += x < d ? counts[x] : 0;
            }
            if (random)
                line += (n - own) * (space.field.q - 1.0) / (K - 2);
            sum += line * e * lambda / Z + (n - line) * ((e - 1) * mu + lambda) / Z - own * p * q - (n - own) * q * q;
        }
    return sum / ((p - q) * (p - q));
}

static void zipf(size_t d, double s, double n, double *counts)
{
    double total = 0;
    for (size_t v = 0; v < d; v++)
        total += pow((double)(v + 1), -s);
    for (size_t v = 0; v < d; v++)
        counts[v] = n * pow((double)(v + 1), -s) / total;
}

/* Values by rank on the first points fill subspaces: what that does to the sum of the head tenth. */
Test(pgr, contiguous_points_hurt_sums_of_the_head)
{
    static const struct {
        double q, t;
        size_t d;
        double epsilon, ratio;
        double s;
    } rows[] = {{4, 6, 1024, 1, 1.79, 1.5}, {25, 3, 600, 3, 5.06, 1.2}};
    static double counts[1024];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_protocol protocol = pgr(rows[i].q, rows[i].t, 1, rows[i].d, rows[i].epsilon);
        zipf(rows[i].d, rows[i].s, 1e6, counts);
        const double ratio = head_variance(&protocol, counts, rows[i].d / 10, false) /
                             head_variance(&protocol, counts, rows[i].d / 10, true);
        cr_expect_float_eq(ratio, rows[i].ratio, 0.006, "q = %g: %.4f", rows[i].q, ratio);
    }
}

/* Supports with value v on point v, drawn as in the oracle, but without the placement. */
static void unplaced_supports(const struct ldp_protocol *protocol, const struct ldp_projective *space,
                              const uint64_t *counts, struct ldp_rng *rng, void *work, uint64_t *a, double *support)
{
    const size_t K = (size_t)space->K[space->t];
    const double kept = (protocol->p - protocol->q) * (double)space->K[space->t - 1] /
                        (double)space->power[space->t - 2]; /* (e-1) c/Z by p - q* = (e-1) q^(t-2)/Z */
    uint64_t rest = 0, uniform[64];
    cr_assert_leq(K, 64);
    uint64_t total = 0;
    for (size_t x = 0; x < K; x++) {
        const uint64_t users = x < protocol->d ? counts[x] : 0;
        a[x] = ldp_binomial(rng, users, kept);
        rest += users - a[x];
        total += users;
    }
    ldp_projective_split(space, rng, work, a);
    ldp_multinomial_uniform(rng, rest, K, uniform);
    for (size_t y = 0; y < K; y++)
        a[y] += uniform[y];
    ldp_projective_sum(space, LDP_REVERSED, total, work, a);
    for (size_t v = 0; v < protocol->d; v++)
        support[v] = (double)a[v];
}

/* Covariances on points 0 .. d-1 by the reference numbers. */
Test(pgr, covariances_without_a_placement)
{
    cJSON *const json = vectors_read("pgr.json");
    const cJSON *setting = NULL;
    const size_t R = statistics_draws(40000);
    cJSON_ArrayForEach(setting, cJSON_GetObjectItem(json, "settings"))
    {
        const double q = vectors_number(setting, "q"), t = vectors_number(setting, "t"),
                     d = vectors_number(setting, "d");
        const struct ldp_protocol protocol = pgr(q, t, 1, (size_t)d, vectors_number(setting, "epsilon"));
        const cJSON *const rows = cJSON_GetObjectItem(setting, "covariance_one_user_each");
        const struct ldp_projective space = ldp_projective_of((uint32_t)q, (unsigned)t);
        void *const work = malloc(ldp_projective_work(&space));
        struct moments *const moments = moments_new(protocol.d);
        struct ldp_rng rng = make_stream(statistics_seed(41), "unplaced", (uint64_t)q);
        uint64_t counts[64], a[64];
        double support[2 * 64 + 2], stated[64];
        for (size_t v = 0; v < 64; v++)
            counts[v] = 1;
        for (size_t r = 0; r < R; r++) {
            unplaced_supports(&protocol, &space, counts, &rng, work, a, support);
            moments_add(moments, support);
        }
        const double limit = statistics_z_bound(3 * 21 * 22);
        for (size_t v = 0; v < protocol.d; v++) {
            vectors_numbers(cJSON_GetArrayItem(rows, (int)v), stated, protocol.d);
            for (size_t w = 0; w <= v; w++) {
                const double own = stated[v], z = (moments_covariance(moments, v, w) - stated[w]) /
                                                  sqrt((own * own + stated[w] * stated[w]) / (double)R);
                cr_expect(fabs(z) < limit, "q = %g: covariance of %zu, %zu is %g, stated %g, z = %.1f", q, v, w,
                          moments_covariance(moments, v, w), stated[w], z);
            }
        }
        moments_free(moments);
        free(work);
    }
    cJSON_Delete(json);
}

/* Simulated: the head's sum has the variance that lines give it on the first points, and in the oracle that of random
 * placements. */
Test(pgr, placements_undo_it, SLOW)
{
    enum { D = 40, HEAD = 4 };
    const size_t R = statistics_draws(20000);
    const struct ldp_protocol protocol = pgr(3, 4, 1, D, 1);
    double shares[D];
    zipf(D, 1.5, 1000, shares);
    uint64_t counts[D];
    for (size_t v = 0; v < D; v++)
        shares[v] = (double)(counts[v] = (uint64_t)shares[v] + 1);
    const struct ldp_projective space = ldp_projective_of(3, 4);
    struct ldp_population *const population = make_population(counts, D);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = malloc(simulation.scratch_bytes), *const work = malloc(ldp_projective_work(&space));
    double square[2] = {0}, mean[2] = {0};
    struct ldp_rng rng = make_stream(statistics_seed(42), "head", 0);
    for (size_t r = 0; r < R; r++)
        for (int random = 0; random < 2; random++) {
            double support[2 * D + 2], sum = 0;
            uint64_t a[64];
            if (random)
                ldp_simulate(&simulation, &rng, scratch, support);
            else
                unplaced_supports(&protocol, &space, counts, &rng, work, a, support);
            for (size_t v = 0; v < HEAD; v++)
                sum += support[v] / (protocol.p - protocol.q);
            mean[random] += sum / (double)R;
            square[random] += sum * sum / (double)R;
        }
    double stated[2];
    for (int random = 0; random < 2; random++) {
        stated[random] = head_variance(&protocol, shares, HEAD, random);
        const double variance = square[random] - mean[random] * mean[random],
                     z = (variance / stated[random] - 1) / sqrt(2 / (double)R);
        cr_expect(fabs(z) < statistics_z_bound(2), "random %d: variance %g, stated %g, z = %.1f", random, variance,
                  stated[random], z);
    }
    cr_expect_gt(stated[0], 1.1 * stated[1]);
    free(scratch);
    free(work);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}

/* ---- Blocks ---- */

/* The mean variance with one user of each value, where values fill all blocks: by enumeration of reports. */
Test(pgr, variance_of_blocks_by_enumeration, SLOW)
{
    static const struct {
        double q, t, h, epsilon;
        size_t d;
    } rows[] = {{2, 3, 2, 1, 14},  {3, 3, 3, 2, 39}, {4, 2, 5, 2, 25},
                {5, 3, 4, 3, 124}, {3, 2, 7, 4, 28}, {4, 3, 1, 1, 21}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t d = rows[i].d;
        struct ldp_protocol protocol = pgr(rows[i].q, rows[i].t, rows[i].h, d, rows[i].epsilon);
        protocol.public_seed = 7;
        double *const support =
            malloc((d * d + d + 2) * sizeof *support); /* each overwrites what the last has behind */
        for (uint64_t y = 0; y < d; y++) {
            void *const state = calloc(protocol.state_bytes, 1);
            protocol.oracle->server(&protocol, &y, 1, state);
            protocol.oracle->support(&protocol, state, 1, support + y * d);
            free(state);
        }
        double variance = 0;
        for (uint32_t v = 0; v < d; v++)
            for (size_t w = 0; w < d; w++) {
                double mean = 0, square = 0;
                for (uint64_t y = 0; y < d; y++) {
                    const double P = exp(protocol.oracle->log_likelihood(&protocol, v, &y)), c = support[y * d + w];
                    mean += P * c;
                    square += P * c * c;
                }
                cr_expect_float_eq(mean, v == w ? protocol.p : protocol.q, 1e-12);
                variance += (square - mean * mean) / (double)d;
            }
        variance /= (protocol.p - protocol.q) * (protocol.p - protocol.q);
        const double stated = (double)d * protocol.s1 + protocol.tf;
        cr_expect_float_eq(variance, stated, 1e-10 * stated, "q = %g, t = %g, h = %g: %g, stated %g", rows[i].q,
                           rows[i].t, rows[i].h, variance, stated);
        free(support);
    }
}

/* Moments of support and trials of value v over the reports of a user of value w. */
struct report_moments {
    double mean, square, trials;
};

static struct report_moments moments_of(const struct ldp_protocol *protocol, const double *supports, uint32_t w,
                                        uint32_t v)
{
    struct report_moments moments = {0};
    for (uint64_t y = 0; y < protocol->report_limit; y++) {
        const double P = exp(protocol->oracle->log_likelihood(protocol, w, &y)), *const support =
                                                                                     supports +
                                                                                     y * protocol->support_size;
        moments.mean += P * support[v];
        moments.square += P * support[v] * support[v];
        moments.trials += P * support[protocol->d + v];
    }
    return moments;
}

/* The variance of each value given its block's share of the reports, at the expected share: it is linear in it. */
Test(pgr, variance_given_the_reports_of_a_block)
{
    static const struct {
        double q, t, h, epsilon;
    } rows[] = {{2, 3, 2, 1}, {3, 2, 7, 4}, {2, 2, 3, 0.5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t d = (size_t)((rows[i].q * (rows[i].t > 2 ? rows[i].q + 1 : 1) + 1) * rows[i].h);
        struct ldp_protocol protocol = pgr(rows[i].q, rows[i].t, rows[i].h, d, rows[i].epsilon);
        protocol.public_seed = 7;
        const double n = 1000, gap = protocol.p - protocol.q;
        double *const supports = calloc((d + 1) * protocol.support_size, sizeof *supports), *const f =
                                                                                                malloc(d * sizeof *f);
        for (uint64_t y = 0; y < d; y++) {
            void *const state = calloc(protocol.state_bytes, 1);
            protocol.oracle->server(&protocol, &y, 1, state);
            protocol.oracle->support(&protocol, state, 1, supports + y * protocol.support_size);
            free(state);
        }
        zipf(d, 2, 1, f);
        double *const all = supports + d * protocol.support_size, exact[64] = {0};
        memcpy(all, supports, protocol.support_size * sizeof *all); /* for the seed behind */
        for (uint32_t v = 0; v < d; v++) {
            all[d + v] = 0;
            for (uint32_t w = 0; w < d; w++) {
                const struct report_moments moments = moments_of(&protocol, supports, w, v);
                exact[v] += f[w] * (moments.square - moments.mean * moments.mean) / (gap * gap);
                all[d + v] += n * f[w] * moments.trials;
            }
        }
        const struct ldp_protocol observed =
            ldp_observed(&(struct ldp_collection){&protocol, (uint64_t)n, all, NULL}, NULL);
        cr_assert(observed.law.known && observed.law.trials);
        for (uint32_t v = 0; v < d; v++) {
            const double stated = ldp_law_s1(&observed, v) + observed.law.tf * f[v];
            cr_expect_float_eq(stated, exact[v], 1e-9 * exact[v], "q = %g, v = %u: %.12g, stated %.12g", rows[i].q, v,
                               exact[v], stated);
        }
        free(supports);
        free(f);
    }
}

/* Rounded up where values packed into as few blocks as hold them have it: here they are spread over all. */
Test(pgr, error_of_blocks_over_the_optimum)
{
    static const struct {
        double q, t, h, epsilon, ratio;
        size_t d;
    } rows[] = {
        {5, 3, 34, 5, 1.19, 1024}, {7, 3, 18, 5, 1.13, 1024}, {NAN, NAN, 1, 5, 1.07, 1024}, {16, 3, 4, 4, 1.06, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_protocol protocol = pgr(rows[i].q, rows[i].t, rows[i].h, rows[i].d, rows[i].epsilon);
        const double ratio = (protocol.s1 + protocol.tf / (double)rows[i].d) / ldp_optimum(rows[i].d, rows[i].epsilon);
        cr_expect(ratio <= rows[i].ratio + 5e-3 && ratio >= rows[i].ratio - 0.015, "q = %g, h = %g: %.4f", rows[i].q,
                  rows[i].h, ratio);
    }
}

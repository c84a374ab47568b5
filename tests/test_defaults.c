/* test_defaults.c - parameters that are derived: no other value has an error smaller by more than 1 %, over epsilon
 * from 0.1 to 8 and d from 4 to 10^5; or by how much and where, for oracles that keep their paper's definition. */
#include "geometry/field.h"
#include "ldp.h"
#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>

static const size_t SIZES[] = {4, 5, 6, 7, 8, 10, 13, 16, 23, 33, 64, 100, 256, 1000, 1024, 4096, 16384, 65536, 100000};

enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES, BUDGETS = 80 };

static double budget(size_t i)
{
    return 0.1 * (double)(i + 1);
}

/* What a protocol is judged by. */
enum measure { MEAN, NOBODY }; /* s1 + tf/d; s1, the variance of a value with zero frequency */

static double variance_of(const char *name, double first, double second, size_t d, double epsilon, enum measure measure)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    cr_assert_not_null(spec.oracle, "%s", name);
    ldp_params_default(spec.oracle->params, spec.param);
    spec.param[0] = first;
    if (!isnan(second))
        spec.param[1] = second;
    struct ldp_protocol protocol;
    if (ldp_protocol_init(&protocol, &spec, d, epsilon, NULL) != LDP_OK)
        return INFINITY;
    return measure == MEAN ? protocol.s1 + protocol.tf / (double)d : protocol.s1;
}

/* The next value of a parameter to try: every one that is small, then every 50th part more. */
static double next_of(double value)
{
    return value + fmax(1, floor(value / 50));
}

/* What the default has over the best of the parameter's values up to `most`. */
static double over_best(const char *name, double second, double most, size_t d, double epsilon, enum measure measure)
{
    const double own = variance_of(name, NAN, second, d, epsilon, measure);
    double least = own;
    for (double value = 1; value <= most; value = next_of(value))
        least = fmin(least, variance_of(name, value, second, d, epsilon, measure));
    return own / least;
}

static void hold(const char *name, double second, double (*most)(size_t d, double epsilon))
{
    for (size_t i = 0; i < SIZES_COUNT; i++)
        for (size_t j = 0; j < BUDGETS; j++) {
            const double over = over_best(name, second, most(SIZES[i], budget(j)), SIZES[i], budget(j), MEAN);
            cr_expect(over <= 1.01, "%s, d = %zu, epsilon = %g: %.4f times the best", name, SIZES[i], budget(j), over);
        }
}

static double ten(size_t d, double epsilon)
{
    (void)d, (void)epsilon;
    return 10;
}

static double twice_the_subset(size_t d, double epsilon)
{
    return fmin((double)d - 1, 2 * (double)d / (exp(epsilon) + 1) + 3);
}

static double twice_the_cells(size_t d, double epsilon)
{
    return 2 * exp(epsilon) + 4;
}

Test(defaults, ss)
{
    hold("ss", NAN, twice_the_subset);
}

Test(defaults, hm)
{
    hold("hm", 0, ten);
    hold("hm", 1, ten);
}

Test(defaults, hr)
{
    for (size_t i = 0; i < SIZES_COUNT; i++)
        for (size_t j = 0; j < BUDGETS; j++) {
            const double own = variance_of("hr", NAN, NAN, SIZES[i], budget(j), MEAN);
            for (double B = 1; B <= (double)SIZES[i]; B *= 2)
                cr_expect(own <= 1.01 * variance_of("hr", B, NAN, SIZES[i], budget(j), MEAN),
                          "d = %zu, epsilon = %g, B = %g", SIZES[i], budget(j), B);
        }
}

/* The published rule of hr: its error rises where epsilon passes 1, in the limit of many values from 4 to 4.5 times
 * what (e-1)^-1 makes of it at e^epsilon = 3; the default's falls everywhere. */
Test(defaults, hr_has_no_kink)
{
    enum { LEAST, PUBLISHED };
    for (size_t i = 0; i < SIZES_COUNT; i++)
        for (double epsilon = 0.1; epsilon < 8; epsilon += 0.01)
            cr_expect(variance_of("hr", NAN, LEAST, SIZES[i], epsilon + 0.01, MEAN) <
                          variance_of("hr", NAN, LEAST, SIZES[i], epsilon, MEAN),
                      "d = %zu, epsilon = %g", SIZES[i], epsilon);
    cr_expect_gt(variance_of("hr", NAN, PUBLISHED, 1024, 1.01, MEAN),
                 1.5 * variance_of("hr", NAN, PUBLISHED, 1024, 1, MEAN));
    cr_expect_float_eq(variance_of("hr", 1, NAN, 1 << 20, log(3), NOBODY), 4, 1e-9);
    cr_expect_float_eq(variance_of("hr", 2, NAN, (1 << 20) - 2, log(3), NOBODY), 4.5, 1e-5);
}

/* Every field's q, with as many coordinates as it takes. */
Test(defaults, pgr, SLOW)
{
    for (size_t i = 0; i < SIZES_COUNT; i++)
        for (size_t j = 0; j < BUDGETS; j += 3) {
            const double own = variance_of("pgr", NAN, NAN, SIZES[i], budget(j), MEAN);
            for (uint32_t q = 2; q > 0; q = ldp_field_after(q)) {
                double additions = q, K = q + 1;
                for (; K < (double)SIZES[i]; K = K * q + 1)
                    additions *= q;
                if (additions * q > 0x1p29) /* the default has a limit to the decoder's work */
                    continue;
                cr_expect(own <= 1.01 * variance_of("pgr", q, NAN, SIZES[i], budget(j), MEAN),
                          "d = %zu, epsilon = %g, q = %u", SIZES[i], budget(j), q);
            }
        }
}

/* the keeps its paper's definition, theta of least variance where nobody holds the value: no theta has less. By the
 * mean another is better in small domains, by more than 1 % below d = 128. */
Test(defaults, the, SLOW)
{
    for (size_t i = 0; i < SIZES_COUNT; i++)
        for (size_t j = 0; j < BUDGETS; j++)
            for (int measure = MEAN; measure <= NOBODY; measure++) {
                const double own = variance_of("the", NAN, NAN, SIZES[i], budget(j), (enum measure)measure);
                for (double theta = 0.5; theta <= 1 && (measure == NOBODY || SIZES[i] >= 128); theta += 0.004)
                    cr_expect(own <= (measure == NOBODY ? 1 + 1e-9 : 1.01) *
                                         variance_of("the", theta, NAN, SIZES[i], budget(j), (enum measure)measure),
                              "d = %zu, epsilon = %g, theta = %g", SIZES[i], budget(j), theta);
            }
}

/* olh keeps its paper's g, the whole number next to e + 1: by the variance of a value with zero frequency another g is
 * better by 2.1 % at most, where e is just below 3/2; by the mean, for e below a tenth of d, by no more than that. */
Test(defaults, olh, SLOW)
{
    for (size_t i = 0; i < SIZES_COUNT; i++)
        for (size_t j = 0; j < BUDGETS; j++) {
            const double most = twice_the_cells(SIZES[i], budget(j));
            const double nobody = over_best("olh", NAN, most, SIZES[i], budget(j), NOBODY);
            cr_expect(nobody <= (exp(budget(j)) < 1.5 ? 1.021 : 1.01), "epsilon = %g: %.4f", budget(j), nobody);
            if (exp(budget(j)) < 0.1 * (double)SIZES[i]) {
                const double mean = over_best("olh", NAN, most, SIZES[i], budget(j), MEAN);
                cr_expect(mean <= 1.021, "d = %zu, epsilon = %g: %.4f", SIZES[i], budget(j), mean);
            }
        }
}

/* flh: more functions are better as long as the table leaves g as it is, and what they cost is the reason for 10,000;
 * its g is olh's. */
Test(defaults, flh)
{
    static const uint64_t counts[] = {5000, 300, 200, 100};
    const struct ldp_histogram histogram = {.d = 4, .n = 5600, .counts = counts};
    double last = INFINITY;
    for (double k = 100; k <= 1e4; k *= 10) {
        const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("flh"), .param = {k}};
        struct ldp_protocol protocol = make_protocol(&spec, 4, 1);
        double variance[4];
        ldp_variance(&protocol, &histogram, variance);
        cr_expect_lt(variance[3], last, "k = %g", k);
        last = variance[3];
    }
}

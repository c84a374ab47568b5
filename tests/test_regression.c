/* test_regression.c - penalised least squares by coordinate descent: what it passes over would have stayed as it is. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "setup.h"
#include "sketches/regression.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As defined: every pass visits all values; nine of ten passes leave out those that are 0. */
static size_t plain_descent(struct ldp_regression *x, double lasso, double ridge, bool intercept, double *w)
{
    const double N = (double)x->N;
    size_t visits = 0;
    for (int pass = 0; pass < 500; pass++) {
        const bool all = pass % 10 == 0;
        double change = 0, most = 0;
        const double mean = intercept ? ldp_sum(x->res, x->N) / N : 0;
        for (size_t i = 0; i < x->N && intercept; i++)
            x->res[i] -= mean;
        x->intercept += mean;
        for (size_t v = 0; v < x->d; v++) {
            if (w[v] < 0 || (!all && w[v] == 0))
                continue;
            double sum = 0, norm = 0;
            for (size_t k = 0; k < x->width; k++) {
                sum += x->res[x->ones[v * x->width + k]];
                norm += x->ones[v * x->width + k] < x->N;
            }
            const double next = fmax(0, (sum + norm * w[v] - N * lasso) / (norm + N * ridge));
            for (size_t k = 0; k < x->width && next != w[v]; k++)
                x->res[x->ones[v * x->width + k]] -= next - w[v];
            x->res[x->N] = 0;
            change = fmax(change, fabs(next - w[v]));
            w[v] = next;
            most = fmax(most, next);
            visits++;
        }
        if (change <= 1e-6 * most) {
            if (all)
                break;
            pass += 9 - pass % 10;
        }
    }
    return visits;
}

enum { VALUES = 3000, WIDTH = 6, ROWS = 120 };

/* Few values are held, some columns have padding, and the residual is noisy. */
static void draw(struct ldp_rng *rng, struct ldp_regression *x, double *w)
{
    for (size_t i = 0; i <= x->N; i++)
        x->res[i] = i < x->N ? 100 * (ldp_rng_uniform(rng) - 0.5) : 0;
    for (size_t v = 0; v < x->d; v++) {
        const double users = v < 40 ? 2000 / ((double)v + 1) : 0;
        for (size_t k = 0; k < x->width; k++) {
            const size_t row = (size_t)(ldp_rng_uniform(rng) * (double)(x->N + 1));
            x->ones[v * x->width + k] = (uint32_t)row;
            x->res[row] += row < x->N ? users : 0;
        }
        w[v] = v % 50 == 49 ? -1 : 0;
    }
    x->intercept = 0;
}

Test(regression, passes_over_what_stays_zero_and_no_more)
{
    static const struct {
        double lasso, ridge;
        bool intercept;
    } cases[] = {{0.8, 0, true}, {0.05, 0, true}, {0, 0, false}, {0, 0.005, false}, {0.3, 1, false}};
    struct ldp_regression x[2];
    double w[2][VALUES];
    struct ldp_arena counted = {NULL, 0};
    ldp_regression_in(VALUES, WIDTH, ROWS, &counted);
    for (int i = 0; i < 2; i++) {
        struct ldp_arena arena = {malloc(counted.bytes), 0};
        x[i] = ldp_regression_in(VALUES, WIDTH, ROWS, &arena);
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int i = 0; i < 2; i++) {
            struct ldp_rng rng = make_stream(1, "regression", c);
            draw(&rng, &x[i], w[i]);
        }
        ldp_regression_descend(&x[0], cases[c].lasso, cases[c].ridge, cases[c].intercept, w[0]);
        const size_t visits = plain_descent(&x[1], cases[c].lasso, cases[c].ridge, cases[c].intercept, w[1]);
        size_t held = 0;
        for (size_t v = 0; v < VALUES; v++)
            held += w[0][v] > 0;
        cr_expect_gt(held, 0, "case %zu: %zu visits", c, visits);
        cr_expect_eq(memcmp(w[0], w[1], sizeof w[0]), 0, "case %zu", c);
        cr_expect_eq(memcmp(x[0].res, x[1].res, (ROWS + 1) * sizeof(double)), 0, "case %zu", c);
        cr_expect_eq(x[0].intercept, x[1].intercept);
    }
    for (int i = 0; i < 2; i++)
        free(x[i].res);
}

/* test_plan.c - the shares of users that `plan` gives to tables: against closed forms, against an optimum found
 * otherwise, and against collections. What every synopsis must keep is in test_synopses.c. */
#include "marginals/shares.h"
#include "marginals/synopsis.h"
#include "marginals/tables.h"
#include "numerics/simplex.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 5, USERS = 20000, SUBSETS = 1 << D, QUESTIONS = 63 };
static const uint32_t cardinality[D] = {2, 3, 2, 4, 2};
static const double EPSILON = 1;

/* Each attribute follows its neighbour half of the time. */
static struct ldp_records *make_chain(void)
{
    uint32_t *const values = malloc((size_t)USERS * D * sizeof *values);
    struct ldp_records *records;
    struct ldp_rng rng = make_stream(1, "plan", 0);
    for (size_t i = 0; i < (size_t)USERS * D; i++)
        values[i] = (uint32_t)(i % D > 0 && ldp_rng_below(&rng, 2) ? values[i - 1] % cardinality[i % D]
                                                                   : ldp_rng_below(&rng, cardinality[i % D]));
    cr_assert_eq(ldp_records_new(cardinality, D, values, NULL, USERS, &records), LDP_OK);
    free(values);
    return records;
}

/* Requested marginals of k attributes each, all of them, and the shares of users. */
struct plan {
    struct ldp_pool pool;
    struct ldp_records *records;
    struct ldp_oracle_spec oracle;
    struct ldp_set set[SUBSETS];
    size_t first[SUBSETS + 1];
    struct ldp_workload workload;
    struct shares shares;
};

static void open_plan(struct plan *plan, const char *oracle, size_t k)
{
    size_t m = 0;
    *plan = (struct plan){.records = make_chain(), .oracle = {.oracle = ldp_oracle_find(oracle)}};
    ldp_params_default(plan->oracle.oracle->params, plan->oracle.param);
    for (uint64_t mask = 1; mask < SUBSETS; mask++)
        if ((size_t)__builtin_popcountll(mask) == k) {
            plan->set[m] = ldp_set_of_mask(mask);
            plan->first[m + 1] = plan->first[m] + (size_t)ldp_set_cells(&plan->set[m], cardinality);
            m++;
        }
    plan->workload =
        (struct ldp_workload){plan->records, &plan->oracle, EPSILON, LDP_COUNTS, plan->set, m, plan->first, NULL};
    cr_assert_eq(ldp_shares_init(&plan->shares, &plan->pool, &plan->workload), LDP_OK);
}

static void close_plan(struct plan *plan)
{
    ldp_pool_clear(&plan->pool);
    ldp_records_free(plan->records);
}

static size_t size_of(uint64_t mask)
{
    size_t size = 1;
    for (; mask; mask &= mask - 1)
        size *= cardinality[__builtin_ctzll(mask)] - 1;
    return size;
}

static double cells_of(uint64_t mask)
{
    double cells = 1;
    for (; mask; mask &= mask - 1)
        cells *= cardinality[__builtin_ctzll(mask)];
    return cells;
}

/* n times the variance of a coefficient of a table asked with grr (facts: plans.md, sec. 1). */
static double tau_of_grr(double cells)
{
    const double e = exp(EPSILON), tau = (e + cells - 1) / (e - 1);
    return tau * tau;
}

/* One coefficient that is 0 three times in four, else normal with mean square 0.8, seen with precision 5 by users
 * chosen out of those of the records, whose noise is 1 / 5 - 1 / USERS: the variance of its posterior where it is not
 * 0. */
Test(plan, error_of_what_may_be_absent)
{
    struct plan plan;
    open_plan(&plan, "grr", 2);
    const size_t block = ldp_closure_find(&plan.shares.closure, 5); /* of two binary attributes */
    plan.shares.energy[block] = 0.2;
    plan.shares.presence[block] = 0.25;
    plan.shares.precision[block] = 5;
    const double noise = 1. / 5 - 1. / USERS;
    cr_expect_float_eq(ldp_shares_block_error(&plan.shares, block), 0.25 * noise * 0.8 / (noise + 0.8), 1e-12);
    plan.shares.precision[block] = 0;
    cr_expect_float_eq(ldp_shares_block_error(&plan.shares, block), 0.2, 1e-12, "unseen: all of its energy");
    close_plan(&plan);
}

/* Of four values: three numbers for many users, one for few; 492 users would give the precision 492 / 11.07 = 44.4, and
 * 0.15 sqrt(4 44.4) = 2. */
Test(plan, single_attributes_count_as_fewer_numbers)
{
    struct plan plan;
    open_plan(&plan, "grr", 2);
    const size_t single = ldp_closure_find(&plan.shares.closure, 8), pair = ldp_closure_find(&plan.shares.closure, 10);
    const struct {
        double users, size;
    } of[] = {{20000, 3}, {492, 2}, {20, 1}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ldp_shares_size(&plan.shares, of[i].users);
        cr_expect_float_eq(plan.shares.size[single], of[i].size, 2e-3, "%g users", of[i].users);
        cr_expect_float_eq(plan.shares.size[pair], 2 * 3, 1e-12, "pairs count all");
    }
    close_plan(&plan);
}

/* Attributes whose users fill 2/3 of their values: a question counts as much of its noise, but beyond two attributes,
 * which requested marginals have, no more than they do; of parities, all. Why: four binary attributes, each 1 for one
 * user in thirty, fill 3.4 of 16 cells, and as noise is removed where cells would be negative that of about so many
 * stays.
 */
Test(plan, noise_of_questions_about_rare_values)
{
    enum { CELLS = 16, DRAWS = 2000 };
    struct plan plan;
    open_plan(&plan, "grr", 2);
    plan.shares.filled[0] = plan.shares.filled[2] = plan.shares.filled[4] = 2. / 3;
    const struct digits two = {2, {1, 4}}, three = {3, {1, 4, 16}}, parity = {2, {1, 4 | 16}};
    cr_expect_float_eq(ldp_shares_question_noise(&plan.shares, &two), 4. / 9 * (tau_of_grr(4) - 1), 1e-9);
    cr_expect_float_eq(ldp_shares_question_noise(&plan.shares, &three), 4. / 9 * (tau_of_grr(8) - 1), 1e-9);
    cr_expect_float_eq(ldp_shares_question_noise(&plan.shares, &parity), 2. / 3 * (tau_of_grr(4) - 1), 1e-9);
    close_plan(&plan);

    struct ldp_rng rng = make_stream(6, "plan", 0);
    double x[CELLS], z[CELLS], p[CELLS], sum = 0, filled = 0;
    const double sigma = 0.1;
    void *const scratch = malloc(ldp_numbers_bytes(CELLS));
    for (int c = 0; c < CELLS; c++) {
        const int ones = __builtin_popcount((unsigned)c);
        p[c] = pow(1. / 30, ones) * pow(29. / 30, 4 - ones);
        filled += sqrt(p[c]);
    }
    for (int draw = 0; draw < DRAWS; draw++) {
        for (int c = 0; c < CELLS; c++)
            x[c] = p[c] + sigma * statistics_normal(&rng);
        ldp_simplex_project(x, CELLS, scratch, z);
        for (int c = 0; c < CELLS; c++)
            sum += (z[c] - p[c]) * (z[c] - p[c]) / DRAWS;
    }
    cr_expect_float_eq(filled * filled, 3.41, 0.005);
    cr_expect_float_eq(sum / (sigma * sigma), 2.97, 0.15, "by other code; 4 standard errors");
    free(scratch);
}

/* Why they do: 1,000 cells with noise sigma, of which 25 hold everything. Made non-negative, their squared error is of
 * the order of sigma, not of 1,000 sigma^2. */
Test(plan, noise_that_non_negativity_removes)
{
    enum { CELLS = 1000, HEAVY = 25, DRAWS = 20 };
    double *const x = malloc(CELLS * sizeof *x), *const z = malloc(CELLS * sizeof *z), sum = 0;
    void *const scratch = malloc(ldp_numbers_bytes(CELLS));
    struct ldp_rng rng = make_stream(5, "plan", 0);
    const double sigma = 0.02;
    for (int draw = 0; draw < DRAWS; draw++) {
        for (size_t c = 0; c < CELLS; c++)
            x[c] = (c < HEAVY ? 1. / HEAVY : 0) + sigma * statistics_normal(&rng);
        ldp_simplex_project(x, CELLS, scratch, z);
        for (size_t c = 0; c < CELLS; c++)
            sum += (z[c] - (c < HEAVY ? 1. / HEAVY : 0)) * (z[c] - (c < HEAVY ? 1. / HEAVY : 0)) / DRAWS;
    }
    cr_expect_lt(sum, 2 * sigma, "%g", sum);
    cr_expect_gt(sum, 0.2 * sigma, "%g", sum);
    free(x);
    free(z);
    free(scratch);
}

/* Single attributes of which nothing is known beforehand: shares in the proportion of sqrt(c v tau). */
Test(plan, shares_of_single_attributes)
{
    struct plan plan;
    double weight[D], sum = 0;
    const struct uneven even = {.sampling = {1, 1, 1, 1, 1}, .filled = {1, 1, 1, 1, 1}};

    open_plan(&plan, "grr", 1);
    ldp_shares_weigh(&plan.shares, &even);
    for (size_t b = 0; b < plan.shares.closure.nblocks; b++)
        plan.shares.energy[b] = 1e15;
    cr_assert_eq(ldp_shares_solve(&plan.shares, USERS, 100), LDP_OK);
    for (size_t a = 0; a < D; a++) { /* c = 1 / (5 L) of five marginals */
        const double c = cardinality[a];
        sum += weight[a] = sqrt(1 / (5 * c) * (c - 1) * tau_of_grr(c));
    }
    double error = 0;
    for (size_t a = 0; a < D; a++) /* users of one attribute are chosen out of those of the records */
        error += 1 / (5. * cardinality[a]) * (cardinality[a] - 1) * (tau_of_grr(cardinality[a]) * sum / weight[a] - 1) /
                 USERS;
    cr_expect_leq(plan.shares.gap, 1e-3);
    cr_expect_leq(ldp_shares_error(&plan.shares), error * (1 + plan.shares.gap));
    cr_expect_geq(ldp_shares_error(&plan.shares), error * (1 - 1e-12));
    double all = 0;
    for (size_t q = 0; q < plan.shares.nquestions; q++) {
        const struct question *const question = &plan.shares.question[q];
        all += question->share;
        cr_expect_eq(__builtin_popcountll(ldp_digits_attributes(&question->digits)), 1,
                     "tables of pairs tell less of each attribute");
        cr_expect_float_eq(question->share, weight[__builtin_ctzll(question->digits.mask[0])] / sum, 0.03);
        cr_expect_float_eq(question->noise + 1, tau_of_grr(cardinality[__builtin_ctzll(question->digits.mask[0])]),
                           1e-9);
    }
    cr_expect_float_eq(all, 1, 1e-12);
    uint64_t users[100], given = 0;
    ldp_shares_users(&plan.shares, USERS, users);
    for (size_t q = 0; q < plan.shares.nquestions; q++) {
        given += users[q];
        cr_expect_float_eq((double)users[q], plan.shares.question[q].share * USERS, 1.001);
    }
    cr_expect_eq(given, USERS);
    close_plan(&plan);
}

/* A question: its cells, and a bit for each block that it shows. */
struct other {
    uint32_t shown;
    double cells;
};

/* All sums of some digits, each once; digits: subsets of the attributes. */
static struct other question_of(const uint64_t *digits, size_t count)
{
    struct other other = {.cells = 1};
    for (uint64_t chosen = 0; chosen < UINT64_C(1) << count; chosen++) {
        uint64_t mask = 0;
        for (size_t i = 0; i < count; i++)
            mask ^= chosen >> i & 1 ? digits[i] : 0;
        other.shown |= UINT32_C(1) << mask;
    }
    for (uint64_t mask = 0; mask < SUBSETS; mask++) /* as many cells as coefficients, the total among them */
        other.cells += mask && other.shown >> mask & 1 ? (double)size_of(mask) : 0;
    return other;
}

/* All questions: the sums of up to three of the binary attributes 0, 2 and 4 as digits, beside any of the others. */
static size_t list_questions(struct other *question)
{
    size_t count = 0;
    for (uint64_t choice = 0; choice < 4 * 512; choice++) {
        uint64_t digits[5];
        for (size_t i = 0; i < 3; i++) {
            const uint64_t bits = choice >> (3 * i) & 7;
            digits[i] = (bits & 1) | (bits & 2) << 1 | (bits & 4) << 2;
        }
        digits[3] = choice >> 9 & 1 ? 2 : 0;
        digits[4] = choice >> 10 & 1 ? 8 : 0;
        const struct other other = question_of(digits, 5);
        bool is_known = other.shown == 1;
        for (size_t q = 0; q < count; q++)
            is_known |= question[q].shown == other.shown;
        if (!is_known)
            question[count++] = other;
    }
    return count;
}

/* F(w) over all questions, with the weights of an independent solver: exponentiated gradient,
 * for convex functions on the simplex. Nothing of shares.c is used but the numbers that it was given. */
struct problem {
    struct other question[QUESTIONS];
    double c[SUBSETS], phi[SUBSETS], known[SUBSETS];
};

static double error_at(const struct problem *problem, const double *w, double *slope)
{
    double sum = 0;
    for (size_t q = 0; slope && q < QUESTIONS; q++)
        slope[q] = 0;
    for (uint64_t s = 1; s < SUBSETS; s++) {
        const double v = (double)size_of(s);
        double precision = problem->known[s];
        if (!(problem->phi[s] > 0))
            continue;
        for (size_t q = 0; q < QUESTIONS; q++)
            precision +=
                problem->question[q].shown >> s & 1 ? USERS / tau_of_grr(problem->question[q].cells) * w[q] : 0;
        /* phi e / (phi + e), e = v / P - v / USERS */
        const double phi = problem->phi[s], e = precision > 0 ? v / precision - v / USERS : INFINITY,
                     falls = precision > 0 ? v * phi * phi / ((phi + e) * (phi + e) * precision * precision)
                                           : phi * phi / v;
        sum += problem->c[s] * (precision > 0 ? phi * e / (phi + e) : phi);
        for (size_t q = 0; slope && q < QUESTIONS; q++)
            if (problem->question[q].shown >> s & 1)
                slope[q] += USERS / tau_of_grr(problem->question[q].cells) * problem->c[s] * falls;
    }
    return sum;
}

/* The least error; `below`: a bound that convexity gives at the end. */
static double least_error(const struct problem *problem, double *below)
{
    double w[QUESTIONS] = {0}, slope[QUESTIONS], error = 0;
    for (size_t q = 0; q < QUESTIONS; q++)
        w[q] = 1. / QUESTIONS;
    for (int round = 0; round < 20000; round++) {
        double mean = 0, most = 0, sum = 0;
        error = error_at(problem, w, slope);
        for (size_t q = 0; q < QUESTIONS; q++) {
            mean += w[q] * slope[q];
            most = fmax(most, slope[q]);
        }
        *below = error - (most - mean);
        if (most - mean < 1e-6 * error)
            break;
        for (size_t q = 0; q < QUESTIONS; q++)
            sum += w[q] *= exp(0.3 * fmin(slope[q] / mean - 1, 100));
        for (size_t q = 0; q < QUESTIONS; q++)
            w[q] /= sum;
    }
    return error;
}

/* Pairs and triples with energies from small to large, some of nothing, and with earlier answers: the expected error is
 * the one computed here, within the gap of the least of all mixtures of all questions. */
Test(plan, shares_of_any_tables)
{
    struct ldp_rng rng = make_stream(2, "plan", 1);
    for (int trial = 0; trial < 12; trial++) {
        struct plan plan;
        struct problem problem = {.c = {0}};
        double w[QUESTIONS] = {0}, t2[D], below;
        open_plan(&plan, "grr", 2 + (size_t)trial % 2);
        cr_assert_eq(list_questions(problem.question), QUESTIONS);
        for (size_t a = 0; a < D; a++)
            t2[a] = ldp_rng_uniform(&rng) * (cardinality[a] - 1);
        struct uneven uneven = {.square = {0}};
        for (size_t a = 0; a < D; a++) {
            uneven.square[a] = t2[a];
            uneven.sampling[a] = uneven.filled[a] = 1;
        }
        ldp_shares_weigh(&plan.shares, &uneven);
        for (size_t i = 0; i < plan.workload.nsets; i++) {
            const uint64_t requested = ldp_set_mask(&plan.set[i]);
            for (uint64_t s = requested; s; s = (s - 1) & requested) {
                double spread = 1;
                for (uint64_t rest = requested & ~s; rest; rest &= rest - 1)
                    spread *= 1 + t2[__builtin_ctzll(rest)];
                problem.c[s] += spread / cells_of(requested) / (double)plan.workload.nsets;
            }
        }
        for (size_t b = 0; b < plan.shares.closure.nblocks; b++) {
            const uint64_t mask = plan.shares.closure.mask[b];
            if (!mask)
                continue;
            cr_assert_float_eq(plan.shares.importance[b] / problem.c[mask], 1, 1e-12);
            problem.phi[mask] = plan.shares.energy[b] =
                ldp_rng_below(&rng, 8) == 0 ? 0 : (double)size_of(mask) * exp(-7 * ldp_rng_uniform(&rng));
            problem.known[mask] = plan.shares.known[b] = trial % 3 == 2 ? 500 * ldp_rng_uniform(&rng) : 0;
        }
        cr_assert_eq(ldp_shares_solve(&plan.shares, USERS, 100), LDP_OK);
        for (size_t q = 0; q < plan.shares.nquestions; q++) {
            const struct digits *const digits = &plan.shares.question[q].digits;
            const struct other own = question_of(digits->mask, digits->size);
            size_t place = 0;
            while (problem.question[place].shown != own.shown)
                place++;
            cr_expect_eq(problem.question[place].cells, ldp_digits_cells(digits, cardinality));
            w[place] += plan.shares.question[q].share;
        }
        const double found = ldp_shares_error(&plan.shares), least = least_error(&problem, &below);
        cr_expect_float_eq(found / error_at(&problem, w, NULL), 1, 1e-9, "trial %d", trial);
        cr_expect_leq(found, least * 1.002, "trial %d: %g, least %g", trial, found, least);
        cr_expect_geq(found, below, "trial %d: %g, the least is at least %g", trial, found, below);
        close_plan(&plan);
    }
}

/* Where all blocks are alike, all shares are. */
Test(plan, few_of_many_equal_questions)
{
    double error = INFINITY;
    for (size_t most = 1; most <= 12; most++) {
        struct plan plan;
        open_plan(&plan, "grr", 2);
        for (size_t b = 0; b < plan.shares.closure.nblocks; b++)
            plan.shares.energy[b] = plan.shares.importance[b] > 0 ? (double)size_of(plan.shares.closure.mask[b]) : 0;
        cr_assert_eq(ldp_shares_solve(&plan.shares, USERS, most), LDP_OK);
        cr_expect(plan.shares.nquestions > 0 && plan.shares.nquestions <= most, "%zu of %zu", plan.shares.nquestions,
                  most);
        const double now = ldp_shares_error(&plan.shares);
        cr_expect_leq(now, error * (1 + 1e-6), "%zu questions: %g, one less %g", most, now, error);
        error = now;
        close_plan(&plan);
    }
}

/* n times the variance of a coefficient of a table, with choosing the users. */
static double tau_of(const char *oracle, double cells)
{
    const double p = 0.5, q = 1 / (exp(EPSILON) + 1), of_one = q * (1 - q) / ((p - q) * (p - q)),
                 of_held = p * (1 - p) / ((p - q) * (p - q));
    return strcmp(oracle, "grr") == 0 ? tau_of_grr(cells) : 1 + cells * of_one + of_held - of_one;
}

/* The expected sum of |t^_s - t_s|^2 over all blocks of the tables (facts: plans.md, sec. 1): v/P - |t|^2 sum_B
 * (n_B/tau_B)^2 / (P^2 n_B), and (v - |t|^2)/n less, as groups are drawn from n users without replacement. */
static double expected_error(const struct tables *tables, const char *oracle, const double *truth)
{
    const struct closure *const closure = &tables->closure;
    double sum = 0;
    for (size_t b = 1; b < closure->nblocks; b++) {
        const double v = (double)ldp_closure_size(closure, b), cells = cells_of(closure->mask[b]);
        double precision = 0, squares = 0, size = 0;
        for (size_t i = closure->offset[b]; i < closure->offset[b + 1]; i++)
            size += truth[i] * truth[i] * cells;
        for (size_t q = 0; q < tables->m; q++) {
            const uint64_t block = closure->mask[b];
            const double own =
                (double)tables->users[q] / tau_of(oracle, ldp_digits_cells(&tables->digits[q], cardinality));
            if (question_of(tables->digits[q].mask, tables->digits[q].size).shown >> block & 1) {
                precision += own;
                squares += own * own / (double)tables->users[q];
            }
        }
        if (precision > 0) /* else its estimate is 0, and so is the coefficient of what is asked */
            sum += v / precision - size * squares / (precision * precision) - (v - size) / USERS;
    }
    return sum;
}

/* The error of tables that are collected by a plan's shares is the one that the shares are chosen by. */
Test(plan, errors_are_those_of_collections)
{
    enum { DRAWS = 1000, MORE = 4, ASKED_MORE = 3000 };
    /* A parity of two, of three, the even subsets of three, and those beside an attribute of three values. */
    static const uint64_t more[MORE][3] = {{5}, {21}, {20, 5}, {5, 2, 17}};
    static const char *const oracles[] = {"grr", "oue"};
    for (size_t o = 0; o < 2; o++) {
        struct plan plan;
        struct ldp_pool pool = {.last = NULL};
        struct groups groups;
        struct tables tables = {0};
        struct ldp_reason reason;
        const struct ldp_method_spec method = {.method = ldp_method_find("base")};
        uint64_t users[100];
        struct asked asked[100];
        open_plan(&plan, oracles[o], 2);
        ldp_shares_weigh(&plan.shares, &(struct uneven){.sampling = {1, 1, 1, 1, 1}, .filled = {1, 1, 1, 1, 1}});
        for (size_t b = 0; b < plan.shares.closure.nblocks; b++)
            plan.shares.energy[b] = 1;
        cr_assert_eq(ldp_shares_solve(&plan.shares, USERS, 100), LDP_OK);
        size_t m = 0;
        ldp_shares_users(&plan.shares, USERS - MORE * ASKED_MORE, users);
        for (size_t q = 0; q < plan.shares.nquestions; q++)
            if (users[q] > 0)
                asked[m++] = (struct asked){plan.shares.question[q].digits, users[q]};
        for (size_t q = 0; q < MORE; q++, m++) {
            asked[m] = (struct asked){.users = ASKED_MORE};
            for (size_t i = 0; i < 3; i++)
                ldp_digits_add(&asked[m].digits, more[q][i]);
        }
        cr_assert_eq(ldp_tables_init(&tables, &pool, &plan.workload, asked, m, &method, &reason), LDP_OK);
        cr_assert_eq(ldp_groups_init(&groups, &pool, plan.records, m), LDP_OK);
        const size_t ncoefs = tables.closure.ncoefs;
        double *const x = malloc(tables.first[m] * sizeof *x), *const got = malloc(ncoefs * sizeof *got),
                      *const truth = malloc(ncoefs * sizeof *truth);
        ldp_tables_exact(&tables, x);
        ldp_tables_agree(&tables, x, truth);
        struct ldp_rng rng = make_stream(statistics_seed(41), "plan", o);
        double sum = 0, squares = 0;
        for (int r = 0; r < DRAWS; r++) {
            double error = 0;
            ldp_groups_gather(&groups);
            ldp_tables_collect(&tables, 0, m, &groups, &rng, x, NULL);
            ldp_tables_agree(&tables, x, got);
            for (size_t b = 1; b < tables.closure.nblocks; b++)
                for (size_t i = tables.closure.offset[b]; i < tables.closure.offset[b + 1]; i++)
                    error += (got[i] - truth[i]) * (got[i] - truth[i]) * cells_of(tables.closure.mask[b]);
            sum += error / DRAWS;
            squares += error * error / DRAWS;
        }
        const double z = (sum - expected_error(&tables, oracles[o], truth)) / sqrt((squares - sum * sum) / DRAWS);
        cr_expect_lt(fabs(z), statistics_z_bound(2), "%s: %g, z = %g", oracles[o], sum, z);
        free(x);
        free(got);
        free(truth);
        ldp_pool_clear(&pool);
        close_plan(&plan);
    }
}

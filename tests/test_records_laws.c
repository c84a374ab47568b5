/* test_records_laws.c - laws of records: their moments against theory, by z scores. */
#include "dataset.h"
#include "program.h"
#include "records.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { CLASSES, TREE, XOR };

static struct dataset *network(int shape, double strength, double skew, size_t d, uint64_t n, uint64_t seed,
                               double classes, double uneven)
{
    struct dataset_request request = {.type = dataset_type_find("network"),
                                      .param = {strength, skew, 2, shape, classes, uneven},
                                      .d = d,
                                      .n = n,
                                      .seed = seed};
    struct dataset *dataset = NULL;
    struct failure failure = {.text = ""};
    cr_assert_eq(dataset_new(&request, &dataset, &failure), 0, "%s", failure.text);
    return dataset;
}

static double mean_of(const struct ldp_records *records, size_t attribute)
{
    double sum = 0;
    for (size_t r = 0; r < records->rows; r++)
        sum += (double)records->counts[r] * ldp_records_value(records, r, attribute);
    return sum / (double)records->n;
}

/* The mean of the product of +1 (value 0) and -1 over up to three attributes. */
static double moment(const struct ldp_records *records, size_t i, size_t j, size_t k)
{
    double sum = 0;
    for (size_t r = 0; r < records->rows; r++) {
        const uint32_t odd = (ldp_records_value(records, r, i) + ldp_records_value(records, r, j) +
                              (k < records->d ? ldp_records_value(records, r, k) : 0)) %
                             2;
        sum += (odd ? -1.0 : 1.0) * (double)records->counts[r];
    }
    return sum / (double)records->n;
}

/* z score of a mean of n numbers of +1 and -1 that is expected to be `mean`. */
static double z_score(double measured, double mean, double n)
{
    return (measured - mean) / sqrt((1 - mean * mean) / n);
}

/* Of xor's triples the third attribute is that of the other two or fair: pairs and other triples are independent. */
Test(records_laws, xor_shows_in_its_triples_alone)
{
    const double strength = 0.3, n = 40000;
    struct dataset *const dataset = network(XOR, strength, 0, 8, (uint64_t)n, 5, 4, 0);
    const struct ldp_records *const records = dataset->records->records;
    cr_expect_eq(records->n, 40000);
    for (size_t i = 0; i < 8; i++)
        for (size_t j = i + 1; j < 8; j++)
            for (size_t k = j + 1; k <= 8; k++) { /* k = 8: the pair */
                const double expected = i % 3 == 0 && j == i + 1 && k == i + 2 && k < 8 ? strength : 0,
                             z = z_score(moment(records, i, j, k), expected, n);
                cr_expect_lt(fabs(z), 4.3, "%zu %zu %zu: z = %g", i, j, k, z);
            }
    dataset_free(dataset);
}

/* The parent is the earlier attribute of the largest correlation; that of any pair is strength^(steps between them). */
Test(records_laws, trees_correlate_by_their_steps)
{
    const double strength = 0.6, n = 40000;
    size_t branches = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct dataset *const dataset = network(TREE, strength, 0, 9, (uint64_t)n, seed, 4, 0);
        const struct ldp_records *const records = dataset->records->records;
        size_t steps[9][9] = {{0}};
        for (size_t i = 1; i < 9; i++) {
            size_t parent = 0;
            for (size_t j = 1; j < i; j++)
                if (moment(records, i, j, 9) > moment(records, i, parent, 9))
                    parent = j;
            branches += parent != i - 1;
            for (size_t j = 0; j < i; j++)
                steps[i][j] = steps[j][i] = steps[parent][j] + 1;
        }
        for (size_t i = 0; i < 9; i++)
            for (size_t j = 0; j < i; j++) {
                const double expected = pow(strength, (double)steps[i][j]),
                             z = z_score(moment(records, i, j, 9), expected, n);
                cr_expect_lt(fabs(z), 4.3, "seed %llu, %zu %zu: z = %g", (unsigned long long)seed, i, j, z);
            }
        dataset_free(dataset);
    }
    cr_expect_gt(branches, 10);
}

/* Binary attributes at skew 0: a class' probability is uniform, of variance 1/12, so over laws the square of the
 * covariance of two attributes is expected to be strength^4 (c - 1) / c^2 / 144, and that of one with itself
 * strength^2 (c - 1) / c / 12 beside the mean's. */
Test(records_laws, classes_have_the_covariances_of_uniform_laws)
{
    enum { LAWS = 300, D = 8, N = 20000 };
    const double rows[][2] = {{1, 3}, {0.7, 2}, {1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double strength = rows[i][0], c = rows[i][1];
        double sum = 0, squares = 0;
        for (uint64_t seed = 0; seed < LAWS; seed++) {
            struct dataset *const dataset = network(CLASSES, strength, 0, D, N, seed, c, 0);
            const struct ldp_records *const records = dataset->records->records;
            double mean = 0;
            for (size_t a = 0; a < D; a += 2) {
                const double p = mean_of(records, a), q = mean_of(records, a + 1),
                             both = (moment(records, a, a + 1, D) - (1 - 2 * p) * (1 - 2 * q)) / 4,
                             noise = p * (1 - p) * q * (1 - q) / N; /* of the sample, less what dependence adds */
                mean += (both * both - noise) / (D / 2);
            }
            sum += mean;
            squares += mean * mean;
            dataset_free(dataset);
        }
        const double expected = pow(strength, 4) * (c - 1) / (c * c) / 144, mean = sum / LAWS,
                     z = (mean - expected) / sqrt((squares / LAWS - mean * mean) / LAWS);
        cr_expect_lt(fabs(z), 3.5, "strength %g, %g classes: %g for %g, z = %g", strength, c, mean, expected, z);
    }
}

/* Two classes of even or random frequency: the covariances are a matrix of rank 1, so tetrads vanish. */
Test(records_laws, two_classes_have_covariances_of_rank_one)
{
    for (int uneven = 0; uneven <= 1; uneven++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            enum { D = 4 };
            const double n = 400000;
            struct dataset *const dataset = network(CLASSES, 1, 0, D, (uint64_t)n, seed, 2, uneven);
            const struct ldp_records *const records = dataset->records->records;
            double cov[D][D], p[D];
            for (size_t i = 0; i < D; i++)
                p[i] = mean_of(records, i);
            for (size_t i = 0; i < D; i++)
                for (size_t j = 0; j < D; j++)
                    cov[i][j] = (moment(records, i, j, D) - (1 - 2 * p[i]) * (1 - 2 * p[j])) / 4;
            /* A covariance's variance is at most 1/16/n, as |(x - p)(y - q)| <= 1 and of mean square <= 1/16 + cov^2.
             */
            const double s = 0.25 / sqrt(n), tetrad = cov[0][1] * cov[2][3] - cov[0][2] * cov[1][3],
                         spread = 1.5 * s *
                                  sqrt(cov[0][1] * cov[0][1] + cov[2][3] * cov[2][3] + cov[0][2] * cov[0][2] +
                                       cov[1][3] * cov[1][3] + s * s);
            cr_expect_lt(fabs(tetrad), 4 * spread, "uneven %d, seed %llu: %g, %g", uneven, (unsigned long long)seed,
                         tetrad, spread);
            dataset_free(dataset);
        }
}

/* Users of any number have one law; the data seed decides it, and the users. */
Test(records_laws, of_a_seed_are_one_for_any_number_of_users)
{
    struct dataset *const small = network(CLASSES, 1, 0, 6, 50000, 3, 4, 1),
                          *const large = network(CLASSES, 1, 0, 6, 200000, 3, 4, 1),
                          *const again = network(CLASSES, 1, 0, 6, 50000, 3, 4, 1),
                          *const other = network(CLASSES, 1, 0, 6, 50000, 4, 4, 1);
    double most = 0;
    for (size_t i = 0; i < 6; i++) {
        const double a = mean_of(small->records->records, i), b = mean_of(large->records->records, i),
                     spread = sqrt(b * (1 - b) * (1 / 50000.0 + 1 / 200000.0));
        cr_expect_lt(fabs(a - b), 4 * spread, "%zu: %g, %g", i, a, b);
        most = fmax(most, fabs(a - mean_of(other->records->records, i)) / spread);
    }
    cr_expect_gt(most, 10);
    cr_expect_str_eq(small->key, again->key);
    cr_expect_str_neq(small->key, other->key);
    dataset_free(small);
    dataset_free(large);
    dataset_free(again);
    dataset_free(other);
}

/* Skew makes values rare: a binary attribute at 8 has the value 1 with 1 in 257 users, within classes and without. */
Test(records_laws, skew_makes_values_rare)
{
    const double n = 200000, p = 1 / 257.0;
    struct dataset *const dataset = network(TREE, 0, 8, 4, (uint64_t)n, 1, 4, 0);
    for (size_t i = 0; i < 4; i++) {
        const double z = (mean_of(dataset->records->records, i) - p) / sqrt(p * (1 - p) / n);
        cr_expect_lt(fabs(z), 3.5, "%zu: z = %g", i, z);
    }
    dataset_free(dataset);
}

/* An attribute may have a skew of its own. */
Test(records_laws, one_of_several_attributes_is_rare)
{
    const double n = 40000, rare = pow(2, -8) / (1 + pow(2, -8)), means[] = {1, rare, 1, rare};
    struct dataset *dataset = NULL;
    struct failure failure = {.text = ""};
    struct dataset_request request = {.type = dataset_type_find("chain"), .text = "3 2:8", .d = 4, .n = 40000};
    cr_assert_eq(dataset_new(&request, &dataset, &failure), 0, "%s", failure.text);
    for (size_t a = 0; a < 4; a++) {
        const double sd = a % 2 ? sqrt(rare * (1 - rare)) : sqrt(2. / 3),
                     z = (mean_of(dataset->records->records, a) - means[a]) / (sd / sqrt(n));
        cr_expect_lt(fabs(z), 4, "%zu: z = %g", a, z);
    }
    dataset_free(dataset);
    struct ldp_reason reason;
    cr_expect_eq(request.type->check(request.param, "3 2:", &reason), LDP_EINVAL);
    cr_expect_eq(request.type->check(request.param, "3 2:-1", &reason), LDP_EINVAL);
}

Test(records_laws, refuse_what_they_cannot_hold)
{
    struct dataset_request request = {
        .type = dataset_type_find("network"), .param = {1, 0, 65536, CLASSES, 1024, 0}, .d = 2, .n = 10};
    struct dataset *dataset;
    struct failure failure = {.text = ""};
    cr_expect_eq(dataset_new(&request, &dataset, &failure), -1);
    cr_expect_str_eq(failure.text,
                     "network: expected at most 2^26 values of attributes times classes, got 131072 values, "
                     "1024 classes");
    request.d = 65;
    cr_expect_eq(dataset_new(&request, &dataset, &failure), -1);
    cr_expect_str_eq(failure.text, "network: expected at most 64 attributes, got d = 65");
    request =
        (struct dataset_request){.type = request.type, .param = {1, 0, 2, TREE, 4, 0}, .d = 64, .n = UINT64_C(1) << 26};
    cr_expect_eq(dataset_new(&request, &dataset, &failure), -1);
    cr_expect_str_eq(failure.text, "network: expected at most 2^31 values of all users, got n = 67108864 of 64");
}

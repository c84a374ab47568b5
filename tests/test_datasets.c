/* test_datasets.c - laws, rounding, loaders, sets, finding files, the script that fetches. */
#include "dataset.h"
#include "lines.h"
#include "program.h"
#include "queries/sample.h"
#include "quick.h"
#include "real_data.h"
#include "setup.h"
#include "statistics.h"
#include "support/memory.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BAD "tests/bad/datasets/"

/* ---- Helpers ---- */

static struct dataset *make(const struct dataset_request *request)
{
    struct dataset *dataset = NULL;
    struct failure failure = {.text = ""};

    cr_assert_eq(dataset_new(request, &dataset, &failure), 0, "%s", failure.text);
    return dataset;
}

static struct dataset *law(const char *type, const double *param, size_t d, uint64_t n)
{
    struct dataset_request request = {.type = dataset_type_find(type), .d = d, .n = n};

    cr_assert_not_null(request.type);
    ldp_params_default(request.type->params, request.param);
    for (size_t i = 0; param && request.type->params && request.type->params[i].name; i++)
        request.param[i] = param[i];
    return make(&request);
}

static struct dataset *file(const char *type, const char *path)
{
    return make(&(struct dataset_request){.type = dataset_type_find(type), .path = path});
}

static void expect_counts(const struct dataset *dataset, const uint64_t *counts, size_t d)
{
    cr_assert_eq(dataset->population->d, d);
    for (size_t v = 0; v < d; v++)
        cr_expect_eq(dataset->population->counts[v], counts[v], "value %zu: %" PRIu64 ", expected %" PRIu64, v,
                     dataset->population->counts[v], counts[v]);
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *const out = fopen(path, "wb");

    cr_assert_not_null(out, "%s", path);
    cr_assert_eq(fwrite(bytes, 1, size, out), size);
    cr_assert_eq(fclose(out), 0);
}

static void write_gzip(const char *path, const char *text)
{
    gzFile out = gzopen(path, "wb");

    cr_assert_not_null(out);
    cr_assert_eq(gzwrite(out, text, (unsigned)strlen(text)), (int)strlen(text));
    cr_assert_eq(gzclose(out), Z_OK);
}

static size_t read_file(const char *path, char *bytes, size_t capacity)
{
    FILE *const in = fopen(path, "rb");

    cr_assert_not_null(in, "%s", path);
    const size_t size = fread(bytes, 1, capacity, in);
    fclose(in);
    return size;
}

/* Makes the test's folder the working folder. */
static void enter(const char *folder)
{
    cr_assert_eq(chdir(folder), 0);
}

/* A text in memory as a file of a type. */
static int parse_text(const char *type, const char *text, size_t size, struct dataset_table *table,
                      struct failure *failure)
{
    struct lines lines;

    lines_of_text(&lines, "x", text, size, 65536);
    return dataset_type_find(type)->parse(&lines, &(struct dataset_request){0}, table, failure);
}

static int parse_sets(const char *text, const struct dataset *dataset, struct dataset_sets **sets,
                      struct failure *failure)
{
    struct lines lines;

    lines_of_text(&lines, "x", text, strlen(text), 65536);
    return dataset_sets_parse(&lines, dataset, sets, failure);
}

/* ---- Rounding ---- */

/* Apportionment by Hamilton's method, the standard example of the Alabama paradox. */
Test(datasets, rounding_is_by_largest_remainder)
{
    const double weight[] = {6, 6, 2};
    uint64_t counts[3];

    dataset_round(weight, 3, 10, counts);
    cr_expect(counts[0] == 4 && counts[1] == 4 && counts[2] == 2);
    dataset_round(weight, 3, 11, counts);
    cr_expect(counts[0] == 5 && counts[1] == 5 && counts[2] == 1);
}

Test(datasets, rounding_gives_ties_to_the_smaller_index)
{
    const double weight[] = {0, 1, 1, 0, 1};
    uint64_t counts[5];

    dataset_round(weight, 5, 5, counts);
    cr_expect(counts[0] == 0 && counts[1] == 2 && counts[2] == 2 && counts[3] == 0 && counts[4] == 1);
}

/* Whole quotas must come out as they are: in floating point, n w / W is often a hair below the whole number. */
Test(datasets, rounding_keeps_whole_quotas)
{
    enum { D = 1000 };
    double weight[D];
    uint64_t total = 0;

    for (size_t v = 0; v < D; v++) {
        weight[v] = (double)(3 * v * v + 7 * v + 1);
        total += 3 * v * v + 7 * v + 1;
    }
    for (uint64_t times = 1; times <= 1000003; times = 3 * times + 1) {
        uint64_t counts[D];
        dataset_round(weight, D, times * total, counts);
        for (size_t v = 0; v < D; v++)
            cr_assert_eq(counts[v], times * (3 * v * v + 7 * v + 1), "times %" PRIu64 ", value %zu", times, v);
    }
}

Test(datasets, rounding_sums_to_n_and_is_within_one)
{
    enum { D = 4096 };
    static const uint64_t ns[] = {1, 2, 4095, 4096, 999983, 1000000000000, (uint64_t)1 << 53};
    static const double exponents[] = {-30, -1.5, -1, -0.3, 0, 2};
    static double weight[D];
    static uint64_t counts[D];

    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (size_t j = 0; j < sizeof exponents / sizeof *exponents; j++) {
            long double total = 0;

            for (size_t v = 0; v < D; v++)
                total += weight[v] = 1e-200 * pow((double)(v + 1), exponents[j]);
            dataset_round(weight, D, ns[i], counts);
            uint64_t sum = 0;
            for (size_t v = 0; v < D; v++) {
                const long double quota = (long double)ns[i] * weight[v] / total;

                sum += counts[v];
                /* The slack is the error of the long double quota. */
                cr_assert(fabsl((long double)counts[v] - quota) < 1 + quota * 1e-15L, "n %" PRIu64 ", value %zu", ns[i],
                          v);
            }
            cr_assert_eq(sum, ns[i]);
        }
}

Test(datasets, rounding_of_one_weight)
{
    const double weight[] = {0, 0x1p-1074, 0};
    uint64_t counts[3];

    dataset_round(weight, 3, 12345, counts);
    cr_expect(counts[0] == 0 && counts[1] == 12345 && counts[2] == 0);
}

/* ---- Laws ---- */

/* By hand: 60 users over weights 1, 1/2, 1/3, 1/4 (of 25/12) are 28.8, 14.4, 9.6, 7.2. */
Test(datasets, zipf_by_hand)
{
    struct dataset *const dataset = law("zipf", (const double[]){1}, 4, 60);

    expect_counts(dataset, (const uint64_t[]){29, 14, 10, 7}, 4);
    cr_expect_str_eq(dataset->name, "zipf(s=1)");
    cr_expect_str_eq(dataset->key, "zipf(s=1)|d=4|n=60|expected");
    cr_expect_null(dataset->labels);
    dataset_free(dataset);
}

/* Known of the paper's data: the largest frequency is 0.392 and the squares sum to 0.185. */
Test(datasets, zipf_of_the_paper)
{
    struct dataset *const dataset = law("zipf", (const double[]){1.5}, 1024, 1000000);
    double squares = 0;

    for (size_t v = 0; v < 1024; v++)
        squares += dataset->population->f[v] * dataset->population->f[v];
    cr_expect_float_eq(dataset->population->f[0], 0.392, 5e-4);
    cr_expect_float_eq(squares, 0.185, 5e-4);
    cr_expect_str_eq(dataset->name, "zipf(s=1.5)");
    dataset_free(dataset);
}

Test(datasets, uniform_and_geometric_by_hand)
{
    struct dataset *dataset = law("uniform", NULL, 3, 11);

    expect_counts(dataset, (const uint64_t[]){4, 4, 3}, 3);
    cr_expect_str_eq(dataset->name, "uniform");
    dataset_free(dataset);
    dataset = law("geometric", (const double[]){0.5}, 3, 70);
    expect_counts(dataset, (const uint64_t[]){40, 20, 10}, 3);
    cr_expect_str_eq(dataset->name, "geometric(ratio=0.5)");
    dataset_free(dataset);
}

/* By hand: (r + 1)^-1 is 1/2, 1/3, 1/4; with no cut-off 26 users are 12, 8, 6. A cut-off of ln 2 times d halves from
 * rank to rank: 1/2, 1/6, 1/16 of 35/48, and 70 users are 48, 16, 6. */
Test(datasets, zipf_mandelbrot_by_hand)
{
    struct dataset *dataset = law("zipf_mandelbrot", (const double[]){1, 1, 0}, 3, 26);

    expect_counts(dataset, (const uint64_t[]){12, 8, 6}, 3);
    cr_expect_str_eq(dataset->name, "zipf_mandelbrot(s=1 shift=1 cutoff=0)");
    dataset_free(dataset);
    dataset = law("zipf_mandelbrot", (const double[]){1, 1, 3 * 0.69314718055994530942}, 3, 70);
    expect_counts(dataset, (const uint64_t[]){48, 16, 6}, 3);
    dataset_free(dataset);
}

Test(datasets, laws_survive_extreme_parameters)
{
    static const struct {
        const char *type;
        double param[3];
    } cases[] = {{"zipf", {1e3}},
                 {"zipf", {0x1p-1022}},
                 {"geometric", {1e-300}},
                 {"geometric", {0x1.fffffffffffffp-1}},
                 {"zipf_mandelbrot", {1e3, -0x1.fffffffffffffp-1, 1e3}},
                 {"zipf_mandelbrot", {1e3, 1e15, 0}}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dataset *const dataset = law(cases[i].type, cases[i].param, 1000, 1000000);

        cr_expect_eq(dataset->population->n, 1000000);
        cr_expect(dataset->population->counts[0] >= dataset->population->counts[999]);
        dataset_free(dataset);
    }
}

/* The built-in model against the daily averages that it was fitted to. */
Test(datasets, emoji_model_fits_the_emoji_counts)
{
    char path[512];
    struct dataset *const real = file("counts", real_data("emoji.counts", path));
    struct dataset *const model = law("zipf_mandelbrot", NULL, real->population->d, (uint64_t)1 << 53);
    double divergence = 0;

    for (size_t r = 0; r < real->population->d; r++) {
        const double p = real->population->f[real->population->rank[r]];

        divergence += p * log(p / model->population->f[r]);
    }
    cr_expect_float_eq(divergence, 0.0096, 5e-5, "divergence %g", divergence);
    dataset_free(real);
    dataset_free(model);
}

Test(datasets, sampled_draw_is_multinomial_and_repeatable)
{
    struct dataset_request request = {.type = dataset_type_find("zipf"),
                                      .param = {1},
                                      .d = 5,
                                      .n = 100000,
                                      .sampled = true,
                                      .seed = statistics_seed(1)};
    struct dataset *const a = make(&request), *const b = make(&request);

    request.seed++;
    struct dataset *const c = make(&request);
    double probability[5];
    for (size_t v = 0; v < 5; v++)
        probability[v] = 60. / 137 / (double)(v + 1);
    cr_expect_gt(statistics_chi_square(a->population->counts, probability, 5), statistics_p_bound(1));
    cr_expect_eq(a->population->n, 100000);
    cr_expect_eq(memcmp(a->population->counts, b->population->counts, 5 * sizeof(uint64_t)), 0);
    cr_expect_neq(memcmp(a->population->counts, c->population->counts, 5 * sizeof(uint64_t)), 0);
    char key[128];
    snprintf(key, sizeof key, "zipf(s=1)|d=5|n=100000|sampled|seed=%" PRIu64, request.seed - 1);
    cr_expect_str_eq(a->key, key);
    cr_expect_str_eq(a->key, b->key);
    cr_expect_str_neq(a->key, c->key);
    dataset_free(a);
    dataset_free(b);
    dataset_free(c);
}

/* ---- Files ---- */

FolderTest(datasets, counts_file_in_its_own_order)
{
    enter(folder);
    write_text(".", "fruit.2024.counts",
               "\xef\xbb\xbf# fruit\r\n\r\nred apple\t5\r\n#1\t7\n\xc3\xa9t\xc3\xa9\t0\n \nfig\t3");
    struct dataset *const dataset = file("counts", "./fruit.2024.counts");
    expect_counts(dataset, (const uint64_t[]){5, 7, 0, 3}, 4);
    cr_expect_str_eq(dataset->labels[0], "red apple");
    cr_expect_str_eq(dataset->labels[1], "#1");
    cr_expect_str_eq(dataset->labels[2], "\xc3\xa9t\xc3\xa9");
    cr_expect_str_eq(dataset->labels[3], "fig");
    cr_expect_str_eq(dataset->note, "2 blank lines left out (the first is line 2)");
    cr_expect_str_eq(dataset->name, "fruit.2024");
    dataset_free(dataset);
}

FolderTest(datasets, counts_file_with_a_header)
{
    const struct dataset_request twice = {.type = dataset_type_find("counts"), .path = "./twice.counts"};

    enter(folder);
    write_text(".", "headed.counts", "# d=2\nvalue\tcount\nvalue\t5\nb\t3\n");
    write_text(".", "twice.counts", "value\tcount\na\t5\nvalue\tcount\n");
    struct dataset *dataset = file("counts", "./headed.counts");
    expect_counts(dataset, (const uint64_t[]){5, 3}, 2);
    cr_expect_str_eq(dataset->labels[0], "value");
    dataset_free(dataset);
    struct failure failure;
    cr_expect_neq(dataset_new(&twice, &dataset, &failure), 0);
    cr_expect_str_eq(failure.text, "./twice.counts:3: expected a whole count from 0 to 2^53, got \"count\"");
}

FolderTest(datasets, key_of_a_file_depends_on_its_counts_alone)
{
    enter(folder);
    write_text(".", "a.counts", "x\t5\ny\t6\n");
    write_gzip("b.counts.gz", "# moved\nz\t5\nx\t6\n");
    write_text(".", "c.counts", "x\t5\ny\t7\n");
    struct dataset *const a = file("counts", "a.counts");
    struct dataset *const b = file("counts", "b.counts.gz");
    struct dataset *const c = file("counts", "c.counts");
    cr_expect_str_eq(b->name, "b");
    cr_expect_str_eq(a->key, b->key);
    cr_expect_str_neq(a->key, c->key);
    dataset_free(a);
    dataset_free(b);
    dataset_free(c);
}

/* 28 to 10 users: 5/14, 7/14, 2/14 are 3.57, 5, 1.43. */
FolderTest(datasets, counts_scale_to_n)
{
    struct dataset_request request = {
        .type = dataset_type_find("counts"), .path = "a.counts", .n = 10, .label = "mine"};

    enter(folder);
    write_text(".", "a.counts", "x\t10\ny\t14\nz\t4\n");
    struct dataset *const scaled = make(&request);
    expect_counts(scaled, (const uint64_t[]){4, 5, 1}, 3);
    cr_expect_str_eq(scaled->name, "mine");
    request.sampled = true;
    request.n = 0;
    write_text(".", "a.counts", "x\t10000000\ny\t14000000\nz\t4000000\n");
    struct dataset *const sampled = make(&request);
    cr_expect_eq(sampled->population->n, 28000000);
    cr_expect_neq(sampled->population->counts[0], 10000000);
    write_text(".", "a.counts", "x\t10\ny\t14\nz\t4\n");
    request = (struct dataset_request){.type = request.type, .path = "a.counts"};
    struct dataset *const whole = make(&request);
    expect_counts(whole, (const uint64_t[]){10, 14, 4}, 3);
    cr_expect_str_neq(scaled->key, sampled->key);
    cr_expect_str_neq(scaled->key, whole->key);
    dataset_free(scaled);
    dataset_free(sampled);
    dataset_free(whole);
}

FolderTest(datasets, fimi_file_by_hand)
{
    enter(folder);
    write_gzip("baskets.dat.gz", "7 4294967295 7 \r\n\n\t0 10  7\n10");
    struct dataset *const dataset = file("fimi", "baskets.dat.gz");
    expect_counts(dataset, (const uint64_t[]){1, 3, 2, 1}, 4);
    cr_expect_str_eq(dataset->labels[0], "0");
    cr_expect_str_eq(dataset->labels[1], "7");
    cr_expect_str_eq(dataset->labels[2], "10");
    cr_expect_str_eq(dataset->labels[3], "4294967295");
    cr_expect_str_eq(dataset->name, "baskets");
    dataset_free(dataset);
}

/* Each transaction a user who draws one of two items, or of all: 1/3 + 1/2 + 1/4 hold 1, 2 or 3. */
FolderTest(datasets, one_item_of_each_transaction)
{
    char text[16 * 300] = "";

    enter(folder);
    for (int i = 0; i < 120; i++)
        strcat(text, "1 2 3\n1\n2 3\n1 2 3 4\n");
    write_file("baskets.dat", text, strlen(text));
    struct dataset *const dataset =
        make(&(struct dataset_request){.type = dataset_type_find("fimi"), .path = "baskets.dat", .param = {2}});
    const struct ldp_sampled_population *const sample = ldp_sample_of(dataset->population);
    expect_counts(dataset, (const uint64_t[]){130, 130, 130, 30, 60}, 5);
    cr_expect_str_eq(dataset->labels[4], "(none)");
    cr_expect_eq(sample->size, 2);
    cr_expect_eq(sample->truth[0], 360);
    cr_expect_float_eq(dataset->population->f[0], .75, 1e-15);
    cr_expect_eq(dataset->population->rank[3], 3); /* padding is the last */
    cr_expect_eq(dataset->population->rank[4], 4);
    cr_expect_not_null(strstr(dataset->note, "a sample of 2 leaves out 30 % of all items"), "%s", dataset->note);
    cr_expect_not_null(strstr(dataset->note, "too low by 0.21 at most (1)"), "%s", dataset->note);
    dataset_free(dataset);
    /* Without noise the error is what the sample leaves out: 100 of 480 users of three values, 60 of one. */
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"repetitions\": 2, \"datasets\": [{\"type\": \"fimi\", \"file\": \"baskets.dat\", "
               "\"sample\": [2, 4]}], \"oracles\": [\"exact\"], \"epsilon\": 1, \"methods\": [\"base\", \"norm_sub\"], "
               "\"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": [1]}, \"max_error\", "
               "{\"type\": \"intervals\", \"rank\": [1]}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    run_in(folder,
           "awk -F, '/sample=2/ && ($11 - 100 / 480) ^ 2 < 1e-24 { found++ } END { exit found != 2 }' r/max_error.csv");
    run_in(folder, "awk -F, 'NR > 1 && $11 != \"\" { exit 1 }' r/intervals.csv"); /* the law of reports is not theirs */
    char *const table = read_text(folder, "r/mse.csv");
    const double low = 100. / 480, one = 60. / 480, all = (3 * low * low + one * one) / 5;
    size_t found = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        const bool cut = strstr(line, "(sample=2)") != NULL, top = strstr(line, "top_k") != NULL;
        const char *const mse = strstr(line, ",2,");
        if (strncmp(line, "c,", 2) == 0 && mse) {
            cr_expect_float_eq(strtod(mse + 3, NULL), cut ? top ? low * low : all : 0, 1e-12, "%s", line);
            found++;
        }
    }
    free(table);
    cr_expect_eq(found, 8);
    run_in(folder,
           "sed 's/2, 4/0/' c.json >b.json; ldpbench run b.json 2>said; test $? = 2 && test $(wc -l <said) = 1 && "
           "grep -q 'expected an integer from 1' said");
}

/* The sample that a note recommends for an epsilon. */
static double recommended(const char *note, double epsilon)
{
    char words[32];
    double size = NAN;

    snprintf(words, sizeof words, " at epsilon %g", epsilon);
    const char *at = strstr(note, words);
    cr_assert_not_null(at, "%s", note);
    while (at > note && at[-1] >= '0' && at[-1] <= '9')
        at--;
    size = strtod(at, NULL);
    return size;
}

/* The most frequent items have at most 1.2 times the error of the best sample, by simulation. */
static void expect_good_samples(const char *folder, const char *path)
{
    static const double epsilon[] = {0.5, 1, 2, 4};
    const struct dataset_request request = {.type = dataset_type_find("fimi"), .path = path};
    struct dataset *const dataset = make(&request);
    char text[1000];
    double error[4][129] = {{0}};

    snprintf(
        text, sizeof text,
        "{\"name\": \"c\", \"repetitions\": 12, \"datasets\": [{\"type\": \"fimi\", \"file\": \"%s\", "
        "\"sample\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32]}], \"oracles\": [\"oue\"], "
        "\"epsilon\": [0.5, 1, 2, 4], \"methods\": [\"base\"], \"queries\": [{\"type\": \"top_k\", \"k\": [32]}]}",
        path);
    write_text(folder, "c.json", text);
    run_in(folder, "ldpbench run c.json -o r --quiet");
    char *const table = read_text(folder, "r/mse.csv");
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        const char *const sample = strstr(line, "sample=");
        double at, mse;
        if (sample && sscanf(strstr(line, ",oue,"), ",oue,%lf,base,top_k,32,12,%lf", &at, &mse) == 2)
            for (size_t i = 0; i < 4; i++)
                if (epsilon[i] == at)
                    error[i][(size_t)strtod(sample + 7, NULL)] = mse;
    }
    free(table);
    for (size_t i = 0; i < 4; i++) {
        const size_t size = (size_t)recommended(dataset->note, epsilon[i]);
        double least = INFINITY;
        for (size_t l = 1; l <= 128; l++)
            least = error[i][l] > 0 ? fmin(least, error[i][l]) : least;
        cr_expect(error[i][size] > 0 && error[i][size] < 1.2 * least, "%s, epsilon %g: %zu has %.3g, not %.3g", path,
                  epsilon[i], size, error[i][size], least);
    }
    dataset_free(dataset);
}

/* Transactions of geometric sizes, mean 8, whose items are of a Zipf law. */
FolderTest(datasets, sample_of_least_error)
{
    enum { USERS = 20000, ITEMS = 200 };
    struct ldp_rng rng = make_stream(7, "baskets", 0);
    struct buffer text = {0};
    double weight[ITEMS], all = 0;

    enter(folder);
    for (size_t v = 0; v < ITEMS; v++)
        all += weight[v] = 1 / (double)(v + 5);
    for (size_t u = 0; u < USERS; u++) {
        bool has[ITEMS] = {false};
        do {
            double at = ldp_rng_uniform(&rng) * all;
            size_t v = 0;
            while (v + 1 < ITEMS && at >= weight[v])
                at -= weight[v++];
            if (!has[v])
                buffer_format(&text, "%zu ", v);
            has[v] = true;
        } while (ldp_rng_uniform(&rng) < 7. / 8);
        buffer_add(&text, "\n");
    }
    write_file("baskets.dat", text.text, text.length);
    buffer_clear(&text);
    expect_good_samples(folder, "baskets.dat");
}

FolderTest(datasets, sample_of_least_error_of_retail)
{
    char path[REAL_DATA_ROOM];

    char *const whole = realpath(real_data("retail.dat.gz", path), NULL);
    enter(folder);
    expect_good_samples(folder, whole);
    free(whole);
}

/* Many items, so that the table grows: each once, the odd ones twice. */
Test(datasets, fimi_counts_many_items)
{
    enum { D = 100000 };
    char *const text = malloc(2 * D * 12);
    size_t used = 0;

    for (uint32_t i = 0; i < 2 * D; i++)
        if (i < D || i % 2 == 1)
            used += (size_t)sprintf(text + used, "%" PRIu32 "%c", (i % D) * 40503u, i % 100 == 99 ? '\n' : ' ');
    struct dataset_table table = {0};
    struct failure failure = {.text = ""};
    cr_assert_eq(parse_text("fimi", text, used, &table, &failure), 0, "%s", failure.text);
    cr_assert_eq(table.d, D);
    for (uint32_t i = 0; i < D; i++) {
        cr_assert_eq(table.counts[i], 1 + i % 2);
        cr_assert_eq(strtoull(table.labels[i], NULL, 10), (uint64_t)i * 40503u);
        free(table.labels[i]);
    }
    free(table.labels);
    free(table.counts);
    free(text);
}

static void expect_dataset(const char *type, const char *name, size_t d, uint64_t n, const uint64_t largest[5])
{
    char path[512];
    struct dataset *const dataset = file(type, real_data(name, path));

    cr_expect_eq(dataset->population->d, d);
    cr_expect_eq(dataset->population->n, n);
    for (size_t r = 0; r < 5; r++)
        cr_expect_eq(dataset->population->counts[dataset->population->rank[r]], largest[r]);
    dataset_free(dataset);
}

Test(datasets, kosarak)
{
    expect_dataset("counts", "kosarak.counts", 41270, 8019015,
                   (const uint64_t[]){601374, 450031, 364065, 197522, 88598});
}

Test(datasets, retail)
{
    expect_dataset("counts", "retail.counts", 16470, 908576, (const uint64_t[]){50675, 42135, 15596, 15167, 14945});
}

Test(datasets, emoji)
{
    expect_dataset("counts", "emoji.counts", 1572, 1123066, (const uint64_t[]){207537, 107229, 76471, 54451, 43996});
}

Test(datasets, retail_transactions_agree_with_its_counts)
{
    char path[512];
    struct dataset *const a = file("fimi", real_data("retail.dat.gz", path)), *const b = file(
                                                                                  "counts",
                                                                                  real_data("retail.counts", path));

    cr_assert_eq(a->population->d, b->population->d);
    for (size_t v = 0; v < a->population->d; v++)
        cr_assert_str_eq(a->labels[v], b->labels[v]);
    cr_expect_eq(memcmp(a->population->counts, b->population->counts, a->population->d * sizeof(uint64_t)), 0);
    cr_expect_str_eq(a->key, b->key);
    dataset_free(a);
    dataset_free(b);
}

/* ---- Bad files ---- */

static void expect_failure(const char *type, const char *path, const char *message)
{
    const struct dataset_request request = {.type = dataset_type_find(type), .path = path};
    struct dataset *dataset = NULL;
    struct failure failure = {.text = ""};
    const size_t length = strlen(path);

    cr_assert_eq(dataset_new(&request, &dataset, &failure), -1, "%s was accepted", path);
    cr_expect_null(dataset);
    cr_expect_eq(failure.status, EXIT_BAD_INPUT);
    cr_expect(strncmp(failure.text, path, length) == 0, "%s", failure.text);
    cr_expect_str_eq(failure.text + length, message, "%s", failure.text);
}

Test(datasets, bad_counts_files)
{
    static const struct {
        const char *path, *message;
    } cases[] = {
        {BAD "none.counts", ": no such file"},
        {"tests/bad", ": expected a file, got a folder"},
        {BAD "empty.counts", ": expected lines of text, got an empty file"},
        {BAD "comments.counts", ": expected at least 2 values, got 0"},
        {BAD "binary.counts", ":2: expected text, got a byte 0x00 (binary data?)"},
        {BAD "old_mac.counts", ":1: expected lines that end with LF or CRLF, got a CR alone"},
        {BAD "no_tab.counts", ":2: expected value TAB count, got \"b 2\""},
        {BAD "no_value.counts", ":2: expected a value before the TAB, got \"\\t2\""},
        {BAD "extra_field.counts", ":2: expected the end of the line after the count, got \"3\""},
        {BAD "negative.counts", ":2: expected a whole count from 0 to 2^53, got \"-2\""},
        {BAD "fraction.counts", ":2: expected a whole count from 0 to 2^53, got \"1.5\""},
        {BAD "no_count.counts", ":2: expected a whole count from 0 to 2^53, got \"\""},
        {BAD "repeated.counts", ":4: expected each value once (see line 2), got \"a\""},
        {BAD "too_large.counts", ":2: expected a whole count from 0 to 2^53, got \"9007199254740993\""},
        {BAD "far_too_large.counts", ":2: expected a whole count from 0 to 2^53, got \"99999999999999999999999\""},
        {BAD "sum_too_large.counts", ":3: expected counts that sum to at most 2^53, got \"1\""},
        {BAD "all_zero.counts", ": expected a count above 0, got none"},
        {BAD "one_value.counts", ": expected at least 2 values, got 1"},
        {BAD "cut_off_d.counts", ": expected 3 values, as its comment says, got 2"},
        {BAD "cut_off_n.counts", ": expected counts that sum to 10, as its comment says, got 3"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_failure("counts", cases[i].path, cases[i].message);
}

static void in_folder(char path[128], const char *folder, const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
}

/* Refused by its size. */
FolderTest(datasets, files_beyond_the_limit, .timeout = 600)
{
    char path[128];
    in_folder(path, folder, "large.counts");
    write_text(folder, "large.counts", "a\t1\n");
    cr_assert_eq(truncate(path, ((off_t)2 << 30) + 1), 0);
    expect_failure("counts", path, ": expected at most 2 GiB of text, got more");
}

Test(datasets, bad_fimi_files)
{
    static const struct {
        const char *path, *message;
    } cases[] = {
        {BAD "none.dat", ": no such file"},
        {BAD "empty.dat", ": expected lines of text, got an empty file"},
        {BAD "blank.dat", ": expected at least 2 different items, got 0"},
        {BAD "negative.dat", ":2: expected an item number from 0 to 2^32 - 1, got \"-5\""},
        {BAD "letters.dat", ":2: expected an item number from 0 to 2^32 - 1, got \"apple\""},
        {BAD "too_large.dat", ":1: expected an item number from 0 to 2^32 - 1, got \"4294967296\""},
        {BAD "one_item.dat", ": expected at least 2 different items, got 1"},
        {BAD "binary.dat", ":2: expected text, got a byte 0x01 (binary data?)"},
        {BAD "comment.dat", ":1: expected an item number from 0 to 2^32 - 1, got \"#\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_failure("fimi", cases[i].path, cases[i].message);
}

FolderTest(datasets, long_lines)
{
    char *const text = malloc(70000);

    enter(folder);
    memset(text, 'x', 70000);
    memcpy(text + 69000, "\t1\ny\t2\n", sizeof "\t1\ny\t2\n");
    write_text(".", "long.counts", text);
    expect_failure("counts", "long.counts", ":1: expected a line of at most 65536 bytes, got more");
    memcpy(text + 80, "\n", 2);
    write_text(".", "wide.counts", text);
    expect_failure(
        "counts", "wide.counts",
        ":1: expected value TAB count, got \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"");
    free(text);
}

/* Every truncation of a gzip file, and every byte of its data and check sum inverted. */
FolderTest(datasets, damaged_gzip)
{
    enter(folder);
    char text[200];
    size_t used = 0;
    for (unsigned v = 0; v < 20; v++)
        used += (size_t)sprintf(text + used, "v%u\t%u\n", v * v, 3 * v + 1);
    write_gzip("whole.counts.gz", text);
    char whole[512];
    const size_t size = read_file("whole.counts.gz", whole, sizeof whole);
    cr_assert_lt(size, sizeof whole);
    dataset_free(file("counts", "whole.counts.gz"));
    for (size_t length = 2; length < size; length++) {
        const struct dataset_request request = {.type = dataset_type_find("counts"), .path = "bad.counts.gz"};

        write_file("bad.counts.gz", whole, length);
        struct dataset *dataset;
        struct failure failure;
        cr_expect_eq(dataset_new(&request, &dataset, &failure), -1, "cut to %zu of %zu bytes", length, size);
        cr_expect_eq(failure.status, EXIT_BAD_INPUT);
    }
    write_file("bad.counts.gz", whole, size - 10);
    expect_failure("counts", "bad.counts.gz", ": expected a complete gzip file, got a truncated one");
    for (size_t i = size - 8; i < size; i++) {
        const struct dataset_request request = {.type = dataset_type_find("counts"), .path = "bad.counts.gz"};

        whole[i] = (char)~whole[i];
        write_file("bad.counts.gz", whole, size);
        whole[i] = (char)~whole[i];
        struct dataset *dataset;
        struct failure failure;
        cr_expect_eq(dataset_new(&request, &dataset, &failure), -1, "byte %zu of %zu", i, size);
        cr_expect_not_null(strstr(failure.text, "bad.counts.gz: expected a valid gzip file"), "%s", failure.text);
    }
}

/* A table cut off anywhere never passes for whole, once it says how much it holds. */
Test(datasets, cut_off_tables_are_noticed)
{
    const char *const text = "# n=1234\n# d=3\none\t1000\ntwo\t200\nthree\t34";

    for (size_t size = strlen("# n=1234\n# d=3\n"); size <= strlen(text); size++) {
        struct dataset_table table = {0};
        struct failure failure;
        const int result = parse_text("counts", text, size, &table, &failure);

        cr_expect_eq(result, size == strlen(text) ? 0 : -1, "%zu bytes", size);
        if (result == 0) {
            for (size_t v = 0; v < table.d; v++)
                free(table.labels[v]);
            free(table.labels);
            free(table.counts);
        }
    }
}

/* Half a million values and a repeated one, in good time. */
Test(datasets, large_tables, SLOW, .timeout = 600)
{
    enum { D = 500000 };
    char *const text = malloc(D * 24);
    size_t used = 0;

    for (unsigned v = 0; v < D; v++)
        used += (size_t)sprintf(text + used, "value%u\t%u\n", v, v);
    struct dataset_table table = {0};
    struct failure failure;
    cr_assert_eq(parse_text("counts", text, used, &table, &failure), 0);
    cr_expect_eq(table.d, D);
    for (size_t v = 0; v < table.d; v++)
        free(table.labels[v]);
    free(table.labels);
    free(table.counts);
    used += (size_t)sprintf(text + used, "value77\t1\n");
    cr_assert_eq(parse_text("counts", text, used, &table, &failure), -1);
    cr_expect_str_eq(failure.text, "x:500001: expected each value once (see line 78), got \"value77\"");
    free(text);
}

/* ---- Sets ---- */

static struct dataset *colours(void)
{
    static char *labels[] = {"red", "green", "blue", "yellow"};
    static struct dataset dataset = {.name = "colours", .key = "colours", .labels = labels};
    static const uint64_t counts[] = {1, 2, 3, 4};

    if (!dataset.population)
        cr_assert_eq(ldp_population_new(counts, 4, &dataset.population), LDP_OK);
    return &dataset;
}

static void expect_sets(const struct dataset_sets *sets, size_t count, const size_t *first, const uint32_t *member)
{
    cr_assert_eq(sets->sets.count, count);
    for (size_t s = 0; s <= count; s++)
        cr_assert_eq(sets->sets.first[s], first[s]);
    for (size_t i = 0; i < first[count]; i++)
        cr_expect_eq(sets->sets.member[i], member[i]);
}

Test(datasets, sets_are_in_order_of_appearance)
{
    const char *const text = "# colours\nblue\tcold\r\n\nred\twarm\ngreen\tcold\n";
    struct dataset_sets *sets;
    struct failure failure = {.text = ""};

    cr_assert_eq(parse_sets(text, colours(), &sets, &failure), 0, "%s", failure.text);
    expect_sets(sets, 2, (const size_t[]){0, 2, 3}, (const uint32_t[]){1, 2, 0});
    cr_expect_str_eq(sets->names[0], "cold");
    cr_expect_str_eq(sets->names[1], "warm");
    dataset_sets_free(sets);
}

Test(datasets, values_of_a_law_are_called_by_number)
{
    struct dataset *dataset = law("uniform", NULL, 12, 100);
    struct dataset_sets *sets;
    struct failure failure = {.text = ""};
    const char *const text = "11\tb\n0\ta\n5\tb\n", *const unknown = "11\tb\n12\ta\n";

    cr_assert_eq(parse_sets(text, dataset, &sets, &failure), 0, "%s", failure.text);
    expect_sets(sets, 2, (const size_t[]){0, 2, 3}, (const uint32_t[]){5, 11, 0});
    dataset_sets_free(sets);
    cr_assert_eq(parse_sets(unknown, dataset, &sets, &failure), -1);
    cr_expect_str_eq(failure.text, "x:2: expected a value of the dataset, got \"12\"");
    dataset_free(dataset);
    /* One digit above a domain of less than ten. */
    dataset = law("uniform", NULL, 4, 100);
    cr_assert_eq(parse_sets("3\ta\n8\ta\n", dataset, &sets, &failure), -1);
    cr_expect_str_eq(failure.text, "x:2: expected a value of the dataset, got \"8\"");
    dataset_free(dataset);
}

Test(datasets, bad_sets_files)
{
    static const struct {
        const char *path, *message;
    } cases[] = {
        {BAD "none.categories", ": no such file"},
        {BAD "empty.categories", ": expected lines of text, got an empty file"},
        {BAD "comments.categories", ": expected lines value TAB category, got none"},
        {BAD "unknown_value.categories", ":2: expected a value of the dataset, got \"violet\""},
        {BAD "no_tab.categories", ":2: expected value TAB category, got \"green cold\""},
        {BAD "no_value.categories", ":2: expected value TAB category, got \"\\tcold\""},
        {BAD "no_category.categories", ":2: expected a category after the TAB, got \"green\\t\""},
        {BAD "repeated.categories", ":2: expected each value in one category, got \"red\""},
        {BAD "extra_field.categories", ":1: expected the end of the line after the category, got \"cold\""},
        {BAD "binary.categories", ":2: expected text, got a byte 0x02 (binary data?)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dataset_sets *sets = NULL;
        struct failure failure = {.text = ""};
        const size_t length = strlen(cases[i].path);

        cr_assert_eq(dataset_sets_load(cases[i].path, colours(), &sets, &failure), -1, "%s", cases[i].path);
        cr_expect_eq(failure.status, EXIT_BAD_INPUT);
        cr_expect(strncmp(failure.text, cases[i].path, length) == 0 &&
                      strcmp(failure.text + length, cases[i].message) == 0,
                  "%s", failure.text);
        cr_expect_null(sets);
    }
}

static void expect_partition(const char *name, size_t count, size_t members)
{
    char path[512];
    struct dataset *const dataset = file("counts", real_data("emoji.counts", path));
    struct dataset_sets *sets = NULL;
    struct failure failure = {.text = ""};

    cr_assert_eq(dataset_sets_load(real_data(name, path), dataset, &sets, &failure), 0, "%s", failure.text);
    cr_expect_eq(sets->sets.count, count);
    cr_expect_eq(sets->sets.first[count], members);
    dataset_sets_free(sets);
    dataset_free(dataset);
}

Test(datasets, emoji_categories)
{
    expect_partition("emoji.categories", 94, 1572);
}

Test(datasets, emoji_name_categories)
{
    expect_partition("emoji_name.categories", 72, 795);
}

/* The stand-in for the paper's 68 categories of 10.4 emoji on average. */
Test(datasets, random_sets_are_a_balanced_partition)
{
    struct dataset *const dataset = law("zipf_mandelbrot", NULL, 1573, 884427);
    struct dataset_sets *a;
    struct failure failure = {.text = ""};

    cr_assert_eq(dataset_sets_random(68, 10.4, dataset, 1, &a, &failure), 0, "%s", failure.text);
    struct dataset_sets *b;
    cr_assert_eq(dataset_sets_random(68, 10.4, dataset, 1, &b, &failure), 0);
    struct dataset_sets *c;
    cr_assert_eq(dataset_sets_random(68, 10.4, dataset, 2, &c, &failure), 0);
    cr_assert_eq(a->sets.count, 68);
    cr_expect_eq(a->sets.first[68], 707);
    for (size_t s = 0; s < 68; s++) {
        const size_t size = a->sets.first[s + 1] - a->sets.first[s];

        cr_expect(size == 10 || size == 11);
        cr_expect_not_null(a->names[s]);
    }
    bool seen[1573] = {false};
    for (size_t i = 0; i < 707; i++) {
        cr_assert_lt(a->sets.member[i], 1573);
        cr_expect_not(seen[a->sets.member[i]]);
        seen[a->sets.member[i]] = true;
    }
    cr_expect_eq(memcmp(a->sets.member, b->sets.member, 707 * sizeof(uint32_t)), 0);
    cr_expect_neq(memcmp(a->sets.member, c->sets.member, 707 * sizeof(uint32_t)), 0);
    dataset_sets_free(a);
    dataset_sets_free(b);
    dataset_sets_free(c);
    dataset_free(dataset);
}

Test(datasets, random_sets_must_fit_the_domain)
{
    struct dataset *const dataset = law("uniform", NULL, 20, 100);
    struct dataset_sets *sets = NULL;
    struct failure failure;

    cr_assert_eq(dataset_sets_random(4, 5, dataset, 1, &sets, &failure), 0);
    dataset_sets_free(sets);
    sets = NULL;
    cr_expect_eq(dataset_sets_random(4, 5.2, dataset, 1, &sets, &failure), -1);
    cr_expect_eq(failure.status, EXIT_BAD_INPUT);
    cr_expect_eq(dataset_sets_random(4, 0.5, dataset, 1, &sets, &failure), -1);
    cr_expect_eq(dataset_sets_random(0, 2, dataset, 1, &sets, &failure), -1);
    cr_expect_eq(dataset_sets_random(4, (double)NAN, dataset, 1, &sets, &failure), -1);
    cr_expect_null(sets);
    dataset_free(dataset);
}

/* ---- Finding files ---- */

static void expect_found(const char *name, const char *beside, const char *path)
{
    struct failure failure = {.text = ""};
    char *const found = dataset_find_file(name, beside, &failure);

    cr_assert_not_null(found, "%s", failure.text);
    cr_expect_str_eq(found, path);
    free(found);
}

FolderTest(datasets, files_are_found_in_order)
{
    static const char *const places[] = {"datasets/data", "data", "second", "first", "configs", "."};
    static const char *const paths[] = {"datasets/data/x.counts", "data/x.counts",    "second/x.counts",
                                        "first/x.counts",         "configs/x.counts", "x.counts"};
    enter(folder);
    setenv("LDPBENCH_DATA", "first:second::", 1);
    cr_assert_eq(mkdir("datasets", 0755), 0);
    for (size_t i = 0; i < 6; i++) {
        cr_assert(i == 5 || mkdir(places[i], 0755) == 0);
        write_text(".", paths[i], "a\t1\nb\t2\n");
        expect_found("x.counts", "configs/fig4.json", paths[i]);
    }
    expect_found("x.counts", NULL, "x.counts");
    char absolute[128];
    snprintf(absolute, sizeof absolute, "%s/data/x.counts", folder);
    expect_found(absolute, "configs/fig4.json", absolute);
}

FolderTest(datasets, a_file_not_found_says_where_it_was_looked_for)
{
    enter(folder);
    setenv("LDPBENCH_DATA", "/nowhere:else", 1);
    struct failure failure;
    cr_assert_null(dataset_find_file("kosarak.counts", "configs/fig4.json", &failure));
    cr_expect_eq(failure.status, EXIT_BAD_INPUT);
    cr_expect_str_eq(failure.text, "kosarak.counts: no such file in ., configs, /nowhere, else, data, datasets/data "
                                   "(scripts/fetch-datasets.sh helps to get it)");
    unsetenv("LDPBENCH_DATA");
    cr_assert_null(dataset_find_file("mine.counts", NULL, &failure));
    cr_expect_str_eq(failure.text, "mine.counts: no such file in ., data, datasets/data");
    cr_assert_null(dataset_find_file("/none/mine.counts", "configs/fig4.json", &failure));
    cr_expect_str_eq(failure.text, "/none/mine.counts: no such file");
}

/* ---- The script that fetches ---- */

/* Runs the script; in the arguments $D is the folder, which gets what it says as `out`. */
static int script(const char *arguments, const char *folder)
{
    char command[512];

    snprintf(command, sizeof command, "D='%s'; sh scripts/fetch-datasets.sh %s >\"$D/out\" 2>&1", folder, arguments);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

FolderTest(datasets, fetching_takes_from_a_folder_and_refuses_what_is_wrong)
{
    char path[128];
    in_folder(path, folder, "from");
    cr_assert_eq(mkdir(path, 0755), 0);
    write_text(folder, "from/emoji.counts", "# two\nsmile\t3\ntears\t4\n");
    write_text(folder, "from/emoji.categories", "smile\tface\ntears\tface\n");
    write_text(folder, "from/retail.counts", "1\t2\n3\t4\n");
    write_text(folder, "from/kosarak.dat", "1 2 3\n1 2\n");

    cr_expect_eq(script("--from $D/from --to $D/to emoji", folder), 0);
    in_folder(path, folder, "to/emoji.counts");
    cr_expect_eq(access(path, R_OK), 0);
    in_folder(path, folder, "to/emoji.categories");
    cr_expect_eq(access(path, R_OK), 0);

    /* What cannot be put there is not said to be there. */
    in_folder(path, folder, "taken");
    cr_assert_eq(mkdir(path, 0755), 0);
    in_folder(path, folder, "taken/emoji.counts");
    cr_assert_eq(mkdir(path, 0755), 0);
    in_folder(path, folder, "taken/emoji.counts/emoji.counts");
    cr_assert_eq(mkdir(path, 0755), 0);
    cr_expect_eq(script("--from $D/from --to $D/taken emoji", folder), 3);

    cr_expect_eq(script("--from $D/from --to $D/to retail kosarak", folder), 3);
    in_folder(path, folder, "to/retail.counts");
    cr_expect_neq(access(path, F_OK), 0);
    in_folder(path, folder, "to/kosarak.counts");
    cr_expect_neq(access(path, F_OK), 0);
    demand_within(folder, "out",
                  "retail: expected n=908576 d=16470 largest=50675,42135,15596,15167,14945, "
                  "got n=6 d=2 largest=4,2,,,");
    demand_within(folder, "out", "got n=5 d=3 largest=2,2,1,,");
}

FolderTest(datasets, fetching_fails_clearly)
{
    /* Nothing listens on port 9 of this machine. */
    cr_expect_eq(script("--to $D/to --url http://127.0.0.1:9 kosarak", folder), 3);
    demand_within(folder, "out", "could not fetch http://127.0.0.1:9/kosarak.dat.gz");
    cr_expect_eq(script("--to $D/to --bogus", folder), 2);
    cr_expect_eq(script("--to $D/to iris", folder), 2);
    cr_expect_eq(script("--to $D/to --from $D/nowhere", folder), 2);
    cr_expect_eq(script("--to $D/to emoji", folder), 0);
}

FolderTest(datasets, fetching_takes_the_real_data)
{
    char path[512];

    real_data("retail.dat.gz", path);
    *strrchr(path, '/') = '\0';
    char command[1024];
    snprintf(command, sizeof command,
             "mkdir '%s/from' && cp '%s/retail.dat.gz' '%s/from' && "
             "sh scripts/fetch-datasets.sh --from '%s/from' --to '%s/to' retail | grep -q 'checked by SHA-256'",
             folder, path, folder, folder, folder);
    cr_assert_eq(system(command), 0);
    in_folder(path, folder, "to/retail.counts");
    struct dataset *const dataset = file("counts", path);
    cr_expect_eq(dataset->population->n, 908576);
    dataset_free(dataset);
}

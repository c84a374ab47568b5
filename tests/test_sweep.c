/* Sweeps: the values of an axis. */
#include "config/sweep.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_file *parse(const char *text)
{
    struct json_file *file;
    struct failure failure = {0};

    cr_assert_eq(json_parse("f.json", text, strlen(text), &file, &failure), 0, "%s: %s", text, failure.text);
    return file;
}

static void demand_values(const char *text, bool integer, const double *expected, size_t n)
{
    struct json_file *const file = parse(text);
    struct json_at at = json_root(file);
    struct failure failure = {0};
    struct sweep sweep;

    cr_assert_eq(sweep_read(&at, integer, 0, INFINITY, &sweep, &failure), 0, "%s: %s", text, failure.text);
    cr_assert_eq(sweep.count, n, "%s: %zu values", text, sweep.count);
    for (size_t i = 0; i < n; i++)
        cr_expect_eq(sweep.values[i], expected[i], "%s: value %zu is %.17g", text, i, sweep.values[i]);
    sweep_clear(&sweep);
    json_free(file);
}

Test(sweep, has_the_values_that_a_person_would_write)
{
    static const double paper[] = {0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0,
                                   2.2, 2.4, 2.6, 2.8, 3.0, 3.2, 3.4, 3.6, 3.8, 4.0};
    static const double tenths[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
    static const double users[] = {200000, 400000, 600000, 800000, 1000000};
    static const double large[] = {1000000000001, 2000000000001, 3000000000001};
    static const double list[] = {3, 1, 2.5};

    demand_values("{\"from\": 0.2, \"to\": 4.0, \"step\": 0.2}", false, paper, 20);
    demand_values("{\"step\": 0.1, \"to\": 1, \"from\": 0.1}", false, tenths, 10);
    demand_values("{\"from\": 0.1, \"to\": 1.05, \"step\": 0.1}", false, tenths, 10);
    demand_values("{\"from\": 2e5, \"to\": 1e6, \"step\": 2e5}", true, users, 5);
    demand_values("{\"from\": 1000000000001, \"to\": 3000000000001, \"step\": 1e12}", true, large, 3);
    demand_values("{\"from\": 0.2, \"to\": 0.2, \"step\": 1}", false, paper, 1);
    demand_values("{\"from\": 0.2, \"to\": 0.3, \"step\": 9e15}", false, paper, 1);
    demand_values("[3, 1, 2.5]", false, list, 3);
    demand_values("3", true, list, 1);
}

Test(sweep, by_points)
{
    static const double linear[] = {0, 0.25, 0.5, 0.75, 1};
    static const double tenth[] = {0.1, 0.4, 0.7, 1};
    static const double log[] = {1000, 10000, 100000, 1000000, 10000000};
    static const double whole[] = {10, 18, 32, 56, 100};
    static const double two[] = {3, 7};

    demand_values("{\"from\": 0, \"to\": 1, \"points\": 5}", false, linear, 5);
    demand_values("{\"from\": 0.1, \"to\": 1, \"points\": 4, \"scale\": \"linear\"}", false, tenth, 4);
    demand_values("{\"from\": 1000, \"to\": 1e7, \"points\": 5, \"scale\": \"log\"}", true, log, 5);
    demand_values("{\"from\": 1000, \"to\": 1e7, \"points\": 5, \"scale\": \"log\"}", false, log, 5);
    demand_values("{\"from\": 10, \"to\": 100, \"points\": 5, \"scale\": \"log\"}", true, whole, 5);
    demand_values("{\"from\": 3, \"to\": 7, \"points\": 2}", true, two, 2);
}

Test(sweep, may_be_long, SLOW)
{
    struct json_file *const file = parse("[{\"from\": 0.001, \"to\": 1000, \"step\": 0.001},"
                                         " {\"from\": 1, \"to\": 1000001, \"step\": 1}]");
    struct json_at root = json_root(file), at;
    struct failure failure;
    size_t count;

    cr_assert_eq(json_list(&root, "a list", &at, &count, &failure), 0);
    struct sweep sweep;
    cr_assert_eq(sweep_read(&at, false, 0, INFINITY, &sweep, &failure), 0);
    cr_assert_eq(sweep.count, 1000000);
    for (size_t i = 0; i < sweep.count; i += 997) {
        char text[32];
        snprintf(text, sizeof text, "%zu.%03zu", (i + 1) / 1000, (i + 1) % 1000);
        cr_expect_eq(sweep.values[i], strtod(text, NULL), "%s", text);
    }
    cr_expect_eq(sweep.values[sweep.count - 1], 1000);
    sweep_clear(&sweep);
    cr_assert(json_next(&at));
    cr_expect_neq(sweep_read(&at, true, 0, INFINITY, &sweep, &failure), 0);
    cr_expect_null(sweep.values);
    cr_expect_eq(sweep.count, 0);
    json_free(file);
}

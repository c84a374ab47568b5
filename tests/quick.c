/* quick.c - `make quick`: with LDPBENCH_QUICK=1 the tests that are marked SLOW are left out, and a test that took so
 * long that it should be marked is named. */
#include "quick.h"

#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static bool quick(void)
{
    const char *const wanted = getenv("LDPBENCH_QUICK");

    return wanted && strcmp(wanted, "1") == 0;
}

ReportHook(PRE_ALL)(struct criterion_test_set *set)
{
    if (!quick())
        return;
    FOREACH_SET(struct criterion_suite_set * suite, set->suites)
    FOREACH_SET(struct criterion_test * test, suite->tests)
    {
        const char *const description = test->data->description;

        if (description && strcmp(description, SLOW_TEST) == 0)
            test->data->disabled = true;
    }
}

/* Processor time of the tests that have ended, and of what they started. */
static double ended_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

ReportHook(POST_TEST)(struct criterion_test_stats *test)
{
    static double before;
    const double now = ended_seconds(), seconds = now - before;

    before = now;
    if (quick() && seconds > 1)
        fprintf(stderr, "%s/%s took %.1f s of a processor: mark it SLOW or make it shorter\n", test->test->category,
                test->test->name, seconds);
}

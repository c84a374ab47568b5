/* quick.c - `make quick`: with LDPBENCH_QUICK=1 the tests that are marked SLOW are left out, and a test that took so
 * long that it should be marked is named. LDPBENCH_TIMES=SECONDS names every test that takes more of a processor. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "quick.h"

#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static bool quick(void)
{
    const char *const requested = getenv("LDPBENCH_QUICK");

    return requested && strcmp(requested, "1") == 0;
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

/* CPU time of this process, which runs one test, or of what it started. */
static double seconds_of(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Criterion's data of a test are not aligned as their type asks. Criterion calls it in the process of a test, after the
 * test: the report of its hooks comes from another process, which knows what a test took when the next one has ended.
 */
__attribute__((no_sanitize("alignment"))) void criterion_internal_test_teardown(void)
{
    void (*teardown)(void);
    const char *const limit = getenv("LDPBENCH_TIMES");
    const double seconds = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);

    if (limit ? seconds > strtod(limit, NULL) : quick() && !criterion_current_test->data->description && seconds > 1)
        fprintf(stderr, "%s/%s took %.2f s of a processor%s\n", criterion_current_test->category,
                criterion_current_test->name, seconds, limit ? "" : ": mark it SLOW or make it shorter");
    *(void **)&teardown = dlsym(RTLD_NEXT, __func__);
    teardown();
}

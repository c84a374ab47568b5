/* clock.h - seconds of the system's clocks. */
#ifndef LDPBENCH_CLOCK_H
#define LDPBENCH_CLOCK_H

#include <time.h>

static inline double clock_read(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of the monotonic clock. */
static inline double clock_seconds(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* Seconds of processor time of the calling thread: what else the machine does is not counted. */
static inline double work_seconds(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#endif

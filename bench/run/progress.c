/* progress.c - see progress.h. */
#include "run/progress.h"

#include "support/clock.h"

#include <stdio.h>

void progress_start(struct progress *progress, const char *name, bool shown, size_t repetitions, double cost)
{
    *progress = (struct progress){
        .shown = shown, .name = name, .started = clock_seconds(), .cost = cost, .repetitions = repetitions};
}

void progress_add(struct progress *progress, size_t repetitions, double cost)
{
    const double now = clock_seconds();

    progress->repetitions_done += repetitions;
    progress->cost_done += cost;
    if (!progress->shown || now - progress->drawn < 0.2)
        return;
    progress->drawn = now;
    if (progress->cost_done > 0) {
        const double left = (now - progress->started) * (progress->cost - progress->cost_done) / progress->cost_done;
        const unsigned long seconds = left > 0 ? (unsigned long)(left + 0.5) : 0;
        fprintf(stderr, "\r%.36s: %zu of %zu repetitions, %lu:%02lu:%02lu left\033[K", progress->name,
                progress->repetitions_done, progress->repetitions, seconds / 3600, seconds / 60 % 60, seconds % 60);
        fflush(stderr);
    }
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}

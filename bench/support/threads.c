/* threads.c - see threads.h. */
#include "support/threads.h"

#include <ctype.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Threads wait for the mutex until all of them have started. */
static void *wait_for_end(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

/* OMP_STACKSIZE, or libgomp's own variable: in KiB unless it says otherwise. */
size_t threads_stack(void)
{
    const char *const asked = getenv("OMP_STACKSIZE"), *const text = asked ? asked : getenv("GOMP_STACKSIZE");

    if (!text)
        return 0;
    char *end;
    const unsigned long long size = strtoull(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    switch (tolower((unsigned char)*end)) {
    case 'b': return (size_t)size;
    case 'm': return (size_t)size << 20;
    case 'g': return (size_t)size << 30;
    default: return (size_t)size << 10;
    }
}

/* Upper bound of the memory that OpenMP allocates for each thread. */
enum { RESERVE = 1 << 16 };

int threads_check(int threads, struct failure *failure)
{
    const size_t requested = threads > 1 ? (size_t)threads - 1 : 0; /* the calling thread has started */
    pthread_t *const thread = malloc((requested + 1) * sizeof *thread);
    void *const reserve = malloc((requested + 1) * RESERVE);
    pthread_attr_t attributes;

    if (!thread || !reserve || pthread_attr_init(&attributes) != 0) {
        free(thread);
        free(reserve);
        return fail_memory(failure);
    }
    if (threads_stack() > 0)
        pthread_attr_setstacksize(&attributes, threads_stack());
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    size_t made = 0;
    int cause = 0;
    pthread_mutex_lock(&mutex);
    while (made < requested && (cause = pthread_create(&thread[made], &attributes, wait_for_end, &mutex)) == 0)
        made++;
    pthread_mutex_unlock(&mutex);
    for (size_t i = 0; i < made; i++)
        pthread_join(thread[i], NULL);
    pthread_attr_destroy(&attributes);
    free(thread);
    free(reserve);
    if (made == requested)
        return 0;
    return fail(failure, EXIT_MACHINE,
                "%d threads were asked for, but the machine can start only %zu (%s); use -j to ask for fewer", threads,
                made + 1, strerror(cause));
}

int threads_possible(void)
{
    struct failure ignored = NO_REASON;
    const int threads = omp_get_max_threads();

    return threads_check(threads, &ignored) == 0 ? threads : 1;
}

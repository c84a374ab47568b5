/* interruption.c - see interruption.h. */
#include "run/interruption.h"

#include "support/child.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* Units take milliseconds as a rule: what ends in this time is kept. */
static const struct timespec grace = {.tv_nsec = 400000000};

static volatile sig_atomic_t received;
static sem_t arrived;

/* The run to give up; held while that happens, so that the run does not go on. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void (*give_up_run)(void *about); /* NULL: no run has units to wait for */
static void *given_up;

static void receive(int number)
{
    const int before = errno;

    received = number;
    sem_post(&arrived);
    errno = before;
}

_Noreturn void interruption_raise(void)
{
    signal(received, SIG_DFL);
    raise(received);
    abort(); /* the signal is blocked */
}

static void *watch(void *unused)
{
    while (sem_wait(&arrived) != 0)
        continue;
    nanosleep(&grace, NULL);
    pthread_mutex_lock(&guard);
    if (give_up_run) {
        give_up_run(given_up);
    } else { /* tables are being written, or the run has ended and its memory is freed */
        pthread_mutex_unlock(&guard);
        nanosleep(&grace, NULL);
    }
    child_stop_all();
    interruption_raise();
}

/* Starts the thread that waits for signals; without it they end the process at once, as they do by default. */
static bool start_watching(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    if (sem_init(&arrived, 0, 0) != 0 || pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    const int error = pthread_create(&thread, &attributes, watch, NULL);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

void interruption_begin(void (*give_up)(void *about), void *about)
{
    static const int heeded[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = receive, .sa_flags = (int)SA_RESTART};
    static bool watching;
    struct sigaction before;

    pthread_mutex_lock(&guard);
    give_up_run = give_up;
    given_up = about;
    pthread_mutex_unlock(&guard);
    if (watching || !start_watching())
        return;
    watching = true;
    for (size_t i = 0; i < sizeof heeded / sizeof *heeded; i++)
        if (sigaction(heeded[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(heeded[i], &action, NULL);
}

void interruption_end(void)
{
    pthread_mutex_lock(&guard);
    give_up_run = NULL;
    pthread_mutex_unlock(&guard);
}

int interruption_signal(void)
{
    return received;
}

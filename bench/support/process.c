/* process.c - see process.h. */
#define _GNU_SOURCE /* execvpe, pipe2 */
#include "support/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* False if this process has ended meanwhile. */
static bool die_with(pid_t parent)
{
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return false;
#endif
    return getppid() == parent;
}

/* Between fork and exec: calls only what a signal handler may call, for other threads may have held locks. Returns only
 * if the program cannot be started. */
static void become(const struct process_plan *plan, pid_t parent)
{
    enum { MOST = 3, ABOVE = 10 };
    int copy[MOST];

    if (!die_with(parent))
        _exit(127);
    if (plan->own_group)
        setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    /* Copies that are higher than what they become, so that none is overwritten. */
    for (size_t i = 0; i < plan->ndescriptors; i++)
        if ((copy[i] = fcntl(plan->from[i], F_DUPFD_CLOEXEC, ABOVE)) < 0) {
            errno = errno == EINVAL ? EMFILE : errno; /* EINVAL: descriptors from 10 on are not allowed */
            return;
        }
    for (size_t i = 0; i < plan->ndescriptors; i++)
        if (dup2(copy[i], plan->as[i]) < 0)
            return;
    execvpe(plan->command[0], plan->command, plan->environment ? plan->environment : environ);
}

int process_start(const struct process_plan *plan, pid_t *pid)
{
    const pid_t parent = getpid();
    int report[2], error = 0; /* the reason why the program cannot be started; closed when it is */

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0) {
        const int high = fcntl(report[1], F_DUPFD_CLOEXEC, 10); /* not one of the program's */

        become(plan, parent);
        error = errno;
        (void)!write(high >= 0 ? high : report[1], &error, sizeof error);
        _exit(127);
    }
    if (*pid < 0)
        error = errno;
    close(report[1]);
    while (*pid > 0 && read(report[0], &error, sizeof error) < 0 && errno == EINTR)
        continue;
    close(report[0]);
    if (*pid > 0 && error != 0)
        waitpid(*pid, NULL, 0);
    return error;
}

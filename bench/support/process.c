/* process.c - see process.h. */
#define _GNU_SOURCE /* pipe2 */
#include "support/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
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
static void become(char *const *command, const int from[3], const int as[3], pid_t parent)
{
    enum { ABOVE = 10 };
    int copy[3];

    if (!die_with(parent))
        _exit(127);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    /* Copies that are higher than what they become, so that none is overwritten. */
    for (size_t i = 0; i < 3; i++)
        if ((copy[i] = fcntl(from[i], F_DUPFD_CLOEXEC, ABOVE)) < 0) {
            errno = errno == EINVAL ? EMFILE : errno; /* EINVAL: descriptors from 10 on are not allowed */
            return;
        }
    for (size_t i = 0; i < 3; i++)
        if (dup2(copy[i], as[i]) < 0)
            return;
    execvp(command[0], command);
}

int process_start(char *const *command, const int from[3], const int as[3], pid_t *pid)
{
    const pid_t parent = getpid();
    int report[2], error = 0; /* the reason why the program cannot be started; closed when it is */

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0) {
        const int high = fcntl(report[1], F_DUPFD_CLOEXEC, 10); /* not one of the program's */

        become(command, from, as, parent);
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

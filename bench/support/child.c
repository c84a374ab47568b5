/* child.c - see child.h. */
#define _GNU_SOURCE /* pipe2: no other process that starts meanwhile inherits an end */
#include "support/child.h"

#include "support/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { BUFFER = 1 << 16, SAID = 600 };

enum state { ALIVE, SILENT, ENDED };

struct child {
    pid_t pid; /* 0: already read */
    int to, from, errors;
    struct child *next;
    enum state state;
    size_t have, taken; /* of the buffer */
    size_t nsaid;
    char said[SAID + 1]; /* the end of its standard error */
    char what[SAID + 200];
    char buffer[BUFFER];
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct child *running; /* all that were started */

static void shut(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* ---- programs ---- */

/* Between fork and exec: calls only what a signal handler may call, for other threads may hold locks. Returns only if
 * the program cannot be started. */
static void become(char *const *command, const int from[3], pid_t parent)
{
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return;
    const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    (void)!write(score, "1000", 4);
#endif
    if (getppid() != parent)
        _exit(127);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    for (int i = 0; i < 3; i++)
        if (dup2(from[i], i) < 0)
            return;
    execvp(command[0], command);
}

int process_start(char *const *command, const int from[3], pid_t *pid)
{
    const pid_t parent = getpid();
    int report[2], error = 0; /* the reason why the program cannot be started; closed when it is */

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0) {
        become(command, from, parent);
        error = errno;
        (void)!write(report[1], &error, sizeof error);
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

static bool can_run(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool child_program_exists(const char *name)
{
    const char *const path = getenv("PATH");
    char *const folders = xstrdup(path ? path : "/bin:/usr/bin"), *rest = folders; /* as execvp has it */
    bool found = strchr(name, '/') && can_run(name);

    for (const char *folder; !found && !strchr(name, '/') && (folder = strsep(&rest, ":")) != NULL;) {
        char *const program = xformat("%s/%s", *folder ? folder : ".", name);

        found = can_run(program);
        free(program);
    }
    free(folders);
    return found;
}

int child_start(char *const *command, struct child **out, struct failure *failure)
{
    struct child *child = xcalloc(1, sizeof *child);
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, result = -1;

    *out = NULL;
    child->to = child->from = child->errors = -1;
    signal(SIGPIPE, SIG_IGN); /* writing to a process that has ended fails with EPIPE */
    for (size_t i = 0; i < 3; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) != 0) {
            fail(failure, EXIT_MACHINE, "no pipe for %s: %s", command[0], strerror(errno));
            goto out;
        }
    }
    const int error = process_start(command, (const int[]){pipes[0][0], pipes[1][1], pipes[2][1]}, &child->pid);
    if (error != 0) {
        child->pid = 0;
        fail(failure, failure_status(error), "%s cannot be started: %s", command[0], strerror(error));
        goto out;
    }
    child->to = pipes[0][1];
    child->from = pipes[1][0];
    child->errors = pipes[2][0];
    pipes[0][1] = pipes[1][0] = pipes[2][0] = -1;
    const int own[] = {child->to, child->from, child->errors};
    for (size_t i = 0; i < 3; i++)
        fcntl(own[i], F_SETFL, O_NONBLOCK);
    pthread_mutex_lock(&guard);
    child->next = running;
    running = child;
    pthread_mutex_unlock(&guard);
    *out = child;
    child = NULL;
    result = 0;
out:
    for (size_t i = 0; i < 3; i++) {
        shut(&pipes[i][0]);
        shut(&pipes[i][1]);
    }
    child_stop(child);
    return result;
}

void child_stop(struct child *child)
{
    if (!child)
        return;
    shut(&child->to);
    shut(&child->from);
    shut(&child->errors);
    struct child **at = &running;
    pthread_mutex_lock(&guard);
    while (*at && *at != child)
        at = &(*at)->next;
    *at = *at ? child->next : NULL;
    pthread_mutex_unlock(&guard);
    if (child->pid > 0) {
        kill(-child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
    }
    free(child);
}

void child_stop_all(void)
{
    pthread_mutex_lock(&guard);
    for (const struct child *child = running; child; child = child->next)
        if (child->pid > 0)
            kill(-child->pid, SIGKILL);
    pthread_mutex_unlock(&guard);
}

/* Keeps the last bytes that the process wrote to standard error. */
static void listen_to_errors(struct child *child)
{
    while (child->errors >= 0) {
        if (child->nsaid == SAID)
            memmove(child->said, child->said + SAID / 2, child->nsaid -= SAID / 2);
        const ssize_t got = read(child->errors, child->said + child->nsaid, SAID - child->nsaid);

        if (got > 0)
            child->nsaid += (size_t)got;
        else if (got < 0 && errno == EAGAIN)
            return;
        else if (got == 0 || errno != EINTR)
            shut(&child->errors);
    }
}

/* Waits until a descriptor is ready. */
static int wait_for(struct child *child, int descriptor, short events, double deadline)
{
    for (;;) {
        struct pollfd ready[2] = {{descriptor, events, 0}, {child->errors, POLLIN, 0}};
        const double left = deadline - clock_seconds();

        if (left <= 0) {
            child->state = SILENT;
            return -1;
        }
        const int count = poll(ready, child->errors >= 0 ? 2 : 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1);
        if (count < 0 && errno != EINTR) {
            child->state = ENDED;
            return -1;
        }
        if (count > 0 && ready[1].revents)
            listen_to_errors(child);
        if (count > 0 && ready[0].revents)
            return 0;
    }
}

int child_write(struct child *child, const void *bytes, size_t size, double deadline)
{
    const char *from = bytes;

    while (size > 0) {
        const ssize_t put = write(child->to, from, size);

        if (put > 0) {
            from += put;
            size -= (size_t)put;
        } else if (put < 0 && errno == EAGAIN) {
            if (wait_for(child, child->to, POLLOUT, deadline) != 0)
                return -1;
        } else if (put < 0 && errno != EINTR) {
            child->state = ENDED;
            return -1;
        }
    }
    return 0;
}

/* Fills the empty buffer with the bytes that are available. */
static int fill(struct child *child, double deadline)
{
    child->have = child->taken = 0;
    for (;;) {
        const ssize_t got = read(child->from, child->buffer, BUFFER);

        if (got > 0) {
            child->have = (size_t)got;
            return 0;
        }
        if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            child->state = ENDED;
            return -1;
        }
        if (errno == EAGAIN && wait_for(child, child->from, POLLIN, deadline) != 0)
            return -1;
    }
}

int child_line(struct child *child, char *line, size_t size, double deadline)
{
    size_t length = 0;

    for (;;) {
        if (child->taken == child->have && fill(child, deadline) != 0)
            return -1;
        const char c = child->buffer[child->taken++];
        if (c == '\n')
            break;
        if (length + 1 < size)
            line[length++] = c;
        else
            break; /* longer than any valid answer; the text shows what was received */
    }
    line[length] = '\0';
    return 0;
}

int child_bytes(struct child *child, void *bytes, size_t size, double deadline)
{
    char *to = bytes;

    while (size > 0) {
        if (child->taken == child->have && fill(child, deadline) != 0)
            return -1;
        const size_t there = child->have - child->taken, take = there < size ? there : size;
        memcpy(to, child->buffer + child->taken, take);
        child->taken += take;
        to += take;
        size -= take;
    }
    return 0;
}

bool child_ended(const struct child *child)
{
    return child->state == ENDED;
}

bool child_has_more(const struct child *child)
{
    return child->taken < child->have;
}

/* The last line that is not empty. */
static const char *last_line(struct child *child)
{
    while (child->nsaid > 0 && (child->said[child->nsaid - 1] == '\n' || child->said[child->nsaid - 1] == '\r'))
        child->nsaid--;
    child->said[child->nsaid] = '\0';
    const char *const end = strrchr(child->said, '\n');
    return end ? end + 1 : child->said;
}

const char *child_what(struct child *child)
{
    char how[100];
    int status = 0;
    bool killed = false;

    if (child->state == SILENT) {
        snprintf(how, sizeof how, "did not answer in time and was killed");
        kill(-child->pid, SIGKILL);
    }
    /* A process that closed its output usually ends soon; wait for at most a second. */
    for (int i = 0; child->pid > 0 && waitpid(child->pid, &status, WNOHANG) == 0; i++) {
        if (i == 100) {
            killed = true;
            kill(-child->pid, SIGKILL);
        }
        poll(NULL, 0, 10);
    }
    kill(-child->pid, SIGKILL); /* and the processes it may have started */
    child->pid = 0;
    listen_to_errors(child);
    if (child->state != SILENT && killed)
        snprintf(how, sizeof how, "closed its pipes without an answer and was killed");
    else if (child->state != SILENT && WIFSIGNALED(status))
        snprintf(how, sizeof how, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (child->state != SILENT)
        snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));
    const char *const said = last_line(child);
    snprintf(child->what, sizeof child->what, "%s%s%s", how, *said ? ": " : "", said);
    return child->what;
}

/* serve.c - ldpbench serve: connects the pipes of a method or an oracle outside the program with a function of a Python
 * process that runs, as the package asks for it. */
#include "commands/commands.h"
#include "support/memory.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct serve_request {
    const char *function;
};

#define REQUEST struct serve_request
static const struct command_option known_options[] = {
    {"function", "NAME", TEXT_OF(function), "The function. A Python process listens at the socket LDPBENCH_FUNCTIONS."},
    {.name = NULL},
};

/* Sends a name with standard input, output and error. */
static bool send_pipes(int to, const char *name)
{
    static const int pipes[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof pipes)];
    } with = {.head = {.cmsg_len = CMSG_LEN(sizeof pipes), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    char *const text = xstrdup(name);
    struct iovec part = {.iov_base = text, .iov_len = strlen(text)};
    const struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = with.room, .msg_controllen = sizeof with.room};

    memcpy(CMSG_DATA(&with.head), pipes, sizeof pipes);
    const bool sent = sendmsg(to, &message, MSG_NOSIGNAL) > 0;
    free(text);
    return sent;
}

/* Hands the pipes to the Python process that has a function, and lives as long as the worker there, which closes the
 * socket. */
static int serve_function(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *const path = getenv("LDPBENCH_FUNCTIONS");
    const int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char end;

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path ? path : "");
    if (to < 0 || connect(to, (const struct sockaddr *)&address, sizeof address) != 0 || !send_pipes(to, name)) {
        puts("error this is a function of a Python process that has ended: run it again by ldpbench.run or compare");
        return EXIT_BAD_INPUT;
    }
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    while (read(to, &end, 1) > 0) {
    }
    return EXIT_DONE;
}

static int run(int argc, char **argv, struct failure *failure)
{
    struct serve_request request = {0};

    if (read_options(&command_serve, argc, argv, &request, failure) != 0)
        return -1;
    return request.function ? serve_function(request.function)
                            : fail(failure, EXIT_BAD_INPUT, "serve: missing option --function");
}

const struct command command_serve = {
    .name = "serve",
    .operands = "--function NAME",
    .examples = {"serve --function mine"},
    .summary = "run a function of Python as a method or an oracle (for the package)",
    .about = "Passes the requests that run sends on standard input (docs/compare.md) on to a function of a Python "
             "process, and its answers back.",
    .options = known_options,
    .takes = TAKES_ANYTHING,
    .run = run,
};

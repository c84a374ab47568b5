/* outside.c - see outside.h. */
#include "tasks/outside.h"

#include "run/child.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are sent as little-endian doubles");

struct asked {
    const struct method_choice *choice;
    struct child *child;
};

enum { LINE = 2048, START = 30 /* seconds that a process has to start, at least */ };

struct asked *asked_new(const struct method_choice *choice)
{
    struct asked *asked = calloc(1, sizeof *asked);

    if (asked)
        asked->choice = choice;
    return asked;
}

void asked_free(struct asked *asked)
{
    if (asked)
        child_stop(asked->child);
    free(asked);
}

/* Fails with a description of what the process did, and ends it. */
static int fail_child(struct asked *asked, const char *what, struct failure *failure)
{
    char said[sizeof failure->text];

    snprintf(said, sizeof said, "%s", what);
    text_clean(said);
    fail(failure, EXIT_BAD_INPUT, "method %s: %s %s", asked->choice->label, asked->choice->outside->shown, said);
    child_stop(asked->child);
    asked->child = NULL;
    return -1;
}

static int fail_answer(struct asked *asked, const char *expected, const char *line, struct failure *failure)
{
    char what[300];

    if (strncmp(line, "error ", 6) == 0)
        snprintf(what, sizeof what, "failed: %.250s", line + 6);
    else
        snprintf(what, sizeof what, "gave an invalid answer: expected %s, got \"%s\"", expected, SHOWN(line));
    return fail_child(asked, what, failure);
}

/* False if the process does not read it in time. A process that has ended may have written the reason before. */
static bool talk(struct asked *asked, const void *bytes, size_t size, double deadline)
{
    return child_write(asked->child, bytes, size, deadline) == 0 || child_ended(asked->child);
}

static int greet(struct asked *asked, struct failure *failure)
{
    const struct outside *outside = asked->choice->outside;
    const double deadline = child_deadline(outside->timeout > START ? outside->timeout : START);
    char line[LINE];

    if (child_start(outside->command, &asked->child, failure) != 0) {
        char why[sizeof failure->text];

        memcpy(why, failure->text, sizeof why);
        return fail(failure, failure->status, "method %s: %.800s", asked->choice->label, why);
    }
    if (!talk(asked, OUTSIDE_GREETING "\n", sizeof OUTSIDE_GREETING, deadline) ||
        child_line(asked->child, line, sizeof line, deadline) != 0)
        return fail_child(asked, child_what(asked->child), failure);
    return strcmp(line, OUTSIDE_GREETING) == 0 ? 0 : fail_answer(asked, "\"" OUTSIDE_GREETING "\"", line, failure);
}

static void write_number(char line[LINE], const char *name, double value)
{
    const size_t length = strlen(line);
    char number[NUMBER_TEXT];

    snprintf(line + length, LINE - length, " %s=%s", name, format_number(value, number));
}

static void write_question(char line[LINE], const struct ldp_protocol *protocol, uint64_t n, uint64_t seed)
{
    const struct ldp_param *params = protocol->oracle->params;

    snprintf(line, LINE, "estimate d=%zu n=%llu seed=%llu oracle=%s", protocol->d, (unsigned long long)n,
             (unsigned long long)seed, protocol->oracle->name);
    write_number(line, "epsilon", protocol->epsilon);
    write_number(line, "p", protocol->p);
    write_number(line, "q", protocol->q);
    write_number(line, "s1", protocol->s1);
    write_number(line, "tf", protocol->tf);
    write_number(line, "sigma", ldp_sigma(protocol, n));
    for (size_t i = 0; params && params[i].name; i++) {
        char name[80];

        snprintf(name, sizeof name, "oracle.%s", params[i].name);
        if (isfinite(protocol->param[i]))
            write_number(line, name, protocol->param[i]);
    }
}

static int check_answer(struct asked *asked, size_t d, const double *out, struct failure *failure)
{
    char what[200], number[NUMBER_TEXT];

    if (child_has_more(asked->child)) {
        snprintf(what, sizeof what, "gave an invalid answer: expected %zu numbers, got more bytes after them", d);
        return fail_child(asked, what, failure);
    }
    for (size_t v = 0; v < d; v++) {
        if (isfinite(out[v]))
            continue;
        snprintf(what, sizeof what, "gave an invalid answer: expected %zu finite numbers, got %s for value %zu", d,
                 isnan(out[v]) ? "NaN" : format_number(out[v], number), v);
        return fail_child(asked, what, failure);
    }
    return 0;
}

int asked_estimate(struct asked *asked, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                   uint64_t seed, double *out, struct failure *failure)
{
    const size_t d = protocol->d;
    char line[LINE], expected[60];

    if (!asked->child && greet(asked, failure) != 0)
        return -1;
    const double deadline = child_deadline(asked->choice->outside->timeout);
    write_question(line, protocol, n, seed);
    strcat(line, "\n");
    if (!talk(asked, line, strlen(line), deadline) || !talk(asked, est, d * sizeof *est, deadline) ||
        child_line(asked->child, line, sizeof line, deadline) != 0)
        return fail_child(asked, child_what(asked->child), failure);
    snprintf(expected, sizeof expected, "%zu numbers", d);
    char *end;
    if (strtoull(line, &end, 10) != d || *end || end == line)
        return fail_answer(asked, expected, line, failure);
    if (child_bytes(asked->child, out, d * sizeof *out, deadline) != 0)
        return fail_child(asked, child_what(asked->child), failure);
    return check_answer(asked, d, out, failure);
}

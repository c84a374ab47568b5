/* external_process.c - see external_process.h. */
#define _GNU_SOURCE /* memmem */
#include "tasks/external_process.h"

#include "support/child.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are sent as little-endian doubles");

struct external_process {
    const char *what, *label;
    const struct external *external;
    struct child *child;
    unsigned long long question; /* the number of the last question: an answer repeats it */
};

enum { LINE = 2048, START = 30 /* seconds that a process has to start, at least */ };

struct external_process *external_process_new(const char *what, const char *label, const struct external *external)
{
    struct external_process *const process = external ? xmalloc(1, sizeof *process) : NULL;
    if (process)
        *process = (struct external_process){.what = what, .label = label, .external = external};
    return process;
}

void external_process_free(struct external_process *process)
{
    if (process)
        child_stop(process->child);
    free(process);
}

/* Fails with a description of what the process did, and ends it. */
static int fail_child(struct external_process *process, const char *what, struct failure *failure)
{
    char reason[sizeof failure->text];
    snprintf(reason, sizeof reason, "%s", what);
    text_clean(reason);
    fail(failure, EXIT_BAD_INPUT, "%s %s: %s %s", process->what, process->label, process->external->shown, reason);
    child_stop(process->child);
    process->child = NULL;
    return -1;
}

static int fail_answer(struct external_process *process, const char *expected, const char *line,
                       struct failure *failure)
{
    char what[300];

    if (strncmp(line, "error ", 6) == 0)
        snprintf(what, sizeof what, "failed: %.250s", line + 6);
    else
        snprintf(what, sizeof what, "gave an invalid answer: expected %s, got \"%s\"", expected, SHOWN(line));
    return fail_child(process, what, failure);
}

/* False if the process does not read it in time. A process that has ended may have written the reason before. */
static bool talk(struct external_process *process, const void *bytes, size_t size, double deadline)
{
    return child_write(process->child, bytes, size, deadline) == 0 || child_ended(process->child);
}

static int greet(struct external_process *process, struct failure *failure)
{
    const struct external *const external = process->external;
    const double deadline = clock_seconds() + (external->timeout > START ? external->timeout : START);
    char line[LINE];

    if (child_start(external->command, &process->child, failure) != 0) {
        char why[sizeof failure->text];

        memcpy(why, failure->text, sizeof why);
        return fail(failure, failure->status, "%s %s: %.800s", process->what, process->label, why);
    }
    if (!talk(process, EXTERNAL_GREETING "\n", sizeof EXTERNAL_GREETING, deadline) ||
        child_line(process->child, line, sizeof line, deadline) != 0)
        return fail_child(process, child_what(process->child), failure);
    return strcmp(line, EXTERNAL_GREETING) == 0 ? 0 : fail_answer(process, "\"" EXTERNAL_GREETING "\"", line, failure);
}

static void write_number(char line[LINE], const char *name, double value)
{
    const size_t length = strlen(line);
    char number[NUMBER_TEXT];

    snprintf(line + length, LINE - length, " %s=%s", name, format_number(value, number));
}

/* Adds a parameter of an oracle; a derived one that is not known is left out. */
static void write_params(char line[LINE], const char *prefix, const struct ldp_param *params, const double *value)
{
    for (size_t i = 0; params && params[i].name; i++) {
        char name[160];

        snprintf(name, sizeof name, "%s.%s", prefix, params[i].name);
        if (isfinite(value[i]))
            write_number(line, name, value[i]);
    }
}

static void write_oracle(char line[LINE], const struct external_question *question)
{
    const struct ldp_protocol *const protocol = question->protocol;
    const struct ldp_oracle_spec *const inner = protocol->oracle->inner ? question->oracle->inner : NULL;
    const size_t length = strlen(line);

    snprintf(line + length, LINE - length, " oracle=%s", protocol->oracle->name);
    if (external_config_keys(protocol->oracle->name))
        return;
    write_params(line, "oracle", protocol->oracle->params, protocol->param);
    if (inner) {
        char name[80];
        const size_t here = strlen(line);

        snprintf(name, sizeof name, "oracle.%s", protocol->oracle->inner);
        snprintf(line + here, LINE - here, " %s=%s", name, inner->oracle->name);
        write_params(line, name, inner->oracle->params, inner->param);
    }
}

static void end_question(struct external_process *process, char line[LINE])
{
    const size_t length = strlen(line);
    const int added = snprintf(line + length, LINE - length, " question=%llu\n", ++process->question);

    assert(added > 0 && length + (size_t)added < LINE);
    (void)added;
}

static void write_question(char line[LINE], const struct external_question *question)
{
    const struct ldp_protocol *const protocol = question->protocol;

    snprintf(line, LINE, "estimate d=%zu n=%llu seed=%llu", protocol->d, (unsigned long long)question->n,
             (unsigned long long)question->seed);
    write_number(line, "epsilon", protocol->epsilon);
    write_number(line, "p", protocol->p);
    write_number(line, "q", protocol->q);
    write_number(line, "s1", protocol->s1);
    write_number(line, "tf", protocol->tf);
    write_number(line, "sigma", ldp_sigma(protocol, question->n));
    write_oracle(line, question);
}

/* Sends a request and reads the first line of the answer into `line`. */
static int ask(struct external_process *process, char line[LINE], const double *numbers, size_t d, double *deadline,
               struct failure *failure)
{
    if (!process->child && greet(process, failure) != 0)
        return -1;
    *deadline = clock_seconds() + process->external->timeout;
    struct buffer request = {0}; /* one write, so that the process wakes once */
    buffer_add(&request, line);
    buffer_add_n(&request, (const char *)numbers, d * sizeof *numbers);
    const bool told = talk(process, request.text, request.length, *deadline);
    buffer_clear(&request);
    if (!told || child_line(process->child, line, LINE, *deadline) != 0)
        return fail_child(process, child_what(process->child), failure);
    return 0;
}

/* ---- Answers ---- */

static const char *external_field(const char *line, const char *name)
{
    char key[160];

    snprintf(key, sizeof key, " %s=", name);
    const char *const at = strstr(line, key);
    return at ? at + strlen(key) : NULL;
}

/* A number of the answer's first line, NAN if it has none of that name or something else. */
static double field_number(const char *line, const char *name)
{
    const char *const text = external_field(line, name);
    char *end;
    const double value = text ? strtod(text, &end) : (double)NAN;

    return text && end != text && (*end == ' ' || !*end) ? value : (double)NAN;
}

/* Whether a line of words has a key more than once. */
static bool repeats_a_key(const char *line)
{
    for (const char *word = strchr(line, ' '); word; word = strchr(word + 1, ' ')) {
        const size_t length = strcspn(word + 1, " =") + 2; /* with the blank and what follows the key */

        if (word[length - 1] == '=' && memmem(word + 1, strlen(word + 1), word, length))
            return true;
    }
    return false;
}

/* Fails unless the line answers the last question, not one before, nor one that was never asked. */
static int check_question(struct external_process *process, const char *line, struct failure *failure)
{
    const char *const text = external_field(line, "question");
    char expected[80], *end = NULL;

    if (repeats_a_key(line))
        return fail_answer(process, "each key once", line, failure);
    if (text && strtoull(text, &end, 10) == process->question && end != text && (*end == ' ' || !*end))
        return 0;
    snprintf(expected, sizeof expected, "question=%llu, the number of the question", process->question);
    return fail_answer(process, expected, line, failure);
}

/* Reads the d finite numbers that follow the first line of an answer, and no more. */
static int read_numbers(struct external_process *process, const char *line, size_t d, double deadline, double *out,
                        struct failure *failure)
{
    char what[200], number[NUMBER_TEXT];

    if (check_question(process, line, failure) != 0)
        return -1;
    if (child_bytes(process->child, out, d * sizeof *out, deadline) != 0)
        return fail_child(process, child_what(process->child), failure);
    if (child_has_more(process->child)) {
        snprintf(what, sizeof what, "gave an invalid answer: expected %zu numbers, got more bytes after them", d);
        return fail_child(process, what, failure);
    }
    for (size_t v = 0; v < d; v++) {
        if (isfinite(out[v]))
            continue;
        snprintf(what, sizeof what, "gave an invalid answer: expected %zu finite numbers, got %s for value %zu", d,
                 isnan(out[v]) ? "NaN" : format_number(out[v], number), v);
        return fail_child(process, what, failure);
    }
    return 0;
}

int external_process_estimate(struct external_process *process, const struct external_question *question,
                              const double *est, double *out, struct failure *failure)
{
    const size_t d = question->protocol->d;
    char line[LINE], expected[60], *end;
    double deadline;

    write_question(line, question);
    end_question(process, line);
    if (ask(process, line, est, d, &deadline, failure) != 0)
        return -1;
    snprintf(expected, sizeof expected, "%zu numbers", d);
    if (strtoull(line, &end, 10) != d || (*end && *end != ' ') || end == line)
        return fail_answer(process, expected, line, failure);
    return read_numbers(process, line, d, deadline, out, failure);
}

/* ---- Collections ---- */

/* Reads what the process says of its noise; NULL, or what was expected instead. */
static const char *read_noise(const char *line, bool supports, struct ldp_protocol *observed)
{
    const double p = field_number(line, "p"), q = field_number(line, "q"), s1 = field_number(line, "s1"),
                 tf = external_field(line, "tf") ? field_number(line, "tf") : 0;
    const bool pure = p <= 1 && q >= 0 && p > q;

    if (supports && !pure)
        return "p=P q=Q with 0 <= Q < P <= 1 after \"support\"";
    if (!supports && !(s1 >= 0 && isfinite(s1)))
        return "s1=V, n times the variance of the estimate of 0, after \"estimate\"";
    /* Whose rounding may leave a variance of -1e-16 at f = 1. */
    if (!supports && !(isfinite(tf) && s1 + tf >= -1e-9 * s1))
        return "tf=V with s1 + tf >= 0: s1 + tf f is n times the variance of the estimate of f";
    if (pure) {
        observed->p = p;
        observed->q = q;
        observed->gap = p - q;
    }
    observed->s1 = supports ? q * (1 - q) / ((p - q) * (p - q)) : s1;
    observed->tf = supports ? (1 - p - q) / (p - q) : tf;
    return NULL;
}

/* Supports count reports: whole numbers from 0 to n. */
static int check_supports(struct external_process *process, const double *support, size_t d, uint64_t n,
                          struct failure *failure)
{
    char what[200], number[NUMBER_TEXT];

    for (size_t v = 0; v < d; v++) {
        if (support[v] >= 0 && support[v] <= (double)n && support[v] == floor(support[v]))
            continue;
        snprintf(what, sizeof what,
                 "gave an invalid answer: expected support counts that are whole numbers from 0 to n = %llu, got %s "
                 "for value %zu",
                 (unsigned long long)n, format_number(support[v], number), v);
        return fail_child(process, what, failure);
    }
    return 0;
}

int external_process_collect(struct external_process *process, const struct ldp_simulation *simulation, uint64_t seed,
                             double *est, struct ldp_protocol *observed, struct failure *failure)
{
    const struct ldp_population *const population = simulation->population;
    const size_t d = population->d;
    char line[LINE], word[16] = "", expected[100], *end;
    double deadline;

    *observed = simulation->protocol;
    snprintf(line, LINE, "collect d=%zu n=%llu seed=%llu mode=%s", d, (unsigned long long)population->n,
             (unsigned long long)seed, simulation->mode == LDP_COUNTS ? "counts" : "reports");
    write_number(line, "epsilon", observed->epsilon);
    end_question(process, line);
    for (size_t v = 0; v < d; v++)
        est[v] = (double)population->counts[v];
    if (ask(process, line, est, d, &deadline, failure) != 0)
        return -1;
    const size_t length = strcspn(line, " ");
    snprintf(word, sizeof word, "%.*s", (int)length, line);
    const bool supports = strcmp(word, "support") == 0;
    snprintf(expected, sizeof expected, "\"support %zu p=P q=Q\" or \"estimate %zu s1=V\"", d, d);
    if ((!supports && strcmp(word, "estimate") != 0) || strtoull(line + length, &end, 10) != d || (*end && *end != ' '))
        return fail_answer(process, expected, line, failure);
    const char *const instead = read_noise(line, supports, observed);
    if (instead)
        return fail_answer(process, instead, line, failure);
    if (read_numbers(process, line, d, deadline, est, failure) != 0 ||
        (supports && check_supports(process, est, d, population->n, failure) != 0))
        return -1;
    for (size_t v = 0; supports && v < d; v++)
        est[v] = (est[v] / (double)population->n - observed->q) / observed->gap;
    return 0;
}

/* algorithms.c - see algorithms.h. */
#include "commands/algorithms.h"

#include "commands/commands.h"
#include "config/suited.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "all", then the names of a registry. */
static void all_or(void (*registry)(const char *[NAMES_MAX]), const char *names[NAMES_MAX])
{
    const char *known[NAMES_MAX];

    registry(known);
    size_t count = 0;
    names[count++] = "all";
    for (size_t i = 0; known[i]; i++)
        names[count++] = known[i];
    names[count] = NULL;
}

void candidate_names(const char *names[NAMES_MAX])
{
    all_or(oracle_names, names);
}

void estimate_method_names(const char *names[NAMES_MAX])
{
    size_t count = 0;

    names[count++] = "all";
    for (size_t i = 0; ldp_methods[i]; i++)
        if (!ldp_methods[i]->on_answers)
            names[count++] = ldp_methods[i]->name;
    names[count] = NULL;
}

static int append_oracle(struct algorithms *algorithms, const struct ldp_oracle *oracle, const char *option,
                         struct failure *failure)
{
    for (size_t i = 0; i < algorithms->noracles; i++)
        if (algorithms->oracles[i].oracle == oracle)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected each oracle once, got %s twice", option, oracle->name);
    assert(algorithms->noracles < NAMES_MAX);
    struct ldp_oracle_spec *const spec = &algorithms->oracles[algorithms->noracles++];
    spec->oracle = oracle;
    ldp_params_default(oracle->params, spec->param);
    return 0;
}

/* Adds one after the other of names with commas between. */
static int add_each(struct algorithms *algorithms, const char *names, bool flag,
                    int (*add)(struct algorithms *algorithms, const char *name, bool flag, struct failure *failure),
                    struct failure *failure)
{
    char *const copy = xstrdup(names), *rest = copy;
    int result = 0;

    while (result == 0 && rest)
        result = add(algorithms, strsep(&rest, ","), flag, failure);
    free(copy);
    return result;
}

static int add_oracle(struct algorithms *algorithms, const char *name, bool several, struct failure *failure)
{
    const struct ldp_oracle *const oracle = ldp_oracle_find(name);
    static const char option[] = "--oracle";

    if (oracle && append_oracle(algorithms, oracle, option, failure) != 0)
        return -1;
    if (oracle)
        return 0;
    if (!several || strcmp(name, "all") != 0) {
        const char *names[NAMES_MAX];
        oracle_names(names);
        return unknown_name(option, several ? "an oracle or all" : "an oracle", name, names, failure);
    }
    algorithms->all_oracles = true;
    for (size_t i = 0; ldp_oracles[i]; i++)
        if (!(ldp_oracles[i]->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_BIASED | LDP_ORACLE_ORDINAL)) &&
            append_oracle(algorithms, ldp_oracles[i], option, failure) != 0)
            return -1;
    return 0;
}

int algorithms_add_oracle(struct algorithms *algorithms, const char *name, bool several, struct failure *failure)
{
    return several ? add_each(algorithms, name, true, add_oracle, failure)
                   : add_oracle(algorithms, name, false, failure);
}

int algorithms_add_ordered(struct algorithms *algorithms, bool unbiased, struct failure *failure)
{
    for (size_t i = 0; ldp_oracles[i]; i++)
        if (ldp_oracles[i]->flags & LDP_ORACLE_ORDINAL && !(unbiased && ldp_oracles[i]->flags & LDP_ORACLE_BIASED) &&
            append_oracle(algorithms, ldp_oracles[i], "--oracle", failure) != 0)
            return -1;
    return 0;
}

static int append_method(struct algorithms *algorithms, const struct ldp_method *method, struct failure *failure)
{
    for (size_t i = 0; i < algorithms->nmethods; i++)
        if (algorithms->methods[i].method == method)
            return fail(failure, EXIT_BAD_INPUT, "--method: expected each method once, got %s twice", method->name);
    assert(algorithms->nmethods < NAMES_MAX);
    struct ldp_method_spec *const spec = &algorithms->methods[algorithms->nmethods++];
    spec->method = method;
    ldp_params_default(method->params, spec->param);
    return 0;
}

static int add_method(struct algorithms *algorithms, const char *name, bool on_answers, struct failure *failure)
{
    const struct ldp_method *const method = ldp_method_find(name);

    if (method && method->on_answers && !on_answers)
        return fail(failure, EXIT_BAD_INPUT,
                    "--method: %s acts on answers of queries, not on estimates; for single values it is base_pos",
                    name);
    if (method)
        return append_method(algorithms, method, failure);
    if (strcmp(name, "all") != 0) {
        const char *names[NAMES_MAX];
        method_names(names);
        return unknown_name("--method", "a method", name, names, failure);
    }
    algorithms->all_methods = true;
    for (size_t i = 0; ldp_methods[i]; i++)
        if ((!ldp_methods[i]->on_answers || on_answers) && !(ldp_methods[i]->guarantees & LDP_NOT_IN_ALL) &&
            append_method(algorithms, ldp_methods[i], failure) != 0)
            return -1;
    return 0;
}

int algorithms_add_method(struct algorithms *algorithms, const char *name, bool on_answers, struct failure *failure)
{
    return add_each(algorithms, name, on_answers, add_method, failure);
}

int algorithms_suit(struct algorithms *algorithms, const struct ldp_protocol *protocol, struct failure *failure)
{
    size_t kept = 0;

    for (size_t i = 0; i < algorithms->nmethods; i++) {
        const struct ldp_method *const method = algorithms->methods[i].method;

        if (ldp_method_suits(method, protocol))
            algorithms->methods[kept++] = algorithms->methods[i];
        else if (!algorithms->all_methods)
            return fail(failure, EXIT_BAD_INPUT,
                        "--method: expected methods that suit the oracle, got %s with %s: it needs %s", method->name,
                        algorithms->oracles[0].oracle->name, ldp_method_needs(method));
        else if (!method->by_support) /* nobody misses the estimators of ordered oracles */
            algorithms->left_out[algorithms->nleft_out++] = method;
    }
    algorithms->nmethods = kept;
    return 0;
}

void algorithms_say_left_out(const struct algorithms *algorithms)
{
    const char *name[NAMES_MAX];
    size_t once[NAMES_MAX];
    const struct left_out left_out = {
        .nmethods = algorithms->nleft_out,
        .noracles = 1,
        .method = algorithms->left_out,
        .name = name,
        .oracle = &algorithms->oracles[0].oracle->name,
        .cells = once,
        .missing = once,
    };

    for (size_t i = 0; i < algorithms->nleft_out; i++) {
        name[i] = algorithms->left_out[i]->name;
        once[i] = 1;
    }
    for (size_t i = 0; i < algorithms->nleft_out; i++) {
        char *const sentence = left_out_sentence(&left_out, i);
        if (sentence)
            fprintf(stderr, "%s\n", sentence);
        free(sentence);
    }
}

int algorithms_add_param(struct algorithms *algorithms, const char *text, struct failure *failure)
{
    const size_t length = strcspn(text, "=");

    for (size_t i = 0; i < algorithms->nparams; i++)
        if (strncmp(algorithms->param[i], text, length) == 0 && algorithms->param[i][length] == '=')
            return fail(failure, EXIT_BAD_INPUT, "--param: expected each parameter once, got %s twice",
                        SHOWN_N(text, length));
    if (algorithms->nparams == PARAMS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--param: expected at most %d of them", PARAMS_MAX);
    algorithms->param[algorithms->nparams++] = text;
    return 0;
}

/* A value as configs write it: a number, true or false, the name of a choice. */
static int read_value(const struct ldp_param *param, const char *text, double *value, struct failure *failure)
{
    static const char *const flags[] = {"false", "true", NULL};
    const char *const *const words = param->kind == LDP_FLAG     ? flags
                                     : param->kind == LDP_CHOICE ? param->choices
                                                                 : NULL;
    char option[64];

    snprintf(option, sizeof option, "--param: %s", param->name);
    if (!words)
        return read_real(option, text, value, failure);
    size_t word;
    if (read_word(option, text, words, &word, failure) != 0)
        return -1;
    *value = (double)word;
    return 0;
}

/* 1 where the table has the parameter, 0 where it has not. */
static int give_param(const struct ldp_param *params, double *values, const char *name, size_t length, const char *text,
                      struct failure *failure)
{
    for (size_t i = 0; params && params[i].name; i++) {
        if (strlen(params[i].name) != length || strncmp(params[i].name, name, length) != 0)
            continue;
        if (read_value(&params[i], text, &values[i], failure) != 0)
            return -1;
        if (ldp_params_valid(params, values))
            return 1;
        char range[RANGE_TEXT], number[NUMBER_TEXT];
        return fail(failure, EXIT_BAD_INPUT, "--param: %s: expected %s, got %s", params[i].name,
                    format_range(params[i].kind != LDP_REAL, params[i].min, params[i].max, range),
                    format_number(values[i], number));
    }
    return 0;
}

/* The length of the name in NAME=VALUE. */
static int name_length(const char *text, size_t *length, struct failure *failure)
{
    const char *const equals = strchr(text, '=');

    if (!equals || equals == text)
        return fail(failure, EXIT_BAD_INPUT, "--param: expected NAME=VALUE, got \"%s\"", SHOWN(text));
    *length = (size_t)(equals - text);
    return 0;
}

/* True if the oracle contains another one, by the key of that name. */
static bool contains_by(const struct ldp_oracle *oracle, const char *name, size_t length)
{
    return oracle->inner && strlen(oracle->inner) == length && strncmp(oracle->inner, name, length) == 0;
}

/* row_oracle=NAME gives the sketches their row oracle: 1, or 0 where the name is not the key of a contained oracle. */
static int set_inner(struct algorithms *algorithms, const char *text, struct failure *failure)
{
    size_t length = 0;

    if (name_length(text, &length, failure) != 0)
        return -1;
    bool known = false;
    for (size_t i = 0; i < algorithms->noracles; i++)
        if (contains_by(algorithms->oracles[i].oracle, text, length)) {
            algorithms->oracles[i].inner = &algorithms->inner;
            algorithms->inner_key = algorithms->oracles[i].oracle->inner;
            known = true;
        }
    if (!known)
        return 0;
    algorithms->inner.oracle = ldp_oracle_find(text + length + 1);
    if (!algorithms->inner.oracle) {
        const char *names[NAMES_MAX];
        char option[64];
        oracle_names(names);
        snprintf(option, sizeof option, "--param: %.*s", (int)length, text);
        return unknown_name(option, "an oracle", text + length + 1, names, failure);
    }
    ldp_params_default(algorithms->inner.oracle->params, algorithms->inner.param);
    return 1;
}

/* row_oracle.NAME=VALUE: 1 where the row oracle has the parameter, else 0. */
static int set_of_inner(struct algorithms *algorithms, const char *text, size_t length, struct failure *failure)
{
    struct ldp_oracle_spec *const inner = &algorithms->inner;
    const size_t before = strcspn(text, ".");

    if (!inner->oracle || before >= length || strncmp(text, algorithms->inner_key, before) != 0 ||
        algorithms->inner_key[before] != '\0')
        return 0;
    return give_param(inner->oracle->params, inner->param, text + before + 1, length - before - 1, text + length + 1,
                      failure);
}

static int set_param(struct algorithms *algorithms, const char *text, struct failure *failure)
{
    size_t length = 0;

    if (name_length(text, &length, failure) != 0)
        return -1;
    int given = set_of_inner(algorithms, text, length, failure);
    bool known = given > 0;
    for (size_t i = 0; given >= 0 && i < algorithms->noracles + algorithms->nmethods; i++) {
        const bool oracle = i < algorithms->noracles;
        struct ldp_oracle_spec *const o = &algorithms->oracles[oracle ? i : 0];
        struct ldp_method_spec *const m = &algorithms->methods[oracle ? 0 : i - algorithms->noracles];

        given = give_param(oracle ? o->oracle->params : m->method->params, oracle ? o->param : m->param, text, length,
                           text + length + 1, failure);
        known |= given > 0;
    }
    if (given < 0)
        return -1;
    if (!known)
        return fail(failure, EXIT_BAD_INPUT, "--param: neither the oracle nor a method has a parameter \"%s\"",
                    SHOWN_N(text, length));
    return 0;
}

int algorithms_set_params(struct algorithms *algorithms, struct failure *failure)
{
    bool inner[PARAMS_MAX] = {false};

    /* The row oracle first, as other parameters may be its own. */
    for (size_t i = 0; i < algorithms->nparams; i++) {
        const int given = set_inner(algorithms, algorithms->param[i], failure);
        if (given < 0)
            return -1;
        inner[i] = given > 0;
    }
    for (size_t i = 0; i < algorithms->nparams; i++)
        if (!inner[i] && set_param(algorithms, algorithms->param[i], failure) != 0)
            return -1;
    return 0;
}

/* algorithms.c - see algorithms.h. The command line names a program, so that nothing else has to permit it. */
#include "commands/algorithms.h"

#include "support/files.h"
#include "support/memory.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Files ---- */

bool is_own_method(const char *word)
{
    return *word != '{' && strpbrk(word, "./") && !text_ends_with(word, ")");
}

cJSON *own_method(const char *option, const char *file, struct failure *failure)
{
    const bool is_script = text_ends_with(file, ".py");
    char *const path = access(file, is_script ? R_OK : X_OK) == 0 ? real_path(file) : NULL;

    if (!path) {
        fail(failure, EXIT_BAD_INPUT, "%s: expected FILE.py or a program that can be run, got %s", option,
             SHOWN_PATH(file));
        return NULL;
    }
    cJSON *const object = cJSON_CreateObject();
    json_add(object, "name=%s label=%s", "external", path_base(path));
    cJSON *const command = cJSON_AddArrayToObject(object, "command");
    if (is_script)
        cJSON_AddItemToArray(command, cJSON_CreateString("python3"));
    cJSON_AddItemToArray(command, cJSON_CreateString(path));
    free(path);
    return object;
}

/* ---- Elements of lists ---- */

int element_add(cJSON *list, const char *option, const char *word, const struct algorithm_kind *kind,
                struct failure *failure)
{
    const bool is_file = kind == &method_kind && is_own_method(word);
    cJSON *const element = is_file ? own_method(option, word, failure) : element_of(word, kind->key);
    struct json_file *json = NULL;
    size_t index;

    if (!element)
        return is_file ? -1
                       : fail(failure, EXIT_BAD_INPUT,
                              "%s: expected a name, NAME(PARAMETER=VALUE), or an object as in a config, got \"%s\"",
                              option, SHOWN(word));
    int result = json_open(option, element, &json, failure);
    if (result == 0) {
        const struct json_at root = json_root(json);
        result = algorithm_find(&root, kind, &index, failure);
    }
    json_free(json);
    if (result != 0)
        failure_name(failure, option, option);
    for (const cJSON *other = list->child; result == 0 && other; other = other->next)
        if (cJSON_Compare(other, element, true))
            result = fail(failure, EXIT_BAD_INPUT, "%s: expected each once, got %s twice", option, SHOWN(word));
    if (result == 0)
        cJSON_AddItemToArray(list, element);
    else
        cJSON_Delete(element);
    return result;
}

int elements_add(cJSON *list, const char *option, const struct texts *words, const struct algorithm_kind *kind,
                 bool *all, struct failure *failure)
{
    int result = 0;

    for (size_t i = 0; result == 0 && i < words->count; i++) {
        char *const copy = xstrdup(words->text[i]), *rest = copy;
        while (result == 0 && rest) {
            const char *const word = rest;
            char *const end = *rest == '{' ? rest + strlen(rest) : find_unnested(rest, ",");
            rest = *end ? end + 1 : NULL;
            *end = '\0';
            if (strcmp(word, "all") == 0)
                *all = true;
            else
                result = element_add(list, option, word, kind, failure);
        }
        free(copy);
    }
    return result;
}

int element_read(const char *option, const cJSON *element, const struct algorithm_kind *kind, void *choice,
                 struct failure *failure)
{
    struct json_file *json = NULL;
    int result = json_open(option, element, &json, failure);

    memset(choice, 0, kind->size);
    if (result == 0) {
        const struct json_at root = json_root(json);
        result = algorithm_read_one(&root, kind, choice, failure);
    }
    json_free(json);
    if (result != 0)
        failure_name(failure, option, option);
    return result;
}

int elements_read(const char *option, const cJSON *elements, const struct algorithm_kind *kind,
                  struct algorithm_list *out, struct failure *failure)
{
    const cJSON *element;
    int result = 0;

    algorithms_clear(kind, out);
    out->choice = xcalloc((size_t)cJSON_GetArraySize(elements) + 1, kind->size);
    cJSON_ArrayForEach(element, elements) if (result == 0) result =
        element_read(option, element, kind, (char *)out->choice + out->count++ * kind->size, failure);
    return result;
}

/* ---- What runs without a config ---- */

/* Reads a list; all: the names that "all" adds, which are then no duplicates of what was named. */
static int read_list(const char *option, const struct texts *words, const struct algorithm_kind *kind,
                     const char *const *all, bool *all_given, struct algorithm_list *out, struct failure *failure)
{
    cJSON *const list = cJSON_CreateArray();
    int result = elements_add(list, option, words, kind, all_given, failure);

    for (; result == 0 && *all_given && *all; all++)
        result = element_add(list, option, *all, kind, failure);
    if (result == 0)
        result = elements_read(option, list, kind, out, failure);
    cJSON_Delete(list);
    return result;
}

static int check(const struct algorithms *algorithms, struct failure *failure)
{
    if (algorithms->one && algorithms->oracles.count > 1)
        return fail(failure, EXIT_BAD_INPUT, "--oracle: expected one oracle, got %zu", algorithms->oracles.count);
    for (size_t i = 0; i < algorithms->oracles.count; i++)
        if (algorithms->oracles.choice[i].external)
            return fail(failure, EXIT_BAD_INPUT, "--oracle: expected oracles of the program, got external");
    for (size_t i = 0; i < algorithms->methods.count; i++) {
        const struct method_choice *const one = &algorithms->methods.choice[i];
        if (one->external)
            return fail(failure, EXIT_BAD_INPUT, "--method: expected methods of the program, got external");
        if (one->spec.method->on_answers)
            return fail(failure, EXIT_BAD_INPUT,
                        "--method: %s acts on answers of queries, not on estimates; for single values it is base_pos",
                        one->label);
    }
    return 0;
}

int algorithms_parse(struct algorithms *algorithms, struct failure *failure)
{
    const unsigned no =
        LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_BIASED | (algorithms->ordered ? 0 : (unsigned)LDP_ORACLE_ORDINAL);
    const char *oracles[NAMES_MAX] = {NULL}, *methods[NAMES_MAX] = {NULL};
    bool all_oracles = false;

    for (size_t i = 0, n = 0; ldp_oracles[i]; i++)
        if (!(ldp_oracles[i]->flags & no))
            oracles[n++] = ldp_oracles[i]->name;
    for (size_t i = 0, n = 0; ldp_methods[i]; i++)
        if (!ldp_methods[i]->on_answers && !(ldp_methods[i]->guarantees & LDP_NOT_IN_ALL))
            methods[n++] = ldp_methods[i]->name;
    if (read_list("--oracle", &algorithms->oracle, &oracle_kind, oracles, &all_oracles, &algorithms->oracles.list,
                  failure) != 0 ||
        read_list("--method", &algorithms->method, &method_kind, methods, &algorithms->all_methods,
                  &algorithms->methods.list, failure) != 0)
        return -1;
    return check(algorithms, failure);
}

void algorithms_use(struct algorithms *algorithms, const char *method)
{
    cJSON *const element = cJSON_CreateString(method);
    struct failure impossible = NO_REASON;

    element_read("--method", element, &method_kind, &algorithms->methods.choice[algorithms->methods.count++],
                 &impossible);
    cJSON_Delete(element);
}

void algorithms_free(struct algorithms *algorithms)
{
    algorithms_clear(&oracle_kind, &algorithms->oracles.list);
    algorithms_clear(&method_kind, &algorithms->methods.list);
    texts_clear(&algorithms->oracle);
    texts_clear(&algorithms->method);
}

int algorithms_suit(struct algorithms *algorithms, const struct ldp_protocol *protocol, struct failure *failure)
{
    struct method_list *const methods = &algorithms->methods;
    size_t kept = 0;

    for (size_t i = 0; i < methods->count; i++) {
        const struct ldp_method *const method = methods->choice[i].spec.method;

        if (!ldp_method_suits(method, protocol) && !algorithms->all_methods)
            return fail(failure, EXIT_BAD_INPUT,
                        "--method: expected methods that suit the oracle, got %s with %s: it needs %s", method->name,
                        algorithms->oracles.choice[0].label, ldp_method_needs(method));
        if (ldp_method_suits(method, protocol)) {
            methods->choice[kept++] = methods->choice[i];
            continue;
        }
        if (!method->by_support) /* nobody misses the estimators of ordered oracles */
            print_message("%s is left out for %s: it needs %s\n", method->name,
                          algorithms->oracles.choice[0].spec.oracle->name, ldp_method_needs(method));
        algorithm_clear(&method_kind, &methods->choice[i]);
    }
    methods->count = kept;
    return 0;
}

int protocol_prepare(struct ldp_protocol *protocol, const struct ldp_oracle_spec *oracle, size_t d, double epsilon,
                     struct failure *failure)
{
    struct ldp_reason reason;

    if (ldp_protocol_init(protocol, oracle, d, epsilon, &reason) == LDP_OK)
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "oracle %s does not suit d = %zu, epsilon = %g: %s", oracle->oracle->name, d,
                epsilon, reason.text);
}

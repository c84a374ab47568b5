/* own_methods.c - see own_methods.h. The command line names the program, so that nothing else has to permit it. */
#include "commands/own_methods.h"

#include "config/json.h"
#include "support/child.h"
#include "support/memory.h"
#include "support/text.h"
#include "tasks/outside.h"

#include <cjson/cJSON.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool own_method_is_file(const char *text)
{
    return strpbrk(text, "./") != NULL;
}

static bool ends_in(const char *file, const char *end)
{
    const size_t length = strlen(file), n = strlen(end);
    return length > n && strcmp(file + length - n, end) == 0;
}

static const char *base_name(const char *file)
{
    const char *const slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

char *own_method_config(const char *file)
{
    const bool python = ends_in(file, ".py");
    cJSON *const object = cJSON_CreateObject(), *const command = cJSON_CreateArray();
    char *const path = xformat("%s%s", strchr(file, '/') ? "" : "./", file);

    /* A shared object is refused by that name, with what to do instead. */
    cJSON_AddStringToObject(object, "name", ends_in(file, ".so") ? "plugin" : "external");
    cJSON_AddStringToObject(object, "label", base_name(file));
    if (python)
        cJSON_AddItemToArray(command, cJSON_CreateString("python3"));
    cJSON_AddItemToArray(command, cJSON_CreateString(path));
    cJSON_AddItemToObject(object, "command", command);
    char *const text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    free(path);
    return text;
}

static int read_choice(const char *file, struct method_choice *choice, struct failure *failure)
{
    char *const text = own_method_config(file);
    struct json_file *json = NULL;
    int result = text ? json_parse("--method", text, strlen(text), &json, failure) : fail_memory(failure);

    if (result == 0) {
        const struct json_at root = json_root(json);
        result = method_read(&root, choice, failure);
    }
    json_free(json);
    cJSON_free(text);
    return result;
}

int own_methods_add(struct own_methods *own, const char *file, struct algorithms *algorithms, struct failure *failure)
{
    struct method_choice *const choice = &own->choice[own->count];

    if (access(file, R_OK) != 0)
        return fail(failure, EXIT_BAD_INPUT, "--method: expected a method or a file that can be read, got %s",
                    SHOWN_PATH(file));
    if (own->count == OWN_METHODS_MAX || algorithms->nmethods == NAMES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "--method: expected at most %d files", OWN_METHODS_MAX);
    for (size_t i = 0; i < own->count; i++)
        if (strcmp(own->choice[i].label, base_name(file)) == 0)
            return fail(failure, EXIT_BAD_INPUT, "--method: expected each method once, got %s twice", SHOWN_PATH(file));
    if (read_choice(file, choice, failure) != 0) {
        method_clear(choice);
        return -1;
    }
    own->place[own->count++] = algorithms->nmethods;
    own->algorithms = algorithms;
    algorithms->methods[algorithms->nmethods++] = choice->spec;
    if (!child_program_exists(choice->outside->command[0]))
        return fail(failure, EXIT_BAD_INPUT, "--method: %s: cannot find the program %s", choice->outside->shown,
                    SHOWN_PATH(choice->outside->command[0]));
    return 0;
}

static size_t index_of(const struct own_methods *own, size_t place)
{
    size_t i = 0;

    while (i < own->count && own->place[i] != place)
        i++;
    return i;
}

const char *own_method_name(const struct own_methods *own, size_t place)
{
    const size_t i = index_of(own, place);
    return i < own->count ? own->choice[i].label : NULL;
}

void own_methods_begin(struct own_methods *own, const struct ldp_protocol *protocols, int threads)
{
    own->protocols = protocols;
    own->threads = threads;
    own->process = xcalloc((size_t)threads * OWN_METHODS_MAX, sizeof(struct outside_process *));
}

/* The oracle of a protocol with its parameters: each is a candidate once. */
static const struct ldp_oracle_spec *spec_of(const struct own_methods *own, size_t protocol)
{
    const struct ldp_oracle_spec *spec = own->algorithms->oracles;

    while (spec->oracle != own->protocols[protocol].oracle)
        spec++;
    return spec;
}

int own_methods_ask(void *asked, const struct ranking_question *question, double *out, struct failure *failure)
{
    struct own_methods *const own = asked;
    const size_t i = index_of(own, question->method);
    struct outside_process **const process = &own->process[(size_t)omp_get_thread_num() * OWN_METHODS_MAX + i];
    const struct outside_question full = {.protocol = &question->collection->observed,
                                          .oracle = spec_of(own, question->protocol),
                                          .n = question->collection->simulation.population->n,
                                          .seed = question->seed};

    if (!*process)
        *process = outside_process_new("method", own->choice[i].label, own->choice[i].outside);
    return outside_process_estimate(*process, &full, question->est, out, failure);
}

void own_methods_clear(struct own_methods *own)
{
    for (size_t i = 0; own->process && i < (size_t)own->threads * OWN_METHODS_MAX; i++)
        outside_process_free(own->process[i]);
    free(own->process);
    for (size_t i = 0; i < own->count; i++)
        method_clear(&own->choice[i]);
    memset(own, 0, sizeof *own);
}

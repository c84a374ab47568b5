/* fuzz_config.c - arbitrary bytes as JSON, with every getter on every value, and as a config. */
#include "file.h"

#include "config/sweep.h"
#include "tasks/task.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[] = {"name", "epsilon", "a", NULL};

static void check_failure(int result, const struct failure *failure)
{
    if (result != 0 && (failure->status != EXIT_BAD_INPUT || strncmp(failure->text, "fuzz:", 5) != 0))
        abort();
}

static void get_all(const struct json_at *at)
{
    struct failure failure;
    double number;

    check_failure(json_number(at, 0, INFINITY, &number, &failure), &failure);
    uint64_t whole;
    check_failure(json_integer(at, 0, UINT64_C(1) << 53, &whole, &failure), &failure);
    const char *text;
    check_failure(json_string(at, &text, &failure), &failure);
    bool flag;
    check_failure(json_flag(at, &flag, &failure), &failure);
    size_t index;
    check_failure(json_choice(at, NULL, keys, &index, &failure), &failure);
    check_failure(json_keys(at, keys, &failure), &failure);
    struct sweep sweep;
    if (sweep_read(at, false, nextafter(0, 1), 1e9, &sweep, &failure) == 0) {
        for (size_t i = 0; i < sweep.count; i++)
            if (!(sweep.values[i] > 0 && sweep.values[i] <= 1e9))
                abort();
        sweep_clear(&sweep);
    }
    struct json_at inner;
    for (size_t i = 0; keys[i]; i++)
        if (json_member(at, keys[i], &inner))
            get_all(&inner);
    size_t count;
    if (json_list(at, "a list", &inner, &count, &failure) == 0)
        do
            get_all(&inner);
        while (json_next(&inner));
}

/* Whether a config cannot ask for much: numbers of two digits, at most one sweep by steps, no files elsewhere. */
static bool is_modest(const char *text)
{
    const char *const step = strstr(text, "step");

    if (strpbrk(text, "/\\") || (step && strstr(step + 1, "step")))
        return false;
    int digits = 0;
    for (; *text; text++) {
        if (digits > 0 && (*text == 'e' || *text == 'E'))
            return false;
        digits = isdigit((unsigned char)*text) ? digits + 1 : 0;
        if (digits > 2)
            return false;
    }
    return true;
}

static void read_config(const char *text, size_t size)
{
    char path[100];

    fuzz_write(fuzz_path("config.json", path), (const uint8_t *)text, size);
    struct experiment *experiment;
    struct failure failure = {.text = ""};
    if (experiment_read(path, NULL, &experiment, &failure) == 0) {
        const size_t cells = experiment->setup->ncells;
        if (cells == 0 || cells > 1000000 || experiment->name[0] == '\0')
            abort();
        for (size_t i = 0; i < cells; i += 1 + cells / 4) {
            char *const key = experiment->task->cell_key(experiment->setup, i);
            const struct layout *const layout = experiment->task->layout(experiment->setup, i);

            if (!key) /* a layout may be empty: of a cell that no method suits */
                abort();
            for (size_t j = 0; j < layout->nseries; j++)
                if (layout->series[j].measure[0] == '\0')
                    abort();
            free(key);
        }
        experiment_free(experiment);
    } else if (failure.status != EXIT_BAD_INPUT || failure.text[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *const text = malloc(size + 1);

    memcpy(text, bytes, size);
    text[size] = '\0';
    struct failure failure;
    struct json_file *file;
    if (json_parse("fuzz", text, size, &file, &failure) == 0) {
        struct json_at root = json_root(file);
        get_all(&root);
        if (is_modest(text))
            read_config(text, size);
    } else
        check_failure(-1, &failure);
    json_free(file);
    free(text);
    return 0;
}

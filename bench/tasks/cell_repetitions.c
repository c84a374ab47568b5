/* cell_repetitions.c - see cell_repetitions.h. */
#include "tasks/cell_repetitions.h"

#include "ldpbench.h"
#include "support/index_map.h"
#include "support/input.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/text.h"
#include "tasks/task.h"

#include <stdlib.h>
#include <string.h>

static uint64_t fingerprint(const char *text)
{
    return ldp_fingerprint(text, strlen(text)).lo;
}

static int read_line(const char *path, size_t line, char *text, const struct index_map *cells,
                     struct experiment *experiment, bool *named, struct failure *failure)
{
    char *const tab = strchr(text, '\t');
    char *end = text;
    const unsigned long long number = strtoull(text, &end, 10);

    if (!tab || end != tab || text[0] < '0' || text[0] > '9')
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a number of repetitions, a tab and a cell, got \"%s\"",
                    path, line, SHOWN(text));
    if (number < 1 || number > REPETITIONS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected repetitions from 1 to %d, got %.*s", path, line,
                    REPETITIONS_MAX, (int)(tab - text < 40 ? tab - text : 40), text);
    const int32_t cell = index_map_find(cells, fingerprint(tab + 1));
    if (cell == NONE)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s:%zu: expected a cell of %s, as --dry-run --verbose prints them, got \"%s\"", path, line,
                    experiment->file, SHOWN(tab + 1));
    if (named[cell])
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected each cell once, got \"%s\" twice", path, line,
                    SHOWN(tab + 1));
    named[cell] = true;
    experiment->of_cell[cell] = (uint32_t)number;
    if (number > experiment->repetitions)
        experiment->repetitions = (uint32_t)number;
    return 0;
}

static int read_lines(const char *path, char *bytes, const struct index_map *cells, struct experiment *experiment,
                      bool *named, struct failure *failure)
{
    size_t line = 0;

    for (char *at = bytes, *next; *at; at = next) {
        next = at + strcspn(at, "\n");
        if (*next)
            *next++ = '\0';
        if (read_line(path, ++line, at, cells, experiment, named, failure) != 0)
            return -1;
    }
    return 0;
}

int cell_repetitions_read(const char *path, struct experiment *experiment, struct failure *failure)
{
    const size_t ncells = experiment->setup->ncells;

    if (experiment->precision.from > 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "--cells: expected a config with a number of repetitions, got one with a "
                    "precision: %s",
                    experiment->file);
    char *bytes;
    size_t size;
    if (input_read_all(path, 256, &bytes, &size, failure) != 0)
        return -1;
    if (size == 0 || strlen(bytes) != size) {
        free(bytes);
        return fail(failure, EXIT_BAD_INPUT, "%s: expected lines of a number of repetitions, a tab and a cell, got %s",
                    SHOWN_PATH(path), size == 0 ? "an empty file" : "a binary file");
    }
    struct index_map cells = {0};
    bool *const named = xcalloc(ncells, sizeof *named);
    experiment->of_cell = xcalloc(ncells, sizeof *experiment->of_cell);
    for (size_t cell = 0; cell < ncells; cell++) {
        char *const key = experiment->task->cell_key(experiment->setup, cell);

        *index_map_at(&cells, fingerprint(key)) = (int32_t)cell;
        experiment->of_cell[cell] = experiment->repetitions;
        free(key);
    }
    const int result = read_lines(path, bytes, &cells, experiment, named, failure);
    index_map_clear(&cells);
    free(named);
    free(bytes);
    return result;
}

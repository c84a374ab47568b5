/* origin.c - the command that asked for a run, as its store keeps it; see run.h. */
#include "commands/run.h"

#include "config/axes.h"
#include "run/provenance.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *origin_text(const struct experiment *experiment, const struct overrides *overrides)
{
    char *text = NULL, *const path = realpath(experiment->file, NULL);
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    if (out) {
        char hash[33];
        config_hash(experiment, hash);
        fprintf(out, "config=%s\nhash=%s\n", path ? path : experiment->file, hash);
        if (overrides->has_seed)
            fprintf(out, "seed=%llu\n", (unsigned long long)overrides->seed);
        if (overrides->has_repetitions)
            fprintf(out, "repetitions=%lu\n", (unsigned long)overrides->repetitions);
        if (overrides->has_mode)
            fprintf(out, "simulation=%s\n", simulations[overrides->mode]);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    free(path);
    return text;
}

static int read_line(const char *line, struct origin *origin)
{
    struct overrides *const overrides = &origin->overrides;

    if (strncmp(line, "config=", 7) == 0) {
        free(origin->config);
        origin->config = xstrdup(line + 7);
        return origin->config ? 0 : -1;
    }
    if (strncmp(line, "hash=", 5) == 0)
        snprintf(origin->hash, sizeof origin->hash, "%s", line + 5);
    unsigned long long number;
    if (sscanf(line, "seed=%llu", &number) == 1) {
        overrides->has_seed = true;
        overrides->seed = number;
    }
    if (sscanf(line, "repetitions=%llu", &number) == 1) {
        overrides->has_repetitions = true;
        overrides->repetitions = (uint32_t)number;
    }
    for (size_t i = 0; strncmp(line, "simulation=", 11) == 0 && simulations[i]; i++)
        if (strcmp(line + 11, simulations[i]) == 0) {
            overrides->has_mode = true;
            overrides->mode = (enum ldp_mode)i;
        }
    return 0;
}

int origin_read(const char *text, struct origin *origin, struct failure *failure)
{
    char *const copy = xstrdup(text);

    memset(origin, 0, sizeof *origin);
    char *rest = NULL;
    int result = copy ? 0 : -1;
    for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; result == 0 && line;
         line = strtok_r(NULL, "\n", &rest))
        result = read_line(line, origin);
    free(copy);
    return result == 0 && origin->config ? 0 : fail_memory(failure);
}

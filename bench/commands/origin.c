/* origin.c - the command that asked for a run, as its store keeps it; see run.h. */
#include "commands/run.h"

#include "config/axes.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *origin_text(const struct experiment *experiment, const struct overrides *overrides)
{
    char *const path = real_path(experiment->file), hash[33];
    struct buffer text = {0};

    config_hash(experiment, hash);
    buffer_format(&text, "config=%s\nhash=%s\n", path ? path : experiment->file, hash);
    if (overrides->has_seed)
        buffer_format(&text, "seed=%llu\n", (unsigned long long)overrides->seed);
    if (overrides->has_repetitions)
        buffer_format(&text, "repetitions=%lu\n", (unsigned long)overrides->repetitions);
    if (overrides->has_mode)
        buffer_format(&text, "simulation=%s\n", simulations[overrides->mode]);
    free(path);
    return buffer_take(&text);
}

static void read_line(const char *line, struct origin *origin)
{
    struct overrides *const overrides = &origin->overrides;

    if (strncmp(line, "config=", 7) == 0) {
        free(origin->config);
        origin->config = xstrdup(line + 7);
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
}

void origin_read(const char *text, struct origin *origin)
{
    char *const copy = xstrdup(text), *rest = NULL;

    *origin = (struct origin){0};
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(line, origin);
    free(copy);
}

/* protection.c - what chains, synopses or oracles of an experiment protect, and where that is not the same: a sentence
 * for run.json. */
#include "support/memory.h"
#include "tasks/task.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the lines of subjects that occur first in a cell. */
static void add_first(struct protection *found, const struct ledger *ledger)
{
    const size_t before = found->count;

    for (size_t i = 0; i < ledger->count; i++) {
        bool known = false;

        for (size_t j = 0; j < before; j++)
            known |= strcmp(found->line[j].subject, ledger->line[i].subject) == 0;
        if (!known)
            *ARRAY_ADD(found->line, found->count, found->room) = ledger->line[i];
    }
    found->cells += found->count > before;
}

struct protection protection_of(const struct experiment *experiment)
{
    const struct setup *const setup = experiment->setup;
    struct protection found = {0};
    struct texts looked = {0};

    for (size_t cell = 0; experiment->task->ledger && cell < setup->ncells; cell++) {
        const char *const subject = cell_label(setup, cell, PART_ALGORITHM);
        struct ledger ledger = {0};
        bool known = false;

        for (size_t i = 0; subject && i < looked.count; i++)
            known |= strcmp(looked.text[i], subject) == 0;
        if (known)
            continue;
        if (subject)
            texts_keep(&looked, xstrdup(subject));
        experiment->task->ledger(setup, cell, &ledger);
        add_first(&found, &ledger);
    }
    texts_clear(&looked);
    return found;
}

static void print_upper(FILE *out, const struct ledger_line *line)
{
    if (isinf(line->high))
        fputs("not protected", out);
    else
        fprintf(out, "%.4g", line->high);
}

/* The least and the most of one kind of protection; whether they differ. */
static bool print_range(FILE *out, const struct protection *lines, const char *protects)
{
    const struct ledger_line *least = NULL, *most = NULL;

    for (size_t i = 0; i < lines->count; i++) {
        const struct ledger_line *const line = &lines->line[i];

        if (strcmp(line->protects, protects) != 0)
            continue;
        least = !least || line->high < least->high ? line : least;
        most = !most || line->high > most->high ? line : most;
    }
    assert(most);
    if (!(most->high > least->high * (1 + 1e-4))) { /* solved for, to a few digits */
        fprintf(out, "%s ", protects);
        print_upper(out, most);
        return false;
    }
    fprintf(out, "%s ", protects);
    print_upper(out, least);
    fprintf(out, " (%s) to ", least->subject);
    print_upper(out, most);
    fprintf(out, " (%s)", most->subject);
    return true;
}

char *protection_differences(const struct experiment *experiment)
{
    const struct protection lines = protection_of(experiment);
    char *text = NULL;
    size_t size = 0;
    bool differ = false;
    FILE *const out = xmemstream(&text, &size);

    fputs("Protection differs, as epsilon, each where it occurs first: ", out);
    for (size_t i = 0; i < lines.count; i++) {
        if (i > 0 && strcmp(lines.line[i].subject, lines.line[0].subject) != 0)
            break; /* the first has all kinds */
        fputs(i > 0 ? "; " : "", out);
        differ |= print_range(out, &lines, lines.line[i].protects);
    }
    putc('.', out);
    fclose(out);
    free(lines.line);
    if (differ)
        return text;
    free(text);
    return NULL;
}

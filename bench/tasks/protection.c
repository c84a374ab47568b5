/* protection.c - where chains, synopses or oracles of an experiment do not protect the same: a sentence for run.json.
 */
#include "support/memory.h"
#include "tasks/task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines of every subject, from the cell where it occurs first. */
struct lines {
    struct ledger_line *line;
    size_t count, room;
};

static bool has_subject(const struct lines *lines, const char *subject)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->line[i].subject, subject) == 0)
            return true;
    return false;
}

static void gather(const struct experiment *experiment, struct lines *lines)
{
    const struct setup *const setup = experiment->setup;
    struct texts looked = {0};

    for (size_t cell = 0; experiment->task->ledger && cell < setup->ncells; cell++) {
        const char *const chain = cell_label(setup, cell, PART_ALGORITHM), *const subject =
                                                                               chain ? chain
                                                                                     : cell_label(setup, cell,
                                                                                                  PART_ORACLE);
        struct ledger ledger = {0};
        bool known = false;

        for (size_t i = 0; subject && i < looked.count; i++)
            known |= strcmp(looked.text[i], subject) == 0;
        if (known)
            continue;
        if (subject)
            texts_keep(&looked, xstrdup(subject));
        experiment->task->ledger(setup, cell, &ledger);
        const size_t before = lines->count;
        for (size_t i = 0; i < ledger.count; i++)
            if (!has_subject(&(struct lines){lines->line, before, 0}, ledger.line[i].subject))
                *ARRAY_ADD(lines->line, lines->count, lines->room) = ledger.line[i];
    }
    texts_clear(&looked);
}

static void print_end(FILE *out, const struct ledger_line *line)
{
    if (isinf(line->high))
        fprintf(out, "not protected (%s)", line->subject);
    else
        fprintf(out, "%.4g (%s)", line->high, line->subject);
}

/* The least and the most of one kind of protection; whether they differ. */
static bool print_range(FILE *out, const struct lines *lines, const char *protects)
{
    const struct ledger_line *least = NULL, *most = NULL;

    for (size_t i = 0; i < lines->count; i++) {
        const struct ledger_line *const line = &lines->line[i];

        if (strcmp(line->protects, protects) != 0)
            continue;
        least = !least || line->high < least->high ? line : least;
        most = !most || line->high > most->high ? line : most;
    }
    if (!(most->high > least->high * (1 + 1e-4))) { /* solved for, to a few digits */
        fprintf(out, "%s %.4g", protects, most->high);
        return false;
    }
    fprintf(out, "%s ", protects);
    print_end(out, least);
    fputs(" to ", out);
    print_end(out, most);
    return true;
}

char *protection_differences(const struct experiment *experiment)
{
    struct lines lines = {0};
    char *text = NULL;
    size_t size = 0;
    bool differ = false;
    FILE *const out = xmemstream(&text, &size);

    gather(experiment, &lines);
    fputs("Protection differs, as epsilon, each where it occurs first: ", out);
    for (size_t i = 0; i < lines.count; i++) {
        if (i > 0 && strcmp(lines.line[i].subject, lines.line[0].subject) != 0)
            break; /* the first has all kinds */
        fputs(i > 0 ? "; " : "", out);
        differ |= print_range(out, &lines, lines.line[i].protects);
    }
    putc('.', out);
    if (fclose(out) != 0)
        out_of_memory();
    free(lines.line);
    if (differ)
        return text;
    free(text);
    return NULL;
}

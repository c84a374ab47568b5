/* dataset_notes.c - see dataset_notes.h. */
#include "config/dataset_notes.h"

#include "strings.h"
#include "support/memory.h"

#include <inttypes.h>
#include <stdlib.h>

static void add_note(struct buffer *text, uint64_t users, uint64_t strings, const char *what)
{
    if (users > 0)
        buffer_format(text, "%s%" PRIu64 " users (different strings: %" PRIu64 ") %s", text->text ? "; " : "", users,
                      strings, what);
}

/* What is said of the strings of a file. */
static void add_notes(const struct dataset *dataset, struct buffer *text)
{
    const struct dataset_strings *const strings = dataset->strings;
    const bool otherwise = strings->otherwise_users > 0; /* all of them are one string outside the alphabet */
    char *const begin = xformat("do not begin with \"%s\" and cannot be found", strings->known ? strings->known : "");
    add_note(text, strings->otherwise_users, strings->otherwise_strings, begin);
    free(begin);
    add_note(text, strings->outside_users - strings->otherwise_users, strings->outside_strings - otherwise,
             "have symbols outside the alphabet and cannot be found");
    char *const cut =
        xformat("have more than %u %s, which were cut", strings->strings.length, strings->bits ? "bits" : "symbols");
    add_note(text, strings->cut_users, strings->cut_strings, cut);
    free(cut);
    if (strings->hashed) {
        add_note(text, strings->spelt_users, strings->spelt_strings, "share their hash, and are counted together");
        return;
    }
    add_note(text, strings->blank_users, strings->blank_strings,
             "differ from others only in blanks at their end, which do not count");
    add_note(text, strings->spelt_users, strings->spelt_strings,
             "are written in several ways (%XX for a byte), which are counted together");
}

char *dataset_note(const struct dataset *dataset)
{
    struct buffer text = {0};

    if (dataset->note)
        buffer_add(&text, dataset->note);
    if (dataset->strings)
        add_notes(dataset, &text);
    char *const note = text.text ? xformat("%s: %s", dataset->name, text.text) : NULL;
    buffer_clear(&text);
    return note;
}

void dataset_notes(const struct dataset_list *datasets, struct texts *notes)
{
    for (size_t i = 0; i < datasets->count; i++) {
        char *const note = dataset_note(datasets->dataset[i]);
        if (note)
            texts_keep(notes, note);
    }
}

/* string_notes.c - see string_notes.h. */
#include "config/string_notes.h"

#include "strings.h"

#include <inttypes.h>
#include <stdio.h>

int string_notes(const struct dataset_list *datasets, struct texts *notes, struct failure *failure)
{
    for (size_t i = 0; i < datasets->count; i++) {
        const struct dataset *const dataset = datasets->dataset[i];
        const struct dataset_strings *const strings = dataset->strings;
        char outside[160] = "", cut[160] = "";

        if (strings && strings->outside_users > 0)
            snprintf(outside, sizeof outside,
                     "%" PRIu64 " users (different strings: %" PRIu64
                     ") have symbols outside the alphabet and cannot be found",
                     strings->outside_users, strings->outside_strings);
        if (strings && strings->cut_users > 0)
            snprintf(cut, sizeof cut,
                     "%" PRIu64 " users (different strings: %" PRIu64 ") have more than %u %s, which were cut",
                     strings->cut_users, strings->cut_strings, strings->strings.length,
                     strings->bits ? "bits" : "symbols");
        if ((*outside || *cut) && !texts_keep(notes, text_format("%s: in the file %s%s%s", dataset->name, outside,
                                                                 *outside && *cut ? "; " : "", cut)))
            return fail_memory(failure);
    }
    return 0;
}

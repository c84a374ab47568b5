/* contents.c - see contents.h. */
#include "contents.h"

#include "support/memory.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name, *words;
} all[] = {
    [CONTENTS_FILE] = {"file", "files"},
    [CONTENTS_STRINGS] = {"strings", "strings"},
    [CONTENTS_RECORDS] = {"records", "records"},
    [CONTENTS_SETS] = {"sets", "sets"},
    [CONTENTS_MARGINALS] = {"marginals", "marginals"},
};

char *contents_text(enum contents contents, const struct ldp_fingerprint *print, size_t count)
{
    struct buffer text = {0};

    for (size_t i = 0; i < count; i++)
        buffer_format(&text, "%s%s%016" PRIx64 "%016" PRIx64, i == 0 ? all[contents].name : "", i == 0 ? "=" : "+",
                      print[i].hi, print[i].lo);
    return buffer_take(&text);
}

const char *contents_words(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strlen(all[i].name) == length && strncmp(all[i].name, name, length) == 0)
            return all[i].words;
    return NULL;
}

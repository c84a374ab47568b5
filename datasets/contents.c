/* contents.c - see contents.h. */
#include "contents.h"

#include "support/memory.h"

#include <inttypes.h>

static const char *const names[] = {[CONTENTS_FILE] = "file",
                                    [CONTENTS_STRINGS] = "strings",
                                    [CONTENTS_RECORDS] = "records",
                                    [CONTENTS_SETS] = "sets",
                                    [CONTENTS_MARGINALS] = "marginals"};

char *contents_text(enum contents contents, const struct ldp_fingerprint *print, size_t count)
{
    struct buffer text = {0};

    for (size_t i = 0; i < count; i++)
        buffer_format(&text, "%s%s%016" PRIx64 "%016" PRIx64, i == 0 ? names[contents] : "", i == 0 ? "=" : "+",
                      print[i].hi, print[i].lo);
    return buffer_take(&text);
}

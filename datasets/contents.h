/* contents.h - things that keys of the store know by a fingerprint of their contents, as NAME=FINGERPRINT. */
#ifndef LDPBENCH_CONTENTS_H
#define LDPBENCH_CONTENTS_H

#include "ldp.h"

#include <stddef.h>

enum contents { CONTENTS_FILE, CONTENTS_STRINGS, CONTENTS_RECORDS, CONTENTS_SETS, CONTENTS_MARGINALS };

/* "records=FINGERPRINT+FINGERPRINT". Malloc'd. */
char *contents_text(enum contents contents, const struct ldp_fingerprint *print, size_t count);

#endif

/* failure.c - see failure.h. */
#include "support/failure.h"

#include "support/memory.h"
#include "support/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum exit_status failure_status(int error)
{
    switch (error) {
    case EIO:
    case EAGAIN: /* no further process */
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return EXIT_MACHINE;
    default: return EXIT_BAD_INPUT;
    }
}

int fail(struct failure *failure, enum exit_status status, const char *format, ...)
{
    failure->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    for (char *c = failure->text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    text_clean(failure->text); /* also what the message's end cut in half */
    return -1;
}

int fail_memory(struct failure *failure)
{
    out_of_memory();
}

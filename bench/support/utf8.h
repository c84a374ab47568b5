/* utf8.h - characters of UTF-8 text (RFC 3629). */
#ifndef LDPBENCH_UTF8_H
#define LDPBENCH_UTF8_H

#include <stddef.h>

/* Bytes of the character at p, 0 if it is none: shortest form only, no surrogates. p < end. */
size_t utf8_length(const char *p, const char *end);

#endif

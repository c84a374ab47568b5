/* base64.h - bytes as text (RFC 4648, section 4). */
#ifndef LDPBENCH_BASE64_H
#define LDPBENCH_BASE64_H

#include <stddef.h>
#include <stdio.h>

void base64_write(FILE *out, const unsigned char *bytes, size_t length);

#endif

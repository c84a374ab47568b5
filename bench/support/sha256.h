/* sha256.h - the fingerprint of a file in run.json and in pictures: sha256sum gives the same. */
#ifndef LDPBENCH_SUPPORT_SHA256_H
#define LDPBENCH_SUPPORT_SHA256_H

#include <sha2.h>

enum { SHA256_TEXT = SHA256_DIGEST_STRING_LENGTH }; /* 64 hexadecimal digits and the end */

/* The hash of a file's bytes; -1 with errno set, and text "", if it cannot be read. */
int sha256_file(const char *path, char text[SHA256_TEXT]);

#endif

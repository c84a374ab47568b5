/* sha256.h - SHA-256 (FIPS 180-4), the fingerprint of files in run.json and in pictures: sha256sum gives the same. */
#ifndef LDPBENCH_SUPPORT_SHA256_H
#define LDPBENCH_SUPPORT_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and the end */

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t size);
void sha256_end(struct sha256 *sha, char text[SHA256_TEXT]);

/* The hash of a file's bytes; -1 with errno set, and text "", if it cannot be read. */
int sha256_file(const char *path, char text[SHA256_TEXT]);

#endif

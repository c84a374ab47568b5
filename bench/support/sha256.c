/* sha256.c - see sha256.h. Names and numbers are those of FIPS 180-4, sections 4.1.2, 4.2.2, 5 and 6.2. */
#include "support/sha256.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void add_block(uint32_t state[8], const unsigned char block[64])
{
    uint32_t w[64], s[8];

    for (size_t t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (size_t t = 16; t < 64; t++) {
        const uint32_t a = w[t - 15], b = w[t - 2];

        w[t] = (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10) + w[t - 7] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) + w[t - 16];
    }
    memcpy(s, state, sizeof s);
    /* Words move by one place a round: round t finds s[i] at place i - t. */
#define S(i) s[((i) + 64 - t) % 8]
#pragma GCC unroll 8
    for (size_t t = 0; t < 64; t++) {
        const uint32_t sum1 = rotr(S(4), 6) ^ rotr(S(4), 11) ^ rotr(S(4), 25);
        const uint32_t sum0 = rotr(S(0), 2) ^ rotr(S(0), 13) ^ rotr(S(0), 22);
        const uint32_t choice = (S(4) & S(5)) ^ (~S(4) & S(6));
        const uint32_t majority = (S(0) & S(1)) ^ (S(0) & S(2)) ^ (S(1) & S(2));
        const uint32_t t1 = S(7) + sum1 + choice + K[t] + w[t];

        S(3) += t1;
        S(7) = t1 + sum0 + majority;
    }
#undef S
    for (size_t i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_begin(struct sha256 *sha)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(sha->state, start, sizeof start);
    sha->length = 0;
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;

    while (size > 0) {
        const size_t used = (size_t)(sha->length % 64), part = size < 64 - used ? size : 64 - used;

        if (part == 64) {
            add_block(sha->state, from);
        } else {
            memcpy(sha->block + used, from, part);
            if (used + part == 64)
                add_block(sha->state, sha->block);
        }
        sha->length += part;
        from += part;
        size -= part;
    }
}

void sha256_end(struct sha256 *sha, char text[SHA256_TEXT])
{
    static const unsigned char padding[64] = {0x80};
    const uint64_t bits = 8 * sha->length;
    unsigned char length[8];

    for (size_t i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(sha, padding, 1 + (119 - sha->length % 64) % 64);
    sha256_add(sha, length, sizeof length);
    for (size_t i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08lx", (unsigned long)sha->state[i]);
}

int sha256_file(const char *path, char text[SHA256_TEXT])
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait for its writer */
    struct stat status;
    const bool regular = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    char piece[1 << 13];
    struct sha256 sha;
    ssize_t size = -1;

    *text = '\0';
    sha256_begin(&sha);
    while (regular && (size = read(descriptor, piece, sizeof piece)) > 0)
        sha256_add(&sha, piece, (size_t)size);
    if (descriptor >= 0)
        close(descriptor);
    if (size != 0)
        return -1;
    sha256_end(&sha, text);
    return 0;
}

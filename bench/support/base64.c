/* base64.c - see base64.h. */
#include "support/base64.h"

#include <stdint.h>

void base64_write(FILE *out, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < length; i += 3) {
        const uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (i + 2 < length ? bytes[i + 2] : 0);

        char four[4];

        for (size_t j = 0; j < 4; j++)
            four[j] = i + j <= length ? digits[three >> (18 - 6 * j) & 63] : '=';
        fwrite(four, 1, sizeof four, out);
    }
}

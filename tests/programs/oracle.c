/* oracle.c - an oracle outside the program, as docs/compare.md has its protocol: randomised response, user by user.
 * usage: oracle [truth]    truth: supports are what users have */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text behind "NAME=" in a line, "0" where there is none. */
static const char *field(const char *line, const char *name)
{
    const char *const at = strstr(line, name);

    return at ? at + strlen(name) : "0";
}

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): from 0 to 1. */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

int main(int argc, char **argv)
{
    char line[4096];

    (void)argv;
    puts("ldpbench 2");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        const size_t d = strtoul(field(line, " d="), NULL, 10);
        const double e = exp(strtod(field(line, " epsilon="), NULL)), others = (double)d - 1;
        const double p = argc > 1 ? 1 : e / (e + others), q = argc > 1 ? 0 : 1 / (e + others);
        uint64_t state = strtoull(field(line, " seed="), NULL, 10);
        double *const counts = calloc(2 * d, sizeof *counts), *const support = counts + d;

        if (!counts || fread(counts, sizeof *counts, d, stdin) != d)
            return 1;
        for (size_t v = 0; v < d; v++)
            for (double i = 0; i < counts[v]; i++) {
                const size_t other = (size_t)(uniform(&state) * others);

                support[uniform(&state) < p ? v : other + (other >= v)]++;
            }
        printf("support %zu p=%.17g q=%.17g question=%llu\n", d, p, q, strtoull(field(line, " question="), NULL, 10));
        fwrite(support, sizeof *support, d, stdout);
        fflush(stdout);
        free(counts);
    }
    return 0;
}

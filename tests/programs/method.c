/* method.c - a method outside the program, as docs/compare.md has its protocol: negative frequencies are 0, all are
 * multiplied by FACTOR.
 * usage: method [FACTOR [all]]    -1: it is aborted; 0: it divides by 0; all: negative ones stay */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number behind "NAME=" in a line, 0 where there is none. */
static unsigned long long field(const char *line, const char *name)
{
    const char *const at = strstr(line, name);

    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    const double factor = argc > 1 ? strtod(argv[1], NULL) : 1;
    char line[4096];

    puts("ldpbench 2");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        const size_t d = (size_t)field(line, " d=");
        double *const est = calloc(d, sizeof *est);

        if (!est || fread(est, sizeof *est, d, stdin) != d)
            return 1;
        if (factor < 0)
            abort();
        for (size_t v = 0; v < d; v++)
            est[v] = (est[v] > 0 || argc > 2 ? est[v] : 0) * factor / (factor > 0 ? 1 : 0);
        printf("%zu question=%llu\n", d, field(line, " question="));
        fwrite(est, sizeof *est, d, stdout);
        fflush(stdout);
        free(est);
    }
    return 0;
}

/* told_dataset.h - a dataset as a command line tells it: a file, or a law such as 'zipf(s=1.5,d=1024,n=1e6)'. */
#ifndef LDPBENCH_TOLD_DATASET_H
#define LDPBENCH_TOLD_DATASET_H

#include "dataset.h"

/* What the options set for strings: length and alphabet, or bits; 0 and NULL if not given. */
struct told_strings {
    double length, bits;
    const char *alphabet;
};

/* Their rows in a table of options. */
enum { TOLD_LENGTH = 1100, TOLD_ALPHABET, TOLD_BITS };
#define OPTIONS_TOLD_STRINGS                                                                                           \
    {.name = "length",                                                                                                 \
     .code = TOLD_LENGTH,                                                                                              \
     .value = "SYMBOLS",                                                                                               \
     .help = "For strings: cut each after this many symbols. Default: no limit."},                                   \
        {.name = "alphabet",                                                                                           \
         .code = TOLD_ALPHABET,                                                                                        \
         .value = "SYMBOLS",                                                                                           \
         .help = "For strings: the symbols that a search would use, such as a-z. Default: all that occur."},            \
    {                                                                                                                  \
        .name = "bits", .code = TOLD_BITS, .value = "BITS",                                                            \
        .help = "For strings: use this many bits of each, instead of length and alphabet."                                   \
    }

int read_told_strings(int option, const char *text, struct told_strings *form, struct failure *failure);

/* The dataset of `spec`, with n users in place of the file's where n is not 0. command stands in messages. 0, or -1 with
 * the failure set. */
int told_dataset(const char *command, const char *spec, const struct told_strings *form, uint64_t n,
                 struct dataset **out, struct failure *failure);

#endif

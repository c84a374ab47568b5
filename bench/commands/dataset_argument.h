/* dataset_argument.h - a dataset as an argument of a command: a file, or a law such as 'zipf(s=1.5,d=1024,n=1e6)'. */
#ifndef LDPBENCH_DATASET_ARGUMENT_H
#define LDPBENCH_DATASET_ARGUMENT_H

#include "dataset.h"

/* Options of strings: length and alphabet, or bits; 0 and NULL if not given. */
struct strings_options {
    double length, bits;
    const char *alphabet;
    const char *columns; /* of records */
};

/* Their rows in a table of options. */
enum { STRINGS_LENGTH = 1100, STRINGS_ALPHABET, STRINGS_BITS, RECORDS_COLUMNS };
#define OPTION_COLUMNS                                                                                                 \
    {                                                                                                                  \
        .name = "columns", .code = RECORDS_COLUMNS, .value = "NAMES",                                                  \
        .help = "For records: the columns to use, separated by blanks. Default: all."                                  \
    }
#define OPTIONS_STRINGS                                                                                                \
    {.name = "length",                                                                                                 \
     .code = STRINGS_LENGTH,                                                                                           \
     .value = "SYMBOLS",                                                                                               \
     .help = "For strings: cut each after this many symbols. Default: no limit."},                                     \
        {.name = "alphabet",                                                                                           \
         .code = STRINGS_ALPHABET,                                                                                     \
         .value = "SYMBOLS",                                                                                           \
         .help = "For strings: the symbols that a search would use, such as a-z. Default: all that occur."},           \
    {                                                                                                                  \
        .name = "bits", .code = STRINGS_BITS, .value = "BITS",                                                         \
        .help = "For strings: use this many bits of each, instead of length and alphabet."                             \
    }

int read_strings_option(int option, const char *text, struct strings_options *form, struct failure *failure);

/* The dataset of `spec`, with n users in place of the file's where n is not 0. command is named in messages. 0, or -1
 * with the failure set. */
int read_dataset_argument(const char *command, const char *spec, const struct strings_options *form, uint64_t n,
                          struct dataset **out, struct failure *failure);

#endif

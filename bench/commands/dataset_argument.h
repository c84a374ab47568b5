/* dataset_argument.h - a dataset as an argument of a command: a file, or a law such as 'zipf(s=1.5,d=1024,n=1e6)'. */
#ifndef LDPBENCH_DATASET_ARGUMENT_H
#define LDPBENCH_DATASET_ARGUMENT_H

#include "dataset.h"

/* Options of files. Of strings: length and alphabet, or bits; 0 and NULL if not given. */
struct strings_options {
    double length, bits, hash, known;
    const char *alphabet;
    const char *columns;  /* of records; of answers one */
    const char *missing;  /* of records and answers, as are: */
    unsigned bins, other; /* 0: not given */
    bool range, no_header;
    bool answers;          /* a column of records is read as counts */
    bool keep_identifiers; /* columns that name their users are read, and marked */
};

/* Their rows in a table of options. */
enum {
    STRINGS_LENGTH = 1100,
    STRINGS_ALPHABET,
    STRINGS_BITS,
    STRINGS_HASH,
    STRINGS_KNOWN,
    RECORDS_COLUMNS,
    RECORDS_BINS_OPTION,
    RECORDS_OTHER_OPTION,
    RECORDS_RANGE_OPTION,
    RECORDS_MISSING_OPTION,
    RECORDS_NO_HEADER_OPTION
};
#define OPTION_COLUMNS                                                                                                 \
    {                                                                                                                  \
        .name = "columns", .code = RECORDS_COLUMNS, .value = "NAMES",                                                  \
        .help = "For records: the columns to use, with commas or blanks between. Default: all."                        \
    }
#define OPTIONS_RECORDS                                                                                                \
    OPTION_COLUMNS,                                                                                                    \
        {.name = "bins",                                                                                               \
         .code = RECORDS_BINS_OPTION,                                                                                  \
         .value = "N",                                                                                                 \
         .help = "For records: put a column of numbers with more than N different values into N bins. For "            \
                 "numbers: the number of bins."},                                                                      \
        {.name = "other",                                                                                              \
         .code = RECORDS_OTHER_OPTION,                                                                                 \
         .value = "N",                                                                                                 \
         .help = "For records: keep the N most frequent values of a column; all others become the value other."},      \
        {.name = "full-range",                                                                                         \
         .code = RECORDS_RANGE_OPTION,                                                                                 \
         .help = "For records: every whole number from the least to the largest of a column is a value."},             \
        {.name = "missing",                                                                                            \
         .code = RECORDS_MISSING_OPTION,                                                                               \
         .value = "CELLS",                                                                                             \
         .help = "For records: cells that are missing besides empty ones, NA and the like, with commas between."},     \
    {                                                                                                                  \
        .name = "no-header", .code = RECORDS_NO_HEADER_OPTION,                                                         \
        .help = "For records: the first line is a record; columns are called 1, 2 and so on."                          \
    }
#define OPTIONS_STRINGS_SYMBOLS                                                                                        \
    {.name = "length",                                                                                                 \
     .code = STRINGS_LENGTH,                                                                                           \
     .value = "SYMBOLS",                                                                                               \
     .help = "For strings: cut each after this many symbols. Default: no limit."},                                     \
        {.name = "alphabet",                                                                                           \
         .code = STRINGS_ALPHABET,                                                                                     \
         .value = "SYMBOLS",                                                                                           \
         .help = "For strings: the symbols that a search would use, such as a-z. Default: all that occur."},           \
        {.name = "known",                                                                                              \
         .code = STRINGS_KNOWN,                                                                                        \
         .value = "SYMBOLS",                                                                                           \
         .help = "For strings: leave out this many symbols at the beginning, which most users share, such as those "   \
                 "of https://www.example.org/; strings that begin otherwise cannot be found."},                        \
    {                                                                                                                  \
        .name = "hash", .code = STRINGS_HASH, .value = "BITS",                                                         \
        .help = "For strings of any length: search for hashes of this many bits. Your list of candidates then tells "  \
                "which strings were found."                                                                            \
    }

#define OPTIONS_STRINGS                                                                                                \
    OPTIONS_STRINGS_SYMBOLS,                                                                                           \
    {                                                                                                                  \
        .name = "bits", .code = STRINGS_BITS, .value = "BITS",                                                         \
        .help = "For strings: use this many bits of each, instead of length and alphabet."                             \
    }

/* Whether it is a law that the program has. */
bool dataset_argument_is_law(const char *spec);

int read_strings_option(int option, const char *text, struct strings_options *form, struct failure *failure);

/* The dataset of `spec`, with n users in place of the file's where n is not 0. command is named in messages. 0, or -1
 * with the failure set. */
int read_dataset_argument(const char *command, const char *spec, const struct strings_options *form, uint64_t n,
                          struct dataset **out, struct failure *failure);

/* Prints the size, users and shape of the dataset of `spec` (ldpbench list). */
int list_data(const char *spec, const struct strings_options *form, struct failure *failure);

/* Warns of what was left out of its file or may surprise. */
void say_dataset_note(const struct dataset *dataset);

#endif

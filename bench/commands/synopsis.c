/* synopsis.c - ldpbench synopsis: one's own noisy tables of several attributes to consistent marginals.
 *
 * A folder holds one CSV file for each table: a header of attributes and, last, `frequency`; a line for each cell.
 * Lines
 * `# variance V` (of a cell) or `# users N` before the header tell how far a table is to be believed. */
#include "commands/algorithms.h"
#include "commands/commands.h"
#include "commands/synopsis_tables.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGINAL = 256, EPSILON, ORACLE, NEGATIVE, OUTPUT = 'o' };
enum { MARGINALS_MAX = 4096 };

static const struct command_option known_options[] = {
    {.name = "marginal",
     .code = MARGINAL,
     .value = "A+B",
     .again = true,
     .help = "A marginal by its attributes' names. Default: those of the tables."},
    {.name = "epsilon",
     .code = EPSILON,
     .value = "E",
     .help = "The privacy budget, where tables give their users and not their variances."},
    {.name = "oracle",
     .code = ORACLE,
     .value = "NAME",
     .names = oracle_names,
     .help = "The oracle that made such tables. Default adaptive."},
    {.name = "negative", .code = NEGATIVE, .help = "Only make the tables agree: cells may stay negative."},
    {.name = "output",
     .code = OUTPUT,
     .value = "FOLDER",
     .takes = TAKES_FOLDERS,
     .help = "Write each marginal to A+B.csv in this folder. Default: one marginal, to standard output."},
    {.name = NULL},
};

struct request {
    const char *folder, *output;
    const char *marginal[MARGINALS_MAX];
    size_t nmarginals;
    struct algorithms chosen;
    double epsilon;
    bool negative;
};

/* ---- Marginals ---- */

static int read_marginal(const struct book *book, const char *text, uint64_t *mask, struct failure *failure)
{
    *mask = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, "+"), attribute = book_find(book, at, length);

        if (attribute == SIZE_MAX)
            return fail(failure, EXIT_BAD_INPUT, "--marginal: expected attributes of the tables (%s, ...), got \"%s\"",
                        SHOWN(book->attribute[0].name), SHOWN_N(at, length));
        if (*mask >> attribute & 1)
            return fail(failure, EXIT_BAD_INPUT, "--marginal: expected each attribute once, got \"%s\"", SHOWN(text));
        *mask |= UINT64_C(1) << attribute;
        at += length;
        if (!*at)
            break;
    }
    return __builtin_popcountll(*mask) <= LDP_SET_MAX
               ? 0
               : fail(failure, EXIT_BAD_INPUT, "--marginal: expected at most %d attributes, got more", LDP_SET_MAX);
}

static int choose_marginals(struct book *book, const struct request *request, struct failure *failure)
{
    const size_t asked = request->nmarginals > 0 ? request->nmarginals : book->ntables;
    double cells = 0;

    book->sets = xcalloc(asked, sizeof *book->sets);
    book->first = xcalloc(asked + 1, sizeof *book->first);
    for (size_t i = 0; i < asked; i++) {
        uint64_t mask;
        bool there = false;

        if (request->nmarginals == 0)
            mask = ldp_set_mask(&book->given[i].set);
        else if (read_marginal(book, request->marginal[i], &mask, failure) != 0)
            return -1;
        for (size_t j = 0; j < book->nsets; j++)
            there |= ldp_set_mask(&book->sets[j]) == mask;
        if (there)
            continue;
        book->sets[book->nsets] = ldp_set_of_mask(mask);
        cells += ldp_set_cells(&book->sets[book->nsets], book->cardinality);
        if (cells > LDP_TABLE_CELLS_MAX)
            return fail(failure, EXIT_BAD_INPUT, "synopsis: expected marginals of at most %d cells together, got more",
                        LDP_TABLE_CELLS_MAX);
        book->first[++book->nsets] = (size_t)cells;
    }
    if (book->nsets > 1 && !request->output)
        return fail(failure, EXIT_BAD_INPUT, "synopsis: expected --output FOLDER for %zu marginals, got none",
                    book->nsets);
    book->answer = xmalloc(book->first[book->nsets] + 1, sizeof *book->answer);
    return 0;
}

static void write_marginal(const struct book *book, size_t i, FILE *out)
{
    const struct ldp_set *const set = &book->sets[i];

    for (size_t j = 0; j < set->size; j++)
        fprintf(out, "%s,", book->attribute[set->attribute[j]].name);
    fputs("frequency\n", out);
    for (size_t c = book->first[i]; c < book->first[i + 1]; c++) {
        size_t digit[LDP_SET_MAX] = {0}, cell = c - book->first[i];
        char number[NUMBER_TEXT];

        for (size_t j = set->size; j-- > 0;) {
            digit[j] = cell % book->cardinality[set->attribute[j]];
            cell /= book->cardinality[set->attribute[j]];
        }
        for (size_t j = 0; j < set->size; j++)
            fprintf(out, "%s,", book->attribute[set->attribute[j]].value[digit[j]]);
        fprintf(out, "%s\n", format_number(book->answer[c], number));
    }
}

static int write_marginals(const struct book *book, const struct request *request, struct failure *failure)
{
    if (!request->output) {
        write_marginal(book, 0, stdout);
        return 0;
    }
    if (make_folder(request->output, failure) != 0)
        return -1;
    for (size_t i = 0; i < book->nsets; i++) {
        struct buffer path = {0};

        buffer_format(&path, "%s/", request->output);
        for (size_t j = 0; j < book->sets[i].size; j++)
            buffer_format(&path, "%s%s", j ? "+" : "", book->attribute[book->sets[i].attribute[j]].name);
        buffer_add(&path, ".csv");
        struct whole_file file;
        int result = output_open(&file, path.text, failure);

        if (result == 0) {
            write_marginal(book, i, file.stream);
            result = whole_file_close(&file, failure);
        }
        buffer_clear(&path);
        if (result != 0)
            return -1;
    }
    return 0;
}

/* ---- The command ---- */

static int read_option(int option, struct request *request, struct failure *failure)
{
    switch (option) {
    case MARGINAL:
        if (request->nmarginals == MARGINALS_MAX)
            return fail(failure, EXIT_BAD_INPUT, "--marginal: expected at most %d, got more", MARGINALS_MAX);
        request->marginal[request->nmarginals++] = optarg;
        return 0;
    case EPSILON: return read_epsilon(optarg, &request->epsilon, failure);
    case ORACLE: return algorithms_add_oracle(&request->chosen, optarg, false, failure);
    case NEGATIVE: request->negative = true; return 0;
    case OUTPUT: return read_output("--output", optarg, &request->output, failure);
    default: return -1;
    }
}

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    int option;

    while ((option = next_option(&command_synopsis, argc, argv, failure)) != OPTIONS_END)
        if (read_option(option, request, failure) != 0)
            return -1;
    if (argc - optind != 1)
        return fail(failure, EXIT_BAD_INPUT, "synopsis: expected one folder of tables, got %d", argc - optind);
    request->folder = argv[optind];
    if (request->output && same_path(request->folder, request->output))
        return fail(failure, EXIT_BAD_INPUT, "--output: expected another folder than that of the tables, got %s",
                    SHOWN_PATH(request->output));
    return request->chosen.noracles > 0 ? 0 : algorithms_add_oracle(&request->chosen, "adaptive", false, failure);
}

static int run(int argc, char **argv)
{
    struct request *const request = xcalloc(1, sizeof *request);
    struct book *const book = xcalloc(1, sizeof *book);
    struct failure failure = NO_REASON;
    int result = read_request(argc, argv, request, &failure);

    if (result == 0)
        result = book_read(book, request->folder, &failure);
    if (result == 0)
        result = book_arrange(book, &request->chosen.oracles[0], request->epsilon, &failure);
    if (result == 0)
        result = choose_marginals(book, request, &failure);
    if (result == 0 &&
        ldp_marginals_of_tables(book->cardinality, book->d, book->given, book->ntables, !request->negative, book->sets,
                                book->nsets, book->first, book->answer) != LDP_OK)
        result = fail_memory(&failure);
    if (result == 0)
        result = write_marginals(book, request, &failure);
    book_clear(book);
    free(book);
    free(request);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct command command_synopsis = {
    .name = "synopsis",
    .operands = "FOLDER",
    .summary = "noisy tables of several attributes to marginals that agree",
    .about =
        "Reads one table from each file *.csv of a folder. The header names the attributes, and the last column, "
        "frequency. Each line has a combination of values and its estimated frequency, which may be negative. Before "
        "the header a line # variance V may give the variance of a cell, or # users N the number of users of the "
        "table, which needs --epsilon; without them all cells have the same weight. Either all tables have such a "
        "line or none.\n\n"
        "Makes the tables agree on every attribute that they share, by least squares weighted by their variances, "
        "sum to 1 "
        "and have no negative cell. A marginal that no table holds is the one of maximum entropy; attributes in no "
        "table "
        "that it shares are uniform. It is written in the form in which tables are read.",
    .options = known_options,
    .takes = TAKES_FOLDERS,
    .run = run,
};

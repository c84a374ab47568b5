/* estimate_tables.c - noisy tables of several attributes to marginals that agree; see estimate.h.
 *
 * A folder holds one CSV file for each table: a header of attributes and, last, `frequency`; a line for each cell.
 * Lines `# variance V` (of a cell) or `# users N` before the header tell how far a table is to be believed. */
#include "commands/estimate.h"

#include "commands/book.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int choose_marginals(struct book *book, const struct estimate_request *request, struct failure *failure)
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
            return fail(failure, EXIT_BAD_INPUT, "estimate: expected marginals of at most %d cells together, got more",
                        LDP_TABLE_CELLS_MAX);
        book->first[++book->nsets] = (size_t)cells;
    }
    if (book->nsets > 1 && !request->output)
        return fail(failure, EXIT_BAD_INPUT, "estimate: expected --output FOLDER for %zu marginals, got none",
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

static int write_marginals(const struct book *book, const struct estimate_request *request, struct failure *failure)
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

int estimate_tables(const struct estimate_request *request, struct failure *failure)
{
    struct algorithms adaptive = {0};
    const struct ldp_oracle_spec *oracle = request->chosen.oracles;

    if (request->output && same_path(request->file, request->output))
        return fail(failure, EXIT_BAD_INPUT, "--output: expected another folder than that of the tables, got %s",
                    SHOWN_PATH(request->output));
    if (request->chosen.noracles == 0) {
        if (algorithms_add_oracle(&adaptive, "adaptive", false, failure) != 0)
            return -1;
        oracle = adaptive.oracles;
    }
    struct book *const book = xcalloc(1, sizeof *book);
    int result = book_read(book, request->file, failure);
    if (result == 0)
        result = book_arrange(book, oracle, request->epsilon, failure);
    if (result == 0)
        result = choose_marginals(book, request, failure);
    if (result == 0 &&
        ldp_marginals_of_tables(book->cardinality, book->d, book->given, book->ntables, !request->negative, book->sets,
                                book->nsets, book->first, book->answer) != LDP_OK)
        result = fail_memory(failure);
    if (result == 0)
        result = write_marginals(book, request, failure);
    book_clear(book);
    free(book);
    return result;
}

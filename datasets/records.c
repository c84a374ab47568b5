/* records.c - see records.h. */
#include "records.h"

#include "coding.h"
#include "contents.h"
#include "labels.h"
#include "lines.h"
#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CARDINALITY_MAX ((UINT64_C(1) << 31) - 1) /* missing cells are one more */

void dataset_records_free(struct dataset_records *records)
{
    if (!records)
        return;
    if (records->names)
        labels_free(records->names, records->records->d);
    for (size_t i = 0; records->word && records->nwords && i < records->records->d; i++)
        labels_free(records->word[i], records->nwords[i]);
    free(records->word);
    free(records->nwords);
    free(records->empty);
    free(records->names_users);
    ldp_records_free(records->records);
    free(records);
}

char *dataset_records_identity(const struct dataset_records *own)
{
    const struct ldp_records *const records = own->records;
    const struct ldp_fingerprint prints[] = {
        ldp_fingerprint(records->row, records->rows * records->words * sizeof *records->row),
        ldp_fingerprint(records->counts, records->rows * sizeof *records->counts),
        ldp_fingerprint(records->cardinality, records->d * sizeof *records->cardinality),
    };

    return contents_text(CONTENTS_RECORDS, prints, sizeof prints / sizeof *prints);
}

void dataset_records_resample(struct dataset_records *own, uint64_t n, uint64_t seed)
{
    char stream[64];

    snprintf(stream, sizeof stream, "records|n=%" PRIu64, n);
    struct ldp_rng rng;
    ldp_rng_stream(&rng, seed, stream, 0);
    struct ldp_records *drawn;
    if (ldp_records_resample(own->records, n, &rng, &drawn) != LDP_OK)
        out_of_memory();
    ldp_records_free(own->records);
    own->records = drawn;
}

const char *dataset_records_word(const struct dataset_records *own, size_t attribute, uint32_t value)
{
    if (own->empty && value == own->empty[attribute])
        return "";
    return own->word && value < own->nwords[attribute] ? own->word[attribute][value] : NULL;
}

char **dataset_records_labels(const struct dataset_records *own, size_t attribute)
{
    const uint32_t d = own->records->cardinality[attribute];
    char **const labels = xcalloc(d, sizeof *labels);

    for (uint32_t v = 0; v < d; v++) {
        const char *const word = dataset_records_word(own, attribute, v);

        labels[v] = !word ? xformat("%u", (unsigned)v) : xstrdup(*word ? word : "(none)");
    }
    return labels;
}

size_t dataset_records_find(const struct dataset_records *own, const char *name)
{
    for (size_t i = 0; i < own->records->d; i++)
        if (strcmp(own->names[i], name) == 0)
            return i;
    return SIZE_MAX;
}

/* The values of all attributes as one column of words, and of each attribute the numbers of its words. Whether cells
 * are missing. */
static bool gather_words(const struct dataset_records *own, struct words *words, uint32_t **word)
{
    bool missing = false;

    for (size_t i = 0; i < own->records->d; i++) {
        word[i] = xcalloc(own->records->cardinality[i], sizeof **word);
        for (size_t v = 0; v < own->nwords[i]; v++)
            word[i][v] = (uint32_t)words_add(words, own->word[i][v], strlen(own->word[i][v]), 0);
        if (own->empty[i] != RECORDS_NO_EMPTY)
            word[i][own->empty[i]] = CODING_EMPTY;
        missing |= own->empty[i] != RECORDS_NO_EMPTY;
    }
    return missing;
}

/* Gives all attributes the values of a column. */
static void take_values(struct dataset_records *own, const struct coded_column *column, uint32_t *const *word,
                        bool missing)
{
    struct ldp_records *const old = own->records;
    const size_t d = old->d;
    const uint32_t empty = (uint32_t)column->count;
    uint32_t *const values = xmalloc(old->rows * d, sizeof *values), cardinality[LDP_ATTRIBUTES_MAX];

    for (size_t i = 0; i < d; i++) {
        cardinality[i] = empty + missing < 2 ? 2 : empty + missing;
        for (size_t row = 0; row < old->rows; row++) {
            const uint32_t of = word[i][ldp_records_value(old, row, i)];

            values[row * d + i] = of == CODING_EMPTY ? empty : column->rank[of];
        }
        labels_free(own->word[i], own->nwords[i]);
        own->nwords[i] = column->count;
        own->word[i] = xcalloc(column->count, sizeof *own->word[i]);
        for (size_t v = 0; v < column->count; v++)
            own->word[i][v] = xstrdup(column->label[v]);
        own->empty[i] = missing ? empty : RECORDS_NO_EMPTY;
    }
    if (ldp_records_new(cardinality, d, values, old->counts, old->rows, &own->records) != LDP_OK)
        out_of_memory();
    ldp_records_free(old);
    free(values);
}

int dataset_records_share(struct dataset_records *own, const char *file, struct failure *failure)
{
    uint32_t *word[LDP_ATTRIBUTES_MAX];
    struct words words = {0};
    struct buffer notes = {0};
    const bool missing = gather_words(own, &words, word);
    struct coded_column column = {.file = file, .name = "all columns", .words = &words};
    const int result = coding_order(&column, &(struct coding){.separator = ','}, &notes, failure);

    if (result == 0)
        take_values(own, &column, word, missing);
    for (size_t i = 0; i < own->records->d; i++)
        free(word[i]);
    buffer_clear(&notes);
    coding_clear(&column);
    words_clear(&words);
    return result;
}

static int read_attribute(const struct lines *lines, char *const *names, size_t d, uint32_t *cardinality,
                          struct failure *failure)
{
    const char *const tab = memchr(lines->line, '\t', lines->length);

    if (!tab || tab == lines->line)
        return lines_fail(lines, failure, "attribute TAB cardinality", lines->line, lines->length);
    const size_t length = (size_t)(tab - lines->line), rest = lines->length - length - 1;
    const char *const end = memchr(tab + 1, '\t', rest);
    const size_t digits = end ? (size_t)(end - tab - 1) : rest;

    uint64_t number;
    if (!lines_number(tab + 1, digits, CARDINALITY_MAX, &number) || number < 2)
        return lines_fail(lines, failure, "a cardinality from 2 to 2^31 - 1", tab + 1, digits);
    for (size_t i = 0; i < d; i++)
        if (strlen(names[i]) == length && memcmp(names[i], lines->line, length) == 0) {
            if (cardinality[i])
                return lines_fail(lines, failure, "each attribute once", lines->line, length);
            cardinality[i] = (uint32_t)number;
        }
    return 0;
}

int attributes_read(const char *path, char *const *names, size_t d, uint32_t *cardinality, struct failure *failure)
{
    struct lines lines;
    int result = lines_open(&lines, path, 1 << 20, failure), more = 0;

    memset(cardinality, 0, d * sizeof *cardinality);
    while (result == 0 && (more = lines_next_data(&lines, failure)) > 0)
        result = read_attribute(&lines, names, d, cardinality, failure);
    if (result == 0)
        result = more;
    lines_close(&lines);
    for (size_t i = 0; result == 0 && i < d; i++)
        if (cardinality[i] == 0)
            result = fail(failure, EXIT_BAD_INPUT, "%s: expected the attribute %s, which the records have, got none",
                          SHOWN_PATH(path), SHOWN(names[i]));
    return result;
}

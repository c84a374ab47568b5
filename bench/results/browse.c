/* browse.c - see browse.h. */
#include "results/browse.h"

#include "results/declared.h"
#include "results/label.h"
#include "results/packed.h"
#include "results/rows.h"
#include "support/index_map.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of the fraction that are kept of a mean and of a standard error: 6 and 4 digits. */
enum { MEAN_BITS = 20, ERROR_BITS = 14 };

/* Looks are written for keys with at most this many values. */
enum { LOOKS_MAX = 256 };

struct browse {
    FILE *out;
    const struct figure_rows *rows;
    const struct style *style;
    struct packed packed; /* the columns */
    size_t query, point;  /* keys; SIZE_MAX: none */
};

/* ---- JSON ---- */

/* No character that HTML or XML reads as more than itself. */
static void put_text(FILE *out, const char *text)
{
    char *const clean = label_clean(text ? text : "", 0);

    putc('"', out);
    for (const char *c = clean; *c; c++)
        if (strchr("\"\\<>&", *c))
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            putc(*c, out);
    putc('"', out);
    free(clean);
}

static void put_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    put_text(out, text);
    fputs(", ", out);
}

/* Takes over a malloc'd text. */
static void put_own(struct browse *browse, char *text)
{
    put_text(browse->out, text);
    free(text);
}

static void put_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.10g", value);
    else
        fputs("null", out);
}

/* ---- columns ---- */

static double mean_of(const struct browse *browse, size_t row, size_t m)
{
    return result_number(browse->rows->table, row, m)->mean;
}

static double error_of(const struct browse *browse, size_t row, size_t m)
{
    return result_number(browse->rows->table, row, m)->stderr_;
}

static void add_numbers(struct browse *browse, double (*of)(const struct browse *browse, size_t row, size_t m),
                        size_t m, int kept)
{
    unsigned char *const column = packed_column(&browse->packed, sizeof(float));

    for (size_t i = 0; i < browse->rows->nrows; i++)
        packed_put(&browse->packed, column, i, sizeof(float), packed_float(of(browse, i, m), kept));
}

/* ---- keys ---- */

static char *shown_name(const struct browse *browse, const char *text)
{
    return browse->style ? style_name(browse->style, text) : xstrdup(text);
}

static char *shown_value(const struct browse *browse, const struct figure_key *key, size_t value)
{
    const bool query = browse->query != SIZE_MAX && key == &browse->rows->key[browse->query];

    return browse->style && query ? style_query(browse->style, key->text[value]) : shown_name(browse, key->text[value]);
}

static void put_looks(struct browse *browse, const struct figure_key *key)
{
    struct look *const look = xmalloc(key->nvalues, sizeof *look);

    style_looks(browse->style, (const char *const *)key->text, key->nvalues, look);
    fputs(", \"looks\": [", browse->out);
    for (size_t i = 0; i < key->nvalues; i++)
        fprintf(browse->out, "%s[\"#%06x\", %d, %d]", i > 0 ? ", " : "", (unsigned)(look[i].colour & 0xffffff),
                look[i].point, look[i].dash);
    putc(']', browse->out);
    free(look);
}

/* Title of an axis, and the text around a value; a parameter's are its query's. */
static void put_words(struct browse *browse, const struct figure_key *key, const char *query)
{
    const struct style *const style = browse->style;
    const struct style_key words = {key->name, key->part};
    const char *const before = style ? style_before(style, words, query) : NULL;
    const char *const after = style ? style_after(style, words, query) : NULL;
    const char *const parent = key->parent == SIZE_MAX ? NULL : browse->rows->key[key->parent].name;

    put_member(browse->out, "name", key->name);
    fputs("\"title\": ", browse->out);
    const bool points = browse->point != SIZE_MAX && key == &browse->rows->key[browse->point];
    put_own(browse, style && (!points || *query) ? style_axis(style, words, parent, query) : xstrdup(key->name));
    fputs(", \"before\": ", browse->out);
    put_own(browse, before ? xstrdup(before) : xformat("%s = ", key->name));
    fputs(", \"after\": ", browse->out);
    put_text(browse->out, after ? after : "");
    fputs(", ", browse->out);
}

static void put_key(struct browse *browse, const struct figure_key *key)
{
    FILE *const out = browse->out;

    putc('{', out);
    put_words(browse, key, "");
    fprintf(out, "\"numeric\": %s, \"values\": [", key->numeric ? "true" : "false");
    for (size_t i = 0; i < key->nvalues; i++) {
        fputs(i > 0 ? ", " : "", out);
        put_text(out, key->text[i]);
    }
    putc(']', out);
    if (!key->numeric) {
        fputs(", \"shown\": [", out);
        for (size_t i = 0; i < key->nvalues; i++) {
            fputs(i > 0 ? ", " : "", out);
            put_own(browse, shown_value(browse, key, i));
        }
        putc(']', out);
        if (browse->style && key->nvalues <= LOOKS_MAX)
            put_looks(browse, key);
    }
    fprintf(out, ", \"bytes\": %zu}", packed_codes(&browse->packed, key->of_row, key->nvalues));
}

/* True if the key is a column; otherwise it is a parameter parsed from a label. */
static bool is_column(const struct figure_key *key)
{
    return key->parent == SIZE_MAX;
}

static void put_keys(struct browse *browse)
{
    const struct figure_rows *const rows = browse->rows;

    fputs("\"keys\": [", browse->out);
    for (size_t k = 0; k < rows->nkeys && is_column(&rows->key[k]); k++) {
        fputs(k > 0 ? ",\n" : "\n", browse->out);
        put_key(browse, &rows->key[k]);
    }
    fputs("],\n", browse->out);
}

/* A parameter of a key's labels: what each of the labels says of it. */
static void put_parameter(struct browse *browse, const struct figure_key *key)
{
    const struct figure_key *const parent = &browse->rows->key[key->parent];
    size_t *const row = xcalloc(parent->nvalues + 1, sizeof *row);
    FILE *const out = browse->out;

    for (size_t i = browse->rows->nrows; i-- > 0;)
        row[parent->of_row[i]] = i;
    putc('{', out);
    put_words(browse, key, "");
    fprintf(out, "\"of\": %zu, \"numbers\": [", key->parent);
    for (size_t v = 0; v < parent->nvalues; v++) {
        fputs(v > 0 ? ", " : "", out);
        put_number(out, key->number[key->of_row[row[v]]]);
    }
    fputs("], \"stems\": [", out);
    for (size_t v = 0; v < parent->nvalues; v++) {
        fputs(v > 0 ? ", " : "", out);
        put_own(browse, shown_name(browse, key->stem[key->stem_of_row[row[v]]]));
    }
    fputs("]}", out);
    free(row);
}

static void put_parameters(struct browse *browse)
{
    const struct figure_rows *const rows = browse->rows;
    size_t count = 0;

    fputs("\"parameters\": [", browse->out);
    for (size_t k = 0; k < rows->nkeys; k++)
        if (!is_column(&rows->key[k]) && rows->key[k].numeric) {
            fputs(count++ > 0 ? ",\n" : "\n", browse->out);
            put_parameter(browse, &rows->key[k]);
        }
    fputs("],\n", browse->out);
}

/* ---- what depends on the query ---- */

static size_t queries(const struct browse *browse)
{
    return browse->query == SIZE_MAX ? 1 : browse->rows->key[browse->query].nvalues;
}

static const char *query_at(const struct browse *browse, size_t q)
{
    return browse->query == SIZE_MAX ? "" : browse->rows->key[browse->query].text[q];
}

static void put_points(struct browse *browse)
{
    if (browse->point == SIZE_MAX || browse->query == SIZE_MAX) {
        fputs("\"points\": null,\n", browse->out);
        return;
    }
    fprintf(browse->out, "\"points\": {\"key\": %zu, \"of\": %zu, \"words\": [", browse->point, browse->query);
    for (size_t q = 0; q < queries(browse); q++) {
        fputs(q > 0 ? ",\n{" : "\n{", browse->out);
        put_words(browse, &browse->rows->key[browse->point], query_at(browse, q));
        fputs("\"of\": ", browse->out);
        put_text(browse->out, query_at(browse, q));
        putc('}', browse->out);
    }
    fputs("]},\n", browse->out);
}

/* The keys through which n and epsilon mostly act together: the precision of one frequency under the best oracle for a
 * large domain. */
static void put_precision(struct browse *browse)
{
    const struct figure_rows *const rows = browse->rows;
    const size_t n = figure_key_of(rows, PART_USERS), epsilon = figure_key_of(rows, PART_BUDGET);

    if (n != SIZE_MAX && epsilon != SIZE_MAX && rows->key[n].numeric && rows->key[epsilon].numeric &&
        rows->key[n].nvalues * rows->key[epsilon].nvalues > 1)
        fprintf(browse->out,
                "\"precision\": {\"n\": %zu, \"epsilon\": %zu, \"title\": \"precision n (exp ε − 1)² / (4 exp ε)\"},\n",
                n, epsilon);
    else
        fputs("\"precision\": null,\n", browse->out);
}

/* ---- measures ---- */

/* Distinct whole numbers of rows: writes {"values": [...], "bytes": N}. */
static void put_counts(struct browse *browse, size_t m, size_t (*of)(const struct result_number *number))
{
    const size_t nrows = browse->rows->nrows;
    uint32_t *const of_row = xmalloc(nrows, sizeof *of_row);
    struct index_map known = {0};
    size_t count = 0;

    fputs("{\"values\": [", browse->out);
    for (size_t i = 0; i < nrows; i++) {
        const size_t value = of(result_number(browse->rows->table, i, m));
        int32_t *const index = index_map_at(&known, value);

        if (*index == NONE) {
            fprintf(browse->out, "%s%zu", count > 0 ? ", " : "", value);
            *index = (int32_t)count++;
        }
        of_row[i] = (uint32_t)*index;
    }
    fprintf(browse->out, "], \"bytes\": %zu}", packed_codes(&browse->packed, of_row, count));
    index_map_clear(&known);
    free(of_row);
}

static size_t repetitions_of(const struct result_number *number)
{
    return number->repetitions;
}

static size_t defined_of(const struct result_number *number)
{
    return number->n;
}

static bool has_errors(const struct browse *browse, size_t m)
{
    for (size_t i = 0; i < browse->rows->nrows; i++)
        if (isfinite(error_of(browse, i, m)))
            return true;
    return false;
}

static bool always_defined(const struct browse *browse, size_t m)
{
    for (size_t i = 0; i < browse->rows->nrows; i++)
        if (defined_of(result_number(browse->rows->table, i, m)) !=
            repetitions_of(result_number(browse->rows->table, i, 0)))
            return false;
    return true;
}

static void put_measure(struct browse *browse, size_t m)
{
    const struct ldp_measure *const measure = &browse->rows->table->table->measures[m];
    FILE *const out = browse->out;

    putc('{', out);
    put_member(out, "name", measure->name);
    put_member(out, "title", measure->title);
    fputs("\"axis\": [", out);
    for (size_t q = 0; q < queries(browse); q++) {
        fputs(q > 0 ? ", " : "", out);
        put_own(browse,
                browse->style ? style_measure(browse->style, measure, query_at(browse, q)) : xstrdup(measure->axis));
    }
    fprintf(out, "], \"better\": \"%s\", \"low\": ", declared_directions[measure->better]);
    put_number(out, measure->low);
    fputs(", \"high\": ", out);
    put_number(out, measure->high);
    add_numbers(browse, mean_of, m, MEAN_BITS);
    const bool errors = has_errors(browse, m);
    if (errors)
        add_numbers(browse, error_of, m, ERROR_BITS);
    fprintf(out, ", \"errors\": %s, \"counts\": ", errors ? "true" : "false");
    if (always_defined(browse, m))
        fputs("null", out);
    else
        put_counts(browse, m, defined_of);
    putc('}', out);
}

static void put_measures(struct browse *browse)
{
    const struct result_table *const table = browse->rows->table;

    fputs("\"repetitions\": ", browse->out);
    if (table->nmeasures > 0)
        put_counts(browse, 0, repetitions_of);
    else
        fputs("null", browse->out);
    fputs(",\n\"measures\": [", browse->out);
    for (size_t m = 0; m < table->nmeasures; m++) {
        fputs(m > 0 ? ",\n" : "\n", browse->out);
        put_measure(browse, m);
    }
    fputs("],\n", browse->out);
}

/* ---- facts ---- */

static double fact_number(const struct browse *browse, size_t row, size_t f)
{
    const char *const text = result_fact(browse->rows->table, row, f);

    return *text ? strtod(text, NULL) : (double)NAN;
}

static bool is_numeric_fact(const struct browse *browse, size_t f)
{
    for (size_t i = 0; i < browse->rows->nrows; i++) {
        const char *const text = result_fact(browse->rows->table, i, f);
        char *end;

        strtod(text, &end);
        if (*end)
            return false;
    }
    return true;
}

/* Texts by numbers of their distinct values. */
static void put_texts(struct browse *browse, size_t f)
{
    const size_t nrows = browse->rows->nrows;
    uint32_t *const of_row = xmalloc(nrows, sizeof *of_row);
    struct index_map known = {0};
    size_t count = 0;

    fputs("\"values\": [", browse->out);
    for (size_t i = 0; i < nrows; i++) {
        const char *const text = result_fact(browse->rows->table, i, f);
        int32_t *const index = index_map_at(&known, ldp_fingerprint(text, strlen(text)).lo);

        if (*index == NONE) {
            fputs(count > 0 ? ", " : "", browse->out);
            put_own(browse, shown_name(browse, text));
            *index = (int32_t)count++;
        }
        of_row[i] = (uint32_t)*index;
    }
    fprintf(browse->out, "], \"bytes\": %zu", packed_codes(&browse->packed, of_row, count));
    index_map_clear(&known);
    free(of_row);
}

static void put_facts(struct browse *browse)
{
    const struct result_table *const table = browse->rows->table;

    fputs("\"facts\": [", browse->out);
    for (size_t f = 0; f < table->nfacts; f++) {
        fputs(f > 0 ? ",\n{" : "\n{", browse->out);
        put_member(browse->out, "name", table->fact_name[f]);
        if (is_numeric_fact(browse, f)) {
            add_numbers(browse, fact_number, f, PACKED_ALL_BITS);
            fputs("\"bytes\": 4", browse->out);
        } else {
            put_texts(browse, f);
        }
        putc('}', browse->out);
    }
    fputs("],\n", browse->out);
}

/* ---- the table ---- */

void browse_write(FILE *out, const char *experiment, const struct result_table *table, const struct style *style)
{
    struct figure_rows rows;

    figure_rows_load(table, &rows);
    struct browse browse = {.out = out,
                            .rows = &rows,
                            .style = style,
                            .packed = {.nrows = rows.nrows},
                            .query = figure_key_of(&rows, PART_QUERY),
                            .point = figure_key_of(&rows, PART_POINT)};
    char *const id = xformat("%s/%s", experiment, table->table->file);

    putc('{', out);
    put_member(out, "id", id);
    put_member(out, "experiment", experiment);
    put_member(out, "file", table->table->file);
    put_member(out, "title", table->table->title);
    fprintf(out, "\"rows\": %zu, \"subject\": ", rows.nrows);
    if (rows.subject == SIZE_MAX)
        fputs("null,\n", out);
    else
        fprintf(out, "%zu,\n", rows.subject);
    put_keys(&browse);
    put_parameters(&browse);
    put_points(&browse);
    put_precision(&browse);
    put_measures(&browse);
    put_facts(&browse);
    fputs("\"packed\": \"", out);
    packed_write(&browse.packed, out);
    fputs("\"}", out);
    free(id);
    packed_clear(&browse.packed);
    figure_rows_clear(&rows);
}

/* browse.c - see browse.h. */
#include "results/browse.h"

#include "results/label.h"
#include "results/rows.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct browse {
    FILE *out;
    const struct figure_rows *rows;
    const struct styles *styles;
    size_t query; /* a key; SIZE_MAX: none */
};

/* A text, after a comma unless it is the first of a list. */
static void put_text(FILE *out, size_t i, const char *text)
{
    char *const clean = label_clean(text, 0);

    fputs(i > 0 ? ",\"" : "\"", out);
    for (const char *c = clean; *c; c++)
        fprintf(out, strchr("\"\\", *c) ? "\\%c" : "%c", *c);
    putc('"', out);
    free(clean);
}

static void put_own(FILE *out, size_t i, char *text)
{
    put_text(out, i, text);
    free(text);
}

static void put_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\":", name);
    put_text(out, 0, text);
    putc(',', out);
}

static void put_index(FILE *out, const char *name, size_t key)
{
    fprintf(out, key == SIZE_MAX ? "\"%s\":null," : "\"%s\":%zu,", name, key);
}

static void put_codes(const struct browse *browse, const char *name, const uint32_t *code)
{
    fprintf(browse->out, ",\"%s\":[", name);
    for (size_t i = 0; i < browse->rows->nrows; i++)
        fprintf(browse->out, i > 0 ? ",%u" : "%u", (unsigned)code[i]);
    putc(']', browse->out);
}

static const char *query_at(const struct browse *browse, size_t q)
{
    return browse->query == SIZE_MAX ? "" : browse->rows->key[browse->query].text[q];
}

static size_t queries(const struct browse *browse)
{
    return browse->query == SIZE_MAX ? 1 : browse->rows->key[browse->query].nvalues;
}

/* ---- keys ---- */

/* Values of a key as people write them. */
static void put_shown(const struct browse *browse, const struct figure_key *key, const char *name, char *const *text,
                      size_t count)
{
    const bool query = browse->query != SIZE_MAX && key == &browse->rows->key[browse->query];

    fprintf(browse->out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        put_own(browse->out, i,
                !browse->styles ? xstrdup(text[i])
                : query         ? style_query(browse->styles, text[i])
                                : style_name(browse->styles, text[i]));
    putc(']', browse->out);
}

/* Titles, and the texts around a value; a query's parameter is called as the query says. */
static void put_words(const struct browse *browse, const struct figure_key *key)
{
    const struct style_key words = {key->name, key->part};
    const char *const parent = key->parent == SIZE_MAX ? NULL : browse->rows->key[key->parent].name;
    const size_t count = key->part == PART_POINT ? queries(browse) : 1;

    fputs("\"words\":[", browse->out);
    for (size_t q = 0; q < count; q++) {
        const char *const query = query_at(browse, q);
        const struct word_row *const known = browse->styles ? style_words(browse->styles, words, query) : NULL;

        fputs(q > 0 ? ",[" : "[", browse->out);
        put_own(browse->out, 0, browse->styles ? style_axis(browse->styles, words, parent, query) : xstrdup(key->name));
        put_own(browse->out, 1, known ? xstrdup(known->before) : xformat("%s = ", key->name));
        put_text(browse->out, 2, known ? known->after : "");
        putc(']', browse->out);
    }
    putc(']', browse->out);
}

static void put_styles(const struct browse *browse, const struct figure_key *key)
{
    struct style *const style = xmalloc(key->nvalues, sizeof *style);

    style_choose(browse->styles, (const char *const *)key->text, key->nvalues, style);
    fputs(",\"styles\":[", browse->out);
    for (size_t i = 0; i < key->nvalues; i++)
        fprintf(browse->out, "%s[\"#%06x\",%d,%d,%g]", i > 0 ? "," : "", (unsigned)(style[i].colour & 0xffffff),
                style[i].point, style[i].dash, style[i].width);
    putc(']', browse->out);
    free(style);
}

static void put_key(const struct browse *browse, size_t k)
{
    const struct figure_key *const key = &browse->rows->key[k];
    FILE *const out = browse->out;

    fputs(k > 0 ? ",\n{" : "\n{", out);
    put_member(out, "name", key->name);
    fprintf(out, "\"numeric\":%s,", key->numeric ? "true" : "false");
    put_index(out, "of", key->parent);
    put_words(browse, key);
    fputs(",\"values\":[", out);
    for (size_t i = 0; i < key->nvalues; i++)
        put_text(out, i, key->text[i]);
    putc(']', out);
    put_codes(browse, "code", key->of_row);
    if (!key->numeric)
        put_shown(browse, key, "shown", key->text, key->nvalues);
    if (!key->numeric && browse->styles)
        put_styles(browse, key);
    if (key->parent != SIZE_MAX) {
        put_shown(browse, key, "stems", key->stems.text, key->stems.count);
        put_codes(browse, "stem", key->stem_of_row);
    }
    putc('}', out);
}

/* ---- measures and facts ---- */

static void put_numbers(const struct browse *browse, size_t measure, const char *name, int digits)
{
    fprintf(browse->out, ",\"%s\":[", name);
    for (size_t i = 0; i < browse->rows->nrows; i++) {
        const struct result_number *const of = result_number(browse->rows->table, i, measure);
        const double value = *name == 'm' ? of->mean : *name == 'e' ? of->stderr_ : (double)of->n;

        fputs(i > 0 ? "," : "", browse->out);
        fprintf(browse->out, isfinite(value) ? "%.*g" : "null", digits, value);
    }
    putc(']', browse->out);
}

static void put_measure(const struct browse *browse, size_t m)
{
    const struct ldp_measure *const measure = &browse->rows->table->table->measures[m];
    FILE *const out = browse->out;

    fputs(m > 0 ? ",\n{" : "\n{", out);
    put_member(out, "name", measure->name);
    put_member(out, "title", measure->title);
    fprintf(out, "\"more\":%s,\"axis\":[", measure->better == LDP_MORE ? "true" : "false");
    for (size_t q = 0; q < queries(browse); q++)
        put_own(out, q,
                browse->styles ? style_measure(browse->styles, measure, query_at(browse, q)) : xstrdup(measure->axis));
    putc(']', out);
    put_numbers(browse, m, "mean", 7);
    put_numbers(browse, m, "error", 4);
    put_numbers(browse, m, "n", 15);
    putc('}', out);
}

static void put_fact(const struct browse *browse, size_t f)
{
    fputs(f > 0 ? ",\n{" : "\n{", browse->out);
    put_member(browse->out, "name", browse->rows->table->fact_name[f]);
    fputs("\"text\":[", browse->out);
    for (size_t i = 0; i < browse->rows->nrows; i++)
        put_text(browse->out, i, result_fact(browse->rows->table, i, f));
    fputs("]}", browse->out);
}

void browse_write(FILE *out, const char *experiment, const struct result_table *table, const struct styles *styles)
{
    struct figure_rows rows;

    figure_rows_load(table, &rows);
    const struct browse browse = {out, &rows, styles, figure_key_of(&rows, PART_QUERY)};
    char *const id = xformat("%s/%s", experiment, table->table->file);

    putc('{', out);
    put_member(out, "id", id);
    put_member(out, "experiment", experiment);
    put_member(out, "file", table->table->file);
    put_member(out, "title", table->table->title);
    put_index(out, "subject", rows.subject);
    put_index(out, "query", browse.query);
    fprintf(out, "\"rows\":%zu,\"keys\":[", rows.nrows);
    for (size_t k = 0; k < rows.nkeys; k++)
        put_key(&browse, k);
    fputs("],\"measures\":[", out);
    for (size_t m = 0; m < table->nmeasures; m++)
        put_measure(&browse, m);
    fputs("],\"facts\":[", out);
    for (size_t f = 0; f < table->nfacts; f++)
        put_fact(&browse, f);
    fputs("]}", out);
    free(id);
    figure_rows_clear(&rows);
}

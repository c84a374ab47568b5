/* rows.c - see rows.h. */
#include "audit/rows.h"

#include "audit/features.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 9 /* decimal places of fractions that are counted in units of the last one */ };

static bool is_whole(double x)
{
    return x == floor(x) && fabs(x) < 0x1p64;
}

/* Fractions with so many places differ from whole numbers of units by the rounding of their own text only. */
static bool is_decimal(double x, double scale)
{
    const double units = x * scale;

    return fabs(units) < 0x1p51 && fabs(units - nearbyint(units)) <= 4 * 0x1p-52 * fabs(units);
}

static double scale_of_column(const struct audit_reports *reports, size_t column)
{
    double scale = 1;

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i++) {
            const double x = reports->word[side][i * reports->columns + column];

            if (audit_part_of(i) != AUDIT_LEARN || isnan(x) || (scale == 1 && is_whole(x)))
                continue;
            while (!is_decimal(x, scale)) {
                scale *= 10;
                if (scale > pow(10, PLACES_MAX))
                    return NAN;
            }
        }
    return scale;
}

static bool all_hexadecimal(const struct audit_reports *reports)
{
    for (size_t i = 0; i < reports->symbols; i++)
        if (reports->symbol[i][strspn(reports->symbol[i], "0123456789abcdefABCDEF")])
            return false;
    return true;
}

struct audit_rows audit_rows_new(const struct audit_reports *reports)
{
    const size_t columns = reports->columns;
    struct audit_rows rows = {.reports = reports,
                              .scale = xcalloc(columns, sizeof *rows.scale),
                              .number = xcalloc(columns, sizeof *rows.number),
                              .xor_to = xcalloc(columns + 1, sizeof *rows.xor_to),
                              .sum_to = xcalloc(columns + 1, sizeof *rows.sum_to)};

    rows.hexadecimal = reports->symbol && all_hexadecimal(reports);
    for (size_t column = 0; column < columns; column++)
        rows.scale[column] = reports->symbol ? 1 : scale_of_column(reports, column);
    return rows;
}

void audit_rows_clear(struct audit_rows *rows)
{
    free(rows->scale);
    free(rows->number);
    free(rows->xor_to);
    free(rows->sum_to);
}

static uint64_t number_of_symbol(const struct audit_rows *rows, size_t symbol)
{
    const char *const text = rows->reports->symbol[symbol];
    const size_t length = strlen(text), width = rows->hexadecimal ? 16 : 8;
    const char *const tail = length > width ? text + length - width : text;
    uint64_t number = 0;

    if (rows->hexadecimal)
        return strtoull(tail, NULL, 16);
    for (const char *at = tail; *at; at++)
        number = number << 8 | (unsigned char)*at;
    return number;
}

static uint64_t number_of(const struct audit_rows *rows, size_t column, double x, const uint64_t *whole)
{
    uint64_t pattern;

    if (rows->reports->symbol)
        return number_of_symbol(rows, (size_t)x);
    if (whole && rows->scale[column] == 1)
        return *whole;
    const double units = nearbyint(x * rows->scale[column]);
    if (fabs(units) < 0x1p63)
        return (uint64_t)(int64_t)units;
    memcpy(&pattern, &x, sizeof pattern);
    return pattern;
}

void audit_rows_load(struct audit_rows *rows, size_t side, size_t i)
{
    const struct audit_reports *const reports = rows->reports;
    const size_t start = i * reports->columns;

    rows->word = reports->word[side] + start;
    for (size_t c = 0; c < reports->columns; c++) {
        const double x = rows->word[c];

        rows->number[c] =
            isnan(x) ? 0 : number_of(rows, c, x, reports->whole[side] ? reports->whole[side] + start + c : NULL);
        rows->xor_to[c + 1] = rows->xor_to[c] ^ rows->number[c];
        rows->sum_to[c + 1] = rows->sum_to[c] + rows->number[c];
    }
}

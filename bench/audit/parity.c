/* parity.c - see parity.h. Reports are vectors of bits and a constant 1; an exclusive-or that is 0 for all of them is
 * an element of the null space of their matrix over the field of two elements, whose basis is found by elimination. */
#include "audit/parity.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BITS_MAX = 2048, /* bits of a report that are looked at */
    SPARE = 40,      /* reports beyond the number of bits: a chance relation survives with probability 2^-40 */
    NULL_MAX = 512,  /* relations of an input that are tried on the other */
    KEPT = 8,
    NAMED = 6 /* bits that a name lists */
};

/* Which bits of a report vary over the learning part. */
struct bits {
    struct {
        size_t column;
        unsigned bit;
    } place[BITS_MAX];
    size_t count, words; /* words of 64 bits that hold them and the constant 1 */
};

static void set_bit(uint64_t *vector, size_t bit)
{
    vector[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool has_bit(const uint64_t *vector, size_t bit)
{
    return vector[bit / 64] >> bit % 64 & 1;
}

static size_t learned(size_t n)
{
    return n / 8 * 2 + (n % 8 < 2 ? n % 8 : 2);
}

static size_t report_learned(size_t which)
{
    return which / 2 * 8 + which % 2;
}

/* The bits that vary, lowest bits of all words first: as many as the reports of both inputs suffice for. */
static struct bits *varying_bits(struct audit_rows *rows)
{
    const struct audit_reports *const reports = rows->reports;
    const size_t least = learned(reports->n[reports->n[1] < reports->n[0]]),
                 most = least > SPARE + 1 ? least - SPARE - 1 : 0;
    struct bits *const bits = xcalloc(1, sizeof *bits);
    uint64_t *const first = xcalloc(reports->columns, sizeof *first), *const varies =
                                                                          xcalloc(reports->columns, sizeof *varies);

    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0; k < learned(reports->n[side]) && k < 2 * BITS_MAX; k++) {
            audit_rows_load(rows, side, report_learned(k));
            for (size_t c = 0; c < reports->columns; c++) {
                if (side == 0 && k == 0)
                    first[c] = rows->number[c];
                varies[c] |= rows->number[c] ^ first[c];
            }
        }
    for (unsigned bit = 0; bit < 64; bit++)
        for (size_t c = 0; c < reports->columns; c++)
            if (varies[c] >> bit & 1 && bits->count < BITS_MAX && bits->count < most) {
                bits->place[bits->count].column = c;
                bits->place[bits->count++].bit = bit;
            }
    bits->words = bits->count / 64 + 1;
    free(first);
    free(varies);
    return bits;
}

/* The vector of the report that is loaded; the constant 1 comes last. */
static void vector_of(const struct bits *bits, const struct audit_rows *rows, uint64_t *vector)
{
    memset(vector, 0, bits->words * sizeof *vector);
    for (size_t k = 0; k < bits->count; k++)
        if (rows->number[bits->place[k].column] >> bits->place[k].bit & 1)
            set_bit(vector, k);
    set_bit(vector, bits->count);
}

/* Adds a vector to a basis in reduced form, row[bit] being the one that begins with that bit. */
static void eliminate(const struct bits *bits, uint64_t **row, uint64_t *vector)
{
    for (size_t bit = 0; bit <= bits->count; bit++) {
        if (!has_bit(vector, bit))
            continue;
        if (!row[bit]) {
            row[bit] = xcalloc(bits->words, sizeof **row);
            memcpy(row[bit], vector, bits->words * sizeof *vector);
            return;
        }
        for (size_t w = 0; w < bits->words; w++)
            vector[w] ^= row[bit][w];
    }
}

/* The relation in which one free bit is 1 and the other free bits are 0, by substitution from the last row up. */
static uint64_t *relation(const struct bits *bits, uint64_t *const *row, size_t free_bit)
{
    uint64_t *const vector = xcalloc(bits->words, sizeof *vector);

    set_bit(vector, free_bit);
    for (size_t bit = free_bit; bit-- > 0;) {
        uint64_t both = 0;

        if (!row[bit])
            continue;
        for (size_t w = 0; w < bits->words; w++)
            both ^= row[bit][w] & vector[w];
        if (__builtin_parityll(both))
            set_bit(vector, bit);
    }
    return vector;
}

struct relations {
    uint64_t *vector[2 * NULL_MAX];
    size_t count;
};

/* Relations that hold for all reports of an input, of as many as decide them. */
static void find_relations(const struct bits *bits, struct audit_rows *rows, size_t side, struct relations *out)
{
    uint64_t **const row = xcalloc(bits->count + 1, sizeof *row), *const vector = xcalloc(bits->words, sizeof *vector);
    const size_t most = out->count + NULL_MAX;

    for (size_t k = 0; k < learned(rows->reports->n[side]) && k < bits->count + 1 + SPARE; k++) {
        audit_rows_load(rows, side, report_learned(k));
        vector_of(bits, rows, vector);
        eliminate(bits, row, vector);
    }
    for (size_t bit = 0; bit <= bits->count && out->count < most; bit++)
        if (!row[bit])
            out->vector[out->count++] = relation(bits, row, bit);
    for (size_t bit = 0; bit <= bits->count; bit++)
        free(row[bit]);
    free(row);
    free(vector);
}

static bool parity_of(const struct bits *bits, const uint64_t *report, const uint64_t *relation)
{
    uint64_t both = 0;

    for (size_t w = 0; w < bits->words; w++)
        both ^= report[w] & relation[w];
    return __builtin_parityll(both);
}

static char *relation_name(const struct bits *bits, const uint64_t *relation)
{
    struct buffer name = {0};
    size_t count = 0;

    buffer_add(&name, "the exclusive-or of");
    for (size_t k = 0; k < bits->count; k++)
        if (has_bit(relation, k) && count++ < NAMED)
            buffer_format(&name, "%s bit %u of word %zu", count > 1 ? "," : "", bits->place[k].bit,
                          bits->place[k].column + 1);
    if (count > NAMED)
        buffer_format(&name, " and %zu more", count - NAMED);
    buffer_add(&name, has_bit(relation, bits->count) ? " is 0" : " is 1");
    return buffer_take(&name);
}

/* Reports of the learning part, of as many as decided the relations, that break each relation. */
static void count_breaks(const struct bits *bits, struct audit_rows *rows, const struct relations *relations,
                         size_t (*breaks)[2], size_t size[2])
{
    uint64_t *const report = xcalloc(bits->words, sizeof *report);

    for (size_t side = 0; side < 2; side++) {
        const size_t n = learned(rows->reports->n[side]), most = bits->count + 1 + SPARE;

        size[side] = n < most ? n : most;
        for (size_t k = 0; k < size[side]; k++) {
            audit_rows_load(rows, side, report_learned(k));
            vector_of(bits, rows, report);
            for (size_t r = 0; r < relations->count; r++)
                breaks[r][side] += parity_of(bits, report, relations->vector[r]);
        }
    }
    free(report);
}

static void add_feature(struct audit_features *features, const struct bits *bits, struct audit_rows *rows,
                        const uint64_t *relation)
{
    struct audit_feature *const feature = audit_feature_add(features, AUDIT_DERIVED);
    uint64_t *const report = xcalloc(bits->words, sizeof *report);

    feature->name = relation_name(bits, relation);
    feature->question = true;
    feature->codes = 2;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < features->reports->n[side]; i++) {
            audit_rows_load(rows, side, i);
            vector_of(bits, rows, report);
            feature->code[side][i] = parity_of(bits, report, relation);
        }
    free(report);
}

void audit_parities(struct audit_features *features, struct audit_rows *rows)
{
    struct bits *const bits = varying_bits(rows);
    struct relations *const relations = xcalloc(1, sizeof *relations);
    size_t(*const breaks)[2] = xcalloc(sizeof relations->vector / sizeof *relations->vector, sizeof *breaks),
                  size[2] = {0, 0};

    if (bits->count > 0) {
        for (size_t side = 0; side < 2; side++)
            find_relations(bits, rows, side, relations);
        count_breaks(bits, rows, relations, breaks, size);
    }
    for (size_t kept = 0; kept < KEPT; kept++) {
        size_t best = 0;
        double best_z = 3.5;

        for (size_t r = 0; r < relations->count; r++) {
            const double z =
                fabs(audit_z((double)breaks[r][0], (double)size[0], (double)breaks[r][1], (double)size[1]));

            if (z > best_z) {
                best_z = z;
                best = r + 1;
            }
        }
        if (best == 0)
            break;
        add_feature(features, bits, rows, relations->vector[best - 1]);
        breaks[best - 1][0] = breaks[best - 1][1] = 0;
    }
    for (size_t r = 0; r < relations->count; r++)
        free(relations->vector[r]);
    free(relations);
    free(breaks);
    free(bits);
}

/* decisions_words.c - a block in words; see decisions.h. "At most" and "as good" hold at the level; "+17 %" is an
 * estimate of the error above the best's. This file is over 500 lines because all rows of a block are worded in it. */
#include "results/decisions.h"

#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 17, LINE_WIDTH = 78 };

/* Names and cells that are listed; of more there is a number. */
enum { NAMES_MAX = 4, CELLS_MAX = 6, POINTS_MAX = 3, NAMED_MAX = 3 };

static const struct candidate_result *at_cell(const struct decided *block, size_t c, size_t i)
{
    return &block->decision.at[c * block->candidates + i];
}

static bool has_cell(const struct decided *block, size_t c)
{
    return block->decision.taken[c] != SIZE_MAX;
}

/* ---- numbers ---- */

/* An error: two digits, three after a leading 1, the last of which is at least a third of the standard error. */
static void put_error(struct buffer *text, double value, double error)
{
    double unit = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;

    if (value > 0 && value / unit < 20)
        unit /= 10;
    while (unit < error / 3 && unit < value)
        unit *= 10;
    const int decimals = (int)fmax(0, -floor(log10(unit) + 1e-9));
    if (value > 0 && decimals > 6)
        buffer_format(text, "%.2g", value);
    else
        buffer_format(text, "%.*f", decimals, unit * floor(value / unit + 0.5));
}

/* The excess of a ratio over 1 in per cent: two digits, rounded to the nearest, or up or down (1, -1) where it is a
 * bound. */
static void put_percent(struct buffer *text, double ratio, int direction)
{
    const double percent = 100 * (ratio - 1), unit = percent < 10 ? 0.1 : percent < 1000 ? 1 : 10;
    const double steps = percent / unit;

    if (fabs(steps) < 0.5 && direction <= 0)
        buffer_add(text, "0");
    else if (isinf(percent)) /* the best has no error */
        buffer_add(text, "∞");
    else
        buffer_format(text, "%.*f", unit < 1 ? 1 : 0,
                      unit * (direction > 0 ? ceil(steps - 1e-6) : floor(steps + (direction < 0 ? 1e-6 : 0.5))));
}

const char *block_unit(const struct decided *block, char text[UNIT_TEXT])
{
    static const char *const words[] = {[LDP_UNIT_POINTS] = "points",
                                        [LDP_UNIT_WRONG] = "% wrong (1 - ",
                                        [LDP_UNIT_USERS] = "% of the users misplaced",
                                        [LDP_UNIT_SCALE] = "% of the scale",
                                        [LDP_UNIT_ABSOLUTE] = "points",
                                        [LDP_UNIT_PLAIN] = "",
                                        [LDP_UNIT_LARGEST] = "points"};
    const enum ldp_unit unit = block->measure->unit;

    snprintf(text, UNIT_TEXT, "%s%s%s", words[unit],
             unit == LDP_UNIT_WRONG || unit == LDP_UNIT_PLAIN ? block->measure->axis : "",
             unit == LDP_UNIT_WRONG ? ")" : "");
    return text;
}

/* ---- lists ---- */

/* "a, b and 3 more" of the candidates for which `is` holds in a cell; returns how many. */
static size_t add_names(struct buffer *text, const struct decided *block, const bool *is)
{
    size_t count = 0, shown = 0;

    for (size_t i = 0; i < block->candidates; i++)
        count += is[i];
    for (size_t i = 0; i < block->candidates && shown < NAMES_MAX; i++)
        if (is[i])
            buffer_format(text, "%s%s", shown++ > 0 ? ", " : "", block->candidate[i].name);
    if (count > shown)
        buffer_format(text, " and %zu more", count - shown);
    return count;
}

/* " (ε = 0.5, 1, 2)": the cells of the block, if there are several that few. */
static void add_cells(struct buffer *text, const struct decided *block)
{
    if (block->cells < 2)
        return;
    if (!block->before || block->cells > CELLS_MAX) {
        buffer_format(text, " (%s to %s)", block->cell[0],
                      block->before ? block->value[block->cells - 1] : block->cell[block->cells - 1]);
        return;
    }
    buffer_format(text, " (%s", block->before);
    for (size_t c = 0; c < block->cells; c++)
        buffer_format(text, "%s%s", c > 0 ? ", " : "", block->value[c]);
    buffer_add(text, ")");
}

static void add_row(struct texts *fields, const char *label, struct buffer *text)
{
    if (text->length > 0) {
        texts_keep(fields, xstrdup(label));
        texts_keep(fields, buffer_take(text));
    }
    buffer_clear(text);
}

/* ---- take ---- */

/* The cell where a candidate's bound is the largest. */
static size_t worst_cell(const struct decided *block, size_t i)
{
    size_t worst = SIZE_MAX;

    for (size_t c = 0; c < block->cells; c++)
        if (has_cell(block, c) && (worst == SIZE_MAX || at_cell(block, c, i)->most > at_cell(block, worst, i)->most))
            worst = c;
    return worst;
}

/* "at most 3.5 % from the best" */
static void add_bound(struct buffer *text, const struct decided *block, double most)
{
    const bool share = block->measure->unit == LDP_UNIT_WRONG;

    if (!(most > 1.0005)) {
        buffer_format(text, "no other is better%s", share ? " by more than half a point" : "");
        return;
    }
    buffer_add(text, "at most ");
    put_percent(text, most, 1);
    buffer_format(text, " %%%s from the best", share ? " and half a point" : "");
}

static void add_taken(struct buffer *text, const struct decided *block)
{
    const struct decision *const decision = &block->decision;
    const size_t worst = worst_cell(block, decision->one);
    const double most = worst == SIZE_MAX ? INFINITY : at_cell(block, worst, decision->one)->most;

    buffer_add(text, block->candidate[decision->one].name);
    if (block->cells > 1)
        buffer_format(text, " at every %s", block->one ? block->one : "point");
    if (decision->kind == DECIDED_NOT)
        buffer_add(text, ", the lowest measured");
    if (isfinite(most)) {
        buffer_add(text, ": ");
        add_bound(text, block, most);
        if (decision->kind == DECIDED_NOT && block->cells > 1)
            buffer_format(text, " (%s)", block->cell[worst]);
    }
}

/* Where a candidate is taken, of results that change. */
static void add_taken_at(struct texts *fields, const struct decided *block)
{
    const struct decision *const decision = &block->decision;
    struct buffer text = {0};

    for (size_t c = 0, lines = 0; c < block->cells && block->cells <= CELLS_MAX; c++) {
        if (!has_cell(block, c))
            continue;
        const struct candidate_result *const at = at_cell(block, c, decision->taken[c]);
        buffer_format(&text, "%s: %s, ", block->cell[c], block->candidate[decision->taken[c]].name);
        if (at->good)
            add_bound(&text, block, at->most);
        else
            buffer_add(&text, "the lowest measured");
        add_row(fields, lines++ == 0 ? "take" : "", &text);
    }
    for (size_t i = 0; i < block->candidates && block->cells > CELLS_MAX; i++) {
        size_t count = 0, first = SIZE_MAX;
        for (size_t c = 0; c < block->cells; c++)
            if (decision->taken[c] == i) {
                first = count++ == 0 ? c : first;
            }
        if (count > 0)
            buffer_format(&text, "%s%s at %zu of %zu points", text.length > 0 ? "; " : "", block->candidate[i].name,
                          count, block->cells);
        if (count == 1)
            buffer_format(&text, " (%s)", block->cell[first]);
    }
    add_row(fields, "take", &text);
}

/* What the best constant costs where the best changes. */
static void add_one_for_all(struct texts *fields, const struct decided *block)
{
    const size_t one = block->decision.one;
    struct buffer text = {0};

    if (one == SIZE_MAX || block->cells < 2)
        return;
    size_t worst = 0;
    for (size_t c = 0; c < block->cells; c++)
        if (has_cell(block, c) && at_cell(block, c, one)->ratio > at_cell(block, worst, one)->ratio)
            worst = c;
    buffer_format(&text, "%s has ", block->candidate[one].name);
    put_percent(&text, at_cell(block, worst, one)->ratio, 0);
    buffer_format(&text, " %% more error than the best at %s", block->cell[worst]);
    if (isfinite(at_cell(block, worst, one)->most)) {
        buffer_add(&text, " (at most ");
        put_percent(&text, at_cell(block, worst, one)->most, 1);
        buffer_add(&text, " %)");
    }
    add_row(fields, "one for all", &text);
}

/* Cells where another has clearly less error, which is not shown. */
static void add_by_cell(struct texts *fields, const struct decided *block)
{
    const struct decision *const decision = &block->decision;
    struct buffer text = {0};
    size_t count = 0;

    for (size_t c = 0; c < block->cells; c++) {
        if (!has_cell(block, c) || !(at_cell(block, c, decision->one)->ratio > 1 + DECISION_TOLERANCE))
            continue;
        if (count++ >= POINTS_MAX)
            continue;
        const double less = 1 - 1 / at_cell(block, c, decision->one)->ratio;
        buffer_format(&text, "%s%s: %s has ", count > 1 ? "; " : "", block->cell[c],
                      block->candidate[decision->least[c]].name);
        put_percent(&text, 1 + less, 0);
        buffer_add(&text, " % less error");
    }
    if (count > POINTS_MAX)
        buffer_format(&text, "; and at %zu more points", count - POINTS_MAX);
    if (count > 0)
        buffer_add(&text, " (measured, not shown)");
    char *const label = xformat("or by %s", block->one ? block->one : "point");
    add_row(fields, label, &text);
    free(label);
}

static void add_take(struct texts *fields, const struct decided *block)
{
    struct buffer text = {0};

    if (block->decision.kind == DECIDED_CHANGES) {
        add_taken_at(fields, block);
        add_one_for_all(fields, block);
        return;
    }
    add_taken(&text, block);
    add_row(fields, "take", &text);
    if (block->decision.kind == DECIDED_NOT && block->cells > 1)
        add_by_cell(fields, block);
}

/* ---- error ---- */

/* Whether a row of the table of largest errors has a row's keys but for the query's. */
static bool is_largest(const struct decided *block, size_t row, size_t r)
{
    const struct result_table *const other = block->largest;
    bool same = true;

    for (size_t k = 0; same && k < other->nkeys; k++)
        same = result_key_part(other, k) == PART_QUERY || result_key_part(other, k) == PART_POINT ||
               strcmp(result_key(block->table, row, k), result_key(other, r, k)) == 0;
    return same;
}

/* "4.3, 2.2, 0.95", of many cells "4.3 to 0.95": errors of what is taken, or the largest ones. */
static void add_numbers(struct buffer *text, const struct decided *block, bool largest)
{
    const char *before = "";
    size_t row = 0; /* of largest errors each is looked for from the last one on, as rows are mostly in one order */

    for (size_t c = 0; c < block->cells; c++) {
        if (!has_cell(block, c) || (block->cells > CELLS_MAX && c > 0 && c + 1 < block->cells))
            continue;
        const size_t at = c * block->candidates + block->decision.taken[c], rows = largest ? block->largest->nrows : 0;
        size_t missed = 0;
        for (; missed < rows && !is_largest(block, block->row[at], row); missed++)
            row = (row + 1) % rows;
        buffer_add(text, before);
        before = block->cells > CELLS_MAX ? " to " : ", ";
        if (!largest) {
            put_error(text, block->error[at], block->worlds > 0 ? 0 : (block->high[c] - block->low[c]) / 4);
        } else if (missed < rows) {
            const struct result_number *const number = result_number(block->largest, row, 0);
            put_error(text, 100 * number->mean, 100 * number->stderr_);
        }
    }
}

static void add_errors(struct texts *fields, const struct decided *block)
{
    const size_t d = result_key_of(block->table, PART_DOMAIN);
    struct buffer text = {0};
    char words[UNIT_TEXT];

    add_numbers(&text, block, false);
    buffer_format(&text, " %s", block_unit(block, words));
    add_cells(&text, block);
    if (block->worlds > 0 && block->cells == 1) {
        buffer_add(&text, "; from ");
        put_error(&text, *block->low, 0);
        buffer_add(&text, " to ");
        put_error(&text, *block->high, 0);
    }
    if (block->largest) {
        const bool one = block->table->value[d].count == 1;
        buffer_format(&text, "; the largest of %s%s is ", one ? "the " : "all",
                      one ? block->table->value[d].text[0] : "");
        add_numbers(&text, block, true);
        buffer_add(&text, " on average");
    }
    add_row(fields, "error", &text);
}

/* ---- as good ---- */

/* Whether a candidate is taken in every cell where something is. */
static bool is_taken(const struct decided *block, size_t i)
{
    for (size_t c = 0; c < block->cells; c++)
        if (has_cell(block, c) && block->decision.taken[c] != i)
            return false;
    return true;
}

static void add_as_good(struct texts *fields, const struct decided *block)
{
    struct buffer text = {0};
    bool *const is = xcalloc(block->candidates, sizeof *is);

    for (size_t i = 0; i < block->candidates; i++)
        is[i] = decision_is_good(&block->decision, i) && !is_taken(block, i);
    if (add_names(&text, block, is) > 0)
        buffer_add(&text, " (within 5 %)");
    for (size_t c = 0; c < block->cells && block->cells > 1 && block->cells <= CELLS_MAX; c++) {
        struct buffer names = {0};
        for (size_t i = 0; i < block->candidates; i++)
            is[i] =
                at_cell(block, c, i)->good && !decision_is_good(&block->decision, i) && block->decision.taken[c] != i;
        if (add_names(&names, block, is) > 0)
            buffer_format(&text, "%s%s: %s", text.length > 0 ? "; " : "", block->cell[c], names.text);
        buffer_clear(&names);
    }
    add_row(fields, "as good", &text);
    free(is);
}

/* ---- otherwise ---- */

/* A candidate's error above the best's over the cells where it is not taken. */
struct excess {
    size_t candidate;
    double low, high; /* ratios; NAN: nowhere */
    bool may_be_none; /* it may be the best in one of them */
};

static struct excess excess_of(const struct decided *block, size_t i)
{
    struct excess excess = {i, (double)NAN, (double)NAN, false};

    for (size_t c = 0; c < block->cells; c++) {
        const struct candidate_result *const at = at_cell(block, c, i);
        if (!has_cell(block, c) || !at->measured || block->decision.taken[c] == i)
            continue;
        excess.low = fmin(excess.low, at->ratio);
        excess.high = fmax(excess.high, at->ratio);
        excess.may_be_none |= !(at->least > 1);
    }
    return excess;
}

/* "+2.6 to 20 % (may be 0)" */
static void add_excess(struct buffer *text, const struct excess *excess)
{
    buffer_add(text, "+");
    put_percent(text, excess->low, 0);
    if (excess->high > 1.0005 * excess->low) {
        buffer_add(text, " to ");
        put_percent(text, excess->high, 0);
    }
    buffer_format(text, " %%%s", excess->may_be_none ? " (may be 0)" : "");
}

static int by_excess(const void *a, const void *b)
{
    const struct excess *const x = a, *const y = b;

    return x->high != y->high ? (x->high > y->high) - (x->high < y->high)
                              : (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* The unprocessed estimate, and what is taken with other oracles, have names of their own. */
static const char *name_of(const struct decided *block, size_t i, bool *named)
{
    const struct candidate *const one = &block->candidate[i];
    const size_t at = block->decision.one != SIZE_MAX ? block->decision.one : block->decision.taken[0];
    const struct candidate *const taken = at == SIZE_MAX ? one : &block->candidate[at];
    const bool same_oracle = !one->oracle || strcmp(one->oracle, taken->oracle) == 0;

    *named = strcmp(one->method, taken->method) == 0;
    if (strcmp(one->method, ldp_methods[0]->name) == 0 && same_oracle) {
        *named = true;
        return "no method (base)";
    }
    return one->name;
}

static void add_others(struct buffer *text, const struct decided *block, struct excess *other, size_t count)
{
    if (count == 0)
        return;
    qsort(other, count, sizeof *other, by_excess);
    buffer_add(text, text->length > 0 ? "; " : "");
    if (count == 1) {
        buffer_format(text, "%s ", block->candidate[other[0].candidate].name);
        add_excess(text, &other[0]);
        return;
    }
    buffer_format(text, "%zu others from +", count);
    put_percent(text, other[0].high, 0);
    buffer_format(text, " (%s) to +", block->candidate[other[0].candidate].name);
    put_percent(text, other[count - 1].high, 0);
    buffer_format(text, " %% (%s)", block->candidate[other[count - 1].candidate].name);
}

static void add_otherwise(struct texts *fields, const struct decided *block)
{
    struct excess *const other = xcalloc(block->candidates, sizeof *other);
    struct buffer text = {0};
    size_t count = 0, named = 0;

    for (size_t i = 0; i < block->candidates; i++) {
        const struct excess excess = excess_of(block, i);
        bool is_named;
        const char *const name = name_of(block, i, &is_named);
        if (isnan(excess.low) || decision_is_good(&block->decision, i) || block->candidate[i].own)
            continue;
        if (is_named && named < NAMED_MAX) {
            buffer_format(&text, "%s%s ", named++ > 0 ? "; " : "", name);
            add_excess(&text, &excess);
        } else {
            other[count++] = excess;
        }
    }
    add_others(&text, block, other, count);
    add_row(fields, "otherwise", &text);
    free(other);
}

/* ---- one's own ---- */

/* The best of what is not one's own, by its largest error above the best's. */
static size_t best_other(const struct decided *block)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < block->candidates; i++)
        if (!block->candidate[i].own && !isnan(excess_of(block, i).high) &&
            (found == SIZE_MAX || excess_of(block, i).high < excess_of(block, found).high))
            found = i;
    return found;
}

static void add_own(struct buffer *text, const struct decided *block, size_t i)
{
    const struct excess excess = excess_of(block, i);
    const size_t other = best_other(block);

    if (isnan(excess.low) && other != SIZE_MAX) {
        const struct excess without = excess_of(block, other);
        buffer_format(text, "%s is taken; the best of the others, %s, has ", block->candidate[i].name,
                      block->candidate[other].name);
        add_excess(text, &without);
        buffer_add(text, " error");
    } else if (decision_is_good(&block->decision, i)) {
        buffer_format(text, "%s is as good as the best within 5 %%, not better by more than that",
                      block->candidate[i].name);
    } else if (!isnan(excess.low)) {
        buffer_format(text, "%s has ", block->candidate[i].name);
        add_excess(text, &excess);
        buffer_add(text, " error");
    }
}

size_t block_rank(const struct decided *block, size_t cell, size_t candidate)
{
    size_t rank = 1;

    for (size_t j = 0; j < block->candidates; j++)
        rank += at_cell(block, cell, j)->measured &&
                at_cell(block, cell, j)->ratio < at_cell(block, cell, candidate)->ratio;
    return rank;
}

/* ", rank 2 to 5 of 13": by measured errors, over the cells. */
static void add_rank(struct buffer *text, const struct decided *block, size_t i)
{
    size_t best = SIZE_MAX, worst = 0;

    for (size_t c = 0; c < block->cells; c++) {
        const size_t rank = block_rank(block, c, i);
        if (at_cell(block, c, i)->measured) {
            best = rank < best ? rank : best;
            worst = rank > worst ? rank : worst;
        }
    }
    buffer_format(text, ", rank %zu", best);
    if (best < worst)
        buffer_format(text, " to %zu", worst);
    buffer_format(text, " of %zu", block->candidates);
}

static void add_yours(struct texts *fields, const struct decided *block)
{
    struct buffer text = {0};
    size_t count = 0;

    for (size_t i = 0; i < block->candidates; i++)
        if (block->candidate[i].own && count < NAMED_MAX) {
            buffer_add(&text, count++ > 0 ? "; " : "");
            const size_t before = text.length;
            add_own(&text, block, i);
            if (text.length > before) /* it was measured */
                add_rank(&text, block, i);
        }
    add_row(fields, "yours", &text);
}

/* ---- not decided ---- */

/* Candidates at each point, of the first of them: "ε = 1: a, b; ε = 2: c". same: those that had the values of what is
 * taken in every repetition so far; else the others that may be better. */
static void add_open(struct texts *fields, const struct decided *block, bool same)
{
    bool *const is = xcalloc(block->candidates, sizeof *is);
    struct buffer text = {0};
    size_t points = 0;

    for (size_t c = 0; c < block->cells; c++) {
        struct buffer names = {0};
        for (size_t i = 0; i < block->candidates; i++)
            is[i] = at_cell(block, c, i)->may_matter &&
                    same == (at_cell(block, c, i)->same_as == at_cell(block, c, block->decision.taken[c])->same_as);
        const size_t count = add_names(&names, block, is);
        if (count > 0 && points++ < POINTS_MAX)
            buffer_format(&text, "%s%s%s%s%s", points > 1 ? "; " : "", block->cell[c], block->cells > 1 ? ": " : "",
                          names.text, same ? "" : " may be better by more than 5 %");
        buffer_clear(&names);
    }
    if (points > POINTS_MAX)
        buffer_format(&text, "; and at %zu more points", points - POINTS_MAX);
    add_row(fields, same ? "the same so far" : "not decided", &text);
    free(is);
}

/* If all that may be the best is one method: it is decided, with which oracle is not. */
static void add_decided(struct texts *fields, const struct decided *block)
{
    const char *method = NULL;
    bool same = true;
    size_t count = 0;

    for (size_t c = 0; c < block->cells; c++) {
        if (!has_cell(block, c) || at_cell(block, c, block->decision.taken[c])->good)
            continue;
        for (size_t i = 0; i < block->candidates; i++)
            if (at_cell(block, c, i)->may_be_best) {
                same &= !method || strcmp(method, block->candidate[i].method) == 0;
                method = block->candidate[i].method;
                count++;
            }
    }
    if (count < 2 || !same)
        return;
    struct buffer text = {0};
    buffer_format(&text, "the method, %s; not the oracle", method);
    add_row(fields, "decided", &text);
}

/* ---- all ---- */

void block_rows(const struct decided *block, struct texts *fields)
{
    add_take(fields, block);
    add_errors(fields, block);
    add_as_good(fields, block);
    add_otherwise(fields, block);
    add_yours(fields, block);
    add_decided(fields, block);
    add_open(fields, block, true);
    add_open(fields, block, false);
}

/* ---- lines ---- */

char *block_title(const struct decided *block, size_t cell)
{
    return *block->cell[cell] ? xformat("%s, %s", block->title, block->cell[cell]) : xstrdup(block->title);
}

char *block_size(const struct decided *block)
{
    return xformat("%s, %s", COUNTED(block->candidates, "candidate"),
                   block->worlds > 0 ? COUNTED(block->worlds, "world") : COUNTED(block->repetitions, "repetition"));
}

/* A title, what is beside it, and rows as lines of at most 80 columns. Malloc'd. */
static char *fields_text(const char *title, const char *size, const struct texts *fields)
{
    const int gap = LINE_WIDTH - (int)(text_columns(title, SIZE_MAX) + text_columns(size, SIZE_MAX));
    char *text = NULL;
    size_t length = 0;
    FILE *const out = xmemstream(&text, &length);

    fprintf(out, "%s%*s%s\n", title, gap > 2 ? gap : 2, "", size);
    for (size_t i = 0; i + 1 < fields->count; i += 2) {
        const int room = LABEL_WIDTH - (int)text_columns(fields->text[i], SIZE_MAX);
        print_line(out, LINE_WIDTH, "  %s%*s%s\n", fields->text[i], room > 2 ? room : 2, "", fields->text[i + 1]);
    }
    fclose(out);
    return text;
}

char *decisions_text(const struct decisions *decisions)
{
    struct buffer out = {0};

    buffer_add(&out, decisions->notes.text ? decisions->notes.text : "");
    for (size_t b = 0; b < decisions->count; b++) {
        struct texts fields = {0};
        char *const size = block_size(&decisions->block[b]);

        block_rows(&decisions->block[b], &fields);
        char *const text = fields_text(decisions->block[b].title, size, &fields);
        buffer_format(&out, "%s%s", out.length > 0 ? "\n" : "", text);
        texts_clear(&fields);
        free(text);
        free(size);
    }
    return buffer_take(&out);
}

/* decisions.c - see decisions.h. Candidates are pairs of what a table compares and an oracle, where it has both; cells
 * are what differs in size: epsilon, users, values. It has over 500 lines: from a table to what is decided of it. */
#include "results/decisions.h"

#include "config/external.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger tables are not summed up; of a table with more blocks its queries' parameters, then its data are cells too. */
enum { ROWS_MAX = 1000000, BLOCKS_MAX = 8, CELL_KEYS = 3 };

/* ---- candidates ---- */

/* Place of a method in the order of preference; other subjects keep the table's. */
static size_t method_rank(const char *label)
{
    size_t rank = 0;

    for (size_t i = 0; ldp_methods_preferred[i]; i++, rank++)
        if (label_is(label, ldp_methods_preferred[i]->name))
            return rank;
    for (size_t i = 0; ldp_methods[i]; i++, rank++)
        if (label_is(label, ldp_methods[i]->name))
            return rank;
    return rank;
}

static size_t oracle_rank(const char *label)
{
    size_t rank = 0;

    while (label && ldp_oracles[rank] && !label_is(label, ldp_oracles[rank]->name))
        rank++;
    return rank;
}

static bool is_private(const char *label)
{
    const struct ldp_oracle *const oracle = ldp_oracles[oracle_rank(label)];

    return !oracle || !(oracle->flags & LDP_ORACLE_NOT_PRIVATE);
}

/* The candidates in the order of preference: one's own last, then by method, by oracle, by index. */
static size_t *order_of(const struct decided *block)
{
    double *const rank = xcalloc(block->candidates, sizeof *rank);
    size_t *const order = xcalloc(block->candidates, sizeof *order);

    for (size_t i = 0; i < block->candidates; i++) {
        const struct candidate *const one = &block->candidate[i];

        rank[i] =
            (double)i + ROWS_MAX * (double)(oracle_rank(one->oracle) +
                                            NAMES_MAX * (method_rank(one->method) + (one->own ? NAMES_MAX * 2 : 0)));
    }
    qsort(rank, block->candidates, sizeof *rank, by_number);
    for (size_t i = 0; i < block->candidates; i++)
        order[i] = (size_t)fmod(rank[i], ROWS_MAX);
    free(rank);
    return order;
}

/* ---- blocks ---- */

/* How a table is cut: which of its keys name candidates, which cells. */
struct cut {
    const struct result_table *table;
    const struct styles *styles;
    const cJSON *config;
    size_t method, oracle; /* keys; oracle SIZE_MAX: none */
    bool *of_candidate, *of_cell, *of_either;
    double level;
    size_t least; /* candidates of a block */
    bool of_worlds;
    const struct result_table *largest;
};

/* Whether a config's list has this label, and it is not part of the program. */
static bool is_own(const struct cut *cut, const char *list, const char *label)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(cut->config, list))
    {
        const char *const name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));
        const char *const own = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "label"));
        if (name && label && external_config_keys(name) && strcmp(own ? own : name, label) == 0)
            return true;
    }
    return false;
}

/* The candidate of a row, which is added if it is new. */
static size_t candidate_of(const struct cut *cut, struct decided *block, size_t row)
{
    const char *const method = result_key(cut->table, row, cut->method);
    const char *const oracle = cut->oracle == SIZE_MAX ? NULL : result_key(cut->table, row, cut->oracle);

    for (size_t i = 0; i < block->candidates; i++)
        if (strcmp(block->candidate[i].method, method) == 0 &&
            (!oracle || strcmp(block->candidate[i].oracle, oracle) == 0))
            return i;
    block->candidate[block->candidates++] = (struct candidate){
        .method = method,
        .oracle = oracle,
        .own = is_own(cut, "methods", method) || is_own(cut, "oracles", oracle),
    };
    return block->candidates - 1;
}

static void name_candidates(struct decided *block)
{
    bool methods = false, oracles = false;

    for (size_t i = 1; i < block->candidates; i++) {
        const struct candidate *const one = &block->candidate[i], *const first = &block->candidate[0];
        methods |= strcmp(one->method, first->method) != 0;
        oracles |= first->oracle && strcmp(one->oracle, first->oracle) != 0;
    }
    for (size_t i = 0; i < block->candidates; i++) {
        struct candidate *const one = &block->candidate[i];
        one->name = !oracles   ? xstrdup(one->method)
                    : !methods ? xstrdup(one->oracle)
                               : xformat("%s with %s", one->method, one->oracle);
    }
}

/* ---- words ---- */

/* Whether a key differs among some rows; row NULL: among the first `count`. */
static bool key_differs(const struct result_table *table, const size_t *row, size_t count, size_t key)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(result_key(table, row ? row[i] : i, key), result_key(table, row ? row[0] : 0, key)) != 0)
            return true;
    return false;
}

static const char *query_of(const struct cut *cut, size_t row)
{
    const size_t key = result_key_of(cut->table, PART_QUERY);

    return key == SIZE_MAX ? "" : result_key(cut->table, row, key);
}

static struct style_key key_name(const struct cut *cut, size_t key)
{
    const enum column_part part = result_key_part(cut->table, key);

    return cut->styles ? style_key(cut->styles, cut->table->table->file, cut->table->key_name[key], part)
                       : (struct style_key){cut->table->key_name[key], part};
}

static char *key_words(const struct cut *cut, size_t row, size_t key)
{
    const char *const value = result_key(cut->table, row, key);

    if (!cut->styles)
        return xformat("%s = %s", cut->table->key_name[key], value);
    return part_is_label(result_key_part(cut->table, key))
               ? style_name(cut->styles, value)
               : style_value(cut->styles, key_name(cut, key), value, query_of(cut, row));
}

/* Words of the keys that are chosen and that differ among rows, "a, b". */
static char *words_of(const struct cut *cut, size_t row, const size_t *among, size_t count, bool of_cell)
{
    const size_t query = result_key_of(cut->table, PART_QUERY);
    struct buffer text = {0};

    for (size_t k = 0; k < cut->table->nkeys; k++) {
        if (cut->of_candidate[k] || cut->of_cell[k] != of_cell || k == cut->table->experiment || k == query ||
            !*result_key(cut->table, row, k) ||
            (!key_differs(cut->table, among, count, k) && result_key_part(cut->table, k) != PART_POINT))
            continue;
        char *const words = key_words(cut, row, k);
        buffer_format(&text, "%s%s", text.length > 0 ? ", " : "", words);
        free(words);
    }
    return buffer_take(&text);
}

/* "the most frequent values, k = 3": the query, and what tells blocks apart. */
static char *title_of(const struct cut *cut, size_t row, const struct row_groups *all)
{
    const char *const query = query_of(cut, row), *const file = cut->table->table->file;
    char *const base = xformat("%.*s", (int)strcspn(file, "."), file),
                *const words =
                    cut->styles ? style_query(cut->styles, *query ? query : base) : xstrdup(*query ? query : base),
                *const others = words_of(cut, row, all->row, cut->table->nrows, false),
                *const title = *others ? xformat("%s, %s", words, others) : xstrdup(words);

    free(base);
    free(words);
    free(others);
    return title;
}

/* The only key in which cells differ; SIZE_MAX: there is none, or more than one. */
static size_t only_key(const struct cut *cut, const size_t *row, size_t count)
{
    size_t found = SIZE_MAX;

    for (size_t k = 0; k < cut->table->nkeys; k++)
        if (cut->of_cell[k] && key_differs(cut->table, row, count, k)) {
            if (found != SIZE_MAX)
                return SIZE_MAX;
            found = k;
        }
    return found;
}

static void name_cells(const struct cut *cut, struct decided *block, const struct row_groups *cells, const size_t *row,
                       size_t count)
{
    const size_t only = only_key(cut, row, count);
    const bool is_label = only != SIZE_MAX && part_is_label(result_key_part(cut->table, only));

    for (size_t c = 0; c < block->cells; c++)
        block->cell[c] = words_of(cut, cells->row[cells->first[c]], row, count, true);
    if (only == SIZE_MAX || is_label)
        return;
    const struct word_row *const known =
        cut->styles ? style_words(cut->styles, key_name(cut, only), query_of(cut, row[0])) : NULL;
    const char *const before = known ? known->before : NULL;
    block->before = before ? xstrdup(before) : xformat("%s = ", cut->table->key_name[only]);
    block->one = xformat("%.*s", (int)strcspn(block->before, " ="), block->before);
    for (size_t c = 0; c < block->cells; c++)
        block->value[c] = result_key(cut->table, cells->row[cells->first[c]], only);
}

/* ---- one block ---- */

static void decide(struct decided *block, double level)
{
    const size_t size = block->cells * block->candidates,
                 share = setting_condition(block->table->table->measures, block->index);
    struct sample *const sample = xcalloc(2 * size, sizeof *sample);
    size_t *const order = order_of(block);

    for (size_t i = 0; i < size; i++) {
        const struct sample none = {.mean = (double)NAN};
        const size_t row = block->row[i];
        sample[i] = row == SIZE_MAX ? none : result_sample(block->table, row, block->index);
        block->error[i] = decision_error(block->measure->unit, sample[i].mean);
        sample[size + i] = row == SIZE_MAX || share == SIZE_MAX ? none : result_sample(block->table, row, share);
        if (row != SIZE_MAX && result_number(block->table, row, block->index)->repetitions > block->repetitions)
            block->repetitions = result_number(block->table, row, block->index)->repetitions;
    }
    const struct decision_question question = {.candidates = block->candidates,
                                               .cells = block->cells,
                                               .sample = sample,
                                               .share = share == SIZE_MAX ? NULL : sample + size,
                                               .least =
                                                   share == SIZE_MAX ? 0 : block->table->table->measures[share].target,
                                               .order = order,
                                               .unit = block->measure->unit,
                                               .level = level,
                                               .any_time = block->table->any_time};
    block->decision = decision_make(&question);
    for (size_t c = 0; c < block->cells; c++) {
        const size_t taken = block->decision.taken[c], at = c * block->candidates + taken;
        if (taken == SIZE_MAX)
            continue;
        const struct result_number *const number = result_number(block->table, block->row[at], block->index);
        const double range = 2 * decision_error_sd(block->measure->unit, number->mean, number->stderr_);
        block->low[c] = block->error[at] - range;
        block->high[c] = block->error[at] + range;
    }
    free(sample);
    free(order);
}

static void block_clear(struct decided *block)
{
    for (size_t i = 0; i < block->candidates; i++)
        free(block->candidate[i].name);
    for (size_t c = 0; c < block->cells; c++)
        free(block->cell[c]);
    free(block->title);
    free(block->candidate);
    free(block->row);
    free(block->cell);
    free(block->before);
    free(block->one);
    free(block->value);
    free(block->error);
    free(block->low);
    free(block->high);
    decision_clear(&block->decision);
}

/* Makes the block of some rows; false where nothing is compared. */
static bool block_make(const struct cut *cut, size_t measure, const size_t *row, size_t count,
                       const struct row_groups *all, struct decided *block)
{
    struct row_groups cells = result_groups(cut->table, row, count, cut->of_candidate);

    *block = (struct decided){.table = cut->table,
                              .measure = &cut->table->table->measures[measure],
                              .index = measure,
                              .candidate = xcalloc(count, sizeof *block->candidate),
                              .cell = xcalloc(cells.count, sizeof *block->cell),
                              .value = xcalloc(cells.count, sizeof *block->value),
                              .low = xcalloc(cells.count, sizeof *block->low),
                              .high = xcalloc(cells.count, sizeof *block->high),
                              .cells = cells.count};
    for (size_t i = 0; i < count; i++)
        candidate_of(cut, block, cells.row[i]);
    const size_t size = cells.count * block->candidates;
    block->row = xcalloc(size, sizeof *block->row);
    block->error = xcalloc(size, sizeof *block->error);
    for (size_t i = 0; i < size; i++)
        block->row[i] = SIZE_MAX;
    for (size_t c = 0; c < cells.count; c++)
        for (size_t i = cells.first[c + 1]; i-- > cells.first[c];)
            block->row[c * block->candidates + candidate_of(cut, block, cells.row[i])] = cells.row[i];
    const bool compares = block->candidates >= cut->least;
    if (compares) {
        name_candidates(block);
        name_cells(cut, block, &cells, row, count);
        block->title = title_of(cut, row[0], all);
        const struct ldp_query *const query = ldp_query_find(query_of(cut, row[0]));
        block->largest = query && query->whole_domain && cut->largest && cut->largest->nkeys == cut->table->nkeys
                             ? cut->largest
                             : NULL;
        decide(block, cut->level);
    } else {
        block_clear(block);
    }
    result_groups_clear(&cells);
    return compares;
}

/* ---- do intervals hold the truth as often as they say? ---- */

/* " (Base, intervals, rank = 2)": the keys of a row in which rows differ. */
static void add_point(const struct result_table *table, size_t row, const struct styles *styles, struct buffer *out)
{
    const size_t subject = result_key_index(table, table->table->subject), query = result_key_of(table, PART_QUERY);
    const char *joint = " (";

    for (size_t k = 0; k < table->nkeys; k++) {
        const char *const text = result_key(table, row, k);
        if (!*text || !key_differs(table, NULL, table->nrows, k))
            continue;
        char *const words = k == query && styles         ? style_query(styles, text)
                            : k == subject || k == query ? xstrdup(text)
                                                         : xformat("%s = %s", table->key_name[k], text);
        buffer_format(out, "%s%s", joint, words);
        joint = ", ";
        free(words);
    }
    buffer_add(out, *joint == ',' ? ")" : "");
}

/* The row that holds the truth least often, among those below the level, if there are any; SIZE_MAX: no rows. */
static size_t find_least(const double *p, const double *mean, size_t count, double level, size_t *below)
{
    size_t least = SIZE_MAX;

    *below = 0;
    for (size_t i = 0; i < count; i++)
        *below += p[i] < level;
    for (size_t i = 0; i < count; i++)
        if (!isnan(mean[i]) && (*below == 0 || p[i] < level) && (least == SIZE_MAX || mean[i] < mean[least]))
            least = i;
    return least;
}

/* Adds whether intervals hold the truth as often as they say, of tables with a share that does. */
static void add_coverage(const struct result_table *table, size_t measure, double level, const struct styles *styles,
                         struct buffer *text)
{
    const size_t count = table->nrows, share = setting_condition(table->table->measures, measure);
    double *const p = xcalloc(count, sizeof *p), *const mean = xcalloc(count, sizeof *mean);
    size_t below = 0, known = 0;

    for (size_t i = 0; share != SIZE_MAX && i < count; i++) {
        struct row_setting of = result_setting(table, &i, 1, measure, level);
        p[i] = setting_short(&of.setting, 0);
        mean[i] = of.setting.share[0].mean;
        known += isnan(mean[i]) ? 0 : 1;
        result_setting_clear(&of);
    }
    holm(p, count, p);
    const size_t least = share == SIZE_MAX ? SIZE_MAX : find_least(p, mean, count, level, &below);
    if (least != SIZE_MAX) {
        const double asked = 100 * table->table->measures[share].target;
        if (below > 0)
            buffer_format(text, "%zu of %s %s the true value significantly less often than in %g %%", below,
                          COUNTED(known, "interval type"), below == 1 ? "covers" : "cover", asked);
        else if (known == 1)
            buffer_format(text, "The coverage of the intervals is not significantly below %g %%", asked);
        else
            buffer_format(text, "None of %s covers the true value significantly less often than in %g %%",
                          COUNTED(known, "interval type"), asked);
        buffer_format(text, "; the worst in %.1f %%", 100 * mean[least]);
        add_point(table, least, styles, text);
        buffer_format(text, " of %s.\n", COUNTED(result_number(table, least, measure)->repetitions, "repetition"));
        if (known < count)
            buffer_format(text, "%zu of %s %s no intervals.\n", count - known, COUNTED(count, "row"),
                          count - known == 1 ? "has" : "have");
    }
    free(p);
    free(mean);
}

/* ---- one table ---- */

/* Whether a key makes cells and not blocks: sizes; then all numbers; then all but what is asked. */
static bool makes_cells(const struct result_table *table, size_t key, int level)
{
    const enum column_part part = result_key_part(table, key);

    if (level == 0)
        return part == PART_BUDGET || part == PART_USERS || part == PART_DOMAIN;
    return level == 1 ? !part_is_label(part) : part != PART_QUERY && part != PART_TARGET;
}

static bool cut_open(const struct result_table *table, struct cut *cut)
{
    cut->table = table;
    cut->method = table->table->subject ? result_key_index(table, table->table->subject) : SIZE_MAX;
    cut->oracle = result_key_of(table, PART_ORACLE);
    const size_t partner = result_key_of(table, PART_METHOD);
    if (partner != SIZE_MAX && partner != cut->method) { /* methods with chains */
        cut->oracle = cut->method;
        cut->method = partner;
    }
    if (cut->oracle == cut->method)
        cut->oracle = SIZE_MAX;
    if (cut->method == SIZE_MAX)
        return false;
    cut->of_candidate = xcalloc(table->nkeys, sizeof(bool));
    cut->of_cell = xcalloc(table->nkeys, sizeof(bool));
    cut->of_either = xcalloc(table->nkeys, sizeof(bool));
    cut->of_candidate[cut->method] = true;
    if (cut->oracle != SIZE_MAX)
        cut->of_candidate[cut->oracle] = true;
    const size_t dataset = cut->of_worlds ? result_key_of(table, PART_DATASET) : SIZE_MAX;
    if (dataset != SIZE_MAX)
        cut->of_candidate[dataset] = true;
    return true;
}

/* Rows that can be taken: not of an oracle that protects nobody, unless all are. */
static size_t list_rows(const struct cut *cut, size_t *row)
{
    size_t count = 0;

    for (size_t i = 0; i < cut->table->nrows; i++)
        if (cut->oracle == SIZE_MAX || is_private(result_key(cut->table, i, cut->oracle)))
            row[count++] = i;
    for (size_t i = 0; count == 0 && i < cut->table->nrows; i++)
        row[i] = i;
    return count > 0 ? count : cut->table->nrows;
}

static void decide_table(struct cut *cut, size_t measure, struct decisions *out)
{
    size_t *const row = xcalloc(cut->table->nrows + 1, sizeof *row);
    const size_t count = list_rows(cut, row);
    struct row_groups blocks = {0};

    for (int level = 0; level < CELL_KEYS && (level == 0 || blocks.count > BLOCKS_MAX); level++) {
        result_groups_clear(&blocks);
        for (size_t k = 0; k < cut->table->nkeys; k++) {
            cut->of_cell[k] = !cut->of_candidate[k] && k != cut->table->experiment && makes_cells(cut->table, k, level);
            cut->of_either[k] = cut->of_cell[k] || cut->of_candidate[k];
        }
        blocks = result_groups(cut->table, row, count, cut->of_either);
    }
    const struct row_groups all = {.row = row, .count = count};
    for (size_t b = 0; b < blocks.count; b++) {
        struct decided block;
        const size_t first = blocks.first[b], rows = blocks.first[b + 1] - first;
        if (block_make(cut, measure, blocks.row + first, rows, &all, &block))
            *ARRAY_ADD(out->block, out->count, out->room) = block;
    }
    result_groups_clear(&blocks);
    free(row);
}

/* The measure by which a table decides: the one that the config names, else its first; SIZE_MAX: none. */
static size_t decided_by(const struct result_table *table, const cJSON *config)
{
    const char *const requested = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "measure"));
    size_t found = SIZE_MAX;

    for (size_t m = table->nmeasures; m-- > 0;) {
        const struct ldp_measure *const one = &table->table->measures[m];
        if (one->unit != LDP_UNIT_NONE && requested && strcmp(one->name, requested) == 0)
            return m;
        found = one->unit != LDP_UNIT_NONE && one->unit != LDP_UNIT_LARGEST ? m : found;
    }
    return found;
}

/* The table of the largest errors; NULL: there is none, or a failure. */
static const struct result_table *largest_of(struct results *results, struct failure *failure)
{
    for (size_t i = 0; i < results_count(results); i++)
        if (results_declared(results, i)->measures[0].unit == LDP_UNIT_LARGEST)
            return results_table(results, i, failure);
    return NULL;
}

int decisions_find(struct results *results, double level, const struct styles *styles, size_t least, bool of_worlds,
                   struct decisions *out, struct failure *failure)
{
    const char *const text = results_origin(results)->config;
    cJSON *const config = text ? cJSON_Parse(text) : NULL;
    int result = 0;

    *out = (struct decisions){0};
    const struct result_table *const largest = largest_of(results, failure);
    for (size_t i = 0; result == 0 && i < results_count(results); i++) {
        struct cut cut = {.styles = styles,
                          .config = config,
                          .level = level,
                          .least = least,
                          .of_worlds = of_worlds,
                          .largest = of_worlds ? NULL : largest};
        const struct result_table *const table = results_table(results, i, failure);
        const size_t measure = table ? decided_by(table, config) : SIZE_MAX;

        result = table ? 0 : -1;
        if (measure == SIZE_MAX || table->nrows > ROWS_MAX || !cut_open(table, &cut))
            continue;
        add_coverage(table, measure, level, styles, &out->notes);
        decide_table(&cut, measure, out);
        free(cut.of_candidate);
        free(cut.of_cell);
        free(cut.of_either);
    }
    cJSON_Delete(config);
    return result;
}

void decisions_clear(struct decisions *decisions)
{
    for (size_t b = 0; b < decisions->count; b++)
        block_clear(&decisions->block[b]);
    free(decisions->block);
    buffer_clear(&decisions->notes);
    *decisions = (struct decisions){0};
}

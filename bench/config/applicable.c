/* applicable.c - see applicable.h. */
#include "config/applicable.h"

#include "support/memory.h"
#include "support/numbers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct applicable_search {
    const struct applicable_grid *grid;
    struct applicable *out;
    size_t *missing; /* [methods][oracles]: in how many cells a method is left out */
    size_t *cells;   /* [oracles]: how many there are */
};

/* ---- The sets ---- */

/* The index of a set, which is taken over. */
static size_t add_set(struct applicable *applicable, struct method_set set)
{
    for (size_t i = 0; i < applicable->nsets; i++)
        if (applicable->sets[i].count == set.count &&
            (set.count == 0 || memcmp(applicable->sets[i].method, set.method, set.count * sizeof *set.method) == 0)) {
            free(set.method);
            return i;
        }
    applicable->sets = xrealloc(applicable->sets, applicable->nsets + 1, sizeof *applicable->sets);
    applicable->sets[applicable->nsets] = set;
    return applicable->nsets++;
}

/* The set of the methods that suit a protocol. */
static size_t find_set(const struct applicable_search *search, const struct ldp_protocol *protocol)
{
    const struct method_list *const methods = search->grid->methods;
    struct method_set set = {.method = xcalloc(methods->count, sizeof *set.method)};

    for (size_t i = 0; i < methods->count; i++)
        if (ldp_method_suits(methods->choice[i].spec.method, protocol))
            set.method[set.count++] = i;
    return add_set(search->out, set);
}

/* The set of a dataset's cells with an oracle and an epsilon. */
static int find_applicable(const struct applicable_search *search, const struct dataset *dataset,
                           const struct oracle_choice *oracle, double epsilon, size_t *index, struct failure *failure)
{
    const size_t d = dataset->population->d;
    char number[NUMBER_TEXT];
    struct ldp_protocol protocol;
    struct ldp_reason reason;

    switch (ldp_protocol_init(&protocol, &oracle->spec, d, epsilon, &reason)) {
    case LDP_OK: *index = find_set(search, &protocol); return 0;
    case LDP_ENOMEM: out_of_memory();
    default:
        return json_fail(&search->grid->axes->oracles.at, failure,
                         "expected oracles that suit every dataset and epsilon, got %s with d = %zu of "
                         "dataset %s and epsilon = %s: %s",
                         oracle->label, d, dataset->name, format_number(epsilon, number), reason.text);
    }
}

/* The sets of all cells. Each protocol is made once: neighbouring datasets of as many values have the same. */
static int find_sets(const struct applicable_search *search, struct failure *failure)
{
    const struct applicable_grid *const grid = search->grid;
    const size_t nepsilon = grid->axes->epsilon.count;
    struct known {
        size_t d, set;
    } *const known = xcalloc(grid->axes->oracles.count * nepsilon, sizeof *known);
    int result = 0;

    for (size_t cell = 0; result == 0 && cell < grid->axes->cells.count; cell++) {
        const struct grid_point point = grid->axes->cells.point[cell];
        const struct dataset *const dataset = grid->axes->datasets.dataset[point.idataset];
        struct known *const at = &known[point.ioracle * nepsilon + point.iepsilon];

        if (at->d != dataset->population->d)
            result = find_applicable(search, dataset, &grid->axes->oracles.choice[point.ioracle],
                                     grid->axes->epsilon.values[point.iepsilon], &at->set, failure);
        at->d = dataset->population->d;
        search->out->set_of[cell] = at->set;
    }
    free(known);
    return result;
}

/* ---- Who is left out of what ---- */

struct left_out {
    size_t nmethods, noracles;
    const struct ldp_method *const *method; /* [nmethods] */
    const char *const *name;                /* [nmethods] */
    const char *const *oracle;              /* [noracles] their names */
    const size_t *cells;                    /* [noracles] how many cells an oracle has */
    const size_t *missing;                  /* [nmethods][noracles] in how many of them a method is left out */
};

static bool same_reason(const struct left_out *left_out, size_t a, size_t b)
{
    const size_t n = left_out->noracles;

    return strcmp(ldp_method_needs(left_out->method[a]), ldp_method_needs(left_out->method[b])) == 0 &&
           memcmp(left_out->missing + a * n, left_out->missing + b * n, n * sizeof *left_out->missing) == 0;
}

static const char *text_joint(size_t i, size_t n)
{
    return i == 0 ? "" : i + 1 == n ? " and " : ", ";
}

static void add_oracles(const struct left_out *left_out, const size_t *missing, struct buffer *text)
{
    size_t n = 0, named = 0;

    for (size_t i = 0; i < left_out->noracles; i++)
        n += missing[i] > 0;
    for (size_t i = 0; i < left_out->noracles; i++)
        if (missing[i] > 0)
            buffer_format(text, "%s%s%s", text_joint(named++, n),
                          missing[i] < left_out->cells[i] ? "some cells of " : "", left_out->oracle[i]);
}

/* "ibu and mle are left out for olh and some cells of adaptive: they need ..", on the first of the methods that are
 * left out of the same cells for one reason; malloc'd. NULL: it is left out nowhere, or not the first. */
static char *left_out_sentence(const struct left_out *left_out, size_t method)
{
    const size_t *const missing = left_out->missing + method * left_out->noracles;
    struct buffer text = {0};
    size_t n = 0, named = 0, sum = 0;

    for (size_t i = 0; i < left_out->noracles; i++)
        sum += missing[i];
    for (size_t i = 0; i < method; i++)
        if (same_reason(left_out, i, method))
            return NULL;
    if (sum == 0)
        return NULL;
    for (size_t i = method; i < left_out->nmethods; i++)
        n += same_reason(left_out, method, i);
    for (size_t i = method; i < left_out->nmethods; i++)
        if (same_reason(left_out, method, i))
            buffer_format(&text, "%s%s", text_joint(named++, n), left_out->name[i]);
    buffer_add(&text, n == 1 ? " is left out for " : " are left out for ");
    add_oracles(left_out, missing, &text);
    buffer_format(&text, ": %s %s", n == 1 ? "it needs" : "they need", ldp_method_needs(left_out->method[method]));
    return buffer_take(&text);
}

static void count_missing(const struct applicable_search *search)
{
    const struct applicable_grid *const grid = search->grid;
    const size_t noracles = grid->axes->oracles.count;

    for (size_t cell = 0; cell < grid->axes->cells.count; cell++) {
        const struct method_set *const set = &search->out->sets[search->out->set_of[cell]];
        const size_t oracle = grid->axes->cells.point[cell].ioracle;

        search->cells[oracle]++;
        for (size_t i = 0, k = 0; set->count < grid->methods->count && i < grid->methods->count; i++) {
            const bool there = k < set->count && set->method[k] == i;

            k += there;
            search->missing[i * noracles + oracle] += !there;
        }
    }
}

static size_t total(const size_t *counts, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}

/* Estimators for ordered oracles are part of "all" where there is such an oracle: elsewhere nobody misses them. */
static bool is_missed(const struct applicable_search *search, size_t method)
{
    const struct applicable_grid *const grid = search->grid;
    const size_t noracles = grid->axes->oracles.count, missing = total(search->missing + method * noracles, noracles);
    const bool ordered = grid->methods->choice[method].spec.method->by_support;

    return missing > 0 && !(grid->methods->all && ordered && missing == grid->axes->cells.count);
}

static void add_notes(const struct applicable_search *search)
{
    const struct applicable_grid *const grid = search->grid;
    const size_t nmethods = grid->methods->count, noracles = grid->axes->oracles.count;
    const struct ldp_method **const method = xcalloc(nmethods, sizeof *method);
    const char **const name = xcalloc(nmethods, sizeof *name), **const oracle = xcalloc(noracles, sizeof *oracle);
    const struct left_out left_out = {nmethods, noracles, method, name, oracle, search->cells, search->missing};

    for (size_t i = 0; i < noracles; i++)
        oracle[i] = grid->axes->oracles.choice[i].label;
    for (size_t i = 0; i < nmethods; i++) {
        method[i] = grid->methods->choice[i].spec.method;
        name[i] = grid->methods->choice[i].label;
    }
    for (size_t i = 0; i < nmethods; i++) {
        char *const sentence = is_missed(search, i) ? left_out_sentence(&left_out, i) : NULL;
        if (sentence)
            texts_keep(&search->out->notes, sentence);
    }
    free(method);
    free(name);
    free(oracle);
}

/* ---- What is left ---- */

/* Removes methods that suit no cell: only where all were asked for. */
static int remove_methods(const struct applicable_search *search, struct failure *failure)
{
    struct method_list *const methods = search->grid->methods;
    const size_t noracles = search->grid->axes->oracles.count;
    size_t *const new_index = xcalloc(methods->count, sizeof *new_index), kept = 0;
    int result = 0;

    for (size_t i = 0; result == 0 && i < methods->count; i++) {
        struct method_choice *const choice = &methods->choice[i];

        if (total(search->missing + i * noracles, noracles) < search->grid->axes->cells.count) {
            new_index[i] = kept;
            methods->choice[kept++] = *choice;
        } else if (methods->all)
            algorithm_clear(&method_kind, choice);
        else
            result = json_fail(&methods->at, failure,
                               "expected methods that suit one of the oracles, got %s, which needs %s", choice->label,
                               ldp_method_needs(choice->spec.method));
    }
    if (result == 0) {
        methods->count = kept;
        for (size_t i = 0; i < search->out->nsets; i++)
            for (size_t k = 0; k < search->out->sets[i].count; k++)
                search->out->sets[i].method[k] = new_index[search->out->sets[i].method[k]];
    }
    free(new_index);
    return result;
}

/* Removes cells that have no method. */
static void remove_cells(const struct applicable_search *search)
{
    struct cell_list *const cells = &search->grid->axes->cells;
    struct applicable *const applicable = search->out;
    size_t kept = 0;

    for (size_t cell = 0; cell < cells->count; cell++)
        if (search->grid->keep_empty || applicable->sets[applicable->set_of[cell]].count > 0) {
            cells->point[kept] = cells->point[cell];
            applicable->set_of[kept++] = applicable->set_of[cell];
        }
    assert(kept > 0); /* every method that is left suits one */
    cells->count = kept;
}

int applicable_find(const struct applicable_grid *grid, struct applicable *out, struct failure *failure)
{
    const size_t noracles = grid->axes->oracles.count;

    *out = (struct applicable){.set_of = xcalloc(grid->axes->cells.count, sizeof *out->set_of)};
    const struct applicable_search search = {
        .grid = grid,
        .out = out,
        .missing = xcalloc(grid->methods->count * noracles, sizeof *search.missing),
        .cells = xcalloc(noracles, sizeof *search.cells),
    };
    int result = find_sets(&search, failure);

    if (result == 0) {
        count_missing(&search);
        add_notes(&search);
        result = remove_methods(&search, failure);
    }
    if (result == 0)
        remove_cells(&search);
    free(search.missing);
    free(search.cells);
    return result;
}

void applicable_clear(struct applicable *applicable)
{
    for (size_t i = 0; i < applicable->nsets; i++)
        free(applicable->sets[i].method);
    free(applicable->sets);
    free(applicable->set_of);
    texts_clear(&applicable->notes);
    *applicable = (struct applicable){0};
}

/* cells.c - see cells.h. */
#include "config/cells.h"

#include "support/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A range or a list of numbers. */
struct numbers {
    bool given;
    double from, to;
    struct sweep list; /* empty: the range */
};

/* Labels as tables show them. */
struct labels {
    const char **text; /* [count]; the texts belong to the config's file */
    size_t count;      /* 0: not given */
};

struct exclusion {
    struct json_at at;
    struct labels dataset, oracle;
    struct numbers d, n, epsilon;
};

struct range {
    double from, to;
};

static const struct config_key range_keys[] = {
    KEY("from", "the smallest", NULL, CONFIG_REAL(struct range, from), .min = 0, .max = INFINITY, .fallback = NAN),
    KEY("to", "the largest", NULL, CONFIG_REAL(struct range, to), .min = 0, .max = INFINITY, .fallback = NAN),
    {.name = NULL},
};

static int numbers_read(const struct config_key *key, const struct json_at *at, void *opaque, struct failure *failure)
{
    struct numbers *const numbers = opaque;

    numbers->given = true;
    if (!json_is_object(at) && !json_is_list(at) && !json_is_number(at))
        return json_expected(at, failure, "a number, a list of them, or {\"from\", \"to\"}");
    if (!json_is_object(at))
        return sweep_read(at, false, key->min, key->max, &numbers->list, failure);
    if (config_check(at, range_keys, NULL, failure) != 0)
        return -1;

    struct json_at end;
    const bool has_from = json_member(at, "from", &end), has_to = json_member(at, "to", &end);

    if (!has_from && !has_to)
        return json_fail(at, failure, "missing key \"from\" or \"to\"");
    struct range range = {0};
    if (config_read(at, range_keys, &range, failure) != 0)
        return -1;
    if (has_from && has_to && range.from > range.to)
        return json_expected(at, failure, "\"from\" not above \"to\"");
    numbers->from = has_from ? range.from : 0;
    numbers->to = has_to ? range.to : INFINITY;
    return 0;
}

static const struct config_type config_numbers = {
    CONFIG_ANY_OF(&config_real, CONFIG_TYPE(CONFIG_LIST_OF(&config_real)),
                  CONFIG_TYPE(.form = FORM_OBJECT, .keys = range_keys, .least = 1)),
    CONFIG_STORED(STORED_BY_READER, struct numbers),
    .read = numbers_read,
    .words = "a number, a list of them, or `from` and `to`, one of which may be left out",
};

static int labels_read(const struct config_key *key, const struct json_at *at, void *opaque, struct failure *failure)
{
    struct labels *const labels = opaque;
    struct json_at element = *at;
    size_t count = 1;

    if (json_is_list(at) && json_list(at, "a list of labels", &element, &count, failure) != 0)
        return -1;
    labels->text = xcalloc(count, sizeof *labels->text);
    do
        if (json_string(&element, &labels->text[labels->count++], failure) != 0)
            return -1;
    while (labels->count < count && json_next(&element));
    return 0;
}

static const struct config_type config_labels = {
    CONFIG_ANY_OF(&config_text, CONFIG_TYPE(CONFIG_LIST_OF(&config_text))),
    CONFIG_STORED(STORED_BY_READER, struct labels),
    .read = labels_read,
    .words = "a label or a list of them",
};

#define LABELS(member) .type = &config_labels, CONFIG_MEMBER(struct exclusion, member, struct labels), .fallback = NAN
#define NUMBERS(member)                                                                                                \
    .type = &config_numbers, CONFIG_MEMBER(struct exclusion, member, struct numbers), .min = 0, .max = INFINITY,       \
    .fallback = NAN

const struct config_key exclude_keys[] = {
    {.name = "dataset", LABELS(dataset), .help = "as tables call it", .example = "\"zipf(s=1.5)\""},
    {.name = "oracle", LABELS(oracle), .help = "as tables call it", .example = "[\"grr\", \"olh(g=2)\"]"},
    {.name = "d", NUMBERS(d), .help = "values", .example = "{\"from\": 4096}"},
    {.name = "n", NUMBERS(n), .help = "users", .example = "{\"to\": 1000}"},
    {.name = "epsilon", NUMBERS(epsilon), .help = "privacy budgets", .example = "[0.5, 1]"},
    {.name = NULL},
};

static int exclude_read(const struct config_key *key, const struct json_at *at, void *opaque, struct failure *failure)
{
    struct exclude_list *const exclude = opaque;

    struct json_at element;
    size_t count;
    if (json_list(at, "a list of conditions", &element, &count, failure) != 0)
        return -1;
    exclude->exclusions = xcalloc(count, sizeof *exclude->exclusions);
    exclude->at = *at;
    do {
        struct exclusion *const exclusion = &exclude->exclusions[exclude->count++];

        exclusion->at = element;
        if (config_check(&element, exclude_keys, NULL, failure) != 0 ||
            config_read(&element, exclude_keys, exclusion, failure) != 0)
            return -1;
        if (exclusion->dataset.count == 0 && exclusion->oracle.count == 0 && !exclusion->d.given &&
            !exclusion->n.given && !exclusion->epsilon.given)
            return json_expected(&element, failure, "a condition");
    } while (json_next(&element));
    return 0;
}

const struct config_type config_exclude = {
    CONFIG_LIST_OF(CONFIG_TYPE(.form = FORM_OBJECT, .keys = exclude_keys, .least = 1)),
    .repeats = true, /* to leave a cell out twice is no mistake */
    CONFIG_STORED(STORED_BY_READER, struct exclude_list),
    .read = exclude_read,
    .words = "a list of conditions",
};

void exclude_clear(struct exclude_list *exclude)
{
    for (size_t i = 0; i < exclude->count; i++) {
        struct exclusion *const exclusion = &exclude->exclusions[i];

        free(exclusion->dataset.text);
        free(exclusion->oracle.text);
        sweep_clear(&exclusion->d.list);
        sweep_clear(&exclusion->n.list);
        sweep_clear(&exclusion->epsilon.list);
    }
    free(exclude->exclusions);
    *exclude = (struct exclude_list){0};
}

/* ---- The cells ---- */

static bool is_among(const struct labels *labels, const char *label)
{
    for (size_t i = 0; i < labels->count; i++)
        if (strcmp(labels->text[i], label) == 0)
            return true;
    return labels->count == 0;
}

static bool is_in(const struct numbers *numbers, double value)
{
    if (!numbers->given)
        return true;
    for (size_t i = 0; i < numbers->list.count; i++)
        if (numbers->list.values[i] == value)
            return true;
    return numbers->list.count == 0 && numbers->from <= value && value <= numbers->to;
}

/* Which datasets, oracles and epsilon meet an exclusion. */
struct met {
    bool *dataset, *oracle, *epsilon;
};

static struct met met_find(const struct exclusion *exclusion, const struct dataset_list *datasets,
                           const struct oracle_list *oracles, const struct sweep *epsilon)
{
    const struct met met = {
        .dataset = xcalloc(datasets->count, sizeof *met.dataset),
        .oracle = xcalloc(oracles->count, sizeof *met.oracle),
        .epsilon = xcalloc(epsilon->count, sizeof *met.epsilon),
    };

    for (size_t i = 0; i < datasets->count; i++)
        met.dataset[i] = is_among(&exclusion->dataset, datasets->dataset[i]->name) &&
                         is_in(&exclusion->d, (double)dataset_d(datasets->dataset[i])) &&
                         is_in(&exclusion->n, (double)dataset_n(datasets->dataset[i]));
    for (size_t i = 0; i < oracles->count; i++)
        met.oracle[i] = is_among(&exclusion->oracle, oracles->choice[i].label);
    for (size_t i = 0; i < epsilon->count; i++)
        met.epsilon[i] = is_in(&exclusion->epsilon, epsilon->values[i]);
    return met;
}

static void met_clear(struct met *met)
{
    free(met->dataset);
    free(met->oracle);
    free(met->epsilon);
}

/* Marks the cells that an exclusion meets. */
static int leave_out(const struct exclusion *exclusion, const struct dataset_list *datasets,
                     const struct oracle_list *oracles, const struct sweep *epsilon, const struct cell_list *cells,
                     bool *left_out, struct failure *failure)
{
    struct met met = met_find(exclusion, datasets, oracles, epsilon);
    const size_t noracles = oracles->count, nepsilon = epsilon->count;
    assert(noracles > 0 && nepsilon > 0);
    bool any = false;
    for (size_t cell = 0; cell < cells->count; cell++) {
        const size_t place = cells->place[cell], above = place / nepsilon;

        if (met.dataset[above / noracles] && met.oracle[above % noracles] && met.epsilon[place % nepsilon]) /* NOLINT */
            left_out[cell] = any = true;
    }
    met_clear(&met);
    return any ? 0 : json_expected(&exclusion->at, failure, "conditions that at least one cell of the grid meets");
}

int cells_list(const struct exclude_list *exclude, const struct dataset_list *datasets,
               const struct oracle_list *oracles, const struct sweep *epsilon, struct cell_list *out,
               struct failure *failure)
{
    *out = (struct cell_list){.count = datasets->count * oracles->count * epsilon->count};
    if (exclude->count == 0)
        return 0;
    out->place = xcalloc(out->count, sizeof *out->place);
    for (size_t i = 0; i < out->count; i++)
        out->place[i] = i;
    bool *const left_out = xcalloc(out->count, sizeof *left_out);
    int result = 0;

    for (size_t i = 0; result == 0 && i < exclude->count; i++)
        result = leave_out(&exclude->exclusions[i], datasets, oracles, epsilon, out, left_out, failure);
    size_t kept = 0;
    for (size_t cell = 0; result == 0 && cell < out->count; cell++)
        if (!left_out[cell])
            out->place[kept++] = out->place[cell];
    free(left_out);
    if (result == 0 && kept == 0)
        return json_fail(&exclude->at, failure, "expected conditions that leave at least one cell, got none");
    out->count = kept;
    return result;
}

void cells_clear(struct cell_list *cells)
{
    free(cells->place);
    *cells = (struct cell_list){0};
}

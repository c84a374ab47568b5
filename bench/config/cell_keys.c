/* cell_keys.c - see cell_keys.h. */
#include "config/cell_keys.h"

#include "support/memory.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A range or a list of numbers. */
struct number_choice {
    bool given;
    double from, to;
    struct sweep list; /* empty: the range */
};

struct exclusion {
    struct json_at at;
    struct json_at dataset, oracle; /* labels as tables show them; no file where none are given */
    struct number_choice d, n, epsilon;
};

struct value_range {
    double from, to;
};

static const struct config_key range_keys[] = {
    KEY("from", "the smallest", NULL, CONFIG_REAL(struct value_range, from), .min = 0, .max = INFINITY,
        .fallback = NAN),
    KEY("to", "the largest", NULL, CONFIG_REAL(struct value_range, to), .min = 0, .max = INFINITY, .fallback = NAN),
    {.name = NULL},
};

static int numbers_read(const struct config_key *key, const struct json_at *at, void *opaque, struct failure *failure)
{
    struct number_choice *const numbers = opaque;

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
    struct value_range range = {0};
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
    CONFIG_STORED(STORED_BY_READER, struct number_choice),
    .read = numbers_read,
    .words = "a number, a list of them, or `from` and `to`, one of which may be left out",
};

static int labels_read(const struct config_key *key, const struct json_at *at, void *opaque, struct failure *failure)
{
    struct json_at element = *at;
    size_t count;
    const char *text;

    if (json_is_list(at) && json_list(at, "a list of labels", &element, &count, failure) != 0)
        return -1;
    do
        if (json_string(&element, &text, failure) != 0)
            return -1;
    while (json_is_list(at) && json_next(&element));
    *(struct json_at *)opaque = *at;
    return 0;
}

static const struct config_type config_labels = {
    CONFIG_ANY_OF(&config_text, CONFIG_TYPE(CONFIG_LIST_OF(&config_text))),
    CONFIG_STORED(STORED_PLACE, struct json_at),
    .read = labels_read,
    .words = "a label or a list of them",
};

#define LABELS(member) .type = &config_labels, CONFIG_MEMBER(struct exclusion, member, struct json_at), .fallback = NAN
#define NUMBERS(member)                                                                                                \
    .type = &config_numbers, CONFIG_MEMBER(struct exclusion, member, struct number_choice), .min = 0, .max = INFINITY, \
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
        if (!exclusion->dataset.file && !exclusion->oracle.file && !exclusion->d.given && !exclusion->n.given &&
            !exclusion->epsilon.given)
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

        sweep_clear(&exclusion->d.list);
        sweep_clear(&exclusion->n.list);
        sweep_clear(&exclusion->epsilon.list);
    }
    free(exclude->exclusions);
    *exclude = (struct exclude_list){0};
}

/* ---- The cells ---- */

static bool is_among(const struct json_at *labels, const char *label)
{
    const bool list = labels->file && json_is_list(labels);
    const cJSON *one = list ? labels->node->child : labels->node;

    while (one && strcmp(one->valuestring, label) != 0)
        one = list ? one->next : NULL;
    return one || !labels->file;
}

static bool is_in(const struct number_choice *numbers, double value)
{
    if (!numbers->given)
        return true;
    for (size_t i = 0; i < numbers->list.count; i++)
        if (numbers->list.values[i] == value)
            return true;
    return numbers->list.count == 0 && numbers->from <= value && value <= numbers->to;
}

static bool meets(const struct exclusion *exclusion, const struct dataset *dataset, const char *oracle, double epsilon)
{
    return is_among(&exclusion->dataset, dataset->name) && is_in(&exclusion->d, (double)dataset_d(dataset)) &&
           is_in(&exclusion->n, (double)dataset_n(dataset)) && is_among(&exclusion->oracle, oracle) &&
           is_in(&exclusion->epsilon, epsilon);
}

int cells_list(const struct exclude_list *exclude, const struct dataset_list *datasets,
               const struct oracle_list *oracles, const struct sweep *epsilon, struct cell_list *out,
               struct failure *failure)
{
    bool *const used = xcalloc(exclude->count, sizeof *used);
    struct grid_point at;

    *out = (struct cell_list){.point = xcalloc(datasets->count * oracles->count * epsilon->count, sizeof *out->point)};
    for (at.idataset = 0; at.idataset < datasets->count; at.idataset++)
        for (at.ioracle = 0; at.ioracle < oracles->count; at.ioracle++)
            for (at.iepsilon = 0; at.iepsilon < epsilon->count; at.iepsilon++) {
                bool left_out = false;

                for (size_t i = 0; i < exclude->count; i++)
                    if (meets(&exclude->exclusions[i], datasets->dataset[at.idataset],
                              oracles->choice[at.ioracle].label, epsilon->values[at.iepsilon]))
                        used[i] = left_out = true;
                if (!left_out)
                    out->point[out->count++] = at;
            }
    int result = 0;
    for (size_t i = 0; result == 0 && i < exclude->count; i++)
        if (!used[i])
            result = json_expected(&exclude->exclusions[i].at, failure,
                                   "conditions that at least one cell of the grid meets");
    free(used);
    if (result == 0 && out->count == 0)
        return json_fail(&exclude->at, failure, "expected conditions that leave at least one cell, got none");
    return result;
}

void cells_clear(struct cell_list *cells)
{
    free(cells->point);
    *cells = (struct cell_list){0};
}

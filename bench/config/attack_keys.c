/* attack_keys.c - see attack_keys.h. */
#include "config/attack_keys.h"

#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Keys ---- */

enum { TARGETS_MAX = 1024, SPREAD_DEFAULT = 10 };

struct attack_entry {
    struct sweep fraction;
    struct json_at targets;
};

const struct config_key attack_target_keys[] = {
    KEY("spread", "that many values at equal distances over the domain", "10",
        CONFIG_WHOLE(struct attack_targets, spread), .min = 1, .max = TARGETS_MAX, .fallback = NAN),
    KEY("random", "that many, new in each repetition", "10", CONFIG_WHOLE(struct attack_targets, random), .min = 1,
        .max = TARGETS_MAX, .fallback = NAN),
    KEY("ranks", "the values of these ranks, 1 the most frequent", "[1, 500]",
        CONFIG_WHOLE_SWEEP(struct attack_targets, ranks), .min = 1, .max = VALUES_MAX, .fallback = NAN),
    KEY("values", "these values, from 0", "[3, 17]", CONFIG_WHOLE_SWEEP(struct attack_targets, values), .min = 0,
        .max = VALUES_MAX, .fallback = NAN),
    KEY("range", "the values from the first of two to the second: the gain is that of the answer to this range",
        "[100, 109]", CONFIG_WHOLE_SWEEP(struct attack_targets, range), .min = 0, .max = VALUES_MAX, .fallback = NAN),
    {.name = NULL},
};

static const struct config_type config_attack_targets = {
    .form = FORM_OBJECT,
    .keys = attack_target_keys,
    .least = 1,
    CONFIG_STORED(STORED_PLACE, struct json_at),
    .words = "an object with one of `spread`, `random`, `ranks`, `values` and `range`",
};

static const struct config_key attack_keys[] = {
    KEY("fraction", "malicious users among all users", "[0.01, 0.05]", .required = true,
        CONFIG_SWEEP(struct attack_entry, fraction), .min = 1e-9, .max = 0.9),
    KEY("targets", "the values that the attack is to make frequent; default: `spread` 10, or all of a smaller domain",
        "{\"spread\": 10}", .type = &config_attack_targets, CONFIG_MEMBER(struct attack_entry, targets, struct json_at),
        .fallback = NAN),
    {.name = NULL},
};

static struct algorithm_entry entry_of(size_t i)
{
    const struct ldp_attack *const attack = ldp_attacks[i];

    return attack ? (struct algorithm_entry){attack->name, attack->title, attack->params, attack_keys, false, false}
                  : (struct algorithm_entry){.name = NULL};
}

/* ---- First step: from the text alone ---- */

static int targets_read(const struct json_at *at, struct attack_targets *targets, struct failure *failure)
{
    struct json_at given;
    size_t ways = 0;

    if (config_check(at, attack_target_keys, NULL, failure) != 0 ||
        config_read(at, attack_target_keys, targets, failure) != 0)
        return -1;
    for (const struct config_key *key = attack_target_keys; key->name; key++)
        ways += json_member(at, key->name, &given);
    if (ways != 1)
        return json_expected(at, failure, "one of \"spread\", \"random\", \"ranks\", \"values\" and \"range\"");
    if (json_member(at, "range", &given) &&
        (targets->range.count != 2 || targets->range.values[0] > targets->range.values[1] ||
         targets->range.values[1] - targets->range.values[0] >= TARGETS_MAX))
        return json_expected(&given, failure, "the first and the last of at most 1024 values");
    return 0;
}

static void add_list(struct buffer *text, const char *name, const struct sweep *list)
{
    for (size_t i = 0; i < list->count; i++) {
        char number[NUMBER_TEXT];

        buffer_format(text, "%s%s", i == 0 ? name : " ", format_number(list->values[i], number));
    }
}

/* "mga(budget=1000,padding=1)|spread 10". */
static char *attack_key(const struct attack_choice *choice)
{
    const struct attack_targets *const targets = &choice->targets;
    char *const params =
        algorithm_text(choice->spec.attack->name, choice->spec.attack->params, choice->spec.param, true);
    struct buffer text = {0};

    buffer_format(&text, "%s|", params);
    if (targets->spread > 0)
        buffer_format(&text, "spread %lu", (unsigned long)targets->spread);
    if (targets->random > 0)
        buffer_format(&text, "random %lu", (unsigned long)targets->random);
    add_list(&text, "ranks ", &targets->ranks);
    add_list(&text, "values ", &targets->values);
    add_list(&text, "range ", &targets->range);
    free(params);
    return buffer_take(&text);
}

static int attack_read(const struct json_at *at, size_t index, void *out, struct failure *failure)
{
    struct attack_choice *const choice = out;
    struct attack_entry entry = {0};

    *choice = (struct attack_choice){.at = *at, .spec.attack = ldp_attacks[index]};
    const int result = algorithm_read(at, &attack_kind, index, choice->spec.param, &choice->label, &entry, failure);
    choice->fraction = entry.fraction;
    if (result != 0)
        return -1;
    if (!entry.targets.file)
        choice->targets.spread = SPREAD_DEFAULT;
    else if (targets_read(&entry.targets, &choice->targets, failure) != 0)
        return -1;
    choice->key = attack_key(choice);
    return 0;
}

static void attack_clear(void *out)
{
    struct attack_choice *const choice = out;

    for (size_t k = 0; choice->on && k < choice->ndatasets; k++)
        free(choice->on[k].target);
    free(choice->on);
    free(choice->key);
    sweep_clear(&choice->fraction);
    sweep_clear(&choice->targets.ranks);
    sweep_clear(&choice->targets.values);
    sweep_clear(&choice->targets.range);
}

const struct algorithm_kind attack_kind = {
    .what = "an attack (ldpbench list attacks)",
    .plural = "attacks",
    .key = "type",
    .entry = entry_of,
    .size = sizeof(struct attack_choice),
    .read = attack_read,
    .clear = attack_clear,
};

const struct config_type config_attacks = {CONFIG_LIST_OF(CONFIG_DEFINED("attack")),
                                           CONFIG_ALGORITHMS(struct attack_list, attack_kind),
                                           .words = "a list of attacks"};

/* ---- Second step: with the datasets ---- */

static size_t targets_count(const struct attack_targets *targets)
{
    const size_t range = targets->range.count ? (size_t)(targets->range.values[1] - targets->range.values[0]) + 1 : 0;

    return (size_t)targets->spread + (size_t)targets->random + targets->ranks.count + targets->values.count + range;
}

static int targets_find(const struct attack_choice *choice, const struct dataset *dataset, const struct attack_on *on,
                        struct failure *failure)
{
    const struct attack_targets *const targets = &choice->targets;
    const struct ldp_population *const population = dataset->population;
    const size_t d = population->d;

    for (size_t i = 0; targets->spread > 0 && i < on->r; i++)
        on->target[i] = (uint32_t)(((double)i + 0.5) * (double)d / (double)on->r);
    for (size_t i = 0; i < targets->ranks.count + targets->values.count; i++) {
        const bool is_rank = i < targets->ranks.count;
        const double given = is_rank ? targets->ranks.values[i] : targets->values.values[i];

        if (given > (double)d - !is_rank)
            return json_fail(&choice->at, failure, "expected targets of dataset %s, d = %zu, got %s %.0f",
                             dataset->name, d, is_rank ? "rank" : "value", given);
        on->target[i] = is_rank ? population->rank[(size_t)given - 1] : (uint32_t)given;
    }
    if (targets->range.count && targets->range.values[1] > (double)d - 1)
        return json_fail(&choice->at, failure, "expected targets of dataset %s, d = %zu, got value %.0f", dataset->name,
                         d, targets->range.values[1]);
    for (size_t i = 0; targets->range.count && i < on->r; i++)
        on->target[i] = (uint32_t)targets->range.values[0] + (uint32_t)i;
    return 0;
}

static int attack_bind(struct attack_choice *choice, const struct dataset_list *datasets, struct failure *failure)
{
    const size_t r = targets_count(&choice->targets);
    struct json_at given;
    const bool by_default = !json_member(&choice->at, "targets", &given);

    choice->on = xcalloc(datasets->count, sizeof *choice->on);
    choice->ndatasets = datasets->count;
    for (size_t i = 0; i < datasets->count; i++) {
        const size_t d = datasets->dataset[i]->population->d;
        struct attack_on *const on = &choice->on[i];

        if (d < r && !by_default)
            return json_fail(&choice->at, failure, "expected at most d = %zu targets of dataset %s, got %zu", d,
                             datasets->dataset[i]->name, r);
        on->r = d < r ? d : r;
        if (choice->targets.random > 0)
            continue;
        on->target = xcalloc(on->r, sizeof *on->target);
        if (targets_find(choice, datasets->dataset[i], on, failure) != 0)
            return -1;
    }
    return 0;
}

int attacks_bind(struct attack_list *attacks, const struct dataset_list *datasets, struct failure *failure)
{
    for (size_t i = 0; i < attacks->count; i++)
        if (attack_bind(&attacks->choice[i], datasets, failure) != 0)
            return -1;
    return 0;
}

struct ldp_attack_spec attack_in(const struct attack_choice *attack, size_t idataset)
{
    struct ldp_attack_spec spec = attack->spec;

    spec.target = attack->on[idataset].target;
    spec.r = attack->on[idataset].r;
    return spec;
}

size_t attacks_targets(const struct attack_list *attacks, size_t idataset)
{
    size_t most = 0;

    for (size_t i = 0; i < attacks->count; i++)
        most = attacks->choice[i].on[idataset].r > most ? attacks->choice[i].on[idataset].r : most;
    return most;
}

size_t attacks_points(const struct attack_list *attacks)
{
    size_t points = 0;

    for (size_t i = 0; i < attacks->count; i++)
        points += attacks->choice[i].fraction.count;
    return points;
}

struct attack_point attacks_point(const struct attack_list *attacks, size_t index)
{
    const struct attack_choice *attack = attacks->choice;

    while (index >= attack->fraction.count)
        index -= attack++->fraction.count;
    return (struct attack_point){attack, attack->fraction.values[index]};
}

/* oracles.c - see oracles.h. */
#include "config/oracles.h"

#include "config/algorithm.h"
#include "support/memory.h"
#include "support/registry.h"
#include "support/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The i-th of both lists together; NULL after the last. */
static const struct ldp_oracle *configured_oracle(size_t i)
{
    size_t known = 0;

    while (ldp_oracles[known] && known <= i)
        known++;
    return i < known ? ldp_oracles[i] : outside_oracles[i - known];
}

char *oracle_key(const struct oracle_choice *choice)
{
    return choice->outside ? xstrdup(choice->outside->text) : oracle_text(&choice->spec, true);
}

char *sketch_need_text(const struct ldp_sketch_need *need)
{
    return xformat(
        "%.0f x %.0f cells; %.0f x %.0f bring the variance of amp within 10 %% of that over the whole domain, "
        "as the effective dimension is %.0f",
        need->rows, need->columns, need->rows, need->enough, need->dimension);
}

/* ---- The oracle inside another ---- */

static const struct config_type config_inner = {
    .form = FORM_DEFINED, .definition = "oracle", CONFIG_STORED(STORED_PLACE, struct json_at), .words = "an oracle"};

struct reading {
    struct algorithm algorithm;
    struct json_at inner;
};

enum { MORE_KEYS = 4 };

/* Keys of an oracle besides name, label and parameters. */
static void keys_of_oracle(const struct ldp_oracle *oracle, struct config_key keys[MORE_KEYS])
{
    const struct config_key *const outside = outside_keys(oracle->name);

    if (outside) {
        size_t i = 0;

        do
            keys[i] = outside[i];
        while (outside[i++].name);
        assert(i <= MORE_KEYS);
        return;
    }
    keys[0] = (struct config_key){.name = oracle->inner,
                                  .type = &config_inner,
                                  CONFIG_MEMBER(struct reading, inner, struct json_at),
                                  .help = "the oracle of a row of a sketch, a level of a tree, or the bins",
                                  .example = "{\"name\": \"olh\", \"g\": 4}"};
    keys[1] = (struct config_key){.name = NULL};
}

/* ---- Oracles ---- */

static struct algorithm_entry entry(size_t i)
{
    const struct ldp_oracle *const oracle = configured_oracle(i);

    if (!oracle)
        return (struct algorithm_entry){.name = NULL};

    const bool own = !outside_keys(oracle->name);

    return (struct algorithm_entry){
        oracle->name, oracle->title, own,
        own && !(oracle->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL))};
}

static void keys_of(size_t i, struct config_key keys[ALGORITHM_KEYS])
{
    const struct ldp_oracle *const oracle = configured_oracle(i);
    struct config_key more[MORE_KEYS];

    keys_of_oracle(oracle, more);
    algorithm_keys(&oracle_kind, oracle->params, more, keys);
}

const struct algorithm_kind oracle_kind = {
    .what = "an oracle (ldpbench list oracles)",
    .plural = "oracles",
    .key = "name",
    .has_all = true,
    .entry = entry,
    .keys = keys_of,
};

/* Reads what belongs to an oracle whose name is known. */
static int choice_read(const struct json_at *at, const struct ldp_oracle *oracle, struct oracle_choice *out,
                       struct failure *failure)
{
    const bool is_outside = outside_keys(oracle->name) != NULL;
    out->spec.oracle = oracle;
    struct config_key more[MORE_KEYS];
    keys_of_oracle(oracle, more);
    struct reading reading = {0};
    if (algorithm_read(at, &oracle_kind, oracle->params, more, &reading.algorithm, failure) != 0 ||
        (!json_is_string(at) && !is_outside && config_read(at, more, &reading, failure) != 0))
        return -1;
    memcpy(out->spec.param, reading.algorithm.param, sizeof out->spec.param);
    const struct outside_kind kind = {.name = oracle->name, .timeout = reading.algorithm.param[0]};
    if (is_outside && outside_read(at, &kind, &out->outside, failure) != 0)
        return -1;
    if (reading.inner.file) {
        struct json_at label;

        if (json_member(&reading.inner, "label", &label))
            return json_expected(&label, failure, "no label of an oracle inside another");
        out->inner = xcalloc(1, sizeof *out->inner);
        if (oracle_read(&reading.inner, out->inner, failure) != 0)
            return -1;
        if (out->inner->outside)
            return json_expected(&reading.inner, failure, "an oracle of the program inside another");
        out->spec.inner = &out->inner->spec;
    }
    out->label = reading.algorithm.label ? xstrdup(reading.algorithm.label) : oracle_text(&out->spec, false);
    return 0;
}

void oracle_clear(struct oracle_choice *choice)
{
    if (choice->inner)
        oracle_clear(choice->inner);
    free(choice->inner);
    free(choice->label);
    outside_free(choice->outside);
    memset(choice, 0, sizeof *choice);
}

int oracle_read(const struct json_at *at, struct oracle_choice *out, struct failure *failure)
{
    size_t index;
    if (algorithm_find(at, &oracle_kind, &index, failure) != 0)
        return -1;
    return choice_read(at, configured_oracle(index), out, failure);
}

static int add_oracle(const struct json_at *at, size_t index, void *list, struct failure *failure)
{
    struct oracle_list *const oracles = list;
    struct oracle_choice *const choice = ARRAY_ADD(oracles->choice, oracles->count, oracles->room);

    memset(choice, 0, sizeof *choice);
    return choice_read(at, configured_oracle(index), choice, failure);
}

static int oracles_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct oracle_list *const oracles = out;

    (void)key;
    *oracles = (struct oracle_list){.at = *at};
    if (algorithms_read(at, &oracle_kind, add_oracle, oracles, failure) != 0)
        return -1;
    return check_labels(at, &oracles->choice->label, sizeof *oracles->choice, oracles->count, failure);
}

const struct config_type config_oracles = {
    CONFIG_LIST_OR_ALL("oracle"),
    CONFIG_STORED(STORED_BY_READER, struct oracle_list),
    .read = oracles_read,
    .words = "\"all\", or a list of oracles",
};

void oracles_clear(struct oracle_list *oracles)
{
    for (size_t i = 0; i < oracles->count; i++)
        oracle_clear(&oracles->choice[i]);
    free(oracles->choice);
    *oracles = (struct oracle_list){0};
}

int oracles_demand_own(const struct oracle_list *oracles, const char *user, struct failure *failure)
{
    for (size_t i = 0; i < oracles->count; i++)
        if (oracles->choice[i].outside)
            return json_fail(&oracles->at, failure, "expected oracles of the program for %s, got %s", user,
                             oracles->choice[i].label);
    return 0;
}

int oracles_demand_unordered(const struct oracle_list *oracles, struct failure *failure)
{
    for (size_t i = 0; i < oracles->count; i++)
        if (oracles->choice[i].spec.oracle->flags & LDP_ORACLE_ORDINAL)
            return json_fail(
                &oracles->at, failure,
                "%s uses the order of the values: expected \"ordered\": true in the config, if they have one",
                oracles->choice[i].label);
    return 0;
}

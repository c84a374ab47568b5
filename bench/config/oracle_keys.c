/* oracle_keys.c - see oracle_keys.h. */
#include "config/oracle_keys.h"

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
    return i < known ? ldp_oracles[i] : external_oracles[i - known];
}

char *oracle_key(const struct oracle_choice *choice)
{
    return choice->external ? xstrdup(choice->external->text) : oracle_text(&choice->spec, true);
}

char *sketch_need_text(const struct ldp_sketch_need *need)
{
    return xformat(
        "%.0f x %.0f cells; %.0f x %.0f bring the variance of amp within 10 %% of that over the whole domain, "
        "as the effective dimension is %.0f",
        need->rows, need->columns, need->rows, need->enough, need->dimension);
}

/* ---- The oracle inside another ---- */

const struct config_type config_oracle = {
    .form = FORM_DEFINED, .definition = "oracle", CONFIG_STORED(STORED_PLACE, struct json_at), .words = "an oracle"};

struct oracle_reading {
    struct json_at inner;
};

static const struct config_key inner_keys[] = {
    KEY("row_oracle", "the oracle of a row of a sketch, a level of a tree, or the bins",
        "{\"name\": \"olh\", \"g\": 4}", .type = &config_oracle,
        CONFIG_MEMBER(struct oracle_reading, inner, struct json_at)),
    {.name = NULL},
};

/* ---- Oracles ---- */

static struct algorithm_entry entry(size_t i)
{
    const struct ldp_oracle *const oracle = configured_oracle(i);

    if (!oracle)
        return (struct algorithm_entry){.name = NULL};

    const struct config_key *const external = external_config_keys(oracle->name);

    assert(!oracle->inner || strcmp(oracle->inner, inner_keys[0].name) == 0);
    return (struct algorithm_entry){
        oracle->name,
        oracle->title,
        oracle->params,
        external ? external : oracle->inner ? inner_keys : NULL,
        !external,
        !external && !(oracle->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL))};
}

static int inner_read(const struct json_at *at, struct oracle_choice *out, struct failure *failure)
{
    struct json_at label;

    if (json_member(at, "label", &label))
        return json_expected(&label, failure, "no label of an oracle inside another");
    out->inner = xcalloc(1, sizeof *out->inner);
    if (algorithm_read_one(at, &oracle_kind, out->inner, failure) != 0)
        return -1;
    if (out->inner->external)
        return json_expected(at, failure, "an oracle of the program inside another");
    out->spec.inner = &out->inner->spec;
    return 0;
}

static int choice_read(const struct json_at *at, size_t index, void *choice, struct failure *failure)
{
    struct oracle_choice *const out = choice;
    const struct ldp_oracle *const oracle = out->spec.oracle = configured_oracle(index);
    const bool is_external = external_config_keys(oracle->name) != NULL;
    struct oracle_reading reading = {0};
    struct json_at label;

    if (algorithm_read(at, &oracle_kind, index, out->spec.param, &out->label, is_external ? NULL : &reading, failure) !=
        0)
        return -1;
    if ((is_external && external_read(at, out->spec.param[0], &out->external, failure) != 0) ||
        (reading.inner.file && inner_read(&reading.inner, out, failure) != 0))
        return -1;
    if (!json_member(at, "label", &label)) {
        free(out->label);
        out->label = oracle_text(&out->spec, false);
    }
    return 0;
}

static void choice_clear(void *choice)
{
    struct oracle_choice *const oracle = choice;

    if (oracle->inner)
        algorithm_clear(&oracle_kind, oracle->inner);
    free(oracle->inner);
    external_free(oracle->external);
}

const struct algorithm_kind oracle_kind = {
    .what = "an oracle (ldpbench list oracles)",
    .plural = "oracles",
    .key = "name",
    .has_all = true,
    .entry = entry,
    .size = sizeof(struct oracle_choice),
    .read = choice_read,
    .clear = choice_clear,
};

const struct config_type config_oracles = {CONFIG_LIST_OR_ALL("oracle"),
                                           CONFIG_ALGORITHMS(struct oracle_list, oracle_kind),
                                           .words = "\"all\", or a list of oracles"};

int oracles_demand_own(const struct oracle_list *oracles, const char *user, struct failure *failure)
{
    for (size_t i = 0; i < oracles->count; i++)
        if (oracles->choice[i].external)
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
                "%s uses the order of the values: expected \"ordered\": true of the dataset, if they have one",
                oracles->choice[i].label);
    return 0;
}

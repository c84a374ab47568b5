/* chains.c - see chains.h. */
#include "config/chains.h"

#include "support/memory.h"
#include "support/registry.h"

#include <stdlib.h>
#include <string.h>

/* ---- Chains ---- */

struct chain_reading {
    struct json_at oracle;
};

static const struct config_key chain_keys[] = {
    KEY("oracle", "the oracle of each round; default: oue", "\"olh\"", .type = &config_oracle,
        CONFIG_MEMBER(struct chain_reading, oracle, struct json_at)),
    {.name = NULL},
};

static struct algorithm_entry entry(size_t i)
{
    const struct ldp_chain *const chain = ldp_chains[i];

    return chain ? (struct algorithm_entry){chain->name,   chain->title,
                                            chain->params, chain->takes_oracle ? chain_keys : NULL,
                                            true,          true}
                 : (struct algorithm_entry){.name = NULL};
}

static int chain_read(const struct json_at *at, size_t index, void *out, struct failure *failure)
{
    struct chain_choice *const choice = out;
    struct chain_reading reading = {0};
    struct json_at label;

    choice->spec.chain = ldp_chains[index];
    if (algorithm_read(at, &chain_kind, index, choice->spec.param, &choice->label, &reading, failure) != 0)
        return -1;
    if (!reading.oracle.file)
        return 0;
    if (algorithm_read_one(&reading.oracle, &oracle_kind, &choice->oracle, failure) != 0)
        return -1;
    if (choice->oracle.external)
        return json_expected(&reading.oracle, failure, "an oracle of the program");
    if (choice->oracle.spec.oracle->flags & LDP_ORACLE_ORDINAL)
        return json_expected(&reading.oracle, failure, "an oracle that uses no order of the values");
    choice->spec.oracle = &choice->oracle.spec;
    if (!json_member(at, "label", &label)) {
        char *const more = xformat("oracle=%s", choice->oracle.label);

        choice->label = label_with(choice->label, more);
        free(more);
    }
    return 0;
}

static void chain_clear(void *choice)
{
    algorithm_clear(&oracle_kind, &((struct chain_choice *)choice)->oracle);
}

const struct algorithm_kind chain_kind = {
    .what = "a chain (ldpbench list chains)",
    .plural = "chains",
    .key = "name",
    .has_all = true,
    .entry = entry,
    .size = sizeof(struct chain_choice),
    .read = chain_read,
    .clear = chain_clear,
};

const struct config_type config_chains = {CONFIG_LIST_OR_ALL("chain"), CONFIG_ALGORITHMS(struct chain_list, chain_kind),
                                          .words = "\"all\", or a list of chains"};

char *chain_key(const struct chain_choice *choice)
{
    const struct ldp_chain *const chain = choice->spec.chain;
    char *const own = algorithm_text(chain->name, chain->params, choice->spec.param, true);
    char *const oracle = choice->spec.oracle ? oracle_text(choice->spec.oracle, true) : xstrdup("");
    char *const text = xformat("%s%s%s", own, *oracle ? "|" : "", oracle);

    free(own);
    free(oracle);
    return text;
}

struct identity chain_identity(const struct chain_choice *choice)
{
    return (struct identity){.name = choice->spec.chain->name,
                             .params = choice->spec.chain->params,
                             .value = choice->spec.param,
                             .inner = choice->spec.oracle,
                             .inner_name = choice->spec.oracle ? "oracle" : NULL};
}

/* ---- Evolution ---- */

static struct algorithm_entry evolution_entry(size_t i)
{
    const struct evolution_law *const law = &evolution_laws[i];

    return law->name ? (struct algorithm_entry){law->name, law->title, law->params, NULL, !law->params, true}
                     : (struct algorithm_entry){.name = NULL};
}

static int evolution_read(const struct json_at *at, size_t index, void *out, struct failure *failure)
{
    struct evolution_choice *const choice = out;

    choice->evolution.law = &evolution_laws[index];
    return algorithm_read(at, &evolution_kind, index, choice->evolution.param, &choice->label, NULL, failure);
}

const struct algorithm_kind evolution_kind = {
    .what = "an evolution",
    .plural = "evolutions",
    .key = "name",
    .entry = evolution_entry,
    .size = sizeof(struct evolution_choice),
    .read = evolution_read,
};

static void evolutions_absent(const struct config_key *key, void *out)
{
    struct evolution_list *const evolutions = out;

    evolutions->choice = xcalloc(1, sizeof *evolutions->choice);
    evolutions->choice[evolutions->count++] =
        (struct evolution_choice){.evolution.law = &evolution_laws[0], .label = xstrdup(evolution_laws[0].name)};
}

const struct config_type config_evolutions = {CONFIG_LIST_OF(CONFIG_DEFINED("evolution")),
                                              CONFIG_ALGORITHMS(struct evolution_list, evolution_kind),
                                              .absent = evolutions_absent, .words = "a list of evolutions"};

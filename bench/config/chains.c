/* chains.c - see chains.h. */
#include "config/chains.h"

#include "support/memory.h"
#include "support/registry.h"

#include <stdlib.h>
#include <string.h>

/* ---- Chains ---- */

static const struct config_type config_oracle = {
    .form = FORM_DEFINED, .definition = "oracle", CONFIG_STORED(STORED_PLACE, struct json_at), .words = "an oracle"};

struct reading {
    struct json_at oracle;
};

/* Keys of a chain besides name, label and parameters. */
static const struct config_key *more_keys(const struct ldp_chain *chain)
{
    static const struct config_key keys[] = {KEY("oracle", "the oracle of each round; default: oue", "\"olh\"",
                                                 .type = &config_oracle,
                                                 CONFIG_MEMBER(struct reading, oracle, struct json_at)),
                                             {.name = NULL}};

    return chain->takes_oracle ? keys : keys + 1;
}

static struct algorithm_entry entry(size_t i)
{
    const struct ldp_chain *const chain = ldp_chains[i];

    return chain ? (struct algorithm_entry){chain->name, chain->title, true, true}
                 : (struct algorithm_entry){.name = NULL};
}

static void keys_of(size_t i, struct config_key keys[ALGORITHM_KEYS])
{
    algorithm_keys(&chain_kind, ldp_chains[i]->params, more_keys(ldp_chains[i]), keys);
}

const struct algorithm_kind chain_kind = {
    .what = "a chain (ldpbench list chains)",
    .plural = "chains",
    .key = "name",
    .has_all = true,
    .entry = entry,
    .keys = keys_of,
};

static int add_chain(const struct json_at *at, size_t index, void *list, struct failure *failure)
{
    const struct ldp_chain *const chain = ldp_chains[index];
    struct chain_list *const chains = list;
    struct chain_choice *const choice = ARRAY_ADD(chains->choice, chains->count, chains->room);
    struct reading reading = {0};
    struct algorithm algorithm;

    *choice = (struct chain_choice){.spec.chain = chain};
    if (algorithm_read(at, &chain_kind, chain->params, more_keys(chain), &algorithm, failure) != 0 ||
        (json_is_object(at) && config_read(at, more_keys(chain), &reading, failure) != 0))
        return -1;
    memcpy(choice->spec.param, algorithm.param, sizeof choice->spec.param);
    if (reading.oracle.file && oracle_read(&reading.oracle, &choice->oracle, failure) != 0)
        return -1;
    if (choice->oracle.outside)
        return json_expected(&reading.oracle, failure, "an oracle of the program");
    if (choice->oracle.spec.oracle && choice->oracle.spec.oracle->flags & LDP_ORACLE_ORDINAL)
        return json_expected(&reading.oracle, failure, "an oracle that uses no order of the values");
    choice->label = algorithm_label(&algorithm, chain->name, chain->params);
    if (reading.oracle.file && !algorithm.label) {
        char *const own = choice->label;
        const size_t length = strlen(own);
        const bool closed = own[length - 1] == ')';

        choice->label =
            xformat("%.*s%soracle=%s)", (int)(length - closed), own, closed ? " " : "(", choice->oracle.label);
        free(own);
    }
    return 0;
}

static int chains_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct chain_list *const chains = out;

    (void)key;
    *chains = (struct chain_list){.at = *at};
    if (algorithms_read(at, &chain_kind, add_chain, chains, failure) != 0)
        return -1;
    for (size_t i = 0; i < chains->count; i++) /* now that they stay where they are */
        if (chains->choice[i].oracle.spec.oracle)
            chains->choice[i].spec.oracle = &chains->choice[i].oracle.spec;
    return check_labels(at, &chains->choice->label, sizeof *chains->choice, chains->count, failure);
}

const struct config_type config_chains = {
    CONFIG_LIST_OR_ALL("chain"),
    CONFIG_STORED(STORED_BY_READER, struct chain_list),
    .read = chains_read,
    .words = "\"all\", or a list of chains",
};

void chains_clear(struct chain_list *chains)
{
    for (size_t i = 0; i < chains->count; i++) {
        oracle_clear(&chains->choice[i].oracle);
        free(chains->choice[i].label);
    }
    free(chains->choice);
    *chains = (struct chain_list){0};
}

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

    return law->name ? (struct algorithm_entry){law->name, law->title, !law->params, true}
                     : (struct algorithm_entry){.name = NULL};
}

static void evolution_keys(size_t i, struct config_key keys[ALGORITHM_KEYS])
{
    algorithm_keys(&evolution_kind, evolution_laws[i].params, NULL, keys);
}

const struct algorithm_kind evolution_kind = {
    .what = "an evolution",
    .plural = "evolutions",
    .key = "name",
    .entry = evolution_entry,
    .keys = evolution_keys,
};

static int add_evolution(const struct json_at *at, size_t index, void *list, struct failure *failure)
{
    const struct evolution_law *const law = &evolution_laws[index];
    struct evolution_list *const evolutions = list;
    struct evolution_choice *const choice = ARRAY_ADD(evolutions->choice, evolutions->count, evolutions->room);
    struct algorithm algorithm;

    *choice = (struct evolution_choice){.evolution.law = law};
    if (algorithm_read(at, &evolution_kind, law->params, NULL, &algorithm, failure) != 0)
        return -1;
    memcpy(choice->evolution.param, algorithm.param, sizeof choice->evolution.param);
    choice->label = algorithm_label(&algorithm, law->name, law->params);
    return 0;
}

static int evolutions_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct evolution_list *const evolutions = out;

    (void)key;
    *evolutions = (struct evolution_list){.at = *at};
    if (algorithms_read(at, &evolution_kind, add_evolution, evolutions, failure) != 0)
        return -1;
    return check_labels(at, &evolutions->choice->label, sizeof *evolutions->choice, evolutions->count, failure);
}

static void evolutions_absent(const struct config_key *key, void *out)
{
    struct evolution_list *const evolutions = out;

    (void)key;
    *ARRAY_ADD(evolutions->choice, evolutions->count, evolutions->room) =
        (struct evolution_choice){.evolution.law = &evolution_laws[0], .label = xstrdup(evolution_laws[0].name)};
}

const struct config_type config_evolutions = {
    CONFIG_LIST_OF(CONFIG_DEFINED("evolution")),
    CONFIG_STORED(STORED_BY_READER, struct evolution_list),
    .read = evolutions_read,
    .absent = evolutions_absent,
    .words = "a list of evolutions",
};

void evolutions_clear(struct evolution_list *evolutions)
{
    for (size_t i = 0; i < evolutions->count; i++)
        free(evolutions->choice[i].label);
    free(evolutions->choice);
    *evolutions = (struct evolution_list){0};
}

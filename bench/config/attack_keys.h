/* attack_keys.h - the section "attacks" of a config, in two steps: the key is read, with all that the text alone
 * decides; attacks_bind finds the targets, which depend on the datasets. */
#ifndef LDPBENCH_ATTACK_KEYS_H
#define LDPBENCH_ATTACK_KEYS_H

#include "attacks/attack.h"
#include "config/algorithm.h"
#include "config/datasets.h"
#include "config/sweep.h"

/* How targets are chosen. */
struct attack_targets {
    uint64_t spread, random;           /* how many; 0: not so */
    struct sweep ranks, values, range; /* range: the first and the last */
};

/* The targets in a dataset. */
struct attack_on {
    size_t r;
    uint32_t *target; /* [r]; NULL: random, in each repetition */
};

struct attack_choice {
    char *label;                 /* as tables show it; all different */
    struct json_at at;           /* while the config's file is open */
    struct ldp_attack_spec spec; /* without targets, which differ between datasets */
    char *key;                   /* all parameters and how targets are chosen: its name in the store */
    struct sweep fraction;       /* m / N */
    struct attack_targets targets;
    struct attack_on *on; /* [ndatasets] */
    size_t ndatasets;
};

struct attack_list {
    ALGORITHMS(struct attack_choice);
};

/* Finds the targets of every attack in every dataset; the config's file must still be open. */
int attacks_bind(struct attack_list *attacks, const struct dataset_list *datasets, struct failure *failure);

/* An attack on a dataset; target NULL: random, in each repetition. */
struct ldp_attack_spec attack_in(const struct attack_choice *attack, size_t idataset);

/* The largest number of targets of an attack in a dataset. */
size_t attacks_targets(const struct attack_list *attacks, size_t idataset);

/* The key. */
extern const struct config_type config_attacks;
#define CONFIG_ATTACKS(struct_type, member)                                                                            \
    KEY("attacks",                                                                                                     \
        "what malicious users do, who are a fraction of all: how far they move the estimates of their targets; "       \
        "default: there are none",                                                                                     \
        "[{\"type\": \"mga\", \"fraction\": [0.01, 0.05], \"targets\": {\"spread\": 10}}]", .type = &config_attacks,   \
        CONFIG_MEMBER(struct_type, member, struct attack_list), .fallback = NAN)

/* The points of all attacks: an attack and one of its fractions, the fraction fastest. */
struct attack_point {
    const struct attack_choice *attack;
    double fraction;
};
size_t attacks_points(const struct attack_list *attacks);
struct attack_point attacks_point(const struct attack_list *attacks, size_t index);

extern const struct algorithm_kind attack_kind;
extern const struct config_key attack_target_keys[];

#endif

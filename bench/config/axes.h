/* axes.h - the sections of a config that make a grid of cells: datasets x oracles x epsilon, which of these cells are
 * used ("exclude", cells.h), and how a collection is simulated. */
#ifndef LDPBENCH_AXES_H
#define LDPBENCH_AXES_H

#include "config/cell_keys.h"
#include "config/datasets.h"
#include "config/oracle_keys.h"
#include "config/sweep.h"

#include <math.h>

/* Changes of a config by the command line. */
struct overrides {
    bool has_seed, has_data_seed, has_repetitions;
    uint64_t seed, data_seed;
    uint32_t repetitions;
    const char *const *edits; /* [nedits] as config_edit takes them */
    size_t nedits;
    const char *text; /* of a config that is not yet a file; NULL: the file's */
    bool dry_run;     /* data that take long to make are refused */
};

/* Cells are datasets x oracles x epsilon, epsilon fastest, except for those that exclude leaves out. */
struct axes {
    struct dataset_list datasets;
    struct oracle_list oracles;
    struct sweep epsilon;
    struct exclude_list exclude;
    struct cell_list cells; /* once the axes are built */
    enum ldp_mode mode;
};

/* The rows of a task's table of keys whose struct has a struct axes as a member. CONFIG_OF_KIND is CONFIG_DATASETS,
 * CONFIG_STRINGS or CONFIG_RECORDS. */
#define AXES_KEYS(struct_type, member, CONFIG_OF_KIND)                                                                 \
    CONFIG_SIMULATION(struct_type, member.mode), CONFIG_OF_KIND(struct_type, member.datasets),                         \
        CONFIG_ORACLES(struct_type, member.oracles), CONFIG_EPSILON(struct_type, member.epsilon),                      \
        CONFIG_EXCLUDE(struct_type, member.exclude)

#define CONFIG_SIMULATION(struct_type, member)                                                                         \
    KEY("simulation", "counts draws support counts from their exact distribution, reports runs every user's client",   \
        "\"reports\"", .type = &config_simulation, CONFIG_MEMBER(struct_type, member, enum ldp_mode),                  \
        .choices = simulations, .fallback = LDP_COUNTS)
extern const struct config_type config_simulation;
extern const char *const simulations[]; /* by enum ldp_mode, NULL-terminated */

#define CONFIG_EPSILON(struct_type, member)                                                                            \
    KEY("epsilon", "privacy budgets", "{\"from\": 0.2, \"to\": 4, \"step\": 0.2}", .required = true,                   \
        CONFIG_SWEEP(struct_type, member), .min = EPSILON_MIN, .max = INFINITY, .fallback = NAN)
#define EPSILON_MIN 0x1p-1074 /* all but 0 */

/* To be called once these keys have been read: checks the size of the grid, builds the datasets, lists the cells. seed:
 * for counts that are drawn at random. 0, or -1 with the failure set; to be cleared in both cases. */
int axes_build(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct axes *axes,
               struct failure *failure);
void axes_clear(struct axes *axes);

#endif

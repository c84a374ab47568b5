/* axes.c - see axes.h. */
#include "config/axes.h"

#include "support/limits.h"
#include "support/numbers.h"

const char *const simulations[] = {[LDP_COUNTS] = "counts", [LDP_REPORTS] = "reports", NULL};

const struct config_type config_simulation = {.form = FORM_WORD, CONFIG_STORED(STORED_MODE, enum ldp_mode)};

int axes_build(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct axes *axes,
               struct failure *failure)
{
    if (overrides->has_mode)
        axes->mode = overrides->mode;
    if (zip_bind(&axes->zip, &axes->datasets, &axes->epsilon, failure) != 0)
        return -1;

    const double cells = zip_cells(&axes->zip, &axes->datasets, &axes->oracles, &axes->epsilon);
    char number[NUMBER_TEXT];

    if (cells > CELLS_MAX)
        return json_fail(root, failure, "expected at most %d cells (datasets x oracles x epsilon), got %s", CELLS_MAX,
                         format_number(cells, number));
    if (datasets_build(&axes->datasets, seed, overrides->dry_run, failure) != 0)
        return -1;
    return cells_list(&axes->zip, &axes->exclude, &axes->datasets, &axes->oracles, &axes->epsilon, &axes->cells,
                      failure);
}

void axes_clear(struct axes *axes)
{
    datasets_clear(&axes->datasets);
    oracles_clear(&axes->oracles);
    sweep_clear(&axes->epsilon);
    exclude_clear(&axes->exclude);
    cells_clear(&axes->cells);
}

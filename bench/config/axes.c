/* axes.c - see axes.h. */
#include "config/axes.h"

#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <assert.h>
#include <stdlib.h>

const char *const simulations[] = {[LDP_COUNTS] = "counts", [LDP_REPORTS] = "reports", NULL};

const struct config_type config_simulation = {.form = FORM_WORD, CONFIG_STORED(STORED_MODE, enum ldp_mode)};

/* ---- Parameters that are auto ---- */

/* The parameter that is auto; NULL: none. */
static double *automatic_param(struct ldp_oracle_spec *spec)
{
    const struct ldp_param *const params = spec->oracle->params;

    for (size_t i = 0; params && i < LDP_PARAMS_MAX && params[i].name; i++)
        if (params[i].kind == LDP_INTEGER_OR_AUTO && isnan(spec->param[i]))
            return &spec->param[i];
    return NULL;
}

/* The number that is enough in all cells of an oracle. */
static int fit_oracle(struct axes *axes, size_t ioracle, double *param, struct failure *failure)
{
    struct oracle_choice *const oracle = &axes->oracles.choice[ioracle];
    double most = 0;

    for (size_t cell = 0; cell < axes->cells.count; cell++) {
        const struct grid_point at = axes->cells.point[cell];
        const struct dataset *const dataset = axes->datasets.dataset[at.idataset];
        const double epsilon = axes->epsilon.values[at.iepsilon];
        double number;
        struct ldp_reason reason;
        char text[NUMBER_TEXT];

        if (at.ioracle != ioracle)
            continue;
        if (ldp_sketch_fit(&oracle->spec, epsilon, &dataset->population->histogram, &number, &reason) != LDP_OK)
            return json_fail(&axes->oracles.at, failure, "%s with dataset %s and epsilon = %s: %s", oracle->label,
                             dataset->name, format_number(epsilon, text), reason.text);
        most = fmax(most, number);
    }
    *param = most;
    oracle->fitted = true;
    return 0;
}

/* Datasets without counts leave it to the protocol to refuse. */
static int fit_oracles(struct axes *axes, struct failure *failure)
{
    for (size_t i = 0; i < axes->oracles.count; i++) {
        double *const param = automatic_param(&axes->oracles.choice[i].spec);

        if (param && axes->datasets.count > 0 && axes->datasets.dataset[0]->population &&
            fit_oracle(axes, i, param, failure) != 0)
            return -1;
    }
    return 0;
}

int axes_build(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct axes *axes,
               struct failure *failure)
{
    const double cells = axes->datasets.points * (double)axes->oracles.count * (double)axes->epsilon.count;
    char number[NUMBER_TEXT];

    if (cells > CELLS_MAX)
        return json_fail(root, failure, "expected at most %d cells (datasets x oracles x epsilon), got %s", CELLS_MAX,
                         format_number(cells, number));
    if (datasets_build(&axes->datasets, seed, overrides->dry_run, failure) != 0)
        return -1;
    if (cells_list(&axes->exclude, &axes->datasets, &axes->oracles, &axes->epsilon, &axes->cells, failure) != 0)
        return -1;
    return fit_oracles(axes, failure);
}

void axes_clear(struct axes *axes)
{
    datasets_clear(&axes->datasets);
    algorithms_clear(&oracle_kind, &axes->oracles.list);
    sweep_clear(&axes->epsilon);
    exclude_clear(&axes->exclude);
    cells_clear(&axes->cells);
}

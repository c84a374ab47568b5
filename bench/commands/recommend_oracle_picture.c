/* recommend_oracle_picture.c - the frontier: the standard error with the users that there are, or that the best needs,
 * against the bits of a report, the server's time, and epsilon. */
#include "commands/recommend_oracle.h"

#include "commands/picture.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { CURVES = 8, EPSILONS = 9 };

struct frontier {
    const struct choices *choices;
    const struct choice *curve[CURVES]; /* of the frontier */
    struct look look[CURVES];
    size_t count;
    double users;
};

static const struct look limit_look = {.dash = 3, .width = 1, .colour = 0x777777};

static void add_limit(struct panel *panel, double x, struct span errors)
{
    if (!isfinite(x))
        return;
    struct layer *const layer = page_layer(panel, LAYER_LINE, limit_look, "limit");
    page_row(layer, x, errors.low, 0, 0, 0);
    page_row(layer, x, errors.high, 0, 0, 0);
}

static double price(const struct frontier *frontier, size_t panel, const struct choice *choice)
{
    return panel == 0 ? choice->cost.report_bits : choice_seconds(frontier->choices->limits, choice, frontier->users);
}

/* One mark for each oracle of the frontier. */
static void add_marks(const struct frontier *frontier, struct page *page, size_t number, const double *error)
{
    static const char *const title[] = {"bits of a report", "server's seconds"};
    const struct limits *const limits = frontier->choices->limits;
    struct panel *const panel = page_panel(page);
    struct span x = no_span, y = no_span;

    for (size_t c = 0; c < frontier->count; c++) {
        struct layer *const layer =
            page_layer(panel, LAYER_POINTS, frontier->look[c], frontier->curve[c]->spec->oracle->name);
        page_row(layer, price(frontier, number, frontier->curve[c]), error[c], 0, 0, 0);
        span_add(&x, price(frontier, number, frontier->curve[c]));
        span_add(&y, error[c]);
    }
    add_limit(panel, number == 0 ? limits->bits : limits->seconds, y);
    if (isfinite(number == 0 ? limits->bits : limits->seconds))
        span_add(&x, number == 0 ? limits->bits : limits->seconds);
    axis_log(&panel->x, x);
    axis_log(&panel->y, y);
    page_text(&panel->xtitle, title[number]);
    page_text(&panel->ytitle, number == 0 ? "standard error" : NULL);
}

/* A curve for each oracle of the frontier; error[c]: at the largest epsilon. */
static int add_curves(const struct frontier *frontier, struct page *page, const double *error, struct failure *failure)
{
    const struct limits *const limits = frontier->choices->limits;
    struct panel *const panel = page_panel(page);
    struct span y = no_span;
    double epsilon[EPSILONS];

    for (size_t i = 0; i < EPSILONS; i++)
        epsilon[i] = limits->epsilon * pow(2, -0.5 * (double)(EPSILONS - 1 - i));
    for (size_t c = 0; c < frontier->count; c++) {
        double at[EPSILONS];
        for (size_t i = 0; i < EPSILONS; i++) {
            at[i] = error[c];
            if (i < EPSILONS - 1 &&
                choice_error(limits, frontier->curve[c], epsilon[i], frontier->users, &at[i], failure) != 0)
                return -1;
        }
        const char *const name = frontier->curve[c]->spec->oracle->name;
        for (int kind = LAYER_LINE; kind <= LAYER_POINTS; kind += LAYER_POINTS - LAYER_LINE) {
            struct layer *const layer = page_layer(panel, (enum layer_kind)kind, frontier->look[c], name);
            for (size_t i = 0; i < EPSILONS; i++)
                if (isfinite(at[i])) {
                    page_row(layer, epsilon[i], at[i], 0, 0, 0);
                    span_add(&y, at[i]);
                }
        }
    }
    axis_log(&panel->x, (struct span){epsilon[0], epsilon[EPSILONS - 1]});
    axis_log(&panel->y, y);
    page_text(&panel->xtitle, "epsilon");
    return 0;
}

static int lay_out(const struct frontier *frontier, struct page *page, struct failure *failure)
{
    const struct limits *const limits = frontier->choices->limits;
    double error[CURVES];

    for (size_t c = 0; c < frontier->count; c++)
        if (choice_error(limits, frontier->curve[c], limits->epsilon, frontier->users, &error[c], failure) != 0)
            return -1;
    page->columns = 3;
    page->width = PAPER_PAGE;
    for (size_t panel = 0; panel < 2; panel++)
        add_marks(frontier, page, panel, error);
    if (add_curves(frontier, page, error, failure) != 0)
        return -1;
    for (size_t c = 0; c < frontier->count; c++) {
        const struct choice *const choice = frontier->curve[c];
        char *const name = xformat("%s%s%s", choice->spec->oracle->name, choice->method ? " with " : "",
                                   choice->method ? choice->method->name : "");
        page_entry(page, name, frontier->look[c], false, true, false, 0);
        free(name);
    }
    char *const caption =
        xformat("Standard error of %zu frequencies from %.4g users: oracles that no other beats in error, "
                "bits and time at once, at epsilon = %.4g and below.",
                limits->d, frontier->users, limits->epsilon);
    page_text(&page->caption, caption);
    free(caption);
    return 0;
}

int choices_picture(const struct choices *choices, struct failure *failure)
{
    struct frontier frontier = {
        .choices = choices, .users = choices->limits->n > 0 ? (double)choices->limits->n : choices->choice[0].users};
    const char *label[CURVES];
    struct page page;

    for (size_t i = 0; i < choices->count && frontier.count < CURVES; i++)
        if (choices->choice[i].frontier) {
            label[frontier.count] = choices->choice[i].spec->oracle->name;
            frontier.curve[frontier.count++] = &choices->choice[i];
        }
    int result = picture_looks(label, frontier.count, frontier.look, failure);
    page_init(&page, "curves", "frontier");
    if (result == 0)
        result = lay_out(&frontier, &page, failure);
    if (result == 0)
        result = picture_draw(&page, choices->limits->picture, failure);
    page_clear(&page);
    return result;
}

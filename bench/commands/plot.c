/* plot.c - ldpbench plot: pictures of result folders, drawn by gnuplot. */
#include "commands/commands.h"
#include "figures/figures.h"
#include "run/provenance.h"
#include "support/memory.h"
#include "support/text.h"
#include "version.h"

#include <ctype.h>
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a folder holds plots/. */
static bool holds_plots(const char *share)
{
    char *const path = share ? xformat("%s/plots/style.gp", share) : NULL;
    const bool there = path && access(path, R_OK) == 0;

    free(path);
    return there;
}

char *share_folder(void)
{
    const char *const given = getenv("LDPBENCH_SHARE");
    char self[4096] = "", *share = given ? xstrdup(given) : NULL;

    if (!given && readlink("/proc/self/exe", self, sizeof self - 1) > 0)
        share = xformat("%s/../..", dirname(self));
    if (!given && !holds_plots(share)) {
        free(share);
        share = xstrdup(LDPBENCH_SHARE_FOLDER);
    }
    if (holds_plots(share))
        return share;
    free(share);
    return NULL;
}

struct plot_request {
    struct figure_wishes wishes;
    bool format[PICTURE_FORMATS], no_captions, keep;
};

static int draw(char *const *folder, size_t count, const struct plot_request *request, struct failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        struct provenance *made;

        if (provenance_load(folder[i], &made, failure) != 0)
            return -1;
        provenance_free(made);
    }
    char *const share = share_folder();
    if (!share)
        return fail(failure, EXIT_MACHINE,
                    "plot: plots/style.gp was not found; set LDPBENCH_SHARE to the folder that holds plots/");
    int result = 0;
    for (size_t i = 0; i < count; i++) {
        struct failure own = NO_REASON;

        if (figures_draw(folder[i], share, &request->wishes, request->format, !request->no_captions, request->keep,
                         &own) == 0)
            continue;
        if (result != 0 && strcmp(failure->text, own.text) != 0)
            say_failure(failure);
        *failure = own;
        result = -1;
    }
    free(share);
    return result;
}

int draw_folders(char *const *folder, size_t count, struct failure *failure)
{
    return draw(folder, count,
                &(const struct plot_request){.wishes = {.quiet = true}, .format = {[PICTURE_SVG] = true}}, failure);
}

static int read_format(const struct command_option *option, const char *text, void *formats, struct failure *failure)
{
    size_t word;

    if (read_word("--format", text, picture_formats, &word, failure) != 0)
        return -1;
    ((bool *)formats)[word] = true;
    return 0;
}

static int read_width(const struct command_option *option, const char *text, void *width, struct failure *failure)
{
    const bool column = strcmp(text, "column") == 0, named = column || strcmp(text, "page") == 0;
    const struct command_option inches = {.name = option->name, .kind = {.least = 1, .most = 30}};

    if (!named && !isdigit((unsigned char)*text))
        return fail(failure, EXIT_BAD_INPUT, "--width: expected column, page, or a number of inches, got \"%s\"",
                    SHOWN(text));
    *(double *)width = column ? PAPER_COLUMN : PAPER_PAGE;
    return named ? 0 : option_between(&inches, text, width, failure);
}

#define REQUEST struct plot_request
static const struct command_option known_options[] = {
    {"format", "FORMAT", .kind = {.read = read_format, .again = true, .words = picture_formats},
     .member = offsetof(struct plot_request, format),
     "Format of the pictures. Default svg. tsv writes the numbers that the pictures show, for other programs; it needs "
     "no gnuplot."},
    {"width", "WIDTH", READ_BY(wishes.width, read_width),
     "Width of the pictures: column, page, or inches. Those of a paper of two columns (3.5 and 7.16 inches). Default: "
     "by the number of panels."},
    {"size", "POINTS", BETWEEN(wishes.type, 4, 30), "Size of the type in points. Default 7.5."},
    {"x", "KEY", TEXT_OF(wishes.x), "The key column of the x axis. Default: the one with the most values."},
    {"curves", "KEY", TEXT_OF(wishes.curves), "The key column that distinguishes curves. Default: methods or oracles."},
    {"all-pages", NULL, FLAG(wishes.all_pages),
     "Draw pictures of more than four pages too. They are otherwise left out, with a message."},
    {"no-captions", NULL, FLAG(no_captions), "Leave out the captions below the pictures."},
    {"keep", NULL, FLAG(keep),
     "Leave each picture's script next to it. gnuplot NAME.gp, in that folder, draws it again."},
    {.name = NULL},
};

static int run(int argc, char **argv, struct failure *failure)
{
    struct plot_request request = {0};

    if (read_options(&command_plot, argc, argv, &request, failure) != 0)
        return -1;
    if (!option_given(&command_plot, "format"))
        request.format[PICTURE_SVG] = true;
    if (optind == argc)
        fail(failure, EXIT_BAD_INPUT, "plot: missing operand: the folder of a result");
    else if (request.wishes.x && request.wishes.curves && strcmp(request.wishes.x, request.wishes.curves) == 0)
        fail(failure, EXIT_BAD_INPUT, "--curves: expected another key than --x has, got \"%.40s\" twice",
             request.wishes.x);
    else if (draw(argv + optind, (size_t)(argc - optind), &request, failure) == 0)
        return EXIT_DONE;
    return -1;
}

const struct command command_plot = {
    .name = "plot",
    .operands = "DIR...",
    .summary = "draw the figures of result folders",
    .examples = {"plot results/survey", "plot results/survey --format pdf --width column"},
    .about = "Draws the tables of result folders with gnuplot, next to the tables.",
    .options = known_options,
    .takes = TAKES_FOLDERS,
    .run = run,
};

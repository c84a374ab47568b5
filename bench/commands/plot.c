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
    char self[4096], *share = NULL;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (given) {
        share = xstrdup(given);
    } else if (length > 0) {
        self[length] = '\0';
        share = xformat("%s/../..", dirname(self));
        if (!holds_plots(share)) {
            free(share);
            share = xstrdup(LDPBENCH_SHARE_FOLDER);
        }
    }
    if (holds_plots(share))
        return share;
    free(share);
    return NULL;
}

static int draw(char *const *folder, size_t count, const struct figure_wishes *wishes,
                const bool format[PICTURE_FORMATS], bool captions, bool keep, struct failure *failure)
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

        if (figures_draw(folder[i], share, wishes, format, captions, keep, &own) == 0)
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
    const struct figure_wishes wishes = {0};
    const bool format[PICTURE_FORMATS] = {[PICTURE_SVG] = true};

    return draw(folder, count, &wishes, format, true, false, failure);
}

enum { X = 256, Y, PANELS, CURVES, ALL_PAGES, NO_CAPTIONS, KEEP, FORMAT, WIDTH, SIZE };

static const struct command_option known_options[] = {
    {.name = "format",
     .code = FORMAT,
     .value = "FORMAT",
     .again = true,
     .words = picture_formats,
     .help = "Format of the pictures. Default svg. tsv writes the numbers that the pictures show, for other programs; "
             "it needs no "
             "gnuplot."},
    {.name = "width",
     .code = WIDTH,
     .value = "WIDTH",
     .help = "Width of the pictures: column or page, of a paper of two columns (3.5 and 7.16 inches), or a number of "
             "inches. Default: by the number of panels."},
    {.name = "size", .code = SIZE, .value = "POINTS", .help = "Size of the type in points. Default 7.5."},
    {.name = "x",
     .code = X,
     .value = "KEY",
     .help = "The key column of the x axis; by default the one with the most values."},
    {.name = "y", .code = Y, .value = "KEY", .help = "The key column of the y axis of a map."},
    {.name = "panels", .code = PANELS, .value = "KEY", .help = "The key column that distinguishes panels."},
    {.name = "curves",
     .code = CURVES,
     .value = "KEY",
     .help = "The key column that distinguishes curves; by default methods or oracles."},
    {.name = "all-pages",
     .code = ALL_PAGES,
     .help = "Draw pictures of more than four pages too; otherwise they are left out, with a message."},
    {.name = "no-captions", .code = NO_CAPTIONS, .help = "Leave out the captions below the pictures."},
    {.name = "keep",
     .code = KEEP,
     .help = "Leave each picture's script next to it: gnuplot NAME.gp, in that folder, draws it again."},
    {.name = NULL},
};

/* No key is asked for twice; --x and --y are compared where maps are drawn. */
static int check_wishes(const struct figure_wishes *wishes, struct failure *failure)
{
    const char *const option[] = {"--x", "--y", "--panels", "--curves"};
    const char *const key[] = {wishes->x, wishes->y, wishes->panels, wishes->curves};

    for (size_t i = 2; i < sizeof key / sizeof *key; i++)
        for (size_t j = 0; j < i; j++)
            if (key[i] && key[j] && strcmp(key[i], key[j]) == 0)
                return fail(failure, EXIT_BAD_INPUT, "%s: expected another key than %s has, got \"%.40s\" twice",
                            option[i], option[j], key[i]);
    return 0;
}

static int read_within(const char *option, const char *text, double least, double most, double *out,
                       struct failure *failure)
{
    if (read_real(option, text, out, failure) != 0)
        return -1;
    return *out >= least && *out <= most ? 0
                                         : fail(failure, EXIT_BAD_INPUT, "%s: expected a number from %g to %g, got %s",
                                                option, least, most, SHOWN(text));
}

static int read_width(const char *text, double *out, struct failure *failure)
{
    const bool column = strcmp(text, "column") == 0;

    if (!column && strcmp(text, "page") != 0 && !isdigit((unsigned char)*text))
        return fail(failure, EXIT_BAD_INPUT, "--width: expected column, page, or a number of inches, got \"%s\"",
                    SHOWN(text));
    if (!column && strcmp(text, "page") != 0)
        return read_within("--width", text, 1, 30, out, failure);
    *out = column ? PAPER_COLUMN : PAPER_PAGE;
    return 0;
}

static int run(int argc, char **argv)
{
    struct figure_wishes wishes = {0};
    bool format[PICTURE_FORMATS] = {0}, formats = false, captions = true, keep = false;
    struct failure failure = NO_REASON;
    size_t word;
    int option;

    while ((option = next_option(&command_plot, argc, argv, &failure)) != OPTIONS_END)
        switch (option) {
        case FORMAT:
            if (read_word("--format", optarg, picture_formats, &word, &failure) != 0)
                return say_failure(&failure);
            formats = format[word] = true;
            break;
        case WIDTH:
            if (read_width(optarg, &wishes.width, &failure) != 0)
                return say_failure(&failure);
            break;
        case SIZE:
            if (read_within("--size", optarg, 4, 30, &wishes.type, &failure) != 0)
                return say_failure(&failure);
            break;
        case X: wishes.x = optarg; break;
        case Y: wishes.y = optarg; break;
        case PANELS: wishes.panels = optarg; break;
        case CURVES: wishes.curves = optarg; break;
        case ALL_PAGES: wishes.all_pages = true; break;
        case NO_CAPTIONS: captions = false; break;
        case KEEP: keep = true; break;
        default: return say_failure(&failure);
        }
    if (!formats)
        format[PICTURE_SVG] = true;
    if (optind == argc) {
        fail(&failure, EXIT_BAD_INPUT, "plot: missing operand: the folder of a result");
        return say_failure(&failure);
    }
    if (check_wishes(&wishes, &failure) != 0 ||
        draw(argv + optind, (size_t)(argc - optind), &wishes, format, captions, keep, &failure) != 0)
        return say_failure(&failure);
    return EXIT_DONE;
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

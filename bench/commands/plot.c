/* plot.c - ldpbench plot: pictures of result folders, drawn by gnuplot. */
#include "commands/commands.h"
#include "figures/figures.h"
#include "support/text.h"
#include "version.h"

#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a folder holds plots/. */
static bool holds_plots(const char *share)
{
    char *path = share ? text_format("%s/plots/page.gp", share) : NULL;
    const bool there = path && access(path, R_OK) == 0;

    free(path);
    return there;
}

/* The folder that holds plots/: the one that LDPBENCH_SHARE names, beside the sources that the program was built in, or
 * where it was installed. Malloc'd; NULL if it is in none of them. */
static char *find_share(void)
{
    const char *given = getenv("LDPBENCH_SHARE");
    char self[4096], *share = NULL;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (given) {
        share = strdup(given);
    } else if (length > 0) {
        self[length] = '\0';
        share = text_format("%s/../..", dirname(self));
        if (!holds_plots(share)) {
            free(share);
            share = strdup(LDPBENCH_SHARE_FOLDER);
        }
    }
    if (holds_plots(share))
        return share;
    free(share);
    return NULL;
}

static int check_folder(const char *folder, struct failure *failure)
{
    char *run_file = text_format("%s/run.json", folder);
    const bool there = run_file && access(run_file, R_OK) == 0;

    free(run_file);
    return there ? 0 : fail(failure, EXIT_BAD_INPUT, "%s: expected a result folder (with run.json), got none", folder);
}

static int draw(char *const *folder, size_t count, const struct figure_wishes *wishes,
                const bool format[PICTURE_FORMATS], bool captions, struct failure *failure)
{
    char *share;
    int result = 0;

    for (size_t i = 0; i < count; i++)
        if (check_folder(folder[i], failure) != 0)
            return -1;
    share = find_share();
    if (!share)
        return fail(failure, EXIT_MACHINE,
                    "plot: plots/page.gp is not where it was installed; LDPBENCH_SHARE can name its folder");
    for (size_t i = 0; result == 0 && i < count; i++)
        result = figures_draw(folder[i], share, wishes, format, captions, failure);
    free(share);
    return result;
}

int draw_folders(char *const *folder, size_t count, struct failure *failure)
{
    const struct figure_wishes wishes = {0};
    const bool format[PICTURE_FORMATS] = {[PICTURE_SVG] = true};

    return draw(folder, count, &wishes, format, true, failure);
}

enum { X = 256, Y, PANELS, CURVES, ALL_PAGES, NO_CAPTIONS, FORMAT };

int command_plot(int argc, char **argv)
{
    static const struct option options[] = {{"format", required_argument, NULL, FORMAT},
                                            {"x", required_argument, NULL, X},
                                            {"y", required_argument, NULL, Y},
                                            {"panels", required_argument, NULL, PANELS},
                                            {"curves", required_argument, NULL, CURVES},
                                            {"all-pages", no_argument, NULL, ALL_PAGES},
                                            {"no-captions", no_argument, NULL, NO_CAPTIONS},
                                            {NULL, 0, NULL, 0}};
    struct figure_wishes wishes = {0};
    bool format[PICTURE_FORMATS] = {0}, formats = false, captions = true;
    struct failure failure;
    size_t word;
    int option;

    while ((option = next_option(argc, argv, "", options, &failure)) != OPTIONS_END)
        switch (option) {
        case FORMAT:
            if (read_word("--format", optarg, picture_formats, &word, &failure) != 0)
                return say_failure(&failure);
            formats = format[word] = true;
            break;
        case X: wishes.x = optarg; break;
        case Y: wishes.y = optarg; break;
        case PANELS: wishes.panels = optarg; break;
        case CURVES: wishes.curves = optarg; break;
        case ALL_PAGES: wishes.all_pages = true; break;
        case NO_CAPTIONS: captions = false; break;
        default: return say_failure(&failure);
        }
    if (!formats)
        format[PICTURE_SVG] = true;
    if (optind == argc) {
        fail(&failure, EXIT_BAD_INPUT, "plot: expected a result folder, got none");
        return say_failure(&failure);
    }
    if (draw(argv + optind, (size_t)(argc - optind), &wishes, format, captions, &failure) != 0)
        return say_failure(&failure);
    return EXIT_DONE;
}

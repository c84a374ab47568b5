/* picture.c - see picture.h. */
#include "commands/picture.h"

#include "figures/draw.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

/* The place of a file's ending among picture_formats; PICTURE_FORMATS: it has none of them. */
static int format_of(const char *file)
{
    const char *const dot = strrchr(file, '.');
    int format = 0;

    while (format < PICTURE_FORMATS && !(dot && strcmp(dot + 1, picture_formats[format]) == 0))
        format++;
    return format;
}

int picture_check(const char *file, struct failure *failure)
{
    return format_of(file) < PICTURE_FORMATS
               ? 0
               : fail(failure, EXIT_BAD_INPUT, "--picture: expected FILE.svg, FILE.pdf, FILE.png or FILE.tsv, got %s",
                      SHOWN_PATH(file));
}

/* The folder that holds plots/; malloc'd, NULL with a failure. */
static char *shared(struct failure *failure)
{
    char *const share = share_folder();

    if (!share)
        fail(failure, EXIT_MACHINE,
             "--picture: plots/style.gp was not found; set LDPBENCH_SHARE to the folder that holds plots/");
    return share;
}

int picture_looks(const char *const *label, size_t count, struct look *look, struct failure *failure)
{
    char *const share = shared(failure);
    struct style style = {0};
    const int result = share ? style_load(share, &style, failure) : -1;

    if (result == 0)
        style_looks(&style, label, count, look);
    style_clear(&style);
    free(share);
    return result;
}

int picture_draw(struct page *page, const char *file, struct failure *failure)
{
    const char *const slash = strrchr(file, '/'), *const base = slash ? slash + 1 : file;
    char *const folder = slash == file ? xstrdup("/")
                         : slash       ? xformat("%.*s", (int)(slash - file), file)
                                       : xstrdup(".");
    char *const share = shared(failure), *const plots = share ? xformat("%s/plots", share) : NULL;
    struct drawing drawing = {0};
    int result = share ? 0 : -1;

    free(page->name);
    page->name = xformat("%.*s", (int)(strrchr(base, '.') - base), base);
    if (result == 0) {
        result = draw_begin(&drawing, page, format_of(file), plots, "ldpbench", failure);
        if (draw_end(&drawing, result == 0 ? folder : NULL, failure) != 0)
            result = -1;
    }
    free(plots);
    free(share);
    free(folder);
    return result;
}

/* draw.c - see draw.h. */
#include "figures/draw.h"

#include "support/child.h"
#include "support/clock.h"
#include "support/document.h"
#include "support/files.h"
#include "support/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds after which gnuplot is ended; LDPBENCH_GNUPLOT_SECONDS is another number of them. */
static const double usual_limit = 120;

const char *const picture_formats[PICTURE_FORMATS + 1] = {"svg", "pdf", "png", "tsv", NULL};

/* ---- gnuplot ---- */

/* Reads everything that a process wrote to a shared file. */
static struct buffer read_all(FILE *file)
{
    struct buffer bytes = {0};
    char part[1 << 13];

    rewind(file);
    for (size_t count; (count = fread(part, 1, sizeof part, file)) > 0;)
        buffer_add_n(&bytes, part, count);
    buffer_add(&bytes, "");
    return bytes;
}

static double limit(void)
{
    const char *const given = getenv("LDPBENCH_GNUPLOT_SECONDS");

    return given ? strtod(given, NULL) : usual_limit;
}

enum { FAILED = -1, TOO_LONG = -2 };

/* Its status, or one of those. At the deadline it is killed, with what it started. */
static int wait_for(pid_t child, double deadline)
{
    const struct timespec pause = {.tv_nsec = 3000000};
    int status;
    pid_t ended;

    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && clock_seconds() < deadline)
        nanosleep(&pause, NULL);
    if (ended != 0)
        return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return TOO_LONG;
}

/* Why gnuplot ended with a status other than 0: the last non-empty line of what it said, without the lines before it
 * that mark a position with a caret. */
static int tell_errors(const struct drawing *drawing, struct failure *failure)
{
    struct buffer bytes = read_all(drawing->errors);
    const char *last = "";

    for (char *line = strtok(bytes.text, "\n"); line; line = strtok(NULL, "\n"))
        if (line[strspn(line, " \t^")])
            last = line;
    fail(failure, EXIT_MACHINE, "plot: %s: gnuplot failed: %.300s", drawing->name, last);
    buffer_clear(&bytes);
    return -1;
}

/* -d: without the user's settings. */
static int start_gnuplot(struct drawing *drawing, struct failure *failure)
{
    const int from[3] = {fileno(drawing->script), fileno(drawing->output), fileno(drawing->errors)};
    char name[] = "gnuplot", defaults[] = "-d", execute[] = "-e", script[] = "/dev/stdin";
    char *const format = xformat("format = '%s'", picture_formats[drawing->format]);
    char *const command[] = {name, defaults, execute, format, script, NULL};
    const int error = process_start(command, from, &drawing->child);

    free(format);
    drawing->deadline = clock_seconds() + limit();
    if (error == 0)
        return 0;
    drawing->child = 0;
    if (error == ENOENT)
        return fail(failure, EXIT_MACHINE, "plot: gnuplot is not installed (Debian: gnuplot-nox)");
    return fail(failure, EXIT_MACHINE, "plot: gnuplot cannot be started: %s", strerror(error));
}

/* Whether gnuplot completed the picture. */
static bool is_whole(const struct buffer *picture, int format)
{
    static const char *const ends[] = {"</svg>", "%%EOF", "IEND"};
    const size_t length = strlen(ends[format]);

    for (size_t i = 0; i < 16 && i + length <= picture->length; i++)
        if (memcmp(picture->text + picture->length - length - i, ends[format], length) == 0)
            return true;
    return false;
}

/* ---- drawings ---- */

int draw_begin(struct drawing *drawing, const struct page *page, int format, const char *plots, const char *origin,
               struct failure *failure)
{
    *drawing = (struct drawing){.format = format,
                                .name = xstrdup(page->name),
                                .title = xstrdup(page->caption ? page->caption : page->name),
                                .description = xstrdup(origin)};
    /* Files without names instead of pipes, so that neither side waits for the other. */
    if (!(drawing->script = tmpfile()) || !(drawing->output = tmpfile()) || !(drawing->errors = tmpfile()))
        return fail(failure, EXIT_MACHINE, "plot: a temporary file cannot be made: %s", strerror(errno));
    if (script_write(page, plots, drawing->script, failure) != 0)
        return -1;
    if (fflush(drawing->script) != 0 || ferror(drawing->script))
        return fail(failure, EXIT_MACHINE, "plot: a temporary file cannot be written: %s", strerror(errno));
    return start_gnuplot(drawing, failure);
}

/* The picture that gnuplot drew, if it is complete. */
static int take_picture(struct drawing *drawing, struct buffer *picture, struct failure *failure)
{
    const int status = wait_for(drawing->child, drawing->deadline);

    drawing->child = 0;
    if (status == TOO_LONG)
        return fail(failure, EXIT_MACHINE,
                    "plot: %s: gnuplot did not end within %g seconds (LDPBENCH_GNUPLOT_SECONDS allows more)",
                    drawing->name, limit());
    if (status != 0)
        return tell_errors(drawing, failure);
    *picture = read_all(drawing->output);
    if (!is_whole(picture, drawing->format))
        return fail(failure, EXIT_MACHINE,
                    "plot: %s: gnuplot ended before its picture; is there room for temporary files?", drawing->name);
    return 0;
}

/* An SVG of gnuplot with the picture's title and description in place of gnuplot's, without the titles of curves, and
 * with every > of a text escaped, which gnuplot does not (XML forbids ]]> in texts). */
static void write_svg(FILE *out, const char *svg, const struct drawing *drawing)
{
    static const char *const element[] = {"title", "desc"};
    const char *note[] = {drawing->title, drawing->description};

    while (*svg) {
        const size_t length = *svg == '<' ? strcspn(svg, ">") + 1 : *svg == '>' ? 1 : strcspn(svg, "<>");
        const int which = strncmp(svg, "<title>", length) == 0 ? 0 : strncmp(svg, "<desc>", length) == 0 ? 1 : -1;

        if (which < 0) {
            if (*svg == '>')
                fputs("&gt;", out);
            else
                fwrite(svg, 1, length, out);
            svg += length;
            continue;
        }
        if (note[which]) {
            fprintf(out, "<%s>", element[which]);
            html_text(out, note[which], strlen(note[which]));
            fprintf(out, "</%s>\n", element[which]);
        }
        note[which] = NULL;
        svg = strstr(svg, "</");
        svg += strcspn(svg, ">") + 1;
        svg += *svg == '\n';
    }
}

static int write_picture(const struct drawing *drawing, const struct buffer *picture, const char *folder,
                         struct failure *failure)
{
    struct whole_file file;
    char *const name = xformat("%s.%s", drawing->name, picture_formats[drawing->format]);
    int result = whole_file_open(&file, folder, name, failure);

    if (result == 0 && drawing->format == PICTURE_SVG)
        write_svg(file.stream, picture->text, drawing);
    else if (result == 0)
        fwrite(picture->text, 1, picture->length, file.stream);
    if (result == 0)
        result = whole_file_close(&file, failure);
    free(name);
    return result;
}

int draw_end(struct drawing *drawing, const char *folder, struct failure *failure)
{
    FILE *const file[] = {drawing->script, drawing->output, drawing->errors};
    struct buffer picture = {0};
    int result = folder ? take_picture(drawing, &picture, failure) : 0;

    if (folder && result == 0)
        result = write_picture(drawing, &picture, folder, failure);
    if (drawing->child > 0)
        wait_for(drawing->child, drawing->deadline);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        if (file[i])
            fclose(file[i]);
    buffer_clear(&picture);
    free(drawing->name);
    free(drawing->title);
    free(drawing->description);
    memset(drawing, 0, sizeof *drawing);
    return result;
}

/* ---- files next to pictures ---- */

int draw_beside(const struct page *page, const char *folder, const char *plots, struct failure *failure)
{
    char *const name = xformat("%s.%s", page->name, plots ? "gp" : picture_formats[PICTURE_NUMBERS]);
    struct whole_file file;
    int result = whole_file_open(&file, folder, name, failure);

    if (result == 0 && !plots) {
        page_numbers(page, file.stream);
    } else if (result == 0) {
        /* Names of pictures have no characters that mean anything in a string of gnuplot (label_file_name). */
        fprintf(file.stream,
                "# gnuplot %s draws %s.svg, and with -e 'format = \"pdf\"' or \"png\" in that format.\n"
                "if (!exists(\"format\")) { format = \"svg\" }\nset output \"%s.\" . format\n",
                name, page->name, page->name);
        result = script_write(page, plots, file.stream, failure);
        if (result != 0)
            whole_file_abandon(&file);
    }
    if (result == 0)
        result = whole_file_close(&file, failure);
    free(name);
    return result;
}

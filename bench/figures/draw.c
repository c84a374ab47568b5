/* draw.c - see draw.h. */
#include "figures/draw.h"

#include "figures/script.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SCRIPT_DESCRIPTOR = 3 };

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

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double limit(void)
{
    const char *const given = getenv("LDPBENCH_GNUPLOT_SECONDS");
    const double number = given ? strtod(given, NULL) : 0;

    return number > 0 ? number : usual_limit;
}

enum { FAILED = -1, TOO_LONG = -2 };

/* Its status, or one of those. At the deadline it is killed, with what it started. */
static int wait_for(pid_t child, double deadline)
{
    const struct timespec pause = {.tv_nsec = 3000000};
    int status;
    pid_t ended;

    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && seconds() < deadline)
        nanosleep(&pause, NULL);
    if (ended == child)
        return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
    if (ended < 0)
        return FAILED;
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return TOO_LONG;
}

/* The last non-empty line: gnuplot's message, without the lines before it that mark a position with a caret. */
static const char *last_line(char *text)
{
    const char *last = "";

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (line[strspn(line, " \t^")])
            last = line;
    return last;
}

/* Why gnuplot ended with a status other than 0. */
static int tell_errors(const struct drawing *drawing, struct failure *failure)
{
    struct buffer bytes = read_all(drawing->errors);

    fail(failure, EXIT_MACHINE, "plot: %s: gnuplot failed: %.300s", drawing->name, last_line(bytes.text));
    buffer_clear(&bytes);
    return -1;
}

/* -d: without the user's settings. An error number, or 0. */
static int spawn(pid_t *child, const struct drawing *drawing, const int descriptor[3])
{
    static const int as[3] = {SCRIPT_DESCRIPTOR, STDOUT_FILENO, STDERR_FILENO};
    char name[] = "gnuplot", defaults[] = "-d", execute[] = "-e";
    char *const format = xformat("format = '%s'", picture_formats[drawing->format]);
    char *const script = xformat("/dev/fd/%d", SCRIPT_DESCRIPTOR);
    char *const command[] = {name, defaults, execute, format, script, NULL};
    const struct process_plan plan = {
        .command = command, .from = descriptor, .as = as, .ndescriptors = 3, .own_group = true};
    const int error = process_start(&plan, child);

    free(format);
    free(script);
    return error;
}

static int start_gnuplot(struct drawing *drawing, struct failure *failure)
{
    const int descriptor[3] = {fileno(drawing->script), fileno(drawing->output), fileno(drawing->errors)};
    pid_t child;
    const int error = spawn(&child, drawing, descriptor);

    if (error == ENOENT)
        return fail(failure, EXIT_MACHINE, "plot: gnuplot is not installed (Debian: gnuplot-nox)");
    if (error != 0)
        return fail(failure, EXIT_MACHINE, "plot: gnuplot cannot be started: %s", strerror(error));
    drawing->child = child;
    drawing->deadline = seconds() + limit();
    return 0;
}

/* A file without a name, for gnuplot to read or write. */
static FILE *open_scratch(struct failure *failure)
{
    FILE *const file = tmpfile();

    if (!file)
        fail(failure, EXIT_MACHINE, "plot: a temporary file cannot be made: %s", strerror(errno));
    return file;
}

/* Uses files instead of pipes, so that neither side waits for the other. */
static int begin_gnuplot(struct drawing *drawing, const struct page *page, const char *plots, struct failure *failure)
{
    drawing->script = open_scratch(failure);
    drawing->output = drawing->script ? open_scratch(failure) : NULL;
    drawing->errors = drawing->output ? open_scratch(failure) : NULL;
    if (!drawing->errors)
        return -1;
    if (script_write(page, plots, drawing->script, failure) != 0)
        return -1;
    if (fflush(drawing->script) != 0 || ferror(drawing->script))
        return fail(failure, EXIT_MACHINE, "plot: a temporary file cannot be written: %s", strerror(errno));
    return start_gnuplot(drawing, failure);
}

/* ---- the picture ---- */

/* Whether gnuplot completed the picture. */
static bool is_whole(const struct buffer *picture, enum picture_format format)
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
    *drawing = (struct drawing){.format = format};
    drawing->name = xstrdup(page->name);
    drawing->file = xformat("%s.%s", page->name, picture_formats[format]);
    drawing->title = xstrdup(page->caption ? page->caption : page->name);
    drawing->description = xstrdup(origin);
    if (format != PICTURE_NUMBERS)
        return begin_gnuplot(drawing, page, plots, failure);
    FILE *const out = xmemstream(&drawing->numbers, &drawing->nnumbers);
    page_numbers(page, out);
    fclose(out);
    return 0;
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
    if (!is_whole(picture, (enum picture_format)drawing->format))
        return fail(failure, EXIT_MACHINE,
                    "plot: %s: gnuplot ended before its picture; is there room for temporary files?", drawing->name);
    return 0;
}

static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: putc(*text, out);
        }
}

/* An SVG of gnuplot with the picture's title and description in place of gnuplot's, without the titles of curves, and
 * with every > of a text escaped, which gnuplot does not (XML forbids ]]> in texts). */
static void write_svg(FILE *out, const char *svg, const struct drawing *drawing)
{
    static const char *const element[] = {"title", "desc"};
    const char *note[] = {drawing->title, drawing->description};

    while (*svg) {
        const size_t text = strcspn(svg, "<>"), tag = svg[text] == '<' ? strcspn(svg + text, ">") + 1 : 0;
        int which = -1;

        fwrite(svg, 1, text, out);
        svg += text;
        for (int i = 0; i < 2; i++)
            if (tag == strlen(element[i]) + 2 && strncmp(svg + 1, element[i], tag - 2) == 0)
                which = i;
        if (which >= 0) {
            const char *const end = strstr(svg, "</");

            if (note[which]) {
                fprintf(out, "<%s>", element[which]);
                write_escaped(out, note[which]);
                fprintf(out, "</%s>\n", element[which]);
            }
            note[which] = NULL;
            svg = end ? end + strcspn(end, ">") : svg + tag - 1;
            svg += *svg == '>';
        } else if (tag > 0) {
            fwrite(svg, 1, strnlen(svg, tag), out);
            svg += strnlen(svg, tag);
        } else if (*svg == '>') {
            fputs("&gt;", out);
            svg++;
        }
    }
}

static int write_picture(const struct drawing *drawing, const struct buffer *picture, const char *folder,
                         struct failure *failure)
{
    struct whole_file file;

    if (whole_file_open(&file, folder, drawing->file, failure) != 0)
        return -1;
    if (drawing->format == PICTURE_NUMBERS)
        fwrite(drawing->numbers, 1, drawing->nnumbers, file.stream);
    else if (drawing->format == PICTURE_SVG)
        write_svg(file.stream, picture->text, drawing);
    else
        fwrite(picture->text, 1, picture->length, file.stream);
    return whole_file_close(&file, failure);
}

static void drawing_clear(struct drawing *drawing)
{
    if (drawing->child > 0)
        wait_for(drawing->child, drawing->deadline);
    if (drawing->script)
        fclose(drawing->script);
    if (drawing->output)
        fclose(drawing->output);
    if (drawing->errors)
        fclose(drawing->errors);
    free(drawing->name);
    free(drawing->file);
    free(drawing->title);
    free(drawing->description);
    free(drawing->numbers);
    memset(drawing, 0, sizeof *drawing);
}

int draw_end(struct drawing *drawing, const char *folder, struct failure *failure)
{
    struct buffer picture = {0};
    int result = 0;

    if (folder) {
        if (drawing->format != PICTURE_NUMBERS)
            result = take_picture(drawing, &picture, failure);
        if (result == 0)
            result = write_picture(drawing, &picture, folder, failure);
    }
    buffer_clear(&picture);
    drawing_clear(drawing);
    return result;
}

int draw_keep(const struct page *page, const char *folder, const char *plots, struct failure *failure)
{
    char *const name = xformat("%s.gp", page->name);
    struct whole_file file;
    int result = whole_file_open(&file, folder, name, failure);

    if (result == 0) {
        /* Names of pictures have no characters that mean anything in a string of gnuplot (label_file_name). */
        fprintf(file.stream,
                "# gnuplot %s draws %s.svg, and with -e 'format = \"pdf\"' or \"png\" in that format.\n"
                "if (!exists(\"format\")) { format = \"svg\" }\nset output \"%s.\" . format\n",
                name, page->name, page->name);
        if (script_write(page, plots, file.stream, failure) == 0) {
            result = whole_file_close(&file, failure);
        } else {
            whole_file_abandon(&file);
            result = -1;
        }
    }
    free(name);
    return result;
}

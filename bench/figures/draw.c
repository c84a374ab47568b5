/* draw.c - see draw.h. */
#include "figures/draw.h"

#include "figures/data.h"
#include "figures/svg.h"
#include "support/files.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DATA_DESCRIPTOR = 3 };

const char *const picture_formats[PICTURE_FORMATS + 1] = {"svg", "pdf", "png", "tsv", NULL};

/* ---- gnuplot ---- */

/* Reads everything that a process wrote to a shared file. */
static struct buffer read_all(FILE *file)
{
    struct buffer bytes = {0};
    char part[65536];

    rewind(file);
    for (size_t count; (count = fread(part, 1, sizeof part, file)) > 0;)
        buffer_add_n(&bytes, part, count);
    buffer_add(&bytes, "");
    return bytes;
}

static int wait_for(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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
    static const int as[3] = {DATA_DESCRIPTOR, STDOUT_FILENO, STDERR_FILENO};
    char name[] = "gnuplot", defaults[] = "-d", execute[] = "-e";
    char *const given =
        xformat("data = '/dev/fd/%d'; format = '%s'", DATA_DESCRIPTOR, picture_formats[drawing->format]);
    char *const style = xformat("%s/style.gp", drawing->plots), *const kind =
                                                                    xformat("%s/%s.gp", drawing->plots, drawing->kind);
    char *const command[] = {name, defaults, execute, given, style, kind, NULL};
    const struct process_plan plan = {.command = command, .from = descriptor, .as = as, .ndescriptors = 3};
    const int error = process_start(&plan, child);

    free(given);
    free(style);
    free(kind);
    return error;
}

static int start_gnuplot(struct drawing *drawing, struct failure *failure)
{
    const int descriptor[3] = {fileno(drawing->data), fileno(drawing->output), fileno(drawing->errors)};
    pid_t child;
    const int error = spawn(&child, drawing, descriptor);

    if (error == ENOENT)
        return fail(failure, EXIT_MACHINE, "plot: gnuplot is not installed (Debian: gnuplot-nox)");
    if (error != 0)
        return fail(failure, EXIT_MACHINE, "plot: gnuplot cannot be started: %s", strerror(error));
    drawing->child = child;
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
static int begin_gnuplot(struct drawing *drawing, const struct page *page, struct failure *failure)
{
    drawing->data = open_scratch(failure);
    drawing->output = drawing->data ? open_scratch(failure) : NULL;
    drawing->errors = drawing->output ? open_scratch(failure) : NULL;
    if (!drawing->errors)
        return -1;
    data_write(page, drawing->data);
    if (fflush(drawing->data) != 0 || ferror(drawing->data))
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
    *drawing = (struct drawing){.format = format, .plots = plots, .kind = page->kind};
    drawing->name = xstrdup(page->name);
    drawing->file = xformat("%s.%s", page->name, picture_formats[format]);
    drawing->title = xstrdup(page->caption ? page->caption : page->name);
    drawing->description = xstrdup(origin);
    if (format != PICTURE_NUMBERS)
        return begin_gnuplot(drawing, page, failure);
    FILE *const out = xmemstream(&drawing->numbers, &drawing->nnumbers);
    page_numbers(page, out);
    fclose(out);
    return 0;
}

/* The picture that gnuplot drew, if it is complete. */
static int take_picture(struct drawing *drawing, struct buffer *picture, struct failure *failure)
{
    const int status = wait_for(drawing->child);

    drawing->child = 0;
    if (status != 0)
        return tell_errors(drawing, failure);
    *picture = read_all(drawing->output);
    if (!is_whole(picture, (enum picture_format)drawing->format))
        return fail(failure, EXIT_MACHINE,
                    "plot: %s: gnuplot ended before its picture; is there room for temporary files?", drawing->name);
    return 0;
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
        svg_write(file.stream, picture->text, picture->length, drawing->title, drawing->description);
    else
        fwrite(picture->text, 1, picture->length, file.stream);
    return whole_file_close(&file, failure);
}

static void drawing_clear(struct drawing *drawing)
{
    if (drawing->child > 0)
        wait_for(drawing->child);
    if (drawing->data)
        fclose(drawing->data);
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

/* Appends a script of the folder of scripts to a file. */
static int add_script(FILE *out, const char *plots, const char *name, struct failure *failure)
{
    char *const path = xformat("%s/%s.gp", plots, name), *text = NULL;
    size_t size = 0;
    const int result = input_read_regular(path, INPUT_MAX_MIB, &text, &size, failure);

    if (result == 0)
        fprintf(out, "\n%s", text);
    free(text);
    free(path);
    return result;
}

static int keep_script(const struct page *page, const char *folder, const char *file, const char *plots,
                       struct failure *failure)
{
    struct whole_file script;

    if (whole_file_open(&script, folder, file, failure) != 0)
        return -1;
    /* Names of pictures have no characters that mean anything in a string of gnuplot (label_file_name). */
    fprintf(script.stream,
            "# gnuplot %s, in this folder, draws %s.svg again.\ndata = \"%s.data\"\n"
            "if (!exists(\"format\")) { format = \"svg\" }\nset output \"%s.\" . format\n",
            file, page->name, page->name, page->name);
    if (add_script(script.stream, plots, "style", failure) == 0 &&
        add_script(script.stream, plots, page->kind, failure) == 0)
        return whole_file_close(&script, failure);
    whole_file_abandon(&script);
    return -1;
}

int draw_keep(const struct page *page, const char *folder, const char *plots, struct failure *failure)
{
    char *const script = xformat("%s.gp", page->name), *const data = xformat("%s.data", page->name);
    struct whole_file file;
    int result = whole_file_open(&file, folder, data, failure);

    if (result == 0) {
        data_write(page, file.stream);
        result = whole_file_close(&file, failure);
    }
    if (result == 0)
        result = keep_script(page, folder, script, plots, failure);
    free(script);
    free(data);
    return result;
}

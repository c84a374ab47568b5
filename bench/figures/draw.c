/* draw.c - see draw.h. */
#include "figures/draw.h"

#include "figures/label.h"
#include "support/files.h"
#include "support/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAYOUT_DESCRIPTOR = 3, NOT_FOUND = 127 };

const char *const picture_formats[PICTURE_FORMATS + 1] = {"svg", "pdf", "png", "tsv", NULL};

/* ---- gnuplot ---- */

/* What a process wrote. */
struct bytes {
    char *text;
    size_t length;
};

static bool read_all(int descriptor, struct bytes *bytes)
{
    size_t room = 0;

    for (;;) {
        if (bytes->length + 1 >= room) {
            char *more = realloc(bytes->text, room = 2 * room + 65536);

            if (!more)
                return false;
            bytes->text = more;
        }
        const ssize_t count = read(descriptor, bytes->text + bytes->length, room - bytes->length - 1);

        if (count == 0)
            break;
        if (count > 0)
            bytes->length += (size_t)count;
        else if (errno != EINTR)
            return false;
    }
    bytes->text[bytes->length] = '\0';
    return true;
}

/* In the child: gnuplot with the layout at its descriptor. -d: without the user's settings. */
static void become_gnuplot(const char *script, int layout, int output, int errors)
{
    /* Above all descriptors that are given away here, so that none is overwritten. */
    const int spare = fcntl(layout, F_DUPFD, 10), out = fcntl(output, F_DUPFD, 10), err = fcntl(errors, F_DUPFD, 10);

    if (spare < 0 || out < 0 || err < 0 || dup2(spare, LAYOUT_DESCRIPTOR) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(err, STDERR_FILENO) < 0)
        _exit(NOT_FOUND - 1);
    close(spare);
    close(out);
    close(err);
    execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

static int wait_for(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The last line that is not empty: gnuplot's message, without the place that a caret marks before it. */
static const char *last_line(char *text)
{
    const char *last = "";

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (line[strspn(line, " \t^")])
            last = line;
    return last;
}

static int tell_errors(FILE *errors, const char *picture, struct failure *failure)
{
    struct bytes bytes = {0};

    rewind(errors);
    if (!read_all(fileno(errors), &bytes)) {
        free(bytes.text);
        return fail_memory(failure);
    }
    fail(failure, EXIT_MACHINE, "plot: %s: gnuplot failed: %.300s", picture, last_line(bytes.text));
    free(bytes.text);
    return -1;
}

static int run_gnuplot(const char *script, FILE *layout, FILE *errors, const char *picture, struct bytes *output,
                       struct failure *failure)
{
    int end[2], status;
    bool taken;

    if (pipe(end) != 0)
        return fail(failure, EXIT_MACHINE, "plot: %s", strerror(errno));
    const pid_t child = fork();

    if (child == 0) {
        close(end[0]);
        become_gnuplot(script, fileno(layout), end[1], fileno(errors));
    }
    close(end[1]);
    if (child < 0) {
        close(end[0]);
        return fail(failure, EXIT_MACHINE, "plot: %s", strerror(errno));
    }
    taken = read_all(end[0], output);
    close(end[0]);
    status = wait_for(child);
    if (!taken)
        return fail_memory(failure);
    if (status == NOT_FOUND)
        return fail(failure, EXIT_MACHINE, "plot: gnuplot is not installed (Debian: gnuplot-nox)");
    return status == 0 ? 0 : tell_errors(errors, picture, failure);
}

/* A file without a name, for gnuplot to read or write. */
static FILE *open_scratch(struct failure *failure)
{
    FILE *file = tmpfile();

    if (!file)
        fail(failure, EXIT_MACHINE, "plot: a temporary file cannot be made: %s", strerror(errno));
    return file;
}

static int render(const struct page *page, enum picture_format format, const char *script, struct bytes *picture,
                  struct failure *failure)
{
    FILE *layout = open_scratch(failure), *errors = layout ? open_scratch(failure) : NULL;
    int result = -1;

    if (errors) {
        if (!layout_write(page, format, layout))
            fail_memory(failure);
        else if (fflush(layout) != 0 || ferror(layout))
            fail(failure, EXIT_MACHINE, "plot: a temporary file cannot be written: %s", strerror(errno));
        else
            result = run_gnuplot(script, layout, errors, page->name, picture, failure);
        fclose(errors);
    }
    if (layout)
        fclose(layout);
    return result;
}

/* ---- the picture ---- */

/* Whether gnuplot came to the end of its picture. */
static bool is_whole(const struct bytes *picture, enum picture_format format)
{
    static const char *const ends[] = {"</svg>", "%%EOF", "IEND"};
    const size_t length = strlen(ends[format]);

    for (size_t i = 0; i < 16 && i + length <= picture->length; i++)
        if (memcmp(picture->text + picture->length - length - i, ends[format], length) == 0)
            return true;
    return false;
}

static void escape(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: putc(text[i], out);
        }
}

/* The length of the tag that text[0..length-1] begins with, which is `<`. */
static size_t tag_length(const char *text, size_t length)
{
    char quote = '\0';

    for (size_t i = 0; i < length; i++) {
        if (quote ? text[i] == quote : text[i] == '"' || text[i] == '\'')
            quote = quote ? '\0' : text[i];
        else if (!quote && text[i] == '>')
            return i + 1;
    }
    return length;
}

static bool begins(const char *text, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

void finish_svg(FILE *out, const char *svg, size_t length, const char *title, const char *description)
{
    const char *replaced = NULL, *end = svg + length;

    for (const char *at = svg; at < end;) {
        const size_t rest = (size_t)(end - at), tag = *at == '<' ? tag_length(at, rest) : 0;

        if (tag == 0) {
            if (!replaced)
                *at == '>' ? fputs("&gt;", out) : putc(*at, out);
            at++;
            continue;
        }
        fwrite(at, 1, tag, out);
        /* The first title and description, of the whole picture. */
        if (replaced && at[1] == '/')
            replaced = NULL;
        else if (title && begins(at, rest, "<title>"))
            escape(out, replaced = title, strlen(title)), title = NULL;
        else if (description && begins(at, rest, "<desc>"))
            escape(out, replaced = description, strlen(description)), description = NULL;
        at += tag;
    }
}

int draw_page(const struct page *page, int format, const char *script, const char *folder, const char *origin,
              struct failure *failure)
{
    struct bytes picture = {0};
    char *name = text_format("%s.%s", page->name, picture_formats[format]);
    struct whole_file file;
    int result = !name                       ? fail_memory(failure)
                 : format != PICTURE_NUMBERS ? render(page, (enum picture_format)format, script, &picture, failure)
                                             : 0;

    if (result == 0 && format != PICTURE_NUMBERS && !is_whole(&picture, (enum picture_format)format))
        result = fail(failure, EXIT_MACHINE, "plot: %s: gnuplot ended before its picture", page->name);
    if (result == 0)
        result = whole_file_open(&file, folder, name, failure);
    if (result == 0) {
        if (format == PICTURE_NUMBERS)
            page_numbers(page, file.stream);
        else if (format == PICTURE_SVG)
            finish_svg(file.stream, picture.text, picture.length, page->caption ? page->caption : page->name, origin);
        else
            fwrite(picture.text, 1, picture.length, file.stream);
        result = whole_file_close(&file, failure);
    }
    free(picture.text);
    free(name);
    return result;
}

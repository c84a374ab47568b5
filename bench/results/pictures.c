/* pictures.c - see pictures.h. */
#include "results/pictures.h"

#include "ldp.h"
#include "results/html.h"
#include "support/files.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/threads.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".svg";

static int is_svg(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && text_ends_with(entry->d_name, ending);
}

/* A picture's text, NULL where it cannot be read; malloc'd. */
static char *svg_text(const char *path)
{
    struct failure ignored = NO_REASON;
    char *text = NULL;
    size_t size;

    return input_read_regular(path, INPUT_MAX_MIB, &text, &size, &ignored) == 0 ? text : NULL;
}

/* Whether the table that a picture says it was drawn from, "Drawn by ldpbench VERSION from TABLE, FINGERPRINT.", is
 * still that of the last run. */
static bool table_unchanged(const struct provenance *made, const char *folder, const char *name)
{
    char *const path = xformat("%s/%s", folder, name), *const svg = svg_text(path);
    const char *const origin = svg ? strstr(svg, "Drawn by ldpbench ") : NULL;
    char table[256], stated[SHA256_TEXT];
    const bool unchanged = origin &&
                           sscanf(origin, "Drawn by ldpbench %*s from %255[^,], %64[0-9a-f]", table, stated) == 2 &&
                           strcmp(provenance_fingerprint(made, table), stated) == 0;

    free(svg);
    free(path);
    return unchanged;
}

/* Whether plot drew it from the present tables and it has not been changed since. */
static bool is_ours(const struct provenance *made, const char *folder, const char *name)
{
    return provenance_made(made, name) && table_unchanged(made, folder, name);
}

/* The kinds of pictures in words, by the ends of their names. */
static const struct {
    const char *ending, *words;
} picture_kinds[] = {{"-oracle-map", ": which oracle is best"},
                     {"-map", ": which is best"},
                     {"-tradeoff", ": against their price"},
                     {"-price", ": against its price"}};
enum { KINDS = sizeof picture_kinds / sizeof *picture_kinds };

/* Cuts the end that says the kind off a name without its format; the number of the kind, KINDS of one that says none.
 */
static size_t cut_kind(char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (text_ends_with(name, picture_kinds[i].ending)) {
            name[strlen(name) - strlen(picture_kinds[i].ending)] = '\0';
            return i;
        }
    return KINDS;
}

/* The title of a picture, by its name, QUERY-POINT-KIND or QUERY-PAGE: "the most frequent values, k = 8: which is
 * best". Malloc'd. */
static char *picture_title(const char *name, const struct styles *styles, const char **ends)
{
    char *const plain = xstrndup(name, strlen(name) - strlen(ending));
    const size_t kind = cut_kind(plain);

    *ends = kind < KINDS ? picture_kinds[kind].ending : "";
    if (!styles) {
        free(plain);
        return xstrndup(name, strlen(name) - strlen(ending));
    }
    char *const rest = strchr(plain, '-');
    if (rest)
        *rest = '\0';
    char *const query = style_query(styles, plain);
    char *const point = !rest          ? xstrdup("")
                        : kind < KINDS ? style_value(styles, (struct style_key){plain, PART_POINT}, rest + 1, plain)
                                       : xformat("page %s", rest + 1);
    char *const title =
        xformat("%s%s%s%s", query, *point ? ", " : "", point, kind < KINDS ? picture_kinds[kind].words : "");

    free(query);
    free(point);
    free(plain);
    return title;
}

static char *percent_encoded(const char *path)
{
    struct buffer text = {0};

    for (const char *c = path; *c; c++)
        buffer_format(&text, isalnum((unsigned char)*c) || strchr("/._-", *c) ? "%c" : "%%%02X", (unsigned char)*c);
    return buffer_take(&text);
}

static int read_picture(struct picture *picture, const char *path, const char *folder, const char *name,
                        const struct styles *styles, struct failure *failure)
{
    char *const file = xformat("%s/%s", folder, name), *const absolute = real_path(file);
    char *const svg = absolute ? svg_text(file) : NULL;

    if (svg) {
        char *const relative = relative_path(absolute, path);

        picture->figure = (struct figure){.reference = percent_encoded(relative), .svg = svg};
        picture->caption = picture_title(name, styles, &picture->figure.kind);
        free(relative);
    } else {
        fail(failure, EXIT_BAD_INPUT, "%s: expected a picture that can be read, got none", SHOWN_PATH(file));
    }
    free(absolute);
    free(file);
    return svg ? 0 : -1;
}

int pictures_read(struct pictures *pictures, const char *path, const char *folder, const struct provenance *made,
                  const struct styles *styles, struct failure *failure)
{
    struct dirent **entry = NULL;
    const int count = scan_folder(folder, &entry, is_svg, alphasort);
    int result = 0;

    for (int i = 0; i < count; i++) {
        const char *const name = entry[i]->d_name;

        if (result == 0) {
            struct picture *const picture = ARRAY_ADD(pictures->picture, pictures->count, pictures->room);

            *picture = (struct picture){.folder = folder};
            if (is_ours(made, folder, name))
                result = read_picture(picture, path, folder, name, styles, failure);
            else
                picture->caption = xstrdup(name);
        }
        free(entry[i]);
    }
    free(entry);
    return result;
}

/* More bytes of pictures than these are compressed: the page is then below 2 MB. */
enum { PLAIN_BYTES_MAX = 1250000 };

bool pictures_pack(struct pictures *pictures)
{
    size_t bytes = 0;

    for (size_t i = 0; i < pictures->count; i++)
        bytes += pictures->picture[i].figure.svg ? strlen(pictures->picture[i].figure.svg) : 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_possible())
    for (size_t i = 0; i < pictures->count; i++)
        if (bytes > PLAIN_BYTES_MAX && pictures->picture[i].figure.svg)
            pictures->picture[i].figure.packed =
                html_pack(pictures->picture[i].figure.svg, &pictures->picture[i].figure.size);
    return bytes > PLAIN_BYTES_MAX;
}

/* The first of each kind is printed on paper. */
static void write_picture(const struct pictures *pictures, size_t index, struct document *doc)
{
    struct figure figure = pictures->picture[index].figure;

    figure.on_paper = true;
    for (size_t i = 0; i < index; i++)
        figure.on_paper &= !pictures->picture[i].figure.svg || pictures->picture[i].figure.kind != figure.kind;
    doc_figure(doc, &figure, pictures->picture[index].caption);
}

void pictures_first(struct pictures *pictures, struct document *doc)
{
    for (size_t i = 0; i < pictures->count; i++) {
        struct picture *const picture = &pictures->picture[i];

        if (!picture->figure.svg || strstr(picture->caption, "regret"))
            continue;
        picture->first = true;
        write_picture(pictures, i, doc);
        return;
    }
}

void pictures_write(const struct pictures *pictures, const char *folder, struct document *doc)
{
    for (size_t i = 0, shown = 0; i < pictures->count; i++) {
        const struct picture *const picture = &pictures->picture[i];

        if (strcmp(picture->folder, folder) != 0 || picture->first)
            continue;
        if (!picture->figure.svg) {
            doc_paragraph(doc, "Left out: %s, which plot did not draw from these tables.", picture->caption);
            continue;
        }
        if (shown++ == 0)
            doc_heading(doc, 3, "Pictures");
        doc_heading(doc, 5, "%s", picture->caption);
        write_picture(pictures, i, doc);
    }
}

bool pictures_present(const char *folder)
{
    struct provenance *made = NULL;
    struct failure failure = NO_REASON;
    size_t count = 0;
    bool present = provenance_load(folder, &made, &failure) == 0;

    for (size_t i = 0; present && i < provenance_files(made); i++) {
        const struct made_file file = provenance_file(made, i);

        if (file.kind == MADE_PICTURE && text_ends_with(file.name, ending)) {
            present = is_ours(made, folder, file.name);
            count++;
        }
    }
    provenance_free(made);
    return present && count > 0;
}

void pictures_clear(struct pictures *pictures)
{
    for (size_t i = 0; i < pictures->count; i++) {
        free(pictures->picture[i].figure.reference);
        free(pictures->picture[i].figure.svg);
        free(pictures->picture[i].figure.packed);
        free(pictures->picture[i].caption);
    }
    free(pictures->picture);
    memset(pictures, 0, sizeof *pictures);
}

/* figures.h - pictures of the tables of a result folder.
 *
 * Each kind of picture has its own file: it decides which tables it suits, lays their rows out on pages (page.h) and
 * passes these to figures_emit. A kind uses columns by their roles; none depends on a table, a query or an algorithm.
 */
#ifndef LDPBENCH_FIGURES_H
#define LDPBENCH_FIGURES_H

#include "figures/draw.h"
#include "results/results.h"
#include "results/style.h"
#include "support/failure.h"
#include "support/index_map.h"

/* ---- arrange.c: which column of a table is the x axis, the curves, the panels ---- */

/* Key columns of the table that the user chose; NULL: chosen from the swept keys. */
struct figure_wishes {
    const char *x, *curves;
    bool all_pages, quiet; /* quiet: no names of files */
    double width;          /* of pictures, inches; 0: by the number of panels */
    double type;           /* size in points; 0: the usual one */
};

/* The rows of one picture and the roles of their columns. Keys are numbers of columns, SIZE_MAX: none. */
struct arrangement {
    const struct figure_rows *rows;
    const char *query; /* "": the table has none */
    uint32_t *row;     /* [nrows] */
    size_t nrows;
    size_t x; /* none: curves are drawn side by side, labelled by their names */
    size_t y; /* of a map; otherwise none */
    size_t curve;
    size_t *panel; /* [npanel] keys that differ between panels */
    size_t npanel;
    size_t *common; /* [ncommon] keys with the same value in all rows */
    size_t ncommon;
    /* [nrows] */
    uint32_t *curve_of, *panel_of;
    size_t ncurves, npanels;
    uint32_t *first_of_curve, *first_of_panel; /* the number of a row of each */
};

/* Arranges rows. 0, or -1 with the failure set; to be cleared in any case. */
int arrange(const struct figure_rows *rows, const char *query, const uint32_t *row, size_t nrows,
            const struct figure_wishes *wishes, struct arrangement *out, struct failure *failure);
/* The same with given axes and compared key; neither x nor y is among the keys of panels. */
struct arrangement arrange_map(const struct figure_rows *rows, const char *query, const uint32_t *row, size_t nrows,
                               size_t x, size_t y, size_t subject);

/* The columns of a grid of panels that differ in several keys: the values of the last one, if these are few; else 0. */
size_t arrangement_grid(const struct arrangement *arrangement);
void arrangement_clear(struct arrangement *arrangement);

/* The number of values that a key takes among rows that agree in all keys with text values: how far it was swept. */
size_t swept_values(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t x);

/* The identity of a row's key when x is an axis: its value, or, for a label with the parameter x, the rest of it. */
uint32_t key_identity(const struct figure_rows *rows, size_t row, size_t key, size_t x);

/* Text of a row's key, without those parameters of a label that are axes. */
const char *arrangement_text(const struct arrangement *arrangement, size_t row, size_t key);

/* x of a row, given by its index in the arrangement; NAN: it has none and is drawn as a horizontal line. */
double arrangement_x(const struct arrangement *arrangement, size_t at);

/* ---- pictures ---- */

/* Processes of gnuplot at once: more than processors, since each is short. */
enum { DRAWINGS_MAX = 8 };

/* The pictures of one folder and their options. */
struct figures {
    const char *folder;
    struct results *results;
    struct cJSON *config; /* of the run that wrote the folder; NULL: not known */
    const char *plots;    /* the folder of scripts */
    const struct styles *styles;
    struct figure_wishes wishes;
    struct failure unmet; /* why nothing was drawn */
    bool format[PICTURE_FORMATS];
    bool captions, keep;
    struct interned names;                /* of pictures, so that they are distinct */
    struct interned files;                /* that were drawn */
    FILE *left_out;                       /* sentences about tables and queries that were not drawn */
    char *origin;                         /* of the table being drawn */
    struct drawing drawing[DRAWINGS_MAX]; /* that gnuplot draws while more are laid out, in their order */
    size_t ndrawings;
    bool stopped;        /* no picture can be drawn any more */
    bool failed;         /* some picture or table could not be drawn; */
    struct failure last; /* so, and it is not said yet */
};

/* A kind of picture. */
struct figure_kind {
    bool and_others; /* a table that it suits is also drawn by later kinds */
    bool (*suits)(const struct figure_rows *rows);
    int (*draw)(struct figures *figures, const struct figure_rows *rows, struct failure *failure);
};

extern const struct figure_kind figure_map, figure_curves, figure_values, figure_distribution, figure_noise,
    figure_price;

/* Draws all tables of a folder; names of pictures go to standard output. Each is tried: what fails is said in a line of
 * standard error but for the last failure, which is returned. share: the folder that holds plots/. keep:
 * leaves scripts and data next to the pictures. */
int figures_draw(const char *folder, const char *share, const struct figure_wishes *wishes,
                 const bool format[PICTURE_FORMATS], bool captions, bool keep, struct failure *failure);

/* Sets the columns of a page, as many of these as have room, and its size, as wished. */
void figures_columns(const struct figures *figures, struct page *page, size_t columns);

/* Draws a picture for each query of a table and value of the query's parameter, "" where it has none. row[nrows]: its
 * rows. */
typedef int figure_point(struct figures *figures, const struct figure_rows *rows, const char *query, const char *point,
                         const uint32_t *row, size_t nrows, struct failure *failure);
int figures_each_point(struct figures *figures, const struct figure_rows *rows, figure_point *draw,
                       struct failure *failure);

/* The label of a curve in the tables; names and styles of all of them on a picture. The names are malloc'd. */
const char *figures_curve_label(const struct arrangement *a, size_t curve);
void figures_name_curves(const struct figures *figures, const char *picture, const struct arrangement *a, char **name,
                         struct style *style);

/* Places panels that are seen together on a page. */
void figures_grid(const struct figures *figures, struct page *page, size_t npanels);

/* A page whose picture has a unique name, made from a malloc'd label, which is freed. */
struct page figures_page(struct figures *figures, const char *kind, char *label);

/* Draws a page with panels in every requested format; the last ones may be unfinished until the end. Clears it. -1: no
 * further picture can be drawn. */
int figures_emit(struct figures *figures, struct page *page, struct failure *failure);

/* A unique name for a picture, made from a label; malloc'd. */
char *figures_name(struct figures *figures, const char *label);

/* The name of the picture of a query of a table. */
char *figures_query_name(struct figures *figures, const struct figure_rows *rows, const char *query);

/* Keys of a row in words, with ", " between them, with the names that the config has for the picture; malloc'd. */
char *figures_words(const struct figures *figures, const char *picture, const struct arrangement *arrangement,
                    size_t row, const size_t *key, size_t nkeys);

/* The keys with one value in all rows of an arrangement, and the only curve, in words; malloc'd. */
char *figures_common(const struct figures *figures, const char *picture, const struct arrangement *arrangement);

/* Sets a panel's title to the keys that differ between panels. */
void figures_panel_title(const struct figures *figures, const char *picture, struct panel *panel,
                         const struct arrangement *arrangement, size_t number);

/* The name that the config gives to a label or a key in a picture; NULL: none. */
const char *figures_own_name(const struct figures *figures, const char *picture, const char *label);

/* Whether the config wants a picture's squared errors in counts. */
bool figures_in_counts(const struct figures *figures, const char *picture);

/* Sets the title of an axis, with the unit that its labels are in. */
void figures_axis_title(char **where, const char *title, double unit);

/* Whether the config leaves a curve or measure out of a picture. */
bool figures_leaves_out(const struct figures *figures, const char *picture, const char *label);

/* Sets a page's caption: a sentence, values common to the whole picture (NULL: none), both malloc'd and taken over,
 * repetitions, notes (NULL: none). */
void figures_caption(const struct figures *figures, struct page *page, char *sentence, char *common, double repetitions,
                     const char *notes);

#endif

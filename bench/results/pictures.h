/* pictures.h - the pictures of a result folder that a page may show: what plot drew from the present tables. */
#ifndef LDPBENCH_PICTURES_H
#define LDPBENCH_PICTURES_H

#include "results/style.h"
#include "run/provenance.h"
#include "support/document.h"
#include "support/failure.h"

#include <stdbool.h>

struct picture {
    struct figure figure; /* svg NULL: left out */
    char *caption;        /* of one that is left out: its file's name */
    const char *folder;
    bool first; /* written by pictures_first */
};

struct pictures {
    struct picture *picture;
    size_t count, room;
};

/* Reads a folder's pictures. They are known by run.json's fingerprints of their bytes; any other SVG file is left out.
 * styles: NULL, or how the queries that pictures are named after are printed. References are relative to the page's
 * file, `path`. 0, or -1 with the failure set; the caller clears in any case. */
int pictures_read(struct pictures *pictures, const char *path, const char *folder, const struct provenance *made,
                  const struct styles *styles, struct failure *failure);

/* Compresses pictures of more than 1.25 MB in all, which the script of an HTML page unpacks. Returns whether it did. */
bool pictures_pack(struct pictures *pictures);

/* Writes the first picture of errors, beside the answer. */
void pictures_first(struct pictures *pictures, struct document *doc);

/* Writes the others of a folder, with a line for each that is left out. */
void pictures_write(const struct pictures *pictures, const char *folder, struct document *doc);

/* Whether a folder has pictures that plot drew from the present tables, and all of them as they were drawn. */
bool pictures_present(const char *folder);
void pictures_clear(struct pictures *pictures);

#endif

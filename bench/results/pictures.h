/* pictures.h - the pictures of a result folder that a page may show: what plot drew from the present tables. */
#ifndef LDPBENCH_PICTURES_H
#define LDPBENCH_PICTURES_H

#include "results/html.h"
#include "results/style.h"
#include "run/provenance.h"
#include "support/failure.h"

#include <stdbool.h>
#include <stdio.h>

struct pictures {
    struct picture *picture;
    size_t count, room;
};

/* Writes references to the folder's pictures into a page's Markdown, and keeps their SVG for the page. They are known
 * by run.json's fingerprints of their bytes; any other SVG file is left out, with one line that says so. style: NULL,
 * or how the queries that pictures are named after are printed. References are relative to the page's file, `path`. 0,
 * or -1 with the failure set; the caller clears in any case. */
int pictures_write(struct pictures *pictures, FILE *page, const char *path, const char *folder,
                   const struct provenance *made, const struct style *style, struct failure *failure);
/* Whether a folder has pictures that plot drew from the present tables, and all of them as they were drawn. */
bool pictures_present(const char *folder);
void pictures_clear(struct pictures *pictures);

#endif

/* report.h - what the parts of ldpbench report share. */
#ifndef LDPBENCH_REPORT_H
#define LDPBENCH_REPORT_H

#include "results/pictures.h"
#include "results/results.h"
#include "results/style.h"
#include "run/provenance.h"
#include "support/failure.h"
#include "support/sheet.h"

#include <stdio.h>

struct report_request {
    const char *output;
    enum format format; /* HTML, MARKDOWN, or TEXT, JSON: the first sentences alone */
    bool no_plots;
    double level;
};

/* A folder of results. */
struct folder {
    const char *path;
    struct provenance *made;
    struct results *results;
};

struct report {
    struct sheet sheet; /* and the page around its tables, sheet.doc */
    const char *path;   /* the page's file; "" where it is a pipe or device */
    const struct report_request *request;
    struct folder *folder;
    size_t nfolders;
    struct styles style_read;
    const struct styles *styles; /* how names are printed; NULL: as they are written */
    struct pictures pictures;
};

/* The experiment's name; the folder's where run.json has none. */
const char *report_name(const struct folder *folder);

/* Writes the tables of regret and ranks of all folders. */
int report_ranking(struct report *report, struct failure *failure);

/* Opens result folders, and how their names are printed. The caller closes in any case. */
int report_open(struct report *report, char *const *path, size_t count, struct failure *failure);
void report_close(struct report *report);

/* Writes decisions: their rows; of LaTeX and CSV the errors of all candidates; of JSON all that is known. */
struct decisions;
void decisions_put(struct sheet *sheet, const struct decisions *decisions);

/* Writes what the results say, in a few sentences; of several folders each with its name. */
int report_answers(struct report *report, struct failure *failure);

/* The same of one folder, as text. */
int report_answer(const char *folder, FILE *out, struct failure *failure);

#endif

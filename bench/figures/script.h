/* script.h - a page as one gnuplot script: plots/style.gp and plots/KIND.gp, then the panels with their numbers. */
#ifndef LDPBENCH_FIGURES_SCRIPT_H
#define LDPBENCH_FIGURES_SCRIPT_H

#include "figures/page.h"
#include "support/failure.h"

#include <stdio.h>

/* plots: the folder of scripts. The script draws to standard output in the format of its variable `format`. */
int script_write(const struct page *page, const char *plots, FILE *out, struct failure *failure);

#endif

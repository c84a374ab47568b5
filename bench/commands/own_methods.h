/* own_methods.h - methods of the user's own beside the program's: a FILE as the value of --method, or of score. */
#ifndef LDPBENCH_OWN_METHODS_H
#define LDPBENCH_OWN_METHODS_H

#include "support/failure.h"

#include <stdbool.h>

/* Whether the value of --method is a file's name and no method's: it has a dot or a slash. */
bool own_method_is_file(const char *text);

/* The method of a file as a config has it, JSON text, labelled by the file's name without folders; malloc'd. FILE.py is
 * a script of Python, any other FILE a program (docs/compare.md). NULL, with the failure "EXPECTED, got FILE", for what
 * cannot be read or run. */
char *own_method_config(const char *expected, const char *file, struct failure *failure);

#endif

/* names.h - lists of names, and suggestions for misspelt ones. */
#ifndef LDPBENCH_NAMES_H
#define LDPBENCH_NAMES_H

enum { NAMES_MAX = 64 /* longest list of names, its NULL included */ };

/* The name of a NULL-terminated list that a text means: the name whose alias it is (core/api/aliases.def), or the one
 * nearest to it if it is near enough to be a typing error; otherwise NULL. The first of several equally near ones.
 * Capitals and small letters are the same. */
const char *name_nearest(const char *text, const char *const *names);

#endif

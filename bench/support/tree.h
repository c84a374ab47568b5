/* tree.h - JSON objects: several members at once, and printing. */
#ifndef LDPBENCH_SUPPORT_TREE_H
#define LDPBENCH_SUPPORT_TREE_H

#include <stdio.h>

struct cJSON;

/* Adds members in their order: json_add(object, "name=%s d=%zu epsilon=%g private=%d", ...). %s is a text, or null if
 * it is NULL; %d is true or false; %zu, %lu, %llu and %g are numbers, undefined ones null. A name may be %s, too. */
void json_add(struct cJSON *object, const char *members, ...) __attribute__((format(printf, 2, 3)));

/* Adds an object with such members at the end of a list, and returns it. */
struct cJSON *json_append(struct cJSON *list);

/* Prints a tree and frees it. */
void json_print(struct cJSON *root, FILE *out);

#endif

/* json_distinct.c - whether each key of an object is there once; for files whose keys are checked elsewhere. */
#include "config/json.h"

#include "support/memory.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    const cJSON *const *const first = a, *const *const second = b;

    return strcmp((*first)->string, (*second)->string);
}

/* The second member of an object with a key that another one has; NULL: all keys differ. sorted: room for all members.
 */
static const cJSON *member_twice(const cJSON *object, const cJSON **sorted)
{
    const cJSON *child;
    size_t count = 0;

    cJSON_ArrayForEach(child, object) sorted[count++] = child;
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, by_key);
    for (size_t i = 1; i < count; i++) {
        if (by_key(&sorted[i - 1], &sorted[i]) != 0)
            continue;
        child = cJSON_GetObjectItemCaseSensitive(object, sorted[i]->string);
        do
            child = child->next;
        while (strcmp(child->string, sorted[i]->string) != 0);
        return child;
    }
    return NULL;
}

int json_distinct(const struct json_at *at, struct failure *failure)
{
    if (json_is_object(at)) {
        const cJSON **const sorted = xcalloc((size_t)cJSON_GetArraySize(at->node), sizeof *sorted);
        const struct json_at twice = {.file = at->file, .node = member_twice(at->node, sorted)};
        free(sorted);
        if (twice.node)
            return json_fail(&twice, failure, "expected each key once, got \"%s\" twice", SHOWN(twice.node->string));
    }
    struct json_at child = {.file = at->file};
    cJSON_ArrayForEach(child.node, at->node) if (json_distinct(&child, failure) != 0) return -1;
    return 0;
}

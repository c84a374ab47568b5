/* fimi.c - transactions of the Frequent Itemset Mining Implementations repository (fimi.uantwerpen.be): item
 * numbers separated by blanks, a line for each transaction, plain or gzip.
 *
 * Each occurrence of an item is one user (Jia and Gong, INFOCOM 2019). The values are the distinct
 * items in increasing order. O(size of the file + d log d) time, O(d) memory for any item numbers. */
#include "dataset.h"
#include "labels.h"
#include "lines.h"
#include "support/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    uint64_t count; /* 0: the slot is empty */
    uint32_t id;
};

/* Open addressing, at most half full. */
struct items {
    struct item *slot;
    unsigned bits; /* slots are 2^bits */
    size_t used;
};

static struct item *find(const struct items *items, uint32_t id)
{
    const size_t mask = ((size_t)1 << items->bits) - 1;
    size_t i = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> (64 - items->bits)); /* Fibonacci hashing */

    while (items->slot[i].count > 0 && items->slot[i].id != id)
        i = (i + 1) & mask;
    return &items->slot[i];
}

static int grow(struct items *items)
{
    struct items larger = {.bits = items->slot ? items->bits + 1 : 12, .used = items->used};

    larger.slot = calloc((size_t)1 << larger.bits, sizeof *larger.slot);
    if (!larger.slot)
        return -1;
    for (size_t i = 0; items->slot && i < (size_t)1 << items->bits; i++)
        if (items->slot[i].count > 0)
            *find(&larger, items->slot[i].id) = items->slot[i];
    free(items->slot);
    *items = larger;
    return 0;
}

static int count_item(struct items *items, uint32_t id)
{
    struct item *item = find(items, id);

    if (item->count == 0) {
        if (2 * (items->used + 1) > (size_t)1 << items->bits) {
            if (grow(items) != 0)
                return -1;
            item = find(items, id);
        }
        item->id = id;
        items->used++;
    }
    item->count++;
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int read_line(struct items *items, const struct lines *lines, struct failure *failure)
{
    const char *at = lines->line, *const end = lines->line + lines->length;

    for (;;) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            return 0;
        const char *const start = at;
        while (at < end && !is_blank(*at))
            at++;
        uint64_t id;
        if (!lines_number(start, (size_t)(at - start), UINT32_MAX, &id))
            return lines_fail(lines, failure, "an item number from 0 to 2^32 - 1", start, (size_t)(at - start));
        if (count_item(items, (uint32_t)id) != 0)
            return fail_memory(failure);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct item *const x = a, *const y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Overwrites items: its slots then hold the sorted items. */
static int to_table(struct items *items, struct dataset_table *out)
{
    size_t used = 0;

    for (size_t i = 0; i < (size_t)1 << items->bits; i++)
        if (items->slot[i].count > 0)
            items->slot[used++] = items->slot[i];
    assert(used > 0);
    qsort(items->slot, used, sizeof *items->slot, by_id);
    uint64_t *const table = malloc(used * sizeof *table);
    char **const names = calloc(used, sizeof *names);
    if (!table || !names)
        goto out;
    for (size_t v = 0; v < used; v++) {
        char text[16];

        snprintf(text, sizeof text, "%" PRIu32, items->slot[v].id);
        names[v] = strdup(text);
        if (!names[v])
            goto out;
        table[v] = items->slot[v].count;
    }
    *out = (struct dataset_table){.d = used, .counts = table, .labels = names};
    return 0;
out:
    free(table);
    labels_free(names, used);
    return -1;
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct items items = {0};
    int result = -1;

    (void)request;
    if (grow(&items) != 0)
        return fail_memory(failure);
    int more;
    while ((more = lines_next(lines, failure)) > 0)
        if (read_line(&items, lines, failure) != 0)
            goto out;
    if (more < 0)
        goto out;
    if (items.used < 2)
        fail(failure, EXIT_BAD_INPUT, "%s: expected at least 2 different items, got %zu", SHOWN_PATH(lines->file),
             items.used);
    else
        result = to_table(&items, out) == 0 ? 0 : fail_memory(failure);
out:
    free(items.slot);
    return result;
}

static const char *const endings[] = {".dat", NULL};

const struct dataset_type dataset_type_fimi = {
    .name = "fimi",
    .title = "transactions of items, each occurrence a user",
    .source = "fimi.uantwerpen.be",
    .from_file = true,
    .endings = endings,
    .line_max = SIZE_MAX,
    .parse = parse,
};

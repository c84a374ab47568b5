/* fimi.c - transactions of the Frequent Itemset Mining Implementations repository (fimi.uantwerpen.be): item
 * numbers separated by blanks, a line for each transaction, plain or gzip.
 *
 * Each occurrence of an item is one user (Jia and Gong, INFOCOM 2019). The values are the distinct
 * items in increasing order. O(size of the file + d log d) time, O(d) memory for any item numbers. */
#include "dataset.h"
#include "lines.h"
#include "support/memory.h"
#include "support/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

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

static void grow(struct items *items)
{
    struct items larger = {.bits = items->slot ? items->bits + 1 : 12, .used = items->used};

    larger.slot = xcalloc((size_t)1 << larger.bits, sizeof *larger.slot);
    for (size_t i = 0; items->slot && i < (size_t)1 << items->bits; i++)
        if (items->slot[i].count > 0)
            *find(&larger, items->slot[i].id) = items->slot[i];
    free(items->slot);
    *items = larger;
}

static void count_item(struct items *items, uint32_t id)
{
    struct item *item = find(items, id);

    if (item->count == 0) {
        if (2 * (items->used + 1) > (size_t)1 << items->bits) {
            grow(items);
            item = find(items, id);
        }
        item->id = id;
        items->used++;
    }
    item->count++;
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
        count_item(items, (uint32_t)id);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct item *const x = a, *const y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Overwrites items: its slots then hold the sorted items. */
static void to_table(struct items *items, struct dataset_table *out)
{
    size_t used = 0;

    for (size_t i = 0; i < (size_t)1 << items->bits; i++)
        if (items->slot[i].count > 0)
            items->slot[used++] = items->slot[i];
    assert(used > 0);
    qsort(items->slot, used, sizeof *items->slot, by_id);
    out->d = used;
    out->counts = xmalloc(used, sizeof *out->counts);
    out->labels = xmalloc(used, sizeof *out->labels);
    for (size_t v = 0; v < used; v++) {
        out->labels[v] = xformat("%" PRIu32, items->slot[v].id);
        out->counts[v] = items->slot[v].count;
    }
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct items items = {0};
    int result = 0, more = 0;

    grow(&items);
    while (result == 0 && (more = lines_next(lines, failure)) > 0)
        result = read_line(&items, lines, failure);
    if (result == 0)
        result = more;
    if (result == 0 && items.used < 2)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected at least 2 different items, got %zu",
                      SHOWN_PATH(lines->file), items.used);
    if (result == 0)
        to_table(&items, out);
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

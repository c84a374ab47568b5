/* fimi.c - transactions of the Frequent Itemset Mining Implementations repository (fimi.uantwerpen.be): item
 * numbers separated by blanks, a line for each transaction, plain or gzip.
 *
 * Each occurrence of an item is one user (Jia and Gong, INFOCOM 2019). The values are the distinct
 * items in increasing order. O(size of the file + d log d) time, O(d) memory for any item numbers.
 *
 * With `sample` l each transaction is one user, who pads it to l items, draws one of these, or of all if there are
 * more, and holds it; the last value, (none), is that of the padding. A value is held with probability 1/max(l, items)
 * by those who have it, so that l times its frequency is too low by what longer transactions lose. Source: Wang, Li,
 * Jha, IEEE S&P 2018 (padding and sampling; SVIM takes the 90th percentile of the sizes for l). Deviation: counts are
 * the expected ones, rounded; the choice of users adds at most f (l - f)/n to a variance of l^2 s1/n.
 *
 * The l of least error is below that percentile unless epsilon is large. On Retail (21; oue, base) the 32 largest have
 * 4.8 times the error of l = 8 at epsilon = 1, 2.4 times that of 10 at 2, 1.2 times that of 15 at 4; all values, most
 * of them rare, have the least error at l = 1, 1 and 3, where the frequent ones are lost. */
#include "dataset.h"
#include "lines.h"
#include "support/memory.h"
#include "support/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct item {
    uint64_t count; /* 0: the slot is empty */
    double held;    /* expected users who hold it, of a sample */
    uint32_t id;
};

/* Open addressing, at most half full. */
struct items {
    struct item *slot;
    unsigned bits; /* slots are 2^bits */
    size_t used;
    double sample;          /* 0: none */
    uint32_t *line;         /* the items of a transaction */
    uint64_t *sizes;        /* transactions of so many items */
    size_t room, size_room; /* of these two */
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
    struct items larger = *items;

    larger.bits = items->slot ? items->bits + 1 : 12;
    larger.slot = xcalloc((size_t)1 << larger.bits, sizeof *larger.slot);
    for (size_t i = 0; items->slot && i < (size_t)1 << items->bits; i++)
        if (items->slot[i].count > 0)
            *find(&larger, items->slot[i].id) = items->slot[i];
    free(items->slot);
    *items = larger;
}

static void count_item(struct items *items, uint32_t id, double held)
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
    item->held += held;
}

/* A transaction of so many items, in items->line. */
static void count_line(struct items *items, size_t size)
{
    if (size >= items->size_room) {
        items->sizes = xrealloc(items->sizes, 2 * size + 64, sizeof *items->sizes);
        memset(items->sizes + items->size_room, 0, (2 * size + 64 - items->size_room) * sizeof *items->sizes);
        items->size_room = 2 * size + 64;
    }
    items->sizes[size]++;
    for (size_t i = 0; i < size; i++)
        count_item(items, items->line[i], 1 / fmax((double)size, items->sample));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int read_line(struct items *items, const struct lines *lines, struct failure *failure)
{
    const char *at = lines->line, *const end = lines->line + lines->length;

    for (size_t size = 0;; size++) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end) {
            count_line(items, size);
            return 0;
        }
        const char *const start = at;
        while (at < end && !is_blank(*at))
            at++;
        uint64_t id;
        if (!lines_number(start, (size_t)(at - start), UINT32_MAX, &id))
            return lines_fail(lines, failure, "an item number from 0 to 2^32 - 1", start, (size_t)(at - start));
        if (size == items->room)
            items->line = xrealloc(items->line, items->room = 2 * size + 64, sizeof *items->line);
        items->line[size] = (uint32_t)id;
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

/* The size that 90 % of the transactions do not exceed; their number; how many items are left out of a sample. */
struct sizes {
    uint64_t usual, users, left_out;
};

static struct sizes sizes_of(const struct items *items)
{
    struct sizes sizes = {0};
    uint64_t users = 0;

    for (size_t i = 1; i < items->size_room; i++)
        sizes.users += items->sizes[i];
    for (size_t i = 1; i < items->size_room; i++) {
        sizes.usual = 10 * users < 9 * sizes.users ? i : sizes.usual;
        users += items->sizes[i];
        if ((double)i > items->sample)
            sizes.left_out += items->sizes[i] * (i - (uint64_t)items->sample);
    }
    return sizes;
}

/* Counts become those of the items that users hold, and of the padding. */
static void to_sample(const struct items *items, struct dataset_table *out)
{
    const struct sizes sizes = sizes_of(items);
    const double l = items->sample, n = (double)sizes.users;
    double *const held = xmalloc(out->d + 1, sizeof *held), worst = 0, all = 0;
    size_t at = 0;

    out->truth = out->counts;
    out->truth = xrealloc(out->truth, out->d + 1, sizeof *out->truth);
    out->labels = xrealloc(out->labels, out->d + 1, sizeof *out->labels);
    out->counts = xcalloc(out->d + 1, sizeof *out->counts);
    held[out->d] = n;
    for (size_t v = 0; v < out->d; v++) {
        const double low = ((double)out->truth[v] - l * items->slot[v].held) / n;

        held[v] = items->slot[v].held;
        held[out->d] = fmax(held[out->d] - held[v], 0);
        all += (double)out->truth[v];
        at = low > worst ? v : at;
        worst = fmax(worst, low);
    }
    buffer_format(&out->notes,
                  "a sample of %g leaves out %.2g %% of all items, and makes frequencies too low by %.2g at "
                  "most (%s); 90 %% of %" PRIu64 " transactions have %" PRIu64 " items or fewer",
                  l, 100 * (double)sizes.left_out / all, worst, out->labels[at], sizes.users, sizes.usual);
    out->truth[out->d] = (uint64_t)(l * held[out->d] + 0.5);
    out->labels[out->d++] = xstrdup("(none)");
    out->sample = l;
    dataset_round(held, out->d, sizes.users, out->counts);
    free(held);
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct items items = {.sample = request->param[0] >= 1 ? request->param[0] : 0};
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
    if (result == 0 && items.sample > 0)
        to_sample(&items, out);
    else if (result == 0)
        buffer_format(&out->notes,
                      "each item is a user; \"sample\": %" PRIu64 " makes each transaction one, 90 %% of which "
                      "have no more items",
                      sizes_of(&items).usual);
    free(items.slot);
    free(items.line);
    free(items.sizes);
    return result;
}

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("sample", NAN, 1, 0x1p20, "a transaction is a user, who draws one of so many items"),
    {.name = NULL},
};

static const char *const endings[] = {".dat", NULL};

const struct dataset_type dataset_type_fimi = {
    .name = "fimi",
    .title = "transactions of items, each occurrence a user",
    .source = "fimi.uantwerpen.be",
    .params = params,
    .from_file = true,
    .endings = endings,
    .line_max = SIZE_MAX,
    .parse = parse,
};

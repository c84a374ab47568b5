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
 * Which l has the least error is said for the most frequent items, f in size, of whom a sample of l leaves out b:
 *
 *     b^2 + l^2 (s1 + (f - b)/l) / n,    s1 = 4 e^epsilon / (e^epsilon - 1)^2, of oue and, nearly, of others.
 *
 * On Retail it is 8 at epsilon = 1, 10 at 2, 16 at 4; the percentile, 21, has 4.5, 2.3 and 1.2 times its error. All
 * values, most of them rare, have less error at smaller l, where the frequent ones are lost. */
#include "dataset.h"
#include "lines.h"
#include "support/memory.h"
#include "support/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of samples of which one is recommended; the last is the one that is asked for. */
enum { SIZES = 16, FREQUENT = 32 };
static const double sizes[SIZES] = {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 128};

struct item {
    uint64_t count;        /* 0: the slot is empty */
    double sampled[SIZES]; /* expected users who have it, of samples */
    uint32_t id;
};

/* Open addressing, at most half full. */
struct items {
    struct item *slot;
    unsigned bits; /* slots are 2^bits */
    size_t used;
    double sample;  /* 0: none */
    uint64_t users; /* transactions */
    uint32_t *line; /* the items of a transaction */
    size_t room;
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

static void count_item(struct items *items, uint32_t id, const double sampled[SIZES])
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
    for (size_t i = 0; i < SIZES; i++)
        item->sampled[i] += sampled[i];
}

/* A transaction of so many items, in items->line. */
static void count_line(struct items *items, size_t size)
{
    double sampled[SIZES];

    for (size_t i = 0; i < SIZES; i++)
        sampled[i] = 1 / fmax((double)size, i + 1 < SIZES ? sizes[i] : items->sample);
    for (size_t i = 0; i < size; i++)
        count_item(items, items->line[i], sampled);
    items->users += size > 0;
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

static int by_count(const void *a, const void *b)
{
    const struct item *const x = *(const struct item *const *)a, *const y = *(const struct item *const *)b;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : by_id(x, y);
}

/* The size of the least error of these items. */
static double best_size(const struct item *const *item, size_t count, double n, double epsilon)
{
    const double e = exp(epsilon), s1 = 4 * e / ((e - 1) * (e - 1));
    double best = 1, least = INFINITY;

    for (size_t i = 0; i + 1 < SIZES; i++) {
        double error = 0;

        for (size_t k = 0; k < count; k++) {
            const double low = ((double)item[k]->count - sizes[i] * item[k]->sampled[i]) / n;

            error += low * low + sizes[i] * sizes[i] * (s1 + item[k]->sampled[i] / n) / n;
        }
        best = error < least ? sizes[i] : best;
        least = fmin(error, least);
    }
    return best;
}

/* Says which samples are good. */
static void recommend(const struct items *items, struct buffer *notes)
{
    static const double epsilon[] = {0.5, 1, 2, 4};
    const struct item **const item = xmalloc(items->used, sizeof *item);
    const size_t count = items->used < FREQUENT ? items->used : FREQUENT;

    buffer_format(notes,
                  "; of %" PRIu64 " transactions the %zu most frequent items have the smallest error with a sample of ",
                  items->users, count);
    for (size_t v = 0; v < items->used; v++)
        item[v] = &items->slot[v];
    qsort(item, items->used, sizeof *item, by_count);
    for (size_t i = 0; i < 4; i++)
        buffer_format(notes, "%s%g at epsilon %g", i > 0 ? ", " : "",
                      best_size(item, count, (double)items->users, epsilon[i]), epsilon[i]);
    free(item);
}

/* Counts become those of the items that users have, and of the padding. */
static void to_sample(const struct items *items, struct dataset_table *out)
{
    const double l = items->sample, n = (double)items->users;
    double *const sampled = xmalloc(out->d + 1, sizeof *sampled), worst = 0, all = 0, left_out = 0;
    size_t at = 0;

    out->truth = out->counts;
    out->truth = xrealloc(out->truth, out->d + 1, sizeof *out->truth);
    out->labels = xrealloc(out->labels, out->d + 1, sizeof *out->labels);
    out->counts = xcalloc(out->d + 1, sizeof *out->counts);
    sampled[out->d] = n;
    for (size_t v = 0; v < out->d; v++) {
        sampled[v] = items->slot[v].sampled[SIZES - 1];
        const double low = (double)out->truth[v] - l * sampled[v];

        sampled[out->d] = fmax(sampled[out->d] - sampled[v], 0);
        all += (double)out->truth[v];
        left_out += low;
        at = low > worst ? v : at;
        worst = fmax(worst, low);
    }
    buffer_format(&out->notes,
                  "a sample of %g leaves out %.2g %% of all items, and makes frequencies too low by %.2g at most (%s)",
                  l, 100 * left_out / all, worst / n, out->labels[at]);
    out->truth[out->d] = (uint64_t)(l * sampled[out->d] + 0.5);
    out->labels[out->d++] = xstrdup("(none)");
    out->sample = l;
    dataset_round(sampled, out->d, items->users, out->counts);
    free(sampled);
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
        buffer_add(&out->notes, "each item is a user; \"sample\" makes each transaction one");
    if (result == 0)
        recommend(&items, &out->notes);
    free(items.slot);
    free(items.line);
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

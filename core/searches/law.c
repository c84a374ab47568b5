/* law.c - see planned.h.
 *
 * The grid: frequencies (r + b)^-s of d strings, and m strings of one frequency that t of the users have, the others
 * rare. A prefix of l symbols has about W = symbols^(h l) values, equally likely, so that the strings of ranks r0 .. r1
 * add
 *
 *     W (exp(-r0 / W) - exp(-r1 / W))
 *
 * prefixes to those of more frequent strings, and rarer strings add their frequencies over W to each. h is part of the
 * grid: 1 for random symbols, less where they are not, as in words, or in the bits of letters. There some prefixes are
 * more crowded than others: half of the strings have less than h, half more. Without that a frequent prefix is taken to
 * be a frequent string, and the rest is planned for what is easily found.
 *
 * Before any answer a plan is made for a few typical laws of one h.
 *
 * Source: this project. */
#include "searches/planned.h"

#include "numerics/numeric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDER 1.5      /* the last rank of a group over its first, of the requested strings */
#define RARE_WIDER 2.5 /* and of others */
#define FLAT 0.1       /* prior of laws with strings of one frequency */

static const double exponents[] = {0.5, 0.7, 0.9, 1.1, 1.3, 1.6, 2}, offsets[] = {0, 8},
                    likely[] = {0.65, 0.35}, /* prior of an offset */
    sizes[] = {1e3, 5e3, 3e4, 2e5, 1e6}, flats[] = {5, 15, 50, 200}, parts[] = {1, 0.5, 0.2, 0.1, 0.05, 0.02},
                    spreads[] = {1, 0.7, 0.52, 0.42, 0.32}, /* h */
    crowds[] = {0.9, 1.1};                                  /* what h is multiplied by */
enum {
    EXPONENTS = 7,
    OFFSETS = 2,
    SIZES = 5,
    FLATS = 4,
    PARTS = 6,
    SPREADS = 5,
    CROWDS = 2,
    RANKS = 40,
    GROUPS = RANKS * CROWDS,
    ZIPFS = EXPONENTS * OFFSETS * SIZES * SPREADS,
    FLAT_LAWS = FLATS * PARTS * SPREADS,
    LAWS = ZIPFS + FLAT_LAWS
};

/* Of the typical laws. */
static const double typical_exponents[] = {0.7, 0.9, 1.1, 1.3};
enum { TYPICAL_EXPONENTS = 4, TYPICAL_SIZE = 30000, TYPICAL_FLAT = 20, TYPICAL_LAWS = TYPICAL_EXPONENTS + PARTS };
#define TYPICAL_SPREAD 0.5

static struct law *add_law(struct laws *laws, double prior)
{
    struct law *const law = &laws->law[laws->count];

    *law = (struct law){.prior = ldp_log(prior), .group = laws->group + laws->count * GROUPS};
    laws->count++;
    return law;
}

/* `part` of the strings of ranks after .. after + strings - 1, of frequency f, below which strings of `rest` of the
 * users are. */
static void add_part(struct laws *laws, struct law *law, double spread, double part, double after, double strings,
                     double f, double rest)
{
    const struct ldp_strings *const all = laws->strings;
    const size_t stride = all->length + 1;
    float *const row = laws->table + (size_t)(law->group - laws->group + (ptrdiff_t)law->count) * 2 * stride;
    const double ways = ldp_pow(all->searched, spread), from = part * after, to = part * (after + strings);
    double values = 1;

    assert(law->count < GROUPS);
    for (unsigned i = 0; i < all->length; i++, values *= ways) {
        row[i] = (float)fmin(1, f + part * rest / values);
        row[stride + i] = (float)(values * (ldp_exp(-from / values) - ldp_exp(-to / values)));
    }
    row[all->length] = (float)f;
    row[stride + all->length] = (float)(part * strings);
    law->group[law->count++] =
        (struct law_group){.requested = part * fmax(0, fmin(strings, (double)laws->requested - after)),
                           .by_length = row,
                           .share = row + stride};
}

/* All of them, in prefixes that are crowded or not; random symbols have no such, and typical laws do without. */
static void add_group(struct laws *laws, struct law *law, double spread, double after, double strings, double f,
                      double rest)
{
    const bool crowded = laws->kind == LAWS_GRID && spread < 1;

    if (!crowded)
        add_part(laws, law, spread, 1, after, strings, f, rest);
    for (size_t i = 0; crowded && i < CROWDS; i++)
        add_part(laws, law, spread * crowds[i], 1.0 / CROWDS, after, strings, f, rest);
}

/* The last rank of the group that begins with rank `first`, of d. */
static double last_rank(const struct laws *laws, double first, double d)
{
    double next = fmax(first + 1, floor(first * (first > (double)laws->requested ? RARE_WIDER : WIDER)));

    if (first <= (double)laws->requested)
        next = fmin(next, (double)laws->requested + 1);
    return fmin(next, d + 1) - 1;
}

static void add_zipf(struct laws *laws, double prior, double s, double offset, double d, double spread)
{
    struct law *const law = add_law(laws, prior);
    double f[RANKS], number[RANKS], sum = 0, above = 0, after = 0;
    size_t count = 0;

    for (double first = 1; first <= d; count++) {
        assert(count < RANKS);
        const double last = last_rank(laws, first, d);
        f[count] = ldp_pow(sqrt(first * last) + offset, -s);
        number[count] = last - first + 1;
        sum += f[count] * number[count];
        first = last + 1;
    }
    for (size_t i = 0; i < count; after += number[i++]) {
        const double mass = f[i] / sum;
        above += mass * number[i];
        add_group(laws, law, spread, after, number[i], mass, fmax(0, 1 - above));
    }
}

static void add_grid(struct laws *laws)
{
    for (size_t h = 0; h < SPREADS; h++) {
        for (size_t i = 0; i < EXPONENTS; i++)
            for (size_t k = 0; k < OFFSETS; k++)
                for (size_t l = 0; l < SIZES; l++)
                    add_zipf(laws, (1 - FLAT) * likely[k] * OFFSETS / ZIPFS, exponents[i], offsets[k],
                             fmin(sizes[l], fmax(2, laws->n)), spreads[h]);
        for (size_t i = 0; i < FLATS; i++)
            for (size_t k = 0; k < PARTS; k++)
                add_group(laws, add_law(laws, FLAT / FLAT_LAWS), spreads[h], 0, flats[i], parts[k] / flats[i],
                          1 - parts[k]);
    }
}

static void add_typical(struct laws *laws)
{
    for (size_t i = 0; i < TYPICAL_EXPONENTS; i++)
        add_zipf(laws, 1, typical_exponents[i], 0, fmin(TYPICAL_SIZE, fmax(2, laws->n)), TYPICAL_SPREAD);
    for (size_t k = 0; k < PARTS; k++)
        add_group(laws, add_law(laws, 1), TYPICAL_SPREAD, 0, TYPICAL_FLAT, parts[k] / TYPICAL_FLAT, 1 - parts[k]);
}

/* ---- The users' own law ---- */

/* Prefixes of at least `least` of the users are followed to the longest such. */
struct visit {
    const struct ldp_search_input *input;
    ldp_uint128 unit[129]; /* strings of a prefix of that length */
    float path[129];
    double least, requested_from; /* users */
    size_t room, stride;
    struct laws *laws;
};

static void end_path(struct visit *visit, unsigned length)
{
    struct law *const law = &visit->laws->law[0];
    float *const row = visit->laws->table + law->count * 2 * visit->stride;

    if (law->count == visit->room)
        return;
    for (unsigned i = 0; i < visit->stride; i++) {
        row[i] = i <= length ? visit->path[i] : 0;
        row[visit->stride + i] = 1;
    }
    const bool whole = length == visit->input->strings->length;
    law->group[law->count++] =
        (struct law_group){.requested = whole && (double)row[length] * visit->laws->n >= visit->requested_from ? 1 : 0,
                           .by_length = row,
                           .share = row + visit->stride};
}

/* Strings first .. last-1 have the same prefix. */
static void follow(struct visit *visit, size_t first, size_t last, unsigned length, uint64_t users)
{
    struct law *const law = &visit->laws->law[0];
    const struct ldp_strings *const strings = visit->input->strings;
    const uint64_t *const counts = visit->input->histogram.counts;
    const size_t before = law->count;

    visit->path[length] = (float)((double)users / visit->laws->n);
    for (size_t i = first; length < strings->length && i < last;) {
        const ldp_uint128 prefix = strings->key[i] / visit->unit[length + 1];
        const size_t from = i;
        uint64_t sum = 0;

        for (; i < last && strings->key[i] / visit->unit[length + 1] == prefix; i++)
            sum += counts[i];
        if ((double)sum >= visit->least)
            follow(visit, from, i, length + 1, sum);
    }
    if (law->count == before)
        end_path(visit, length);
    for (size_t g = before; g < law->count; g++)
        visit->laws->table[g * 2 * visit->stride + visit->stride + length] = 1 / (float)(law->count - before);
}

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

enum { OWN_GROUPS = 4096 };
#define OWN_LEAST 5e-4

/* The users of the string of rank `requested`; UINT64_MAX without memory. */
static uint64_t users_at(const struct ldp_histogram *histogram, size_t requested)
{
    uint64_t *const counts = malloc(histogram->d * sizeof *counts);

    if (!counts)
        return UINT64_MAX;
    memcpy(counts, histogram->counts, histogram->d * sizeof *counts);
    qsort(counts, histogram->d, sizeof *counts, descending);
    const uint64_t users = counts[(requested < histogram->d ? requested : histogram->d) - 1];
    free(counts);
    return users;
}

static bool add_own(struct laws *laws, const struct ldp_search_input *input)
{
    const struct ldp_strings *const strings = input->strings;
    const uint64_t users = users_at(&input->histogram, laws->requested);
    struct visit visit = {.input = input, .laws = laws, .room = OWN_GROUPS, .stride = strings->length + 1};

    if (users == UINT64_MAX)
        return false;
    visit.requested_from = fmax(1, (double)users);
    visit.least = fmax(laws->n / OWN_GROUPS, fmin(OWN_LEAST * laws->n, visit.requested_from));
    visit.unit[strings->length] = 1;
    for (unsigned i = strings->length; i-- > 0;)
        visit.unit[i] = visit.unit[i + 1] * strings->symbols;
    laws->count = 1;
    laws->law[0] = (struct law){.group = laws->group};
    follow(&visit, 0, strings->d, 0, input->histogram.n);
    return true;
}

/* ---- */

struct laws *laws_new(const struct ldp_search_input *input, size_t requested, enum laws_kind kind)
{
    static const size_t most[] = {[LAWS_TYPICAL] = TYPICAL_LAWS, [LAWS_GRID] = LAWS, [LAWS_KNOWN] = 1};
    const size_t groups = kind == LAWS_KNOWN ? OWN_GROUPS : most[kind] * GROUPS;
    struct ldp_pool pool = {.last = NULL};
    struct laws *const laws = ldp_pool_take(&pool, 1, sizeof *laws);

    if (!laws)
        return NULL;
    *laws = (struct laws){.pool = pool,
                          .requested = requested,
                          .n = (double)input->histogram.n,
                          .kind = kind,
                          .owner = input->histogram.counts,
                          .strings = input->strings};
    TAKE(&laws->pool, laws->law, most[kind]);
    TAKE(&laws->pool, laws->group, groups);
    TAKE(&laws->pool, laws->table, groups * 2 * (input->strings->length + 1));
    if (laws->pool.failed || (kind == LAWS_KNOWN && !add_own(laws, input))) {
        laws_free(laws);
        return NULL;
    }
    if (kind == LAWS_GRID)
        add_grid(laws);
    else if (kind == LAWS_TYPICAL)
        add_typical(laws);
    laws_reset(laws);
    return laws;
}

void laws_free(struct laws *laws)
{
    if (!laws)
        return;
    struct ldp_pool pool = laws->pool; /* which has the laws too */
    ldp_pool_clear(&pool);
}

bool laws_suit(const struct laws *laws, const struct ldp_search_input *input, size_t requested, enum laws_kind kind)
{
    return laws && laws->requested == requested && laws->kind == kind && laws->n == (double)input->histogram.n &&
           laws->strings == input->strings && (kind != LAWS_KNOWN || laws->owner == input->histogram.counts);
}

void laws_reset(struct laws *laws)
{
    for (size_t i = 0; i < laws->count; i++) {
        laws->law[i].log = laws->law[i].prior;
        laws->law[i].weight = laws->law[i].in_plan = 1;
        for (size_t g = 0; g < laws->law[i].count; g++)
            laws->law[i].group[g].present = laws->law[i].group[g].after = 1;
    }
}

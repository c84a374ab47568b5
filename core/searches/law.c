/* law.c - see law.h.
 *
 * The grid: frequencies (r + b)^-s of d strings, and m strings of one frequency that t of the users hold, the others
 * rare. Several strings share a prefix of the first level: it has PREFIX_TIMES the frequency of its most frequent one,
 * or just that; what is more frequent at the first level alone says little about strings. */
#include "searches/law.h"

#include "numeric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDER 1.5 /* the last rank of a group over its first */
#define PREFIX_TIMES 2.5

static const double exponents[] = {0.5, 0.7, 0.9, 1.1, 1.3, 1.6, 2}, offsets[] = {0, 5, 20},
                    sizes[] = {1e3, 1e4, 1e5, 1e6}, flats[] = {5, 10, 20, 50, 100, 200},
                    parts[] = {1, 0.5, 0.2, 0.1, 0.05, 0.02};
enum {
    EXPONENTS = 7,
    OFFSETS = 3,
    SIZES = 4,
    FLATS = 6,
    PARTS = 6,
    GROUPS = 96,
    ZIPFS = 2 * EXPONENTS * OFFSETS * SIZES,
    LAWS = ZIPFS + FLATS * PARTS
};

static struct law *add_law(struct laws *laws, double prior, bool typical)
{
    struct law *const law = &laws->law[laws->count];

    *law = (struct law){.prior = ldp_log(prior), .typical = typical, .group = laws->group + laws->count * GROUPS};
    laws->count++;
    return law;
}

static void add_group(struct law *law, double strings, double wanted, double mass)
{
    assert(law->count < GROUPS);
    law->group[law->count++] =
        (struct law_group){.strings = strings, .wanted = fmin(strings, wanted), .first = mass, .mass = mass};
}

static void add_zipf(struct laws *laws, double s, double offset, double strings, bool shared)
{
    const bool typical = offset == 0 && strings == fmin(1e5, laws->n) && s > 0.6 && s < 1.4;
    struct law *const law = add_law(laws, 0.75 / ZIPFS, typical);
    const double wanted = (double)laws->wanted;
    double sum = 0;

    for (double first = 1; first <= strings && law->count + 2 <= GROUPS;) {
        double next = fmax(first + 1, floor(first * WIDER));
        if (first <= wanted)
            next = fmin(next, wanted + 1);
        next = fmin(next, strings + 1);
        const double f = ldp_pow(sqrt(first * (next - 1)) + offset, -s);
        const double part = shared ? 0.5 : 1;
        for (int half = 0; half < (shared ? 2 : 1); half++) {
            add_group(law, part * (next - first), first <= wanted ? part * (next - first) : 0, f);
            law->group[law->count - 1].first = half == 0 ? f : PREFIX_TIMES * f;
        }
        sum += f * (next - first);
        first = next;
    }
    for (size_t i = 0; i < law->count; i++) {
        law->group[i].mass /= sum;
        law->group[i].first = fmin(0.5, law->group[i].first / sum);
    }
}

static void add_grid(struct laws *laws)
{
    const double wanted = (double)laws->wanted;

    for (size_t i = 0; i < EXPONENTS; i++)
        for (size_t k = 0; k < OFFSETS; k++)
            for (size_t l = 0; l < SIZES; l++)
                for (int shared = 0; shared < 2; shared++)
                    add_zipf(laws, exponents[i], offsets[k], fmin(sizes[l], fmax(2, laws->n)), shared != 0);
    for (size_t i = 0; i < FLATS; i++)
        for (size_t k = 0; k < PARTS; k++)
            add_group(add_law(laws, 0.25 / (FLATS * PARTS), flats[i] == 20), flats[i], wanted, parts[k] / flats[i]);
}

/* ---- The users' own law ---- */

/* Prefixes of at least `least` of the users are followed to the longest such. */
struct walk {
    const struct ldp_search_input *input;
    ldp_uint128 unit[129]; /* strings of a prefix of that length */
    float path[129];
    double least, wanted_from; /* users */
    size_t room, stride;
    struct laws *laws;
};

static void end_walk(struct walk *walk, unsigned length)
{
    struct law *const law = &walk->laws->law[0];
    float *const row = walk->laws->table + law->count * 2 * walk->stride;

    if (law->count == walk->room)
        return;
    for (unsigned i = 0; i < walk->stride; i++) {
        row[i] = i <= length ? walk->path[i] : 0;
        row[walk->stride + i] = 1;
    }
    const bool whole = length == walk->input->strings->length;
    law->group[law->count++] =
        (struct law_group){.strings = 1,
                           .wanted = whole && (double)row[length] * walk->laws->n >= walk->wanted_from ? 1 : 0,
                           .by_length = row,
                           .share = row + walk->stride};
}

/* Strings first .. last-1 have the same prefix. */
static void follow(struct walk *walk, size_t first, size_t last, unsigned length, uint64_t users)
{
    struct law *const law = &walk->laws->law[0];
    const struct ldp_strings *const strings = walk->input->strings;
    const uint64_t *const counts = walk->input->histogram.counts;
    const size_t before = law->count;

    walk->path[length] = (float)((double)users / walk->laws->n);
    for (size_t i = first; length < strings->length && i < last;) {
        const ldp_uint128 prefix = strings->key[i] / walk->unit[length + 1];
        const size_t from = i;
        uint64_t sum = 0;

        for (; i < last && strings->key[i] / walk->unit[length + 1] == prefix; i++)
            sum += counts[i];
        if ((double)sum >= walk->least)
            follow(walk, from, i, length + 1, sum);
    }
    if (law->count == before)
        end_walk(walk, length);
    for (size_t g = before; g < law->count; g++)
        walk->laws->table[g * 2 * walk->stride + walk->stride + length] = 1 / (float)(law->count - before);
}

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

enum { OWN_GROUPS = 4096 };
#define OWN_LEAST 5e-4

/* The users of the string of rank `wanted`; UINT64_MAX without memory. */
static uint64_t users_at(const struct ldp_histogram *histogram, size_t wanted)
{
    uint64_t *const counts = malloc(histogram->d * sizeof *counts);

    if (!counts)
        return UINT64_MAX;
    memcpy(counts, histogram->counts, histogram->d * sizeof *counts);
    qsort(counts, histogram->d, sizeof *counts, descending);
    const uint64_t users = counts[(wanted < histogram->d ? wanted : histogram->d) - 1];
    free(counts);
    return users;
}

static bool add_own(struct laws *laws, const struct ldp_search_input *input)
{
    const struct ldp_strings *const strings = input->strings;
    const uint64_t users = users_at(&input->histogram, laws->wanted);
    struct walk walk = {.input = input, .laws = laws, .room = OWN_GROUPS, .stride = strings->length + 1};

    laws->table = malloc(OWN_GROUPS * 2 * walk.stride * sizeof *laws->table);
    if (users == UINT64_MAX || !laws->table)
        return false;
    walk.wanted_from = fmax(1, (double)users);
    walk.least = fmax(laws->n / OWN_GROUPS, fmin(OWN_LEAST * laws->n, walk.wanted_from));
    walk.unit[strings->length] = 1;
    for (unsigned i = strings->length; i-- > 0;)
        walk.unit[i] = walk.unit[i + 1] * strings->symbols;
    laws->count = 1;
    laws->law[0] = (struct law){.typical = true, .group = laws->group};
    follow(&walk, 0, strings->d, 0, input->histogram.n);
    return true;
}

/* ---- */

struct laws *laws_new(const struct ldp_search_input *input, size_t wanted, bool known)
{
    struct laws *const laws = calloc(1, sizeof *laws);
    bool good = laws;

    if (good) {
        laws->wanted = wanted;
        laws->n = (double)input->histogram.n;
        laws->known = known;
        laws->owner = input->histogram.counts;
        laws->law = calloc(known ? 1 : LAWS, sizeof *laws->law);
        laws->group = calloc(known ? OWN_GROUPS : LAWS * GROUPS, sizeof *laws->group);
        good = laws->law && laws->group;
    }
    if (good && known)
        good = add_own(laws, input);
    else if (good)
        add_grid(laws);
    if (good) {
        laws_reset(laws);
        return laws;
    }
    laws_free(laws);
    return NULL;
}

void laws_free(struct laws *laws)
{
    if (!laws)
        return;
    free(laws->law);
    free(laws->group);
    free(laws->table);
    free(laws);
}

bool laws_suit(const struct laws *laws, const struct ldp_search_input *input, size_t wanted, bool known)
{
    return laws && laws->wanted == wanted && laws->known == known && laws->n == (double)input->histogram.n &&
           (!known || laws->owner == input->histogram.counts);
}

void laws_reset(struct laws *laws)
{
    for (size_t i = 0; i < laws->count; i++) {
        laws->law[i].log = laws->law[i].prior;
        laws->law[i].weight = laws->law[i].typical ? 1 : 0;
        for (size_t g = 0; g < laws->law[i].count; g++)
            laws->law[i].group[g].held = laws->law[i].group[g].after = 1;
    }
}

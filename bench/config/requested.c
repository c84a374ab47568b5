/* requested.c - the section "marginals" of a config, and sets of attributes; see synopses.h. */
#include "config/synopses.h"
#include "support/index_map.h"
#include "support/memory.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT_DEFAULT = 50, COUNT_MAX = 100000 };

const struct config_key requested_keys[] = {
    KEY("k", "attributes of a marginal", "[2, 3, 6]", .required = true,
        CONFIG_WHOLE_SWEEP(struct requested_marginals, k), .min = 1, .max = LDP_SET_MAX, .fallback = NAN),
    KEY("count", "random marginals of each k, all where there are no more", "50",
        CONFIG_WHOLE(struct requested_marginals, count), .min = 1, .max = COUNT_MAX, .fallback = COUNT_DEFAULT),
    {.name = NULL},
};

static int requested_read(const struct config_key *key, const struct json_at *at, void *value, struct failure *failure)
{
    struct requested_marginals *const out = value;

    *out = (struct requested_marginals){.at = *at};
    if (json_is_list(at)) {
        struct json_at first;
        size_t count;
        out->list = *at;
        return json_list(at, "a list of marginals", &first, &count, failure);
    }
    if (!json_is_object(at))
        return json_expected(at, failure, "an object with k and count, or a list of sets of attributes");
    if (config_check(at, requested_keys, NULL, failure) != 0)
        return -1;
    return config_read(at, requested_keys, out, failure);
}

void requested_clear(struct requested_marginals *requested)
{
    sweep_clear(&requested->k);
    *requested = (struct requested_marginals){0};
}

const struct config_type config_attributes = {
    CONFIG_LIST_OF(CONFIG_TYPE(CONFIG_ANY_OF(CONFIG_TYPE(.form = FORM_WHOLE), &config_text)))};

const struct config_type config_requested = {
    CONFIG_ANY_OF(CONFIG_TYPE(.form = FORM_OBJECT, .keys = requested_keys),
                  CONFIG_TYPE(CONFIG_LIST_OF(&config_attributes))),
    CONFIG_STORED(STORED_BY_READER, struct requested_marginals),
    .read = requested_read,
    .words = "{\"k\", \"count\"}, or a list of lists of attributes, by name or number",
};

/* ---- Sets of attributes ---- */

static int attribute_read(const struct json_at *at, const struct dataset_records *records, size_t *attribute,
                          struct failure *failure)
{
    if (!json_is_string(at)) {
        uint64_t number;
        if (json_integer(at, 0, records->records->d - 1, &number, failure) != 0)
            return -1;
        *attribute = (size_t)number;
        return 0;
    }
    const char *name;
    if (json_string(at, &name, failure) != 0)
        return -1;
    *attribute = dataset_records_find(records, name);
    if (*attribute == SIZE_MAX)
        return json_expected(at, failure, "an attribute of the dataset (%s, ...)", SHOWN(records->names[0]));
    return 0;
}

static int set_read(const struct json_at *at, const struct dataset_records *records, struct ldp_set *set,
                    struct failure *failure)
{
    struct json_at element;
    uint64_t mask = 0;
    size_t count;

    if (json_list(at, "a list of attributes", &element, &count, failure) != 0)
        return -1;
    if (count > LDP_SET_MAX)
        return json_expected(at, failure, "at most %d attributes", LDP_SET_MAX);
    do {
        size_t attribute;

        if (attribute_read(&element, records, &attribute, failure) != 0)
            return -1;
        assert(attribute < LDP_ATTRIBUTES_MAX);
        if (mask >> attribute & 1)
            return json_expected(&element, failure, "each attribute once");
        mask |= UINT64_C(1) << attribute;
    } while (json_next(&element));
    *set = ldp_set_of_mask(mask);
    return 0;
}

/* Adds a set to those that are known; false if it was. */
static bool is_new(struct index_map *known, uint64_t mask)
{
    int32_t *const index = index_map_at(known, mask);
    const bool result = *index == NONE;

    *index = 0;
    return result;
}

int attribute_sets_read(const struct json_at *list, const struct dataset_records *records, struct attribute_sets *out,
                        struct failure *failure)
{
    *out = (struct attribute_sets){0};
    struct index_map known = {0};
    struct json_at element;
    size_t count;
    int status = -1;
    if (json_list(list, "a list of sets of attributes", &element, &count, failure) != 0)
        return -1;
    out->set = xcalloc(count, sizeof *out->set);
    do {
        if (set_read(&element, records, &out->set[out->count], failure) != 0)
            goto out;
        if (!is_new(&known, ldp_set_mask(&out->set[out->count]))) {
            json_expected(&element, failure, "each set of attributes once");
            goto out;
        }
        out->count++;
    } while (json_next(&element));
    status = 0;
out:
    index_map_clear(&known);
    return status;
}

static double choose(size_t n, size_t k)
{
    double result = 1;

    for (size_t i = 1; i <= k; i++)
        result = result * (double)(n - k + i) / (double)i;
    return floor(result + 0.5);
}

/* A random set of k attributes. */
static uint64_t draw(struct ldp_rng *rng, size_t d, size_t k)
{
    uint8_t order[LDP_ATTRIBUTES_MAX];
    uint64_t mask = 0;

    for (size_t i = 0; i < d; i++)
        order[i] = (uint8_t)i;
    for (size_t i = 0; i < k; i++) {
        const size_t other = i + (size_t)ldp_rng_below(rng, d - i);

        mask |= UINT64_C(1) << order[other];
        order[other] = order[i];
    }
    return mask;
}

/* Different random sets of k attributes, all of them where there are no more. */
static void draw_sets(size_t d, size_t k, size_t count, uint64_t seed, struct attribute_sets *out)
{
    const size_t first = out->count;
    struct index_map known = {0};
    char stream[96];

    snprintf(stream, sizeof stream, "marginals|d=%zu|k=%zu", d, k);
    struct ldp_rng rng;
    ldp_rng_stream(&rng, seed, stream, 0);
    while (out->count < first + count) {
        const uint64_t mask = draw(&rng, d, k);

        if (is_new(&known, mask))
            out->set[out->count++] = ldp_set_of_mask(mask);
    }
    index_map_clear(&known);
}

static int by_size(const void *a, const void *b)
{
    const struct ldp_set *const x = a, *const y = b;
    const uint64_t m = ldp_set_mask(x), n = ldp_set_mask(y);

    return x->size != y->size ? (x->size > y->size) - (x->size < y->size) : (m > n) - (m < n);
}

int requested_bind(const struct requested_marginals *requested, const struct dataset *dataset, uint64_t seed,
                   struct attribute_sets *out, struct failure *failure)
{
    const size_t d = dataset_d(dataset);
    size_t total = 0;

    *out = (struct attribute_sets){0};
    if (requested->list.file) {
        if (attribute_sets_read(&requested->list, dataset->records, out, failure) != 0)
            return -1;
        qsort(out->set, out->count, sizeof *out->set, by_size);
        return 0;
    }
    for (size_t i = 0; i < requested->k.count; i++) {
        const size_t k = (size_t)requested->k.values[i];

        if (k > d)
            return json_fail(&requested->at, failure, "expected k up to the %zu attributes of dataset %s, got %zu", d,
                             dataset->name, k);
        total += choose(d, k) < (double)requested->count ? (size_t)choose(d, k) : (size_t)requested->count;
    }
    out->set = xcalloc(total, sizeof *out->set);
    for (size_t i = 0; i < requested->k.count; i++) {
        const size_t k = (size_t)requested->k.values[i];
        const size_t count = choose(d, k) < (double)requested->count ? (size_t)choose(d, k) : (size_t)requested->count;

        draw_sets(d, k, count, seed, out);
    }
    assert(out->count == total);
    qsort(out->set, out->count, sizeof *out->set, by_size);
    return 0;
}

char *attribute_sets_text(enum contents name, const struct attribute_sets *sets)
{
    uint64_t *const mask = xcalloc(sets->count, sizeof *mask);

    for (size_t i = 0; i < sets->count; i++)
        mask[i] = ldp_set_mask(&sets->set[i]);
    const struct ldp_fingerprint print = ldp_fingerprint(mask, sets->count * sizeof *mask);

    free(mask);
    return contents_text(name, &print, 1);
}

char *attribute_set_text(const struct ldp_set *set, const struct dataset_records *records)
{
    struct buffer text = {0};

    for (size_t i = 0; i < set->size; i++)
        buffer_format(&text, "%s%s", i ? "+" : "", records->names[set->attribute[i]]);
    return buffer_take(&text);
}

/* sets.c - sets of values for the query fixed_sets: a partition file, lines `label TAB category` (comments, blank
 * lines, plain or gzip), or random disjoint sets in place of a file. */
#include "dataset.h"
#include "labels.h"
#include "lines.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 65536
#define NO_SET UINT32_MAX

struct partition {
    const struct dataset *dataset;
    struct label_index values;
    uint32_t *set_of; /* [d], or NO_SET */
    size_t members;
    struct label_index categories;
    char **names; /* [count] */
    size_t count, room;
};

static size_t find_value(const struct partition *partition, const char *text, size_t length)
{
    if (partition->dataset->labels)
        return label_index_find(&partition->values, partition->dataset->labels, text, length);
    uint64_t value;
    return lines_number(text, length, partition->dataset->population->d - 1, &value) ? (size_t)value : LABEL_NONE;
}

/* The set of a category, made if it is new. */
static size_t get_set(struct partition *partition, const char *name, size_t length)
{
    size_t set = label_index_find(&partition->categories, partition->names, name, length);

    if (set != LABEL_NONE)
        return set;
    set = partition->count;
    *ARRAY_ADD(partition->names, partition->count, partition->room) = xstrndup(name, length);
    label_index_add(&partition->categories, partition->names, set);
    return set;
}

static int read_line(struct partition *partition, const struct lines *lines, struct failure *failure)
{
    const char *const tab = memchr(lines->line, '\t', lines->length);

    if (!tab || tab == lines->line)
        return lines_fail(lines, failure, "value TAB category", lines->line, lines->length);
    const size_t length = (size_t)(tab - lines->line);
    const char *const category = tab + 1;
    const size_t ncategory = lines->length - length - 1;
    if (ncategory == 0)
        return lines_fail(lines, failure, "a category after the TAB", lines->line, lines->length);
    const char *const extra = memchr(category, '\t', ncategory);
    if (extra)
        return lines_fail(lines, failure, "the end of the line after the category", extra + 1,
                          ncategory - (size_t)(extra + 1 - category));
    const size_t value = find_value(partition, lines->line, length);
    if (value == LABEL_NONE)
        return lines_fail(lines, failure, "a value of the dataset", lines->line, length);
    if (partition->set_of[value] != NO_SET)
        return lines_fail(lines, failure, "each value in one category", lines->line, length);
    partition->set_of[value] = (uint32_t)get_set(partition, category, ncategory);
    partition->members++;
    return 0;
}

static struct dataset_sets *sets_new(size_t count, size_t members)
{
    struct dataset_sets *const sets = xcalloc(1, sizeof *sets);

    sets->first = xcalloc(count + 1, sizeof *sets->first);
    sets->member = xmalloc(members, sizeof *sets->member);
    sets->names = xcalloc(count, sizeof *sets->names);
    sets->sets = (struct ldp_sets){.count = count, .first = sets->first, .member = sets->member};
    return sets;
}

void dataset_sets_free(struct dataset_sets *sets)
{
    if (!sets)
        return;
    labels_free(sets->names, sets->sets.count);
    free(sets->first);
    free(sets->member);
    free(sets);
}

/* Counting sort of the values by their set; takes over the names. */
static struct dataset_sets *gather(struct partition *partition)
{
    const size_t d = partition->dataset->population->d;
    struct dataset_sets *const sets = sets_new(partition->count, partition->members);

    for (size_t v = 0; v < d; v++)
        if (partition->set_of[v] != NO_SET)
            sets->first[partition->set_of[v] + 1]++;
    for (size_t s = 0; s < partition->count; s++)
        sets->first[s + 1] += sets->first[s];
    for (size_t v = 0; v < d; v++)
        if (partition->set_of[v] != NO_SET)
            sets->member[sets->first[partition->set_of[v]]++] = (uint32_t)v;
    /* Every start is now at the end of its set. */
    memmove(sets->first + 1, sets->first, partition->count * sizeof *sets->first);
    sets->first[0] = 0;
    for (size_t s = 0; s < partition->count; s++) {
        sets->names[s] = partition->names[s];
        partition->names[s] = NULL;
    }
    return sets;
}

int dataset_sets_parse(struct lines *lines, const struct dataset *dataset, struct dataset_sets **out,
                       struct failure *failure)
{
    const size_t d = dataset->population->d;
    struct partition partition = {.dataset = dataset};
    int result = -1;

    partition.set_of = xmalloc(d, sizeof *partition.set_of);
    for (size_t v = 0; v < d; v++)
        partition.set_of[v] = NO_SET;
    for (size_t v = 0; dataset->labels && v < d; v++)
        label_index_add(&partition.values, dataset->labels, v);
    int more;
    while ((more = lines_next_data(lines, failure)) > 0)
        if (read_line(&partition, lines, failure) != 0)
            goto out;
    if (more < 0)
        goto out;
    if (partition.count == 0) {
        fail(failure, EXIT_BAD_INPUT, "%s: expected lines value TAB category, got none", lines->file);
        goto out;
    }
    *out = gather(&partition);
    result = 0;
out:
    labels_free(partition.names, partition.count);
    label_index_clear(&partition.categories);
    label_index_clear(&partition.values);
    free(partition.set_of);
    return result;
}

int dataset_sets_load(const char *path, const struct dataset *dataset, struct dataset_sets **out,
                      struct failure *failure)
{
    struct lines lines;
    int result = lines_open(&lines, path, LINE_MAX_BYTES, failure);

    if (result == 0)
        result = dataset_sets_parse(&lines, dataset, out, failure);
    lines_close(&lines);
    return result;
}

int dataset_sets_load_values(const char *path, size_t d, char **labels, struct dataset_sets **out,
                             struct failure *failure)
{
    struct ldp_population domain = {.d = d};
    const struct dataset values = {.population = &domain, .labels = labels};

    return dataset_sets_load(path, &values, out, failure);
}

int dataset_sets_random(size_t count, double mean_size, const struct dataset *dataset, uint64_t seed,
                        struct dataset_sets **out, struct failure *failure)
{
    const size_t d = dataset->population->d;
    const double requested = floor((double)count * mean_size + 0.5);

    if (!(requested >= (double)count && requested <= (double)d) || count == 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "expected disjoint sets of at least 1 value within a domain of %zu, got %zu sets of %g values", d,
                    count, mean_size);
    const size_t total = (size_t)requested;
    uint32_t *const value = xmalloc(d, sizeof *value);
    struct dataset_sets *const sets = sets_new(count, total);
    struct ldp_rng rng;
    ldp_rng_stream(&rng, seed, "random-sets", d);
    for (size_t v = 0; v < d; v++)
        value[v] = (uint32_t)v;
    for (size_t i = 0; i < total; i++) {
        const size_t j = i + (size_t)ldp_rng_below(&rng, d - i);

        sets->member[i] = value[j];
        value[j] = value[i];
    }
    for (size_t s = 0; s < count; s++) {
        sets->first[s + 1] = sets->first[s] + total / count + (s < total % count);
        sets->names[s] = xformat("%zu", s + 1);
    }
    *out = sets;
    free(value);
    return 0;
}

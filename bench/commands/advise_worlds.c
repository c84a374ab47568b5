/* advise_worlds.c - which method for the supports of a real collection, whose true counts nobody knows; see advise.h.
 *
 * Three kinds of worlds may have made the supports: draws from the posterior of the true counts, and the populations
 * that mix and norm_sub estimate. Candidates are run in all of them. Draws from the law of the fewest points that suits
 * the supports are a fourth kind, for what is said of the choice: there values are equal, and errors are small. A query
 * takes mix, of the k most frequent the method that is made for such a list, unless another has clearly less error over
 * the kinds together: smooth draws alone spread equal values out, and one population alone is never right. Sums over
 * given sets take the least error over the draws, whose posterior knows the sets.
 *
 * The factors were measured on 238 collections of 27 populations. Errors of the choice: within 10 % of the least in 91
 * % of all cases for single values and random sets, in 79 % for lists. The range holds in 94 and 89 %, the bound in 98
 * and 92 %, "worse" is wrong in 2 and 9 %. */
#include "commands/advise.h"

#include "stats/surrogate.h"
#include "support/files.h"
#include "support/registry.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum world { DRAWN, BY_MIX, BY_NORM_SUB, SHARP, KINDS };
enum { DRAWS = 5, SHARP_DRAWS = 2 };
static const char *const kind_name[KINDS] = {
    [DRAWN] = "draw", [BY_MIX] = "mix", [BY_NORM_SUB] = "norm_sub", [SHARP] = "sharp"};
static const double near = 1.1, margin = 1.3; /* ratios of mean errors, as the measure has them */

/* ---- the worlds ---- */

struct collected {
    const struct supports *supports;
    struct oracle_choice made_by;
    struct ldp_protocol protocol;
    double *est;
    struct dataset_sets *sets; /* of the first query that has some */
};

static int read_collected(const struct advise *advise, struct collected *of, struct failure *failure)
{
    cJSON *const list = cJSON_CreateArray();
    int result = element_add(list, "--supports", advise->supports, &oracle_kind, failure);

    if (result == 0)
        result = element_read("--supports", list->child, &oracle_kind, &of->made_by, failure);
    cJSON_Delete(list);
    if (result == 0)
        result = supports_protocol(of->supports, advise->init.data, &of->made_by.spec, advise->epsilon, advise->n, 0,
                                   &of->protocol, failure);
    if (result != 0)
        return -1;
    void *const scratch = xmalloc(ldp_estimate_scratch(&of->protocol) + 1, 1);
    of->est = xcalloc(of->supports->values.count, sizeof *of->est);
    ldp_estimate(&of->protocol, advise->n, of->supports->support, scratch, of->est);
    free(scratch);
    return 0;
}

/* One world: a file of counts and a dataset of the config. */
static int write_world(const struct collected *of, const uint64_t *counts, const char *label, const char *folder,
                       cJSON *datasets, struct failure *failure)
{
    char *const name = xformat("%s.counts", label);
    struct whole_file file;

    int result = whole_file_open(&file, folder, name, failure);
    if (result == 0) {
        fputs("value\tcount\n", file.stream);
        for (size_t v = 0; v < of->supports->values.count; v++)
            fprintf(file.stream, "%s\t%llu\n", of->supports->values.word[v], (unsigned long long)counts[v]);
        result = whole_file_close(&file, failure);
    }
    json_add(json_append(datasets), "type=%s file=%s label=%s", "counts", name, label);
    free(name);
    return result;
}

static int write_kind(const struct advise *advise, const struct collected *of, enum world kind, const char *folder,
                      cJSON *datasets, struct failure *failure)
{
    const bool drawn = kind == DRAWN || kind == SHARP;
    const unsigned worlds = kind == DRAWN ? DRAWS : kind == SHARP ? SHARP_DRAWS : 1;
    struct surrogate surrogate = {.name = kind_name[kind], .is_fewest_atoms = kind == SHARP};
    struct surrogate_fit fit = {0};
    struct trials trials = {0};
    int result = 0;

    if (!drawn) {
        surrogate.spec.method = ldp_method_find(kind_name[kind]);
        ldp_params_default(surrogate.spec.method->params, surrogate.spec.param);
    }
    surrogate_fit(&fit, &surrogate, &of->protocol, advise->n, of->est, of->sets ? &of->sets->sets : NULL);
    for (unsigned i = 0; result == 0 && i < worlds; i++) {
        char *const label = drawn ? xformat("%s %u", kind_name[kind], i + 1) : xstrdup(kind_name[kind]);
        struct ldp_rng rng;

        ldp_rng_stream(&rng, advise->seed, kind == SHARP ? "advise|sharp" : "advise", i);
        result = trials_begin(&trials, &fit, advise->n, &of->protocol, LDP_COUNTS, &rng, failure);
        if (result == 0)
            result = write_world(of, trials.population->counts, label, folder, datasets, failure);
        free(label);
    }
    trials_clear(&trials);
    surrogate_fit_clear(&fit);
    return result;
}

int worlds_make(const struct advise *advise, cJSON *config, const char *folder, struct failure *failure)
{
    cJSON *const datasets = cJSON_CreateArray();
    struct collected of = {.supports = &advise->collection};
    const cJSON *query;
    int result = read_collected(advise, &of, failure);

    cJSON_ReplaceItemInObject(config, "datasets", datasets);
    cJSON_ArrayForEach(query, cJSON_GetObjectItem(config, "queries"))
    {
        const char *const file = cJSON_GetStringValue(cJSON_GetObjectItem(query, "file"));
        if (result == 0 && file && !of.sets)
            result =
                dataset_sets_load_values(file, of.supports->values.count, of.supports->values.word, &of.sets, failure);
    }
    for (enum world kind = DRAWN; result == 0 && kind < KINDS; kind++)
        if (kind == DRAWN || kind == SHARP || ldp_method_suits(ldp_method_find(kind_name[kind]), &of.protocol))
            result = write_kind(advise, &of, kind, folder, datasets, failure);
    algorithm_clear(&oracle_kind, &of.made_by);
    dataset_sets_free(of.sets);
    free(of.est);
    return result;
}

/* ---- the rule ---- */

/* A candidate's mean errors in worlds of each kind, as the measure has them; NAN: the kind does not count. */
struct tried {
    double error[KINDS], score; /* over the kinds */
};

static enum world kind_of(const char *dataset)
{
    enum world kind = DRAWN;

    while (kind + 1 < KINDS && strncmp(dataset, kind_name[kind], strlen(kind_name[kind])) != 0)
        kind++;
    return kind;
}

/* Whether a method is for a list of another length, or for a list and the query is none. */
static bool is_for_another(const struct result_table *table, size_t row)
{
    const char *const method = row_key(table, row, PART_METHOD);
    const double k = label_number(method, "k");

    if (!label_is(method, "mix_top"))
        return false;
    return strcmp(row_key(table, row, PART_QUERY), "top_k") != 0 ||
           strtod(row_key(table, row, PART_POINT), NULL) !=
               (isnan(k) ? ldp_method_find("mix_top")->params[0].fallback : k);
}

/* Of a group of rows that differ in their worlds alone. Of given sets the draws count alone, which know them. */
static struct tried try_in_worlds(const struct decided *block, const size_t *row, size_t worlds)
{
    const bool drawn = strcmp(row_key(block->table, *row, PART_QUERY), "fixed_sets") == 0;
    struct tried tried = {.score = 1};
    double rows[KINDS] = {0}, kinds = 0;

    for (size_t i = 0; i < worlds; i++) {
        const enum world kind = kind_of(row_key(block->table, row[i], PART_DATASET));
        tried.error[kind] += result_number(block->table, row[i], block->index)->mean;
        rows[kind]++;
    }
    for (enum world k = DRAWN; k < KINDS; k++) {
        tried.error[k] = rows[k] > 0 && (k == DRAWN || !drawn) ? tried.error[k] / rows[k] : (double)NAN;
        if (k < SHARP && !isnan(tried.error[k])) {
            tried.score *= tried.error[k];
            kinds++;
        }
    }
    tried.score = pow(tried.score, 1 / kinds);
    return tried;
}

/* The least score, or what is usual unless it has clearly more. */
static size_t choose(const struct decided *block, size_t c, const struct tried *tried, size_t *best)
{
    const char *const query = row_key(block->table, block->row[c * block->candidates], PART_QUERY);
    const char *const otherwise = strcmp(query, "fixed_sets") == 0 ? ""
                                  : strcmp(query, "top_k") == 0    ? "mix_top"
                                                                   : "mix";
    size_t usual = SIZE_MAX;

    *best = SIZE_MAX;
    for (size_t i = 0; i < block->candidates; i++) {
        if (!block->decision.at[c * block->candidates + i].measured)
            continue;
        if (*best == SIZE_MAX || tried[i].score < tried[*best].score)
            *best = i;
        if (label_is(block->candidate[i].method, otherwise) &&
            (usual == SIZE_MAX || tried[i].score < tried[usual].score))
            usual = i;
    }
    return usual != SIZE_MAX && tried[usual].score <= near * tried[*best].score ? usual : *best;
}

static double ratio_of(double a, double b)
{
    return a == b ? 1 : a / b;
}

/* Errors of the choice in the worlds, the bound, and which others are worse in all kinds. */
static void compare(struct decided *block, size_t c, const struct tried *tried, size_t best)
{
    const enum ldp_unit unit = block->measure->unit;
    const size_t taken = block->decision.taken[c];
    struct candidate_result *const at = &block->decision.at[c * block->candidates];
    double low = INFINITY, high = 0, bound = 1;

    for (enum world k = DRAWN; k < KINDS; k++) {
        double least = INFINITY;
        for (size_t i = 0; i < block->candidates && !isnan(tried[taken].error[k]); i++)
            if (at[i].measured) {
                least = fmin(least, tried[i].error[k]);
                at[i].may_be_best |= i == taken || !(tried[i].error[k] > near * tried[taken].error[k]);
            }
        if (isnan(tried[taken].error[k]))
            continue;
        low = fmin(low, tried[taken].error[k]);
        high = fmax(high, tried[taken].error[k]);
        bound = fmax(bound, ratio_of(tried[taken].error[k], least));
    }
    at[taken].most = decision_error(unit, near * bound) / decision_error(unit, 1);
    at[taken].good = at[taken].most <= 1 + DECISION_TOLERANCE;
    for (size_t i = 0; i < block->candidates; i++) {
        at[i].ratio = ratio_of(decision_error(unit, tried[i].score), decision_error(unit, tried[best].score));
        at[i].least = at[i].may_be_best ? 1 : fmax(1, decision_error(unit, near) / decision_error(unit, 1));
        at[i].may_matter = at[i].may_be_best && i != taken && !at[taken].good;
        block->error[c * block->candidates + i] = decision_error(unit, tried[i].score);
    }
    block->low[c] = decision_error(unit, low / margin);
    block->high[c] = decision_error(unit, high * margin);
}

static void decide_cell(struct decided *block, size_t c, const struct row_groups *groups)
{
    struct tried *const tried = xcalloc(block->candidates, sizeof *tried);
    size_t best;

    for (size_t i = 0; i < block->candidates; i++) {
        const size_t row = block->row[c * block->candidates + i];
        size_t g = 0;
        while (g < groups->count && groups->row[groups->first[g]] != row)
            g++;
        struct candidate_result *const at = &block->decision.at[c * block->candidates + i];
        *at = (struct candidate_result){.same_as = i, .most = INFINITY};
        at->measured = g < groups->count && !is_for_another(block->table, row);
        if (!at->measured)
            continue;
        block->worlds = groups->first[g + 1] - groups->first[g];
        tried[i] = try_in_worlds(block, groups->row + groups->first[g], block->worlds);
    }
    block->decision.taken[c] = choose(block, c, tried, &best);
    block->decision.least[c] = best;
    if (best != SIZE_MAX)
        compare(block, c, tried, best);
    free(tried);
}

static void decide_block(struct decided *block)
{
    const struct result_table *const table = block->table;
    size_t *const row = xcalloc(table->nrows + 1, sizeof *row);
    bool *const differing = xcalloc(table->nkeys + 1, sizeof *differing);
    bool same = true;

    for (size_t i = 0; i < table->nrows; i++)
        row[i] = i;
    for (size_t k = 0; k < table->nkeys; k++)
        differing[k] = result_key_part(table, k) == PART_DATASET;
    struct row_groups groups = result_groups(table, row, table->nrows, differing);
    for (size_t c = 0; c < block->cells; c++) {
        decide_cell(block, c, &groups);
        same &= block->decision.taken[c] == block->decision.taken[0];
    }
    block->decision.kind = same ? DECIDED_ONE : DECIDED_CHANGES;
    block->decision.one = same ? block->decision.taken[0] : SIZE_MAX;
    result_groups_clear(&groups);
    free(differing);
    free(row);
}

void worlds_judge(struct part *part)
{
    for (size_t b = 0; b < part->made.count; b++)
        decide_block(&part->made.block[b]);
}

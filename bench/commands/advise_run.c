/* advise_run.c - the experiments of ldpbench advise: a config and its folder, run and judged; the race of what is slow;
 * how much an error takes; see advise.h.
 *
 * Source of the race: successive halving (Karnin, Koren, Somekh, ICML 2013), with more repetitions of those that are
 * left. */
#include "commands/advise.h"

#include "commands/run.h"
#include "protocol/attack_success.h"
#include "support/numbers.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 3, FINALISTS = 8 };
static const double far = 1.5; /* of the best's error: beyond it nothing goes on, but for shares, of which few
                                  repetitions may be all right */

/* ---- limits ---- */

double advise_bits(const struct ldp_protocol *protocol)
{
    struct ldp_cost cost = {.report_bits = NAN};

    if (protocol->oracle->cost)
        protocol->oracle->cost(protocol, &cost);
    return cost.report_bits;
}

bool advise_keeps(const struct advise *advise, const struct ldp_protocol *protocol)
{
    const struct ldp_population *const values = advise->dataset ? advise->dataset->population : NULL;
    struct ldp_attack_success attack = {.success = 0};

    if (advise->bits > 0 && !(advise_bits(protocol) <= advise->bits))
        return false;
    if (advise->attack > 0 &&
        ldp_attack_success_of_counts(protocol, values && values->d == protocol->d ? values->counts : NULL, &attack) ==
            LDP_ENOMEM)
        out_of_memory();
    return !(advise->attack > 0) || attack.success <= advise->attack;
}

/* ---- one experiment ---- */

static void close_results(struct part *part)
{
    decisions_clear(&part->made);
    report_close(&part->report);
    part->report = (struct report){0};
}

int part_judge(const struct advise *advise, struct part *part, struct failure *failure)
{
    close_results(part);
    if (run_made("advise", part->config, part->folder, !advise->kept, advise->threads, failure) != 0 ||
        report_open(&part->report, &part->folder, 1, failure) != 0)
        return -1;
    return decisions_find(part->report.folder[0].results, 0.05, part->report.style, 1, advise->supports, &part->made,
                          failure);
}

void part_close(struct part *part)
{
    close_results(part);
    cJSON_Delete(part->config);
    free(part->folder);
    *part = (struct part){0};
}

void part_set_number(cJSON *config, const char *key, double value)
{
    cJSON_ReplaceItemInObject(config, key, cJSON_CreateNumber(value));
}

/* The numbers of users of all datasets of a config. */
void part_set_users(cJSON *config, const double *n, int count)
{
    cJSON *dataset;

    cJSON_ArrayForEach(dataset, cJSON_GetObjectItem(config, "datasets"))
    {
        cJSON_DeleteItemFromObject(dataset, "n");
        cJSON_AddItemToObject(dataset, "n", count == 1 ? cJSON_CreateNumber(*n) : cJSON_CreateDoubleArray(n, count));
    }
}

/* The users of each dataset: they are divided among the questions. */
double part_users(const struct part *part, double n)
{
    return fmax(2, floor(n / fmax(1, (double)part->questions)));
}

/* Collections of a candidate: as many as take seconds. */
double advise_trials(const struct advise *advise, enum dataset_kind kind)
{
    const bool few = advise->most_values < 100 && advise->init.kind == DATASET_COUNTS && !advise->init.ordered;

    if (advise->trials > 0)
        return (double)advise->trials;
    if (kind != DATASET_COUNTS)
        return 20;
    return advise->supports             ? (advise->most_values < 10000 ? 100 : 30)
           : few                        ? 2000
           : advise->most_values < 1000 ? 300
                                        : 30;
}

/* The config of init for the data, or for counts of the columns of records. */
cJSON *advise_config(struct advise *advise, enum dataset_kind kind)
{
    static const char *const all[] = {"full_domain", "max_error"};
    struct init_request request = advise->init;
    struct texts queries = {0};
    char *const name = init_name(
        dataset_object_file(request.dataset) || advise->supports ? request.data : advise->dataset->type->name);

    request.kind = kind;
    texts_copy(&queries, all, 2);
    if (advise->init.kind == DATASET_RECORDS && request.queries.count == 0)
        request.queries = queries;
    cJSON *const config = init_config(&request, name);
    part_set_number(config, "seed", (double)advise->seed);
    part_set_number(config, "epsilon", advise->epsilon);
    part_set_number(config, "repetitions", advise_trials(advise, kind));
    const double n = (double)advise->init.n;
    if (n > 0 && !advise->supports && (advise->n > 0 || advise->finds_users))
        part_set_users(config, &n, 1);
    texts_clear(&queries);
    free(name);
    return config;
}

/* A part in a folder below the request's, or in this itself. */
struct part part_new(const struct advise *advise, const char *below, cJSON *config)
{
    return (struct part){.folder = xformat("%s%s%s", advise->folder, *below ? "/" : "", below), .config = config};
}

/* ---- the race ---- */

/* How near a candidate of the list is to the best, where it is the nearest. */
static double nearest(const struct decisions *made, const cJSON *item)
{
    const cJSON *const label = cJSON_GetObjectItem(item, "label");
    const char *const name = cJSON_GetStringValue(label ? label : cJSON_GetObjectItem(item, "name"));
    double least = INFINITY;

    for (size_t b = 0; b < made->count; b++)
        for (size_t i = 0; i < made->block[b].candidates; i++)
            for (size_t c = 0; c < made->block[b].cells; c++) {
                const struct decided *const block = &made->block[b];
                const struct standing_in_cell *const at = &block->decision.at[c * block->candidates + i];
                if (strcmp(block->candidate[i].method, name) == 0 && at->measured && at->ratio < least)
                    least = at->ratio;
            }
    return least;
}

/* Leaves the better half in the config, no fewer than the finalists, of those that are not far from the best. */
static void halve(struct part *part)
{
    cJSON *const list = cJSON_GetObjectItem(part->config, part->list), *const kept = cJSON_CreateArray();
    const int count = cJSON_GetArraySize(list), half = count / 2 > FINALISTS ? count / 2 : FINALISTS;
    const bool shares = part->made.count > 0 && part->made.block[0].measure->unit == LDP_UNIT_WRONG;

    for (int i = 0; i < half && list->child; i++) {
        cJSON *item, *next = list->child;
        cJSON_ArrayForEach(item, list) if (nearest(&part->made, item) < nearest(&part->made, next)) next = item;
        if (i >= 2 && !shares && nearest(&part->made, next) > far)
            break;
        cJSON_AddItemToArray(kept, cJSON_DetachItemViaPointer(list, next));
    }
    cJSON_ReplaceItemInObject(part->config, part->list, kept);
}

static int halve_until_few(const struct advise *advise, struct part *part, struct failure *failure)
{
    const double trials = cJSON_GetObjectItem(part->config, "repetitions")->valuedouble;
    double now = fmin(FEW, trials);

    for (;;) {
        cJSON_SetNumberValue(cJSON_GetObjectItem(part->config, "repetitions"), now);
        if (part_judge(advise, part, failure) != 0)
            return -1;
        if (now == trials)
            return 0;
        halve(part);
        const int left = cJSON_GetArraySize(cJSON_GetObjectItem(part->config, part->list));
        now = left > FINALISTS && 3 * now < trials ? 3 * now : trials;
    }
}

/* ---- how much it takes ---- */

/* The largest error of what is taken in the first query, as a share, at a number of users or an epsilon. */
static double largest_error(const struct part *part, enum column_part key, double x)
{
    const struct decided *const first = part->made.block;
    double largest = 0;

    for (size_t b = 0; b < part->made.count; b++) {
        const struct decided *const block = &part->made.block[b];
        const size_t query = result_key_of(block->table, PART_QUERY), at = result_key_of(block->table, key);
        for (size_t c = 0; c < block->cells; c++) {
            const size_t row = block_taken_row(block, c);
            if (row == SIZE_MAX || block->table != first->table ||
                strtod(result_key(block->table, row, at), NULL) != x ||
                (query != SIZE_MAX &&
                 strcmp(result_key(block->table, row, query), result_key(first->table, first->row[0], query)) != 0))
                continue;
            largest = fmax(largest, block->error[c * block->candidates + block->decision.taken[c]] / 100);
        }
    }
    return largest;
}

/* Runs the part at x, an epsilon or a number of users, and beside at what was run before, as a folder belongs to
 * experiments that share cells; before 0: there is none. error NULL: it is not asked for. */
static int error_at(struct advise *advise, struct part *part, double x, double before, double *error,
                    struct failure *failure)
{
    const bool users = advise->finds_users;
    const double points[] = {users ? part_users(part, x) : x, users ? part_users(part, before) : before};
    const int count = before > 0 && before != x ? 2 : 1;

    if (users) {
        advise->init.n = (uint64_t)x;
        part_set_users(part->config, points, count);
    } else {
        advise->epsilon = x;
        cJSON_ReplaceItemInObject(part->config, "epsilon", cJSON_CreateDoubleArray(points, count));
    }
    if (part_judge(advise, part, failure) != 0)
        return -1;
    *error = largest_error(part, users ? PART_USERS : PART_BUDGET, points[0]);
    return 0;
}

/* The least epsilon, or number of users, that has the error: between powers of 2, then by the power law between the
 * ends. */
static int solve(struct advise *advise, struct part *part, struct failure *failure)
{
    enum { STEPS = 6 };
    const double requested = advise->error, least = advise->finds_users ? 128 : 1.0 / 64,
                 most = advise->finds_users ? 0x1p40 : 16;
    double low = 0, high = 0, error_low = 0, error_high = 0, x = advise->finds_users ? 0x1p14 : 1, before = 0, error;
    char text[NUMBER_TEXT];

    for (int step = 0; step < STEPS;) {
        if (error_at(advise, part, x, before, &error, failure) != 0)
            return -1;
        before = x;
        *(error > requested ? &low : &high) = x;
        *(error > requested ? &error_low : &error_high) = error;
        if (error > requested && x >= most)
            return fail(failure, EXIT_BAD_INPUT, "--error: expected at least %.3g, which %s = %g has, got %g", error,
                        advise->finds_users ? "n" : "epsilon", x, requested);
        if (error <= requested && x <= least)
            break;
        if (low == 0 || high == 0) {
            x = error > requested ? 2 * x : x / 2;
            continue;
        }
        step++;
        x = low * pow(error_low / requested, log(high / low) / log(error_low / error_high));
        const double unit = pow(10, floor(log10(x)) - 2); /* rounded up to three digits, which configs hold exactly */
        snprintf(text, sizeof text, "%.3g", unit * ceil(x / unit - 1e-6));
        x = strtod(text, NULL);
        if (!(x > low && x < high) || high < 1.01 * low)
            break;
    }
    return error_at(advise, part, high, 0, &error, failure);
}

int advise_judge(struct advise *advise, struct part *part,
                 int (*add)(struct advise *advise, cJSON *config, struct failure *failure), struct failure *failure)
{
    if (advise_oracles(advise, part->config, failure) != 0 || add(advise, part->config, failure) != 0)
        return -1;
    if (advise->error > 0 && !part->follows)
        return solve(advise, part, failure);
    return part->list ? halve_until_few(advise, part, failure) : part_judge(advise, part, failure);
}

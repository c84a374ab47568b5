/* answer_json.c - see answer.h. */
#include "results/answer.h"

#include "results/answer_points.h"
#include "support/memory.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Labels as texts, other keys as numbers where they are numbers; an empty one is null. */
static void add_key(cJSON *object, const struct result_table *table, size_t row, size_t key)
{
    const char *const name = table->key_name[key], *const text = result_key(table, row, key);
    const enum column_part part = result_key_part(table, key);
    char *end;
    const double value = strtod(text, &end);

    if (*text && !*end && !part_is_label(part))
        json_add(object, "%s=%g", name, value);
    else
        json_add(object, "%s=%s", name, *text ? text : NULL);
}

static void add_candidate(cJSON *list, const struct answer *answer, const struct point *point, size_t candidate)
{
    const struct verdict *const verdict = &point->verdict;
    const struct rival *const rival = &verdict->rival[candidate];
    const struct result_number *const number =
        result_number(answer->table, answer_row(answer, point, candidate), answer->measure);
    struct row_contest of =
        result_contest(answer->table, answer->row + point->first, point->count, answer->measure, answer->level);
    const struct margin margin = candidate == verdict->best
                                     ? (struct margin){1, 1, 1}
                                     : contest_margin(&of.contest, verdict->best, candidate, rival->beaten);

    json_add(json_append(list), "%s=%s mean=%g stderr=%g ratio=%g low=%g high=%g significantly_different=%d",
             answer->table->key_name[answer->subject], answer_subject(answer, point, candidate), number->mean,
             number->stderr_, margin.ratio, margin.low, margin.high, candidate != verdict->best && !rival->tied);
    result_contest_clear(&of);
}

struct ranked {
    size_t candidate;
    double mean; /* less is better; infinite where there is none */
};

static int by_mean(const void *a, const void *b)
{
    const struct ranked *const x = a, *const y = b;

    return x->mean < y->mean   ? -1
           : x->mean > y->mean ? 1
                               : (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

static void add_candidates(cJSON *list, const struct answer *answer, const struct point *point)
{
    const bool more = answer->table->table->measures[answer->measure].better == LDP_MORE;
    struct ranked *const ranked = xcalloc(point->count, sizeof *ranked);

    for (size_t i = 0; i < point->count; i++) {
        const double mean = result_number(answer->table, answer_row(answer, point, i), answer->measure)->mean;
        const double less = more ? -mean : mean;

        ranked[i] = (struct ranked){i, i == point->verdict.best ? -INFINITY : isnan(less) ? INFINITY : less};
    }
    qsort(ranked, point->count, sizeof *ranked, by_mean);
    for (size_t i = 0; i < point->count; i++)
        if (!point->verdict.rival[ranked[i].candidate].absent)
            add_candidate(list, answer, point, ranked[i].candidate);
    free(ranked);
}

static void add_point(cJSON *list, const struct answer *answer, const struct point *point)
{
    const struct result_table *const table = answer->table;
    cJSON *const object = json_append(list);

    for (size_t k = 0; k < table->nkeys; k++)
        if (k != answer->subject && k != table->experiment)
            add_key(object, table, point->place, k);
    json_add(object, "best=%s decided=%d", answer_subject(answer, point, point->verdict.best), point->verdict.decided);
    add_candidates(cJSON_AddArrayToObject(object, "candidates"), answer, point);
}

cJSON *answer_json(struct results *results, double level, const struct style *style, struct failure *failure)
{
    struct answer answer;
    cJSON *root = NULL;

    if (answer_make(results, level, style, &answer, failure) == 0) {
        root = cJSON_CreateObject();
        cJSON *const sentences = cJSON_AddArrayToObject(root, "answer");
        char *const text = buffer_take(&answer.text);
        for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            cJSON_AddItemToArray(sentences, cJSON_CreateString(line));
        }
        free(text);
        if (answer.npoints > 0)
            json_add(root, "table=%s measure=%s", answer.table->table->file,
                     answer.table->table->measures[answer.measure].name);
        cJSON *const points = cJSON_AddArrayToObject(root, "points");
        for (size_t p = 0; p < answer.npoints; p++)
            add_point(points, &answer, &answer.point[p]);
    }
    answer_clear(&answer);
    return root;
}

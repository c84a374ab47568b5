/* reduce.c - the table of reducers, the curves that they get, and functions that they share. See reduce.h. */
#include "agreement/reduce.h"

#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REDUCER(id, ...) {reduce_##id, __VA_ARGS__},
static const struct reducer reducers[] = {
#include "agreement/reduce.def"
};

const struct reducer *reducer_find(const char *name)
{
    for (size_t i = 0; i < sizeof reducers / sizeof *reducers; i++)
        if (strcmp(reducers[i].name, name) == 0)
            return &reducers[i];
    return NULL;
}

/* ---- curves of a claim ---- */

/* The name of a selection: its method, else its oracle, ... but none that all selections of the claim have. A pattern
 * for a label with any parameters is shown without them. */
static char *selection_name(const struct question *question, const cJSON *selection)
{
    const struct statements *const statements = question->statements;
    const cJSON *const where = cJSON_GetObjectItemCaseSensitive(question->claim->node, "where");

    for (size_t i = 0; i < statements->columns.nselecting; i++) {
        const char *const column = statements->columns.name[i], *const name = cJSON_GetStringValue(
                                                                    cJSON_GetObjectItemCaseSensitive(selection,
                                                                                                     column));

        if (!name || cJSON_GetObjectItemCaseSensitive(where, column))
            continue;
        const char *const shown = statements_name(statements, column, name);
        return xstrndup(shown, strlen(shown) - (text_ends_with(shown, "(*") ? 2 : 0));
    }
    return xstrdup("");
}

static void curves_clear(struct curves *curves)
{
    for (size_t i = 0; i < curves->count; i++) {
        free(curves->curve[i].point);
        free(curves->name[i]);
    }
    free(curves->curve);
    free(curves->name);
}

/* out is zero, and is to be cleared on failure too. */
static int curves_take(const struct question *question, const char *key, bool one, struct curves *out,
                       struct failure *failure)
{
    const struct claim *const claim = question->claim;
    cJSON *const selections = claim_selections(question->statements, claim, key, failure);
    const size_t count = (size_t)cJSON_GetArraySize(selections), points = claim->reduce->points;
    const cJSON *selection;
    int result = selections ? 0 : -1;

    out->curve = xcalloc(count, sizeof *out->curve);
    out->name = xcalloc(count, sizeof *out->name);
    cJSON_ArrayForEach(selection, selections)
    {
        if (result != 0)
            break;
        const size_t i = out->count++;
        out->name[i] = selection_name(question, selection);
        result = evidence_curve(question->evidence, claim, question->dataset, selection, &out->curve[i], failure);
    }
    cJSON_Delete(selections);
    if (result == 0 && one && count != 1)
        return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected one selection, got %zu", claim->id, key, count);
    for (size_t i = 0; result == 0 && i < count; i++)
        if (out->curve[i].count < points)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected at least %zu points, got %zu", claim->id, points,
                        out->curve[i].count);
    return result;
}

int question_judge(const struct question *question, struct answer *answer, struct failure *failure)
{
    const struct reducer *const reduce = question->claim->reduce;
    const bool has_to = reduce->to == TO_ONE || reduce->to == TO_MANY ||
                        (reduce->to == TO_OPTIONAL && claim_has(question->claim, "to"));
    struct curves of = {0}, to = {0};
    int result = curves_take(question, "of", reduce->one, &of, failure);

    if (result == 0 && has_to)
        result = curves_take(question, "to", reduce->to == TO_ONE, &to, failure);
    if (result == 0)
        reduce->judge(question, &of, &to, answer);
    curves_clear(&of);
    curves_clear(&to);
    return result;
}

/* ---- points ---- */

const struct point *curve_at(const struct curve *curve, double x)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->point[i].x == x || (isnan(x) && isnan(curve->point[i].x)))
            return &curve->point[i];
    return NULL;
}

bool points_alike(const struct point *a, const struct point *b)
{
    return a->by_folder ? b->by_folder : a->collection == b->collection;
}

bool points_paired(const struct point *a, const struct point *b)
{
    return a->sample.value && b->sample.value && points_alike(a, b);
}

/* A point without another is divided by the claim's number `per`, or by the users. */
struct pair pair_of(const struct claim *claim, const struct point *of, const struct point *to)
{
    const bool by_users = strcmp(claim_text(claim, "per", ""), of->users) == 0 && *of->users;
    const struct sample divisor = {.n = 2, .mean = by_users ? of->n : claim_number(claim, "per", 1)};
    struct pair pair = {of->sample, to ? to->sample : divisor, to && points_paired(of, to)};

    if (pair.paired && pair.a.length != pair.by.length) { /* the repetitions that both have */
        const size_t common = pair.a.length < pair.by.length ? pair.a.length : pair.by.length;

        pair.a = sample_of(pair.a.value, common);
        pair.by = sample_of(pair.by.value, common);
    }
    return pair;
}

struct pair pair_at(const struct claim *claim, const struct point *of, const struct curve *to)
{
    return pair_of(claim, of, to ? to->count == 1 ? &to->point[0] : curve_at(to, of->x) : NULL);
}

struct estimate pair_ratio(const struct pair *pair)
{
    return estimate_ratio(&pair->a, &pair->by, pair->paired);
}

/* ---- texts ---- */

const char *short_number(double value, char text[SHORT_TEXT])
{
    if (fabs(value) >= 1000 && fabs(value) < 1e15) {
        char digits[SHORT_TEXT];

        snprintf(digits, sizeof digits, "%.0f", value);
        return group_thousands(digits, text);
    }
    snprintf(text, SHORT_TEXT, value != 0 && fabs(value) < 0.01 ? "%.2e" : "%.3g", value);
    char *const exponent = strpbrk(text, "e");
    if (exponent && exponent[2] == '0')
        memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1);
    return text;
}

void measured_estimate(struct answer *answer, const char *before, struct estimate estimate, const char *after)
{
    char value[SHORT_TEXT], error[SHORT_TEXT];
    const bool exact = !(estimate.error > 0);

    snprintf(answer->measured, sizeof answer->measured, "%s%s%s%s%s", before, short_number(estimate.value, value),
             exact ? "" : " ± ", exact ? "" : short_number(estimate.error, error), after);
}

/* reduce.c - see agreement.h: the reducers of a claim make pairs of numbers, which its relation judges. */
#include "agreement/agreement.h"

#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- curves of a claim ---- */

/* What a key of the claim selects, a curve for each selection, with the names that the paper has for them. */
struct claim_curves {
    struct curve *curve;
    size_t count;
};

/* The name of a selection: its method, else its oracle, ... but none that all selections of the claim have. A pattern
 * for a label with any parameters is shown without them. */
static char *selection_name(const struct statements *statements, const struct claim *claim, const cJSON *selection)
{
    const struct claim_columns *const columns = &statements->columns;
    const cJSON *const where = cJSON_GetObjectItemCaseSensitive(claim->node, "where");

    for (size_t i = 0; i < columns->nselecting; i++) {
        const char *const column = columns->name[i];
        const char *const name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(selection, column));

        if (!name || cJSON_GetObjectItemCaseSensitive(where, column))
            continue;
        const char *const shown = statements_name(statements, column, name);
        return xstrndup(shown, strlen(shown) - (text_ends_with(shown, "(*") ? 2 : 0));
    }
    return xstrdup("");
}

static void curves_clear(struct claim_curves *curves)
{
    for (size_t i = 0; i < curves->count; i++) {
        free(curves->curve[i].point);
        free(curves->curve[i].name);
    }
    free(curves->curve);
}

/* out is zero, and is to be cleared on failure too. */
static int curves_take(const struct agreement *agreement, const struct claim *claim, const char *dataset,
                       const char *key, struct claim_curves *out, struct failure *failure)
{
    cJSON *const selections = claim_selections(agreement->statements, claim, key, failure);
    const size_t count = (size_t)cJSON_GetArraySize(selections);
    const cJSON *selection;
    int result = selections ? 0 : -1;

    out->curve = xcalloc(count, sizeof *out->curve);
    cJSON_ArrayForEach(selection, selections)
    {
        struct curve *const curve = &out->curve[out->count++];

        curve->name = selection_name(agreement->statements, claim, selection);
        if (result == 0)
            result = evidence_curve(agreement->evidence, claim, dataset, selection, curve, failure);
    }
    cJSON_Delete(selections);
    if (result == 0 && (claim->reduce == MEAN_RATIO || claim->reduce == NUMBER) && count != 1)
        return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected one selection, got %zu", claim->id, key, count);
    return result;
}

/* ---- pairs ---- */

/* A point and what it is divided by, or compared with. */
struct pair {
    struct evidence_point of, to;
    bool paired;
    const char *name;
};

struct comparisons {
    const struct claim *claim;
    struct pair *pair;
    size_t count, room;
};

bool same_collections(const struct evidence_point *a, const struct evidence_point *b)
{
    return a->by_run ? b->by_run : a->collection == b->collection;
}

static struct pair pair_of(const struct evidence_point *of, const struct evidence_point *to)
{
    struct pair pair = {*of, *to, of->sample.value && to->sample.value && same_collections(of, to), ""};

    if (pair.paired && of->sample.length != to->sample.length) { /* the repetitions that both have */
        const size_t common = smaller(of->sample.length, to->sample.length);

        pair.of.sample = sample_of(of->sample.value, common);
        pair.to.sample = sample_of(to->sample.value, common);
    }
    return pair;
}

static struct estimate pair_ratio(const struct pair *pair)
{
    return pair->of.sample.mean == 0 && pair->to.sample.mean == 0
               ? estimate_of(1, 0)
               : estimate_ratio(&pair->of.sample, &pair->to.sample, pair->paired);
}

static void compare(struct comparisons *list, struct pair pair, double x, const char *name)
{
    pair.of.x = x;
    pair.name = name;
    *ARRAY_ADD(list->pair, list->count, list->room) = pair;
}

/* The point of a curve at x, or its only one; NULL where it has none. */
static const struct evidence_point *curve_at(const struct curve *curve, double x)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->count == 1 || curve->point[i].x == x)
            return &curve->point[i];
    return NULL;
}

/* At every point that both have; a curve of one point is compared with every point of the other. */
static void compare_curves(struct comparisons *list, const struct curve *of, const struct curve *to, const char *name)
{
    const struct curve *const longer = of->count >= to->count ? of : to;

    for (size_t i = 0; i < longer->count; i++) {
        const double x = longer->point[i].x;
        const struct evidence_point *const a = curve_at(of, x), *const b = curve_at(to, x);

        if (a && b)
            compare(list, pair_of(a, b), x, name);
    }
}

/* Each point of a curve with what a claim without `to` divides it by: a number, x, or the geometric mean of all. */
static void compare_per(struct comparisons *list, const struct curve *curve, const char *name)
{
    const char *const per = statement_text(list->claim->node, "per", NULL);
    const double number = statement_number(list->claim->node, "per", 1);
    double mean = 0;

    for (size_t i = 0; i < curve->count; i++)
        mean += log(fabs(curve->point[i].sample.mean)) / (double)curve->count;
    for (size_t i = 0; i < curve->count; i++) {
        const double x = curve->point[i].x;
        const double by = !per ? number : strcmp(per, "mean") == 0 ? exp(mean) : x;
        const struct evidence_point to = {.sample = {.n = 2, .mean = by}};

        compare(list, pair_of(&curve->point[i], &to), x, name);
    }
}

/* The name of a pair of selections in the text of what is for and against; NULL: they are one, which is not compared
 * with itself. */
static const char *pair_name(const struct claim_curves *of, size_t i, const struct claim_curves *to, size_t j)
{
    if (to->count > 0 && of->count + to->count > 2 && strcmp(of->curve[i].name, to->curve[j].name) == 0)
        return NULL;
    return to->count > 1 ? to->curve[j].name : of->count > 1 ? of->curve[i].name : "";
}

/* Each of `of` with each of `to` but itself. */
static void pairs_of_points(struct comparisons *list, const struct claim_curves *of, const struct claim_curves *to)
{
    for (size_t i = 0; i < of->count; i++) {
        for (size_t j = 0; j < to->count; j++)
            if (pair_name(of, i, to, j))
                compare_curves(list, &of->curve[i], &to->curve[j], pair_name(of, i, to, j));
        if (to->count == 0)
            compare_per(list, &of->curve[i], pair_name(of, i, to, 0));
    }
}

/* Each of `of` with the next; of one, each point with the next. */
static void pairs_of_next(struct comparisons *list, const struct claim_curves *of)
{
    const struct curve *const only = &of->curve[0];

    for (size_t i = 0; i + 1 < of->count; i++)
        compare_curves(list, &of->curve[i], &of->curve[i + 1], of->curve[i].name);
    for (size_t i = 0; of->count == 1 && i + 1 < only->count; i++)
        compare(list, pair_of(&only->point[i], &only->point[i + 1]), only->point[i].x, "");
}

/* A point of a curve over that of another, with its error. */
static struct evidence_point ratio_at(const struct evidence_point *of, const struct curve *to)
{
    const struct evidence_point *const by = to ? curve_at(to, of->x) : NULL;
    struct evidence_point point = *of;

    if (!by)
        return point;
    const struct pair pair = pair_of(of, by);
    const struct estimate ratio = pair_ratio(&pair);
    const size_t n = smaller(pair.of.sample.n, pair.to.sample.n);

    point.sample = (struct sample){.n = n, .mean = ratio.value, .sd = ratio.error * sqrt((double)n)};
    return point;
}

/* The last point, or its ratio to that of `to`, with the first. */
static void pairs_of_ends(struct comparisons *list, const struct claim_curves *of, const struct claim_curves *to)
{
    for (size_t i = 0; i < of->count; i++)
        for (size_t j = 0; j < to->count || j == 0; j++) {
            const struct curve *const curve = &of->curve[i], *const by = to->count > 0 ? &to->curve[j] : NULL;
            const struct evidence_point last = ratio_at(&curve->point[curve->count - 1], by),
                                        first = ratio_at(&curve->point[0], by);

            if (curve->count > 1 && pair_name(of, i, to, j))
                compare(list, pair_of(&last, &first), INFINITY, pair_name(of, i, to, j));
        }
}

/* ---- texts ---- */

enum { SHORT_TEXT = 40 };

/* A number as tables of the page show it. Returns text. */
static const char *short_number(double value, char text[SHORT_TEXT])
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

#define SHORT(value) short_number((value), (char[SHORT_TEXT]){0})

/* "1.2 ± 0.1". */
static const char *estimate_text(struct estimate estimate, char text[2 * SHORT_TEXT])
{
    const bool has_error = estimate.error > 0;

    snprintf(text, 2 * SHORT_TEXT, "%s%s%s", SHORT(estimate.value), has_error ? " ± " : "",
             has_error ? SHORT(estimate.error) : "");
    return text;
}

#define ESTIMATE(estimate) estimate_text((estimate), (char[2 * SHORT_TEXT]){0})

/* ---- comparisons, one by one ---- */

/* Decides one comparison; *z is set by orderings only. */
static enum claim_result decide(const struct claim *claim, const struct pair *pair, double *z)
{
    const struct sample *const of = &pair->of.sample, *const by = &pair->to.sample;

    if (claim->relation == BELOW || claim->relation == ABOVE)
        return claim->relation == BELOW ? judge_below(of, by, pair->paired, z) : judge_below(by, of, pair->paired, z);
    if (claim->relation == NOT_BELOW)
        return judge_side(NOT_BELOW, *z = estimate_z(estimate_difference(of, by, pair->paired)));
    if (claim->low == claim->high)
        return of->mean == by->mean ? AGREES : DIFFERS;
    return judge_ratio(of, by, pair->paired, claim->low, claim->high, NULL);
}

/* Adds "NAME at X" to a list, as long as it is short. */
static void list_point(struct buffer *list, const struct pair *pair)
{
    enum { LONG = 180 };
    char number[NUMBER_TEXT];

    if (list->length > LONG || (!pair->name[0] && isinf(pair->of.x)))
        return;
    buffer_format(list, "%s%s", list->length > 0 ? ", " : "", pair->name);
    if (!isinf(pair->of.x))
        buffer_format(list, "%sat %s", pair->name[0] ? " " : "", format_number(pair->of.x, number));
    if (list->length > LONG)
        buffer_add(list, ", ...");
}

/* How many comparisons are for and against an ordering, and which. */
static char *ordering_text(size_t count, const struct tally *tally, const struct buffer points[DIFFERS + 1])
{
    static const char *const words[] = {"equal within 1 %", "against", "inconclusive"};
    static const enum claim_result order[] = {EQUAL, DIFFERS, INCONCLUSIVE};
    struct buffer text = {0};

    buffer_format(&text, "%u of %zu for", tally->n[AGREES], count);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (tally->n[order[i]] > 0)
            buffer_format(&text, ", %u %s", tally->n[order[i]], words[i]);
        if (points[order[i]].length > 0)
            buffer_format(&text, " (%s)", points[order[i]].text);
    }
    return buffer_take(&text);
}

/* The ratio that is nearest to a bound, or furthest beyond it. */
static char *nearest_text(const struct comparisons *list)
{
    const double low = list->claim->low, high = list->claim->high;
    const struct pair *nearest = list->pair;
    struct buffer text = {0}, points = {0};
    double margin = INFINITY;

    for (size_t i = 0; i < list->count; i++) {
        const double ratio = pair_ratio(&list->pair[i]).value;
        const double room = fmin(low > 0 ? log(ratio / low) : INFINITY, log(high / ratio));

        nearest = room < margin ? &list->pair[i] : nearest;
        margin = fmin(room, margin);
    }
    buffer_format(&text, "%s%s", ESTIMATE(pair_ratio(nearest)), list->count > 1 ? " at the nearest point" : "");
    list_point(&points, nearest);
    if (points.length > 0)
        buffer_format(&text, " (%s)", points.text);
    buffer_clear(&points);
    return buffer_take(&text);
}

/* Holds all comparisons against the relation, and says what was measured. */
static void judge_list(const struct comparisons *list, struct answer *answer)
{
    const struct claim *const claim = list->claim;
    struct buffer points[DIFFERS + 1] = {{0}};
    struct tally tally = {0};

    for (size_t i = 0; i < list->count; i++) {
        double z = NAN;
        const enum claim_result result = decide(claim, &list->pair[i], &z);

        tally.n[result]++;
        if (isnan(answer->z) || z < answer->z)
            answer->z = z;
        if (result == DIFFERS || result == INCONCLUSIVE)
            list_point(&points[result], &list->pair[i]);
    }
    answer->result = tally_result(&tally);
    answer->measured =
        claim->relation == BETWEEN || claim->relation == WITHIN ? nearest_text(list)
        : claim->reduce == ENDS && list->count == 1
            ? xformat("%s against %s", SHORT(list->pair[0].of.sample.mean), SHORT(list->pair[0].to.sample.mean))
            : ordering_text(list->count, &tally, points);
    for (size_t i = 0; i <= DIFFERS; i++)
        buffer_clear(&points[i]);
}

/* ---- one number ---- */

/* A number against the one that the paper prints, whose own error is that of its repetitions, as given, or of its
 * rounding. `once`: the standard deviation of one repetition. */
static void answer_printed(const struct claim *claim, struct estimate number, double once, struct answer *answer)
{
    const double printed = statement_number(claim->node, "printed", 0), unit = statement_number(claim->node, "unit", 0),
                 repetitions = statement_number(claim->node, "printed_repetitions", 0);
    double theirs = hypot(statement_number(claim->node, "printed_error", 0), unit / sqrt(12));

    if (repetitions > 0)
        theirs = hypot(theirs, once / sqrt(repetitions));
    const double error = hypot(number.reach / DECIDED, theirs), apart = fabs(number.value - printed);
    answer->z = error > 0 ? (number.value - printed) / error : NAN;
    if (apart <= unit / 2 && number.error <= unit)
        answer->result = AGREES;
    else if (apart > DECIDED * error)
        answer->result = DIFFERS;
    else /* a large error of ours must not make it agree */
        answer->result = number.error <= fmax(theirs, NEGLIGIBLE * fabs(printed)) ? AGREES : INCONCLUSIVE;
}

/* What the paper prints: the mean, or by how many per cent it is above that of `to`. */
static void judge_number(const struct comparisons *list, struct answer *answer)
{
    const struct pair *const pair = &list->pair[0];
    const bool is_ratio = cJSON_HasObjectItem(list->claim->node, "to");
    struct estimate number = is_ratio ? pair_ratio(pair) : estimate_mean(&pair->of.sample);

    if (is_ratio)
        number = (struct estimate){100 * (number.value - 1), 100 * number.error, 100 * number.reach};
    else if (!(number.error < INFINITY)) /* a number that does not vary */
        number = estimate_of(number.value, 0);
    answer_printed(list->claim, number, is_ratio ? number.error * sqrt((double)pair->of.sample.n) : pair->of.sample.sd,
                   answer);
    answer->measured = xformat("%s%s", ESTIMATE(number), is_ratio ? " %" : "");
}

/* The geometric mean of ratios over points. Errors of neighbours that share their collections, or what each run has in
 * common (the random marginals, the timer), are added up (an upper bound); those of others are independent. */
static struct estimate mean_ratio(const struct comparisons *list, double *least, double *most)
{
    const double count = (double)list->count;
    double sum = 0, error = 0, reach = 0, squares[2] = {0, 0};

    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct estimate ratio = pair_ratio(&list->pair[i]);

        if (i > 0 && !same_collections(&list->pair[i].of, &list->pair[i - 1].of)) {
            squares[0] += error * error;
            squares[1] += reach * reach;
            error = reach = 0;
        }
        sum += log(ratio.value) / count;
        error += ratio.error / ratio.value / count;
        reach += ratio.reach / ratio.value / count;
        *least = fmin(*least, ratio.value);
        *most = fmax(*most, ratio.value);
    }
    return (struct estimate){exp(sum), exp(sum) * sqrt(squares[0] + error * error),
                             exp(sum) * sqrt(squares[1] + reach * reach)};
}

static void judge_mean_ratio(const struct comparisons *list, struct answer *answer)
{
    const struct pair *const first = &list->pair[0];
    const struct sample *const a = &first->of.sample, *const by = &first->to.sample;
    const double low = list->claim->low, high = list->claim->high;
    double least, most;
    const struct estimate mean = mean_ratio(list, &least, &most);
    const bool is_one = list->count == 1;

    answer->result = is_one ? judge_ratio(a, by, first->paired, low, high, &answer->z) : judge_between(mean, low, high);
    /* A bound of 1 says better or worse: where that is not shown, but the effect is shown to be negligible, the claim
     * neither agrees nor differs. */
    if (low != high && (low == 1 || high == 1) && (mean.value - mean.reach < low || mean.value + mean.reach > high) &&
        fabs(mean.value - 1) + mean.reach <= NEGLIGIBLE)
        answer->result = !is_one || is_equal(a, by, first->paired) ? EQUAL : INCONCLUSIVE;
    answer->measured =
        is_one ? xstrdup(ESTIMATE(mean)) : xformat("%s (%s to %s)", ESTIMATE(mean), SHORT(least), SHORT(most));
}

/* Holds a query's number against `value` or bounds. */
static void judge_query(const struct claim *claim, struct estimate number, struct answer *answer)
{
    answer->measured = xstrdup(ESTIMATE(number));
    if (claim->relation == BETWEEN) {
        answer->result = judge_between(number, claim->low, claim->high);
        return;
    }
    number.value -= statement_number(claim->node, "value", 0);
    answer->z = estimate_z(number);
    answer->result = judge_side(claim->relation, answer->z);
}

/* ---- all ---- */

static int judge_curves(const struct claim *claim, const struct claim_curves *of, const struct claim_curves *to,
                        struct answer *answer, struct failure *failure)
{
    struct comparisons list = {.claim = claim};

    if (claim->reduce == NEXT)
        pairs_of_next(&list, of);
    else if (claim->reduce == ENDS)
        pairs_of_ends(&list, of, to);
    else
        pairs_of_points(&list, of, to);
    if (list.count == 0)
        return fail(failure, EXIT_BAD_INPUT, "claim %s: no numbers to compare", claim->id);
    if (claim->reduce == MEAN_RATIO)
        judge_mean_ratio(&list, answer);
    else if (claim->reduce == NUMBER)
        judge_number(&list, answer);
    else
        judge_list(&list, answer);
    free(list.pair);
    return 0;
}

int claim_judge(const struct agreement *agreement, const struct claim *claim, const char *dataset,
                struct answer *answer, struct failure *failure)
{
    struct claim_curves of = {0}, to = {0};
    struct estimate number;

    if (claim->reduce == SQL) {
        if (evidence_query(agreement->evidence, claim, dataset, &number, failure) != 0)
            return -1;
        judge_query(claim, number, answer);
        return 0;
    }
    int result = curves_take(agreement, claim, dataset, "of", &of, failure);
    if (result == 0 && cJSON_HasObjectItem(claim->node, "to"))
        result = curves_take(agreement, claim, dataset, "to", &to, failure);
    if (result == 0)
        result = judge_curves(claim, &of, &to, answer, failure);
    curves_clear(&of);
    curves_clear(&to);
    return result;
}

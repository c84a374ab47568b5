/* reduce.c - see agreement.h. All reducers and their texts, over 500 lines. */
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
    char **name;
    size_t count;
};

/* The name of a selection: its method, else its oracle, ... but none that all selections of the claim have. A pattern
 * for a label with any parameters is shown without them. */
static char *selection_name(const struct question *question, const cJSON *selection)
{
    const struct claim_columns *const columns = &question->statements->columns;
    const cJSON *const where = cJSON_GetObjectItemCaseSensitive(question->claim->node, "where");

    for (size_t i = 0; i < columns->nselecting; i++) {
        const char *const column = columns->name[i];
        const char *const name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(selection, column));

        if (!name || cJSON_GetObjectItemCaseSensitive(where, column))
            continue;
        const char *const shown = statements_name(question->statements, column, name);
        return xstrndup(shown, strlen(shown) - (text_ends_with(shown, "(*") ? 2 : 0));
    }
    return xstrdup("");
}

static void curves_clear(struct claim_curves *curves)
{
    for (size_t i = 0; i < curves->count; i++) {
        free(curves->curve[i].point);
        free(curves->name[i]);
    }
    free(curves->curve);
    free(curves->name);
}

/* out is zero, and is to be cleared on failure too. */
static int curves_take(const struct question *question, const char *key, struct claim_curves *out,
                       struct failure *failure)
{
    const struct claim *const claim = question->claim;
    cJSON *const selections = claim_selections(question->statements, claim, key, failure);
    const size_t count = (size_t)cJSON_GetArraySize(selections);
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
    if (result == 0 && claim->reduce->one && count != 1)
        return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected one selection, got %zu", claim->id, key, count);
    return result;
}

/* ---- points ---- */

/* The point of a curve at x, or its only one; NULL where it has none. */
static const struct evidence_point *curve_at(const struct curve *curve, double x)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->count == 1 || curve->point[i].x == x || (isnan(x) && isnan(curve->point[i].x)))
            return &curve->point[i];
    return NULL;
}

bool same_collections(const struct evidence_point *a, const struct evidence_point *b)
{
    return a->by_folder ? b->by_folder : a->collection == b->collection;
}

/* The samples of a point and of what it is divided by, or compared with. */
struct pair {
    struct sample a, by;
    bool paired;
    double x;
    const char *name;
};

static struct pair pair_of(const struct evidence_point *of, const struct evidence_point *to)
{
    struct pair pair = {of->sample, to->sample, of->sample.value && to->sample.value && same_collections(of, to), of->x,
                        ""};

    if (pair.paired && pair.a.length != pair.by.length) { /* the repetitions that both have */
        const size_t common = smaller(pair.a.length, pair.by.length);

        pair.a = sample_of(pair.a.value, common);
        pair.by = sample_of(pair.by.value, common);
    }
    return pair;
}

/* A curve's point with what a claim without `to` divides it by: a number, the users, or the geometric mean of the
 * curve. */
static struct pair pair_per(const struct claim *claim, const struct curve *curve, const struct evidence_point *of)
{
    const char *const per = claim_text(claim, "per", "");
    struct evidence_point by = {.sample = {.n = 2, .mean = claim_number(claim, "per", 1)}};

    if (strcmp(per, "mean") == 0) {
        double mean = 0;

        for (size_t i = 0; i < curve->count; i++)
            mean += log(fabs(curve->point[i].sample.mean)) / (double)curve->count;
        by.sample.mean = exp(mean);
    } else if (strcmp(per, of->users) == 0 && *per)
        by.sample.mean = of->n;
    return pair_of(of, &by);
}

static struct pair pair_at(const struct claim *claim, const struct curve *curve, size_t i, const struct curve *to)
{
    const struct evidence_point *const other = to ? curve_at(to, curve->point[i].x) : NULL;

    return other ? pair_of(&curve->point[i], other) : pair_per(claim, curve, &curve->point[i]);
}

static struct estimate pair_ratio(const struct pair *pair)
{
    return pair->a.mean == 0 && pair->by.mean == 0 ? estimate_of(1, 0)
                                                   : estimate_ratio(&pair->a, &pair->by, pair->paired);
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
static char *estimate_text(struct estimate estimate)
{
    return estimate.error > 0 ? xformat("%s ± %s", SHORT(estimate.value), SHORT(estimate.error))
                              : xstrdup(SHORT(estimate.value));
}

/* ---- comparisons, one by one ---- */

struct comparisons {
    const struct claim *claim;
    struct pair *pair;
    size_t count, room;
};

/* What the ratio of a pair has to lie between. */
static void bounds_of(const struct claim *claim, double *low, double *high)
{
    const double within = 1 + claim_number(claim, "within", 0.05);

    *low = claim->relation == WITHIN ? 1 / within : claim_number(claim, "low", -INFINITY);
    *high = claim->relation == WITHIN ? within : claim_number(claim, "high", INFINITY);
}

/* Decides one comparison; *z is set by orderings only. */
static enum claim_verdict decide(const struct claim *claim, const struct pair *pair, double *z)
{
    const struct sample *const of = &pair->a, *const by = &pair->by;
    double low, high;

    if (claim->relation == BELOW || claim->relation == ABOVE)
        return claim->relation == BELOW ? judge_below(of, by, pair->paired, z) : judge_below(by, of, pair->paired, z);
    if (claim->relation == NOT_BELOW)
        return judge_side(NOT_BELOW, *z = estimate_z(estimate_difference(of, by, pair->paired)));
    bounds_of(claim, &low, &high);
    if (low == high)
        return of->mean == by->mean ? AGREES : DIFFERS;
    return judge_ratio(of, by, pair->paired, low, high, NULL);
}

/* Adds "NAME at X" to a list, as long as it is short. */
static void list_place(struct buffer *list, const struct pair *pair)
{
    enum { LONG = 180 };
    char number[NUMBER_TEXT];

    if (list->length > LONG || (!pair->name[0] && isnan(pair->x)))
        return;
    buffer_format(list, "%s%s", list->length > 0 ? ", " : "", pair->name);
    if (!isnan(pair->x))
        buffer_format(list, "%sat %s", pair->name[0] ? " " : "", format_number(pair->x, number));
    if (list->length > LONG)
        buffer_add(list, ", ...");
}

static void add_places(struct buffer *text, const struct buffer *places)
{
    if (places->length > 0)
        buffer_format(text, " (%s)", places->text);
}

/* How many comparisons are for and against an ordering, and which. */
static char *ordering_text(const struct tally *tally, const struct buffer *against, const struct buffer *open)
{
    const unsigned *const n = tally->n;
    struct buffer text = {0};

    buffer_format(&text, "%u of %u for", n[AGREES], n[AGREES] + n[EQUAL] + n[UNDECIDED] + n[DIFFERS]);
    if (n[EQUAL] > 0)
        buffer_format(&text, ", %u equal within 1 %%", n[EQUAL]);
    if (n[DIFFERS] > 0)
        buffer_format(&text, ", %u against", n[DIFFERS]);
    add_places(&text, against);
    if (n[UNDECIDED] > 0)
        buffer_format(&text, ", %u undecided", n[UNDECIDED]);
    add_places(&text, open);
    return buffer_take(&text);
}

/* The ratio that is nearest to a bound, or furthest beyond it. */
static char *nearest_text(const struct comparisons *list)
{
    struct buffer text = {0}, place = {0};
    double margin = INFINITY, low, high;
    size_t nearest = 0;

    bounds_of(list->claim, &low, &high);
    for (size_t i = 0; i < list->count; i++) {
        const double ratio = pair_ratio(&list->pair[i]).value;
        const double room = fmin(low > 0 ? log(ratio / low) : INFINITY, log(high / ratio));

        nearest = room < margin ? i : nearest;
        margin = fmin(room, margin);
    }
    if (list->count == 0)
        return xstrdup("no points");
    char *const ratio = estimate_text(pair_ratio(&list->pair[nearest]));
    buffer_format(&text, "%s%s", ratio, list->count > 1 ? " at the nearest point" : "");
    list_place(&place, &list->pair[nearest]);
    add_places(&text, &place);
    buffer_clear(&place);
    free(ratio);
    return buffer_take(&text);
}

/* Holds all comparisons against the relation, says what was measured, and frees them. */
static void judge_list(struct comparisons *list, struct answer *answer)
{
    struct tally tally = {0};
    struct buffer against = {0}, open = {0};

    for (size_t i = 0; i < list->count; i++) {
        double z = NAN;
        const enum claim_verdict verdict = decide(list->claim, &list->pair[i], &z);

        tally_add(&tally, verdict);
        if (isnan(answer->z) || z < answer->z)
            answer->z = z;
        if (verdict == DIFFERS || verdict == UNDECIDED)
            list_place(verdict == DIFFERS ? &against : &open, &list->pair[i]);
    }
    answer->verdict = tally_verdict(&tally);
    answer->measured = list->claim->relation == BETWEEN || list->claim->relation == WITHIN
                           ? nearest_text(list)
                           : ordering_text(&tally, &against, &open);
    buffer_clear(&against);
    buffer_clear(&open);
    free(list->pair);
}

static void compare(struct comparisons *list, struct pair pair, double x, const char *name)
{
    pair.x = x;
    pair.name = name;
    *ARRAY_ADD(list->pair, list->count, list->room) = pair;
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

/* Each of `of` with each of `to` but itself. */
static void reduce_points(const struct claim *claim, const struct claim_curves *of, const struct claim_curves *to,
                          struct answer *answer)
{
    struct comparisons list = {.claim = claim};

    for (size_t i = 0; i < of->count; i++) {
        const char *const name = of->count > 1 ? of->name[i] : "";

        for (size_t j = 0; j < to->count; j++)
            if (of->count + to->count == 2 || strcmp(of->name[i], to->name[j]) != 0)
                compare_curves(&list, &of->curve[i], &to->curve[j], to->count > 1 ? to->name[j] : name);
        for (size_t k = 0; to->count == 0 && k < of->curve[i].count; k++)
            compare(&list, pair_per(claim, &of->curve[i], &of->curve[i].point[k]), of->curve[i].point[k].x, name);
    }
    judge_list(&list, answer);
}

/* Each of `of` with the next; of one, each point with the next. */
static void reduce_next(const struct claim *claim, const struct claim_curves *of, const struct claim_curves *to,
                        struct answer *answer)
{
    struct comparisons list = {.claim = claim};
    const struct curve *const only = &of->curve[0];

    for (size_t i = 0; i + 1 < of->count; i++)
        compare_curves(&list, &of->curve[i], &of->curve[i + 1], of->name[i]);
    for (size_t i = 0; of->count == 1 && i + 1 < only->count; i++)
        compare(&list, pair_of(&only->point[i], &only->point[i + 1]), only->point[i].x, "");
    judge_list(&list, answer);
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
    const size_t n = smaller(pair.a.n, pair.by.n);

    point.sample = (struct sample){.n = n, .mean = ratio.value, .sd = ratio.error * sqrt((double)n)};
    return point;
}

/* The last point, or its ratio to that of `to`, with the first. */
static void reduce_ends(const struct claim *claim, const struct claim_curves *of, const struct claim_curves *to,
                        struct answer *answer)
{
    struct comparisons list = {.claim = claim};

    for (size_t i = 0; i < of->count; i++)
        for (size_t j = 0; j < to->count || j == 0; j++) {
            const struct evidence_point *const first = &of->curve[i].point[0], *const last =
                                                                                   first + of->curve[i].count - 1;
            const struct curve *const by = to->count > 0 ? &to->curve[j] : NULL;
            const bool itself = by && of->count + to->count > 2 && strcmp(of->name[i], to->name[j]) == 0;
            const struct evidence_point a = ratio_at(last, by), b = ratio_at(first, by);

            if (last > first && !itself)
                compare(&list, pair_of(&a, &b), NAN, to->count > 1 ? to->name[j] : of->count > 1 ? of->name[i] : "");
        }
    const struct pair only = list.count == 1 ? list.pair[0] : (struct pair){.name = ""};
    const bool single = list.count == 1 && claim->relation != BETWEEN && claim->relation != WITHIN;

    judge_list(&list, answer);
    if (single) {
        free(answer->measured);
        answer->measured = xformat("%s against %s", SHORT(only.a.mean), SHORT(only.by.mean));
    }
}

/* ---- one number ---- */

/* A number against the one that the paper prints, whose own error is that of its repetitions, as given, or of its
 * rounding. `once`: the standard deviation of one repetition. */
static void answer_printed(const struct claim *claim, struct estimate number, double once, struct answer *answer)
{
    const double printed = claim_number(claim, "printed", 0), unit = claim_number(claim, "unit", 0),
                 repetitions = claim_number(claim, "printed_repetitions", 0);
    double theirs = hypot(claim_number(claim, "printed_error", 0), unit / sqrt(12));

    if (repetitions > 0)
        theirs = hypot(theirs, once / sqrt(repetitions));
    const double error = hypot(number.reach / DECIDED, theirs), apart = fabs(number.value - printed);
    answer->z = error > 0 ? (number.value - printed) / error : NAN;
    if (apart <= unit / 2 && number.error <= unit)
        answer->verdict = AGREES;
    else if (apart > DECIDED * error)
        answer->verdict = DIFFERS;
    else /* a large error of ours must not make it agree */
        answer->verdict = number.error <= fmax(theirs, NEGLIGIBLE * fabs(printed)) ? AGREES : UNDECIDED;
}

/* What the paper prints: the mean, or by how many per cent it is above that of `to`. */
static void reduce_number(const struct claim *claim, const struct claim_curves *of, const struct claim_curves *to,
                          struct answer *answer)
{
    const struct evidence_point *const point = &of->curve[0].point[0];
    struct estimate number = estimate_mean(&point->sample);
    double once = point->sample.sd;

    if (to->count > 0) {
        const struct pair pair = pair_at(claim, &of->curve[0], 0, &to->curve[0]);
        const struct estimate ratio = pair_ratio(&pair);

        number = (struct estimate){100 * (ratio.value - 1), 100 * ratio.error, 100 * ratio.reach};
        once = number.error * sqrt((double)pair.a.n);
    } else if (!(number.error < INFINITY)) { /* a number that does not vary */
        number = estimate_of(number.value, 0);
    }
    answer_printed(claim, number, once, answer);
    char *const text = estimate_text(number);
    answer->measured = xformat("%s%s", text, to->count > 0 ? " %" : "");
    free(text);
}

/* A sum of errors, in standard errors or in reaches: those of neighbours that share their collections, or what each run
 * has in common (the random marginals, the timer), are added up (an upper bound); those of others are independent. */
struct error_sum {
    double squares, of_cell;
};

static void add_error(struct error_sum *sum, bool begins, double error)
{
    if (begins) {
        sum->squares += sum->of_cell * sum->of_cell;
        sum->of_cell = 0;
    }
    sum->of_cell += error;
}

static double whole_error(const struct error_sum *sum)
{
    return sqrt(sum->squares + sum->of_cell * sum->of_cell);
}

/* The geometric mean over points. */
static struct estimate mean_ratio(const struct claim *claim, const struct curve *of, const struct curve *to,
                                  double *least, double *most)
{
    const double count = (double)of->count;
    struct error_sum error = {0}, reach = {0};
    double sum = 0;

    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < of->count; i++) {
        const struct pair pair = pair_at(claim, of, i, to);
        const struct estimate ratio = pair_ratio(&pair);
        const bool begins = i > 0 && !same_collections(&of->point[i], &of->point[i - 1]);

        sum += log(ratio.value) / count;
        add_error(&error, begins, ratio.error / ratio.value / count);
        add_error(&reach, begins, ratio.reach / ratio.value / count);
        *least = fmin(*least, ratio.value);
        *most = fmax(*most, ratio.value);
    }
    return (struct estimate){exp(sum), exp(sum) * whole_error(&error), exp(sum) * whole_error(&reach)};
}

/* A bound of 1 says better or worse: where that is not shown, but the effect is shown to be negligible, the claim
 * neither agrees nor differs. */
static bool is_even(struct estimate ratio, double low, double high)
{
    const bool inside = ratio.value - ratio.reach >= low && ratio.value + ratio.reach <= high;

    return low != high && (low == 1 || high == 1) && !inside && fabs(ratio.value - 1) + ratio.reach <= NEGLIGIBLE;
}

static void reduce_mean_ratio(const struct claim *claim, const struct claim_curves *ofs, const struct claim_curves *tos,
                              struct answer *answer)
{
    const struct curve *const of = &ofs->curve[0], *const to = tos->count > 0 ? &tos->curve[0] : NULL;
    const struct pair first = pair_at(claim, of, 0, to);
    double low, high, least, most;
    const struct estimate mean = mean_ratio(claim, of, to, &least, &most);
    char *const text = estimate_text(mean);

    bounds_of(claim, &low, &high);
    answer->verdict = of->count == 1 ? judge_ratio(&first.a, &first.by, first.paired, low, high, &answer->z)
                                     : judge_between(mean, low, high);
    if (is_even(mean, low, high))
        answer->verdict = of->count > 1 || is_equal(&first.a, &first.by, first.paired) ? EQUAL : UNDECIDED;
    answer->measured = of->count == 1 ? xstrdup(text) : xformat("%s (%s to %s)", text, SHORT(least), SHORT(most));
    free(text);
}

/* Holds a number against `value` or bounds. */
static void answer_number(const struct claim *claim, struct estimate number, struct answer *answer)
{
    double low, high;

    bounds_of(claim, &low, &high);
    if (claim->relation == BETWEEN) {
        answer->verdict = judge_between(number, low, high);
        return;
    }
    answer->z = estimate_z(estimate_less(number, estimate_of(claim_number(claim, "value", 0), 0)));
    answer->verdict = judge_side(claim->relation, answer->z);
}

/* ---- all ---- */

static void (*const reduce[])(const struct claim *claim, const struct claim_curves *of, const struct claim_curves *to,
                              struct answer *answer) = {
    [POINTS] = reduce_points,         [NEXT] = reduce_next,     [ENDS] = reduce_ends,
    [MEAN_RATIO] = reduce_mean_ratio, [NUMBER] = reduce_number,
};

int question_judge(const struct question *question, struct answer *answer, struct failure *failure)
{
    const struct claim *const claim = question->claim;
    struct claim_curves of = {0}, to = {0};
    struct estimate number;
    int result;

    if (claim->reduce->kind == SQL) {
        result = evidence_query(question->evidence, claim, question->dataset, &number, failure);
        if (result == 0) {
            answer_number(claim, number, answer);
            answer->measured = estimate_text(number);
        }
        return result;
    }
    result = curves_take(question, "of", &of, failure);
    if (result == 0 && claim_has(claim, "to"))
        result = curves_take(question, "to", &to, failure);
    if (result == 0)
        reduce[claim->reduce->kind](claim, &of, &to, answer);
    curves_clear(&of);
    curves_clear(&to);
    return result;
}

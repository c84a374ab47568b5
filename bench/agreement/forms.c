/* forms.c - the table of forms, and functions that they share. See forms.h. */
#include "agreement/forms.h"

#include "support/names.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM(id) extern const struct form form_##id;
#include "agreement/forms.def"
#undef FORM

#define FORM(id) &form_##id,
static const struct form *const forms[] = {
#include "agreement/forms.def"
    NULL};

const struct form *form_find(const char *name)
{
    for (size_t i = 0; forms[i]; i++)
        if (strcmp(forms[i]->name, name) == 0)
            return forms[i];
    return NULL;
}

/* The name of a selection: its method, else its oracle, ... but none that all selections of the claim have. */
static char *selection_name(const struct question *question, const cJSON *selection)
{
    const struct statements *const statements = question->statements;
    const struct claim_columns *const columns = &statements->columns;
    const cJSON *const where = cJSON_GetObjectItemCaseSensitive(question->claim->node, "where");

    for (size_t i = 0; i < columns->nselecting; i++) {
        const char *const name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(selection, columns->name[i]));

        if (!name || cJSON_GetObjectItemCaseSensitive(where, columns->name[i]))
            continue;
        const char *const shown = statements_name(statements, columns->name[i], name);
        /* A pattern for a label with any parameters is shown without them. */
        const size_t length = strlen(shown) - (text_ends_with(shown, "(*") ? 2 : 0);
        return text_format("%.*s", (int)length, shown);
    }
    return text_format("%s", "");
}

static void curves_clear(struct curves *curves)
{
    for (size_t i = 0; i < curves->count; i++) {
        free(curves->curve[i].point);
        free(curves->name[i]);
    }
    free(curves->curve);
    free(curves->name);
    *curves = (struct curves){0};
}

static int check_curves(const struct form_curves *wanted, const struct curves *curves, const char *id, const char *key,
                        struct failure *failure)
{
    if (wanted->single && curves->count != 1)
        return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected one selection, got %zu", id, key, curves->count);
    for (size_t i = 0; i < curves->count; i++)
        if (curves->curve[i].count < wanted->points)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected at least %zu points, got %zu", id, wanted->points,
                        curves->curve[i].count);
    return 0;
}

/* out is zero, and its contents are the caller's on failure too. */
static int curves_take(const struct question *question, const struct form_curves *wanted, struct curves *out,
                       struct failure *failure)
{
    const struct claim *const claim = question->claim;
    const char *const key = wanted->instead && !claim_has(claim, wanted->key) ? wanted->instead : wanted->key;

    if (!key || (wanted->optional && !claim_has(claim, key)))
        return 0;
    cJSON *const selections = claim_selections(question->statements, claim, key, failure);
    if (!selections)
        return -1;
    out->curve = calloc((size_t)cJSON_GetArraySize(selections), sizeof *out->curve);
    out->name = calloc((size_t)cJSON_GetArraySize(selections), sizeof *out->name);
    int result = out->curve && out->name ? 0 : fail_memory(failure);
    const cJSON *selection;
    cJSON_ArrayForEach(selection, selections)
    {
        if (result != 0)
            break;
        const size_t i = out->count++;
        out->name[i] = selection_name(question, selection);
        result = out->name[i]
                     ? evidence_curve(question->evidence, claim, question->dataset, selection, &out->curve[i], failure)
                     : fail_memory(failure);
    }
    cJSON_Delete(selections);
    return result == 0 ? check_curves(wanted, out, claim->id, key, failure) : -1;
}

int form_judge(const struct question *question, struct answer *answer, struct failure *failure)
{
    const struct form *const form = question->claim->form;

    if (form->judge)
        return form->judge(question, answer, failure);
    struct curves of = {0}, to = {0};
    const int result =
        curves_take(question, &form->of, &of, failure) == 0 && curves_take(question, &form->to, &to, failure) == 0 ? 0
                                                                                                                   : -1;
    if (result == 0)
        form->compare(question, &of, &to, answer);
    curves_clear(&of);
    curves_clear(&to);
    return result;
}

const struct point *curve_at(const struct curve *curve, double x)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->point[i].x == x || (isnan(x) && isnan(curve->point[i].x)))
            return &curve->point[i];
    return NULL;
}

bool points_alike(const struct point *a, const struct point *b)
{
    return a->collection.hi == b->collection.hi && a->collection.lo == b->collection.lo;
}

bool points_paired(const struct point *a, const struct point *b)
{
    return a->sample.value && b->sample.value && points_alike(a, b);
}

void tally_compared(const struct question *question, struct tally *tally, enum verdict verdict, const struct point *a,
                    const struct point *b)
{
    tally_add(tally, verdict);
    if (verdict != UNDECIDED)
        return;
    struct failure failure; /* without memory for the note, the claim is undecided all the same */
    evidence_open_point(question->evidence, a, &failure);
    if (b)
        evidence_open_point(question->evidence, b, &failure);
}

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

    if (estimate.error > 0)
        snprintf(answer->measured, sizeof answer->measured, "%s%s ± %s%s", before, short_number(estimate.value, value),
                 short_number(estimate.error, error), after);
    else
        snprintf(answer->measured, sizeof answer->measured, "%s%s%s", before, short_number(estimate.value, value),
                 after);
}

void measured_apart(struct answer *answer, double log_ratio)
{
    const double ratio = exp(fabs(log_ratio));
    char number[SHORT_TEXT];

    if (ratio < 2)
        snprintf(answer->measured, sizeof answer->measured, "differ by at most %s %%",
                 short_number(100 * (ratio - 1), number));
    else
        snprintf(answer->measured, sizeof answer->measured, "differ by at most a factor of %s",
                 short_number(ratio, number));
}

/* ---- gathering ---- */

void gathering_begin(struct gathering *gathering, const struct question *question)
{
    *gathering = (struct gathering){.question = question, .z = NAN};
}

/* Adds "NAME at X" to a list, as long as it fits. */
static void list_place(char *list, size_t size, const char *name, double x)
{
    const size_t length = strlen(list);

    if (length >= 3 && strcmp(list + length - 3, "...") == 0)
        return;
    char number[NUMBER_TEXT];
    const int n = snprintf(list + length, size - length, "%s%s%s%s", length > 0 ? ", " : "", name,
                           isnan(x)  ? ""
                           : name[0] ? " at "
                                     : "at ",
                           isnan(x) ? "" : format_number(x, number));
    if (n < 0 || (size_t)n + 5 > size - length)
        snprintf(list + length, size - length, ", ...");
}

void gathering_add(struct gathering *gathering, enum verdict verdict, double z, const char *name, double x,
                   const struct point *a, const struct point *b)
{
    tally_compared(gathering->question, &gathering->tally, verdict, a, b);
    if (isnan(gathering->z) || z < gathering->z)
        gathering->z = z;
    if (verdict == DIFFERS)
        list_place(gathering->against, sizeof gathering->against, name, x);
    if (verdict != UNDECIDED)
        return;
    list_place(gathering->open, sizeof gathering->open, name, x);
    if (b)
        gathering->needed =
            fmax(gathering->needed, (double)a->sample.n * growth_below(&a->sample, &b->sample, points_paired(a, b)));
}

void gathering_answer(const struct gathering *gathering, struct answer *answer)
{
    const unsigned *const n = gathering->tally.n;
    const unsigned all = n[AGREES] + n[EQUAL] + n[UNDECIDED] + n[DIFFERS];
    char *const to = answer->measured;
    const size_t size = sizeof answer->measured;
    int length = snprintf(to, size, "%u of %u for", n[AGREES], all);

    if (n[EQUAL] > 0)
        length += snprintf(to + length, size - (size_t)length, ", %u equal within 1 %%", n[EQUAL]);
    if (n[DIFFERS] > 0)
        length +=
            snprintf(to + length, size - (size_t)length, *gathering->against ? ", %u against (%s)" : ", %u against%s",
                     n[DIFFERS], gathering->against);
    if (n[UNDECIDED] > 0)
        snprintf(to + length, size - (size_t)length, *gathering->open ? ", %u undecided (%s)" : ", %u undecided%s",
                 n[UNDECIDED], gathering->open);
    answer->verdict = tally_verdict(&gathering->tally);
    answer->z = gathering->z;
    answer->needed = gathering->needed;
}

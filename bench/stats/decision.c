/* decision.c - see decision.h.
 *
 * Rule. Comparisons with the best (Hsu, Ann. Statist. 12, 1984): the best b is not known, but whatever it is, with
 * probability 1 - level every candidate i has |t_ib| < c, where t is the comparison test's robust t (setting.c) of the
 * differences of repetitions and c its two-sided quantile at level / (m - 1). All that is said of a cell follows from
 * this one event, so it is wrong together in at most `level` of all experiments:
 *
 *   i is at most lam times the best, if lam X_j - X_i is significantly above 0 for all j, whichever is the best;
 *   i may be the best, if no j is significantly better;
 *   i is at least lam times the best, if X_i - lam X_j is significantly above 0 for all j that may be the best.
 *
 * Shares are counted as what is wrong, 1 - share, with half a point more: 0 against 0 would never be decided. What has
 * not been seen of them may be the whole range, so the guard is the range and not the largest difference.
 *
 * One candidate for all cells is as good as the best in each of them: an intersection, which needs no correction
 * (Berger, Technometrics 24, 1982). That it changes is a union, where level is divided by the number of cells.
 *
 * Measured on 19 real settings (studies/statements.md has the program's own): wrong in at most 1 % on average where the
 * others are just beyond the tolerance. "Not distinguished, so equal" is wrong in 43 to 99 % there. */
#include "stats/decision.h"

#include "stats/robust.h"
#include "stats/setting.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>

/* Ratios of errors beyond this are not told from infinity. */
static const double largest_ratio = 1e4;

/* ---- numbers that people read ---- */

double decision_error(enum ldp_unit unit, double mean)
{
    switch (unit) {
    case LDP_UNIT_POINTS: return 100 * sqrt(mean);
    case LDP_UNIT_WRONG: return 100 * (1 - mean);
    case LDP_UNIT_USERS:
    case LDP_UNIT_SCALE:
    case LDP_UNIT_ABSOLUTE:
    case LDP_UNIT_LARGEST: return 100 * mean;
    default: return mean;
    }
}

double decision_error_sd(enum ldp_unit unit, double mean, double stderr_)
{
    switch (unit) {
    case LDP_UNIT_POINTS: return 50 * stderr_ / sqrt(mean);
    case LDP_UNIT_WRONG:
    case LDP_UNIT_USERS:
    case LDP_UNIT_SCALE:
    case LDP_UNIT_ABSOLUTE:
    case LDP_UNIT_LARGEST: return 100 * stderr_;
    default: return stderr_;
    }
}

/* A ratio of what people read, from one of the measure, and back. */
static double read_ratio(enum ldp_unit unit, double ratio)
{
    return unit == LDP_UNIT_POINTS ? sqrt(ratio) : ratio;
}

static double measured_ratio(enum ldp_unit unit, double ratio)
{
    return unit == LDP_UNIT_POINTS ? square(ratio) : ratio;
}

/* ---- one cell ---- */

struct compared_cell {
    const struct decision_question *question;
    size_t m;
    struct sample *sample;       /* [m] of errors */
    struct candidate_result *at; /* [m] */
    double more;                 /* what counts as nothing: half a point of a share */
    double tests;                /* comparisons with the best */
    double *values, *room;       /* of shares as errors; of one difference */
};

static bool is_alone(const struct compared_cell *cell, size_t i)
{
    return cell->at[i].measured && cell->at[i].same_as == i;
}

/* Whether i is compared with j: candidates that have the same values are compared once with the others, and with one
 * another. */
static bool is_compared(const struct compared_cell *cell, size_t i, size_t j)
{
    return i != j && (is_alone(cell, j) || (cell->at[j].measured && cell->at[j].same_as == cell->at[i].same_as));
}

/* What a repetition that was not seen may add to the differences: twice the guard. Candidates that had the same values
 * may differ as much as values are large. */
static double unseen(const struct compared_cell *cell, size_t a, double u, size_t b, double v,
                     const struct differences *d)
{
    if (cell->question->unit == LDP_UNIT_WRONG)
        return fmax(u, v);
    return cell->at[a].same_as == cell->at[b].same_as ? 2 * fmax(u, v) * largest_size(&cell->sample[a]) : d->largest;
}

/* Whether u X_a + add - v X_b is significantly above 0. */
static bool significantly_above(const struct compared_cell *cell, size_t a, double u, double add, size_t b, double v,
                                double level)
{
    struct differences d = differences_weighted(&cell->sample[a], u, &cell->sample[b], v, cell->room);

    d.mean += add;
    if (isinf(d.n))
        return d.mean > 0;
    const double t = robust_t(&d, unseen(cell, a, u, b, v, &d));
    return t > 0 && robust_p(t, d.n + 1, cell->question->any_time) < level / cell->tests;
}

/* Whether i is shown to be at most `ratio` times j, or shown to be at least so much. */
static bool is_at_most(const struct compared_cell *cell, size_t i, size_t j, double ratio)
{
    return significantly_above(cell, j, ratio, cell->more, i, 1, cell->question->level);
}

static bool is_at_least(const struct compared_cell *cell, size_t i, size_t j, double ratio, double level)
{
    return significantly_above(cell, i, 1, -cell->more, j, ratio, level);
}

/* The least ratio from `low` on at which i is shown to be at most so much of j; infinite: none. */
static double least_upper(const struct compared_cell *cell, size_t i, size_t j, double low)
{
    double high = low;

    while (!is_at_most(cell, i, j, high)) {
        low = high;
        high *= 1.1;
        if (high > largest_ratio)
            return INFINITY;
    }
    while (high > 1.0005 * low) {
        const double middle = sqrt(low * high);
        if (is_at_most(cell, i, j, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The largest ratio up to `high` at which i is shown to be at least so much of j; 1: none above. */
static double largest_lower(const struct compared_cell *cell, size_t i, size_t j, double high)
{
    const double level = cell->question->level;
    double low = 1;

    if (!is_at_least(cell, i, j, 1, level))
        return 1;
    high = fmin(high, largest_ratio);
    if (is_at_least(cell, i, j, high, level))
        return high;
    while (high > 1.0005 * low) {
        const double middle = sqrt(low * high);
        if (is_at_least(cell, i, j, middle, level))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void find_may_be_best(const struct compared_cell *cell)
{
    for (size_t i = 0; i < cell->m; i++) {
        cell->at[i].may_be_best = is_alone(cell, i);
        for (size_t j = 0; j < cell->m && cell->at[i].may_be_best; j++)
            cell->at[i].may_be_best =
                j == i || !is_alone(cell, j) || !significantly_above(cell, i, 1, 0, j, 1, cell->question->level);
    }
}

/* Whether some other is significantly less often undefined: what is undefined more often is not taken. */
static bool is_undefined_more(const struct compared_cell *cell, size_t i)
{
    for (size_t j = 0; j < cell->m; j++)
        if (j != i && is_alone(cell, j) &&
            undefined_more(&cell->sample[i], &cell->sample[j]) < cell->question->level / cell->tests)
            return true;
    return false;
}

static void find_bounds(const struct compared_cell *cell, size_t i)
{
    const double tolerance = measured_ratio(cell->question->unit, 1 + DECISION_TOLERANCE);
    struct candidate_result *const at = &cell->at[i];

    at->good = !is_undefined_more(cell, i);
    at->most = at->good ? 1 : INFINITY;
    at->least = INFINITY;
    for (size_t j = 0; j < cell->m; j++) {
        if (!is_compared(cell, i, j))
            continue;
        at->good = at->good && is_at_most(cell, i, j, tolerance);
        if (isfinite(at->most) && !is_at_most(cell, i, j, at->most))
            at->most = least_upper(cell, i, j, at->most);
        if (cell->at[j].may_be_best && at->least > 1)
            at->least = largest_lower(cell, i, j, at->least);
    }
    if (at->good)
        at->most = fmin(at->most, tolerance);
    at->most = read_ratio(cell->question->unit, at->most);
    at->least = at->may_be_best || isinf(at->least) ? 1 : read_ratio(cell->question->unit, at->least);
}

/* Errors of candidates: of shares what is wrong. */
static void take_samples(struct compared_cell *cell, size_t index)
{
    const struct decision_question *const question = cell->question;
    const struct sample *const from = question->sample + index * cell->m;
    double *at = cell->values;

    for (size_t i = 0; i < cell->m; i++) {
        cell->sample[i] = from[i];
        if (question->unit != LDP_UNIT_WRONG)
            continue;
        cell->sample[i].mean = 1 - from[i].mean;
        if (!from[i].value)
            continue;
        for (size_t r = 0; r < from[i].length; r++)
            at[r] = 1 - from[i].value[r];
        cell->sample[i].value = at;
        at += from[i].length;
    }
}

static bool meets_condition(const struct decision_question *question, size_t index)
{
    if (!question->share)
        return true;
    const struct setting setting = {.sample = &question->share[index],
                                    .share = &question->share[index],
                                    .count = 1,
                                    .least = question->least,
                                    .level = question->level,
                                    .any_time = question->any_time};
    return !(setting_short(&setting, 0) < question->level);
}

static void list_candidates(struct compared_cell *cell, size_t index)
{
    double measured = 0;

    for (size_t i = 0; i < cell->m; i++) {
        const struct sample *const sample = &cell->sample[i];
        cell->at[i] = (struct candidate_result){.same_as = i,
                                                .measured = !isnan(sample->mean) && (sample->n > 0 || sample->exact) &&
                                                            meets_condition(cell->question, index * cell->m + i),
                                                .ratio = (double)NAN,
                                                .least = 1,
                                                .most = INFINITY};
        for (size_t k = 0; k < i && cell->at[i].measured && cell->at[i].same_as == i; k++)
            if (is_alone(cell, k) && same_values(&cell->sample[k], sample))
                cell->at[i].same_as = k;
        measured += cell->at[i].measured;
    }
    cell->tests = fmax(measured - 1, 1);
}

/* The ratio of means over the repetitions where both are defined. */
static double ratio_of(const struct compared_cell *cell, size_t i, size_t best)
{
    const struct pair_means pair = pair_means_of(&cell->sample[best], &cell->sample[i]);

    return i == best || (pair.x == 0 && pair.y == 0) ? 1 : read_ratio(cell->question->unit, pair.y / pair.x);
}

/* Judges a cell; returns its least mean. */
static size_t compare_cell(struct compared_cell *cell, size_t index)
{
    size_t best = SIZE_MAX;

    list_candidates(cell, index);
    find_may_be_best(cell);
    for (size_t i = 0; i < cell->m; i++)
        if (is_alone(cell, i)) {
            find_bounds(cell, i);
            if ((best == SIZE_MAX || cell->sample[i].mean < cell->sample[best].mean) && !is_undefined_more(cell, i))
                best = i;
        }
    for (size_t i = 0; i < cell->m && best != SIZE_MAX; i++) {
        struct candidate_result *const at = &cell->at[i];
        if (at->measured && at->same_as != i) {
            const size_t first = at->same_as;
            *at = cell->at[first];
            at->same_as = first;
        } else if (at->measured) {
            at->ratio = ratio_of(cell, i, best);
        }
    }
    return best;
}

/* ---- all cells ---- */

static struct compared_cell cell_open(const struct decision_question *question)
{
    size_t length = 0, total = 0;

    for (size_t c = 0; c < question->cells; c++) {
        size_t of_cell = 0;
        for (size_t i = 0; i < question->candidates; i++) {
            const struct sample *const sample = &question->sample[c * question->candidates + i];
            length = sample->length > length ? sample->length : length;
            of_cell += sample->length;
        }
        total = of_cell > total ? of_cell : total;
    }
    return (struct compared_cell){.question = question,
                                  .m = question->candidates,
                                  .sample = xcalloc(question->candidates, sizeof(struct sample)),
                                  .more = question->unit == LDP_UNIT_WRONG ? DECISION_SHARE : 0,
                                  .values = xcalloc(question->unit == LDP_UNIT_WRONG ? total : 1, sizeof(double)),
                                  .room = xcalloc(length, sizeof(double))};
}

/* Goes to a cell; of one that was judged it is known who is compared. */
static void enter_cell(struct compared_cell *cell, const struct decision *decision, size_t index)
{
    double measured = 0;

    cell->at = decision->at + index * cell->m;
    take_samples(cell, index);
    for (size_t i = 0; i < cell->m; i++)
        measured += cell->at[i].measured;
    cell->tests = fmax(measured - 1, 1);
}

static void cell_close(struct compared_cell *cell)
{
    free(cell->sample);
    free(cell->values);
    free(cell->room);
}

/* Whether a candidate is shown to be not as good as the best, at a level. */
static bool is_significantly_worse(const struct compared_cell *cell, size_t i, double level)
{
    const double tolerance = measured_ratio(cell->question->unit, 1 + DECISION_TOLERANCE);

    for (size_t j = 0; j < cell->m; j++)
        if (j != i && is_alone(cell, j) && cell->at[j].may_be_best && !is_at_least(cell, i, j, tolerance, level))
            return false;
    return !cell->at[i].may_be_best;
}

static bool is_everywhere(const struct decision *decision, size_t i)
{
    for (size_t c = 0; c < decision->cells; c++)
        if (!decision->at[c * decision->candidates + i].measured && decision->least[c] != SIZE_MAX)
            return false;
    return true;
}

bool decision_is_good(const struct decision *decision, size_t i)
{
    for (size_t c = 0; c < decision->cells; c++)
        if (!decision->at[c * decision->candidates + i].good && decision->least[c] != SIZE_MAX)
            return false;
    return true;
}

/* The constant of the least largest ratio; SIZE_MAX: no candidate is everywhere. */
static size_t least_above(const struct decision *decision, const size_t *order)
{
    size_t found = SIZE_MAX;
    double least = INFINITY;

    for (size_t k = 0; k < decision->candidates; k++) {
        const size_t i = order[k];
        double most = 1;
        for (size_t c = 0; c < decision->cells; c++)
            if (decision->least[c] != SIZE_MAX)
                most = fmax(most, decision->at[c * decision->candidates + i].ratio);
        if (is_everywhere(decision, i) && (found == SIZE_MAX || most < least)) {
            found = i;
            least = most;
        }
    }
    return found;
}

/* The first by preference that is good in a cell, or that has the least mean there. */
static size_t first_good(const struct decision *decision, const size_t *order, size_t c)
{
    for (size_t k = 0; k < decision->candidates; k++)
        if (decision->at[c * decision->candidates + order[k]].good)
            return order[k];
    return decision->least[c];
}

/* Whether every candidate is shown to be not as good as the best in some cell. */
static bool surely_changes(const struct decision_question *question, struct decision *decision,
                           struct compared_cell *cell)
{
    const double level = question->level / (double)question->cells;
    bool *const worse = xcalloc(question->candidates, sizeof *worse);
    bool all = question->cells > 1;

    for (size_t c = 0; c < question->cells; c++) {
        enter_cell(cell, decision, c);
        for (size_t i = 0; i < cell->m; i++)
            worse[i] = worse[i] || !cell->at[i].measured || is_significantly_worse(cell, cell->at[i].same_as, level);
    }
    for (size_t i = 0; i < question->candidates; i++)
        all &= worse[i];
    free(worse);
    return all;
}

static void find_taken(const struct decision_question *question, struct decision *decision, struct compared_cell *cell)
{
    const size_t *const order = question->order;

    decision->kind = DECIDED_NOT;
    for (size_t k = 0; k < question->candidates && decision->kind == DECIDED_NOT; k++)
        if (decision_is_good(decision, order[k])) {
            decision->kind = DECIDED_ONE;
            decision->one = order[k];
        }
    if (decision->kind == DECIDED_NOT) {
        decision->one = least_above(decision, order);
        if (decision->one == SIZE_MAX || surely_changes(question, decision, cell))
            decision->kind = DECIDED_CHANGES;
    }
    for (size_t c = 0; c < question->cells; c++)
        decision->taken[c] = decision->least[c] == SIZE_MAX      ? SIZE_MAX
                             : decision->kind == DECIDED_CHANGES ? first_good(decision, order, c)
                                                                 : decision->one;
}

/* Marks who may be better than what is taken by more than the tolerance. */
static void find_what_matters(const struct decision_question *question, const struct decision *decision,
                              struct compared_cell *cell)
{
    const double tolerance = measured_ratio(question->unit, 1 + DECISION_TOLERANCE);

    for (size_t c = 0; c < question->cells; c++) {
        const size_t taken = decision->taken[c];
        enter_cell(cell, decision, c);
        if (taken == SIZE_MAX || cell->at[taken].good)
            continue;
        for (size_t j = 0; j < cell->m; j++)
            cell->at[j].may_matter = is_compared(cell, taken, j) && !is_at_most(cell, taken, j, tolerance);
    }
}

struct decision decision_make(const struct decision_question *question)
{
    struct compared_cell cell = cell_open(question);
    struct decision decision = {.candidates = question->candidates,
                                .cells = question->cells,
                                .one = SIZE_MAX,
                                .taken = xcalloc(question->cells, sizeof(size_t)),
                                .least = xcalloc(question->cells, sizeof(size_t)),
                                .at = xcalloc(question->cells * question->candidates, sizeof *decision.at)};

    for (size_t c = 0; c < question->cells; c++) {
        enter_cell(&cell, &decision, c);
        decision.least[c] = compare_cell(&cell, c);
    }
    find_taken(question, &decision, &cell);
    find_what_matters(question, &decision, &cell);
    cell_close(&cell);
    return decision;
}

void decision_clear(struct decision *decision)
{
    free(decision->taken);
    free(decision->least);
    free(decision->at);
    *decision = (struct decision){0};
}
